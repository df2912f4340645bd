"""Continuous distributions: functions of a key. The algorithms are those of jax.random."""

from __future__ import annotations

import math
from typing import Any, Literal

from ...core.dtypes import Dtype, DtypeLike, float32, float_limits, real_of
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed
from .drawing import (
    SCALAR,
    _erf,
    _erfinv,
    _gamma,
    _gauss,
    as_dtype_of,
    between,
    broadcast,
    check,
    check_range,
    floating,
    key_of,
    next_after,
    param,
    quiet,
    rounded,
    scaled,
    seen,
    shape_of,
    spread,
    subkeys,
    under_ours,
    unit,
)

__all__ = [
    "beta",
    "cauchy",
    "chisquare",
    "dirichlet",
    "exponential",
    "gamma",
    "gumbel",
    "laplace",
    "loggamma",
    "logistic",
    "multivariate_normal",
    "normal",
    "student_t",
    "truncated_normal",
    "uniform",
]


@composed
def uniform(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    low: float | Array = 0.0,
    high: float | Array = 1.0,
) -> Array:
    """Draw uniform random numbers from low up to, and without, high.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of low and high.
    dtype: a real floating dtype; by default that of low and high, or the default float.
    low, high: numbers, or arrays that broadcast to the shape.

    Returns
    -------
    Numbers of the shape and dtype, multiples of the spacing of floats from 1 to 2 where low is 0 and high is 1.

    Raises
    ------
    ValueError: numbers low > high; arrays that do not fit the shape.
    OverflowError: a range from low to high that is infinite in the dtype. Values of arrays that are lazy or traced are
        not looked at.

    Notes
    -----
    Rounding may give high itself. Where low is not below high all results are low; of arrays, that is no error.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.uniform(lw.random.key(0), (3,))
    Array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)
    """
    key = key_of("uniform", key)
    given = low, high
    low, high = param("uniform", "low", low, key), param("uniform", "high", high, key)
    if type(low) in SCALAR and type(high) in SCALAR and not low <= high:
        raise ValueError(f"random.uniform: low must not be above high; got low={low!r}, high={high!r}")
    found = floating("uniform", dtype, low, high)
    if type(low) not in SCALAR or type(high) not in SCALAR or (low, high) != (0, 1):
        check_range("random.uniform", seen(low, given[0]), seen(high, given[1]), found, ends=True)
    with under_ours():
        return between(key, shape_of("uniform", shape, low, high), found, low, high)


@composed
def normal(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    loc: float | Array = 0.0,
    scale: float | Array = 1.0,
) -> Array:
    """Draw random numbers of a normal (Gaussian) distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of loc and scale.
    dtype: a floating dtype; by default that of loc and scale, or the default float. Of a complex one, the real and the
        imaginary part each have half of the variance.
    loc: the mean: a number, or an array that broadcasts to the shape.
    scale: the standard deviation: a number, or an array that broadcasts to the shape.

    Returns
    -------
    Numbers of the shape and dtype: ``loc + scale * sqrt(2) * erfinv(u)`` for u uniform in (-1, 1).

    Raises
    ------
    ValueError: a negative number for scale; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.normal(lw.random.key(0), (3,))
    Array([ 1.6226422 ,  2.0252647 , -0.43359444], dtype=float32)
    """
    key = key_of("normal", key)
    loc, scale = param("normal", "loc", loc, key), param("normal", "scale", scale, key)
    check("normal", "scale", scale, 0, rule="at least 0")
    found = floating("normal", dtype, loc, scale, also="c")
    extents = shape_of("normal", shape, loc, scale)
    with under_ours():
        if found.kind == "c":
            real, imaginary = (_gauss(extents, k._data, dtype=real_of(found), device=k.device) for k in subkeys(key, 2))
            z = lw.astype(real, found) + lw.astype(imaginary, found) * 1j
            return scaled(z / math.sqrt(2), loc, scale, found)
        return scaled(_gauss(extents, key._data, dtype=found, device=key.device), loc, scale, found)


@composed
def exponential(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    scale: float | Array = 1.0,
) -> Array:
    """Draw random numbers of an exponential distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of scale.
    dtype: a real floating dtype; by default that of scale, or the default float.
    scale: the mean, 1 / rate: a number, or an array that broadcasts to the shape.

    Returns
    -------
    Numbers of the shape and dtype: ``-scale * log(1 - u)`` for u uniform in [0, 1).

    Raises
    ------
    ValueError: a negative number for scale; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.exponential(lw.random.key(0), (3,))
    Array([2.950128  , 3.8434246 , 0.40390354], dtype=float32)
    """
    key, scale, found, extents = _read("exponential", key, shape, dtype, scale=scale)
    with under_ours():
        return scaled(-lw.log1p(-unit(key, extents, found)), 0, scale, found)


