"""Linear algebra beyond the standard's extension, on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from numpy.linalg import LinAlgError

from .extension import _all_finite, _norm_of

#: The most squarings that JAX's function compiles for a stack, and the most that follow it here.
_SQUARED, _BEYOND = 16, 48


@jax.jit
def expm(x: jax.Array) -> jax.Array:
    """Compute expm. JAX gives nan where its squarings are not enough: it gets scaled matrices, and squarings follow."""
    if x.ndim < 2 or not x.size:
        return jax.scipy.linalg.expm(x)
    size = jnp.abs(x).sum(-2, keepdims=True).max(-1, keepdims=True)
    limit = 3.9 * 2.0**_SQUARED
    times = jnp.where(size > limit, jnp.ceil(jnp.log2(size / limit)), 0)
    times = jnp.where(times <= _BEYOND, times, 0)
    y = jax.scipy.linalg.expm(x / jnp.exp2(times).astype(x.dtype), max_squarings=_SQUARED)
    most = times.max()

    def step(y: jax.Array, i: jax.Array) -> Any:
        squared = partial(jnp.matmul, precision=jax.lax.Precision.HIGHEST)
        return jax.lax.cond(i < most, lambda y: jnp.where(i < times, squared(y, y), y), lambda y: y, y), None

    return jax.lax.scan(step, y, jnp.arange(_BEYOND, dtype=times.dtype))[0]


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


#: The number of steps, as in the composition, and of the last ones without scaling.
_STEPS, _UNSCALED = 12, 5


def _turn(x: jax.Array) -> jax.Array:
    """Return the angle by which a complex matrix is turned, so that no eigenvalue is on the negative real axis."""
    angles = jnp.angle(jnp.linalg.eigvals(jax.lax.stop_gradient(x)))
    on_axis = jnp.pi - jnp.abs(angles) < jnp.finfo(angles.dtype).eps ** 0.5
    gap = jnp.where(on_axis, 2 * jnp.pi, angles + jnp.pi).min(-1)
    return jnp.where(on_axis.any(-1), gap / 2, 0)


@jax.jit
def sqrtm(x: jax.Array) -> jax.Array:
    """Run the iteration of the composition as a loop: XLA would compile each of its steps."""
    n = x.shape[-1]
    if x.ndim < 2 or n != x.shape[-2]:
        raise ValueError("takes square matrices")
    if not n:
        return x
    one = jnp.eye(n, dtype=x.dtype)
    turn = _turn(x)[..., None, None] if jnp.iscomplexobj(x) else None
    if turn is not None:
        x = x * jnp.exp(-1j * turn)

    def step(i: jax.Array, found: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        m, y = found
        inverse = jnp.linalg.inv(m)
        scale = jnp.exp(jnp.linalg.slogdet(m)[1] * (-1 / (2 * n)))
        scale = jnp.where((i < _STEPS - _UNSCALED) & jnp.isfinite(scale), scale, 1)[..., None, None].astype(x.dtype)
        square = scale * scale
        return (
            (one + (square * m + inverse / square) / 2) / 2,
            jnp.matmul(y, scale * (one + inverse / square)) / 2,
        )

    _, y = jax.lax.fori_loop(0, _STEPS, step, (x, x))
    off = jnp.abs(jnp.matmul(y, y) - x).max((-2, -1), keepdims=True)
    size = jnp.abs(y).max((-2, -1), keepdims=True)
    y = jnp.where(off <= size * size * (n * jnp.finfo(x.dtype).eps ** 0.5), y, jnp.nan)
    return y if turn is None else y * jnp.exp(0.5j * turn)


@partial(jax.jit, static_argnames="p")
def cdist(x1: jax.Array, x2: jax.Array, *, p: float = 2) -> jax.Array:
    """XLA makes no array of the differences: it sums them as they are made."""
    return _norm_of(x1[..., :, None, :] - x2[..., None, :, :], -1, False, p)


def _cdist_when(x1: jax.Array, x2: jax.Array, *, p: float = 2) -> bool:
    """Tell whether the vectors have the same number of elements, one or more, of more than 16 bits.

    The squares of 16 bits would leave their range. Vectors of one element would broadcast.
    """
    return x1.dtype.itemsize > 2 and 0 < x1.shape[-1] == x2.shape[-1] and p >= 0


cdist.when = _cdist_when
