"""`Array` in PyTorch's trees, so that what takes functions takes those of our arrays: `torch.func.vmap`, `grad` and
their kin, `torch.compile`.

The compiler reads bytecode, and knows neither context variables nor ``@`` on objects. It does not have to read a
function that is marked, `torch._dynamo.nonstrict_trace(f)`: that is run, and its calls of PyTorch are recorded, whole
and without a break.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._pytree import register_pytree_node

from ...engine.array import Array
from .. import get, of

#: torch's dtype -> the signature of its arrays. Filled when the backend is there, which holds this module.
_SIGS: dict[Any, Any] = {}


def _flatten(x: Array) -> tuple[list[Any], None]:
    return [x._data], None


def _unflatten(leaves: Iterable[Any], _: None) -> Any:
    """What PyTorch puts in a tensor's place, such as the axis to map along, stays as it is."""
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
    """An array of another backend, which has come through a tree of PyTorch's unchanged, or no array."""
    owner = of(leaf)
    if owner is None:
        return leaf
    result = Array()
    result._data, result._sig = leaf, owner.sig_of(leaf)
    return result


register_pytree_node(Array, _flatten, _unflatten, serialized_type_name="latticework.Array")
