"""The stages of a loop over rows: what one nest of loops computes, and what it leaves in memory for a later one."""

from __future__ import annotations

import math
from typing import Any

from ..nodes import Node, Value
from .numba_text import wide
from .reducing import Reduction, reduction_of
from .rows import Rows

__all__ = ["Stage", "Stages"]

#: The calls that are computed again in a later stage, where all operands are at hand, and not kept in memory.
_CHEAP = frozenset("add subtract multiply negative".split())


#: The least elements along an axis for which a place is found in two steps: the least element, and where it is.
_LONG = 24

#: The most elements along the axes of short rows where only sums of products over rows gain.
_SHORT = 8
#: The most steps of a loop along short rows, so that LLVM unrolls it and computes several rows at once, and the steps
#: of one element of reductions, of calls and of operands.
_UNROLLED, _STEPS, _CALL, _OPERAND = 224, {"sum": 1, "mean": 1, "max": 4, "min": 4, "argmax": 8, "argmin": 8}, 2, 1


class Stage:
    """One nest of loops over some rows.

    Attributes
    ----------
    space: the extents of a row that it goes through.
    nodes: the elementwise calls, in order.
    reductions: those of rows, and the totals over all rows, with what they are.
    product: a product of matrices, which is a stage of its own.
    along: the axes of a row that a reduction adds up in a variable; None for no such reduction.
    """

    def __init__(self, space: tuple[int, ...], product: Node | None = None) -> None:
        self.space, self.product = space, product
        self.nodes: list[Node] = []
        self.reductions: list[tuple[Node, Reduction]] = []
        self.along: tuple[int, ...] | None = None

    def unrolls(self) -> bool:
        """Return whether loops along a row can stand in a loop over rows that LLVM writes for several rows at once.

        Then all reductions are along the same axes, and LLVM unrolls the loops over these.
        """
        along = {*(self.along or ())}
        for _, found in self.reductions:
            axes = {k - 1 for k in found.axes if k > 0}
            if not axes >= along or (0 not in found.axes and axes != along):
                return False
        if along and any(map(wide, self.nodes)):
            return False
        made = {id(n.result) for n in self.nodes}
        read = {id(v) for n in self.nodes for v in n.operands} | {id(n.args[0]) for n, _ in self.reductions}
        steps = _OPERAND * len(read - made) + _CALL * len(self.nodes) + sum(_STEPS[r.kind] for _, r in self.reductions)
        return not along or steps * math.prod([self.space[k] for k in along]) <= _UNROLLED

    def is_last(self, axes: tuple[int, ...]) -> bool:
        """Return whether the loops over these axes of a row can stand within those over the others."""
        kept = [k for k, n in enumerate(self.space) if n != 1 and k not in axes]
        return all(k < a for k in kept for a in axes if self.space[a] != 1)


