"""Special functions against SciPy's in double precision, and the compositions where no framework has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from cases import LINE, crossed, due
from support import check, dtypes, filled, frames, values, wide

import latticework as lw
from latticework.backend.deviations import Deviation, deviations
from latticework.core.registry import OPS

special: Any = lw.special

#: name -> where the arguments lie, the units in the last place, and the size that the error is relative to at least.
ONE: dict[str, tuple[float, float, float, float]] = {
    "erf": (-6, 6, 4, 0), "erfc": (-6, 6, 16, 0), "erfinv": (-0.875, 0.875, 32, 0), "ndtr": (-6, 6, 64, 0),
    "ndtri": (0.125, 0.875, 16, 1), "log_ndtr": (-20, 6, 64, 0), "gamma": (0.25, 12, 128, 0),
    "gammaln": (-7.5, 30, 32, 4), "digamma": (-5.5, 30, 32, 4), "expit": (-16, 16, 8, 0), "logit": (0.125, 0.875, 8, 1),
    "entr": (0, 9, 8, 1), "i0": (-9, 9, 16, 0), "i0e": (-40, 40, 16, 0), "i1": (-9, 9, 16, 0), "i1e": (-40, 40, 16, 0),
}  # fmt: skip
#: name -> where the two arguments lie, units and size.
TWO: dict[str, tuple[tuple[float, float], tuple[float, float], float, float]] = {
    "xlogy": ((0, 4), (0.125, 9), 8, 4), "xlog1py": ((0, 4), (-0.5, 9), 8, 4),
    "rel_entr": ((0.125, 4), (0.125, 4), 8, 4), "kl_div": ((0.125, 4), (0.125, 4), 8, 4),
    "zeta": ((1.25, 9), (0.25, 20), 16, 0), "polygamma": ((0, 4), (0.5, 20), 32, 4),
    "beta": ((0.25, 6), (0.25, 6), 64, 0), "betaln": ((0.25, 30), (0.25, 30), 32, 4),
    "gammainc": ((0.25, 12), (0.125, 16), 256, 0), "gammaincc": ((0.25, 12), (0.125, 16), 256, 0),
}  # fmt: skip
#: Arguments of one array with their results, the same in every dtype.
INF, NAN = np.inf, np.nan
POINTS: dict[str, tuple[list[float], list[float]]] = {
    "erf": ([0, INF, -INF, NAN], [0, 1, -1, NAN]), "erfc": ([0, INF, -INF, NAN], [1, 0, 2, NAN]),
    "erfinv": ([0, 1, -1, 2, NAN], [0, INF, -INF, NAN, NAN]), "ndtr": ([0, INF, -INF, NAN], [0.5, 1, 0, NAN]),
    "ndtri": ([0.5, 0, 1, -1, NAN], [0, -INF, INF, NAN, NAN]), "log_ndtr": ([INF, -INF, NAN], [0, -INF, NAN]),
    "gamma": ([1, 5, INF, -1, -2, NAN], [1, 24, INF, NAN, NAN, NAN]),
    "gammaln": ([0, INF, -1, NAN], [INF, INF, INF, NAN]),
    "digamma": ([INF, -1, NAN], [INF, NAN, NAN]), "expit": ([0, INF, -INF, NAN], [0.5, 1, 0, NAN]),
    "logit": ([0.5, 0, 1, 2, NAN], [0, -INF, INF, NAN, NAN]), "entr": ([0, 1, -1, INF, NAN], [0, 0, -INF, -INF, NAN]),
    "i0": ([0, INF, NAN], [1, NAN, NAN]),
    "i0e": ([0, NAN], [1, NAN]), "i1": ([0, -INF, NAN], [0, NAN, NAN]), "i1e": ([0, NAN], [0, NAN]),
}  # fmt: skip


def reference(name: str) -> Callable[..., Any]:
    return getattr(scipy.special, name)


@pytest.mark.parametrize("name", ONE)
def test_of_one_number(backend: str, name: str) -> None:
    low, high, ulps, scale = ONE[name]
    f = getattr(special, name)
    points, results = POINTS[name]
    for shape, dtype in crossed([LINE, (3, 4), (0,), ()], dtypes("real floating"), f"special.{name}"):
        x = values(dtype, shape, low=low, high=high)
        x = np.where((wide(x) <= 0) & (wide(x) == np.floor(wide(x))), 0.5, x).astype(x.dtype)
        x = filled(x, np.array(points).astype(x.dtype))
        expected = reference(name)(wide(x))
        if shape == LINE:
            expected[: len(points)] = results
        check(f(lw.asarray(x)), expected, dtype, ulps=ulps, scale=scale)
    check(f(lw.asarray([1], dtype=lw.int8)), reference(name)(np.array([1.0])), lw.float32, ulps=ulps, scale=4)
    with pytest.raises(TypeError, match=rf"special\.{name}: takes real floating dtypes"):
        f(lw.asarray([1j]))


@pytest.mark.parametrize("name", TWO)
def test_of_two_numbers(backend: str, name: str) -> None:
    first, second, ulps, scale = TWO[name]
    f = getattr(special, name)
    pairs = [(LINE, LINE), ((3, 1), (1, 4)), ((0,), (1,)), ((), (2,))]
    for (s1, s2), dtype in crossed(pairs, dtypes("real floating"), f"special.{name}"):
        x1 = values(dtype, s1, low=first[0], high=first[1])
        x1 = np.floor(x1) if name == "polygamma" else x1
        x2 = values(dtype, s2, low=second[0], high=second[1], seed=1)
        expected = reference(name)(wide(x1), wide(x2))
        check(f(lw.asarray(x1), lw.asarray(x2)), expected, dtype, ulps=ulps, scale=scale)
    x = lw.asarray([0.5, 2.0], dtype=lw.float32)
    check(f(2, x), reference(name)(2, np.array([0.5, 2.0])), lw.float32, ulps=ulps, scale=4)


def test_zeta_and_polygamma_below_0(backend: str) -> None:
    x = np.array([-0.25, -3.3, -9.375, -10.001, -19.75, -87.25, -1e3 - 0.125])
    for n in (1.0, 2.0, 5.0):
        with np.errstate(all="ignore"):
            zeta, polygamma = scipy.special.zeta(n + 1, x), scipy.special.polygamma(int(n), x)
        given = lw.asarray(x, dtype=lw.float64)
        for found, expected in ((special.zeta(n + 1, given), zeta), (special.polygamma(n, given), polygamma)):
            np.testing.assert_allclose(lw.to_numpy(found), expected, rtol=2e-13)


def test_edges_of_two_numbers(backend: str) -> None:
    zero, one = lw.asarray([0.0, 0.0]), lw.asarray([0.0, 1.0])
    check(special.xlogy(zero, one), [0, 0], lw.float32)
    check(special.xlog1py(zero, -one), [0, 0], lw.float32)
    check(special.rel_entr(lw.asarray([0.0, 1.0, -1.0]), lw.asarray([0.0, 0.0, 1.0])), [0, INF, INF], lw.float32)
    check(special.kl_div(lw.asarray([0.0, 1.0, -1.0]), lw.asarray([2.0, 0.0, 1.0])), [2, INF, INF], lw.float32)
    check(special.zeta(lw.asarray([1.0, 0.5, 2.0]), lw.asarray([2.0, 2.0, -1.0])), [INF, NAN, INF], lw.float32)
    check(special.gammainc(lw.asarray([2.0, 2.0]), lw.asarray([0.0, INF])), [0, 1], lw.float32)
    check(special.gammaincc(lw.asarray([2.0, 2.0]), lw.asarray([0.0, INF])), [1, 0], lw.float32)


@pytest.mark.parametrize("name", ["rel_entr", "kl_div"])
def test_entropies_of_infinities_and_nan(backend: str, name: str) -> None:
    ends = np.array([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.5, -2.5])
    x1, x2 = np.repeat(ends, ends.size), np.tile(ends, ends.size)
    expected = getattr(scipy.special, name)(x1, x2)
    for dtype in due(dtypes("real floating"), f"special.{name}"):
        result = getattr(special, name)(lw.asarray(x1, dtype=dtype), lw.asarray(x2, dtype=dtype))
        check(result, expected, dtype, scale=4)


def test_incomplete_beta(backend: str) -> None:
    for dtype in due(dtypes("real floating"), "special.betainc"):
        a, b = (values(dtype, LINE, low=0.25, high=12, seed=seed) for seed in (0, 1))
        x = values(dtype, LINE, low=0, high=1)
        expected = scipy.special.betainc(*map(wide, (a, b, x)))
        # JAX's continued fraction is wrong by 700 units in the last place in float64.
        check(special.betainc(*map(lw.asarray, (a, b, x))), expected, dtype, ulps=1024)
    x = lw.asarray([[0.25], [0.75]])
    expected = scipy.special.betainc(2, np.array([1.0, 3.0]), np.array([[0.25], [0.75]]))
    check(special.betainc(2, lw.asarray([1.0, 3.0]), x), expected, lw.float32, ulps=512)


@pytest.mark.parametrize("deviation", [d for d in deviations() if d.function.startswith("special.")], ids=str)
def test_deviations_are_still_there(deviation: Deviation) -> None:
    pytest.importorskip(deviation.backend)
    f = getattr(special, deviation.function.removeprefix("special."))
    kinds = dtypes(deviation.dtypes) if deviation.dtypes == "real floating" else [lw.Dtype(deviation.dtypes)]
    standard, gives, case = (
        eval(v, {"inf": INF, "nan": NAN}) for v in (deviation.standard, deviation.gives, f"[{deviation.case}]")
    )
    with np.errstate(all="ignore"), lw.using(backend=deviation.backend):
        np.testing.assert_allclose(reference(deviation.function[8:])(*[x[0] for x in case]), standard, rtol=1e-2)
        for dtype in kinds:
            result = float(f(*[lw.asarray(x, dtype=dtype) for x in case])[0])
            np.testing.assert_allclose(result, gives, rtol=5e-4)
            assert not np.isclose(result, standard, rtol=1e-3, equal_nan=True)


def test_names_in_the_main_namespace() -> None:
    assert lw.erf is special.erf
    assert lw.i0 is special.i0
    assert special.logsumexp is lw.logsumexp


# --- without SciPy and without a framework's own ------------------------------------------------------------------


@pytest.fixture
def without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy's backend as it is where SciPy is not installed."""
    from latticework.backends.numpy import special as module

    for name in module._NAMES:
        monkeypatch.delitem(vars(module), name, raising=False)
    monkeypatch.setattr(module, "has_scipy", lambda: False)


