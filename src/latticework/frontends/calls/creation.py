"""The dispatchers of functions that make arrays of a shape."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...policy import TABLES, active, current, kernels_of
from .keeping import Calls, new

__all__ = ["of_shape", "quick_of_shape"]


def of_shape(calls: Calls) -> Callable[..., Any]:
    """The twin of a function that makes an array of a shape, dtype and device."""
    kernels, get, dialect = calls.kernels, active.get, calls.dialect
    array, dtype_of = dialect.array, dialect.dtype_of

    def call(shape: Any, dtype: Any = None, device: Any = None) -> Any:
        if dtype is not None:
            dtype = dtype_of(dtype)
        if device is None:
            try:
                make, native, location, sig = kernels[get()][dtype]
                t = new(array)
                t._data = make(shape, dtype=native, device=location)
                t._sig = sig
                t._held = None
                return t
            except Exception:
                pass
        options = {"dtype": dtype, "device": device}
        made = calls.call(0, (shape,), {name: x for name, x in options.items() if x is not None})
        found = TABLES.get(calls.op.name, {}).get(dialect.policy(), {}).get(dtype)
        if found is not None and device is None:
            kernels_of(calls.name, current())[dtype] = found
        return made

    return call


def quick_of_shape(calls: Calls, slow: Callable[..., Any], *, spread: bool = False) -> Callable[..., Any]:
    """The dialect's own function that makes an array of a shape, which is called with that, and with a dtype at most.

    What makes arrays is kept by the framework's own dtype objects, under the signature of what `slow` has made.

    Parameters
    ----------
    spread: whether the extents may be given one by one.
    """
    kernels, get, dialect = calls.kernels, active.get, calls.dialect
    array = dialect.array

    def call(*args: Any, dtype: Any = None, **kw: Any) -> Any:
        quickly = not kw and (len(args) == 1 or (spread and len(args) > 1)) and not dialect.elsewhere
        if quickly:
            shape = args[0] if len(args) == 1 else args
            kind = type(shape)
            try:
                if kind is tuple or kind is int or kind is list:
                    make, native, location, sig = kernels[get()][dtype]
                    t = new(array)
                    t._data = make(shape, dtype=native, device=location)
                    t._sig = sig
                    t._held = None
                    return t
            except Exception:
                pass
        if dtype is not None:
            kw["dtype"] = dtype
        made = slow(*args, **kw)
        if quickly and type(made) is array:
            _keep(calls, dtype, made._array._sig)
        return made

    return call


def _keep(calls: Calls, dtype: Any, sig: Any) -> None:
    """Keep what has made an array of this signature, if that is known."""
    if dtype is not None:
        with suppress(TypeError):
            if calls.dialect.dtype_of(dtype) is not sig.dtype:
                return  # what becomes another dtype is told each time
    kept = TABLES.get(calls.op.name, {}).get(calls.dialect.policy(), {})
    for key in (sig.dtype, None):
        found = kept.get(key)
        if found is not None and found[3] is sig:
            with suppress(TypeError):  # a dtype that has no hash
                kernels_of(calls.name, current())[dtype] = found
            return
