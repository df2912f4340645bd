"""One parameter chooses the backends: LATTICEWORK_TEST_BACKENDS=numpy,torch (all that are installed by default)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import pytest

import latticework as lw

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is first imported, by whichever test
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

CHOSEN = os.environ.get("LATTICEWORK_TEST_BACKENDS", "")
BACKENDS = CHOSEN.split(",") if CHOSEN else [b.name for b in lw.backends() if b.installed]

if any(b.name == "jax" and b.installed for b in lw.backends()):
    with lw.using(backend="jax"):  # turns on its 64-bit switch, for the tests that go through all backends
        pass


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        marked = [pytest.param(b, marks=pytest.mark.backend) for b in BACKENDS]
        metafunc.parametrize("backend", marked, indirect=True)


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a backend, which is the current one during the test. NumPy's floating point warnings are off:
    they are NumPy's own, and the same call on another backend has none."""
    import numpy as np

    if request.param == "torch":
        import torch

        torch.set_num_threads(1)
    with _settings(request.param), np.errstate(all="ignore"), lw.using(backend=request.param):
        yield request.param


def _settings(backend: str) -> AbstractContextManager[object]:
    """Dask computes in this thread: its others know nothing of the floating point warnings that are off here."""
    if backend != "dask":
        return nullcontext()
    import dask

    return dask.config.set(scheduler="synchronous")
