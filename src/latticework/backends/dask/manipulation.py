"""Manipulation functions on Dask. Chunks stay as they are where they can; where axes are joined or split, the chunks
along them are joined first."""

from __future__ import annotations

import operator
from typing import Any, Literal

import dask.array as da
import numpy as np

from ...backend.arguments import check_order, check_shifts, with_ends
from .blocks import (
    BOOL,
    UNKNOWN,
    at_hand,
    axes_of,
    axis_of,
    broadcast_shape,
    by_block,
    call,
    is_known,
    kernel,
    require_known,
    reshaped,
    whole,
)
from .core import shape_of
from .creation import Like

Axes = int | tuple[int, ...]


def broadcast_to(x: da.Array, shape: Axes) -> da.Array:
    if isinstance(shape, Like):
        return _as_like(x, shape)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if shape == shape_of(x):
        return x
    if any(n is not None and n < 0 for n in shape):
        raise ValueError("all elements of the shape must be non-negative")
    if None in shape:
        raise ValueError("an extent of the shape is not known until the array that it comes from is computed")
    require_known(x)
    if 0 in shape or shape[: len(shape) - x.ndim] + x.shape == shape:
        return da.broadcast_to(x, shape)
    new = len(shape) - x.ndim
    wanted = ["auto" if a < new or x.shape[a - new] != n else x.chunks[a - new] for a, n in enumerate(shape)]
    return da.broadcast_to(x, shape, chunks=da.core.normalize_chunks(wanted, shape, dtype=x.dtype))


def _as_like(x: da.Array, shape: Like) -> da.Array:
    """Broadcast x to this shape, in the chunks of its array."""
    target = shape.of
    if is_known(target):
        require_known(x)
        return da.broadcast_to(x, tuple(shape), chunks=target.chunks)
    if len(broadcast_shape(x.shape, target.shape)) > target.ndim:
        raise ValueError(f"could not broadcast an array of {x.ndim} axes to {target.ndim}")
    return by_block(_block_like, x.dtype, x, target)


def _block_like(block: np.ndarray, like: np.ndarray) -> np.ndarray:
    return np.broadcast_to(block, like.shape)


def concat(arrays: list[da.Array], *, axis: int | None = 0) -> da.Array:
    if axis is None:
        arrays, axis = [reshape(x, (-1,)) for x in arrays], 0
    if not arrays[0].ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(arrays[0], axis)
    for x in arrays[1:]:
        if x.ndim != arrays[0].ndim or any(
            n != m
            for a, (n, m) in enumerate(zip(x.shape, arrays[0].shape, strict=True))
            if a != axis and n == n and m == m
        ):
            raise ValueError(f"shapes {arrays[0].shape} and {x.shape} do not match")
    if len(arrays) == 1:
        return arrays[0]
    return da.concatenate(arrays, axis, allow_unknown_chunksizes=not all(map(is_known, arrays)))