#: Values over the range, by name: the units in the last place that the docstrings state.
RANGES: dict[str, tuple[list[tuple[float, float]], float, float]] = {
    "erf": ([(-5, 5)], 4, 0), "erfc": ([(-5, 5)], 16, 0), "erfinv": ([(-1, 1)], 16, 0), "ndtri": ([(0, 1)], 16, 0),
    "ndtr": ([(-5, 5)], 64, 0), "log_ndtr": ([(-30, 5)], 64, 0), "gamma": ([(-9.9, 30)], 16, 0),
    "gammaln": ([(-9.9, 200)], 8, 1), "digamma": ([(0.01, 200)], 8, 1), "i0": ([(-40, 40)], 8, 0),
    "i0e": ([(-400, 400)], 8, 0), "i1": ([(-40, 40)], 16, 0), "i1e": ([(-400, 400)], 16, 0),
    "expit": ([(-40, 40)], 4, 0), "logit": ([(0, 1)], 4, 0), "entr": ([(0, 9)], 4, 0),
    "xlogy": ([(0, 9), (0, 9)], 4, 0),
    "xlog1py": ([(0, 9), (-1, 9)], 4, 0), "rel_entr": ([(0, 9), (0, 9)], 4, 0), "kl_div": ([(0, 9), (0, 9)], 4, 40),
    "zeta": ([(1.01, 20), (0.01, 50)], 32, 0), "beta": ([(0.01, 30), (0.01, 30)], 256, 0),
    "betaln": ([(0.01, 200), (0.01, 200)], 16, 200), "gammainc": ([(0.01, 100), (0.01, 100)], 32, 1),
    "gammaincc": ([(0.01, 100), (0.01, 100)], 32, 1), "betainc": ([(0.01, 200), (0.01, 200), (0, 1)], 128, 1),
}  # fmt: skip


