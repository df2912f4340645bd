"""Interpolation, integrals, differences, angles and convolutions, against NumPy's and SciPy's own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate
from cases import crossed, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NUMPY, check, dtypes, values, wide

import latticework as lw


def floating(dtype: lw.Dtype) -> lw.Dtype:
    return dtype if dtype.kind in "fc" else lw.float32


INTERPOLATIONS: dict[str, dict[str, Any]] = {
    "plain": {}, "ends": {"left": -1.0, "right": 9.0}, "periodic": {"period": 3.5}, "negative period": {"period": -2.0},
}  # fmt: skip


@pytest.mark.parametrize("case", INTERPOLATIONS)
def test_interp(backend: str, case: str) -> None:
    options = INTERPOLATIONS[case]
    kinds = dtypes("real numeric") if case == "plain" else [lw.float32, lw.float64]
    for shape, dtype in crossed([(12,), (2, 3), ()], kinds, "interp"):
        x = values(dtype, shape, low=-1, high=5)
        xp, fp = np.array([0, 1, 3, 4]).astype(NUMPY[dtype]), np.array([1, 3, 0, 2]).astype(NUMPY[dtype])
        got = lw.interp(lw.asarray(x), lw.asarray(xp), lw.asarray(fp), **options)
        check(got, np.interp(wide(x), wide(xp), wide(fp), **options), floating(dtype), ulps=16, scale=4)
    check(lw.interp(2, lw.asarray([1.0, 3.0]), lw.asarray([5.0, 7.0])), 6, lw.float32)
    check(lw.interp(lw.asarray([0.0, np.nan, 9.0]), lw.asarray([1.0]), lw.asarray([5.0])), [5, np.nan, 5], lw.float32)


def test_interp_of_complex_samples_and_special_values(backend: str) -> None:
    x = np.array([-1, 0, 0.25, 1.5, 4, 5, np.nan, np.inf, -np.inf])
    xp, fp = np.array([0, 1, 2, 4.0]), np.array([1 + 1j, -2j, 3, 4 - 1j])
    got = lw.interp(lw.asarray(x), lw.asarray(xp), lw.asarray(fp), 1j)
    kept = ~np.isnan(x)
    check(got[lw.asarray(np.flatnonzero(kept))], np.interp(x, xp, fp, 1j)[kept], lw.complex128)


INTEGRALS: list[tuple[tuple[int, ...], int, Any]] = [
    ((5,), 0, None), ((3, 4), 1, None), ((3, 4), 0, (3,)), ((2, 3, 4), 1, (2, 3, 4)), ((2, 3), -1, (3,)),
]  # fmt: skip


def test_integrals(backend: str) -> None:
    for (shape, axis, places), dtype in crossed(INTEGRALS, dtypes("all"), "trapezoid"):
        y, out = values(dtype, shape), floating(dtype)
        exact = wide(y).astype(complex if dtype.kind == "c" else float)
        options: dict[str, Any] = {"axis": axis} if places is not None else {"axis": axis, "dx": 0.5}
        x = None if places is None else np.cumsum(np.abs(values(lw.float64, places)) + 0.125, axis=-1)
        x = None if x is None else x.round(0)
        real = lw.real(lw.zeros(1, dtype=out)).dtype
        at = None if x is None else lw.astype(lw.asarray(x), real)
        check(lw.trapezoid(lw.asarray(y), at, **options), np.trapezoid(exact, x, **options), out, ulps=16, scale=16)
        for initial in (None, 0):
            expected = scipy.integrate.cumulative_trapezoid(exact, x, initial=initial, **options)
            got = lw.cumulative_trapezoid(lw.asarray(y), at, initial=initial, **options)
            check(got, expected, out, ulps=16, scale=16)


GRADIENTS: dict[str, tuple[tuple[int, ...], tuple[Any, ...], dict[str, Any]]] = {
    "one axis": ((6,), (), {}),
    "two axes": ((4, 5), (2.0,), {}),
    "a distance each": ((4, 5), (0.5, 2.0), {"edge_order": 2}),
    "places": ((6,), (np.array([0, 1, 1.5, 3, 4, 8]),), {}),
    "places and a distance": ((4, 3), (np.array([0, 1, 3, 4.0]), 2), {"edge_order": 2}),
    "the last axis": ((2, 3, 4), (np.array([0, 1, 3, 4.0]),), {"axis": -1}),
    "some axes": ((2, 3, 4), (), {"axis": (2, 0)}),
}


@pytest.mark.parametrize("case", GRADIENTS)
def test_gradient(backend: str, case: str) -> None:
    shape, spacing, options = GRADIENTS[case]
    if shape[0] <= options.get("edge_order", 1):
        pytest.fail("too few samples")
    kinds = dtypes("all") if case == "two axes" else [lw.float64]
    for _, dtype in crossed([shape], kinds, "_gradient"):
        x = values(dtype, shape)
        exact = wide(x).astype(complex if dtype.kind == "c" else float)
        expected = np.gradient(exact, *spacing, **options)
        got = lw.gradient(lw.asarray(x), *[lw.asarray(s) if np.ndim(s) else s for s in spacing], **options)
        assert isinstance(got, tuple) == isinstance(expected, tuple)
        pairs = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
        for g, e in pairs:
            check(g, e, floating(dtype), ulps=16, scale=8)


def test_ediff1d(backend: str) -> None:
    for shape, dtype in crossed([(5,), (2, 3), (1,), (0,)], dtypes("numeric"), "ediff1d"):
        x = values(dtype, shape)
        end, begin = values(dtype, (2, 1), seed=1), values(dtype, (), seed=2)
        check(lw.ediff1d(lw.asarray(x)), np.ediff1d(x), dtype)
        got = lw.ediff1d(lw.asarray(x), lw.asarray(end), lw.asarray(begin))
        check(got, np.concatenate([[begin], np.diff(x.ravel()), end.ravel()]), dtype)


def test_unwrap(backend: str) -> None:
    cases: list[tuple[tuple[int, ...], dict[str, Any]]] = [
        ((20,), {}), ((4, 9), {"axis": 0, "period": 4}), ((9,), {"period": 2, "discont": 3}), ((1,), {}),
    ]  # fmt: skip
    for (shape, options), dtype in crossed(cases, [lw.float64, lw.float32], "unwrap"):
        x = values(dtype, shape)
        check(lw.unwrap(lw.asarray(x), **options), np.unwrap(wide(x), **options), dtype, ulps=16, scale=16)


CONVOLUTIONS = [(7, 3), (3, 7), (6, 4), (4, 4), (2, 5), (5, 1), (1, 1)]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolutions(backend: str, name: str, mode: Any) -> None:
    for (n, k), dtype in crossed(CONVOLUTIONS, dtypes("numeric"), "convolve"):
        x, y = values(dtype, (n,)), values(dtype, (k,), seed=1)
        expected = getattr(np, name)(wide(x), wide(y), mode).astype(
            NUMPY[dtype] if dtype.kind in "iu" else wide(x).dtype
        )
        check(getattr(lw, name)(lw.asarray(x), lw.asarray(y), mode), expected, dtype, ulps=16, scale=16)


def test_convolutions_by_blocks() -> None:
    """On Dask each block of the result is computed of its neighbourhood."""
    da = pytest.importorskip("dask.array")
    x, y = values(lw.float64, (23,)), values(lw.float64, (5,), seed=1)
    for mode in ("full", "same", "valid"):
        for chunks in (3, 7, 23):
            blocks = lw.asarray(da.from_array(x, chunks=chunks))
            check(
                lw.convolve(blocks, lw.asarray(y, backend="dask"), mode), np.convolve(x, y, mode), lw.float64, scale=16
            )


@pytest.mark.needs("torch")
def test_a_long_convolution_is_made_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The composition never holds more products than it says."""
    from latticework.api import numerical

    monkeypatch.setattr(numerical, "_AT_ONCE", 64)
    x, y = values(lw.int64, (40,)), values(lw.int64, (9,), seed=1)
    with lw.using(backend="torch"):  # whose own convolution takes no integers
        check(lw.convolve(lw.asarray(x), lw.asarray(y)), np.convolve(x, y), lw.int64)


