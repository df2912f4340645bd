"""The backend of ndonnx: functions of latticework become graphs of ONNX, whose runs give NumPy's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ndonnx as ndx
import numpy as np
import onnxruntime
import pytest

import latticework as lw
from latticework.errors import BackendError
from latticework.testing.suite import BackendTests


class TestNdonnx(BackendTests):
    """A call is a graph and a session of onnxruntime: a share of the calls is run."""

    backend = "ndonnx"
    every = {"dtypes": 200, "shapes": 200, "views": 200, "values": 10, "keys": 20}
    refused = {"derivatives": ["solve"]}


BACKENDS = ("ndonnx", "numpy")
X = np.random.default_rng(0).uniform(0.5, 3, (4, 3)).astype(np.float32)

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "gammaln": lw.special.gammaln,
    "erf": lw.special.erf,
    "softmax": lambda x: lw.nn.softmax(x, axis=-1),
    "layer": lambda x: lw.nn.gelu(x @ lw.permute_dims(x, (1, 0)) + 1),
    "read": lambda x: x[1:, ::-1] + x[:3, lw.asarray([2, 0, 0], backend="ndonnx" if _is_node(x) else "numpy")],
    "gradient": lw.grad(lambda x: lw.sum(lw.tanh(x) * lw.exp(-x))),
}


def _is_node(x: Any) -> bool:
    return bool(x.backend == "ndonnx")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_becomes_a_graph_that_gives_numpys_numbers(name: str) -> None:
    x = ndx.argument(shape=X.shape, dtype=ndx.float32)
    y = PROGRAMS[name](lw.asarray(x))
    model = ndx.build({"x": x}, {"y": y.data})
    (got,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": X})
    expected = np.asarray(PROGRAMS[name](lw.asarray(X, backend="numpy")))
    assert got.dtype == expected.dtype
    assert np.allclose(got, expected, rtol=2e-5, atol=2e-5)


def test_a_node_of_a_graph_has_no_values_and_says_so() -> None:
    x = lw.asarray(ndx.argument(shape=(3,), dtype=ndx.float32))
    assert "a node of a graph" in repr(x)
    with pytest.raises(BackendError, match="build the graph and run it"):
        np.asarray(lw.exp(x))


def test_numbers_of_64_bits_keep_all_of_them() -> None:
    values = np.asarray([[2**53, 1, 2**62, 5], [7, 2**62, 2**62 + 1, 3]])
    for x in (values, values.astype(np.uint64) * np.uint64(3), np.asarray([2**64 - 1, 3, 2**63], np.uint64)):
        for f in (lw.sum, lw.max, lw.min, lw.sort, lw.argsort, lambda x: lw.cumulative_sum(x, axis=-1)):
            found, expected = (np.asarray(f(lw.asarray(x, backend=b))) for b in ("ndonnx", "numpy"))
            assert found.tolist() == expected.tolist()
        chosen = (np.asarray(lw.where(y > 3, y, y[..., :1])) for y in (lw.asarray(x, backend=b) for b in BACKENDS))
        assert next(chosen).tolist() == next(chosen).tolist()


def test_exponentials_that_would_overflow_are_added() -> None:
    x = np.asarray([np.finfo(np.float32).max, 1, -np.inf, np.inf, np.nan, 90], np.float32)
    found, expected = (np.asarray(lw.logaddexp(y, y)) for y in (lw.asarray(x, backend=b) for b in BACKENDS))
    assert np.allclose(found, expected, rtol=1e-6, equal_nan=True)


def test_positions_along_an_axis_are_broadcast() -> None:
    x, places = np.arange(24.0).reshape(2, 3, 4), np.asarray([[[3, 0], [1, 1], [2, 0]]])
    found = lw.take_along_axis(*[lw.asarray(a, backend="ndonnx") for a in (x, places)], axis=2)
    assert np.asarray(found).tolist() == np.take_along_axis(x, places, axis=2).tolist()
