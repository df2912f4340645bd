"""Graphs as models of ONNX: onnxruntime computes what latticework does, and what ONNX lacks is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: latticework[onnx]")
pytest.importorskip("onnx", reason="onnx is not installed: latticework[onnx]")

import latticework as lw
from latticework.core.trees import flatten
from latticework.errors import GraphFileError, TraceError

FLOATS = np.array([[-2.5, -1.0, -0.5], [0.0, 0.25, 0.5], [0.75, 1.0, 1.5], [2.5, 3.0, np.nan]], dtype=np.float32)
INTS = np.array([[-7, 3, 5], [1, -2, 4], [2, 6, -9], [8, 7, -1]], dtype=np.int32)


def model_run(graph: Any, arrays: list[Any], folder: Path, **options: Any) -> list[np.ndarray]:
    """What onnxruntime computes."""
    path = graph.to_onnx(folder / "graph.onnx", **options)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return session.run(None, dict(zip(names, map(np.asarray, arrays), strict=True)))


def agrees(
    f: Callable[..., Any], arrays: list[Any], folder: Path, *, others: list[Any] | None = None, **options: Any
) -> None:
    """A function gives the dtypes, shapes and numbers that its model gives; for other arrays, where these are given. So
    does the model where it is read back."""
    graph = lw.trace(f, *arrays)
    arrays = others or arrays
    wanted = [np.asarray(x) for x in flatten(f(*[lw.copy(x) for x in arrays]))[0]]
    same(model_run(graph, [*map(reals, arrays)], folder, **options), wanted)
    same(flatten(lw.from_onnx(folder / "graph.onnx")(*map(reals, arrays)))[0], wanted)


def reals(x: Any) -> Any:
    """What a model has for an array: of complex numbers the parts, along one axis more."""
    x = np.asarray(x)
    return np.stack([x.real, x.imag], axis=-1) if x.dtype.kind == "c" else x


def same(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    found, wanted = [np.asarray(x) for x in found], [*map(reals, wanted)]
    assert len(found) == len(wanted)
    for got, want in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        if want.dtype.kind == "f":
            largest = float(np.max(np.abs(want), initial=1.0, where=np.isfinite(want)))
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6 * largest)
        else:
            np.testing.assert_array_equal(got, want)


UNARY = """
    abs negative exp sin cos tan asinh atan sinh cosh tanh floor ceil round sign square isnan isinf isfinite positive
    reciprocal sqrt log log2 log10 acos asin acosh atanh
