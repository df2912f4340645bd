"""Set functions on TensorFlow, whose own `unique` leaves the elements in the order of their first appearance and
knows no complex numbers and no nan: all are made of a stable sort."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...core.dtypes import category
from .core import EMULATED, extents, flat, joined, reshaped
from .indexing import part
from .sorting import argsort, order_keys, sort


def _taken(x: Any, places: Any) -> tf.Tensor:
    return ops.GatherV2(params=x, indices=places, axis=0)


def unique_all(x: Any) -> tuple[tf.Tensor, ...]:
    elements = flat(x)
    order = _order(elements) if x.dtype.is_complex else argsort(elements)
    values = _taken(elements, order)
    new = _new(values)
    starts = flat(ops.Where(condition=new))
    numbers = ops.Sub(x=ops.Cumsum(x=ops.Cast(x=new, DstT=tf.int64), axis=0), y=1)
    size = ops.Shape(input=order, out_type=tf.int64)
    inverse = ops.ScatterNd(indices=ops.ExpandDims(input=order, axis=1), updates=numbers, shape=size)
    ends = part(joined([starts, size], 0), 1, None)
    # Without elements there are no starts, and the end is none.
    counts = ops.Sub(x=ends, y=starts)
    return _taken(values, starts), _taken(order, starts), reshaped(inverse, extents(x)), counts


def unique_counts(x: Any) -> tuple[tf.Tensor, ...]:
    return unique_all(x)[::3]


def unique_inverse(x: Any) -> tuple[tf.Tensor, ...]:
    return unique_all(x)[::2]


def unique_values(x: Any) -> tf.Tensor:
    # By the order and not by `sort`: in a sorted tensor of integers XLA finds no differences.
    elements = flat(x)
    values = _taken(elements, _order(elements) if x.dtype.is_complex else argsort(elements))
    return _taken(values, flat(ops.Where(condition=_new(values))))


def _new(values: tf.Tensor) -> tf.Tensor:
    """Mark the elements that differ from the one before, by their keys: the kernels take subnormals for zeros."""
    keys = values if values.dtype.is_complex else order_keys(values)
    differs = ops.NotEqual(x=part(keys, 1, None), y=part(keys, None, -1))
    if values.dtype.is_floating:
        differs = ops.LogicalOr(x=differs, y=ops.IsNan(x=part(values, 1, None)))
    first = ops.OnesLike(x=part(keys, None, 1))
    return joined([ops.Cast(x=first, DstT=tf.bool), differs], 0)


def _order(x: tf.Tensor) -> tf.Tensor:
    """Return NumPy's order of complex numbers: by the real part, then by the imaginary one. Numbers with a nan are at
    the end, first those whose real part is not nan."""
    real, imag = ops.Real(input=x, Tout=x.dtype.real_dtype), ops.Imag(input=x, Tout=x.dtype.real_dtype)
    order = argsort(imag)
    one, two = (ops.Cast(x=ops.IsNan(x=part), DstT=tf.int8) for part in (imag, real))
    for key in (real, ops.AddV2(x=ops.AddV2(x=two, y=two), y=one)):
        order = _taken(order, argsort(_taken(key, order)))
    return order


def isin(x1: Any, x2: Any, *, invert: bool = False) -> tf.Tensor:
    """Search in x2, sorted. The keys of all nan are equal, but no nan is in x2."""
    keys, among = order_keys(x1), sort(flat(order_keys(x2)))
    values = reshaped(keys, (1, -1))
    place = ops.LowerBound(sorted_inputs=ops.ExpandDims(input=among, axis=0), values=values, out_type=tf.int64)
    # An element at the end, so that every place has one; its value does not matter.
    here = ops.Equal(x=_taken(joined([among, tf.zeros((1,), among.dtype)], 0), place), y=values)
    size = ops.Size(input=among, out_type=tf.int64)
    found = reshaped(ops.LogicalAnd(x=here, y=ops.Less(x=place, y=size)), extents(x1))
    if x1.dtype.is_floating:
        found = ops.LogicalAnd(x=found, y=ops.LogicalNot(x=ops.IsNan(x=x1)))
    return ops.LogicalNot(x=found) if invert else found


def _isin_complex(x1: Any, x2: Any, *, invert: bool = False) -> tf.Tensor:
    """Compare by the number of each element among the unique ones of both."""
    numbers = unique_all(joined([flat(x1), flat(x2)], 0))[2]
    size = ops.Size(input=x1, out_type=tf.int64)
    return isin(reshaped(numbers[:size], extents(x1)), numbers[size:], invert=invert)


for _d in category("complex floating"):
    EMULATED["isin", _d] = _isin_complex
