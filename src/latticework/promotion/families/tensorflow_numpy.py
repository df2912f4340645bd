"""tf.experimental.numpy: NumPy's common dtype, then a kernel of TensorFlow's, registered for a list of dtypes.

Much that NumPy computes is refused: a sine of integers, bitwise functions of floats, an order of complex numbers.
A division is TensorFlow's, float32 for integers of up to 16 bits. Tensors do not change in place.

Source: tensorflow/python/ops/numpy_ops/np_math_ops.py; https://www.tensorflow.org/guide/tf_numpy.
"""

from __future__ import annotations

from typing import Any

from ..rules import Default, Result, Rules
from . import Families, Family, derived, group, same_dtype
from .tensorflow import _ANY, _COMPLEX, _DIVIDED, _FLOAT, _INT, _NUMBER, _REAL, _SIGNED

_NATIVE = f"float16 float32 float64 {_COMPLEX}"
_BOOLS = "bool -> int8"
_SUMS = "bool,int8,int16,int32 -> int64; uint8,uint16,uint32 -> uint64"
_WIDE = f"bool,{_INT.replace(' ', ',')} -> float64"

ARITHMETIC = Family("arithmetic", only=_ANY)
PREDICATE = Family("predicate", out="bool")


def each(rules: Rules, operands: list[Any], default: Default) -> Result:
    """Each operand is cast to bool by itself: they need no common dtype."""
    return rules.result(operands[:1], default)


def strong(rules: Rules, operands: list[Any], default: Default) -> Result:
    """A Python scalar has the default dtype of its kind, and all operands have to have one dtype."""
    dtypes = {rules.result([x], default).dtype for x in operands}
    if len(dtypes) > 1:
        raise rules.refused(operands, "they are added as they are")
    return Result(dtypes.pop())


families = Families(
    "tensorflow",
    group(
        (ARITHMETIC, "add multiply linalg.outer"),
        (Family("conjugate", takes="iufc"), "conj"),
        (ARITHMETIC._replace(name="subtract", only=_NUMBER), "subtract square tril triu linalg.trace"),
        (ARITHMETIC._replace(name="true divide", computes=f"bool -> float64; {_DIVIDED}"), "divide"),
        (ARITHMETIC._replace(name="floor divide", computes=_BOOLS), "floor_divide"),
        (ARITHMETIC._replace(name="remainder", computes=_BOOLS, only=_REAL), "remainder"),
        (ARITHMETIC._replace(name="power", only=f"{_SIGNED} {_FLOAT} {_COMPLEX}"), "pow"),
        (ARITHMETIC._replace(name="floating", only=_FLOAT), "atan2"),
        (ARITHMETIC._replace(name="next floating", only="float32 float64"), "nextafter"),
        (Family("same dtype", only=_NATIVE, special="strong"), "hypot"),
        (Family("log of sums", only="float16 float32 float64", joined_by="tensorflow"), "logaddexp"),
        (ARITHMETIC._replace(name="maximum", only=f"bool {_REAL}"), "maximum minimum"),
        (PREDICATE._replace(name="comparison", only=f"bool {_REAL}"), "less less_equal greater greater_equal"),
        (PREDICATE._replace(name="equality"), "equal not_equal isclose allclose"),
        (PREDICATE._replace(name="logical", special="each"), "logical_and logical_or logical_xor logical_not all any"),
        (PREDICATE._replace(only="float16 float32 float64"), "isfinite isnan"),
        (PREDICATE._replace(only=f"bool {_INT} float16 float32 float64 {_COMPLEX}"), "isinf"),
        (PREDICATE._replace(name="sign bit", only=f"bool {_REAL}"), "signbit"),
        (Family("bitwise", only=f"bool {_INT}"), "bitwise_and bitwise_or bitwise_xor bitwise_invert"),
        (Family("common dtype"), "where concat stack hstack"),
        (
            Family("matrix product", only=f"int32 int64 uint8 uint16 uint32 uint64 {_FLOAT} {_COMPLEX}"),
            "matmul tensordot",
        ),
        (Family("cross product", only=_REAL), "linalg.cross"),
        (Family("clip", only=_REAL), "clip"),
        (Family("reciprocal", only=f"{_SIGNED} {_FLOAT} {_COMPLEX}"), "reciprocal negative sign"),
        (Family("absolute value", only=f"{_SIGNED} {_FLOAT} {_COMPLEX}", out="real"), "abs"),
        (
            Family("floating unary", only=_NATIVE),
            "exp expm1 log log1p log2 log10 sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh",
        ),
        (Family("rounding", only="float16 float32 float64"), "ceil floor"),
        (Family("round", only=_COMPLEX), "round"),
        (Family("real part", only=_NUMBER, out="real"), "real"),
        (Family("imaginary part", out="real"), "imag"),
        (Family("any dtype"), "positive"),
        (Family("TensorFlow's dtypes", only=_ANY), "flip flipud fliplr ones_like diff"),
        (Family("position", only=f"bool {_REAL}", out="int64"), "argmax argmin"),
        (Family("argsort", only=_REAL, out="int64"), "argsort"),
        (Family("count", only=_ANY, out="int64"), "count_nonzero"),
        (Family("sort", only=_REAL), "sort"),
        (
            Family(
                "cumulative sum",
                only=_NUMBER,
                results="int8,int16,int32,uint8,uint16,uint32 -> int64; uint64 -> float64",
            ),
            "cumulative_sum cumulative_prod",
        ),
        (Family("sum", only=_ANY, results=_SUMS), "sum prod"),
        (Family("extremum", only=f"bool {_REAL}"), "max min"),
        (Family("mean", only=f"{_FLOAT} {_COMPLEX}", computes=_WIDE), "mean"),
        (Family("variance", only=f"{_FLOAT} {_COMPLEX}", computes=_WIDE, out="real"), "std var"),
    ),
    derived,
    same_dtype,
    "new",
    {"each": each, "strong": strong},
)
