"""Writes into arrays in a model, where arrays never change: a new array stands for the one that is written into."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..nodes import Constant, Node, Value
from ..passes.liveness import has_own_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .onnx_writer import Writer

__all__ = ["Views"]

#: Calls of one array whose result may be a view of it.
_VIEWS = frozenset((
    "index", "reshape", "expand_dims", "squeeze", "permute_dims", "matrix_transpose", "moveaxis", "flip",
    "broadcast_to",
))  # fmt: skip


class Views:
    """The arrays of the program that are views of others, and the writes into arrays."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        #: The id of a view -> the call that made it.
        self.made_by: dict[int, Node] = {}
        #: The calls that made views, in order.
        self.order: list[Node] = []
        #: The ids of the arrays of each block that is being written, from the outermost.
        self.local: list[set[int]] = [set()]

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Write a branch or a body in a block."""
        self.local.append(set())
        try:
            yield
        finally:
            self.local.pop()

    def made(self, node: Node) -> None:
        """Note the results of a call."""
        self.local[-1].update([id(v) for v in node.results])
        if self.writer.backend.facts.immutable or node.name not in _VIEWS:
            return
        if isinstance(node.result, Value) and node.result is not node.operands[0]:
            self.made_by[id(node.result)] = node
            self.order.append(node)

    def write(self, node: Node) -> None:
        """Write a call that writes into an array."""
        w, target = self.writer, node.writes
        assert target is not None
        root, path = target, list[Node]()
        while id(root) in self.made_by:
            path.append(self.made_by[id(root)])
            root = path[-1].operands[0]
        if any(root is v for v in w.graph.block.inputs):
            w.refuse("writes into an argument of the program, which a model cannot. Write into a copy")
        if isinstance(root, Constant) and root.held:
            w.refuse("writes into an array that the program holds, which a model cannot")
        if len(self.local) > 1 and id(root) not in self.local[-1]:
            w.refuse("writes into an array of outside of the branch or loop, which ONNX cannot")
        if node.name == "assign":
            new = self._assigned(node, *node.args, **node.kwargs)
        elif node.result is not None and (has_own_memory(node) or node.name == "power"):
            writer = w.writers[node.name]
            new = w.op("Identity", writer(w, node, *node.args, **node.kwargs))
        else:
            w.refuse("writes into an array in a way that is not written to ONNX")
        w.names[id(target)] = new
        for step in path:  # from the view to what it is a view of
            base = step.operands[0]
            w.names[id(base)] = self._put_back(step, base, w.of(step.result))
        for result in node.results:
            w.names[id(result)] = w.of(target)
            w.kept.append(result)
        changed = {id(root)}
        for view in self.order:
            if id(view.operands[0]) in changed:
                changed.add(id(view.result))
                if view.result is not target:
                    w.give(view, w.writers[view.name](w, view, *view.args, **view.kwargs))
        w.settled.written({*changed, *[id(v) for v in (target, *node.results)]})

    def _put_back(self, step: Node, base: Value, new: str) -> str:
        """Return the array of which a view has new elements."""
        w = self.writer
        if step.name == "index":
            return scattered(w, base, step.args[1], new)
        if step.name in ("reshape", "expand_dims", "squeeze"):
            return w.op("Reshape", new, w.ints(*base.shape), allowzero=1)
        return w.refuse(f"writes into a view of an array by {step.name}, which is not written to ONNX")

    def _assigned(self, node: Node, x: Value, key: Any, value: Any, **_: Any) -> str:
        w = self.writer
        if isinstance(key, Value) and key.dtype.kind == "b":
            if isinstance(value, Value) and value.shape:
                w.refuse("writes an array into the elements that a mask selects, which is not written to ONNX")
            mask = w.of(key)
            for _axis in range(len(x.shape) - len(key.shape)):
                mask = w.op("Unsqueeze", mask, w.ints(-1))
            return w.op("Where", mask, w.operand(value, x.dtype), w.of(x))
        return scattered(w, x, key, w.operand(value, x.dtype))


def scattered(w: Writer, x: Value, key: Any, value: str) -> str:
    """Write ``x[key] = value``: the elements are scattered to the positions that the key selects."""
    from ...core.dtypes import int64

    if key is Ellipsis or key == ():
        return w.op("Expand", value, w.ints(*x.shape)) if x.shape else w.op("Reshape", value, w.ints())
    size = w.op("ReduceProd", w.ints(*x.shape), keepdims=0)
    numbers = w.op("Range", w.operand(0, int64), size, w.operand(1, int64))
    positions = w.op("Reshape", numbers, w.ints(*x.shape), allowzero=1)
    index = w.writers["_positions"](w, x, key, positions)
    flat = w.op("Reshape", w.op("Expand", value, w.op("Shape", index)), w.ints(-1))
    found = w.op("ScatterElements", w.op("Reshape", w.of(x), w.ints(-1)), w.op("Reshape", index, w.ints(-1)), flat)
    return w.op("Reshape", found, w.ints(*x.shape), allowzero=1)
