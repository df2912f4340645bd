"""Transformations of functions: what `lw.grad`, `lw.vmap`, `lw.jit` and their kin give, against derivatives by hand.

The programs are the same on every backend. On NumPy and Dask `lw.vmap` is a loop, `lw.jit` nothing, and derivatives are
latticework's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import latticework as lw
from latticework.api import transformations
from latticework.backend import get
from latticework.backend.facts import all_facts
from latticework.errors import AxisError, BackendError

#: Forward mode of PyTorch imports what uses it.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")

DIFFERENTIATING = [name for name, facts in all_facts().items() if facts.gradients and facts.framework]


class Layer(NamedTuple):
    """A named tuple, as a layer's parameters may be."""

    weight: Any
    bias: Any


@pytest.fixture
def differentiating(backend: str) -> str:
    """A backend whose framework differentiates."""
    if backend not in DIFFERENTIATING:
        pytest.skip("its refusal is a test of its own")
    return backend


def f64(values: Any) -> lw.Array:
    return lw.asarray(values, dtype=lw.float64)


def check(found: Any, expected: Any) -> None:
    """Two trees are built alike, and have the same numbers; those found are arrays of float64."""
    pairs: list[Any] = []
    lw.tree.map(lambda x, y: pairs.append((x, y)), found, expected)
    for x, y in pairs:
        assert type(x) is lw.Array
        assert x.backend == lw.current_backend()
        assert x.dtype is lw.complex128 if np.iscomplexobj(y) else x.dtype is lw.float64
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-12, atol=1e-12)


#: What is differentiated by; the tests hold arrays of float64 of it.
X = np.array([1.0, 2.0, 3.0])
#: What type checkers take for anything.
NOTHING: Any = 3


# --- grad and value_and_grad --------------------------------------------------------------------------------------


def test_gradients_are_built_as_the_arguments_are(differentiating: str) -> None:
    def loss(params: Any, scale: str, *, x: lw.Array) -> Any:
        layer = params["layers"][0]
        assert params["none"] is None
        assert scale == "a string"
        return lw.sum(layer.weight * x) * params["b"] + layer.bias**2

    params = {"layers": [Layer(f64(X), f64(3.0))], "b": f64(2.0), "none": None}
    expected = {"layers": [Layer(2 * X, 6.0)], "b": X @ X, "none": None}
    check(lw.grad(loss)(params, "a string", x=f64(X)), expected)
    value, gradient = lw.value_and_grad(loss)(params, "a string", x=f64(X))
    check(value, 2 * X @ X + 9)
    check(gradient, expected)


def test_argnums_and_what_is_returned_beside_the_value(differentiating: str) -> None:
    def f(a: lw.Array, b: lw.Array, note: str) -> Any:
        return lw.sum(a * b), {"note": note, "number": 3, "array": a + b, "none": None}

    (value, aux), gradients = lw.value_and_grad(f, argnums=(0, -2), has_aux=True)(f64(X), f64(X + 1), "n")
    check((value, gradients), (X @ (X + 1), (X + 1, X)))
    assert (aux["note"], aux["number"], aux["none"]) == ("n", 3, None)
    check(aux["array"], 2 * X + 1)
    gradient, aux = lw.grad(f, 1, has_aux=True)(f64(X), f64(X), "n")
    check(gradient, X)
    assert aux["note"] == "n"


def test_gradients_have_the_dtype_of_the_argument(differentiating: str) -> None:
    for dtype in (lw.float16, lw.bfloat16, lw.float32):
        found = lw.grad(lambda x: lw.sum(x * 3))(lw.asarray([1.0, 2.0], dtype=dtype))
        assert found.dtype is dtype
        assert found.tolist() == [3.0, 3.0]
    assert lw.grad(lambda x: x * x)(3.0).dtype is lw.float32  # Python's floats are arrays of the default dtype
    native = lw.asarray([1.0, 2.0]).data
    assert lw.grad(lambda x: lw.sum(x**2))(native).tolist() == [2.0, 4.0]  # and a framework's own arrays are taken


def test_a_result_without_the_argument_has_the_gradient_zero(differentiating: str) -> None:
    check(lw.grad(lambda x: 3.0)(f64(X)), 0 * X)
    check(lw.grad(lambda x, y: lw.sum(y), argnums=(0, 1))(f64(X), f64(X)), (0 * X, 0 * X + 1))


def test_lists_of_arrays_and_numbers_have_derivatives(differentiating: str) -> None:
    x = lw.asarray([1.0, 2.0])
    for of in (
        lambda x: lw.asarray([x[0], 5.0, x[1]]),
        lambda x: lw.asarray([[x[0], 5.0], [2, x[1]]], dtype=lw.float64),
        lambda x: lw.asarray([x[0], np.float32(5.0), x[1]]),
    ):
        gradient = lw.grad(lambda x, of=of: lw.sum(of(x) ** 2))(x)
        assert np.asarray(gradient).tolist() == [2.0, 4.0]
        with lw.using(backend="numpy"):
            found = of(x)
        assert found.backend == differentiating
        assert not found._sig.weak


def test_transformations_nest(differentiating: str) -> None:
    check(lw.grad(lw.grad(lambda x: x**4))(f64(2.0)), 48.0)
    # what the inner one differentiates by is told from what the outer one does
    check(lw.grad(lambda x: x * lw.grad(lambda y: x + y)(f64(1.0)))(f64(1.0)), 1.0)
    check(lw.grad(lambda x: lw.grad(lambda y: y**3 * x)(x))(f64(2.0)), 36.0)
    check(lw.vmap(lw.grad(lw.sin))(f64(X)), np.cos(X))
    check(lw.grad(lambda x: lw.sum(lw.vmap(lambda row: lw.sum(row**2))(x)))(f64([X, X])), [2 * X, 2 * X])
    value, along = lw.jvp(lw.grad(lambda x: lw.sum(x**3)), (f64(X),), (f64([1.0, 0.0, 1.0]),))
    check((value, along), (3 * X**2, 6 * X * [1, 0, 1]))
    check(lw.jit(lw.grad(lw.jit(lambda x: lw.sum(x**3))))(f64(X)), 3 * X**2)


# --- vjp, jvp, Jacobians --------------------------------------------------------------------------------------------


