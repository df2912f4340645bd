"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from typing import Any as _Any

__all__ = ["Device", "FileLike", "Number", "Storage"]

Device: _Any
FileLike: _Any
Number: _Any
from typing import Any as _class_Any
Storage = _class_Any
