"""Tapes: what NumPy and Dask differentiate by. The programs are those that a tape could get wrong: derivatives of
derivatives, arrays from outside, writes, values that leave the function, and what is given back.
"""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import another

import latticework as lw
from latticework.errors import BackendError, TraceError

X = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def taped(backend: str) -> str:
    """A backend whose framework has no derivatives of its own."""
    if backend not in ("numpy", "dask"):
        pytest.skip("its framework differentiates")
    return backend


def f64(values: Any) -> lw.Array:
    """A new array of float64, with memory of its own."""
    return lw.asarray(values, dtype=lw.float64, copy=True)


def check(found: Any, expected: Any) -> None:
    """Two trees are built alike, and have the same numbers; those found are plain arrays of the backend."""
    pairs: list[Any] = []
    lw.tree.map(lambda x, y: pairs.append((x, y)), found, expected)
    for x, y in pairs:
        assert type(x) is lw.Array
        assert x.backend in ("numpy", "dask")
        assert type(x.data).__name__ != "Taped"
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-12, atol=1e-12)


def slope(f: Callable[..., Any], *args: Any) -> Any:
    """The gradient of the sum of a function's results."""
    return lw.grad(lambda *xs: lw.sum(f(*xs)))(*args)


# --- tapes nest -------------------------------------------------------------------------------------------------------


def test_derivatives_of_derivatives() -> None:
    x, one = f64(3.0), f64(1.0)

    def cube(x: lw.Array) -> lw.Array:
        return x**3

    def along(x: lw.Array) -> lw.Array:
        derivative: lw.Array = lw.jvp(cube, (x,), (one,))[1]
        return derivative

    check(lw.grad(lw.grad(cube))(x), 18.0)
    check(lw.grad(lw.grad(lw.grad(cube)))(x), 6.0)
    check(lw.jvp(lw.grad(cube), (x,), (one,)), (27.0, 18.0))
    check(lw.grad(along)(x), 18.0)
    check(lw.jvp(along, (x,), (one,)), (27.0, 18.0))
    check(lw.grad(lambda x: lw.vjp(cube, x)[1](x)[0])(x), 81.0)
    check(lw.hessian(lambda x: lw.sum(x**3))(f64(X)), np.diag(6 * X))
    check(lw.jacrev(lw.jacfwd(lambda x: x**3))(f64(X))[1, 1], [0.0, 12.0, 0.0])


def test_what_an_inner_derivative_is_by_is_told_from_what_the_outer_one_is_by() -> None:
    x, one = f64(3.0), f64(1.0)

    def tangent(f: Any, at: lw.Array) -> Any:
        return lw.jvp(f, (at,), (one,))[1]

    check(lw.grad(lambda x: x * lw.grad(lambda y: x + y)(one))(x), 1.0)
    check(lw.grad(lambda x: x * lw.grad(lambda y: x * y)(one))(x), 6.0)
    check(tangent(lambda x: x * tangent(lambda y: x + y, one), x), 1.0)
    check(tangent(lambda x: x * tangent(lambda y: x * y, one), x), 6.0)
    check(lw.grad(lambda x: x * tangent(lambda y: x * y, one))(x), 6.0)
    check(tangent(lambda x: x * lw.grad(lambda y: x * y)(one), x), 6.0)
    check(lw.grad(lambda x: lw.sum(lw.grad(lambda y: lw.sum(x * y**2))(x)))(f64(X)), 4 * X)
    thrice = lw.grad(lambda x: lw.grad(lambda y: lw.grad(lambda z: x * y**2 * z**3)(x))(x))  # 6 x y z^2 at x, by x
    check(thrice(x), 24 * 3.0**3)


def test_the_derivative_of_a_function_that_maps() -> None:
    check(lw.vmap(lw.grad(lambda x: x**3))(f64(X)), 3 * X**2)
    check(slope(lw.vmap(lambda x: x**3), f64(X)), 3 * X**2)
    check(lw.vmap(lw.grad(lambda x, y: x * y), in_axes=(0, None))(f64(X), f64(2.0)), [2.0, 2.0, 2.0])
    check(lw.jacfwd(lw.vmap(lambda x: x**2))(f64(X)), np.diag(2 * X))


def test_custom_gradients_and_checkpoints_have_derivatives_of_the_second_order() -> None:
    x, one = f64(2.0), f64(1.0)
    square = lw.custom_gradient(lambda x: (x**2, lambda c: c * x**3))  # not its derivative, so that it shows
    check(lw.grad(square)(x), 8.0)
    check(lw.grad(lw.grad(square))(x), 12.0)
    check(lw.jvp(square, (x,), (one,)), (4.0, 8.0))
    check(lw.jvp(lw.grad(square), (x,), (one,)), (8.0, 12.0))
    cube = lw.checkpoint(lambda x: x**3)
    check(lw.grad(cube)(x), 12.0)
    check(lw.grad(lw.grad(cube))(x), 12.0)
    check(lw.jvp(cube, (x,), (one,)), (8.0, 12.0))
    check(lw.jvp(lw.grad(cube), (x,), (one,)), (12.0, 12.0))


def test_what_a_custom_gradient_uses_besides_is_constant() -> None:
    def f(a: lw.Array) -> lw.Array:
        return lw.custom_gradient(lambda v: (v * a, lambda c: c * a))(a)

    check(slope(f, f64(X)), X)
    check(lw.jvp(f, (f64(X),), (f64(X),)), (X**2, X**2))
    check(slope(lambda a: lw.checkpoint(lambda v: v * a)(f64(X)), f64(X)), X)  # a checkpoint finds them


# --- what a function uses from outside --------------------------------------------------------------------------------


