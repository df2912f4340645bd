"""Run the tests, two processes at a time: one for each backend, and one, ``core``, for what needs no backend. JAX and
`core` have two, with half of the files each: one would grow beyond 4 GB.

`core` is the promotion rules, the command line, the examples in docstrings and pages, and tests that go through all
the backends. Arguments are handed on to pytest: ``python tools/run_tests.py -k promotion``. With ``--lint`` the linters
run beside the tests. With ``--coverage`` it reports the coverage of all processes together, which takes half as long
again. In a terminal a bar shows how far all of it is, by how long each process took the last time.

On JAX, Dask and TensorFlow, where each case compiles a program or schedules a graph, a run without arguments takes the
share of the tests that the day has (`EACH_DAY` in tests/conftest.py): after four days all have run. So it does with the
cases of tests that have the mark `in_turn`.
LATTICEWORK_TEST_DAY=739217 repeats a day, and an empty one runs all. What takes longer than a day's tests may is run by
`sweep.py`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Lock, Timer
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
NOTHING_SELECTED = 5  # pytest's exit code where -k or -m leave no test to this backend
#: The longest first, so that none is left to run by itself in the end.
HEAVIEST_FIRST = ("core", "jax", "numpy", "torch", "dask", "tensorflow")
LINTERS = {
    "ruff": ("-m", "ruff", "check", "--quiet", "."),
    "format": ("-m", "ruff", "format", "--check", "--quiet", "."),
    "mypy": ("-m", "mypy"),
    "bodies": ("tools/check_bodies.py",),
    "stubtest": ("tools/stubtest.py", "--core"),
}

#: In how many processes the files of tests of one are run, where a single one would grow beyond 4 GB: JAX keeps what it
#: has compiled, and so do the frameworks that `core` goes through.
SHARES = {"jax": 2, "core": 2}

#: How many random calls and programs a sweep tries on a backend, and on one where each takes long.
FUZZED = {"fuzz.py": (20_000, 3_000), "programs.py": (4_000, 600), "stateful.py": (2_000, 200)}

THREADS = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS",
    "NPROC",  # what XLA goes by
)  # fmt: skip
#: Where it is not said otherwise: no look for GPUs, and none of TensorFlow's remarks on the machine.
DEFAULTS = {"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
#: What JAX takes long to compile is kept for the next process and the next run. Less would not repay the file.
KEPT_BY_JAX = {
    "JAX_COMPILATION_CACHE_DIR": str(ROOT / ".cache" / "jax"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.05",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}  # fmt: skip
#: Where modules are compiled to if they may not be beside their files: a process that imports all frameworks compiles
#: them for a minute, and there are a hundred.
BYTECODE = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / ".cache" / "bytecode")}
#: How much of its tests a process of pytest has run, at the end of a line.
SHARE = re.compile(r"\[ *(\d+)%\]$")
#: How many seconds each process took the last time, by which the bar weighs it; and what one is taken to last that was
#: not run before.
LASTED, UNKNOWN = ROOT / ".pytest_cache" / "run_tests.json", 60.0
#: What the closing line says where tests failed, and the mark of what else ends a process with a failure (budget.py).
FAILURES, REASON = re.compile(r"FAILED|failed|error"), "MORE THAN THE BUDGET"
CLOSING = re.compile(r"^(=+ )?(\d+ (passed|failed|error|skipped|deselected)|no tests ran).* in [\d.]+s")


class Job(NamedTuple):
    """A process to run: its name, and the arguments to Python."""

    name: str
    arguments: list[str]


class Run(NamedTuple):
    """What a process came to: its exit code, the closing line of pytest's, what it took, and what else it fails for."""

    name: str
    code: int
    closing: str
    wall: float
    processor: float
    reason: str = ""

    def __str__(self) -> str:
        taken = f"{self.wall / 60:.1f} min, {self.processor / 60:.1f} of processor time"
        said = self.closing.strip("= ") or ("passed" if self.code == 0 else "FAILED")
        if self.code not in (0, NOTHING_SELECTED) and not FAILURES.search(said):  # pytest's words have no reason then
            said = f"FAILED, exit code {self.code}: {self.reason or 'its own output says why'}; {said}"
        return f"{self.name:<10} {taken:<42} {said}"


