"""Losses on PyTorch, whose kernels take predictions and targets of one shape."""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch.nn import functional

from ....backend.plain import comes_to
from ..core import BITS
from ..indexing import _bounds
from ..shared import recorded as _recorded

Weight: TypeAlias = "torch.Tensor | None"

_SUM = 2
_REDUCTIONS = {"none": 0, "mean": 1, "sum": _SUM}


def _is_one_shape(x: torch.Tensor, target: torch.Tensor, **_: Any) -> bool:
    """Tell whether x and target have the same shape, and 32 bits or more."""
    return x.shape == target.shape and x.dtype.itemsize > 2


def mse_loss(x: torch.Tensor, target: torch.Tensor, *, reduction: str = "mean") -> torch.Tensor:
    return functional.mse_loss(x, target, reduction=reduction)


def l1_loss(x: torch.Tensor, target: torch.Tensor, *, reduction: str = "mean") -> torch.Tensor:
    return functional.l1_loss(x, target, reduction=reduction)


def huber_loss(x: torch.Tensor, target: torch.Tensor, *, delta: float = 1.0, reduction: str = "mean") -> torch.Tensor:
    return functional.huber_loss(x, target, reduction, delta)


def smooth_l1_loss(
    x: torch.Tensor, target: torch.Tensor, *, beta: float = 1.0, reduction: str = "mean"
) -> torch.Tensor:
    return functional.smooth_l1_loss(x, target, reduction=reduction, beta=beta)


def kl_div(
    log_p: torch.Tensor, target: torch.Tensor, *, log_target: bool = False, reduction: str = "mean"
) -> torch.Tensor:
    """Call the kernel: the function around it warns of the mean, also where it is requested. Its derivative by a target
    of 0 is nan, and here 0."""
    if not log_target and _recorded(target):
        none = target == 0
        log_p, target = torch.where(none, 0, log_p), torch.where(none, 1, target)
    if reduction == "batchmean":
        return torch.kl_div(log_p, target, _SUM, log_target=log_target) / log_p.shape[0]
    return torch.kl_div(log_p, target, _REDUCTIONS[reduction], log_target=log_target)


def binary_cross_entropy_with_logits(
    x: torch.Tensor, target: torch.Tensor, *, weight: Weight = None, pos_weight: Weight = None, reduction: str = "mean"
) -> torch.Tensor:
    return functional.binary_cross_entropy_with_logits(x, target, weight, reduction=reduction, pos_weight=pos_weight)


def _do_not_broadcast(
    x: torch.Tensor, target: torch.Tensor, *, weight: Weight = None, pos_weight: Weight = None, reduction: str = "mean"
) -> bool:
    """Tell whether x and target have the same shape, the weights at most as many axes, and 32 bits or more."""
    fits = all(w is None or w.ndim <= x.ndim for w in (weight, pos_weight))
    return fits and x.shape == target.shape and x.dtype.itemsize > 2


for _loss in (mse_loss, l1_loss, huber_loss, smooth_l1_loss):
    _loss.when = _is_one_shape  # type: ignore[attr-defined]
binary_cross_entropy_with_logits.when = _do_not_broadcast  # type: ignore[attr-defined]


def _has_a_batch(
    log_p: torch.Tensor, target: torch.Tensor, *, log_target: bool = False, reduction: str = "mean"
) -> bool:
    """Tell whether log_p and target have the same shape of at least one axis, and 32 bits or more."""
    return log_p.ndim > 0 and log_p.shape == target.shape and log_p.dtype.itemsize > 2


kl_div.when = _has_a_batch  # type: ignore[attr-defined]


