"""The discrete distributions: of events, counts and classes."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from ... import torch
from . import constraints
from .distribution import Distribution, ExponentialFamily, Parametrised, can_broadcast, forwarded
from .gammas import Gamma
from .line import whole
from .utils import broadcast_all, lazy_property, like, logits_to_probs, probs_to_logits

__all__ = [
    "Bernoulli", "Binomial", "Categorical", "Geometric", "MixtureSameFamily", "Multinomial", "NegativeBinomial",
    "OneHotCategorical", "OneHotCategoricalStraightThrough", "Poisson",
]  # fmt: skip


class OfOdds(Parametrised):
    """A distribution that is told by a probability, `probs`, or by the logarithm of its odds, `logits`."""

    arg_constraints: Any = {"probs": constraints.unit_interval, "logits": constraints.real}
    has_rsample, _binary = False, True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_odds(probs, logits)
        self._begin(self._param.shape, (), validate_args)

    def _set_odds(self, probs: Any, logits: Any, *others: Any) -> list[Any]:
        """Set what is given of the two. Return the other parameters, in its shape and dtype."""
        self._given = _one_of(probs, logits)
        *rest, value = broadcast_all(*others, probs if logits is None else logits)
        setattr(self, self._given, value)
        return [x.type_as(value) for x in rest]

    logits: Any = lazy_property(lambda self: probs_to_logits(self.probs, self._binary))
    probs: Any = lazy_property(lambda self: logits_to_probs(self.logits, self._binary))
    _param = property(lambda self: getattr(self, self._given))
    param_shape = property(lambda self: self._param.size(), doc="The shape of the parameter.")


def _one_of(probs: Any, logits: Any) -> str:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return "probs" if logits is None else "logits"


def cross_entropy(logits: Any, target: Any) -> Any:
    """Compute minus the logarithm of the probability of an event, or of its absence, from its log-odds."""
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")


class Bernoulli(OfOdds, ExponentialFamily):
    """The distribution of an event, 1, or its absence, 0."""

    support, has_enumerate_support = constraints.boolean, True
    mean = forwarded("probs")
    mode = property(lambda self: torch.where(self.probs == 0.5, nan, (self.probs >= 0.5).to(self.probs.dtype)))
    variance = property(lambda self: self.probs * (1 - self.probs))
    _draw = lambda self, shape: torch.bernoulli(self.probs.expand(shape))
    _log_prob = lambda self, value: -cross_entropy(*broadcast_all(self.logits, value))
    entropy = lambda self: cross_entropy(self.logits, self.probs)
    enumerate_support = lambda self, expand=True: _up_to(1, self, expand)


def _up_to(most: int, d: Any, expand: bool) -> Any:
    """The whole numbers from 0 on, along a new first axis; repeated for a batch or not."""
    values = torch.arange(1 + most, dtype=d._param.dtype).reshape((-1, *(1,) * len(d.batch_shape)))
    return values.expand((-1, *d.batch_shape)) if expand else values


class Geometric(OfOdds):
    """The distribution of the number of failures before the first success."""

    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ValueError(
                f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of distribution {self!r} to be "
                f"positive but found invalid values:\n{self.probs[self.probs <= 0]}"
            )

    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: torch.zeros_like(self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)
    entropy = lambda self: cross_entropy(self.logits, self.probs) / self.probs

    def _draw(self, shape: Any) -> Any:
        u = torch.rand(shape, **like(self.probs)).clamp(min=torch.finfo(self.probs.dtype).tiny)
        return (u.log() / (-self.probs).log1p()).floor()

    def _log_prob(self, value: Any) -> Any:
        value, probs = broadcast_all(value, self.probs)
        certain = torch.where((probs == 1) & (value == 0), torch.zeros_like(probs), probs)
        return value * (-certain).log1p() + self.probs.log()


class Binomial(OfOdds):
    """The distribution of the number of events among `total_count` trials."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, **OfOdds.arg_constraints}
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        (self.total_count,) = self._set_odds(probs, logits, total_count)
        self._begin(self._param.shape, (), validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self.total_count), is_discrete=True, event_dim=0
    )
    mean = property(lambda self: self.total_count * self.probs)
    mode = property(lambda self: torch.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count))
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))
    _draw = lambda self, shape: torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))
    enumerate_support = lambda self, expand=True: _up_to(self._one_count("enumerate_support"), self, expand)

    def _log_prob(self, value: Any) -> Any:
        n, logits = self.total_count, self.logits
        ways = torch.lgamma(n + 1) - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2  # its slope at 0 is 1/2
        return ways + value * logits - n * (above + torch.log1p(torch.exp(-torch.abs(logits))))

    def _one_count(self, of: str) -> int:
        most = int(self.total_count.max())
        if int(self.total_count.min()) != most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{of}`.")
        return most

    def entropy(self) -> Any:
        self._one_count("entropy")
        found = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(found) * found).sum(0)


class NegativeBinomial(OfOdds):
    """The distribution of the number of events before `total_count` failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }  # fmt: skip
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        (self.total_count,) = self._set_odds(probs, logits, total_count)
        self._begin(self._param.shape, (), validate_args)

    mean = property(lambda self: self.total_count * torch.exp(self.logits))
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / torch.sigmoid(-self.logits))

    def _draw(self, shape: Any) -> Any:
        return torch.poisson(Gamma(self.total_count, torch.exp(-self.logits), validate_args=False)._draw(shape))

    def _log_prob(self, value: Any) -> Any:
        n, log_sigmoid = self.total_count, torch.nn.functional.logsigmoid
        ways = torch.lgamma(n + value) - torch.lgamma(1.0 + value) - torch.lgamma(n)
        odds = n * log_sigmoid(-self.logits) + value * log_sigmoid(self.logits)
        return odds + torch.where(n + value == 0, 0.0, ways)


class Poisson(Parametrised, ExponentialFamily):
    """The Poisson distribution of counts with a mean, `rate`."""

    arg_constraints = {"rate": constraints.nonnegative}
    support, has_rsample = constraints.nonnegative_integer, False

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        self._begin(self.rate.shape, (), validate_args)

    mean, variance = forwarded("rate"), forwarded("rate")
    mode = property(lambda self: self.rate.floor())
    _draw = lambda self, shape: torch.poisson(self.rate.expand(shape))

    def _log_prob(self, value: Any) -> Any:
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()


# --- classes ---------------------------------------------------------------------------------------------------------


class Categorical(OfOdds):
    """The distribution of a class, by probabilities along the last axis that need not be normalised.

    Parameters
    ----------
    probs: the probabilities, which are divided by their sum.
    logits: their logarithms instead, from which the logarithm of the sum is taken.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.distributions.Categorical(torch.tensor([1.0, 2.0, 1.0])).probs
    tensor([0.2500, 0.5000, 0.2500])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support, _binary = True, False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._given = _one_of(probs, logits)
        value = probs if logits is None else logits
        if value.dim() < 1:
            raise ValueError(f"`{self._given}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._num_events = value.shape[-1]
        self._begin(value.shape[:-1], (), validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self._num_events - 1), is_discrete=True, event_dim=0
    )
    mean, variance = (property(lambda self: whole(self, nan, self.probs)) for _ in range(2))
    mode = property(lambda self: self.probs.argmax(dim=-1))
    enumerate_support = lambda self, expand=True: _up_to(self._num_events - 1, self, expand).long()

    def _draw(self, shape: Any) -> Any:
        rows = self.probs.reshape((-1, self._num_events))
        count = shape[: len(shape) - len(self.batch_shape)].numel()
        return torch.multinomial(rows, count, True).t().reshape(shape)

    def _log_prob(self, value: Any) -> Any:
        value, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits.clamp(min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


class OfCategorical(Parametrised):
    """A distribution that is told by the probabilities of classes."""

    arg_constraints = Categorical.arg_constraints
    has_rsample = False

    def _set_classes(self, probs: Any, logits: Any, validate_args: Any) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        self._begin(shape[:-1], shape[-1:], validate_args)

    probs, logits = forwarded("_categorical.probs"), forwarded("_categorical.logits")
    _param, param_shape = forwarded("_categorical._param"), forwarded("_categorical.param_shape")

    def _vectors(self, classes: Any) -> Any:
        """Vectors with a 1 in the place of a class, and 0 elsewhere."""
        return torch.nn.functional.one_hot(classes, self.event_shape[0])


class OneHotCategorical(OfCategorical):
    """The distribution of a class, as a vector with a 1 in its place and 0 elsewhere."""

    support, has_enumerate_support = constraints.one_hot, True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_classes(probs, logits, validate_args)

    mean = forwarded("probs")
    mode = property(lambda self: self._vectors(self._categorical.mode).to(self.probs.dtype))
    variance = property(lambda self: self.probs * (1 - self.probs))
    sample = lambda self, sample_shape=(): self._vectors(self._categorical.sample(sample_shape)).to(self.probs.dtype)
    _log_prob = lambda self, value: self._categorical.log_prob(value.argmax(-1))
    entropy = lambda self: self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        n, batch = self.event_shape[0], self.batch_shape
        values = torch.eye(n, dtype=self._param.dtype).reshape((n, *(1,) * len(batch), n))
        return values.expand((n, *batch, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical`, whose samples have the derivatives of the probabilities."""

    has_rsample = True
    rsample = lambda self, sample_shape=(): self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(OfCategorical):
    """The distribution of how many of `total_count` draws are of each class."""

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._set_classes(probs, logits, validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.multinomial(self.total_count), is_discrete=True, event_dim=1
    )
    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        return self._vectors(drawn).sum(0).to(self.probs.dtype)

    def _log_prob(self, value: Any) -> Any:
        logits, value = broadcast_all(self.logits, value)
        logits = torch.where((value == 0) & (logits == -inf), torch.zeros_like(logits), logits)
        return torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)

    def entropy(self) -> Any:
        n = torch.as_tensor(float(self.total_count), dtype=self.probs.dtype)
        each = Binomial(self.total_count, self.probs)
        counts = each.enumerate_support(expand=False)[1:]
        ways = (torch.exp(each.log_prob(counts)) * torch.lgamma(counts + 1)).sum(0).sum(-1)
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + ways


class MixtureSameFamily(Parametrised):
    """A mixture of distributions: a `Categorical` chooses from those along the last batch axis of the components."""

    arg_constraints: Any = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError("The Mixture distribution needs to be an instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        outer, inner = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if not can_broadcast(outer, inner):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({outer}) is not compatible with "
                f"`component_distribution.batch_shape`({inner})"
            )
        count, own = mixture_distribution.param_shape[-1], component_distribution.batch_shape[-1]
        if count != own:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({own})"
            )
        self._num_component, self._event_ndims = count, len(component_distribution.event_shape)
        self._begin(inner, component_distribution.event_shape, validate_args)

    def _batch_of(self, name: str, batch_shape: Any) -> Any:
        return batch_shape if name == "_mixture_distribution" else (*batch_shape, self._num_component)

    support = constraints.dependent_property(
        lambda self: constraints.MixtureSameFamilyConstraint(self._component_distribution.support)
    )
    mixture_distribution = forwarded("_mixture_distribution")
    component_distribution = forwarded("_component_distribution")

    def _pad(self, x: Any) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    def _weighted(self, x: Any) -> Any:
        """The mean over the components."""
        probs = self.mixture_distribution.probs
        probs = probs.reshape((*probs.shape, *(1,) * self._event_ndims))
        return (probs * x).sum(-1 - self._event_ndims)

    mean = property(lambda self: self._weighted(self.component_distribution.mean))

    @property
    def variance(self) -> Any:
        """The variance: the mean of the variances, and the variance of the means."""
        own = self.component_distribution
        return self._weighted(own.variance) + self._weighted((own.mean - self._pad(self.mean)).pow(2.0))

    def cdf(self, value: Any) -> Any:
        return (self.component_distribution.cdf(self._pad(value)) * self.mixture_distribution.probs).sum(-1)

    def _log_prob(self, value: Any) -> Any:
        each = self.component_distribution.log_prob(self._pad(value))
        return torch.logsumexp(each + torch.log_softmax(self.mixture_distribution.logits, -1), -1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            axis = len(sample_shape) + len(self.batch_shape)
            which = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            shape = (*drawn.shape[:axis], 1, *drawn.shape[axis + 1 :])
            which = which.reshape((*which.shape, *(1,) * (1 + self._event_ndims))).expand(shape)
            return torch.gather(drawn, axis, which).squeeze(axis)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
