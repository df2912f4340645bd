"""Manipulation functions: every dtype, shape and memory layout against NumPy, and the errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import SHAPES, crossed, due, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import IMMUTABLE, Same, check, layouts, values, wide

import latticework as lw

NAMES = [b.name for b in lw.backends() if b.installed]


def raises(error: type[Exception], *words: str) -> Any:
    return pytest.raises(error, match="".join(f"(?=[\\s\\S]*{w})" for w in words))


def test_broadcast_to(backend: str, same: Same) -> None:
    for shape, target in [((), (2, 0)), ((), ()), ((1,), (3,)), ((4,), (3, 4)), ((3, 1), (2, 3, 4)), ((0,), (2, 0))]:
        same(
            "broadcast_to", lambda x, t=target: lw.broadcast_to(x, t), lambda n, t=target: np.broadcast_to(n, t), shape
        )
    check(lw.broadcast_to(lw.asarray(1), 3), [1, 1, 1], lw.int32)
    for shape, target in [((3,), (2, 2)), ((3,), ()), ((2, 3), (3,)), ((3,), (-1,)), ((1,), (2, -1))]:
        with raises(ValueError, "broadcast_to"):
            lw.broadcast_to(lw.zeros(shape), target)


def test_broadcast_arrays(backend: str) -> None:
    x, y, z = lw.broadcast_arrays(lw.asarray([[1], [2]]), lw.asarray([0.5, 1.5, 2.5]), lw.asarray(True))
    check(x, [[1, 1, 1], [2, 2, 2]], lw.int32)
    check(y, [[0.5, 1.5, 2.5]] * 2, lw.float32)
    check(z, np.full((2, 3), True), lw.bool)
    assert lw.broadcast_arrays() == ()
    for dtype in due(lw.all_dtypes, "broadcast_arrays", "broadcast_to"):
        for made in lw.broadcast_arrays(lw.zeros((3, 1), dtype=dtype), lw.zeros((0,), dtype=dtype)):
            check(made, np.zeros((3, 0)), dtype)
    with raises(ValueError, r"broadcast_arrays: shapes \(2,\) and \(3,\)"):
        lw.broadcast_arrays(lw.zeros(2), lw.zeros(3))
    with raises(TypeError, "broadcast_arrays: takes arrays; got list"):
        lw.broadcast_arrays([1], lw.zeros(2))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(80), deadline=None)
@given(st.lists(st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple), max_size=4))
def test_broadcast_shapes(name: str, shapes: list[tuple[int, ...]]) -> None:
    try:
        want = np.broadcast_shapes(*shapes)
    except ValueError:
        with raises(ValueError, "broadcast_shapes: shapes"):
            lw.broadcast_shapes(*shapes)
        return
    assert lw.broadcast_shapes(*shapes) == want
    with lw.using(backend=name):
        assert all(x.shape == want for x in lw.broadcast_arrays(*map(lw.zeros, shapes)))


def test_broadcast_shapes_of_unknown_extents() -> None:
    assert lw.broadcast_shapes((None, 1), (3,)) == (None, 3)
    assert lw.broadcast_shapes((None,), (3,)) == (3,)
    assert lw.broadcast_shapes((None,), (None,), (1,)) == (None,)
    assert lw.broadcast_shapes() == ()


def test_concat(backend: str) -> None:
    cases = [
        (((3, 4), (2, 4)), 0), (((3, 4), (3, 0)), 1), (((3, 4), (3, 1), (3, 2)), -1), (((0,), (0,)), 0), (((4,),), 0),
        (((2, 0, 3), (2, 5, 3)), 1), (((3, 4), (2,), ()), None), (((),), None),
    ]  # fmt: skip
    for (shapes, axis), dtype in crossed(cases, lw.all_dtypes, "concat"):
        data = [values(dtype, s, seed=i) for i, s in enumerate(shapes)]
        want = np.concatenate([wide(d) for d in data], axis=axis)
        for layout in range(3):
            arrays = [[x for _, x in layouts(d)][layout % len([*layouts(d)])] for d in data]
            check(lw.concat(arrays, axis=axis), want, dtype)
            check(lw.concat(tuple(arrays), axis=axis), want, dtype)
    x, y = lw.asarray([1, 2], dtype=lw.int8), lw.asarray([3], dtype=lw.int64)
    check(lw.concat([x, y]), [1, 2, 3], lw.int64)
    check(lw.concat([x, lw.asarray([0.5])]), [1, 2, 0.5], lw.float32)
    check(lw.concat([x, lw.asarray([0.5], dtype=lw.bfloat16)]), [1, 2, 0.5], lw.bfloat16)
    check(lw.concat([lw.asarray([True]), lw.asarray([1], dtype=lw.uint16)]), [1, 1], lw.uint16)
    with raises(ValueError, "concat"):
        lw.concat([lw.zeros((2, 3)), lw.zeros((2, 4))])
    with raises(ValueError, "concat"):
        lw.concat([lw.zeros(0), lw.zeros((2, 3))])
    with raises(ValueError, "concat: takes at least one array"):
        lw.concat([])
    with raises(lw.errors.AxisError, "concat: axis 0"):
        lw.concat([lw.asarray(1)], axis=0)
    with raises(TypeError, "concat: takes a list or tuple of arrays; got Array"):
        lw.concat(x)


def test_stack_and_unstack(backend: str) -> None:
    cases = [(shape, axis) for shape in SHAPES for axis in range(-len(shape) - 1, len(shape) + 1)]
    for (shape, axis), dtype in crossed(cases, lw.all_dtypes, "stack", "unstack"):
        data = [values(dtype, shape, seed=i) for i in range(3)]
        want = np.stack([wide(d) for d in data], axis=axis)
        made = lw.stack([lw.asarray(d) for d in data], axis=axis)
        check(made, want, dtype)
        parts = lw.unstack(made, axis=axis)
        assert isinstance(parts, tuple)
        assert len(parts) == 3
        for part, d in zip(parts, data, strict=True):
            check(part, d, dtype)
    check(lw.stack([lw.asarray([1]), lw.asarray([0.5])]), [[1], [0.5]], lw.float32)
    assert lw.unstack(lw.zeros((0, 3))) == ()
    with raises(ValueError, "stack"):
        lw.stack([lw.zeros(2), lw.zeros(3)])
    with raises(ValueError, "stack: takes at least one array"):
        lw.stack([])
    with raises(lw.errors.AxisError, "stack: axis 3"):
        lw.stack([lw.zeros((2, 2))], axis=3)
    with raises(lw.errors.AxisError, "unstack"):
        lw.unstack(lw.asarray(1), axis=0)


def test_expand_dims_and_squeeze(backend: str, same: Same) -> None:
    for shape in SHAPES:
        for axis in [*range(-len(shape) - 1, len(shape) + 1), (0, -1), (), (1, 0)]:
            if len(shape) >= 6:
                continue
            same("expand_dims", lambda x, a=axis: lw.expand_dims(x, a), lambda n, a=axis: np.expand_dims(n, a), shape)
            back = lw.squeeze(lw.expand_dims(lw.zeros(shape), axis=axis), axis=axis)
            assert back.shape == shape
    assert lw.expand_dims(lw.zeros((2, 3)), axis=(-1, 1)).shape == (2, 1, 3, 1)
    same("squeeze", lambda x: lw.squeeze(x, (0, -1)), lambda n: np.squeeze(n, (0, -1)), (1, 3, 1), (1, 0, 1))
    for axis in (3, -4, (0, 4), (-5, 0)):
        with raises(lw.errors.AxisError, "expand_dims: axis"):
            lw.expand_dims(lw.zeros((2, 3)), axis)
        with raises(IndexError, "expand_dims"):
            lw.expand_dims(lw.zeros((2, 3)), axis)
    for axis in ((0, 0), (0, -4)):
        with raises(ValueError, "expand_dims"):
            lw.expand_dims(lw.zeros((2, 3)), axis)
    for axis in (0, -1, (0, 1)):
        with raises(ValueError, "squeeze"):
            lw.squeeze(lw.zeros((2, 1, 3)), axis)
    with raises(ValueError, "squeeze"):
        lw.squeeze(lw.zeros((1, 1)), (0, 0))
    with raises(lw.errors.AxisError, "squeeze: axis 2"):
        lw.squeeze(lw.zeros((1, 1)), 2)


def test_flip(backend: str, same: Same) -> None:
    for axis in (None, (), 0, -1, (0, 1), (-1, 0)):
        same(
            "flip",
            lambda x, a=axis: lw.flip(x, axis=a),
            lambda n, a=axis: np.flip(n, a),
            (3, 4),
            (2, 0, 3),
            (2, 3, 4),
            (1, 5),
        )
    same("flip", lw.flip, np.flip)
    with raises(lw.errors.AxisError, "flip: axis 2"):
        lw.flip(lw.zeros((2, 3)), axis=2)
    with raises(ValueError, "flip"):
        lw.flip(lw.zeros((2, 3)), axis=(0, 0))


def test_moveaxis_and_permute_dims(backend: str, same: Same) -> None:
    for source, destination in [(0, -1), (-1, 0), (1, 1), ((0, 1), (1, 2)), ((2, 0), (0, -1)), ((), ())]:
        same(
            "moveaxis", lambda x, s=source, d=destination: lw.moveaxis(x, s, d),
            lambda n, s=source, d=destination: np.moveaxis(n, s, d), (2, 3, 4), (2, 0, 3),
        )  # fmt: skip
    for axes in [(2, 0, 1), (0, 1, 2), (-1, -2, -3), (1, -1, 0)]:
        same(
            "permute_dims",
            lambda x, a=axes: lw.permute_dims(x, a),
            lambda n, a=axes: np.transpose(n, a),
            (2, 3, 4),
            (2, 0, 3),
        )
    check(lw.permute_dims(lw.asarray(1), ()), 1, lw.int32)
    check(lw.permute_dims(lw.asarray([1, 2]), axes=(0,)), [1, 2], lw.int32)
    x = lw.zeros((2, 3, 4))
    for bad in ((3, 0), (0, 3), ((0, 5), (0, 1))):
        with raises((ValueError, IndexError), "moveaxis"):
            lw.moveaxis(x, *bad)
    for bad in (((0, 0), (1, 2)), ((0, 1), (2, 2)), ((0, 1), (2,)), ((0, -3), (0, 1))):
        with raises(ValueError, "moveaxis"):
            lw.moveaxis(x, *bad)
    for bad in ((0, 1), (0, 0, 1), (0, 1, 2, 3), (0, -3, 1)):
        with raises(ValueError, "permute_dims"):
            lw.permute_dims(x, bad)
    with raises(lw.errors.AxisError, "permute_dims: axis 3"):
        lw.permute_dims(x, (0, 1, 3))


def test_repeat(backend: str, same: Same) -> None:
    for repeats in (0, 1, 3):
        same("repeat", lambda x, r=repeats: lw.repeat(x, r), lambda n, r=repeats: np.repeat(n, r))
        for axis in (0, 1, -1):
            same(
                "repeat", lambda x, r=repeats, a=axis: lw.repeat(x, r, axis=a),
                lambda n, r=repeats, a=axis: np.repeat(n, r, a),
                (3, 4), (2, 0, 3),
            )  # fmt: skip


def test_repeat_of_each(backend: str, same: Same) -> None:
    for counts in ([0, 1, 2], [2], [0]):
        for dtype in ("int8", "int64", "uint16", "uint64"):
            r = lw.asarray(counts, dtype=dtype)
            same(
                "repeat", lambda x, r=r: lw.repeat(x, r, axis=0), lambda n, c=counts: np.repeat(n, c, 0),
                (3,), (3, 4), (3, 0),
            )  # fmt: skip
            same("repeat", lambda x, r=r: lw.repeat(x, r), lambda n, c=counts: np.repeat(n, c), (3,), (1, 3))
    check(lw.repeat(lw.asarray([1, 2]), lw.asarray(2)), [1, 1, 2, 2], lw.int32)
    check(lw.repeat(lw.zeros(0), lw.asarray([3])), [], lw.float32)
    x = lw.zeros((2, 3))
    for bad in (lw.asarray([1, 2]), lw.asarray([1, 2, 3, 4]), lw.asarray([[1, 2, 3]]), lw.asarray([-1, 1, 1]), -1):
        with raises(ValueError, "repeat"):
            lw.repeat(x, bad, axis=1)
    for bad in (2.5, True, lw.asarray([0.5]), lw.asarray([True])):
        with raises(TypeError, "repeat: repeats must have an integer dtype"):
            lw.repeat(x, bad)
    with raises(lw.errors.AxisError, "repeat: axis 2"):
        lw.repeat(x, 2, axis=2)


def test_reshape(backend: str, same: Same) -> None:
    for shape, target in [
        ((3, 4), (2, 6)), ((3, 4), (-1,)), ((3, 4), (4, -1)), ((), (1, 1)), ((), (-1,)), ((1,), ()),
        ((2, 0, 3), (0, 5)),
        ((0,), (2, 0)), ((2, 3, 4), (4, 1, 6)), ((2, 0, 3), (3, -1)),
    ]:  # fmt: skip
        for order in ("C", "F"):
            for copy in (None, True):
                same(
                    "reshape", lambda x, t=target, o=order, c=copy: lw.reshape(x, t, order=o, copy=c),
                    lambda n, t=target, o=order: np.reshape(n, t, order=o), shape,
                )  # fmt: skip
    check(lw.reshape(lw.zeros((2, 3)), 6), np.zeros(6), lw.float32)
    check(lw.reshape(lw.zeros((2, 3)), [3, 2]), np.zeros((3, 2)), lw.float32)
    for bad in ((4,), (2, 2), (-1, -1), (-1, 4), (0,), (-2, 3)):
        with raises(ValueError, "reshape", r"\(2, 3\)"):
            lw.reshape(lw.zeros((2, 3)), bad)
    with raises((TypeError, ValueError), "reshape", "order"):
        lw.reshape(lw.zeros((2, 3)), (6,), order="K")


def test_the_method_reshapes_what_a_reduction_gives(backend: str) -> None:
    """On NumPy that is a scalar of NumPy's, which is no array."""
    x = lw.mean(lw.asarray([1.0, 3.0]))
    check(x.reshape(-1), [2.0], lw.float32)
    check(x.reshape(1, 1), [[2.0]], lw.float32)
    with pytest.raises(ValueError, match="^reshape: "):
        x.reshape(2)


