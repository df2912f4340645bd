"""Gradients of the functions: the same on every framework that differentiates, and those of finite differences.

Each function is called as the probe of support calls it, on samples of float64 that are moved a little, so that no two
are equal and none lies where a function has an edge. Where functions have edges, the derivatives are in `EDGES`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from cases import EXHAUSTIVE

import latticework as lw
from latticework import nn
from latticework.backend.facts import all_facts
from latticework.core.registry import OPS, load
from latticework.derivatives.known import NOT_DIFFERENTIATED, derivative_of
from latticework.errors import BackendError
from latticework.support import samples

#: Forward mode of PyTorch imports what uses it.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")

FACTS = all_facts()
DIFFERENTIATING = [name for name, facts in FACTS.items() if facts.gradients and facts.framework]
#: They read one triangle of their matrix. Frameworks' derivatives differ in which; those by symmetric matrices do not.
SYMMETRIC = {"linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"}
#: Results with signs or phases that are any framework's choice: sizes are compared.
OF_ANY_SIGN = {"linalg.eigh", "linalg.eigh_tridiagonal", "linalg.null_space", "linalg.orth", "linalg.svd"}

TRUE = np.array([[True, False, True], [False, True, True]])
AT = np.array([[0, 2, 1], [1, 0, 2]])


def _written(x: lw.Array, y: lw.Array) -> lw.Array:
    z = x * 1
    z[0] = y
    return z


#: What the probe's samples do not fit: function -> the call, and the shapes of the arrays.
CALLS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "append": (lambda x, y: lw.append(x, y, 0), [(2, 3), (1, 3)]),
    "apply_along_axis": (lambda x: lw.apply_along_axis(lambda row: row * lw.sum(row), 1, x), [(2, 3)]),
    "asarray": (lambda x: lw.asarray(x, copy=True), [(2, 3)]),
    "astype": (lambda x: lw.astype(x, lw.float64, copy=True), [(2, 3)]),
    "bincount": (lambda w: lw.bincount(lw.asarray([0, 2, 2]), w, length=3), [(3,)]),
    "block": (lambda x, y: lw.block([[x, y]]), [(2, 3), (2, 1)]),
    "choose": (lambda x, y: lw.choose(lw.asarray(AT % 2), [x, y]), [(2, 3), (2, 3)]),
    "compress": (lambda x: lw.compress(lw.asarray(TRUE[0]), x, axis=1), [(2, 3)]),
    "delete": (lambda x: lw.delete(x, 1, 1), [(2, 3)]),
    "dsplit": (lambda x: lw.dsplit(x, 2), [(2, 1, 4)]),
    "full": (lambda x: lw.full((2, 3), x), [()]),
    "geomspace": (lambda x, y: lw.geomspace(x, y + 2, 4), [(3,), (3,)]),
    "getitem": (lambda x: x[:, ::2] * x[0, 1], [(2, 3)]),
    "insert": (lambda x, y: lw.insert(x, 1, y, axis=1), [(2, 3), (2,)]),
    "linalg.lu_solve": (
        lambda x, y: lw.linalg.lu_solve(lw.linalg.lu_factor(x + 3 * lw.eye(3, dtype=x.dtype)), y), [(3, 3), (3,)],
    ),
    "linspace": (lambda x, y: lw.linspace(x, y, 4), [(3,), (3,)]),
    "logspace": (lambda x, y: lw.logspace(x, y, 4, base=3.0), [(3,), (3,)]),
    "nn.batch_norm": (lambda x, w, b: nn.batch_norm(x, None, None, w, b, training=True), [(4, 3), (3,), (3,)]),
    "nn.ctc_loss": (
        lambda x: nn.ctc_loss(nn.log_softmax(x), *map(lw.asarray, ([[1, 2]], [4], [2]))), [(4, 1, 3)],
    ),
    "nn.glu": (nn.glu, [(2, 4)]),
    "piecewise": (lambda x: lw.piecewise(x, [x > 1, x <= 1], [lambda v: v * v, lambda v: 3 * v]), [(2, 3)]),
    "select": (lambda x, y: lw.select([lw.asarray(TRUE)], [x * x], y), [(2, 3), (2, 3)]),
    "setitem": (_written, [(2, 3), (3,)]),
    "to_device": (lambda x: x.to_device("cpu") * x, [(2, 3)]),
    "vectorize": (lw.vectorize(lambda v: v * v), [(3,)]),
    **{
        f"random.{name}": (
            lambda x, y, name=name: getattr(lw.random, name)(lw.random.key(1), (2, 3), "float64", loc=x, scale=y),
            [(2, 3), (3,)],
        )
        for name in ("normal", "laplace", "cauchy", "gumbel", "logistic")
    },
    "random.exponential": (
        lambda y: lw.random.exponential(lw.random.key(1), (2, 3), "float64", scale=y), [(3,)],
    ),
    "random.uniform": (
        lambda x, y: lw.random.uniform(lw.random.key(1), (2, 3), "float64", low=x, high=y + 2), [(2, 3), (3,)],
    ),
    "random.multivariate_normal": (
        lambda m, c: lw.random.multivariate_normal(lw.random.key(1), m, c @ c.mT + lw.eye(2, dtype=c.dtype), (3,)),
        [(2,), (2, 2)],
    ),
    "random.truncated_normal": (
        lambda x: lw.random.truncated_normal(lw.random.key(1), (2, 3), "float64", lower=x - 3, upper=x), [(3,)],
    ),
    "random.permutation": (lambda x: lw.random.permutation(lw.random.key(1), x), [(4,)]),
    "random.shuffle": (lambda x: lw.random.shuffle(lw.random.key(1), x, inplace=False), [(4,)]),
    "random.choice": (lambda x: lw.random.choice(lw.random.key(1), x, (3,)), [(4,)]),
}  # fmt: skip

#: It has a derivative, but not of the sizes that are compared here: eigenvectors are any multiple.
NOT_COMPARED = {"linalg.eig"}

#: Their results have as many elements as the values say: they are not compiled.
OF_VALUES = {
    "argwhere",
    "compress",
    "extract",
    "linalg.null_space",
    "linalg.orth",
    "roots",
    "flatnonzero",
    "nonzero",
    "repeat",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
}


class Slot(int):
    """The number of an array among those that a program is differentiated by, in the place of that array."""


def total_of(name: str, found: Any, first: lw.Array) -> lw.Array:
    """One number, made of all that a function gives."""
    total: Any = lw.sum(first) * 0.0
    for k, y in enumerate(lw.tree.leaves(found)):
        if isinstance(y, lw.Array) and y.dtype.kind in "fc":
            weights = lw.reshape(lw.cos(lw.arange(y.size, dtype=lw.float64) + k), y.shape)
            z = lw.abs(y) if name in OF_ANY_SIGN else y
            total = total + lw.sum(lw.real(z) * weights)
            if z.dtype.kind == "c":
                total = total + lw.sum(lw.imag(z) * lw.sin(weights))
    return total


def program(name: str) -> tuple[Callable[..., Any], list[np.ndarray]]:
    """A function of arrays that returns one number, made of all that a function gives; and its arguments."""
    dice, values = np.random.default_rng(7), []
    if name in CALLS:
        function, shapes = CALLS[name]
        values = [dice.uniform(0.5, 2, shape) for shape in shapes]
        return lambda *arrays: total_of(name, function(*arrays), arrays[0]), values

    def make(numbers: Any, dtype: lw.Dtype) -> Any:
        if dtype is not lw.float64:
            return np.asarray(numbers)
        array = np.asarray(numbers) * (0.9 + 0.08 * dice.uniform(size=np.shape(numbers))) + (name == "acosh")
        values.append(array)
        return Slot(len(values) - 1)

    args, options = samples.arguments(OPS[name], make, lw.float64)

    def filled(x: Any, arrays: Any) -> Any:
        if isinstance(x, Slot):
            y = arrays[x]
            return (y + y.mT) / 2 if name in SYMMETRIC else y
        if isinstance(x, np.ndarray):
            return lw.asarray(x)
        return type(x)([filled(y, arrays) for y in x]) if isinstance(x, (list, tuple)) else x

    def call(*arrays: lw.Array) -> Any:
        named = {key: filled(x, arrays) for key, x in options.items()}
        found = attrgetter(name)(lw)(*[filled(x, arrays) for x in args], **named)
        return total_of(name, found, arrays[0])

    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        if values and not np.isfinite(float(call(*map(lw.asarray, values)))):
            values = [np.abs(v) + 0.2 for v in values]  # of positive numbers alone
    return call, values


def names() -> list[str]:
    """The functions that are differentiated."""
    left_out = {name for names in NOT_DIFFERENTIATED.values() for name in names.split()}
    return [n for n in OPS if not n.rpartition(".")[2].startswith("_") and n not in left_out]


def slope(f: Callable[..., Any], values: list[np.ndarray], along: list[np.ndarray]) -> float:
    """The derivative of a function in a direction, by central differences."""
    h = 1e-6
    ends = [f(*[lw.asarray(v + s * h * d) for v, d in zip(values, along, strict=True)]) for s in (1, -1)]
    return (float(ends[0]) - float(ends[1])) / (2 * h)


def check_gradient(name: str, backend: str, *, forward: bool = False) -> bool:
    """Compare the gradient of a function with finite differences. Returns whether it is given floating arrays."""
    f, values = program(name)
    if not values:
        return False
    dice = np.random.default_rng(1)
    along = [dice.normal(size=v.shape) for v in values]
    own = backend if name.startswith("linalg.eig") else "numpy"  # eigenvalues come in any order
    with lw.using(backend=own), np.errstate(all="ignore"):
        expected = slope(f, values, along)
    arrays = [lw.asarray(v) for v in values]
    gradient = lw.grad(f, argnums=tuple(range(len(values))))
    gradients = (gradient if name in OF_VALUES else lw.jit(gradient))(*arrays)
    found = sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(gradients, along, strict=True))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=name)
    if forward and name in FACTS[backend].no_forward_derivative:
        with pytest.raises(NotImplementedError):
            lw.jvp(f, arrays, [lw.asarray(d) for d in along])
    elif forward:
        _, found = lw.jvp(f, arrays, [lw.asarray(d) for d in along])
        np.testing.assert_allclose(float(found), expected, rtol=1e-5, atol=1e-6, err_msg=name)
    return True


def has_extents(name: str, backend: str) -> bool:
    """Return whether `total_of` knows the extents of what a function gives: on Dask not of what depends on values."""
    return not (backend == "dask" and name in {*OF_VALUES, "linalg.orth"})


def _is_compared(name: str, backend: str) -> bool:
    return name not in FACTS[backend].no_derivative and name not in NOT_COMPARED and has_extents(name, backend)


def chosen(backend: str) -> list[str]:
    """All functions; where each costs a compiled program, some of each chapter, drawn with a fixed seed."""
    found = [n for n in names() if _is_compared(n, backend)]
    return found if backend == "torch" or EXHAUSTIVE else random.Random(5).sample(found, 30)


#: How far a gradient of 16 bits may be from that of float64, in units of its precision and of its greatest element. It
#: goes through as many roundings as the function has steps.
OF_LOW_PRECISION = 16
#: What has no derivative, or another one: no numbers lie between two of 16 bits that follow each other.
NOT_OF_LOW_PRECISION = {("nextafter", "tensorflow"), *((n, "torch") for n in ("special.gammainc", "special.gammaincc"))}


def check_low_precision(name: str, backend: str, dtype: lw.Dtype) -> bool:
    """Compare the gradient in a dtype of 16 bits with that of float64 at the same numbers. Return whether there is one:
    many routines of linear algebra and transforms do not have these dtypes."""
    f, values = program(name)
    gradient = lw.grad(f, argnums=tuple(range(len(values))))
    low = [lw.asarray(v, dtype=dtype) for v in values]
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        exact = [lw.asarray(np.asarray(x).astype(np.float64)) for x in low]
        expected = [np.asarray(g) for g in gradient(*exact)]
    try:
        found = gradient(*low)
    except BackendError as error:
        if f"no routine for {dtype}" in str(error):
            return False
        raise
    for g, e in zip(found, expected, strict=True):
        assert g.dtype is dtype, (name, g.dtype)
        allowed = OF_LOW_PRECISION * lw.finfo(dtype).eps * np.max(np.abs(e), initial=0, where=np.isfinite(e))
        np.testing.assert_allclose(np.asarray(g).astype(np.float64), e, rtol=0, atol=allowed, err_msg=name)
    return True


@pytest.mark.parametrize("dtype", [lw.float16, lw.bfloat16], ids=str)
def test_gradients_of_low_precision(backend: str, dtype: lw.Dtype) -> None:
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivatives")
    compared = [n for n in names() if _is_compared(n, backend) and (n, backend) not in NOT_OF_LOW_PRECISION]
    if backend not in ("numpy", "torch") and not EXHAUSTIVE:
        compared = random.Random(6).sample(compared, 15)
    with lw.using(backend=backend):
        found = [name for name in compared if check_low_precision(name, backend, dtype)]
    assert len(found) > 0.8 * len(compared)


def test_every_function_is_differentiated_or_said_not_to_be() -> None:
    load()
    left_out = [name for names in NOT_DIFFERENTIATED.values() for name in names.split()]
    assert len(left_out) == len({*left_out}) and {*left_out} <= {*OPS}
    assert not {*left_out} & {*CALLS} and {*CALLS} <= {*OPS}


def test_gradients_are_those_of_finite_differences(backend: str) -> None:
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivatives")
    assert [name for name in chosen(backend) if not check_gradient(name, backend)] == []  # none is without floats


@pytest.mark.sweep
def test_all_gradients_in_both_directions(backend: str) -> None:
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivatives")
    for name in names():
        if _is_compared(name, backend):
            assert check_gradient(name, backend, forward=True), name


#: Of these a framework raises no error, or has the derivative by one argument.
UNLISTED = {"special.zeta", "special.betainc"}


@pytest.mark.parametrize("name", sorted({name for facts in FACTS.values() for name in facts.no_derivative} - UNLISTED))
def test_what_has_no_derivative_is_still_listed(backend: str, name: str) -> None:
    """Where this fails the framework has one, and its backend.json need not name it."""
    if name not in FACTS[backend].no_derivative:
        pytest.skip("it has one")
    f, values = program(name)
    with pytest.raises(NotImplementedError):
        lw.grad(f)(*map(lw.asarray, values))


#: What has an edge, the point, and the gradient there, on all backends.
EDGES: dict[str, tuple[Callable[[lw.Array], Any], Any, Any]] = {
    "abs at 0": (lw.abs, 0.0, 0.0),
    "sqrt at 0": (lw.sqrt, 0.0, np.inf),
    "max of equal ones": (lw.max, [1.0, 3.0, 3.0, 0.0], [0.0, 0.5, 0.5, 0.0]),
    "min of equal ones": (lw.min, [1.0, 1.0, 3.0], [0.5, 0.5, 0.0]),
    "maximum of two equal ones": (
        lambda x: lw.maximum(x[0], x[1]), [1.0, 1.0],
        [0.5, 0.5],
    ),
    "clip at its bounds": (
        lambda x: lw.sum(lw.clip(x, 0, 1)), [-1.0, 0.0, 0.5, 1.0, 2.0],
        [0.0, 1, 1, 1, 0],
    ),
    "norm of zeros": (
        lw.linalg.vector_norm, [0.0, 0.0], [0.0, 0.0],
    ),
    "norm of zeros, in the whole and along an axis": (
        lambda x: lw.linalg.norm(x) + lw.sum(lw.linalg.norm(x, axis=1)) + lw.linalg.norm(x[0], 1),
        [[0.0, 0.0], [0.0, 0.0]],
        [[0.0, 0], [0, 0]],
    ),
    "norm of zeros beside others": (
        lambda x: lw.sum(lw.linalg.norm(x, axis=1)), [[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0], [0.6, 0.8]],
    ),
    "distance of equal vectors": (
        lambda x: lw.sum(lw.linalg.cdist(x, x)), [[1.0, 2.0], [1.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]],
    ),
    "std of equal ones": (lw.std, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
    "std of equal ones along an axis": (lambda x: lw.sum(lw.std(x, axis=0)), [[1.0, 2], [3, 2]], [[-0.5, 0], [0.5, 0]]),
    "where guards the argument": (
        lambda x: lw.sum(lw.where(x > 0, lw.sqrt(lw.where(x > 0, x, 1)), 0)), [-1.0, 0.0, 4.0], [0.0, 0.0, 0.25],
    ),
    "prod beside a zero": (lw.prod, [0.0, 2.0, 3.0], [6.0, 0.0, 0.0]),
    "cumulative_prod beside a zero": (lambda x: lw.sum(lw.cumulative_prod(x)), [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
    "cumulative_prod from a zero": (lambda x: lw.sum(lw.cumulative_prod(x)), [0.0, 2.0, 3.0], [9.0, 0.0, 0.0]),
    "square at 0": (lambda x: x**2, 0.0, 0.0),
    "power 0 at 0": (lambda x: x**0, 0.0, 0.0),
    "power of an array of 0 at 0": (lambda x: lw.pow(x, lw.asarray(0.0, dtype=lw.float64)), 0.0, 0.0),
    "power of a negative number": (lambda x: x**3, -2.0, 12.0),
    "logaddexp with -inf": (lambda x: lw.logaddexp(x[0], x[1]), [-np.inf, 1.0], [0.0, 1.0]),
    "logaddexp in a recursion with -inf": (
        lambda x: lw.logsumexp(
            lw.logaddexp(lw.asarray([0.0, -np.inf, -np.inf]) + x[0], lw.asarray([-np.inf, 0.0, -np.inf]) + x[1])
        ),
        [-0.1, -2.0], [1 / (1 + np.exp(-1.9)), 1 / (1 + np.exp(1.9))],
    ),
    "hypot of great numbers": (lambda x: lw.hypot(x[0], x[1]), [3e300, 4e300], [0.6, 0.8]),
    "hypot of small numbers": (lambda x: lw.hypot(x[0], x[1]), [3e-300, 4e-300], [0.6, 0.8]),
    "a Cholesky factor": (
        lambda x: lw.sum(lw.linalg.cholesky(x)), [[4.0, 0.0], [0.0, 1.0]], [[0.25, 0.25], [0.25, 0.5]],
    ),
    "eigenvalues of a symmetric matrix": (
        lambda x: lw.sum(lw.linalg.eigvalsh(x) ** 2), [[2.0, 0.5], [0.5, 3.0]], [[4.0, 1.0], [1.0, 6.0]],
    ),
    "eigenvalues, of which one triangle is read": (
        lambda x: lw.sum(lw.linalg.eigh(x)[0] ** 2), [[2.0, 9.0], [0.5, 3.0]], [[4.0, 1.0], [1.0, 6.0]],
    ),
    "floor_divide": (lambda x: lw.floor_divide(x[0], x[1]) + x[0], [7.0, 2.0], [1.0, 0.0]),
    "det of rank 1": (
        lw.linalg.det, [[1.0, 2.0], [2.0, 4.0]], [[4.0, -2], [-2, 1]],
    ),
    "a copy": (lambda x: lw.sum(lw.asarray(x, copy=True) ** 2 + lw.astype(x, x.dtype)), [1.0, 2.0], [3.0, 5.0]),
    "another dtype": (lambda x: lw.sum(lw.astype(x, lw.float32) ** 2), [1.0, 2.0], [2.0, 4.0]),
    "what was written": (lambda x: written(x * 1, x), [1.0, 2.0, 3.0], [0.0, 20.0, 6.0]),
    "products at positions that repeat, with zeros": (
        lambda x: lw.sum(lw.segment_prod(x, lw.asarray([0, 1, 0, 1, 1, 2]), 3) * lw.asarray([1.0, 2.0, 4.0])),
        [2.0, 0.0, 3.0, 5.0, 7.0, 0.0], [3.0, 70.0, 2.0, 0.0, 0.0, 4.0],
    ),
    "a product of zeros": (lambda x: lw.sum(lw.segment_prod(x, lw.asarray([0, 0, 0]), 1)), [0.0, 0.0, 3.0], [0.0] * 3),
    "a position twice": (lambda x: lw.sum(lw.take(x, lw.asarray([1, 1]), axis=0) ** 2), [1.0, 2.0], [0.0, 8.0]),
}  # fmt: skip


def written(y: lw.Array, x: lw.Array) -> lw.Array:
    """The sum of squares of y after its first element was written to."""
    y[0] = x[1] * 2
    return lw.sum(y * y)


@pytest.mark.parametrize("name", EDGES)
def test_gradients_at_edges(backend: str, name: str) -> None:
    f, point, expected = EDGES[name]
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivative")
    found = np.asarray(lw.jit(lw.grad(f))(lw.asarray(point, dtype=lw.float64)))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_second_derivatives_by_symmetric_matrices(backend: str) -> None:
    """In each direction the derivative is that along its symmetric part, in reverse and forward, once and twice."""
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivative")
    x, along = lw.asarray([[2.0, 0.5], [0.5, 3.0]], dtype="float64"), lw.asarray([[1.0, 2.0], [0, 0]], dtype="float64")
    for f in (lambda a: lw.sum(lw.linalg.cholesky(a)), lambda a: lw.sum(lw.linalg.eigvalsh(a) ** 3)):
        gradient = np.asarray(lw.grad(f)(x))
        np.testing.assert_allclose(gradient, gradient.T, rtol=1e-12)
        _, moved = lw.jvp(f, [x], [along])
        np.testing.assert_allclose(float(moved), np.sum(gradient * np.asarray(along)), rtol=1e-9)
        second = np.reshape(np.asarray(lw.hessian(f)(x)), (4, 4))
        np.testing.assert_allclose(second, second.T, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(second[1], second[2], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("point", [[300.0, 400.0], [3e-4, 4e-4], [1e-3, 0.0], [0.0, 0.0]], ids=str)
def test_norms_and_spreads_of_16_bits_stay_in_their_range(backend: str, point: list[float]) -> None:
    """Squares of these numbers are beyond float16."""
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivative")
    x, exact = lw.asarray(point, dtype=lw.float16), lw.asarray(point, dtype=lw.float64)
    for f in (lw.linalg.vector_norm, lambda x: lw.hypot(x[0], x[1]), lw.std):
        np.testing.assert_allclose(float(f(x)), float(f(exact)), rtol=2e-3)
        np.testing.assert_allclose(np.asarray(lw.grad(f)(x)), np.asarray(lw.grad(f)(exact)), rtol=4e-3)


def test_the_mean_of_more_elements_than_float16_counts(backend: str) -> None:
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivative")
    for rules in ("unified", "rules"):
        with lw.using(gradients=rules):
            found = np.asarray(lw.grad(lw.mean)(lw.ones(70_000, dtype=lw.float16)))
        np.testing.assert_allclose(found.astype(np.float64), 1 / 70_000, rtol=2e-2)


def test_a_forward_derivative_that_pytorch_gives_as_zero_is_refused() -> None:
    pytest.importorskip("torch")
    x, at = lw.asarray([1.0, 2.0, 3.0], backend="torch"), lw.asarray([0, 1, 0], backend="torch")

    def product(x: lw.Array) -> lw.Array:
        return lw.sum(lw.segment_prod(x, at, 2))

    assert lw.grad(product)(x).tolist() == [3, 1, 1]
    with lw.using(backend="torch"), pytest.raises(NotImplementedError, match="no forward derivative of products"):
        lw.jvp(product, [x], [x])
    with lw.using(backend="torch"), pytest.raises(NotImplementedError, match="no forward derivative of products"):
        lw.hessian(product)(x)


def test_tensorflow_differentiates_what_its_kernels_do_in_part() -> None:
    """Of positions of int64 in `top_k`, its own derivative fails; of `softsign`, there is no second one."""
    pytest.importorskip("tensorflow")
    x = lw.asarray([1.0, 3.0, -2.0], backend="tensorflow")
    assert lw.grad(lambda x: lw.sum(lw.top_k(x, 2)[0]))(x).tolist() == [1, 1, 0]
    second = lw.grad(lambda x: lw.sum(lw.grad(lambda x: lw.sum(lw.nn.softsign(x)))(x)))(x)
    np.testing.assert_allclose(np.asarray(second), [-0.25, -0.03125, 2 / 27], rtol=1e-5)


@pytest.mark.parametrize("in_force", [True, False])
def test_lists_with_arrays_in_them_are_differentiated(backend: str, in_force: bool) -> None:
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivatives")
    x = lw.asarray([1.0, 2.0, 3.0], dtype=lw.float64)
    programs: list[tuple[Callable[[lw.Array], Any], list[float]]] = [
        (lambda x: [x[0] * 3, 5.0], [3, 0, 0]),
        (lambda x: [5, x[2], x[0]], [1, 0, 1]),
        (lambda x: [[x[0], 1.0], [2, x[1]]], [1, 1, 0]),
        (lambda x: ([1.0, 2.0, 4.0], x * x), [2, 4, 6]),
        (lambda x: [x, x * 2], [3, 3, 3]),
    ]
    with lw.using(backend=backend if in_force else "numpy"):
        for f, expected in programs:
            found = lw.grad(lambda x, f=f: lw.sum(lw.asarray(f(x))))(x)
            assert (found.backend, found.tolist()) == (backend, expected)
            _, found = lw.jvp(lambda x, f=f: lw.asarray(f(x)), (x,), (lw.ones_like(x),))
            assert found.dtype is lw.float64 and float(lw.sum(found)) == sum(expected)
        assert lw.asarray([[x[0], 5]], dtype=lw.int32).tolist() == [[1, 5]]
        assert lw.asarray([[x[0], 5]], backend="numpy").backend == "numpy"


def test_what_the_reference_says_of_derivatives() -> None:
    load()
    assert derivative_of("linalg.inv").here == "by a rule"
    assert derivative_of("floor").here == "with the slope 0, as it is constant in steps"
    assert derivative_of("polyval").here == "by the functions that it is composed of"
    assert derivative_of("gcd").never == "gives or takes integers, bools, or no arrays of floats"
    assert derivative_of("linalg.schur").never.startswith("some backends compute it by SciPy")
    zeta = derivative_of("special.zeta")
    assert zeta.refused == {"torch": "PyTorch has none by the first argument"}
    assert derivative_of("segment_prod").no_forward == ["torch"]
    assert derivative_of("special.gammainc").once == ["jax", "tensorflow"]
    for name in names():  # which tests differentiate: each has a way
        assert derivative_of(name).here and not derivative_of(name).never, name


def test_a_gradient_that_is_called_again_gives_what_the_first_call_gives() -> None:
    torch = pytest.importorskip("torch")
    seen: list[Any] = []

    def loss(p: Any, x: Any, *, power: int = 2, how: str = "sum") -> Any:
        seen.append((type(p), power, how))
        return getattr(lw, how)((x @ p["w"] + p["b"]) ** power)

    def pair(p: Any, x: Any, **options: Any) -> Any:
        return loss(p, x, **options), {"x": x + 1, "name": "loss", "number": 3.0}

    def arguments(dtype: Any, n: int) -> tuple[Any, ...]:
        x = lw.reshape(lw.arange(2 * n, dtype=dtype), (n, 2))
        return {"w": lw.asarray([0.5, -1.0], dtype=dtype), "b": lw.asarray(0.25, dtype=dtype)}, x

    def same(one: Any, other: Any) -> bool:
        (xs, built), (ys, expected) = lw.tree.flatten(one), lw.tree.flatten(other)
        assert built == expected
        return all(
            (x.dtype, x.weak, x.shape, x.tolist()) == (y.dtype, y.weak, y.shape, y.tolist())
            if isinstance(x, lw.Array) else x == y
            for x, y in zip(xs, ys, strict=True)
        )  # fmt: skip

    def arrays_of(tree: Any) -> list[Any]:
        return [x for x in lw.tree.flatten(tree)[0] if isinstance(x, lw.Array)]

    with lw.using(backend="torch"):
        for make in (
            lambda: lw.grad(loss), lambda: lw.value_and_grad(loss), lambda: lw.grad(loss, argnums=(1, 0)),
            lambda: lw.grad(pair, has_aux=True), lambda: lw.value_and_grad(pair, argnums=-1, has_aux=True),
        ):  # fmt: skip
            again = make()
            for options in ({}, {}, {"how": "mean"}, {"power": 3}, {}):
                for dtype, n in (("float32", 3), ("float32", 2), ("float64", 3)):
                    assert same(again(*arguments(dtype, n), **options), make()(*arguments(dtype, n), **options))
            p, x = arguments("float32", 3)
            for other in ({"b": p["b"], "w": p["w"]}, {"w": p["w"], "b": 0.25}):
                for _ in range(3):
                    assert same(again(other, x), make()(other, x))
            mapped = [
                lw.vmap(lambda row, g=g, p=p: arrays_of(g(p, lw.reshape(row, (1, 2)))))(x) for g in (again, make())
            ]
            assert same(*mapped)
        assert {kind for kind, _, _ in seen} == {dict}

        again, x = lw.value_and_grad(lambda x, f: f(x)), lw.asarray([1.0, 2.0])
        for _ in range(3):
            assert again(x, lw.sum)[1].tolist() == [1, 1]
        assert again(x, lambda x: 2.0)[0].dtype is lw.float32 and again(x, lambda x: 2.0)[1].tolist() == [0, 0]
        assert again(x, lambda x: lw.sum(lw.astype(x, lw.float64)))[0].dtype is lw.float64
        for f, words in (
            (lambda x: x, r"value_and_grad: .* got float32 of shape \(2,\)"), (lw.argmax, "got int64 of"),
            (lambda x: {"a": x}, "got a tree"), (lambda x: "words", "must be an array or a number; got str"),
        ):  # fmt: skip
            with pytest.raises(TypeError, match=words):
                again(x, f)
        with pytest.raises(TypeError, match="value_and_grad: argument 0 is int32"):
            again(lw.asarray([1, 2]), lw.sum)
        second = lw.grad(lambda x: lw.sum(again(x, lambda x: lw.sum(x**3))[1]))
        for _ in range(3):
            assert second(x).tolist() == [6, 12]
        held = lw.asarray(torch.tensor(2.0, requires_grad=True))
        value, slope = again(x, lambda x: lw.sum(held * x**2))
        assert float(torch.autograd.grad(value.data + slope.data.sum(), held.data)[0]) == 5 + 6
        with lw.using(gradients="rules"):
            assert again(x, lambda x: lw.sum(x**2))[1].tolist() == [2, 4]
        traced = lw.compile(again)
        assert [traced(x, lw.sum)[1].tolist() for _ in range(3)] == [[1, 1]] * 3
        assert len(traced.compiled.retraces) == 1


def test_a_gradient_of_arguments_that_were_met_enters_few_functions() -> None:
    pytest.importorskip("torch")
    entered: list[str] = []

    def count(frame: Any, event: str, _: Any) -> None:
        if event == "call" and "latticework" in frame.f_code.co_filename:
            entered.append(frame.f_code.co_name)

    with lw.using(backend="torch"):
        p = {"w": lw.asarray([1.0, 2.0]), "b": [lw.asarray(3.0)]}
        gradient = lw.value_and_grad(lambda p: lw.sum(p["w"] * p["b"][0]))
        for g in (gradient, lw.compile(gradient)):
            for _ in range(3):
                g(p)
            entered.clear()
            sys.setprofile(count)
            try:
                g(p)
            finally:
                sys.setprofile(None)
            assert len(entered) <= 24, entered