@pytest.mark.usefixtures("without_scipy")
@pytest.mark.parametrize("name", RANGES)
def test_the_compositions_are_as_accurate_as_stated(name: str) -> None:
    ranges, ulps, scale = RANGES[name]
    body = OPS[f"special.{name}"].body
    assert body is not None
    rng = np.random.default_rng(7)
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        for dtype in dtypes("real floating"):
            operands = [np.asarray(lw.asarray(rng.uniform(*r, 2000), dtype=dtype)) for r in ranges]
            expected = reference(name)(*map(wide, operands))
            check(body(*map(lw.asarray, operands)), expected, dtype, ulps=ulps, scale=scale)
        points, results = POINTS.get(name, ([], []))
        for dtype in dtypes("real floating"):
            check(body(lw.asarray(points, dtype=dtype)), results, dtype) if points else None


def test_stated_accuracies_are_those_tested() -> None:
    stated = {}
    for name, (_, ulps, _) in RANGES.items():
        said = re.findall(r"(\d+)\s+units\s+in\s+the\s+last\s+place", str(getattr(special, name).__doc__))
        assert {*said} <= {str(ulps)}, name
        stated.update({name: ulps} if said else {})
    assert {*stated} >= {
        "erf",
        "erfc",
        "erfinv",
        "ndtri",
        "gamma",
        "gammaln",
        "digamma",
        "i0",
        "zeta",
        "gammainc",
        "betainc",
    }


@pytest.mark.usefixtures("without_scipy")
def test_numpy_needs_no_scipy() -> None:
    from latticework.backend import get

    assert get("numpy").function("special.erf") is None
    with lw.using(backend="numpy", rules="precise"):
        assert "composed" in str(lw.plan(lw.special.gamma, lw.asarray([2.0], dtype=lw.float64)))


