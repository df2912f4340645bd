"""`Distribution`: what all distributions of ``torch.distributions`` have."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ... import torch
from ..autograd import grad
from . import constraints
from .utils import lazy_property

__all__ = ["Distribution", "ExponentialFamily"]


class Distribution:
    """A probability distribution, or a batch of them.

    Parameters
    ----------
    batch_shape: the shape of the batch.
    event_shape: the shape of one sample of one of them.
    validate_args: whether parameters and samples are checked; as `set_default_validate_args` says by default.

    Raises
    ------
    ValueError: a parameter lies outside of its constraint.
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = __debug__

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Parameters are set by name, see `Parametrised`."""

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Say whether parameters and samples are checked where a distribution does not say it."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = torch.Size(batch_shape), torch.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        try:
            expected = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`. Set `arg_constraints = {{}}`, or give "
                "`validate_args=False`",
                stacklevel=3,
            )
            return
        for name, constraint in expected.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property):
                continue  # it is computed from a parameter that is checked
            value = getattr(self, name)
            if not bool(constraint.check(value).all()):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    # --- shapes -----------------------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> Any:
        """The shape of the batch."""
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        """The shape of one sample of one distribution."""
        return self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Make a distribution with a larger batch, whose parameters are repeated.

        Parameters
        ----------
        batch_shape: the shape of the batch, to which the old one can be broadcast.
        """
        raise NotImplementedError

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        """The shape of so many samples."""
        return torch.Size((*sample_shape, *self._batch_shape, *self._event_shape))

    # --- what is known of it ----------------------------------------------------------------------------------------

    @property
    def arg_constraints(self) -> Any:
        """The constraint of each parameter, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint of samples."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most probable value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.variance.sqrt()

    # --- samples ----------------------------------------------------------------------------------------------------

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples: a tensor of the sample shape, the batch shape and the event shape, without derivatives."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draw samples that have derivatives by the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """Draw `n` samples. Write ``sample((n,))`` instead."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample((n,))

    # --- probabilities ----------------------------------------------------------------------------------------------

    def log_prob(self, value: Any) -> Any:
        """Compute the logarithm of the density, or of the probability, of a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """Compute the probability of what is not above a value."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """Compute the value that `cdf` gives a probability for."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """List all values of a discrete distribution along a new first axis.

        Parameters
        ----------
        expand: whether the values are repeated for the batch.
        """
        raise NotImplementedError

    def entropy(self) -> Any:
        """Compute the entropy, in nats."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """Compute the exponential of the entropy."""
        return torch.exp(self.entropy())

    def _validate_sample(self, value: Any) -> None:
        """Check the shape and the elements of what should be a sample.

        Raises
        ------
        ValueError: it is no tensor, its shape does not fit, or an element is outside of the support.
        """
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.shape, self._extended_shape()
        own = shape[len(shape) - len(self._event_shape) :]
        if own != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        if any(i != j and 1 not in (i, j) for i, j in zip(reversed(shape), reversed(expected), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support` to check samples by. Give `validate_args=False` to turn "
                "checks off",
                stacklevel=3,
            )
            return
        if not bool(support.check(value).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _checked(self, value: Any) -> Any:
        """Return a sample, which is checked if this distribution checks."""
        if self._validate_args:
            self._validate_sample(value)
        return value

    def __repr__(self) -> str:
        given = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        return f"{type(self).__name__}({', '.join(f'{n}: {x if x.numel() == 1 else x.size()}' for n, x in given)})"


class Parametrised(Distribution):
    """A distribution that is told by tensors alone, so that `expand` can be written once.

    Attributes
    ----------
    _event_dims: how many of the last axes of a parameter belong to one distribution, where that is not 0.
    _inner: the attributes that are distributions of the same batch.
    _kept: other attributes, which `expand` copies.
    """

    _event_dims: dict[str, int] = {}
    _inner: tuple[str, ...] = ()
    _kept: tuple[str, ...] = ()

    def _set(self, validate_args: Any, event_shape: Any = (), **parameters: Any) -> None:
        """Set parameters of one shape, and what follows from it."""
        values = broadcast_all_of(parameters)
        self.__dict__.update(values)
        super().__init__(next(iter(values.values())).shape, event_shape, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        cls = next(c for c in type(self).__mro__ if "__init__" in c.__dict__ and c.__module__.startswith(_OURS))
        new = self._get_checked_instance(cls, _instance)
        batch_shape = torch.Size(batch_shape)
        for name in self.arg_constraints:
            if name in self.__dict__:
                x, own = self.__dict__[name], self._event_dims.get(name, 0)
                new.__dict__[name] = x.expand((*batch_shape, *x.shape[x.dim() - own :]))
        for name in self._inner:
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].expand(batch_shape)
        new.__dict__.update({name: self.__dict__[name] for name in self._kept if name in self.__dict__})
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new


_OURS = __name__.rpartition(".")[0]


def broadcast_all_of(parameters: dict[str, Any]) -> dict[str, Any]:
    """Give named parameters one shape."""
    from .utils import broadcast_all

    return dict(zip(parameters, broadcast_all(*parameters.values()), strict=True))


class ExponentialFamily(Distribution):
    """A distribution of an exponential family: its entropy follows from the logarithm of its normalizer.

    A class has `_natural_params`, `_log_normalizer` of them, and `_mean_carrier_measure`.
    """

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def _of_normalizer(self) -> tuple[list[Any], Any, Any]:
        """The natural parameters, the logarithm of the normalizer, and its derivatives: the mean statistics."""
        with torch.enable_grad():
            natural = [p.detach().requires_grad_() for p in self._natural_params]
            normalizer = self._log_normalizer(*natural)
            return natural, normalizer, grad(normalizer.sum(), natural, create_graph=True)

    def entropy(self) -> Any:
        natural, normalizer, means = self._of_normalizer()
        result = normalizer - self._mean_carrier_measure
        for p, m in zip(natural, means, strict=True):
            result = result - (p * m).reshape((*self._batch_shape, -1)).sum(-1)
        return result
