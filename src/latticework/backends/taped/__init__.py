"""Arrays whose calls a tape records, to differentiate: ``taped:numpy`` computes like the NumPy backend.

No function is listed by itself. A function of the framework's backend is recorded with its rule (`derivatives.rules`).
A function that has no rule and is composed of others runs as the composition.
"""

from __future__ import annotations

from ...backend import get
from .core import TapedBackend

__all__ = ["TapedBackend", "of_target"]


def of_target(name: str) -> TapedBackend:
    """Return the backend that records the calls of another backend for derivatives."""
    return TapedBackend(get(name))
