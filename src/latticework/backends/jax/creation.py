"""Creation functions on JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from .core import to_device

empty = jnp.empty
ones = jnp.ones
zeros = jnp.zeros


def _full(shape: Any, fill_value: complex, *, dtype: Any, device: Any) -> jax.Array:
    return jnp.full(shape, dtype.type(fill_value), dtype, device=device)


def _count(n: int, first: int, step: int, *, dtype: Any, device: Any) -> jax.Array:
    made = jax.lax.iota(dtype, n)
    if dtype.kind in "iu":  # wrapping around makes the right bits of whatever lies beyond the dtype on the way
        made = _straight(made, _wrapped(first, dtype), _wrapped(step, dtype))
    return made if device is None else to_device(made, device, None)


@jax.jit
def _straight(n: jax.Array, first: Any, step: Any) -> jax.Array:
    return n * step + first


def _wrapped(value: int, dtype: Any) -> Any:
    half = 2 ** (8 * dtype.itemsize - 1) if dtype.kind == "i" else 0
    return dtype.type((value + half) % 2 ** (8 * dtype.itemsize) - half)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any, device: Any) -> jax.Array:
    return jnp.eye(n_rows, n_cols, k, dtype, device=device)


def tril(x: jax.Array, *, k: int = 0) -> jax.Array:
    return jnp.tril(x, _diagonal(x, k))


def triu(x: jax.Array, *, k: int = 0) -> jax.Array:
    return jnp.triu(x, _diagonal(x, k))


def _diagonal(x: jax.Array, k: int) -> int:
    """Of those that lie outside the matrix the nearest, for JAX takes no int beyond int64."""
    if x.ndim < 2:
        raise ValueError(f"takes arrays of at least two axes; got {x.ndim}")
    return max(-x.shape[-2], min(k, x.shape[-1]))
