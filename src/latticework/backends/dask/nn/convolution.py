"""Convolutions on Dask: block by block of the batch."""

from __future__ import annotations

from .windows import by_sample

conv = by_sample("nn.conv")
conv1d = by_sample("nn.conv1d", 1)
conv2d = by_sample("nn.conv2d", 2)
conv3d = by_sample("nn.conv3d", 3)
conv_transpose1d = by_sample("nn.conv_transpose1d", 1)
conv_transpose2d = by_sample("nn.conv_transpose2d", 2)
conv_transpose3d = by_sample("nn.conv_transpose3d", 3)
