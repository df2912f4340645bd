"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from latticework.frontends.tensorflow import DType as _DType
from typing import Any as _Any

__all__ = ["DType", "as_dtype", "bfloat16", "bool", "complex64", "complex128", "double", "float16", "float32", "float64", "half", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

from latticework.frontends.tensorflow import DType as DType
def as_dtype(type_value: _Any) -> _DType: ...
bfloat16: _DType
bool: _DType
complex128: _DType
complex64: _DType
double: _DType
float16: _DType
float32: _DType
float64: _DType
half: _DType
int16: _DType
int32: _DType
int64: _DType
int8: _DType
uint16: _DType
uint32: _DType
uint64: _DType
uint8: _DType
DTYPES: _Any
