"""JAX: its functions promote their operands, make integers inexact where they compute in floats, and keep weak flags.

In a floating function 64-bit integers are float64, and all others float32; without 64-bit types there are only the
others. A comparison of weak operands is weak. Reductions give strong results. Arrays do not change in place: ``x += y``
makes a new array of the result's dtype.

Source: jax/_src/numpy/util.py (promote_args, promote_args_inexact, promote_args_numeric); jax/_src/numpy/ufuncs.py;
jax/_src/numpy/reductions.py; https://docs.jax.dev/en/latest/type_promotion.html.
"""

from __future__ import annotations

from typing import Any

from ...core.dtypes import Dtype
from ..rules import Default, Operand, Result, Rules
from . import Families, Family, derived, group

_SMALL = "bool,int4,int8,int16,int32,uint4,uint8,uint16,uint32"
_WIDER = f"{_SMALL} -> float32; int64,uint64 -> float64"
#: Most functions cannot make integers of one and two bits inexact; a division and a mean keep their dtype.
_INEXACT = f"{_WIDER}; int1,int2,uint1,uint2 -> refused"
_LEFT = f"{_WIDER}; int1 -> int1; int2 -> int2; uint1 -> uint1; uint2 -> uint2"
_FFT = f"{_INEXACT}; float16,bfloat16,float8_e4m3fn -> float32"
_SUMS = "bool,int8,int16,int32 -> int*; uint8,uint16,uint32 -> uint*"
_NUMBER = "bool -> int32"

FLOAT = Family("inexact", promote_integer_inputs_to_float=True, takes="fc", computes=_INEXACT)
REAL = FLOAT._replace(name="real inexact", takes="f")
STRONG = FLOAT._replace(name="strong inexact", weak="")
PRODUCT = Family("matrix product", special="preferred")


def power(rules: Rules, operands: list[Any], default: Default) -> Result:
    """An integer exponent of known value keeps the base's dtype; an integer array keeps that of a floating base."""
    base, exponent = operands
    x1, x2 = rules.result([base], default), rules.result([exponent], default)
    if type(exponent) in (int, bool) or exponent is int or exponent is bool:
        return _number(x1)
    if isinstance(exponent, Operand) and exponent.zero_dim and exponent.dtype.kind in "iu":
        return _number(x1)
    found = rules.result(operands, default)
    if x1.dtype.kind in "fc" and x2.dtype.kind in "iu":
        return x1._replace(weak=x1.weak and x2.weak)
    return _number(found)._replace(weak=found.weak and found.dtype.kind in "fc")


def _number(found: Result) -> Result:
    return Result(Dtype("int32")) if found.dtype.kind == "b" else found


def wide(rules: Rules, operands: list[Any], default: Default) -> Result:
    """A weak result has the default width."""
    found = rules.result(operands, default)
    return found._replace(dtype=rules.defaults[found.dtype.kind]) if found.weak else found


def floor_divide(rules: Rules, operands: list[Any], default: Default) -> Result:
    """Weak signed integers take the default width, and weak floats of another width are refused."""
    found = rules.result(operands, default)
    if found.dtype.kind == "u":
        return found
    broad = wide(rules, operands, default)
    if found.dtype is not broad.dtype and found.dtype.kind == "f":
        raise rules.refused(operands, "lax.select requires arguments to have the same dtypes")
    return broad


def strong_integers(rules: Rules, operands: list[Any], default: Default) -> Result:
    """Weak floats stay weak, and weak integers become a strong float."""
    found = rules.result(operands, default)
    return found._replace(weak=found.weak and found.dtype.kind in "fc")


def preferred(rules: Rules, operands: list[Any], default: Default) -> Result:
    """A weak result has the default width; a weak operand must not be wider than the result, but for floats."""
    found = wide(rules, operands, default)
    if {rules.result([x], default).dtype for x in operands} == {"bool", "int1"}:
        raise rules.refused(operands, "lax.dot_general takes no such pair")
    for x in operands:
        own = rules.result([x], default)
        alike = own.dtype.kind == found.dtype.kind == "c" or {own.dtype.kind, found.dtype.kind} <= {"i", "u"}
        if own.weak and alike and own.dtype.bits > found.dtype.bits:
            raise rules.refused(operands, "`preferred_element_type` must not be narrower than the original type")
    return found


