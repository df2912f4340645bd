"""Statistical functions on TensorFlow, and `all` and `any`."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.arguments import only_axis
from ...backend.plain import NativeCall, comes_to
from ...core.dtypes import bool_, category
from .core import EMULATED, axis_tensor, custom_gradient, differentiated, expanded, ints, joined, places, scalar, truth
from .elementwise import _complex, imag, real, subtract
from .fusion import compiling, summed
from .indexing import sliced

Axes = int | tuple[int, ...] | None
_HALVES = (tf.float16, tf.bfloat16)


def _reduced(kernel: Callable[..., Any], x: Any, axes: tuple[int, ...], keepdims: bool) -> tf.Tensor:
    return kernel(input=x, axis=ints(axes), keep_dims=keepdims)


def _cast(x: Any, dtype: tf.DType) -> tf.Tensor:
    return x if x.dtype == dtype else ops.Cast(x=x, DstT=dtype)


def _reduction(f: Callable[..., Any]) -> Callable[..., NativeCall | None]:
    """Make the function that tells which TensorFlow call stands for a reduction of floats.

    Inside of a tf.function, that makes a constant of its axes, and the tensors that `axis_tensor` keeps would be
    arguments.
    """

    def plain(x: Any, *, axis: Axes = None, dtype: tf.DType | None = None, keepdims: bool = False) -> NativeCall | None:
        if x.dtype not in (tf.float32, tf.float64) or dtype not in (None, x.dtype) or 0 in x.shape:
            return None
        axes = places(axis, x.shape.rank)
        if not axes:
            return None
        args = (x,) if axis is None else (x, axes[0] if len(axes) == 1 else axes)
        return f, args, {"keepdims": True} if keepdims else {}

    return plain


# --- sums and products --------------------------------------------------------------------------------------------
# TensorFlow rounds at each step where it sums float16 along all axes but the last ones, and where it multiplies or
# accumulates 16 bits: 1 + 1 + … is never more than 2048, or 256. They get a float32 accumulator, as its sums of
# bfloat16 have: a block of _BLOCK elements is cast at a time, never the whole array.

_BLOCK = 1 << 18


def sum(x: Any, *, axis: Axes = None, dtype: tf.DType, keepdims: bool = False) -> tf.Tensor:
    if x.dtype in _HALVES and dtype == tf.float32:
        return _blocks(ops.Sum, ops.AddV2, x, places(axis, x.shape.rank), keepdims)
    if x.dtype != dtype:
        x = ops.Cast(x=x, DstT=dtype)
    if dtype == tf.float16:
        return _cast(_blocks(ops.Sum, ops.AddV2, x, places(axis, x.shape.rank), keepdims), dtype)
    if compiling():
        return summed(x, places(axis, x.shape.rank), keepdims)
    kernel = ops.Any if dtype == tf.bool else ops.Sum  # which takes no bools
    return kernel(input=x, axis=axis_tensor(axis, x.shape.rank), keep_dims=keepdims)


comes_to(sum, _reduction(tf.reduce_sum))


def prod(x: Any, *, axis: Axes = None, dtype: tf.DType, keepdims: bool = False) -> tf.Tensor:
    if x.dtype != dtype:
        x = ops.Cast(x=x, DstT=dtype)
    if differentiated() and (dtype.is_floating or dtype.is_complex):
        return _differentiable_prod(x, places(axis, x.shape.rank), keepdims)
    if dtype in _HALVES:
        return _cast(_blocks(ops.Prod, ops.Mul, x, places(axis, x.shape.rank), keepdims), dtype)
    kernel = ops.All if dtype == tf.bool else ops.Prod  # which takes no bools
    return kernel(input=x, axis=axis_tensor(axis, x.shape.rank), keep_dims=keepdims)


def _differentiable_prod(x: Any, axes: tuple[int, ...], keepdims: bool) -> tf.Tensor:
    """Multiply, with second derivatives: those of the kernel divide by the elements and omit terms beside zeros."""
    n, last = x.shape.rank, x.shape.rank - len(axes)
    order = [*(a for a in range(n) if a not in axes), *axes]

    @custom_gradient
    def product(x: Any) -> Any:
        def back(gradient: Any) -> Any:
            moved = tf.transpose(ops.Conj(input=x) if x.dtype.is_complex else x, order)
            shape = tf.shape(moved)
            rows = tf.reshape(moved, tf.concat([shape[:last], [tf.reduce_prod(shape[last:])]], 0))
            rows.set_shape([*moved.shape[:last], moved.shape[last:].num_elements()])
            after = tf.reverse(_before(tf.reverse(rows, [last]), last), [last])
            others = tf.reshape(_before(rows, last) * after, shape)
            return tf.transpose(others, [order.index(a) for a in range(n)]) * gradient

        if x.dtype in _HALVES:
            return _cast(_blocks(ops.Prod, ops.Mul, x, axes, True), x.dtype), back
        return _reduced(ops.Prod, x, axes, True), back

    return _without(axes, product(x), keepdims)


def _blocks(
    kernel: Callable[..., Any], join: Callable[..., Any], x: Any, axes: tuple[int, ...], keepdims: bool
) -> tf.Tensor:
    """Reduce an array of 16 bits in float32, by halves until they are small."""
    result = _halved(lambda part: _reduced(kernel, _cast(part, tf.float32), axes, True), join, x, axes)
    return _without(axes, result, keepdims)


def _without(axes: tuple[int, ...], result: tf.Tensor, keepdims: bool) -> tf.Tensor:
    """Drop the axes of a reduction that has kept them; to squeeze none would squeeze all."""
    return result if keepdims or not axes else ops.Squeeze(input=result, axis=[*axes])


def _halved(
    reduce: Callable[..., Any], join: Callable[..., Any], x: Any, axes: tuple[int, ...], *others: Any
) -> tf.Tensor:
    """`reduce` x, and other arrays that broadcast with it, in small parts; the reduced axes stay, with extent 1."""
    size = x.shape.num_elements()
    if size is None or size <= _BLOCK:
        return reduce(x, *others)
    widest = builtins.max(range(x.shape.rank), key=lambda a: x.shape[a])
    half = x.shape[widest] // 2
    halves = []
    for part in (slice(None, half), slice(half, None)):
        here = (slice(None),) * widest + (part,)
        rest = [o if o.shape[widest] == 1 else sliced(o, here) for o in others]
        halves.append(_halved(reduce, join, sliced(x, here), axes, *rest))
    return join(x=halves[0], y=halves[1]) if widest in axes else joined(halves, widest)


def cumulative_sum(x: Any, *, axis: int | None = None, dtype: tf.DType, include_initial: bool = False) -> tf.Tensor:
    return _accumulate(ops.Cumsum, ops.AddV2, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(x: Any, *, axis: int | None = None, dtype: tf.DType, include_initial: bool = False) -> tf.Tensor:
    return _accumulate(ops.Cumprod, ops.Mul, x, axis, dtype, 1 if include_initial else None)


def _accumulate(
    kernel: Callable[..., Any], join: Callable[..., Any], x: Any, axis: int | None, dtype: tf.DType, initial: int | None
) -> tf.Tensor:
    if axis is None:
        axis = only_axis(x.shape.rank)
    (axis,) = places(axis, x.shape.rank)
    x = _cast(x, dtype)
    if kernel is ops.Cumprod and differentiated() and (dtype.is_floating or dtype.is_complex):
        result = _product_so_far(x, axis)
    else:
        result = _accumulate_half(kernel, join, x, axis) if dtype in _HALVES else kernel(x=x, axis=axis)
    if initial is None:
        return result
    value = scalar(dtype)(initial)
    if x.shape.is_fully_defined():
        first = expanded(value, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    else:
        first = expanded(value, tf.concat([tf.shape(x)[:axis], [1], tf.shape(x)[axis + 1 :]], 0))
    return joined([first, result], axis)


def _product_so_far(x: Any, axis: int) -> tf.Tensor:
    """Multiply cumulatively, with derivatives that are right beside zeros and for complex numbers: those of the kernel
    divide by the elements, omit terms, and are not conjugated."""

    @custom_gradient
    def product(x: Any) -> Any:
        result = _accumulate_half(ops.Cumprod, ops.Mul, x, axis) if x.dtype in _HALVES else ops.Cumprod(x=x, axis=axis)

        def back(gradient: Any) -> Any:
            factors = ops.Conj(input=x) if x.dtype.is_complex else x
            return _before(factors, axis) * _backwards(_later(factors, 1, axis), gradient, axis)

        return result, back

    return product(x)


def _before(x: Any, axis: int) -> tf.Tensor:
    """Return the product of the elements before each one."""
    here = (slice(None),) * axis
    return tf.concat(
        [tf.ones_like(x[(*here, slice(None, 1))]), _product_so_far(x, axis)[(*here, slice(None, -1))]], axis
    )


def _backwards(factors: Any, terms: Any, axis: int) -> tf.Tensor:
    """Compute ``r[i] = terms[i] + factors[i] * r[i + 1]`` from the last position on, in logarithmically many steps."""
    step, extent = 1, factors.shape[axis]
    while step < (1 << 31 if extent is None else extent):
        terms = terms + factors * _later(terms, step, axis)
        factors = factors * _later(factors, step, axis)
        step *= 2
    return terms


def _later(x: Any, step: int, axis: int) -> tf.Tensor:
    """Return the elements `step` positions later, zeros beyond the last."""
    here = (slice(None),) * axis
    rest = x[(*here, slice(step, None))]
    return tf.concat([rest, tf.zeros_like(x[(*here, slice(None, step))])], axis)


def _accumulate_half(kernel: Callable[..., Any], join: Callable[..., Any], x: Any, axis: int) -> tf.Tensor:
    """Accumulate by blocks along the axis: each goes on from the last element of the one before."""
    extent, size = x.shape[axis], x.shape.num_elements()
    if size is None or size <= _BLOCK:
        return _cast(kernel(x=_cast(x, tf.float32), axis=axis), x.dtype)
    step = builtins.max(_BLOCK * extent // size, 1)
    before = (slice(None),) * axis
    parts, last = [], None
    for start in range(0, extent, step):
        block = kernel(x=_cast(sliced(x, (*before, slice(start, start + step))), tf.float32), axis=axis)
        if last is not None:
            block = join(x=block, y=last)
        last = sliced(block, (*before, slice(-1, None)))
        parts.append(_cast(block, x.dtype))
    return joined(parts, axis)


# --- extremes -----------------------------------------------------------------------------------------------------


def max(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    return _reduced(ops.Max, x, _some(x, axis), keepdims)


comes_to(max, _reduction(tf.reduce_max))


def min(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    return _reduced(ops.Min, x, _some(x, axis), keepdims)


comes_to(min, _reduction(tf.reduce_min))


def _some(x: Any, axis: Axes) -> tuple[int, ...]:
    """Return the axes to reduce, which must have elements."""
    axes = places(axis, x.shape.rank)
    if 0 in x.shape and 0 in [x.shape[a] for a in axes]:
        raise ValueError("there are no elements to choose from")
    return axes


# --- mean and spread ----------------------------------------------------------------------------------------------


def _count(x: Any, axes: tuple[int, ...]) -> Any:
    """Count the elements of each mean."""
    extents = [x.shape[a] for a in axes]
    if None not in extents:
        return math.prod(extents)
    return tf.reduce_prod(tf.gather(tf.shape(x, tf.int64), axes))


def mean(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    if compiling():
        axes = places(axis, x.shape.rank)
        return _over(summed(x, axes, keepdims), _count(x, axes))
    return ops.Mean(input=x, axis=axis_tensor(axis, x.shape.rank), keep_dims=keepdims)


comes_to(mean, _reduction(tf.reduce_mean))


def _mean_half(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    axes = places(axis, x.shape.rank)
    return _cast(_over(_blocks(ops.Sum, ops.AddV2, x, axes, keepdims), _count(x, axes)), x.dtype)


def _over(total: tf.Tensor, count: Any) -> tf.Tensor:
    return ops.RealDiv(x=total, y=_cast(count, total.dtype) if isinstance(count, tf.Tensor) else float(count))


def _mean_complex(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    """Divide each component: a complex division by the count makes inf + 1j an inf + nanj."""
    axes = places(axis, x.shape.rank)
    return _complex(*(_reduced(ops.Mean, part, axes, keepdims) for part in (real(x), imag(x))))


def var(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> tf.Tensor:
    axes = places(axis, x.shape.rank)
    return _cast(_variance(x, axes, correction, keepdims), x.dtype.real_dtype)


def std(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> tf.Tensor:
    axes = places(axis, x.shape.rank)
    variance = _variance(x, axes, correction, keepdims)
    if differentiated():  # the root of zero has the derivative zero here, for elements that are all the same
        zero = tf.equal(variance, 0)
        root = tf.where(zero, variance, ops.Sqrt(x=tf.where(zero, tf.ones_like(variance), variance)))
    else:
        root = ops.Sqrt(x=variance)
    return _cast(root, x.dtype.real_dtype)


def _variance(x: Any, axes: tuple[int, ...], correction: float, keepdims: bool) -> tf.Tensor:
    """Compute the variance, in float32 for 16 bits: the squares soon leave the range of float16."""
    if hasattr(correction, "__array_namespace__"):
        raise TypeError("the correction is a Python number")
    count = _count(x, axes)
    if not isinstance(count, tf.Tensor):
        freedom: Any = float(count - correction) if count > correction else math.nan
    else:
        left = tf.cast(count, tf.float64) - correction
        freedom = tf.where(left > 0, left, math.nan)
    if x.dtype in _HALVES:
        center = _over(_blocks(ops.Sum, ops.AddV2, x, axes, True), count)

        def squares(part: Any, about: Any) -> tf.Tensor:
            return _reduced(ops.Sum, ops.Square(x=subtract(_cast(part, tf.float32), about)), axes, True)

        total = _without(axes, _halved(squares, ops.AddV2, x, axes, center), keepdims)
    elif x.dtype.is_complex:
        away = subtract(x, _mean_complex(x, axis=axes, keepdims=True))
        squared = ops.AddV2(x=ops.Square(x=real(away)), y=ops.Square(x=imag(away)))
        total = _reduced(ops.Sum, squared, axes, keepdims)
    else:
        away = subtract(x, mean(x, axis=axes, keepdims=True))
        total = sum(ops.Square(x=away), axis=axes, dtype=x.dtype, keepdims=keepdims)
    return _over(total, freedom)


# --- truth --------------------------------------------------------------------------------------------------------


def all(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    return ops.All(input=truth(x), axis=axis_tensor(axis, x.shape.rank), keep_dims=keepdims)


def any(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    return ops.Any(input=truth(x), axis=axis_tensor(axis, x.shape.rank), keep_dims=keepdims)


def _max_bool(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    return _reduced(ops.Any, x, _some(x, axis), keepdims)


def _min_bool(x: Any, *, axis: Axes = None, keepdims: bool = False) -> tf.Tensor:
    return _reduced(ops.All, x, _some(x, axis), keepdims)


EMULATED["max", bool_], EMULATED["min", bool_] = _max_bool, _min_bool
for _d in category("real floating"):
    if _d.bits == 16:
        EMULATED["mean", _d] = _mean_half
for _d in category("complex floating"):
    EMULATED["mean", _d] = _mean_complex

# --- numerical ----------------------------------------------------------------------------------------------------
# TensorFlow's own convolutions are correlations, and take no integers.


def convolve(x1: Any, x2: Any, *, mode: Any = "full") -> tf.Tensor:
    if x1.shape[0] < x2.shape[0]:
        x1, x2 = x2, x1
    k = x2.shape[0]
    ends = {"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[mode]
    longer = tf.pad(x1, [ends]) if builtins.any(ends) else x1
    found = tf.nn.conv1d(longer[None, :, None], tf.reverse(x2, [0])[:, None, None], 1, "VALID")
    return found[0, :, 0]


def _of_numbers(x1: Any, x2: Any, *, mode: Any = "full") -> bool:
    """Tell whether both have elements along one axis, of float32 or float64."""
    if x1.shape.rank != 1 or x2.shape.rank != 1 or x1.dtype not in (tf.float32, tf.float64):
        return False
    return bool(x1.shape[0] and x2.shape[0]) and mode in ("full", "same", "valid")


convolve.when = _of_numbers  # type: ignore[attr-defined]
