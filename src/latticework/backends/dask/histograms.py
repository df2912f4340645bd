"""Counting on Dask: counts of each block, then their sums in a tree. Without a length, counts differ in length.

Blocks are counted in bins as they are, of any number of axes: no array is reshaped for it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ..numpy.histograms import _of_more_bits, _of_wide_bins, _of_wide_bins_and_floats
from .blocks import INDEX, UNKNOWN, Kernel, call, in_tree, kernel, leaves, require_known, whole, with_axes
from .statistical import sum as _sum


def _bincount(x: da.Array, *, minlength: int = 0, length: int | None = None) -> da.Array:
    return _counted(Kernel("_bincount"), INDEX, minlength, length, x)


def _weighted_bincount(x: da.Array, weights: da.Array, *, minlength: int = 0, length: int | None = None) -> da.Array:
    if weights.ndim != 1 or (x.shape[0] == x.shape[0] and x.shape != weights.shape):
        raise ValueError("weights must have the shape of x")
    return _counted(kernel("_weighted_bincount", weights), weights.dtype, minlength, length, x, weights)


def _counted(run: Kernel, dtype: Any, minlength: int, length: int | None, *arrays: da.Array) -> da.Array:
    if any(x.ndim != 1 for x in arrays):
        raise ValueError("x must have exactly one axis")
    if len(arrays) > 1:
        for x in arrays:
            require_known(x)
    pairs = [part for x in arrays for part in (x, (0,))]
    count = partial(run, minlength=minlength, length=length)
    if arrays[0].numblocks[0] == 1 and len({x.chunks for x in arrays}) == 1:
        return call(
            count, (1,), *pairs, dtype=dtype, concatenate=True, new_axes={1: UNKNOWN if length is None else length}
        )
    if length is not None:
        rows = call(partial(_row, count=count), (0, 1), *pairs, dtype=dtype, adjust_chunks={0: lambda n: 1},
                    new_axes={1: length})  # fmt: skip
        return _sum(rows, axis=0, dtype=dtype)
    parts = call(count, (0,), *pairs, dtype=object, adjust_chunks={0: lambda n: 1})
    parts = in_tree(_added, parts, (0,))
    return call(_added, (1,), parts, (0,), dtype=dtype, new_axes={1: UNKNOWN})


def _row(*blocks: Any, count: Any) -> np.ndarray:
    row: np.ndarray = count(*blocks)[None]
    return row


def _added(blocks: Any) -> np.ndarray:
    """Add counts of several lengths."""
    counts = leaves(blocks)
    result = np.zeros(max(c.size for c in counts), counts[0].dtype)
    for c in counts:
        result[: c.size] += c
    return result


# --- in bins of equal width ---------------------------------------------------------------------------------------


def _count_between(x: da.Array, edges: da.Array) -> da.Array:
    return _in_bins(kernel("_count_between", x), INDEX, edges, x)


def _sum_between(x: da.Array, weights: da.Array, edges: da.Array) -> da.Array:
    return _in_bins(kernel("_sum_between", weights), weights.dtype, edges, x, weights)


def _in_bins(run: Kernel, dtype: Any, edges: da.Array, *arrays: da.Array) -> da.Array:
    """Call `run` with each block and all edges, and add the results up."""
    every = tuple(range(arrays[0].ndim))
    bins = len(every)
    counts = call(
        partial(_rows, run=run, n=bins), (*every, bins), whole(edges), (bins,),
        *[part for x in arrays for part in (x, every)], dtype=dtype,
        adjust_chunks=dict.fromkeys(every, lambda n: 1) | {bins: lambda n: n - 1},
    )  # fmt: skip
    return _sum(counts, axis=every, dtype=dtype) if every else counts


def _rows(edges: np.ndarray, *blocks: np.ndarray, run: Kernel, n: int) -> np.ndarray:
    return with_axes(*blocks, edges, function=run, n=n)


_count_between.when = _of_wide_bins  # type: ignore[attr-defined]
_sum_between.when = _of_wide_bins_and_floats  # type: ignore[attr-defined]


# --- in which bins values lie -------------------------------------------------------------------------------------


def digitize(x: da.Array, bins: da.Array, *, right: bool = False) -> da.Array:
    """Find the places in each block, among all edges. The composition looks at the edges in tasks of their own."""
    every = tuple(range(x.ndim))
    find = partial(kernel("digitize", x), right=right)
    return call(find, every, x, every, whole(bins), (x.ndim,), dtype=INDEX, concatenate=True)


digitize.when = _of_more_bits  # type: ignore[attr-defined]
