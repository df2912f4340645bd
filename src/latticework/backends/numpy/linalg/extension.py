"""The linear algebra extension on NumPy.

The functions of np.linalg compute float32 in float64, on a copy of twice the size. The ufuncs below them compute in the
precision of the operands, like LAPACK. They are called here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.linalg import _umath_linalg as lapack

from ....backend.arguments import check_mode
from ....backend.unsupported import refused
from ....core.dtypes import complex64, float32
from ..core import EMULATED, REFUSED


def _guarded(f: Callable[..., Any], message: str) -> Callable[..., Any]:
    """Raise for a failure in LAPACK, which the ufuncs report by the floating point flag `invalid`."""

    def fail(error: str, flag: int) -> None:
        raise LinAlgError(message)

    def call(*operands: np.ndarray) -> Any:
        with np.errstate(call=fail, invalid="call", over="ignore", divide="ignore", under="ignore"):
            return f(*operands)

    call.__name__ = call.__qualname__ = f.__name__
    return call


_NO_CONVERGENCE = "the eigenvalues do not converge"
_SINGULAR = "a matrix is singular"

inv = _guarded(lapack.inv, _SINGULAR)
_solve = _guarded(lapack.solve, _SINGULAR)
_solve_vector = _guarded(lapack.solve1, _SINGULAR)
_NOT_DEFINITE = "a matrix is not positive definite"
_upper = _guarded(lapack.cholesky_up, _NOT_DEFINITE)
_lower = _guarded(lapack.cholesky_lo, _NOT_DEFINITE)
_eig = _guarded(lapack.eig, _NO_CONVERGENCE)
_eigvals = _guarded(lapack.eigvals, _NO_CONVERGENCE)
_eigh = _guarded(lapack.eigh_lo, _NO_CONVERGENCE)
_eigvalsh = _guarded(lapack.eigvalsh_lo, _NO_CONVERGENCE)
_NO_SINGULAR_VALUES = "the singular values do not converge"
_svdvals = _guarded(lapack.svd, _NO_SINGULAR_VALUES)
_svd_full = _guarded(lapack.svd_f, _NO_SINGULAR_VALUES)
_svd_reduced = _guarded(lapack.svd_s, _NO_SINGULAR_VALUES)
det = lapack.det
slogdet = lapack.slogdet


def solve(x1: np.ndarray, x2: np.ndarray) -> Any:
    return _solve_vector(x1, x2) if x2.ndim == 1 else _solve(x1, x2)


@np.errstate(all="ignore")
def _all_finite(x: np.ndarray) -> bool:
    """Return whether x has no infinities and no nan: the sum tells it, without memory, unless it overflows."""
    return bool(np.isfinite(np.add.reduce(x, axis=None)) or np.isfinite(x).all())


def cholesky(x: np.ndarray, *, upper: bool = False) -> Any:
    """LAPACK goes on from nan and infinities, in some versions, and leaves them in the result."""
    result = _upper(x) if upper else _lower(x)
    if not _all_finite(result):
        raise LinAlgError(_NOT_DEFINITE)
    return result


def _nan_where_not_finite(x: np.ndarray, *results: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return nan for matrices with infinities or nan in the lower triangle: LAPACK gives any number."""
    lower = np.tri(x.shape[-1], dtype=np.bool)
    finite = (np.isfinite(x) | ~lower).all(axis=(-2, -1), keepdims=True)
    return tuple([np.where(finite if r.ndim == x.ndim else finite[..., 0], r, r.dtype.type(np.nan)) for r in results])


def eigh(x: np.ndarray) -> Any:
    results = _eigh(x)
    return results if _all_finite(x) else _nan_where_not_finite(x, *results)


def eigvalsh(x: np.ndarray) -> Any:
    result = _eigvalsh(x)
    return result if _all_finite(x) else _nan_where_not_finite(x, result)[0]


