"""Distinct elements, and the elements of two sets, as NumPy has them."""

from __future__ import annotations

import math
from typing import Any

from ..core.dtypes import int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed
from ..engine.exchange.foreign import as_operand
from ..engine.plans.advice import check_bool
from ..engine.shapes.extents import one_axis
from ..policy import unified_rules
from .fixed_sizes import Runs, ascending, pick, places, unique_of_size, whole_size
from .manipulation import concat, moveaxis, reshape


@composed
def union1d(x1: Array, x2: Array, /, *, size: int | None = None, fill_value: Array | complex | None = None) -> Array:
    """List the distinct elements of two arrays, in ascending order.

    Parameters
    ----------
    x1, x2: any shapes and dtypes. Their values decide the shape of the result, unless `size` is given.
    size: how many elements there are: the least ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of the result: the least element by default. Without `size` it is not
        used.

    Returns
    -------
    One axis, the common dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.union1d(lw.asarray([3, 1]), lw.asarray([1, 2]))
    Array([1, 2, 3], dtype=int32)
    >>> lw.union1d(lw.asarray([3, 1]), lw.asarray([1, 2]), size=4, fill_value=-1)
    Array([ 1,  2,  3, -1], dtype=int32)
    """
    both = concat([as_operand(OPS["union1d"], x) for x in (x1, x2)], axis=None)
    return lw.unique_values(both, size=size, fill_value=fill_value) if size is not None else lw.unique_values(both)


@composed
def unique(
    x: Array,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: Array | complex | None = None,
) -> Array | tuple[Array, ...]:
    """List the distinct elements of an array, or its distinct slices along an axis, in ascending order.

    Parameters
    ----------
    x: any shape and dtype. Its values decide the shape of the result, unless `size` is given: then it can be traced.
    return_index: whether to tell where each comes first.
    return_inverse: whether to tell which of them each element is.
    return_counts: whether to tell how often each comes.
    axis: None for the elements. Otherwise the axis whose slices are compared, element by element from the first on.
    equal_nan: whether all nan are the same. In slices too, where NumPy's never are.
    size: how many elements or slices there are: the least ones, and `fill_value` after the last. So it works in
        `jax.jit`.
    fill_value: what to fill with, in the dtype of x: the least element by default. The indices are those of the first
        element then, and the counts 0. Without `size` it is not used.

    Returns
    -------
    The distinct elements along one axis, or the array with fewer slices along `axis`; in the dtype of x. If more is
    requested, a tuple: then come the indices, the inverse and the counts, as int64. The inverse has the shape of x, or
    one axis for slices.

    Raises
    ------
    AxisError: an axis that x does not have.

    Notes
    -----
    The standard's `unique_values`, `unique_all` and their kin take no two nan for the same. On Dask, x is computed
    where nan may have to be joined and more than the elements is requested, and for slices.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unique(lw.asarray([3, 1, 3]), return_counts=True)
    (Array([1, 3], dtype=int32), Array([1, 2], dtype=int64))
    >>> lw.unique(lw.asarray([[2, 1], [0, 5], [2, 1]]), axis=0)
    Array([[0, 5],
           [2, 1]], dtype=int32)
    """
    x = as_operand(OPS["unique"], x)
    requested = (return_index, return_inverse, return_counts)
    check_bool("unique", "return_index", return_index)  # TensorFlow has the dtype of the positions here
    with unified_rules():  # some take no Python int beside positions
        if size is not None:
            n = whole_size("unique", size)
            found = (
                _unique_slices_of_size(x, one_axis(axis, x.shape), n, fill_value, equal_nan)
                if axis is not None
                else unique_of_size("unique", x, n, fill_value, equal_nan=equal_nan)
            )
        elif axis is not None:
            found = _unique_slices(x, one_axis(axis, x.shape), equal_nan)
        elif not any(requested):
            return _with_one_nan(lw.unique_values(x)) if equal_nan and x.dtype.kind in "fc" else lw.unique_values(x)
        else:
            found = _unique_elements(x, equal_nan)
    more = [part for part, wanted in zip(found[1:], requested, strict=True) if wanted]
    return (found[0], *more) if more else found[0]


