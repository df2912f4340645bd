"""Distributions that are made of another one: `Independent` and `TransformedDistribution`."""

from __future__ import annotations

from functools import reduce
from operator import attrgetter
from typing import Any

from ... import torch
from . import constraints
from .bijections import ComposeTransform, Transform
from .distribution import Distribution
from .utils import sum_rightmost

__all__ = ["Independent", "TransformedDistribution"]


def forwarded(path: str) -> Any:
    """Return a property that is one of an inner distribution: ``forwarded("base_dist.scale")``."""
    return property(attrgetter(path), doc=f"`{path.rpartition('.')[2]}` of the inner distribution.")


class Independent(Distribution):
    """A distribution whose last batch axes are part of one sample: the logarithms of densities are summed over them.

    Parameters
    ----------
    base_distribution: the distribution.
    reinterpreted_batch_ndims: how many axes.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> normal = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
    >>> torch.distributions.Independent(normal, 1).event_shape
    torch.Size([3])
    """

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
        super().__init__(batch[:cut], (*batch[cut:], *base_distribution.event_shape), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Independent, _instance)
        count = self.reinterpreted_batch_ndims
        new.base_dist = self.base_dist.expand((*batch_shape, *self.event_shape[:count]))
        new.reinterpreted_batch_ndims = count
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

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

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
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
        if needed > own:
            base = Independent(base, needed - own)
        self.base_dist = base
        dims = max(whole.codomain.event_dim, own + whole.codomain.event_dim - needed)
        cut = len(forward) - dims
        super().__init__(forward[:cut], forward[cut:], validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        kind = next(c for c in type(self).__mro__ if "__init__" in c.__dict__ and c.__module__.startswith(_OURS))
        new = self._get_checked_instance(kind, _instance)
        batch_shape = torch.Size(batch_shape)
        for name in self.arg_constraints:
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].expand(batch_shape)
        shape = reduce(lambda s, t: t.inverse_shape(s), reversed(self.transforms), batch_shape + self.event_shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    has_rsample = forwarded("base_dist.has_rsample")

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """The constraint of samples."""
        if not self.transforms:
            return self.base_dist.support
        support, count = self.transforms[-1].codomain, len(self.event_shape)
        return constraints.independent(support, count - support.event_dim) if count > support.event_dim else support

    def _transformed(self, x: Any) -> Any:
        return reduce(lambda value, t: t(value), self.transforms, x)

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        y, dims, result = self._checked(value), len(self.event_shape), 0.0
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

    def icdf(self, value: Any) -> Any:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))


_OURS = __name__.rpartition(".")[0]
