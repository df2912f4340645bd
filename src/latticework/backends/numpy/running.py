"""Running extremes on NumPy: the ufuncs' own accumulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import only_axis
from .statistical import _scalar_axis


def cummax(x: Any, *, axis: int | None = None) -> Any:
    return _accumulated(np.maximum, x, axis)


def cummin(x: Any, *, axis: int | None = None) -> Any:
    return _accumulated(np.minimum, x, axis)


def _accumulated(ufunc: np.ufunc, x: Any, axis: int | None) -> Any:
    axis = only_axis(len(x.shape)) if axis is None else axis
    if not x.shape:
        _scalar_axis(axis)
    return ufunc.accumulate(x, axis)
