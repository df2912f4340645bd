"""Medians, quantiles and percentiles, by every method, against NumPy's own in float64."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import crossed, examples, sampled
from hypothesis import given, settings
from hypothesis import strategies as st
from support import TWO, check, dtypes, frames, layouts, values, wide

import latticework as lw
from latticework.api.order_statistics import METHODS

CASES: list[tuple[tuple[int, ...], Any]] = [
    ((5, 6), 1), ((5, 6), None), ((5, 6), 0), ((3, 4, 2), (2, 0)), ((3, 4, 2), (-1, 1, 0)), ((7,), -1), ((1,), 0),
    ((0, 3), 0), ((0, 3), 1),
]  # fmt: skip
#: One quantile, some, and some in an order and a shape of their own.
REQUESTS: list[Any] = [0.5, 0.3, [0.0, 0.25, 0.4, 1.0], [[0.9], [0.1]]]


def numpys(name: str, x: np.ndarray, *args: Any, **options: Any) -> np.ndarray:
    """NumPy's answer in float64, without its warnings; nan of no elements, of which its quantiles are errors."""
    axis = options.get("axis")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not x.size:
            left = np.sum(wide(x), axis=axis, keepdims=options.get("keepdims", False))
            return np.full((*np.shape(args[0] if args else 0), *left.shape), np.nan)
        return np.asarray(getattr(np, name)(wide(x).astype(float), *args, **options))


def floating(dtype: lw.Dtype) -> lw.Dtype:
    return dtype if dtype.kind == "f" else lw.float32


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians(backend: str, name: str) -> None:
    for (shape, axis), dtype in crossed(CASES, dtypes("real numeric or bool"), name):
        x = with_nans(values(dtype, shape), name)
        for _, a in layouts(x):
            for keepdims in (False, True):
                got = getattr(lw, name)(a, axis, keepdims=keepdims)
                check(got, numpys(name, x, axis=axis, keepdims=keepdims), floating(dtype))


def with_nans(x: np.ndarray, name: str) -> np.ndarray:
    """Some elements nan, and in a matrix all of a row."""
    x = x.copy()
    if x.dtype.kind == "f" and x.size > 4:
        x[..., 1] = np.nan
        if name.startswith("nan") and x.ndim > 1:
            x[0] = np.nan
    return x


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_quantiles(backend: str, name: str) -> None:
    scale = 100 if "percent" in name else 1
    kinds = sampled([(d, m) for d in (lw.float64, lw.float32) for m in METHODS], 4, name)
    for ((shape, axis), q), (dtype, method) in crossed([(c, q) for c in CASES for q in REQUESTS], kinds, name):
        x = with_nans(values(dtype, shape), name)
        requested = np.multiply(q, scale)
        if name.startswith("nan") and requested.ndim > 1:
            continue  # which NumPy's take no q of
        for keepdims in (False, True):
            options: dict[str, Any] = {"axis": axis, "method": method, "keepdims": keepdims}
            expected = numpys(name, x, requested, **options)
            check(getattr(lw, name)(lw.asarray(x), requested.tolist(), **options), expected, dtype, scale=4)


def test_quantiles_of_other_dtypes(backend: str) -> None:
    for q, dtype in crossed([[0.2, 0.5], 0.75], dtypes("real numeric or bool"), "quantile"):
        x = values(dtype, (3, 8))
        check(lw.quantile(lw.asarray(x), q, axis=1), numpys("quantile", x, q, axis=1), floating(dtype), scale=4)
        check(lw.nanquantile(lw.asarray(x), q, axis=1), numpys("quantile", x, q, axis=1), floating(dtype), scale=8)


@pytest.mark.parametrize("name", ["quantile", "nanpercentile"])
def test_quantiles_at_an_array(backend: str, name: str) -> None:
    """Which elements are needed follows from values then. What is not from 0 to 1 gives nan."""
    scale = 100 if "percent" in name else 1
    x = with_nans(values(lw.float64, (4, 9)), "nan")[:, 2:]
    for method in sampled(METHODS, 3, name):
        for q in (0.35, [[0.5, 0.0, 1.0], [0.7, 0.15, 0.9]]):
            at = lw.asarray(np.multiply(q, scale))
            expected = numpys(name, x, np.ravel(q) * scale, axis=1, method=method).reshape((*np.shape(q), 4))
            check(getattr(lw, name)(lw.asarray(x), at, axis=1, method=method), expected, lw.float64, ulps=64, scale=4)
    beyond = lw.quantile(lw.asarray([1.0, 2.0]), lw.asarray([-0.1, 1.0, 1.1]))
    check(beyond, [np.nan, 2, np.nan], lw.float32)


def test_infinities(backend: str) -> None:
    """Between equal infinities there is that infinity, where NumPy's difference of the two is nan."""
    x = lw.asarray([[-np.inf, -np.inf, 1, np.inf], [0, np.inf, np.inf, np.inf], [-np.inf, 0, 0, 1]])
    check(lw.quantile(x, 0.2, axis=1), [-np.inf, np.inf, -np.inf], lw.float32)
    check(lw.median(x, axis=1), [-np.inf, np.inf, 0], lw.float32)
    check(lw.nanmedian(lw.asarray([np.inf, 0.5, -1.0])), 0.5, lw.float32)


