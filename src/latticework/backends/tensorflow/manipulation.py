"""Manipulation and indexing functions on TensorFlow."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.arguments import check_order, take_axis
from ...core.dtypes import uint16
from .core import (
    EMULATED,
    axis_tensor,
    chosen,
    count,
    duplicate,
    eager,
    expanded,
    extent,
    extents,
    flat,
    ints,
    joined,
    order_to_end,
    permuted,
    places,
    reshaped,
)  # fmt: skip
from .creation import Like, known_shape
from .indexing import along, sliced

Axes = int | tuple[int, ...]


def through_signed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that moves uint16 as the same bits in int16."""

    def call(x: Any, *args: Any, **kw: Any) -> Any:
        if isinstance(x, list):
            result = function([ops.Bitcast(input=a, type=tf.int16) for a in x], *args, **kw)
        else:
            result = function(ops.Bitcast(input=x, type=tf.int16), *args, **kw)
        return ops.Bitcast(input=result, type=tf.uint16)

    return call


def broadcast_to(x: Any, shape: Axes) -> tf.Tensor:
    if isinstance(shape, Like):
        result = expanded(x, shape.extents)
        result.set_shape(shape)  # as far as it is known
        return result
    wanted = known_shape(shape)
    if any(n < 0 for n in wanted):  # -1 would keep the extent
        raise ValueError(f"negative extents in shape {wanted}")
    return expanded(x, wanted)


def concat(arrays: Sequence[Any], *, axis: int | None = 0) -> tf.Tensor:
    if axis is None:
        arrays, axis = [flat(x) for x in arrays], 0
    if len({x.shape.rank for x in arrays}) > 1:
        raise ValueError(f"all arrays must have the same number of dimensions; got {[x.shape.rank for x in arrays]}")
    (axis,) = places(axis, arrays[0].shape.rank)
    return joined(arrays, axis)


def expand_dims(x: Any, axis: Axes) -> tf.Tensor:
    if isinstance(axis, int):
        return ops.ExpandDims(input=x, axis=axis)
    for a in sorted(places(axis, x.shape.rank + len(axis))):
        x = ops.ExpandDims(input=x, axis=a)
    return x


def flip(x: Any, *, axis: Axes | None = None) -> tf.Tensor:
    axes = axis_tensor(axis, x.shape.rank)
    if x.shape.rank > 8:  # the kernel takes no more
        along = places(axis, x.shape.rank)
        return sliced(x, [slice(None, None, -1 if a in along else None) for a in range(x.shape.rank)])
    return ops.ReverseV2(tensor=x, axis=axes) if axes.shape[0] else x


def moveaxis(x: Any, source: Axes, destination: Axes) -> tf.Tensor:
    n = x.shape.rank
    sources, destinations = places(source, n), places(destination, n)
    if len(sources) != len(destinations):
        raise ValueError(f"{len(sources)} axes to move and {len(destinations)} destinations")
    order = [a for a in range(n) if a not in sources]
    for to, a in sorted(zip(destinations, sources, strict=True)):
        order.insert(to, a)
    return permuted(x, order)


def permute_dims(x: Any, axes: tuple[int, ...]) -> tf.Tensor:
    if len(axes) != x.shape.rank:
        raise ValueError(f"axes {axes} are not a permutation of {x.shape.rank} axes")
    return permuted(x, places(tuple(axes), x.shape.rank))


def repeat(x: Any, repeats: Any, *, axis: int | None = None) -> tf.Tensor:
    if axis is None:
        x, axis = flat(x), 0
    (axis,) = places(axis, x.shape.rank)
    n = extent(x, axis)
    if repeats.shape.rank > 1 or (repeats.shape.num_elements() or 1) not in (1, x.shape[axis] or 1):
        raise ValueError(f"repeats must be one integer or one for each of {n} elements; got shape {repeats.shape}")
    if eager(repeats) and eager(negative := ops.Less(x=repeats, y=0)) and chosen(negative):
        raise ValueError("repeats must not be negative")
    if eager(repeats) and not repeats.shape.rank and x.shape.is_fully_defined():
        k, shape = int(repeats), x.shape.as_list()
        wide = expanded(ops.ExpandDims(input=x, axis=axis + 1), (*shape[: axis + 1], k, *shape[axis + 1 :]))
        return reshaped(wide, (*shape[:axis], n * k, *shape[axis + 1 :]))
    # The position in x that each element of the result comes from.
    each = expanded(repeats, (n,) if isinstance(n, int) else tf.reshape(n, (1,)))
    ends = ops.ExpandDims(input=ops.Cumsum(x=each, axis=0), axis=0)
    numbers = count(ops.Sum(input=each, axis=0))
    origins = ops.UpperBound(sorted_inputs=ends, values=ops.ExpandDims(input=numbers, axis=0), out_type=tf.int64)
    return ops.GatherV2(params=x, indices=flat(origins), axis=axis)


