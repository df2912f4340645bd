"""Run the array API's public suite, data-apis/array-api-tests, on a backend."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["run"]


def run(suite: str, backend: str) -> int:
    """Run the suite in a checkout of it, with its submodule, and return pytest's exit code.

    Parameters
    ----------
    suite: the folder of the checkout. Its requirements, pytest and hypothesis among them, have to be installed.
    backend: the backend's name.

    Raises
    ------
    FileNotFoundError: there is no suite in that folder.
    """
    folder = Path(suite) / "array_api_tests"
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{suite} is no checkout of data-apis/array-api-tests: it has no folder array_api_tests"
        )
    environment = os.environ | {
        "ARRAY_API_TESTS_MODULE": f"exec('import latticework as xp; xp.set_backend(\"{backend}\")')",
        "ARRAY_API_TESTS_VERSION": "2025.12",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "--disable-deadline", "--max-examples=20"]
    return subprocess.run([*command, "array_api_tests"], cwd=suite, env=environment, check=False).returncode
