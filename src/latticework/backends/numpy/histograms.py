"""Counting on NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...backend.arguments import check_size
from .core import BFLOAT16


def _bincount(x: Any, *, minlength: int = 0, length: int | None = None) -> np.ndarray:
    if length is not None:
        x, minlength = x[_within(x, length)], length
    elif x.size:  # NumPy adds 1 to the greatest element; beyond int64 it would write outside of its memory
        check_size(int(x.max()))
    return np.bincount(x, minlength=minlength).astype(np.int64, copy=False)


def _weighted_bincount(x: Any, weights: Any, *, minlength: int = 0, length: int | None = None) -> np.ndarray:
    """Add floats in float64, like NumPy's function; integers, which wrap around, and complex numbers one by one."""
    if length is not None:
        keep = _within(x, length)
        x, weights, minlength = x[keep], weights[keep], length
    elif x.size:
        check_size(int(x.max()))
    if weights.dtype.kind == "f" or weights.dtype == BFLOAT16:
        return np.bincount(x, weights, minlength).astype(weights.dtype, copy=False)
    if x.size and x.min() < 0:
        raise ValueError("x must not be negative")
    result = np.zeros(max(int(x.max()) + 1 if x.size else 0, minlength), weights.dtype)
    np.add.at(result, x, weights)
    return result


#: The number of elements in a block, few enough to stay in the processor's cache.
_BLOCK = 1 << 15

#: The least doubt, in bins, for a search among the edges: bins are about as narrow as the spacing of the numbers.
_MUCH = 0.25


def _count_between(x: Any, edges: Any) -> np.ndarray:
    counts = np.zeros(edges.size - 1, np.int64)
    for place, _ in _places_between(x, edges):
        counts += np.bincount(place, minlength=counts.size)
    return counts


def _sum_between(x: Any, weights: Any, edges: Any) -> np.ndarray:
    """Sum weights in float64, like NumPy."""
    totals = np.zeros(edges.size - 1)
    flat = weights.reshape(-1)
    for place, part in _places_between(x, edges):
        totals += np.bincount(place, flat[part], totals.size)
    return totals.astype(weights.dtype, copy=False)


def _places_between(x: Any, edges: Any) -> Iterator[tuple[np.ndarray, Any]]:
    """Yield the bins of elements, block by block, and the indices of these elements.

    A bin follows from the distance to the first edge. Close to an edge, rounding may be wrong by one bin. Elements are
    moved up by the doubt, so that all elements in doubt are at the beginning of a bin.
    """
    n = edges.size - 1
    first, last = edges[0], edges[-1]
    if not first < last:  # nan
        return
    number, scale = edges.dtype.type, n / (float(last) - float(first))
    # The largest error of a computed place, in bins.
    doubt = 8 * float(np.finfo(edges.dtype).eps) * (n + max(abs(float(first)), abs(float(last))) * scale)
    start_at = number(float(first) - doubt / scale)
    limit = number(doubt + (float(first) - float(start_at)) * scale)
    flat = x.reshape(-1)
    whole_memory = np.empty(min(flat.size, _BLOCK), edges.dtype)
    for start in range(0, flat.size, _BLOCK):
        part: Any = slice(start, start + _BLOCK)
        block = flat[part]
        if not (block.min() >= first and block.max() <= last):
            inside = (block >= first) & (block <= last)
            block = block[inside]
            part = np.flatnonzero(inside) + start
        if doubt > _MUCH:
            yield np.minimum(np.searchsorted(edges, block, side="right") - 1, n - 1), part
            continue
        exact, whole = np.subtract(block, start_at), whole_memory[: block.size]
        exact *= number(scale)
        np.floor(exact, out=whole)
        exact -= whole
        place = whole.astype(np.int32).astype(np.intp)  # in two steps, which take half of the time of one
        doubtful = np.flatnonzero(exact < limit)
        if doubtful.size:
            place[doubtful] = _beside(block[doubtful], np.minimum(place[doubtful], n - 1), edges)
        yield place, part


def _beside(x: np.ndarray, place: np.ndarray, edges: Any) -> np.ndarray:
    """Correct bins that may be wrong by one, by the edges beside them."""
    place = place - (x < edges[place])
    return place + ((x >= edges[place + 1]) & (place < edges.size - 2))


def _of_wide_bins(x: Any, edges: Any) -> bool:
    """Tell whether the dtype has more than 16 bits and there are fewer than 65,536 edges."""
    return x.dtype.itemsize > 2 and edges.size < 1 << 16


_count_between.when = _of_wide_bins  # type: ignore[attr-defined]


def _of_wide_bins_and_floats(x: Any, weights: Any, edges: Any) -> bool:
    """Tell whether the dtype of x has more than 16 bits, there are fewer than 65,536 edges, and weights are floats."""
    return weights.dtype.kind == "f" and weights.dtype.itemsize > 2 and _of_wide_bins(x, edges)


_sum_between.when = _of_wide_bins_and_floats  # type: ignore[attr-defined]


def _within(x: Any, length: int) -> Any:
    """Return the mask of the elements to count; a slice for all of them, which copies nothing."""
    if not x.size or (x.min() >= 0 and x.max() < length):
        return slice(None)
    return (x >= 0) & (x < length)


def digitize(x: Any, bins: Any, *, right: bool = False) -> Any:
    side: Any = "left" if right else "right"
    if bins.size > 1 and bins[-1] < bins[0]:
        return bins.size - bins[::-1].searchsorted(x, side)
    return bins.searchsorted(x, side)


def _of_more_bits(x: Any, bins: Any, *, right: bool = False) -> bool:
    """Tell whether bins have one axis, and no dtype that NumPy orders wrongly."""
    return len(bins.shape) == 1 and bins.dtype.isbuiltin == 1


digitize.when = _of_more_bits  # type: ignore[attr-defined]
