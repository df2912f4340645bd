"""Places in a user's source: file, line and columns of an expression, its text, and the operands in it."""

from __future__ import annotations

import ast
import linecache
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from ..engine.arrays.array import Array
from ..frontends import dialect_names
from ..frontends.array import DialectArray
from ..frontends.naming import PREFIX

__all__ = [
    "CallSite", "Place", "caller", "in_order", "is_program", "node_at", "operand_nodes", "place_of", "span_of_offsets",
]  # fmt: skip


@dataclass(frozen=True)
class Place:
    """An expression in a file.

    Attributes
    ----------
    file: the file's name.
    line, end_line: its first and last line, counted from 1.
    column, end_column: where it begins and ends in these lines, in characters from 0. Both are 0 where only the line is
        known.
    function: the name of the function that it is in.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str

    def __str__(self) -> str:
        path = Path(self.file)
        inside = path.is_absolute() and path.is_relative_to(Path.cwd())
        return f"{path.relative_to(Path.cwd()) if inside else self.file}:{self.line}:{self.column + 1}"

    @property
    def source(self) -> str:
        """The first line, without its end; empty where the file cannot be read."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    @property
    def expression(self) -> str:
        """The text of the expression on one line; the whole line where the columns are not known."""
        lines = linecache.getlines(self.file)[self.line - 1 : self.end_line]
        if not lines or not self.end_column:
            return self.source.strip()
        lines[-1] = lines[-1][: self.end_column]
        lines[0] = lines[0][self.column :]
        return " ".join(line.strip() for line in lines)


class CallSite(NamedTuple):
    """A call of a latticework function.

    Attributes
    ----------
    code, instruction: the code object of the user's function, and the offset of the instruction in it.
    names: the global names of that function.
    called: the latticework function, if it is composed of others and has no plan itself; else empty.
    of_key: whether the operation converts a key of ``x[key]``.
    spoken: the dialect's function; empty where none was called.
    held: the names of local variables by the ids of the native arrays in them, in such a call: a dialect may have the
        operands in another order.
    frame: the frame of the dialect that the program called.
    """

    code: CodeType
    instruction: int
    names: dict[str, Any]
    called: str
    of_key: bool
    spoken: str
    held: dict[int, str]
    frame: FrameType | None


#: Packages whose frames are not the user's.
_LIBRARIES = frozenset("latticework numpy torch jax jaxlib tensorflow contextlib".split())


class _File(NamedTuple):
    """The facts about the code in a file: whether it is a library's, declares latticework functions, reads keys, or is
    a dialect's.
    """

    library: bool
    declares: bool
    reads_keys: bool
    speaks: bool


#: The facts by file. Code objects cannot be the keys: with equal text and line they are equal, also in two files.
_files: dict[str, _File] = {}


def _file_of(frame: FrameType) -> _File:
    file, names = frame.f_code.co_filename, frame.f_globals
    name = str(names.get("__name__") or names.get("__package__") or "")  # latticework's dispatchers have no name
    example = file.startswith("<doctest ")  # a doctest has the global names of its module
    library = name.partition(".")[0] in _LIBRARIES and not example
    found = _File(
        library,
        library and name.startswith("latticework.api."),
        name == "latticework.engine.keys.native_keys",
        name.startswith(PREFIX) and name.removeprefix(PREFIX).partition(".")[0] in dialect_names(),
    )
    _files[file] = found
    return found


def _folders(*names: str) -> tuple[str, ...]:
    return tuple({str(Path(sysconfig.get_path(n)).resolve()) for n in names})


#: The folders of installed packages and of the standard library.
_INSTALLED = (*_folders("purelib", "platlib", "stdlib", "platstdlib"), str(Path(__file__).resolve().parents[1]))


def is_program(file: str, module: str) -> bool:
    """Return whether a file is of a program: of no installed package, and not of the standard library."""
    if module.partition(".")[0] in _LIBRARIES and not file.startswith("<doctest "):
        return False
    if file.startswith("<"):
        return not file.startswith(("<frozen", "<string>", "<__array_function__"))
    path = str(Path(file).resolve())
    return not path.startswith(_INSTALLED) and "-packages/" not in path


def is_library(frame: FrameType) -> bool:
    """Return whether a frame is a library's, and not the user's."""
    return (_files.get(frame.f_code.co_filename) or _file_of(frame)).library


def caller() -> CallSite:
    """Return the innermost call of a library's function that is not made by a library itself."""
    frame: FrameType | None = sys._getframe(2)
    called, of_key, spoken, known = "", False, "", _files.get
    speaking: FrameType | None = None
    while frame is not None:
        code = frame.f_code
        library, declares, reads_keys, speaks = known(code.co_filename) or _file_of(frame)
        if not library:
            held = _held(frame.f_locals) if spoken else {}
            return CallSite(code, frame.f_lasti, frame.f_globals, called, of_key, spoken, held, speaking)
        if declares and code.co_name[0] not in "_<":
            called = code.co_name
        of_key = of_key or reads_keys
        if speaks:
            speaking = frame
            if code.co_name[0] not in "_<" and "<locals>" not in code.co_qualname:
                spoken = code.co_name
        frame = frame.f_back
    raise RuntimeError("an operation that no program called")


