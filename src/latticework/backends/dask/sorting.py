"""Sorting functions on Dask, which has none: https://github.com/dask/dask/issues/4368. The axis becomes one block, for
what comes first may lie in any."""

from __future__ import annotations

import dask.array as da

from .blocks import INDEX, along, axis_of, kernel


def sort(x: da.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> da.Array:
    axis = axis_of(x, axis)
    return along(kernel("sort", x), x, [axis], x.dtype, axis=axis, descending=descending, stable=stable)


def argsort(x: da.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> da.Array:
    axis = axis_of(x, axis)
    return along(kernel("argsort", x), x, [axis], INDEX, axis=axis, descending=descending, stable=stable)
