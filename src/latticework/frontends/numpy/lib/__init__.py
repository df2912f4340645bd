"""`numpy.lib`: windows over arrays, in `stride_tricks`, axes as positions, in `array_utils`, and versions of NumPy."""

from __future__ import annotations

from numpy.lib import NumpyVersion as NumpyVersion

from . import array_utils as array_utils
from . import stride_tricks as stride_tricks

__all__ = ["NumpyVersion", "array_utils", "stride_tricks"]
