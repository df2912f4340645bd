"""Functions of dialects that remember kernels answer as their bodies, as `remembered_calls.py` finds in a process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import remembered_calls
from dialect_answers import EXHAUSTIVE, FRAMEWORKS

TESTS = Path(__file__).parent


def compared(dialect: str, backend: str, share: str) -> int:
    """Compare the functions of a dialect with their bodies; how many calls were compared."""
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))
    ran = subprocess.run(
        [sys.executable, str(TESTS / "remembered_calls.py"), dialect, backend, share],
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout[-4000:]}\n{ran.stderr[-2000:]}"
    return int(re.search(r"(\d+) calls compared, 0 differ", ran.stdout)[1])  # type: ignore[index]


@pytest.mark.shared
@pytest.mark.in_turn
@pytest.mark.parametrize("dialect", FRAMEWORKS)
def test_a_function_that_remembers_answers_as_its_body(dialect: str, cell_counts: dict[str, int]) -> None:
    count = compared(dialect, "numpy", "1/1" if EXHAUSTIVE else "1/30")
    cell_counts[f"remembered calls of the {dialect} dialect"] = count
    assert count > (2_000 if EXHAUSTIVE else 60)


@pytest.mark.sweep
@pytest.mark.parametrize("dialect", FRAMEWORKS)
def test_it_answers_so_on_each_backend(backend: str, dialect: str) -> None:
    assert compared(dialect, backend, "1/1") > 1_000


def test_what_differs_is_found() -> None:
    """Each kind of difference is told: another value, a sign of zero, a dtype, a class of error."""
    import numpy as np

    def told(found: Any, expected: Any) -> str:
        return remembered_calls._difference(found, expected, False)

    def answer(values: list[float], dtype: str = "float32", weak: bool = False) -> tuple[Any, ...]:
        return "Array", dtype, weak, np.asarray(values, dtype)

    nan = float("nan")
    assert not told(answer([1, nan, 0.0]), answer([1, nan, 0.0])) and not told("ValueError", "ValueError")
    assert told(answer([1, 2]), answer([1, 3])) == told(answer([0.0]), answer([-0.0])) == "other values"
    assert told(answer([1], "float64"), answer([1])) and told(answer([1], weak=True), answer([1]))
    assert told("ValueError", answer([1])) == "ValueError for an answer"
    assert told(("tuple", [answer([1])]), ("tuple", [answer([2])])) and told(("bool", True), ("bool", False))
