"""TensorFlow: each of its kernels is registered for a list of dtypes, and refuses all others.

By default operands do not promote. In the modes ``all`` and ``safe`` the arithmetic functions promote, and so do
``equal`` and ``matmul``; comparisons by order, `where`, `concat`, bitwise functions and the rest still want operands
of one dtype, and take Python scalars as they do by default. Only the arithmetic functions keep weak results weak.

A division makes float32 of integers of up to 16 bits and float64 of the others. Tensors do not change in place.

Source: tensorflow/core/ops/math_ops.cc and others (the T of each REGISTER_OP); tensorflow/python/ops/math_ops.py
(_TRUEDIV_TABLE); tensorflow/python/ops/weak_tensor_ops.py.
"""

from __future__ import annotations

from typing import Any

from ...core.dtypes import Dtype, bfloat16, float32
from ..rules import Default, Operand, Result, Rules, is_strong
from . import Families, Family, derived, group, same_dtype

_INT = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_SIGNED = "int8 int16 int32 int64"
_FLOAT = "bfloat16 float16 float32 float64"
_COMPLEX = "complex64 complex128"
_REAL = f"{_INT} {_FLOAT}"
_NUMBER = f"{_REAL} {_COMPLEX}"
_ANY = f"bool {_NUMBER}"
_KERNEL = f"float16 float32 float64 {_COMPLEX}"
_WEAK = "int32 int64 float32 float64 complex128".split()
_DIVIDED = "int8,int16,uint8,uint16 -> float32; int32,int64,uint32,uint64 -> float64"

#: The operations that promote in the modes ``all`` and ``safe``, and those that never promote.
FLEXIBLE = Family("arithmetic", only=_NUMBER, special="flexible")
FIXED = Family("one dtype", check_all_same_dtype=True, joined_by="tensorflow", weak="", special="fixed")
UNARY = Family("unary")
REDUCED = Family("reduction", weak="")

