"""`numpy.lib`: windows over arrays, in `stride_tricks`, and axes as positions, in `array_utils`."""

from __future__ import annotations

from . import array_utils as array_utils
from . import stride_tricks as stride_tricks

__all__ = ["array_utils", "stride_tricks"]
