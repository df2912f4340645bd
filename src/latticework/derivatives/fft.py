"""Rules of Fourier transforms, which are linear."""

from __future__ import annotations
