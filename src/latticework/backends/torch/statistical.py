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

from ...backend.arguments import check_axis, only_axis, with_ends
from ...backend.plain import NativeCall, comes_to
from ...backend.slopes import own_slopes as _own_slopes
from ...core.dtypes import bfloat16, bool_, complex64, complex128, float16, float32, float64, uint8
from .core import COMPOSED, DTYPES, EMULATED, QUICKER, SIGNED, UNSIGNED
from .shared import by_numpy as _by_numpy
from .shared import only_values as _only_values
from .shared import recorded as _recorded
from .sorting import in_signed_order as _in_signed_order
from .sorting import in_unsigned_order as _in_unsigned_order

Axes = int | tuple[int, ...] | None


def _no_axes(x: torch.Tensor, axis: Axes) -> torch.Tensor:
    """Return a tensor for () as axes: its new last axis, of extent 1, is reduced instead."""
    if axis != ():
        raise IndexError("a 0-d array has no axes")
    return x.unsqueeze(-1)


def _reduction(f: Callable[..., Any], alone: Callable[..., Any] | None = None) -> Callable[..., NativeCall | None]:
    """Make the function that tells which torch call stands for a reduction; `alone` is another one for all axes."""

    def plain(
        x: torch.Tensor, *, axis: Axes = None, dtype: torch.dtype | None = None, keepdims: bool = False
    ) -> NativeCall | None:
        if dtype in SIGNED or axis == () or x.ndim == 0:
            return None
        if f is torch.prod and (axis is None or type(axis) is tuple or dtype in (torch.float16, torch.bfloat16)):
            return None
        widened = not (x.is_floating_point() or x.is_complex())  # torch's own sum of narrower integers is int64
        options: dict[str, Any] = {"dtype": dtype} if dtype is not None and (widened or dtype is not x.dtype) else {}
        if axis is None and not keepdims:
            return alone or f, (x,), options
        return f, (x, axis), {"keepdim": True, **options} if keepdims else options

    return plain


def _spread_of(f: Callable[..., Any]) -> Callable[..., NativeCall | None]:
    """Make the function that tells which torch call stands for a variance of more numbers than the correction."""

    def plain(
        x: torch.Tensor, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
    ) -> NativeCall | None:
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
    if dtype.itemsize == 2 and dtype.is_floating_point:  # which torch rounds at each step
        return prod(x.to(dtype).to(torch.float32), axis=axis, dtype=torch.float32, keepdims=keepdims).to(dtype)
    if axis is None and not keepdims:
        return torch.prod(x, dtype=dtype)
    if axis is not None and (axis == () or x.ndim == 0):
        x, axis, keepdims = _no_axes(x, axis), -1, False
    if axis is not None and not isinstance(axis, tuple):
        return torch.prod(x, axis, keepdims, dtype=dtype)
    # torch.prod takes one axis at a time; the last goes first, so that the others keep their numbers.
    axes = range(x.ndim) if axis is None else [range(x.ndim)[a] for a in axis]
    if len(set(axes)) < len(axes):
        raise ValueError("an axis is given twice")
    for a in sorted(axes, reverse=True):
        x = torch.prod(x, a, keepdims, dtype=dtype)
    return x.to(dtype)  # where there are no axes at all


comes_to(prod, _reduction(torch.prod))


