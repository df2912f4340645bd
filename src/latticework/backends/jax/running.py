"""Running extremes on JAX, whose functions count no axis from the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import lax

from ..arguments import only_axis


def cummax(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(lax.cummax, x, axis)


def cummin(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(lax.cummin, x, axis)


def logcumsumexp(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(lax.cumlogsumexp, x, axis)


def _accumulated(f: Callable[..., Any], x: jax.Array, axis: int | None) -> jax.Array:
    axis = only_axis(x.ndim) if axis is None else axis
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of bounds")
    if x.dtype == bool:  # which these take none of
        return f(x.astype("uint8"), axis=axis % x.ndim).astype(bool)
    result: jax.Array = f(x, axis=axis % x.ndim)
    return result
