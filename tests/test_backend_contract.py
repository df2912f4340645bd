"""The contract of a backend: what a class lacks is named, by the registry and by mypy, and what it has is checked."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import checked_by_mypy

import latticework as lw
from latticework.backend import Backend, get
from latticework.backend.contract import missing_parts

ROOT = Path(__file__).parents[1]
REQUIRED = sorted(Backend.__abstractmethods__)

#: A class that has all required parts but two.
LACKING = f"""
from typing import Any
from latticework.backend import Backend


class Half(Backend):
    {"; ".join(f"{name}: Any = None" for name in REQUIRED if name not in ("cast", "dtypes"))}
"""


def test_each_part_has_a_docstring_that_begins_with_a_verb() -> None:
    for name in REQUIRED:
        doc = inspect.getdoc(inspect.getattr_static(Backend, name)) or ""
        first = doc.partition(" ")[0]
        assert first and first[0].isupper() and not first.endswith("s") and first not in ("The", "A", "An"), (name, doc)


def test_a_backend_has_all_parts(backend: str) -> None:
    for owner in (get(backend), get(f"traced:{backend}"), get(f"abstract:{backend}")):
        assert not missing_parts(type(owner)), owner
        assert isinstance(owner, Backend)


def test_functions_that_kernels_call_are_those_of_the_plugin(backend: str) -> None:
    """A method would add a frame to calls."""
    owner = get(backend)
    for name in ("index", "assign", "native", "to_numpy", "from_numpy", "dtype_of", "device_of"):
        assert not inspect.ismethod(getattr(owner, name)), name


def refused_by_the_registry(code: str, folder: Path) -> str:
    """What the error says for a plug-in from outside the package whose module is this code."""
    plugin = folder / "plugins" / "half"
    plugin.mkdir(parents=True)
    (plugin / "backend.json").write_text('{"framework": "half_arrays"}')
    (plugin / "__init__.py").write_text(code)
    (folder / "half_arrays.py").write_text("")
    program = (
        "import sys, latticework as lw\nlw.backends.__path__.append(sys.argv[1])\n"
        "try:\n    lw.zeros(2, backend='half')\nexcept lw.errors.BackendError as error:\n    print(error)\n"
    ).replace("lw.zeros(2, backend='half')", "lw.asarray([1], backend='half')")
    path = os.pathsep.join((str(ROOT / "src"), str(folder)))
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder / "plugins")],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return done.stdout


def test_the_registry_names_the_parts_that_are_missing(tmp_path: Path) -> None:
    said = refused_by_the_registry(f"{LACKING}\n\nBACKEND = Half\n", tmp_path)
    assert "half.Half lacks parts of the contract of a backend: cast, dtypes." in said


def test_a_plugin_has_a_class_of_its_own(tmp_path: Path) -> None:
    said = refused_by_the_registry("from ..numpy import *\n", tmp_path)
    assert "latticework.backends.half names no class of its own as BACKEND" in said


def test_python_names_them_too() -> None:
    class Half(Backend):
        """A class without parts."""

    assert missing_parts(Half) == tuple(REQUIRED)
    with pytest.raises(TypeError, match=r"abstract.*cast"):
        Half("numpy", lw)  # type: ignore[abstract]


def test_mypy_names_missing_parts_and_wrong_signatures(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "half.py"
    program.write_text(
        f"{LACKING}\n\n"
        "def scalar(dtype: Any) -> int:\n    return 1\n\n\n"
        "class Wrong(Half):\n"
        "    def cast(self, dtype: Any, /) -> Any:\n        return None\n\n"
        "    dtypes: Any = None\n\n\n"
        "class Item(Backend):\n    item = staticmethod(scalar)\n    takes_scalar = staticmethod(scalar)\n\n\n"
        "import types\n"
        "Half('half', types)\nWrong('half', types)\n"
    )
    found = checked_by_mypy(program)
    errors = [line for line in found.splitlines() if ": error: " in line]
    assert len(errors) == 2, found
    wrong, lacking = errors
    assert "Incompatible types in assignment" in wrong and '"Callable[[Any], int]"' in wrong, wrong
    assert 'Cannot instantiate abstract class "Half" with abstract attributes "cast" and "dtypes"' in lacking, lacking
