"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, float as _float, str as _str
from typing import Any as _Any

__all__ = ["assert_allclose", "assert_close"]

def assert_allclose(actual: _Any, expected: _Any, rtol: _float | None = ..., atol: _float | None = ..., equal_nan: _bool = ..., msg: _str = ...) -> None: ...
def assert_close(actual: _Any, expected: _Any, *, allow_subclasses: _bool = ..., rtol: _float | None = ..., atol: _float | None = ..., equal_nan: _bool = ..., check_device: _bool = ..., check_dtype: _bool = ..., check_layout: _bool = ..., check_stride: _bool = ..., msg: _Any = ...) -> None: ...
