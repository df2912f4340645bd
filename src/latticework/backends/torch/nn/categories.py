"""Categories on PyTorch."""

from __future__ import annotations

from typing import Any

import torch


def _is_one(x: torch.Tensor, *, axis: Any = -1) -> bool:
    """Tell whether there is one axis, of those that there are, and no mask."""
    return isinstance(axis, int) and x.ndim > 0


def softmax(x: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    return torch.softmax(x, axis)


softmax.when = _is_one  # type: ignore[attr-defined]


def log_softmax(x: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    return torch.log_softmax(x, axis)


log_softmax.when = _is_one  # type: ignore[attr-defined]
