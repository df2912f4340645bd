"""Systems of linear equations: least squares, triangular systems, and factors that are used more than once."""

from __future__ import annotations

from typing import Any, NamedTuple, Never

from ...core.dtypes import int32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ...engine.plans.advice import unexpected
from ...engine.shapes.extents import Shape, broadcast_shapes, broadcasts, may_equal, min_of, need_axes, one_axis
from ...engine.shapes.linalg import solve as _shape_of_solve
from ...policy import current
from ..linear_algebra import extents, matmul
from .extension import inv, pinv, solve, svdvals

__all__ = [
    "cho_solve", "lstsq", "lu", "lu_factor", "lu_solve", "solve_triangular", "tensorinv", "tensorsolve",
]  # fmt: skip


class LstsqResult(NamedTuple):
    """The result of `lstsq`."""

    solution: Array
    residuals: Array
    rank: Array
    singular_values: Array


class LUResult(NamedTuple):
    """The result of `lu`."""

    P: Array
    L: Array
    U: Array


class LUFactors(NamedTuple):
    """The result of `lu_factor`."""

    LU: Array
    pivots: Array


# --- least squares ------------------------------------------------------------------------------------------------


def _lstsq_shape(a: Any, b: Any, **_: Any) -> list[Shape]:
    """Solve for one vector where b has one axis, else for the columns of b."""
    need_axes(a)
    rows = b[-2:][:1]
    if not rows or not may_equal(rows[0], a[-2]) or not broadcasts(a[:-2], b[:-2]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: b is a vector of {a[-2]} elements or has matrices of {a[-2]} "
            f"rows, in a stack that broadcasts with that of a"
        )
    stack = broadcast_shapes(a[:-2], b[:-2])
    solution = (*stack, a[-1]) if len(b) == 1 else (*stack, a[-1], b[-1])
    return [solution, (*stack, 1 if len(b) == 1 else b[-1]), a[:-2], (*a[:-2], min_of(*a[-2:]))]


@op("floating", out=("same", "real", "int", "real"), shape=_lstsq_shape)
def lstsq(a: Array, /, b: Array, rcond: float | None = None) -> LstsqResult:
    """Solve each system of a stack by least squares: find the shortest x that minimises the length of ``a @ x - b``.

    Parameters
    ----------
    a: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.
    b: shape (M,) for one vector, else (..., M, K); the stacks broadcast together.
    rcond: singular values up to this times the greatest count as 0. By default ``max(M, N)`` times the distance from
        1 to the next number of the dtype; that distance alone where rcond is negative.

    Returns
    -------
    solution: shape (..., N) for one vector b, else (..., N, K), the common dtype. Where a has not full rank it is the
        solution of least length, on every backend.
    residuals: shape (..., K), or (..., 1) for one vector, real: the squared length of each column of ``b - a @ x``.
        NumPy and PyTorch leave it empty where a has not full rank or has no more rows than columns.
    rank: shape (...), the default int.
    singular_values: shape (..., min(M, N)), real, of a: from the greatest to the least.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: the shapes do not fit together.
    TypeError: float16 or bfloat16.

    Notes
    -----
    On NumPy it is LAPACK's gelsd. Elsewhere it is the pseudo-inverse times b: the routines of PyTorch and TensorFlow
    differ in what they make of matrices without full rank. That has derivatives where singular values are equal too.

    Examples
    --------
    >>> import latticework as lw
    >>> a = lw.asarray([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> fit = lw.linalg.lstsq(a, lw.asarray([1.0, 3.0, 5.0]))
    >>> lw.around(fit.solution, 4), fit.rank
    (Array([2., 1.], dtype=float32), Array(2, dtype=int32))
    """
    vector = b.ndim == 1
    right = b[:, None] if vector else b
    s = svdvals(a)
    eps = lw.finfo(s.dtype).eps
    least = eps * max(extents("linalg.lstsq", a, (-2, -1))) if rcond is None else eps if rcond < 0 else rcond
    large = s > least * s[..., :1]
    x = matmul(pinv(a, rtol=least), right)
    rest = right - matmul(a, x)
    squares = lw.square(lw.abs(rest)) if rest.dtype.kind == "c" else rest * rest
    rank = lw.astype(lw.count_nonzero(large, axis=-1), current().default_int)
    return LstsqResult(x[..., 0] if vector else x, lw.sum(squares, axis=-2), rank, s)


