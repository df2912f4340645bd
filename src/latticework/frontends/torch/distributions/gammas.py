"""The gamma distribution, and those of powers, quotients and shares of gamma numbers."""

from __future__ import annotations

from math import inf, lgamma, log, nan, pi
from typing import Any

from ... import torch
from . import constraints
from .bijections import AffineTransform, ExpTransform, PowerTransform
from .distribution import ExponentialFamily, Parametrised, forwarded
from .line import Uniform
from .transformed import TransformedDistribution
from .utils import broadcast_all, euler_constant, gamma_logarithm, like

__all__ = [
    "Beta", "Chi2", "Dirichlet", "Exponential", "FisherSnedecor", "Gamma", "InverseGamma", "Kumaraswamy", "Pareto",
    "StudentT", "Weibull",
]  # fmt: skip

_POSITIVE = constraints.positive


class Gamma(Parametrised, ExponentialFamily):
    """The gamma distribution with a shape, `concentration`, and the reciprocal of a scale, `rate`."""

    arg_constraints, support = {"concentration": _POSITIVE, "rate": _POSITIVE}, constraints.nonnegative

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        self._begin(self.concentration.shape, (), validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))
    _cdf = lambda self, value: torch.special.gammainc(self.concentration, self.rate * value)

    def _draw(self, shape: Any) -> Any:
        drawn = gamma_logarithm(self.concentration.expand(shape)).exp() / self.rate
        return drawn + (torch.finfo(drawn.dtype).tiny - drawn.detach()).clamp(min=0)

    def log_prob(self, value: Any) -> Any:
        a, b, value = self.concentration, self.rate, self._checked(torch.as_tensor(value, dtype=self.rate.dtype))
        return torch.xlogy(a, b) + torch.xlogy(a - 1, value) - b * value - torch.lgamma(a)

    def entropy(self) -> Any:
        a = self.concentration
        return a - torch.log(self.rate) + torch.lgamma(a) + (1.0 - a) * torch.digamma(a)


class Chi2(Gamma):
    """The distribution of the sum of the squares of `df` standard normal numbers."""

    arg_constraints = {"df": _POSITIVE}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args)

    df = property(lambda self: self.concentration * 2)


class Exponential(Parametrised, ExponentialFamily):
    """The exponential distribution: of the time to an event that has the same chance in each moment."""

    arg_constraints, support = {"rate": _POSITIVE}, constraints.nonnegative

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        self._begin(self.rate.shape, (), validate_args)

    mean, stddev = (property(lambda self: self.rate.reciprocal()) for _ in range(2))
    mode = property(lambda self: torch.zeros_like(self.rate))
    variance = property(lambda self: self.rate.pow(-2))
    _log_prob = lambda self, value: self.rate.log() - self.rate * value
    _cdf = lambda self, value: 1 - torch.exp(-self.rate * value)
    icdf = lambda self, value: -torch.log1p(-value) / self.rate
    entropy = lambda self: 1.0 - torch.log(self.rate)


class StudentT(Parametrised):
    """Student's t distribution with `df` degrees of freedom, moved and scaled."""

    arg_constraints, support = {"df": _POSITIVE, "loc": constraints.real, "scale": _POSITIVE}, constraints.real

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._begin(self.df.shape, (), validate_args)
        self._chi2 = Chi2(self.df)

    mode = forwarded("loc")
    mean = property(lambda self: torch.where(self.df <= 1, nan, self.loc))

    @property
    def variance(self) -> Any:
        """The variance: infinite up to 2 degrees of freedom, nan up to 1."""
        df, has = self.df, self.df > 2
        value = self.scale.pow(2) * df / (torch.where(has, df, 3.0) - 2)
        return torch.where(has, value, torch.where(df > 1, inf, nan).to(df.dtype))

    def _draw(self, shape: Any) -> Any:
        x = torch.randn(shape, **like(self.df))
        return self.loc + self.scale * x * torch.rsqrt(self._chi2._draw(shape) / self.df)

    def _log_prob(self, value: Any) -> Any:
        y, df = (value - self.loc) / self.scale, self.df
        z = self.scale.log() + 0.5 * df.log() + 0.5 * log(pi) + torch.lgamma(0.5 * df) - torch.lgamma(0.5 * (df + 1))
        return -0.5 * (df + 1.0) * torch.log1p(y**2.0 / df) - z

    def entropy(self) -> Any:
        df, half = self.df, 0.5 * (self.df + 1)
        beta = torch.lgamma(0.5 * df) + lgamma(0.5) - torch.lgamma(half)
        return self.scale.log() + half * (torch.digamma(half) - torch.digamma(0.5 * df)) + 0.5 * df.log() + beta


