"""Categories on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

_softmax = jax.jit(jax.nn.softmax, static_argnames="axis")  # which by itself is a kernel for each step
_log_softmax = jax.jit(jax.nn.log_softmax, static_argnames="axis")


def softmax(x: jax.Array, *, axis: Any = -1, where: jax.Array | None = None) -> jax.Array:
    _check_mask(x, where)
    return _softmax(x, axis=axis, where=where)


def log_softmax(x: jax.Array, *, axis: Any = -1, where: jax.Array | None = None) -> jax.Array:
    _check_mask(x, where)
    return _log_softmax(x, axis=axis, where=where)


def _check_mask(x: jax.Array, where: jax.Array | None) -> None:
    """JAX broadcasts x to the shape of a mask with more axes."""
    if where is not None and jnp.broadcast_shapes(x.shape, where.shape) != x.shape:
        raise ValueError("where must broadcast to the shape of x")


@partial(jax.jit, static_argnames=("num_classes", "axis"))
def _one_hot(x: jax.Array, like: jax.Array, *, num_classes: int, axis: int) -> jax.Array:
    categories = jnp.arange(num_classes, dtype=x.dtype).reshape(num_classes, *(1,) * (x.ndim - axis))
    return (jnp.expand_dims(x, axis) == categories).astype(like.dtype)
