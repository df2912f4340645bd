"""Run the frameworks' own tests with our dialect in the framework's place; print counts, and what is not as listed.

    make upstream
    python tools/upstream.py --suite numpy --backend numpy torch --parts fft lib.test_arraypad

A suite is run in parts, a process each. What a part came to is kept in `.upstream/`, and it is not run again while our
sources and the framework are the same: a run that was ended goes on where it stopped (`--again` runs all). A test that
fails and needs what the dialect leaves out is `out`; by which rule, the suite says. Any other that fails is listed in
`tests/expected/upstream/<suite>.txt` under its reason. What fails and is not listed, and what is listed and passes,
is an error.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".upstream"
EXPECTED = ROOT / "tests" / "expected" / "upstream"
#: Suites, each a module `upstream_<name>` beside this one with a `SUITE`.
SUITES = ("numpy", "jax", "torch")
BACKENDS = ("numpy", "torch")
#: What is counted. `listed` fail for a listed reason; `wrong` are not as listed, failures and passes.
COLUMNS = ("passed", "listed", "wrong", "out", "skipped")
#: How much of its tests a process has run, at the end of a line.
SHARE = re.compile(r"\[ *(\d+)%\]$")
UNKNOWN = 60.0


class Suite(NamedTuple):
    """A framework's own tests.

    Attributes
    ----------
    name: the framework's.
    version: gives the version that is installed.
    parts: gives the names of the parts that it is run in.
    command: gives what Python is to run, for a part, a backend and the file to write the report to. The report is JSON,
        the fields of `Report`. Lines that end with ``[ 42%]`` say how far it is.
    files: the files of the suite's own, beside this one, on which the outcome depends.
    missing: gives why the tests are not on this machine, and how to get them; empty where they are.
    """

    name: str
    version: Callable[[], str]
    parts: Callable[[], list[str]]
    command: Callable[[str, str, Path], list[str]]
    files: tuple[str, ...]
    missing: Callable[[], str] = lambda: ""


class Report(NamedTuple):
    """What a part came to: the tests by outcome. The name of a test begins with that of its part and ``::``."""

    passed: list[str]
    failed: dict[str, str]
    out: dict[str, str]
    skipped: list[str]


class Listed(NamedTuple):
    """Tests that fail for a reason: their name, where ``*`` stands for anything, and the backend, empty for all."""

    test: str
    backend: str
    reason: str

    @property
    def somewhere(self) -> bool:
        """Whether they fail on some processors, and pass on others."""
        return self.reason.startswith("On some processors")

    def holds(self, test: str) -> bool:
        """Whether it is about a test."""
        return bool(re.fullmatch(".*".join(map(re.escape, self.test.split("*"))), test, re.DOTALL))


class Verdict(NamedTuple):
    """A report beside the list: what is as listed, what is not, and what the list has that was not run."""

    listed: dict[str, str]
    new: dict[str, str]
    passing: list[str]
    stale: list[str]

    @property
    def wrong(self) -> int:
        """How much is not as listed."""
        return len(self.new) + len(self.passing) + len(self.stale)


def suite_named(name: str) -> Suite:
    """A suite, by its name."""
    found: Suite = importlib.import_module(f"upstream_{name}").SUITE
    return found


def listed(suite: str, folder: Path = EXPECTED) -> list[Listed]:
    """What is known to fail: a heading is the reason, below it a line for each test, ``torch: ...`` of one backend.

    What is listed below "On some processors ..." may pass as well.
    """
    rows, reason = [], ""
    path = folder / f"{suite}.txt"
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            reason = line.strip().removesuffix(":")
            continue
        backend, colon, test = line.strip().partition(": ")
        rows.append(Listed(test, backend, reason) if colon else Listed(line.strip(), "", reason))
    return rows


def judge(report: Report, rows: Iterable[Listed], part: str, backend: str) -> Verdict:
    """What is as listed, and what is not."""
    mine = [r for r in rows if r.test.startswith(f"{part}::") and r.backend in ("", backend)]
    exact = {r.test: r for r in mine if "*" not in r.test}
    patterns = [r for r in mine if "*" in r.test]

    def row(test: str) -> Listed | None:
        return exact.get(test) or next((r for r in patterns if r.holds(test)), None)

    failing = {test: row(test) for test in report.failed}
    passing = [test for test in report.passed if (r := row(test)) is not None and not r.somewhere]
    met = {r.test for r in failing.values() if r} | {r.test for test in report.passed if (r := row(test))}
    met |= {r.test for r in mine if any(r.holds(test) for test in (*report.out, *report.skipped))}
    return Verdict(
        listed={test: r.reason for test, r in failing.items() if r},
        new={test: report.failed[test] for test, r in failing.items() if r is None},
        passing=passing,
        stale=[r.test for r in mine if r.test not in met],
    )


def beside(report: Report, first: Report) -> Report:
    """A report on a backend beside that on the first one: what passes there needs nothing that is out."""
    passed = {*first.passed}
    failed = {test: f"passes on {BACKENDS[0]}; {why}" for test, why in report.out.items() if test in passed}
    return report._replace(
        failed=report.failed | failed, out={test: why for test, why in report.out.items() if test not in failed}
    )


def counted(report: Report, verdict: Verdict) -> Counter[str]:
    """The figures of a part."""
    return Counter(
        passed=len(report.passed), listed=len(verdict.listed), wrong=verdict.wrong, out=len(report.out),
        skipped=len(report.skipped),
    )  # fmt: skip


# --- running --------------------------------------------------------------------------------------------------------


def fingerprint(suite: Suite) -> str:
    """What the outcome depends on: our sources, the suite's files, the versions of the framework and of Python."""
    found = hashlib.sha256(f"{suite.version()} {sys.version}".encode())
    beside = [Path(__file__).parent / name for name in suite.files]
    for path in [*sorted((ROOT / "src").rglob("*.py")), *beside]:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def run(suite: Suite, part: str, backend: str, at: Callable[[float], None] = lambda share: None) -> Report:
    """Run a part in a process of its own.

    Parameters
    ----------
    at: is called with the share of the part that is done, from 0 to 1.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        search = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        environment = {"CUDA_VISIBLE_DEVICES": "-1", "OMP_NUM_THREADS": "1", **os.environ}
        environment |= {"PYTHONPATH": os.pathsep.join(filter(None, search))}
        printed = []
        with subprocess.Popen(
            [sys.executable, *suite.command(part, backend, path)],
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for line in process.stdout:
                printed.append(line)
                if found := SHARE.search(line.rstrip()):
                    at(int(found[1]) / 100)
        if not path.exists():
            raise RuntimeError(f"{suite.name} {part} on {backend} did not run:\n{''.join(printed)[-3000:]}")
        return Report(**json.loads(path.read_text(encoding="utf-8")))


class Part:
    """One part of a suite on a backend, with what is kept of it."""

    def __init__(self, suite: Suite, name: str, backend: str, mark: str) -> None:
        self.suite, self.name, self.backend, self.mark = suite, name, backend, mark
        self.path = KEPT / suite.name / backend / f"{name}.json"
        self.kept = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}

    @property
    def done(self) -> bool:
        """Whether it was run on what is there now."""
        return bool(self.kept.get("of") == self.mark)

    @property
    def seconds(self) -> float:
        """How long it took the last time."""
        return float(self.kept.get("seconds", UNKNOWN))

    @property
    def report(self) -> Report:
        """What it came to, beside what is kept of the first backend."""
        report = Report(**self.kept["report"])
        if self.backend == BACKENDS[0]:
            return report
        first = Part(self.suite, self.name, BACKENDS[0], self.mark)
        return beside(report, first.report) if first.kept else report

    def run(self, at: Callable[[float], None]) -> None:
        """Run it, and keep what it came to."""
        start = time.perf_counter()
        report = run(self.suite, self.name, self.backend, at)
        self.kept = {
            "of": self.mark, "version": self.suite.version(), "when": time.strftime("%Y-%m-%d %H:%M"),
            "seconds": round(time.perf_counter() - start, 1), "report": report._asdict(),
        }  # fmt: skip
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.kept, indent=1), encoding="utf-8")


def run_all(parts: list[Part], jobs: int) -> None:
    """Run parts, some at a time, with a bar in a terminal."""
    from latticework.cli.output import bar

    shares: dict[Part, float] = {}
    with (
        bar("Upstream", sum(p.seconds for p in parts), counted=False) as show,
        ThreadPoolExecutor(jobs) as pool,
    ):
        weights = {part: part.seconds for part in parts}  # as they were: a part that ends is given another

        def at(part: Part, share: float) -> None:
            shares[part] = share
            going = [f"{p.name} on {p.backend}" for p, s in [*shares.items()] if s < 1]
            show(sum(weights[p] * s for p, s in [*shares.items()]), ", ".join(going))

        def one(part: Part) -> None:
            at(part, 0.0)
            part.run(lambda share: at(part, min(share, 0.99)))
            at(part, 1.0)

        longest = sorted(parts, key=lambda p: -p.seconds)
        for ended in [pool.submit(one, part) for part in longest]:
            ended.result()


# --- printing -------------------------------------------------------------------------------------------------------


def chosen(suite: Suite, wanted: list[str]) -> list[str]:
    """The parts whose name is wanted, or begins with what is wanted; all, where nothing is."""
    parts = suite.parts()
    found = [p for p in parts if not wanted or any(p == w or p.startswith(f"{w}.") for w in wanted)]
    if not found:
        sys.exit(f"upstream: {suite.name} has no part {', '.join(wanted)}. Its parts: {', '.join(parts)}")
    return found


def there(wanted: list[str] | None) -> list[str]:
    """The suites to run. One whose tests are not there ends the run if it was named, and is left out otherwise."""
    missing = {name: why for name in wanted or SUITES if (why := suite_named(name).missing())}
    if wanted and missing:
        sys.exit("upstream: " + "\n".join(missing.values()))
    for why in missing.values():
        print(f"left out: {why}")
    return [name for name in wanted or SUITES if name not in missing]


def tell(part: Part, verdict: Verdict, most: int) -> None:
    """Print what is not as listed."""
    if verdict.wrong:
        print(f"\n{part.suite.name} {part.name} on {part.backend}:")
    for test, message in [*verdict.new.items()][:most]:
        print(f"  fails, not listed: {test}\n      {message}")
    for test in verdict.passing[:most]:
        print(f"  listed, and passes: {test}")
    for test in verdict.stale[:most]:
        print(f"  listed, and there is no such test: {test}")


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", nargs="+", choices=SUITES, help="all that are there, where none is named")
    parser.add_argument("--jax-tests", metavar="PATH", help="the folder of JAX's tests, which its wheel does not have")
    parser.add_argument("--backend", nargs="+", default=[*BACKENDS])
    parser.add_argument("--parts", nargs="+", default=[], help="names of parts, or how they begin: fft, linalg")
    parser.add_argument("--again", action="store_true", help="run also what was run on what is there now")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes at a time")
    parser.add_argument("--most", type=int, default=40, help="how much to print of what is not as listed, for a part")
    parser.add_argument("--out", action="store_true", help="print why tests are out, with how many each")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run the suites; 0 where all is as listed."""
    options = parse(arguments)
    if options.jax_tests:
        os.environ["LATTICEWORK_JAX_TESTS"] = options.jax_tests
    options.suite = there(options.suite)
    parts: list[Part] = []
    for name in options.suite:
        suite = suite_named(name)
        mark = fingerprint(suite)
        names = chosen(suite, options.parts)
        parts += [Part(suite, part, backend, mark) for backend in options.backend for part in names]
    run_all([p for p in parts if options.again or not p.done], options.jobs)
    rows = {name: listed(name) for name in options.suite}
    figures: dict[tuple[str, str], Counter[str]] = {}
    why: Counter[str] = Counter()
    for part in parts:
        verdict = judge(part.report, rows[part.suite.name], part.name, part.backend)
        tell(part, verdict, options.most)
        figures.setdefault((part.suite.name, part.backend), Counter()).update(counted(part.report, verdict))
        why.update(part.report.out.values())
    if options.out:
        print(*[f"{count:6} {reason}" for reason, count in why.most_common()], sep="\n")
    print(
        "\n| suite | backend | passed | fail as listed | not as listed | out | skipped |\n|---|---|--:|--:|--:|--:|--:|"
    )
    for (name, backend), counts in figures.items():
        cells = " | ".join(f"{counts[c]:,}" for c in COLUMNS)
        print(f"| {name} {suite_named(name).version()} | {backend} | {cells} |")
    return 1 if any(counts["wrong"] for counts in figures.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
