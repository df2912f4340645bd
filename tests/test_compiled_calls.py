"""Warm calls of compiled functions: however their arguments are built, they give what the function itself gives."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import latticework as lw
import latticework.frontends.torch as torch_dialect
from latticework.core.trees import flatten
from latticework.engine.functions import entry
from latticework.errors import TraceError
from latticework.policy import TABLES

Pair = namedtuple("Pair", "first second")  # noqa: PYI024 - as programs write it


class OwnDict(dict[str, Any]):
    """What is no container to a tree."""


class Model:
    """An object with an array, whose method is compiled."""

    def __init__(self, weight: lw.Array) -> None:
        self.weight = weight

    def forward(self, x: lw.Array) -> lw.Array:
        return x * self.weight


def same(a: Any, b: Any) -> None:
    """Check that two trees are of the same classes, and have the same numbers, types and dtypes."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        assert getattr(a, "default_factory", None) is getattr(b, "default_factory", None)
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, lw.Array):
        assert a.dtype is b.dtype
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    else:
        assert repr(a) == repr(b)


def array(*values: float, backend: str = "numpy") -> lw.Array:
    return lw.asarray(values, dtype=lw.float32, backend=backend)


#: Arrays of a few signatures and shapes; one may lie at several places of a tree.
POOL = [
    array(1, 2, 3), array(4, 5, 6), array(7), lw.asarray([1, 2, 3], backend="numpy"),
    lw.asarray([[1, 2, 3]], dtype=lw.float64, backend="numpy"), lw.asarray(2.0, backend="numpy"),
]  # fmt: skip
NUMBERS = [0, 1, 2, True, False, 0.0, -0.0, 1.5, 2j]
LEAVES = st.sampled_from([*range(len(POOL))]).map(POOL.__getitem__) | st.sampled_from([*NUMBERS, "a", "b", None])
KEYS = st.sampled_from(["w", "b", "layers", "x1", "}"])


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    dicts = st.dictionaries(KEYS, inner, max_size=3)
    return (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.tuples(inner, inner).map(lambda pair: Pair(*pair))
        | dicts
        | dicts.map(OrderedDict)
        | dicts.map(lambda d: defaultdict(list, d))
        | st.dictionaries(st.sampled_from([0, 1, 7]), inner, max_size=2)
    )


TREES = st.recursive(LEAVES, containers, max_leaves=8)


def doubled(tree: Any, by: Any = 2) -> Any:
    """A tree of the same kind: arrays of one element are as they are, others are doubled."""
    if isinstance(tree, lw.Array):
        return tree if tree.shape == (1,) else tree * by
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[doubled(x, by) for x in tree])
    if isinstance(tree, (list, tuple)):
        return type(tree)([doubled(x, by) for x in tree])
    if isinstance(tree, dict):
        made = defaultdict(tree.default_factory) if isinstance(tree, defaultdict) else type(tree)()
        made.update({key: doubled(x, by) for key, x in tree.items()})
        return made
    return tree


def of_anything(*args: Any, **kw: Any) -> Any:
    return doubled([[*args], kw, array(1, 1, 1)])


@given(st.lists(st.tuples(st.lists(TREES, max_size=3), st.dictionaries(st.sampled_from("pqr"), TREES, max_size=2)),
                min_size=1, max_size=4))  # fmt: skip
@settings(max_examples=examples(100), deadline=None)
def test_a_warm_call_gives_what_the_function_gives(calls: list[tuple[list[Any], dict[str, Any]]]) -> None:
    f = lw.compile(of_anything)
    for _ in range(3):
        for args, kw in calls:
            found, expected = f(*args, **kw), of_anything(*args, **kw)
            same(found, expected)
            given, returned = flatten(expected)[0], flatten(found)[0]
            known = {id(x) for x in flatten((args, kw))[0] if isinstance(x, lw.Array)}
            for x, y in zip(given, returned, strict=True):  # what is returned as it is, is the argument itself
                assert (x is y) if id(x) in known else (id(y) not in known or not isinstance(y, lw.Array))


@given(st.lists(TREES, min_size=2, max_size=4), st.lists(st.integers(0, 3), min_size=80, max_size=120))
@settings(max_examples=examples(10), deadline=None)
def test_calls_in_any_order(trees: list[Any], order: list[int]) -> None:
    """More calls of one form than it takes for it to become the first."""
    f, x = lw.compile(lambda t, x: (doubled(t), x + 1)), POOL[0]
    expected = [(doubled(t), x + 1) for t in trees]
    for i in order:
        k = i % len(trees)
        same(f(trees[k], x), expected[k])
    for k, tree in enumerate(trees):
        for _ in range(2 * entry._OFTEN):
            found = f(tree, x)
        same(found, expected[k])


