"""What a traced function holds besides its arguments: read and written by each call, or refused with the line."""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import latticework as lw
from latticework.backend import get
from latticework.engine.keys import held
from latticework.errors import TraceError

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import stateful

Make = Callable[[], tuple[Callable[..., Any], Callable[[], Any]]]
total: Any = None
rate = 2.0


def plain(x: Any) -> Any:
    """A tree with lists of numbers in the places of arrays."""
    if isinstance(x, lw.Array):
        return x.tolist()
    if isinstance(x, (list, tuple, deque)):
        return [plain(y) for y in x]
    if isinstance(x, dict):
        return {key: plain(y) for key, y in x.items()}
    return plain(vars(x)) if hasattr(x, "__dict__") else x


def outcome(make: Make, way: Callable[[Any], Any] | None, arguments: list[Any]) -> list[Any]:
    """What a function gives and what it holds, after each of some calls."""
    f, held = make()
    f = f if way is None else way(f)
    return [(plain(f(lw.asarray(x))), plain(held())) for x in arguments]


def traced(f: Any) -> Any:
    return lw.trace(f, lw.asarray(1.0))


def check(make: Make, *ways: Callable[[Any], Any], arguments: tuple[Any, ...] = (1.0, 2.0, 3.0, 4.0)) -> None:
    expected = outcome(make, None, [*arguments])
    for way in ways or (lw.compile, traced):
        assert outcome(make, way, [*arguments]) == expected


def test_an_element_of_a_held_array_that_is_added_to_does_not_drift(backend: str) -> None:
    def make() -> Any:
        w = lw.asarray([1.0, 2.0, 3.0])

        def f(x: Any) -> Any:
            tot = w[0]
            for i in (1, 2):
                tot += w[i]
            v = w[1]
            v *= v
            return tot * x + v

        return f, lambda: w

    check(make)


def test_a_view_of_a_held_array_is_read_by_each_call_and_written_where_views_are(backend: str) -> None:
    if backend in ("jax", "tensorflow", "dask"):
        pytest.skip("a view that is written to is refused there")

    def make() -> Any:
        w, p, z = lw.asarray([1.0, 2.0, 3.0]), lw.asarray([[2.0, 1.0]]), lw.asarray(4.0)

        def f(x: Any) -> Any:
            v = w[::-1]
            v += 10
            b = p[0, 0]
            b *= 2
            c, d = z[()], w.reshape(-1)
            c += 1
            d[0] = d[1] + x
            e = p.T
            e[0] += 1
            return v + b + c + w

        return f, lambda: [w, p, z]

    check(make)


def test_a_view_of_a_held_array_is_not_written_to_where_there_are_no_views(backend: str) -> None:
    if backend not in ("jax", "tensorflow", "dask"):
        pytest.skip("it has views")
    w, x = lw.asarray([1.0, 2.0, 3.0]), lw.asarray(1.0)

    def by_key(x: Any) -> Any:
        v = w[1:]
        v += x
        return v

    def by_shape(x: Any) -> Any:
        v = lw.reshape(w, (3, 1))
        v[0] = x
        return v

    for f in (by_key, by_shape):
        for way in (lambda f: f, lw.compile):
            with pytest.raises(ValueError, match="this array was made of another one"):
                way(f)(x)


def test_what_is_read_and_written_by_an_index_is_written_by_each_call(backend: str) -> None:
    def make() -> Any:
        w, index = lw.zeros(3), lw.asarray([0, 2])

        def f(x: Any) -> Any:
            w[0] = w[0] + x
            w[1:] += w[1] + 1
            w[index] *= 2
            return w * 1 + lw.sum(w[index]) + w[[0, 1]][0]

        return f, lambda: w

    check(make)


@dataclass
class Data:
    w: Any


class Slotted:
    __slots__ = ("w",)


class Pair(NamedTuple):
    a: Any
    b: Any