def _with_one_nan(values: Array) -> Array:
    """Return distinct elements with the first nan only. All nan stand at the end."""
    nans = lw.isnan(values)
    if None in values.shape:  # of Dask, which is not computed
        first = lw.cumulative_sum(lw.astype(nans, int64)) == 1
        return values[lw.logical_or(lw.logical_not(nans), first)]
    several = int(lw.count_nonzero(nans))
    return values[: values.shape[0] - several + 1] if several > 1 else values


def _unique_elements(x: Array, equal_nan: bool) -> tuple[Array, ...]:
    if not (equal_nan and x.dtype.kind in "fc"):
        return tuple(lw.unique_all(x))
    values, indices, inverse, counts = (_computed(part) for part in lw.unique_all(x))
    several = int(lw.count_nonzero(lw.isnan(values)))
    if several < 2:
        return values, indices, inverse, counts
    first = values.shape[0] - several
    return (
        values[: first + 1],
        concat([indices[:first], lw.min(indices[first:], keepdims=True)]),
        lw.minimum(inverse, first),
        concat([counts[:first], lw.sum(counts[first:], keepdims=True)]),
    )


def _computed(x: Array) -> Array:
    """An array whose extents are known: of Dask, computed."""
    return x if None not in x.shape else lw.asarray(x.compute(), backend=x.backend)


def _unique_slices(x: Array, axis: int, equal_nan: bool) -> tuple[Array, ...]:
    """Distinct slices. Each element becomes its rank, and the ranks of two neighbours become one until there is one of
    each slice: as many steps as the number of elements of a slice has bits."""
    x = _computed(x)
    n = x.shape[axis]
    ranks = _rows(x, axis)
    ranks = reshape(_unique_elements(ranks, equal_nan)[2], ranks.shape)
    while ranks.shape[1] > 1:
        ranks = _paired(ranks)
        ranks = reshape(lw.unique_inverse(ranks).inverse_indices, ranks.shape)
    _, indices, inverse, counts = (_computed(part) for part in lw.unique_all(reshape(ranks, (n,))))
    return lw.take(x, indices, axis=axis), indices, inverse, counts


def _rows(x: Array, axis: int) -> Array:
    """Return the slices of an array along an axis as rows."""
    n = x.shape[axis]
    rows = reshape(moveaxis(x, axis, 0), (n, math.prod(m for i, m in enumerate(x.shape) if i != axis)))
    return rows if rows.shape[1] else lw.zeros((n, 1), dtype=x._sig.backend.index_dtype, device=x.device)


def _paired(ranks: Array) -> Array:
    """Join the ranks of two neighbours each."""
    whole = ranks.shape[1] // 2 * 2
    pairs = ranks[:, 0:whole:2] * ranks.size + ranks[:, 1:whole:2]
    return concat([pairs, ranks[:, whole:]], axis=1)


def _unique_slices_of_size(x: Array, axis: int, size: int, fill: Any, equal_nan: bool) -> tuple[Array, ...]:
    n = x.shape[axis]
    ranks = _rows(x, axis)
    ranks = Runs(ranks, equal_nan=equal_nan).groups(ranks.shape)
    while ranks.shape[1] > 1:
        ranks = _paired(ranks)
        ranks = Runs(ranks).groups(ranks.shape)
    _, indices, inverse, counts = unique_of_size("unique", reshape(ranks, (n,)), size, 0)
    return pick("unique", x, indices, lw.greater(counts, 0), fill, axis), indices, inverse, counts


