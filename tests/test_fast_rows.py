"""Calls that work row by row, as one loop that keeps the rows in the cache: `faster(functions=True)` on NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

Arrays = list[lw.Array]


def norms(x: lw.Array, w: lw.Array) -> Arrays:
    """Reductions of rows, and what is computed with them; extents 1 that stay and that go."""
    d = x - lw.mean(x, axis=-1, keepdims=True)
    e = lw.exp(x - lw.max(x, axis=1)[:, None])
    return [
        d / lw.sqrt(lw.mean(d * d, axis=-1, keepdims=True) + 1e-5) * w[0] + w[1],
        e / lw.sum(e, axis=1, keepdims=True),
        lw.mean(lw.log(lw.sum(e, axis=-1)) - lw.min(d, axis=1)),
    ]


def totals(x: lw.Array, w: lw.Array) -> Arrays:
    """Totals over all rows of what is computed from one row, of one column and of all."""
    near = 1.0 * (lw.argmin(lw.abs(x), axis=1)[:, None] == lw.arange(x.shape[1]))
    s = lw.sum(x * w[0], axis=1)
    return [
        lw.sum(near, axis=0), lw.mean(near * x, axis=0, keepdims=True), lw.max(x * 2 - w[1], axis=0),
        lw.min(s + 1), lw.mean(x * s[:, None]), lw.max(lw.abs(s) * 3), lw.argmax(x * x, axis=1), lw.sum(s * s),
    ]  # fmt: skip


def products(x: lw.Array, w: lw.Array) -> Arrays:
    """Products of rows with vectors and small matrices, transposed ones, and those of transposed arrays."""
    p = 1 / (1 + lw.exp(-(x @ w[0])))
    h = (x - w[1]) @ w.mT
    return [x.mT @ (p - 0.5), h.mT @ h, (x * p[:, None]).mT @ x, lw.sum(h * h, axis=0)]


def boxes(x: lw.Array, w: lw.Array) -> Arrays:
    """Rows that are matrices, with reductions along one axis, the other and both."""
    d = (x[:, None, :] - w) ** 2
    near = lw.argmin(lw.sum(d, axis=2), axis=1)
    totals = [lw.mean(d * d, axis=0), lw.mean(d, axis=(0, 2))]
    return [lw.sum(d, axis=1) * 2, lw.mean(d, axis=1) + 1, lw.max(d, axis=(1, 2)) - 1, near, *totals]


def far(x: lw.Array, w: lw.Array) -> Arrays:
    """Groups that need what others add up over all rows."""
    x = x - lw.mean(x * 1, axis=0)
    v = w[0]
    v = x.mT @ (x @ v)
    v = v / lw.sqrt(lw.sum(v * v))
    return [v, x, lw.sum((x @ v) ** 2), lw.std(x, axis=0), lw.var(x, axis=1, keepdims=True)]


PROGRAMS: list[Callable[[lw.Array, lw.Array], Arrays]] = [norms, totals, products, boxes, far]


def close(found: Any, expected: Any, dtype: str) -> None:
    a, b = np.asarray(found), np.asarray(expected)
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    tolerance = 1e-12 if dtype == "float64" else 2e-5
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, float(np.nanmax(np.abs(b), initial=0))))


@pytest.mark.parametrize(
    ("dtype", "columns", "programs"), [("float64", 5, PROGRAMS), ("float32", 70, [totals, products])]
)
def test_rows_are_what_numpy_computes(dtype: str, columns: int, programs: list[Any]) -> None:
    """Of few columns and of many, and of other numbers of rows than the graph was traced with; of nan.

    One program is also of another layout in memory, of infinities, of other columns and of no rows.
    """
    dice = np.random.default_rng(0)
    w = lw.asarray(dice.normal(size=(3, columns)).astype(dtype))
    x = lw.asarray(dice.normal(size=(1100, columns)).astype(dtype))
    more = [lw.flip(x[:60]), lw.where(x > 1.5, lw.inf, x), lw.where(x > 1.5, -lw.inf, x), x[:60, :3] + 0]
    for program in programs:
        fast = lw.trace(program, x[:37], w).faster(functions=True)
        assert "_rows" in fast.body.text
        for y in (x, x[:41], x[:1], lw.where(x < -2.9, lw.nan, x), *(more if program is norms else ())):
            z = w[:, : y.shape[1]]
            for a, b in zip(fast.function(y.data, z.data), program(y, z), strict=True):
                close(a, b, dtype)
        if program is norms:
            found = fast.function(x.data[:0], w.data)
            assert [a.shape for a in found] == [b.shape for b in norms(x[:0], w)]


def layer(x: lw.Array, w: lw.Array) -> lw.Array:
    return lw.tanh((x - 0.5) @ w) * 2


@pytest.mark.parametrize(
    ("dtype", "length", "columns"),
    [
        ("float64", 130, 5), ("float32", 130, 4), ("float64", 130, 1),
        ("float64", 20, 9), ("float64", 64, 46), ("float32", 30, 100),
    ],
)  # fmt: skip
def test_products_of_rows_with_a_matrix(dtype: str, length: int, columns: int) -> None:
    """Few columns, and many; some rows and columns at a time, and those that are left over; nan and infinities."""
    dice = np.random.default_rng(0)
    x = lw.asarray(dice.normal(size=(70, length)).astype(dtype))
    w = lw.asarray(dice.normal(size=(length, columns)).astype(dtype))
    fast = lw.trace(layer, x, w).faster(functions=True)
    assert ("w_columns" if columns <= 5 else "loop_matmul(") in fast.body.text.partition("def layer_rows")[2]
    for rows in (x, x[:7], x[:1], lw.where(x > 2.9, lw.inf, x), lw.where(x < -2.9, lw.nan, x), lw.flip(x)):
        close(fast.function(rows.data, w.data), layer(rows, w), dtype)
    few = x[:, :5], w[:5, :3]
    close(fast.function(*(a.data for a in few)), layer(*few), dtype)
    close(fast.function(x.data, np.asfortranarray(w.data)), layer(x, w), dtype)


def test_short_rows_and_large_matrices_are_left_to_numpy() -> None:
    def layer(x: lw.Array, w: lw.Array) -> lw.Array:
        return lw.tanh(x @ w + 1) * lw.sum(x * x, axis=1, keepdims=True)

    for rows, columns in ((8, 40), (20, 7), (200, 100), (4000, 8)):
        x, w = lw.ones((9, rows)), lw.ones((rows, columns))
        text = lw.trace(layer, x, w).faster(functions=True).body.text
        assert "matmul(x, w)" in text.partition("def layer(")[2].partition("if not")[0]


def clusters(x: lw.Array, w: lw.Array) -> Arrays:
    """Distances of points, the nearest one, and sums of those near to each: rows of several axes."""
    distances = lw.sum((x[:, None, :] - w) ** 2, axis=2)
    near = 1.0 * (lw.argmin(distances, axis=1)[:, None] == lw.arange(w.shape[0]))
    near = lw.astype(near, x.dtype)
    least = lw.min(lw.abs(x[:, None, :] * w) + 0, axis=2)
    totals = [lw.mean(distances * least), lw.max(x * 2, axis=0), lw.sum(near, axis=0, keepdims=True)]
    return [near.mT @ x, near.mT @ x[:, 0], distances, *totals]


@pytest.mark.parametrize(
    ("dtype", "columns", "others"), [("float64", 8, 8), ("float32", 3, 5), ("float64", 11, 4), ("float64", 2, 1)]
)
def test_several_short_rows_are_computed_at_once(dtype: str, columns: int, others: int) -> None:
    """For fewer rows than are taken at a time, as many, and more; in another layout; nan and infinities."""
    dice = np.random.default_rng(0)
    x = lw.asarray(dice.normal(size=(600, columns)).astype(dtype))
    w = lw.asarray(dice.normal(size=(others, columns)).astype(dtype))
    fast = lw.trace(clusters, x[:41], w).faster(functions=True)
    assert "x_columns" in fast.body.text
    for y in (x, x[:256], x[:257], x[:1], lw.flip(x), lw.where(x > 2.5, lw.nan, x), lw.where(x > 2.5, lw.inf, x)):
        for a, b in zip(fast.function(y.data, w.data), clusters(y, w), strict=True):
            close(a, b, dtype)
    if dtype == "float32":  # the loop for any number of columns is compiled then
        wide = lw.concat([x, x], axis=1), lw.concat([w, -w], axis=1)
        for a, b in zip(fast.function(*(a.data for a in wide)), clusters(*wide), strict=True):
            close(a, b, dtype)


def test_short_rows_stay_one_after_the_other_where_that_is_faster() -> None:
    def distances(x: lw.Array, w: lw.Array) -> Arrays:
        return [lw.sum((x[:, None, :] - w) ** 2, axis=2)]

    def kernels(x: lw.Array, w: lw.Array) -> Arrays:
        return [lw.sum(lw.exp(-((x[:, None, :] - w) ** 2)), axis=2)]

    def lengths(x: lw.Array, w: lw.Array) -> Arrays:
        return [x / lw.sqrt(lw.sum(x * x, axis=1, keepdims=True))]

    for program, columns, turned, alone in (
        (distances, 8, True, True), (distances, 40, False, False), (kernels, 8, False, True), (lengths, 8, False, True),
        (lengths, 9, False, False),
    ):  # fmt: skip
        text = lw.trace(program, lw.ones((9, columns)), lw.ones((5, columns))).faster(functions=True).body.text
        assert ("x_columns" in text) == turned
        assert (f"_{columns}(x" in text) == alone  # a loop for this number of columns alone


def attention(q: lw.Array, k: lw.Array, v: lw.Array) -> Arrays:
    scores = q @ lw.permute_dims(k, (*range(k.ndim - 2), k.ndim - 1, k.ndim - 2)) * 0.3
    e = lw.exp(scores - lw.max(scores, axis=-1, keepdims=True))
    return [e / lw.sum(e, axis=-1, keepdims=True) @ v, scores]


def turned(q: lw.Array, k: lw.Array, v: lw.Array) -> Arrays:
    """Products of transposed matrices and with one matrix; transposed results with what is added to them."""
    s = q.mT @ k
    t = lw.tanh(s) @ (lw.ones((k.shape[-1], 9), dtype=k.dtype) / 10)
    return [lw.sum(t, axis=-1), s.mT - lw.mean(s.mT, axis=-1, keepdims=True), (v - 1) @ s]


@pytest.mark.parametrize("program", [attention, turned])
@pytest.mark.parametrize(
    ("shape", "dtype"), [((3, 19, 19), "float64"), ((2, 3, 8, 17), "float32"), ((4, 1, 16, 33), "float64")]
)
def test_products_of_stacks_of_matrices(program: Any, shape: tuple[int, ...], dtype: str) -> None:
    dice = np.random.default_rng(0)
    q, k, v = (lw.asarray(dice.normal(size=shape).astype(dtype)) for _ in range(3))
    fast = lw.trace(program, q, k, v).faster(functions=True)
    inside, _, outside = fast.body.text.partition(f"def {program.__name__}(")
    assert inside.count("loop_matmul(") >= 2
    assert "matmul(" not in outside.partition("if not")[0]
    strided = lw.asarray(np.repeat(k.data, 2, axis=-1)[..., ::2])
    turned_in_memory = lw.asarray(np.swapaxes(np.ascontiguousarray(np.swapaxes(v.data, -1, -2)), -1, -2))
    assert not strided.data.flags.c_contiguous
    assert not turned_in_memory.data.flags.c_contiguous
    special = lw.where(q > 2, lw.nan, lw.where(q < -2, lw.inf, q))
    for given in ((q, k, v), (q[1:], k[1:], v[1:]), (q[:1], strided[:1], turned_in_memory[:1]), (special, k, v)):
        for a, b in zip(fast.function(*(x.data for x in given)), program(*given), strict=True):
            close(a, b, dtype)


def test_stacks_that_a_loop_does_not_multiply() -> None:
    """Those that are repeated, of vectors, of few columns, and of matrices for which NumPy is as fast."""
    stack = lw.ones((3, 16, 16))
    others = [lw.ones((1, 16, 16)), lw.ones((3, 16, 1)), lw.ones((3, 16, 3)), lw.ones((2, 3, 16, 16)), lw.ones(16)]
    for a, b in [*((stack, b) for b in others), (stack[:, :1], stack), (lw.ones((3, 20, 130)), lw.ones((3, 130, 130)))]:
        fast = lw.trace(lambda a, b: lw.tanh(lw.exp(a) @ b + 1) * lw.sum(b), a, b).faster(functions=True)
        assert "loop_matmul(" not in fast.body.text
        close(fast.function(a.data, b.data), lw.tanh(lw.exp(a) @ b + 1) * lw.sum(b), "float64")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_tiles_of_products_of_any_size(dtype: str) -> None:
    """Each element of the result is written, and nothing beside it; other dtypes than one of floats have no tiles."""
    from latticework.tracing.writing.numba_parts import loop_matmul

    dice = np.random.default_rng(0)
    for rows in (0, 1, 5, 6, 7, 8, 9, 13):
        for columns in (0, 1, 3, 4, 7, 8, 9, 16, 17, 24, 33, 63, 64, 65, 120):
            for length in (0, 1, 2, 9):
                a = dice.normal(size=(2 * rows, 2 * length)).astype(dtype)[::2, ::2]
                b = dice.normal(size=(length, columns)).astype(dtype)
                memory = np.full((rows + 2, columns + 2), np.nan, dtype)
                loop_matmul(a, b, memory[1:-1, 1:-1])
                close(memory[1:-1, 1:-1], a @ b, dtype)
                assert np.isnan(memory).sum() == memory.size - rows * columns
    a, b = dice.normal(size=(9, 20)), dice.normal(size=(20, 40))
    out = np.empty((9, 40), dtype)
    for x in (a.astype("float32"), a.astype(int), a):
        loop_matmul(x, b, out)
        close(out, (x.astype(float) @ b).astype(dtype), "float32")


def test_transposed_stacks_between_loops() -> None:
    def program(x: lw.Array) -> lw.Array:
        y = lw.exp(x)
        z = y.mT
        return lw.tanh(z - lw.max(y)) + z

    x = lw.asarray(np.random.default_rng(0).normal(size=(4, 5, 6)))
    fast = lw.trace(program, x).faster(functions=True)
    assert ".transpose((0, 2, 1))" in fast.body.text.partition("def program_whole(")[2]
    close(fast.function(x.data), program(x), "float64")


def test_a_total_whose_no_axes_are_permuted() -> None:
    def program(x: lw.Array) -> lw.Array:
        y = lw.exp(x) * 2
        return lw.tanh(y - lw.permute_dims(lw.sum(y * y + 1), ())) + lw.exp(y.mT).mT

    x = lw.asarray(np.random.default_rng(0).normal(size=(5, 6)))
    close(lw.trace(program, x).faster(functions=True).function(x.data), program(x), "float64")


def test_loops_that_do_the_same_are_written_once() -> None:
    def steps(x: lw.Array, v: lw.Array) -> lw.Array:
        for _ in range(4):
            v = x.mT @ lw.tanh(x @ v)
        return v

    source = lw.trace(steps, lw.ones((9, 3)), lw.ones(3)).faster(functions=True).source
    assert source.count("def steps_rows") == 1
    assert source.count("if not steps_rows(") == 8  # in one function, and where that is not called
