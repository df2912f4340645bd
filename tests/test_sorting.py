"""Sorting functions: order, stability and nan, the same on every backend."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases import WITH_AXES, crossed, due, examples, few
from hypothesis import given, settings
from hypothesis import strategies as st
from support import INSTALLED, NUMPY, check, check_equal, computed, dtypes, extremes, layouts, values, wide

import latticework as lw


def order_of(x: np.ndarray, axis: int, *, descending: bool) -> np.ndarray:
    """The stable order, from Python's own stable sort."""

    def key(line: np.ndarray, i: int) -> tuple[bool, Any]:
        v = line[i].item()
        v = int(v) if isinstance(v, bool) else v
        missing = isinstance(v, float) and math.isnan(v)
        rank = (missing, 0 if missing else v)
        return (not missing, 0 if missing else -v) if descending else rank

    def sort(line: np.ndarray) -> np.ndarray:
        return np.array(sorted(range(len(line)), key=lambda i: key(line, i)), np.int64)

    if not x.size:
        return np.zeros(x.shape, np.int64)
    lines = np.moveaxis(wide(x), axis, -1)
    found = np.array([sort(line) for line in lines.reshape(-1, x.shape[axis])], np.int64).reshape(lines.shape)
    return np.moveaxis(found, -1, axis)


def with_nans(x: np.ndarray, dtype: lw.Dtype) -> np.ndarray:
    """Some elements nan, some -0.0, where there are such."""
    if dtype.kind == "f":
        x = x.copy()
        flat = x.reshape(-1)
        flat[1::5], flat[2::7], flat[3::7] = np.nan, -0.0, 0.0
    return x


def test_sort_and_argsort(backend: str) -> None:
    cases = [
        (shape, axis, descending) for shape in WITH_AXES for axis in range(-len(shape), len(shape))
        for descending in (False, True)
    ]  # fmt: skip
    for (shape, axis, descending), dtype in crossed(cases, dtypes("real numeric or bool"), "sort", "argsort"):
        x = with_nans(values(dtype, shape), dtype)
        order = order_of(x, axis, descending=descending)
        expected = np.take_along_axis(x, order, axis)
        for _, a in layouts(x):
            check(lw.argsort(a, axis=axis, descending=descending), order, lw.int64)
            got = lw.sort(a, axis=axis, descending=descending)
            check(got, expected, dtype, ulps=0)
            if dtype.kind == "f":  # equal zeros are in their old order
                signs = np.signbit(wide(expected))
                computed(got, lambda x, signs=signs: np.testing.assert_array_equal(np.signbit(wide(x)), signs))


def test_extremes(backend: str) -> None:
    for dtype in due(dtypes("real numeric or bool"), "sort", "argsort"):
        ends = extremes(dtype)
        rng = np.random.default_rng(3)
        more = [] if few() else [ends, ends[::-1].copy()]
        for x in (rng.permutation(np.repeat(ends, 3)), np.repeat(ends, 3), *more):
            for descending in (False, True):
                order = order_of(x, 0, descending=descending)
                check(lw.argsort(lw.asarray(x), descending=descending), order, lw.int64)
                check(lw.sort(lw.asarray(x), descending=descending), x[order], dtype, ulps=0)


def test_long_arrays_are_stable(backend: str) -> None:
    """Short arrays are sorted by insertion, which is stable whatever is asked for."""
    for dtype in due(dtypes("real numeric or bool"), "argsort"):
        x = with_nans(values(dtype, (700,)), dtype)
        for descending in (False, True):
            check(lw.argsort(lw.asarray(x), descending=descending), order_of(x, 0, descending=descending), lw.int64)


def test_unstable(backend: str) -> None:
    for descending, dtype in crossed((False, True), dtypes("real numeric or bool"), "sort", "argsort"):
        x = with_nans(values(dtype, (3, 40)), dtype)
        expected = np.take_along_axis(x, order_of(x, 1, descending=descending), 1)
        options: dict[str, Any] = {"descending": descending, "stable": False}
        check(lw.sort(lw.asarray(x), **options), expected, dtype, ulps=0)
        order = np.asarray(lw.argsort(lw.asarray(x), **options))
        np.testing.assert_array_equal(wide(np.take_along_axis(x, order, 1)), wide(expected))