def _above(bound: float, x: Any) -> Any:
    """Numbers above a bound, and nan in the place of the rest."""
    return torch.where(x > bound, x, nan)


class FisherSnedecor(Parametrised):
    """The F distribution: of the quotient of two chi-squared numbers, each divided by its degrees of freedom."""

    arg_constraints, support = {"df1": _POSITIVE, "df2": _POSITIVE}, _POSITIVE

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._begin(self.df1.shape, (), validate_args)
        self._gamma1, self._gamma2 = (Gamma(df * 0.5, df) for df in (self.df1, self.df2))

    mean = property(lambda self: 1 + 2 / (_above(2, self.df2) - 2))
    mode = property(lambda self: torch.where(self.df1 <= 2, nan, (1 - 2 / self.df1) * self.df2 / (self.df2 + 2)))

    @property
    def variance(self) -> Any:
        """The variance, nan up to 4 degrees of freedom of the divisor."""
        df1, df2 = self.df1, _above(4, self.df2)
        return 2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4))

    _draw = lambda self, shape: self._gamma1._draw(shape) / self._gamma2._draw(shape)

    def _log_prob(self, value: Any) -> Any:
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
        return a * ratio.log() + (a - 1) * torch.log(value) - (a + b) * torch.log1p(ratio * value) - beta


# --- shares ----------------------------------------------------------------------------------------------------------


class Dirichlet(Parametrised, ExponentialFamily):
    """The Dirichlet distribution: of the shares that gamma numbers have of their sum.

    Samples have derivatives by those of the gamma numbers. They have the right mean, and are others than PyTorch's for
    one sample.
    """

    arg_constraints, support = {"concentration": constraints.independent(_POSITIVE, 1)}, constraints.simplex

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        self._begin(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, keepdim=True))

    @property
    def mode(self) -> Any:
        """The mode: a corner where all concentrations are below 1."""
        a = self.concentration
        above = (a - 1).clamp(min=0.0)
        inside = above / above.sum(-1, keepdim=True)
        corner = torch.nn.functional.one_hot(inside.argmax(-1), a.shape[-1]).to(a.dtype)
        return torch.where((a < 1).all(-1, keepdim=True), corner, inside)

    @property
    def variance(self) -> Any:
        """The variance of each share."""
        a, total = self.concentration, self.concentration.sum(-1, keepdim=True)
        return a * (total - a) / (total.pow(2) * (total + 1))

    _draw = lambda self, shape: torch.softmax(gamma_logarithm(self.concentration.expand(shape)), -1)

    def _log_prob(self, value: Any) -> Any:
        a = self.concentration
        return torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)

    def entropy(self) -> Any:
        a, total, k = self.concentration, self.concentration.sum(-1), self.concentration.shape[-1]
        own = torch.lgamma(a).sum(-1) - ((a - 1.0) * torch.digamma(a)).sum(-1)
        return own - torch.lgamma(total) - (k - total) * torch.digamma(total)


class Beta(Parametrised, ExponentialFamily):
    """The beta distribution of numbers between 0 and 1."""

    arg_constraints = {"concentration1": _POSITIVE, "concentration0": _POSITIVE}
    support = constraints.unit_interval

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args)
        self._begin(self._dirichlet.batch_shape, (), validate_args)

    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0])
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1])
    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._dirichlet.mode[..., 0])
    variance = property(lambda self: self._dirichlet.variance[..., 0])
    _draw = lambda self, shape: self._dirichlet._draw((*shape, 2))[..., 0]
    _log_prob = lambda self, value: self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))
    entropy = lambda self: self._dirichlet.entropy()


