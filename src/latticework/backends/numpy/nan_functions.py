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


def nanvar(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    missing = np.isnan(x)
    away = np.where(missing, x.dtype.type(0), x)
    count = np.asarray(away.size if axis is None else np.add.reduce(~missing, axis, np.int64, None, True))
    if axis is None:
        count = count - np.count_nonzero(missing)
    with np.errstate(invalid="ignore", divide="ignore"):
        np.subtract(x, np.add.reduce(away, axis, None, None, True) / count.astype(x.dtype), out=away)
        np.copyto(away, 0, where=missing)
        np.multiply(away, away, out=away)
        left = count - correction
        total = np.add.reduce(away, axis, None, None, True) / np.where(left > 0, left, np.nan).astype(x.dtype)
    return total if keepdims else total.squeeze(axis)


def nanstd(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return np.sqrt(nanvar(x, axis=axis, correction=correction, keepdims=keepdims))


def _spreads(x: Any, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> bool:
    """Tell whether x has real floats of more than 16 bits and axes to go along."""
    return x.dtype.kind == "f" and x.dtype.itemsize > 2 and len(x.shape) > 0 and axis != ()


nanvar.when = nanstd.when = _spreads  # type: ignore[attr-defined]