# --- triangles ----------------------------------------------------------------------------------------------------


def _triangular_shape(a: Any, b: Any, **_: Any) -> Shape:
    """Solve for one vector with each matrix where b has one axis, else for the columns of b."""
    try:
        return _shape_of_solve(a, b)
    except ValueError as error:
        raise ValueError(str(error).replace("x2", "b")) from None


@op("floating", shape=_triangular_shape)
def solve_triangular(
    a: Array, /, b: Array, *, upper: bool = False, transpose: bool = False, unit_diagonal: bool = False
) -> Array:
    """Solve ``a @ x = b`` for each triangular matrix in a stack.

    Parameters
    ----------
    a: shape (..., M, M), float32, float64 or complex; integers are taken as the default float. Only one triangle is
        read.
    b: shape (M,) for one vector, else (..., M, K); the stacks broadcast together.
    upper: whether a is upper triangular, and not lower. SciPy's `solve_triangular` has ``lower=False`` instead: its
        default is the upper triangle, and here it is the lower one, as for `cholesky`.
    transpose: whether to solve ``a.mT @ x = b``; elements are not conjugated.
    unit_diagonal: whether the diagonal is 1, and is not read.

    Returns
    -------
    The shape that the stacks and b give, in the common dtype.

    Raises
    ------
    LinAlgError: there is a 0 on the diagonal of a matrix. Inside jax.jit, tf.function and torch.func's transformations
        the result has infinities or nan instead, or the framework raises as it runs.
    ValueError: the shapes do not fit together.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.solve_triangular(lw.asarray([[2.0, 0.0], [1.0, 4.0]]), lw.asarray([2.0, 9.0]))
    Array([1., 2.], dtype=float32)
    """
    _triangular_shape(a.shape, b.shape)
    keep = lw.triu if upper else lw.tril
    if unit_diagonal:
        (n,) = extents("linalg.solve_triangular", a, (-1,))
        a = keep(a, k=1 if upper else -1) + lw.eye(n, dtype=a.dtype, device=a.device)
    else:
        a = keep(a)
    return solve(a.mT if transpose else a, b)


@op("floating", shape=_triangular_shape)
def cho_solve(c: Array, /, b: Array, *, upper: bool = False) -> Array:
    """Solve ``a @ x = b`` for each matrix in a stack, given its Cholesky factor.

    Parameters
    ----------
    c: shape (..., M, M), float32, float64 or complex; integers are taken as the default float: what `cholesky`
        returns for a. SciPy's `cho_solve` takes a pair of the factor and ``lower``.
    b: shape (M,) for one vector, else (..., M, K); the stacks broadcast together.
    upper: whether c is the upper triangular factor.

    Returns
    -------
    The shape that the stacks and b give, in the common dtype.

    Raises
    ------
    LinAlgError: there is a 0 on the diagonal of a factor, as for `solve_triangular`.
    ValueError: the shapes do not fit together.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> a = lw.asarray([[4.0, 2.0], [2.0, 5.0]])
    >>> lw.linalg.cho_solve(lw.linalg.cholesky(a), lw.asarray([8.0, 12.0]))
    Array([1., 2.], dtype=float32)
    """
    right = b[:, None] if b.ndim == 1 else b
    adjoint = lw.conj(c) if c.dtype.kind == "c" else c
    first, second = (adjoint, c) if upper else (c, adjoint)
    half = solve_triangular(first, right, upper=upper, transpose=upper)
    x = solve_triangular(second, half, upper=upper, transpose=not upper)
    return x[..., 0] if b.ndim == 1 else x


