"""Sorting functions on PyTorch, whose `sort` has a kernel for every dtype but the complex ones."""

from __future__ import annotations

import torch

from .core import SIGNED


def sort(x: torch.Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> torch.Tensor:
    if x.ndim == 0:  # torch sorts it as if it were 1-d
        raise IndexError("a 0-d array has no axes")
    return torch.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(x: torch.Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> torch.Tensor:
    if x.ndim == 0:
        raise IndexError("a 0-d array has no axes")
    return torch.argsort(x, dim=axis, descending=descending, stable=stable)


def top_k(
    x: torch.Tensor, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    found: tuple[torch.Tensor, torch.Tensor] = torch.topk(x, k, axis, largest, False)
    return found


def _in_any_order(x: torch.Tensor, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> bool:
    """torch says nothing of which of equal elements it takes, and has no kernel for bools and unsigned integers."""
    return not sorted and x.ndim > 0 and x.dtype is not torch.bool and x.dtype not in SIGNED


top_k.when = _in_any_order  # type: ignore[attr-defined]


def in_signed_order(x: torch.Tensor) -> torch.Tensor:
    """Unsigned integers as signed ones of the same width and order: 0 becomes the least of them."""
    signed = x.view(SIGNED[x.dtype])
    return signed ^ torch.iinfo(signed.dtype).min


def in_unsigned_order(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Back from `in_signed_order`."""
    return (x ^ torch.iinfo(x.dtype).min).view(dtype)
