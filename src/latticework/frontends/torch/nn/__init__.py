"""PyTorch's ``torch.nn``: its functions. Modules such as ``nn.Linear`` are classes, which are not here."""

from __future__ import annotations

from typing import Any

from ..core import dialect
from . import functional as functional

__all__ = ["functional"]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"torch.nn.{name}: latticework's dialect of torch has no such name. Functions of torch.nn.functional "
        "take the parameters that a module holds",
        name=name,
    )


dialect.finish(globals())
