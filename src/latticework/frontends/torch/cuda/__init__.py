"""`torch.cuda`, as far as programs ask whether there is a GPU: there is one where the backend in force has one."""

from __future__ import annotations

from typing import Any

from ..core import dialect
from ..legacy import of_cuda as _of_cuda
from ..objects import current_gpu as _current_gpu
from ..objects import device as _device
from ..objects import gpus
from ..sampling import manual_seed as _manual_seed
from . import amp as amp

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "ShortTensor",
]  # fmt: skip
globals().update(_of_cuda)


# fmt: off
def device_count(): return len(gpus())
def empty_cache(): return None
def is_available(): return bool(gpus())
def is_bf16_supported(including_emulation=True): return bool(gpus())
def is_initialized(): return bool(gpus())
def manual_seed(seed): _manual_seed(seed)
def manual_seed_all(seed): _manual_seed(seed)
# fmt: on


def set_device(device):
    """Set the GPU that ``device="cuda"`` is."""
    _current_gpu[0] = _index(device)


def current_device():
    """Return the index of the GPU that ``device="cuda"`` is."""
    return _index(None)


def get_device_name(device=None):
    """Return the backend's name of a GPU."""
    return gpus()[_index(device)]


def synchronize(device=None):
    """Wait until a GPU has computed what it was given: until it has a number that was asked for last."""
    from ..creation import ones

    found = _device("cuda", _index(device))
    (ones(1, device=found) + 1).item()


def _index(where: Any) -> int:
    """Return the index of a GPU.

    Raises
    ------
    AssertionError: the backend in force has no such GPU. PyTorch without GPUs has this class of error.
    """
    index = where if isinstance(where, int) else _current_gpu[0] if where is None else _device(where).index
    found, index = gpus(), _current_gpu[0] if index is None else index
    if index >= len(found):
        raise AssertionError(f"the backend in force has no GPU {index}: it has {len(found)}")
    return index


dialect.finish(globals())
