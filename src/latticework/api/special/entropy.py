"""Products with logarithms, as entropies have them, and the logistic function."""

from __future__ import annotations

import math

from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ..nn import categories
from .numerics import in_float32

__all__ = ["entr", "expit", "kl_div", "logit", "rel_entr", "softmax", "xlog1py", "xlogy"]


def _xlogy(x: Array, y: Array) -> Array:
    zero = lw.logical_and(x == 0, lw.logical_not(lw.isnan(y)))
    return lw.where(zero, 0.0, x * lw.log(lw.where(zero, 1.0, y)))


def _xlog1py(x: Array, y: Array) -> Array:
    zero = lw.logical_and(x == 0, lw.logical_not(lw.isnan(y)))
    return lw.where(zero, 0.0, x * lw.log1p(lw.where(zero, 0.0, y)))


def _entr(x: Array) -> Array:
    positive = x > 0
    product = -x * lw.log(lw.where(positive, x, 1.0))
    return lw.where(positive, product, lw.where(x == 0, 0.0, lw.where(lw.isnan(x), x, -math.inf)))


def _relative(x: Array, y: Array) -> tuple[Array, Array]:
    """Compute ``x * log(x / y)``, and where that is the answer."""
    inside = lw.logical_and(x > 0, y > 0)
    p, q = lw.where(inside, x, 1.0), lw.where(inside, y, 1.0)
    ratio = p / q
    in_range = lw.logical_and(ratio > 0, ratio < math.inf)
    near = lw.logical_and(ratio > 0.75, ratio < 1.5)  # XLA is wrong by 100 units in the last place of log1p(-0.4)
    log = lw.where(near, lw.log1p(lw.where(near, (p - q) / q, 0.0)), lw.log(lw.where(in_range, ratio, 1.0)))
    return p * lw.where(in_range, log, lw.log(p) - lw.log(q)), inside


def _outside(x: Array, y: Array, at_zero: Array | float) -> Array:
    """Say what the relative entropies are where x or y is not positive."""
    zero = lw.logical_and(x == 0, y >= 0)
    unknown = lw.logical_or(lw.isnan(x), lw.isnan(y))
    return lw.where(zero, at_zero, lw.where(unknown, math.nan, lw.full_like(x + y, math.inf)))


def _rel_entr(x: Array, y: Array) -> Array:
    product, inside = _relative(x, y)
    return lw.where(inside, product, _outside(x, y, 0.0))


def _kl_div(x: Array, y: Array) -> Array:
    product, inside = _relative(x, y)
    return lw.where(inside, product - x + y, _outside(x, y, y))


@op("real floating")
def xlogy(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute ``x1 * log(x2)``, which is 0 where x1 is 0.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers. nan where x2 is nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.xlogy(lw.asarray([0.0, 2.0]), lw.asarray([0.0, 1.0]))
    Array([0., 0.], dtype=float32)
    """
    return _xlogy_of(x1, x2)


def _xlogy_of(x1: Array | float, x2: Array | float) -> Array:
    return in_float32(_xlogy, x1, x2)


@op("real floating")
def xlog1py(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute ``x1 * log(1 + x2)``, which is 0 where x1 is 0.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers. nan where x2 is nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.xlog1py(lw.asarray([0.0, 2.0]), lw.asarray([-1.0, 0.0]))
    Array([0., 0.], dtype=float32)
    """
    return in_float32(_xlog1py, x1, x2)


@op("real floating")
def entr(x: Array, /) -> Array:
    """Compute the entropy of each element: ``-x * log(x)``.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. 0 at 0, -infinity for negative numbers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.entr(lw.asarray([0.0, 0.5, 1.0]))
    Array([ 0.       ,  0.3465736, -0.       ], dtype=float32)
    """
    return in_float32(_entr, x)


@op("real floating")
def rel_entr(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the relative entropy of two numbers: ``x1 * log(x1 / x2)``.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers. 0 where x1 is 0 and x2 is not negative; infinity
    where else one of them is not positive.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.rel_entr(lw.asarray([0.0, 0.5, 1.0]), lw.asarray([1.0, 0.25, 0.0]))
    Array([0.       , 0.3465736,       inf], dtype=float32)
    """
    return in_float32(_rel_entr, x1, x2)


@op("real floating")
def kl_div(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the divergence of Kullback and Leibler of two numbers: ``x1 * log(x1 / x2) - x1 + x2``.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers. x2 where x1 is 0 and x2 is not negative; infinity
    where else one of them is not positive.

    Notes
    -----
    It is 0 or more for each pair of numbers, where `rel_entr` is for the sum of two distributions. ``nn.kl_div`` is
    the loss of PyTorch, which takes logarithms.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.kl_div(lw.asarray([0.0, 0.5, 1.0]), lw.asarray([1.0, 0.5, 0.0]))
    Array([ 1.,  0., inf], dtype=float32)
    """
    return in_float32(_kl_div, x1, x2)


@op("real floating")
def expit(x: Array, /) -> Array:
    """Compute the logistic function of each element: ``1 / (1 + exp(-x))``.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x: between 0 and 1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.expit(lw.asarray([0.0, 2.0]))
    Array([0.5     , 0.880797], dtype=float32)
    """

    def logistic(x: Array) -> Array:
        small = lw.exp(-lw.abs(x))
        return lw.where(x < 0, small, 1.0) / (1 + small)

    return in_float32(logistic, x)


@op("real floating")
def logit(x: Array, /) -> Array:
    """Compute the inverse of `expit` of each element: ``log(x / (1 - x))``.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. Infinities at 0 and 1, nan beyond.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.logit(lw.asarray([0.0, 0.5, 0.75]))
    Array([     -inf, 0.       , 1.0986123], dtype=float32)
    """

    def inverse(x: Array) -> Array:
        middle = lw.logical_and(x > 0.3, x < 0.65)
        apart = lw.where(middle, x, 0.5) * 2 - 1  # without rounding
        return lw.where(middle, lw.log1p(apart) - lw.log1p(-apart), lw.log(x / (1 - x)))

    return in_float32(inverse, x)


@composed
def softmax(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """Scale the exponentials of the elements so that they add up to 1: `nn.softmax` over all axes by default.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.
    axis: the axis or axes along which they add up to 1; None for all, which is SciPy's default. That of `nn.softmax`,
        as of the frameworks, is -1.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.softmax(lw.asarray([[0.0, 0.0], [0.0, 0.0]]))
    Array([[0.25, 0.25],
           [0.25, 0.25]], dtype=float32)
    """
    return categories.softmax(x, axis=axis)
