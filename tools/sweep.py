"""Run what takes too long for every day, in parts that end within an hour each, and record when each last ran.

    make sweep                             # every part that has not passed on this source
    make sweep ARGS="--minutes 50"         # those that begin within 50 minutes; the next call goes on
    make sweep ARGS="--only jax dask"      # the parts of these processes
    make sweep ARGS="--show"               # what the record says; nothing runs

The processes are those of `run_tests.py`: one for each backend, and `core`. A part is one file of tests in one of
them, or a share of the tests of a file that takes longer. On JAX and Dask each test meets every dtype and shape, on the
others it is what the marks `sweep` and `shared` name. Besides there are random calls and programs (`fuzz.py`,
`programs.py`, `stateful.py`), others on each day, and the package. Several parts run in one process of pytest, which is
ended after an hour: what it has done is kept, and a file that takes too long is cut in two.

The record is `sweep.json`, beside this file. For each part it has the day, the source that ran (the first digits of
git's names of the folders src and tests, with a + where files were changed), the seconds, and how many tests passed and
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import run_tests
from run_tests import FUZZED, HEAVIEST_FIRST, NOTHING_SELECTED, ROOT, Job

RECORD = ROOT / "tools" / "sweep.json"
#: How many seconds the parts of one process of pytest may take together, by what they took last, and how many it gets.
PLANNED, LIMIT = 2_400.0, 3_600.0
#: pytest's exit code where tests could not be run, the first of several.
NOT_RUN = 2
#: What a part that never ran is taken to last.
UNKNOWN = 30.0


class Part(NamedTuple):
    """A part of the sweep.

    Attributes
    ----------
    process: the backend, or ``core``.
    what: the file of tests, or the tool.
    share, of: which share of the file's tests it is, from 1 on, and how many there are.
    """

    process: str
    what: str
    share: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.process} {self.what}" + (f" {self.share}/{self.of}" if self.of > 1 else "")


class Record:
    """What is known of each part, kept in a file that is written after each process."""

    def __init__(self, path: Path = RECORD) -> None:
        self.path, self._lock = path, Lock()
        self._of: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def __getitem__(self, part: Part) -> dict[str, Any]:
        return self._of.get(str(part), {})

    def parts(self, names: Iterable[str]) -> Iterator[Part]:
        """All parts of these processes: each file of tests, in as many shares as the record says, and the tools.

        A file that is about one backend, which has its name, is a part of that backend's process alone.
        """
        files = sorted(p.name for p in (ROOT / "tests").glob("test_*.py"))
        of_one = {f"test_{name}.py" for name in HEAVIEST_FIRST}
        for name in names:
            mine = [file for file in files if file not in of_one or file == f"test_{name}.py"]
            for what in [*mine, *run_tests.random_tools(name)]:
                of = self._of.get(f"{name} {what}", {}).get("shares", 1)
                yield from [Part(name, what, share + 1, of) for share in range(of)]
        yield Part("core", "check_package.py")

    def fresh(self, part: Part, source: str) -> bool:
        """Whether a part has passed on this source."""
        return self[part].get("source") == source and not self[part].get("failed")

    def seconds(self, part: Part) -> float:
        """How long a part is taken to last."""
        return float(self[part].get("seconds", UNKNOWN))

    def keep(self, found: dict[Part, dict[str, Any]], cut: Part | None = None) -> None:
        """Write what parts came to, and that one which took too long has twice as many shares from now on."""
        with self._lock:
            self._of |= {str(part): what for part, what in found.items()}
            if cut is not None:
                self._of[f"{cut.process} {cut.what}"] = {"shares": 2 * cut.of}
            lines = [f"{json.dumps(part)}: {json.dumps(what)}" for part, what in sorted(self._of.items())]
            self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def source() -> str:
    """Which source this is: git's names of the folders of the code and the tests, and whether files were changed."""
    names = [_git("rev-parse", "--short=10", f"HEAD:{folder}") for folder in ("src", "tests")]
    return "-".join(names) + ("+" if _git("status", "--porcelain", "src", "tests") else "")


