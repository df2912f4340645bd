"""Special functions on TensorFlow, floats of 16 bits in float32.

`erfinv` is composed: the kernel takes numbers nearer to 0 than 1e-17 for 0, and numbers nearer to 1 than 1e-7 for 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import forwardprop_util, record

from ...backend.series import I1, polynomial
from . import raw_kernels as k
from .core import custom_gradient, gradients_of, recorded, unrecorded
from .elementwise import either, several
from .fusion import fuse
from .nn.activations import composition_of


def erf(x: Any) -> tf.Tensor:
    """Compute erf. The kernel gives nan for large numbers of float64."""
    if x.dtype == tf.float64:
        x = k.ClipByValue(x, tf.constant(-8.0, x.dtype), tf.constant(8.0, x.dtype))
    return k.Erf(x)


def _wide(kernel: Callable[..., tf.Tensor]) -> Callable[..., tf.Tensor]:
    """Make a function in float32 for 16 bits: most kernels take no such floats, or compute in them."""

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
polygamma = _wide(k.Polygamma)
gammainc = _wide(k.Igamma)
gammaincc = _wide(k.Igammac)
expit = k.Sigmoid
i0e = _wide(k.BesselI0e)
i1e = _wide(k.BesselI1e)


def entr(x: Any) -> tf.Tensor:
    """Compute entr. The derivative at 0 is infinite; that of the composition is 0."""
    return _differentiable_entr(x) if recorded() else _entropy(x)


def _entr_and_back(x: Any) -> Any:
    return unrecorded(_entropy, x), lambda cotangent: k.Mul(cotangent, k.Neg(k.AddV2(k.Log(x), 1)))


_entropy = fuse(composition_of("special.entr"), 1)
_differentiable_entr = custom_gradient(_entr_and_back)


def _times_log(kernel: Callable[..., tf.Tensor], log: Callable[[Any], tf.Tensor]) -> Callable[..., tf.Tensor]:
    """Make a product with a logarithm that is 0 for 0 times an infinity. The derivative by x at 0 is the logarithm;
    that of the kernel is 0."""

    @several
    def call(x: Any, y: Any) -> tf.Tensor:
        if not recorded():
            return kernel(x, y)
        factor = log(y)
        nothing = k.LogicalAnd(k.Equal(x, 0), k.LogicalNot(k.LogicalOr(k.IsFinite(factor), k.IsNan(y))))
        return either(nothing, 0, k.Mul(x, log(either(nothing, 1, y))))

    return call


xlogy, xlog1py = _times_log(k.Xlogy, k.Log), _times_log(k.Xlog1py, k.Log1p)


@_wide
def i1(x: Any) -> tf.Tensor:
    """Compute i1. The derivative at 0 is a half; that of the kernel is 1."""
    return _differentiable_i1(x) if recorded() else k.BesselI1(x)


def _i1_and_back(x: Any) -> Any:
    def back(cotangent: Any) -> tf.Tensor:
        near = k.Less(k.Abs(x), 1)
        quotient = k.RealDiv(i1(either(near, 1, x)), either(near, 1, x))
        series = polynomial(k.Square(either(near, x, k.ZerosLike(x))), I1)
        return k.Mul(cotangent, k.Sub(i0(x), either(near, series, quotient)))

    return k.BesselI1(x), back


_differentiable_i1 = custom_gradient(_i1_and_back)


@_wide
def i0(x: Any) -> tf.Tensor:
    """Compute i0. The kernel's second derivative uses the derivative of the kernel for i1, which is wrong at 0."""
    return _differentiable_i0(x) if recorded() else k.BesselI0(x)


def _i0_and_back(x: Any) -> Any:
    return k.BesselI0(x), lambda cotangent: k.Mul(cotangent, i1(x))


_differentiable_i0 = custom_gradient(_i0_and_back)


def _completed(kernel: Callable[..., tf.Tensor], name: str, lacking: int) -> Callable[..., tf.Tensor]:
    """Complete a kernel that has no derivatives by the first `lacking` operands. They come from the composition, which
    takes some hundred kernels, and is used where a tape records these operands."""
    composition = composition_of(name)

    def call(*operands: Any) -> tf.Tensor:
        shape = tf.broadcast_dynamic_shape(tf.shape(operands[0]), tf.shape(operands[1]))
        for operand in operands[2:]:
            shape = tf.broadcast_dynamic_shape(shape, tf.shape(operand))
        operands = tuple([k.BroadcastTo(x, shape) for x in operands])
        return (completed if _may_lack(operands[:lacking]) else kernel)(*operands)

    def completed_and_back(*operands: Any) -> Any:
        def back(cotangent: Any) -> list[Any]:
            found: list[Any] = gradients_of(composition, [*operands], cotangent)
            return found

        return unrecorded(kernel, *operands), back

    completed = custom_gradient(completed_and_back)
    call.__name__ = call.__qualname__ = kernel.__name__
    return _wide(call)


def _may_lack(operands: Any) -> bool:
    """Tell whether derivatives by the operands may be needed. For traced functions it is not known."""
    if record.could_possibly_record() and tf.executing_eagerly():
        operands = [*operands]
        return bool(record.should_record_backprop(operands) or forwardprop_util.pack_tangents(operands).tangents)
    return recorded()


_may_lack.in_source = True  # type: ignore[attr-defined]  # see tracing/writing/standalone.py

betainc = _completed(k.Betainc, "special.betainc", 2)  # the kernel does not broadcast
_hurwitz = composition_of("special.zeta")


@_wide
def zeta(x: Any, q: Any) -> tf.Tensor:
    """Compute zeta. The kernel has no derivative by x; that of the composition is for positive q. Others give nan."""
    if not _may_lack((x,)):
        return k.Zeta(x, q)
    shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(q))
    return _differentiable_zeta(k.BroadcastTo(x, shape), k.BroadcastTo(q, shape))


def _zeta_and_back(x: Any, q: Any) -> Any:
    def back(cotangent: Any) -> tuple[Any, Any]:
        positive = k.Greater(q, 0)
        slope = gradients_of(lambda x: _hurwitz(x, either(positive, q, 1)), x, cotangent)
        by_x = either(positive, slope, math.nan)
        return by_x, k.Neg(k.Mul(cotangent, k.Mul(x, zeta(k.AddV2(x, 1), q))))

    return unrecorded(k.Zeta, x, q), back


_differentiable_zeta = custom_gradient(_zeta_and_back)
