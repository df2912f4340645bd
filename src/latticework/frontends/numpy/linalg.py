"""`numpy.linalg`: decompositions, solutions, norms and products of matrices."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy
from numpy.linalg import LinAlgError

from ...api.linalg.extension import EigResult
from .base import NO_VALUE, as_array, cast, dialect, ops, tells, write
from .products import outer as _outer
from .products import tensordot as _tensordot
from .reductions import max as _max
from .reductions import sum as _sum
from .shaping import by_numpy
from .ufuncs import matmul as _matmul
from .ufuncs import vecdot as _vecdot

__all__ = ["LinAlgError"]


def _matrices(name: str, a: Any, square: bool = True) -> Any:
    a = as_array(a)
    if a.ndim < 2:
        raise LinAlgError(f"{name}: takes matrices, of two axes or more; got shape {a.shape}")
    if square and a.shape[-1] != a.shape[-2]:
        raise LinAlgError(f"{name}: takes square matrices, along the last two axes; got shape {a.shape}")
    return a


# fmt: off
def inv(a): return ops.linalg.inv(_matrices("inv", a))
def det(a): return ops.linalg.det(_matrices("det", a))
def cholesky(a, /, *, upper=False): return ops.linalg.cholesky(_matrices("cholesky", a), upper=upper)
def eigvals(a): return _real_if_all(ops.linalg.eigvals(_finite("eigvals", a)), a)
def slogdet(a): return ops.linalg.slogdet(_matrices("slogdet", a))
def svdvals(x, /): return ops.linalg.svdvals(_matrices("svdvals", x, square=False))
def matmul(x1, x2, /): return _matmul(x1, x2)
def tensordot(x1, x2, /, *, axes=2): return _tensordot(x1, x2, axes)
def vecdot(x1, x2, /, *, axis=-1): return _vecdot(x1, x2, axis=axis)
def matrix_transpose(x, /): return ops.matrix_transpose(as_array(x))
def diagonal(x, /, *, offset=0): return ops.linalg.diagonal(as_array(x), offset=offset)
# fmt: on


def matrix_power(a, n):
    a, n = _matrices("matrix_power", a), operator.index(n)
    if a._array.dtype.kind in "biu":
        if n < 0:
            return ops.linalg.matrix_power(inv(a), -n)
        return _power_of_whole_numbers(a, n)
    return ops.linalg.matrix_power(a, n)


def _power_of_whole_numbers(a: Any, n: int) -> Any:
    """A power of matrices of integers or bools, in their own dtype: by squares."""
    if n == 0:
        return ops.broadcast_to(ops.eye(a.shape[-1], dtype=a._array.dtype), a.shape).copy()
    found: Any = None
    while n:
        if n & 1:
            found = a if found is None else _matmul(found, a)
        n >>= 1
        a = _matmul(a, a) if n else a
    return found.copy()


def tensorinv(a, ind=2):
    a = as_array(a)
    if ind <= 0:
        raise ValueError(f"tensorinv: ind is at least 1; got {ind}")
    if math.prod(a.shape[:ind]) != math.prod(a.shape[ind:]):
        raise LinAlgError(
            f"tensorinv: the first {ind} axes have to have as many elements as the others; got shape {a.shape}"
        )
    return ops.linalg.tensorinv(a, ind)


def trace(x, /, *, offset=0, dtype=None):
    return _sum(diagonal(x, offset=offset), -1, dtype)


def outer(x1, x2, /):
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: takes two vectors; got shapes {x1.shape} and {x2.shape}")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    x1, x2 = as_array(x1), as_array(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross: takes vectors of 3 numbers along the axis; got shapes {x1.shape} and {x2.shape}")
    return ops.linalg.cross(x1, x2, axis=axis)


def solve(a, b):
    a, b = _matrices("solve", a), as_array(b)
    return ops.linalg.solve(a, b)


def tensorsolve(a, b, axes=None):
    a, b = as_array(a), as_array(b)
    if a.size != b.size**2:
        raise LinAlgError(
            f"tensorsolve: the axes of a beyond those of b have as many elements as b; got shapes {a.shape}, {b.shape}"
        )
    return ops.linalg.tensorsolve(a, b, None if axes is None else tuple(axes))


def _finite(name: str, a: Any) -> Any:
    a = _matrices(name, a)
    if a._array.dtype.kind in "fc" and tells(ops.any(~ops.isfinite(a))):
        raise LinAlgError(f"{name}: the matrix has infinite values or NaN")
    return a


def _real_if_all(x: Any, a: Any) -> Any:
    """Real eigenvalues of a real matrix, where all imaginary parts are 0, as NumPy gives them."""
    return ops.real(x) if as_array(a)._array.dtype.kind != "c" and tells(ops.all(ops.imag(x) == 0)) else x


def eig(a):
    a = _finite("eig", a)
    values, vectors = ops.linalg.eig(a)
    real = _real_if_all(values, a)
    return EigResult(real, vectors if real is values else ops.real(vectors))


def _one_triangle(name: str, a: Any, UPLO: str) -> Any:
    a, side = _matrices(name, a), UPLO.upper()
    if side not in ("L", "U"):
        raise ValueError(f"{name}: UPLO is 'L' or 'U'; got {UPLO!r}")
    half = ops.tril(a) if side == "L" else ops.triu(a)
    other = ops.matrix_transpose(ops.tril(a, -1) if side == "L" else ops.triu(a, 1))
    return half + (ops.conj(other) if a._array.dtype.kind == "c" else other)


def eigh(a, UPLO="L"):
    return ops.linalg.eigh(_one_triangle("eigh", a, UPLO))


def eigvalsh(a, UPLO="L"):
    return ops.linalg.eigvalsh(_one_triangle("eigvalsh", a, UPLO))


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    a = _matrices("svd", a, square=hermitian)
    return ops.linalg.svd(a, full_matrices) if compute_uv else ops.linalg.svdvals(a)


def qr(a, mode="reduced"):
    a = _matrices("qr", a, square=False)
    if mode not in ("reduced", "complete", "r"):  # LAPACK's own form, old names, and unknown modes
        return by_numpy(numpy.linalg.qr)(a, mode)
    found = ops.linalg.qr(a, "complete" if mode == "complete" else "reduced")
    return found[1] if mode == "r" else found


def lstsq(a, b, rcond=None):
    a, b = _matrices("lstsq", a, square=False), as_array(b)
    if a.shape[0] != b.shape[0]:
        raise LinAlgError(f"lstsq: a and b have as many rows; got {a.shape[0]} and {b.shape[0]}")
    if rcond is not None and type(rcond) in (int, float) and rcond < 0:  # as precise as the dtype is
        rcond = float(numpy.finfo(numpy.result_type(a.dtype, b.dtype, numpy.float32)).eps) / 2
    x, residuals, rank, s = ops.linalg.lstsq(a, b, rcond)
    return x, residuals if a.shape[0] > a.shape[1] else residuals[:0], rank if s.size else 0, s


def pinv(a, rcond=None, hermitian=False, *, rtol=NO_VALUE):
    a = _matrices("pinv", a, square=hermitian)
    if rcond is not None and rtol is not NO_VALUE:
        raise ValueError("pinv: rcond and rtol are the same; give one of them")
    tolerance = rcond if rtol is NO_VALUE else rtol
    if tolerance is None and rtol is NO_VALUE:
        tolerance = 1e-15
    return ops.linalg.pinv(
        a, rtol=tolerance if tolerance is None or isinstance(tolerance, float) else as_array(tolerance)
    )


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    A = as_array(A)
    if A.ndim < 2:
        return int(bool(ops.any(A != 0)))
    if tol is not None:
        if rtol is not None:
            raise ValueError("matrix_rank: give tol or rtol, not both")
        return ops.count_nonzero(ops.linalg.svdvals(A) > as_array(tol)[..., None], axis=-1)
    if rtol is not None and getattr(rtol, "__len__", None) is not None and as_array(rtol).ndim:
        s = ops.linalg.svdvals(A)
        least = ops.max(s, axis=-1, keepdims=True) * as_array(rtol)[..., None]
        return ops.count_nonzero(s > least, axis=-1)
    return ops.linalg.matrix_rank(A, rtol=None if rtol is None else float(rtol))


def cond(x, p=None):
    x = as_array(x)
    if x.ndim < 2 or not x.size:
        raise LinAlgError(f"cond: takes matrices with elements; got shape {x.shape}")
    return ops.linalg.cond(_matrices("cond", x, square=p not in (None, 2, -2)), p)


def norm(x, ord=None, axis=None, keepdims=False):
    x = as_array(x)
    axis = tuple(axis) if isinstance(axis, list) else axis
    axes = x.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if isinstance(ord, str) and (axes != 2 or ord not in ("fro", "nuc")):
        raise ValueError(f"norm: an order in words is 'fro' or 'nuc', of matrices; got {ord!r} along {axes} axes")
    if axes == 1 and ord == numpy.inf and x.size == 0:
        return _largest_of_none(x, axis, keepdims)
    return ops.linalg.norm(x, ord, axis, keepdims)


def _largest_of_none(x: Any, axis: Any, keepdims: bool) -> Any:
    """The norm of order inf of no elements: 0."""
    x = x if x._array.dtype.kind in "fc" else cast(x, float)
    return _max(ops.abs(x), axis, None, keepdims, 0)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    x = as_array(x)
    if ord == numpy.inf and x.size == 0:
        return _largest_of_none(x, axis, keepdims)
    return ops.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return ops.linalg.matrix_norm(as_array(x), keepdims=keepdims, ord=ord)


def multi_dot(arrays, *, out=None):
    found = ops.linalg.multi_dot([as_array(x) for x in arrays])
    return found if out is None else write("multi_dot", out, found)


dialect.finish(globals())
