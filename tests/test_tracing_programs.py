"""Programs as people write them, compiled: what they hold, write into, and ask of an array while they are traced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.errors import TraceError

DIFFERENTIABLE = ("torch", "jax", "tensorflow")


def numbers(x: Any) -> list[float]:
    found: list[float] = np.asarray(x).tolist()
    return found


def test_what_a_program_writes_into_an_array_that_it_holds_is_written_by_each_call_once(backend: str) -> None:
    if backend == "dask":
        pytest.skip("as on JAX: its arrays never change")
    x, total, first = lw.asarray([1.0, 2.0, 3.0]), lw.zeros(3), [lw.zeros(3)]

    @lw.compile
    def add(x: Any) -> Any:
        nonlocal total
        total += x
        first[0][0] = 5
        first[0][1:] += x[1:]
        return x + total

    for n in (1, 2, 3):
        assert numbers(add(x)) == [1.0 * n + 1, 2.0 * n + 2, 3.0 * n + 3]
        assert numbers(total) == [1.0 * n, 2.0 * n, 3.0 * n]
        assert numbers(first[0]) == [5.0, 2.0 * n, 3.0 * n]
    assert len(lw.explain_retraces(add)) == 1


def test_an_array_that_a_program_holds_is_read_by_each_call(backend: str) -> None:
    """Where it is an operand, and where something is computed of it alone."""
    w, x = lw.ones(3), lw.asarray([1.0, 2.0, 3.0])
    compiled = lw.compile(lambda x: x + w * 2 - lw.astype(w, "int32"))
    assert numbers(compiled(x)) == [2.0, 3.0, 4.0]
    w[0] = 5.0
    assert numbers(compiled(x)) == [6.0, 3.0, 4.0]

    made = lw.compile(lambda x: lw.zeros_like(w).__iadd__(x) + w.copy().__imul__(0))
    assert numbers(made(x)) == numbers(made(x)) == [1.0, 2.0, 3.0]


def test_an_array_of_no_dimensions_is_written_into(backend: str) -> None:
    """On NumPy it may be a scalar, which never changes."""
    steps = lw.asarray(0)

    @lw.compile
    def count(x: Any, n: Any) -> Any:
        nonlocal steps
        steps += 1
        n += 2
        return x * steps

    x, n = lw.asarray([1.0, 2.0]), lw.sum(lw.asarray([1, 2]))
    assert [numbers(count(x, n)) for _ in range(3)] == [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    assert (int(steps), int(n)) == (3, 9)


def test_an_array_that_is_given_twice_is_one(backend: str) -> None:
    @lw.compile
    def program(x: Any, y: Any) -> Any:
        before = y * 2
        x += 1
        return x * y, before, y * 2

    a, b = lw.asarray([1.0, 2.0]), lw.asarray([1.0, 2.0])
    for _ in range(2):
        assert [numbers(r) for r in program(lw.asarray([1.0, 2.0]), b)] == [[2.0, 6.0], [2.0, 4.0], [2.0, 4.0]]
    assert [numbers(r) for r in program(a, a)] == [[4.0, 9.0], [2.0, 4.0], [4.0, 6.0]]
    assert [numbers(r) for r in program(b, b)] == [[4.0, 9.0], [2.0, 4.0], [4.0, 6.0]]


def test_a_loop_begins_with_an_array_that_the_program_holds(backend: str) -> None:
    start, x = lw.asarray([0.0]), lw.asarray([[1.0], [2.0], [3.0]])
    compiled = lw.compile(lambda x: (
        lw.scan(lambda c, row: (c + row, c), start, x)[0], lw.fori_loop(0, 2, lambda i, c: c + x[0], start)
    ))  # fmt: skip
    assert [numbers(r) for r in compiled(x)] == [[6.0], [2.0]]


def test_a_traced_array_names_the_framework_it_is_of(backend: str) -> None:
    def program(x: Any) -> Any:
        assert x.backend == lw.current_backend() == backend
        with lw.using(backend=x.backend):
            made = lw.zeros(2) + lw.arange(2)
        made += x
        same = lw.asarray(x, backend=backend), lw.asarray([1.0, 2.0], backend=backend)
        return made, *same

    graph = lw.trace(program, lw.asarray([1.0, 2.0]))
    for _ in range(2):
        assert [numbers(r) for r in graph(lw.asarray([3.0, 4.0]))] == [[3.0, 5.0], [3.0, 4.0], [1.0, 2.0]]


def test_what_cannot_be_traced_says_so(backend: str) -> None:
    import pickle

    if backend == "dask":
        pytest.skip("it draws by NumPy's generators")
    dice, x = lw.random.default_rng(0), lw.asarray([1.0, 2.0])
    with pytest.raises(TraceError, match=r"draws from a Generator, .* Give the function a key"):
        lw.trace(lambda x: x + dice.normal(size=2), x)
    with pytest.raises(TraceError, match=r"computes with x\.data"):
        lw.trace(lambda x: x.data + 1, x)
    with pytest.raises(AttributeError, match=r"x\.data is no array of .* and has no mean"):
        lw.trace(lambda x: x.data.mean(), x)
    with pytest.raises(TraceError, match="pickles it"):
        lw.trace(pickle.dumps, x)
    with pytest.raises(ValueError, match="in place"):
        lw.trace(lambda x: x.__iadd__(lw.ones((3, 2))), x)


def test_a_function_first_called_where_the_framework_compiles_keeps_nothing_of_it(backend: str) -> None:
    if backend not in DIFFERENTIABLE:
        pytest.skip("it compiles nothing")

    def program(x: Any) -> Any:
        return lw.sum(x * lw.arange(2) + lw.ones(2) * 0.5)

    compiled, x = lw.compile(program), lw.asarray([1.0, 2.0])
    for f in (lw.jit(compiled), compiled, lw.jit(compiled)):
        assert float(f(x)) == 3.0
    assert str(lw.infer(lw.compile(program), lw.spec((2,)))) == "float32[]"
