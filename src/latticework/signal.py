"""Signals: short-time Fourier transforms, windows, frames and convolutions."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.signal import __all__ as __all__  # noqa: PLC0414
from .api.signal.spectra import *
from .api.signal.windows import *
from .namespace import no_attribute

if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        raise no_attribute("signal", name)


def __dir__() -> list[str]:
    return sorted(__all__)
