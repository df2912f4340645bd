"""Searching functions on TensorFlow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.arguments import check_search, rows_to_search
from ...core.dtypes import category
from . import raw_kernels as k
from .core import EMULATED, axis_tensor, chosen, eager, extents, flat, places, reshaped, truth
from .elementwise import several
from .indexing import sliced, where_true
from .sorting import order_keys


def _position(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, *, axis: int | None = None, keepdims: bool = False) -> tf.Tensor:
        return _along(lambda y, a: kernel(input=y, dimension=a), x, axis, keepdims)

    return call


def _along(find: Callable[[Any, int], Any], x: Any, axis: int | None, keepdims: bool) -> tf.Tensor:
    n = x.shape.rank
    if axis is None:
        x, place = flat(x), 0
    else:
        (place,) = places(axis, n)
    if x.shape[place] == 0:
        raise ValueError("there are no elements to choose from")
    shape = x.shape
    if n > 7 and axis is not None:  # the kernel takes no more axes
        before, after = math.prod(shape[:place]), math.prod(shape[place + 1 :])
        found = reshaped(find(reshaped(x, (before, shape[place], after)), 1), (*shape[:place], *shape[place + 1 :]))
    else:
        found = find(x, place)
    if not keepdims:
        return found
    return reshaped(found, (1,) * n) if axis is None else ops.ExpandDims(input=found, axis=place)


def _minding_nan(kernel: Callable[..., Any], extreme: Callable[..., Any]) -> Callable[..., Any]:
    """Take the first nan as the extreme: TensorFlow skips nan (https://github.com/tensorflow/tensorflow/issues/118177).
    Its extreme value tells whether there is one."""

    def find(x: Any, axis: int) -> tf.Tensor:
        found = kernel(input=x, dimension=axis)
        nan = ops.IsNan(x=extreme(input=x, axis=axis))
        if eager(nan) and not chosen(nan):
            return found
        return ops.SelectV2(condition=nan, t=ops.ArgMax(input=ops.IsNan(x=x), dimension=axis), e=found)

    def call(x: Any, *, axis: int | None = None, keepdims: bool = False) -> tf.Tensor:
        return _along(find, x, axis, keepdims)

    return call


argmax, argmin = _position(ops.ArgMax), _position(ops.ArgMin)

for _d in category("real floating"):
    EMULATED["argmax", _d] = _minding_nan(ops.ArgMax, ops.Max)
    EMULATED["argmin", _d] = _minding_nan(ops.ArgMin, ops.Min)


def count_nonzero(x: Any, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> tf.Tensor:
    return ops.Sum(input=ops.Cast(x=truth(x), DstT=tf.int64), axis=axis_tensor(axis, x.shape.rank), keep_dims=keepdims)


def nonzero(x: Any) -> tuple[tf.Tensor, ...]:
    if x.shape.rank == 0:
        raise ValueError("x must have at least one axis")
    return tuple(where_true(truth(x)))


#: The least number of values that are found in half the time as integers of the same order than as floats.
_MANY = 1 << 15


def _may_end_in_nan(x: Any) -> bool:
    """Return whether sorted floats may have nan. A constant in `tf.function` has values, and its last one has none."""
    if not eager(x):
        return True
    if not x.shape[0]:
        return False
    last = ops.IsNan(x=sliced(x, (-1,)))
    return not eager(last) or chosen(last)


def searchsorted(x1: Any, x2: Any, *, side: Any = "left") -> tf.Tensor:
    if x1.shape.rank != 1:
        return _searched_by_rows(x1, x2, side)
    check_search(1, side)
    kernel = ops.LowerBound if side == "left" else ops.UpperBound
    values = reshaped(x2, (1, -1))
    nan = None
    if x1.dtype == tf.bool or x1.dtype.is_floating:
        many = eager(values) and values.shape[1] >= _MANY
        if x1.dtype == tf.bool or many or _may_end_in_nan(x1):
            x1, values = order_keys(x1), order_keys(values)
        else:
            nan = ops.IsNan(x=values)
    found = kernel(sorted_inputs=ops.ExpandDims(input=x1, axis=0), values=values, out_type=tf.int64)
    if nan is not None:  # nan comes after all numbers
        found = ops.SelectV2(condition=nan, t=tf.constant(x1.shape[0], tf.int64), e=found)
    return reshaped(found, extents(x2))


def _searched_by_rows(x1: Any, x2: Any, side: Any) -> tf.Tensor:
    rows_to_search(x1.shape, x2.shape, side)
    kernel = ops.LowerBound if side == "left" else ops.UpperBound
    rows, values = (order_keys(reshaped(x, (math.prod(extents(x)[:-1]), extents(x)[-1]))) for x in (x1, x2))
    return reshaped(kernel(sorted_inputs=rows, values=values, out_type=tf.int64), extents(x2))


where = several(k.SelectV2)
