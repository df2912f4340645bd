"""Run the tests of packages that others wrote for a framework, on the framework and on other backends by redirection.

    make packages                                             all, some hours
    python tools/packages.py --package einops zuko            some packages
    python tools/packages.py --package zuko --backend jax --tests tests/test_flows.py -- -x
    python tools/packages.py --show                           the table and what differs, from the record

A package and what it needs are installed into a folder of their own in ``.packages``, without the framework: that is
the environment's. Its tests are those of its source distribution, or of its repository at the version's tag, as they
stand. They run by pytest, once with the framework itself, once for each backend by ``latticework run --as FRAMEWORK
--backend BACKEND -m pytest``: all that pass with the framework, or each third, fourth … of them (`Package.each`), which
the table says. A test that passes with the framework and not by redirection is listed, and so is one that takes more
than `SECONDS`; `Package.why` has the reasons that are known. Counts and lists go to ``packages.json``, from which the
table of docs/guides/packages.md is written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packages_list import PACKAGES, Package

HERE = Path(__file__).resolve().parent
RECORD = HERE / "packages.json"
FOLDER = HERE.parent / ".packages"
#: What is counted for the framework itself and for each backend.
ITSELF = "itself"
#: The most that one test may take by redirection.
SECONDS = 300


# --- files ------------------------------------------------------------------------------------------------------------


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True)


def prepared(package: Package) -> Path:
    """Install a package and unpack its tests, if that was not done; return its folder."""
    folder = FOLDER / f"{package.name}-{package.version}"
    if (folder / "ready").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    wanted = f"{package.name}=={package.version}"
    pip("install", "--no-deps", "--target", str(folder / "site-packages"), wanted, *package.needs)
    if not package.in_wheel:
        archive = source_of(package, folder)
        with tarfile.open(archive) as content:
            content.extractall(folder / "unpacked", filter="data")
        (unpacked,) = (folder / "unpacked").iterdir()
        unpacked.rename(folder / "source")
        for part in package.hidden:  # the source must not be imported in the place of what is installed
            (folder / "hidden").mkdir(exist_ok=True)
            (folder / "source" / part).rename(folder / "hidden" / part)
    (folder / "ready").touch()
    return folder


def source_of(package: Package, folder: Path) -> Path:
    """Fetch the source of a package, with its tests: the source distribution, or what its repository has at the tag."""
    if package.archive:
        archive = FOLDER / "archives" / f"{package.name}-{package.version}.tar.gz"
        if not archive.exists():
            archive.parent.mkdir(parents=True, exist_ok=True)
            urllib.request.urlretrieve(package.archive, archive)
        return archive
    source = "--no-deps", "--no-binary", package.name, "--dest", str(folder), f"{package.name}=={package.version}"
    try:
        pip("download", "--no-build-isolation", *source)
    except subprocess.CalledProcessError:  # it is built by what is not installed here
        pip("download", *source)
    (archive,) = folder.glob("*.tar.gz")
    return archive


def files_of_tests(package: Package) -> tuple[int, int]:
    """Count the files of tests that are run, and all that there are."""
    here = prepared(package) / ("site-packages" if package.in_wheel else "source")

    def below(paths: Iterable[str]) -> set[Path]:
        return {
            file
            for path in paths
            for file in ([here / path] if (here / path).is_file() else (here / path).rglob("*.py"))
            if re.fullmatch(r"test_.*|.*_test", file.stem)
        }

    ran = below(package.tests)
    return len(ran), len(ran | below(package.all_tests))


# --- runs -------------------------------------------------------------------------------------------------------------


def ran(package: Package, backend: str, tests: Iterable[str], more: Iterable[str], limit: int) -> dict[str, Any]:
    """Run the tests of a package; return the outcome of each by name, and the seconds."""
    folder = prepared(package)
    report = folder / f"{backend}.xml"
    report.unlink(missing_ok=True)
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "packages_plugin",
        "-o",
        "addopts=",
        "-W",
        "ignore",
        f"--junitxml={report}",
    ]
    arguments = [*options, *package.options, *more, *(tests or package.tests)]
    run = ["-m", "pytest"]
    if backend != ITSELF:
        run = ["-m", "latticework", "run", "--as", package.framework, "--backend", backend]
        run += ["--except", ",".join(package.without)] if package.without else []
        run += ["-m", "pytest"]
    paths = [str(folder / "site-packages"), str(HERE.parent / "src"), str(HERE)]
    here = folder / ("site-packages" if package.in_wheel else "source")
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **package.env,
    }
    if backend != ITSELF:
        env["PACKAGES_SECONDS"] = str(SECONDS)
        if backend in package.each and not tests:
            listed = folder / f"{backend}.names"
            listed.write_text("\n".join(chosen(package, backend)), encoding="utf-8")
            env["PACKAGES_TESTS"] = str(listed)
    began, printed = time.perf_counter(), folder / f"{backend}.txt"
    with printed.open("w") as out:
        try:
            subprocess.run(
                [sys.executable, *run, *arguments],
                cwd=here, env=env, stdout=out, stderr=subprocess.STDOUT, timeout=limit, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            out.write(f"\nstopped after {limit} s\n")
    if not report.exists():
        raise SystemExit(f"{package.name}, {backend}: pytest wrote no report. The end of {printed}:\n{tail(printed)}")
    return {"outcomes": outcomes(report), "seconds": round(time.perf_counter() - began)}


def tail(path: Path, lines: int = 15) -> str:
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


def outcomes(report: Path) -> dict[str, str]:
    """Read what became of each test: "passed", "skipped", or the first line of the error."""
    found = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
        wrong = [x for x in case if x.tag in ("failure", "error")]
        if wrong:
            text = (wrong[0].get("message") or wrong[0].text or "").strip().split("\n")[0]
            text = text.replace(str(FOLDER.parent), "…")
            found[name] = re.sub(r"0x[0-9a-f]+", "0x…", text)[:200] or wrong[0].tag
        else:
            found[name] = "skipped" if case.find("skipped") is not None else "passed"
    return found


def chosen(package: Package, backend: str) -> list[str]:
    """Return the tests to count on a backend: those that pass with the framework itself, or each so many of them."""
    itself = outcomes(prepared(package) / f"{ITSELF}.xml")
    passed = [name for name, outcome in itself.items() if outcome == "passed"]
    return passed[:: package.each.get(backend, 1)]


# --- the record -------------------------------------------------------------------------------------------------------


def record() -> dict[str, Any]:
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def kept(package: Package, backend: str, found: dict[str, Any]) -> dict[str, Any]:
    """Put the counts of a run into the record, and return them."""
    everything = record()
    entry = everything.setdefault(package.name, {})
    if entry.get("version") != package.version:
        entry.clear()
        entry.update(version=package.version, framework=package.framework)
    passed = sorted(name for name, outcome in found["outcomes"].items() if outcome == "passed")
    if backend == ITSELF:
        counts = {"passed": len(passed), "tests": len(found["outcomes"]), "files": files_of_tests(package)}
        entry[ITSELF] = {**counts, "seconds": found["seconds"]}
    else:
        tests, here = chosen(package, backend), found["outcomes"]
        differ = {name: here.get(name, "did not run") for name in sorted(tests) if here.get(name) != "passed"}
        each = {"each": package.each[backend]} if backend in package.each else {}
        counts = {"passed": len(tests) - len(differ), "tests": len(tests), "seconds": found["seconds"]}
        entry[backend] = {**counts, **each, "differ": differ}
    RECORD.write_text(
        json.dumps(dict(sorted(everything.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return entry[backend]  # type: ignore[no-any-return]


def reason(package: Package, test: str) -> str:
    """Return why a test differs, as far as it is known."""
    return next((why for pattern, why in package.why.items() if re.search(pattern, test)), "")


def counted(backend: str, found: dict[str, Any]) -> str:
    """The count of a backend in the table, with the share of the tests that ran."""
    if "each" not in found:
        return f"{backend} {found['passed']:,}"
    return f"{backend} {found['passed']:,} of {found['tests']:,}, one test in {found['each']}"


def table() -> str:
    """The table of packages, as Markdown: tests that pass with the framework itself, and of these on each backend."""
    lines = [
        "| package | version | imports | files of tests | its tests pass | on backends |",
        "|---|---|---|---|--:|---|",
    ]
    for name, entry in record().items():
        backends = [b for b in entry if isinstance(entry[b], dict) and b != ITSELF]
        counts = ", ".join(counted(b, entry[b]) for b in backends)
        itself = f"{entry[ITSELF]['passed']:,} of {entry[ITSELF]['tests']:,}"
        ran, there = entry[ITSELF].get("files", (0, 0))  # they were not always counted
        files = "" if not there else f"all {there}" if ran == there else f"{ran} of {there}"
        link = f"[{name}](https://pypi.org/project/{name}/)"
        lines.append(f"| {link} | {entry['version']} | {entry['framework']} | {files} | {itself} | {counts} |")
    return "\n".join(lines)


def reasons() -> str:
    """Why tests of packages fail by redirection, a line for each reason of a package, as Markdown."""
    lines = []
    for package in sorted(PACKAGES, key=lambda p: p.name):
        entry = record().get(package.name, {})
        differ = {t: None for b in entry.values() if isinstance(b, dict) for t in b.get("differ", {})}
        counts: dict[str, int] = {}
        for test in differ:
            why = reason(package, test) or "not looked into"
            counts[why] = counts.get(why, 0) + 1
        lines += [f"* {package.name}: {why} ({count})" for why, count in counts.items()]
    return "\n".join(lines)


def shown() -> None:
    print(table(), reasons(), sep="\n\n")
    for package in PACKAGES:
        for backend, found in record().get(package.name, {}).items():
            for test, error in (found.get("differ", {}) if isinstance(found, dict) else {}).items():
                print(f"{package.name} {backend} {test}: {error}  [{reason(package, test) or 'no reason'}]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", nargs="+", choices=[p.name for p in PACKAGES], default=[p.name for p in PACKAGES])
    parser.add_argument("--backend", nargs="+", help=f"{ITSELF}, or backends; the package's own choice, if not given")
    parser.add_argument("--tests", nargs="+", default=[], help="files of tests; then nothing is recorded")
    parser.add_argument("--limit", type=int, default=3600, help="seconds for one run")
    parser.add_argument("--show", action="store_true", help="show the record and run nothing")
    parser.add_argument("more", nargs="*", help="more for pytest, after --; then nothing is recorded")
    options = parser.parse_args()
    if options.show:
        shown()
        return
    for package in PACKAGES:
        if package.name not in options.package:
            continue
        for backend in options.backend or (ITSELF, *package.backends):
            found = ran(package, backend, options.tests, options.more, options.limit)
            counts = found["outcomes"].values()
            print(
                f"{package.name} {package.version}, {backend}: {sum(c == 'passed' for c in counts)} passed of "
                f"{len(counts)}, {sum(c == 'skipped' for c in counts)} skipped, {found['seconds']} s",
                flush=True,
            )
            if not options.tests and not options.more:
                kept(package, backend, found)


if __name__ == "__main__":
    main()
