"""Random numbers of a key: the same on every backend and jax.random's, and distributed as they are said to be."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from support import NUMPY, check, computed

import latticework as lw
from latticework import random
from latticework.backend.facts import all_facts

jax = pytest.importorskip("jax")

SEED = 7
N = (1000,)


@cache
def theirs() -> dict[str, np.ndarray]:
    """What jax.random gives for the key of SEED, computed once for all backends. Its 64-bit switch is on and off by
    turns: with it, its default dtypes are others."""
    import jax.numpy as jnp

    found: dict[str, Any] = {}
    f, i = jnp.float32, jnp.int32
    draw, key = jax.random, jax.random.key(SEED)
    with jax.enable_x64(True):
        for seed in (0, 1, -1, 2**32 - 1, 2**40 + 3, -(2**63)):
            found[f"key {seed}"] = draw.key_data(draw.key(seed))
        for width in (8, 16, 32, 64):
            found[f"bits {width}"] = draw.bits(key, (5, 3), f"uint{width}")
        for dtype in ("float16", "bfloat16", "float32", "float64"):
            found[f"uniform {dtype}"] = draw.uniform(key, N, dtype)
            found[f"normal {dtype}"] = draw.normal(key, N, dtype)
        found["split"] = draw.key_data(draw.split(key, (2, 3)))
        found["fold_in"] = draw.key_data(draw.fold_in(key, 2**31 + 5))
        found["randint int64"] = draw.randint(key, N, -7, 10**15, jnp.int64)
    with jax.enable_x64(False):
        found["uniform -1.5 3"] = draw.uniform(key, N, f, -1.5, 3)
        found["randint int32"] = draw.randint(key, N, -(2**31), 2**31 - 1, i)
        found["randint int8"] = draw.randint(key, N, -128, 128, jnp.int8)
        low, high = np.array([0, -(2**31), 5, 9], "int32"), np.array([10, 2**31 - 1, 5, 2], "int32")
        found["randint arrays"] = draw.randint(key, (250, 4), low, high)
        found["permutation"] = draw.permutation(key, 2000)
        x = np.arange(24, dtype="float32").reshape(4, 6)
        found["permutation 1"] = draw.permutation(key, x, 1)
        found["permutation independent"] = draw.permutation(key, x, 1, independent=True)
        p = np.array([0.1, 0.2, 0.3, 0, 0.4, 0], "float32")
        for replace in (True, False):
            found[f"choice {replace}"] = draw.choice(key, x, (2, 2), replace, axis=1)
            found[f"choice p {replace}"] = draw.choice(key, 6, (3,), replace, p)
        logits = np.log(np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], "float32"))
        found["categorical"] = draw.categorical(key, logits, shape=(50, 2))
        found["categorical 0"] = draw.categorical(key, logits, 0)
        found["categorical without"] = draw.categorical(key, logits, shape=(2, 2), replace=False)
        found["bernoulli"] = draw.bernoulli(key, f(0.3), N)
        found["rademacher"] = draw.rademacher(key, N, i)
        for name in ("exponential", "laplace", "cauchy", "gumbel", "logistic"):
            found[name] = getattr(draw, name)(key, N, f)
        found["truncated_normal"] = draw.truncated_normal(key, -0.5, np.inf, N, f)
        for a in (0.01, 0.7, 30.0):
            found[f"gamma {a}"] = draw.gamma(key, a, N, f)
            found[f"loggamma {a}"] = draw.loggamma(key, a, N, f)
        found["beta"] = draw.beta(key, 0.5, 2.0, N, f)
        found["dirichlet"] = draw.dirichlet(key, np.array([0.1, 1.0, 5.0], "float32"), (100,), f)
        found["student_t"] = draw.t(key, 3.0, N, f)
        found["chisquare"] = draw.chisquare(key, 3.0, shape=N, dtype=f)
        mean, cov = np.array([1, 2], "float32"), np.array([[2, 0.5], [0.5, 1]], "float32")
        found["multivariate_normal"] = draw.multivariate_normal(key, mean, cov, (100,), f)
        found["poisson"] = draw.poisson(key, 4.0, N, i)
        found["binomial"] = draw.binomial(key, f(20), f(0.8), N, f)
        found["geometric"] = draw.geometric(key, f(0.25), N, i)
    return {name: np.asarray(value) for name, value in found.items()}


def ours() -> dict[str, lw.Array]:
    """The same draws by latticework."""
    key, A = random.key(SEED), lw.asarray
    x = A(np.arange(24, dtype="float32").reshape(4, 6))
    p = A(np.array([0.1, 0.2, 0.3, 0, 0.4, 0], "float32"))
    logits = A(np.log(np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], "float32")))
    low, high = A(np.array([0, -(2**31), 5, 9], "int32")), A(np.array([10, 2**31 - 1, 5, 2], "int32"))
    found = {f"key {s}": random.key(s) for s in (0, 1, -1, 2**32 - 1, 2**40 + 3, -(2**63))}
    for width in (8, 16, 32, 64):
        found[f"bits {width}"] = random.bits(key, (5, 3), f"uint{width}")
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        found[f"uniform {dtype}"] = random.uniform(key, N, dtype)
        found[f"normal {dtype}"] = random.normal(key, N, dtype)
    for replace in (True, False):
        found[f"choice {replace}"] = random.choice(key, x, (2, 2), replace, axis=1)
        found[f"choice p {replace}"] = random.choice(key, 6, (3,), replace, p)
    for name in ("exponential", "laplace", "cauchy", "gumbel", "logistic"):
        found[name] = getattr(random, name)(key, N)
    for a in (0.01, 0.7, 30.0):
        found[f"gamma {a}"] = random.gamma(key, a, N)
        found[f"loggamma {a}"] = random.loggamma(key, a, N)
    return found | {
        "split": random.split(key, (2, 3)),
        "fold_in": random.fold_in(key, 2**31 + 5),
        "randint int64": random.randint(key, N, -7, 10**15, "int64"),
        "uniform -1.5 3": random.uniform(key, N, low=-1.5, high=3),
        "randint int32": random.randint(key, N, -(2**31), 2**31 - 1),
        "randint int8": random.randint(key, N, -128, 128, "int8"),
        "randint arrays": random.randint(key, (250, 4), low, high),
        "permutation": random.permutation(key, 2000),
        "permutation 1": random.permutation(key, x, 1),
        "permutation independent": random.permutation(key, x, axis=1, independent=True),
        "categorical": random.categorical(key, logits, shape=(50, 2)),
        "categorical 0": random.categorical(key, logits, 0),
        "categorical without": random.categorical(key, logits, shape=(2, 2), replace=False),
        "bernoulli": random.bernoulli(key, 0.3, N),
        "rademacher": random.rademacher(key, N),
        "truncated_normal": random.truncated_normal(key, N, lower=-0.5, upper=math.inf),
        "beta": random.beta(key, 0.5, 2.0, N),
        "dirichlet": random.dirichlet(key, A([0.1, 1.0, 5.0]), (100,)),
        "student_t": random.student_t(key, 3.0, N),
        "chisquare": random.chisquare(key, 3.0, N),
        "multivariate_normal": random.multivariate_normal(key, A([1.0, 2.0]), A([[2, 0.5], [0.5, 1]]), (100,)),
        "poisson": random.poisson(key, 4.0, N),
        "binomial": random.binomial(key, 20, 0.8, N, "float32"),
        "geometric": random.geometric(key, 0.25, N),
    }


def test_draws_are_those_of_jax_random() -> None:
    """Bits and integers are the same; numbers of them to rounding, of the size that a logarithm of 1 - u rounds to."""
    with lw.using(backend="numpy"), np.errstate(divide="ignore"):
        compare(ours(), theirs())


def test_draws_of_many_kinds(backend: str) -> None:
    """Every backend draws what NumPy's does."""
    with lw.using(backend="numpy"):
        expected = {name: np.asarray(x) for name, x in ours().items()}
    compare(ours(), expected)


def compare(found: dict[str, lw.Array], expected: dict[str, np.ndarray]) -> None:
    """Compare draws of `ours` with those of `theirs`."""
    assert found.keys() == expected.keys()
    for name, x in found.items():
        want = expected[name]
        dtype = lw.int64 if name.startswith("categorical") else x.dtype
        if "choice p" in name:
            want = want.astype("int32")
        exact = x.dtype.kind != "f" or name in ("uniform float16", "uniform bfloat16", "uniform float32")
        check(x, want, dtype, ulps=0 if exact else 64, scale=None if exact else 1)


def test_typed_and_raw_keys_of_jax_are_keys() -> None:
    with lw.using(backend="jax"):
        expected = np.asarray(random.normal(random.key(3), (4,)))
    for key in (jax.random.key(3), jax.random.PRNGKey(3)):
        np.testing.assert_array_equal(np.asarray(random.normal(key, (4,))), expected)
    with pytest.raises(TypeError, match="must be of Threefry"):
        random.normal(jax.random.key(3, impl="rbg"), (4,))


# --- by position: chunks, transformations -------------------------------------------------------------------------


