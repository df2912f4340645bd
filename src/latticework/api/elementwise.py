"""Elementwise functions: a `def` with a body of `...` is supplied by every backend, one with a body is composed."""

from __future__ import annotations

import builtins
from contextlib import suppress
from typing import Any, Never

from ..core.dtypes import Dtype, int_limits
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array, is_array, wrapped
from ..engine.calls.translate import CHECKS
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand
from ..engine.exchange.output import written
from ..engine.plans.advice import unexpected
from ..policy import current, unified_rules

# --- arithmetic --------------------------------------------------------------------------------------------------


@op("numeric")
def add(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array:
    """Sum of each pair of elements.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two under the active rules. Integers wrap around at the ends of their range.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.add(lw.asarray([1, 2]), lw.asarray([0.5, 0.25]))
    Array([1.5 , 2.25], dtype=float32)
    """
    ...


@op("numeric")
def subtract(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array:
    """Difference of each pair of elements.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two under the active rules. Integers wrap around at the ends of their range,
    so an unsigned difference is never negative.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.subtract(lw.asarray([3, 2]), 1)
    Array([2, 1], dtype=int32)
    """
    ...


@op("numeric")
def multiply(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array:
    """Product of each pair of elements.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two under the active rules. Integers wrap around at the ends of their range.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.multiply(lw.asarray([3, 2]), 1.5)
    Array([4.5, 3. ], dtype=float32)
    """
    ...


@op("floating")
def divide(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array:
    """Quotient of each pair of elements. Integers are divided as floats.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, and the default float where that is an integer. Division by zero gives an
    infinity or nan; NumPy warns of it, as `numpy.errstate` says, and the others do not.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.divide(lw.asarray([3, 2]), 2)
    Array([1.5, 1. ], dtype=float32)
    """
    ...


@op("real numeric")
def floor_divide(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Quotient of each pair of elements, rounded down: ``//`` of Python.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. It goes with `remainder`: ``x1`` is ``floor_divide(x1, x2) * x2 + remainder(x1, x2)``
    up to rounding, so 1.0 // 0.1 is 9, because 0.1 as a float lies above a tenth. An integer divided by zero
    is 0 (NumPy warns, as `numpy.errstate` says; PyTorch on a GPU leaves the value undefined); a float is an
    infinity or nan. An infinite dividend gives nan, as in Python, where the standard would rather have an infinity.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.floor_divide(lw.asarray([7, -7]), 2)
    Array([ 3, -4], dtype=int32)
    """
    ...


@op("real numeric")
def remainder(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Compute the remainder of `floor_divide`, with the sign of the divisor: Python's ``%``.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. An integer modulo zero is 0 (NumPy warns, as `numpy.errstate` says; PyTorch on a
    GPU leaves the value undefined); a float modulo zero is nan. PyTorch does not give a zero the divisor's sign.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.remainder(lw.asarray([7, -7]), 4)
    Array([3, 1], dtype=int32)
    """
    ...


@op("numeric")
def pow(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array:
    """Each element of x1 to the power of the element of x2.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. Integers wrap around at the ends of their range.

    Raises
    ------
    ValueError: an integer to a negative power, which is no integer. Cast one of the two to a floating dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.pow(lw.asarray([2, 3]), 3)
    Array([ 8, 27], dtype=int32)
    >>> lw.pow(lw.asarray([1, 4]), -0.5)
    Array([1. , 0.5], dtype=float32)
    """
    ...


def _check_exponents(x1: Any, x2: Any, /, **_: Any) -> Exception | None:
    """Return the error for integers to negative powers, if that is why a call failed."""
    with suppress(Exception), unified_rules():  # values that cannot be read tell nothing
        if isinstance(x2, int) and x1.dtype.kind in "iu" and x2 < int_limits(x1.dtype).min:
            return None  # it does not fit beside x1, which is another error
        kinds = {x.dtype.kind if isinstance(x, Array) else {int: "i", bool: "b"}[type(x)] for x in (x1, x2)}
        negative = x2 < 0 if isinstance(x2, int) else "i" in kinds and bool(lw.any(lw.less(x2, 0)))
        if kinds <= {*"biu"} and negative:
            advice = "Cast one to a floating dtype: lw.astype(x, lw.float32)"
            return ValueError(f"pow: integers have no negative powers. {advice}")
    return None


CHECKS["pow"] = _check_exponents


@op("numeric")
def square(x: Array, /, out: Array | None = None) -> Array:
    """Each element times itself.

    Parameters
    ----------
    x: any shape, a numeric dtype.

    Returns
    -------
    The shape and dtype of x. Integers wrap around at the ends of their range.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.square(lw.asarray([3, -4]))
    Array([ 9, 16], dtype=int32)
    """
    ...


@op("floating")
def reciprocal(x: Array, /, out: Array | None = None) -> Array:
    """Divide one by each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. An infinity for zero, with its sign.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.reciprocal(lw.asarray([2, 4]))
    Array([0.5 , 0.25], dtype=float32)
    """
    ...


@op("numeric")
def negative(x: Array, /, out: Array | None = None) -> Array:
    """Each element with the opposite sign; both components of a complex one.

    Parameters
    ----------
    x: any shape, a numeric dtype.

    Returns
    -------
    The shape and dtype of x. Integers wrap around: the negative of the uint8 1 is 255, that of the int8 -128 itself.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.negative(lw.asarray([1.5, -2.0]))
    Array([-1.5,  2. ], dtype=float32)
    """
    ...


@op("numeric")
def positive(x: Array, /, out: Array | None = None) -> Array:
    """Each element as it is, in memory of its own.

    Parameters
    ----------
    x: any shape, a numeric dtype.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.positive(lw.asarray([1, -2]))
    Array([ 1, -2], dtype=int32)
    """
    ...


@op("numeric", out="real")
def abs(x: Array, /, out: Array | None = None) -> Array:
    """Absolute value of each element; of a complex one, its distance from zero.

    Parameters
    ----------
    x: any shape, a numeric dtype.

    Returns
    -------
    The shape of x and its dtype, a real one for complex input: float32 for complex64, float64 for complex128.
    The least int8 (-128) and its kin of other widths have no positive counterpart and stay as they are.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.abs(lw.asarray([-1.5, 2.0]))
    Array([1.5, 2. ], dtype=float32)
    """
    ...


@op("numeric")
def sign(x: Array, /, out: Array | None = None) -> Array:
    """The sign of each element: -1, 0 or 1; of a complex one, the number of length 1 in its direction.

    Parameters
    ----------
    x: any shape, a numeric dtype.

    Returns
    -------
    The shape and dtype of x. nan for nan, zero for zeros of either sign.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sign(lw.asarray([-3, 0, 5]))
    Array([-1,  0,  1], dtype=int32)
    """
    ...


@op("real floating")
def copysign(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """The size of each element of x1 with the sign of the element of x2. Zeros, infinities and nan have signs too.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.copysign(lw.asarray([1.0, 2.0]), -0.0)
    Array([-1., -2.], dtype=float32)
    """
    ...


@op("real floating")
def nextafter(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """The float next to each element of x1, in the direction of the element of x2; x2 itself where they are equal.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers: it decides how near the next float lies.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nextafter(lw.asarray(1.0), 2.0) - 1
    Array(1.1920929e-07, dtype=float32)
    """
    ...


@op("real floating")
def hypot(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Length of the hypotenuse over each pair of sides, without overflow on the way.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers. Infinity where a side is infinite, nan or not.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.hypot(lw.asarray([3.0, 3e30]), lw.asarray([4.0, 4e30]))
    Array([5.e+00, 5.e+30], dtype=float32)
    """
    ...


# --- exponentials and logarithms ---------------------------------------------------------------------------------


@op("floating")
def exp(x: Array, /, out: Array | None = None) -> Array:
    """e to the power of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.exp(lw.asarray([0, 1])), decimals=4)
    Array([1.    , 2.7183], dtype=float32)
    """
    ...


@op("floating")
def expm1(x: Array, /, out: Array | None = None) -> Array:
    """e to the power of each element, less one; exact where that is close to zero.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.expm1(lw.asarray([0.0, 1e-10]))
    Array([0.e+00, 1.e-10], dtype=float32)
    """
    ...


@op("floating")
def log(x: Array, /, out: Array | None = None) -> Array:
    """Natural logarithm of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. -inf for 0; nan below it, unless x is complex:
    then the branch cut lies along the negative real axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.log(lw.asarray([1, 2])), decimals=4)
    Array([0.    , 0.6931], dtype=float32)
    """
    ...


@op("floating")
def log1p(x: Array, /, out: Array | None = None) -> Array:
    """Natural logarithm of one plus each element; exact where that is close to one.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. -inf for -1; nan below it, unless x is complex.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.log1p(lw.asarray([0.0, 1e-10]))
    Array([0.e+00, 1.e-10], dtype=float32)
    """
    ...


@op("floating")
def log2(x: Array, /, out: Array | None = None) -> Array:
    """Logarithm to the base 2 of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. -inf for 0; nan below it, unless x is complex.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.log2(lw.asarray([1, 8]))
    Array([0., 3.], dtype=float32)
    """
    ...


@op("floating")
def log10(x: Array, /, out: Array | None = None) -> Array:
    """Logarithm to the base 10 of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. -inf for 0; nan below it, unless x is complex.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.log10(lw.asarray([1, 1000])), decimals=4)
    Array([0., 3.], dtype=float32)
    """
    ...


@op("real floating")
def logaddexp(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Logarithm of the sum of the exponentials of each pair of elements, without overflow on the way.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.logaddexp(lw.asarray([0.0, 100.0]), 0.0), decimals=2)
    Array([  0.69, 100.  ], dtype=float32)
    """
    ...


@op("floating")
def sqrt(x: Array, /, out: Array | None = None) -> Array:
    """Square root of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. nan for negative numbers, unless x is complex:
    then the root with a real part that is not negative.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sqrt(lw.asarray([4, 2]))
    Array([2.       , 1.4142135], dtype=float32)
    """
    ...


# --- trigonometry ------------------------------------------------------------------------------------------------


@op("floating")
def sin(x: Array, /, out: Array | None = None) -> Array:
    """Sine of each element, an angle in radians.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. nan for infinities.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sin(lw.asarray([0.0, lw.pi / 2]))
    Array([0., 1.], dtype=float32)
    """
    ...


@op("floating")
def cos(x: Array, /, out: Array | None = None) -> Array:
    """Cosine of each element, an angle in radians.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. nan for infinities.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cos(lw.asarray([0, 0]))
    Array([1., 1.], dtype=float32)
    """
    ...


@op("floating")
def tan(x: Array, /, out: Array | None = None) -> Array:
    """Tangent of each element, an angle in radians.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. nan for infinities.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.tan(lw.asarray([0.0, lw.pi / 4])), decimals=4)
    Array([0., 1.], dtype=float32)
    """
    ...


@op("floating")
def asin(x: Array, /, out: Array | None = None) -> Array:
    """Inverse sine of each element, in radians from -pi/2 to pi/2.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. nan beyond -1 and 1, unless x is complex:
    there the branch cuts lie.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.asin(lw.asarray([0, 1])), decimals=4)
    Array([0.    , 1.5708], dtype=float32)
    """
    ...


@op("floating")
def acos(x: Array, /, out: Array | None = None) -> Array:
    """Inverse cosine of each element, in radians from 0 to pi.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. nan beyond -1 and 1, unless x is complex:
    there the branch cuts lie.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.acos(lw.asarray([1, -1])), decimals=4)
    Array([0.    , 3.1416], dtype=float32)
    """
    ...


@op("floating")
def atan(x: Array, /, out: Array | None = None) -> Array:
    """Inverse tangent of each element, in radians from -pi/2 to pi/2.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. Complex x: the branch cuts lie on the imaginary
    axis, beyond -i and i.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.atan(lw.asarray([0, 1])), decimals=4)
    Array([0.    , 0.7854], dtype=float32)
    """
    ...


@op("real floating")
def atan2(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Angle of each point (x2, x1) from the positive x2 axis, in radians from -pi to pi.

    Parameters
    ----------
    x1, x2: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers. The signs of zeros count: atan2(-0.0, -1.0) is -pi.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.atan2(lw.asarray([1.0, -1.0]), -1.0), decimals=4)
    Array([ 2.3562, -2.3562], dtype=float32)
    """
    ...


@op("floating")
def sinh(x: Array, /, out: Array | None = None) -> Array:
    """Hyperbolic sine of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.sinh(lw.asarray([0, 1])), decimals=4)
    Array([0.    , 1.1752], dtype=float32)
    """
    ...


@op("floating")
def cosh(x: Array, /, out: Array | None = None) -> Array:
    """Hyperbolic cosine of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.cosh(lw.asarray([0, 1])), decimals=4)
    Array([1.    , 1.5431], dtype=float32)
    """
    ...


@op("floating")
def tanh(x: Array, /, out: Array | None = None) -> Array:
    """Hyperbolic tangent of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tanh(lw.asarray([0.0, 100.0]))
    Array([0., 1.], dtype=float32)
    """
    ...


@op("floating")
def asinh(x: Array, /, out: Array | None = None) -> Array:
    """Inverse hyperbolic sine of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. Complex x: the branch cuts lie on the imaginary
    axis, beyond -i and i.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.asinh(lw.asarray([0, 1])), decimals=4)
    Array([0.    , 0.8814], dtype=float32)
    """
    ...


@op("floating")
def acosh(x: Array, /, out: Array | None = None) -> Array:
    """Inverse hyperbolic cosine of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. nan below 1, unless x is complex: there the
    branch cut lies.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.acosh(lw.asarray([1, 2])), decimals=4)
    Array([0.   , 1.317], dtype=float32)
    """
    ...


@op("floating")
def atanh(x: Array, /, out: Array | None = None) -> Array:
    """Inverse hyperbolic tangent of each element.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape of x and its dtype, the default float for integers. Infinities for -1 and 1; nan beyond them, unless x
    is complex: there the branch cuts lie.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.atanh(lw.asarray([0.0, 0.5])), decimals=4)
    Array([0.    , 0.5493], dtype=float32)
    """
    ...


# --- rounding ----------------------------------------------------------------------------------------------------


@op("real numeric")
def ceil(x: Array, /, out: Array | None = None) -> Array:
    """The least whole number that is not below each element.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ceil(lw.asarray([1.5, -1.5]))
    Array([ 2., -1.], dtype=float32)
    """
    ...


@op("real numeric")
def floor(x: Array, /, out: Array | None = None) -> Array:
    """The greatest whole number that is not above each element.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.floor(lw.asarray([1.5, -1.5]))
    Array([ 1., -2.], dtype=float32)
    """
    ...


@op("real numeric")
def trunc(x: Array, /, out: Array | None = None) -> Array:
    """Each element without its fraction: the nearest whole number that is no further from zero.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.trunc(lw.asarray([1.5, -1.5]))
    Array([ 1., -1.], dtype=float32)
    """
    ...


@op("numeric")
def round(x: Array, /, decimals: int = 0, out: Array | None = None) -> Array:
    """The whole number nearest to each element, the even one of two; each component of a complex one by itself.

    Parameters
    ----------
    x: any shape, a numeric dtype.
    decimals: places after the point, negative ones before it. With them this is `around`.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.round(lw.asarray([0.5, 1.5, 1.6]))
    Array([0., 2., 2.], dtype=float32)
    >>> lw.round(lw.asarray([1.234, 5.678]), 1)
    Array([1.2, 5.7], dtype=float32)
    """
    ...


@composed
def around(x: Array, /, decimals: int = 0, *, out: Array | None = None, **unknown: Never) -> Array:
    """Each element rounded to a number of decimals, the even one of two that are equally near.

    Parameters
    ----------
    x: any shape, a numeric dtype.
    decimals: places after the point; negative ones before it.

    Returns
    -------
    The shape and dtype of x. Floats are scaled, rounded and scaled back, in their own precision; those that have
    no such decimals, or overflow when scaled, stay as they are. Integers are rounded exactly.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.asarray([1.234, 5.678]), decimals=1)
    Array([1.2, 5.7], dtype=float32)
    >>> lw.around(lw.asarray([1234, 5650]), decimals=-2)
    Array([1200, 5600], dtype=int32)
    """
    if unknown:
        raise unexpected("around", unknown)
    if out is not None:
        return written("around", around(x, decimals), out)
    fractional = is_array(decimals) and lw.asarray(decimals).dtype.kind not in "iub"
    if type(decimals) is not int and (fractional or not hasattr(decimals, "__index__")):
        raise TypeError(f"around: decimals is an int; got {decimals!r}")
    x = as_operand(OPS["around"], x)
    if decimals == 0 or (decimals > 0 and x.dtype.kind in "iu"):
        return round(x)
    if x.dtype.kind in "iu":
        step: int = 10**-decimals
        if step > int_limits(x.dtype).max:
            return x * 0  # more than twice the largest, so all are nearest to zero; int64's edge has no other
        whole, rest = floor_divide(x, step), remainder(x, step)
        other = step - rest
        up = logical_or(rest > other, logical_and(rest == other, remainder(whole, 2) == 1))
        return (whole + lw.astype(up, x.dtype)) * step
    around_in_one = x._sig.backend.around
    if around_in_one is not None and x.dtype.kind == "f" and x._data.shape:
        return wrapped(around_in_one(x._data, decimals), x._sig)
    scale = 10.0 ** builtins.abs(decimals)
    if x.dtype.kind not in "fc":
        x = x / 1.0  # as the rules have it for an integer beside a Python float
    with unified_rules():  # some rules take no Python float
        scaled = x * scale if decimals > 0 else x / scale
        rounded = round(scaled) / scale if decimals > 0 else round(scaled) * scale
        result = lw.where(isfinite(rounded), rounded, x)
    return wrapped(result._data, x._sig)


# --- comparison --------------------------------------------------------------------------------------------------


@op("all", out="bool")
def equal(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array:
    """Return whether the elements of each pair are equal. nan equals nothing.

    Parameters
    ----------
    x1, x2: any dtypes that promote to a common one, in which they are compared; shapes that broadcast together.

    Returns
    -------
    A bool array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.equal(lw.asarray([1, 2]), 2)
    Array([False,  True], dtype=bool)
    """
    ...


@op("all", out="bool")
def not_equal(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array:
    """Return whether the elements of each pair differ. nan differs from everything.

    Parameters
    ----------
    x1, x2: any dtypes that promote to a common one, in which they are compared; shapes that broadcast together.

    Returns
    -------
    A bool array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.not_equal(lw.asarray([1, 2]), 2)
    Array([ True, False], dtype=bool)
    """
    ...


@op("real numeric or bool", out="bool")
def less(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Return whether each element of x1 is below that of x2.

    Parameters
    ----------
    x1, x2: real numeric dtypes or bool (False is below True), compared in their common dtype; shapes that
        broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    A bool array. False where an element is nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.less(lw.asarray([1, 2]), 2)
    Array([ True, False], dtype=bool)
    """
    ...


