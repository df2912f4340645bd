"""Linear algebra of the main namespace on PyTorch."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

from ...core.dtypes import category
from .core import EMULATED, SIGNED, UNSIGNED

matmul = torch.matmul
matrix_transpose = operator.methodcaller("transpose", -1, -2)  # for a 0-d array, `mT` is the array itself


def vecdot(x1: torch.Tensor, x2: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    _check_vectors(x1, x2, axis)
    return torch.linalg.vecdot(x1, x2, dim=axis)


def _check_vectors(x1: torch.Tensor, x2: torch.Tensor, axis: int) -> None:
    """Check vectors: torch would broadcast one of one element, and counts axes from the start of each array."""
    if x1.shape[axis] != x2.shape[axis] or (axis >= 0 and x1.ndim != x2.ndim):
        raise ValueError(f"no vectors in pairs along axis {axis} of shapes {tuple(x1.shape)} and {tuple(x2.shape)}")


def _vecdot_integers(x1: torch.Tensor, x2: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    """Compute vecdot of integers: torch.linalg.vecdot takes none."""
    _check_vectors(x1, x2, axis)
    return (x1 * x2).sum(axis, dtype=x1.dtype)


def _as_signed(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Make f work on the signed integers of the same bits: their sums and products wrap around in the same way."""

    @wraps(f)
    def call(x1: torch.Tensor, x2: torch.Tensor, **kw: Any) -> torch.Tensor:
        signed = SIGNED[x1.dtype]
        return f(x1.view(signed), x2.view(signed), **kw).view(x1.dtype)

    return call


EMULATED.update({("vecdot", d): _vecdot_integers for d in category("integral")})
EMULATED.update({("vecdot", d): _as_signed(_vecdot_integers) for d in UNSIGNED})
EMULATED.update({("matmul", d): _as_signed(torch.matmul) for d in UNSIGNED})

# --- einsums ------------------------------------------------------------------------------------------------------


def _einsum(operands: list[Tensor], *, subscripts: str) -> Tensor:
    return torch.einsum(subscripts, *operands)


def _of_floats(operands: list[Tensor], *, subscripts: str) -> bool:
    """Tell whether the operands are floats or complex.

    torch.einsum makes int64 of sums of other integers, and has no unsigned ones."""
    return all(x.is_floating_point() or x.is_complex() for x in operands)


_einsum.when = _of_floats  # type: ignore[attr-defined]
