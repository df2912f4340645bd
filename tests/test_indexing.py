"""Square brackets, read and written, against NumPy: every kind of key and their mixtures; take and take_along_axis."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import SHAPES, crossed, drawn, due, sampled
from support import IMMUTABLE, check, dtypes, layouts, values, wide

import latticework as lw

INTEGERS = dtypes("integral")


def raises(error: type[Exception], *words: str) -> Any:
    return pytest.raises(error, match="".join(f"(?=[\\s\\S]*{w})" for w in words))


def native(key: Any) -> Any:
    """A key of NumPy's with its arrays made ours."""
    if isinstance(key, tuple):
        return tuple(map(native, key))
    return lw.asarray(key) if isinstance(key, np.ndarray) else key


X = np.arange(60).reshape(3, 4, 5)
MASK = X % 3 == 0
AT, ACROSS = np.array([0, 2, -1]), np.array([[1], [-2]])
S = slice(None)
KEYS: list[Any] = [
    # ints and slices
    0, -1, (0, 1), (0, 1, 2), (-1, -1, -1), (), ..., None, S, slice(1, None), slice(None, -1), slice(5, 9),
    slice(-9, 2),
    (S, 1), (..., 1), (1, ...), (0, ..., 1), (..., None), (None, ..., None), (None, 0, None), (S, None, 1),
    # steps
    slice(None, None, 2), slice(None, None, -1), slice(None, None, -2), slice(2, 0, -1), slice(0, 2, -1),
    slice(9, -9, -3),
    (S, slice(None, None, -1)), (slice(None, None, -1), 1, slice(None, None, -2)), (..., slice(None, None, -1)),
    (None, slice(None, None, -1), ..., slice(3, 0, -2)), (slice(1, 1, -1),),
    # one index array
    AT, ACROSS, (S, AT), (..., AT), (S, S, AT), (S, AT[:0]), AT[:0], (S, ACROSS), (None, AT), (AT, None), (AT, ...),
    # and ints: where the axis comes to lie
    (0, AT), (AT, 0), (0, S, AT), (AT, S, 0), (S, 0, AT), (S, AT, 0), (0, ..., AT), (0, None, AT), (0, AT, None),
    (..., 0, AT),
    # several
    (AT, AT), (AT, AT, AT), (AT, ACROSS), (AT, S, AT), (S, AT, AT), (S, AT, ACROSS), (AT, None, AT),
    (ACROSS, ..., AT), (AT, ..., AT), (AT, AT, ...), (AT, 0, AT), (AT, AT, None, 1), (1, AT, S), (np.array([0]), S, AT),
    # and slices, backward too
    (AT, slice(None, None, -1)), (slice(None, None, -1), AT), (slice(None, None, -1), AT, AT),
    (AT, slice(None, None, -1), AT),
    (slice(None, None, -1), AT, slice(None, None, -2)), (0, slice(None, None, -1), AT), (slice(2, 0, -1), 1, AT),
    # masks
    MASK, MASK[:, 0, 0], (S, MASK[0, :, 0]), (S, S, MASK[0, 0]), MASK[:, :, 0], (S, MASK[0]), (MASK[:, 0, 0], AT[:1]),
    (MASK[:, 0, 0], S, 0), (0, MASK[0]), (..., MASK[0, 0]), (MASK[:, 0, 0], slice(None, None, -1)), np.zeros(3, bool),
    (np.zeros((3, 4), bool), 1), (MASK[:, 0, 0], ..., MASK[0, 0]), (MASK[:, 0, 0], None, 1),
    # an extent of 0 in a mask fits any axis
    np.zeros(0, bool), (S, np.zeros(0, bool)), np.zeros((0, 4), bool), np.zeros((0, 0), bool),
    (0, np.zeros((4, 0), bool)),
    (np.zeros(0, bool), S, AT[:0]), (np.zeros((3, 0), bool), slice(None, None, -1)),
    # bools
    True, False, (True, 0), (0, True), (S, True, 1), (None, False), (True, AT), np.array(True), np.array(False),
    # 0-d arrays and lists
    np.array(1), (np.array(1), AT), (S, np.array(-1)), [0, 2], [[0, 1], [2, 0]], ([0, 1], [1, 2]), (S, [0, -1]), [],
    (S, []), [True, False, True], ([True, False, True], 0), ((0, 1), S), [[]], np.int64(1), (np.uint8(1), S), np.True_,
]  # fmt: skip


