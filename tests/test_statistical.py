"""Sums, products, extremes, means and spreads: every dtype, axis and layout against NumPy in a wide dtype."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import SHAPES, WITH_AXES, crossed, drawn, due, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import INSTALLED, NUMPY, WIDE, check, dtypes, extremes, layouts, values, wide

import latticework as lw

INT_OF = {"b": "i", "i": "i", "u": "u"}


def axes_of(shape: tuple[int, ...]) -> Iterator[Any]:
    """None, every axis counted from either end, pairs of axes, all axes and none."""
    yield from (None, ())
    yield from range(-len(shape), len(shape))
    if len(shape) > 1:
        yield from ((0, 1), (-1, 0), tuple(range(len(shape))))


def reductions() -> list[tuple[tuple[int, ...], Any, bool]]:
    """Shapes, axes, and whether these are kept."""
    return [(shape, axis, keepdims) for shape in SHAPES for axis in axes_of(shape) for keepdims in (False, True)]


def accumulated(dtype: lw.Dtype, default_int: lw.Dtype = lw.int32) -> lw.Dtype:
    """The dtype of a sum, said independently of the library: never narrower than the default int."""
    if dtype.kind not in "biu":
        return dtype
    bits = max(8 if dtype.kind == "b" else dtype.bits, default_int.bits)
    bits = default_int.bits if dtype.kind == "b" else bits
    return lw.Dtype(f"{'uint' if dtype.kind == 'u' else 'int'}{bits}")


def size_of(reduced: Any, shape: tuple[int, ...]) -> int:
    if reduced is None:
        return math.prod(shape)
    return math.prod(shape[a] for a in (reduced if isinstance(reduced, tuple) else (reduced,)))


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_sum_and_prod(backend: str, name: str) -> None:
    ufunc = np.add if name == "sum" else np.multiply
    for (shape, axis, keepdims), dtype in crossed(reductions(), dtypes("all"), name):
        out = accumulated(dtype)
        x = values(dtype, shape, low=-2, high=2)
        for _, a in layouts(x):
            exact = x.astype(NUMPY[out] if dtype.kind in "biu" else WIDE[dtype.kind])
            expected = ufunc.reduce(exact, axis=axis, keepdims=keepdims, dtype=exact.dtype)
            got = getattr(lw, name)(a, axis=axis, keepdims=keepdims)
            scale = np.abs(exact).sum() if name == "sum" and x.size else 0
            ulps = 4 if name == "sum" else 4 + x.size
            check(got, expected, out, ulps=ulps, scale=float(scale))


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod"])
def test_integers_wrap_around(backend: str, name: str) -> None:
    for dtype in due(dtypes("integral"), name):
        x = np.concatenate([extremes(dtype), extremes(dtype)[::-1][:-1]])
        x = x[x != 0] if "prod" in name else x
        numbers = [int(v) for v in x]
        runs = [math.prod(numbers[: i + 1]) if "prod" in name else sum(numbers[: i + 1]) for i in range(len(x))]
        for asked in (None, *drawn(dtypes("integral"), name, dtype)):
            out = asked or accumulated(dtype)
            wrapped = [(r + 2**out.bits * (r < 0)) % 2**out.bits for r in runs]
            expected = np.array(wrapped, dtype=f"uint{out.bits}").view(NUMPY[out])
            got = getattr(lw, name)(lw.asarray(x), dtype=asked)
            check(got, expected if "cumulative" in name else expected[-1], out)


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod"])
def test_dtype_is_the_one_asked_for(backend: str, name: str) -> None:
    for dtype in due(dtypes("all"), name):
        x = np.abs(values(dtype, (6,), low=0, high=2).real).round().astype(NUMPY[dtype])
        whole = x.real.astype(np.float64)
        runs = np.cumprod(whole) if "prod" in name else np.cumsum(whole)
        for out in drawn(dtypes("complex floating" if dtype.kind == "c" else "numeric"), name, dtype):
            got = getattr(lw, name)(lw.asarray(x), dtype=out)
            check(got, (runs if "cumulative" in name else runs[-1]).astype(WIDE[out.kind]), out)


def test_default_dtypes_decide_the_sum(backend: str) -> None:
    for default in (lw.int16, lw.int64):
        with lw.using(default_int=default):
            for dtype in dtypes("integral or bool"):
                x = lw.asarray(values(dtype, (3,)))
                assert lw.sum(x).dtype is accumulated(dtype, default)
                assert lw.cumulative_prod(x).dtype is accumulated(dtype, default)


def test_dtype_by_name_or_of_a_framework(backend: str) -> None:
    x = lw.asarray([1, 2])
    for dtype in ("float64", lw.float64, np.float64, np.dtype("float64")):
        check(lw.sum(x, dtype=dtype), 3.0, lw.float64)
    check(lw.sum(x, dtype=float), 3.0, lw.float32)


def test_half_sums_do_not_stall(backend: str) -> None:
    """A sum of ones in float16 itself would stop at 2048, in bfloat16 at 256."""
    for dtype in (lw.float16, lw.bfloat16):
        for shape, axis in [((10_000,), None), ((10_000,), 0), ((5_000, 2), 0), ((3, 3_000, 2), (1,))]:
            x = lw.asarray(np.ones(shape, NUMPY[dtype]))
            n = size_of(axis, shape)
            expected = np.add.reduce(np.full(shape, 1.0), axis=axis)
            check(lw.sum(x, axis=axis), expected, dtype, ulps=1)
            check(lw.mean(x, axis=axis), expected / n, dtype, ulps=1)
            if not isinstance(axis, tuple):
                runs = np.cumsum(np.ones(shape), axis=axis or 0)
                check(lw.cumulative_sum(x, axis=axis), runs, dtype, ulps=1)
    wide_rows = np.ones((3, 100_000), np.float16)
    check(lw.cumulative_sum(lw.asarray(wide_rows), axis=0), np.cumsum(wide_rows, axis=0), lw.float16)
    check(lw.cumulative_sum(lw.asarray(wide_rows.T), axis=1), np.cumsum(wide_rows.T, axis=1), lw.float16)
    check(lw.cumulative_sum(lw.asarray(np.ones((0, 3), np.float16)), axis=0), np.ones((0, 3)), lw.float16)
    check(lw.cumulative_sum(lw.asarray(np.ones((3, 0), np.float16)), axis=0), np.ones((3, 0)), lw.float16)


@pytest.mark.parametrize("dtype", [lw.float16, lw.bfloat16], ids=str)
def test_sums_and_products_of_half_are_rounded_once(backend: str, dtype: lw.Dtype) -> None:
    """Rounded at each step, as torch.prod and jnp.cumprod are, they have up to 25 units in the last place more.

    So do jnp.sum and jnp.prod that are given the dtype of the array.
    """
    rng = np.random.default_rng(0)
    terms = rng.uniform(-1, 1, (4_000, 2)).astype(NUMPY[dtype])
    factors = rng.uniform(0.9, 1.1, (1_000, 2)).astype(NUMPY[dtype])
    for axis in (0, (0, 1), None):
        sums, products = wide(terms).sum(axis), wide(factors).prod(axis)
        for x, exact, total, without_nan in (
            (terms, sums, lw.sum, lw.nansum),
            (factors, products, lw.prod, lw.nanprod),
        ):
            check(total(lw.asarray(x), axis=axis), exact, dtype, ulps=1)
            check(total(lw.asarray(x.astype(np.float32)), axis=axis, dtype=dtype), exact, dtype, ulps=1)
            check(without_nan(lw.asarray(x), axis=axis), exact, dtype, ulps=1)
        traced = lw.trace(lambda x, axis=axis: (lw.sum(x, axis=axis), lw.prod(x, axis=axis)), lw.asarray(factors))
        for result, exact in zip(traced(lw.asarray(factors)), (wide(factors).sum(axis), products), strict=True):
            check(result, exact, dtype, ulps=1)
    for running, exact, x in (
        (lw.cumulative_sum, np.cumsum, abs(terms)), (lw.nancumsum, np.cumsum, abs(terms)),
        (lw.cumulative_prod, np.cumprod, factors), (lw.nancumprod, np.cumprod, factors),
    ):  # fmt: skip
        check(running(lw.asarray(x), axis=0), exact(wide(x), axis=0), dtype, ulps=1)
        if running in (lw.cumulative_sum, lw.cumulative_prod):
            wider = lw.asarray(x.astype(np.float32))
            check(running(wider, axis=0, dtype=dtype), exact(wide(x), axis=0), dtype, ulps=1)


def test_half_means_do_not_overflow(backend: str) -> None:
    x = lw.asarray(np.full(1000, 1000, np.float16))
    check(lw.mean(x), 1000, lw.float16, ulps=0)
    check(lw.var(x), 0, lw.float16, ulps=0)


def test_no_wider_copy() -> None:
    """Accumulating in a wider dtype takes no array of it."""
    tracemalloc.start()
    try:
        for dtype, f in [
            (np.int8, lw.sum), (np.uint8, lw.prod), (np.float16, lw.sum), (np.float16, lw.mean), (bool, lw.sum),
            (NUMPY[lw.bfloat16], lw.sum), (NUMPY[lw.bfloat16], lw.mean),
        ]:  # fmt: skip
            x = lw.asarray(np.zeros(1 << 20, dtype))
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            f(x)
            assert tracemalloc.get_traced_memory()[1] - before < x.nbytes / 2, (dtype, f)
        x = lw.asarray(np.zeros(1 << 20, np.float16))
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        lw.cumulative_sum(x)
        assert tracemalloc.get_traced_memory()[1] - before < 1.6 * x.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative(backend: str, name: str) -> None:
    ufunc = np.add if name == "cumulative_sum" else np.multiply
    cases = [
        (shape, axis) for shape in WITH_AXES
        for axis in [*([None] if len(shape) == 1 else []), *range(-len(shape), len(shape))]
    ]  # fmt: skip
    for (shape, axis), dtype in crossed(cases, dtypes("all"), name):
        out = accumulated(dtype)
        x = values(dtype, shape, low=-2, high=2)
        exact = x.astype(NUMPY[out] if dtype.kind in "biu" else WIDE[dtype.kind])
        expected = ufunc.accumulate(exact, axis=axis or 0, dtype=exact.dtype)
        scale = float(np.abs(exact).sum()) if x.size else 0
        options = {"ulps": 4 + x.size, "scale": scale if name == "cumulative_sum" else None}
        at = [*shape]
        at[axis or 0] = 1
        with_initial = np.concatenate([np.full(at, ufunc.identity, exact.dtype), expected], axis=axis or 0)
        for _, a in layouts(x):
            check(getattr(lw, name)(a, axis=axis), expected, out, **options)
            check(getattr(lw, name)(a, axis=axis, include_initial=True), with_initial, out, **options)


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes(backend: str, name: str) -> None:
    ufunc = np.maximum if name == "max" else np.minimum
    for (shape, axis, keepdims), dtype in crossed(reductions(), dtypes("real numeric or bool"), name):
        x = values(dtype, shape)
        for _, a in layouts(x):
            if size_of(axis, shape) == 0:
                with pytest.raises(ValueError, match=f"{name}: of no elements there is none.*shape"):
                    getattr(lw, name)(a, axis=axis, keepdims=keepdims)
                continue
            expected = ufunc.reduce(wide(x), axis=axis, keepdims=keepdims)
            check(getattr(lw, name)(a, axis=axis, keepdims=keepdims), expected, dtype)
    for dtype in due(dtypes("real numeric or bool"), name):
        ends = extremes(dtype)
        ends = ends[~np.isnan(ends)] if dtype.kind == "f" else ends
        check(getattr(lw, name)(lw.asarray(ends)), ufunc.reduce(wide(ends)), dtype)
        check(getattr(lw, name)(lw.asarray(ends[::-1].copy())), ufunc.reduce(wide(ends)), dtype)


@pytest.mark.parametrize("name", ["max", "min", "sum", "prod", "mean", "var", "std"])
def test_nan_propagates(backend: str, name: str) -> None:
    for n, dtype in crossed((40, 1, 3), dtypes("real floating"), name):
        for at in (0, n // 2, n - 1):
            x = values(dtype, (n, 2), low=-1, high=1)
            x[at, 0] = np.nan
            got = wide(getattr(lw, name)(lw.asarray(x), axis=0))
            assert np.isnan(got[0]) and not np.isnan(got[1])
            assert np.isnan(wide(getattr(lw, name)(lw.asarray(x))))


def test_mean_and_spread(backend: str) -> None:
    for (shape, axis, keepdims), dtype in crossed(reductions(), dtypes("numeric"), "mean", "var", "std"):
        out = dtype if dtype.kind in "fc" else lw.float32
        real = {lw.complex64: lw.float32, lw.complex128: lw.float64}.get(out, out)
        x = values(dtype, shape)
        for _, a in layouts(x):
            n = size_of(axis, shape)
            exact = x.astype(WIDE["c" if dtype.kind == "c" else "f"])
            kept = {"axis": axis, "keepdims": keepdims}
            total = np.add.reduce(exact, **kept)
            check(lw.mean(a, **kept), total / n if n else total * np.nan, out, scale=4)
            for correction in drawn((0, 1, 0.5), shape, axis, keepdims, dtype):
                options = {**kept, "correction": correction}
                if n <= correction:
                    expected = total.real * np.nan
                else:
                    distance = np.abs(exact - np.add.reduce(exact, axis=axis, keepdims=True) / n)
                    expected = np.add.reduce(distance**2, **kept) / (n - correction)
                ulps = 8 if dtype is lw.bfloat16 else 16
                check(lw.var(a, **options), expected, real, ulps=ulps, scale=4)
                check(lw.std(a, **options), np.sqrt(expected), real, ulps=ulps, scale=4)


def test_spread_of_fewer_than_the_correction_is_nan(backend: str) -> None:
    for dtype in due(dtypes("floating"), "var", "std"):
        x = lw.asarray(np.array([[1, 2], [4, 8]], NUMPY[dtype]))
        for correction in (2, 2.5, 3):
            for f in (lw.var, lw.std):
                assert np.isnan(wide(f(x, axis=0, correction=correction))).all()
        assert not np.isnan(wide(lw.var(x, correction=3)))
        check(lw.var(x, correction=-4), 28.75 / 8, lw.var(x).dtype, ulps=16)


@pytest.mark.parametrize("name", ["var", "std"])
def test_spread_far_from_zero(backend: str, name: str) -> None:
    """The mean takes no part of the precision of the distances from it."""
    rng = np.random.default_rng(1)
    for dtype in dtypes("real floating"):
        x = (rng.normal(size=4000) + 100).astype(NUMPY[dtype])
        expected = getattr(np, name)(wide(x))
        check(getattr(lw, name)(lw.asarray(x)), expected, dtype, ulps=16)
    constant = lw.asarray(np.full(999, 3.14159, NUMPY[lw.bfloat16]))
    check(getattr(lw, name)(constant), 0.0, lw.bfloat16, ulps=0)


def test_large_half_arrays(backend: str) -> None:
    """Larger than the blocks that NumPy's are worked through in."""
    rng = np.random.default_rng(2)
    for dtype in (lw.float16, lw.bfloat16):
        x = (rng.normal(size=(120, 301, 3)) * 3 + 8).astype(NUMPY[dtype])
        exact = wide(x)
        for axis in (None, 0, 1, -1, (0, 2), (1, 0), (), (0, 1, 2)):
            for keepdims in drawn((False, True), axis, dtype):
                options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
                check(lw.mean(lw.asarray(x), **options), exact.mean(**options), dtype, ulps=2)
                check(lw.var(lw.asarray(x), **options), exact.var(**options), dtype, ulps=4, scale=4)
                check(lw.std(lw.asarray(x), **options), exact.std(**options), dtype, ulps=4, scale=4)
        for axis in (0, 1, 2):
            ulps = 8 if backend == "jax" else 2  # it rounds the sums of parts
            check(lw.cumulative_sum(lw.asarray(x), axis=axis), exact.cumsum(axis=axis), dtype, ulps=ulps)


