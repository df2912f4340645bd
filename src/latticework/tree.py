"""Functions of trees: arrays in lists, tuples, named tuples and dicts, as the parameters of a model are."""

# ruff: noqa: F403 - the namespace is its chapter's names
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.tree import *
from .api.tree import __all__ as __all__  # noqa: PLC0414
from .namespace import no_attribute

if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        raise no_attribute("tree", name)


def __dir__() -> list[str]:
    return sorted(__all__)
