"""Sums, products, extremes, means and their running kin, with `where` and `initial`, and without NaN."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from . import ufunc_methods
from .base import NO_VALUE, as_array, cast, dialect, dtype_or_none, ops, tells, write


def _given(name: str, out: Any, result: Any) -> Any:
    if out is None:
        return result
    out = out[0] if type(out) is tuple else out
    if getattr(out, "shape", result.shape) != result.shape:
        raise ValueError(f"{name}: a result of shape {result.shape} goes into an array of it; got {out.shape}")
    return write(name, out, result)


def _of_scalar(a: Any, axis: Any) -> tuple[Any, Any]:
    """Return an array and an axis. For a 0-d array NumPy takes the axes 0 and -1."""
    a, axis = as_array(a), _axes(axis)
    return a, None if axis in (0, -1) and not a.ndim else axis


def _keep(keepdims: Any) -> bool:
    return keepdims is not NO_VALUE and builtins.bool(keepdims)


def _axes(axis: Any) -> Any:
    """An axis, or axes, as ints: NumPy takes its own integers too. It refuses lists."""
    if axis is None or type(axis) is int:
        return axis
    if type(axis) is tuple:
        return tuple([operator.index(i) for i in axis])
    try:
        return operator.index(axis)
    except TypeError:
        raise TypeError(f"axis: takes an int or a tuple of ints; got {type(axis).__name__}") from None


def _masked(name: str, a: Any, where: Any, neutral: Any) -> Any:
    if neutral is None:
        raise ValueError(
            f"{name}: has no identity, so a mask needs initial. Give it: {name}(x, initial=..., where=...)"
        )
    a = as_array(a)
    return ops.where(as_array(where, bool), a, as_array(neutral, a.dtype))


def _reduced(
    name: str,
    a: Any,
    axis: Any,
    out: Any,
    keepdims: Any,
    initial: Any,
    where: Any,
    join: str,
    neutral: Any,
    **dtype: Any,
) -> Any:
    """Call a latticework reduction with NumPy's options."""
    if axis is not None:
        a, axis = _of_scalar(a, axis)
    starts = initial is not NO_VALUE and initial is not None
    if where is not NO_VALUE and where is not True:
        a = _masked(name, a, where, initial if neutral is None and starts else neutral)
    elif neutral is None and starts:
        a = as_array(a)
        if a.size == 0:  # of no elements there is an extreme if there is a first one
            a = _with_initial(a, axis, initial)
    result = getattr(ops, name)(a, axis=_axes(axis), keepdims=_keep(keepdims), **dtype)
    if starts:
        result = cast(getattr(ops, join)(result, initial), result.dtype, copy=False)
    return _given(name, out, result)


def _with_initial(a: Any, axis: Any, initial: Any) -> Any:
    """An array of no elements, with one along the axes that are reduced."""
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    shape = tuple([1 if i in axes else n for i, n in enumerate(a.shape)])
    return ops.full(shape, initial, dtype=a._array.dtype)


def _dtype(dtype: Any) -> dict[str, Any]:
    return {} if dtype is None else {"dtype": dtype_or_none(dtype)}


def sum(a, axis = None, dtype = None, out = None, keepdims = NO_VALUE,
        initial = NO_VALUE, where = NO_VALUE):  # fmt: skip
    if dtype is None and out is None and keepdims is NO_VALUE and initial is NO_VALUE and where is NO_VALUE:
        if axis is None:
            return ops.sum(a)
        if type(axis) is int:
            try:
                return ops.sum(a, axis=axis)
            except numpy.exceptions.AxisError:
                pass  # an axis of a scalar, or none at all
    return _reduced("sum", a, axis, out, keepdims, initial, where, "add", 0, **_dtype(dtype))


def prod(a, axis = None, dtype = None, out = None, keepdims = NO_VALUE,
         initial = NO_VALUE, where = NO_VALUE):  # fmt: skip
    return _reduced("prod", a, axis, out, keepdims, initial, where, "multiply", 1, **_dtype(dtype))


