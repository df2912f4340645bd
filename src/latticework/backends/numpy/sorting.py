"""Sorting functions on NumPy, which sorts in ascending order only: a descending sort is an ascending one of the
array seen backwards. Seen so, equal elements are in opposite order before and after it: the sort is stable too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import bfloat16
from .core import EMULATED


def sort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> np.ndarray:
    result: np.ndarray = x.copy()
    kind: Any = "stable" if stable else "quicksort"
    if descending:
        np.flip(result, axis).sort(axis, kind)  # sorts `made` itself, through a view
    else:
        np.ndarray.sort(result, axis, kind)  # no method: a 0-d scalar has none of that name that takes an axis
    return result


def argsort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = True) -> np.ndarray:
    if not x.shape:  # NumPy sorts it as if it were 1-d
        raise IndexError("a 0-d array has no axes")
    kind: Any = "stable" if stable else "quicksort"
    order: np.ndarray
    if descending:
        order = x.shape[axis] - 1 - np.flip(np.flip(x, axis).argsort(axis, kind), axis)
    else:
        order = x.argsort(axis, kind)
    return order


def partition(x: Any, kth: Any, *, axis: int = -1) -> np.ndarray:
    if not x.shape:
        raise IndexError("a 0-d array has no axes")
    found: np.ndarray = np.partition(x, kth, axis)
    return found


def argpartition(x: Any, kth: Any, *, axis: int = -1) -> np.ndarray:
    if not x.shape:
        raise IndexError("a 0-d array has no axes")
    found: np.ndarray = np.argpartition(x, kth, axis)
    return found


def top_k(
    x: Any, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Of integers that have the position in their low bits, so that none are equal, the first or the last k are picked,
    and these are sorted."""
    n = x.shape[axis]
    position = np.arange(n).reshape(-1, *(1,) * (x.ndim - 1 - axis % x.ndim))
    keys = (_order(x).astype(np.int64) << 32) + (position if not largest else n - 1 - position)
    before = (slice(None),) * (axis % x.ndim)
    part = slice(n - k, None) if largest else slice(None, k)
    picked = np.argpartition(keys, n - k if largest else k - 1, axis)[(*before, part)]
    order = np.take_along_axis(keys, picked, axis).argsort(axis)
    places = np.take_along_axis(picked, np.flip(order, axis) if largest else order, axis)
    return np.take_along_axis(x, places, axis), places


def _in_few_bits(x: Any, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> bool:
    """Tell whether elements leave half of an int64 for their positions."""
    return bool(x.shape) and x.dtype.itemsize <= 4 and 0 < k <= x.shape[axis]


top_k.when = _in_few_bits  # type: ignore[attr-defined]


def _order(x: Any) -> np.ndarray:
    """Integers in the order of the elements: -0.0 and 0.0 equal, nan after everything else."""
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
    """int16 that compare as bfloat16 should: -0.0 and 0.0 equal, nan after everything else.

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
