"""Places where a traced function holds arrays: what is found by text, what has no name, and what lies in a branch."""

from __future__ import annotations

import ast
import math
import random
import re
import sys
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from cases import EXHAUSTIVE

import latticework as lw
from latticework.backend import get
from latticework.errors import TraceError

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
import fuzz

pytestmark = pytest.mark.backend

#: What a program is: the function, what it holds, and what somebody else does to that between two calls.
Program = tuple[Callable[[Any], Any], Callable[[], Any], Callable[[], None]]
X, Y = (1.0, 2.0), (3.0, 4.0)


def raises(error: type[Exception], *words: str) -> Any:
    """An error whose message has these words, in this order."""
    return pytest.raises(error, match="(?s)" + ".*".join(map(re.escape, words)))


def nothing() -> None:
    """Do nothing between two calls."""


# --- programs -----------------------------------------------------------------------------------------------------


def a_key_that_is_made() -> Program:
    d = {"a": lw.asarray(X)}

    def f(x: Any) -> Any:
        return d["A".lower()] * x

    def between() -> None:
        d["a"] = d["a"] + 1

    return f, lambda: d, between


def all_keys_of_a_dict() -> Program:
    d = {"a": lw.asarray(X), "b": lw.asarray(Y)}

    def f(x: Any) -> Any:
        for k, v in d.items():
            d[k] = v * 0.5 + x
        return sum([d[k] for k in d], lw.zeros(2))

    return f, lambda: d, nothing


def all_values_of_a_dict() -> Program:
    d = {"a": lw.asarray(X), "b": lw.asarray(Y)}

    def f(x: Any) -> Any:
        for v in d.values():
            v += x
        return d["a"] * 1

    return f, lambda: d, nothing


def an_attribute_by_its_name() -> Program:
    s = SimpleNamespace(w=lw.asarray(X), n=2.0)

    def f(x: Any) -> Any:
        return getattr(s, "W".lower()) * x * getattr(s, "N".lower())

    def between() -> None:
        s.w, s.n = s.w + 1, s.n + 1

    return f, lambda: s.w, between


def a_long_list() -> Program:
    items = [lw.asarray([float(i), 1.0]) for i in range(40)]

    def f(x: Any) -> Any:
        for i in (0, 1):
            items[i * 2] = items[i + 3] + x
        return sum(items[5:7], lw.zeros(2)) + items[0]

    def between() -> None:
        items[5] = items[5] + 1

    return f, lambda: items[:6], between