def test_reshape_shares_memory_as_asked(backend: str) -> None:
    if backend in IMMUTABLE:
        return  # which cannot be told
    x = lw.asarray([[1, 2, 3], [4, 5, 6]])
    for order in ("C", "F"):
        given = x if order == "C" else lw.permute_dims(lw.asarray([[1, 4], [2, 5], [3, 6]]), (1, 0))
        view = lw.reshape(given, (6,), order=order, copy=False)
        view[0] = 9
        assert given[0, 0] == 9
        for copy in (None, False):
            lw.reshape(given, (3, 2), order=order, copy=copy)[0, 0] = 8
            assert given[0, 0] == 8
        lw.reshape(given, (6,), order=order, copy=True)[0] = 7
        lw.reshape(given, given.shape, order=order, copy=True)[0, 0] = 7
        assert given[0, 0] == 8
        turned = lw.permute_dims(given, (1, 0))
        with raises(ValueError, "reshape"):
            lw.reshape(turned, (6,), order=order, copy=False)


def test_roll(backend: str, same: Same) -> None:
    for shift in (0, 1, -1, 5, 13):
        same("roll", lambda x, s=shift: lw.roll(x, s), lambda n, s=shift: np.roll(n, s))
        for axis in (0, -1, (0, 1), (1, 0), (0, 0)):
            same(
                "roll", lambda x, s=shift, a=axis: lw.roll(x, s, axis=a), lambda n, s=shift, a=axis: np.roll(n, s, a),
                (3, 4), (2, 0), (2, 3, 4),
            )  # fmt: skip
    same("roll", lambda x: lw.roll(x, (1, -2), axis=(0, 1)), lambda n: np.roll(n, (1, -2), (0, 1)), (3, 4), (2, 3, 4))
    same("roll", lambda x: lw.roll(x, (1, 2)), lambda n: np.roll(n, 3), (3, 4))
    with raises(lw.errors.AxisError, "roll: axis 2"):
        lw.roll(lw.zeros((2, 3)), 1, axis=2)
    with raises(ValueError, "roll"):
        lw.roll(lw.zeros((2, 3)), (1, 2, 3), axis=(0, 1))


