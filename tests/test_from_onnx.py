"""Models of ONNX as functions: the cases of the package onnx, parameters, traces, and what is refused as it is read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed: latticework[onnx]")

import latticework as lw
from latticework.errors import GraphFileError

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

#: Modules of onnx's node cases that are made quickly. `make onnx-cases` runs all of them.
MODULES = """
    conv convtranspose einsum gathernd gemm gru layernormalization loop lstm nonmaxsuppression pad
    quantizelinear reducesum resize scan scatternd slice split topk unique
""".split()


def parsed(text: str, opset: int = 20) -> Any:
    from onnx import parser

    return parser.parse_model(f'<ir_version: 9, opset_import: ["": {opset}]>\n{text}')


def test_a_share_of_the_cases_of_onnx(backend: str) -> None:
    import onnx_cases

    share = {"numpy": 1, "torch": 4}.get(backend, 32)
    found = [*onnx_cases.outcomes(onnx_cases.cases(MODULES), backend, share)]
    wrong = [f"{o.name}: {o.why}" for o in found if o.kind == "failed" or "does not read this operator" in o.why]
    assert not wrong
    assert len(found) * share > 150


def test_halves_are_quantised_as_ieee_divides(backend: str) -> None:
    import onnx_cases

    loaded = onnx_cases.cases(["dynamicquantizelinear"])  # with those that other tests have loaded
    found = [*onnx_cases.outcomes([c for c in loaded if "dynamicquantizelinear" in c.name], backend, 1)]
    assert [(o.name, o.why) for o in found if o.kind == "failed"] == []
    assert any(o.kind == "passed" for o in found)


CLASSIFIER = """
classifier (float[n, 4] x) => (float[n, 2] y)
<float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}, int64[2] shape = {-1, 2}, float[2] scales = {1, 1}>
{
    p = Add(w, w)
    h = MatMul(x, p)
    s = Resize <mode: string = "linear"> (h, , scales)
    y = Reshape(s, shape)
}
"""


def test_parameters_take_gradients(backend: str) -> None:
    f = lw.from_onnx(parsed(CLASSIFIER).SerializeToString())
    assert [*f.params] == ["w"]  # the scales and the shape are settings
    assert (f.opset, f.outputs, str(f.inputs["x"])) == (20, ("y",), "float32[?, 4]")
    x = lw.asarray(np.arange(12, dtype="float32").reshape(3, 4))
    w = np.arange(1, 9, dtype="float32").reshape(4, 2)
    np.testing.assert_allclose(np.asarray(f(x)), np.asarray(x) @ (2 * w))
    np.testing.assert_allclose(np.asarray(f(x=x, params={"w": lw.ones((4, 2))})), np.asarray(x) @ np.full((4, 2), 2))
    slope = lw.grad(lambda params: lw.sum(f(x, params=params)))(f.params)["w"]
    np.testing.assert_allclose(np.asarray(slope), 2 * np.asarray(x).sum(0)[:, None] * np.ones((4, 2)))
    graph = lw.trace(f, x)
    np.testing.assert_allclose(np.asarray(graph(x)), np.asarray(f(x)))
    np.testing.assert_allclose(np.asarray(lw.jit(f)(x)), np.asarray(f(x)))


LOOPS = """
loops (float[n] x, int64 count, bool start) => (float[n] y, float[n] z)
{
    zero = Constant <value_float: float = 0.0> ()
    least = ReduceMin <keepdims: int = 0> (x)
    positive = Greater(least, zero)
    z = If (positive) <
        then_branch: graph = a () => (float[n] u) { u = Sqrt(x) },
        else_branch: graph = b () => (float[n] v) { v = Neg(x) }
    >
    y = Loop (count, start, x) <
        body: graph = step (int64 i, bool go, float[n] s) => (bool more, float[n] t) {
            most = Constant <value_float: float = 100.0> ()
            t = Add(s, s)
            sum = ReduceSum <keepdims: int = 0> (t)
            more = Less(sum, most)
        }
    >
}
"""


def test_branches_and_loops_in_a_trace(backend: str) -> None:
    f = lw.from_onnx(parsed(LOOPS))
    arguments = lw.asarray([1.0, 4.0]), lw.asarray(9, dtype=lw.int64), lw.asarray(True)
    graph = lw.trace(f, *arguments)
    for x, count, y, z in (([1, 4], 9, [32, 128], [1, 2]), ([-1, 4], 3, [-8, 32], [1, -4])):
        given = lw.asarray(x, dtype=lw.float32), lw.asarray(count, dtype=lw.int64), lw.asarray(True)
        for run in (f, graph):
            found = run(*given)
            np.testing.assert_allclose(np.asarray(found[0]), y)
            np.testing.assert_allclose(np.asarray(found[1]), z)
    slope = lw.grad(lambda x: lw.sum(f(x, *arguments[1:])[0]))(arguments[0])
    np.testing.assert_allclose(np.asarray(slope), [32, 32])


def test_functions_of_a_model_and_of_the_user(tmp_path: Path) -> None:
    model = onnx.parser.parse_model("""
        <ir_version: 9, opset_import: ["": 20, "mine": 1, "theirs": 2]>
        net (float[n] x) => (float[n] y) { h = mine.scaled <by: float = 3.0> (x)  y = theirs.Shift <k: int = 2> (h) }
        <opset_import: ["": 20], domain: "mine">
        scaled <by> (a) => (b) { f = Constant <value_float: float = @by> ()  b = Mul(a, f) }
    """)
    with pytest.raises(GraphFileError, match=r"theirs::Shift \(node 'y', opset 2\).*operators={'theirs::Shift': f}"):
        lw.from_onnx(model)
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    f = lw.from_onnx(path, operators={"theirs::Shift": lambda x, *, k: x + k})
    np.testing.assert_array_equal(np.asarray(f(lw.asarray([1.0, 2.0]))), [5, 8])


def test_arrays_beside_the_file(tmp_path: Path) -> None:
    model = parsed("net (float[2] x) => (float[2] y) { y = Mul(x, w) }")
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([3, 5], dtype=np.float32), "w"))
    onnx.save_model(model, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    assert np.asarray(lw.from_onnx(tmp_path / "m.onnx")([1.0, 2.0])).tolist() == [3, 10]
    (tmp_path / "w.bin").unlink()
    with pytest.raises(GraphFileError, match="initialiser 'w' is damaged, or its file is not there"):
        lw.from_onnx(tmp_path / "m.onnx")


def test_what_is_not_read_is_refused() -> None:
    def refused(match: str, model: Any, kind: type[Exception] = GraphFileError) -> None:
        with pytest.raises(kind, match=match):
            lw.from_onnx(model)

    refused(r"Bernoulli \(node 'y', opset 20\): latticework does not read this operator", parsed(
        "g (float[2] x) => (float[2] y) { y = Bernoulli(x) }"))  # fmt: skip
    refused("opset 6; latticework reads 7 and later", parsed("g (float[2] x) => (float[2] y) { y = Abs(x) }", 6))
    refused("input 'x' is of STRING", parsed("g (string[2] x) => (string[2] y) { y = Identity(x) }"))
    refused("no model of ONNX, or is damaged", b"something else")
    refused("takes a path, bytes or a ModelProto", 3, TypeError)


def test_inputs_are_checked() -> None:
    f = lw.from_onnx(parsed("g (float[n, 2] x, float[n] y) => (float[n, 2] z) { h = Unsqueeze<axes: ints = [1]>(y) "
                            "z = Mul(x, h) }", 12))  # fmt: skip
    assert f([[1, 2]], [3]).tolist() == [[3, 6]]
    x, y = lw.ones((3, 2)), lw.ones(3)
    for args, named, match in (
        ((x,), {}, "the input 'y' is missing"), ((x, y), {"y": y}, "'y' is given twice"),
        ((x, y), {"w": y}, "'w' is no input; they are x, y"), ((x, y, y), {}, "takes 2 inputs"),
        ((lw.ones((3, 2), dtype="float64"), y), {}, "is of float32 in the model; got float64. Cast it"),
        ((x, y), {"params": {"w": y}}, "no parameter is named 'w'"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=match):
            f(*args, **named)
    for args, match in (((y, y), "is of shape"), ((x, lw.ones(4)), "the extents named n differ: 3 and 4")):
        with pytest.raises(ValueError, match=match):
            f(*args)


@pytest.mark.filterwarnings("ignore")
def test_models_that_pytorch_exports(tmp_path: Path) -> None:
    """Of the exporter that needs no more packages: the other one writes the same operators."""
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Repeated(nn.Module):
        def forward(self, x):
            for _ in range(x.size(0)):
                x = x * 2 if bool(x.sum() < 100) else x - 1
            return x

    image, rows = torch.randn(2, 3, 12, 12), torch.randn(3, 5, 4)
    models = {
        "images": (
            nn.Sequential(
                nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU6(), nn.Upsample(scale_factor=2),
                nn.ConvTranspose2d(8, 4, 3, stride=2), nn.GroupNorm(2, 4), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                nn.Linear(4, 5), nn.LogSoftmax(1),
            ), image),
        "sequences": (nn.LSTM(4, 6, 2, bidirectional=True, batch_first=True), rows),
        "attention": (nn.MultiheadAttention(4, 2, batch_first=True), rows, rows, rows),
        "a loop": (torch.jit.script(Repeated()), torch.rand(3, 4)),
    }  # fmt: skip
    for name, (model, *arguments) in models.items():
        model.eval()
        torch.onnx.export(model, tuple(arguments), tmp_path / "m.onnx", dynamo=False, opset_version=17)
        f = lw.from_onnx(tmp_path / "m.onnx")
        found, wanted = f(*[x.numpy() for x in arguments]), model(*arguments)
        found, wanted = (y if isinstance(y, tuple) else (y,) for y in (found, wanted))
        np.testing.assert_allclose(np.asarray(found[0]), wanted[0].detach().numpy(), rtol=1e-4, atol=1e-5, err_msg=name)