PARAMS = np.random.default_rng(3).random((6, 5)).astype("float32")

#: Draws of a key and an array of parameters, which every transformation has to give unchanged.
OF_KEY: dict[str, Callable[[Any, Any], Any]] = {
    "bits": lambda key, p: random.bits(key, (6, 5)),
    "normal": lambda key, p: random.normal(key, (6, 5), loc=p),
    "randint": lambda key, p: random.randint(key, (6, 5), 0, 1000),
    "gamma": lambda key, p: random.gamma(key, a=p),
    "poisson": lambda key, p: random.poisson(key, p * 40),
    "binomial": lambda key, p: random.binomial(key, 50, p),
    "truncated_normal": lambda key, p: random.truncated_normal(key, upper=p),
    "permutation": lambda key, p: random.permutation(key, x=p),
    "split": lambda key, p: random.split(random.fold_in(key, 3), 4),
}


@cache
def eager(name: str, seed: int = 0) -> np.ndarray:
    """A draw of NumPy's backend from one of three keys."""
    with lw.using(backend="numpy"):
        return np.asarray(OF_KEY[name](random.split(random.key(1), 3)[seed], lw.asarray(PARAMS)))


def same(name: str, x: lw.Array, seed: int = 0) -> None:
    check(x, eager(name, seed), x.dtype, ulps=0 if x.dtype.kind in "iu" else 64, scale=1)


@pytest.mark.parametrize("name", OF_KEY)
def test_every_backend_draws_the_same(backend: str, name: str) -> None:
    key = random.split(random.key(1), 3)[0]
    same(name, OF_KEY[name](key, lw.asarray(PARAMS)))


@pytest.mark.parametrize("name", OF_KEY)
def test_inside_transformations(name: str) -> None:
    """What is traced or mapped over keys draws what it draws without: each framework that is installed, by its own."""
    f = OF_KEY[name]
    torch = pytest.importorskip("torch")
    with lw.using(backend="torch"):
        keys = random.split(random.key(1), 3)
        mapped = torch.func.vmap(lambda key: f(key, lw.asarray(PARAMS)))(keys)
        for i in range(3):
            same(name, mapped[i], i)
    with lw.using(backend="jax"):
        keys = random.split(random.key(1), 3)
        compiled = jax.jit(jax.vmap(lambda key: f(key, lw.asarray(PARAMS))))(keys)
        for i in range(3):
            same(name, compiled[i], i)


@pytest.mark.parametrize("name", OF_KEY)
def test_inside_tf_function(name: str) -> None:
    tf = pytest.importorskip("tensorflow")
    f = OF_KEY[name]
    with lw.using(backend="tensorflow"):
        keys = random.split(random.key(1), 3)
        traced = tf.function(lambda key: f(key, lw.asarray(PARAMS)), autograph=False)
        same(name, traced(keys[0]))
        same(name, traced(keys[2]), 2)


def test_chunks_change_no_number() -> None:
    da = pytest.importorskip("dask.array")
    import dask

    with lw.using(backend="dask"), dask.config.set({"array.chunk-size": "64 B"}):
        key = random.split(random.key(1), 3)[0]
        for name, f in OF_KEY.items():
            x = f(key, lw.asarray(da.from_array(PARAMS, chunks=(4, 2))))
            assert name in ("permutation", "split") or x.data.npartitions > 1
            same(name, x)


# --- distributions -------------------------------------------------------------------------------------------------

MANY = (4000,)
#: name -> the draw, and the distribution in SciPy.
DRAWN: dict[str, tuple[Callable[[lw.Array], lw.Array], str, tuple[float, ...]]] = {
    "uniform": (lambda k: random.uniform(k, MANY, low=-2, high=3), "uniform", (-2, 5)),
    "normal": (lambda k: random.normal(k, MANY, loc=1, scale=3), "norm", (1, 3)),
    "exponential": (lambda k: random.exponential(k, MANY, scale=2), "expon", (0, 2)),
    "laplace": (lambda k: random.laplace(k, MANY, loc=1, scale=2), "laplace", (1, 2)),
    "cauchy": (lambda k: random.cauchy(k, MANY, loc=1, scale=2), "cauchy", (1, 2)),
    "gumbel": (lambda k: random.gumbel(k, MANY, loc=1, scale=2), "gumbel_r", (1, 2)),
    "logistic": (lambda k: random.logistic(k, MANY, loc=1, scale=2), "logistic", (1, 2)),
    "truncated_normal": (lambda k: random.truncated_normal(k, MANY, lower=-1, upper=0.5), "truncnorm", (-1, 0.5)),
    "gamma 0.3": (lambda k: random.gamma(k, 0.3, MANY, scale=2), "gamma", (0.3, 0, 2)),
    "gamma 5": (lambda k: random.gamma(k, 5, MANY), "gamma", (5,)),
    "beta": (lambda k: random.beta(k, 0.5, 2.0, MANY), "beta", (0.5, 2.0)),
    "chisquare": (lambda k: random.chisquare(k, 3, MANY), "chi2", (3,)),
    "student_t": (lambda k: random.student_t(k, 4, MANY), "t", (4,)),
    "dirichlet": (lambda k: random.dirichlet(k, lw.asarray([1.0, 2.0]), MANY)[:, 0], "beta", (1, 2)),
    "poisson 3": (lambda k: random.poisson(k, 3, MANY), "poisson", (3,)),
    "poisson 40": (lambda k: random.poisson(k, 40, MANY), "poisson", (40,)),
    "binomial 10": (lambda k: random.binomial(k, 10, 0.7, MANY), "binom", (10, 0.7)),
    "binomial 100": (lambda k: random.binomial(k, 100, 0.4, MANY), "binom", (100, 0.4)),
    "geometric": (lambda k: random.geometric(k, 0.2, MANY), "geom", (0.2,)),
    "bernoulli": (lambda k: lw.astype(random.bernoulli(k, 0.3, MANY), "int8"), "bernoulli", (0.3,)),
    "randint": (lambda k: random.randint(k, MANY, -3, 4), "randint", (-3, 4)),
}


@pytest.mark.parametrize("name", DRAWN)
def test_distributions(name: str) -> None:
    """Continuous ones by Kolmogorov and Smirnov's test, discrete ones by chi-square, and the mean of both. The other
    backends draw the same numbers, which other tests say."""
    stats = pytest.importorskip("scipy.stats")
    draw, what, params = DRAWN[name]
    with lw.using(backend="numpy"):
        x = np.asarray(draw(random.key(2026)))
    dist = getattr(stats, what)(*params)
    if x.dtype.kind == "f":
        assert stats.kstest(x, dist.cdf).pvalue > 1e-3
    else:
        values, counts = np.unique(x, return_counts=True)
        likely = dist.pmf(values) * x.size > 5
        expected = dist.pmf(values[likely]) * x.size
        rest = x.size - expected.sum()
        observed = [*counts[likely], x.size - counts[likely].sum()]
        if rest > 1:
            assert stats.chisquare(observed, [*expected, rest]).pvalue > 1e-3
        else:
            assert stats.chisquare(observed[:-1], expected * (sum(observed[:-1]) / expected.sum())).pvalue > 1e-3
    if math.isfinite(dist.mean()) and what != "cauchy":
        assert abs(x.mean() - dist.mean()) < 5 * dist.std() / math.sqrt(x.size)