def _held(variables: dict[str, Any]) -> dict[int, str]:
    """Return the names of variables by the ids of the native arrays in them."""
    arrays = ((n, x._array if isinstance(x, DialectArray) else x) for n, x in variables.items())
    return {id(x._data): n for n, x in arrays if isinstance(x, Array)}


def place_of(code: CodeType, instruction: int) -> Place:
    """Return the place of an instruction."""
    return _place(code.co_filename, code, instruction)


@lru_cache(maxsize=4096)
def _place(file: str, code: CodeType, instruction: int) -> Place:
    positions = [*code.co_positions()][instruction // 2]
    line, end_line, start, end = positions
    line = line or code.co_firstlineno
    if end_line is None or start is None or end is None:
        return Place(file, line, 0, line, 0, code.co_name)
    first, last = (linecache.getline(file, n) for n in (line, end_line))
    return Place(
        file, line, _characters(first, start), end_line, _characters(last, end), code.co_name
    )  # fmt: skip


def _characters(line: str, offset: int) -> int:
    """Convert an offset in bytes of UTF-8 to an offset in characters."""
    return len(line.encode()[:offset].decode(errors="ignore")) if not line.isascii() else offset


# --- the syntax of an expression --------------------------------------------------------------------------------------


def _span(node: Any, lines: list[str]) -> tuple[int, int, int, int]:
    first, last = lines[node.lineno - 1], lines[node.end_lineno - 1]
    return (
        node.lineno, _characters(first, node.col_offset), node.end_lineno, _characters(last, node.end_col_offset)
    )  # fmt: skip


@lru_cache(maxsize=64)
def _nodes(text: str) -> dict[tuple[int, int, int, int], Any]:
    """Return the expressions of a text, and its statements like ``x += y``, by their place."""
    lines = text.splitlines() or [""]
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    kinds = (ast.expr, ast.AugAssign)
    found: dict[tuple[int, int, int, int], Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            found.setdefault(_span(node, lines), node)
    return found


def node_at(place: Place) -> Any:
    """Return the syntax node of an expression, None where it is not found."""
    text = "".join(linecache.getlines(place.file))
    return _nodes(text).get((place.line, place.column, place.end_line, place.end_column))


def span_of(node: Any, file: str) -> Place:
    """Return the place of a syntax node."""
    line, column, end_line, end_column = _span(node, [x.rstrip("\n") for x in linecache.getlines(file)])
    return Place(file, line, column, end_line, end_column, "")


def span_of_offsets(span: tuple[int, int, int, int], file: str, function: str) -> Place:
    """Return the place of a syntax node by its lines and its offsets in bytes, as `ast` has them."""
    line, start, end_line, end = span
    first, last = (linecache.getline(file, n) for n in (line, end_line))
    return Place(file, line, _characters(first, start), end_line, _characters(last, end), function)


#: Comparisons in source -> the functions that they call.
_COMPARISONS = {
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal", ast.Eq: "equal",
    ast.NotEq: "not_equal",
}  # fmt: skip


def in_order(nodes: list[Any], names: list[str]) -> list[Any]:
    """Return the nodes of a call's arguments in the order of its operands; some are variables, by these names."""
    by_name = {node.id: node for node in nodes if isinstance(node, ast.Name)}
    found = [by_name.get(name) for name in names]
    rest = (node for node in nodes if node not in found)
    return [next(rest, None) if node is None else node for node in found]


def operand_nodes(node: Any, op: str, names: tuple[str, ...], known: dict[str, Any]) -> list[Any]:
    """List the syntax nodes of an operation's operands, in order; empty where the expression does not show them.

    Parameters
    ----------
    node: the syntax node of the operation.
    op: the function that it calls.
    names: the names of the parameters that are operands.
    known: the global names, which tell a method from a module's function.
    """
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.AugAssign(target=target, value=value):
            return [target, value]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Compare(left=left, ops=[comparison], comparators=[right]):
            return [left, right] if _COMPARISONS.get(type(comparison)) == op else [right, left]
        case ast.Call():
            return _arguments(node, names, known)
    return []


def _arguments(node: ast.Call, names: tuple[str, ...], known: dict[str, Any]) -> list[Any]:
    """List the syntax nodes of a call's operands: the object of a method, and the arguments."""
    if any(isinstance(a, ast.Starred) for a in node.args):
        return []
    by_name = {k.arg: k.value for k in node.keywords}
    found: list[Any] = [*node.args]
    if isinstance(node.func, ast.Attribute) and not is_module(node.func.value, known):
        found = [node.func.value, *found]
    if found and len(names) == 1 and isinstance(found[0], (ast.List, ast.Tuple)):
        return [*found[0].elts]  # the elements of a sequence
    found = found[: len(names)]
    for name in names[len(found) :]:
        if name not in by_name:
            break
        found.append(by_name[name])
    return found


def is_module(node: Any, known: dict[str, Any]) -> bool:
    """Return whether an expression, as ``np`` or ``np.linalg``, is a module."""
    if isinstance(node, ast.Name):
        return (
            isinstance(known.get(node.id), ModuleType) or getattr(known.get(node.id), "_stands_for", None) is not None
        )
    if isinstance(node, ast.Attribute):
        return is_module(node.value, known)
    return False
