"""The calls that ONNX has operators for, and how each is written: elementwise functions, shapes and reductions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...backend import get
from ...core.dtypes import Dtype, bool_, float32, int32, int64
from ..nodes import Node, Value, values_in
from .onnx_writer import WRITERS, Writer

__all__ = ["axes_of"]

#: Functions of one array -> the operator.
_UNARY = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "exp": "Exp", "floor": "Floor", "isinf": "IsInf", "isnan": "IsNaN",
    "log": "Log", "logical_not": "Not", "negative": "Neg", "nn.relu": "Relu", "nn.sigmoid": "Sigmoid",
    "nn.softplus": "Softplus", "positive": "Identity", "copy": "Identity", "reciprocal": "Reciprocal",
    "round": "Round", "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "special.erf": "Erf", "nn._erf": "Erf",
    "special.expit": "Sigmoid", "sqrt": "Sqrt",
    "tan": "Tan", "tanh": "Tanh", "nn.mish": "Mish",
    "bitwise_invert": "BitwiseNot",
}  # fmt: skip
#: Functions of two arrays of the dtype of the result -> the operator.
_BINARY = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div", "pow": "Pow", "logical_and": "And",
    "logical_or": "Or", "logical_xor": "Xor", "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor", "matmul": "MatMul",
}  # fmt: skip
#: Comparisons -> the operator, and whether its result is negated.
_COMPARISONS = {
    "equal": ("Equal", False), "not_equal": ("Equal", True), "less": ("Less", False),
    "less_equal": ("LessOrEqual", False), "greater": ("Greater", False), "greater_equal": ("GreaterOrEqual", False),
}  # fmt: skip
#: Functions of numbers -> the functions that they are for bools.
_OF_BOOLS = {
    "add": "logical_or", "multiply": "logical_and", "bitwise_and": "logical_and", "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor", "bitwise_invert": "logical_not",
}  # fmt: skip
_REDUCTIONS = {"sum": "ReduceSum", "prod": "ReduceProd", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin"}


def _elementwise(w: Writer, node: Node, *args: Any, **kw: Any) -> Any:
    """Write a function of one or two arrays."""
    name, dtype = node.name, w.dtype(node)
    if kw:
        return NotImplemented
    if name in _UNARY:
        (x,) = args
        name = _OF_BOOLS.get(name, name) if dtype.kind == "b" else name
        return w.op(_UNARY[name], w.operand(x, x.dtype if name in ("isinf", "isnan") else dtype))
    first, second = args[::-1] if name.startswith("reflected ") else args
    name = name.removeprefix("reflected ")
    if name in _COMPARISONS:
        operator, negated = _COMPARISONS[name]
        common = _common(w, node)
        found = w.op(operator, w.operand(first, common), w.operand(second, common))
        return w.op("Not", found) if negated else found
    name = _OF_BOOLS.get(name, name) if dtype.kind == "b" else name
    if name == "divide" and dtype.kind != "f":
        w.refuse(f"of {dtype} has no operator in ONNX")
    return w.op(_BINARY[name], w.operand(first, dtype), w.operand(second, dtype))


_ELEMENTWISE = frozenset((*_UNARY, *_BINARY, *_COMPARISONS)) | {
    f"reflected {name}" for name in (*_BINARY, *_COMPARISONS)
}


def _common(w: Writer, node: Node) -> Dtype:
    """Return the dtype in which a comparison is computed."""
    found = {v.dtype for v in node.operands}
    plan = node.operation.plan if node.operation is not None else None
    if len(found) == 1:
        return found.pop()
    if plan is None or plan.op != node.name:
        w.refuse("compares arrays of several dtypes")
    return plan.computed


def _largest(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write the larger or the smaller of two, nan where either is: ONNX does not specify its operator for nan."""
    dtype = w.dtype(node)
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    chosen = w.op("Where", w.op("Greater" if node.name == "maximum" else "Less", a, b), a, b)
    return w.op("Where", w.op("IsNaN", a), a, chosen) if dtype.kind == "f" else chosen


def _square(w: Writer, node: Node, x: Any) -> str:
    name = w.operand(x, w.dtype(node))
    return w.op("Mul", name, name)


def _silu(w: Writer, node: Node, x: Any) -> str:
    name = w.operand(x, w.dtype(node))
    return w.op("Mul", name, w.op("Sigmoid", name))


def _isfinite(w: Writer, node: Node, x: Any) -> str:
    if x.dtype.kind != "f":
        w.refuse(f"of {x.dtype} has no operator in ONNX")
    return w.op("Not", w.op("Or", w.op("IsNaN", w.of(x)), w.op("IsInf", w.of(x))))


