"""Layers of convolutions."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional as F
from .layer import Layer, Lazy, hold
from .linear import reset_by_fan_in
from .utils import _ntuple

# fmt: off
__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
]
# fmt: on

_OPTIONS = "stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None"
_TRANSPOSED = (
    "stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, "
    "dtype=None"
)


class _ConvNd(Layer):
    """The base of convolutions: what they hold."""

    __constants__: ClassVar[list[str]] = [
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
        "kernel_size",
    ]  # fmt: skip
    _count = 0
    transposed = False

    def _set(
        self, *, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device,
        dtype, output_padding=0,
    ) -> None:  # fmt: skip
        each = _ntuple(self._count)
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name} must be divisible by groups")
        kernel_size, stride, dilation = each(kernel_size), each(stride), each(dilation)
        if not isinstance(padding, str):
            padding = each(padding)
        elif padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of 'same' and 'valid'")
        elif padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of 'zeros', 'reflect', 'replicate' and 'circular', but got "
                f"padding_mode={padding_mode!r}"
            )
        super()._set(
            in_channels=in_channels, out_channels=out_channels, kernel_size=kernel_size, stride=stride, padding=padding,
            dilation=dilation, transposed=self.transposed, output_padding=each(output_padding), groups=groups,
            padding_mode=padding_mode,
        )  # fmt: skip
        self._reversed_padding_repeated_twice = self._pads()
        shapes = self._shapes()
        hold(self, device, dtype, weight=shapes["weight"], bias=shapes["bias"] if bias else None)
        self.reset_parameters()

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        outs, ins = (self.out_channels, self.in_channels)[:: -1 if self.transposed else 1]
        return {"weight": (outs, ins // self.groups, *self.kernel_size), "bias": (self.out_channels,)}

    def _pads(self) -> list[int]:
        """The padding as `torch.nn.functional.pad` takes it: the last axis first."""
        if self.padding == "valid":
            return [0, 0] * self._count
        if self.padding == "same":
            spans = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return [n for span in reversed(spans) for n in (span // 2, span - span // 2)]
        return [n for p in reversed(self.padding) for n in (p, p)]

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        reset_by_fan_in(self.weight, self.bias)

    def extra_repr(self) -> str:
        """The options that are not the defaults."""
        zeros, ones = (0,) * self._count, (1,) * self._count
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        for name, default in (("padding", zeros), ("dilation", ones), ("output_padding", zeros), ("groups", 1)):
            if getattr(self, name) != default:
                shown.append(f"{name}={getattr(self, name)}")
        if self.bias is None:
            shown.append("bias=False")
        if self.padding_mode != "zeros":
            shown.append(f"padding_mode={self.padding_mode}")
        return ", ".join(shown)

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        f, padding = getattr(F, f"conv{self._count}d"), self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._count
        return f(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Any) -> Any:
        """Convolve the input, of shape (batch, channels, *extents) or (channels, *extents), with the weight."""
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """The base of transposed convolutions."""

    transposed = True

    def _set(self, *, padding_mode: Any, **options: Any) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super()._set(padding_mode=padding_mode, **options)

    def _output_padding(self, input: Any, output_size: Any) -> tuple[int, ...]:
        """The padding at the end of the result that gives it the requested extents."""
        if output_size is None:
            return self.output_padding
        count, given = self._count, tuple(output_size)
        lead = input.dim() - count
        size = given[lead:] if len(given) == lead + count else given
        if len(size) != count:
            raise ValueError(
                f"ConvTranspose{count}D: for {input.dim()}D input, output_size must have {count} or {count + lead} "
                f"elements (got {len(given)})"
            )
        least = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(
                input.shape[lead:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        most = [n + s - 1 for n, s in zip(least, self.stride, strict=True)]
        if any(not low <= n <= high for low, n, high in zip(least, size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {list(size)}, but valid sizes range from {least} to {most} (for an input "
                f"of {input.shape[2:]})"
            )
        return tuple([n - low for n, low in zip(size, least, strict=True)])

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """Spread the input by the weight: the derivative of a convolution by its input.

        Parameters
        ----------
        input: of shape (batch, channels, *extents) or (channels, *extents).
        output_size: the extents of the result, where the stride leaves several open.
        """
        padding = self._output_padding(input, output_size)
        f = getattr(F, f"conv_transpose{self._count}d")
        options = (self.stride, self.padding, padding, self.groups, self.dilation)
        return f(input, self.weight, self.bias, *options)


class _LazyConv(Lazy):
    """The base of convolutions that learn the number of their input channels from the first input."""

    def _set(self, **options: Any) -> None:
        base: Any = super()
        base._set(**{**options, "in_channels": 0, "out_channels": 0, "bias": False})
        self.out_channels = options["out_channels"]
        self._wait(options["device"], options["dtype"], "weight", *["bias"] * bool(options["bias"]))
        self._watch()

    def reset_parameters(self) -> None:
        """Draw the parameters anew, where they are there already."""
        base: Any = super()
        if not self.has_uninitialized_params() and self.in_channels != 0:
            base.reset_parameters()

    def initialize_parameters(self, input: Any, *args: Any, **kw: Any) -> None:
        """Make the parameters for an input."""
        if not self.has_uninitialized_params():
            return
        layer: Any = self
        count = layer._count
        if input.dim() not in (count + 1, count + 2):
            raise RuntimeError(
                f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        self.in_channels = input.shape[-count - 1]
        if self.in_channels % layer.groups:
            raise ValueError("in_channels must be divisible by groups")
        self._make(**layer._shapes())


class Conv1d(_ConvNd, options=f"in_channels, out_channels, kernel_size, {_OPTIONS}"):
    """Convolve sequences.

    Parameters
    ----------
    in_channels, out_channels: the numbers of channels of the input and of the result.
    kernel_size, stride, dilation: the extent of the kernel, its steps, and the steps inside of it.
    padding: how much is added at each end; ``"same"`` or ``"valid"``.
    groups: into how many groups the channels are split, each with kernels of its own.
    bias: whether there is a bias.
    padding_mode: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
    """

    _count = 1


class Conv2d(_ConvNd, options=f"in_channels, out_channels, kernel_size, {_OPTIONS}"):
    """Convolve images. See `Conv1d`; each option is one number or a pair.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> layer = torch.nn.Conv2d(3, 8, kernel_size=3, padding=1)
    >>> layer
    Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
    >>> layer(torch.ones(1, 3, 5, 5)).shape
    torch.Size([1, 8, 5, 5])
    """

    _count = 2


class Conv3d(_ConvNd, options=f"in_channels, out_channels, kernel_size, {_OPTIONS}"):
    """Convolve volumes. See `Conv1d`; each option is one number or three."""

    _count = 3


class ConvTranspose1d(_ConvTransposeNd, options=f"in_channels, out_channels, kernel_size, {_TRANSPOSED}"):
    """Spread sequences by kernels: the derivative of `Conv1d`.

    Parameters
    ----------
    output_padding: what is added at the end of the result, whose extent the stride leaves open. For all others see
        `Conv1d`.
    """

    _count = 1


class ConvTranspose2d(_ConvTransposeNd, options=f"in_channels, out_channels, kernel_size, {_TRANSPOSED}"):
    """Spread images by kernels: the derivative of `Conv2d`. See `ConvTranspose1d`."""

    _count = 2


class ConvTranspose3d(_ConvTransposeNd, options=f"in_channels, out_channels, kernel_size, {_TRANSPOSED}"):
    """Spread volumes by kernels: the derivative of `Conv3d`. See `ConvTranspose1d`."""

    _count = 3


class LazyConv1d(_LazyConv, Conv1d, options=f"out_channels, kernel_size, {_OPTIONS}"):
    """A `Conv1d` that learns the number of its input channels from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d, options=f"out_channels, kernel_size, {_OPTIONS}"):
    """A `Conv2d` that learns the number of its input channels from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d, options=f"out_channels, kernel_size, {_OPTIONS}"):
    """A `Conv3d` that learns the number of its input channels from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConv, ConvTranspose1d, options=f"out_channels, kernel_size, {_TRANSPOSED}"):
    """A `ConvTranspose1d` that learns the number of its input channels from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConv, ConvTranspose2d, options=f"out_channels, kernel_size, {_TRANSPOSED}"):
    """A `ConvTranspose2d` that learns the number of its input channels from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConv, ConvTranspose3d, options=f"out_channels, kernel_size, {_TRANSPOSED}"):
    """A `ConvTranspose3d` that learns the number of its input channels from its first input."""

    cls_to_become = ConvTranspose3d
