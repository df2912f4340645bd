"""Scattering on Dask: each block of the array takes the positions that lie in it."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.lib.stride_tricks import sliding_window_view

from ...backend.arguments import check_segments
from ..numpy.scattering import _scatter as _scatter_block
from .blocks import INDEX, at_hand, by_block, call, positions, require_known, whole
from .indexing import _bounds, _from_start, from_array


def _positions(indices: da.Array, *, n: int, axis: int = 0, drop: bool = False) -> da.Array:
    """Positions counted from the start. `drop`: negative ones become n, which stands for none."""
    find = partial(_dropped, n=n) if drop else partial(_from_start, n=n, axis=axis)
    if (values := at_hand(indices)) is not None:
        return from_array(find(values))
    return by_block(find, INDEX, indices)


def _dropped(k: Any, n: int) -> Any:
    if (bounds := _bounds(k)) is not None:
        check_segments(bounds[1], n)
    return np.where(k < 0, n, k)


def _scatter(x: da.Array, k: da.Array, updates: da.Array, *, reduction: str) -> da.Array:
    require_known(x)
    every, new = tuple(range(x.ndim)), x.ndim
    return call(
        partial(_scatter_into, reduction=reduction), every, x, every, positions(x.chunks[0]), (0,), whole(k), (new,),
        whole(updates, (0,)), (new, *every[1:]), dtype=x.dtype, concatenate=True,
    )  # fmt: skip


def _scatter_into(block: Any, places: Any, k: Any, updates: Any, reduction: str) -> Any:
    start = int(places[0]) if places.size else 0
    here = (k >= start) & (k < start + places.size)
    return _scatter_block(block, k[here] - start, updates[here], reduction=reduction)


def _windows(x: da.Array, *, window: Any, axis: Any) -> da.Array:
    require_known(x)
    if 0 in window:  # of no elements, which Dask refuses
        extents = [*x.shape]
        for a, n in zip(axis, window, strict=True):
            extents[a] += 1 - n
        return da.zeros((*extents, *window), dtype=x.dtype)
    if x.dtype.isbuiltin != 1:  # of ml_dtypes, which NumPy's protocol of views does not name
        bits = x.view(np.dtype(f"u{x.dtype.itemsize}"))
        return sliding_window_view(bits, window, axis).map_blocks(_with_dtype, dtype=x.dtype, to=x.dtype)
    return sliding_window_view(x, window, axis)


def _with_dtype(block: Any, *, to: Any) -> Any:
    return block.view(to)