def test_edges(backend: str) -> None:
    """Parameters at the ends of what they may be, and shapes of nothing."""
    key = random.key(0)
    cases: list[tuple[lw.Array, Any, lw.Dtype]] = [
        (random.bernoulli(key, 0, (3,)), [False] * 3, lw.bool),
        (random.bernoulli(key, 1, (3,)), [True] * 3, lw.bool),
        (random.normal(key, (3,), loc=2, scale=0), [2, 2, 2], lw.float32),
        (random.exponential(key, (2,), scale=0), [0, 0], lw.float32),
        (random.uniform(key, (2,), low=1, high=1), [1, 1], lw.float32),
        (random.binomial(key, 0, 0.5, (2,)), [0, 0], lw.int32),
        (random.binomial(key, 5, 0, (2,)), [0, 0], lw.int32),
        (random.binomial(key, 5, 1.0, (2,)), [5, 5], lw.int32),
        (random.binomial(key, lw.asarray([-1.0, math.nan, 3]), 0.0, dtype="float32"), [math.nan] * 2 + [0], lw.float32),
        (random.poisson(key, 0, (2,)), [0, 0], lw.int32),
        (random.poisson(key, lw.asarray([0.0, -1.0, math.nan]), dtype="int8"), [0, -1, -1], lw.int8),
        (random.geometric(key, 1, (2,)), [1, 1], lw.int32),
        (random.gamma(key, 0, (2,)), [0, 0], lw.float32),
        (random.loggamma(key, 0, (2,)), [-math.inf] * 2, lw.float32),
        (random.randint(key, (2,), 4, 5), [4, 4], lw.int32),
        (random.permutation(key, 0), [], lw.int32),
        (random.permutation(key, 1), [0], lw.int32),
        (random.choice(key, 0, (0,)), [], lw.int32),
        (random.choice(key, 3, (2,), p=lw.asarray([0.0, 1.0, 0.0])), [1, 1], lw.int32),
        *[
            (getattr(random, name)(key, (2,), loc=3, scale=0), [3, 3], lw.float32)
            for name in ("laplace", "cauchy", "gumbel", "logistic")
        ],
        (random.geometric(key, lw.asarray([1.0, 1.0])), [1, 1], lw.int32),
        (random.categorical(key, lw.asarray([-math.inf, 0.0, -math.inf]), shape=(2,)), [1, 1], lw.int64),
        (random.dirichlet(key, lw.asarray([1.0])), [1], lw.float32),
        (random.multivariate_normal(key, lw.asarray([2.0, 3.0]), lw.zeros((2, 2)), method="svd"), [2, 3], lw.float32),
        (random.permutation(key, lw.zeros((0, 2))), np.zeros((0, 2)), lw.float32),
        (random.chisquare(key, lw.asarray([math.inf])), [math.inf], lw.float32),
    ]
    empty = [getattr(random, name)(key, (0, 3)) for name in ("uniform", "normal", "gumbel", "bits")]
    cases += [(x, np.zeros((0, 3)), x.dtype) for x in empty]
    cases.append((random.gamma(key, lw.zeros((0, 2))), np.zeros((0, 2)), lw.float32))
    for x, want, dtype in cases:
        check(x, np.array(want, NUMPY[dtype]), dtype)
    assert random.normal(key).shape == random.poisson(key, 3).shape == random.choice(key, 4).shape == ()
    full = random.randint(key, (8,), 0, 256, "uint8"), random.randint(key, (8,), -(2**31), 2**31)
    assert [x.dtype for x in full] == [lw.uint8, lw.int32]
    bound = random.truncated_normal(key, (500,), lower=-0.01, upper=0.01, dtype="float16")
    computed(bound, lambda v: np.testing.assert_array_less(np.abs(v.astype(float)), 0.01001))


def test_dtypes_and_shapes_follow_parameters(backend: str) -> None:
    key, wide = random.key(0), lw.asarray([1.0, 2.0], dtype="float64")
    assert random.normal(key, loc=wide).dtype is lw.float64 and random.normal(key, loc=wide).shape == (2,)
    assert random.gamma(key, lw.asarray([1, 2])).dtype is lw.float32
    assert random.uniform(key, (3, 2), low=0, high=wide, dtype="float16").dtype is lw.float16
    assert random.beta(key, lw.ones((3, 1)), lw.ones(2)).shape == (3, 2)
    assert random.dirichlet(key, lw.ones((4, 3)), (5, 4)).shape == (5, 4, 3)
    assert random.normal(key, (2,), "complex64").dtype is lw.complex64
    with lw.using(default_float="float64", default_int="int64"):
        assert random.normal(key).dtype is lw.float64
        assert random.poisson(key, 1.0).dtype is random.randint(key, (), 0, 9).dtype is lw.int64


def test_plans_and_arrays_without_data() -> None:
    key = random.key(0)
    plan = lw.plan(lw.random.normal, key, (3, 4), "float16")
    assert plan.shapes == ((3, 4),) and plan.out == (lw.float16,)
    spec = lw.spec((2,), "uint32")
    assert str(lw.infer(lambda k: random.normal(k, (3, 4)), spec)) == "float32[3, 4]"
    assert str(lw.infer(random.gamma, spec, lw.spec((None, 2), "float64"))) == "float64[?, 2]"
    assert str(lw.infer(lambda k: random.split(k, 3)[0], spec)) == "uint32[2]"


@pytest.mark.parametrize("rules", ["numpy", "torch", "jax", "tensorflow"])
def test_under_rules_of_frameworks(rules: str) -> None:
    """The numbers are the same; the default dtypes are those of the rules."""
    key = random.key(0)
    with lw.using(rules=rules):
        for f in OF_KEY.values():
            f(key, lw.asarray(PARAMS, dtype="float32"))
        x = random.normal(key, (3,), "float32", scale=2.0)
    np.testing.assert_array_equal(np.asarray(x), np.asarray(random.normal(key, (3,), scale=2.0)))
    with lw.using(rules="numpy"):
        assert random.normal(key).dtype is lw.float64


#: Draw -> how many functions of ours a call enters at its simplest: itself, the backend's draw, and arithmetic.
STEPS = {
    "bits": 2, "uniform": 2, "normal": 2, "exponential": 5, "laplace": 10, "cauchy": 8, "gumbel": 8, "logistic": 8,
    "rademacher": 6,
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_draws_are_few_calls(name: str) -> None:
    """An option that is not used costs no call: no scale, no location."""
    draw, key = getattr(random, name), random.key(0)
    draw(key, (3,))
    called = 0

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal called
        code = frame.f_code
        called += (
            event == "call" and code.co_name == "call" and code.co_filename.endswith(("dispatch.py", "declare.py"))
        )

    sys.setprofile(count)
    try:
        draw(key, (3,))
    finally:
        sys.setprofile(None)
    assert called <= STEPS[name]


# --- errors --------------------------------------------------------------------------------------------------------

KEY = random.key(0)
#: What is wrong -> the call, the class of the error and its words.
WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: random.normal(0), TypeError, r"^random.normal: key must be made from a seed.* lw.random.key\(0\)"),
    (lambda: random.normal(lw.asarray([0, 0])), TypeError, r"^random.normal: key must be one key.*got int32 of shape"),
    (lambda: random.normal(random.split(KEY)), ValueError, r"got uint32 of shape \(2, 2\). These are several keys"),
    (lambda: random.key(1.5), TypeError, r"^random.key: seed must be an int; got 1.5"),
    (lambda: random.key(lw.asarray([1, 2])), ValueError, r"seed must have no dimensions; got shape \(2,\)"),
    (lambda: random.fold_in(KEY, 1.5), TypeError, r"^random.fold_in: data must be an int; got 1.5"),
    (lambda: random.bits(KEY, (2,), "int8"), TypeError, r"^random.bits: dtype must be an unsigned one; got int8"),
    (lambda: random.normal(KEY, (2,), "int32"), TypeError, r"^random.normal: dtype must be .*; got int32"),
    (lambda: random.normal(KEY, (-1,)), ValueError, r"^random.normal: a shape has no negative extents; got \(-1,\)"),
    (lambda: random.normal(KEY, scale=-1), ValueError, r"^random.normal: scale must be at least 0; got -1"),
    (lambda: random.normal(KEY, scale=math.nan), ValueError, r"scale must be at least 0; got nan"),
    (lambda: random.normal(KEY, (2,), loc=lw.ones(3)), ValueError, r"^random.normal: .*\(2,\)"),
    (lambda: random.normal(KEY, loc="a"), TypeError, r"^random.normal: loc must be a number or an array; got str"),
    (lambda: random.uniform(KEY, low=2, high=1), ValueError, r"^random.uniform: low must not be above high"),
    (
        lambda: random.randint(KEY, (2,), 5, 5),
        ValueError,
        r"^random.randint: low must be below high; got low=5, high=5",
    ),
    (lambda: random.randint(KEY, (2,), 0, 257, "uint8"), OverflowError, r"uint8 holds 0 to 255; got low=0, high=257"),
    (lambda: random.randint(KEY, (2,), 0, 1.5), TypeError, r"^random.randint: high must be an int or an integer array"),
    (
        lambda: random.bernoulli(KEY, 1.5),
        ValueError,
        r"^random.bernoulli: p must be a probability, in \[0, 1\]; got 1.5",
    ),
    (lambda: random.binomial(KEY, -1, 0.5), ValueError, r"^random.binomial: n must be at least 0; got -1"),
    (lambda: random.geometric(KEY, 0), ValueError, r"^random.geometric: p must be a probability, in \(0, 1\]; got 0"),
    (lambda: random.poisson(KEY, -2.0), ValueError, r"^random.poisson: lam must be at least 0; got -2.0"),
    (lambda: random.student_t(KEY, 0), ValueError, r"^random.student_t: df must be above 0; got 0"),
    (lambda: random.truncated_normal(KEY, lower=1, upper=1), ValueError, r"lower must be below upper"),
    (lambda: random.choice(KEY, 3, (4,), False), ValueError, r"^random.choice: 4 of 3 cannot be chosen without"),
    (lambda: random.choice(KEY, 0, (1,)), ValueError, r"^random.choice: x has nothing to choose from"),
    (lambda: random.choice(KEY, 3, p=lw.ones(2)), ValueError, r"^random.choice: p must have shape \(3,\).*got \(2,\)"),
    (lambda: random.permutation(KEY, -1), ValueError, r"^random.permutation: x must be an int of at least 0"),
    (lambda: random.permutation(KEY, lw.ones((2, 2)), 2), lw.errors.AxisError, r"axis 2 is out of bounds"),
    (lambda: random.shuffle(KEY, 3), TypeError, r"^random.shuffle: x must be an array; got 3"),
    (lambda: random.categorical(KEY, lw.ones((2, 3)), shape=(3,)), ValueError, r"shape must end with \(2,\)"),
    (lambda: random.dirichlet(KEY, 1.0), ValueError, r"^random.dirichlet: alpha must have at least one axis"),
    (
        lambda: random.multivariate_normal(KEY, lw.ones(2), lw.ones((3, 3))),
        ValueError,
        r"cov must have shape .* 2, 2\)",
    ),
]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_ranges_have_to_be_finite(dtype: str, backend: str) -> None:
    """In the dtype of the result: of numbers, and of arrays whose values are known."""
    key, most = random.key(0), float(lw.finfo(dtype).max)
    wide = lw.asarray([-0.6 * most, 0.0], dtype=dtype), lw.asarray([0.6 * most, 1.0], dtype=dtype)
    ranges: list[tuple[Any, Any]] = [(-0.6 * most, 0.6 * most), (0, math.inf), (-math.inf, 0.0)]
    if backend != "dask":
        ranges += [wide, (-0.6 * most, wide[1])]
    for low, high in ranges:
        with pytest.raises(OverflowError, match=rf"^random\.uniform: the range .* must be finite in {dtype}; got"):
            random.uniform(key, (2,), dtype, low=low, high=high)
    x = np.asarray(random.uniform(key, (50,), dtype, low=-0.4 * most, high=0.4 * most))
    assert np.isfinite(x).all() and np.abs(x).max() > 0.3 * most
    if backend in ("torch", "jax"):
        traced = lw.vmap(lambda high: random.uniform(key, (2,), dtype, low=-0.6 * most, high=high))(wide[1])
        assert traced.shape == (2, 2)


