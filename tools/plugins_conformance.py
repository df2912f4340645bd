"""Run the array API's public suite on the packages in plugins/, and on the libraries themselves beside them.

``tools/plugins.py --conformance SUITE`` does it, in the environment of each package. The library itself is the
namespace that array-api-compat gives for an array of it: its own wrapper where it has one, and else the library's as it
is. A library whose arrays have no namespace is not run.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import conformance

import plugins

#: What gives the suite the namespace to test, as `xp`.
ITSELF = (
    "import array_api_compat, latticework; "
    'xp = array_api_compat.array_namespace(latticework.asarray(1.0, backend="{}").data)'
)
SEED, STANDARD = 0, "2025.12"


#: Prints the complex dtypes of the standard that a backend does not have.
WITHOUT = (
    "from latticework.backend import get; "
    'has = {{str(d) for d in get("{}").native_dtypes}}; print(*{{"complex64", "complex128"}} - has)'
)


def run(name: str, suite: Path, examples: int, limit: int = 0) -> None:
    """Run the suite on a package's backend and on its library, and record the counts.

    Parameters
    ----------
    name: of the package.
    suite: the checkout of the suite.
    examples: of each test.
    limit: a test is stopped after so many seconds of the processor; 0 is no limit.
    """
    python = plugins.environment(name)
    plugins.install(python, "-r", str(suite / "requirements.txt"), "array-api-compat")
    missing = _printed(python, WITHOUT.format(name))
    if missing is None:
        print(f"{name}: the backend cannot be used here")
        return
    without = sorted(missing) if len(missing) == 2 else []  # the suite itself skips one that is missing
    wrapper = _printed(python, f"{ITSELF.format(name)}; print(xp.__name__, array_api_compat.__version__)")
    counted: dict[str, Any] = {"examples": examples, "limit": limit, "without": without}
    texts = {"latticework": conformance.WRAPPED}
    if wrapper is not None:
        counted |= {"namespace": wrapper[0], "array-api-compat": wrapper[1]}
        texts["itself"] = ITSELF
    for who, text in texts.items():
        start = time.perf_counter()
        counts, failures = conformance.run_on(
            suite, text.format(name), SEED, examples, STANDARD, python=str(python), limit=limit, without=without
        )
        counted[who] = dict(counts)
        print(f"{name}, {who}: {dict(counts)} in {time.perf_counter() - start:.0f} s", flush=True)
        if who == "latticework":
            counted["failures"] = dict(sorted(failures.items()))
    found = plugins.record()
    found["packages"].setdefault(name, {})["conformance"] = counted
    plugins.save(found)


def _printed(python: Path, program: str) -> list[str] | None:
    """Return the words that a program prints, or None where it ends in an error."""
    done = subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=False)
    return None if done.returncode else done.stdout.split()
