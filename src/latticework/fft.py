"""Fourier transforms: the extension of the standard (2025.12), transforms of two axes, and cosine transforms."""

# ruff: noqa: F403 - the namespace is its chapter's names
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.fft import __all__ as __all__  # noqa: PLC0414
from .api.fft.cosine import *
from .api.fft.extension import *
from .api.fft.two_dimensional import *
from .namespace import no_attribute

if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        raise no_attribute("fft", name)


def __dir__() -> list[str]:
    return sorted(__all__)
