"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, int as _int, str as _str
from typing import Any as _Any

__all__ = ["flags", "is_available", "version"]

def flags(enabled: _bool = ..., benchmark: _bool = ..., benchmark_limit: _int = ..., deterministic: _bool = ..., allow_tf32: _bool = ..., fp32_precision: _str = ..., depthwise_kernel: _str = ...) -> _Any: ...
def is_available() -> _bool: ...
def version() -> None: ...