def keys() -> Iterator[tuple[Any, Any]]:
    for key in KEYS:
        yield key, native(key)


def test_reading(backend: str) -> None:
    for key, ours in keys():
        want = X[key]
        for name, x in layouts(X):
            try:
                check(x[ours], want, lw.int64)
            except Exception as error:
                raise AssertionError(f"{key} of a {name} array") from error


def test_writing(backend: str) -> None:
    for key, ours in keys():
        shape = X[key].shape
        others = {shape[1:], (1,) * len(shape), (), *([(1, *shape[1:])] if shape else [])} - {shape}
        for target in sampled((shape, *drawn(sorted(others), key)), 1, key):
            # where a place is written twice, the last wins on NumPy: write the same there
            value = -np.arange(1, 1 + np.prod(target, dtype=int)).reshape(target)
            if len(np.unique(np.arange(60).reshape(X.shape)[key])) < X[key].size:
                value = np.full(target, -7)
            want = X.copy()
            want[key] = value
            for name, x in layouts(X):
                y = lw.asarray(x, copy=True)
                y[ours] = lw.asarray(value)
                try:
                    check(y, want, lw.int64)
                except AssertionError as error:
                    raise AssertionError(f"{key} of a {name} array, a value of shape {target}") from error


def test_every_dtype(backend: str) -> None:
    some = [1, slice(None, None, -1), (S, 0), AT, (0, S, AT), (AT, slice(None, None, -1)), MASK, (..., MASK[0, 0]), ...]
    for key, dtype in crossed(some, lw.all_dtypes):
        data = values(dtype, X.shape)
        one = values(dtype, (1,), seed=3)
        for _, x in layouts(data):
            check(x[native(key)], wide(data)[key], dtype)
        want = data.copy()
        want[key] = one[0]
        for value in drawn((lw.asarray(one), lw.asarray(one)[0], lw.asarray(one)[0].item()), key, dtype):
            x = lw.asarray(data, copy=True)
            x[native(key)] = value
            check(x, wide(want), dtype)
        want = data.copy()
        want[key] = data[key][..., :1]
        x = lw.asarray(data, copy=True)
        x[native(key)] = x[native(key)][..., :1]
        check(x, wide(want), dtype)


def test_every_index_dtype(backend: str) -> None:
    for dtype in due(INTEGERS):
        i = lw.asarray([2, 0, 1, 0], dtype=dtype)
        for _, index in (*layouts(np.asarray(i)), ("", i)):
            check(lw.asarray(X)[index], X[[2, 0, 1, 0]], lw.int64)
            check(lw.asarray(X)[0, :, index], X[0, :, [2, 0, 1, 0]], lw.int64)
            x = lw.asarray(X, copy=True)
            x[index] = 5
            check(x[0], np.full((4, 5), 5), lw.int64)
            check(lw.take(lw.asarray(X), index, axis=1), X[:, [2, 0, 1, 0]], lw.int64)
        check(lw.asarray(X)[lw.asarray(1, dtype=dtype)], X[1], lw.int64)
        check(lw.asarray(X)[: lw.asarray(2, dtype=dtype)], X[:2], lw.int64)
        if dtype.kind == "i":
            check(lw.asarray(X)[lw.asarray([-1, -3], dtype=dtype)], X[[-1, -3]], lw.int64)
    for dtype in (lw.float32, lw.complex64, lw.bfloat16):
        with raises(IndexError, "getitem: an index array must be of an integer dtype or bool"):
            lw.asarray(X)[lw.zeros(2, dtype=dtype)]


