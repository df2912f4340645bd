"""Layers that take patches out of images, and add them up."""

from __future__ import annotations

from .. import functional as F
from .layer import Layer

__all__ = ["Fold", "Unfold"]


class Fold(Layer, options="output_size, kernel_size, dilation=1, padding=0, stride=1", call=F.fold):
    """Add patches, the columns of the input, up to images.

    Parameters
    ----------
    output_size: the extents of the images.
    kernel_size, dilation, padding, stride: those of the patches, as in `Unfold`.
    """


class Unfold(Layer, options="kernel_size, dilation=1, padding=0, stride=1", call=F.unfold):
    """Take patches out of images, each as a column.

    Parameters
    ----------
    kernel_size: the extents of a patch.
    dilation: the steps inside of a patch.
    padding: how many zeros are added at each end.
    stride: the steps between patches.
    """
