"""What each function costs in the framework's own operations: held to a table, and to what the arguments need."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import native_calls

import latticework as lw

#: Functions that each framework that counts has as one of its own.
ONE_CALL = "add subtract multiply sum matmul exp nn.relu nn.sigmoid nn.softmax nn.log_softmax".split()


def counting(backend: str) -> None:
    if backend not in native_calls.BACKENDS:
        pytest.skip("its operations are not counted: NumPy's are not traced, and Dask's are NumPy's")


def test_no_function_costs_more_than_the_table_says(backend: str) -> None:
    """In all, in casts and in copies. `python tools/native_calls.py --write` writes the table."""
    counting(backend)
    kept = json.loads(native_calls.KEPT.read_text(encoding="utf-8"))[backend]
    if kept["version"] != native_calls.version(backend):
        pytest.skip(f"the table is of {backend} {kept['version']}")
    expected = {name: native_calls.Count(*count) for name, count in kept["counts"].items()}
    found = native_calls.counts(backend)
    differ = {n: (expected.get(n), found.get(n)) for n in expected | found if expected.get(n) != found.get(n)}
    assert not differ, f"expected, found: {differ}"


def test_native_functions_are_one_call(backend: str) -> None:
    counting(backend)
    assert {n: c.calls for n, c in native_calls.counts(backend, ONE_CALL).items()} == dict.fromkeys(ONE_CALL, 1)


@pytest.mark.needs("torch")
def test_the_counter_sees_casts_and_copies() -> None:
    with lw.using(backend="torch"):
        import torch

        x = torch.ones(3)
        entered = native_calls.of_torch(lambda data: data[0].double().clone() + 1, [x])
    assert entered == ["_to_copy", "clone", "add"]
