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
