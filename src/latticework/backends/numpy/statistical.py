"""Statistical and utility functions on NumPy: the ufuncs' own reductions, without `numpy.sum` and its kin
around them, which take several times as long as the sum of a small array.

NumPy sums bfloat16, and float16 along all axes but the last, one by one with a rounding at each step: 1 + 1 + …
is never more than 256, or 2048. They get a float32 accumulator, as NumPy's own `mean` of float16 has.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.arguments import check_axis, only_axis, with_ends
from ...backend.plain import NativeCall, comes_to
from ...core.dtypes import bfloat16, category, complex64, complex128, float16
from .core import BFLOAT16, COMPOSED, EMULATED

_FLOAT16 = np.dtype(np.float16)
_FLOAT32 = np.dtype(np.float32)

Axes = int | tuple[int, ...] | None


def _scalar_axis(axis: Any) -> None:
    """NumPy takes 0 and -1 for an axis of a 0-d array; the standard does not."""
    if axis != ():
        raise IndexError("a 0-d array has no axes")


def _reduction(ufunc: np.ufunc) -> Callable[..., NativeCall | None]:
    """Make the function that tells which call of a ufunc stands for a reduction."""

    def plain(x: Any, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> NativeCall | None:
        if (axis is not None and not x.shape) or dtype is BFLOAT16 or dtype is _FLOAT16:
            return None
        own = dtype is None or (dtype == x.dtype and dtype.kind in "fc")  # NumPy would choose it itself
        options = {} if own else {"dtype": dtype}
        return ufunc.reduce, (x, axis), {**options, "keepdims": True} if keepdims else options

    return plain


# --- sums and products --------------------------------------------------------------------------------------------


def sum(x: Any, *, axis: Axes = None, dtype: Any, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:
        _scalar_axis(axis)
    if dtype is BFLOAT16 or dtype is _FLOAT16:
        return np.add.reduce(x.astype(dtype, copy=False), axis, _FLOAT32, None, keepdims).astype(dtype)
    return np.add.reduce(x, axis, dtype, None, keepdims)


comes_to(sum, _reduction(np.add))


def prod(x: Any, *, axis: Axes = None, dtype: Any, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:
        _scalar_axis(axis)
    if dtype is BFLOAT16 or dtype is _FLOAT16:
        return np.multiply.reduce(x.astype(dtype, copy=False), axis, _FLOAT32, None, keepdims).astype(dtype)
    return np.multiply.reduce(x, axis, dtype, None, keepdims)


comes_to(prod, _reduction(np.multiply))


def cumulative_sum(x: Any, *, axis: int | None = None, dtype: Any, include_initial: bool = False) -> Any:
    return _accumulate(np.add, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(x: Any, *, axis: int | None = None, dtype: Any, include_initial: bool = False) -> Any:
    return _accumulate(np.multiply, x, axis, dtype, 1 if include_initial else None)


def _accumulate(ufunc: np.ufunc, x: Any, axis: int | None, dtype: Any, initial: int | None) -> Any:
    if axis is None:
        axis = only_axis(len(x.shape))
    if not x.shape:
        _scalar_axis(axis)
    half = dtype is BFLOAT16 or dtype is _FLOAT16
    if initial is None and not half:
        return ufunc.accumulate(x, axis, dtype)
    shape = list(x.shape)
    shape[axis] += initial is not None
    result = np.empty(shape, dtype)
    out = result
    if initial is not None:
        before = (slice(None),) * (axis % len(shape))
        result[(*before, 0)] = initial
        out = result[(*before, slice(1, None))]
    if half:
        _accumulate_half(ufunc, x.astype(dtype, copy=False), axis % len(shape), out)
    else:
        ufunc.accumulate(x, axis, dtype, out)
    return result


_BLOCK = 1 << 16


def _accumulate_half(ufunc: np.ufunc, x: np.ndarray, axis: int, out: np.ndarray) -> None:
    """Accumulate in float32, in blocks, so that there is never a float32 copy of the whole array."""
    extent = x.shape[axis]
    across = x.size // (extent or 1)
    if across > _BLOCK:
        widest = builtins.max((a for a in range(x.ndim) if a != axis), key=x.shape.__getitem__)
        middle = (slice(None),) * widest
        half = x.shape[widest] // 2
        for part in (slice(None, half), slice(half, None)):
            _accumulate_half(ufunc, x[(*middle, part)], axis, out[(*middle, part)])
        return
    before = (slice(None),) * axis
    step = builtins.max(_BLOCK // (across or 1), 1)
    last: Any = None
    for start in range(0, extent, step):
        here = (*before, slice(start, start + step))
        block = ufunc.accumulate(x[here], axis, _FLOAT32)
        if last is not None:
            ufunc(block, last, out=block)
        out[here] = block
        last = block[(*before, slice(-1, None))]


# --- extremes -----------------------------------------------------------------------------------------------------


def max(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:
        _scalar_axis(axis)
    return np.maximum.reduce(x, axis, None, None, keepdims)


comes_to(max, _reduction(np.maximum))


def min(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:
        _scalar_axis(axis)
    return np.minimum.reduce(x, axis, None, None, keepdims)


comes_to(min, _reduction(np.minimum))


# --- mean and spread ----------------------------------------------------------------------------------------------


def _count(x: Any, axis: Axes) -> int:
    """Count the elements of each mean."""
    if axis is None:
        return int(x.size)
    if not x.shape:
        _scalar_axis(axis)
    return math.prod(x.shape[a] for a in axis) if isinstance(axis, tuple) else int(x.shape[axis])


def mean(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    return np.add.reduce(x, axis, None, None, keepdims) / _count(x, axis)


def _mean_half(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    return (np.add.reduce(x, axis, _FLOAT32, None, keepdims) / _count(x, axis)).astype(x.dtype)


def _mean_complex(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Divide each component: a complex division by the count makes inf + 1j an inf + nanj."""
    total = np.asarray(np.add.reduce(x, axis, None, None, keepdims))
    total.real /= _count(x, axis)
    total.imag /= _count(x, axis)
    return total


