"""Show a graph as text: a table of its native calls, and a table of counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from .nodes import Block, Constant, Node, Value, values_in
from .writing.blocked import buffer_bytes, least, stretches

if TYPE_CHECKING:
    from ..backend import Backend
    from .graph import Graph

__all__ = ["Counts", "counts", "report"]

#: The functions with which a program itself casts. A cast of any other function was inserted by its plan.
_CASTS = frozenset(("asarray", "astype"))
#: The calls whose result shares the memory of their first argument, on frameworks whose arrays have views.
_VIEWS = frozenset((
    "broadcast_to", "expand_dims", "flip", "imag", "linalg.diagonal", "matrix_transpose", "moveaxis", "permute_dims",
    "real", "reshape", "squeeze", "view",
))  # fmt: skip
_LONGEST = 60


class Counts(NamedTuple):
    """The costs of a graph.

    Attributes
    ----------
    calls: its native calls. A call in a loop counts once.
    operations: the functions of latticework that the program calls by itself.
    inserted: the casts that latticework inserted: the casts of plans, and of the condition of `cond`.
    own: the program's own casts, by `astype` and `asarray`.
    peak: the most bytes that its intermediate results and its results have at once.
    arguments, constants: the bytes of its arguments, and of the arrays that it holds.
    """

    calls: int
    operations: int
    inserted: int
    own: int
    peak: int
    arguments: int
    constants: int


def counts(graph: Graph) -> Counts:
    """Count the costs of a graph, for arrays of the shapes that it was traced with."""
    nodes = [*graph.block.all_nodes()]
    operations = {id(node.operation.outermost) for node in nodes if node.operation is not None}
    casts = [node for node in nodes if node.name == "cast"]
    own = sum(node.operation is None or node.operation.outermost.plan.op in _CASTS for node in casts)
    held = {id(v): v.nbytes for node in nodes for v in node.operands if isinstance(v, Constant)}
    held |= {id(v): v.nbytes for v in values_in(graph.block.outputs) if isinstance(v, Constant)}
    return Counts(
        len(nodes), len(operations), len(casts) - own, own, _peak(graph.block, graph._backend),
        sum(v.nbytes for v in graph.block.inputs), sum(held.values()),
    )  # fmt: skip


# --- memory ----------------------------------------------------------------------------------------------------------


class _Spans:
    """The positions of the nodes where each memory of a block is taken and given back."""

    def __init__(self, n: int) -> None:
        self.memory: dict[int, Value] = {}  # the id of a value -> the value whose memory it has
        self.begun: dict[int, int] = {}
        self.ended: dict[int, int] = {}
        self.sizes: dict[int, int] = {}
        self.n = n

    def owner(self, v: Value) -> Value:
        return self.memory.get(id(v), v)

    def take(self, v: Value, of: Value, i: int) -> None:
        """Note a value that is computed at a position, in the memory of another value or of its own."""
        if id(v) not in self.memory:
            self.memory[id(v)] = base = self.owner(of)
            if base is v:
                self.begun[id(v)], self.sizes[id(v)] = i, v.nbytes

    def use(self, v: Value, i: int) -> None:
        if id(self.owner(v)) in self.begun:
            self.ended[id(self.owner(v))] = i

    def live(self) -> Iterator[int]:
        """Yield the bytes at each position."""
        changes = [0] * (self.n + 2)
        for key, size in self.sizes.items():
            changes[self.begun[key]] += size
            changes[self.ended[key] + 1] -= size
        return accumulate(changes)


def _peak(block: Block, backend: Backend) -> int:
    """Return the most bytes of a block's values, each from its call to the last use of it or of its views."""
    n = len(block.nodes)
    spans = _Spans(n)
    inside = [0] * (n + 2)  # the bytes that a node takes besides
    for i, node in enumerate(block.nodes):
        for v in node.results:
            spans.take(v, node.operands[0] if _is_view(node, backend) else v if node.out is None else node.out, i)
        for v in (*node.uses(), *node.results):
            spans.use(v, i)
        inside[i] = max((_peak(b, backend) for b in node.blocks), default=0)
    for v in values_in(block.outputs):
        spans.use(v, n)
    if backend.name == "numpy":
        _in_blocks(block, spans, inside)
    return max((live + more for live, more in zip(spans.live(), inside, strict=False)), default=0)


def _in_blocks(block: Block, spans: _Spans, inside: list[int]) -> None:
    """Take account of stretches that are computed in blocks: values that stay in them are as small as a block."""
    for stretch in stretches(block).values():
        nodes = block.nodes[stretch.start : stretch.stop]
        if math.prod(stretch.outer[0].shape) < least(nodes):
            continue
        buffers = buffer_bytes(nodes, stretch)
        lasting = {id(spans.owner(v)) for v in stretch.outputs}
        for i, node in enumerate(nodes, stretch.start):
            inside[i] += buffers
            key = id(spans.owner(node.result))
            if key in lasting and spans.begun.get(key, -1) >= stretch.start:
                spans.begun[key] = stretch.start
            elif spans.begun.get(key, -1) >= stretch.start:
                spans.sizes[key] = 0


