"""Elementwise functions beyond the standard: those that one of the frameworks has, on all of them."""

from __future__ import annotations

import math
from typing import Any

from ..core.dtypes import complex128, float64, int32, int64, uint32, uint64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array, is_array
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand, as_operands
from ..policy import unified_rules
from . import elementwise as _e
from .conversion import astype

_LN2 = math.log(2)


def _twice(x: Any, **_: Any) -> list[Any]:
    """Return the operand's shape for each of two results."""
    return [x, x]


# --- exponentials and roots ---------------------------------------------------------------------------------------


@op("floating")
def exp2(x: Array, /) -> Array:
    """Raise 2 to the power of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.exp2(lw.asarray([3.0, -1.0]))
    Array([8. , 0.5], dtype=float32)
    """
    return _e.pow(2.0, x)


@op("real floating")
def cbrt(x: Array, /) -> Array:
    """Take the real cube root of each element, which has the sign of the element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    PyTorch and TensorFlow have no cube root: there a power of 1/3 is followed by one step of Newton's method.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cbrt(lw.asarray([1.0, -8.0]))
    Array([ 1., -2.], dtype=float32)
    """
    root = _e.copysign(_e.pow(_e.abs(x), 1 / 3), x)
    plain = _e.logical_and(_e.isfinite(root), _e.not_equal(root, 0))
    safe = lw.where(plain, root, 1.0)
    return lw.where(plain, _e.subtract(safe, _e.divide(_e.subtract(safe, _e.divide(x, _e.square(safe))), 3.0)), root)


@op("floating")
def rsqrt(x: Array, /) -> Array:
    """Take the reciprocal of the square root of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. Infinity for 0, nan for negative real numbers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.rsqrt(lw.asarray([4.0, 0.25]))
    Array([0.5, 2. ], dtype=float32)
    """
    return _e.reciprocal(_e.sqrt(x))


