"""Indexing and assignment on TensorFlow, whose own indexing takes no index arrays, and one mask at most."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow import raw_ops as ops

from ...backend.plain import NativeCall, comes_to, is_basic
from ...engine.keys.reading import (
    IndexArray,
    IndexPlan,
    check_bounds,
    check_values,
    read_split,
    split_key,
)
from .core import (
    STORAGE,
    broadcast_shape,
    count,
    custom_gradient,
    eager,
    expanded,
    extent,
    extents,
    flat,
    ints,
    kept,
    memory,
    native,
    on_bits,
    permuted,
    recorded,
    reshaped,
    scalar,
    shape_of,
)


def describe_index(k: Any) -> IndexArray | None:
    """Describe an index array to the reader of keys. Return None for anything else."""
    if not isinstance(k, tf.Tensor):
        return None
    shape = shape_of(k)
    if k.dtype == tf.bool:
        return IndexArray(shape, "b", k, selects=lambda: int(np.count_nonzero(memory(k))) if eager(k) else None)
    return IndexArray(shape, "i", k, bounds=lambda: _bounds(k))


def _bounds(positions: Any) -> tuple[int, int] | None:
    """Return the least and the greatest position; None inside `tf.function`, where there are no values."""
    if not eager(positions) or not positions.shape.num_elements():
        return None
    values = memory(positions)
    return int(values.min()), int(values.max())


def index_array(data: Any) -> tf.Tensor:
    data = native(data)
    if data.dtype == tf.uint64:  # clamp to the int64 maximum, so that they stay out of bounds
        data = ops.Minimum(x=data, y=_GREATEST)
    return data if data.dtype in (tf.bool, tf.int64) else ops.Cast(x=data, DstT=tf.int64)


# --- reading ------------------------------------------------------------------------------------------------------


def _plain_index(data: Any, key: Any) -> NativeCall | None:
    basic = data.shape.rank is not None and data.shape.rank <= _AXES_TO_SLICE and is_basic(key, data.shape.rank)
    return (operator.getitem, (data, key), {}) if basic else None


def index(data: Any, key: Any) -> tf.Tensor:
    """Read a key like NumPy."""
    if type(key) is int and 0 < data.shape.rank <= _AXES_TO_SLICE:
        return ops.StridedSlice(input=data, **_spec(1, (key,)))
    split, arrays = split_key(key, describe_index)
    if not arrays and _is_basic(data, split):
        return _strided(data, split)
    shape = shape_of(data)
    plan = read_split(shape, split)
    check_values(plan, shape, arrays)
    if len(split) == len(arrays) == 1 and plan.entries[0].kind != "bool":
        (array,) = arrays
        if array.kind == "i":
            return _gathered(data, array.data, 0)
        return ops.GatherV2(
            params=_leading(data, array.data), indices=flat(ops.Where(condition=flat(array.data))), axis=0
        )
    return _pick(*_arrays_and_axes(data, plan, arrays))


comes_to(index, _plain_index)


def _is_basic(data: Any, split: tuple[Any, ...]) -> bool:
    return read_split((None,) * len(shape_of(data)), split).index_shape is None


def _leading(data: Any, mask: Any) -> tf.Tensor:
    """Join the axes of a mask to one."""
    n = mask.shape.rank
    if n == 1:
        return data
    if None not in data.shape[n:]:
        return reshaped(data, (-1 if 0 not in data.shape else mask.shape.num_elements(), *data.shape[n:]))
    return tf.reshape(data, tf.concat([[-1], tf.shape(data)[n:]], 0))


def _arrays_and_axes(
    data: Any, plan: IndexPlan, index_arrays: Sequence[IndexArray]
) -> tuple[Any, list[tf.Tensor], list[int], int | None]:
    """Take the slices of a plan, and return what is left to do: index arrays for some axes, and their place.

    Returns the data with slices taken and axes added, the index arrays, the axis of each, and the position of the axes
    of the arrays in the result; None where they come first, as they do if they are apart.
    """
    slices: list[Any] = []
    arrays: list[tf.Tensor] = []
    axes: list[int] = []
    for kind, k, *_ in plan.entries:
        value = index_arrays[k.data].data if type(k) is IndexArray else k
        if kind == "ellipsis":
            continue
        if kind in ("slice", "newaxis"):
            slices.append(k)
            continue
        if kind == "bool":  # one element or none along a new axis
            found = [flat(ops.Where(condition=reshaped(value, (1,))))]
        elif kind == "mask":
            found = where_true(value)
        else:
            found = [value if kind == "array" else tf.constant(value, tf.int64)]
        axes += range(len(slices), len(slices) + len(found))
        slices += [None if kind == "bool" else slice(None)] * len(found)
        arrays += found
    if any(k is None or k != slice(None) for k in slices):
        data = sliced(data, slices)
    return data, arrays, axes, None if plan.separated else axes[0]


def where_true(mask: Any) -> list[tf.Tensor]:
    """Return the coordinates of true elements, axis by axis."""
    rank = mask.shape.rank
    if rank <= _AXES_TO_SLICE:
        return list(ops.Unpack(value=ops.Where(condition=mask), num=rank, axis=1))
    places = flat(ops.Where(condition=flat(mask)))
    found = []
    for n in reversed(mask.shape.as_list()):
        found.append(ops.FloorMod(x=places, y=max(n, 1)))
        places = ops.FloorDiv(x=places, y=max(n, 1))
    return found[::-1]


def _pick(data: Any, arrays: list[tf.Tensor], axes: list[int], place: int | None) -> tf.Tensor:
    """Gather the elements at positions given for some axes."""
    if len(arrays) == 1:
        taken = _gathered(data, arrays[0], axes[0])
        if place is None and axes[0]:
            n, k = data.shape.rank, arrays[0].shape.rank
            taken = permuted(taken, [*range(axes[0], axes[0] + k), *range(axes[0]), *range(axes[0] + k, n - 1 + k)])
        return taken
    positions = _coordinates(data, arrays, axes)
    others = [a for a in range(data.shape.rank) if a not in axes]
    turned = permuted(data, [*axes, *others])
    if turned.shape.num_elements() == 0 and 0 not in turned.shape[: len(axes)]:  # which the kernel refuses
        taken = tf.zeros(tf.concat([tf.shape(positions)[:-1], tf.shape(turned)[len(axes) :]], 0), data.dtype)
    else:
        taken = ops.GatherNd(params=turned, indices=positions)
    if not place:
        return taken
    k = positions.shape.rank - 1
    return permuted(taken, [*range(k, k + place), *range(k), *range(k + place, k + len(others))])


def _coordinates(data: Any, arrays: list[tf.Tensor], axes: list[int]) -> tf.Tensor:
    """Broadcast index arrays and stack them as coordinates along a last axis."""
    shape = broadcast_shape(arrays)
    static = not isinstance(shape, tf.Tensor)
    positions = [_from_start(a, data, i) for a, i in zip(arrays, axes, strict=True)]
    return ops.Pack(values=[p if static and p.shape == shape else expanded(p, shape) for p in positions], axis=-1)


def _from_start(positions: Any, data: Any, axis: int) -> tf.Tensor:
    """Return positions counted from the start."""
    if eager(positions) and (not positions.shape.num_elements() or memory(positions).min() >= 0):
        return positions
    wrapped = ops.AddV2(x=positions, y=extent(data, axis))
    return ops.SelectV2(condition=ops.Less(x=positions, y=0), t=wrapped, e=positions)


def _gathered(data: Any, positions: Any, axis: int, batch: int = 0) -> tf.Tensor:
    return ops.GatherV2(params=data, indices=_from_start(positions, data, axis), axis=axis, batch_dims=batch)


def along(data: Any, positions: Any, axis: int, batch: int = 0) -> tf.Tensor:
    """Gather the elements at positions along one axis; `batch` axes in front go in pairs."""
    check_bounds(_bounds(positions), data.shape[axis], axis)
    return _gathered(data, positions, axis, batch)


# --- slices -------------------------------------------------------------------------------------------------------


def sliced(data: Any, keys: Sequence[Any]) -> tf.Tensor:
    """Slice by ints, slices, None and one ellipsis."""
    return _strided(data, split_key(tuple(keys))[0])


def part(data: Any, start: int | None, stop: int | None) -> tf.Tensor:
    """Slice the first axis."""
    return ops.StridedSlice(input=data, **_spec(1, ((start, stop, None),)))


def _strided(data: Any, split: tuple[Any, ...]) -> tf.Tensor:
    rank = data.shape.rank
    if rank > _AXES_TO_SLICE:
        return _strided_in_turns(data, read_split(shape_of(data), split))
    return ops.StridedSlice(input=data, **_spec(rank, split)) if split else native(data)


_AXES_TO_SLICE = 8  # the kernel takes no more
_LEAST, _GREATEST = -(2**63), 2**63 - 1


def _slice_of(rank: int, split: tuple[Any, ...]) -> dict[str, Any]:
    """Return the arguments of TensorFlow's strided slice. Its kernel checks the bounds."""
    begin, end, strides = [], [], []
    masks = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
    entries = [entry for entry in read_split((None,) * rank, split).entries if entry.kind != "ellipsis"]
    for i, (kind, k, axis, *_) in enumerate(entries):
        first, last, step = 0, 0, 1
        if kind == "newaxis":
            masks["new_axis_mask"] |= 1 << i
        elif kind == "slice":
            first, last, step = (min(max(b or 0, _LEAST), _GREATEST) for b in (k.start, k.stop, k.step))
            step = step or 1
            masks["begin_mask"] |= (k.start is None) << i
            masks["end_mask"] |= (k.stop is None) << i
        elif _LEAST <= k < _GREATEST:
            first, last = k, k + 1
            masks["shrink_axis_mask"] |= 1 << i
        else:
            raise IndexError(f"index {k} is out of bounds for axis {axis}")
        begin.append(first)
        end.append(last)
        strides.append(step)
    first, last, steps = (ints(tuple(bounds), tf.int64) for bounds in (begin, end, strides))
    return {"begin": first, "end": last, "strides": steps, **masks}


