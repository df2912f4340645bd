"""Write a graph as a model of ONNX, for the functions that ONNX has operators for.

Each function is written by its name and by the dtypes of its results, so that graphs of all frameworks give the same
model. Where an operator computes otherwise than the function, such as the division of ints, the function is written as
several operators; where that would lose precision, as for ``expm1``, it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ...core.dtypes import Dtype, bool_, int32, int64
from ...errors import GraphFileError, install
from ..nodes import Constant, Node, Value, mapped, values_in

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ..graph import Graph

__all__ = ["OPSET", "to_onnx"]

#: The version of the operators.
OPSET = 20
_IR = 9
#: The most bytes of the result of a call without arrays, which is written as a constant.
_KEPT = 1 << 24

#: Functions of one array -> the operator.
_UNARY = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "exp": "Exp", "floor": "Floor", "isinf": "IsInf", "isnan": "IsNaN",
    "log": "Log", "logical_not": "Not", "negative": "Neg", "nn.relu": "Relu", "nn.sigmoid": "Sigmoid",
    "nn.softplus": "Softplus", "positive": "Identity", "copy": "Identity", "reciprocal": "Reciprocal",
    "round": "Round", "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "special.erf": "Erf", "nn._erf": "Erf",
    "special.expit": "Sigmoid", "sqrt": "Sqrt",
    "tan": "Tan", "tanh": "Tanh", "nn.gelu": "Gelu", "nn.mish": "Mish",
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


def to_onnx(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Write a graph as a model."""
    from pathlib import Path

    try:
        import onnx
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"to_onnx needs onnx: {install('onnx')}", name="onnx") from error
    model = _Writer(graph).model()
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:  # its text names the node
        raise GraphFileError(f"to_onnx: ONNX does not take this program: {str(error).strip()}") from None
    path = Path(path)
    path.write_bytes(model.SerializeToString())
    return path


