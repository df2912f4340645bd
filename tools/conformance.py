"""Run the public Array API conformance suite on the installed backends; print what fails and the counts.

The suite is data-apis/array-api-tests with its submodule array-api, in a checkout of yours:

    make conformance SUITE=path/to/array-api-tests
    python tools/conformance.py --suite path --backend torch --seed 0 1 2 --examples 20 --tests test_linalg.py
    python tools/conformance.py --suite path --native

Hypothesis chooses the examples, so a failure may show on one seed and not on another: look at several. Failing
examples are not shrunk, which changes no verdict and saves most of the time.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

#: What gives the suite the namespace to test, as `xp`: of our arrays, or of the framework's own.
WRAPPED = 'import latticework as xp; xp.set_backend("{}")'
NATIVE = 'import latticework as lw; lw.set_backend("{0}"); xp = lw.array_namespace("{0}")'

#: A pytest plugin: the suite's own Hypothesis profile, without the phases that only look for smaller examples.
NO_SHRINKING = """
import pytest
from hypothesis import Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    settings.register_profile("no-shrinking", settings.get_profile("array-api-tests"), phases=phases)
    settings.load_profile("no-shrinking")
"""

#: A pytest plugin: no test takes longer than so many seconds of the processor, which other programs do not change.
LIMITED = """
import signal
import pytest


class Stopped(BaseException):
    pass


def _stop(number, frame):
    raise Stopped("{0} seconds of the processor")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, {0}, 1)  # again and again: in a finalizer the error is passed over
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
"""

#: A pytest plugin: special cases of complex numbers are skipped where there are none.
REAL = """
import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        case = getattr(item, "callspec", None) and item.callspec.params.get("case")
        if getattr(case, "is_complex", False):
            item.add_marker(pytest.mark.skip(reason="no complex dtypes"))
