"""Indexing and assignment on Dask. Positions are checked when they are computed."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ...backend.arguments import take_axis
from ...engine.keys.reading import Entry, IndexArray, IndexPlan, check_bounds, check_value, read_key
from .blocks import (
    INDEX,
    UNKNOWN,
    at_hand,
    axis_of,
    broadcast_shape,
    by_block,
    call,
    is_known,
    leaves,
    positions,
    require_known,
    reshaped,
)  # fmt: skip
from .core import of_blocks, scalar, shape_of
from .searching import nonzero


def describe_index(k: Any) -> IndexArray | None:
    """Describe an index array to the reader of keys. Return None for anything else."""
    if not isinstance(k, da.Array):
        return None
    if k.dtype == bool:
        return IndexArray(shape_of(k), "b", k, selects=partial(_count_at_hand, k))
    return IndexArray(shape_of(k), "i", k, bounds=partial(_bounds_at_hand, k))


def _count_at_hand(mask: da.Array) -> int | None:
    values = at_hand(mask)
    return None if values is None else int(np.count_nonzero(values))


def _bounds_at_hand(k: da.Array) -> tuple[int, int] | None:
    values = at_hand(k)
    return None if values is None else _bounds(values)


def _bounds(k: Any) -> tuple[int, int] | None:
    return (int(np.min(k)), int(np.max(k))) if np.size(k) else None


def index_array(data: da.Array) -> da.Array:
    return data


# --- reading ------------------------------------------------------------------------------------------------------


def index(data: da.Array, key: Any) -> da.Array:
    plan = read_key(shape_of(data), key, describe_index, values=True, count=True)
    if plan.index_shape is None:
        return _basic(data, plan.key)
    kinds = [entry.kind for entry in plan.entries if entry.kind in ("int", "array", "mask", "bool")]
    if kinds in (["mask"], ["bool"]):
        return _masked(data, plan)
    return _fancy(data, plan)


def _basic(data: da.Array, keys: Any) -> da.Array:
    """Read a key of ints, slices and None."""
    plain: list[Any] = []
    for kind, k, axis, _, _, span in read_key(shape_of(data), tuple(keys)).entries:
        if kind == "int" or (kind == "slice" and k != slice(None)):
            require_known(data, (axis,))
        if kind != "ellipsis":
            plain.append(k if kind != "slice" or span is None else _within(span))
    return data[tuple(plain)]


def _within(span: range) -> slice:
    """Return the slice of these positions, with bounds within the axis. In backward slices, Dask takes a start before
    it for the end: https://github.com/dask/dask/issues/10555 and https://github.com/dask/dask/issues/3579."""
    if not span:
        return slice(0, 0)
    return slice(
        span[0], None if span.step < 0 and span[-1] == 0 else span[-1] + (1 if span.step > 0 else -1), span.step
    )


def _masked(data: da.Array, plan: IndexPlan) -> da.Array:
    """Read a key with one mask: it selects elements of each block, of a number not known before."""
    entries = [entry for entry in plan.entries if entry.kind != "ellipsis"]
    at = next(i for i, entry in enumerate(entries) if entry.kind in ("mask", "bool"))
    _, described, before, width, place, _ = entries[at]
    mask: Any = described if isinstance(described, bool) else described.data
    others: list[Any] = [entry.value for entry in entries]
    others[at : at + 1] = _spans(width)
    if not width:  # True and False: a new axis with an element, or none
        result = _basic(data, others)
        if not isinstance(mask, bool) and (values := at_hand(mask)) is not None:
            mask = bool(values)
        if isinstance(mask, bool):
            return result if mask else result[(*(slice(None),) * place, slice(0, 0))]
        return _selected(result, mask[None], place)
    if 0 in mask.shape:
        return _fancy(data, plan)
    if width > 1:
        require_known(data, range(before, before + width))
        require_known(mask)
        size = math.prod(mask.shape)
        data = reshaped(data, (*data.shape[:before], size, *data.shape[before + width :]))
        values = at_hand(mask)
        mask = reshaped(mask, (size,)) if values is None else from_array(values.reshape(-1))
        del others[at + 1 : at + width]
    return _selected(_basic(data, others), mask, place)


def _selected(data: da.Array, mask: da.Array, axis: int) -> da.Array:
    every = tuple(range(data.ndim))
    extents: Any = lambda n: UNKNOWN  # noqa: E731
    if (values := at_hand(mask)) is not None and is_known(data, (axis,)):
        mask = mask.rechunk((data.chunks[axis],))
        extents = tuple([int(part.sum()) for part in np.split(values, np.cumsum(data.chunks[axis])[:-1])])
    return call(
        _compress, every, data, every, mask, (axis,), axis=axis, dtype=data.dtype, adjust_chunks={axis: extents}
    )


