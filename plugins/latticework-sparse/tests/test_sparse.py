"""The backend of pydata/sparse: what stays sparse, what is refused, and what the kit finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sparse

import latticework as lw
from latticework.errors import BackendError
from latticework.testing import check

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
    "f", [lambda x: lw.cumulative_sum(x, axis=0), lw.argsort, lw.fft.fft, lw.linalg.inv, lw.linalg.svd]
)
def test_what_would_be_dense_is_refused_in_words(f: Any) -> None:
    with pytest.raises(BackendError, match=r"would store every element.*backend='numpy'"):
        f(_large())


def test_fill_values_that_a_function_cannot_use_are_refused_in_words() -> None:
    with pytest.raises(BackendError, match="fill value"):
        (_large() + 1) @ _large()
    with pytest.raises(BackendError, match="the fill value is not zero"):
        lw.nonzero(_large() == 0)


def test_a_large_array_is_shown_by_what_it_stores() -> None:
    assert "nnz=3" in repr(_large())


def test_positions_of_what_is_stored_are_found_and_written_to() -> None:
    rows, columns = lw.nonzero(_large() > 0)
    assert (rows.tolist(), columns.tolist()) == ([1, 9_000], [2, 7])
    x = lw.asarray(sparse.COO.from_numpy(np.eye(4, dtype=np.float32)))
    x[lw.asarray([0, 2], backend="sparse"), 1] = 5
    assert lw.to_numpy(x).tolist() == [[1, 5, 0, 0], [0, 1, 0, 0], [0, 5, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("area", ["keys", "arrays", "random", "tracing", "derivatives"])
def test_it_computes_what_numpy_computes(area: str) -> None:
    report = check("sparse", areas=[area])
    assert not [*report.differences, *report.gone], "\n".join(report.lines())
