"""`torch.accelerator`, as far as programs ask which accelerator there is: the GPUs of the backend in force."""

from __future__ import annotations

from .core import complete
from .objects import device as _device
from .objects import gpus


# fmt: off
def device_count(): return len(gpus())
def is_available(): return bool(gpus())
# fmt: on


def current_accelerator(check_available=False):
    """Return the device of the accelerator, without an index; None where the backend in force has none."""
    return _device("cuda") if gpus() else None


complete(globals())
