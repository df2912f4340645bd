"""What a graph is printed as, and what is counted in it."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import EXHAUSTIVE, in_turn
from test_graph_files import sampled_call

import latticework as lw
from latticework.core.trees import flatten
from latticework.support import samples
from latticework.tracing.writing.blocked import LARGE


def standardized(x: Any, n: Any) -> Any:
    mean = lw.mean(x, axis=0)
    y = (x - mean) * n
    return lw.astype(y, lw.float64), lw.top_k(mean, 1)


def test_the_table() -> None:
    with lw.using(backend="numpy"):
        graph = lw.trace(standardized, lw.ones((4, 3)), lw.arange(3))
    text = str(graph)
    assert text.splitlines()[0] == "standardized on numpy"
    rows = [line.split() for line in text.splitlines()]
    first = standardized.__code__.co_firstlineno
    assert ["argument", "x", "float32[4,", "3]", "48"] in rows
    at = f"test_graph_report.py:{first + 1}:"
    row = next(r for r in rows if r[:1] == ["mean"])
    assert at in row and "float32[3]" in row and "12" in row and row[row.index(at) + 1 :][:2] == ["mean", "="]
    cast = next(r for r in rows if r[:2] == ["multiply", "cast(n)"])
    assert "float32[3]" in cast
    assert any(r[0] == "astype" and "float64[4," in r and "96" in r for r in rows if r)
    assert re.search(r"casts inserted +1\n", text) and re.search(r"casts of the program's own +1\n", text)
    assert f"native calls {len([*graph.block.all_nodes()])}" in re.sub(" +", " ", text)
    assert text.splitlines()[-1].startswith("returns %")
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_counts() -> None:
    with lw.using(backend="numpy"):
        counted()


def counted() -> None:
    held = lw.asarray([1.0, 2.0, 3.0])
    graph = lw.trace(lambda x, n: lw.exp(x) * n + held, lw.asarray([0.0, 1.0, 2.0]), lw.asarray([1, 2, 3]))
    found = graph.counts
    # the result of exp and the cast of n are needed until they are multiplied, into the memory of the first
    assert (found.calls, found.operations, found.inserted, found.own) == (4, 3, 1, 0)
    assert (found.peak, found.arguments, found.constants) == (24, 24, 12)
    whole = lw.asarray([1, 2, 3], dtype="int8")
    graph = lw.trace(lambda x, n: lw.cond(n > 0, lambda: lw.astype(x, "int8"), lambda: whole), held, lw.asarray(1))
    assert (graph.counts.own, graph.counts.inserted) == (1, 0)
    assert "block 0" in str(graph) and "switch" in str(graph)
    assert lw.trace(lambda x: x, held).counts[:5] == (0, 0, 0, 0, 0)


def test_every_backend_prints_its_graphs(backend: str) -> None:
    graph = lw.trace(standardized, lw.ones((4, 3)), lw.arange(3))
    text = str(graph)
    assert f"standardized on {backend}\n" in text
    assert re.search(rf"native calls +{len([*graph.block.all_nodes()])}\n", text)
    assert re.search(r"bytes of the arguments +60\n", text) and graph.counts.own == 1


def results(graph: Any) -> list[Any]:
    """What a graph returns: a `Spec` for each array, anything else as it is."""
    following = iter(graph.block.outputs)
    found = []
    for out in graph.outputs:
        if out.argument is not None:
            argument = graph.arguments[out.argument]
            found.append(lw.Spec(argument.shape, argument.sig.dtype, argument.sig.weak))
        elif out.sig is not None:
            found.append(lw.Spec(next(following).shape, out.sig.dtype, out.sig.weak))
        else:
            x = out.static
            found.append(lw.Spec(x.shape, x.dtype, x.weak) if isinstance(x, lw.Array) else x)
    return found


def test_what_is_inferred_is_what_the_graph_gives(backend: str) -> None:
    """`infer` answers without data: the dtypes, weakness and shapes of the results are those of the graph."""
    names = [name for name in samples.names() if samples.declaration(name)]
    found = 0
    for name in in_turn(names, 4 if backend == "numpy" else 13, "graphs", backend):
        for rules in ("unified", "jax"):
            with lw.using(rules=rules):
                made = sampled_call(name)
                if made is None:
                    continue
                graph, arrays, f = made
                inferred = flatten(lw.infer(f, *arrays, backend=backend), lambda x: isinstance(x, lw.Spec))[0]
            given = results(graph)
            assert len(inferred) == len(given), name
            for spec, result in zip(inferred, given, strict=True):
                if not isinstance(result, lw.Spec):
                    assert spec == result, name
                    continue
                assert (spec.dtype, spec.weak) == (result.dtype, result.weak), (name, rules)
                assert len(spec.shape) == len(result.shape), (name, rules)
                for inferred_extent, extent in zip(spec.shape, result.shape, strict=True):
                    assert inferred_extent in (None, extent), (name, rules)
                found += 1
    assert found > (900 if EXHAUSTIVE else 220 if backend == "numpy" else 30)


PROGRAMS = {
    "chain": lambda x, y: lw.sqrt(lw.exp(lw.sin(x))),
    "kept": lambda x, y: [a := lw.exp(x), lw.sin(a), lw.cos(a)][1:],
    "views": lambda x, y: lw.sum(lw.reshape(lw.exp(x), (2, -1)), axis=0) * lw.tanh(x)[: x.shape[0] // 2],
    "casts": lambda x, y: lw.astype(lw.exp(lw.astype(x, "float32")), "float64"),
    "unused": lambda x, y: [lw.exp(x), lw.sin(y)][0],
    "long": lambda x, y: lw.exp(lw.sin(x) * lw.cos(y) + lw.tanh(x) * lw.sqrt(y)) - x,
    "two": lambda x, y: lw.atan2(lw.exp(x), lw.sin(y)),
    "chosen": lambda x, y: lw.where(x > 0.3, lw.exp(x), lw.sin(y)),
    "chosen of few bytes": lambda x, y: lw.where(x > 0.3, lw.astype(x, "float16"), lw.astype(y, "float16")),
}


@pytest.mark.parametrize("n", [LARGE // 2, 4 * LARGE])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_peak_is_what_numpy_allocates(name: str, n: int) -> None:
    """Measured with tracemalloc, which NumPy tells of its memory. Large arrays are computed in blocks."""
    with lw.using(backend="numpy"):
        x, y = (lw.asarray(np.linspace(0, 1, n)) for _ in range(2))
        graph = lw.trace(PROGRAMS[name], x, y)
    run, data = graph.function, (x._data, y._data)
    run(*data)
    tracemalloc.start()
    try:
        run(*data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert abs(graph.counts.peak - peak) < 0.02 * peak + 10_000, (graph.counts.peak, peak)


def drawn(x: Any, n: Any) -> Any:
    y = lw.cond(lw.sum(x) > 0, lambda: lw.exp(x), lambda: -x) * n
    y[0] = 0.5
    return lw.std(y, axis=0), y + lw.asarray([0.5, 1.5, 2.5], backend=x.backend.removeprefix("traced:"))


def test_drawings(backend: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    from latticework.tracing import drawing

    graph = lw.trace(drawn, lw.ones((4, 3)), lw.arange(3))
    network, boxes = drawing.flow(graph)
    titles = [box.title for box in boxes]
    assert [box.about for box in boxes if not box.call][:2] == ["float32[4, 3]", "int32[3]"]
    assert len([box for box in boxes if box.call]) == len(graph.nodes)
    assert sum(box.returned for box in boxes) >= 2 and titles[:2] == ["x", "n"]
    switch = next(i for i, title in enumerate(titles) if title.startswith("switch of"))
    assert (0, switch) in network.edges  # the branches read x
    text = graph.draw(tmp_path / "g.svg").read_text()
    assert text == graph.draw(tmp_path / "again.svg").read_text()
    for word in ("drawn", "float32[4, 3]", "int32[3]", titles[switch], f"{backend}: {graph.counts.calls} native calls"):
        assert word in text, word
    if backend == "numpy":  # as in the diagrams of rules, nothing overlaps
        where, _ = drawing.place_nodes(network, lambda n: n[1] if isinstance(n, tuple) else n)
        for (a, (x, y)), (b, (u, v)) in itertools.combinations(where.items(), 2):
            assert y != v or abs(x - u) > (0.44, 0.74, 0.99)[isinstance(a, int) + isinstance(b, int)], (a, b)
        assert graph._repr_svg_().startswith("<?xml")


def test_what_is_not_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    from latticework.tracing.drawing import LARGEST

    def many(x: Any) -> Any:
        for _ in range(LARGEST + 1):
            x = lw.sin(x)
        return x

    graph = lw.trace(many, lw.asarray([1.0], backend="numpy"))
    with pytest.raises(ValueError, match="many has 301 native calls, and 300 can be seen. print"):
        graph.draw(tmp_path / "g.svg")
    assert graph._repr_svg_() is None
    with pytest.raises(ValueError, match="a drawing is written as one of"):
        lw.trace(lw.sin, lw.asarray([1.0], backend="numpy")).draw(tmp_path / "g.txt")
