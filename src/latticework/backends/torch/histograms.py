"""Counting on PyTorch: by NumPy where it can read the elements, else by sums at positions, which torch.func.vmap takes;
torch.bincount reads values."""

from __future__ import annotations

from typing import Any

import torch

from ...core.dtypes import int64
from .core import DTYPES, SIGNED
from .searching import searchsorted
from .shared import at_hand as _at_hand
from .shared import by_numpy as _by_numpy
from .shared import numpy_computes as _numpy_computes
from .shared import only_values as _only_values


def _bincount(x: torch.Tensor, *, minlength: int = 0, length: int | None = None) -> torch.Tensor:
    if length is None and x.is_cpu:
        return torch.bincount(x, minlength=minlength)
    if length is None:  # on a GPU it writes beyond its memory for the greatest int64
        length = _length(x, minlength)
    if _numpy_computes(x) and x.ndim == 1:
        return _by_numpy("_bincount", int64, x, length=length)
    return _at(x, torch.ones_like(x), length)


def _weighted_bincount(
    x: torch.Tensor, weights: torch.Tensor, *, minlength: int = 0, length: int | None = None
) -> torch.Tensor:
    if x.shape != weights.shape:
        raise ValueError("weights must have the shape of x")
    if _numpy_computes(x) and x.ndim == 1 and weights.is_floating_point() and _only_values(weights):
        return _by_numpy("_weighted_bincount", DTYPES[weights.dtype], x, weights, minlength=minlength, length=length)
    if length is None:
        length = _length(x, minlength)
    if weights.dtype in SIGNED:
        return _at(x, weights.view(SIGNED[weights.dtype]), length).view(weights.dtype)
    if weights.dtype in (torch.float16, torch.bfloat16):
        return _at(x, weights.to(torch.float32), length).to(weights.dtype)
    return _at(x, weights, length)


def _length(x: torch.Tensor, least: int) -> int:
    """Return the number of counts of integers."""
    if x.numel() and int(x.min()) < 0:
        raise ValueError("x must not be negative")
    return max(int(x.max()) + 1 if x.numel() else 0, least)


def _at(x: torch.Tensor, weights: torch.Tensor, length: int) -> torch.Tensor:
    """Sum at positions; elements at positions out of bounds go to an extra place, which is dropped."""
    if x.ndim != 1:
        raise ValueError("x must have exactly one axis")
    places = torch.where((x < 0) | (x > length), length, x)
    zeros = torch.zeros(length + 1, dtype=weights.dtype, device=x.device)
    return torch.index_add(zeros, 0, places, weights)[:length]


def _count_between(x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
    return _by_numpy("_count_between", DTYPES[x.dtype], x, edges)


def _of_wide_bins(x: torch.Tensor, edges: torch.Tensor) -> bool:
    """Tell whether x lies in the CPU's memory and nothing traces it, its dtype has more than 16 bits and there are
    fewer than 65,536 edges."""
    return x.element_size() > 2 and edges.numel() < 1 << 16 and _numpy_computes(x, edges)


_count_between.when = _of_wide_bins  # type: ignore[attr-defined]


def _sum_between(x: torch.Tensor, weights: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
    return _by_numpy("_sum_between", DTYPES[weights.dtype], x, weights, edges)


def _of_wide_bins_and_floats(x: torch.Tensor, weights: torch.Tensor, edges: torch.Tensor) -> bool:
    """Tell whether all lie in the CPU's memory, nothing traces them and no derivative is taken of the weights, which
    are floats of more than 16 bits; and there are fewer than 65,536 edges."""
    wide = weights.is_floating_point() and weights.element_size() > 2
    return wide and _of_wide_bins(x, edges) and _only_values(weights)


_sum_between.when = _of_wide_bins_and_floats  # type: ignore[attr-defined]


def digitize(x: torch.Tensor, bins: torch.Tensor, *, right: bool = False) -> torch.Tensor:
    side = "left" if right else "right"
    if bins.numel() > 1 and bool(bins[-1] < bins[0]):
        return bins.numel() - searchsorted(bins.flip(0), x, side=side)
    return searchsorted(bins, x, side=side)


def _is_ordered(x: Any, bins: torch.Tensor, *, right: bool = False) -> bool:
    """Tell whether bins have one axis and values that can be looked at, of a dtype that PyTorch orders."""
    return bins.ndim == 1 and bins.dtype not in SIGNED and bins.dtype != torch.bool and _at_hand(bins)


digitize.when = _is_ordered  # type: ignore[attr-defined]
