"""Functions on Dask that ignore nan: on each block, and then on the results, in a tree."""

from __future__ import annotations

import dask.array as da

from .blocks import Axes
from .statistical import _extreme


def nanmax(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    return _extreme("nanmax", x, axis, keepdims)


def nanmin(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    return _extreme("nanmin", x, axis, keepdims)
