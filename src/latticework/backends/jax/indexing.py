"""Indexing and assignment on JAX: bounds are checked, and outside of jax.jit nothing is compiled anew for other
positions, nor for another number of elements that a mask selects."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .core import cast, on_host, put_back

Ints = tuple[int, ...]


_widened = cast(np.dtype(np.int32))


def index_array(data: Any) -> Any:
    """Wide enough for what JAX adds to a negative position, in the positions' own dtype: the extent."""
    return _widened(data) if data.dtype.kind == "i" and data.dtype.itemsize < 4 else data


def index(data: Any, key: Any) -> jax.Array:
    """With an error where JAX would take the nearest element for one that is out of bounds."""
    if isinstance(data, jax.core.Tracer) or (place := _place(data, key)) is None:
        _check_bounds(data.shape, key)
        if (parts := _parts(data, key)) is not None:
            return _gather(data, *parts)
        if (selection := _selection(data, key)) is not None:
            return put_back(np.asarray(data)[selection], data)
        if (positions := _odd(data, key)) is not None:
            return data.reshape(-1)[positions]
        return data[key]
    return _slice(data, *place)


def assign(data: Any, key: Any, value: Any) -> jax.Array:
    """A new array: JAX's never change. The `Array` is bound to it."""
    if type(value) is int:
        value = data.dtype.type(value)  # JAX would make an int64 of it, or an int32
    elif np.ndim(value) and value.shape[0] == 1:
        value = _without_leading_axes(value)
    if _is_mask(key) and not np.ndim(value) and key.ndim and key.shape == data.shape[: key.ndim]:
        return _where(data, key, value)
    if isinstance(data, jax.core.Tracer) or (place := _place(data, key)) is None:
        _check_bounds(data.shape, key)
        if (parts := _parts(data, key)) is not None:
            return _scatter(data, value, *parts)
        if not isinstance(value, jax.core.Tracer) and (selection := _selection(data, key)) is not None:
            made = np.array(data)
            made[selection] = np.asarray(value)
            return put_back(made, data)
        if (positions := _odd(data, key)) is not None:
            return data.reshape(-1).at[positions].set(value).reshape(data.shape)
        return data.at[key].set(value)
    return _update(data, value, *place)


def _without_leading_axes(value: Any) -> Any:
    """NumPy and PyTorch disregard axes of extent 1 in front."""
    extents = [*value.shape]
    while extents and extents[0] == 1:
        del extents[0]
    return value.reshape(extents)


@jax.jit
def _where(data: jax.Array, mask: jax.Array, value: Any) -> jax.Array:
    mask = jnp.expand_dims(mask, range(mask.ndim, data.ndim))
    return jnp.where(mask, jax.lax.convert_element_type(value, data.dtype), data)


def _is_mask(key: Any) -> bool:
    return hasattr(key, "dtype") and key.dtype == bool


def _odd(data: Any, key: Any) -> np.ndarray | None:
    """Positions in the flattened array, from NumPy, for a key that JAX reads in another way or not at all: with a
    bool in it, or a mask without elements. None for other keys, and where the values are not known."""
    keys = _keys(key)
    odd = False
    for k in keys:
        if isinstance(k, jax.core.Tracer):
            return None
        odd = odd or isinstance(k, bool) or (_is_mask(k) and (not k.ndim or 0 in k.shape))
    if not odd:
        return None
    made: np.ndarray = np.arange(data.size).reshape(data.shape)[
        tuple([np.asarray(k) if isinstance(k, jax.Array) else k for k in keys])
    ]
    return made


# --- index arrays and masks ---------------------------------------------------------------------------------------


