"""Resampling on Dask: block by block of the batch."""

from __future__ import annotations

from .windows import by_sample

interpolate = by_sample("nn.interpolate")
