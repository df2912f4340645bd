"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import float as _float, str as _str, tuple as _tuple
from collections.abc import Callable as _Callable
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike
from typing import Any as _Any, ParamSpec as _ParamSpec, Self as _Self, TypeVar as _TypeVar

_P = _ParamSpec("_P")
_R = _TypeVar("_R")
_OptimizeResults = OptimizeResults
__all__ = ["OptimizeResults", "minimize"]

class OptimizeResults(_tuple[_Any, ...]):
    def __new__(cls, x: _ArrayLike, success: _Any, status: _Any, fun: _Callable[_P, _R], jac: _Any, hess_inv: _Any, nfev: _Any, njev: _Any, nit: _Any) -> _Self: ...
    def __getnewargs__(self) -> _Any: ...
    __match_args__: _tuple[_Any, ...]
    fun: _Any
    hess_inv: _Any
    jac: _Any
    nfev: _Any
    nit: _Any
    njev: _Any
    status: _Any
    success: _Any
    x: _Any

def minimize(fun: _Callable[_P, _R], x0: _Any, args: _tuple[_Any, ...] = ..., *, method: _str, tol: _float | None = ..., options: _Any = ...) -> _OptimizeResults: ...
