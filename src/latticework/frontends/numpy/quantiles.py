"""Medians, quantiles and percentiles, and those that leave out NaN."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from .base import NO_VALUE, as_array, cast, dialect, ops, tells
from .reductions import _axes, _given, _keep

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]


def _of_order(name: str, a: Any, axis: Any, out: Any, keepdims: Any, *q: Any, **options: Any) -> Any:
    """A median or quantile; of several axes, of these as one."""
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
    return _of_order("nanmedian", a, axis, out, keepdims)


#: The methods that give one of the elements.
_OF_ELEMENTS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


def _quantile(name: str, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: Any, weights: Any) -> Any:
    if weights is not None:
        raise NotImplementedError(f"{name}: weights are not there. Repeat the elements: np.repeat(a, counts)")
    most = 100 if name.endswith("percentile") else 1
    a, q = as_array(a), q if type(q) in (int, float) else as_array(q)
    if tells(ops.any((as_array(q) < 0) | (as_array(q) > most))):
        raise ValueError(f"{name}: q is between 0 and {most}")
    if method in _OF_ELEMENTS:
        return _given(name, out, cast(_of_order(name, a, axis, None, keepdims, q, method=method), a.dtype, copy=False))
    to = numpy.result_type(a.dtype, q if type(q) in (int, float) else q.dtype, 0.0)
    return _given(name, out, cast(_of_order(name, cast(a, to, copy=False), axis, None, keepdims, q, method=method), to))


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


dialect.finish(globals(), view="numpy", quick="median")
