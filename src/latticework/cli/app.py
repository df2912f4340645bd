"""The commands. What they show comes from the package's public functions; here it is only laid out."""

from __future__ import annotations

import ast
import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import latticework as lw

app = typer.Typer(
    help="Array code written once, with the same dtypes and numbers on every framework.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
console = Console()

RULES = "unified,precise,strict,array_api"


def _fail(error: Exception | str) -> typer.Exit:
    """Say what is wrong in one line; the exit code is 2, as for every mistake on the command line."""
    Console(stderr=True).print(Text(str(error), style="red"), soft_wrap=True)
    return typer.Exit(2)


def _version(asked: bool) -> None:
    if asked:
        print(f"latticework {lw.__version__}, the Array API {lw.__array_api_version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Array code written once, with the same dtypes and numbers on every framework."""


@app.command()
def backends(as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False) -> None:
    """Show which frameworks are installed, their versions, devices and dtypes."""
    rows = []
    with console.status("Importing the frameworks …"):
        for b in lw.backends():
            row: dict[str, Any] = {"backend": b.name, "installed": b.installed, "version": b.version}
            if b.installed:
                with lw.using(backend=b.name):
                    devices = lw.__array_namespace_info__().devices()
                    dtypes = [d for d in lw.all_dtypes if lw.valid_dtype(d)]
                row |= {"devices": [*map(str, devices)], "dtypes": [*map(str, dtypes)]}
            else:
                row |= {"install": b.install}
            rows.append(row)
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for column in ("backend", "version", "devices", "dtypes"):
        table.add_column(column)
    for row in rows:
        if row["installed"]:
            count = f"{len(row['dtypes'])} of {len(lw.all_dtypes)}"
            table.add_row(row["backend"], row["version"], " ".join(row["devices"]), count)
        else:
            table.add_row(row["backend"], Text("not installed", style="dim"), Text(row["install"], style="yellow"), "")
    console.print(table)


@app.command()
def promote(
    operands: Annotated[
        list[str], typer.Argument(help="Dtypes, as int32; Python scalars as 1, 1.5, 2j or True.", show_default=False)
    ],
    rules: Annotated[str, typer.Option(help="Rule sets, with commas between them.")] = RULES,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show the common dtype of dtypes and Python scalars under each rule set.

    For example: latticework promote int32 float16, or latticework promote uint8 -- -1.
    """
    try:
        given = [_operand(x) for x in operands]
        if not any(isinstance(x, lw.Dtype) for x in given):
            raise TypeError("promote: at least one of them must be a dtype: a Python scalar's depends on the other's")
        answers = {name.strip(): _answer(given, name.strip()) for name in rules.split(",")}
    except (TypeError, ValueError) as error:
        raise _fail(error) from None
    if as_json:
        shown = [{"rules": name, "dtype": d, "refused": why} for name, (d, why) in answers.items()]
        print(json.dumps({"operands": operands, "answers": shown}, indent=2))
        return
    console.print(Text(" + ".join(operands), style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column()
    table.add_column(overflow="fold")
    for name, (dtype, why) in answers.items():
        because = (why or "").partition(f" under the {name} rules ")[2]
        table.add_row(f"  {name}", Text(dtype, style="green") if dtype else Text(f"refused {because}", style="yellow"))
    console.print(table)


def _operand(text: str) -> lw.Dtype | complex:
    """A dtype by name, or a Python scalar."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return lw.as_dtype(text)
    if type(value) not in (bool, int, float, complex):
        raise TypeError(f"promote: takes dtypes and Python scalars; got {text}")
    number: complex = value
    return number


def _answer(operands: list[lw.Dtype | complex], rules: str) -> tuple[str | None, str | None]:
    """The common dtype under one rule set, or why there is none."""
    try:
        return str(lw.result_type(*operands, rules=rules)), None
    except lw.errors.PromotionError as error:
        return None, str(error)


@app.command()
def demo(
    steps: Annotated[int, typer.Option(min=1, help="Steps of gradient descent.")] = 300,
    repeats: Annotated[int, typer.Option(min=1, help="Timed runs of each program; medians are shown.")] = 5,
) -> None:
    """Run one program on every installed framework: handwritten digits, PCA and a small network."""
    try:
        from ..demo import report
    except ModuleNotFoundError as error:
        if error.name != "sklearn":
            raise
        raise _fail("The demo's data comes with scikit-learn: pip install 'latticework[demo]'") from None
    sys.exit(0 if report.show(console, steps=steps, repeats=repeats) else 1)