def test_tile(backend: str, same: Same) -> None:
    for repetitions in ((), (2,), (2, 1), (0, 2), (1, 2, 3), (2, 2, 1, 2)):
        same("tile", lambda x, r=repetitions: lw.tile(x, r), lambda n, r=repetitions: np.tile(n, r))
    check(lw.tile(lw.asarray([1, 2]), 2), [1, 2, 1, 2], lw.int32)
    with raises(ValueError, "tile"):
        lw.tile(lw.zeros(2), (-1,))


SIDES = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)


#: Functions of an array, two axes and a number: ours and NumPy's.
STEPS: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (lambda x, a, b, k: lw.flip(x, axis=a), lambda n, a, b, k: np.flip(n, a)),
    (lambda x, a, b, k: lw.roll(x, k, axis=a), lambda n, a, b, k: np.roll(n, k, a)),
    (lambda x, a, b, k: lw.moveaxis(x, a, b), lambda n, a, b, k: np.moveaxis(n, a, b)),
    (lambda x, a, b, k: lw.repeat(x, abs(k) % 3, axis=a), lambda n, a, b, k: np.repeat(n, abs(k) % 3, a)),
    (lambda x, a, b, k: lw.concat([x, x], axis=a), lambda n, a, b, k: np.concatenate([n, n], a)),
    (lambda x, a, b, k: lw.swapaxes(x, a, b), lambda n, a, b, k: np.swapaxes(n, a, b)),
]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(60), deadline=None)
@given(shape=SIDES, data=st.data())
def test_compositions_of_them(name: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    """A row of them, one on the other's result, views of views among them."""
    axis = st.integers(-len(shape), len(shape) - 1)
    with lw.using(backend=name):
        n = np.arange(np.prod(shape)).reshape(shape)
        x = lw.asarray(n)
        for _ in range(4):
            ours, theirs = data.draw(st.sampled_from(STEPS))
            given = data.draw(axis), data.draw(axis), data.draw(st.integers(-5, 5))
            x, n = ours(x, *given), theirs(n, *given)
            check(x, n, lw.int64)
        check(lw.reshape(x, (-1,)), n.reshape(-1), lw.int64)