def test_medians_without_axes(backend: str) -> None:
    for name in ("median", "nanmedian"):
        check(getattr(lw, name)(lw.asarray(2.5)), 2.5, lw.float32)


def test_medians_of_complex_numbers_by_rules_that_have_them(backend: str) -> None:
    """No backend has one, whatever the shape: PyTorch's own looks at the shape first."""
    with lw.using(rules="numpy"):
        for x in (lw.zeros((0,), dtype=lw.complex64), lw.ones(3, dtype=lw.complex64)):
            with pytest.raises(lw.errors.BackendError, match=r"^median: the numpy rules compute in complex64"):
                lw.median(x)


def test_medians_of_what_is_broadcast(backend: str) -> None:
    """PyTorch's own reads memory beyond such an array, which may hold anything: here the same number, or another."""
    rows = np.arange(1.0, 4.0, dtype=np.float32)[:, None]
    for f in (lw.median, lw.nanmedian):
        for n in (3, 4, 8):
            x = lw.broadcast_to(lw.asarray(rows), (3, n))
            check(f(x, axis=1), rows[:, 0], lw.float32)
            check(f(x), np.float32(2), lw.float32)


@pytest.mark.needs("torch")
def test_the_median_is_not_the_lower_one() -> None:
    import torch

    x = torch.tensor([4.0, 1.0, 3.0, 2.0])
    assert float(lw.median(lw.asarray(x))) == 2.5 == np.median(x.numpy())
    assert float(lw.quantile(lw.asarray(x), 0.5, method="lower")) == 2 == float(torch.median(x))
    for method in ("linear", "lower", "higher", "midpoint", "nearest"):
        theirs = torch.quantile(x, torch.tensor([0.1, 0.5, 0.8]), interpolation=method)
        np.testing.assert_allclose(np.asarray(lw.quantile(lw.asarray(x), [0.1, 0.5, 0.8], method=method)), theirs)


def test_ptp(backend: str) -> None:
    for axis, dtype in crossed([0, None, (1, 0)], dtypes("real numeric"), "ptp"):
        x = values(dtype, (3, 4))
        check(lw.ptp(lw.asarray(x), axis, keepdims=True), np.ptp(wide(x), axis=axis, keepdims=True), dtype)


def test_errors(backend: str) -> None:
    x = lw.asarray(values(lw.float32, (2, 3)))
    wrong: dict[str, Callable[[], Any]] = {
        "^quantile: q must be from 0 to 1; got 1.5": lambda: lw.quantile(x, 1.5),
        "^percentile: q must be from 0 to 100; got -1": lambda: lw.percentile(x, [50, -1]),
        "^nanquantile: method is 'linear' or .*; got 'cubic'": lambda: lw.nanquantile(x, 0.5, method="cubic"),
        "^quantile: q must be a number or rectangular": lambda: lw.quantile(x, [0.5, [0.5]]),
        "^ptp: of no elements": lambda: lw.ptp(x[:0], axis=0),
    }
    for message, call in wrong.items():
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(lw.errors.AxisError, match=r"^percentile: axis 2 is out of bounds for array of shape \(2, 3\)"):
        lw.percentile(x, 50, axis=2)
    with pytest.raises(lw.errors.AxisError, match="^median: axis -3 is out of bounds"):
        lw.median(x, axis=-3)
    with pytest.raises(TypeError, match="^quantile: q must be a number"):
        lw.quantile(x, "half")
    with pytest.raises(TypeError, match="median: takes real floating dtypes.*got complex64"):
        lw.median(lw.asarray([1j]))


def test_shapes_without_data() -> None:
    x = lw.spec((None, 4, 5), "float16")
    assert str(lw.infer(lw.quantile, x, [[0.1, 0.2]], axis=(0, 1))) == "float16[1, 2, 5]"
    assert str(lw.infer(lw.median, x, axis=1, keepdims=True)) == "float16[?, 1, 5]"
    assert str(lw.infer(lw.nanpercentile, x, 50)) == "float16[]"


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_quantiles_of_drawn_arrays(data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=12))
    q = data.draw(st.fractions(0, 1, max_denominator=16).map(float))
    method = data.draw(st.sampled_from(METHODS))
    x = np.array(numbers)
    expected = numpys("quantile", x, q, method=method)
    for name in TWO:
        for requested in (q, lw.asarray(np.array(q), backend=name)):
            got = lw.quantile(lw.asarray(x, backend=name), requested, method=method)
            check(got, expected, lw.float64, ulps=64, scale=100)


#: How many functions a median is made of, at its simplest: what is partitioned or sorted, two elements and their mean,
#: and two that look for a nan.
CALLS = {"median of an odd number": 5, "median of an even number": 10}


@pytest.mark.parametrize("case", CALLS)
def test_the_composition_is_short(case: str) -> None:
    with lw.using(backend="numpy"):
        x = lw.asarray(np.arange(5.0 if "odd" in case else 6.0))
        entered = [f for f in frames(lambda: lw.median(x)) if "backends/numpy" in f or "dispatch.py" in f]
    assert len([f for f in entered if "dispatch.py" in f]) <= CALLS[case] + 2, entered
