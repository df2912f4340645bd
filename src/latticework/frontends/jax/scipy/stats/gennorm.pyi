"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from latticework.frontends.jax import Array as _Array
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike
from typing import Any as _Any

__all__ = ["cdf", "logpdf", "pdf"]

def cdf(x: _ArrayLike, beta: _Any) -> _Array: ...
def logpdf(x: _ArrayLike, beta: _Any) -> _Array: ...
def pdf(x: _ArrayLike, beta: _Any) -> _Array: ...