def test_choice_looks_at_the_probabilities(backend: str) -> None:
    key = random.key(0)
    wrong: list[tuple[Any, str]] = [
        ([0.5] * 5, "must have the sum 1; got 2.5"), ([0.0] * 5, "must have the sum 1; got 0.0"),
        ([0.6, 0.6, -0.2, 0, 0], "must be at least 0; got -0.2"), ([math.nan, 1, 0, 0, 0], "has nan in it"),
        ([0.25] * 4, r"must have shape \(5,\)"),
    ]  # fmt: skip
    for p, words in wrong:
        with pytest.raises(ValueError, match=f"^random.choice: p {words}"):
            random.choice(key, 5, (3,), p=p)
        if backend != "dask":
            with pytest.raises(ValueError, match=f"^random.choice: p {words[:8]}"):
                random.choice(key, 5, (3,), p=lw.asarray(p))
    for dtype in ("float16", "bfloat16", "float32", "float64"):  # which sum to 1 but for rounding
        assert random.choice(key, 7, (3,), p=lw.asarray([1 / 7] * 7, dtype=dtype)).shape == (3,)


def test_student_t_of_16_bits(backend: str) -> None:
    """It is computed in float32: of df 1, few numbers are beyond float16."""
    x = random.student_t(random.key(0), 1, (40_000,), "float16")
    wide = np.asarray(random.student_t(random.key(0), 1, (40_000,), "float32"))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(np.asarray(x), wide.astype("float16"))
    assert np.isinf(np.asarray(x)).sum() < 5 and x.dtype is lw.float16
    assert random.student_t(random.key(0), lw.ones(3), dtype="bfloat16").dtype is lw.bfloat16


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case[2][:40])
def test_errors(case: Any) -> None:
    call, error, words = case
    with pytest.raises(error, match=words):
        call()


# --- the generator object ------------------------------------------------------------------------------------------

SIZE = (3000,)
#: name -> the call, and the distribution in SciPy.
BY_GENERATOR: dict[str, tuple[Callable[[Any], lw.Array], str, tuple[float, ...]]] = {
    "random": (lambda g: g.random(SIZE), "uniform", ()),
    "uniform": (lambda g: g.uniform(-2, 3, SIZE), "uniform", (-2, 5)),
    "normal": (lambda g: g.normal(1, 3, SIZE), "norm", (1, 3)),
    "lognormal": (lambda g: g.lognormal(0.5, 0.5, SIZE), "lognorm", (0.5, 0, math.exp(0.5))),
    "exponential": (lambda g: g.exponential(2, SIZE), "expon", (0, 2)),
    "laplace": (lambda g: g.laplace(1, 2, SIZE), "laplace", (1, 2)),
    "gumbel": (lambda g: g.gumbel(1, 2, SIZE), "gumbel_r", (1, 2)),
    "logistic": (lambda g: g.logistic(1, 2, SIZE), "logistic", (1, 2)),
    "standard_cauchy": (lambda g: g.standard_cauchy(SIZE), "cauchy", ()),
    "gamma": (lambda g: g.gamma(0.5, 2, SIZE), "gamma", (0.5, 0, 2)),
    "chisquare": (lambda g: g.chisquare(3, SIZE), "chi2", (3,)),
    "f": (lambda g: g.f(4, 9, SIZE), "f", (4, 9)),
    "standard_t": (lambda g: g.standard_t(4, SIZE), "t", (4,)),
    "beta": (lambda g: g.beta(0.5, 2, SIZE), "beta", (0.5, 2)),
    "dirichlet": (lambda g: g.dirichlet([1.0, 2.0], SIZE)[:, 0], "beta", (1, 2)),
    "pareto": (lambda g: g.pareto(3, SIZE), "lomax", (3,)),
    "power": (lambda g: g.power(3, SIZE), "powerlaw", (3,)),
    "rayleigh": (lambda g: g.rayleigh(2, SIZE), "rayleigh", (0, 2)),
    "weibull": (lambda g: g.weibull(1.5, SIZE), "weibull_min", (1.5,)),
    "triangular": (lambda g: g.triangular(-1, 1, 4, SIZE), "triang", (0.4, -1, 5)),
    "wald": (lambda g: g.wald(2, 3, SIZE), "invgauss", (2 / 3, 0, 3)),
    "noncentral_chisquare": (lambda g: g.noncentral_chisquare(0.5, 3, SIZE), "ncx2", (0.5, 3)),
    "noncentral_f": (lambda g: g.noncentral_f(3, 8, 2, SIZE), "ncf", (3, 8, 2)),
    "vonmises": (lambda g: g.vonmises(0, 1.5, SIZE), "vonmises", (1.5,)),
    "vonmises almost uniform": (lambda g: g.vonmises(0, 0, SIZE), "uniform", (-math.pi, 2 * math.pi)),
    "vonmises almost normal": (lambda g: g.vonmises(0, 1e6, SIZE), "norm", (0, 1e-3)),
    "integers": (lambda g: g.integers(-3, 4, SIZE), "randint", (-3, 4)),
    "poisson": (lambda g: g.poisson(4, SIZE), "poisson", (4,)),
    "binomial": (lambda g: g.binomial(20, 0.3, SIZE), "binom", (20, 0.3)),
    "negative_binomial": (lambda g: g.negative_binomial(3, 0.4, SIZE), "nbinom", (3, 0.4)),
    "geometric": (lambda g: g.geometric(0.2, SIZE), "geom", (0.2,)),
    "hypergeometric": (lambda g: g.hypergeometric(30, 12, 20, SIZE), "hypergeom", (42, 30, 20)),
    "hypergeometric of few": (lambda g: g.hypergeometric(3, 9, 4, SIZE), "hypergeom", (12, 3, 4)),
    "hypergeometric of most": (lambda g: g.hypergeometric(9, 3, 10, SIZE), "hypergeom", (12, 9, 10)),
    "multivariate_hypergeometric": (
        lambda g: g.multivariate_hypergeometric([5, 9, 6], 8, SIZE)[:, 1],
        "hypergeom",
        (20, 9, 8),
    ),
    "logseries": (lambda g: g.logseries(0.7, SIZE), "logser", (0.7,)),
    "multinomial": (lambda g: g.multinomial(10, [0.2, 0.5, 0.3], SIZE)[:, 1], "binom", (10, 0.5)),
    "multivariate_normal": (
        lambda g: g.multivariate_normal([1.0, 2.0], [[4.0, 1], [1, 2]], SIZE)[:, 0],
        "norm",
        (1, 2),
    ),
}


def test_generator_distributions(backend: str) -> None:
    """The distance from the distribution function is that of a sample of this size, on each backend's own generator."""
    stats = pytest.importorskip("scipy.stats")
    rng = random.default_rng(2026)
    assert rng.backend == backend
    counts = ("randint", "poisson", "binom", "nbinom", "geom", "hypergeom", "logser")
    for name, (draw, what, params) in BY_GENERATOR.items():
        x = draw(rng)
        assert x.backend == backend and x.shape == SIZE, name
        assert x.dtype is (lw.int32 if what in counts else lw.float32), name

        def far(v: np.ndarray, name: str = name, what: str = what, params: Any = params) -> None:
            at = np.unique(v)
            found = np.searchsorted(np.sort(v), at, side="right") / v.size
            distance = np.abs(found - getattr(stats, what)(*params).cdf(at)).max()
            assert distance < 2.2 / math.sqrt(v.size), (name, distance)

        computed(x, far)


