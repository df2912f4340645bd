"""The command that audits a function of a file: where other rules or another backend give other dtypes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

import latticework as lw

from . import completing
from .output import console, fail
from .programs import function_of
from .rules import RuleSets

_STYLES = {"bold": "bold", "error": "bold red", "warning": "bold yellow", "note": "cyan", "help": "bold green", "": ""}


def audit(
    program: Annotated[
        str, typer.Argument(help="A function of a file: model.py:step; with --widening a file too.", show_default=False)
    ],
    args: Annotated[str, typer.Option(help="Its arguments: int32[3,4] float16[?] 2 axis=0.")] = "",
    rules: RuleSets = "",
    backends: Annotated[
        str, typer.Option(help="Backends, with commas between them, or: all.", autocompletion=completing.backends)
    ] = "",
    fix: Annotated[bool, typer.Option("--fix", help="Print the patch that inserts the casts.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    widening: Annotated[
        str, typer.Option(help="Show what makes this float dtype, or a narrower one, wider. Several: these alone.")
    ] = "",
    casts: Annotated[bool, typer.Option("--casts", help="With --widening: what is widened by name too.")] = False,
    inside: Annotated[str, typer.Option(help="With --widening: packages to look into, with commas.")] = "",
) -> None:
    """Show where a function gives another dtype, or an error, under other rules or on another backend.

    The function runs without data. The exit status is 1 where not all agree.

    With --widening the function, or a whole file, runs on its own framework, and the lines are shown where a narrow
    float became wider. The exit status is 1 where one did.

    For example: latticework audit model.py:step --args "int32[3,4] float16[4]" --rules numpy,torch.
    """
    from latticework.auditing.run import FRAMEWORKS
    from latticework.auditing.specs import parse

    found: Any
    try:
        given, named = parse(args)
        if widening:
            options = {"widening": _dtypes(widening), "casts": casts, "inside": _listed(inside)}
            found = _widenings(program, given, named, rules, options)
        else:
            chosen = _rules(rules or ",".join(FRAMEWORKS))
            found = lw.audit(function_of(program), *given, rules=chosen, backends=_backends(backends), **named)
    except (TypeError, ValueError, ImportError, AttributeError, OSError) as error:
        raise fail(error) from None
    if as_json:
        print(found.to_json())
    elif fix:
        print(found.patch, end="")
    else:
        for line in found.lines():
            console.print(Text.assemble(*((text, _STYLES[style]) for text, style in line)), soft_wrap=True)
    if not found.agrees:
        raise typer.Exit(1)


def _widenings(program: str, given: Any, named: Any, rules: str, options: dict[str, Any]) -> Any:
    """Audit a function, or a file without one, for widening."""
    from latticework.auditing.widening.run import program_widenings

    if Path(program).is_file():
        if given or named or rules:
            raise ValueError(
                f"{program} is a whole file, which takes no --args and no --rules. Name a function: FILE:f"
            )
        return program_widenings(program, **options)
    chosen = _rules(rules)
    if len(chosen) > 1:
        raise ValueError("--widening takes one rule set")
    return lw.audit(function_of(program), *given, rules=chosen[0] if chosen else None, **options, **named)


def _dtypes(text: str) -> Any:
    """Return one dtype for it and what is narrower; several, or one with a comma, for these alone."""
    return _listed(text) if "," in text else text


def _rules(names: str) -> list[str]:
    return [*lw.rule_names()] if names.strip() == "all" else _listed(names)


def _backends(names: str) -> list[str]:
    return [b.name for b in lw.backends() if b.installed] if names.strip() == "all" else _listed(names)


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]
