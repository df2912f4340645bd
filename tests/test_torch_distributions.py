"""PyTorch's distributions, transforms and divergences in its dialect, beside PyTorch's own."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as torch

real = pytest.importorskip("torch")

#: A distribution -> parameters: lists are tensors. One that is a batch shows what a single one would.
CASES: dict[str, list[dict[str, Any]]] = {
    "Bernoulli": [{"probs": [0.2, 0.5, 1.0]}, {"logits": [-1.0, 2.0]}],
    "Beta": [
        {"concentration1": [1.5, 4.0], "concentration0": [0.7, 2.0]},
        {"concentration1": 2.0, "concentration0": 0.5},
    ],
    "Binomial": [{"total_count": 5, "probs": [0.2, 0.6]}],
    "Categorical": [{"probs": [0.0, 0.6, 0.3]}, {"logits": [[0.0, 1.0], [3.0, -1.0]]}],
    "Cauchy": [{"loc": [1.0, -2.0], "scale": [0.5, 3.0]}],
    "Chi2": [{"df": [0.5, 10.0]}],
    "ContinuousBernoulli": [{"probs": [0.1, 0.5, 0.9]}],
    "Dirichlet": [{"concentration": [[2.0, 3.0, 4.0], [0.3, 0.4, 0.5]]}],
    "Exponential": [{"rate": [0.5, 4.0]}],
    "FisherSnedecor": [{"df1": [3.0, 1.0], "df2": [5.0, 2.0]}],
    "Gamma": [{"concentration": [0.3, 9.0], "rate": [1.0, 3.0]}],
    "GeneralizedPareto": [{"loc": [0.0, 0.5], "scale": [1.0, 1.5], "concentration": [0.2, 0.7]}],
    "Geometric": [{"probs": [0.2, 0.9]}],
    "Gumbel": [{"loc": [1.0, -2.0], "scale": [0.5, 3.0]}],
    "HalfCauchy": [{"scale": [0.5, 3.0]}],
    "HalfNormal": [{"scale": [0.5, 3.0]}],
    "InverseGamma": [{"concentration": [0.7, 2.5], "rate": [1.0, 0.5]}],
    "Kumaraswamy": [{"concentration1": [1.5, 4.0], "concentration0": [0.7, 2.0]}],
    "LKJCholesky": [{"dim": 3, "concentration": [0.5, 2.0]}],
    "Laplace": [{"loc": [1.0, -2.0], "scale": [0.5, 3.0]}],
    "LogNormal": [{"loc": [1.0, -2.0], "scale": [0.5, 0.3]}],
    "LogisticNormal": [{"loc": [0.0, 1.0], "scale": [1.0, 0.5]}],
    "LowRankMultivariateNormal": [
        {"loc": [[0.0, 1.0], [1.0, 1.0]], "cov_factor": [[1.0], [0.5]], "cov_diag": [1.0, 2.0]}
    ],
    "Multinomial": [{"total_count": 4, "probs": [0.1, 0.6, 0.3]}],
    "MultivariateNormal": [
        {"loc": [0.0, 1.0], "covariance_matrix": [[2.0, 0.5], [0.5, 1.0]]},
        {"loc": [0.0, 1.0], "precision_matrix": [[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]]]},
    ],
    "NegativeBinomial": [{"total_count": 5, "probs": [0.2, 0.6]}],
    "Normal": [{"loc": 0.0, "scale": [[1.0], [2.0]]}, {"loc": 1.0, "scale": 2.0}],
    "OneHotCategorical": [{"probs": [0.1, 0.6, 0.3]}],
    "Pareto": [{"scale": [0.5, 2.0], "alpha": [0.8, 4.0]}],
    "Poisson": [{"rate": [0.5, 4.0]}],
    "RelaxedBernoulli": [{"temperature": [0.5], "probs": [0.3, 0.6]}],
    "RelaxedOneHotCategorical": [{"temperature": [0.5], "probs": [0.1, 0.6, 0.3]}],
    "StudentT": [{"df": [1.5, 5.0], "loc": [1.0, 2.0], "scale": [2.0, 0.5]}],
    "Uniform": [{"low": [-1.0, 0.5], "high": [2.0, 0.7]}],
    "VonMises": [{"loc": [1.0, 0.0], "concentration": [0.5, 20.0]}],
    "Weibull": [{"scale": [0.5, 2.0], "concentration": [2.0, 0.7]}],
    "Wishart": [{"df": [4.0, 3.5], "covariance_matrix": [[2.0, 0.5], [0.5, 1.0]]}],
}
#: These distributions meet every backend: the formulas of the others are made of the same functions.
EVERYWHERE = ["Beta", "Categorical", "Gamma", "MultivariateNormal", "Normal"]
#: PyTorch's own compares tensors of float64 with one of float32 here, and raises.
OF_FLOAT32 = {"GeneralizedPareto"}
PROPERTIES = ("mean", "mode", "variance", "stddev")
METHODS = ("entropy", "perplexity")


@pytest.fixture(autouse=True)
def both_check_what_they_are_given() -> Iterator[None]:
    """``torch.compile`` turns the checks of PyTorch's own off, for the rest of the process."""
    before = real.distributions.Distribution._validate_args
    real.distributions.Distribution.set_default_validate_args(True)
    yield
    real.distributions.Distribution.set_default_validate_args(before)


