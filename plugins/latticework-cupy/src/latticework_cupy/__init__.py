"""CuPy as a backend of latticework: arrays on GPUs, and the class of the backend."""

from __future__ import annotations

from .contract import CupyBackend

BACKEND = CupyBackend
