"""Creation functions on JAX."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ...backend.arguments import check_size, near_diagonal
from .core import to_device

empty = jnp.empty
ones = jnp.ones
zeros = jnp.zeros


def _full(shape: Any, fill_value: complex, *, dtype: Any, device: Any) -> jax.Array:
    check_size(shape if isinstance(shape, int) else math.prod(shape))
    return jnp.full(shape, dtype.type(fill_value), dtype, device=device)


def _count(n: int, first: int, step: int, *, dtype: Any, device: Any) -> jax.Array:
    check_size(n)
    if dtype.kind not in "iu":
        result = _iota(n, dtype)
    else:  # integers beyond the dtype wrap around to the right bits
        result = _straight(n, dtype, _wrapped(first, dtype), _wrapped(step, dtype))
    return result if device is None else to_device(result, device, None)


@partial(jax.jit, static_argnums=(0, 1))
def _iota(n: int, dtype: Any) -> jax.Array:
    return jax.lax.iota(dtype, n)


@partial(jax.jit, static_argnums=(0, 1))
def _straight(n: int, dtype: Any, first: Any, step: Any) -> jax.Array:
    return jax.lax.iota(dtype, n) * step + first


def _wrapped(value: int, dtype: Any) -> Any:
    half = 2 ** (8 * dtype.itemsize - 1) if dtype.kind == "i" else 0
    return dtype.type((value + half) % 2 ** (8 * dtype.itemsize) - half)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any, device: Any) -> jax.Array:
    n_cols = n_rows if n_cols is None else n_cols
    check_size(n_rows * n_cols)
    result = _eye(n_rows, n_cols, dtype, near_diagonal((n_rows, n_cols), k))
    return result if device is None else to_device(result, device, None)


@partial(jax.jit, static_argnums=(0, 1, 2))
def _eye(n_rows: int, n_cols: int, dtype: Any, k: Any) -> jax.Array:
    return (_beyond((n_rows, n_cols)) == k).astype(dtype)


def tril(x: jax.Array, *, k: int = 0) -> jax.Array:
    return _lower(x, near_diagonal(x.shape, k))


def triu(x: jax.Array, *, k: int = 0) -> jax.Array:
    return _upper(x, near_diagonal(x.shape, k))


# jax.numpy's functions would be compiled anew for every diagonal.


@jax.jit
def _lower(x: jax.Array, k: Any) -> jax.Array:
    return jnp.where(_beyond(x.shape[-2:]) <= k, x, jnp.zeros((), x.dtype))


@jax.jit
def _upper(x: jax.Array, k: Any) -> jax.Array:
    return jnp.where(_beyond(x.shape[-2:]) >= k, x, jnp.zeros((), x.dtype))


def _beyond(shape: tuple[int, ...]) -> jax.Array:
    """Return the number of the diagonal of each element of a matrix."""
    return jax.lax.broadcasted_iota(int, shape, 1) - jax.lax.broadcasted_iota(int, shape, 0)


# --- building -----------------------------------------------------------------------------------------------------

_diag = jnp.diag
