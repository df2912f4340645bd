"""Statistical functions on Dask, and `all` and `any`: each block is reduced, and then the results, in a tree.

Where the axes are one block each, the NumPy backend's function does all of it. Sums and products of float16 and
bfloat16 have a float32 accumulator, from the first block to the last.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from ...backend.arguments import only_axis
from .blocks import (
    BOOL,
    Axes,
    Kernel,
    accumulator,
    along,
    axes_of,
    axis_of,
    by_block,
    kernel,
    real_dtype,
    reduced,
)  # fmt: skip

# --- sums and products --------------------------------------------------------------------------------------------


def sum(x: da.Array, *, axis: Axes = None, dtype: Any, keepdims: bool = False) -> da.Array:
    return _accumulated("sum", np.add, x, axis, dtype, keepdims)


def prod(x: da.Array, *, axis: Axes = None, dtype: Any, keepdims: bool = False) -> da.Array:
    return _accumulated("prod", np.multiply, x, axis, dtype, keepdims)


def _accumulated(name: str, ufunc: np.ufunc, x: da.Array, axis: Axes, dtype: Any, keepdims: bool) -> da.Array:
    at_once = partial(kernel(name, x), dtype=dtype)
    chunk = partial(_reduce, ufunc=ufunc, first=dtype, to=accumulator(dtype))
    combine, last = (partial(_reduce, ufunc=ufunc, to=to) for to in (accumulator(dtype), dtype))
    return reduced(x, axis, keepdims, dtype, at_once, chunk, last, combine)


def _reduce(x: Any, ufunc: np.ufunc, axis: Axes, keepdims: bool, to: Any, first: Any = None) -> Any:
    """Reduce x, cast to the dtype `first` if that is given. Dtypes of 16 bits are summed in float32."""
    if first is not None and first != accumulator(first):  # other dtypes are cast on the way
        x = x.astype(first, copy=False)
    result = ufunc.reduce(x, axis, accumulator(to), None, keepdims)
    return result.astype(to, copy=False)


def cumulative_sum(x: da.Array, *, axis: int | None = None, dtype: Any, include_initial: bool = False) -> da.Array:
    return _running("cumulative_sum", np.add, x, axis, dtype, 0, include_initial)


def cumulative_prod(x: da.Array, *, axis: int | None = None, dtype: Any, include_initial: bool = False) -> da.Array:
    return _running("cumulative_prod", np.multiply, x, axis, dtype, 1, include_initial)


def _running(
    name: str, ufunc: np.ufunc, x: da.Array, axis: int | None, dtype: Any, initial: int, include_initial: bool
) -> da.Array:
    """Accumulate block by block: each block goes on from the result of the blocks before it."""
    if axis is None:
        axis = only_axis(x.ndim)
    axis = axis_of(x, axis)
    if x.numblocks[axis] == 1:
        run = partial(kernel(name, x), dtype=dtype)
        extents = [x.shape[axis] + include_initial]
        return along(run, x, [axis], dtype, extents, axis=axis, include_initial=include_initial)
    work = accumulator(dtype)
    blocks = by_block(partial(_running_of_block, ufunc=ufunc, of=dtype, to=work, axis=axis), work, x)
    result = _carried(ufunc, blocks, axis)
    result = result if work == dtype else by_block(partial(_astype, to=dtype), dtype, result)
    if not include_initial:
        return result
    before = da.full([1 if a == axis else n for a, n in enumerate(x.shape)], initial, dtype=dtype,
                     chunks=tuple((1,) if a == axis else c for a, c in enumerate(x.chunks)))  # fmt: skip
    return da.concatenate([before, result], axis=axis)


def _running_of_block(block: np.ndarray, ufunc: np.ufunc, of: Any, to: Any, axis: int) -> np.ndarray:
    if to != of:
        block = block.astype(of, copy=False)
    result: np.ndarray = ufunc.accumulate(block, axis, to)
    return result


def _carried(join: Callable[..., Any], x: da.Array, axis: int) -> da.Array:
    """Join each block with the last result of the blocks before it. (Dask's own forgets that at an empty block.)"""
    name = f"carried-{tokenize(join, x, axis)}"
    last = f"last-{name}"
    tasks: dict[Any, Any] = {}
    for place in np.ndindex(*x.numblocks):
        before = tuple([i - (a == axis) for a, i in enumerate(place)])
        carry = (last, *before) if place[axis] else None
        tasks[(name, *place)] = (_with_carry, join, (x.name, *place), carry)
        tasks[(last, *place)] = (_last_of, (name, *place), carry, axis)
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[x])
    return da.Array(graph, name, x.chunks, meta=x._meta)


def _with_carry(join: Callable[..., Any], block: np.ndarray, carry: np.ndarray | None) -> Any:
    return block if carry is None else join(block, carry)


def _last_of(block: np.ndarray, carry: np.ndarray | None, axis: int) -> np.ndarray | None:
    return block[(*(slice(None),) * axis, slice(-1, None))] if block.shape[axis] else carry


def _astype(x: Any, to: Any) -> Any:
    return x.astype(to)


