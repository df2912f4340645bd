"""PyTorch's ``torch.linalg``."""

from __future__ import annotations

from math import prod
from typing import Any

from .core import LinAlgError, complete, dialect, ops, with_slope_of
from .named import named

# fmt: off
__all__ = ["LinAlgError"]

_CHOLESKY, _INV = named("linalg_cholesky_ex", "L", "info"), named("linalg_inv_ex", "inverse", "info")
_SOLVE, _SLOGDET = named("linalg_solve_ex", "result", "info"), named("linalg_slogdet", "sign", "logabsdet")
_EIG, _EIGH = named("linalg_eig", "eigenvalues", "eigenvectors"), named("linalg_eigh", "eigenvalues", "eigenvectors")
_QR, _SVD = named("linalg_qr", "Q", "R"), named("linalg_svd", "U", "S", "Vh")
_LU, _FACTORS = named("linalg_lu", "P", "L", "U"), named("linalg_lu_factor", "LU", "pivots")
_FACTORS_EX = named("linalg_lu_factor_ex", "LU", "pivots", "info")
_LSTSQ = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")

def _square(name: str, A: Any) -> Any:
    """Check that a tensor holds square matrices of floating point or complex numbers."""
    _matrix(name, A)
    if A._array.shape[-1] != A._array.shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be of square matrices; got shape {list(A._array.shape)}")
    return A

def _matrix(name: str, A: Any) -> Any:
    """Check that a tensor holds matrices of floating point or complex numbers."""
    if type(A) is not dialect.array:
        raise TypeError(f"linalg_{name}(): argument 'A' must be Tensor, not {type(A).__name__}")
    if A._array.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions; got {A._array.ndim}")
    return _number(name, A)

def _number(name: str, A: Any) -> Any:
    if A._array.dtype.kind not in "fc" or A._array.dtype.itemsize < 4:
        raise NotImplementedError(
            f"linalg.{name}: Expected float, double or complex tensors; got {A.dtype}. Cast it first"
        )
    return A

def cross(input, other, *, dim=-1, out=None): return ops.linalg.cross(*_threes(input, other, dim), axis=dim)
def det(A, *, out=None): return ops.linalg.det(_square("det", A))
def diagonal(A, *, offset=0, dim1=-2, dim2=-1): return ops.diagonal(A, offset, dim1, dim2)
def eig(A, *, out=None): return _EIG(*ops.linalg.eig(_square("eig", A)))
def eigh(A, UPLO="L", *, out=None): return _EIGH(*ops.linalg.eigh(_hermitian("eigh", A, UPLO)))
def eigvals(A, *, out=None): return ops.linalg.eigvals(_square("eigvals", A))
def eigvalsh(A, UPLO="L", *, out=None): return ops.linalg.eigvalsh(_hermitian("eigvalsh", A, UPLO))
def inv(A, *, out=None): return ops.linalg.inv(_square("inv", A))
def matmul(input, other, *, out=None): return ops.matmul(input, other)
def matrix_exp(A): return ops.linalg.matrix_exp(_square("matrix_exp", A))
def matrix_power(A, n, *, out=None): return ops.linalg.matrix_power(_square("matrix_power", A), n)
def qr(A, mode="reduced", *, out=None): return _qr(_matrix("qr", A), mode)
def slogdet(A, *, out=None): return _SLOGDET(*ops.linalg.slogdet(_square("slogdet", A)))
def svdvals(A, *, driver=None, out=None): return ops.linalg.svdvals(_matrix("svdvals", A))
def tensorinv(A, ind=2, *, out=None): return ops.linalg.tensorinv(_number("tensorinv", A), ind)
# fmt: on


def tensorsolve(A, B, dims=None, *, out=None):
    axes = None if dims is None else tuple(dims)
    rank, shape = B._array.ndim, A._array.shape
    if B._array.size**2 == A._array.size and (axes is None or all(-len(shape) <= i < len(shape) for i in axes)):
        moved = {i % len(shape) for i in axes or ()}
        shape = [n for i, n in enumerate(shape) if i not in moved] + [shape[i] for i in axes or ()]
        if prod(shape[:rank]) == B._array.size:  # no more is asked of the shape of B
            B = ops.reshape(B, shape[:rank])
    return ops.linalg.tensorsolve(_number("tensorsolve", A), B, axes)


