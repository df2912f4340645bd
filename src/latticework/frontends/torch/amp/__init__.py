"""`torch.amp`: blocks in which functions choose their own dtypes, and losses that are scaled for float16."""

from __future__ import annotations

from typing import Any

from . import autocast_mode, grad_scaler
from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = [
    "GradScaler", "autocast", "autocast_mode", "custom_bwd", "custom_fwd", "grad_scaler", "is_autocast_available",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.amp.{name}: latticework's dialect of torch has no such name", name=name)
