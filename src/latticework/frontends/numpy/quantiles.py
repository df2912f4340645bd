"""Medians, quantiles and percentiles, and those that leave out NaN."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from .base import NO_VALUE, as_array, cast, dialect, ops, tells
from .reductions import _axes, _given, _keep


def _of_order(name: str, a: Any, axis: Any, out: Any, keepdims: Any, *q: Any, **options: Any) -> Any:
    """Compute a median or quantile; several axes count as one."""
    a, keep = as_array(a), _keep(keepdims)
    axis = _axes(axis)
    before = [v if type(v) in (int, float) else as_array(v) for v in q]
    compute: Any = _complex_median if a._array.dtype.kind == "c" and not q else getattr(ops, name)
    if type(axis) is tuple:
        axes = normalize_axis_tuple(axis, a.ndim)
        rest = [i for i in range(a.ndim) if i not in axes]
        flat = ops.reshape(ops.permute_dims(a, (*rest, *axes)), (*[a.shape[i] for i in rest], -1))
        found = compute(flat, *before, axis=-1, **options)
        if keep:
            ends = tuple([1 if i in axes else n for i, n in enumerate(a.shape)])
            found = ops.reshape(found, (*(getattr(before[0], "shape", ()) if before else ()), *ends))
        return _given(name, out, found)
    return _given(name, out, compute(a, *before, axis=axis, keepdims=keep, **options))


def _complex_median(a: Any, axis: Any, keepdims: bool = False) -> Any:
    """Of complex numbers, in the order that they are sorted in."""
    n = a.ndim
    if axis is None:
        flat = _complex_median(ops.reshape(a, (-1,)), 0)
        return ops.reshape(flat, (1,) * n) if keepdims else flat
    a = ops.sort(a, axis=axis)
    extent = a.shape[axis]
    before = (slice(None),) * (axis % n)
    return ops.mean(a[(*before, slice((extent - 1) // 2, extent // 2 + 1))], axis=axis, keepdims=keepdims)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return _of_order("median", a, axis, out, keepdims)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=NO_VALUE):
    found = _of_order("nanmedian", a, axis, out, keepdims)
    if found._array.backend == "numpy" and found.dtype.kind in "fc":
        for _ in range(int(ops.count_nonzero(ops.isnan(found)))):  # one for each, as NumPy does
            warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
    return found


#: The methods that give one of the elements.
_OF_ELEMENTS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


def _quantile(name: str, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: Any, weights: Any) -> Any:
    most = 100 if name.endswith("percentile") else 1
    a, q = as_array(a), q if type(q) in (int, float) else as_array(q)
    if tells(~ops.all((as_array(q) >= 0) & (as_array(q) <= most))):
        raise ValueError(f"{name}: q is between 0 and {most}")
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"{name}: weights need method='inverted_cdf'; got {method!r}")
        if a._array.dtype.kind == "c":
            raise TypeError(f"{name}: takes real numbers; got {a.dtype}")
        return _given(name, out, _weighted(name, a, as_array(q) / most, axis, _keep(keepdims), as_array(weights)))
    if method in _OF_ELEMENTS:
        return _given(name, out, cast(_of_order(name, a, axis, None, keepdims, q, method=method), a.dtype, copy=False))
    to = numpy.result_type(a.dtype, q if type(q) in (int, float) else q.dtype, 0.0)
    return _given(name, out, cast(_of_order(name, cast(a, to, copy=False), axis, None, keepdims, q, method=method), to))


def _weighted(name: str, a: Any, q: Any, axis: Any, keep: bool, weights: Any) -> Any:
    """The first elements, in order, up to which the weights are a share of q of all."""
    axis = _axes(axis)
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError(f"{name}: weights of another shape than the array need an axis")
        if weights.shape != tuple([a.shape[i] for i in axes]):
            raise ValueError(f"{name}: the weights have the extents of the axes; got {weights.shape}, {a.shape}")
        weights = ops.permute_dims(weights, tuple(numpy.argsort(axes).tolist()))
        shape = tuple([n if i in axes else 1 for i, n in enumerate(a.shape)])
        weights = ops.broadcast_to(ops.reshape(weights, shape), a.shape)
    if tells(ops.any(weights < 0)):
        raise ValueError(f"{name}: the weights are at least 0")
    rest = tuple([i for i in range(a.ndim) if i not in axes])
    count = math.prod(a.shape[i] for i in axes)
    flat = [
        ops.reshape(ops.permute_dims(x, (*rest, *axes)), (*[a.shape[i] for i in rest], count)) for x in (a, weights)
    ]
    order = ops.argsort(flat[0], axis=-1)
    values, weights = [ops.take_along_axis(x, order, axis=-1) for x in flat]
    nan = ops.isnan(values) if a._array.dtype.kind == "f" else None
    if name.startswith("nan") and nan is not None:
        weights = ops.where(nan, 0, weights)
    share = ops.cumulative_sum(cast(weights, float), axis=-1)
    total = share[..., -1:]
    of_numbers = True if nan is None or not name.startswith("nan") else ~ops.all(nan, axis=-1, keepdims=True)
    if tells(ops.any(~((total > 0) & ops.isfinite(total)) & of_numbers)):
        raise ValueError(f"{name}: the weights have NaN or infinity, or are all 0")
    share = share / ops.where(total > 0, total, 1)
    share = cast(share, q.dtype) if q._array.dtype.kind == "f" else share
    share = ops.where(share == 0, -1, share)  # elements without weight come before 0 too
    wanted = ops.reshape(q, (*q.shape, *(1,) * values.ndim))
    at = ops.minimum(ops.sum(share < wanted, axis=-1, keepdims=True), count - 1)
    values = ops.broadcast_to(values, (*q.shape, *values.shape))
    found = ops.take_along_axis(values, at, axis=-1)[..., 0]
    if nan is not None:
        lost = ops.all(nan, axis=-1) if name.startswith("nan") else nan[..., -1]
        found = ops.where(lost, as_array(numpy.nan, a.dtype), found)
    if keep:
        found = ops.reshape(found, (*q.shape, *[1 if i in axes else n for i, n in enumerate(a.shape)]))
    return found


def percentile(a, q, axis = None, out = None, overwrite_input = False,
               method = "linear", keepdims = False, *, weights = None):  # fmt: skip
    return _quantile("percentile", a, q, axis, out, method, keepdims, weights)


def quantile(a, q, axis = None, out = None, overwrite_input = False,
             method = "linear", keepdims = False, *, weights = None):  # fmt: skip
    return _quantile("quantile", a, q, axis, out, method, keepdims, weights)


def nanpercentile(a, q, axis = None, out = None, overwrite_input = False,
                  method = "linear", keepdims = NO_VALUE, *, weights = None):  # fmt: skip
    return _quantile("nanpercentile", a, q, axis, out, method, keepdims, weights)


def nanquantile(a, q, axis = None, out = None, overwrite_input = False,
                method = "linear", keepdims = NO_VALUE, *, weights = None):  # fmt: skip
    return _quantile("nanquantile", a, q, axis, out, method, keepdims, weights)


dialect.finish(globals(), view="numpy")
