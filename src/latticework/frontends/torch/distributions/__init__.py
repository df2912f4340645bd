"""`torch.distributions`: probability distributions, their transforms and divergences, on every backend.

Samples come from the generator of the dialect: the same numbers on every backend, and others than PyTorch's own.

Examples
--------
>>> import latticework.frontends.torch as torch
>>> scale = torch.tensor(2.0, requires_grad=True)
>>> normal = torch.distributions.Normal(0.0, scale)
>>> normal.log_prob(torch.tensor(1.0)).backward()
>>> scale.grad
tensor(-0.3750)
"""

from __future__ import annotations

import sys
from types import ModuleType

from ...names import export as _export
from . import (
    constraint_registry,
    constraints,
    counting,
    distribution,
    gammas,
    kl,
    line,
    matrices,
    relaxed,
    transformed,
    transforms,
)

_INNER = "ConstraintRegistry ExpRelaxedCategorical LogitRelaxedBernoulli"
__all__ = ["constraints", "transforms"]
_export(
    globals(), constraint_registry, counting, distribution, gammas, kl, line, matrices, relaxed, transformed,
    transforms, but=_INNER,
)  # fmt: skip

#: PyTorch's modules with one class or two, which programs import by name; the class is in a chapter here.
_MODULES = """
    bernoulli=Bernoulli beta=Beta binomial=Binomial categorical=Categorical cauchy=Cauchy chi2=Chi2
    continuous_bernoulli=ContinuousBernoulli dirichlet=Dirichlet exp_family=ExponentialFamily exponential=Exponential
    fishersnedecor=FisherSnedecor gamma=Gamma generalized_pareto=GeneralizedPareto geometric=Geometric gumbel=Gumbel
    half_cauchy=HalfCauchy half_normal=HalfNormal independent=Independent inverse_gamma=InverseGamma
    kumaraswamy=Kumaraswamy laplace=Laplace lkj_cholesky=LKJCholesky log_normal=LogNormal
    logistic_normal=LogisticNormal lowrank_multivariate_normal=LowRankMultivariateNormal
    mixture_same_family=MixtureSameFamily multinomial=Multinomial multivariate_normal=MultivariateNormal
    negative_binomial=NegativeBinomial normal=Normal
    one_hot_categorical=OneHotCategorical,OneHotCategoricalStraightThrough pareto=Pareto poisson=Poisson
    relaxed_bernoulli=RelaxedBernoulli,LogitRelaxedBernoulli
    relaxed_categorical=RelaxedOneHotCategorical,ExpRelaxedCategorical studentT=StudentT
    transformed_distribution=TransformedDistribution uniform=Uniform von_mises=VonMises weibull=Weibull wishart=Wishart
"""


def _modules() -> None:
    """Make these modules."""
    for word in _MODULES.split():
        name, _, classes = word.partition("=")
        module = ModuleType(f"{__name__}.{name}", f"`torch.distributions.{name}`.")
        module.__all__ = classes.split(",")  # type: ignore[attr-defined]
        for own in classes.split(","):
            setattr(module, own, globals().get(own) or getattr(relaxed, own))
        sys.modules[module.__name__] = globals()[name] = module


_modules()
