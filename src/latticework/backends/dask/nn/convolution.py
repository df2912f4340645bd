"""Convolutions on Dask: block by block of the batch, and of spatial axes with what windows read of the next block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.windows import Axes, Windows, convolved
from .windows import by_sample, by_window


def _read(n: int | None) -> Callable[..., tuple[Axes, Windows]]:
    def read(arrays: list[Any], options: dict[str, Any]) -> tuple[Axes, Windows]:
        x, weight, *rest = arrays
        bias = rest[0] if rest else options.get("bias")
        return convolved(x, weight, bias, n, **{name: o for name, o in options.items() if name != "bias"})

    return read


conv = by_window("nn.conv", None, _read(None))
conv1d = by_window("nn.conv1d", 1, _read(1))
conv2d = by_window("nn.conv2d", 2, _read(2))
conv3d = by_window("nn.conv3d", 3, _read(3))
conv_transpose1d = by_sample("nn.conv_transpose1d", 1)
conv_transpose2d = by_sample("nn.conv_transpose2d", 2)
conv_transpose3d = by_sample("nn.conv_transpose3d", 3)
