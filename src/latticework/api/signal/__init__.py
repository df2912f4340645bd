"""Signals: windows, frames, short-time Fourier transforms and convolutions, a chapter per file."""

# ruff: noqa: F403, PLE0604 - the namespace is its chapters' names
from __future__ import annotations

from . import spectra as _spectra
from . import windows as _windows
from .spectra import *
from .windows import *

__all__ = [*_spectra.__all__, *_windows.__all__]