def reshape(x: Any, shape: Axes, *, copy: bool | None = None, order: Literal["C", "F"] = "C") -> tf.Tensor:
    check_order(order)
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    wanted = _wanted(extents if None in extents else tuple(map(operator.index, extents)))  # 2.0 would be found as 2
    if order == "F":
        turned = ops.Transpose(x=x, perm=_backwards(x.shape.rank))
        return ops.Transpose(x=reshaped(turned, wanted[::-1]), perm=_backwards(len(wanted)))
    result = ops.Reshape(tensor=x, shape=ints(wanted, tf.int64))
    return duplicate(result) if copy else result


@lru_cache(1024)
def _wanted(wanted: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the wanted shape; None can stand for one extent, which TensorFlow finds."""
    if -1 in wanted and 0 in wanted:
        raise ValueError(f"the extent -1 in shape {wanted} could be any beside 0")
    if wanted.count(None) == 1 and -1 not in wanted:
        wanted = tuple([-1 if n is None else n for n in wanted])
    return known_shape(wanted)


def _backwards(rank: int) -> tf.Tensor:
    return ints(tuple(range(rank))[::-1])


def roll(x: Any, shift: Axes, *, axis: Axes | None = None) -> tf.Tensor:
    if axis is None:
        total = shift if isinstance(shift, int) else builtins.sum(shift)
        result = ops.Roll(input=flat(x), shift=ints((total,), tf.int64), axis=ints((0,)))
        return reshaped(result, extents(x))
    axes = [axis] if isinstance(axis, int) else [*axis]
    shifts = [shift] * len(axes) if isinstance(shift, int) else [*shift]
    axes = axes * len(shifts) if len(axes) == 1 else axes
    if len(axes) != len(shifts):
        raise ValueError(f"{len(shifts)} shifts for {len(axes)} axes")
    axes = [places(a, x.shape.rank)[0] for a in axes]
    return ops.Roll(input=x, shift=ints(tuple(shifts), tf.int64), axis=ints(tuple(axes))) if axes else x


def squeeze(x: Any, axis: Axes) -> tf.Tensor:
    axes = places(axis, x.shape.rank)
    for a in axes:
        if x.shape[a] not in (1, None):
            raise ValueError(f"axis {a} has extent {x.shape[a]}, not 1")
    return ops.Squeeze(input=x, axis=[*axes]) if axes else x


def stack(arrays: Sequence[Any], *, axis: int = 0) -> tf.Tensor:
    (axis,) = places(axis, arrays[0].shape.rank + 1)
    return ops.Pack(values=arrays, axis=axis)


def tile(x: Any, repetitions: Axes) -> tf.Tensor:
    counts = [repetitions] if isinstance(repetitions, int) else [*repetitions]
    n = x.shape.rank
    counts = [1] * (n - len(counts)) + counts
    if len(counts) > n:
        x = sliced(x, (None,) * (len(counts) - n))
    return ops.Tile(input=x, multiples=ints(tuple(counts), tf.int64))


def unstack(x: Any, *, axis: int = 0) -> tuple[tf.Tensor, ...]:
    (axis,) = places(axis, x.shape.rank)
    (n,) = known_shape(x.shape[axis : axis + 1])
    return tuple(ops.Unpack(value=x, num=n, axis=axis))


def take(x: Any, indices: Any, *, axis: int | None = None) -> tf.Tensor:
    if axis is None:
        axis = take_axis(x.shape.rank)
    (axis,) = places(axis, x.shape.rank)
    return along(x, indices, axis)


def take_along_axis(x: Any, indices: Any, *, axis: int = -1) -> tf.Tensor:
    """Gather along the last axis: the others are its batch."""
    n = x.shape.rank
    if n != indices.shape.rank:
        raise ValueError(f"indices must have as many axes as the array, {n}; got shape {tuple(indices.shape)}")
    order, back = order_to_end(axis, n)
    x, indices = permuted(x, order), permuted(indices, order)
    if x.shape[:-1] != indices.shape[:-1] or not x.shape[:-1].is_fully_defined():
        x, indices = _same_batch(x, indices)
    return permuted(along(x, indices, n - 1, n - 1), back)


def _same_batch(x: tf.Tensor, indices: tf.Tensor) -> list[tf.Tensor]:
    """Broadcast both to the same shape except for the last axis."""
    static = tf.broadcast_static_shape(x.shape[:-1], indices.shape[:-1])
    if static.is_fully_defined() and None not in (x.shape[-1], indices.shape[-1]):
        return [expanded(a, static.concatenate(a.shape[-1:])) for a in (x, indices)]
    batch = tf.broadcast_dynamic_shape(tf.shape(x, tf.int64)[:-1], tf.shape(indices, tf.int64)[:-1])
    result = [expanded(a, tf.concat([batch, tf.shape(a, tf.int64)[-1:]], 0)) for a in (x, indices)]
    for a, b in zip(result, (x, indices), strict=True):
        a.set_shape(static.concatenate(b.shape[-1:]))
    return result


EMULATED["tile", uint16] = through_signed(tile)
# The same array twice becomes a tile when a tf.function is optimised.
EMULATED["stack", uint16] = through_signed(stack)
