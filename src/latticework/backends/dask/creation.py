"""Creation functions on Dask, in chunks of the size that its setting `array.chunk-size` says."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.tokenize import tokenize

from ...backend.arguments import near_diagonal
from ..numpy.creation import _count as _count_on_numpy
from .blocks import by_block, call, is_known, positions, require_known
from .core import shape_of


class Like(tuple[Any, ...]):  # noqa: SLOT001 - a tuple has no slot for an attribute
    """The shape of an array, with the array: a new array of this shape gets its chunks."""

    of: da.Array


def like(data: da.Array) -> Like:
    """Return the shape to give to `zeros_like` and its kin."""
    result = Like(shape_of(data))
    result.of = data
    return result


def empty(shape: Any, *, dtype: Any, device: str | None) -> da.Array:
    return _made(da.empty, shape, dtype)


def ones(shape: Any, *, dtype: Any, device: str | None) -> da.Array:
    return _made(da.ones, shape, dtype)


def zeros(shape: Any, *, dtype: Any, device: str | None) -> da.Array:
    return _made(da.zeros, shape, dtype)


def _full(shape: Any, fill_value: complex, *, dtype: Any, device: str | None) -> da.Array:
    return _made(da.full, shape, dtype, fill_value)


def _made(make: Any, shape: Any, dtype: Any, *values: complex) -> da.Array:
    if isinstance(shape, Like):
        if not is_known(shape.of):  # its blocks tell their extents
            return by_block(_block_like, dtype, shape.of, make((), *values, dtype=dtype))
        extents, chunks = tuple(shape), shape.of.chunks
    else:
        extents = _checked(shape)
        chunks = da.core.normalize_chunks("auto", extents, dtype=dtype)
    # Dask makes a name too, and pickles the function for it, which takes half of the time of a call.
    name = f"{make.__name__}-{tokenize(extents, chunks, np.dtype(dtype).name, values)}"
    return make(extents, *values, dtype=dtype, chunks=chunks, name=name)


def _block_like(block: np.ndarray, value: Any) -> np.ndarray:
    return np.full(block.shape, value)


def _checked(shape: Any) -> tuple[int, ...]:
    extents = shape if isinstance(shape, (tuple, list)) else (shape,)
    if None in extents:
        raise ValueError(
            "an extent is not known until the array that it comes from is computed. "
            "Find it out with x.data.compute_chunk_sizes()"
        )
    checked = tuple([operator.index(n) for n in extents])  # Dask cuts floats off
    if any(n < 0 for n in checked):
        raise ValueError("negative dimensions are not allowed")
    return checked


def _count(n: int, first: int, step: int, *, dtype: Any, device: str | None) -> da.Array:
    (chunks,) = da.core.normalize_chunks("auto", (n,), dtype=dtype)
    return by_block(partial(_numbers, first=first, step=step, of=dtype), dtype, positions(chunks))


def _numbers(at: np.ndarray, first: int, step: int, of: Any) -> np.ndarray:
    start = first + int(at[0]) * step if at.size else first
    return _count_on_numpy(at.size, start, step, dtype=of, device="cpu")


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any, device: str | None) -> da.Array:
    shape = _checked((n_rows, n_rows if n_cols is None else n_cols))
    rows, columns = da.core.normalize_chunks("auto", shape, dtype=dtype)
    k = near_diagonal(shape, k)
    return call(_diagonal, (0, 1), positions(rows), (0,), positions(columns), (1,), k=k, of=dtype, dtype=dtype)


def _diagonal(rows: np.ndarray, columns: np.ndarray, k: int, of: Any) -> np.ndarray:
    return (rows[:, None] + k == columns).astype(of)


def tril(x: da.Array, *, k: int = 0) -> da.Array:
    return _triangle(x, _below, k)


def triu(x: da.Array, *, k: int = 0) -> da.Array:
    return _triangle(x, _above, k)


def _triangle(x: da.Array, keep: Any, k: int) -> da.Array:
    k = near_diagonal(x.shape, k)
    require_known(x, (-2, -1))
    i, j = x.ndim - 2, x.ndim - 1
    rows, columns = positions(x.chunks[i]), positions(x.chunks[j])
    return call(keep, tuple(range(x.ndim)), x, tuple(range(x.ndim)), rows, (i,), columns, (j,), k=k, dtype=x.dtype)


def _below(block: np.ndarray, rows: np.ndarray, columns: np.ndarray, k: int) -> np.ndarray:
    return np.where(rows[:, None] + k >= columns, block, block.dtype.type(0))


def _above(block: np.ndarray, rows: np.ndarray, columns: np.ndarray, k: int) -> np.ndarray:
    return np.where(rows[:, None] + k <= columns, block, block.dtype.type(0))
