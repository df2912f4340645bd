"""Discrete distributions: functions of a key. The algorithms are those of jax.random."""

from __future__ import annotations

import math
from typing import Any

from ...core.dtypes import Dtype, DtypeLike, float32, float64, int_limits
from ...core.registry import OPS
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed
from ...engine.op import how_to_call
from ...policy import as_dtype, current
from .continuous import gumbel
from .drawing import (
    _binomial,
    _bits,
    _poisson,
    as_dtype_of,
    check,
    floating,
    integral,
    key_of,
    param,
    shape_of,
    spread,
    subkeys,
    under_ours,
    unit,
)

__all__ = ["bernoulli", "binomial", "categorical", "geometric", "poisson", "rademacher", "randint"]


@composed
def randint(
    key: Array,
    shape: tuple[int, ...] | None,
    low: int | Array,
    high: int | Array,
    dtype: DtypeLike | None = None,
) -> Array:
    """Draw random integers from low up to, and without, high.

    The order is that of ``jax.random.randint``. NumPy and PyTorch have low, high and then the size: a call in their
    order is refused, so that neither a plain int is taken for a shape here, nor a tuple for a bound.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result, a tuple; None for that of low and high.
    low, high: ints, or integer arrays that broadcast to the shape.
    dtype: an integer dtype; the default int, int32, if not given.

    Returns
    -------
    Integers of the shape and dtype.

    Raises
    ------
    TypeError: a shape that is an int, bounds that are lists or tuples.
    ValueError: ints low >= high; arrays that do not fit the shape.
    OverflowError: ints that the dtype does not hold; high may be one more than it holds.

    Notes
    -----
    Two words are drawn for each integer, and reduced to the range by a remainder; the bias is below
    ``(high - low) / 2**64``, for 64-bit dtypes ``(high - low) / 2**128``. Where an array's low is not below its high,
    the result is low.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.randint(lw.random.key(0), (4,), 0, 10)
    Array([9, 0, 2, 3], dtype=int32)
    """
    key = key_of("randint", key)
    found = current().promote(int) if dtype is None else as_dtype(dtype)
    if found.kind not in "iu":
        instead = "bools take lw.random.bernoulli" if found.kind == "b" else "floats take lw.random.uniform"
        raise TypeError(f"random.randint: dtype must be an integer one; got {found}. For {instead}")
    _check_order(shape, low, high)
    low, high = (_bound(what, value, key) for what, value in (("low", low), ("high", high)))
    return _drawn(key, shape_of("randint", shape, low, high), low, high, found)


def _check_order(shape: Any, low: Any, high: Any) -> None:
    """Refuse arguments in the order of NumPy and PyTorch: low, high, size."""
    order = "The order is (key, shape, low, high), and the shape is a tuple"
    for what, value in (("low", low), ("high", high)):
        if isinstance(value, (list, tuple)):
            right = f"lw.random.randint(key, {value!r}, {shape!r}, {low!r})"
            if what == "low" or isinstance(shape, (list, tuple)):
                right = "lw.random.randint(key, shape, lw.asarray(low), lw.asarray(high))"
            raise TypeError(
                f"random.randint: {what} must be an int or an integer array; got {value!r}. {order}: write {right}"
            )
    if hasattr(shape, "__index__") and not getattr(shape, "shape", ()):
        raise TypeError(
            f"random.randint: shape must be a tuple or None; got {shape!r}. {order}: write "
            f"lw.random.randint(key, ({shape},), {low!r}, {high!r}); or, for low, high and a size as NumPy has them, "
            f"lw.random.randint(key, ({high!r},), {shape}, {low!r})"
        )


def integers_between(key: Array, size: Any, low: Any, high: Any, dtype: Dtype, *, inclusive: bool) -> Array:
    """Draw integers like `randint`, for a generator: bounds may be arrays; `inclusive` allows high itself."""
    return _drawn(key, shape_of("Generator.integers", size, low, high), low, high, dtype, inclusive)


