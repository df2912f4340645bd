"""Test the core and the backend of NumPy on every interpreter of Python that is found, and print a table.

    make pythons
    make pythons ARGS="--python 3.14 /opt/python3.14t/bin/python3.14t --parts threads -- -k promotion"

An interpreter is one that ``PATH`` or pyenv has, or that ``--python`` names, by version or by path. Each has an
environment in ``.venv-pythons``, or in the folder of ``--folder``, without frameworks: what the core needs, the tools
of the tests, and of `OPTIONAL` what has a wheel for it. Tests of what is not there are skipped. The versions are those
of constraints.txt; of what has no wheel in that version, the newest that has one. The parts are

    core     the tests that need no backend,
    numpy    those of the backend of NumPy,
    threads  `tests/test_threads.py` alone, five times, with threads that take turns after each few instructions.

What comes after ``--`` goes to pytest. `latticework` itself is read from src/.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv-pythons"
OLDEST, NEWEST = (3, 11), (3, 14)
NEEDED = ("numpy", "ml_dtypes", "pytest", "hypothesis")
#: What tests use if it is there.
OPTIONAL = (
    "scipy", "rich", "typer", "array-api-extra", "array-api-strict", "array-api-compat", "pyyaml", "ruff", "ndindex",
    "safetensors", "einops", "scikit-learn", "matplotlib", "networkx", "xarray", "onnx", "numba", "mypy", "numpydoc",
)  # fmt: skip
PARTS = {
    "core": ("-m", "not backend"),
    "numpy": ("-m", "backend"),
    "threads": ("-m", "backend or not backend", *("tests/test_threads.py",) * 5, "--keep-duplicates"),
}
ASKED = "import sys, sysconfig, json; print(json.dumps([list(sys.version_info[:3]), sys.version.split()[0], \
bool(sysconfig.get_config_var('Py_GIL_DISABLED')), sys.executable]))"
CLOSING = re.compile(r"^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed)(?:, )?)+).* in [\d.]+s")


class Interpreter(NamedTuple):
    """A Python that was found."""

    path: str
    version: str
    numbers: tuple[int, ...]
    free_threaded: bool

    @property
    def name(self) -> str:
        """Return the name of its environment: ``3.14.0``, or ``3.14.0t`` of one without the global lock."""
        return self.version + "t" * self.free_threaded


def asked(path: str) -> Interpreter | None:
    """Ask an interpreter what it is; None where it does not run, or is too old or too new."""
    done = subprocess.run([path, "-c", ASKED], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    numbers, version, free_threaded, executable = json.loads(done.stdout)
    found = Interpreter(executable, version, tuple(numbers), free_threaded)
    return found if OLDEST <= found.numbers[:2] <= NEWEST else None


def found(named: list[str]) -> list[Interpreter]:
    """Find the interpreters that are named, or all there are: the oldest first, each version once."""
    names = [f"python3.{minor}{end}" for minor in range(OLDEST[1], NEWEST[1] + 1) for end in ("", "t")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    paths = [p for n in names if (p := shutil.which(n)) and ".pyenv" not in p]
    paths += [str(p) for p in pyenv.glob("3.*/bin/python") if p.exists()]
    every = [x for p in dict.fromkeys([sys.executable, *paths, *(n for n in named if "/" in n)]) if (x := asked(p))]
    if named:
        every = [x for x in every if {x.path, x.name} & {*named} or any(_is(x, n) for n in named)]
    return sorted({x.name: x for x in reversed(every)}.values(), key=lambda x: (x.numbers, x.free_threaded))


def _is(interpreter: Interpreter, named: str) -> bool:
    """Return whether an interpreter is of a version that is named: ``3.14``, ``3.14t``; or of a path."""
    if "/" in named:
        return Path(interpreter.path).resolve() == Path(named).resolve()
    wanted = named.removesuffix("t")
    same = interpreter.version == wanted or interpreter.version.startswith(f"{wanted}.")
    return same and interpreter.free_threaded == named.endswith("t")


def environment(interpreter: Interpreter, within: Path = FOLDER) -> tuple[str, list[str]]:
    """Return the Python of an interpreter's environment, made and filled if that is needed, and what it lacks."""
    folder = within / interpreter.name
    python, stamp = folder / "bin" / "python", folder / "installed.json"
    wanted = [*NEEDED, *OPTIONAL, (ROOT / "constraints.txt").read_text(encoding="utf-8")]
    if stamp.exists():
        kept, lacking = json.loads(stamp.read_text(encoding="utf-8"))
        if kept == wanted:
            return str(python), lacking
    print(f"Installing into {folder}", flush=True)
    venv = [interpreter.path, "-m", "venv", "--clear", str(folder)]
    if subprocess.run(venv, capture_output=True, check=False).returncode:  # an interpreter without a pip of its own
        subprocess.run([*venv, "--without-pip"], check=True)
    missing = [name for name in NEEDED if not _install(python, [name])]
    if missing:
        sys.exit(f"{interpreter.name}: no wheel of {', '.join(missing)}")
    at_once = not interpreter.free_threaded and _install(python, [*OPTIONAL])  # else pip tries what fits together
    lacking = [] if at_once else [name for name in OPTIONAL if not _install(python, [name])]
    stamp.write_text(json.dumps([wanted, lacking]), encoding="utf-8")
    return str(python), lacking


