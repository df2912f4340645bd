"""Convolutions on TensorFlow, whose own are correlations, and take no integers."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def convolve(x1: Any, x2: Any, *, mode: Any = "full") -> tf.Tensor:
    if x1.shape[0] < x2.shape[0]:
        x1, x2 = x2, x1
    k = x2.shape[0]
    ends = {"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[mode]
    longer = tf.pad(x1, [ends]) if any(ends) else x1
    found = tf.nn.conv1d(longer[None, :, None], tf.reverse(x2, [0])[:, None, None], 1, "VALID")
    return found[0, :, 0]


def _of_numbers(x1: Any, x2: Any, *, mode: Any = "full") -> bool:
    """Tell whether both have elements along one axis, of float32 or float64."""
    if x1.shape.rank != 1 or x2.shape.rank != 1 or x1.dtype not in (tf.float32, tf.float64):
        return False
    return bool(x1.shape[0] and x2.shape[0]) and mode in ("full", "same", "valid")


convolve.when = _of_numbers  # type: ignore[attr-defined]
