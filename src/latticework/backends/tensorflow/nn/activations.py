"""Activations on TensorFlow: its kernels, where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from ....backend import get
from ....backend.slopes import own_slopes as _own_slopes
from ....core.dtypes import SCALARS, float64
from ....core.registry import OPS
from ....engine.arrays.array import wrapped
from ....policy import unified_rules
from .. import raw_kernels as k
from ..core import COMPOSED, custom_gradient, differentiated, recorded
from ..fusion import compiling

relu = k.Relu
relu6 = k.Relu6
sigmoid = k.Sigmoid


_ALPHA, _SCALE = 1.6732632423543772, 1.0507009873554805


def selu(x: Any) -> tf.Tensor:
    """Compute selu, with the slope of negative numbers at 0."""
    return _differentiable_selu(x) if recorded() else k.Selu(x)


def _selu_and_back(x: Any) -> Any:
    def back(g: Any) -> tf.Tensor:
        return k.Mul(g, k.SelectV2(k.Greater(x, 0), k.Mul(k.OnesLike(x), _SCALE), k.AddV2(selu(x), _ALPHA * _SCALE)))

    return k.Selu(x), back


_differentiable_selu = custom_gradient(_selu_and_back)
_own_slopes(selu, k.Selu)


def _erf(x: Any) -> tf.Tensor:
    """Compute erf. In a program, put 1 and -1 where they are the nearest numbers: XLA computes ``1 + erf`` with one
    rounding, so that it would not be exactly 2 or 0."""
    y = k.Erf(x)
    if not compiling():
        return y
    return tf.where(tf.abs(x) > (6 if x.dtype == tf.float64 else 4), tf.sign(x), y)


def softsign(x: Any) -> tf.Tensor:
    """Compose for derivatives: the kernel has only a first one."""
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

# --- compositions -------------------------------------------------------------------------------------------------
# Compositions of latticework as functions of tensors, compiled where that takes less time than the kernel.


def composition_of(name: str) -> Callable[..., tf.Tensor]:
    """Return the body of a latticework function, from tensors and options to the tensor of its result."""

    def run(*operands: Any, **named: Any) -> tf.Tensor:
        o, backend = OPS[name], get("tensorflow")
        count = len(o.operands)
        named.update(zip(o.by_position, operands[count:], strict=False))
        for option in o.optional:
            if isinstance(named.get(option), tf.Tensor):
                named[option] = wrapped(named[option], backend.sig_of(named[option]))
        assert o.body is not None
        with unified_rules("tensorflow"):
            return o.body(*[wrapped(x, backend.sig_of(x)) for x in operands[:count]], **named)._data

    run.of_latticework = True  # type: ignore[attr-defined]  # a traced program takes the composition itself
    return run
