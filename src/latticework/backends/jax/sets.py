"""Set functions on JAX, made of a stable sort: JAX has no order for complex numbers with nan among them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .core import on_host, put_back


def isin(x1: Any, x2: Any, *, invert: bool = False) -> jax.Array:
    return jnp.isin(x1, x2, invert=invert)


@jax.jit
def _grouped(x: jax.Array) -> tuple[jax.Array, ...]:
    """Return the elements in order, their positions, and the mask of the first of each kind."""
    flat = x.reshape(-1)
    order = _order(flat) if jnp.iscomplexobj(flat) else jnp.argsort(flat, stable=True)
    values = flat[order]
    first = jnp.concatenate([jnp.ones(min(1, values.size), bool), values[1:] != values[:-1]])
    return values, order, first


def _order(x: jax.Array) -> jax.Array:
    """Return NumPy's order of complex numbers: by the real part, then by the imaginary one. Numbers with a nan are at
    the end, first those whose real part is not nan."""
    none = jnp.isnan(x.real) * 2 + jnp.isnan(x.imag)
    return jnp.lexsort((x.imag, x.real, none))


@jax.jit
def _inverse(x: jax.Array, order: jax.Array, first: jax.Array) -> jax.Array:
    return jnp.empty_like(order).at[order].set(jnp.cumsum(first, dtype=order.dtype) - 1).reshape(x.shape)


def _firsts(first: jax.Array, *of: jax.Array) -> list[jax.Array]:
    """Take the elements that are the first of their kind. On the CPU NumPy does it: it has nothing to compile."""
    if not all(map(on_host, (first, *of))):
        return [x[first] for x in of]
    mask = np.asarray(first)
    return [put_back(np.asarray(x)[mask], first) for x in of]


def _counts(first: jax.Array) -> jax.Array:
    """Count the elements of each kind, from the mask of the first ones."""
    if not on_host(first):
        (starts,) = jnp.nonzero(first)
        return jnp.diff(starts, append=jnp.full(1, first.size, starts.dtype))
    return put_back(np.diff(np.flatnonzero(first), append=first.size), first)


def unique_all(x: jax.Array) -> tuple[jax.Array, ...]:
    values, order, first = _grouped(x)
    return *_firsts(first, values, order), _inverse(x, order, first), _counts(first)


def unique_counts(x: jax.Array) -> tuple[jax.Array, ...]:
    values, _, first = _grouped(x)
    return *_firsts(first, values), _counts(first)


def unique_inverse(x: jax.Array) -> tuple[jax.Array, ...]:
    values, order, first = _grouped(x)
    return *_firsts(first, values), _inverse(x, order, first)


def unique_values(x: jax.Array) -> jax.Array:
    values, _, first = _grouped(x)
    return _firsts(first, values)[0]
