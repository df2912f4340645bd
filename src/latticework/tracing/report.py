"""Show a graph as text: a table of its native calls, and a table of counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from .blocked import buffer_bytes, least, stretches
from .nodes import Block, Constant, Node, Value, values_in

if TYPE_CHECKING:
    from ..backends import Backend
    from .graph import Graph

__all__ = ["Counts", "counts", "report"]

#: The functions that a program casts with by itself. A cast of any other was inserted by its plan.
_CASTS = frozenset(("asarray", "astype"))
#: The calls whose result shares the memory of their first argument, on frameworks whose arrays have views.
_VIEWS = frozenset((
    "broadcast_to", "expand_dims", "flip", "imag", "linalg.diagonal", "matrix_transpose", "moveaxis", "permute_dims",
    "real", "reshape", "squeeze", "view",
))  # fmt: skip
_LONGEST = 60


class Counts(NamedTuple):
    """What a graph takes.

    Attributes
    ----------
    calls: its native calls. One in a loop counts once.
    operations: the functions of latticework that the program calls by itself.
    inserted: the casts that latticework inserted: those of plans, and that of the condition of `cond`.
    own: the casts of the program's own, by `astype` and `asarray`.
    peak: the most bytes that its intermediate results and its results have at once.
    arguments, constants: the bytes of the arrays that it is given, and of those that it holds.
    """

    calls: int
    operations: int
    inserted: int
    own: int
    peak: int
    arguments: int
    constants: int


def counts(graph: Graph) -> Counts:
    """Count what a graph takes, for arrays of the shapes that it was traced with."""
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
    """When each memory of a block is taken and given back, by the positions of nodes."""

    def __init__(self, n: int) -> None:
        self.memory: dict[int, Value] = {}  # the id of a value -> the value whose memory it has
        self.begun: dict[int, int] = {}
        self.ended: dict[int, int] = {}
        self.sizes: dict[int, int] = {}
        self.n = n

    def owner(self, v: Value) -> Value:
        return self.memory.get(id(v), v)

    def take(self, v: Value, of: Value, i: int) -> None:
        """A value that is computed at a position, in the memory of another or of its own."""
        if id(v) not in self.memory:
            self.memory[id(v)] = base = self.owner(of)
            if base is v:
                self.begun[id(v)], self.sizes[id(v)] = i, v.nbytes

    def use(self, v: Value, i: int) -> None:
        if id(self.owner(v)) in self.begun:
            self.ended[id(self.owner(v))] = i

    def live(self) -> Iterator[int]:
        """The bytes at each position."""
        changes = [0] * (self.n + 2)
        for key, size in self.sizes.items():
            changes[self.begun[key]] += size
            changes[self.ended[key] + 1] -= size
        return accumulate(changes)


def _peak(block: Block, backend: Backend) -> int:
    """The most bytes of the values that a block computes, each from its call to the last use of it or of its views."""
    n = len(block.nodes)
    spans = _Spans(n)
    inside = [0] * (n + 2)  # what a node takes besides
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
    """Take account of stretches that are computed in blocks: what stays in them is as small as a block."""
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
    """Whether the result of a call has the memory of its first argument."""
    if backend.facts.immutable or not node.operands:
        return False
    return node.name in _VIEWS or (node.name == "index" and len(node.operands) == 1 and not _has_lists(node.args[1:]))


def _has_lists(keys: tuple[object, ...]) -> bool:
    return any(isinstance(k, (list, bool)) or (isinstance(k, tuple) and _has_lists(k)) for k in keys)


# --- text ------------------------------------------------------------------------------------------------------------


def report(graph: Graph) -> str:
    """A graph as text: its arguments, its calls in their order, its results, and counts.

    Each row has the function that the program called, what is called of the framework for it, the result with its
    dtype, its shape and its bytes, and the program's line where it is another than that of the row above.
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
    """A row for each result of each call of a block, and those of the blocks in it, indented."""
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
    """The arguments of a call."""
    parts = [_shown(x, names) for x in node.args]
    return ", ".join([*parts, *(f"{key}={_shown(x, names)}" for key, x in node.kwargs.items())])


def _shown(x: Any, names: dict[int, str]) -> str:
    """An argument in short."""
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
    """Rows as lines of columns, those in `right` flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
