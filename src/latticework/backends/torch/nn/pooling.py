"""Pooling on PyTorch, whose kernels have the channels first and as much padding in front of an axis as behind it."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from ....backend.slopes import own_slopes as _own_slopes
from ....core.dtypes import bfloat16, category, float16
from ....engine.shapes import windowed
from ....engine.shapes.windows import Axes, Windows, axes_of, padding_is_half, pooled, wanted_extents
from ..core import COMPOSED, UNSIGNED
from ..shared import recorded as _recorded
from .convolution import as_before, channels_first

COMPOSED.update(("nn.max_pool1d", dtype) for dtype in category("integral"))
COMPOSED.update((f"nn.{name}", dtype) for name in ("max_pool2d", "max_pool3d") for dtype in UNSIGNED)
COMPOSED.update((f"nn.max_pool{n}d_with_indices", dtype) for n in (2, 3) for dtype in UNSIGNED)
COMPOSED.update(("nn.max_pool1d_with_indices", dtype) for dtype in category("integral"))
COMPOSED.update(("nn.adaptive_max_pool2d", dtype) for dtype in category("integral"))
COMPOSED.update(("nn.max_unpool2d", dtype) for dtype in category("integral"))
COMPOSED.update(("nn.avg_pool3d", dtype) for dtype in (float16, bfloat16))
COMPOSED.update((f"nn.avg_pool{n}d", dtype) for n in (1, 2, 3) for dtype in category("complex floating"))

_MAX: dict[int, Any] = {1: functional.max_pool1d, 2: functional.max_pool2d, 3: functional.max_pool3d}
_AVG: dict[int, Any] = {1: functional.avg_pool1d, 2: functional.avg_pool2d, 3: functional.avg_pool3d}


def _is_even(x: torch.Tensor, kernel_size: Any, *, padding: Any = 0, dilation: Any = 1, **_: Any) -> bool:
    """Tell whether the padding is an int, or one for each spatial axis, and at most half of a window."""
    if isinstance(padding, str) or not (isinstance(padding, int) or all(isinstance(p, int) for p in padding)):
        return False
    return padding == 0 or padding_is_half(kernel_size, padding, dilation)


def _is_even_and_dense(x: torch.Tensor, kernel_size: Any, *, padding: Any = 0, dilation: Any = 1, **_: Any) -> bool:
    """Tell whether the padding is an int, or one for each spatial axis, and there is no dilation."""
    dense = dilation == 1 if isinstance(dilation, int) else all(d == 1 for d in dilation)
    return dense and _is_even(x, kernel_size, padding=padding)


def _max_pool(x: torch.Tensor, axes: Axes, w: Windows) -> torch.Tensor:
    pads = tuple([low for low, _ in w.padding])
    run = _MAX[len(pads)]
    return as_before(run(channels_first(x, axes), w.kernel, w.stride, pads, w.dilation, any(w.extra)), axes)


def _avg_pool(x: torch.Tensor, axes: Axes, w: Windows, count_include_pad: bool = True) -> torch.Tensor:
    pads = tuple([low for low, _ in w.padding])
    run = _AVG[len(pads)]
    return as_before(run(channels_first(x, axes), w.kernel, w.stride, pads, any(w.extra), count_include_pad), axes)


max_pool1d, max_pool2d, max_pool3d = (windowed.pooling(n, _max_pool, _is_even) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (windowed.pooling(n, _avg_pool, _is_even_and_dense) for n in (1, 2, 3))


def _with_indices(n: int) -> Any:
    run: Any = getattr(functional, f"max_pool{n}d_with_indices")

    def max_pool_with_indices(
        x: torch.Tensor,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> Any:
        _, w = pooled(tuple(x.shape), n, kernel_size, stride, padding, dilation, ceil_mode, None)
        return run(x, w.kernel, w.stride, tuple([low for low, _ in w.padding]), w.dilation, ceil_mode)

    max_pool_with_indices.when = _is_even  # type: ignore[attr-defined]
    max_pool_with_indices.__name__ = f"max_pool{n}d_with_indices"
    return max_pool_with_indices


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(_with_indices, (1, 2, 3))


def _greatest(x: torch.Tensor, *, axis: int) -> torch.Tensor:
    return torch.amax(x, axis)


def _first_greatest(x: torch.Tensor, *, axis: int) -> torch.Tensor:
    """Take the greatest along an axis. The first of equal ones has the derivative, in amax all of them."""
    if not _recorded(x):
        return torch.amax(x, axis)
    return torch.gather(x, axis, torch.argmax(x, axis, keepdim=True)).squeeze(axis)


_own_slopes(_first_greatest, _greatest)
COMPOSED.update(("nn._first_greatest", dtype) for dtype in category("integral"))


def adaptive_avg_pool2d(x: torch.Tensor, output_size: Any, *, layout: str | None = None) -> torch.Tensor:
    axes = axes_of(tuple(x.shape), 2, layout)
    size: Any = wanted_extents(axes.spatial, output_size)
    return as_before(functional.adaptive_avg_pool2d(channels_first(x, axes), size), axes)


def adaptive_max_pool2d(x: torch.Tensor, output_size: Any, *, layout: str | None = None) -> torch.Tensor:
    axes = axes_of(tuple(x.shape), 2, layout)
    size: Any = wanted_extents(axes.spatial, output_size)
    return as_before(functional.adaptive_max_pool2d(channels_first(x, axes), size), axes)