def places() -> list[tuple[str, Make]]:
    """A function for each place in which an array is bound anew, as a step of a running mean does."""
    found: list[tuple[str, Make]] = []

    def of(name: str, holder: Any, get: Callable[[], Any], put: Callable[[Any], None]) -> None:
        def make() -> Any:
            put(lw.asarray(1.0))

            def f(x: Any) -> Any:
                put(get() * 0.5 + x)
                return get() * 1

            return f, get

        found.append((name, make))

    items, named, queue, self, slotted = [None], {"w": None}, deque([None]), SimpleNamespace(w=None), Slotted()
    of("list", items, lambda: items[0], lambda x: items.__setitem__(0, x))
    of("dict", named, lambda: named["w"], lambda x: named.__setitem__("w", x))
    of("deque", queue, lambda: queue[0], lambda x: queue.__setitem__(0, x))
    of("attribute", self, lambda: self.w, lambda x: setattr(self, "w", x))
    data = Data(None)
    of("dataclass", data, lambda: data.w, lambda x: setattr(data, "w", x))
    of("slot", slotted, lambda: slotted.w, lambda x: setattr(slotted, "w", x))
    of("class", Slotted, lambda: Data.shared, lambda x: setattr(Data, "shared", x))

    def closed() -> Any:
        t = lw.asarray(1.0)

        def f(x: Any) -> Any:
            nonlocal t
            t = t * 0.5 + x
            return t * 1

        return f, lambda: t

    def named_globally() -> Any:
        global total
        total = lw.asarray(1.0)

        def f(x: Any) -> Any:
            global total
            total = total * 0.5 + x
            return total * 1

        return f, lambda: total

    return [*found, ("nonlocal", closed), ("global", named_globally)]


@pytest.mark.parametrize(("name", "make"), places(), ids=[name for name, _ in places()])
def test_an_array_that_is_bound_anew_is_bound_by_each_call(backend: str, name: str, make: Make) -> None:
    check(make)


def test_an_array_that_somebody_else_binds_anew_is_read_by_the_next_call(backend: str) -> None:
    model = SimpleNamespace(w=lw.asarray([1.0, 2.0]), layers=[{"b": lw.asarray(1.0)}], pair=Pair(lw.ones(2), 1))

    def f(x: Any) -> Any:
        return x * model.w + model.layers[0]["b"] + model.pair.a

    compiled, graph, x = lw.compile(f), lw.trace(f, lw.asarray(2.0)), lw.asarray(2.0)
    assert plain(compiled(x)) == plain(graph(x)) == [4.0, 6.0]
    model.w = lw.asarray([3.0, 4.0])
    model.layers[0]["b"] = lw.asarray(2.0)
    assert plain(compiled(x)) == plain(graph(x)) == [9.0, 11.0]
    assert len(compiled.compiled.graphs) == 1
    model.layers = [{"b": lw.asarray(3.0)}]
    assert plain(compiled(x)) == [10.0, 12.0]
    with pytest.raises(TraceError, match=r"model\.layers, which the function holds, was another list, and is another"):
        graph(x)
    model.w = lw.asarray([1])
    assert plain(compiled(x)) == [6.0, 6.0]
    model.pair = Pair(lw.zeros(2), 1)
    assert plain(compiled(x)) == [5.0, 5.0]


def test_a_number_that_somebody_else_changes_makes_another_graph() -> None:
    config = {"scale": 0.5, "on": True}

    def f(x: Any) -> Any:
        return x * config["scale"] * rate if config["on"] else x

    with lw.using(backend="numpy"):
        compiled, x = lw.compile(f), lw.asarray(4.0)
        graph = lw.trace(f, x)
        assert [float(compiled(x)), float(graph(x))] == [4.0, 4.0]
        config["scale"] = 1.0
        assert float(compiled(x)) == 8.0
        with pytest.raises(TraceError, match=r"config\['scale'\], which the function holds, was 0\.5, and is 1\.0"):
            graph(x)
        config["on"] = False
        assert float(compiled(x)) == 4.0
        config |= {"scale": 0.5, "on": True}
        assert float(compiled(x)) == float(graph(x)) == 4.0
        assert len(compiled.compiled.graphs) == 3
        assert "which the function holds" in lw.explain_retraces(compiled)[1].why


def test_a_memo_a_flag_and_an_array_that_is_kept_are_as_without_a_trace(backend: str) -> None:
    def make() -> Any:
        cache: dict[str, Any] = {}
        self = SimpleNamespace(seen=False, last=None, table=None)

        def f(x: Any) -> Any:
            if "k" not in cache:
                cache["k"] = lw.exp(x)
            if self.table is None:
                self.table = lw.arange(3)
            self.seen, self.last = True, x * 2
            return cache["k"] + self.table + self.last

        return f, lambda: [cache, self]

    check(make, lw.compile)


