"""`torch.backends.cuda`: how PyTorch multiplies and attends on GPUs. The switches change nothing here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..objects import gpus

__all__ = [
    "cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp",
    "flash_sdp_enabled", "is_built", "math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled", "sdp_kernel",
]  # fmt: skip


class _Matmul:
    """What a product of matrices may round. The values are kept."""

    allow_tf32: bool
    allow_fp16_reduced_precision_reduction: bool
    allow_bf16_reduced_precision_reduction: bool
    allow_fp16_accumulation: bool
    fp32_precision: str

    def __init__(self) -> None:
        self.__dict__.update(
            allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
            allow_bf16_reduced_precision_reduction=True, allow_fp16_accumulation=False, fp32_precision="none",
        )  # fmt: skip

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"Unknown attribute {name}")
        self.__dict__[name] = value


matmul = _Matmul()
_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


# fmt: off
def is_built(): return bool(gpus())
def flash_sdp_enabled(): return _attention["flash"]
def mem_efficient_sdp_enabled(): return _attention["mem_efficient"]
def math_sdp_enabled(): return _attention["math"]
def cudnn_sdp_enabled(): return _attention["cudnn"]
def enable_flash_sdp(enabled): _attention["flash"] = enabled
def enable_mem_efficient_sdp(enabled): _attention["mem_efficient"] = enabled
def enable_math_sdp(enabled): _attention["math"] = enabled
def enable_cudnn_sdp(enabled): _attention["cudnn"] = enabled
# fmt: on


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[dict[str, bool]]:
    """Set the switches of attention in a block."""
    before = dict(_attention)
    _attention.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _attention.update(before)