_spec = kept(4096, _slice_of)


def _strided_in_turns(data: Any, plan: IndexPlan) -> tf.Tensor:
    """Slice one axis after the other, with the axes before it joined to one axis and those after it to another."""
    done: list[int] = []
    left = data.shape.as_list()
    for kind, k, *_ in plan.entries:
        if kind == "newaxis":
            done.append(1)
        elif kind == "slice" and k == slice(None):
            done.append(left.pop(0))
        elif kind != "ellipsis":
            n = left.pop(0)
            data = sliced(reshaped(data, (math.prod(done), n, math.prod(left))), (slice(None), k))
            if kind == "slice":
                done.append(data.shape[1])
    return reshaped(data, done)


# --- writing ------------------------------------------------------------------------------------------------------


def assign(data: Any, key: Any, value: Any) -> tf.Tensor:
    """Return a new tensor: the elements at the key come from the value."""
    data = native(data)
    value = native(value) if hasattr(value, "dtype") else scalar(data.dtype)(value)
    if data.dtype in STORAGE:
        return on_bits(lambda _: lambda d, v: assign(d, key, v), data.dtype)(data, value)
    split, arrays = split_key(key, describe_index)
    if not arrays and _is_basic(data, split):
        return _assign_slice(data, split, key, value)
    shape = shape_of(data)
    plan = read_split(shape, split)
    check_values(plan, shape, arrays)
    if len(split) == len(arrays) == 1 and plan.entries[0].kind != "bool":
        array = arrays[0].data
        if array.dtype != tf.bool:
            places = ops.ExpandDims(input=_from_start(array, data, 0), axis=-1)
        else:
            if array.shape.rank > _AXES_TO_SLICE:
                return _assign_flat(data, key, value)
            if not value.shape.rank and array.shape.rank == data.shape.rank and 0 not in array.shape:
                return ops.SelectV2(condition=array, t=value, e=data)
            places = ops.Where(condition=array)
        return _scattered(data, places, value)
    return _assign_flat(data, key, value)