@composed
def setdiff1d(
    x1: Array,
    x2: Array,
    /,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Array | complex | None = None,
) -> Array:
    """List the distinct elements of x1 that are not among those of x2.

    Parameters
    ----------
    x1, x2: any shapes and dtypes. Their values decide the shape of the result, unless `size` is given.
    assume_unique: whether x1 has no element twice; its elements keep their order then.
    size: how many elements there are: the first ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of the result: 0 by default. Without `size` it is not used.

    Returns
    -------
    One axis, the dtype of x1, in ascending order.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.setdiff1d(lw.asarray([3, 1, 2, 3]), lw.asarray([2, 5]))
    Array([1, 3], dtype=int32)
    """
    x = as_operand(OPS["setdiff1d"], x1)
    if size is not None:
        with unified_rules():
            runs = None if assume_unique else Runs(x)
            x = lw.ravel(x) if runs is None else runs.sorted
            keep = lw.isin(x, x2, invert=True)
            keep = keep if runs is None else lw.logical_and(runs.first, keep)
            return _members("setdiff1d", x, keep, size, 0 if fill_value is None else fill_value)
    x = lw.ravel(x) if assume_unique else lw.unique_values(x)
    return x[lw.isin(x, x2, invert=True)]


@composed
def intersect1d(
    x1: Array,
    x2: Array,
    /,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Array | complex | None = None,
) -> Array:
    """List the distinct elements that are in both arrays, in ascending order.

    Parameters
    ----------
    x1, x2: any shapes and dtypes. Their values decide the shape of the result, unless `size` is given.
    assume_unique: whether neither has an element twice, which saves a pass.
    size: how many elements there are: the least ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of the result: by default the least element, or 0 where there is none.
        Without `size` it is not used.

    Returns
    -------
    One axis, the common dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.intersect1d(lw.asarray([3, 1, 2, 3]), lw.asarray([3, 2, 5]))
    Array([2, 3], dtype=int32)
    """
    x1, x2 = (as_operand(OPS["intersect1d"], x) for x in (x1, x2))
    if size is not None:
        common = lw.result_type(x1, x2)
        with unified_rules():
            runs = Runs(lw.astype(x1, common, copy=False))
            keep = lw.logical_and(runs.first, lw.isin(runs.sorted, x2))
            return _members("intersect1d", runs.sorted, keep, size, fill_value)
    x = lw.sort(lw.ravel(x1)) if assume_unique else lw.unique_values(x1)
    common = lw.result_type(x1, x2)
    return lw.astype(x[lw.isin(x, x2)], common, copy=False)


@composed
def setxor1d(
    x1: Array,
    x2: Array,
    /,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Array | complex | None = None,
) -> Array:
    """List the distinct elements that are in one of two arrays alone, in ascending order.

    Parameters
    ----------
    x1, x2: any shapes and dtypes. Their values decide the shape of the result, unless `size` is given.
    assume_unique: whether neither has an element twice, which saves a pass.
    size: how many elements there are: the least ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of the result: by default the least element, or 0 where there is none.
        Without `size` it is not used.

    Returns
    -------
    One axis, the common dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.setxor1d(lw.asarray([3, 1, 2]), lw.asarray([3, 2, 5]))
    Array([1, 5], dtype=int32)
    """
    if size is not None:
        first, second = (as_operand(OPS["setxor1d"], x) for x in (x1, x2))
        return _in_one(first, second, size, fill_value)
    first, second = setdiff1d(x1, x2, assume_unique=assume_unique), setdiff1d(x2, x1, assume_unique=assume_unique)
    return lw.unique_values(concat([first, second]))


def _in_one(x1: Array, x2: Array, size: int, fill: Any) -> Array:
    common = lw.result_type(x1, x2)
    with unified_rules():
        runs = [Runs(lw.astype(x, common, copy=False)) for x in (x1, x2)]
        alone = [
            lw.logical_and(a.first, lw.isin(a.sorted, b.sorted, invert=True))
            for a, b in zip(runs, reversed(runs), strict=True)
        ]
        x, keep = concat([a.sorted for a in runs]), concat(alone)
        order = ascending(x)
        return _members("setxor1d", lw.take(x, order), lw.take(keep, order), size, fill)


def _members(name: str, x: Array, keep: Array, size: Any, fill: Any) -> Array:
    """Return the elements of an array of one axis for which a mask holds, and `fill` after them: by default the first
    of them, or 0."""
    n, count = x.shape[0], whole_size(name, size)
    found, there = places(keep, count)
    if fill is None and n and count:
        first = lw.take(x, lw.minimum(found[:1], n - 1))
        fill = lw.where(there[:1], first, lw.zeros_like(first))
    return pick(name, x, found, there, 0 if fill is None else fill)
