"""Refusals of dtypes: LAPACK and the Fourier transforms begin at float32, and hypot takes real numbers."""

from __future__ import annotations

from ..core.dtypes import Dtype, bfloat16, float16

_WITHOUT_16_BITS = {
    "linalg": """
        cholesky det eig eigh eigvals eigvalsh inv matrix_rank pinv qr slogdet solve svd svdvals
        cho_solve cond eigh_tridiagonal expm logdet logm lstsq lu lu_factor _lu_solve null_space orth polar schur
        solve_triangular sqrtm tensorinv tensorsolve
    """,
    "fft": """
        fft fftn hfft ifft ifftn ihfft irfft irfftn rfft rfftn
        dct fft2 idct ifft2 irfft2 rfft2
    """,
}

#: Why `hypot` is refused where other frameworks' rules ask for it in complex numbers.
COMPLEX_HYPOT = "there is none of complex numbers. Take lw.real(x) or lw.abs(x) first"


def refused(chapter: str) -> dict[tuple[str, Dtype], str]:
    """Return the refusals of a chapter's functions, for a backend's ``REFUSED``."""
    why = "there is no routine for {0}, and it is not widened in secret. Cast first: lw.astype(x, lw.float32)"
    names = _WITHOUT_16_BITS[chapter].split()
    return {(f"{chapter}.{name}", d): why.format(d) for name in names for d in (bfloat16, float16)}
