"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from latticework.frontends.jax import Array as _Array
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike
from typing import Any as _Any

__all__ = ["logpdf", "pdf"]

def logpdf(x: _ArrayLike, mean: _Any, cov: _Any, allow_singular: _Any = ...) -> _Array: ...
def pdf(x: _ArrayLike, mean: _Any, cov: _Any) -> _Array: ...
