"""Interpolation and convolutions on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import category
from .core import EMULATED


def interp(x: Any, xp: Any, fp: Any, *, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """In float64 or complex128, which NumPy's has alone."""
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError("xp and fp must have one axis of the same extent")
    if x.dtype.kind == "c":
        x, xp = x.real, xp.real
        left, right = (None if v is None else complex(v) for v in (left, right))
    result = np.interp(x, xp, fp, left, right, period)
    if xp.size == 1:  # of a single sample NumPy makes a number of nan
        result = np.where(np.isnan(x), np.nan, result)
    return result.astype(fp.dtype)


def convolve(x1: Any, x2: Any, *, mode: Any = "full") -> Any:
    return np.convolve(x1, x2, mode)


def _has_one_axis(x1: Any, x2: Any, *, mode: Any = "full") -> bool:
    """Tell whether both have one axis: NumPy takes a number as an array of one element."""
    return x1.ndim == x2.ndim == 1


convolve.when = _has_one_axis  # type: ignore[attr-defined]


def _convolve_half(x1: Any, x2: Any, *, mode: Any = "full") -> Any:
    """Summed in float32."""
    return np.convolve(x1.astype(np.float32), x2.astype(np.float32), mode).astype(x1.dtype)


_convolve_half.when = _has_one_axis  # type: ignore[attr-defined]
for _d in category("real floating"):
    if _d.bits == 16:
        EMULATED["convolve", _d] = _convolve_half