def made(m: Any, name: str, parameters: dict[str, Any], *, grad: bool = True) -> tuple[Any, list[Any]]:
    """A distribution, and its parameters that are tensors of floats."""
    dtype = m.float32 if name in OF_FLOAT32 else m.float64
    given = {k: m.tensor(v, dtype=dtype) if isinstance(v, list) else v for k, v in parameters.items()}
    leaves = [x.requires_grad_() for x in given.values() if isinstance(x, m.Tensor) and grad]
    return getattr(m.distributions, name)(**given), leaves


def plain(x: Any) -> Any:
    return x.detach().numpy() if hasattr(x, "detach") else x


class Refusal(str):
    """The class of an error that a function raised, with the error for the report of a failure."""

    error: Exception

    def __repr__(self) -> str:
        return f"<{self.error!r}>"


def answer(f: Any, *args: Any) -> Any:
    """What a function gives, or its error."""
    try:
        return f(*args)
    except (NotImplementedError, ValueError, RuntimeError) as error:
        refusal = Refusal(type(error).__name__)
        refusal.error = error
        return refusal


def same(found: Any, expected: Any, tolerance: float = 1e-6) -> None:
    """Check numbers within a tolerance, and all else for equality. An error in the place of numbers is told."""
    if isinstance(expected, np.ndarray) and not isinstance(found, Refusal):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
        assert found.dtype == expected.dtype
    else:
        assert type(found) is type(expected) and found == expected, (found, expected)


def gradients(m: Any, y: Any, leaves: list[Any]) -> list[Any]:
    if not leaves or not y.requires_grad:
        return []
    found = m.autograd.grad(y.sum(), leaves, allow_unused=True, retain_graph=True)
    return [np.zeros(x.shape) if g is None else plain(g) for g, x in zip(found, leaves, strict=True)]


def facts(m: Any, name: str, parameters: dict[str, Any], sample: np.ndarray) -> list[Any]:
    """All that is known of a distribution, with the derivatives of the density and of the entropy."""
    d, leaves = made(m, name, parameters)
    value = m.from_numpy(sample.copy())
    found = [
        tuple(d.batch_shape),
        tuple(d.event_shape),
        bool(d.has_rsample),
        repr(made(m, name, parameters, grad=False)[0]),
    ]
    density = d.log_prob(value)
    found += [density, *gradients(m, density, leaves), answer(d.cdf, value), answer(d.enumerate_support)]
    found.append(answer(d.icdf, m.tensor([0.3], dtype=m.float64)))
    found += [answer(lambda n=n: getattr(d, n)) for n in PROPERTIES] + [answer(getattr(d, n)) for n in METHODS]
    entropy = answer(d.entropy)
    found += gradients(m, entropy, leaves) if isinstance(entropy, m.Tensor) else []
    larger = d.expand((2, *d.batch_shape))
    found += [
        tuple(larger.batch_shape),
        larger.log_prob(value),
        d.support.check(value),
        answer(d.log_prob, value * 0 - 7.5),
    ]
    return [plain(x) for x in found]


def check(name: str) -> None:
    for parameters in CASES[name]:
        real.manual_seed(0)
        sample = made(real, name, parameters)[0].sample((2,)).numpy()
        expected, found = (facts(m, name, parameters, sample) for m in (real, torch))
        assert len(expected) == len(found)
        for a, b in zip(found, expected, strict=True):
            same(a, b, 1e-4 if name in OF_FLOAT32 else 1e-6)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_distributions_answer_as_pytorch_s_on_every_backend(backend: str, name: str) -> None:
    check(name)


