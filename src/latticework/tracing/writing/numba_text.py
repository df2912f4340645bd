"""The Python text of each elementwise call in a loop that numba compiles. It computes the same bits.

numba widens integers to 64 bits, so each integer result is cast to its dtype, which wraps around as NumPy does.
Floats are computed in their own dtype, in the order of the program, without contraction to fused multiply-adds.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..nodes import Constant, Node, Value

__all__ = [
    "INEXACT", "PERIODIC", "is_compiled", "is_native", "literal", "number_dtype", "product", "selects", "short",
    "text_of", "wide",
]  # fmt: skip

#: The dtypes that are computed in loops. numba has no float16 and no bfloat16; complex numbers stay NumPy's.
_DTYPES = frozenset("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split())

#: The text of a ufunc, by its name, with the kinds of the operands that it is right for. {0} and {1} are variables.
_EXACT: dict[str, tuple[str, str]] = {
    "add": ("iuf", "{0} + {1}"), "subtract": ("iuf", "{0} - {1}"), "multiply": ("iuf", "{0} * {1}"),
    "divide": ("f", "{0} / {1}"), "negative": ("iuf", "-{0}"), "square": ("iuf", "{0} * {0}"),
    "absolute": ("if", "abs({0})"), "fabs": ("f", "abs({0})"), "reciprocal": ("f", "{one} / {0}"),
    "sqrt": ("f", "np.sqrt({0})"), "floor": ("f", "np.floor({0})"), "ceil": ("f", "np.ceil({0})"),
    "trunc": ("f", "np.trunc({0})"), "rint": ("f", "np.rint({0})"), "equal": ("biuf", "{0} == {1}"),
    "not_equal": ("biuf", "{0} != {1}"), "less": ("iuf", "{0} < {1}"), "less_equal": ("iuf", "{0} <= {1}"),
    "greater": ("iuf", "{0} > {1}"), "greater_equal": ("iuf", "{0} >= {1}"), "logical_and": ("b", "{0} & {1}"),
    "logical_or": ("b", "{0} | {1}"), "logical_xor": ("b", "{0} != {1}"), "logical_not": ("b", "not {0}"),
    "bitwise_and": ("biu", "{0} & {1}"), "bitwise_or": ("biu", "{0} | {1}"), "bitwise_xor": ("iu", "{0} ^ {1}"),
    "invert": ("iu", "~{0}"), "isnan": ("f", "{0} != {0}"), "isinf": ("f", "abs({0}) == {inf}"),
    "isfinite": ("f", "abs({0}) < {inf}"), "conjugate": ("iuf", "{0}"), "positive": ("iuf", "{0}"),
}  # fmt: skip
#: The same for calls whose text differs by kind.
_BY_KIND: dict[tuple[str, str], str] = {
    ("maximum", "f"): "{select}({1} == {1}, {select}({0} < {1}, {1}, {0}), {1})",
    ("minimum", "f"): "{select}({1} == {1}, {select}({0} > {1}, {1}, {0}), {1})",
    ("maximum", "iu"): "{select}({0} >= {1}, {0}, {1})",
    ("minimum", "iu"): "{select}({0} <= {1}, {0}, {1})",
    ("sign", "f"): "{select}({0} > 0, {one}, {select}({0} < 0, -{one}, {select}({0} == 0, {zero}, {0})))",
    ("sign", "i"): "({0} > 0) - ({0} < 0)",
    ("invert", "b"): "not {0}",
    ("bitwise_xor", "b"): "{0} != {1}",
}
#: The same where the second operand is no nan: one instruction, which keeps the first one's nan.
_BESIDE_A_NUMBER = {"maximum": "{{select}}({0} < {1}, {1}, {0})", "minimum": "{{select}}({0} > {1}, {1}, {0})"}
#: The ufuncs that loops compute for few elements alone, by the C library's functions: last bits may differ.
INEXACT = frozenset(
    """
    arccos arccosh arcsin arcsinh arctan arctan2 arctanh cos cosh exp exp2 expm1 hypot log log10 log1p log2 logaddexp
    power sin sinh tan tanh
    """.split()
)
#: The ufuncs that `numba_parts` has for loops of any size: last bits may differ.
_WIDE = frozenset("exp expm1 log log1p tanh sin cos arctan arctan2 arcsin arccos arccosh".split())
#: Those of them that are right up to `loops.FAR` alone.
PERIODIC = frozenset(("sin", "cos"))
#: The largest power that is written as products.
_PRODUCTS = 8


def _operand_dtypes(node: Node) -> list[Any]:
    return [x.dtype for x in node.args if isinstance(x, Value)]


def _ufunc(node: Node) -> str | None:
    """Return the name of a ufunc that gives one array, element by element; None for any other call."""
    function: Any = node.function
    if not hasattr(function, "reduceat") or function.signature is not None or node.kwargs:
        return None
    result = node.result
    array = type(result) is Value and result.shape and not result.element and node.writes is None
    return str(function.__name__) if array else None


def is_native(node: Node) -> bool:
    """Return whether a node is a ufunc of arrays, which can be called for a part of their elements."""
    numbers = (int, float, complex, bool)
    return _ufunc(node) is not None and all(isinstance(x, Value) or type(x) in numbers for x in node.args)


def wide(node: Node) -> str:
    """Return the name of a ufunc of float32 or float64 that `numba_parts` has; "" for any other call."""
    name = _ufunc(node) or ""
    dtypes = {str(d) for d in (*_operand_dtypes(node), node.result.dtype)} if name in _WIDE else set()
    return name if dtypes in ({"float32"}, {"float64"}) else ""


def is_compiled(node: Node, functions: Container[str] = ()) -> bool:
    """Return whether a loop may compute a call: with the same bits, or as a power that `fast` writes as products.

    Parameters
    ----------
    functions: the names of those of `numba_parts` that it may call.
    """
    result = node.result
    if type(result) is not Value or not result.shape or result.element or node.kwargs or node.writes is not None:
        return False
    dtypes = _operand_dtypes(node)
    if not dtypes or any(str(d) not in _DTYPES for d in (*dtypes, result.dtype)):
        return False
    numbers = [x for x in node.args if not isinstance(x, Value)]
    if not all(_is_number_of(x, number_dtype(node)) for x in numbers):
        return False
    return product(node) > 0 or _template(node) is not None or wide(node) in functions


def number_dtype(node: Node) -> Any:
    """Return the dtype of the computation for Python numbers among the operands."""
    of_result = getattr(node.function, "__name__", "") == "where"
    return node.result.dtype if of_result else _operand_dtypes(node)[0]


def _is_number_of(x: Any, dtype: Any) -> bool:
    """Return whether a Python number fits a dtype, without promotion and without overflow."""
    if dtype.kind == "f":
        return type(x) in (int, float) and abs(x) < 2**63
    if dtype.kind == "b" or type(x) is not int:
        return type(x) is bool and dtype.kind == "b"
    low = 0 if dtype.kind == "u" else -(2 ** (dtype.bits - 1))
    return bool(low <= x < low + 2**dtype.bits)


def _computed_in(node: Node) -> Any:
    """Return the dtype that a ufunc casts its operands to, where it is the dtype of one of them; None for another."""
    dtypes = _operand_dtypes(node)
    if len({*dtypes}) == 1:
        return dtypes[0]
    if len(dtypes) < len(node.args):
        return None
    function: Any = node.function
    try:
        resolved = function.resolve_dtypes((*[np.dtype(str(d)) for d in dtypes], None))
    except TypeError:
        return None
    common = {d.name for d in resolved[:-1]}
    return next((d for d in dtypes if {str(d)} == common), None)


def _template(node: Node) -> str | None:
    """Return the text of a node, None for a call that loops do not compute."""
    name, dtypes, to = _ufunc(node), _operand_dtypes(node), node.result.dtype
    if name is not None:
        of = _computed_in(node)
        if of is None:
            return None
        kinds, text = _EXACT.get(name, ("", ""))
        if of.kind in kinds and (to is of or to.kind == "b"):
            return text
        if name in _BESIDE_A_NUMBER and to.kind == "f" and to is of:
            k = next((k for k in (1, 0) if _is_no_nan(node.args[k])), None)
            if k is not None:
                return _BESIDE_A_NUMBER[name].format(f"{{{1 - k}}}", f"{{{k}}}")
        found = (text for (n, kinds), text in _BY_KIND.items() if n == name and of.kind in kinds)
        return next(found, None) if to is of else None
    called = getattr(node.function, "__name__", "")
    if called == "where" and getattr(node.function, "__module__", "") == "numpy" and len(node.args) == 3:
        fits = dtypes[0].kind == "b" and isinstance(node.args[0], Value) and all(d is to for d in dtypes[1:])
        return "{select}({0}, {1}, {2})" if fits else None
    if called == "clip" and len(node.args) == 3 and hasattr(node.function, "__objclass__"):
        return _clip(node) if all(d is to for d in dtypes) and to.kind in "iuf" else None
    return _cast(node) if node.name == "cast" and len(node.args) == 1 else None


def _is_no_nan(x: Any) -> bool:
    """Return whether an operand is a constant number that is no nan."""
    if isinstance(x, Value):
        return isinstance(x, Constant) and not x.shape and not x.held and bool(x.native == x.native)
    return bool(x == x)


def _clip(node: Node) -> str:
    """Write `clip`: the lower bound first, then the upper bound; a nan stays.

    Between zeros of two signs, NumPy keeps the array's where bounds are 0-d, and the bound's where a bound is an array.
    """
    if all(map(_is_no_nan, node.args[1:])):
        low = "{select}({0} < {1}, {1}, {0})"
        return f"{{select}}({low} > {{2}}, {{2}}, {low})"
    bounds = [x for x in node.args[1:] if isinstance(x, Value) and x.shape]
    above, below = (">", "<") if bounds else (">=", "<=")
    nan = " | ({0} != {0})" if node.result.dtype.kind == "f" else ""
    low = f"{{select}}(({{0}} {above} {{1}}){nan}, {{0}}, {{1}})"
    return f"{{select}}(({low} {below} {{2}}){nan.replace('{0}', low)}, {low}, {{2}})"


def _cast(node: Node) -> str | None:
    """Write a cast that C defines for all values; None for other casts, such as floats to integers."""
    function: Any = node.function
    source, to = node.args[0].dtype, node.result.dtype
    if type(function) is operator.methodcaller:
        plain = function.__reduce__()[1][0] == "astype" and len(function.__reduce__()[1]) == 2
    else:
        plain = function.__qualname__ == "cast.<locals>.to_integer" if hasattr(function, "__qualname__") else False
    if not plain or (source.kind == "f" and to.kind in "iu"):
        return None
    return "{0} != {of_zero}" if to.kind == "b" and source.kind != "b" else "{0}" if to is source else "{cast}({0})"


def selects(node: Node) -> bool:
    """Return whether the text of a node calls `loop_select` of `numba_parts`."""
    return "{select}" in (_template(node) or "")


def product(node: Node) -> int:
    """Return the exponent of a power that is written as products, which may change last bits; 0 for any other node."""
    if _ufunc(node) != "power" or not isinstance(node.args[1], Constant) or node.args[1].held:
        return 0
    x, n = node.args
    if not isinstance(x, Value) or x.dtype is not node.result.dtype or x.dtype.kind != "f" or n.shape:
        return 0
    exponent = float(n.native)
    return int(exponent) if exponent in range(2, _PRODUCTS + 1) else 0


def _products(x: str, n: int) -> str:
    """Write a power as products, by repeated squares."""
    if n == 1:
        return x
    half = _products(x, n // 2)
    square = f"({half}) * ({half})" if " " in half else f"{half} * {half}"
    return f"{square} * {x}" if n % 2 else square


def literal(x: Any, dtype: Any) -> str:
    """Write a number as an expression of a dtype."""
    if dtype.kind == "b":
        return str(bool(x))
    if dtype.kind != "f":
        return f"np.{dtype}({int(x)})"
    x = float(x)
    if not math.isfinite(x):
        return f"np.{dtype}({'-' * (x < 0)}np.{'nan' if x != x else 'inf'})"
    return f"np.{dtype}({x!r})"


def short(native: Any) -> float | int | bool:
    """Return the number in a 0-d array, with no more digits than its dtype needs."""
    number = native.item()
    if native.dtype.name == "float32":
        shorter = float(str(native[()]))
        return shorter if native.dtype.type(shorter) == native else float(number)
    return number  # type: ignore[no-any-return]


def text_of(node: Node, variables: list[str], functions: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write the expression of a node in a loop, from the variables that hold its operands.

    Parameters
    ----------
    functions: the names of functions of `numba_parts` in the source, by those of the ufuncs. They are of float64.
        `loop_select` is that of "where".
    """
    if function := functions.get(wide(node)):
        dtype = node.result.dtype
        if dtype.bits == 64:
            return f"{function}({', '.join(variables)})"
        return f"np.{dtype}({function}({', '.join([f'np.float64({v})' for v in variables])}))"
    to = node.result.dtype
    if n := product(node):
        return _products(variables[0], n)
    name = _ufunc(node)
    template = _template(node)
    if template is None:
        return f"np.{name}({', '.join(variables)})"
    of = number_dtype(node) if _ufunc(node) is None else _computed_in(node)
    if _ufunc(node) is not None:
        dtypes = [x.dtype if isinstance(x, Value) else of for x in node.args]
        variables = [v if d is of else f"np.{of}({v})" for v, d in zip(variables, dtypes, strict=True)]
    words = {"one": literal(1, of), "zero": literal(0, of), "inf": literal(math.inf, of) if of.kind == "f" else ""}
    select = functions.get("where", "loop_select")
    text = template.format(*variables, **words, of_zero=literal(0, of), cast=f"np.{to}", select=select)
    whole = text.isidentifier() or template.startswith("{select}")
    return f"np.{to}({text})" if to.kind in "iu" and not whole else text
