"""Layers that resize images."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional as F
from .layer import Layer

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(
    Layer,
    options="size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None",
    call=F.interpolate,
):
    """Resize sequences, images or volumes.

    Parameters
    ----------
    size: the extents of the result; or
    scale_factor: what extents are multiplied by.
    mode: ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"`` or ``"trilinear"``.
    align_corners: whether the centres of the corners stay where they are, rather than their edges.
    recompute_scale_factor: whether the factor is computed anew from the extents of the result.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    __constants__: ClassVar[list[str]] = [
        "size",
        "scale_factor",
        "mode",
        "align_corners",
        "name",
        "recompute_scale_factor",
    ]

    def _set(self, scale_factor: Any, **options: Any) -> None:
        if isinstance(scale_factor, tuple):
            scale_factor = tuple(float(x) for x in scale_factor)
        else:
            scale_factor = float(scale_factor) if scale_factor else None
        super()._set(name=type(self).__name__, scale_factor=scale_factor, **options)

    def extra_repr(self) -> str:
        """The factor or the size, and the mode."""
        word = "size" if self.scale_factor is None else "scale_factor"
        return f"{word}={getattr(self, word)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resize images by repeating elements. See `Upsample`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize images by bilinear interpolation; corners stay where they are. See `Upsample`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
