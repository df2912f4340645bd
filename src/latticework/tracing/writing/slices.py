"""Slices as places in the array that they are of: a loop reads the neighbours of an element, and no view is made."""

from __future__ import annotations

import operator
from collections import Counter
from typing import NamedTuple

from ..nodes import Block, Constant, Node, Value, values_in
from .fusion import Fused, steps_of

__all__ = ["Slice", "with_slices"]


class Slice(NamedTuple):
    """A view of an array.

    Attributes
    ----------
    of: the array.
    ranges: where it begins along each axis, and where it ends: None for the end, less than zero from there.
    """

    of: Value
    ranges: tuple[tuple[int, int | None], ...]

    def place(self, index: list[str]) -> list[str]:
        """Return the index in the array for one in the view."""
        found = []
        for i, (start, _) in zip(index, self.ranges, strict=True):
            found.append(str(start) if i == "0" else f"{i} + {start}" if start else i)
        return found

    def extent(self, axis: int, name: str) -> str:
        """Write an extent of the view. Where the array is too short for it, this is no extent of anything."""
        start, stop = self.ranges[axis]
        if stop is not None and stop >= 0:
            return str(stop - start)
        less = start - (stop or 0)
        return f"{name}.shape[{axis}] - {less}" if less else f"{name}.shape[{axis}]"

    def fits(self, axis: int, name: str, extent: str) -> str:
        """Write the condition that the view has an extent."""
        _, stop = self.ranges[axis]
        found = f"{self.extent(axis, name)} == {extent}"
        return f"{found} and {name}.shape[{axis}] >= {stop}" if stop is not None and stop > 0 else found


def with_slices(block: Block) -> Block:
    """Return a block whose loops read slices of arrays in place, without the views that nobody needs any more."""
    found: dict[int, Slice] = {}
    makers: dict[int, Node] = {}
    for node in block.nodes:
        made = _slice(node, found)
        if made is not None:
            found[id(node.result)], makers[id(node.result)] = made, node
    if not found or any(n.writes is not None or n.blocks for n in block.nodes):
        return block
    changed = [_in_place(n, found, makers) for n in block.nodes]
    uses = Counter([id(v) for v in values_in(block.outputs)] + [id(v) for n in changed for v in n.uses()])
    left = []
    for node in reversed(changed):
        if id(node.result) in makers and not uses[id(node.result)]:
            uses.subtract([id(v) for v in node.uses()])
        else:
            left.append(node)
    return Block(block.inputs, left[::-1], block.outputs)


def _in_place(node: Node, found: dict[int, Slice], makers: dict[int, Node]) -> Node:
    """Return the node of a stretch that reads slices in place; any other node as it is."""
    if node.name != "fused" or not any(id(v) in found for v in node.args):
        return node
    whole: Fused = node.function  # type: ignore[assignment]
    fused = Fused(whole.nodes, whole.outputs, bool(whole.functions))
    fused.among_loops = whole.among_loops
    if any(not step.loop for step in steps_of(fused)):  # NumPy's calls take the views
        return node
    fused.slices = {id(v): found[id(v)] for v in node.args if id(v) in found}
    fused.read = node.args
    fused.cuts = [makers[id(v)] for v in node.args if id(v) in found]
    args = {id(v): v for v in [found[id(v)].of if id(v) in found else v for v in node.args]}
    return Node(fused, "fused", tuple(args.values()), {}, node.result)


def _slice(node: Node, found: dict[int, Slice]) -> Slice | None:
    """Return the slice that a node makes, along axes that it keeps; None for any other node."""
    if node.name != "index" or node.function is not operator.getitem or len(node.args) != 2 or node.kwargs:
        return None
    x, keys = node.args[0], node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    if not isinstance(x, Value) or isinstance(x, Constant) or type(node.result) is not Value or id(x) in found:
        return None
    if not all(type(k) is slice for k in keys):
        return None
    ranges: list[tuple[int, int | None]] = []
    for key in keys:
        start, stop, step = key.start or 0, key.stop, key.step
        if step not in (None, 1) or type(start) is not int or start < 0 or type(stop) not in (int, type(None)):
            return None
        if stop is not None and 0 <= stop < start:
            return None
        ranges.append((start, stop))
    ranges += [(0, None)] * (len(x.shape) - len(ranges))
    made = Slice(x, tuple(ranges))
    return made if 0 not in node.result.shape and 1 not in x.shape else None
