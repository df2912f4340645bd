"""Sorting functions. The order is the same on every backend: nan after everything else, -0.0 and 0.0 equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Never

from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operands
from ..engine.plans.advice import unexpected
from ..engine.shapes.extents import Shape, as_int, equal_shapes, one_axis, replace_axis, sequence


def _partition_shape(x: Shape, *, kth: Any, axis: Any = -1, **_: Any) -> Shape:
    """Keep the shape, and check that each kth is a position along the axis."""
    a = one_axis(axis, x)
    n = x[a]
    for k in sequence(kth):
        place = as_int(k, "kth is an int, or several")
        if n and not -n <= place < n:  # an axis without elements has no order to break
            raise ValueError(f"kth {place} is out of bounds for axis {a} of extent {n}, of an array of shape {x}")
    return x


def _top_k_shape(x: Shape, *, k: Any, axis: Any = -1, **_: Any) -> list[Shape]:
    """Replace the extent along an axis by k, for the values and their positions."""
    a = one_axis(axis, x)
    count, n = as_int(k, "k is an int"), x[a]
    if count < 0 or (n is not None and count > n):
        raise ValueError(f"k must be from 0 to {n}, the extent of axis {a} of an array of shape {x}; got {count}")
    return [replace_axis(x, a, count)] * 2


@op("real numeric or bool", out="index", shape="sort")
def argsort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """Positions that sort an array along one axis.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    axis: the axis to sort along.
    descending: whether the greatest comes first. nan then comes before everything else.
    stable: whether equal elements are sure to keep their order, in a descending sort too.

    Returns
    -------
    int64 positions along the axis, in the shape of x.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.argsort(lw.asarray([3, 1, 3, 2]))
    Array([1, 3, 0, 2], dtype=int64)
    >>> lw.argsort(lw.asarray([3, 1, 3, 2]), descending=True)
    Array([0, 2, 3, 1], dtype=int64)
    """
    ...


@op("real numeric or bool", shape="sort")
def sort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """A copy of an array, sorted along one axis.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    axis: the axis to sort along.
    descending: whether the greatest comes first. nan then comes before everything else.
    stable: whether equal elements are sure to keep their order. It shows in zeros alone, -0.0 and 0.0.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sort(lw.asarray([3, 1, 3, 2]))
    Array([1, 2, 3, 3], dtype=int32)
    >>> lw.sort(lw.asarray([3.0, float("nan"), 2.0]), descending=True)
    Array([nan,  3.,  2.], dtype=float32)
    """
    ...


@op("real numeric or bool", shape=_partition_shape)
def partition(x: Array, /, kth: int | Sequence[int], axis: int = -1) -> Array:
    """Bring the kth element to where a sorted array has it, lesser elements before it and greater ones after it.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    kth: a position along the axis, or several. Negative ones count from the end.
    axis: the axis to go along.

    Returns
    -------
    The shape and dtype of x. In which order the elements before and after each kth come is left to the backend:
    NumPy and Dask leave them as they fall, the others sort all of them. nan comes last, as in `sort`.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.
    ValueError: a `kth` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.partition(lw.asarray([3, 1, 2]), 1)
    Array([1, 2, 3], dtype=int32)
    """
    _partition_shape(tuple(x.shape), kth=kth, axis=axis)
    return lw.sort(x, axis=axis)


@op("real numeric or bool", out="index", shape=_partition_shape)
def argpartition(x: Array, /, kth: int | Sequence[int], axis: int = -1) -> Array:
    """Return positions that partition an array along one axis: see `partition`.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    kth: a position along the axis, or several. Negative ones count from the end.
    axis: the axis to go along.

    Returns
    -------
    int64 positions along the axis, in the shape of x. Which of equal elements comes first is left to the backend.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.
    ValueError: a `kth` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.argpartition(lw.asarray([3, 1, 2]), 1)
    Array([1, 2, 0], dtype=int64)
    """
    _partition_shape(tuple(x.shape), kth=kth, axis=axis)
    return lw.argsort(x, axis=axis)


class TopKResult(NamedTuple):
    """The result of `top_k`."""

    values: Array
    indices: Array


@op("real numeric or bool", out=("same", "index"), shape=_top_k_shape)
def top_k(x: Array, /, k: int, axis: int = -1, *, largest: bool = True, sorted: bool = True) -> TopKResult:
    """Return the k greatest elements along an axis, or the k least, and where they are.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    k: how many, from 0 to the extent of the axis.
    axis: the axis to go along.
    largest: whether to take the greatest elements, in descending order; False for the least, in ascending order. nan
        counts as greater than everything else.
    sorted: whether they are sure to come in that order, equal elements by ascending index.

    Returns
    -------
    A named tuple: `values`, of the dtype of x, and `indices`, int64. Both have the shape of x with extent k along the
    axis.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.
    ValueError: k is negative or greater than the extent of the axis.

    Notes
    -----
    Of equal elements those of the lowest indices are taken, as in jax.lax.top_k and tf.math.top_k. torch.topk does not
    say which it takes: on PyTorch, ``sorted=False`` gives its choice, in less time.

    Examples
    --------
    >>> import latticework as lw
    >>> values, indices = lw.top_k(lw.asarray([3, 1, 3, 2]), 3)
    >>> values, indices
    (Array([3, 3, 2], dtype=int32), Array([0, 2, 3], dtype=int64))
    >>> lw.top_k(lw.asarray([3, 1, 3, 2]), 1, largest=False).indices
    Array([1], dtype=int64)
    """
    (shape, _) = _top_k_shape(tuple(x.shape), k=k, axis=axis)
    order = lw.argsort(x, axis=axis, descending=largest)
    first = (*(slice(None),) * (axis % len(shape)), slice(None, k))
    indices = order[first]
    return TopKResult(lw.take_along_axis(x, indices, axis=axis), indices)


@composed
def lexsort(keys: Array | Sequence[Array], /, axis: int = -1, **unknown: Never) -> Array:
    """Return positions that sort by several keys: by the last one, where that is equal by the one before it, and so on.

    Parameters
    ----------
    keys: arrays of one shape, of any dtypes but complex ones, which need not be the same; or one array, whose first
        axis goes through the keys.
    axis: the axis to sort along, counted in each key.

    Returns
    -------
    int64 positions along the axis, in the shape of a key. Elements that are equal in all keys keep their order.

    Raises
    ------
    ValueError: there are no keys, or their shapes differ.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> names, years = lw.asarray([2, 1, 2, 1]), lw.asarray([1990, 1985, 1980, 1985])
    >>> lw.lexsort((names, years))
    Array([2, 1, 3, 0], dtype=int64)
    """
    if unknown:
        raise unexpected("lexsort", unknown)
    if isinstance(keys, (list, tuple)):
        arrays = as_operands(OPS["lexsort"], keys)
    else:
        arrays = [*lw.unstack(keys)]  # type: ignore[arg-type]
    if not arrays:
        raise ValueError("lexsort: takes at least one key; got none")
    try:
        one_axis(axis, equal_shapes([tuple(x.shape) for x in arrays]))
    except (TypeError, ValueError, IndexError) as error:
        raise type(error)(f"lexsort: {error}") from None
    order = lw.argsort(arrays[0], axis=axis)
    for key in arrays[1:]:
        then = lw.argsort(lw.take_along_axis(key, order, axis=axis), axis=axis)
        order = lw.take_along_axis(order, then, axis=axis)
    return order
