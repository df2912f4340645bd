"""Arrays of many elements, for which frameworks take other kernels than for a few: the values are those of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework import nn

#: Functions that read all elements, or many, for each of their results.
FUNCTIONS: dict[str, Callable[[lw.Array], Any]] = {
    "max": lw.max,
    "min": lw.min,
    "ptp": lw.ptp,
    "maximum.reduce": lw.maximum.reduce,
    "argmax": lw.argmax,
    "argmin": lw.argmin,
    "nanmax": lw.nanmax,
    "nanargmin": lw.nanargmin,
    "sum": lw.sum,
    "prod": lambda x: lw.prod(x * 0 + 1),
    "mean": lw.mean,
    "std": lw.std,
    "any": lambda x: lw.any(lw.isnan(x)),
    "count_nonzero": lw.count_nonzero,
    "median": lw.median,
    "quantile": lambda x: lw.quantile(x, 0.25),
    "cummax": lw.cummax,
    "cumulative_sum": lw.cumulative_sum,
    "sort": lw.sort,
    "argsort": lambda x: lw.argsort(x, stable=True),
    "top_k": lambda x: lw.top_k(lw.nan_to_num(x), 5)[0],
    "searchsorted": lambda x: lw.searchsorted(lw.sort(lw.nan_to_num(x)), lw.nan_to_num(x)),
    "logsumexp": lw.logsumexp,
    "softmax": nn.softmax,
    "vector_norm": lw.linalg.vector_norm,
    "least norm": lambda x: lw.linalg.vector_norm(x, ord=float("-inf")),
    "segment_max": lambda x: lw.segment_max(x, lw.arange(x.shape[0]) % 3, 3),
    "max_pool1d": lambda x: nn.max_pool1d(x[None, None], 4, stride=4),
    "matmul": lambda x: x @ x,
}


def values(nan: bool, dtype: Any = np.float32) -> np.ndarray:
    """Numbers around 0, more than any kernel for a few elements takes; with nan in two places."""
    x = np.random.default_rng(3).normal(size=9000).astype(dtype)
    if nan:
        x[[77, 8192]] = np.nan
    return x


def check(f: Callable[[lw.Array], Any], x: np.ndarray) -> None:
    """Compare what a function gives with what NumPy's backend gives."""
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        expected = np.asarray(f(lw.asarray(x)))
    found = np.asarray(f(lw.asarray(x)))
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("nan", [False, True], ids=["numbers", "with nan"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_many_elements(backend: str, name: str, nan: bool) -> None:
    check(FUNCTIONS[name], values(nan))


def _greatest_norm(x: lw.Array, axis: Any = None) -> lw.Array:
    return lw.linalg.vector_norm(x, axis=axis, ord=float("inf"))


EXTREMES: dict[str, Callable[..., lw.Array]] = {"max": lw.max, "min": lw.min, "greatest norm": _greatest_norm}


@pytest.mark.parametrize("name", EXTREMES)
def test_an_extreme_is_nan_beside_nan(backend: str, name: str) -> None:
    """XLA's extremes of 4096 elements and more pass over nan on a CPU, in all the ways that lead there."""
    f, x = EXTREMES[name], values(nan=True)
    for shape, axis in (((3, 3000), 1), ((3000, 3), 0), ((3000, 3), (0, 1)), ((90, 100), None)):
        check(lambda x, shape=shape, axis=axis: f(lw.reshape(x, shape), axis=axis), x)
    check(lw.jit(lambda x: f(x * 2)), x)
    check(lambda x: lw.vmap(f)(lw.reshape(x, (3, 3000))), x)
    check(lw.compile(lambda x: f(lw.abs(x))), x)
    if name != "greatest norm":
        check(f, values(nan=True, dtype=np.float16))
        check(f, values(nan=False, dtype=np.int32))


def test_jax_still_passes_over_nan() -> None:
    """Where this fails JAX has mended it, and the answer to it may go from the backend."""
    jax = pytest.importorskip("jax")
    assert not jax.numpy.isnan(jax.numpy.max(jax.numpy.asarray(values(nan=True))))