def test_shapes(backend: str) -> None:
    """Fewer keys than axes, on every shape; 0-d arrays; arrays that a function made 0-d."""
    for shape, dtype in crossed(SHAPES, (lw.int8, lw.bool, lw.bfloat16, lw.uint64)):
        data = values(dtype, shape)
        for key in ((), ..., None, (..., None), *[(S,) * k for k in range(len(shape) + 1)]):
            for _, x in layouts(data):
                check(x[key], wide(data)[key], dtype)
        for key in ((), ...):
            x = lw.asarray(data, copy=True)
            x[key] = True
            check(x, np.ones(shape), dtype)
    for x in (lw.asarray(2), lw.asarray(1) + 1, lw.sum(lw.asarray([1, 1])), lw.asarray([1, 2])[1]):
        for key in ((), ..., None, True, lw.asarray(True), (None, ...)):
            y = x.copy() + 0
            y[key] = 5
            check(y, 5, lw.int32)
            check(x[key], np.asarray(2)[np.asarray(key) if isinstance(key, lw.Array) else key], lw.int32)
        y = x + 0
        y[False] = 5
        check(y, 2, lw.int32)
        y[None] = [7]
        check(y, 7, lw.int32)
        with raises(IndexError, "getitem: too many indices: 1 for 0 axes"):
            x[0]
        with raises(IndexError, "setitem: too many indices"):
            x[0] = 1


def test_an_element_is_a_copy_and_a_row_is_a_view(backend: str) -> None:
    x = lw.asarray([[1, 2], [3, 4]])
    y = x[0, 0]
    y += 10
    y[...] = 20
    check(x, [[1, 2], [3, 4]], lw.int32)
    flat = lw.asarray([1, 2])
    z = flat[0]
    z += 1
    check(flat, [1, 2], lw.int32)
    for z in flat:
        z += 1
    check(flat, [1, 2], lw.int32)
    if backend not in IMMUTABLE:  # see test_views
        x[0][1] = 9
        check(x, [[1, 9], [3, 4]], lw.int32)
    x[0, 1] = 9
    x[1] += 1
    check(x, [[1, 9], [4, 5]], lw.int32)
    x[x > 4] *= 2
    check(x, [[1, 18], [4, 10]], lw.int32)


def test_a_value_with_axes_of_extent_one_for_a_mask(backend: str) -> None:
    """NumPy broadcasts such a value for every key but a mask of all axes."""
    for mask in ([[True, False, True], [False, False, True]], [[False] * 3, [False, True, False]]):
        n = np.zeros((2, 3), np.float32)
        n[np.asarray(mask)] = row = np.arange(1.0, 1 + np.count_nonzero(mask), dtype=np.float32)
        x = lw.zeros((2, 3))
        x[lw.asarray(mask)] = lw.asarray(row)[None, None]
        check(x, n, lw.float32)
    with raises(ValueError, "setitem: a value of shape", "does not fit the shape", "that the key selects"):
        x[lw.asarray(mask)] = lw.ones((1, 2))
    empty = lw.zeros((2, 0))
    with raises(ValueError, "setitem: a value of shape", "does not fit the shape", "that the key selects"):
        empty[empty > 0] = empty


