"""`torch.backends.opt_einsum`: the order in which an einsum multiplies, which the backend chooses here."""

from __future__ import annotations

__all__ = ["is_available"]

enabled, strategy = True, "auto"


def is_available(): return False  # fmt: skip
