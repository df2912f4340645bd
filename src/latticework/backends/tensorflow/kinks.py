"""Slopes of latticework's at kinks, on TensorFlow: its kernels, with gradients of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python import pywrap_tfe

from ...backend.slopes import own_slopes
from . import raw_kernels as k
from .core import array_class, custom_gradient, native, recorded, scalar

__all__ = ["with_slopes"]

#: Operands of eager calls alone.
_EAGERLY = frozenset((array_class(), float, int, bool))
_nothing_records = pywrap_tfe.TFE_Py_TapeSetIsEmpty


def with_slopes(
    kernel: Callable[..., Any], *slopes: Callable[..., Any] | None, smooth: bool = False
) -> Callable[..., Any]:
    """Give a function slopes by its operands. Numbers are its options.

    Parameters
    ----------
    kernel: TensorFlow's function of tensors and options, which gives the values.
    slopes: for each operand a function of the result, the operands and the options, to a condition or a tensor;
        None where the slope is 0.
    smooth: whether the slopes have derivatives. They are constants else.
    """
    count = len(slopes)

    def sloped(*xs: Any, **options: Any) -> Any:
        first = next(x for x in xs if isinstance(x, (tf.Tensor, tf.Variable)))
        if not first.dtype.is_floating or not recorded():
            return kernel(*xs, **options)
        make = scalar(first.dtype)

        @custom_gradient
        def with_own(*operands: tf.Tensor) -> Any:
            out = kernel(*operands, *xs[count:], **options)

            def back(g: tf.Tensor) -> list[tf.Tensor]:
                value = own(*operands, *xs[count:], **options) if smooth else out
                along = _smoothly if smooth else _along
                return [
                    k.ZerosLike(x) if slope is None else along(g, slope(value, *operands, *xs[count:], **options), x)
                    for slope, x in zip(slopes, operands, strict=True)
                ]

            return out, back

        return with_own(*[native(x) if isinstance(x, (tf.Tensor, tf.Variable)) else make(x) for x in xs[:count]])

    def own(*xs: Any, **options: Any) -> Any:
        if _nothing_records() and _EAGERLY.issuperset(map(type, xs)):  # asked here, to save frames
            return kernel(*xs, **options)
        return sloped(*xs, **options)

    own.__name__ = own.__qualname__ = kernel.__name__
    own.as_it_is = own_slopes(sloped, kernel)  # type: ignore[attr-defined]  # what a source has
    return own_slopes(own, kernel)


def _along(g: tf.Tensor, slope: Any, x: tf.Tensor) -> tf.Tensor:
    """Return the gradient by an operand that was broadcast: what has the slope 0 is 0 for infinite cotangents too."""
    by = k.StopGradient(tf.cast(slope, g.dtype))
    return _fitted(k.SelectV2(k.Equal(by, 0), k.ZerosLike(by), k.Mul(by, g)), x)


def _smoothly(g: tf.Tensor, slope: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
    """Return the gradient by an operand that was broadcast, for a slope that has derivatives."""
    return _fitted(k.Mul(slope, g), x)


def _fitted(found: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
    if x.shape.is_fully_defined() and x.shape == found.shape:
        return found
    axes = tf.raw_ops.BroadcastGradientArgs(s0=k.Shape(x), s1=k.Shape(found))[0]
    return k.Reshape(k.Sum(found, axes), k.Shape(x))


def of_extreme(out: Any, x: Any, other: Any) -> Any:
    """Return the slope of a greatest or least one of two by the first: equal ones share."""
    mine = tf.cast(tf.logical_or(tf.equal(x, out), tf.math.is_nan(out)), out.dtype)
    return tf.where(tf.equal(x, other), 0.5 * mine, mine)
