"""Indexing and assignment on Dask. Positions are checked when they are computed."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ..arguments import take_axis
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
from .core import of_blocks, scalar
from .searching import nonzero


def index_array(data: da.Array) -> da.Array:
    return data


# --- reading ------------------------------------------------------------------------------------------------------


def index(data: da.Array, key: Any) -> da.Array:
    keys = _keys(data, key)
    arrays = [k for k in keys if isinstance(k, (da.Array, bool))]
    if not arrays:
        return _basic(data, keys)
    masks = [k for k in arrays if isinstance(k, bool) or k.dtype == bool]
    if len(arrays) == len(masks) == 1 and not any(isinstance(k, int) for k in keys):
        return _masked(data, keys)
    return _fancy(data, keys)


def _keys(data: da.Array, key: Any) -> tuple[Any, ...]:
    """The key as a tuple that has an entry for every axis, and ... where it stands for no axis."""
    keys = tuple([_plain(k) if isinstance(k, slice) else k for k in (key if isinstance(key, tuple) else (key,))])
    if sum(k is Ellipsis for k in keys) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    rest = data.ndim - sum(map(axes_taken, keys))
    if rest < 0:
        raise IndexError(f"too many indices: {data.ndim - rest} for {data.ndim} axes")
    if not any(k is Ellipsis for k in keys):
        keys = (*keys, *(slice(None),) * rest)
    at = next((i for i, k in enumerate(keys) if k is Ellipsis), None)
    return keys if at is None else (*keys[:at], *((slice(None),) * rest or (Ellipsis,)), *keys[at + 1 :])


def _plain(k: slice) -> slice:
    """With ints for bounds, which may be 0-d arrays."""
    try:
        return slice(*[None if at is None else operator.index(at) for at in (k.start, k.stop, k.step)])
    except TypeError as error:
        raise IndexError(f"the bounds of a slice are integers or None: {error}") from error


def axes_taken(key: Any) -> int:
    if key is None or key is Ellipsis or isinstance(key, bool):
        return 0
    return int(key.ndim) if isinstance(key, da.Array) and key.dtype == bool else 1


def _basic(data: da.Array, keys: tuple[Any, ...]) -> da.Array:
    """Ints, slices and None."""
    axis, plain = 0, []
    for k in keys:
        if isinstance(k, slice) and k != slice(None):
            require_known(data, (axis,))
            k = _within(k, data.shape[axis])
        elif isinstance(k, int) and not isinstance(k, bool):
            require_known(data, (axis,))
            if not -data.shape[axis] <= k < data.shape[axis]:
                raise IndexError(f"index {k} is out of bounds for axis {axis} of extent {data.shape[axis]}")
        axis += axes_taken(k)
        if k is not Ellipsis:
            plain.append(k)
    return data[tuple(plain)]


def _within(k: slice, n: int) -> slice:
    """The same slice with bounds that lie within the axis. Dask takes what begins before it, and goes backward, for
    the end: https://github.com/dask/dask/issues/10555 and https://github.com/dask/dask/issues/3579."""
    span = range(n)[k]
    if not span:
        return slice(0, 0)
    return slice(
        span[0], None if span.step < 0 and span[-1] == 0 else span[-1] + (1 if span.step > 0 else -1), span.step
    )


