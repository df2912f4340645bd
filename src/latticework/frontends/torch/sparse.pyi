"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from collections.abc import Sequence as _Sequence
from latticework.frontends.parameter_types import Int as _Int, Number as _Number
from latticework.frontends.torch import Tensor as _Tensor, dtype as _dtype

__all__ = ["addmm", "mm", "sum"]

def addmm(mat: _Tensor, mat1: _Tensor, mat2: _Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> _Tensor: ...
def mm(mat1: _Tensor, mat2: _Tensor) -> _Tensor: ...
def sum(input: _Tensor, dim: _Int | _Sequence[_Int] | None = ..., dtype: _dtype | None = ...) -> _Tensor: ...
