"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, str as _str
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike
from latticework.frontends.tensorflow import Tensor as _Tensor, Variable as _Variable
from typing import Any as _Any

__all__ = ["ResizeMethod", "crop_to_bounding_box", "flip_left_right", "flip_up_down", "pad_to_bounding_box", "resize", "rot90", "transpose"]

class ResizeMethod:
    AREA: _str
    BICUBIC: _str
    BILINEAR: _str
    GAUSSIAN: _str
    LANCZOS3: _str
    LANCZOS5: _str
    MITCHELLCUBIC: _str
    NEAREST_NEIGHBOR: _str

def crop_to_bounding_box(image: _ArrayLike | _Variable, offset_height: _Any, offset_width: _Any, target_height: _Any, target_width: _Any) -> _Tensor: ...
def flip_left_right(image: _ArrayLike | _Variable) -> _Tensor: ...
def flip_up_down(image: _ArrayLike | _Variable) -> _Tensor: ...
def pad_to_bounding_box(image: _ArrayLike | _Variable, offset_height: _Any, offset_width: _Any, target_height: _Any, target_width: _Any) -> _Tensor: ...
def resize(images: _ArrayLike | _Variable, size: _Any, method: _str = ..., preserve_aspect_ratio: _bool = ..., antialias: _bool = ..., name: _str | None = ...) -> _Tensor: ...
def rot90(image: _ArrayLike | _Variable, k: _Any = ..., name: _str | None = ...) -> _Tensor: ...
def transpose(image: _ArrayLike | _Variable, name: _str | None = ...) -> _Tensor: ...
