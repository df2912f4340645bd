"""Constraints: the sets that parameters and samples lie in. ``constraint.check(x)`` tells which elements do.

Examples
--------
>>> import latticework.frontends.torch as torch
>>> torch.distributions.constraints.positive.check(torch.tensor([-1.0, 2.0]))
tensor([False,  True])
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from ... import torch

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
    "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval",
    "is_dependent", "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite",
    "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


class Constraint:
    """A set of values.

    Attributes
    ----------
    is_discrete: whether its values are apart from each other.
    event_dim: the number of axes that one value has.
    """

    is_discrete: Any = False
    event_dim: Any = 0

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What a class sets."""

    def check(self, value: Any) -> Any:
        """Return a tensor of bools: whether each value lies in the set."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


# --- that depend on other things -------------------------------------------------------------------------------------


def _known(name: str) -> Any:
    """Return a property of a dependent constraint. It is an error to ask for it where it depends too."""

    def get(self: Any) -> Any:
        found = getattr(self, f"_{name}")
        if found is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return found

    return property(get)


class _Dependent(Constraint):
    """A constraint that only an instance of a distribution knows."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    is_discrete, event_dim = _known("is_discrete"), _known("event_dim")

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property of a distribution that is a constraint, and in the class a dependent constraint."""

    def __init__(self, fn: Any = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Return whether a constraint is known to instances alone."""
    return isinstance(constraint, _Dependent)


# --- made of other constraints ---------------------------------------------------------------------------------------


def _all(checks: Any, rank: int) -> Any:
    """Whether all elements after these first axes are true."""
    return checks.reshape((*checks.shape[:rank], -1)).all(-1)


