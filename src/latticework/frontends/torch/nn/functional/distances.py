"""PyTorch's distances, and the losses that compare them."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...core import complete, ops
from ...elementwise import clamp_min
from .common import floats, reduced, reduction_of


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    if x1._array.dtype.kind in "iu" and x2._array.dtype.kind in "iu":  # their difference is an integer, too
        return ops.linalg.vector_norm(ops.add(ops.subtract(x1, x2), eps), ord=p, axis=-1, keepdims=keepdim)
    return ops.nn.pairwise_distance(x1, x2, p, eps, keepdims=keepdim)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    zero = ops.zeros((), dtype=input.dtype)
    far = ops.where(ops.not_equal(target, 1), clamp_min(ops.subtract(margin, input), 0), zero)
    near = ops.where(ops.not_equal(target, -1), input, zero)  # a target that is neither counts in both
    return reduced(ops.add(far, near), reduction_of(reduction, size_average, reduce))


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    if all(x._array.dtype.kind in "biu" for x in (x1, x2)):
        raise RuntimeError(f"expected common dtype to be floating point, yet got {x1.dtype} and {x2.dtype}")
    return ops.nn.cosine_similarity(x1, x2, axis=dim, eps=eps)


def pdist(input, p=2):
    floats("pdist", input)
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    n = input._array.shape[0]
    rows, columns = ([i for i in range(n) for _ in range(i + 1, n)], [j for i in range(n) for j in range(i + 1, n)])
    pairs = [ops.take(input, ops.asarray(index, dtype="int64"), axis=0) for index in (rows, columns)]
    return ops.linalg.vector_norm(ops.subtract(*pairs), axis=1, ord=float(p))


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    options = {"margin": float(margin), "reduction": reduction_of(reduction, size_average, reduce)}
    if input1._array.ndim - 1 != target._array.ndim:
        raise RuntimeError(
            f"cosine_embedding_loss: the target needs {input1._array.ndim - 1} dimensions; got {target._array.ndim}"
        )
    return ops.nn.cosine_embedding_loss(input1, input2, target, **options)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    reduction = reduction_of(reduction, size_average, reduce)
    if not input1._array.ndim == input2._array.ndim == target._array.ndim:
        raise RuntimeError("margin_ranking_loss: the inputs and the target need as many dimensions as each other")
    apart = ops.multiply(ops.negative(target), ops.subtract(input1, input2))
    return reduced(clamp_min(ops.add(apart, float(margin)), 0), reduction)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):
    reduction = reduction_of(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if all(x._array.dtype.kind in "iu" for x in (anchor, positive, negative)):
        distance = partial(pairwise_distance, p=p, eps=eps)
        return triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=distance, margin=margin, swap=swap, reduction=reduction
        )
    options: dict[str, Any] = {"margin": margin, "p": p, "eps": eps, "swap": swap, "reduction": reduction}
    return ops.nn.triplet_margin_loss(anchor, positive, negative, **options)


def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    reduction = reduction_of(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return reduced(ops.nn.relu(ops.add(ops.subtract(near, far), margin)), reduction)


complete(globals(), view="torch.nn.functional")
