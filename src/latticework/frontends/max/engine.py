"""MAX's engine, which runs graphs on the backend in force."""

from __future__ import annotations

from typing import Any

from ...core.registry import functions as lw
from .dtype import DType
from .graph import Graph

__all__ = ["Buffer", "InferenceSession", "Model"]


class Buffer:
    """A tensor that a model returned: ``to_numpy()``, ``dtype``, ``shape``, ``item()``; ``array`` is the `lw.Array`."""

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def dtype(self) -> DType:
        """Its dtype."""
        return DType(self.array.dtype.name)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return tuple(self.array.shape)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def to_numpy(self) -> Any:
        """Return its elements as a NumPy array."""
        return lw.to_numpy(self.array)

    def item(self) -> Any:
        """Return its only element."""
        return self.array.item()

    def __repr__(self) -> str:
        return f"max.driver.Buffer({self.dtype}, {self.shape}, cpu[0])"


class Model:
    """A graph that is ready to run."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def execute(self, *args: Any) -> list[Buffer]:
        """Run the graph on arrays, buffers or tensors of any framework."""
        found = self.graph(*[x.array if isinstance(x, Buffer) else x for x in args])
        return [Buffer(x) for x in (found if isinstance(found, tuple) else (found,))]

    __call__ = execute


class InferenceSession:
    """A session that loads graphs. The backend in force runs them."""

    def __init__(self, devices: Any = None, **options: Any) -> None:
        self.devices = devices

    def load(self, model: Graph, **options: Any) -> Model:
        """Make a graph ready to run."""
        if not isinstance(model, Graph):
            raise TypeError(f"load: takes a Graph; got {type(model).__name__}")
        return Model(model)
