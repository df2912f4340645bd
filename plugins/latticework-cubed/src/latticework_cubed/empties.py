"""Functions of arrays without elements: Cubed 0.27 has no chunks of them, and ends in errors of its own, or gives other
shapes. Here the shape of a result without elements is worked out, and Cubed gets what has elements alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cubed.array_api as xp

__all__ = ["guarded", "none"]

_EACH = frozenset(
    """
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor ceil conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
    greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not
    logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
    round sign signbit sin sinh sqrt square subtract tan tanh trunc where
    """.split()
)
_SAME = frozenset("flip roll".split())


def none(shape: Any, like: Any, dtype: Any = None) -> Any:
    """Make an array without elements, of the specification of another."""
    return xp.empty(tuple(shape), dtype=like.dtype if dtype is None else dtype, spec=like.spec)


def guarded(name: str, f: Any) -> Any:
    """Return a function of Cubed's that takes arrays without elements."""
    make: Callable[[Any], Any] | None = _each if name in _EACH else _same if name in _SAME else _OTHERS.get(name)
    return f if make is None else make(f)


def _each(f: Any) -> Any:
    dtypes: dict[Any, Any] = {}

    def call(*arrays: Any) -> Any:
        if all(x.size for x in arrays):
            return f(*arrays)
        given = tuple([x.dtype for x in arrays])
        if given not in dtypes:
            dtypes[given] = f(*[xp.ones((1,), dtype=d) for d in given]).dtype
        return none(xp.broadcast_shapes(*[x.shape for x in arrays]), arrays[0], dtypes[given])

    call.__name__ = call.__qualname__ = getattr(f, "__name__", "call")
    return call


def _same(f: Any) -> Any:
    def call(x: Any, *args: Any, **options: Any) -> Any:
        return f(x, *args, **options) if x.size else x

    return call


def _truths(value: bool) -> Any:
    def of(f: Any) -> Any:
        def call(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
            if x.size:
                return f(x, axis=axis, keepdims=keepdims)
            axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
            gone = {k % x.ndim for k in axes}
            shape = [1 if i in gone else n for i, n in enumerate(x.shape) if keepdims or i not in gone]
            return xp.full(tuple(shape), value, dtype=xp.bool, spec=x.spec)

        return call

    return of


def _isin(f: Any) -> Any:
    def call(x1: Any, x2: Any, *, invert: bool = False) -> Any:
        if x1.size and x2.size:
            return f(x1, x2, invert=invert)
        return xp.full(x1.shape, invert, dtype=xp.bool, spec=x1.spec)

    return call


#: Makers of the functions that are not of each element.
_OTHERS: dict[str, Callable[[Any], Any]] = {
    "all": _truths(True), "any": _truths(False), "isin": _isin,
}  # fmt: skip
