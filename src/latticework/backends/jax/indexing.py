"""Indexing and assignment on JAX: bounds are checked, and outside of jax.jit nothing is compiled anew for other
positions, nor for another number of elements that a mask selects."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...engine.keys.reading import IndexArray, IndexPlan, check_bounds, check_value, check_values, read_split, split_key
from ..numpy.scattering import bounds_of
from .core import STORAGE, cast, on_bits, on_host, put_back, scalar

Ints = tuple[int, ...]
_Place = tuple[Ints, Ints, Ints, Ints]


_widened = cast(np.dtype(np.int32))


def describe_index(k: Any) -> IndexArray | None:
    """Describe an index array to the reader of keys. Return None for anything else."""
    if not hasattr(k, "dtype"):
        return None
    kind = k.dtype.kind
    if kind not in "biu":
        return None
    if isinstance(k, jax.core.Tracer):  # which has no values
        return IndexArray(k.shape, "b" if kind == "b" else "i", k)
    if kind == "b":
        return IndexArray(k.shape, "b", k, selects=lambda: int(np.count_nonzero(np.asarray(k))))
    return IndexArray(k.shape, "i", k, bounds=partial(_bounds, k))


def _bounds(k: Any) -> tuple[int, int] | None:
    if not k.size:
        return None
    values = np.asarray(k)
    return int(np.minimum.reduce(values, None)), int(np.maximum.reduce(values, None))


def bounds_within(positions: Any, n: int) -> tuple[int, int] | None:
    """Return the least and the greatest position, or the greatest twice where all lie from 0 to before n. None where
    they are not known."""
    known = not isinstance(positions, jax.core.Tracer) and positions.size
    return bounds_of(np.asarray(positions), n) if known else None


def index_array(data: Any) -> Any:
    """Widen positions: JAX adds the extent to negative ones, in the positions' own dtype."""
    return _widened(data) if data.dtype.kind == "i" and data.dtype.itemsize < 4 else data


def index(data: Any, key: Any) -> jax.Array:
    """Read a key, with an error for positions out of bounds: JAX takes the nearest element for them."""
    if data.dtype in STORAGE:
        return on_bits(lambda _: index, data.dtype)(data, key)
    split, arrays = split_key(key, describe_index)
    if (place := _place(data, split, arrays)) is not None:
        return _slice(data, *place)
    plan = read_split(data.shape, split)
    check_values(plan, data.shape, arrays)
    if (parts := _parts(data, plan, arrays)) is not None:
        return _gather(data, *parts)
    if (selection := _selection(data, key)) is not None:
        return put_back(np.asarray(data)[selection], data)
    if (positions := _odd(data, key, plan)) is not None:
        return data.reshape(-1)[positions]
    return data[key]


def assign(data: Any, key: Any, value: Any) -> jax.Array:
    """Return a new array with the value in it: JAX's arrays never change. The `Array` is bound to it."""
    if type(value) is int:
        value = data.dtype.type(value)  # JAX would make an int64 of it, or an int32
    elif np.ndim(value) and value.shape[0] == 1:
        value = _without_leading_axes(value)
    if data.dtype in STORAGE:
        value = value if hasattr(value, "dtype") else scalar(data.dtype)(value)
        return on_bits(lambda _: lambda d, v: assign(d, key, v), data.dtype)(data, value)
    if _is_mask(key) and not np.ndim(value) and key.ndim and key.shape == data.shape[: key.ndim]:
        return _where(data, key, value)
    split, arrays = split_key(key, describe_index)
    if (place := _place(data, split, arrays)) is not None:
        return _update(data, value, *place)
    plan = read_split(data.shape, split)
    check_values(plan, data.shape, arrays)
    if np.ndim(value):
        check_value(plan.shape, value.shape)  # where no element is selected, JAX takes any
    if (parts := _parts(data, plan, arrays)) is not None:
        return _scatter(data, value, *parts)
    if not isinstance(value, jax.core.Tracer) and (selection := _selection(data, key)) is not None:
        result = np.array(data)
        result[selection] = np.asarray(value)
        return put_back(result, data)
    if (positions := _odd(data, key, plan)) is not None:
        return data.reshape(-1).at[positions].set(value).reshape(data.shape)
    return data.at[key].set(value)


