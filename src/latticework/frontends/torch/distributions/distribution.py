"""`Distribution`: what all distributions of ``torch.distributions`` have."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ... import torch
from ..autograd import grad
from . import constraints
from .utils import lazy_property, like

__all__ = ["Distribution", "ExponentialFamily"]


def forwarded(path: str) -> Any:
    """Return a property that is an attribute of a part: ``forwarded("base_dist.scale")``."""
    return property(attrgetter(path), doc=f"`{path.rpartition('.')[2]}`, see there.")


def of_axes(constraint: Any, dims: int) -> Any:
    """Return a constraint of values with at least so many axes: each element along the others keeps the constraint."""
    more = dims - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


def _of_class(doc: str) -> Any:
    """Return a property that classes have to define."""

    def get(self: Any) -> Any:
        raise NotImplementedError

    return property(get, doc=doc)


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
        for name, constraint in (self._known("arg_constraints", "Set `arg_constraints = {}`") or {}).items():
            derived = name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property)
            if derived or constraints.is_dependent(constraint):
                continue  # a derived parameter is computed from one that is checked
            value = getattr(self, name)
            if not bool(constraint.check(value).all()):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _known(self, name: str, advice: str) -> Any:
        """What the distribution is checked by. A class that does not define it gets a warning, and None."""
        try:
            return getattr(self, name)
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `{name}`. {advice}, or give `validate_args=False`", stacklevel=4
            )
            return None

    # --- what classes define ----------------------------------------------------------------------------------------

    arg_constraints = _of_class("The constraint of each parameter, by name.")
    support = _of_class("The constraint of samples.")
    mean = _of_class("The mean.")
    variance = _of_class("The variance.")

    @property
    def mode(self) -> Any:
        """The most probable value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draw samples that have derivatives by the parameters."""
        raise NotImplementedError

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
        """List all values of a discrete distribution along a new first axis; `expand` repeats them for the batch."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """Compute the entropy, in nats."""
        raise NotImplementedError

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Make a distribution with a larger batch, whose parameters are repeated."""
        raise NotImplementedError

    # --- what follows -----------------------------------------------------------------------------------------------

    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the batch.")
    event_shape = property(lambda self: self._event_shape, doc="The shape of one sample of one distribution.")
    stddev = property(lambda self: self.variance.sqrt(), doc="The standard deviation.")

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples: a tensor of the sample shape, the batch shape and the event shape, without derivatives."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Any:
        """Draw `n` samples. Write ``sample((n,))`` instead."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample((n,))

    def perplexity(self) -> Any:
        """Compute the exponential of the entropy."""
        return torch.exp(self.entropy())

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
        if not can_broadcast(shape, expected):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        support = self._known("support", "Define it to have samples checked")
        if support is not None and not bool(support.check(value).all()):
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


def can_broadcast(a: Any, b: Any) -> bool:
    """Return whether two shapes can be broadcast."""
    return all(i == j or 1 in (i, j) for i, j in zip(reversed(a), reversed(b), strict=False))


class Parametrised(Distribution):
    """A distribution of this package: its class has formulas, and what all do around them is written here.

    Attributes
    ----------
    _log_prob, _cdf: the formulas of `log_prob` and `cdf`, of a sample that has been checked.
    _draw: draws samples of a shape, by `icdf` if the class does not say how; with derivatives if it `has_rsample`.
    _shared: the parameters that are no part of the batch.
    """

    has_rsample: Any = True
    _shared: tuple[str, ...] = ()

    def _begin(self, batch_shape: Any, event_shape: Any, validate_args: Any) -> None:
        """Set the shapes, and check the parameters, which have been set."""
        Distribution.__init__(self, batch_shape, event_shape, validate_args)

    def _formula(self, name: str) -> Any:
        if hasattr(self, name):
            return getattr(self, name)
        raise NotImplementedError

    def log_prob(self, value: Any) -> Any:
        return self._formula("_log_prob")(self._checked(value))

    def cdf(self, value: Any) -> Any:
        return self._formula("_cdf")(self._checked(value))

    def _draw(self, shape: Any) -> Any:
        x = getattr(self, next(iter(self.arg_constraints)))
        return self.icdf(torch.rand(shape, **like(x)))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return self.rsample(sample_shape) if self.has_rsample else self._draw(self._extended_shape(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        if not self.has_rsample:
            raise NotImplementedError
        return self._draw(self._extended_shape(sample_shape))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        cls = next(c for c in type(self).__mro__ if "__init__" in c.__dict__ and c.__module__.startswith(_OURS))
        new = self._get_checked_instance(cls, _instance)
        batch_shape, rank = torch.Size(batch_shape), len(self._batch_shape)
        for name, x in self.__dict__.items():
            if isinstance(x, Distribution):
                new.__dict__[name] = x.expand(self._batch_of(name, batch_shape))
            elif isinstance(x, torch.Tensor) and name[0] != "_" and name not in self._shared:
                new.__dict__[name] = x.expand((*batch_shape, *x.shape[rank:]))
            else:
                new.__dict__[name] = x
        new._batch_shape, new._validate_args = batch_shape, self._validate_args
        return new

    def _batch_of(self, name: str, batch_shape: Any) -> Any:
        """The shape of the batch of a part, where this distribution has a batch of a shape."""
        return batch_shape


_OURS = __name__.rpartition(".")[0]


class ExponentialFamily(Distribution):
    """A distribution of an exponential family: its entropy follows from the logarithm of its normalizer.

    A class has `_natural_params`, `_log_normalizer` of them, and `_mean_carrier_measure`.
    """

    _natural_params = _of_class("The natural parameters.")
    _mean_carrier_measure: Any = _of_class("The mean of the logarithm of the carrier measure.")
    _log_normalizer: Any = _of_class("A function of the natural parameters.")

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
