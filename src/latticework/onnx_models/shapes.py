"""Operators of shapes and arrangement, and those that make arrays."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

import latticework as lw

from ..core.dtypes import int64
from .table import Call, dtype_of, reads

__all__: list[str] = []


def _ints(x: Any) -> list[int]:
    return [int(n) for n in np.asarray(x).reshape(-1)]


# --- what follows from shapes and attributes -------------------------------------------------------------------------


@reads("Shape", raw=True)
def _shape(c: Call, x: Any, **_: Any) -> Any:
    extents = tuple(x.shape)[c.get("start", 0) : c.get("end")]
    if None in extents:
        raise c.refuse("the extents of the array are not known")
    return np.asarray(extents, dtype=np.int64)


@reads("Size", raw=True)
def _size(c: Call, x: Any, **_: Any) -> Any:
    return np.asarray(math.prod(x.shape), dtype=np.int64)


@reads("Constant")
def _constant(c: Call) -> Any:
    for name, kind in (("value_float", "float32"), ("value_floats", "float32"), ("value_int", "int64"),
                       ("value_ints", "int64")):  # fmt: skip
        if name in c.attributes:
            return np.asarray(c.attributes[name], dtype=kind)
    x = c.get("value", c.get("sparse_value"))
    if x is None:
        raise c.refuse("a constant of strings is not read")
    return x


@reads("ConstantOfShape", host=(0,))
def _constant_of_shape(c: Call, shape: Any) -> Any:
    value = np.asarray(c.get("value", np.zeros(1, np.float32))).reshape(())
    return lw.full(tuple(_ints(shape)), value.item(), dtype=c.array(value).dtype, device=c.device)


@reads("Range", host=(0, 1, 2))
def _range(c: Call, start: Any, limit: Any, step: Any) -> Any:
    count = max(math.ceil((limit.item() - start.item()) / step.item()), 0)
    places = lw.astype(lw.arange(count, dtype=int64, device=c.device), c.array(start).dtype)
    return lw.reshape(c.array(start), ()) + places * lw.reshape(c.array(step), ())


@reads("EyeLike", raw=True)
def _eye_like(c: Call, x: Any, **_: Any) -> Any:
    rows, columns = x.shape
    if "dtype" in c.attributes:
        dtype = dtype_of(c.get("dtype"), f"the result of EyeLike (node {c.name!r})")
    else:
        dtype = lw.as_dtype(x.dtype)
    return lw.eye(rows, columns, k=c.get("k", 0), dtype=dtype)


# --- other shapes -----------------------------------------------------------------------------------------------------


@reads("Reshape", host=(1,))
def _reshape(c: Call, x: Any, shape: Any = None) -> Any:
    """Reshape: an extent of 0 is that of x, unless `allowzero`."""
    wanted = _ints(c.get("shape") if shape is None else shape)
    if not c.get("allowzero", 0):
        wanted = [x.shape[i] if n == 0 else n for i, n in enumerate(wanted)]
    if -1 in wanted and 0 in x.shape:  # which says nothing of the open extent
        rest = math.prod(n for n in wanted if n != -1)
        wanted = [math.prod(x.shape) // rest if n == -1 and rest else 0 if n == -1 else n for n in wanted]
    return lw.reshape(x, tuple(wanted))


@reads("Flatten")
def _flatten(c: Call, x: Any) -> Any:
    axis = c.get("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return lw.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@reads("Squeeze", host=(1,))
def _squeeze(c: Call, x: Any, axes: Any = None) -> Any:
    axes = c.get("axes", axes)
    places = tuple([i for i, n in enumerate(x.shape) if n == 1]) if axes is None else tuple(_ints(axes))
    return lw.squeeze(x, axis=places)


@reads("Unsqueeze", host=(1,))
def _unsqueeze(c: Call, x: Any, axes: Any = None) -> Any:
    axes = _ints(c.get("axes", axes))
    n = x.ndim + len(axes)
    places = {a % n for a in axes}
    rest = iter(x.shape)
    return lw.reshape(x, tuple([1 if i in places else next(rest) for i in range(n)]))


@reads("Transpose")
def _transpose(c: Call, x: Any) -> Any:
    return lw.permute_dims(x, tuple(c.get("perm", range(x.ndim)[::-1])))


@reads("Expand", host=(1,))
def _expand(c: Call, x: Any, shape: Any) -> Any:
    return lw.broadcast_to(x, np.broadcast_shapes(tuple(x.shape), tuple(_ints(shape))))


@reads("Tile", host=(1, 2))
def _tile(c: Call, x: Any, repeats: Any) -> Any:
    return lw.tile(x, tuple(_ints(repeats)))


@reads("Concat")
def _concat(c: Call, *arrays: Any) -> Any:
    return lw.concat([*arrays], axis=c.get("axis", 1))


@reads("Split", host=(1,))
def _split(c: Call, x: Any, sizes: Any = None) -> Any:
    """Split by sizes, or in as many parts as there are outputs, the last of which may be smaller."""
    axis, sizes = c.get("axis", 0), c.get("split", sizes)
    if sizes is None:
        count = c.get("num_outputs", len(c.wanted))
        n = x.shape[axis]
        part = -(-n // count)
        sizes = [min(part, n - part * i) for i in range(count)]
    bounds = np.cumsum([0, *_ints(sizes)])
    return tuple([_part(x, axis, int(a), int(b)) for a, b in pairwise(bounds)])


def _part(x: Any, axis: int, start: int, stop: int) -> Any:
    key = [slice(None)] * x.ndim
    key[axis] = slice(start, stop)
    return x[tuple(key)]


@reads("Slice", host=(1, 2, 3, 4))
def _slice(c: Call, x: Any, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None) -> Any:
    """Take slices: attributes before opset 10, then inputs. Bounds beyond the array count as its ends."""
    starts, ends = _ints(c.get("starts", starts)), _ints(c.get("ends", ends))
    axes = c.get("axes", axes)
    axes = [*range(len(starts))] if axes is None else _ints(axes)
    steps = [1] * len(starts) if steps is None else _ints(steps)
    key = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        n = x.shape[axis]
        low, high = (0, n) if step > 0 else (-1, n - 1)
        start, end = (min(max(b + n if b < 0 else b, low), high) for b in (start, end))
        if step < 0 and start < 0:
            start, end = 0, 0
        key[axis] = slice(start, None if step < 0 and end < 0 else end, step)
    return x[tuple(key)]


@reads("Pad", host=(1, 3))
def _pad(c: Call, x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
    """Pad; what is negative is cut off."""
    pads = _ints(c.get("pads", c.get("paddings")) if pads is None else pads)
    half = len(pads) // 2
    places = [*range(x.ndim)] if axes is None else [a % x.ndim for a in _ints(axes)]
    widths = [(0, 0)] * x.ndim
    for a, low, high in zip(places, pads[:half], pads[half:], strict=True):
        widths[a] = (low, high)
    mode = c.get("mode", "constant")
    cut = [slice(-min(low, 0), n + min(high, 0)) for n, (low, high) in zip(x.shape, widths, strict=True)]
    if any(min(pair) < 0 for pair in widths):
        x = x[tuple(cut)]
    widths = [(max(low, 0), max(high, 0)) for low, high in widths]
    if mode != "constant":
        return lw.pad(x, widths, mode)
    value = c.get("value", 0) if value is None else value
    if not isinstance(value, (int, float)):
        mask = lw.pad(lw.ones_like(x, dtype=lw.bool), widths)
        return lw.where(mask, lw.pad(x, widths), lw.reshape(value, ()))
    return lw.pad(x, widths, constant_values=value)


@reads("Trilu", host=(1,))
def _trilu(c: Call, x: Any, k: Any = None) -> Any:
    by = 0 if k is None else int(np.asarray(k).reshape(()))
    return (lw.triu if c.get("upper", 1) else lw.tril)(x, k=by)


@reads("DepthToSpace")
def _depth_to_space(c: Call, x: Any) -> Any:
    n, channels, height, width = x.shape
    b = c.get("blocksize")
    if c.get("mode", "DCR") == "DCR":
        parts = lw.permute_dims(lw.reshape(x, (n, b, b, channels // b**2, height, width)), (0, 3, 4, 1, 5, 2))
    else:
        parts = lw.permute_dims(lw.reshape(x, (n, channels // b**2, b, b, height, width)), (0, 1, 4, 2, 5, 3))
    return lw.reshape(parts, (n, channels // b**2, height * b, width * b))


@reads("SpaceToDepth")
def _space_to_depth(c: Call, x: Any) -> Any:
    n, channels, height, width = x.shape
    b = c.get("blocksize")
    parts = lw.reshape(x, (n, channels, height // b, b, width // b, b))
    order = (0, 3, 5, 1, 2, 4) if c.get("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    return lw.reshape(lw.permute_dims(parts, order), (n, channels * b * b, height // b, width // b))


@reads("CenterCropPad", host=(1,))
def _center_crop_pad(c: Call, x: Any, shape: Any) -> Any:
    wanted = _ints(shape)
    for axis, n in zip([a % x.ndim for a in c.get("axes", range(x.ndim))], wanted, strict=True):
        extent = x.shape[axis]
        if n < extent:
            start = (extent - n) // 2
            x = _part(x, axis, start, start + n)
        elif n > extent:
            widths = [(0, 0)] * x.ndim
            widths[axis] = ((n - extent) // 2, n - extent - (n - extent) // 2)
            x = lw.pad(x, widths)
    return x
