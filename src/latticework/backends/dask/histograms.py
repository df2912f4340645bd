"""Counting on Dask: counts of each block, then their sums in a tree. Without a length, counts differ in length."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from .blocks import INDEX, UNKNOWN, Kernel, call, in_tree, kernel, leaves, require_known
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
