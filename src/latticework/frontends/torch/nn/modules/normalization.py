"""Layers that normalize by the elements of each sample."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from .. import functional as F
from .. import init
from .layer import Layer, hold
from .module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]

_NEAR = "{size}, alpha={alpha}, beta={beta}, k={k}"


class LocalResponseNorm(Layer, options="size, alpha=1e-4, beta=0.75, k=1.0", call=F.local_response_norm, shows=_NEAR):
    """Divide each element by a power of the mean square of the channels around it.

    Parameters
    ----------
    size: how many channels count.
    alpha, beta, k: the divisor is ``(k + alpha * mean) ** beta``.
    """


class CrossMapLRN2d(Layer, options="size, alpha=1e-4, beta=0.75, k=1", shows=_NEAR):
    """Divide each element by a power of the sum of squares of the channels around it. See `LocalResponseNorm`.

    As in PyTorch, the first channel counts for all those that come after the first windows.
    """

    __constants__: ClassVar[list[str]] = []

    def forward(self, input: Any) -> Any:
        """Normalize an input of shape (batch, channels, height, width).

        Raises
        ------
        ValueError: it has another number of dimensions.
        """
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        count, reach = input.shape[1], int((self.size - 1) / 2 + 1)
        counts = [[abs(i - j) < reach or (j == 0 and i == reach) for j in range(count)] for i in range(count)]
        for i in range(reach + 1, count):
            counts[i][0] = True
        weight = input.new_tensor(counts).reshape(count, count, 1, 1)
        scale = F.conv2d(input * input, weight) * (self.alpha / self.size) + self.k
        return input * scale**-self.beta


class _Affine(Module):
    """The base of normalizations with a weight and a bias that start as one and zero."""

    def reset_parameters(self) -> None:
        """Set the weight to one and the bias to zero."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)


class LayerNorm(_Affine):
    """Normalize each sample over its last axes.

    Parameters
    ----------
    normalized_shape: the extents of these axes.
    eps: what is added to the variance.
    elementwise_affine: whether the result is multiplied by a weight, and a bias is added.
    bias: whether there is a bias.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.LayerNorm(2)(torch.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>)
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, Integral) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        affine = shape if elementwise_affine else None
        hold(self, device, dtype, weight=affine, bias=affine if bias else None)
        self.reset_parameters()

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.layer_norm` with the parameters."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(_Affine):
    """Normalize each sample over groups of channels.

    Parameters
    ----------
    num_groups: the number of groups, which divides the number of channels.
    num_channels: the extent of the second axis.
    eps: what is added to the variance.
    affine: whether each channel of the result is multiplied by a weight, and a bias is added.
    bias: whether there is a bias.
    """

    __constants__: ClassVar[list[str]] = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        shape = (num_channels,) if affine else None
        hold(self, device, dtype, weight=shape, bias=shape if bias else None)
        self.reset_parameters()

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.group_norm` with the parameters."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(_Affine):
    """Divide each sample by the root of its mean square over its last axes.

    Parameters
    ----------
    normalized_shape: the extents of these axes.
    eps: what is added to the mean square; the resolution of the dtype by default.
    elementwise_affine: whether the result is multiplied by a weight.
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, Integral) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        hold(self, device, dtype, weight=shape if elementwise_affine else None)
        self.reset_parameters()

    def forward(self, x: Any) -> Any:
        """Call `torch.nn.functional.rms_norm` with the weight."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
