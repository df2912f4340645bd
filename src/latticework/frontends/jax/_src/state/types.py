"""The classes of arrays that change, of which there are none."""

from __future__ import annotations

from ...tracers import AbstractValue

__all__ = ["AbstractRef"]


class AbstractRef(AbstractValue):
    """The shape and dtype of an array that changes."""
