"""Polynomials, given by their coefficients from the highest power down, as in NumPy's `numpy.polyval` and its kin."""

from __future__ import annotations

from typing import Any, Never

from ..core.dtypes import complex64, int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand
from ..engine.plans.advice import unexpected
from ..engine.shapes.extents import Shape, as_int, may_equal
from .linear_algebra import extents
from .numerical import convolve

__all__ = ["polyadd", "polyder", "polyfit", "polymul", "polyval", "roots"]


def _vector(name: str, shape: Any) -> Any:
    """Return the number of coefficients."""
    if len(shape) != 1:
        raise ValueError(f"{name} is a vector of coefficients; got shape {shape}")
    return shape[0]


def _polyval_shape(p: Any, x: Any, **_: Any) -> Shape:
    """Keep the shape of the points."""
    _vector("p", p)
    return x if isinstance(x, tuple) else ()


@op("numeric", shape=_polyval_shape)
def polyval(p: Array, /, x: Array | complex) -> Array:
    """Evaluate a polynomial.

    Parameters
    ----------
    p: shape (N,), a numeric dtype: the coefficients from the highest power down.
    x: any shape: the points; a Python scalar is a 0-d array.

    Returns
    -------
    The shape of x, the common dtype: 0 where there are no coefficients.

    Raises
    ------
    ValueError: p is no vector.

    Notes
    -----
    Horner's rule, one multiplication and one addition for each coefficient.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.polyval(lw.asarray([2, 0, 1]), lw.asarray([1, 3]))
    Array([ 3, 19], dtype=int32)
    """
    (count,) = extents("polyval", p)
    points = x if isinstance(x, Array) else lw.asarray(x, dtype=p.dtype, device=p.device)
    y = lw.zeros_like(points) if count == 0 else lw.broadcast_to(p[0], points.shape)
    for i in range(1, count):
        y = y * points + p[i]
    return y if count > 1 else lw.asarray(y, copy=True)


def _polyfit_shape(x: Any, y: Any, w: Any = None, *, deg: Any, **_: Any) -> Shape:
    """Return one coefficient for each power, for each column of y."""
    degree = as_int(deg, "deg is an int")
    if degree < 0:
        raise ValueError(f"deg is 0 or more; got {degree}")
    if len(x) != 1 or len(y) not in (1, 2) or not may_equal(x[0], y[0]) or x[0] == 0:
        raise ValueError(f"takes points of shape (n,) and values of shape (n,) or (n, k); got shapes {x} and {y}")
    if isinstance(w, tuple) and (len(w) != 1 or not may_equal(w[0], x[0])):
        raise ValueError(f"the weights have the shape of the points, {x}; got {w}")
    return (degree + 1, *y[1:])


@op("floating", shape=_polyfit_shape)
def polyfit(x: Array, /, y: Array, deg: int, rcond: float | None = None, *, w: Array | None = None) -> Array:
    """Fit a polynomial to points by least squares.

    Parameters
    ----------
    x: shape (n,), float32, float64 or complex; integers are taken as the default float.
    y: shape (n,), or (n, k) for k polynomials.
    deg: the degree of the polynomial.
    rcond: singular values up to this times the greatest count as 0: n times the distance from 1 to the next number of
        the dtype by default.
    w: shape (n,): what each difference is multiplied with before it is squared.

    Returns
    -------
    Shape (deg + 1,) or (deg + 1, k), the common dtype: the coefficients from the highest power down.

    Raises
    ------
    LinAlgError: no convergence, as with nan.
    ValueError: the shapes do not fit together, or a negative degree.
    TypeError: float16 or bfloat16.

    Notes
    -----
    As in NumPy: least squares with the powers of x as columns, each scaled to length 1. `lw.linalg.lstsq` gives
    residuals and the rank as well.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([0.0, 1.0, 2.0, 3.0])
    >>> lw.around(lw.polyfit(x, 2 * x + 1, 1), 4)
    Array([2., 1.], dtype=float32)
    """
    _polyfit_shape(x.shape, y.shape, deg=deg)
    (count,) = extents("polyfit", x)
    deg = as_int(deg, "deg is an int")
    powers = [lw.ones_like(x)]
    for _ in range(deg):
        powers.append(powers[-1] * x)
    matrix = lw.stack(powers[::-1], axis=1)
    if w is not None:
        matrix, y = matrix * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    scale = lw.linalg.vector_norm(matrix, axis=0)
    scale = lw.astype(lw.where(scale == 0, 1.0, scale), x.dtype, copy=False)
    least = count * lw.finfo(x.dtype).eps if rcond is None else rcond
    found = lw.linalg.lstsq(matrix / scale, y, rcond=least).solution
    return found / (scale[:, None] if y.ndim == 2 else scale)


def _polyadd_shape(p1: Any, p2: Any, **_: Any) -> Shape:
    """Return as many coefficients as the longer one has."""
    m, n = _vector("p1", p1), _vector("p2", p2)
    return (None if m is None or n is None else max(m, n),)


