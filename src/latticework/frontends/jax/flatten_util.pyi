"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import tuple as _tuple
from latticework.frontends.jax import Array as _Array
from typing import Any as _Any

__all__ = ["ravel_pytree"]

def ravel_pytree(pytree: _Any) -> _tuple[_Array, _Any]: ...
