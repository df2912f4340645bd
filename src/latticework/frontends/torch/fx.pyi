"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import str as _str
from typing import Any as _Any

__all__ = ["Proxy", "wrap"]

class Proxy:
    ...

def wrap(fn_or_name: _Any) -> _str: ...
