"""Readers of the arguments of TensorFlow's functions: shapes, axes and dtypes. Each of them can be a tensor."""

from __future__ import annotations

from typing import Any

from .errors import invalid
from .shapes import TensorShape
from .tensor import Tensor, as_tensor

__all__ = ["axes", "extents", "number", "only", "our_axis"]

_KINDS = {"b": "bool", "i": "signed integers", "u": "unsigned integers", "f": "floats", "c": "complex numbers"}


def number(n: Any) -> Any:
    """Convert an int, a NumPy scalar or a 0-d tensor to a Python int."""
    if type(n) is int or n is None:
        return n
    if isinstance(n, Tensor):
        return n._array.__index__() if n._array.ndim == 0 else int(n.numpy().item())
    return n.__index__() if hasattr(n, "__index__") else n


def extents(shape: Any) -> tuple[int, ...]:
    """A shape as Python ints: of a sequence of ints and tensors, a tensor, a `TensorShape` or one int."""
    if isinstance(shape, TensorShape):
        return tuple(shape.as_list())
    kind = type(shape)
    if kind is tuple and all(type(n) is int and n >= -1 for n in shape):
        return shape
    if isinstance(shape, (list, tuple)):
        found = tuple([number(n) for n in shape])
    else:
        shape = shape.numpy() if hasattr(shape, "numpy") else shape
        listed = shape.tolist() if hasattr(shape, "tolist") else shape
        found = tuple([number(n) for n in listed]) if isinstance(listed, (list, tuple)) else (number(listed),)
    for n in found:
        if type(n) is not int:
            raise TypeError(f"Cannot convert {n!r} to a tensor of dtype int32: a shape is of ints")
        if n < -1:
            raise invalid(f"Dimension {n} must be >= 0")
    return found


def axes(axis: Any) -> Any:
    """Return the axes of a reduction: None, an int or a tuple of ints."""
    if axis is None or type(axis) is int:
        return axis
    if isinstance(axis, (list, tuple)):
        return tuple([number(n) for n in axis])
    values = axis.numpy() if hasattr(axis, "numpy") else axis
    listed = values.tolist() if hasattr(values, "tolist") else values
    return tuple(listed) if isinstance(listed, list) else listed


def our_axis(axis: Any) -> Any:
    """Convert one axis to a Python int."""
    found = axes(axis)
    return found[0] if isinstance(found, tuple) and len(found) == 1 else found


def only(x: Any, kinds: str, but: str = "", error: Any = invalid) -> Any:
    """Convert a value to a tensor, which has to be of one of these kinds of dtype.

    Parameters
    ----------
    kinds: letters of `Dtype.kind`.
    but: names of dtypes of these kinds that the kernel is not registered for.
    error: the function that makes the error of a text.
    """
    x = as_tensor(x)
    dtype = x._array.dtype
    if dtype.kind not in kinds or str(dtype) in but.split():
        words = ", ".join(_KINDS[k] for k in kinds)
        raise error(f"the dtype {dtype} is not in the list of allowed values: {words}" + f", without {but}" * bool(but))
    return x
