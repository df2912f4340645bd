"""A function of a file, as the commands name it: ``model.py:step``."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

from .output import note

__all__ = ["function_of"]


def function_of(program: str) -> Callable[..., Any]:
    """Import the function of ``file.py:name``; ``file.py:Class.method`` too.

    Raises
    ------
    ValueError: for a text of another form; AttributeError, OSError: where there is no such function or file.
    """
    file, colon, name = program.rpartition(":")
    if not colon or not name:
        raise ValueError(f"{program} is no function of a file. Write file.py:function")
    path = Path(file)
    if not path.is_file():
        raise OSError(f"there is no file {file}")
    runs = _first_run(path)
    if runs:
        note(
            f"{file}:{runs.lineno} runs as the file is imported, before {name}. Put it under: if __name__ == '__main__'"
        )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    function: Any = reduce(getattr, name.split("."), module)
    if not callable(function):
        raise TypeError(f"{program} is no function; it is {type(function).__name__}")
    return function  # type: ignore[no-any-return]


#: Statements that only define things.
_DEFINING = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign,
    ast.AugAssign, ast.Pass,
)  # fmt: skip


def _first_run(path: Path) -> ast.stmt | None:
    """Return the first statement of a file that does something as the file is imported: a loop, or a call as such."""
    try:
        waiting = [*ast.parse(path.read_text(encoding="utf-8")).body]
    except (SyntaxError, ValueError):
        return None  # the import says what is wrong
    while waiting:
        statement = waiting.pop(0)
        if isinstance(statement, ast.If):
            if "__main__" not in ast.unparse(statement.test):
                waiting = [*statement.body, *statement.orelse, *waiting]
        elif isinstance(statement, ast.Try):
            waiting = [*statement.body, *statement.orelse, *statement.finalbody, *waiting]
        elif isinstance(statement, ast.Expr):
            if not isinstance(statement.value, ast.Constant) and not _is_setting(statement.value):
                return statement
        elif not isinstance(statement, _DEFINING):
            return statement
    return None


def _is_setting(node: ast.expr) -> bool:
    """Return whether a call only sets something, as ``jax.config.update(...)`` and ``torch.manual_seed(0)`` do."""
    called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
    return called.startswith(
        ("set_", "manual_seed", "seed", "update", "filterwarnings", "insert", "append", "register")
    )
