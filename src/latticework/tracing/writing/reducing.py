"""Sums, means and extrema of elementwise results as parts of the loops that compute the elements: none is stored.

A reduction of a result that nothing else uses becomes one node with the elementwise nodes before it. `reduced_loops`
has the text of its loop.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ..nodes import Block, Node, Value, values_in
from .fusion import Fused
from .numba_text import PERIODIC, is_compiled, wide

__all__ = ["Reduced", "Reduction", "reduction_of", "with_reductions"]

#: The most elementwise nodes that are computed twice, for the reduction and for what else needs them.
_TWICE = 16
#: The most axes of the elements.
_AXES = 6
#: The most elements along the last axis for which a loop of a reduction alone pays: NumPy calls a function for each.
_NARROW = 32


class Reduction(NamedTuple):
    """A reduction over some axes.

    Attributes
    ----------
    kind: ``"sum"``, ``"mean"``, ``"max"``, ``"min"``, ``"argmax"`` or ``"argmin"``.
    axes: the axes that it leaves out, from the first.
    keeps: whether the result has them with the extent 1.
    """

    kind: str
    axes: tuple[int, ...]
    keeps: bool


class Reduced(Fused):
    """The function of a node that stands for elementwise nodes and a reduction of their result.

    Attributes
    ----------
    last: the node of the reduction.
    """

    def __init__(self, nodes: list[Node], last: Node, functions: bool) -> None:
        super().__init__(nodes, (last.result,), functions)
        self.last = last
        #: The shape of the elements.
        self.shape: tuple[int, ...] = last.args[0].shape

    @property
    def reorders(self) -> bool:
        """True if the loop adds elements in another order than NumPy's functions."""
        found = reduction_of(self.last)
        return found is not None and found.kind in ("sum", "mean") and len(self.shape) - 1 in found.axes


def reduction_of(node: Node) -> Reduction | None:
    """Return the reduction that a node computes of floats; None for any other node."""
    place = node.name in ("argmax", "argmin")
    if node.name not in ("sum", "mean", "max", "min") and not place:
        return None
    if node.writes is not None or node.blocks or not node.args:
        return None
    x, result = node.args[0], node.result
    if type(x) is not Value or type(result) is not Value or not x.shape:
        return None
    if (str(result.dtype) != "int64" or not result.shape) if place else x.dtype is not result.dtype:
        return None
    if str(x.dtype) not in ("float32", "float64") or len(node.args) > 2 or {*node.kwargs} - {"axis", "keepdims"}:
        return None
    ufunc = getattr(getattr(node.function, "__self__", None), "__name__", "")
    expected = {"sum": "add", "max": "maximum", "min": "minimum"}.get(node.name)
    if expected is not None and (ufunc != expected or node.function.__name__ != "reduce"):
        return None
    axis = node.args[1] if len(node.args) == 2 else node.kwargs.get("axis", 0 if expected is not None else None)
    rank = len(x.shape)
    taken = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(type(a) is int and -rank <= a < rank for a in taken):
        return None
    axes = tuple(sorted({a % rank for a in taken}))
    if place and axes != (rank - 1,):
        return None
    return Reduction(node.name, axes, bool(node.kwargs.get("keepdims", False))) if axes else None


def with_reductions(block: Block, *, functions: bool) -> Block:
    """Return a block where elementwise nodes and the reduction of a result that nothing else uses are one node.

    Parameters
    ----------
    functions: whether loops have the functions of `numba_parts`. Periodic ones are left out: they may refuse a number.
    """
    uses = Counter([id(v) for node in block.nodes for v in node.uses()])
    uses.update([id(v) for v in values_in(block.outputs)])
    makers: dict[int, int] = {}
    for i, node in enumerate(block.nodes):
        for v in node.function.outputs if node.name == "fused" else (node.result,):  # type: ignore[attr-defined]
            makers[id(v)] = i
    ends: dict[int, list[int]] = {}  # the place of a maker -> those of the reductions of its results
    for i, node in enumerate(block.nodes):
        if reduction_of(node) is not None and uses[id(node.args[0])] == 1 and id(node.args[0]) in makers:
            ends.setdefault(makers[id(node.args[0])], []).append(i)
    taken: set[int] = set()
    nodes: list[Node] = []
    for i, node in enumerate(block.nodes):
        if i in taken:
            continue
        made = [(k, _as_one(node, block.nodes[k], functions)) for k in ends.get(i, ())]
        found = {k: one for k, one in made if one is not None}
        taken |= {*found}
        nodes += found.values()
        gone = {id(block.nodes[k].args[0]) for k in found}
        nodes += _without(node, gone, functions) if gone else [_alone(node, functions) or node]
    return Block(block.inputs, nodes, block.outputs)


def _as_one(maker: Node, last: Node, functions: bool) -> Node | None:
    """Make one node of a reduction and the elementwise nodes that it needs of those of a node; None where no loop may
    compute them, or where too many would be computed twice."""
    whole = maker.function.nodes if maker.name == "fused" else [maker]  # type: ignore[attr-defined]
    inside = _needed(whole, {id(last.args[0])})
    twice = len(whole) > len(inside) > _TWICE
    if twice or len(inside[0].result.shape) > _AXES or not all(_is_computed(n, functions) for n in inside):
        return None
    made = {id(n.result) for n in inside}
    outer = {id(v): v for n in inside for v in n.operands if id(v) not in made}
    if not any(v.shape for v in outer.values()):
        return None
    one = Reduced([n.replaced(out=None) for n in inside], last, functions)
    return Node(one, "reduced", tuple(outer.values()), {}, (last.result,))


def _alone(node: Node, functions: bool) -> Node | None:
    """Make a loop of a reduction of an array with few elements along the last axis, where NumPy takes as long for each
    row as for many elements. None for any other node."""
    found = reduction_of(node)
    shape: tuple[int, ...] = node.args[0].shape if found is not None else ()
    if found is None or not 1 < len(shape) <= _AXES or len(found.axes) == len(shape) or not 0 < shape[-1] <= _NARROW:
        return None
    return Node(Reduced([], node, functions), "reduced", (node.args[0],), {}, (node.result,))


def _is_computed(node: Node, functions: bool) -> bool:
    return is_compiled(node) or (functions and wide(node) != "" and wide(node) not in PERIODIC)


def _needed(nodes: list[Node], wanted: set[int]) -> list[Node]:
    """Return the nodes that compute values with these ids."""
    wanted = {*wanted}
    found = []
    for node in reversed(nodes):
        if id(node.result) in wanted:
            found.append(node)
            wanted.update([id(v) for v in node.operands])
    return found[::-1]


def _without(node: Node, gone: set[int], functions: bool) -> list[Node]:
    """Return the nodes that are left of a node when some of its results are needed no more."""
    if node.name != "fused":
        return []
    whole: Fused = node.function  # type: ignore[assignment]
    outputs = tuple([v for v in whole.outputs if id(v) not in gone])
    nodes = _needed(whole.nodes, {id(v) for v in outputs})
    if len(nodes) < 2:
        return nodes
    made = {id(n.result) for n in nodes}
    outer = {id(v): v for n in nodes for v in n.operands if id(v) not in made}
    return [Node(Fused(nodes, outputs, functions), "fused", tuple(outer.values()), {}, outputs)]
