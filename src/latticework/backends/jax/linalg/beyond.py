"""Linear algebra beyond the standard's extension, on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from numpy.linalg import LinAlgError

from .extension import _all_finite, _norm_of

expm = jax.jit(jax.scipy.linalg.expm)


@partial(jax.jit, static_argnames=("upper", "transpose", "unit_diagonal"))
def _triangular(a: jax.Array, b: jax.Array, *, upper: bool, transpose: bool, unit_diagonal: bool) -> Any:
    right = b[:, None] if b.ndim == 1 else b
    stack = jnp.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    x = jax.lax.linalg.triangular_solve(
        jnp.broadcast_to(a, (*stack, *a.shape[-2:])), jnp.broadcast_to(right, (*stack, *right.shape[-2:])),
        left_side=True, lower=not upper, transpose_a=transpose, unit_diagonal=unit_diagonal,
    )  # fmt: skip
    singular = jnp.zeros((), bool) if unit_diagonal else (jnp.diagonal(a, 0, -2, -1) == 0).any()
    return x[..., 0] if b.ndim == 1 else x, singular & ~_all_finite(x)


def solve_triangular(
    a: jax.Array, b: jax.Array, *, upper: bool = False, transpose: bool = False, unit_diagonal: bool = False
) -> jax.Array:
    x, singular = _triangular(a, b, upper=upper, transpose=transpose, unit_diagonal=unit_diagonal)
    if not isinstance(singular, jax.core.Tracer) and singular:
        raise LinAlgError("a matrix is singular")
    return x


@jax.jit
def lu_factor(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    factors, pivots, _ = jax.lax.linalg.lu(x)
    return factors, pivots


@partial(jax.jit, static_argnums=1)
def _permutation(pivots: jax.Array, m: int) -> jax.Array:
    return jax.lax.linalg.lu_pivots_to_permutation(pivots, m)


@jax.jit
def schur(x: jax.Array) -> Any:
    return jax.lax.linalg.schur(x)


@partial(jax.jit, static_argnames="p")
def cdist(x1: jax.Array, x2: jax.Array, *, p: float = 2) -> jax.Array:
    """XLA makes no array of the differences: it sums them as they are made."""
    return _norm_of(x1[..., :, None, :] - x2[..., None, :, :], -1, False, p)


def _cdist_when(x1: jax.Array, x2: jax.Array, *, p: float = 2) -> bool:
    """Tell whether the vectors have elements, of more than 16 bits, whose squares would leave their range."""
    return x1.dtype.itemsize > 2 and x1.shape[-1] > 0 and p >= 0


cdist.when = _cdist_when
