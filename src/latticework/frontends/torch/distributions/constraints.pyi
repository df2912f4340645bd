"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, int as _int, property as _property
from collections.abc import Callable as _Callable, Sequence as _Sequence
from latticework.frontends.parameter_types import Int as _Int
from typing import Any as _Any

_Constraint = Constraint
_MixtureSameFamilyConstraint = MixtureSameFamilyConstraint
_Cat = cat
_DependentProperty = dependent_property
_GreaterThan = greater_than
_GreaterThanEq = greater_than_eq
_HalfOpenInterval = half_open_interval
_IndependentConstraint = independent
_IntegerInterval = integer_interval
_Interval = interval
_LessThan = less_than
_multinomial_ = multinomial
_Stack = stack
__all__ = ["Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval"]

class Constraint:
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
    is_discrete: _bool
class MixtureSameFamilyConstraint(_Constraint):
    def __init__(self, base_constraint: _Any) -> None: ...
    base_constraint: _Any
    def check(self, value: _Any) -> _Any: ...
    @_property
    def event_dim(self) -> _Any: ...
    @_property
    def is_discrete(self) -> _Any: ...
class cat(_Constraint):
    def __init__(self, cseq: _Any, dim: _Int | _Sequence[_Int] | None = ..., lengths: _Any = ...) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    cseq: _Any
    dim: _Any
    @_property
    def event_dim(self) -> _Any: ...
    @_property
    def is_discrete(self) -> _Any: ...
    lengths: _Any
class dependent_property(_property, _Dependent):
    def __call__(self, fn: _Callable[..., _Any]) -> _Any: ...
    def __init__(self, fn: _Callable[..., _Any] | None = ..., *, is_discrete: _Any = ..., event_dim: _Any = ...) -> None: ...
class greater_than(_Constraint):
    def __init__(self, *bounds: _Any, **named: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class greater_than_eq(_Constraint):
    def __init__(self, *bounds: _Any, **named: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class half_open_interval(_Constraint):
    def __init__(self, *bounds: _Any, **named: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class independent(_Constraint):
    def __init__(self, base_constraint: _Any, reinterpreted_batch_ndims: _int) -> None: ...
    base_constraint: _Any
    def check(self, value: _Any) -> _Any: ...
    @_property
    def event_dim(self) -> _Any: ...
    @_property
    def is_discrete(self) -> _Any: ...
    reinterpreted_batch_ndims: _Any
class integer_interval(_Constraint):
    def __init__(self, *bounds: _Any, **named: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class interval(_Constraint):
    def __init__(self, *bounds: _Any, **named: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class less_than(_Constraint):
    def __init__(self, *bounds: _Any, **named: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class multinomial(_Constraint):
    def __init__(self, upper_bound: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
    is_discrete: _bool
    upper_bound: _Any
class stack(_Constraint):
    def __init__(self, cseq: _Any, dim: _Int | _Sequence[_Int] | None = ...) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    cseq: _Any
    dim: _Any
    @_property
    def event_dim(self) -> _Any: ...
    @_property
    def is_discrete(self) -> _Any: ...
class _Boolean(_Constraint):
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class _CorrCholesky(_LowerCholesky):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
class _Dependent(_Constraint):
    def __call__(self, *, is_discrete: _Any = ..., event_dim: _Any = ...) -> _Any: ...
    def __init__(self, *, is_discrete: _Any = ..., event_dim: _Any = ...) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    @_property
    def event_dim(self) -> _Any: ...
    @_property
    def is_discrete(self) -> _Any: ...
class _LowerCholesky(_LowerTriangular):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
class _LowerTriangular(_Constraint):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
class _IntegerGreaterThan(_Constraint):
    def __init__(self, *bounds: _Any, **named: _Any) -> None: ...
    def check(self, value: _Any) -> _Any: ...
    is_discrete: _bool
class _OneHot(_Constraint):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
    is_discrete: _bool
class _PositiveDefinite(_Symmetric):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
class _PositiveSemidefinite(_Symmetric):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
class _Real(_Constraint):
    def check(self, value: _Any) -> _Any: ...
class _Simplex(_Constraint):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
class _Square(_Constraint):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int
class _Symmetric(_Square):
    def check(self, value: _Any) -> _Any: ...
    event_dim: _int


boolean: _Boolean

corr_cholesky: _CorrCholesky
dependent: _Dependent







def is_dependent(constraint: _Any) -> _bool: ...

lower_cholesky: _LowerCholesky
lower_triangular: _LowerTriangular

nonnegative: _GreaterThanEq
nonnegative_integer: _IntegerGreaterThan
one_hot: _OneHot
positive: _GreaterThan
positive_definite: _PositiveDefinite
positive_integer: _IntegerGreaterThan
positive_semidefinite: _PositiveSemidefinite
real: _Real
real_vector: _IndependentConstraint
simplex: _Simplex
square: _Square

symmetric: _Symmetric
unit_interval: _Interval
