"""PyTorch's dropout: of elements, of channels, and with the moments kept.

The generator is that of `torch.manual_seed`.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ...core import complete, ops
from ...sampling import next_key
from .common import put

_ALPHA = 1.7580993408473766  # minus the limit of selu


def _checked(p: Any) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped(input: Any, p: Any, shape: Any = None) -> Any:
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(f"dropout: result type torch.float32 can't be cast to {input.dtype}. Cast the input first")
    return ops.nn.dropout(input, p, key=next_key(), shape=shape)


def dropout(input, p=0.5, training=True, inplace=False):
    _checked(p)
    return put(input, _dropped(input, p), inplace) if training and p else input


def _channels(input: Any, p: Any, training: Any, inplace: Any, batched: int) -> Any:
    """Drop whole channels: the first axis of a sample, the second of a batch."""
    _checked(p)
    if not training or not p:
        return input
    lead = min(2 if input._array.ndim >= batched else 1, input._array.ndim)
    shape = input._array.shape[:lead] + (1,) * (input._array.ndim - lead)
    return put(input, _dropped(input, p, shape), inplace)


def dropout1d(input, p=0.5, training=True, inplace=False):
    return _channels(_of_rank("dropout1d", input, (2, 3)), p, training, inplace, 3)


def dropout2d(input, p=0.5, training=True, inplace=False):
    return _channels(input, p, training, inplace, 3)


def dropout3d(input, p=0.5, training=True, inplace=False):
    return _channels(input, p, training, inplace, 5)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    return _alpha(input, p, training, inplace, input._array.shape)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    return _alpha(input, p, training, inplace, input._array.shape[:2] + (1,) * (input._array.ndim - 2))


def _of_rank(name: str, input: Any, ranks: tuple[int, ...]) -> Any:
    if input._array.ndim not in ranks:
        raise RuntimeError(
            f"{name}: Expected {ranks[0]}D or {ranks[1]}D input, but received a {input._array.ndim}D input"
        )
    return input


def _alpha(input: Any, p: Any, training: Any, inplace: Any, shape: Any) -> Any:
    """Set elements to the limit of selu, and rescale, so that the mean and the variance are kept."""
    _checked(p)
    if not training or not p:
        return input
    if p == 1:
        return put(input, ops.zeros_like(input), inplace)
    scale = 1 / sqrt((1 - p) * (1 + p * _ALPHA**2))
    kept = ops.random.bernoulli(next_key(), 1 - p, shape)
    dropped = ops.where(kept, input, ops.full_like(input, -_ALPHA))
    return put(input, ops.add(ops.multiply(dropped, scale), scale * p * _ALPHA), inplace)


complete(globals(), view="torch.nn.functional")
