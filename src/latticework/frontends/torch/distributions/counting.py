"""The discrete distributions: of events, counts and classes."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from ... import torch
from . import constraints
from .distribution import Distribution, ExponentialFamily, Parametrised
from .gammas import Gamma
from .line import whole
from .transformed import forwarded
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits, standard_uniform

__all__ = [
    "Bernoulli", "Binomial", "Categorical", "Geometric", "MixtureSameFamily", "Multinomial", "NegativeBinomial",
    "OneHotCategorical", "OneHotCategoricalStraightThrough", "Poisson",
]  # fmt: skip


class OfOdds(Parametrised):
    """A distribution that is told by a probability, or by the logarithm of its odds."""

    arg_constraints: Any = {"probs": constraints.unit_interval, "logits": constraints.real}
    _kept: tuple[str, ...] = ("_given",)

    def _set_odds(self, probs: Any, logits: Any, validate_args: Any, **others: Any) -> None:
        self._given = _one_of(probs, logits)
        value = probs if logits is None else logits
        if not others:
            self._set(validate_args, **{self._given: value})
            return
        names = [*others, self._given]
        found = dict(zip(names, broadcast_all(*others.values(), value), strict=True))
        like = found[self._given]
        self._set(validate_args, **{name: x.type_as(like) for name, x in found.items()})

    @lazy_property
    def logits(self) -> Any:
        """The logarithm of the odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Any:
        """The probability."""
        return logits_to_probs(self.logits, is_binary=True)

    _param = property(lambda self: getattr(self, self._given))
    param_shape = property(lambda self: self._param.size(), doc="The shape of the parameter.")


def _one_of(probs: Any, logits: Any) -> str:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return "probs" if logits is None else "logits"


def _with_logits(logits: Any, target: Any) -> Any:
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")


def _listed(values: Any, batch_shape: Any, expand: bool) -> Any:
    """Values along a new first axis, repeated for a batch or not."""
    values = values.reshape((-1, *(1,) * len(batch_shape)))
    return values.expand((-1, *batch_shape)) if expand else values


