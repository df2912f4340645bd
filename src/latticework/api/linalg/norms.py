"""Norms, condition numbers, and distances between vectors."""

from __future__ import annotations

from math import inf
from typing import Any, Literal

from ...core.dtypes import DtypeLike
from ...core.registry import functions as lw
from ...engine.arrays.array import Array, is_array
from ...engine.declare import op
from ...engine.plans.advice import no_array
from ...engine.shapes.extents import (
    Shape,
    broadcast_shapes,
    broadcasts,
    drop_axes,
    may_equal,
    need_axes,
    several_axes,
    size_of,
)
from ...engine.shapes.linalg import matrix_norm as _shape_of_matrix_norm
from ...engine.shapes.linalg import vector_norm as _shape_of_vector_norm
from ..linear_algebra import matmul
from .extension import matrix_norm, svd, svdvals, vector_norm

__all__ = ["cdist", "cond", "norm"]

Order = float | Literal["fro", "nuc"] | None

# --- norms --------------------------------------------------------------------------------------------------------


def _norm_shape(x: Shape, *, ord: Any = None, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """Reduce the axes of the vectors or of the matrices."""
    if axis is None and ord is None:
        return drop_axes(x, range(len(x)), keepdims)
    if axis is None and len(x) not in (1, 2):
        raise ValueError(f"a norm of order {ord!r} is of a vector or a matrix; got shape {x}. Say which axes: axis=-1")
    axes = several_axes(tuple(range(len(x))) if axis is None else axis, x)
    if len(axes) not in (1, 2):
        raise ValueError(f"axis is one axis for vectors or two for matrices; got axis={axis!r} for shape {x}")
    if len(axes) == 1:
        return _shape_of_vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    _shape_of_matrix_norm((*drop_axes(x, axes), x[axes[0]], x[axes[1]]), ord=ord)
    return drop_axes(x, axes, keepdims)


@op("floating", out="real", shape=_norm_shape)
def norm(
    x: Array,
    /,
    ord: Order = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    *,
    dtype: DtypeLike | None = None,
) -> Array:
    """Return the norm of vectors or of matrices, as `numpy.linalg.norm` does.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.
    ord: which norm. None for the root of the sum of squares; numbers as in `vector_norm` for vectors; ``"fro"``,
        ``"nuc"``, 1, -1, 2, -2, infinity and minus infinity as in `matrix_norm` for matrices.
    axis: one axis for norms of vectors, two for norms of matrices. None for the whole array: all its elements where
        ord is None, else x is one vector or one matrix.
    keepdims: whether those axes stay, with extent 1.
    dtype: a floating dtype that x is cast to first; x is not cast by default.

    Returns
    -------
    The shape of x without these axes; its dtype, a real one for complex input. The gradient of the Euclidean norm at
    0 is 0 on every backend, as in PyTorch; JAX and TensorFlow themselves give nan.

    Raises
    ------
    ValueError: another norm; ord with an array of 3 axes or more and no axis; more than two axes; there is no least
        value because there are no elements.
    LinAlgError: no convergence of ``"nuc"``, 2 and -2 of matrices, as with nan.
    TypeError: ``"nuc"``, 2 and -2 of matrices of float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.norm(lw.asarray([3.0, 4.0]))
    Array(5., dtype=float32)
    >>> x = lw.asarray([[3.0, -4.0], [0.0, 2.0]])
    >>> lw.linalg.norm(x, axis=1), lw.linalg.norm(x, 1), lw.linalg.norm(x, lw.inf)
    (Array([5., 2.], dtype=float32), Array(6., dtype=float32), Array(7., dtype=float32))
    """
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    if axis is None:
        if x.ndim == 1:
            return vector_norm(x, ord=_of_vectors(ord), keepdims=keepdims)
        if x.ndim != 2:
            raise ValueError(f"linalg.norm: a norm of order {ord!r} is of a vector or a matrix; got shape {x.shape}")
        return matrix_norm(x, ord=ord, keepdims=keepdims)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], ord=_of_vectors(ord), keepdims=keepdims)
    if len(axes) != 2:
        raise ValueError(f"linalg.norm: axis is one axis for vectors or two for matrices; got axis={axis!r}")
    result = matrix_norm(lw.moveaxis(x, tuple(axes), (-2, -1)), ord=ord)
    return lw.expand_dims(result, tuple(sorted(a % x.ndim for a in axes))) if keepdims else result


def _of_vectors(ord: Any) -> Any:
    return 2 if ord is None else ord


def _cond_shape(x: Shape, *, p: Any = None, **_: Any) -> Shape:
    """Return one number for each matrix, square but for the norms of singular values."""
    need_axes(x)
    if p not in (None, 2, -2) and not may_equal(x[-1], x[-2]):
        raise ValueError(f"takes square matrices for p={p!r}; got shape {x}")
    if 0 in x[-2:]:
        raise ValueError(f"there is no condition number of matrices without elements; got shape {x}")
    return _shape_of_matrix_norm(x, ord=p)


