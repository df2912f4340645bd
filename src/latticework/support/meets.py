"""Which functions a function calls, and on which lines, found in its syntax tree: nothing is run.

Every call and operator is resolved by globals, closures, attributes, defaults and annotations, and the functions that
it leads to are followed in turn. A function takes what all of these take. That knows nothing of branches, casts and
dtypes of results, so it is for functions that cannot be evaluated without data.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ..core.dtypes import SCALARS
from ..core.registry import OPS
from ..engine import dispatch
from ..engine.array import Array
from ..engine.op import Op, named

__all__ = ["CannotSeeError", "Met", "declared", "met"]

#: The functions of ours that operators stand for.
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor", ast.LShift: "bitwise_left_shift", ast.RShift: "bitwise_right_shift",
    ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "bitwise_invert", ast.Eq: "equal", ast.NotEq: "not_equal",
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal",
}  # fmt: skip
#: Modules of Python whose functions take arrays as any other object.
_PLAIN = "builtins math operator functools itertools collections typing dataclasses contextlib".split()
_DEPTH = 60

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class CannotSeeError(TypeError):
    """A function that cannot be evaluated without data, and whose source cannot be had or hides what it calls."""


class Met(NamedTuple):
    """A function that is met on the way.

    Attributes
    ----------
    function: a declaration of ours, or a user's function that declares what it takes.
    at: the user's expression that meets it, and its file and line; nothing for the function asked about itself.
    """

    function: Op | Callable[..., Any]
    at: str


def declared(f: Any) -> Op | None:
    """Return the declaration behind a function, None where it is none of ours."""
    if getattr(f, "__module__", "") == dispatch.__name__:  # an operator: Array.__add__
        return OPS.get(f.__name__)
    if not str(getattr(getattr(f, "__wrapped__", f), "__module__", "")).startswith("latticework."):
        return None
    try:
        return named(f)
    except TypeError:
        return None


def met(f: Any) -> list[Met]:
    """The functions that a function meets.

    Raises
    ------
    CannotSeeError: for a function that gets an array and has no source in Python, or is known only when it runs.
    """
    found: list[Met] = []
    _follow(f, found, set(), "", 0)
    return found


def _follow(f: Any, found: list[Met], seen: set[int], at: str, depth: int) -> None:
    if id(f) in seen:
        return
    seen.add(id(f))
    if depth > _DEPTH:
        raise CannotSeeError(f"calls are nested more than {_DEPTH} deep at {at}")
    limited = hasattr(f, "__latticework_support__")
    if limited:
        found.append(Met(f, at))
    o = declared(f)
    if o is not None:
        found.append(Met(o, at))
        return
    inner = inspect.unwrap(_inside(f))
    if isinstance(inner, FunctionType):
        if str(inner.__module__).startswith("latticework."):
            if hasattr(Array, inner.__name__) and inner.__name__ in OPS:  # a method
                found.append(Met(OPS[inner.__name__], at))
            return
        try:
            _Reader(inner, found, seen, depth).read()
        except CannotSeeError:
            if not limited:  # what it declares has to do
                raise
    elif not limited:
        got = f"gets an array at {at.rpartition(' at ')[2]} and" if at else "is written in C and"
        way_out = "declare what the function takes" if at else "wrap it in a function that declares what it takes"
        raise CannotSeeError(
            f"{name_of(f)} {got} has no source in Python to read. Use the function of latticework, or {way_out}: "
            f"@lw.with_supported_dtypes"
        )


def _inside(f: Any) -> Any:
    """The function in a partial, a method, or an object that can be called."""
    while True:
        if isinstance(f, functools.partial):
            f = f.func
        elif isinstance(f, MethodType):
            f = f.__func__
        elif not isinstance(f, (FunctionType, type)) and isinstance(
            call := inspect.getattr_static(type(f), "__call__", None), FunctionType
        ):
            f = call
        else:
            return f


class _Reader:
    """The calls and operators of one function."""

    def __init__(self, f: FunctionType, found: list[Met], seen: set[int], depth: int) -> None:
        self.f, self.found, self.seen, self.depth = f, found, seen, depth
        self.node = definition(f)
        parameters = self.node.args
        every = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
        #: The names that are bound in the function, with the expressions that they are bound to.
        self.local: dict[str, list[ast.expr]] = {a.arg: [] for a in every}
        for n in ast.walk(self.node):
            if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
                self.local.setdefault(n.targets[0].id, []).append(n.value)
            elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                self.local.setdefault(n.id, [])
        self.inner = {n.name for n in ast.walk(self.node) if isinstance(n, ast.FunctionDef) and n is not self.node}
        self.defaults = inspect.signature(f).parameters
        self.cells = {}
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            try:
                self.cells[name] = cell.cell_contents
            except ValueError:
                continue

    def read(self) -> None:
        body = self.node.body
        for n in (x for part in (body if isinstance(body, list) else [body]) for x in ast.walk(part)):
            if isinstance(n, (ast.BinOp, ast.UnaryOp, ast.AugAssign)) and type(n.op) in OPERATORS:
                operands = {"left", "right", "operand", "target", "value"} & {*n._fields}
                self._operator(n, OPERATORS[type(n.op)], [getattr(n, name) for name in operands])
            elif isinstance(n, ast.Compare):
                for op in n.ops:
                    if type(op) in OPERATORS:
                        self._operator(n, OPERATORS[type(op)], [n.left, *n.comparators])
            elif isinstance(n, ast.Call):
                self._call(n)

    def _operator(self, node: ast.expr | ast.stmt, name: str, operands: list[ast.expr]) -> None:
        if any(map(self._array, operands)):
            self.found.append(Met(OPS[name], self._at(node)))

    def _call(self, node: ast.Call) -> None:
        if isinstance(node.func, (ast.Lambda, ast.Call)) or (
            isinstance(node.func, ast.Name) and node.func.id in self.inner
        ):
            return  # its body is read with the rest, and so is a call that gives a function
        functions = [*self.resolve(node.func)]
        for f in functions:
            if isinstance(f, type) or getattr(f, "__module__", None) in _PLAIN or inspect.ismethoddescriptor(f):
                continue
            if isinstance(_inside(f), FunctionType) or any(map(self._array, self._arguments(node))):
                _follow(f, self.found, self.seen, self._at(node), self.depth + 1)
        of_array = isinstance(node.func, ast.Attribute) and self._array(node.func.value)
        if not functions and not of_array and any(map(self._array, self._arguments(node))):
            called = ast.unparse(node.func)
            raise CannotSeeError(
                f"{called} gets an array at {self._line(node)} and is known only when it runs. Give it: "
                f"functools.partial(function, {called}=…), or declare what the function takes: "
                f"@lw.with_supported_dtypes"
            )

    @staticmethod
    def _arguments(node: ast.Call) -> list[ast.expr]:
        return [*node.args, *(k.value for k in node.keywords)]

    def _array(self, node: ast.expr) -> bool:
        """Whether an expression may be an array: it is made of names that are bound in the function."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "size", "dtype", "device"):
            return False
        if isinstance(node, ast.Name):
            default = self.defaults[node.id].default if node.id in self.defaults else None
            plain = isinstance(default, (*SCALARS, str))
            return node.id in self.local and not plain and not any(callable(x) for x in self.resolve(node))
        if isinstance(node, ast.Call):
            return not isinstance(node.func, ast.Name) or node.func.id not in ("len", "range", "isinstance", "str")
        return any(self._array(x) for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr))

    def resolve(self, node: ast.expr, depth: int = 0) -> Iterator[Any]:
        """The objects that an expression may stand for, as far as they are there before it runs."""
        if depth > 8:
            return
        match node:
            case ast.Name(id=name):
                yield from self._name(name, depth)
            case ast.Attribute(value=value, attr=name):
                owners = [*self.resolve(value, depth + 1)]
                if not owners and self._array(value) and hasattr(Array, name):
                    owners = [Array]
                yield from (x for x in (_own(o, name) for o in owners) if x is not None)
            case ast.IfExp(body=body, orelse=orelse):
                yield from self.resolve(body, depth + 1)
                yield from self.resolve(orelse, depth + 1)
            case ast.Subscript(value=ast.Dict() | ast.List() | ast.Tuple() as written):
                for x in written.values if isinstance(written, ast.Dict) else written.elts:
                    yield from self.resolve(x, depth + 1)
            case ast.Subscript(value=owner, slice=key):
                for o in self.resolve(owner, depth + 1):
                    if type(o) in (dict, list, tuple):
                        items = dict(enumerate(o)) if isinstance(o, (list, tuple)) else o
                        known = getattr(key, "value", None) if isinstance(key, ast.Constant) else None
                        yield from [items[known]] if known in items else filter(callable, items.values())

    def _name(self, name: str, depth: int) -> Iterator[Any]:
        if name in self.local:
            for value in self.local[name]:
                yield from self.resolve(value, depth + 1)
            default = self.defaults[name].default if name in self.defaults else None
            if name == "xp":
                import latticework

                yield latticework
            elif callable(default) and default is not inspect.Parameter.empty:
                yield default
        elif name in self.cells:
            yield self.cells[name]
        elif name in self.f.__globals__:
            yield self.f.__globals__[name]
        elif hasattr(builtins, name):
            yield getattr(builtins, name)

    def _at(self, node: ast.AST) -> str:
        written = ast.unparse(node).partition("\n")[0]
        return f"{written} at {self._line(node)}"

    def _line(self, node: ast.AST) -> str:
        return f"{self.f.__code__.co_filename}:{getattr(node, 'lineno', '?')}"


