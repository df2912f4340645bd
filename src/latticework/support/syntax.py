"""From a function to its syntax tree: the node of its definition in the file that it was read from."""

from __future__ import annotations

import ast
import inspect
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

__all__ = ["CannotSeeError", "definition", "parameters", "yields"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class CannotSeeError(TypeError):
    """A function whose source cannot be had, or that does what reading alone cannot follow."""


def definition(f: FunctionType) -> Definition:
    """The node of a function's definition.

    Raises
    ------
    CannotSeeError: where there is no source: it was made by `exec`, typed into a shell without one, or its file has
        changed since.
    """
    code = f.__code__
    try:
        lines, _ = inspect.findsource(code)
    except (OSError, TypeError):
        raise CannotSeeError(
            f"{name_of(f)} has no source to read: {_origin(code)}. Put it into a file, or declare what it takes: "
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


def _origin(code: CodeType) -> str:
    return "it was made by exec or eval" if code.co_filename.startswith("<") else f"{code.co_filename} cannot be read"


def name_of(f: Any) -> str:
    """A function's name with its module, as an error shows it."""
    module, name = getattr(f, "__module__", None), getattr(f, "__qualname__", getattr(f, "__name__", repr(f)))
    return f"{module}.{name}" if module and module not in ("builtins", "__main__") else str(name)


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
    for line, end, column, stop in code.co_positions():
        if None in (line, end, column, stop) or (line, column) == (code.co_firstlineno, 0) == (end, stop):
            continue
        if not ((node.lineno, node.col_offset) <= (line, column) and (end, stop) <= _end(node)):
            return False
    return len(node.args.args + node.args.posonlyargs) == code.co_argcount


def _end(node: ast.Lambda) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def parameters(node: Definition) -> list[str]:
    """Names of the parameters that can be given by position."""
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args)]


@lru_cache(maxsize=1024)
def yields(node: Definition) -> bool:
    """Whether it is a generator: it yields, and not only a function inside it."""
    stack: list[ast.AST] = [*(node.body if isinstance(node.body, list) else [node.body])]
    while stack:
        n = stack.pop()
        if isinstance(n, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(n))
    return False
