"""Statistical and utility functions on PyTorch.

torch takes () for all axes where the standard means none, and 0 or -1 for an axis of a 0-d tensor. Sums and
products of unsigned integers are those of the signed ones of the same width, which wrap around to the same bits.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import torch

from ...core.dtypes import bfloat16, bool_, complex64, complex128, float16, float32, float64, uint8
from ..arguments import check_axis, only_axis, with_ends
from ..plain import Call, comes_to
from .core import EMULATED, QUICKER, SIGNED, UNSIGNED
from .sorting import in_signed_order as _in_signed_order
from .sorting import in_unsigned_order as _in_unsigned_order

Axes = int | tuple[int, ...] | None


def _no_axes(x: torch.Tensor, axis: Axes) -> torch.Tensor:
    """For () as axes: a tensor whose last axis, of extent 1, is reduced instead."""
    if axis != ():
        raise IndexError("a 0-d array has no axes")
    return x.unsqueeze(-1)


def _reduction(f: Callable[..., Any], alone: Callable[..., Any] | None = None) -> Callable[..., Call | None]:
    """Make what tells which call of torch's a reduction comes to; `alone` is for all axes, where that is another."""

    def plain(
        x: torch.Tensor, *, axis: Axes = None, dtype: torch.dtype | None = None, keepdims: bool = False
    ) -> Call | None:
        if dtype in SIGNED or axis == () or x.ndim == 0 or (f is torch.prod and (axis is None or type(axis) is tuple)):
            return None
        widened = not (x.is_floating_point() or x.is_complex())  # torch's own sum of narrower integers is int64
        options: dict[str, Any] = {"dtype": dtype} if dtype is not None and (widened or dtype is not x.dtype) else {}
        if axis is None and not keepdims:
            return alone or f, (x,), options
        return f, (x, axis), {"keepdim": True, **options} if keepdims else options

    return plain