# --- factors ------------------------------------------------------------------------------------------------------


def _lu_factor_shape(x: Shape, **_: Any) -> list[Shape]:
    """Keep the shape, and return one exchange for each row or column, whichever are fewer."""
    need_axes(x)
    return [x, (*x[:-2], min_of(*x[-2:]))]


@op("floating", out=("same", "int32"), shape=_lu_factor_shape)
def lu_factor(x: Array, /) -> LUFactors:
    """Factor each matrix in a stack into triangles, with rows exchanged so that the pivots are large.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    LU: the shape and dtype of x: U on the diagonal and above it, and below it L, whose diagonal is 1.
    pivots: shape (..., min(M, N)), int32: row i was exchanged with row ``pivots[i]``, one after the other, counted
        from 0 as in SciPy and JAX (PyTorch counts from 1).

    A singular matrix has zeros on the diagonal of U.

    Raises
    ------
    ValueError: x has fewer than two axes.
    TypeError: float16 or bfloat16.

    Notes
    -----
    The composition eliminates one column after the other, in all matrices of the stack at once. It runs where the
    framework has no routine: on NumPy without SciPy, and on TensorFlow for matrices that are singular or not square.

    Examples
    --------
    >>> import latticework as lw
    >>> lu, pivots = lw.linalg.lu_factor(lw.asarray([[1.0, 2.0], [4.0, 4.0]]))
    >>> lu, pivots
    (Array([[4.  , 4.  ],
           [0.25, 1.  ]], dtype=float32), Array([1, 1], dtype=int32))
    """
    m, n = extents("linalg.lu_factor", x, (-2, -1))
    rows, columns = (lw.arange(k, dtype=int32, device=x.device) for k in (m, n))
    pivots = []
    for j in range(min(m, n)):
        column = x[..., :, j]
        size = lw.abs(lw.real(column)) + lw.abs(lw.imag(column)) if x.dtype.kind == "c" else lw.abs(column)
        pivot = lw.astype(lw.argmax(lw.where(rows >= j, size, -1.0), axis=-1, keepdims=True), int32)
        pivots.append(pivot)
        x = _exchanged(x, rows, j, pivot)
        top = x[..., j : j + 1, j : j + 1]
        factors = lw.where(rows[:, None] > j, x[..., :, j : j + 1] / lw.where(top == 0, 1.0, top), 0.0)
        rest = x - factors * lw.where(columns > j, x[..., j : j + 1, :], 0.0)
        x = lw.where((columns == j) & (rows[:, None] > j), factors, rest)
    if not pivots:
        return LUFactors(x * 1.0, lw.zeros((*x.shape[:-2], 0), dtype=int32, device=x.device))
    return LUFactors(x, lw.concat(pivots, axis=-1))


def _exchanged(x: Array, rows: Array, j: int, pivot: Array) -> Array:
    """Exchange row j of each matrix with the row `pivot`, of shape (..., 1)."""
    order = lw.where(rows == j, pivot, lw.where(rows == pivot, j, rows))
    return lw.take_along_axis(x, lw.broadcast_to(order[..., None], x.shape), axis=-2)


def _permutation_shape(pivots: Any, *, m: int, **_: Any) -> Shape:
    """Return one row for each of m."""
    return (*pivots[:-1], m)


@op("integral", shape=_permutation_shape)
def _permutation(pivots: Array, m: int, /) -> Array:
    """Return the order of m rows that exchanging them one after the other leads to."""
    rows = lw.arange(m, dtype=pivots.dtype, device=pivots.device)
    order = lw.broadcast_to(rows, (*pivots.shape[:-1], m))
    for j in range(pivots.shape[-1]):
        pivot = pivots[..., j : j + 1]
        order = lw.where(
            rows == j, lw.take_along_axis(order, pivot, axis=-1), lw.where(rows == pivot, order[..., j : j + 1], order)
        )
    return order