def diff(x: da.Array, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> da.Array:
    """Subtract neighbours, in the chunks of x; the last chunk along the axis has fewer elements."""
    if n < 0:
        raise ValueError("n must not be negative")
    axis = axis_of(x, axis)
    x = with_ends(x, axis, prepend, append, da.broadcast_to, lambda parts, axis: concat(parts, axis=axis))
    require_known(x, (axis,))
    before = (slice(None),) * axis
    function = kernel("not_equal" if x.dtype == BOOL else "subtract", x)
    for _ in range(n):
        first = x[(*before, slice(None, -1))]
        second = x[(*before, slice(1, None))].rechunk({axis: first.chunks[axis]})
        x = by_block(function, x.dtype, second, first)
    return x


def expand_dims(x: da.Array, axis: Axes) -> da.Array:
    axes = axis if isinstance(axis, tuple) else (axis,)
    ndim = x.ndim + len(axes)
    places = axes_of(ndim, axes)
    return x[tuple([None if a in places else slice(None) for a in range(ndim)])]


def flip(x: da.Array, *, axis: Axes | None = None) -> da.Array:
    axes = axes_of(x.ndim, axis)
    require_known(x, axes)
    return x[tuple([slice(None, None, -1 if a in axes else None) for a in range(x.ndim)])]


def moveaxis(x: da.Array, source: Axes, destination: Axes) -> da.Array:
    return da.moveaxis(x, source, destination)


def permute_dims(x: da.Array, axes: tuple[int, ...]) -> da.Array:
    if len(axes) != x.ndim:
        raise ValueError("axes don't match array")
    return da.transpose(x, axes_of(x.ndim, tuple(axes)))


def repeat(x: da.Array, repeats: da.Array | int, *, axis: int | None = None) -> da.Array:
    """Repeat block by block. The extents are not known where the repeats are an array that is not computed yet."""
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    axis = axis_of(x, axis)
    if isinstance(repeats, int):
        return _repeat_evenly(x, repeats, axis)
    if repeats.ndim > 1:
        raise ValueError("repeats must have one axis or none")
    counts = at_hand(repeats)
    if repeats.ndim == 0 or repeats.shape == (1,):
        if counts is not None:
            return _repeat_evenly(x, int(counts.ravel()[0]), axis)
        repeats, places, extents = whole(repeats), (x.ndim,) * repeats.ndim, [UNKNOWN] * x.numblocks[axis]
    else:
        broadcast_shape((x.shape[axis],), repeats.shape)
        places, extents = (axis,), [UNKNOWN] * x.numblocks[axis]
        if counts is not None:
            if counts.size and counts.min() < 0:
                raise ValueError("repeats may not contain negative values.")
            ends = np.cumsum(x.chunks[axis])[:-1]
            extents = [int(part.sum()) for part in np.split(counts, ends)]
            repeats = repeats.rechunk((x.chunks[axis],))
        elif x.numblocks[axis] != repeats.numblocks[0]:  # unified chunks have as many unknown extents
            require_known(x, (axis,))
            require_known(repeats)
            repeats = repeats.rechunk((x.chunks[axis],))
    every = tuple(range(x.ndim))
    return call(
        np.repeat, every, x, every, repeats, places, dtype=x.dtype, axis=axis, concatenate=True,
        adjust_chunks={axis: tuple(extents)},
    )  # fmt: skip


def _repeat_evenly(x: da.Array, n: int, axis: int) -> da.Array:
    if n < 0:
        raise ValueError("repeats may not contain negative values.")
    every = tuple(range(x.ndim))
    return call(np.repeat, every, x, every, n, None, axis=axis, dtype=x.dtype, adjust_chunks={axis: lambda m: n * m})


def reshape(x: da.Array, shape: Axes, *, copy: bool | None = None, order: Literal["C", "F"] = "C") -> da.Array:
    check_order(order)
    if copy is False:
        raise ValueError("copy=False, but a lazy array has no memory yet to share")
    shape = (shape,) if isinstance(shape, int) else tuple(map(operator.index, shape))  # 2.0 would pass for 2
    if shape == (-1,) == (-1,) * x.ndim:
        return x
    require_known(x)
    if order == "F":
        return _reshape(x.T, shape[::-1]).T
    return _reshape(x, shape)


def _reshape(x: da.Array, shape: tuple[int, ...]) -> da.Array:
    if any(n < -1 for n in shape):
        raise ValueError("negative dimensions not allowed")
    if -1 in shape:
        others = int(np.prod([n for n in shape if n != -1], dtype=object))
        if shape.count(-1) > 1 or not others or x.size % others:
            raise ValueError(f"cannot reshape array of size {x.size} into shape {shape}")
        shape = tuple([x.size // others if n == -1 else n for n in shape])
    return reshaped(x, shape)


def roll(x: da.Array, shift: Axes, *, axis: Axes | None = None) -> da.Array:
    if axis is None:
        return _reshape(roll(reshape(x, (-1,)), shift, axis=0), x.shape)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
    check_shifts(shift, axis)
    if not axes or not shifts:
        return x
    for by, a in zip(shifts * (len(axes) // len(shifts) or 1), axes * (len(shifts) // len(axes) or 1), strict=True):
        a = axis_of(x, a)
        require_known(x, (a,))
        if x.shape[a] and by % x.shape[a]:
            before = (slice(None),) * a
            at = x.shape[a] - by % x.shape[a]
            x = da.concatenate([x[(*before, slice(at, None))], x[(*before, slice(None, at))]], a).rechunk(
                {a: x.chunks[a]}
            )
    return x


def squeeze(x: da.Array, axis: Axes) -> da.Array:
    axes = axes_of(x.ndim, axis)
    if any(x.shape[a] != 1 for a in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return x[tuple([0 if a in axes else slice(None) for a in range(x.ndim)])]


def stack(arrays: list[da.Array], *, axis: int = 0) -> da.Array:
    if len({shape_of(x) for x in arrays}) > 1:
        raise ValueError("all input arrays must have the same shape")
    (place,) = axes_of(arrays[0].ndim + 1, (axis,))
    return concat([expand_dims(x, place) for x in arrays], axis=place)


def tile(x: da.Array, repetitions: Axes) -> da.Array:
    repetitions = (repetitions,) if isinstance(repetitions, int) else tuple(repetitions)
    ndim = max(x.ndim, len(repetitions))
    x = x[(None,) * (ndim - x.ndim)]
    for axis, n in enumerate((1,) * (ndim - len(repetitions)) + repetitions):
        if n < 0:
            raise ValueError("repetitions must not be negative")
        x = x[(*(slice(None),) * axis, slice(0, 0))] if n == 0 else da.concatenate([x] * n, axis) if n > 1 else x
    return x


def unstack(x: da.Array, *, axis: int = 0) -> tuple[da.Array, ...]:
    axis = axis_of(x, axis)
    require_known(x, (axis,))
    return tuple([x[(*(slice(None),) * axis, i)] for i in range(x.shape[axis])])


def in_blocks_of(x: da.Array, other: da.Array) -> da.Array:
    """Return an array in the blocks of another of its shape, whatever blocks it was made in."""
    return x.rechunk(other.chunks)
