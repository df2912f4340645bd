"""`torch.nn.parallel`: modules that PyTorch runs in several processes or on several GPUs; here in one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..distributed.groups import group, member
from .modules.module import Module

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]


class _Around(Module):
    """A module that calls another one, whose state has the prefix ``module.``."""

    def __init__(self, module: Any, device_ids: Any, output_device: Any, dim: int) -> None:
        super().__init__()
        self.module = module
        self.device_ids, self.output_device, self.dim = device_ids, output_device, dim

    def forward(self, *inputs, **kwargs):
        """Call the module."""
        return self.module(*inputs, **kwargs)


class DataParallel(_Around):
    """A module over a batch that PyTorch splits between GPUs. Here the module gets the whole batch, on its own device.

    Parameters
    ----------
    module: the module; it is the attribute `module`.
    device_ids, output_device, dim: kept as attributes, and not looked at.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> model = nn.DataParallel(nn.Linear(3, 2))
    >>> model(torch.ones(4, 3)).shape, [*model.state_dict()]
    (torch.Size([4, 2]), ['module.weight', 'module.bias'])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__(module, device_ids or [], output_device, dim)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """Call a module with a batch, as `DataParallel` does."""
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


class DistributedDataParallel(_Around):
    """A module whose gradients PyTorch averages over processes. In a world of one process they are its own.

    Parameters
    ----------
    module: the module; it is the attribute `module`.
    device_ids, output_device, dim, process_group: kept as attributes.
    broadcast_buffers and what follows: about the traffic between processes. Taken, and not looked at.

    Attributes
    ----------
    require_backward_grad_sync: whether gradients are averaged; programs set it. It changes nothing.

    Raises
    ------
    ValueError: there is no world: see `torch.distributed.init_process_group`.
    RuntimeError: no parameter of the module requires a gradient.
    """

    def __init__(
        self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync=True,
        process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
        gradient_as_bucket_view=False, static_graph=False, delay_all_reduce_named_params=None,
        param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None, skip_all_reduce_unused_params=False,
        bucket_cap_mb_list=None, batched_grad_copy=False, forward_sync_buffers=None,
    ):  # fmt: skip
        found = member(process_group)
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        super().__init__(module, device_ids, output_device, dim)
        self.process_group = found if process_group is not None else group.WORLD
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.require_backward_grad_sync = True

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Leave gradients as they are in a block, for the last step of several to average."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextmanager
    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Iterator[None]:
        """Train in a block though processes have batches of different numbers. There is one process."""
        yield
