"""Slopes of latticework's at kinks, on PyTorch: its own values, with the derivatives of a composition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...backend.slopes import own_slopes
from .shared import recorded

__all__ = ["carrying", "of_clip", "of_extreme", "with_slopes"]


def carrying(value: torch.Tensor, smooth: torch.Tensor) -> torch.Tensor:
    """Return the value with the derivatives of `smooth`, which equals it but for rounding and the sign of zeros.

    What is taken away from the value is 0."""
    finite = torch.isfinite(smooth)
    near = torch.where(finite, smooth, 0)
    return torch.where(finite, value.detach() - (near.detach() - near), smooth)


def with_slopes(native: Callable[..., Any], *slopes: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function slopes by its operands, constants of their own. Numbers are its options.

    Parameters
    ----------
    native: PyTorch's function of tensors and options, which gives the values.
    slopes: for each tensor a function of the result, the tensors and the options.
    """
    level, forward = torch._C._functorch.maybe_current_level, torch.autograd.forward_ad
    count = len(slopes)

    def sloped(*xs: Any, **options: Any) -> Any:
        out = native(*xs, **options)
        if not out.is_floating_point() or not recorded(*xs):
            return out
        total: Any = torch.zeros_like(out)
        for slope, x in zip(slopes, xs[:count], strict=True):
            by = torch.as_tensor(slope(out, *xs, **options)).detach().to(out.dtype)
            total = total + torch.where(by == 0, 0, by * x)
        return carrying(out, total)

    def own(*xs: Any, **options: Any) -> Any:
        out = native(*xs, **options)
        if out.requires_grad or level() is not None or forward._current_level >= 0:  # asked here, to save a frame
            return sloped(*xs, **options)
        return out

    own.__name__ = own.__qualname__ = native.__name__.removeprefix("_")
    own.as_it_is = own_slopes(sloped, native)  # type: ignore[attr-defined]  # what a source has
    return own_slopes(own, native)


def of_extreme(out: Any, x: Any, other: Any) -> Any:
    """Return the slope of a greatest or least one of two by the first: equal ones share."""
    mine = (x == out) | torch.isnan(out)
    return torch.where(mine & (x == other), 0.5, mine.to(out.dtype))


def of_clip(out: Any, x: Any, low: Any, high: Any) -> Any:
    """Return the slope of a clip: 1 between the bounds and at them. Between equal bounds there is none."""
    return (low <= x) & (x <= high) & torch.as_tensor(low < high)