def test_an_array_that_is_given_and_kept_twice_is_one_array(backend: str) -> None:
    def make() -> Any:
        m, seen = SimpleNamespace(a=lw.zeros(2), b=lw.zeros(2), c=lw.zeros(2)), []

        def f(x: Any) -> Any:
            y = x * lw.ones(2)
            m.a = y
            m.b = m.c = x + lw.ones(2)
            return y, [x, y], m.a

        return f, lambda: [m, seen], m, seen

    found = []
    for way in (lambda f: f, lw.compile, traced):
        f, held, m, seen = make()
        run = way(f)
        for x in (1.0, 2.0, 3.0):
            y, (_, again), last = run(lw.asarray(x))
            seen.append(y is again is last is m.a and m.b is m.c)
            y[0] = m.b[0] = 50.0
        found.append(plain(held()))
    assert found[0] == found[1] == found[2]


@pytest.mark.filterwarnings("ignore")
def test_derivatives_of_and_in_compiled_functions_read_what_is_held(backend: str) -> None:
    w, x = lw.asarray([1.0, 2.0]), lw.asarray([3.0, 4.0])

    def f(x: Any) -> Any:
        first, _ = w
        return lw.sum(x * x * w[1] + w.sum() + first * w[:1] * x)

    def tangent(x: Any) -> Any:
        return lw.jvp(f, (x,), (x,))[1]

    gradient = lw.grad(f)
    compiled, ways = lw.compile(f), (lw.compile(gradient), lw.trace(gradient, x), lw.compile(tangent))
    for _ in range(3):
        assert plain([compiled(x), lw.grad(compiled)(x)]) == plain([f(x), gradient(x)])
        assert [plain(way(x)) for way in ways] == plain([gradient(x), gradient(x), tangent(x)])
        assert len(ways[0].compiled.graphs) == 1
        w[1] = w[1] + 1
    with pytest.raises(TraceError, match="asks for its value"):
        lw.compile(lw.grad(lambda x: lw.sum(x * float(w[1:].sum()))))(x)


def test_an_object_around_an_array_that_is_computed_is_no_result(backend: str) -> None:
    for result in (Data, lambda x: Pair(Data(x), 1)):
        with pytest.raises(TraceError, match="returns an object of class Data that holds an array which it computes"):
            lw.compile(lambda x, result=result: result(x * 2))(lw.ones(2))
    assert lw.compile(lambda x: (Data(2), x.dtype, Data))(lw.ones(2))[0].w == 2


def test_two_variables_with_one_array_are_two_after_one_is_bound(backend: str) -> None:
    def make() -> Any:
        m = SimpleNamespace(a=lw.asarray([1.0]))
        m.b = m.a

        def f(x: Any) -> Any:
            m.a = m.a + x
            return m.a * m.b

        return f, lambda: m

    check(make, lw.compile)


def numbers_and_containers() -> list[tuple[str, Callable[[], Any]]]:
    """What a graph cannot do, with a part of the error."""
    n, log, names, items, seen = SimpleNamespace(n=0), [], {"a": 1, "b": 2}, deque([0, 0], maxlen=2), {1}

    def counts(x: Any) -> Any:
        n.n += 1
        return x

    def appends(x: Any) -> Any:
        log.append(x * 2)
        return x

    def pops(x: Any) -> Any:
        names.pop("a")
        return x

    def rotates(x: Any) -> Any:
        items.append(x)
        return x

    def adds(x: Any) -> Any:
        seen.add(len(seen) + 1)
        return x

    def inside(x: Any) -> Any:
        def step(i: Any, c: Any) -> Any:
            n.kept = c + 1
            return c + 1

        return lw.fori_loop(0, 3, step, x)

    def given(x: Any, options: dict[str, Any] = {"w": 1}) -> Any:  # noqa: B006
        options["w"] = options["w"] + 1
        return x

    return [
        (r"changes the number n\.n from 0 to 1 \(.*n\.n \+= 1\)", counts), (r"what is in log \(.*log\.append", appends),
        (r"takes away names\['a'\] \(.*names\.pop", pops), (r"what is in items \(.*items\.append", rotates),
        (r"what is in seen \(.*seen\.add", adds), (r"keeps an array .* 'n\.kept' \(.*n\.kept = c \+ 1", inside),
        (r"\['w'\] from 1 to 2 \(.*options\[\"w\"\] = options", given),
    ]  # fmt: skip


