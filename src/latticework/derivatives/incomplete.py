"""Derivatives of the incomplete gamma and beta functions by their parameters, by quadrature.

The derivative of a distribution function by a parameter is the integral of the density times the derivative of the
density's logarithm. The integral over the shorter tail is computed: there the integrand has one sign, but for a small
part near the mean. In the logarithm of the integration variable, for the beta function in that of ``t / (1 - t)``, the
integrand is a smooth function with one maximum. It is cut off where it has fallen by ``exp(-40)``, and integrated by
Gauss' and Legendre's quadrature. A small parameter makes a tail long: there, a recurrence raises the parameter first
(Abramowitz and Stegun, 6.5.21 and 26.5.16). In float64 the relative error is at most 1e-12 for the gamma function of
parameters from 1e-9 to 1e5; for the beta function 1e-9 of those from 1e-3 to 1e3, and 1e-6 from 1e-6 to 1e4.
"""

from __future__ import annotations

import functools
import math

from ..api.special.incomplete import _beta_front, _density
from ..api.special.numerics import in_float32
from ..core.registry import functions as lw
from ..engine.arrays.array import Array

__all__ = ["betainc_by_a", "betainc_by_b", "betainc_by_x", "gammainc_by_a", "gammainc_by_x", "relative_gammainc_by_a"]

#: The fall of the integrand's logarithm at which it is cut off, and the number of nodes.
_FALL, _NODES = 40.0, 40
#: By how much the first parameter of the beta function is raised.
_RAISED = 8
#: What stands for a parameter of 0, where the derivatives have limits.
_TINY = 1e-30


@functools.cache
def _nodes() -> tuple[tuple[float, float], ...]:
    """Return the nodes and weights between 0 and 1."""
    from numpy.polynomial.legendre import leggauss

    places, weights = leggauss(_NODES)
    return tuple([(float(p + 1) / 2, float(w) / 2) for p, w in zip(places, weights, strict=True)])


# --- gamma ------------------------------------------------------------------------------------------------------------


def relative_gammainc_by_a(a: Array, x: Array, log: Array) -> Array:
    """Compute the derivative of ``gammainc(a, x)`` by a over ``x**a * exp(-x) / gamma(a)``, for positive numbers.

    Parameters
    ----------
    log: the logarithm of x; x may be 0 where it is too small for its dtype.
    """
    upper = x > lw.maximum(a, 1.0)
    p = lw.where(upper, a, a + 1)
    mean = log - lw.special.digamma(p)
    step = lw.stop_gradient(_gamma_reach(p, x, upper))
    total = lw.zeros_like(x)
    for place, weight in _nodes():
        w = step * place
        total = total + lw.exp(p * w - x * lw.expm1(w)) * (mean + w) * weight
    tail = total * step  # the step goes up for the upper tail, down for the lower one
    return lw.where(upper, -tail, (mean - tail * x) / a)


def _gamma_reach(p: Array, x: Array, upper: Array) -> Array:
    """Solve ``x * (exp(w) - 1) - p * w = 40`` by Newton's method: w is positive for the upper tail."""
    sign = lw.where(upper, lw.ones_like(x), -1.0)
    slope = lw.abs(x - p)
    w = 2 * _FALL / (slope + lw.sqrt(slope * slope + 2 * _FALL * lw.maximum(x, 1e-30)))
    w = lw.where(upper, lw.minimum(w, lw.maximum(lw.log1p(2 * _FALL / lw.maximum(x, 1.0)), 1.3)), -w)
    w = lw.maximum(w, -(_FALL + x) / p)
    for _ in range(3):
        derivative = x * lw.exp(w) - p
        w = w - (x * lw.expm1(w) - p * w - _FALL) / lw.where(derivative == 0, sign, derivative)
    return w


def _positive(*xs: Array) -> Array:
    """Tell where all of some numbers are positive and finite."""
    inside = lw.logical_and(xs[0] > 0, xs[0] < math.inf)
    for x in xs[1:]:
        inside = lw.logical_and(inside, lw.logical_and(x > 0, x < math.inf))
    return inside


def _gammainc_by_a(a: Array, x: Array) -> Array:
    a = lw.where(a == 0, _TINY, a)
    inside = _positive(a, x)
    p, y = lw.where(inside, a, 1.0), lw.where(inside, x, 1.0)
    found = relative_gammainc_by_a(p, y, lw.log(y)) * _density(p, y)
    return lw.where(inside, found, lw.where(lw.logical_and(a > 0, x >= 0), 0.0, math.nan))


def gammainc_by_a(a: Array, x: Array) -> Array:
    """Compute the derivative of ``gammainc(a, x)`` by a. It is 0 where x is 0 or infinite."""
    return in_float32(_gammainc_by_a, a, x)


def _gammainc_by_x(a: Array, x: Array) -> Array:
    inside = _positive(a, x)
    p, y = lw.where(inside, a, 1.0), lw.where(inside, x, 1.0)
    at_0 = lw.where(a < 1, math.inf, lw.astype(a == 1, x.dtype))
    outside = lw.where(lw.logical_and(x == 0, a > 0), at_0, 0.0)
    return lw.where(inside, _density(p, y) / y, lw.where(lw.logical_and(a >= 0, x >= 0), outside, math.nan))


def gammainc_by_x(a: Array, x: Array) -> Array:
    """Compute the density of the gamma distribution: the derivative of ``gammainc(a, x)`` by x."""
    return in_float32(_gammainc_by_x, a, x)


# --- beta -------------------------------------------------------------------------------------------------------------


