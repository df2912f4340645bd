"""The bits of elements read as another dtype, on TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops

from .core import native


def reinterpret(x: Any, dtype: tf.DType) -> tf.Tensor:
    return ops.Bitcast(input=native(x), type=dtype)
