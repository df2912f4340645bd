"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool
from typing import Any as _Any

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]

from latticework.frontends.torch.nn import Buffer as Buffer
from latticework.frontends.torch.nn import Parameter as Parameter
from latticework.frontends.torch.nn import UninitializedBuffer as UninitializedBuffer
from latticework.frontends.torch.nn import UninitializedParameter as UninitializedParameter
def is_lazy(param: _Any) -> _bool: ...