def test_nans_of_either_sign_are_last(backend: str) -> None:
    for dtype in dtypes("real floating"):
        x = np.array([np.nan, np.inf, -np.nan, -np.inf, 1], NUMPY[dtype])
        x[2] = np.copysign(x[2], NUMPY[dtype].type(-1))
        check(lw.sort(lw.asarray(x)), [-np.inf, 1, np.inf, np.nan, np.nan], dtype)
        check(lw.argsort(lw.asarray(x)), [3, 4, 1, 0, 2], lw.int64)
        check(lw.argsort(lw.asarray(x), descending=True), [0, 2, 1, 4, 3], lw.int64)


def test_the_operand_is_left_alone(backend: str) -> None:
    for dtype in (lw.float32, lw.bfloat16, lw.uint16):
        x = np.array([3, 1, 2], NUMPY[dtype])
        for descending in (False, True):
            a = lw.asarray(x.copy())
            lw.sort(a, descending=descending)
            check(a, x, dtype)


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_errors(backend: str, name: str) -> None:
    f = getattr(lw, name)
    for dtype in (lw.float32, lw.bfloat16, lw.uint32, lw.bool):
        for shape, axis in [((2, 3), 2), ((2, 3), -3), ((), 0), ((), -1)]:
            for descending in (False, True):
                with pytest.raises(lw.errors.AxisError, match=rf"{name}: axis {axis} is out of bounds"):
                    f(lw.asarray(values(dtype, shape)), axis=axis, descending=descending)
        with pytest.raises(lw.errors.AxisError, match=f"{name}: axis -1 is out of bounds.*no axes"):
            f(lw.asarray(values(dtype, ())))
    with pytest.raises(TypeError, match=f"{name}: takes real numeric or bool.*got complex64"):
        f(lw.asarray([1j]))


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_sorted_over_the_whole_range(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes("real numeric")))
    if dtype.kind == "f":
        bits = data.draw(st.lists(st.integers(0, 2**dtype.bits - 1), max_size=12))  # nan of any payload among them
        x = np.array(bits, f"uint{dtype.bits}").view(NUMPY[dtype])
    else:
        info = lw.iinfo(dtype)
        x = np.array(data.draw(st.lists(st.integers(info.min, info.max), max_size=12)), NUMPY[dtype])
    descending = data.draw(st.booleans())
    tiny = lw.finfo(dtype).smallest_normal if dtype.kind == "f" else 0
    with np.errstate(all="ignore"):
        order = order_of(x, 0, descending=descending)
        for b in INSTALLED:
            if b == "jax" and ((x != 0) & (np.abs(wide(x)) < tiny)).any():
                continue  # XLA takes subnormal numbers for zeros
            a = lw.asarray(x, backend=b)
            check(lw.argsort(a, descending=descending), order, lw.int64)
            check(lw.sort(a, descending=descending), x[order], dtype, ulps=0)


# --- selection ----------------------------------------------------------------------------------------------------


def test_partition(backend: str) -> None:
    """At each kth place is what a sorted array has there, nothing greater before it and nothing less after it."""
    cases = [((3, 7), 1, (2,)), ((3, 7), 0, (0, -1)), ((6,), -1, (3,)), ((1,), 0, (0,)), ((2, 0, 5), 2, (1,))]
    for (shape, axis, kth), dtype in crossed(cases, dtypes("real numeric or bool"), "partition", "argpartition"):
        x = with_nans(values(dtype, shape), dtype)
        expected = np.take_along_axis(x, order_of(x, axis, descending=False), axis)
        a = lw.asarray(x)
        position = kth[0] if len(kth) == 1 else kth
        direct = lw.partition(a, position, axis=axis)
        taken = lw.take_along_axis(a, lw.argpartition(a, position, axis), axis=axis)
        for got in (direct, taken):
            check(lw.take(got, lw.asarray(kth), axis=axis), np.take(expected, kth, axis), dtype, ulps=0)
            check(lw.sort(got, axis=axis), expected, dtype, ulps=0)
            k = kth[0]
            first = got[(*(slice(None),) * (axis % len(shape)), slice(None, k))]
            check(lw.sort(first, axis=axis), np.take(expected, range(k), axis), dtype, ulps=0)


