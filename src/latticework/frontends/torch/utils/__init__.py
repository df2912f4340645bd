"""`torch.utils`: loading data, and computing again what a derivative needs."""

from __future__ import annotations

from . import checkpoint as checkpoint
from . import data as data

__all__ = ["checkpoint", "data"]