def vander(x, N=None):
    kind = x._array.dtype.kind
    if kind == "b":
        raise RuntimeError("linalg.vander supports floating point, complex, and integer tensors, but got torch.bool")
    x = x if x._array.ndim else ops.reshape(x, (1,))
    return ops.vander(x._to("int64") if kind in "iu" else x, N, True)


def _threes(input: Any, other: Any, dim: Any) -> tuple[Any, Any]:
    if "b" in (input._array.dtype.kind, other._array.dtype.kind):
        raise NotImplementedError("linalg.cross: not implemented for torch.bool. Cast it first: x.float()")
    if input._array.ndim != other._array.ndim:
        raise RuntimeError(
            f"linalg.cross: expected as many dimensions of each; got {input._array.ndim} and {other._array.ndim}"
        )
    if input._array.shape[input._axis(dim)] != 3 or other._array.shape[other._axis(dim)] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3")
    return input, other


def _hermitian(name: str, A: Any, UPLO: Any) -> Any:
    """Return a matrix whose lower triangle counts: the adjoint of A where the upper one is requested."""
    _square(name, A)
    if str(UPLO).upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    if str(UPLO).upper() == "L":
        return A
    return ops.conj(ops.matrix_transpose(A)) if A._array.dtype.kind == "c" else ops.matrix_transpose(A)


# --- decompositions -------------------------------------------------------------------------------------------------


def _status(A: Any) -> Any:
    """The codes of success, one for each matrix."""
    return ops.zeros(A._array.shape[:-2], dtype="int32")


def cholesky(A, *, upper=False, out=None):
    return ops.linalg.cholesky(_square("cholesky", A), upper=upper)


def cholesky_ex(A, *, upper=False, check_errors=False, out=None):
    """The factor and a code: 0, or the order of the leading minor that is not positive definite."""
    _square("cholesky_ex", A)
    if check_errors or not A._array._sig.backend.lazy:
        try:
            return _CHOLESKY(ops.linalg.cholesky(A, upper=upper), _status(A))
        except LinAlgError:
            if check_errors:
                raise
    size = A._array.shape[-1]
    minors = [ops.linalg.det(A[..., :k, :k]) for k in range(1, size + 1)]
    bad = ops.stack([ops.logical_not(ops.greater(ops.real(d), 0)) for d in minors], axis=-1)
    info = ops.where(ops.any(bad, axis=-1), ops.add(ops.argmax(bad._to("int64"), axis=-1), 1), 0)._to("int32")
    good = ops.reshape(ops.equal(info, 0), (*info._array.shape, 1, 1))
    safe = ops.where(good, A, ops.eye(size, dtype=A.dtype))
    return _CHOLESKY(ops.linalg.cholesky(safe, upper=upper), info)


def inv_ex(A, *, check_errors=False, out=None):
    """The inverse and a code: 0, or the place of the first zero in the diagonal of U."""
    _square("inv_ex", A)
    info = _singular(A)
    if check_errors and bool(ops.any(ops.not_equal(info, 0))):
        raise LinAlgError("linalg.inv_ex: the matrix is singular, so it has no inverse")
    return _INV(ops.linalg.inv(_regular(A, info)), info)


def _singular(A: Any) -> Any:
    """The codes of an LU decomposition: the place of the first zero in the diagonal of U, counted from 1."""
    if not A._array.size:
        return ops.zeros(A._array.shape[:-2], dtype="int32")
    zeros = ops.equal(ops.linalg.diagonal(ops.linalg.lu_factor(A)[0]), 0)
    place = ops.add(ops.argmax(zeros._to("int64"), axis=-1), 1)
    return ops.where(ops.any(zeros, axis=-1), place, ops.zeros_like(place))._to("int32")


def _regular(A: Any, info: Any) -> Any:
    """The matrices, with that of ones on the diagonal in the place of singular ones."""
    good = ops.reshape(ops.equal(info, 0), (*info._array.shape, 1, 1))
    return ops.where(good, A, ops.eye(A._array.shape[-1], dtype=A.dtype))


def lu(A, *, pivot=True, out=None):
    _matrix("lu", A)
    _pivots(pivot)
    return _LU(*ops.linalg.lu(A))


def _pivots(pivot: Any) -> None:
    if not pivot:
        raise RuntimeError("linalg.lu: pivot=False is of CUDA devices alone, in PyTorch as well")


