"""Matrices and grids on TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def _diag(x: Any, *, k: int) -> tf.Tensor:
    return tf.linalg.diag(x, k=k)
