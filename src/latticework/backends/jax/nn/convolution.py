"""Convolutions on JAX: one kernel for any number of axes, any layout and any padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import lax

from ....engine.windows import Axes, convolved, transposed


def _convolved(
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


def _convolution(n: int | None) -> Callable[..., jax.Array]:
    """Make the convolution with n spatial axes, with None for as many as the weight has."""

    def conv(
        x: jax.Array,
        weight: jax.Array,
        *,
        bias: jax.Array | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        layout: str | None = None,
    ) -> jax.Array:
        axes, w = convolved(
            x.shape, weight.shape, None if bias is None else bias.shape, n,
            stride=stride, padding=padding, dilation=dilation, groups=groups, layout=layout,
        )  # fmt: skip
        options = {"window_strides": w.stride, "padding": w.padding, "rhs_dilation": w.dilation}
        return _convolved(x, weight, bias, axes, groups, **options)

    return conv


def _transposed(n: int) -> Callable[..., jax.Array]:
    """Make the transposed convolution with n spatial axes."""

    def conv_transpose(
        x: jax.Array,
        weight: jax.Array,
        *,
        bias: jax.Array | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
        layout: str | None = None,
    ) -> jax.Array:
        """A convolution of x with gaps, and of the kernel turned round."""
        axes, w = transposed(
            x.shape, weight.shape, None if bias is None else bias.shape, n, stride=stride, padding=padding,
            output_padding=output_padding, groups=groups, dilation=dilation, layout=layout,
        )  # fmt: skip
        pairs = []
        for kernel, d, (low, high), extra in zip(w.kernel, w.dilation, w.padding, w.extra, strict=True):
            span = (kernel - 1) * d
            pairs.append((span - low, span - high + extra))
        channels, rows, *kernels = weight.shape
        weight = weight.reshape(groups, channels // groups, rows, *kernels).swapaxes(1, 2)
        weight = lax.rev(weight.reshape(groups * rows, channels // groups, *kernels), tuple(range(2, 2 + n)))
        options = {"window_strides": (1,) * n, "padding": pairs, "rhs_dilation": w.dilation, "lhs_dilation": w.stride}
        return _convolved(x, weight, bias, axes, groups, **options)

    return conv_transpose


conv, conv1d, conv2d, conv3d = (_convolution(n) for n in (None, 1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (_transposed(n) for n in (1, 2, 3))
