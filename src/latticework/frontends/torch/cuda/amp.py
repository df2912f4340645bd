"""`torch.cuda.amp`: the older names of `torch.amp`, for GPUs."""

from __future__ import annotations

from typing import Any

from ..amp import autocast_mode, grad_scaler
from ..dtypes import float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(autocast_mode.autocast):
    """A block like that of `torch.amp.autocast`, for GPUs."""

    def __init__(self, enabled: bool = True, dtype: Any = float16, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """A scaler like `torch.amp.GradScaler`, for GPUs."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, *, cast_inputs=None):
    """Make a method `forward` that is called with tensors of another dtype in `autocast`."""
    return autocast_mode.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """Make a method `backward` that runs as the method `forward` has run."""
    return autocast_mode.custom_bwd(bwd, device_type="cuda")
