"""Sorting functions on NumPy, which sorts in ascending order only: a descending sort is an ascending one of the
array seen backwards. Seen so, equal elements are in opposite order before and after it: the sort is stable too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import bfloat16
from .core import EMULATED


def sort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> np.ndarray:
    result: np.ndarray = x.copy()
    kind: Any = "stable" if stable and _order_shows(x) else "quicksort"
    if descending:
        np.flip(result, axis).sort(axis, kind)  # sorts `made` itself, through a view
    else:
        np.ndarray.sort(result, axis, kind)  # no method: a 0-d scalar has none of that name that takes an axis
    return result


def _order_shows(x: Any) -> bool:
    """Return whether the order of equal elements shows: only that of zeros does, -0.0 and 0.0.

    NumPy's stable sort of elements of 32 bits or more takes several times as long as the other one.
    """
    if x.itemsize <= 2 or x.dtype.kind not in "iuf":
        return True
    return x.dtype.kind == "f" and bool((x.view(f"i{x.itemsize}") == np.iinfo(f"i{x.itemsize}").min).any())


def argsort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> np.ndarray:
    if not x.shape or axis is None:  # NumPy sorts it as if it were 1-d, and with None all elements
        raise IndexError("there is no such axis")
    kind: Any = "stable" if stable else "quicksort"
    order: np.ndarray
    if descending:
        order = x.shape[axis] - 1 - np.flip(np.flip(x, axis).argsort(axis, kind), axis)
    else:
        order = x.argsort(axis, kind)
    return order


def partition(x: Any, kth: Any, *, axis: int = -1) -> np.ndarray:
    if not x.shape or axis is None:
        raise IndexError("there is no such axis")
    if isinstance(kth, (tuple, list)) and len(kth) > 1:
        return _partition_at_several(x, sorted({k % (x.shape[axis] or 1) for k in kth}), axis)
    found: np.ndarray = np.partition(x, kth, axis)
    return found


#: The most elements along the axis that are sorted sooner than partitioned at several places.
_SORTED_SOONER = 1 << 12


def _partition_at_several(x: Any, kth: list[int], axis: int) -> np.ndarray:
    """Partition at several places: NumPy does the first place.

    The element for the next place is the least of those after it, and for the last one the greatest: to find these
    takes less time than to partition there too.
    """
    n = x.shape[axis]
    found: np.ndarray
    if not {*kth} <= {kth[0], kth[0] + 1, n - 1}:
        if n > _SORTED_SOONER:
            found = np.partition(x, kth, axis)
            return found
        return sort(x, axis=axis, stable=False)
    found = np.partition(x, kth[0], axis)
    after = np.moveaxis(found, axis, -1)[..., kth[0] + 1 :]
    if not after.size:
        return found
    if kth[-1] == n - 1:
        _swap(after, after.argmax(-1), -1)
        if x.dtype.kind == "f" and np.isnan(after[..., -1]).any():  # to `argmin`, nan is the least too
            found = np.partition(x, kth, axis)
            return found
        after = after[..., :-1]
    elif x.dtype.kind == "f" and np.isnan(after.max()):
        found = np.partition(x, kth, axis)
        return found
    if kth[0] + 1 in kth and after.size:
        _swap(after, after.argmin(-1), 0)
    return found


def _swap(x: np.ndarray, places: np.ndarray, end: int) -> None:
    """Exchange the elements at places along the last axis with those at one end."""
    at = places[..., None]
    moved = np.take_along_axis(x, at, -1)[..., 0]
    np.put_along_axis(x, at, x[..., end, None].copy(), -1)
    x[..., end] = moved


def argpartition(x: Any, kth: Any, *, axis: int = -1) -> np.ndarray:
    if not x.shape or axis is None:
        raise IndexError("there is no such axis")
    found: np.ndarray = np.argpartition(x, kth, axis)
    return found


def top_k(
    x: Any, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return the picked elements and their positions, sorted.

    NumPy does not say which of equal elements it takes. If there are some, integers are picked instead that have the
    position in their low bits, so that none are equal.
    """
    if k <= _FEW and (found := _one_by_one(x, k, axis, largest)) is not None:
        return found
    if (found := _without_ties(x, k, axis, largest)) is not None:
        return found
    n = x.shape[axis]
    if x.dtype.itemsize > 4:
        places = argsort(x, axis=axis, descending=largest)[(*(slice(None),) * (axis % x.ndim), slice(None, k))]
        return np.take_along_axis(x, places, axis), places
    position = np.arange(n).reshape(-1, *(1,) * (x.ndim - 1 - axis % x.ndim))
    keys = (_order(x).astype(np.int64) << 32) + (position if not largest else n - 1 - position)
    before = (slice(None),) * (axis % x.ndim)
    part = slice(n - k, None) if largest else slice(None, k)
    picked = np.argpartition(keys, n - k if largest else k - 1, axis)[(*before, part)]
    order = np.take_along_axis(keys, picked, axis).argsort(axis)
    places = np.take_along_axis(picked, np.flip(order, axis) if largest else order, axis)
    return np.take_along_axis(x, places, axis), places


