"""Scatter, gather, segments, updates by a key, windows and slices: each compared with loops in NumPy, and with the
functions of the frameworks that have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import crossed, due, few
from support import check, frames, values

import latticework as lw

#: reduction -> what it does to an element and one update.
REDUCE: dict[str, Callable[[Any, Any], Any]] = {
    "replace": lambda a, b: b, "sum": lambda a, b: a + b, "multiply": lambda a, b: a * b,
    "min": np.minimum, "max": np.maximum,
}  # fmt: skip
NUMERIC = [d for d in lw.all_dtypes if d.kind != "b"]


def some(dtype: lw.Dtype, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Values whose sums and products are exact in every dtype, so that no order of the operations shows."""
    found: np.ndarray = np.random.default_rng(seed).integers(0 if dtype.kind in "bu" else -2, 3, shape)
    return found.astype(values(dtype, ()).dtype)


def by_loop(x: np.ndarray, places: np.ndarray, updates: np.ndarray, reduction: str, include_self: bool) -> np.ndarray:
    """Write updates to the coordinates one after the other."""
    result, wide = x.copy(), np.complex128 if x.dtype.kind == "c" else np.float64
    at = [tuple(np.where(p < 0, p + np.array(x.shape[: p.size]), p)) for p in places.reshape(-1, places.shape[-1])]
    rows = updates.reshape(len(at), *x.shape[places.shape[-1] :])
    if reduction == "mean":
        for p in {*at}:
            members = [r.astype(wide) for q, r in zip(at, rows, strict=True) if q == p]
            result[p] = np.mean(members + [x[p].astype(wide)] * include_self, axis=0)
        return result
    seen: set[Any] = set()
    for p, row in zip(at, rows, strict=True):
        first = p not in seen and not include_self
        result[p] = row if first else REDUCE[reduction](result[p], row)
        seen.add(p)
    return result


def check_scatter(reduction: str, dtype: lw.Dtype, shape: tuple[int, ...], at: Any, include_self: bool) -> None:
    places = np.asarray(at)
    x = some(dtype, shape)
    updates = some(dtype, (*places.shape[:-1], *shape[places.shape[-1] :]), 1)
    result = lw.scatter(
        lw.asarray(x), lw.asarray(places), lw.asarray(updates), reduction=reduction, include_self=include_self
    )
    check(result, by_loop(x, places, updates, reduction, include_self), dtype, ulps=2)


#: A shape and coordinates, of which some come several times.
CASES = [
    ((4, 3), [[0], [-1], [0], [2]]),
    ((4, 3), [[[0, 1], [-1, 2]], [[0, 1], [0, -2]]]),
    ((3, 2, 2), [[2, 1], [-1, -1]]),
]
#: The same, each once: which of several replaces the others is not defined everywhere.
ONCE = [((4, 3), [[0], [-1], [2]]), ((4, 3), [[[0, 1], [-1, 2]]])]


@pytest.mark.parametrize("reduction", ["replace", "sum", "multiply", "min", "max", "mean"])
def test_scatter_of_every_reduction(backend: str, reduction: str) -> None:
    kinds = [d for d in lw.all_dtypes if d.kind in {"min": "biuf", "max": "biuf", "mean": "fc"}.get(reduction, "biufc")]
    for (shape, at), dtype in crossed(ONCE if reduction == "replace" else CASES, kinds, "_scatter"):
        check_scatter(reduction, dtype, shape, at, True)
    check_scatter(reduction, lw.float32, *(ONCE if reduction == "replace" else CASES)[0], False)


def test_the_last_update_wins_on_numpy_and_dask(backend: str) -> None:
    if backend in ("numpy", "dask"):
        x = lw.scatter(lw.zeros(3), lw.asarray([[1], [1], [1]]), lw.asarray([1.0, 2.0, 3.0]))
        check(x, np.array([0, 3, 0]), lw.float32)


def test_scatter_keeps_nan_and_wraps_integers(backend: str) -> None:
    x, at = lw.asarray([1.0, float("nan"), 2.0]), lw.asarray([[0], [0], [1], [2]])
    updates = lw.asarray([float("nan"), 5.0, 0.0, -float("inf")])
    check(lw.scatter(x, at, updates, reduction="max"), np.array([np.nan, np.nan, 2]), lw.float32)
    check(lw.scatter(x, at, updates, reduction="min"), np.array([np.nan, np.nan, -np.inf]), lw.float32)
    wide = lw.asarray([2**63 + 5, 1], dtype=lw.uint64)
    y = lw.asarray([2**63 + 6, 3], dtype=lw.uint64)
    check(lw.scatter(wide, lw.asarray([[0], [0]]), y, reduction="max"), np.array([2**63 + 6, 1], np.uint64), lw.uint64)
    check(lw.scatter(wide, lw.asarray([[0], [0]]), y, reduction="sum"), np.array([14, 1], np.uint64), lw.uint64)