class _Writer:
    """Writes one model.

    Attributes
    ----------
    node: the call that is being written.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.backend = graph, graph._backend
        self.names: dict[int, str] = {}
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.count = 0
        self.node: Node | None = None
        self.kept: list[Value] = []  # whose ids are keys

    def model(self) -> Any:
        """Make the model: its inputs are the arrays among the arguments, its outputs the arrays among the results."""
        from onnx import helper

        from .encoding import own_version

        graph = self.graph
        if graph.written:
            raise GraphFileError("to_onnx: the program writes into its arguments, which a model cannot")
        if graph.numbers:
            raise GraphFileError(
                "to_onnx: the graph has Python numbers as inputs, which a model cannot have. Trace the function with "
                "lw.trace, where numbers are constants, or give them as arrays"
            )
        inputs = []
        for name, value in zip(graph.parameters, graph.block.inputs, strict=True):
            self.names[id(value)] = name
            inputs.append(self.described(name, value))
        for node in graph.nodes:
            self.node = node
            self.write(node)
        self.node = None
        outputs = []
        for i, value in enumerate(graph.block.outputs):
            name = f"result_{i}"
            self.nodes.append(helper.make_node("Identity", [self.of(value)], [name]))
            outputs.append(self.described(name, value))
        body = helper.make_graph(self.nodes, graph.name, inputs, outputs, self.initializers)
        return helper.make_model(
            body, producer_name="latticework", producer_version=own_version(), ir_version=_IR,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )  # fmt: skip

    # --- values -------------------------------------------------------------------------------------------------------

    def refuse(self, why: str) -> NoReturn:
        operation = self.node.operation if self.node is not None else None
        line = f" {operation.location.text}:" if operation is not None and operation.location is not None else ""
        raise GraphFileError(f"to_onnx: {self.at()}:{line} {why}")

    def code(self, dtype: Dtype) -> int:
        """Return the number of a dtype in ONNX."""
        from onnx import TensorProto

        code: int | None = getattr(TensorProto, "FLOAT" if str(dtype) == "float32" else "DOUBLE"
                                   if str(dtype) == "float64" else str(dtype).upper(), None)  # fmt: skip
        if code is None or dtype.kind == "c":
            self.refuse(f"is of {dtype}, for which ONNX has no operators")
        return code

    def described(self, name: str, value: Value) -> Any:
        from onnx import helper

        return helper.make_tensor_value_info(name, self.code(value.dtype), value.shape)

    def of(self, value: Value) -> str:
        """Return the name of a value."""
        found = self.names.get(id(value))
        if found is None and isinstance(value, Constant):
            backend = self.backend
            found = self.names[id(value)] = self.constant(backend.to_numpy(backend.native(value.native), None, None))
            self.kept.append(value)
        if found is None:
            self.refuse("uses what ONNX has no array for")
        return found

    def constant(self, data: Any) -> str:
        """Add a NumPy array to the model, and return its name."""
        from onnx import numpy_helper

        self.count += 1
        name = f"constant_{self.count}"
        import numpy as np

        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(data).reshape(np.shape(data)), name))
        return name

    def ints(self, *values: int) -> str:
        import numpy as np

        return self.constant(np.asarray(values, dtype=np.int64))

    def operand(self, x: Any, dtype: Dtype) -> str:
        """Write an operand in a dtype: cast where it has another, a number as a 0-d array."""
        if isinstance(x, Value):
            return self.of(x) if x.dtype is dtype else self.op("Cast", self.of(x), to=self.code(dtype))
        if isinstance(x, (tuple, list, dict, str, slice, type(None))):
            self.refuse(f"has an argument that ONNX has no operator for: {x!r:.40}")
        import numpy as np

        from ...backend import get

        self.code(dtype)
        return self.constant(np.asarray(x, dtype=get("numpy").native_dtypes[dtype]))

    def op(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Write an operator, and return the name of its result."""
        from onnx import helper

        self.count += 1
        name = f"t_{self.count}"
        self.nodes.append(helper.make_node(operator, [*inputs], [name], f"{self.at()} {self.count}", **attributes))
        return name

    def at(self) -> str:
        """Name the call that is being written, with its line."""
        node = self.node
        at = node.operation.location if node is not None and node.operation is not None else None
        name = node.name if node is not None else self.graph.name
        return f"{name} ({at})" if at is not None else name

    # --- calls --------------------------------------------------------------------------------------------------------

    def write(self, node: Node) -> None:
        """Write one call."""
        if node.writes is not None:
            self.refuse("writes into an array, which ONNX cannot")
        if node.blocks:
            self.refuse("has branches or a function in it, which are not written to ONNX")
        results = node.results
        if not node.operands:
            self.fold(node)
            return
        for value in results:
            self.code(value.dtype)
        writer = _WRITERS.get(node.name) or (_elementwise if node.name in _ELEMENTWISE else None)
        if writer is None:
            self.refuse("has no operator in ONNX")
        found = writer(self, node, *node.args, **node.kwargs)
        names = [found] if isinstance(found, str) else [*found]
        for value, name in zip(results, names, strict=True):
            self.names[id(value)] = name

    def fold(self, node: Node) -> None:
        """Write the results of a call without arrays as arrays that the model holds."""
        if any(value.nbytes > _KEPT for value in node.results):
            self.refuse(f"makes an array of more than {_KEPT:,} bytes")
        native = node.function(*node.args, **node.kwargs)
        backend = self.backend
        arrays: list[Any] = []
        mapped(native, backend.arrays, arrays.append)
        for value, array in zip(node.results, arrays, strict=True):
            self.names[id(value)] = self.constant(backend.to_numpy(backend.native(array), None, None))

    def dtype(self, node: Node) -> Dtype:
        """Return the dtype of the first result."""
        return node.results[0].dtype


def _elementwise(w: _Writer, node: Node, *args: Any, **kw: Any) -> str:
    """Write a function of one or two arrays."""
    name, dtype = node.name, w.dtype(node)
    if kw:
        w.refuse(f"has options that ONNX has no operator for: {', '.join(kw)}")
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