def test_means_in_a_requested_dtype(backend: str) -> None:
    x = values(lw.float16, (3, 4))
    a = lw.asarray(x)
    for name in ("mean", "std", "var", "nanmean", "nanstd", "nanvar"):
        expected = getattr(np, name)(x.astype(np.float64), axis=1)
        check(getattr(lw, name)(a, axis=1, dtype="float64"), expected, lw.float64, ulps=8)
    check(lw.mean(lw.asarray([1, 2]), dtype=lw.float64), 1.5, lw.float64)
    check(lw.nn.softmax(lw.asarray([1, 2]), dtype=lw.float64), np.exp([1.0, 2]) / np.exp([1.0, 2]).sum(), lw.float64)
    check(a.mean(0, "float32"), x.mean(0, np.float32), lw.float32)
    assert str(lw.plan(lw.mean, a, dtype="float64")).startswith("mean(float16 as float64) -> float64 of shape ()")
    with lw.using(rules="numpy"):
        assert lw.mean(a, dtype="float32").dtype is lw.float32
    with pytest.raises(TypeError, match=r"^mean: dtype must be one of the floating dtypes \(.*\); got int32"):
        lw.mean(a, dtype="int32")
    with pytest.raises(TypeError, match=r"^var: complex64 to float32 would drop the imaginary part"):
        lw.var(lw.asarray([1j]), dtype="float32")