def _assign_flat(data: tf.Tensor, key: Any, value: tf.Tensor) -> tf.Tensor:
    """Write to positions in the flattened array."""
    size = extent(flat(data), 0)
    places = index(reshaped(count(size), extents(data)), key)
    result = _scattered(flat(data), ops.ExpandDims(input=places, axis=-1), value)
    return reshaped(result, extents(data))


def _scattered(data: tf.Tensor, places: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
    """Write the value to the coordinates along the last axis of `places`."""
    rest = data.shape[places.shape[-1] :]
    shape = places.shape[:-1].concatenate(rest)
    if not shape.is_fully_defined():
        shape = tf.concat([tf.shape(places, tf.int64)[:-1], tf.shape(data, tf.int64)[places.shape[-1] :]], 0)
    elif shape.num_elements() == 0:
        _fitting(value, shape)
        return data
    updates = _fitting(value, shape)
    if places.shape.rank == 1:  # one place, which the kernel takes for none
        places, updates = (ops.ExpandDims(input=x, axis=0) for x in (places, updates))
    if not eager(places):  # in tf.vectorized_map, the kernel takes places of 32 bits alone
        places = ops.Cast(x=places, DstT=tf.int32)
    return replaced(data, places, updates)


def replaced(data: tf.Tensor, places: tf.Tensor, updates: tf.Tensor) -> tf.Tensor:
    """Write to the coordinates along the last axis of `places`. Of what is written to one place the last stays, and it
    alone has a derivative: TensorFlow's goes to all."""
    if not recorded() or not (data.dtype.is_floating or data.dtype.is_complex):
        return ops.TensorScatterUpdate(tensor=data, indices=places, updates=updates)

    @custom_gradient
    def written(data: tf.Tensor, updates: tf.Tensor) -> Any:
        def back(g: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            shape = tf.shape(places)[:-1]
            numbers = tf.reshape(tf.range(tf.reduce_prod(shape)), shape)
            board = tf.zeros(tf.shape(data)[: places.shape[-1]], tf.int32)
            board = ops.TensorScatterUpdate(tensor=board, indices=places, updates=numbers)
            last = tf.equal(tf.gather_nd(board, places), numbers)
            last = tf.reshape(last, tf.concat([shape, tf.ones(updates.shape.rank - shape.shape[0], tf.int32)], 0))
            zeros = tf.zeros_like(updates)
            others = ops.TensorScatterUpdate(tensor=g, indices=places, updates=zeros)
            mine = tf.gather_nd(g, places[None])[0]  # the extra axis keeps the derivative of this a dense tensor
            return others, tf.where(last, mine, zeros)

        return ops.TensorScatterUpdate(tensor=data, indices=places, updates=updates), back

    return written(data, updates)


def _assign_slice(data: tf.Tensor, split: tuple[Any, ...], key: Any, value: tf.Tensor) -> tf.Tensor:
    if data.shape.rank > _AXES_TO_SLICE:
        return _assign_flat(data, key, value)
    # The kernel takes a value of the slice's shape alone, but for the axes that an int or None takes or adds.
    target = _strided(data, split)
    fitting = _fitting(value, extents(target))
    if not data.shape.rank:
        return reshaped(fitting, ())
    plain = tuple([(k, k + 1 or None, None) if type(k) is int else k for k in split if k is not None])
    if target.shape.rank != data.shape.rank or None in split:
        fitting = reshaped(fitting, extents(_strided(data, plain)))
    return ops.TensorStridedSliceUpdate(input=data, value=fitting, **_spec(data.shape.rank, plain))


def _fitting(value: tf.Tensor, shape: Any) -> tf.Tensor:
    """Broadcast the value to the shape of its places; axes of extent 1 in front of it are dropped."""
    rank = shape.shape[0] if isinstance(shape, tf.Tensor) else len(shape)
    while value.shape.rank > rank and value.shape[0] == 1:
        value = ops.Squeeze(input=value, axis=[0])
    static = not isinstance(shape, tf.Tensor)
    return value if static and value.shape == shape else expanded(value, shape)
