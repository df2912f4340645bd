"""`numpy.lib.stride_tricks`: windows over arrays."""

from __future__ import annotations

import operator

from ..base import as_array, dialect, ops, shape_of


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    x = as_array(x)
    shape = tuple(window_shape) if isinstance(window_shape, (list, tuple)) else (operator.index(window_shape),)
    if axis is None and len(shape) != x.ndim:
        raise ValueError(f"sliding_window_view: one extent for each of {x.ndim} axes; got {shape}. Give axis")
    axes = tuple(range(x.ndim)) if axis is None else axis if type(axis) is tuple else (axis,)
    if len(axes) != len(shape):
        raise ValueError(f"sliding_window_view: as many extents as axes; got {shape} and {axes}")
    return ops.sliding_window_view(x, shape, axes)


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    x = as_array(x)
    shape = x.shape if shape is None else shape_of(shape)
    if x.strides != tuple(_steps(x)) and x.size > 1:
        raise ValueError("as_strided: x is a view whose elements do not lie one after the other; give x.copy()")
    steps = _steps(x) if strides is None else [operator.index(s) for s in strides]
    if len(steps) != len(shape):
        raise ValueError(f"as_strided: as many strides as extents; got {tuple(steps)} for {shape}")
    for s in steps:
        if s % x.itemsize:
            raise ValueError(f"as_strided: strides are multiples of {x.itemsize}, an element of {x.dtype}; got {s}")
    steps = [s // x.itemsize for s in steps]
    if 0 not in shape:
        ends = [sum(f(0, (n - 1) * s) for n, s in zip(shape, steps, strict=True)) for f in (min, max)]
        if ends[0] < 0 or ends[1] >= x.size:
            raise ValueError(
                f"as_strided: these strides reach elements from {ends[0]} to {ends[1]}, and x has {x.size}"
            )
    places = ops.zeros((), dtype="int64")
    for axis, (n, s) in enumerate(zip(shape, steps, strict=True)):
        along = ops.multiply(ops.arange(n, dtype="int64"), s)
        places = ops.add(places, ops.reshape(along, (n, *[1] * (len(shape) - axis - 1))))
    return ops.take(ops.reshape(x, (-1,)), ops.reshape(places, (-1,)), axis=0).reshape(shape)


def _steps(x):
    """The strides of an array whose elements lie one after the other."""
    found = [x.itemsize]
    for n in x.shape[:0:-1]:
        found.insert(0, found[0] * n)
    return found[: x.ndim]


dialect.finish(globals())
