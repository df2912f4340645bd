"""Sums, extrema, means, quantiles and running sums."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from .data_types import float_of
from .ufuncs import not_supported


def _axes(axis: Any) -> Any:
    """An axis, or a tuple of axes, as ints."""
    if axis is None:
        return None
    return tuple(operator.index(n) for n in axis) if isinstance(axis, (tuple, list)) else operator.index(axis)


def _without_imaginary(a: Any, dtype: Any) -> Any:
    """The real parts, for a dtype that has no others: JAX drops the imaginary ones."""
    return ops.real(a) if a.dtype.kind == "c" and dtype.kind != "c" else a


def _where(a: Any, where: Any, value: Any) -> Any:
    """The array with a value where a condition does not hold."""
    return a if where is None else ops.where(as_array(where, "where"), a, value)


# --- sums and extrema -----------------------------------------------------------------------------------------------


def _sums(
    name: str, a: Any, axis: Any, dtype: Any, out: Any, keepdims: bool, initial: Any, where: Any, promote: bool
) -> Any:
    not_supported(name, out=out)
    a = as_array(a, name)
    neutral, join = (0, ops.add) if name in ("sum", "nansum") else (1, ops.multiply)
    a = _where(a, where, neutral if a.dtype.kind != "b" else bool(neutral))
    more: dict[str, Any] = {"keepdims": True} if keepdims else {}
    if dtype is not None:
        more["dtype"] = our_dtype(dtype, warn=name)
        a = _without_imaginary(a, more["dtype"])
    elif not promote and a.dtype.kind in "iu":
        more["dtype"] = a._array.dtype
    found = getattr(ops, name)(a, axis=_axes(axis), **more)
    if initial is not None:
        found = join(found, ops.astype(as_array(initial, name), found._array.dtype))
    return found


def sum(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None, promote_integers: bool = True,
) -> Any:  # fmt: skip
    if dtype is None and out is None and initial is None and where is None and promote_integers and not keepdims:
        return ops.sum(a) if axis is None else ops.sum(a, axis=_axes(axis))
    return _sums("sum", a, axis, dtype, out, keepdims, initial, where, promote_integers)


def prod(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None, promote_integers: bool = True,
) -> Any:  # fmt: skip
    return _sums("prod", a, axis, dtype, out, keepdims, initial, where, promote_integers)


def nansum(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    return _sums("sum", _without_nan(a, 0), axis, dtype, out, keepdims, initial, where, True)


def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    return _sums("prod", _without_nan(a, 1), axis, dtype, out, keepdims, initial, where, True)


def _without_nan(a: Any, value: Any) -> Any:
    a = as_array(a, "nansum")
    return ops.where(ops.isnan(a), value, a) if a.dtype.kind in "fcV" else a


def _extremum(name: str, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    not_supported(name, out=out)
    a = as_array(a, name)
    if where is not None:
        if initial is None:
            raise ValueError(f"{name} over a selection needs initial: of nothing there is no {name}")
        a = ops.where(as_array(where, name), a, ops.astype(as_array(initial, name), a._array.dtype))
    join = ops.maximum if name == "max" else ops.minimum
    axes = _axes(axis)
    if initial is None:
        return getattr(ops, name)(a, axis=axes, keepdims=keepdims)
    start = ops.astype(as_array(initial, name), a._array.dtype)
    reduced = range(a.ndim) if axes is None else [n % a.ndim for n in (axes if isinstance(axes, tuple) else (axes,))]
    if any_(a.shape[n] == 0 for n in reduced):
        shape = [1 if i in reduced else n for i, n in enumerate(a.shape) if keepdims or i not in reduced]
        return ops.broadcast_to(start, tuple(shape))
    return join(getattr(ops, name)(a, axis=axes, keepdims=keepdims), start)


any_ = any


def max(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    if out is None and initial is None and where is None and not keepdims:
        return ops.max(a) if axis is None else ops.max(a, axis=_axes(axis))
    return _extremum("max", a, axis, out, keepdims, initial, where)


def min(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    if out is None and initial is None and where is None and not keepdims:
        return ops.min(a) if axis is None else ops.min(a, axis=_axes(axis))
    return _extremum("min", a, axis, out, keepdims, initial, where)


def amax(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    if out is None and initial is None and where is None and not keepdims:
        return ops.max(a) if axis is None else ops.max(a, axis=_axes(axis))
    return _extremum("max", a, axis, out, keepdims, initial, where)


def amin(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    if out is None and initial is None and where is None and not keepdims:
        return ops.min(a) if axis is None else ops.min(a, axis=_axes(axis))
    return _extremum("min", a, axis, out, keepdims, initial, where)


def _nan_extremum(name: str, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    a = as_array(a, f"nan{name}")
    if a.dtype.kind not in "fcV":
        return _extremum(name, a, axis, out, keepdims, initial, where)
    missing = ops.isnan(a)
    far = float("-inf") if name == "max" else float("inf")
    found = _extremum(name, ops.where(missing, far, a), axis, out, keepdims, initial, where)
    kept = missing if where is None else ops.logical_or(missing, ops.logical_not(as_array(where)))
    if initial is not None:
        return found
    return ops.where(ops.all(kept, axis=_axes(axis), keepdims=keepdims), float("nan"), found)


def nanmax(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    return _nan_extremum("max", a, axis, out, keepdims, initial, where)


def nanmin(
    a: Any, axis: Any = None, out: None = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    return _nan_extremum("min", a, axis, out, keepdims, initial, where)


def ptp(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Any:
    not_supported("ptp", out=out)
    return ops.ptp(as_array(a, "ptp"), axis=_axes(axis), keepdims=keepdims)


def all(a: Any, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = None) -> Any:
    not_supported("all", out=out)
    a = _without_imaginary(as_array(a, "all"), lw.bool)
    if where is not None:
        axis = tuple(range(a.ndim)) if axis is None else axis
        a = ops.where(as_array(where), ops.astype(as_array(a), our_dtype(bool)), True)
    return ops.all(a, axis=_axes(axis), keepdims=keepdims)


def any(a: Any, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = None) -> Any:
    not_supported("any", out=out)
    a = _without_imaginary(as_array(a, "any"), lw.bool)
    if where is not None:
        axis = tuple(range(a.ndim)) if axis is None else axis
        a = ops.where(as_array(where), ops.astype(as_array(a), our_dtype(bool)), False)
    return ops.any(a, axis=_axes(axis), keepdims=keepdims)


def count_nonzero(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return ops.count_nonzero(as_array(a, "count_nonzero"), axis=_axes(axis), keepdims=keepdims)


# --- positions ------------------------------------------------------------------------------------------------------


def _position(name: str, a: Any, axis: Any, out: Any, keepdims: bool | None) -> Any:
    not_supported(name, out=out)
    a = as_array(a, name)
    if a.dtype.kind == "c" and a.ndim == 0:
        raise TypeError(f"{name} does not accept dtype {a.dtype}")
    if not a.ndim and axis is None:
        return ops.argmax(ops.reshape(a, (1,)), axis=0)
    return getattr(ops, name)(a, axis=None if axis is None else operator.index(axis), keepdims=bool(keepdims))


# fmt: off
def argmax(a: Any, axis: Any = None, out: None = None, keepdims: bool | None = None) -> Any:
    return _position("argmax", a, axis, out, keepdims)
def argmin(a: Any, axis: Any = None, out: None = None, keepdims: bool | None = None) -> Any:
    return _position("argmin", a, axis, out, keepdims)
def nanargmax(a: Any, axis: Any = None, out: None = None, keepdims: bool | None = None) -> Any:
    return _nan_position("argmax", a, axis, out, keepdims)
def nanargmin(a: Any, axis: Any = None, out: None = None, keepdims: bool | None = None) -> Any:
    return _nan_position("argmin", a, axis, out, keepdims)
# fmt: on


def _nan_position(name: str, a: Any, axis: Any, out: Any, keepdims: bool | None) -> Any:
    """Like `_position`, with nan as -inf for argmax and as inf for argmin; -1 where all are nan."""
    a = as_array(a, f"nan{name}")
    if a.dtype.kind not in "fcV":
        return _position(name, a, axis, out, keepdims)
    missing = ops.isnan(a)
    found = _position(name, ops.where(missing, float("-inf" if name == "argmax" else "inf"), a), axis, out, keepdims)
    return ops.where(ops.all(missing, axis=axis, keepdims=bool(keepdims)), -1, found)


# --- means ----------------------------------------------------------------------------------------------------------


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, *, where: Any = None
) -> Any:
    if where is None and dtype is None and out is None and not keepdims:
        return ops.mean(a) if axis is None else ops.mean(a, axis=_axes(axis))
    not_supported("mean", out=out)
    if where is None and dtype is None:
        return ops.mean(a, axis=_axes(axis), keepdims=keepdims)
    a = as_array(a, "mean")
    wanted = our_dtype(dtype, warn="mean")
    a = a if wanted is None else _without_imaginary(a, wanted)
    if where is None:
        return ops.astype(ops.mean(ops.astype(a, wanted), axis=_axes(axis), keepdims=keepdims), wanted)
    wanted = wanted or our_dtype(float_of(a))
    where = ops.broadcast_to(as_array(where), a.shape)
    total = sum(ops.astype(a, wanted), axis, keepdims=keepdims, where=where)
    return ops.astype(total / ops.astype(sum(where, axis, keepdims=keepdims), wanted), wanted)


def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, where: Any = None
) -> Any:
    not_supported("nanmean", out=out)
    a = as_array(a, "nanmean")
    if a.dtype.kind not in "fcV":
        return mean(a, axis, dtype, keepdims=keepdims, where=where)
    kept = ops.logical_not(ops.isnan(a))
    kept = kept if where is None else ops.logical_and(kept, as_array(where))
    return mean(ops.where(kept, a, 0), axis, dtype, keepdims=keepdims, where=kept)


def _spread(
    name: str, a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: bool, where: Any, of: Any, correction: Any
) -> Any:
    """The variance, or its root."""
    not_supported(name, out=out)
    a = as_array(a, name)
    if correction is None:
        correction = ddof
    elif ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    if where is None and of is None:
        if dtype is None:
            return getattr(ops, name)(a, axis=_axes(axis), correction=correction, keepdims=keepdims)
        wanted = our_dtype(dtype, warn=name)
        wide = wanted if wanted.kind in "fc" else our_dtype(float)
        if a.dtype.kind == "c" and wide.kind != "c":
            wide = a._array.dtype
        found = getattr(ops, name)(ops.astype(a, wide), axis=_axes(axis), correction=correction, keepdims=keepdims)
        return ops.astype(found, wanted)
    wanted = our_dtype(dtype, warn=name)
    wide = our_dtype(float_of(a)) if wanted is None or wanted.kind not in "fc" else wanted
    a = ops.astype(a, wide)
    where = ops.broadcast_to(as_array(True if where is None else where), a.shape)
    centre = mean(a, axis, keepdims=True, where=where) if of is None else as_array(of)
    squares = ops.square(ops.abs(a - centre))
    count = ops.astype(sum(where, axis, keepdims=keepdims), squares._array.dtype) - correction
    found = sum(squares, axis, keepdims=keepdims, where=where) / count
    found = ops.where(count > 0, found, float("nan"))
    found = ops.sqrt(found) if name == "std" else found
    return found if wanted is None else ops.astype(found, wanted)


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: int = 0, keepdims: bool = False, *,
    where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    return _spread("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def std(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: int = 0, keepdims: bool = False, *,
    where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    if dtype is not None and our_dtype(dtype).kind not in "fc":
        raise ValueError(f"std: dtype must be one of floats or complex numbers; got {dtype}")
    return _spread("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: int = 0, keepdims: bool = False,
    where: Any = None, mean: Any = None,
) -> Any:  # fmt: skip
    return _nan_spread("var", a, axis, dtype, out, ddof, keepdims, where, mean)


def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: int = 0, keepdims: bool = False,
    where: Any = None, mean: Any = None,
) -> Any:  # fmt: skip
    return _nan_spread("std", a, axis, dtype, out, ddof, keepdims, where, mean)


def _nan_spread(
    name: str, a: Any, axis: Any, dtype: Any, out: Any, ddof: int, keepdims: bool, where: Any, of: Any
) -> Any:
    a = as_array(a, f"nan{name}")
    if name == "std" and dtype is not None and our_dtype(dtype).kind not in "fc":
        raise TypeError(f"nanstd: there is no root of a variance in {dtype}")
    if a.dtype.kind not in "fcV":
        return _spread(name, a, axis, dtype, out, ddof, keepdims, where, of, None)
    kept = ops.logical_not(ops.isnan(a))
    kept = kept if where is None else ops.logical_and(kept, as_array(where))
    return _spread(name, ops.where(kept, a, 0), axis, dtype, out, ddof, keepdims, kept, of, None)


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    a = as_array(a, "average")
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        count = np.prod([a.shape[n] for n in (range(a.ndim) if axis is None else np.atleast_1d(_axes(axis)))])
        weight = ops.broadcast_to(ops.astype(as_array(int(count)), found._array.dtype), found.shape)
        return (found, weight) if returned else found
    weights = as_array(weights, "average")
    wide = our_dtype(float_of(a, weights))
    a, weights = ops.astype(a, wide), ops.astype(weights, wide)
    if weights.shape != a.shape:
        if axis is None:
            raise ValueError("Axis must be specified when shapes of a and weights differ.")
        if weights.ndim != 1:
            raise ValueError("1D weights expected when shapes of a and weights differ.")
        if weights.shape[0] != a.shape[axis]:
            raise ValueError("Length of weights not compatible with specified axis.")
        weights = ops.broadcast_to(
            ops.moveaxis(ops.broadcast_to(weights, (1,) * (a.ndim - 1) + weights.shape), -1, axis), a.shape
        )
    total = ops.sum(weights, axis=_axes(axis), keepdims=keepdims)
    found = ops.sum(ops.multiply(a, weights), axis=_axes(axis), keepdims=keepdims) / total
    return (found, total) if returned else found


# --- quantiles ------------------------------------------------------------------------------------------------------


def _quantile(
    name: str, a: Any, q: Any, axis: Any, out: Any, overwrite: bool, method: str, keepdims: bool, weights: Any
) -> Any:
    if overwrite or out is not None:
        raise ValueError(f"jax.numpy.{name} does not support overwrite_input=True or out != None")
    if weights is not None:
        raise NotImplementedError(f"jax.numpy.{name}: weights are not there in this dialect")
    if method not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise ValueError("interpolation can only be 'linear', 'lower', 'higher', 'midpoint', or 'nearest'")
    a, q = as_array(a, name), as_array(q, name)
    if q.ndim > 1:
        raise ValueError(f"{name}: q must be a number or one axis of numbers; got shape {q.shape}")
    if a.dtype.kind in "iu" and q.dtype.kind in "iu":
        raise TypeError(f"{name}: q must be of a floating dtype; got {q.dtype}")
    if a.dtype.kind == "c" or q.dtype.kind == "c":
        raise ValueError("quantile does not support complex input, as the operation is poorly defined.")
    wide = our_dtype(float_of(a))
    a, q = ops.astype(a, wide), ops.astype(q, wide)
    if keepdims and axis is None and not a.ndim:
        a = ops.reshape(a, (1,))
    return getattr(ops, name)(a, q, axis=_axes(axis), method=method, keepdims=keepdims)


def quantile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    return _quantile("quantile", a, q, axis, out, overwrite_input, method, keepdims, weights)


def nanquantile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    return _quantile("nanquantile", a, q, axis, out, overwrite_input, method, keepdims, weights)


def percentile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    return quantile(a, ops.divide(as_array(q), 100), axis, out, overwrite_input, method, keepdims, weights=weights)


def nanpercentile(
    a: Any, q: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    return nanquantile(a, ops.divide(as_array(q), 100), axis, out, overwrite_input, method, keepdims, weights=weights)


def median(a: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    return quantile(a, 0.5, axis, out, overwrite_input, "midpoint", keepdims)


def nanmedian(a: Any, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    return nanquantile(a, 0.5, axis, out, overwrite_input, "midpoint", keepdims)


# --- running sums ---------------------------------------------------------------------------------------------------


def _running(name: str, a: Any, axis: Any, dtype: Any, out: Any) -> Any:
    not_supported(name, out=out)
    a = as_array(a, name)
    if isinstance(axis, (tuple, list)):
        raise TypeError(f"{name}: axis must be an int or None; got {axis}")
    more = {} if dtype is None else {"dtype": our_dtype(dtype, warn=name)}
    a = a if dtype is None else _without_imaginary(a, more["dtype"])
    if axis is not None and not -a.ndim <= operator.index(axis) < a.ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {a.ndim}")
    if axis is None:
        a, axis = a if a.ndim == 1 else ops.reshape(a, (a.size,)), 0
    if a._array.dtype.kind == "f":  # whose dtype the sum has too: this one has kernels
        name = {"cumsum": "cumulative_sum", "cumprod": "cumulative_prod"}.get(name, name)
    return getattr(ops, name)(a, axis=operator.index(axis), **more)


# fmt: off
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    return _running("cumsum", a, axis, dtype, out)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    return _running("cumprod", a, axis, dtype, out)
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    return _running("cumsum", _without_nan(a, 0), axis, dtype, out)
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Any:
    return _running("cumprod", _without_nan(a, 1), axis, dtype, out)
def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False) -> Any:
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial)
def cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False) -> Any:
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial)
# fmt: on


def _cumulative(name: str, x: Any, axis: Any, dtype: Any, include_initial: bool) -> Any:
    x = as_array(x, name)
    if not x.ndim:
        raise ValueError(f"The input must be non-scalar to take {name}, however a scalar value was given.")
    if axis is None and x.ndim > 1:
        raise ValueError(f"The input array has rank {x.ndim}, however axis was not set to an explicit value.")
    axis = 0 if axis is None else operator.index(axis)
    found = _running("cumulative_sum" if name == "cumulative_sum" else "cumprod", x, axis, dtype, None)
    if not include_initial:
        return found
    start = ops.full((*x.shape[: axis % x.ndim], 1, *x.shape[axis % x.ndim + 1 :]), int(name == "cumulative_prod"),
                     dtype=found._array.dtype)  # fmt: skip
    return ops.concat([start, found], axis)


_ALONG = "sum prod mean max min amax=max amin=min argmax argmin"
dialect.finish(globals(), view="jax.numpy")