def test_infinities(backend: str) -> None:
    for dtype in dtypes("real floating"):
        x = lw.asarray(np.array([np.inf, 1], NUMPY[dtype]))
        both = lw.asarray(np.array([np.inf, -np.inf], NUMPY[dtype]))
        for f in (lw.sum, lw.mean, lw.prod, lw.max):
            check(f(x), np.inf, dtype)
        for f in (lw.sum, lw.mean):
            check(f(both), np.nan, dtype)
        check(lw.var(x), np.nan, dtype)
        check(lw.cumulative_sum(both), [np.inf, np.nan], dtype)
        check(lw.cumulative_prod(both), [np.inf, -np.inf], dtype)


def test_parts_of_a_complex_mean_are_averaged_by_themselves(backend: str) -> None:
    for dtype in dtypes("complex floating"):
        x = np.array([complex(np.inf, 1), complex(1, 3)], NUMPY[dtype])
        check(lw.mean(lw.asarray(x)), complex(np.inf, 2), dtype)
        check(lw.mean(lw.asarray(x[::-1].copy()), axis=0, keepdims=True), [complex(np.inf, 2)], dtype)
        check(lw.mean(lw.asarray(x[:0])), complex(np.nan, np.nan), dtype)


@pytest.mark.parametrize("name", ["max", "min"])
def test_complex_numbers_have_no_order(backend: str, name: str) -> None:
    with pytest.raises(TypeError, match=f"{name}: takes real numeric or bool.*got complex64"):
        getattr(lw, name)(lw.asarray([1j]))


