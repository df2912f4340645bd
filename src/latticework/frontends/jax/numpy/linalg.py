"""`jax.numpy.linalg`: decompositions, solutions, norms."""

from __future__ import annotations

import math
import operator
from typing import Any

import latticework as lw

from ..core import as_array, dialect, ops, our_dtype
from .data_types import float_of


def _square(a: Any, name: str, *, rank: type = ValueError, shape: type = ValueError) -> Any:
    """Check that the matrices of an array are square: `rank` and `shape` are the errors for a wrong rank or shape."""
    a = as_array(a, name)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise (rank if a.ndim < 2 else shape)(f"Argument to {name} must have shape [..., n, n], got {a.shape}.")
    return a


def _matrix(a: Any, name: str, error: type = TypeError) -> Any:
    a = as_array(a, name)
    if a.ndim < 2:
        raise error(f"Argument to {name} must have ndims >= 2, got shape {a.shape}.")
    return a


def _adjoint(a: Any) -> Any:
    return ops.conj(ops.matrix_transpose(a)) if a.dtype.kind == "c" else ops.matrix_transpose(a)


def _symmetrized(a: Any) -> Any:
    (a,) = floating(a)
    return (a + _adjoint(a)) / 2


def floating(*xs: Any) -> list[Any]:
    """Arrays cast to the floating dtype that they promote to."""
    arrays = [as_array(x) for x in xs]
    if len(arrays) == 1 and arrays[0].dtype.kind in "fcV":
        return arrays
    dtype = our_dtype(float_of(*arrays))
    return [ops.astype(x, dtype) for x in arrays]


# --- decompositions -------------------------------------------------------------------------------------------------


def cholesky(a: Any, *, upper: bool = False, symmetrize_input: bool = True) -> Any:
    a = _square(a, "cholesky", rank=TypeError, shape=TypeError if symmetrize_input else ValueError)
    found = _cholesky(_symmetrized(a) if symmetrize_input else a)
    return _adjoint(found) if upper else found


def _cholesky(a: Any) -> Any:
    """The triangles, which are of NaN where a matrix is not positive definite."""
    try:
        return ops.linalg.cholesky(a)
    except lw.errors.LinAlgError:
        if a.ndim == 2:
            return ops.tril(ops.full(a.shape, math.nan, dtype=our_dtype(float_of(a))))
        flat = ops.reshape(a, (-1, *a.shape[-2:]))
        return ops.reshape(ops.stack([_cholesky(x) for x in ops.unstack(flat)]), a.shape)


def qr(a: Any, mode: str = "reduced") -> Any:
    a = _matrix(a, "qr")
    if mode not in ("reduced", "complete", "r", "raw", "full"):
        raise ValueError(f"Unsupported QR decomposition mode '{mode}'")
    if mode == "raw":
        raise NotImplementedError("qr: the mode 'raw' is not there in this dialect")
    found = ops.linalg.qr(a, mode="complete" if mode in ("complete", "full") else "reduced")
    return found[1] if mode == "r" else found


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False, subset_by_index: Any = None
) -> Any:
    if subset_by_index is not None:
        raise NotImplementedError("svd: subset_by_index is not there in this dialect")
    a = _matrix(a, "svd")
    return ops.linalg.svd(a, full_matrices) if compute_uv else ops.linalg.svdvals(a)


def svdvals(x: Any, /) -> Any:
    return ops.linalg.svdvals(_matrix(x, "svdvals"))


def eig(a: Any) -> Any:
    return ops.linalg.eig(_square(a, "eig", rank=TypeError))


def eigvals(a: Any) -> Any:
    return ops.linalg.eigvals(_square(a, "eigvals", rank=TypeError))


def _hermitian(name: str, a: Any, UPLO: str | None, symmetrize: bool) -> Any:
    if UPLO not in (None, "L", "U"):
        raise ValueError(f"UPLO must be one of None, 'L', or 'U', got {UPLO}")
    a = _square(a, name, rank=TypeError, shape=TypeError if symmetrize else ValueError)
    if symmetrize:
        return _symmetrized(a)
    return _adjoint(a) if UPLO == "U" else a


