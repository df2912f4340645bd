"""Matrices and grids on PyTorch."""

from __future__ import annotations

import torch

from .core import STORAGE


def _diag(x: torch.Tensor, *, k: int) -> torch.Tensor:
    """torch.diag copies elements, whatever they are: those of 8 bits that it has no kernel for as integers."""
    if x.dtype in STORAGE:
        return torch.diag(x.view(STORAGE[x.dtype]), k).view(x.dtype)
    return torch.diag(x, k)
