"""Creation functions on PyTorch."""

from __future__ import annotations

from typing import Any

import torch


def zeros(shape: Any, *, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.zeros(shape, dtype=dtype, device=device)
