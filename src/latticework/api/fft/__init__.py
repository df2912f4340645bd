"""Fourier transforms: the standard's extension, transforms of two axes, and cosine transforms."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from . import cosine, extension, two_dimensional
from .cosine import *
from .extension import *
from .two_dimensional import *

__all__ = sorted([name for chapter in (extension, two_dimensional, cosine) for name in chapter.__all__])  # noqa: PLE0605
