"""Counting on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import BFLOAT16


def _bincount(x: Any, *, minlength: int = 0, length: int | None = None) -> np.ndarray:
    if length is not None:
        x, minlength = x[_within(x, length)], length
    return np.bincount(x, minlength=minlength).astype(np.int64, copy=False)


def _weighted_bincount(x: Any, weights: Any, *, minlength: int = 0, length: int | None = None) -> np.ndarray:
    """Of floats in float64, as NumPy's function does; of integers, which wrap around, and complex ones one by one."""
    if length is not None:
        keep = _within(x, length)
        x, weights, minlength = x[keep], weights[keep], length
    if weights.dtype.kind == "f" or weights.dtype == BFLOAT16:
        return np.bincount(x, weights, minlength).astype(weights.dtype, copy=False)
    if x.size and x.min() < 0:
        raise ValueError("x must not be negative")
    result = np.zeros(max(int(x.max()) + 1 if x.size else 0, minlength), weights.dtype)
    np.add.at(result, x, weights)
    return result


def _within(x: Any, length: int) -> Any:
    """Which elements are counted; all of them as a slice, which copies nothing."""
    if not x.size or (x.min() >= 0 and x.max() < length):
        return slice(None)
    return (x >= 0) & (x < length)