# --- extremes -----------------------------------------------------------------------------------------------------


def max(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    return _extreme("max", x, axis, keepdims)


def min(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    return _extreme("min", x, axis, keepdims)


def _extreme(name: str, x: da.Array, axis: Axes, keepdims: bool) -> da.Array:
    if 0 in [x.shape[a] for a in axes_of(x.ndim, axis)]:
        raise ValueError("zero-size array to reduction operation which has no identity")
    find = kernel(name, x)
    some = partial(_of_some, find=find)
    return reduced(x, axis, keepdims, x.dtype, find, some, find, some)


def _of_some(x: np.ndarray, find: Kernel, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Reduce a block that may be empty: an empty axis stays empty, and so counts for nothing."""
    return find(x, axis=tuple(a for a in axis if x.shape[a]), keepdims=keepdims)


# --- mean and spread ----------------------------------------------------------------------------------------------


def mean(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    last = partial(_mean_of_state, to=x.dtype)
    return _moments(kernel("mean", x), x, axis, keepdims, x.dtype, _sums_of_block, _joined_sums, last)


def var(x: da.Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> da.Array:
    return _spread("var", x, axis, correction, keepdims)


def std(x: da.Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> da.Array:
    return _spread("std", x, axis, correction, keepdims)


def _spread(name: str, x: da.Array, axis: Axes, correction: float, keepdims: bool) -> da.Array:
    dtype = real_dtype(x.dtype)
    if not hasattr(correction, "__float__"):
        raise TypeError("correction is a real number")
    at_once = partial(kernel(name, x), correction=correction)
    last = partial(_spread_of_state, correction=correction, root=name == "std", to=dtype)
    return _moments(at_once, x, axis, keepdims, dtype, _squares_of_block, _joined_squares, last)


def _moments(
    at_once: Any, x: da.Array, axis: Axes, keepdims: bool, dtype: Any, chunk: Any, join: Any, last: Any
) -> da.Array:
    """Reduce by intermediate results that are tuples: a count, and arrays of the extent 1 along the axes."""
    return reduced(
        x, axis, keepdims, dtype, at_once, chunk, partial(_last, join=join, last=last), partial(_join, join=join),
        concatenate=False,
    )  # fmt: skip


def _join(states: Any, axis: Any, keepdims: bool, join: Any) -> tuple[Any, ...]:
    result: tuple[Any, ...] = functools.reduce(join, states)
    return result


def _last(states: Any, axis: tuple[int, ...], keepdims: bool, join: Any, last: Any) -> Any:
    result = last(_join(states, axis, True, join))
    return result if keepdims else result.squeeze(axis)


def _elements(x: np.ndarray, axis: tuple[int, ...]) -> int:
    return math.prod(x.shape[a] for a in axis)


def _sums_of_block(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> tuple[Any, ...]:
    return _elements(x, axis), np.add.reduce(x, axis, accumulator(x.dtype), None, True)


def _joined_sums(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return a[0] + b[0], a[1] + b[1]


def _mean_of_state(state: tuple[Any, ...], to: Any) -> Any:
    n, total = state
    if total.dtype.kind == "c":  # part by part: a complex division makes inf + 1j an inf + nanj
        total.real /= n
        total.imag /= n
        return total
    return (total / n).astype(to, copy=False)


def _squares_of_block(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> tuple[Any, ...]:
    """Return the number of elements, their mean, and the sum of the squared distances from it."""
    n = _elements(x, axis)
    if x.dtype.kind != "c":
        x = x.astype(accumulator(x.dtype), copy=False)
    center = np.add.reduce(x, axis, None, None, True)
    if not n:
        return 0, center, center.real
    center = center / n
    distance = x - center
    squares = distance.real**2 + distance.imag**2 if x.dtype.kind == "c" else distance * distance
    return n, center, np.add.reduce(squares, axis, None, None, True)


def _joined_squares(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """Join the squares of two samples, each with its own mean (Chan, Golub and LeVeque 1979)."""
    if not b[0] or not a[0]:
        return a if a[0] else b
    n = a[0] + b[0]
    step = b[1] - a[1]
    squared = step.real**2 + step.imag**2 if step.dtype.kind == "c" else step * step
    return n, a[1] + step * (b[0] / n), a[2] + b[2] + squared * (a[0] * b[0] / n)


def _spread_of_state(state: tuple[Any, ...], correction: float, root: bool, to: Any) -> Any:
    n, _, squares = state
    if n <= correction:
        return np.full_like(squares, np.nan, to)
    spread = squares / (n - correction)
    return (np.sqrt(spread) if root else spread).astype(to, copy=False)


# --- truth --------------------------------------------------------------------------------------------------------


def all(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    return reduced(x, axis, keepdims, BOOL, kernel("all", x), kernel("all", x), Kernel("all"))


def any(x: da.Array, *, axis: Axes = None, keepdims: bool = False) -> da.Array:
    return reduced(x, axis, keepdims, BOOL, kernel("any", x), kernel("any", x), Kernel("any"))