def _wrapped(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return an array whose sum, in the signed dtype of the same width, is that of x cast to an unsigned dtype."""
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


def _extreme(
    name: str, of_all: Callable[..., torch.Tensor], along: Callable[..., torch.Tensor]
) -> tuple[Callable[..., torch.Tensor], Callable[..., torch.Tensor]]:
    """Make the function of an extreme and that of all elements, from torch's `max` or `min` and `amax` or `amin`."""

    def of_all_alike(x: torch.Tensor) -> torch.Tensor:
        """Find it among all elements. Beside nan the slope is nan for all of them: torch's own is 1 for nan alone."""
        out = of_all(x)
        return along(x) if out.requires_grad else out

    def natively(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
        if axis is None and not keepdims:
            return of_all(x)
        if axis is not None and (axis == () or x.ndim == 0):
            x, axis, keepdims = _no_axes(x, axis), -1, False
        return along(x, axis, keepdims)

    def extreme(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
        if axis is None and not keepdims:
            return of_all_alike(x)
        return natively(x, axis=axis, keepdims=keepdims)

    for f, suffix in ((of_all_alike, "_of_all"), (natively, "_natively"), (extreme, "")):
        f.__name__ = f.__qualname__ = f"_{name}{suffix}" if suffix else name
    comes_to(natively, _reduction(along, of_all))
    _own_slopes(of_all_alike, of_all)
    return _own_slopes(extreme, natively), of_all_alike


max, _max_of_all = _extreme("max", torch.max, torch.amax)
min, _min_of_all = _extreme("min", torch.min, torch.amin)


def _by_signed_order(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def call(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
        return _in_unsigned_order(f(_in_signed_order(x), axis=axis, keepdims=keepdims), x.dtype)

    return call


# --- mean and spread ----------------------------------------------------------------------------------------------


def _count(x: torch.Tensor, axis: Axes) -> int:
    """Count the elements of each mean."""
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
    """Compute the mean. On the CPU torch makes a float32 copy of a whole 16-bit tensor: here, of a tile at a time."""
    n = x.ndim
    axes = tuple(range(n)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    distinct = {a % n for a in axes if -n <= a < n}
    if x.numel() <= _TILE or x.device.type != "cpu" or not axes or len(distinct) < len(axes):
        return mean(x, axis=axis, keepdims=keepdims)
    result = (_sum_by_tiles(x, tuple(distinct)) / _count(x, axis)).to(x.dtype)
    return result if keepdims else result.squeeze(tuple(distinct))


def _sum_by_tiles(x: torch.Tensor, axes: tuple[int, ...]) -> torch.Tensor:
    """Sum along axes in float32; the axes stay."""
    if x.numel() <= _TILE:
        return torch.sum(x, axes, True, dtype=torch.float32)
    along = builtins.max(range(x.ndim), key=x.shape.__getitem__)
    first, second = [_sum_by_tiles(part, axes) for part in x.chunk(2, along)]
    return first + second if along in axes else torch.cat((first, second), along)


def _mean_complex(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    """Divide each component: torch's complex division by the count makes inf + 1j an inf + nanj."""
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
    """Make a function that casts to bool: torch's `all` and `any` of uint8 are uint8 0 and 1."""

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


#: torch's own functions, for calls with the array alone.
_ALONE = {"sum": torch.sum, "prod": torch.prod, "max": _max_of_all, "min": _min_of_all, "mean": torch.mean}
QUICKER.update({(name, dtype, "alone"): f for dtype in (float32, float64) for name, f in _ALONE.items()})
QUICKER["all", bool_, "alone"], QUICKER["any", bool_, "alone"] = torch.all, torch.any

EMULATED["mean", bfloat16] = EMULATED["mean", float16] = _mean_16_bits
EMULATED["prod", bfloat16] = EMULATED["prod", float16] = prod
EMULATED["all", uint8], EMULATED["any", uint8] = _to_bool(all), _to_bool(any)
for _d in UNSIGNED:
    EMULATED["max", _d], EMULATED["min", _d] = _by_signed_order(max), _by_signed_order(min)
    EMULATED["diff", _d] = _diff_unsigned
for _d in (complex64, complex128):
    EMULATED["mean", _d] = _mean_complex

# --- numerical ----------------------------------------------------------------------------------------------------
# PyTorch's own convolutions are correlations and take no integers.


def convolve(x1: torch.Tensor, x2: torch.Tensor, *, mode: Any = "full") -> torch.Tensor:
    if x1.shape[0] < x2.shape[0]:
        x1, x2 = x2, x1
    k = x2.shape[0]
    before, after = {"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[mode]
    if before != after:
        x1 = torch.nn.functional.pad(x1, (before, after))
        before = 0
    return torch.nn.functional.conv1d(x1[None, None], x2.flip(0)[None, None], padding=before)[0, 0]


def _of_numbers(x1: torch.Tensor, x2: torch.Tensor, *, mode: Any = "full") -> bool:
    """Tell whether both have elements along one axis, of a floating or complex dtype of more than 16 bits.

    Those of 16 have no kernel on every device.
    """
    fits = x1.ndim == x2.ndim == 1 and x1.numel() > 0 and x2.numel() > 0 and mode in ("full", "same", "valid")
    return fits and (x1.is_complex() or (x1.is_floating_point() and x1.element_size() > 2))


convolve.when = _of_numbers  # type: ignore[attr-defined]


def trapezoid(y: torch.Tensor, *, x: torch.Tensor, dx: float = 1.0, axis: int = -1) -> torch.Tensor:
    return torch.trapezoid(y, x, dim=axis)


def _has_places(y: torch.Tensor, *, x: torch.Tensor | None = None, dx: float = 1.0, axis: int = -1) -> bool:
    """Tell whether the samples have places, more than 16 bits and shapes that fit.

    For equidistant samples PyTorch subtracts half of the ends from the sum, which is nan where one is infinite.
    """
    if x is None or y.element_size() <= 2 or not -y.ndim <= axis < y.ndim:
        return False
    return x.shape == y.shape or x.shape == (y.shape[axis],)


trapezoid.when = _has_places  # type: ignore[attr-defined]


def logsumexp(x: torch.Tensor, *, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """Compute logsumexp: the derivatives of torch.logsumexp are nan where all elements are -inf."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    if not _recorded(x):
        return torch.logsumexp(x, axes, keepdims)
    nothing = torch.amax(x.detach(), axes, keepdim=True) == -math.inf
    result = torch.logsumexp(x.masked_fill(nothing, 0), axes, keepdims)
    return result.masked_fill(nothing if keepdims else nothing.reshape(result.shape), -math.inf)


def _has_elements(x: torch.Tensor, *, axis: Any = None, keepdims: bool = False, **weights: Any) -> bool:
    """Tell whether x has elements of more than 16 bits and axes to go along, and there are no weights."""
    return x.numel() > 0 and x.element_size() > 2 and x.ndim > 0 and axis != () and not weights


logsumexp.when = _has_elements  # type: ignore[attr-defined]

# --- running ------------------------------------------------------------------------------------------------------
# PyTorch's functions return positions as well.


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
    """Compute logcumsumexp: torch's derivatives are nan where the sum is of zeros, whose logarithm is -inf."""
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

# --- nan functions ------------------------------------------------------------------------------------------------


def nansum(x: torch.Tensor, *, axis: Axes = None, dtype: torch.dtype, keepdims: bool = False) -> torch.Tensor:
    return torch.nansum(x, axis, keepdims, dtype=dtype)


def nanmean(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    return torch.nanmean(x, axis, keepdims)


def _has_axes(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> bool:
    """Tell whether x has real floats and axes to go along."""
    return x.is_floating_point() and x.ndim > 0 and axis != ()


nansum.when = nanmean.when = _has_axes  # type: ignore[attr-defined]
# Sums of 16 bits are divided in float32.
COMPOSED.update(("nanmean", dtype) for dtype in (bfloat16, float16))


def nanmax(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    return _by_numpy("nanmax", DTYPES[x.dtype], x, axis=axis, keepdims=keepdims)


def nanmin(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    return _by_numpy("nanmin", DTYPES[x.dtype], x, axis=axis, keepdims=keepdims)


def _on_numpy(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> bool:
    """Tell whether x has floats of more than 16 bits in the CPU's memory, which nothing traces and no derivative is
    taken of: NumPy passes over nan as it goes."""
    return x.is_floating_point() and x.element_size() > 2 and x.ndim > 0 and x.numel() > 0 and _only_values(x)


nanmax.when = nanmin.when = _on_numpy  # type: ignore[attr-defined]


def _isclose(x1: torch.Tensor, x2: torch.Tensor, *, rtol: float, atol: float, equal_nan: bool) -> torch.Tensor:
    return torch.isclose(x1, x2, rtol, atol, equal_nan)


def _of_plain_tolerances(x1: torch.Tensor, x2: torch.Tensor, *, rtol: Any, atol: Any, equal_nan: bool) -> bool:
    """Tell whether the tolerances are numbers that are not negative, and the dtype has more than 16 bits."""
    return x1.element_size() > 2 and builtins.all(isinstance(v, (int, float)) and v >= 0 for v in (rtol, atol))


_isclose.when = _of_plain_tolerances  # type: ignore[attr-defined]


def _finite(x: torch.Tensor, *, nan: float, posinf: float | None, neginf: float | None) -> torch.Tensor:
    return torch.nan_to_num(x, nan, posinf, neginf)


def _changes_infinities(x: torch.Tensor, *, nan: float, posinf: float | None, neginf: float | None) -> bool:
    """Tell whether infinities are replaced too, or no derivative is taken: PyTorch's is 0 at all infinities."""
    return (posinf != math.inf and neginf != -math.inf) or _only_values(x)


_finite.when = _changes_infinities  # type: ignore[attr-defined]
