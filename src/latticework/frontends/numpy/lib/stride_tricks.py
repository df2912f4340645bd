"""`numpy.lib.stride_tricks`: windows over arrays."""

from __future__ import annotations

import operator

from ..base import as_array, dialect, ops


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    x = as_array(x)
    shape = tuple(window_shape) if isinstance(window_shape, (list, tuple)) else (operator.index(window_shape),)
    if axis is None and len(shape) != x.ndim:
        raise ValueError(f"sliding_window_view: one extent for each of {x.ndim} axes; got {shape}. Give axis")
    axes = tuple(range(x.ndim)) if axis is None else axis if type(axis) is tuple else (axis,)
    if len(axes) != len(shape):
        raise ValueError(f"sliding_window_view: as many extents as axes; got {shape} and {axes}")
    return ops.sliding_window_view(x, shape, axes)


dialect.finish(globals())
