"""Linear algebra beyond the standard's extension, on NumPy, and on SciPy where it is installed.

SciPy is imported when one of its functions is first called. Without it these are the compositions.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.linalg import _umath_linalg as lapack

from ....core.dtypes import complex64, complex128, float32, float64, int32
from ....errors import install
from ..core import COMPOSED, REFUSED
from .extension import _guarded

_OF_SINGULAR_VALUES = (2, -2, "nuc")


def norm(x: np.ndarray, *, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return np.linalg.norm(x, ord, axis, keepdims)


def _norm_when(x: np.ndarray, *, ord: Any = None, axis: Any = None, **_: Any) -> bool:
    """Tell whether x has more than 16 bits and some elements, and the norm is not made of singular values.

    NumPy would leave the range of float16, and decompose float32 in float64.
    """
    if x.dtype.itemsize == 2 or not x.size or isinstance(axis, list):
        return False
    of_matrices = (x.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2) and ord is not None
    return not (of_matrices and ord in _OF_SINGULAR_VALUES)


norm.when = _norm_when  # type: ignore[attr-defined]

_lstsq = _guarded(lapack.lstsq, "the singular values do not converge")


def lstsq(a: np.ndarray, b: np.ndarray, *, rcond: float | None = None) -> Any:
    vector = b.ndim == 1
    right = b[:, None] if vector else b
    real = np.dtype(a.real.dtype)
    eps = float(np.finfo(real).eps)
    least = eps * max(a.shape[-2:]) if rcond is None else eps if rcond < 0 else rcond
    x, _, rank, s = _lstsq(a, right, real.type(least))
    rest = right - a @ x
    residuals = np.add.reduce((rest * np.conj(rest)).real if rest.dtype.kind == "c" else rest * rest, axis=-2)
    return x[..., 0] if vector else x, residuals, rank, s


def _lstsq_when(a: np.ndarray, b: np.ndarray, **_: Any) -> bool:
    """Tell whether a and b have elements and a is in no stack that b extends."""
    return a.size > 0 and b.size > 0 and (a.ndim == 2 if b.ndim == 1 else a.shape[:-2] == b.shape[:-2])


lstsq.when = _lstsq_when  # type: ignore[attr-defined]
lstsq.ints = int32  # type: ignore[attr-defined]


# --- by SciPy -------------------------------------------------------------------------------------------------------


def _each(function: Callable[[np.ndarray], tuple[np.ndarray, ...]], x: np.ndarray, *shapes: Any) -> tuple[Any, ...]:
    """Call a function of one matrix for each matrix in a stack."""
    if x.ndim == 2:
        return function(x)
    stack = x.shape[:-2]
    found = [function(matrix) for matrix in x.reshape(-1, *x.shape[-2:])] if x.size else []
    if not found:
        return tuple([np.zeros((*stack, *shape), dtype) for shape, dtype in shapes])
    return tuple([np.stack(parts).reshape(*stack, *parts[0].shape) for parts in zip(*found, strict=True)])


def _square(x: np.ndarray) -> np.ndarray:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError("takes square matrices")
    return x


def _finite(x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all():
        raise LinAlgError("the matrices have infinities or nan")
    return x


if find_spec("scipy") is not None:

    def expm(x: np.ndarray) -> Any:
        from scipy.linalg import expm

        with np.errstate(all="ignore"):
            return expm(_square(x)) if x.size else _square(x).copy()

    def lu_factor(x: np.ndarray) -> Any:
        from scipy.linalg import get_lapack_funcs

        if x.ndim < 2:
            raise ValueError("needs two axes or more")
        if not x.size:
            return x.copy(), np.zeros((*x.shape[:-2], min(x.shape[-2:])), np.int32)
        getrf = get_lapack_funcs("getrf", dtype=x.dtype)
        return _each(lambda matrix: getrf(matrix)[:2], x)

    def solve_triangular(
        a: np.ndarray, b: np.ndarray, *, upper: bool = False, transpose: bool = False, unit_diagonal: bool = False
    ) -> Any:
        from scipy.linalg import get_lapack_funcs

        trtrs = get_lapack_funcs("trtrs", dtype=a.dtype)
        if a.flags.c_contiguous:  # LAPACK's matrices are stored by columns: it takes the transposed one as it is
            a, upper, transpose = a.T, not upper, not transpose
        right = b[:, None] if b.ndim == 1 else b
        x, info = trtrs(a, right, lower=not upper, trans=int(transpose), unitdiag=unit_diagonal)
        if info:
            raise LinAlgError("a matrix is singular")
        return x[:, 0] if b.ndim == 1 else x

    def _solve_triangular_when(a: np.ndarray, b: np.ndarray, **_: Any) -> bool:
        """Tell whether a is one matrix and b a vector or a matrix, with elements.

        For stacks NumPy has a loop in C, and SciPy one in Python.
        """
        return a.ndim == 2 and b.ndim <= 2 and a.size > 0 and b.size > 0 and a.shape[0] == a.shape[1] == b.shape[0]

    solve_triangular.when = _solve_triangular_when  # type: ignore[attr-defined]

    def schur(x: np.ndarray) -> Any:
        from scipy.linalg import schur

        if not _square(x).size:
            return x.copy(), x.copy()
        return _each(lambda matrix: schur(matrix, check_finite=False), _finite(x))

    def sqrtm(x: np.ndarray) -> Any:
        from scipy.linalg import sqrtm

        return _principal(sqrtm, x)

    def logm(x: np.ndarray) -> Any:
        from scipy.linalg import logm

        return _principal(logm, x)

    #: SciPy computes it in double precision alone.
    COMPOSED.update(("linalg.logm", dtype) for dtype in (float32, complex64))

    def eigh_tridiagonal(d: np.ndarray, e: np.ndarray) -> Any:
        from scipy.linalg import eigh_tridiagonal

        return eigh_tridiagonal(d, e, check_finite=False)

    def _tridiagonal_when(d: np.ndarray, e: np.ndarray) -> bool:
        """Tell whether it is one matrix of 2 rows or more, of finite elements."""
        return (
            d.ndim == e.ndim == 1 and d.size == e.size + 1 > 1 and bool(np.isfinite(d).all() and np.isfinite(e).all())
        )

    eigh_tridiagonal.when = _tridiagonal_when  # type: ignore[attr-defined]


def _principal(function: Callable[..., Any], x: np.ndarray) -> Any:
    """Call a SciPy function that gives complex matrices for some real ones: nan for these."""
    if not _square(x).size:
        return x.copy()

    def of_one(matrix: np.ndarray) -> tuple[np.ndarray]:
        result = np.asarray(function(matrix))
        if result.dtype.kind == "c" and x.dtype.kind == "f":
            real = np.abs(result.imag).max() <= np.sqrt(np.finfo(x.dtype).eps) * np.abs(result).max()
            result = result.real if real else np.full(result.shape, np.nan)
        return (result.astype(x.dtype, copy=False),)

    _check_not_singular(_finite(x))
    with np.errstate(all="ignore"):
        return _each(of_one, x)[0]


def _check_not_singular(x: np.ndarray) -> None:
    if (lapack.slogdet(x)[0] == 0).any():
        raise LinAlgError("a matrix is singular")


if find_spec("scipy") is None:
    REFUSED.update(
        {("linalg.schur", d): "NumPy has no Schur decomposition, and SciPy, which has one, is not installed: "
         f"{install('numpy')}" for d in (float32, float64, complex64, complex128)}
    )  # fmt: skip
