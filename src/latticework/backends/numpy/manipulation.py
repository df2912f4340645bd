"""Manipulation and indexing functions on NumPy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..arguments import check_order, take_axis

broadcast_to = np.broadcast_to
expand_dims = np.expand_dims
flip = np.flip
moveaxis = np.moveaxis
repeat = np.repeat
roll = np.roll
squeeze = np.squeeze
tile = np.tile
take_along_axis = np.take_along_axis


def concat(arrays: list[Any], *, axis: int | None = 0) -> np.ndarray:
    return np.concatenate(arrays, axis=axis)


def stack(arrays: list[Any], *, axis: int = 0) -> np.ndarray:
    return np.stack(arrays, axis=axis)


def reshape(x: Any, shape: Any, *, copy: bool | None = None, order: Literal["C", "F"] = "C") -> np.ndarray:
    if isinstance(shape, (tuple, list)) and min(shape, default=0) < -1:  # all negative ones are -1 to NumPy
        raise ValueError(f"negative extents in shape {shape}")
    check_order(order)
    return x.reshape(shape, order=order, copy=copy)


def permute_dims(x: Any, axes: tuple[int, ...]) -> np.ndarray:
    return np.transpose(x, tuple(axes))  # None would reverse the axes


def unstack(x: Any, *, axis: int = 0) -> tuple[np.ndarray, ...]:
    return np.unstack(x, axis=axis)


def take(x: Any, indices: Any, *, axis: int | None = None) -> np.ndarray:
    if axis is None:
        axis = take_axis(x.ndim)
    return np.take(x, indices, axis=axis)
