"""The error function and the normal distribution, which is the error function of another scale."""

from __future__ import annotations

import math

from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from .numerics import in_float32, quotient

__all__ = ["erf", "erfc", "erfinv", "log_ndtr", "ndtr", "ndtri"]

_ROOT_HALF = math.sqrt(0.5)

#: Cody's rational functions: up to 0.46875, up to 4, and beyond in 1 / x**2.
_NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
     3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
)  # fmt: skip
_FAR = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
     1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
     2.33520497626869185e-3),
)  # fmt: skip
_LIMIT = 0.46875

#: Wichura's rational functions: around one half, and of the tail's sqrt(-log p) up to 5 and beyond.
_CENTRE = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
     1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
     5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0),
)  # fmt: skip
_TAIL = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
     3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def _near(x: Array) -> Array:
    """Compute erf between -0.46875 and 0.46875."""
    return x * quotient(lw.square(lw.clip(x, -_LIMIT, _LIMIT)), *_NEAR)


def _scaled(size: Array) -> Array:
    """Compute ``exp(x**2) * erfc(x)`` of numbers from 0.46875 on."""
    far = lw.maximum(size, 4.0)
    inverse = lw.square(1 / far)
    beyond = (1 / math.sqrt(math.pi) - inverse * quotient(inverse, *_FAR)) / far
    return lw.where(size > 4, beyond, quotient(lw.clip(size, _LIMIT, 4), *_MIDDLE))


def _upper(size: Array) -> Array:
    """Compute erfc of numbers from 0.46875 on; the exponent is split as Cody does it, or its rounding would show."""
    size = lw.minimum(size, 32.0)  # where it is zero in every dtype
    coarse = lw.trunc(size * 16) / 16
    return lw.exp(-coarse * coarse) * lw.exp(-(size - coarse) * (size + coarse)) * _scaled(size)


def _erf(x: Array) -> Array:
    size = lw.abs(x)
    return lw.where(size > _LIMIT, lw.sign(x) * (1 - _upper(size)), _near(x))


def _erfc(x: Array) -> Array:
    size = lw.abs(x)
    upper = _upper(size)
    return lw.where(size > _LIMIT, lw.where(x < 0, 2 - upper, upper), 1 - _near(x))


def _log_ndtr(x: Array) -> Array:
    x = x * _ROOT_HALF
    below = x < -_LIMIT
    tail = lw.where(below, -x, 1.0)
    return lw.where(below, lw.log(_scaled(tail) / 2) - tail * tail, lw.log1p(erfc(lw.maximum(x, -_LIMIT)) * -0.5))


def _quantile(distance: Array, tail: Array) -> Array:
    """Compute the quantile of the normal distribution from the probability's distance to one half, and to 0 or 1."""
    near = lw.clip(distance, -0.425, 0.425)
    centre = near * quotient(0.180625 - near * near, *_CENTRE)
    inside = lw.logical_and(tail > 0, lw.abs(distance) > 0.425)
    depth = lw.sqrt(-lw.log(lw.where(inside, tail, 0.05)))
    size = lw.where(depth > 5, quotient(depth - 5, *_FAR_TAIL), quotient(depth - 1.6, *_TAIL))
    beyond = lw.where(tail >= 0, 1.0, tail) * math.nan  # as its slope is
    size = lw.where(inside, size, lw.where(tail == 0, math.inf, beyond))
    return lw.where(lw.abs(distance) <= 0.425, centre, lw.sign(distance) * size)


@op("real floating")
def erf(x: Array, /) -> Array:
    """Compute the error function of each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x: between -1 and 1.

    Notes
    -----
    ``2 / sqrt(pi)`` times the integral of ``exp(-t**2)`` from 0 to x. PyTorch, JAX, TensorFlow and SciPy have it. NumPy
    without SciPy computes the rational functions of W. J. Cody, Rational Chebyshev approximations for the error
    function, Mathematics of Computation 23 (1969), to 4 units in the last place.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.erf(lw.asarray([0.0, 0.5, -10.0]))
    Array([ 0.       ,  0.5204999, -1.       ], dtype=float32)
    """
    return in_float32(_erf, x)


@op("real floating")
def erfc(x: Array, /) -> Array:
    """Compute ``1 - erf(x)`` of each element without cancellation.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x: between 0 and 2.

    Notes
    -----
    PyTorch, JAX, TensorFlow and SciPy have it. NumPy without SciPy computes it as `erf`, to 16 units in the last place.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.erfc(lw.asarray([0.0, 4.0]))
    Array([1.0000000e+00, 1.5417259e-08], dtype=float32)
    """
    return in_float32(_erfc, x)


@op("real floating")
def erfinv(x: Array, /) -> Array:
    """Compute the inverse of the error function of each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. Infinities at -1 and 1, nan beyond.

    Notes
    -----
    PyTorch, JAX, TensorFlow and SciPy have it. NumPy without SciPy computes it from the quantile of the normal
    distribution, as `ndtri`, to 16 units in the last place.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.erfinv(lw.asarray([0.0, 0.5, 1.0]))
    Array([0.        , 0.47693628,        inf], dtype=float32)
    """
    return in_float32(lambda x: _quantile(x / 2, (1 - lw.abs(x)) / 2) * _ROOT_HALF, x)


@op("real floating")
def ndtr(x: Array, /) -> Array:
    """Compute the distribution function of the normal distribution: the probability of less than each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x: between 0 and 1.

    Notes
    -----
    ``erfc(-x / sqrt(2)) / 2``, which is how it is composed where a framework does not have it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.ndtr(lw.asarray([0.0, 1.0]))
    Array([0.5      , 0.8413448], dtype=float32)
    """
    return in_float32(lambda x: erfc(x * -_ROOT_HALF) / 2, x)


@op("real floating")
def ndtri(x: Array, /) -> Array:
    """Compute the quantile of the normal distribution for each probability: the inverse of `ndtr`.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. Infinities at 0 and 1, nan beyond.

    Notes
    -----
    PyTorch, JAX, TensorFlow and SciPy have it. NumPy without SciPy computes the rational functions of M. J. Wichura,
    Algorithm AS 241, Applied Statistics 37 (1988), to 16 units in the last place.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.ndtri(lw.asarray([0.5, 0.975]))
    Array([0.       , 1.9599644], dtype=float32)
    """
    return in_float32(lambda x: _quantile(x - 0.5, lw.minimum(x, 1 - x)), x)


@op("real floating")
def log_ndtr(x: Array, /) -> Array:
    """Compute the logarithm of `ndtr` of each element, where `ndtr` itself is 0 as well.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x: 0 or less.

    Notes
    -----
    From the scaled error function of Cody (see `erf`) where a framework does not have it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.log_ndtr(lw.asarray([0.0, -20.0]))
    Array([  -0.6931472, -203.91716  ], dtype=float32)
    """
    return in_float32(_log_ndtr, x)
