"""Counting on PyTorch: by sums at positions, which torch.func.vmap takes too; torch.bincount looks at values."""

from __future__ import annotations

import torch

from .core import SIGNED


def _bincount(x: torch.Tensor, *, minlength: int = 0, length: int | None = None) -> torch.Tensor:
    if length is None:
        return torch.bincount(x, minlength=minlength)
    return _at(x, torch.ones_like(x), length)


def _weighted_bincount(
    x: torch.Tensor, weights: torch.Tensor, *, minlength: int = 0, length: int | None = None
) -> torch.Tensor:
    if x.shape != weights.shape:
        raise ValueError("weights must have the shape of x")
    if length is None:
        if x.numel() and int(x.min()) < 0:
            raise ValueError("x must not be negative")
        length = max(int(x.max()) + 1 if x.numel() else 0, minlength)
    if weights.dtype in SIGNED:
        return _at(x, weights.view(SIGNED[weights.dtype]), length).view(weights.dtype)
    if weights.dtype in (torch.float16, torch.bfloat16):
        return _at(x, weights.to(torch.float32), length).to(weights.dtype)
    return _at(x, weights, length)


def _at(x: torch.Tensor, weights: torch.Tensor, length: int) -> torch.Tensor:
    """Sums at positions; those that are out of bounds go to a place of their own, which is dropped."""
    if x.ndim != 1:
        raise ValueError("x must have exactly one axis")
    places = torch.where((x < 0) | (x > length), length, x)
    zeros = torch.zeros(length + 1, dtype=weights.dtype, device=x.device)
    return torch.index_add(zeros, 0, places, weights)[:length]
