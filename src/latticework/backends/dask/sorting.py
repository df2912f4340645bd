"""Sorting functions on Dask, which has none: https://github.com/dask/dask/issues/4368. The axis becomes one block,
since the first element may be in any."""

from __future__ import annotations

from typing import Any

import dask.array as da

from .blocks import INDEX, along, axis_of, kernel


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
