"""Scattering on JAX, which drops positions out of bounds: positions that have values are checked first."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ...backend.arguments import NOWHERE, check_segments
from ...engine.keys.reading import check_bounds
from .indexing import bounds_within

_NAMES = {"replace": "set", "sum": "add", "multiply": "multiply", "min": "min", "max": "max"}


def _positions(indices: Any, *, n: int, axis: int = 0, drop: bool = False) -> Any:
    """Positions counted from the start. `drop`: negative ones become n, which stands for none."""
    bounds = bounds_within(indices, n)
    if drop:
        if bounds is not None:
            check_segments(bounds[1], n)
        return indices if bounds is not None and bounds[0] >= 0 else jnp.where(indices < 0, n, indices)
    check_bounds(bounds, n, axis)
    if bounds is not None and bounds[0] >= 0:
        return indices
    found = jnp.where(indices < 0, indices + n, indices)
    return found if bounds is not None else jnp.where((found < 0) | (found >= n), NOWHERE, found)


@partial(jax.jit, static_argnames="reduction")
def _scatter(x: Any, positions: Any, updates: Any, *, reduction: str) -> jax.Array:
    """Scatter in one program: by itself, JAX makes the positions in several kernels and takes six times as long."""
    if reduction == "multiply" and jnp.issubdtype(x.dtype, jnp.inexact):
        return _multiplied(x, positions, updates)
    result: jax.Array = getattr(x.at[positions], _NAMES[reduction])(updates)
    return result


def _multiplied(x: jax.Array, positions: Any, updates: Any) -> jax.Array:
    """Multiply at positions, with derivatives where positions repeat or factors are 0: JAX has none there."""
    shape = jax.eval_shape(_taken_at, x, positions).shape
    result: jax.Array = _multiply(x, jnp.broadcast_to(jnp.asarray(updates, x.dtype), shape), positions)
    return result


def _taken_at(x: jax.Array, positions: Any) -> jax.Array:
    found: jax.Array = x.at[positions].get(mode="fill", fill_value=0)
    return found


@jax.custom_jvp
def _multiply(x: jax.Array, updates: jax.Array, positions: Any) -> jax.Array:
    """Multiply at positions, which are an argument: a function with custom derivatives may use no tracers around it."""
    result: jax.Array = x.at[positions].multiply(updates)
    return result


@_multiply.defjvp
def _along(primals: Any, tangents: Any) -> Any:
    (x, updates, positions), (dx, du, _) = primals, tangents
    zero = updates == 0
    ones = jnp.ones_like(x)
    product = _multiply(ones, updates, positions)
    factors = jnp.where(zero, 1, updates)
    # The product of the other updates at the same position, except zeros.
    others = _taken_at(_multiply(ones, factors, positions), positions) / factors
    zeros = _taken_at(jnp.zeros(x.shape, jnp.int32).at[positions].add(zero.astype(jnp.int32)), positions)
    others = jnp.where(zeros - zero == 0, others, 0)
    moved = (dx * product).at[positions].add(du * others * _taken_at(x, positions))
    return _multiply(x, updates, positions), moved


def _dynamic_slice(x: Any, start: Any, *, size: Any) -> jax.Array:
    return jax.lax.dynamic_slice(x, tuple(start), size)


def _dynamic_update_slice(x: Any, update: Any, start: Any) -> jax.Array:
    return jax.lax.dynamic_update_slice(x, update, tuple(start))


@partial(jax.jit, static_argnames=("axis", "reduction"))
def _scatter_along_axis(x: Any, positions: Any, updates: Any, *, axis: int, reduction: str) -> jax.Array:
    places = [*jnp.indices(positions.shape, sparse=True)]
    places[axis] = positions
    result: jax.Array = getattr(x.at[tuple(places)], _NAMES[reduction])(updates)
    return result


@partial(jax.jit, static_argnames="axis")
def _add_slices(x: Any, positions: Any, updates: Any, *, axis: int) -> jax.Array:
    result: jax.Array = x.at[(*(slice(None),) * axis, positions)].add(updates)
    return result