@op("floating", out="real", shape=_cond_shape)
def cond(x: Array, /, p: Order = None) -> Array:
    """Return the condition number of each matrix in a stack: its norm times that of its inverse.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float. Square unless p is
        None, 2 or -2.
    p: the norm, as the ord of `matrix_norm`. None is 2: the greatest singular value divided by the least.

    Returns
    -------
    Shape (...), the dtype of x, a real one for complex input. Infinite for a singular matrix.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: fewer than two axes, no elements, matrices that are not square, or another norm.
    TypeError: float16 or bfloat16.

    Notes
    -----
    The inverse is made of the singular value decomposition, which exists for singular matrices too.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1.0, 0.0], [0.0, 4.0]])
    >>> lw.linalg.cond(x), lw.linalg.cond(x, 1)
    (Array(4., dtype=float32), Array(4., dtype=float32))
    """
    _cond_shape(x.shape, p=p)
    if p in (None, 2, -2):
        s = svdvals(x)
        ratio = s[..., 0] / s[..., -1] if p != -2 else s[..., -1] / s[..., 0]
        return lw.where(lw.isnan(ratio) & (s[..., 0] == 0), inf, ratio)
    if p in ("fro", "nuc"):
        s = svdvals(x)
        size = vector_norm(s, axis=-1) if p == "fro" else lw.sum(s, axis=-1)
        inverse = vector_norm(1 / s, axis=-1) if p == "fro" else lw.sum(1 / s, axis=-1)
        product = size * inverse
        return lw.where(lw.isnan(product) & (s[..., 0] == 0), inf, product)
    u, s, vh = svd(x)
    singular = s[..., -1] <= s[..., 0] * (lw.finfo(s.dtype).eps * 2**-20)
    reciprocal = lw.astype(1 / lw.where(singular[..., None], 1.0, s), x.dtype, copy=False)
    inverse = matmul(lw.conj(vh.mT) * reciprocal[..., None, :], lw.conj(u.mT))
    return lw.where(singular, inf, matrix_norm(x, ord=p) * matrix_norm(inverse, ord=p))


# --- distances ----------------------------------------------------------------------------------------------------


def _cdist_shape(x1: Any, x2: Any, *, p: Any = 2, **_: Any) -> Shape:
    """Pair each row of one matrix with each of another, and broadcast the stacks."""
    a, b = x1, x2
    if not hasattr(p, "__float__") or not p >= 0:
        raise ValueError(f"p is a number from 0 to inf; got {p!r}")
    if len(a) < 2 or len(b) < 2 or not may_equal(a[-1], b[-1]):
        raise ValueError(f"takes matrices of rows of the same length; got shapes {a} and {b}")
    if not broadcasts(a[:-2], b[:-2]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: the stacks {a[:-2]} and {b[:-2]} of matrices "
            f"have to be equal or 1 along each axis"
        )
    return (*broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-2])


#: The number of differences in memory at once; one row of x1 may need more.
_AT_ONCE = 1 << 20


@op("real floating", shape=_cdist_shape)
def cdist(x1: Array, x2: Array, /, p: float = 2) -> Array:
    """Return the distance between each row of one matrix and each row of another, for each pair of a stack.

    Parameters
    ----------
    x1: shape (..., P, M), a real floating dtype; integers are taken as the default float.
    x2: shape (..., R, M); the stacks broadcast together.
    p: the order of the norm of the differences, from 0 to infinity: 2 for Euclidean distances, 1 for the sum of
        absolute differences, infinity for the greatest, 0 for how many are not 0.

    Returns
    -------
    Shape (..., P, R), the common dtype.

    Raises
    ------
    ValueError: shapes that do not fit together, or a negative p.

    Notes
    -----
    The differences are made and their norms taken, with no loss of digits to cancellation: PyTorch's own function
    expands the square where there are more than 25 rows unless it is told not to, and here it is told. Not more than
    a million differences are in memory at once.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.cdist(lw.asarray([[0.0, 0.0], [3.0, 0.0]]), lw.asarray([[0.0, 4.0]]))
    Array([[4.],
           [5.]], dtype=float32)
    """
    if is_array(p):
        raise no_array("linalg.cdist", "p", p)
    _cdist_shape(x1.shape, x2.shape, p=p)  # rows of length 1 would broadcast
    right = x2[..., None, :, :]
    if x1.shape[-1] == 0:
        return lw.sum(x1[..., :, None, :] - right, axis=-1)
    if None in x1.shape or None in x2.shape:
        return vector_norm(x1[..., :, None, :] - right, axis=-1, ord=p)
    rows = x1.shape[-2]
    size = size_of((*broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), *x2.shape[-2:]))
    step = max(_AT_ONCE // (size or 1), 1)
    parts = [vector_norm(x1[..., i : i + step, None, :] - right, axis=-1, ord=p) for i in range(0, max(rows, 1), step)]
    return parts[0] if len(parts) == 1 else lw.concat(parts, axis=-2)
