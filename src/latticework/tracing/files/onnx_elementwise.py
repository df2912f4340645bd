"""Elementwise functions in models of ONNX: operators, and several where one computes otherwise or is missing."""

from __future__ import annotations

import math
from typing import Any

from ...backend import get
from ...core.dtypes import Dtype, bool_, float32, uint32, uint64
from ..nodes import Node
from .onnx_writer import WRITERS, Writer

__all__ = ["common", "length"]

#: Functions of one array -> the operator.
_UNARY = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "exp": "Exp", "floor": "Floor",
    "log": "Log", "logical_not": "Not", "negative": "Neg", "nn.relu": "Relu", "nn.sigmoid": "Sigmoid",
    "nn.softplus": "Softplus", "positive": "Identity", "copy": "Identity", "reciprocal": "Reciprocal",
    "round": "Round", "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "special.erf": "Erf", "nn._erf": "Erf",
    "special.expit": "Sigmoid", "sqrt": "Sqrt",
    "tan": "Tan", "tanh": "Tanh", "nn.mish": "Mish",
    "bitwise_invert": "BitwiseNot", "real": "Identity", "conj": "Identity",
}  # fmt: skip
#: Functions of two arrays of the dtype of the result -> the operator.
_BINARY = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div", "pow": "Pow", "logical_and": "And",
    "logical_or": "Or", "logical_xor": "Xor", "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor", "matmul": "MatMul", "power": "Pow",
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

#: Functions that give whole numbers as they are.
_OF_FLOATS = frozenset(("ceil", "floor", "round"))


def _elementwise(w: Writer, node: Node, *args: Any, **kw: Any) -> Any:
    """Write a function of one or two arrays."""
    name, dtype = node.name, w.dtype(node)
    if kw:
        return NotImplemented
    if name in _UNARY:
        (x,) = args
        if x.dtype.kind in "biu" and name in _OF_FLOATS:
            return w.operand(x, dtype)
        name = _OF_BOOLS.get(name, name) if dtype.kind == "b" else name
        return w.op(_UNARY[name], w.operand(x, dtype))
    first, second = args[::-1] if name.startswith("reflected ") else args
    name = name.removeprefix("reflected ")
    if name in _COMPARISONS:
        operator, negated = _COMPARISONS[name]
        shared = common(w, node)
        found = w.op(operator, w.operand(first, shared), w.operand(second, shared))
        return w.op("Not", found) if negated else found
    name = _OF_BOOLS.get(name, name) if dtype.kind == "b" else name
    if name == "divide" and dtype.kind != "f":
        w.refuse(f"of {dtype} has no operator in ONNX")
    return w.op(_BINARY[name], w.operand(first, dtype), w.operand(second, dtype))


_ELEMENTWISE = frozenset((*_UNARY, *_BINARY, *_COMPARISONS)) | {
    f"reflected {name}" for name in (*_BINARY, *_COMPARISONS)
}


def common(w: Writer, node: Node) -> Dtype:
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


def _kind_of_number(w: Writer, node: Node, x: Any) -> str:
    """Write `isnan`, `isinf` and `isfinite`. An int equals itself, and is finite."""
    name = w.of(x)
    if x.dtype.kind != "f":
        same = w.op("Equal", name, name)
        return same if node.name == "isfinite" else w.op("Not", same)
    if node.name == "isnan":
        return w.op("IsNaN", name)
    infinite = w.op("IsInf", name)
    return infinite if node.name == "isinf" else w.op("Not", w.op("Or", w.op("IsNaN", name), infinite))


