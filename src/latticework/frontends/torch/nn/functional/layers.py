"""PyTorch's layers that look up or multiply: linear maps, embeddings, one-hot codes."""

from __future__ import annotations

from typing import Any

from ...autograd.modes import no_grad
from ...core import complete, ops, with_slope_of
from ...picking import without_negative
from .common import alike, floats, numbers, outside


def linear(input, weight, bias=None):
    alike("linear", input, weight, bias)
    if input._array.dtype.kind in "biu":
        numbers("linear", input)
        made = ops.matmul(input, ops.matrix_transpose(weight))
        return made if bias is None else ops.add(made, bias)
    return ops.nn.linear(input, weight) if bias is None else ops.nn.linear(input, weight, bias)


def bilinear(input1, input2, weight, bias=None):
    alike("bilinear", input1, input2, weight, bias)
    if input1._array.dtype.kind in "iu":  # in integers, as large ones are in no float
        result = ops.einsum("...i,oij,...j->...o", *[x._to("int64") for x in (input1, weight, input2)])
        return (result if bias is None else ops.add(result, bias))._to(input1.dtype)
    return ops.nn.bilinear(input1, input2, weight, bias)


def one_hot(tensor, num_classes=-1):
    if tensor._array.dtype.name != "int64":
        raise RuntimeError(f"one_hot is only applicable to index tensor of type LongTensor; got {tensor.dtype}")
    if num_classes == -1:
        if not tensor._array.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(ops.max(tensor)) + 1
    if num_classes < 1 and tensor._array.size:
        raise RuntimeError("num_classes should be positive")
    wrong = outside(tensor, 0, num_classes)
    if wrong:
        limit = "non-negative" if wrong == "low" else "smaller than num_classes"
        raise RuntimeError(f"Class values must be {limit}.")
    return ops.nn.one_hot(tensor, num_classes, dtype="int64")


def _indices(name: str, input: Any) -> None:
    if input._array.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{name}: expected indices of torch.int64 or torch.int32; got {input.dtype}")
    without_negative(name, input, IndexError if name == "embedding" else RuntimeError)


def _renormed(weight: Any, used: Any, max_norm: Any, norm_type: Any) -> None:
    """Scale the rows that are used to at most a norm, in place."""
    rows, values = ops.reshape(used, (-1,)), weight.detach()
    norms = ops.linalg.vector_norm(values, axis=1, keepdims=True, ord=float(norm_type))
    long = ops.logical_and(
        ops.expand_dims(ops.greater(ops.bincount(rows, length=weight._array.shape[0]), 0), axis=1),
        ops.greater(norms, max_norm),
    )
    with no_grad():
        weight._write(ops.where(long, ops.multiply(values, ops.divide(max_norm, ops.add(norms, 1e-7))), values))


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    _indices("embedding", input)
    if padding_idx is not None and not -weight._array.shape[0] <= padding_idx < weight._array.shape[0]:
        raise AssertionError("Padding_idx must be within num_embeddings")
    if max_norm is not None:
        _renormed(weight, input, max_norm, norm_type)
    rows = ops.nn.embedding(input, weight, **({} if padding_idx is None else {"padding_idx": padding_idx}))
    return _by_frequency(rows, input, weight) if scale_grad_by_freq else rows


def _by_frequency(rows: Any, input: Any, weight: Any) -> Any:
    """Rows of which each has the slope of one of as many as there are of it."""
    counts = ops.take(ops.bincount(ops.reshape(input, (-1,)), length=weight._array.shape[0]), input, axis=0)
    return with_slope_of(rows, ops.divide(rows, ops.expand_dims(counts, axis=-1)._to(rows.dtype)))


def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    _indices("embedding_bag", input)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights is only supported for mode='sum'; got {mode!r}")
    if mode == "max" and scale_grad_by_freq:
        raise RuntimeError("embedding_bag: mode max does not scale the gradient by the frequency")
    floats("embedding_bag", weight)
    if max_norm is not None:
        _renormed(weight, input, max_norm, norm_type)
    if input._array.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch")
        bags, length = input._array.shape
        segments = ops.repeat(ops.arange(bags), length)
        input = ops.reshape(input, (-1,))
    elif input._array.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        bags = offsets._array.shape[0] - bool(include_last_offset)
        places = ops.arange(input._array.shape[0])
        segments = ops.subtract(ops.searchsorted(offsets[:bags], places._to(offsets.dtype), side="right"), 1)
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input._array.ndim}")
    rows = ops.nn.embedding(input, weight)
    if scale_grad_by_freq:
        rows = _by_frequency(rows, input, weight)
    if per_sample_weights is not None:
        rows = ops.multiply(rows, ops.expand_dims(ops.reshape(per_sample_weights, (-1,)), axis=1))
    return _bags(rows, input, segments, bags, mode, padding_idx)


def _bags(rows: Any, input: Any, segments: Any, bags: int, mode: str, padding_idx: Any) -> Any:
    """Reduce the rows of each bag. An empty bag gives zeros."""
    if padding_idx is not None:
        kept = ops.not_equal(input, padding_idx)
        segments = ops.where(kept, segments, ops.full_like(segments, bags))
    ones = ops.ones_like(segments, dtype=rows.dtype)
    counts = ops.expand_dims(ops.segment_sum(ones, segments, bags + 1)[:bags], axis=1)
    if mode == "max":
        most = ops.segment_max(rows, segments, bags + 1)[:bags]
        return ops.where(ops.greater(counts, 0), most, ops.zeros_like(most))
    total = ops.segment_sum(rows, segments, bags + 1)[:bags]
    return total if mode == "sum" else ops.divide(total, ops.maximum(counts, ops.ones_like(counts)))


complete(globals(), view="torch.nn.functional")
