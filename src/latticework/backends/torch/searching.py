"""Searching functions on PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from ...backend.arguments import check_search, rows_to_search
from ...core.dtypes import bool_
from .core import EMULATED, SIGNED, UNSIGNED
from .sorting import in_signed_order as _in_signed_order


def argmax(x: torch.Tensor, *, axis: int | None = None, keepdims: bool = False) -> torch.Tensor:
    if axis is not None and x.ndim == 0:  # torch takes 0 and -1 for an axis of a 0-d tensor
        raise IndexError("a 0-d array has no axes")
    return torch.argmax(x, axis, keepdims)


def argmin(x: torch.Tensor, *, axis: int | None = None, keepdims: bool = False) -> torch.Tensor:
    if axis is not None and x.ndim == 0:
        raise IndexError("a 0-d array has no axes")
    return torch.argmin(x, axis, keepdims)


def count_nonzero(
    x: torch.Tensor, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> torch.Tensor:
    if axis is not None and (axis == () or x.ndim == 0):
        if axis != ():
            raise IndexError("a 0-d array has no axes")
        return (x != 0).to(torch.int64)
    found = torch.count_nonzero(x) if axis is None else torch.count_nonzero(x, axis)
    if keepdims:  # torch's has no such option
        reduced = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        for a in sorted(a % x.ndim for a in reduced):
            found = found.unsqueeze(a)
    return found


def nonzero(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    if x.ndim == 0:
        raise ValueError("x must have at least one axis")
    return torch.nonzero(x, as_tuple=True)


def searchsorted(x1: torch.Tensor, x2: torch.Tensor, *, side: Any = "left") -> torch.Tensor:
    if x1.ndim != 1:
        rows_to_search(x1.shape, x2.shape, side)
    else:
        check_search(1, side)
    right = side == "right"
    x1, x2 = x1.contiguous(), x2.contiguous()  # torch does the same, with a warning
    each = x1.ndim > 1 or torch.compiler.is_compiling()  # rows differ in their numbers of nan
    if each or torch._C._functorch.is_functorch_wrapped_tensor(x1):
        return _searched_by_each(x1, x2, right)
    if x1.is_floating_point() and x1.numel() and math.isnan(x1[-1].item()):
        # torch finds nothing in front of a nan: search what comes before the first. nan itself belongs after that.
        numbers = int(torch.isfinite(x1).count_nonzero()) + int(torch.isinf(x1).count_nonzero())
        found = torch.searchsorted(x1[:numbers], x2, right=right)
        return torch.where(torch.isnan(x2), x1.numel(), found) if right else found
    return torch.searchsorted(x1, x2, right=right)


def _searched_by_each(x1: torch.Tensor, x2: torch.Tensor, right: bool) -> torch.Tensor:
    if not x1.is_floating_point():
        return torch.searchsorted(x1, x2, right=right)
    nans = torch.isnan(x1)
    found = torch.searchsorted(torch.where(nans, math.inf, x1), x2, right=right)
    found = torch.minimum(found, torch.logical_not(nans).sum(-1, keepdim=x1.ndim > 1))
    return torch.where(torch.isnan(x2), x1.shape[-1], found) if right else found


where = torch.where


def _through(view: Callable[[torch.Tensor], torch.Tensor], f: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of dtypes without a kernel, through other dtypes with the same answer."""

    @wraps(f)  # with its signature, which tells its options
    def through(*operands: torch.Tensor, **options: Any) -> Any:
        return f(*map(view, operands), **options)

    return through


def _as_signed(x: torch.Tensor) -> torch.Tensor:
    return x.view(SIGNED[x.dtype])


def _as_uint8(x: torch.Tensor) -> torch.Tensor:
    return x.view(torch.uint8)


for _f in (argmax, argmin, searchsorted):
    EMULATED[_f.__name__, bool_] = _through(_as_uint8, _f)
    for _d in UNSIGNED:
        EMULATED[_f.__name__, _d] = _through(_in_signed_order, _f)
for _d in UNSIGNED:
    EMULATED["count_nonzero", _d] = _through(_as_signed, count_nonzero)
    EMULATED["nonzero", _d] = _through(_as_signed, nonzero)
