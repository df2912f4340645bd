"""Scattering on TensorFlow. Its kernels take no negative positions, and their least or greatest of nan and numbers is
not nan."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.arguments import NOWHERE, check_segments
from ...engine.keys.reading import check_bounds
from .core import STORAGE, conjugated, eager, extent, native, on_bits
from .fusion import compiled_where_large
from .indexing import _bounds, replaced
from .shared import at_hand as _at_hand


def _positions(indices: Any, *, n: int, axis: int = 0, drop: bool = False) -> tf.Tensor:
    """Positions counted from the start. `drop`: negative ones become n, which stands for none."""
    indices = native(indices)
    bounds = _bounds(indices)
    if drop:
        if bounds is not None:
            check_segments(bounds[1], n)
    else:
        check_bounds(bounds, n, axis)
    if bounds is not None and bounds[0] >= 0:
        return indices
    last = tf.constant(n, tf.int64) if drop else ops.AddV2(x=indices, y=n)
    found = ops.SelectV2(condition=ops.Less(x=indices, y=0), t=last, e=indices)
    if drop or bounds is not None:
        return found
    out = ops.LogicalOr(x=ops.Less(x=found, y=0), y=ops.GreaterEqual(x=found, y=n))
    return ops.SelectV2(condition=out, t=tf.constant(NOWHERE, tf.int64), e=found)


def _scattered(x: Any, positions: Any, updates: Any, *, reduction: str) -> tf.Tensor:
    x, updates = native(x), native(updates)
    if x.dtype in STORAGE:
        return on_bits(lambda _: lambda d, v: _scattered(d, positions, v, reduction=reduction), x.dtype)(x, updates)
    if 0 in updates.shape:  # the kernels refuse some of these shapes
        return x
    if reduction == "multiply":  # there is no kernel that multiplies elements of the tensor
        segments = {"segment_ids": positions, "num_segments": extent(x, 0)}
        factors = conjugated(lambda data: ops.UnsortedSegmentProd(data=data, **segments), updates)
        return ops.Mul(x=x, y=factors)
    if not eager(positions):  # in tf.vectorized_map, the kernel that replaces takes positions of 32 bits alone
        positions = ops.Cast(x=positions, DstT=tf.int32)
    places = {"indices": ops.ExpandDims(input=positions, axis=-1)}
    if reduction == "replace":
        return replaced(x, places["indices"], updates)
    if (
        reduction == "sum" and eager(positions) and (x.shape[0] or 0) <= 2 * positions.shape[0]
    ):  # in a quarter of the time
        return ops.AddV2(x=x, y=ops.UnsortedSegmentSum(data=updates, segment_ids=positions, num_segments=extent(x, 0)))
    if reduction == "sum":
        return ops.TensorScatterAdd(tensor=x, updates=updates, **places)
    kernel = ops.TensorScatterMin if reduction == "min" else ops.TensorScatterMax
    result = kernel(tensor=x, updates=updates, **places)
    if not x.dtype.is_floating or (_at_hand(x, updates) and not (_has_nan(x) or _has_nan(updates))):
        return result
    return _with_nans(result, x, updates, places)


def _is_sum(x: Any, positions: Any, updates: Any, *, reduction: str) -> bool:
    """Tell whether numbers are added, which a program does in one pass."""
    return reduction == "sum" and x.dtype in (tf.float32, tf.float64) and 0 not in updates.shape


_by_program = compiled_where_large(_scattered, _scattered, 3, _is_sum)


def _scatter(x: Any, positions: Any, updates: Any, *, reduction: str) -> tf.Tensor:
    return _by_program(x, positions, updates, reduction=reduction)


def _has_nan(x: tf.Tensor) -> bool:
    return bool(ops.Any(input=ops.IsNan(x=x), axis=tf.range(x.shape.rank)))


def _with_nans(result: tf.Tensor, x: tf.Tensor, updates: tf.Tensor, places: dict[str, Any]) -> tf.Tensor:
    """Return the result with nan where one of the operands is nan: the kernels keep the number."""
    nans = ops.SelectV2(condition=ops.IsNan(x=updates), t=updates, e=ops.ZerosLike(x=updates))
    before = ops.SelectV2(condition=ops.IsNan(x=x), t=x, e=ops.ZerosLike(x=x))
    found = ops.TensorScatterAdd(tensor=before, updates=nans, **places)
    return ops.SelectV2(condition=ops.IsNan(x=found), t=found, e=result)
