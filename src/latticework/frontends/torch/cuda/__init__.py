"""`torch.cuda`, as far as programs ask whether there is a GPU: there is one where the backend in force has one."""

from __future__ import annotations

from ..core import dialect
from ..objects import gpus
from ..sampling import manual_seed as _manual_seed
from . import amp as amp


# fmt: off
def device_count(): return len(gpus())
def empty_cache(): return None
def is_available(): return bool(gpus())
def manual_seed(seed): _manual_seed(seed)
def manual_seed_all(seed): _manual_seed(seed)
# fmt: on


dialect.finish(globals())
