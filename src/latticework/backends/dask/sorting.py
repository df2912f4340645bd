"""Sorting functions on Dask, which has none: https://github.com/dask/dask/issues/4368. The axis becomes one block,
since the first element may be in any. `top_k` picks from each block, and then from what was picked, in a tree."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ..numpy.sorting import top_k as _of_numpy
from .blocks import INDEX, Kernel, along, axis_of, call, in_tree, kernel, leaves, pick, positions


def sort(x: da.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> da.Array:
    axis = axis_of(x, axis)
    return along(kernel("sort", x), x, [axis], x.dtype, axis=axis, descending=descending, stable=stable)


def argsort(x: da.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> da.Array:
    axis = axis_of(x, axis)
    return along(kernel("argsort", x), x, [axis], INDEX, axis=axis, descending=descending, stable=stable)


def partition(x: da.Array, kth: Any, *, axis: int = -1) -> da.Array:
    axis = axis_of(x, axis)
    return along(kernel("partition", x), x, [axis], x.dtype, kth=within(x.shape[axis], kth), axis=axis)


def argpartition(x: da.Array, kth: Any, *, axis: int = -1) -> da.Array:
    axis = axis_of(x, axis)
    return along(kernel("argpartition", x), x, [axis], INDEX, kth=within(x.shape[axis], kth), axis=axis)


def within(n: Any, kth: Any) -> Any:
    """Return positions along an axis of n elements, checked before anything is computed."""
    for place in kth if isinstance(kth, (tuple, list)) else (kth,):
        if n and not -n <= place < n:
            raise ValueError(f"kth {place} is out of bounds")
    return kth


#: Some of the greatest or least elements along an axis, and their positions in the whole array.
Picked = tuple[np.ndarray, np.ndarray]


def top_k(
    x: da.Array, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[da.Array, da.Array]:
    axis = axis_of(x, axis)
    every = tuple(range(x.ndim))
    find = kernel("top_k", x)
    pick_of_block = partial(_top_of_block, find=find, k=k, axis=axis, largest=largest)
    picked = call(
        pick_of_block, every, x, every, positions(x.chunks[axis]), (axis,), dtype=object,
        adjust_chunks={axis: lambda n: 1},
    )  # fmt: skip
    join = partial(_top_of_several, find=find, k=k, axis=axis, largest=largest)
    picked = in_tree(join, picked, (axis,))
    out = [x.ndim if a == axis else a for a in every]
    picked = call(join, out, picked, every, dtype=object, new_axes={x.ndim: k})
    return pick(picked, 0, x.dtype), pick(picked, 1, INDEX)


top_k.when = _of_numpy.when  # type: ignore[attr-defined]


def _top_of_block(x: np.ndarray, at: np.ndarray, find: Kernel, k: int, axis: int, largest: bool) -> Picked:
    values, places = _top(x, find, k, axis, largest)
    return values, places + at[0] if at.size else places


def _top_of_several(blocks: Any, find: Kernel, k: int, axis: int, largest: bool) -> Picked:
    """Pick from blocks in their order: of equal elements, the first block's are taken."""
    found = leaves(blocks)
    values, places = (np.concatenate([f[i] for f in found], axis) for i in range(2))
    values, order = _top(values, find, k, axis, largest)
    return values, np.take_along_axis(places, order, axis)


def _top(x: np.ndarray, find: Kernel, k: int, axis: int, largest: bool) -> Picked:
    n = min(k, x.shape[axis])
    if n and x.size:
        values, places = find(x, n, axis=axis, largest=largest)
        return values, places
    empty = x[(*(slice(None),) * axis, slice(None, n))]
    return empty, np.empty(empty.shape, INDEX)