class Stages:
    """The stages of a node, in order.

    Parameters
    ----------
    twice: whether a place among many elements is found in two steps.

    Attributes
    ----------
    all: the stages.
    kept: the values that later stages or other calls read, by their ids: in order.
    again: the ids of values that a later stage computes again.
    """

    def __init__(self, rows: Rows, *, twice: bool = True) -> None:
        self._rows, self._twice = rows, twice
        self._maker = {id(n.result): n for n in rows.members}
        level = self._levels()
        found: dict[tuple[Any, ...], Stage] = {}
        of: dict[int, Stage] = {}
        for node in sorted(rows.members, key=lambda n: level[id(n.result)]):  # a stable order
            kind = rows.kinds[id(node.result)]
            alone = node if kind in ("product", "outer") else None
            key = level[id(node.result)], self._space(node), id(alone) if alone else None
            stage = of[id(node.result)] = found.setdefault(key, Stage(self._space(node), alone))
            if kind == "each":
                stage.nodes.append(node)
            elif alone is None:
                self._reduce(stage, node)
        self.all = [found[key] for key in sorted(found, key=lambda key: key[0])]
        self.kept: dict[int, Value] = {}
        self.again: dict[int, Node] = {}
        self._keep(of)

    def have_short_rows(self, fixed: set[int]) -> bool:
        """Return whether it takes less time to compute several rows at once, place by place.

        That is so where rows are short, each row has several axes or sums of products are taken over rows, and LLVM
        unrolls the loops along a row.

        Parameters
        ----------
        fixed: the extents that the loop is made for.
        """
        rows = self._rows
        extents = {n for v in rows.values() for n in v.shape[v.shape[:1] == (rows.extent,) :] if n != 1}
        if not extents or not extents <= fixed:
            return False
        if any(rows.kinds[id(n.result)] == "product" and len(n.args[1].shape) > 1 for n in rows.members):
            return False  # a product of matrices reads rows one after the other
        sums = any(rows.kinds[id(n.result)] == "outer" and len(n.result.shape) == 2 for n in rows.members)
        pays = any(sum(n != 1 for n in stage.space) > 1 for stage in self.all) or (sums and max(extents) <= _SHORT)
        return pays and all(stage.unrolls() for stage in self.all)

    def is_long(self, node: Node) -> bool:
        """Return whether a call finds a place among so many elements that they are gone through twice."""
        return self._twice and node.name in ("argmax", "argmin") and node.args[0].shape[-1] >= _LONG

    def _space(self, node: Node) -> tuple[int, ...]:
        kind = self._rows.kinds[id(node.result)]
        shape: tuple[int, ...] = (node.result if kind == "each" else node.args[0]).shape
        return () if kind in ("product", "outer") else shape[1:]

    def _joins(self, node: Node, v: Value, maker: Node) -> bool:
        """Return whether a call may be in the stage of the call that makes an operand."""
        of = self._rows.kinds
        in_loop = of[id(node.result)] in ("each", "reduce", "total") and of[id(maker.result)] == "each"
        return in_loop and id(v) not in self._rows.views and self._space(node) == self._space(maker)

    def _made_for(self, node: Node) -> list[tuple[Value, Node]]:
        """List the operands that members make, with these members."""
        found = [(v, self._rows.base(v)) for v in node.operands]
        return [(v, self._maker[id(base)]) for v, base in found if id(base) in self._maker]

    def _levels(self) -> dict[int, int]:
        """Return the stage of each call: elementwise ones as late as they are needed."""
        members, level = self._rows.members, dict[int, int]()
        for node in members:
            before = [level[id(m.result)] + (not self._joins(node, v, m)) for v, m in self._made_for(node)]
            level[id(node.result)] = max(before, default=0)
        latest: dict[int, int] = {}
        for node in reversed(members):
            key = id(node.result)
            if self._rows.kinds[key] == "each":
                level[key] = max(level[key], latest.get(key, level[key]))
            for v, m in self._made_for(node):
                own = level[key] - (not self._joins(node, v, m))
                latest[id(m.result)] = min(latest.get(id(m.result), own), own)
        return level

    @staticmethod
    def _reduce(stage: Stage, node: Node) -> None:
        found = reduction_of(node)
        assert found is not None
        axes = tuple([k - 1 for k in found.axes if k > 0])
        if 0 not in found.axes and stage.is_last(axes) and stage.along in (None, axes):
            stage.along = axes
        stage.reductions.append((node, found))

    def _keep(self, of: dict[int, Stage]) -> None:
        """Note what has to be in memory."""
        outputs = {id(v) for v in self._rows.outputs}
        for node in self._rows.members:
            key = id(node.result)
            if self._rows.kinds[key] in ("total", "outer"):
                continue
            users = [n for n in self._rows.members for v, m in self._made_for(n) if m is node]
            views = any(v is not node.result for n in users for v, m in self._made_for(n) if m is node)
            elsewhere = [n for n in users if of[id(n.result)] is not of[key]]
            read_again = any(map(self.is_long, users))
            if key not in outputs and elsewhere and not read_again and not views and self._is_cheap(node):
                spaces = {of[id(n.result)].space if of[id(n.result)].product is None else None for n in elsewhere}
                if spaces == {of[key].space}:
                    self.again[key] = node
                    continue
            if key in outputs or elsewhere or read_again or self._rows.kinds[key] != "each":
                self.kept[key] = node.result

    def _is_cheap(self, node: Node) -> bool:
        """Return whether a call is one step from what is in memory."""
        of = self._rows.kinds
        if of[id(node.result)] != "each" or getattr(node.function, "__name__", "") not in _CHEAP:
            return False
        return all(of[id(m.result)] != "each" or id(m.result) in self.kept for _, m in self._made_for(node))
