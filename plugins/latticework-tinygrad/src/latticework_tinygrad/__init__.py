"""tinygrad as a backend of latticework: functions of the array API standard over its Tensor, and the class."""

from __future__ import annotations

from .contract import TinygradBackend

BACKEND = TinygradBackend
