"""The backend of Cubed: lazy, with the specification of its arrays, and NumPy's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cubed
import cubed.array_api as xp
import numpy as np
import pytest

import latticework as lw
from latticework.testing.suite import BackendTests


class TestCubed(BackendTests):
    """A call is a plan that goes through files: a share of the calls is run."""

    backend = "cubed"
    every = {"random": 4, **dict.fromkeys("dtypes shapes views values keys derivatives".split(), 100)}
    refused = {"superset": ["quantile", "searches of rows"]}


X = np.arange(12.0).reshape(3, 4) + 1

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda x: lw.exp(x) + 1,
    "sum": lambda x: lw.sum(x, axis=0),
    "gammaln": lw.special.gammaln,
    "keys": lambda x: x[1:, 0],
    "softmax": lambda x: lw.nn.softmax(x, axis=-1),
    "matmul": lambda x: x @ lw.permute_dims(x, (1, 0)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_computes_what_numpy_computes_in_chunks_and_with_the_specification(name: str) -> None:
    with cubed.config.set({"spec.allowed_mem": "250MB", "spec.executor_name": "single-threaded"}):
        found = PROGRAMS[name](lw.asarray(xp.asarray(X, chunks=(2, 2))))
        computed = np.asarray(found)
    assert isinstance(found.data, cubed.Array)
    assert found.data.spec.allowed_mem == 250_000_000
    expected = np.asarray(PROGRAMS[name](lw.asarray(X, backend="numpy")))
    assert np.allclose(computed, expected, rtol=1e-12)


def test_what_needs_more_memory_than_is_allowed_is_an_error_before_it_runs() -> None:
    spec = cubed.Spec(allowed_mem="1MB", reserved_mem=0)
    x = lw.asarray(xp.ones((2000, 2000), chunks=(1000, 1000), spec=spec))
    with pytest.raises(ValueError, match="allowed_mem"):
        np.asarray(lw.exp(x))


def test_an_array_is_shown_without_being_computed() -> None:
    assert "chunks=(2, 2)" in repr(lw.asarray(xp.asarray(X, chunks=(2, 2))))