@composed
def laplace(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    loc: float | Array = 0.0,
    scale: float | Array = 1.0,
) -> Array:
    """Draw random numbers of a Laplace (double exponential) distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of loc and scale.
    dtype: a real floating dtype; by default that of loc and scale, or the default float.
    loc: the mean: a number, or an array that broadcasts to the shape.
    scale: the mean distance from it: a number, or an array that broadcasts to the shape.

    Returns
    -------
    Numbers of the shape and dtype: ``loc + scale * sign(u) * log(1 - abs(u))`` for u uniform in (-1, 1).

    Raises
    ------
    ValueError: a negative number for scale; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.laplace(lw.random.key(0), (3,))
    Array([-2.2569816 , -3.1502788 ,  0.40859547], dtype=float32)
    """
    key, loc, scale, found, extents = _read("laplace", key, shape, dtype, loc=loc, scale=scale)
    with under_ours():
        u = between(key, extents, found, -1 + float_limits(found).eps / 2, 1)
        return scaled(lw.sign(u) * lw.log1p(-lw.abs(u)), loc, scale, found)


@composed
def cauchy(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    loc: float | Array = 0.0,
    scale: float | Array = 1.0,
) -> Array:
    """Draw random numbers of a Cauchy distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of loc and scale.
    dtype: a real floating dtype; by default that of loc and scale, or the default float.
    loc: the median: a number, or an array that broadcasts to the shape.
    scale: half of the distance between the quartiles: a number, or an array that broadcasts to the shape.

    Returns
    -------
    Numbers of the shape and dtype: ``loc + scale * tan(pi * (u - 1/2))`` for u uniform in (0, 1).

    Raises
    ------
    ValueError: a negative number for scale; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.cauchy(lw.random.key(0), (3,))
    Array([ 6.0274944 , 14.837895  , -0.58172226], dtype=float32)
    """
    key, loc, scale, found, extents = _read("cauchy", key, shape, dtype, loc=loc, scale=scale)
    with under_ours():
        u = between(key, extents, found, float_limits(found).eps, 1)
        return scaled(lw.tan((u - 0.5) * math.pi), loc, scale, found)


@composed
def gumbel(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    loc: float | Array = 0.0,
    scale: float | Array = 1.0,
) -> Array:
    """Draw random numbers of a Gumbel distribution, that of the greatest of many.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of loc and scale.
    dtype: a real floating dtype; by default that of loc and scale, or the default float.
    loc: the mode: a number, or an array that broadcasts to the shape.
    scale: a number, or an array that broadcasts to the shape.

    Returns
    -------
    Numbers of the shape and dtype: ``loc - scale * log(-log(u))`` for u uniform in (0, 1).

    Raises
    ------
    ValueError: a negative number for scale; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.gumbel(lw.random.key(0), (3,))
    Array([ 2.9233725 ,  3.8326178 , -0.09689324], dtype=float32)
    """
    key, loc, scale, found, extents = _read("gumbel", key, shape, dtype, loc=loc, scale=scale)
    with under_ours():
        u = between(key, extents, found, float_limits(found).smallest_normal, 1)
        return scaled(-lw.log(-lw.log(u)), loc, scale, found)


@composed
def logistic(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    loc: float | Array = 0.0,
    scale: float | Array = 1.0,
) -> Array:
    """Draw random numbers of a logistic distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of loc and scale.
    dtype: a real floating dtype; by default that of loc and scale, or the default float.
    loc: the mean: a number, or an array that broadcasts to the shape.
    scale: a number, or an array that broadcasts to the shape.

    Returns
    -------
    Numbers of the shape and dtype: ``loc + scale * log(u / (1 - u))`` for u uniform in (0, 1).

    Raises
    ------
    ValueError: a negative number for scale; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.logistic(lw.random.key(0), (3,))
    Array([ 2.896376 ,  3.8217716, -0.6978392], dtype=float32)
    """
    key, loc, scale, found, extents = _read("logistic", key, shape, dtype, loc=loc, scale=scale)
    with under_ours():
        u = between(key, extents, found, float_limits(found).smallest_normal, 1)
        return scaled(lw.log(u) - lw.log1p(-u), loc, scale, found)