def test_generator_draws_from_edges(backend: str) -> None:
    """Parameters at the ends of their ranges, and arrays of parameters, give what follows from the distribution."""
    rng = random.default_rng(4)
    cases: list[tuple[Any, Any]] = [
        (rng.hypergeometric(0, 5, 3, 4), [0] * 4),
        (rng.hypergeometric(5, 0, 3, 4), [3] * 4),
        (rng.hypergeometric(5, 7, 12, 4), [5] * 4),
        (rng.hypergeometric(lw.asarray([4, 0]), 3, lw.asarray([0, 2])), [0, 0]),
        (rng.multivariate_hypergeometric([3, 0, 2], 5), [3, 0, 2]),
        (rng.logseries(0.0, 3), [1] * 3),
        (rng.zipf(200.0, 3), [1] * 3),
        (rng.noncentral_chisquare(lw.ones((2, 0)), 1.0), np.zeros((2, 0))),
        (rng.multinomial(lw.asarray([0, 6]), [[1.0, 0.0], [0.0, 1.0]]), [[0, 0], [0, 6]]),
        (rng.vonmises(4.0, 1e12, 2), [4 - 2 * math.pi] * 2),
        *[(getattr(rng, name)(2, 0, 3), [2] * 3) for name in ("normal", "laplace", "gumbel", "logistic")],
        *[(getattr(rng, name)(0, 3), [0] * 3) for name in ("exponential", "rayleigh", "standard_gamma", "poisson")],
        (rng.lognormal(1, 0, 2), [math.e] * 2),
        (rng.uniform(3, 3, 2), [3, 3]),
        (rng.gamma(2.0, 0, 2), [0, 0]),
        (rng.binomial(0, 0.5, 2), [0, 0]),
        (rng.binomial(lw.asarray([4, 4]), lw.asarray([0.0, 1.0])), [0, 4]),
        (rng.negative_binomial(3, 1, 2), [0, 0]),
        (rng.geometric(1, 2), [1, 1]),
        (rng.integers(5, 6, 2), [5, 5]),
        (rng.integers(2**31 - 2, 2**31 - 1, 2), [2**31 - 2] * 2),
        (rng.multinomial(0, [0.5, 0.5]), [0, 0]),
        (rng.dirichlet([2.0]), [1]),
        (rng.multivariate_normal([1.0, 2.0], [[0.0, 0.0], [0.0, 0.0]]), [1, 2]),
        (rng.choice(3, 2, p=[0.0, 1.0, 0.0]), [1, 1]),
        (rng.permutation(0), []),
    ]
    for left, mode, right in ((0, 0, 1), (0, 1, 1)):
        x = np.asarray(rng.triangular(left, mode, right, 500))
        assert x.min() >= 0 and x.max() <= 1 and abs(x.mean() - (left + mode + right) / 3) < 0.05
    for found, expected in cases:
        np.testing.assert_allclose(np.asarray(found), expected, atol=1e-5)
    stats = pytest.importorskip("scipy.stats")
    for dtype, a in ((None, 2.5), ("int16", 1.5)):
        x = np.asarray(rng.zipf(a, SIZE, dtype))
        assert str(x.dtype) == (dtype or "int64") and x.min() == 1
        at, known = np.arange(1, 30), stats.zipf(a).cdf(30000 if dtype else np.inf)
        found = np.searchsorted(np.sort(x), at, side="right") / x.size
        assert np.abs(found - stats.zipf(a).cdf(at) / known).max() < 2.2 / math.sqrt(x.size)


def from_a_key(rng: Any) -> list[Any]:
    return [
        rng.random(3), rng.normal(1, 2, size=(2, 2)), rng.integers(2, 5, size=4), rng.permutation(5),
        rng.choice(4, size=5, p=[0.1, 0.2, 0.3, 0.4]), rng.gamma(2.0, size=2), rng.poisson(3.0, size=4),
        rng.binomial(5, 0.3, size=3), rng.permuted(lw.asarray([1, 2, 3, 4])), rng.exponential(size=2),
        rng.integers(0, 256, size=3, dtype="uint8"), rng.zipf(2.5, size=3), rng.integers(2**31 - 1),
    ]  # fmt: skip


def test_the_generator_of_a_key_draws_the_same_on_every_backend(backend: str) -> None:
    with lw.using(backend="numpy"):
        expected = from_a_key(random.default_rng(random.key(3)))
        subkey = random.split(random.key(3))[1]
    rng = random.default_rng(random.key(3))
    others = [copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))]
    state = rng.bit_generator.state
    for got, wanted in zip(from_a_key(rng), expected, strict=True):
        computed(got, lambda x, y=wanted: np.testing.assert_allclose(x, np.asarray(y), rtol=1e-5, atol=1e-6))
    rng.bit_generator.state = state
    children = rng.spawn(2)
    assert not np.array_equal(np.asarray(children[0].random(3)), np.asarray(children[1].random(3)))
    rng.bit_generator.state = state
    first = np.asarray(random.uniform(lw.asarray(subkey, backend=backend), (3,)))
    for other in (rng, *others):
        np.testing.assert_array_equal(np.asarray(other.random(3)), first)


@pytest.mark.needs("tensorflow")
def test_the_generator_of_a_key_in_a_traced_function() -> None:
    """Made inside, it is part of what is traced; one from outside would leave a tracer behind, and is refused."""
    import tensorflow as tf

    def f(xp: Any, key: Any) -> Any:
        rng = xp.random.default_rng(key)
        return xp.add(rng.normal(size=2), rng.uniform(size=2))

    key, expected = random.key(0), np.asarray(f(lw, random.key(0)))
    np.testing.assert_array_equal(np.asarray(lw.trace(lambda k: f(lw, k), random.key(1))(key)), expected)
    assert lw.infer(lambda k: f(lw, k), lw.spec((2,), "uint32")).shape == (2,)
    xp, outside = lw.array_namespace("jax"), random.default_rng(random.key(0, backend="jax"))
    for given in (jax.random.key(0), jax.random.PRNGKey(0)):
        np.testing.assert_allclose(jax.jit(lambda k: f(xp, k))(given), expected, rtol=1e-6)
    symbolic, held = random.default_rng(random.key(0, backend="tensorflow")), random.default_rng(key)
    for draw in (
        jax.jit(lambda: outside.normal(size=2).data),
        tf.function(lambda: symbolic.normal(size=2).data, autograph=False),
        lambda: lw.trace(lambda x: x + held.random(2), lw.ones(2)),
    ):
        with pytest.raises(lw.errors.TraceError, match="Make it inside, of a key that is an argument"):
            draw()
    for rng in (outside, symbolic):
        rng.normal(size=2)


def test_generator_has_the_methods_of_numpy() -> None:
    """By name, and with their parameters: `out` and `check_valid` are left out, and `dtype` is for all."""
    for name, theirs in vars(np.random.Generator).items():
        if name.startswith("_") or name == "bit_generator":  # which is `data` here
            continue
        ours = inspect.signature(getattr(random.Generator, name)).parameters
        asked = re.findall(r"(\w+)(?:=[^,)]*)?(?=[,)])", (theirs.__doc__ or "").strip().partition("\n")[0])
        assert {*asked} - {*ours} <= {"out", "check_valid", "tol", "method"}, name


def test_generator_has_a_state(backend: str) -> None:
    def draws(rng: Any) -> list[np.ndarray]:
        return [np.asarray(x) for x in (rng.random(3), rng.normal(size=(2, 2)), rng.integers(100, size=4))]

    rng = random.default_rng(5)
    first, second = draws(rng), draws(rng)
    again = draws(random.default_rng(5))
    children = [draws(g) for g in random.default_rng(5).spawn(2)]
    for a, b, c, d, e in zip(first, second, again, *children, strict=True):
        np.testing.assert_array_equal(a, c)
        assert not np.array_equal(a, b) and not np.array_equal(a, d) and not np.array_equal(d, e)
    random.seed(3)
    a = draws(random.default_rng())
    b = draws(random.default_rng())
    random.seed(3)
    c = draws(random.default_rng())
    random.seed(None)
    np.testing.assert_array_equal(a[0], c[0])
    assert not np.array_equal(a[0], b[0])
    assert not np.array_equal(draws(random.default_rng())[0], draws(random.default_rng())[0])


