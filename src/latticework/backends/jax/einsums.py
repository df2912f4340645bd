"""Everyday functions on JAX: what is not composed of others."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def _einsum(operands: list[Any], *, subscripts: str) -> jax.Array:
    return jnp.einsum(subscripts, *operands)
