"""The backend of MLX, compared with NumPy's by the kit, and what the kit does not ask."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

import latticework as lw
from latticework.errors import BackendError
from latticework.testing.suite import BackendTests


class TestMlx(BackendTests):
    backend = "mlx"


#: Functions of PyMC's distributions: their operands, as the ends of ranges, and the error that is stated for them, in
#: parts of the value or of 1, whichever is more.
SPECIAL: dict[str, tuple[list[tuple[float, float]], float]] = {
    **dict.fromkeys("expit log_ndtr ndtr erf erfc".split(), ([(-12, 12)], 5e-7)),
    **dict.fromkeys("i0e i1e".split(), ([(-80, 80)], 5e-7)), **dict.fromkeys("i0 i1".split(), ([(-20, 20)], 2e-6)),
    "erfinv": ([(-0.9999, 0.9999)], 1e-6), **dict.fromkeys("ndtri logit".split(), ([(1e-6, 0.9999)], 1e-6)),
    "gammaln": ([(-6.3, 60)], 1e-6), "digamma": ([(-6.3, 60)], 2e-6), "gamma": ([(0.1, 12)], 2e-6),
    "polygamma": ([(1, 1), (-6.3, 30)], 1e-6), "zeta": ([(1.2, 9), (0.3, 30)], 5e-7), "entr": ([(0, 9)], 5e-7),
    "beta": ([(0.2, 9), (0.3, 12)], 3e-6), "betaln": ([(0.2, 9), (0.3, 12)], 6e-6),
    **dict.fromkeys("gammainc gammaincc".split(), ([(0.2, 30), (0.1, 60)], 3e-6)),
    "betainc": ([(0.3, 12), (0.4, 9), (0.01, 0.99)], 6e-6), "kl_div": ([(0.1, 9), (0.2, 8)], 1e-6),
    **dict.fromkeys("xlogy xlog1py".split(), ([(0, 9), (0.1, 9)], 5e-7)),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_have_the_error_that_is_stated(name: str) -> None:
    ranges, error = SPECIAL[name]
    rng = np.random.default_rng(5)
    operands = [rng.uniform(*ends, 301).astype(np.float32) for ends in ranges]
    f = getattr(lw.special, name)
    got = lw.to_numpy(f(*[lw.asarray(x, backend="mlx") for x in operands]))
    expected = lw.to_numpy(f(*[lw.asarray(x.astype(np.float64), backend="numpy") for x in operands]))
    assert got.dtype == np.float32
    worst = np.max(np.abs(got - expected) / np.maximum(np.abs(expected), 1))
    assert worst < error


@pytest.mark.parametrize("f", [lw.nn.softplus, lw.nn.softmax, lw.nn.log_softmax, lw.logsumexp, lw.nn.log_sigmoid])
def test_functions_of_sums_of_exponentials_have_the_digits_of_float32(f: Callable[..., Any]) -> None:
    x = np.random.default_rng(6).uniform(-90, 90, (8, 40)).astype(np.float32)
    got = lw.to_numpy(f(lw.asarray(x, backend="mlx")))
    expected = lw.to_numpy(f(lw.asarray(x.astype(np.float64), backend="numpy")))
    assert np.allclose(got, expected, rtol=2e-6, atol=2e-6)


def test_facts_are_those_of_mlx() -> None:
    with lw.using(backend="mlx"):
        info = lw.__array_namespace_info__()
        assert "complex128" not in info.dtypes()
        assert not info.capabilities()["data-dependent shapes"]
        x = lw.asarray([1.0, 2.0, 3.0])
        assert isinstance(x.data, mx.array)
        for refused in (lambda: x[x > 1], lambda: lw.unique_values(x), lambda: lw.astype(x, "complex128")):
            with pytest.raises(BackendError, match="the mlx backend has no"):
                refused()
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 of extent 3"):
            lw.take(x, lw.asarray([7]))


def test_nothing_is_computed_before_a_value_is_asked_for() -> None:
    """MLX keeps a graph: an error in the values of an input shows when the result is read, not when it is described."""
    x = mx.zeros((1000, 1000))
    y = lw.sum(lw.exp(x) @ x)
    assert y.shape == ()
    assert float(y) == 0


def test_arrays_go_from_and_to_numpy_in_every_dtype() -> None:
    for dtype in lw.all_dtypes:
        if dtype is not lw.complex128:
            x = lw.asarray([0, 1, 1], dtype=dtype, backend="numpy")
            assert np.array_equal(lw.to_numpy(lw.asarray(x, backend="mlx")), lw.to_numpy(x)), dtype


def test_limits_have_the_dtype() -> None:
    """MLX's dtypes are unequal to all that are not MLX's."""
    with lw.using(backend="mlx"):
        assert lw.finfo(lw.float32).dtype == lw.float32
        assert lw.iinfo(lw.asarray(1, dtype="uint8")).dtype == lw.uint8


SPECIAL_CASES = [
    ("remainder", (0.0, -2.0), "-0.0"), ("remainder", (-0.0, 2.0), "0.0"), ("remainder", (4.0, -2.0), "-0.0"),
    ("remainder", (0.0, -np.inf), "-0.0"), ("sign", (complex(-0.0, -0.0),), "0j"),
    ("expm1", (complex(np.inf, 0),), "(inf+0j)"), ("expm1", (complex(np.inf, np.nan),), "(inf+nanj)"),
    ("expm1", (complex(-np.inf, np.inf),), "(-1+0j)"), ("expm1", (complex(np.nan, 0),), "(nan+0j)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "numbers", "expected"), SPECIAL_CASES)
def test_special_cases_are_those_of_the_standard(name: str, numbers: tuple[complex, ...], expected: str) -> None:
    found = getattr(lw, name)(*(lw.asarray(x, backend="mlx") for x in numbers))
    assert str(found.item()) == expected


@pytest.mark.parametrize("correction", [0.0, 1.0, 0.5, 3, 4.5])
@pytest.mark.parametrize("name", ["var", "std"])
def test_corrections_are_any_numbers(name: str, correction: float) -> None:
    x = lw.asarray([[0.0, 0.5, 3.0], [2.0, 0.25, 1.0]], backend="mlx")
    for axis in (None, 1, (0, -1)):
        found = lw.to_numpy(getattr(lw, name)(x, axis=axis, correction=correction))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(lw.to_numpy(x), axis=axis, ddof=correction)
        assert np.allclose(found, expected, equal_nan=True), axis
