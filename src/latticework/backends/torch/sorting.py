"""Sorting functions on PyTorch, whose `sort` has a kernel for every dtype but the complex ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...backend import get
from .core import DTYPES, SIGNED
from .shared import at_hand as _at_hand
from .shared import by_numpy as _by_numpy
from .shared import numpy_computes as _numpy_computes
from .shared import only_values as _only_values
from .shared import to_numpy as _to_numpy
from .shared import to_tensor as _to_tensor

if TYPE_CHECKING:
    from .statistical import Axes


def sort(x: torch.Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> torch.Tensor:
    if x.ndim == 0:  # torch sorts it as if it were 1-d
        raise IndexError("a 0-d array has no axes")
    if not stable and x.element_size() > 2 and x.numel() and _only_values(x):  # NumPy takes a fraction of the time
        return _by_numpy("sort", DTYPES[x.dtype], x, axis=axis, descending=descending, stable=False)
    if x.dtype in SIGNED:  # for many elements, torch has no kernel for unsigned integers
        ordered = torch.sort(in_signed_order(x), dim=axis, descending=descending, stable=stable)[0]
        return in_unsigned_order(ordered, x.dtype)
    return torch.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(x: torch.Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> torch.Tensor:
    if x.ndim == 0:
        raise IndexError("a 0-d array has no axes")
    if x.dtype in SIGNED:
        x = in_signed_order(x)
    return torch.argsort(x, dim=axis, descending=descending, stable=stable)


def partition(x: torch.Tensor, kth: Any, *, axis: int = -1) -> torch.Tensor:
    return _by_numpy("partition", DTYPES[x.dtype], x, kth=kth, axis=axis)


def _on_numpy(x: torch.Tensor, kth: Any, *, axis: int = -1) -> bool:
    """Tell whether x has elements in the CPU's memory, which nothing traces and no derivative is taken of.

    NumPy partitions them in a tenth of the time that PyTorch sorts in.
    """
    return x.ndim > 0 and x.numel() > 0 and _only_values(x)


partition.when = _on_numpy  # type: ignore[attr-defined]


def argpartition(x: torch.Tensor, kth: Any, *, axis: int = -1) -> torch.Tensor:
    return _by_numpy("argpartition", DTYPES[x.dtype], x, kth=kth, axis=axis)


argpartition.when = _on_numpy  # type: ignore[attr-defined]


#: The most elements that NumPy finds sooner than PyTorch.
_FEW = 10


def top_k(
    x: torch.Tensor, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    """Find the first k. torch does not say which of equal elements it takes. Its answer is used where there are none;
    else elements become integers with the position in their low bits, or are sorted where there is no room for it."""
    if 0 < k <= min(_FEW, x.shape[axis]) and x.numel() and _only_values(x):
        first: Any = get("numpy").function("top_k", DTYPES[x.dtype])
        values, places = map(_to_tensor, first(_to_numpy(x), k, axis=axis, largest=largest))
        return values, places
    if _has_top_k(x) and not sorted:
        values, places = torch.topk(x, k, axis, largest, False)
        return values, places
    if _has_top_k(x) and (found := _without_ties(x, k, axis, largest)) is not None:
        return found
    n = x.shape[axis]
    if _numpy_computes(x) and 0 < k <= n and x.numel():
        first = get("numpy").function("top_k", DTYPES[x.dtype])
        places = _to_tensor(first(_to_numpy(x), k, axis=axis, largest=largest)[1])
    elif x.element_size() > 4:
        places = argsort(x, axis=axis, descending=largest).narrow(axis, 0, k)
    else:
        position = torch.arange(n, device=x.device).reshape(-1, *(1,) * (x.ndim - 1 - axis % x.ndim))
        keys = (_order(x).to(torch.int64) << 32) + (n - 1 - position if largest else position)
        places = torch.topk(keys, k, axis, largest, True).indices
    if x.dtype in SIGNED:
        return torch.gather(x.view(SIGNED[x.dtype]), axis, places).view(x.dtype), places
    return torch.gather(x, axis, places), places


def _without_ties(x: torch.Tensor, k: int, axis: int, largest: bool) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Return torch's answer, None if two of the first elements are equal, or one equals the next element."""
    if not _at_hand(x):
        return None
    m = min(k + 1, x.shape[axis])
    values, places = torch.topk(x, m, axis, largest, True)
    if m > 1:
        before, after = values.narrow(axis, 0, m - 1), values.narrow(axis, 1, m - 1)
        if not bool((before > after if largest else before < after).all()):  # as with nan
            return None
    return values.narrow(axis, 0, k), places.narrow(axis, 0, k)


def _has_top_k(x: torch.Tensor) -> bool:
    return x.dtype is not torch.bool and x.dtype not in SIGNED


def _has_an_axis(x: torch.Tensor, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> bool:
    """Tell whether x has an axis."""
    return x.ndim > 0


top_k.when = _has_an_axis  # type: ignore[attr-defined]

_INTEGERS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}


def _order(x: torch.Tensor) -> torch.Tensor:
    """Return integers in the order of the elements: -0.0 and 0.0 equal, nan after everything else."""
    if x.dtype in SIGNED:
        return in_signed_order(x)
    if x.dtype not in _INTEGERS:
        return x
    bits = (x.detach() + 0).view(_INTEGERS[x.dtype])
    greatest = torch.iinfo(bits.dtype).max
    ordered = bits ^ ((bits >> (torch.iinfo(bits.dtype).bits - 1)) & greatest)  # negative numbers count backwards
    return torch.where(torch.isnan(x), greatest, ordered)


def in_signed_order(x: torch.Tensor) -> torch.Tensor:
    """Return unsigned integers as signed ones of the same width and order: 0 becomes the least of them."""
    signed = x.view(SIGNED[x.dtype])
    return signed ^ torch.iinfo(signed.dtype).min


def in_unsigned_order(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Undo `in_signed_order`."""
    return (x ^ torch.iinfo(x.dtype).min).view(dtype)


# --- order statistics ---------------------------------------------------------------------------------------------
# PyTorch's own median is the lower of the two in the middle; the upper is minus the lower one of -x.


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
    """Join the reduced axes to one, the last, and return the shape of the result too."""
    if x.is_complex():  # torch looks at the shape first
        raise NotImplementedError("there is no order of complex numbers")
    chosen = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [range(x.ndim)[a] for a in chosen]
    if len({*axes}) < len(axes):
        raise ValueError("an axis is given twice")
    kept = [a for a in range(x.ndim) if a not in axes]
    shape = [1 if a in axes else n for a, n in enumerate(x.shape)] if keepdims else [x.shape[a] for a in kept]
    flat = x.permute((*kept, *axes)).reshape(*[x.shape[a] for a in kept], -1)
    # For a broadcast array torch reads memory beyond it, and returns what lies there.
    return flat.contiguous() if 0 in flat.stride() else flat, tuple(shape)


def _between(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    return torch.where(low == high, low, low * 0.5 + high * 0.5)


def _not_on_numpy(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> bool:
    """Tell whether x has elements that are on a GPU, are traced, or have a derivative taken of them.

    The composition partitions and sorts the others on NumPy, in less time.
    """
    return x.numel() > 0 and not _only_values(x)


median.when = nanmedian.when = _not_on_numpy  # type: ignore[attr-defined]