def test_constants_of_all_kinds() -> None:
    x, held = f64(X), f64(X + 1)
    check(slope(lambda x: x * held, x), X + 1)
    check(slope(lambda x: held * x - held, x), X + 1)
    check(slope(lambda x: x * lw.asarray([1, 2, 3]), x), [1.0, 2.0, 3.0])
    check(slope(lambda x: x * 2 + True, x), [2.0, 2.0, 2.0])
    check(slope(lambda x: (x > 1.5) * x, x), [0.0, 1.0, 1.0])
    check(slope(lambda x: x * held.data, x), X + 1)
    check(slope(lambda x: lw.where(lw.asarray([True, False, True]), x, 5), x), [1.0, 0.0, 1.0])
    check(slope(lambda x: x * lw.arange(3) + lw.ones(3, dtype=lw.float64), x), [0.0, 1.0, 2.0])
    check(slope(lambda x: lw.asarray([x[0], 5.0, 2 * x[2]]), x), [1.0, 0.0, 2.0])
    check(slope(lambda x: lw.asarray([[x[0], 1.0], [2, x[1]]]), x), [1.0, 1.0, 0.0])
    check(slope(lambda x: lw.asarray([5, x, [1.0, 2.0, x[1]]][1:]), x), [1.0, 2.0, 1.0])
    check(slope(lambda x: lw.random.normal(lw.random.key(0), shape=(3,)) * 0 + x, x), [1.0, 1.0, 1.0])
    other = lw.asarray(X, backend=another(lw.current_backend(), "dask"))
    with pytest.raises(BackendError, match="beside arrays of"):
        slope(lambda x: x * other, x)


def test_integers_have_no_derivatives_and_pass() -> None:
    x = f64(X)
    check(slope(lambda x: lw.astype(x, lw.int32) * x, x), X)
    check(slope(lambda x: x[lw.argsort(-x)][:2], x), [0.0, 1.0, 1.0])
    check(slope(lambda x: lw.floor(x) * x, x), X)
    check(slope(lambda x: x[lw.asarray([0, 0, 2])], x), [2.0, 0.0, 1.0])
    with pytest.raises(TypeError, match="int32, which has no derivatives"):
        lw.vjp(lambda x: lw.astype(x, lw.int32), x)


def test_a_result_that_depends_on_no_argument() -> None:
    x, held = f64(X), f64(2.0)
    check(lw.grad(lambda x: 1.0)(x), 0 * X)
    check(lw.grad(lambda x: held)(x), 0 * X)
    check(lw.grad(lambda x: lw.sum(lw.stop_gradient(x)))(x), 0 * X)
    check(lw.grad(lambda x, y: lw.sum(y), (0, 1))(x, x), (0 * X, 0 * X + 1))
    check(lw.jvp(lambda x: held, (x,), (x,)), (2.0, 0.0))
    check(lw.jacrev(lambda x: lw.stack([held, x[0]]))(x), [[0.0, 0, 0], [1, 0, 0]])
    check(lw.grad(lw.grad(lambda x: 3 * x))(held), 0.0)


def test_one_array_in_two_places() -> None:
    x = f64(X)
    check(lw.grad(lambda a, b: lw.sum(a * b * b), (0, 1))(x, x), (X**2, 2 * X**2))
    check(lw.grad(lambda p: lw.sum(p[0] * p[1]["b"]))([x, {"b": x}]), [X, {"b": X}])
    check(slope(lambda x: x + x + x, x), 0 * X + 3)


def test_trees_and_what_is_returned_beside() -> None:
    def f(p: Any, how: str) -> Any:
        return lw.sum(p["a"] ** 2) * p["b"][0], {"how": how, "seen": p["a"] * 2, "none": None, "number": 3}

    p = {"a": f64(X), "b": (f64(2.0), f64(1.0))}
    (value, aux), found = lw.value_and_grad(f, has_aux=True)(p, "h")
    check((value, found), (2 * X @ X, {"a": 4 * X, "b": (X @ X, 0.0)}))
    assert (aux["how"], aux["none"], aux["number"]) == ("h", None, 3)
    check(aux["seen"], 2 * X)
    check(slope(lambda x: aux["seen"] * x, f64(X)), 2 * X)
    for of in (lw.jacrev, lw.jacfwd):
        found, aux = of(lambda x: (x**2, {"x": x}), has_aux=True)(f64(X))
        check(found, np.diag(2 * X))
        check(aux["x"], X)


# --- shapes and dtypes ------------------------------------------------------------------------------------------------


def test_what_was_broadcast_is_summed() -> None:
    row, column, number = f64(X), f64([[1.0], [2.0]]), f64(2.0)
    found = lw.grad(lambda r, c, n: lw.sum(r * c + n), (0, 1, 2))(row, column, number)
    check(found, (0 * X + 3, [[6.0], [6.0]], 6.0))
    _, along = lw.jvp(lambda r, c: r + c, (row, column), (row, column))
    check(along, X + np.array([[1.0], [2.0]]))
    check(slope(lambda x: lw.broadcast_to(x, (4, 3)), row), 0 * X + 4)
    check(slope(lambda x: lw.maximum(x, column), row), [0.5, 1.5, 2.0])


