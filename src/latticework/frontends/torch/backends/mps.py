"""`torch.backends.mps`: Apple's GPUs, which no backend computes on here."""

from __future__ import annotations

__all__ = ["is_available", "is_built"]


# fmt: off
def is_available(): return False
def is_built(): return False
# fmt: on
