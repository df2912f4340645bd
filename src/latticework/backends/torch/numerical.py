"""Integrals, sums of exponentials, and convolutions on PyTorch, whose own are correlations and take no integers."""

from __future__ import annotations

import math
from typing import Any

import torch

from .shared import recorded as _recorded


def convolve(x1: torch.Tensor, x2: torch.Tensor, *, mode: Any = "full") -> torch.Tensor:
    if x1.shape[0] < x2.shape[0]:
        x1, x2 = x2, x1
    k = x2.shape[0]
    before, after = {"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[mode]
    if before != after:
        x1 = torch.nn.functional.pad(x1, (before, after))
        before = 0
    return torch.nn.functional.conv1d(x1[None, None], x2.flip(0)[None, None], padding=before)[0, 0]


def _of_numbers(x1: torch.Tensor, x2: torch.Tensor, *, mode: Any = "full") -> bool:
    """Tell whether both have elements along one axis, of a floating or complex dtype of more than 16 bits.

    Those of 16 have no kernel on every device.
    """
    fits = x1.ndim == x2.ndim == 1 and x1.numel() > 0 and x2.numel() > 0 and mode in ("full", "same", "valid")
    return fits and (x1.is_complex() or (x1.is_floating_point() and x1.element_size() > 2))


convolve.when = _of_numbers  # type: ignore[attr-defined]


def trapezoid(y: torch.Tensor, *, x: torch.Tensor, dx: float = 1.0, axis: int = -1) -> torch.Tensor:
    return torch.trapezoid(y, x, dim=axis)


def _has_places(y: torch.Tensor, *, x: torch.Tensor | None = None, dx: float = 1.0, axis: int = -1) -> bool:
    """Tell whether the samples have places, more than 16 bits and shapes that fit.

    Of samples at equal distances PyTorch takes half of the ends from the sum, which is nan where one is infinite.
    """
    if x is None or y.element_size() <= 2 or not -y.ndim <= axis < y.ndim:
        return False
    return x.shape == y.shape or x.shape == (y.shape[axis],)


trapezoid.when = _has_places  # type: ignore[attr-defined]


def logsumexp(x: torch.Tensor, *, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """The derivatives of torch.logsumexp are nan where all elements are -inf."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    if not _recorded(x):
        return torch.logsumexp(x, axes, keepdims)
    nothing = torch.amax(x.detach(), axes, keepdim=True) == -math.inf
    result = torch.logsumexp(x.masked_fill(nothing, 0), axes, keepdims)
    return result.masked_fill(nothing if keepdims else nothing.reshape(result.shape), -math.inf)


def _has_elements(x: torch.Tensor, *, axis: Any = None, keepdims: bool = False, **weights: Any) -> bool:
    """Tell whether x has elements of more than 16 bits and axes to go along, and there are no weights."""
    return x.numel() > 0 and x.element_size() > 2 and x.ndim > 0 and axis != () and not weights


logsumexp.when = _has_elements  # type: ignore[attr-defined]