def test_elements_that_a_mask_selects(taped: str) -> None:
    x = f64([[3.0, 4.0], [0.5, 2.0]])
    programs: list[tuple[Callable[[lw.Array], Any], Any]] = [
        (lambda x: lw.sum(x[x > 1]), [[1, 1], [0, 1]]),
        (lambda x: lw.sum(x[x > 1] ** 2), [[6, 8], [0, 4]]),
        (lambda x: lw.mean(x[x > 1]), [[1 / 3, 1 / 3], [0, 1 / 3]]),
        (lambda x: lw.max(x[x > 1]), [[0, 1], [0, 0]]),
        (lambda x: lw.std(x[x > 1]), np.array([[0, 1], [0, -1]]) / 6**0.5),
        (lambda x: lw.sum(lw.sum(x[x[:, 0] > 1], axis=1) ** 2), [[14, 14], [0, 0]]),
        (lambda x: lw.sum(lw.mean(x[x[:, 0] > 1], axis=0) ** 2), [[6, 8], [0, 0]]),
        (lambda x: lw.sum(lw.where(x[x > 1] > 2, x[x > 1], 0)), [[1, 1], [0, 0]]),
        (lambda x: lw.sum(x[lw.nonzero(x > 1)]), [[1, 1], [0, 1]]),
        (lambda x: lw.sum(lw.nn.softmax(x[x > 1]) ** 2), [[-0.130105, 0.205823], [0, -0.075718]]),
    ]
    for f, expected in programs:
        g = lw.grad(f)(x)
        assert g.shape == (2, 2)
        np.testing.assert_allclose(np.asarray(g), expected, atol=2e-6)
        moved = lw.jvp(f, (x,), (x,))[1]
        np.testing.assert_allclose(np.asarray(moved), np.sum(np.asarray(expected) * np.asarray(x)), atol=1e-5)
    if taped == "dask":
        with pytest.raises(BackendError, match=r"^prod: its derivative needs extents .* lw.where\(mask, x, 0\)"):
            lw.grad(lambda x: lw.prod(x[x > 1]))(x)
        with pytest.raises(BackendError, match=r"^prod: its derivative needs extents"):
            lw.jvp(lambda x: lw.prod(x[x > 1]), (x,), (x,))


def test_arrays_without_axes_and_without_elements() -> None:
    check(lw.grad(lambda x: lw.exp(x) * x)(f64(0.0)), 1.0)
    check(lw.hessian(lambda x: x**3)(f64(2.0)), 12.0)
    check(lw.grad(lw.sum)(f64([])), np.zeros(0))
    nothing = f64(np.zeros((2, 0)))
    check(slope(lambda x: lw.sum(x[:, :0]) + lw.sum(x @ f64(np.zeros((0, 2)))), nothing), np.zeros((2, 0)))
    check(lw.grad(lambda x: lw.prod(x[:0]) * lw.sum(x))(f64(X)), 0 * X + 1)
    check(lw.jacrev(lambda x: x[:0])(f64(X)), np.zeros((0, 3)))
    check(lw.jacfwd(lambda x: x * 2)(f64([])), np.zeros((0, 0)))


@pytest.mark.parametrize("name", "float16 bfloat16 float32 float64 complex64 complex128".split())
def test_derivatives_keep_the_dtype(name: str) -> None:
    dtype = lw.as_dtype(name)
    x = lw.asarray(X, dtype=dtype)

    def f(x: lw.Array) -> Any:
        y = lw.sin(x * 0.5) / 3 + x**2 - lw.sqrt(x) * x
        return lw.sum(lw.abs(y * lw.asarray(2.0, dtype=dtype)))

    value, found = lw.value_and_grad(f)(x)
    assert found.dtype is dtype and found.shape == (3,)
    assert value.dtype is lw.abs(x).dtype
    value, along = lw.jvp(lambda x: lw.exp(x * 0.5) + 1, (x,), (x,))
    assert value.dtype is along.dtype is dtype
    assert lw.grad(lambda x: lw.abs(lw.grad(lambda y: lw.abs(y * y * 3))(x)))(x[0]).dtype is dtype


def test_a_cast_inside_brings_the_dtype_back() -> None:
    x = lw.asarray(X, dtype=lw.float32)
    found = slope(lambda x: lw.astype(x, lw.float64) ** 2, x)
    assert found.dtype is lw.float32 and found.tolist() == [2.0, 4.0, 6.0]
    found = slope(lambda x: lw.real(lw.astype(x, lw.complex128) * (2 - 1j)), lw.astype(x, lw.complex64))
    assert found.dtype is lw.complex64 and found.tolist() == [2 + 1j] * 3


def test_a_complex_number_of_python_is_a_constant() -> None:
    z = lw.asarray(X + 1j, dtype=lw.complex128)
    for f in (
        lambda z: z * (2 - 1j),
        lambda z: z / (0.4 + 0.2j),
        lambda z: z * lw.asarray(2 - 1j, dtype=lw.complex128),
    ):
        check(slope(lambda z, f=f: lw.real(f(z)), z), [2 + 1j] * 3)
        check(lw.jvp(f, (z,), (z,))[1], (X + 1j) * (2 - 1j))
    check(slope(lambda z: lw.real(z ** (2 + 1j)), z), np.conj((2 + 1j) * (X + 1j) ** (1 + 1j)))


def test_a_gradient_has_the_blocks_of_its_argument() -> None:
    if lw.current_backend() != "dask":
        pytest.skip("it has no blocks")
    x = lw.asarray(f64(np.arange(6.0)).data.rechunk(4))
    for f in (lambda x: lw.reshape(x, (3, 2)) ** 2, lambda x: x[::2] * x[1::2], lambda x: lw.roll(x, 1) * x):
        found = slope(f, x)
        assert found.data.chunks == x.data.chunks
    for _ in range(3):
        x = x - 0.25 * slope(lambda x: lw.reshape(x, (3, 2)) @ f64([[1.0], [2.0]]), x)
    assert x.data.chunks == ((4, 2),)


# --- writes -----------------------------------------------------------------------------------------------------------


def at_keys(x: lw.Array) -> lw.Array:
    y = lw.zeros(3, dtype=lw.float64)
    y[0] = x[1]
    y[1:] = x[:2] ** 2
    return y


def in_place(x: lw.Array) -> lw.Array:
    y = x * 1
    y += x
    y *= x
    return y


def parts(x: lw.Array) -> lw.Array:
    y = x * 1
    y[1:] *= 3
    y[0] += x[2]
    return y


