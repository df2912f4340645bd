"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from latticework.frontends.jax import Array as _Array
from typing import Any as _Any

__all__ = ["logpmf", "pmf"]

def logpmf(k: _Any, n: _Any, p: _Any, loc: _Any = ...) -> _Array: ...
def pmf(k: _Any, n: _Any, p: _Any, loc: _Any = ...) -> _Array: ...