"""
#: Where the suite takes for granted that there is a complex dtype, and what stands there where there is none.
COMPLEX, NO_COMPLEX = "[(dt, dtype_nbits[dt]) for dt in complex_dtypes]", "[(real_float_dtypes[-1], 0)]"


def run(suite: Path, backend: str, seed: int, options: argparse.Namespace) -> tuple[Counter[str], dict[str, str]]:
    """One run on a backend: how many tests had each outcome, and the message of each that failed."""
    text = (NATIVE if options.native else WRAPPED).format(backend)
    return run_on(suite, text, seed, options.examples, options.version, options.tests)


def run_on(
    suite: Path,
    text: str,
    seed: int,
    examples: int,
    standard: str,
    tests: Sequence[str] = (),
    python: str = sys.executable,
    limit: int = 0,
    without: Sequence[str] = (),
) -> tuple[Counter[str], dict[str, str]]:
    """One run on a namespace: how many tests had each outcome, and the message of each that failed.

    Parameters
    ----------
    suite: the checkout.
    text: Python that names the namespace `xp`, without single quotes.
    seed, examples: of Hypothesis.
    standard: the version of the standard.
    tests: names of files; all of them by default.
    python: the Python of the environment that the namespace is in.
    limit: a test is stopped after so many seconds of the processor; 0 is no limit.
    without: dtypes that are not tested. The suite cannot be loaded where both complex dtypes are among them: a copy is
        run in which the one line that needs a complex dtype is changed.
    """
    with tempfile.TemporaryDirectory() as folder:
        plugins = {"no_shrinking": NO_SHRINKING}
        if limit:
            plugins["limited"] = LIMITED.format(limit)
        if {"complex64", "complex128"} <= {*without}:
            plugins["real"] = REAL
            suite = shutil.copytree(suite, Path(folder) / "suite", ignore=shutil.ignore_patterns(".git"))
            helpers = suite / "array_api_tests" / "dtype_helpers.py"
            helpers.write_text(helpers.read_text(encoding="utf-8").replace(COMPLEX, NO_COMPLEX), encoding="utf-8")
        for name, source in plugins.items():
            (Path(folder) / f"{name}.py").write_text(source)
        report = Path(folder) / "report.xml"
        environment = os.environ | {
            "ARRAY_API_TESTS_MODULE": f"exec('{text}')",
            "ARRAY_API_TESTS_VERSION": standard,
            "ARRAY_API_TESTS_SKIP_DTYPES": ",".join(without),
            "HYPOTHESIS_STORAGE_DIRECTORY": folder,
            "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")])),
        }
        command = [python, "-m", "pytest", "-q", "--tb=short", "-W", "ignore", "-p", "no:cacheprovider"]
        command += ["--continue-on-collection-errors", *(f"-p{name}" for name in plugins), f"--junitxml={report}"]
        command += ["--disable-deadline", f"--max-examples={examples}", f"--hypothesis-seed={seed}"]
        command += [f"array_api_tests/{name}" for name in tests] or ["array_api_tests"]
        finished = subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True, check=False)
        if not report.exists():
            sys.exit(f"The suite did not run:\n{(finished.stdout + finished.stderr)[-3000:]}")
        return read(ET.parse(report).getroot())


def read(report: ET.Element) -> tuple[Counter[str], dict[str, str]]:
    """The outcomes in a report that pytest wrote."""
    counts: Counter[str] = Counter(passed=0, failed=0, skipped=0)
    failures = {}
    for case in report.iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
        failed = next((part for part in case if part.tag in ("failure", "error")), None)
        if failed is not None and (failed.get("message") or "").startswith("limited.Stopped"):
            counts["stopped"] += 1
        elif failed is not None:
            counts["failed"] += 1
            failures[name] = re.sub(r"\s+", " ", failed.get("message") or "")[:160]
        elif case.find("skipped") is not None:
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    return counts, failures


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help="a checkout of data-apis/array-api-tests")
    parser.add_argument("--backend", nargs="+", default=[], help="those that are installed, if left out")
    parser.add_argument("--native", action="store_true", help="the namespaces over the frameworks' own arrays")
    parser.add_argument("--seed", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--examples", type=int, default=20, help="Hypothesis examples for each test")
    parser.add_argument("--version", default="2025.12", help="of the standard")
    parser.add_argument("--tests", nargs="+", default=[], help="files, as test_linalg.py; all, if left out")
    options = parser.parse_args(arguments)
    if not (options.suite / "array_api_tests").is_dir():
        parser.error(f"{options.suite} is no checkout of array-api-tests: it has no folder array_api_tests")
    if not (options.suite / "array-api" / "src").is_dir():
        parser.error(f"{options.suite}/array-api is empty: git submodule update --init")
    if missing := [m for m in ("hypothesis", "ndindex", "pytest_jsonreport") if find_spec(m) is None]:
        parser.error(f"the suite needs {', '.join(missing)}: pip install -r {options.suite}/requirements.txt")
    return options


def main(arguments: list[str]) -> int:
    """Run every backend on every seed; 0 where nothing failed."""
    import latticework as lw
    from latticework.cli.output import working

    options = parse(arguments)
    lines, failed = [], 0
    backends = options.backend or [b.name for b in lw.backends() if b.installed]
    with working("Running the suite", len(backends) * len(options.seed)) as step:
        for backend in backends:
            failing: dict[str, list[int]] = defaultdict(list)
            messages: dict[str, str] = {}
            for seed in options.seed:
                step(f"{backend}, seed {seed}")
                start = time.perf_counter()
                counts, failures = run(options.suite, backend, seed, options)
                shown = ", ".join(f"{n} {outcome}" for outcome, n in counts.items())
                print(f"{backend}, seed {seed}: {shown} in {time.perf_counter() - start:.0f} s", flush=True)
                lines.append(f"| {backend} | {seed} | {counts['passed']} | {counts['failed']} | {counts['skipped']} |")
                messages |= failures
                failed += len(failures)
                for name in failures:
                    failing[name].append(seed)
            for name, seeds in sorted(failing.items()):
                print(f"  {name}  (seed {', '.join(map(str, seeds))})\n      {messages[name]}")
    print("\n| backend | seed | passed | failed | skipped |\n|---|--:|--:|--:|--:|", *lines, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
