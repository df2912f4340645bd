"""The operations of several runs of a program, aligned by where they are in it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .places import Place, in_order, node_at, operand_nodes, place_of
from .recording import Key, Log, Record, declared_operands

__all__ = ["Aligned", "aligned", "in_place", "leading", "operand_nodes_of", "place_at"]


@dataclass(frozen=True)
class Aligned:
    """An operation in all runs that reached it."""

    key: Key
    records: dict[int, Record]  # by the number of the run

    @property
    def first(self) -> Record:
        return next(iter(self.records.values()))

    @property
    def place(self) -> Place:
        return place_at(self.first)


def place_at(r: Record) -> Place:
    """Return the place where an operation was called."""
    return place_of(r.call.code, r.call.instruction)


def aligned(logs: Sequence[Log]) -> list[Aligned]:
    """Align the operations of all runs in the order of the first; one that it lacks comes after its predecessor."""
    keys: list[Key] = [*logs[0].records]
    known = {*keys}
    for log in logs[1:]:
        before: Key | None = None
        for key in log.records:
            if key not in known:
                keys.insert(keys.index(before) + 1 if before else 0, key)
                known.add(key)
            before = key
    found = [Aligned(key, {}) for key in keys]
    for i, log in enumerate(logs):
        for a in found:
            r = log.records.get(a.key)
            if r is not None:
                a.records[i] = r
    return found


def in_place(a: Aligned) -> bool:
    """Return whether an operation is a statement like ``x += y``."""
    return isinstance(node_at(a.place), ast.AugAssign)


def leading(r: Record) -> tuple[Any, ...]:
    """Return the leading arguments of an operation: those of a sequence, if it takes one."""
    return tuple(r.args[0]) if r.args and isinstance(r.args[0], (list, tuple)) else r.args


def operand_nodes_of(record: Record, node: Any) -> list[Any]:
    """List the syntax nodes of an operation's operands, in order; None for one that the source does not show."""
    call, names = record.call, declared_operands(record.op)
    nodes = operand_nodes(node, record.op, names, call.names)
    held = [call.held.get(id(x), "") for x in record.args[: len(names)]]
    return in_order(nodes, held) if any(held) and isinstance(node, ast.Call) else nodes
