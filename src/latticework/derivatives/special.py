"""Rules of special functions, for those that SciPy computes: the compositions have derivatives of their own.

Slopes are taken at the limits where a function has an edge. The derivatives of distribution functions by their
parameters are in `incomplete`.
"""

from __future__ import annotations

import math
from typing import Any

from ..api.special.numerics import in_float32, polynomial
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..errors import BackendError
from .incomplete import betainc_by_a, betainc_by_b, betainc_by_x, gammainc_by_a, gammainc_by_x
from .nn import of_sigmoid
from .rules import elementwise

_ROOT_PI, _ROOT_TAU = math.sqrt(math.pi), math.sqrt(math.tau)


def _over(x: Any, y: Array) -> Array:
    """Return ``x / y``, 0 where x is 0."""
    zero = lw.logical_and(x == 0, lw.logical_not(lw.isnan(y)))
    return lw.where(zero, 0, x / lw.where(zero, 1, y))


# --- error functions and the normal distribution ----------------------------------------------------------------------

elementwise("special.erf", lambda out, x: lw.exp(-x * x) * (2 / _ROOT_PI))
elementwise("special.erfc", lambda out, x: lw.exp(-x * x) * (-2 / _ROOT_PI))
elementwise("special.erfinv", lambda out, x: lw.exp(out * out) * (_ROOT_PI / 2))
elementwise("special.ndtr", lambda out, x: lw.exp(-x * x / 2) / _ROOT_TAU)
elementwise("special.ndtri", lambda out, x: lw.exp(out * out / 2) * _ROOT_TAU)
elementwise("special.log_ndtr", lambda out, x: in_float32(_hazard, x, out))

#: From here on, the continued fraction of the hazard has as many digits as float64.
_FAR = -12.0


def _hazard(x: Array, out: Array) -> Array:
    """Compute the density of the normal distribution over its distribution function: far below 0 by Laplace's continued
    fraction (Abramowitz and Stegun, 26.2.14), where the difference of the logarithms has no digits."""
    far = x < _FAR
    size = lw.where(far, -x, -_FAR)
    fraction = size
    for k in range(16, 0, -1):
        fraction = size + k / fraction
    near = lw.where(far, 0.0, x)
    return lw.where(far, fraction, lw.exp(-near * near / 2 - lw.where(far, 0.0, out)) / _ROOT_TAU)


# --- logarithms and exponentials --------------------------------------------------------------------------------------

elementwise("special.expit", lambda out, x: of_sigmoid(x))
elementwise("special.logit", lambda out, x: 1 / (x * (1 - x)))
elementwise("special.xlogy", lambda out, x, y: _log_of(x, lw.log(y)), lambda out, x, y: _over(x, y))
elementwise("special.xlog1py", lambda out, x, y: _log_of(x, lw.log1p(y)), lambda out, x, y: _over(x, 1 + y))
elementwise("special.entr", lambda out, x: -1 - lw.log(x))
elementwise("special.rel_entr", lambda out, x, y: _unless_none(x, _log_ratio(x, y) + 1), lambda out, x, y: -_over(x, y))
elementwise("special.kl_div", lambda out, x, y: _unless_none(x, _log_ratio(x, y)), lambda out, x, y: 1 - _over(x, y))


def _log_of(x: Any, log: Array) -> Array:
    """Return the logarithm, 0 where x is 0 and the logarithm infinite: there the product is 0 by agreement."""
    return lw.where(lw.logical_and(x == 0, lw.isinf(log)), 0.0, log)


def _unless_none(x: Array, slope: Array) -> Array:
    """Return the slope by x, 0 where x is 0: nothing has no relative entropy, whatever it is relative to."""
    return lw.where(lw.logical_and(x == 0, lw.logical_not(lw.isnan(slope))), 0.0, slope)


