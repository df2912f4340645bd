"""`autocast`: a block in which functions cast their tensors to the dtype that suits them.

The functions are those in the tables of `casting`, which are changed when the first block is entered. So programs
without a block do not pay for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial, wraps
from typing import Any

from ..dtypes import bfloat16, float16, float64
from ..objects import gpus
from ..tensor import Tensor
from . import casting

__all__ = [
    "autocast", "autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache", "custom_bwd",
    "custom_fwd", "get_autocast_dtype", "is_autocast_available", "is_autocast_cache_enabled", "is_autocast_enabled",
    "set_autocast_cache_enabled", "set_autocast_dtype", "set_autocast_enabled",
]  # fmt: skip

_dtypes = {"cpu": bfloat16, "cuda": float16}
_nesting = 0
_caches = True


def is_autocast_available(device_type):
    """Return whether there are blocks of `autocast` for a type of device."""
    return device_type in _dtypes


def is_autocast_enabled(device_type=None):
    """Return whether a block of `autocast` is entered for a type of device: "cuda" by default."""
    return (device_type or "cuda") in casting.active.get()


def set_autocast_enabled(device_type, enabled=None):
    """Say whether functions cast their tensors from now on, for a type of device: "cuda" by default."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    others = {name: dtype for name, dtype in casting.active.get().items() if name != device_type}
    casting.activate({**others, device_type: _dtypes[device_type]} if enabled else others)


def get_autocast_dtype(device_type):
    """Return the dtype of small numbers for a type of device."""
    return _dtypes[device_type]


def set_autocast_dtype(device_type, dtype):
    """Set the dtype of small numbers for a type of device."""
    _dtypes[device_type] = dtype
    if is_autocast_enabled(device_type):
        set_autocast_enabled(device_type, True)


def is_autocast_cache_enabled():
    """Return what `set_autocast_cache_enabled` has set. It changes nothing: no cast is kept."""
    return _caches


def set_autocast_cache_enabled(enabled):
    """Say whether casts of parameters are kept. It changes nothing: no cast is kept."""
    global _caches
    _caches = bool(enabled)


def clear_autocast_cache():
    """Do nothing: no cast is kept."""


def autocast_increment_nesting():
    """Count one block more, and return how many there are."""
    global _nesting
    _nesting += 1
    return _nesting


def autocast_decrement_nesting():
    """Count one block less, and return how many there are."""
    global _nesting
    _nesting -= 1
    return _nesting


class autocast:
    """A block, or a decorator of functions, in which functions cast their tensors to the dtype that suits them.

    Products of matrices and convolutions compute in the small dtype; losses, and functions that need more digits, in
    float32. Tensors of float64 stay as they are.

    Parameters
    ----------
    device_type: the type of the device that the tensors lie on: "cpu" or "cuda".
    dtype: the small dtype; bfloat16 on CPUs and float16 on GPUs by default.
    enabled: whether functions cast; False for a block in another one in which they do not.
    cache_enabled: it is taken, and changes nothing.

    Raises
    ------
    RuntimeError: there are no such blocks for the type of device.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     y = x @ x
    >>> y.dtype
    torch.bfloat16
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device, self.fast_dtype = device_type, get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda" and not gpus():
            warnings.warn("CUDA is not available. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (bfloat16, float16):
            warnings.warn(
                f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{device_type.upper()} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        self._before: list[tuple[bool, Any, bool]] = []

    def __enter__(self):
        device = self.device
        self._before.append((is_autocast_enabled(device), get_autocast_dtype(device), is_autocast_cache_enabled()))
        autocast_increment_nesting()
        set_autocast_dtype(device, self.fast_dtype)
        set_autocast_enabled(device, self._enabled)
        set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *exception):
        enabled, dtype, caches = self._before.pop()
        autocast_decrement_nesting()
        set_autocast_dtype(self.device, dtype)
        set_autocast_enabled(self.device, enabled)
        set_autocast_cache_enabled(caches)
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Write "
                "`with torch.autocast(device_type=...):` for a block"
            )

        @wraps(func)
        def call(*args: Any, **kw: Any) -> Any:
            with self:
                return func(*args, **kw)

        return call


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    """Cast the tensors of a tree, those of the type of device and not of float64."""
    if type(value) is Tensor:
        takes = value.is_floating_point() and value.device.type == device_type and value.dtype is not float64
        return value.to(dtype) if takes else value
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(v, device_type, dtype) for v in value])
    return value


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Make a method `forward` of a function of your own one that knows whether it runs in `autocast`.

    Parameters
    ----------
    cast_inputs: the dtype that its tensors are cast to in a block. It runs as outside of blocks then.
    """
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def call(*args: Any, **kw: Any) -> Any:
        within = is_autocast_enabled(device_type)
        if not isinstance(args[0], Tensor):  # one with a method setup_context has no context here
            args[0]._dtype = get_autocast_dtype(device_type)
            args[0]._fwd_used_autocast = within and cast_inputs is None
        if not within or cast_inputs is None:
            return fwd(*args, **kw)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kw, device_type, cast_inputs))

    return call


def custom_bwd(bwd=None, *, device_type):
    """Make a method `backward` of a function of your own one that runs as its `forward` has run."""
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def call(*args: Any, **kw: Any) -> Any:
        with autocast(device_type, dtype=args[0]._dtype, enabled=args[0]._fwd_used_autocast):
            return bwd(*args, **kw)

    return call
