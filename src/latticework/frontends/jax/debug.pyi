"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool
from typing import Any as _Any

__all__ = ["callback", "print"]

def callback(callback: _Any = ..., *args: _Any, ordered: _bool = ..., partitioned: _bool = ..., **kwargs: _Any) -> None: ...
def print(fmt: _Any = ..., *args: _Any, ordered: _bool = ..., partitioned: _bool = ..., skip_format_check: _bool = ..., _use_logging: _bool = ..., **kwargs: _Any) -> None: ...
