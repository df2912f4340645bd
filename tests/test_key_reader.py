"""The reader of keys against NumPy's own indexing: the shape, which element comes where, and what is refused."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from cases import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from latticework.engine.keys.reading import (
    Extents,
    IndexArray,
    IndexPlan,
    broadcast_extents,
    check_bounds,
    check_value,
    check_values,
    read_key,
    read_split,
    shown_key,
    split_key,
)

S = slice(None)
BACK = slice(None, None, -1)
AT, ACROSS, NONE = np.array([0, 2, -1]), np.array([[1], [-2]]), np.zeros(0, int)


def describe(k: Any) -> IndexArray | None:
    """As a backend describes its arrays, here NumPy's."""
    if not isinstance(k, (np.ndarray, np.bool_, list)):
        return None
    k = np.asarray(k, dtype=int if isinstance(k, list) and not k else None)
    if k.dtype == bool:
        return IndexArray(k.shape, "b", k, selects=lambda: int(k.sum()))
    return IndexArray(k.shape, "i", k, bounds=lambda: (int(k.min()), int(k.max())) if k.size else None)


def read(shape: Extents, key: Any, values: bool = True) -> IndexPlan:
    return read_key(shape, key, describe, values=values, count=values)


def applied(plan: IndexPlan, x: np.ndarray) -> np.ndarray:
    """The elements that a plan selects: one coordinate array for every axis of x, none of NumPy's rules involved."""
    assert plan.index_shape is None or None not in plan.index_shape
    ndim, together = len(plan.shape), plan.index_shape or ()

    def along(positions: Any, first: int) -> np.ndarray:
        positions = np.array(positions, dtype=int)
        return positions.reshape(positions.shape + (1,) * (ndim - first - positions.ndim))

    coordinates: list[np.ndarray] = []
    for e in plan.entries:
        assert e.axis == len(coordinates), "entries consume the axes in order"
        if e.kind == "slice":
            coordinates.append(along(list(e.span or ()), e.out))
        elif e.kind == "int":
            coordinates.append(np.array(e.value))
        elif e.kind in ("array", "mask"):
            data = e.value.data
            found = np.nonzero(data) if e.kind == "mask" else (data,)
            if e.kind == "mask" and 0 in data.shape:
                found = (NONE,) * data.ndim
            coordinates += [along(np.broadcast_to(p, together), e.out) for p in found]
        assert e.width == len(coordinates) - e.axis
    assert len(coordinates) == x.ndim
    return np.broadcast_to(x[tuple(coordinates)] if x.ndim else x, plan.shape)


def compare(x: np.ndarray, key: Any) -> bool:
    """Whether NumPy takes the key; the reader must answer the same."""
    try:
        want = x[key]
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error)):
            read(x.shape, key)
        with pytest.raises(type(error)):  # what a mask that stands alone selects need not be known for that
            read_key(x.shape, key, describe, values=True)
        return False
    plan = read(x.shape, key)
    assert fits(plan.shape, read_key(x.shape, key, describe, values=True).shape)
    assert plan.shape == want.shape
    np.testing.assert_array_equal(applied(plan, x), want)
    return True