def _singular(f: Callable[..., Any], x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Compute singular values. LAPACK's routine need not end on infinities and nan.

    Like LAPACK where it ends: an error for nan, and nan for a matrix with infinities.
    """
    if _all_finite(x):
        results = f(x)
        return results if type(results) is tuple else (results,)
    if np.isnan(x).any():
        raise LinAlgError(_NO_SINGULAR_VALUES)
    finite = np.isfinite(x).all(axis=(-2, -1), keepdims=True)
    results = _singular(f, np.where(finite, x, x.dtype.type(0)))
    return tuple([np.where(finite if r.ndim == x.ndim else finite[..., 0], r, r.dtype.type(np.nan)) for r in results])


def svdvals(x: np.ndarray) -> Any:
    return _svdvals(x) if _all_finite(x) else _singular(_svdvals, x)[0]


def svd(x: np.ndarray, *, full_matrices: bool = True) -> Any:
    return _singular(_svd_full if full_matrices else _svd_reduced, x)


def _finite(x: np.ndarray) -> np.ndarray:
    """LAPACK's routine for general eigenvalues need not come to an end on nan."""
    if not np.isfinite(x).all():
        raise LinAlgError("the matrices have infinities or nan")
    return x


def eig(x: np.ndarray) -> Any:
    return _eig(_finite(x))


def eigvals(x: np.ndarray) -> Any:
    return _eigvals(_finite(x))


def diagonal(x: np.ndarray, *, offset: int = 0) -> np.ndarray:
    view = np.diagonal(x, offset, -2, -1)
    if x.flags.writeable:
        view.flags.writeable = True  # np.diagonal makes it read-only
    return view


def qr(x: np.ndarray, *, mode: str = "reduced") -> Any:
    check_mode(mode)
    return np.linalg.qr(x, mode)


# --- what NumPy has in double precision alone -----------------------------------------------------------------------


def _eig_complex64(x: np.ndarray) -> Any:
    return tuple(result.astype(np.complex64) for result in eig(x))


def _eigvals_complex64(x: np.ndarray) -> Any:
    return eigvals(x).astype(np.complex64)


_BLOCK = 32


@np.errstate(all="ignore")
def _qr_single(x: np.ndarray, *, mode: str = "reduced") -> Any:
    """Householder's QR by blocks of columns, the algorithm of LAPACK's geqrf, for a whole stack at once.

    A block of reflections is ``I - V @ T @ V^H`` (Schreiber and van Loan 1989, the compact WY form).
    """
    check_mode(mode)
    *stack, m, n = x.shape
    k = min(m, n)
    r = x.copy()
    blocks = []
    for start in range(0, k, _BLOCK):
        stop = min(start + _BLOCK, k)
        v, t = _reflections(r[..., start:, start:stop])
        rest = r[..., start:, stop:]
        rest -= v @ (_adjoint(t) @ (_adjoint(v) @ rest))
        blocks.append((start, v, t))
    width = m if mode == "complete" else k
    q = np.zeros((*stack, m, width), x.dtype)
    q[...] = np.eye(m, width, dtype=x.dtype)
    for start, v, t in reversed(blocks):
        rest = q[..., start:, start:]
        rest -= v @ (t @ (_adjoint(v) @ rest))
    return q, np.triu(r[..., :width, :])


def _reflections(panel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Make the panel upper triangular by reflections; return their vectors V and the triangle T."""
    width = panel.shape[-1]
    v = np.zeros(panel.shape, panel.dtype)
    taus = np.empty((*panel.shape[:-2], width), panel.dtype)
    for j in range(width):
        column, tau, beta = _reflection(panel[..., j:, j])
        v[..., j:, j] = column
        taus[..., j] = tau
        if j + 1 < width:
            rest = panel[..., j:, j + 1 :]
            rest -= (np.conj(tau)[..., None] * column)[..., None] * (np.conj(column)[..., None, :] @ rest)
        panel[..., j, j] = beta
    # T is the inverse of the upper triangle that has 1/tau on the diagonal and the products of the vectors above it
    one = np.eye(width, dtype=panel.dtype)
    products = np.triu(_adjoint(v) @ v, 1)
    return v, lapack.solve(one + taus[..., None] * products, taus[..., None] * one)


def _reflection(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return v, tau and beta with ``(I - tau v v^H)^H x = beta e1``, where v[0] is 1 and beta real (LAPACK's larfg)."""
    alpha = x[..., 0]
    squares = np.vecdot(x, x).real
    if ((squares > 1e-20) & (squares < 1e30)).all():
        beta = -np.copysign(np.sqrt(squares), alpha.real)
        tau = 1 - alpha / beta
        v = x / (alpha - beta)[..., None]
    else:
        unit = np.abs(x).max(axis=-1)
        unit = np.where((unit > 0) & np.isfinite(unit), unit, 1)  # so that no square leaves the range
        scaled = x / unit[..., None]
        norm = unit * np.sqrt(np.vecdot(scaled, scaled).real)
        done = norm == 0  # nothing to reflect
        beta = np.where(done, 0, -np.copysign(norm, alpha.real))
        tau = np.where(done, 0, 1 - alpha / np.where(done, 1, beta))
        v = x / np.where(done, 1, alpha - beta)[..., None]
    v[..., 0] = 1
    return v, tau, beta


def _adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(x).mT if x.dtype.kind == "c" else x.mT


EMULATED["linalg.eig", complex64] = _eig_complex64
EMULATED["linalg.eigvals", complex64] = _eigvals_complex64
EMULATED["linalg.qr", float32] = EMULATED["linalg.qr", complex64] = _qr_single

REFUSED.update(refused("linalg"))
