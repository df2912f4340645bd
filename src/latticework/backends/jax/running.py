"""Running extremes on JAX, whose functions count no axis from the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ..arguments import only_axis


def cummax(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(lax.cummax, x, axis)


def cummin(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(lax.cummin, x, axis)


def logcumsumexp(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    """The derivatives of JAX's are nan where the sum is of zeros, whose logarithm is -inf."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return _accumulated(lax.cumlogsumexp, x, axis)
    return _logcumsumexp(x, axis)


@partial(jax.jit, static_argnums=1)
def _logcumsumexp(x: jax.Array, axis: int | None) -> jax.Array:
    greatest = _accumulated(lax.cummax, x, axis)
    least = jnp.asarray(jnp.finfo(x.dtype).min / 4, x.dtype)
    total = _accumulated(lax.cumlogsumexp, jnp.where(x == -jnp.inf, least, x), axis)
    return jnp.where(greatest == -jnp.inf, greatest, total)


def _accumulated(f: Callable[..., Any], x: jax.Array, axis: int | None) -> jax.Array:
    axis = only_axis(x.ndim) if axis is None else axis
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of bounds")
    if x.dtype == bool:  # which these take none of
        return f(x.astype("uint8"), axis=axis % x.ndim).astype(bool)
    result: jax.Array = f(x, axis=axis % x.ndim)
    return result