@pytest.mark.parametrize(("words", "f"), numbers_and_containers(), ids=lambda x: getattr(x, "__name__", ""))
def test_what_no_graph_does_is_refused_with_the_line_and_put_back(backend: str, words: str, f: Any) -> None:
    x = lw.asarray(1.0)
    held = [cell.cell_contents for cell in f.__closure__ or ()]
    before = repr(held)
    for _ in range(2):
        with pytest.raises(TraceError, match=words):
            lw.compile(f)(x)
        with pytest.raises(TraceError, match=words):
            lw.trace(f, x)
        assert repr(held) == before


def test_a_dict_or_list_that_is_given_may_not_be_changed(backend: str) -> None:
    def f(params: dict[str, Any]) -> Any:
        params["w"] = params["w"] - 1
        return params["w"] * 2

    with pytest.raises(TraceError, match=r"what is in a dict that it is given \(.*params\[\"w\"\] = params"):
        lw.compile(f)({"w": lw.asarray(1.0)})
    given = {"w": lw.asarray(1.0)}
    assert float(lw.compile(lambda p: p["w"].__iadd__(1))(given)) == float(given["w"]) == 2.0


ASKS: dict[str, Callable[[Any], Any]] = {
    "float": float, "int": int, "bool": bool, "numpy": np.asarray, "item": lambda w: w.item(),
    "list": lambda w: w.tolist(), "data": lambda w: w.data, "element": lambda w: w.reshape(1)[0].item(),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKS)
def test_a_value_of_a_held_array_is_refused_with_the_line(backend: str, name: str) -> None:
    w, ask = lw.asarray(3.0), ASKS[name]
    with pytest.raises(TraceError, match=r"being traced, and .*test_tracing_state\.py"):
        lw.trace(lambda x: (ask(w), x)[1] * 1, lw.asarray(1.0))
    assert float(w) == 3.0  # outside of the trace as ever
    assert ask(w) is not None


def test_what_other_threads_ask_of_an_array_while_something_is_traced_is_answered() -> None:
    import threading

    with lw.using(backend="numpy"):
        w, x, answers, stop = lw.asarray([1.0, 2.0]), lw.asarray(1.0), [], threading.Event()

        def ask() -> None:
            with lw.using(backend="numpy"):
                while not stop.is_set():
                    answers.append(
                        (float(w[1]), w.reshape(2, 1).shape, w.tolist(), w[w > 1].item(), w.data is not None)
                    )

        thread = threading.Thread(target=ask)
        thread.start()
        for _ in range(50):
            lw.trace(lambda x: w[0] + x, x)
        stop.set()
        thread.join()
    assert set(map(repr, answers)) == {repr((2.0, (2, 1), [1.0, 2.0], 2.0, True))}


@pytest.mark.parametrize("to", [bool, int, float, complex])
@pytest.mark.parametrize("w", [lw.asarray([0.0, 2.0], backend="numpy")[1], lw.asarray(2.0, backend="numpy")])
def test_a_value_is_given_whenever_another_trace_begins_or_ends(to: Callable[[Any], Any], w: lw.Array) -> None:
    """A trace of another context begins before an instruction of the conversion, or ends there: at each in turn."""
    backend, context, code = get("numpy"), copy_context(), getattr(lw.Array, f"__{to.__name__}__").__code__

    def change_before(count: int, begins: bool) -> int:
        """Convert, and return how many instructions there were before the one that was changed at, and it."""
        passed, tokens = 0, [] if begins else [context.run(held.begin, backend, "traced", TraceError)]

        def change() -> None:
            if begins:
                tokens.append(context.run(held.begin, backend, "traced", TraceError))
            else:
                context.run(held.end, backend, tokens.pop())

        def follow(frame: Any, event: str, argument: Any) -> Any:
            nonlocal passed
            if frame.f_code is not code:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode" and passed < count:
                passed += 1
                if passed == count:
                    change()
            return follow

        before = sys.gettrace()
        sys._getframe().f_trace_opcodes = True  # Python 3.12.1 tells of instructions where a frame had asked before
        sys.settrace(follow)
        try:
            value = to(w)
        finally:
            sys.settrace(before)
            for token in tokens:
                context.run(held.end, backend, token)
        assert value == to(2)
        assert type(value) is to
        return passed

    for begins in (False, True):
        count = 1
        while change_before(count, begins) == count:
            count += 1
        assert count > 5