def test_writing_what_overlaps(backend: str) -> None:
    for dtype in (lw.int32, lw.float64, lw.uint16, lw.bool, lw.bfloat16):
        n = np.asarray(values(dtype, (6,)))
        for target, source in [
            (slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None)), (S, slice(None, None, -1)),
            (slice(None, None, 2), slice(3)), (np.array([0, 1, 2]), slice(1, 4)), (np.arange(6) > 2, slice(1, 4)),
            (slice(None, None, -1), S),
        ]:  # fmt: skip
            x = lw.asarray(n, copy=True)
            x[native(target)] = x[source]
            want = n.copy()
            want[target] = n[source].copy()
            check(x, wide(want), dtype)
    x = lw.asarray([1, 2, 3, 4])
    x[1:] += x[:-1]
    check(x, [1, 3, 5, 7], lw.int32)
    x -= x[::-1]
    check(x, [-6, -2, 2, 6], lw.int32)
    n = np.asarray(values(lw.int32, (3, 3)))
    for target, source in [
        (S, np.s_[:, :1]), (S, np.s_[1]), (S, np.s_[..., 0, 0]), (np.s_[:, 1:], np.s_[:, :-1]), (np.s_[::-1], S),
        (np.s_[:, ::2], np.s_[:, 1:]),
    ]:  # fmt: skip
        x, want = lw.asarray(n, copy=True), n.copy()
        x[target] += x[source]
        want[target] += n[source]
        check(x, want, lw.int32)
    x, want = lw.asarray(n, copy=True), n.copy()
    x += x[:, :1]
    x -= x.T
    want += want[:, :1].copy()
    want -= want.T.copy()
    check(x, want, lw.int32)
    x = lw.asarray(2.5)
    x[x > 0] = x
    check(x, 2.5, lw.float32)
    if backend not in IMMUTABLE:
        with raises(ValueError, "add: output array is read-only"):
            x = lw.broadcast_to(lw.asarray(1.0), (3,))
            x += 1.0
    square = lw.asarray([[1, 2], [3, 4]])
    square[...] = square.T
    check(square, [[1, 3], [2, 4]], lw.int32)
    x = lw.asarray([2, 0, 1])
    x[x] = x
    check(x, [0, 1, 2], lw.int32)
    x = lw.asarray([2, 0, 1])
    x[x] = 5
    check(x, [5, 5, 5], lw.int32)


def test_a_value_without_elements_has_to_fit_too(backend: str) -> None:
    x, nothing = lw.zeros((2, 0, 3), dtype=lw.uint64), lw.asarray([], dtype=lw.uint8)
    with raises(ValueError, "setitem: a value of shape", "(2, 0, 3)", "does not fit the shape", "(0, 3)"):
        x[0, nothing] = x
    x[0, nothing] = lw.zeros((0, 3), dtype=lw.uint64)
    x[0, nothing] = lw.zeros((1, 0, 1), dtype=lw.uint64)
    x[:, :0] = x
    assert x.shape == (2, 0, 3)


def test_values_of_an_assignment(backend: str) -> None:
    for dtype in due(lw.all_dtypes):
        x = lw.zeros(3, dtype=dtype)
        x[0] = True
        check(x, [1, 0, 0], dtype)
        x[1:] = [True, False]
        check(x, [1, 1, 0], dtype)
        x[0:0] = []
        x[...] = lw.asarray([False, True, False])
        check(x, [0, 1, 0], dtype)
        x[:2] = lw.asarray([1], dtype=dtype)
        check(x, [1, 1, 0], dtype)
        x[0] = lw.asarray([[0]], dtype=dtype)  # axes of extent 1 in front do not count
        check(x, [0, 1, 0], dtype)
        if dtype.kind != "b":
            x[0] = 3
            x[1:] = [1, 2]
            check(x, [3, 1, 2], dtype)
        if dtype.kind in "fc":
            x[0] = 0.5
            x[1:] = [0.25, 1]
            check(x, [0.5, 0.25, 1], dtype)
            x[0] = lw.asarray(2, dtype=lw.uint8)
            check(x, [2, 0.25, 1], dtype)
        if dtype.kind == "c":
            x[0] = 1j
            x[1:] = [2j, 1]
            check(x, [1j, 2j, 1], dtype)
        if dtype.kind in "iu":
            info = lw.iinfo(dtype)
            x[0], x[1] = info.min, info.max
            x[lw.asarray([2])] = info.max
            assert x.tolist() == [info.min, info.max, info.max]
            x[lw.asarray([True, False, False])] = info.max
            assert x.tolist() == [info.max] * 3
    x = lw.asarray([1.0, 2.0])
    x[0] = np.float32(5)
    x[1] = np.int8(3)
    check(x, [5, 3], lw.float32)


