"""Type checkers see all public names, the types in programs, and mistakes: mypy, and pyright if it is installed."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import typed_dialects
from support import checked_by_mypy

import latticework as lw
from latticework.contents import NAMESPACES

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "tests" / "typed_program.py"
DIALECTS = ROOT / "tests" / "typed_dialects.py"
MISTAKES = ROOT / "tests" / "planted_mistakes.py"


def public_names() -> list[str]:
    """Every name of the namespace, its submodules and an array's attributes, as a program asks for it."""
    modules = {"lw": lw, "lw.errors": lw.errors} | {f"lw.{name}": getattr(lw, name) for name in NAMESPACES}
    of_modules = [f"{owner}.{name}" for owner, module in modules.items() for name in module.__all__]
    ours = [name for name, value in vars(lw.Array).items() if not name.startswith("_") and not from_plugin(value)]
    return [*of_modules, *(f"lw.asarray(1).{name}" for name in ours)]


def from_plugin(attribute: object) -> bool:
    """Whether a backend has added an attribute to arrays, as Dask's does when it is loaded."""
    return str(getattr(getattr(attribute, "fget", attribute), "__module__", "")).startswith("latticework.backends.")


def planted() -> dict[int, str]:
    """The lines of the file of mistakes that a checker has to report, with mypy's code for the error."""
    lines = MISTAKES.read_text(encoding="utf-8").splitlines()
    return {i: line.rpartition("# error: ")[2] for i, line in enumerate(lines, 1) if "# error: " in line}


def programs(folder: Path) -> list[Path]:
    """The programs to check: those that are right, the mistakes, and every public name and two that there are not."""
    listed = ["import latticework as lw", *(f"print({name})" for name in public_names())]
    names = folder / "names.py"
    names.write_text("\n".join([*listed, "lw.no_such_name", "lw.linalg.no_such_name", ""]))
    return [PROGRAM, DIALECTS, MISTAKES, names]


def test_the_program_runs() -> None:
    runpy.run_path(str(PROGRAM))


@pytest.mark.parametrize("name", ["torch", "numpy", "jax", "tensorflow"])
def test_the_programs_of_dialects_run(name: str) -> None:
    pytest.importorskip("torch" if name == "torch" else "jax")  # which have the derivatives
    with lw.using(backend="torch" if name == "torch" else "jax"):
        getattr(typed_dialects, f"in_{name}")()


def test_there_are_enough_mistakes() -> None:
    assert len(planted()) >= 40


def test_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    said = checked_by_mypy(*programs(tmp_path))
    errors = re.findall(r"^(.*\.py):(\d+): error: (.*)  \[([\w-]+)\]$", said, re.MULTILINE)
    found = {int(line): code for file, line, _, code in errors if file.endswith(MISTAKES.name)}
    assert found == planted(), said
    others = [text for file, _, text, _ in errors if not file.endswith(MISTAKES.name)]
    assert len(others) == 2 and all("no_such_name" in text for text in others), said


@pytest.mark.parametrize("checker", ["basedpyright", "pyright"])
def test_pyright(checker: str, tmp_path: Path) -> None:
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT / "src")]}  # as VS Code's own extension
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [checker, "--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(
        [sys.executable, "-m", *command, *map(str, programs(tmp_path))],
        capture_output=True, text=True, cwd=ROOT / "src", check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    report = json.loads(said[said.index("{") :])
    errors = [error for error in report["generalDiagnostics"] if error["severity"] == "error"]
    assert report["summary"]["filesAnalyzed"] == 4, said
    found = {e["range"]["start"]["line"] + 1 for e in errors if e["file"].endswith(MISTAKES.name)}
    assert found == planted().keys(), errors
    others = [error["message"] for error in errors if not error["file"].endswith(MISTAKES.name)]
    assert len(others) == 2 and all("no_such_name" in message for message in others), errors
