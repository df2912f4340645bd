"""Searching functions on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .core import on_host, put_back, truth


def argmax(x: jax.Array, *, axis: int | None = None, keepdims: bool = False) -> jax.Array:
    return jnp.argmax(x, axis, keepdims=keepdims)


def argmin(x: jax.Array, *, axis: int | None = None, keepdims: bool = False) -> jax.Array:
    return jnp.argmin(x, axis, keepdims=keepdims)


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def count_nonzero(x: jax.Array, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> jax.Array:
    return jnp.count_nonzero(truth(x), axis, keepdims)


def nonzero(x: jax.Array) -> tuple[jax.Array, ...]:
    if not x.ndim:
        raise ValueError("x must have at least one axis")
    return nonzeros(x)


def nonzeros(x: Any) -> tuple[jax.Array, ...]:
    """On the CPU by NumPy: JAX compiles anew for every number of them."""
    if not on_host(x):
        return jnp.nonzero(x)
    return tuple([put_back(found, x) for found in np.nonzero(np.asarray(x))])


def searchsorted(x1: Any, x2: Any, *, side: Any = "left", sorter: None = None) -> jax.Array:
    if x1.ndim != 1:
        raise ValueError("x1 must have exactly one axis")
    if side not in ("left", "right"):
        raise ValueError("side must be 'left' or 'right'")
    return _searchsorted(x1, x2, side)


@partial(jax.jit, static_argnums=2)
def _searchsorted(x1: Any, x2: Any, side: str) -> jax.Array:
    return jnp.searchsorted(x1, x2, side=side).astype(int)  # int32 as long as x1 is short enough


def _without_sorter(*operands: Any, side: Any = "left", sorter: Any = None) -> bool:
    """JAX's own `sorter` is a native array; ours is left to the composition."""
    return sorter is None


searchsorted.when = _without_sorter  # type: ignore[attr-defined]

where = jnp.where
