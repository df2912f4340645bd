"""The programs in ``examples/dialects``: each on its own framework, and through its dialect on every backend."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import COSTLY, EXHAUSTIVE

from latticework.frontends.scripts import run_script

PROGRAMS = Path(__file__).parents[1] / "examples" / "dialects"
#: The frameworks that are there to compare with, by the names of their dialects.
NATIVE = ("numpy", "torch", "jax", "tensorflow")
NAMES = sorted(p.stem for p in PROGRAMS.glob("*.py") if p.stem.partition("_")[0] in NATIVE)

#: Programs whose extents depend on values, which are not known on a backend that computes later.
EAGER = ("torch_boxes",)


def run(name: str, text: str) -> Any:
    """What a program's `main` returns."""
    names: dict[str, Any] = {"__name__": name}
    exec(compile(text, f"{name}.py", "exec"), names)
    return names["main"]()


@cache
def natively(name: str) -> Any:
    """What it returns on the framework that it is written for."""
    text = (PROGRAMS / f"{name}.py").read_text()
    text = text.replace("latticework.frontends.", "")
    if not name.startswith("jax"):
        return run(name, text)
    import jax

    with jax.enable_x64(False):  # as its users have it, though the backend of JAX turns the switch on
        return run(name, text)


#: XLA divides by a number by multiplying with its reciprocal. The program takes sines of large numbers, and logarithms
#: of small ones.
FARTHER = {("jax", "tensorflow_spectrogram"): 1e-2}


def same(found: Any, expected: Any, apart: float = 1e-3) -> bool:
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[k], v, apart) for k, v in expected.items())
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(same(f, e, apart) for f, e in zip(found, expected, strict=True))
    if isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=apart, abs_tol=apart)
    return bool(found == expected)


#: The first program of each dialect: where a program is compiled call by call, the others are for the sweep.
FIRST = {name.partition("_")[0]: name for name in reversed(NAMES)}
#: Each program runs on NumPy, and on one of these.
HALVES = {"torch": NAMES[::2], "tensorflow": NAMES[1::2]}


@pytest.mark.parametrize("name", NAMES)
def test_a_program_gives_on_each_backend_what_it_gives_on_its_framework(backend: str, name: str) -> None:
    framework = name.partition("_")[0]
    pytest.importorskip(framework)
    here = [*FIRST.values()] if backend in COSTLY else HALVES.get(backend, NAMES)
    if name not in here and not EXHAUSTIVE:
        pytest.skip("a sweep runs all programs on each backend")
    if backend == "dask" and name in EAGER:
        pytest.skip("its extents depend on values")
    found, expected = run(name, (PROGRAMS / f"{name}.py").read_text()), natively(name)
    assert same(found, expected, FARTHER.get((backend, name), 1e-3)), f"{found}\nfor {expected}"


def test_a_framework_s_own_imports_are_not_redirected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, sys\n"
        "sys.modules.pop('numpy._core._dtype', None)\n"
        "dtype = np.zeros(2).dtype\n"
        "dtype.__reduce__(), print(type(np.zeros(2)).__module__, dtype)\n"
    )
    run_script(str(script), [], ["numpy"])
    assert capsys.readouterr().out == "numpy float64\n"
