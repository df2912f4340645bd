"""`biject_to` and `transform_to`: a transform from all real numbers to what keeps a constraint.

`biject_to` gives bijective transforms. `transform_to` may give others, which are cheaper: softmax for vectors of
probabilities.

Examples
--------
>>> import latticework.frontends.torch as torch
>>> torch.distributions.transform_to(torch.distributions.constraints.unit_interval)
SigmoidTransform()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints
from . import transforms as _transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

transforms: Any = _transforms


class ConstraintRegistry:
    """What makes the transform to each kind of constraint."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Set what makes the transforms to a class of constraints; a decorator without `factory`.

        Parameters
        ----------
        constraint: a class of constraints, or an instance of it.
        factory: a function of a constraint that returns the transform.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Return the transform to a constraint."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


def _exp_and(loc: Any, scale: int) -> Any:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(loc, scale)])


def _to_interval(c: Any) -> Any:
    low, high = c.lower_bound, c.upper_bound
    if type(low) in (int, float) and type(high) in (int, float) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _made(*others: tuple[Any, Callable[[Any], Any]]) -> ConstraintRegistry:
    """Return a registry with what both have, and with others."""
    to = ConstraintRegistry()
    for kind, factory in (
        (constraints.real, lambda c: transforms.identity_transform),
        (constraints.greater_than, lambda c: _exp_and(c.lower_bound, 1)),
        (constraints.greater_than_eq, lambda c: _exp_and(c.lower_bound, 1)),
        (constraints.less_than, lambda c: _exp_and(c.upper_bound, -1)),
        (constraints.interval, _to_interval),
        (constraints.half_open_interval, _to_interval),
        (constraints.corr_cholesky, lambda c: transforms.CorrCholeskyTransform()),
        (
            constraints.independent,
            lambda c: transforms.IndependentTransform(to(c.base_constraint), c.reinterpreted_batch_ndims),
        ),
        (constraints.cat, lambda c: transforms.CatTransform([to(x) for x in c.cseq], c.dim, c.lengths)),
        (constraints.stack, lambda c: transforms.StackTransform([to(x) for x in c.cseq], c.dim)),
        *others,
    ):
        to.register(kind, factory)
    return to


biject_to = _made((constraints.simplex, lambda c: transforms.StickBreakingTransform()))
transform_to = _made(
    (constraints.simplex, lambda c: transforms.SoftmaxTransform()),
    (constraints.lower_cholesky, lambda c: transforms.LowerCholeskyTransform()),
    (constraints.positive_definite, lambda c: transforms.PositiveDefiniteTransform()),
    (constraints.positive_semidefinite, lambda c: transforms.PositiveDefiniteTransform()),
)
