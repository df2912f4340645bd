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
