"""Run the tests of libraries that have a layer of backends, as it is, and with ours over latticework in its place.

    make adopters                                            all, some ten minutes
    make adopters ARGS="--library pyhf --tests tests/test_tensor.py"
    make adopters ARGS="--clones ../clones"                  from sources that are there: ../clones/pyhf …
    python tools/adopters.py --show                          the table and what differs, from the record

A library's source is cloned into ``.packages/adopters`` at the commit that `adopters_list.py` names, with what its
tests need beside it. Nothing in it is changed: in the second run `adopters_plugin.py` has the modules of its layer
imported from examples/adopters. Counts, lines and times go to ``adopters.json``, from which the table of
examples/adopters/README.md and that of docs/authors.md are written (`adopters_page.py`). Times are the processor's.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from adopters_list import ADOPTERS, Adopter
from packages import outcomes, pip, tail

HERE = Path(__file__).resolve().parent
RECORD = HERE / "adopters.json"
FOLDER = HERE.parent / ".packages" / "adopters"
LAYERS = HERE.parent / "examples" / "adopters"
ITSELF, OURS = "itself", "ours"


# --- files ------------------------------------------------------------------------------------------------------------


def prepared(library: Adopter, clones: str) -> Path:
    """Clone a library and install what its tests need, if that was not done; return its folder."""
    folder = FOLDER / f"{library.name}-{library.commit[:8]}"
    if (folder / "ready").exists():
        return folder
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    if clones:  # as it lies there, for a clone may lack files that no test needs
        shutil.copytree(Path(clones) / library.name, source, ignore=shutil.ignore_patterns(".git"))
    else:
        subprocess.run(["git", "clone", "--quiet", library.repository, str(source)], check=True)
        subprocess.run(["git", "-C", str(source), "checkout", "--quiet", library.commit], check=True)
    target = "--no-compile", "--upgrade", "--target", str(folder / "site-packages")
    pip("install", *target, *library.needs)
    if library.installed:  # a clone without tags does not know its version
        os.environ.setdefault("SETUPTOOLS_SCM_PRETEND_VERSION", library.version.partition(",")[0])
        pip("install", "--no-deps", *target, str(source))
    (folder / "ready").touch()
    return folder


def lines_of_code(paths: Iterable[Path]) -> int:
    """Count the lines of files that have code: without blank ones, comments and docstrings."""
    return sum(len(_lines(file)) for path in paths for file in ([path] if path.is_file() else path.rglob("*.py")))


def _lines(file: Path) -> set[int]:
    text = file.read_text(encoding="utf-8")
    tree, docs = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            docs.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(text.splitlines(), 1)
    return {n for n, line in lines if line.strip() and not line.strip().startswith("#")} - docs


# --- runs -------------------------------------------------------------------------------------------------------------


def ran(library: Adopter, folder: Path, variant: str, whose: str, tests: Iterable[str], limit: int) -> dict[str, Any]:
    """Run the tests of a library; return the outcome of each by name, and the seconds of the processor."""
    name = re.sub(r"\W+", "-", f"{variant}-{whose}").lower()
    report, printed = folder / f"{name}.xml", folder / f"{name}.txt"
    report.unlink(missing_ok=True)
    ours = {module: str(LAYERS / library.name / file) for module, file in library.modules.items()}
    paths = [folder / "site-packages", HERE.parent / "src", HERE]
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "OMP_NUM_THREADS": "1",
        "ADOPTERS_MODULES": json.dumps(ours if whose == OURS else {}),
        "ADOPTERS_SEEDED": library.seeded,
        **library.variants[variant],
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "adopters_plugin", "-W", "ignore"]
    command += ["-o", "addopts=", f"--junitxml={report}", *(tests or library.tests)]
    began = _seconds()
    with printed.open("w") as out:
        try:
            subprocess.run(
                command,
                cwd=folder / "source",
                env=env,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            out.write(f"\nstopped after {limit} s\n")
    if not report.exists():
        raise SystemExit(f"{library.name}, {variant}: pytest wrote no report. The end of {printed}:\n{tail(printed)}")
    return {"outcomes": named(outcomes(report)), "seconds": round(_seconds() - began)}


def named(outcomes_of_tests: dict[str, str]) -> dict[str, str]:
    """Return outcomes by function and the number of its case: what a case is called may show an array's address."""
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for test, outcome in outcomes_of_tests.items():
        name = test.partition("[")[0]
        counts[name] = counts.get(name, 0) + 1
        found[f"{name} #{counts[name]}"] = outcome
    return found


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compared(itself: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Return the counts of two runs, and the tests that pass in one of them alone."""
    before = {test for test, outcome in itself["outcomes"].items() if outcome == "passed"}
    after = {test for test, outcome in ours["outcomes"].items() if outcome == "passed"}
    lost = {test: ours["outcomes"].get(test, "did not run") for test in sorted(before - after)}
    return {
        "tests": len(itself["outcomes"]),
        ITSELF: {"passed": len(before), "seconds": itself["seconds"]},
        OURS: {"passed": len(before & after), "seconds": ours["seconds"]},
        "differ": lost,
        "passes with ours alone": sorted(after - before),
    }


# --- the record -------------------------------------------------------------------------------------------------------


def record() -> dict[str, Any]:
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def kept(library: Adopter, folder: Path, variant: str, found: dict[str, Any]) -> None:
    """Put the counts of a run into the record."""
    everything = record()
    entry = everything.setdefault(library.name, {})
    lines = {
        ITSELF: lines_of_code(folder / "source" / path for path in library.layer),
        OURS: lines_of_code([LAYERS / library.name]),
    }
    entry |= {"commit": library.commit, "lines": lines, "files": list(library.tests)}
    entry.setdefault("runs", {})[variant] = found
    RECORD.write_text(json.dumps(everything, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def reason(library: Adopter, test: str) -> str:
    """Return why a test does not pass with our layer, as far as it is known."""
    return next((why for pattern, why in library.why.items() if re.search(pattern, test)), "not looked into")


def table() -> str:
    """The table of libraries, as Markdown."""
    lines = [
        "| library | backend | lines of its layer | of ours | its tests pass | with ours | its seconds | with ours |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for library in ADOPTERS:
        entry = record().get(library.name, {})
        for variant, run in entry.get("runs", {}).items():
            lines.append(
                f"| [{library.name}]({library.repository}) | {variant} | {entry['lines'][ITSELF]:,} "
                f"| {entry['lines'][OURS]:,} | {run[ITSELF]['passed']:,} of {run['tests']:,} | {run[OURS]['passed']:,} "
                f"| {run[ITSELF]['seconds']:,} | {run[OURS]['seconds']:,} |"
            )
    return "\n".join(lines)


def details() -> str:
    """What was run of each library, and the reasons of the tests that do not pass with our layer, as Markdown."""
    lines = []
    for library in ADOPTERS:
        entry = record().get(library.name)
        if not entry:
            continue
        files = ", ".join(f"`{file.removeprefix('tests/')}`" for file in entry["files"])
        lines.append(f"* {library.name} ({library.version}, commit {entry['commit'][:8]}): {files}")
        counts: dict[str, int] = {}
        for run in entry["runs"].values():
            for test in run["differ"]:
                counts[reason(library, test)] = counts.get(reason(library, test), 0) + 1
        lines += [f"  * {why} ({count})" for why, count in counts.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", nargs="+", choices=[a.name for a in ADOPTERS], default=[a.name for a in ADOPTERS])
    parser.add_argument("--variant", nargs="+", help="some of the runs of each library; all, if not given")
    parser.add_argument("--tests", nargs="+", default=[], help="files of tests; then nothing is recorded")
    parser.add_argument(
        "--clones", default="", help="a folder with the source of each library under its name, at the commit"
    )
    parser.add_argument("--limit", type=int, default=1800, help="seconds for one run")
    parser.add_argument("--show", action="store_true", help="show the record and run nothing")
    options = parser.parse_args()
    if options.show:
        print(table(), details(), sep="\n\n")
    for library in [] if options.show else [a for a in ADOPTERS if a.name in options.library]:
        folder = prepared(library, options.clones)
        for variant in options.variant or library.variants:
            runs = [ran(library, folder, variant, w, options.tests, options.limit) for w in (ITSELF, OURS)]
            found = compared(*runs)
            print(
                f"{library.name}, {variant}: {found[ITSELF]['passed']} of {found['tests']} tests pass in "
                f"{found[ITSELF]['seconds']} s; with our layer {found[OURS]['passed']} of these in "
                f"{found[OURS]['seconds']} s",
                flush=True,
            )
            for test, error in found["differ"].items():
                print(f"  {test}: {error}  [{reason(library, test)}]")
            if not options.tests:
                kept(library, folder, variant, found)


if __name__ == "__main__":
    main()
