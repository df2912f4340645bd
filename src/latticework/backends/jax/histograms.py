"""Counting on JAX, by sums at positions."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...backend import get
from ...backend.arguments import check_size
from .core import DTYPES
from .shared import numpy_computes as _numpy_computes


def _bincount(x: jax.Array, *, minlength: int = 0, length: int | None = None) -> jax.Array:
    return _at(x, jnp.ones(x.shape, int), _length(x, minlength) if length is None else length)


def _weighted_bincount(x: jax.Array, weights: Any, *, minlength: int = 0, length: int | None = None) -> jax.Array:
    if x.shape != weights.shape:
        raise ValueError("weights must have the shape of x")
    return _at(x, weights, _length(x, minlength) if length is None else length)


def _length(x: jax.Array, minlength: int) -> int:
    if isinstance(x, jax.core.Tracer):
        raise ValueError("how long the result is depends on values, which are not there inside jax.jit. Give length=")
    if x.size and int(x.min()) < 0:
        raise ValueError("x must not be negative")
    length = max(int(x.max()) + 1 if x.size else 0, minlength)
    check_size(length)
    return length


@partial(jax.jit, static_argnums=2)
def _at(x: jax.Array, weights: jax.Array, length: int) -> jax.Array:
    if x.ndim != 1:
        raise ValueError("x must have exactly one axis")
    work = jnp.float32 if weights.dtype.itemsize == 2 and jnp.issubdtype(weights.dtype, jnp.floating) else weights.dtype
    places = jnp.where(x < 0, length, x)
    return jnp.zeros(length, work).at[places].add(weights.astype(work), mode="drop").astype(weights.dtype)


def _count_between(x: jax.Array, edges: jax.Array) -> jax.Array:
    count: Any = get("numpy").function("_count_between", DTYPES[x.dtype])
    result: jax.Array = jax.device_put(count(np.asarray(x), np.asarray(edges)).astype(jnp.asarray(0).dtype), x.sharding)
    return result


def _of_wide_bins(x: jax.Array, edges: jax.Array) -> bool:
    """Tell whether x lies in the memory of one CPU and nothing traces it, its dtype has more than 16 bits and there are
    fewer than 65,536 edges."""
    return x.dtype.itemsize > 2 and edges.size < 1 << 16 and _numpy_computes(x) and _numpy_computes(edges)


_count_between.when = _of_wide_bins  # type: ignore[attr-defined]
