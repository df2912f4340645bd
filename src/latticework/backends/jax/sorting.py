"""Sorting functions on JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...backend import get
from .core import DTYPES
from .core import on_a_gpu as _on_a_gpu
from .shared import numpy_computes as _numpy_computes


def sort(x: jax.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> jax.Array:
    if axis is None:  # for which JAX sorts all elements
        raise IndexError("there is no such axis")
    if descending and stable and x.dtype.kind not in "biu":  # it shows in zeros, which JAX turns round
        return _sort_backwards(x, axis)
    return jnp.sort(x, axis=axis, descending=descending, stable=stable)


@partial(jax.jit, static_argnums=1)
def _sort_backwards(x: jax.Array, axis: int) -> jax.Array:
    return jnp.flip(jnp.sort(jnp.flip(x, axis), axis=axis), axis)


def argsort(x: jax.Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> jax.Array:
    if axis is None:
        raise IndexError("there is no such axis")
    return jnp.argsort(x, axis=axis, descending=descending, stable=stable)


def top_k(
    x: jax.Array, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[jax.Array, jax.Array]:
    return _top_k(x, k, axis, largest)


@partial(jax.jit, static_argnums=(1, 2, 3))
def _top_k(x: jax.Array, k: int, axis: int, largest: bool) -> tuple[jax.Array, jax.Array]:
    """Find the first k: JAX orders floats by their bits, -0.0 before 0.0, and nan first or last by its sign."""
    turned = jnp.moveaxis(x, axis, -1)
    keys = turned.astype(jnp.uint8) if turned.dtype == bool else turned
    if jnp.issubdtype(keys.dtype, jnp.floating):
        keys = jnp.where(jnp.isnan(keys), jnp.nan, jnp.where(keys == 0, 0, keys)).astype(keys.dtype)
        if not largest and _on_a_gpu():  # there, nan is the greatest with a sign too
            keys = ~_in_order(keys)
        else:
            keys = keys if largest else -keys
    elif not largest:
        keys = ~keys
    _, places = jax.lax.top_k(jax.lax.stop_gradient(keys), k)
    places = places.astype(int)
    values = jnp.take_along_axis(turned, places, axis=-1)
    return jnp.moveaxis(values, -1, axis), jnp.moveaxis(places, -1, axis)


def _in_order(x: jax.Array) -> jax.Array:
    """Cast floats to integers of the same order, where zeros and nan have no sign. nan is the greatest."""
    bits = jax.lax.bitcast_convert_type(x, jnp.dtype(f"int{8 * x.dtype.itemsize}"))
    return jnp.where(bits < 0, bits ^ jnp.iinfo(bits.dtype).max, bits)


def _has_elements(x: jax.Array, k: int, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> bool:
    """Tell whether x has elements and k is from 1 to the extent of the axis."""
    return x.size > 0 and -x.ndim <= axis < x.ndim and 0 < k <= x.shape[axis]


top_k.when = _has_elements  # type: ignore[attr-defined]


def partition(x: jax.Array, kth: Any, *, axis: int = -1) -> jax.Array:
    return _by_numpy("partition", x, kth, axis)


def argpartition(x: jax.Array, kth: Any, *, axis: int = -1) -> jax.Array:
    return _by_numpy("argpartition", x, kth, axis).astype(int)


def _by_numpy(name: str, x: jax.Array, kth: Any, axis: int) -> jax.Array:
    function: Any = get("numpy").function(name, DTYPES[x.dtype])
    result: jax.Array = jax.device_put(function(np.asarray(x), kth=kth, axis=axis), x.sharding)
    return result


def _on_numpy(x: jax.Array, kth: Any, *, axis: int = -1) -> bool:
    """Tell whether x has elements in the memory of one CPU, which nothing traces.

    NumPy partitions them in a tenth of the time that JAX sorts in.
    """
    return x.size > 0 and x.ndim > 0 and _numpy_computes(x)


partition.when = argpartition.when = _on_numpy  # type: ignore[attr-defined]
