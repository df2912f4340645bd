"""Graphs as models of ONNX: onnxruntime computes what latticework does, and what ONNX lacks is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: latticework[onnx]")
pytest.importorskip("onnx", reason="onnx is not installed: latticework[onnx]")

import latticework as lw
from latticework.core.trees import flatten
from latticework.errors import GraphFileError

FLOATS = np.array([[-2.5, -1.0, -0.5], [0.0, 0.25, 0.5], [0.75, 1.0, 1.5], [2.5, 3.0, np.nan]], dtype=np.float32)
INTS = np.array([[-7, 3, 5], [1, -2, 4], [2, 6, -9], [8, 7, -1]], dtype=np.int32)


def model_run(graph: Any, arrays: list[Any], folder: Path) -> list[np.ndarray]:
    """What onnxruntime computes."""
    path = graph.to_onnx(folder / "graph.onnx")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return session.run(None, dict(zip(names, map(np.asarray, arrays), strict=True)))


def agrees(f: Callable[..., Any], arrays: list[Any], folder: Path) -> None:
    """A function gives the dtypes, shapes and numbers that its model gives."""
    graph = lw.trace(f, *arrays)
    wanted = [np.asarray(x) for x in flatten(graph(*arrays))[0]]
    found = model_run(graph, arrays, folder)
    assert len(found) == len(wanted)
    for got, want in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        if want.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)
        else:
            np.testing.assert_array_equal(got, want)


UNARY = """
    abs negative exp sin cos tan asinh atan sinh cosh tanh floor ceil round sign square isnan isinf isfinite positive
    reciprocal sqrt log acos asin acosh atanh
""".split()
PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, n: (x + n, x - 1, 2.0 - x, x * n * 0.5, x / 3, n / 2, x**2, (x * x + 1) ** 0.5, -n),
    "division of ints": lambda x, n: (n // 2, n // -3, n % 4, n % -4, 7 // (n * 2 + 1), 7 % n, n // n),
    "remainders of floats": lambda x, n: (x % 0.75, x % -0.75, n % 2.5),
    "comparisons": lambda x, n: (x > 0, x >= n, n < 2, n <= x, n == 3, x != x, (x > 0) & (n > 1), ~(x > 0) | (n < 0)),
    "extremes": lambda x, n: (
        lw.maximum(x, 0.5), lw.minimum(x, n), lw.maximum(n, 2), lw.clip(x, -1, 1), lw.clip(n, 0, 5),
    ),
    "unary": lambda x, n: [getattr(lw, name)(x) for name in UNARY],
    "activations": lambda x, n: (
        lw.nn.relu(x), lw.nn.sigmoid(x), lw.nn.gelu(x), lw.nn.silu(x), lw.nn.softmax(x, axis=0), lw.nn.log_softmax(x),
        lw.nn.softplus(x), lw.special.erf(x),
    ),
    "casts": lambda x, n: (
        lw.astype(n, lw.float64), lw.astype(n, lw.bool), lw.astype(n * 0.5, lw.int64), lw.astype(x > 0, lw.float32),
    ),
    "shapes": lambda x, n: (
        lw.reshape(x, (2, 6)), x.T, lw.expand_dims(x, axis=1), lw.squeeze(x[:1], axis=0), lw.broadcast_to(x, (2, 4, 3)),
        lw.concat([x, x * 2], axis=1), lw.stack([n, n], axis=-1), lw.flip(x), lw.flip(n, axis=0), lw.moveaxis(x, 0, 1),
    ),
    "keys": lambda x, n: (
        x[1], x[-1, 0], x[1:3, ::2], n[::-1], n[..., 1], n[:, None, -1], n[3:0:-2],
        lw.take(x, lw.astype(n[0] % 4, lw.int32), axis=0), n[lw.abs(n[0]) % 4],
    ),
    "reductions": lambda x, n: (
        lw.sum(n), lw.sum(n, axis=0, keepdims=True), lw.mean(n * 0.5, axis=(0, 1)), lw.max(n, axis=-1), lw.min(n),
        lw.prod(n, axis=1), lw.all(n > 0, axis=0), lw.any(n > 7), lw.var(n * 0.5, axis=0),
        lw.std(n * 0.5, correction=1),
        lw.argmax(n, axis=1), lw.argmin(n), lw.cumulative_sum(n, axis=1), lw.sum(x, axis=()),
    ),
    "choices": lambda x, n: (
        lw.where(x > 0, x, n), lw.where(n > 0, 1.5, x), lw.ones((2, 2)) * x[0, 0], lw.arange(3) + n,
    ),
    "products": lambda x, n: (x[:3] @ x[:3], x @ x[0], n @ n.T, lw.matmul(x * 0.5, x.T)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:invalid value|divide by zero|overflow")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, backend: str, tmp_path: Path) -> None:
    if backend in ("jax", "tensorflow", "dask") and name not in ("arithmetic", "comparisons", "keys"):
        pytest.skip("what is called does not depend on the framework; one that compiles has a few programs")
    agrees(PROGRAMS[name], [lw.asarray(FLOATS), lw.asarray(INTS)], tmp_path)


def test_a_model_of_layers(backend: str, tmp_path: Path) -> None:
    def mlp(x: Any, layers: Any) -> Any:
        for w, b in layers:
            x = lw.nn.gelu(x @ w + b)
        return lw.nn.softmax(x - scale)

    scale = lw.asarray([0.5, 0.25, 0.125])
    rng = np.random.default_rng(0)
    w = [[lw.asarray(rng.normal(size=s).astype("float32")) for s in ((3, 3), (3,))] for _ in range(2)]
    x = lw.asarray(FLOATS[:3])
    graph = lw.trace(mlp, x, w)
    (found,) = model_run(graph, [x, *flatten(w)[0]], tmp_path)
    np.testing.assert_allclose(found, np.asarray(mlp(x, w)), rtol=2e-5, atol=1e-6)


def test_what_onnx_lacks_is_named(backend: str, tmp_path: Path) -> None:
    x = lw.asarray([1.0, 2.0])
    path = tmp_path / "g.onnx"

    def refused(f: Callable[..., Any], match: str, *args: Any) -> None:
        with pytest.raises(GraphFileError, match=match):
            lw.trace(f, *(args or (x,))).to_onnx(path)

    refused(lw.expm1, "to_onnx: expm1 .* has no operator in ONNX")
    refused(lambda x: lw.expm1(x) * 2, r"expm1 \(.*test_onnx.py:\d+\): .*lw.expm1\(x\) \* 2.*has no operator in ONNX")
    refused(lambda x: x // 2.0, "floor_divide .*of float32 has no operator")
    refused(lambda x: lw.cond(lw.sum(x) > 0, lambda: x, lambda: -x), "switch.* has branches")
    refused(lambda x: x * 1j, "(multiply|cast|scalar).*is of complex64, for which ONNX has no operators")
    ceil = r"does not take this program.*ceil \(.*test_onnx.py:\d+\).*int32"
    if backend != "tensorflow":  # which is not called for the ceil of ints
        refused(lambda x: lw.ceil(x) + 1, ceil, lw.asarray([1]))
    refused(lambda x: x * 2, "is of complex64", lw.asarray([1j]))
    assert not path.exists()


def test_writes_are_refused(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        x[0] = 1
        return x * 2

    with pytest.raises(GraphFileError, match="writes into"):
        lw.trace(f, lw.asarray([1.0, 2.0], backend="numpy")).to_onnx(tmp_path / "g.onnx")