def _read(name: str, key: Any, shape: Any, dtype: Any, **params: Any) -> Any:
    """Read the arguments of a distribution with a location and a scale: the key, the parameters, dtype and shape."""
    key = key_of(name, key)
    values = [param(name, what, value, key) for what, value in params.items()]
    check(name, "scale", values[-1], 0, rule="at least 0")
    return key, *values, floating(name, dtype, *values), shape_of(name, shape, *values)


# --- of other parameters -------------------------------------------------------------------------------------------


@composed
def truncated_normal(
    key: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    lower: float | Array = -2.0,
    upper: float | Array = 2.0,
) -> Array:
    """Draw random numbers of the standard normal distribution, between two bounds.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result; by default that of the bounds.
    dtype: a real floating dtype; by default that of the bounds, or the default float.
    lower, upper: numbers, or arrays that broadcast to the shape; infinities for no bound.

    Returns
    -------
    Numbers of the shape and dtype: ``sqrt(2) * erfinv(u)`` for u uniform from erf(lower / sqrt(2)) to
    erf(upper / sqrt(2)), and never a bound itself. jax.random has the bounds first; TensorFlow's and Keras' are -2
    and 2.

    Raises
    ------
    ValueError: numbers lower >= upper; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.truncated_normal(lw.random.key(0), (3,))
    Array([ 1.455959 ,  1.7147484, -0.4126753], dtype=float32)
    """
    key = key_of("truncated_normal", key)
    lower, upper = (param("truncated_normal", w, v, key) for w, v in (("lower", lower), ("upper", upper)))
    if type(lower) in SCALAR and type(upper) in SCALAR and not lower < upper:
        raise ValueError(f"random.truncated_normal: lower must be below upper; got lower={lower!r}, upper={upper!r}")
    found = floating("truncated_normal", dtype, lower, upper)
    extents = shape_of("truncated_normal", shape, lower, upper)
    with under_ours():
        a, b = (_of_normal(v, found) for v in (lower, upper))
        z = _erfinv(between(key, extents, found, a, b)) * math.sqrt(2)
        return lw.minimum(lw.maximum(z, _next(lower, math.inf, found)), _next(upper, -math.inf, found))


def _of_normal(x: Any, dtype: Dtype) -> Any:
    """The probability of the normal distribution between -x and x, with the sign of x."""
    if isinstance(x, Array):
        return _erf(as_dtype_of(x, dtype) * math.sqrt(0.5))
    return math.erf(rounded(x, dtype) / math.sqrt(2))


def _next(x: Any, to: float, dtype: Dtype) -> Any:
    """The number of the dtype that is next to x on the way to an infinity. No derivatives are taken of it."""
    if isinstance(x, Array):
        x = lw.stop_gradient(as_dtype_of(x, dtype))
        return lw.nextafter(x, lw.full_like(x, to))
    return next_after(x, to, dtype)


@composed
def gamma(
    key: Array,
    a: float | Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    scale: float | Array = 1.0,
) -> Array:
    """Draw random numbers of a gamma distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    a: the shape parameter, at least 0: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of a and scale.
    dtype: a real floating dtype; by default that of a and scale, or the default float.
    scale: 1 / rate: a number, or an array that broadcasts to the shape.

    Returns
    -------
    Numbers of the shape and dtype. float16 and bfloat16 are float32 samples, rounded.

    Raises
    ------
    ValueError: a negative number for a or scale; arrays that do not fit the shape.

    Notes
    -----
    Marsaglia and Tsang's rejection (2000), with a key for each element. The derivative by a is that of numbers of which
    the distribution function stays the same: it has 6 digits on JAX and TensorFlow and 4 on PyTorch. PyTorch and
    TensorFlow have no second one, and say so.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.gamma(lw.random.key(0), 2.0, (3,))
    Array([1.5897877, 1.7599413, 1.1290071], dtype=float32)
    """
    return _gammas("gamma", key, a, shape, dtype, scale, log=False)


@composed
def loggamma(
    key: Array, a: float | Array, shape: int | tuple[int, ...] | None = None, dtype: DtypeLike | None = None
) -> Array:
    """Draw logarithms of random numbers of a gamma distribution: of small a the numbers themselves would be 0.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    a: the shape parameter, at least 0: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of a.
    dtype: a real floating dtype; by default that of a, or the default float.

    Returns
    -------
    Numbers of the shape and dtype: -inf where a is 0.

    Raises
    ------
    ValueError: a negative number for a; an array that does not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.loggamma(lw.random.key(0), 0.01, (3,))
    Array([ -11.478928,   -9.828522, -137.9457  ], dtype=float32)
    """
    return _gammas("loggamma", key, a, shape, dtype, 1.0, log=True)


