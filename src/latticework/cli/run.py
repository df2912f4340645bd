"""The command that runs a script written for a framework on another one."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated

import typer

import latticework as lw
from latticework.frontends import dialect_names, import_files, import_views, imports
from latticework.frontends.scripts import run_script

from . import completing
from .output import fail

#: The files whose calls are no part of a script's error.
_OF_IMPORTS = frozenset(str(module.__file__) for module in (imports, import_files, import_views))


def run(
    script: Annotated[str, typer.Argument(help="A Python file.", show_default=False)],
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments of the script.", show_default=False)] = None,
    speaks: Annotated[
        str,
        typer.Option(
            "--as",
            help=f"What it imports: {', '.join(dialect_names())}; several with commas.",
            autocompletion=completing.dialects,
        ),
    ] = "",
    backend: Annotated[
        str, typer.Option(help="The framework that runs it.", autocompletion=completing.backend)
    ] = "numpy",
    only: Annotated[
        str, typer.Option(help="The installed packages that are redirected too, with commas. All, if it is not given.")
    ] = "",
    without: Annotated[str, typer.Option("--except", help="Packages that get the framework itself, with commas.")] = "",
    module: Annotated[bool, typer.Option("-m", help="SCRIPT is the name of a module, as for python -m.")] = False,
) -> None:
    """Run a script written for one framework on another, with the dtypes that its author saw.

    The script is not changed: its imports of the framework, and those of all that it imports, are redirected to
    latticework's dialect. See lw.redirected.

    For example: latticework run --as torch --backend jax train.py --epochs 3.
    """
    names = _listed(speaks)
    unknown = [name for name in names if name not in dialect_names()]
    if not names or unknown:
        what = f"there is no dialect {unknown[0]!r}" if unknown else "say what the script imports"
        raise fail(ValueError(f"{what}: --as {', --as '.join(dialect_names())}"))
    try:
        lw.set_backend(backend)
    except (ValueError, ImportError, TypeError) as error:
        raise fail(error) from None
    try:
        run_script(
            script,
            arguments or [],
            names,
            only=_listed(only) if only else None,
            without=_listed(without),
            module=module,
        )
    except FileNotFoundError as error:
        if error.filename != script:
            raise
        raise fail(error) from None
    except Exception as error:
        _show(error)
        raise typer.Exit(1) from None
    sys.stdout.flush()


def _listed(names: str) -> list[str]:
    return [name.strip().replace("-", "_") for name in names.split(",") if name.strip()]


def _show(error: Exception) -> None:
    """Print a script's error as Python does: the calls from the script on, without those that carry out its imports."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_globals.get("__name__") != "__main__":
        at = at.tb_next
    whole = traceback.TracebackException.from_exception(error.with_traceback(at))
    found: traceback.TracebackException | None = whole
    seen = set[int]()
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        own = [frame for frame in found.stack if frame.filename not in _OF_IMPORTS]
        found.stack = traceback.StackSummary.from_list(own)
        found = found.__cause__ or found.__context__
    sys.stdout.flush()
    print("".join(whole.format()), end="", file=sys.stderr)
