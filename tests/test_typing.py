"""Type checkers and editors see all public names, and the types in a program: mypy, and pyright if it is installed."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import latticework as lw
from latticework.contents import NAMESPACES

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "tests" / "typed_program.py"


def public_names() -> list[str]:
    """Every name of the namespace, its submodules and an array's attributes, as a program asks for it."""
    modules = {"lw": lw, "lw.errors": lw.errors} | {f"lw.{name}": getattr(lw, name) for name in NAMESPACES}
    of_modules = [f"{owner}.{name}" for owner, module in modules.items() for name in module.__all__]
    ours = [name for name, value in vars(lw.Array).items() if not name.startswith("_") and not from_plugin(value)]
    return [*of_modules, *(f"lw.asarray(1).{name}" for name in ours)]


def from_plugin(attribute: object) -> bool:
    """Whether a backend has added an attribute to arrays, as Dask's does when it is loaded."""
    return str(getattr(getattr(attribute, "fget", attribute), "__module__", "")).startswith("latticework.backends.")


def checked(command: list[str], folder: Path) -> str:
    """What a type checker says of the program and of one that has every public name and two that there are not."""
    listed = ["import latticework as lw", *(f"print({name})" for name in public_names())]
    names = folder / "names.py"
    names.write_text("\n".join([*listed, "lw.no_such_name", "lw.linalg.no_such_name", ""]))
    done = subprocess.run(
        [sys.executable, "-m", *command, str(PROGRAM), str(names)],
        capture_output=True, text=True, cwd=ROOT / "src", check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_the_program_runs() -> None:
    runpy.run_path(str(PROGRAM))


def test_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    cache = str(ROOT / ".mypy_cache" / "snippet")
    said = checked(
        ["mypy", "--strict", "--config-file=", "--follow-imports=silent", "--disable-error-code=empty-body",
         "--cache-dir", cache],
        tmp_path,
    )  # fmt: skip
    errors = [line for line in said.splitlines() if ": error: " in line]
    assert len(errors) == 2 and all("no_such_name" in error for error in errors), said


@pytest.mark.parametrize("checker", ["basedpyright", "pyright"])
def test_pyright(checker: str, tmp_path: Path) -> None:
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT / "src")]}  # as VS Code's own extension
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    said = checked([checker, "--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"], tmp_path)
    report = json.loads(said[said.index("{") :])
    errors = [error for error in report["generalDiagnostics"] if error["severity"] == "error"]
    assert report["summary"]["filesAnalyzed"] == 2, said
    assert len(errors) == 2 and all("no_such_name" in error["message"] for error in errors), errors