def _lu_shape(x: Shape, **_: Any) -> list[Shape]:
    """Return the shapes of a permutation and two triangles."""
    need_axes(x)
    *rest, m, n = x
    k = min_of(m, n)
    return [(*rest, m, m), (*rest, m, k), (*rest, k, n)]


@op("floating", out=("same", "same", "same"), shape=_lu_shape)
def lu(x: Array, /) -> LUResult:
    """Decompose each matrix in a stack into a permutation and two triangles: ``x = P @ L @ U``.

    Parameters
    ----------
    x: shape (..., M, N), float32, float64 or complex; integers are taken as the default float.

    Returns
    -------
    P: shape (..., M, M), the dtype of x: a permutation of the rows.
    L: shape (..., M, K) for K = min(M, N), lower triangular with ones on the diagonal.
    U: shape (..., K, N), upper triangular.

    Raises
    ------
    ValueError: x has fewer than two axes.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> P, L, U = lw.linalg.lu(lw.asarray([[1.0, 2.0], [4.0, 4.0]]))
    >>> L, U
    (Array([[1.  , 0.  ],
           [0.25, 1.  ]], dtype=float32), Array([[4., 4.],
           [0., 1.]], dtype=float32))
    """
    m, n = extents("linalg.lu", x, (-2, -1))
    k = min(m, n)
    factors, pivots = lu_factor(x)
    order = _permutation(pivots, m)
    rows = lw.arange(m, dtype=order.dtype, device=x.device)
    permutation = lw.astype(rows[:, None] == order[..., None, :], x.dtype)
    lower = lw.tril(factors[..., :, :k], k=-1) + lw.eye(m, k, dtype=x.dtype, device=x.device)
    return LUResult(permutation, lower, lw.triu(factors[..., :k, :]))


def _lu_solve_shape(lu: Any, pivots: Any, b: Any, **_: Any) -> Shape:
    """Solve for one vector with each matrix where b has one axis, else for the columns of b."""
    return _triangular_shape(lu, b)


@op("floating", shape=_lu_solve_shape, pivots="own")
def _lu_solve(lu: Array, pivots: Array, b: Array, /) -> Array:
    """Solve systems with the factors that `lu_factor` returns."""
    (n,) = extents("linalg.lu_solve", lu, (-1,))
    right = b[:, None] if b.ndim == 1 else b
    order = _permutation(pivots, n)
    stack: Any = broadcast_shapes(order.shape[:-1], right.shape[:-2])
    order, right = (lw.broadcast_to(y, (*stack, *y.shape[-k:])) for y, k in ((order, 1), (right, 2)))
    right = lw.take_along_axis(right, lw.broadcast_to(order[..., None], right.shape), axis=-2)
    x = solve_triangular(lu, solve_triangular(lu, right, unit_diagonal=True), upper=True)
    return x[..., 0] if b.ndim == 1 else x


@composed
def lu_solve(factors: tuple[Array, Array], /, b: Array, **unknown: Never) -> Array:
    """Solve ``x1 @ x = b`` for each matrix x1 in a stack, given what `lu_factor` returns for it.

    Parameters
    ----------
    factors: the two results of `lu_factor`: shapes (..., M, M) and (..., M).
    b: shape (M,) for one vector, else (..., M, K); the stacks broadcast together.

    Returns
    -------
    The shape that the stacks and b give, in the common dtype.

    Raises
    ------
    LinAlgError: a matrix is singular, as for `solve_triangular`.
    ValueError: the shapes do not fit together.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> factors = lw.linalg.lu_factor(lw.asarray([[1.0, 2.0], [4.0, 4.0]]))
    >>> lw.linalg.lu_solve(factors, lw.asarray([5.0, 12.0]))
    Array([1., 2.], dtype=float32)
    """
    if unknown:
        raise unexpected("linalg.lu_solve", unknown)
    given: Any = factors
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        kind = type(factors).__name__
        raise TypeError(f"linalg.lu_solve: factors are the two results of linalg.lu_factor; got {kind}")
    lu, pivots = given
    return _lu_solve(lu, pivots, b)


