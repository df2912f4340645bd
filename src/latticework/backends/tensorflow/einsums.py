"""Everyday functions that TensorFlow has a kernel for."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops


def _einsum(operands: list[Any], *, subscripts: str) -> tf.Tensor:
    return ops.Einsum(inputs=operands, equation=subscripts)


def _of_a_pair(operands: list[Any], *, subscripts: str) -> bool:
    """Tell whether there are two operands, of dtypes with a matrix product, and no letter comes twice in one.

    Of 16 bits, the kernel rounds each partial sum: of "i,i->" for 3,000 ones it makes 256 in bfloat16.
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
