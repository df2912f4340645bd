"""Layers that pool: one number for each window."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional as F
from .layer import Layer
from .utils import _ntuple

# fmt: off
__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d",
    "MaxUnpool3d",
]
# fmt: on

_UNPOOLED = "input, indices, output_size=None"


class _Windows(Layer):
    """The base of pooling whose windows step by their own extent, where no stride is given."""

    def _set(self, *, kernel_size: Any, stride: Any, **options: Any) -> None:
        super()._set(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, **options)


class _MaxPoolNd(
    _Windows,
    options="kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
    shows="kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}",
):
    pass


class MaxPool1d(_MaxPoolNd, call=F.max_pool1d):
    """Take the maximum of each window of sequences.

    Parameters
    ----------
    kernel_size: the extent of windows.
    stride: their steps; their extent by default.
    padding: how much is added at each end: values below all others.
    dilation: the steps inside of a window.
    return_indices: whether the places of the maxima are returned as well, for `MaxUnpool1d`.
    ceil_mode: whether a window that reaches over the end counts.
    """


class MaxPool2d(_MaxPoolNd, call=F.max_pool2d):
    """Take the maximum of each window of images. See `MaxPool1d`.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.MaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """


class MaxPool3d(_MaxPoolNd, call=F.max_pool3d):
    """Take the maximum of each window of volumes. See `MaxPool1d`."""


class _MaxUnpoolNd(_Windows, options="kernel_size, stride=None, padding=0"):
    __constants__: ClassVar[list[str]] = []
    _count = 0

    def _set(self, **options: Any) -> None:
        super()._set(**options)
        for name in ("kernel_size", "stride", "padding"):
            setattr(self, name, _ntuple(self._count)(getattr(self, name)))


class MaxUnpool1d(_MaxUnpoolNd, call=F.max_unpool1d, takes=_UNPOOLED):
    """Put the maxima of `MaxPool1d` back at their places, in zeros."""

    _count = 1


class MaxUnpool2d(_MaxUnpoolNd, call=F.max_unpool2d, takes=_UNPOOLED):
    """Put the maxima of `MaxPool2d` back at their places, in zeros."""

    _count = 2


class MaxUnpool3d(_MaxUnpoolNd, call=F.max_unpool3d, takes=_UNPOOLED):
    """Put the maxima of `MaxPool3d` back at their places, in zeros."""

    _count = 3


_AVERAGED = "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True"
_SHOWN = "kernel_size={kernel_size}, stride={stride}, padding={padding}"


class _AvgPoolNd(_Windows, options=f"{_AVERAGED}, divisor_override=None", shows=_SHOWN):
    pass


class AvgPool1d(_AvgPoolNd, options=_AVERAGED, shows=_SHOWN, call=F.avg_pool1d):
    """Average each window of sequences.

    Parameters
    ----------
    kernel_size: the extent of windows.
    stride: their steps; their extent by default.
    padding: how many zeros are added at each end.
    ceil_mode: whether a window that reaches over the end counts.
    count_include_pad: whether the zeros count.
    """

    def _set(self, **options: Any) -> None:
        super()._set(**options)
        for name in ("kernel_size", "stride", "padding"):
            setattr(self, name, _ntuple(1)(getattr(self, name)))


class AvgPool2d(_AvgPoolNd, call=F.avg_pool2d):
    """Average each window of images, or divide its sum by `divisor_override`. See `AvgPool1d`."""


class AvgPool3d(_AvgPoolNd, call=F.avg_pool3d):
    """Average each window of volumes, or divide its sum by `divisor_override`. See `AvgPool1d`."""


class _Fractional(
    Layer,
    options="kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None",
    shows="",
):
    __constants__: ClassVar[list[str]] = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _count = 0

    def _set(
        self, kernel_size: Any, output_size: Any, output_ratio: Any, return_indices: Any, _random_samples: Any
    ) -> None:
        name, each = type(self).__name__, _ntuple(self._count)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if output_ratio is not None and not all(0 < r < 1 for r in each(output_ratio)):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")
        kernel_size = each(kernel_size)
        if self._count == 3 and min(kernel_size) <= 0:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.register_buffer("_random_samples", _random_samples)
        sizes = {"output_size": output_size, "output_ratio": output_ratio}
        sizes = {word: None if x is None else each(x) for word, x in sizes.items()}
        super()._set(kernel_size=kernel_size, return_indices=return_indices, **sizes)


class FractionalMaxPool2d(_Fractional, call=F.fractional_max_pool2d):
    """Take the maximum of windows that stand at random places, as many as the requested size.

    Parameters
    ----------
    kernel_size: the extent of windows.
    output_size: the extents of the result.
    output_ratio: the extents of the result as parts of those of the input.
    return_indices: whether the places of the maxima are returned as well.
    """

    _count = 2


class FractionalMaxPool3d(_Fractional, call=F.fractional_max_pool3d):
    """Take the maximum of windows of volumes. See `FractionalMaxPool2d`."""

    _count = 3


class _LPPoolNd(Layer, options="norm_type, kernel_size, stride=None, ceil_mode=False"):
    pass


class LPPool1d(_LPPoolNd, call=F.lp_pool1d):
    """Take the norm of each window of sequences.

    Parameters
    ----------
    norm_type: which norm: the p-th root of the sum of p-th powers.
    kernel_size: the extent of windows.
    stride: their steps; their extent by default.
    ceil_mode: whether a window that reaches over the end counts.
    """


class LPPool2d(_LPPoolNd, call=F.lp_pool2d):
    """Take the norm of each window of images. See `LPPool1d`."""


class LPPool3d(_LPPoolNd, call=F.lp_pool3d):
    """Take the norm of each window of volumes. See `LPPool1d`."""


class _AdaptiveMaxPoolNd(Layer, options="output_size, return_indices=False", shows="output_size={output_size}"):
    pass


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd, call=F.adaptive_max_pool1d):
    """Split the axis of sequences into as many parts as requested, and take the maximum of each."""


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd, call=F.adaptive_max_pool2d):
    """Split images into as many parts as requested, and take the maximum of each. None keeps an extent."""


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd, call=F.adaptive_max_pool3d):
    """Split volumes into as many parts as requested, and take the maximum of each. None keeps an extent."""


class _AdaptiveAvgPoolNd(Layer, options="output_size"):
    pass


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd, call=F.adaptive_avg_pool1d):
    """Split the axis of sequences into as many parts as requested, and average each."""


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd, call=F.adaptive_avg_pool2d):
    """Split images into as many parts as requested, and average each. None keeps an extent.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.AdaptiveAvgPool2d(1)(torch.arange(4.0).reshape(1, 2, 2))
    tensor([[[1.5000]]])
    """


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd, call=F.adaptive_avg_pool3d):
    """Split volumes into as many parts as requested, and average each. None keeps an extent."""
