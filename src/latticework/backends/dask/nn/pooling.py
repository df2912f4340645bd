"""Pooling on Dask: block by block of the batch, and of spatial axes with what windows read of the next block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.windows import Axes, Windows, pooled
from .windows import by_sample, by_window


def _read(n: int) -> Callable[..., tuple[Axes, Windows]]:
    def read(arrays: list[Any], options: dict[str, Any]) -> tuple[Axes, Windows]:
        kernel, dilation = options["kernel_size"], options.get("dilation", 1)
        rest = [options[name] for name in ("ceil_mode", "layout")]
        return pooled(arrays[0], n, kernel, options["stride"], options["padding"], dilation, *rest)

    return read


max_pool1d = by_window("nn.max_pool1d", 1, _read(1))
max_pool2d = by_window("nn.max_pool2d", 2, _read(2))
max_pool3d = by_window("nn.max_pool3d", 3, _read(3))
avg_pool1d = by_window("nn.avg_pool1d", 1, _read(1))
avg_pool2d = by_window("nn.avg_pool2d", 2, _read(2))
avg_pool3d = by_window("nn.avg_pool3d", 3, _read(3))
lp_pool1d = by_sample("nn.lp_pool1d", 1)
lp_pool2d = by_sample("nn.lp_pool2d", 2)
lp_pool3d = by_sample("nn.lp_pool3d", 3)
adaptive_avg_pool2d = by_sample("nn.adaptive_avg_pool2d", 2)
adaptive_max_pool2d = by_sample("nn.adaptive_max_pool2d", 2)
max_unpool2d = by_sample("nn.max_unpool2d", 2, also=1)