def test_generator_permutes_and_chooses(backend: str) -> None:
    rng = random.default_rng(0)
    x = lw.asarray(np.arange(12, dtype="float32").reshape(4, 3))
    assert sorted(np.asarray(rng.permutation(10)).tolist()) == list(range(10))
    rows = np.asarray(rng.permutation(x))
    assert sorted(rows[:, 0].tolist()) == [0, 3, 6, 9] and (rows[:, 1] == rows[:, 0] + 1).all()
    np.testing.assert_array_equal(np.sort(np.asarray(rng.permuted(x, axis=1)), axis=1), np.asarray(x))
    assert sorted(np.asarray(rng.permuted(x)).ravel().tolist()) == list(range(12))
    y = lw.asarray(x, copy=True)
    rng.shuffle(y)
    assert sorted(np.asarray(y)[:, 0].tolist()) == [0, 3, 6, 9]
    assert sorted(np.asarray(rng.choice(5, 5, replace=False)).tolist()) == list(range(5))
    assert set(np.asarray(rng.choice(5, 50, p=[0, 0.5, 0, 0.5, 0])).tolist()) == {1, 3}
    assert set(np.asarray(rng.choice(5, (2,), replace=False, p=[0, 0.5, 0, 0.5, 0])).tolist()) == {1, 3}
    assert rng.choice(x, (2, 2), axis=1).shape == (4, 2, 2)
    assert rng.choice(4).shape == ()
    assert len(rng.bytes(5)) == 5
    assert (
        rng.random(dtype="float64").dtype is lw.float64 and rng.normal(size=(2,), dtype="bfloat16").dtype is lw.bfloat16
    )
    edges = np.asarray(rng.integers(0, 256, 2000, dtype="uint8")), np.asarray(rng.integers(5, endpoint=True, size=200))
    assert (edges[0].min(), edges[0].max(), edges[1].max()) == (0, 255, 5)
    big = np.asarray(rng.integers(0, 2**64, 20, dtype="uint64"))
    assert big.dtype == np.uint64 and big.max() > 2**62
    assert rng.gamma(lw.ones((3, 1)), size=None).shape == (3, 1)


def test_draws_inside_a_derivative(backend: str) -> None:
    """A key from outside the function, as an argument or in a closure, draws the numbers that it draws outside."""
    if not all_facts()[backend].gradients:
        pytest.skip("no derivatives")
    key, weights = random.key(SEED), lw.ones(3)
    drawn = [lambda k: random.normal(k, (3,)), lambda k: random.uniform(random.split(k)[1], (3,), lw.bfloat16)]
    for draw in drawn:
        expected = np.asarray(draw(key)).astype("float32")
        inside = lw.grad(lambda w, k, draw=draw: lw.sum(w * lw.astype(draw(k), lw.float32)))(weights, key)
        enclosed = lw.grad(lambda w, draw=draw: lw.sum(w * lw.astype(draw(key), lw.float32)))(weights)
        np.testing.assert_array_equal(np.asarray(inside), expected)
        np.testing.assert_array_equal(np.asarray(enclosed), expected)


def test_generator_errors() -> None:
    rng = random.default_rng(0)
    wrong: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: random.default_rng(-1), ValueError, r"^random.default_rng: seed must be an int of at least 0; got -1"),
        (lambda: random.seed("a"), TypeError, r"^random.seed: seed must be an int of at least 0; got 'a'"),
        (lambda: rng.normal(0, -1), ValueError, r"^random.Generator.normal: scale must be at least 0; got -1"),
        (lambda: rng.integers(3, 3), ValueError, r"^random.Generator.integers: low must be below high"),
        (lambda: rng.binomial(3, 2), ValueError, r"^random.Generator.binomial: p must be a probability"),
        (lambda: rng.choice(3, 4, replace=False), ValueError, r"^random.Generator.choice: 4 of 3 cannot"),
        (lambda: rng.zipf(1.0), ValueError, r"^random.Generator.zipf: a must be above 1; got 1.0"),
        (lambda: rng.logseries(1.0), ValueError, r"^random.Generator.logseries: p must be at least 0 and below 1"),
        (lambda: rng.vonmises(0, -1), ValueError, r"^random.Generator.vonmises: kappa must be at least 0; got -1"),
        (
            lambda: rng.hypergeometric(2, 3, 6),
            ValueError,
            r"^random.Generator.hypergeometric: nsample must not be above",
        ),
        (lambda: rng.shuffle((1, 2)), TypeError, r"^random.Generator.shuffle: x must be an Array or a list; got tuple"),
        (lambda: rng.shuffle([1, 2], 1), NotImplementedError, r"^random.Generator.shuffle: a list has no axis but 0"),
    ]
    for call, error, words in wrong:
        with pytest.raises(error, match=words):
            call()


def test_generator_integers_at_the_edges(backend: str) -> None:
    """All of 64 bits, with and without the end, bools, bounds that are arrays: as NumPy's, or its class of error."""
    rng, theirs = random.default_rng(1), np.random.default_rng(1)
    for dtype, low, high in (("uint64", 0, 2**64), ("int64", -(2**63), 2**63), ("uint64", 2**63, 2**64)):
        for ends in ({"high": high}, {"high": high - 1, "endpoint": True}):
            x = np.asarray(rng.integers(low, size=200, dtype=dtype, **ends))
            assert x.dtype == dtype and x.shape == (200,)
            assert low <= x.min() < low + (high - low) // 8 and high - (high - low) // 8 < x.max() < high
    bounds = lw.asarray([0, 2**64 - 2], dtype="uint64"), lw.asarray([2**64 - 1, 2**64 - 1], dtype="uint64")
    pairs = np.asarray(rng.integers(*bounds, size=(100, 2), dtype="uint64", endpoint=True))
    assert pairs[:, 0].max() > 2**62 and {*pairs[:, 1].tolist()} == {2**64 - 2, 2**64 - 1}
    narrow = np.asarray(rng.integers([0, 5], [3, 6], size=(200, 2), dtype="uint8"))
    assert {*narrow[:, 0].tolist()} == {0, 1, 2} and {*narrow[:, 1].tolist()} == {5}
    flags = rng.integers(0, 2, dtype=bool, size=100)
    assert flags.dtype is lw.bool and {*np.asarray(flags).tolist()} == {False, True}
    assert {*np.asarray(rng.integers(1, dtype="bool", endpoint=True, size=60)).tolist()} == {False, True}
    assert np.asarray(rng.integers(3, 3, endpoint=True)) == 3
    wrong: list[dict[str, Any]] = [
        {"low": 0, "high": 300, "dtype": "uint8"}, {"low": 0, "high": 256, "dtype": "uint8", "endpoint": True},
        {"low": -1, "high": 5, "dtype": "uint8"}, {"low": 0, "high": 3, "dtype": bool}, {"low": 4, "high": 4},
        {"low": 5, "high": 4, "endpoint": True}, {"low": 0, "high": 2**63 + 1, "dtype": "int64"},
        {"low": 0, "high": 2**64, "dtype": "uint64", "endpoint": True}, {"low": [1, 2], "high": [3, 2]},
        {"low": 0, "high": [3, 300], "dtype": "uint8"},
    ]  # fmt: skip
    for call in wrong:
        with pytest.raises(ValueError):
            theirs.integers(**call)
        with pytest.raises(ValueError, match=r"^random\.Generator\.integers: "):
            rng.integers(**call)
    with pytest.raises(ValueError, match=r"uint64 holds 0 to \d+; got low=0, high=18446744073709551616$"):
        rng.integers(0, 2**64, dtype="uint64", endpoint=True)


def test_generator_refuses_what_numpy_refuses(backend: str) -> None:
    rng, theirs = random.default_rng(1), np.random.default_rng(1)
    chances: list[tuple[list[float], bool, str]] = [
        ([0.5, 0.1, 0.1], True, "must have the sum 1; got 0.7"), ([0.5, 0.5], True, r"must have shape \(3,\)"),
        ([0.5, 0.75, -0.25], True, "must be at least 0; got -0.25"), ([0.5, 0.5, np.nan], True, "nan"),
        ([1.0, 0.0, 0.0], False, "has 1 elements above 0, fewer than the 2"),
    ]  # fmt: skip
    for p, replace, words in chances:
        with pytest.raises(ValueError):
            theirs.choice(3, 2, replace, p)
        with pytest.raises(ValueError, match=f"^random.Generator.choice: p.*{words}"):
            rng.choice(3, 2, replace, p)
    thirds = [1 / 3] * 3  # which sum to 1 but for rounding, in any dtype
    assert rng.choice(3, 5, p=thirds).shape == rng.choice(3, 5, p=lw.asarray(thirds, dtype="float16")).shape == (5,)
    ranges: list[tuple[Any, Any]] = [
        (0.0, np.inf), (-np.inf, 0), (-1.7e308, 1.7e308), (np.asarray([0.0, 1]), np.asarray([1, np.inf]))
    ]  # fmt: skip
    for low, high in ranges:
        with pytest.raises(OverflowError):
            theirs.uniform(low, high)
        with pytest.raises(OverflowError, match=r"^random\.Generator\.uniform: the range from low to high must be"):
            rng.uniform(low, high)
    with pytest.raises(OverflowError, match="must be finite in float16"):
        rng.uniform(0, 1e5, dtype="float16")
    mean = [0.0, 0.0]
    for cov in ([[1.0, 0], [0, -1]], [[1.0, 0.5], [0, 1]]):
        with pytest.raises(ValueError, match="not symmetric and positive semidefinite"):
            rng.multivariate_normal(mean, cov, None, "raise")
        with pytest.warns(RuntimeWarning, match="not symmetric and positive semidefinite"):
            rng.multivariate_normal(mean, cov)
        assert rng.multivariate_normal(mean, cov, 3, check_valid="ignore").shape == (3, 2)
    assert rng.multivariate_normal(mean, [[1.0, 0], [0, -1e-3]], 3, "raise", 1e-2).shape == (3, 2)
    assert rng.multivariate_normal(mean, [[1.0, 1], [1, 1]], 3, "raise").shape == (3, 2)
    assert rng.multivariate_normal(mean, [[2.0, 1], [1, 1]], dtype="float64").dtype is lw.float64
    with pytest.raises(ValueError, match="check_valid must be 'warn', 'raise' or 'ignore'; got 'x'"):
        rng.multivariate_normal(mean, [[2.0, 1], [1, 1]], 3, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="method must be 'zig' or 'inv'; got 'x'"):
        rng.standard_exponential(3, method="x")  # type: ignore[arg-type]


