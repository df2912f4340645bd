"""`kl_divergence`: how far a distribution is from another one, by a formula for each pair of classes.

For two classes it is minus the entropy of the first less the mean of the logarithm of the density of the second. That
mean needs a few means of the first distribution alone, which stand in a table here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from itertools import product
from math import inf, log, pi, sqrt
from typing import Any

from ... import torch
from .counting import Bernoulli, Binomial, Categorical, Geometric, OneHotCategorical, Poisson
from .distribution import Distribution, ExponentialFamily
from .gammas import Beta, Dirichlet, Exponential, Gamma, Pareto
from .line import Cauchy, Gumbel, HalfNormal, Laplace, Normal, Uniform
from .matrices import LowRankMultivariateNormal, MultivariateNormal, solved
from .relaxed import ContinuousBernoulli
from .transformed import Independent, TransformedDistribution
from .utils import euler_constant, sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}


def register_kl(type_p, type_q):
    """Register a function as the divergence of two classes of distributions, and of their subclasses.

    Parameters
    ----------
    type_p, type_q: the classes.

    Raises
    ------
    TypeError: one of them is no subclass of `Distribution`.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> class Mine(torch.distributions.Normal): pass
    >>> @torch.distributions.register_kl(Mine, Mine)
    ... def kl(p, q):
    ...     return p.loc - q.loc
    >>> torch.distributions.kl_divergence(Mine(3.0, 1.0), Mine(1.0, 1.0))
    tensor(2.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def registered(f: Any) -> Any:
        _KL_REGISTRY[type_p, type_q] = f
        _formula.cache_clear()
        return f

    return registered


def kl_divergence(p, q):
    """Compute the Kullback-Leibler divergence of two distributions: the mean of log p(x) - log q(x) under p.

    Parameters
    ----------
    p, q: the distributions.

    Raises
    ------
    NotImplementedError: no formula is registered for their classes.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> d = torch.distributions
    >>> d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0))
    tensor(0.5000)
    """
    kinds: Any = type(p), type(q)
    formula = _formula(*kinds)
    if formula is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return formula(p, q)


@cache
def _formula(type_p: type, type_q: type) -> Any:
    """Return the formula of the nearest classes, by the first class and then the second; None if there is none.

    Where the second class would choose another formula, a warning says so.
    """
    found = [m for m in _KL_REGISTRY if issubclass(type_p, m[0]) and issubclass(type_q, m[1])]
    if not found:
        return None

    def place(m: tuple[type, type]) -> tuple[int, int]:
        return type_p.__mro__.index(m[0]), type_q.__mro__.index(m[1])

    left, right = min(found, key=place), min(found, key=lambda m: place(m)[::-1])
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, "
            f"{right[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[left]


def _infinite(where: Any, value: Any) -> Any:
    return torch.where(where, inf, value)


def _excess(ratio: Any) -> Any:
    """How far a ratio is from 1, by the tangent of its logarithm."""
    return ratio - 1 - ratio.log()


def _moved(p: Any, q: Any) -> Any:
    return (p.loc - q.loc) / q.scale


# --- of one class ----------------------------------------------------------------------------------------------------


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_families(p: Any, q: Any) -> Any:
    """The Bregman divergence of the logarithms of the normalizers."""
    if type(p) is not type(q):
        raise NotImplementedError("Two exponential families of different classes have no Bregman divergence")
    natural, normalizer, means = p._of_normalizer()
    others = q._natural_params
    result = q._log_normalizer(*others) - normalizer
    for ours, theirs, mean in zip(natural, others, means, strict=True):
        result = result - sum_rightmost((theirs - ours) * mean, len(q.event_shape))
    return result


def _bernoullis(p: Any, q: Any) -> Any:
    def part(chance: Any, other: Any, sign: int) -> Any:
        softplus = torch.nn.functional.softplus
        value = chance * (softplus(-sign * q.logits) - softplus(-sign * p.logits))
        return torch.where(chance == 0, 0.0, _infinite(other == 0, value))

    return part(p.probs, q.probs, 1) + part(1 - p.probs, 1 - q.probs, -1)


def _binomials(p: Any, q: Any) -> Any:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return _infinite(p.total_count > q.total_count, p.total_count * one)


def _categoricals(p: Any, q: Any) -> Any:
    value = p.probs * (p.logits - q.logits)
    return torch.where(p.probs == 0, 0.0, _infinite(q.probs == 0, value)).sum(-1)


def _dirichlets(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    normalizers = a.sum(-1).lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return normalizers + ((a - b) * (a.digamma() - a.sum(-1, keepdim=True).digamma())).sum(-1)


def _gammas(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    shape = torch.lgamma(b) - torch.lgamma(a) + (a - b) * torch.digamma(a)
    return b * (p.rate / q.rate).log() + shape + (q.rate - p.rate) * (a / p.rate)


def _log_constant(p: Any) -> Any:
    return p._cont_bern_log_norm() + torch.log1p(-p.probs)


def _gumbels(p: Any, q: Any) -> Any:
    ratio, moved = p.scale / q.scale, _moved(p, q)
    tail = torch.exp((1 + ratio).lgamma() - moved)
    return moved - ratio.log() + ratio * euler_constant + tail - (1 + euler_constant)


def _transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


def _independents(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


#: A class -> the divergence of two of its distributions.
_OF_ONE_CLASS: dict[type, Callable[[Any, Any], Any]] = {
    Bernoulli: _bernoullis,
    Beta: lambda p, q: _dirichlets(p._dirichlet, q._dirichlet),
    Binomial: _binomials,
    Categorical: _categoricals,
    Cauchy: lambda p, q: ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log(),
    ContinuousBernoulli: lambda p, q: p.mean * (p.logits - q.logits) + _log_constant(p) - _log_constant(q),
    Dirichlet: _dirichlets,
    Exponential: lambda p, q: _excess(q.rate / p.rate),
    Gamma: _gammas,
    Geometric: lambda p, q: -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits,
    Gumbel: _gumbels,
    HalfNormal: lambda p, q: kl_divergence(p.base_dist, q.base_dist),
    Independent: _independents,
    Laplace: lambda p, q: (
        _excess(p.scale / q.scale) + _moved(p, q).abs() + p.scale / q.scale * torch.expm1(-_moved(q, p).abs())
    ),
    Normal: lambda p, q: 0.5 * (_excess((p.scale / q.scale).pow(2)) + _moved(p, q).pow(2)),
    OneHotCategorical: lambda p, q: _categoricals(p._categorical, q._categorical),
    Pareto: lambda p, q: _infinite(p.scale < q.scale, _excess(q.alpha / p.alpha) + q.alpha * (p.scale / q.scale).log()),
    Poisson: lambda p, q: p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate),
    TransformedDistribution: _transformed,
    Uniform: lambda p, q: _infinite((q.low > p.low) | (q.high < p.high), (q._width / p._width).log()),
}
for _kind, _divergence in _OF_ONE_CLASS.items():
    register_kl(_kind, _kind)(_divergence)


# --- of normal vectors -----------------------------------------------------------------------------------------------


def _squares(x: Any) -> Any:
    """The sum of the squares of each matrix."""
    return x.pow(2).sum((-2, -1))


def _roots(p: Any) -> list[Any]:
    """Matrices whose squares have the covariance matrix as their sum."""
    if isinstance(p, LowRankMultivariateNormal):
        return [p._unbroadcasted_cov_factor, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt())]
    return [p._unbroadcasted_scale_tril]


def _vectors(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot be computed"
        )
    if isinstance(q, LowRankMultivariateNormal):
        w, d = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
        small = solved(q._capacitance_tril, w.mT / d.unsqueeze(-2))
        trace = sum(_squares(r * d.rsqrt().unsqueeze(-1)) - _squares(small @ r) for r in _roots(p))
    else:
        trace = sum(_squares(solved(q._unbroadcasted_scale_tril, r)) for r in _roots(p))
    distance = q._squared_distance(q.loc - p.loc)
    return 0.5 * (q._log_det() - p._log_det() + trace + distance - p.event_shape[0])


for _pair in product((MultivariateNormal, LowRankMultivariateNormal), repeat=2):
    register_kl(*_pair)(_vectors)


# --- of two classes --------------------------------------------------------------------------------------------------


def _between(p: Uniform, primitive: Callable[[Any], Any]) -> Any:
    """The mean of a function under a uniform distribution, by its primitive."""
    return (primitive(p.high) - primitive(p.low)) / p._width


#: A class -> the mean and the variance of a number. Those of the other classes are their own; of a Pareto number that
#: has none, it is what the formula says, so that derivatives are finite.
_MEAN: dict[type, Any] = {Pareto: lambda p: p.alpha * p.scale / (p.alpha - 1)}
_VARIANCE: dict[type, Any] = {
    Pareto: lambda p: p.scale.pow(2) * p.alpha / ((p.alpha - 1).pow(2) * torch.where(p.alpha == 2, 1.0, p.alpha - 2))
}
#: A class -> the mean of the logarithm of a number.
_MEAN_OF_LOG: dict[type, Callable[[Any], Any]] = {
    Beta: lambda p: p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma(),
    Exponential: lambda p: -euler_constant - p.rate.log(),
    Pareto: lambda p: p.scale.log() + p.alpha.reciprocal(),
    Uniform: lambda p: _between(p, lambda x: torch.xlogy(x, x)) - 1,
}
#: A class -> the mean of exp(-t x).
_MEAN_OF_EXP: dict[type, Callable[[Any, Any], Any]] = {
    Exponential: lambda p, t: p.rate / (p.rate + t),
    Gamma: lambda p, t: (1 + t / p.rate).pow(-p.concentration),
    Normal: lambda p, t: torch.exp(-t * p.loc + 0.5 * (t * p.scale).pow(2)),
    Uniform: lambda p, t: _between(p, lambda x: -torch.exp(-t * x) / t),
}


def _of(table: dict[type, Any], p: Any, default: Any = None) -> Any:
    """The entry of a table for the nearest class of a distribution."""
    return next((table[c] for c in type(p).__mro__ if c in table), default)


def _mean(p: Any) -> Any:
    return _of(_MEAN, p, lambda p: p.mean)(p)


def _mean_of_log(p: Any) -> Any:
    return _of(_MEAN_OF_LOG, p)(p)


def _log_normal(p: Any, q: Any) -> Any:
    variance = _of(_VARIANCE, p, lambda p: p.variance)(p)
    return -0.5 * log(2 * pi) - q.scale.log() - (variance + (_mean(p) - q.loc).pow(2)) / (2 * q.scale.pow(2))


def _log_laplace(p: Any, q: Any) -> Any:
    moved = p.loc - q.loc
    z = moved / p.scale
    distance = sqrt(2 / pi) * p.scale * torch.exp(-0.5 * z.pow(2)) + moved * torch.erf(sqrt(0.5) * z)
    return -torch.log(2 * q.scale) - distance / q.scale


def _log_gumbel(p: Any, q: Any) -> Any:
    tail = torch.exp(q.loc / q.scale) * _of(_MEAN_OF_EXP, p)(p, 1 / q.scale)
    return -q.scale.log() - (_mean(p) - q.loc) / q.scale - tail


def _log_gamma(p: Any, q: Any) -> Any:
    a, b = q.concentration, q.rate
    return a * b.log() - a.lgamma() + (a - 1) * _mean_of_log(p) - b * _mean(p)


def _log_beta(p: Any, q: Any) -> Any:
    a, b = q.concentration1, q.concentration0
    rest = _between(p, lambda x: -torch.xlogy(1 - x, 1 - x)) - 1
    return (a - 1) * _mean_of_log(p) + (b - 1) * rest + (a + b).lgamma() - a.lgamma() - b.lgamma()


#: A class -> the mean of the logarithm of the density of q under p.
_MEAN_OF_LOG_PROB: dict[type, Callable[[Any, Any], Any]] = {
    Beta: _log_beta,
    ContinuousBernoulli: lambda p, q: _mean(p) * q.logits + _log_constant(q),
    Exponential: lambda p, q: q.rate.log() - q.rate * _mean(p),
    Gamma: _log_gamma,
    Gumbel: _log_gumbel,
    Laplace: _log_laplace,
    Normal: _log_normal,
    Pareto: lambda p, q: q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_of_log(p),
    Poisson: lambda p, q: p.probs * q.rate.log() - q.rate,
    Uniform: lambda p, q: -q._width.log(),
}


def _never(p: Any, q: Any) -> Any:
    """The divergence where the second distribution has never all values of the first one."""
    return torch.full_like(getattr(p, next(iter(p.arg_constraints))), inf)


#: Two classes -> where p has values that q has not: the divergence is infinite there.
_BEYOND: dict[tuple[type, type], Callable[[Any, Any], Any]] = {
    (Beta, Uniform): lambda p, q: (q.low > 0) | (q.high < 1),
    (ContinuousBernoulli, Uniform): lambda p, q: (q.low >= 0) | (q.high <= 1),
    (Pareto, Exponential): lambda p, q: p.alpha <= 1,
    (Pareto, Gamma): lambda p, q: p.alpha <= 1,
    (Pareto, Normal): lambda p, q: p.alpha <= 2,
    (Uniform, Beta): lambda p, q: (p.high > 1) | (p.low < 0),
    (Uniform, ContinuousBernoulli): lambda p, q: (p.high >= 1) | (p.low <= 0),
    (Uniform, Exponential): lambda p, q: p.low < 0,
    (Uniform, Gamma): lambda p, q: p.low < 0,
    (Uniform, Pareto): lambda p, q: p.low < q.scale,
}
_EVERYWHERE = (
    *product((Gumbel, Laplace, Beta, ContinuousBernoulli, Exponential, Gamma, Uniform), [Normal]),
    *product((Beta, ContinuousBernoulli, Gamma), [Exponential]), *product((Beta, Exponential), [Gamma]),
    *product((Exponential, Gamma, Normal, Uniform), [Gumbel]),
    (Normal, Laplace), (Bernoulli, Poisson), (Beta, ContinuousBernoulli),
)  # fmt: skip


def _two_classes(kind_p: Any, kind_q: Any) -> None:
    mean, beyond = _MEAN_OF_LOG_PROB[kind_q], _BEYOND.get((kind_p, kind_q))

    @register_kl(kind_p, kind_q)
    def divergence(p: Any, q: Any) -> Any:
        value = -p.entropy() - mean(p, q)
        return _infinite(beyond(p, q), value) if beyond else value


for _pair in (*_BEYOND, *_EVERYWHERE):
    _two_classes(*_pair)

_REAL, _POSITIVE, _UNIT = (Gumbel, Laplace, Normal), (Exponential, Gamma, Pareto), (Beta, ContinuousBernoulli)
for _pair in (
    *product(_REAL, (*_UNIT, *_POSITIVE, Uniform)), *product(_POSITIVE, (*_UNIT, Uniform)),
    *product((Exponential, Gamma, *_UNIT), [Pareto]), *product([Poisson], (Bernoulli, Binomial)),
):  # fmt: skip
    register_kl(*_pair)(_never)
