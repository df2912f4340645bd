"""Test the packages in plugins/, each in an environment of its own, and measure what runs on them.

    make plugins
    make plugins ARGS="mlx -- -k special"
    make plugins ARGS="--measure mlx sparse"
    make plugins ARGS="--measure --row searchsorted --row sort sparse"
    make plugins ARGS="--conformance path/to/array-api-tests mlx"

What comes after ``--`` goes to pytest. The environment of a package is made anew when its pyproject.toml changes.
``--measure`` runs every function and some programs, and ``--conformance`` the array API's public suite, on the backend
and on the library itself; ``--seconds`` stops what takes longer. Both write into tools/plugins.json, of which
tools/plugins_page.py makes docs/plugins.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PREFIX = "latticework-"
#: What was measured: see `record`.
RECORD = Path(__file__).with_suffix(".json")
#: No backend is measured for longer: in seconds.
LIMIT = 3600


def packages() -> list[str]:
    """List the packages in plugins/, without the prefix of their names."""
    return sorted(p.parent.name.removeprefix(PREFIX) for p in (ROOT / "plugins").glob(f"{PREFIX}*/pyproject.toml"))


def install(python: Path, *what: str) -> None:
    """Install distributions into an environment."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
    subprocess.run(command, check=True, cwd=ROOT)


def environment(name: str) -> Path:
    """Return the Python of a package's environment, made and filled if that is needed.

    latticework and the package are installed at once: pip would look for latticework on an index otherwise.
    """
    folder, package = ROOT / ".venv-plugins" / name, ROOT / "plugins" / f"{PREFIX}{name}"
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = (package / "pyproject.toml").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        sys.stdout.write(f"Installing into {folder.relative_to(ROOT)}\n")
        sys.stdout.flush()
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install(python, "-e", str(ROOT), "-e", f"{package}[test]")
        stamp.write_text(wanted, encoding="utf-8")
    return python