KEYS: list[Any] = [
    0, -1, (0, 1), (0, 1, 2), (), ..., None, S, slice(1, None), slice(5, 9), slice(-9, 2), (S, 1), (..., 1), (1, ...),
    (0, ..., 1), (..., None), (None, ..., None), (None, 0, None), BACK, slice(2, 0, -1), slice(9, -9, -3), (S, BACK),
    (None, BACK, ..., slice(3, 0, -2)), (slice(1, 1, -1),), np.int64(1), (np.uint8(1), S), slice(np.int8(1), None),
    AT, ACROSS, (S, AT), (..., AT), (S, NONE), NONE, (S, ACROSS), (None, AT), (AT, None), (AT, ...), (0, AT), (AT, 0),
    (0, S, AT), (AT, S, 0), (S, 0, AT), (S, AT, 0), (0, ..., AT), (0, None, AT), (0, AT, None), (..., 0, AT), (AT, AT),
    (AT, AT, AT), (AT, ACROSS), (AT, S, AT), (S, AT, ACROSS), (AT, None, AT), (ACROSS, ..., AT), (AT, 0, AT),
    (AT, AT, None, 1), (1, AT, S), (1, ..., AT, 1), (AT, ..., ACROSS, 1), (..., AT, BACK, ACROSS),
    (AT, BACK), (BACK, AT), (BACK, AT, AT), (AT, BACK, AT), (BACK, AT, slice(None, None, -2)), (0, BACK, AT),
    np.ones(3, bool), (S, np.ones(4, bool)), np.ones((3, 4), bool), (S, np.eye(4, 5, dtype=bool)),
    (np.array([True, False, True]), AT[:2]), (np.array([True, False, True]), ..., AT[:2]),
    (np.array([True, False, True]), S, np.array([True, False, True, False, False])),
    np.zeros(0, bool), (S, np.zeros(0, bool)), np.zeros((0, 4), bool), np.zeros((0, 0), bool),
    (0, np.ones((4, 0), bool)), (np.zeros(0, bool), S, NONE), (np.zeros((3, 0), bool), BACK), np.zeros((3, 4, 0), bool),
    True, False, (True, 0), (0, True), (S, True, 1), (None, False), (True, AT), (False, AT[:1]), np.array(True),
    np.True_, (np.array(False), S), (True, S, True), (AT, True, 0), (True, ..., AT), (S, False, AT[:1]), (True, True),
    np.array(1), (np.array(1), AT), (S, np.array(-1)), (np.array(1), S, AT), (AT, S, np.array(1)), [0, 2], [], (S, []),
]  # fmt: skip

REFUSED: list[Any] = [
    3, -4, (0, 4), (..., 5), (0, 0, 0, 0), (None, 3), np.array([0, 3]), [0, -4], (S, [9]), (0, S, AT + 9), [True],
    np.zeros((3, 4, 5, 1), bool), np.zeros((3, 3), bool), (..., ...), (..., AT, ...), (AT, AT[:2]),
    (ACROSS, S, [[0], [1], [2]]),
    (AT[:2], np.ones(4, bool)), slice(None, None, 0), ([], 7), (True, 7), (False, 7), (7, []), (np.zeros(0, bool), 7),
    (np.zeros((0, 5), bool),), (S, S, S, AT), (np.zeros((3, 4), bool), AT, 0), ([0], S, [5]), 2**70,
    ([], np.ones(4, bool)), (False, np.ones(3, bool)), (np.zeros(0, bool), np.ones(4, bool)),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=shown_key)
def test_keys_that_numpy_takes(key: Any) -> None:
    assert compare(np.arange(60).reshape(3, 4, 5), key)


@pytest.mark.parametrize("key", REFUSED, ids=shown_key)
def test_keys_that_numpy_refuses(key: Any) -> None:
    assert not compare(np.arange(60).reshape(3, 4, 5), key)


def test_positions_that_select_nothing_are_not_checked() -> None:
    x = np.zeros((3, 4))
    assert compare(x, ([], [7])) and compare(x, (np.zeros(3, bool), [7])) and compare(x, (False, [7]))
    assert not compare(x, (np.array(7), []))
    assert not compare(np.zeros((0, 3)), (S, [9]))  # an element is selected, of each of no rows


# --- random keys ----------------------------------------------------------------------------------------------------


@st.composite
def index_arrays(draw: st.DrawFn, together: tuple[int, ...], extent: int) -> Any:
    shape = draw(st.sampled_from([together, together[1:], (1,), (), (1, *together), (2,), (3,), (0,)]))
    low, high = draw(st.sampled_from([(-extent, extent - 1)] * 4 + [(-extent - 1, extent)]))
    if low > high:
        low, high = 0, 0
    size = int(np.prod(shape))
    return np.array(draw(st.lists(st.integers(low, high), min_size=size, max_size=size)), dtype=int).reshape(shape)