# --- that transforms make --------------------------------------------------------------------------------------------


class InverseGamma(TransformedDistribution):
    """The distribution of the reciprocal of a gamma number."""

    arg_constraints = {"concentration": _POSITIVE, "rate": _POSITIVE}
    support, has_rsample = _POSITIVE, True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args)

    concentration, rate = forwarded("base_dist.concentration"), forwarded("base_dist.rate")
    mode = property(lambda self: self.rate / (self.concentration + 1))
    mean = property(lambda self: torch.where(self.concentration > 1, self.rate / (self.concentration - 1), inf))

    @property
    def variance(self) -> Any:
        """The variance, infinite up to a concentration of 2."""
        a = self.concentration
        return torch.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), inf)

    def entropy(self) -> Any:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class Pareto(TransformedDistribution):
    """The Pareto distribution of numbers above `scale`, whose density falls as a power of `alpha` + 1."""

    arg_constraints = {"alpha": _POSITIVE, "scale": _POSITIVE}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        steps = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(self.alpha, validate_args), steps, validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.greater_than_eq(self.scale), is_discrete=False, event_dim=0
    )
    mode = forwarded("scale")
    entropy = lambda self: (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())

    mean = property(lambda self: self.alpha.clamp(min=1) * self.scale / (self.alpha.clamp(min=1) - 1))

    @property
    def variance(self) -> Any:
        """The variance, infinite up to an alpha of 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))


class Weibull(TransformedDistribution):
    """The Weibull distribution: of a power of an exponential number."""

    arg_constraints, support = {"scale": _POSITIVE, "concentration": _POSITIVE}, _POSITIVE

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        steps = [PowerTransform(self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(torch.ones_like(self.scale), validate_args), steps, validate_args)

    concentration_reciprocal = property(lambda self: self.concentration.reciprocal())
    _moment = lambda self, n: torch.exp(torch.lgamma(1 + n * self.concentration_reciprocal))
    mean = property(lambda self: self.scale * self._moment(1))
    mode = property(lambda self: self.scale * (1 - self.concentration_reciprocal) ** self.concentration_reciprocal)
    variance = property(lambda self: self.scale.pow(2) * (self._moment(2) - self._moment(1).pow(2)))

    def entropy(self) -> Any:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + torch.log(self.scale * inverse) + 1


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution of numbers between 0 and 1, which is like a beta distribution."""

    arg_constraints = {"concentration1": _POSITIVE, "concentration0": _POSITIVE}
    support, has_rsample = constraints.unit_interval, True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        zeros = torch.zeros_like(self.concentration0)
        inner, outer = (PowerTransform(c.reciprocal()) for c in (self.concentration0, self.concentration1))
        steps = [inner, AffineTransform(loc=1.0, scale=-1.0), outer]
        super().__init__(Uniform(zeros, torch.ones_like(zeros), validate_args), steps, validate_args)

    def _moment(self, n: int) -> Any:
        a, b = 1 + n / self.concentration1, self.concentration0
        return b * torch.exp(torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b))

    mean = property(lambda self: self._moment(1))
    variance = property(lambda self: self._moment(2) - self.mean.pow(2))

    @property
    def mode(self) -> Any:
        """The mode, nan where a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        value = (b.reciprocal() * (-b).log1p() - (-b * a).log1p()).exp()
        return torch.where((a < 1) | (b < 1), nan, value)

    def entropy(self) -> Any:
        a, b = self.concentration1.reciprocal(), self.concentration0.reciprocal()
        harmonic = torch.digamma(self.concentration0 + 1) + euler_constant
        return (1 - b) + (1 - a) * harmonic + torch.log(a) + torch.log(b)
