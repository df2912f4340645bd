"""A traced program: the native calls in their order, with the operations of ours that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.dtypes import Dtype

if TYPE_CHECKING:
    from ..engine.plan import Plan

__all__ = ["Block", "Constant", "Location", "Node", "Operation", "Value", "mapped", "values_in"]


class Location(NamedTuple):
    """A line of a program."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The line without the blanks around it; "" where the file cannot be read."""
        import linecache

        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Operation:
    """A call of a function of ours, as the program made it.

    Attributes
    ----------
    plan: its plan.
    location: the line of the program, None where it is not known.
    parent: the composition that called it, None for a call of the program's own.
    """

    __slots__ = ("location", "parent", "plan")

    def __init__(self, plan: Plan, location: Location | None, parent: Operation | None = None) -> None:
        self.plan, self.location, self.parent = plan, location, parent

    @property
    def outermost(self) -> Operation:
        """The call of the program's own that this one belongs to."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    def __repr__(self) -> str:
        return f"Operation({self.plan.op}, {self.location})"


class Value:
    """An array of a traced program: a result of a node, an input or a constant.

    Attributes
    ----------
    dtype: a dtype of ours.
    shape: the extents it had when the program was traced.
    inputs: which inputs its extents may depend on, as the bits of an int.
    element: whether it is a scalar of the framework's, such as NumPy's, and no array.
    """

    __slots__ = ("dtype", "element", "inputs", "shape")

    def __init__(self, dtype: Dtype, shape: tuple[Any, ...], inputs: int = 0, element: bool = False) -> None:
        self.dtype, self.shape, self.inputs, self.element = dtype, shape, inputs, element

    @property
    def nbytes(self) -> int:
        n: int = self.dtype.itemsize
        for extent in self.shape:
            n *= extent or 0
        return n

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


class Constant(Value):
    """An array that the program holds: the native array itself, so that what is written into it is seen.

    Attributes
    ----------
    native: the array.
    name: what it may be called in the source.
    held: whether the program holds the array, and may write into it between two calls.
    """

    __slots__ = ("held", "name", "native")

    def __init__(
        self, native: Any, dtype: Dtype, shape: tuple[Any, ...], name: str = "constant", held: bool = True
    ) -> None:
        super().__init__(dtype, shape)
        self.native, self.name, self.held = native, name, held


class Block:
    """The nodes of a program, of a branch or of the body of a loop.

    Attributes
    ----------
    inputs: the values that it gets. It may use those of the blocks around it as well.
    nodes: what it computes, in order.
    outputs: the values that it gives.
    """

    __slots__ = ("inputs", "nodes", "outputs")

    def __init__(self, inputs: list[Value], nodes: list[Node] | None = None, outputs: list[Any] | None = None) -> None:
        self.inputs, self.nodes, self.outputs = inputs, nodes or [], outputs or []

    def all_nodes(self) -> Iterator[Node]:
        """Its nodes, and those of the blocks in them."""
        for node in self.nodes:
            yield node
            for block in node.blocks:
                yield from block.all_nodes()

    def values(self) -> list[Value]:
        """The values that it gets, uses and gives, with those of the blocks in it."""
        found = [*self.inputs, *[v for node in self.nodes for v in node.uses()]]
        _gather(self.outputs, found)
        return found


class Node:
    """One native call.

    Attributes
    ----------
    function: what is called.
    name: what it computes: a function of ours, or what a backend does besides, such as ``cast`` and ``index``.
    args, kwargs: its arguments: trees with values in the places of arrays.
    result: the tree of its results, with values in the places of arrays. None where it gives nothing new.
    operation: the operation that it belongs to.
    writes: the value that it writes into, None for a call without such an effect.
    blocks: the branches or bodies of control flow.
    out: the value whose memory the result takes, because nobody uses it any more; None for memory of its own.
    operands: the values among its arguments, in order.
    results: the values that it gives.
    """

    __slots__ = (
        "args", "blocks", "function", "kwargs", "name", "operands", "operation", "out", "result", "results", "writes",
    )  # fmt: skip

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        operation: Operation | None = None,
        writes: Value | None = None,
        blocks: tuple[Block, ...] = (),
        out: Value | None = None,
    ) -> None:
        self.out = out
        self.operands: list[Value] = []
        _gather(args, self.operands)
        if kwargs:
            _gather(kwargs, self.operands)
        self.results: list[Value] = [result] if type(result) is Value else [*values_in(result)]
        self.function, self.name, self.args, self.kwargs = function, name, args, kwargs
        self.result, self.operation, self.writes, self.blocks = result, operation, writes, blocks

    def uses(self) -> list[Value]:
        """The values that it needs: its operands, and what its blocks have to do with."""
        return [*self.operands, *[v for block in self.blocks for v in block.values()]] if self.blocks else self.operands

    def replaced(self, **changes: Any) -> Node:
        """A node that differs in these attributes."""
        return Node(**{name: getattr(self, name) for name in _ATTRIBUTES} | changes)

    def __repr__(self) -> str:
        return f"Node({self.name}, {self.args}, {self.kwargs} -> {self.result})"


#: What makes a node: its attributes but those that follow from others.
_ATTRIBUTES = ("function", "name", "args", "kwargs", "result", "operation", "writes", "blocks", "out")


def values_in(tree: Any) -> list[Value]:
    """The values in a tree of tuples, lists, dicts and slices."""
    found: list[Value] = []
    _gather(tree, found)
    return found


def _gather(tree: Any, found: list[Value]) -> None:
    if isinstance(tree, Value):
        found.append(tree)
    elif isinstance(tree, (tuple, list)):
        for x in tree:
            if isinstance(x, Value):
                found.append(x)
            elif type(x) not in _LEAVES:
                _gather(x, found)
    elif isinstance(tree, dict):
        for x in tree.values():
            _gather(x, found)
    elif isinstance(tree, slice):
        _gather((tree.start, tree.stop, tree.step), found)


#: Types of arguments that hold no values.
_LEAVES = frozenset((int, float, complex, bool, str, type(None)))


def mapped(tree: Any, kind: type | tuple[type, ...], change: Callable[[Any], Any]) -> Any:
    """A tree of tuples, lists, dicts and slices with what is of a kind in it changed."""
    if isinstance(tree, kind):
        return change(tree)
    if type(tree) in _LEAVES:
        return tree
    if isinstance(tree, tuple):
        parts = [mapped(x, kind, change) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if type(tree) is list:
        return [mapped(x, kind, change) for x in tree]
    if type(tree) is dict:
        return {key: mapped(x, kind, change) for key, x in tree.items()}
    if type(tree) is slice:
        return slice(*[mapped(x, kind, change) for x in (tree.start, tree.stop, tree.step)])
    return tree