def _masked(data: da.Array, keys: tuple[Any, ...]) -> da.Array:
    """With one mask: the elements of each block that it selects, however many they will be."""
    at = next(i for i, k in enumerate(keys) if isinstance(k, (da.Array, bool)))
    mask = keys[at]
    before = sum(map(axes_taken, keys[:at]))
    width = axes_taken(mask)
    others = [k if i != at else None if not width else slice(None) for i, k in enumerate(keys)]
    others[at + 1 : at + 1] = [slice(None)] * (width - 1)
    place = sum(not isinstance(k, int) and k is not Ellipsis for k in keys[:at])
    if not width:  # True and False: a new axis with an element, or none
        made = _basic(data, tuple(others))
        if not isinstance(mask, bool) and (known := at_hand(mask)) is not None:
            mask = bool(known)
        if isinstance(mask, bool):
            return made if mask else made[(*(slice(None),) * place, slice(0, 0))]
        return _selected(made, mask[None], place)
    _check_mask(mask, data, before)
    if 0 in mask.shape:
        return _fancy(data, keys)
    if width > 1:
        require_known(data, range(before, before + width))
        require_known(mask)
        size = math.prod(mask.shape)
        data = reshaped(data, (*data.shape[:before], size, *data.shape[before + width :]))
        known = at_hand(mask)
        mask = reshaped(mask, (size,)) if known is None else from_array(known.reshape(-1))
        del others[at + 1 : at + width]
    return _selected(_basic(data, tuple(others)), mask, place)


def _check_mask(mask: da.Array, data: da.Array, axis: int) -> None:
    """Its extents are those of the axes it is for, or 0."""
    extents = data.shape[axis : axis + mask.ndim]
    if any(
        m not in (n, 0) for n, m in zip(extents, mask.shape, strict=True) if not math.isnan(n) and not math.isnan(m)
    ):
        raise IndexError(f"a mask of shape {mask.shape} does not fit axes of extent {extents}")


def _selected(data: da.Array, mask: da.Array, axis: int) -> da.Array:
    every = tuple(range(data.ndim))
    extents: Any = lambda n: UNKNOWN  # noqa: E731
    if (known := at_hand(mask)) is not None and is_known(data, (axis,)):
        mask = mask.rechunk((data.chunks[axis],))
        extents = tuple([int(part.sum()) for part in np.split(known, np.cumsum(data.chunks[axis])[:-1])])
    return call(
        _compress, every, data, every, mask, (axis,), axis=axis, dtype=data.dtype, adjust_chunks={axis: extents}
    )


def _compress(block: np.ndarray, mask: np.ndarray, axis: int) -> np.ndarray:
    found: np.ndarray = block[(*(slice(None),) * axis, mask)]
    return found


def _fancy(data: da.Array, keys: tuple[Any, ...]) -> da.Array:
    """With index arrays. Ints among them count as such for where the axes that they make come to lie."""
    simple: list[Any] = []  # what is left to do to the axes that no array is for
    arrays: dict[int, da.Array] = {}  # axis after that -> positions
    place: int | None = None  # where the axes of the arrays come to lie
    apart = ended = False
    axis = after = 0
    for k in keys:
        if isinstance(k, (int, da.Array)):
            apart = apart or ended
            place = after if place is None else place
        else:
            ended = place is not None
        if isinstance(k, bool):
            simple.append(None)
            arrays[after] = da.zeros(int(k), dtype=INDEX)
            after += 1
        elif isinstance(k, da.Array):
            found = _positions_of(k, data, axis)
            if not axes_taken(k):
                simple.append(None)
            simple += [slice(None)] * axes_taken(k)
            arrays.update(enumerate(found, after))
            after += len(found)
        else:
            simple.append(k)
            after += not isinstance(k, int) and k is not Ellipsis
        axis += axes_taken(k)
    data = _basic(data, tuple(simple))
    return gather(data, arrays, 0 if apart or place is None else place)


def _positions_of(k: da.Array, data: da.Array, axis: int) -> tuple[da.Array, ...]:
    """The positions along each axis that an index array says, or a mask."""
    if k.dtype == bool:
        _check_mask(k, data, axis)
        if (known := at_hand(k)) is not None:
            return tuple([from_array(found) for found in np.atleast_1d(known).nonzero()])
        return nonzero(k) if k.ndim else nonzero(k[None])
    return (checked(k, data, axis),)


def checked(k: da.Array, data: da.Array, axis: int) -> da.Array:
    """Positions as int64 from 0 on. Dask disregards what lies out of bounds:
    https://github.com/dask/dask/issues/8229."""
    require_known(data, (axis,))
    if (known := at_hand(k)) is not None:
        return from_array(_from_start(known, data.shape[axis], axis))
    return by_block(_from_start, INDEX, k, n=data.shape[axis], axis=axis)


