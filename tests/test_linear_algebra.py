"""Products: matmul, tensordot and vecdot in every numeric dtype, against NumPy in a dtype that is exact."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from cases import crossed, examples, for_case
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NUMPY, check, dtypes, extremes, layouts, values, wide

import latticework as lw

NUMERIC = dtypes("numeric")

MATMUL = [
    ((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((1, 1), (1, 1)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)), ((5, 1, 2, 3), (4, 3, 2)), ((3,), (2, 3, 4)), ((2, 4, 3), (3,)),
    ((0, 3), (3, 2)), ((2, 3), (3, 0)), ((2, 0), (0, 3)), ((0,), (0,)), ((4, 0), (0,)), ((0,), (0, 4)),
    ((0, 2, 3), (3, 1)), ((5, 2, 0), (0, 3)), ((3, 1, 0), (0,)),
]  # fmt: skip


def size(product: Any, x1: np.ndarray, x2: np.ndarray, **kw: Any) -> float:
    """What the sums of a product are of: the greatest sum of absolute values."""
    sums = product(np.abs(wide(x1)), np.abs(wide(x2)), **kw)
    return float(np.max(sums, initial=0))


def wrapped(product: Any, x1: np.ndarray, x2: np.ndarray, **kw: Any) -> np.ndarray:
    """A product in the widest dtype, integers modulo 2**64 and then cut to their own width."""
    if x1.dtype.kind not in "iu":
        return np.asarray(product(wide(x1), wide(x2), **kw))
    return np.asarray(product(x1.astype(np.uint64), x2.astype(np.uint64), **kw)).astype(x1.dtype)


@pytest.mark.parametrize("shapes", MATMUL, ids=str)
def test_matmul(backend: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    for dtype in for_case(shapes, MATMUL, NUMERIC, "matmul"):
        x1, x2 = values(dtype, shapes[0]), values(dtype, shapes[1], seed=1)
        expected, scale = wrapped(np.matmul, x1, x2), size(np.matmul, x1, x2)
        for _, a in layouts(x1):
            for _, b in layouts(x2):
                check(lw.matmul(a, b), expected, dtype, scale=scale)
        check(lw.asarray(x1) @ lw.asarray(x2), expected, dtype, scale=scale)
        check(lw.linalg.matmul(lw.asarray(x1), lw.asarray(x2)), expected, dtype, scale=scale)


@pytest.mark.parametrize("dtype", dtypes("integral"))
def test_integers_wrap_around(backend: str, dtype: lw.Dtype) -> None:
    x = extremes(dtype)
    x1, x2 = np.tile(x, 3).reshape(3, -1), np.tile(x[::-1], 2).reshape(-1, 2)
    with np.errstate(all="ignore"):
        check(lw.asarray(x1) @ lw.asarray(x2), wrapped(np.matmul, x1, x2), dtype)
        check(lw.vecdot(lw.asarray(x1), lw.asarray(x2[:, 0])), wrapped(np.matmul, x1, x2[:, 0]), dtype)
        check(lw.tensordot(lw.asarray(x1), lw.asarray(x2), axes=1), wrapped(np.matmul, x1, x2), dtype)
        check(lw.linalg.outer(lw.asarray(x), lw.asarray(x)), wrapped(np.outer, x, x), dtype)


def test_matmul_is_not_limited_by_the_range_of_floats(backend: str) -> None:
    big = 2**63 + 1
    x = lw.asarray([[big, 1]], dtype=lw.uint64)
    assert (x @ lw.asarray([[1], [1]], dtype=lw.uint64)).item() == big + 1


@pytest.mark.parametrize("dtype", [lw.float16, lw.bfloat16])
def test_16_bits_are_summed_in_float32(backend: str, dtype: lw.Dtype) -> None:
    ones = np.ones((1, 3000), NUMPY[dtype])  # 2049 is the first whole number that float16 has not, 257 bfloat16
    x, right = lw.asarray(ones), np.float64(3000).astype(NUMPY[dtype])
    assert (x @ x.mT).item() == right
    v = x[0, :]
    for total in (lw.vecdot(v, v), lw.tensordot(v, v, axes=1), lw.einsum("i,i->", v, v), lw.nn.linear(x, x), lw.sum(v)):
        assert total.item() == right
    assert (lw.stack([x, x]) @ lw.stack([x.mT, x.mT]))[1, 0, 0].item() == right


@pytest.mark.parametrize("dtype", [lw.float16, lw.bfloat16])
def test_tiles_of_16_bits(dtype: lw.Dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    from latticework.backends.numpy import linear_algebra

    monkeypatch.setattr(linear_algebra, "_TILE", 12)
    monkeypatch.setattr(linear_algebra, "_SIDE", 3)
    with lw.using(backend="numpy"):
        for shapes in [*MATMUL, ((7, 5), (5, 9)), ((1, 40), (40, 1)), ((3, 2, 7, 6), (3, 1, 6, 5)), ((9, 1), (1, 9))]:
            x1, x2 = values(dtype, shapes[0]), values(dtype, shapes[1], seed=1)
            check(lw.asarray(x1) @ lw.asarray(x2), np.matmul(wide(x1), wide(x2)), dtype, scale=size(np.matmul, x1, x2))


def test_16_bits_make_no_wider_copy() -> None:
    with lw.using(backend="numpy"):
        x = lw.asarray(np.full((1, 1 << 24), 2.0**-11, np.float16))
        tracemalloc.start()
        made = x @ x.mT
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert made.item() == 4
    assert peak < x.nbytes / 2


def test_matmul_of_two_dtypes(backend: str) -> None:
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(3, dtype=np.float32) / 2
    check(lw.asarray(a) @ lw.asarray(b), a @ b, lw.float32)
    check(lw.matmul(lw.asarray(b), lw.asarray(a.T)), b @ a.T, lw.float32)
    check(lw.asarray(a.astype(np.int8)) @ lw.asarray(a.T.astype(np.uint8)), a @ a.T, lw.int16)
    check(lw.asarray(b) @ lw.asarray(1j * b), b @ (1j * b), lw.complex64)


def test_matmul_in_place(backend: str) -> None:
    a = np.arange(9, dtype=np.float32).reshape(3, 3)
    x = lw.asarray(a, copy=True)
    x @= lw.asarray(a)
    check(x, a @ a, lw.float32)
    y = lw.asarray(a[:2], copy=True)
    with pytest.raises(ValueError, match="matmul"):
        y @= lw.asarray(a[:, :2])


@pytest.mark.parametrize(
    ("shape1", "shape2", "words"),
    [
        ((2, 3), (2, 3), r"\(2, 3\) and \(2, 3\)"),
        ((2,), (3,), r"\(2,\) and \(3,\)"),
        ((2, 3), (2,), r"\(2, 3\) and \(2,\)"),
        ((2,), (3, 2), r"\(2,\) and \(3, 2\)"),
        ((2, 2, 3), (3, 3, 4), r"\(2, 2, 3\) and \(3, 3, 4\)"),
        ((2, 1), (2, 3), r"\(2, 1\) and \(2, 3\)"),
        ((), (3,), r"\(\) and \(3,\)"),
        ((3,), (), r"\(3,\) and \(\)"),
    ],
)
def test_matmul_says_which_shapes(backend: str, shape1: Any, shape2: Any, words: str) -> None:
    for dtype in (lw.float32, lw.bfloat16, lw.int32, lw.uint16):
        with pytest.raises(ValueError, match=f"matmul.*{words}"):
            lw.matmul(lw.asarray(values(dtype, shape1)), lw.asarray(values(dtype, shape2)))


def test_matmul_refuses(backend: str) -> None:
    x = lw.asarray([[True]])
    with pytest.raises(TypeError, match="matmul: takes numeric"):
        x @ x
    with pytest.raises(ValueError, match="Scale with lw.multiply"):
        lw.asarray([1.0]) @ 2
    with pytest.raises(TypeError, match="tensordot: takes numeric"):
        lw.tensordot(x, x)
    with pytest.raises(TypeError, match="vecdot: takes numeric"):
        lw.vecdot(x, x)


def test_matrix_transpose(backend: str) -> None:
    shapes = [(2, 3), (0, 3), (4, 2, 3), (1, 1), (2, 0, 3, 1)]
    for shape, dtype in crossed(shapes, dtypes("all"), "matrix_transpose"):
        x = values(dtype, shape)
        for _, a in layouts(x):
            check(lw.matrix_transpose(a), np.swapaxes(x, -1, -2), dtype)
            check(a.mT, np.swapaxes(x, -1, -2), dtype)
    for shape in [(), (3,)]:
        with pytest.raises(ValueError, match=r"matrix_transpose: needs 2 axes or more; got shape"):
            lw.matrix_transpose(lw.asarray(np.zeros(shape, np.float32)))


VECDOT = [
    ((2, 3), (2, 3), -1), ((3,), (3,), -1), ((2, 3), (3,), -1), ((3,), (2, 3), -1), ((3, 2), (3, 2), -2),
    ((3, 2), (3, 2), 0), ((4, 1, 3), (5, 3), -1), ((3, 4), (2, 3, 1), -2), ((0,), (0,), -1), ((0, 3), (0, 3), -1),
    ((3, 0), (3, 0), -1), ((2, 0), (0,), -1), ((3, 4), (3, 1), 0),
]  # fmt: skip


@pytest.mark.parametrize("case", VECDOT, ids=str)
def test_vecdot(backend: str, case: tuple[tuple[int, ...], tuple[int, ...], int]) -> None:
    shape1, shape2, axis = case

    def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        n = axis if axis < 0 else axis - a.ndim
        return np.asarray(np.sum(np.conj(a) * b, axis=n, dtype=a.dtype))

    for dtype in for_case(case, VECDOT, NUMERIC, "vecdot"):
        x1, x2 = values(dtype, shape1), values(dtype, shape2, seed=1)
        expected, scale = wrapped(product, x1, x2), size(product, x1, x2)
        for _, a in layouts(x1):
            check(lw.vecdot(a, lw.asarray(x2), axis=axis), expected, dtype, scale=scale)
        check(lw.linalg.vecdot(lw.asarray(x1), lw.asarray(x2), axis=axis), expected, dtype, scale=scale)


@pytest.mark.parametrize(
    ("shape1", "shape2", "axis", "words"),
    [
        ((2, 3), (1,), -1, r"vecdot: shapes \(2, 3\) and \(1,\).*3 and 1 elements"),
        ((1, 2), (3, 2), -2, r"vecdot: shapes \(1, 2\) and \(3, 2\)"),
        ((2, 3), (4, 3), -1, r"vecdot: shapes \(2, 3\) and \(4, 3\)"),
        ((2, 3), (3,), 0, "vecdot: axis 0 is ambiguous.*Count it from the end"),
        ((2, 3), (3,), -2, r"vecdot: axis -2 is out of bounds for array of shape \(3,\)"),
        ((2, 3), (2, 3), 2, "vecdot: axis 2 is out of bounds"),
        ((), (3,), -1, "vecdot: axis -1 is out of bounds"),
    ],
)
def test_vecdot_says_which_shapes(backend: str, shape1: Any, shape2: Any, axis: int, words: str) -> None:
    for dtype in (lw.float32, lw.bfloat16, lw.int8, lw.uint32):
        with pytest.raises(ValueError, match=words):
            lw.vecdot(lw.asarray(values(dtype, shape1)), lw.asarray(values(dtype, shape2)), axis=axis)


TENSORDOT: list[tuple[tuple[int, ...], tuple[int, ...], Any]] = [
    ((2, 3), (2, 3), 2), ((2, 3), (3, 4), 1), ((2, 3), (4,), 0), ((), (), 0), ((), (2, 3), 0), ((3,), (3,), 1),
    ((2, 3, 4), (3, 4, 5), 2), ((2, 3, 4), (4, 3, 2), ((0, 1, 2), (2, 1, 0))), ((2, 3, 4), (5, 3), ((1,), (1,))),
    ((2, 3, 4), (4, 5, 2), ((-1, 0), (0, -1))), ((2, 3), (5, 4), ((), ())), ((2, 0), (0, 3), 1), ((0, 2), (2, 3), 1),
    ((2, 0, 3), (3, 4), ((2,), (0,))), ((3, 2), (2, 3, 4), ([1, 0], [0, 1])), ((2, 2, 2, 2), (2, 2), 2),
]  # fmt: skip


@pytest.mark.parametrize("case", TENSORDOT, ids=str)
def test_tensordot(backend: str, case: tuple[tuple[int, ...], tuple[int, ...], Any]) -> None:
    shape1, shape2, axes = case
    for dtype in for_case(case, TENSORDOT, NUMERIC, "tensordot"):
        x1, x2 = values(dtype, shape1), values(dtype, shape2, seed=1)
        expected, scale = wrapped(np.tensordot, x1, x2, axes=axes), size(np.tensordot, x1, x2, axes=axes)
        for _, a in layouts(x1):
            check(lw.tensordot(a, lw.asarray(x2), axes=axes), expected, dtype, scale=scale)
        check(lw.linalg.tensordot(lw.asarray(x1), lw.asarray(x2), axes=axes), expected, dtype, scale=scale)


@pytest.mark.parametrize(
    ("shape1", "shape2", "axes", "words"),
    [
        ((2, 3), (2, 3), 1, r"axes \(1,\) and \(0,\) of arrays of shapes \(2, 3\) and \(2, 3\)"),
        ((2, 1), (3, 2), 1, r"axes \(1,\) and \(0,\)"),  # torch would stretch the 1
        ((2, 3), (3,), 2, "cannot sum over 2 axes"),
        ((2, 3), (3, 2), -1, "cannot sum over -1 axes"),
        ((2, 3), (3, 2), ((0, 1), (1,)), "as many"),
        ((2, 2), (2, 2), ((0, 0), (0, 1)), "name one axis twice"),
        ((2, 2), (2, 2), ((0, -2), (0, 1)), "name one axis twice"),
        ((2, 3), (3, 2), ((2,), (0,)), "axis 2 is out of bounds"),
        ((2, 3), (3, 2), ((1,), (0,), (0,)), "an int or the axes of x1 and of x2"),
    ],
)
def test_tensordot_says_what_is_wrong(backend: str, shape1: Any, shape2: Any, axes: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"tensordot: .*{words}"):
        lw.tensordot(lw.asarray(values(lw.float32, shape1)), lw.asarray(values(lw.float32, shape2)), axes=axes)


@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_products_of_any_shapes(data: st.DataObject) -> None:
    """matmul with broadcast stacks and tensordot with axes in any order, on every backend."""
    sides = st.integers(0, 3)
    dtype = data.draw(st.sampled_from(NUMERIC))
    stack = data.draw(st.lists(sides, max_size=3))
    m, k, n = data.draw(sides), data.draw(sides), data.draw(sides)
    drop = data.draw(st.integers(0, len(stack)))
    ones = tuple(1 if data.draw(st.booleans()) else side for side in stack[drop:])
    x1, x2 = values(dtype, (*stack, m, k)), values(dtype, (*ones, k, n), seed=1)
    axes = data.draw(st.permutations(range(x2.ndim)))
    x3 = values(dtype, tuple(x2.shape[a] for a in axes), seed=2)
    count = data.draw(st.integers(0, x2.ndim))
    pairs = ([*axes[:count]], [*range(count)])
    for backend in [b.name for b in lw.backends() if b.installed]:
        with lw.using(backend=backend), np.errstate(all="ignore"):
            y1, y2, y3 = map(lw.asarray, (x1, x2, x3))
            check(y1 @ y2, wrapped(np.matmul, x1, x2), dtype, scale=size(np.matmul, x1, x2))
            made = lw.tensordot(y2, y3, axes=pairs)
            check(made, wrapped(np.tensordot, x2, x3, axes=pairs), dtype, scale=size(np.tensordot, x2, x3, axes=pairs))