#: Calls of a generator that NumPy refuses, of numbers and of arrays.
REFUSED: list[Callable[[Any], Any]] = [
    lambda g: g.normal(0, [-1.0, 1]), lambda g: g.exponential([1.0, -1]), lambda g: g.lognormal(0, np.array([-1.0])),
    lambda g: g.chisquare([1.0, 0]), lambda g: g.beta([0.0, 1], 1), lambda g: g.gamma([-1.0, 1]),
    lambda g: g.gamma(1, [-1.0, 1]), lambda g: g.dirichlet([-1.0, 1]), lambda g: g.binomial([3, 4], [0.5, 1.5]),
    lambda g: g.binomial([3, -4], 0.5), lambda g: g.binomial(3, [np.nan, 0.5]), lambda g: g.poisson([-1.0, 1]),
    lambda g: g.poisson([np.nan, 1]), lambda g: g.geometric([0.0, 0.5]), lambda g: g.logseries([1.0, 0.5]),
    lambda g: g.zipf([1.0, 2]), lambda g: g.zipf(np.nan), lambda g: g.vonmises(0, [-1.0, 1]),
    lambda g: g.power([0.0, 1]), lambda g: g.pareto(0), lambda g: g.f(1, [0.0, 1]), lambda g: g.weibull([-1.0, 1]),
    lambda g: g.noncentral_chisquare(1, [-1.0]), lambda g: g.standard_t(0), lambda g: g.rayleigh([-1.0]),
    lambda g: g.triangular([0.0, 1], [2.0, 0.5], 3), lambda g: g.triangular([0.0, 3], [2.0, 3], 3),
    lambda g: g.uniform([2.0], [1.0]), lambda g: g.uniform([0.0, 1], [np.inf, 2]), lambda g: g.uniform(np.nan, 1),
    lambda g: g.uniform([1.0], [np.nan]), lambda g: g.uniform(-1e308, 1e308),
    lambda g: g.wald(0, 1), lambda g: g.wald(1, 0), lambda g: g.wald([0.0, 1], 1),
    lambda g: g.negative_binomial(0, 0.5), lambda g: g.negative_binomial(1, 0.0),
    lambda g: g.negative_binomial(1e18, 1e-9), lambda g: g.negative_binomial([1, 2], [0.5, 0]),
    lambda g: g.poisson(1e19), lambda g: g.multinomial(5, [0.9, 0.8, 0.1]), lambda g: g.multinomial(5, [-0.2, 1.2]),
    lambda g: g.multinomial(5, [np.nan, 0.5]), lambda g: g.multinomial([3, -1], [0.5, 0.5]),
    lambda g: g.hypergeometric(10**9, 4, 1), lambda g: g.hypergeometric([3, 4], [1, 2], [5, 1]),
    lambda g: g.hypergeometric(np.nan, 4, 1), lambda g: g.multivariate_hypergeometric([3, 4], 8),
    lambda g: g.multivariate_hypergeometric([3, -4], 1), lambda g: g.multivariate_hypergeometric([10**9, 4], 2),
    lambda g: g.multivariate_hypergeometric([3, 4], 2.5),
    lambda g: g.multivariate_hypergeometric([3, 4], 2, 3, "x"), lambda g: g.choice(2.5, 1), lambda g: g.choice("ab", 1),
    lambda g: g.permuted(3), lambda g: g.permutation(np.array(3.0)), lambda g: g.integers(0.5),
    lambda g: g.integers([np.nan], [3]), lambda g: g.integers(np.inf), lambda g: g.integers([0.5], [300], None, "int8"),
]  # fmt: skip


def test_generator_refuses_parameters_that_numpy_refuses(backend: str, recwarn: pytest.WarningsRecorder) -> None:
    """Of numbers, lists and arrays, with NumPy's class of error, and without a warning before it."""
    rng, theirs = random.default_rng(1), np.random.default_rng(1)
    for i, call in enumerate(REFUSED):
        with pytest.raises((ValueError, OverflowError, TypeError)) as expected:
            call(theirs)
        recwarn.clear()
        with pytest.raises(Exception, match=r"^random\.Generator\.\w+: ") as found:
            call(rng)
        known = next(c for c in type(expected.value).__mro__ if c in (ValueError, OverflowError, TypeError))
        assert isinstance(found.value, known) and not recwarn.list, (i, found.value, expected.value)
    x = lw.asarray([-1.0, 1.0])
    if backend != "dask":
        with pytest.raises(ValueError, match=r"normal: scale must be at least 0; got an array with -1\.0$"):
            rng.normal(0, x)
        with pytest.raises(ValueError, match="low must not be above high"):
            rng.uniform(x, -x)
    with pytest.raises(ValueError, match="p must have the sum 1"):
        rng.choice(2, p=[0.7, 0.7])


def test_generator_looks_at_no_values_of_lazy_arrays() -> None:
    da = pytest.importorskip("dask.array")

    def computed(block: Any) -> Any:
        raise AssertionError("the values were asked for")

    with lw.using(backend="dask"):
        rng, lazy = random.default_rng(1), lw.asarray(da.ones(4, chunks=2).map_blocks(computed, dtype="float64"))
        whole = lw.asarray(da.ones(4, dtype="int64", chunks=2).map_blocks(computed, dtype="int64"))
        assert rng.normal(0, lazy).shape == rng.uniform(0, lazy).shape == rng.weibull(lazy).shape == (4,)
        assert rng.integers(whole).shape == rng.choice(4, (4,), p=lazy).shape == (4,)
        assert random.choice(random.key(0), 4, (4,), p=lazy).shape == (4,)
        assert random.uniform(random.key(0), high=lazy).shape == (4,)
        with pytest.raises(ValueError, match="scale must be at least 0; got an array with -1"):
            rng.normal(0, [-1.0, 1])


#: Calls of a generator that NumPy draws from, and ours refused or did not end.
DRAWS: list[Callable[[Any], Any]] = [
    lambda g: g.normal(0, np.nan), lambda g: g.normal([0.0, 1], [np.nan, 0]), lambda g: g.weibull(0),
    lambda g: g.weibull([0.0, np.nan]), lambda g: g.gamma([np.nan, 0.0]), lambda g: g.exponential(np.nan),
    lambda g: g.vonmises(0, np.nan), lambda g: g.vonmises(0, [np.inf, np.nan]),
    lambda g: g.noncentral_chisquare(1, np.nan), lambda g: g.triangular(0, np.nan, 1), lambda g: g.wald(np.nan, 1),
    lambda g: g.integers(3, 3, size=0), lambda g: g.integers([], []), lambda g: g.integers([3], [3], size=0),
    lambda g: g.integers(0, 300, size=(2, 0), dtype="uint8"), lambda g: g.integers(1.2), lambda g: g.integers(-2.7, -1),
    lambda g: g.integers([4.5, 1.0], [5.9, 2.0]), lambda g: g.integers([-0.5], [1.5], (5, 1)),
    lambda g: g.integers([True, False], [2, 1]), lambda g: g.multinomial(0, [0.5, 0.1, 0.9]),
    lambda g: g.hypergeometric(10**9 - 1, 0, 1), lambda g: g.hypergeometric(2.5, 0, 1),
    lambda g: g.multivariate_hypergeometric([3, 4], 7, None, "count"),
]  # fmt: skip


def test_generator_draws_what_numpy_draws(backend: str) -> None:
    rng, theirs = random.default_rng(1), np.random.default_rng(1)
    for i, call in enumerate(DRAWS):
        found, expected = np.asarray(call(rng)), np.asarray(call(theirs))
        assert found.shape == expected.shape and found.dtype.kind == expected.dtype.kind, i
        np.testing.assert_allclose(found, expected, atol=1e-30, err_msg=str(i))
    assert {*np.asarray(rng.integers(2.7, 5.9, 60)).tolist()} == {2, 3, 4}
    assert rng.multivariate_hypergeometric([3, 4], 2, 3, "marginals", dtype="int16").dtype is lw.int16