def _without_leading_axes(value: Any) -> Any:
    """Drop axes of extent 1 in front, as NumPy and PyTorch do."""
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


# --- index arrays and masks ---------------------------------------------------------------------------------------


def _parts(
    data: Any, plan: IndexPlan, index_arrays: list[IndexArray]
) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Return the positions in a key of index arrays, ints and slices, and the rest of the key, for which a program is
    compiled. None for a key with bools or masks in it, and inside jax.jit."""
    if isinstance(data, jax.core.Tracer):
        return None
    arrays: list[Any] = []
    rest: list[Any] = []
    for kind, k, _, _, _, span in plan.entries:
        if kind == "slice":
            assert span is not None  # the extents are known
            rest.append((span.start, span.stop if span.stop >= 0 else None, span.step) if span else (0, 0, 1))
        elif kind in ("newaxis", "ellipsis"):
            rest.append(k)
        elif kind in ("int", "array"):
            rest.append(len(rest))
            arrays.append(np.asarray(k) if kind == "int" else index_arrays[k.data].data)
            if isinstance(arrays[-1], jax.core.Tracer):
                return None
        else:
            return None
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
    """Return the key for NumPy, which on the CPU reads the same memory and has nothing to compile. None where the array
    lies elsewhere or the values are not known."""
    return _on_numpy(key) if on_host(data) else None


def _on_numpy(key: Any) -> tuple[Any, ...] | None:
    keys = key if type(key) is tuple else (key,)
    if any(isinstance(k, jax.core.Tracer) for k in keys):
        return None
    return tuple([np.asarray(k) if isinstance(k, jax.Array) else k for k in keys])


def _odd(data: Any, key: Any, plan: IndexPlan) -> np.ndarray | None:
    """Return positions in the flattened array, from NumPy, for a key that JAX reads in another way or not at all: with
    a bool in it, or a mask without elements. None for other keys, and where the values are not known."""
    odd = any(kind == "bool" or (kind == "mask" and 0 in k.shape) for kind, k, *_ in plan.entries)
    if not odd or (selection := _on_numpy(key)) is None:
        return None
    result: np.ndarray = np.arange(data.size).reshape(data.shape)[selection]
    return result


# --- slices -------------------------------------------------------------------------------------------------------


def _place(data: Any, split: tuple[Any, ...], arrays: list[IndexArray]) -> _Place | None:
    """Return the start, the span and the step of a key of ints, slices, ... and None along each axis, and the shape of
    the result. None for index arrays and masks, inside jax.jit, and for sharded arrays: XLA has to see what part of
    them stays on which device.
    """
    if arrays or isinstance(data, jax.core.Tracer):
        return None
    place = _placed(data.shape, split)
    return place if len(data.sharding.device_set) == 1 else None


@lru_cache(4096)
def _placed(shape: Ints, split: tuple[Any, ...]) -> _Place | None:
    plan = read_split(shape, split)
    if plan.index_shape is not None:
        return None
    starts: list[int] = []
    spans: list[int] = []
    steps: list[int] = []
    for kind, k, axis, _, _, span in plan.entries:
        if kind == "int":
            starts.append(k % shape[axis])
            spans.append(1)
            steps.append(1)
        elif span is not None:
            starts.append(min(span[0], span[-1]) if span else 0)
            spans.append(abs(span[-1] - span[0]) + 1 if span else 0)
            steps.append(span.step if len(span) > 1 else 1)
    return tuple(starts), tuple(spans), tuple(steps), tuple([n for n in plan.shape if n is not None])


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


def check_positions(positions: Any, n: int, axis: int) -> bool:
    """Raise an IndexError where an element is no position along an axis of n elements. Nothing is known inside jax.jit.

    Returns
    -------
    Whether all positions are known, and from 0 on.
    """
    bounds = bounds_within(positions, n)
    if bounds is None and n == 0 and positions.size:
        bounds = (0, 0)
    check_bounds(bounds, n, axis)
    return bounds is not None and bounds[0] >= 0