def _floor_divide(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write floor division of ints: subtract the remainder, and divide exactly. The operator divides towards zero."""
    dtype = w.dtype(node)
    if dtype.kind not in "iu":
        w.refuse(f"of {dtype} has no operator in ONNX")
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    return w.op("Div", w.op("Sub", a, w.op("Mod", a, b)), b)


def _remainder(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write the remainder with the sign of the divisor. For floats, the operator's has the sign of the dividend."""
    dtype = w.dtype(node)
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    if dtype.kind in "iu":
        return w.op("Mod", a, b)
    zero = w.operand(0, dtype)
    left = w.op("Mod", a, b, fmod=1)
    other = w.op("Xor", w.op("Less", left, zero), w.op("Less", b, zero))
    crosses = w.op("And", other, w.op("Not", w.op("Equal", left, zero)))
    return w.op("Where", crosses, w.op("Add", left, b), left)


def _where(w: Writer, node: Node, condition: Any, x: Any, y: Any) -> str:
    dtype = w.dtype(node)
    return w.op("Where", w.operand(condition, bool_), w.operand(x, dtype), w.operand(y, dtype))


def _clip(w: Writer, node: Node, x: Any, low: Any, high: Any) -> str:
    """Write `clip` between two arrays or numbers; nan where x is nan."""
    dtype = w.dtype(node)
    name = w.operand(x, dtype)
    for bound, operator in ((low, "Less"), (high, "Greater")):
        if bound is not None:
            limit = w.operand(bound, dtype)
            name = w.op("Where", w.op(operator, name, limit), limit, name)
    return name


def _cast(w: Writer, node: Node, x: Any, *_: Any, **__: Any) -> str:
    """Write a cast. From floats to ints, nan is 0 and what is out of range the nearest int; ONNX does not say so."""
    dtype = w.dtype(node)
    if x.dtype.kind != "f" or dtype.kind not in "iu" or node.name != "cast":
        return w.op("Cast", w.of(x), to=w.code(dtype))
    import numpy as np

    bits = 8 * dtype.itemsize - (dtype.kind == "i")
    low, high = (-(1 << bits) if dtype.kind == "i" else 0), (1 << bits) - 1
    name, wide = w.of(x), x.dtype
    if wide.itemsize < 4:
        wide = float32
        name = w.op("Cast", name, to=w.code(wide))
    zero = w.operand(0.0, wide)
    above = w.op("GreaterOrEqual", name, w.operand(float(high + 1), wide))
    below = w.op("LessOrEqual", name, w.operand(float(low) - (dtype.kind == "u"), wide))
    outside = w.op("Or", w.op("Or", above, below), w.op("IsNaN", name))
    found = w.op("Cast", w.op("Where", outside, zero, name), to=w.code(dtype))
    kind = get("numpy").native_dtypes[dtype]
    limits = [w.constant(np.asarray(n, dtype=kind)) for n in (high, low)]
    return w.op("Where", above, limits[0], w.op("Where", below, limits[1], found))


# --- shapes ----------------------------------------------------------------------------------------------------------


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
    if axis is None:
        w.refuse("of flattened arrays is not written to ONNX")
    dtype = w.dtype(node)
    return w.op("Concat", *[w.operand(x, dtype) for x in arrays], axis=axis)


def _stack(w: Writer, node: Node, arrays: Any, axis: int = 0) -> str:
    dtype = w.dtype(node)
    (place,) = axes_of(axis, len(node.results[0].shape))
    return w.op("Concat", *[w.op("Unsqueeze", w.operand(x, dtype), w.ints(place)) for x in arrays], axis=place)


def _flip(w: Writer, node: Node, x: Any, axis: Any = None) -> str:
    axes = axes_of(axis, len(x.shape))
    n = len(axes)
    return w.op("Slice", w.of(x), w.ints(*[-1] * n), w.ints(*[-(1 << 62)] * n), w.ints(*axes), w.ints(*[-1] * n))


def _index(w: Writer, node: Node, x: Any, key: Any) -> str:
    """Write ``x[key]``."""
    found = _selected(w, x, key, w.of(x))
    return w.op("Reshape", found, w.ints(*node.results[0].shape), allowzero=1)


def _selected(w: Writer, x: Value, key: Any, name: str) -> str:
    """Write a key of ints, slices, None, an ellipsis and arrays of ints: the elements in order, with extents of 1."""
    if isinstance(key, Value) and key.dtype.kind in "iu":
        return w.op("Gather", name, w.operand(key, int64), axis=0)
    parts = [*(key if type(key) is tuple else (key,))]
    arrays = [k for k in parts if isinstance(k, Value) and k.dtype.kind in "iu"]
    plain = (int, slice, type(None), type(Ellipsis))
    if not all(k in arrays or type(k) in plain for k in parts if not isinstance(k, Value)) or any(
        (isinstance(k, Value) and k.dtype.kind not in "iu") or (isinstance(k, slice) and values_in(k)) for k in parts
    ):
        w.refuse("by masks, or by slices whose bounds are arrays, is not written to ONNX")
    named = sum(k is not None and k is not Ellipsis for k in parts)
    axis, sliced, gathered = 0, [], []
    for k in parts:
        if k is Ellipsis:
            axis += len(x.shape) - named
        elif isinstance(k, Value):
            gathered.append((axis, k))
            axis += 1
        elif k is not None:
            extent = x.shape[axis]
            bounds = slice(k % extent, k % extent + 1) if type(k) is int else k
            start, stop, step = bounds.indices(extent)
            sliced.append((axis, start, stop if stop >= 0 else -(1 << 62), step))
            axis += 1
    if sliced:
        axes, starts, stops, steps = zip(*sliced, strict=True)
        name = w.op("Slice", name, *[w.ints(*part) for part in (starts, stops, axes, steps)])
    if len(gathered) == 1 and not any(type(k) is int for k in parts):
        ((place, k),) = gathered
        return w.op("Gather", name, w.operand(k, int64), axis=place)
    if gathered:
        if [a for a, _ in gathered] != [*range(len(gathered))] or len(parts) != len(gathered):
            w.refuse("by several arrays beside other keys is not written to ONNX")
        shape = _broadcast([k.shape for k in arrays])
        every = [w.op("Expand", w.operand(k, int64), w.ints(*shape)) for k in arrays]
        return w.op("GatherND", name, w.op("Concat", *[w.op("Unsqueeze", k, w.ints(-1)) for k in every], axis=-1))
    return name


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    import numpy as np

    return tuple(np.broadcast_shapes(*shapes))


def _positions(w: Writer, x: Any, key: Any, positions: str) -> str:
    """Write which of the numbered elements of an array a key selects, in the shape of the selection."""
    found = _selected(w, x, key, positions)
    parts = [*(key if type(key) is tuple else (key,))]
    if any(isinstance(k, Value) for k in parts):
        return found
    axis, gone = 0, []
    named = sum(k is not None and k is not Ellipsis for k in parts)
    for k in parts:
        if k is Ellipsis:
            axis += len(x.shape) - named
        elif k is None:
            w.refuse("by None in a write is not written to ONNX")
        else:
            gone += [axis] if type(k) is int else []
            axis += 1
    return w.op("Squeeze", found, w.ints(*gone)) if gone else found


def _take(w: Writer, node: Node, x: Any, indices: Any, axis: Any = None) -> str:
    if axis is None:
        w.refuse("of a flattened array is not written to ONNX")
    return w.op("Gather", w.of(x), w.operand(indices, int64), axis=axis)


def _take_along_axis(w: Writer, node: Node, x: Any, indices: Any, axis: int = -1) -> str:
    return w.op("GatherElements", w.of(x), w.operand(indices, int64), axis=axis)


# --- reductions ------------------------------------------------------------------------------------------------------


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
    name = w.of(x)
    if axis is None:
        name, axis = w.op("Reshape", name, w.ints(-1)), 0
        if keepdims:
            w.refuse("of a flattened array with keepdims is not written to ONNX")
    found = w.op("ArgMax" if node.name == "argmax" else "ArgMin", name, axis=axis, keepdims=int(keepdims))
    return found if w.dtype(node) is int64 else w.op("Cast", found, to=w.code(w.dtype(node)))


def _cumulative_sum(w: Writer, node: Node, x: Any, axis: Any = None, dtype: Any = None, **kw: Any) -> str:
    import numpy as np

    if any(kw.values()):
        w.refuse(f"has options that ONNX has no operator for: {', '.join(kw)}")
    place = 0 if axis is None else axis
    return w.op("CumSum", w.operand(x, w.dtype(node)), w.constant(np.asarray(place, dtype=np.int64)))


def _softmax(w: Writer, node: Node, x: Any, axis: int = -1, **kw: Any) -> Any:
    if kw:
        return NotImplemented
    operator = "Softmax" if node.name == "nn.softmax" else "LogSoftmax"
    return w.op(operator, w.operand(x, w.dtype(node)), axis=axis)


def _expm1(w: Writer, node: Node, x: Any) -> str:
    """Write ``exp(x) - 1`` without loss near 0: ``2 * exp(x / 2) * sinh(x / 2)``."""
    dtype = w.dtype(node)
    name, least = w.operand(x, dtype), w.operand(-100.0, dtype)
    half = w.op("Mul", w.op("Where", w.op("Less", name, least), least, name), w.operand(0.5, dtype))
    exp = w.op("Exp", half)
    return w.op("Mul", w.op("Add", exp, exp), w.op("Sinh", half))


def _log_of_base(w: Writer, node: Node, x: Any) -> str:
    dtype = w.dtype(node)
    base = 2.0 if node.name == "log2" else 10.0
    return w.op("Div", w.op("Log", w.operand(x, dtype)), w.operand(math.log(base), dtype))


def _log1p(w: Writer, node: Node, x: Any) -> str:
    """Write ``log(1 + x)`` without loss near 0: there it is ``2 * atanh(x / (2 + x))``."""
    dtype = w.dtype(node)
    return _log_of_one_more(w, w.operand(x, dtype), dtype)


def _log_of_one_more(w: Writer, name: str, dtype: Dtype) -> str:
    small = w.op("Less", w.op("Abs", name), w.operand(0.5, dtype))
    near = w.op("Where", small, name, w.operand(0.0, dtype))
    atanh = w.op("Atanh", w.op("Div", near, w.op("Add", near, w.operand(2.0, dtype))))
    log = w.op("Log", w.op("Add", name, w.operand(1.0, dtype)))
    return w.op("Where", small, w.op("Add", atanh, atanh), log)


def _vecdot(w: Writer, node: Node, x: Any, y: Any, axis: int = -1) -> str:
    dtype = w.dtype(node)
    return _reduced(w, w.op("Mul", w.operand(x, dtype), w.operand(y, dtype)), "ReduceSum", (axis,), False)


def _logaddexp(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write ``log(exp(x) + exp(y))``: the larger, and log1p of the rest; the larger itself where they are infinite."""
    dtype = w.dtype(node)
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    larger = w.op("Where", w.op("Or", w.op("Greater", a, b), w.op("IsNaN", a)), a, b)
    apart = w.op("Neg", w.op("Abs", w.op("Sub", a, b)))
    found = w.op("Add", larger, _log_of_one_more(w, w.op("Exp", apart), dtype))
    return w.op("Where", w.op("Equal", a, b), w.op("Add", a, w.operand(0.6931471805599453, dtype)), found)


def _roll(w: Writer, node: Node, x: Any, shift: Any, axis: Any = None) -> Any:
    if axis is None:
        return NotImplemented
    name, whole = w.of(x), 1 << 62
    shifts, axes = (v if isinstance(v, (tuple, list)) else (v,) for v in (shift, axis))
    for by, a in zip(shifts, axes, strict=True):
        n = x.shape[a]
        at = w.ints(-(by % n)) if n and by % n else w.ints(0)
        behind = w.op("Slice", name, at, w.ints(whole), w.ints(a))
        before = w.op("Slice", name, w.ints(0), at, w.ints(a))
        name = w.op("Concat", behind, before, axis=a) if n and by % n else name
    return name


WRITERS.update(dict.fromkeys(_ELEMENTWISE, _elementwise))
WRITERS.update({
    "maximum": _largest, "minimum": _largest, "square": _square, "nn.silu": _silu, "isfinite": _isfinite,
    "floor_divide": _floor_divide, "remainder": _remainder, "where": _where, "_clip": _clip, "cast": _cast,
    "narrow": _cast, "index_array": _cast,
    "reshape": _reshaped, "expand_dims": _reshaped, "squeeze": _reshaped, "broadcast_to": _broadcast_to,
    "permute_dims": _permute, "matrix_transpose": _matrix_transpose, "moveaxis": _moveaxis, "concat": _concat,
    "stack": _stack, "flip": _flip, "index": _index, "_positions": _positions,
    "take": _take, "take_along_axis": _take_along_axis,
    **dict.fromkeys(_REDUCTIONS, _reduce), "nn._first_greatest": _greatest_along,
    "all": _truth, "any": _truth, "var": _spread, "std": _spread,
    "argmax": _position, "argmin": _position, "cumulative_sum": _cumulative_sum, "nn.softmax": _softmax,
    "nn.log_softmax": _softmax, "expm1": _expm1, "log1p": _log1p,
    "log2": _log_of_base, "log10": _log_of_base, "vecdot": _vecdot, "roll": _roll,
    "logaddexp": _logaddexp,
})  # fmt: skip
