"""Modified Bessel functions of the first kind, of orders 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from .numerics import in_float32

__all__ = ["i0", "i0e", "i1", "i1e"]

#: Coefficients of Chebyshev polynomials, fitted in 40 digits: of ``exp(-x) * i0(x)`` up to 8 in x / 4 - 1, of
#: ``sqrt(x) * exp(-x) * i0(x)`` beyond in 16 / x - 1, and the same of i1, divided by x up to 8.
_I0_SMALL = (
    0.676795274409476085, -0.304682672343198399, 0.171620901522208775, -0.0949010970480476444,
    0.0493052842396707085, -0.0237374148058994688, 0.0105464603945949983, -0.00432430999505057594,
    0.0016394756169413358, -0.000576375574538582366, 0.000188502885095841656, -0.000057541950100821037,
    0.0000164484480707288971, -4.41673835845875056e-6, 1.11738753912010372e-6, -2.67079385394061173e-7,
    6.04699502254191895e-8, -1.30002500998624804e-8, 2.65982372468238665e-9, -5.18979560163526291e-10,
    9.67580903537323691e-11, -1.72682629144155571e-11, 2.95505266312963983e-12, -4.85644678311192946e-13,
    7.67618549860493562e-14, -1.16853328779934517e-14, 1.71539128555513303e-15, -2.43127984654795469e-16,
    3.3307945188222381e-17,
)  # fmt: skip
_I0_LARGE = (
    0.804490411014108832, 0.00336911647825569409, 0.0000688975834691682398, 2.89137052083475648e-6,
    2.04891858946906374e-7, 2.26666899049817806e-8, 3.39623202570838635e-9, 4.94060238822496959e-10,
    1.18891471078464383e-11, -3.14991652796324136e-11, -1.32158118404477131e-11, -1.79417853150680612e-12,
    7.18012445138366623e-13, 3.8527783827421427e-13, 1.54008621752140983e-14, -4.15056934728722209e-14,
    -9.55484669882830765e-15, 3.81168066935262242e-15, 1.77256013305652638e-15, -3.42548561967721913e-16,
    -2.82762398051658348e-16, 3.46122286769746109e-17, 4.46562142029676e-17,
)  # fmt: skip
_I1_SMALL = (
    0.252587186443633655, -0.176416518357834055, 0.102643658689847095, -0.0529459812080949914,
    0.0247264490306265168, -0.0105640848946261982, 0.00415642294431288816, -0.00151357245063125315,
    0.000512285956168575773, -0.000161760815825896746, 0.0000478156510755005423, -0.0000132731636560394358,
    3.47025130813767848e-6, -8.56872026469545474e-7, 2.00329475355213526e-7, -4.44505912879632808e-8,
    9.38153738649577178e-9, -1.88724975172282929e-9, 3.62559028155211704e-10, -6.66348972350202774e-11,
    1.17361862988909016e-11, -1.98397439776494372e-12, 3.22379336594557471e-13, -5.04218550472791169e-14,
    7.60068429473540693e-15, -1.10559694773538631e-15, 1.55363195773620047e-16, -2.11142121435816608e-17,
)  # fmt: skip
_I1_LARGE = (
    0.77857623501828012, -0.00976109749136146841, -0.000110588938762623716, -3.88256480887769039e-6,
    -2.51223623787020893e-7, -2.63146884688951951e-8, -3.83538038596423702e-9, -5.58974346219658381e-10,
    -1.89749581235054123e-11, 3.25260358301548824e-11, 1.41258074366137813e-11, 2.03562854414708951e-12,
    -7.19855177624590851e-13, -4.08355111109219732e-13, -2.10154184277266431e-14, 4.27244001671195135e-14,
    1.04202769841288028e-14, -3.8144030724370078e-15, -1.88035477551078245e-15, 3.30820231092092828e-16,
    2.96262899764595014e-16, -3.20952592199342396e-17, -4.65030536848935833e-17,
)  # fmt: skip


def _chebyshev(x: Array, coefficients: Sequence[float]) -> Array:
    """Add a series of Chebyshev polynomials by Clenshaw's recurrence; the first coefficient counts half."""
    *first, last = coefficients
    after, result = lw.zeros_like(x), lw.full_like(x, last)
    for c in reversed(first[1:]):
        result, after = x * 2 * result - after + c, result
    return x * result - after + first[0] / 2


def _scaled_i0(size: Array) -> Array:
    large = lw.maximum(size, 8.0)
    beyond = _chebyshev(16 / large - 1, _I0_LARGE) / lw.sqrt(large)
    return lw.where(size > 8, beyond, _chebyshev(lw.clip(size, 0, 8) / 4 - 1, _I0_SMALL))


def _scaled_i1(size: Array) -> Array:
    large, small = lw.maximum(size, 8.0), lw.clip(size, 0, 8)
    beyond = _chebyshev(16 / large - 1, _I1_LARGE) / lw.sqrt(large)
    return lw.where(size > 8, beyond, small * _chebyshev(small / 4 - 1, _I1_SMALL))


def _grown(scaled: Array, size: Array) -> Array:
    """Multiply by the exponential, whose root stays in the range where the product does."""
    root = lw.exp(size / 2)
    return scaled * root * root


@op("real floating")
def i0(x: Array, /) -> Array:
    """Compute the modified Bessel function of order 0 of each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x: 1 or more. nan at infinities, as every framework has it.

    Notes
    -----
    PyTorch, JAX, TensorFlow and SciPy have it. NumPy without SciPy adds series of Chebyshev polynomials on two
    intervals, as C. W. Clenshaw, Chebyshev series for mathematical functions (1962), did, to 8 units in the last place.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.i0(lw.asarray([0.0, 1.0]))
    Array([1.       , 1.2660658], dtype=float32)
    """
    return in_float32(lambda x: _grown(_scaled_i0(lw.abs(x)), lw.abs(x)), x)


@op("real floating")
def i0e(x: Array, /) -> Array:
    """Compute ``exp(-abs(x)) * i0(x)`` of each element, which stays in the range.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x: between 0 and 1.

    Notes
    -----
    Computed as `i0`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.i0e(lw.asarray([0.0, 100.0]))
    Array([1.        , 0.03994438], dtype=float32)
    """
    return in_float32(lambda x: _scaled_i0(lw.abs(x)), x)


@op("real floating")
def i1(x: Array, /) -> Array:
    """Compute the modified Bessel function of order 1 of each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x, with its sign. nan at infinities, as every framework has it.

    Notes
    -----
    Computed as `i0`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.i1(lw.asarray([0.0, 1.0]))
    Array([0.       , 0.5651591], dtype=float32)
    """
    return in_float32(lambda x: lw.copysign(_grown(_scaled_i1(lw.abs(x)), lw.abs(x)), x), x)


@op("real floating")
def i1e(x: Array, /) -> Array:
    """Compute ``exp(-abs(x)) * i1(x)`` of each element, which stays in the range.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x, with its sign: between -1 and 1.

    Notes
    -----
    Computed as `i0`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.i1e(lw.asarray([0.0, 100.0]))
    Array([0.        , 0.03974415], dtype=float32)
    """
    return in_float32(lambda x: lw.copysign(_scaled_i1(lw.abs(x)), x), x)