def test_a_branch_after_a_write_to_the_result_of_a_loop_is_chosen_by_each_call(backend: str) -> None:
    v = lw.asarray(-1.71)

    def f(x: Any) -> Any:
        w = lw.fori_loop(0, 4, lambda i, u: u * 0.5 + 1, v)
        w -= 1
        return lw.cond(w > 0, lambda: w * 2, lambda: w * 3) + x

    x = lw.asarray(0.0)
    graph = lw.trace(f, x)
    assert float(graph(x)) == pytest.approx(float(f(x)))
    v[...] = -40.0
    assert float(graph(x)) == pytest.approx(float(f(x)))


def test_writes_through_a_view_of_what_a_loop_gives_without_dimensions(backend: str) -> None:
    if backend in ("jax", "tensorflow", "dask"):
        pytest.skip("a view that is written to is refused there")

    def scanned(xs: Any) -> Any:
        s, _ = lw.scan(lambda c, r: (c + r, c), lw.asarray(0.0), xs)
        v = lw.reshape(s, (-1,))
        v[0] = -5
        return s

    def counted(xs: Any) -> Any:
        s = lw.fori_loop(0, 3, lambda i, c: c + xs[0], lw.asarray(0.0))
        s.reshape(-1)[0] = -5
        return s

    def repeated(xs: Any) -> Any:
        s = lw.while_loop(lambda c: c < 9, lambda c: c + xs[0], lw.asarray(0.0))
        s[None][0] += 1
        return s

    def chosen(xs: Any) -> Any:
        s = lw.cond(lw.sum(xs) > 0, lambda: xs[0] * 2, lambda: xs[0] * 3)
        lw.reshape(s, (1,))[0] = 7
        return s

    xs = lw.asarray([1.0, 2.0])
    for f in (scanned, counted, repeated):
        assert plain(lw.trace(f, xs)(xs)) == plain(f(xs))
    assert plain(lw.trace(chosen, xs)(xs)) == 7.0


def test_scalars_of_numpy_s_that_are_equal_by_chance_are_two_values() -> None:
    with lw.using(backend="numpy"):
        x, y = lw.ones(3), -lw.ones(3)

        def f(x: Any, y: Any) -> Any:
            return lw.logical_and(lw.any(x > 0), lw.any(y > 0))

        graph = lw.trace(f, x, x)
        assert [bool(graph(x, y)), bool(graph(y, x)), bool(graph(x, x))] == [False, False, True]
        with lw.using(rules="numpy"):
            z = lw.asarray([4.0, 1.0, -4.0], dtype="complex64") + 1

            def branch(z: Any) -> Any:
                return lw.cond(lw.sum(z) > 3, lambda: lw.sum(z) * 2, lambda: lw.sum(z) * 3)

            graph = lw.trace(branch, z)
            assert [plain(graph(z)), plain(graph(z - 1))] == [plain(branch(z)), plain(branch(z - 1))]


def test_what_the_framework_compiles_reads_and_writes_what_it_holds(backend: str) -> None:
    """By `lw.jit`, and by `lw.compile` with the framework's compiler."""
    if backend == "torch":
        ways: tuple[Any, ...] = (lw.jit,)  # its compiler takes seconds for each program
    else:
        ways = (lw.jit, partial(lw.compile, native=True)) if backend in ("jax", "tensorflow") else (lw.jit,)

    def writes() -> Any:
        w = lw.asarray([1.0, 2.0, 3.0])

        def f(x: Any) -> Any:
            w[0] = w[0] + x
            return w * 1

        return f, lambda: w

    def binds() -> Any:
        m = SimpleNamespace(w=lw.asarray(1.0), memo=None, seen=False)

        def f(x: Any) -> Any:
            if m.memo is None:
                m.memo = lw.exp(x)
            m.w, m.seen = m.w * 0.5 + x, True
            return m.w * m.memo

        return f, lambda: m

    for way in ways:
        check(writes, way)
        f, held = binds()
        eager, other = binds()
        compiled = way(f)
        for x in (1.0, 2.0, 3.0):
            assert float(compiled(lw.asarray(x))) == pytest.approx(float(eager(lw.asarray(x))))
            assert float(held().w) == pytest.approx(float(other().w))
            assert held().seen
        held().w = other().w = lw.asarray(-1.0)
        assert float(compiled(lw.asarray(1.0))) == pytest.approx(float(eager(lw.asarray(1.0))))


