"""What floats beyond an integer's range become: the numbers that a backend's `cast` to an integer dtype needs."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ..core.dtypes import Dtype, float_limits, int_limits

__all__ = ["Ends", "ends"]


class Ends(NamedTuple):
    """Floats between `bottom` and `top`, cut towards zero, are of the integer dtype.

    Those beyond are to be clamped, and where the float dtype does not reach the ends of the integer's range, what is
    made of them is `short_of_low` or `short_of_high` away from these.
    """

    bottom: float
    top: float
    short_of_low: int
    short_of_high: int


@cache
def ends(source: Dtype, target: Dtype) -> Ends:
    """The ends of an integer dtype as numbers of a float dtype.

    >>> from latticework.core.dtypes import float32, int32
    >>> ends(float32, int32)
    Ends(bottom=-2147483648.0, top=2147483520.0, short_of_low=0, short_of_high=127)
    """
    floats, whole = float_limits(source), int_limits(target)
    beyond = whole.max + 1  # a power of two
    top = floats.max if beyond > floats.max else beyond * (1 - floats.eps / 2)
    bottom = max(float(whole.min), floats.min)
    return Ends(bottom, top, whole.min - int(bottom), whole.max - int(top))
