"""The source of a model: a function for each class of modules, and loops over modules that are alike."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ..nodes import Block, Constant, Location, Node, Scope, Value
from .calls import bare, writer_of
from .levels import Level
from .plain import assigned, plainly
from .regions import Region, Uses, regions
from .source import Writer, is_call
from .spelling import Spelling, as_name, quoted
from .steps import UPDATE, write_gradient, write_updates

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["FunctionWriter", "Shared", "parameter_name"]

#: The most characters of an expression without a line of its own.
_LONGEST = 80
#: The most characters of an expression that is returned.
_WIDEST = 108
#: The fewest native calls of a module that becomes a function.
_FEWEST = 3
#: Classes whose names say nothing of what their objects are for.
_CONTAINERS = frozenset(("Sequential", "ModuleList", "ModuleDict", "Module"))


class Shared:
    """What the functions of one source have in common.

    Attributes
    ----------
    members: the id of an input of the graph -> the dict that it is in, and its key.
    definitions: the functions that were written.
    asked_at: the line of the program that asks for the source.
    """

    def __init__(self, backend: Backend, name: str, asked_at: Location | None = None) -> None:
        self.backend, self.main, self.asked_at = backend, name, asked_at
        self.spelling = Spelling(backend.name, {name})
        self.members: dict[int, tuple[str, str]] = {}
        #: The names of values that the program has no variable for.
        self.hints: dict[int, str] = {}
        #: Of a step of training: where results go, whether the dicts are copies, and other names of dicts for now.
        self.destinations: dict[int, tuple[str, str]] = {}
        self.copied = False
        #: Whether derivatives of what is written are taken.
        self.differentiated = False
        self.reserved: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.definitions: list[str] = []
        self._named: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {}
        self._of: dict[int, tuple[str, tuple[str, ...]]] = {}
        self._kept: list[Region] = []

    def function_of(self, region: Region) -> tuple[str, tuple[str, ...]]:
        """Return the name of the function of a region, and which dicts it takes. The same text is written once."""
        found = self._of.get(id(region))
        if found is None:
            w = FunctionWriter(self, f"{region.scope.path}.")
            names = {id(v): name for name, v in region.scope.arguments.items()}
            taken = [w.bind(v, parameter_name(names.get(id(v), "x"))) for v in self.arrays(region)]
            w.scope = region.scope
            w.parts(region.parts, region.uses, {id(v) for v in region.outputs})
            w.line(f"return {', '.join([bare(w.expression(v)) for v in region.outputs])}")
            dicts = tuple([name for name in ("params", "weights", "state", "grads") if name in w.dicts])
            head = ", ".join([*dicts, *(["at"] if w.relative else []), *taken])
            key = head, "\n".join(w.lines)
            found = self._named.get(key)
            if found is None:
                name = self.spelling.fresh(_function_name(region))
                self.definitions.append(f"def {name}({head}):\n{key[1]}\n")
                found = self._named[key] = name, (*dicts, *(["at"] if w.relative else []))
            self._of[id(region)] = found
            self._kept.append(region)
        return found

    def update_of(self, region: Region) -> str:
        """Return the name of the function of a region that takes all that it needs as arguments: of an update."""
        w = FunctionWriter(self, "")
        names = {id(v): name for name, v in region.scope.arguments.items()}
        taken = [w.bind(v, parameter_name(names.get(id(v), "t"))) for v in region.inputs]
        w.scope, hints, end = region.scope, self.hints, -len(region.scope.path)
        keys = {id(v): self.destinations[id(v)][1] for v in region.outputs if id(v) in self.destinations}
        self.hints = {i: key[:end].rstrip(".") or "p" for i, key in keys.items()}
        w.parts(region.parts, region.uses, {id(v) for v in region.outputs})
        self.hints = hints
        w.line(f"return {', '.join([bare(w.expression(v)) for v in region.outputs])}")
        head = ", ".join(taken)
        key = head, "\n".join(w.lines)
        found = self._named.get(key)
        if found is None:
            name = self.spelling.fresh(_snake(region.scope.kind.removeprefix(UPDATE)))
            self.definitions.append(f"def {name}({head}):\n{key[1]}\n")
            found = self._named[key] = name, ()
        return found[0]

    def arrays(self, region: Region) -> list[Value]:
        """The inputs of a region that are no members of dicts."""
        return [v for v in region.inputs if id(v) not in self.members]


class FunctionWriter(Writer):
    """Writes one function of a source for reading.

    Parameters
    ----------
    at: the path of the module that the function is of, which its parameters' names begin with; "" for the main one.

    Attributes
    ----------
    dicts: the dicts that it reads.
    relative: whether it reads parameters by the path of its module.
    """

    def __init__(self, shared: Shared, at: str) -> None:
        super().__init__(shared.backend, (shared.main,), comments=False, blocks=False, spelling=shared.spelling)
        self.shared, self.at = shared, at
        self.scope: Scope | None = None
        self.dicts: set[str] = set()
        self.relative = False
        self.variables = {name for name, _ in shared.members.values()} | {"at"} | shared.reserved
        self.bound: dict[str, Value] = {}
        self.level = Level([], None, set())

    # --- names --------------------------------------------------------------------------------------------------------

    def name(self, value: Value, wanted: str = "t") -> str:
        found = self.names.get(id(value))
        if found is None:
            if id(value) in self.shared.members:
                found = self.member(*self.shared.members[id(value)])
            elif isinstance(value, Constant):
                return super().name(value)
            else:
                return self.bind(value, wanted)
            self.names[id(value)] = found
            self.kept.append(value)
        return found

    def member(self, name: str, key: str) -> str:
        """Write an element of a dict of arrays."""
        name = self.shared.renamed.get(name, name)
        self.dicts.add(name)
        if self.at and key.startswith(self.at):
            self.relative = True
            return f"{name}[at + {quoted(key[len(self.at) :])}]"
        return f"{name}[{quoted(key)}]"

    def path(self, path: str) -> str:
        """Write the path of a module, with its dot."""
        if self.at and f"{path}." == self.at:
            self.relative = True
            return "at"
        if self.at and path.startswith(self.at):
            self.relative = True
            return f"at + {quoted(path[len(self.at) :] + '.')}"
        return quoted(f"{path}.")

    def wanted(self, value: Value) -> str:
        """Return the name that a value should have: of the program's variable, or of what becomes of it."""
        return self.level.names.get(id(value)) or self.shared.hints.get(id(value), "t")

    def bind(self, value: Value, wanted: str, avoid: Sequence[str] = ()) -> str:
        """Give a value a variable: one whose value nobody uses any more, or a new one."""
        wanted = as_name(wanted)
        held = self.bound.get(wanted)
        if held is None or wanted in avoid or not self.level.is_over(held):
            wanted = self.spelling.local(wanted, self.variables)
            self.variables.add(wanted)
        self.bound[wanted] = value
        self.names[id(value)] = wanted
        self.kept.append(value)
        return wanted

    # --- parts --------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        uses = Uses(block)
        before = self.level
        own = None if before.uses is None else {*uses.made, *map(id, block.inputs)}
        self.parts(regions(block.nodes, uses, self.scope), uses, uses.returned, own)
        self.level = before

    def parts(self, parts: Sequence[Node | Region], uses: Uses, needed: set[int], own: set[int] | None = None) -> None:
        """Write nodes and calls of modules, which follow one another.

        Parameters
        ----------
        needed: the ids of the values that are used after them.
        own: the ids of the values whose variables may get other values; None for all.
        """
        self.level = level = Level(self.worth(parts), uses, needed, own, self.scope, self.shared.asked_at)
        while level.now < len(level.parts):
            part = level.parts[level.now]
            if isinstance(part, Region) and part.scope.kind.startswith(UPDATE):
                alike = [p for p in takewhile(_is_update, level.parts[level.now :]) if isinstance(p, Region)]
                write_updates(self, alike)
                level.now += len(alike) - 1
            elif isinstance(part, Region):
                chain = self.chain(level)
                if len(chain) > 1:
                    self.loop(chain)
                else:
                    self.call(part)
            else:
                self.native(part)
            level.now += 1

    def worth(self, parts: Sequence[Node | Region]) -> list[Node | Region]:
        """Put the parts of calls that get no function in their places."""
        found: list[Node | Region] = []
        for part in parts:
            few = isinstance(part, Region) and not _is_update(part) and len(part.nodes) < _FEWEST
            if isinstance(part, Region) and (few or part.writes or not any(map(part.leaves, part.outputs))):
                found += self.worth(part.parts)
            else:
                found.append(part)
        if len(found) == 1 and isinstance(found[0], Region) and parts:
            return self.worth(found[0].parts)
        return found

    def native(self, node: Node) -> None:
        """Write a native call."""
        if assigned(self, node):
            return
        if node.name == "gradient" and self.shared.destinations:
            write_gradient(self, node)
            return
        text = plainly(self, node)
        if text is None:
            text = writer_of(self.backend, node)(self, node)
        if text is not None:
            result = node.result
            if isinstance(result, Value) and not isinstance(result, Constant) and node.writes is not result:
                self.give(result, text, node.operands)
            elif isinstance(result, list) and all(type(v) is Value for v in result):
                self.line(f"{', '.join([self.bind(v, self.wanted(v)) for v in result])} = {text}")
            else:
                super().result(node, text, _NO_USES, set(), None)

    def give(self, value: Value, text: str, operands: Sequence[Value]) -> None:
        """Assign an expression to a variable, or keep it for the one place where it is used."""
        level = self.level
        if id(value) in self.shared.members and id(value) not in self.names:  # a gradient that is computed step by step
            self.line(f"{self.name(value)} = {text}")
            return
        until = level.user_of(value)
        if until is not None and len(text) > (_LONGEST if until > level.now else _WIDEST):
            until = None
        if until is None:
            self.line(f"{self.bind(value, self.wanted(value))} = {text}")
            return
        self.names[id(value)] = text if is_call(text) else f"({text})"
        self.kept.append(value)
        level.keep(value, operands, until)

    def call(self, region: Region) -> None:
        """Write a call of the function of a module."""
        arrays = self.shared.arrays(region)
        text = self.text_of(region, self.path_of(region), [self.expression(v) for v in arrays])
        outputs = region.outputs
        if len(outputs) == 1:
            self.give(outputs[0], text, arrays)
        else:
            names = [self.bind(v, self.wanted(v)) if region.leaves(v) else "_" for v in outputs]
            self.line(f"{', '.join(names)} = {text}")

    def path_of(self, region: Region) -> str:
        _, leading = self.shared.function_of(region)
        return self.path(region.scope.path) if "at" in leading else ""

    def text_of(self, region: Region, path: str, arrays: list[str]) -> str:
        name, leading = self.shared.function_of(region)
        self.dicts.update(d for d in leading if d != "at")
        return f"{name}({', '.join([*[path if d == 'at' else d for d in leading], *map(bare, arrays)])})"

    # --- loops --------------------------------------------------------------------------------------------------------

    def chain(self, level: Level) -> list[Region]:
        """Return the calls from here on that are one call of the same function for one module after another."""
        found: list[Region] = []
        slot = -1
        for part in level.parts[level.now :]:
            if not isinstance(part, Region) or len(part.outputs) != 1:
                break
            if found:
                before, (carried,) = found[-1], found[-1].outputs
                a, b = self.shared.arrays(before), self.shared.arrays(part)
                places = [i for i, v in enumerate(b) if v is carried]
                alike = (
                    self.shared.function_of(part)[0] == self.shared.function_of(before)[0]
                    and len(places) == 1 and len(a) == len(b) and slot in (-1, places[0])
                    and all(x is y for i, (x, y) in enumerate(zip(a, b, strict=True)) if i != places[0])
                    and _pattern(before.scope.path, part.scope.path) is not None
                    and (len(found) < 2 or _pattern(found[0].scope.path, part.scope.path, len(found)) is not None)
                    and not part.leaves_elsewhere(carried)
                )  # fmt: skip
                if not alike:
                    break
                slot = places[0]
            found.append(part)
        return found

    def loop(self, chain: list[Region]) -> None:
        """Write calls for one module after another as a loop."""
        first, level = chain[0], self.level
        arrays = self.shared.arrays(first)
        slot = next(i for i, v in enumerate(self.shared.arrays(chain[1])) if v is first.outputs[0])
        given = [self.expression(v) for v in arrays]
        level.now += len(chain) - 1
        (last,) = chain[-1].outputs
        known = id(last) in level.names or id(last) in self.shared.hints or not given[slot].isidentifier()
        name = self.bind(
            last, self.wanted(last) if known else given[slot], [x for i, x in enumerate(given) if i != slot]
        )
        if given[slot] != name:
            self.line(f"{name} = {bare(given[slot])}")
        found = _pattern(first.scope.path, chain[1].scope.path)
        assert found is not None
        begin, number, end = found
        i = self.spelling.local("i", self.variables)
        self.variables.add(i)
        counted = f"range({len(chain)})" if not number else f"range({number}, {number + len(chain)})"
        path = self.path_of(first)
        if path:
            inside = self.at and first.scope.path.startswith(self.at)
            begin = f"{{at}}{begin[len(self.at) :]}" if inside else begin
            path = f'f"{begin}{{{i}}}{end}."'
        self.line(f"for {i} in {counted}:")
        self.depth += 1
        self.line(f"{name} = {self.text_of(first, path, [name if k == slot else x for k, x in enumerate(given)])}")
        self.depth -= 1


