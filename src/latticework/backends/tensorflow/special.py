"""Special functions on TensorFlow, floats of 16 bits in float32.

`erfinv` is composed: the kernel takes what is nearer to 0 than 1e-17 for 0, and what is nearer to 1 than 1e-7 for 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from . import kernels as k
from .elementwise import several


def erf(x: Any) -> tf.Tensor:
    """The kernel gives nan for large numbers of float64."""
    if x.dtype == tf.float64:
        x = k.ClipByValue(x, tf.constant(-8.0, x.dtype), tf.constant(8.0, x.dtype))
    return k.Erf(x)


def _wide(kernel: Callable[..., tf.Tensor]) -> Callable[..., tf.Tensor]:
    """Most kernels take no floats of 16 bits, or compute in these."""

    def call(*operands: Any) -> tf.Tensor:
        dtype = operands[0].dtype
        if dtype.size > 2:
            return kernel(*operands)
        return k.Cast(kernel(*[k.Cast(x, tf.float32) for x in operands]), dtype)

    call.__name__ = call.__qualname__ = kernel.__name__
    return several(call)


erfc = k.Erfc
ndtri = _wide(k.Ndtri)
gammaln = _wide(k.Lgamma)
digamma = _wide(k.Digamma)
zeta = _wide(k.Zeta)
polygamma = _wide(k.Polygamma)
gammainc = _wide(k.Igamma)
gammaincc = _wide(k.Igammac)
expit = k.Sigmoid
xlogy = several(k.Xlogy)
xlog1py = several(k.Xlog1py)
i0 = _wide(k.BesselI0)
i0e = _wide(k.BesselI0e)
i1 = _wide(k.BesselI1)
i1e = _wide(k.BesselI1e)


@_wide
def betainc(a: Any, b: Any, x: Any) -> tf.Tensor:
    """The kernel does not broadcast."""
    shape = tf.broadcast_dynamic_shape(tf.broadcast_dynamic_shape(tf.shape(a), tf.shape(b)), tf.shape(x))
    return k.Betainc(*[k.BroadcastTo(operand, shape) for operand in (a, b, x)])
