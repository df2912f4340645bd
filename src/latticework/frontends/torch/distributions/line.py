"""The distributions of real numbers that a uniform or a normal number makes."""

from __future__ import annotations

from math import inf, log, nan, pi, sqrt
from typing import Any

from ... import torch
from . import constraints
from .bijections import AbsTransform, AffineTransform, ExpTransform
from .distribution import ExponentialFamily, Parametrised
from .transformed import TransformedDistribution, forwarded
from .utils import euler_constant, lazy_property, standard_normal, standard_uniform

__all__ = [
    "Cauchy", "GeneralizedPareto", "Gumbel", "HalfCauchy", "HalfNormal", "Laplace", "LogNormal", "Normal", "Uniform",
    "VonMises",
]  # fmt: skip

_LOC_SCALE = {"loc": constraints.real, "scale": constraints.positive}


def whole(d: Any, value: float, like: Any) -> Any:
    """Return a tensor of one number, for each distribution of a batch."""
    return torch.full(d._extended_shape(), value, dtype=like.dtype, device=like.device)


class Normal(Parametrised, ExponentialFamily):
    """The normal distribution with a mean and a standard deviation.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> normal = torch.distributions.Normal(0.0, torch.tensor([1.0, 2.0]))
    >>> normal.log_prob(torch.tensor(1.0)), normal.cdf(torch.tensor(0.0))
    (tensor([-1.4189, -1.7371]), tensor([0.5000, 0.5000]))
    """

    arg_constraints = _LOC_SCALE
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mean, mode, stddev = forwarded("loc"), forwarded("loc"), forwarded("scale")
    variance = property(lambda self: self.stddev.pow(2))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value: Any) -> Any:
        z = (self._checked(value) - self.loc) / self.scale
        return -z * z / 2 - self.scale.log() - log(sqrt(2 * pi))

    def cdf(self, value: Any) -> Any:
        return 0.5 * (1 + torch.erf((self._checked(value) - self.loc) * self.scale.reciprocal() / sqrt(2)))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * log(2 * pi) + torch.log(self.scale)

    @property
    def _natural_params(self) -> Any:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return -0.25 * x.pow(2) / y + 0.5 * torch.log(-pi / y)


class Laplace(Parametrised):
    """The Laplace distribution, whose density falls exponentially on both sides."""

    arg_constraints = _LOC_SCALE
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mean, mode = forwarded("loc"), forwarded("loc")
    stddev = property(lambda self: sqrt(2) * self.scale)
    variance = property(lambda self: 2 * self.scale.pow(2))

    def rsample(self, sample_shape: Any = ()) -> Any:
        info = torch.finfo(self.loc.dtype)
        u = standard_uniform(self._extended_shape(sample_shape), self.loc) * 2 - 1
        u = u.clamp(min=info.eps - 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs().clamp(min=info.tiny))

    def log_prob(self, value: Any) -> Any:
        return -torch.log(2 * self.scale) - torch.abs(self._checked(value) - self.loc) / self.scale

    def cdf(self, value: Any) -> Any:
        x = self._checked(value) - self.loc
        return 0.5 - 0.5 * x.sign() * torch.expm1(-x.abs() / self.scale)

    def icdf(self, value: Any) -> Any:
        x = value - 0.5
        return self.loc - self.scale * x.sign() * torch.log1p(-2 * x.abs())

    def entropy(self) -> Any:
        return 1 + torch.log(2 * self.scale)


class Cauchy(Parametrised):
    """The Cauchy distribution, which has no mean."""

    arg_constraints = _LOC_SCALE
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mode = forwarded("loc")
    mean = property(lambda self: whole(self, nan, self.loc))
    variance = property(lambda self: whole(self, inf, self.loc))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(standard_uniform(self._extended_shape(sample_shape), self.loc))

    def log_prob(self, value: Any) -> Any:
        z = (self._checked(value) - self.loc) / self.scale
        return -log(pi) - self.scale.log() - (z**2).log1p()

    def cdf(self, value: Any) -> Any:
        return torch.atan((self._checked(value) - self.loc) / self.scale) / pi + 0.5

    def icdf(self, value: Any) -> Any:
        return torch.tan(pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Any:
        return log(4 * pi) + self.scale.log()


class Uniform(Parametrised):
    """The uniform distribution on [low, high)."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> Any:
        """The constraints of the bounds."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The interval between the bounds."""
        return constraints.interval(self.low, self.high)

    _width = property(lambda self: self.high - self.low)
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: nan * self.high)
    stddev = property(lambda self: self._width / 12**0.5)
    variance = property(lambda self: self._width.pow(2) / 12)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.low + standard_uniform(self._extended_shape(sample_shape), self.low) * self._width

    def log_prob(self, value: Any) -> Any:
        inside = (self.low <= self._checked(value)) & (self.high > value)
        return torch.log(inside.type_as(self.low)) - torch.log(self._width)

    def cdf(self, value: Any) -> Any:
        return ((self._checked(value) - self.low) / self._width).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        return value * self._width + self.low

    def entropy(self) -> Any:
        return torch.log(self._width)


