"""The incomplete gamma and beta functions: distribution functions of the gamma and beta distributions."""

from __future__ import annotations

import functools
import math

from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from .gamma_functions import betaln, gammaln, log_gamma_of_next, stirling_rest
from .numerics import in_float32

__all__ = ["betainc", "gammainc", "gammaincc"]

#: The number of terms of the series and of the continued fractions; where that is too few, there is quadrature.
_TERMS = 120
#: Quadrature computes the integrals for parameters above this, and arguments this near to the mean.
_LARGE, _NEAR = 100.0, 0.3
#: The fall of the integrand's logarithm beyond which the integrand is left out, and the number of nodes.
_FALL, _NODES = 40.0, 32


@functools.cache
def _nodes() -> tuple[tuple[float, float], ...]:
    """Nodes and weights of Gauss' and Legendre's quadrature between 0 and 1."""
    from numpy.polynomial.legendre import leggauss

    places, weights = leggauss(_NODES)
    return tuple((float(p + 1) / 2, float(w) / 2) for p, w in zip(places, weights, strict=True))


def _reach(slope: Array, curvature: Array) -> Array:
    """Compute the distance over which a concave logarithm falls by 40."""
    return 2 * _FALL / (slope + lw.sqrt(slope * slope + 2 * _FALL * curvature))


# --- gamma ----------------------------------------------------------------------------------------------------------


def _density(a: Array, x: Array) -> Array:
    """Compute ``x**a * exp(-x) / gamma(a)`` of positive numbers; of large a without cancellation."""
    large = a > 12
    far = lw.where(large, a, 13.0)
    ratio = lw.where(large, x, far) / far
    around = lw.exp(far * _log_and_linear(ratio - 1, ratio) - stirling_rest(far)) * lw.sqrt(far / math.tau)
    small = lw.where(large, 1.0, a)
    return lw.where(large, around, lw.exp(small * lw.log(x) - x - gammaln(small)))


def _log_and_linear(u: Array, ratio: Array) -> Array:
    """Compute ``log(1 + u) - u``, given 1 + u as well."""
    return lw.where(lw.abs(u) < 0.5, lw.log1p(lw.clip(u, -0.5, 0.5)), lw.log(ratio)) - u


def _series(a: Array, x: Array) -> Array:
    """Add ``x**n / (a * (a + 1) * ... * (a + n))``."""
    total = term = 1 / a
    for n in range(1, _TERMS):
        term = term * x / (a + n)
        total = total + term
    return total


def _fraction(a: Array, x: Array) -> Array:
    """Evaluate Legendre's continued fraction of the upper function, by Lentz' method."""
    b = x + 1 - a
    result = d = 1 / b
    c = lw.full_like(x, 1e30)
    for n in range(1, _TERMS):
        factor = (a - n) * n
        b = b + 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        result = result * c * d
    return result


def _tail(a: Array, x: Array, above: Array) -> Array:
    """Integrate the density from x away from its top at a - 1, which is large."""
    top = a - 1
    slope, curvature = lw.abs(x - top) / x, top / lw.square(x)
    reach = _reach(slope, curvature)
    step = lw.where(above, reach, lw.maximum(-reach, -x))
    total = lw.zeros_like(x)
    for place, weight in _nodes():
        u = (x - top + step * place) / top
        total = total + lw.exp(top * (lw.log1p(u) - u)) * weight
    return total * lw.abs(step) * lw.exp(-stirling_rest(top)) / lw.sqrt(top * math.tau)


def _gamma_parts(a: Array, x: Array) -> tuple[Array, Array]:
    """Compute the part that is smaller, and whether it is the upper one."""
    inside = lw.logical_and(lw.logical_and(a > 0, x > 0), lw.logical_and(a < math.inf, x < math.inf))
    a, x = lw.where(inside, a, 1.0), lw.where(inside, x, 1.0)
    by_nodes = lw.logical_and(a > _LARGE, lw.abs(x - a) < _NEAR * a)
    above = lw.where(by_nodes, x > a - 1, x > a + 1)
    p, y = lw.where(by_nodes, 1.0, a), lw.where(by_nodes, 1.0, x)
    expansion = lw.where(above, _fraction(p, lw.where(above, y, p + 2)), _series(p, lw.where(above, p, y)))
    far, z = lw.where(by_nodes, a, 2 * _LARGE), lw.where(by_nodes, x, 2 * _LARGE)
    return lw.where(by_nodes, _tail(far, z, above), _density(p, y) * expansion), above


