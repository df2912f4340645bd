"""The named tuples that PyTorch's functions of several results return, such as ``values`` and ``indices``."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any

__all__ = ["named"]


@cache
def named(name: str, *fields: str) -> Any:
    """The class of a function's results, ``torch.return_types.max``."""
    kind = namedtuple(name, fields)  # type: ignore[misc] # noqa: PYI024 - its names are given
    kind.__module__ = "torch.return_types"
    kind.__repr__ = _shown  # type: ignore[method-assign]
    return kind


def _shown(x: Any) -> str:
    inner = ",\n".join(f"{field}={getattr(x, field)!r}" for field in x._fields)
    return f"torch.return_types.{type(x).__name__}(\n{inner})"
