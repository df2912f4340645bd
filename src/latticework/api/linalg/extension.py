"""The standard's linear algebra: decompositions, solvers and norms, of one matrix or of each in a stack."""

from __future__ import annotations

import operator
from math import inf
from typing import Any, Literal, NamedTuple

from ...core.dtypes import DtypeLike, float32, real_of
from ...core.registry import OPS
from ...core.registry import functions as lw
from ...engine.arrays.array import Array, is_array
from ...engine.calls.translate import CHECKS
from ...engine.declare import op
from ...engine.plans.advice import no_array
from ...engine.shapes.extents import broadcasts
from ...engine.shapes.families import result_shapes
from ...policy import current
from ..linear_algebra import extents, matmul, matrix_transpose, tensordot, vecdot
from ..roots import power_of_sizes, root_of_sum

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EigResult(NamedTuple):
    """The result of `eig`."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: Array
    S: Array
    Vh: Array


# --- decompositions -----------------------------------------------------------------------------------------------


@op("floating", shape="square")
def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Cholesky factor of each symmetric (Hermitian) positive definite matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float. Only one triangle
        is read, the one that is returned.
    upper: whether to return the upper triangular U with ``x = conj(U.mT) @ U``, and not the lower L with
        ``x = L @ conj(L.mT)``.

    Returns
    -------
    The shape and dtype of x, with zeros in the other triangle.

    Raises
    ------
    LinAlgError: a matrix is not positive definite, or has nan or infinities.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.cholesky(lw.asarray([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    ...


@op("floating", out=("complex", "complex"), shape="eigenvectors")
def eig(x: Array, /) -> EigResult:
    """Eigenvalues and eigenvectors of each square matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    eigenvalues: shape (..., M), complex64 for float32 and complex64, else complex128; in no particular order.
    eigenvectors: shape (..., M, M) and the same dtype: normalised columns, in the order of the eigenvalues. A
        column is determined up to a factor of absolute value 1, which differs between frameworks.

    NumPy has no routine for complex64: it computes in complex128 and rounds the result.

    Raises
    ------
    LinAlgError: nan or an infinity in x, or no convergence.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.eig(lw.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
    Array([2.+0.j, 3.+0.j], dtype=complex64)
    """
    ...


@op("floating", out=("real", "same"), shape="eigenvectors")
def eigh(x: Array, /) -> EighResult:
    """Eigenvalues and eigenvectors of each symmetric (Hermitian) matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float. Only the lower
        triangle is read.

    Returns
    -------
    eigenvalues: shape (..., M), real, from the least to the greatest.
    eigenvectors: the shape and dtype of x: orthonormal columns, in the order of the eigenvalues. A column is
        determined up to a factor of absolute value 1, which differs between frameworks.

    Both are nan for a matrix with nan or infinities.

    Raises
    ------
    LinAlgError: no convergence.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.eigh(lw.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    Array([1., 2.], dtype=float32)
    """
    ...


@op("floating", out="complex", shape="eigenvalues")
def eigvals(x: Array, /) -> Array:
    """Eigenvalues of each square matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    Shape (..., M), complex64 for float32 and complex64, else complex128; in no particular order. NumPy has no
    routine for complex64: it computes in complex128 and rounds the result.

    Raises
    ------
    LinAlgError: nan or an infinity in x, or no convergence.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.eigvals(lw.asarray([[2.0, 0.0], [0.0, 3.0]]))
    Array([2.+0.j, 3.+0.j], dtype=complex64)
    """
    ...


@op("floating", out="real", shape="eigenvalues")
def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues of each symmetric (Hermitian) matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float. Only the lower
        triangle is read.

    Returns
    -------
    Shape (..., M), real, from the least to the greatest.

    They are nan for a matrix with nan or infinities.

    Raises
    ------
    LinAlgError: no convergence.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.eigvalsh(lw.asarray([[2.0, 0.0], [0.0, 1.0]]))
    Array([1., 2.], dtype=float32)
    """
    ...


@op("floating", out=("same", "same"), shape="qr")
def qr(x: Array, /, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """QR decomposition of each matrix in a stack: orthonormal columns times an upper triangle.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.
    mode: ``"reduced"`` for the first K = min(M, N) columns of Q and rows of R, ``"complete"`` for all.

    Returns
    -------
    Q: shape (..., M, K), or (..., M, M) for the complete one.
    R: shape (..., K, N), or (..., M, N): zero below the diagonal, which is real and may be negative.

    Raises
    ------
    ValueError: x has fewer than two axes, or another mode.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> Q, R = lw.linalg.qr(lw.asarray([[0.0, 2.0], [4.0, 3.0]]))
    >>> lw.abs(R)
    Array([[4., 3.],
           [0., 2.]], dtype=float32)
    """
    ...


@op("floating", out=("same", "real", "same"), shape="svd")
def svd(x: Array, /, full_matrices: bool = True) -> SVDResult:
    """Singular value decomposition of each matrix in a stack: ``x = (U * S) @ Vh``, for the reduced one.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.
    full_matrices: whether U and Vh are square, and not the first K = min(M, N) columns and rows alone.

    Returns
    -------
    U: shape (..., M, M), or (..., M, K) for the reduced one: orthonormal columns.
    S: shape (..., K), real: the singular values from the greatest to the least.
    Vh: shape (..., N, N), or (..., K, N): orthonormal rows.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: x has fewer than two axes.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.svd(lw.asarray([[0.0, 2.0], [1.0, 0.0]])).S
    Array([2., 1.], dtype=float32)
    """
    ...


@op("floating", out="real", shape="svdvals")
def svdvals(x: Array, /) -> Array:
    """Singular values of each matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    Shape (..., min(M, N)), real, from the greatest to the least.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: x has fewer than two axes.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.svdvals(lw.asarray([[0.0, 2.0], [1.0, 0.0]]))
    Array([2., 1.], dtype=float32)
    """
    ...


# --- determinants, inverses, solvers ------------------------------------------------------------------------------


@op("floating", shape="det")
def det(x: Array, /) -> Array:
    """Determinant of each square matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    Shape (...), the dtype of x. 1 for M = 0. Where it leaves the dtype's range use `slogdet`.

    Raises
    ------
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.det(lw.asarray([[2.0, 1.0], [0.0, 4.0]]))
    Array(8., dtype=float32)
    """
    ...


@op("floating", out=("same", "real"), shape="slogdet")
def slogdet(x: Array, /) -> SlogdetResult:
    """Sign and logarithm of the absolute value of the determinant of each square matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    sign: shape (...), the dtype of x: of absolute value 1, or 0 where the determinant is 0.
    logabsdet: shape (...), real: the natural logarithm, minus infinity where the determinant is 0.

    Raises
    ------
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.slogdet(lw.asarray([[1.0, 0.0], [0.0, -1.0]]))
    SlogdetResult(sign=Array(-1., dtype=float32), logabsdet=Array(0., dtype=float32))
    """
    ...


@op("floating", shape="square")
def inv(x: Array, /) -> Array:
    """Inverse of each square matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    LinAlgError: a matrix is singular, to the last bit.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.inv(lw.asarray([[2, 0], [0, 4]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    ...


@op("floating", shape="solve")
def solve(x1: Array, x2: Array, /) -> Array:
    """Solution of the linear equations ``x1 @ x = x2``, for each matrix in a stack.

    Parameters
    ----------
    x1: shape (..., M, M): the coefficients.
    x2: shape (M,), a vector for every matrix of x1, or (..., M, K), whose leading axes broadcast with those of x1.
        Arrays of two axes or more are always matrices. float32, float64 or complex dtypes; integers are taken as
        the default float.

    Returns
    -------
    The common dtype, and shape (..., M) for a vector, else (..., M, K).

    Raises
    ------
    LinAlgError: a matrix is singular, to the last bit.
    ValueError: the matrices are not square, or the shapes do not fit together.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.solve(lw.asarray([[2, 0], [0, 4]]), lw.asarray([2, 2]))
    Array([1. , 0.5], dtype=float32)
    """
    ...


@op("floating", shape="pinv")
def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Pseudo-inverse (Moore-Penrose) of each matrix in a stack, by its singular values.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.
    rtol: singular values up to this times the greatest count as 0. A number, or an array that broadcasts with
        shape (...). By default ``max(M, N)`` times the distance from 1 to the next number of the dtype.

    Returns
    -------
    Shape (..., N, M), the dtype of x.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: x has fewer than two axes.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.pinv(lw.asarray([[2.0], [0.0]]))
    Array([[0.5, 0. ]], dtype=float32)
    """
    u, s, vh = svd(x, full_matrices=False)
    reciprocal = 1 / lw.where(s <= _least("pinv", x, s, rtol), inf, s)  # 0 for those that count as 0; nan stays nan
    if x.dtype.kind == "c":
        u, vh = lw.conj(u), lw.conj(vh)
    return matmul(vh.mT * reciprocal[..., None, :], u.mT)


@op("floating", out="int", shape="matrix_rank")
def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Rank of each matrix in a stack: how many of its singular values are not 0.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.
    rtol: singular values up to this times the greatest count as 0. A number, or an array that broadcasts with
        shape (...). By default ``max(M, N)`` times the distance from 1 to the next number of the dtype.

    Returns
    -------
    Shape (...), the default int.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: x has fewer than two axes.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.matrix_rank(lw.asarray([[1.0, 2.0], [2.0, 4.0]]))
    Array(1, dtype=int32)
    """
    s = svdvals(x)
    large = s > _least("matrix_rank", x, s, rtol)
    return lw.astype(lw.count_nonzero(large, axis=-1), current().default_int)


def _least(name: str, x: Array, s: Array, rtol: float | Array | None) -> Array:
    """Return the greatest singular value that counts as 0, to compare with all of them; no value if there are none."""
    greatest = s[..., :1]
    if rtol is None:
        return greatest * (max(extents(f"linalg.{name}", x, (-2, -1))) * lw.finfo(s.dtype).eps)
    if hasattr(rtol, "shape"):
        if not broadcasts(tuple(rtol.shape), x.shape[:-2]):
            raise ValueError(
                f"linalg.{name}: rtol of shape {tuple(rtol.shape)} does not fit the stack {x.shape[:-2]} of matrices. "
                f"They have to be equal or 1 along each axis"
            )
        return lw.astype(lw.asarray(rtol), s.dtype, copy=False)[..., None] * greatest
    return greatest * float(rtol)


@op("floating", shape="matrix_power")
def matrix_power(x: Array, /, n: int) -> Array:
    """Each square matrix in a stack multiplied with itself n times.

    Parameters
    ----------
    x: shape (..., M, M), a floating dtype; integers are taken as the default float.
    n: 0 gives the identity; a negative one the power of the inverse.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    LinAlgError: n is negative and a matrix singular.
    ValueError: the matrices are not square.
    TypeError: n is negative, and float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.matrix_power(lw.asarray([[1.0, 1.0], [0.0, 1.0]]), 3)
    Array([[1., 3.],
           [0., 1.]], dtype=float32)
    """
    n = operator.index(n)
    result_shapes(OPS["linalg.matrix_power"], (x,), (n,), {})  # refuses what is no square matrix
    if n == 0:
        shape = extents("linalg.matrix_power", x)
        one = lw.eye(shape[-1], dtype=x.dtype, device=x.device)
        return one if x.ndim == 2 else lw.asarray(lw.broadcast_to(one, shape), copy=True)
    if n < 0:
        x, n = inv(x), -n
    if n == 1:
        return lw.asarray(x, copy=True)
    while not n & 1:
        x, n = matmul(x, x), n >> 1
    result = x
    while n := n >> 1:
        x = matmul(x, x)
        if n & 1:
            result = matmul(result, x)
    return result


# --- products and diagonals ---------------------------------------------------------------------------------------


@op("numeric", shape="cross")
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Cross product of each pair of vectors of three elements.

    Parameters
    ----------
    x1, x2: numeric dtypes; shapes that broadcast together, with 3 elements along `axis`.
    axis: where the vectors lie, counted from the end: -1 for the last axis. Where both arrays have the same number
        of axes it may be counted from the start as well.

    Returns
    -------
    The broadcast shape in the common dtype. Integers wrap around.

    Raises
    ------
    ValueError: shapes that do not fit together, or another number of elements.
    AxisError: (a ValueError and IndexError) an axis that one of the arrays does not have.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.cross(lw.asarray([1, 0, 0]), lw.asarray([0, 1, 0]))
    Array([0, 0, 1], dtype=int32)
    """
    result_shapes(OPS["linalg.cross"], (x1, x2), (), {"axis": axis})  # refuses what are no vectors of 3
    for x in (x1, x2):
        extents("linalg.cross", x, (axis,))
    axis = axis if axis < 0 else axis - x1.ndim
    after = (slice(None),) * (-axis - 1)
    a, b, c = (x1[(..., i, *after)] for i in range(3))
    d, e, f = (x2[(..., i, *after)] for i in range(3))
    return lw.stack([b * f - c * e, c * d - a * f, a * e - b * d], axis=axis)


@op("numeric", shape="outer")
def outer(x1: Array, x2: Array, /) -> Array:
    """Product of each element of one vector with each of another.

    Parameters
    ----------
    x1, x2: shapes (N,) and (M,), numeric dtypes.

    Returns
    -------
    Shape (N, M), the common dtype. Integers wrap around.

    Raises
    ------
    ValueError: an operand is no vector.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.outer(lw.asarray([1, 2]), lw.asarray([10, 20, 30]))
    Array([[10, 20, 30],
           [20, 40, 60]], dtype=int32)
    """
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"linalg.outer: takes two vectors; got shapes {x1.shape} and {x2.shape}")
    return lw.multiply(x1[:, None], x2)


@op("all or storage", shape="diagonal", view=True)
def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Diagonal of each matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, N), any dtype.
    offset: which diagonal: 0 for the main one, above it for a positive and below it for a negative number. Beyond
        the matrix it has no elements.

    Returns
    -------
    The leading axes of x and one more along the diagonal: a view of x.

    Raises
    ------
    ValueError: x has fewer than two axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.diagonal(lw.asarray([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int32)
    >>> lw.linalg.diagonal(lw.asarray([[1, 2], [3, 4]]), offset=1)
    Array([2], dtype=int32)
    """
    ...


@op("numeric", shape="trace")
def trace(x: Array, /, *, offset: int = 0, dtype: DtypeLike | None = None) -> Array:
    """Sum along a diagonal of each matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, N), a numeric dtype.
    offset: which diagonal: 0 for the main one, above it for a positive and below it for a negative number.
    dtype: the dtype to sum in and of the result. By default that of x, or the default int (uint) where x has a
        narrower one.

    Returns
    -------
    The leading axes of x. 0 where the diagonal has no elements.

    Raises
    ------
    ValueError: x has fewer than two axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.trace(lw.asarray([[1, 2], [3, 4]], dtype=lw.int8))
    Array(5, dtype=int32)
    """
    return lw.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


# --- norms --------------------------------------------------------------------------------------------------------


@op("floating", out="real", shape="vector_norm")
def vector_norm(
    x: Array,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: float = 2,
    dtype: DtypeLike | None = None,
) -> Array:
    """Norm of the elements along one axis or more.

    Parameters
    ----------
    x: a floating dtype; integers are taken as the default float.
    axis: the axes to go along; all of them by default.
    keepdims: whether the result keeps these axes, with length 1.
    ord: which norm: 2 for the Euclidean one, 1 for the sum of absolute values, infinity (minus infinity) for the
        greatest (least) of them, 0 for how many are not 0, and for any other number p ``sum(abs(x)**p)**(1/p)``.
    dtype: a floating dtype that x is cast to first; x is not cast by default.

    Returns
    -------
    The shape of x without these axes; its dtype, a real one for complex input. 0 where there are no elements and
    ord is not negative or infinite.

    Raises
    ------
    ValueError: there are no elements, and ord is negative or infinite.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.vector_norm(lw.asarray([[3, 4], [6, 8]]), axis=1)
    Array([ 5., 10.], dtype=float32)
    >>> lw.linalg.vector_norm(lw.asarray([3.0, -4.0]), ord=1)
    Array(7., dtype=float32)
    """
    if is_array(ord):
        raise no_array("linalg.vector_norm", "ord", ord)
    along: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if ord == 2 and x.dtype.kind == "f" and x.dtype.bits > 16:
        return root_of_sum(lw.sum(x * x, **along), 0.5)
    if ord == 0:
        return lw.sum(lw.astype(x != 0, real_of(x.dtype)), **along)
    if x.dtype.bits == 16 and x.size != 0 and abs(ord) != inf:
        return _norm_16_bits(x, axis, keepdims, ord)
    sizes = lw.abs(x)
    if ord == inf:
        return lw.max(sizes, **along)
    if ord == -inf or (ord < 0 and x.size == 0):
        return lw.min(sizes, **along)
    if ord == 1:
        return lw.sum(sizes, **along)
    if ord == 2:
        return root_of_sum(lw.sum(sizes * sizes, **along), 0.5)
    if ord < 0:
        return _norm_by_negative_powers(sizes, ord, **along)
    if ord < 1:
        sizes = power_of_sizes(sizes, ord)
    else:
        sizes **= ord  # in the memory of its own
    return root_of_sum(lw.sum(sizes, **along), 1 / ord)


def _norm_by_negative_powers(sizes: Array, ord: float, **along: Any) -> Array:
    """Compute a norm of negative order. It is 0 where one of the sizes is 0, and so are its derivatives there."""
    zero = sizes == 0
    total = lw.sum(lw.where(zero, 1.0, sizes) ** ord, **along)
    return lw.where(lw.any(zero, **along) & ~lw.isnan(total), 0.0, total ** (1 / ord))


def _norm_16_bits(x: Array, axis: Any, keepdims: bool, ord: float) -> Array:
    """Powers of numbers that are at most 1, summed in float32: their own would soon leave the range of float16."""
    unit = (lw.max if ord > 0 else lw.min)(lw.abs(x), axis=axis, keepdims=True)
    # Its derivatives cancel each other, and would leave the range of float16.
    unit = lw.stop_gradient(lw.where((unit > 0) & lw.isfinite(unit), unit, lw.ones_like(unit)))
    powers = lw.abs(x)
    powers /= unit
    if 0 < ord < 1:
        powers = power_of_sizes(powers, ord)
    else:
        powers **= ord  # in the memory of its own
    total = lw.sum(powers, axis=axis, keepdims=True, dtype=float32)
    total = root_of_sum(total, 1 / ord) * lw.astype(unit, float32)
    result = lw.astype(total, x.dtype)
    if keepdims:
        return result
    axes = axis if isinstance(axis, tuple) else tuple(range(x.ndim)) if axis is None else (axis,)
    return lw.squeeze(result, axes)


@op("floating", out="real", shape="matrix_norm")
def matrix_norm(
    x: Array,
    /,
    *,
    keepdims: bool = False,
    ord: float | Literal["fro", "nuc"] | None = "fro",
    dtype: DtypeLike | None = None,
) -> Array:
    """Norm of each matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, N), a floating dtype; integers are taken as the default float.
    keepdims: whether the result keeps the last two axes, with length 1.
    ord: which norm: ``"fro"`` or None for the root of the sum of squares, ``"nuc"`` for the sum of the singular
        values, 2 (-2) for the greatest (least) of them, 1 (-1) for the greatest (least) sum of absolute values in a
        column, infinity (minus infinity) in a row.
    dtype: a floating dtype that x is cast to first; x is not cast by default.

    Returns
    -------
    Shape (...), the dtype of x, a real one for complex input. 0 where the matrices have no elements and ord is
    not negative.

    Raises
    ------
    LinAlgError: no convergence of ``"nuc"``, 2 and -2, as with nan.
    ValueError: x has fewer than two axes; another norm; there is no least value because there are no elements.
    TypeError: ``"nuc"``, 2 and -2 of float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[3.0, 0.0], [0.0, 4.0]])
    >>> lw.linalg.matrix_norm(x), lw.linalg.matrix_norm(x, ord=1)
    (Array(5., dtype=float32), Array(4., dtype=float32))
    """
    if x.ndim < 2:
        raise ValueError(f"linalg.matrix_norm: needs 2 axes or more; got shape {x.shape}")
    match ord:
        case None | "fro":
            return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
        case "nuc":
            norm = lw.sum(svdvals(x), axis=-1)
        case 2 | -2:
            norm = _extreme(svdvals(x), ord)
        case 1 | -1:
            norm = _extreme(vector_norm(x, axis=-2, ord=1), ord)
        case _ if ord in (inf, -inf):
            norm = _extreme(vector_norm(x, axis=-1, ord=1), ord)
        case _:
            raise ValueError(f"linalg.matrix_norm: ord is one of 'fro', 'nuc', 1, -1, 2, -2, inf, -inf; got {ord!r}")
    return norm[..., None, None] if keepdims else norm


def _extreme(values: Array, ord: Any) -> Array:
    """The greatest of the last axis, 0 if it is empty; the least for a negative ord."""
    if ord < 0:
        return lw.min(values, axis=-1)
    return lw.max(values, axis=-1) if values.shape[-1] != 0 else lw.sum(values, axis=-1)


# --- what shapes do not tell --------------------------------------------------------------------------------------


def _check_finite(name: str) -> None:
    """Register what is found wrong with matrices that a routine failed on: infinities and nan."""

    def check(x: Array) -> Exception | None:
        if bool(lw.all(lw.isfinite(x))):
            return None
        from ...core.linalg_error import linalg_error_of

        error = linalg_error_of(x._sig.backend.linalg_error)
        return error(f"linalg.{name}: the matrices have infinities or nan; got shape {x.shape}")

    CHECKS[f"linalg.{name}"] = check


_check_finite("eig")
_check_finite("eigvals")
