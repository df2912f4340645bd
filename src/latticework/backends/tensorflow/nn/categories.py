"""Categories on TensorFlow, whose kernels go along the last axis."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from ....api.nn.ctc import NOTHING
from .. import raw_kernels as k


def _is_last(x: Any, *, axis: Any = -1) -> bool:
    """Tell whether the axis is the last one, and there is no mask."""
    return axis in (-1, len(x.shape) - 1) and len(x.shape) > 0


def softmax(x: Any, *, axis: int = -1) -> tf.Tensor:
    return k.Softmax(x)


softmax.when = _is_last  # type: ignore[attr-defined]


def log_softmax(x: Any, *, axis: int = -1) -> tf.Tensor:
    return k.LogSoftmax(x)


log_softmax.when = _is_last  # type: ignore[attr-defined]

# --- ctc ----------------------------------------------------------------------------------------------------------
# The recursion is a fold, a loop of the graph in `tf.function`. `tf.nn.ctc_loss` takes scores, not logarithms of
# probabilities: it normalizes them, which is another function.


def _forward(emitted: Any, skips: Any, lengths: Any) -> tf.Tensor:
    def step(ways: Any, at: Any) -> tf.Tensor:
        t, emitted = at
        padded = tf.pad(ways, ((0, 0), (2, 0)), constant_values=nothing)
        places = tf.stack([ways, padded[:, 1:-1], tf.where(skips, padded[:, :-2], nothing)])
        further = tf.maximum(tf.reduce_logsumexp(places, axis=0) + emitted, nothing)
        return tf.where((t < lengths)[:, None], further, ways)

    nothing = tf.constant(NOTHING, emitted.dtype)
    start = tf.where(tf.range(tf.shape(emitted)[2]) < 2, emitted[0], nothing)
    steps = tf.range(1, tf.shape(emitted, tf.int64)[0])
    return tf.foldl(step, (tf.cast(steps, lengths.dtype), emitted[1:]), initializer=start)
