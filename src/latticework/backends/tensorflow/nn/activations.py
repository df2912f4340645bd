"""Activations on TensorFlow: its kernels, where there is one."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from ....core.dtypes import SCALARS, float64
from .. import kernels as k
from ..core import COMPOSED, differentiated
from ..fusion import compiling

relu = k.Relu
relu6 = k.Relu6
selu = k.Selu
sigmoid = k.Sigmoid


def _erf(x: Any) -> tf.Tensor:
    """In a program, 1 and -1 are put where they are the nearest numbers: XLA computes ``1 + erf`` with one rounding, so
    that it would not be exactly 2 or 0."""
    y = k.Erf(x)
    if not compiling():
        return y
    return tf.where(tf.abs(x) > (6 if x.dtype == tf.float64 else 4), tf.sign(x), y)


def softsign(x: Any) -> tf.Tensor:
    """The kernel has a first derivative alone."""
    return x / (1 + tf.abs(x)) if differentiated() else k.Softsign(x)


COMPOSED.add(("nn.leaky_relu", float64))  # the kernel has its slope in float32


def leaky_relu(x: Any, *, negative_slope: float = 0.01) -> tf.Tensor:
    return k.LeakyRelu(x, negative_slope)


def elu(x: Any, *, alpha: float = 1.0) -> tf.Tensor:
    return k.Elu(x)


def _is_one(x: Any, *, alpha: float = 1.0) -> bool:
    """Tell whether alpha is the number 1."""
    return isinstance(alpha, SCALARS) and alpha == 1


elu.when = _is_one  # type: ignore[attr-defined]


def softplus(x: Any, *, beta: float | None = None, threshold: float | None = None) -> tf.Tensor:
    return k.Softplus(x)


def _is_plain(x: Any, *, beta: float | None = None, threshold: float | None = None) -> bool:
    """Tell whether neither beta nor threshold is given."""
    return beta is None and threshold is None


softplus.when = _is_plain  # type: ignore[attr-defined]