def _lower_tail(p: Array, q: Array, y: Array, rest: Array, front: Array) -> tuple[Array, Array]:
    """Compute the derivatives of ``betainc(p, q, y)`` by p and q for a y up to the mean, or little above.

    Parameters
    ----------
    rest: 1 - y.
    front: ``y**p * rest**q / beta(p, q)``.
    """
    log, log_rest = lw.log(y), lw.where(y < 0.5, lw.log1p(-lw.minimum(y, 0.5)), lw.log(rest))
    of_sum = lw.special.digamma(p + q)
    little = p < 1e-5 * q  # the difference of the digammas would have few digits
    apart = lw.where(little, p * lw.special.polygamma(1, q + p / 2), of_sum - lw.special.digamma(q))
    by_p, by_q = log - lw.special.digamma(p + 1) + of_sum, log_rest + apart
    term = front / p
    first, second = term * by_p, term * by_q
    for k in range(_RAISED):
        of_sum = 1 / (p + q + k)
        by_p, by_q = by_p - 1 / (p + (k + 1)) + of_sum, by_q + of_sum
        term = term * y * ((p + q + k) / (p + (k + 1)))
        if k < _RAISED - 1:
            first, second = first + term * by_p, second + term * by_q
    p = p + _RAISED
    by_p = by_p + 1 / p  # log(y) less the mean of the logarithm, where the sum has p + 1
    step = lw.stop_gradient(_beta_reach(p, q, y))
    of_log, of_rest = lw.zeros_like(y), lw.zeros_like(y)
    for place, weight in _nodes():
        w = step * place
        away = _log_away(y, w)
        density = lw.exp(-p * w - (p + q) * away) * weight
        of_log = of_log + density * (by_p - w - away)
        of_rest = of_rest + density * (by_q - away)
    whole = term * p * step
    return first + whole * of_log, second + whole * of_rest


def _log_away(y: Array, w: Array) -> Array:
    """Compute ``log(1 - y + y * exp(-w))``: by so much the logarithm of 1 - t is more at t = y."""
    return lw.log1p(lw.maximum(y * lw.expm1(-w), float(lw.finfo(y.dtype).eps) - 1))


def _beta_reach(p: Array, q: Array, y: Array) -> Array:
    """Solve ``p * w + (p + q) * log(1 - y + y * exp(-w)) = 40`` by Newton's method."""
    slope = lw.maximum(p * (1 - y) - q * y, 0.0)
    tiny = float(lw.finfo(y.dtype).smallest_normal)
    w = 2 * _FALL / (slope + lw.sqrt(slope * slope + 2 * _FALL * lw.maximum((p + q) * y * (1 - y), tiny)))
    w = lw.minimum(w, 1e4)
    for _ in range(4):
        away = _log_away(y, w)
        derivative = p - (p + q) * y * lw.exp(-w - away)
        w = w - (p * w + (p + q) * away - _FALL) / lw.maximum(derivative, tiny)
    return lw.maximum(w, 0.0)


def _betainc_by_parameters(a: Array, b: Array, x: Array) -> tuple[Array, Array]:
    a, b = lw.where(a == 0, _TINY, a), lw.where(b == 0, _TINY, b)
    inside = lw.logical_and(_positive(a, b, x), x < 1)
    p, q, y = lw.where(inside, a, 1.0), lw.where(inside, b, 1.0), lw.where(inside, x, 0.25)
    mirrored = y * (p + q) > p
    p, q, y, rest = (lw.where(mirrored, m, n) for m, n in ((q, p), (p, q), (1 - y, y), (y, 1 - y)))
    first, second = _lower_tail(p, q, y, rest, _beta_front(p, q, y, rest))
    first, second = lw.where(mirrored, -second, first), lw.where(mirrored, -first, second)
    bounds = lw.logical_and(lw.logical_and(a > 0, b > 0), lw.logical_and(x >= 0, x <= 1))
    outside = lw.where(bounds, lw.zeros_like(x), math.nan)
    return lw.where(inside, first, outside), lw.where(inside, second, outside)


def betainc_by_a(a: Array, b: Array, x: Array) -> Array:
    """Compute the derivative of ``betainc(a, b, x)`` by a. It is 0 where x is 0 or 1."""
    return in_float32(lambda *xs: _betainc_by_parameters(*xs)[0], a, b, x)


def betainc_by_b(a: Array, b: Array, x: Array) -> Array:
    """Compute the derivative of ``betainc(a, b, x)`` by b. It is 0 where x is 0 or 1."""
    return in_float32(lambda *xs: _betainc_by_parameters(*xs)[1], a, b, x)


def _betainc_by_x(a: Array, b: Array, x: Array) -> Array:
    inside = lw.logical_and(_positive(a, b, x), x < 1)
    p, q, y = lw.where(inside, a, 1.0), lw.where(inside, b, 1.0), lw.where(inside, x, 0.25)
    rest = 1 - y
    found = _beta_front(p, q, y, rest) / (y * rest)
    edge, other = lw.where(x == 0, a, b), lw.where(x == 0, b, a)
    at_edge = lw.where(edge < 1, math.inf, lw.where(edge == 1, other, 0.0))
    at_edge = lw.where(lw.logical_and(lw.logical_or(x == 0, x == 1), edge > 0), at_edge, 0.0)
    bounds = lw.logical_and(lw.logical_and(a >= 0, b >= 0), lw.logical_and(x >= 0, x <= 1))
    return lw.where(inside, found, lw.where(bounds, at_edge, math.nan))


def betainc_by_x(a: Array, b: Array, x: Array) -> Array:
    """Compute the density of the beta distribution: the derivative of ``betainc(a, b, x)`` by x."""
    return in_float32(_betainc_by_x, a, b, x)