def _from_start(k: Any, n: int, axis: int) -> Any:
    if np.size(k):
        low, high = int(np.min(k)), int(np.max(k))
        if low < -n or high >= n:
            raise IndexError(f"index {low if low < -n else high} is out of bounds for axis {axis} of extent {n}")
    k = np.asarray(k).astype(INDEX)
    return np.where(k < 0, k + n, k)


def gather(data: da.Array, arrays: dict[int, da.Array], place: int) -> da.Array:
    """The elements at positions along some axes, of which the arrays for these axes broadcast together.

    Each block of data gives what it has of the positions, for each block of these. Where data is one block along these
    axes, that is the result.
    """
    if len(arrays) == 1:
        ((axis, k),) = arrays.items()
        if k.ndim == 1 and data.numblocks[axis] > 1 and (known := at_hand(k)) is not None:
            made = data[(*(slice(None),) * axis, known)]
            return made if place == axis else da.moveaxis(made, axis, place)
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


def _some_of_block(block: np.ndarray, *given: np.ndarray, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """Which of the positions, in row-major order, lie in a block; the elements there; and the shape of them all."""
    places, arrays = given[: len(axes)], np.broadcast_arrays(*given[len(axes) :])
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
    made = np.empty((math.prod(shape), *first.shape[1:]), first.dtype)
    for at, some, _ in found:
        made[at] = some
    width = len(shape)
    return np.moveaxis(made.reshape((*shape, *first.shape[1:])), range(width), range(place, place + width))


def _gather(block: np.ndarray, *arrays: np.ndarray, axes: tuple[int, ...], place: int) -> Any:
    first = np.moveaxis(block, axes, range(len(axes)))
    made = first[tuple(arrays)]
    width = made.ndim - (block.ndim - len(axes))
    return np.moveaxis(made, range(width), range(place, place + width))


def take(x: da.Array, indices: da.Array, *, axis: int | None = None) -> da.Array:
    if axis is None:
        axis = take_axis(x.ndim)
    axis = axis_of(x, axis)
    return gather(x, {axis: checked(indices, x, axis)}, axis)


def take_along_axis(x: da.Array, indices: da.Array, *, axis: int = -1) -> da.Array:
    """Each block of x gives what it has of the positions, for each block of these."""
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
    made = np.empty(math.prod(shape), first.dtype)
    for at, some, _ in found:
        made[at] = some
    return made.reshape(shape)


def from_array(data: np.ndarray) -> da.Array:
    """In one block."""
    return of_blocks(data, tuple([(n,) for n in data.shape]))


# --- writing ------------------------------------------------------------------------------------------------------


def assign(data: da.Array, key: Any, value: Any) -> da.Array:
    """Another array, of the same chunks. The `Array` is bound to it."""
    keys = _keys(data, key)
    if not isinstance(value, da.Array):
        value = scalar(data.dtype)(value)
    while value.ndim and value.shape[0] == 1:  # NumPy disregards axes of extent 1 in front
        value = value[0]
    if all(_is_all(k) or k is Ellipsis for k in keys):
        return _filled(data, value)
    arrays = [k for k in keys if isinstance(k, (da.Array, bool))]
    if not arrays:
        return _assigned(data, keys, value)
    mask = keys[0]
    alone = isinstance(mask, da.Array) and mask.dtype == bool and all(_is_all(k) for k in keys[1:])
    if alone and value.ndim <= data.ndim - mask.ndim:  # the same for every place that the mask selects
        return _where(data, mask, value)
    return _scattered(data, keys, value)


def _is_all(key: Any) -> bool:
    return isinstance(key, slice) and key == slice(None)


def _filled(data: da.Array, value: da.Array) -> da.Array:
    if value.ndim:
        shape = broadcast_shape(data.shape, value.shape)
        if len(shape) != data.ndim or any(n != m for n, m in zip(shape, data.shape, strict=True) if m == m):
            raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {data.shape}")
    return by_block(_second, data.dtype, data, value)


def _second(block: np.ndarray, value: Any) -> np.ndarray:
    return np.broadcast_to(value, block.shape)


def _where(data: da.Array, mask: da.Array, value: da.Array) -> da.Array:
    _check_mask(mask, data, 0)
    if 0 in mask.shape:
        return data
    rest = data.shape[mask.ndim :]
    if any(n != m for n, m in zip(broadcast_shape(rest, value.shape), rest, strict=True) if m == m):
        raise ValueError(f"could not broadcast input array from shape {value.shape} into shape (…, {rest})")
    mask = mask[(..., *(None,) * (data.ndim - mask.ndim))]
    return by_block(np.where, data.dtype, mask, value, data)


def _assigned(data: da.Array, keys: tuple[Any, ...], value: da.Array) -> da.Array:
    """To the places of ints and slices. Only blocks that have some of them change."""
    require_known(data)
    _basic(data, keys)  # raises what is wrong with the key
    if value.ndim:
        shape = _basic(data, keys).shape
        if broadcast_shape(shape, value.shape) != shape:
            raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {shape}")
        axes = [k is None for k in keys if k is not Ellipsis and not isinstance(k, int)][-value.ndim :]
        value = value[tuple([0 if new else slice(None) for new in axes])]
    keys = tuple([k for k in keys if k is not None and k is not Ellipsis])
    made = da.Array(data.dask, data.name, data.chunks, meta=data._meta)
    spans = [range(n)[k] if isinstance(k, slice) else None for k, n in zip(keys, data.shape, strict=True)]
    if any(span is not None and not span for span in spans):
        return made
    # Dask goes wrong with negative steps: what goes backward is turned round, and the value with it.
    forward = tuple([k if span is None or span.step > 0 else slice(span[-1], span[0] + 1, -span.step)
                     for k, span in zip(keys, spans, strict=True)])  # fmt: skip
    turned = [span.step < 0 for span in spans if span is not None][len(spans) - spans.count(None) - value.ndim :]
    value = value[tuple([slice(None, None, -1 if turn else None) for turn in turned])] if value.ndim else value
    made[forward] = value
    return made


def _scattered(data: da.Array, keys: tuple[Any, ...], value: da.Array) -> da.Array:
    """To the places of index arrays and masks. Every block is given all of them, and takes what is its own."""
    require_known(data)
    every = tuple(range(data.ndim))
    arrays = [k for k in keys if isinstance(k, da.Array)]
    target = index(data, keys)  # which raises what is wrong with the key, as far as that is known
    if is_known(target) and is_known(value) and broadcast_shape(target.shape, value.shape) != target.shape:
        raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {target.shape}")
    pairs: list[Any] = [p for a in every for p in (positions(data.chunks[a]), (a,))]
    for i, x in enumerate((value, *arrays)):
        pairs += (x, tuple(range(100 * (i + 1), 100 * (i + 1) + x.ndim)))
    plain = tuple([_ARRAY if isinstance(k, da.Array) else k for k in keys])
    return call(
        partial(_scatter, keys=plain, shape=data.shape), every, data, every, *pairs, dtype=data.dtype, concatenate=True,
        align_arrays=False,
    )  # fmt: skip


#: What stands for an array in a key.
_ARRAY = "array"


def _scatter(block: np.ndarray, *given: Any, keys: tuple[Any, ...], shape: tuple[int, ...]) -> np.ndarray:
    places, value, arrays = given[: len(shape)], given[len(shape)], iter(given[len(shape) + 1 :])
    key = tuple([next(arrays) if isinstance(k, str) else k for k in keys])
    if block.shape == shape:
        made = np.array(block)
        made[key] = value
        return made
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
    made = block.copy()
    where = tuple([target[here] - start for target, start in zip(targets, starts, strict=True)])
    made[where] = np.broadcast_to(value, here.shape)[here]
    return made