def test_native_arrays_are_taken_as_they_are(backend: str) -> None:
    x = lw.asarray([3.0, 1.0, 2.0])
    check(lw.sum(x.data), 6.0, lw.float32)
    check(lw.max(x.data, axis=0), 3.0, lw.float32)
    check(lw.unique_all(x.data).indices, [1, 2, 0], lw.int64)
    check(lw.searchsorted(lw.sort(x.data).data, 2, side="right"), 2, lw.int64)
    check(lw.searchsorted(x.data, x.data, sorter=lw.argsort(x).data), [2, 0, 1], lw.int64)
    check(lw.searchsorted(x, np.float64(2.5), sorter=lw.argsort(x)), 2, lw.int64)


REDUCTIONS = ["sum", "prod", "max", "min", "mean", "var", "std"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_wrong_axes(backend: str, name: str) -> None:
    f = getattr(lw, name)
    for dtype in (lw.float32, lw.float16, lw.uint16, lw.bfloat16):
        x = lw.asarray(values(dtype, (2, 3)))
        for axis in (2, -3, (0, 2), (-3,)):
            with pytest.raises(lw.errors.AxisError, match=rf"{name}: axis -?\d is out of bounds.*\(2, 3\)"):
                f(x, axis=axis)
        for axis in ((0, 0), (1, -1)):
            with pytest.raises(ValueError, match=f"{name}: an axis is given twice"):
                f(x, axis=axis)
        scalar = lw.asarray(values(dtype, ()))
        for axis in (0, -1, (0,)):
            with pytest.raises(lw.errors.AxisError, match=f"{name}: axis .* it has no axes"):
                f(scalar, axis=axis)
        with pytest.raises(TypeError, match=name):
            f(x, axis="0")
        with pytest.raises(TypeError, match=f"{name}: .*did you mean 'axis'"):
            f(x, axes=0)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_wrong_cumulative_axes(backend: str, name: str) -> None:
    f = getattr(lw, name)
    for dtype in (lw.float32, lw.float16, lw.uint16):
        for shape in ((), (2, 3)):
            with pytest.raises(ValueError, match=f"{name}: axis may be left out only where"):
                f(lw.asarray(values(dtype, shape)))
        for axis in (2, -3):
            with pytest.raises(lw.errors.AxisError, match=f"{name}: axis {axis}"):
                f(lw.asarray(values(dtype, (2, 3))), axis=axis)
            with pytest.raises(lw.errors.AxisError, match=f"{name}: axis {axis}"):
                f(lw.asarray(values(dtype, (2, 3))), axis=axis, include_initial=True)
        with pytest.raises(lw.errors.AxisError, match=f"{name}: axis 0"):
            f(lw.asarray(values(dtype, ())), axis=0)


def test_reductions_make_arrays_of_their_own(backend: str) -> None:
    """Over no axes too: writing into the result leaves the operand alone."""
    for name in REDUCTIONS:
        x = lw.asarray(np.arange(3.0))
        result = getattr(lw, name)(x, axis=())
        result[0] = 7.0
        assert x[0] == 0


@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_sums_agree_between_backends(data: st.DataObject) -> None:
    """Integer sums bit for bit; whatever the dtypes, shapes and axes."""
    dtype = data.draw(st.sampled_from(dtypes("integral or bool")))
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=3)))
    count = math.prod(shape)
    info = lw.iinfo(dtype) if dtype.kind != "b" else None
    number = st.integers(info.min, info.max) if info else st.booleans()
    x = np.array(data.draw(st.lists(number, min_size=count, max_size=count)), NUMPY[dtype]).reshape(shape)
    axis = data.draw(st.sampled_from([*axes_of(shape)]))
    name = data.draw(st.sampled_from(["sum", "prod"]))
    first, *others = (np.asarray(getattr(lw, name)(lw.asarray(x, backend=b), axis=axis)) for b in INSTALLED)
    for other in others:
        assert other.dtype == first.dtype
        np.testing.assert_array_equal(other, first)
