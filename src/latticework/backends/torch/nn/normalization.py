"""Norms on PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
from torch.nn import functional

Weight: TypeAlias = "torch.Tensor | None"


def _extents(normalized_shape: Any) -> Any:
    return tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)


def layer_norm(
    x: torch.Tensor,
    normalized_shape: int | Sequence[int],
    *,
    weight: Weight = None,
    bias: Weight = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    return functional.layer_norm(x, _extents(normalized_shape), weight, bias, eps)


def rms_norm(
    x: torch.Tensor, normalized_shape: int | Sequence[int], *, weight: Weight = None, eps: float | None = None
) -> torch.Tensor:
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    return functional.rms_norm(x, _extents(normalized_shape), weight, eps)


def group_norm(
    x: torch.Tensor, num_groups: int, *, weight: Weight = None, bias: Weight = None, eps: float = 1e-5
) -> torch.Tensor:
    return functional.group_norm(x, num_groups, weight, bias, eps)


def _has_elements(
    x: torch.Tensor, num_groups: int, *, weight: Weight = None, bias: Weight = None, eps: float = 1e-5
) -> bool:
    """Tell whether x has elements."""
    return x.numel() > 0


group_norm.when = _has_elements  # type: ignore[attr-defined]


def instance_norm(x: torch.Tensor, *, weight: Weight = None, bias: Weight = None, eps: float = 1e-5) -> torch.Tensor:
    return functional.instance_norm(x, None, None, weight, bias, True, 0.1, eps)


def _has_several(x: torch.Tensor, *, weight: Weight = None, bias: Weight = None, eps: float = 1e-5) -> bool:
    """Tell whether each channel of a sample has more than one element.

    PyTorch refuses to normalize one element.
    """
    return x.ndim > 2 and x.shape[0] > 0 and x.shape[2:].numel() > 1


instance_norm.when = _has_several  # type: ignore[attr-defined]


def _by_statistics(
    x: torch.Tensor,
    mean: torch.Tensor,
    var: torch.Tensor,
    *,
    weight: Weight = None,
    bias: Weight = None,
    eps: float = 1e-5,
    axis: int = 1,
) -> torch.Tensor:
    if not _are_constants(mean, var):  # a graph was traced where they were
        wide = torch.promote_types(x.dtype, torch.float32)
        shape = (-1, *[1] * (x.ndim - 2))
        factor = torch.rsqrt(var.to(wide) + eps)
        factor = factor if weight is None else factor * weight
        y = (x - mean.to(wide).reshape(shape)) * factor.reshape(shape)
        return (y if bias is None else y + bias.reshape(shape)).to(x.dtype)
    return functional.batch_norm(x, mean, var, weight, bias, False, 0.1, eps)


def _are_constants(*statistics: torch.Tensor) -> bool:
    """Tell whether no derivatives by statistics are asked for: PyTorch has none by those that are given."""
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    return not any(s.requires_grad or wrapped(s) for s in statistics)


def _has_channels_in_place(x: torch.Tensor, *statistics: torch.Tensor, axis: int = 1, **_: Any) -> bool:
    """Tell whether the channels are along axis 1, and the statistics are constants: those of a batch are computed from
    it, and have derivatives by it."""
    return axis == 1 and x.numel() > 0 and _are_constants(*statistics)


_by_statistics.when = _has_channels_in_place  # type: ignore[attr-defined]


def _by_batch(
    x: torch.Tensor,
    *,
    weight: Weight = None,
    bias: Weight = None,
    eps: float = 1e-5,
    axis: int = 1,
    correction: float = 1,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """PyTorch's kernel gives the statistics as constants. Here they have derivatives, and are computed once more."""
    result = functional.batch_norm(x, None, None, weight, bias, True, 0.0, eps)
    variance, mean = torch.var_mean(x, [a for a in range(x.ndim) if a != 1], correction=correction)
    return result, mean, variance


def _has_batch(x: torch.Tensor, *, eps: float = 1e-5, axis: int = 1, correction: float = 1, **_: Any) -> bool:
    """Tell whether the channels are along axis 1, and each has as many elements as PyTorch asks for."""
    return axis == 1 and eps > 0 and x.shape[1] > 0 and x.numel() > max(correction, 1) * x.shape[1]


_by_batch.when = _has_batch  # type: ignore[attr-defined]


def _in_training(
    x: torch.Tensor,
    mean: torch.Tensor,
    var: torch.Tensor,
    *,
    weight: Weight = None,
    bias: Weight = None,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    mean, var = mean.clone(), var.clone()  # they are written into
    return functional.batch_norm(x, mean, var, weight, bias, True, momentum, eps), mean, var


def _writes_statistics(x: torch.Tensor, mean: torch.Tensor, var: torch.Tensor, *, eps: float = 1e-5, **_: Any) -> bool:
    """Tell whether PyTorch takes the call: it has no derivatives by statistics, and inside of its transformations it
    writes into no array."""
    transformed = torch._C._functorch.is_functorch_wrapped_tensor(x)
    return not transformed and _are_constants(mean, var) and _has_batch(x, eps=eps)


_in_training.when = _writes_statistics  # type: ignore[attr-defined]


def normalize(x: torch.Tensor, *, p: float = 2.0, axis: int = 1, eps: float = 1e-12) -> torch.Tensor:
    return functional.normalize(x, p, axis, eps)


def _is_one(x: torch.Tensor, *, p: float = 2.0, axis: Any = 1, eps: float = 1e-12) -> bool:
    """Tell whether there is one axis, and x has axes and elements."""
    return isinstance(axis, int) and x.ndim > 0 and x.numel() > 0 and x.dtype.itemsize > 2


normalize.when = _is_one  # type: ignore[attr-defined]
