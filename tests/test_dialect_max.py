"""MAX's dialect beside what MAX itself answered (`tools/record_max.py`), on every backend."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples_max import DTYPES, PAIRS, SINGLE

import latticework as lw
from latticework.frontends.max import (
    DeviceRef,
    DType,
    Graph,
    InferenceSession,
    TensorType,
    implicit_cast,
    implicit_cast_type,
    ops,
    promote_types_max,
    promote_types_of_max_inputs,
)
from latticework.promotion import RULES

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "expected" / "max_graph.json").read_text())
CPU = DeviceRef.CPU()
SHAPES = {"x": (2, 3), "y": (2, 3), "u": (3,), "m": (3, 3)}
VALUES = {
    "x": [[1, 2, 0], [3, 4, 5]], "y": [[1, 1, 2], [2, 4, 3]], "u": [1, 2, 3], "m": [[1, 0, 2], [0, 1, 1], [1, 1, 0]],
}  # fmt: skip
#: An expression -> the dtypes (all: "") on which the dialect differs, and why.
DIFFERS: dict[str, tuple[str, str]] = {}


def graph_of(expressions: list[str], dtype: str, other: str) -> tuple[Graph, dict[str, Any]]:
    """The graph of some expressions, and the values of each, or the class of its error."""
    types = [TensorType(DType[other if n == "y" else dtype], shape, CPU) for n, shape in SHAPES.items()]
    found: dict[str, Any] = {}
    with Graph("samples", input_types=types) as graph:
        names = dict(zip(SHAPES, graph.inputs, strict=True))
        for text in expressions:
            try:
                result = eval(text, {"ops": ops, "DType": DType, "np": np, "CPU": CPU, **names})
            except (TypeError, ValueError, RuntimeError) as error:
                found[text] = type(error).__name__
                continue
            found[text] = result if isinstance(result, list) else [result]
    return graph, found


def differs(text: str, dtype: str) -> bool:
    reason, dtypes = DIFFERS.get(text, ("", ""))
    return bool(reason) and (not dtypes or dtype in dtypes.split())


def wrong_types(expressions: list[str], dtype: str, other: str, key: str) -> list[str]:
    """What has another dtype, shape or class of error than in MAX."""
    _, found = graph_of(expressions, dtype, other)
    wrong = []
    for text in expressions:
        expected, results = RECORDED[key][text], found[text]
        ours = results if isinstance(results, str) else [[r.dtype.value, [int(d) for d in r.shape]] for r in results]
        theirs = expected if isinstance(expected, str) else [e[:2] for e in expected]
        if (ours != theirs) != differs(text, dtype):
            wrong.append(f"{text} on {key}: {ours} for {theirs}")
    return wrong


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_shapes_and_refusals_are_max_s(dtype: str, cell_counts: dict[str, int]) -> None:
    wrong = wrong_types(SINGLE, dtype, dtype, dtype)
    for other in DTYPES:
        wrong += wrong_types(PAIRS, dtype, other, f"{dtype} {other}")
    cell_counts["the max dialect"] = cell_counts.get("the max dialect", 0) + len(SINGLE) + len(PAIRS) * len(DTYPES)
    assert not wrong, "\n".join(wrong)


def test_values_are_max_s(backend: str) -> None:
    dtype = "float32"
    for expressions, key in ((SINGLE, dtype), (PAIRS, f"{dtype} {dtype}")):
        graph, found = graph_of(expressions, dtype, dtype)
        given = {t: r for t, r in found.items() if not isinstance(r, str) and not isinstance(RECORDED[key][t], str)}
        graph.output(*[x for results in given.values() for x in results])
        arrays = [np.array(VALUES[n], dtype) for n in SHAPES]
        computed = iter(InferenceSession().load(graph).execute(*arrays))
        compared = 0
        for text, results in given.items():
            for expected in RECORDED[key][text][: len(results)]:
                value = next(computed).to_numpy()
                if expected[2] is not None and not differs(text, dtype):
                    compared += 1
                    assert np.allclose(value.astype("float64"), expected[2], rtol=1e-5, atol=1e-6, equal_nan=True), text
        assert compared > 5


def test_the_program_of_the_documentation() -> None:
    g = Graph()
    x = g.scalar[DType.int16](1)
    y = g.scalar[DType.float32](1.0)
    g.output(x + y)
    assert g.output_types[0].dtype is DType.float32
    assert g().item() == 2
    g = Graph(rules="max-2024")
    b16, f16 = g.scalar[DType.bfloat16](2.0), g.scalar[DType.float16](3.0)
    assert (b16**f16).dtype is DType.bfloat16
    assert (b16.cast(DType.float16) ** f16).dtype is DType.float16
    lhs, rhs = implicit_cast(b16, f16)
    assert (lhs.dtype, rhs.dtype) == (DType.bfloat16, DType.bfloat16)


def test_the_table_of_2024_holds_through_the_graph() -> None:
    rules = RULES["max-2024"]
    names = [d for d in DType if d.ours in rules.dtypes]
    assert len(names) == 16
    for a in names:
        for b in names:
            expected = rules.promote((a.ours, b.ours)).name
            g = Graph(rules="max-2024")
            lhs, rhs = g.scalar[a](1), g.scalar[b](1)
            if (a, b) != (DType.bool, DType.bool):  # latticework adds no bools
                assert (lhs + rhs).dtype.value == expected
            assert implicit_cast_type(a, b).value == expected


def test_promotion_functions() -> None:
    assert promote_types_max(DType.int8, DType.float32) is DType.float32
    with pytest.raises(ValueError, match="int8"):
        promote_types_max(DType.int8, DType.uint8)
    g = Graph()
    x = g.scalar[DType.int16](1)
    assert [v.dtype for v in promote_types_of_max_inputs(x, 3)] == [DType.int16, DType.int16]
    assert [v.dtype for v in promote_types_of_max_inputs(2, x)] == [DType.int16, DType.int16]
    with pytest.raises(TypeError, match="value of a graph"):
        promote_types_of_max_inputs(1, 2)


def test_errors_say_what_is_wrong() -> None:
    g, other = Graph("g"), Graph("h")
    x, y = g.scalar[DType.int16](1), other.scalar[DType.int16](1)
    with pytest.raises(ValueError, match="two graphs"):
        x + y
    with pytest.raises(ValueError, match="no output"):
        g()
    with pytest.raises(TypeError, match="this graph"):
        g.output(y)
    with Graph("k", input_types=[TensorType(DType.float32, ("n", 2))]) as k:
        k.output(ops.exp(k.inputs[0]))
    with pytest.raises(ValueError, match="float32"):
        k(lw.zeros((3, 2), dtype=lw.float64))
    with pytest.raises(ValueError, match="shape"):
        k(lw.zeros((3, 3)))
    assert k(lw.zeros((3, 2))).shape == (3, 2)
    g = Graph(rules="max-2024")
    g.output(g.scalar[DType.index](1) + g.scalar[DType.uint8](1))
    with pytest.raises(ValueError, match="rules alone"):
        g()


def test_a_graph_is_transpiled() -> None:
    with Graph("layer", input_types=[TensorType(DType.float32, ("n", 3)), TensorType(DType.float32, (3, 2))]) as g:
        x, w = g.inputs
        g.output(ops.relu(x @ w) + 1)
    given = np.ones((4, 3), "float32"), np.ones((3, 2), "float32")
    graph = lw.transpile(g, *given, to="numpy")
    assert np.array_equal(graph.function(*given), np.full((4, 2), 4, "float32"))
    assert "latticework" not in graph.source.replace("# ", "")


PROGRAMS = Path(__file__).parents[1] / "examples" / "dialects"
#: What each program gave in MAX 26.7 itself, with ``max`` in the place of ``latticework.frontends.max``.
IN_MAX: dict[str, Any] = json.loads((Path(__file__).parent / "expected" / "max_programs.json").read_text())


@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("max_*.py")))
def test_a_program_gives_what_it_gave_in_max(backend: str, name: str) -> None:
    names: dict[str, Any] = {"__name__": name}
    exec(compile((PROGRAMS / f"{name}.py").read_text(), f"{name}.py", "exec"), names)
    found = names["main"]()
    assert found.keys() == IN_MAX[name].keys()
    for key, expected in IN_MAX[name].items():
        assert np.allclose(found[key], expected, rtol=1e-4, atol=1e-5), key
