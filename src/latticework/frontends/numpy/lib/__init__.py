"""`numpy.lib`: windows over arrays, in `stride_tricks`."""

from __future__ import annotations

from . import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
