"""Losses: one number of how far an input is from a target."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

from .. import functional as F
from ..functional.common import reduction_of
from .distance import PairwiseDistance
from .layer import Layer
from .linear import Linear

# fmt: off
__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LinearCrossEntropyLoss", "LinearCrossEntropyOptions",
    "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss",
    "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]
# fmt: on

_LAST = "size_average=None, reduce=None, reduction='mean'"
_TWO, _THREE = "input, target", "input1, input2, target"


class _Loss(Layer, options=_LAST, shows=""):
    """The base of losses.

    Parameters
    ----------
    reduction: ``"mean"`` or ``"sum"`` of the losses of all elements, or ``"none"`` for each of them.
    size_average, reduce: an older form of the reduction, as bools.
    """

    def __init_subclass__(cls, shows: str | None = "", **kw: Any) -> None:
        super().__init_subclass__(shows=shows, **kw)

    def _set(self, *_: Any, **options: Any) -> None:
        for name in ("weight", "pos_weight"):
            if name in options:
                self.register_buffer(name, options.pop(name))
        older = options.pop("size_average", None), options.pop("reduce", None)
        if any(x is not None for x in older):
            options["reduction"] = reduction_of(options["reduction"], *older)
        super()._set(**options)


class _WeightedLoss(_Loss, options=f"weight=None, {_LAST}"):
    """The base of losses that weight classes or elements, by a buffer."""


class L1Loss(_Loss, call=F.l1_loss, takes=_TWO):
    """Compute the magnitude of differences."""


class NLLLoss(
    _WeightedLoss,
    options="weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
    call=F.nll_loss,
    takes=_TWO,
):
    """Compute the negative logarithms of the probabilities of the true classes.

    Parameters
    ----------
    weight: a weight for each class.
    ignore_index: the class that does not count.
    reduction: ``"mean"``, ``"sum"`` or ``"none"``.
    """


class NLLLoss2d(NLLLoss):
    """The older name of `NLLLoss` for images."""


class PoissonNLLLoss(
    _Loss,
    options="log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction='mean'",
):
    """Compute the negative logarithm of Poisson probabilities.

    Parameters
    ----------
    log_input: whether the input is the logarithm of the rate.
    full: whether the terms of the target are added, by Stirling's formula.
    eps: what is added to a rate before its logarithm.
    """

    def forward(self, log_input: Any, target: Any) -> Any:
        """Call `torch.nn.functional.poisson_nll_loss`."""
        options = {"log_input": self.log_input, "full": self.full, "eps": self.eps, "reduction": self.reduction}
        return F.poisson_nll_loss(log_input, target, **options)


class GaussianNLLLoss(
    _Loss, options="*, full=False, eps=1e-6, reduction='mean'", call=F.gaussian_nll_loss, takes="input, target, var"
):
    """Compute the negative logarithm of the density of normal distributions.

    Parameters
    ----------
    full: whether the constant term is added.
    eps: the least variance.
    """


class KLDivLoss(_Loss, options=f"{_LAST}, log_target=False", call=F.kl_div, takes=_TWO):
    """Compute the divergence of distributions; the input is logarithms.

    Parameters
    ----------
    reduction: ``"batchmean"`` as well: the sum divided by the extent of the first axis.
    log_target: whether the target is logarithms too.
    """

    __constants__: ClassVar[list[str]] = ["reduction"]


class MSELoss(_Loss, call=F.mse_loss, takes=_TWO):
    """Compute the squares of differences.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.MSELoss()(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))
    tensor(2.)
    """


class BCELoss(_WeightedLoss, call=F.binary_cross_entropy, takes=_TWO):
    """Compute the cross entropy of probabilities and a target of 0 and 1."""


class BCEWithLogitsLoss(
    _Loss,
    options=f"weight=None, {_LAST}, pos_weight=None",
    call=F.binary_cross_entropy_with_logits,
    takes=_TWO,
):
    """Compute the cross entropy of the logistic function of the input and a target of 0 and 1.

    Parameters
    ----------
    weight: a weight for each element.
    pos_weight: a weight of the ones of the target, for each class.
    """

    __constants__: ClassVar[list[str]] = []


class HingeEmbeddingLoss(_Loss, options=f"margin=1.0, {_LAST}", call=F.hinge_embedding_loss, takes=_TWO):
    """Compute distances where the target is 1, and what they lack to the margin where it is -1."""


class MultiLabelMarginLoss(_Loss, call=F.multilabel_margin_loss, takes=_TWO):
    """Compute by how much the scores of the true classes, listed before the first -1, do not exceed others by 1."""


class SmoothL1Loss(_Loss, options=f"{_LAST}, beta=1.0", call=F.smooth_l1_loss, takes=_TWO):
    """Compute squares of differences below beta, divided by it, and magnitudes above."""

    __constants__: ClassVar[list[str]] = ["reduction"]


class HuberLoss(_Loss, options="reduction='mean', delta=1.0", call=F.huber_loss, takes=_TWO):
    """Compute squares of differences below delta, and magnitudes times delta above."""

    def _set(self, reduction: Any, delta: Any) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super()._set(reduction=reduction, delta=delta)


class SoftMarginLoss(_Loss, call=F.soft_margin_loss, takes=_TWO):
    """Compute ``log(1 + exp(-target * input))`` for a target of 1 and -1."""


class CrossEntropyLoss(
    _WeightedLoss,
    options=("weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0"),
    call=F.cross_entropy,
    takes=_TWO,
):
    """Compute the cross entropy of the softmax of scores and of true classes, or of probabilities of classes.

    Parameters
    ----------
    weight: a weight for each class.
    ignore_index: the class that does not count.
    reduction: ``"mean"``, ``"sum"`` or ``"none"``.
    label_smoothing: how much of the target is spread over all classes.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.CrossEntropyLoss()(torch.zeros(1, 4), torch.tensor([2]))
    tensor(1.3863)
    """


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """How PyTorch computes a `LinearCrossEntropyLoss` in chunks. They are checked, and change nothing here."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        name, found, factor = (self.chunking_method or "auto").partition(":")
        if name not in ("auto", "aspect_ratio") or (
            found and not (name != "auto" and factor.isdigit() and int(factor))
        ):
            raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")