operations = group(
    (FLEXIBLE, "add subtract multiply floor_divide"),
    (FLEXIBLE._replace(name="true divide", computes=_DIVIDED, only=f"{_FLOAT} {_COMPLEX}"), "divide"),
    (FLEXIBLE._replace(name="remainder", only=_REAL), "remainder"),
    (FLEXIBLE._replace(name="maximum", only=_REAL, weak=""), "maximum minimum"),
    (FLEXIBLE._replace(name="clip", only=_REAL, special="clip"), "clip"),
    (FLEXIBLE._replace(name="power", only=f"{_SIGNED} {_FLOAT} {_COMPLEX}"), "pow"),
    (FLEXIBLE._replace(name="equality", only="", out="bool", weak=""), "equal"),
    (
        FLEXIBLE._replace(
            name="matrix product", only=f"int32 int64 uint8 uint16 uint32 uint64 {_FLOAT} {_COMPLEX}", special="product"
        ),
        "matmul",
    ),
    (
        FLEXIBLE._replace(
            name="tensor product",
            only=f"int32 int64 uint8 uint16 uint32 uint64 {_FLOAT} {_COMPLEX}",
            special="strong product",
        ),
        "tensordot",
    ),
    (FIXED._replace(name="inequality", out="bool"), "not_equal"),
    (FIXED._replace(name="comparison", only=_REAL, out="bool"), "less less_equal greater greater_equal"),
    (
        FIXED._replace(name="bitwise", only=_INT),
        ("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift"),
    ),
    (FIXED._replace(name="logical", only="bool", out="bool"), "logical_and logical_or logical_xor"),
    (FIXED._replace(name="floating", only=_FLOAT), "atan2"),
    (FIXED._replace(name="next floating", only="float32 float64"), "nextafter"),
    (FIXED, "where concat stack"),
    (FIXED._replace(name="cross product", only=_REAL), "linalg.cross"),
    (FIXED._replace(name="solve", only=_KERNEL), "linalg.solve"),
    (FIXED._replace(name="search", out="int32"), "searchsorted"),
    (REDUCED._replace(name="bitwise complement", only=_INT), "bitwise_invert"),
    (REDUCED._replace(name="any dtype"), "broadcast_to repeat roll tile unstack tril take unique_values"),
    (UNARY._replace(name="logical", only="bool", out="bool", weak=""), "logical_not all any"),
    (UNARY._replace(name="square", only=_NUMBER), "square"),
    (UNARY._replace(name="reciprocal", only=f"{_SIGNED} {_FLOAT} {_COMPLEX}"), "reciprocal"),
    (UNARY._replace(name="negative", only=f"{_SIGNED} {_FLOAT} {_COMPLEX}"), "negative sign"),
    (UNARY._replace(name="absolute value", only=f"{_SIGNED} {_FLOAT} {_COMPLEX}", out="real"), "abs"),
    (UNARY._replace(name="real part", only=_NUMBER, out="real"), "real"),
    (UNARY._replace(name="imaginary part", out="real"), "imag"),
    (UNARY._replace(name="TensorFlow's dtypes", weak="", only=_ANY), "flip"),
    (UNARY._replace(name="ones", only=_ANY), "ones_like"),
    (UNARY._replace(name="conjugate", takes="iufc"), "conj"),
    (
        UNARY._replace(name="floating", only=f"{_FLOAT} {_COMPLEX}"),
        ("exp expm1 log log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"),
    ),
    (UNARY._replace(name="rounding", only=_FLOAT), "ceil floor"),
    (UNARY._replace(name="round", only=_NUMBER), "round"),
    (UNARY._replace(name="predicate", only=_FLOAT, out="bool", weak=""), "isfinite isinf isnan"),
    (UNARY._replace(name="sum", only=_NUMBER), "sum prod mean linalg.trace"),
    (REDUCED._replace(name="cumulative sum", only=_NUMBER), "cumulative_sum cumulative_prod"),
    (UNARY._replace(name="variance", only=f"{_FLOAT} {_COMPLEX}", out="real"), "std var"),
    (UNARY._replace(name="extremum", only=_REAL), "max min"),
    (REDUCED._replace(name="sort", only=_REAL), "sort"),
    (REDUCED._replace(name="position", only=f"bool {_REAL}", out="int64"), "argmax argmin"),
    (REDUCED._replace(name="argsort", only=_REAL, out="int32"), "argsort"),
    (REDUCED._replace(name="count", only=_ANY, out="int64"), "count_nonzero nonzero"),
    (REDUCED._replace(name="norm", only=f"{_FLOAT} {_COMPLEX}"), "linalg.vector_norm"),
    (
        REDUCED._replace(name="decomposition", only=_KERNEL),
        ("linalg.cholesky linalg.det linalg.slogdet linalg.qr linalg.inv linalg.eigh linalg.eigvalsh"),
    ),
    (REDUCED._replace(name="singular values", only=_KERNEL, out="real"), "linalg.svdvals"),
    (REDUCED._replace(name="real decomposition", only="float16 float32 float64"), "linalg.pinv"),
    (REDUCED._replace(name="rank", only="float16 float32 float64", out="int32"), "linalg.matrix_rank"),
    (
        REDUCED._replace(name="eigenvalues", only=f"float32 float64 {_COMPLEX}", out="complex"),
        ("linalg.eig linalg.eigvals"),
    ),
    (REDUCED._replace(name="Fourier transform", only=_COMPLEX), "fft.fft fft.ifft"),
    (REDUCED._replace(name="real Fourier transform", only="float32 float64", out="complex"), "fft.rfft"),
    (REDUCED._replace(name="inverse real Fourier transform", only=_COMPLEX, out="real"), "fft.irfft"),
)


def flexible(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The join by the rules; but a Python bool becomes only the dtypes that it becomes by default."""
    from ..tensorflow import rules as plain

    for x in operands:
        if isinstance(x, bool) or x is bool:
            for other in operands:
                if is_strong(other):
                    plain.result([other, x], default)
    return rules.result(operands, default)


def fixed(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The join by the default rules, whatever the mode: one dtype, and scalars that become it."""
    from ..tensorflow import rules as plain

    return plain.result(operands, default)


def clip(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The maximum of a minimum, both strong; the result is weak again where the array is weak."""
    array = operands[0]
    weak = isinstance(array, Operand) and array.weak
    found: Any = array._replace(weak=False) if isinstance(array, Operand) else array
    for limit in operands[1:]:
        found = flexible(rules, [found, limit], default).dtype
        found = flexible(rules, [found, limit], default).dtype
    if weak and str(found) not in _WEAK:
        raise rules.refused(operands, f"{found} is not allowed as a weak type")
    return Result(found, weak)


def product(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The join by the rules; but bfloat16 and float32 are multiplied as they are, into float32."""
    dtypes = {x if type(x) is Dtype else x.dtype for x in operands if type(x) is Dtype or not getattr(x, "weak", True)}
    if dtypes == {bfloat16, float32}:
        return Result(float32)
    return rules.result(operands, default)


def strong_product(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The dtype of a matrix product, of operands made strong."""
    return product(rules, [x._replace(weak=False) if isinstance(x, Operand) else x for x in operands], default)


families = Families(
    "tensorflow",
    operations,
    derived,
    same_dtype,
    "new",
    {"flexible": flexible, "fixed": fixed, "product": product, "strong product": strong_product, "clip": clip},
)