def test_an_assignment_that_fails_writes_nothing(backend: str) -> None:
    x = lw.asarray(X, copy=True)
    failing: list[tuple[Any, Any, type[Exception], str]] = [
        (0, 1.5, TypeError, "setitem: a Python float does not go into an array of int64"),
        (0, 1j, TypeError, "setitem: a Python complex"),
        (0, 2**63, OverflowError, "setitem: Python int 9223372036854775808 does not fit int64"),
        (0, [1.5] * 5, TypeError, "setitem: float32 does not go into"),
        (0, [2**63] * 5, OverflowError, "does not fit int64"),
        (0, lw.asarray(1.5), TypeError, r"setitem: float32 does not go into.*lw\.astype"),
        (0, lw.asarray(2**63, dtype=lw.uint64), OverflowError, "setitem: 9223372036854775808 does not fit an array of"),
        (0, "a", TypeError, "setitem: a value is"),
        (0, None, TypeError, "setitem: a value is"),
        (3, 1, IndexError, "setitem: index 3 is out of bounds for axis 0 of extent 3"),
        ((0, -5), 1, IndexError, "setitem: index -5 is out of bounds for axis 1 of extent 4"),
        ((0, 0, 0, 0), 1, IndexError, "setitem: too many indices: 4 for 3 axes"),
        (lw.asarray([0, 1, 3]), 1, IndexError, "setitem: index 3 is out of bounds for axis 0"),
        ((S, lw.asarray([0, -5])), 1, IndexError, "setitem: index -5 is out of bounds for axis 1"),
        ((lw.asarray([0, 1]), S, lw.asarray([0, 5])), 1, IndexError, "index 5 is out of bounds for axis 2"),
        ((0, lw.asarray([0, 4])), lw.asarray([[1], [2]]), IndexError, "index 4 is out of bounds for axis 1"),
        (lw.asarray([0, 1]), lw.zeros((3, 4, 5), dtype=lw.int64), ValueError, "setitem: .*shape"),
        (slice(0, 2), lw.zeros((3, 4, 5), dtype=lw.int64), ValueError, "setitem"),
        (
            S,
            lw.zeros((2, 5), dtype=lw.int64),
            ValueError,
            r"setitem: a value of shape \(2, 5\) does not fit the shape \(",
        ),
        (
            0,
            [1, 2],
            ValueError,
            r"setitem: a value of shape \(2,\) does not fit the shape \(4, 5\) that the key selects",
        ),
        (lw.asarray(MASK), lw.zeros(7, dtype=lw.int64), ValueError, "setitem"),
        (lw.asarray([True, False]), 1, IndexError, r"setitem: a mask of shape \(2,\) does not fit"),
        ((0, lw.asarray([True, False])), 1, IndexError, r"setitem: a mask of shape \(2,\) does not fit"),
        ("a", 1, IndexError, "an index is an int"),
        (1.0, 1, IndexError, "an index is an int"),
        (slice(0.5), 1, IndexError, "setitem"),
        ((..., 0, ...), 1, IndexError, "setitem: .*ellipsis"),
    ]
    for key, value, error, message in failing:
        with raises(error, message):
            x[key] = value
        check(x, X, lw.int64)
    for dtype in (lw.uint16, lw.bfloat16, lw.bool):
        y = lw.zeros(3, dtype=dtype)
        with raises(IndexError, "index 9 is out of bounds"):
            y[lw.asarray([0, 1, 9])] = lw.ones(3, dtype=dtype)
        check(y, [0, 0, 0], dtype)


def test_errors_of_reading(backend: str) -> None:
    x = lw.asarray(X)
    for key, message in [
        (3, "index 3 is out of bounds for axis 0 of extent 3"),
        (-4, "index -4 is out of bounds for axis 0 of extent 3"),
        ((0, 4), "index 4 is out of bounds for axis 1 of extent 4"), ((..., 5), "index 5 is out of bounds for axis 2"),
        ((0, 0, 0, 0), "too many indices: 4 for 3 axes"), ((None, 3), "index 3 is out of bounds for axis 0"),
        (lw.asarray([0, 3]), "index 3 is out of bounds for axis 0"), ([0, -4], "index -4 is out of bounds for axis 0"),
        ((S, lw.asarray([9])), "index 9 is out of bounds for axis 1"), ((0, S, AT + 9), "out of bounds for axis 2"),
        (lw.asarray([True]), r"a mask of shape \(1,\) does not fit axes of extent \(3,\)"),
        (lw.zeros((3, 4, 5, 1), dtype=lw.bool), "too many indices"),
        ((lw.zeros((3, 3), dtype=lw.bool)), "a mask of shape"),
        ("a", "an index is an int, a slice"), (1.0, "an index is an int"), ((0, None, "b"), "an index is an int"),
        ([0.5], "an index array must be of an integer dtype"), (slice(1.5, None), "slice"), ((..., ...), "ellipsis"),
        ((..., slice(None, None, -1), ...), "ellipsis"), ((..., AT, ...), "ellipsis"),
        (lw.asarray([2**64 - 1], dtype=lw.uint64), "out of bounds"),
    ]:  # fmt: skip
        key = native(key)
        with raises(IndexError, "getitem", message):
            x[key]
    with raises(ValueError, "getitem: slice step"):
        x[::0]