def _own(x: Any, name: str) -> Any:
    """An attribute of an object, a module or a class; None where there is none, or reading it runs code of its own."""
    if not isinstance(x, (ModuleType, type)) and isinstance(inspect.getattr_static(x, name, None), property):
        return None
    return getattr(x, name, None)


# --- from a function to the node of its definition --------------------------------------------------------------------


def name_of(f: Any) -> str:
    """A function's name with its module, as an error shows it."""
    module, name = getattr(f, "__module__", None), getattr(f, "__qualname__", getattr(f, "__name__", repr(f)))
    known = module or ("numpy" if type(f).__module__ == "numpy" else "")
    return f"{known}.{name}" if known and known not in ("builtins", "__main__") else str(name)


def definition(f: FunctionType) -> Definition:
    """The node of a function's definition, in the file that it was read from.

    Raises
    ------
    CannotSeeError: where there is no source: it was made by `exec`, typed into a shell without one, or its file has
        changed since.
    """
    code = f.__code__
    try:
        lines, _ = inspect.findsource(code)
    except (OSError, TypeError):
        result = (
            "it was made by exec or eval" if code.co_filename.startswith("<") else f"{code.co_filename} is not there"
        )
        raise CannotSeeError(
            f"{name_of(f)} has no source to read: {result}. Put it into a file, or declare what it takes: "
            f"@lw.with_supported_dtypes"
        ) from None
    nodes = _definitions("".join(lines)).get(code.co_firstlineno, ())
    fitting = [n for n in nodes if getattr(n, "name", "<lambda>") == code.co_name and _holds(n, code)]
    if not fitting:
        raise CannotSeeError(
            f"{name_of(f)} is not at line {code.co_firstlineno} of {code.co_filename} any more: "
            f"the file has changed since it was imported"
        )
    return fitting[-1]


@lru_cache(maxsize=64)
def _definitions(source: str) -> dict[int, list[Definition]]:
    """Every definition in a file by its first line, that of its first decorator."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise CannotSeeError(f"the source cannot be read: {error}") from None
    found: dict[int, list[Definition]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault(first, []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _holds(node: Definition, code: CodeType) -> bool:
    """Whether a definition is that of some code: of several lambdas in a line, the one that spans its instructions."""
    if not isinstance(node, ast.Lambda):
        return True
    last = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    for line, end, column, stop in code.co_positions():
        if None in (line, end, column, stop) or (line, column) == (code.co_firstlineno, 0) == (end, stop):
            continue
        if not ((node.lineno, node.col_offset) <= (line, column) and (end, stop) <= last):
            return False
    return len(node.args.args + node.args.posonlyargs) == code.co_argcount
