"""Linear algebra of the main namespace on TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.plain import NativeCall, comes_to
from ...core.dtypes import bfloat16, category, int8, int16, uint8
from .core import EMULATED, UNSIGNED, ints, order_to_end, permuted
from .elementwise import by_bits, multiply


def matmul(x1: Any, x2: Any) -> tf.Tensor:
    m, n = x1.shape.rank, x2.shape.rank
    if m == n == 2:
        return ops.MatMul(a=x1, b=x2)
    return _stacked(x1, x2, m, n, _of_stacks)


def _plain_product(x1: Any, x2: Any) -> NativeCall | None:
    return (tf.matmul, (x1, x2), {}) if x1.shape.rank == x2.shape.rank == 2 else None


comes_to(matmul, _plain_product)


def _of_stacks(a: Any, b: Any) -> tf.Tensor:
    """Multiply stacks of matrices, and avoid the stacks for which TensorFlow's kernels write beyond their memory.

    With oneDNN, which some processors have by default, TensorFlow 2.21 and earlier do so for one matrix as the second
    operand and a stack with an axis of extent 1: for shapes (9, 1, 3, 4) and (4, 5). The process ends then or later, or
    its numbers are wrong (github.com/tensorflow/tensorflow/issues/117700). So one matrix multiplies the rows of all. In
    a graph, where `tf.vectorized_map` puts an axis before, that holds for any stack, and axes of extent 1 in both are
    left out.
    """
    eager = tf.executing_eagerly()
    if eager and (a.shape.rank < 4 or 1 not in a.shape.as_list()[:-2]):
        return ops.BatchMatMulV2(x=a, y=b)
    p, q = a.shape.as_list(), b.shape.as_list()
    stack, other = p[:-2], q[:-2]
    if stack == other and 1 not in stack and None not in stack:
        return ops.BatchMatMulV2(x=a, y=b)
    if other.count(1) == len(other):
        matrix = b if len(q) == 2 else ops.Reshape(tensor=b, shape=ops.Shape(input=b)[-2:])
        return _by_one(a, matrix, max(len(q) - len(p), 0))
    if eager or None in p or None in q:
        return ops.BatchMatMulV2(x=a, y=b)
    rank = max(len(p), len(q))
    p, q = [1] * (rank - len(p)) + p, [1] * (rank - len(q)) + q
    kept = [axis for axis in range(rank - 2) if p[axis] != 1 or q[axis] != 1]
    if len(kept) == len(stack) == len(other):
        return ops.BatchMatMulV2(x=a, y=b)
    a = ops.Reshape(tensor=a, shape=ints((*(p[axis] for axis in kept), *p[-2:])))
    b = ops.Reshape(tensor=b, shape=ints((*(q[axis] for axis in kept), *q[-2:])))
    found = ops.BatchMatMulV2(x=a, y=b)
    lead = [n if m == 1 else m for m, n in zip(p[:-2], q[:-2], strict=True)]
    return ops.Reshape(tensor=found, shape=ints((*lead, p[-2], q[-1])))


def _by_one(a: Any, b: Any, more: int) -> tf.Tensor:
    """Multiply a stack by one matrix; the result has `more` further axes of extent 1."""
    p, (k, n) = a.shape.as_list(), b.shape.as_list()
    if None in p or n is None or k is None:
        extents = ops.Shape(input=a)
        rows = ops.Reshape(tensor=a, shape=[ops.Prod(input=extents[:-1], axis=0), extents[-1]])
        shape = ops.ConcatV2(values=[ints((1,) * more), extents[:-1], ops.Shape(input=b)[-1:]], axis=0)
    else:
        rows = ops.Reshape(tensor=a, shape=ints((prod(p[:-1]), p[-1])))
        shape = ints((*[1] * more, *p[:-1], n))
    return ops.Reshape(tensor=ops.MatMul(a=rows, b=b), shape=shape)


def _in_stacks(a: Any, b: Any) -> tf.Tensor:
    return ops.BatchMatMulV2(x=a, y=b)


def _stacked(x1: Any, x2: Any, m: int, n: int, product: Callable[[Any, Any], tf.Tensor]) -> tf.Tensor:
    if not m or not n:
        raise ValueError("a 0-d operand")
    a = x1 if m > 1 else ops.ExpandDims(input=x1, axis=0)
    b = x2 if n > 1 else ops.ExpandDims(input=x2, axis=1)
    result = product(a, b)
    if m == 1:
        result = ops.Squeeze(input=result, axis=[-2])
    return ops.Squeeze(input=result, axis=[-1]) if n == 1 else result


@cache
def rounds_between() -> bool:
    """Return whether products of bfloat16 on the CPU round partial sums. It depends on the processor: tried once."""
    with tf.init_scope(), tf.device("CPU:0"):
        ones = tf.ones((1, 3000), tf.bfloat16)
        return float(ops.MatMul(a=ones, b=ones, transpose_b=True)[0, 0]) != 3008  # the bfloat16 nearest to 3000


def _of_bfloat16(product: Callable[[Any, Any], tf.Tensor], x1: Any, x2: Any) -> tf.Tensor:
    """Multiply with sums in float32, by float32 operands where the kernels for bfloat16 round partial sums."""
    if not rounds_between():
        return product(x1, x2)
    x1, x2 = ops.Cast(x=x1, DstT=tf.float32), ops.Cast(x=x2, DstT=tf.float32)
    return ops.Cast(x=product(x1, x2), DstT=tf.bfloat16)


def _matmul_bfloat16(x1: Any, x2: Any) -> tf.Tensor:
    return _of_bfloat16(matmul, x1, x2)


def _matmul_int16(x1: Any, x2: Any) -> tf.Tensor:
    """Multiply by the kernel for stacks: there is no other."""
    return _stacked(x1, x2, x1.shape.rank, x2.shape.rank, _in_stacks)


def _matmul_int8(x1: Any, x2: Any) -> tf.Tensor:
    """Multiply in int16, where the lower bits of the products are the same: there is no kernel."""
    result = _matmul_int16(ops.Cast(x=x1, DstT=tf.int16), ops.Cast(x=x2, DstT=tf.int16))
    return ops.Cast(x=result, DstT=x1.dtype)


_OF_WIDTH = {8: _matmul_int8, 16: _matmul_int16, 32: matmul, 64: matmul}
EMULATED["matmul", int8], EMULATED["matmul", int16] = _matmul_int8, _matmul_int16
EMULATED["matmul", bfloat16] = _matmul_bfloat16
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
    """Multiply as matrices, whose products are summed in float32."""
    _check_vectors(x1, x2, axis)
    x1, x2 = (permuted(x, order_to_end(axis, x.shape.rank)[0]) for x in (x1, x2))
    x1, x2 = ops.ExpandDims(input=x1, axis=-2), ops.ExpandDims(input=x2, axis=-1)
    result = _of_bfloat16(_of_stacks, x1, x2) if x1.dtype == tf.bfloat16 else _of_stacks(x1, x2)
    return ops.Squeeze(input=result, axis=[-2, -1])


for _d in category("real floating"):
    if _d.bits == 16:
        EMULATED["vecdot", _d] = _vecdot_16_bits

# --- einsums ------------------------------------------------------------------------------------------------------


def _einsum(operands: list[Any], *, subscripts: str) -> tf.Tensor:
    return ops.Einsum(inputs=operands, equation=subscripts)


def _of_a_pair(operands: list[Any], *, subscripts: str) -> bool:
    """Tell whether there are two operands, of dtypes with a matrix product, and no letter comes twice in one.

    For 16 bits, the kernel rounds each partial sum: "i,i->" of 3,000 ones is 256 in bfloat16.
    """
    if len(operands) != 2:
        return False
    dtype = operands[0].dtype
    if (dtype.is_integer and dtype not in (tf.int32, tf.int64)) or dtype in (tf.bfloat16, tf.float16):
        return False
    sizes: dict[str, Any] = {}
    for letters, x in zip(subscripts.partition("->")[0].split(","), operands, strict=True):
        if len({*letters}) < len(letters):
            return False
        for letter, n in zip(letters, x.shape, strict=True):
            if sizes.setdefault(letter, n) != n:  # one of them 1, which the kernel does not broadcast
                return False
    return True


_einsum.when = _of_a_pair  # type: ignore[attr-defined]
