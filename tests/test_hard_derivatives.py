"""Derivatives where they go wrong unseen: at zeros, at equal elements and singular matrices, of complex numbers, and of
the second order. All functions are searched, against differences of what NumPy computes.

A derivative that a framework does not have is an error: a zero would be taken for the answer. Where a function has a
kink, any slope between those on both sides will do, and nan will not.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from test_gradients import CALLS, DIFFERENTIATING, FACTS, SYMMETRIC, Slot, has_extents, names, program, slope

import latticework as lw
from latticework.core.registry import OPS
from latticework.support import samples

#: Forward mode of PyTorch imports what uses it, and its vmap has no way of its own for the derivative of gamma numbers.
pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated"),
    pytest.mark.filterwarnings("ignore:There is a performance drop"),
]

#: What a refusal is. A RuntimeError is PyTorch's own.
REFUSED = (NotImplementedError, lw.errors.BackendError, RuntimeError)


@pytest.fixture
def differentiating(backend: str) -> str:
    """A backend whose framework differentiates."""
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivatives")
    return backend


def chosen(among: list[str], backend: str, few: int) -> list[str]:
    """Some functions, drawn with a fixed seed; all of them in the sweep."""
    return random.Random(11).sample(among, min(few, len(among)))


# --- elementwise functions on a grid of hard points -------------------------------------------------------------------

POINTS = [0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0, 6.0, -3.0]
#: By how much differences go.
STEP = 1e-6


def elementwise() -> list[str]:
    """The functions that compute with each element of their operands, of floats to floats."""
    found = []
    for name in names():
        o = OPS[name]
        if name in CALLS or o.sequence or not 1 <= len(o.operands) <= 3 or o.shape not in ("broadcast", "same", None):
            continue
        if _of_floats(name) is not None:
            found.append(name)
    return found


def _of_floats(name: str) -> Any:
    """The results for a few numbers, if these are floats of the same shape."""
    f, n = attrgetter(name)(lw), len(OPS[name].operands)
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        try:
            out = f(*[lw.asarray([0.5, 0.75], dtype=lw.float64)] * n)
        except Exception:  # it takes something else: the other searches have it
            return None
    first = out[0] if isinstance(out, tuple) else out
    good = isinstance(first, lw.Array) and first.shape == (2,) and first.dtype.kind == "f"
    return out if good and isinstance(out, (lw.Array, tuple)) else None


def _first(out: Any) -> lw.Array:
    result: lw.Array = out[0] if isinstance(out, tuple) else out
    return result


def grid_failures(name: str, backend: str) -> list[str]:
    """Where the derivatives of an elementwise function on the grid are none of its slopes."""
    f, n = attrgetter(name)(lw), len(OPS[name].operands)
    grid = np.array([*itertools.product(POINTS if n < 3 else POINTS[:6], repeat=n)]).T

    def numpys(*xs: np.ndarray) -> np.ndarray:
        with lw.using(backend="numpy"), np.errstate(all="ignore"):
            return np.asarray(_first(f(*[lw.asarray(x, dtype=lw.float64) for x in xs])))

    try:
        found = lw.grad(lambda *xs: lw.sum(_first(f(*xs))), tuple(range(n)))(*[lw.asarray(x) for x in grid])
        gradients: list[Any] = [np.asarray(g) for g in found]
    except REFUSED:
        gradients = []
        for i in range(n):  # by each operand alone: one of them may have none
            try:
                arrays = [lw.asarray(x) for x in grid]
                gradients.append(np.asarray(lw.grad(lambda *xs: lw.sum(_first(f(*xs))), i)(*arrays)))
            except REFUSED:
                gradients.append(None)
    here, failures = numpys(*grid), []
    for i, gradient in enumerate(gradients):
        if gradient is None:
            continue
        moved = [grid.copy(), grid.copy(), grid.copy(), grid.copy()]
        for x, h in zip(moved, (STEP, -STEP, STEP / 4, -STEP / 4), strict=True):
            x[i] += h
        with np.errstate(all="ignore"):
            right, left = (numpys(*moved[0]) - here) / STEP, (here - numpys(*moved[1])) / STEP
            near_right, near_left = (numpys(*moved[2]) - here) * 4 / STEP, (here - numpys(*moved[3])) * 4 / STEP
        for at in range(grid.shape[1]):
            slopes = np.array([right[at], left[at], near_right[at], near_left[at]])
            size = np.abs(slopes).max()
            if not np.isfinite(slopes).all() or size > 1e3:
                continue  # a jump, a pole or the edge of where it is defined
            if max(abs(slopes[0] - slopes[2]), abs(slopes[1] - slopes[3])) > 1e-3 * (1 + size):
                continue  # no slope that differences tell
            low, high = min(slopes) - 1e-3 * (1 + size), max(slopes) + 1e-3 * (1 + size)
            if not low <= gradient[at] <= high:
                failures.append(f"{name} by {i} at {grid[:, at].tolist()}: {gradient[at]}, slopes {slopes[:2]}")
    return failures


#: What a search leaves out -> why.
NOT_SEARCHED: dict[str, dict[str, str]] = {
    "a grid of hard points": {
        "nextafter": "its steps are as small as those of differences",
        "special.beta": "of negative numbers it is composed of functions with poles",
        "special.betaln": "of negative numbers it is composed of functions with poles",
    },
    "zeros and equal elements": {
        "nextafter": "its steps are as small as those of differences",
        "extract": "which elements there are depends on the values",
        "where": "the condition is of the values, which differences move",
    },
    "complex numbers": {
        **{f"unique_{what}": "the order of complex numbers jumps" for what in ("all", "counts", "inverse", "values")},
        **dict.fromkeys(
            ("linalg.eig", "linalg.eigh", "linalg.svd", "linalg.orth", "linalg.null_space"),
            "complex eigenvectors and singular vectors are any multiple",
        ),
        "segment_prod": "PyTorch has no derivative of products of complex numbers at positions",
        "nn.bilinear": "PyTorch has no derivative of bilinear forms of complex numbers",
    },
    "the second order": {"linalg.eig": "complex eigenvectors are any multiple"},
}


# --- all functions at zeros and at equal elements ---------------------------------------------------------------------


def ends(f: Callable[..., Any], values: list[np.ndarray], along: list[np.ndarray]) -> np.ndarray | None:
    """The slopes of a function on both sides, None where differences tell none."""
    with np.errstate(all="ignore"):
        try:
            here = float(f(*map(lw.asarray, values)))
            found = []
            for h in (STEP, -STEP, STEP / 4, -STEP / 4):
                there = float(f(*[lw.asarray(v + h * d) for v, d in zip(values, along, strict=True)]))
                found.append((there - here) / h)
        except (ValueError, np.linalg.LinAlgError, ArithmeticError):
            return None
    slopes = np.array(found)
    size = np.abs(slopes).max()
    if not np.isfinite(slopes).all() or size > 100:
        return None
    if max(abs(slopes[0] - slopes[2]), abs(slopes[1] - slopes[3])) > 1e-3 * (1 + size):
        return None
    return slopes


#: Smooth where all operands grow together, and not where one of them does; and eigenvalues, which have no derivative
#: where they are equal.
NOT_TOGETHER = {"copysign", "linalg.eigvals"}


def hard_failures(name: str, backend: str) -> list[str]:
    """Where all elements are 0, or 1. Slopes in two directions and in their sum tell whether there is a derivative: it
    has to be found then. Otherwise there is a kink, and some number has to be found; where equal elements that all grow
    by as much give no kink, as with a maximum, it is what they share."""
    f, values = program(name)
    failures = []
    dice = np.random.default_rng(3)
    first, second = (
        [dice.uniform(0.5, 1.5, size=v.shape) * dice.choice([-1, 1], size=v.shape) for v in values] for _ in range(2)
    )
    both = [x + y for x, y in zip(first, second, strict=True)]
    for value in (0.0, 1.0):
        points = [np.full(v.shape, value) for v in values]
        with lw.using(backend="numpy"):
            sides = [ends(f, points, along) for along in (first, second, both)]
        slopes = [s for s in sides if s is not None]
        if len(slopes) < 3:
            continue
        try:
            found = lw.grad(f, tuple(range(len(points))))(*map(lw.asarray, points))
        except REFUSED:
            continue
        total = sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(found, first, strict=True))
        a, b, c = (s.mean() for s in slopes)
        wide = 1e-3 * (1 + np.abs(slopes).max())
        smooth = max(np.ptp(s) for s in slopes) < wide and abs(a + b - c) < wide
        if not np.isfinite(total) or (smooth and abs(total - a) > wide):
            failures.append(f"{name} at {value}: {total}, slopes {slopes[0][:2]}")
        if name in NOT_TOGETHER:
            continue
        together = sum(float(np.sum(np.asarray(g))) for g in found)
        with lw.using(backend="numpy"):
            shifted = ends(f, points, [np.ones(v.shape) for v in values])
        if shifted is not None and np.ptp(shifted) < wide and abs(together - shifted.mean()) > wide:
            failures.append(f"{name} at {value}, all elements by as much: {together}, slopes {shifted[:2]}")
    return failures


# --- complex numbers --------------------------------------------------------------------------------------------------


def complex_program(name: str) -> tuple[Callable[..., Any], list[np.ndarray]] | None:
    """A function of complex arrays that returns one real number; None where it takes none."""
    dice, values = np.random.default_rng(7), []

    def make(numbers: Any, dtype: lw.Dtype) -> Any:
        if dtype is not lw.complex128:
            return np.asarray(numbers)
        shape = np.shape(numbers)
        values.append(np.asarray(numbers) * (0.9 + 0.08 * dice.uniform(size=shape)) + 0.2j * dice.uniform(size=shape))
        return Slot(len(values) - 1)

    try:
        args, options = samples.arguments(OPS[name], make, lw.complex128)
    except Exception:  # it has no sample of complex numbers
        return None

    def filled(x: Any, arrays: Any) -> Any:
        if isinstance(x, Slot):
            y = arrays[x]
            return (y + lw.conj(y.mT)) / 2 if name in SYMMETRIC else y
        if isinstance(x, np.ndarray):
            return lw.asarray(x)
        return type(x)([filled(y, arrays) for y in x]) if isinstance(x, (list, tuple)) else x

    def call(*arrays: lw.Array) -> Any:
        named = {key: filled(x, arrays) for key, x in options.items()}
        found = attrgetter(name)(lw)(*[filled(x, arrays) for x in args], **named)
        total: Any = lw.real(lw.sum(arrays[0])) * 0.0
        for k, y in enumerate(lw.tree.leaves(found)):
            if isinstance(y, lw.Array) and y.dtype.kind in "fc":
                weights = lw.reshape(lw.cos(lw.arange(y.size, dtype=lw.float64) + k), y.shape)
                total = total + lw.sum(lw.real(y) * weights)
                if y.dtype.kind == "c":
                    total = total + lw.sum(lw.imag(y) * lw.sin(weights))
        return total

    if not values:
        return None
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        try:
            if not np.isfinite(float(call(*map(lw.asarray, values)))):
                return None
        except Exception:  # it takes no complex numbers
            return None
    return call, values


def complex_failures(name: str, backend: str) -> list[str]:
    built = complex_program(name)
    if built is None:
        return []
    f, values = built
    dice = np.random.default_rng(1)
    along = [dice.normal(size=v.shape) + 1j * dice.normal(size=v.shape) for v in values]
    own = backend if name.rpartition(".")[2] in ("eig", "eigvals", "roots") else "numpy"  # which come in any order
    with lw.using(backend=own), np.errstate(all="ignore"):
        expected = slope(f, values, along)
    try:
        found = lw.grad(f, tuple(range(len(values))))(*map(lw.asarray, values))
    except (*REFUSED, TypeError):
        return []
    total = sum(float(np.sum((np.conj(np.asarray(g)) * d).real)) for g, d in zip(found, along, strict=True))
    if np.isclose(total, expected, rtol=1e-4, atol=1e-5):
        return []
    return [f"{name} of complex numbers: {total}, by differences {expected}"]


# --- the second order -------------------------------------------------------------------------------------------------


def second_failures(name: str, backend: str) -> list[str]:
    """Compare the second derivative, of the square of a function, with differences of the first."""
    f, values = program(name)
    if not values:
        return []
    dice = np.random.default_rng(1)
    along = [dice.normal(size=v.shape) for v in values]
    places = tuple(range(len(values)))

    def first(*arrays: lw.Array) -> lw.Array:
        grads = lw.grad(lambda *xs: f(*xs) ** 2, places)(*arrays)
        return sum((lw.sum(g * lw.asarray(d)) for g, d in zip(grads, along, strict=True)), start=lw.asarray(0.0))

    try:
        expected = slope(first, values, along)
        found = lw.grad(first, places)(*map(lw.asarray, values))
    except REFUSED as error:
        return [] if name in FACTS[backend].no_second_derivative else [f"second of {name} is refused: {error}"]
    if name in FACTS[backend].no_second_derivative:
        return [f"second of {name} is listed as refused"]
    total = sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(found, along, strict=True))
    if not np.isfinite(expected) or np.isclose(total, expected, rtol=1e-3, atol=1e-3 * (1 + abs(expected))):
        return []
    return [f"second of {name}: {total}, by differences {expected}"]


# --- the searches as tests --------------------------------------------------------------------------------------------

SEARCHES: dict[str, tuple[Callable[[], list[str]], Callable[[str, str], list[str]], int]] = {
    "a grid of hard points": (elementwise, grid_failures, 25),
    "zeros and equal elements": (names, hard_failures, 40),
    "complex numbers": (names, complex_failures, 40),
    "the second order": (names, second_failures, 12),
}


def searched(search: str, backend: str) -> list[str]:
    """The functions that a search is over on a backend."""
    left_out = NOT_SEARCHED.get(search, {})
    found = [n for n in SEARCHES[search][0]() if n not in left_out and n not in FACTS[backend].no_derivative]
    return [n for n in found if has_extents(n, backend)]


@pytest.mark.parametrize("search", SEARCHES)
def test_a_share_of_the_derivatives_is_right(differentiating: str, search: str) -> None:
    _, failures, few = SEARCHES[search]
    few = few if differentiating == "torch" else max(few // 3, 3)
    for name in chosen(searched(search, differentiating), differentiating, few):
        assert failures(name, differentiating) == []


@pytest.mark.sweep
@pytest.mark.parametrize("search", SEARCHES)
def test_all_derivatives_are_right(differentiating: str, search: str) -> None:
    failures = SEARCHES[search][1]
    found = [x for name in searched(search, differentiating) for x in failures(name, differentiating)]
    assert found == []


#: Points far from 0, by function, and the slopes there.
FAR: dict[str, dict[float, float]] = {
    "special.gamma": {
        -30.5: -7.334393e-33, -8.25: -3.4145971e-04, 20.5: 1.6196219e18, 33.5: 5.2652979e36, 40.0: math.inf,
        math.inf: math.inf, -math.inf: math.nan, -2.0: math.nan,
    },
    "special.log_ndtr": {
        -1e20: 1e20, -5000.0: 5000.0002, -1000.0: 1000.001, -200.0: 200.005, -9.0: 9.1085231, -7.0: 7.1375456,
        3.0: 0.0044378
    },
    "nn.gelu": {-1e30: 0.0, -3e5: 0.0, 20.0: 1.0, 1e30: 1.0},
    "special.erfinv": {-20.0: math.nan, 0.5: 1.1125848, 2.0: math.nan, 1e30: math.nan},
}  # fmt: skip


@pytest.mark.parametrize("dtype", [lw.float32, lw.float64])
@pytest.mark.parametrize("name", FAR)
def test_slopes_far_from_zero(differentiating: str, name: str, dtype: lw.Dtype) -> None:
    f, points = attrgetter(name)(lw), dict(FAR[name])
    if dtype is lw.float64:
        points.pop(40.0, None)  # within its range
    x = lw.asarray([*points], dtype=dtype)
    expected = np.asarray([*points.values()])
    np.testing.assert_allclose(np.asarray(lw.grad(lambda x: lw.sum(f(x)))(x)), expected, rtol=1e-4, atol=1e-30)
    forward = np.asarray(lw.jvp(f, [x], [lw.ones_like(x)])[1])
    finite = np.isfinite(expected)  # TensorFlow's forward derivatives have 0 * inf elsewhere
    np.testing.assert_allclose(forward[finite], expected[finite], rtol=1e-4, atol=1e-30)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_shares_in_sums_of_large_exponentials(differentiating: str, name: str) -> None:
    """Of what is rounded more than the numbers differ, the exponential of the difference is no share."""
    x = lw.asarray([1e20, -1e6, 3e7, 5.0, -1e20])
    f, g = getattr(lw, name), lw.asarray([1.0, 1.0, 1.0, 1.0, 2.0])
    for shares in lw.grad(lambda x, y: lw.sum(f(x, y) * g), (0, 1))(x, x + 0):
        assert lw.all(shares == 0.5 * g)


def test_nextafter_of_equal_numbers_has_the_slope_of_the_first(differentiating: str) -> None:
    x = lw.asarray([0.0, -3.0, 1e20])
    first, second = lw.grad(lambda x, y: lw.sum(lw.nextafter(x, y)), (0, 1))(x, x + 0)
    assert lw.all(first == 1) and lw.all(second == 0)


@pytest.mark.parametrize("dtype", [lw.float32, lw.float64, lw.bfloat16])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_equal_elements_of_a_window_share_one_derivative(differentiating: str, axes: int, dtype: lw.Dtype) -> None:
    """TensorFlow's own derivative of pooling in three dimensions gives each of them all of it."""
    pool = getattr(lw.nn, f"max_pool{axes}d")
    x = lw.ones((1, 2, *(4, 4, 4)[:axes]), dtype=dtype)
    shares = lw.grad(lambda x: lw.sum(pool(x, 2)))(x)
    windows = lw.sum(lw.reshape(shares, (-1,)), dtype=lw.float64)
    assert float(windows) == 2 * 2**axes


