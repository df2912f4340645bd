"""Changes of shape and arrangement in models of ONNX."""

from __future__ import annotations

import math
from typing import Any

from ..nodes import Node, Value
from .onnx_writer import WRITERS, Writer

__all__ = ["axes_of"]


def axes_of(axis: Any, ndim: int) -> list[int]:
    """Return the axes as non-negative numbers, all for None."""
    if axis is None:
        return [*range(ndim)]
    return [a % ndim if ndim else a for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def _reshaped(w: Writer, node: Node, *_: Any, **__: Any) -> str:
    """Write a call that gives an array another shape, with its elements in the same order."""
    return w.op("Reshape", w.of(node.operands[0]), w.ints(*node.results[0].shape), allowzero=1)


def _broadcast_to(w: Writer, node: Node, x: Any, shape: Any) -> str:
    return w.op("Expand", w.of(x), w.ints(*node.results[0].shape))


def _permute(w: Writer, node: Node, x: Any, axes: Any) -> str:
    return w.op("Transpose", w.of(x), perm=axes_of(axes, len(x.shape)))


def _matrix_transpose(w: Writer, node: Node, x: Any) -> str:
    n = len(x.shape)
    return w.op("Transpose", w.of(x), perm=[*range(n - 2), n - 1, n - 2])


def _moveaxis(w: Writer, node: Node, x: Any, source: Any, destination: Any) -> str:
    n = len(x.shape)
    moved = dict(zip(axes_of(destination, n), axes_of(source, n), strict=True))
    rest = iter([i for i in range(n) if i not in moved.values()])
    return w.op("Transpose", w.of(x), perm=[moved[i] if i in moved else next(rest) for i in range(n)])


def _concat(w: Writer, node: Node, arrays: Any, axis: Any = 0) -> str:
    dtype = w.dtype(node)
    names = [w.operand(x, dtype) for x in arrays]
    if axis is None:
        return w.op("Concat", *[w.op("Reshape", name, w.ints(-1)) for name in names], axis=0)
    return w.op("Concat", *names, axis=axis)


def _stack(w: Writer, node: Node, arrays: Any, axis: int = 0) -> str:
    dtype = w.dtype(node)
    (place,) = axes_of(axis, len(node.results[0].shape))
    return w.op("Concat", *[w.op("Unsqueeze", w.operand(x, dtype), w.ints(place)) for x in arrays], axis=place)


def _flip(w: Writer, node: Node, x: Any, axis: Any = None) -> str:
    axes = axes_of(axis, len(x.shape))
    n = len(axes)
    return w.op("Slice", w.of(x), w.ints(*[-1] * n), w.ints(*[-(1 << 62)] * n), w.ints(*axes), w.ints(*[-1] * n))


def _roll(w: Writer, node: Node, x: Any, shift: Any, axis: Any = None) -> Any:
    """Write parts of the array in another order; None for the axis is that of all elements."""
    if axis is None:
        flat = _rolled(w, w.op("Reshape", w.of(x), w.ints(-1)), shift, 0, math.prod(x.shape))
        return w.op("Reshape", flat, w.ints(*x.shape), allowzero=1)
    name = w.of(x)
    shifts, axes = (v if isinstance(v, (tuple, list)) else (v,) for v in (shift, axis))
    for by, a in zip(shifts, axes, strict=True):
        name = _rolled(w, name, by, a, x.shape[a])
    return name


def _rolled(w: Writer, name: str, by: int, axis: int, extent: int) -> str:
    whole = 1 << 62
    if w.open_extents:
        count = w.op("Slice", w.op("Shape", name), w.ints(axis), w.ints(axis + 1 or whole))
        at = w.op("Sub", count, w.op("Mod", w.ints(by), count))
    elif extent and by % extent:
        at = w.ints(extent - by % extent)
    else:
        return name
    behind = w.op("Slice", name, at, w.ints(whole), w.ints(axis))
    before = w.op("Slice", name, w.ints(0), at, w.ints(axis))
    return w.op("Concat", behind, before, axis=axis)


def _pad(w: Writer, node: Node, x: Value, pad_width: Any, value: Any = 0, **kw: Any) -> Any:
    """Write padding with a number, of a width for all axes or of pairs."""
    if kw or isinstance(value, str) or not isinstance(pad_width, int):
        return NotImplemented
    n, dtype = len(x.shape), w.dtype(node)
    return w.op("Pad", w.operand(x, dtype), w.ints(*(pad_width,) * (2 * n)), w.operand(value, dtype))


def _tile(w: Writer, node: Node, x: Value, repetitions: Any) -> Any:
    n = len(x.shape)
    counts = (*repetitions,) if isinstance(repetitions, (tuple, list)) else (repetitions,)
    counts = (1,) * (n - len(counts)) + counts
    name = w.of(x) if len(counts) == n else w.op("Unsqueeze", w.of(x), w.ints(*range(len(counts) - n)))
    return w.op("Tile", name, w.ints(*counts))


def _repeat(w: Writer, node: Node, x: Value, repeats: Any, *, axis: Any = None) -> Any:
    n = len(x.shape)
    if axis is None or (isinstance(repeats, Value) and repeats.shape) or not x.shape[axis]:
        return NotImplemented
    times = node.results[0].shape[axis] // x.shape[axis]
    (place,) = axes_of(axis, n)
    name = w.op("Unsqueeze", w.of(x), w.ints(place + 1))
    counts = w.ints(*[times if a == place + 1 else 1 for a in range(n + 1)])
    return w.op("Reshape", w.op("Tile", name, counts), w.ints(*node.results[0].shape), allowzero=1)


def _triangle(w: Writer, node: Node, x: Value, *, k: int = 0) -> str:
    import numpy as np

    return w.op("Trilu", w.of(x), w.initializer(np.asarray(k, dtype=np.int64)), upper=int(node.name == "triu"))


def _unstack(w: Writer, node: Node, x: Value, *, axis: int = 0) -> list[str]:
    import numpy as np

    (place,) = axes_of(axis, len(x.shape))
    every = [w.initializer(np.asarray(i, dtype=np.int64)) for i in range(x.shape[place])]
    return [w.op("Gather", w.of(x), i, axis=place) for i in every]


def _diagonal(w: Writer, node: Node, x: Value, *, offset: int = 0) -> str:
    """Write the diagonals of matrices: elements of the rows one after the other."""
    import numpy as np

    rows, columns = x.shape[-2:]
    places = np.diagonal(np.arange(rows * columns, dtype=np.int64).reshape(rows, columns), offset)
    flat = w.op("Reshape", w.of(x), w.ints(*x.shape[:-2], rows * columns), allowzero=1)
    return w.op("Gather", flat, w.initializer(places), axis=-1)


WRITERS.update({
    "reshape": _reshaped, "expand_dims": _reshaped, "squeeze": _reshaped, "broadcast_to": _broadcast_to,
    "permute_dims": _permute, "matrix_transpose": _matrix_transpose, "moveaxis": _moveaxis, "concat": _concat,
    "stack": _stack, "flip": _flip, "roll": _roll, "pad": _pad, "tile": _tile, "repeat": _repeat, "triu": _triangle,
    "tril": _triangle, "unstack": _unstack, "linalg.diagonal": _diagonal,
})  # fmt: skip