def _at_bounds(a: Array, x: Array, lower: float) -> Array:
    """Say what the functions are where a or x is not positive or not finite; `lower` is 1 for the lower one."""
    upper = 1 - lower
    result = lw.where(x == 0, upper, lw.where(x == math.inf, lower, lw.where(a == math.inf, upper, lower)))
    undefined = lw.logical_or(a < 0, x < 0)
    undefined = lw.logical_or(undefined, lw.logical_and(a == 0, x == 0))
    undefined = lw.logical_or(undefined, lw.logical_and(a == math.inf, x == math.inf))
    undefined = lw.logical_or(undefined, lw.isnan(a + x))
    return lw.where(undefined, lw.full_like(a + x, math.nan), result)


def _gammainc(a: Array, x: Array) -> Array:
    part, above = _gamma_parts(a, x)
    inside = lw.logical_and(lw.logical_and(a > 0, x > 0), lw.logical_and(a < math.inf, x < math.inf))
    return lw.where(inside, lw.where(above, 1 - part, part), _at_bounds(a, x, 1.0))


def _upper_of_small(a: Array, x: Array) -> Array:
    """Compute the upper function of a up to 0.5 and x up to 1.1, where the lower one is near 1."""
    log = a * lw.log(x) - log_gamma_of_next(a)
    term = x * 0 + 1
    total = lw.zeros_like(term)
    for n in range(1, 24):
        term = term * (-x / n)
        total = total + term / (a + n)
    return -lw.expm1(log) - lw.exp(log) * a * total


def _gammaincc(a: Array, x: Array) -> Array:
    small = lw.logical_and(lw.logical_and(a > 0, a <= 0.5), lw.logical_and(x > 0, x <= 1.1))
    return lw.where(small, _upper_of_small(lw.where(small, a, 0.25), lw.where(small, x, 1.0)), _upper(a, x))


def _upper(a: Array, x: Array) -> Array:
    part, above = _gamma_parts(a, x)
    inside = lw.logical_and(lw.logical_and(a > 0, x > 0), lw.logical_and(a < math.inf, x < math.inf))
    return lw.where(inside, lw.where(above, part, 1 - part), _at_bounds(a, x, 0.0))


@op("real floating")
def gammainc(a: Array | float, x: Array | float, /) -> Array:
    """Compute the regularised lower incomplete gamma function: the distribution function of the gamma distribution.

    Parameters
    ----------
    a, x: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays. 0 or more each.

    Returns
    -------
    The common dtype of the two, the default float for integers: between 0 and 1. nan for negative a or x.

    Notes
    -----
    The integral of ``t**(a - 1) * exp(-t)`` from 0 to x, divided by gamma(a). PyTorch, JAX, TensorFlow and SciPy have
    it. NumPy without SciPy adds 120 terms of the series (Abramowitz and Stegun, 6.5.29) or of Legendre's continued
    fraction (6.5.31), and around large a integrates by 32 nodes, as Press and others, Numerical Recipes (2007), 6.2.2.
    The error is at most 32 units in the last place of 1 up to a = 100, and grows with the root of a.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.gammainc(lw.asarray([1.0, 2.0]), 1.0)
    Array([0.63212055, 0.26424113], dtype=float32)
    """
    return in_float32(_gammainc, a, x)


@op("real floating")
def gammaincc(a: Array | float, x: Array | float, /) -> Array:
    """Compute ``1 - gammainc(a, x)`` without cancellation.

    Parameters
    ----------
    a, x: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays. 0 or more each.

    Returns
    -------
    The common dtype of the two, the default float for integers: between 0 and 1. nan for negative a or x.

    Notes
    -----
    Computed as `gammainc`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.gammaincc(lw.asarray([1.0, 2.0]), 1.0)
    Array([0.36787945, 0.7357589 ], dtype=float32)
    """
    return in_float32(_gammaincc, a, x)


# --- beta -----------------------------------------------------------------------------------------------------------


def _beta_fraction(a: Array, b: Array, x: Array) -> Array:
    """Evaluate the continued fraction of the incomplete beta function, by Lentz' method."""
    total = a + b
    c = lw.ones_like(x)
    result = d = 1 / (1 - total * x / (a + 1))
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + (2 * m - 1)) * (a + 2 * m))
        odd = -(a + m) * (total + m) * x / ((a + 2 * m) * (a + (2 * m + 1)))
        for factor in (even, odd):
            d = 1 / _not_zero(factor * d + 1)
            c = _not_zero(factor / c + 1)
            result = result * d * c
    return result


def _not_zero(x: Array) -> Array:
    return lw.where(lw.abs(x) < 1e-30, 1e-30, x)


