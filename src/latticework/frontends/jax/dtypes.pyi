"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool
from latticework.frontends.parameter_types import HasDtype as _HasDtype, NumpyDtype as _NumpyDtype
from numpy.typing import DTypeLike as _DTypeLike
from typing import Any as _Any

__all__ = ["bfloat16", "canonicalize_dtype", "finfo", "float0", "iinfo", "issubdtype", "result_type"]

from ml_dtypes import bfloat16 as bfloat16
def canonicalize_dtype(dtype: _DTypeLike | _HasDtype, allow_extended_dtype: _bool = ...) -> _NumpyDtype: ...
def finfo(dtype: _DTypeLike | _HasDtype) -> _Any: ...
float0: _Any
def iinfo(int_type: _Any) -> _Any: ...
def issubdtype(a: _Any, b: _Any) -> _bool: ...
def result_type(*args: _Any, return_weak_type_flag: _bool = ...) -> _NumpyDtype: ...
