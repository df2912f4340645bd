"""The command that shows the dtypes and shapes of a function's results, without data."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

import latticework as lw
from latticework.backend import get
from latticework.draw import COLOURS
from latticework.errors import nearest
from latticework.frontends import dialect_names

from . import completing
from .output import console, fail
from .programs import function_of


def infer(
    program: Annotated[str, typer.Argument(help="A function of a file: model.py:step.", show_default=False)],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            help="Its arguments: int32[3,4] float16[?] 2 axis=0.",
            show_default=False,
            autocompletion=completing.dtypes,
        ),
    ] = None,
    rules: Annotated[
        str, typer.Option(help="The rules in force.", show_default="unified", autocompletion=completing.rule_set)
    ] = "",
    backend: Annotated[
        str,
        typer.Option(
            help="A backend, whose dtypes and refusals hold; none by default.",
            show_default=False,
            autocompletion=completing.backend,
        ),
    ] = "",
    speaks: Annotated[
        str,
        typer.Option(
            "--as",
            help=f"The framework that the file imports: {', '.join(dialect_names())}; latticework by default.",
            show_default=False,
            autocompletion=completing.dialects,
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show the dtypes and shapes of a function's results. The function runs without data, as by lw.infer.

    A question mark stands for an extent that is not known, or that depends on values. The exit status is 1 where the
    function raises an error on arrays of these dtypes and shapes.

    For example: latticework infer model.py:step "float32[?,4]" "float16[4]" axis=0.
    """
    from latticework.auditing.specs import parse

    with ExitStack() as stack:
        try:
            given, named = parse(" ".join(arguments or ()))
            stack.enter_context(_redirected(speaks))
            function = function_of(program)
            if rules:
                stack.enter_context(lw.using(rules=rules))
            if backend:
                get(backend)
                named["backend"] = backend
        except (TypeError, ValueError, ImportError, AttributeError, OSError) as error:
            raise fail(error) from None
        try:
            found = lw.infer(function, *given, **named)
        except Exception as error:
            Console(stderr=True).print(Text(_told(error, program), style="red"), soft_wrap=True)
            raise typer.Exit(1) from None
    if as_json:
        print(json.dumps({"program": program, "result": _plain(found)}, indent=2))
        return
    for at, leaf in _leaves(found):
        line = Text(f"{at}  " if at else "", style="dim")
        is_array = isinstance(leaf, lw.Spec)
        line.append(str(leaf) if is_array else repr(leaf), style=COLOURS[leaf.dtype.kind] if is_array else "default")
        console.print(line, soft_wrap=True, highlight=False)


def _redirected(names: str) -> AbstractContextManager[Any]:
    """Redirect the imports of frameworks; refuse what has no dialect."""
    asked = [name.strip() for name in names.split(",") if name.strip()]
    for name in asked:
        if name not in dialect_names():
            raise ValueError(f"there is no dialect {name!r}{nearest(name, dialect_names())}")
    return lw.redirected(asked) if asked else nullcontext()


def _told(error: Exception, program: str) -> str:
    """Return an error in a line, with the place in the user's file that it comes from."""
    file = Path(program.rpartition(":")[0]).resolve()
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).resolve() == file]
    place = f"{program.rpartition(':')[0]}:{frames[-1].lineno}: " if frames else ""
    return f"{place}{type(error).__name__}: {error}"


def _leaves(found: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the parts of a result with the way to each, as ``[0]['w']``; what is no container is its only part."""
    if isinstance(found, (tuple, list)) and not isinstance(found, lw.Spec) and found:
        names = getattr(found, "_fields", ())
        for i, x in enumerate(found):
            yield from _leaves(x, f"{at}.{names[i]}" if names else f"{at}[{i}]")
    elif isinstance(found, dict) and found:
        for key, x in found.items():
            yield from _leaves(x, f"{at}[{key!r}]")
    else:
        yield at, found


def _plain(found: Any) -> Any:
    """Return a result as plain data: an array as a dict of its dtype, shape and device."""
    if isinstance(found, lw.Spec):
        return {"dtype": str(found.dtype), "shape": found.shape, "weak": found.weak, "device": found.device}
    if isinstance(found, (tuple, list)):
        return [_plain(x) for x in found]
    if isinstance(found, dict):
        return {str(key): _plain(x) for key, x in found.items()}
    return found if found is None or isinstance(found, (bool, int, float, str)) else repr(found)
