"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, int as _int, tuple as _tuple
from collections.abc import Callable as _Callable
from latticework.frontends.parameter_types import Axes as _Axes
from typing import Any as _Any

__all__ = ["normalize_axis_index", "normalize_axis_tuple"]

normalize_axis_index: _Callable[..., _Any]
def normalize_axis_tuple(axis: _Axes, ndim: _Any, argname: _Any = ..., allow_duplicate: _bool = ...) -> _tuple[_int, _int]: ...
