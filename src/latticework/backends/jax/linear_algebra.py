"""Linear algebra of the main namespace on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from ...backend.arguments import check_diagonals

matmul = jnp.matmul
matrix_transpose = jnp.matrix_transpose


def vecdot(x1: jax.Array, x2: jax.Array, *, axis: int = -1) -> jax.Array:
    if axis >= 0 and x1.ndim != x2.ndim:
        raise ValueError(f"axis {axis} is ambiguous for shapes {x1.shape} and {x2.shape}. Count it from the end, as -1")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"{x1.shape[axis]} elements and {x2.shape[axis]}")
    return _vecdot(x1, x2, axis)


@partial(jax.jit, static_argnums=2)
def _vecdot(x1: jax.Array, x2: jax.Array, axis: int) -> jax.Array:
    return jnp.vecdot(x1, x2, axis=axis)


# --- einsums ------------------------------------------------------------------------------------------------------


def _einsum(operands: list[Any], *, subscripts: str) -> jax.Array:
    check_diagonals(subscripts, tuple([x.shape for x in operands]))
    return jnp.einsum(subscripts, *operands)
