"""Functions of square matrices, and decompositions that are made of others."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

from ...core.dtypes import bool_
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import Extent, Shape, check_word, equal_extent, may_equal, need_axes
from ...engine.shapes.linalg import square
from ..linear_algebra import extents, matmul
from .extension import EighResult, eigh, inv, slogdet, solve, svd

__all__ = [
    "eig_tridiagonal", "eigh_tridiagonal", "expm", "logdet", "logm", "matrix_exp", "null_space", "orth", "polar",
    "schur", "sqrtm",
]  # fmt: skip


class PolarResult(NamedTuple):
    """The result of `polar`."""

    U: Array
    P: Array


class SchurResult(NamedTuple):
    """The result of `schur`."""

    T: Array
    Z: Array


def _order(name: str, x: Array) -> int:
    """Return how many rows square matrices have."""
    square(x.shape)
    (n,) = extents(name, x, (-1,))
    return n


# --- exponentials, logarithms and roots -----------------------------------------------------------------------------

#: Coefficients of the diagonal Padé approximant of degree 13, and the 1-norm up to which it is used (Higham 2005,
#: "The scaling and squaring method for the matrix exponential revisited", table 2.3 and equation 2.7).
_PADE_13 = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
    670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip
_THETA_13 = 5.371920351148152


@op("floating", shape="square")
def expm(x: Array, /) -> Array:
    """Return the exponential of each square matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Notes
    -----
    Scaling and squaring with Padé approximants (Higham 2005), as SciPy, PyTorch, JAX and TensorFlow have it. The
    composition takes the approximant of degree 13, and squares as often as the matrices' 1-norm asks for. JAX's own
    function gives nan beyond 16 times; the composition goes on, up to 64 times, for 1-norms up to 1e19.
    Each squaring can lose a bit.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.expm(lw.asarray([[0.0, 1.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    n = _order("linalg.expm", x)
    if 0 in x.shape:
        return x * 1.0
    size = lw.max(lw.sum(lw.abs(x), axis=-2), axis=-1)[..., None, None]
    times = lw.clip(lw.ceil(lw.log2(size / _THETA_13)), 0, None)
    times = lw.where(lw.isfinite(size), times, 0.0)
    most = lw.max(times)
    a = x / lw.astype(lw.exp2(times), x.dtype, copy=False)
    one = lw.eye(n, dtype=x.dtype, device=x.device)
    a2 = matmul(a, a)
    a4 = matmul(a2, a2)
    a6 = matmul(a2, a4)
    # all coefficients divided by the first, so that none leaves the range of float32
    b = [c / _PADE_13[0] for c in _PADE_13]
    odd = matmul(a6, b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one
    even = matmul(a6, b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    u = matmul(a, odd)
    result = solve(even - u, even + u)

    def squared(state: tuple[Array, Array]) -> tuple[Array, Array]:
        i, y = state
        return i + 1, lw.where(times > i, matmul(y, y), y)

    found: tuple[Array, Array] = lw.while_loop(lambda state: state[0] < most, squared, (lw.zeros_like(most), result))
    return found[1]


matrix_exp = expm


@op("floating", shape="square")
def sqrtm(x: Array, /) -> Array:
    """Return the principal square root of each square matrix in a stack: ``y @ y = x``.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float. It is invertible.

    Returns
    -------
    The shape and dtype of x. A real matrix with an eigenvalue on the negative real axis has no real principal root: the
    result is nan, so cast it to a complex dtype first. In a complex root such an eigenvalue becomes one on the positive
    imaginary axis; SciPy, which NumPy's backend calls, JAX and TensorFlow may choose the negative one after rounding.
    SciPy and JAX themselves change the dtype of a real matrix by the values.

    Raises
    ------
    LinAlgError: a matrix is singular, or has infinities or nan.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Notes
    -----
    The product form of the Denman-Beavers iteration with scaling by determinants (Higham 2008, "Functions of Matrices",
    equation 6.29), which converges quadratically. A complex matrix with an eigenvalue on the negative real axis is
    multiplied by a number of absolute value 1 before, and its root by one after.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.linalg.sqrtm(lw.asarray([[5.0, 4.0], [4.0, 5.0]])), 4)
    Array([[2., 1.],
           [1., 2.]], dtype=float32)
    """
    return _root(x)


#: With scaling, a matrix with a condition number of 1e16 needs no more steps than these. The last are Newton's own,
#: whose convergence is quadratic.
_STEPS, _LAST = 12, 5


def _root(x: Array) -> Array:
    """Take the root of matrices. An eigenvalue on the negative real axis is where the iteration ends nowhere.

    A real matrix with one has no real principal root. A complex one is turned, so that none is on the axis.
    """
    n = _order("linalg.sqrtm", x)
    if n == 0:
        return x * 1.0
    angles = lw.angle(lw.linalg.eigvals(lw.stop_gradient(x)))
    if x.dtype.kind == "c":
        turn = lw.astype(_turn(angles), x.dtype)[..., None, None]
        return _iterated(x * lw.exp(-1j * turn), n) * lw.exp(0.5j * turn)
    none = lw.any(angles == math.pi, axis=-1)[..., None, None]
    return lw.where(none, lw.nan, _iterated(lw.where(none, lw.eye(n, dtype=x.dtype, device=x.device), x), n))


def _turn(angles: Array) -> Array:
    """Return half the way from the negative real axis to the next eigenvalue, or 0 where no eigenvalue is on the axis.

    One that is on the axis has the angle pi, and rounding may have put it to the other side.
    """
    on_axis = math.pi - lw.abs(angles) < lw.finfo(angles.dtype).eps ** 0.5
    gap = lw.min(lw.where(on_axis, 2 * math.pi, angles + math.pi), axis=-1)
    return lw.where(lw.any(on_axis, axis=-1), gap / 2, 0.0)


def _iterated(x: Array, n: int, steps: int = _STEPS) -> Array:
    """Iterate ``M <- (I + (a M + inv(a M)) / 2) / 2`` and the product of the steps."""
    one = lw.eye(n, dtype=x.dtype, device=x.device)
    m, root = x, x
    for i in range(steps):
        inverse = inv(m)
        if i < steps - _LAST:
            log = slogdet(m).logabsdet[..., None, None] * (-1 / (2 * n))
            scale = lw.exp(log)
            scale = lw.astype(lw.where(lw.isfinite(scale), scale, 1.0), x.dtype, copy=False)
        else:
            scale = lw.ones((), dtype=x.dtype, device=x.device)
        square_of_scale = scale * scale
        root = root @ (scale * (one + inverse / square_of_scale)) * 0.5
        m = (one + (square_of_scale * m + inverse / square_of_scale) * 0.5) * 0.5
    off = lw.max(lw.abs(matmul(root, root) - x), axis=(-2, -1), keepdims=True)
    size = lw.max(lw.abs(root), axis=(-2, -1), keepdims=True)
    good = off <= size * size * (n * lw.finfo(x.dtype).eps ** 0.5)
    return lw.where(good, root, lw.nan)


#: The steps of each root of a logarithm. The condition number is that of the first, and its root each time after.
_STEPS_OF_ROOTS = (_STEPS, 9, 8, 7, 6)
#: How many nodes of Gauss and Legendre on (0, 1): with 12 it is the Padé approximant of degree 12.
_NODES = 12


@op("floating", shape="square")
def logm(x: Array, /) -> Array:
    """Return the principal logarithm of each square matrix in a stack: ``expm(y) = x``.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float. It is invertible.

    Returns
    -------
    The shape and dtype of x. A real matrix with an eigenvalue on the negative real axis, as a reflection, has no real
    principal logarithm: the result is nan, so cast it to a complex dtype first. In a complex logarithm such an
    eigenvalue becomes one with the imaginary part pi; SciPy, which NumPy's backend calls in double precision, may
    choose -pi after rounding, and so may JAX and TensorFlow.

    Raises
    ------
    LinAlgError: a matrix is singular, or has infinities or nan.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Notes
    -----
    Inverse scaling and squaring (Higham 2008, "Functions of Matrices", section 11.5): up to 5 square roots, then the
    integral of ``(x - I) @ inv(I + t (x - I))`` over t from 0 to 1 by Gauss and Legendre. It has full precision for
    matrices with condition numbers up to about 1e10.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[0.5, 1.0], [0.0, 0.5]])
    >>> lw.allclose(lw.linalg.logm(lw.linalg.expm(x)), x, atol=1e-5)
    True
    """
    n = _order("linalg.logm", x)
    if n == 0:
        return x * 1.0
    one = lw.eye(n, dtype=x.dtype, device=x.device)
    times = lw.zeros((), dtype=lw.finfo(x.dtype).dtype, device=x.device)
    for i, steps in enumerate(_STEPS_OF_ROOTS):
        far = lw.max(lw.sum(lw.abs(x - one), axis=-2), axis=-1)[..., None, None] > 0.25
        y = lw.where(far, x, one)
        root = sqrtm(y) if i == 0 else _iterated(y, n, steps)  # a principal root has no eigenvalue on the negative axis
        x = lw.where(far, root, x)
        times = times + lw.astype(far, times.dtype)
    near = x - one
    nodes, weights = (lw.asarray(v, dtype=x.dtype, device=x.device) for v in _gauss_legendre())
    places = lw.reshape(nodes, (_NODES, *(1,) * x.ndim))
    parts = solve(one + places * near, lw.broadcast_to(near, (_NODES, *near.shape)))
    result = lw.sum(lw.reshape(weights, places.shape) * parts, axis=0)
    return result * lw.astype(lw.exp2(times), x.dtype, copy=False)


def _gauss_legendre() -> tuple[list[float], list[float]]:
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist()


@op("floating", shape="det")
def logdet(x: Array, /) -> Array:
    """Return the logarithm of the determinant of each square matrix in a stack.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    Shape (...), the dtype of x: minus infinity for a determinant of 0, and nan for a negative one of a real matrix.
    Of a complex matrix it is the complex logarithm. `slogdet` gives the sign and the logarithm apart.

    Raises
    ------
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.logdet(lw.asarray([[1.0, 0.0], [0.0, 1.0]]))
    Array(0., dtype=float32)
    """
    sign, log = slogdet(x)
    if x.dtype.kind == "c":
        return lw.astype(log, x.dtype) + 1j * lw.astype(lw.angle(sign), x.dtype)
    return lw.where(sign < 0, lw.nan, log)


# --- decompositions -----------------------------------------------------------------------------------------------


def _polar_shape(x: Shape, *, side: Any = "right", **_: Any) -> list[Shape]:
    """Return the shape of x and of a square matrix."""
    need_axes(x)
    check_word(("right", "left"), "side", side)
    n = x[-1] if side == "right" else x[-2]
    return [x, (*x[:-2], n, n)]


@op("floating", out=("same", "same"), shape=_polar_shape)
def polar(x: Array, /, side: Literal["right", "left"] = "right") -> PolarResult:
    """Decompose each matrix in a stack into a unitary and a positive semidefinite one.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.
    side: ``"right"`` for ``x = U @ P``, ``"left"`` for ``x = P @ U``.

    Returns
    -------
    U: the shape and dtype of x, with orthonormal columns, or rows where there are fewer of them.
    P: shape (..., N, N) for ``"right"``, (..., M, M) for ``"left"``: Hermitian, with no negative eigenvalue.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: x has fewer than two axes, or another side.
    TypeError: float16 or bfloat16.

    Notes
    -----
    Made of the singular value decomposition, as in SciPy.

    Examples
    --------
    >>> import latticework as lw
    >>> U, P = lw.linalg.polar(lw.asarray([[0.0, -2.0], [3.0, 0.0]]))
    >>> lw.round(U), lw.round(P)
    (Array([[ 0., -1.],
           [ 1.,  0.]], dtype=float32), Array([[3., 0.],
           [0., 2.]], dtype=float32))
    """
    check_word(("right", "left"), "side", side)
    u, s, vh = svd(x, full_matrices=False)
    sizes = lw.astype(s, x.dtype, copy=False)[..., None, :]
    unit = matmul(u, vh)
    if side == "right":
        return PolarResult(unit, matmul(lw.conj(vh.mT) * sizes, vh))
    return PolarResult(unit, matmul(u * sizes, lw.conj(u.mT)))


def _schur_shape(x: Shape, **_: Any) -> list[Shape]:
    """Return the shape of square matrices twice."""
    return [square(x)] * 2


@op("floating", out=("same", "same"), shape=_schur_shape)
def schur(x: Array, /) -> SchurResult:
    """Decompose each square matrix in a stack into a triangle between unitary matrices: ``x = Z @ T @ conj(Z.mT)``.

    Parameters
    ----------
    x: shape (..., M, M), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    T: the shape and dtype of x, upper triangular. For a real x there is a block of 2 by 2 on the diagonal for each pair
        of complex eigenvalues; cast x to a complex dtype for a triangle.
    Z: the shape and dtype of x, unitary. Its columns are determined up to factors of absolute value 1, and their order
        differs between frameworks.

    Raises
    ------
    LinAlgError: no convergence.
    ValueError: the matrices are not square.
    TypeError: float16 or bfloat16.
    BackendError: without SciPy, on any backend but JAX.
    NotImplementedError: on PyTorch and TensorFlow, for derivatives and inside compiled functions.

    Notes
    -----
    LAPACK's routine, by SciPy; JAX has it itself. PyTorch and TensorFlow have none: there the matrices are computed by
    SciPy on the host, which takes a copy of those on another device, and the result is copied back.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> T, Z = lw.linalg.schur(x)
    >>> bool(lw.allclose(Z @ T @ Z.mT, x, atol=1e-5))
    True
    """
    ...


def _columns_shape(x: Shape, *, rcond: Any = None, **_: Any) -> Shape:
    """Return vectors, of a number that depends on the values."""
    if len(x) != 2:
        raise ValueError(f"takes one matrix; got shape {x}. How many vectors there are differs within a stack")
    return (x[0], None)


def _null_shape(x: Shape, *, rcond: Any = None, **_: Any) -> Shape:
    """Return vectors, of a number that depends on the values."""
    _columns_shape(x)
    return (x[1], None)


def _large(x: Array, s: Array, rcond: float | None) -> Array:
    """Return which singular values count as different from 0, by SciPy's rule."""
    factor = lw.finfo(s.dtype).eps * max(extents("linalg.orth", x)) if rcond is None else rcond
    return s > factor * s[:1]


@op("floating", shape=_null_shape)
def null_space(x: Array, /, rcond: float | None = None) -> Array:
    """Return orthonormal vectors that span what a matrix maps to 0.

    Parameters
    ----------
    x: shape (M, N), float32, float64 or complex; integers are taken as the default float.
    rcond: singular values up to this times the greatest count as 0. By default ``max(M, N)`` times the distance from
        1 to the next number of the dtype.

    Returns
    -------
    Shape (N, K), the dtype of x: K = N minus the rank of x, which depends on the values. So it cannot be computed
    inside jax.jit or torch.func.vmap, and on Dask the extent is not known before.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: x has not two axes.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.abs(lw.linalg.null_space(lw.asarray([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])))
    Array([[0.],
           [0.],
           [1.]], dtype=float32)
    """
    _null_shape(x.shape)
    m, n = extents("linalg.null_space", x)
    _, s, vh = svd(x)
    small = lw.logical_not(_large(x, s, rcond))
    if n > m:
        small = lw.concat([small, lw.ones(n - m, dtype=bool_, device=x.device)])
    return lw.conj(vh[small, :].mT)


@op("floating", shape=_columns_shape)
def orth(x: Array, /, rcond: float | None = None) -> Array:
    """Return orthonormal vectors that span the columns of a matrix.

    Parameters
    ----------
    x: shape (M, N), float32, float64 or complex; integers are taken as the default float.
    rcond: singular values up to this times the greatest count as 0. By default ``max(M, N)`` times the distance from
        1 to the next number of the dtype.

    Returns
    -------
    Shape (M, K), the dtype of x: K is the rank of x, which depends on the values. So it cannot be computed inside
    jax.jit or torch.func.vmap, and on Dask the extent is not known before.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: x has not two axes.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.abs(lw.linalg.orth(lw.asarray([[2.0, 2.0], [0.0, 0.0]])))
    Array([[1.],
           [0.]], dtype=float32)
    """
    _columns_shape(x.shape)
    u, s, _ = svd(x, full_matrices=False)
    return u.mT[_large(x, s, rcond), :].mT


def _tridiagonal_shape(d: Any, e: Any, **_: Any) -> list[Shape]:
    """Return the shapes of eigenvalues and of vectors as columns."""
    if not d or not e or len(d) != len(e) or not may_equal(d[-1], _more(e[-1])) or not _same_stack(d, e):
        raise ValueError(f"takes diagonals of n and n - 1 elements, in equal stacks; got shapes {d} and {e}")
    n = equal_extent((d[-1], _more(e[-1])))
    stack = tuple([equal_extent(pair) for pair in zip(d[:-1], e[:-1], strict=True)])
    return [(*stack, n), (*stack, n, n)]


def _more(n: Extent) -> Extent:
    return None if n is None else n + 1


def _same_stack(d: Shape, e: Shape) -> bool:
    return all(map(may_equal, d[:-1], e[:-1]))


@op("real floating", out=("same", "same"), shape=_tridiagonal_shape)
def eigh_tridiagonal(d: Array, /, e: Array) -> EighResult:
    """Eigenvalues and eigenvectors of each real symmetric tridiagonal matrix in a stack.

    Parameters
    ----------
    d: shape (..., N), float32 or float64: the diagonals; integers are taken as the default float.
    e: shape (..., N - 1): what stands beside the diagonals.

    Returns
    -------
    eigenvalues: shape (..., N), from the least to the greatest.
    eigenvectors: shape (..., N, N): orthonormal columns, in the order of the eigenvalues.

    Raises
    ------
    LinAlgError: no convergence.
    ValueError: the shapes do not fit together.
    TypeError: float16 or bfloat16.

    Notes
    -----
    The matrices are made in full, for `eigh`: JAX and TensorFlow have a routine for the eigenvalues of tridiagonal
    matrices alone. SciPy has one for both, which NumPy's arrays are computed by where SciPy is installed.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.eigh_tridiagonal(lw.asarray([2.0, 2.0]), lw.asarray([1.0])).eigenvalues
    Array([1., 3.], dtype=float32)
    """
    _tridiagonal_shape(d.shape, e.shape)
    (n,) = extents("linalg.eigh_tridiagonal", d, (-1,))
    one = lw.eye(n, dtype=d.dtype, device=d.device)
    x = d[..., None] * one
    if n > 1:
        below = lw.concat([lw.zeros_like(d[..., :1]), e], axis=-1)
        lower = below[..., None] * lw.eye(n, k=-1, dtype=d.dtype, device=d.device)
        x = x + lower + lower.mT
    return eigh(x)


eig_tridiagonal = eigh_tridiagonal