def var(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    n = _count(x, axis)
    if n <= correction:
        return _no_spread(x, axis, keepdims)
    distance = x - np.add.reduce(x, axis, None, None, True) / n
    distance *= distance
    return np.add.reduce(distance, axis, None, None, keepdims) / (n - correction)


def std(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return np.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _no_spread(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Return nan, where NumPy would divide by zero and give an infinity."""
    return np.add.reduce(x.real, axis, None, None, keepdims) * x.real.dtype.type(np.nan)


def _numpys_own(spread: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
        if _count(x, axis) <= correction:
            return _no_spread(x, axis, keepdims)
        return spread(x, axis=axis, ddof=correction, keepdims=keepdims)

    return call


def _var_half(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return _spread_half(x, axis, correction, keepdims).astype(x.dtype)


def _std_half(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return np.sqrt(_spread_half(x, axis, correction, keepdims)).astype(x.dtype)


def _spread_half(x: Any, axis: Axes, correction: float, keepdims: bool) -> Any:
    """Compute the variance in float32. NumPy's `var` of float16 squares and sums in float16: inf for 300 and 900."""
    n = _count(x, axis)
    if n <= correction:
        return _no_spread(x, axis, keepdims)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    center = np.asarray(np.add.reduce(x, axes, _FLOAT32, None, True) / n)
    squares = _squares(x, center, tuple(a % x.ndim for a in axes))
    return (squares if keepdims else squares.squeeze(axes)) / (n - correction)


def _squares(x: Any, center: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Sum the squared distances from `center`, in blocks as above."""
    if x.size <= _BLOCK:
        distance = x.astype(_FLOAT32) - center
        return np.add.reduce(distance * distance, axes, None, None, True)
    widest = builtins.max(range(x.ndim), key=x.shape.__getitem__)
    middle, half = (slice(None),) * widest, x.shape[widest] // 2
    low, high = (*middle, slice(None, half)), (*middle, slice(half, None))
    if widest in axes:
        return _squares(x[low], center, axes) + _squares(x[high], center, axes)
    parts = [_squares(x[low], center[low], axes), _squares(x[high], center[high], axes)]
    return np.concatenate(parts, axis=widest)


# --- truth --------------------------------------------------------------------------------------------------------


def all(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:
        _scalar_axis(axis)
    return np.logical_and.reduce(x, axis, bool, None, keepdims)


def any(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:
        _scalar_axis(axis)
    return np.logical_or.reduce(x, axis, bool, None, keepdims)


def diff(x: Any, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    if not n:
        check_axis(x.ndim, axis)
    return np.diff(with_ends(x, axis, prepend, append, np.broadcast_to, np.concatenate), n, axis)


for _d in (float16, bfloat16):
    EMULATED["mean", _d], EMULATED["var", _d], EMULATED["std", _d] = _mean_half, _var_half, _std_half
for _d in (complex64, complex128):
    EMULATED["mean", _d] = _mean_complex
    EMULATED["var", _d], EMULATED["std", _d] = _numpys_own(np.var), _numpys_own(np.std)

# --- numerical ----------------------------------------------------------------------------------------------------


def interp(x: Any, xp: Any, fp: Any, *, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Interpolate in float64 or complex128, the only dtypes of NumPy's function."""
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError("xp and fp must have one axis of the same extent")
    if x.dtype.kind == "c":
        x, xp = x.real, xp.real
        left, right = (None if v is None else complex(v) for v in (left, right))
    result = np.interp(x, xp, fp, left, right, period)
    if xp.size == 1:  # for a single sample NumPy makes a number of nan
        result = np.where(np.isnan(x), np.nan, result)
    return result.astype(fp.dtype)


def convolve(x1: Any, x2: Any, *, mode: Any = "full") -> Any:
    return np.convolve(x1, x2, mode)


def _has_one_axis(x1: Any, x2: Any, *, mode: Any = "full") -> bool:
    """Tell whether both have one axis: NumPy takes a number as an array of one element."""
    return x1.ndim == x2.ndim == 1


convolve.when = _has_one_axis  # type: ignore[attr-defined]


def _convolve_half(x1: Any, x2: Any, *, mode: Any = "full") -> Any:
    """Convolve with sums in float32."""
    return np.convolve(x1.astype(np.float32), x2.astype(np.float32), mode).astype(x1.dtype)


_convolve_half.when = _has_one_axis  # type: ignore[attr-defined]
for _d in category("real floating"):
    if _d.bits == 16:
        EMULATED["convolve", _d] = _convolve_half

# --- running ------------------------------------------------------------------------------------------------------
# The ufuncs' own accumulation.

#: Composed for dtypes of 16 bits: each step would round, and the next one add little to that.
COMPOSED.update(("logcumsumexp", dtype) for dtype in (bfloat16, float16))


def cummax(x: Any, *, axis: int | None = None) -> Any:
    return _accumulated(np.maximum, x, axis)


def cummin(x: Any, *, axis: int | None = None) -> Any:
    return _accumulated(np.minimum, x, axis)


def logcumsumexp(x: Any, *, axis: int | None = None) -> Any:
    with np.errstate(invalid="ignore"):  # of nan, which NumPy warns of
        return _accumulated(np.logaddexp, x, axis)


def _accumulated(ufunc: np.ufunc, x: Any, axis: int | None) -> Any:
    axis = only_axis(len(x.shape)) if axis is None else axis
    if not x.shape:
        _scalar_axis(axis)
    return ufunc.accumulate(x, axis)


# --- nan functions ------------------------------------------------------------------------------------------------


def nanmax(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and axis != () and not x.shape:  # NumPy takes 0 and -1 for an axis of a 0-d array
        raise IndexError("a 0-d array has no axes")
    return np.fmax.reduce(x, axis, None, None, keepdims)


def nanmin(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and axis != () and not x.shape:
        raise IndexError("a 0-d array has no axes")
    return np.fmin.reduce(x, axis, None, None, keepdims)


def nanvar(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    missing = np.isnan(x)
    away = np.where(missing, x.dtype.type(0), x)
    count = np.asarray(away.size if axis is None else np.add.reduce(~missing, axis, np.int64, None, True))
    if axis is None:
        count = count - np.count_nonzero(missing)
    with np.errstate(invalid="ignore", divide="ignore"):
        np.subtract(x, np.add.reduce(away, axis, None, None, True) / count.astype(x.dtype), out=away)
        np.copyto(away, 0, where=missing)
        np.multiply(away, away, out=away)
        left = count - correction
        total = np.add.reduce(away, axis, None, None, True) / np.where(left > 0, left, np.nan).astype(x.dtype)
    return total if keepdims else total.squeeze(axis)


def nanstd(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return np.sqrt(nanvar(x, axis=axis, correction=correction, keepdims=keepdims))


def _spreads(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> bool:
    """Tell whether x has real floats of more than 16 bits and axes to go along."""
    return x.dtype.kind == "f" and x.dtype.itemsize > 2 and len(x.shape) > 0 and axis != ()


nanvar.when = nanstd.when = _spreads  # type: ignore[attr-defined]
