"""What is known of backends before they are imported: that it is true, and that nothing else names them."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import latticework as lw
from latticework.backend import get
from latticework.backend.facts import all_facts
from latticework.core.registry import OPS

ROOT = Path(lw.__file__).parent
#: What may name no framework but NumPy, which the package depends on. Below ``tracing`` the sources of frameworks are
#: written, and ``promotion`` has their rules: both name them.
CORE = [
    *(p for folder in ("core", "engine", "api", "backend", "derivatives") for p in (ROOT / folder).rglob("*.py")),
    *(ROOT / f"{name}.py" for name in "policy settings namespace contents draw errors words __init__".split()),
    *(ROOT / "backends").glob("*.py"),
]


def names_in_code(path: Path) -> set[str]:
    """The identifiers and strings of a file's code, without its docstrings, in lower case."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found.add(node.value.lower())
        for field in ("id", "attr", "name", "module", "arg"):
            if isinstance(value := getattr(node, field, None), str):
                found.add(value.lower())
    return found


def test_no_file_of_the_core_names_a_framework() -> None:
    frameworks = [name for name, facts in all_facts().items() if facts.framework and name != "numpy"]
    assert len(frameworks) >= 4
    named = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in CORE
        for text in names_in_code(path)
        if any(framework in text for framework in frameworks)
    }
    assert not named


def test_facts_are_true(backend: str) -> None:
    facts = all_facts()[backend]
    assert facts.lazy is (get(backend).compute is not None)
    assert set(facts.stepwise) <= set(OPS)
    x = lw.asarray([1, 2, 3])
    before = x.data
    x[0] = 7
    assert facts.immutable is (int(before[0]) == 1)
    assert x.tolist() == [7, 2, 3]


OUTSIDE = """
import sys
import latticework as lw
import latticework.backends as backends

assert not [name for name in sys.modules if name in ("json", "numpy")]
backends.__path__.append(sys.argv[1])
assert [b.name for b in lw.backends()][-1] == "mine"
with lw.using(backend="mine"):
    x = lw.asarray([1, 2])
print(type(x.data).__name__, x.backend, (x + 0.5).dtype)
"""


def test_a_backend_from_outside_the_package(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "mine"
    folder.mkdir(parents=True)
    (folder / "backend.json").write_text('{"framework": "mine_arrays"}')
    (tmp_path / "mine_arrays.py").write_text("import numpy\nclass Mine(numpy.ndarray): pass\n")
    (folder / "__init__.py").write_text(
        "import numpy as np\nfrom mine_arrays import Mine\nfrom ..numpy import *\n"
        "from ..numpy.contract import NumpyBackend\n"
        "class BACKEND(NumpyBackend):\n"
        "    arrays = Mine\n"
        "    def native(self, data):\n        return np.asarray(data).view(Mine)\n"
        "    def device_name(self, device):\n        return 'cpu'\n"
    )
    path = os.pathsep.join((str(ROOT.parent), str(tmp_path)))
    done = subprocess.run(
        [sys.executable, "-c", OUTSIDE, str(tmp_path / "plugins")],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout.split() == ["Mine", "mine", "float32"], done.stderr


def test_a_target_is_for_backends_without_a_framework() -> None:
    assert get("abstract:numpy").name == "abstract:numpy"
    for name in ("numpy:torch", "abstract:nothing", "nothing"):
        with pytest.raises(ValueError, match="there is no backend"):
            get(name)