#: Keys for an array of shape (3, 4, 5) that do not fit it, and what each backend says.
MISFITS: list[tuple[Any, str]] = [
    (3, "index 3 is out of bounds for axis 0 of extent 3"),
    ((0, -5), "index -5 is out of bounds for axis 1 of extent 4"),
    ((0, 0, None, 0, 0), "too many indices: 4 for 3 axes"),
    (np.array([0, 3]), "index 3 is out of bounds for axis 0 of extent 3"),
    ((0, S, AT + 9), "index 8 is out of bounds for axis 2 of extent 5"),
    # where no element is selected, too
    (([], 7), "index 7 is out of bounds for axis 1 of extent 4"),
    ((True, S, -6), "index -6 is out of bounds for axis 1 of extent 4"),
    ((False, 3), "index 3 is out of bounds for axis 0 of extent 3"),
    ((np.zeros(3, bool), S, 5), "index 5 is out of bounds for axis 2 of extent 5"),
    ((slice(0, 0), np.array([4])), "index 4 is out of bounds for axis 1 of extent 4"),
    ((AT, AT[:2]), "index arrays of shapes (3,) and (2,) do not broadcast together"),
    (([], MASK[0, :, 0]), "index arrays of shapes (0,) and (2,) do not broadcast together"),
    ((X[:, 0, 0] > 0, S, AT), "index arrays of shapes (2,) and (3,) do not broadcast together"),
    (np.zeros(2, bool), "a mask of shape (2,) does not fit axes of extent (3,)"),
    ((S, np.zeros((4, 0, 1), bool)), "too many indices: 4 for 3 axes"),
    ((0, np.zeros((0, 4), bool)), "a mask of shape (0, 4) does not fit axes of extent (4, 5)"),
    ((..., 0, ...), "an index can have only one ellipsis (...)"),
    (slice(None, None, 0), "slice step cannot be zero"),
    (slice(0.5, None), "the bounds and the step of a slice are ints or None; got slice(0.5, None, None)"),
]  # fmt: skip


def test_positions_that_select_nothing(backend: str) -> None:
    """NumPy checks no positions where the index arrays together have no element."""
    for key in (([], [7]), (np.zeros(3, bool), S, [7]), (False, [7]), (np.zeros((0, 1), int), S, [9])):
        check(lw.asarray(X)[native(key)], X[key], lw.int64)
        x = lw.asarray(X, copy=True)
        x[native(key)] = 1
        check(x, X, lw.int64)
    for key, shape in (
        ([], (2, 4, 5)),
        ([], (5, 4)),
        ((S, []), (2,)),
        (slice(0, 0), (3, 4, 5)),
        (np.zeros(3, bool), (2, 4, 5)),
    ):
        with pytest.raises(
            ValueError, match="setitem: a value of shape .* does not fit the shape .* that the key selects"
        ):
            lw.asarray(X, copy=True)[native(key)] = lw.zeros(shape, dtype=lw.int64)


def test_one_set_of_words(backend: str) -> None:
    for key, words in MISFITS:
        with pytest.raises((IndexError, ValueError, TypeError)):  # NumPy refuses them all
            X[key]
        for write in (False, True):
            x = lw.asarray(X, copy=True)
            kind = ValueError if "slice step" in words else IndexError
            with pytest.raises(kind, match=re.escape(f"{'setitem' if write else 'getitem'}: {words}. Got a key")):
                if write:
                    x[native(key)] = 1
                else:
                    x[native(key)]
            check(x, X, lw.int64)


