"""One parameter chooses the backends: LATTICEWORK_TEST_BACKENDS=numpy,torch (all that are installed by default).
Another is the device that new arrays are on: LATTICEWORK_TEST_DEVICE=cuda. A third is which share of the files runs:
LATTICEWORK_TEST_SHARE=1/2. A fourth is the day, whose share of the tests runs on backends where each takes long:
LATTICEWORK_TEST_DAY=739000, as `date.toordinal` counts.

Tests with the mark `backend` run once on each of these, or are about one of them alone; the others need no backend, or
go through those that are installed, and are one process of ``make test``: ``pytest -m "not backend"``.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, suppress
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import pytest
from budget import Budget
from cases import EXHAUSTIVE
from hypothesis import settings
from support import INSTALLED, Same, in_one_program, together

import latticework as lw
from latticework.backend import get
from latticework.core import registry

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is first imported, by whichever test
for variable in "OMP_NUM MKL_NUM OPENBLAS_NUM TF_NUM_INTRAOP TF_NUM_INTEROP".split():
    os.environ.setdefault(f"{variable}_THREADS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

# The examples that hypothesis draws are the same in each run, and others in each sweep.
settings.register_profile("tests", derandomize=not EXHAUSTIVE, print_blob=True)
settings.load_profile("tests")

registry.load()  # tests go through all declarations

TESTS = Path(__file__).parent
CHOSEN = os.environ.get("LATTICEWORK_TEST_BACKENDS", "")
BACKENDS = CHOSEN.split(",") if CHOSEN else INSTALLED

DEVICE = os.environ.get("LATTICEWORK_TEST_DEVICE")
SHARE, SHARES = map(int, os.environ.get("LATTICEWORK_TEST_SHARE", "1/1").split("/"))

#: The files of tests that are about one backend alone.
OF_ONE = {f"test_{name}.py": name for name in INSTALLED}
#: They import their framework: only a process of that backend looks at them. The backends of tests/plugins are for the
#: tests that ask for them: pytest puts the folder of what it looks at into `sys.path`, where all tests would find them.
collect_ignore = ["plugins", *[file for file, name in OF_ONE.items() if name not in BACKENDS]]

#: XLA compiles every shape and dtype that is met here for once or twice: in half the time, to slower code.
QUICKLY = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_multi_thread_eigen=false"


#: Files of tests that compare values: whether JAX computes them one by one or in a program is not what they are about.
OF_VALUES = {
    f"test_{file}.py"
    for file in """
        array
        averages
        backends
        clients
        convolution
        creation
        dtype_system
        elementwise
        elementwise_extended
        everyday
        fft
        histograms
        linalg
        linalg_beyond
        polynomials
        linear_algebra
        manipulation
        numpy_tail
        nan_functions
        numerical
        order_statistics
        random
        nn
        scatter
        scattering
        pooling
        resampling
        searching
        sets
        signal
        sorting
        special
        standard
        statistical
        storage_dtypes
        superset
        utility
    """.split()
}


def prepare_jax(budget: Budget) -> None:
    """Import JAX with flags that let it compile faster, and turn on its 64-bit switch for the tests that go through all
    backends. The flags are gone after that: what the tests start, and TensorFlow, shall not read them."""
    before = os.environ.get("XLA_FLAGS")
    os.environ["XLA_FLAGS"] = before or QUICKLY
    with lw.using(backend="jax"):
        import jax

        jax.devices()  # reads the flags
    if before is None:
        del os.environ["XLA_FLAGS"]
    budget.count_kernels()


def pytest_configure(config: pytest.Config) -> None:
    """Count what is compiled and computed. JAX is imported first, whatever is tested: its dialect is compared with it
    on each backend."""
    budget = Budget({"jax": "kernels", "dask": "graphs"}.get(CHOSEN, "seconds"))
    config.pluginmanager.register(budget, "budget")
    if "jax" in INSTALLED:
        prepare_jax(budget)
    if "dask" in BACKENDS:
        budget.count_graphs()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of tests that are in another share, and those without the word where backends are tested: to
    import them all takes half a minute."""
    if not collection_path.is_file():
        return None
    of_another = crc32(collection_path.name.encode()) % SHARES != SHARE - 1
    of_none = config.option.markexpr.startswith("backend") and collection_path.name not in OF_ONE
    of_none = of_none and "backend" not in collection_path.read_text(encoding="utf-8")
    return True if of_another or of_none else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of one backend and those of drawn examples, and leave out the sweeps where they are not asked for,
    -m sweep, and cases of tests on backends where each takes long."""
    for item in items:
        if item.path.parent == TESTS and item.path.name in OF_ONE:
            item.add_marker(pytest.mark.backend)
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.shared)
    left_out = _cases_left_out(items)
    if "sweep" not in config.option.markexpr:
        left_out |= {item for item in items if item.get_closest_marker("sweep")}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


#: Of a test of many cases, one of so many runs on these backends, where a case compiles programs or schedules graphs.
#: All of them run on NumPy and PyTorch, and on each backend in a sweep.
ONE_OF = {"jax": 9, "dask": 6, "tensorflow": 5}
#: How many cases are many.
MANY = 3
#: Of the tests of fewer cases, one of so many runs there each day, and another the next: a process that
#: ``make test`` started. What a command of one's own selects runs whole.
EACH_DAY = {"jax": 4, "dask": 3, "tensorflow": 3}
DAY = os.environ.get("LATTICEWORK_TEST_DAY", "")


def _cases_left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the cases that this run leaves out; none in a sweep."""
    if EXHAUSTIVE:
        return set()
    cases: dict[tuple[str, ...], list[pytest.Item]] = {}
    taking_turns: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        if DAY and item.get_closest_marker("in_turn") and not item.get_closest_marker("sweep"):
            taking_turns.setdefault((str(item.path), item.originalname), []).append(item)  # type: ignore[attr-defined]
        backend = getattr(getattr(item, "callspec", None), "params", {}).get("backend")
        if backend in ONE_OF:
            cases.setdefault((backend, str(item.path), item.originalname), []).append(item)  # type: ignore[attr-defined]
    left_out: set[pytest.Item] = set()
    for (backend, path, name), of_one in cases.items():
        if len(of_one) >= MANY:
            drawn = sorted(of_one, key=lambda item: crc32(item.name.encode()))
            left_out |= {*drawn[-(-len(drawn) // ONE_OF[backend]) :]}
        elif DAY and (crc32(f"{Path(path).name} {name}".encode()) + int(DAY)) % EACH_DAY[backend]:
            left_out |= {*of_one}
    for of_one in taking_turns.values():
        left_out |= {*of_one} - {of_one[int(DAY) % len(of_one)]}
    return left_out


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a parameter that is a dtype by it."""
    return str(val) if isinstance(val, lw.Dtype) else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        marked = [pytest.param(b, marks=pytest.mark.backend) for b in BACKENDS]
        metafunc.parametrize("backend", marked, indirect=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs a framework which is not installed."""
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            if find_spec(name) is None:
                pytest.skip(f"{name} is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Compute what Dask has to compute at the end of a test, where graphs are not what the test is about; compile what
    a test of values has on JAX as one program."""
    on = pyfuncitem.callspec.params.get("backend") if "backend" in pyfuncitem.fixturenames else None
    goes_on = getattr(pyfuncitem.obj, "is_hypothesis_test", False)  # from a failure, to a smaller one
    if on not in ("dask", "jax") or goes_on:
        return (yield)
    if on == "jax":
        if pyfuncitem.path.name in OF_VALUES and not EXHAUSTIVE:
            pyfuncitem.obj = in_one_program(pyfuncitem.obj)
        return (yield)
    with together():
        return (yield)


@pytest.fixture
def same() -> Same:
    """What compares a function with NumPy's."""
    return Same()


#: JAX keeps every program that it has compiled. Beyond this many bytes the process lets go of them, and again where it
#: has grown by so many more.
LARGEST, GROWTH = 3 << 30, 1 << 28
_largest = LARGEST


def _size() -> int:
    """How many bytes the process has in memory; 0 where the system does not say."""
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statistics.exists() else 0


@pytest.fixture(autouse=True)
def bounded_memory() -> Iterator[None]:
    """After a test, forget what JAX has compiled if the process has become large."""
    global _largest
    yield
    if "jax" not in sys.modules or _size() < _largest:
        return
    sys.modules["jax"].clear_caches()
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # glibc keeps what is freed
    _largest = max(LARGEST, _size() + GROWTH)


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
    with _in_this_thread(request.param), np.errstate(all="ignore"), lw.using(backend=request.param, device=DEVICE):
        yield request.param


def _in_this_thread(backend: str) -> AbstractContextManager[object]:
    """A context in which a backend computes in this thread: others know nothing of the warnings that are off here."""
    made: AbstractContextManager[object] = get(backend).in_this_thread()
    return made