@pytest.mark.parametrize(
    "options", [{}, {"stride": 1}, {"stride": (2, 1, 3), "padding": (1, 0, 1)}, {"ceil_mode": True}]
)
def test_pooling_in_three_dimensions_is_right_in_each_step(differentiating: str, options: dict[str, Any]) -> None:
    values = np.random.default_rng(5).permutation(2 * 3 * 5 * 6 * 7).reshape(2, 3, 5, 6, 7).astype("float32") - 600.0
    with lw.using(backend="numpy"):
        want = lw.nn.max_pool3d(lw.asarray(values), (2, 3, 2), **options)
    x = lw.asarray(values)
    assert lw.to_numpy(lw.nn.max_pool3d(x, (2, 3, 2), **options)).tolist() == want.tolist()
    shares = lw.grad(lambda x: lw.sum(lw.nn.max_pool3d(x, (2, 3, 2), **options)))(x)
    assert float(lw.sum(shares)) == want.size
    assert lw.to_numpy(shares * x).sum() == want.data.sum()


# --- cases ------------------------------------------------------------------------------------------------------------


def f64(x: Any) -> lw.Array:
    return lw.asarray(x, dtype=lw.float64)


def c128(x: Any) -> lw.Array:
    return lw.asarray(x, dtype=lw.complex128)


