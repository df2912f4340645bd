"""Sorting functions on TensorFlow, by its `top_k` of all elements, which is stable.

It takes no bools, and a nan leaves the array without any order: both are sorted by integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow import raw_ops as ops

from .core import BITS, order_to_end, permuted
from .shared import at_hand as _at_hand
from .shared import by_numpy as _by_numpy
from .shared import only_values as _only_values


def order_keys(x: Any) -> tf.Tensor:
    """Return integers in the order of the elements: -0.0 and 0.0 equal, nan after everything else."""
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
    turned = permuted(x, order)
    values, places = _sorted(turned, descending)
    if x.dtype == tf.bool:
        values = ops.NotEqual(x=values, y=0)
    elif not x.dtype.is_integer:
        # From x itself, which has gradients, and signs of zeros, which the keys do not have.
        n = x.shape.rank - 1
        values = ops.GatherV2(params=turned, indices=places, axis=n, batch_dims=n)
    return permuted(values, back)


def top_k(x: Any, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[tf.Tensor, tf.Tensor]:
    order, back = order_to_end(axis, x.shape.rank)
    turned = permuted(x, order)
    if _is_plain(x):
        values, places = ops.TopKV2(input=turned if largest else ops.Neg(x=turned), k=k, index_type=tf.int32)
        places = ops.Cast(x=places, DstT=tf.int64)  # the kernel's derivative reads int32 alone
        return permuted(values if largest else ops.Neg(x=values), back), permuted(places, back)
    _, places = _sorted(turned, largest, k)
    n = x.shape.rank - 1
    values = ops.GatherV2(params=turned, indices=places, axis=n, batch_dims=n)
    return permuted(values, back), permuted(places, back)


def _is_plain(x: Any) -> bool:
    """Return whether x has floats that TensorFlow orders: no nan, and no subnormals, which it takes for zeros."""
    if x.dtype not in (tf.float32, tf.float64) or not _at_hand(x):
        return False
    sizes = np.abs(x.numpy())
    few = (sizes < np.finfo(sizes.dtype).smallest_normal) & (sizes != 0)
    return not (few.any() or np.isnan(np.max(sizes, initial=0)))


def partition(x: Any, kth: Any, *, axis: int = -1) -> tf.Tensor:
    return _by_numpy("partition", x, kth=kth, axis=axis)


def argpartition(x: Any, kth: Any, *, axis: int = -1) -> tf.Tensor:
    return _by_numpy("argpartition", x, kth=kth, axis=axis)


def _on_numpy(x: Any, kth: Any, *, axis: int = -1) -> bool:
    """Tell whether x has elements in the CPU's memory, which nothing traces and no tape watches.

    NumPy partitions them in a tenth of the time that TensorFlow sorts in.
    """
    return x.shape.rank > 0 and 0 not in x.shape and _only_values(x)


partition.when = argpartition.when = _on_numpy  # type: ignore[attr-defined]


def _sorted(x: Any, descending: bool, k: int | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the keys of the elements in order, or of the first k, and their positions, along the last axis."""
    keys = order_keys(x)
    extent = k
    if extent is None:
        extent = x.shape[-1] if x.shape[-1] is not None else tf.shape(x)[-1]
    if descending:
        values, places = ops.TopKV2(input=keys, k=extent, index_type=tf.int64)
    else:
        values, places = ops.TopKV2(input=ops.Invert(x=keys), k=extent, index_type=tf.int64)
        values = ops.Invert(x=values)
    return values, places