@pytest.mark.parametrize("largest", [True, False])
def test_top_k(backend: str, largest: bool) -> None:
    """Equal elements come by ascending index, and nan counts as the greatest."""
    cases = [((3, 7), 1, 3), ((3, 7), 0, 3), ((6,), -1, 6), ((4,), 0, 0), ((2, 0, 5), 2, 2)]
    for (shape, axis, k), dtype in crossed(cases, dtypes("real numeric or bool"), "top_k"):
        x = with_nans(values(dtype, shape, low=-2, high=2), dtype)
        order = np.take(order_of(x, axis, descending=largest), range(k), axis)
        got = lw.top_k(lw.asarray(x), k, axis, largest=largest)
        check(got.values, np.take_along_axis(x, order, axis), dtype, ulps=0)
        check(got.indices, order, lw.int64)
        loose = lw.top_k(lw.asarray(x), k=k, axis=axis, largest=largest, sorted=False)
        check(lw.sort(loose.values, axis=axis), np.sort(np.take_along_axis(wide(x), order, axis), axis), dtype, ulps=0)
        check_equal(lw.take_along_axis(lw.asarray(x), loose.indices, axis=axis), loose.values)


@pytest.mark.needs("torch", "jax", "tensorflow")
def test_top_k_is_that_of_the_frameworks() -> None:
    import jax
    import tensorflow as tf
    import torch

    x = np.array([[3, 1, 3, 2, 3, 0], [1, 1, 1, 0, 0, 2]], np.float32)
    values_, indices = lw.top_k(lw.asarray(x), 4)
    for theirs in (jax.lax.top_k(x, 4), tf.math.top_k(x, 4)):
        np.testing.assert_array_equal(np.asarray(values_), np.asarray(theirs[0]))
        np.testing.assert_array_equal(np.asarray(indices), np.asarray(theirs[1]))
    np.testing.assert_array_equal(np.asarray(values_), np.asarray(torch.topk(torch.asarray(x), 4)[0]))


def test_lexsort(backend: str) -> None:
    year, month = values(lw.int16, (4, 9), high=2), values(lw.float32, (4, 9), low=0, high=1)
    for axis in (0, 1, -1):
        got = lw.lexsort((lw.asarray(month), lw.asarray(year)), axis=axis)
        check(got, np.lexsort((month, year), axis=axis), lw.int64)
    check(lw.lexsort(lw.asarray(year[:, :4])), np.lexsort(year[:, :4]), lw.int64)


def test_errors_of_selection(backend: str) -> None:
    x = lw.asarray(values(lw.float32, (2, 3)))
    wrong: dict[str, Any] = {
        "top_k: k must be from 0 to 3, the extent of axis 1": lambda: lw.top_k(x, 4),
        "top_k: k must be from 0 to 2": lambda: lw.top_k(x, -1, axis=0),
        "partition: kth 3 is out of bounds for axis 1 of extent 3": lambda: lw.partition(x, 3),
        "argpartition: kth -3 is out of bounds for axis 0": lambda: lw.argpartition(x, (1, -3), axis=0),
        "lexsort: takes at least one key": lambda: lw.lexsort(()),
        "lexsort: shapes": lambda: lw.lexsort((x, x[0, :])),
    }
    for message, call in wrong.items():
        with pytest.raises(ValueError, match=message):
            call()
    for call in (lambda: lw.top_k(x, 1, axis=2), lambda: lw.partition(x, 1, -3), lambda: lw.lexsort((x, x), axis=2)):
        with pytest.raises(lw.errors.AxisError, match="is out of bounds for array of shape"):
            call()


def test_many_unsigned_integers_on_torch() -> None:
    """PyTorch sorts many elements by another kernel than few, which it does not have for unsigned integers."""
    pytest.importorskip("torch")
    for dtype in ("uint16", "uint32", "uint64"):
        x = np.random.default_rng(0).integers(0, np.iinfo(dtype).max, 50_000, dtype)
        a = lw.asarray(x, backend="torch")
        np.testing.assert_array_equal(np.asarray(lw.sort(a, descending=True)), np.sort(x)[::-1])
        np.testing.assert_array_equal(np.asarray(lw.argsort(a)), np.argsort(x, stable=True))
        np.testing.assert_array_equal(np.asarray(lw.unique_values(a)), np.unique(x))


def test_partitions_of_no_elements(backend: str) -> None:
    x = lw.zeros((2, 0))
    assert lw.partition(x, 1).shape == lw.argpartition(x, -1).shape == (2, 0)
