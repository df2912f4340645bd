"""Special functions: `erf`, `gamma` and others, under SciPy's names."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.averages import logsumexp as logsumexp  # noqa: PLC0414
from .api.special import __all__ as __all__  # noqa: PLC0414
from .api.special.bessel import *
from .api.special.entropy import *
from .api.special.error_functions import *
from .api.special.gamma_functions import *
from .api.special.incomplete import *
from .namespace import no_attribute

if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        raise no_attribute("special", name)


def __dir__() -> list[str]:
    return sorted(__all__)
