"""What rules answer and our own functions do not take, computed exactly on every backend: beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.errors import BackendError

NAN = float("nan")
#: Numbers with equal real parts, equal numbers, and nan in each part.
NUMBERS = np.array([1 + 1j, 1 + 2j, complex(NAN, 0), complex(2, NAN), 2 + 0j, 3 - 1j, complex(NAN, NAN), 1 + 1j], "c8")
FINITE = NUMBERS[[0, 1, 4, 5, 7, 4]]


def same(found: lw.Array, wanted: Any) -> None:
    got, want = np.asarray(found), np.asarray(wanted)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.fixture(autouse=True)
def numpys_rules() -> Any:
    with lw.using(rules="numpy"):
        yield


@pytest.mark.parametrize("name", "less less_equal greater greater_equal maximum minimum".split())
def test_complex_numbers_are_compared_as_numpy_compares_them(backend: str, name: str) -> None:
    x = lw.asarray(NUMBERS)
    same(getattr(lw, name)(x, x[:, None]), getattr(np, name)(NUMBERS, NUMBERS[:, None]))


@pytest.mark.parametrize("name", "max min argmax argmin".split())
def test_the_greatest_complex_number(backend: str, name: str) -> None:
    ours, theirs, matrix = getattr(lw, name), getattr(np, name), FINITE.reshape(3, 2)
    for numbers in (FINITE, NUMBERS):
        same(ours(lw.asarray(numbers)), theirs(numbers))
    for options in ({"axis": 0}, {"axis": -1, "keepdims": True}):
        same(ours(lw.asarray(matrix), **options), theirs(matrix, **options))
    if not name.startswith("arg"):
        same(ours(lw.asarray(matrix), axis=(0, 1)), theirs(matrix, axis=(0, 1)))


def test_complex_numbers_in_order(backend: str) -> None:
    x = lw.asarray(FINITE)
    same(lw.sort(x), np.sort(FINITE))
    same(lw.argsort(x), np.argsort(FINITE, stable=True))
    same(lw.sort(lw.asarray(NUMBERS)), np.sort(NUMBERS))
    same(lw.sort(lw.reshape(x, (3, 2)), axis=0), np.sort(FINITE.reshape(3, 2), axis=0))
    same(lw.clip(x, 1 + 1j, 2 + 0j), np.clip(FINITE, 1 + 1j, 2 + 0j))


def test_reciprocals_of_integers(backend: str) -> None:
    for dtype in ("int8", "uint8", "int32", "uint64"):
        numbers = np.array([1, 2, 3, -1 if dtype[0] == "i" else 4], dtype)
        same(lw.reciprocal(lw.asarray(numbers)), np.reciprocal(numbers))
    same(lw.reciprocal(lw.asarray([True])), np.reciprocal(np.array([True])))


def test_products_of_bools(backend: str) -> None:
    t = np.array([[True, False], [True, True]])
    x = lw.asarray(t)
    same(x @ x, t @ t)
    same(lw.vecdot(x, x), np.vecdot(t, t))
    same(lw.tensordot(x, x, axes=1), np.tensordot(t, t, 1))
    same(lw.linalg.outer(x[0], x[1]), np.outer(t[0], t[1]))
    same(lw.linalg.trace(x), np.trace(t))
    same(lw.imag(x), np.imag(t))
    assert str(lw.plan(lw.matmul, x, x)).startswith("matmul(bool, bool) -> bool of shape (2, 2)  [composed")


def test_what_has_no_exact_way_names_the_dtype_to_cast_to() -> None:
    with lw.using(rules="torch"), pytest.raises(BackendError, match=r"Cast first: lw.astype\(x, lw.float32\)"):
        lw.hypot(lw.asarray([1]), lw.asarray([2]))
