"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, float as _float, str as _str
from collections.abc import Sequence as _Sequence
from latticework.frontends.parameter_types import Int as _Int
from typing import Any as _Any

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

def orthogonal(module: _Any, name: _str = ..., orthogonal_map: _Any = ..., *, use_trivialization: _bool = ...) -> _Any: ...
def spectral_norm(module: _Any, name: _str = ..., n_power_iterations: _Any = ..., eps: _float = ..., dim: _Int | _Sequence[_Int] | None = ...) -> _Any: ...
def weight_norm(module: _Any, name: _str = ..., dim: _Int | _Sequence[_Int] | None = ...) -> _Any: ...
