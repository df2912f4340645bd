"""Pooling on Dask: block by block of the batch."""

from __future__ import annotations

from .windows import by_sample

max_pool1d = by_sample("nn.max_pool1d", 1)
max_pool2d = by_sample("nn.max_pool2d", 2)
max_pool3d = by_sample("nn.max_pool3d", 3)
avg_pool1d = by_sample("nn.avg_pool1d", 1)
avg_pool2d = by_sample("nn.avg_pool2d", 2)
avg_pool3d = by_sample("nn.avg_pool3d", 3)
lp_pool2d = by_sample("nn.lp_pool2d", 2)
adaptive_avg_pool2d = by_sample("nn.adaptive_avg_pool2d", 2)
adaptive_max_pool2d = by_sample("nn.adaptive_max_pool2d", 2)
max_unpool2d = by_sample("nn.max_unpool2d", 2, also=1)
