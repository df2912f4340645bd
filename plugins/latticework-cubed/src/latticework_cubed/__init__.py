"""Cubed as a backend of latticework: arrays in chunks, computed in bounded memory."""

from __future__ import annotations

from .contract import CubedBackend

BACKEND = CubedBackend