# --- systems of arrays --------------------------------------------------------------------------------------------


def _size(extents: Shape) -> Any:
    size: Any = 1
    for n in extents:
        size = None if n is None or size is None else size * n
    return size


def _tensorinv_shape(x: Shape, *, ind: Any = 2, **_: Any) -> Shape:
    """Exchange the axes before and after one."""
    if not ind > 0:
        raise ValueError(f"ind is 1 or more; got {ind!r}")
    if not may_equal(_size(x[:ind]), _size(x[ind:])):
        raise ValueError(
            f"the first {ind} axes have to have as many elements as the others: {_size(x[:ind])} and {_size(x[ind:])} "
            f"for shape {x}"
        )
    return (*x[ind:], *x[:ind])


@op("floating", shape=_tensorinv_shape)
def tensorinv(x: Array, /, ind: int = 2) -> Array:
    """Invert an array as the matrix that its first axes are the rows of, and the others the columns.

    Parameters
    ----------
    x: float32, float64 or complex; integers are taken as the default float. The product of the first `ind` extents is
        that of the others.
    ind: how many axes are the rows.

    Returns
    -------
    The dtype of x, and the extents of the columns before those of the rows: with ``tensordot(result, x, ind)`` it
        gives the identity.

    Raises
    ------
    LinAlgError: the matrix is singular.
    ValueError: the extents do not fit together.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.tensorinv(lw.reshape(lw.eye(6), (6, 2, 3)), ind=1).shape
    (2, 3, 6)
    """
    shape = extents("linalg.tensorinv", x)
    result = _tensorinv_shape(shape, ind=ind)
    size = _size(shape[:ind])
    return lw.reshape(inv(lw.reshape(x, (size, size))), result)  # type: ignore[arg-type]


def _tensorsolve_shape(a: Any, b: Any, *, axes: Any = None, **_: Any) -> Shape:
    """Return the axes of a that come after as many as b has."""
    order = _moved_to_end(a, axes)
    if not all(map(may_equal, order[: len(b)], b)) or len(order) < len(b):
        raise ValueError(f"shapes {a} and {b} do not fit together: a begins with the axes of b")
    result = order[len(b) :]
    if not may_equal(_size(result), _size(b)):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: the axes {result} of a have to have as many elements as b"
        )
    return result


def _moved_to_end(shape: Shape, axes: Any) -> Shape:
    moved = [one_axis(i, shape) for i in axes or ()]
    return (*[n for i, n in enumerate(shape) if i not in moved], *[shape[i] for i in moved])


@op("floating", shape=_tensorsolve_shape)
def tensorsolve(a: Array, /, b: Array, axes: tuple[int, ...] | None = None) -> Array:
    """Solve ``tensordot(a, x, x.ndim) = b`` for x.

    Parameters
    ----------
    a: float32, float64 or complex; integers are taken as the default float. Its first axes are those of b, and the
        others, with as many elements, those of x.
    b: the right side, any shape.
    axes: axes of a that are moved to the end first.

    Returns
    -------
    The other axes of a, in the common dtype.

    Raises
    ------
    LinAlgError: the system is singular.
    ValueError: the shapes do not fit together.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> a = lw.reshape(lw.eye(6), (2, 3, 6))
    >>> lw.linalg.tensorsolve(a, lw.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    Array([1., 2., 3., 4., 5., 6.], dtype=float32)
    """
    shape = extents("linalg.tensorsolve", a)
    result = _tensorsolve_shape(shape, extents("linalg.tensorsolve", b), axes=axes)
    if axes:
        moved = [one_axis(i, shape) for i in axes]
        a = lw.permute_dims(a, (*[i for i in range(a.ndim) if i not in moved], *moved))
    size = _size(result)
    return lw.reshape(solve(lw.reshape(a, (size, size)), lw.reshape(b, (size,))), result)  # type: ignore[arg-type]
