"""Medians on PyTorch, whose own is the lower of the two in the middle; the upper one is minus the lower one of -x."""

from __future__ import annotations

import torch

from .shared import only_values as _only_values
from .statistical import Axes


def median(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    flat, shape = _together(x, axis, keepdims)
    low = torch.median(flat, -1).values
    if flat.shape[-1] % 2 == 0:
        low = _between(low, -torch.median(-flat, -1).values)
    return low.reshape(shape)


def nanmedian(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    flat, shape = _together(x, axis, keepdims)
    return _between(torch.nanmedian(flat, -1).values, -torch.nanmedian(-flat, -1).values).reshape(shape)


def _together(x: torch.Tensor, axis: Axes, keepdims: bool) -> tuple[torch.Tensor, tuple[int, ...]]:
    """The reduced axes as one, the last, and the shape of the result."""
    if x.is_complex():  # torch looks at the shape first
        raise NotImplementedError("there is no order of complex numbers")
    chosen = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [range(x.ndim)[a] for a in chosen]
    if len({*axes}) < len(axes):
        raise ValueError("an axis is given twice")
    kept = [a for a in range(x.ndim) if a not in axes]
    shape = [1 if a in axes else n for a, n in enumerate(x.shape)] if keepdims else [x.shape[a] for a in kept]
    flat = x.permute((*kept, *axes)).reshape(*[x.shape[a] for a in kept], -1)
    # Of an array that is broadcast torch reads memory that is not its own, and gives what lies there.
    return flat.contiguous() if 0 in flat.stride() else flat, tuple(shape)


def _between(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    return torch.where(low == high, low, low * 0.5 + high * 0.5)


def _not_on_numpy(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> bool:
    """Tell whether x has elements that are on a GPU, are traced, or have a derivative taken of them.

    The composition partitions and sorts the others on NumPy, in less time.
    """
    return x.numel() > 0 and not _only_values(x)


median.when = nanmedian.when = _not_on_numpy  # type: ignore[attr-defined]
