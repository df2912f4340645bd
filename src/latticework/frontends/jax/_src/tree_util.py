"""The classes that are trees."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ....core.trees import NODES, node
from ....engine.arrays.array import HOLDERS, Array
from ..tree_util import *  # noqa: F403
from ..tree_util import LEAVES

__all__ = ["_registry"]

_OF_PYTHON: tuple[type, ...] = (tuple, list, dict, type(None), OrderedDict, defaultdict)


class _Registry(Mapping[type, Any]):
    """The classes whose objects are trees, each with the function that takes an object apart. Arrays are leaves."""

    def __getitem__(self, kind: type) -> Any:
        if kind in HOLDERS or kind is Array or kind in LEAVES or (kind not in _OF_PYTHON and kind not in NODES):
            raise KeyError(kind)
        return node

    def __iter__(self) -> Iterator[type]:
        return (kind for kind in (*_OF_PYTHON, *NODES) if kind in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


_registry = _Registry()
