"""Set functions. Elements are the same where they are equal: nan is the same as nothing, -0.0 and 0.0 are one.

Unique elements come in ascending order on every backend; complex ones by their real parts, then by their
imaginary ones, and those with a nan last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..engine.arrays.array import Array
from ..engine.declare import op
from .fixed_sizes import sized, unique_of_size


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: Array
    inverse_indices: Array


@op("all", out="bool", shape="same")
def isin(x1: Array | complex, x2: Array | complex, /, *, invert: bool = False) -> Array:
    """Return whether each element of `x1` is among the elements of `x2`.

    Parameters
    ----------
    x1: the elements to look for, any shape.
    x2: the elements to look among, any shape. At most one of the two may be a Python scalar. They are joined to
        a common dtype and compared in it, as by `equal`.
    invert: whether to mark the elements that are not among them instead.

    Returns
    -------
    A bool array in the shape of `x1`, 0-d for a scalar.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isin(lw.asarray([1, 2, 3]), lw.asarray([3, 1]))
    Array([ True, False,  True], dtype=bool)
    """
    ...


@op("all", out=("same", "index", "index", "index"), shape="unique_all")
def unique_all(x: Array, /, *, size: int | None = None, fill_value: complex | Array | None = None) -> UniqueAllResult:
    """Return the distinct elements, the first index of each, the inverse indices, and how often each comes.

    The shape of the result depends on the values, unless `size` is given.

    Parameters
    ----------
    x: any shape, any dtype.
    size: how many elements there are: the least ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of x: the least element by default. Without `size` it is not used.

    Returns
    -------
    A named tuple: `values`, the distinct elements in ascending order, 1-d and of the dtype of x; `indices`, the
    position of the first of each in the flattened x; `inverse_indices`, in the shape of x, so that
    ``values[inverse_indices]`` is x; `counts`, of the shape of `values`. The last three are int64.
    Each nan is an element of its own. What is filled has the index of the first element, and the count 0. The inverse
    is that without `size`.

    Examples
    --------
    >>> import latticework as lw
    >>> values, indices, inverse_indices, counts = lw.unique_all(lw.asarray([5, 3, 5]))
    >>> values, indices
    (Array([3, 5], dtype=int32), Array([1, 0], dtype=int64))
    >>> inverse_indices, counts
    (Array([1, 0, 1], dtype=int64), Array([1, 2], dtype=int64))
    """
    ...


@op("all", out=("same", "index"), shape="unique_counts")
def unique_counts(
    x: Array, /, *, size: int | None = None, fill_value: complex | Array | None = None
) -> UniqueCountsResult:
    """The distinct elements, and how often each comes.

    The shape of the result depends on the values, unless `size` is given.

    Parameters
    ----------
    x: any shape, any dtype.
    size: how many elements there are: the least ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of x: the least element by default. Without `size` it is not used.

    Returns
    -------
    A named tuple: `values`, the distinct elements in ascending order, 1-d and of the dtype of x; `counts`, of the
    same shape and int64. Each nan is an element of its own, with a count of 1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unique_counts(lw.asarray([5, 3, 5])).counts
    Array([1, 2], dtype=int64)
    """
    ...


@op("all", out=("same", "index"), shape="unique_inverse")
def unique_inverse(
    x: Array, /, *, size: int | None = None, fill_value: complex | Array | None = None
) -> UniqueInverseResult:
    """Return the distinct elements, and for every element of x its index among them.

    The shape of the result depends on the values, unless `size` is given.

    Parameters
    ----------
    x: any shape, any dtype.
    size: how many elements there are: the least ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of x: the least element by default. Without `size` it is not used.

    Returns
    -------
    A named tuple: `values`, the distinct elements in ascending order, 1-d and of the dtype of x;
    `inverse_indices`, int64 and in the shape of x, so that ``values[inverse_indices]`` is x. Each nan is an element
    of its own.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unique_inverse(lw.asarray([5, 3, 5])).inverse_indices
    Array([1, 0, 1], dtype=int64)
    """
    ...


@op("all", shape="unique_values")
def unique_values(x: Array, /, *, size: int | None = None, fill_value: complex | Array | None = None) -> Array:
    """The distinct elements, in ascending order.

    The shape of the result depends on the values, unless `size` is given.

    Parameters
    ----------
    x: any shape, any dtype.
    size: how many elements there are: the least ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of x: the least element by default. Without `size` it is not used.

    Returns
    -------
    A 1-d array of the dtype of x. Each nan is an element of its own.

    Raises
    ------
    ValueError: `size` is negative, or x has no element to fill with.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unique_values(lw.asarray([5, 3, 5]))
    Array([3, 5], dtype=int32)
    >>> lw.unique_values(lw.asarray([5, 3, 5]), size=4, fill_value=0)
    Array([3, 5, 0, 0], dtype=int32)
    """
    ...


@sized("unique_all")
def _all(x: Array, size: int, fill_value: Any) -> UniqueAllResult:
    return UniqueAllResult(*unique_of_size("unique_all", x, size, fill_value))


@sized("unique_counts")
def _counts(x: Array, size: int, fill_value: Any) -> UniqueCountsResult:
    values, _, _, counts = unique_of_size("unique_counts", x, size, fill_value)
    return UniqueCountsResult(values, counts)


@sized("unique_inverse")
def _inverse(x: Array, size: int, fill_value: Any) -> UniqueInverseResult:
    values, _, inverse, _ = unique_of_size("unique_inverse", x, size, fill_value)
    return UniqueInverseResult(values, inverse)


@sized("unique_values")
def _values(x: Array, size: int, fill_value: Any) -> Array:
    return unique_of_size("unique_values", x, size, fill_value)[0]
