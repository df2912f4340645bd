"""Rules of random numbers: what is drawn depends on the parameters through a key that stays the same.

Numbers of the gamma distribution are drawn by rejection. Their derivative is that of numbers at which the distribution
function stays the same (Figurnov, Mohamed and Mnih, Implicit reparameterization gradients, 2018):
``-(dF/da) / (dF/dx)``. Counts are constant but for jumps: their slope is zero, as that of `floor`.
"""

from __future__ import annotations

import math

from ..api.special.numerics import in_float32
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .incomplete import relative_gammainc_by_a
from .rules import constant, elementwise

elementwise(
    "random._gamma", lambda out, a, key, log=False: in_float32(_of_logarithm if log else _of_number, a, out), None
)
constant("random._poisson", "random._binomial")

elementwise("random._erf", lambda out, x: lw.exp(-x * x) * (2 / math.sqrt(math.pi)))
elementwise("random._erfinv", lambda out, x: lw.exp(out * out) * (math.sqrt(math.pi) / 2))


def _of_logarithm(a: Array, log: Array) -> Array:
    """Compute the derivative of the logarithm of a number by a: infinite where a is 0."""
    known = lw.logical_and(lw.logical_and(a > 0, a < math.inf), lw.logical_and(log > -math.inf, log < math.inf))
    p, y = lw.where(known, a, 1.0), lw.where(known, log, 0.0)
    slope = -relative_gammainc_by_a(p, lw.exp(y), y)
    return lw.where(known, slope, lw.where(a == 0, math.inf, math.nan))


def _of_number(a: Array, x: Array) -> Array:
    """Compute the derivative of a number by a: 0 where the number itself is too small for its dtype."""
    known = lw.logical_and(lw.logical_and(a > 0, a < math.inf), lw.logical_and(x > 0, x < math.inf))
    p, y = lw.where(known, a, 1.0), lw.where(known, x, 1.0)
    slope = -y * relative_gammainc_by_a(p, y, lw.log(y))
    return lw.where(known, slope, lw.where(lw.logical_and(x == 0, a >= 0), 0.0, math.nan))
