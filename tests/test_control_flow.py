"""Control flow: run by Python where values are known, and by the framework where it traces, to the same results."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.backend.facts import all_facts
from latticework.errors import AxisError, BackendError, TraceError

#: Forward mode of PyTorch imports what uses it.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")

DIFFERENTIATING = [name for name, facts in all_facts().items() if facts.gradients and facts.framework]
X = np.array([1.0, 2.0, 3.0])


def f64(values: Any) -> lw.Array:
    return lw.asarray(values, dtype=lw.float64)


def check(found: Any, expected: Any, dtype: lw.Dtype = lw.float64) -> None:
    """Two trees are built alike, and have the same numbers; those found are arrays of this dtype."""
    pairs: list[Any] = []
    lw.tree.map(lambda x, y: pairs.append((x, y)), found, expected)
    for x, y in pairs:
        assert type(x) is lw.Array
        assert x.dtype is dtype
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-12, atol=1e-12)


def as_it_is(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


@pytest.fixture(params=["as it is", "compiled"])
def way(request: pytest.FixtureRequest, backend: str) -> Callable[..., Any]:
    """How a program runs: as it is, or compiled, where the framework does."""
    if request.param == "as it is":
        return as_it_is
    if backend not in ("jax", "tensorflow"):
        pytest.skip("nothing is compiled")
    return lw.jit


def test_cond_and_switch(way: Callable[..., Any]) -> None:
    def root(p: lw.Array, x: lw.Array) -> Any:
        return lw.cond(p > 0, lambda x: {"a": lw.sqrt(x), "b": [x + p]}, lambda x: {"a": -x, "b": [x - p]}, x)

    compiled = way(root)
    check(compiled(f64(2.0), f64(X)), {"a": np.sqrt(X), "b": [X + 2]})
    check(compiled(f64(-2.0), f64(X)), {"a": -X, "b": [X + 2]})
    chosen = way(lambda i, x: lw.switch(i, [lambda x: x, lambda x: x * 2, lambda x: x * 3], x))
    for i, factor in ((-5, 1), (0, 1), (1, 2), (9, 3)):
        check(chosen(lw.asarray(i), f64(X)), factor * X)
    found = way(lambda x: lw.cond(lw.all(x > 0), lambda: 1, lambda: 2))(f64(X))
    assert (found.dtype, found.tolist()) == (lw.int32, 1)


def test_only_the_branch_that_is_taken_runs(backend: str) -> None:
    def fail() -> None:
        raise AssertionError("it ran")

    check(lw.cond(f64(1.0) > 0, lambda: f64(X), fail), X)
    check(lw.cond(False, fail, lambda: f64(X)), X)
    check(lw.switch(1, [fail, lambda: f64(X), fail]), X)


def test_while_loop(way: Callable[..., Any]) -> None:
    double = way(
        lambda x: lw.while_loop(lambda c: lw.sum(c["x"]) < 100, lambda c: {"x": c["x"] * 2, "n": c["n"] + 1}, x)
    )
    found = double({"x": f64(X), "n": lw.asarray(0)})
    check(found["x"], X * 32)
    check(found["n"], 5, lw.int32)
    check(way(lambda x: lw.while_loop(lambda c: c < 0, lambda c: c - 1, x))(f64(3.0)), 3.0)


def test_fori_loop(way: Callable[..., Any]) -> None:
    check(way(lambda x: lw.fori_loop(1, 4, lambda i, c: c + i * x, lw.zeros_like(x)))(f64(X)), 6 * X)
    check(way(lambda x, n: lw.fori_loop(1, n, lambda i, c: c + i * x, 0.0 * x))(f64(X), lw.asarray(4)), 6 * X)
    check(way(lambda x: lw.fori_loop(4, 1, lambda i, c: c * 2, x))(f64(X)), X)
    check(way(lambda x: lw.fori_loop(0, 3, lambda i, c: c + x[i], 0.0))(f64(X)), 6.0)


def test_scan(way: Callable[..., Any]) -> None:
    def step(c: Any, v: Any) -> Any:
        return {"s": c["s"] + v["x"]}, {"y": [c["s"] * 2], "none": None}

    found, ys = way(lambda x: lw.scan(step, {"s": f64(10.0)}, {"x": x}))(f64(X))
    check(found, {"s": 16.0})
    check(ys, {"y": [[20.0, 22.0, 26.0]], "none": None})
    check(way(lambda x: lw.scan(lambda c, v: (c + v, c), f64(0.0), x, reverse=True))(f64(X)), (6.0, [5.0, 3.0, 0.0]))
    check(way(lambda x: lw.scan(lambda c, _: (c * 2, None), x, length=3))(f64(X)), (8 * X, None))
    rows = way(lambda x: lw.map(lambda row: (lw.sum(row), row[:2]), x))(f64([X, X * 2]))
    check(rows, ([6.0, 12.0], [X[:2], 2 * X[:2]]))


def test_a_python_number_that_is_carried_takes_the_dtype_of_the_first_step(way: Callable[..., Any]) -> None:
    check(way(lambda x: lw.scan(lambda c, v: (c + v, c), 0.1, x))(f64(X)), (6.1, [0.1, 1.1, 3.1]))
    check(way(lambda x: lw.while_loop(lambda c: c < 3, lambda c: c + x[0], 0))(f64(X)), 3.0)
    # of no steps too
    of_none = way(lambda x: lw.scan(lambda c, v: (c + v, {"y": c + v}), 0.0, x))
    check(of_none(f64(np.zeros((0, 2)))[:, 0]), (0.0, {"y": []}))


def test_associative_scan(way: Callable[..., Any]) -> None:
    for n in range(6):
        numbers = np.arange(1, n + 1) * 7 % 11
        x = lw.asarray(numbers, dtype=lw.int32)
        check(lw.associative_scan(lw.add, x), numbers.cumsum(), lw.int32)
    a, b = np.array([[1.0, 2.0, 3.0, 1.0, 2.0]] * 2), np.array([[5.0, 4.0, 3.0, 2.0, 1.0]] * 2)

    def affine(p: Any, q: Any) -> Any:
        return p[0] * q[0], q[0] * p[1] + q[1]

    def one_by_one(a: Any, b: Any) -> Any:
        rows = [(a[:, 0], b[:, 0])]
        for i in range(1, 5):
            rows.append(affine(rows[-1], (a[:, i], b[:, i])))
        return tuple(np.stack(column, axis=1) for column in zip(*rows, strict=True))

    check(way(lambda *x: lw.associative_scan(affine, x, axis=-1))(f64(a), f64(b)), one_by_one(a, b))
    backward = way(lambda *x: lw.associative_scan(affine, x, axis=1, reverse=True))(f64(a), f64(b))
    check(backward, tuple(x[:, ::-1] for x in one_by_one(a[:, ::-1], b[:, ::-1])))


def test_an_associative_scan_keeps_the_blocks() -> None:
    da = pytest.importorskip("dask.array")
    y = lw.associative_scan(lw.add, lw.asarray(da.arange(9, chunks=(4, 5))))
    assert y.data.chunks == ((4, 5),)
    assert y.tolist() == np.arange(9).cumsum().tolist()


def test_an_associative_scan_is_of_logarithmic_depth() -> None:
    runs: list[int] = []

    def add(a: lw.Array, b: lw.Array) -> lw.Array:
        runs.append(len(a))
        return a + b

    with lw.using(backend="numpy"):
        lw.associative_scan(add, lw.ones(1000))
    assert len(runs) <= 20
    assert sum(runs) < 2000


# --- gradients and maps ---------------------------------------------------------------------------------------------


def test_gradients_of_control_flow(way: Callable[..., Any], backend: str) -> None:
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivatives")
    check(way(lw.grad(lambda x: lw.scan(lambda c, v: (c * v, None), 1.0, x)[0]))(f64(X)), [6.0, 3.0, 2.0])
    check(way(lw.grad(lambda x: lw.cond(x > 0, lambda: x**2, lambda: -x)))(f64(3.0)), 6.0)
    check(way(lw.grad(lambda x: lw.fori_loop(0, 3, lambda i, c: c * x, 1.0)))(f64(3.0)), 27.0)
    check(way(lw.grad(lambda x: lw.associative_scan(lw.multiply, x)[-1]))(f64(X)), [6.0, 3.0, 2.0])
    second = way(lw.hessian(lambda x: lw.scan(lambda c, v: (c * v, None), 1.0, x)[0]))(f64(X))
    check(second, np.array([[0.0, 3.0, 2.0], [3.0, 0.0, 1.0], [2.0, 1.0, 0.0]]))


def test_examples_of_a_vmap_take_their_own_branch(way: Callable[..., Any], backend: str) -> None:
    check(way(lw.vmap(lambda v: lw.cond(v > 1.5, lambda: v * 10, lambda: v)))(f64(X)), [1.0, 20.0, 30.0])
    chosen = way(lw.vmap(lambda i, v: lw.switch(i, [lambda: v, lambda: v * 2, lambda: v * 3])))
    check(chosen(lw.asarray([0, 2, 1]), f64(X)), [1.0, 6.0, 6.0])
    check(way(lw.vmap(lambda v: lw.scan(lambda c, u: (c + u * v, None), f64(0.0), f64(X))[0]))(f64(X)), 6 * X)
    until = lw.vmap(lambda v: lw.while_loop(lambda c: c < 10, lambda c: c * 2, v))
    if backend == "torch":
        with pytest.raises(ValueError, match="while_loop: the condition differs from example to example"):
            until(f64(X))
    else:
        check(way(until)(f64(X)), [16.0, 16.0, 12.0])


def test_a_branch_that_an_example_does_not_take_has_no_derivative(way: Callable[..., Any], backend: str) -> None:
    """The root of 0 has none. What the branch uses is an operand, around it, or in a tree."""

    def roots(v: lw.Array) -> Any:
        tree = {"v": v, "names": ["a"]}
        one = lw.cond(v < 0.5, lambda x: x, lw.sqrt, v)
        two = lw.cond(v < 0.5, lambda: v, lambda: lw.sqrt(v))
        return one + two + lw.switch(lw.astype(v >= 0.5, lw.int32), [lambda: v, lambda: lw.sqrt(tree["v"])])

    x = f64([0.0, 1.0, 4.0])
    check(way(lw.grad(lambda x: lw.sum(lw.vmap(roots)(x))))(x), [3.0, 1.5, 0.75])
    check(way(lw.vmap(lw.grad(roots)))(x), [3.0, 1.5, 0.75])


@pytest.mark.parametrize("name", ["cond", "switch"])
def test_a_branch_of_a_dialect_that_an_example_does_not_take_has_no_derivative(name: str, backend: str) -> None:
    import latticework.frontends.jax as jax
    import latticework.frontends.jax.numpy as jnp

    def root(x: Any) -> Any:
        if name == "cond":
            return jax.lax.cond(x < 0.5, lambda: 2 * x, lambda: jnp.sqrt(x))
        return jax.lax.switch(jnp.int32(x >= 0.5), [lambda: 2 * x, lambda: jnp.sqrt(x)])

    slopes = jax.grad(lambda x: jax.vmap(root)(x).sum())(jnp.asarray([0.0, 1.0, 4.0]))
    np.testing.assert_array_equal(np.asarray(slopes), [2.0, 0.5, 0.25])


def test_a_branch_that_an_example_does_not_take_writes_nothing(backend: str) -> None:
    def f(v: lw.Array) -> Any:
        w = lw.zeros(2, dtype=lw.float64) + v

        def write() -> lw.Array:
            w[0] = 7.0
            return v

        return lw.cond(v > 0, write, lambda: v), 1 * w

    if backend in ("numpy", "dask"):  # whose examples are taken one by one
        check(lw.vmap(f)(f64([1.0, -2.0]))[1], [[7.0, 1.0], [-2.0, -2.0]])
        return
    with pytest.raises((TraceError, BackendError), match=_WRITES):
        lw.vmap(f)(f64([1.0, -2.0]))


#: What is said of a branch or a step that writes outside of itself, with the line.
_WRITES = r"(true_fn|branch 0) (writes to|changes) .*test_control_flow.py:\d+: .*= |being traced, and .*py:\d+: .*= "
TABLE: dict[str, Any] = {}


def _writing(v: lw.Array, place: str) -> Callable[[], lw.Array]:
    """Make a branch that writes to a place outside of it."""
    w, log, held = TABLE["w"], TABLE["log"], TABLE["held"]

    def branch() -> lw.Array:
        if place == "array":
            w[0] = v
        elif place == "global":
            TABLE["w"][1] = v
        elif place == "list":
            _ = log.append(v * 2)
        elif place == "dict":
            TABLE["new"] = v * 2
        else:
            held.mean = v * 2
        return v * 3

    return branch


def _ways_to_record(backend: str) -> dict[str, Callable[[Any], Any]]:
    ways: dict[str, Callable[[Any], Any]] = {
        "vmap": lambda f: lw.vmap(f)(f64([1.0, -2.0])), "vmap of grad": lambda f: lw.vmap(lw.grad(f))(f64([1.0, -2.0])),
    }  # fmt: skip
    if backend == "torch":
        return ways
    ways["jit"] = lambda f: lw.jit(f)(f64(2.0))
    if backend == "jax":
        import jax

        ways["jax.jit"] = lambda f: jax.jit(lambda v: f(lw.asarray(v)).data)(f64(2.0).data)
    if backend == "tensorflow":
        import tensorflow as tf

        ways["tf.function"] = lambda f: tf.function(lambda v: f(lw.asarray(v)).data, autograph=False)(f64(2.0).data)
    return ways


@pytest.mark.parametrize("place", ["array", "global", "list", "dict", "attribute"])
def test_a_branch_or_step_that_is_recorded_writes_nothing_outside_of_it(backend: str, place: str) -> None:
    if backend in ("numpy", "dask"):
        pytest.skip("nothing is recorded")
    loops: dict[str, Callable[[Any], Any]] = {
        "fori": lambda v: lw.fori_loop(0, lw.astype(lw.abs(v), lw.int32), lambda i, c: c + _writing(v, place)(), v),
        "while": lambda v: lw.while_loop(lambda c: c < 100, lambda c: c + 50 + 0 * _writing(v, place)(), v),
    }
    programs: dict[str, Callable[[Any], Any]] = {
        "cond": lambda v: lw.cond(v > 0, _writing(v, place), lambda: v),
        "switch": lambda v: lw.switch(lw.astype(v > 0, lw.int32), [_writing(v, place), lambda: v]),
    } | (loops if backend != "torch" else {})
    for way, run in _ways_to_record(backend).items():
        for name, program in programs.items():
            if name in loops and way == "vmap of grad":
                continue
            TABLE.clear()
            TABLE.update(w=f64([0.0, 0.0]), log=[f64(1.0)], held=SimpleNamespace(mean=f64(1.0)))
            before = [*TABLE["log"], TABLE["held"].mean]
            own = backend == "torch" and way == "vmap of grad" and place in ("array", "global")
            with pytest.raises(ValueError if own else (TraceError, BackendError), match="in-place" if own else _WRITES):
                run(program)
            assert all(a is b for a, b in zip([*TABLE["log"], TABLE["held"].mean], before, strict=True)), (way, name)
            assert [*TABLE] == ["w", "log", "held"]


def test_a_branch_that_is_recorded_writes_to_its_own(backend: str) -> None:
    """To arrays and lists that it makes, and to lists of other things than arrays."""
    names: list[str] = []

    def f(v: lw.Array) -> Any:
        def branch() -> lw.Array:
            table, rows = lw.zeros(2, dtype=lw.float64), [v]
            table[0] = v
            rows.append(table[0] * 2)
            names.append("branch")
            return rows[-1]

        return lw.cond(v > 0, branch, lambda: v)

    check(lw.vmap(f)(f64([1.0, -2.0])), [2.0, -2.0])
    if backend != "tensorflow":  # which has no derivative of a write in a branch of a map
        check(lw.vmap(lw.grad(f))(f64([1.0, -2.0])), [2.0, 1.0])
    assert names


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda x: lw.scan(lambda c, v: ({"s": lw.astype(c["s"], lw.float32)}, None), {"s": x}, x),
            TypeError, r"scan: what is carried must.*float64 of shape \(3,\) and float32 of shape \(3,\) at \['s'\]",
        ),
        (
            lambda x: lw.while_loop(lambda c: lw.sum(c) < 100, lambda c: lw.concat([c, c]), x),
            TypeError, r"while_loop: what is carried.*shape \(3,\) and float64 of shape \(6,\)",
        ),
        (lambda x: lw.fori_loop(0, 2, lambda i, c: (c, c), x), TypeError, r"fori_loop: .*of \* and \(\*, \*\)"),
        (lambda x: lw.cond(x > 0, lambda: x, lambda: x), TypeError, r"one bool.*bool of shape \(3,\).*lw.any"),
        (lambda x: lw.cond(x[0], lambda: x, lambda: x), TypeError, "got float64.*Compare"),
        (lambda x: lw.switch(x[0], [lambda: x]), TypeError, "the index is one integer"),
        (lambda x: lw.switch(0, []), ValueError, "no branches"),
        (lambda x: lw.scan(lambda c, v: c, x, x), TypeError, r"returns a pair, \(carry, y\)"),
        (lambda x: lw.scan(lambda c, v: (c, v), x, None), ValueError, "Give length="),
        (lambda x: lw.scan(lambda c, v: (c, v), x, {"a": x, "b": x[:2]}), ValueError, r"got 3 \(xs\['a'\]\), 2 \("),
        (lambda x: lw.scan(lambda c, v: (c, v), x, [x[0]]), TypeError, r"xs\[0\] has no first axis"),
        (lambda x: lw.map(lambda v: "text", x), TypeError, "must be an array or a number; got str"),
        (lambda x: lw.fori_loop(0.5, 2, lambda i, c: c, x), TypeError, "lower is one integer"),
        (lambda x: lw.associative_scan(lw.less, x), TypeError, "it gets float64 .* returns bool"),
        (lambda x: lw.associative_scan(lw.add, x, axis=1), AxisError, r"axis 1 is out of bounds .*\(3,\)"),
    ],
)  # fmt: skip
def test_errors_name_the_place(
    way: Callable[..., Any], call: Callable[[lw.Array], Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        way(call)(f64(X))


def test_branches_that_differ_are_refused_where_both_are_traced(backend: str) -> None:
    if backend not in ("jax", "tensorflow"):
        pytest.skip("nothing is compiled")
    differing = lw.jit(lambda x: lw.cond(lw.sum(x) > 0, lambda: {"a": x}, lambda: {"a": x[:1]}))
    with pytest.raises(TypeError, match=r"shape \(1,\) and float64 of shape \(3,\) at \['a'\]"):
        differing(f64(X))


def test_control_flow_of_arrays_without_data() -> None:
    x = lw.spec((4, 3), "float64")
    assert lw.infer(lambda x: lw.cond(lw.sum(x) > 0, lambda: x, lambda: -x), x) == x
    found, ys = lw.infer(lambda x: lw.scan(lambda c, row: (c + row, lw.sum(row)), 0.0 * x[0], x), x)
    assert (found, ys) == (lw.spec((3,), "float64"), lw.spec((4,), "float64"))
    assert lw.infer(lambda x: lw.while_loop(lambda c: lw.all(c < 3), lambda c: c + 1, x), x) == x