def test_incomplete_functions_of_large_parameters() -> None:
    rng = np.random.default_rng(1)
    a, b = np.exp(rng.uniform(4, 11, (2, 500)))
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        for name, operands in (("gammainc", (a, rng.gamma(a))), ("betainc", (a, b, rng.beta(a, b)))):
            body: Any = OPS[f"special.{name}"].body
            result = np.asarray(body(*map(lw.asarray, operands)))
            np.testing.assert_allclose(result, reference(name)(*operands), rtol=1e-10)


def test_calls_go_straight_to_the_framework() -> None:
    torch = pytest.importorskip("torch")
    x = lw.asarray(torch.ones(3))
    assert len(frames(lambda: special.erf(x))) == 1
    assert "native" in str(lw.plan(special.erf, x))


# --- gradients and tracing ----------------------------------------------------------------------------------------

SMOOTH = "erf erfc erfinv ndtr ndtri log_ndtr gamma gammaln digamma expit logit entr i0e i1e".split()


def test_gradients_agree_with_differences() -> None:
    torch = pytest.importorskip("torch")
    point, step = 0.375, 1e-6
    for name in SMOOTH:
        x = torch.tensor(point, dtype=torch.float64, requires_grad=True)
        getattr(special, name)(lw.asarray(x)).data.backward()
        difference = (reference(name)(point + step) - reference(name)(point - step)) / (2 * step)
        np.testing.assert_allclose(x.grad, difference, rtol=1e-6, err_msg=name)


def test_gradients_of_products_that_are_zero() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.0, 0.5], requires_grad=True)
    special.rel_entr(lw.asarray(x), lw.asarray(torch.tensor([1.0, 0.25]))).data.sum().backward()
    assert torch.isfinite(x.grad).all()


def test_compositions_trace() -> None:
    jax = pytest.importorskip("jax")
    for name in ("log_ndtr", "beta", "ndtr"):
        f = getattr(special, name)
        operands = [jax.numpy.asarray([0.5, 2.0], "float32")] * (2 if name == "beta" else 1)
        result = jax.jit(lambda *xs, f=f: f(*map(lw.asarray, xs)).data)(*operands)
        np.testing.assert_allclose(result, reference(name)(*[[0.5, 2.0]] * len(operands)), rtol=1e-5)


def test_softmax_is_over_all_axes(backend: str) -> None:
    x = values(lw.float32, (3, 4))
    check(lw.special.softmax(lw.asarray(x)), scipy.special.softmax(x.astype(float)), lw.float32, ulps=16)
    check(
        lw.special.softmax(lw.asarray(x), axis=0), scipy.special.softmax(x.astype(float), axis=0), lw.float32, ulps=16
    )


def test_the_default_float_does_not_widen(backend: str) -> None:
    with lw.using(default_float="float64"):
        x = lw.asarray([0.25, 0.5], dtype="float32")
        for got in (lw.special.betainc(x, x, x), lw.special.beta(x, x), lw.special.polygamma(1, x)):
            assert got.dtype is lw.float32


def test_functions_keep_float32_where_the_default_is_float64(backend: str) -> None:
    """Compositions of numbers alone are of the default float: `erfinv` was labelled float32 and held float64."""
    names = [name.removeprefix("special.") for name in OPS if name.startswith("special.")]
    x = lw.asarray([0.25, 0.5, -2.0], dtype=lw.float32)
    for name in names:
        o = OPS[f"special.{name}"]
        if o.accepts != "real floating" or o.sequence or len(o.operands) > 3:
            continue
        operands = [x] * len(o.operands)
        with lw.using(default_float="float64"):
            try:
                found = getattr(lw.special, name)(*operands)
            except TypeError:  # it has other arguments
                continue
            for r in found if isinstance(found, tuple) else (found,):
                assert r.dtype is lw.float32, name
                assert lw.asarray(r.data).dtype is lw.float32, name


def test_beta_at_the_poles_of_gamma(backend: str) -> None:
    """Of two integers, of which one is not positive, there may be a limit, which SciPy takes."""
    numbers = np.array([-5.5, -3, -2.5, -2, -1, -0.5, 0, 0.5, 1, 2, 2.5, 3, 6, 50, -50], np.float32)
    a, b = np.meshgrid(numbers, numbers)
    with np.errstate(all="ignore"):
        expected = scipy.special.beta(a.astype(np.float64), b)
    np.testing.assert_allclose(lw.special.beta(lw.asarray(a), lw.asarray(b)), expected, rtol=2e-5, atol=1e-37)
    if backend not in ("numpy", "dask"):  # where SciPy gives infinities
        assert np.isnan(np.asarray(lw.special.beta(lw.asarray([-2.0, 1.0, np.nan]), np.nan))).all()
    check(lw.special.beta(lw.asarray([0.5, 3.0]), lw.asarray([np.inf, np.inf])), [0, 0], lw.float32)
