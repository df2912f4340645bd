"""Convolutions on JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def convolve(x1: jax.Array, x2: jax.Array, *, mode: Any = "full") -> jax.Array:
    half = x1.dtype.itemsize == 2 and jnp.issubdtype(x1.dtype, jnp.floating)
    wide = jnp.float32 if half else None
    return jnp.convolve(x1, x2, mode, precision="highest", preferred_element_type=wide).astype(x1.dtype)