@op("real floating")
def logaddexp2(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute ``log2(2**x1 + 2**x2)`` without overflow.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logaddexp2(lw.asarray([3.0, 1000.0]), lw.asarray([3.0, 1000.0]))
    Array([   4., 1001.], dtype=float32)
    """
    # Chosen by one condition, so that two equal numbers have a half of the derivative each. Of two equal infinities,
    # whose difference is nan, the maximum has.
    first = _e.greater_equal(x1, x2)
    apart = _e.subtract(x1, x2)
    same = _e.logical_and(first, _e.isnan(apart))
    apart = lw.where(same, 0.0, lw.where(first, _e.negative(apart), apart))
    greater = lw.where(first, lw.where(same, _e.maximum(x1, x2), x1), x2)
    return _e.add(greater, _e.divide(_e.log1p(exp2(apart)), _LN2))


@composed
def float_power(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Raise each element of x1 to the power of the element of x2, in double precision.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays. Integers may have
        negative exponents, and are not taken for integers: there is no overflow.

    Returns
    -------
    complex128 where one of the two is complex, else float64.

    Raises
    ------
    BackendError: the backend has no 64-bit dtypes, as JAX while its 64-bit switch is off.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.float_power(lw.asarray([2, 4]), -1)
    Array([0.5 , 0.25], dtype=float64)
    """
    x1, x2 = as_operands(OPS["float_power"], (x1, x2))
    wide = complex128 if any(_kind(x) == "c" for x in (x1, x2)) else float64
    with unified_rules():
        return _e.pow(*(astype(x, wide, copy=False) if isinstance(x, Array) else x for x in (x1, x2)))


def _kind(x: Any) -> str:
    return x.dtype.kind if isinstance(x, Array) else "c" if isinstance(x, complex) else "f"


# --- rounding and parts of numbers ----------------------------------------------------------------------------------

fix = _e.trunc


@op("real floating")
def fabs(x: Array, /) -> Array:
    """Take the absolute value of each element, as a float.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float, where `abs` keeps them.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fabs(lw.asarray([-2, 3]))
    Array([2., 3.], dtype=float32)
    """
    return _e.abs(x)


@op("floating")
def rint(x: Array, /) -> Array:
    """Round each element to the nearest integer, half to even, as a float.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float, where `round` keeps them.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.rint(lw.asarray([1.5, 2.5, -0.4]))
    Array([ 2.,  2., -0.], dtype=float32)
    """
    return _e.round(x)


@op("real floating", out=("same", "same"), shape=_twice)
def modf(x: Array, /) -> tuple[Array, Array]:
    """Split each element into its fractional and its integral part, both with its sign.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The fractional and the integral parts, both in the shape and dtype of x. Of an infinity, 0 and the infinity.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.modf(lw.asarray([1.5, -0.25]))
    (Array([ 0.5 , -0.25], dtype=float32), Array([ 1., -0.], dtype=float32))
    """
    whole, below = _e.trunc(x), _e.signbit(x)
    # A zero has the sign of x, and the derivative 1: that of `copysign` is 0.
    rest = lw.where(below, _e.subtract(whole, x), _e.subtract(x, whole))
    rest = lw.where(_e.isinf(x), 0.0, rest)
    return lw.where(below, _e.negative(rest), rest), whole


@op("real floating", out=("same", "int32"), shape=_twice)
def frexp(x: Array, /) -> tuple[Array, Array]:
    """Split each element into a fraction of 0.5 to 1 and the power of 2 that it is multiplied by.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The fractions, in the dtype of x and with its sign, and the exponents as int32. 0, nan and infinities are their own
    fraction, with exponent 0.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.frexp(lw.asarray([6.0, -0.5]))
    (Array([ 0.75, -0.5 ], dtype=float32), Array([3, 0], dtype=int32))
    """
    ...


@op("real floating", x2="index")
def ldexp(x1: Array | float, x2: Array | int, /) -> Array:
    """Multiply each element by 2 to the power of an integer.

    Parameters
    ----------
    x1: any shape, a real floating dtype; integers are taken as the default float.
    x2: the exponents, of an integer dtype, in a shape that broadcasts with x1's.

    Returns
    -------
    The dtype of x1.

    Raises
    ------
    TypeError: the exponents are no integers.

    Notes
    -----
    PyTorch's own computes ``2**x2`` first, which leaves the range where the result would not.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ldexp(lw.asarray([0.75, -0.5]), lw.asarray([3, 1]))
    Array([ 6., -1.], dtype=float32)
    """
    limit = -math.floor(math.log2(lw.finfo(x1.dtype).smallest_normal)) if isinstance(x1, Array) else 1022
    if isinstance(x2, Array) and x2.dtype in (int64, uint32, uint64):  # far beyond the exponents of any dtype
        x2 = lw.clip(x2, 0 if x2.dtype.kind == "u" else -(2**20), 2**20)
    rest = lw.astype(x2, int32) if isinstance(x2, Array) else x2
    for _ in range(3):  # no power of 2 on the way leaves the range
        step = lw.clip(rest, -limit, limit) if isinstance(rest, Array) else max(-limit, min(limit, rest))
        power = exp2(astype(step, x1.dtype)) if isinstance(step, Array) and isinstance(x1, Array) else 2.0**step
        x1, rest = _e.multiply(x1, power), rest - step
    return lw.asarray(x1)


# --- division -----------------------------------------------------------------------------------------------------


@composed
def divmod(x1: Array | float, x2: Array | float, /) -> tuple[Array, Array]:
    """Divide each element of x1 by the element of x2: `floor_divide` and `remainder`.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The quotients and the remainders, in the common dtype of the two. Integers divided by zero are zero.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.divmod(lw.asarray([7, -7]), 3)
    (Array([ 2, -3], dtype=int32), Array([1, 2], dtype=int32))
    """
    return _e.floor_divide(x1, x2), _e.remainder(x1, x2)


@op("real numeric")
def fmod(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the remainder of a division rounded towards zero, which has the sign of x1.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. An integer divided by zero gives zero, a float nan. `remainder` has the sign of x2.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fmod(lw.asarray([7, -7]), 3), lw.remainder(lw.asarray([7, -7]), 3)
    (Array([ 1, -1], dtype=int32), Array([1, 2], dtype=int32))
    """
    if isinstance(x1, Array) and x1.dtype.kind == "f":  # chosen by its sign, which keeps the derivative at 0
        below = _e.signbit(x1)
        if isinstance(x2, Array):  # which has a derivative by x2 at 0 too
            divisor: Any = lw.where(_e.less(x2, 0), _e.negative(x2), x2)
        else:
            divisor = _size(x2)
        size = _e.remainder(lw.where(below, _e.negative(x1), x1), divisor)
        return lw.where(below, _e.negative(size), size)
    if _dtype(x1, x2).kind == "f":
        return _e.copysign(_e.remainder(_size(x1), _size(x2)), x1)
    rest = _e.remainder(x1, x2)
    other_sign = _e.logical_and(_e.not_equal(rest, 0), _e.not_equal(_e.less(rest, 0), _e.less(x1, 0)))
    return lw.where(other_sign, _e.subtract(rest, x2), rest)


def _size(x: Any) -> Array:
    """The absolute value of an operand, which may be a Python scalar."""
    return _e.abs(x)


def _dtype(*operands: Any) -> Any:
    """The dtype of operands that a plan has cast: that of the first array."""
    return next(x.dtype for x in operands if isinstance(x, Array))


@op("floating")
def divide_no_nan(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Divide each element of x1 by the element of x2; what is divided by zero gives zero.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers. nan where x1 is nan and x2 is not zero.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.divide_no_nan(lw.asarray([1.0, 0.0, 3.0]), lw.asarray([0.0, 0.0, 2.0]))
    Array([0. , 0. , 1.5], dtype=float32)
    """
    zero = _e.equal(x2, 0)
    return lw.where(zero, 0.0, _e.divide(x1, lw.where(zero, 1.0, x2)))


@op("integral")
def gcd(x1: Array | int, x2: Array | int, /) -> Array:
    """Find the greatest common divisor of each pair of elements.

    Parameters
    ----------
    x1, x2: integer dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. It is not negative, and 0 of two zeros.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.gcd(lw.asarray([12, -18, 0]), 8)
    Array([4, 2, 8], dtype=int32)
    """
    # Euclid's algorithm: Fibonacci numbers take the most steps, log(2**bits) to the base of the golden ratio.
    dtype = _dtype(x1, x2)
    a, b = lw.broadcast_arrays(*(x if isinstance(x, Array) else lw.asarray(x, dtype=dtype) for x in (x1, x2)))
    a, b = _e.abs(a), _e.abs(b)
    for _ in range(math.ceil(dtype.bits * 1.45)):
        zero = _e.equal(b, 0)
        a, b = lw.where(zero, a, b), lw.where(zero, b, _e.remainder(a, lw.where(zero, 1, b)))
    return a


@op("integral")
def lcm(x1: Array | int, x2: Array | int, /) -> Array:
    """Find the least common multiple of each pair of elements.

    Parameters
    ----------
    x1, x2: integer dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, in which it may wrap around. It is 0 where one of the two is.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.lcm(lw.asarray([4, -6, 0]), 10)
    Array([20, 30,  0], dtype=int32)
    """
    divisor = gcd(x1, x2)
    share = _e.floor_divide(_size(x1), lw.where(_e.equal(divisor, 0), 1, divisor))
    return _e.multiply(share, _size(x2))


# --- comparisons and signs ------------------------------------------------------------------------------------------


@op("real numeric")
def fmax(x1: Array | float, x2: Array | float, /) -> Array:
    """Take the greater of each pair of elements, and the number where one of the two is nan.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. nan where both are nan; `maximum` gives nan where one is.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fmax(lw.asarray([1.0, lw.nan]), lw.asarray([2.0, 3.0]))
    Array([2., 3.], dtype=float32)
    """
    return _e.maximum(*_numbers(x1, x2))


@op("real numeric")
def fmin(x1: Array | float, x2: Array | float, /) -> Array:
    """Take the lesser of each pair of elements, and the number where one of the two is nan.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. nan where both are nan; `minimum` gives nan where one is.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fmin(lw.asarray([1.0, lw.nan]), lw.asarray([2.0, 3.0]))
    Array([1., 3.], dtype=float32)
    """
    return _e.minimum(*_numbers(x1, x2))


def _numbers(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Replace a nan of one operand by the element of the other."""
    if _dtype(x1, x2).kind != "f":
        return x1, x2
    return lw.where(_e.isnan(x1), x2, x1), lw.where(_e.isnan(x2), x1, x2)


@op("real floating")
def heaviside(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the step function: 0 below zero, 1 above it, and x2 at zero.

    Parameters
    ----------
    x1: real numeric, any shape.
    x2: the values at zero, in a shape that broadcasts with x1's.

    Returns
    -------
    The common dtype of the two, the default float for integers. nan where x1 is nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.heaviside(lw.asarray([-1.5, 0.0, 2.0]), 0.5)
    Array([0. , 0.5, 1. ], dtype=float32)
    """
    step = lw.where(_e.equal(x1, 0), x2, astype(_e.greater(x1, 0), _dtype(x1, x2)))
    return lw.where(_e.not_equal(x1, x1), x1, step)  # of nan


@op("real numeric", out="bool")
def isposinf(x: Array, /) -> Array:
    """Tell for each element whether it is positive infinity.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    bool, in the shape of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isposinf(lw.asarray([1.0, lw.inf, -lw.inf]))
    Array([False,  True, False], dtype=bool)
    """
    return _e.logical_and(_e.isinf(x), _e.greater(x, 0))


@op("real numeric", out="bool")
def isneginf(x: Array, /) -> Array:
    """Tell for each element whether it is negative infinity.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    bool, in the shape of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isneginf(lw.asarray([1.0, lw.inf, -lw.inf]))
    Array([False, False,  True], dtype=bool)
    """
    return _e.logical_and(_e.isinf(x), _e.less(x, 0))


# --- complex numbers and angles -------------------------------------------------------------------------------------


@op("numeric", out="bool")
def isreal(x: Array, /) -> Array:
    """Tell for each element whether its imaginary part is 0.

    Parameters
    ----------
    x: any shape, a numeric dtype.

    Returns
    -------
    bool, in the shape of x: True for every element of a real dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isreal(lw.asarray([1 + 0j, 1j]))
    Array([ True, False], dtype=bool)
    """
    return _e.equal(_e.imag(x), 0)


@op("numeric", out="bool")
def iscomplex(x: Array, /) -> Array:
    """Tell for each element whether it has an imaginary part other than 0.

    Parameters
    ----------
    x: any shape, a numeric dtype.

    Returns
    -------
    bool, in the shape of x: False for every element of a real dtype. `lw.isdtype` tells of the dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.iscomplex(lw.asarray([1 + 0j, 1j]))
    Array([False,  True], dtype=bool)
    """
    return _e.not_equal(_e.imag(x), 0)


@op("floating", out="real")
def angle(x: Array, /, deg: bool = False) -> Array:
    """Compute the angle of each number in the complex plane.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.
    deg: whether the angle is in degrees, not in radians.

    Returns
    -------
    The dtype of the components, in (-pi, pi]. A negative real number has the angle pi.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.angle(lw.asarray([1.0, 1j, -1.0]), deg=True)
    Array([  0.,  90., 180.], dtype=float32)
    """
    radians = _e.atan2(_e.imag(x), _e.real(x))
    return rad2deg(radians) if deg else radians


@op("real floating", out="complex")
def polar(abs: Array | float, angle: Array | float, /) -> Array:
    """Make complex numbers of their absolute values and angles.

    Parameters
    ----------
    abs, angle: real numeric dtypes and shapes that broadcast together; angles in radians.

    Returns
    -------
    The complex dtype of their precision: complex128 of float64, else complex64.

    Notes
    -----
    ``abs * cos(angle) + 1j * abs * sin(angle)``, component by component: an infinite absolute value makes no nan of
    the other component unless that is 0.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.polar(lw.asarray([2.0, 0.5]), 0.0)
    Array([2. +0.j, 0.5+0.j], dtype=complex64)
    """
    ...


@op("real floating")
def deg2rad(x: Array, /) -> Array:
    """Convert each angle from degrees to radians.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.deg2rad(lw.asarray([180, 90]))
    Array([3.1415927, 1.5707964], dtype=float32)
    """
    return _e.multiply(x, math.pi / 180)


@op("real floating")
def rad2deg(x: Array, /) -> Array:
    """Convert each angle from radians to degrees.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.rad2deg(lw.asarray([lw.pi, lw.pi / 2]))
    Array([180.,  90.], dtype=float32)
    """
    return _e.multiply(x, 180 / math.pi)


degrees = rad2deg
radians = deg2rad


@op("floating")
def sinc(x: Array, /) -> Array:
    """Compute ``sin(pi * x) / (pi * x)`` for each element, which is 1 at 0.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.sinc(lw.asarray([0.0, 0.5, 1.5])), 3)
    Array([ 1.   ,  0.637, -0.212], dtype=float32)
    """
    zero = _e.equal(x, 0)
    y = _e.multiply(lw.where(zero, 1.0, x), math.pi)
    return lw.where(zero, 1.0, _e.divide(_e.sin(y), y))


# --- interpolation and products -------------------------------------------------------------------------------------


@op("floating")
def lerp(start: Array | complex, /, end: Array | complex, weight: Array | complex) -> Array:
    """Interpolate between each pair of elements: ``start + weight * (end - start)``.

    Parameters
    ----------
    start, end, weight: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the three, the default float for integers. Weights beyond 0 and 1 extrapolate. At a weight of 0
    it is start, and at a weight of 1 end, exactly.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.lerp(lw.asarray([0.0, 10.0]), lw.asarray([4.0, 20.0]), 0.25)
    Array([ 1. , 12.5], dtype=float32)
    """
    apart = _e.subtract(end, start)
    near_start = _e.less(_size(weight), 0.5)
    from_end = _e.subtract(end, _e.multiply(apart, _e.subtract(1.0, weight)))
    return lw.where(near_start, _e.add(start, _e.multiply(weight, apart)), from_end)


@op("numeric")
def addcmul(x: Array | complex, x1: Array | complex, x2: Array | complex, /, *, value: complex = 1) -> Array:
    """Add the product of two arrays to a third: ``x + value * x1 * x2``.

    Parameters
    ----------
    x, x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.
    value: a Python number that the dtype holds.

    Returns
    -------
    The common dtype of the three.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.addcmul(lw.asarray([1.0, 2.0]), lw.asarray([3.0, 4.0]), lw.asarray([5.0, 6.0]), value=0.5)
    Array([ 8.5, 14. ], dtype=float32)
    """
    product = _e.multiply(x1, x2)
    alone = not is_array(value) and value == 1  # by an array there may be a derivative
    return _e.add(x, product if alone else _e.multiply(product, value))


# --- bits ---------------------------------------------------------------------------------------------------------


@op("integral", out="uint8")
def bitwise_count(x: Array, /) -> Array:
    """Count the bits that are 1 in the absolute value of each element.

    Parameters
    ----------
    x: any shape, an integer dtype.

    Returns
    -------
    uint8, in the shape of x, as in NumPy.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitwise_count(lw.asarray([7, -1, 256]))
    Array([3, 1, 1], dtype=uint8)
    """
    ...


def to_numpy(x: Array, /) -> Any:
    """Return the array as a NumPy array.

    Parameters
    ----------
    x: an array of any backend, dtype and shape. What Dask has not computed is computed.

    Returns
    -------
    A `numpy.ndarray` in the shape and dtype of x; bfloat16 and the floats of 8 bits are dtypes of ml_dtypes. It may
    share its memory with x, and is read-only then if arrays of the backend never change.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.to_numpy(lw.asarray([1.5, 2.5]))
    array([1.5, 2.5], dtype=float32)
    """
    import numpy as np

    return np.asarray(as_operand(OPS["astype"], x))
