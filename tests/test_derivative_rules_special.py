"""Derivatives that NumPy's backend takes of special functions and of random numbers, by its own rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import latticework as lw

inf, nan = np.inf, np.nan


@pytest.fixture(autouse=True)
def on_numpy() -> Iterator[None]:
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        yield


def f64(x: Any) -> lw.Array:
    return lw.asarray(x, dtype=lw.float64)


def slopes(f: Callable[..., Any], *xs: Any) -> list[np.ndarray]:
    """The derivatives of a function of each element by its operands, in both directions."""
    arrays, found = [f64(x) for x in xs], []
    for i, x in enumerate(arrays):

        def by_one(y: lw.Array, i: int = i) -> Any:
            return f(*[y if j == i else other for j, other in enumerate(arrays)])

        reverse = np.asarray(lw.grad(lambda y, by_one=by_one: lw.sum(by_one(y)))(x))
        _, forward = lw.jvp(by_one, (x,), (lw.ones_like(x),))
        np.testing.assert_allclose(np.asarray(forward), reverse, rtol=1e-12)
        found.append(reverse)
    return found


#: A function, its operands, and the derivatives by each. Where there is an edge they are limits; but 0 where a factor
#: of 0 keeps an infinite logarithm out of the value.
POINTS: dict[str, tuple[Any, tuple[Any, ...], tuple[Any, ...]]] = {
    "xlogy": (
        lw.special.xlogy, ([0.0, 0, 0, 2], [0.0, 0.5, -1, 4]), ([0, np.log(0.5), nan, np.log(4)], [0, 0, 0, 0.5]),
    ),
    "xlog1py": (lw.special.xlog1py, ([0.0, 0.0], [-1.0, 0.5]), ([0, np.log(1.5)], [0, 0])),
    "entr": (lw.special.entr, ([0.0, 1.0, -1.0],), ([inf, -1, nan],)),
    "rel_entr": (lw.special.rel_entr, ([0.0, 0, 1, 2], [0.0, 1, 1, 1]), ([0, 0, 1, 1 + np.log(2)], [0, 0, -1, -2])),
    "kl_div": (lw.special.kl_div, ([0.0, 1, 1], [1.0, 1, 0]), ([0, 0, inf], [1, 0, -inf])),
    "rel_entr of numbers far apart": (lw.special.rel_entr, (1e300, 1e-300), (1 + 600 * np.log(10), -inf)),
    "betaln": (lw.special.betaln, ([2.0, 3], [2.0, 3]), ([-5 / 6, -47 / 60],) * 2),
    "beta": (lw.special.beta, (1.0, 1.0), (-1, -1)),
    "beta beside a pole": (lw.special.beta, (-2.5, 0.5), (-3.3510321638291125,) * 2),
    "i0": (lw.special.i0, ([0.0, 2.0],), ([0, 1.5906368546373291],)),
    "i1": (lw.special.i1, ([0.0, 1e-12, 3.0],), ([0.5, 0.5, 3.5630025133974876],)),
    "i0e": (lw.special.i0e, ([0.0, inf],), ([0, 0],)),
    "i1e": (lw.special.i1e, ([0.0, inf],), ([0.5, 0],)),
    "expit": (lw.special.expit, ([-50.0, 0, 40, inf],), ([np.exp(-50), 0.25, np.exp(-40), 0],)),
    "logit": (lw.special.logit, ([0.0, 0.5, 1.0],), ([inf, 4, inf],)),
    "erf": (lw.special.erf, ([0.0, inf],), ([2 / np.sqrt(np.pi), 0],)),
    "erfinv": (lw.special.erfinv, ([0.0, 1.0],), ([np.sqrt(np.pi) / 2, inf],)),
    "ndtri": (lw.special.ndtri, ([0.5, 0.0],), ([np.sqrt(2 * np.pi), inf],)),
    "log_ndtr": (lw.special.log_ndtr, ([-1e8, -inf, 0, inf],), ([1e8, inf, np.sqrt(2 / np.pi), 0],)),
    "gamma": (lw.special.gamma, ([1.0, 0.0, -1.0],), ([-np.euler_gamma, -inf, nan],)),
    "digamma": (lw.special.digamma, ([1.0, -0.5],), ([np.pi**2 / 6, 8.934802200544679],)),
    "polygamma by x": (
        lambda x: lw.special.polygamma(1, x), ([1.0, 0.5],), ([-2.4041138063191886, -16.828796644234320],),
    ),
    "zeta": (
        lw.special.zeta, ([2.5, 1.01], [1.5, 0.5]),
        ([-0.46481234813947633, -9998.6368182264863], [-0.76774041114283522, -5.0020035402854299]),
    ),
    "gammainc": (
        lw.special.gammainc, ([1.0, 0.5, 2.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0, inf]),
        ([0, 0, 0, -0.21938393439552029, 0], [1, inf, 0, 0, 0]),
    ),
    "betainc": (
        lw.special.betainc, ([1.0, 0.5, 1.0, 0.0], [3.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]),
        ([0, 0, np.log(0.5) / 2, np.log(0.5)], [0, 0, np.log(2) / 2, 0], [3, inf, 1, 0]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", POINTS)
def test_slopes_at_edges_are_limits(name: str) -> None:
    f, points, expected = POINTS[name]
    for found, want in zip(slopes(f, *points), expected, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-11, atol=1e-15)


SMOOTH = [
    "beta", "betaln", "digamma", "entr", "erf", "erfc", "erfinv", "expit", "gamma", "gammainc", "gammaincc", "gammaln",
    "i0", "i0e", "i1", "i1e", "kl_div", "log_ndtr", "logit", "ndtr", "ndtri", "rel_entr", "xlog1py", "xlogy",
]  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_first_and_second_slopes_are_those_of_differences(name: str) -> None:
    f = getattr(lw.special, name)
    count = 2 if name in ("beta", "betaln", "gammainc", "gammaincc", "kl_div", "rel_entr", "xlog1py", "xlogy") else 1
    dice = np.random.default_rng(0)
    points = [dice.uniform(0.1, 0.9, 5) for _ in range(count)]
    h = 1e-6
    for i, slope in enumerate(slopes(f, *points)):
        up, down = ([p + s * h * (i == j) for j, p in enumerate(points)] for s in (1, -1))
        ends = [np.asarray(f(*map(f64, end))) for end in (up, down)]
        np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * h), rtol=1e-6, atol=1e-8)

        def first(*xs: lw.Array, i: int = i) -> Any:
            return lw.grad(lambda *xs: lw.sum(f(*xs)), argnums=i)(*xs)

        second = np.asarray(lw.grad(lambda *xs: lw.sum(first(*xs)), argnums=i)(*map(f64, points)))
        ends = [np.asarray(first(*map(f64, end))) for end in (up, down)]
        np.testing.assert_allclose(second, (ends[0] - ends[1]) / (2 * h), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["erf", "erfc", "expit", "gammaln", "i0e", "i1e", "log_ndtr", "digamma", "entr"])
def test_slopes_are_those_of_pytorch(name: str) -> None:
    torch = pytest.importorskip("torch")
    points = np.array([0.01, 0.5, 1.0, 3.0, 17.0, 200.0])
    x = torch.tensor(points, requires_grad=True)
    (want,) = torch.autograd.grad(getattr(torch.special, name)(x).sum(), x)
    np.testing.assert_allclose(slopes(getattr(lw.special, name), points)[0], want.numpy(), rtol=1e-9, atol=1e-15)


def test_bessel_functions_of_large_numbers_lose_no_digits() -> None:
    x = np.array([99.0, 101.0, 1e4, 1e8])
    near = np.asarray(lw.special.i0e(f64(x))) * (1 / (2 * x) + 1 / (8 * x**2) + 1 / (8 * x**3) + 25 / (128 * x**4))
    np.testing.assert_allclose(slopes(lw.special.i0e, x)[0], -near, rtol=1e-7)
    np.testing.assert_allclose(slopes(lw.special.i0e, -x)[0], near, rtol=1e-7)
    np.testing.assert_allclose(slopes(lw.special.i1e, x[2:])[0], -(x[2:] ** -1.5) / np.sqrt(8 * np.pi), rtol=1e-3)


# --- by parameters ----------------------------------------------------------------------------------------------------


def differences(f: Callable[..., Any], points: list[float], i: int) -> Any:
    """The derivative of a positive function by one argument: of its logarithm by a formula of the fourth order."""
    h = 1e-3 * points[i]
    at = [np.log(f(*[p + k * h * (i == j) for j, p in enumerate(points)])) for k in (-2, -1, 1, 2)]
    return f(*points) * (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)


@pytest.mark.parametrize("a", [0.05, 0.7, 3.0, 40.0, 400.0])
@pytest.mark.parametrize("ratio", [0.3, 0.9, 1.0, 1.1, 2.5])
def test_gammainc_by_its_parameter(a: float, ratio: float) -> None:
    special = pytest.importorskip("scipy.special")
    points = [a, a * ratio]
    upper = ratio > 1  # differences of the smaller part
    f, sign = (special.gammaincc, -1) if upper else (special.gammainc, 1)
    expected = sign * differences(f, points, 0)
    for g, s in ((lw.special.gammainc, 1), (lw.special.gammaincc, -1)):
        np.testing.assert_allclose(s * slopes(g, *points)[0], expected, rtol=1e-6)


@pytest.mark.parametrize("a", [0.05, 0.7, 3.0, 40.0])
@pytest.mark.parametrize("b", [0.1, 1.0, 25.0, 300.0])
@pytest.mark.parametrize("x", [0.02, 0.3, 0.9])
def test_betainc_by_its_parameters(a: float, b: float, x: float) -> None:
    special = pytest.importorskip("scipy.special")
    by_a, by_b, by_x = (float(s) for s in slopes(lw.special.betainc, a, b, x))
    upper = x > a / (a + b)

    def smaller(a: float, b: float) -> Any:
        return special.betainc(b, a, 1 - x) if upper else special.betainc(a, b, x)

    sign = -1 if upper else 1
    np.testing.assert_allclose(by_a, sign * differences(smaller, [a, b], 0), rtol=2e-6, atol=1e-290)
    np.testing.assert_allclose(by_b, sign * differences(smaller, [a, b], 1), rtol=2e-6, atol=1e-290)
    density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - special.betaln(a, b))
    np.testing.assert_allclose(by_x, density, rtol=1e-9)


def test_second_slopes_by_parameters() -> None:
    def first(a: lw.Array, b: lw.Array) -> Any:
        return lw.grad(lambda b: lw.special.betainc(a, b, f64(0.3)))(b)

    h = 1e-5
    found = float(lw.grad(first)(f64(1.5), f64(2.5)))
    np.testing.assert_allclose(
        found, (float(first(f64(1.5 + h), f64(2.5))) - float(first(f64(1.5 - h), f64(2.5)))) / (2 * h), rtol=1e-7
    )


@pytest.mark.parametrize("dtype", [lw.float16, lw.bfloat16, lw.float32])
@pytest.mark.parametrize("name", ["erf", "gamma", "log_ndtr", "i1e", "gammainc", "betainc", "zeta"])
def test_slopes_keep_the_dtype(name: str, dtype: lw.Dtype) -> None:
    values = {"gammainc": (1.5, 2.0), "betainc": (1.5, 2.5, 0.25), "zeta": (2.5, 1.5)}.get(name, (0.75,))
    argnums = tuple(range(len(values)))
    found = lw.grad(getattr(lw.special, name), argnums)(*[lw.asarray(v, dtype=dtype) for v in values])
    want = lw.grad(getattr(lw.special, name), argnums)(*map(f64, values))
    for x, y in zip(found, want, strict=True):
        assert x.dtype is dtype
        np.testing.assert_allclose(float(x), float(y), rtol=16 * float(lw.finfo(dtype).eps))


def test_the_number_of_a_derivative_has_none() -> None:
    with pytest.raises(lw.errors.BackendError, match=r"special.polygamma: n is the number .* lw.stop_gradient"):
        lw.grad(lw.special.polygamma)(f64(1.0), f64(2.0))
    by_x = lw.grad(lw.special.polygamma, argnums=1)(f64(1.0), f64(2.0))
    np.testing.assert_allclose(float(by_x), float(lw.special.polygamma(2, f64(2.0))))


# --- random numbers ---------------------------------------------------------------------------------------------------

SHAPES = np.array([1e-3, 0.05, 0.3, 1.0, 4.0, 30.0, 150.0, 1e4])
DRAWS: dict[str, Callable[[lw.Array], Any]] = {
    "gamma": lambda a: lw.random.gamma(lw.random.key(3), a[1:], (5, 7)),
    "loggamma": lambda a: lw.random.loggamma(lw.random.key(3), a[1:], (5, 7)),
    "beta": lambda a: lw.random.beta(lw.random.key(3), a[1:], 2 * a[1:], (5, 7)),
    "dirichlet": lambda a: lw.random.dirichlet(lw.random.key(3), a[2:], (5,)),
    "chisquare": lambda a: lw.random.chisquare(lw.random.key(3), a[1:], (5, 7)),
    "student_t": lambda a: lw.random.student_t(lw.random.key(3), a + 0.1, (5, 8)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_of_gamma_distributions_are_differentiated_as_jax_does(name: str) -> None:
    pytest.importorskip("jax")

    def f(a: lw.Array) -> Any:
        found = DRAWS[name](a)
        return lw.sum(found * lw.cos(lw.reshape(lw.arange(found.size, dtype=lw.float64), found.shape)))

    found = np.asarray(lw.grad(f)(f64(SHAPES)))
    with lw.using(backend="jax"):
        expected = np.asarray(lw.grad(f)(f64(SHAPES)))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)


def test_the_distribution_function_of_a_number_stays() -> None:
    key = lw.random.key(1)

    def probability(a: lw.Array) -> Any:
        return lw.special.gammainc(a, lw.random.gamma(key, a))

    for a in (0.1, 0.3, 2.0, 200.0):
        assert abs(float(lw.grad(probability)(f64(a)))) < 1e-13
        assert abs(float(lw.jvp(probability, (f64(a),), (f64(1.0),))[1])) < 1e-13
        assert abs(float(lw.grad(lw.grad(probability))(f64(a)))) < 1e-11


def test_the_logarithm_of_a_number_too_small() -> None:
    """It is ``(log(u) + gammaln(a + 1)) / a``."""
    key, a = lw.random.key(3), f64([0.001, 0.002, 0.003])
    x = lw.random.loggamma(key, a)
    found = lw.grad(lambda a: lw.sum(lw.random.loggamma(key, a)))(a)
    small = np.asarray(x) < -36
    assert small.any()
    np.testing.assert_allclose(
        np.asarray(found)[small], np.asarray((lw.special.digamma(a + 1) - x) / a)[small], rtol=1e-12
    )
    assert float(lw.grad(lambda a: lw.random.gamma(key, a))(f64(0.0))) == 0


@pytest.mark.parametrize("dtype", [lw.float16, lw.bfloat16, lw.float32])
def test_slopes_of_numbers_keep_the_dtype(dtype: lw.Dtype) -> None:
    found = lw.grad(lambda a: lw.sum(lw.random.gamma(lw.random.key(1), a)))(lw.asarray([0.5, 3.0], dtype=dtype))
    assert found.dtype is dtype and bool(lw.all(found > 0))


def test_counts_are_constants() -> None:
    draws: list[Callable[[lw.Array], Any]] = [
        lambda a: lw.random.poisson(lw.random.key(0), 9 * a, (5,)),
        lambda a: lw.random.binomial(lw.random.key(0), 10, a, (5,)),
    ]
    for draw in draws:
        assert float(lw.grad(lambda a, draw=draw: lw.sum(draw(a) * 1.0) + a)(f64(0.3))) == 1


def test_numbers_of_a_generator_by_rejection_are_refused() -> None:
    with pytest.raises(TypeError, match="lw.stop_gradient"):
        lw.grad(lambda a: lw.sum(lw.random.default_rng(0).gamma(a, size=(3,))))(f64(2.0))