def test_writes_to_arrays_of_the_function() -> None:
    def masked(x: lw.Array) -> lw.Array:
        y = x * x
        y[x > 2.5] = 0
        return y

    def over(x: lw.Array) -> lw.Array:
        y = x * x
        before = lw.sum(y)
        y[:] = 7
        return y + before

    held = f64(X)

    def copied(x: lw.Array) -> lw.Array:
        y = held.copy()
        y[0] = x[1]
        z = lw.zeros_like(held)
        z[1:] += x[1:]
        return y * z * x

    check(slope(at_keys, f64(X)), [2.0, 5.0, 0.0])
    check(slope(in_place, f64(X)), 4 * X)
    check(slope(parts, f64(X)), [1.0, 3.0, 4.0])
    check(slope(masked, f64(X)), [2.0, 4.0, 0.0])
    check(slope(over, f64(X)), 6 * X)
    check(slope(copied, f64(X)), [0.0, 8.0, 18.0])
    check(held, X)
    for f in (at_keys, in_place, parts):
        check(lw.jvp(f, (f64(X),), (f64([1.0, 0, 0]),))[1], lw.jacrev(f)(f64(X))[:, 0])


def test_a_value_with_more_axes_than_what_is_written_to() -> None:
    def by_key(x: lw.Array) -> lw.Array:
        y = x * 1
        y[0] = x
        return y * y

    for f in (by_key, lambda x: lw.at(x)[0].set(x) ** 2):
        check(slope(f, f64(X[None])), 2 * X[None])
        check(lw.jvp(lambda x, f=f: lw.sum(f(x)), (f64(X[None]),), (f64(X[None]),))[1], 28.0)


def test_a_write_to_an_argument_leaves_the_array_of_the_caller() -> None:
    def f(x: lw.Array) -> lw.Array:
        x[0] = 5.0
        x *= 2
        return x * x

    x = f64(X)
    check(slope(f, x), [0.0, 16.0, 24.0])
    check(x, X)


def test_a_write_to_a_view_is_refused() -> None:
    def by_key(x: lw.Array) -> lw.Array:
        y = x * 1
        v = y[1:]
        v[0] = 5
        return y

    def whole(x: lw.Array) -> lw.Array:
        y = x * 1
        v = lw.reshape(y, (3, 1))
        v += 5
        return y

    for f, name in ((by_key, "setitem"), (whole, "add")):
        with pytest.raises(ValueError, match=f"{name}: this array was made of another one.*that is differentiated has"):
            slope(f, f64(X))


def test_a_write_to_an_array_from_outside_is_refused() -> None:
    held = f64(X)

    def by_key(x: lw.Array) -> lw.Array:
        held[0] = x[1]
        return held

    def whole(x: lw.Array) -> lw.Array:
        y = held
        y += x
        return y

    for f, name in ((by_key, "setitem"), (whole, "add")):
        with pytest.raises(BackendError, match=rf"{name}: the value depends on an argument.*y = y.copy\(\)"):
            slope(f, f64(X))
    check(held, X)


def test_a_number_written_to_an_array_from_outside_counts_from_there_on(taped: str) -> None:
    c = f64([1.0, 2.0, 3.0])

    def f(x: lw.Array) -> lw.Array:
        y = x * c
        c[0] = 7
        c[0] = 8
        y = y + x * c
        c[:] = 0
        return y

    def forget() -> None:
        c[:] = f64([1.0, 2.0, 3.0])

    for found in (
        lambda: slope(f, f64(X)),
        lambda: lw.vjp(f, f64(X))[1](f64([1.0, 1.0, 1.0]))[0],
        lambda: lw.jvp(f, (f64(X),), (f64([1.0, 1.0, 1.0]),))[1],
        lambda: lw.jacrev(f)(f64(X))[lw.arange(3), lw.arange(3)],
    ):
        forget()
        check(found(), [9.0, 4.0, 6.0])
        check(c, [0.0, 0.0, 0.0])
    forget()
    check(slope(lw.grad(lambda x: lw.sum(x * f(x))), f64(X)), [18.0, 8.0, 12.0])
    if taped == "numpy":
        from latticework.backends.numpy.core import WATCHING

        assert WATCHING == []


def test_a_write_through_other_memory_of_what_was_used_is_refused(taped: str) -> None:
    if taped == "dask":
        pytest.skip("its arrays share no memory")
    c, x = f64([1.0, 2.0, 3.0]), f64(X)
    view = c[1:]

    def written_before(x: lw.Array) -> lw.Array:
        view[0] = 5
        return x[1:] * view

    def written_after(x: lw.Array) -> lw.Array:
        y = x * c
        view[0] = 9
        return y

    def argument(_: lw.Array) -> lw.Array:
        x[0] = 2
        return _ * c

    check(slope(written_before, x), [0.0, 5.0, 3.0])
    with pytest.raises(ValueError, match=r"writes to an array from outside, in line \d+ of .*test_tapes.py, after"):
        slope(written_after, x)
    with pytest.raises(ValueError, match="writes to an array from outside"):
        slope(argument, x)
    check(lw.vjp(argument, x)[1](f64([1.0, 1.0, 1.0]))[0], [1.0, 9.0, 3.0])  # whose argument is a copy


def test_derivatives_share_no_memory_and_can_be_written_to() -> None:
    x, c = f64(X), f64([1.0, 1.0, 1.0])
    for found in (
        lw.grad(lw.sum)(x),
        slope(lambda x: lw.reshape(x, (3, 1)), x),
        lw.compile(lw.grad(lw.sum))(x),
        lw.vjp(lambda x: x, x)[1](c)[0],
        lw.jvp(lambda x: x, (x,), (c,))[1],
    ):
        found += 1
        found[0] = 7
        check(found, [7.0, 2.0, 2.0])
    gradients = lw.grad(lambda a, b: lw.sum((a + b) ** 2), (0, 1))
    for of in (gradients, lw.compile(gradients)):
        first, second = of(x, x)
        first += 1
        check(second, 4 * X)
    check((x, c), (X, [1.0, 1.0, 1.0]))


