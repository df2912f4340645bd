"""Simplifications that are made when somebody looks at the calls of a graph: many graphs run once, and nobody does."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING

from .general import Done, simplified

if TYPE_CHECKING:
    from ...backend import Backend
    from ..nodes import Block

__all__ = ["Late"]


class Late:
    """The simplifications of a block, which are made once, in place: one for all copies of a graph."""

    __slots__ = ("_done", "_lock", "_of")

    def __init__(self, block: Block, backend: Backend, names: Iterable[str] | None) -> None:
        self._of, self._lock = (block, backend, names), Lock()
        self._done: list[Done] | None = None

    def done(self) -> list[Done]:
        """Make them, unless that is done, and say what they did."""
        if self._done is None:
            with self._lock:
                if self._done is None:
                    self._done = simplified(*self._of)
        return self._done
