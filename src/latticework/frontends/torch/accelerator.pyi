"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, int as _int

__all__ = ["current_accelerator", "device_count", "is_available"]

def current_accelerator(check_available: _bool = ...) -> None: ...
def device_count() -> _int: ...
def is_available() -> _bool: ...
