"""One parameter chooses the backends: LATTICEWORK_TEST_BACKENDS=numpy,torch (all that are installed by default)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import pytest

import latticework as lw
from latticework.core import registry

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is first imported, by whichever test
for variable in "OMP_NUM MKL_NUM OPENBLAS_NUM TF_NUM_INTRAOP TF_NUM_INTEROP".split():
    os.environ.setdefault(f"{variable}_THREADS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

registry.load()  # tests go through all declarations

CHOSEN = os.environ.get("LATTICEWORK_TEST_BACKENDS", "")
BACKENDS = CHOSEN.split(",") if CHOSEN else [b.name for b in lw.backends() if b.installed]

#: XLA compiles every shape and dtype that is met here for once or twice: in half the time, to slower code.
QUICKLY = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_multi_thread_eigen=false"

if any(b.name == "jax" and b.installed for b in lw.backends()):
    before = os.environ.get("XLA_FLAGS")
    os.environ["XLA_FLAGS"] = before or QUICKLY
    with lw.using(backend="jax"):  # turns on its 64-bit switch, for the tests that go through all backends
        import jax

        jax.devices()  # reads the flags; what the tests start, and TensorFlow, shall not
    if before is None:
        del os.environ["XLA_FLAGS"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is marked as a sweep runs where it is asked for: -m sweep."""
    if "sweep" not in config.option.markexpr:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("sweep")])
        items[:] = [item for item in items if not item.get_closest_marker("sweep")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        marked = [pytest.param(b, marks=pytest.mark.backend) for b in BACKENDS]
        metafunc.parametrize("backend", marked, indirect=True)


#: rule set -> how many cells its tests compared with what its framework answered.
CELLS: dict[str, int] = {}


@pytest.fixture
def cell_counts() -> dict[str, int]:
    """What the summary at the end prints: see `pytest_terminal_summary`."""
    return CELLS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cells of promotion rules were compared; a cell that is wrong fails its test."""
    if CELLS:
        terminalreporter.section("cells compared with what the frameworks answer")
        for name, count in sorted(CELLS.items()):
            terminalreporter.line(f"{name:36} {count:9,}")
        terminalreporter.line(f"{'all':36} {sum(CELLS.values()):9,}")


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
