"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from latticework.frontends.jax import Array as _Array
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike
from typing import Any as _Any

__all__ = ["cdf", "logpdf", "pdf", "ppf"]

def cdf(x: _ArrayLike, loc: _Any = ..., scale: _Any = ...) -> _Array: ...
def logpdf(x: _ArrayLike, loc: _Any = ..., scale: _Any = ...) -> _Array: ...
def pdf(x: _ArrayLike, loc: _Any = ..., scale: _Any = ...) -> _Array: ...
def ppf(q: _Any, loc: _Any = ..., scale: _Any = ...) -> _Array: ...