def _common(w: _Writer, node: Node) -> Dtype:
    """Return the dtype in which a comparison is computed."""
    found = {v.dtype for v in node.operands}
    plan = node.operation.plan if node.operation is not None else None
    if len(found) == 1:
        return found.pop()
    if plan is None or plan.op != node.name:
        w.refuse("compares arrays of several dtypes")
    return plan.computed


def _largest(w: _Writer, node: Node, x: Any, y: Any) -> str:
    """Write the larger or the smaller of two, nan where either is: ONNX does not specify its operator for nan."""
    dtype = w.dtype(node)
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    chosen = w.op("Where", w.op("Greater" if node.name == "maximum" else "Less", a, b), a, b)
    return w.op("Where", w.op("IsNaN", a), a, chosen) if dtype.kind == "f" else chosen


def _square(w: _Writer, node: Node, x: Any) -> str:
    name = w.operand(x, w.dtype(node))
    return w.op("Mul", name, name)


def _silu(w: _Writer, node: Node, x: Any) -> str:
    name = w.operand(x, w.dtype(node))
    return w.op("Mul", name, w.op("Sigmoid", name))


def _isfinite(w: _Writer, node: Node, x: Any) -> str:
    if x.dtype.kind != "f":
        w.refuse(f"of {x.dtype} has no operator in ONNX")
    return w.op("Not", w.op("Or", w.op("IsNaN", w.of(x)), w.op("IsInf", w.of(x))))


def _floor_divide(w: _Writer, node: Node, x: Any, y: Any) -> str:
    """Write floor division of ints: subtract the remainder, and divide exactly. The operator divides towards zero."""
    dtype = w.dtype(node)
    if dtype.kind not in "iu":
        w.refuse(f"of {dtype} has no operator in ONNX")
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    return w.op("Div", w.op("Sub", a, w.op("Mod", a, b)), b)


def _remainder(w: _Writer, node: Node, x: Any, y: Any) -> str:
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


def _where(w: _Writer, node: Node, condition: Any, x: Any, y: Any) -> str:
    dtype = w.dtype(node)
    return w.op("Where", w.operand(condition, bool_), w.operand(x, dtype), w.operand(y, dtype))


def _clip(w: _Writer, node: Node, x: Any, low: Any, high: Any) -> str:
    """Write `clip` between two arrays or numbers; nan where x is nan."""
    dtype = w.dtype(node)
    name = w.operand(x, dtype)
    for bound, operator in ((low, "Less"), (high, "Greater")):
        if bound is not None:
            limit = w.operand(bound, dtype)
            name = w.op("Where", w.op(operator, name, limit), limit, name)
    return name


def _cast(w: _Writer, node: Node, x: Any) -> str:
    return w.op("Cast", w.of(x), to=w.code(w.dtype(node)))


# --- shapes ----------------------------------------------------------------------------------------------------------


