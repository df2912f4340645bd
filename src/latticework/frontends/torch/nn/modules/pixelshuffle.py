"""Layers that trade channels for extents."""

from __future__ import annotations

from .. import functional as F
from .layer import Layer

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Layer, options="upscale_factor", call=F.pixel_shuffle):
    """Turn channels into finer images: (channels * r**2, height, width) into (channels, height * r, width * r)."""


class PixelUnshuffle(Layer, options="downscale_factor", call=F.pixel_unshuffle):
    """Turn images into coarser ones of more channels: the inverse of `PixelShuffle`."""
