"""Sorting functions on TensorFlow, by its `top_k` of all elements, which is stable.

It knows no bools, and nothing of nan, which leaves the array in no order at all: both are sorted by integers.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from .core import BITS, order_to_end, permuted


def order_keys(x: Any) -> tf.Tensor:
    """Integers in the order of the elements: -0.0 and 0.0 equal, nan after everything else."""
    if x.dtype == tf.bool:
        return ops.Cast(x=x, DstT=tf.uint8)
    if x.dtype.is_integer:
        return x
    signed = BITS[x.dtype]
    bits = ops.Bitcast(input=x, type=signed)
    # The bits of a negative number count backwards, those of -0.0 from -1.
    greatest = 2 ** (signed.size * 8 - 1) - 1
    backwards = ops.BitwiseAnd(x=ops.RightShift(x=bits, y=signed.size * 8 - 1), y=greatest)
    keys = ops.BitwiseXor(x=bits, y=backwards)
    keys = ops.SelectV2(condition=ops.Equal(x=keys, y=-1), t=tf.constant(0, signed), e=keys)
    return ops.SelectV2(condition=ops.IsNan(x=x), t=tf.constant(greatest, signed), e=keys)


def argsort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> tf.Tensor:
    order, back = order_to_end(axis, x.shape.rank)
    return permuted(_sorted(permuted(x, order), descending)[1], back)


def sort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> tf.Tensor:
    order, back = order_to_end(axis, x.shape.rank)
    return permuted(_sorted(permuted(x, order), descending)[0], back)


def top_k(x: Any, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[tf.Tensor, tf.Tensor]:
    order, back = order_to_end(axis, x.shape.rank)
    values, places = _sorted(permuted(x, order), largest, k)
    return permuted(values, back), permuted(places, back)


def _sorted(x: Any, descending: bool, k: int | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """The elements in order, or the first k in it, and where they were, along the last axis."""
    extent = k
    if extent is None:
        extent = x.shape[-1] if x.shape[-1] is not None else tf.shape(x)[-1]
    keys = order_keys(x)
    values, places = ops.TopKV2(input=keys if descending else ops.Invert(x=keys), k=extent, index_type=tf.int64)
    if x.dtype == tf.bool:
        values = ops.NotEqual(x=values if descending else ops.Invert(x=values), y=0)
    elif x.dtype.is_integer:
        values = values if descending else ops.Invert(x=values)
    else:  # from x itself, which has signs of zeros that the keys have not, and gradients
        n = x.shape.rank - 1
        values = ops.GatherV2(params=x, indices=places, axis=n, batch_dims=n)
    return values, places