def _compress(block: np.ndarray, mask: np.ndarray, axis: int) -> np.ndarray:
    found: np.ndarray = block[(*(slice(None),) * axis, mask)]
    return found


def _fancy(data: da.Array, plan: IndexPlan) -> da.Array:
    """Read a key with index arrays. Ints count as index arrays for the place of the new axes."""
    simple: list[Any] = []  # the keys of the axes that no array is for
    arrays: dict[int, da.Array] = {}  # axis after that -> positions
    after = 0
    for kind, k, axis, width, _, _ in plan.entries:
        if kind in ("array", "mask", "bool"):
            arrays.update(enumerate(_positions_of(k, data, axis, plan), after))
            simple += _spans(width)
            after += width or 1
        elif kind != "ellipsis":
            simple.append(k)
            after += kind != "int"
    return gather(_basic(data, simple), arrays, plan.index_axis)


def _spans(width: int) -> list[Any]:
    """Return the keys that leave the axes of an index array as they are; a new axis for a bool."""
    return [slice(None)] * width or [None]


def _positions_of(k: bool | IndexArray, data: da.Array, axis: int, plan: IndexPlan) -> tuple[da.Array, ...]:
    """Return the positions along each axis of an index array or a mask."""
    shape = plan.index_shape or ()
    if 0 in shape and None not in shape:  # nothing is selected, and no position is out of bounds
        several = len(k.shape) if isinstance(k, IndexArray) and k.kind == "b" else 1
        return (da.zeros(shape, dtype=INDEX),) * max(several, 1)
    if isinstance(k, bool):
        return (da.zeros(int(k), dtype=INDEX),)
    if k.kind == "i":
        return (checked(k.data, data, axis),)
    if (values := at_hand(k.data)) is not None:
        return tuple([from_array(found) for found in np.atleast_1d(values).nonzero()])
    return nonzero(k.data) if k.shape else nonzero(k.data[None])


def checked(k: da.Array, data: da.Array, axis: int) -> da.Array:
    """Return positions as int64 from 0 on, checked: Dask disregards those that are out of bounds,
    https://github.com/dask/dask/issues/8229."""
    require_known(data, (axis,))
    if (values := at_hand(k)) is not None:
        return from_array(_from_start(values, data.shape[axis], axis))
    return by_block(_from_start, INDEX, k, n=data.shape[axis], axis=axis)


def _from_start(k: Any, n: int, axis: int) -> Any:
    check_bounds(_bounds(k), n, axis)
    k = np.asarray(k).astype(INDEX)
    return np.where(k < 0, k + n, k)


def gather(data: da.Array, arrays: dict[int, da.Array], place: int) -> da.Array:
    """Gather the elements at positions along some axes; the arrays of positions broadcast together.

    Each block of data gives its elements for each block of positions. Where data is one block along these axes, that is
    the result.
    """
    if len(arrays) == 1:
        ((axis, k),) = arrays.items()
        if k.ndim == 1 and data.numblocks[axis] > 1 and (values := at_hand(k)) is not None:
            result = data[(*(slice(None),) * axis, values)]
            return result if place == axis else da.moveaxis(result, axis, place)
    shape = broadcast_shape(*[k.shape for k in arrays.values()])
    axes = tuple(arrays)
    every, new = tuple(range(data.ndim)), tuple(range(data.ndim, data.ndim + len(shape)))
    kept = [a for a in every if a not in arrays]
    out = (*kept[:place], *new, *kept[place:])
    pairs = [p for k in arrays.values() for p in (k, new[len(new) - k.ndim :])]
    if all(data.numblocks[a] == 1 for a in axes):
        return call(
            partial(_gather, axes=axes, place=place), out, data, every, *pairs, dtype=data.dtype, concatenate=True
        )
    places = [p for a in axes for p in (positions(data.chunks[a]), (a,))]
    some = call(partial(_some_of_block, axes=axes), (*every, *new), data, every, *places, *pairs, dtype=object)
    return call(partial(_all_of_blocks, place=place), out, some, (*every, *new), dtype=data.dtype)


