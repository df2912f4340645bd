"""Run the tests, one process per backend and two at a time, and report the coverage of them all together.

The first backend's process runs the tests that need no backend and the examples in the docstrings as well.
Arguments are handed on to pytest: ``python tools/run_tests.py -k promotion``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTHING_SELECTED = 5  # pytest's exit code where -k or -m leave no test to this backend
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
CLOSING = re.compile(r"^(=+ )?(\d+ (passed|failed|error|skipped|deselected)|no tests ran).* in [\d.]+s")


def run(backend: str, selection: list[str], data: str) -> tuple[int, str]:
    """Run pytest for one backend, its lines marked with the backend's name; the exit code and the closing line."""
    environment = os.environ | dict.fromkeys(THREADS, "1")
    environment |= {"LATTICEWORK_TEST_BACKENDS": backend, "COVERAGE_FILE": data, "COVERAGE_CORE": "sysmon"}
    if sys.version_info < (3, 12):
        del environment["COVERAGE_CORE"]
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", *selection]
    closing = ""
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if CLOSING.match(line):
                closing = line.rstrip()
            else:
                print(f"{backend:<6}| {line}", end="", flush=True)
    return process.returncode, closing


def main(arguments: list[str]) -> int:
    """Run all the processes; 0 where all passed."""
    import latticework as lw

    backends = [b.name for b in lw.backends() if b.installed]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        data = str(Path(folder) / "coverage")
        selections = [arguments, *([["-m", "backend", "-o", "testpaths=tests", *arguments]] * (len(backends) - 1))]
        results = list(pool.map(run, backends, selections, [data] * len(backends)))
        report = [sys.executable, "-m", "coverage"]
        environment = os.environ | {"COVERAGE_FILE": data}
        subprocess.run([*report, "combine", "--quiet"], cwd=ROOT, env=environment, check=False)
        subprocess.run([*report, "report"], cwd=ROOT, env=environment, check=False)
    for backend, (_, closing) in zip(backends, results, strict=True):
        print(f"\n{backend}\n{closing}")
    codes = {code for code, _ in results} - {NOTHING_SELECTED}
    return 0 if codes == {0} else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