def _drawn(key: Array, extents: Any, low: Any, high: Any, found: Dtype, inclusive: bool = False) -> Array:
    with under_ours():
        wide = found if found.bits >= 32 else as_dtype("int32")  # in at least 32 bits, for the bias
        unsigned = as_dtype(f"uint{wide.bits}")
        higher, lower = (_bits(extents, k._data, dtype=unsigned, device=k.device) for k in subkeys(key, 2))
        if isinstance(low, int) and isinstance(high, int):
            return lw.astype(_in_range(higher, lower, *_checked(low, high + inclusive, found), wide), found)
        return lw.astype(_in_ranges(higher, lower, low, high, found, wide, key, inclusive), found)


def _bound(what: str, value: Any, key: Array, name: str = "randint") -> Any:
    if hasattr(value, "__index__") and not isinstance(value, Array) and getattr(value, "shape", ()) == ():
        return int(value.__index__())
    value = param(name, what, value, key)
    if not isinstance(value, Array) or value.dtype.kind not in "iu":
        shown = value.dtype if isinstance(value, Array) else repr(value)
        raise TypeError(f"random.{name}: {what} must be an int or an integer array; got {shown}")
    return value


def _checked(low: int, high: int, dtype: Dtype) -> tuple[int, int]:
    _, greatest, least, _ = int_limits(dtype)
    if low >= high:
        raise ValueError(f"random.randint: low must be below high; got low={low}, high={high}")
    if low < least or high > greatest + 1:
        raise OverflowError(
            f"random.randint: {dtype} holds {least} to {greatest}; got low={low}, high={high}. Take a wider dtype"
        )
    return low, high


