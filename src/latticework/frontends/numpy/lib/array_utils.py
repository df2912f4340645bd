"""`numpy.lib.array_utils`: axes as positions that are not negative."""

from __future__ import annotations

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

__all__ = ["normalize_axis_index", "normalize_axis_tuple"]
