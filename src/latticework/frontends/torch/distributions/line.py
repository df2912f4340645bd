"""The distributions of real numbers that a uniform or a normal number makes."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, nan, pi, sqrt
from typing import Any

from ... import torch
from . import constraints
from .bijections import AbsTransform, AffineTransform, ExpTransform
from .distribution import ExponentialFamily, Parametrised, forwarded
from .transformed import TransformedDistribution
from .utils import broadcast_all, euler_constant, lazy_property, like

__all__ = [
    "Cauchy", "GeneralizedPareto", "Gumbel", "HalfCauchy", "HalfNormal", "Laplace", "LogNormal", "Normal", "Uniform",
    "VonMises",
]  # fmt: skip

_LOC_SCALE = {"loc": constraints.real, "scale": constraints.positive}


def whole(d: Any, value: float, of: Any) -> Any:
    """Return a tensor of one number, for each distribution of a batch."""
    return torch.full(d._extended_shape(), value, **like(of))


class _LocScale(Parametrised):
    """The distribution of ``loc + scale * z``, where z has a density that is the same on both sides of 0.

    A class has, of z: the logarithm of the density `_density`, the probability `_probability` of what is below, its
    inverse `_quantile`, and the entropy `_disorder`.
    """

    arg_constraints, support = _LOC_SCALE, constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        self._begin(self.loc.shape, (), validate_args)

    mean, mode = forwarded("loc"), forwarded("loc")
    _z = lambda self, value: (value - self.loc) / self.scale
    _log_prob = lambda self, value: self._density(self._z(value)) - self.scale.log()
    _cdf = lambda self, value: self._probability(self._z(value))
    icdf = lambda self, value: self.loc + self.scale * self._quantile(value)
    entropy = lambda self: self._disorder + self.scale.log()


class Normal(_LocScale, ExponentialFamily):
    """The normal distribution with a mean and a standard deviation.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> normal = torch.distributions.Normal(0.0, torch.tensor([1.0, 2.0]))
    >>> normal.log_prob(torch.tensor(1.0)), normal.cdf(torch.tensor(0.0))
    (tensor([-1.4189, -1.7371]), tensor([0.5000, 0.5000]))
    """

    stddev = forwarded("scale")
    variance = property(lambda self: self.stddev.pow(2))
    _disorder = 0.5 + 0.5 * log(2 * pi)
    _density = lambda self, z: -z * z / 2 - log(sqrt(2 * pi))
    _probability = lambda self, z: 0.5 * (1 + torch.erf(z / sqrt(2)))
    _quantile = lambda self, p: torch.erfinv(2 * p - 1) * sqrt(2)
    _draw = lambda self, shape: self.loc + torch.randn(shape, **like(self.loc)) * self.scale


class Laplace(_LocScale):
    """The Laplace distribution, whose density falls exponentially on both sides."""

    stddev = property(lambda self: sqrt(2) * self.scale)
    variance = property(lambda self: 2 * self.scale.pow(2))
    _disorder = 1 + log(2)
    _density = lambda self, z: -log(2) - z.abs()
    _probability = lambda self, z: 0.5 - 0.5 * z.sign() * torch.expm1(-z.abs())
    _quantile = lambda self, p: -(p - 0.5).sign() * torch.log1p(-2 * (p - 0.5).abs())

    def _draw(self, shape: Any) -> Any:
        info = torch.finfo(self.loc.dtype)
        u = (torch.rand(shape, **like(self.loc)) * 2 - 1).clamp(min=info.eps - 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs().clamp(min=info.tiny))


class Cauchy(_LocScale):
    """The Cauchy distribution, which has no mean."""

    mean = property(lambda self: whole(self, nan, self.loc))
    variance = property(lambda self: whole(self, inf, self.loc))
    _disorder = log(4 * pi)
    _density = lambda self, z: -log(pi) - (z**2).log1p()
    _probability = lambda self, z: torch.atan(z) / pi + 0.5
    _quantile = lambda self, p: torch.tan(pi * (p - 0.5))


class Uniform(Parametrised):
    """The uniform distribution on [low, high)."""

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        self._begin(self.low.shape, (), validate_args)

    arg_constraints = property(
        lambda self: {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}
    )
    support = constraints.dependent_property(
        lambda self: constraints.interval(self.low, self.high), is_discrete=False, event_dim=0
    )
    _width = property(lambda self: self.high - self.low)
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: nan * self.high)
    stddev = property(lambda self: self._width / 12**0.5)
    variance = property(lambda self: self._width.pow(2) / 12)
    _cdf = lambda self, value: ((value - self.low) / self._width).clamp(min=0, max=1)
    icdf = lambda self, value: value * self._width + self.low
    entropy = lambda self: torch.log(self._width)

    def _log_prob(self, value: Any) -> Any:
        return torch.log(((self.low <= value) & (self.high > value)).type_as(self.low)) - torch.log(self._width)


class GeneralizedPareto(Parametrised):
    """The generalised Pareto distribution: of what exceeds `loc`, with a tail that `concentration` tells."""

    arg_constraints = {**_LOC_SCALE, "concentration": constraints.real}

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        self._begin(self.loc.shape, (), validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The numbers above `loc`, with an upper bound where the concentration is negative."""
        c = self.concentration
        upper = torch.where(c < 0, self.loc - self.scale / torch.where(c < 0, c, torch.ones_like(c)), inf)
        return constraints.interval(self.loc, upper)

    mode = forwarded("loc")

    def _of_low(self, bound: float, moment: Callable[[Any], Any]) -> Any:
        """A moment, by a function of the concentration; nan from a bound on, where there is none."""
        low = self.concentration < bound
        return torch.where(low, moment(torch.where(low, self.concentration, bound / 2)), nan)

    mean = property(lambda self: self._of_low(1, lambda c: self.loc + self.scale / (1 - c)))
    variance = property(lambda self: self._of_low(0.5, lambda c: self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c))))

    def _tail(self) -> tuple[Any, Any]:
        """Where the concentration is 0, and the concentrations with 1 there."""
        c = self.concentration
        zero = torch.isclose(c, torch.zeros_like(c))
        return zero, torch.where(zero, torch.ones_like(c), c)

    _cdf = lambda self, value: torch.exp(self.log_cdf(value))
    entropy = lambda self: torch.log(self.scale) + self.concentration + 1

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
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

    def icdf(self, value: Any) -> Any:
        zero, c = self._tail()
        survives = torch.log1p(-value)
        return self.loc + self.scale * torch.where(zero, -survives, torch.expm1(-c * survives) / c)