def _floor_divide(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write floor division: subtract the remainder, and divide. The operator divides ints towards zero."""
    dtype = w.dtype(node)
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    if dtype.kind in "iu":
        return w.op("Div", w.op("Sub", a, w.op("Mod", a, b)), b)
    if dtype.kind == "b":
        w.refuse(f"of {dtype} has no operator in ONNX")
    zero, one = w.operand(0.0, dtype), w.operand(1.0, dtype)
    left, plain = w.op("Mod", a, b, fmod=1), w.op("Div", a, b)
    found = w.op("Div", w.op("Sub", a, left), b)
    found = w.op("Where", _crosses(w, left, b, zero), w.op("Sub", found, one), found)
    whole = w.op("Floor", found)  # next to an integer, which the division may miss
    short = w.op("Greater", w.op("Sub", found, whole), w.operand(0.5, dtype))
    whole = w.op("Where", short, w.op("Add", whole, one), whole)
    none = w.op("Equal", found, zero)  # which has the sign of the quotient
    minus = w.op("Where", w.op("And", none, _has_sign(w, plain, dtype)), w.operand(-1.0, dtype), one)
    whole = w.op("Mul", w.op("Where", none, zero, whole), minus)
    return w.op("Where", w.op("Equal", b, zero), plain, whole)


def _crosses(w: Writer, left: str, b: str, zero: str) -> str:
    """Write where a remainder has another sign than the divisor."""
    other = w.op("Xor", w.op("Less", left, zero), w.op("Less", b, zero))
    return w.op("And", other, w.op("Not", w.op("Equal", left, zero)))


def _remainder(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write the remainder with the sign of the divisor. For floats, the operator's has the sign of the dividend."""
    dtype = w.dtype(node)
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    if dtype.kind in "iu":
        return w.op("Mod", a, b)
    zero = w.operand(0, dtype)
    left = w.op("Mod", a, b, fmod=1)
    return w.op("Where", _crosses(w, left, b, zero), w.op("Add", left, b), left)


def _fmod(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write the remainder with the sign of the dividend."""
    dtype = w.dtype(node)
    return w.op("Mod", w.operand(x, dtype), w.operand(y, dtype), fmod=1)


def _trunc(w: Writer, node: Node, x: Any) -> str:
    dtype = w.dtype(node)
    name = w.operand(x, dtype)
    if dtype.kind != "f":
        return name
    return w.op("Where", w.op("Greater", name, w.operand(0.0, dtype)), w.op("Floor", name), w.op("Ceil", name))


# --- signs and angles ------------------------------------------------------------------------------------------------
# onnxruntime's Where gives 0 for -0 in its second input: what may be -0 is the third one, or a product with -1.


def _has_sign(w: Writer, name: str, dtype: Dtype) -> str:
    """Write where numbers are negative, or zeros with a sign: ``1 / x`` has it. A nan has none."""
    zero = w.operand(0.0, dtype)
    return w.op("Or", w.op("Less", name, zero), w.op("Less", w.op("Reciprocal", name), zero))


def _with_sign(w: Writer, size: str, signed: str, dtype: Dtype) -> str:
    """Write numbers that are not negative with the signs of others."""
    one, minus = (w.operand(n, dtype) for n in (1.0, -1.0))
    return w.op("Mul", size, w.op("Where", _has_sign(w, signed, dtype), minus, one))


def _signbit(w: Writer, node: Node, x: Any) -> str:
    if x.dtype.kind != "f":
        return w.op("Less", w.operand(x, x.dtype), w.operand(0, x.dtype))
    return _has_sign(w, w.of(x), x.dtype)


def _copysign(w: Writer, node: Node, x: Any, y: Any) -> str:
    dtype = w.dtype(node)
    return _with_sign(w, w.op("Abs", w.operand(x, dtype)), w.operand(y, dtype), dtype)


def _atan2(w: Writer, node: Node, y: Any, x: Any) -> str:
    """Write the angle of points: that of ``y / x``, and half a turn more where x has a sign.

    The quotient of two infinities is taken as that of ones, and of two zeros as the first.
    """
    dtype = w.dtype(node)
    a, b, zero = w.operand(y, dtype), w.operand(x, dtype), w.operand(0.0, dtype)
    both = w.op("And", w.op("IsInf", a), w.op("IsInf", b))
    neither = w.op("And", w.op("Equal", a, zero), w.op("Equal", b, zero))
    above, below = (w.op("Where", both, w.op("Sign", x), x) for x in (a, b))
    below = w.op("Where", neither, w.operand(1.0, dtype), below)
    angle = w.op("Atan", w.op("Div", above, below))
    behind = w.op("Add", angle, _with_sign(w, w.operand(math.pi, dtype), a, dtype))
    return w.op("Where", _has_sign(w, b, dtype), behind, angle)


def _hypot(w: Writer, node: Node, x: Any, y: Any) -> str:
    dtype = w.dtype(node)
    return length(w, w.operand(x, dtype), w.operand(y, dtype), dtype)


def length(w: Writer, x: str, y: str, dtype: Dtype) -> str:
    """Write ``sqrt(x * x + y * y)`` of any size: the larger times the root of 1 and a square of at most 1.

    It is infinite where one of both is, and 0 where both are.
    """
    a, b = w.op("Abs", x), w.op("Abs", y)
    second = w.op("Less", a, b)
    large, small = w.op("Where", second, b, a), w.op("Where", second, a, b)
    ratio = w.op("Div", small, large)
    root = w.op("Sqrt", w.op("Add", w.op("Mul", ratio, ratio), w.operand(1.0, dtype)))
    zero = w.operand(0.0, dtype)
    found = w.op("Where", w.op("Equal", w.op("Add", a, b), zero), zero, w.op("Mul", large, root))
    infinite = w.op("Or", w.op("IsInf", a), w.op("IsInf", b))
    return w.op("Where", infinite, w.operand(math.inf, dtype), found)


def _imag(w: Writer, node: Node, x: Any) -> str:
    """Write the imaginary parts of reals: zeros."""
    return w.op("Expand", w.operand(0, w.dtype(node)), w.op("Shape", w.of(x)))


# --- bits ------------------------------------------------------------------------------------------------------------


def _shift(w: Writer, node: Node, x: Any, count: Any) -> str:
    """Write shifts of bits, by the operator for unsigned ints. Negative ints are shifted as what inverts them."""
    dtype = w.dtype(node)
    wide = uint64 if dtype.itemsize == 8 else uint32
    name, by = w.operand(x, dtype), w.operand(count, dtype)
    left, signed = node.name.endswith("left_shift"), dtype.kind == "i"
    inverted = signed and not left
    negative = w.op("Less", name, w.operand(0, dtype)) if inverted else ""
    if inverted:
        name = w.op("Where", negative, w.op("BitwiseNot", name), name)
    short = w.op("Less", by, w.operand(8 * dtype.itemsize, dtype))
    amount = w.op("Where", short, by, w.operand(0, dtype))
    moved = w.op("BitShift", *[w.op("Cast", n, to=w.code(wide)) for n in (name, amount)],
                 direction="LEFT" if left else "RIGHT")  # fmt: skip
    found = w.op("Where", short, w.op("Cast", moved, to=w.code(dtype)), w.operand(0, dtype))
    return w.op("Where", negative, w.op("BitwiseNot", found), found) if inverted else found


# --- choices and casts -----------------------------------------------------------------------------------------------


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
    limits = [w.initializer(np.asarray(n, dtype=kind)) for n in (high, low)]
    return w.op("Where", above, limits[0], w.op("Where", below, limits[1], found))


# --- exponentials and logarithms --------------------------------------------------------------------------------------


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


def _logaddexp(w: Writer, node: Node, x: Any, y: Any) -> str:
    """Write ``log(exp(x) + exp(y))``: the larger, and log1p of the rest; the larger itself where they are infinite."""
    dtype = w.dtype(node)
    a, b = w.operand(x, dtype), w.operand(y, dtype)
    larger = w.op("Where", w.op("Or", w.op("Greater", a, b), w.op("IsNaN", a)), a, b)
    apart = w.op("Neg", w.op("Abs", w.op("Sub", a, b)))
    found = w.op("Add", larger, _log_of_one_more(w, w.op("Exp", apart), dtype))
    return w.op("Where", w.op("Equal", a, b), w.op("Add", a, w.operand(0.6931471805599453, dtype)), found)


WRITERS.update(dict.fromkeys(_ELEMENTWISE, _elementwise))
WRITERS.update({
    "maximum": _largest, "minimum": _largest, "square": _square, "nn.silu": _silu,
    **dict.fromkeys(("isnan", "isinf", "isfinite"), _kind_of_number),
    "floor_divide": _floor_divide, "remainder": _remainder, "fmod": _fmod, "trunc": _trunc,
    "signbit": _signbit, "copysign": _copysign, "atan2": _atan2, "hypot": _hypot, "imag": _imag,
    "bitwise_left_shift": _shift, "bitwise_right_shift": _shift,
    "where": _where, "_clip": _clip, "cast": _cast, "narrow": _cast, "index_array": _cast,
    "expm1": _expm1, "log1p": _log1p, "log2": _log_of_base, "log10": _log_of_base, "logaddexp": _logaddexp,
})  # fmt: skip
