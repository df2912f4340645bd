"""Searching functions on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...backend.arguments import check_search, rows_to_search
from .core import on_a_gpu as _on_a_gpu
from .core import on_host, put_back, truth
from .statistical import numbers


def argmax(x: jax.Array, *, axis: int | None = None, keepdims: bool = False) -> jax.Array:
    along = numbers(axis)
    found = jnp.argmax(x, along, keepdims=keepdims)
    return _first_nan(x, found, along, keepdims) if _on_a_gpu() else found


def argmin(x: jax.Array, *, axis: int | None = None, keepdims: bool = False) -> jax.Array:
    along = numbers(axis)
    found = jnp.argmin(x, along, keepdims=keepdims)
    return _first_nan(x, found, along, keepdims) if _on_a_gpu() else found


def _first_nan(x: jax.Array, found: jax.Array, axis: Any, keepdims: bool) -> jax.Array:
    """On a GPU: return the place of an extreme, of the first nan where there are several. JAX finds any of them."""
    if x.dtype.kind in "biu":
        return found
    unknown = jnp.isnan(x)
    first = jnp.argmax(unknown, axis, keepdims=keepdims)
    return jnp.where(jnp.any(unknown, axis, keepdims=keepdims), first, found)


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def count_nonzero(x: jax.Array, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> jax.Array:
    return jnp.count_nonzero(truth(x), numbers(axis), keepdims)


def nonzero(x: jax.Array) -> tuple[jax.Array, ...]:
    """Find nonzero elements, on the CPU by NumPy: JAX compiles anew for every number of them."""
    if not x.ndim:
        raise ValueError("x must have at least one axis")
    if not on_host(x):
        return jnp.nonzero(x)
    return tuple([put_back(found, x) for found in np.nonzero(np.asarray(x))])


def searchsorted(x1: Any, x2: Any, *, side: Any = "left") -> jax.Array:
    if x1.ndim != 1:
        rows_to_search(x1.shape, x2.shape, side)
        return _searched_by_rows(x1, x2, side)
    check_search(1, side)
    return _searchsorted(x1, x2, side)


@partial(jax.jit, static_argnums=2)
def _searched_by_rows(x1: Any, x2: Any, side: str) -> jax.Array:
    if not (x1.size and x2.size):
        return jnp.zeros(x2.shape, int)
    search = jax.vmap(partial(jnp.searchsorted, side=side))
    found = search(x1.reshape(-1, x1.shape[-1]), x2.reshape(-1, x2.shape[-1]))
    return found.reshape(x2.shape).astype(int)


@partial(jax.jit, static_argnums=2)
def _searchsorted(x1: Any, x2: Any, side: str) -> jax.Array:
    return jnp.searchsorted(x1, x2, side=side).astype(int)  # int32 as long as x1 is short enough


where = jnp.where
