"""Functions on PyTorch that pass over nan, and comparisons up to a tolerance."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...core.dtypes import bfloat16, float16
from .core import COMPOSED, DTYPES
from .shared import by_numpy as _by_numpy
from .shared import only_values as _only_values
from .statistical import Axes


def nansum(x: torch.Tensor, *, axis: Axes = None, dtype: torch.dtype, keepdims: bool = False) -> torch.Tensor:
    return torch.nansum(x, axis, keepdims, dtype=dtype)


def nanmean(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    return torch.nanmean(x, axis, keepdims)


def _has_axes(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> bool:
    """Tell whether x has real floats and axes to go along."""
    return x.is_floating_point() and x.ndim > 0 and axis != ()


nansum.when = nanmean.when = _has_axes  # type: ignore[attr-defined]
# Sums of 16 bits are divided in float32.
COMPOSED.update(("nanmean", dtype) for dtype in (bfloat16, float16))


def nanmax(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    return _by_numpy("nanmax", DTYPES[x.dtype], x, axis=axis, keepdims=keepdims)


def nanmin(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> torch.Tensor:
    return _by_numpy("nanmin", DTYPES[x.dtype], x, axis=axis, keepdims=keepdims)


def _on_numpy(x: torch.Tensor, *, axis: Axes = None, keepdims: bool = False) -> bool:
    """Tell whether x has floats of more than 16 bits in the CPU's memory, which nothing traces and no derivative is
    taken of: NumPy passes over nan as it goes."""
    return x.is_floating_point() and x.element_size() > 2 and x.ndim > 0 and x.numel() > 0 and _only_values(x)


nanmax.when = nanmin.when = _on_numpy  # type: ignore[attr-defined]


def _isclose(x1: torch.Tensor, x2: torch.Tensor, *, rtol: float, atol: float, equal_nan: bool) -> torch.Tensor:
    return torch.isclose(x1, x2, rtol, atol, equal_nan)


def _of_numbers(x1: torch.Tensor, x2: torch.Tensor, *, rtol: Any, atol: Any, equal_nan: bool) -> bool:
    """Tell whether the tolerances are numbers that are not negative, and the dtype has more than 16 bits."""
    return x1.element_size() > 2 and all(isinstance(v, (int, float)) and v >= 0 for v in (rtol, atol))


_isclose.when = _of_numbers  # type: ignore[attr-defined]


def _finite(x: torch.Tensor, *, nan: float, posinf: float | None, neginf: float | None) -> torch.Tensor:
    return torch.nan_to_num(x, nan, posinf, neginf)


def _changes_infinities(x: torch.Tensor, *, nan: float, posinf: float | None, neginf: float | None) -> bool:
    """Tell whether infinities are replaced too, or no derivative is taken: PyTorch's is 0 at all infinities."""
    return (posinf != math.inf and neginf != -math.inf) or _only_values(x)


_finite.when = _changes_infinities  # type: ignore[attr-defined]
