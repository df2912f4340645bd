"""What tracing costs: in Python calls, which are the same on every machine, and not in seconds."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.tracing.nodes import Place

#: How many calls of a loop of numba `calls_of` counts. From Python 3.12 on numba tells what asks for events otherwise.
LOOP = 1 if sys.version_info < (3, 12) else 0


def calls_of(run: Callable[[], Any]) -> int:
    """How many functions of Python are called, generators among them. What a collection of memory calls is left out."""
    n = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal n
        n += event == "call"

    collects = gc.isenabled()
    gc.disable()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
        if collects:
            gc.enable()
    return n


def chain(x: lw.Array, n: int) -> lw.Array:
    for _ in range(n // 4):
        x = lw.sin(x) * 0.5 + x
        x = x - 0.25
    return x


def held(x: lw.Array, n: int) -> lw.Array:
    """As many arrays that are made of nothing, which the simplifications compute once."""
    return sum((lw.ones(4) * float(i) for i in range(n // 2)), x)


def views(x: lw.Array, n: int) -> lw.Array:
    for _ in range(n // 2):
        x = lw.flip(lw.reshape(x, (2, 2))[0])
        x = lw.concat([x, x])
    return x


@pytest.mark.parametrize("program", [chain, held, views])
def test_tracing_is_linear(program: Callable[[lw.Array, int], lw.Array]) -> None:
    x = lw.asarray(np.ones(4, np.float32), backend="numpy")
    lw.trace(program, x, 8)
    few, many = (calls_of(lambda n=n: lw.trace(program, x, n)) for n in (100, 400))
    assert many < 4.1 * few


def test_an_operation_takes_few_python_calls() -> None:
    x = lw.asarray(np.ones(4, np.float32), backend="numpy")
    lw.trace(chain, x, 8)
    few, many = (calls_of(lambda n=n: lw.trace(chain, x, n)) for n in (100, 200))
    assert (many - few) / 100 < 45


def test_the_lines_of_a_long_program() -> None:
    lines = [f"    x = (lw.sin(x)\n        + {i}.5)\n" for i in range(300)]
    text = "".join(["def program(x):\n", *lines, "    return x\n"])
    names: dict[str, Any] = {"lw": lw}
    exec(compile(text, "long program", "exec"), names)
    graph = lw.trace(names["program"], lw.asarray([1.0, 2.0], backend="numpy"))
    operations = [node.operation for node in graph.nodes]
    assert all(type(o.at) is Place for o in operations if o is not None)
    found = [(o.plan.op, o.location.line) for o in operations if o is not None and o.location is not None]
    assert found == [pair for i in range(300) for pair in (("sin", 2 + 2 * i), ("add", 2 + 2 * i))]
    assert {o.location.file for o in operations if o is not None and o.location is not None} == {"long program"}


def test_a_small_function_takes_few_python_calls() -> None:
    def three(x: lw.Array, y: lw.Array) -> lw.Array:
        return (x + y) * x - y

    x, y = lw.asarray(np.ones(4), backend="numpy"), lw.asarray(np.ones(4), backend="numpy")
    lw.trace(three, x, y)
    lw.compile(three)(x, y)
    assert calls_of(lambda: lw.trace(three, x, y)) < 112
    assert calls_of(lambda: lw.compile(three)(x, y)) < 160


def test_calls_are_simplified_when_they_are_looked_at_and_once() -> None:
    def f(x: lw.Array, y: lw.Array) -> lw.Array:
        return (x + y) * (x + y)

    x = lw.asarray([1.0, 2.0], backend="numpy")
    for look in (lambda g: g.nodes, lambda g: g.passes, lambda g: g.faster().nodes, lambda g: g(x, x), str):
        graph = lw.trace(f, x, x)
        assert len(graph._block.nodes) == 3
        look(graph)
        assert [n.name for n in graph.nodes] == ["add", "multiply"]
        assert [done.changes for done in graph.passes if done.name == "common"] == [1]
    graph, found = lw.trace(f, x, x), []
    threads = [threading.Thread(target=lambda: found.append(graph.source)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*found}) == 1


def test_the_first_call_gives_what_the_trace_computed() -> None:
    weights = lw.asarray([1.0, 2.0], backend="numpy")

    def programs(x: lw.Array) -> tuple[lw.Array, ...]:
        return x * weights, x, x[::-1], lw.sum(x), lw.reshape(x, (2, 1)), lw.where(x > 1, 1, 2)

    def written(x: lw.Array) -> lw.Array:
        x[0] = 7.0
        return x * 1

    for f in (*[lambda x, k=k: programs(x)[k] for k in range(6)], lambda x: programs(x)[:2], written, lw.copy):
        x, same = (lw.asarray([1.0, 2.0], backend="numpy") for _ in range(2))
        compiled = lw.compile(f)
        for _ in range(3):
            found, expected = compiled(x), f(same)
            pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
            for a, b in pairs:
                assert (a.dtype, a.tolist(), type(a.data)) == (b.dtype, b.tolist(), type(b.data))
                if a.shape and (a is not x):
                    a[0] = b[0] = 3  # writes into x where the result is a view of it
            assert x.tolist() == same.tolist()
        assert "function" in compiled.compiled.graphs[0].__dict__
    once = lw.compile(lambda x: x * 2)
    assert once(x).tolist() == (x * 2).tolist()
    assert "function" not in once.compiled.graphs[0].__dict__  # which is written when such a call is made again