def eigh(a: Any, UPLO: str | None = None, symmetrize_input: bool = True) -> Any:
    return ops.linalg.eigh(_hermitian("eigh", a, UPLO, symmetrize_input))


def eigvalsh(a: Any, UPLO: str | None = "L", *, symmetrize_input: bool = True) -> Any:
    return ops.linalg.eigvalsh(_hermitian("eigvalsh", a, UPLO, symmetrize_input))


# --- solutions ------------------------------------------------------------------------------------------------------


def det(a: Any) -> Any:
    return ops.linalg.det(_square(a, "det"))


def slogdet(a: Any, *, method: str | None = None) -> Any:
    a = as_array(a, "slogdet")
    if method not in (None, "lu", "qr"):
        raise ValueError(f"Unrecognized slogdet method '{method}'. Supported methods are lu (`None`), and qr.")
    return ops.linalg.slogdet(_square(a, "slogdet"))


def inv(a: Any) -> Any:
    return ops.linalg.inv(_square(a, "inv"))


def solve(a: Any, b: Any) -> Any:
    b = as_array(b, "solve")
    a = _square(a, "solve")
    if not b.ndim:
        raise ValueError(f"solve: b must have ndim >= 1, got shape {b.shape}")
    return ops.linalg.solve(a, b)


def lstsq(a: Any, b: Any, rcond: float | None = None, *, numpy_resid: bool = False) -> Any:
    a, b = floating(a, b)
    if a.shape[0] != b.shape[0]:
        raise ValueError("Leading dimensions of input arrays must match")
    if a.ndim != 2:
        raise TypeError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if b.ndim not in (1, 2):
        raise TypeError(f"{b.ndim}-dimensional array given. Array must be one or two-dimensional")
    x, residuals, rank, s = ops.linalg.lstsq(a, b, rcond)
    if not numpy_resid:
        columns = (b[:, None] if b.ndim == 1 else b) - ops.matmul(a, x[:, None] if b.ndim == 1 else x)
        residuals = ops.sum(ops.square(ops.abs(columns)), axis=0)
    return x, residuals, rank, s


def pinv(a: Any, rtol: Any = None, hermitian: bool = False, *, rcond: Any = None) -> Any:
    a = _matrix(a, "pinv", ValueError)
    rtol = rcond if rtol is None else rtol
    return ops.linalg.pinv(a) if rtol is None else ops.linalg.pinv(a, rtol=rtol)


def matrix_rank(M: Any, rtol: Any = None, *, hermitian: bool = False, tol: Any = None) -> Any:
    M = as_array(M, "matrix_rank")
    if M.ndim < 2:
        return ops.astype(ops.any(ops.not_equal(M, 0)), our_dtype(int))
    return ops.linalg.matrix_rank(M) if rtol is None else ops.linalg.matrix_rank(M, rtol=rtol)


def matrix_power(a: Any, n: int) -> Any:
    a = _square(a, "matrix_power", rank=TypeError, shape=TypeError)
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError(f"exponent must be an integer, got {n}") from error
    if a.dtype.kind in "fcV" or n < 0:
        (a,) = floating(a)
        return ops.linalg.matrix_power(a, n)
    found = ops.eye(a.shape[-1], dtype=a._array.dtype)
    for _ in range(n):
        found = ops.matmul(found, a)
    return ops.broadcast_to(found, a.shape)


def multi_dot(arrays: Any, *, precision: Any = None) -> Any:
    arrays = [as_array(x, "multi_dot") for x in arrays]
    if len(arrays) < 2:
        raise ValueError(f"multi_dot requires at least two arrays; got len(arrays)={len(arrays)}")
    return ops.linalg.multi_dot(arrays)


def tensorinv(a: Any, ind: int = 2) -> Any:
    if ind <= 0:
        raise ValueError(f"ind must be a positive integer; got ind={ind}")
    (a,) = floating(a)
    return ops.linalg.tensorinv(ops.astype(a, a._array.dtype), ind)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    a, b = as_array(a, "tensorsolve"), as_array(b, "tensorsolve")
    if axes is None and math.prod(a.shape[: b.ndim]) != math.prod(a.shape[b.ndim :]):
        raise ValueError(f"tensorsolve: {a.shape} is no square matrix over {b.ndim} axes")
    if axes is None and a.shape[: b.ndim] != b.shape:
        raise ValueError(f"tensorsolve: the leading axes of {a.shape} are not {b.shape}")
    return ops.linalg.tensorsolve(*floating(a, b), axes)


