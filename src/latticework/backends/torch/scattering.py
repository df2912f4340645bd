"""Scattering on PyTorch. Its kernels check no negative position, and lack the unsigned integers of more than 8 bits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ...backend.arguments import NOWHERE, check_segments
from ...engine.keys.reading import check_bounds
from .core import BITS
from .indexing import _bounds, of_the_last
from .shared import recorded

_NAMES = {"sum": "sum", "multiply": "prod", "min": "amin", "max": "amax"}
_UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)


def _positions(indices: Tensor, *, n: int, axis: int = 0, drop: bool = False) -> Tensor:
    """Positions counted from the start. `drop`: negative ones become n, which stands for none."""
    bounds = _bounds(indices)
    if drop:
        if bounds is not None:
            check_segments(bounds[1], n)
        return indices if bounds is not None and bounds[0] >= 0 else torch.where(indices < 0, n, indices)
    check_bounds(bounds, n, axis)
    if bounds is not None and bounds[0] >= 0:
        return indices
    found = torch.where(indices < 0, indices + n, indices)
    return found if bounds is not None else torch.where((found < 0) | (found >= n), NOWHERE, found)


def _scatter(x: Tensor, positions: Tensor, updates: Tensor, *, reduction: str) -> Tensor:
    if x.dtype in BITS:
        return _on_bits(x, positions, updates, reduction)
    if reduction == "replace":
        if recorded(updates):
            board = torch.zeros(len(x), dtype=torch.int64, device=x.device)
            numbers = torch.arange(len(positions), device=x.device)
            last = board.index_put((positions,), numbers)[positions] == numbers
            updates = of_the_last(updates, last.reshape(-1, *(1,) * (updates.ndim - 1)))
        return x.index_put((positions,), updates)
    if reduction == "sum":
        return x.index_add(0, positions, updates)
    if reduction == "multiply" and forward_ad._current_level >= 0 and x.is_floating_point() | x.is_complex():
        raise NotImplementedError(
            "PyTorch has no forward derivative of products at positions: it would be 0. Take lw.grad or lw.vjp"
        )
    index = positions.reshape((-1,) + (1,) * (x.ndim - 1)).expand(updates.shape)
    return x.scatter_reduce(0, index, updates, _NAMES[reduction])


def _on_bits(x: Tensor, positions: Tensor, updates: Tensor, reduction: str) -> Tensor:
    """Scatter as signed integers of the same bits: sums and products wrap around alike, and the order is the same once
    the first bit is flipped."""
    bits = BITS[x.dtype]
    ordered = reduction in ("min", "max") and x.dtype in _UNSIGNED
    operands = [data.view(bits) for data in (x, updates)]
    if ordered:
        first = torch.iinfo(bits).min
        operands = [data ^ first for data in operands]
    result = _scatter(operands[0], positions, operands[1], reduction=reduction)
    return (result ^ first if ordered else result).view(x.dtype)


def _windows(x: Tensor, *, window: Any, axis: Any) -> Tensor:
    for n, a in zip(window, axis, strict=True):
        x = x.unfold(a, n, 1)
    return x


def _scatter_along_axis(x: Tensor, positions: Tensor, updates: Tensor, *, axis: int, reduction: str) -> Tensor:
    if reduction == "replace":
        if recorded(updates):
            board = torch.zeros(x.shape, dtype=torch.int64, device=x.device)
            numbers = torch.arange(positions.numel(), device=x.device).reshape(positions.shape)
            last = torch.scatter(board, axis, positions, numbers).gather(axis, positions) == numbers
            updates = of_the_last(updates, last)
        return torch.scatter(x, axis, positions, updates)
    if reduction == "sum":
        return torch.scatter_add(x, axis, positions, updates)
    return torch.scatter_reduce(x, axis, positions, updates, _NAMES[reduction])


def _add_slices(x: Tensor, positions: Tensor, updates: Tensor, *, axis: int) -> Tensor:
    return torch.index_add(x, axis, positions, updates)


def _has_kernel(x: Tensor, positions: Tensor, updates: Tensor, **options: Any) -> bool:
    """Tell whether the dtype is one that PyTorch scatters."""
    return x.dtype not in BITS


_scatter_along_axis.when = _add_slices.when = _has_kernel  # type: ignore[attr-defined]
