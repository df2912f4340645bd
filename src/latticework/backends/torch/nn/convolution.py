"""Convolutions on PyTorch, whose kernels are for 1 to 3 spatial axes and channels first."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from ....engine.shapes import windowed
from ....engine.shapes.windows import Axes, Windows

_CONV: dict[int, Any] = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
_TRANSPOSE: dict[int, Any] = {
    1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d,
}  # fmt: skip


def _convolved(x: torch.Tensor, weight: torch.Tensor, bias: Any, axes: Axes, w: Windows, groups: int) -> torch.Tensor:
    x, pads = evenly(channels_first(x, axes), w)
    return as_before(_CONV[len(pads)](x, weight, bias, w.stride, pads, w.dilation, groups), axes)


def _has_kernel(x: torch.Tensor, weight: torch.Tensor, **_: Any) -> bool:
    """Tell whether there are at most three spatial axes."""
    return 3 <= weight.ndim <= 5


def channels_first(x: torch.Tensor, axes: Axes) -> torch.Tensor:
    return x.movedim(-1, -1 - len(axes.spatial)) if axes.last else x


def as_before(x: torch.Tensor, axes: Axes) -> torch.Tensor:
    return x.movedim(-1 - len(axes.spatial), -1) if axes.last else x


def evenly(x: torch.Tensor, w: Windows, value: float = 0.0) -> tuple[torch.Tensor, tuple[int, ...]]:
    """Return the array and the padding for the kernels, which is even; uneven padding is put into the array."""
    before, after = zip(*w.padding, strict=True)
    if before == after:
        return x, before
    around = [p for pair in reversed(w.padding) for p in pair]
    return functional.pad(x, around, value=value), (0,) * len(w.padding)


def _transposed(x: torch.Tensor, weight: torch.Tensor, bias: Any, axes: Axes, w: Windows, groups: int) -> torch.Tensor:
    x = channels_first(x, axes)
    pads = tuple([low for low, _ in w.padding])
    run = _TRANSPOSE[len(pads)]
    return as_before(run(x, weight, bias, w.stride, pads, w.extra, groups, w.dilation), axes)


def _is_even(x: torch.Tensor, weight: torch.Tensor, *, padding: Any = 0, **_: Any) -> bool:
    """Tell whether the padding is an int, or one for each spatial axis."""
    return not isinstance(padding, str) and (isinstance(padding, int) or all(isinstance(p, int) for p in padding))


conv, conv1d, conv2d, conv3d = (windowed.convolution(n, _convolved, _has_kernel) for n in (None, 1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    windowed.transposed_convolution(n, _transposed, _is_even) for n in (1, 2, 3)
)