def test_what_the_framework_compiles_and_cannot_keep_is_refused(backend: str) -> None:
    if backend not in ("jax", "tensorflow"):
        pytest.skip("lw.jit is the function itself")
    for words, f in numbers_and_containers():
        held = [cell.cell_contents for cell in f.__closure__ or ()]
        before = repr(held)
        with pytest.raises(TraceError, match=words):
            lw.jit(f)(lw.asarray(1.0))
        assert repr(held) == before


def test_arrays_that_are_held_are_measured_and_read_by_each_call() -> None:
    pytest.importorskip("jax")
    with lw.using(backend="jax"):
        w, x = lw.asarray([1.0, 2.0]), lw.asarray([1.0, 1.0])
        tuned = lw.compile(lambda x: x * w, tune=True)
        assert plain(tuned(x)) == [1.0, 2.0]
        w[0] = 5.0
        assert plain(tuned(x)) == [5.0, 2.0]


def test_transpiled_source_returns_what_it_writes_into_and_nothing_besides() -> None:
    pytest.importorskip("torch")
    torch = pytest.importorskip("latticework.frontends.torch")
    with lw.using(backend="numpy"):
        w = torch.tensor([1.0, 2.0, 3.0])

        def reads(x: Any) -> Any:
            t = w[0].clone()
            t += w[1]
            return t * x

        source = lw.transpile(reads, torch.tensor(1.0), to="torch").source
        assert "return t_2\n" in source
        names: dict[str, Any] = {}
        exec(source, names)
        import torch as real

        assert [float(names["reads"](real.tensor(2.0))) for _ in range(3)] == [6.0, 6.0, 6.0]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "bfloat16"])
def test_a_sum_that_is_traced_keeps_the_dtype_of_its_sum(backend: str, dtype: str) -> None:
    x = lw.asarray([2, 7, 2], dtype=dtype)
    for f in (
        lw.sum,
        lw.prod,
        lambda x: lw.sum(x, dtype=x.dtype),
        lambda x: lw.scan(lambda c, r: (c + r, c), lw.sum(x), x),
    ):
        expected, found = f(x), lw.trace(f, x)(x)
        for a, b in zip(lw.tree.leaves(expected), lw.tree.leaves(found), strict=True):
            assert a.dtype is b.dtype
            assert str(lw.to_numpy(a).dtype) == str(lw.to_numpy(b).dtype)
            assert plain(a) == plain(b)


def test_a_whole_view_is_another_array_than_what_it_was_made_of(backend: str) -> None:
    """On Dask the two have one object as their data, as long as neither is bound anew."""

    def make() -> Any:
        held = lw.asarray([[1, 2], [2, 8]])
        whole = held[...]

        def f(x: lw.Array) -> lw.Array:
            nonlocal held
            result = x + lw.sum(whole)
            held = held * 2 + 2
            return result

        return f, lambda: [held, whole]

    check(make)


def test_random_programs_that_hold_arrays(backend: str) -> None:
    """A share of what `tools/stateful.py` runs."""
    count = {"numpy": 60, "torch": 25, "dask": 6}.get(backend, 3)
    for seed in range(count):
        p = stateful.program(random.Random(f"test {seed}"))
        expected = stateful.outcome(p, None, backend)
        for way in ("compile", "trace"):
            found = stateful.check(p, way, backend, expected)
            assert found in ("", "refused"), f"{way}\n{p.shown()}{found}"


@pytest.mark.parametrize(
    ("rules", "f", "operands"),
    [
        ("jax", lw.pow, [("int32", [1, 2, 3]), ("int32", [2, 0, 5])]),
        ("torch", lw.equal, [("float16", [1.0, 2.0]), ("complex64", 1.0)]),
    ],
)
def test_numbers_that_rules_bring_in_belong_to_one_trace(rules: str, f: Any, operands: Any, backend: str) -> None:
    with lw.using(rules=rules):
        x, y = [lw.asarray(values, dtype=dtype) for dtype, values in operands]
        for _ in range(3):
            assert lw.trace(f, x, y)(x, y).tolist() == f(x, y).tolist()