@st.composite
def masks(draw: st.DrawFn, extents: tuple[int, ...]) -> np.ndarray:
    extents = tuple([n if draw(st.integers(0, 9)) else draw(st.integers(0, 3)) for n in extents])
    size = int(np.prod(extents))
    return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=bool).reshape(extents)


@st.composite
def shapes_and_keys(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    """A shape, and a key that NumPy takes for it in most cases."""
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 2, 3, 0]), max_size=4)))
    together = draw(st.sampled_from([(2,), (3,), (2, 3), (1, 2), (1,), (0,), (2, 0)]))
    parts: list[Any] = []
    axis = 0
    for _ in range(draw(st.integers(0, 6))):
        n = shape[axis] if axis < len(shape) else 0
        kind = draw(st.sampled_from(["slice", "int", "array", "array", "mask", "new", "dots", "bool", "wide mask"]))
        inside = axis < len(shape) or draw(st.integers(0, 19)) == 0
        if kind == "new":
            parts.append(None)
        elif kind == "bool":
            parts.append(draw(st.sampled_from([True, False, np.array(True), np.array(False)])))
        elif kind == "dots" and (not any(p is ... for p in parts) or draw(st.integers(0, 19)) == 0):
            parts.append(...)
            axis = draw(st.integers(min(axis, len(shape)), len(shape)))
        elif kind == "slice" and inside:
            bound = st.one_of(st.none(), st.integers(-n - 2, n + 2))
            parts.append(slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, -1, -2, 3, 2**70]))))
            axis += 1
        elif kind == "int" and inside:
            parts.append(draw(st.integers(-n, n - 1)) if n and draw(st.integers(0, 19)) else draw(st.integers(-3, 3)))
            axis += 1
        elif kind == "array" and inside:
            parts.append(draw(index_arrays(together, n)))
            axis += 1
        elif inside:
            width = 1 if kind == "mask" else min(draw(st.integers(2, 3)), len(shape) - axis)
            parts.append(draw(masks(shape[axis : axis + width])))
            axis += width
    key: Any = parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)
    return shape, key


