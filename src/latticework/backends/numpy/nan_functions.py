"""Functions on NumPy that pass over nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from .statistical import Axes


def nanmax(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and axis != () and not x.shape:  # NumPy takes 0 and -1 for an axis of a 0-d array
        raise IndexError("a 0-d array has no axes")
    return np.fmax.reduce(x, axis, None, None, keepdims)


def nanmin(x: Any, *, axis: Axes = None, keepdims: bool = False) -> Any:
    if axis is not None and axis != () and not x.shape:
        raise IndexError("a 0-d array has no axes")
    return np.fmin.reduce(x, axis, None, None, keepdims)