def warm(f: Callable[..., Any], *args: Any, **kw: Any) -> Any:
    """The result of a call that has been made before; the slow way is not gone."""
    for _ in range(2):
        f(*args, **kw)
    compiled = f.compiled  # type: ignore[attr-defined]
    slow, compiled.entry._slow = compiled.entry._slow, None
    try:
        return f(*args, **kw)
    finally:
        compiled.entry._slow = slow


ARGUMENTS: dict[str, Callable[[Any], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "20 arrays": lambda a: (tuple(a() for _ in range(20)), {}),
    "a list": lambda a: (([a(), a()],), {}),
    "a tree": lambda a: (({"w": a(), "rest": [a(), (a(), None)], "none": {}},), {}),
    "a named tuple": lambda a: ((Pair(a(), [a()]),), {}),
    "an ordered dict": lambda a: ((OrderedDict(z=a(), y=a()),), {}),
    "by name": lambda a: ((a(),), {"y": a(), "n": 2}),
    "a default left out": lambda a: ((a(),), {}),
    "None": lambda a: ((a(), None), {}),
    "a string and a number": lambda a: ((a(), "up", 2.5), {}),
    "an object": lambda a: ((Model(a()), a()), {}),
    "a set": lambda a: ((a(), {1, 2}), {}),
    "a native array": lambda a: ((a().data, [a().data]), {}),
}


@pytest.mark.backend
@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("case", ARGUMENTS)
def test_a_second_call_does_not_go_the_slow_way(backend: str, case: str, native: bool) -> None:
    if native and backend in ("numpy", "dask", "torch"):
        pytest.skip("it has no compiler, or one that takes a minute for these")

    def first(tree: Any) -> Any:
        return next(x for x in flatten(tree)[0] if not isinstance(x, (Model, str, float, int, set)))

    def f(*args: Any, **kw: Any) -> Any:
        return {"sum": first((args, kw)) + 1, "rest": [None, "kept"]}

    args, kw = ARGUMENTS[case](lambda: lw.asarray([1.0, 2.0]))
    found = warm(lw.compile(f, native=native), *args, **kw)
    assert [*found] == ["rest", "sum"] or [*found] == ["sum", "rest"]
    assert found["rest"] == [None, "kept"]
    np.testing.assert_array_equal(np.asarray(found["sum"]), [2, 3])


@pytest.mark.backend
def test_an_array_that_is_given_twice_and_written_into(backend: str) -> None:
    def f(pair: list[lw.Array], z: lw.Array) -> lw.Array:
        x, y = pair
        x += 1
        return x + y + z

    compiled = lw.compile(f)
    for _ in range(4):
        for same_array in (False, True, False):
            results = []
            for g in (f, compiled):
                x = lw.asarray([1.0, 2.0])
                y = x if same_array else lw.asarray([1.0, 2.0])
                results.append((g([x, y], lw.asarray(3.0)), x, y))
            same(results[1], results[0])


def test_overlapping_memory_and_views() -> None:
    def f(d: dict[str, lw.Array]) -> lw.Array:
        d["x"][...] = d["y"] * 2
        return d["x"] + d["y"]

    compiled = lw.compile(f)
    for _ in range(3):
        for shift in (0, 1, 3):
            results = []
            for g in (f, compiled):
                data = np.arange(8, dtype=np.float32)
                x, y = lw.asarray(data[shift : shift + 4]), lw.asarray(data[:4])
                results.append((g({"x": x, "y": y}), lw.asarray(data)))
            same(results[1], results[0])


def test_constants_are_told_apart_by_type_and_sign() -> None:
    def f(x: lw.Array, n: Any) -> tuple[lw.Array, str]:
        return x + 1, repr(n)

    compiled, x = lw.compile(f), array(1)
    values: list[Any] = [0, 0.0, -0.0, False, True, 1, 1.0, complex(0.0, -0.0), 0j, float("nan"), np.float64(0.0)]
    values += [
        np.float64(-0.0),
        complex(1, -0.0),
        complex(1, 0.0),
        complex(-0.0, 1),
        1j,
        "1",
        b"1",
        range(3),
        slice(0, 2),
        frozenset((1,)),
        lw.float32,
        Ellipsis,
    ]
    for _ in range(3):
        for value in values:
            assert compiled(x, value)[1] == repr(value)


def test_objects_that_are_equal_and_those_that_have_no_hash() -> None:
    def f(x: lw.Array, d: Any) -> lw.Array:
        return x * len(d)

    compiled, x = lw.compile(f), array(1, 2)
    for n in [1, 2, 3, 1, 2, 3, 4]:
        for make in (OwnDict, set):
            d = make((str(i), i) for i in range(n))
            for _ in range(2):
                same(compiled(x, d), f(x, d))


def test_numbers_as_inputs_and_the_branches_that_they_choose() -> None:
    def f(x: lw.Array, rate: float, how: str = "up") -> lw.Array:
        return x * rate if rate < 1 else x + rate

    compiled, x = lw.compile(f), array(1, 2)
    for _ in range(3):
        for rate in (0.5, 2.0, 0.25, 3.0, -0.0, 0.0, 7.0):
            for kw in ({}, {"how": "up"}, {"how": "down"}):
                same(compiled(x, rate, **kw), f(x, rate, **kw))
                same(compiled(x, rate=rate, **kw), f(x, rate, **kw))
    assert len(compiled.compiled.graphs) <= 24  # type: ignore[attr-defined]
    same(warm(compiled, x, 0.75), f(x, 0.75))
    same(warm(compiled, x, 9.0), f(x, 9.0))


def test_a_dialects_array_is_told_from_ours() -> None:
    f = lw.compile(lambda x: x + 1)
    ours, theirs = array(1, 2), torch_dialect.asarray([1.0, 2.0])
    for _ in range(3):
        assert type(f(ours)) is lw.Array
        assert type(f(theirs)) is type(theirs)


def test_orders_of_keys() -> None:
    def f(d: dict[str, Any]) -> lw.Array:
        return d["a"] - d["b"]

    compiled, x, y = lw.compile(f), array(5), array(3)
    for _ in range(3):
        for d in ({"a": x, "b": y}, {"b": y, "a": x}, {"a": y, "b": x}, OrderedDict(a=x, b=y), OrderedDict(b=y, a=x)):
            same(compiled(d), f(d))


@pytest.mark.backend
def test_other_shapes_dtypes_and_policies(backend: str) -> None:
    f = lw.compile(lambda t: [t[0] / 2, t[0].shape[0]])
    arrays = [lw.ones(n, dtype=dtype) for n in (1, 2, 3) for dtype in (lw.int32, lw.float32)]
    for _ in range(3):
        for rules in ("unified", "torch", "numpy" if backend != "tensorflow" else "jax"):
            with lw.using(rules=rules):
                for x in arrays:
                    found = f([x])
                    assert found[0].dtype is (x / 2).dtype
                    assert found[1] == x.shape[0]


def test_errors_are_those_of_the_function() -> None:
    def f(x: lw.Array, pair: tuple[lw.Array, lw.Array], scale: float = 1.0) -> lw.Array:
        return x + pair[0] * scale + pair[1]

    compiled, x = lw.compile(f), array(1, 2)
    for _ in range(3):
        same(compiled(x, (x, x)), f(x, (x, x)))
        for args, kw in [
            ((), {}), ((x,), {}), ((x, (x,)), {}), ((x, (x, x), 1.0, 2), {}), ((x, (x, x)), {"unknown": 1}),
            ((x, {"a": x, "b": x}), {}), ((x, (x, array(1, 2, 3))), {}),
        ]:  # fmt: skip
            errors = []
            for g in (f, compiled):
                with pytest.raises((TypeError, ValueError, IndexError, KeyError, TraceError)) as caught:
                    g(*args, **kw)
                errors.append(type(caught.value))
            assert issubclass(errors[1], errors[0])


def test_an_error_in_the_program_names_the_function() -> None:
    compiled, a = lw.compile(lambda xs: lw.matmul(xs[0], xs[1])), lw.ones((2, 3))
    compiled([a, lw.ones((3, 2))])
    for _ in range(2):
        with pytest.raises(ValueError, match="matmul"):
            compiled([a, lw.ones((4, 2))])


def test_more_forms_than_are_kept() -> None:
    f = lw.compile(lambda xs: xs[-1] * len(xs))
    x = array(1, 2)
    for _ in range(2):
        for n in range(1, 3 * entry._FORMS):
            same(f([x] * n), x * n)
    assert len(f.compiled.entry._forms) <= entry._FORMS  # type: ignore[attr-defined]
    assert len(f.compiled.entry._names) < 100 * entry._FORMS  # type: ignore[attr-defined]


def test_more_constants_and_shapes_than_are_kept() -> None:
    f = lw.compile(lambda xs, how: xs[0] + len(how))
    for n in range(2 * entry._MOST):
        x = lw.ones(n % 7 + 1)
        for _ in range(2):  # what is called again is kept
            same(f([x], "a" * (n % 300)), x + n % 300)
    kept = [len(found) for found in f.compiled.entry.kernels.values()]  # type: ignore[attr-defined]
    assert max(kept) <= entry._MOST


def test_a_deep_tree() -> None:
    def deep(x: Any, n: int) -> Any:
        for _ in range(n):
            x = [x]
        return x

    f = lw.compile(lambda t: deep(flatten(t)[0][0] + 1, 150))
    for _ in range(3):
        assert flatten(f(deep(array(1), 150)))[0][0] == 2


def test_nothing_is_kept_alive() -> None:
    f = lw.compile(lambda d, how: {"a": d["a"] + 1})
    for _ in range(3):
        x = array(1, 2)
        f({"a": x}, "up")
    alive = weakref.ref(x)
    del x
    assert alive() is None
    gone = weakref.ref(f)
    name = f.compiled.table  # type: ignore[attr-defined]
    del f
    gc.collect()
    assert gone() is None
    assert name not in TABLES


def test_in_a_trace_it_does_not_look_at_extents() -> None:
    inner = lw.compile(lambda t: t["x"] * 2)
    for _ in range(3):
        inner({"x": array(1, 2)})
    graph = lw.trace(lambda x: inner({"x": x}) + 1, array(1, 2, 3))
    same(graph(array(1, 2, 3, 4)), array(3, 5, 7, 9))


def test_threads() -> None:
    f = lw.compile(doubled)
    x = array(1, 2)
    trees = [[x] * n for n in range(1, 6)] + [{"a": x, "b": (x,)}, Pair(x, None), x]
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for i in range(300):
                tree, n = trees[(i * seed) % len(trees)], (2, 3, 0.5)[i % 3]
                same(f(tree, n), doubled(tree, n))
        except BaseException as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 3, 5, 7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors


def test_a_warm_call_enters_few_functions() -> None:
    """The function that the user has, the source of the graph, and what puts a tree of results together."""
    from test_tracing_cost import calls_of

    x = array(1, 2)
    cases: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [
        (lambda t: t["w"] + 1, ({"w": x, "b": [x, (x, x)]},), 2),
        (lambda t: {"w": t["w"] + 1, "b": t["b"]}, ({"w": x, "b": [x, (x, x)]},), 3),
        (lambda *xs: xs[0] + 1, (x,) * 20, 2),
        (lambda x, how=None: x + 1, (x, None), 2),
        (lambda x, how: x + 1, (x, "up"), 2),
        (lambda x: x + 1, (x.data,), 2),
    ]
    for f, args, most in cases:
        compiled = lw.compile(f)
        for _ in range(entry._WARM + 2):
            compiled(*args)
        assert calls_of(lambda compiled=compiled, args=args: compiled(*args)) <= most + 1  # and the lambda here


def test_a_call_that_is_compared_first_gives_way_to_others() -> None:
    """Of another shape, dtype, class, tree, constant or policy, each often enough to be the one that is compared."""

    def f(t: Any, how: Any = 1.0) -> Any:
        return [t["x"] / 2 + (how == 1), str(how), t["x"]]

    compiled = lw.compile(f)
    cases: list[tuple[Any, ...]] = [({"x": x},) for x in POOL]
    cases += [({"x": POOL[0]}, how) for how in (1, 1.0, True, 0.0, -0.0, "up", None, (1, 2), Model(POOL[0]))]
    for many in (2 * entry._WARM, 1, 1):
        for rules in ("unified", "torch"):
            for case in cases:
                with lw.using(rules=rules):
                    for _ in range(many):
                        same(compiled(*case), f(*case))
    for dtype in (lw.float64, lw.float32):  # the process default, which no context sets
        lw.set_default_dtype(dtype)
        try:
            for _ in range(2 * entry._WARM):
                same(compiled({"x": POOL[3]}), f({"x": POOL[3]}))
        finally:
            lw.unset_default_dtype()


@pytest.mark.backend
def test_jit_of_trees_constants_and_other_shapes(backend: str) -> None:
    def f(model: Any, tree: dict[str, Any], how: str, n: float = 1.0) -> Any:
        return {"sum": tree["x"] * n + len(how) + model.weight, "rest": [tree["rest"][0], how, None]}

    compiled, models = lw.jit(f, static_argnums=0), [Model(lw.asarray(1.0)), Model(lw.asarray(2.0))]
    for _ in range(3):
        for model in models:
            for n, how in ((1.0, "a"), (2.0, "bc"), (-0.0, "a"), (0.0, "a")):
                for size in (1, 2):
                    x = lw.ones(size)
                    for args in ((model, {"x": x, "rest": (x,)}, how), (model, {"rest": (x,), "x": x}, how)):
                        same(compiled(*args, n=n), f(*args, n=n))
                        same(compiled(*args), f(*args))
    with lw.using(rules="torch" if backend != "tensorflow" else "jax"):
        x = lw.ones(2, dtype=lw.int32)
        args = models[0], {"x": x, "rest": [x]}, "a"
        for _ in range(2):
            same(compiled(*args, n=2), f(*args, n=2))
