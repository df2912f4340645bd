"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool
from latticework.frontends.torch import Tensor as _Tensor
from typing import Any as _Any

__all__ = ["functional_call"]

def functional_call(module: _Any, parameters_and_buffers: _Any, args: _Any = ..., kwargs: _Any = ..., *, tie_weights: _bool = ..., strict: _bool = ...) -> _Tensor: ...