M = np.array([[1 + 2j, 0.5, 0.25j], [1j, 2 - 1j, 0.0], [0.5, 0.25, 1.5]])
#: The sums of ``10 ** (a + i * (b - a) / 4)`` and ``a ** (1 - i / 4) * b ** (i / 4)`` and their derivatives, by hand.
_I = np.arange(5) / 4
_LOGSPACE = 10 ** (0.3 + _I * 1.7) * np.log(10)
_GEOMSPACE = 0.3 ** (1 - _I) * 2.0**_I
_EULER = 0.5772156649015329


def total(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: lw.sum(lw.real(f(*xs)))


#: What is differentiated by all of its arguments, these, and the derivatives.
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "linspace": (lambda a, b: lw.linspace(a, b, 5), (0.3, 2.0), (2.5, 2.5)),
    "linspace without its end": (lambda a, b: lw.linspace(a, b, 5, endpoint=False), (0.3, 2.0), (3.0, 2.0)),
    "linspace from a number": (lambda b: lw.linspace(1, b, 3), (2.0,), (1.5,)),
    "linspace of one": (lambda a, b: lw.linspace(a, b, 1), (0.3, 2.0), (1.0, 0.0)),
    "linspace of none": (lambda a, b: lw.linspace(a, b, 0), (0.3, 2.0), (0.0, 0.0)),
    "logspace": (lambda a, b: lw.logspace(a, b, 5), (0.3, 2.0), ((1 - _I) @ _LOGSPACE, _I @ _LOGSPACE)),
    "logspace by its base": (lambda base: lw.logspace(0, 2, 3, base=base), (3.0,), (7.0,)),
    "geomspace": (
        lambda a, b: lw.geomspace(a, b, 5), (0.3, 2.0),
        ((1 - _I) @ _GEOMSPACE / 0.3, _I @ _GEOMSPACE / 2.0),
    ),
    "betaln of 2 and 2": (lw.special.betaln, (2.0, 2.0), (-5 / 6, -5 / 6)),
    "betaln of 3 and 3": (lw.special.betaln, (3.0, 3.0), (-47 / 60, -47 / 60)),
    "betaln of 12 and 12": (lw.special.betaln, (12.0, 12.0), (-sum(1 / k for k in range(12, 24)),) * 2),
    "beta of 1 and 1": (lw.special.beta, (1.0, 1.0), (-1.0, -1.0)),
    "frexp": (lambda x: lw.frexp(x)[0], ([0.7, 5.3, -3.0, 0.0],), ([1.0, 1 / 8, 1 / 4, 1.0],)),
    "modf": (lambda x: lw.modf(x)[0], ([0.7, 0.0, -1.5],), ([1.0, 1.0, 1.0],)),
    "i1 at 0": (lw.special.i1, (0.0,), (0.5,)),
    "logaddexp2 of equal ones": (lw.logaddexp2, ([0.0, 3.0], [0.0, 3.0]), ([0.5, 0.5], [0.5, 0.5])),
    "logaddexp2 with -inf": (lw.logaddexp2, (-np.inf, 1.0), (0.0, 1.0)),
    "xlogy at 0": (lw.special.xlogy, (0.0, 0.5), (np.log(0.5), 0.0)),
    "xlogy of zeros by the second": (lambda y: lw.special.xlogy(f64(0.0), y), (0.0,), (0.0,)),
    "xlog1py at 0": (lw.special.xlog1py, (0.0, 0.5), (np.log(1.5), 0.0)),
    "pow of 0 to an array": (lambda x: lw.pow(x, f64([0.0, 1.0, 2.0])), ([0.0, 0.0, 0.0],), ([0.0, 1.0, 0.0],)),
    "nanstd of equal ones": (lw.nanstd, ([2.0, 2.0],), ([0.0, 0.0],)),
    "nanstd of equal ones and nan": (lw.nanstd, ([2.0, 2.0, np.nan],), ([0.0, 0.0, 0.0],)),
    "std of equal ones": (lw.std, ([2.0, 2.0],), ([0.0, 0.0],)),
    "lp_pool2d of zeros": (lambda x: lw.nn.lp_pool2d(x, 2, 2), (np.zeros((1, 1, 2, 2)),), (np.zeros((1, 1, 2, 2)),)),
    "lp_pool2d of zeros, 3": (lambda x: lw.nn.lp_pool2d(x, 3, 2), (np.zeros((1, 1, 2, 2)),), (np.zeros((1, 1, 2, 2)),)),
    "a norm of order 3 of zeros": (lambda x: lw.linalg.vector_norm(x, ord=3), ([0.0, 0.0],), ([0.0, 0.0],)),
    "a norm of order 0.5 of zeros": (lambda x: lw.linalg.vector_norm(x, ord=0.5), ([0.0, 0.0],), ([0.0, 0.0],)),
    "a norm of complex zeros": (lambda x: lw.linalg.vector_norm(lw.astype(x, lw.complex128)), ([0.0, 0.0],), (None,)),
    "hypot of zeros": (lw.hypot, (0.0, 0.0), (None, None)),
    "det of zeros": (lw.linalg.det, (np.zeros((2, 2)),), (np.zeros((2, 2)),)),
    "det of rank 1": (lw.linalg.det, ([[1.0, 2.0], [2.0, 4.0]],), ([[4.0, -2.0], [-2.0, 1.0]],)),
    "det of a singular and a regular matrix": (
        lw.linalg.det, ([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 1.0]]],),
        ([[[4.0, -2.0], [-2.0, 1.0]], [[1.0, 0.0], [0.0, 2.0]]],),
    ),
    "det of rank 2 of 3": (
        lw.linalg.det, ([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]],),
        ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]],),
    ),
    "det of rank 9 of 10": (
        lw.linalg.det, (np.diag([1.0, 2, 1, 1, 1, 1, 1, 1, 3, 0]),), (np.diag([0.0] * 9 + [6.0]),),
    ),
    "logsumexp of -inf": (lw.logsumexp, ([-np.inf, -np.inf],), (None,)),
    "logsumexp of -inf and a number": (lw.logsumexp, ([-np.inf, 1.0],), ([0.0, 1.0],)),
    "logcumsumexp of -inf": (lw.logcumsumexp, ([-np.inf, -np.inf, 1.0],), (None,)),
    "the first of logcumsumexp, of -inf": (lambda x: lw.logcumsumexp(x)[0], ([-np.inf, 1.0],), ([1.0, 0.0],)),
    "logcumsumexp of -inf and numbers": (
        lambda x: lw.logcumsumexp(x)[1:], ([-np.inf, 0.0, 0.0],), ([0.0, 1.5, 0.5],),
    ),
    "arange": (lambda a, h: lw.arange(a, 3.0, h), (0.5, 0.5), (5.0, 10.0)),
    "the spacing of gradient": (lambda h: lw.gradient(f64([1.0, 2.0, 4.0]), h), (0.5,), (-18.0,)),
    "the range of a histogram": (
        lambda a, b: lw.histogram_bin_edges(f64([1.0, 2.0]), 4, range=(a, b)), (0.5, 9.0), (2.5, 2.5),
    ),
    "full": (lambda x: lw.full((2, 2), x), (3.0,), (4.0,)),
    "the place of a quantile in a list": (lambda q: lw.quantile(f64([1.0, 3.0, 4.0, 8.0]), [q, 0.5]), (0.4,), (3.0,)),
    "the places of quantiles in a tuple": (
        lambda p, q: lw.nanpercentile(f64([1.0, 3.0, 4.0, 8.0]), (p, q)), (40.0, 10.0), (0.03, 0.06),
    ),
    "a quantile at an element": (lambda q: lw.quantile(f64([1.0, 3.0, 7.0]), q), (0.5,), (8.0,)),
    "a quantile at the first element": (lambda q: lw.quantile(f64([1.0, 3.0, 7.0]), q), (0.0,), (4.0,)),
    "a quantile at the last element": (lambda q: lw.quantile(f64([1.0, 3.0, 7.0]), q), (1.0,), (8.0,)),
    "a quantile of numbers at the last": (lambda q: lw.nanquantile(f64([1.0, np.nan, 7.0]), q), (1.0,), (6.0,)),
    "a quantile at an element, of many": (lambda q: lw.quantile(f64([1.0, 3.0, 4.0, 8.0]), q), (1 / 3,), (3.0,)),
    "a quantile before an infinity": (lambda q: lw.quantile(f64([1.0, 3.0, np.inf]), q), (0.5,), (None,)),
    "the correction of nanvar": (lambda c: lw.nanvar(f64([1.0, 2.0, 4.0]), correction=c), (0.0,), (14 / 27,)),
    "the correction of nanstd": (lambda c: lw.nanstd(f64([1.0, 2.0, 4.0]), correction=c), (0.0,), (0.20786985,)),
    "the value of addcmul": (lambda c: lw.addcmul(f64(1.0), f64(2.0), f64(5.0), value=c), (1.0,), (10.0,)),
    "the weights of nll_loss": (
        lambda w: lw.nn.nll_loss(f64([[-1.0, -2.0], [-3.0, -0.5]]), lw.asarray([0, 1]), weight=w), ([0.6, 0.5],),
        ([0.20661157, -0.24793388],),
    ),
    "the weights of cross_entropy": (
        lambda w: lw.nn.cross_entropy(f64([[-1.0, -2.0], [-3.0, -0.5]]), lw.asarray([0, 1]), weight=w), ([0.6, 0.5],),
        ([0.09684791, -0.11621749],),
    ),
    "the place of a quantile": (lambda q: lw.quantile(f64([1.0, 3.0, 4.0, 8.0]), q), (0.4,), (3.0,)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_derivatives_at_hard_points(differentiating: str, name: str) -> None:
    """None for what is expected: some number."""
    f, points, expected = CASES[name]
    gradient = lw.grad(total(f), tuple(range(len(points))))
    found = [np.asarray(g) for g in gradient(*map(f64, points))]
    for g, e in zip(found, expected, strict=True):
        assert np.isfinite(g).all()
        if e is not None:
            np.testing.assert_allclose(g, e, rtol=1e-6, atol=1e-9)
    if name not in ("arange", "the range of a histogram"):  # whose values are asked for
        wrappers = [lw.jit, lw.compile] if differentiating == "numpy" else [lw.jit]
        for wrapper in wrappers:
            for g, e in zip(wrapper(gradient)(*map(f64, points)), found, strict=True):
                np.testing.assert_allclose(np.asarray(g), e, rtol=1e-9, atol=1e-12)


#: Functions of an option that is declared as a Python number, where it is, and the derivative by it.
OPTIONS: dict[str, tuple[Callable[[lw.Array], Any], float, float]] = {
    "var": (lambda c: lw.var(f64([1.0, 2.0, 4.0]), correction=c), 1.0, 7 / 6),
    "std": (lambda c: lw.std(f64([1.0, 2.0, 4.0]), correction=c), 1.0, 0.38188131),
    "elu": (lambda c: lw.nn.elu(f64(-1.0), alpha=c), 1.0, np.expm1(-1.0)),
    "elu by position": (lambda c: lw.nn.elu(f64(-1.0), c), 1.0, np.expm1(-1.0)),
    "vector_norm": (lambda c: lw.linalg.vector_norm(f64([1.0, 2.0, 4.0]), ord=c), 1.0, -9.49514113),
    "vector_norm of order 2": (lambda c: lw.linalg.vector_norm(f64([1.0, 1.0]), ord=c), 2.0, -0.24506453),
    "cdist": (lambda c: lw.linalg.cdist(f64([[1.0, 1.0]]), f64([[2.0, 2.0]]), p=c), 2.0, -0.24506453),
    "lp_pool": (lambda c: lw.nn.lp_pool1d(f64([[[1.0, 1.0]]]), c, 2), 2.0, -0.24506453),
    "round": (lambda c: lw.round(f64(1.234), decimals=c), 1.0, np.nan),
    "cross_entropy": (
        lambda c: lw.nn.cross_entropy(f64([[0.0, 1.0]]), lw.asarray([0]), label_smoothing=c), 0.0, -0.5,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_a_derivative_by_an_option_is_right_or_refused(differentiating: str, name: str) -> None:
    """At the numbers that bodies look for, as well."""
    f, point, expected = OPTIONS[name]
    x = f64(point)
    for slope_of in (lw.grad(total(f)), lambda x: lw.jvp(total(f), (x,), (f64(1.0),))[1]):
        try:
            found, refusal = float(slope_of(x)), ""
        except TypeError as error:
            found, refusal = expected, str(error)
        assert refusal == "" or "Python number" in refusal or "is an int" in refusal
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("f", [lw.linspace, lw.logspace, lw.geomspace])
def test_ends_without_axes_in_compiled_programs(differentiating: str, f: Callable[..., Any]) -> None:
    """They were turned into numbers, which compiled programs do not have yet."""
    want = np.asarray(f(0.5, 2.0, 5, dtype=lw.float64))
    for wrapper in (lw.jit, lw.compile):
        np.testing.assert_allclose(np.asarray(wrapper(lambda a: f(a, 2.0, 5))(f64(0.5))), want)
        np.testing.assert_allclose(np.asarray(wrapper(lambda b: f(0.5, b, 5))(f64(2.0))), want)
    slope_of = lw.grad(lambda a: lw.sum(f(a, 2.0, 5)))
    np.testing.assert_allclose(np.asarray(lw.compile(slope_of)(f64(0.5))), np.asarray(slope_of(f64(0.5))))


#: Complex functions, and the gradient of the real part of their sum.
COMPLEX_CASES: dict[str, tuple[Callable[[lw.Array], Any], Any, Any]] = {
    "sign": (lw.sign, [1 + 2j], [0.35777088 - 0.17888544j]),
    "sign at 0": (lw.sign, [0j], [0j]),
    "det": (lw.linalg.det, M, np.conj(np.linalg.det(M) * np.linalg.inv(M).T)),
    "det of rank 1": (lw.linalg.det, [[1, 1j], [1j, -1]], [[-1, 1j], [1j, 1]]),
    "det of rank 9 of 10": (lw.linalg.det, np.diag([1, 2j, 1, 1, 1, 1, 1, 1, 3, 0]), np.diag([0] * 9 + [-6j])),
}


@pytest.mark.parametrize("name", COMPLEX_CASES)
def test_complex_derivatives_at_hard_points(differentiating: str, name: str) -> None:
    f, point, expected = COMPLEX_CASES[name]
    found = lw.grad(total(f))(c128(point))
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-7, atol=1e-9)


def test_the_sign_of_slogdet_has_derivatives(differentiating: str) -> None:
    def f(z: lw.Array) -> lw.Array:
        sign, log = lw.linalg.slogdet(z)
        return lw.real(sign) * 2 + lw.imag(sign) + log

    dice = np.random.default_rng(0)
    along = dice.normal(size=M.shape) + 1j * dice.normal(size=M.shape)
    with lw.using(backend="numpy"):
        expected = slope(f, [M], [along])
    found = np.asarray(lw.grad(f)(c128(M)))
    np.testing.assert_allclose(np.sum((np.conj(found) * along).real), expected, rtol=1e-6)


def test_betainc_by_its_parameters(differentiating: str) -> None:
    points = f64(1.5), f64(2.5), f64(0.4)
    if differentiating == "jax":
        with pytest.raises(ValueError, match="with respect to a and b not supported"):
            lw.grad(lw.special.betainc, (0, 1, 2))(*points)
        return
    found = lw.grad(lw.special.betainc, (0, 1, 2))(*points)
    np.testing.assert_allclose([float(g) for g in found], [-0.2816884, 0.1704202, 1.4970179], rtol=1e-5)


#: Functions of one number, where they are, and their slopes there.
FORWARDS: dict[str, tuple[Callable[[lw.Array], Any], float, float]] = {
    "betainc by its first parameter": (lambda a: lw.special.betainc(a, f64(2.5), f64(0.4)), 1.5, -0.2816884),
    "zeta by its first argument": (lambda x: lw.special.zeta(x, f64(1.5)), 2.5, -0.4648123),
    "the fraction of frexp": (lambda x: lw.frexp(x)[0], 0.7, 1.0),
}


@pytest.mark.parametrize("name", FORWARDS)
def test_forward_derivatives_are_right_or_refused(differentiating: str, name: str) -> None:
    f, point, expected = FORWARDS[name]
    try:
        _, found = lw.jvp(f, (f64(point),), (f64(1.0),))
    except (*REFUSED, ValueError):
        assert differentiating != "tensorflow"
        return
    np.testing.assert_allclose(float(found), expected, rtol=1e-5)


def test_zeta_by_its_first_argument_is_right_or_refused(differentiating: str) -> None:
    if differentiating == "torch":
        with pytest.raises(NotImplementedError):
            lw.grad(lw.special.zeta)(f64(2.5), f64(1.5))
        return
    found = lw.grad(lw.special.zeta, (0, 1))(f64(2.5), f64(1.5))
    np.testing.assert_allclose([float(g) for g in found], [-0.4648123, -0.7677404], rtol=1e-6)


@pytest.mark.parametrize("dtype", [lw.float32, lw.float64])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_convolutions_and_pooling_of_all_ranks(differentiating: str, n: int, dtype: Any) -> None:
    """Their first and second derivatives, whose kernels ask the first call for what was left out."""
    dice = np.random.default_rng(n)
    x = dice.normal(size=(1, 2, *[4] * n))
    w, along = dice.normal(size=(2, 2, *[2] * n)), dice.normal(size=x.shape)
    nn = lw.nn

    def named(name: str) -> Callable[..., Any]:
        f: Callable[..., Any] = getattr(nn, f"{name}{n}d")
        return f

    programs: dict[str, Callable[[lw.Array], Any]] = {
        "conv": lambda x: named("conv")(x, lw.asarray(w, dtype=x.dtype)),
        "conv with strides": lambda x: named("conv")(x, lw.asarray(w, dtype=x.dtype), stride=2, padding=1),
        "of any rank": lambda x: nn.conv(x, lw.asarray(w, dtype=x.dtype)),
        "transposed": lambda x: named("conv_transpose")(x, lw.asarray(w, dtype=x.dtype)),
        "max_pool": lambda x: named("max_pool")(x, 2),
        "avg_pool": lambda x: named("avg_pool")(x, 2),
    }
    for name, f in programs.items():
        with lw.using(backend="numpy"):
            first = slope(lambda x, f=f: lw.sum(f(x) ** 2), [x], [along])
            h = 1e-4
            ends = [float(lw.sum(f(lw.asarray(x + s * h * along)) ** 2)) for s in (1, 0, -1)]
        second = (ends[0] - 2 * ends[1] + ends[2]) / h**2
        d = lw.asarray(along, dtype=dtype)
        slopes = lw.grad(lambda x, f=f: lw.sum(f(x) ** 2))
        rough = {"rtol": 1e-3, "atol": 1e-2} if dtype is lw.float32 else {"rtol": 1e-4, "atol": 1e-4}
        at = lw.asarray(x, dtype=dtype)
        np.testing.assert_allclose(float(lw.sum(slopes(at) * d)), first, **rough, err_msg=name)
        found = lw.grad(lambda x, s=slopes, d=d: lw.sum(s(x) * d))(at)
        np.testing.assert_allclose(float(lw.sum(found * d)), second, **rough, err_msg=name)


#: Functions whose second derivatives are zero, which PyTorch has as tensors without memory.
STRAIGHT: dict[str, Callable[[lw.Array], Any]] = {
    "abs": lw.abs,
    "fabs": lw.fabs,
    "l1_loss": lambda x: lw.nn.l1_loss(x, lw.zeros_like(x) + 0.25),
    **{f"vector_norm {o}": (lambda x, o=o: lw.linalg.vector_norm(x, ord=o)) for o in (1, np.inf, -np.inf)},
    **{f"matrix_norm {o}": (lambda x, o=o: lw.linalg.matrix_norm(x, ord=o)) for o in (1, np.inf, -1, -np.inf)},
}


@pytest.mark.parametrize("name", STRAIGHT)
def test_second_derivatives_that_are_zero_are_arrays(differentiating: str, name: str) -> None:
    x = f64([[1.0, -2.0], [3.0, 1.5]])

    def first(x: lw.Array) -> lw.Array:
        return lw.sum(lw.grad(lambda y: lw.sum(STRAIGHT[name](y)))(x))

    for second in (lw.grad(first), lw.compile(lw.grad(first))):
        found = second(x)
        assert np.asarray(found).tolist() == [[0.0, 0.0], [0.0, 0.0]]
        assert differentiating == "dask" or "0." in repr(found)
    _, along = lw.jvp(lw.grad(lambda y: lw.sum(STRAIGHT[name](y))), (x,), (x,))
    assert lw.to_numpy(along).tolist() == [[0.0, 0.0], [0.0, 0.0]]


# --- second derivatives at hard points --------------------------------------------------------------------------------

_SERIES_OF_SINC = -(np.pi**2) / 3
#: A function of one number, the number, and the second derivative.
SECOND: dict[str, tuple[Callable[[lw.Array], Any], float, float]] = {
    **{f"sinc at {x}": (lw.sinc, x, _SERIES_OF_SINC) for x in (0.0, 1e-12, -1e-8)},
    "sinc at 0.3": (lw.sinc, 0.3, -2.458485286266175),
    **{f"i0 at {x}": (lw.special.i0, x, 0.5) for x in (0.0, 1e-10)},
    **{f"i1 at {x}": (lw.special.i1, x, 0.375 * x) for x in (0.0, 1e-10, -1e-8)},
    "i1 at 3": (lw.special.i1, 3.0, 3.204966070425959),
    "gamma at a half": (lw.special.gamma, 0.5, 15.580177442406267),
    "beta of a half and 1": (lambda a: lw.special.beta(a, f64(1.0)), 0.5, 16.0),
    "mish at 800": (lw.nn.mish, 800.0, 0.0),
    "0 to the power of 2, by the exponent": (lambda y: lw.pow(f64(0.0), y), 2.0, 0.0),
    **{f"the power of {n} at 0": (lambda x, n=n: lw.pow(x, f64(n)), 0.0, float(2 * (n == 2))) for n in range(4)},
    **{f"the power of the number {n} at 0": (lambda x, n=n: x**n, 0.0, float(2 * (n == 2))) for n in range(4)},
    "a negative number to the power of 2": (lambda x: lw.pow(x, f64(2.0)), -1.5, 2.0),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_at_hard_points(differentiating: str, name: str) -> None:
    f, point, expected = SECOND[name]
    second = lw.grad(lw.grad(f))
    others = [] if "beta" in name else [lw.jit(second), lw.hessian(f)]  # of which TensorFlow makes graphs for long
    for derivative in (second, *in_turn(others, 2 if differentiating == "tensorflow" else 1, name)):
        found = derivative(f64(point))
        np.testing.assert_allclose(float(found), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0])
def test_powers_have_the_same_derivative_in_either_order(differentiating: str, exponent: float) -> None:
    """PyTorch's derivative by the base was a constant where the exponent is 0."""
    expected = 2 ** (exponent - 1) * (1 + exponent * np.log(2))
    by_base_first = lw.grad(lambda y: lw.grad(lambda x: lw.pow(x, y))(f64(2.0)))(f64(exponent))
    by_exponent_first = lw.grad(lambda x: lw.grad(lambda y: lw.pow(x, y))(f64(exponent)))(f64(2.0))
    np.testing.assert_allclose([float(by_base_first), float(by_exponent_first)], expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [lw.float32, lw.float64])
def test_the_sinc_that_is_differentiated_is_the_same(differentiating: str, dtype: lw.Dtype) -> None:
    x = lw.asarray([*np.linspace(-3, 3, 401), 0.0, -0.0, 1e-30, np.nan], dtype=dtype)
    assert np.asarray(lw.vjp(lw.sinc, x)[0]).tobytes() == np.asarray(lw.sinc(x)).tobytes()


_WEIGHTS = np.array([1.0, 2.0, 4.0])


def _products(x: np.ndarray) -> np.ndarray:
    """The second derivatives of the product of three elements."""
    a, b, c = x
    return np.array([[0, c, b], [c, 0, a], [b, a, 0]])


@pytest.mark.parametrize("point", [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
def test_second_derivatives_of_products_with_zeros(differentiating: str, point: list[float]) -> None:
    whole = _products(np.array(point))
    first_two = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(np.asarray(lw.hessian(lw.prod)(f64(point))), whole)
    np.testing.assert_allclose(np.asarray(lw.grad(lambda x: lw.grad(lw.prod)(x)[0])(f64(point))), whole[0])
    running = lw.hessian(lambda x: lw.sum(lw.cumulative_prod(x) * f64(_WEIGHTS)))
    np.testing.assert_allclose(np.asarray(running(f64(point))), 4 * whole + 2 * first_two)


def test_second_derivatives_of_products_along_several_axes(differentiating: str) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 2))
    x[0, 0] = 0
    found = lw.hessian(lambda x: lw.sum(lw.prod(x, axis=(0, 2)) * f64(_WEIGHTS)))(f64(x))
    expected = np.zeros((2, 3, 2, 2, 3, 2))
    for row in range(3):
        for i in np.ndindex(2, 2):
            for j in np.ndindex(2, 2):
                if i != j:
                    others = [x[k[0], row, k[1]] for k in np.ndindex(2, 2) if k not in (i, j)]
                    expected[i[0], row, i[1], j[0], row, j[1]] = np.prod(others) * _WEIGHTS[row]
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-14)


@pytest.mark.parametrize("point", [[[1.0, 2.0], [2.0, 5.0]], [[1.0, 2.0], [2.0, 4.0]]])
def test_second_derivatives_of_determinants(differentiating: str, point: list[list[float]]) -> None:
    expected = np.zeros((2, 2, 2, 2))
    expected[0, 0, 1, 1] = expected[1, 1, 0, 0] = 1
    expected[0, 1, 1, 0] = expected[1, 0, 0, 1] = -1
    np.testing.assert_allclose(np.asarray(lw.hessian(lw.linalg.det)(f64(point))), expected, atol=1e-12)


# --- random numbers ---------------------------------------------------------------------------------------------------


def _by_quantiles(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """How x changes with a while the distribution function of the gamma distribution stays the same."""
    with lw.using(backend="numpy"):
        h = 1e-5
        by_a = [np.asarray(lw.special.gammainc(lw.asarray(a + s * h), lw.asarray(x))) for s in (1, -1)]
        density = np.exp((a - 1) * np.log(x) - x - np.asarray(lw.special.gammaln(lw.asarray(a))))
    result: np.ndarray = -(by_a[0] - by_a[1]) / (2 * h) / density
    return result


def test_gamma_numbers_are_differentiated_by_their_parameter(differentiating: str) -> None:
    key, a = lw.random.key(3), np.array([0.3, 0.9, 1.5, 4.0, 30.0])
    x = np.asarray(lw.random.gamma(key, f64(a)))
    expected = _by_quantiles(a, x)
    of_numbers = lw.grad(lambda a: lw.sum(lw.random.gamma(key, a)))
    of_logarithms = lw.grad(lambda a: lw.sum(lw.random.loggamma(key, a)))
    np.testing.assert_allclose(np.asarray(of_numbers(f64(a))), expected, rtol=2e-3)
    np.testing.assert_allclose(np.asarray(lw.jit(of_numbers)(f64(a))), expected, rtol=2e-3)
    np.testing.assert_allclose(np.asarray(of_logarithms(f64(a))), expected / x, rtol=2e-3)
    for dtype in (lw.float32, lw.float16):
        found = of_numbers(lw.asarray(a[:4], dtype=dtype))
        assert found.dtype is dtype
        assert np.isfinite(np.asarray(found)).all()
    each = lw.vmap(lw.grad(lambda a: lw.random.gamma(key, a)))(f64(a))
    assert (np.asarray(each) > 0).all()


def test_logarithms_of_numbers_too_small_have_derivatives(differentiating: str) -> None:
    """The numbers themselves would be 0: log(x) is ``(log(u) + gammaln(a + 1)) / a``."""
    key, a = lw.random.key(3), np.array([0.001, 0.002, 0.003])
    x = np.asarray(lw.random.loggamma(key, f64(a)))
    small = x < -40
    assert small.any()
    found = lw.grad(lambda a: lw.sum(lw.random.loggamma(key, a)))(f64(a))
    with lw.using(backend="numpy"):
        digamma = np.asarray(lw.special.digamma(lw.asarray(a + 1)))
    np.testing.assert_allclose(np.asarray(found)[small], ((digamma - x) / a)[small], rtol=1e-4)


def test_what_is_made_of_gamma_numbers_has_derivatives(differentiating: str) -> None:
    key, draw = lw.random.key(5), lw.random
    programs: list[Callable[[lw.Array], Any]] = [
        lambda p: draw.beta(key, p, 2.0, (4,)),
        lambda p: draw.chisquare(key, p, (4,)),
        lambda p: draw.dirichlet(key, lw.stack([p, p * 2]), (4,))[..., 0],
        lambda p: draw.student_t(key, p, (4,)),
    ]
    for f in programs:
        found = np.asarray(lw.grad(lambda p, f=f: lw.sum(f(p)))(f64(3.0)))
        assert np.isfinite(found)
        assert found != 0


@pytest.mark.parametrize("f", [lw.special.kl_div, lw.special.rel_entr])
def test_entropies_of_numbers_far_apart_have_derivatives(differentiating: str, f: Any) -> None:
    """In float32 ``(p - q) / q`` is -1 there, whose log1p has no derivative."""
    p, q = lw.asarray(1e-8, dtype=lw.float32), lw.asarray(1.0, dtype=lw.float32)
    by_p, by_q = map(float, lw.grad(f, argnums=(0, 1))(p, q))
    extra = (-1.0, 1.0) if f is lw.special.kl_div else (0.0, 0.0)
    assert by_p == pytest.approx(np.log(1e-8) + 1 + extra[0], rel=1e-5)
    assert by_q == pytest.approx(-1e-8 + extra[1], rel=1e-5)


def test_beta_has_derivatives_where_it_is_zero(differentiating: str) -> None:
    """gamma(a + b) has a pole at -2, and its reciprocal the derivative 2 there."""
    expected = float(np.asarray(lw.special.gamma(f64(-2.5)))) * np.sqrt(np.pi) * 2
    a, one = f64(-2.5), f64(1.0)
    value, along = lw.jvp(lambda a: lw.special.beta(a, 0.5), (a,), (one,))
    assert float(value) == 0
    assert float(along) == pytest.approx(expected)
    assert [float(x) for x in lw.grad(lw.special.beta, argnums=(0, 1))(a, f64(0.5))] == pytest.approx([expected] * 2)


@pytest.mark.parametrize("order", [-1, -2, -0.5])
def test_a_norm_of_negative_order_is_flat_at_zeros(differentiating: str, order: float) -> None:
    for x in ([0.0, 0.0], [0.0, 1.0, -2.0]):
        assert float(lw.linalg.vector_norm(f64(x), ord=order)) == 0
        assert not np.asarray(lw.grad(lambda v: lw.linalg.vector_norm(v, ord=order))(f64(x))).any()
    x = np.array([1.0, -2.0])
    powers = np.abs(x) ** order
    expected = powers.sum() ** (1 / order - 1) * powers / x
    np.testing.assert_allclose(lw.grad(lambda v: lw.linalg.vector_norm(v, ord=order))(f64(x)), expected)
    assert np.isnan(lw.linalg.vector_norm(f64([0.0, np.nan]), ord=order))


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0])
def test_a_power_of_zero_along_its_exponent(differentiating: str, exponent: float) -> None:
    """By the base the derivative may be infinite: nobody asks for it."""
    value, along = lw.jvp(lambda y: lw.pow(f64(0.0), y), (f64(exponent),), (f64(1.0),))
    assert (float(value), float(along)) == (float(exponent == 0), 0.0)