class LinearCrossEntropyLoss(
    _WeightedLoss,
    options=(
        "in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, reduction='mean', "
        "weight=None, ignore_index=None, label_smoothing=0.0, options=None"
    ),
):
    """Compute the cross entropy of the scores that a linear map gives.

    Parameters
    ----------
    in_features, num_classes: the extents of the input and of the scores.
    out_features: further extents of the scores.
    bias: whether the linear map has a bias.
    options: how PyTorch saves memory; nothing is changed by it here.
    """

    __constants__: ClassVar[list[str]] = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def _set(
        self, in_features, num_classes, out_features, bias, device, dtype, weight, label_smoothing, **options: Any
    ) -> None:
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        kept = {"num_classes": num_classes, "out_features": out_features, "label_smoothing": label_smoothing}
        super()._set(weight=weight, **kept, **options)
        self.linear = Linear(in_features, prod(out_features, start=num_classes), bias, device, dtype)

    def forward(self, input: Any, target: Any) -> Any:
        """Call `torch.nn.functional.linear_cross_entropy` with the parameters of the linear map."""
        extents, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(
            input, self.linear.weight.reshape((*extents, self.linear.in_features)), target,
            linear_bias=None if bias is None else bias.reshape(extents), weight=self.weight, reduction=self.reduction,
            ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The options."""
        names = ("num_classes", "out_features", "bias", "reduction", "ignore_index", "label_smoothing", "options")
        values = {**vars(self), "bias": self.linear.bias is not None}
        return ", ".join([f"in_features={self.linear.in_features}", *[f"{name}={values[name]}" for name in names]])


class MultiLabelSoftMarginLoss(_WeightedLoss, call=F.multilabel_soft_margin_loss, takes=_TWO):
    """Compute the mean, over classes, of the cross entropy of each class being true."""


class CosineEmbeddingLoss(_Loss, options=f"margin=0.0, {_LAST}", call=F.cosine_embedding_loss, takes=_THREE):
    """Compute 1 minus the cosine of two inputs where the target is 1; where it is -1 the cosine above the margin."""


class MarginRankingLoss(_Loss, options=f"margin=0.0, {_LAST}", call=F.margin_ranking_loss, takes=_THREE):
    """Compute what the larger of two inputs, the first where the target is 1, lacks to the other and the margin."""


class MultiMarginLoss(
    _WeightedLoss, options=f"p=1, margin=1.0, weight=None, {_LAST}", call=F.multi_margin_loss, takes=_TWO
):
    """Compute powers of what the score of the true class lacks to the others and the margin.

    Parameters
    ----------
    p: the power: 1 or 2.
    weight: a weight for each class.
    """

    def _set(self, p: Any, weight: Any, **options: Any) -> None:
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        super()._set(p=p, weight=weight, **options)


class _Triplet(_Loss):
    def _set(self, *, margin: Any, **options: Any) -> None:
        if margin <= 0:
            raise ValueError(f"{type(self).__name__}: expected margin to be greater than 0, got {margin} instead")
        super()._set(margin=margin, **options)


class TripletMarginLoss(
    _Triplet,
    options=f"margin=1.0, p=2.0, eps=1e-6, swap=False, {_LAST}",
    call=F.triplet_margin_loss,
    takes="anchor, positive, negative",
):
    """Compute by how much the distance to one input does not exceed that to another one by the margin.

    Parameters
    ----------
    p: which norm is the distance.
    swap: whether the distance between the two counts where it is less.
    """


class TripletMarginWithDistanceLoss(
    _Triplet,
    options="*, distance_function=None, margin=1.0, swap=False, reduction='mean'",
    call=F.triplet_margin_with_distance_loss,
    takes="anchor, positive, negative",
):
    """Compute a `TripletMarginLoss` by a distance of your own."""

    __constants__: ClassVar[list[str]] = ["margin", "swap", "reduction"]

    def _set(self, **options: Any) -> None:
        if options["distance_function"] is None:
            options["distance_function"] = PairwiseDistance()
        super()._set(**options)


class CTCLoss(
    _Loss,
    options="blank=0, reduction='mean', zero_infinity=False",
    call=F.ctc_loss,
    takes="log_probs, targets, input_lengths, target_lengths",
):
    """Compute the negative logarithm of the probability of sequences of labels, wherever they stand.

    Parameters
    ----------
    blank: the class that stands for no label.
    reduction: ``"mean"``, divided by the lengths of the targets, ``"sum"`` or ``"none"``.
    zero_infinity: whether infinite losses, of inputs that are too short, count as zero.
    """

    __constants__: ClassVar[list[str]] = ["blank", "reduction"]
