"""Manipulation and indexing functions on JAX."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from ...backend.arguments import check_order, check_repetitions, check_shifts, check_size, take_axis
from .indexing import check_positions
from .statistical import numbers

Axes = int | tuple[int, ...]

expand_dims = jnp.expand_dims


def roll(x: jax.Array, shift: Axes, *, axis: Axes | None = None) -> jax.Array:
    check_shifts(shift, axis)
    return jnp.roll(x, shift, axis)


def squeeze(x: jax.Array, axis: Axes) -> jax.Array:
    if axis is None:
        raise TypeError("no axis")  # JAX takes None for all of extent 1
    return jnp.squeeze(x, axis)


def tile(x: jax.Array, repetitions: Axes) -> jax.Array:
    check_repetitions(repetitions)
    return jnp.tile(x, repetitions)


def broadcast_to(x: jax.Array, shape: Axes) -> jax.Array:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    check_size(math.prod(shape))
    return jnp.broadcast_to(x, shape)


def concat(arrays: list[jax.Array], *, axis: int | None = 0) -> jax.Array:
    return jnp.concatenate(arrays, axis=numbers(axis))


def flip(x: jax.Array, *, axis: Axes | None = None) -> jax.Array:
    return jnp.flip(x, axis)


def moveaxis(x: jax.Array, source: Axes, destination: Axes) -> jax.Array:
    for axes in (source, destination):
        if isinstance(axes, tuple) and len({a % x.ndim for a in axes}) < len(axes):  # JAX would find places for them
            raise ValueError(f"the same axis twice in {axes}")
    return jnp.moveaxis(x, source, destination)


def permute_dims(x: jax.Array, axes: tuple[int, ...]) -> jax.Array:
    if sorted(a % x.ndim for a in axes) != [*range(x.ndim)] or not all(-x.ndim <= a < x.ndim for a in axes):
        raise ValueError(f"axes {axes} are not a permutation of {x.ndim} axes")
    return jnp.permute_dims(x, tuple([a % x.ndim for a in axes]))  # JAX does not count from the end


def repeat(x: jax.Array, repeats: Any, *, axis: int | None = None) -> jax.Array:
    if axis is None:
        x, axis = x.reshape(-1), 0
    n = x.shape[axis]
    if repeats.shape not in ((), (1,), (n,)):
        raise ValueError(f"{repeats.shape} repeats for {n} elements")
    if isinstance(repeats, jax.core.Tracer):
        return jnp.repeat(x, repeats, axis=axis)  # with JAX's own error
    times = np.asarray(repeats).astype(np.int64)
    if (times < 0).any():
        raise ValueError("repeats must not be negative")
    times = np.broadcast_to(times, n)
    return _taken(x, np.repeat(np.arange(n), times), axis)


def reshape(x: jax.Array, shape: Axes, *, copy: bool | None = None, order: Literal["C", "F"] = "C") -> jax.Array:
    check_order(order)
    if copy is False:
        raise ValueError("copy=False, but JAX makes a new array of another shape")
    return jnp.reshape(x, shape, order=order)


def stack(arrays: list[jax.Array], *, axis: int = 0) -> jax.Array:
    return jnp.stack(arrays, axis=axis)


def unstack(x: jax.Array, *, axis: int = 0) -> tuple[jax.Array, ...]:
    return jnp.unstack(x, axis=axis)


def take(x: jax.Array, indices: Any, *, axis: int | None = None) -> jax.Array:
    if axis is None:
        axis = take_axis(x.ndim)
    check_positions(indices, x.shape[axis], axis)
    if x.shape[axis] == 0:  # jnp.take would lose axes
        axis %= x.ndim
        return jnp.zeros((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)
    return _taken(x, indices, axis)


@partial(jax.jit, static_argnums=2)
def _taken(x: jax.Array, indices: Any, axis: int) -> jax.Array:
    return jnp.take(x, indices, axis=axis)


def take_along_axis(x: jax.Array, indices: Any, *, axis: int = -1) -> jax.Array:
    return _taken_along(x, indices, axis, check_positions(indices, x.shape[axis], axis))


@partial(jax.jit, static_argnums=(2, 3))
def _taken_along(x: jax.Array, indices: Any, axis: int, plain: bool) -> jax.Array:
    """Take along an axis. JAX does not check positions again that are known to be from 0 on and in bounds."""
    return jnp.take_along_axis(x, indices, axis=axis, mode="promise_in_bounds" if plain else None)
