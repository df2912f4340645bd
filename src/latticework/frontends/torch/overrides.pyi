"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, int as _int
from collections.abc import Callable as _Callable
from typing import Any as _Any

__all__ = ["handle_torch_function", "has_torch_function", "is_tensor_like"]

def handle_torch_function(public_api: _Callable[..., _Any], relevant_args: _Any, *args: _Any, **kwargs: _Any) -> _int: ...
def has_torch_function(relevant_args: _Any) -> _bool: ...
def is_tensor_like(inp: _Any) -> _bool: ...
