"""Averages, covariances, correlations, sums of exponentials and running extremes, against NumPy, SciPy and PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from cases import crossed, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import check, dtypes, values, wide

import latticework as lw


def floating(dtype: lw.Dtype) -> lw.Dtype:
    return dtype if dtype.kind in "fc" else lw.float32


def positive(shape: tuple[int, ...]) -> np.ndarray:
    """Weights in eighths."""
    return np.abs(values(lw.float32, shape, seed=1)) + 0.125


AVERAGES: list[tuple[tuple[int, ...], Any, Any]] = [
    ((3, 4), 1, None), ((3, 4), None, (3, 4)), ((3, 4), 0, (3,)), ((2, 3, 4), (2, 0), (4, 2)),
    ((2, 3, 4), 1, (2, 3, 4)), ((5,), -1, (5,)),
]  # fmt: skip


def test_average(backend: str) -> None:
    for (shape, axis, of), dtype in crossed(AVERAGES, dtypes("all"), "average"):
        x = values(dtype, shape)
        w = None if of is None else positive(of)
        for keepdims in (False, True):
            expected = np.average(wide(x), axis=axis, weights=None if w is None else w.astype(float), keepdims=keepdims)
            out = floating(dtype)
            weights = None if w is None else lw.astype(lw.asarray(w), lw.real(lw.zeros(1, dtype=out)).dtype)
            check(lw.average(lw.asarray(x), axis, weights, keepdims=keepdims), expected, out, ulps=16, scale=4)


COVARIANCES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "rows": ((3, 6), {}),
    "columns": ((6, 3), {"rowvar": False}),
    "one variable": ((6,), {}),
    "population": ((3, 6), {"correction": 0}),
    "counted": ((3, 4), {"fweights": np.array([1, 2, 0, 3])}),
    "weighted": ((3, 4), {"aweights": np.array([0.5, 2, 1, 0.25], np.float32)}),
    "both weights": (
        (2, 4), {"fweights": np.array([1, 2, 0, 3]), "aweights": np.array([0.5, 2, 1, 0.25], np.float32)}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", COVARIANCES)
def test_cov(backend: str, case: str) -> None:
    shape, options = COVARIANCES[case]
    theirs = {"ddof" if name == "correction" else name: v for name, v in options.items()}
    kinds = dtypes("all") if case == "rows" else [lw.float32, lw.complex128, lw.float16]
    for _, dtype in crossed([shape], kinds, "cov"):
        x = values(dtype, shape)
        real = lw.real(lw.zeros(1, dtype=floating(dtype))).dtype
        weights = {n: lw.astype(lw.asarray(v), real) for n, v in options.items() if n.endswith("weights")}
        got = lw.cov(lw.asarray(x), **{**options, **weights})
        check(got, np.cov(wide(x).astype(complex if dtype.kind == "c" else float), **theirs), floating(dtype), ulps=16,
              scale=8)  # fmt: skip


def test_cov_of_two(backend: str) -> None:
    x, y = values(lw.float64, (2, 5)), values(lw.float64, (5,), seed=3)
    check(lw.cov(lw.asarray(x), lw.asarray(y)), np.cov(x, y), lw.float64, ulps=16, scale=8)
    check(lw.cov(lw.asarray(x.T), lw.asarray(x.T), False), np.cov(x.T, x.T, False), lw.float64, ulps=16, scale=8)
    check(lw.corrcoef(lw.asarray(y), lw.asarray(x)), np.corrcoef(y, x), lw.float64, ulps=16, scale=1)
    check(lw.cov(lw.asarray([[1.0], [2.0]])), np.full((2, 2), np.nan), lw.float32)


def test_corrcoef(backend: str) -> None:
    for (shape, rowvar), dtype in crossed([((3, 6), True), ((6, 2), False), ((6,), True)], dtypes("all"), "corrcoef"):
        x = values(dtype, shape)
        with np.errstate(all="ignore"):
            expected = np.corrcoef(wide(x).astype(complex if dtype.kind == "c" else float), rowvar=rowvar)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = lw.corrcoef(lw.asarray(x), rowvar=rowvar)
        check(got, expected, floating(dtype), ulps=32, scale=1)


# --- sums of exponentials -----------------------------------------------------------------------------------------

SUMS: list[tuple[tuple[int, ...], Any]] = [((3, 4), 1), ((3, 4), None), ((2, 3, 4), (0, 2)), ((3, 4), ()), ((0, 3), 0)]


def test_logsumexp(backend: str) -> None:
    for (shape, axis), dtype in crossed(SUMS, dtypes("real numeric or bool"), "logsumexp"):
        x = values(dtype, shape)
        for keepdims in (False, True):
            exact = wide(x).astype(float)
            with np.errstate(all="ignore"):
                expected = np.log(np.sum(np.exp(exact), axis=axis, keepdims=keepdims))
                got = lw.logsumexp(lw.asarray(x), axis, keepdims=keepdims)
            check(got, expected, floating(dtype), ulps=16, scale=4)


def test_logsumexp_of_extremes_and_weights(backend: str) -> None:
    inf, nan = np.inf, np.nan
    x = np.array([[1e4, 1e4, -inf], [inf, 0, 1], [-inf, -inf, -inf], [nan, 0, 1], [-1e4, -1e4, 0]])
    w = np.array([[1, 2, 3], [0, 1, 2], [1, 1, 1], [0, 1, 0], [1, 3, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = lw.logsumexp(lw.asarray(x), axis=1)
        weighted = lw.logsumexp(lw.asarray(x), axis=1, weights=lw.asarray(w))
        masked = lw.logsumexp(lw.asarray(x), axis=1, weights=lw.asarray(w > 0))
    check(plain, scipy.special.logsumexp(x, axis=1), lw.float64)
    filled = np.where(w == 0, 0, x)
    with np.errstate(all="ignore"):
        check(weighted, scipy.special.logsumexp(filled, axis=1, b=w), lw.float64)
        check(masked, scipy.special.logsumexp(filled, axis=1, b=w > 0), lw.float64)
        check(lw.logsumexp(lw.asarray([0.0, 1.0]), weights=lw.asarray([1.0, -1.0])), nan, lw.float32)


# --- running ------------------------------------------------------------------------------------------------------

RUNNING: dict[str, Callable[..., Any]] = {
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
    "logcumsumexp": np.logaddexp.accumulate,
}


@pytest.mark.parametrize("name", RUNNING)
def test_running(backend: str, name: str) -> None:
    cases: list[tuple[tuple[int, ...], int]] = [((3, 7), 1), ((3, 7), 0), ((5,), -1), ((1,), 0), ((0, 2), 0)]
    for (shape, axis), dtype in crossed(cases, dtypes("real numeric or bool"), name):
        x = values(dtype, shape)
        exact = wide(x)
        if dtype.kind == "f" and x.size > 12:
            x[..., 2], x[..., 4] = -np.inf, np.nan
            exact = wide(x)
        out = floating(dtype) if name == "logcumsumexp" else dtype
        exact = exact.astype(float) if name == "logcumsumexp" else exact
        check(getattr(lw, name)(lw.asarray(x), axis), RUNNING[name](exact, axis=axis), out, ulps=8, scale=4)
    check(getattr(lw, name)(lw.asarray([2.0, 1.0])), RUNNING[name](np.array([2.0, 1.0])), lw.float32)


@settings(max_examples=examples(30), deadline=None)
@given(x=st.lists(st.floats(-8, 8, width=16), min_size=1, max_size=20))
def test_running_by_doubling(x: list[float]) -> None:
    """The body, which backends without a function of their own compute."""
    from latticework.api.running import _scanned

    with lw.using(backend="numpy"):
        got = _scanned(lw.maximum, lw.asarray(np.array(x)), 0)
    check(got, np.maximum.accumulate(x), lw.float64, ulps=0)


def test_errors(backend: str) -> None:
    x = lw.asarray(values(lw.float32, (2, 3)))
    wrong: dict[str, Callable[[], Any]] = {
        r"^average: weights must have the shape of x, \(2, 3\), or .*\(3,\); got \(2,\)": lambda: lw.average(
            x, 1, lw.zeros(2)
        ),
        r"^cov: shapes \(2, 3\) and \(2, 4\) do not fit together": lambda: lw.cov(x, lw.zeros((2, 4))),
        r"^cov: takes arrays of at most two axes; got shape \(1, 2, 3\)": lambda: lw.cov(x[None, ...]),
        r"^cov: fweights must have one axis of 3 obs": lambda: lw.cov(x, fweights=lw.zeros(2)),
        r"^corrcoef: shapes": lambda: lw.corrcoef(x, x[:, :2]),
        r"^logsumexp: weights of shape \(2,\) do not": lambda: lw.logsumexp(x, weights=lw.zeros(2)),
        r"^cummax: axis may be left out only": lambda: lw.cummax(x),
    }
    for message, call in wrong.items():
        with pytest.raises(ValueError, match=message):
            call()
    for name in ("average", "logsumexp", "cummax", "cummin", "logcumsumexp"):
        with pytest.raises(lw.errors.AxisError, match=f"^{name}: axis 2 is out of bounds"):
            getattr(lw, name)(x, axis=2)


def test_shapes_without_data() -> None:
    x = lw.spec((4, None), "float16")
    assert str(lw.infer(lw.cov, x)) == "float16[4, 4]"
    assert str(lw.infer(lw.corrcoef, x, rowvar=False)) == "float16[?, ?]"
    assert str(lw.infer(lw.average, x, 1, lw.spec((None,), "float32"))) == "float32[4]"
    assert str(lw.infer(lw.logsumexp, x, axis=0)) == "float16[?]"
    assert str(lw.infer(lw.cummax, x, axis=1)) == "float16[4, ?]"
