"""Write a native call as an operator, a method, an index or a call."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..nodes import Constant, Node, Value
from ..passes.torch_calls import sign_of

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["BY_NAME", "bare", "writer_of"]

#: Python's operators, by the latticework function. `pow` has none: the operator has shortcuts that round otherwise.
OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "equal": "==", "not_equal": "!=", "less": "<",
    "less_equal": "<=", "greater": ">", "greater_equal": ">=",
}  # fmt: skip

#: Operators that write into their first operand.
_IN_PLACE = {"add": "+=", "subtract": "-=", "multiply": "*=", "divide": "/="}


def writer_of(backend: Backend, node: Node) -> Callable[[Any, Node], str | None]:
    """Return the function that writes a node: as an expression, or as lines, where it returns None."""
    special = BY_NAME.get(node.name)
    if special is None and node.name in OPERATORS and backend.name == "numpy" and _is_of_arrays(node):
        return _operator
    if special is None and backend.name == "torch" and sign_of(node) is not None:
        return _torch_operator
    return special or _call


def _is_of_arrays(node: Node) -> bool:
    """Return whether a node calls a ufunc of two arrays, for which the operator is quicker."""
    if not hasattr(node.function, "reduceat") or node.kwargs or node.out is not None or len(node.args) != 2:
        return False
    return all(isinstance(x, Value) for x in node.args) and any(x.shape for x in node.args)


def _operator(w: Any, node: Node) -> str:
    first, second = [w.expression(x) for x in node.args]
    return f"{first} {OPERATORS[node.name]} {second}"


def _torch_operator(w: Any, node: Node) -> str:
    *first, last = [w.expression(x) for x in node.args]
    sign = sign_of(node)
    return f"{first[0]} {sign} {last}" if first else f"{sign}{last}"


def _call(w: Any, node: Node) -> str | None:
    function = node.function
    if type(function) is operator.attrgetter and len(node.args) == 1:
        return f"{w.expression(node.args[0])}.{function.__reduce__()[1][0]}"
    if node.out is not None:
        return _in_place(w, node) or into(w, function, node.args, w.expression(node.out))
    bound = _method(w, function, node)
    if bound is not None:
        return bound
    name = w.spelling.function(function)
    return f"{name}({_arguments(w, node.args, node.kwargs)})"


def _in_place(w: Any, node: Node) -> str | None:
    """Write an operator such as ``-=``, which takes less time than a call, where the array is the first operand."""
    sign = _IN_PLACE.get(node.name)
    if sign is None or node.kwargs or node.args[0] is not node.out or not isinstance(node.args[1], Value):
        return None
    return f"{w.expression(node.out)} {sign} {bare(w.expression(node.args[1]))}"


def bare(text: str) -> str:
    """Remove the parentheses around the whole of an expression."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if not depth and i < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def into(w: Any, ufunc: Any, args: tuple[Any, ...], out: str) -> str:
    """Write a call of a ufunc with `out`. By position this takes less time, where NumPy allows it."""
    return f"{w.spelling.function(ufunc)}({_arguments(w, args, {})}, {as_out(ufunc, out)})"


def as_out(ufunc: Any, out: str) -> str:
    """Write the `out` argument of a ufunc: by position, except for two ufuncs that warn of that."""
    return f"out={out}" if ufunc.__name__ in ("maximum", "minimum") else out


