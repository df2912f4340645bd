"""Run SciPy's, scikit-learn's and array-api-extra's own array-API tests on latticework; print counts and failures.

    make clients
    python tools/clients.py --package scipy --backend numpy torch --tests stats

The tests run on array-api-strict first. A failure that it has too is the test's own, or the machine's; the others are
listed, but for those that `clients_plugin.EXPECTED` gives a reason for. Everything is done in the environment of the
Python that runs this; `make clients` makes one.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from clients_plugin import MARK

HERE = Path(__file__).parent
BASELINE = "array_api_strict"
PACKAGES = ("scipy", "sklearn", "array-api-extra")
#: What is counted. `new` are the failures that array-api-strict does not have.
COLUMNS = ("passed", "failed", "new", "expected", "skipped")

#: Where SciPy has tests of the standard: a folder of its own each.
SCIPY = (
    "_lib", "cluster", "constants", "differentiate", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize",
    "signal", "spatial", "special", "stats",
)  # fmt: skip


def command(package: str, tests: list[str], folder: Path) -> list[str]:
    """What pytest is given to select the array-API tests of a package."""
    if package == "scipy":
        return ["-m", "array_api_backends", "--pyargs", *(f"scipy.{name}" for name in tests or SCIPY)]
    if package == "sklearn":
        return ["-k", "array_api", "--pyargs", *([f"sklearn.{name}" for name in tests] or ["sklearn"])]
    found = [str(folder / "tests" / "main" / f"test_{name}.py") for name in tests]
    return ["-k", "array_api_strict and not strictest", *(found or [str(folder / "tests" / "main")])]


def source(package: str, folder: Path) -> None:
    """Unpack the source distribution of a package, of the version that is installed: its wheel has no tests."""
    wanted = f"{package}=={version(package)}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-binary", package, "--dest", str(folder), wanted], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        content.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    for path in unpacked.iterdir():
        path.rename(folder / path.name)


def read(report: ET.Element) -> tuple[Counter[str], dict[str, str]]:
    """Count the outcomes in a report that pytest wrote, and take the message of each failure."""
    counts: Counter[str] = Counter()
    failures = {}
    for case in report.iter("testcase"):
        failed = next((part for part in case if part.tag in ("failure", "error")), None)
        skipped = case.find("skipped")
        if failed is not None:
            name = f"{case.get('classname')}::{case.get('name')}"
            failures[name] = re.sub(r"\s+", " ", failed.get("message") or "")[:160]
            counts["failed"] += 1
        elif skipped is not None:
            counts["expected" if (skipped.get("message") or "").startswith(MARK) else "skipped"] += 1
        else:
            counts["passed"] += 1
    return counts, failures


def run(
    package: str, namespace: str, options: argparse.Namespace, sources: Path
) -> tuple[Counter[str], dict[str, str]]:
    """One run: how many tests had each outcome, and the message of each that failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        environment = os.environ | {
            "SCIPY_ARRAY_API": '["array_api_strict"]' if package == "scipy" else "1",
            "LATTICEWORK_CLIENTS_PACKAGE": package,
            "LATTICEWORK_CLIENTS_BACKEND": "" if namespace == BASELINE else namespace,
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")])),
        }
        pytest = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
        pytest += [] if package == "array-api-extra" else ["-W", "ignore"]  # whose tests are of warnings too
        pytest += ["--continue-on-collection-errors", "-p", "clients_plugin", f"--junitxml={report}"]
        finished = subprocess.run(
            [*pytest, *options.pytest, *command(package, options.tests, sources / package)],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not report.exists():
            sys.exit(f"{package}'s tests did not run:\n{(finished.stdout + finished.stderr)[-3000:]}")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{package}-{namespace}.txt").write_text(finished.stdout + finished.stderr)
        return read(ET.parse(report).getroot())


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", nargs="+", choices=PACKAGES, default=[*PACKAGES])
    parser.add_argument("--backend", nargs="+", default=["numpy", "torch"])
    parser.add_argument("--tests", nargs="+", default=[], help="subpackages, as stats; all, if left out")
    parser.add_argument("--no-baseline", action="store_true", help="do not run the tests on array-api-strict")
    parser.add_argument("--keep", type=Path, help="a folder for what pytest prints")
    parser.add_argument("--pytest", nargs="+", default=[], help="more arguments for pytest")
    options = parser.parse_args(arguments)
    options.keep = options.keep and options.keep.absolute()
    return options


def progress(text: str) -> None:
    """Say what runs now, in a terminal alone: the next line is written over it."""
    if sys.stdout.isatty():
        print(text, end="\r", flush=True)


def title(package: str, namespace: str) -> str:
    """What runs: the package with its version, and the namespace."""
    return f"{package} {version('scikit-learn' if package == 'sklearn' else package)} on {namespace}"


def measure(package: str, options: argparse.Namespace, sources: Path) -> list[tuple[str, Counter[str]]]:
    """Run a package's tests on each namespace, and count: `new` is what failed there and not on array-api-strict."""
    rows = []
    theirs: set[str] = set()
    for namespace in [*([] if options.no_baseline else [BASELINE]), *options.backend]:
        progress(f"{title(package, namespace)} ...")
        start = time.perf_counter()
        counts, failures = run(package, namespace, options, sources)
        if namespace == BASELINE:
            theirs = set(failures)
        new = sorted(failures.keys() - theirs)
        counts["new"] = len(new)
        seconds = time.perf_counter() - start
        print(f"{title(package, namespace)}: {', '.join(f'{counts[c]} {c}' for c in COLUMNS)} in {seconds:.0f} s")
        if namespace != BASELINE:
            print(*[f"  {name}\n      {failures[name]}" for name in new], sep="\n", end="\n" if new else "")
        rows.append((namespace, counts))
    return rows


def main(arguments: list[str]) -> int:
    """Run every package on every backend; 0 where nothing failed that passes on array-api-strict."""
    options = parse(arguments)
    lines, bad = [], 0
    with tempfile.TemporaryDirectory() as sources:
        for package in options.package:
            if package == "array-api-extra":
                (Path(sources) / package).mkdir()
                source(package, Path(sources) / package)
            for namespace, counts in measure(package, options, Path(sources)):
                bad += 0 if namespace == BASELINE else counts["new"]
                lines.append(f"| {package} | {namespace} | {' | '.join(str(counts[c]) for c in COLUMNS)} |")
    print("\n| package | namespace | passed | failed | failed here alone | failed as expected | skipped |")
    print("|---|---|--:|--:|--:|--:|--:|")
    print(*lines, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
