"""Linear algebra of the main namespace on TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...core.dtypes import category, int8, int16, uint8
from .core import EMULATED, UNSIGNED, ints, order_to_end, permuted
from .elementwise import by_bits, multiply


def matmul(x1: Any, x2: Any) -> tf.Tensor:
    m, n = x1.shape.rank, x2.shape.rank
    if m == n == 2:
        return ops.MatMul(a=x1, b=x2)
    return _stacked(x1, x2, m, n)


def _stacked(x1: Any, x2: Any, m: int, n: int) -> tf.Tensor:
    if not m or not n:
        raise ValueError("a 0-d operand")
    a = x1 if m > 1 else ops.ExpandDims(input=x1, axis=0)
    b = x2 if n > 1 else ops.ExpandDims(input=x2, axis=1)
    result = ops.BatchMatMulV2(x=a, y=b)
    if m == 1:
        result = ops.Squeeze(input=result, axis=[-2])
    return ops.Squeeze(input=result, axis=[-1]) if n == 1 else result


def _matmul_int16(x1: Any, x2: Any) -> tf.Tensor:
    """There is a kernel for stacks alone."""
    return _stacked(x1, x2, x1.shape.rank, x2.shape.rank)


def _matmul_int8(x1: Any, x2: Any) -> tf.Tensor:
    """There is no kernel: the lower bits of the products are the same in int16."""
    result = _matmul_int16(ops.Cast(x=x1, DstT=tf.int16), ops.Cast(x=x2, DstT=tf.int16))
    return ops.Cast(x=result, DstT=x1.dtype)


_OF_WIDTH = {8: _matmul_int8, 16: _matmul_int16, 32: matmul, 64: matmul}
EMULATED["matmul", int8], EMULATED["matmul", int16] = _matmul_int8, _matmul_int16
for _d in UNSIGNED:
    EMULATED["matmul", _d] = _matmul_int8 if _d is uint8 else by_bits(_OF_WIDTH[_d.bits])


def matrix_transpose(x: Any) -> tf.Tensor:
    n = x.shape.rank
    if n < 2:
        raise ValueError("needs two axes")
    return ops.Transpose(x=x, perm=ints((*range(n - 2), n - 1, n - 2)))


def vecdot(x1: Any, x2: Any, *, axis: int = -1) -> tf.Tensor:
    _check_vectors(x1, x2, axis)
    first = ops.Conj(input=x1) if x1.dtype.is_complex else x1
    if axis >= 0:
        axis -= x1.shape.rank
    products = multiply(first, x2)
    return ops.Sum(input=products, axis=ints((products.shape.rank + axis,)))


def _check_vectors(x1: Any, x2: Any, axis: int) -> None:
    if axis >= 0 and x1.shape.rank != x2.shape.rank:
        raise ValueError(f"axis {axis} is ambiguous for shapes {x1.shape} and {x2.shape}")
    if not -min(x1.shape.rank, x2.shape.rank) <= axis < min(x1.shape.rank, x2.shape.rank):
        raise IndexError(f"axis {axis} is out of bounds")
    if not x1.shape[axis : axis + 1 or None].is_compatible_with(x2.shape[axis : axis + 1 or None]):
        raise ValueError(f"no vectors in pairs along axis {axis} of shapes {x1.shape} and {x2.shape}")


def _vecdot_16_bits(x1: Any, x2: Any, *, axis: int = -1) -> tf.Tensor:
    """As matrices, whose products are summed in float32."""
    _check_vectors(x1, x2, axis)
    x1, x2 = (permuted(x, order_to_end(axis, x.shape.rank)[0]) for x in (x1, x2))
    result = ops.BatchMatMulV2(x=ops.ExpandDims(input=x1, axis=-2), y=ops.ExpandDims(input=x2, axis=-1))
    return ops.Squeeze(input=result, axis=[-2, -1])


for _d in category("real floating"):
    if _d.bits == 16:
        EMULATED["vecdot", _d] = _vecdot_16_bits