def test_generator_goes_on_from_the_states_of_numpy(backend: str) -> None:
    states = np.random.PCG64(1), np.random.default_rng(1), np.random.RandomState(1)
    if backend != "numpy":
        for state in states:
            with pytest.raises(TypeError, match=r"^random\.default_rng: seed has a state of NumPy's .*Take an int"):
                random.default_rng(state)
        own = random.default_rng(0).bit_generator
        for name in ("jumped", "advance", "spawn", "random_raw", "lock"):
            with pytest.raises(AttributeError, match=rf"^bit_generator\.{name}: the generator of the backend.*rng\."):
                getattr(own, name)
        return
    for state in states:
        expected = np.random.default_rng(pickle.loads(pickle.dumps(state))).random(3)
        rng = random.default_rng(state)
        np.testing.assert_array_equal(np.asarray(rng.random(3, "float64")), expected)
    assert rng.bit_generator.state["state"]["bit_generator"] == "MT19937"
    rng, theirs = random.default_rng(states[0]), np.random.default_rng(states[0])
    a, b = float(rng.random(dtype="float64")), theirs.random()  # of one state
    assert [a, b] != [float(rng.random(dtype="float64")), theirs.random()]
    assert random.default_rng(rng.bit_generator) is rng
    ours, theirs = random.default_rng(5), np.random.default_rng(5)
    for of in (lambda g: g.bit_generator.jumped(2), lambda g: g.bit_generator.advance(7), lambda g: g.spawn(2)[1]):
        expected = np.random.default_rng(of(theirs)).random()
        assert float(random.default_rng(of(ours)).random(dtype="float64")) == expected
    assert (ours.bit_generator.random_raw(2) == theirs.bit_generator.random_raw(2)).all()
    with ours.bit_generator.lock:
        assert ours.bit_generator.spawn(1)[0].random_raw() == theirs.bit_generator.spawn(1)[0].random_raw()
    with pytest.raises(AttributeError, match="'BitGenerator' object has no attribute 'x'"):
        ours.bit_generator.x  # noqa: B018


def test_generator_of_jax_without_64_bits() -> None:
    """What needs 64 bits is refused by the dtype that was asked for, in the words of the library."""
    with lw.using(backend="jax"), jax.enable_x64(False):
        rng = random.default_rng(0)
        calls: list[tuple[Callable[[], Any], str]] = [
            (lambda: rng.random(3, dtype="float64"), "^JAX has no float64 while"),
            (lambda: rng.integers(-(2**63), 2**63, dtype="int64"), "^JAX has no int64 while"),
            (lambda: rng.multivariate_normal([0, 0], np.eye(2)), "multivariate_normal: cov: JAX has no float64 while"),
            (lambda: random.normal(random.key(0), loc=np.zeros(2)), r"^random\.normal: loc: JAX has no float64 while"),
        ]
        for call, words in calls:
            with pytest.raises(TypeError, match=words):
                call()
        assert rng.multivariate_normal([0, 0], [[1.0, 0], [0, 1]]).shape == rng.integers([0.5, 1], 5).shape == (2,)


def test_generator_state_is_saved_and_put_back(backend: str) -> None:
    def draws(rng: Any) -> list[np.ndarray]:
        made = rng.normal(size=3), rng.permutation(7), rng.integers(100, size=4), rng.gamma(2.0, size=3), rng.random(2)
        return [np.asarray(x) for x in made]

    rng = random.default_rng(np.random.SeedSequence(7))
    first = draws(rng)
    for a, b in zip(first, draws(random.default_rng(7)), strict=True):
        np.testing.assert_array_equal(a, b)
    state = pickle.loads(pickle.dumps(rng.bit_generator.state))
    wanted, other = draws(rng), random.default_rng(0)
    for generator in (rng, other, other):
        generator.bit_generator.state = state
        for a, b in zip(wanted, draws(generator), strict=True):
            np.testing.assert_array_equal(a, b)
    assert not np.array_equal(wanted[0], first[0])
    assert rng.bit_generator.seed_seq.entropy == 7
    assert repr(rng.bit_generator) == f"BitGenerator(backend={backend!r})"
    with pytest.raises(ValueError, match=r"^bit_generator\.state: this generator is of the backend"):
        rng.bit_generator.state = {"bit_generator": "MT19937"}
    with pytest.raises(TypeError, match="takes the dict that it gave; got int"):
        rng.bit_generator.state = 3  # type: ignore[assignment]


def test_generator_writes_into_out(backend: str) -> None:
    rng = random.default_rng(2)
    calls: list[Callable[..., Any]] = [
        rng.random, rng.standard_normal, rng.standard_exponential, lambda **kw: rng.standard_gamma(2.0, **kw),
        lambda **kw: rng.standard_exponential(method="inv", **kw),
    ]  # fmt: skip
    for call in calls:
        for dtype in ("float32", "float64", "bfloat16"):
            out = lw.zeros((20, 5), dtype=dtype)
            alias = out
            assert call(out=out) is out
            assert str(alias.dtype) == dtype and np.count_nonzero(np.asarray(alias)) > 60
        with pytest.raises(TypeError, match="out must have float64; got an array of float32"):
            call(dtype="float64", out=lw.zeros(2))
        with pytest.raises(TypeError, match="out must have a real floating dtype; got an array of int32"):
            call(out=lw.zeros(2, dtype="int32"))
        with pytest.raises(ValueError, match=r"size must be the shape of out, \(2,\); got 3"):
            call(size=3, out=lw.zeros(2))
        with pytest.raises(TypeError, match="out must be an Array of latticework; got ndarray"):
            call(out=np.zeros(2))
    same = np.asarray(random.default_rng(4).random((3,)))
    np.testing.assert_array_equal(np.asarray(random.default_rng(4).random(out=lw.zeros(3))), same)
    inverse = np.asarray(rng.standard_exponential(4000, "float64", "inv"))
    assert abs(inverse.mean() - 1) < 0.1 and inverse.min() >= 0
    x = lw.asarray(np.arange(12).reshape(3, 4))
    assert rng.permuted(x, axis=1, out=x) is x
    np.testing.assert_array_equal(np.sort(np.asarray(x), axis=1), np.arange(12).reshape(3, 4))
    with pytest.raises(ValueError, match="out must have the shape of the result"):
        rng.permuted(x, out=lw.zeros(5, dtype=x.dtype))
    with pytest.raises(TypeError, match="out must have the dtype of x"):
        rng.permuted(x, out=lw.zeros((3, 4), dtype="float32"))
    cards: list[Any] = [1, "a", None, [2]] * 4
    before = [*cards]
    rng.shuffle(cards)
    assert cards != before and sorted(map(str, cards)) == sorted(map(str, before))


def test_arguments_in_anothers_order_are_refused(backend: str) -> None:
    """NumPy and PyTorch have the bounds first and the size last, others have no key: errors have the call to write."""
    key = random.key(0)
    x = lw.asarray(np.arange(6, dtype=np.float32))
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: random.randint(key, 2, 5, (3,)), r"^random.randint: high .*randint\(key, \(3,\), 2, 5\)$"),
        (lambda: random.randint(key, 0, 5, (3,)), r"write lw.random.randint\(key, \(3,\), 0, 5\)$"),
        (lambda: random.randint(key, 0, 5, [3]), r"write lw.random.randint\(key, \[3\], 0, 5\)$"),
        (lambda: random.randint(key, (3,), 0, [1, 2, 3]), r"write lw.random.randint\(key, shape, lw.asarray\(low"),
        (lambda: random.randint(key, (2,), (0, 1), 5), r"^random.randint: low must be an int or an integer array"),
        (lambda: random.randint(key, 1, 5, 10), r"\(key, \(1,\), 5, 10\); or, .*randint\(key, \(10,\), 1, 5\)$"),
        (lambda: random.randint(key, lw.asarray(3), 5, 10), "shape"),
        (lambda: random.bernoulli(key, (3,)), r"p must be a number or an array; got \(3,\), which looks like a shape"),
        (lambda: random.choice(key, (3,), 5), r"x must be .* looks like a shape. The call is random.choice\(key, x"),
        (lambda: random.dirichlet(key, (3,)), "alpha must be .* looks like a shape"),
        (lambda: random.poisson(key, (3,), 4), "lam must be .* looks like a shape"),
        (lambda: random.gamma(key, 2.0, 3, (4,)), r"is no dtype.* The call is random.gamma\(key, a, "),
        (lambda: random.normal(key, 0, 1), r"1 is no dtype.* The call is random.normal\(key, shape=None, dtype="),
        (lambda: random.uniform(key, 0, 1, (3,)), r"The call is random.uniform\(key, shape=None, dtype=None"),
        (lambda: random.truncated_normal(key, 0, 2), r"The call is random.truncated_normal\(key, shape=None"),
        (lambda: random.normal((3,)), r"a key comes first.* lw.random.normal\(lw.random.key\(0\), \(3,\)\)$"),
        (lambda: random.uniform([2, 3]), r"Write lw.random.uniform\(lw.random.key\(0\), \[2, 3\]\)$"),
        (lambda: random.shuffle(x, key), "key must be one key"),
        (lambda: random.permutation(x, key), "key must be one key"),
    ]  # fmt: skip
    for call, words in wrong:
        with pytest.raises(TypeError, match=words):
            call()
    assert random.randint(key, (3,), lw.asarray(2), 5).shape == (3,)
    assert random.randint(key, None, lw.asarray([0, 5]), 9).shape == (2,)
