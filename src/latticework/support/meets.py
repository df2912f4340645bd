"""Find the functions that a function calls, and on which lines, in its syntax tree. Nothing is run.

Each call and operator is resolved by globals, closures, attributes and defaults, and the functions that it leads to are
read in turn. The function takes the dtypes that all of these take. Branches, casts and dtypes of results are not looked
at, so this is for functions that cannot be evaluated without data.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections import ChainMap
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import latticework as lw

from ..core.dtypes import SCALARS, Dtype
from ..core.registry import OPS
from ..engine.arrays.array import Array
from ..engine.calls import dispatch
from ..engine.functions.without_data import closure_of
from ..engine.op import Op, named

__all__ = ["CannotSeeError", "Met", "declared", "met"]

#: Operators in a syntax tree -> the latticework functions that they stand for.
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor", ast.LShift: "bitwise_left_shift", ast.RShift: "bitwise_right_shift",
    ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "bitwise_invert", ast.Eq: "equal", ast.NotEq: "not_equal",
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal",
}  # fmt: skip
#: Modules of Python whose functions take arrays as any other object.
_PLAIN = "builtins math operator functools itertools collections typing dataclasses contextlib".split()
#: The number of assignments and attributes that are followed from a name to a function, at most.
_DEPTH = 8
_DECLARE = "declare what the function takes: @lw.with_supported_dtypes"

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class CannotSeeError(TypeError):
    """A function cannot be evaluated without data, and its source is not there or does not show what it calls."""


class Met(NamedTuple):
    """A function that is called.

    Attributes
    ----------
    function: a declaration of a latticework function, or a user's function that declares what it takes.
    at: the user's expression that calls it, with its file and line; "" for the function of the query itself.
    """

    function: Op | Callable[..., Any]
    at: str


def declared(f: Any) -> Op | None:
    """Return the declaration behind a function; None where it is not latticework's."""
    if getattr(f, "__module__", "") == dispatch.__name__:  # an operator: Array.__add__
        return OPS.get(f.__name__)
    if not str(getattr(getattr(f, "__wrapped__", f), "__module__", "")).startswith("latticework."):
        return None
    try:
        return named(f)
    except TypeError:
        return None


def met(f: Any) -> list[Met]:
    """List the functions that a function calls, directly or through others.

    Raises
    ------
    CannotSeeError: for a function that gets an array and has no source in Python, or is chosen only when it runs.
    """
    found: list[Met] = []
    _follow(f, found, set(), "")
    return found


def _follow(f: Any, found: list[Met], seen: set[int], at: str) -> None:
    """Add a function, or the functions that it calls."""
    if id(f) in seen:
        return
    seen.add(id(f))
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
            _Reader(inner, found, seen).read()
        except CannotSeeError:
            if not limited:  # else what it declares has to do
                raise
    elif not limited:
        got = f"gets an array at {at.rpartition(' at ')[2]} and" if at else "is written in C and"
        way_out = _DECLARE if at else "wrap it in a function that declares what it takes: @lw.with_supported_dtypes"
        raise CannotSeeError(
            f"{name_of(f)} {got} has no source in Python to read. Use the function of latticework, or {way_out}"
        )


