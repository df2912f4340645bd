"""PyTorch's losses of elements and classes."""

from __future__ import annotations

from typing import Any

from ...core import complete, dialect, ops
from .common import alike, floats, numbers, outside, reduced, reduction_of
from .layers import linear

# --- of elements ----------------------------------------------------------------------------------------------------


def _of_elements(f: Any, input: Any, target: Any, reduction: str, weight: Any, **options: Any) -> Any:
    if weight is None:
        if reduction == "mean" and input._array.dtype.kind in "biu" and target._array.dtype.kind in "biu":
            raise RuntimeError(f"{f.__name__}: the mean of integers is not a number of {input.dtype}. Cast the input")
        if reduction != "mean":
            options["reduction"] = reduction
        return f(input, target, **options)
    if weight._array.shape != input._array.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = ops.multiply(f(input, target, reduction="none", **options), weight)
    if reduction == "mean" and f.__name__ != "huber_loss":
        return ops.divide(ops.sum(loss), ops.sum(weight))
    return reduced(loss, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    if input._array.dtype.kind == "c" and weight is None:
        return reduced(ops.abs(ops.subtract(input, target)), reduction_of(reduction, size_average, reduce))
    numbers("l1_loss", input, target)
    return _of_elements(ops.nn.l1_loss, input, target, reduction_of(reduction, size_average, reduce), weight)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    reduction = reduction_of(reduction, size_average, reduce)
    if weight is None and input._array.dtype.kind in "biu" and target._array.dtype.kind in "biu":
        raise NotImplementedError(f"mse_loss: not implemented for {input.dtype}. Cast it first: x.float()")
    return _of_elements(ops.nn.mse_loss, input, target, reduction, weight)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta; got {delta}")
    floats("huber_loss", input, target)
    return _of_elements(ops.nn.huber_loss, input, target, reduction_of(reduction), weight, delta=delta)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta; got {beta}")
    floats("smooth_l1_loss", input, target)
    return ops.nn.smooth_l1_loss(input, target, beta=beta, reduction=reduction_of(reduction, size_average, reduce))


def _of_one_shape(name: str, input: Any, target: Any, error: Any = ValueError) -> None:
    if input._array.shape != target._array.shape:
        raise error(
            f"{name}: the target has shape {list(target._array.shape)} and the input {list(input._array.shape)}. "
            "Give them the same shape"
        )


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = reduction_of(reduction, size_average, reduce)
    _of_one_shape("binary_cross_entropy", input, target)
    floats("binary_cross_entropy", input)
    alike("binary_cross_entropy", input, target)
    return ops.nn.binary_cross_entropy(input, target, weight=weight, reduction=reduction)


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    reduction = reduction_of(reduction, size_average, reduce)
    _of_one_shape("binary_cross_entropy_with_logits", input, target)
    floats("binary_cross_entropy_with_logits", input, target)
    options = {"weight": weight, "pos_weight": pos_weight, "reduction": reduction}
    return ops.nn.binary_cross_entropy_with_logits(input, target, **options)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    reduction = reduction_of(reduction, size_average, reduce, ("mean", "batchmean", "sum", "none"))
    return ops.nn.kl_div(input, target, log_target=log_target, reduction=reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    if isinstance(var, float):
        var = ops.full_like(input, var)
    shape, given = input._array.shape, var._array.shape
    if shape[:-1] == given:
        var = ops.expand_dims(var, axis=-1)
    elif shape != given and (
        len(shape) != len(given) or sum(m for n, m in zip(shape, given, strict=True) if n != m) != 1
    ):
        raise ValueError("var is of incorrect size")
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not valid")
    if outside(var, 0):
        raise ValueError("var has negative entry/entries")
    return ops.nn.gaussian_nll_loss(input, target, var, full=full, eps=eps, reduction=reduction)


def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):
    reduction = reduction_of(reduction, size_average, reduce)
    return ops.nn.poisson_nll_loss(input, target, log_input=log_input, full=full, eps=eps, reduction=reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    reduction = reduction_of(reduction, size_average, reduce)
    floats("soft_margin_loss", input)
    return reduced(ops.log1p(ops.exp(ops.negative(ops.multiply(target, input)))), reduction)


# --- of classes -----------------------------------------------------------------------------------------------------


def _classes(name: str, input: Any, target: Any) -> None:
    """Check classes beside the scores of a batch, whose axis of classes is the second, or the only one."""
    floats(name, input)
    shape = input._array.shape
    if not shape:
        raise RuntimeError(f"{name}: expected scores of at least one dimension; got {list(shape)}")
    expected = shape[:1] + shape[2:] if len(shape) > 1 else ()
    if target._array.shape != expected:
        if len(shape) > 1 and target._array.ndim and target._array.shape[0] != shape[0]:
            raise ValueError(
                f"Expected input batch_size ({shape[0]}) to match target batch_size ({target._array.shape[0]})."
            )
        raise RuntimeError(f"{name}: expected target of shape {list(expected)}; got {list(target._array.shape)}")
    if target._array.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"{name}: expected classes of torch.int64; got {target.dtype}")


def _within(name: str, input: Any, target: Any, ignore_index: Any) -> None:
    """Check that each class is one that there is, where the classes are known."""
    count = input._array.shape[1 if input._array.ndim > 1 else 0]
    if not outside(target, 0, count):
        return
    wrong = ops.logical_or(ops.less(target, 0), ops.greater_equal(target, count))
    if bool(ops.any(ops.logical_and(wrong, ops.not_equal(target, ignore_index)))):
        raise IndexError(f"{name}: a target is out of bounds: the classes are 0 to {count - 1}")


def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    reduction = reduction_of(reduction, size_average, reduce)
    if target._array.dtype.kind != "f" or target._array.shape != input._array.shape:
        _classes("cross_entropy", input, target)
        _within("cross_entropy", input, target, ignore_index)
    else:
        floats("cross_entropy", input)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    options: dict[str, Any] = {} if weight is None else {"weight": weight}
    if reduction != "mean":
        options["reduction"] = reduction
    if label_smoothing:
        options["label_smoothing"] = label_smoothing
    if ignore_index != -100:
        options["ignore_index"] = ignore_index
    return ops.nn.cross_entropy(input, target, **options)


def linear_cross_entropy(
    input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None,
    label_smoothing=0.0, options=None,
):  # fmt: skip
    """Compute the cross entropy of the scores of a linear map. The options, which save memory, change nothing."""
    classes, *extents, size = linear_weight._array.shape
    bias = None if linear_bias is None else ops.reshape(linear_bias, (-1,))
    scores = linear(input, ops.reshape(linear_weight, (-1, size)), bias)
    scores = ops.reshape(scores, (*input._array.shape[:-1], classes, *extents))
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(
        scores, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing
    )


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    reduction = reduction_of(reduction, size_average, reduce)
    _classes("nll_loss", input, target)
    _within("nll_loss", input, target, ignore_index)
    return ops.nn.nll_loss(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = reduction_of(reduction, size_average, reduce)
    floats("multi_margin_loss", input)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    alone = input._array.ndim < 2
    if alone:
        input, target = ops.reshape(input, (1, -1)), ops.reshape(target, (1,))
    count = input._array.shape[1]
    chosen = ops.take_along_axis(input, ops.expand_dims(target, axis=1), axis=1)
    short = ops.nn.relu(ops.add(ops.subtract(input, chosen), margin))
    short = ops.multiply(short, short) if p == 2 else short
    if weight is not None:
        short = ops.multiply(short, ops.expand_dims(ops.take(weight, target), axis=1))
    own = ops.equal(ops.expand_dims(target, axis=1), ops.arange(count))
    loss = ops.divide(ops.sum(ops.where(own, ops.zeros_like(short), short), axis=1), count)
    return reduced(ops.squeeze(loss, axis=0) if alone else loss, reduction)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Sum, for the classes that are listed before the first -1, by how much each exceeds each other class by less
    than 1."""
    reduction = reduction_of(reduction, size_average, reduce)
    floats("multilabel_margin_loss", input)
    _of_one_shape("multilabel_margin_loss", input, target, RuntimeError)
    if not input._array.ndim:
        input, target = ops.reshape(input, (1,)), ops.reshape(target, (1,))
    count = input._array.shape[-1]
    listed = ops.equal(ops.cumsum(ops.less(target, 0), axis=-1), 0)
    places = ops.maximum(target, ops.zeros_like(target))
    codes = ops.logical_and(
        ops.equal(ops.expand_dims(places, axis=-1), ops.arange(count)), ops.expand_dims(listed, axis=-1)
    )
    others = ops.logical_not(ops.any(codes, axis=-2, keepdims=True))
    chosen = ops.expand_dims(ops.take_along_axis(input, places, axis=-1), axis=-1)
    short = ops.nn.relu(ops.add(ops.subtract(ops.expand_dims(input, axis=-2), chosen), 1))
    counted = ops.logical_and(ops.expand_dims(listed, axis=-1), others)
    terms = ops.where(counted, short, ops.zeros_like(short))
    return reduced(ops.divide(ops.sum(terms, axis=(-2, -1)), count), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = reduction_of(reduction, size_average, reduce)
    floats("multilabel_soft_margin_loss", input)
    other = ops.multiply(ops.subtract(1, target), ops.nn.log_sigmoid(ops.negative(input)))
    loss = ops.negative(ops.add(ops.multiply(target, ops.nn.log_sigmoid(input)), other))
    if weight is not None:
        loss = ops.multiply(loss, weight)
    return reduced(ops.divide(ops.sum(loss, axis=-1), input._array.shape[-1]), reduction)


# --- of sequences ---------------------------------------------------------------------------------------------------


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    reduction = reduction_of(reduction)
    floats("ctc_loss", log_probs)
    inputs, labels = (x if type(x) is dialect.array else ops.asarray(x) for x in (input_lengths, target_lengths))
    alone = log_probs._array.ndim == 2
    if alone:
        log_probs = ops.expand_dims(log_probs, axis=1)
        targets, inputs, labels = (ops.reshape(x, (1, -1)[: 1 + (x is targets)]) for x in (targets, inputs, labels))
    elif targets._array.ndim == 1:  # one sequence after the other
        counts = labels.tolist()
        ends = [sum(counts[: i + 1]) for i in range(len(counts))]
        rows = [targets[end - n : end] for n, end in zip(counts, ends, strict=True)]
        targets = ops.stack([ops.pad(row, (0, max(counts) - n)) for n, row in zip(counts, rows, strict=True)])
    if not log_probs._array._sig.backend.name.endswith("torch"):  # which has it so by itself
        # the slope of PyTorch is by the scores that `log_softmax` had, of any numbers: their exponentials are added
        total = ops.sum(ops.exp(log_probs), axis=-1, keepdims=True)
        log_probs = ops.subtract(log_probs, ops.subtract(total, ops.stop_gradient(total)))
    options = {"blank": blank, "zero_infinity": zero_infinity, "reduction": reduction}
    loss = ops.nn.ctc_loss(log_probs, targets, inputs, labels, **options)
    return ops.squeeze(loss, axis=0) if alone and reduction == "none" else loss


complete(globals(), view="torch.nn.functional")