def test_what_is_broadcast_is_read_only(backend: str) -> None:
    if backend in IMMUTABLE:
        return  # what is written is an array of its own
    x = lw.broadcast_to(lw.asarray([1, 2]), (3, 2))
    for key in (0, (0, 0), ..., S, lw.asarray([0]), x > 1):
        with raises(ValueError, "setitem: the array is read-only", r"x\.copy\(\)"):
            x[key] = 5
    check(x, [[1, 2]] * 3, lw.int32)
    y = x.copy()
    y[0] = 5
    check(y, [[5, 5], [1, 2], [1, 2]], lw.int32)


def random_key(rng: random.Random, shape: tuple[int, ...]) -> Any:
    """A key that NumPy takes for this shape, nearly always."""
    parts: list[Any] = []
    axis, dots = 0, False
    together = rng.choice([(2,), (3,), (2, 3), (1, 2)])
    while True:
        roll = rng.random()
        if roll < 0.15:
            parts.append(None)
        elif roll < 0.25 and not dots:
            parts.append(...)
            dots, axis = True, rng.randint(axis, len(shape))
        elif axis >= len(shape) or roll < 0.3:
            return tuple(parts)
        elif roll < 0.5:
            ends = [rng.choice([None, rng.randint(-shape[axis] - 2, shape[axis] + 2)]) for _ in range(2)]
            parts.append(slice(*ends, rng.choice([None, 1, 2, -1, -2])))
            axis += 1
        elif roll < 0.65 and shape[axis]:
            parts.append(rng.randrange(-shape[axis], shape[axis]))
            axis += 1
        elif roll < 0.9 and shape[axis]:
            extent = rng.choice([together, together[-1:], (1,), ()])
            n = int(np.prod(extent))
            parts.append(np.array([rng.randrange(-shape[axis], shape[axis]) for _ in range(n)]).reshape(extent))
            axis += 1
        elif roll < 0.95:
            parts.append(np.array([rng.random() < 0.6 for _ in range(shape[axis])], dtype=bool))
            axis += 1
        elif roll < 0.97:
            parts.append(rng.random() < 0.5)


@pytest.mark.parametrize("seed", range(4))
def test_random_keys(backend: str, seed: int) -> None:
    rng = random.Random(seed)
    compared = 0
    times = 10 if backend == "jax" else 250  # it compiles for each
    for _ in range(times):
        shape = tuple(rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(0, 4)))
        n = np.arange(int(np.prod(shape))).reshape(shape)
        key = random_key(rng, shape)
        try:
            want = n[key]
        except IndexError:
            continue
        compared += 1
        x = lw.asarray(n)
        check(x[native(key)], want, lw.int64)
        y = lw.asarray(n, copy=True)
        value = -1 - np.arange(want.size).reshape(want.shape)
        if len(np.unique(want)) < want.size:
            value = np.full(want.shape[1:], -1)
        y[native(key)] = lw.asarray(value)
        n[key] = value
        check(y, n, lw.int64)
    assert compared > times / 2


# --- take and take_along_axis ----------------------------------------------------------------------------------------


def test_take(backend: str) -> None:
    places = [((4,), None), ((4,), 0), ((3, 4), 0), ((3, 4), -1), ((2, 3, 4), 1), ((3, 0), 0), ((3, 0, 2), -1)]
    cases = itertools.product(places, ([0, 1, -1, 0], [], [-2], [[0, 1], [1, 0]]))
    for ((shape, axis), indices), dtype in crossed(cases, lw.all_dtypes, "take"):
        data = values(dtype, shape)
        i = lw.asarray(indices, dtype=lw.int64)
        for _, x in layouts(data):
            want = np.take(wide(data), np.asarray(indices, dtype=int), axis=axis)
            check(lw.take(x, i, axis=axis), want, dtype)
    x = lw.zeros((2, 3))
    check(lw.take(lw.asarray([1, 2]), lw.asarray(1)), 2, lw.int32)
    for bad in ([2], [-3], [0, 7]):
        with raises(IndexError, "take"):
            lw.take(x, lw.asarray(bad), axis=0)
    with raises(ValueError, "take: axis has to be given"):
        lw.take(x, lw.asarray([0]))
    with raises(ValueError, "take"):
        lw.take(lw.asarray(1), lw.asarray([0]))
    with raises(lw.errors.AxisError, "take: axis 2"):
        lw.take(x, lw.asarray([0]), axis=2)
    with raises(TypeError, "take: indices must have an integer dtype; got float32"):
        lw.take(x, lw.asarray([0.0]), axis=0)