def test_scatter_along_an_axis(backend: str) -> None:
    x, at = some(lw.float32, (3, 4)), np.array([[0, -1, 0], [1, 2, 3]])
    updates = some(lw.float32, (2, 3), 1)
    places = np.stack([np.broadcast_to(np.arange(2)[:, None], (2, 3)), at % 4], -1)
    for reduction, self in (("sum", True), ("max", False), ("mean", True)):
        result = lw.scatter(
            lw.asarray(x), lw.asarray(at), lw.asarray(updates), axis=-1, reduction=reduction, include_self=self
        )
        check(result, by_loop(x, places, updates, reduction, self), lw.float32, ulps=2)
    at = np.array([[0, -1, 1, 2]])
    for axis, index, put in (
        (0, at, 7),
        (1, at.T[:3] % 3, some(lw.float32, (3, 1), 1)),
        (0, at, np.float32([1, 2, 3, 4])),
    ):
        expected = x.copy()
        np.put_along_axis(expected, index, put, axis)
        given = put if isinstance(put, int) else lw.asarray(put)
        found = lw.put_along_axis(lw.asarray(x), lw.asarray(index), given, axis, inplace=False)
        check(found, expected, lw.float32)


def test_index_add_and_scatter_nd(backend: str) -> None:
    at = np.array([1, -1, 1])
    for axis in (0, 1):
        x, y = some(lw.int32, (3, 3, 2)), some(lw.int32, (3, 3, 2), 1)
        expected = x.copy()
        np.add.at(expected, (slice(None),) * axis + (at,), y)
        check(lw.index_add(lw.asarray(x), lw.asarray(at), lw.asarray(y), axis), expected, lw.int32)
    places, y = np.array([[0, 1], [-1, 0], [0, 1]]), some(lw.float32, (3, 2), 1)
    zero = np.zeros((2, 2, 2), np.float32)
    for reduction in ("sum", "multiply", "min", "max", "mean"):
        expected = by_loop(zero, places, y, reduction, False)
        check(lw.scatter_nd(lw.asarray(places), lw.asarray(y), (2, 2, 2), reduction=reduction), expected, lw.float32)
    out = lw.empty((2, 2, 2))
    assert lw.scatter_nd(lw.asarray(places), 1.0, (2, 2, 2), out=out) is out
    check(out, by_loop(zero, places, np.ones((3, 2), np.float32), "sum", True), lw.float32)
    found = lw.scatter_nd(lw.asarray([[0], [0]]), lw.asarray([1, 2]), (2,), reduction="mean")
    check(found, np.array([1.5, 0]), lw.float32)
    check(lw.scatter_nd(lw.zeros((0, 1), dtype=lw.int64), lw.zeros((0,)), (2,)), np.zeros(2), lw.float32)


def test_gather_nd(backend: str) -> None:
    x = some(lw.int32, (3, 4, 2))
    for at in ([[0, -1], [2, 1]], [[1], [-3]], [[[0, 1, 1]], [[2, 3, -1]]]):
        k = np.asarray(at)
        check(lw.gather_nd(lw.asarray(x), lw.asarray(at)), x[tuple(np.moveaxis(k, -1, 0))], lw.int32)
    k = np.array([[[0], [-1]], [[1], [1]], [[2], [0]]])
    expected = np.stack([x[i][k[i, :, 0]] for i in range(3)])
    check(lw.gather_nd(lw.asarray(x), lw.asarray(k), batch_dims=1), expected, lw.int32)