def lu_factor(A, *, pivot=True, out=None):
    _matrix("lu_factor", A)
    _pivots(pivot)
    factors, pivots = ops.linalg.lu_factor(A)
    return _FACTORS(factors, ops.add(pivots, 1))


def lu_factor_ex(A, *, pivot=True, check_errors=False, out=None):
    factors, pivots = lu_factor(A, pivot=pivot)
    zeros = ops.equal(ops.linalg.diagonal(factors), 0)
    place = ops.add(ops.argmax(zeros._to("int64"), axis=-1), 1)
    info = ops.where(ops.any(zeros, axis=-1), place, ops.zeros_like(place))._to("int32")
    if check_errors and bool(ops.any(ops.not_equal(info, 0))):
        raise LinAlgError("linalg.lu_factor_ex: U has a zero on its diagonal, so it is singular")
    return _FACTORS_EX(factors, pivots, info)


def _qr(A: Any, mode: str) -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced', 'r', or 'complete'")
    q, r = ops.linalg.qr(A, mode="reduced" if mode == "r" else mode)
    return _QR(ops.zeros((0,), dtype=A.dtype) if mode == "r" else q, r)


def svd(A, full_matrices=True, *, driver=None, out=None):
    return _SVD(*ops.linalg.svd(_matrix("svd", A), full_matrices=full_matrices))


# --- equations ------------------------------------------------------------------------------------------------------


def _vectors(A: Any, B: Any) -> bool:
    """Return whether B holds vectors: it has one axis, or the shape of A without the last axis."""
    return B._array.ndim == 1 or (A._array.ndim - 1 == B._array.ndim and B._array.shape == A._array.shape[:-1])


def _same(name: str, A: Any, B: Any) -> None:
    if A._array.dtype is not B._array.dtype:
        raise RuntimeError(f"linalg.{name}: Expected A and B to have the same dtype, but found {A.dtype} and {B.dtype}")


def _adjoint(x: Any) -> Any:
    return ops.conj(ops.matrix_transpose(x)) if x._array.dtype.kind == "c" else ops.matrix_transpose(x)


def solve(A, B, *, left=True, out=None):
    _square("solve", A)
    _same("solve", A, B)
    if not left:
        return ops.matrix_transpose(ops.linalg.solve(ops.matrix_transpose(A), ops.matrix_transpose(B)))
    if B._array.ndim > 1 and _vectors(A, B):
        return ops.squeeze(ops.linalg.solve(A, ops.expand_dims(B, axis=-1)), axis=-1)
    return ops.linalg.solve(A, B)


def solve_ex(A, B, *, left=True, check_errors=False, out=None):
    """The solution and a code: 0, or the place of the first zero in the diagonal of U."""
    _square("solve_ex", A)
    info = _singular(A)
    if check_errors and bool(ops.any(ops.not_equal(info, 0))):
        raise LinAlgError("linalg.solve_ex: the matrix is singular, so there is no solution")
    return _SOLVE(solve(_regular(A, info), B, left=left), info)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    _square("solve_triangular", A)
    _same("solve_triangular", A, B)
    if B._array.ndim < 2:
        raise RuntimeError(f"linalg.solve_triangular: B must have at least 2 dimensions; got {B._array.ndim}")
    if not left:
        A, B = ops.matrix_transpose(A), ops.matrix_transpose(B)
    upper = bool(upper) == bool(left)
    made = ops.linalg.solve_triangular(A, B, upper=upper, unit_diagonal=unitriangular)
    return made if left else ops.matrix_transpose(made)


def lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None):
    _square("lu_solve", LU)
    _same("lu_solve", LU, B)
    if not adjoint and left:
        return ops.linalg.lu_solve((LU, ops.subtract(pivots, 1)), B)
    size = LU._array.shape[-1]
    inverse = ops.linalg.lu_solve((LU, ops.subtract(pivots, 1)), ops.eye(size, dtype=LU.dtype))
    inverse = _adjoint(inverse) if adjoint else inverse
    return ops.matmul(inverse, B) if left else ops.matmul(B, inverse)


