"""Rules of sorted elements."""

from __future__ import annotations