def _gammas(name: str, key: Any, a: Any, shape: Any, dtype: Any, scale: Any, *, log: bool) -> Array:
    key = key_of(name, key)
    a, scale = param(name, "a", a, key), param(name, "scale", scale, key)
    check(name, "a", a, 0, rule="at least 0")
    check(name, "scale", scale, 0, rule="at least 0")
    found, extents = floating(name, dtype, a, scale), shape_of(name, shape, a, scale)
    with under_ours():
        return scaled(_gamma(spread(a, extents, found, key), key, log=log), 0, scale, found)


@composed
def beta(
    key: Array,
    a: float | Array,
    b: float | Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
) -> Array:
    """Draw random numbers of a beta distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    a, b: the parameters, above 0: numbers, or arrays that broadcast to the shape.
    shape: the shape of the result; by default that of a and b.
    dtype: a real floating dtype; by default that of a and b, or the default float.

    Returns
    -------
    Numbers in [0, 1] of the shape and dtype: ``x / (x + y)`` for x and y of gamma distributions of a and b.

    Raises
    ------
    ValueError: a negative number for a or b; arrays that do not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.beta(lw.random.key(0), 2.0, 3.0, (3,))
    Array([0.23627363, 0.4904596 , 0.6837948 ], dtype=float32)
    """
    key = key_of("beta", key)
    a, b = param("beta", "a", a, key), param("beta", "b", b, key)
    check("beta", "a", a, 0, rule="at least 0")
    check("beta", "b", b, 0, rule="at least 0")
    found, extents = floating("beta", dtype, a, b), shape_of("beta", shape, a, b)
    with under_ours():
        logs = [_gamma(spread(p, extents, found, k), k, log=True) for p, k in zip((a, b), subkeys(key, 2), strict=True)]
        largest = lw.maximum(*logs)
        x, y = (lw.exp(v - largest) for v in logs)
        return x / (x + y)


@composed
def dirichlet(
    key: Array, alpha: Array, shape: int | tuple[int, ...] | None = None, dtype: DtypeLike | None = None
) -> Array:
    """Draw random vectors of a Dirichlet distribution: numbers from 0 to 1 whose sum is 1.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    alpha: shape (..., n): the concentrations, above 0.
    shape: the shape of the result without its last axis, to which ``alpha.shape[:-1]`` broadcasts and is the default.
    dtype: a real floating dtype; by default that of alpha, or the default float.

    Returns
    -------
    Shape (*shape, n) and the dtype.

    Raises
    ------
    ValueError: alpha without axes, or that does not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.dirichlet(lw.random.key(0), lw.asarray([1.0, 2.0, 3.0]))
    Array([0.1422856 , 0.40488258, 0.4528318 ], dtype=float32)
    """
    key = key_of("dirichlet", key)
    alpha = param("dirichlet", "alpha", alpha, key)
    if not isinstance(alpha, Array) or not alpha.shape:
        raise ValueError(f"random.dirichlet: alpha must have at least one axis; got {alpha!r}")
    found = floating("dirichlet", dtype, alpha)
    extents: Any = alpha.shape
    if shape is not None:
        extents = shape_of("dirichlet", (*shape_of("dirichlet", shape), alpha.shape[-1]), alpha)
    with under_ours():
        x = _gamma(spread(alpha, extents, found, key), key, log=True)
        x = lw.exp(x - lw.max(x, axis=-1, keepdims=True))
        return x / lw.sum(x, axis=-1, keepdims=True)


@composed
def student_t(
    key: Array, df: float | Array, shape: int | tuple[int, ...] | None = None, dtype: DtypeLike | None = None
) -> Array:
    """Draw random numbers of Student's t distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    df: the degrees of freedom, above 0: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of df.
    dtype: a real floating dtype; by default that of df, or the default float.

    Returns
    -------
    Numbers of the shape and dtype: ``z * sqrt(df / 2 / g)``, z being normal and g of a gamma distribution of df / 2.
    float16 and bfloat16 are float32 numbers, rounded.

    Raises
    ------
    ValueError: a number for df that is not above 0; an array that does not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.student_t(lw.random.key(0), 3.0, (3,))
    Array([ 0.69022465, -3.2393365 , -1.6745249 ], dtype=float32)
    """
    key = key_of("student_t", key)
    df = param("student_t", "df", df, key)
    check("student_t", "df", df, math.ulp(0), rule="above 0")
    found, extents = floating("student_t", dtype, df), shape_of("student_t", shape, df)
    wide = found if found.bits >= 32 else float32  # where g is not rounded to 0
    with under_ours():
        first, second = subkeys(key, 2)
        half = spread(df, extents, wide, key) / 2
        z = _gauss(extents, first._data, dtype=wide, device=first.device)
        t = z * lw.sqrt(half / _gamma(half, second))
        if wide is found:
            return t
        with quiet():
            return lw.astype(t, found)


