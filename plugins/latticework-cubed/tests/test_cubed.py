"""The backend of Cubed: lazy, with the specification of its arrays, and NumPy's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cubed
import cubed.array_api as xp
import numpy as np
import pytest

import latticework as lw
from latticework.testing import check

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


#: Functions beyond the standard, of a matrix and of positions.
SUPERSET: dict[str, Callable[[Any, Any], Any]] = {
    "segments": lambda x, i: lw.segment_sum(x, i, num_segments=3),
    "einsum": lambda x, i: lw.einsum("ij,kj->ik", x, x),
    "nansum": lambda x, i: lw.nansum(x, axis=0),
    "kron": lambda x, i: lw.kron(x, x),
    "erf": lambda x, i: lw.special.erf(x),
    "norm": lambda x, i: lw.linalg.vector_norm(x, axis=1),
    "bincount": lambda x, i: lw.bincount(i, length=4),
    "gelu": lambda x, i: lw.nn.gelu(x),
    "rows": lambda x, i: lw.nn.one_hot(i, 3),
    "gradient": lambda x, i: lw.grad(lambda y: lw.sum(lw.tanh(y) * lw.take(y, i, axis=0)))(x),
    "products": lambda x, i: lw.jvp(lambda y: lw.logsumexp(y @ lw.permute_dims(y, (1, 0)), axis=1), (x,), (x,))[1],
}


@pytest.mark.parametrize("name", SUPERSET)
def test_functions_beyond_the_standard_are_those_of_numpy(name: str) -> None:
    operands = np.linspace(-1, 2, 24, dtype=np.float32).reshape(4, 6), np.asarray([2, 0, 2, 1])
    found, expected = (SUPERSET[name](*[lw.asarray(x, backend=b) for x in operands]) for b in ("cubed", "numpy"))
    assert isinstance(found.data, cubed.Array)
    assert np.allclose(lw.to_numpy(found), lw.to_numpy(expected), rtol=2e-5, atol=2e-6)


def test_a_key_gives_the_numbers_of_numpy() -> None:
    drawn = []
    for backend in ("cubed", "numpy"):
        with lw.using(backend=backend):
            key, _ = lw.random.split(lw.random.key(7), 2)
            drawn.append([lw.to_numpy(x) for x in (key, lw.random.uniform(lw.random.key(7), (9,)))])
    for mine, numpys in zip(*drawn, strict=True):
        assert np.array_equal(mine, numpys)


@pytest.mark.parametrize("area", ["keys", "arrays", "tracing", "derivatives", "values", "shapes", "views", "dtypes"])
def test_a_share_of_calls_computes_what_numpy_computes(area: str) -> None:
    """Each call makes a plan and runs it: all of them take an hour. The kit runs whole by its command."""
    report = check("cubed", areas=[area], every=100)
    assert not report.differences, "\n".join(report.lines())
