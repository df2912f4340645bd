"""Convolutions on PyTorch, whose own are correlations, and take no integers."""

from __future__ import annotations

from typing import Any

import torch


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