@composed
def chisquare(
    key: Array, df: float | Array, shape: int | tuple[int, ...] | None = None, dtype: DtypeLike | None = None
) -> Array:
    """Draw random numbers of a chi-square distribution: sums of df squares of normal numbers.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    df: the degrees of freedom, above 0: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of df.
    dtype: a real floating dtype; by default that of df, or the default float.

    Returns
    -------
    Numbers of the shape and dtype.

    Raises
    ------
    ValueError: a number for df that is not above 0; an array that does not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.chisquare(lw.random.key(0), 3.0, (3,))
    Array([2.205084 , 2.4899669, 1.4557134], dtype=float32)
    """
    key = key_of("chisquare", key)
    df = param("chisquare", "df", df, key)
    check("chisquare", "df", df, math.ulp(0), rule="above 0")
    found, extents = floating("chisquare", dtype, df), shape_of("chisquare", shape, df)
    with under_ours():
        return lw.exp(_gamma(spread(df, extents, found, key) / 2, key, log=True)) * 2


@composed
def multivariate_normal(
    key: Array,
    mean: Array,
    cov: Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
    *,
    method: Literal["cholesky", "eigh", "svd"] = "cholesky",
) -> Array:
    """Draw random vectors of a normal distribution with a mean and a covariance.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    mean: shape (..., n).
    cov: shape (..., n, n): symmetric matrices, positive semidefinite; positive definite for ``"cholesky"``.
    shape: the shape of the result without its last axis; by default that to which the leading axes broadcast.
    dtype: float32 or float64; by default that of mean and cov, or the default float.
    method: how a matrix with the product ``A A.T == cov`` is found. JAX's default is ``"cholesky"``, NumPy's ``"svd"``.

    Returns
    -------
    Shape (*shape, n) and the dtype: ``mean + A z`` for normal numbers z.

    Raises
    ------
    ValueError: shapes that do not fit together, an unknown method.
    LinAlgError: ``"cholesky"`` of a matrix that is not positive definite, on backends that find out.

    Examples
    --------
    >>> import latticework as lw
    >>> cov = lw.asarray([[4.0, 1.0], [1.0, 2.0]])
    >>> lw.random.multivariate_normal(lw.random.key(0), lw.asarray([0.0, 10.0]), cov)
    Array([ 3.2452843, 13.490494 ], dtype=float32)
    """
    name = "multivariate_normal"
    key = key_of(name, key)
    mean, cov = param(name, "mean", mean, key), param(name, "cov", cov, key)
    if method not in ("cholesky", "eigh", "svd"):
        raise ValueError(f"random.{name}: method must be 'cholesky', 'eigh' or 'svd'; got {method!r}")
    if not isinstance(mean, Array) or not mean.shape:
        raise ValueError(f"random.{name}: mean must have at least one axis; got {mean!r}")
    n = mean.shape[-1]
    if not isinstance(cov, Array) or cov.shape[-2:] != (n, n):
        got = cov.shape if isinstance(cov, Array) else cov
        raise ValueError(f"random.{name}: cov must have shape (..., {n}, {n}), of the mean's {mean.shape}; got {got}")
    found = floating(name, dtype, mean, cov)
    try:
        leading = broadcast(mean.shape[:-1], cov.shape[:-2])
        extents = leading if shape is None else shape_of(name, shape)
        if broadcast(extents, leading) != extents:
            raise ValueError(f"mean and cov of shape {mean.shape} and {cov.shape} do not fit shape {extents}")
    except ValueError as error:
        raise ValueError(f"random.{name}: {str(error).removeprefix(f'random.{name}: ')}") from None
    with under_ours():
        z = _gauss((*extents, n), key._data, dtype=found, device=key.device)
        factor = _factor(as_dtype_of(cov, found), method)
        result: Array = lw.matmul(factor, z[..., None])[..., 0] + as_dtype_of(mean, found)
        return result


def _factor(cov: Array, method: str) -> Array:
    if method == "cholesky":
        return lw.linalg.cholesky(cov)
    if method == "svd":
        u, s, _ = lw.linalg.svd(cov)
        return u * lw.sqrt(s)[..., None, :]
    w, v = lw.linalg.eigh(cov)
    return v * lw.sqrt(w)[..., None, :]
