"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import str as _str
from contextlib import ContextDecorator as _ContextDecorator
from typing import Any as _Any

_record_function = record_function
__all__ = ["record_function"]

class record_function(_ContextDecorator):
    def __enter__(self) -> _record_function: ...
    def __exit__(self, *error: _Any) -> None: ...
    def __init__(self, name: _str, args: _str | None = ...) -> None: ...
    args: _Any
    name: _Any
