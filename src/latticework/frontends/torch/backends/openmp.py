"""`torch.backends.openmp`: threads of loops. Whether a backend has it is its own matter."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available(): return False  # fmt: skip