class GeneralizedPareto(Parametrised):
    """The generalised Pareto distribution: of what exceeds `loc`, with a tail that `concentration` tells."""

    arg_constraints = {**_LOC_SCALE, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The numbers above `loc`, with an upper bound where the concentration is negative."""
        c = self.concentration
        upper = torch.where(c < 0, self.loc - self.scale / torch.where(c < 0, c, torch.ones_like(c)), inf)
        return constraints.interval(self.loc, upper)

    def _tail(self) -> tuple[Any, Any]:
        """Where the concentration is 0, and the concentrations with 1 there."""
        c = self.concentration
        zero = torch.isclose(c, torch.zeros_like(c))
        return zero, torch.where(zero, torch.ones_like(c), c)

    mode = forwarded("loc")

    @property
    def mean(self) -> Any:
        """The mean, nan where there is none."""
        c = self.concentration
        return torch.where(c < 1, self.loc + self.scale / (1 - torch.where(c < 1, c, 0.5)), nan)

    @property
    def variance(self) -> Any:
        """The variance, nan where there is none."""
        c = torch.where(self.concentration < 0.5, self.concentration, 0.25)
        return torch.where(self.concentration < 0.5, self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c)), nan)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(standard_uniform(self._extended_shape(sample_shape), self.loc))

    def log_prob(self, value: Any) -> Any:
        z = (self._checked(value) - self.loc) / self.scale
        zero, c = self._tail()
        y = 1 / c + torch.ones_like(z)
        return -self.scale.log() - torch.where(zero, z, torch.where(y == 0, y, y * torch.log1p(c * z)))

    def log_survival_function(self, value: Any) -> Any:
        """Compute the logarithm of the probability of what is above a value."""
        z = (self._checked(value) - self.loc) / self.scale
        zero, c = self._tail()
        return torch.where(zero, -z, -torch.log1p(c * z) / c)

    def log_cdf(self, value: Any) -> Any:
        """Compute the logarithm of `cdf`."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Any:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        zero, c = self._tail()
        survives = torch.log1p(-value)
        grown = torch.where(zero, -survives, torch.expm1(-c * survives) / c)
        return self.loc + self.scale * grown

    def entropy(self) -> Any:
        return torch.log(self.scale) + self.concentration + 1


class VonMises(Parametrised):
    """The von Mises distribution of angles, with the density proportional to exp(concentration cos(x - loc))."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, concentration=concentration)

    mean, mode = forwarded("loc"), forwarded("loc")

    @lazy_property
    def variance(self) -> Any:
        """The circular variance."""
        return 1 - torch.special.i1e(self.concentration) / torch.special.i0e(self.concentration)

    def log_prob(self, value: Any) -> Any:
        c = self.concentration
        return c * torch.cos(self._checked(value) - self.loc) - log(2 * pi) - torch.special.i0e(c).log() - c

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples, by rejection from a wrapped Cauchy distribution (Best and Fisher, 1979)."""
        with torch.no_grad():
            loc, c, shape = self.loc.double(), self.concentration.double(), self._extended_shape(sample_shape)
            tau = 1 + (1 + 4 * c**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * c)
            r = torch.where(c < 1e-5, 1 / c + c, (1 + rho**2) / (2 * rho))
            found, done = torch.zeros(shape, dtype=loc.dtype), torch.zeros(shape, dtype=torch.bool)
            while not bool(done.all()):
                u1, u2, u3 = standard_uniform((3, *shape), loc).unbind()
                z = torch.cos(pi * u1)
                f = (1 + r * z) / (r + z)
                k = c * (r - f)
                takes = ((k * (2 - k) - u2 > 0) | ((k / u2).log() + 1 - k >= 0)) & ~done
                found = torch.where(takes, (u3 - 0.5).sign() * f.clamp(min=-1, max=1).acos(), found)
                done = done | takes
            return ((found + pi + loc) % (2 * pi) - pi).to(self.loc.dtype)


# --- that transforms make --------------------------------------------------------------------------------------------


class LogNormal(TransformedDistribution):
    """The distribution of the exponential of a normal number."""

    arg_constraints = _LOC_SCALE
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    loc, scale = forwarded("base_dist.loc"), forwarded("base_dist.scale")
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())
    variance = property(lambda self: self.scale.pow(2).expm1() * (2 * self.loc + self.scale.pow(2)).exp())

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc


class Gumbel(TransformedDistribution):
    """The Gumbel distribution: of the largest of many numbers."""

    arg_constraints = _LOC_SCALE
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        from .utils import broadcast_all

        self.loc, self.scale = broadcast_all(loc, scale)
        info = torch.finfo(self.loc.dtype)
        base = Uniform(torch.full_like(self.loc, info.tiny), torch.full_like(self.loc, 1 - info.eps), validate_args)
        steps = [
            ExpTransform().inv, AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
            ExpTransform().inv, AffineTransform(loc=loc, scale=-self.scale),
        ]  # fmt: skip
        super().__init__(base, steps, validate_args)

    mode = forwarded("loc")
    mean = property(lambda self: self.loc + self.scale * euler_constant)
    stddev = property(lambda self: pi / sqrt(6) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def log_prob(self, value: Any) -> Any:
        y = (self.loc - self._checked(value)) / self.scale
        return y - y.exp() - self.scale.log()

    def entropy(self) -> Any:
        return self.scale.log() + (1 + euler_constant)


class _Half(TransformedDistribution):
    """The absolute value of a number with a density that is the same on both sides of 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _of: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._of(0, scale, validate_args=False), AbsTransform(), validate_args)

    scale = forwarded("base_dist.scale")
    mode = property(lambda self: torch.zeros_like(self.scale))

    def log_prob(self, value: Any) -> Any:
        value = torch.as_tensor(self._checked(value), dtype=self.scale.dtype)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + log(2), -inf)

    def cdf(self, value: Any) -> Any:
        return 2 * self.base_dist.cdf(self._checked(value)) - 1

    def icdf(self, prob: Any) -> Any:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - log(2)


class HalfNormal(_Half):
    """The distribution of the absolute value of a normal number with mean 0."""

    _of = Normal
    mean = property(lambda self: self.scale * sqrt(2 / pi))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / pi))


class HalfCauchy(_Half):
    """The distribution of the absolute value of a Cauchy number around 0."""

    _of = Cauchy
    mean = property(lambda self: whole(self, inf, self.scale))
    variance = forwarded("base_dist.variance")