def _some_of_block(block: np.ndarray, *keys: np.ndarray, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """Return which positions, in row-major order, lie in a block, the elements there, and the shape of them all."""
    places, arrays = keys[: len(axes)], np.broadcast_arrays(*keys[len(axes) :])
    starts = [int(p[0]) if p.size else 0 for p in places]
    here = np.ones(arrays[0].shape, bool)
    for k, start, p in zip(arrays, starts, places, strict=True):
        here &= (k >= start) & (k < start + p.size)
    first = np.moveaxis(block, axes, range(len(axes)))
    found = first[tuple([k[here] - start for k, start in zip(arrays, starts, strict=True)])]
    return np.flatnonzero(here), found, here.shape


def _all_of_blocks(blocks: Any, place: int) -> np.ndarray:
    found = leaves(blocks)
    _, first, shape = found[0]
    result = np.empty((math.prod(shape), *first.shape[1:]), first.dtype)
    for at, some, _ in found:
        result[at] = some
    width = len(shape)
    return np.moveaxis(result.reshape((*shape, *first.shape[1:])), range(width), range(place, place + width))


def _gather(block: np.ndarray, *arrays: np.ndarray, axes: tuple[int, ...], place: int) -> Any:
    first = np.moveaxis(block, axes, range(len(axes)))
    result = first[tuple(arrays)]
    width = result.ndim - (block.ndim - len(axes))
    return np.moveaxis(result, range(width), range(place, place + width))


def take(x: da.Array, indices: da.Array, *, axis: int | None = None) -> da.Array:
    if axis is None:
        axis = take_axis(x.ndim)
    axis = axis_of(x, axis)
    return gather(x, {axis: checked(indices, x, axis)}, axis)


def take_along_axis(x: da.Array, indices: da.Array, *, axis: int = -1) -> da.Array:
    """Gather from each block of x its elements for each block of positions."""
    axis = axis_of(x, axis)
    if indices.ndim != x.ndim:
        raise ValueError(f"indices must have {x.ndim} axes, as the array; got {indices.ndim}")
    others = [a for a in range(x.ndim) if a != axis]
    broadcast_shape(tuple([x.shape[a] for a in others]), tuple([indices.shape[a] for a in others]))
    every, new = tuple(range(x.ndim)), x.ndim
    k, mine = checked(indices, x, axis), tuple([new if a == axis else a for a in every])
    if x.numblocks[axis] == 1:
        return call(np.take_along_axis, mine, x, every, k, mine, axis=axis, dtype=x.dtype, concatenate=True)
    some = call(
        partial(_some_along, axis=axis), (*every, new), x, every, positions(x.chunks[axis]), (axis,), k, mine,
        dtype=object,
    )  # fmt: skip
    return call(_all_along, mine, some, (*every, new), dtype=x.dtype)


def _some_along(block: np.ndarray, places: np.ndarray, k: np.ndarray, axis: int) -> tuple[Any, ...]:
    start = int(places[0]) if places.size else 0
    extents = np.broadcast_shapes(*[tuple([n for a, n in enumerate(x.shape) if a != axis]) for x in (block, k)])
    shape = (*extents[:axis], k.shape[axis], *extents[axis:])
    here = np.broadcast_to((k >= start) & (k < start + places.size), shape)
    if not here.any():
        return np.empty(0, INDEX), np.empty(0, block.dtype), shape
    inside = np.where((k >= start) & (k < start + places.size), k - start, 0)
    return np.flatnonzero(here), np.take_along_axis(block, inside, axis)[here], shape


def _all_along(blocks: Any) -> np.ndarray:
    found = leaves(blocks)
    _, first, shape = found[0]
    result = np.empty(math.prod(shape), first.dtype)
    for at, some, _ in found:
        result[at] = some
    return result.reshape(shape)


def from_array(data: np.ndarray) -> da.Array:
    """Convert to a Dask array of one block."""
    return of_blocks(data, tuple([(n,) for n in data.shape]))


# --- writing ------------------------------------------------------------------------------------------------------


def assign(data: da.Array, key: Any, value: Any) -> da.Array:
    """Return another array, of the same chunks, with the value in it. The `Array` is bound to it."""
    plan = read_key(shape_of(data), key, describe_index, values=True, count=True)
    if not isinstance(value, da.Array):
        value = scalar(data.dtype)(value)
    while value.ndim and value.shape[0] == 1:  # NumPy disregards axes of extent 1 in front
        value = value[0]
    if all(map(_is_all, plan.entries)):
        return _filled(data, value)
    if plan.index_shape is None:
        return _assigned(data, plan, value)
    mask, alone = plan.entries[0].value, all(map(_is_all, plan.entries[1:]))
    # Is the value the same for every place that the mask selects?
    if alone and isinstance(mask, IndexArray) and mask.kind == "b" and value.ndim <= data.ndim - len(mask.shape):
        check_value(plan.shape, shape_of(value))
        return _where(data, mask.data, value)
    return _scattered(data, plan, value)


def _is_all(entry: Entry) -> bool:
    return entry.kind == "ellipsis" or (entry.kind == "slice" and entry.value == slice(None))


def _filled(data: da.Array, value: da.Array) -> da.Array:
    broadcast_shape(data.shape, value.shape)  # raises where an extent that is not known would have to be matched
    check_value(shape_of(data), shape_of(value))
    return by_block(_second, data.dtype, data, value)


def _second(block: np.ndarray, value: Any) -> np.ndarray:
    return np.broadcast_to(value, block.shape)


def _where(data: da.Array, mask: da.Array, value: da.Array) -> da.Array:
    if 0 in mask.shape:
        return data
    broadcast_shape(data.shape[mask.ndim :], value.shape)
    check_value(shape_of(data)[mask.ndim :], shape_of(value))
    mask = mask[(..., *(None,) * (data.ndim - mask.ndim))]
    return by_block(np.where, data.dtype, mask, value, data)


def _assigned(data: da.Array, plan: IndexPlan, value: da.Array) -> da.Array:
    """Write to the places of ints and slices. Only blocks that have such places change."""
    require_known(data)
    check_value(plan.shape, shape_of(value))
    parts = [entry for entry in plan.entries if entry.kind != "ellipsis"]
    if value.ndim:
        axes = [entry.kind == "newaxis" for entry in parts if entry.kind != "int"][-value.ndim :]
        value = value[tuple([0 if new else slice(None) for new in axes])]
    parts = [entry for entry in parts if entry.kind != "newaxis"]
    result = da.Array(data.dask, data.name, data.chunks, meta=data._meta)
    spans = [entry.span for entry in parts]
    if any(span is not None and not span for span in spans):
        return result
    # Dask goes wrong with negative steps: backward slices are reversed, and the value with them.
    forward = tuple([entry.value if span is None or span.step > 0 else slice(span[-1], span[0] + 1, -span.step)
                     for entry, span in zip(parts, spans, strict=True)])  # fmt: skip
    turned = [span.step < 0 for span in spans if span is not None][len(spans) - spans.count(None) - value.ndim :]
    value = value[tuple([slice(None, None, -1 if turn else None) for turn in turned])] if value.ndim else value
    result[forward] = value
    return result


def _scattered(data: da.Array, plan: IndexPlan, value: da.Array) -> da.Array:
    """Write to the places of index arrays and masks. Every block gets all places, and writes to its own."""
    require_known(data)
    check_value(plan.shape, shape_of(value))
    every = tuple(range(data.ndim))
    keys = [entry.value for entry in plan.entries]
    arrays = [k.data for k in keys if isinstance(k, IndexArray)]
    pairs: list[Any] = [p for a in every for p in (positions(data.chunks[a]), (a,))]
    for i, x in enumerate((value, *arrays)):
        pairs += (x, tuple(range(100 * (i + 1), 100 * (i + 1) + x.ndim)))
    plain = tuple([_ARRAY if isinstance(k, IndexArray) else k for k in keys])
    return call(
        partial(_scatter, keys=plain, shape=data.shape), every, data, every, *pairs, dtype=data.dtype, concatenate=True,
        align_arrays=False,
    )  # fmt: skip


#: The placeholder of an array in a key.
_ARRAY = "array"


def _scatter(block: np.ndarray, *operands: Any, keys: tuple[Any, ...], shape: tuple[int, ...]) -> np.ndarray:
    places, value, arrays = operands[: len(shape)], operands[len(shape)], iter(operands[len(shape) + 1 :])
    key = tuple([next(arrays) if isinstance(k, str) else k for k in keys])
    if block.shape == shape:
        result = np.array(block)
        result[key] = value
        return result
    every = np.ogrid[tuple(map(slice, shape))]
    targets = [np.broadcast_to(axis, shape)[key] for axis in every]  # NumPy reads the key, along each axis
    if np.ndim(value) and np.broadcast_shapes(np.shape(value), targets[0].shape) != targets[0].shape:
        raise ValueError(f"could not broadcast input array from shape {np.shape(value)} into {targets[0].shape}")
    if not block.size:
        return block
    starts = [int(p[0]) for p in places]
    here = np.ones(targets[0].shape, bool)
    for target, start, n in zip(targets, starts, block.shape, strict=True):
        here &= (target >= start) & (target < start + n)
    result = block.copy()
    where = tuple([target[here] - start for target, start in zip(targets, starts, strict=True)])
    result[where] = np.broadcast_to(value, here.shape)[here]
    return result