families = Families(
    "jax",
    group(
        (Family("arithmetic"), "add multiply maximum minimum fmax fmin where linalg.outer"),
        (Family("concatenation", weak="iufc"), "concat stack hstack diff"),
        (Family("subtract", takes="iufc"), "subtract"),
        (Family("remainder", takes="iuf", computes=_NUMBER), "remainder fmod"),
        (Family("floor divide", takes="iuf", computes=_NUMBER, special="floor_divide"), "floor_divide"),
        (Family("power", special="power", no_negative=True, low_bits=True, looks_at="constant"), "pow"),
        (FLOAT._replace(name="true divide", computes=_LEFT, takes="iufc"), "divide"),
        (
            FLOAT,
            (
                "atan2 reciprocal exp exp2 expm1 log log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh"
                " acosh atanh linalg.cholesky linalg.qr linalg.svd linalg.det linalg.slogdet linalg.solve"
            ),
        ),
        (REAL, "copysign nextafter cbrt fabs modf"),
        (REAL._replace(name="strong real inexact", weak=""), "frexp ldexp"),
        (REAL._replace(name="hypotenuse", weak="", weak_zero_dim="f", looks_at="zero_dim"), "hypot heaviside"),
        (STRONG._replace(name="log of sums of powers", weak_zero_dim="fc", looks_at="zero_dim"), "logaddexp2"),
        (FLOAT._replace(name="log of sums", weak="f", weak_zero_dim="fc", looks_at="zero_dim"), "logaddexp"),
        (STRONG._replace(name="mean", computes=_LEFT, takes="iufc"), "mean"),
        (
            STRONG,
            "log2 log10 linalg.inv linalg.pinv sinc deg2rad rad2deg nanmean cov corrcoef trapezoid polyder",
        ),
        (Family("default float", promote_integer_inputs_to_float=True, takes="fc", special="strong_integers"), "rint"),
        (
            Family("angle", promote_integer_inputs_to_float=True, takes="fc", out="real", special="strong_integers"),
            "angle",
        ),
        (Family("unwrapping", promote_integer_inputs_to_float=True, takes="f", weak="", special="wide"), "unwrap"),
        (REAL._replace(name="median", weak="", special="wide"), "median nanmedian"),
        (STRONG._replace(name="variance", out="real"), "std var linalg.matrix_norm linalg.norm"),
        (Family("comparison", out="bool"), "equal not_equal less less_equal greater greater_equal isnan"),
        (
            Family("logical", out="bool", weak="", weak_zero_dim="biufc", looks_at="zero_dim"),
            "logical_and logical_or logical_xor",
        ),
        (Family("predicate", out="bool", weak=""), "isinf all any isin isclose array_equal allclose isreal iscomplex"),
        (
            Family("logical complement", out="bool", weak="b", weak_zero_dim="biufc", looks_at="zero_dim"),
            "logical_not",
        ),
        (Family("finite", out="bool", weak="fc"), "isfinite"),
        (Family("replacement of nan", weak="biu"), "nan_to_num"),
        (Family("unique", weak="biuf"), "unique_all unique_counts unique_inverse unique_values"),
        (Family("sign bit", out="bool", weak="", takes="biuf"), "signbit isposinf isneginf"),
        (Family("bit count", out="uint8", weak="", takes="biu"), "bitwise_count"),
        (Family("divisor", takes="iu", weak=""), "gcd lcm"),
        (Family("bitwise", takes="biu"), "bitwise_and bitwise_or bitwise_xor bitwise_invert"),
        (Family("shift", takes="iu", computes=_NUMBER), "bitwise_left_shift bitwise_right_shift"),
        (Family("square", computes=_NUMBER), "square"),
        (Family("negative", takes="iufc"), "negative sign round"),
        (Family("any dtype"), "positive conj sort"),
        (Family("absolute value", computes="int1 -> int8", out="real"), "abs"),
        (Family("components", out="real"), "real imag"),
        (Family("rounding", takes="biuf"), "ceil floor trunc"),
        (Family("clip", takes="biuf"), "clip"),
        (Family("sum", results=_SUMS, weak=""), "sum prod nansum nanprod cumulative_sum linalg.trace"),
        (Family("cumulative sum or product", results="bool -> int*", weak=""), "cumulative_prod cumsum cumprod"),
        (Family("extremum", weak=""), "max min nanmax nanmin"),
        (Family("range", takes="iufc", weak=""), "ptp"),
        (Family("diagonal", weak="b"), "linalg.diagonal"),
        (
            Family("position", out="int", weak=""),
            "argmax argmin nanargmax nanargmin argsort count_nonzero nonzero linalg.matrix_rank",
        ),
        (Family("search", weak="", out="int32"), "searchsorted"),
        (PRODUCT, "matmul vecdot tensordot"),
        (Family("cross product", takes="iufc", weak=""), "linalg.cross"),
        (Family("matrix power", special="wide", weak="iufc"), "linalg.matrix_power"),
        (Family("norm", promote_integer_inputs_to_float=True, takes="fc", out="real", weak=""), "linalg.vector_norm"),
        (
            FLOAT._replace(name="eigenvalues of a symmetric matrix", out="real"),
            "linalg.eigh linalg.eigvalsh linalg.svdvals",
        ),
        (FLOAT._replace(name="eigenvalues", out="complex"), "linalg.eig linalg.eigvals"),
        (
            STRONG._replace(name="Fourier transform", computes=_FFT, out="complex"),
            "fft.fft fft.ifft fft.fftn fft.ifftn",
        ),
        (
            STRONG._replace(name="real Fourier transform", takes="f", only="float32 float64", out="complex"),
            "fft.rfft fft.ihfft fft.rfftn",
        ),
        (
            STRONG._replace(name="inverse real Fourier transform", computes=_FFT, out="real"),
            "fft.irfft fft.hfft fft.irfftn",
        ),
    ),
    derived,
    lambda result, target: True,
    in_place="new",
    special={
        "power": power,
        "wide": wide,
        "strong_integers": strong_integers,
        "floor_divide": floor_divide,
        "preferred": preferred,
    },
)