def _install(python: Path, names: list[str]) -> bool:
    """Install wheels of packages; return False if there are none."""
    return any(
        not subprocess.run(command, capture_output=True, check=False).returncode
        for command in install_commands(python, names)
    )


def install_commands(python: Path, names: list[str]) -> list[list[str]]:
    """Return the commands that install packages, of which the first that works is enough.

    They are of the versions of constraints.txt; one package alone may be of another version.
    """
    own = any(python.parent.glob("pip*"))  # an older pip does not know the wheels of newer interpreters
    pip = [str(python), "-m", "pip"] if own else [sys.executable, "-m", "pip", "--python", str(python)]
    pip += ["install", "--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"]
    constrained = [*pip, "-c", str(ROOT / "constraints.txt"), *names]
    return [constrained, [*pip, *names]] if len(names) == 1 else [constrained]


def test_command(python: str, part: str, others: list[str]) -> list[str]:
    """Return the command that runs a part of the tests."""
    return [python, "-m", "pytest", "-q", "-o", "testpaths=tests", "-p", "no:cacheprovider", *PARTS[part], *others]


def variables(name: str) -> dict[str, str]:
    """Return the environment variables of the tests, for the name of an environment."""
    own = {"PYTHONPATH": str(ROOT / "src"), "LATTICEWORK_TEST_BACKENDS": "numpy", "OMP_NUM_THREADS": "1"}
    return own | ({"PYTHON_GIL": "0"} if name.endswith("t") else {})


def tested(python: str, name: str, part: str, others: list[str], log: Path) -> tuple[str, float, int]:
    """Run a part of the tests, and return pytest's closing line, the minutes and the exit code; all is in the log."""
    start, closing = time.perf_counter(), ""
    with log.open("w", encoding="utf-8") as file:
        code = subprocess.run(
            test_command(python, part, others), cwd=ROOT, env=os.environ | variables(name), stdout=file,
            stderr=subprocess.STDOUT, check=False,
        ).returncode  # fmt: skip
    for line in log.read_text(encoding="utf-8").splitlines():
        if said := CLOSING.match(line):
            closing = said[1].strip(", ")
    return closing or f"exit code {code}", (time.perf_counter() - start) / 60, code


def main() -> int:
    """Test the interpreters, print a row for each part, and return 1 if one fails."""
    given, _, others = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="*", default=[], help="versions or paths; all that are found by default")
    parser.add_argument("--parts", nargs="*", default=[*PARTS], choices=PARTS, help="all of them by default")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the environments and logs are")
    options = parser.parse_args(given.split())
    interpreters = found(options.python)
    if not interpreters:
        sys.exit("no interpreter was found")
    rows, failed = [], False
    for interpreter in interpreters:
        python, lacking = environment(interpreter, options.folder.resolve())
        versions = "import numpy, ml_dtypes; print(numpy.__version__, ml_dtypes.__version__)"
        packages = subprocess.run([python, "-c", versions], capture_output=True, text=True, check=True).stdout.split()
        for part in options.parts:
            log = options.folder.resolve() / f"{interpreter.name} {part}.log"
            closing, minutes, code = tested(python, interpreter.name, part, others.split(), log)
            failed |= code != 0
            rows.append(f"| {interpreter.name} | {' / '.join(packages)} | {part} | {closing} | {minutes:.1f} min |")
            print(rows[-1], flush=True)
        if lacking:
            print(f"  {interpreter.name} has no wheel of {', '.join(lacking)}", flush=True)
    print("\n| Python | NumPy / ml_dtypes | part | tests | took |\n| --- | --- | --- | --- | --- |", *rows, sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