def test_what_is_written_before_cotangents_come_changes_nothing() -> None:
    one, x, held = f64([1.0, 1.0, 1.0]), f64(X), f64(X)
    y, back = lw.vjp(lambda x: lw.exp(x) * held * x, x)
    x[0], held[0] = 100, 100
    y -= y
    check(back(one), (np.exp(X) * X * (X + 1),))
    check(y, 0 * X)
    x = f64(X)
    y, back = lw.vjp(lw.exp, x)
    y[:] = 0
    check(back(one), (np.exp(X),))
    check(x, X)


# --- values that leave the function -----------------------------------------------------------------------------------


def test_pythons_control_flow_goes_by_values() -> None:
    def f(x: lw.Array) -> lw.Array:
        while x < 50:
            x = x * x
        return x if x > 1 else -x

    check(lw.grad(f)(f64(3.0)), 4 * 3.0**3)
    check(lw.grad(lambda x: sum(e**2 for e in x))(f64(X)), 2 * X)
    check(lw.grad(lambda x: x[len(x) - 1] * x.shape[0])(f64(X)), [0.0, 0.0, 3.0])


def test_an_array_is_written_to_while_a_loop_goes_along_it() -> None:
    def f(x: lw.Array) -> lw.Array:
        y = x * x
        for i, e in enumerate(y):
            if i < 2:
                y[i + 1] = y[i + 1] * e
        return y[2] * 1

    check(lw.grad(f)(f64(X)), 2 * 36 / X)


def test_steps_along_an_axis_take_time_in_proportion_to_their_number() -> None:
    """A derivative of one row had the size of all rows, so that twice as many took four times as long."""
    sizes: list[int] = []
    ways: tuple[Callable[[lw.Array], Any], ...] = (
        lambda x: lw.scan(lambda c, v: (c + lw.sum(v), None), f64(0.0), x)[0],
        lambda x: sum(lw.sum(v) for v in x),
        lambda x: lw.sum(lw.vmap(lambda v: v * v)(x)),
        lambda x: lw.sum(lw.map(lambda v: v * v, x)),
    )
    with lw.using(backend="numpy"):
        for of in ways:
            graph = lw.trace(lw.grad(of), lw.ones((5, 2), dtype=lw.float64))
            sizes.append(sum("zeros" in line for line in graph.source.splitlines()))
    assert sizes == [0, 0, 0, 0]


def test_numbers_of_python_are_constants() -> None:
    x = f64(3.0)
    check(lw.grad(lambda x: x * float(x))(x), 3.0)
    check(lw.grad(lambda x: x * int(x) * bool(x))(x), 3.0)
    check(lw.grad(lambda x: x * x.item())(x), 3.0)
    check(lw.grad(lambda x: lw.sum(x) * sum(x.tolist()))(f64(X)), 0 * X + 6)
    check(lw.grad(lambda x: lw.sum(x) * float(lw.to_numpy(lw.stop_gradient(x))[1]))(f64(X)), 0 * X + 2)
    for taken in (np.asarray, lw.to_numpy):
        with pytest.raises(TypeError, match="a traced array has no values that could go to NumPy"):
            lw.grad(lambda x, taken=taken: lw.sum(x) * float(taken(x)[1]))(f64(X))


def test_an_array_stays_one_that_is_differentiated() -> None:
    name, x = lw.current_backend(), f64(X)
    check(slope(lambda x: lw.asarray(x, backend=name) ** 2, x), 2 * X)
    check(slope(lambda x: lw.asarray(x, copy=True, backend=name) ** 2, x), 2 * X)
    check(slope(lambda x: lw.asarray(x, backend=x.backend) ** 2, x), 2 * X)
    check(slope(lambda x: copy.copy(x) * copy.deepcopy(x), x), 2 * X)
    check(slope(lambda x: x.copy() * x.to_device(x.device), x), 2 * X)
    with lw.using(backend=another(name, "dask")):
        found = slope(lambda x: lw.asarray(x, backend=name) ** 2, x)
    check(found, 2 * X)


def test_an_array_is_shown_and_pickled() -> None:
    shown: list[str] = []

    def f(x: lw.Array) -> lw.Array:
        shown.extend([repr(x), str(x), f"{x[1]:.2f}"])
        return lw.sum(x * pickle.loads(pickle.dumps(x)))

    lw.grad(f)(f64(X))
    assert shown[0].startswith("Array(") and "float64" in shown[0] and shown[2] == "2.00"
    if lw.current_backend() == "numpy":
        assert shown[0] == "Array([1., 2., 3.], dtype=float64)"


def test_functions_of_numpy_on_native_arrays_are_refused_with_words() -> None:
    check(slope(np.sin, f64(X)), np.cos(X))  # of an Array it is lw.sin
    with pytest.raises(TypeError, match=r"hands x.data to NumPy.*lw.stop_gradient"):
        slope(lambda x: lw.asarray(np.sin(x.data)), f64(X))
    with pytest.raises(TypeError, match="computes with x.data"):
        slope(lambda x: lw.asarray(x.data * 2), f64(X))
    with pytest.raises(AttributeError, match=r"x.data is no array of .* and has no T"):
        slope(lambda x: lw.asarray(x.data.T), f64(X))


