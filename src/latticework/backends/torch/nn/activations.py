"""Activations on PyTorch, which has nearly all of them."""

from __future__ import annotations

import torch
from torch.nn import functional

from ....core.dtypes import float64
from ..core import COMPOSED, UNSIGNED
from ..kinks import of_clip as _of_clip
from ..kinks import with_slopes as _with_slopes
from ..shared import recorded as _recorded

_forward = torch.autograd.forward_ad

relu = torch.relu
relu6 = functional.relu6
elu = functional.elu
selu = torch.selu
celu = torch.celu
sigmoid = torch.sigmoid
log_sigmoid = functional.logsigmoid
silu = functional.silu
softsign = functional.softsign
tanh_shrink = functional.tanhshrink
hard_sigmoid = _with_slopes(functional.hardsigmoid, lambda out, x: ((x >= -3) & (x <= 3)) / 6)
hard_silu = functional.hardswish
leaky_relu = functional.leaky_relu
_erf = torch.erf

COMPOSED.add(("nn.hard_sigmoid", float64))  # PyTorch has its slope in float32
COMPOSED.update((f"nn.{name}", dtype) for name in ("relu", "relu6") for dtype in UNSIGNED)


def mish(x: torch.Tensor) -> torch.Tensor:
    """Compute mish: x from 40 on, in every dtype, since PyTorch's second derivative is nan where exp overflows."""
    if not _recorded(x):
        return functional.mish(x)
    large = x > 40
    return torch.where(large, x, functional.mish(torch.where(large, 0, x)))


def gelu(x: torch.Tensor, *, approximate: bool | str = False) -> torch.Tensor:
    return functional.gelu(x, approximate="none" if approximate in (False, "none") else "tanh")


def _is_known(x: torch.Tensor, *, approximate: bool | str = False) -> bool:
    """Tell whether the approximation is ``"none"`` or ``"tanh"``."""
    return approximate in (False, True, "none", "tanh")


gelu.when = _is_known  # type: ignore[attr-defined]


def softplus(x: torch.Tensor, *, beta: float | None = None, threshold: float | None = None) -> torch.Tensor:
    """Compute softplus. PyTorch's always has a threshold; from 40 on exp may overflow and the result is x anyway."""
    return functional.softplus(x, 1.0 if beta is None else beta, 40.0 if threshold is None else min(threshold, 40.0))


def threshold(x: torch.Tensor, threshold: float, value: float) -> torch.Tensor:
    return functional.threshold(x, threshold, value)


def hard_shrink(x: torch.Tensor, *, threshold: float = 0.5) -> torch.Tensor:
    return functional.hardshrink(x, threshold)


def soft_shrink(x: torch.Tensor, *, threshold: float = 0.5) -> torch.Tensor:
    return functional.softshrink(x, threshold)


def _hard_tanh(x: torch.Tensor, *, min: float = -1.0, max: float = 1.0) -> torch.Tensor:
    return functional.hardtanh(x, min, max)


hard_tanh = _with_slopes(
    _hard_tanh, lambda out, x, **bounds: _of_clip(out, x, bounds.get("min", -1.0), bounds.get("max", 1.0))
)


def glu(x: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    return functional.glu(x, axis)


def prelu(x: torch.Tensor, weight: torch.Tensor, *, axis: int | None = None) -> torch.Tensor:
    if _forward._current_level < 0:
        return functional.prelu(x, weight)
    if weight.shape[0] > 1:
        weight = weight.reshape(-1, *[1] * (x.ndim - 2))
    return torch.where(x > 0, x, x * weight)  # whose slope at 0 is the weight forwards too


def _has_channels_in_place(x: torch.Tensor, weight: torch.Tensor, *, axis: int | None = None) -> bool:
    """Tell whether there is one slope for all, or the channels are along axis 1."""
    if weight.ndim != 1 or x.ndim == 0 or weight.shape[0] == 1:
        return weight.ndim == 1 and x.ndim > 0
    return axis in (None, 1) and x.ndim > 1 and x.shape[1] == weight.shape[0]


prelu.when = _has_channels_in_place  # type: ignore[attr-defined]