def test(name: str, options: list[str]) -> bool:
    """Run the tests of a package and tell whether they pass."""
    tests = ROOT / "plugins" / f"{PREFIX}{name}" / "tests"
    command = [str(environment(name)), "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(tests), str(tests)]
    return subprocess.run([*command, *options], cwd=tests, check=False).returncode == 0


# --- what was measured ------------------------------------------------------------------------------------------------


def record() -> dict[str, Any]:
    """Read what was measured.

    Returns
    -------
    A dictionary of three: "packages", by package the version of its framework, the reasons for what does not run, and
    the counts of the public suite; "groups", by group and name of a row how it runs on each package, as "native" or
    "refused 3", whose number is that of a reason.
    """
    if not RECORD.exists():
        return {"packages": {}, "groups": {}}
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def save(found: dict[str, Any]) -> None:
    """Write what was measured: a line for each row."""
    lines = ['{\n "packages": ' + json.dumps(found["packages"], indent=1).replace("\n", "\n ") + ',\n "groups": {']
    groups = [
        f"  {json.dumps(group)}: {{\n"
        + ",\n".join(f"   {json.dumps(name)}: {json.dumps(cells)}" for name, cells in sorted(rows.items()))
        + "\n  }"
        for group, rows in found["groups"].items()
    ]
    RECORD.write_text("\n".join([*lines, ",\n".join(groups), " }", "}\n"]), encoding="utf-8")


def put(found: dict[str, Any], name: str, lines: list[str]) -> None:
    """Put what plugins_measure.py printed for a package into the record, in place of what was there."""
    package = found["packages"].setdefault(name, {})
    reasons: list[str] = []
    for rows in found["groups"].values():
        for cells in rows.values():
            cells.pop(name, None)
    for line in lines:
        group, row, how, why = json.loads(line)
        if why:
            why = plain(why, row)
            reasons += [] if why in reasons else [why]
            how = f"{how} {reasons.index(why) + 1}"
        cells = found["groups"].setdefault(group, {}).setdefault(row, {})
        cells[name] = how
        found["groups"][group][row] = dict(sorted(cells.items()))
    found["groups"] = {g: {r: c for r, c in rows.items() if c} for g, rows in found["groups"].items()}
    package["reasons"] = reasons
    found["packages"] = dict(sorted(found["packages"].items()))


def lines_of(found: dict[str, Any], name: str, but: set[str]) -> list[str]:
    """Return what was recorded for a package as plugins_measure.py prints it, without some rows."""
    reasons = found["packages"].get(name, {}).get("reasons", [])
    lines = []
    for group, rows in found["groups"].items():
        for row, cells in rows.items():
            if name in cells and row not in but:
                how, _, number = cells[name].partition(" ")
                lines.append(json.dumps([group, row, how, reasons[int(number) - 1] if number else ""]))
    return lines


def plain(why: str, row: str) -> str:
    """Return a reason without the names of the functions in which it came up, so that it is one for many rows."""
    shown = re.sub(rf"^({re.escape(row)}|[\w.]+(?=: in )): ", "", why)
    shown = re.sub(r"^(in )?[\w.]+: (?=\w)", "", shown) if not shown.startswith(("Error", "Exception")) else shown
    shown = re.sub(r"(a fill value) of [\d.e+-]*\d|[.,;] Got .*", r"\1", shown)  # of one call's arrays
    shown = re.sub(r"\w+\('file:[^']*'\) at path '[^']*'", "its folder", shown)
    return " ".join(shown.split())[:240]


def version(python: Path, name: str) -> str:
    """Return the version of a backend's framework in an environment, with its name on the index."""
    program = (
        "import sys; from importlib.metadata import distributions, version\n"
        "from latticework.backend.facts import facts_of\n"
        "found = {d.metadata['Name'] for d in distributions()}\n"
        "print(*[f'{n} {version(n)}' for n in facts_of(sys.argv[1]).distributions if n in found][:1])"
    )
    done = subprocess.run([str(python), "-c", program, name], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def measure(name: str, some: list[str], seconds: int) -> bool:
    """Measure what runs on a package, all rows or some, and record it, or why its framework cannot run here.

    A row is stopped after so many seconds of the processor.
    """
    python = environment(name)
    command = [str(python), str(ROOT / "tools" / "plugins_measure.py"), name, str(seconds), *some]
    surroundings = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=surroundings, stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
    found = record()
    absent = done.returncode == 3
    new = [] if absent else done.stdout.splitlines()
    put(found, name, [*lines_of(found, name, {*some}), *new] if some else new)
    package = found["packages"][name]
    package["version"] = version(python, name)
    package.pop("absent", None)
    if absent:
        package["absent"] = json.loads(done.stdout)
    save(found)
    return done.returncode in (0, 3)


def main() -> int:
    """Do what is asked for, for the packages that are named, all by default; return 1 if one fails."""
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given, others = sys.argv[1:at], sys.argv[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="*", help=f"{', '.join(packages())}; all of them by default")
    parser.add_argument("--measure", action="store_true", help="measure what runs")
    parser.add_argument("--row", action="append", default=[], help="measure only this; can be given several times")
    parser.add_argument("--conformance", type=Path, metavar="SUITE", help="run the public suite in this checkout")
    parser.add_argument("--examples", type=int, default=20, help="of each test of the suite")
    parser.add_argument("--seconds", type=int, help="of the processor, for a row (20 by default) or a test")
    options = parser.parse_args(given)
    if unknown := [name for name in options.package if name not in packages()]:
        parser.error(f"there is no package {unknown[0]!r} in plugins/; there are {', '.join(packages())}")
    failed = []
    for name in options.package or packages():
        try:
            if options.conformance is not None:
                import plugins_conformance

                plugins_conformance.run(name, options.conformance.resolve(), options.examples, options.seconds or 0)
            elif not (measure(name, options.row, options.seconds or 20) if options.measure else test(name, others)):
                failed.append(name)
        except subprocess.CalledProcessError as error:  # of pip, whose own words are above
            sys.stderr.write(f"{name}: {error}\n")
            failed.append(name)
    if options.measure or options.conformance is not None:
        import plugins_page

        plugins_page.write()
    if failed:
        sys.stderr.write(f"failed: {', '.join(failed)}\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
