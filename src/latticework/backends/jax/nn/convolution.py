"""Convolutions on JAX: one kernel for any number of axes, any layout and any padding."""

from __future__ import annotations

from typing import Any

import jax
from jax import lax

from ....engine.windows import Axes, Windows
from ... import windowed


def _dilated(
    x: jax.Array, weight: jax.Array, bias: jax.Array | None, axes: Axes, groups: int, **options: Any
) -> jax.Array:
    n = len(axes.spatial)
    letters = "".join(map(chr, range(97, 97 + n)))
    data = f"N{letters}C" if axes.last else f"NC{letters}"
    if not axes.batched:
        x = x[None]
    y = lax.conv_general_dilated(
        x, weight, dimension_numbers=(data, f"OI{letters}", data), feature_group_count=groups, **options
    )
    if bias is not None:
        y = y + (bias if axes.last else bias.reshape(-1, *(1,) * n))
    return y if axes.batched else y[0]


def _convolved(
    x: jax.Array, weight: jax.Array, bias: jax.Array | None, axes: Axes, w: Windows, groups: int
) -> jax.Array:
    options = {"window_strides": w.stride, "padding": w.padding, "rhs_dilation": w.dilation}
    return _dilated(x, weight, bias, axes, groups, **options)


def _transposed(
    x: jax.Array, weight: jax.Array, bias: jax.Array | None, axes: Axes, w: Windows, groups: int
) -> jax.Array:
    """A convolution of x with gaps, and of the kernel turned round."""
    pairs = []
    for kernel, d, (low, high), extra in zip(w.kernel, w.dilation, w.padding, w.extra, strict=True):
        span = (kernel - 1) * d
        pairs.append((span - low, span - high + extra))
    n, (channels, rows, *kernels) = len(w.kernel), weight.shape
    weight = weight.reshape(groups, channels // groups, rows, *kernels).swapaxes(1, 2)
    weight = lax.rev(weight.reshape(groups * rows, channels // groups, *kernels), tuple(range(2, 2 + n)))
    options = {"window_strides": (1,) * n, "padding": pairs, "rhs_dilation": w.dilation, "lhs_dilation": w.stride}
    return _dilated(x, weight, bias, axes, groups, **options)


conv, conv1d, conv2d, conv3d = (windowed.convolution(n, _convolved) for n in (None, 1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    windowed.transposed_convolution(n, _transposed) for n in (1, 2, 3)
)
