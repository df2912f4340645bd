"""NumPy's backend where SciPy is not installed: the chapters that it computes by SciPy otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHAPTERS = (
    "convolution fft gradients linalg_beyond nn numerical polynomials pooling random resampling signal special superset"
)
#: Without SciPy there is no Schur decomposition, an error says so; and compositions are more calls.
OTHERWISE = "not test_schur and not few_calls and not norm_is_one"


@pytest.mark.sweep
def test_numpy_computes_what_scipy_would() -> None:
    tests = Path(__file__).parent
    files = [str(tests / f"test_{name}.py") for name in CHAPTERS.split()]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "without_scipy", "-k", OTHERWISE, *files]
    path = os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])
    here = {**os.environ, "PYTHONPATH": path, "LATTICEWORK_TEST_BACKENDS": "numpy"}
    run = subprocess.run(command, check=False, cwd=tests.parent, env=here, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