def _log_ratio(x: Array, y: Array) -> Array:
    """Compute ``log(x / y)``: of numbers near each other by their difference; -1 where both are 0."""
    zeros = lw.logical_and(x == 0, y == 0)
    p, q = lw.where(zeros, math.exp(-1), x), lw.where(zeros, 1.0, y)
    near = lw.logical_and(lw.logical_and(p > 0, q > 0), lw.abs(p - q) < q / 4)
    close = lw.log1p(lw.where(near, (p - q) / lw.where(near, q, 1.0), 0.0))
    return lw.where(near, close, lw.log(p) - lw.log(q))


# --- gamma and beta ---------------------------------------------------------------------------------------------------

elementwise("special.gamma", lambda out, x: out * lw.special.digamma(x))
elementwise("special.gammaln", lambda out, x: lw.special.digamma(x))
elementwise("special.digamma", lambda out, x: in_float32(_trigamma, x))
elementwise(
    "special.polygamma",
    lambda out, n, x: _no_slope("special.polygamma", "n is the number of a derivative, and has no derivative itself"),
    lambda out, n, x: lw.special.polygamma(n + 1, x),
)
elementwise(
    "special.betaln",
    lambda out, a, b: lw.special.digamma(a) - lw.special.digamma(a + b),
    lambda out, a, b: lw.special.digamma(b) - lw.special.digamma(a + b),
)
elementwise(
    "special.beta",
    lambda out, a, b: in_float32(_of_beta, out, a, b),
    lambda out, a, b: in_float32(_of_beta, out, b, a),
)
elementwise(
    "special.zeta",
    lambda out, x, q: in_float32(_zeta_by_x, x, q),
    lambda out, x, q: -x * lw.special.zeta(x + 1, q),
)


def _trigamma(x: Array) -> Array:
    """Compute the derivative of digamma, below 0 by reflection (Abramowitz and Stegun, 6.4.7)."""
    below = x < 0
    y = lw.where(below, 1 - x, x)
    sine = lw.sin(lw.where(below, x - lw.round(x), 0.5) * math.pi)
    found = lw.special.polygamma(1, y)
    return lw.where(below, lw.square(math.pi / sine) - found, found)


def _no_slope(name: str, why: str) -> Any:
    raise BackendError(f"{name}: {why}. lw.stop_gradient(x) takes the argument as a constant")


def _of_beta(out: Array, a: Array, b: Array) -> Array:
    """Compute ``beta(a, b) * (digamma(a) - digamma(a + b))``. Where a + b is 0 or a negative integer, beta is 0, and
    the product has the limit ``gamma(a) * gamma(b) * (-1)**n * n!`` with n of -(a + b)."""
    total = a + b
    pole = lw.logical_and(lw.logical_and(total <= 0, total == lw.floor(total)), out == 0)
    n = lw.where(pole, -total, 0.0)
    even = n / 2 == lw.floor(n / 2)
    factorial = lw.special.gamma(n + 1)
    limit = lw.special.gamma(a) * lw.special.gamma(b) * lw.where(even, factorial, -factorial)
    return lw.where(pole, limit, out * (lw.special.digamma(a) - lw.special.digamma(lw.where(pole, 1.0, total))))


#: Bernoulli's numbers of even index over the factorials of the indices, B(2) first.
_TERMS = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
    -3617 / 10670622842880000, 43867 / 5109094217170944000,
)  # fmt: skip


def _zeta_by_x(x: Array, q: Array) -> Array:
    """Add twelve terms of ``-log(q + k) * (q + k)**-x``, and the rest by the derivative of Euler and Maclaurin's
    formula. nan for an x of 1 or less, and for a q that is not positive, where the function is one of integers x."""
    inside = lw.logical_and(lw.logical_and(x > 1, q > 0), q < math.inf)
    x, start = lw.where(inside, x, 2.0), lw.where(inside, q, 1.0)
    total = lw.zeros_like(x + start)
    for k in range(12):
        total = total - lw.log(start + k) * lw.pow(start + k, -x)
    end = start + 12
    log, power = lw.log(end), lw.pow(end, -x)
    total = total - power * (log * (end / (x - 1) + 0.5) + end / lw.square(x - 1))
    factor, slope = x / end, 1 / end  # x * (x + 1) * ... * (x + 2 * k - 2) / end**(2 * k - 1), and its derivative
    for k, b in enumerate(_TERMS, 1):
        total = total + b * power * (slope - log * factor)
        for i in (2 * k - 1, 2 * k):
            factor, slope = factor * (x + i) / end, (slope * (x + i) + factor) / end
    return lw.where(inside, total, lw.where(lw.logical_and(x > 1, q == math.inf), 0.0, math.nan))


