"""Manipulation and indexing functions on NumPy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...backend.arguments import check_order, check_repetitions, check_shifts, take_axis
from ...backend.plain import NativeCall, comes_to

#: NumPy's function without its check of every array for another library's class, a fifth of the time.
concat = getattr(np.concatenate, "_implementation", np.concatenate)
broadcast_to = np.broadcast_to
expand_dims = np.expand_dims
flip = np.flip
moveaxis = np.moveaxis
take_along_axis = np.take_along_axis


def stack(arrays: list[Any], *, axis: int = 0) -> np.ndarray:
    return np.stack(arrays, axis=axis)


def reshape(x: Any, shape: Any, copy: bool | None = None, order: Literal["C", "F"] = "C") -> np.ndarray:
    if type(shape) is not tuple:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in shape:
        if n < -1:  # all negative ones are -1 to NumPy
            raise ValueError(f"negative extents in shape {shape}")
    if copy is None and order == "C":
        return x.reshape(shape)
    check_order(order)
    return x.reshape(shape, order=order, copy=copy)


def _plain_reshape(x: Any, shape: Any, copy: bool | None = None, order: Literal["C", "F"] = "C") -> NativeCall | None:
    if type(shape) is not tuple or copy is not None or order != "C" or any(n < -1 for n in shape) or not x.ndim:
        return None
    return np.ndarray.reshape, (x, shape), {}


comes_to(reshape, _plain_reshape)


def permute_dims(x: Any, axes: tuple[int, ...]) -> np.ndarray:
    return x.transpose(tuple(axes))  # None would reverse the axes


# A 0-d array may be a NumPy scalar, which is no operand of that method.
comes_to(permute_dims, lambda x, axes: (np.ndarray.transpose, (x, tuple(axes)), {}) if x.ndim else None)


def unstack(x: Any, *, axis: int = 0) -> tuple[np.ndarray, ...]:
    return np.unstack(x, axis=axis)


def repeat(x: Any, repeats: Any, *, axis: int | None = None) -> np.ndarray:
    if axis is not None and not x.ndim:
        raise IndexError("the array has no axes")  # NumPy gives it one
    if not x.size and np.any(np.less(repeats, 0)):
        raise ValueError("negative repeats")  # NumPy takes them for an array without elements
    return x.repeat(repeats, axis)


def roll(x: Any, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    check_shifts(shift, axis)
    if axis == ():
        return x.copy()  # NumPy needs an axis
    return np.roll(x, shift, axis)


def squeeze(x: Any, axis: int | tuple[int, ...]) -> np.ndarray:
    if axis is None or not (x.ndim or axis == ()):
        raise IndexError("the array has no such axis")  # NumPy gives it one, and takes None for all axes of extent 1
    return x.squeeze(axis)


def _plain_squeeze(x: Any, axis: int | tuple[int, ...]) -> NativeCall | None:
    plain = axis is not None and isinstance(x, np.ndarray) and x.ndim > 0
    return (np.ndarray.squeeze, (x, axis), {}) if plain else None


comes_to(squeeze, _plain_squeeze)


def tile(x: Any, repetitions: int | tuple[int, ...]) -> np.ndarray:
    check_repetitions(repetitions)
    return np.tile(x, repetitions)


def take(x: Any, indices: Any, *, axis: int | None = None) -> np.ndarray:
    if axis is None:
        axis = take_axis(x.ndim)
    elif not x.ndim:
        raise IndexError("the array has no axes")  # NumPy gives it one
    if not (x.size or x.shape[axis]) and np.size(indices):
        raise IndexError("the axis has no elements")  # which NumPy takes where others have none either
    return np.take(x, indices, axis=axis)
