"""Reductions that pass over nan: against NumPy's own in a wide dtype, and of slices of nothing else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from cases import crossed, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NUMPY, TWO, check, dtypes, layouts, values, wide

import latticework as lw

CASES: list[tuple[tuple[int, ...], Any]] = [
    ((4, 5), 1), ((4, 5), None), ((4, 5), 0), ((3, 4, 2), (2, 0)), ((4, 5), ()), ((7,), -1), ((), None), ((0, 3), 1),
]  # fmt: skip
REDUCTIONS = {"nansum": "all", "nanprod": "all", "nanmean": "floating", "nanvar": "floating", "nanstd": "floating",
              "nanmax": "real numeric or bool", "nanmin": "real numeric or bool"}  # fmt: skip


def sample(dtype: lw.Dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Values with some nan, and in a matrix with a row of nothing else."""
    x = values(dtype, shape, low=-2, high=2).copy()
    if dtype.kind in "fc" and x.size > 4:
        x[..., 1] = np.nan
        if x.ndim > 1:
            x[-1] = np.nan
    return x


def numpys(name: str, x: np.ndarray, **options: Any) -> np.ndarray:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of slices of nothing but nan
        return np.asarray(getattr(np, name)(x, **options))


def result_dtype(name: str, dtype: lw.Dtype) -> lw.Dtype:
    if name in ("nansum", "nanprod", "nancumsum", "nancumprod"):
        return lw.sum(lw.asarray(np.zeros(1, NUMPY[dtype]))).dtype
    if name in ("nanvar", "nanstd") and dtype.kind == "c":
        return lw.float32 if dtype is lw.complex64 else lw.float64
    return dtype if name in ("nanmax", "nanmin") or dtype.kind in "fc" else lw.float32


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(backend: str, name: str) -> None:
    """No warning is raised, of a slice of nothing but nan either."""
    kinds = dtypes("all" if REDUCTIONS[name] == "floating" else REDUCTIONS[name])
    for (shape, axis), dtype in crossed(CASES, kinds, name):
        x = sample(dtype, shape)
        exact = wide(x).astype(float) if dtype.kind == "b" and name not in ("nanmax", "nanmin") else wide(x)
        for _, a in layouts(x):
            for keepdims in (False, True):
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    got = getattr(lw, name)(a, axis, keepdims=keepdims)
                expected = numpys(name, exact, axis=axis, keepdims=keepdims)
                check(got, expected, result_dtype(name, dtype), ulps=8 + x.size, scale=4)


@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_correction(backend: str, name: str) -> None:
    """nan where too few elements are left, where NumPy divides by zero."""
    x = np.array([[1, 2, 4, np.nan], [np.nan, np.nan, 3, np.nan], [np.nan] * 4])
    expected = [numpys(name, x[0], ddof=1), np.nan, np.nan]
    check(getattr(lw, name)(lw.asarray(x), axis=1, correction=1), expected, lw.float64)


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_running(backend: str, name: str) -> None:
    for (shape, axis), dtype in crossed([((4, 5), None), ((4, 5), 0), ((6,), -1)], dtypes("all"), name):
        x = sample(dtype, shape)
        out = result_dtype(name, dtype)
        expected = numpys(name, wide(x).astype(NUMPY[out] if dtype.kind in "biu" else wide(x).dtype), axis=axis)
        check(getattr(lw, name)(lw.asarray(x), axis), expected, out, ulps=8 + x.size, scale=4)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_positions(backend: str, name: str) -> None:
    """-1 of nothing but nan; an infinity that is there is told from a nan, which NumPy's takes for one."""
    inf = -np.inf if name == "nanargmax" else np.inf
    for dtype in dtypes("real floating"):
        x = np.array([[1, np.nan, 2, 2], [np.nan] * 4, [np.nan, inf, np.nan, inf], [3, -3, 1, -3]], NUMPY[dtype])
        expected = [getattr(np, name)(wide(x)[0]), -1, 1, getattr(np, name)(wide(x)[3])]
        check(getattr(lw, name)(lw.asarray(x), axis=1), expected, lw.int64)
        check(getattr(lw, name)(lw.asarray(x[:1]), keepdims=True), [[expected[0]]], lw.int64)
    for dtype in (lw.uint16, lw.bool):
        x = values(dtype, (3, 4))
        check(getattr(lw, name)(lw.asarray(x), 0), getattr(np, name)(x, 0), lw.int64)


def test_sums_of_16_bits_do_not_stall(backend: str) -> None:
    for dtype in (lw.float16, lw.bfloat16):
        x = lw.asarray(np.where(np.arange(6000) % 2, 1, np.nan).astype(NUMPY[dtype]))
        check(lw.nansum(x), 3000, dtype, ulps=1)
        check(lw.nanmean(x), 1, dtype, ulps=0)
        check(lw.nanvar(x), 0, dtype, ulps=0)


def test_errors(backend: str) -> None:
    x = lw.asarray(values(lw.float32, (2, 3)))
    for name in (*REDUCTIONS, "nancumsum", "nancumprod", "nanargmax", "nanargmin"):
        with pytest.raises(lw.errors.AxisError, match=rf"^{name}: axis 2 is out of bounds for array of shape \(2, 3\)"):
            getattr(lw, name)(x, axis=2)
    for name in ("nanmax", "nanmin", "nanargmax", "nanargmin"):
        with pytest.raises(ValueError, match=rf"^{name}: of no elements there is none; got shape \(0, 3\)"):
            getattr(lw, name)(x[:0], axis=0)


def test_shapes_without_data() -> None:
    x = lw.spec((None, 4), "bfloat16")
    assert str(lw.infer(lw.nanmean, x, axis=1)) == "bfloat16[?]"
    assert str(lw.infer(lw.nanargmax, x, axis=0, keepdims=True)) == "int64[1, 4]"
    assert str(lw.infer(lw.nancumsum, x)) == "bfloat16[?]"


@settings(max_examples=examples(40), deadline=None)
@given(x=st.lists(st.one_of(st.floats(-8, 8, width=16), st.just(float("nan"))), min_size=1, max_size=9))
def test_drawn_arrays(x: list[float]) -> None:
    for name in REDUCTIONS:
        expected = numpys(name, np.array(x))
        for b in TWO:
            got = getattr(lw, name)(lw.asarray(np.array(x), backend=b))
            check(got, expected, lw.float64, ulps=64, scale=64)


def test_sums_to_bool_by_rules_that_have_them(backend: str) -> None:
    x = lw.asarray([[0.0, 2.0], [0.0, 0.0]])
    with lw.using(rules="tensorflow-numpy"):
        check(lw.nansum(x, axis=1, dtype="bool"), [True, False], lw.bool)
        check(lw.nanprod(x, axis=1, dtype="bool"), [False, False], lw.bool)
    with pytest.raises(TypeError, match="dtype must be a numeric one; got bool"):
        lw.nansum(x, dtype="bool")
