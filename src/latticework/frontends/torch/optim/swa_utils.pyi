"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, float as _float, str as _str
from collections.abc import Callable as _Callable
from latticework.frontends.parameter_types import Int as _Int
from latticework.frontends.torch import device as _device
from latticework.frontends.torch.nn import Module as _Module
from latticework.frontends.torch.optim.lr_scheduler import LRScheduler as _LRScheduler
from typing import Any as _Any

__all__ = ["SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn"]

class AveragedModel(_Module):
    def __init__(self, model: _Any, device: _device | _str | _Int | None = ..., avg_fn: _Any = ..., multi_avg_fn: _Any = ..., use_buffers: _bool = ...) -> None: ...
    avg_fn: _Any
    forward: _Callable[..., _Any]
    module: _Any
    multi_avg_fn: _Any
    n_averaged: _Any
    training: _bool
    def update_parameters(self, model: _Any) -> _Any: ...
    use_buffers: _Any
class SWALR(_LRScheduler):
    def __init__(self, optimizer: _Any, swa_lr: _Any, anneal_epochs: _Any = ..., anneal_strategy: _str = ..., last_epoch: _Any = ...) -> None: ...
    anneal_epochs: _Any
    anneal_func: _Any
    base_lrs: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    def load_state_dict(self, state_dict: _Any) -> _Any: ...
    optimizer: _Any


def get_ema_avg_fn(decay: _float = ...) -> _Callable[..., _Any]: ...
def get_ema_multi_avg_fn(decay: _float = ...) -> _Callable[..., _Any]: ...
def get_swa_avg_fn() -> _Callable[..., _Any]: ...
def get_swa_multi_avg_fn() -> _Callable[..., _Any]: ...
def update_bn(loader: _Any, model: _Any, device: _device | _str | _Int | None = ...) -> None: ...
