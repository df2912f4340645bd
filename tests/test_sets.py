"""Set functions: unique elements in the same order on every backend, nan unlike nan, zeros alike."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from cases import PAIRS, SHAPES, crossed, due, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import INSTALLED, NUMPY, check, computed, dtypes, extremes, layouts, values, wide

import latticework as lw

UNIQUE = ("unique_all", "unique_counts", "unique_inverse", "unique_values")


def unique(x: np.ndarray) -> tuple[np.ndarray, ...]:
    """What `unique_all` should give, found one element at a time."""
    flat = wide(x).reshape(-1)
    parts = (np.isnan(flat.real) * 2 + np.isnan(flat.imag), flat.real, flat.imag)  # nan is last in each
    order = np.lexsort(parts[::-1]) if x.dtype.kind == "c" else np.argsort(flat, kind="stable")
    values: list[Any] = []
    indices: list[int] = []
    counts: list[int] = []
    inverse = np.zeros(flat.size, np.int64)
    for i in order:
        if values and flat[i] == values[-1]:
            counts[-1] += 1
        else:
            values.append(flat[i])
            indices.append(int(i))
            counts.append(1)
        inverse[i] = len(values) - 1
    found = np.array(values, flat.dtype)
    return found, np.array(indices, np.int64), inverse.reshape(x.shape), np.array(counts, np.int64)


def check_all(a: lw.Array, x: np.ndarray, dtype: lw.Dtype) -> None:
    values, indices, inverse, counts = unique(x)
    found = lw.unique_all(a)
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    check(found.values, values, dtype, ulps=0)
    check(found.indices, indices, lw.int64)
    check(found.inverse_indices, inverse, lw.int64)
    check(found.counts, counts, lw.int64)
    numbered = lw.unique_inverse(a)
    assert numbered._fields == ("values", "inverse_indices")
    check(numbered.values, values, dtype, ulps=0)
    # An unstable sort will do here, and each nan may be any of those among the values.
    same = np.isnan(wide(x))

    def compare(numbers: np.ndarray) -> None:
        np.testing.assert_array_equal(np.where(same, 0, numbers), np.where(same, 0, inverse), strict=True)
        np.testing.assert_array_equal(np.sort(numbers[same]), np.sort(inverse[same]))

    computed(numbered.inverse_indices, compare)
    counted = lw.unique_counts(a)
    assert counted._fields == ("values", "counts")
    check(counted.values, values, dtype, ulps=0)
    check(counted.counts, counts, lw.int64)
    check(lw.unique_values(a), values, dtype, ulps=0)


def test_unique(backend: str) -> None:
    for shape, dtype in crossed([*SHAPES, (200,)], dtypes("all"), *UNIQUE):
        x = values(dtype, shape, low=-1, high=1)
        for _, a in layouts(x):
            check_all(a, x, dtype)


def test_unique_extremes(backend: str) -> None:
    rng = np.random.default_rng(5)
    for axes, dtype in crossed((1, 2), dtypes("all"), *UNIQUE):
        x = rng.permutation(np.repeat(extremes(dtype), 2))
        x = x if axes == 1 else x.reshape(2, -1)
        check_all(lw.asarray(x), x, dtype)


def test_every_nan_is_its_own(backend: str) -> None:
    for dtype in due(dtypes("floating"), *UNIQUE):
        x = np.array([np.nan, 1, np.nan, 1, np.nan, -0.0, 0.0], NUMPY[dtype])
        found = lw.unique_all(lw.asarray(x))
        check(found.values, np.array([0, 1, np.nan, np.nan, np.nan], NUMPY[dtype]), dtype)
        check(found.counts, [2, 2, 1, 1, 1], lw.int64)
        check(found.indices, [5, 1, 0, 2, 4], lw.int64)


def test_isin(backend: str) -> None:
    for (first, second), dtype in crossed(itertools.product(SHAPES, SHAPES), dtypes("all"), "isin"):
        x1, x2 = values(dtype, first), values(dtype, second, seed=1, low=-2, high=2)
        expected = (wide(x1)[..., None] == wide(x2).reshape(-1)).any(axis=-1)
        for _, a in layouts(x1):
            check(lw.isin(a, lw.asarray(x2)), expected, lw.bool)
            check(lw.isin(a, lw.asarray(x2), invert=True), ~expected, lw.bool)


def test_isin_extremes(backend: str) -> None:
    for dtype in due(dtypes("all"), "isin"):
        x = extremes(dtype)
        for times in (1, 20):
            x1, x2 = np.tile(x, times), np.tile(x[::3], times)
            expected = (wide(x1)[:, None] == wide(x2)).any(axis=-1)
            check(lw.isin(lw.asarray(x1), lw.asarray(x2)), expected, lw.bool)


def test_isin_scalars(backend: str) -> None:
    for dtype in due(dtypes("all"), "isin"):
        x = values(dtype, (2, 5), low=0, high=2)
        one = True if dtype.kind == "b" else 1
        check(lw.isin(lw.asarray(x), one), wide(x) == 1, lw.bool)
        check(lw.isin(lw.asarray(x), one, invert=True), wide(x) != 1, lw.bool)
        check(lw.isin(one, lw.asarray(x)), (wide(x) == 1).any(), lw.bool)
    check(lw.isin(lw.asarray([1, 2]), 1.5), [False, False], lw.bool)
    check(lw.isin(1, 2), False, lw.bool)


def test_isin_joins_its_operands(backend: str) -> None:
    for first, second in crossed(dtypes("numeric"), dtypes("numeric")):
        x1, x2 = values(first, (6,), low=0, high=3), np.array([1, 3], NUMPY[second])
        check(lw.isin(lw.asarray(x1), lw.asarray(x2)), (wide(x1)[:, None] == wide(x2)).any(-1), lw.bool)
    for shapes in PAIRS:
        x1, x2 = (values(lw.int8, s) for s in shapes)
        assert lw.isin(lw.asarray(x1), lw.asarray(x2)).shape == shapes[0]


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_unique_over_the_whole_range(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes("all")))
    with np.errstate(all="ignore"):
        pool = extremes(dtype)
    x = pool[data.draw(st.lists(st.integers(0, len(pool) - 1), max_size=12))]
    with np.errstate(all="ignore"):
        for b in INSTALLED:
            check_all(lw.asarray(x, backend=b), x, dtype)


def test_isin_of_other_layouts() -> None:
    pytest.importorskip("torch")
    x = np.arange(12).reshape(3, 4)
    for left, right in ((x.T, x[:, ::2]), (x[:, ::2], x.T)):
        got = lw.isin(*[lw.asarray(part, backend="torch") for part in (left, right)])
        np.testing.assert_array_equal(np.asarray(got), np.isin(left, right))


def test_nan_under_rules_without_python_ints(backend: str) -> None:
    """These rules take no Python int beside the positions that `unique` computes with."""
    with lw.using(rules="max-2024"):
        values, counts = lw.unique(lw.asarray([2.0, float("nan"), 2.0, float("nan")]), return_counts=True)
    assert counts.tolist() == [2, 2]
    assert values.tolist()[0] == 2.0


def test_elements_of_a_transposed_array(backend: str) -> None:
    for dtype in ("uint16", "uint64", "int32", "float32"):
        x, y = np.arange(12).reshape(3, 4).astype(dtype), np.arange(6).reshape(2, 3).astype(dtype)
        found = lw.isin(lw.asarray(x).T, lw.asarray(y).T)
        np.testing.assert_array_equal(np.asarray(found), np.isin(x.T, y.T))
        check(lw.setdiff1d(lw.asarray(x).T, lw.asarray(y).T), np.setdiff1d(x.T, y.T), lw.dtype(dtype))
