"""Categories on PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from ...plain import comes_to
from ..core import BITS
from ..indexing import _bounds


def _is_one(x: torch.Tensor, *, axis: Any = -1) -> bool:
    """Tell whether there is one axis, of those that there are, and no mask."""
    return isinstance(axis, int) and x.ndim > 0


def softmax(x: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    return torch.softmax(x, axis)


comes_to(softmax, lambda x, axis=-1: (torch.softmax, (x, axis), {}))


softmax.when = _is_one  # type: ignore[attr-defined]


def log_softmax(x: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    return torch.log_softmax(x, axis)


comes_to(log_softmax, lambda x, axis=-1: (torch.log_softmax, (x, axis), {}))


log_softmax.when = _is_one  # type: ignore[attr-defined]


def _one_hot(x: torch.Tensor, like: torch.Tensor, *, num_classes: int, axis: int) -> torch.Tensor:
    shape = (*x.shape[:axis], num_classes, *x.shape[axis:])
    return torch.zeros(shape, dtype=like.dtype, device=x.device).scatter_(axis, x.unsqueeze(axis), 1)


def _are_categories(x: torch.Tensor, like: torch.Tensor, *, num_classes: int, axis: int) -> bool:
    """Tell whether all numbers are known to be categories, and PyTorch writes to positions in the dtype."""
    bounds = None if like.dtype in BITS else _bounds(x)
    return bounds is not None and bounds[0] >= 0 and bounds[1] < num_classes


_one_hot.when = _are_categories  # type: ignore[attr-defined]