def test_vjp_and_jvp(differentiating: str) -> None:
    def f(p: Any, y: lw.Array) -> Any:
        return {"product": p["a"] * y, "sums": [lw.sum(y)]}

    out, back, aux = lw.vjp(lambda p, y: (f(p, y), "aux"), {"a": f64(X)}, f64(X + 1), has_aux=True)
    check(out, {"product": X * (X + 1), "sums": [9.0]})
    assert aux == "aux"
    for factor in (1.0, 2.0):  # more than once
        found = back({"product": f64(factor * X), "sums": [10.0]})
        check(found, ({"a": factor * X * (X + 1)}, factor * X * X + 10))
    out, derivative = lw.jvp(f, ({"a": f64(X)}, f64(X + 1)), ({"a": f64([1, 0, 0])}, f64([0, 0, 1])))
    check(out, {"product": X * (X + 1), "sums": [9.0]})
    check(derivative, {"product": [2.0, 0.0, 3.0], "sums": [1.0]})


@pytest.mark.parametrize("of", [lw.jacrev, lw.jacfwd])
def test_jacobians(differentiating: str, of: Callable[..., Any]) -> None:
    def f(a: lw.Array, p: Any) -> Any:
        return (a[:2] * a[2], {"s": lw.sum(a) * p["b"], "empty": a[:0]}), "aux"

    found, aux = of(f, argnums=(0, 1), has_aux=True)(f64(X), {"b": f64([[1.0, 2.0]])})
    assert aux == "aux"
    first = (np.array([[3, 0, 1], [0, 3, 2.0]]), {"b": np.zeros((2, 1, 2))})
    by_b = np.zeros((1, 2, 1, 2))
    by_b[0, 0, 0, 0] = by_b[0, 1, 0, 1] = 6
    rest = {
        "s": (np.array([[[1.0] * 3, [2.0] * 3]]), {"b": by_b}),
        "empty": (np.zeros((0, 3)), {"b": np.zeros((0, 1, 2))}),
    }
    check(found, (first, rest))
    check(of(lambda x: lw.sum(x) * 2)(f64(1.5)), 2.0)
    check(of(lambda x: x * 2)(f64(np.zeros((2, 0)))), np.zeros((2, 0, 2, 0)))


def test_the_hessian_of_a_quadratic_is_its_matrix(differentiating: str) -> None:
    q = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 4.0], [0.0, 4.0, 5.0]])

    def quadratic(x: lw.Array) -> lw.Array:
        return x @ f64(q) @ x / 2

    check(lw.hessian(quadratic)(f64(X)), q)
    check(lw.jit(lw.hessian(quadratic))(f64(X)), q)
    found, aux = lw.hessian(lambda p: (quadratic(p["x"]) * p["c"], "aux"), has_aux=True)({"x": f64(X), "c": f64(2.0)})
    check(found, {"x": {"x": 2 * q, "c": q @ X}, "c": {"x": q @ X, "c": 0.0}})
    assert aux == "aux"


def test_complex_derivatives_have_one_convention(differentiating: str) -> None:
    """df/dx + i df/dy, with which a gradient's opposite descends; JAX's own is the conjugate."""
    z = np.array([1 + 2j, 3 - 1j])
    c = np.array([1j, 1.0])
    points = lw.asarray(z, dtype=lw.complex128)
    direction = lw.asarray(c, dtype=lw.complex128)
    check(lw.grad(lambda z: lw.sum(lw.abs(z) ** 2))(points), 2 * z)
    check(lw.grad(lambda z: lw.sum(lw.imag(z) * lw.real(z)))(points), z.imag + 1j * z.real)
    check(lw.vjp(lambda z: z**2, points)[1](direction), (c * np.conj(2 * z),))
    check(lw.jvp(lambda z: z**2, (points,), (direction,)), (z**2, c * 2 * z))
    check(lw.jacfwd(lambda x: x * points)(f64([1.0, 2.0])), np.diag(z))


# --- vmap -----------------------------------------------------------------------------------------------------------


def test_vmap_is_a_loop_over_the_axis(backend: str) -> None:
    a = np.arange(6.0).reshape(2, 3)

    def f(row: lw.Array, p: Any, shift: Any = None) -> Any:
        assert row.shape == (2,)
        shifted = row if shift is None else row + shift
        return row @ p["k"], {"row": shifted, "constant": 3.0, "none": None}, p["k"]

    mapped = lw.vmap(f, in_axes=(1, None), out_axes=(0, {"row": 1, "constant": 0, "none": 0}, None))
    k = f64([1.0, 10.0])
    first, tree, same = mapped(f64(a), {"k": k})
    check((first, tree["row"], same), (a.T @ [1.0, 10.0], a, [1.0, 10.0]))
    assert tree["constant"].tolist() == [3.0, 3.0, 3.0]
    assert tree["none"] is None
    _, tree, _ = mapped(f64(a), {"k": k}, shift=f64(X))  # arguments by name are mapped along their first axis
    check(tree["row"], a + X)
    check(lw.vmap(lambda x: x * 2, -1, -1)(f64(a)), 2 * a)
    check(lw.vmap(lambda p: p["x"] + p["y"], in_axes=({"x": 0, "y": None},))({"x": f64(X), "y": f64(1.0)}), X + 1)
    check(lw.vmap(lambda x: lw.vmap(lambda y: x * y)(f64(X)))(f64(X)), np.outer(X, X))
    check(lw.jit(lw.vmap(lw.cumulative_sum))(f64(a)), a.cumsum(1))


def test_vmap_of_no_examples_has_the_shape_of_one_more(backend: str) -> None:
    found = lw.vmap(lambda x: (lw.sum(x), x[:, None] * 2), out_axes=(0, 1))(f64(np.zeros((0, 3))))
    check(found, (np.zeros(0), np.zeros((3, 0, 1))))


# --- jit ------------------------------------------------------------------------------------------------------------


def test_jit_takes_and_gives_trees(backend: str) -> None:
    runs = itertools.count()  # a list that it appends to would be refused

    def f(p: Any, how: str, *, n: int = 2) -> Any:
        next(runs)
        return {"x": p["x"] * n, "how": how, "none": None, "number": 1.5}

    compiled = lw.jit(f)
    for n, x in ((2, X), (2, X + 1), (3, X), (2, X[:2])):
        found = compiled({"x": f64(x)}, "h", n=n)
        check(found["x"], n * x)
        assert (found["how"], found["none"], found["number"]) == ("h", None, 1.5)
    assert next(runs) == (3 if backend in ("jax", "tensorflow") else 4)  # once for each number and shape
    half = compiled({"x": lw.asarray([1.0], dtype=lw.float16)}, "h", n=2)
    assert half["x"].dtype is lw.float16  # a Python number stays one, and promotes as one


