"""Set functions on Dask. Distinct elements are found in each block, and then among those that were found; where
positions are asked for, in one block. How many there are is not known before they are computed."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from .blocks import UNKNOWN, Kernel, call, kernel, leaves, parts, pick

_INDEX = np.dtype(np.int64)
_BOOL = np.dtype(bool)


def isin(x1: da.Array, x2: da.Array, *, invert: bool = False) -> da.Array:
    """Each block of x1 is compared with the whole of x2."""
    mine, others = tuple(range(x1.ndim)), tuple(range(x1.ndim, x1.ndim + x2.ndim))
    return call(kernel("isin", x1, x2), mine, x1, mine, x2, others, dtype=_BOOL, concatenate=True, invert=invert)


def unique_all(x: da.Array) -> tuple[da.Array, ...]:
    results = [(x.dtype, (UNKNOWN,)), (_INDEX, (UNKNOWN,)), (_INDEX, x.shape), (_INDEX, (UNKNOWN,))]
    return parts(kernel("unique_all", x), results, (x, x.ndim))


def unique_inverse(x: da.Array) -> tuple[da.Array, ...]:
    return parts(kernel("unique_inverse", x), [(x.dtype, (UNKNOWN,)), (_INDEX, x.shape)], (x, x.ndim))


def unique_counts(x: da.Array) -> tuple[da.Array, ...]:
    every = tuple(range(x.ndim))
    of_blocks = call(kernel("unique_counts", x), every, x, every, dtype=object)
    made = call(partial(_counts_of_all, find=kernel("unique_inverse", x)), (), of_blocks, every, dtype=object)
    return pick(made, 0, x.dtype, (UNKNOWN,)), pick(made, 1, _INDEX, (UNKNOWN,))


def _counts_of_all(blocks: Any, find: Kernel) -> tuple[np.ndarray, np.ndarray]:
    found = leaves(blocks)
    values, where = find(np.concatenate([f[0] for f in found]))
    counts = np.zeros(values.shape, np.int64)
    np.add.at(counts, where, np.concatenate([f[1] for f in found]))
    return values, counts


def unique_values(x: da.Array) -> da.Array:
    every, find = tuple(range(x.ndim)), kernel("unique_values", x)
    of_blocks = call(find, every, x, every, dtype=x.dtype)
    new = x.ndim
    return call(partial(_values_of_all, find=find), (new,), of_blocks, every, dtype=x.dtype, new_axes={new: UNKNOWN})


def _values_of_all(blocks: Any, find: Kernel) -> np.ndarray:
    values: np.ndarray = find(np.concatenate(leaves(blocks)))
    return values
