"""What is not computed yet: nothing is waited for here."""

from __future__ import annotations

__all__ = ["wait_for_tokens"]


def wait_for_tokens() -> None:
    """Nothing: calls of Python are done when they return."""
