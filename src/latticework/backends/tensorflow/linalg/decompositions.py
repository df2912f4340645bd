"""Linear algebra beyond the standard's extension, on TensorFlow."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.linalg import LinAlgError
from tensorflow import raw_ops as ops

from ....core.dtypes import complex64, complex128, float32, float64
from ....core.registry import OPS, functions
from ....errors import install
from ..core import REFUSED, chosen, conjugated, differentiating, eager
from .extension import _SINGULAR, _square


def expm(x: Any) -> tf.Tensor:
    return tf.linalg.expm(_square(x))


def matrix_band_part(x: Any, lower: int, upper: int) -> tf.Tensor:
    if isinstance(lower, bool) or isinstance(upper, bool):
        raise TypeError("lower and upper are ints")
    rows, columns = x.shape[-2:]
    lower, upper = (k if n is None else min(k, n) for k, n in ((lower, rows), (upper, columns)))
    return ops.MatrixBandPart(input=x, num_lower=max(lower, -1), num_upper=max(upper, -1))


def _band_when(x: Any, lower: int, upper: int) -> bool:
    """Tell whether x has matrices of elements that are no unsigned integers of more than 8 bits."""
    return x.shape.rank >= 2 and x.dtype not in (tf.uint16, tf.uint32, tf.uint64)


matrix_band_part.when = _band_when  # type: ignore[attr-defined]


def solve_triangular(
    a: Any, b: Any, *, upper: bool = False, transpose: bool = False, unit_diagonal: bool = False
) -> tf.Tensor:
    """Solve by the kernel. That has the conjugate transpose, reads the diagonal, and fails where there is a 0 on it."""
    _square(a)
    vector = b.shape.rank == 1
    right = ops.ExpandDims(input=b, axis=1) if vector else b
    if not right.shape[-2:-1].is_compatible_with(a.shape[-1:]):
        raise ValueError(f"shapes {tuple(a.shape)} and {tuple(b.shape)} do not fit together")
    if unit_diagonal:
        a = tf.linalg.set_diag(a, tf.ones(tf.shape(a)[:-1], a.dtype))
    elif eager(a) and chosen(ops.Equal(x=ops.MatrixDiagPart(input=a), y=tf.zeros((), a.dtype))):
        raise LinAlgError(_SINGULAR)
    if transpose and a.dtype.is_complex:
        a = ops.Conj(input=a)
    if a.shape[:-2] != right.shape[:-2]:  # its gradient does not broadcast
        stack = tf.broadcast_dynamic_shape(tf.shape(a)[:-2], tf.shape(right)[:-2])
        a = tf.broadcast_to(a, tf.concat([stack, tf.shape(a)[-2:]], 0))
        right = tf.broadcast_to(right, tf.concat([stack, tf.shape(right)[-2:]], 0))
    x = ops.MatrixTriangularSolve(matrix=a, rhs=right, lower=not upper, adjoint=transpose)
    return ops.Squeeze(input=x, axis=[-1]) if vector else x


def lu_factor(x: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """Factor by the kernel. That gives the order of the rows and not the exchanges, and fails for singular matrices."""
    try:
        factors, order = ops.Lu(input=x, output_idx_type=tf.int32)
    except tf.errors.InvalidArgumentError:
        body: Any = OPS["linalg.lu_factor"].body
        lu, pivots = body(functions.asarray(x))
        return lu.data, pivots.data
    return factors, _exchanges(order)


def _lu_factor_when(x: Any) -> bool:
    """Tell whether the matrices are square and have elements, and no derivatives are asked for.

    The kernel has none.
    """
    if differentiating():
        return False
    return x.shape.rank >= 2 and None not in x.shape and x.shape[-1] == x.shape[-2] and x.shape.num_elements() > 0


lu_factor.when = _lu_factor_when  # type: ignore[attr-defined]


def _exchanges(order: Any) -> tf.Tensor:
    """Return the exchanges of rows, one after the other, that lead to an order."""
    n = order.shape[-1]
    rows = tf.range(n)
    at = tf.broadcast_to(rows, tf.shape(order))  # the row at each place
    pivots = []
    for i in range(n):
        row = order[..., i : i + 1]
        place = tf.argmax(tf.cast(at == row, tf.int8), axis=-1, output_type=tf.int32)[..., None]
        pivots.append(place)
        at = tf.where(rows == place, at[..., i : i + 1], tf.where(rows == i, row, at))
    return tf.concat(pivots, axis=-1)


def sqrtm(x: Any) -> tf.Tensor:
    return conjugated(lambda x: ops.MatrixSquareRoot(input=x), _square(x))


if find_spec("scipy") is not None:

    def schur(x: Any) -> tuple[tf.Tensor, ...]:
        """Decompose by SciPy, on the host: TensorFlow has no such kernel."""
        from ...numpy.linalg.decompositions import schur as on_numpy

        if not eager(x) or differentiating():
            raise NotImplementedError(
                "on TensorFlow SciPy computes it, which has no derivatives and sees no values inside tf.function"
            )
        return tuple(tf.convert_to_tensor(np.ascontiguousarray(part)) for part in on_numpy(x.numpy()))
else:
    _NO_SCHUR = f"TensorFlow has no Schur decomposition, and SciPy, which has one, is not installed: {install('numpy')}"
    REFUSED.update({("linalg.schur", d): _NO_SCHUR for d in (float32, float64, complex64, complex128)})
