"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import BaseException as _BaseException, Exception as _Exception, RuntimeError as _RuntimeError, bool as _bool, str as _str, tuple as _tuple
from latticework.frontends.torch import Tensor as _Tensor
from typing import Any as _Any

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "noop_context_fn"]

class CheckpointError(_RuntimeError):
    ...

def checkpoint(function: _Any, *args: _Any, use_reentrant: _Any = ..., context_fn: _Any = ..., determinism_check: _str = ..., debug: _bool = ..., early_stop: _bool = ..., **kwargs: _Any) -> _Tensor: ...
def checkpoint_sequential(functions: _Any, segments: _Any, input: _Tensor, use_reentrant: _Any = ..., **kwargs: _Any) -> _Tensor: ...
def noop_context_fn() -> _tuple[_Any, _Any]: ...
