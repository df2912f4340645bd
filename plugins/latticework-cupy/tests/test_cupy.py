"""The backend of CuPy: what can be checked without a GPU, and the kit where there is one.

Without a GPU, the parts that do not name CuPy run on NumPy's arrays: NumPy by array-api-compat, whose wrappers are
those of CuPy's namespace, is the backend ``likeness``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import array_api_compat.cupy as xp
import cupy
import numpy as np
import pytest

import latticework as lw
from latticework.backend import problems, refresh
from latticework.backend.facts import CONTRACT, plugin_of
from latticework.backends.namespaces.functions import STANDARD
from latticework.errors import BackendError
from latticework.testing.suite import BackendTests

GPU = cupy.cuda.is_available()
needs_gpu = pytest.mark.skipif(not GPU, reason="there is no GPU that CuPy can use")

LIKENESS = {
    "likeness/__init__.py": "import array_api_compat.numpy as xp\nimport numpy\nfrom latticework_cupy import contract\n"
    "class BACKEND(contract.numpy_like(xp, arrays=numpy.ndarray, devices={'cpu': 'cpu'})): 'NumPy by its namespace.'\n",
    "likeness/backend.json": f'{{"framework": "array_api_compat", "gradients": true, "contract": {CONTRACT}}}',
    "likeness-1.dist-info/METADATA": "Name: likeness\nVersion: 1\n",
    "likeness-1.dist-info/entry_points.txt": "[latticework.backends]\nlikeness = likeness\n",
}


@pytest.fixture(scope="module")
def likeness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("likeness")
    for name, text in LIKENESS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    sys.path.append(str(folder))
    refresh()
    yield "likeness"
    sys.path.remove(str(folder))
    refresh()


def run(program: str) -> str:
    """Run a program in a process of its own and return what it prints."""
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def test_the_package_is_found_and_cupy_is_not_imported() -> None:
    program = (
        "import latticework as lw, sys; print([b.name for b in lw.backends()].count('cupy'), 'cupy' in sys.modules)"
    )
    assert run(program) == "1 False"


def test_facts_and_entry_point() -> None:
    plugin = plugin_of("cupy")
    assert plugin is not None
    assert "cupy" not in problems()
    assert plugin.distribution.startswith("latticework-cupy ")
    facts = json.loads((plugin.folder / "backend.json").read_text())
    assert facts["contract"] == CONTRACT
    assert not plugin.facts.immutable
    assert plugin.facts.data_dependent_shapes


def test_without_cupy_the_error_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['cupy'] = None\nimport latticework as lw\n"
        "try: lw.asarray(1, backend='cupy')\nexcept ImportError as error: print(type(error).__name__, error)"
    )
    found = run(program)
    assert found.startswith("BackendNotInstalledError the cupy backend needs cupy, which is not installed: pip install")


@pytest.mark.skipif(GPU, reason="there is a GPU")
def test_without_a_gpu_the_error_says_so_in_cudas_words() -> None:
    with pytest.raises(BackendError, match="needs a GPU, and CuPy has none: cuda"):
        lw.asarray([1.0], backend="cupy")


def test_dtypes_are_cupys() -> None:
    from latticework_cupy import BACKEND

    assert {*lw.all_dtypes} - {*BACKEND.dtypes.values()} == {lw.bfloat16}
    assert BACKEND.dtypes[np.dtype("complex64")] is lw.complex64
    assert BACKEND.arrays is cupy.ndarray


def test_the_namespace_has_all_functions_of_the_standard() -> None:
    chapters = {"": xp, "linalg": xp.linalg, "fft": xp.fft}
    parts = [name.rpartition(".")[::2] for name in STANDARD]
    assert not [(chapter, name) for chapter, name in parts if not callable(getattr(chapters[chapter], name, None))]


class TestLikeness(BackendTests):
    """The three areas that are left out take minutes: the README has their figures."""

    backend = "likeness"
    left_out = ("dtypes", "shapes", "views")

    @pytest.fixture(autouse=True)
    def _found(self, likeness: str) -> None:
        pass


def test_assignment_is_in_place_and_bits_are_viewed(likeness: str) -> None:
    x = lw.asarray([1.0, 2.0, 3.0], backend=likeness)
    data, part = x.data, x[1:]
    x[0], part[...] = 7, part * 2
    assert x.data is data
    assert data.tolist() == [7, 4, 6]
    assert lw.nextafter(x, lw.full_like(x, 9)).tolist()[0] > 7


@needs_gpu
class TestCupy(BackendTests):
    backend = "cupy"


@needs_gpu
def test_arrays_stay_on_their_device() -> None:
    x = lw.asarray(cupy.arange(4.0))
    assert str(x.device).startswith("cuda:")
    assert isinstance(lw.exp(x).data, cupy.ndarray)
    data = x.data
    x[1:] = 5
    assert x.data is data
    assert cupy.asnumpy(data).tolist() == [0, 5, 5, 5]
    assert np.asarray(x).tolist() == [0, 5, 5, 5]
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(x, copy=False)
    assert lw.from_dlpack(np.arange(3.0), device=str(x.device)).tolist() == [0, 1, 2]
