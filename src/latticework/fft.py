"""The Fourier transform extension of the standard (2025.12)."""

# ruff: noqa: F403 - the namespace is its chapter's names
from __future__ import annotations

from .api.fft import *
from .api.fft import __all__ as __all__  # noqa: PLC0414
from .namespace import no_attribute


def __getattr__(name: str) -> object:
    raise no_attribute("fft", name)


def __dir__() -> list[str]:
    return sorted(__all__)
