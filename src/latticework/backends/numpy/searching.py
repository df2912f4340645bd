"""Searching functions on NumPy: the array's methods where they do the same. The functions of the same name look for the
method first, which takes longer than the search of a small array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend.arguments import check_search, rows_to_search
from ...core.dtypes import bfloat16
from .core import EMULATED
from .sorting import order_keys as _order_keys


def argmax(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:  # NumPy takes 0 and -1 for an axis of a 0-d array
        raise IndexError("a 0-d array has no axes")
    return x.argmax(axis, None, keepdims=keepdims)


def argmin(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    if axis is not None and not x.shape:
        raise IndexError("a 0-d array has no axes")
    return x.argmin(axis, None, keepdims=keepdims)


def count_nonzero(x: Any, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
    if axis is None and not keepdims:
        return np.int64(np.count_nonzero(x))  # a Python int in some versions
    if axis is not None and axis != () and not x.shape:
        raise IndexError("a 0-d array has no axes")
    return np.count_nonzero(x, axis, keepdims=keepdims)


def nonzero(x: Any) -> tuple[np.ndarray, ...]:
    if not x.shape:
        raise ValueError("x must have at least one axis")
    found: tuple[np.ndarray, ...] = x.nonzero()
    return found


def searchsorted(x1: Any, x2: Any, *, side: Any = "left") -> Any:
    if len(x1.shape) != 1:
        return _searched_by_rows(x1, x2, side)
    check_search(1, side)
    return x1.searchsorted(x2, side)


def _searched_by_rows(x1: Any, x2: Any, side: Any) -> Any:
    found = np.empty(np.shape(x2), np.int64)
    for at in np.ndindex(*rows_to_search(x1.shape, np.shape(x2), side)):
        found[at] = x1[at].searchsorted(x2[at], side)
    return found


def _searchsorted_bfloat16(x1: Any, x2: Any, *, side: Any = "left") -> Any:
    """Search by keys if there is a nan: ml_dtypes compares nan as if it were equal to everything."""
    if x1.size and (np.isnan(x1[..., -1]).any() or np.isnan(x2).any()):
        x1, x2 = _order_keys(x1), _order_keys(x2)
    return searchsorted(x1, x2, side=side)


where = np.where

EMULATED["searchsorted", bfloat16] = _searchsorted_bfloat16
