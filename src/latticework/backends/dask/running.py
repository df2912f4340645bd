"""Running extremes and sums on Dask: of each block, joined with the last result of the blocks before it."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ...backend.arguments import only_axis
from .blocks import Kernel, axis_of, by_block, kernel
from .nn.blocks import OnBlocks
from .statistical import _carried


def cummax(x: da.Array, *, axis: int | None = None) -> da.Array:
    return _accumulated("cummax", np.maximum, x, axis)


def cummin(x: da.Array, *, axis: int | None = None) -> da.Array:
    return _accumulated("cummin", np.minimum, x, axis)


def logcumsumexp(x: da.Array, *, axis: int | None = None) -> da.Array:
    axis = axis_of(x, only_axis(x.ndim) if axis is None else axis)
    blocks = by_block(OnBlocks("logcumsumexp"), x.dtype, x, axis=axis)
    return blocks if x.numblocks[axis] == 1 else _carried(kernel("logaddexp", x), blocks, axis)


def _accumulated(name: str, ufunc: np.ufunc, x: da.Array, axis: int | None) -> da.Array:
    axis = axis_of(x, only_axis(x.ndim) if axis is None else axis)
    blocks = by_block(partial(_of_block, run=kernel(name, x), axis=axis), x.dtype, x)
    return blocks if x.numblocks[axis] == 1 else _carried(ufunc, blocks, axis)


def _of_block(block: Any, run: Kernel, axis: int) -> Any:
    return run(block, axis=axis)
