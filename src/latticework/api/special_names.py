"""Special functions that have a name in the main namespace as well."""

from __future__ import annotations

from .special import erf, i0

__all__ = ["erf", "i0"]
