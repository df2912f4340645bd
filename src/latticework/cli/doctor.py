"""The command that says what is installed, and whether it works: what a report of a bug needs."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import latticework as lw
from latticework.backend import measured as data
from latticework.backend import problems

from .output import console, working

#: The packages that are used beside the frameworks, and their use.
EXTRAS = {
    "scipy": "numpy: functions that NumPy lacks", "rich": "cli: this command", "typer": "cli: this command",
    "matplotlib": "draw: drawings", "networkx": "draw: drawings", "onnx": "onnx: graph.to_onnx, lw.from_onnx",
    "numba": "fast: lw.compile(fast=True)", "scikit-learn": "demo: its data",
}  # fmt: skip
#: Variables of the environment that change dtypes, values or speed.
VARIABLES = (
    "JAX_ENABLE_X64", "JAX_PLATFORMS", "JAX_NUMPY_DTYPE_PROMOTION", "XLA_FLAGS", "CUDA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS", "TF_ENABLE_ONEDNN_OPTS", "SCIPY_ARRAY_API",
)  # fmt: skip


def doctor(as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False) -> None:
    """Show what is installed, which versions are measured, and whether each framework computes.

    The exit status is 1 where a framework that is installed does not work. A report of a bug begins with this.
    """
    found = examined()
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        _show(found)
    if any(b["problem"] for b in found["backends"]) or found["broken"]:
        raise typer.Exit(1)


def examined() -> dict[str, Any]:
    """Return what is installed and whether it works, as plain data."""
    infos = [*lw.backends()]
    backends = []
    with working("Trying each framework", len(infos)) as step:
        for info in infos:
            step(info.name)
            backends.append(_of_backend(info))
    return {
        "latticework": lw.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "executable": sys.executable,
        "core": {name: _version(name) for name in ("numpy", "ml_dtypes")},
        "backends": backends,
        "broken": problems(),
        "extras": {name: _version(name) for name in EXTRAS},
        "environment": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _of_backend(info: Any) -> dict[str, Any]:
    measured = [*data.load(info.name)["versions"]]
    row = {"name": info.name, "version": info.version, "measured": measured, "behaves_as": None, "problem": ""}
    if not info.installed:
        return row | {"install": info.install}
    if measured:
        row["behaves_as"] = data.measured_as(info.name, "")
    try:
        with lw.using(backend=info.name):
            total = lw.sum(lw.asarray([1.0, 2.0, 3.0]) * 2)
            row["devices"] = [*map(str, lw.__array_namespace_info__().devices())]
        if float(total.compute()) != 12:
            row["problem"] = f"sum([1, 2, 3] * 2) is {float(total)} and not 12"
    except Exception as error:
        row["problem"] = f"{type(error).__name__}: {error}"
    return row


def _show(found: dict[str, Any]) -> None:
    core = ", ".join(f"{name} {version}" for name, version in found["core"].items())
    console.print(Text(f"latticework {found['latticework']}, Python {found['python']}, {core}", style="bold"))
    console.print(Text(f"{found['platform']}, {found['executable']}", style="dim"), soft_wrap=True)
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for column in ("framework", "installed", "measured", ""):
        table.add_column(column)
    for row in found["backends"]:
        table.add_row(row["name"], row["version"] or "–", ", ".join(row["measured"]) or "–", _state(row))
    console.print(table)
    for why in found["broken"].values():
        console.print(Text(why, style="bold red"), soft_wrap=True)
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for column in ("beside them", "installed", "extra, and what for"):
        table.add_column(column)
    for name, version in found["extras"].items():
        table.add_row(name, Text(version or "–", style="" if version else "dim"), EXTRAS[name])
    console.print(table)
    if found["environment"]:
        console.print()
        for name, value in found["environment"].items():
            console.print(Text(f"{name}={value}"), soft_wrap=True)


def _state(row: dict[str, Any]) -> Text:
    if row["problem"]:
        return Text(f"does not work: {row['problem']}", style="bold red")
    if "install" in row:
        return Text(row["install"], style="yellow")
    if row["measured"] and row["version"].partition("+")[0] not in row["measured"]:
        return Text(f"works; taken for {row['behaves_as']}, the nearest that was measured", style="yellow")
    return Text("works", style="green")
