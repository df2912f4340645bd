"""Calls that work row by row become one node, whose loop computes some rows at a time and keeps them in the cache.

A row is what an array has at one place of its first axis. Elementwise calls, reductions of a row, and products of a row
with a small matrix give one row for each row. Sums over all rows, and the small product of a transposed array with
another one, are added up on the way. `row_loops` has the text.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from typing import Any

import numpy as np

from ...backend import get
from ..nodes import Block, Node, Value, values_in
from .fusion import Fused
from .numba_text import PERIODIC, is_compiled, wide
from .reducing import reduction_of

__all__ = ["Rows", "view_axes", "with_rows"]

#: The most calls in one loop, and the most axes.
_MOST, _AXES = 120, 5
#: The least elements of a row that is multiplied with a matrix of few columns, the most of them, and the most elements
#: of the matrix: others are left to NumPy, which is as fast.
_LONG, _THIN, _LARGE = 64, 16, 16_384
#: The least elements of a row that is multiplied with any other matrix, the least bytes of a row of it, and its most
#: bytes.
_SHORT, _WIDE, _CACHED = 16, 64, 65_536
#: The least bytes of a row of the second matrix, where matrices of two stacks are multiplied.
_NARROW = 32
#: The most elements of a sum of products of two arrays of rows.
_SMALL = 4_096
#: The numbers of rows that are tried, and the most calls of a block that is looked at.
_TRIED, _LONGEST = 4, 2_000
_FLOATS = ("float32", "float64")


class Rows(Fused):
    """The function of a node that stands for calls that work row by row.

    Attributes
    ----------
    members: the calls that compute, in order. `nodes` has the elementwise ones of them.
    kinds: the id of the result of a member -> ``"each"``, ``"reduce"``, ``"total"``, ``"product"`` or ``"outer"``.
    views: the id of a view -> the value that it is of, and for each of its axes the axis of that value, or None.
    whole: the calls, with those that make views, in order.
    extent: the number of rows.
    """

    def __init__(self, group: _Group, outputs: tuple[Value, ...]) -> None:
        super().__init__([n for n in group.members if group.kinds[id(n.result)] == "each"], outputs, True)
        self.members, self.kinds, self.views = group.members, group.kinds, group.views
        self.whole, self.extent = group.whole, group.extent

    @property
    def reorders(self) -> bool:
        """True if the loop adds elements in another order than NumPy's functions."""
        return any(n.name in ("sum", "mean") for n in self.members)

    @property
    def multiplies(self) -> bool:
        """True if the loop has products of matrices."""
        return any(n.name == "matmul" for n in self.members)

    def base(self, v: Value) -> Value:
        """Return the value that a value is a view of, or the value itself."""
        while id(v) in self.views:
            v = self.views[id(v)][0]
        return v

    def values(self) -> list[Value]:
        """List the values that are read and made, but for views."""
        return [v for n in self.members for v in (n.result, *map(self.base, n.operands))]