@op("real numeric or bool", out="bool")
def less_equal(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Return whether each element of x1 is below that of x2 or equal to it.

    Parameters
    ----------
    x1, x2: real numeric dtypes or bool (False is below True), compared in their common dtype; shapes that
        broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    A bool array. False where an element is nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.less_equal(lw.asarray([1, 2, 3]), 2)
    Array([ True,  True, False], dtype=bool)
    """
    ...


@op("real numeric or bool", out="bool")
def greater(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Return whether each element of x1 is above that of x2.

    Parameters
    ----------
    x1, x2: real numeric dtypes or bool (False is below True), compared in their common dtype; shapes that
        broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    A bool array. False where an element is nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.greater(lw.asarray([1, 2, 3]), 2)
    Array([False, False,  True], dtype=bool)
    """
    ...


@op("real numeric or bool", out="bool")
def greater_equal(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """Return whether each element of x1 is above that of x2 or equal to it.

    Parameters
    ----------
    x1, x2: real numeric dtypes or bool (False is below True), compared in their common dtype; shapes that
        broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    A bool array. False where an element is nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.greater_equal(lw.asarray([1, 2]), 2)
    Array([False,  True], dtype=bool)
    """
    ...


@op("real numeric or bool")
def maximum(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """The greater of each pair of elements; nan where either is nan.

    Parameters
    ----------
    x1, x2: real numeric dtypes or bool, and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. Of two zeros, which one is not determined.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.maximum(lw.asarray([1, 5]), 3)
    Array([3, 5], dtype=int32)
    """
    ...


@op("real numeric or bool")
def minimum(x1: Array | float, x2: Array | float, /, out: Array | None = None) -> Array:
    """The lesser of each pair of elements; nan where either is nan.

    Parameters
    ----------
    x1, x2: real numeric dtypes or bool, and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. Of two zeros, which one is not determined.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.minimum(lw.asarray([1, 5]), 3)
    Array([1, 3], dtype=int32)
    """
    ...


@op("real numeric or bool")
def _clip(x: Array, min: Array | float, max: Array | float, /) -> Array:
    """`clip` with both bounds."""
    ...


def _bounding(dtype: Dtype, min: Any, max: Any) -> tuple[Any, Any]:
    """Bounds of an integer array: None for a Python int that lies beyond all its values."""
    limits = int_limits(dtype)
    min = None if type(min) is int and min < limits.min else min
    return min, None if type(max) is int and max > limits.max else max


@composed
def clip(
    x: Array,
    /,
    min: Array | float | None = None,
    max: Array | float | None = None,
    *,
    out: Array | None = None,
    **unknown: Never,
) -> Array:
    """Each element, or the bound that it lies beyond: ``minimum(maximum(x, min), max)``.

    Parameters
    ----------
    x: a real numeric dtype or bool.
    min, max: the bounds, arrays or Python scalars, of shapes that broadcast with that of x. None for no bound.

    Returns
    -------
    The dtype that x and the bounds promote to: that of x where they have the same, and for Python scalars of its
    kind. An integer array with a float bound becomes the default float, as in any other function. nan where the
    element or a bound is nan; `max` where the bounds are the wrong way round. Always memory of its own.

    Raises
    ------
    OverflowError: a Python int that the integer dtype of x does not hold, and that is a bound to any of its values.
        One that is beyond them all, like -1 below or 300 above a uint8, changes nothing and is no error.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.clip(lw.asarray([-2, 1, 7]), 0, 5)
    Array([0, 1, 5], dtype=int32)
    >>> lw.clip(lw.asarray([0.5, 1.5]), max=1)
    Array([0.5, 1. ], dtype=float32)
    """
    if unknown:
        raise unexpected("clip", unknown)
    x = x if type(x) is Array else as_operand(OPS["clip"], x)
    if x.dtype.kind in "iu" and "value" not in current().rules.needs:  # to which a bound is an operand like any other
        min, max = _bounding(x.dtype, min, max)
    if out is not None:
        return written("clip", clip(x, min, max), out)
    try:
        if min is None:
            return minimum(x, x if max is None else max)
        return maximum(x, min) if max is None else _clip(x, min, max)
    except Exception as error:
        name, colon, text = str(error).removeprefix("clip: in ").partition(":")
        if name in ("minimum", "maximum", "_clip"):
            error.args = (f"clip{colon}{text}",)
        raise


# --- predicates --------------------------------------------------------------------------------------------------


@op("all", out="bool")
def isfinite(x: Array, /, out: Array | None = None) -> Array:
    """Return whether each element is a finite number: no infinity and no nan, in both components of a complex one.

    Parameters
    ----------
    x: any shape and dtype. bools and integers are all finite.

    Returns
    -------
    A bool array of the shape of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isfinite(lw.asarray([1.0, lw.inf, lw.nan]))
    Array([ True, False, False], dtype=bool)
    """
    ...


@op("all", out="bool")
def isinf(x: Array, /, out: Array | None = None) -> Array:
    """Return whether each element is an infinity of either sign, in either component of a complex one.

    Parameters
    ----------
    x: any shape and dtype. bools and integers are all finite.

    Returns
    -------
    A bool array of the shape of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isinf(lw.asarray([1.0, -lw.inf, lw.nan]))
    Array([False,  True, False], dtype=bool)
    """
    ...


@op("all", out="bool")
def isnan(x: Array, /, out: Array | None = None) -> Array:
    """Return whether each element is nan, in either component of a complex one.

    Parameters
    ----------
    x: any shape and dtype. bools and integers are never nan.

    Returns
    -------
    A bool array of the shape of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isnan(lw.asarray([1.0, lw.inf, lw.nan]))
    Array([False, False,  True], dtype=bool)
    """
    ...


@op("real numeric", out="bool")
def signbit(x: Array, /, out: Array | None = None) -> Array:
    """Return whether the sign bit of each element is set: of negative numbers, -0.0, and nan with a minus sign.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    A bool array of the shape of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.signbit(lw.asarray([1.0, -1.0, -0.0]))
    Array([False,  True,  True], dtype=bool)
    """
    ...


# --- logic -------------------------------------------------------------------------------------------------------


@op(out="bool", x1="bool", x2="bool")
def logical_and(x1: Array | bool, x2: Array | bool, /, out: Array | None = None) -> Array:
    """Return whether both elements of each pair are true.

    Parameters
    ----------
    x1, x2: any dtypes, which need not promote to a common one: what is not zero is true, nan as well. Shapes that
        broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    A bool array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logical_and(lw.asarray([True, True]), lw.asarray([0, 2]))
    Array([False,  True], dtype=bool)
    """
    ...


@op(out="bool", x1="bool", x2="bool")
def logical_or(x1: Array | bool, x2: Array | bool, /, out: Array | None = None) -> Array:
    """Return whether one or both elements of each pair are true.

    Parameters
    ----------
    x1, x2: any dtypes, which need not promote to a common one: what is not zero is true, nan as well. Shapes that
        broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    A bool array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logical_or(lw.asarray([True, False]), lw.asarray([0, 0]))
    Array([ True, False], dtype=bool)
    """
    ...


@op(out="bool", x1="bool", x2="bool")
def logical_xor(x1: Array | bool, x2: Array | bool, /, out: Array | None = None) -> Array:
    """Return whether just one element of each pair is true.

    Parameters
    ----------
    x1, x2: any dtypes, which need not promote to a common one: what is not zero is true, nan as well. Shapes that
        broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    A bool array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logical_xor(lw.asarray([True, True]), lw.asarray([0, 2]))
    Array([ True, False], dtype=bool)
    """
    ...


@op(out="bool", x="bool")
def logical_not(x: Array, /, out: Array | None = None) -> Array:
    """Return whether each element is false.

    Parameters
    ----------
    x: any shape and dtype: what is not zero is true, nan as well.

    Returns
    -------
    A bool array of the shape of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logical_not(lw.asarray([0.0, 0.5]))
    Array([ True, False], dtype=bool)
    """
    ...


# --- bits --------------------------------------------------------------------------------------------------------


@op("integral or bool")
def bitwise_and(x1: Array | int, x2: Array | int, /, out: Array | None = None) -> Array:
    """The bits that are set in both elements of each pair.

    Parameters
    ----------
    x1, x2: integer dtypes or bool, and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitwise_and(lw.asarray([5, 6]), 3)
    Array([1, 2], dtype=int32)
    """
    ...


@op("integral or bool")
def bitwise_or(x1: Array | int, x2: Array | int, /, out: Array | None = None) -> Array:
    """The bits that are set in one or both elements of each pair.

    Parameters
    ----------
    x1, x2: integer dtypes or bool, and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitwise_or(lw.asarray([5, 6]), 3)
    Array([7, 7], dtype=int32)
    """
    ...


@op("integral or bool")
def bitwise_xor(x1: Array | int, x2: Array | int, /, out: Array | None = None) -> Array:
    """The bits that are set in just one element of each pair.

    Parameters
    ----------
    x1, x2: integer dtypes or bool, and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitwise_xor(lw.asarray([5, 6]), 3)
    Array([6, 5], dtype=int32)
    """
    ...


@op("integral or bool")
def bitwise_invert(x: Array, /, out: Array | None = None) -> Array:
    """Each element with all its bits turned over; `logical_not` of a bool.

    Parameters
    ----------
    x: any shape, an integer dtype or bool.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitwise_invert(lw.asarray([0, 5]))
    Array([-1, -6], dtype=int32)
    """
    ...


@op("integral")
def bitwise_left_shift(x1: Array | int, x2: Array | int, /, out: Array | None = None) -> Array:
    """The bits of each element of x1, moved to higher places by the element of x2.

    Parameters
    ----------
    x1, x2: integer dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. Bits moved out of its width are lost, so that a shift by the width or more
    is 0; a negative shift counts as such.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitwise_left_shift(lw.asarray([1, 3]), 4)
    Array([16, 48], dtype=int32)
    """
    ...


@op("integral")
def bitwise_right_shift(x1: Array | int, x2: Array | int, /, out: Array | None = None) -> Array:
    """The bits of each element of x1, moved to lower places by the element of x2: division by 2**x2, rounded down.

    Parameters
    ----------
    x1, x2: integer dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two. A shift by its width or more is 0, or -1 for negative numbers; a negative shift
    counts as such.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitwise_right_shift(lw.asarray([48, -3]), 1)
    Array([24, -2], dtype=int32)
    """
    ...


# --- complex numbers ---------------------------------------------------------------------------------------------


@op("numeric", out="real", view=True)
def real(x: Array, /, out: Array | None = None) -> Array:
    """The real component of each element: on NumPy and PyTorch a view, that shares memory with x.

    Parameters
    ----------
    x: any shape, a numeric dtype. A real array is its own real component.

    Returns
    -------
    The shape of x; float32 for complex64, float64 for complex128, else the dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.real(lw.asarray([1 + 2j, 3j]))
    Array([1., 0.], dtype=float32)
    """
    ...


@op("numeric", out="real", view=True)
def imag(x: Array, /, out: Array | None = None) -> Array:
    """The imaginary component of each element: on NumPy and PyTorch a view, that shares memory with a complex x.

    Parameters
    ----------
    x: any shape, a numeric dtype. The imaginary components of a real array are zeros.

    Returns
    -------
    The shape of x; float32 for complex64, float64 for complex128, else the dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.imag(lw.asarray([1 + 2j, 3j]))
    Array([2., 3.], dtype=float32)
    """
    ...


@op("numeric")
def conj(x: Array, /, out: Array | None = None) -> Array:
    """Each element with the sign of its imaginary component turned over, in memory of its own.

    Parameters
    ----------
    x: any shape, a numeric dtype. Real numbers stay as they are.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.conj(lw.asarray([1 + 2j, 3j]))
    Array([1.-2.j, 0.-3.j], dtype=complex64)
    """
    ...
