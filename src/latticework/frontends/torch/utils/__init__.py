"""`torch.utils`: loading data, computing again what a derivative needs, and trees."""

from __future__ import annotations

from . import _pytree as _pytree
from . import checkpoint as checkpoint
from . import data as data

__all__ = ["checkpoint", "data"]
