"""Counting on TensorFlow, by sums of segments."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from .core import eager
from .shared import by_numpy as _by_numpy
from .shared import numpy_computes as _numpy_computes


def _bincount(x: Any, *, minlength: int = 0, length: int | None = None) -> tf.Tensor:
    if _numpy_computes(x) and x.shape.rank == 1:
        return _by_numpy("_bincount", x, minlength=minlength, length=length)
    return _at(x, tf.ones_like(x), minlength, length)


def _weighted_bincount(x: Any, weights: Any, *, minlength: int = 0, length: int | None = None) -> tf.Tensor:
    if not x.shape.is_compatible_with(weights.shape):
        raise ValueError("weights must have the shape of x")
    if weights.dtype in (tf.float16, tf.bfloat16):
        return ops.Cast(x=_at(x, ops.Cast(x=weights, DstT=tf.float32), minlength, length), DstT=weights.dtype)
    return _at(x, weights, minlength, length)


def _at(x: Any, weights: Any, minlength: int, length: int | None) -> tf.Tensor:
    """Sum at positions; TensorFlow drops elements at negative ones."""
    if x.shape.rank != 1:
        raise ValueError("x must have exactly one axis")
    count: Any = length
    if length is None:
        if eager(x) and x.shape[0] and int(tf.reduce_min(x)) < 0:
            raise ValueError("x must not be negative")
        least = tf.constant(minlength, tf.int64)
        count = ops.Maximum(x=tf.reduce_max(x) + 1, y=least) if x.shape[0] != 0 else least
    else:
        x = ops.SelectV2(condition=ops.Less(x=x, y=tf.constant(length, tf.int64)), t=x, e=tf.constant(-1, tf.int64))
        count = tf.constant(length, tf.int64)
    return ops.UnsortedSegmentSum(data=weights, segment_ids=x, num_segments=count)


def _count_between(x: Any, edges: Any) -> tf.Tensor:
    return _by_numpy("_count_between", x, edges)


def _of_wide_bins(x: Any, edges: Any) -> bool:
    """Tell whether x has values in the CPU's memory, its dtype has more than 16 bits and there are fewer than 65,536
    edges."""
    return x.dtype.size > 2 and _numpy_computes(x, edges) and edges.shape[0] < 1 << 16


_count_between.when = _of_wide_bins  # type: ignore[attr-defined]