""".split()
PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, n: (x + n, x - 1, 2.0 - x, x * n * 0.5, x / 3, n / 2, x**2, (x * x + 1) ** 0.5, -n),
    "division of ints": lambda x, n: (n // 2, n // -3, n % 4, n % -4, 7 // (n * 2 + 1), 7 % n, n // n),
    "remainders of floats": lambda x, n: (
        x % 0.75, x % -0.75, n % 2.5, x // 0.75, x // -0.75, lw.fmod(x, 0.75), lw.trunc(x), lw.modf(x),
    ),
    "bits": lambda x, n: (n << 2, n >> 1, n >> 40, n << lw.abs(n), lw.ceil(n), lw.round(n), lw.isfinite(n)),
    "signs and angles": lambda x, n: (
        lw.signbit(x), lw.copysign(n, x), lw.hypot(x, n), lw.atan2(x, n), lw.angle(x), lw.angle(x + 1j), lw.cbrt(x),
        lw.fmax(x, 0), lw.special.erfc(x), lw.linalg.vector_norm(x, axis=-1, ord=3),
    ),
    "positions": lambda x, n: (
        lw.searchsorted(lw.asarray([-1.0, 0.25, 1.0]), x), lw.searchsorted(x[:, 0], n * 0.5, side="right"),
        lw.isin(n, lw.asarray([3, 7])), lw.isin(n, 8, invert=True), lw.interp(x, lw.asarray([-1.0, 1.0]), x[1, :2]),
        lw.bincount(n[:, 0], length=6), lw.bincount(n[:, 0], x[:, 1], length=6), lw.count_nonzero(n > 1, axis=0),
        lw.segment_sum(x, n[:, 1] % 3, 3), lw.index_add(n, lw.asarray([0, 2, 0]), n[:3]), lw.argmax(n, keepdims=True),
        lw.scatter(n, n[:1] % 4, n[:1], axis=0),
    ),
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
        lw.concat([n, n], axis=None), lw.roll(n, 5),
    ),
    "keys": lambda x, n: (
        x[1], x[-1, 0], x[1:3, ::2], n[::-1], n[..., 1], n[:, None, -1], n[3:0:-2],
        lw.take(x, lw.astype(n[0] % 4, lw.int32), axis=0), n[lw.abs(n[0]) % 4], lw.take(n[0], n[0] % 3), n[1, n[0] % 3],
        n[n[0] % 4, None, 0], n[None, n[1] % 4, n[1] % 3], n[..., n[1:3] % 3],
    ),
    "reductions": lambda x, n: (
        lw.sum(n), lw.sum(n, axis=0, keepdims=True), lw.mean(n * 0.5, axis=(0, 1)), lw.max(n, axis=-1), lw.min(n),
        lw.prod(n, axis=1), lw.all(n > 0, axis=0), lw.any(n > 7), lw.var(n * 0.5, axis=0),
        lw.std(n * 0.5, correction=1),
        lw.argmax(n, axis=1), lw.argmin(n), lw.cumulative_sum(n, axis=1), lw.sum(x, axis=()),
        lw.cumulative_prod(n, axis=1), lw.cumulative_prod(n, axis=0, include_initial=True),
        lw.cumulative_sum(n, axis=0, include_initial=True),
    ),
    "choices": lambda x, n: (
        lw.where(x > 0, x, n), lw.where(n > 0, 1.5, x), lw.ones((2, 2)) * x[0, 0], lw.arange(3) + n,
    ),
    "casts out of range": lambda x, n: (
        lw.astype(x * 1e30, lw.int32), lw.astype(lw.log(x), lw.int64), lw.astype(x * 500, lw.int8),
        lw.astype(x * 500, lw.uint8),
    ),
    "small numbers": lambda x, n: (
        lw.expm1(x * 1e-4) * 1e4, lw.log1p(x * 1e-4) * 1e4, lw.expm1(x * 1e3), lw.logaddexp(x, n),
    ),
    "products": lambda x, n: (x[:3] @ x[:3], x @ x[0], n @ n.T, lw.matmul(x * 0.5, x.T)),
}  # fmt: skip


def _written(x: Any) -> Any:
    y = lw.zeros((4, 5))
    y[1:3] = x[0, 0, :2, :5]
    y[0, 1] = 2.0
    row = y[3]
    row[1:4:2] = 7
    z = x[0, 0] * 1
    z[lw.asarray([0, 1]), lw.asarray([1, 1])] = 0.0
    z[z > 1] = -1.0
    z[:, 0] += 5
    return y * 1, row + 1, z


#: Functions of x of shape (2, 3, 8, 8), w of shape (4, 3, 3, 3), b of shape (4,) and t, two ints.
LAYERS: dict[str, Callable[..., Any]] = {
    "convolutions": lambda x, w, b, t: (
        lw.nn.conv2d(x, w, b, stride=2, padding=((1, 2), (0, 1)), dilation=2),
        lw.nn.conv2d(x[:, :2], w[:, :1], groups=2), lw.nn.conv1d(x[0, :, 0], w[:, :, 0], padding="same"),
        lw.nn.conv2d(lw.permute_dims(x, (0, 2, 3, 1)), w, layout="NHWC"),
        lw.nn.conv3d(x[..., None], w[..., None]), lw.nn.depthwise_conv2d(x, w[:3, :1]),
        lw.nn.conv_transpose2d(x, lw.permute_dims(w, (1, 0, 2, 3)), b, stride=2, padding=1, output_padding=1),
    ),
    "pooling": lambda x, w, b, t: (
        lw.nn.max_pool2d(x, 3, stride=2, padding=1), lw.nn.max_pool2d(x, 3, stride=2, ceil_mode=True),
        lw.nn.max_pool1d(x[0], 2), lw.nn.avg_pool2d(x, 3, stride=2, padding=1),
        lw.nn.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
        lw.nn.avg_pool2d(x, 3, stride=2, ceil_mode=True), lw.nn.adaptive_avg_pool2d(x, 1),
        lw.nn.adaptive_max_pool2d(x, 4),
    ),
    "norms": lambda x, w, b, t: (
        lw.nn.batch_norm(x, b[:3], b[:3] ** 2, b[:3], b[:3]), lw.nn.batch_norm(x, None, None, training=True),
        lw.nn.layer_norm(x, (8,)), lw.nn.layer_norm(x, (8, 8), eps=1e-3), lw.nn.rms_norm(x, (8,)),
        lw.nn.group_norm(x, 3, b[:3], b[:3]), lw.nn.instance_norm(x),
    ),
    "activations of layers": lambda x, w, b, t: (
        lw.nn.gelu(x, approximate="tanh"), lw.nn.leaky_relu(x, 0.1), lw.nn.elu(x), lw.nn.selu(x), lw.nn.celu(x, 2.0),
        lw.nn.hard_silu(x), lw.nn.glu(x), lw.nn.softplus(x, beta=2.0, threshold=3.0), lw.nn.log_sigmoid(x),
    ),
    "attention": lambda x, w, b, t: (
        lw.nn.scaled_dot_product_attention(x, x, x), lw.nn.scaled_dot_product_attention(x, x, x, is_causal=True),
        lw.nn.scaled_dot_product_attention(x, x, x, x > 0), lw.einsum("abcd,abde->ace", x, x),
        lw.nn.embedding(t, w[:, 0, 0]), lw.nn.linear(x, x[0, 0], x[0, 0, 0]),
    ),
    "losses": lambda x, w, b, t: (
        lw.nn.cross_entropy(x[:, :, 0, 0], t),
        lw.nn.cross_entropy(x[:, :, 0, 0], t, reduction="none", label_smoothing=0.1), lw.nn.mse_loss(x, 2 * x),
        lw.nn.huber_loss(x, x * 2), lw.nn.binary_cross_entropy_with_logits(x, lw.nn.sigmoid(x)),
    ),
    "sorting": lambda x, w, b, t: (
        lw.sort(x), lw.sort(x, axis=1, descending=True), lw.argsort(lw.round(x), descending=True),
        lw.top_k(x, 3), lw.top_k(x, 2, axis=1, largest=False),
    ),
    "arrangement": lambda x, w, b, t: (
        lw.pad(x, 1), lw.pad(x, ((0, 0), (0, 0), (1, 2), (0, 1)), constant_values=2.0), lw.pad(x, 1, "reflect"),
        lw.tile(x, (1, 2, 1, 1)), lw.roll(x, 1, axis=2), lw.repeat(x, 2, axis=1),
        lw.triu(x), lw.unstack(x)[1], x[t // 2], x[:, t], x[t // 2, t], x[0, :, t], x[:, 1, t], x[:, t, 0, t],
        x @ lw.linalg.inv(lw.eye(8) + 1),
        lw.linalg.det(x), lw.linalg.norm(x, axis=-1), lw.vecdot(x, x), lw.outer(b, b),
    ),
    "Fourier transforms": lambda x, w, b, t: (
        lw.fft.fft(x), lw.fft.ifft(x, 5, axis=1), lw.fft.rfft(x, norm="ortho"), lw.fft.fft2(x, norm="forward"),
        lw.fft.irfft(lw.fft.rfft(x) * lw.conj(lw.fft.rfft(x, axis=-1))), lw.fft.irfft(lw.fft.rfft(x[0, 0, 0]), 5),
        lw.fft.irfftn(lw.fft.rfftn(x, axes=(1, 3)), axes=(1, 3)), lw.fft.hfft(lw.fft.ihfft(x)), lw.fft.dct(x[0, 0]),
        lw.abs(lw.signal.stft(x[0, 0], 4, 2)),
    ),
    "complex numbers": lambda x, w, b, t: [
        (z + 1j, 2 - z, z * z, z / (z + 2j), z / x, -z, z == lw.conj(z), lw.abs(z), lw.imag(z), lw.exp(z), z @ z,
         z[0, :, None], lw.concat([z, x]), lw.where(x > 0, z, 0), lw.sum(z, axis=(0, 1)), lw.reshape(z, (-1,)),
         lw.linalg.diagonal(z), lw.fft.fftshift(z))
        for z in (lw.fft.fft(x, norm="ortho") * 1j,)
    ],
    "writes": lambda x, w, b, t: _written(x),
    "branches and loops": lambda x, w, b, t: (
        lw.cond(lw.sum(x) > 0, lambda a: (a * 2, a), lambda a: (-a, a), x),
        lw.switch(t[1], [lambda a: a, lambda a: a * 2, lambda a: a * 3], x),
        lw.while_loop(lambda v: lw.sum(v) < 1000, lambda v: v * 2, lw.abs(x)),
        lw.fori_loop(0, 3, lambda i, v: lw.cond(i % 2 == 0, lambda a: a + x, lambda a: a * 2, v), x),
        lw.scan(lambda c, u: (c + u, c * u), x[0], x, reverse=True), lw.scan(lambda c, _: (c * 2, c), x[0], length=4),
    ),
}  # fmt: skip
_RNG = np.random.default_rng(0)
IMAGES, WEIGHT, BIAS = (_RNG.normal(size=s).astype("float32") for s in ((2, 3, 8, 8), (4, 3, 3, 3), (4,)))
LABELS = np.array([0, 2])


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str, backend: str, tmp_path: Path) -> None:
    if backend not in ("numpy", "torch"):
        pytest.skip("the calls of the other frameworks have the same names; `test_networks` runs on each")
    agrees(LAYERS[name], [lw.asarray(x) for x in (IMAGES, WEIGHT, BIAS, LABELS)], tmp_path)


def network(x: Any, w: Any, b: Any, last: Any) -> Any:
    x = lw.nn.max_pool2d(lw.nn.relu(lw.nn.conv2d(x, w, b, padding=1)), 2)
    x = lw.reshape(lw.nn.batch_norm(x, b, b * b + 1), (x.shape[0], -1))
    return lw.nn.softmax(lw.nn.linear(x, last))


def test_networks(backend: str, tmp_path: Path) -> None:
    held = [lw.asarray(x) for x in (WEIGHT, BIAS, _RNG.normal(size=(10, 64)).astype("float32"))]
    f = lambda x: network(x, *held)  # noqa: E731
    x, five = lw.asarray(IMAGES[:1]), lw.asarray(_RNG.normal(size=(5, 3, 8, 8)).astype("float32"))
    agrees(f, [x], tmp_path, others=[five], dynamic={"x": {0: "n"}})
    if backend == "numpy":
        for opset in (18, 21):
            agrees(f, [x], tmp_path, opset=opset)
        graph = lw.trace(f, lw.spec((None, 3, 8, 8)))
        found = model_run(graph, [five], tmp_path)[0]
        np.testing.assert_allclose(found, np.asarray(f(five)), rtol=2e-5, atol=2e-6)


def test_several_dynamic_extents(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        t = x.shape[1]
        return (
            lw.nn.scaled_dot_product_attention(x, x, x, is_causal=True), lw.sum(x) / t, lw.var(x), lw.arange(t) * 2,
            lw.concat([x, x], axis=1), lw.reshape(x, (-1,)), lw.zeros(x.shape) + x, lw.pad(x, 1),
            lw.scan(lambda c, u: (c + u, c), x[0], x),
        )  # fmt: skip

    def fitting(x: Any) -> Any:  # operators that are the same for all extents, though the calls have others
        t = x.shape[1]
        return x[:, :5], lw.roll(x, 3, axis=1), lw.roll(x, 11), lw.eye(t, 8, k=1) + x, lw.cumulative_prod(x, axis=1)

    with lw.using(backend="numpy"):
        x, other = lw.asarray(IMAGES[:, 0]), lw.asarray(_RNG.normal(size=(1, 11, 8)).astype("float32"))
        agrees(f, [x], tmp_path, others=[other], dynamic={"x": {0: "n", 1: "t"}})
        agrees(fitting, [x], tmp_path, others=[other], dynamic={"x": {0: "n", 1: "t"}})
        norm = lambda x: lw.nn.batch_norm(x, None, None, training=True)  # noqa: E731
        agrees(norm, [x], tmp_path, others=[other[:, :8]], dynamic={"x": {0: "n"}})
        graph = lw.trace(lambda x: lw.ones((x.shape[0] // 2, 8)) * x[0, 0], x)
        with pytest.raises(GraphFileError, match="depends on n in a way that a model cannot"):
            graph.to_onnx(tmp_path / "g.onnx", dynamic={"x": {0: "n"}})
        with pytest.raises(ValueError, match="dynamic names 'y', which is no input; they are x"):
            graph.to_onnx(tmp_path / "g.onnx", dynamic={"y": [0]})
        with pytest.raises(ValueError, match="x has 3 axes; dynamic names the axis 3"):
            graph.to_onnx(tmp_path / "g.onnx", dynamic={"x": [3]})
        with pytest.raises(ValueError, match="opset is an int from 18 to"):
            graph.to_onnx(tmp_path / "g.onnx", opset=12)


def test_operators_of_layers(backend: str, tmp_path: Path) -> None:
    """A layer that the framework lacks is the operator that ONNX has, and not the calls of its definition."""
    import onnx

    if backend not in ("numpy", "torch", "jax"):
        pytest.skip("what is called does not depend on the framework; one that compiles has a few programs")
    w, b = lw.asarray(WEIGHT), lw.asarray(BIAS[:3])
    f = lambda x: lw.nn.conv_transpose2d(x, w, b, stride=2, padding=((0, 1), 1), dilation=2)  # noqa: E731
    x = lw.asarray(_RNG.normal(size=(2, 4, 5, 6)).astype("float32"))
    for options in ({}, {"dynamic": {"x": {0: "n"}}}):
        agrees(f, [x], tmp_path, **options)
        graph = onnx.load(tmp_path / "graph.onnx").graph
        assert [n.op_type for n in graph.node] == ["ConvTranspose", "Identity"]
        assert {"w", "b"} <= {i.name for i in graph.initializer}


def test_names_of_initializers(tmp_path: Path) -> None:
    import onnx

    class Model:
        def __init__(self) -> None:
            self.weight, self.layers = one * 2, [{"b": one * 3}]

        def __call__(self, x: Any) -> Any:
            return x * self.weight + self.layers[0]["b"]

    with lw.using(backend="numpy"):
        one = lw.ones(2)
        model, plain = Model(), np.full(2, 4, "float32")

        def f(x: Any, scale: Any = one * 5) -> Any:
            return model(x) * one + scale + plain

        def names(f: Any, **options: Any) -> set[str]:
            path = lw.trace(f, lw.spec((None, 2))).to_onnx(tmp_path / "g.onnx", **options)
            return {i.name for i in onnx.load(path).graph.initializer}

        assert names(f) == {"model.weight", "model.layers.0.b", "one", "scale", "plain"}
        assert names(model) == {"weight", "layers.0.b"}
        assert names(model.__call__) == {"self.weight", "self.layers.0.b"}
        assert names(partial(lambda w, x: x * w, one)) == {"w"}
        assert names(lambda x: x * one, inputs=["one"]) == {"one_2"}


@pytest.mark.filterwarnings("ignore:invalid value|divide by zero|overflow")
def test_special_values(backend: str, tmp_path: Path) -> None:
    if backend not in ("numpy", "torch"):
        pytest.skip("what is called does not depend on the framework")
    values = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-40, 3e38, -2.5, 1e-30], "float32")
    a, b = (x.ravel() for x in np.meshgrid(values, values))
    for f, numpys in (
        (lw.atan2, np.arctan2), (lw.hypot, np.hypot), (lw.copysign, np.copysign), (lw.fmod, np.fmod),
        (lw.floor_divide, np.floor_divide),
    ):  # fmt: skip
        graph = lw.trace(lambda x, y, f=f: f(x, y), lw.asarray(a), lw.asarray(b))
        (found,) = model_run(graph, [a, b], tmp_path)
        wanted = numpys(a, b)
        np.testing.assert_allclose(found, wanted, rtol=5e-7, err_msg=f.__name__)
        number = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(wanted)[number], err_msg=f.__name__)


def test_arrays_that_are_held_are_results(backend: str, tmp_path: Path) -> None:
    import onnx

    with lw.using(backend=backend):
        table, x = lw.asarray([[1.0, 2.0], [3.0, 4.0]]), lw.ones(2)
    for f in (lambda x: (x, table), lambda x: {"b": table, "a": x + table, "c": table}, lambda x: table):
        graph = lw.trace(f, x)
        wanted = [lw.to_numpy(y) for y in flatten(f(x))[0]]
        same(model_run(graph, [np.ones(2, "float32")], tmp_path), wanted)
        assert "table" in {i.name for i in onnx.load(tmp_path / "graph.onnx").graph.initializer}
        if backend == "dask":  # no source
            continue
        names: dict[str, Any] = {}
        exec(graph.source, names)
        found = names[graph.name](x.data)
        same(found if isinstance(found, tuple) else [found], wanted)
        assert flatten(graph(x))[0][-1] is table
    with lw.using(backend=backend):
        graph = lw.trace(lambda x: (x, table), x)
        table = lw.zeros((2, 2))
    with pytest.raises(TraceError, match="table, which the function holds, was an array of .*, and is another "):
        graph(x)


def test_a_model_that_is_read_is_written_again(tmp_path: Path) -> None:
    import onnx

    weights = {"in.proj": lw.ones((4, 4)), "out.proj": lw.eye(4) * 2}

    def attention(x: Any, w: Any = weights) -> Any:
        t, y = x.shape[1], x @ w["in.proj"]
        scores = y @ lw.matrix_transpose(y) + lw.arange(t) * 0.5
        scores = lw.where(lw.tril(lw.ones((t, t), dtype="bool")), scores, -lw.inf)
        return lw.pad(lw.nn.softmax(scores) @ y, ((0, 0), (1, 0), (0, 0))) @ w["out.proj"]

    dynamic = {"x": {0: "n", 1: "t"}}
    first = lw.from_onnx(lw.trace(attention, lw.ones((2, 3, 4))).to_onnx(tmp_path / "a.onnx", dynamic=dynamic))
    graph = lw.trace(first, lw.ones((2, 3, 4)))
    x = _RNG.normal(size=(3, 5, 4)).astype("float32")
    same(model_run(graph, [x], tmp_path, dynamic=dynamic), [attention(lw.asarray(x))])
    names = {i.name for i in onnx.load(tmp_path / "graph.onnx").graph.initializer}
    assert {"w.in.proj", "w.out.proj"} <= {*first.params} & names
    graph = lw.trace(lambda x: first(x) + 1, lw.ones((2, 3, 4)))
    graph.to_onnx(tmp_path / "b.onnx", dynamic=dynamic)
    assert "first.w.in.proj" in {i.name for i in onnx.load(tmp_path / "b.onnx").graph.initializer}


def test_dtypes_are_those_of_the_trace(tmp_path: Path) -> None:
    """On JAX a model is transpiled with all dtypes, whatever the switch says, also for several extents."""
    pytest.importorskip("jax")
    import jax
    import onnx

    import latticework.frontends.torch as torch
    from latticework.frontends.torch import nn

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(3)  # counts batches in int64

        def forward(self, x: Any) -> Any:
            return self.norm(x), x.argmax(1)

    with jax.enable_x64(False):
        graph = lw.transpile(Model().eval(), torch.ones(2, 3), to="jax")
        for options in ({}, {"dynamic": {"x": {0: "n"}}}):
            model = onnx.load(graph.to_onnx(tmp_path / "m.onnx", **options))
            assert [o.type.tensor_type.elem_type for o in model.graph.output] == [
                onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
            ]  # fmt: skip


def test_a_module_of_the_dialect(backend: str, tmp_path: Path) -> None:
    import onnx

    import latticework.frontends.torch as torch
    from latticework.frontends.torch import nn

    if backend == "dask":
        pytest.skip("no source of a model is written for Dask")
    model = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10)
    ).eval()
    graph = lw.transpile(model, torch.from_numpy(IMAGES), to=backend)
    x = _RNG.normal(size=(5, 3, 8, 8)).astype("float32")
    found = model_run(graph, [x], tmp_path, dynamic={graph.parameters[-1]: {0: "n"}})[0]
    np.testing.assert_allclose(found, model(torch.from_numpy(x)).detach().numpy(), rtol=2e-5, atol=2e-6)
    names = [x.name for x in onnx.load(tmp_path / "graph.onnx").graph.initializer]
    assert {"0.weight", "0.bias", "5.weight"} <= {*names}
    model.train()
    program = torch.onnx.export(
        model, (torch.from_numpy(IMAGES),), tmp_path / "m.onnx", input_names=["image"], output_names=["scores"],
        dynamic_shapes={"input": {0: "n"}},
    )  # fmt: skip
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    assert [(i.name, i.shape) for i in session.get_inputs()] == [("image", ["n", 3, 8, 8])]
    assert model.training and not torch.onnx.is_in_onnx_export()
    same(session.run(["scores"], {"image": x}), [found])
    same([program(torch.from_numpy(x))[0].numpy()], [found])
    if backend == "numpy":
        cells = nn.LSTM(8, 4, batch_first=True).eval()
        graph = lw.transpile(cells, torch.from_numpy(IMAGES[:, 0]), to=backend)
        found = model_run(graph, [x[:, 0]], tmp_path, dynamic={graph.parameters[-1]: {0: "n"}})[0]
        wanted = cells(torch.from_numpy(x[:, 0]))[0].detach().numpy()
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


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

    refused(lambda x: lw.nextafter(x, x), "to_onnx: nextafter .* has no operator in ONNX")
    refused(lambda x: lw.nextafter(x, x), r"\(.*test_onnx.py:\d+\): .*lw.nextafter\(x, x\).*has no operator in ONNX")
    refused(lambda x: lw.bincount(lw.astype(x, lw.int32)), "has as many elements as its values say.*; give length=")
    refused(lambda x: lw.sqrt(x * 1j), r"sqrt \(.*is of complex64, for which ONNX has no operators: fft, arithmetic")
    refused(lambda x: lw.linalg.inv(x * lw.eye(2)), r"linalg.inv \(.*test_onnx.py:\d+\).*has no operator in ONNX")
    product = r"does not take this program.*matmul \(.*test_onnx.py:\d+\).*int8"
    refused(lambda x: x @ x, product, lw.ones((2, 2), dtype="int8"))
    refused(lambda x: lw.linalg.logdet(x * lw.eye(2)), r"linalg.slogdet .*\(linalg.logdet calls it\)")
    refused(lambda x: 1, "returns no array, and a model has at least one output")
    assert not path.exists()
    graph = lw.trace(lambda x: lw.conj(x) * 2, lw.asarray([1 + 2j]))  # a pair of numbers for each
    same(model_run(graph, [reals(np.array([1 + 2j], dtype="complex64"))], tmp_path), [np.array([2 - 4j], "complex64")])


def test_options_of_the_dialects_export(tmp_path: Path) -> None:
    import latticework.frontends.torch as torch

    model, x = torch.nn.Linear(3, 2), torch.ones(1, 3)
    program = torch.onnx.export(model, x, dynamic_axes={"input": [0]}, verify=True, opset_version=18)
    (shape,) = [i.type.tensor_type.shape.dim for i in program.model_proto.graph.input]
    assert [d.dim_param or d.dim_value for d in shape] == ["input_0", 3]
    assert torch.onnx.export(model, (x,), tmp_path / "m.onnx", dynamo=False) is None
    for match, options in (
        ("no keep_initializers_as_inputs=True", {"keep_initializers_as_inputs": True}),
        ("a model in training", {"training": torch.onnx.TrainingMode.TRAINING}),
    ):
        with pytest.raises(NotImplementedError, match=match):
            torch.onnx.export(model, x, **options)
    for match, options in (
        ("dynamic_axes names 'y', which is no input; they are input", {"dynamic_axes": {"y": [0]}}),
        ("inputs are up to 1 names", {"input_names": ["a", "b"]}),
        ("another array named 'weight'", {"input_names": ["weight"]}),
    ):
        with pytest.raises(ValueError, match=match):
            torch.onnx.export(model, x, **options)


def test_writes_are_refused(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        x[0] = 1
        return x * 2

    with pytest.raises(GraphFileError, match="writes into"):
        lw.trace(f, lw.asarray([1.0, 2.0], backend="numpy")).to_onnx(tmp_path / "g.onnx")

    held = lw.asarray([0.0, 0.0], backend="numpy")

    def g(x: Any) -> Any:
        held[0] = x[0]
        return held * 1

    with pytest.raises(GraphFileError, match="writes into an array that the program holds"):
        lw.trace(g, lw.asarray([1.0, 2.0], backend="numpy")).to_onnx(tmp_path / "g.onnx")
