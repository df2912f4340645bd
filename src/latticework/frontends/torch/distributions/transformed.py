"""Distributions that are made of another one: `Independent` and `TransformedDistribution`."""

from __future__ import annotations

from functools import reduce
from typing import Any

from ... import torch
from . import constraints
from .bijections import ComposeTransform, Transform
from .distribution import Parametrised, forwarded, of_axes
from .utils import sum_rightmost

__all__ = ["Independent", "TransformedDistribution"]


class Independent(Parametrised):
    """A distribution whose last batch axes, so many, are part of a sample: logarithms of densities are summed there."""

    arg_constraints: Any = {}

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        count, batch = reinterpreted_batch_ndims, base_distribution.batch_shape
        if count > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {count} vs {len(batch)}"
            )
        cut = len(batch) - count
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        self._begin(batch[:cut], (*batch[cut:], *base_distribution.event_shape), validate_args)

    def _batch_of(self, name: str, batch_shape: Any) -> Any:
        return (*batch_shape, *self.event_shape[: self.reinterpreted_batch_ndims])

    has_rsample = forwarded("base_dist.has_rsample")
    mean, mode, variance = (forwarded(f"base_dist.{name}") for name in ("mean", "mode", "variance"))

    @property
    def has_enumerate_support(self) -> bool:
        """Whether the values can be listed."""
        return not self.reinterpreted_batch_ndims and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        """The constraint of samples."""
        inner, count = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(inner, count) if count else inner

    sample = lambda self, sample_shape=(): self.base_dist.sample(sample_shape)
    rsample = lambda self, sample_shape=(): self.base_dist.rsample(sample_shape)
    entropy = lambda self: sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def log_prob(self, value: Any) -> Any:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Parametrised):
    """The distribution of what transforms make of samples of another one.

    Parameters
    ----------
    base_distribution: the distribution of what is transformed.
    transforms: a transform, or a list of them, the first one first.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> base = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
    >>> d = torch.distributions.TransformedDistribution(base, [torch.distributions.transforms.ExpTransform()])
    >>> d.log_prob(torch.tensor([1.0, 2.0]))
    tensor([-0.9189, -1.8523])
    """

    arg_constraints: Any = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        listed = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(listed, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(t, Transform) for t in listed):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms, whole = listed, ComposeTransform(listed)
        base, own = base_distribution, len(base_distribution.event_shape)
        shape, needed = base.batch_shape + base.event_shape, whole.domain.event_dim
        if len(shape) < needed:
            raise ValueError(f"base_distribution needs to have shape with size at least {needed}, but got {shape}.")
        forward = torch.Size(whole.forward_shape(shape))
        expanded = torch.Size(whole.inverse_shape(forward))
        if shape != expanded:  # the parameters of the transforms have axes that the distribution has not
            base = base.expand(expanded[: len(expanded) - own])
        self.base_dist = Independent(base, needed - own) if needed > own else base
        cut = len(forward) - max(whole.codomain.event_dim, own + whole.codomain.event_dim - needed)
        self._begin(forward[:cut], forward[cut:], validate_args)

    def _batch_of(self, name: str, batch_shape: Any) -> Any:
        shape = ComposeTransform(self.transforms).inverse_shape(batch_shape + self.event_shape)
        return shape[: len(shape) - len(self.base_dist.event_shape)]

    has_rsample = forwarded("base_dist.has_rsample")

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """The constraint of samples."""
        if not self.transforms:
            return self.base_dist.support
        return of_axes(self.transforms[-1].codomain, len(self.event_shape))

    def _transformed(self, x: Any) -> Any:
        return reduce(lambda value, t: t(value), self.transforms, x)

    rsample = lambda self, sample_shape=(): self._transformed(self.base_dist.rsample(sample_shape))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def _log_prob(self, value: Any) -> Any:
        y, dims, result = value, len(self.event_shape), 0.0
        for t in reversed(self.transforms):
            x = t.inv(y)
            dims += t.domain.event_dim - t.codomain.event_dim
            result = result - sum_rightmost(t.log_abs_det_jacobian(x, y), dims - t.domain.event_dim)
            y = x
        return result + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Any) -> Any:
        """Turn probabilities round where the transforms fall."""
        sign = reduce(lambda s, t: s * t.sign, self.transforms, 1)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        value = reduce(lambda y, t: t.inv(y), reversed(self.transforms), value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    icdf = lambda self, value: self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