def test_functions_of_native_arrays_get_arrays_to_compute_with() -> None:
    name = lw.current_backend()
    xp = lw.array_namespace(name)
    x, held = f64(X).data, f64(X).data

    def filled(x: Any) -> Any:
        y = xp.zeros(3, dtype=xp.float64)
        y[1:] = x[1:] * x[:2]
        return y + held * x

    for f, expected in (
        (lambda x: xp.sum(x**2), 2 * X),
        (lambda x: xp.sum(held * x) + (x * x).sum(), 3 * X),
        (lambda x: xp.sum(filled(x)), X + np.array([2.0, 4.0, 2.0])),
        (lambda x: x[0] * float(x[1]), [2.0, 0.0, 0.0]),
    ):
        value, found = xp.value_and_grad(f)(x)
        assert float(value) and type(found) is type(x)
        np.testing.assert_allclose(found, expected)


def test_an_option_that_is_an_array_has_a_derivative_or_is_refused() -> None:
    for f in (lw.var, lw.std):
        found = lw.grad(lambda c, f=f: f(f64(X), correction=c))(f64(0.5))
        step = 1e-6
        upper, lower = (float(f(f64(X), correction=0.5 + h)) for h in (step, -step))
        assert float(found) == pytest.approx((upper - lower) / (2 * step), rel=1e-6)
    with pytest.raises(TypeError, match="elu: alpha is an option, a Python number, by which there is no derivative"):
        lw.grad(lambda a: lw.sum(lw.nn.elu(f64([-1.0, 2.0]), a)))(f64(0.5))


def test_a_function_without_a_rule_is_named() -> None:
    x = f64([[1.0, 2.0], [3.0, 4.0]])

    def f(x: lw.Array) -> lw.Array:
        return lw.linalg.schur(x)[0]

    calls: list[Callable[..., Any]] = [
        lambda x: slope(f, x),
        lambda x: lw.jvp(f, (x,), (x,)),
        lw.compile(lambda x: slope(f, x)),
    ]
    for call in calls:
        with pytest.raises(BackendError, match=r"linalg.schur: .* have no derivative.* lw.stop_gradient\(x\) takes"):
            call(x)
    check(slope(lambda x: x * lw.linalg.schur(lw.stop_gradient(x))[1] * 0, x), np.zeros((2, 2)))


# --- rules of users ---------------------------------------------------------------------------------------------------


def test_a_function_without_a_derivative_gets_one_from_the_user(taped: str) -> None:
    x = f64([[2.0, 1.0], [1.0, 3.0]])

    def trace(x: lw.Array) -> lw.Array:
        t, _ = lw.linalg.schur(x)
        return lw.sum(lw.linalg.diagonal(t) ** 2)

    with pytest.raises(BackendError, match="schur"):
        lw.grad(trace)(x)
    try:

        @lw.derivative_of(lw.linalg.schur)
        def rule(g: Any, result: Any, x: lw.Array) -> lw.Array:
            z = result[1]
            return z @ (lw.eye(2, dtype=x.dtype) * g[0]) @ z.mT

        check(lw.grad(trace)(x), 2 * np.asarray(x))  # of the sum of squares of the eigenvalues
        check(lw.compile(lw.grad(trace))(x), 2 * np.asarray(x))
        check(lw.jvp(trace, (x,), (x,))[1], 2 * 15.0)
        with pytest.raises(ValueError, match="schur has a derivative. To take another, write replace=True"):
            lw.derivative_of(lw.linalg.schur)(rule)
        zero = lw.zeros_like(x)
        lw.derivative_of(lw.linalg.schur, replace=True, forward=lambda t, result, x: (t * 5, zero))(rule)
        moved = lw.jvp(lambda x: lw.linalg.schur(x)[0], (x,), (x,))[1]
        check(moved, 5 * np.asarray(x))
    finally:
        assert lw.derivative_of(lw.linalg.schur)(None) is None
    with pytest.raises(BackendError, match="schur"):
        lw.grad(trace)(x)


def test_a_rule_in_the_place_of_another() -> None:
    x, y = f64(X), f64(X + 1)
    try:
        lw.derivative_of(lw.floor, replace=True)(lambda g, result, x: g)  # straight through
        lw.derivative_of(lw.multiply, replace=True)(lambda g, result, x, y: (g * y, None))
        check(lw.grad(lambda x: lw.sum(lw.floor(x) * 3))(x), [3.0, 3.0, 3.0])
        check(lw.grad(lambda x, y: lw.sum(x * y), argnums=(0, 1))(x, y), (X + 1, np.zeros(3)))
        check(lw.jvp(lambda x, y: x * y, (x, y), (x, y))[1], X * (X + 1))
    finally:
        lw.derivative_of(lw.floor)(None)
        lw.derivative_of(lw.multiply)(None)
    check(lw.grad(lambda x: lw.sum(lw.floor(x) * x))(x), X)
    check(lw.grad(lambda x, y: lw.sum(x * y), argnums=(0, 1))(x, y), (X + 1, X))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda g, result, x: (g, g), "floor returned 2 cotangents, and there are 1"),
        (lambda g, result, x: g[:1], r"must be float64 of shape \(3,\).*returned float64 of shape \(1,\)"),
        (lambda g, result, x: lw.astype(g, lw.float32), "returned float32 of shape"),
        (lambda g, result, x: 2.0, "returned float$"),
    ],
)
def test_what_a_rule_returns_is_checked(rule: Any, words: str) -> None:
    try:
        lw.derivative_of(lw.floor, replace=True)(rule)
        with pytest.raises(TypeError, match=words):
            lw.grad(lambda x: lw.sum(lw.floor(x)))(f64(X))
    finally:
        lw.derivative_of(lw.floor)(None)


