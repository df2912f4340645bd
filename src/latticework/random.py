"""Random numbers: a key first, and the same numbers on every backend; `default_rng` for NumPy's generator object."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.random import __all__ as __all__  # noqa: PLC0414
from .api.random.continuous import *
from .api.random.discrete import *
from .api.random.generator import *
from .api.random.keys import *
from .api.random.permuting import *
from .namespace import no_attribute

if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        raise no_attribute("random", name)


def __dir__() -> list[str]:
    return sorted(__all__)
