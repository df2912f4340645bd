"""Reductions and products in models of ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtypes import bool_, int32, int64
from ..nodes import Node, Value
from .onnx_shapes import axes_of
from .onnx_writer import WRITERS, Writer

__all__: list[str] = []

_REDUCTIONS = {"sum": "ReduceSum", "prod": "ReduceProd", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin"}


def _reduced(w: Writer, x: str, operator: str, axes: Sequence[int], keepdims: bool) -> str:
    """Reduce along axes; along no axes, return the array itself."""
    return w.op(operator, x, w.ints(*axes), keepdims=int(keepdims), noop_with_empty_axes=1)


def _greatest_along(w: Writer, node: Node, x: Any, axis: int) -> str:
    return _reduced(w, w.operand(x, w.dtype(node)), "ReduceMax", (axis,), False)


def _reduce(
    w: Writer, node: Node, x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None, keepdim: bool = False
) -> str:
    """Write a reduction, with the names of options of all frameworks."""
    result = w.dtype(node)
    if result.kind == "b":
        w.refuse("of bools has no operator in ONNX")
    return _reduced(w, w.operand(x, result), _REDUCTIONS[node.name], axes_of(axis, len(x.shape)), keepdims or keepdim)


def _truth(w: Writer, node: Node, x: Any, axis: Any = None, keepdims: bool = False) -> str:
    """Write `all` and `any`: the least and the largest of zeros and ones."""
    numbers = w.op("Cast", w.operand(x, bool_), to=w.code(int32))
    operator = "ReduceMin" if node.name == "all" else "ReduceMax"
    found = _reduced(w, numbers, operator, axes_of(axis, len(x.shape)), keepdims)
    return w.op("Cast", found, to=w.code(bool_))


def _spread(
    w: Writer, node: Node, x: Any, axis: Any = None, correction: float = 0, keepdims: bool = False,
    keepdim: bool = False,
) -> str:  # fmt: skip
    """Write `var` and `std`: the mean of the squared differences from the mean, with the correction."""
    dtype, axes = w.dtype(node), axes_of(axis, len(x.shape))
    n = 1
    for a in axes:
        n *= x.shape[a]
    name = w.operand(x, dtype)
    left = w.op("Sub", name, _reduced(w, name, "ReduceMean", axes, keepdims=True))
    total = _reduced(w, w.op("Mul", left, left), "ReduceSum", axes, keepdims or keepdim)
    found = w.op("Div", total, w.operand(float(n) - correction, dtype))
    return w.op("Sqrt", found) if node.name == "std" else found


def _position(w: Writer, node: Node, x: Any, axis: Any = None, keepdims: bool = False) -> str:
    """Write `argmax` and `argmin`."""
    name, flat = w.of(x), axis is None
    if flat:
        name, axis = w.op("Reshape", name, w.ints(-1)), 0
    kept = keepdims and not flat
    found = w.op("ArgMax" if node.name == "argmax" else "ArgMin", name, axis=axis, keepdims=int(kept))
    if keepdims and flat:
        found = w.op("Reshape", found, w.ints(*(1,) * len(x.shape)))
    return found if w.dtype(node) is int64 else w.op("Cast", found, to=w.code(w.dtype(node)))


def _count(w: Writer, node: Node, x: Any, axis: Any = None, keepdims: bool = False) -> str:
    """Write `count_nonzero`: the sum of ones."""
    dtype = w.dtype(node)
    found = w.op("Cast", w.operand(x, bool_), to=w.code(dtype))
    return _reduced(w, found, "ReduceSum", axes_of(axis, len(x.shape)), keepdims)


def _cumulative(
    w: Writer, node: Node, x: Any, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> str:
    """Write a sum by CumSum, and a product by Scan, which has its elements one after the other."""
    import numpy as np

    result, (place,) = w.dtype(node), axes_of(0 if axis is None else axis, len(x.shape))
    name, product = w.operand(x, result), node.name == "cumulative_prod"
    rest = x.shape[:place] + x.shape[place + 1 :]
    if product:
        start = w.op("Expand", w.operand(1, result), w.ints(*rest))
        code = w.code(result)
        carried, element = w.fresh(code), w.fresh(code)

        def write() -> list[tuple[str, int]]:
            found = w.op("Mul", carried[0], element[0])
            return [(found, code), (found, code)]

        body = w.subgraph([carried, element], write)
        _, found = w.several(
            "Scan", 2, start, name, body=body, num_scan_inputs=1, scan_input_axes=[place], scan_output_axes=[place]
        )
    else:
        found = w.op("CumSum", name, w.initializer(np.asarray(place, dtype=np.int64)))
    if not include_initial:
        return found
    first = w.op("Expand", w.operand(int(product), result), w.ints(*x.shape[:place], 1, *x.shape[place + 1 :]))
    return w.op("Concat", first, found, axis=place)


def _softmax(w: Writer, node: Node, x: Any, axis: int = -1, **kw: Any) -> Any:
    if kw:
        return NotImplemented
    operator = "Softmax" if node.name == "nn.softmax" else "LogSoftmax"
    return w.op(operator, w.operand(x, w.dtype(node)), axis=axis)


def _vecdot(w: Writer, node: Node, x: Any, y: Any, axis: int = -1) -> str:
    dtype = w.dtype(node)
    return _reduced(w, w.op("Mul", w.operand(x, dtype), w.operand(y, dtype)), "ReduceSum", (axis,), False)


def _einsum(w: Writer, node: Node, operands: Any, *, subscripts: str) -> str:
    dtype = w.dtype(node)
    return w.op("Einsum", *[w.operand(x, dtype) for x in operands], equation=subscripts)


def _outer(w: Writer, node: Node, x: Value, y: Value) -> str:
    dtype = w.dtype(node)
    a, b = (w.op("Reshape", w.operand(v, dtype), w.ints(*e)) for v, e in ((x, (-1, 1)), (y, (1, -1))))
    return w.op("Mul", a, b)


def _det(w: Writer, node: Node, x: Value) -> str:
    return w.op("Det", w.operand(x, w.dtype(node)))


WRITERS.update({
    **dict.fromkeys(_REDUCTIONS, _reduce), "nn._first_greatest": _greatest_along, "all": _truth, "any": _truth,
    "var": _spread, "std": _spread, "argmax": _position, "argmin": _position, "count_nonzero": _count,
    "cumulative_sum": _cumulative, "cumulative_prod": _cumulative, "nn.softmax": _softmax, "nn.log_softmax": _softmax,
    "vecdot": _vecdot, "_einsum": _einsum, "outer": _outer, "linalg.det": _det,
})  # fmt: skip