def _spread_of(f: Callable[..., Any]) -> Callable[..., Call | None]:
    """Make what tells which call of torch's a variance comes to, of more numbers than the correction."""

    def plain(x: torch.Tensor, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Call | None:
        if axis == () or x.ndim == 0 or correction >= 2 or 0 in x.shape or _count(x, axis) <= correction:
            return None
        return f, (x, axis), {"correction": correction, "keepdim": keepdims}

    return plain


# --- sums and products --------------------------------------------------------------------------------------------


def sum(x: torch.Tensor, *, axis: Axes = None, dtype: torch.dtype, keepdims: bool = False) -> torch.Tensor:
    if dtype in SIGNED:
        return sum(_wrapped(x, dtype), axis=axis, dtype=SIGNED[dtype], keepdims=keepdims).view(dtype)
    if axis is not None and (axis == () or x.ndim == 0):
        x, axis, keepdims = _no_axes(x, axis), -1, False
    return torch.sum(x, axis, keepdims, dtype=dtype)


comes_to(sum, _reduction(torch.sum))


def prod(x: torch.Tensor, *, axis: Axes = None, dtype: torch.dtype, keepdims: bool = False) -> torch.Tensor:
    if dtype in SIGNED:
        return prod(_wrapped(x, dtype), axis=axis, dtype=SIGNED[dtype], keepdims=keepdims).view(dtype)
    if axis is None and not keepdims:
        return torch.prod(x, dtype=dtype)
    if axis is not None and (axis == () or x.ndim == 0):
        x, axis, keepdims = _no_axes(x, axis), -1, False
    if axis is not None and not isinstance(axis, tuple):
        return torch.prod(x, axis, keepdims, dtype=dtype)
    # torch's takes one axis at a time; the last goes first, so that the others keep their numbers.
    axes = range(x.ndim) if axis is None else [range(x.ndim)[a] for a in axis]
    if len(set(axes)) < len(axes):
        raise ValueError("an axis is given twice")
    for a in sorted(axes, reverse=True):
        x = torch.prod(x, a, keepdims, dtype=dtype)
    return x.to(dtype)  # where there are no axes at all


comes_to(prod, _reduction(torch.prod))


def _wrapped(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """What has the same sum, in the signed dtype of the same width, as x cast to an unsigned dtype."""
    if x.dtype is not dtype:
        if not (x.is_floating_point() or x.is_complex()):
            return x  # the cast to the signed dtype, which torch makes itself, keeps the bits that count
        x = x.to(dtype)
    return x.view(SIGNED[dtype])


def cumulative_sum(
    x: torch.Tensor, *, axis: int | None = None, dtype: torch.dtype, include_initial: bool = False
) -> torch.Tensor:
    return _accumulate(torch.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: torch.Tensor, *, axis: int | None = None, dtype: torch.dtype, include_initial: bool = False
) -> torch.Tensor:
    return _accumulate(torch.cumprod, x, axis, dtype, 1 if include_initial else None)


def _accumulate(
    f: Callable[..., torch.Tensor], x: torch.Tensor, axis: int | None, dtype: torch.dtype, initial: int | None
) -> torch.Tensor:
    if axis is None:
        axis = only_axis(x.ndim)
    elif x.ndim == 0:
        raise IndexError("a 0-d array has no axes")
    if dtype in SIGNED:
        result = f(_wrapped(x, dtype), axis, dtype=SIGNED[dtype]).view(dtype)
    else:
        result = f(x, axis, dtype=dtype)
    if initial is None:
        return result
    shape = list(x.shape)
    shape[axis] = 1
    return torch.cat([torch.full(shape, initial, dtype=dtype, device=x.device), result], axis)


# --- extremes -----------------------------------------------------------------------------------------------------


def max(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    if axis is None and not keepdims:
        return x.max()
    if axis is not None and (axis == () or x.ndim == 0):
        x, axis, keepdims = _no_axes(x, axis), -1, False
    return torch.amax(x, axis, keepdims)


comes_to(max, _reduction(torch.amax, torch.max))


def min(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    if axis is None and not keepdims:
        return x.min()
    if axis is not None and (axis == () or x.ndim == 0):
        x, axis, keepdims = _no_axes(x, axis), -1, False
    return torch.amin(x, axis, keepdims)


comes_to(min, _reduction(torch.amin, torch.min))


def _by_signed_order(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def call(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
        return _in_unsigned_order(f(_in_signed_order(x), axis=axis, keepdims=keepdims), x.dtype)

    return call


# --- mean and spread ----------------------------------------------------------------------------------------------


def _count(x: torch.Tensor, axis: Axes) -> int:
    """How many elements each mean is of."""
    if axis is None:
        return x.numel()
    return math.prod(x.shape[a] for a in axis) if isinstance(axis, tuple) else x.shape[axis]


def mean(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    if axis is not None and (axis == () or x.ndim == 0):
        x, axis, keepdims = _no_axes(x, axis), -1, False
    return torch.mean(x, axis, keepdims)


comes_to(mean, _reduction(torch.mean))


_TILE = 1 << 20


def _mean_16_bits(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    """On the CPU torch makes a float32 copy of all of a 16-bit tensor for its mean: here, of a tile at a time."""
    n = x.ndim
    axes = tuple(range(n)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    distinct = {a % n for a in axes if -n <= a < n}
    if x.numel() <= _TILE or x.device.type != "cpu" or not axes or len(distinct) < len(axes):
        return mean(x, axis=axis, keepdims=keepdims)
    result = (_sum_by_tiles(x, tuple(distinct)) / _count(x, axis)).to(x.dtype)
    return result if keepdims else result.squeeze(tuple(distinct))


def _sum_by_tiles(x: torch.Tensor, axes: tuple[int, ...]) -> torch.Tensor:
    """The sum in float32, of axes that stay."""
    if x.numel() <= _TILE:
        return torch.sum(x, axes, True, dtype=torch.float32)
    along = builtins.max(range(x.ndim), key=x.shape.__getitem__)
    first, second = [_sum_by_tiles(part, axes) for part in x.chunk(2, along)]
    return first + second if along in axes else torch.cat((first, second), along)


def _mean_complex(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    """Part by part: torch's complex division by the count makes inf + 1j an inf + nanj."""
    total = torch.view_as_real(sum(x, axis=axis, dtype=x.dtype, keepdims=keepdims))
    return torch.view_as_complex(total / _count(x, axis))


def var(x: torch.Tensor, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> torch.Tensor:
    return _spread(torch.var, x, axis, correction, keepdims)


comes_to(var, _spread_of(torch.var))


def std(x: torch.Tensor, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> torch.Tensor:
    return _spread(torch.std, x, axis, correction, keepdims)


comes_to(std, _spread_of(torch.std))


def _spread(f: Callable[..., Any], x: torch.Tensor, axis: Axes, correction: float, keepdims: bool) -> torch.Tensor:
    if axis is not None and (axis == () or x.ndim == 0):
        x, axis, keepdims = _no_axes(x, axis), -1, False
    if _count(x, axis) <= correction or x.numel() == 0:
        # nan, where torch divides by zero and gives an infinity, with a warning.
        real = x.real if x.is_complex() else x
        return torch.sum(real, axis, keepdims) * math.nan
    found: torch.Tensor = f(x, axis, correction=correction, keepdim=keepdims)
    return found


# --- truth --------------------------------------------------------------------------------------------------------


def all(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    if axis is not None and x.ndim == 0:
        x, axis, keepdims = _no_axes(x, axis), -1, False
    return torch.all(x, axis, keepdims)


def any(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    if axis is not None and x.ndim == 0:
        x, axis, keepdims = _no_axes(x, axis), -1, False
    return torch.any(x, axis, keepdims)


def _to_bool(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """torch's `all` and `any` of uint8 are uint8 0 and 1."""

    def call(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
        return f(x, axis=axis, keepdims=keepdims).to(torch.bool)

    return call


def diff(x: torch.Tensor, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> torch.Tensor:
    if not n:
        check_axis(x.ndim, axis)
    return torch.diff(with_ends(x, axis, prepend, append, torch.broadcast_to, torch.cat), n, axis)


def _diff_unsigned(x: torch.Tensor, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    signed = SIGNED[x.dtype]
    ends = {name: end.view(signed) for name, end in (("prepend", prepend), ("append", append)) if end is not None}
    return diff(x.view(signed), axis=axis, n=n, **ends).view(x.dtype)


#: torch's own functions, where the array is all that they are given.
_ALONE = {"sum": torch.sum, "prod": torch.prod, "max": torch.max, "min": torch.min, "mean": torch.mean}
QUICKER.update({(name, dtype, "alone"): f for dtype in (float32, float64) for name, f in _ALONE.items()})
QUICKER["all", bool_, "alone"], QUICKER["any", bool_, "alone"] = torch.all, torch.any

EMULATED["mean", bfloat16] = EMULATED["mean", float16] = _mean_16_bits
EMULATED["all", uint8], EMULATED["any", uint8] = _to_bool(all), _to_bool(any)
for _d in UNSIGNED:
    EMULATED["max", _d], EMULATED["min", _d] = _by_signed_order(max), _by_signed_order(min)
    EMULATED["diff", _d] = _diff_unsigned
for _d in (complex64, complex128):
    EMULATED["mean", _d] = _mean_complex