def test_convolutions_take_no_numbers(backend: str) -> None:
    for dtype in (lw.float32, lw.float16):
        x = lw.asarray(2.0, dtype=dtype)
        with pytest.raises(ValueError, match=r"^convolve: takes two arrays of one axis; got shapes \(\) and \(\)"):
            lw.convolve(x, x)


def test_errors(backend: str) -> None:
    x = lw.asarray(values(lw.float32, (2, 3)))
    v = lw.asarray([1.0, 2.0])
    wrong: dict[str, Callable[[], Any]] = {
        r"^interp: xp and fp must have one axis of the same extent; got shapes \(2,\) and \(1,\)": lambda: lw.interp(
            x, v, v[:1]
        ),
        "^interp: xp and fp must have an element": lambda: lw.interp(x, v[:0], v[:0]),
        r"^trapezoid: x must have the shape of y, \(2, 3\), or its 3 elements along axis 1; got \(2,\)": lambda: (
            lw.trapezoid(x, v)
        ),
        "^gradient: takes 2 samples or more along axis 0": lambda: lw.gradient(x[:1], axis=0),
        "^gradient: edge_order is 1 or 2; got 3": lambda: lw.gradient(v, edge_order=3),
        "^gradient: takes a spacing for each of 2 axes; got 3": lambda: lw.gradient(x, 1, 2, 3),
        "^convolve: takes two arrays of one axis": lambda: lw.convolve(x, v),
        "^correlate: takes arrays with elements": lambda: lw.correlate(v[:0], v),
        "^convolve: mode is 'full' or 'same' or 'valid'; got 'half'": lambda: lw.convolve(v, v, "half"),  # type: ignore[arg-type]
    }
    for message, call in wrong.items():
        with pytest.raises(ValueError, match=message):
            call()
    for name in ("trapezoid", "cumulative_trapezoid", "unwrap", "gradient"):
        with pytest.raises(lw.errors.AxisError, match=f"^{name}: axis 2 is out of bounds"):
            getattr(lw, name)(x, axis=2)


