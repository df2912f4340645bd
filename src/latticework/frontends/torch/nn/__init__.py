"""PyTorch's ``torch.nn``: its functions. Modules such as ``nn.Linear`` are classes, which are not here."""

from __future__ import annotations

from ..core import dialect
from . import functional

__all__ = ["functional"]

dialect.finish(globals())