def test_jit_compiles_anew_under_another_policy(backend: str) -> None:
    compiled = lw.jit(lambda x: x / 2)
    x = lw.asarray([1, 2], dtype=lw.int32)
    assert compiled(x).dtype is lw.float32
    with lw.using(default_float=lw.float64):
        assert compiled(x).dtype is lw.float64
    assert compiled(x).dtype is lw.float32


def test_static_arguments_are_not_looked_into(backend: str) -> None:
    compiled = lw.jit(lambda options, x: x * options[0], static_argnums=0)
    check(compiled((2.0, "a"), f64(X)), 2 * X)
    check(compiled((3.0, "a"), f64(X)), 3 * X)


# --- what derivatives are taken of ------------------------------------------------------------------------------------


def test_stop_gradient(backend: str) -> None:
    tree = {"a": f64(X), "b": "text", "c": None}
    stopped = lw.stop_gradient(tree)
    check(stopped["a"], X)
    assert (stopped["b"], stopped["c"]) == ("text", None)
    if backend in DIFFERENTIATING:
        check(lw.grad(lambda x: lw.sum(x * lw.stop_gradient(x)))(f64(X)), X)
        check(lw.grad(lw.grad(lambda x: x**2 * lw.stop_gradient(x)))(f64(3.0)), 6.0)


def test_custom_gradients(backend: str) -> None:
    @lw.custom_gradient
    def f(p: Any, positions: lw.Array, note: str) -> Any:
        assert note == "n"
        return {"y": p["a"] * 2}, lambda c: ({"a": c["y"] * p["a"], "unused": None}, None, None)

    @lw.custom_gradient
    def identity(x: lw.Array) -> Any:
        return x, lambda c: c * x**2

    positions = lw.asarray([1, 2])
    check(f({"a": f64(X), "unused": f64(1.0)}, positions, "n"), {"y": 2 * X})
    if backend not in DIFFERENTIATING:
        return
    found = lw.grad(lambda p: lw.sum(f(p, positions, "n")["y"]) * 10)({"a": f64(X), "unused": f64(1.0)})
    check(found, {"a": 10 * X, "unused": 0.0})
    check(lw.grad(lambda x: lw.sum(identity(x)))(f64(X)), X**2)
    check(lw.grad(lw.grad(identity))(f64(3.0)), 6.0)
    check(lw.vmap(lw.grad(identity))(f64(X)), X**2)
    check(lw.jit(lw.grad(lambda x: lw.sum(identity(x))))(f64(X)), X**2)


def test_custom_gradients_with_a_forward_rule(backend: str) -> None:
    def slope(primals: Any, tangents: Any) -> Any:
        (x, mode, pair), (t, none, (u, v)) = primals, tangents
        assert (mode, none, v) == ("tens", None, None)
        return {"y": 10 * x * t, "z": (u + pair[1] * t,)}  # not their derivatives, so that it shows

    @lw.custom_gradient(forward=slope)
    def both(x: lw.Array, mode: str, pair: Any) -> Any:
        return {"y": x**2, "z": (pair[0] + pair[1] * x,)}, lambda c: (x**3 * c["y"], None, None)

    @lw.custom_gradient(forward=slope)
    def forward(x: lw.Array, mode: str, pair: Any) -> Any:
        return {"y": x**2, "z": (pair[0] + pair[1] * x,)}, None

    x, t = f64(X), f64(X + 1)
    for f, in_reverse, second in ((both, X**3, 3 * X**2), (forward, 10 * X, np.full(3, 10.0))):

        def of_x(x: lw.Array, f: Any = f) -> Any:
            return f(x, "tens", (f64(X), 3))

        np.testing.assert_allclose(np.asarray(of_x(x)["y"]), X**2)
        found, moved = lw.jvp(of_x, (x,), (t,))
        np.testing.assert_allclose(np.asarray(found["z"][0]), X + 3 * X)
        np.testing.assert_allclose(np.asarray(moved["y"]), 10 * X * (X + 1))
        np.testing.assert_allclose(np.asarray(moved["z"][0]), 3 * (X + 1))
        np.testing.assert_allclose(np.asarray(lw.jacfwd(of_x)(x)["y"]), np.diag(10 * X))
        np.testing.assert_allclose(np.asarray(lw.jacrev(of_x)(x)["y"]), np.diag(in_reverse))
        np.testing.assert_allclose(np.asarray(lw.hessian(lambda x: lw.sum(of_x(x)["y"]))(x)), np.diag(second))
        turned = lw.jacrev(lw.jacfwd(lambda x: of_x(x)["y"]))(x)
        np.testing.assert_allclose(np.asarray(turned)[1, 1], [0, 10, 0])
        if backend == "torch":
            with pytest.raises(BackendError, match="no forward derivative of a forward derivative"):
                lw.jacfwd(lw.jacfwd(lambda x: of_x(x)["y"]))(x)
        else:
            turned = lw.jacfwd(lw.jacfwd(lambda x: of_x(x)["y"]))(x)
            np.testing.assert_allclose(np.asarray(turned)[1, 1], [0, 10, 0])
        mapped = lw.vmap(lambda x, t: lw.jvp(lambda x: of_x(x)["y"], (x,), (t,))[1])(x, t)
        np.testing.assert_allclose(np.asarray(mapped), 10 * X * (X + 1))


def test_without_a_forward_rule_the_one_in_reverse_is_transposed(backend: str) -> None:
    turn = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [5.0, 0.0, 1.0]])
    f = lw.custom_gradient(lambda x: (x * 1, lambda c: (x * c) @ f64(turn)))
    moved = lw.jvp(f, (f64(X),), (f64([1.0, 10.0, 100.0]),))[1]
    np.testing.assert_allclose(np.asarray(moved), X * (turn @ [1.0, 10.0, 100.0]))
    np.testing.assert_allclose(np.asarray(lw.jacfwd(f)(f64(X))), np.asarray(lw.jacrev(f)(f64(X))))
    z = X + 1j * X[::-1]
    for g in (
        lw.custom_gradient(lambda z: (z**2, lambda c: c * lw.conj(2 * z))),
        lw.custom_gradient(lambda z: (z**2, None), forward=lambda primals, tangents: 2 * primals[0] * tangents[0]),
    ):
        at = lw.asarray(z, dtype=lw.complex128)
        np.testing.assert_allclose(np.asarray(lw.vjp(g, at)[1](at)[0]), z * np.conj(2 * z))
        if backend != "tensorflow":  # which warns of complex tangents
            np.testing.assert_allclose(np.asarray(lw.jvp(g, (at,), (at,))[1]), 2 * z * z)