@settings(max_examples=examples(1500), deadline=None)
@given(shapes_and_keys())
@example(((3, 0), (np.zeros((3, 0), bool), ..., None)))
def test_random_keys(case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    compare(np.arange(int(np.prod(shape))).reshape(shape), key)


def fits(known: Extents, read: Extents) -> bool:
    return len(known) == len(read) and all(n in (m, None) for m, n in zip(known, read, strict=True))


@settings(max_examples=examples(1000), deadline=None)
@given(shapes_and_keys(), st.integers(0, 2**4 - 1), st.booleans(), st.booleans())
def test_what_is_not_known_does_not_change_the_rest(
    case: tuple[tuple[int, ...], Any], hidden: int, values: bool, arrays_too: bool
) -> None:
    """With extents or values hidden, a shape has None at most where it is not the same, and no key is refused that is
    taken when they are known."""
    shape, key = case
    try:
        full = read(shape, key)
    except (IndexError, ValueError):
        full = None
    unknown = tuple([None if hidden >> i & 1 else n for i, n in enumerate(shape)])

    def abstract(k: Any) -> IndexArray | None:
        array = describe(k)
        if array is None or not arrays_too:
            return array
        return IndexArray(tuple([None if hidden >> i & 1 else n for i, n in enumerate(array.shape)]), array.kind)

    try:
        plan = read_key(unknown, key, abstract, values=values)
    except (IndexError, ValueError) as error:
        assert full is None
        with pytest.raises(type(error)):
            read(shape, key)
        return
    if full is None:
        return
    assert fits(full.shape, plan.shape)
    assert (plan.index_axis, plan.separated) == (full.index_axis, full.separated)
    for ours, theirs in zip(plan.entries, full.entries, strict=True):
        assert ours[0] == theirs[0] and ours[2:5] == theirs[2:5]
    if None not in unknown and not arrays_too and not any(e.kind in ("mask", "bool") for e in plan.entries):
        assert plan.shape == full.shape


# --- what is not known, and what is asked ---------------------------------------------------------------------------


def test_shapes_with_extents_that_are_not_known() -> None:
    some = IndexArray((None,), "i")
    mask = IndexArray((3,), "b")
    for shape, key, want in [
        ((None, 4), 7, (4,)), ((None, 4), S, (None, 4)), ((None, 4), slice(1, 3), (None, 4)),
        ((None,), (None, ...), (1, None)),
        ((3, 4), some, (None, 4)), ((3, 4), (some, AT), (3,)), ((3, 4), (some, ACROSS), (2, None)),
        ((3, 4), mask, (None, 4)), ((3, 4), (mask, AT), (3,)), ((3, 4), (S, IndexArray((None,), "b")), (3, None)),
        ((3, 4), (mask, np.array([1])), (None,)), ((3, 4), (mask, NONE), (0,)),
        ((3, 4), IndexArray((3, None), "b"), (None,)),
        ((3, 4), IndexArray((), "b"), (None, 3, 4)), ((3, 4), IndexArray((0,), "b"), (0, 4)),
        ((None, 4), BACK, (None, 4)),
    ]:  # fmt: skip
        assert read(shape, key).shape == want, key


def test_values_are_asked_for_only_when_they_are_to_be_checked() -> None:
    asked = []

    def bounds() -> tuple[int, int]:
        asked.append("bounds")
        return -1, 5

    def selects() -> int:
        asked.append("selects")
        return 2

    key = IndexArray((2,), "i", bounds=bounds), IndexArray((4,), "b", selects=selects)
    assert read_key((3, 4), key).shape == (2,) and not asked
    assert read_key((9, 4), key, values=True).shape == (2,) and asked == ["selects", "bounds"]
    asked.clear()
    assert read_key((4, 9), (key[1], 0), values=True).shape == (None,) and not asked
    asked.clear()
    assert read_key((4, 9), key[1], values=True).shape == (None, 9) and not asked
    assert read_key((4, 9), key[1], count=True).shape == (2, 9) and asked == ["selects"]
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 of extent 3"):
        read_key((3, 4), key, values=True)
    later = IndexArray((2,), "i", bounds=lambda: None), IndexArray((4,), "b", selects=lambda: None)
    assert read_key((3, 4), later, values=True).shape == (2,)


@pytest.mark.parametrize("key", [*KEYS, *REFUSED], ids=shown_key)
def test_a_key_in_two_parts(key: Any) -> None:
    """The plan of what can be kept of a key, with its arrays put in again, is the plan of the key."""
    shape = 3, 4, 5

    def in_one() -> IndexPlan:
        return read_key(shape, key, describe, values=True)

    def in_two() -> tuple[IndexPlan, list[IndexArray]]:
        split, arrays = split_key(key, describe)
        plan = {split: read_split(shape, split)}[split]
        check_values(plan, shape, arrays)
        return plan, arrays

    try:
        want = in_one()
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            in_two()
        return
    plan, arrays = in_two()
    assert plan[2:] == want[2:]
    for ours, theirs in zip(plan.entries, want.entries, strict=True):
        if isinstance(ours.value, IndexArray):
            np.testing.assert_array_equal(arrays[ours.value.data].data, theirs.value.data)
            ours = ours._replace(value=theirs.value)
        assert ours == theirs


def test_keys_that_are_equal_and_not_the_same() -> None:
    for keys in [(1, True), (0, False), (1, np.array(True)), ((0, 1), (False, 1)), (slice(1), (1, None, 1))]:
        plans = [read_split((3, 4, 5), split_key(key, describe)[0]) for key in keys]
        assert [p.shape for p in plans] == [read((3, 4, 5), key, values=False).shape for key in keys]


def test_the_plan_of_a_key() -> None:
    plan = read((3, 4, 5), (np.array([1, 0]), None, BACK, 2))
    assert plan.separated and plan.index_axis == 0 and plan.index_shape == (2,)
    assert [(e.kind, e.axis, e.width, e.out) for e in plan.entries] == [
        ("array", 0, 1, 0), ("newaxis", 1, 0, 1), ("slice", 1, 1, 2), ("int", 2, 1, 0)
    ]  # fmt: skip
    assert plan.entries[2].span == range(3, -1, -1)
    plan = read((3, 4), (AT, ..., [0, 1, 2]))
    assert [(e.kind, e.out) for e in plan.entries] == [("array", 0), ("ellipsis", 1), ("array", 0)]
    assert read((3, 4), (0, ..., 1)).index_shape is None
    with pytest.raises(AttributeError):
        plan.shape = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (3, "index 3 is out of bounds for axis 0 of extent 3"),
        ((..., -6), "index -6 is out of bounds for axis 2 of extent 5"),
        ((S, [0, 9, -7]), "index -7 is out of bounds for axis 1 of extent 4"),
        ((0, 0, None, 0, 0), "too many indices: 4 for 3 axes"),
        (np.zeros((3, 4, 5, 1), bool), "too many indices: 4 for 3 axes"),
        (np.zeros(2, bool), "a mask of shape (2,) does not fit axes of extent (3,)"),
        ((S, np.zeros((4, 4), bool)), "a mask of shape (4, 4) does not fit axes of extent (4, 5)"),
        ((..., 0, ...), "an index can have only one ellipsis (...)"),
        ((AT, AT[:2]), "index arrays of shapes (3,) and (2,) do not broadcast together"),
        ((np.array([True, False, True]), AT), "index arrays of shapes (2,) and (3,) do not broadcast together"),
        (1.0, "an index is an int, a slice, ..., None, a bool or integer array or a tuple of them; got 1.0"),
        ((0, "a"), "an index is an int, a slice, ..., None, a bool or integer array or a tuple of them; got 'a'"),
        (slice(0.5), "the bounds and the step of a slice are ints or None; got slice(None, 0.5, None)"),
        (slice(None, None, 0), "slice step cannot be zero"),
    ],
    ids=shown_key,
)
def test_what_errors_say(key: Any, message: str) -> None:
    with pytest.raises(ValueError if "step cannot" in message else IndexError) as raised:
        read((3, 4, 5), key)
    assert str(raised.value) == message