class Bernoulli(OfOdds, ExponentialFamily):
    """The distribution of an event, 1, or its absence, 0.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.distributions.Bernoulli(torch.tensor([0.25, 0.5])).log_prob(torch.tensor(1.0)).exp()
    tensor([0.2500, 0.5000])
    """

    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_odds(probs, logits, validate_args)

    mean = forwarded("probs")
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self) -> Any:
        """The more probable value, nan where both are as probable."""
        p = self.probs
        return torch.where(p == 0.5, nan, (p >= 0.5).to(p.dtype))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        return -_with_logits(*broadcast_all(self.logits, self._checked(value)))

    def entropy(self) -> Any:
        return _with_logits(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Any:
        return _listed(torch.arange(2, dtype=self._param.dtype), self.batch_shape, expand)

    _natural_params = property(lambda self: (torch.logit(self.probs),))

    def _log_normalizer(self, x: Any) -> Any:
        return torch.log1p(torch.exp(x))


class Geometric(OfOdds):
    """The distribution of the number of failures before the first success."""

    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_odds(probs, logits, validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ValueError(
                f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of distribution {self!r} to be "
                f"positive but found invalid values:\n{self.probs[self.probs <= 0]}"
            )

    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: torch.zeros_like(self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            u = standard_uniform(self._extended_shape(sample_shape), self.probs)
            u = u.clamp(min=torch.finfo(u.dtype).tiny)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        value, probs = broadcast_all(self._checked(value), self.probs)
        certain = torch.where((probs == 1) & (value == 0), torch.zeros_like(probs), probs)
        return value * (-certain).log1p() + self.probs.log()

    def entropy(self) -> Any:
        return _with_logits(self.logits, self.probs) / self.probs


class Binomial(OfOdds):
    """The distribution of the number of events among `total_count` trials."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, **OfOdds.arg_constraints}
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._set_odds(probs, logits, validate_args, total_count=total_count)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The whole numbers up to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    mean = property(lambda self: self.total_count * self.probs)
    mode = property(lambda self: torch.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count))
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        k, n, logits = self._checked(value), self.total_count, self.logits
        ways = torch.lgamma(n + 1) - torch.lgamma(k + 1) - torch.lgamma(n - k + 1)
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2  # its slope at 0 is 1/2
        return ways + k * logits - n * (above + torch.log1p(torch.exp(-torch.abs(logits))))

    def _one_count(self, of: str) -> int:
        most = int(self.total_count.max())
        if int(self.total_count.min()) != most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{of}`.")
        return most

    def entropy(self) -> Any:
        self._one_count("entropy")
        found = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(found) * found).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        count = 1 + self._one_count("enumerate_support")
        return _listed(torch.arange(count, dtype=self._param.dtype), self.batch_shape, expand)


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
        self._set_odds(probs, logits, validate_args, total_count=total_count)

    mean = property(lambda self: self.total_count * torch.exp(self.logits))
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / torch.sigmoid(-self.logits))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            rate = Gamma(self.total_count, torch.exp(-self.logits), validate_args=False).sample(sample_shape)
            return torch.poisson(rate)

    def log_prob(self, value: Any) -> Any:
        k, n, log_sigmoid = self._checked(value), self.total_count, torch.nn.functional.logsigmoid
        ways = torch.lgamma(n + k) - torch.lgamma(1.0 + k) - torch.lgamma(n)
        none = n + k == 0
        return n * log_sigmoid(-self.logits) + k * log_sigmoid(self.logits) + torch.where(none, 0.0, ways)


class Poisson(Parametrised, ExponentialFamily):
    """The Poisson distribution of counts with a mean, `rate`."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, rate=rate)

    mean, variance = forwarded("rate"), forwarded("rate")
    mode = property(lambda self: self.rate.floor())

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        rate, value = broadcast_all(self.rate, self._checked(value))
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    _natural_params = property(lambda self: (torch.log(self.rate),))

    def _log_normalizer(self, x: Any) -> Any:
        return torch.exp(x)


# --- classes ---------------------------------------------------------------------------------------------------------


class Categorical(Parametrised):
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
    has_enumerate_support = True
    _event_dims = {"probs": 1, "logits": 1}
    _kept = ("_given", "_num_events")

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
        super().__init__(value.shape[:-1], (), validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The numbers of the classes."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return logits_to_probs(self.logits)

    _param = property(lambda self: getattr(self, self._given))
    param_shape = property(lambda self: self._param.size(), doc="The shape of the parameter.")
    mean = property(lambda self: whole(self, nan, self.probs))
    variance = property(lambda self: whole(self, nan, self.probs))
    mode = property(lambda self: self.probs.argmax(dim=-1))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            rows = self.probs.reshape((-1, self._num_events))
            drawn = torch.multinomial(rows, torch.Size(sample_shape).numel(), True)
            return drawn.t().reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        value, logits = torch.broadcast_tensors(self._checked(value).long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits.clamp(min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        return _listed(torch.arange(self._num_events), self.batch_shape, expand)


class OfCategorical(Parametrised):
    """A distribution that is told by the probabilities of classes."""

    arg_constraints = Categorical.arg_constraints
    _inner = ("_categorical",)

    def _set_classes(self, probs: Any, logits: Any, validate_args: Any) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args)

    probs, logits = forwarded("_categorical.probs"), forwarded("_categorical.logits")
    _param, param_shape = forwarded("_categorical._param"), forwarded("_categorical.param_shape")


class OneHotCategorical(OfCategorical):
    """The distribution of a class, as a vector with a 1 in its place and 0 elsewhere."""

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_classes(probs, logits, validate_args)

    mean = forwarded("probs")
    mode = property(lambda self: self._vectors(self._categorical.mode))
    variance = property(lambda self: self.probs * (1 - self.probs))

    def _vectors(self, classes: Any) -> Any:
        return torch.nn.functional.one_hot(classes, self.event_shape[0]).to(self.probs.dtype)

    def sample(self, sample_shape: Any = ()) -> Any:
        return self._vectors(self._categorical.sample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        return self._categorical.log_prob(self._checked(value).argmax(-1))

    def entropy(self) -> Any:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        n, batch = self.event_shape[0], self.batch_shape
        values = torch.eye(n, dtype=self._param.dtype).reshape((n, *(1,) * len(batch), n))
        return values.expand((n, *batch, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical`, whose samples have the derivatives of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(OfCategorical):
    """The distribution of how many of `total_count` draws are of each class."""

    _kept = ("total_count",)

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._set_classes(probs, logits, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """The counts whose sum is not above `total_count`."""
        return constraints.multinomial(self.total_count)

    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        return torch.nn.functional.one_hot(drawn, self.event_shape[0]).sum(0).to(self.probs.dtype)

    def log_prob(self, value: Any) -> Any:
        logits, value = broadcast_all(self.logits, self._checked(value))
        logits = torch.where((value == 0) & (logits == -inf), torch.zeros_like(logits), logits)
        return torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)

    def entropy(self) -> Any:
        n = torch.as_tensor(float(self.total_count), dtype=self.probs.dtype)
        each = Binomial(self.total_count, self.probs)
        counts = each.enumerate_support(expand=False)[1:]
        ways = (torch.exp(each.log_prob(counts)) * torch.lgamma(counts + 1)).sum(0).sum(-1)
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + ways


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one family: first a component is drawn, then a sample of it.

    Parameters
    ----------
    mixture_distribution: a `Categorical`, of the components.
    component_distribution: the components along its last batch axis.
    """

    arg_constraints: Any = {}

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError("The Mixture distribution needs to be an instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        outer, inner = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(i != j and 1 not in (i, j) for i, j in zip(reversed(outer), reversed(inner), strict=False)):
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
        super().__init__(inner, component_distribution.event_shape, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        """The constraint of samples."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = forwarded("_mixture_distribution")
    component_distribution = forwarded("_component_distribution")

    def _pad(self, x: Any) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    def _weighted(self, x: Any) -> Any:
        """The mean over the components."""
        probs = self.mixture_distribution.probs
        probs = probs.reshape((*probs.shape, *(1,) * self._event_ndims))
        return (probs * x).sum(-1 - self._event_ndims)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self._weighted(self.component_distribution.mean)

    @property
    def variance(self) -> Any:
        """The variance: the mean of the variances, and the variance of the means."""
        own = self.component_distribution
        return self._weighted(own.variance) + self._weighted((own.mean - self._pad(self.mean)).pow(2.0))

    def cdf(self, value: Any) -> Any:
        return (self.component_distribution.cdf(self._pad(value)) * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Any) -> Any:
        each = self.component_distribution.log_prob(self._pad(self._checked(value)))
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