@pytest.mark.parametrize(
    "program", [lw.compile, lw.jit, lambda f: lw.trace(f, f64(X))], ids=["compile", "jit", "trace"]
)
def test_traced_functions_keep_both_rules(backend: str, program: Any) -> None:
    def slope(primals: Any, tangents: Any) -> Any:
        return 10 * primals[0] * tangents[0]

    both = lw.custom_gradient(lambda x: (x**2, lambda c: c * x**3), forward=slope)
    forward = lw.custom_gradient(lambda x: (x**2, None), forward=slope)
    back = lw.custom_gradient(lambda x: (x**2, lambda c: c * x**3))
    x, t = f64(X), f64([1.0, 10.0, 100.0])
    for f, along, in_reverse, second in (
        (both, 10 * X, X**3, 3 * X**2), (forward, 10 * X, 10 * X, np.full(3, 10.0)), (back, X**3, X**3, 3 * X**2),
    ):  # fmt: skip

        def loss(x: lw.Array, f: Any = f) -> Any:
            return lw.sum(f(x))

        g = program(loss)
        check(lw.jvp(g, (x,), (t,))[1], np.sum(along * np.asarray(t)))
        check(lw.grad(g)(x), in_reverse)
        check(lw.jacfwd(g)(x), along)
        check(lw.hessian(g)(x), np.diag(second))
        check(lw.compile(lambda x, f=loss: lw.jvp(f, (x,), (t,))[1])(x), np.sum(along * np.asarray(t)))


#: The ways to second derivatives.
TWICE: dict[str, Callable[[Any], Any]] = {
    "hessian": lw.hessian,
    "reverse of reverse": lambda f: lw.jacrev(lw.grad(f)),
    "forward of reverse": lambda f: lw.jacfwd(lw.grad(f)),
    "reverse of forward": lambda f: lw.jacrev(lw.jacfwd(f)),
    "forward of forward": lambda f: lw.jacfwd(lw.jacfwd(f)),
    "forward of compiled": lambda f: lw.jacfwd(lw.jit(lw.grad(f))),
    "reverse of compiled": lambda f: lw.jacrev(lw.jit(lw.grad(f))),
    "of a graph": lambda f: lw.hessian(lw.compile(f)),
}


@pytest.mark.parametrize("way", TWICE)
def test_rules_are_those_of_second_derivatives(backend: str, way: str) -> None:
    """Also of the function's value beside its derivative."""
    slope = lambda primals, tangents: 10 * tangents[0]  # noqa: E731
    x = f64([3.0])
    for f in (
        lw.custom_gradient(lambda x: (x * 2, lambda c: c * 10)),
        lw.custom_gradient(lambda x: (x * 2, None), forward=slope),
    ):
        if backend == "torch" and way == "forward of forward":
            with pytest.raises(BackendError, match="no forward derivative of a forward derivative"):
                TWICE[way](lambda x, f=f: lw.sum(f(x) ** 2))(x)
            continue
        check(TWICE[way](lambda x, f=f: lw.sum(f(x) ** 2))(x), [[200.0]])


def test_wrong_forward_rules(backend: str) -> None:
    x = f64(X)
    for forward, error, words in (
        (
            lambda p, t: t[0][:1],
            ValueError,
            r"the tangent must be float64 of shape \(3,\).*got float64 of shape \(1,\)",
        ),
        (lambda p, t: (t[0], 1), TypeError, "got tuple"),
        (lambda p, t: lw.astype(t[0], lw.float32), TypeError, r"must be float64 of shape \(3,\).*got float32"),
    ):
        with pytest.raises(error, match=words):
            lw.jvp(lw.custom_gradient(lambda x: (x * 2, None), forward=forward), (x,), (x,))
    with pytest.raises(TypeError, match="With forward=, back may be None"):
        lw.custom_gradient(lambda x: (x, None))(x)
    with pytest.raises(TypeError, match="forward is a function of \\(primals, tangents\\); got int 3"):
        lw.custom_gradient(forward=3)  # type: ignore[call-overload]


def test_sources_without_latticework_have_rules_of_ones_own(backend: str) -> None:
    if not get(backend).facts.gradients or backend == "dask":
        pytest.skip("it has no source with rules; on Dask latticework computes the products")
    cube = lw.custom_gradient(lambda x: (x**2, lambda c: c * x**3))
    x = f64(X)
    for f in (lw.grad(lambda x: lw.sum(cube(x))), lambda x: lw.jvp(cube, (x,), (lw.ones_like(x),))[1]):
        made: dict[str, Any] = {}
        exec(lw.trace(f, x).source, made)
        assert "latticework" not in "".join(made)
        check(lw.asarray(made["traced"](x.data)), X**3)
        if backend in ("jax", "tensorflow"):
            break  # whose sources have the rule in reverse


class _Scaled:
    """An object that holds an array."""

    def __init__(self, w: lw.Array) -> None:
        self.held = {"w": w}

    def by_back(self, x: lw.Array) -> Any:
        w = self.held["w"]
        return w * x, lambda c: 10 * self.held["w"] * c

    def slope(self, primals: Any, tangents: Any) -> lw.Array:
        return 10 * self.held["w"] * tangents[0]

    def by_forward(self, x: lw.Array) -> Any:
        return self.held["w"] * x, None


HELD: list[lw.Array] = []


@pytest.mark.parametrize("place", ["attribute", "global"])
def test_what_a_rule_takes_from_attributes_and_globals_is_a_constant(backend: str, place: str) -> None:
    def of(w: lw.Array, inner: float) -> lw.Array:
        scaled = _Scaled(w)
        by_back: Any = lw.custom_gradient(scaled.by_back)
        by_forward = lw.custom_gradient(scaled.by_forward, forward=scaled.slope)
        if place == "global":
            HELD[:] = [w]
            by_back = lw.custom_gradient(lambda x: (HELD[0] * x, lambda c: 10 * HELD[0] * c))
        found = lw.sum(by_back(f64(X) + inner * w) + by_forward(f64(X) + inner * w))
        assert scaled.held["w"] is w
        return found

    w = f64(2.0)
    for inner in (0.0, 1.0):
        f, expected = partial(of, inner=inner), inner * X.size * 20 * 2.0
        check([lw.grad(f)(w), lw.jvp(f, (w,), (f64(1.0),))[1]], [expected] * 2)
        check(lw.vmap(lw.grad(f))(f64([2.0, 4.0])), [expected, 2 * expected])
        check(lw.hessian(f)(w), 0.0)
        if place == "attribute":  # a compiled function keeps no array that it computes
            check([lw.jit(lw.grad(f))(w), lw.compile(lw.grad(f))(w)], [expected] * 2)