def _arguments(w: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> str:
    parts = [bare(w.expression(x)) if isinstance(x, Value) else w.expression(x) for x in args]
    return ", ".join([*parts, *(f"{name}={w.expression(x)}" for name, x in kw.items())])


def _method(w: Any, function: Callable[..., Any], node: Node) -> str | None:
    """Write a call of a method of the first argument, None for any other call."""
    if type(function) is operator.methodcaller:
        made: Any = function.__reduce__()
        if made[0] is not operator.methodcaller:  # with keyword arguments
            return None
        name, *args = made[1]
        return f"{w.expression(node.args[0])}.{name}({_arguments(w, tuple(args), {})})"
    owner = getattr(function, "__objclass__", None)
    if owner is not None and node.args and isinstance(node.args[0], Value):
        name = function.__name__
        if not name.startswith("__"):
            return f"{w.expression(node.args[0])}.{name}({_arguments(w, node.args[1:], node.kwargs)})"
    return None


def _index(w: Any, node: Node) -> str | None:
    if node.function is not operator.getitem:
        return _call(w, node)
    x, key = node.args
    return f"{w.expression(x)}[{subscript(w, key)}]"


def _assign(w: Any, node: Node) -> str | None:
    """Write a statement where a Python number is assigned to an array, else a call of the backend's function."""
    x, key, value = node.args
    keys = key if type(key) is tuple else (key,)
    plain = w.backend.name == "numpy" and x.shape and not x.element and node.result is x
    if not plain or isinstance(value, Value) or any(isinstance(k, Value) for k in keys):
        return _call(w, node)
    w.line(f"{w.expression(x)}[{subscript(w, key)}] = {w.expression(value)}")
    return None


def subscript(w: Any, key: Any) -> str:
    """Write a key between brackets."""
    if type(key) is tuple and key:
        return ", ".join([subscript(w, k) for k in key]) + "," * (len(key) == 1)
    if type(key) is slice:
        parts = ["" if x is None else w.expression(x) for x in (key.start, key.stop)]
        return ":".join(parts if key.step is None else [*parts, w.expression(key.step)])
    return str(w.expression(key))


def _switch(w: Any, node: Node) -> str | None:
    """Write branches: Python's own, or the framework's where it has them."""
    if _has_own_flow(w):
        branches = [_local_function(w, f"branch_{k}", block, block.outputs) for k, block in enumerate(node.blocks)]
        return f"{_framework(w, 'switch')}({w.expression(node.args[0])}, [{', '.join(branches)}])"
    (index,), results = node.args, [*node.results]
    names = [w.name(v) for v in results]
    index_text = w.expression(index)
    if index.dtype.kind == "b":
        lines = [f"if {index_text}:", "else:"]
        blocks = [*reversed(node.blocks)]
    else:
        blocks, last = [*node.blocks], len(node.blocks) - 1
        lines = [f"{'el' * bool(k)}if {index_text} == {k}:" for k in range(len(blocks))]
        lines[last] = "else:" if last else lines[last]
    for line, block in zip(lines, blocks, strict=True):
        w.line(line)
        _nested(w, block, names, block.outputs)
    _as_arrays(w, results)
    return None


def _as_arrays(w: Any, values: list[Value]) -> None:
    """Make arrays of the results of a loop or a branch on NumPy that something writes into: NumPy's 0-d results are
    scalars, and a view of a scalar is a copy."""
    for v in values:
        if not v.shape and w.is_written(v):
            w.line(f"{w.name(v)} = {w.spelling.function(w.backend.native)}({w.name(v)})")


def _has_own_flow(w: Any) -> bool:
    """Return whether branches and loops are calls of functions: of the framework's, or of `torch_parts`."""
    return w.backend.control_flow is not None or w.backend.name == "torch"


def _framework(w: Any, name: str) -> str:
    """Write the backend's function for control flow, by name."""
    if w.backend.control_flow is None:
        from . import torch_parts

        return str(w.spelling.name_of(getattr(torch_parts, name), name))
    return str(w.spelling.function(getattr(w.backend.control_flow, name)))


def _local_function(w: Any, wanted: str, block: Any, outputs: Any, groups: tuple[int, ...] = ()) -> str:
    """Define a function of a block whose inputs come as lists of these lengths. Return its name."""
    name = w.spelling.fresh(wanted)
    parameters = [w.spelling.fresh(f"{wanted}_values") for _ in groups]
    w.line(f"def {name}({', '.join(parameters)}):")
    w.depth += 1
    written = [n.writes for n in block.all_nodes() if n.writes is n.result and not isinstance(n.writes, Constant)]
    outside = {w.names[id(v)] for v in written if id(v) in w.names}
    if names := sorted(filter(str.isidentifier, outside)):  # to write into an array is to assign to its name
        w.line(f"nonlocal {', '.join(names)}")
    begun = 0
    for parameter, n in zip(parameters, groups, strict=True):
        values = block.inputs[begun : begun + n]
        if values:
            w.line(f"{', '.join([w.name(v) for v in values])}{',' * (n == 1)} = {parameter}")
        begun += n
    w.block(block)
    w.line(f"return {w.expression(outputs)}")
    w.depth -= 1
    return str(name)


def _nested(w: Any, block: Any, names: list[str], outputs: list[Any], more: list[str] | None = None) -> None:
    """Write the lines of a block, which end by naming its results."""
    w.depth += 1
    begun = len(w.lines)
    w.block(block)
    if names:
        w.line(f"{', '.join(names)} = {', '.join(w.expression(v) for v in outputs)}")
    for text in more or ():
        w.line(text)
    if len(w.lines) == begun:
        w.line("pass")
    w.depth -= 1


def _while(w: Any, node: Node) -> str | None:
    """Write a loop: `while True`, with its condition computed inside, or the framework's own loop."""
    condition, body = node.blocks
    if _has_own_flow(w):
        n = len(node.args)
        goes_on = _local_function(w, "condition", condition, condition.outputs[0], (n,))
        step = _local_function(w, "body", body, body.outputs, (n,))
        return f"{_framework(w, 'while_loop')}({goes_on}, {step}, {w.expression([*node.args])})"
    results = [w.name(v) for v in node.results]
    w.line(f"{', '.join(results)} = {', '.join(w.expression(v) for v in node.args)}")
    for block in (condition, body):
        for value, name in zip(block.inputs, results, strict=True):
            w.names[id(value)] = name
    w.line("while True:")
    w.depth += 1
    _as_arrays(w, [*condition.inputs, *body.inputs])
    w.block(condition)
    w.line(f"if not {w.expression(condition.outputs[0])}:")
    w.line("    break")
    w.block(body)
    w.line(f"{', '.join(results)} = {', '.join(w.expression(v) for v in body.outputs)}")
    w.depth -= 1
    _as_arrays(w, node.results)
    return None


def _scan(w: Any, node: Node) -> str | None:
    """Write a loop along the first axis of some arrays, whose results are stacked; or the framework's own loop."""
    (block,), (init, xs) = node.blocks, node.args
    if w.backend.control_flow is not None:
        step = _local_function(w, "body", block, tuple(block.outputs), (len(init), len(xs)))
        options = f"{node.kwargs['length']}, {node.kwargs['reverse']}"
        return f"{_framework(w, 'scan')}({step}, {w.expression(init)}, {w.expression(xs)}, {options})"
    after, ys = node.result
    carry = [w.name(v) for v in after]
    if carry:
        w.line(f"{', '.join(carry)} = {', '.join(w.expression(v) for v in init)}")
    n, i = node.kwargs["length"], w.spelling.fresh("i")
    rows = [w.spelling.fresh("rows") for _ in ys]
    for row in rows:
        w.line(f"{row} = [None] * {n}")
    w.line(f"for {i} in {f'reversed(range({n}))' if node.kwargs['reverse'] else f'range({n})'}:")
    for value, name in zip(block.inputs[: len(carry)], carry, strict=True):
        w.names[id(value)] = name
    for value, x in zip(block.inputs[len(carry) :], xs, strict=True):
        w.names[id(value)] = f"{w.expression(x)}[{i}]"
    outputs, stacked = block.outputs
    w.depth += 1
    _as_arrays(w, block.inputs[: len(carry)])
    w.block(block)
    for row, y in zip(rows, stacked, strict=True):
        w.line(f"{row}[{i}] = {w.expression(y)}")
    if carry:
        w.line(f"{', '.join(carry)} = {', '.join(w.expression(v) for v in outputs)}")
    w.depth -= 1
    _as_arrays(w, after)
    for row, y in zip(rows, ys, strict=True):
        if n:
            stack = w.spelling.function(w.backend.function("stack", y.dtype))
            w.line(f"{w.name(y)} = {stack}({row}, axis=0)")
        else:
            zeros = w.spelling.function(w.backend.function("zeros", y.dtype))
            dtype, device = w.expression(w.backend.native_dtypes[y.dtype]), w.backend.native_device("cpu")
            w.line(f"{w.name(y)} = {zeros}({y.shape}, dtype={dtype}, device={w.expression(device)})")
    return None


def _transformed(w: Any, node: Node) -> str:
    """Write a transformation of a function of a list of arrays."""
    (block,) = node.blocks
    outputs: Any = block.outputs if node.name == "checkpoint" else tuple(block.outputs)
    function = _local_function(w, "function", block, outputs, (len(block.inputs),))
    name = w.spelling.function(getattr(w.backend.transformations, node.name))
    return f"{name}({', '.join([function, *(w.expression(x) for x in node.args)])})"


def _pullback(w: Any, node: Node) -> str:
    return f"{w.expression(node.args[0])}({w.expression(node.args[1])})"


def _function(w: Any, node: Node) -> None:
    """Write a function of lists of arrays, as a value: by default of one list."""
    (block,) = node.blocks
    wanted = "forward" if "lists" in node.kwargs else "backward"
    groups = tuple(node.kwargs.get("lists", (len(block.inputs),)))
    w.names[id(node.result)] = _local_function(w, wanted, block, block.outputs, groups)
    w.kept.append(node.result)


#: Python's operators on numbers.
_OF_NUMBERS: dict[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.neg: "-", operator.pos: "+",
}  # fmt: skip


def _number(w: Any, node: Node) -> str:
    """Write Python's arithmetic on numbers."""
    parts = []
    for x in node.args:
        text = w.expression(x)
        parts.append(text if isinstance(x, Value) or text[0] not in "-+" else f"({text})")
    sign = _OF_NUMBERS.get(node.function)
    if sign is None:  # a function of Python's own: `abs` or `float`
        return f"{node.function.__name__}({parts[0]})"
    return f"{parts[0]} {sign} {parts[1]}" if len(parts) > 1 else f"({sign}{parts[0]})"


#: The functions that write nodes other than plain calls, by name; `loops` adds its own.
BY_NAME: dict[str, Callable[[Any, Node], str | None]] = {
    "assign": _assign, "index": _index, "switch": _switch, "while_loop": _while, "scan": _scan, "vjp": _transformed,
    "gradient": _transformed, "jvp": _transformed, "vmap": _transformed, "custom_gradient": _transformed,
    "custom_rules": _transformed, "checkpoint": _transformed, "pullback": _pullback, "function": _function,
    "number": _number,
}  # fmt: skip
