"""Saturation of floats beyond an integer's range: the limits that a backend's `cast` to an integer dtype needs."""

from __future__ import annotations

from ..core.dtypes import Dtype, float_limits, int_limits

__all__ = ["ends"]


def ends(source: Dtype, target: Dtype) -> tuple[float, float]:
    """Return the least and the largest number of a float dtype that, truncated, are in range of an integer dtype.

    Floats below the first become the least integer of the dtype, floats above the second the largest.

    >>> from latticework.core.dtypes import float32, int32
    >>> ends(float32, int32)
    (-2147483648.0, 2147483520.0)
    """
    floats, whole = float_limits(source), int_limits(target)
    beyond = whole.max + 1  # a power of two
    top = floats.max if beyond > floats.max else beyond * (1 - floats.eps / 2)
    return max(float(whole.min), floats.min), top
