"""The parts of a function while they are written: which values are still used, and what the program calls them."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..nodes import Location, Node, Scope, Value
from .regions import Region, Uses

__all__ = ["Level"]


class Level:
    """The parts of a function or of a block in it, while they are written.

    Attributes
    ----------
    now: the place of the part that is being written.
    names: the names of values by the program's variables.
    """

    def __init__(
        self, parts: Sequence[Node | Region], uses: Uses | None, needed: set[int], own: set[int] | None = None,
        scope: Scope | None = None,
        asked_at: Location | None = None,
    ) -> None:  # fmt: skip
        self.parts, self.uses, self.now = parts, uses, 0
        self._needed, self._own = needed, own
        self._users: dict[int, list[int]] = {}
        self._under: dict[int, set[int]] = {}
        for i, part in enumerate(parts):
            for v in {id(v) for v in (part.inputs if isinstance(part, Region) else part.uses())}:
                self._users.setdefault(v, []).append(i)
        self._last = {v: places[-1] for v, places in self._users.items()}
        self._writes = any(isinstance(p, Node) and p.writes is not None for p in parts)
        #: Functions inside may run later, and see the variables then.
        self._has_functions = any(isinstance(p, Node) and p.blocks for p in parts)
        self.names = _author_names(parts, uses, scope, asked_at) if uses is not None else {}

    def is_over(self, value: Value) -> bool:
        """Return whether nobody uses a value after the part that is being written."""
        i = id(value)
        if self._has_functions or i in self._needed or i not in self._last:
            return False
        return self._last[i] <= self.now and (self._own is None or i in self._own)

    def user_of(self, value: Value) -> int | None:
        """Return the place of the part in which a value may be written as an expression; None for no such part."""
        places = self._users.get(id(value), [])
        if self._own is None and not places and self._needed == {id(value)} and self.now == len(self.parts) - 1:
            return self.now  # it is returned
        if len(places) != 1 or id(value) in self._needed or id(value) in self.names:
            return None
        user = self.parts[places[0]]
        if self._writes and places[0] != self.now + 1:
            return None
        if isinstance(user, Node) and (
            user.blocks or user.writes is not None or sum(v is value for v in user.operands) != 1
        ):
            return None
        return places[0] if _location(user) == _location(self.parts[self.now]) else None

    def keep(self, value: Value, operands: Sequence[Value], until: int) -> None:
        """Note that the variables of an expression are used where it is written."""
        under = self._under[id(value)] = {j for v in operands for j in (id(v), *self._under.get(id(v), ()))}
        for i in under:
            self._last[i] = max(self._last.get(i, until), until)


def _positions(part: Node | Region, uses: Uses) -> tuple[int, int]:
    if isinstance(part, Region):
        return part.start, part.stop
    i = uses.position[id(part)]
    return i, i + 1


def _location(part: Node | Region) -> Location | None:
    return part.location


def _author_names(
    parts: Sequence[Node | Region], uses: Uses, scope: Scope | None, asked_at: Location | None
) -> dict[int, str]:
    """Name values by the variables that the program's lines assign, but for lines around the call of the module."""
    around = {asked_at}
    while scope is not None:
        around.add(scope.at)
        scope = scope.outer
    found: dict[int, str] = {}
    i = 0
    while i < len(parts):
        location, k = _location(parts[i]), i + 1
        while k < len(parts) and _location(parts[k]) == location:
            k += 1
        names = _targets(location.file, location.line) if location is not None and location not in around else ()
        if names:
            start, stop = _positions(parts[i], uses)[0], _positions(parts[k - 1], uses)[1]
            made = [v for p in parts[i:k] for v in (p.outputs if isinstance(p, Region) else p.results)]
            leaving = [v for v in made if uses.leaves(v, start, stop) and start <= uses.made.get(id(v), -1) < stop]
            if len(names) == 1 and leaving:
                last = parts[k - 1]
                leaving = [v for v in last.outputs if v in leaving][:1] if isinstance(last, Region) else leaving[-1:]
            if len(names) == len(leaving):
                found |= {id(v): name for v, name in zip(leaving, names, strict=True)}
        i = k
    return found


@lru_cache(512)
def _targets(file: str, line: int) -> tuple[str, ...]:
    """Return the variables that a line of a file assigns; () for none, or for more than variables."""
    for node in sorted(_statements(file), key=lambda n: -n.lineno):  # the innermost first
        if node.lineno <= line <= (node.end_lineno or 0):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) != 1:
                return ()
            (target,) = targets
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            return tuple([n.id for n in names if isinstance(n, ast.Name)]) if all(
                isinstance(n, ast.Name) for n in names
            ) else ()  # fmt: skip
    return ()


@lru_cache(64)
def _statements(file: str) -> list[Any]:
    if "latticework" in file.replace("\\", "/").split("/") and "frontends" in file:
        return []
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    return [n for n in ast.walk(tree) if isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign))]
