"""The command that audits a function of a file: where other rules or another backend give other dtypes."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

import latticework as lw
from latticework.auditing.run import FRAMEWORKS
from latticework.auditing.specs import parse
from latticework.auditing.text import lines_of

from .output import console, fail

_STYLES = {"bold": "bold", "error": "bold red", "warning": "bold yellow", "note": "cyan", "help": "bold green", "": ""}


def audit(
    program: Annotated[str, typer.Argument(help="A function of a file: model.py:step.", show_default=False)],
    args: Annotated[str, typer.Option(help="Its arguments: int32[3,4] float16[?] 2 axis=0.")] = "",
    rules: Annotated[str, typer.Option(help="Rule sets, with commas between them, or: all.")] = ",".join(FRAMEWORKS),
    backends: Annotated[str, typer.Option(help="Backends, with commas between them, or: all.")] = "",
    fix: Annotated[bool, typer.Option("--fix", help="Print the patch that inserts the casts.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show where a function gives another dtype, or an error, under other rules or on another backend.

    The function runs without data. The exit status is 1 where not all agree.

    For example: latticework audit model.py:step --args "int32[3,4] float16[4]" --rules numpy,torch.
    """
    try:
        given, named = parse(args)
        function = _function(program)
        found = lw.audit(function, *given, rules=_rules(rules), backends=_backends(backends), **named)
    except (TypeError, ValueError, ImportError, AttributeError, OSError) as error:
        raise fail(error) from None
    if as_json:
        print(found.to_json())
    elif fix:
        print(found.patch, end="")
    else:
        for line in lines_of(found):
            console.print(Text.assemble(*((text, _STYLES[style]) for text, style in line)), soft_wrap=True)
    if not found.agrees:
        raise typer.Exit(1)


def _rules(names: str) -> list[str]:
    return [*lw.rule_names()] if names.strip() == "all" else _listed(names)


def _backends(names: str) -> list[str]:
    return [b.name for b in lw.backends() if b.installed] if names.strip() == "all" else _listed(names)


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _function(program: str) -> Callable[..., Any]:
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
