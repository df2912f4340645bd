"""What the package promises before a single function is called."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import latticework as lw
from latticework.contents import NAMESPACES, SUBMODULES

ROOT = Path(__file__).parents[1]
HEAVY = {
    "numpy", "torch", "ml_dtypes", "jax", "tensorflow", "dask", "scipy", "sklearn", "rich", "typer", "click",
    "matplotlib", "networkx",
}  # fmt: skip


def loaded_after(statements: str) -> set[str]:
    """The top-level modules that are loaded once a fresh interpreter has run the statements."""
    code = f"{statements}\nimport sys, json\nprint(json.dumps([m.partition('.')[0] for m in sys.modules]))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


@pytest.mark.parametrize(
    "statements",
    [
        "import latticework",
        "import latticework as lw; lw.backends()",
        "import latticework as lw; lw.linalg.inv; lw.linalg.__all__; lw.errors.AxisError",
        "import latticework as lw; lw.promote_types('int8', 'int16'); lw.Rules; lw.isdtype('int8', 'integral'); lw.pi",
        "import latticework.cli",
    ],
)
def test_importing_loads_no_framework_and_not_even_numpy(statements: str) -> None:
    assert not loaded_after(statements) & HEAVY


def test_numpys_arrays_load_numpy_alone() -> None:
    assert loaded_after("import latticework as lw; lw.zeros(3) + 1") & HEAVY == {"numpy", "ml_dtypes"}


def test_the_package_is_typed() -> None:
    assert resources.files("latticework").joinpath("py.typed").is_file()


def test_the_version_is_in_the_changelog() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", lw.__version__)
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == lw.__version__


def public(namespace: ModuleType) -> dict[str, Any]:
    """The functions and classes of a namespace, those of its extensions with their names before them."""
    found = {}
    for name in namespace.__all__:
        value = getattr(namespace, name)
        if isinstance(value, ModuleType) and name in NAMESPACES:
            found |= {f"{name}.{n}": v for n, v in public(value).items()}
        elif inspect.isfunction(value) or inspect.isclass(value):
            found[name] = value
    return found


def test_every_public_function_and_class_is_documented_by_example() -> None:
    without = [name for name, value in public(lw).items() if "Examples\n" not in (value.__doc__ or "")]
    undocumented = {name for name in without if not isinstance(public(lw)[name], type)}
    assert not undocumented, f"no docstring with Examples: {sorted(undocumented)}"
    assert not [name for name in without if not public(lw)[name].__doc__]


def test_every_public_name_says_where_it_comes_from() -> None:
    for name, value in public(lw).items():
        assert value.__module__.partition(".")[0] == "latticework", name


def test_the_readme_shows_a_program_on_its_first_screen() -> None:
    first_screen = (ROOT / "README.md").read_text().splitlines()[:25]
    start, end = [i for i, line in enumerate(first_screen) if line.startswith("```")][:2]
    code = "\n".join(first_screen[start:end])  # which runs with the other examples of the README
    assert code.count(">>> def ") >= 2
    assert "backend" not in code  # it runs with NumPy alone


def test_the_readme_counts_the_rule_sets() -> None:
    named = lw.rule_names()
    ours = {"unified", "precise", "strict", "array_api"} & {*named}
    text = (ROOT / "README.md").read_text()
    assert f"Here {len(named)} rule sets are data. {len(named) - len(ours)} are those of frameworks" in text


def test_completion_and_a_star_import_give_what_there_is_to_call() -> None:
    names: dict[str, Any] = {}
    exec("from latticework import *", names)
    modules = {name for name, value in names.items() if isinstance(value, ModuleType)}
    assert modules == {"backends", *SUBMODULES}
    assert "annotations" not in names
    assert {"add", "asarray", "Array", "using", "float32", "pi"} <= {*names} & {*dir(lw)}
    assert {"op", "policy", "annotations"}.isdisjoint(dir(lw))
    assert {"__version__", "__array_namespace_info__"} <= {*dir(lw)}
    for namespace in (getattr(lw, name) for name in NAMESPACES):
        assert dir(namespace) == sorted(namespace.__all__)