def test_what_takes_no_rule() -> None:
    with pytest.raises(ValueError, match="polyval is composed of other functions, whose rules it has"):
        lw.derivative_of(lw.polyval)
    with pytest.raises(ValueError, match="sin has a derivative"):
        lw.derivative_of(lw.sin)(lambda g, result, x: g)
    for wrong in (lw.zeros, lambda x: x, lw.grad, np.sin):
        with pytest.raises(TypeError, match="that backends compute; got .* lw.custom_gradient"):
            lw.derivative_of(wrong)
    with pytest.raises(TypeError, match="got str 'schur'. Write lw.linalg.schur"):
        lw.derivative_of("schur")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the first argument is the function; got int"):
        lw.derivative_of(lw.floor, replace=True)(3)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="forward is a function; got int 3"):
        lw.derivative_of(lw.floor, replace=True, forward=3)  # type: ignore[arg-type]


# --- what is left behind ----------------------------------------------------------------------------------------------


def test_an_error_leaves_nothing_behind() -> None:
    x, before = f64(X), lw.current_backend()

    def fails(x: lw.Array) -> lw.Array:
        _ = x * 2
        raise KeyError("of the function")

    for call in (lw.grad(fails), lw.jacrev(fails), lw.grad(lw.grad(fails)), lambda x: lw.jvp(fails, (x,), (x,))):
        with pytest.raises(KeyError, match="of the function"):
            call(x)
        assert lw.current_backend() == before
    with pytest.raises(ValueError, match=r"matmul: shapes \(3,\) and \(4, 4\) do not fit"):
        slope(lambda x: x @ lw.zeros((4, 4), dtype=lw.float64), x)
    check(slope(lambda x: x * x, x), 2 * X)


def test_an_array_that_outlives_its_tape_is_a_constant() -> None:
    left: list[lw.Array] = []

    def f(x: lw.Array) -> lw.Array:
        left.append(x * 2)
        return lw.sum(x)

    lw.grad(f)(f64(X))
    np.testing.assert_allclose(np.asarray(left[0] * 3), 6 * X)
    check(slope(lambda x: x * left[0], f64(X)), 2 * X)


def test_two_threads_differentiate_at_once() -> None:
    found: dict[int, Any] = {}
    name, meet = lw.current_backend(), threading.Barrier(2)

    def work(k: int) -> None:
        def f(x: lw.Array) -> lw.Array:
            y = x
            for _ in range(20):
                y = y + lw.sin(x) * k
                meet.wait(30)
            return lw.sum(y)

        with lw.using(backend=name):
            found[k] = np.asarray(lw.grad(f)(f64(X)))

    threads = [threading.Thread(target=work, args=(k,)) for k in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for k in (1, 2):
        np.testing.assert_allclose(found[k], 1 + 20 * k * np.cos(X))


def test_settings_that_change_inside() -> None:
    name = lw.current_backend()
    other = another(name, "dask")

    def f(x: lw.Array) -> Any:
        with lw.using(default_float=lw.float64, rules="numpy"):
            y = lw.sum(x * lw.asarray([1.0, 2.0, 3.0]))
        with lw.using(backend=other):
            n = float(lw.sum(lw.asarray([1.0, 2.0])))
        return y * n

    def filled(x: lw.Array) -> lw.Array:
        with lw.using(backend=name):
            y = lw.zeros(3, dtype=lw.float64)
            y[1] = x[0]
        return y * y

    check(lw.grad(f)(f64(X)), 3 * X)
    check(slope(filled, f64(X)), [2.0, 0.0, 0.0])
    with lw.using(rules="numpy"):
        check(slope(lambda x: x * lw.asarray([1.0, 1.0, 1.0], dtype=lw.float32), f64(X)), [1.0, 1.0, 1.0])


# --- compositions and loops -------------------------------------------------------------------------------------------


def test_products_convolutions_and_loops() -> None:
    x = f64(X)
    check(lw.grad(lambda a: lw.einsum("i,j,ij->", a, a, lw.eye(3, dtype=lw.float64)))(x), 2 * X)
    image, kernel = f64(np.ones((1, 1, 5))), f64(X[None, None])
    check(lw.grad(lambda w: lw.sum(lw.nn.conv(image, w)))(kernel), np.full((1, 1, 3), 3.0))
    check(lw.grad(lambda i: lw.sum(lw.nn.conv(i, kernel)))(image)[0, 0], [1.0, 3.0, 6.0, 5.0, 3.0])
    check(lw.grad(lambda a: lw.cond(a[0] > 0, lambda a: lw.sum(a**2), lw.sum, a))(x), 2 * X)
    check(lw.grad(lambda a: lw.fori_loop(0, 3, lambda i, c: c * a[1], a[0]))(x), [8.0, 12.0, 0.0])

    def doubled(a: lw.Array) -> lw.Array:
        found: lw.Array = lw.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1] * a[1]), (0, a[0]))[1]
        return found

    def product(a: lw.Array) -> lw.Array:
        found: lw.Array = lw.scan(lambda c, e: (c * e, c), f64(1.0), a)[0]
        return found

    check(lw.grad(doubled)(x), [4.0, 4.0, 0.0])
    check(lw.grad(product)(x), [6.0, 3.0, 2.0])
    check(lw.hessian(product)(x), [[0.0, 3, 2], [3, 0, 1], [2, 1, 0]])