class Through:
    """A descriptor."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, kind: Any = None) -> Any:
        return self if x is None else getattr(x, self.name)

    def __set__(self, x: Any, value: Any) -> None:
        setattr(x, self.name, value)


class Model:
    """An object with an array behind a descriptor and behind a property."""

    w: ClassVar[Any] = Through("_w")

    def __init__(self) -> None:
        self._w = lw.asarray(X)
        self._v = lw.asarray(Y)

    @property
    def v(self) -> Any:
        return self._v

    @v.setter
    def v(self, value: Any) -> None:
        self._v = value


def a_descriptor() -> Program:
    m = Model()

    def f(x: Any) -> Any:
        m.w = m.w + x
        m.v = m.v * x
        return m.w * 2 + m.v

    return f, lambda: [m._w, m._v], nothing


class Listed(list[Any]):
    """A list with attributes."""

    w: Any


def an_attribute_of_a_list() -> Program:
    items = Listed()
    items.w = lw.asarray(X)

    def f(x: Any) -> Any:
        items.w = items.w + x
        return items.w * 1

    return f, lambda: items.w, nothing


def a_weak_reference() -> Program:
    m = Model()
    reference = weakref.ref(m)

    def f(x: Any) -> Any:
        found = reference()
        assert found is not None
        found._w = found._w + x
        return found._w * found._v

    def between() -> None:
        m._v = m._v + 1

    return f, lambda: m._w, between


variable: ContextVar[Any] = ContextVar("variable")


def a_context_variable() -> Program:
    variable.set(lw.asarray(X))

    def f(x: Any) -> Any:
        variable.set(variable.get() + x)
        return variable.get() * 1

    def between() -> None:
        variable.set(variable.get() * 2)

    return f, variable.get, between


def a_random_key() -> Program:
    keys = [lw.random.key(0)]

    def f(x: Any) -> Any:
        keys[0], k = lw.random.split(keys[0])
        return lw.random.uniform(k, (2,)) * x

    return f, lambda: keys, nothing


def a_random_key_that_is_read() -> Program:
    key = lw.random.key(0)

    def f(x: Any) -> Any:
        return lw.random.normal(key, (2,)) * x + lw.random.randint(lw.random.fold_in(key, 3), (2,), 0, 1000)

    def between() -> None:
        nonlocal key
        key = lw.random.fold_in(key, 1)

    return f, lambda: key, between


def what_a_defaultdict_makes() -> Program:
    d: dict[str, Any] = defaultdict(lambda: lw.zeros(2))

    def f(x: Any) -> Any:
        d["a"] += x
        return d["a"] * 1

    return f, lambda: d, nothing


def what_is_put_into_a_module() -> Program:
    put: Any = math
    put.weights, put.factor, put.model = lw.asarray(X), 2, SimpleNamespace(w=lw.asarray(Y))

    def f(x: Any) -> Any:
        first, _ = math.weights  # type: ignore[attr-defined]
        return math.weights[1] * x + first + math.factor * math.model.w[0]  # type: ignore[attr-defined]

    def between() -> None:
        put.weights[1] = put.weights[1] + 1
        put.weights, put.factor = put.weights * 2, put.factor + 1

    return f, lambda: put.model.w, between


table: Any = None


def a_global_by_text() -> Program:
    def f(x: Any) -> Any:
        return globals()["table"] * x + eval("table[0]") + (lambda: 0).__globals__["table"][1]

    def between() -> None:
        globals()["table"] = table + 1
        table[1] = 7.0

    globals()["table"] = lw.asarray(X)
    return f, lambda: table, between


PROGRAMS = (
    a_key_that_is_made, all_keys_of_a_dict, all_values_of_a_dict, an_attribute_by_its_name, a_long_list, a_descriptor,
    an_attribute_of_a_list, a_weak_reference, a_context_variable, a_random_key, a_random_key_that_is_read,
    what_a_defaultdict_makes, what_is_put_into_a_module, a_global_by_text,
)  # fmt: skip


def plain(x: Any) -> Any:
    """A tree with lists of numbers in the places of arrays, which has the order of the keys of dicts."""
    if isinstance(x, lw.Array):
        return (str(x.dtype), x.tolist())
    if isinstance(x, dict):
        return [(k, plain(y)) for k, y in x.items()]
    return [plain(y) for y in x] if isinstance(x, (list, tuple)) else x


def outcome(make: Callable[[], Program], way: Callable[[Any], Any] | None) -> list[Any]:
    f, held, between = make()
    run = f if way is None else way(f)
    found = []
    for x in (1.0, 2.0, 3.0, 4.0):
        found.append((plain(run(lw.asarray(x))), plain(held())))
        between()
    return found


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda f: f.__name__)
def test_each_call_reads_and_writes_what_no_name_leads_to(backend: str, make: Callable[[], Program]) -> None:
    expected = outcome(make, None)
    for way in (lw.compile, lw.jit):
        assert outcome(make, way) == expected


def test_the_order_of_keys_is_kept_or_refused(backend: str) -> None:
    d = OrderedDict(a=lw.asarray(X), b=lw.asarray(Y))

    def f(x: Any) -> Any:
        a = d.pop("a")
        d["a"] = a + x
        return a * 1

    for way in (lw.compile, lw.jit)[: 1 + get(backend).facts.compiles]:
        with raises(TraceError, "changes what is in d, the order of its keys", "test_held_places.py", "a + x"):
            way(f)(lw.asarray(1.0))
        assert [*d] == ["a", "b"]
        assert plain(d["a"]) == ("float32", [*X])


def test_a_default_is_named_by_its_parameter(backend: str) -> None:
    def f(x: Any, *, cache: dict[str, float] = {"k": 2.0}) -> Any:  # noqa: B006
        return x * cache["k"]

    graph = lw.trace(f, lw.asarray(1.0))
    assert f.__kwdefaults__ is not None
    f.__kwdefaults__["cache"]["k"] = 3.0
    with raises(TraceError, "cache['k'], which the function holds, was 2.0, and is 3.0"):
        graph(lw.asarray(1.0))


# --- branches and loops -------------------------------------------------------------------------------------------


def write_in_a_loop(x: Any, w: Any) -> Any:
    def step(i: Any, c: Any) -> Any:
        w[0] += 1
        return c + w[0]

    return lw.fori_loop(0, 3, step, x)


def write_in_a_branch(x: Any, w: Any) -> Any:
    def taken() -> Any:
        w[0] += x
        return w[0]

    return lw.cond(x > 1, taken, lambda: x)


def write_in_a_while_loop(x: Any, w: Any) -> Any:
    def step(c: Any) -> Any:
        w[0] += 1
        return c + 1

    return lw.while_loop(lambda c: c < 5, step, x) + w[0]


def write_in_a_scan(x: Any, w: Any) -> Any:
    def step(c: Any, u: Any) -> Any:
        w[0] += u
        return c + u, c

    return lw.scan(step, x, lw.arange(3.0))[0]


def write_into_what_is_made(x: Any, w: Any) -> Any:
    v = x + lw.zeros(2)

    def step(i: Any, c: Any) -> Any:
        v[0] += 1
        return c + v[0]

    return lw.fori_loop(0, 3, step, x) + v[0]


#: Where `lw.jit` compiles.
def write_in_a_branch_and_a_loop_into_what_is_made(x: Any, w: Any) -> Any:
    v, u = w * 1, x * lw.ones(1)

    def taken() -> Any:
        v[0] += x
        return v[0]

    def step(c: Any) -> Any:
        u[0] += 1
        return c + lw.cond(u[0] > 3, taken, lambda: x)

    return lw.while_loop(lambda c: c < 20, step, x) + v[0] + u[0]


COMPILED = ("jax", "tensorflow")

WRITERS = (
    write_in_a_loop,
    write_in_a_branch,
    write_in_a_while_loop,
    write_in_a_scan,
    write_into_what_is_made,
    write_in_a_branch_and_a_loop_into_what_is_made,
)


@pytest.mark.parametrize("writer", WRITERS, ids=lambda f: f.__name__)
def test_a_write_inside_of_a_loop_is_made_or_refused_with_the_line(backend: str, writer: Callable[..., Any]) -> None:
    def make() -> Any:
        w = lw.asarray(X)

        def f(x: Any) -> Any:
            return writer(x, w)

        return f, w

    f, w = make()
    expected = [(plain(f(lw.asarray(x))), plain(w)) for x in (1.0, 2.0, 3.0)]
    ways = (lw.compile, lambda f: lw.trace(f, lw.asarray(1.0)), lw.jit)[: 2 + (backend in COMPILED)]
    for way in ways:
        f, w = make()
        if get(backend).facts.immutable:
            with raises(TraceError, "computed inside of a branch, a loop or", "return it from there"):
                way(f)(lw.asarray(2.0))
            assert plain(w) == ("float32", [*X])
        else:
            run = way(f)
            assert [(plain(run(lw.asarray(x))), plain(w)) for x in (1.0, 2.0, 3.0)] == expected


@pytest.mark.parametrize("write", ["w[0] = x", "w += x", "box['w'] = x"])
def test_what_a_mapped_function_writes_is_refused_where_it_is_compiled(backend: str, write: str) -> None:
    """TensorFlow would keep what the first of the examples writes."""
    if backend not in COMPILED:
        pytest.skip("lw.jit is the function itself there")
    w = lw.asarray(X)
    names: dict[str, Any] = {"w": w, "box": {"w": w}, "lw": lw}
    exec(f"def f(x):\n    global w\n    {write}\n    return x * 2", names)
    with raises(TraceError, "", "w"):
        lw.jit(lw.vmap(names["f"]))(lw.asarray([1.0, 2.0]))
    assert plain(w) == ("float32", [*X])
    assert names["box"]["w"] is w
    assert names["w"] is w


def test_the_line_of_a_write_inside_of_a_loop_is_named(backend: str) -> None:
    if not get(backend).facts.immutable:
        pytest.skip("the write is made there")
    w = lw.asarray(X)
    with raises(TraceError, "test_held_places.py:", "w[0] += 1"):
        lw.compile(lambda x: write_in_a_loop(x, w))(lw.asarray(1.0))


def test_jit_keeps_what_is_weak(backend: str) -> None:
    with lw.using(rules="jax"):
        x = lw.asarray(0.5)
        pair = lw.jit(lambda x: (x * 3, lw.astype(x, lw.float32)))(x)
        assert [a.weak for a in pair] == [True, False]


# --- every function -----------------------------------------------------------------------------------------------


class _Hoisted(ast.NodeTransformer):
    """Puts a variable in the place of each array that a call makes of numbers."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) in ("lw.asarray", "lw.random.key"):
            self.made.append(ast.unparse(node))
            return ast.Name(f"h{len(self.made) - 1}", ast.Load())
        return self.generic_visit(node)


