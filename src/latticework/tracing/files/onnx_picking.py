"""Keys, positions and orders in models of ONNX: what is picked from an array, and what is scattered into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtypes import Dtype, bool_, int32, int64
from ..nodes import Node, Value, values_in
from .onnx_elementwise import common
from .onnx_writer import WRITERS, Writer

__all__: list[str] = []


def _index(w: Writer, node: Node, x: Any, key: Any) -> str:
    """Write ``x[key]``."""
    found = _selected(w, x, key, w.of(x))
    if any(k is None for k in _parts(key)):
        return w.op("Reshape", found, w.ints(*node.results[0].shape), allowzero=1)
    return found


def _parts(key: Any) -> list[Any]:
    return [*key] if type(key) is tuple else [key]


def _picked(w: Writer, x: Value, key: Any) -> tuple[list[Any], list[int]]:
    """List the parts of a key without an ellipsis, and the axis of each; that of None is the one before which it is."""
    parts = _parts(key)
    for k in parts:
        if isinstance(k, Value):
            known = k.dtype.kind in "iu"
        else:
            known = type(k) in (int, type(None), type(Ellipsis)) or (type(k) is slice and not values_in(k))
        if not known:
            w.refuse("by masks, or by slices whose bounds are arrays, is not written to ONNX")
    beyond = len(x.shape) - sum(k is not None and k is not Ellipsis for k in parts)
    parts = [k for part in parts for k in ([slice(None)] * beyond if part is Ellipsis else [part])]
    axes, axis = [], 0
    for k in parts:
        axes.append(axis)
        axis += k is not None
    return parts, axes


def _selected(w: Writer, x: Value, key: Any, name: str) -> str:
    """Write what a key of ints, slices, an ellipsis and arrays of ints selects. None in the key adds no axis."""
    parts, axes = _picked(w, x, key)
    places = [*zip(parts, axes, strict=True)]
    slices = [(a, _bounds(k)) for k, a in places if type(k) is slice and k not in (slice(None), slice(None, None, 1))]
    if slices:
        starts, stops, steps = zip(*[bounds for _, bounds in slices], strict=True)
        name = w.op("Slice", name, *[w.ints(*part) for part in (starts, stops, [a for a, _ in slices], steps)])
    arrays = [k for k in parts if isinstance(k, Value)]
    at = [i for i, k in enumerate(parts) if isinstance(k, (int, Value))]
    if len(at) == 1 or not arrays:
        for i in reversed(at):
            name = w.op("Gather", name, w.operand(parts[i], int64), axis=axes[i])
        return name
    first = [axes[i] for i in at]
    rest = [a for a in range(len(x.shape)) if a not in first]
    together = at == [*range(at[0], at[0] + len(at))]
    return _moved(w, _gathered(w, name, [parts[i] for i in at], first, rest), arrays, first[0] if together else 0, rest)


def _bounds(k: slice) -> tuple[int, int, int]:
    """Return the start, the stop and the step of a slice as Slice has them: beyond both ends for None."""
    step, far = (1 if k.step is None else k.step), 1 << 62
    start = (0 if step > 0 else far) if k.start is None else k.start
    stop = (far if step > 0 else -far) if k.stop is None else k.stop
    return start, stop, step


def _gathered(w: Writer, name: str, indices: Sequence[Any], axes: list[int], rest: list[int]) -> str:
    """Write what positions along several axes select together: an array with the axes of the positions in front."""
    shape = _broadcast([k.shape if isinstance(k, Value) else () for k in indices])
    every = [w.op("Expand", w.operand(k, int64), w.ints(*shape)) for k in indices]
    if axes != [*range(len(axes))]:
        name = w.op("Transpose", name, perm=[*axes, *rest])
    return w.op("GatherND", name, w.op("Concat", *[w.op("Unsqueeze", k, w.ints(-1)) for k in every], axis=-1))


def _moved(w: Writer, name: str, arrays: Sequence[Value], before: int, rest: list[int]) -> str:
    """Move the axes of positions from the front behind as many of the others."""
    n = len(_broadcast([k.shape for k in arrays]))
    behind = sum(a < before for a in rest)
    if not behind or not n:
        return name
    others = range(n, n + len(rest))
    return w.op("Transpose", name, perm=[*others[:behind], *range(n), *others[behind:]])


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    import numpy as np

    return tuple(np.broadcast_shapes(*shapes))


def _positions(w: Writer, x: Any, key: Any, positions: str) -> str:
    """Write which of the numbered elements of an array a key selects, in the shape of the selection."""
    if any(k is None for k in _parts(key)):
        w.refuse("by None in a write is not written to ONNX")
    return _selected(w, x, key, positions)


def _take(w: Writer, node: Node, x: Any, indices: Any, axis: Any = None) -> str:
    name = w.of(x) if axis is not None else w.op("Reshape", w.of(x), w.ints(-1))
    return w.op("Gather", name, w.operand(indices, int64), axis=axis or 0)


def _take_along_axis(w: Writer, node: Node, x: Any, indices: Any, axis: int = -1) -> str:
    return w.op("GatherElements", w.of(x), w.operand(indices, int64), axis=axis)


def _top_k(w: Writer, node: Node, x: Value, k: int, *, axis: int = -1, largest: bool = True, **_: Any) -> Any:
    places = node.results[1]
    found, at = _first(w, x, k, axis, largest)
    return [_back(w, found, x), at if places.dtype is int64 else w.op("Cast", at, to=w.code(places.dtype))]


def _first(w: Writer, x: Value, k: int, axis: int, largest: bool) -> tuple[str, ...]:
    """Write the k first elements of the sorted ones, and their places. Of equal ones the first counts."""
    name = w.operand(x, int32 if x.dtype is bool_ else x.dtype)
    return w.several("TopK", 2, name, w.ints(k), axis=axis, largest=int(largest), sorted=1)


def _back(w: Writer, name: str, x: Value) -> str:
    return w.op("Cast", name, to=w.code(bool_)) if x.dtype is bool_ else name


def _sort(w: Writer, node: Node, x: Value, *, axis: int = -1, descending: bool = False, stable: bool = True) -> str:
    found, at = _first(w, x, x.shape[axis], axis, descending)
    if node.name == "sort":
        return _back(w, found, x)
    return at if w.dtype(node) is int64 else w.op("Cast", at, to=w.code(w.dtype(node)))


# --- searching and scattering ----------------------------------------------------------------------------------------


def _counted(w: Writer, found: str, dtype: Dtype) -> str:
    """Write how many elements along the last axis are true."""
    return w.op("ReduceSum", w.op("Cast", found, to=w.code(dtype)), w.ints(-1), keepdims=0)


def _searchsorted(w: Writer, node: Node, x1: Value, x2: Any, *, side: str = "left") -> str:
    """Write positions as the numbers of elements before: all elements are compared. nan is the greatest."""
    dtype = common(w, node)
    ordered, sought = w.operand(x1, dtype), w.op("Unsqueeze", w.operand(x2, dtype), w.ints(-1))
    if len(x1.shape) > 1:
        ordered = w.op("Unsqueeze", ordered, w.ints(-2))
    before = w.op("Less" if side == "left" else "LessOrEqual", ordered, sought)
    if dtype.kind == "f":
        last = w.op("IsNaN", sought)
        last = w.op("And", last, w.op("Not", w.op("IsNaN", ordered))) if side == "left" else last
        before = w.op("Or", before, last)
    return _counted(w, before, w.dtype(node))


def _isin(w: Writer, node: Node, x1: Any, x2: Any, *, invert: bool = False) -> str:
    dtype = common(w, node)
    among = w.op("Reshape", w.operand(x2, dtype), w.ints(-1))
    found = w.op("Equal", w.op("Unsqueeze", w.operand(x1, dtype), w.ints(-1)), among)
    count, zero = _counted(w, found, int64), w.operand(0, int64)
    return w.op("Equal" if invert else "Greater", count, zero)


_SCATTERED = {"replace": "none", "sum": "add", "multiply": "mul", "min": "min", "max": "max"}


def _scatter(w: Writer, node: Node, x: Value, positions: Value, updates: Value, *, reduction: str) -> str:
    """Write rows that are brought together with those of an array."""
    dtype = w.dtype(node)
    at = w.op("Unsqueeze", w.operand(positions, int64), w.ints(-1))
    return w.op(
        "ScatterND", w.operand(x, dtype), at, w.operand(updates, dtype), reduction=_SCATTERED[reduction]
    )  # fmt: skip


def _bincount(
    w: Writer, node: Node, x: Value, weights: Any = 1, *, minlength: int = 0, length: int | None = None
) -> str:
    """Write counts by ScatterElements. What is beyond the length is counted in one element more."""
    if length is None:
        w.refuse("has as many elements as its values say, which a model cannot; give length=")
    dtype, n = w.dtype(node), w.operand(length, int64)
    at, zero = w.operand(x, int64), w.operand(0, int64)
    outside = w.op("Or", w.op("Less", at, zero), w.op("GreaterOrEqual", at, n))
    at = w.op("Where", outside, n, at)
    values = w.op("Expand", w.operand(weights, dtype), w.op("Shape", at))
    start = w.op("Expand", w.operand(0, dtype), w.ints(length + 1))
    found = w.op("ScatterElements", start, at, values, axis=0, reduction="add")
    return w.op("Slice", found, w.ints(0), w.ints(length))


WRITERS.update({
    "index": _index, "_positions": _positions, "take": _take, "take_along_axis": _take_along_axis,
    "top_k": _top_k, "sort": _sort, "argsort": _sort, "searchsorted": _searchsorted, "isin": _isin,
    "_scatter": _scatter, "_bincount": _bincount, "_weighted_bincount": _bincount,
})  # fmt: skip
