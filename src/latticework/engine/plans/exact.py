"""Compute exactly what a framework's rules answer beyond latticework's functions: by other functions, on every backend.

NumPy orders complex numbers, by their real parts and then by their imaginary ones, takes the reciprocal of integers and
multiplies matrices of bools. latticework's functions take none of these, and few frameworks have kernels for them.
Each body here is run under the unified rules, between the casts that the active rules ask for, like any composition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.dtypes import Dtype, bool_, int64
from ...core.registry import functions as lw
from ..shapes.extents import all_or_some

__all__ = ["body_to_bools", "exact_body"]

Body = Callable[..., Any]


def exact_body(name: str, computed: Dtype) -> Body | None:
    """Find the body that computes a function in a dtype that the function does not take; None where there is none."""
    return _BODIES.get((name, computed.kind))


def body_to_bools(name: str) -> Body | None:
    """Find the body of a sum or product with a result of bools, which latticework refuses; None where there is none."""
    return _TO_BOOLS.get(name)


# --- bools and integers -----------------------------------------------------------------------------------------------


def _imag(x: Any) -> Any:
    """Return the imaginary part of bools: False."""
    return lw.zeros_like(x)


def _outer(x1: Any, x2: Any) -> Any:
    return lw.logical_and(lw.expand_dims(x1, axis=1), lw.expand_dims(x2, axis=0))


def _reciprocal(x: Any) -> Any:
    """Divide 1 by an integer, without the fraction: only 1 and -1 give another number than 0."""
    unit = x == 1
    if x.dtype.kind == "i":
        unit = lw.logical_or(unit, x == -1)
    return lw.where(unit, x, lw.zeros_like(x))


def _counted(name: str) -> Body:
    """Make a product or sum of bools, computed in int64: it is True where any term is."""

    def body(*arrays: Any, dtype: Any = None, **options: Any) -> Any:
        found = getattr(lw.linalg if name == "trace" else lw, name)(*[lw.astype(x, int64) for x in arrays], **options)
        return lw.astype(found, dtype or bool_)

    return body


def _accumulated(name: str) -> Body:
    """Make a sum or product, running or not, whose result is bools: computed in int64, and True where it is not 0."""

    def body(x: Any, *args: Any, dtype: Any = None, **options: Any) -> Any:
        numbers = lw.astype(lw.astype(x, bool_), int64)
        return lw.astype(getattr(lw, name.lstrip("_"))(numbers, *args, dtype=int64, **options), bool_)

    return body


# --- complex numbers in order -----------------------------------------------------------------------------------------


def _ordered(strict: str, equal: str) -> Body:
    """Make a comparison by the real parts, and by the imaginary parts where these are equal. With a nan it is False."""

    def body(x1: Any, x2: Any) -> Any:
        numbers = lw.logical_not(lw.logical_or(lw.isnan(lw.imag(x1)), lw.isnan(lw.imag(x2))))
        real = lw.logical_and(getattr(lw, strict)(lw.real(x1), lw.real(x2)), numbers)
        imag = getattr(lw, equal)(lw.imag(x1), lw.imag(x2))
        return lw.logical_or(real, lw.logical_and(lw.equal(lw.real(x1), lw.real(x2)), imag))

    return body


_at_least, _at_most = _ordered("greater", "greater_equal"), _ordered("less", "less_equal")


def _maximum(x1: Any, x2: Any) -> Any:
    return lw.where(lw.logical_or(lw.isnan(x1), _at_least(x1, x2)), x1, x2)


def _minimum(x1: Any, x2: Any) -> Any:
    return lw.where(lw.logical_or(lw.isnan(x1), _at_most(x1, x2)), x1, x2)


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    if low is not None:
        x = _maximum(x, low)
    return x if high is None else _minimum(x, high)


def _argsort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Sort by nans (in neither part, in the imaginary, the real, both), then the real part, then the imaginary one."""
    nans = 2 * lw.astype(lw.isnan(lw.real(x)), lw.int8) + lw.astype(lw.isnan(lw.imag(x)), lw.int8)
    order = lw.argsort(lw.imag(x), axis=axis, descending=descending)
    for key in (lw.real(x), nans):
        then = lw.argsort(lw.take_along_axis(key, order, axis=axis), axis=axis, descending=descending)
        order = lw.take_along_axis(order, then, axis=axis)
    return order


def _sort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    return lw.take_along_axis(x, _argsort(x, axis=axis, descending=descending), axis=axis)


def _position(largest: bool) -> Body:
    """Find the first element that is nan, else the first of the greatest or least elements."""
    pick = "max" if largest else "min"

    def body(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
        axes = None if axis is None else axis
        nan = lw.isnan(x)
        some = lw.any(nan, axis=axes, keepdims=True)
        real, imag = lw.real(x), lw.imag(x)
        beyond = -lw.inf if largest else lw.inf
        candidates = lw.logical_not(nan)
        for part in (real, imag):
            extreme = getattr(lw, pick)(lw.where(candidates, part, beyond), axis=axes, keepdims=True)
            candidates = lw.logical_and(candidates, lw.equal(part, extreme))
        found = lw.where(some, nan, candidates)
        return lw.argmax(lw.astype(found, lw.uint8), axis=axis, keepdims=keepdims)

    return body


def _extremum(largest: bool) -> Body:
    """Find the element at the position of `_position`."""
    position = _position(largest)

    def body(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
        axes = all_or_some(axis, x.shape)
        if not axes:
            return lw.asarray(x, copy=True)
        kept = [a for a in range(x.ndim) if a not in axes]
        flat = lw.reshape(lw.permute_dims(x, (*kept, *axes)), (*[x.shape[a] for a in kept], -1))
        at = position(flat, axis=-1, keepdims=True)
        shape = [1 if a in axes else n for a, n in enumerate(x.shape)] if keepdims else [x.shape[a] for a in kept]
        return lw.reshape(lw.take_along_axis(flat, at, axis=-1), tuple(shape))

    return body


#: function with the argument `dtype` -> the body that computes it with a result of bools.
_TO_BOOLS: dict[str, Body] = {
    name: _accumulated(name) for name in ("sum", "prod", "cumulative_sum", "cumulative_prod", "_cumsum", "_cumprod")
}

#: (function, kind of the dtype computed in) -> the body that computes it.
_BODIES: dict[tuple[str, str], Body] = {
    ("imag", "b"): _imag,
    ("linalg.outer", "b"): _outer,
    ("reciprocal", "i"): _reciprocal,
    ("reciprocal", "u"): _reciprocal,
    **{(name, "b"): _counted(name) for name in ("matmul", "vecdot", "tensordot")},
    ("linalg.trace", "b"): _counted("trace"),
    ("less", "c"): _ordered("less", "less"),
    ("less_equal", "c"): _at_most,
    ("greater", "c"): _ordered("greater", "greater"),
    ("greater_equal", "c"): _at_least,
    ("maximum", "c"): _maximum,
    ("minimum", "c"): _minimum,
    ("_clip", "c"): _clip,
    ("sort", "c"): _sort,
    ("argsort", "c"): _argsort,
    ("max", "c"): _extremum(True),
    ("min", "c"): _extremum(False),
    ("argmax", "c"): _position(True),
    ("argmin", "c"): _position(False),
}
