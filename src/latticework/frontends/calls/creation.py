"""The dispatchers of functions that make arrays of a shape."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...engine.dispatch import MISSING
from ...policy import TABLES, active, current, kernels_of
from .keeping import Calls, new, present

__all__ = ["of_shape", "quick_of_extents", "quick_of_shape"]


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


def quick_of_shape(calls: Calls, slow: Callable[..., Any]) -> Callable[..., Any]:
    """The dialect's own function that makes an array of a shape, and of a dtype that comes after it.

    What makes arrays is kept by the framework's own dtype objects, under the signature of what `slow` has made.
    """
    kernels, get, array = calls.kernels, active.get, calls.dialect.array

    def call(shape: Any = MISSING, dtype: Any = None, *args: Any, **kw: Any) -> Any:
        kind = type(shape)
        quickly = not (args or kw) and (kind is tuple or kind is int or kind is list)
        if quickly:
            t = new(array)
            try:
                make, native, location, t._sig = kernels[get()][dtype]
                t._data = make(shape, dtype=native, device=location)
                t._held = None
                return t
            except Exception:
                pass
        if args:
            made = slow(shape, dtype, *args, **kw)
        else:
            made = slow(*present(shape), **kw) if dtype is None else slow(*present(shape), dtype=dtype, **kw)
        if quickly and type(made) is array:
            _keep(calls, dtype, made._array._sig)
        return made

    return call


def quick_of_extents(calls: Calls, slow: Callable[..., Any]) -> Callable[..., Any]:
    """As `quick_of_shape`, of a function that also takes the extents one by one, and the dtype by name alone."""
    kernels, get, dialect = calls.kernels, active.get, calls.dialect
    array = dialect.array

    def call(*args: Any, dtype: Any = None, **kw: Any) -> Any:
        shape = args[0] if len(args) == 1 else args
        kind = type(shape)
        quickly = args and not kw and (kind is int or kind is tuple or kind is list) and not dialect.elsewhere
        if quickly:
            t = new(array)
            try:
                make, native, location, t._sig = kernels[get()][dtype]
                t._data = make(shape, dtype=native, device=location)
                t._held = None
                return t
            except Exception:
                pass
        made = slow(*args, **kw) if dtype is None else slow(*args, dtype=dtype, **kw)
        if quickly and type(made) is array:
            _keep(calls, dtype, made._array._sig)
        return made

    return call


def _keep(calls: Calls, dtype: Any, sig: Any) -> None:
    """Keep what has made an array of this signature, if that is known."""
    if dtype is not None:
        try:
            if calls.dialect.dtype_of(dtype) is not sig.dtype:
                return  # what becomes another dtype is told each time
        except TypeError:
            return  # what it becomes is not known
    kept = TABLES.get(calls.op.name, {}).get(calls.dialect.policy(), {})
    for key in (sig.dtype, None):
        found = kept.get(key)
        if found is not None and found[3] is sig:
            with suppress(TypeError):  # a dtype that has no hash
                kernels_of(calls.name, current())[dtype] = found
            return
