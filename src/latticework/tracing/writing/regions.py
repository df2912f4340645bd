"""The parts of a block that become functions of a source: the calls of a model's modules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..nodes import Block, Constant, Location, Node, Scope, Value, values_in

__all__ = ["Region", "Uses", "regions"]


class Uses:
    """Where the values of a block are made and used.

    Attributes
    ----------
    at: the id of a value -> the positions of the nodes that use it, in order.
    made: the id of a value -> the position of the node that makes it.
    position: the id of a node -> its position.
    returned: the ids of the values that the block gives.
    """

    def __init__(self, block: Block) -> None:
        self.at: dict[int, list[int]] = {}
        self.made: dict[int, int] = {}
        self.position = {id(node): i for i, node in enumerate(block.nodes)}
        for i, node in enumerate(block.nodes):
            used = {id(v) for v in node.uses()}
            for key in used:
                self.at.setdefault(key, []).append(i)
            for v in node.results:
                if id(v) not in used:
                    self.made.setdefault(id(v), i)
        self.returned = {id(v) for v in values_in(block.outputs)}

    def leaves(self, value: Value, start: int, stop: int) -> bool:
        """Return whether a value is used outside of the nodes from start to stop."""
        return id(value) in self.returned or any(not start <= i < stop for i in self.at.get(id(value), ()))


class Region:
    """The nodes of one call of a module, which follow one another.

    Attributes
    ----------
    scope: the call.
    start, stop: the positions of its nodes in the block.
    parts: the nodes and regions that it consists of.
    """

    def __init__(self, scope: Scope, start: int, stop: int, nodes: Sequence[Node], uses: Uses) -> None:
        self.scope, self.start, self.stop = scope, start, stop
        self.nodes, self.uses = nodes[start:stop], uses
        self.parts = regions(nodes, uses, scope, start, stop)

    @cached_property
    def inputs(self) -> list[Value]:
        """The values that it uses of what is around it, in the order of the module's arguments and of their use."""
        found: dict[int, Value] = {}
        used = {id(v): v for node in self.nodes for v in node.uses()}
        for v in (*[v for v in self.scope.arguments.values() if id(v) in used], *used.values()):
            made = self.uses.made.get(id(v), -1)
            if not isinstance(v, Constant) and not self.start <= made < self.stop and not self._is_inside(v):
                found[id(v)] = v
        return [*found.values()]

    @cached_property
    def _own(self) -> set[int]:
        return {
            id(v) for n in self.nodes for b in n.blocks for m in (None, *b.all_nodes())
            for v in ((*b.inputs,) if m is None else (*m.results, *[v for c in m.blocks for v in c.inputs]))
        }  # fmt: skip

    def _is_inside(self, value: Value) -> bool:
        """Return whether a value is of a block inside of its nodes."""
        return id(value) in self._own

    @cached_property
    def outputs(self) -> list[Value]:
        """The module's results, and then all else that is used outside of it, in the order of its making."""
        made = {id(v): v for node in self.nodes for v in node.results if self.uses.made.get(id(v), -1) >= self.start}
        wanted = [v for v in self.scope.results if id(v) in made]
        found = {id(v): v for v in (*wanted, *made.values())}
        given = {id(v) for v in wanted}
        return [v for i, v in found.items() if i in given or self.leaves(v)]

    def leaves(self, value: Value) -> bool:
        """Return whether a value that it makes is used outside of it."""
        return self.uses.leaves(value, self.start, self.stop)

    def leaves_elsewhere(self, value: Value) -> bool:
        """Return whether a value that it uses is used outside of it."""
        return self.uses.leaves(value, self.start, self.stop)

    @property
    def location(self) -> Location | None:
        return self.scope.at

    @cached_property
    def writes(self) -> bool:
        """Whether it writes into an array from outside of it."""
        made = self.uses.made
        return any(n.writes is not None and made.get(id(n.writes), -1) < self.start for n in self.nodes)


def regions(
    nodes: Sequence[Node], uses: Uses, outer: Scope | None, start: int = 0, stop: int | None = None
) -> list[Node | Region]:
    """Divide nodes into those of a call itself, and the calls in it."""
    stop = len(nodes) if stop is None else stop
    scopes = [_below(nodes[i].scope, outer) for i in range(start, stop)]
    found: list[Node | Region] = []
    i = start
    while i < stop:
        scope = scopes[i - start]
        if scope is None or scope is outer:
            found.append(nodes[i])
            i += 1
            continue
        end = i + 1
        while end < stop and scopes[end - start] is scope:
            end += 1
        found.append(Region(scope, i, end, nodes, uses))
        i = end
    return found


def _below(scope: Scope | None, outer: Scope | None) -> Scope | None:
    """Return the call in `outer` that a call is, or is made in; `outer` itself where there is none."""
    while scope is not None and scope.outer is not outer and scope is not outer:
        scope = scope.outer
    return outer if scope is None else scope
