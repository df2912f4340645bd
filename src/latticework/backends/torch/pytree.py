"""`Array` in PyTorch's trees, so that `torch.func.vmap`, `grad` and their kin, and `torch.compile` take functions of
`Array`s.

The compiler reads bytecode, and knows neither context variables nor ``@`` on objects. It does not have to read a
function marked by `torch._dynamo.nonstrict_trace(f)`: it runs the function and records its PyTorch calls, without a
graph break.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._pytree import register_pytree_node

from ...backend import get, of
from ...engine.arrays.array import Array

#: torch's dtype -> the signature of its arrays. Filled later, since the backend imports this module.
_SIGS: dict[Any, Any] = {}


def _flatten(x: Array) -> tuple[list[Any], None]:
    return [x._data], None


def _unflatten(leaves: Iterable[Any], _: None) -> Any:
    """Make an array of a leaf. An object in a tensor's place, such as the axis to map along, stays as it is."""
    (leaf,) = leaves
    if not isinstance(leaf, torch.Tensor):
        return _of_others(leaf)
    if not _SIGS:
        _fill()
    result = Array()
    result._data = leaf
    result._sig = _SIGS[leaf.dtype]
    return result


def _fill() -> None:
    owner = get("torch")
    _SIGS.update({native: owner.sigs[ours] for native, ours in owner.dtypes.items()})


def _of_others(leaf: Any) -> Any:
    """Wrap an array of another backend, which has come through a PyTorch tree unchanged; leave other objects."""
    owner = of(leaf)
    if owner is None:
        return leaf
    result = Array()
    result._data, result._sig = leaf, owner.sig_of(leaf)
    return result


register_pytree_node(Array, _flatten, _unflatten, serialized_type_name="latticework.Array")