def _beta_tail(a: Array, b: Array, x: Array) -> Array:
    """Integrate the density from x down, relative to its value at x; a and b are large."""
    rest = 1 - x
    slope = lw.maximum((a - 1) / x - (b - 1) / rest, 0.0)
    reach = _reach(slope, (a - 1) / lw.square(x) + (b - 1) / lw.square(rest))
    step = lw.minimum(reach, x)
    total = lw.zeros_like(x)
    for place, weight in _nodes():
        move = step * place
        exponent = (a - 1) * lw.log1p(-move / x) + (b - 1) * lw.log1p(move / rest)
        total = total + lw.exp(exponent) * weight
    return total * step / (x * rest)


def _beta_front(a: Array, b: Array, x: Array, rest: Array) -> Array:
    """Compute ``x**a * (1 - x)**b / beta(a, b)``; of large a and b relative to the mean, without cancellation."""
    large = lw.logical_and(a > 12, b > 12)
    p, q = lw.where(large, a, 13.0), lw.where(large, b, 13.0)
    total = p + q
    away = (x - p / total) * total
    exponent = p * _log_and_linear(away / p, x * total / p) + q * _log_and_linear(-away / q, rest * total / q)
    exponent = exponent + stirling_rest(total) - stirling_rest(p) - stirling_rest(q)
    around = lw.exp(exponent) * lw.sqrt(p / total * q / math.tau)
    small = lw.where(large, 1.0, a), lw.where(large, 1.0, b)
    return lw.where(large, around, lw.exp(small[0] * lw.log(x) + small[1] * lw.log1p(-x) - betaln(*small)))


def _betainc(a: Array, b: Array, x: Array) -> Array:
    known = lw.logical_and(lw.logical_and(a > 0, b > 0), lw.logical_and(x > 0, x < 1))
    inside = lw.logical_and(known, lw.logical_and(a < math.inf, b < math.inf))
    p, q, y = lw.where(inside, a, 1.0), lw.where(inside, b, 1.0), lw.where(inside, x, 0.25)
    by_nodes = lw.logical_and(p > _LARGE, q > _LARGE)
    mean = lw.where(by_nodes, p / (p + q), (p + 1) / (p + q + 2))
    mirrored = y > mean
    p, q, y, rest = (lw.where(mirrored, m, n) for m, n in ((q, p), (p, q), (1 - y, y), (y, 1 - y)))
    front = _beta_front(p, q, y, rest)
    moderate = [lw.where(by_nodes, n, m) for m, n in ((p, 1.0), (q, 1.0), (y, 0.25))]
    large = [lw.where(by_nodes, m, n) for m, n in ((p, 2 * _LARGE), (q, 2 * _LARGE), (y, 0.5))]
    part = front * lw.where(by_nodes, _beta_tail(*large), _beta_fraction(*moderate) / p)
    result = lw.where(mirrored, 1 - part, part)
    return lw.where(inside, result, _beta_at_bounds(a, b, x))


def _beta_at_bounds(a: Array, b: Array, x: Array) -> Array:
    """Say what the function is at the bounds of its arguments, as SciPy does."""
    undefined = lw.isnan(a + b + x)
    for wrong in (a < 0, b < 0, x < 0, x > 1):
        undefined = lw.logical_or(undefined, wrong)
    zero_a, zero_b = lw.logical_or(a == 0, b == math.inf), lw.logical_or(b == 0, a == math.inf)
    undefined = lw.logical_or(undefined, lw.logical_and(zero_a, zero_b))
    one = lw.logical_or(x == 1, lw.logical_and(zero_a, x > 0))
    return lw.where(undefined, math.nan, lw.astype(lw.logical_and(one, lw.logical_not(undefined)), x.dtype))


@op("real floating")
def betainc(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    """Compute the regularised incomplete beta function: the distribution function of the beta distribution.

    Parameters
    ----------
    a, b, x: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays. a and b are
        positive, x is between 0 and 1.

    Returns
    -------
    The common dtype of the three, the default float for integers: between 0 and 1. nan outside the range.

    Notes
    -----
    The integral of ``t**(a - 1) * (1 - t)**(b - 1)`` from 0 to x, divided by beta(a, b). JAX, TensorFlow and SciPy have
    it. PyTorch, and NumPy without SciPy, evaluate 120 terms of its continued fraction, and for large a and b integrate
    by 32 nodes, as Press and others, Numerical Recipes (2007), 6.4. The error is at most 128 units in the last place of
    1 up to a, b = 200; the relative error of small results is that of ``a * log(x)``.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.betainc(lw.asarray([1.0, 2.0]), 2.0, 0.5)
    Array([0.75, 0.5 ], dtype=float32)
    """
    return in_float32(_betainc, a, b, x)
