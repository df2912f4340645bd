"""Elementwise functions: a `def` with a body of `...` is supplied by every backend; one with a body is a composition."""

from __future__ import annotations

from ..array import Array
from ..op import composed, op

__all__ = ["abs", "add", "cos", "divide", "equal", "multiply", "subtract"]


@op("numeric", out="real")
def abs(x: Array, /) -> Array:
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
def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Sum of each pair of elements.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; at most one may be a Python scalar.

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
def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Difference of each pair of elements.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; at most one may be a Python scalar.

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
def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Product of each pair of elements.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; at most one may be a Python scalar.

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
def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Quotient of each pair of elements. Integers are divided as floats.

    Parameters
    ----------
    x1, x2: numeric dtypes and shapes that broadcast together; at most one may be a Python scalar.

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


@op("floating")
def cos(x: Array, /) -> Array:
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


@op("all", out="bool")
def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Whether the elements of each pair are equal. nan equals nothing.

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
