"""Running extremes on PyTorch, whose functions return positions as well."""

from __future__ import annotations

import math

import torch

from ..arguments import check_axis, only_axis
from .core import EMULATED, UNSIGNED
from .shared import recorded as _recorded
from .sorting import in_signed_order as _in_signed_order
from .sorting import in_unsigned_order as _in_unsigned_order


def _axis_of(x: torch.Tensor, axis: int | None) -> int:
    if axis is None:
        return only_axis(x.ndim)
    check_axis(x.ndim, axis)  # torch takes 0 and -1 for an axis of a 0-d tensor, and any axis where nothing is computed
    return axis


def cummax(x: torch.Tensor, *, axis: int | None = None) -> torch.Tensor:
    return torch.cummax(x, _axis_of(x, axis)).values


def cummin(x: torch.Tensor, *, axis: int | None = None) -> torch.Tensor:
    return torch.cummin(x, _axis_of(x, axis)).values


def logcumsumexp(x: torch.Tensor, *, axis: int | None = None) -> torch.Tensor:
    """The derivatives of torch.logcumsumexp are nan where the sum is of zeros, whose logarithm is -inf."""
    along = _axis_of(x, axis)
    if not _recorded(x) or x.is_complex():
        return torch.logcumsumexp(x, along)
    greatest = torch.cummax(x, along).values
    least = torch.finfo(x.dtype).min / 4
    total = torch.logcumsumexp(torch.where(x == -math.inf, least, x), along)
    return torch.where(greatest == -math.inf, greatest, total)


def _cummax_unsigned(x: torch.Tensor, *, axis: int | None = None) -> torch.Tensor:
    return _in_unsigned_order(cummax(_in_signed_order(x), axis=axis), x.dtype)


def _cummin_unsigned(x: torch.Tensor, *, axis: int | None = None) -> torch.Tensor:
    return _in_unsigned_order(cummin(_in_signed_order(x), axis=axis), x.dtype)


for _d in UNSIGNED:
    EMULATED["cummax", _d], EMULATED["cummin", _d] = _cummax_unsigned, _cummin_unsigned
