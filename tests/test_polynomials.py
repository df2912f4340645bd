"""Polynomials, against NumPy's functions of the same names."""

from __future__ import annotations

import numpy as np
import pytest
from cases import crossed, due
from support import NUMPY, check, dtypes, values, wide

import latticework as lw
from latticework.core.dtypes import complex_of

FULL = [lw.float32, lw.float64, lw.complex64, lw.complex128]


def small(dtype: lw.Dtype, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return values(dtype, shape, seed=seed, low=-2, high=2)


def test_polyval(backend: str) -> None:
    for (count, shape), dtype in crossed([(3, (3, 4)), (1, (4,)), (0, (4,)), (4, ())], dtypes("numeric"), "polyval"):
        p, x = small(dtype, (count,)), small(dtype, shape, 1)
        expected = np.polyval(wide(p), wide(x)) * np.ones(shape, wide(x).dtype)
        check(lw.polyval(lw.asarray(p), lw.asarray(x)), expected.astype(NUMPY[dtype]), dtype, ulps=8, scale=32)
    check(lw.polyval(lw.asarray([2, 0, 1]), 3), 19, lw.int32)
    check(lw.polyval(lw.asarray([2, 1]), lw.asarray([0.5])), [2], lw.float32)


def test_sums_products_and_derivatives(backend: str) -> None:
    for (m, n), dtype in crossed([(3, 2), (2, 4), (1, 3), (3, 3)], dtypes("numeric"), "polyadd", "polymul", "polyder"):
        p, q = small(dtype, (m,)), small(dtype, (n,), 1)
        a, b = lw.asarray(p), lw.asarray(q)
        check(lw.polyadd(a, b), np.polyadd(wide(p), wide(q)).astype(NUMPY[dtype]), dtype)
        check(lw.polymul(a, b), np.convolve(wide(p), wide(q)).astype(NUMPY[dtype]), dtype, scale=8)
        for times in (0, 1, 2, 5):
            expected = np.polyder(wide(q), times) if times < n else np.zeros(0)
            check(lw.polyder(b, times), expected.astype(NUMPY[dtype]), dtype)


def test_polyfit(backend: str) -> None:
    x = np.array([0.0, 1.0, 1.5, 2.5, 4.0])
    for (deg, columns), dtype in crossed([(2, ()), (1, (2,)), (0, ())], FULL, "polyfit"):
        y, w = small(dtype, (5, *columns)), np.arange(1, 6) / 4
        points = x.astype(NUMPY[dtype])
        for weights in (None, w):
            given = None if weights is None else lw.asarray(weights.astype(NUMPY[dtype]))
            found = lw.polyfit(lw.asarray(points), lw.asarray(y), deg, w=given)
            check(found, np.polyfit(x, wide(y), deg, w=weights), dtype, ulps=256, scale=2)
    # of fewer points than coefficients, the shortest solution
    few = lw.polyfit(lw.asarray([1.0, 2.0]), lw.asarray([1.0, 3.0]), 3)
    check(lw.polyval(few, lw.asarray([1.0, 2.0])), [1, 3], lw.float32, ulps=64)


def test_roots(backend: str) -> None:
    for dtype in due(FULL, "roots"):
        p = np.array([2, -6, -8, 24]).astype(NUMPY[dtype])
        found = lw.roots(lw.asarray(p), strip_zeros=False)
        check(lw.polyval(lw.asarray(p), found), np.zeros(3), complex_of(dtype), ulps=256, scale=128)
        check(lw.sum(found), 3, complex_of(dtype), ulps=64)
    for p in ([0.0, 0.0, 1.0, -3.0, 2.0, 0.0], [1.0], [0.0, 0.0], []):
        found = np.asarray(lw.roots(lw.asarray(p, dtype=lw.float64)))
        np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(np.roots(p)), atol=1e-12)


def test_what_does_not_fit_is_refused_in_our_words() -> None:
    x = lw.ones((2, 3))
    for call, words in (
        (lambda: lw.polyval(x, x), r"polyval: p is a vector of coefficients; got shape \(2, 3\)"),
        (lambda: lw.polyadd(x[0], x), r"polyadd: p2 is a vector of coefficients"),
        (lambda: lw.polymul(x[0, :0], x[0]), "polymul: takes polynomials of one coefficient or more"),
        (lambda: lw.polyder(x[0], -1), "polyder: m is 0 or more; got -1"),
        (lambda: lw.polyfit(x[0], x[0], -1), "polyfit: deg is 0 or more; got -1"),
        (lambda: lw.polyfit(x[0], x[:, 0], 1), r"polyfit: takes points of shape \(n,\) and values of shape"),
        (lambda: lw.polyfit(x[0], x[0], 1, w=x), "polyfit: the weights have the shape of the points"),
        (lambda: lw.roots(x), "roots: p is a vector of coefficients"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