class _IndependentConstraint(Constraint):
    """A constraint of all elements along some of the last axes, which become part of a value."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims)

    def check(self, value: Any) -> Any:
        result, count = self.base_constraint.check(value), self.reinterpreted_batch_ndims
        if result.dim() < count:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all(result, result.dim() - count)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """A constraint that the value keeps for each component of a mixture."""

    def __init__(self, base_constraint: Any) -> None:
        self.base_constraint = base_constraint

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(lambda self: self.base_constraint.event_dim)

    def check(self, value: Any) -> Any:
        """Return whether each value lies in the sets of all components."""
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all(self.base_constraint.check(value.unsqueeze(-1 - self.event_dim)), value.dim() - self.event_dim)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Joined(Constraint):
    """Several constraints along one axis."""

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        self.cseq, self.dim = list(cseq), dim
        if not all(isinstance(c, Constraint) for c in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")

    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))
    event_dim = property(lambda self: max(c.event_dim for c in self.cseq))

    def _checks(self, parts: Any) -> list[Any]:
        return [c.check(v) for c, v in zip(self.cseq, parts, strict=True)]


class _Cat(_Joined):
    """Constraints of pieces of an axis, with the lengths of the pieces."""

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    check = lambda self, value: torch.cat(self._checks(value.split(self.lengths, self.dim)), self.dim)


class _Stack(_Joined):
    """Constraints of the elements along an axis."""

    @property
    def event_dim(self) -> Any:
        most = max(c.event_dim for c in self.cseq)
        return most + (self.dim + most < 0)

    check = lambda self, value: torch.stack(self._checks(value.unbind(self.dim)), self.dim)


# --- of numbers ------------------------------------------------------------------------------------------------------


class _Boolean(Constraint):
    is_discrete = True
    check = lambda self, value: (value == 0) | (value == 1)


class _Real(Constraint):
    check = lambda self, value: value == value


class _Bounded(Constraint):
    """The numbers between bounds: whether each bound is there, and belongs to the set."""

    _lower: Callable[[Any, Any], Any] | None = None
    _upper: Callable[[Any, Any], Any] | None = None

    def __init__(self, *bounds: Any, **named: Any) -> None:
        names = [n for n, has in (("lower_bound", self._lower), ("upper_bound", self._upper)) if has]
        given = {**dict(zip(names, bounds, strict=False)), **named}
        if len(bounds) + len(named) != len(names) or {*given} != {*names}:
            raise TypeError(f"{type(self).__name__[1:]}: expected {' and '.join(names)}")
        self.__dict__.update(given)

    def check(self, value: Any) -> Any:
        checks = [value % 1 == 0] if self.is_discrete else []
        checks += [type(self)._lower(value, self.lower_bound)] if self._lower else []  # type: ignore[misc]
        checks += [type(self)._upper(value, self.upper_bound)] if self._upper else []  # type: ignore[misc]
        return reduce(operator.and_, checks)

    def __repr__(self) -> str:
        bounds = [f"{n}={getattr(self, n)}" for n in ("lower_bound", "upper_bound") if n in self.__dict__]
        return f"{type(self).__name__[1:]}({', '.join(bounds)})"


def _bounded(name: str, lower: str = "", upper: str = "", whole: bool = False) -> type[_Bounded]:
    compare = {"": None, ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
    kind = "whole numbers" if whole else "numbers"
    doc = f"The {kind} x with {' and '.join(f'x {s} a bound' for s in (lower, upper) if s)}."
    names = {"_lower": compare[lower], "_upper": compare[upper], "is_discrete": whole, "__doc__": doc}
    return type(name, (_Bounded,), names | {"__module__": __name__})


_IntegerInterval = _bounded("_IntegerInterval", ">=", "<=", whole=True)
_IntegerLessThan = _bounded("_IntegerLessThan", "", "<=", whole=True)
_IntegerGreaterThan = _bounded("_IntegerGreaterThan", ">=", whole=True)
_GreaterThan = _bounded("_GreaterThan", ">")
_GreaterThanEq = _bounded("_GreaterThanEq", ">=")
_LessThan = _bounded("_LessThan", "", "<")
_Interval = _bounded("_Interval", ">=", "<=")
_HalfOpenInterval = _bounded("_HalfOpenInterval", ">=", "<")


# --- of vectors and matrices -----------------------------------------------------------------------------------------


class _OneHot(Constraint):
    is_discrete, event_dim = True, 1
    check = lambda self, value: ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    event_dim = 1
    check = lambda self, value: (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete, event_dim = True, 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    check = lambda self, value: (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2
    check = lambda self, value: (value.tril() == value).all(-1).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Any) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Any) -> Any:
        most = torch.finfo(value.dtype).eps * value.shape[-1] * 10
        lengths = value.detach().square().sum(-1).sqrt()
        return super().check(value) & ((lengths - 1).abs() <= most).all(-1)


class _Square(Constraint):
    event_dim = 2
    check = lambda self, value: torch.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=torch.bool)


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        if value.shape[-2] != value.shape[-1]:
            return super().check(value)
        return torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        return self._check(value.detach()) if bool(symmetric.all()) else symmetric

    _check = lambda self, value: (torch.linalg.eigvalsh(value) >= 0).all(-1)


class _PositiveDefinite(_PositiveSemidefinite):
    _check = lambda self, value: torch.linalg.cholesky_ex(value).info == 0


dependent, dependent_property, independent = _Dependent(), _DependentProperty, _IndependentConstraint
boolean, one_hot, real = _Boolean(), _OneHot(), _Real()
nonnegative_integer, positive_integer = _IntegerGreaterThan(0), _IntegerGreaterThan(1)
integer_interval, interval, half_open_interval = _IntegerInterval, _Interval, _HalfOpenInterval
real_vector = independent(real, 1)
positive, nonnegative, unit_interval = _GreaterThan(0.0), _GreaterThanEq(0.0), _Interval(0.0, 1.0)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
multinomial, simplex, cat, stack = _Multinomial, _Simplex(), _Cat, _Stack
lower_triangular, lower_cholesky, corr_cholesky = _LowerTriangular(), _LowerCholesky(), _CorrCholesky()
square, symmetric = _Square(), _Symmetric()
positive_semidefinite, positive_definite = _PositiveSemidefinite(), _PositiveDefinite()
