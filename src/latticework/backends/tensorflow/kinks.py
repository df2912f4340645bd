"""Slopes of latticework's at kinks, on TensorFlow: the values of its kernels, with the derivatives of a composition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python import pywrap_tfe

from ...backend.slopes import own_slopes
from . import raw_kernels as k
from .core import array_class, native, recorded, scalar

__all__ = ["carrying", "with_slopes"]

_EAGER = array_class()
_nothing_records = pywrap_tfe.TFE_Py_TapeSetIsEmpty


def carrying(value: Any, smooth: Any) -> tf.Tensor:
    """Return the value with the derivatives of `smooth`, which equals it but for rounding and the sign of zeros.

    What is taken away from the value is 0."""
    finite = k.IsFinite(smooth)
    near = k.SelectV2(finite, smooth, k.ZerosLike(smooth))
    return k.SelectV2(finite, k.Sub(k.StopGradient(value), k.Sub(k.StopGradient(near), near)), smooth)


def with_slopes(kernel: Callable[..., Any], *slopes: Callable[..., Any] | None) -> Callable[..., Any]:
    """Give a function slopes by its operands, constants of their own. Numbers are its options.

    Parameters
    ----------
    kernel: TensorFlow's function of tensors and options, which gives the values.
    slopes: for each operand a function of the result, the operands and the options, to a condition or a tensor;
        None where the slope is 0.
    """
    count = len(slopes)

    def sloped(*xs: Any, **options: Any) -> Any:
        out = kernel(*xs, **options)
        if not out.dtype.is_floating or not recorded():
            return out
        total, make = k.ZerosLike(out), scalar(out.dtype)
        operands = [native(x) if isinstance(x, (tf.Tensor, tf.Variable)) else make(x) for x in xs[:count]]
        for slope, x in zip(slopes, operands, strict=True):
            if slope is None:
                continue
            by = k.StopGradient(tf.cast(slope(out, *operands, *xs[count:], **options), out.dtype))
            total = k.AddV2(total, k.SelectV2(k.Equal(by, 0), k.ZerosLike(by), k.Mul(by, x)))
        return carrying(out, total)

    def own(*xs: Any, **options: Any) -> Any:
        out = kernel(*xs, **options)
        if type(out) is _EAGER and _nothing_records():  # asked here, to save frames
            return out
        return sloped(*xs, **options)

    own.__name__ = own.__qualname__ = kernel.__name__
    own.as_it_is = own_slopes(sloped, kernel)  # type: ignore[attr-defined]  # what a source has
    return own_slopes(own, kernel)


def of_extreme(out: Any, x: Any, other: Any) -> Any:
    """Return the slope of a greatest or least one of two by the first: equal ones share."""
    mine = tf.cast(tf.logical_or(tf.equal(x, out), tf.math.is_nan(out)), out.dtype)
    return tf.where(tf.equal(x, other), 0.5 * mine, mine)
