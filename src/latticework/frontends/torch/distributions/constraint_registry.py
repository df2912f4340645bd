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


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _exp_and(loc: str, scale: int) -> Callable[[Any], Any]:
    def make(c: Any) -> Any:
        return transforms.ComposeTransform(
            [transforms.ExpTransform(), transforms.AffineTransform(getattr(c, loc), scale)]
        )

    return make


def _to_interval(c: Any) -> Any:
    low, high = c.lower_bound, c.upper_bound
    if type(low) in (int, float) and type(high) in (int, float) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _kinds() -> None:
    """Register the transforms of all kinds of constraints."""
    both: list[tuple[Any, Callable[[Any], Any]]] = [
        (constraints.real, lambda c: transforms.identity_transform),
        (constraints.greater_than, _exp_and("lower_bound", 1)),
        (constraints.greater_than_eq, _exp_and("lower_bound", 1)),
        (constraints.less_than, _exp_and("upper_bound", -1)),
        (constraints.interval, _to_interval),
        (constraints.half_open_interval, _to_interval),
        (constraints.corr_cholesky, lambda c: transforms.CorrCholeskyTransform()),
    ]
    for registry in (biject_to, transform_to):
        for kind, factory in both:
            registry.register(kind, factory)
        _parts(registry)
    biject_to.register(constraints.simplex, lambda c: transforms.StickBreakingTransform())
    transform_to.register(constraints.simplex, lambda c: transforms.SoftmaxTransform())
    transform_to.register(constraints.lower_cholesky, lambda c: transforms.LowerCholeskyTransform())
    for kind in (constraints.positive_definite, constraints.positive_semidefinite):
        transform_to.register(kind, lambda c: transforms.PositiveDefiniteTransform())


def _parts(registry: ConstraintRegistry) -> None:
    """Register the constraints that are made of others."""
    registry.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    registry.register(
        constraints.cat, lambda c: transforms.CatTransform([registry(x) for x in c.cseq], c.dim, c.lengths)
    )
    registry.register(constraints.stack, lambda c: transforms.StackTransform([registry(x) for x in c.cseq], c.dim))


_kinds()
