"""Searching functions on Dask."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ...backend.arguments import check_search, rows_to_search
from .blocks import (
    INDEX,
    UNKNOWN,
    Axes,
    Kernel,
    axes_of,
    by_block,
    call,
    in_one,
    in_tree,
    kernel,
    leaves,
    positions,
    reduced,
    require_known,
    whole,
    with_axes,
)  # fmt: skip
from .statistical import sum as _sum

# --- where the extremes are ---------------------------------------------------------------------------------------


def argmax(x: da.Array, *, axis: int | None = None, keepdims: bool = False) -> da.Array:
    return _extreme("argmax", x, axis, keepdims)


def argmin(x: da.Array, *, axis: int | None = None, keepdims: bool = False) -> da.Array:
    return _extreme("argmin", x, axis, keepdims)


def _extreme(name: str, x: da.Array, axis: int | None, keepdims: bool) -> da.Array:
    """Find the position and the value in each block, then the first of these positions with the best value.

    (Dask's own takes the first block with this value, which need not have the first position in row-major order.)
    """
    find = kernel(name, x)
    axes = axes_of(x.ndim, None if axis is None else (axis,))
    if any(x.shape[a] == 0 for a in axes):
        raise ValueError("attempt to find the extreme of an empty sequence")
    every = tuple(range(x.ndim))
    kept = tuple(a for a in every if a not in axes)
    ones = dict.fromkeys(axes, lambda n: 1)
    if all(x.numblocks[a] == 1 for a in axes):
        at_once = partial(find, axis=axis, keepdims=keepdims)
        if keepdims:
            return call(at_once, every, x, every, dtype=INDEX, adjust_chunks=ones)
        return call(at_once, kept, x, every, dtype=INDEX, concatenate=True)
    require_known(x, axes if axis is not None else None)
    places = [p for a in axes for p in (positions(x.chunks[a]), (a,))]
    best = call(
        partial(_best_of_block, find=find, axis=axis, shape=x.shape), every, x, every, *places, dtype=object,
        adjust_chunks=ones,
    )  # fmt: skip
    best = in_tree(partial(_best_of_several, find=find, axis=axis), best, axes)
    last = partial(_best_of_all, find=find, axis=axis, keepdims=keepdims, ndim=x.ndim)
    return in_one(last, best, axes, INDEX) if keepdims else call(last, kept, best, every, dtype=INDEX)


def _best_of_block(
    block: np.ndarray, *places: np.ndarray, find: Kernel, axis: int | None, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the best values of a block and their positions in the array, along an axis or in all; None if empty."""
    if not all(p.size for p in places):
        return None
    at = find(block, axis=axis, keepdims=True)
    if axis is not None:
        return np.take_along_axis(block, at, axis), at + places[0][0]
    inside = np.unravel_index(int(np.ravel(at)[0]), block.shape)
    here = np.ravel_multi_index([p[i] for p, i in zip(places, inside, strict=True)], shape)
    return block[inside].reshape(1), np.asarray(here, INDEX).reshape(1)


def _best_of_several(blocks: Any, find: Kernel, axis: int | None) -> tuple[np.ndarray, np.ndarray] | None:
    found = leaves(blocks)
    if not found:
        return None
    values, at = (np.concatenate([f[i] for f in found], axis or 0) for i in range(2))
    if axis is None:
        order = at.argsort()
        best = find(values[order], axis=0, keepdims=True)
        return values[order][best], at[order][best]
    best = find(values, axis=axis, keepdims=True)
    return np.take_along_axis(values, best, axis), np.take_along_axis(at, best, axis)


def _best_of_all(blocks: Any, find: Kernel, axis: int | None, keepdims: bool, ndim: int) -> Any:
    best = _best_of_several(blocks, find, axis)
    assert best is not None  # there are elements in some block
    _, at = best
    if axis is None:
        return at.reshape((1,) * ndim if keepdims else ())
    return at if keepdims else at.squeeze(axis)


# --- what is not zero ---------------------------------------------------------------------------------------------


def count_nonzero(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    count, add = kernel("count_nonzero", x), partial(Kernel("sum"), dtype=INDEX)
    return reduced(x, axis, keepdims, INDEX, count, count, add)


def nonzero(x: da.Array) -> tuple[da.Array, ...]:
    """Find nonzero elements by blocks of rows: one block along the other axes. Their number is not known."""
    if not x.ndim:
        raise ValueError("x must have at least one axis")
    require_known(x, (0,))
    x = whole(x, range(1, x.ndim))
    result = call(
        partial(_nonzero_of_rows, find=kernel("nonzero", x)), (0,), x, tuple(range(x.ndim)), positions(x.chunks[0]),
        (0,), dtype=object, concatenate=True,
    )  # fmt: skip
    return tuple(
        [call(_axis, (0,), result, (0,), i, None, dtype=INDEX, adjust_chunks={0: UNKNOWN}) for i in range(x.ndim)]
    )


def _nonzero_of_rows(block: np.ndarray, rows: np.ndarray, find: Kernel) -> tuple[np.ndarray, ...]:
    first, *others = find(block)
    return (first + rows[0] if rows.size else first, *others)


def _axis(found: tuple[np.ndarray, ...], i: int) -> np.ndarray:
    return found[i]


def where(condition: da.Array, x1: da.Array, x2: da.Array) -> da.Array:
    return by_block(Kernel("where"), x1.dtype, condition, x1, x2)


# --- where a value belongs ----------------------------------------------------------------------------------------


def searchsorted(x1: da.Array, x2: da.Array, *, side: Any = "left") -> da.Array:
    """Count the elements of x1 that come before each element of x2: in each block, then in all of them."""
    search = partial(_search, find=kernel("searchsorted", x1, x2), side=side)
    mine, new = tuple(range(x2.ndim)), x2.ndim
    if x1.ndim != 1:
        lead = mine[: len(rows_to_search(x1.shape, x2.shape, side))]
        return call(search, mine, x2, mine, x1, (*lead, new), dtype=INDEX, concatenate=True)
    check_search(1, side)
    if x1.numblocks[0] == 1:
        return call(search, mine, x2, mine, x1, (new,), dtype=INDEX, concatenate=True)
    result = call(
        partial(with_axes, function=search, n=1), (new, *mine), x2, mine, x1, (new,), dtype=INDEX,
        adjust_chunks={new: lambda n: 1},
    )  # fmt: skip
    return _sum(result, axis=0, dtype=INDEX)


def _search(x2: Any, x1: np.ndarray, find: Kernel, side: str) -> Any:
    return find(x1, x2, side=side)