# --- incomplete functions ---------------------------------------------------------------------------------------------

elementwise("special.gammainc", lambda out, a, x: gammainc_by_a(a, x), lambda out, a, x: gammainc_by_x(a, x))
elementwise("special.gammaincc", lambda out, a, x: -gammainc_by_a(a, x), lambda out, a, x: -gammainc_by_x(a, x))
elementwise(
    "special.betainc",
    lambda out, a, b, x: betainc_by_a(a, b, x),
    lambda out, a, b, x: betainc_by_b(a, b, x),
    lambda out, a, b, x: betainc_by_x(a, b, x),
)


# --- Bessel functions -------------------------------------------------------------------------------------------------

elementwise("special.i0", lambda out, x: lw.special.i1(x))
elementwise("special.i1", lambda out, x: in_float32(_of_i1, x, out))
elementwise("special.i0e", lambda out, x: in_float32(_of_i0e, x, out))
elementwise("special.i1e", lambda out, x: in_float32(_of_i1e, x, out))

#: The asymptotic series of ``x * (1 - i1(x) / i0(x))`` in 1 / x, the highest power first: it solves Riccati's equation
#: of the quotient r, ``r' = 1 - r / x - r**2`` (from Abramowitz and Stegun, 9.6.26).
_DISTANCE = (375733 / 32768, 103 / 32, 1073 / 1024, 13 / 32, 25 / 128, 1 / 8, 1 / 8, 1 / 2)
#: From here on the series has as many digits as the difference of i0e and i1e.
_LARGE = 100.0


def _of_i1(x: Array, out: Array) -> Array:
    """Compute ``i0(x) - i1(x) / x``; by the first terms of the power series near 0, where it is a half."""
    small = lw.abs(x) < 1e-2
    square = lw.square(lw.where(small, x, 0.0))
    near = 0.5 + square * (3 / 16 + square * (5 / 384 + square * (7 / 18432)))
    return lw.where(small, near, lw.special.i0(x) - out / lw.where(small, 1.0, x))


def _distance(x: Array) -> tuple[Array, Array]:
    """Return whether numbers are large, and ``1 - i1(x) / i0(x)`` for their sizes."""
    size = lw.abs(x)
    large = size > _LARGE
    inverse = 1 / lw.where(large, size, _LARGE)
    return large, inverse * polynomial(inverse, _DISTANCE)


def _of_i0e(x: Array, out: Array) -> Array:
    """Compute ``i1e(x) - sign(x) * i0e(x)``: 0 at 0, where it jumps from 1 to -1."""
    large, distance = _distance(x)
    sign = lw.sign(x)
    return lw.where(large, -sign * out * distance, lw.special.i1e(x) - sign * out)


def _of_i1e(x: Array, out: Array) -> Array:
    """Compute ``i0e(x) - i1e(x) * (sign(x) + 1 / x)``, a half at 0."""
    large, distance = _distance(x)
    size = lw.where(x == 0, 1.0, lw.abs(x))
    i0e = lw.special.i0e(x)
    by_series = _of_i1(lw.where(large, 0.0, x), out) * lw.exp(-lw.abs(x))
    near = lw.where(lw.abs(x) < 1e-2, by_series, i0e - lw.abs(out) / size)
    return lw.where(large, i0e * (distance - (1 - distance) / size), near - lw.abs(out))
