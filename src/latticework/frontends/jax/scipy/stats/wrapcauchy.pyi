"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from latticework.frontends.jax import Array as _Array
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike

__all__ = ["logpdf", "pdf"]

def logpdf(x: _ArrayLike, c: _ArrayLike) -> _Array: ...
def pdf(x: _ArrayLike, c: _ArrayLike) -> _Array: ...
