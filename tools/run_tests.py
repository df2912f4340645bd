"""Run the tests, one process per backend and two at a time.

NumPy's process runs the tests that need no backend and the examples in the docstrings as well. Arguments are handed
on to pytest: ``python tools/run_tests.py -k promotion``. With ``--sweep`` it runs what takes long and is left out
otherwise. With ``--coverage`` it reports the coverage of all processes together, which takes half as long again.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
NOTHING_SELECTED = 5  # pytest's exit code where -k or -m leave no test to this backend
#: The longest first, so that none is left to run by itself in the end.
HEAVIEST_FIRST = ("jax", "dask", "numpy", "torch", "tensorflow")

THREADS = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS",
    "NPROC",  # what XLA goes by
)  # fmt: skip
#: Where it is not said otherwise: no look for GPUs, and none of TensorFlow's remarks on the machine.
DEFAULTS = {"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
CLOSING = re.compile(r"^(=+ )?(\d+ (passed|failed|error|skipped|deselected)|no tests ran).* in [\d.]+s")


class Run(NamedTuple):
    """What one backend's process came to: pytest's exit code and closing line, and what it took."""

    backend: str
    code: int
    closing: str
    wall: float
    processor: float

    def __str__(self) -> str:
        taken = f"{self.wall / 60:.1f} min, {self.processor / 60:.1f} of processor time"
        return f"{self.backend:<10} {taken:<42} {self.closing.strip('= ')}"


def selection(backend: str, arguments: list[str], sweep: bool) -> list[str]:
    """The arguments to pytest: everything but the other backends' tests for NumPy, its own for each of the others."""
    wanted = [*(["sweep"] if sweep else []), *(["backend"] if backend != "numpy" else [])]
    marks = ["-m", " and ".join(wanted)] if wanted else []
    return [*marks, *(["-o", "testpaths=tests"] if "backend" in wanted or sweep else []), *arguments]


def run(backend: str, arguments: list[str], coverage: str | None) -> Run:
    """Run pytest for one backend, its lines marked with the backend's name."""
    environment = DEFAULTS | os.environ | dict.fromkeys(THREADS, "1") | {"LATTICEWORK_TEST_BACKENDS": backend}
    command = [sys.executable, "-m", "pytest", *arguments]
    if coverage is not None:
        environment |= {"COVERAGE_FILE": coverage} | (
            {"COVERAGE_CORE": "sysmon"} if sys.version_info >= (3, 12) else {}
        )
        command[1:1] = ["-m", "coverage", "run"]
    closing, start = "", time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if CLOSING.match(line):
                closing = line.rstrip()
            else:
                print(f"{backend:<10}| {line}", end="", flush=True)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Run(backend, process.returncode, closing, time.perf_counter() - start, used.ru_utime + used.ru_stime)


def main(arguments: list[str]) -> int:
    """Run all the processes; 0 where all passed."""
    import latticework as lw

    sweep, measured = "--sweep" in arguments, "--coverage" in arguments
    arguments = [a for a in arguments if a not in ("--sweep", "--coverage")]
    installed = {b.name for b in lw.backends() if b.installed}
    order = [b for b in HEAVIEST_FIRST if b in installed]
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        data = str(Path(folder) / "coverage") if measured else None
        runs = [*pool.map(lambda b: run(b, selection(b, arguments, sweep), data), order)]
        if data is not None:
            report = [sys.executable, "-m", "coverage"]
            environment = os.environ | {"COVERAGE_FILE": data}
            subprocess.run([*report, "combine", "--quiet"], cwd=ROOT, env=environment, check=False)
            subprocess.run([*report, "report"], cwd=ROOT, env=environment, check=False)
    print()
    print(*runs, sep="\n")
    print(f"{'together':<10} {(time.perf_counter() - start) / 60:.1f} min")
    return 0 if {r.code for r in runs} - {NOTHING_SELECTED} == {0} else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
