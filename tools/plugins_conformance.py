"""Run the array API's public suite on the packages in plugins/, and on the libraries themselves beside them.

``tools/plugins.py --conformance SUITE`` does it, in the environment of each package. The library itself is the
namespace that array-api-compat gives for an array of it: its own wrapper where it has one, and else the library's as it
is.
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


def run(name: str, suite: Path, examples: int) -> None:
    """Run the suite on a package's backend and on its library, and record the counts."""
    python = plugins.environment(name)
    plugins.install(python, "-r", str(suite / "requirements.txt"), "array-api-compat")
    probe = f'import latticework as lw; lw.asarray(1.0, backend="{name}")'
    if subprocess.run([str(python), "-c", probe], capture_output=True, check=False).returncode:
        print(f"{name}: the backend cannot be used here")
        return
    wrapper = subprocess.run(
        [str(python), "-c", f"{ITSELF.format(name)}; print(xp.__name__, array_api_compat.__version__)"],
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    counted: dict[str, Any] = {"examples": examples, "namespace": wrapper[0], "array-api-compat": wrapper[1]}
    for who, text in {"latticework": conformance.WRAPPED, "itself": ITSELF}.items():
        start = time.perf_counter()
        counts, failures = conformance.run_on(suite, text.format(name), SEED, examples, STANDARD, python=str(python))
        counted[who] = dict(counts)
        print(f"{name}, {who}: {dict(counts)} in {time.perf_counter() - start:.0f} s", flush=True)
        if who == "latticework":
            counted["failures"] = dict(sorted(failures.items()))
    found = plugins.record()
    found["packages"].setdefault(name, {})["conformance"] = counted
    plugins.save(found)