SEGMENTS: dict[str, tuple[str, float]] = {
    "sum": ("sum", 0), "prod": ("multiply", 1), "max": ("max", -np.inf), "min": ("min", np.inf), "mean": ("mean", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", SEGMENTS)
def test_segments(backend: str, name: str) -> None:
    f, (reduction, nothing) = getattr(lw, f"segment_{name}"), SEGMENTS[name]
    kinds = [d for d in NUMERIC if d.kind in {"max": "iuf", "min": "iuf", "mean": "fc"}.get(name, "iufc")]
    at = np.array([3, 0, -1, 0, 3])
    for dtype in (lw.float32, lw.int8) if few() else kinds:
        if dtype not in kinds:
            continue
        x = some(dtype, (5, 2))
        limit = np.iinfo(x.dtype) if dtype.kind in "iu" else None
        start = nothing if limit is None or abs(nothing) < 2 else limit.min if nothing < 0 else limit.max
        expected = np.full((5, 2), start, x.dtype)
        for i in (0, 3):
            rows = x[at == i]
            expected[i] = by_loop(rows[:1], np.zeros((len(rows), 1), int), rows, reduction, False)[0]
        check(f(lw.asarray(x), lw.asarray(at), 5), expected, dtype, ulps=2)
        if dtype is lw.float32:
            check(f(lw.asarray(x), lw.asarray(at)), expected[:4], dtype, ulps=2)
            square = lw.reshape(lw.asarray(x[:4, 0]), (2, 2))
            check(
                f(square, lw.asarray([[1, 0], [0, 1]])),
                f(lw.asarray(x[:4, 0]), lw.asarray([1, 0, 0, 1])).__array__(),
                dtype,
            )
    check(f(lw.zeros((0, 2)), lw.zeros(0, dtype=lw.int32), 2), np.full((2, 2), nothing), lw.float32)


@pytest.mark.parametrize("name", SEGMENTS)
def test_segments_of_many_wide_rows(backend: str, name: str) -> None:
    """Sorted or not, with a segment left out and one without rows; sums that wrap around, and of nan, inf and -0.0."""
    f, (reduction, _) = getattr(lw, f"segment_{name}"), SEGMENTS[name]
    order = np.arange(40) % 4
    for dtype in (lw.float32, lw.int8):
        if name == "mean" and dtype is lw.int8:
            continue
        x = some(dtype, (40, 32))
        if dtype is lw.float32:
            x[:4, 0] = np.nan
            x[0, 1], x[:, 2] = np.inf, -0.0
        for at in (np.sort(order), order):
            at = np.where(at == 2, -1, at)
            first = np.zeros((40, 1), int)
            expected = [by_loop(x[at == i][:1], first[at == i], x[at == i], reduction, False)[0] for i in (0, 1, 3)]
            got = f(lw.asarray(x), lw.asarray(at), 4)
            wanted = np.stack(expected)
            if name == "sum":
                wanted += wanted.dtype.type(0)  # a sum starts from 0, which makes 0 of -0.0
            check(got[lw.asarray([0, 1, 3])], wanted, dtype, ulps=8)
            nothing = f(lw.asarray(x[:2]), lw.asarray([0, 0]), 4)[2]
            check(got[2], np.asarray(nothing), dtype, ulps=0)


KEYS: list[Any] = [
    1, slice(1, None), (0, 2), (slice(None), -1), [0, 2, 0], ([0, 1, 0], [1, 1, 1]), (slice(None), [1, 1]), Ellipsis,
    np.array([True, False, True]), (np.array([[0], [2]]), np.array([1, 1])),
]  # fmt: skip
UFUNC = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}


def ours(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(ours, key))
    return lw.asarray(key) if isinstance(key, (np.ndarray, list)) else key


@pytest.mark.parametrize("method", [*UFUNC, "divide", "power", "set", "apply"])
def test_updates_by_a_key(backend: str, method: str) -> None:
    x = some(lw.float32, (3, 3)) + np.float32(3)
    for key in KEYS[3:6] if few() else KEYS:
        y = some(lw.float32, x[key].shape, 2) + np.float32(4)
        expected, selected = x.copy(), lw.at(lw.asarray(x), ours(key))
        check(selected.get(), x[key], lw.float32)
        if method == "apply":
            expected[key] = np.sqrt(x[key])
            check(selected.apply(lw.sqrt), expected, lw.float32)
            continue
        if method in UFUNC:
            UFUNC[method].at(expected, key, y)
        elif method == "set":
            y = np.broadcast_to(y.reshape(-1)[:1].reshape((1,) * y.ndim), y.shape)  # so that the order does not show
            expected[key] = y
        else:
            product = np.ones_like(x)
            np.multiply.at(product, key, y)
            expected = x / product if method == "divide" else x**product
        check(getattr(selected, method)(lw.asarray(y)), expected, lw.float32, ulps=8)
        check(lw.asarray(selected._x), x, lw.float32)
    assert lw.at(lw.asarray(x))[0].set(1).tolist()[0] == [1, 1, 1]


def test_bools_and_what_does_not_go_in(backend: str) -> None:
    x, i = lw.asarray([True, False, True]), lw.asarray([0, 1, 1])
    y = lw.asarray([False, True, False])
    assert lw.at(x, i).add(y).tolist() == [True, True, True]
    assert lw.at(x, i).multiply(y).tolist() == [False, False, True]
    assert lw.at(x, 0).min(False).tolist() == [False, False, True]
    with pytest.raises(TypeError, match="at: bools are not subtracted"):
        lw.at(x, i).subtract(y)
    with pytest.raises(TypeError, match="at: a quotient is no int32"):
        lw.at(lw.asarray([1, 2]), 0).divide(2)
    for call in (lambda x: lw.at(x, i).add(1.5), lambda x: lw.scatter(x, i[:, None], lw.ones(3))):
        with pytest.raises(TypeError, match=r"(at|scatter): .*does not go into an array of int32"):
            call(lw.asarray([1, 2, 3]))


def test_positions_out_of_bounds_are_refused(backend: str) -> None:
    x, far = lw.zeros((2, 2)), lw.asarray([2])
    for call in (
        lambda: lw.scatter(x, far[:, None], 1.0), lambda: lw.scatter(x, -far[:, None] - 1, 1.0, reduction="sum"),
        lambda: lw.index_add(x, far, 1.0), lambda: lw.at(x, far).add(1), lambda: lw.at(x, far).set(1),
        lambda: lw.gather_nd(x, far[:, None]), lambda: lw.put_along_axis(x, far[:, None], 1, 1, inplace=False),
        lambda: lw.scatter_nd(far[:, None], 1.0, (2, 2)),
    ):  # fmt: skip
        with pytest.raises(IndexError, match=r"index -?[23] is out of bounds for axis \d of extent 2"):
            call().compute()
    with pytest.raises(ValueError, match=r"^segment_max: \d{19} segments are more than a memory can have"):
        lw.segment_max(lw.ones(2), lw.asarray([0, 2**62], dtype="int64"))
    with pytest.raises(IndexError, match="segment 2 is out of bounds: there are 2 segments"):
        lw.segment_sum(x, lw.asarray([0, 2]), 2).compute()


def test_shapes_that_do_not_fit(backend: str) -> None:
    x = lw.zeros((3, 2))
    for call, words in (
        (lambda: lw.scatter(x, lw.zeros((2, 3), dtype=lw.int64), 1.0), r"scatter: the last axis of indices"),
        (lambda: lw.scatter(x, lw.asarray([[0]]), lw.ones(3)), r"scatter: updates have to broadcast to \(1, 2\)"),
        (lambda: lw.scatter(x, lw.asarray([[0]]), 1.0, reduction="xor"), r"scatter: reduction is 'replace'.*'xor'"),
        (lambda: lw.scatter(x, lw.asarray([0]), 1.0, axis=0), r"scatter: indices have as many axes as x"),
        (lambda: lw.segment_sum(x, lw.asarray([0, 1])), r"segment_sum: segments have the shape of the first axes"),
        (lambda: lw.index_add(x, lw.asarray([[0]]), x), r"index_add: indices have one axis"),
        (lambda: lw.gather_nd(x, lw.asarray([[0]]), batch_dims=1), r"gather_nd: the first 1 axes have to be equal"),
        (lambda: lw.sliding_window_view(x, 4, 0), r"sliding_window_view: windows must not be"),
        (lambda: lw.dynamic_slice(x, (0, 0), (4, 1)), r"dynamic_slice: takes a start and an extent"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_windows(backend: str) -> None:
    view = np.lib.stride_tricks.sliding_window_view
    x = some(lw.float32, (4, 5))
    for window, axis in ((2, 0), ((2, 3), None), ((2, 2), (1, 1)), ((5,), (-1,)), ((0, 2), None)):
        check(lw.sliding_window_view(lw.asarray(x), window, axis), view(x, window, axis), lw.float32)
    for dtype in due(lw.all_dtypes, "_windows"):
        check(lw.sliding_window_view(lw.asarray(some(dtype, (4,))), 3), view(some(dtype, (4,)), 3), dtype)
    assert lw.infer(lw.sliding_window_view, lw.spec((None, 5), "int8"), 2, 0).shape == (None, 5, 2)


def test_slices_at_positions_in_arrays(backend: str) -> None:
    x = some(lw.int32, (4, 3))
    for start, where in (((1, 0), (1, 0)), ((3, -1), (2, 1)), ((-4, 9), (0, 1))):
        i, j = where
        arrays = lw.asarray(start), tuple(lw.asarray(k) for k in start), start
        for given in arrays[:1] if few() else arrays:
            check(lw.dynamic_slice(lw.asarray(x), given, (2, 2)), x[i : i + 2, j : j + 2], lw.int32)
            expected = x.copy()
            expected[i : i + 2, j : j + 2] = 7
            new = lw.dynamic_update_slice(lw.asarray(x), lw.full((2, 2), 7, dtype=lw.int32), given)
            check(new, expected, lw.int32)


def test_inference_without_data() -> None:
    x, i = lw.spec((5, 3), "float32"), lw.spec((4,), "int64")
    assert lw.infer(lw.index_add, x, i, lw.spec((4, 3), "float32")).shape == (5, 3)
    assert lw.infer(lambda x, i: lw.segment_sum(x[:4], i, 7), x, i).shape == (7, 3)
    assert lw.infer(lambda x, i: lw.at(x, i).add(1.0), x, i).shape == (5, 3)
    with pytest.raises(ValueError, match="segment_sum: num_segments has to be given"):
        lw.infer(lw.segment_sum, lw.spec((4,), "float32"), i)


def weighed(x: lw.Array, i: lw.Array, y: lw.Array) -> lw.Array:
    """Make a number by every kind of scatter, for gradients."""
    a = lw.at(x, i).add(y) + lw.scatter_nd(i[:, None], y, (4,)) + lw.segment_mean(y, i, 4)
    b = lw.gather_nd(x, i[:, None]) + lw.dynamic_slice(x, (i[0],), (3,)) + lw.sliding_window_view(x, 2)[:, 0]
    c = lw.dynamic_update_slice(x, y[:2], (i[1],)) + lw.at(x, i).max(y) + lw.at(x)[1].multiply(y[0])
    return lw.sum(a * c) + lw.sum(b * b)


def test_scatter_traces_and_differentiates(backend: str) -> None:
    x, i, y = lw.asarray([1.0, 2, 3, 4]), lw.asarray([1, 3, 1]), lw.asarray([5.0, -1, 2])
    plain = [lw.asarray(a, backend="numpy") for a in (x, i, y)]
    expected, other = float(weighed(*plain)), float(weighed(plain[0] + 1, *plain[1:]))
    each = lw.vmap(weighed, in_axes=(0, None, None))(lw.stack([x, x + 1]), i, y)
    np.testing.assert_allclose(np.asarray(each), [expected, other], rtol=1e-6)
    if backend in ("numpy", "dask"):
        return
    value, gradient = lw.jit(lw.value_and_grad(weighed))(x, i, y)
    x, i, y = plain
    wide, steps = lw.astype(x, lw.float64), lw.asarray(1e-4 * np.eye(4), backend="numpy")
    slope = [float(weighed(wide + s, i, y) - weighed(wide - s, i, y)) / 2e-4 for s in steps]
    np.testing.assert_allclose(float(value), expected, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(gradient.data), slope, rtol=1e-4)


def test_positions_out_of_bounds_write_nothing_in_compiled_functions(backend: str) -> None:
    """Nobody can look at them there: they must not become positions of other elements."""
    if backend != "jax":
        return
    x, i = lw.zeros((2, 3)), lw.asarray([[0, 5], [-3, 1], [1, 2]])
    result = lw.jit(lambda x, i: lw.scatter(x, i, 1.0, reduction="sum"))(x, i)
    assert result.tolist() == [[0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("reduction", ["sum", "prod", "mean", "amin", "amax"])
def test_scatter_is_torchs(backend: str, reduction: str) -> None:
    if backend != "torch":
        return
    import torch

    x, y = (torch.asarray(some(lw.float32, (3, 4), seed)) for seed in (0, 1))
    at = torch.asarray([[0, 1, 0, 3], [2, 2, 2, 2], [1, 0, 3, 0]])
    for include_self in (True, False):
        expected = x.scatter_reduce(1, at, y, reduction, include_self=include_self)
        word = reduction.removeprefix("a")
        result = lw.scatter(x, at, y, axis=1, reduction=word, include_self=include_self)
        check(result, expected.numpy(), lw.float32, ulps=2)


def test_how_many_functions_of_numpy_an_addition_takes(backend: str) -> None:
    """Positions from 0 on in one axis: a check of them, and the addition."""
    x, i, y = lw.zeros((4, 2)), lw.asarray([0, 2, 0], dtype=lw.int64), lw.ones((3, 2))
    for call in (lambda: lw.index_add(x, i, y), lambda: lw.at(x, i).add(y)):
        call()
        entered = [f.rpartition(":")[2] for f in frames(call) if "/backends/" in f]
        scatter = [] if backend == "jax" else ["_scatter"]  # which is compiled there, and no function of Python
        assert [f for f in entered if f in ("_positions", "_scatter")] == ["_positions", *scatter]
        assert not {*entered} & {"cast", "reshape", "broadcast_to", "where"}
