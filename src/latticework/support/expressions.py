"""What an expression stands for: operators, comparisons, comprehensions and calls, by what is known of the operands."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..core.dtypes import SCALARS, Dtype
from ..core.registry import OPS
from . import calls, operations
from .operations import RefusedError
from .values import (
    NOTHING,
    UNKNOWN,
    Arr,
    Either,
    Func,
    Items,
    Known,
    Many,
    Named,
    Obj,
    Scalar,
    Value,
    element,
    items,
    join,
    join_all,
    truth,
    wrap,
)

if TYPE_CHECKING:
    from ..backends import Backend

__all__ = ["Environment", "Frame", "Walking", "line_of", "located"]

Environment = dict[str, Value]


class Frame:
    """One function that is being walked through: its names, and where they are looked up that are not its own."""

    def __init__(
        self, environment: Environment, enclosing: Frame | None, around: dict[str, Any], module: dict[str, Any], at: str
    ) -> None:
        self.environment: Environment | None = environment
        self.enclosing, self.around, self.module, self.at = enclosing, around, module, at
        self.returned: Value = NOTHING
        self.yielded: Value = NOTHING
        self.undecided = 0  # conditions that nobody can decide, around what is being walked through
        self.ended = ""  # how the last block ended that did not go on
        self.returns: list[Environment] = []  # the names at each `return`
        self.loops: list[dict[str, list[Environment]]] = []  # of each, the names at its `break` and its `continue`
        #: Of each `try` with a `finally`, how many loops are around it, and the names where it was left on the way.
        self.finals: list[tuple[int, list[Environment]]] = []
        self.handled: RefusedError | None = None  # what is being handled, which a bare `raise` raises again

    @property
    def ours(self) -> bool:
        """Whether it is a function of latticework itself, which need not be warned of."""
        return str(self.module.get("__name__", "")).startswith("latticework.")

    def leave(self, how: str) -> None:
        """Go on no further in this block: left by "return", "raise", "break" or "continue"."""
        assert self.environment is not None
        for around, left in self.finals:
            if how in ("return", "raise") or around == len(self.loops):
                left.append(self.environment)
        if how in ("break", "continue"):
            self.loops[-1][how].append(self.environment)
        if how == "return":
            self.returns.append(self.environment)
        self.environment, self.ended = None, how

    def state(self) -> tuple[int, int, int, RefusedError | None]:
        """What is around the statement that is being walked through: see `restore`."""
        return self.undecided, len(self.loops), len(self.finals), self.handled

    def restore(self, state: tuple[int, int, int, RefusedError | None]) -> None:
        """Go back to a statement that a refusal came out of, from wherever in it that was."""
        self.undecided, loops, finals, self.handled = state
        del self.loops[loops:], self.finals[finals:]

    def look_up(self, name: str) -> Value:
        if self.environment is not None and name in self.environment:
            return self.environment[name]
        if self.enclosing is not None:
            return self.enclosing.look_up(name)
        if name in self.around:
            return wrap(self.around[name])
        if name in self.module:
            return wrap(self.module[name])
        builtins = self.module.get("__builtins__", __builtins__)
        builtins = builtins if isinstance(builtins, dict) else vars(builtins)
        return wrap(builtins[name]) if name in builtins else UNKNOWN


class Walking:
    """One walk: about one dtype, on one backend and device, with a framework's version.

    `given` is the dtype that arrays are assumed to have of which nothing is known. The statements are in `walk.Walk`.
    """

    backend: Backend
    given: Dtype
    device: str | None
    version: str | None
    steps: int

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind a name, the names in a tuple, an attribute or an element."""
        raise NotImplementedError

    def function(self, f: FunctionType, args: list[Value], keywords: Environment) -> Value:
        """Walk through a function that is there."""
        raise NotImplementedError

    def local(self, f: Func, args: list[Value], keywords: Environment) -> Value:
        """Walk through a function defined in one that is being walked through."""
        raise NotImplementedError

    def value(self, node: ast.expr, frame: Frame) -> Value:
        """What an expression stands for."""
        self.steps += 1
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is not None:
            found: Value = method(node, frame)
            return found
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, frame)
        return UNKNOWN

    def _Constant(self, node: ast.Constant, frame: Frame) -> Value:  # noqa: N802
        return Known(node.value)

    def _Name(self, node: ast.Name, frame: Frame) -> Value:  # noqa: N802
        return frame.look_up(node.id)

    def _Attribute(self, node: ast.Attribute, frame: Frame) -> Value:  # noqa: N802
        return calls.attribute(self, self.value(node.value, frame), node.attr, frame)

    def _defined(self, node: Any, frame: Frame) -> Func:
        defaults = tuple(self.value(d, frame) for d in node.args.defaults)
        by_name = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        return Func(node, frame, defaults, {a.arg: self.value(d, frame) for a, d in by_name if d is not None})

    def _Lambda(self, node: ast.Lambda, frame: Frame) -> Value:  # noqa: N802
        return self._defined(node, frame)

    def _NamedExpr(self, node: ast.NamedExpr, frame: Frame) -> Value:  # noqa: N802
        found = self.value(node.value, frame)
        self.assign(node.target, found, frame)
        return found

    def _Await(self, node: ast.Await, frame: Frame) -> Value:  # noqa: N802
        return self.value(node.value, frame)

    def _Yield(self, node: ast.Yield, frame: Frame) -> Value:  # noqa: N802
        frame.yielded = join(frame.yielded, self.value(node.value, frame) if node.value else Known(None))
        return UNKNOWN

    def _YieldFrom(self, node: ast.YieldFrom, frame: Frame) -> Value:  # noqa: N802
        frame.yielded = join(frame.yielded, element(self.value(node.value, frame)))
        return UNKNOWN

    def _JoinedStr(self, node: ast.JoinedStr, frame: Frame) -> Value:  # noqa: N802
        return Scalar(str)

    def _Slice(self, node: ast.Slice, frame: Frame) -> Value:  # noqa: N802
        parts = [self.value(p, frame) if p else Known(None) for p in (node.lower, node.upper, node.step)]
        known = [p.value for p in parts if isinstance(p, Known)]
        return Known(slice(*known)) if len(known) == len(parts) else UNKNOWN

    def _sequence(self, node: Any, frame: Frame) -> Value:
        made: list[Value] = []
        for x in node.elts:
            if not isinstance(x, ast.Starred):
                made.append(self.value(x, frame))
                continue
            inside = self.value(x.value, frame)
            found = items(inside)
            if found is None:
                return Many(join_all([*made, element(inside)]))
            made += found
        return Items(tuple(made), list if isinstance(node, ast.List) else tuple)

    _Tuple = _List = _Set = _sequence

    def _Dict(self, node: ast.Dict, frame: Frame) -> Value:  # noqa: N802
        made: Environment = {}
        for key, value in zip(node.keys, node.values, strict=True):
            found = self.value(value, frame)
            name = self.value(key, frame) if key is not None else None
            if name is None and isinstance(found, Named):
                made |= found.items
            elif isinstance(name, Known) and isinstance(name.value, str):
                made[name.value] = found
            else:
                made[f"{len(made)}"] = found
        return Named(made)

    def _BoolOp(self, node: ast.BoolOp, frame: Frame) -> Value:  # noqa: N802
        made: Value = NOTHING
        stops_at = isinstance(node.op, ast.Or)
        undecided = 0
        try:
            for x in node.values:
                found = self.value(x, frame)
                decided = truth(found)
                if decided is None:
                    undecided += 1
                    frame.undecided += 1
                    made = join(made, found)
                elif decided is stops_at or x is node.values[-1]:
                    if undecided and stops_at is decided and isinstance(found, Known):
                        return Scalar(bool)
                    return join(made, found)
        finally:
            frame.undecided -= undecided
        return made

    def _UnaryOp(self, node: ast.UnaryOp, frame: Frame) -> Value:  # noqa: N802
        x = self.value(node.operand, frame)
        if isinstance(node.op, ast.Not):
            decided = truth(x)
            return Scalar(bool) if decided is None else Known(not decided)
        name, compute = operations.UNARY[type(node.op)]
        if isinstance(x, Arr):
            return operations.apply(self, OPS[name], {"x": x})
        return _computed(compute, x)

    def _BinOp(self, node: ast.BinOp, frame: Frame) -> Value:  # noqa: N802
        return self.binary(node.op, self.value(node.left, frame), self.value(node.right, frame), frame, node)

    def binary(self, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value:
        """``a + b`` and the like: of arrays a function of ours, of what is known Python's own."""
        name, compute = operations.BINARY[type(op)]
        if isinstance(a, Arr) or isinstance(b, Arr):
            return operations.apply(self, OPS[name], {"x1": a, "x2": b})
        if isinstance(op, ast.Add) and isinstance(a, (Items, Many)) and isinstance(b, (Items, Many)):
            if isinstance(a, Items) and isinstance(b, Items):
                return Items((*a.items, *b.items), a.type)
            return Many(join(element(a), element(b)))
        if isinstance(op, ast.Mult) and isinstance(a, (Items, Many)):
            times = b.value if isinstance(b, Known) else None
            few = isinstance(a, Items) and isinstance(times, int) and 0 <= times * len(a.items) <= 64
            return Items(a.items * times, a.type) if few else Many(element(a))  # type: ignore[union-attr,operator]
        method = calls.own_operator(self, a, f"__{compute.__name__.strip('_')}__", frame)
        if method is not None:
            return calls.call(self, method, [b], {}, frame, node)
        return _computed(compute, a, b)

    def _Compare(self, node: ast.Compare, frame: Frame) -> Value:  # noqa: N802
        left, made = self.value(node.left, frame), []
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node, frame)
            made.append(self.compare(op, left, right))
            left = right
        return made[0] if len(made) == 1 else Scalar(bool)

    def compare(self, op: ast.cmpop, a: Value, b: Value) -> Value:
        """``a < b`` and the like."""
        if isinstance(op, (ast.Is, ast.IsNot)):
            same = _same(a, b)
            return Scalar(bool) if same is None else Known(same is isinstance(op, ast.Is))
        if isinstance(op, (ast.In, ast.NotIn)):
            inside = items(b)
            if isinstance(a, Known) and inside is not None and all(isinstance(x, Known) for x in inside):
                try:
                    found = a.value in (b.value if isinstance(b, Known) else [x.value for x in inside])  # type: ignore[attr-defined]
                except TypeError:
                    return Scalar(bool)
                return Known(found is isinstance(op, ast.In))
            return Scalar(bool)
        name, compute = operations.COMPARED[type(op)]
        if isinstance(a, Arr) or isinstance(b, Arr):
            if _same(a, b) is False and isinstance(op, (ast.Eq, ast.NotEq)):  # with None
                return Known(isinstance(op, ast.NotEq))
            return operations.apply(self, OPS[name], {"x1": a, "x2": b})
        made = _computed(compute, a, b)
        return Scalar(bool) if made is UNKNOWN or isinstance(made, Scalar) else made

    def _IfExp(self, node: ast.IfExp, frame: Frame) -> Value:  # noqa: N802
        decided = truth(self.value(node.test, frame))
        if decided is not None:
            return self.value(node.body if decided else node.orelse, frame)
        frame.undecided += 1
        made = join(self.value(node.body, frame), self.value(node.orelse, frame))
        frame.undecided -= 1
        return made

    def _Subscript(self, node: ast.Subscript, frame: Frame) -> Value:  # noqa: N802
        return calls.item(self, self.value(node.value, frame), self.value(node.slice, frame), frame, node)

    def _Starred(self, node: ast.Starred, frame: Frame) -> Value:  # noqa: N802
        return self.value(node.value, frame)

    def _comprehension(self, node: Any, frame: Frame) -> Value:
        assert frame.environment is not None
        outer, made = frame.environment, []
        whole = True

        def go(generators: list[ast.comprehension]) -> None:
            nonlocal whole
            if not generators:
                if isinstance(node, ast.DictComp):
                    made.append(self.value(node.key, frame))
                    made.append(self.value(node.value, frame))
                else:
                    made.append(self.value(node.elt, frame))
                return
            first, *rest = generators
            over = self.value(first.iter, frame)
            found = items(over)
            if found is None:
                whole = False
            for x in found if found is not None else (element(over),):
                self.assign(first.target, x, frame)
                decided = [truth(self.value(test, frame)) for test in first.ifs]
                if False in decided:
                    continue
                if None in decided:
                    whole = False
                go(rest)

        frame.environment = dict(outer)
        frame.undecided += 1
        go(node.generators)
        frame.undecided -= 1
        frame.environment = outer
        if isinstance(node, ast.DictComp):
            keys = made[::2]
            if whole and all(isinstance(k, Known) and isinstance(k.value, str) for k in keys):
                return Named({k.value: v for k, v in zip(keys, made[1::2], strict=True)})  # type: ignore[attr-defined]
            return Named({f"{i}": v for i, v in enumerate(made[1::2])})
        return Items(tuple(made), list) if whole else Many(join_all(made))

    _ListComp = _SetComp = _GeneratorExp = _DictComp = _comprehension

    def _Call(self, node: ast.Call, frame: Frame) -> Value:  # noqa: N802
        added = self._added(node, frame)
        if added is not None:
            return added
        function = self.value(node.func, frame)
        args: list[Value] = []
        keywords: Environment = {}
        for a in node.args:
            if isinstance(a, ast.Starred):
                inside = self.value(a.value, frame)
                found = items(inside)
                args += found if found is not None else [Many(element(inside))]
            else:
                args.append(self.value(a, frame))
        for k in node.keywords:
            given = self.value(k.value, frame)
            if k.arg is not None:
                keywords[k.arg] = given
            elif isinstance(given, Named):
                keywords |= given.items
        try:
            return calls.call(self, function, args, keywords, frame, node)
        except RefusedError as error:
            raise located(error, frame, node) from None

    def _added(self, node: ast.Call, frame: Frame) -> Value | None:
        """``names.append(x)`` and the like, of a list that is known by a name."""
        if not (isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "extend", "insert", "add")):
            return None
        owner = self.value(node.func.value, frame)
        if not isinstance(owner, (Items, Many)) or not node.args:
            return None
        given = self.value(node.args[-1], frame)
        found = items(given) if node.func.attr == "extend" else (given,)
        if isinstance(owner, Items) and found is not None and not frame.undecided and node.func.attr != "insert":
            made: Value = Items((*owner.items, *found), owner.type)
        else:
            more = element(given) if node.func.attr == "extend" else given
            made = Many(join(element(owner), more))
        self.assign(node.func.value, made, frame)
        return Known(None)


