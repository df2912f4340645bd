"""Arrays in blocks that stay in the processor's cache: functions of many passes read and write memory once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["constant", "elementwise", "number", "parts", "row_squares", "row_sums"]

#: The number of elements of an array in a block: several arrays of this size stay in the cache, and the overhead of
#: NumPy's calls is a small part of the time.
BLOCK = 1 << 16


def elementwise(x: Any, block: Callable[..., None], scratch: int = 0, *, overflows: bool = False) -> Any:
    """Make an array like x by an elementwise function. It gets blocks of x, blocks of the result to write into, and
    `scratch` blocks for intermediate results.

    The blocks have one axis. There is no array of x's size besides the result, whatever the layout of x. `overflows`
    says that exponentials may overflow where the result does not.
    """
    if overflows:
        return _without_warnings(x, block, scratch)
    if x.size <= BLOCK:
        result = np.empty(x.shape, x.dtype)
        flat, out = (x, result) if x.ndim == 1 else (x.reshape(-1), result.reshape(-1))
        block(flat, out, *(np.empty((scratch, x.size), x.dtype) if scratch else ()))
        return result
    memory = np.empty((scratch, BLOCK), x.dtype)
    if x.flags.c_contiguous:
        result = np.empty(x.shape, x.dtype)
        flat, out = x.reshape(-1), result.reshape(-1)
        for start in range(0, x.size, BLOCK):
            part = flat[start : start + BLOCK]
            block(part, out[start : start + BLOCK], *memory[:, : part.size])
        return result
    every = np.nditer(
        [x, None], ["external_loop", "buffered"], [["readonly"], ["writeonly", "allocate"]], buffersize=BLOCK
    )
    with every:
        for part, out in every:
            block(part, out, *memory[:, : part.size])
        return every.operands[1]


def _without_warnings(x: Any, block: Callable[..., None], scratch: int) -> Any:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return elementwise(x, block, scratch)


@lru_cache(64)
def number(dtype: Any, value: float) -> Any:
    """Return a number as a 0-d array, which NumPy's functions take in half of the time of a scalar."""
    result = np.array(value, dtype)
    result.setflags(write=False)
    return result


def constant(x: Any, value: float) -> Any:
    """Return a block of one number, of the dtype of x. For two arrays, NumPy's `maximum` and `minimum` take a third of
    their time for an array and a number."""
    return _constant(x.dtype, value, BLOCK)


@lru_cache(16)
def _constant(dtype: Any, value: float, size: int) -> Any:
    result = np.full(size, value, dtype)
    result.setflags(write=False)
    return result


def parts(x: Any, whole: tuple[int, ...]) -> Iterator[slice]:
    """Split the first axis of an array into parts of a few blocks each, or one part if it has to stay whole."""
    n = x.shape[0]
    step = n if any(axis % x.ndim == 0 for axis in whole) else max(1, 4 * BLOCK * n // x.size)
    return (slice(start, start + step) for start in range(0, n, step))


def row_sums(x: Any) -> Any:
    """Sum along the second of two axes, which stays. A product takes a third of the time of `numpy.sum`, which is more
    precise for many elements."""
    return np.matmul(x, np.ones((x.shape[1], 1), x.dtype)) if x.shape[1] <= FEW else np.sum(x, axis=1, keepdims=True)


#: The most products that BLAS adds as precisely as NumPy does.
FEW = 1 << 14


def row_squares(x: Any) -> Any:
    """Sum the squares along the second of two axes, which stays."""
    return np.einsum("ij,ij->i", x, x)[:, None] if x.shape[1] > FEW else np.vecdot(x, x)[:, None]