@pytest.mark.parametrize("name", [name for name in CASES if name not in EVERYWHERE])
def test_distributions_answer_as_pytorch_s(name: str) -> None:
    with lw.using(backend="numpy"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(name)


#: Of each parameter that is differentiated by, the mean derivative of the samples, where it is known.
SLOPES = [
    ("Normal", {"loc": [1.0], "scale": [2.0]}, [1.0, 0.0]),
    ("Exponential", {"rate": [2.0]}, [-0.25]),
    ("Gamma", {"concentration": [0.6], "rate": [2.0]}, [0.5, -0.15]),
    ("Beta", {"concentration1": [1.0], "concentration0": [3.0]}, [3 / 16, -1 / 16]),
    ("StudentT", {"df": [5.0], "loc": [1.0], "scale": [2.0]}, [0.0, 1.0, 0.0]),
    ("Uniform", {"low": [1.0], "high": [3.0]}, [0.5, 0.5]),
]


@pytest.mark.parametrize(("name", "parameters", "slopes"), SLOPES)
def test_samples_have_the_derivatives_of_their_mean(name: str, parameters: Any, slopes: list[float]) -> None:
    with lw.using(backend="numpy"):
        torch.manual_seed(0)
        d, leaves = made(torch, name, parameters)
        found = [g.item() for g in torch.autograd.grad(d.rsample((40_000,)).mean(), leaves)]
        np.testing.assert_allclose(found, slopes, atol=0.04)
        assert not d.sample((2,)).requires_grad


def test_samples_have_the_moments_and_the_support(backend: str) -> None:
    names = ["Gamma", "Poisson", "Binomial", "Dirichlet"] if backend == "numpy" else ["Gamma"]
    for name in names:
        torch.manual_seed(1)
        d, _ = made(torch, name, CASES[name][0], grad=False)
        x = d.sample((4000,))
        assert tuple(x.shape) == (4000, *d.batch_shape, *d.event_shape)
        assert bool(d.support.check(x).all())
        error = 5 * (d.variance / 4000).sqrt()
        assert bool(((x.mean(0) - d.mean).abs() < error).all()), name


PAIRS = [
    ("Normal", "Normal"), ("Normal", "Gumbel"), ("Normal", "Laplace"), ("Laplace", "Normal"), ("Gumbel", "Normal"),
    ("Exponential", "Gamma"), ("Exponential", "Normal"), ("Exponential", "Gumbel"), ("Gamma", "Normal"),
    ("Gamma", "Gumbel"), ("Gamma", "Exponential"), ("Gamma", "Gamma"), ("Beta", "Gamma"), ("Beta", "Normal"),
    ("Beta", "Uniform"), ("Pareto", "Exponential"), ("Pareto", "Normal"), ("Uniform", "Normal"), ("Uniform", "Gumbel"),
    ("Uniform", "Exponential"), ("Normal", "Uniform"), ("Dirichlet", "Dirichlet"), ("Categorical", "Categorical"),
    ("MultivariateNormal", "LowRankMultivariateNormal"), ("LowRankMultivariateNormal", "MultivariateNormal"),
    ("Chi2", "Chi2"), ("Chi2", "Normal"), ("HalfNormal", "HalfNormal"), ("Cauchy", "Cauchy"), ("Poisson", "Poisson"),
    ("Wishart", "Wishart"), ("LogNormal", "LogNormal"), ("Normal", "StudentT"), ("Poisson", "Binomial"),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_divergences_are_pytorch_s(pair: tuple[str, str]) -> None:
    def found(m: Any) -> Any:
        p, q = (made(m, name, CASES[name][-1 if name == "Normal" else 0], grad=False)[0] for name in pair)
        return answer(m.distributions.kl_divergence, p, q)

    with lw.using(backend="numpy"):
        same(plain(found(torch)), plain(found(real)))


X = [[0.3, -1.2, 2.0], [0.1, 0.0, 0.5]]
#: Expressions of transforms, of ``t``, the module of transforms, and ``m``.
TRANSFORMS = [
    "t.ExpTransform()", "t.SigmoidTransform()", "t.SoftplusTransform()", "t.TanhTransform()", "t.AbsTransform()",
    "t.AffineTransform(1.0, -2.0)", "t.SoftmaxTransform()", "t.StickBreakingTransform()", "t.CorrCholeskyTransform()",
    "t.AffineTransform(m.tensor([1.0, 2.0, 3.0]), m.tensor([-1.0, 2.0, 3.0]), event_dim=1)",
    "t.ComposeTransform([t.ExpTransform(), t.AffineTransform(1.0, 2.0), t.StickBreakingTransform()])",
    "t.IndependentTransform(t.ExpTransform(), 1)", "t.ReshapeTransform((3,), (3, 1))",
    "t.CatTransform([t.ExpTransform(), t.AffineTransform(1.0, 3.0)], dim=1, lengths=[1, 2])",
    "t.StackTransform([t.ExpTransform(), t.AffineTransform(1.0, 3.0), t.identity_transform], dim=1)",
    "t.CumulativeDistributionTransform(m.distributions.Normal(0.0, 1.0))",
]  # fmt: skip


@pytest.mark.parametrize("text", TRANSFORMS)
def test_transforms_are_pytorch_s(text: str) -> None:
    def found(m: Any) -> list[Any]:
        t = eval(text, {"t": m.distributions.transforms, "m": m})
        x = m.tensor(X, requires_grad=True)
        y = t(x)
        jacobian = answer(t.log_abs_det_jacobian, x, y)
        both = [] if isinstance(jacobian, Refusal) else [*gradients(m, jacobian, [x])]
        shapes = [answer(lambda: tuple(t.forward_shape((2, 3)))), answer(lambda: tuple(t.inverse_shape((4, 4))))]
        return [y, t.inv(y), jacobian, *gradients(m, y.square(), [x]), *both, t.bijective, repr(t), *shapes]

    with lw.using(backend="numpy"):
        for a, b in zip(found(torch), found(real), strict=True):
            same(plain(a), plain(b), 1e-5)


def test_a_transform_with_a_cache_gives_the_argument_back() -> None:
    t = torch.distributions.transforms.ExpTransform().with_cache()
    x = torch.tensor([1.0])
    assert t.inv(t(x)) is x
    assert t(x) is t(x)


@pytest.mark.parametrize(
    "name", ["simplex", "positive_definite", "lower_cholesky", "corr_cholesky", "one_hot", "real_vector"]
)
def test_constraints_check_as_pytorch_s(name: str) -> None:
    for value in (
        [[0.3, 0.7], [0.0, 1.0]],
        [[1.0, 0.0], [0.6, 0.8]],
        [[1.0, 0.5], [0.5, 1.0]],
        [[0.0, 2.0], [1.0, 0.0]],
    ):
        with lw.using(backend="numpy"):
            expected, found = (getattr(m.distributions.constraints, name).check(m.tensor(value)) for m in (real, torch))
        assert found.tolist() == expected.tolist()


def test_wrong_parameters_and_values_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Expected parameter scale .* GreaterThan\(lower_bound=0.0\)"):
        torch.distributions.Normal(0.0, -1.0)
    with pytest.raises(ValueError, match="within the support"):
        torch.distributions.Exponential(1.0).log_prob(torch.tensor(-1.0))
    assert torch.distributions.Exponential(1.0, validate_args=False).log_prob(torch.tensor(-1.0)).item() == 1.0


def test_mixtures_and_independent_distributions_are_pytorch_s() -> None:
    def found(m: Any) -> list[Any]:
        d = m.distributions
        parts = d.Independent(d.Normal(m.tensor([[0.0, 1.0], [2.0, 3.0]]), m.ones(2, 2)), 1)
        mixture = d.MixtureSameFamily(d.Categorical(m.tensor([0.3, 0.7])), parts)
        x = m.tensor([[0.5, 1.0], [2.0, 2.0]])
        return [mixture.log_prob(x), mixture.mean, mixture.variance, repr(mixture), tuple(mixture.sample((4,)).shape)]

    with lw.using(backend="numpy"):
        for a, b in zip(found(torch), found(real), strict=True):
            same(plain(a), plain(b))


def test_modules_of_one_class_are_there_by_their_names() -> None:
    from latticework.frontends.torch.distributions.multivariate_normal import MultivariateNormal
    from latticework.frontends.torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli

    assert MultivariateNormal is torch.distributions.MultivariateNormal
    assert LogitRelaxedBernoulli.__name__ == "LogitRelaxedBernoulli"


def test_copies_of_a_distribution_and_of_an_inverse_transform_compute_what_it_does() -> None:
    t = torch.distributions.transforms.ExpTransform().inv
    gumbel = torch.distributions.Gumbel(0.0, 1.0)
    x = torch.tensor([0.5, 2.0])
    assert bool((copy.deepcopy(t)(x) == t(x)).all())
    assert bool((copy.deepcopy(gumbel).cdf(x) == gumbel.cdf(x)).all())
