"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import int as _int, str as _str
from latticework.frontends.jax import Array as _Array
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike, Axes as _Axes
from typing import Any as _Any

__all__ = ["dct", "dctn", "idct", "idctn"]

def dct(x: _ArrayLike, type: _int = ..., n: _int | None = ..., axis: _Axes = ..., norm: _str | None = ...) -> _Array: ...
def dctn(x: _ArrayLike, type: _int = ..., s: _Any = ..., axes: _Any = ..., norm: _str | None = ...) -> _Array: ...
def idct(x: _ArrayLike, type: _int = ..., n: _int | None = ..., axis: _Axes = ..., norm: _str | None = ...) -> _Array: ...
def idctn(x: _ArrayLike, type: _int = ..., s: _Any = ..., axes: _Any = ..., norm: _str | None = ...) -> _Array: ...
