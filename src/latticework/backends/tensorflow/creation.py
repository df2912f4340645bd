"""Creation functions on TensorFlow."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...engine.shapes.extents import UnknownExtentError
from .core import SIGNED, broadcast_shape, count, extent, ints, kept, on, scalar, shape_of


class Like(tuple[Any, ...]):  # noqa: SLOT001 - a tuple has no slot for an attribute
    """The shape of a tensor, with None for extents that TensorFlow finds at run time, and the tensor of all extents."""

    extents: tf.Tensor


def like(data: Any) -> tuple[Any, ...]:
    """Return the shape to give to `zeros_like` and its kin."""
    shape = shape_of(data)
    if None not in shape:
        return shape
    return joint_shape(shape, [data])


def joint_shape(shape: tuple[Any, ...], arrays: list[Any]) -> Like:
    """Return the shape that tensors broadcast to."""
    result = Like(shape)
    result.extents = broadcast_shape(arrays)
    return result


def zeros(shape: Any, *, dtype: tf.DType, device: str | None) -> tf.Tensor:
    if device is None:
        return ops.Fill(dims=_extents(shape), value=_value(0, dtype))
    return _full(shape, 0, dtype=dtype, device=device)


empty = zeros


def ones(shape: Any, *, dtype: tf.DType, device: str | None) -> tf.Tensor:
    if device is None:
        return ops.Fill(dims=_extents(shape), value=_value(1, dtype))
    return _full(shape, 1, dtype=dtype, device=device)


def _full(shape: Any, fill_value: complex, *, dtype: tf.DType, device: str | None) -> tf.Tensor:
    with on(device):
        return ops.Fill(dims=_extents(shape), value=scalar(dtype)(fill_value))


def _scalar(value: int, dtype: tf.DType) -> tf.Tensor:
    return scalar(dtype)(value)


_value = kept(64, _scalar)


def known_shape(shape: Any) -> tuple[int, ...]:
    """Return the shape of a new tensor, which has to be known now, not only at run time."""
    extents = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if None in extents and tf.executing_eagerly():
        raise TypeError(f"a shape is of ints; got {extents}")
    if None in extents:
        raise UnknownExtentError(f"shape {extents} is not known inside tf.function. Give tf.TensorSpec the shape")
    return tuple(map(operator.index, extents))  # before it is looked up: 2.0 would be found as 2


def _extents(shape: Any) -> tf.Tensor:
    if isinstance(shape, Like):
        return shape.extents
    return _known_extents(known_shape(shape))


def _extents_of(shape: tuple[int, ...]) -> tf.Tensor:
    if min(shape, default=0) < 0:
        raise ValueError(f"negative extents in shape {shape}")
    return ints(shape, tf.int64)


_known_extents = kept(1024, _extents_of)


def _count(n: int, first: int, step: int, *, dtype: tf.DType, device: str | None) -> tf.Tensor:
    with on(device):
        if not dtype.is_integer:
            return ops.Cast(x=count(n), DstT=dtype)
        if dtype in (tf.int32, tf.int64) and dtype.min <= first + n * step <= dtype.max:
            return ops.Range(start=tf.constant(first, dtype), limit=first + n * step, delta=step)
        # Signed integers wrap around to the right bits.
        signed = SIGNED.get(dtype, dtype)
        result = ops.Cast(x=count(n), DstT=signed)
        result = ops.AddV2(x=ops.Mul(x=result, y=_wrapped(step, signed)), y=_wrapped(first, signed))
        return result if signed == dtype else ops.Bitcast(input=result, type=dtype)


def _wrapped(value: int, dtype: tf.DType) -> tf.Tensor:
    half = 2 ** (dtype.size * 8 - 1)
    return tf.constant((value + half) % (2 * half) - half, dtype)


def eye(n_rows: int, n_cols: int | None = None, *, k: int = 0, dtype: tf.DType, device: str | None) -> tf.Tensor:
    columns = n_rows if n_cols is None else n_cols
    length = min(n_rows + min(k, 0), columns - max(k, 0))
    if length <= 0:
        return zeros((n_rows, columns), dtype=dtype, device=device)
    with on(device):
        ones = ops.Fill(dims=ints((length,)), value=scalar(dtype)(1))
        zero = tf.zeros((), dtype)
        return ops.MatrixDiagV3(diagonal=ones, k=k, num_rows=n_rows, num_cols=columns, padding_value=zero)


def tril(x: Any, *, k: int = 0) -> tf.Tensor:
    _, columns = _matrices(x)
    if k < 0 or columns is None:  # the kernel keeps the main diagonal at any rate
        return _masked(x, lambda diagonal: ops.LessEqual(x=diagonal, y=max(k, -_FAR)))
    return ops.MatrixBandPart(input=x, num_lower=tf.constant(-1), num_upper=tf.constant(min(k, columns)))


def triu(x: Any, *, k: int = 0) -> tf.Tensor:
    rows, _ = _matrices(x)
    if k > 0 or rows is None:
        return _masked(x, lambda diagonal: ops.GreaterEqual(x=diagonal, y=min(k, _FAR)))
    return ops.MatrixBandPart(input=x, num_lower=tf.constant(min(-k, rows)), num_upper=tf.constant(-1))


_FAR = 2**62  # beyond any diagonal


def _matrices(x: Any) -> tuple[Any, ...]:
    if x.shape.rank < 2:
        raise ValueError(f"takes arrays of at least two axes; got {x.shape.rank}")
    return tuple(x.shape[-2:])


def _masked(x: Any, kept: Callable[[tf.Tensor], tf.Tensor]) -> tf.Tensor:
    """Mask by the number of each element's diagonal."""
    rows, columns = count(extent(x, -2)), count(extent(x, -1))
    diagonal = ops.Sub(x=columns, y=ops.ExpandDims(input=rows, axis=1))
    return ops.SelectV2(condition=kept(diagonal), t=x, e=tf.zeros((), x.dtype))


# --- building -----------------------------------------------------------------------------------------------------


def _diag(x: Any, *, k: int) -> tf.Tensor:
    return tf.linalg.diag(x, k=k)
