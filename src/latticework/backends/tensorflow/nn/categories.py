"""Categories on TensorFlow, whose kernels go along the last axis."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .. import kernels as k


def _is_last(x: Any, *, axis: Any = -1) -> bool:
    """Tell whether the axis is the last one, and there is no mask."""
    return axis in (-1, len(x.shape) - 1) and len(x.shape) > 0


def softmax(x: Any, *, axis: int = -1) -> tf.Tensor:
    return k.Softmax(x)


softmax.when = _is_last  # type: ignore[attr-defined]


def log_softmax(x: Any, *, axis: int = -1) -> tf.Tensor:
    return k.LogSoftmax(x)


log_softmax.when = _is_last  # type: ignore[attr-defined]