def _keys(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def _parts(data: Any, key: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """The positions in a key of index arrays, ints and slices, and what is left of the key without them, which what
    is compiled depends on. None for a key with bools or masks in it, and inside jax.jit."""
    if isinstance(data, jax.core.Tracer):
        return None
    arrays: list[Any] = []
    rest: list[Any] = []
    keys = _keys(key)
    axis = 0
    for i, k in enumerate(keys):
        if k is None or k is Ellipsis:
            rest.append(k)
            axis += 0 if k is None else data.ndim - sum(map(_axes_taken, keys))
            continue
        if type(k) is slice:
            there = range(data.shape[axis])[k]
            rest.append((there.start, there.stop if there.stop >= 0 else None, there.step) if there else (0, 0, 1))
        elif isinstance(k, (bool, jax.core.Tracer)) or _is_mask(k):
            return None
        else:
            arrays.append(np.asarray(k) if type(k) is int else k)
            rest.append(i)
        axis += 1
    return tuple(arrays), tuple(rest)


def _whole(arrays: tuple[Any, ...], rest: tuple[Any, ...]) -> tuple[Any, ...]:
    found = iter(arrays)
    return tuple([slice(*k) if type(k) is tuple else next(found) if type(k) is int else k for k in rest])


@partial(jax.jit, static_argnums=2)
def _gather(data: jax.Array, arrays: tuple[Any, ...], rest: tuple[Any, ...]) -> jax.Array:
    return data[_whole(arrays, rest)]


@partial(jax.jit, static_argnums=3)
def _scatter(data: jax.Array, value: Any, arrays: tuple[Any, ...], rest: tuple[Any, ...]) -> jax.Array:
    return data.at[_whole(arrays, rest)].set(value)


def _selection(data: Any, key: Any) -> tuple[Any, ...] | None:
    """The key as NumPy takes it, which on the CPU looks at the same memory and has nothing to compile. None where the
    array lies elsewhere or the values are not known."""
    keys = _keys(key)
    if not on_host(data) or any(isinstance(k, jax.core.Tracer) for k in keys):
        return None
    return tuple([np.asarray(k) if isinstance(k, jax.Array) else k for k in keys])


# --- slices -------------------------------------------------------------------------------------------------------


def _place(data: Any, key: Any) -> tuple[Ints, Ints, Ints, Ints] | None:
    """Where a key of ints, slices, ... and None begins along each axis, how far it goes and in which steps, and the
    shape of what is there. None for index arrays and masks, and for arrays that are sharded: XLA has to see of
    those what stays on which device.
    """
    keys = _keys(key)
    shape = data.shape
    taken = 0
    for k in keys:
        kind = type(k)
        if kind is int or kind is slice:
            taken += 1
        elif k is not None and k is not Ellipsis:
            return None
    rest = len(shape) - taken
    if keys.count(Ellipsis) > 1:
        raise IndexError("an index has one ellipsis ('...')")
    if rest < 0:
        raise IndexError(f"too many indices: {taken} for {len(shape)} axes")
    if len(data.sharding.device_set) > 1:
        return None
    starts: list[int] = []
    spans: list[int] = []
    steps: list[int] = []
    result: list[int] = []
    for k in keys if Ellipsis in keys else (*keys, Ellipsis):
        axis = len(starts)
        if type(k) is int:
            n = shape[axis]
            if not -n <= k < n:
                raise IndexError(f"index {k} is out of bounds for axis {axis} with {n} elements")
            starts.append(k % n)
            spans.append(1)
            steps.append(1)
        elif k is None:
            result.append(1)
        elif k is Ellipsis:
            starts += [0] * rest
            spans += shape[axis : axis + rest]
            steps += [1] * rest
            result += shape[axis : axis + rest]
            rest = 0
        else:
            positions = range(shape[axis])[k]
            count = len(positions)
            starts.append(min(positions[0], positions[-1]) if count else 0)
            spans.append(abs(positions[-1] - positions[0]) + 1 if count else 0)
            steps.append(positions.step if count > 1 else 1)
            result.append(count)
    return tuple(starts), tuple(spans), tuple(steps), tuple(result)


@partial(jax.jit, static_argnums=(2, 3, 4))
def _slice(data: jax.Array, starts: Ints, spans: Ints, steps: Ints, shape: Ints) -> jax.Array:
    part = jax.lax.dynamic_slice(data, starts, spans)
    if any(step != 1 for step in steps):
        part = part[tuple(slice(None, None, step) for step in steps)]
    return part.reshape(shape)


@partial(jax.jit, static_argnums=(3, 4, 5))
def _update(data: jax.Array, value: Any, starts: Ints, spans: Ints, steps: Ints, shape: Ints) -> jax.Array:
    value = jax.lax.convert_element_type(value, data.dtype)
    value = jnp.broadcast_to(value, shape).reshape([-(-n // abs(step)) for n, step in zip(spans, steps, strict=True)])
    if any(step != 1 for step in steps):
        part = jax.lax.dynamic_slice(data, starts, spans)
        value = part.at[tuple(slice(None, None, step) for step in steps)].set(value)
    return jax.lax.dynamic_update_slice(data, value, starts)


# --- bounds -------------------------------------------------------------------------------------------------------


def _check_bounds(shape: Ints, key: Any) -> None:
    keys = _keys(key)
    taken = sum(map(_axes_taken, keys))
    axis = 0
    for k in keys:
        if k is Ellipsis:
            axis += len(shape) - taken
            continue
        if axis < len(shape) and isinstance(k, int) and not isinstance(k, bool):
            if not -shape[axis] <= k < shape[axis]:
                raise IndexError(f"index {k} is out of bounds for axis {axis} with {shape[axis]} elements")
        elif axis < len(shape) and hasattr(k, "dtype") and k.dtype != bool:
            check_positions(k, shape[axis], axis)
        axis += _axes_taken(k)


def _axes_taken(key: Any) -> int:
    if key is None or key is Ellipsis or isinstance(key, bool):
        return 0
    return int(key.ndim) if _is_mask(key) else 1


def check_positions(positions: Any, n: int, axis: int) -> None:
    """An IndexError where an element is no position along an axis of n elements; nothing is known inside jax.jit."""
    if isinstance(positions, jax.core.Tracer) or not positions.size:
        return
    values = np.asarray(positions)
    low, high = int(values.min()), int(values.max())
    if low < -n or high >= n:
        raise IndexError(f"index {low if low < -n else high} is out of bounds for axis {axis} with {n} elements")
