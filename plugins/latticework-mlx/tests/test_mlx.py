"""The backend of MLX, compared with NumPy's by the kit, and what the kit does not ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

import latticework as lw
from latticework.errors import BackendError
from latticework.testing import AREAS, check


@pytest.mark.parametrize("area", AREAS)
def test_it_computes_what_numpy_computes(area: str) -> None:
    report = check("mlx", areas=[area])
    assert not [*report.differences, *report.gone], "\n".join(report.lines())


#: Functions of PyMC's distributions, with the operands that they take.
SPECIAL = {
    **dict.fromkeys("digamma erf erfc erfinv expit gamma gammaln i0 i0e i1 i1e log_ndtr logit ndtr ndtri".split(), 1),
    **dict.fromkeys("beta betaln gammainc gammaincc xlog1py xlogy".split(), 2), "betainc": 3,
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_have_the_digits_of_float32(name: str) -> None:
    last = np.linspace(0.05, 0.95, 64, dtype=np.float32)
    operands = [last + 1 + i for i in range(SPECIAL[name] - 1)] + [last]
    f = getattr(lw.special, name)
    got = np.asarray(f(*[lw.asarray(x, backend="mlx") for x in operands]))
    expected = np.asarray(f(*[lw.asarray(x.astype(np.float64), backend="numpy") for x in operands]))
    assert np.allclose(got, expected, rtol=3e-6, atol=3e-7), np.max(np.abs(got - expected))


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


def test_functions_take_mlx_arrays_as_they_are() -> None:
    xp = lw.array_namespace(mx.zeros(2))
    assert isinstance(xp.special.gammaln(mx.array([2.5])), mx.array)


def test_arrays_go_from_and_to_numpy_in_every_dtype() -> None:
    for dtype in lw.all_dtypes:
        if dtype is not lw.complex128:
            x = lw.asarray([0, 1, 1], dtype=dtype, backend="numpy")
            assert np.array_equal(lw.to_numpy(lw.asarray(x, backend="mlx")), lw.to_numpy(x)), dtype


#: Functions beyond the standard, of a matrix and of positions.
SUPERSET: dict[str, Callable[[Any, Any], Any]] = {
    "segments": lambda x, i: lw.segment_sum(x, i, num_segments=3),
    "einsum": lambda x, i: lw.einsum("ij,kj->ik", x, x),
    "nansum": lambda x, i: lw.nansum(x, axis=0),
    "kron": lambda x, i: lw.kron(x, x),
    "erf": lambda x, i: lw.special.erf(x),
    "norm": lambda x, i: lw.linalg.vector_norm(x, axis=1),
    "bincount": lambda x, i: lw.bincount(i, length=4),
    "gelu": lambda x, i: lw.nn.gelu(x),
    "rows": lambda x, i: lw.searchsorted(lw.sort(x, axis=1), x),
    "gradient": lambda x, i: lw.grad(lambda y: lw.sum(lw.tanh(y) * lw.take(y, i, axis=0)))(x),
    "products": lambda x, i: lw.jvp(lambda y: lw.logsumexp(y @ lw.permute_dims(y, (1, 0)), axis=1), (x,), (x,))[1],
}


@pytest.mark.parametrize("name", SUPERSET)
def test_functions_beyond_the_standard_are_those_of_numpy(name: str) -> None:
    operands = np.linspace(-1, 2, 24, dtype=np.float32).reshape(4, 6), np.asarray([2, 0, 2, 1])
    found, expected = (SUPERSET[name](*[lw.asarray(x, backend=b) for x in operands]) for b in ("mlx", "numpy"))
    assert isinstance(found.data, mx.array)
    assert np.allclose(lw.to_numpy(found), lw.to_numpy(expected), rtol=2e-5, atol=2e-6)


def test_a_key_gives_the_numbers_of_numpy() -> None:
    drawn = []
    for backend in ("mlx", "numpy"):
        with lw.using(backend=backend):
            key, other = lw.random.split(lw.random.key(7), 2)
            drawn.append([
                lw.to_numpy(x)
                for x in (
                    lw.random.uniform(key, (9,)), lw.random.normal(other, (2, 4)), lw.random.bernoulli(key, 0.5, (9,)),
                    lw.random.randint(lw.random.fold_in(key, 3), (9,), 0, 100),
                )
            ])  # fmt: skip
    for mine, numpys in zip(*drawn, strict=True):
        assert mine.dtype == numpys.dtype
        assert np.allclose(mine, numpys, rtol=2e-5, atol=2e-6)