def _inside(f: Any) -> Any:
    """Return the function in a partial, a method, or an object that can be called."""
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
    """Read the calls and operators of one function."""

    def __init__(self, f: FunctionType, found: list[Met], seen: set[int]) -> None:
        self.f, self.found, self.seen = f, found, seen
        self.node = definition(f)
        args = self.node.args
        #: The names that are bound in the function, with the expressions that they are bound to.
        self.local: dict[str, list[ast.expr]] = {a.arg: [] for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        for n in ast.walk(self.node):
            if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
                self.local.setdefault(n.targets[0].id, []).append(n.value)
            elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                self.local.setdefault(n.id, [])
        self.inner = {n.name for n in ast.walk(self.node) if isinstance(n, ast.FunctionDef) and n is not self.node}
        self.parameters = inspect.signature(f).parameters
        cells = {name: cell.cell_contents for name, cell in closure_of(f).items()}
        #: The names that are bound outside the function.
        self.outer = ChainMap(cells, f.__globals__, vars(builtins))

    def read(self) -> None:
        """Add the functions that are called in the body, and those that operators on arrays stand for."""
        body = self.node.body
        for n in (x for part in (body if isinstance(body, list) else [body]) for x in ast.walk(part)):
            if isinstance(n, ast.Call):
                self._call(n)
            operators = getattr(n, "ops", [getattr(n, "op", None)])
            names = [OPERATORS[type(op)] for op in operators if type(op) in OPERATORS]
            if names and self._array(n):
                self.found += [Met(OPS[name], self._at(n)) for name in names]

    def _call(self, node: ast.Call) -> None:
        called = node.func
        if isinstance(called, (ast.Lambda, ast.Call)) or (isinstance(called, ast.Name) and called.id in self.inner):
            return  # its body is read with the rest, and so is a call that returns a function
        gets_array = any(map(self._array, [*node.args, *(k.value for k in node.keywords)]))
        functions = [*self.resolve(called)]
        for f in functions:
            if isinstance(f, type) or getattr(f, "__module__", None) in _PLAIN or inspect.ismethoddescriptor(f):
                continue
            if gets_array or isinstance(_inside(f), FunctionType):
                _follow(f, self.found, self.seen, self._at(node))
        of_array = isinstance(called, ast.Attribute) and self._array(called.value)
        if gets_array and not functions and not of_array:
            text = ast.unparse(called)
            raise CannotSeeError(
                f"{text} gets an array at {self._line(node)} and is known only when it runs. Give it: "
                f"functools.partial(function, {text}=…), or {_DECLARE}"
            )

    def _array(self, node: ast.AST) -> bool:
        """Tell whether an expression may be an array: whether it has a name in it that is bound in the function."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "size", "dtype", "device"):
            return False
        if isinstance(node, ast.Name):
            plain = isinstance(self._default(node.id), (*SCALARS, str, Dtype))
            return node.id in self.local and not plain and not any(callable(x) for x in self.resolve(node))
        if isinstance(node, ast.Call):
            return not isinstance(node.func, ast.Name) or node.func.id not in ("len", "range", "isinstance", "str")
        return any(self._array(x) for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr))

    def _default(self, name: str) -> Any:
        """Return the default of a parameter, None for one without, and for any other name."""
        default = self.parameters[name].default if name in self.parameters else None
        return None if default is inspect.Parameter.empty else default

    def resolve(self, node: ast.expr, depth: int = 0) -> Iterator[Any]:
        """Give the objects that an expression may stand for, as far as they exist before it runs."""
        if depth > _DEPTH:
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
                        constant = key.value if isinstance(key, ast.Constant) else None
                        yield from [items[constant]] if constant in items else filter(callable, items.values())

    def _name(self, name: str, depth: int) -> Iterator[Any]:
        if name in self.local:
            for value in self.local[name]:
                yield from self.resolve(value, depth + 1)
            if name == "xp":
                yield lw
            elif callable(self._default(name)):
                yield self._default(name)
        elif name in self.outer:
            yield self.outer[name]

    def _at(self, node: ast.AST) -> str:
        written = ast.unparse(node).partition("\n")[0]
        return f"{written} at {self._line(node)}"

    def _line(self, node: ast.AST) -> str:
        return f"{self.f.__code__.co_filename}:{getattr(node, 'lineno', '?')}"


def _own(x: Any, name: str) -> Any:
    """Return an attribute of an object, a module or a class; None where there is none, or it is a property."""
    if not isinstance(x, (ModuleType, type)) and isinstance(inspect.getattr_static(x, name, None), property):
        return None
    return getattr(x, name, None)


# --- from a function to the node of its definition --------------------------------------------------------------------


def name_of(f: Any) -> str:
    """Return a function's name with its module, as an error shows it."""
    name = getattr(f, "__qualname__", getattr(f, "__name__", repr(f)))
    module = getattr(f, "__module__", None) or ("numpy" if type(f).__module__ == "numpy" else "")
    return f"{module}.{name}" if module and module not in ("builtins", "__main__") else str(name)


def definition(f: FunctionType) -> Definition:
    """Return the node of a function's definition, in the file that it was read from.

    Raises
    ------
    CannotSeeError: where there is no source: it was made by `exec`, typed into a shell without one, or its file has
        changed since.
    """
    code = f.__code__
    try:
        lines, _ = inspect.findsource(code)
    except (OSError, TypeError):
        by_exec = code.co_filename.startswith("<")
        why = "it was made by exec or eval" if by_exec else f"{code.co_filename} is not there"
        raise CannotSeeError(f"{name_of(f)} has no source to read: {why}. Put it into a file, or {_DECLARE}") from None
    fitting = [n for n in _definitions("".join(lines)) if _defines(n, code)]
    if not fitting:
        raise CannotSeeError(
            f"{name_of(f)} is not at line {code.co_firstlineno} of {code.co_filename} any more: "
            f"the file has changed since it was imported"
        )
    return fitting[-1]


@lru_cache(maxsize=64)
def _definitions(source: str) -> list[Definition]:
    """List every definition in a file."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise CannotSeeError(f"the source cannot be read: {error}") from None
    return [n for n in ast.walk(tree) if isinstance(n, Definition)]


def _defines(node: Definition, code: CodeType) -> bool:
    """Tell whether a definition is that of some code, by its name and its first line, that of the first decorator.

    Of several lambdas in a line it is the one that spans the instructions.
    """
    if not isinstance(node, ast.Lambda):
        first = min(n.lineno for n in (node, *node.decorator_list))
        return (node.name, first) == (code.co_name, code.co_firstlineno)
    if (code.co_name, code.co_firstlineno) != ("<lambda>", node.lineno):
        return False
    last = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    for line, end, column, stop in code.co_positions():
        if None in (line, end, column, stop) or (line, column) == (code.co_firstlineno, 0) == (end, stop):
            continue
        if not ((node.lineno, node.col_offset) <= (line, column) and (end, stop) <= last):
            return False
    return len(node.args.args + node.args.posonlyargs) == code.co_argcount
