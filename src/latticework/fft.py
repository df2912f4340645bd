"""The Fourier transform extension of the standard (2025.12)."""

# ruff: noqa: F403 - the namespace is its chapter's names
from __future__ import annotations

from .api.fft import *
from .api.fft import __all__ as __all__  # noqa: PLC0414
