"""Through a function's syntax tree, meeting the functions that it calls, with what is known of dtypes.

Nothing is computed. Every branch that a condition does not decide is taken, and every loop goes round until no more
dtypes turn up; a condition on dtypes is decided. What the function meets and is refused ends the walk.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..core.dtypes import Dtype
from ..core.registry import OPS
from ..policy import current
from . import calls, known, operations
from .expressions import Environment, Frame, Walking, line_of, located
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
    lasting,
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
        return self.enter(f, node, frame)

    def local(self, f: Func, args: list[Value], keywords: Environment) -> Value:
        """Walk through a function defined in one that is being walked through."""
        environment = calls.bind(f.node.args, args, keywords, [*f.defaults], f.keywords)
        frame = Frame(environment, f.frame, {}, f.frame.module, f.frame.at)
        return self.enter(f, f.node, frame)

    def enter(self, function: Any, node: Any, frame: Frame) -> Value:
        """Walk through a function's body, unless that is being done already with the same arguments.

        It is the function that counts and not its code, which all closures share that one decorator has made.
        """
        assert frame.environment is not None
        arguments = (function, current(), frozenset(frame.environment.items()))
        again = [k for k in self.stack if k[0] is function]
        if arguments in self.stack or len(again) > 8:
            return NOTHING  # it calls itself: what else it gives back is what it gives
        if len(self.stack) > _DEPTH:
            raise CannotSeeError(f"calls are nested more than {_DEPTH} deep at {frame.at}")
        pure = frame.enclosing is None and all(map(lasting, frame.environment.values()))
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
                frame.environment = _merged([frame.environment, *frame.returns])  # what closures go on to see
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
        frame.leave("return")

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
        frame.leave("raise")

    def _Break(self, node: ast.Break, frame: Frame) -> None:  # noqa: N802
        frame.leave("break")

    def _Continue(self, node: ast.Continue, frame: Frame) -> None:  # noqa: N802
        frame.leave("continue")

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
        before, other = self.value(node.target, frame), self.value(node.value, frame)
        if isinstance(before, Arr) and not before.maybe:
            o = OPS[operations.BINARY[type(node.op)][0]]
            try:
                result = operations.apply(self, o, {"x1": before, "x2": other}, in_place=True)
            except RefusedError as error:
                raise located(error, frame, node) from None
        else:
            result = self.binary(node.op, before, other, frame, node)
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

        def go() -> None:
            if found is None:
                self._rounds(node.body, frame, lambda: self.assign(node.target, element(over), frame))
            for x in found or ():
                if frame.environment is None:
                    break
                self.assign(node.target, x, frame)
                self._round(node.body, frame)

        self._loop(go, node.orelse, frame)

    _AsyncFor = _For

    def _While(self, node: ast.While, frame: Frame) -> None:  # noqa: N802
        def go() -> None:
            self._rounds(node.body, frame, lambda: self.value(node.test, frame))
            if isinstance(node.test, ast.Constant) and node.test.value:
                frame.environment = None  # only `break` leads out

        self._loop(go, node.orelse, frame)

    def _loop(self, go: Callable[[], None], orelse: list[ast.stmt], frame: Frame) -> None:
        """Walk through a loop with `go`, then through its `else`, which is come to where no `break` was."""
        undecided, returns = frame.undecided, len(frame.returns)
        frame.loops.append({"break": [], "continue": []})
        go()
        broken = frame.loops.pop()["break"]
        frame.undecided = undecided + (len(frame.returns) > returns) + bool(broken)
        self.block(orelse, frame)
        frame.undecided -= bool(broken)
        frame.environment = _merged([frame.environment, *broken])

    def _round(self, body: list[ast.stmt], frame: Frame) -> None:
        """Go round a loop once."""
        self.block(body, frame)
        continued = frame.loops[-1]["continue"]
        frame.environment = _merged([frame.environment, *continued])
        continued.clear()

    def _rounds(self, body: list[ast.stmt], frame: Frame, first: Callable[[], Any]) -> None:
        """Go round a loop until no more dtypes turn up."""
        frame.undecided += 1
        for _ in range(_ROUNDS):
            before = frame.environment
            assert before is not None
            frame.environment = dict(before)
            first()
            self._round(body, frame)
            frame.environment = _merged([before, frame.environment])
            if frame.environment == before:
                break

    def _Try(self, node: ast.Try, frame: Frame) -> None:  # noqa: N802
        before = frame.environment
        assert before is not None
        taking = {h: _takes(h, frame, self) for h in node.handlers}
        caught = any(t is not False for t in taking.values())
        if node.finalbody:
            frame.finals.append((len(frame.loops), []))
        state, refused = frame.state(), None
        frame.environment = dict(before)
        frame.undecided += caught
        try:
            self.block(node.body, frame)
        except RefusedError as error:
            frame.restore(state)
            if not caught:
                raise
            refused = error
        if refused is not None:
            frame.environment, frame.handled = before, refused
            self._handlers(taking, frame)
            frame.handled = state[-1]
        else:
            frame.undecided -= caught
            raised = frame.ended == "raise" and frame.environment is None
            self.block(node.orelse, frame)
            after = [frame.environment]
            for handler, takes in taking.items():
                if takes is not False and not raised:
                    continue  # it is there for what did not happen: a dtype that is refused
                frame.environment = before | _names([handler])
                frame.undecided += 1
                self.block(handler.body, frame)
                frame.undecided -= 1
                after.append(frame.environment)
            frame.environment = _merged(after)
        if node.finalbody:
            self._final(node.finalbody, frame)

    _TryStar = _Try

    def _handlers(self, taking: dict[ast.ExceptHandler, bool | None], frame: Frame) -> None:
        """Walk through what takes the error of a dtype that is refused: the first that takes them all, or one before
        it that takes some."""
        fitting: list[ast.ExceptHandler] = []
        for handler, takes in taking.items():
            if takes is not False:
                fitting.append(handler)
            if takes:
                break
        assert frame.environment is not None
        frame.environment |= _names(fitting)
        if len(fitting) == 1:
            self.block(fitting[0].body, frame)
        else:
            self.branches([h.body for h in fitting], frame)

    def _final(self, body: list[ast.stmt], frame: Frame) -> None:
        """Walk through `finally`: where what it belongs to was left on the way, and where that goes on."""
        _, left = frame.finals.pop()
        going, ended = frame.environment, frame.ended
        if left:
            frame.environment = dict(_merged(left) or {})
            frame.undecided += going is not None
            self.block(body, frame)
            frame.undecided -= going is not None
            if frame.environment is not None:  # else it has left in a way of its own
                frame.ended = ended
        frame.environment = going
        self.block(body, frame)

    def _With(self, node: ast.With, frame: Frame) -> None:  # noqa: N802
        with ExitStack() as entered:
            for item in node.items:
                policy = known.policy(self.value(item.context_expr, frame))
                if policy is not None:
                    try:
                        entered.enter_context(policy)
                    except (TypeError, ValueError) as error:  # no dtype gets any further here
                        raise located(RefusedError(str(error)), frame, node) from None
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, UNKNOWN, frame)
            self.block(node.body, frame)

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


def _merged(environments: Iterable[Environment | None]) -> Environment | None:
    """The names after branches of which one ran; None where none goes on."""
    going = [e for e in environments if e is not None]
    if not going:
        return None
    first, *rest = going
    for e in rest:
        first = {name: join(first.get(name, NOTHING), e.get(name, NOTHING)) for name in {**first, **e}}
    return first


def _names(handlers: list[ast.ExceptHandler]) -> Environment:
    """The names that handlers have for the error, of which nothing is known."""
    return {h.name: UNKNOWN for h in handlers if h.name}


def _takes(handler: ast.ExceptHandler, frame: Frame, walk: Walk) -> bool | None:
    """Whether a handler takes the errors of dtypes, which are TypeErrors: all, none, or some (None)."""
    if handler.type is None:
        return True
    found = walk.value(handler.type, frame)
    kinds = [k.value for k in items(found) or (found,) if isinstance(k, Known) and isinstance(k.value, type)]
    if any(issubclass(TypeError, k) for k in kinds):
        return True
    return None if any(issubclass(k, TypeError) for k in kinds) else False
