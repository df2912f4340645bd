"""Continuous distributions in the place of discrete ones, and the logistic normal distribution."""

from __future__ import annotations

from math import log
from typing import Any

from ... import torch
from . import constraints
from .bijections import ExpTransform, SigmoidTransform
from .counting import Categorical, OfCategorical, OfOdds, cross_entropy
from .distribution import ExponentialFamily, forwarded
from .line import Normal
from .transformed import TransformedDistribution
from .transforms import StickBreakingTransform
from .utils import broadcast_all, clamp_probs, lazy_property, like, logits_to_probs, probs_to_logits

__all__ = [
    "ContinuousBernoulli", "ExpRelaxedCategorical", "LogisticNormal", "LogitRelaxedBernoulli", "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
]  # fmt: skip


class ContinuousBernoulli(OfOdds, ExponentialFamily):
    """The continuous Bernoulli distribution on [0, 1], with the density proportional to p ** x (1 - p) ** (1 - x).

    Parameters
    ----------
    probs, logits: p, or the logarithm of its odds.
    lims: between these probabilities, where the formulas cancel, series around 1/2 are used.
    """

    support, has_rsample = constraints.unit_interval, True

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: Any = (0.499, 0.501), validate_args: bool | None = None
    ) -> None:
        self._lims = lims
        super().__init__(probs, logits, validate_args)
        if logits is None:
            self.probs = clamp_probs(self.probs)

    probs: Any = lazy_property(lambda self: clamp_probs(logits_to_probs(self.logits, is_binary=True)))

    def _away(self) -> tuple[Any, Any]:
        """Where p is away from 1/2, and the probabilities with another one where it is not."""
        p, (low, high) = self.probs, self._lims
        away = (p <= low) | (p > high)
        return away, torch.where(away, p, low * torch.ones_like(p))

    def _cont_bern_log_norm(self) -> Any:
        away, p = self._away()
        below = torch.where(p <= 0.5, p, torch.zeros_like(p))
        above = torch.where(p >= 0.5, p, torch.ones_like(p))
        parts = torch.where(p <= 0.5, torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0))
        x = (self.probs - 0.5) ** 2
        series = log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(away, torch.log(torch.abs(torch.log1p(-p) - torch.log(p))) - parts, series)

    @property
    def mean(self) -> Any:
        """The mean."""
        away, p = self._away()
        x = self.probs - 0.5
        value = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p))
        return torch.where(away, value, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x)

    @property
    def variance(self) -> Any:
        """The variance."""
        away, p = self._away()
        x = (self.probs - 0.5) ** 2
        value = p * (p - 1.0) / (1.0 - 2.0 * p) ** 2 + 1.0 / (torch.log1p(-p) - torch.log(p)) ** 2
        return torch.where(away, value, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def _log_prob(self, value: Any) -> Any:
        return self._cont_bern_log_norm() - cross_entropy(*broadcast_all(self.logits, value))

    def _cdf(self, value: Any) -> Any:
        away, p = self._away()
        found = (p**value * (1.0 - p) ** (1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        return torch.where(value <= 0, 0.0, torch.where(value >= 1, 1.0, torch.where(away, found, value)))

    def icdf(self, value: Any) -> Any:
        away, p = self._away()
        found = (torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)) / (torch.log(p) - torch.log1p(-p))
        return torch.where(away, found, value)

    def entropy(self) -> Any:
        none, one = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (none - one) - self._cont_bern_log_norm() - none


class LogitRelaxedBernoulli(OfOdds):
    """The distribution of the log-odds of `RelaxedBernoulli`.

    Parameters
    ----------
    temperature: a tensor. The lower it is, the nearer are samples of `RelaxedBernoulli` to 0 and 1.
    """

    support = constraints.real
    _shared = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    rsample = lambda self, sample_shape=(): self._draw(self._extended_shape(sample_shape))

    def _draw(self, shape: Any) -> Any:
        p, u = clamp_probs(self.probs.expand(shape)), clamp_probs(torch.rand(shape, **like(self.probs)))
        return (probs_to_logits(u, True) + probs_to_logits(p, True)) / self.temperature

    def _log_prob(self, value: Any) -> Any:
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value * self.temperature
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class ExpRelaxedCategorical(OfCategorical):
    """The distribution of the logarithms of `RelaxedOneHotCategorical`."""

    support, has_rsample = constraints.real_vector, True
    _shared = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._set_classes(probs, logits, validate_args)

    def _draw(self, shape: Any) -> Any:
        u = clamp_probs(torch.rand(shape, **like(self.logits)))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def _log_prob(self, value: Any) -> Any:
        k = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        constant = torch.full_like(self.temperature, float(k)).lgamma() + self.temperature.log() * (k - 1)
        score = logits - value * self.temperature
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + constant


class RelaxedBernoulli(TransformedDistribution):
    """A distribution between 0 and 1 that is nearly that of an event, and has derivatives."""

    arg_constraints = OfOdds.arg_constraints
    support, has_rsample = constraints.unit_interval, True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)

    temperature, logits, probs = (forwarded(f"base_dist.{name}") for name in ("temperature", "logits", "probs"))


class RelaxedOneHotCategorical(TransformedDistribution):
    """A distribution of probabilities of classes that is nearly that of one class, and has derivatives."""

    arg_constraints = Categorical.arg_constraints
    support, has_rsample = constraints.simplex, True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(base, ExpTransform(), validate_args)

    temperature, logits, probs = (forwarded(f"base_dist.{name}") for name in ("temperature", "logits", "probs"))


class LogisticNormal(TransformedDistribution):
    """The distribution of the shares that normal numbers give by `StickBreakingTransform`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support, has_rsample = constraints.simplex, True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args)
        super().__init__(base if base.batch_shape else base.expand([1]), StickBreakingTransform(), validate_args)

    loc, scale = forwarded("base_dist.base_dist.loc"), forwarded("base_dist.base_dist.scale")