def _in_range(higher: Array, lower: Array, low: int, high: int, wide: Dtype) -> Array:
    """Reduce words to a range of ints: ``(higher * 2**bits + lower) % span``, in words that wrap around."""
    span = high - low
    if span < 2**wide.bits:
        multiplier = (2 ** (wide.bits // 2) % span) ** 2 % 2**wide.bits % span
        lower = (higher % span * multiplier + lower % span) % span if multiplier else lower % span
    return lw.astype(lower, wide) + low if low else lw.astype(lower, wide)


def _in_ranges(
    higher: Array, lower: Array, low: Any, high: Any, dtype: Dtype, wide: Dtype, key: Array, inclusive: bool
) -> Array:
    """Like `_in_range`, for bounds that are arrays. A high beyond the dtype means the end of its range."""
    _, greatest, least, _ = int_limits(dtype)
    unsigned = higher.dtype
    beyond: Any = False
    if isinstance(high, Array):
        _, most, _, _ = int_limits(high.dtype)
        beyond = high > greatest if most > greatest else False
        high = lw.astype(lw.clip(high, None, greatest) if most > greatest else high, wide)
    elif high > greatest:
        beyond, high = True, greatest
    if isinstance(low, Array):
        low = lw.astype(_clipped(low, least, greatest), wide)
    low, high = (
        v if isinstance(v, Array) else lw.asarray(v, dtype=wide, backend=key.backend, device=key.device)
        for v in (low, high)
    )
    wrong = high < low if inclusive else high <= low
    beyond = True if inclusive else beyond
    span = lw.where(wrong, lw.ones_like(lw.astype(low, unsigned)), lw.astype(high - low, unsigned))
    if beyond is not False:
        one_more = lw.astype(~wrong if beyond is True else beyond & ~wrong, unsigned)
        span = span + one_more
    full = span == 0  # all that the dtype has
    span = lw.where(full, lw.ones_like(span), span)
    half = lw.full_like(span, 2 ** (wide.bits // 2)) % span
    multiplier = half * half % span
    offset = lw.where(full, lower, (higher % span * multiplier + lower % span) % span)
    result: Array = lw.astype(offset, wide) + low
    return result


def _clipped(x: Array, least: int, greatest: int) -> Array:
    _, most, fewest, _ = int_limits(x.dtype)
    if fewest >= least and most <= greatest:
        return x
    return lw.clip(x, least if fewest < least else None, greatest if most > greatest else None)


@composed
def bernoulli(key: Array, p: float | Array = 0.5, shape: int | tuple[int, ...] | None = None) -> Array:
    """Draw True with a probability.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    p: the probability: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of p.

    Returns
    -------
    Bools of the shape: ``u < p`` for u uniform in [0, 1), so that all are False for 0 and True for 1.

    Raises
    ------
    ValueError: a number that is not in [0, 1]; an array that does not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.bernoulli(lw.random.key(0), 0.75, (4,))
    Array([False, False,  True,  True], dtype=bool)
    """
    key = key_of("bernoulli", key)
    p = param("bernoulli", "p", p, key)
    check("bernoulli", "p", p, 0, 1, rule="a probability, in [0, 1]")
    found, extents = floating("bernoulli", None, p), shape_of("bernoulli", shape, p)
    with under_ours():
        return lw.less(unit(key, extents, found), as_dtype_of(p, found))


@composed
def rademacher(key: Array, shape: int | tuple[int, ...] = (), dtype: DtypeLike | None = None) -> Array:
    """Draw -1 and 1 with equal probability.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result.
    dtype: an integer or real floating dtype; the default int if not given.

    Returns
    -------
    Numbers of the shape and dtype.

    Raises
    ------
    TypeError: an unsigned dtype, which has no -1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.rademacher(lw.random.key(0), (4,))
    Array([-1, -1,  1,  1], dtype=int32)
    """
    found = integral("rademacher", dtype)
    if found.kind == "u":
        raise TypeError(f"random.rademacher: dtype must be a signed one; got {found}")
    heads = bernoulli(key_of("rademacher", key), 0.5, shape_of("rademacher", shape))  # type: ignore[arg-type]
    with under_ours():
        return lw.astype(heads, found) * 2 - 1


@composed
def categorical(
    key: Array,
    logits: Array,
    axis: int = -1,
    shape: int | tuple[int, ...] | None = None,
    *,
    replace: bool = True,
) -> Array:
    """Draw categories with probabilities that are given by their logarithms.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    logits: logarithms of the probabilities along an axis, up to a summand; -inf for 0.
    axis: the axis of the categories.
    shape: the shape of the result; it ends with that of logits without the axis, which is the default.
    replace: whether a category may come more than once along the first axes of the shape.

    Returns
    -------
    Positions along the axis, of the shape: the largest of ``logits + gumbel``.

    Raises
    ------
    ValueError: a shape that does not end as it has to; more without replacement than there are categories.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.categorical(lw.random.key(0), lw.log(lw.asarray([0.1, 0.2, 0.7])), shape=(5,))
    Array([1, 2, 2, 1, 2], dtype=int64)
    """
    key = key_of("categorical", key)
    logits = param("categorical", "logits", logits, key)
    if not hasattr(axis, "__index__"):
        call = how_to_call("random.categorical", OPS["random.categorical"].function)
        raise TypeError(f"random.categorical: axis must be an int; got {axis!r}. The call is {call}")
    if not isinstance(logits, Array) or not -len(logits.shape) <= axis < len(logits.shape):
        got = f"shape {logits.shape}" if isinstance(logits, Array) else repr(logits)
        raise ValueError(f"random.categorical: logits must be an array with the axis {axis}; got {got}")
    found, axis = floating("categorical", None, logits), axis % logits.ndim - logits.ndim
    batch = (*logits.shape[: axis % logits.ndim], *logits.shape[axis % logits.ndim + 1 :])
    extents: Any = batch if shape is None else shape_of("categorical", shape)
    front = extents[: len(extents) - len(batch)]
    if extents[len(front) :] != batch:
        raise ValueError(
            f"random.categorical: shape must end with {batch}, the shape of logits without the axis; got {extents}"
        )
    with under_ours():
        logits = as_dtype_of(logits, found)
        if replace:
            return lw.argmax(gumbel(key, (*front, *logits.shape), found) + logits, axis=axis)
        count, n = math.prod(front), logits.shape[axis]
        if count > n:
            raise ValueError(
                f"random.categorical: {count} of {n} categories cannot be drawn without replacement. Take replace=True"
            )
        scores = lw.moveaxis(logits + gumbel(key, logits.shape, found), axis, -1)
        chosen = lw.argsort(scores, axis=-1, descending=True, stable=True)[..., :count]
        return lw.reshape(lw.moveaxis(chosen, -1, 0), extents)


@composed
def poisson(
    key: Array, lam: float | Array, shape: int | tuple[int, ...] | None = None, dtype: DtypeLike | None = None
) -> Array:
    """Draw random numbers of a Poisson distribution.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    lam: the mean: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of lam.
    dtype: an integer or real floating dtype; the default int if not given.

    Returns
    -------
    Counts of the shape and dtype. They are computed in float32, whose counts are exact up to 2**24. Where an array's
    lam is negative or nan, -1.

    Raises
    ------
    ValueError: a number that is negative or nan; an array that does not fit the shape.

    Notes
    -----
    Knuth's products of uniform numbers below 10, Hörmann's transformed rejection (PTRS, 1993) from there on.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.poisson(lw.random.key(0), 4.0, (5,))
    Array([0, 1, 5, 5, 2], dtype=int32)
    """
    key = key_of("poisson", key)
    lam = param("poisson", "lam", lam, key)
    check("poisson", "lam", lam, 0, rule="at least 0")
    found, extents = integral("poisson", dtype), shape_of("poisson", shape, lam)
    with under_ours():
        return lw.astype(_poisson(spread(lam, extents, float32, key), key), found)


@composed
def binomial(
    key: Array,
    n: float | Array,
    p: float | Array,
    shape: int | tuple[int, ...] | None = None,
    dtype: DtypeLike | None = None,
) -> Array:
    """Draw random numbers of a binomial distribution: how many of n trials succeed.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    n: how many trials: a number, or an array that broadcasts to the shape.
    p: the probability of each: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of n and p.
    dtype: an integer or real floating dtype; the default int if not given.

    Returns
    -------
    Counts of the shape and dtype. They are computed in float32, whose counts are exact up to 2**24, and in float64
    where n or p is of it. Where an array's n is negative or p is not in [0, 1], nan in a floating dtype, and no
    particular integer in an integer one.

    Raises
    ------
    ValueError: numbers n < 0, p not in [0, 1]; arrays that do not fit the shape.

    Notes
    -----
    Sums of geometric numbers where the lesser of n p and n (1 - p) is at most 10, else Hörmann's BTRS (1993).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.binomial(lw.random.key(0), 10, 0.3, (5,))
    Array([2, 2, 1, 2, 1], dtype=int32)
    """
    key = key_of("binomial", key)
    n, p = param("binomial", "n", n, key), param("binomial", "p", p, key)
    check("binomial", "n", n, 0, rule="at least 0")
    check("binomial", "p", p, 0, 1, rule="a probability, in [0, 1]")
    found, extents = integral("binomial", dtype), shape_of("binomial", shape, n, p)
    wide = float64 if any(isinstance(x, Array) and x.dtype is float64 for x in (n, p)) else float32
    with under_ours():
        trials, probability = (spread(x, extents, wide, key) for x in (n, p))
        return lw.astype(_binomial(trials, probability, key), found)


@composed
def geometric(
    key: Array, p: float | Array, shape: int | tuple[int, ...] | None = None, dtype: DtypeLike | None = None
) -> Array:
    """Draw random numbers of a geometric distribution: how many trials it takes until one succeeds.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    p: the probability of each: a number, or an array that broadcasts to the shape.
    shape: the shape of the result; by default that of p.
    dtype: an integer or real floating dtype; the default int if not given.

    Returns
    -------
    Counts of the shape and dtype, at least 1: ``floor(log(u) / log(1 - p)) + 1`` for u uniform in (0, 1].

    Raises
    ------
    ValueError: a number that is not in (0, 1]; an array that does not fit the shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.geometric(lw.random.key(0), 0.25, (5,))
    Array([1, 1, 4, 3, 2], dtype=int32)
    """
    key = key_of("geometric", key)
    p = param("geometric", "p", p, key)
    check("geometric", "p", p, math.ulp(0), 1, rule="a probability, in (0, 1]")
    found, computed = integral("geometric", dtype), floating("geometric", None, p)
    extents = shape_of("geometric", shape, p)
    with under_ours():
        u = unit(key, extents, computed)
        u = lw.where(u == 0, lw.ones_like(u), u)
        failed = lw.log1p(-as_dtype_of(p, computed)) if isinstance(p, Array) else _log_of_rest(p)
        return lw.astype(lw.floor(lw.log(u) / failed) + 1, found)


def _log_of_rest(p: float) -> float:
    """The logarithm of the probability that a trial fails."""
    return math.log1p(-p) if p < 1 else -math.inf