#: The most elements that are found one after the other: each takes a twentieth of a partition.
_FEW = 12


def _one_by_one(x: Any, k: int, axis: int, largest: bool) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the first k elements and their positions: each is found as the first extreme, then replaced by the other
    end of the dtype. None where one of them is that end itself, or a nan is not the first."""
    if x.dtype.kind not in "iuf" or x.dtype.isbuiltin != 1:
        return None
    rest = np.moveaxis(x, axis, -1).copy()
    if not largest and x.dtype.kind == "f" and np.isnan(rest.min()):
        return None
    low, high = (-np.inf, np.inf) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
    end = x.dtype.type(low if largest else high)
    places = np.empty((*rest.shape[:-1], k), np.int64)
    values = np.empty(places.shape, x.dtype)
    for i in range(k):
        at = (rest.argmax(-1) if largest else rest.argmin(-1))[..., None]
        found = np.take_along_axis(rest, at, -1)
        if (found == end).any():
            return None
        places[..., i : i + 1], values[..., i : i + 1] = at, found
        np.put_along_axis(rest, at, end, -1)
    return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis)


def _without_ties(x: Any, k: int, axis: int, largest: bool) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the first k elements and their positions; None if two are equal, or one equals the next element."""
    if x.dtype.kind not in "iuf" or x.dtype.itemsize < 4:
        return None
    n = x.shape[axis]
    m = min(k + 1, n)
    last = n - m if largest else m - 1
    before = (slice(None),) * (axis % x.ndim)
    picked = np.argpartition(x, last, axis)[(*before, slice(n - m, None) if largest else slice(None, m))]
    values = np.take_along_axis(x, picked, axis)
    order = values.argsort(axis)
    if largest:
        order = np.flip(order, axis)
    values, places = (np.take_along_axis(a, order, axis) for a in (values, picked))
    first, second = values[(*before, slice(None, -1))], values[(*before, slice(1, None))]
    if not (first > second if largest else first < second).all():  # as with nan
        return None
    kept = (*before, slice(None, k))
    return values[kept], places[kept]


def _has_an_axis(x: Any, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> bool:
    """Tell whether x has elements, and k is from 1 to the extent of the axis."""
    return bool(x.shape) and x.size > 0 and 0 < k <= x.shape[axis]


top_k.when = _has_an_axis  # type: ignore[attr-defined]


def _order(x: Any) -> np.ndarray:
    """Return integers in the order of the elements: -0.0 and 0.0 equal, nan after everything else."""
    if x.dtype.kind in "biu":
        return np.asarray(x)
    if x.dtype.itemsize == 2 and x.dtype.kind == "f":
        x = x.astype(np.float32)
    if x.dtype != np.float32:
        return order_keys(x)
    bits = np.asarray(x + x.dtype.type(0)).view(np.int32)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # the bits of a negative number count backwards
    return np.where(np.isnan(x), np.int32(0x7FFFFFFF), ordered)


def order_keys(x: Any) -> np.ndarray:
    """Return int16 that compare as bfloat16 should: -0.0 and 0.0 equal, nan after everything else.

    ml_dtypes compares nan as if it were equal to everything, which leaves an array with one in no order at all.
    """
    bits = np.asarray(x + x.dtype.type(0)).view(np.int16)  # -0.0 + 0.0 is 0.0
    ordered = bits ^ ((bits >> 15) & 0x7FFF)  # the bits of a negative number count backwards
    return np.where(np.isnan(x), np.int16(0x7FFF), ordered)


def _argsort_bfloat16(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> np.ndarray:
    return argsort(order_keys(x), axis=axis, descending=descending, stable=stable)


def _sort_bfloat16(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> np.ndarray:
    order = _argsort_bfloat16(x, axis=axis, descending=descending, stable=stable)
    return np.take_along_axis(x, order, axis)


EMULATED["argsort", bfloat16] = _argsort_bfloat16
EMULATED["sort", bfloat16] = _sort_bfloat16


def _argpartition_bfloat16(x: Any, kth: Any, *, axis: int = -1) -> np.ndarray:
    return argpartition(order_keys(x), kth, axis=axis)


def _partition_bfloat16(x: Any, kth: Any, *, axis: int = -1) -> np.ndarray:
    return np.take_along_axis(x, _argpartition_bfloat16(x, kth, axis=axis), axis)


EMULATED["argpartition", bfloat16] = _argpartition_bfloat16
EMULATED["partition", bfloat16] = _partition_bfloat16