@pytest.mark.parametrize("f", [lambda x: lw.sin(3.14 * x), lambda x: lw.special.beta(x, 0.5)])
def test_a_derivative_along_a_number_has_the_dtype_of_the_result(differentiating: str, f: Any) -> None:
    for dtype in (lw.float32, lw.bfloat16):
        x = lw.asarray(0.75, dtype=dtype)
        value, along = lw.jvp(f, (x,), (lw.ones_like(x),))
        assert value.dtype == along.dtype == dtype


@pytest.mark.parametrize("draw", [lw.random.gamma, lw.random.loggamma])
def test_a_second_derivative_of_gamma_numbers_is_refused(draw: Any) -> None:
    for backend in ("torch", "tensorflow"):
        pytest.importorskip(backend)
        with lw.using(backend=backend), pytest.raises(NotImplementedError, match="(?i)gamma"):
            lw.grad(lw.grad(lambda a: lw.sum(draw(lw.random.key(0), a, (2,)))))(f64(1.5))


# --- errors -----------------------------------------------------------------------------------------------------------


def test_tensorflows_gaps_are_errors() -> None:
    """Of a kernel that has no derivative by what is asked for; not of kernels that nothing connects, or that are
    constant in steps."""
    tf = pytest.importorskip("tensorflow")

    def native(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *xs: lw.asarray(f(*[x.data for x in xs]))

    betainc, two = native(tf.math.betainc), tf.constant(2.0, tf.float64)
    gaps: list[tuple[str, Callable[[lw.Array], Any]]] = [
        ("Betainc by operand 0", lambda x: betainc(x, f64(2.0), f64(0.5))),
        ("Betainc by operand 1", lambda x: x + betainc(f64(2.0), x, f64(0.5))),
        ("Lu", lambda x: lw.sum(native(lambda v: tf.linalg.lu(v)[0])(x * f64([[1.0, 2], [3, 5]])))),
        ("IgammaGradA", lw.grad(lambda x: lw.special.gammainc(x, 1.5))),
    ]
    with lw.using(backend="tensorflow"):
        for kernel, f in gaps:
            for gradient in (lw.grad(f), *[lw.jit(lw.grad(f))] * (kernel == "Betainc by operand 0")):
                with pytest.raises(NotImplementedError, match=f"no derivative of its kernel {kernel}"):
                    gradient(f64(0.75))
        assert float(lw.grad(lambda x: betainc(f64(1.5), f64(2.0), x))(f64(0.5))) == pytest.approx(1.3258252)
        steps: list[Callable[[lw.Array], Any]] = [lw.floor, lambda x: f64(1.0)]
        for f in steps:
            assert float(lw.grad(lambda x, f=f: f(x) + 3 * x)(f64(1.25))) == 3.0
        with tf.GradientTape() as tape:  # others' tapes get what TensorFlow gives them
            v = tf.constant(0.5, tf.float64)
            tape.watch(v)
            y = tf.math.betainc(v, two, v)
        assert tape.gradient(y, v) is not None


def test_tensorflows_gaps_are_errors_of_forward_derivatives() -> None:
    tf = pytest.importorskip("tensorflow")

    def betainc(*xs: Any) -> lw.Array:
        return lw.asarray(tf.math.betainc(*[x.data for x in xs]))

    by_rule = lw.custom_gradient(lambda x: (betainc(x, f64(2.0), f64(0.5)), lambda c: (7.0 * c,)))
    with lw.using(backend="tensorflow"):
        one, x = f64(1.0), f64(0.75)
        for wrapper in (lambda f: f, lw.jit):
            for i in range(2):
                slope_of = wrapper(
                    lambda x, i=i: lw.jvp(lambda x: betainc(*[x, f64(2.0)][:: 1 - 2 * i], f64(0.5)), (x,), (one,))
                )
                with pytest.raises(NotImplementedError, match=f"no derivative of its kernel Betainc by operand {i}"):
                    slope_of(x)
            of_last = wrapper(lambda x: lw.jvp(lambda x: betainc(f64(1.5), f64(2.0), x), (x,), (one,))[1])
            assert float(of_last(f64(0.5))) == pytest.approx(1.3258252)
            assert float(wrapper(lambda x: lw.jvp(by_rule, (x,), (one,))[1])(x)) == 7.0
        assert float(lw.jvp(lambda x: lw.floor(x) + 3 * x, (x,), (one,))[1]) == 3.0


def test_what_is_compiled_has_the_derivatives_of_what_is_not(differentiating: str) -> None:
    """TensorFlow's own way through what it compiles knows neither its gaps nor gradients that are given."""
    x, one = f64([1.5, 2.5]), f64([1.0, 1.0])
    programs: dict[str, Callable[[Any], Any]] = {
        "gammainc": lambda a: lw.special.gammainc(a, f64([1.0, 2.0])),
        "polygamma": lambda a: lw.special.polygamma(a, f64([1.0, 2.0])),
        "gamma": lambda a: lw.random.gamma(lw.random.key(0), a),
        "loop": lambda a: lw.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, lw.special.i1(c[1])), (0, a))[1],
    }
    ways: list[Callable[[Any], Any]] = [lambda f: lw.grad(lambda a: lw.sum(f(a)))(x), lambda f: lw.jvp(f, (x,), (one,))]
    for name, f in programs.items():
        for way in ways:
            if differentiating == "jax" and name == "loop":
                continue  # a loop of unknown length has no derivative there
            try:
                expected = way(f)
            except REFUSED as error:
                with pytest.raises(type(error)):
                    way(lw.jit(f))
            else:
                for a, b in zip(lw.tree.leaves(way(lw.jit(f))), lw.tree.leaves(expected), strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_graph_has_nan_where_tensorflow_has_no_derivative() -> None:
    """It differentiates a graph by all of its operands: an error would refuse what is not asked for."""
    pytest.importorskip("tensorflow")
    polygamma = lw.special.polygamma
    with lw.using(backend="tensorflow"):
        a, x = f64([1.0, 2.0]), f64([1.5, 2.5])
        mapped = lw.vmap(polygamma)
        looped = lambda a, x: lw.fori_loop(0, 2, lambda i, c: c + polygamma(a, x), x)  # noqa: E731
        of_loop = lw.jit(lw.grad(lambda a: lw.sum(looped(a, x))))
        for slope in (lw.grad(lambda a: lw.sum(mapped(a, x)))(a), of_loop(a)):
            assert np.isnan(np.asarray(slope)).all()
        expected = polygamma(a + 1.0, x)
        np.testing.assert_allclose(lw.grad(lambda x: lw.sum(mapped(a, x)))(x), expected)
        by_loop = lw.jit(lw.grad(lambda x: lw.sum(looped(a, x))))
        np.testing.assert_allclose(by_loop(x), 1.0 + 2.0 * expected)
        flat = lw.grad(lambda x: lw.sum(lw.vmap(lambda x: lw.floor(x) * x)(x)))  # what is constant in steps stays 0
        np.testing.assert_allclose(flat(x), [1.0, 2.0])


def test_a_compiled_second_derivative_of_a_loop(differentiating: str, capfd: pytest.CaptureFixture[str]) -> None:
    def f(xs: lw.Array) -> lw.Array:
        return lw.scan(lambda c, x: (c * x + 1.0, c), f64(1.0), xs)[0]

    expected = [[0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [2.0, 2.0, 0.0]]
    for hessian in (lw.hessian(f), lw.jit(lw.hessian(f))):
        np.testing.assert_allclose(hessian(f64([1.0, 2.0, 3.0])), expected)
    assert "while pfor" not in capfd.readouterr().err


def test_a_second_derivative_that_tensorflow_does_not_have_is_named() -> None:
    pytest.importorskip("tensorflow")
    with lw.using(backend="tensorflow"), pytest.raises(NotImplementedError, match="kernel IgammaGradA"):
        lw.hessian(lambda x: lw.sum(lw.special.gammainc(x, f64([1.0, 2.0]))))(f64([1.5, 2.5]))


def test_a_tensor_without_memory_goes_to_numpy() -> None:
    torch = pytest.importorskip("torch")
    zero = torch._efficientzerotensor(2)
    assert np.asarray(lw.asarray(zero)).tolist() == [0.0, 0.0]


def test_at_knows_the_power_by_the_name_of_the_standard(backend: str) -> None:
    x = lw.asarray([2.0, 3.0])
    assert lw.at(x, 1).pow(2).tolist() == lw.at(x, 1).power(2).tolist() == [2.0, 9.0]


# --- equal singular values --------------------------------------------------------------------------------------------

#: Orthonormal columns, as of an orthogonal basis, and rows.
EQUAL = {
    "tall": [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
    "wide": [[0.0, 2.0, 0.0], [2.0, 0.0, 0.0]],
    "square": [[1.0, 0.0], [0.0, 1.0]],
    "of rank 2": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
}

#: Functions that are smooth there.
SMOOTH = {
    "pinv": lambda x, b: lw.linalg.pinv(x) @ b,
    "pinv with a bound": lambda x, b: lw.linalg.pinv(x, rtol=1e-9) @ b,
    "lstsq": lambda x, b: lw.linalg.lstsq(x, b)[0],
    "residuals": lambda x, b: lw.linalg.lstsq(x, b)[1],
    "svdvals": lambda x, b: lw.linalg.svdvals(x) * b[0, 0],
}


@pytest.mark.parametrize("of", EQUAL)
@pytest.mark.parametrize("name", SMOOTH)
def test_what_is_smooth_at_equal_singular_values_has_its_derivative(backend: str, name: str, of: str) -> None:
    """Singular vectors have none there: what is computed by them must not take its derivative from theirs."""
    point = np.asarray(EQUAL[of])
    rows, columns = point.shape
    weights = np.arange(1.0, 1 + rows * 2).reshape(rows, 2)
    dice = np.random.default_rng(0)
    left, right = dice.normal(size=(rows, rows)), dice.normal(size=(columns, columns))

    def at(step: float) -> lw.Array:
        """A path through the point that keeps the rank: a pseudo-inverse leaps elsewhere."""
        return f64((np.eye(rows) + step * left) @ point @ (np.eye(columns) + step * right))

    along = left @ point + point @ right

    def f(x: lw.Array) -> lw.Array:
        return lw.sum(lw.sin(SMOOTH[name](x, f64(weights))) if name != "svdvals" else SMOOTH[name](x, f64(weights)))

    step = 1e-5
    want = (float(f(at(step))) - float(f(at(-step)))) / (2 * step)
    np.testing.assert_allclose(np.sum(np.asarray(lw.grad(f)(f64(point))) * along), want, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(float(lw.jvp(f, (f64(point),), (f64(along),))[1]), want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("of", ["tall", "square"])
def test_vectors_of_equal_values_have_no_derivative(backend: str, of: str) -> None:
    """It is nan, and no number that only looks right."""
    point = f64(EQUAL[of])
    symmetric = f64(np.eye(3))
    for f, x in (
        (lambda x: lw.sum(lw.linalg.svd(x, full_matrices=False)[0][:, 0]), point),
        (lambda x: lw.sum(lw.linalg.svd(x, full_matrices=False)[2][0]), point),
        (lambda x: lw.sum(lw.linalg.eigh(x)[1][0]), symmetric),
    ):
        assert np.isnan(np.asarray(lw.grad(f)(x))).any()
        assert np.isnan(np.asarray(lw.jvp(f, (x,), (lw.ones_like(x),))[1]))


@pytest.mark.parametrize("of", ["tall", "wide", "square"])
def test_polar_factors_of_equal_singular_values(backend: str, of: str) -> None:
    """Smooth where the matrix has full rank."""
    point = np.asarray(EQUAL[of])
    along = np.random.default_rng(1).normal(size=point.shape)
    weights = np.arange(1.0, 1 + point.size).reshape(point.shape)
    side = "left" if of == "tall" else "right"

    def f(x: lw.Array) -> lw.Array:
        unit, size = lw.linalg.polar(x, side)
        return lw.sum(unit * f64(weights)) + lw.sum(size[0] ** 2)

    step = 1e-5
    want = (float(f(f64(point + step * along))) - float(f(f64(point - step * along)))) / (2 * step)
    np.testing.assert_allclose(np.sum(np.asarray(lw.grad(f)(f64(point))) * along), want, rtol=1e-6)
    np.testing.assert_allclose(float(lw.jvp(f, (f64(point),), (f64(along),))[1]), want, rtol=1e-6)


def test_second_derivatives_of_polar_factors(backend: str) -> None:
    def f(x: lw.Array) -> lw.Array:
        unit, size = lw.linalg.polar(x)
        return unit[0, 1] + 2 * unit[0, 0] + size[0, 1] ** 2

    with lw.using(backend="numpy"):
        want = lw.to_numpy(lw.hessian(f)(lw.eye(2, dtype=lw.float64)))
    np.testing.assert_allclose(lw.to_numpy(lw.hessian(f)(lw.eye(2, dtype=lw.float64))), want, atol=1e-12)


def test_autograd_of_a_singular_determinant(backend: str) -> None:
    """PyTorch's own `backward` divides by the determinant."""
    if backend != "torch":
        pytest.skip("it is about PyTorch's autograd")
    import torch

    for point, want in (([[1.0, 1.0], [1.0, 1.0]], [[1, -1], [-1, 1]]), ([[0.0, 0.0], [0.0, 0.0]], np.zeros((2, 2)))):
        x = torch.tensor(point, dtype=torch.float64, requires_grad=True)
        lw.linalg.det(lw.asarray(x)).data.backward()
        np.testing.assert_allclose(x.grad.numpy(), want, atol=1e-12)
