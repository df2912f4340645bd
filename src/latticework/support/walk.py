"""Through a function's syntax tree, meeting the functions that it calls, with what is known of dtypes.

Nothing is computed. Every branch that a condition does not decide is taken, and every loop goes round until no more
dtypes turn up; a condition on dtypes is decided. What the function meets and is refused ends the walk.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..dtypes import Dtype
from . import calls, known, operations
from .expressions import Environment, Frame, Walking, line_of
from .operations import RefusedError
from .syntax import CannotSeeError, definition, yields
from .values import (
    NOTHING,
    UNKNOWN,
    Arr,
    Func,
    Items,
    Known,
    Many,
    Named,
    Obj,
    Value,
    element,
    items,
    join,
    truth,
    wrap,
)

if TYPE_CHECKING:
    from ..backends import Backend

__all__ = ["Walk"]

_STEPS = 60_000
_DEPTH = 60
_ROUNDS = 4  # of a loop, until no more dtypes turn up


class Walk(Walking):
    """One walk: about one dtype, on one backend and device.

    `given` is the dtype that arrays are assumed to have of which nothing is known.
    """

    def __init__(self, backend: Backend, given: Dtype, device: str | None = None, version: str | None = None) -> None:
        self.backend, self.given, self.device, self.version = backend, given, device, version
        self.steps = 0
        self.stack: list[Any] = []
        self.known: dict[Any, Value] = {}

    # --- functions ------------------------------------------------------------------------------------------------

    def function(self, f: FunctionType, args: list[Value], keywords: Environment) -> Value:
        """Walk through a function that is there."""
        try:
            node = definition(f)
        except CannotSeeError:
            if calls.arrays_in(args, keywords) or not self.stack:
                raise
            return UNKNOWN  # it has nothing to do with arrays
        cells = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
        around = {}
        for name, cell in cells:
            try:
                around[name] = cell.cell_contents
            except ValueError:  # it is not filled yet
                continue
        defaults = [wrap(d) for d in f.__defaults__ or ()]
        by_name = {name: wrap(d) for name, d in (f.__kwdefaults__ or {}).items()}
        environment = calls.bind(node.args, args, keywords, defaults, by_name)
        frame = Frame(environment, None, around, f.__globals__, f"{f.__code__.co_filename}:{node.lineno}")
        return self.enter(f.__code__, node, frame)

    def local(self, f: Func, args: list[Value], keywords: Environment) -> Value:
        """Walk through a function defined in one that is being walked through."""
        environment = calls.bind(f.node.args, args, keywords, [*f.defaults], f.keywords)
        frame = Frame(environment, f.frame, {}, f.frame.module, f.frame.at)
        return self.enter(f.node, f.node, frame)

    def enter(self, key: Any, node: Any, frame: Frame) -> Value:
        """Walk through a body, unless that is being done already with the same arguments."""
        assert frame.environment is not None
        arguments = (key, *sorted((k, _hashed(v)) for k, v in frame.environment.items()))
        again = [k for k in self.stack if k[0] is key]
        if arguments in self.stack or len(again) > 8:
            return NOTHING  # it calls itself: what else it gives back is what it gives
        if len(self.stack) > _DEPTH:
            raise CannotSeeError(f"calls are nested more than {_DEPTH} deep at {frame.at}")
        pure = not any(isinstance(v, (Obj, Named)) for v in frame.environment.values()) and frame.enclosing is None
        if pure and arguments in self.known:
            return self.known[arguments]
        self.stack.append(arguments)
        try:
            if isinstance(node, ast.Lambda):
                result = self.value(node.body, frame)
            else:
                self.block(node.body, frame)
                result = join(frame.returned, Known(None)) if frame.environment is not None else frame.returned
                result = Many(frame.yielded) if yields(node) else result
        finally:
            self.stack.pop()
        if pure:
            self.known[arguments] = result
        return result

    # --- statements -----------------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt], frame: Frame) -> None:
        """Walk through statements, until one does not go on to the next."""
        for statement in statements:
            if frame.environment is None:
                return
            self.steps += 1
            if self.steps > _STEPS:
                raise CannotSeeError(f"it is too long to read through: more than {_STEPS} steps, at {frame.at}")
            method = getattr(self, f"_{type(statement).__name__}", None)
            if method is not None:
                method(statement, frame)
            else:
                for expression in ast.iter_child_nodes(statement):
                    if isinstance(expression, ast.expr):
                        self.value(expression, frame)

    def _Return(self, node: ast.Return, frame: Frame) -> None:  # noqa: N802 - the names of the nodes
        frame.returned = join(frame.returned, self.value(node.value, frame) if node.value else Known(None))
        frame.environment, frame.ended = None, "return"

    def _Raise(self, node: ast.Raise, frame: Frame) -> None:  # noqa: N802
        if not frame.undecided and node.exc is None and frame.handled is not None:
            raise frame.handled
        if not frame.undecided and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            error = self.value(raised, frame)
            kind = error.value if isinstance(error, Known) else None
            sure = len(self.stack) == 1  # the function asked about itself, whatever it raises
            if sure or (isinstance(kind, type) and issubclass(kind, TypeError)):
                raise RefusedError(f"it raises {ast.unparse(raised)} ({line_of(frame, node)})")
        frame.environment, frame.ended = None, "raise"

    def _Break(self, node: ast.Break, frame: Frame) -> None:  # noqa: N802
        if frame.loops and frame.environment is not None:
            frame.loops[-1].append(frame.environment)
        frame.environment, frame.ended = None, "break"

    _Continue = _Break

    def _Pass(self, node: ast.Pass, frame: Frame) -> None:  # noqa: N802
        pass

    _Global = _Nonlocal = _Pass

    def _Assign(self, node: ast.Assign, frame: Frame) -> None:  # noqa: N802
        value = self.value(node.value, frame)
        for target in node.targets:
            self.assign(target, value, frame)

    def _AnnAssign(self, node: ast.AnnAssign, frame: Frame) -> None:  # noqa: N802
        if node.value is not None:
            self.assign(node.target, self.value(node.value, frame), frame)

    def _AugAssign(self, node: ast.AugAssign, frame: Frame) -> None:  # noqa: N802
        before = self.value(node.target, frame)
        result = self.binary(node.op, before, self.value(node.value, frame), frame, node)
        if (
            isinstance(before, Arr)
            and isinstance(result, Arr)
            and not before.maybe
            and not result.dtypes <= before.dtypes
        ):
            raise RefusedError(f"in place it would change {before.dtype} to {result.dtype} ({line_of(frame, node)})")
        self.assign(node.target, result, frame)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind a name, the names in a tuple, an attribute or an element."""
        assert frame.environment is not None
        if isinstance(target, ast.Name):
            frame.environment[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, frame)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, Many(element(value)), frame)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, frame)
            if isinstance(owner, Obj):
                owner.attributes[target.attr] = value
        elif isinstance(target, ast.Subscript):
            owner, key = self.value(target.value, frame), self.value(target.slice, frame)
            if isinstance(owner, Arr):
                operations.check_index(key)
                operations.assign(self, owner, value)
            elif isinstance(owner, Named) and isinstance(key, Known) and isinstance(key.value, str):
                owner.items[key.value] = value
            elif isinstance(owner, (Items, Many)) and isinstance(target.value, ast.Name):
                frame.environment[target.value.id] = Many(join(element(owner), value))

    def _unpack(self, targets: list[ast.expr], value: Value, frame: Frame) -> None:
        found = items(value)
        starred = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
        if found is not None and starred and len(found) >= len(targets) - 1:
            at, after = starred[0], len(targets) - starred[0] - 1
            middle = Items(found[at : len(found) - after], list)
            found = (*found[:at], middle, *found[len(found) - after :])
            targets = [t.value if isinstance(t, ast.Starred) else t for t in targets]
        for i, t in enumerate(targets):
            whole = found is not None and len(found) == len(targets)
            self.assign(t, found[i] if whole and found else element(value), frame)

    def _If(self, node: ast.If, frame: Frame) -> None:  # noqa: N802
        decided = truth(self.value(node.test, frame))
        if decided is not None:
            self.block(node.body if decided else node.orelse, frame)
            return
        self.branches([node.body, node.orelse], frame)

    def branches(self, blocks: list[list[ast.stmt]], frame: Frame) -> None:
        """Walk through blocks of which one runs, nobody knows which."""
        before = frame.environment
        assert before is not None
        after: list[Environment | None] = []
        left = False
        frame.undecided += 1
        for block in blocks:
            frame.environment = dict(before)
            self.block(block, frame)
            after.append(frame.environment)
            left |= after[-1] is None and frame.ended != "raise"
        frame.undecided -= not left  # what comes next may not be reached
        frame.environment = _merged(after)

    def _For(self, node: ast.For, frame: Frame) -> None:  # noqa: N802
        over = self.value(node.iter, frame)
        found = items(over)
        frame.loops.append([])
        if found is not None:
            for x in found:
                if frame.environment is None:
                    break
                self.assign(node.target, x, frame)
                self.block(node.body, frame)
                frame.environment = _merged([frame.environment, *frame.loops[-1]])
                frame.loops[-1].clear()
        else:
            self._rounds(node.body, frame, lambda: self.assign(node.target, element(over), frame))
        frame.loops.pop()
        if frame.environment is not None:
            self.block(node.orelse, frame)

    _AsyncFor = _For

    def _While(self, node: ast.While, frame: Frame) -> None:  # noqa: N802
        frame.loops.append([])
        self._rounds(node.body, frame, lambda: self.value(node.test, frame))
        frame.loops.pop()

    def _rounds(self, body: list[ast.stmt], frame: Frame, first: Callable[[], Any]) -> None:
        """Go round a loop until no more dtypes turn up."""
        frame.undecided += 1
        for _ in range(_ROUNDS):
            before = frame.environment
            assert before is not None
            frame.environment = dict(before)
            first()
            self.block(body, frame)
            frame.environment = _merged([before, frame.environment, *frame.loops[-1]])
            frame.loops[-1].clear()
            if frame.environment == before:
                break
        frame.undecided -= 1

    def _Try(self, node: ast.Try, frame: Frame) -> None:  # noqa: N802
        before = frame.environment
        assert before is not None
        after: list[Environment | None]
        caught = any(_catches(h, frame, self) for h in node.handlers)
        try:
            frame.environment = dict(before)
            frame.undecided += caught
            self.block([*node.body, *node.orelse], frame)
            after = [frame.environment]
            frame.undecided -= caught
        except RefusedError as error:
            frame.undecided -= caught
            if not caught:
                raise
            frame.environment, outer, frame.handled = before, frame.handled, error
            if len(node.handlers) == 1:
                before[node.handlers[0].name or ""] = UNKNOWN
                self.block(node.handlers[0].body, frame)
            else:
                self.branches([h.body for h in node.handlers], frame)
            after = [frame.environment]
            frame.handled = outer
        else:
            for handler in node.handlers:
                if _catches(handler, frame, self):
                    continue  # it is there for what did not happen: a dtype that is refused
                frame.environment = dict(before)
                frame.undecided += 1
                if handler.name:
                    frame.environment[handler.name] = UNKNOWN
                self.block(handler.body, frame)
                frame.undecided -= 1
                after.append(frame.environment)
        frame.environment = _merged(after)
        if node.finalbody and frame.environment is not None:
            self.block(node.finalbody, frame)

    def _With(self, node: ast.With, frame: Frame) -> None:  # noqa: N802
        contexts: list[AbstractContextManager[Any]] = []
        for item in node.items:
            context = self.value(item.context_expr, frame)
            contexts.append(known.policy(context) or nullcontext())
            if item.optional_vars is not None:
                self.assign(item.optional_vars, UNKNOWN, frame)
        for c in contexts:
            c.__enter__()
        try:
            self.block(node.body, frame)
        finally:
            for c in reversed(contexts):
                c.__exit__(None, None, None)

    _AsyncWith = _With

    def _Match(self, node: ast.Match, frame: Frame) -> None:  # noqa: N802
        assert frame.environment is not None
        subject = self.value(node.subject, frame)
        bodies = []
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str):
                    frame.environment[name] = subject if pattern is case.pattern else UNKNOWN
            matched = self._matches(case.pattern, subject, frame)
            if case.guard is not None:
                guard = truth(self.value(case.guard, frame))
                matched = guard if matched else None if matched is None and guard is not False else False
            if matched is not False:
                bodies.append(case.body)
            if matched:
                break
        else:
            bodies.append([])
        if len(bodies) == 1:
            self.block(bodies[0], frame)
        else:
            self.branches(bodies, frame)

    def _matches(self, pattern: ast.pattern, subject: Value, frame: Frame) -> bool | None:
        """Whether a pattern fits, if that is known."""
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            return True
        if isinstance(pattern, ast.MatchOr):
            found = [self._matches(p, subject, frame) for p in pattern.patterns]
            return True if True in found else None if None in found else False
        if isinstance(pattern, ast.MatchValue) and isinstance(subject, Known):
            other = self.value(pattern.value, frame)
            return bool(subject.value == other.value) if isinstance(other, Known) else None
        inside = items(subject)
        if isinstance(pattern, ast.MatchSequence) and inside is not None and len(inside) == len(pattern.patterns):
            found = [self._matches(p, x, frame) for p, x in zip(pattern.patterns, inside, strict=True)]
            return False if False in found else None if None in found else True
        if isinstance(pattern, ast.MatchSingleton) and isinstance(subject, Known):
            return subject.value is pattern.value
        return None

    def _FunctionDef(self, node: ast.FunctionDef, frame: Frame) -> None:  # noqa: N802
        assert frame.environment is not None
        made: Value = self._defined(node, frame)
        for decorator in reversed(node.decorator_list):
            made = calls.call(self, self.value(decorator, frame), [made], {}, frame, node)
        frame.environment[node.name] = made

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef, frame: Frame) -> None:  # noqa: N802
        assert frame.environment is not None
        frame.environment[node.name] = UNKNOWN

    def _Import(self, node: ast.Import, frame: Frame) -> None:  # noqa: N802
        assert frame.environment is not None
        for alias in node.names:
            whole = calls.module(alias.name)
            shown = whole if alias.asname else calls.module(alias.name.partition(".")[0])
            frame.environment[alias.asname or alias.name.partition(".")[0]] = shown

    def _ImportFrom(self, node: ast.ImportFrom, frame: Frame) -> None:  # noqa: N802
        assert frame.environment is not None
        package = str(frame.module.get("__package__") or "").split(".")
        above = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
        name = ".".join(filter(None, (above, node.module)))
        for alias in node.names:
            found = calls.attribute(self, calls.module(name), alias.name, frame)
            if found is UNKNOWN:
                found = calls.module(f"{name}.{alias.name}")
            frame.environment[alias.asname or alias.name] = found


# --- helpers ---


def _hashed(x: Value) -> Any:
    try:
        hash(x)
    except TypeError:
        return id(x)
    return hash(x), type(x).__name__


def _merged(environments: list[Environment | None]) -> Environment | None:
    """The names after branches of which one ran; None where none goes on."""
    going = [e for e in environments if e is not None]
    if not going:
        return None
    first, *rest = going
    for e in rest:
        first = {name: join(first.get(name, NOTHING), e.get(name, NOTHING)) for name in {**first, **e}}
    return first


def _catches(handler: ast.ExceptHandler, frame: Frame, walk: Walk) -> bool:
    """Whether a handler takes the errors of dtypes, which are TypeErrors."""
    if handler.type is None:
        return True
    found = walk.value(handler.type, frame)
    kinds = items(found) or (found,)
    return any(
        isinstance(k, Known) and isinstance(k.value, type) and issubclass(TypeError, k.value) for k in kinds
    ) or any(isinstance(k, Known) and isinstance(k.value, type) and issubclass(k.value, TypeError) for k in kinds)
