"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, float as _float
from collections.abc import Callable as _Callable
from latticework.frontends.torch import autocast as _autocast, dtype as _dtype
from latticework.frontends.torch.amp import GradScaler as _GradScaler
from typing import Any as _Any

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]

class GradScaler(_GradScaler):
    def __init__(self, init_scale: _float = ..., growth_factor: _float = ..., backoff_factor: _float = ..., growth_interval: _Any = ..., enabled: _bool = ...) -> None: ...
class autocast(_autocast):
    def __init__(self, enabled: _bool = ..., dtype: _dtype = ..., cache_enabled: _bool = ...) -> None: ...
    device: _Any
    fast_dtype: _Any


def custom_bwd(bwd: _Any) -> _Callable[..., _Any]: ...
def custom_fwd(fwd: _Any = ..., *, cast_inputs: _Any = ...) -> _Callable[..., _Any]: ...
