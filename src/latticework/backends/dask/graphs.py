"""The graphs of a loop, brought into one as it goes.

An operation of Dask copies the list of all layers of its operands. A loop of n steps would copy n times as many layers
as it has steps so far. Here the layers of past steps become two: one of the array's own blocks, and one of all tasks so
far, which the arrays of all steps share and which only grows.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

#: The number of layers of an array above which they are joined into one.
_MANY = 64


class LoopGraphs:
    """The tasks of a loop so far."""

    def __init__(self) -> None:
        self.name = f"loop-{uuid.uuid4().hex}"
        self.tasks: dict[Any, Any] = {}
        self.done: set[str] = {self.name}

    def many(self, arrays: Sequence[da.Array]) -> bool:
        """Tell whether it is time to bring the graphs of these arrays into one."""
        return any(len(x.dask.layers) > _MANY for x in arrays)

    def held(self, arrays: Sequence[da.Array]) -> list[da.Array]:
        """Compute the arrays and return them with their blocks in memory, on the workers where there are some."""
        return list(dask.persist(*arrays))

    def joined(self, arrays: Sequence[da.Array]) -> list[da.Array]:
        """Return the arrays, with graphs of two layers each."""
        for x in arrays:
            for name, layer in x.dask.layers.items():
                if name not in self.done:
                    self.tasks.update(layer)
                    self.done.add(name)
        every = MaterializedLayer(self.tasks)
        return [self._two_layers(x, every) for x in arrays]

    def _two_layers(self, x: da.Array, every: MaterializedLayer) -> da.Array:
        own = MaterializedLayer(dict(x.dask.layers[x.name]))
        graph = HighLevelGraph({x.name: own, self.name: every}, {x.name: {self.name}, self.name: set()})
        return da.Array(graph, x.name, x.chunks, meta=x._meta)