# --- norms ----------------------------------------------------------------------------------------------------------


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    (x,) = floating(x)
    rank = x.ndim if axis is None else len(axis) if isinstance(axis, (tuple, list)) else 1
    if axis is None and ord is None:
        return ops.linalg.norm(x, keepdims=keepdims)
    if rank not in (1, 2):
        raise ValueError(f"Invalid axis values ({axis}) for jnp.linalg.norm.")
    if rank == 1:
        if isinstance(ord, str):
            raise ValueError(f"Invalid order '{ord}' for vector norm.")
        at = axis[0] if isinstance(axis, (tuple, list)) else axis
        return ops.linalg.vector_norm(x, axis=at, keepdims=keepdims, ord=2 if ord is None else ord)
    axes = (0, 1) if axis is None else tuple(axis)
    if ord not in (None, "fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")):
        raise ValueError(f"Invalid order '{ord}' for matrix norm.")
    if wrong := [n for n in axes if not -x.ndim <= n < x.ndim]:
        raise ValueError(f"axis {wrong[0]} is out of bounds for array of dimension {x.ndim}")
    if axes[0] % x.ndim == axes[1] % x.ndim:
        raise ValueError("Duplicate axes given.")
    moved = ops.moveaxis(x, axes, (-2, -1))
    found = ops.linalg.matrix_norm(moved, ord="fro" if ord is None else ord)
    return ops.expand_dims(found, tuple(sorted(n % x.ndim for n in axes))) if keepdims else found


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return norm(x, ord, (-2, -1), keepdims)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    (x,), whole = floating(x), as_array(x).dtype.kind not in "fcV"
    if isinstance(ord, str):
        raise ValueError(f"Invalid order '{ord}' for vector norm.")
    if whole and type(ord) is int and not ord:
        raise ValueError("vector_norm: numbers that are not 0 are counted of floating dtypes alone")
    keepdims = bool(keepdims)
    return ops.linalg.vector_norm(x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims, ord=ord)


def cond(x: Any, p: Any = None) -> Any:
    x = as_array(x, "cond")
    if x.ndim < 2:
        raise ValueError(f"jnp.linalg.cond: input array must be at least 2D; got x.shape={x.shape}")
    if x.size == 0:
        raise ValueError(f"jnp.linalg.cond: input array must not be empty; got x.shape={x.shape}")
    (x,) = floating(x)
    if p in (None, 2, -2):
        s = ops.linalg.svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    _square(x, "cond")
    found = norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))
    return ops.where(ops.isnan(found), float("inf"), found)


# --- products -------------------------------------------------------------------------------------------------------


def matmul(x1: Any, x2: Any, /, *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    from . import products

    return products.matmul(x1, x2, preferred_element_type=preferred_element_type)


def outer(x1: Any, x2: Any, /) -> Any:
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are {x1.ndim=} {x2.ndim=}")
    return ops.multiply(x1[:, None], x2[None, :])


def tensordot(
    x1: Any, x2: Any, /, *, axes: Any = 2, precision: Any = None, preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    from . import products

    return products.tensordot(x1, x2, axes, preferred_element_type=preferred_element_type)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1, precision: Any = None, preferred_element_type: Any = None) -> Any:
    from . import products

    return products.vecdot(x1, x2, axis=axis, preferred_element_type=preferred_element_type)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    x1, x2 = as_array(x1, "cross"), as_array(x2, "cross")
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    from . import products

    return products.cross(x1, x2, axis=axis)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    return ops.linalg.diagonal(_matrix(x, "diagonal", ValueError), offset=offset)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    from . import products

    return products.trace(x, offset, -2, -1, dtype)


def matrix_transpose(x: Any, /) -> Any:
    from . import shaping

    return shaping.matrix_transpose(x)


dialect.finish(globals(), view="jax.numpy.linalg", helpers="floating")