def max(a, axis = None, out = None, keepdims = NO_VALUE, initial = NO_VALUE,
        where = NO_VALUE):  # fmt: skip
    if out is None and keepdims is NO_VALUE and initial is NO_VALUE and where is NO_VALUE and type(axis) is int:
        try:
            return ops.max(a, axis=axis)
        except numpy.exceptions.AxisError:
            pass  # an axis of a scalar, or none at all
    return _reduced("max", a, axis, out, keepdims, initial, where, "maximum", None)


def min(a, axis = None, out = None, keepdims = NO_VALUE, initial = NO_VALUE,
        where = NO_VALUE):  # fmt: skip
    if out is None and keepdims is NO_VALUE and initial is NO_VALUE and where is NO_VALUE and type(axis) is int:
        try:
            return ops.min(a, axis=axis)
        except numpy.exceptions.AxisError:
            pass  # an axis of a scalar, or none at all
    return _reduced("min", a, axis, out, keepdims, initial, where, "minimum", None)


def amax(a, axis = None, out = None, keepdims = NO_VALUE, initial = NO_VALUE,
         where = NO_VALUE):  # fmt: skip
    return max(a, axis, out, keepdims, initial, where)


def amin(a, axis = None, out = None, keepdims = NO_VALUE, initial = NO_VALUE,
         where = NO_VALUE):  # fmt: skip
    return min(a, axis, out, keepdims, initial, where)


