"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, int as _int
from latticework.frontends.jax import Array as _Array
from typing import Any as _Any

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]

def segment_max(data: _Any, segment_ids: _Any, num_segments: _int | None = ..., indices_are_sorted: _bool = ..., unique_indices: _bool = ..., bucket_size: _int | None = ..., mode: _Any = ..., out_sharding: _Any = ...) -> _Array: ...
def segment_min(data: _Any, segment_ids: _Any, num_segments: _int | None = ..., indices_are_sorted: _bool = ..., unique_indices: _bool = ..., bucket_size: _int | None = ..., mode: _Any = ..., out_sharding: _Any = ...) -> _Array: ...
def segment_prod(data: _Any, segment_ids: _Any, num_segments: _int | None = ..., indices_are_sorted: _bool = ..., unique_indices: _bool = ..., bucket_size: _int | None = ..., mode: _Any = ..., out_sharding: _Any = ...) -> _Array: ...
def segment_sum(data: _Any, segment_ids: _Any, num_segments: _int | None = ..., indices_are_sorted: _bool = ..., unique_indices: _bool = ..., bucket_size: _int | None = ..., mode: _Any = ..., out_sharding: _Any = ...) -> _Array: ...
