"""Running extremes and sums on NumPy: the ufuncs' own accumulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import bfloat16, float16
from ..arguments import only_axis
from .core import COMPOSED
from .statistical import _scalar_axis

#: Of 16 bits each step would round to what the next one adds little to.
COMPOSED.update(("logcumsumexp", dtype) for dtype in (bfloat16, float16))


def cummax(x: Any, *, axis: int | None = None) -> Any:
    return _accumulated(np.maximum, x, axis)


def cummin(x: Any, *, axis: int | None = None) -> Any:
    return _accumulated(np.minimum, x, axis)


def logcumsumexp(x: Any, *, axis: int | None = None) -> Any:
    with np.errstate(invalid="ignore"):  # of nan, which NumPy warns of
        return _accumulated(np.logaddexp, x, axis)


def _accumulated(ufunc: np.ufunc, x: Any, axis: int | None) -> Any:
    axis = only_axis(len(x.shape)) if axis is None else axis
    if not x.shape:
        _scalar_axis(axis)
    return ufunc.accumulate(x, axis)
