"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, list as _list
from latticework.frontends.tensorflow import Tensor as _Tensor
from typing import Any as _Any

__all__ = ["flatten", "is_nested", "map_structure", "pack_sequence_as"]

def flatten(structure: _Any, expand_composites: _bool = ...) -> _list[_Tensor]: ...
def is_nested(seq: _Any) -> _bool: ...
def map_structure(func: _Any, *structure: _Any, **kwargs: _Any) -> _Any: ...
def pack_sequence_as(structure: _Any, flat_sequence: _Any, expand_composites: _bool = ...) -> _Any: ...