#: Functions whose branch that is not taken has slopes at [0, 4] that are infinite or nan.
BRANCHES: list[Callable[[lw.Array], lw.Array]] = [
    lambda x: lw.cond(x[0] > 0, lw.sqrt, lambda x: x * 0, x),
    lambda x: x * lw.switch(lw.astype(x[1], lw.int32) // 2, [lambda: lw.log(x), lambda: 1 / x, lambda: x**2]),
    lambda x: lw.cond(x[0] > 0, lambda: lw.log(x), lambda: lw.cond(x[1] < 3, lambda: 1 / x, lambda: x**3) * x),
    lambda x: lw.grad(lambda y: lw.sum(lw.cond(x[0] > 0, lambda: lw.log(y), lambda: y**3 * x)))(x),
    lambda x: lw.cond(x[0] > 0, lambda: lw.grad(lambda y: lw.sum(lw.sqrt(y)))(x), lambda: x * x),
    lw.checkpoint(lambda x: lw.cond(x[0] > 0, lambda: lw.sqrt(x), lambda: x * x)),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the branch that is not taken
@pytest.mark.parametrize("of", BRANCHES)
def test_a_branch_that_is_not_taken_leaves_no_nan_in_a_compiled_derivative(of: Callable[..., Any]) -> None:
    x = f64([0.0, 4.0])
    for f in (lw.grad(lambda x: lw.sum(of(x))), lw.hessian(lambda x: lw.sum(of(x))), lw.jacfwd(of)):
        expected = np.asarray(f(x))
        assert np.isfinite(expected).all()
        check(lw.compile(f)(x), expected)


def test_a_loop_whose_length_depends_on_values_is_refused_in_a_traced_derivative() -> None:
    for of in (
        lambda x: lw.while_loop(lambda c: lw.sum(c) < 30, lambda c: c * x + 1, x),
        lambda x: lw.fori_loop(0, lw.astype(x[0], lw.int32), lambda i, c: c * x, x),
    ):
        assert lw.grad(lambda x, of=of: lw.sum(of(x)))(f64(X)).shape == (3,)
        with pytest.raises(TraceError, match=r"the number of steps of a loop.*lw.fori_loop"):
            lw.trace(lw.grad(lambda x, of=of: lw.sum(of(x))), f64(X))


def test_compiled_functions_within_derivatives_and_the_other_way_round() -> None:
    x, cube = f64(X), lw.compile(lambda v: v**3)
    check(cube(x), X**3)
    check(slope(cube, x), 3 * X**2)
    check(slope(lw.jit(lambda v: v**3), x), 3 * X**2)
    check(lw.grad(lw.grad(cube))(f64(2.0)), 12.0)
    check(cube(x), X**3)
    check(slope(lambda a: lw.compile(lambda v: v * a)(x), x), X)
    check(lw.compile(lw.grad(lambda a: lw.sum(a**3)))(x), 3 * X**2)
    check(lw.jit(lw.grad(lambda a: lw.sum(cube(a))))(x), 3 * X**2)
    check(lw.compile(lw.hessian(lambda a: lw.sum(a**3)))(x), np.diag(6 * X))
    check(lw.compile(lambda a: lw.grad(lambda b: lw.sum(b**3))(a) + a)(x), 3 * X**2 + X)
    check(lw.compile(lambda x: lw.jvp(lambda x: x**2, (x,), (x,)))(x), (X**2, 2 * X**2))
    value_and_grad = lw.compile(lw.value_and_grad(lambda p: lw.sum(p["a"] * p["b"])))
    for _ in range(2):
        check(value_and_grad({"a": x, "b": x}), (X @ X, {"a": X, "b": X}))


def test_a_graph_is_differentiated_as_the_function_that_was_traced(tmp_path: Path) -> None:
    scale = {"by": f64([1.0, 2.0, 3.0])}

    def f(x: lw.Array, n: float) -> lw.Array:
        return lw.sum(scale["by"] * x**3 + lw.ones(3, dtype=lw.float64)) * n

    graph = lw.trace(f, f64(X), 2.0)
    check(lw.grad(graph)(f64(X), 2.0), 6 * X**3)
    check(lw.value_and_grad(lambda x: 2 * graph(x, 2.0))(f64(X)), (2 * 2 * (36 + 62 + 3.0), 12 * X**3))
    check(lw.jvp(lambda x: graph(x, 2.0), (f64(X),), (f64(X),)), (2 * (36 + 62 + 3.0), 6 * (1 + 16 + 81.0)))
    check(lw.hessian(graph)(f64(X), 2.0), np.diag(12 * X**2))
    check(lw.compile(lw.grad(lambda x: graph(x, 2.0)))(f64(X)), 6 * X**3)
    with pytest.raises(TraceError, match="it was traced with 2.0 where this call has 3.0"):
        lw.grad(graph)(f64(X), 3.0)
    with pytest.raises(TraceError, match="was of float64, and is of float32"):
        lw.grad(graph)(lw.asarray(X, dtype=lw.float32), 2.0)
    loaded = lw.load(graph.save(tmp_path / "f.lwg"))
    with pytest.raises(BackendError, match=r"comes from a file.*has no derivatives of its calls"):
        lw.grad(loaded)(f64(X), 2.0)
    check(lw.load(lw.trace(lw.grad(f), f64(X), 2.0).save(tmp_path / "g.lwg"))(f64(X), 2.0), 6 * X**3)


def test_a_traced_derivative_is_a_graph_of_the_framework() -> None:
    x, w = f64([[1.0, 2.0], [3.0, 4.0]]), f64([0.5, -1.0])

    def loss(w: lw.Array, x: lw.Array) -> lw.Array:
        return lw.sum((x @ w - 1) ** 2)

    graph = lw.trace(lw.grad(loss), w, x)
    rows = np.asarray(x)
    expected = 2 * (rows @ np.asarray(w) - 1) @ rows
    check(graph(w, x), expected)
    if lw.current_backend() == "numpy":
        assert "import numpy as np" in graph.source
        assert "latticework" not in graph.source


def test_second_derivatives_of_elements_whose_number_is_not_known() -> None:
    x = f64(X)
    for f in (
        lambda x: lw.sum(lw.compress(x > 1.5, x) ** 3), lambda x: lw.sum(lw.extract(x > 1.5, x) ** 3),
        lambda x: lw.sum(x[x > 1.5] ** 3),
    ):  # fmt: skip
        check(lw.grad(lambda x, f=f: lw.sum(lw.grad(f)(x)))(x), 6 * X * (X > 1.5))
