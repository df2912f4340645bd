"""A traced program: the native calls in their order, with the latticework operations that they belong to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.dtypes import Dtype, complex128, float64, int64

if TYPE_CHECKING:
    from types import CodeType

    from ..engine.plans.plan import Plan

__all__ = [
    "LEAVES", "Block", "Constant", "Lines", "Location", "Node", "NumberValue", "Operation", "Place", "Scope", "Value",
    "mapped", "values_in",
]  # fmt: skip


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


class Place:
    """A call in a program. Its line is looked up at the first use.

    Parameters
    ----------
    lines: the lines of the code that calls.
    instruction: the position of the call in that code: a frame's ``f_lasti``.
    """

    __slots__ = ("_instruction", "_lines", "_location")

    def __init__(self, lines: Lines, instruction: int) -> None:
        self._lines, self._instruction = lines, instruction
        self._location: Location | None = None

    @property
    def location(self) -> Location:
        if self._location is None:
            self._location = Location(self._lines.code.co_filename, self._lines.of(self._instruction))
        return self._location


class Lines:
    """The line of each instruction of a code object: one table for all calls in it.

    A frame looks for its line from the start of the code, each time.
    """

    __slots__ = ("_starts", "_table", "code")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self._starts: list[int] = []
        self._table: list[int] = []

    def of(self, instruction: int) -> int:
        """The line of an instruction."""
        if not self._starts:
            for start, _, line in self.code.co_lines():
                self._starts.append(start)
                self._table.append(line or self.code.co_firstlineno)
        return self._table[bisect_right(self._starts, instruction) - 1]


class Scope:
    """A call of a part of a program that becomes a function of its source: of a module of a model.

    Attributes
    ----------
    path: where the module is in the model, such as ``h.0.attn``.
    kind: the name of its class.
    outer: the call in which it is made; None for the model's own.
    at: the line of the program that calls it, None where it is not known.
    arguments, results: the names of the values that it was given; and the values that it gave, in order.
    """

    __slots__ = ("arguments", "at", "kind", "outer", "path", "results")

    def __init__(
        self, path: str, kind: str, outer: Scope | None, at: Location | None, arguments: dict[str, Value]
    ) -> None:
        self.path, self.kind, self.outer, self.at, self.arguments = path, kind, outer, at, arguments
        self.results: list[Value] = []


class Operation:
    """A call of a latticework function, as the program made it.

    Parameters
    ----------
    at: the line of the program, or the place of the call; None where it is not known.

    Attributes
    ----------
    plan: its plan.
    parent: the composition that called it, None for a call of the program's own.
    """

    __slots__ = ("at", "parent", "plan")

    def __init__(self, plan: Plan, at: Location | Place | None, parent: Operation | None = None) -> None:
        self.plan, self.at, self.parent = plan, at, parent

    @property
    def location(self) -> Location | None:
        """The line of the program, None where it is not known."""
        return self.at.location if type(self.at) is Place else self.at  # type: ignore[return-value]

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
    dtype: a latticework dtype.
    shape: the extents when the program was traced.
    inputs: the inputs that its extents may depend on, as the bits of an int.
    element: whether it is a scalar of the framework, such as NumPy's, and no array.
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


class NumberValue(Value):
    """A Python number that is an input of the graph, or is computed from inputs by Python's arithmetic.

    Attributes
    ----------
    native: the number when the program was traced.
    """

    __slots__ = ("native",)

    def __init__(self, native: Any) -> None:
        super().__init__({int: int64, float: float64, complex: complex128}[type(native)], ())
        self.native = native

    def __repr__(self) -> str:
        return f"Python {type(self.native).__name__}"


class Constant(Value):
    """An array that the program holds: the native array itself, so that writes into it are seen.

    Attributes
    ----------
    native: the array.
    name: its preferred name in the source.
    held: whether the program holds the array, and may write into it between two calls.
    number: whether it was made from a Python number, so that nobody else has it.
    """

    __slots__ = ("held", "name", "native", "number")

    def __init__(
        self, native: Any, dtype: Dtype, shape: tuple[Any, ...], name: str = "constant", held: bool = True
    ) -> None:
        super().__init__(dtype, shape)
        self.native, self.name, self.held, self.number = native, name, held, False


class Block:
    """The nodes of a program, of a branch or of the body of a loop.

    Attributes
    ----------
    inputs: the values that it gets. It may also use the values of the blocks around it.
    nodes: what it computes, in order.
    outputs: the values that it gives.
    """

    __slots__ = ("inputs", "nodes", "outputs")

    def __init__(self, inputs: list[Value], nodes: list[Node] | None = None, outputs: list[Any] | None = None) -> None:
        self.inputs, self.nodes, self.outputs = inputs, nodes or [], outputs or []

    def all_nodes(self) -> Iterator[Node]:
        """Yield its nodes, and the nodes of the blocks in them."""
        for node in self.nodes:
            yield node
            for block in node.blocks:
                yield from block.all_nodes()

    def values(self) -> list[Value]:
        """List the values that it gets, uses and gives, with the values of the blocks in it."""
        found = [*self.inputs, *[v for node in self.nodes for v in node.uses()]]
        _gather(self.outputs, found)
        return found

    def from_around(self) -> list[Value]:
        """List the values that it uses of the blocks around it, and of the program."""
        own = {id(v) for v in self.inputs}
        for node in self.all_nodes():
            own.update([id(v) for v in (*node.results, *[v for block in node.blocks for v in block.inputs])])
        return [v for i, v in {id(v): v for v in self.values()}.items() if i not in own]


class Node:
    """A native call.

    Attributes
    ----------
    function: the function that is called.
    name: the name of a latticework function, or of another step of a backend, such as ``cast`` and ``index``.
    args, kwargs: its arguments: trees with values in the places of arrays.
    result: the tree of its results, with values in the places of arrays. None where it gives nothing new.
    operation: the operation that it belongs to.
    writes: the value that it writes into, None for a call without such an effect.
    blocks: the branches or bodies of control flow.
    out: the value whose memory the result takes, because nobody uses it any more; None for memory of its own.
    operands: the values among its arguments, in order.
    scope: the call of a module that it is part of; None outside of models.
    """

    __slots__ = (
        "_at", "args", "blocks", "function", "kwargs", "name", "operands", "operation", "out", "result", "scope",
        "writes",
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
        operands: Sequence[Value] | None = None,
    ) -> None:
        self.out = out
        if operands is None:
            found: list[Value] = []
            _gather(args, found)
            if kwargs:
                _gather(kwargs, found)
            operands = found
        # The garbage collector looks at every tuple and dict of a long program: nodes share what they can.
        alone = operands is args or (len(operands) == len(args) and all(map(is_, operands, args)))
        self.operands: Sequence[Value] = args if alone else tuple(operands)
        self.function, self.name, self.args, self.kwargs = function, name, args, kwargs or NO_OPTIONS
        self.result, self.operation, self.writes, self.blocks = result, operation, writes, blocks
        self.scope: Scope | None = None
        self._at: Location | None = None

    def put_in(self, scope: Scope, at: Location | None) -> None:
        """Note the call of a module that it is part of, and its line, where it belongs to no operation."""
        self.scope, self._at = scope, at

    @property
    def location(self) -> Location | None:
        """The line of the program that it belongs to, None where it is not known."""
        return self._at if self.operation is None else self.operation.location

    @property
    def results(self) -> list[Value]:
        """The values that it gives."""
        return [self.result] if type(self.result) is Value else values_in(self.result)

    def uses(self) -> Sequence[Value]:
        """Return the values that it needs: its operands, and the values of its blocks."""
        return [*self.operands, *[v for block in self.blocks for v in block.values()]] if self.blocks else self.operands

    def replaced(self, **changes: Any) -> Node:
        """Return a copy with other values of these attributes."""
        return self._placed(Node(**{name: getattr(self, name) for name in _ATTRIBUTES} | changes))

    def with_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
        """Return the same call with other arguments."""
        return self._placed(Node(
            self.function, self.name, args, kwargs, self.result, self.operation, self.writes, self.blocks, self.out
        ))  # fmt: skip

    def _placed(self, other: Node) -> Node:
        """Return another node, which takes the place of this one."""
        other.scope, other._at = self.scope, self._at
        return other

    def __repr__(self) -> str:
        return f"Node({self.name}, {self.args}, {self.kwargs} -> {self.result})"


#: The keyword arguments of calls without any.
NO_OPTIONS: dict[str, Any] = {}
#: The attributes that make a node, without the attributes that follow from others.
_ATTRIBUTES = ("function", "name", "args", "kwargs", "result", "operation", "writes", "blocks", "out")


def values_in(tree: Any) -> list[Value]:
    """List the values in a tree of tuples, lists, dicts and slices."""
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
            elif type(x) not in LEAVES:
                _gather(x, found)
    elif isinstance(tree, dict):
        for x in tree.values():
            _gather(x, found)
    elif isinstance(tree, slice):
        _gather((tree.start, tree.stop, tree.step), found)


#: Types of arguments that hold no values: the most common ones.
LEAVES = frozenset((int, float, complex, bool, str, type(None)))


def mapped(tree: Any, kind: type | tuple[type, ...], change: Callable[[Any], Any]) -> Any:
    """Return a tree of tuples, lists, dicts and slices with each object of a kind changed."""
    if isinstance(tree, kind):
        return change(tree)
    if type(tree) in LEAVES:
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
