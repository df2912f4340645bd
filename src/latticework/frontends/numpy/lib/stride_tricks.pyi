"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool
from latticework.frontends.numpy import ndarray as _ndarray
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike, Axes as _Axes, Shape as _Shape
from typing import Any as _Any

__all__ = ["as_strided", "sliding_window_view"]

def as_strided(x: _ArrayLike, shape: _Shape | None = ..., strides: _Any = ..., subok: _bool = ..., writeable: _bool = ...) -> _ndarray: ...
def sliding_window_view(x: _ArrayLike, window_shape: _Any, axis: _Axes | None = ..., *, subok: _bool = ..., writeable: _bool = ...) -> _ndarray: ...
