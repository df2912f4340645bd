"""Programs of several loops as one function that numba compiles (`Graph.faster`, ``lw.compile(fast=True)``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import latticework as lw

pytest.importorskip("numba")


def blur(x: lw.Array) -> lw.Array:
    x = 0.25 * x[:, :-2] + 0.5 * x[:, 1:-1] + 0.25 * x[:, 2:]
    return 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:]


def clusters(x: lw.Array, centers: lw.Array) -> lw.Array:
    nearest = lw.argmin(lw.sum((x[:, None, :] - centers) ** 2, axis=2), axis=1)
    of_cluster = 1.0 * (nearest[:, None] == lw.arange(centers.shape[0]))
    return (of_cluster.T @ x) / lw.maximum(lw.sum(of_cluster, axis=0), 1)[:, None]


def regression(x: lw.Array, y: lw.Array, w: lw.Array, rate: lw.Array) -> Any:
    p = 1 / (1 + lw.exp(-(x @ w)))
    loss = -lw.mean(y * lw.log(p) + (1 - y) * lw.log(1 - p))
    return {"loss": loss, "w": w - rate * (x.T @ (p - y) + 0.01 * w), "x": x, "again": loss}


def numbers(x: lw.Array, scale: lw.Array) -> Any:
    total = lw.sum(x * x - 1)
    root = lw.sqrt(lw.abs(total)) * scale
    return root, x / root, root + 1


def turned(x: lw.Array, w: lw.Array) -> lw.Array:
    means = lw.mean(x * w - 1, axis=0)
    return (x - means).mT * lw.sum(w * w, keepdims=True) + (means * 2)[:, None]


def of(*shapes: tuple[int, ...]) -> Callable[[int], list[np.ndarray]]:
    return lambda n: [
        np.random.default_rng(k).uniform(0.1, 1, [n * e if e > 9 else e for e in shape])
        for k, shape in enumerate(shapes)
    ]


PROGRAMS = {
    blur: of((10, 12)),
    clusters: of((50, 3), (3, 3)),
    regression: of((20, 4), (20,), (4,), ()),
    numbers: of((12,), ()),
    turned: of((11, 4), (11, 4)),
}


def leaves(tree: Any) -> list[Any]:
    return (
        [tree[key] for key in sorted(tree)]
        if isinstance(tree, dict)
        else [*tree]
        if isinstance(tree, tuple)
        else [tree]
    )


def check(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert type(a) is type(b)
        assert type(a.data) is type(b.data)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a.data, b.data, rtol=1e-5 if str(a.dtype) == "float32" else 1e-12, atol=1e-6)


@pytest.mark.parametrize(("f", "functions"), [*((f, True) for f in PROGRAMS), (blur, False)])
def test_several_loops_are_one_function(f: Callable[..., Any], functions: bool) -> None:
    """Other extents, other layouts of memory, empty arrays and shapes that do not fit give what they give eagerly."""
    given = [lw.asarray(x) for x in PROGRAMS[f](1)]
    graph = lw.trace(f, *given).faster(functions=functions)
    assert f"if {f.__name__}_whole(" in graph.body.text
    calls = (
        given,
        [lw.asarray(np.array(x.data, order="F")) for x in given],
        [lw.asarray(np.repeat(x.data, 2, -1)[..., ::2]) if x.shape else x for x in given],
    )
    for arrays in calls:
        check(graph(*arrays), f(*arrays))
    if f in (blur, turned, numbers):  # they look at no extent
        for n in (3, 100):
            arrays = [lw.asarray(x) for x in PROGRAMS[f](n)]
            check(graph(*arrays), f(*arrays))
    names: dict[str, Any] = {}
    exec(graph.source, names)
    found = names[f.__name__](*[x.data for x in given])
    expected = leaves(graph(*given))
    for a, b in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        assert a.tobytes() == b.data.tobytes()


def test_a_program_of_several_loops_is_called_without_a_function_in_between() -> None:
    from test_tracing_cost import LOOP, calls_of

    for f in (regression, blur):
        compiled = lw.compile(f, tune=True)
        given = [lw.asarray(x) for x in PROGRAMS[f](1)]
        for _ in range(12):
            check(compiled(*given), f(*given))
        (found,) = compiled.tuning()
        if found.chosen == "fast functions":  # the lambda and the function
            assert calls_of(lambda given=given, compiled=compiled: compiled(*given)) == 2 + LOOP
        other = [lw.asarray(x.data[::-1].copy()[::-1] if x.shape else x.data) for x in given]
        for _ in range(3):
            check(compiled(*other), f(*other))
        narrow = [lw.astype(x, "float32") for x in given]
        for _ in range(3):
            check(compiled(*narrow), f(*narrow))


def test_one_function_reads_what_the_program_holds() -> None:
    state = SimpleNamespace(w=lw.asarray(np.arange(4.0)), b=lw.asarray(np.float64(0.5)))

    def f(x: lw.Array) -> lw.Array:
        rows = lw.sum(x * state.w + state.b, axis=1)
        return (x * 2 - 1) / (rows[:, None] + 1)

    compiled, x = lw.compile(f, fast=True), lw.asarray(np.arange(24.0).reshape(6, 4))
    for k in range(4):
        for _ in range(10):
            check(compiled(x), f(x))
        state.w[0] = 10.0 + k
        state.b = lw.asarray(np.float64(k))
    state.w = lw.asarray(np.arange(4, dtype="float32"))
    check(compiled(x), f(x))


def test_what_numba_does_not_compile_leaves_the_loops_apart() -> None:
    def sorted_between(x: lw.Array) -> lw.Array:
        return lw.sort(x * 2 - 1) * 3 - x

    def written(x: lw.Array) -> lw.Array:
        y = x * 2 - 1
        y[0] = 0.0
        return lw.sum(y * y + 1, axis=0) * 2

    def a_view(x: lw.Array) -> lw.Array:
        y = x * 2 - 1
        return (y * lw.sum(y * y)).mT

    x = lw.asarray(np.linspace(0, 1, 12).reshape(3, 4))
    for f in (sorted_between, written, a_view):
        graph = lw.trace(f, x).faster(functions=True)
        assert "_whole(" not in graph.body.text
        check(graph(x), f(x))


def test_functions_without_elements_and_of_other_shapes_are_left_to_numpy() -> None:
    graph = lw.trace(turned, lw.ones((11, 4)), lw.ones((11, 4))).faster(functions=True)
    with pytest.raises(lw.errors.TraceError):
        graph(lw.ones((11, 4)), lw.ones((4,)))
    empty = lw.trace(blur, lw.ones((10, 12))).faster()
    x = lw.ones((3, 12))[:0]
    for y in (x, lw.ones((2, 12)), lw.ones((12, 1))):
        try:
            expected = blur(y)
        except (ValueError, IndexError):
            with pytest.raises((ValueError, IndexError, lw.errors.TraceError)):
                empty(y)
        else:
            try:
                found = empty(y)
            except lw.errors.TraceError:
                continue
            check(found, expected)


def layers(x: lw.Array, w: lw.Array) -> list[lw.Array]:
    """Products of matrices between loops, of which some results are used again, or returned, or of another dtype."""
    a = x @ w
    b = lw.exp(a * 0.25 - 1) * a
    c = b @ w
    d = c * c + c - 2
    e = d @ w
    f = e * 0.5 + e * e
    g = lw.astype(x @ w * 3 + 1, lw.float32)
    h = (x @ w) * x[0] - 1
    return [d, f * 2 + d, g, h, e]


@pytest.mark.parametrize("functions", [False, True])
def test_a_loop_among_other_calls_writes_over_what_nobody_uses(functions: bool) -> None:
    dice = np.random.default_rng(0)
    w = lw.asarray(dice.normal(size=(100, 100)) / 10)
    x, y = (lw.asarray(dice.normal(size=(n, 100))) for n in (5, 9))
    graph = lw.trace(layers, x, w).faster(functions=functions)
    body = graph.body.text.partition("def layers(")[2]
    assert sum(re.fullmatch(r" +t\w* = t\w*", line) is not None for line in body.splitlines()) == 2 + functions
    for a in (x, y, lw.flip(y), lw.asarray(np.asfortranarray(np.asarray(y)))):
        before = np.asarray(a).tobytes(), np.asarray(w).tobytes()
        for found, expected in zip(graph(a, w), layers(a, w), strict=True):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            rtol = 1e-5 if found.dtype == lw.float32 else 1e-12
            np.testing.assert_allclose(found.data, expected.data, rtol=rtol, atol=1e-9)
        assert (np.asarray(a).tobytes(), np.asarray(w).tobytes()) == before
