"""`jax.scipy.stats` on any backend: distributions, ranks and modes."""

from . import (  # noqa: F401 - DISTRIBUTIONS names them
    bernoulli,
    beta,
    betabinom,
    binom,
    cauchy,
    chi2,
    dirichlet,
    expon,
    gamma,
    gennorm,
    geom,
    gumbel_l,
    gumbel_r,
    laplace,
    logistic,
    multinomial,
    multivariate_normal,
    nbinom,
    norm,
    pareto,
    poisson,
    t,
    truncnorm,
    uniform,
    vonmises,
    wrapcauchy,
)
from .kde import gaussian_kde
from .samples import mode, rankdata, sem

#: The modules of distributions.
DISTRIBUTIONS = (
    "bernoulli",
    "beta",
    "betabinom",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "expon",
    "gamma",
    "gennorm",
    "geom",
    "gumbel_l",
    "gumbel_r",
    "laplace",
    "logistic",
    "multinomial",
    "multivariate_normal",
    "nbinom",
    "norm",
    "pareto",
    "poisson",
    "t",
    "truncnorm",
    "uniform",
    "vonmises",
    "wrapcauchy",
)

__all__ = ["DISTRIBUTIONS", "gaussian_kde", "mode", "rankdata", "sem", *DISTRIBUTIONS]  # noqa: PLE0604
