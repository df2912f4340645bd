"""`jax.scipy.linalg`: decompositions and solutions, by SciPy's names."""

from __future__ import annotations

from typing import Any

from ..core import as_array, dialect, ops
from ..numpy import linalg as _linalg


def block_diag(*arrs: Any) -> Any:
    arrays = [as_array(x) for x in arrs] or [ops.zeros((1, 0))]
    if any(x.ndim > 2 for x in arrays):
        raise ValueError("Arguments to jax.scipy.linalg.block_diag must have at most 2 dimensions")
    return ops.linalg.block_diag(*[ops.reshape(x, (1,) * (2 - x.ndim) + x.shape) for x in arrays])


def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return _linalg.cholesky(a, upper=not lower)


def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return cholesky(a, lower=lower), lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    c, lower = c_and_lower
    c, b = _linalg.floating(c, b)
    first = solve_triangular(c, b, trans=0 if lower else 2, lower=lower)
    return solve_triangular(c, first, trans=2 if lower else 0, lower=lower)


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
    debug: Any = None, check_finite: bool = True,
) -> Any:  # fmt: skip
    a, b = _linalg.floating(a, b)
    _linalg._square(a, "triangular_solve")
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f"Invalid 'trans' value {trans}")
    if trans in (2, "C") and a.dtype.kind == "c":
        a = ops.conj(a)
    column = b.ndim == a.ndim - 1
    found = ops.linalg.solve_triangular(
        a, ops.expand_dims(b, -1) if column else b, upper=not lower, transpose=trans not in (0, "N"),
        unit_diagonal=unit_diagonal,
    )  # fmt: skip
    return ops.squeeze(found, -1) if column else found


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return _linalg.det(a)


def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return _linalg.inv(a)


def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False, debug: bool = False,
    check_finite: bool = True, assume_a: str = "gen",
) -> Any:  # fmt: skip
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ValueError(f"Expected assume_a to be one of ['gen', 'sym', 'her', 'pos']; got {assume_a!r}")
    return _linalg.solve(a, b) if assume_a != "pos" else cho_solve(cho_factor(a, lower=lower), b)


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False, check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:  # fmt: skip
    found = _linalg.svd(a, full_matrices, compute_uv)
    return tuple(found) if compute_uv else found


def qr(
    a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", pivoting: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    if pivoting:
        raise NotImplementedError("qr: pivoting is not there in this dialect")
    if mode == "r":
        return (_linalg.qr(a, "r"),)
    if mode not in ("full", "economic"):
        raise ValueError(f"Unsupported QR decomposition mode '{mode}'")
    return tuple(_linalg.qr(a, "complete" if mode == "full" else "reduced"))


def eigh(
    a: Any, b: Any = None, lower: bool = True, eigvals_only: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, turbo: bool = True, eigvals: Any = None, type: int = 1, check_finite: bool = True,
) -> Any:  # fmt: skip
    if b is not None or eigvals is not None or type != 1:
        raise NotImplementedError("Only the b=None, type=1, eigvals=None case of eigh is implemented")
    w, v = _linalg.eigh(a, "L" if lower else "U")
    return w if eigvals_only else (w, v)


def lu(a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    p, low, up = ops.linalg.lu(_linalg.floating(a)[0])
    return (ops.matmul(p, low), up) if permute_l else (p, low, up)


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return tuple(ops.linalg.lu_factor(_linalg.floating(a)[0]))


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    if trans != 0:
        raise NotImplementedError("lu_solve: trans is 0 in this dialect")
    factors, pivots = lu_and_piv
    factors, b = _linalg.floating(factors, b)
    column = b.ndim == factors.ndim - 1
    found = ops.linalg.lu_solve((factors, pivots), ops.expand_dims(b, -1) if column else b)
    return ops.squeeze(found, -1) if column else found


def expm(A: Any, *, upper_triangular: bool = False, max_squarings: int = 16) -> Any:
    return ops.linalg.expm(_linalg.floating(_linalg._square(A, "expm"))[0])


def sqrtm(A: Any, blocksize: int = 1) -> Any:
    if blocksize > 1:
        raise NotImplementedError("Blocked version is not implemented yet.")
    found = ops.linalg.sqrtm(_linalg.floating(_linalg._square(A, "sqrtm"))[0])
    return found if found.dtype.kind == "c" else ops.add(found, 0j)


def polar(a: Any, side: str = "right", *, method: str = "qdwh", eps: Any = None, max_iterations: Any = None) -> Any:
    if side not in ("right", "left"):
        raise ValueError(f"The argument `side` must be one of ['right', 'left'], got {side!r}.")
    return tuple(ops.linalg.polar(_linalg.floating(a)[0], side))


def toeplitz(c: Any, r: Any = None) -> Any:
    c = ops.reshape(as_array(c), (-1,)) if as_array(c).ndim < 2 else as_array(c)
    r = (ops.conj(c) if c.dtype.kind == "c" else c) if r is None else as_array(r)
    n, m = c.shape[-1], r.shape[-1]
    rows, columns = ops.expand_dims(ops.arange(n), 1), ops.expand_dims(ops.arange(m), 0)
    joined = ops.concat([ops.flip(c, -1), r[..., 1:]], -1)
    return joined[..., columns - rows + (n - 1)]


dialect.finish(globals(), view="jax.scipy.linalg")