# --- helpers ------------------------------------------------------------------------------------------------------


def line_of(frame: Frame, node: ast.AST) -> str:
    return f"{frame.at.rpartition(':')[0]}:{getattr(node, 'lineno', 0)}"


def located(error: RefusedError, frame: Frame, node: ast.AST) -> RefusedError:
    """The error with the user's line, unless it has one of a function that was called there."""
    ours = frame.ours or str(error).endswith(")")
    return error if ours else RefusedError(f"{error} ({line_of(frame, node)})")


def _computed(compute: Callable[..., Any], *operands: Value) -> Value:
    """Python's own answer where all is known; else the type of number that comes of it."""
    if all(isinstance(x, Known) and isinstance(x.value, (str, tuple, list, Dtype, *SCALARS)) for x in operands):
        plain = [x.value for x in operands]  # type: ignore[attr-defined]
        if compute is operator.pow and all(isinstance(x, int) for x in plain) and abs(plain[1]) > 4096:
            return Scalar(int)
        try:
            return wrap(compute(*plain))
        except Exception:
            return UNKNOWN
    same = [x for x in operands if isinstance(x, Known)]
    if compute in (operator.eq, operator.ne) and len(same) == len(operands):
        return Known(compute(same[0].value is same[1].value, True))
    types = [x.type if isinstance(x, Scalar) else type(x.value) if isinstance(x, Known) else None for x in operands]
    numbers = [t for t in types if t in SCALARS]
    if len(numbers) == len(types):
        widest = max(numbers, key=SCALARS.index)
        return Scalar(float if compute is operator.truediv and widest in (bool, int) else widest)
    return UNKNOWN


def _same(a: Value, b: Value) -> bool | None:
    """Whether two are one object, if that is known."""
    for x, y in ((a, b), (b, a)):
        if isinstance(y, Known) and y.value is None:
            if isinstance(x, Arr):
                return None if x.maybe else False
            if isinstance(x, (Scalar, Items, Many, Named, Obj, Func)):
                return False
    if isinstance(a, Known) and isinstance(b, Known):
        return a.value is b.value
    if isinstance(a, Either) or isinstance(b, Either):
        return None
    return None
