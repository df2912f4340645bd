"""`Array` as a node of JAX's trees: `jax.jit`, `jax.vmap`, `jax.lax.scan` and their kin take and give it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax
from jax.tree_util import GetAttrKey, register_pytree_with_keys

from ...core.signature import Sig
from ...engine.array import Array
from .. import get

_KEY = GetAttrKey("data")


def _flatten_with_keys(x: Array) -> tuple[tuple[tuple[Any, Any]], Sig]:
    return ((_KEY, x._data),), x._sig


def _flatten(x: Array) -> tuple[tuple[Any], Sig]:
    return (x._data,), x._sig


def _unflatten(sig: Sig, leaves: Iterable[Any]) -> Array:
    """JAX puts anything in the place of an array: tracers, arrays of another dtype, None, objects of its own.

    What was an array of another backend before is one of JAX's now.
    """
    result = Array()
    (result._data,) = (data,) = leaves
    if isinstance(data, jax.Array):
        backend = get("jax")
        dtype = backend.dtypes.get(data.dtype)
        if dtype is not None and (dtype is not sig.dtype or sig.backend is not backend):
            sig = backend.sig(dtype)
    result._sig = sig
    return result


register_pytree_with_keys(Array, _flatten_with_keys, _unflatten, _flatten)
