"""Sorting functions on JAX."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp


def sort(x: jax.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> jax.Array:
    if descending and stable and x.dtype.kind not in "biu":  # it shows in zeros, which JAX turns round
        return _sort_backwards(x, axis)
    return jnp.sort(x, axis=axis, descending=descending, stable=stable)


@partial(jax.jit, static_argnums=1)
def _sort_backwards(x: jax.Array, axis: int) -> jax.Array:
    return jnp.flip(jnp.sort(jnp.flip(x, axis), axis=axis), axis)


def argsort(x: jax.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> jax.Array:
    return jnp.argsort(x, axis=axis, descending=descending, stable=stable)