def test_take_along_axis(backend: str) -> None:
    rng = np.random.default_rng(0)
    cases = [
        ((4,), (6,), 0), ((3, 4), (3, 2), 1), ((3, 4), (3, 2), -1), ((3, 4), (5, 4), 0), ((3, 4), (1, 4), 0),
        ((3, 4), (3, 1), -1), ((3, 4), (1, 2), -1), ((1, 4), (3, 2), -1), ((2, 3, 4), (2, 5, 4), 1),
        ((2, 3, 4), (1, 5, 1), 1), ((3, 4), (3, 0), 1), ((0, 4), (0, 2), 1),
    ]  # fmt: skip
    for (shape, places, axis), dtype in crossed(cases, lw.all_dtypes, "take_along_axis"):
        data = values(dtype, shape)
        n = shape[axis]
        indices = rng.integers(-n, n, places)
        want = np.take_along_axis(*_stretched(wide(data), indices, axis), axis)
        for index_dtype in drawn((lw.int64, lw.int8), shape, places, axis):
            for _, x in layouts(data):
                check(lw.take_along_axis(x, lw.asarray(indices, dtype=index_dtype), axis=axis), want, dtype)
    x = lw.asarray([[3, 1, 2]])
    check(lw.take_along_axis(x, lw.argsort(x)), [[1, 2, 3]], lw.int32)
    for bad in ([[3]], [[-4]]):
        with raises(IndexError, "take_along_axis", "out of bounds"):
            lw.take_along_axis(x, lw.asarray(bad))
    with raises(lw.errors.AxisError, "take_along_axis: axis 2"):
        lw.take_along_axis(x, lw.asarray([[0]]), axis=2)
    with raises(ValueError, "take_along_axis"):
        lw.take_along_axis(x, lw.asarray([0]))
    with raises((ValueError, IndexError), "take_along_axis"):
        lw.take_along_axis(lw.zeros((3, 4)), lw.asarray([[0], [0]]))
    with raises(TypeError, "take_along_axis: indices must have an integer dtype"):
        lw.take_along_axis(x, lw.asarray([[True]]))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_positions_of_a_dtype_narrower_than_the_extent(backend: str, dtype: lw.Dtype) -> None:
    data = np.arange(300 * 300, dtype=np.int32).reshape(300, 300)
    places = [3, 127] if dtype.kind == "u" else [3, -1, -128]
    at = lw.asarray(places, dtype=dtype)
    keys: list[tuple[Any, Any]] = [(at[1], places[1]), (at, places), ((at, at), (places, places))]
    keys += [((slice(5), at), (slice(5), places)), ((at, 0), (places, 0))]
    for key, wanted in keys:
        x = lw.asarray(data)
        check(x[key], data[wanted], lw.int32)
        x[key] = 7
        written = data.copy()
        written[wanted] = 7
        check(x, written, lw.int32)
    check(lw.take(x, at, axis=0), written[places], lw.int32)
    check(lw.take_along_axis(x, at[None], axis=1), written[:, places], lw.int32)


def _stretched(x: np.ndarray, indices: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Both with all axes but one broadcast, for a NumPy that does not do it itself."""
    axis %= x.ndim
    rest = np.broadcast_shapes(*[s[:axis] + s[axis + 1 :] for s in (x.shape, indices.shape)])
    return tuple(  # type: ignore[return-value]
        np.broadcast_to(a, (*rest[:axis], a.shape[axis], *rest[axis:])) for a in (x, indices)
    )