def test_bounds_and_shapes_by_themselves() -> None:
    assert broadcast_extents([]) == () and broadcast_extents([(2, 1), (None,)]) == (2, None)
    assert broadcast_extents([(None,), (1,)]) == (None,) and broadcast_extents([(None,), (0,)]) == (0,)
    check_bounds((-3, 2), 3, 0)
    check_bounds(None, 3, 0)
    check_bounds((9, 9), None, 0)
    with pytest.raises(IndexError, match="index -4 is out of bounds for axis 1 of extent 3"):
        check_bounds((-4, 7), 3, 1)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(st.integers(0, 3), max_size=3).map(tuple),
    st.lists(st.sampled_from([1, 1, 2, 3, 0]), max_size=4).map(tuple),
    st.integers(0, 15),
)
def test_values_that_fit(selected: tuple[int, ...], value: tuple[int, ...], hidden: int) -> None:
    x = np.zeros(selected)
    try:
        x[...] = np.zeros(value)
    except ValueError:
        with pytest.raises(ValueError, match="does not fit the shape .* that the key selects"):
            check_value(selected, value)
        return
    check_value(selected, value)
    check_value(tuple([None if hidden >> i & 1 else n for i, n in enumerate(selected)]), value)
    check_value(selected, tuple([None if hidden >> i & 1 else n for i, n in enumerate(value)]))


def test_keys_as_text() -> None:
    assert shown_key((0, ..., AT)) == "(0, Ellipsis, array of shape (3,))"
    assert shown_key((S,)) == "(slice(None, None, None),)"


def test_it_imports_no_framework() -> None:
    code = (
        "import latticework.engine.keys.reading, sys; print([m for m in ('numpy', 'torch', 'jax') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
