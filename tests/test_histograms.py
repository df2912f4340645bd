"""Counts of integers, bins and histograms, against NumPy's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import crossed, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NUMPY, TWO, check, dtypes, skip_lazy, values, wide

import latticework as lw

#: Values in eighths, so that the edges of the bins below are met exactly.
RANGE = (-4.0, 4.0)


@pytest.mark.parametrize("length", [None, 3, 9])
def test_bincount(backend: str, length: int | None) -> None:
    """With a length, what is negative or beyond it is counted nowhere."""
    for dtype in dtypes("integral"):
        x = values(dtype, (20,), low=0, high=5)
        expected = np.bincount(x.astype(int), minlength=length or 0)[:length]
        check(lw.bincount(lw.asarray(x), length=length), expected, lw.int64)
    x = np.array([1, 7, 1, 0])
    check(lw.bincount(lw.asarray(x), minlength=10), np.bincount(x, minlength=10), lw.int64)
    check(lw.bincount(lw.asarray(x == 1)), [2, 2], lw.int64)
    if length is not None:
        check(lw.bincount(lw.asarray([-1, 2, -5, 2, 100]), length=length), np.eye(length)[2] * 2, lw.int64)
    check(lw.bincount(lw.zeros(0, dtype=lw.int64), minlength=2), [0, 0], lw.int64)


def test_bincount_of_weights(backend: str) -> None:
    for length, dtype in crossed([None, 4], dtypes("numeric"), "_weighted_bincount"):
        x, w = values(lw.int64, (20,), low=0, high=5), values(dtype, (20,), seed=1)
        expected = np.zeros(6, wide(w).dtype)
        np.add.at(expected, x, wide(w))
        check(lw.bincount(lw.asarray(x), lw.asarray(w), length=length), expected[:length], dtype, scale=16)
    ones = lw.asarray(np.ones(3000, NUMPY[lw.bfloat16]))
    check(lw.bincount(lw.zeros(3000, dtype=lw.int64), ones, length=1), [3000], lw.bfloat16, ulps=1)


@pytest.mark.parametrize("right", [False, True])
def test_digitize(backend: str, right: bool) -> None:
    for ascending, dtype in crossed([True, False], dtypes("real numeric"), "digitize", "searchsorted"):
        x, bins = values(dtype, (3, 5)), np.array([0, 1, 3, 4], NUMPY[dtype])[:: 1 if ascending else -1]
        if dtype.kind == "f":
            x[0, :2] = np.nan, np.inf
        check(lw.digitize(lw.asarray(x), lw.asarray(bins), right), np.digitize(wide(x), wide(bins), right), lw.int64)
    check(lw.digitize(lw.asarray([1.0, 2.0]), lw.asarray([1.5])), [0, 1], lw.int64)


HISTOGRAMS: dict[str, dict[str, Any]] = {
    "by number": {"bins": 8, "range": RANGE},
    "of all": {"bins": 4},
    "by edges": {"bins": [-3.0, -1.0, 0.5, 4.0]},
    "density": {"bins": 4, "range": RANGE, "density": True},
    "a part": {"bins": 2, "range": (-1.0, 1.0)},
}


@pytest.mark.parametrize("case", HISTOGRAMS)
def test_histogram(backend: str, case: str) -> None:
    for shape, dtype in crossed([(40,), (3, 7)], dtypes("real numeric"), "histogram"):
        x = values(dtype, shape)
        x.flat[:2] = 0, 4  # so that edges are where they are not rounded
        if dtype.kind != "u":
            x.flat[2] = -4
        out = dtype if dtype.kind == "f" else lw.float32
        counts, edges = np.histogram(wide(x), **HISTOGRAMS[case])
        got = lw.histogram(lw.asarray(x), **HISTOGRAMS[case])
        density = "density" in HISTOGRAMS[case]
        check(got.histogram, counts, out if density else lw.int64)
        check(got.bin_edges, edges, out, scale=1)
        check(lw.histogram_bin_edges(lw.asarray(x), **{k: v for k, v in HISTOGRAMS[case].items() if k != "density"}),
              edges, out, scale=1)  # fmt: skip


def test_histogram_of_weights_nan_and_nothing(backend: str) -> None:
    x, w = values(lw.float64, (30,)), values(lw.float64, (30,), seed=2)
    for options in ({}, {"density": True}):
        expected, _ = np.histogram(x, 4, RANGE, weights=w, **options)
        check(lw.histogram(lw.asarray(x), 4, RANGE, weights=lw.asarray(w), **options)[0], expected, lw.float64, scale=8)
    x[::3] = np.nan
    check(lw.histogram(lw.asarray(x), 4, RANGE)[0], np.histogram(x[~np.isnan(x)], 4, RANGE)[0], lw.int64)
    for one in (np.zeros(0), np.full(3, 2.5)):
        for g, e, dtype in zip(lw.histogram(lw.asarray(one), 3), np.histogram(one, 3), (lw.int64, lw.float64),
                               strict=True):  # fmt: skip
            check(g, e, dtype)


@pytest.mark.parametrize("limits", [(-6, 6), (0, 1), (1e6, 1e6 + 10), (-1e-3, 5), (0, 1e-30), (1e8, 1e8 + 64)])
def test_elements_at_and_beside_edges(limits: tuple[float, float]) -> None:
    """They are counted by the edges themselves, wherever rounding puts them by their distance from the first."""
    for dtype in (np.float32, np.float64):
        for n in (1, 4, 50, 1001):
            x = np.linspace(*limits, n + 1, dtype=dtype)
            around = [np.nextafter(x, dtype(-np.inf)), x, np.nextafter(x, dtype(np.inf))]
            x = np.concatenate([*around, np.linspace(*limits, 30_000, dtype=dtype), np.array([np.nan, np.inf], dtype)])
            counts, edges = map(np.asarray, lw.histogram(lw.asarray(x, backend="numpy"), n, limits))
            inside = x[(x >= edges[0]) & (x <= edges[-1])]
            places = np.minimum(np.searchsorted(edges, inside, side="right") - 1, n - 1)
            np.testing.assert_array_equal(counts, np.bincount(places, minlength=n))


@pytest.mark.parametrize("word", ["sqrt", "sturges", "rice", "scott", "fd", "doane", "auto"])
def test_estimators(backend: str, word: str) -> None:
    skip_lazy(backend, "estimators look at values")
    for limits in (None, (-2.0, 3.0)):
        for x in (values(lw.float64, (50,)), np.ones(5), values(lw.int64, (50,))):
            got = lw.histogram_bin_edges(lw.asarray(x), word, limits)
            expected = np.histogram_bin_edges(x, word, limits)
            check(got, expected, lw.float64 if x.dtype.kind == "f" else lw.float32, scale=4)


POINTS: dict[str, dict[str, Any]] = {
    "one number": {"bins": 3, "range": [RANGE, RANGE]},
    "several": {"bins": [2, [-4.0, 0.0, 1.0, 4.0]]},
    "density": {"bins": (2, 4), "range": [RANGE, (0.0, 2.0)], "density": True},
    "edges of both": {"bins": [-4.0, 0.0, 2.0]},
}


@pytest.mark.parametrize("case", POINTS)
def test_histogram2d(backend: str, case: str) -> None:
    options = POINTS[case]
    x, y = values(lw.float64, (40,)), values(lw.float64, (40,), seed=1)
    x[:2], y[:2] = (-4, 4), (-4, 4)
    counts, *edges = np.histogram2d(x, y, **options)
    got = lw.histogram2d(lw.asarray(x), lw.asarray(y), **options)
    density = "density" in options
    check(got.histogram, counts if density else counts.astype(int), lw.float64 if density else lw.int64)
    check(got.x_edges, edges[0], lw.float64)
    check(got.y_edges, edges[1], lw.float64)


def test_histogramdd(backend: str) -> None:
    points, w = values(lw.float64, (40, 3)), values(lw.float64, (40,), seed=1)
    options: dict[str, Any] = {"bins": (2, 3, 1), "range": [RANGE] * 3}
    counts, edges = np.histogramdd(points, weights=w, **options)
    got = lw.histogramdd(lw.asarray(points), weights=lw.asarray(w), **options)
    check(got.histogram, counts, lw.float64, scale=8)
    assert len(got.bin_edges) == 3
    check(got.bin_edges[1], edges[1], lw.float64)
    columns = [lw.asarray(np.ascontiguousarray(points[:, i])) for i in range(3)]
    check(lw.histogramdd(columns, **options).histogram, np.histogramdd(points, **options)[0].astype(int), lw.int64)


@pytest.mark.parametrize("rules", ["numpy", "torch", "paddle", "max-2024", "tensorflow-safe"])
def test_under_other_rules(rules: str) -> None:
    """Rules that mix no integers with floats, or no scalars with arrays, refuse no step on the way."""
    with lw.using(backend="numpy", rules=rules):
        x = lw.asarray([0, 1, 1, 4], dtype=lw.int32)
        check(lw.histogram(x, 2)[0], [3, 1], lw.int64)
        check(lw.histogram2d(x, x, 2)[0], [[3, 0], [0, 1]], lw.int64)


@pytest.mark.needs("torch", "jax")
def test_inside_compiled_functions() -> None:
    """With a length, and for histograms always, shapes depend on no values."""
    import jax
    import torch

    with lw.using(backend="jax"):
        x = lw.asarray([1, 3, 1])
        check(jax.jit(lambda a: lw.bincount(a, length=4))(x), [0, 2, 0, 1], lw.int64)
        y = lw.asarray([0.0, 1.0, 4.0])
        check(jax.jit(lambda a: lw.histogram(a, 2)[0])(y), [2, 1], lw.int64)
        with pytest.raises(ValueError, match=r"^bincount: how long the result is depends on values.*Give length="):
            jax.jit(lw.bincount)(x)
    batch = torch.tensor([[1, 3, 1], [0, 0, 2]])
    counts = torch.func.vmap(lambda a: lw.bincount(lw.asarray(a), length=4).data)(batch)
    np.testing.assert_array_equal(counts, [[0, 2, 0, 1], [2, 0, 1, 0]])


def test_errors(backend: str) -> None:
    x = lw.asarray(values(lw.float32, (6,)))
    wrong: dict[str, Callable[[], Any]] = {
        r"^bincount: x must have exactly one axis; got shape \(1, 2\)": lambda: lw.bincount(lw.asarray([[1, 2]])),
        "^bincount: weights must have the shape of x": lambda: lw.bincount(lw.asarray([1, 2]), x),
        "^digitize: bins must have exactly one axis": lambda: lw.digitize(x, x[None, :]),
        "^histogram: there must be one bin or more; got bins=0": lambda: lw.histogram(x, 0),
        "^histogram: range is two finite numbers in ascending order": lambda: lw.histogram(x, 3, (1, 0)),
        "^histogram: bins is a number, edges, or one of .*; got 'best'": lambda: lw.histogram(x, "best"),
        r"^histogram: arrays must have one shape; got \(6,\) and \(2,\)": lambda: lw.histogram(x, weights=x[:2]),
        "^histogram2d: takes a range for each of 2": lambda: lw.histogram2d(x, x, range=[(0, 1)]),
        "^histogramdd: takes a matrix of points": lambda: lw.histogramdd(x),
    }
    for message, call in wrong.items():
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="^bincount: x must have an integer dtype; got float32"):
        lw.bincount(x)
    skip_lazy(backend, "a negative element is found when it is computed")
    with pytest.raises(ValueError, match="^bincount: x must not be negative; its least element is -3"):
        lw.bincount(lw.asarray([1, -3]))


def test_bincount_of_what_no_memory_has_counts_for(backend: str) -> None:
    """NumPy's own function writes outside of its memory for the greatest int64, and JAX's ends the process."""
    skip_lazy(backend, "the greatest element is known when it is computed")
    for greatest in (2**62, 2**63 - 1):
        for weights in (None, lw.ones(2)):
            with pytest.raises(ValueError, match=rf"^bincount: there is no memory .* the greatest element, {greatest}"):
                lw.bincount(lw.asarray([1, greatest], dtype="int64"), weights)


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_drawn_histograms(data: st.DataObject) -> None:
    x = np.array(data.draw(st.lists(st.integers(-32, 32), max_size=30)), float) / 8
    n = data.draw(st.sampled_from([1, 2, 4, 8, 16]))
    for name in TWO:
        check(lw.histogram(lw.asarray(x, backend=name), n, RANGE)[0], np.histogram(x, n, RANGE)[0], lw.int64)
