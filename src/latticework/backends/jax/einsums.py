"""Everyday functions on JAX: what is not composed of others."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from ..arguments import check_diagonals


def _einsum(operands: list[Any], *, subscripts: str) -> jax.Array:
    check_diagonals(subscripts, tuple([x.shape for x in operands]))
    return jnp.einsum(subscripts, *operands)
