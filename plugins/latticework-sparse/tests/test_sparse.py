"""The backend of pydata/sparse: what stays sparse, what is refused, and what the kit finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sparse

import latticework as lw
from latticework.errors import BackendError
from latticework.testing.suite import BackendTests


class TestSparse(BackendTests):
    backend = "sparse"
    every = {"dtypes": 40, "shapes": 40, "views": 200}
    refused = {
        "random": ["keys", "keys of keys", "bits", "uniform", "normal", "gamma", "beta"],
        "derivatives": ["network", "sorting", "solve"],
        "tracing": ["mixed"],
    }


#: An array of 10**8 elements, of which three are stored: nothing here may make it dense.
LARGE = sparse.COO([[1, 5, 9_000], [2, 5, 7]], np.asarray([1.0, -2.0, 3.0]), shape=(10**4, 10**4))


def _large() -> Any:
    return lw.asarray(LARGE)


@pytest.mark.parametrize(
    ("f", "fill", "stored"),
    [
        (lambda x: x * 2 + 1, 1, 3),
        (lw.exp, 1, 3),
        (lambda x: lw.where(x > 0, x, 0), 0, 2),
        (lambda x: lw.permute_dims(x, (1, 0))[:, 1:], 0, 3),
        (lambda x: lw.sum(x, axis=0), 0, 3),
        (lambda x: lw.log1p(lw.abs(x)), 0, 3),
        (lambda x: x @ lw.permute_dims(x, (1, 0)), 0, 3),
        (lw.nn.relu, 0, 2),
        (lambda x: lw.concat([x, x], axis=1), 0, 6),
        (lw.cos, 1, 3),
    ],
)  # fmt: skip
def test_it_stays_sparse(f: Any, fill: float, stored: int) -> None:
    found = f(_large()).data
    assert isinstance(found, sparse.COO)
    assert found.fill_value == fill
    assert np.count_nonzero(found.data != fill) == stored


@pytest.mark.parametrize(
    "f",
    [lambda x: lw.cumulative_sum(x, axis=0), lw.argsort, lw.fft.fft, lw.fft.hfft, lw.linalg.inv, lw.unique_inverse],
)
def test_what_would_be_dense_is_refused_in_words(f: Any) -> None:
    with pytest.raises(BackendError, match=r"would store every element.*backend='numpy'"):
        f(_large())


def test_fill_values_that_a_function_cannot_use_are_refused_in_words() -> None:
    with pytest.raises(BackendError, match="fill value"):
        (_large() + 1) @ _large()
    with pytest.raises(BackendError, match="the fill value is not zero"):
        lw.nonzero(_large() == 0)


def test_a_single_number_has_no_positions() -> None:
    for backend in ("sparse", "numpy"):
        with pytest.raises(ValueError, match="nonzero: x must have at least one axis"):
            lw.nonzero(lw.asarray(0.0, backend=backend))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("values", [[0], [0, 0], [0, 3], [[0, 0], [0, 0]], [[0, -2], [1, 0]]])
def test_places_of_extremes_are_found_where_nothing_is_stored(name: str, values: list[Any]) -> None:
    for axis in (None, -1):
        for keepdims in (False, True):
            mine, numpys = (
                lw.to_numpy(getattr(lw, name)(lw.asarray(values, backend=b), axis=axis, keepdims=keepdims))
                for b in ("sparse", "numpy")
            )
            assert mine.shape == numpys.shape
            assert np.array_equal(mine, numpys)


def test_a_number_that_is_stored_keeps_its_value() -> None:
    """A number without axes may store its value, or have it as fill value."""
    with lw.using(backend="sparse"):
        stored, full = lw.reshape(lw.asarray([-10], dtype="int8"), ()), lw.asarray(-10, dtype="int8")
        for x in (stored, full):
            found = [lw.astype(x, "float32"), lw.sum(x), lw.prod(x), lw.tensordot(x, lw.astype(x, "int32"), axes=0)]
            assert [int(y) for y in found] == [-10, -10, -10, 100]
            with pytest.raises(ValueError, match="tensordot: cannot sum over"):
                lw.tensordot(x, x)


def test_a_large_array_is_shown_by_what_it_stores() -> None:
    assert "nnz=3" in repr(_large())


def test_positions_of_what_is_stored_are_found_and_written_to() -> None:
    rows, columns = lw.nonzero(_large() > 0)
    assert (rows.tolist(), columns.tolist()) == ([1, 9_000], [2, 7])
    x = lw.asarray(sparse.COO.from_numpy(np.eye(4, dtype=np.float32)))
    x[lw.asarray([0, 2], backend="sparse"), 1] = 5
    assert lw.to_numpy(x).tolist() == [[1, 5, 0, 0], [0, 1, 0, 0], [0, 5, 1, 0], [0, 0, 0, 1]]


def _v() -> Any:
    return lw.asarray(sparse.COO([[2, 5, 7]], np.asarray([1.0, 2.0, 3.0]), shape=(10**4,)))


#: Functions of a matrix, and how many elements their gradient at `LARGE` stores.
DIFFERENTIATED = {
    "squares": (lambda x: lw.sum(x * x), 3),
    "tanh": (lambda x: lw.sum(lw.tanh(x)), 3),
    "sine": (lambda x: lw.sum(lw.sin(x) * x), 3),
    "products": (lambda x: lw.sum((x @ _v()) ** 2), 9),
    "sums": (lambda x: lw.sum(lw.sum(x, axis=0) ** 2), 30_000),
    "relu": (lambda x: lw.sum(lw.nn.relu(x)), 2),
    "where": (lambda x: lw.sum(lw.where(x > 0, x, 0) * x), 2),
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_derivatives_stay_sparse(name: str) -> None:
    """The gradient at a matrix of 10**8 elements, of which three are stored, and the same on a part of it as on NumPy's
    backend, in reverse and in forward mode."""
    f, stored = DIFFERENTIATED[name]
    found = lw.grad(f)(_large()).data
    assert isinstance(found, sparse.COO)
    assert found.nnz == stored
    dense = lw.asarray(LARGE[:12, :12].todense(), backend="numpy")
    part = lw.asarray(LARGE[:12, :12])
    if name == "products":
        v = lw.asarray(_v().data[:12])
        of_sparse, of_dense = (lambda x, w=w: lw.sum((x @ w) ** 2) for w in (v, lw.asarray(v, backend="numpy")))
    else:
        of_sparse = of_dense = f
    value, back = lw.vjp(of_sparse, part)
    expected, of_numpy = lw.vjp(of_dense, dense)
    one = lw.asarray(1.0, dtype=lw.float64, backend="numpy")
    pairs = [
        (value, expected),
        (back(lw.asarray(one, backend="sparse"))[0], of_numpy(one)[0]),
        (lw.grad(of_sparse)(part), lw.grad(of_dense)(dense)),
        (lw.jvp(of_sparse, (part,), (part,))[1], lw.jvp(of_dense, (dense,), (dense,))[1]),
    ]
    for mine, numpys in pairs:
        assert np.allclose(lw.to_numpy(mine), lw.to_numpy(numpys), rtol=1e-12)


def test_random_numbers_are_drawn_elsewhere_by_the_same_key() -> None:
    """Every element of a draw is stored. A draw on NumPy's backend makes a part of what a sparse array stores zero."""
    with lw.using(backend="sparse"), pytest.raises(BackendError, match=r"would store every element.*backend='numpy'"):
        lw.random.uniform(lw.random.key(0), (3,))
    with lw.using(backend="numpy"):
        kept = lw.random.bernoulli(lw.random.key(1), 0.5, (40, 40))
    x = lw.asarray(LARGE[:40, :40])
    dropped = lw.where(lw.asarray(kept, backend="sparse"), x, 0)
    assert isinstance(dropped.data, sparse.COO)
    assert dropped.data.nnz <= 2
    assert np.array_equal(lw.to_numpy(dropped), np.where(lw.to_numpy(kept), LARGE[:40, :40].todense(), 0))
