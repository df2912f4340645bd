"""Elementwise functions beyond the standard, on PyTorch."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ...backend.series import SINC, polynomial
from ...core.dtypes import SCALARS, category
from .core import COMPOSED, UNSIGNED
from .kinks import of_extreme as _of_extreme
from .kinks import with_slopes as _with_slopes
from .shared import recorded as _recorded
from .shared import with_derivatives_of as _with_derivatives_of

exp2 = torch.exp2
rsqrt = torch.rsqrt
fabs = torch.abs
rint = torch.round
frexp = torch.frexp
fmod = torch.fmod
fmax = _with_slopes(torch.fmax, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))
fmin = _with_slopes(torch.fmin, _of_extreme, lambda out, x1, x2: _of_extreme(out, x2, x1))
deg2rad = torch.deg2rad
rad2deg = torch.rad2deg
lerp = torch.lerp
isneginf = torch.isneginf
isposinf = torch.isposinf


def gcd(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Compute gcd. For the least number of a dtype, which has no absolute value, torch.gcd gives negative divisors."""
    return torch.abs(torch.gcd(x1, x2))


def sinc(x: torch.Tensor) -> torch.Tensor:
    """Compute sinc. The second derivative of torch.sinc cancels near 0, and is nan at 0: the series' is used there."""
    if not _recorded(x):
        return torch.sinc(x)
    near = x.abs() < 0.25
    small = torch.where(near, x, 0)
    series = _with_derivatives_of(polynomial(torch.square(small * math.pi), SINC), torch.sinc(small))
    return torch.where(near, series, torch.sinc(torch.where(near, 1, x)))


def addcmul(x: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, *, value: complex = 1) -> torch.Tensor:
    return torch.addcmul(x, x1, x2, value=value)


def _holds_value(x: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, *, value: complex = 1) -> bool:
    """Tell whether the value is a number of the dtype's kind: PyTorch truncates one that is not."""
    if not isinstance(value, SCALARS) or not isinstance(x, torch.Tensor):
        return False
    return isinstance(value, int) or x.is_floating_point() or x.is_complex()


addcmul.when = _holds_value  # type: ignore[attr-defined]


COMPOSED.update((name, dtype) for name in ("gcd", "fmax", "fmin", "addcmul") for dtype in UNSIGNED)
COMPOSED.update(("rint", dtype) for dtype in category("complex floating"))
# In PyTorch an integer divided by zero is an error.
COMPOSED.update(("fmod", dtype) for dtype in category("integral"))


def polar(abs: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Compute polar. torch.polar takes only float32 and float64, and has a derivative only by positive sizes."""
    if abs.dtype in (torch.float16, torch.bfloat16):
        abs, angle = abs.to(torch.float32), angle.to(torch.float32)
    if _recorded(abs, angle):
        return torch.complex(abs * torch.cos(angle), abs * torch.sin(angle))
    return torch.polar(*torch.broadcast_tensors(abs, angle))


def bitwise_count(x: torch.Tensor) -> torch.Tensor:
    """PyTorch has no such function: count in fields of 2, 4 and 8 bits, and add these by a product."""
    n = x.view(torch.int64) if x.dtype == torch.uint64 else torch.abs(x.to(torch.int64))
    n = n - ((n >> 1) & 0x5555555555555555)
    n = (n & 0x3333333333333333) + ((n >> 2) & 0x3333333333333333)
    n = (n + (n >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((n * 0x0101010101010101) >> 56 & 0x7F).to(torch.uint8)


# --- bits ---------------------------------------------------------------------------------------------------------


def reinterpret(x: Tensor, dtype: torch.dtype) -> Tensor:
    if x.itemsize == dtype.itemsize:
        return x.view(dtype)
    if x.itemsize > dtype.itemsize:
        return x.contiguous().unsqueeze(-1).view(dtype)
    if not x.numel():
        return torch.empty(x.shape[:-1], dtype=dtype, device=x.device)
    return x.contiguous().view(dtype).squeeze(-1)
