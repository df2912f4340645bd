"""A layer that changes the order of channels."""

from __future__ import annotations

from .. import functional as F
from .layer import Layer

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Layer, options="groups", call=F.channel_shuffle):
    """Split the channels into groups, and take one of each group in turns."""