def lstsq(A, B, rcond=None, *, driver=None):
    """Least squares. The rank and the singular values are given for the drivers that compute them."""
    _matrix("lstsq", A)
    _same("lstsq", A, B)
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            f"torch.linalg.lstsq: parameter `driver` should be one of gels, gelsy, gelsd, gelss; got {driver}"
        )
    vectors = _vectors(A, B) and B._array.ndim > 1
    found = ops.linalg.lstsq(A, ops.expand_dims(B, axis=-1) if vectors else B, rcond)
    rows, columns = A._array.shape[-2:]
    empty = ops.zeros((0,), dtype=found.residuals.dtype)
    residuals = found.residuals if rows > columns and driver not in (None, "gelsy") else empty
    solution = ops.squeeze(found.solution, axis=-1) if vectors else found.solution
    values = ops.stop_gradient(found.singular_values) if driver in ("gelsd", "gelss") else empty
    rank = found.rank._to("int64") if driver != "gels" else ops.zeros((0,), dtype="int64")
    return _LSTSQ(solution, residuals, rank, values)


def multi_dot(tensors, *, out=None):
    if len(tensors) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors")
    return ops.linalg.multi_dot(list(tensors))


def pinv(A, *, atol=None, rtol=None, hermitian=False, out=None):
    _matrix("pinv", A)
    if hermitian:  # of the elements above the diagonal too PyTorch gives the slope of any matrix
        A = with_slope_of(_mirrored(A), A)
    return ops.linalg.pinv(A, rtol=_relative(A, atol, rtol))


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    _matrix("matrix_rank", A)
    if hermitian:
        A = _mirrored(A)
    atol = tol if atol is None else atol
    return ops.linalg.matrix_rank(A, rtol=_relative(A, atol, rtol))


def _mirrored(A: Any) -> Any:
    """The Hermitian matrix of a lower triangle."""
    return ops.add(ops.tril(A), _adjoint(ops.tril(A, k=-1)))


def _relative(A: Any, atol: Any, rtol: Any) -> Any:
    """The relative tolerance that an absolute and a relative one come to; None for that of the function."""
    if atol is None:
        return rtol
    most = ops.max(ops.linalg.svdvals(A), axis=-1)
    relative = ops.divide(atol, most)
    return relative if rtol is None else ops.maximum(relative, ops.full_like(relative, rtol))


# --- norms ----------------------------------------------------------------------------------------------------------


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def _cast(name: str, x: Any, dtype: Any) -> Any:
    if dtype is not None and dialect.dtype_of(dtype).kind != x._array.dtype.kind and x._array.dtype.kind in "fc":
        raise RuntimeError(f"linalg.{name}: dtype should be of the kind of the input, {x.dtype}; got {dtype}")
    x = x if dtype is None else x._to(dtype)
    if x._array.dtype.kind not in "fc":
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {x.dtype}")
    return x


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    x = _cast("vector_norm", x, dtype)
    axes = _axes(dim) or None if dim != 0 else 0
    if axes is None and not keepdim and x._array.ndim != 1:
        x = ops.reshape(x, (-1,))
    return ops.linalg.vector_norm(x, axis=axes, ord=float(ord), keepdims=keepdim)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    A = _cast("matrix_norm", A, dtype)
    if A._array.ndim < 2 or len(dim) != 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor must have at least 2 dimensions, and dim two axes")
    rows, columns = (A._axis(d) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    made = ops.linalg.matrix_norm(ops.moveaxis(A, (rows, columns), (-2, -1)), ord=ord)
    return ops.expand_dims(made, axis=tuple(sorted((rows, columns)))) if keepdim else made


def norm(input, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    input, axes = _cast("norm", input, dtype), _axes(dim)
    if ord is None:
        return vector_norm(input, 2, axes, keepdim)
    count = input._array.ndim if axes is None else 1 if isinstance(axes, int) else len(axes)
    if axes is None and count not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {count}D."
        )
    if count == 1 and not isinstance(ord, str):
        return vector_norm(input, ord, axes, keepdim)
    return matrix_norm(input, ord, (0, 1) if axes is None else axes, keepdim)


def cond(A, p=None, *, out=None):
    if p not in (None, 2, -2):
        _square("cond", A)
    return ops.linalg.cond(_matrix("cond", A), p)


def vecdot(x, y, *, dim=-1, out=None):
    if x._array.dtype is not y._array.dtype:
        raise RuntimeError(f"linalg.vecdot: Expected x and y of one dtype, but found {x.dtype} and {y.dtype}")
    return ops.linalg.vecdot(x, y, axis=dim)


complete(globals(), scalars="vector_norm", view="torch.linalg")
