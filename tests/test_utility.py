"""Utility functions: truth of every dtype, and differences that wrap around."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import SHAPES, WITH_AXES, crossed, due
from support import NUMPY, WIDE, check, dtypes, extremes, layouts, values, wide

import latticework as lw


def axes_of(shape: tuple[int, ...]) -> Iterator[Any]:
    yield from (None, ())
    yield from range(-len(shape), len(shape))
    if len(shape) > 1:
        yield from ((0, -1), tuple(range(len(shape))))


@pytest.mark.parametrize("name", ["all", "any"])
def test_truth(backend: str, name: str) -> None:
    cases = [(shape, axis, keepdims) for shape in SHAPES for axis in axes_of(shape) for keepdims in (False, True)]
    for (shape, axis, keepdims), dtype in crossed(cases, dtypes("all"), name):
        for low, high in ((-1, 1), (0, 0), (1, 2)):
            x = values(dtype, shape, low=low, high=high)
            for _, a in layouts(x):
                expected = getattr(np, name)(wide(x) != 0, axis=axis, keepdims=keepdims)
                check(getattr(lw, name)(a, axis=axis, keepdims=keepdims), expected, lw.bool)


@pytest.mark.parametrize("name", ["all", "any"])
def test_what_is_true(backend: str, name: str) -> None:
    """nan, the infinities and the least numbers are; zeros of either sign are not."""
    for dtype in dtypes("all"):
        for v in extremes(dtype):
            for n in (1, 20):
                check(getattr(lw, name)(lw.asarray(np.full(n, v))), bool(wide(v) != 0), lw.bool)


@pytest.mark.parametrize("name", ["all", "any"])
def test_wrong_axes(backend: str, name: str) -> None:
    f = getattr(lw, name)
    for dtype in (lw.float32, lw.uint8, lw.bool):
        x = lw.asarray(values(dtype, (2, 3)))
        for axis in (2, -3, (0, 2)):
            with pytest.raises(lw.errors.AxisError, match=f"{name}: axis -?[23] is out of bounds"):
                f(x, axis=axis)
        with pytest.raises(ValueError, match=f"{name}: an axis is given twice"):
            f(x, axis=(1, -1))
        for axis in (0, -1, (0,)):
            with pytest.raises(lw.errors.AxisError, match=f"{name}: axis .*no axes"):
                f(lw.asarray(values(dtype, ())), axis=axis)


def test_diff(backend: str) -> None:
    cases = [(shape, axis, n) for shape in WITH_AXES for axis in range(-len(shape), len(shape)) for n in (1, 0, 2, 3)]
    for (shape, axis, n), dtype in crossed(cases, dtypes("numeric"), "diff"):
        x = values(dtype, shape)
        same = x if dtype.kind in "iu" else x.astype(WIDE[dtype.kind])
        for _ in range(n):
            same = np.subtract(*(np.take(same, range(s, max(same.shape[axis] - 1 + s, 0)), axis) for s in (1, 0)))
        for _, a in layouts(x):
            check(lw.diff(a, axis=axis, n=n), same, dtype, scale=64)


def test_diff_wraps_around(backend: str) -> None:
    for dtype in due(dtypes("integral"), "diff"):
        x = extremes(dtype)
        with np.errstate(all="ignore"):
            check(lw.diff(lw.asarray(x)), np.diff(x), dtype)


def test_diff_of_more(backend: str) -> None:
    cases = itertools.product((("prepend", "append"), (), ("prepend",), ("append",)), ({}, {"axis": 0}))
    for (names, options), dtype in crossed(cases, dtypes("numeric"), "diff"):
        x, before, after = values(dtype, (2, 3)), values(dtype, (2, 1), seed=1), values(dtype, (2, 2), seed=2)
        given = {k: v for k, v in {"prepend": before, "append": after}.items() if k in names}
        whole = np.concatenate([before] * ("prepend" in names) + [x] + [after] * ("append" in names), axis=1)
        expected = np.diff(whole if dtype.kind in "iu" else wide(whole))
        if options:
            x, expected, given = x.T, expected.T, {k: v.T for k, v in given.items()}
        check(lw.diff(lw.asarray(x), **options, **{k: lw.asarray(v) for k, v in given.items()}), expected, dtype,
              scale=16)  # fmt: skip
    joined = lw.diff(lw.asarray([1, 2], dtype=lw.int8), prepend=lw.asarray([0.5], dtype=lw.float16))
    check(joined, [0.5, 1.0], lw.float16)


def test_diff_refuses(backend: str) -> None:
    x = lw.asarray([[1, 2, 3]])
    for axis in (2, -3):
        with pytest.raises(lw.errors.AxisError, match=f"diff: axis {axis} is out of bounds"):
            lw.diff(x, axis=axis)
    with pytest.raises(lw.errors.AxisError, match="diff: axis -1 is out of bounds"):
        lw.diff(lw.asarray(1))
    for more in ({}, {"prepend": x}):
        with pytest.raises(ValueError, match="diff: n must not be negative; got -1"):
            lw.diff(x, n=-1, **more)
        with pytest.raises(lw.errors.AxisError, match="diff: axis 2 is out of bounds"):
            lw.diff(x, axis=2, **more)
    with pytest.raises(TypeError, match="diff: takes numeric dtypes.*got bool"):
        lw.diff(lw.asarray([True]))
    with pytest.raises(ValueError):
        lw.diff(x, prepend=lw.asarray([1]))


def test_diff_takes_native_arrays(backend: str) -> None:
    check(lw.diff(lw.asarray([1, 4], dtype=lw.int16).data), [3], lw.int16)
    assert NUMPY[lw.int16] == np.int16


def test_diff_of_one_number_before_and_after(backend: str) -> None:
    x = np.array([[1, 4, 9], [2, 2, 7]], np.int32)
    check(lw.diff(lw.asarray(x), prepend=0), np.diff(x, prepend=0), lw.int32)
    expected = np.diff(x, axis=0, prepend=1, append=np.float32(0.5))
    check(lw.diff(lw.asarray(x), axis=0, prepend=1, append=lw.asarray(0.5)), expected, lw.float32)


def test_differences_of_bools_with_ends_by_the_rules_of_frameworks(backend: str) -> None:
    """They compute in bool there: whether neighbours differ. TensorFlow has no difference, and the composition takes no
    bools."""
    x, end = lw.asarray([True, False, True]), lw.asarray([True])
    for rules in ("numpy", "torch", "jax"):
        with lw.using(rules=rules):
            if backend == "tensorflow":
                for call in (lambda: lw.diff(x, append=end), lambda: lw.infer(lw.diff, x, append=end, backend=backend)):
                    with pytest.raises(lw.errors.BackendError, match="diff: the .* rules compute in bool, which"):
                        call()
                continue
            check(lw.diff(x, append=end), [True, True, False], lw.bool)
            check(lw.diff(x, prepend=end, append=lw.asarray(False)), [False, True, True, True], lw.bool)
            with pytest.raises(lw.errors.AxisError):
                lw.diff(lw.asarray(True), append=end)
