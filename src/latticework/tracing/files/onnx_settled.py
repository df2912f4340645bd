"""What follows from the arrays that a program holds: it is computed where ONNX has no operator for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes import Constant, Node, Value, mapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...backend import Backend
    from .onnx_writer import Writer

__all__ = ["Settled"]


class Settled:
    """The values that are the same for all inputs of a model: constants, and what is computed from them alone.

    Attributes
    ----------
    known: the id of a value -> its NumPy array; None where it depends on an input.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.known: dict[int, Any] = {}
        self._made_by: dict[int, tuple[Node, Backend]] = {}
        self._others: dict[int, tuple[Value, Backend]] = {}

    def written(self, values: Iterable[int]) -> None:
        """Note that the program writes into values, whose ids are given: their elements are not known from here on."""
        self.known.update(dict.fromkeys(values))

    def made(self, node: Node) -> None:
        """Note a call."""
        if not node.blocks:
            for value in node.results:
                self._made_by[id(value)] = node, self.writer.backend

    def stands_for(self, value: Value, other: Value) -> None:
        """Note that an input of a definition is a value of the call."""
        self._others[id(value)] = other, self.writer.backend

    def results(self, node: Node) -> list[Any] | None:
        """Compute the results of a call, as NumPy arrays; None where they depend on an input of the model."""
        self.made(node)
        found = [self._array(value, self.writer.backend) for value in node.results]
        return None if any(x is None for x in found) else found

    def _array(self, value: Value, backend: Backend) -> Any:
        if id(value) not in self.known:
            self.known[id(value)] = None
            self.writer.kept.append(value)
            self.known[id(value)] = self._found(value, backend)
        return self.known[id(value)]

    def _found(self, value: Value, backend: Backend) -> Any:
        if isinstance(value, Constant):
            return backend.to_numpy(backend.native(value.native), None, None)
        if id(value) in self._others:
            return self._array(*self._others[id(value)])
        if id(value) not in self._made_by:
            return None
        node, backend = self._made_by[id(value)]
        operands = {id(v): self._array(v, backend) for v in node.operands}
        if any(x is None for x in operands.values()):
            return None
        natives = {key: backend.from_numpy(x, None, True) for key, x in operands.items()}
        args, kw = mapped((node.args, node.kwargs), Value, lambda v: natives[id(v)])
        arrays: list[Any] = []
        mapped(node.function(*args, **kw), backend.arrays, arrays.append)
        for result, x in zip(node.results, arrays, strict=True):
            self.known[id(result)] = backend.to_numpy(backend.native(x), None, None)
        return self.known[id(value)]