def marks(name: str, sweep: bool) -> str:
    """Which tests a process runs, as an expression of pytest's marks. A sweep runs all tests of a backend: day by day
    they go through a part of their cases, by tests/cases.py."""
    own = "not backend" if name == "core" else "backend"
    if not sweep:
        return own
    return f"(sweep or shared) and {own}" if name == "core" else "backend or (sweep and backend)"


def costly(name: str) -> bool:
    """Whether each call on a backend takes long: a sweep tries fewer random ones there."""
    from latticework.backend.facts import all_facts

    return name in all_facts() and (all_facts()[name].compiles or all_facts()[name].lazy)


def tests(name: str, arguments: list[str], *, sweep: bool, measured: bool) -> Job:
    """The process of tests for one backend, or for what needs none; ``jax 1/2`` has the first half of the files."""
    process, _, share = name.partition(" ")
    coverage = ["-m", "coverage", "run"] if measured else []
    examples = process == "core" and not sweep and share[:1] in ("", "1")  # those in docstrings and pages
    paths = [] if examples else ["-o", "testpaths=tests"]
    return Job(name, [*coverage, "-m", "pytest", "-m", marks(process, sweep), *paths, *arguments])


def shares(name: str) -> list[str]:
    """The names of the processes that run the tests of a backend, or of what needs none."""
    of = SHARES.get(name, 1)
    return [name] if of == 1 else [f"{name} {i}/{of}" for i in range(1, of + 1)]


def random_tools(name: str) -> list[str]:
    """The tools that try random calls and programs in a process; two of them compare a backend with NumPy's."""
    return [] if name == "core" else ["stateful.py"] if name == "numpy" else [*FUZZED]


def fuzzed(name: str, tool: str) -> Job:
    """The process of random calls or programs on one backend; their seed is the date."""
    count = FUZZED[tool][costly(name)]
    seed = time.strftime("%Y%m%d")
    arguments = [f"tools/{tool}", "--backends", name, "--calls", str(count), "--seed", seed]
    return Job(f"{tool.removesuffix('.py')} {name}", arguments)


class Board:
    """How far all the processes are together, each weighed by how long it took the last time.

    Parameters
    ----------
    weights: how many seconds each process may take, by its name.
    show: is called with the seconds that are done, and with what is running.
    """

    def __init__(self, weights: dict[str, float], show: Callable[[float, str], None]) -> None:
        self.weights, self._show, self._lock = weights, show, Lock()
        self._done: dict[str, float] = {}

    def at(self, name: str, share: float) -> None:
        """Note that a process has done this share of its work, from 0 to 1."""
        with self._lock:
            self._done[name] = share
            running = ", ".join(f"{n} {share:.0%}" for n, share in self._done.items() if share < 1)
            self._show(sum(self.weights[n] * share for n, share in self._done.items()), running)


def lasted(names: list[str], kind: str) -> dict[str, float]:
    """How many seconds each process took the last time; what is usual for those that were not run before."""
    kept = json.loads(LASTED.read_text(encoding="utf-8")).get(kind, {}) if LASTED.exists() else {}
    known = [kept[name] for name in names if name in kept]
    return {name: kept.get(name, sum(known) / len(known) if known else UNKNOWN) for name in names}


def keep(runs: list[Run], kind: str) -> None:
    """Keep how long each process took, for the next time."""
    kept = json.loads(LASTED.read_text(encoding="utf-8")) if LASTED.exists() else {}
    kept[kind] = kept.get(kind, {}) | {r.name: round(r.wall, 1) for r in runs}
    LASTED.parent.mkdir(exist_ok=True)
    LASTED.write_text(json.dumps(kept, indent=1), encoding="utf-8")