def _is_update(part: Node | Region) -> bool:
    return isinstance(part, Region) and part.scope.kind.startswith(UPDATE)


def parameter_name(name: str) -> str:
    """Return the name of a parameter: not that of a function of Python's."""
    return "x" if hasattr(builtins, name) else name


def _function_name(region: Region) -> str:
    """Name the function of a module: by its class, or by its attribute where that is a container."""
    kind, last = region.scope.kind, region.scope.path.rpartition(".")[2]
    if kind in _CONTAINERS:
        names = [n for n in region.scope.path.split(".") if not n.isdigit()]
        return names[-1] if names and (not last.isdigit() or len(names) > 1) else "layers"
    return _snake(kind)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _pattern(a: str, b: str, apart: int = 1) -> tuple[str, int, str] | None:
    """Return the text before, the number, and the text after in a path, if another one differs by a larger number."""
    x, y = a.split("."), b.split(".")
    differ = [i for i, (m, n) in enumerate(zip(x, y, strict=False)) if m != n]
    if len(x) != len(y) or len(differ) != 1 or any(c in a for c in '{}"\\'):
        return None
    (i,) = differ
    if not (x[i].isdigit() and y[i].isdigit() and int(y[i]) == int(x[i]) + apart):
        return None
    return "".join([f"{m}." for m in x[:i]]), int(x[i]), "".join([f".{m}" for m in x[i + 1 :]])


_NO_USES: Any = {}