class _Group:
    """The calls that are found for one number of rows."""

    def __init__(self, extent: int) -> None:
        self.extent = extent
        self.members: list[Node] = []
        self.whole: list[Node] = []
        self.kinds: dict[int, str] = {}
        self.views: dict[int, tuple[Value, tuple[int | None, ...]]] = {}
        self.rows: set[int] = set()  # the ids of results with a row for each row
        self.turned: set[int] = set()  # the ids of transposed ones

    def add(self, node: Node) -> bool:
        """Take a node, where it fits."""
        axes = view_axes(node)
        if axes is not None:
            base = node.args[0]
            if not self._is_rows(base) or (axes[0] != 0 and (axes != (1, 0) or id(base) in self.views)):
                return False
            self.views[id(node.result)] = base, axes
            (self.rows if axes[0] == 0 else self.turned).add(id(node.result))
            self.whole.append(node)
            return True
        kind = self._kind(node)
        if kind is None or len(self.members) == _MOST:
            return False
        self.kinds[id(node.result)] = kind
        self.members.append(node)
        self.whole.append(node)
        if kind not in ("total", "outer"):
            self.rows.add(id(node.result))
        return True

    def _is_rows(self, v: Any) -> bool:
        """Return whether a value has a row for each row: it is made here, or comes from outside."""
        return isinstance(v, Value) and bool(v.shape) and v.shape[0] == self.extent and id(v) not in self.turned

    def _kind(self, node: Node) -> str | None:
        result = node.result
        if type(result) is not Value or any(0 in v.shape for v in (*node.operands, result)):
            return None
        if max(len(v.shape) for v in (*node.operands, result)) > _AXES:
            return None
        if is_compiled(node) or (wide(node) and wide(node) not in PERIODIC):
            fits = self._is_rows(result) and not any(id(v) in self.turned for v in node.operands)
            aligned = all(len(v.shape) == len(result.shape) for v in node.operands if id(v) in self.rows)
            return "each" if fits and aligned else None
        found = reduction_of(node)
        if found is not None:
            if not self._is_rows(node.args[0]) or (found.kind.startswith("arg") and 0 in found.axes):
                return None
            return "total" if 0 in found.axes else "reduce"
        return self._product(node)

    def _product(self, node: Node) -> str | None:
        if node.name != "matmul" or node.kwargs or len(node.args) != 2 or len(node.operands) != 2:
            return None
        a, b = node.args
        same = str(node.result.dtype) in _FLOATS and a.dtype is b.dtype is node.result.dtype
        if not same or not node.result.shape:
            return None
        if len(a.shape) > 2:
            return "product" if self._multiplies_stacks(a, b) else None
        if len(a.shape) != 2 or len(b.shape) > 2:
            return None
        if id(a) in self.turned:
            fits = self._is_rows(b) and _is_small(node.result.shape)
            return "outer" if fits and id(b) not in self.views else None
        if not self._is_rows(a) or id(a) in self.views or not self._is_apart(b):
            return None
        return "product" if len(b.shape) == 1 or _is_multiplied(b) else None

    def _is_apart(self, v: Value) -> bool:
        """Return whether a value comes from outside, as a whole."""
        return id(v) not in self.rows and id(v) not in self.turned

    def _multiplies_stacks(self, a: Value, b: Value) -> bool:
        """Return whether a loop multiplies the matrices of a stack: with those of another one, or with one matrix."""
        if not self._is_stack(a) or len(b.shape) < 2 or 1 in (*a.shape[-2:], *b.shape[-2:]):
            return False
        if len(b.shape) == 2:
            return self._is_apart(b) and _is_multiplied(b)
        sizes: list[int] = [math.prod(x) for x in (a.shape[1:], b.shape[1:], (*a.shape[1:-1], b.shape[-1]))]
        if a.shape[:-2] != b.shape[:-2] or b.shape[-1] * b.dtype.itemsize < _NARROW:
            return False
        return self._is_stack(b) and max(sizes) <= _LARGE

    def _is_stack(self, v: Value) -> bool:
        """Return whether rows are matrices, or stacks of them, as they are in memory or transposed."""
        base, axes = self.views.get(id(v), (v, (*range(len(v.shape)),)))
        turned = (*range(len(v.shape) - 2), len(v.shape) - 1, len(v.shape) - 2)
        return self._is_rows(v) and id(base) not in self.views and (base is v or axes == turned)


def _is_multiplied(matrix: Value) -> bool:
    """Return whether a loop multiplies rows with a matrix about as fast as NumPy does, or faster."""
    length, columns = matrix.shape
    size: int = matrix.dtype.itemsize
    if length >= _LONG and columns <= _THIN and length * columns <= _LARGE:
        return True
    return bool(length >= _SHORT and columns * size >= _WIDE and length * columns * size <= _CACHED)


def _is_small(shape: tuple[int, ...]) -> bool:
    """Return whether a loop adds up a matrix of a shape about as fast as NumPy does."""
    return len(shape) < 2 or (math.prod(shape) <= _SMALL and min(shape) <= _THIN)


def with_rows(block: Block) -> Block:
    """Return a block where calls that work row by row are one node; the same where calls have effects or blocks.

    The order changes: what a call writes over may be needed after it.
    """
    if len(block.nodes) > _LONGEST or any(n.writes is not None or n.blocks for n in block.nodes):
        return block
    makers = {id(n.result): n for n in block.nodes}
    nodes = [n for node in block.nodes for n in _simpler(node, makers)]
    if len(nodes) > len(block.nodes):
        nodes = _needed(nodes, _uses(block.nodes, block.outputs), block.outputs)
    uses = _uses(nodes, block.outputs)
    nodes = _arranged(nodes, uses)
    if not any(n.name == "rows" for n in nodes):
        return block
    return Block(block.inputs, _needed(nodes, uses, block.outputs), block.outputs)


