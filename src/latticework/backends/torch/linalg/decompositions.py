"""Linear algebra beyond the standard's extension, on PyTorch."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from ....core.dtypes import bfloat16, complex64, complex128, float16, float32, float64
from ....errors import install
from ..core import COMPOSED, REFUSED

expm = torch.linalg.matrix_exp
lu = torch.linalg.lu

_OF_SINGULAR_VALUES = (2, -2, "nuc")


def norm(x: torch.Tensor, *, ord: Any = None, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    return torch.linalg.norm(x, ord, axis, keepdims)


def _norm_when(x: torch.Tensor, *, ord: Any = None, axis: Any = None, **_: Any) -> bool:
    """Tell whether x has some elements and the norm is of the whole array, or of one or two axes.

    Those of singular values are computed by `svdvals`, and 0 of complex numbers counts real parts alone in PyTorch.
    """
    if not x.numel() or ord == 0:
        return False
    if axis is None:
        return ord is None or x.ndim == 1 or (x.ndim == 2 and ord not in _OF_SINGULAR_VALUES)
    if isinstance(axis, int):
        return x.ndim > 0
    return len(axis) == 1 or (len(axis) == 2 and ord not in _OF_SINGULAR_VALUES)


norm.when = _norm_when  # type: ignore[attr-defined]


def _check_diagonal(x: torch.Tensor) -> None:
    """Raise a LinAlgError for zeros on the diagonal, if there are values: under `torch.func.vmap` there are none."""
    try:
        singular = bool((torch.diagonal(x, 0, -2, -1) == 0).any())
    except RuntimeError:
        return
    if singular:
        raise torch.linalg.LinAlgError("a matrix is singular")


def solve_triangular(
    a: torch.Tensor, b: torch.Tensor, *, upper: bool = False, transpose: bool = False, unit_diagonal: bool = False
) -> torch.Tensor:
    if not unit_diagonal:
        _check_diagonal(a)
    if transpose:
        a, upper = a.mT, not upper
    right = b[:, None] if b.ndim == 1 else b
    x = torch.linalg.solve_triangular(a, right, upper=upper, unitriangular=unit_diagonal)
    return x[..., 0] if b.ndim == 1 else x


def lu_factor(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Factor by PyTorch, which counts rows from 1."""
    factors, pivots, _ = torch.linalg.lu_factor_ex(x)
    return factors, pivots - 1


def _lu_solve(lu: torch.Tensor, pivots: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    _check_diagonal(lu)
    right = b[:, None] if b.ndim == 1 else b
    x = torch.linalg.lu_solve(lu, pivots.to(torch.int32) + 1, right)
    return x[..., 0] if b.ndim == 1 else x


def cdist(x1: torch.Tensor, x2: torch.Tensor, *, p: float = 2) -> torch.Tensor:
    return torch.cdist(x1, x2, p, "donot_use_mm_for_euclid_dist")


COMPOSED.update(("linalg.cdist", dtype) for dtype in (bfloat16, float16))  # not on the CPU

if find_spec("scipy") is not None:

    def schur(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Decompose by SciPy, on the host: PyTorch has no such function. Tensors on the CPU share memory with NumPy."""
        from ...numpy.linalg.decompositions import schur as on_numpy

        if x.requires_grad or torch._C._functorch.maybe_current_level() is not None:
            raise NotImplementedError(
                "on PyTorch SciPy computes it, which has no derivatives and sees no values inside torch.func.vmap"
            )
        found = on_numpy(x.cpu().resolve_conj().numpy())
        return tuple(torch.from_numpy(np.ascontiguousarray(part)).to(x.device) for part in found)
else:
    _NO_SCHUR = f"PyTorch has no Schur decomposition, and SciPy, which has one, is not installed: {install('numpy')}"
    REFUSED.update({("linalg.schur", d): _NO_SCHUR for d in (float32, float64, complex64, complex128)})
