"""Set functions on Dask. Distinct elements are found in each block, and then among those of all blocks, which have to
fit into memory. Their number is not known before they are computed."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from .blocks import BOOL, INDEX, UNKNOWN, Kernel, call, is_known, kernel, leaves, parts, pick, positions, with_axes
from .statistical import all as _all
from .statistical import any as _any


def isin(x1: da.Array, x2: da.Array, *, invert: bool = False) -> da.Array:
    """Each block of x1 is compared with each of x2."""
    find = partial(kernel("isin", x1, x2), invert=invert)
    mine, others = tuple(range(x1.ndim)), tuple(range(x1.ndim, x1.ndim + x2.ndim))
    if x2.npartitions == 1:
        return call(find, mine, x1, mine, x2, others, dtype=BOOL, concatenate=True)
    result = call(
        partial(with_axes, function=find, n=x2.ndim), (*others, *mine), x1, mine, x2, others, dtype=BOOL,
        adjust_chunks=dict.fromkeys(others, lambda n: 1),
    )  # fmt: skip
    axes = tuple(range(x2.ndim))
    return _all(result, axis=axes) if invert else _any(result, axis=axes)


def unique_all(x: da.Array) -> tuple[da.Array, ...]:
    if x.npartitions == 1 or not is_known(x):
        results = [(x.dtype, (UNKNOWN,)), (INDEX, (UNKNOWN,)), (INDEX, x.shape), (INDEX, (UNKNOWN,))]
        return parts(kernel("unique_all", x), results, (x, x.ndim))
    every = tuple(range(x.ndim))
    places = [p for a in every for p in (positions(x.chunks[a]), (a,))]
    of_block = partial(_distinct_of_block, find=kernel("unique_all", x), shape=x.shape)
    blocks = call(of_block, every, x, every, *places, dtype=object)
    few = call(_without_inverse, every, blocks, every, dtype=object)
    result = call(partial(_distinct_of_all, find=kernel("unique_inverse", x)), (), few, every, dtype=object)
    inverse = call(_inverse_of_block, every, blocks, every, result, (), dtype=INDEX)
    values, indices, counts = (pick(result, i, d, (UNKNOWN,)) for i, d in enumerate((x.dtype, INDEX, INDEX)))
    return values, indices, inverse, counts


def unique_inverse(x: da.Array) -> tuple[da.Array, ...]:
    if x.npartitions == 1 or not is_known(x):
        return parts(kernel("unique_inverse", x), [(x.dtype, (UNKNOWN,)), (INDEX, x.shape)], (x, x.ndim))
    return unique_all(x)[::2]


def _distinct_of_block(block: np.ndarray, *places: np.ndarray, find: Kernel, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return where the block begins, its distinct elements, their first positions in the array, their counts, and the
    index of each element among them."""
    values, indices, inverse, counts = find(block)
    start = tuple([int(p[0]) if p.size else 0 for p in places])
    if values.size:
        inside = np.unravel_index(indices, block.shape)
        indices = np.ravel_multi_index([i + s for i, s in zip(inside, start, strict=True)], shape)
    return start, values, indices, counts, inverse


def _without_inverse(of_block: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the results of a block without the inverse, to be merged with those of the other blocks."""
    return of_block[:-1]


def _distinct_of_all(blocks: Any, find: Kernel) -> tuple[Any, ...]:
    """Return the distinct elements, the first position and the number of each; and for each block, by its start, the
    indices of its elements among them."""
    starts, values, indices, counts = zip(*leaves(blocks), strict=True)
    distinct, where = find(np.concatenate(values))
    first = np.full(distinct.shape, np.iinfo(np.int64).max)
    np.minimum.at(first, where, np.concatenate(indices))
    number = np.zeros(distinct.shape, np.int64)
    np.add.at(number, where, np.concatenate(counts))
    ends = np.cumsum([v.size for v in values])[:-1]
    return distinct, first, number, {s: w for s, w in zip(starts, np.split(where, ends), strict=True) if w.size}


def _inverse_of_block(of_block: tuple[Any, ...], of_all: tuple[Any, ...]) -> np.ndarray:
    start, *_, inverse = of_block
    result: np.ndarray = of_all[3][start][inverse] if inverse.size else inverse
    return result


def unique_counts(x: da.Array) -> tuple[da.Array, ...]:
    every = tuple(range(x.ndim))
    of_blocks = call(kernel("unique_counts", x), every, x, every, dtype=object)
    result = call(partial(_counts_of_all, find=kernel("unique_inverse", x)), (), of_blocks, every, dtype=object)
    return pick(result, 0, x.dtype, (UNKNOWN,)), pick(result, 1, INDEX, (UNKNOWN,))


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