class VonMises(Parametrised):
    """The von Mises distribution of angles, with the density proportional to exp(concentration cos(x - loc))."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support, has_rsample = constraints.real, False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        self._begin(self.loc.shape, (), validate_args)

    mean, mode = forwarded("loc"), forwarded("loc")

    #: Of angles on a circle.
    variance = lazy_property(
        lambda self: 1 - torch.special.i1e(self.concentration) / torch.special.i0e(self.concentration)
    )

    def _log_prob(self, value: Any) -> Any:
        c = self.concentration
        return c * torch.cos(value - self.loc) - log(2 * pi) - torch.special.i0e(c).log() - c

    def _draw(self, shape: Any) -> Any:
        """Draw samples, by rejection from a wrapped Cauchy distribution (Best and Fisher, 1979)."""
        loc, c = self.loc.double(), self.concentration.double()
        tau = 1 + (1 + 4 * c**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * c)
        r = torch.where(c < 1e-5, 1 / c + c, (1 + rho**2) / (2 * rho))
        found, done = torch.zeros(shape, dtype=loc.dtype), torch.zeros(shape, dtype=torch.bool)
        while not bool(done.all()):
            u1, u2, u3 = torch.rand((3, *shape), **like(loc)).unbind()
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

    arg_constraints, support, has_rsample = _LOC_SCALE, constraints.positive, True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    loc, scale = forwarded("base_dist.loc"), forwarded("base_dist.scale")
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())
    variance = property(lambda self: self.scale.pow(2).expm1() * (2 * self.loc + self.scale.pow(2)).exp())
    entropy = lambda self: self.base_dist.entropy() + self.loc


class Gumbel(TransformedDistribution):
    """The Gumbel distribution: of the largest of many numbers."""

    arg_constraints, support = _LOC_SCALE, constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = torch.finfo(self.loc.dtype)
        base = Uniform(torch.full_like(self.loc, info.tiny), torch.full_like(self.loc, 1 - info.eps), validate_args)
        to_log, down = ExpTransform().inv, AffineTransform(loc=0, scale=-torch.ones_like(self.scale))
        steps = [to_log, down, ExpTransform().inv, AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(base, steps, validate_args)

    mode = forwarded("loc")
    mean = property(lambda self: self.loc + self.scale * euler_constant)
    stddev = property(lambda self: pi / sqrt(6) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))
    entropy = lambda self: self.scale.log() + (1 + euler_constant)

    def _log_prob(self, value: Any) -> Any:
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()


class _Half(TransformedDistribution):
    """The absolute value of a number with a density that is the same on both sides of 0."""

    arg_constraints, support, has_rsample = {"scale": constraints.positive}, constraints.nonnegative, True
    _of: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._of(0, scale, validate_args=False), AbsTransform(), validate_args)

    scale = forwarded("base_dist.scale")
    mode = property(lambda self: torch.zeros_like(self.scale))
    cdf = lambda self, value: 2 * self.base_dist.cdf(self._checked(value)) - 1
    entropy = lambda self: self.base_dist.entropy() - log(2)

    def icdf(self, prob: Any) -> Any:
        return self.base_dist.icdf((prob + 1) / 2)

    def _log_prob(self, value: Any) -> Any:
        value = torch.as_tensor(value, dtype=self.scale.dtype)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + log(2), -inf)


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
