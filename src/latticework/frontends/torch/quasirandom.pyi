"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, int as _int
from collections.abc import Sequence as _Sequence
from latticework.frontends.parameter_types import Int as _Int
from latticework.frontends.torch import Tensor as _Tensor, dtype as _dtype
from typing import Any as _Any

_SobolEngine = SobolEngine
__all__ = ["SobolEngine"]

class SobolEngine:
    MAXBIT: _int
    MAXDIM: _int
    def __init__(self, dimension: _Any, scramble: _bool = ..., seed: _Int | None = ...) -> None: ...
    dimension: _Any
    def draw(self, n: _int = ..., out: _Tensor | _Sequence[_Tensor | None] | None = ..., dtype: _dtype | None = ...) -> _Tensor: ...
    def draw_base2(self, m: _int, out: _Tensor | _Sequence[_Tensor | None] | None = ..., dtype: _dtype | None = ...) -> _Tensor: ...
    def fast_forward(self, n: _int) -> _SobolEngine: ...
    num_generated: _Any
    def reset(self) -> _SobolEngine: ...
    scramble: _Any
    seed: _Any
