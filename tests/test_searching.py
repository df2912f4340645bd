"""Searching functions: every dtype, axis and layout against NumPy in a wide dtype."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cases import LINE, PAIRS, SHAPES, WITH_AXES, crossed, drawn, due, examples, few
from hypothesis import given, settings
from hypothesis import strategies as st
from support import INSTALLED, NUMPY, check, dtypes, extremes, filled, layouts, values, wide

import latticework as lw


def axes_of(shape: tuple[int, ...]) -> Iterator[Any]:
    yield from (None, *range(-len(shape), len(shape)))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argmax_and_argmin(backend: str, name: str) -> None:
    cases = [(shape, axis, keepdims) for shape in SHAPES for axis in axes_of(shape) for keepdims in (False, True)]
    for (shape, axis, keepdims), dtype in crossed(cases, dtypes("real numeric or bool"), name):
        x = values(dtype, shape)  # nine values at most in 24 elements: the first of several is asked for
        for _, a in layouts(x):
            if (math.prod(shape) if axis is None else shape[axis]) == 0:
                with pytest.raises(ValueError, match=f"{name}: of no elements there is none"):
                    getattr(lw, name)(a, axis=axis, keepdims=keepdims)
                continue
            expected = getattr(np, name)(wide(x), axis=axis, keepdims=keepdims)
            check(getattr(lw, name)(a, axis=axis, keepdims=keepdims), expected, lw.int64)
    for dtype in due(dtypes("real numeric or bool"), name):
        ends = extremes(dtype)
        ends = ends[~np.isnan(ends)] if dtype.kind == "f" else ends
        more = [] if few() else [ends, ends[::-1].copy()]
        for x in (np.repeat(ends, 2), np.tile(ends[::-1], 2), *more):
            check(getattr(lw, name)(lw.asarray(x)), getattr(np, name)(wide(x)), lw.int64)


def test_the_least_numbers_are_not_zero(backend: str) -> None:
    """To a processor that takes subnormal numbers for zeros either: their truth is that of `bool`."""
    for dtype in dtypes("floating"):
        real = np.finfo(NUMPY[dtype].type(0).real) if dtype.bits > 16 else ml_dtypes.finfo(NUMPY[dtype])
        least = real.smallest_subnormal
        given = [0, -0.0, least, -least, 1, np.nan]
        if dtype.kind == "c":
            given = [complex(a, b) for a in given for b in given]
        x = lw.asarray(np.array(given, NUMPY[dtype]))
        true = [n != 0 for n in given]
        assert [bool(x[i]) for i in range(len(given))] == true
        check(lw.astype(x, lw.bool), true, lw.bool)
        check(lw.any(x[:, None], axis=1), true, lw.bool)
        check(lw.all(x[:, None], axis=1), true, lw.bool)
        check(lw.count_nonzero(x), sum(true), lw.int64)
        check(lw.nonzero(x)[0], np.flatnonzero(true), lw.int64)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_nan_is_the_extreme(backend: str, name: str) -> None:
    for dtype in due(dtypes("real floating"), name):
        for n in (3, 50):
            x = values(dtype, (n,))
            x[1] = np.inf
            x[[n // 2, n - 1]] = np.nan
            check(getattr(lw, name)(lw.asarray(x)), n // 2, lw.int64)
            check(getattr(lw, name)(lw.asarray(np.stack([x, x], 1)), axis=0), [n // 2] * 2, lw.int64)


@pytest.mark.parametrize("name", ["argmax", "argmin", "count_nonzero"])
def test_wrong_axes(backend: str, name: str) -> None:
    f = getattr(lw, name)
    for dtype in (lw.float32, lw.uint16, lw.bool):
        for shape, axis in [((2, 3), 2), ((2, 3), -3), ((), 0), ((), -1)]:
            with pytest.raises(lw.errors.AxisError, match=f"{name}: axis {axis} is out of bounds"):
                f(lw.asarray(values(dtype, shape)), axis=axis)


@pytest.mark.parametrize("name", ["argmax", "argmin", "searchsorted"])
def test_complex_numbers_have_no_order(backend: str, name: str) -> None:
    x = lw.asarray([1j])
    with pytest.raises(TypeError, match=f"{name}: takes real numeric or bool.*got complex64"):
        getattr(lw, name)(*[x] * (1 + (name == "searchsorted")))


def test_count_nonzero(backend: str) -> None:
    cases = [
        (shape, axis, keepdims) for shape in SHAPES for keepdims in (False, True)
        for axis in [*axes_of(shape), (), *([(0, -1), tuple(range(len(shape)))] if len(shape) > 1 else [])]
    ]  # fmt: skip
    for (shape, axis, keepdims), dtype in crossed(cases, dtypes("all"), "count_nonzero"):
        x = values(dtype, shape, low=-1, high=1)
        for _, a in layouts(x):
            expected = np.add.reduce(wide(x) != 0, axis=axis, keepdims=keepdims, dtype=np.int64)
            check(lw.count_nonzero(a, axis=axis, keepdims=keepdims), expected, lw.int64)
    for dtype in due(dtypes("all"), "count_nonzero"):
        ends = extremes(dtype)
        check(lw.count_nonzero(lw.asarray(ends)), np.count_nonzero(wide(ends)), lw.int64)
    with pytest.raises(ValueError, match="count_nonzero: an axis is given twice"):
        lw.count_nonzero(lw.asarray([[1]]), axis=(0, 0))


def test_nonzero(backend: str) -> None:
    for shape, dtype in crossed(WITH_AXES, dtypes("all"), "nonzero"):
        x = values(dtype, shape, low=-1, high=1)
        for _, a in layouts(x):
            found = lw.nonzero(a)
            assert isinstance(found, tuple) and len(found) == len(shape)
            for positions, expected in zip(found, np.nonzero(wide(x)), strict=True):
                check(positions, expected, lw.int64)
    for dtype in due(dtypes("all"), "nonzero"):
        ends = extremes(dtype)
        check(lw.nonzero(lw.asarray(ends))[0], np.nonzero(wide(ends))[0], lw.int64)
        with pytest.raises(ValueError, match="nonzero: x must have at least one axis"):
            lw.nonzero(lw.asarray(values(dtype, ())))


def test_searchsorted(backend: str) -> None:
    cases = itertools.product((12, 0, 1), SHAPES, ("left", "right"))
    for (n, shape, side), dtype in crossed(cases, dtypes("real numeric or bool"), "searchsorted"):
        x1 = np.sort(wide(values(dtype, (n,)))).astype(NUMPY[dtype])
        x2 = values(dtype, shape, seed=1)
        for _, a in layouts(x2):
            expected = np.searchsorted(wide(x1), wide(x2), side=side)
            check(lw.searchsorted(lw.asarray(x1), a, side=side), expected, lw.int64)
    for dtype in due(dtypes("real numeric or bool"), "searchsorted"):
        ends = extremes(dtype)  # in ascending order, nan last
        for side in drawn(("left", "right"), dtype):
            expected = np.searchsorted(wide(ends), wide(ends), side=side)
            check(lw.searchsorted(lw.asarray(ends), lw.asarray(ends), side=side), expected, lw.int64)
            strided = lw.asarray(np.repeat(ends, 2))[::2]
            check(lw.searchsorted(strided, strided, side=side), expected, lw.int64)


def test_searchsorted_among_nans(backend: str) -> None:
    for dtype in due(dtypes("real floating"), "searchsorted"):
        x1 = np.array([-np.inf, -1, 0, 2, np.inf, np.inf, np.nan, np.nan], NUMPY[dtype])
        x2 = np.array([np.nan, np.inf, 3, 2, -0.0, -5, -np.inf], NUMPY[dtype])
        for count in (6, 7, 8):
            part = np.pad(x1[:count], (8 - count, 0), mode="edge")  # of one length, for which JAX compiles once
            for side in ("left", "right"):
                expected = np.searchsorted(wide(part), wide(x2), side=side)
                check(lw.searchsorted(lw.asarray(part), lw.asarray(x2), side=side), expected, lw.int64)
                got = lw.searchsorted(lw.asarray(part), math.nan, side=side)
                check(got, expected[0], lw.int64)


def test_searchsorted_in_rows(backend: str) -> None:
    """Each row of values in the sorted row of its own, which may end in nan."""
    cases = itertools.product([((2, 3, 5), 4), ((2, 0), 3), ((0, 4), 2), ((3, 4), 0)], ("left", "right"))
    for ((shape, m), side), dtype in crossed(cases, dtypes("real numeric or bool"), "searchsorted"):
        x1 = np.sort(wide(values(dtype, shape)), axis=-1).astype(NUMPY[dtype])
        x2 = values(dtype, (*shape[:-1], m), seed=1)
        expected = np.empty(x2.shape, np.int64)
        for at in np.ndindex(*shape[:-1]):
            expected[at] = np.searchsorted(wide(x1)[at], wide(x2)[at], side=side)
        check(lw.searchsorted(lw.asarray(x1), lw.asarray(x2), side=side), expected, lw.int64)
    x = lw.asarray(np.asarray([[1.0, np.nan, np.nan], [0.0, 2.0, np.inf]], np.float32))
    y = lw.asarray(np.asarray([[np.nan, 0.5, 1.0], [np.nan, np.inf, 3.0]], np.float32))
    left, right = np.asarray([[1, 0, 0], [3, 2, 2]]), np.asarray([[3, 0, 1], [3, 3, 2]])
    check(lw.searchsorted(x, y), left, lw.int64)
    check(lw.searchsorted(x, y, side="right"), right, lw.int64)
    check(lw.searchsorted(lw.flip(x, axis=1), y, sorter=lw.asarray([[2, 1, 0]] * 2)), left, lw.int64)


def test_searchsorted_with_a_sorter(backend: str) -> None:
    cases = itertools.product((lw.int64, lw.uint8, lw.uint32), ("left", "right"))
    for (index, side), dtype in crossed(cases, dtypes("real numeric or bool"), "searchsorted"):
        x1, x2 = values(dtype, (9,)), values(dtype, (2, 3), seed=1)
        order = np.argsort(wide(x1), kind="stable")
        sorter = lw.asarray(order.astype(NUMPY[index]))
        got = lw.searchsorted(lw.asarray(x1), lw.asarray(x2), side=side, sorter=sorter)
        check(got, np.searchsorted(wide(x1), wide(x2), side=side, sorter=order), lw.int64)
    for dtype in due(dtypes("real numeric or bool")):
        x1, x2 = values(dtype, (9,)), values(dtype, (2, 3), seed=1)
        order = np.argsort(wide(x1), kind="stable")
        check(lw.searchsorted(lw.asarray(x1), lw.asarray(x2), sorter=None, side="left").shape == (2, 3) and
              lw.searchsorted(lw.asarray(x1), x1.tolist()[0], sorter=lw.asarray(order)),
              np.searchsorted(wide(x1), wide(x1)[0], sorter=order), lw.int64)  # fmt: skip


def test_searchsorted_joins_its_operands(backend: str) -> None:
    whole, real = lw.asarray([1, 2, 4]), lw.asarray([1.5, 4.0])
    check(lw.searchsorted(whole, real), [1, 2], lw.int64)
    check(lw.searchsorted(real, whole), [0, 1, 1], lw.int64)
    check(lw.searchsorted(whole, 2), 1, lw.int64)
    check(lw.searchsorted(whole, 2, side="right"), 2, lw.int64)
    check(lw.searchsorted(whole, 2.5), 2, lw.int64)
    check(lw.searchsorted(lw.astype(whole, lw.uint64), 4), 2, lw.int64)
    check(lw.searchsorted(lw.astype(real, lw.bfloat16), 3), 1, lw.int64)
    with pytest.raises(OverflowError, match="searchsorted: Python int -1 does not fit uint8"):
        lw.searchsorted(lw.astype(whole, lw.uint8), -1)


def test_searchsorted_refuses(backend: str) -> None:
    x = lw.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="searchsorted: x1 must have at least one axis"):
        lw.searchsorted(lw.asarray(1.0), x)
    for found in (x, 2.0, lw.asarray([[1.0], [2.0]])):
        with pytest.raises(ValueError, match=r"searchsorted: x1 of shape \(1, 1\) takes values of shape \(1, m\)"):
            lw.searchsorted(lw.asarray([[1.0]]), found)
    with pytest.raises(ValueError, match="searchsorted: .*side"):
        lw.searchsorted(x, x, side="middle")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="searchsorted: sorter must have the shape of x1"):
        lw.searchsorted(x, x, sorter=lw.asarray([0]))
    with pytest.raises(TypeError, match="integer dtype"):
        lw.searchsorted(x, x, sorter=x)


def test_where(backend: str) -> None:
    for (first, second), dtype in crossed(PAIRS, dtypes("all"), "where"):
        x1, x2 = values(dtype, first), values(dtype, second, seed=1)
        shape = np.broadcast_shapes(first, second)
        condition = values(lw.bool, shape)
        expected = np.where(condition, wide(x1), wide(x2))
        for (_, a), (_, c) in zip(layouts(x1), layouts(condition), strict=False):
            check(lw.where(c, a, lw.asarray(x2)), expected, dtype)
        check(lw.where(lw.asarray(True), lw.asarray(x1), lw.asarray(x2)), np.broadcast_to(wide(x1), shape), dtype)
    for dtype in due(dtypes("all"), "where"):
        ends = extremes(dtype)
        got = lw.where(lw.asarray(np.ones(ends.shape, bool)), lw.asarray(ends), lw.asarray(ends[::-1].copy()))
        check(got, ends, dtype)


def test_where_joins_its_operands(backend: str) -> None:
    condition = lw.asarray([True, False])
    for first, second in crossed(dtypes("all"), dtypes("all")):
        common = lw.promote_types(first, second)
        x1, x2 = values(first, (2,), low=0, high=1), values(second, (), low=0, high=1)
        got = lw.where(condition, lw.asarray(x1), lw.asarray(x2))
        expected = [x1[0].astype(NUMPY[common]), x2.astype(NUMPY[common])]
        check(got, np.array(expected, NUMPY[common]), common)


def test_where_takes_scalars(backend: str) -> None:
    condition = lw.asarray([True, False])
    for dtype in due(dtypes("all"), "where"):
        x = lw.asarray(values(dtype, (2,), low=0, high=1))
        for scalar in (True, 1, 0.5, 1j):
            common = lw.result_type(x, scalar)
            given = np.asarray(x).astype(NUMPY[common])
            value = NUMPY[common].type(scalar)
            check(lw.where(condition, x, scalar), np.array([given[0], value], NUMPY[common]), common)
            check(lw.where(condition, scalar, x), np.array([value, given[1]], NUMPY[common]), common)
    check(lw.where(condition, 1, 0), [1, 0], lw.int32)
    check(lw.where(condition, 1, 0.5), [1, 0.5], lw.float32)
    check(lw.where(condition, True, False), [True, False], lw.bool)


def test_where_takes_any_condition(backend: str) -> None:
    for dtype in dtypes("all"):
        x = filled(values(dtype, LINE), extremes(dtype))
        check(lw.where(lw.asarray(x), 1, 0), (wide(x) != 0).astype(int), lw.int32)


def test_where_refuses_shapes_that_do_not_fit(backend: str) -> None:
    with pytest.raises(ValueError, match=r"where: shapes \(2,\) and \(3,\) and \(2,\) do not fit together"):
        lw.where(lw.asarray([True, False]), lw.asarray([1, 2, 3]), lw.asarray([1, 2]))


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_positions_hold_what_they_promise(data: st.DataObject) -> None:
    """`searchsorted` keeps the array sorted, on every backend alike, over the whole range of a dtype."""
    dtype = data.draw(st.sampled_from(dtypes("integral")))
    info = lw.iinfo(dtype)
    numbers = st.lists(st.integers(info.min, info.max) | st.sampled_from([info.min, info.max, 0]), max_size=8)
    x1, x2 = sorted(data.draw(numbers)), data.draw(numbers)
    side = data.draw(st.sampled_from(["left", "right"]))
    for b in INSTALLED:
        arrays = (lw.asarray(np.array(x, NUMPY[dtype]), backend=b) for x in (x1, x2))
        for v, i in zip(x2, lw.searchsorted(*arrays, side=side), strict=True):
            before, after = x1[: int(i)], x1[int(i) :]
            assert all(e < v if side == "left" else e <= v for e in before)
            assert all(v <= e if side == "left" else v < e for e in after)