def _other(x: lw.Array) -> Any:
    """Other elements for an array: its own in the other order, or the next ones."""
    data = lw.to_numpy(x)
    other = np.flip(data).copy()
    if other.size != 1:
        return other
    with np.errstate(all="ignore"):
        return ~data if data.dtype == np.bool_ else (data + np.ones((), data.dtype)).astype(data.dtype)


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return plain(call())
    except Exception as error:
        return type(error)


def _agrees(x: Any, y: Any, exact: bool) -> bool:
    """Whether two trees are the same, or numbers in them differ by rounding: some programs compute with fewer."""
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return len(x) == len(y) and all(_agrees(a, b, exact) for a, b in zip(x, y, strict=True))
    if exact or not isinstance(x, (float, complex)) or not isinstance(y, (float, complex)):
        return repr(x) == repr(y)
    return bool(np.isclose(x, y, rtol=1e-3, atol=1e-5, equal_nan=True))


#: Functions whose results nobody computed, and those that ask for values of what they are given: a trace refuses them.
_EMPTY = ("empty", "empty_like")
_OF_VALUES = """
    allclose array_equal array_equiv delete roots segment_max segment_mean segment_min segment_prod segment_sum
    trim_zeros
""".split()


@pytest.mark.filterwarnings("ignore")
def test_every_function_reads_what_is_held(backend: str) -> None:
    """All operands are variables of the function: bound to other arrays, and written into, between calls."""
    names = [n for n in fuzz.functions() if n not in (*_EMPTY, *_OF_VALUES)]
    one, wrong, exact = lw.asarray(1.0), [], not get(backend).facts.compiles
    if not EXHAUSTIVE and backend != "numpy":
        names = random.Random(f"{backend} held").sample(names, {"torch": 120, "jax": 12}.get(backend, 25))
    for name in names:
        d = fuzz.Dice(random.Random(f"{name} held"))
        statements, text = fuzz.call(d, name)
        hoisted = _Hoisted()
        expression = ast.unparse(hoisted.visit(ast.parse(text)))
        lines = [s.text for s in statements] + [f"h{i} = {made}" for i, made in enumerate(hoisted.made)]
        targets = [line.partition(" = ")[0] for line in lines]
        spaces: list[dict[str, Any]] = [{"lw": lw, "__name__": "program"} for _ in range(2)]
        program = "\n".join(lines) + f"\ndef f(t):\n    return {expression}, t + 1\n"
        try:
            for space in spaces:
                exec(program, space)
        except Exception:
            continue  # the fuzz tries operands that cannot be made, too
        eager, compiled = spaces[0]["f"], lw.compile(spaces[1]["f"])
        for change in ("none", "bound", "written"):
            for space in spaces:
                for target in targets:
                    x = space[target]
                    if isinstance(x, lw.Array) and change == "bound":
                        space[target] = lw.asarray(_other(x), backend=backend)
                    elif isinstance(x, lw.Array) and change == "written" and not get(backend).facts.lazy:
                        x[...] = lw.asarray(_other(x), backend=backend)
            expected, found = [_attempt(partial(f, one)) for f in (eager, compiled)]
            if not _agrees(found, expected, exact):
                wrong.append(f"{change}: {lines}\n{expression}\n    gives {expected}\n    compiled {found}")
    assert not wrong, "\n".join(wrong)


def test_another_function_in_the_place_of_one_is_another_program(backend: str) -> None:
    names = {"__name__": "a_program", "lw": lw}
    exec("def inner(x): return x + 1\ndef outer(x): return inner(x)", names)
    held: dict[str, Any] = {"f": lw.sin}
    listed = [lambda x: x + 1]
    made = [lw.compile(f) for f in (names["outer"], lambda x: held["f"](x) * 1, lambda x: listed[0](x) * 1)]
    x = lw.asarray([1.0, 2.0])
    for _ in range(2):
        before = [np.asarray(f(x)) for f in made]
    exec("def inner(x): return x + 10", names)  # as a cell of a notebook that is run again
    held["f"], listed[0] = lw.cos, lambda x: x + 20
    for f, old, new in zip(made, before, (x + 10, lw.cos(x), x + 20), strict=True):
        found = np.asarray(f(x))
        np.testing.assert_allclose(found, np.asarray(new), 1e-6)
        assert not np.allclose(found, old)