def all(a, axis=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    return _reduced("all", a, axis, out, keepdims, NO_VALUE, where, "logical_and", True)


def any(a, axis=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    return _reduced("any", a, axis, out, keepdims, NO_VALUE, where, "logical_or", False)


def mean(a, axis = None, dtype = None, out = None, keepdims = NO_VALUE, *,
         where = NO_VALUE):  # fmt: skip
    if where is NO_VALUE or where is True:
        if dtype is None and out is None and keepdims is NO_VALUE:
            return ops.mean(a) if axis is None else ops.mean(a, axis=_axes(axis))
        return _given("mean", out, ops.mean(a, axis=_axes(axis), keepdims=_keep(keepdims), **_dtype(dtype)))
    a = as_array(a)
    return _given("mean", out, _mean_where(a, axis, dtype, keepdims, as_array(where, bool)))


def _mean_where(a: Any, axis: Any, dtype: Any, keepdims: Any, where: Any) -> Any:
    plain = ops.mean(a[:0] if a.ndim else a, **_dtype(dtype)).dtype if dtype is None else numpy.dtype(dtype)
    counted = ops.sum(ops.broadcast_to(where, a.shape), axis=_axes(axis), keepdims=_keep(keepdims))
    total = sum(a, axis, plain if dtype is None else dtype, None, keepdims, NO_VALUE, where)
    return cast(total / counted, plain, copy=False)


def _spread(name: str, a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any, where: Any, mean_: Any,
            correction: Any) -> Any:  # fmt: skip
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError(f"{name}: ddof and correction are the same; give one of them")
        ddof = correction
    if where is not NO_VALUE or mean_ is not NO_VALUE:
        a = as_array(a)
        found = _variance_where(a, axis, dtype, ddof, keepdims, True if where is NO_VALUE else where, mean_)
        return _given(name, out, ops.sqrt(found) if name.endswith("std") else found)
    found = getattr(ops, name)(a, axis=_axes(axis), correction=ddof, keepdims=_keep(keepdims), **_dtype(dtype))
    return _given(name, out, found)


def _variance_where(a: Any, axis: Any, dtype: Any, ddof: Any, keepdims: Any, where: Any, mean_: Any) -> Any:
    where = ops.broadcast_to(as_array(where, bool), a.shape)
    centre = _mean_where(a, axis, dtype, True, where) if mean_ is NO_VALUE else as_array(mean_)
    apart = a - centre
    squares = ops.square(ops.abs(apart))
    if a._array.dtype.kind in "biu" and dtype is None:
        squares = cast(squares, float, copy=False)
    total = sum(squares, axis, None, None, keepdims, NO_VALUE, where)
    counted = ops.sum(where, axis=_axes(axis), keepdims=_keep(keepdims)) - ddof
    return cast(total / ops.maximum(counted, 0), total.dtype if dtype is None else dtype, copy=False)


def std(a, axis = None, dtype = None, out = None, ddof = 0, keepdims = NO_VALUE, *,
        where = NO_VALUE, mean = NO_VALUE, correction = NO_VALUE):  # fmt: skip
    return _spread("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def var(a, axis = None, dtype = None, out = None, ddof = 0, keepdims = NO_VALUE, *,
        where = NO_VALUE, mean = NO_VALUE, correction = NO_VALUE):  # fmt: skip
    return _spread("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def ptp(a, axis=None, out=None, keepdims=NO_VALUE):
    a, axis = _of_scalar(a, axis)
    if a._array.dtype.kind == "c":
        return _given("ptp", out, max(a, axis, None, keepdims) - min(a, axis, None, keepdims))
    return _given("ptp", out, ops.ptp(a, axis=_axes(axis), keepdims=_keep(keepdims)))


def count_nonzero(a, axis=None, *, keepdims=False):
    a, axis = _of_scalar(a, axis)
    return ops.count_nonzero(a, axis=axis, keepdims=_keep(keepdims))


def argmax(a, axis=None, out=None, *, keepdims=NO_VALUE):
    a, axis = _of_scalar(a, axis)
    return _given("argmax", out, ops.argmax(a, axis=axis, keepdims=_keep(keepdims)))


def argmin(a, axis=None, out=None, *, keepdims=NO_VALUE):
    a, axis = _of_scalar(a, axis)
    return _given("argmin", out, ops.argmin(a, axis=axis, keepdims=_keep(keepdims)))


# --- running --------------------------------------------------------------------------------------------------------


def _running(name: str, a: Any, axis: Any, dtype: Any, out: Any, **options: Any) -> Any:
    a, axis = _of_scalar(a, axis)
    if axis is None and a.ndim != 1:
        a, axis = ops.reshape(a, (-1,)), 0
    return _given(name, out, getattr(ops, name)(a, axis=_axes(0 if axis is None else axis), **_dtype(dtype), **options))


def cumsum(a, axis=None, dtype=None, out=None):
    return _running("cumulative_sum", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    return _running("cumulative_prod", a, axis, dtype, out)


def _of_one_axis(name: str, x: Any, axis: Any, dtype: Any, out: Any, include_initial: bool) -> Any:
    x = as_array(x)
    if axis is None and x.ndim > 1:
        raise ValueError(f"{name}: needs an axis for an array of {x.ndim} axes")
    return _running(name, x, axis, dtype, out, include_initial=include_initial)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _of_one_axis("cumulative_sum", x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _of_one_axis("cumulative_prod", x, axis, dtype, out, include_initial)


# --- without NaN ----------------------------------------------------------------------------------------------------


def _filled(a: Any, value: Any) -> Any:
    """Without NaN: a value in their places."""
    a = as_array(a)
    return ops.where(ops.isnan(a), as_array(value, a.dtype), a) if a._array.dtype.kind in "fc" else a


def nansum(a, axis = None, dtype = None, out = None, keepdims = NO_VALUE,
           initial = NO_VALUE, where = NO_VALUE):  # fmt: skip
    return sum(_filled(a, 0), axis, dtype, out, keepdims, initial, where)


def nanprod(a, axis = None, dtype = None, out = None, keepdims = NO_VALUE,
            initial = NO_VALUE, where = NO_VALUE):  # fmt: skip
    return prod(_filled(a, 1), axis, dtype, out, keepdims, initial, where)


def nancumsum(a, axis=None, dtype=None, out=None):
    return cumsum(_filled(a, 0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    return cumprod(_filled(a, 1), axis, dtype, out)


def _extreme_without_nan(name: str, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    if initial is NO_VALUE and where is NO_VALUE:
        a, axis = _of_scalar(a, axis)
        found = getattr(ops, f"nan{name}")(a, axis=axis, keepdims=_keep(keepdims))
        return _given(name, out, found)
    worst = -numpy.inf if name == "max" else numpy.inf
    return (max if name == "max" else min)(_filled(a, worst), axis, out, keepdims, initial, where)


def nanmax(a, axis = None, out = None, keepdims = NO_VALUE, initial = NO_VALUE,
           where = NO_VALUE):  # fmt: skip
    return _extreme_without_nan("max", a, axis, out, keepdims, initial, where)


def nanmin(a, axis = None, out = None, keepdims = NO_VALUE, initial = NO_VALUE,
           where = NO_VALUE):  # fmt: skip
    return _extreme_without_nan("min", a, axis, out, keepdims, initial, where)


def _mask(a: Any, where: Any) -> Any:
    """Return the mask of the elements that count: not nan, and true in `where`."""
    there = ~ops.isnan(a) if a._array.dtype.kind in "fc" else ops.astype(ops.ones_like(a), bool)
    return there if where is NO_VALUE else there & as_array(where, bool)


def nanmean(a, axis = None, dtype = None, out = None, keepdims = NO_VALUE, *,
            where = NO_VALUE):  # fmt: skip
    a = as_array(a)
    if where is NO_VALUE:
        return _given("mean", out, ops.nanmean(a, axis=_axes(axis), keepdims=_keep(keepdims), **_dtype(dtype)))
    return mean(_filled(a, 0), axis, dtype, out, keepdims, where=_mask(a, where))


def _spread_without_nan(name: str, a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any, where: Any,
                        mean_: Any, correction: Any) -> Any:  # fmt: skip
    a = as_array(a)
    if where is NO_VALUE and mean_ is NO_VALUE:
        return _spread(f"nan{name}", a, axis, dtype, out, ddof, keepdims, where, mean_, correction)
    return _spread(name, _filled(a, 0), axis, dtype, out, ddof, keepdims, _mask(a, where), mean_, correction)


def nanstd(a, axis = None, dtype = None, out = None, ddof = 0, keepdims = NO_VALUE, *,
           where = NO_VALUE, mean = NO_VALUE, correction = NO_VALUE):  # fmt: skip
    return _spread_without_nan("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanvar(a, axis = None, dtype = None, out = None, ddof = 0, keepdims = NO_VALUE, *,
           where = NO_VALUE, mean = NO_VALUE, correction = NO_VALUE):  # fmt: skip
    return _spread_without_nan("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def _place_without_nan(name: str, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    a, axis = _of_scalar(a, axis)
    if a._array.dtype.kind in "fc":
        if tells(ops.any(ops.all(ops.isnan(a), axis=axis))):
            raise ValueError(f"nanarg{name}: a slice has NaN alone")
        a = _filled(a, -numpy.inf if name == "max" else numpy.inf)
    return _given(name, out, getattr(ops, f"arg{name}")(a, axis=axis, keepdims=_keep(keepdims)))


def nanargmax(a, axis=None, out=None, *, keepdims=NO_VALUE):
    return _place_without_nan("max", a, axis, out, keepdims)


def nanargmin(a, axis=None, out=None, *, keepdims=NO_VALUE):
    return _place_without_nan("min", a, axis, out, keepdims)


def average(a, axis=None, weights=None, returned=False, *, keepdims=NO_VALUE):
    a = as_array(a)
    options = {} if weights is None else {"weights": as_array(weights)}
    if weights is not None and axis is None and options["weights"].shape != a.shape:
        raise TypeError("average: weights of another shape than the array need an axis")
    found = ops.average(a, axis=_axes(axis), keepdims=_keep(keepdims), **options)
    if not returned:
        return found
    if weights is None:
        scale = ops.full(found.shape, a.size / builtins.max(found.size, 1), dtype=found._array.dtype)
        return found, scale
    w = as_array(weights)
    if axis is not None and w.shape != a.shape:
        w = ops.broadcast_to(w.reshape([n if i == axis % a.ndim else 1 for i, n in enumerate(a.shape)]), a.shape)
    scale = sum(ops.broadcast_to(w, a.shape), axis, found.dtype, None, keepdims)
    return found, ops.broadcast_to(scale, found.shape)


_ALONG = "sum prod mean max min amax=max amin=min any all argmax argmin"
dialect.finish(globals(), view="numpy")
ufunc_methods.reductions.update({name: globals()[name] for name in globals()["__all__"]})
