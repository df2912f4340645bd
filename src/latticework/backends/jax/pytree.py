"""`Array` as a node of JAX's trees: `jax.jit`, `jax.vmap`, `jax.lax.scan` and their kin take and give it.

The policy in force is part of the node. A compiled function of `Array`s is traced again under another policy, and finds
its earlier trace under a policy that it knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax
from jax.tree_util import GetAttrKey, register_pytree_with_keys

from ...backend import get
from ...core.signature import Sig
from ...engine.arrays.array import Array
from ...policy import Policy, current

_KEY = GetAttrKey("data")
_STAYS = frozenset((Array, dict, tuple, list))


_Node = tuple[Sig, Policy]


def _flatten_with_keys(x: Array) -> tuple[tuple[tuple[Any, Any]], _Node]:
    return ((_KEY, x._data),), (x._sig, current())


def _flatten(x: Array) -> tuple[tuple[Any], _Node]:
    return (x._data,), (x._sig, current())


def _unflatten(node: _Node, leaves: Iterable[Any]) -> Any:
    """Make an array of a leaf. JAX puts anything in its place: tracers, arrays of another dtype, None, its own objects.

    An array of another backend becomes one of JAX's. An `Array`, or a container of `Array`s, stays as it is:
    `jax.jacobian` and `jax.hessian` put the derivatives by an array in the place of the array.
    """
    (data,), sig = leaves, node[0]
    if type(data) in _STAYS:
        return data
    result = Array()
    result._data = data
    if isinstance(data, jax.Array):
        backend = get("jax")
        dtype = backend.dtypes.get(data.dtype)
        if dtype is not None and (dtype is not sig.dtype or sig.backend is not backend):
            sig = backend.sig(dtype)
    result._sig = sig
    return result


register_pytree_with_keys(Array, _flatten_with_keys, _unflatten, _flatten)
