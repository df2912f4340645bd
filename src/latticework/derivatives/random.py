"""Rules of random draws: what depends smoothly on the parameters."""

from __future__ import annotations