def run(
    job: Job, environment: dict[str, str], at: Callable[[str, float], None] = lambda name, share: None,
    limit: float | None = None,
) -> Run:  # fmt: skip
    """Run a process, each line of its output marked with its name.

    Parameters
    ----------
    job: the process.
    environment: variables that it gets besides.
    at: is called with its name and the share of its tests that it has run.
    limit: the seconds after which it is ended; its exit code is negative then.
    """
    at(job.name, 0.0)
    process, _, share = job.name.partition(" ")
    backend = "numpy" if process == "core" else process  # which is read by tests alone, as the share is
    kept = KEPT_BY_JAX if process == "jax" else {}
    compiled = BYTECODE if os.environ.get("PYTHONDONTWRITEBYTECODE") else {}
    environment = DEFAULTS | kept | os.environ | compiled | dict.fromkeys(THREADS, "1") | environment
    environment |= {"LATTICEWORK_TEST_BACKENDS": backend, "LATTICEWORK_TEST_SHARE": share if "/" in share else "1/1"}
    closing, reason, start = "", "", time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *job.arguments],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        ending = Timer(limit or 0, process.terminate)
        if limit is not None:
            ending.start()
        for line in process.stdout:
            if CLOSING.match(line):
                closing = line.rstrip()
            else:
                print(f"{job.name:<10}| {line}", end="", flush=True)
                reason = " ".join(line.split()) if REASON in line else reason
                if found := SHARE.search(line.rstrip()):
                    at(job.name, min(int(found[1]) / 100, 0.99))
        ending.cancel()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    at(job.name, 1.0)
    wall, processor = time.perf_counter() - start, used.ru_utime + used.ru_stime
    return Run(job.name, process.returncode, closing, wall, processor, reason)


def main(arguments: list[str]) -> int:
    """Run all the processes; 0 where all passed."""
    import latticework as lw
    from latticework.cli.output import bar

    options = {"--coverage", "--lint"} & {*arguments}
    arguments = [a for a in arguments if a not in options]
    measured = "--coverage" in options
    installed = {"core", *(b.name for b in lw.backends() if b.installed)}
    names = [*(installed - {*HEAVIEST_FIRST}), *(name for name in HEAVIEST_FIRST if name in installed)]
    processes = [share for name in names for share in shares(name)]
    jobs = [tests(name, arguments, sweep=False, measured=measured) for name in processes]
    if "--lint" in options:
        jobs = [*(Job(name, [*command]) for name, command in LINTERS.items()), *jobs]  # tests read mypy's cache
    day = os.environ.get("LATTICEWORK_TEST_DAY", str(date.today().toordinal()))
    environment = {} if arguments or measured else {"LATTICEWORK_TEST_DAY": day}
    start = time.perf_counter()
    kind = " ".join(sorted(options - {"--lint"})) or "test"
    weights = lasted([job.name for job in jobs], kind)
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(2) as pool,
        bar("Testing", sum(weights.values()), counted=False) as show,
    ):
        board = Board(weights, show)
        if measured:
            environment |= {"COVERAGE_FILE": str(Path(folder) / "coverage")}
            environment |= {"COVERAGE_CORE": "sysmon"} if sys.version_info >= (3, 12) else {}
        runs = [*pool.map(lambda job: run(job, environment, board.at), jobs)]
        if not arguments:  # which may have chosen a few tests
            keep(runs, kind)
        if measured:
            report = [sys.executable, "-m", "coverage"]
            subprocess.run([*report, "combine", "--quiet"], cwd=ROOT, env=os.environ | environment, check=False)
            subprocess.run([*report, "report"], cwd=ROOT, env=os.environ | environment, check=False)
    print()
    print(*runs, sep="\n")
    if environment.get("LATTICEWORK_TEST_DAY"):
        print(f"On backends that compile or schedule, a share of the tests ran: LATTICEWORK_TEST_DAY={day}")
    print(f"{'together':<10} {(time.perf_counter() - start) / 60:.1f} min")
    failed = [r for r in runs if r.code not in ((0,) if r.name in LINTERS else (0, NOTHING_SELECTED))]
    ran = any(r.code == 0 for r in runs if r.name not in LINTERS)
    return 0 if ran and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
