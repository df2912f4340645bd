"""Scattering on JAX, whose own drops what lies out of bounds: positions that have values are checked first."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ...engine.indexing import check_bounds
from ..arguments import NOWHERE, check_segments
from .indexing import _bounds

_NAMES = {"replace": "set", "sum": "add", "multiply": "multiply", "min": "min", "max": "max"}


def _positions(indices: Any, *, n: int, axis: int = 0, drop: bool = False) -> Any:
    """Positions counted from the start. `drop`: negative ones become n, which stands for none."""
    bounds = None if isinstance(indices, jax.core.Tracer) else _bounds(indices)
    if drop:
        if bounds is not None:
            check_segments(bounds[1], n)
        return indices if bounds is not None and bounds[0] >= 0 else jnp.where(indices < 0, n, indices)
    check_bounds(bounds, n, axis)
    if bounds is not None and bounds[0] >= 0:
        return indices
    found = jnp.where(indices < 0, indices + n, indices)
    return found if bounds is not None else jnp.where((found < 0) | (found >= n), NOWHERE, found)


def _scatter(x: Any, positions: Any, updates: Any, *, reduction: str) -> jax.Array:
    result: jax.Array = getattr(jnp.asarray(x).at[positions], _NAMES[reduction])(updates)
    return result


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
