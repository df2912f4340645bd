"""Facts of a program for simplifications: the effects of a call, and the values that share memory or are returned."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from ..nodes import Block, Constant, Node, Value, values_in

__all__ = ["NEW_EACH_TIME", "REDUCTIONS", "Facts", "all_blocks", "harmless", "has_own_memory", "name_of", "writes"]

#: Names of nodes that give a result with its own memory, raise no error for operands that they took once, and depend on
#: nothing but their operands.
_HARMLESS = frozenset(
    """
    _clip abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor cast cbrt ceil copysign cos cosh deg2rad divide equal erf exp exp2 expm1 floor fmax
    fmin greater greater_equal heaviside hypot isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp
    logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal
    rad2deg reciprocal round scalar sign signbit sin sinh sqrt square subtract tan tanh trunc where
    """.split()
)
#: Names of nodes whose result may have another shape, and shares no memory with the operands.
REDUCTIONS = frozenset(
    "all any argmax argmin count_nonzero matmul max mean min prod std sum tensordot var vecdot".split()
)
#: Names of nodes whose result depends on more than their operands, or has to be a new array each time.
NEW_EACH_TIME = frozenset("copy empty empty_like".split())


def harmless(node: Node) -> bool:
    """Return whether a node gives a result with its own memory, and depends on nothing but its operands."""
    name = node.name
    return name in _HARMLESS or name.removeprefix("reflected ") in _HARMLESS


def has_own_memory(node: Node) -> bool:
    """Return whether the result of a node shares no memory with its operands."""
    return harmless(node) or node.name in REDUCTIONS


class Facts:
    """Facts of a whole program, for the simplifications.

    Attributes
    ----------
    shared: the ids of values that something may write into, or that may share memory with such a value.
    returned: the ids of the values that the program returns.
    """

    def __init__(self, block: Block, writes: bool) -> None:
        self.shared = _shared(block) if writes else set[int]()
        self.returned = set(map(id, values_in(block.outputs)))
        self._block = block

    @cached_property
    def leaving(self) -> set[int]:
        """The ids of values that are returned, or that may share memory with a returned value."""
        found = {*self.returned}
        for node in reversed(self._block.nodes):
            if node.blocks or (not has_own_memory(node) and any(id(v) in found for v in node.results)):
                found.update([id(v) for v in node.uses()])
        return found


def writes(block: Block) -> bool:
    """Return whether a node of a block, or of a block inside it, writes into an array."""
    for node in block.nodes:  # noqa: SIM110 - a generator would take longer
        if node.writes is not None or (node.blocks and any(map(writes, node.blocks))):
            return True
    return False


def _shared(block: Block) -> set[int]:
    """Return the ids of values that are written into, and of all values that may share memory with them.

    Where a node may give a view, its results are in one group with its operands.
    """
    parent: dict[int, int] = {}

    def root(i: int) -> int:
        while parent.setdefault(i, i) != i:
            i = parent[i]
        return i

    written: set[int] = set()
    seen: dict[int, Value] = {}
    for node in block.all_nodes():
        values = [*node.uses(), *node.results]
        for v in values:
            seen[id(v)] = v
        if node.writes is not None:
            written.add(id(node.writes))
        if not harmless(node) and values:
            for v in values[1:]:
                parent[root(id(v))] = root(id(values[0]))
    if written:  # an argument or an array that the program holds may share memory with another
        outside = [*block.inputs, *[v for v in seen.values() if isinstance(v, Constant) and v.held]]
        for v in outside[1:]:
            parent[root(id(v))] = root(id(outside[0]))
    roots = {root(i) for i in written}
    return {i for i in seen if root(i) in roots}


def all_blocks(block: Block) -> Iterable[Block]:
    """Yield a block and the blocks inside its nodes."""
    yield block
    for node in block.nodes:
        for inner in node.blocks:
            yield from all_blocks(inner)


def name_of(x: Any) -> str:
    """Make a name for a number: ``c_0_5``."""
    return f"c_{x}".replace("-", "minus_")