def nll_loss(
    log_probs: torch.Tensor,
    target: torch.Tensor,
    *,
    weight: Weight = None,
    ignore_index: int = -100,
    axis: int | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    target = target.to(torch.int64)
    return functional.nll_loss(log_probs, target, weight, ignore_index=ignore_index, reduction=reduction)


def cross_entropy(
    logits: torch.Tensor,
    target: torch.Tensor,
    *,
    weight: Weight = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    axis: int | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    target = target.to(logits.dtype if target.is_floating_point() else torch.int64)
    return functional.cross_entropy(
        logits, target, weight, ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing
    )


def _has_categories_in_place(
    x: torch.Tensor, target: torch.Tensor, *, weight: Weight = None, axis: int | None = None, **_: Any
) -> bool:
    """Tell whether the categories are along axis 1, and the target is of numbers without that axis, or of
    probabilities with it. PyTorch has no derivative by the weight."""
    if weight is not None and (weight.requires_grad or torch._C._functorch.is_functorch_wrapped_tensor(weight)):
        return False
    if (axis is not None and axis != min(1, x.ndim - 1)) or not x.numel() or x.dtype.itemsize < 4:
        return False
    if target.is_floating_point():
        return target.shape == x.shape
    return target.dtype != torch.bool and target.shape == x.shape[:1] * (x.ndim > 1) + x.shape[2:]


def _has_numbers(x: torch.Tensor, target: torch.Tensor, **options: Any) -> bool:
    """Tell whether the categories are along axis 1, and no derivative by the weight is asked for."""
    return not target.is_floating_point() and _has_categories_in_place(x, target, **options)


cross_entropy.when = _has_categories_in_place  # type: ignore[attr-defined]
nll_loss.when = _has_numbers  # type: ignore[attr-defined]


def cosine_similarity(x1: torch.Tensor, x2: torch.Tensor, *, axis: int = 1, eps: float = 1e-8) -> torch.Tensor:
    return functional.cosine_similarity(x1, x2, axis, eps)


def _is_one_shape_with_axis(x1: torch.Tensor, x2: torch.Tensor, *, axis: int = 1, eps: float = 1e-8) -> bool:
    """Tell whether x1 and x2 have the same shape with such an axis, elements, and 32 bits or more."""
    there = isinstance(axis, int) and -x1.ndim <= axis < x1.ndim
    return there and x1.shape == x2.shape and x1.numel() > 0 and x1.dtype.itemsize > 2


cosine_similarity.when = _is_one_shape_with_axis  # type: ignore[attr-defined]

# --- ctc ----------------------------------------------------------------------------------------------------------


def ctc_loss(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: str = "mean",
) -> torch.Tensor:
    return functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)


def _is_wide(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: str = "mean",
) -> bool:
    """Tell whether log_probs have three axes and 32 bits or more, and targets have labels."""
    return log_probs.ndim == 3 and log_probs.dtype.itemsize > 2 and targets.ndim == 2 and targets.numel() > 0


ctc_loss.when = _is_wide  # type: ignore[attr-defined]

# --- categories ---------------------------------------------------------------------------------------------------


def _is_one(x: torch.Tensor, *, axis: Any = -1) -> bool:
    """Tell whether there is one axis, of those that there are, and no mask."""
    return isinstance(axis, int) and x.ndim > 0


def softmax(x: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    return torch.softmax(x, axis)


comes_to(softmax, lambda x, axis=-1: (torch.softmax, (x, axis), {}))


softmax.when = _is_one  # type: ignore[attr-defined]


def log_softmax(x: torch.Tensor, *, axis: int = -1) -> torch.Tensor:
    return torch.log_softmax(x, axis)


comes_to(log_softmax, lambda x, axis=-1: (torch.log_softmax, (x, axis), {}))


log_softmax.when = _is_one  # type: ignore[attr-defined]


def _one_hot(x: torch.Tensor, like: torch.Tensor, *, num_classes: int, axis: int) -> torch.Tensor:
    shape = (*x.shape[:axis], num_classes, *x.shape[axis:])
    return torch.zeros(shape, dtype=like.dtype, device=x.device).scatter_(axis, x.unsqueeze(axis), 1)


def _are_categories(x: torch.Tensor, like: torch.Tensor, *, num_classes: int, axis: int) -> bool:
    """Tell whether all numbers are known to be categories, and PyTorch writes to positions in the dtype."""
    bounds = None if like.dtype in BITS else _bounds(x)
    return bounds is not None and bounds[0] >= 0 and bounds[1] < num_classes


_one_hot.when = _are_categories  # type: ignore[attr-defined]
