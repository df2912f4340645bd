"""Sorting functions on PyTorch, whose `sort` has a kernel for every dtype but the complex ones."""

from __future__ import annotations

import torch

from .core import SIGNED


def sort(x: torch.Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> torch.Tensor:
    if x.ndim == 0:  # torch sorts it as if it were 1-d
        raise IndexError("a 0-d array has no axes")
    if x.dtype in SIGNED:  # of many elements, torch has no kernel for unsigned integers
        ordered = torch.sort(in_signed_order(x), dim=axis, descending=descending, stable=stable)[0]
        return in_unsigned_order(ordered, x.dtype)
    return torch.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(x: torch.Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> torch.Tensor:
    if x.ndim == 0:
        raise IndexError("a 0-d array has no axes")
    if x.dtype in SIGNED:
        x = in_signed_order(x)
    return torch.argsort(x, dim=axis, descending=descending, stable=stable)


def top_k(
    x: torch.Tensor, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    """torch says nothing of which of equal elements it takes: it is given integers that have the position in their low
    bits. Where the order does not matter it takes the elements themselves."""
    if not sorted and _has_top_k(x):
        values, places = torch.topk(x, k, axis, largest, False)
        return values, places
    n = x.shape[axis]
    position = torch.arange(n, device=x.device).reshape(-1, *(1,) * (x.ndim - 1 - axis % x.ndim))
    keys = (_order(x).to(torch.int64) << 32) + (n - 1 - position if largest else position)
    places = torch.topk(keys, k, axis, largest, True).indices
    if x.dtype in SIGNED:
        return torch.gather(x.view(SIGNED[x.dtype]), axis, places).view(x.dtype), places
    return torch.gather(x, axis, places), places


def _has_top_k(x: torch.Tensor) -> bool:
    return x.dtype is not torch.bool and x.dtype not in SIGNED


def _in_few_bits(x: torch.Tensor, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> bool:
    """Tell whether elements leave half of an int64 for their positions."""
    return x.ndim > 0 and (x.element_size() <= 4 or (not sorted and _has_top_k(x)))


top_k.when = _in_few_bits  # type: ignore[attr-defined]

_INTEGERS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}


def _order(x: torch.Tensor) -> torch.Tensor:
    """Integers in the order of the elements: -0.0 and 0.0 equal, nan after everything else."""
    if x.dtype in SIGNED:
        return in_signed_order(x)
    if x.dtype not in _INTEGERS:
        return x
    bits = (x.detach() + 0).view(_INTEGERS[x.dtype])
    greatest = torch.iinfo(bits.dtype).max
    ordered = bits ^ ((bits >> (torch.iinfo(bits.dtype).bits - 1)) & greatest)  # negative numbers count backwards
    return torch.where(torch.isnan(x), greatest, ordered)


def in_signed_order(x: torch.Tensor) -> torch.Tensor:
    """Unsigned integers as signed ones of the same width and order: 0 becomes the least of them."""
    signed = x.view(SIGNED[x.dtype])
    return signed ^ torch.iinfo(signed.dtype).min


def in_unsigned_order(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Back from `in_signed_order`."""
    return (x ^ torch.iinfo(x.dtype).min).view(dtype)