def test_what_a_rule_holds_is_looked_for_where_something_records(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[int] = []
    state = transformations.State
    monkeypatch.setattr(transformations, "State", lambda roots: searches.append(len(roots)) or state(roots))

    def ours(x: lw.Array) -> lw.Array:
        return lw.custom_gradient(_Scaled(f64(2.0)).by_back)(x)

    check(ours(f64(X)), 2 * X)
    assert not any(searches)
    check(lw.grad(lambda x: lw.sum(ours(x)))(f64(X)), np.full(X.size, 20.0))
    assert any(searches)


def test_what_a_rule_closes_over_is_a_constant(backend: str) -> None:
    """With and without derivatives by an argument, in a tree and in an inner function."""

    def of(w: lw.Array, inner: float) -> lw.Array:
        tree, count = {"w": w}, [3]

        def scaled(x: lw.Array) -> lw.Array:
            return tree["w"] * x

        @lw.custom_gradient
        def by_back(x: lw.Array) -> Any:
            return scaled(x) * count[0], lambda c: 10 * w * c

        @lw.custom_gradient(forward=lambda primals, tangents: 10 * w * tangents[0])
        def by_forward(x: lw.Array) -> Any:
            return scaled(x), None

        x = f64(X) + inner * w
        return lw.sum(by_back(x) + by_forward(x))

    w = f64(2.0)
    for inner in (0.0, 1.0):
        f, expected = partial(of, inner=inner), inner * X.size * 20 * 2.0
        check([lw.grad(f)(w), lw.jit(lw.grad(f))(w), lw.jvp(f, (w,), (f64(1.0),))[1]], [expected] * 3)
        check(lw.compile(lw.grad(f))(w), expected)
        check(lw.vmap(lw.grad(f))(f64([2.0, 4.0])), [expected, 2 * expected])
        check(lw.hessian(f)(w), 0.0)
    check(lw.grad(lambda w: of(f64(2.0), 1.0) * w)(w), float(of(f64(2.0), 1.0)))


def test_forward_derivatives_of_checkpoints(backend: str) -> None:
    cube = lw.checkpoint(lambda x: x**3)
    np.testing.assert_allclose(np.asarray(lw.jvp(cube, (f64(X),), (f64(X),))[1]), 3 * X**3)
    np.testing.assert_allclose(np.asarray(lw.hessian(lambda x: lw.sum(cube(x)))(f64(X))), np.diag(6 * X))


def test_checkpoints_have_the_same_gradients(backend: str) -> None:
    runs: list[int] = []

    @lw.checkpoint
    def f(a: lw.Array, p: Any) -> Any:
        runs.append(1)
        return lw.sin(a) * p["b"], [a]

    check(f(f64(X), {"b": f64(2.0)}), (2 * np.sin(X), [X]))
    if backend not in DIFFERENTIATING:
        return
    runs.clear()

    def g(a: lw.Array, p: Any) -> lw.Array:
        y, (z,) = f(a, p)
        return lw.sum(y * z)

    found = lw.grad(g, argnums=(0, 1))(f64(X), {"b": f64(2.0)})
    check(found, (2 * (np.cos(X) * X + np.sin(X)), {"b": np.sum(np.sin(X) * X)}))
    if backend != "jax":  # which records it
        assert len(runs) == 2

    def around(a: lw.Array, b: lw.Array) -> Any:  # variables of the functions around it have gradients too
        held = {"b": [b], "of another backend": np.asarray(1.0)}

        def inner(x: lw.Array) -> Any:
            return lw.sin(x) * held["b"][0]

        return lw.sum(lw.checkpoint(lambda x, *, k: inner(x) * a * k)(f64(X), k=b))

    check(lw.grad(around, argnums=(0, 1))(f64(2.0), f64(3.0)), (9 * np.sin(X).sum(), 12 * np.sin(X).sum()))
    cube = lw.checkpoint(lambda x: x**3)
    check(lw.grad(lw.grad(cube))(f64(2.0)), 12.0)
    check(lw.vmap(lw.grad(cube))(f64(X)), 3 * X**2)


class Block:
    """An object with an array, as a layer is."""

    shared: Any = None

    def __init__(self, w: Any) -> None:
        self.w = w

    def __call__(self, x: Any) -> Any:
        return lw.sin(x * self.w)

    def by_class(self, x: Any) -> Any:
        return lw.sin(x * type(self).shared)


_GLOBAL: list[Any] = [None]


def by_global(x: Any) -> Any:
    return lw.sin(x * _GLOBAL[0])


def reaching(way: str, w: Any) -> Callable[[Any], Any]:
    """A function of x that gives sin(x w), and finds w in its own way."""
    block = Block(w)
    if way in ("a class", "a global"):
        Block.shared = _GLOBAL[0] = w
    held = {"block": block}
    ways: dict[str, Callable[[Any], Any]] = {
        "an object": block,
        "a bound method": block.__call__,
        "an attribute": lambda x: lw.sin(x * block.w),
        "an object in a dict": lambda x: 1 * held["block"](x),
        "a class": block.by_class,
        "a global": by_global,
        "a default": lambda x, w=w: lw.sin(x * w),
        "partial": partial(lambda w, x: lw.sin(x * w), w),
        "a checkpoint": lw.checkpoint(lambda x: 1 * lw.checkpoint(block)(x)),
        "a map": lambda x: 1 * lw.vmap(block)(x),
        "a derivative": lambda x: 1 * lw.vmap(lw.grad(lambda x: -lw.cos(x * block.w) / block.w))(x),
    }
    return ways[way]


@pytest.mark.parametrize(
    "way",
    [
        "an object", "a bound method", "an attribute", "an object in a dict", "a class", "a global", "a default",
        "partial", "a checkpoint", "a map", "a derivative",
    ],
)  # fmt: skip
def test_a_checkpoint_finds_what_the_function_uses(backend: str, way: str) -> None:
    Block.shared = _GLOBAL[0] = None

    def loss(w: Any) -> Any:
        return lw.sum(lw.checkpoint(reaching(way, w))(f64(X)))

    def mapped(w: Any) -> Any:
        return lw.sum(lw.vmap(lw.checkpoint(reaching(way, w)))(f64(np.stack([X, X]))))

    w, slope, second = f64(2.0), np.sum(X * np.cos(2 * X)), -np.sum(X * X * np.sin(2 * X))
    check(lw.grad(loss)(w), slope)
    check(lw.grad(lw.grad(loss))(w), second)
    check(lw.hessian(loss)(w), second)
    check(lw.jvp(loss, (w,), (w,))[1], 2 * slope)
    check(lw.jacrev(lambda w: lw.checkpoint(reaching(way, w))(f64(X)))(w), X * np.cos(2 * X))
    if way not in ("a class", "a global"):  # which a compiled function must not bind
        check(lw.jit(lw.grad(loss))(w), slope)
    check(lw.vmap(lw.grad(loss))(f64([2.0, 2.0])), np.stack([slope, slope]))
    check(lw.grad(mapped)(w), 2 * slope)


def test_a_checkpoint_runs_again_under_its_own_policy(backend: str) -> None:
    halves: list[Any] = []

    def f(x: Any) -> Any:
        halves.append((lw.asarray([1, 2]) / 2).dtype)
        return x * 2.0

    with lw.using(default_float="float64"):
        _, back = lw.vjp(lw.checkpoint(f), f64(X))
    back(f64(X))
    assert {*halves} == {lw.float64}


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["grad", "jvp"])
def test_a_function_without_a_rule_is_refused(backend: str, of: str) -> None:
    """A derivative that is not known is an error, never 0."""
    if backend not in ("numpy", "dask"):
        pytest.skip("its framework differentiates")

    def f(x: lw.Array) -> Any:
        return lw.sum(lw.linalg.schur(x)[0])

    x = f64([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(BackendError, match="schur: .*lw.stop_gradient"):
        lw.grad(f)(x) if of == "grad" else lw.jvp(f, (x,), (x,))


@pytest.mark.parametrize("of", ["grad", "jvp", "hessian"])
def test_a_derivative_that_the_framework_lacks(backend: str, of: str) -> None:
    """The framework's error keeps its class, and a note says what has the derivative."""
    lacking: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
        "torch": (lambda x: lw.sum(lw.special.zeta(x, 2.0)), NotImplementedError),
        "jax": (lambda x: lw.sum(lw.special.betainc(x, x, 0.3)), ValueError),
    }
    if backend not in lacking:
        pytest.skip("it lacks none of these")
    f, kind = lacking[backend]
    derivative = {"jvp": lambda x: lw.jvp(f, (x,), (x,))[1]}.get(of) or getattr(lw, of)(f)
    with pytest.raises(kind) as raised:
        derivative(f64(X + 1))
    (note,) = [n for n in raised.value.__notes__ if "latticework" in n]
    assert backend in note
    assert 'lw.using(gradients="rules")' in note
    with lw.using(gradients="rules"):
        assert bool(lw.all(lw.isfinite(lw.grad(f)(f64(X + 1)))))


@pytest.mark.parametrize("way", ["compile", "trace", "jit", "native"])
def test_a_compiled_program_notes_a_derivative_that_the_framework_lacks(differentiating: str, way: str) -> None:
    lacking: dict[str, Callable[[Any], Any]] = {
        "torch": lambda x: lw.sum(lw.special.zeta(x, 2.0)),
        "jax": lambda x: lw.sum(lw.special.betainc(x, x, 0.3)),
        "tensorflow": lw.grad(lambda x: lw.sum(lw.random.gamma(lw.random.key(0), x, shape=(3,)))),
    }
    if differentiating not in lacking:
        pytest.skip("latticework differentiates there, and lacks none of these")
    f = lacking[differentiating]
    slope = {
        "compile": lw.compile(lw.grad(f)), "jit": lw.jit(lw.grad(f)), "native": lw.compile(lw.grad(f), native=True),
        "trace": lambda x: lw.trace(lw.grad(f), x)(x),
    }[way]  # fmt: skip
    with pytest.raises((NotImplementedError, ValueError)) as raised:
        slope(f64(2.0))
    (note,) = [n for n in raised.value.__notes__ if "latticework" in n]
    assert f'{differentiating} has no such derivative. lw.using(gradients="rules")' in note


WRONG: list[tuple[Callable[[lw.Array], Any], type[Exception], str]] = [
    (lw.grad(lambda x: x), TypeError, r"got float64 of shape \(3,\). Reduce it.*lw.jacrev"),
    (lambda x: lw.grad(lw.sum)(lw.asarray([1, 2])), TypeError, r"argument 0 is int32.*Cast it: lw.astype"),
    (lambda x: lw.grad(lambda p: p["n"])({"a": x, "n": 3}), TypeError, r"argument 0\['n'\] is int 3.*Write 3.0"),
    (lw.grad(lambda x: lw.sum(x) * 1j), TypeError, r"got complex128.*lw.real"),
    (lw.grad(lambda x: (lw.sum(x), 1)), TypeError, r"got a tree \(\*, \*\).*has_aux"),
    (lw.grad(lw.sum, has_aux=True), TypeError, "returns a pair"),
    (lambda x: lw.grad(lw.dot, argnums=(1, 1))(x, x), ValueError, r"argnums=\(1, 1\) names argument 1 twice"),
    (lambda x: lw.hessian(lw.dot, argnums=(0, -2))(x, x), ValueError, r"argnums=\(0, -2\) names argument 0 twice"),
    (lw.jacfwd(lw.sum, argnums=()), ValueError, r"argnums=\(\) names no argument.*Write argnums=0"),
    (lambda x: lw.vjp(lambda: x), ValueError, "no argument to differentiate by"),
    (lw.grad(lw.sum, argnums=1), ValueError, "argnums 1 is out of range for a call with 1 arguments"),
    (lambda x: lw.grad(NOTHING), TypeError, "the first argument is the function"),
    (lambda x: lw.grad(lambda p: 1.0)({}), ValueError, "no arrays"),
    (lambda x: lw.jacrev(lambda z: z)(x + 1j), TypeError, "argument 0 is complex128"),
    (lambda x: lw.jvp(lw.sin, (x,), (x[:2],)), ValueError, r"the tangent\[0\] must be float64 of shape \(3,\)"),
    (lambda x: lw.jvp(lw.sin, NOTHING, (x,)), TypeError, r"Write \(x,\) for one"),
    (lambda x: lw.vjp(lw.sin, x)[1](x[:1]), ValueError, r"the cotangent must be float64 of shape \(3,\)"),
    (lambda x: lw.vjp(lw.argmax, x), TypeError, "which has no derivatives"),
    (lw.grad(lambda x: lw.sum(lw.custom_gradient(lambda x: x)(x))), TypeError, r"returns \(y, back\)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "says"), WRONG)
def test_what_cannot_be_differentiated_is_refused(
    differentiating: str, call: Callable[[lw.Array], Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        call(f64(X))


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: lw.vmap(lambda a, b: a)(x, x[:2]), ValueError, r"got 3 \(argument 0\), 2 \(argument 1\)"),
        (lambda x: lw.vmap(lambda a, b: a)(x, 2), TypeError, "argument 1 is int 2, which has no axes"),
        (lw.vmap(lambda a: a, 1), AxisError, r"argument 0 has shape \(3,\), and in_axes asks for axis 1"),
        (lw.vmap(lambda a: a, None), ValueError, "nothing to map along"),
        (lw.vmap(lambda a: a, ({"a": 0},)), ValueError, "in_axes are not built as"),
        (lw.vmap(lambda a: "text"), TypeError, "must be an array or a number; got str"),
        (lw.vmap(lambda a: a, "first"), TypeError, "in_axes are ints, None"),
    ],
)
def test_wrong_axes_are_named(backend: str, call: Callable[[lw.Array], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call(f64(X))


def test_arrays_of_two_backends_are_refused(differentiating: str) -> None:
    beside = "numpy" if differentiating != "numpy" else "torch"
    pytest.importorskip(beside)
    other = lw.asarray(X, backend=beside)
    with pytest.raises(BackendError, match=f"two backends, {differentiating} and {beside}"):
        lw.grad(lambda p: lw.sum(p[0]))([f64(X), other])
    with pytest.raises(BackendError, match=beside):
        lw.grad(lambda x: lw.sum(x * other))(f64(X))


def test_compilation_needs_constants_that_are_hashable(backend: str) -> None:
    if backend not in ("jax", "tensorflow"):
        pytest.skip("nothing is compiled")
    with pytest.raises(TypeError, match="must be hashable; got set"):
        lw.jit(lambda x, s: x)(f64(X), {1, 2})


def test_transformations_of_arrays_without_data() -> None:
    x, p = lw.spec((None, 3), "float32"), {"w": lw.spec((3,), "float16")}
    value, grads = lw.infer(lw.value_and_grad(lambda p, x: lw.mean(x @ p["w"])), p, x)
    assert (value, grads) == (lw.spec((), "float32"), p)
    assert lw.infer(lw.hessian(lambda x: lw.sum(x**3)), lw.spec((2, 3))) == lw.spec((2, 3, 2, 3))
    assert lw.infer(lw.vmap(lw.sum, out_axes=0), lw.spec((5, 2))) == lw.spec((5,))
    assert lw.infer(lw.grad(lw.sum), lw.spec((2,)), backend="numpy") == lw.spec((2,))


#: Keys with a position i and an array of them j, which differ between the arrays of a vmap.
MAPPED_KEYS: dict[str, Callable[[Any, Any], Any]] = {
    "i": lambda i, j: i,
    "..., i": lambda i, j: (..., i),
    "0, i": lambda i, j: (0, i),
    "i, None, ::-1": lambda i, j: (i, None, slice(None, None, -1)),
    "j, i": lambda i, j: (j, i),
    "j": lambda i, j: j,
}


@pytest.mark.parametrize("key", MAPPED_KEYS)
def test_vmap_over_positions(backend: str, key: str) -> None:
    """Read and write at positions that differ between the arrays, in arrays that are the same for all of them."""
    if backend == "jax" and key != "i":
        pytest.skip("JAX has one way for all keys")
    at = MAPPED_KEYS[key]
    x, i, j = np.arange(24.0).reshape(2, 3, 4), np.array([2, -1]), np.array([[1, 0], [-1, 2]])
    table = x[1] * 10

    def write(x: lw.Array, i: Any, j: Any) -> lw.Array:
        result = lw.zeros((3, 4), dtype=lw.float64)
        result[at(i, j)] = x[at(i, j)]
        result[at(i, j)] += 1
        return result

    def written(x: Any, i: Any, j: Any) -> Any:
        result = np.zeros((3, 4))
        result[at(i, j)] = x[at(i, j)] + 1
        return result

    arrays = [lw.asarray(a) for a in (x, i, j)]
    read = lw.vmap(lambda i, j: f64(table)[at(i, j)])(*arrays[1:])
    check(read, np.stack([table[at(*each)] for each in zip(i, j, strict=True)]))
    check(lw.vmap(write)(*arrays), np.stack([written(*each) for each in zip(x, i, j, strict=True)]))


def test_vmap_into_what_is_the_same_for_all(backend: str) -> None:
    """`x[mask] = v`, `x += y` and `x[1:] = y` in an array that is made inside the function, and their derivatives."""

    def f(x: lw.Array) -> lw.Array:
        result = lw.zeros(3, dtype=lw.float64)
        result[1:] = x[1:] ** 2
        result += x
        result[x > 2.5] = 7
        return result

    x = np.array([X, X - 1])
    check(lw.vmap(f)(f64(x)), [[1.0, 6.0, 7.0], [0.0, 2.0, 6.0]])
    if backend in DIFFERENTIATING:
        check(lw.vmap(lw.grad(lambda x: lw.sum(f(x))))(f64(x)), [[1.0, 5.0, 0.0], [1.0, 3.0, 5.0]])


def test_vmap_of_searches_with_nan(backend: str) -> None:
    if backend not in ("numpy", "torch"):
        pytest.skip("the others ask no array for its nans")
    nan = np.nan
    x, y = np.array([[1, 2, nan, nan], [1, 2, 3, np.inf]]), np.array([[2, nan, np.inf], [0, nan, np.inf]])
    for side in ("left", "right"):
        found = lw.vmap(lambda x, y, side=side: lw.searchsorted(x, y, side=side))(f64(x), f64(y))
        assert np.array_equal(found, [np.searchsorted(*each, side=side) for each in zip(x, y, strict=True)])
    if backend == "torch":
        slope = lw.vmap(lw.grad(lambda y, x: lw.interp(y, x, x**2)))(f64([1.5, 2.5]), f64([[1, 2, 3], [0, 2, 3]]))
        check(slope, np.array([3.0, 5.0]))


def test_traced_arrays_are_shown_and_constants_are_read(differentiating: str) -> None:
    constant, shown = f64(X), []

    def f(x: lw.Array) -> lw.Array:
        shown.append(repr(x))
        return lw.sum(x * lw.asarray(lw.to_numpy(constant))) + sum(constant.tolist())

    check(lw.grad(f)(f64(X)), X)
    assert shown[0].startswith("Array(") and "float64" in shown[0]
    says = "__array__" if differentiating == "jax" else "a traced array has no values that could go to NumPy"
    for read in (lw.to_numpy, np.asarray):
        with pytest.raises(TypeError, match=says):
            lw.grad(lambda x, read=read: lw.sum(x) * np.sum(read(x + 1)))(f64(X))
        with pytest.raises(TypeError, match=says):
            lw.jvp(lambda x, read=read: lw.sum(x) * np.sum(read(x + 1)), (f64(X),), (f64(X),))


def test_numbers_of_what_is_differentiated_are_constants(backend: str) -> None:
    def f(x: lw.Array) -> lw.Array:
        assert str(x).startswith(("[", "Array(")) and repr(x)
        return lw.sum(x) * float(x[1]) * x[2].item()

    if backend not in ("jax", "dask"):  # which have no numbers for what is traced, or is computed later
        check(lw.grad(f)(f64(X)), 0 * X + 6)
    check(lw.grad(lambda x: lw.sum(x * lw.asarray(lw.to_numpy(lw.stop_gradient(x)))))(f64(X)), X)


def test_outside_of_latticework_numpy_takes_what_tapes_watch(backend: str) -> None:
    if backend != "tensorflow":
        pytest.skip("it is about the tapes of TensorFlow")
    import tensorflow as tf

    x = f64(X)
    with tf.GradientTape() as tape:
        tape.watch(x.data)
        y = lw.sum(x * lw.asarray(lw.to_numpy(x)))
    np.testing.assert_allclose(np.asarray(tape.gradient(y.data, x.data)), X)


def test_what_is_returned_beside_a_value_keeps_the_derivatives_around_it(differentiating: str) -> None:
    """The value does not depend on what is differentiated by outside, and what is beside it does."""

    def outer(p: lw.Array, part: Any) -> Any:
        gradient, beside = lw.grad(lambda x: (lw.sum(x**2), part(p)), has_aux=True)(f64(X))
        return lw.sum(gradient) + lw.sum(beside)

    check(lw.grad(lambda p: outer(p, lambda p: p * 3.0))(f64(X)), 0 * X + 3)
    check(lw.grad(lambda p: outer(p, lambda p: p))(f64(X)), 0 * X + 1)


def test_what_is_nested_does_not_depend_on_the_backend_in_force(backend: str) -> None:
    """The arrays decide: in a function that is differentiated, those from outside are recorded too."""
    x = lw.asarray([1.0, 2.0])
    other = lw.ones_like(x)
    programs: list[Callable[[lw.Array], Any]] = [
        lambda w: lw.grad(lambda y: lw.sum(y * w * w))(other),
        lambda w: lw.value_and_grad(lambda y: lw.sum(y * w * w))(other)[0],
        lambda w: lw.jvp(lambda y: y * w * w, [other], [other])[1],
        lambda w: lw.vjp(lambda y: y * w * w, other)[1](other)[0],
        lambda w: lw.jacrev(lambda y: y * w * w)(other),
        lambda w: lw.jacfwd(lambda y: y * w * w)(other),
        lambda w: lw.checkpoint(lambda y: y * w * w)(other),
        lambda w: lw.vmap(lambda y: y * w * w)(lw.stack([other]))[0],
        lambda w: lw.cond(True, lambda y: y * w * w, lambda y: y, other),
        lambda w: lw.scan(lambda y, _: (y * w * w, None), other, None, length=1)[0],
        lambda w: lw.fori_loop(0, 1, lambda i, y: y * w * w, other),
    ]
    for in_force in ("numpy", backend):
        with lw.using(backend=in_force):
            for number, program in enumerate(programs):
                found = lw.grad(lambda w, program=program: lw.sum(program(w)))(x)
                assert (found.backend, found.tolist()) == (backend, [2, 4]), (in_force, number)


#: Writes to positions of which some are the same: function, and the gradient at (1, -2, 3).
REPEATED: dict[str, tuple[Callable[[lw.Array, lw.Array], Any], list[float]]] = {
    "along one axis": (lambda y, x: y.__setitem__(lw.asarray([0, 0, 1]), x), [0, -4, 6]),
    "a number": (lambda y, x: y.__setitem__(lw.asarray([1, 1, 2]), x[0]), [4, 0, 0]),
    "along an axis by a function": (lambda y, x: lw.put_along_axis(y, lw.asarray([0, 0, 1]), x, 0), [0, -4, 6]),
    "by a factor": (
        lambda y, x: (y.__iadd__(x), y.__setitem__(lw.asarray([0, 0]), 2 * y[lw.asarray([0, 0])])),
        [8, -4, 6],
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_of_what_is_written_to_one_place_the_last_has_the_derivative(backend: str, name: str) -> None:
    write, expected = REPEATED[name]

    def f(x: lw.Array) -> lw.Array:
        y = lw.zeros(3)
        write(y, x)
        return lw.sum(y**2)

    x = lw.asarray([1.0, -2.0, 3.0])
    with lw.using(backend=backend):
        assert lw.grad(f)(x).tolist() == expected
        assert lw.jit(lw.grad(f))(x).tolist() == expected
        assert float(lw.jvp(f, [x], [lw.ones_like(x)])[1]) == sum(expected)
        first = lw.grad(lambda x: lw.sum(lw.grad(f)(x) ** 2))(x)
        assert first.tolist() == [2 * e * e / v for e, v in zip(expected, [1.0, -2.0, 3.0], strict=True)]


def test_of_rows_written_to_one_place_the_last_has_the_derivative(backend: str) -> None:
    def f(x: lw.Array) -> lw.Array:
        y = lw.zeros((2, 3))
        y[lw.asarray([1, 1])] = x
        return lw.sum(y * lw.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))

    with lw.using(backend=backend):
        assert lw.grad(f)(lw.asarray([[1.0, 2, 3], [4, 5, 6]])).tolist() == [[0, 0, 0], [4, 5, 6]]


def test_a_function_that_was_made_from_text_has_a_rule(backend: str) -> None:
    """It has no module."""
    names: dict[str, Any] = {}
    exec("def doubled(x):\n    return x * 2, lambda c: c * 5", {"__name__": None}, names)
    check(lw.grad(lambda x: lw.sum(lw.custom_gradient(names["doubled"])(x)))(f64(X)), np.full(3, 5.0))