def _is_view(node: Node, backend: Backend) -> bool:
    """Return whether the result of a call shares the memory of its first argument."""
    if backend.facts.immutable or not node.operands:
        return False
    return node.name in _VIEWS or (node.name == "index" and len(node.operands) == 1 and not _has_lists(node.args[1:]))


def _has_lists(keys: tuple[object, ...]) -> bool:
    return any(isinstance(k, (list, bool)) or (isinstance(k, tuple) and _has_lists(k)) for k in keys)


# --- text ------------------------------------------------------------------------------------------------------------


def report(graph: Graph) -> str:
    """Show a graph as text: its arguments, its calls in their order, its results, and counts.

    Each row has the function that the program called, the native call for it, the result with its dtype, its shape and
    its bytes, and the program's line where it differs from the row above.
    """
    names = dict(zip(map(id, graph.block.inputs), graph.parameters, strict=True))
    lines = [f"{graph.name} on {graph.backend}", ""]
    rows: list[tuple[str, ...]] = [("operation", "native call", "result", "dtype and shape", "bytes", "line")]
    for name, v in zip(graph.parameters, graph.block.inputs, strict=True):
        rows.append(("argument", "", name, str(v), f"{v.nbytes:,}", ""))
    rows += _rows(graph.block, names, "")
    lines += _columns(rows, right={4})
    found = counts(graph)
    lines += ["", *_columns([
        ("native calls", f"{found.calls:,}"), ("operations of the program", f"{found.operations:,}"),
        ("casts inserted", f"{found.inserted:,}"), ("casts of the program's own", f"{found.own:,}"),
        ("peak of live bytes", f"{found.peak:,}"), ("bytes of the arguments", f"{found.arguments:,}"),
        ("bytes of constants", f"{found.constants:,}"),
    ], right={1})]  # fmt: skip
    results = [_named(v, names) for v in values_in(graph.block.outputs)]
    lines += ["", f"returns {', '.join(results)}" if results else "returns no array"]
    return "\n".join(lines)


def _rows(block: Block, names: dict[int, str], indent: str) -> list[tuple[str, ...]]:
    """Make a row for each result of each call of a block. The rows of the blocks in it are indented."""
    rows: list[tuple[str, ...]] = []
    before = None
    for node in block.nodes:
        operation = node.operation.outermost if node.operation is not None else None
        at = operation.location if operation is not None else None
        line = f"{at.file.rpartition('/')[2]}:{at.line}: {at.text}"[:_LONGEST] if at and at != before else ""
        before = at
        call = f"{node.name}({_listed(node, names)})"
        fresh = [v for v in node.results if id(v) not in names]
        for v in fresh:
            names[id(v)] = f"%{len(names)}"
        op = indent + (operation.plan.op if operation is not None else node.name)
        shown = [(names[id(v)], str(v), f"{v.nbytes:,}") for v in fresh] or [("", "", "")]
        rows.append((op, call, *shown[0], line))
        rows += [("", "", *more, "") for more in shown[1:]]
        for k, inner in enumerate(node.blocks):
            for v in inner.inputs:
                names.setdefault(id(v), f"%{len(names)}")
            given = ", ".join(f"{names[id(v)]}: {v}" for v in inner.inputs)
            rows.append((f"{indent}  block {k}", f"of {given}" if given else "", "", "", "", ""))
            rows += _rows(inner, names, indent + "    ")
            gives = ", ".join(_named(v, names) for v in values_in(inner.outputs))
            rows.append((f"{indent}  gives {gives}", "", "", "", "", ""))
    return rows


def _listed(node: Node, names: dict[int, str]) -> str:
    """List the arguments of a call."""
    parts = [_shown(x, names) for x in node.args]
    return ", ".join([*parts, *(f"{key}={_shown(x, names)}" for key, x in node.kwargs.items())])


def _shown(x: Any, names: dict[int, str]) -> str:
    """Show an argument in short."""
    if isinstance(x, Value):
        return _named(x, names)
    if isinstance(x, (tuple, list)):
        inner = ", ".join(_shown(y, names) for y in x)
        return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
    if isinstance(x, slice):
        parts = ["" if y is None else _shown(y, names) for y in (x.start, x.stop, x.step)]
        return ":".join(parts if x.step is not None else parts[:2])
    if x is Ellipsis:
        return "..."
    return f"{x!r:.30}" if isinstance(x, (bool, int, float, complex, str, type(None))) else f"{x!s:.30}"


def _named(v: Value, names: dict[int, str]) -> str:
    if id(v) not in names and isinstance(v, Constant):
        return f"constant {v}"
    return names.get(id(v), "?")


def _columns(rows: list[tuple[str, ...]], right: set[int]) -> list[str]:
    """Write rows as lines of columns; the columns in `right` are flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
