"""Tensors on their way to files and from them: which memory they have, and on which device they are put."""

from __future__ import annotations

from typing import Any

import numpy as np

from .nn.modules.module import Module
from .nn.parameter import Parameter
from .tensor import Tensor


def memory_of(x: Any) -> Any:
    """Return what is equal for two tensors that have the same elements of the same memory."""
    native = getattr(x._array._data, "value", x._array._data)
    if isinstance(native, np.ndarray):
        place, strides = native.__array_interface__["data"][0], native.strides
    elif hasattr(native, "data_ptr"):
        place, strides = native.data_ptr(), tuple(native.stride())
    else:
        return id(native)
    return (place, strides, tuple(x.shape), x._array.dtype.name) if 0 not in x.shape else id(native)


def on_device(x: Any, where: Any) -> Any:
    """Return what was read with its tensors on a device."""
    if type(x) is Tensor:
        moved = x.detach().to(where)
        return Parameter(moved, x.requires_grad) if isinstance(x, Parameter) else moved.requires_grad_(x.requires_grad)
    if isinstance(x, dict):
        for key, value in x.items():
            x[key] = on_device(value, where)
        return x
    if isinstance(x, Module):
        return x.to(where)
    if type(x) in (list, tuple):
        return type(x)([on_device(y, where) for y in x])
    return x
