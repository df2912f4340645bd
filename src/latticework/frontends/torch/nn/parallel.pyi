"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool
from collections.abc import Sequence as _Sequence
from latticework.frontends.parameter_types import Int as _Int
from latticework.frontends.torch.nn import Module as _Module
from typing import Any as _Any

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]

class DistributedDataParallel(_Module):
    def __init__(self, module: _Any, device_ids: _Any = ..., output_device: _Any = ..., dim: _Int | _Sequence[_Int] | None = ..., broadcast_buffers: _Any = ..., init_sync: _bool = ..., process_group: _Any = ..., bucket_cap_mb: _Any = ..., find_unused_parameters: _bool = ..., check_reduction: _bool = ..., gradient_as_bucket_view: _bool = ..., static_graph: _bool = ..., delay_all_reduce_named_params: _Any = ..., param_to_hook_all_reduce: _Any = ..., mixed_precision: _Any = ..., device_mesh: _Any = ..., skip_all_reduce_unused_params: _bool = ..., bucket_cap_mb_list: _Any = ..., batched_grad_copy: _bool = ..., forward_sync_buffers: _Any = ...) -> None: ...
    device_ids: _Any
    dim: _Any
    find_unused_parameters: _Any
    def forward(self, *inputs: _Any, **kwargs: _Any) -> _Any: ...
    def join(self, divide_by_initial_world_size: _bool = ..., enable: _bool = ..., throw_on_early_termination: _bool = ...) -> _Any: ...
    module: _Any
    def no_sync(self) -> _Any: ...
    output_device: _Any
    process_group: _Any
    require_backward_grad_sync: _Any
    static_graph: _Any
    training: _bool
from latticework.frontends.torch.nn import DataParallel as DataParallel

def data_parallel(module: _Any, inputs: _Any, device_ids: _Any = ..., output_device: _Any = ..., dim: _Int | _Sequence[_Int] | None = ..., module_kwargs: _Any = ...) -> _Any: ...
