"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool

__all__ = ["is_available", "is_built"]

def is_available() -> _bool: ...
def is_built() -> _bool: ...
