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
from latticework.testing import check

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


@pytest.mark.parametrize("area", ["arrays", "random", "tracing", "derivatives"])
def test_it_computes_what_numpy_computes(area: str) -> None:
    report = check("ndonnx", areas=[area])
    assert not [*report.differences, *report.gone], "\n".join(report.lines())


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
    found, expected = (SUPERSET[name](*[lw.asarray(x, backend=b) for x in operands]) for b in ("ndonnx", "numpy"))
    assert isinstance(found.data, ndx.Array)
    assert np.allclose(lw.to_numpy(found), lw.to_numpy(expected), rtol=2e-5, atol=2e-6)


def test_a_key_gives_the_numbers_of_numpy() -> None:
    drawn = []
    for backend in ("ndonnx", "numpy"):
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