def _axes(axis: Any, ndim: int) -> list[int]:
    """Return the axes as non-negative numbers, all for None."""
    if axis is None:
        return [*range(ndim)]
    return [a % ndim if ndim else a for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def _reshaped(w: _Writer, node: Node, *_: Any, **__: Any) -> str:
    """Write a call that gives an array another shape, with its elements in the same order."""
    return w.op("Reshape", w.of(node.operands[0]), w.ints(*node.results[0].shape), allowzero=1)


def _broadcast_to(w: _Writer, node: Node, x: Any, shape: Any) -> str:
    return w.op("Expand", w.of(x), w.ints(*node.results[0].shape))


def _permute(w: _Writer, node: Node, x: Any, axes: Any) -> str:
    return w.op("Transpose", w.of(x), perm=_axes(axes, len(x.shape)))


def _matrix_transpose(w: _Writer, node: Node, x: Any) -> str:
    n = len(x.shape)
    return w.op("Transpose", w.of(x), perm=[*range(n - 2), n - 1, n - 2])


def _moveaxis(w: _Writer, node: Node, x: Any, source: Any, destination: Any) -> str:
    n = len(x.shape)
    moved = dict(zip(_axes(destination, n), _axes(source, n), strict=True))
    rest = iter([i for i in range(n) if i not in moved.values()])
    return w.op("Transpose", w.of(x), perm=[moved[i] if i in moved else next(rest) for i in range(n)])


def _concat(w: _Writer, node: Node, arrays: Any, axis: Any = 0) -> str:
    if axis is None:
        w.refuse("of flattened arrays is not written to ONNX")
    dtype = w.dtype(node)
    return w.op("Concat", *[w.operand(x, dtype) for x in arrays], axis=axis)


def _stack(w: _Writer, node: Node, arrays: Any, axis: int = 0) -> str:
    dtype = w.dtype(node)
    (place,) = _axes(axis, len(node.results[0].shape))
    return w.op("Concat", *[w.op("Unsqueeze", w.operand(x, dtype), w.ints(place)) for x in arrays], axis=place)


def _flip(w: _Writer, node: Node, x: Any, axis: Any = None) -> str:
    axes = _axes(axis, len(x.shape))
    n = len(axes)
    return w.op("Slice", w.of(x), w.ints(*[-1] * n), w.ints(*[-(1 << 62)] * n), w.ints(*axes), w.ints(*[-1] * n))


def _index(w: _Writer, node: Node, x: Any, key: Any) -> str:
    """Write a key of ints, slices, None and an ellipsis; or one array of ints, for the first axis."""
    if isinstance(key, Value) and key.dtype.kind in "iu":
        return w.op("Gather", w.of(x), w.operand(key, int64), axis=0)
    parts = [*(key if type(key) is tuple else (key,))]
    if not all(type(k) in (int, slice, type(None), type(Ellipsis)) for k in parts) or [*values_in(key)]:
        w.refuse("by arrays or masks is not written to ONNX")
    named = sum(k is not None and k is not Ellipsis for k in parts)
    axis, sliced = 0, []
    for k in parts:
        if k is Ellipsis:
            axis += len(x.shape) - named
        elif k is not None:
            extent = x.shape[axis]
            bounds = slice(k % extent, k % extent + 1) if type(k) is int else k
            start, stop, step = bounds.indices(extent)
            sliced.append((axis, start, stop if stop >= 0 else -(1 << 62), step))
            axis += 1
    found = w.of(x)
    if sliced:
        axes, starts, stops, steps = zip(*sliced, strict=True)
        found = w.op("Slice", found, *[w.ints(*part) for part in (starts, stops, axes, steps)])
    return w.op("Reshape", found, w.ints(*node.results[0].shape), allowzero=1)


def _take(w: _Writer, node: Node, x: Any, indices: Any, axis: Any = None) -> str:
    if axis is None:
        w.refuse("of a flattened array is not written to ONNX")
    return w.op("Gather", w.of(x), w.operand(indices, int64), axis=axis)


def _take_along_axis(w: _Writer, node: Node, x: Any, indices: Any, axis: int = -1) -> str:
    return w.op("GatherElements", w.of(x), w.operand(indices, int64), axis=axis)


# --- reductions ------------------------------------------------------------------------------------------------------


def _reduced(w: _Writer, x: str, operator: str, axes: Sequence[int], keepdims: bool) -> str:
    """Reduce along axes; along no axes, return the array itself."""
    return w.op(operator, x, w.ints(*axes), keepdims=int(keepdims), noop_with_empty_axes=1)


def _greatest_along(w: _Writer, node: Node, x: Any, axis: int) -> str:
    return _reduced(w, w.operand(x, w.dtype(node)), "ReduceMax", (axis,), False)


def _reduce(
    w: _Writer, node: Node, x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None, keepdim: bool = False
) -> str:
    """Write a reduction, with the names of options of all frameworks."""
    result = w.dtype(node)
    if result.kind == "b":
        w.refuse("of bools has no operator in ONNX")
    return _reduced(w, w.operand(x, result), _REDUCTIONS[node.name], _axes(axis, len(x.shape)), keepdims or keepdim)


def _truth(w: _Writer, node: Node, x: Any, axis: Any = None, keepdims: bool = False) -> str:
    """Write `all` and `any`: the least and the largest of zeros and ones."""
    numbers = w.op("Cast", w.operand(x, bool_), to=w.code(int32))
    operator = "ReduceMin" if node.name == "all" else "ReduceMax"
    found = _reduced(w, numbers, operator, _axes(axis, len(x.shape)), keepdims)
    return w.op("Cast", found, to=w.code(bool_))


def _spread(
    w: _Writer, node: Node, x: Any, axis: Any = None, correction: float = 0, keepdims: bool = False,
    keepdim: bool = False,
) -> str:  # fmt: skip
    """Write `var` and `std`: the mean of the squared differences from the mean, with the correction."""
    dtype, axes = w.dtype(node), _axes(axis, len(x.shape))
    n = 1
    for a in axes:
        n *= x.shape[a]
    name = w.operand(x, dtype)
    left = w.op("Sub", name, _reduced(w, name, "ReduceMean", axes, keepdims=True))
    total = _reduced(w, w.op("Mul", left, left), "ReduceSum", axes, keepdims or keepdim)
    found = w.op("Div", total, w.operand(float(n) - correction, dtype))
    return w.op("Sqrt", found) if node.name == "std" else found


def _position(w: _Writer, node: Node, x: Any, axis: Any = None, keepdims: bool = False) -> str:
    """Write `argmax` and `argmin`."""
    name = w.of(x)
    if axis is None:
        name, axis = w.op("Reshape", name, w.ints(-1)), 0
        if keepdims:
            w.refuse("of a flattened array with keepdims is not written to ONNX")
    found = w.op("ArgMax" if node.name == "argmax" else "ArgMin", name, axis=axis, keepdims=int(keepdims))
    return found if w.dtype(node) is int64 else w.op("Cast", found, to=w.code(w.dtype(node)))


def _cumulative_sum(w: _Writer, node: Node, x: Any, axis: Any = None, dtype: Any = None, **kw: Any) -> str:
    import numpy as np

    if any(kw.values()):
        w.refuse(f"has options that ONNX has no operator for: {', '.join(kw)}")
    place = 0 if axis is None else axis
    return w.op("CumSum", w.operand(x, w.dtype(node)), w.constant(np.asarray(place, dtype=np.int64)))


def _softmax(w: _Writer, node: Node, x: Any, axis: int = -1) -> str:
    operator = "Softmax" if node.name == "nn.softmax" else "LogSoftmax"
    return w.op(operator, w.operand(x, w.dtype(node)), axis=axis)


_WRITERS: dict[str, Callable[..., Any]] = {
    "maximum": _largest, "minimum": _largest, "square": _square, "nn.silu": _silu, "isfinite": _isfinite,
    "floor_divide": _floor_divide, "remainder": _remainder, "where": _where, "_clip": _clip, "cast": _cast,
    "narrow": _cast, "index_array": _cast,
    "reshape": _reshaped, "expand_dims": _reshaped, "squeeze": _reshaped, "broadcast_to": _broadcast_to,
    "permute_dims": _permute, "matrix_transpose": _matrix_transpose, "moveaxis": _moveaxis, "concat": _concat,
    "stack": _stack, "flip": _flip, "index": _index, "take": _take, "take_along_axis": _take_along_axis,
    **dict.fromkeys(_REDUCTIONS, _reduce), "nn._first_greatest": _greatest_along,
    "all": _truth, "any": _truth, "var": _spread, "std": _spread,
    "argmax": _position, "argmin": _position, "cumulative_sum": _cumulative_sum, "nn.softmax": _softmax,
    "nn.log_softmax": _softmax,
}  # fmt: skip
