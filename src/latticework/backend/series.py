"""Series near 0 of functions whose second derivatives cancel there, for arrays of any framework."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["I1", "SINC", "SINC_SLOPE", "polynomial"]

#: Coefficients of ``sin(y) / y`` in powers of ``y**2``, the highest first.
SINC = [(-1) ** k / math.factorial(2 * k + 1) for k in reversed(range(9))]
#: Coefficients of the derivative of ``sinc(x)``, divided by x, in powers of ``(pi * x)**2``.
SINC_SLOPE = [math.pi**2 * 2 * k * (-1) ** k / math.factorial(2 * k + 1) for k in reversed(range(1, 10))]
#: Coefficients of ``i1(x) / x`` in powers of ``x**2``, the highest first.
I1 = [0.5 / (4**k * math.factorial(k) * math.factorial(k + 1)) for k in reversed(range(9))]


def polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    """Compute a polynomial by Horner's scheme.

    Examples
    --------
    >>> from latticework.backend.series import polynomial
    >>> polynomial(2.0, [1.0, 0.0, 3.0])
    7.0
    """
    total = x * 0 + coefficients[0]
    for c in coefficients[1:]:
        total = total * x + c
    return total