def _uses(nodes: list[Node], outputs: list[Any]) -> Counter[int]:
    """Count how often each value is used, by its id."""
    return Counter([id(v) for v in values_in(outputs)] + [id(v) for node in nodes for v in node.uses()])


def _arranged(nodes: list[Node], uses: Counter[int]) -> list[Node]:
    """Put the nodes of each group side by side and make them one.

    Parameters
    ----------
    uses: how often a value is used, by its id.
    """
    done: list[Node] = []
    while True:
        for extent in _extents(nodes)[:_TRIED]:
            found = _split(nodes, extent, uses)
            if found is not None:
                break
        else:
            return done + nodes
        before, group, after = found
        again, one = _as_one(group, uses)
        done += [*_arranged(before, uses), one]
        nodes = [*again, *after]


def _split(nodes: list[Node], extent: int, uses: Counter[int]) -> tuple[list[Node], _Group, list[Node]] | None:
    """Find the first group of some rows that pays, and return it with the nodes before and after it."""
    first: list[Node] = []
    while True:
        group = _Group(extent)
        before: list[Node] = []
        after: list[Node] = []
        made: set[int] = set()
        later: set[int] = set()
        for node in nodes:
            operands, own = {id(v) for v in node.uses()}, {id(v) for v in node.results}
            used = all(uses[key] for key in own)  # an unused call may be an error
            if not operands & later and used and group.add(node):
                (later if group.kinds.get(id(node.result)) in ("total", "outer") else made).update(own)
            elif operands & later or operands & made:
                after.append(node)
                later |= own
            else:
                before.append(node)
        apart = _apart(group)
        if _pays(group):
            return [*first, *before], group, [*apart, *after]
        if not group.members or not after:  # a reduction that stands alone, and what may follow it
            return None
        first += [*before, *group.whole]
        nodes = [*apart, *after]


def _apart(group: _Group) -> list[Node]:
    """Take out of a group what it neither makes nor uses: calls of arrays from outside, whose results others use."""
    used = {id(v) for n in group.whole for v in n.uses()}
    made = {id(n.result) for n in group.whole}
    each = [n for n in group.members if group.kinds[id(n.result)] == "each" and id(n.result) not in used]
    apart = [n for n in each if not any(id(v) in made for v in n.operands)]
    gone = {id(n.result) for n in apart}
    group.members = [n for n in group.members if id(n.result) not in gone]
    group.whole = [n for n in group.whole if id(n.result) not in gone]
    return apart


def _extents(nodes: list[Node]) -> list[int]:
    """List the numbers of rows of reductions and products, those of most elements first."""
    found: dict[int, int] = {}
    for node in nodes:
        if node.name == "matmul" or reduction_of(node) is not None:
            for v in node.operands:
                if len(v.shape) > 0 and v.shape[0] > 1 and 0 not in v.shape:
                    found[v.shape[0]] = max(found.get(v.shape[0], 0), math.prod(v.shape))
    return sorted(found, key=lambda n: (found[n], n), reverse=True)


def _pays(group: _Group) -> bool:
    """Return whether calls take less time as one loop: a reduction or a product is among them, and something else."""
    return len(group.members) > 1 and any(kind != "each" for kind in group.kinds.values())


def _as_one(group: _Group, uses: Counter[int]) -> tuple[list[Node], Node]:
    """Make one node of a group. The views that are needed outside come after it."""
    inside = Counter([id(v) for n in group.whole for v in n.uses()])
    wanted = {id(n.result) for n in group.whole if uses[id(n.result)] > inside[id(n.result)]}
    again: list[Node] = []
    for node in reversed(group.whole):
        if id(node.result) in group.views and id(node.result) in wanted:
            wanted.add(id(node.args[0]))
            again.insert(0, node)
    given = tuple([n.result for n in group.members if id(n.result) in wanted])
    rows = Rows(group, given)
    made = {id(n.result) for n in group.whole}
    outer = {id(v): v for n in group.members for v in map(rows.base, n.operands) if id(v) not in made}
    return again, Node(rows, "rows", tuple(outer.values()), {}, given)


