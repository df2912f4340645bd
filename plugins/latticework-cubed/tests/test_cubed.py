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
    every = {"dtypes": 400, "shapes": 400, "views": 400, "values": 50, "keys": 50, "random": 4}
    refused = {"superset": ["quantile", "searches of rows"], "derivatives": ["sorting", "solve"]}


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


def _product(u: Any, s: Any, vh: Any) -> Any:
    return (u * s) @ vh


def _chunked(name: str, x: np.ndarray, chunks: tuple[int, int]) -> None:
    """Compare a function of an array in chunks with NumPy's backend."""
    f = CHUNKED[name]
    found, expected = f(lw.asarray(xp.asarray(x, chunks=chunks))), f(lw.asarray(x, backend="numpy"))
    assert tuple(found.shape) == expected.shape
    assert np.allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-12), chunks


#: Functions of which Cubed's own depend on where chunks end: of factors, what they have in common on all backends.
CHUNKED: dict[str, Callable[[Any], Any]] = {
    "svd": lambda x: _product(*lw.linalg.svd(x, full_matrices=False)),
    "singular values": lambda x: lw.linalg.svd(x, full_matrices=False)[1],
    "qr": lambda x: lw.linalg.qr(x).Q @ lw.linalg.qr(x).R,
    "triangle": lambda x: lw.abs(lw.linalg.qr(x)[1]),
    "steps": lambda x: x[1:, ::2],
    "inner": lambda x: lw.tensordot(x, x, axes=((-1,), (-1,))),
}


@pytest.mark.parametrize("name", CHUNKED)
@pytest.mark.parametrize("shape", [(5, 2), (2, 5), (3, 3)])
def test_results_do_not_depend_on_chunks(name: str, shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    for chunks in (shape, (2, 2), (1, shape[1])):
        _chunked(name, x, chunks)


@pytest.mark.parametrize("f", [lw.argmax, lw.argmin, lw.mean, lw.var, lw.std])
def test_what_is_computed_twice_is_an_error_nowhere(f: Callable[..., Any]) -> None:
    """Cubed's own keep pairs of numbers in a store that cannot be written again."""
    x = np.random.default_rng(0).normal(size=(2, 12))
    found, expected = f(lw.asarray(xp.asarray(x, chunks=(1, 1))), axis=1), f(lw.asarray(x, backend="numpy"), axis=1)
    for n in (0, 1):
        assert np.allclose(np.asarray(found + n), np.asarray(expected + n), rtol=1e-12)
