"""Signals on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend.arguments import check_axis


def frame(x: np.ndarray, length: int, step: int, *, axis: int = -1) -> Any:
    """Copy a strided view, in which frames that overlap share memory."""
    if length < 1 or step < 1:
        raise ValueError("length and step have to be 1 or more")
    check_axis(x.ndim, axis)
    axis %= x.ndim
    if x.shape[axis] < length:
        return np.empty((*x.shape[:axis], 0, length, *x.shape[axis + 1 :]), x.dtype)
    windows = np.lib.stride_tricks.sliding_window_view(x, length, axis)
    windows = windows[(slice(None),) * axis + (slice(None, None, step),)]
    return np.moveaxis(windows, -1, axis + 1).copy()