def _needed(nodes: list[Node], uses: Counter[int], outputs: list[Any]) -> list[Node]:
    """Return the nodes without views and casts that nobody needs any more."""
    wanted = {id(v) for v in values_in(outputs)}
    found = []
    for node in reversed(nodes):
        spare = view_axes(node) is not None or is_compiled(node)
        if spare and uses[id(node.result)] and id(node.result) not in wanted:
            continue
        found.append(node)
        wanted.update([id(v) for v in node.uses()])
    return found[::-1]


def view_axes(node: Node) -> tuple[int | None, ...] | None:
    """Return for each axis of a view the axis that it is, or None for a new one; None for any other node."""
    if node.kwargs or not node.args or type(node.args[0]) is not Value or type(node.result) is not Value:
        return None
    x: Value = node.args[0]
    count = len(x.shape)
    if not count:  # an array of no axes is no row, and has a number in its place in a loop
        return None
    if node.name == "matrix_transpose":
        return *range(count - 2), count - 1, count - 2
    if node.name == "permute_dims":
        return tuple([n % count for n in node.args[1]]) if len(node.args) == 2 else None
    if node.name != "index" or node.function is not operator.getitem or len(node.args) != 2:
        return None
    keys = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    if any(k is not None and k != slice(None) for k in keys if not isinstance(k, Value)):
        return None
    if not keys or keys[0] is None or any(isinstance(k, Value) or k is Ellipsis for k in keys):
        return None
    axes: list[int | None] = []
    for key in keys:
        axes.append(None if key is None else sum(a is not None for a in axes))
    rest = range(sum(a is not None for a in axes), len(x.shape))
    return (*axes, *rest)


def _simpler(node: Node, makers: dict[int, Node]) -> list[Node]:
    """Write a call as others that work row by row; the call itself where there are none."""
    if node.name in ("std", "var") and (of_deviation := _deviations(node)):
        return of_deviation
    return _untransposed(node, makers)


def _deviations(node: Node) -> list[Node]:
    """Write a standard deviation or a variance as means, where nothing is corrected."""
    mean = get("numpy").function("mean")
    assert mean is not None
    x, result = node.args[0], node.result
    if len(node.args) > 1 or {*node.kwargs} - {"axis", "keepdims", "correction"} or node.kwargs.get("correction", 0):
        return []
    if type(x) is not Value or type(result) is not Value or str(x.dtype) not in _FLOATS or 0 in x.shape:
        return []
    axis, rank = node.kwargs.get("axis"), len(x.shape)
    taken = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kept = tuple([1 if k in {a % rank for a in taken} else n for k, n in enumerate(x.shape)])
    middle, centred, squares = (Value(x.dtype, shape, x.inputs) for shape in (kept, x.shape, x.shape))
    variance = result if node.name == "var" else Value(x.dtype, result.shape, x.inputs)
    options = {"axis": axis, "keepdims": node.kwargs.get("keepdims", False)}
    made = [
        Node(mean, "mean", (x,), {"axis": axis, "keepdims": True}, middle, node.operation),
        Node(np.subtract, "subtract", (x, middle), {}, centred, node.operation),
        Node(np.multiply, "multiply", (centred, centred), {}, squares, node.operation),
        Node(mean, "mean", (squares,), options, variance, node.operation),
    ]
    return [*made, Node(np.sqrt, "sqrt", (variance,), {}, result, node.operation)] if node.name == "std" else made


def _untransposed(node: Node, makers: dict[int, Node]) -> list[Node]:
    """Write a cast of a transposed array as the transposition of a cast, so that rows stay rows."""
    x = node.args[0] if node.args else None
    maker = makers.get(id(x))
    if node.name != "cast" or len(node.args) != 1 or maker is None or view_axes(maker) != (1, 0):
        return [node]
    if not is_compiled(node):
        return [node]
    base = maker.args[0]
    cast = Value(node.result.dtype, base.shape, node.result.inputs)
    first = node.replaced(args=(base,), kwargs=dict(node.kwargs), result=cast, out=None)
    then = maker.replaced(args=(cast,), result=node.result, out=None)
    makers[id(node.result)] = then
    return [first, then]