@op("numeric", shape=_polyadd_shape)
def polyadd(p1: Array, p2: Array, /) -> Array:
    """Add two polynomials.

    Parameters
    ----------
    p1, p2: shapes (M,) and (N,), numeric dtypes: coefficients from the highest power down.

    Returns
    -------
    Shape (max(M, N),), the common dtype.

    Raises
    ------
    ValueError: an operand is no vector.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.polyadd(lw.asarray([1, 2]), lw.asarray([9, 5, 4]))
    Array([9, 6, 6], dtype=int32)
    """
    (m,), (n,) = extents("polyadd", p1), extents("polyadd", p2)
    if m < n:
        p1 = lw.concat([lw.zeros((n - m,), dtype=p1.dtype, device=p1.device), p1])
    elif n < m:
        p2 = lw.concat([lw.zeros((m - n,), dtype=p2.dtype, device=p2.device), p2])
    return p1 + p2


def _polymul_shape(p1: Any, p2: Any, **_: Any) -> Shape:
    """Return as many coefficients as both have together, less 1."""
    m, n = _vector("p1", p1), _vector("p2", p2)
    if 0 in (m, n):
        raise ValueError(f"takes polynomials of one coefficient or more; got shapes {p1} and {p2}")
    return (None if m is None or n is None else m + n - 1,)


@op("numeric", shape=_polymul_shape)
def polymul(p1: Array, p2: Array, /) -> Array:
    """Multiply two polynomials.

    Parameters
    ----------
    p1, p2: shapes (M,) and (N,), numeric dtypes: coefficients from the highest power down.

    Returns
    -------
    Shape (M + N - 1,), the common dtype. Zeros at the front stay, and NumPy drops them.

    Raises
    ------
    ValueError: an operand is no vector, or has no elements.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.polymul(lw.asarray([1, 2]), lw.asarray([1, 0, 3]))
    Array([1, 2, 3, 6], dtype=int32)
    """
    _polymul_shape(p1.shape, p2.shape)
    return convolve(p1, p2)


def _polyder_shape(p: Any, *, m: Any = 1, **_: Any) -> Shape:
    """Return as many coefficients less for each derivative."""
    times = as_int(m, "m is an int")
    if times < 0:
        raise ValueError(f"m is 0 or more; got {times}")
    count = _vector("p", p)
    return (None if count is None else max(count - times, 0),)


@op("numeric", shape=_polyder_shape)
def polyder(p: Array, /, m: int = 1) -> Array:
    """Differentiate a polynomial.

    Parameters
    ----------
    p: shape (N,), a numeric dtype: the coefficients from the highest power down.
    m: how many times to differentiate.

    Returns
    -------
    Shape (N - m,), or (0,) where m is more than N; the dtype of p.

    Raises
    ------
    ValueError: p is no vector, or m is negative.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.polyder(lw.asarray([1, 1, 1, 1]))
    Array([3, 2, 1], dtype=int32)
    """
    (count,) = extents("polyder", p)
    times = as_int(m, "m is an int")
    _polyder_shape(p.shape, m=times)
    if times == 0 or count == 0:
        return lw.asarray(p, copy=True)
    real = lw.finfo(p.dtype).dtype if p.dtype.kind in "fc" else p.dtype
    for _ in range(min(times, count)):
        count -= 1
        powers = lw.arange(count, 0, -1, dtype=int64, device=p.device)
        p = p[:count] * lw.astype(powers, real)
    return p


def _roots_shape(p: Any, **_: Any) -> Shape:
    """Return one root less than there are coefficients."""
    count = _vector("p", p)
    return (None if count is None else max(count - 1, 0),)


@op("floating", out="complex", shape=_roots_shape)
def _roots(p: Array, /) -> Array:
    """Return the roots of a polynomial whose first coefficient is not 0."""
    (count,) = extents("roots", p)
    if count < 2:
        return lw.zeros((0,), dtype=lw.result_type(p.dtype, complex64), device=p.device)
    first_row = -p[1:] / p[0]
    below = lw.eye(count - 2, count - 1, dtype=p.dtype, device=p.device)
    return lw.linalg.eigvals(lw.concat([first_row[None, :], below]))


@composed
def roots(p: Array, /, *, strip_zeros: bool = True, **unknown: Never) -> Array:
    """Return the roots of a polynomial: the eigenvalues of its companion matrix.

    Parameters
    ----------
    p: shape (N,), float32, float64 or complex: the coefficients from the highest power down; integers are taken as the
        default float.
    strip_zeros: whether zeros at the front count as absent, as in NumPy, so that the number of roots depends on the
        values. With False, as in jax.numpy, the first coefficient must not be 0, and no value is asked for: this works
        inside jax.jit and tf.function, and Dask computes nothing. (On PyTorch `eigvals` asks for values all the same.)

    Returns
    -------
    Shape (N - 1,), less for zeros at the front; complex, in no particular order.

    Raises
    ------
    LinAlgError: no convergence, as with nan, or a first coefficient of 0 with strip_zeros=False.
    ValueError: p is no vector.
    TypeError: float16 or bfloat16.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sort(lw.around(lw.real(lw.roots(lw.asarray([1.0, -5.0, 6.0]))), 4))
    Array([2., 3.], dtype=float32)
    """
    if unknown:
        raise unexpected("roots", unknown)
    p = as_operand(OPS["roots"], p)
    if strip_zeros and p.ndim == 1 and p.shape[0] != 0:
        first = int(lw.argmax(p != 0))
        p = p[first if bool(p[first] != 0) else p.shape[0] :]
    return _roots(p)