def test_shapes_without_data() -> None:
    x = lw.spec((4, None), "float16")
    assert str(lw.infer(lw.trapezoid, x)) == "float16[4]"
    assert str(lw.infer(lw.cumulative_trapezoid, x, axis=0)) == "float16[3, ?]"
    assert str(lw.infer(lw.convolve, lw.spec(5), lw.spec(3), mode="valid")) == "float32[3]"
    assert str(lw.infer(lw.ediff1d, x, lw.spec(2, "float16"))) == "float16[?]"


@pytest.mark.needs("torch")
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_drawn_interpolations(data: st.DataObject) -> None:
    numbers = st.integers(-20, 20)
    xp = np.array(sorted(data.draw(st.sets(numbers, min_size=1, max_size=6))), float)
    fp = np.array(data.draw(st.lists(numbers, min_size=len(xp), max_size=len(xp))), float)
    x = np.array(data.draw(st.lists(numbers, max_size=6)), float) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("numpy", "torch"):
            got = lw.interp(*[lw.asarray(a, backend=name) for a in (x, xp, fp)])
            check(got, np.interp(x, xp, fp), lw.float64, ulps=16, scale=40)


#: Functions of a matrix whose derivatives are compared.
DIFFERENTIABLE: dict[str, Callable[[lw.Array], lw.Array]] = {
    "median": lambda x: lw.median(x, axis=1),
    "quantile": lambda x: lw.quantile(x, [0.2, 0.7], axis=0),
    "nanvar": lambda x: lw.nanvar(x, axis=1),
    "nanmax": lambda x: lw.nanmax(x, axis=1),
    "top_k": lambda x: lw.top_k(x, 2).values * lw.asarray([1.0, 3.0], dtype=x.dtype),
    "logsumexp": lambda x: lw.logsumexp(x, axis=1),
    "cov": lambda x: lw.cov(x)[0, :],
    "interp": lambda x: lw.interp(x, lw.asarray([-9.0, 0.1, 9.0], dtype=x.dtype), x[:, 0]),
    "cumulative_trapezoid": lambda x: lw.cumulative_trapezoid(x) ** 2,
    "convolve": lambda x: lw.convolve(x[0, :], x[1, :]) ** 2,
}


@pytest.mark.needs("torch", "jax")
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name: str) -> None:
    """Those of PyTorch and JAX are the quotients of differences on NumPy; JAX compiles the function as a whole."""
    import jax
    import torch

    x = np.random.default_rng(5).normal(size=(3, 4))
    f = DIFFERENTIABLE[name]

    def total(x: Any) -> Any:
        return lw.sum(f(lw.asarray(x))).data

    with lw.using(backend="numpy"):
        steps = 1e-5 * np.eye(x.size).reshape(-1, *x.shape)
        expected = [(total(x + h) - total(x - h)) / 2e-5 for h in steps]
    expected = np.reshape(expected, x.shape)
    with lw.using(backend="torch"):
        np.testing.assert_allclose(torch.func.grad(total)(torch.asarray(x)), expected, rtol=1e-5, atol=1e-7)
    with lw.using(backend="jax"):
        np.testing.assert_allclose(jax.jit(jax.grad(total))(jax.numpy.asarray(x)), expected, rtol=1e-5, atol=1e-7)