def _git(*arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def batches(parts: list[Part], record: Record) -> Iterator[list[Part]]:
    """Parts that run in one process: files of one backend that take no longer than planned together."""
    files: dict[str, list[Part]] = {}
    for part in parts:
        if part.of > 1 or not part.what.startswith("test_"):
            yield [part]
        else:
            files.setdefault(part.process, []).append(part)
    for together in files.values():
        batch: list[Part] = []
        for part in together:
            if batch and sum(map(record.seconds, [*batch, part])) > PLANNED:
                yield batch
                batch = []
            batch.append(part)
        yield batch


def job(batch: list[Part]) -> Job:
    """The process that runs these parts."""
    part = batch[0]
    if part.what in FUZZED:
        return run_tests.fuzzed(part.process, part.what)
    if part.what == "check_package.py":
        return Job("package", ["tools/check_package.py"])
    files = [f"tests/{p.what}" for p in batch]
    return run_tests.tests(part.process, ["-p", "sweep_plugin", *files], sweep=True, measured=False)


def outcomes(log: Path, batch: list[Part], done: bool) -> tuple[dict[Part, dict[str, Any]], Part | None]:
    """What the lines of the plugin say of each part, and which one did not come to its end."""
    counts: dict[str, Counter[str]] = {}
    seconds: Counter[str] = Counter()
    last = ""
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        told = json.loads(line)
        if "file" in told:
            last = told["file"]
            if told.get("outcome"):
                counts.setdefault(last, Counter())[told["outcome"]] += 1
            seconds[last] += told.get("seconds", 0.0)
    found, cut = {}, None
    for part in batch:
        if part.what == last and not done:
            cut = part
            break  # those after it did not begin
        of = counts.get(part.what, Counter())
        found[part] = {"seconds": round(seconds[part.what], 1), "passed": of["passed"], "failed": of["failed"]}
        found[part] |= {"skipped": of["skipped"]} if of["skipped"] else {}
    return found, cut


def run(batch: list[Part], record: Record, on: str, began: float, minutes: float | None) -> bool:
    """Run parts and keep what they came to; whether none failed."""
    if minutes is not None and time.perf_counter() - began > 60 * minutes:
        return True
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        environment = {
            "LATTICEWORK_TEST_EXHAUSTIVE": "1",
            "LATTICEWORK_SWEEP_LOG": str(log),
            "LATTICEWORK_SWEEP_SHARE": f"{batch[0].share}/{batch[0].of}",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "tools"), os.environ.get("PYTHONPATH", "")])),
        }
        ran = run_tests.run(job(batch), environment, limit=LIMIT)
        ended = ran.code >= 0
        if batch[0].what.startswith("test_"):
            found, cut = (
                outcomes(log, batch, ended) if ran.code < NOT_RUN or ran.code == NOTHING_SELECTED else ({}, None)
            )
            well = ran.code in (0, NOTHING_SELECTED)
        else:
            found, cut = {batch[0]: {"seconds": round(ran.wall, 1), "failed": int(ran.code != 0)}}, None
            well = ran.code == 0
    today = {"day": time.strftime("%Y-%m-%d"), "source": on}
    record.keep({part: today | what for part, what in found.items()}, cut if cut and ran.wall > LIMIT / 2 else None)
    print(ran, flush=True)
    return well or not ended  # what was ended goes on in smaller parts


def show(parts: list[Part], record: Record, on: str) -> None:
    """Print a line for each process: its parts, how many have passed on this source, and what failed."""
    for name in dict.fromkeys(part.process for part in parts):
        own = [part for part in parts if part.process == name]
        ran = [part for part in own if record[part].get("day")]
        fresh = [part for part in own if record.fresh(part, on)]
        passed = sum(record[part].get("passed", 0) for part in ran)
        hours = sum(record[part]["seconds"] for part in ran) / 3600
        days = sorted({record[part]["day"] for part in ran}) or ["never"]
        print(
            f"{name:<10} {len(own)} parts, {len(ran)} ran ({days[0]} to {days[-1]}), {len(fresh)} on this source;",
            end="",
        )
        print(f" {passed:,} tests passed in {hours:.1f} h")
        for part in own:
            if record[part].get("failed"):
                print(f"    {part}: {record[part]['failed']} failed on {record[part]['day']}, {record[part]['source']}")


def main(arguments: list[str]) -> int:
    """Run the parts that have not passed on this source; 0 where none failed."""
    import latticework as lw

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="PROCESS", help="of these processes alone")
    parser.add_argument("--files", nargs="+", metavar="FILE", help="of these files of tests or tools alone")
    parser.add_argument("--minutes", type=float, help="begin no process after so many minutes")
    parser.add_argument("--processes", type=int, default=2, help="how many run at a time")
    parser.add_argument("--again", action="store_true", help="also what has passed on this source")
    parser.add_argument("--show", action="store_true", help="print the record, and run nothing")
    options = parser.parse_args(arguments)
    installed = {"core", *(b.name for b in lw.backends() if b.installed)}
    names = [name for name in HEAVIEST_FIRST if name in installed and name in (options.only or installed)]
    record, on, began = Record(), source(), time.perf_counter()
    parts = [p for p in record.parts(names) if p.process in names and p.what in (options.files or [p.what])]
    if options.show:
        show(parts, record, on)
        return 0
    due = [part for part in parts if options.again or not record.fresh(part, on)]
    due.sort(key=lambda part: record[part].get("day", ""))  # those first that ran longest ago, or never
    with ThreadPoolExecutor(options.processes) as pool:
        well = [*pool.map(lambda batch: run(batch, record, on, began, options.minutes), [*batches(due, record)])]
    print()
    show(parts, record, on)
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
