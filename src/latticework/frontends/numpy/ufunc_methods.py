"""The methods of universal functions: reduce, accumulate, outer, at, reduceat, of any function of two operands."""

from __future__ import annotations

import builtins
import collections
import functools
from typing import Any

import numpy

import latticework as lw

from .base import NO_VALUE, UFuncTypeError, as_array, cast, dialect, of_numpy, ops, write

__all__ = ["accumulate", "at", "outer", "reduce", "reduceat"]

#: NumPy's reductions by name, which the higher module `reductions` puts here.
reductions: dict[str, Any] = {}

#: Latticework's reductions and cumulative functions, by NumPy's ufunc.
_REDUCED = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
_ACCUMULATED = {"add": "cumsum", "multiply": "cumprod"}


def _check(f: Any, method: str) -> None:
    if f.nin != 2 or f.nout != 1:
        raise ValueError(f"{f.__name__}.{method}: is there for functions of two operands and one result alone")


def _write(out: Any, result: Any) -> Any:
    out = out[0] if type(out) is tuple else out
    return result if out is None else write("reduce", out, result)


def reduce(
    f, array, /, axis = 0, dtype = None, out = None, keepdims = False,
    initial = NO_VALUE, where = True,
):  # fmt: skip
    """Apply it between all elements along axes."""
    _check(f, "reduce")
    a = as_array(array)
    where = NO_VALUE if where is True else where
    known = _REDUCED.get(f.__name__)
    if known in ("sum", "prod"):
        return reductions[known](a, axis, dtype, out, keepdims, initial, where)
    if known in ("max", "min") and dtype is None:
        return reductions[known](a, axis, out, keepdims, initial, where)
    if known is not None and initial is NO_VALUE and dtype is None:
        return reductions[known](a, axis, out, keepdims, where=where)
    if where is not NO_VALUE:
        start = f.identity if initial is NO_VALUE else initial
        if start is None:
            raise ValueError(f"{f.__name__}.reduce: has no identity; a mask needs initial")
        a = ops.where(as_array(where, bool), a, start)
    axes = tuple(range(a.ndim)) if axis is None else (axis if type(axis) is tuple else (axis,))
    result = _folded(f, a if dtype is None else a.astype(dtype), axes, initial)
    if keepdims:
        result = result.reshape(_kept(a.shape, axes))
    return _write(out, result)


def _kept(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    at = {i % len(shape) for i in axes} if shape else set()
    return tuple([1 if i in at else n for i, n in enumerate(shape)])


def _folded(f: Any, a: Any, axes: tuple[int, ...], initial: Any) -> Any:
    """Apply it between the parts along axes, from the first on."""
    a = ops.moveaxis(a, axes, tuple(range(len(axes)))) if a.ndim else a
    rest = a.shape[len(axes) :]
    parts = list(a.reshape((-1, *rest))) if a.size else []
    if initial is not NO_VALUE:
        parts.insert(0, as_array(initial))
    if not parts:
        if f.identity is None:
            raise ValueError(f"{f.__name__}.reduce: has no identity; got shape {a.shape}. Give initial")
        return ops.full(rest, f.identity, dtype=f(as_array([1], a.dtype), as_array([1], a.dtype))._array.dtype)
    if len(parts) == 1:
        return ops.astype(parts[0], f(parts[0], parts[0])._array.dtype, copy=True)
    return functools.reduce(f, parts)


def accumulate(f, array, /, axis=0, dtype=None, out=None):
    """Apply it between the elements along an axis, and give what comes of each."""
    _check(f, "accumulate")
    a = as_array(array)
    if not a.ndim:
        raise TypeError(f"{f.__name__}.accumulate: needs an axis to go along; got an array without dimensions")
    known = _ACCUMULATED.get(f.__name__)
    if known is not None:
        return reductions[known](a, axis, dtype, out)
    a = a if dtype is None else a.astype(dtype)
    rows = list(ops.moveaxis(a, axis, 0))
    if not rows:
        return _write(out, ops.astype(a, f(a, a)._array.dtype))
    running = [rows[0]]
    for row in rows[1:]:
        running.append(f(running[-1], row))
    running[0] = ops.astype(rows[0], f(rows[0], rows[0])._array.dtype)
    return _write(out, ops.moveaxis(ops.stack(running), 0, axis))


def outer(f, A, B, /, **kwargs):
    """Apply it to every element of A with every element of B."""
    _check(f, "outer")
    a, b = as_array(A), as_array(B)
    return f(a.reshape((*a.shape, *(1,) * b.ndim)), b, **kwargs)


_SCATTERED = {"add": "add", "subtract": "subtract", "multiply": "multiply", "maximum": "max", "minimum": "min"}


def at(f, a, indices, b=None, /):
    """Apply it in place at positions, as often as each comes."""
    if type(a) is not dialect.array:
        raise TypeError(f"{f.__name__}.at: takes an array to write to; got {type(a).__name__}")
    if f.nin == 1:
        places = of_numpy(numpy.arange(a.size)).reshape(a.shape)[indices].reshape(-1).tolist()
        times = collections.Counter(places)
        for _ in range(builtins.max(times.values(), default=0)):  # as often as each position comes
            left = [place for place, count in times.items() if count > 0]
            flat = a.flatten()
            flat[as_array(left)] = f(flat[as_array(left)])
            a[...] = flat.reshape(a.shape)
            times.subtract(left)
        return
    values = ops.broadcast_to(as_array(b), a[indices].shape)
    few = b if type(b) in (bool, int, float, complex) else values.reshape(-1)[:0]
    found = f(a.reshape(-1)[:0], few).dtype
    if not numpy.can_cast(found, a.dtype, "same_kind"):
        raise UFuncTypeError(f"{f.__name__}.at: a result of {found} does not go into an array of {a.dtype}")
    method = _SCATTERED.get(f.__name__)
    if method is not None:
        key = indices if type(indices) is tuple else (indices,)
        key = tuple([as_array(k) if isinstance(k, list) else k for k in key])
        a[...] = dialect.call(_scattered, (a, method, cast(values, a.dtype), key if len(key) > 1 else key[0]), {})
        return
    places = of_numpy(numpy.arange(a.size))  # of each element, so that the key gives those that it selects
    elements, each = a.flatten(), values.reshape(-1)
    for i, place in enumerate(places.reshape(a.shape)[indices].reshape(-1).tolist()):
        elements[place] = f(elements[place], each[i])
    a[...] = elements.reshape(a.shape)


def _scattered(x: Any, method: str, values: Any, key: Any) -> Any:
    return getattr(lw.at(x, key), method)(values)


def reduceat(f, array, /, indices, axis=0, dtype=None, out=None):
    """Apply it between the elements of each stretch along an axis, from one index to the next."""
    _check(f, "reduceat")
    a = ops.moveaxis(as_array(array), axis, 0)
    starts = [int(i) for i in as_array(indices).tolist()]
    if any(not 0 <= i < len(a) for i in starts):
        raise IndexError(f"{f.__name__}.reduceat: an index is out of bounds of an axis of extent {len(a)}")
    ends = [*starts[1:], len(a)]
    parts = [reduce(f, a[i : j if j > i else i + 1], 0, dtype) for i, j in zip(starts, ends, strict=True)]
    return _write(out, ops.moveaxis(ops.stack(parts), 0, axis))
