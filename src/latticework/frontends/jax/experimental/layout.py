"""`jax.experimental.layout`: the order of elements in memory, which the backend decides."""

from __future__ import annotations

from typing import Any

__all__ = ["Format", "Layout"]


class Layout:
    """The order of an array's axes in memory."""

    def __init__(self, major_to_minor: Any = (), tiling: Any = None, **options: Any) -> None:
        self.major_to_minor, self.tiling = tuple(major_to_minor), tiling


class Format:
    """The order of an array's axes in memory, and where it is."""

    def __init__(self, layout: Any = None, sharding: Any = None) -> None:
        self.layout, self.sharding = layout, sharding
