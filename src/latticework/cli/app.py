"""The commands. Their contents come from the package's public functions and are only laid out here."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import latticework as lw

from ..backend import get, problems
from ..errors import BackendError, install
from . import audit as audits
from . import bench as benches
from . import completing, rules
from . import doctor as doctors
from . import infer as inferring
from . import run as runs
from . import support as supports
from .output import console, fail

app = typer.Typer(
    help="Array code written once, with the same dtypes and numbers on every framework.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


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
    """Show which frameworks are installed, their versions, devices and the dtypes that they lack; packages too.

    Packages that register themselves as backends and cannot be used are listed with the reason.
    """
    rows = []
    with console.status("Importing the frameworks …"):
        for b in lw.backends():
            row: dict[str, Any] = {"backend": b.name, "installed": b.installed, "version": b.version}
            if b.installed and (wrong := _broken(b.name)):
                row |= {"problem": wrong}
            elif b.installed:
                with lw.using(backend=b.name):
                    devices = lw.__array_namespace_info__().devices()
                    dtypes = [d for d in lw.all_dtypes if lw.valid_dtype(d)]
                missing = [d for d in lw.all_dtypes if d not in dtypes]
                row |= {"devices": [*map(str, devices)]}
                row |= {"dtypes": [*map(str, dtypes)], "missing": [*map(str, missing)]}
            else:
                row |= {"install": b.install}
            rows.append(row)
    rows += [{"backend": name, "installed": False, "version": None, "problem": why} for name, why in problems().items()]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for column in ("backend", "version", "devices", "dtypes", "missing"):
        table.add_column(column)
    for row in rows:
        if "problem" in row:
            continue
        if row["installed"]:
            count = f"{len(row['dtypes'])} of {len(lw.all_dtypes)}"
            lacks = Text(" ".join(row["missing"]) or "none", style="" if row["missing"] else "dim")
            table.add_row(row["backend"], row["version"], " ".join(row["devices"]), count, lacks)
        else:
            table.add_row(
                row["backend"], Text("not installed", style="dim"), "", "", Text(row["install"], style="yellow")
            )
    console.print(table)
    for row in rows:
        if "problem" in row:
            console.print(Text(f"{row['backend']}: {row['problem']}", style="bold red"), soft_wrap=True)


def _broken(name: str) -> str:
    """Return why the package of a backend cannot be used, though its framework is installed; "" where it can."""
    try:
        get(name)
    except BackendError as error:
        return str(error)
    return ""


for _command in (rules.promote, rules.explain, rules.table, rules.diff, rules.draw, supports.support, supports.probe):
    app.command()(_command)
app.command()(audits.audit)
app.command()(inferring.infer)
app.command(context_settings={"allow_interspersed_args": False})(runs.run)
app.command()(benches.bench)
app.command()(doctors.doctor)


@app.command("test-backend", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def test_backend(
    context: typer.Context,
    backend: Annotated[str, typer.Argument(help="A backend.", show_default=False, autocompletion=completing.backend)],
) -> None:
    """Compare a backend with the NumPy backend, call by call, as python -m latticework.testing does, with its options.

    For authors of backends. The exit code is 1 where anything differs.
    """
    from ..testing.__main__ import main

    raise typer.Exit(main([backend, *context.args]))


@app.command()
def demo(
    steps: Annotated[int, typer.Option(min=1, help="Steps of gradient descent.")] = 300,
    repeats: Annotated[int, typer.Option(min=1, help="Timed runs of each program; medians are shown.")] = 5,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs to train the convolutional network for.")] = 5,
) -> None:
    """Run programs on every installed framework: digits are read by PCA and a network, and by convolutions."""
    for module, why in (("sklearn", "for its data"), ("threadpoolctl", "to time one thread")):
        if find_spec(module) is None:
            raise fail(f"The demo needs {module} {why}: {install('demo')}")
    from ..demo import report

    sys.exit(0 if report.show(console, steps=steps, repeats=repeats, epochs=epochs) else 1)
