"""PyTorch: the configurations of TensorIterator, and the operations that do without it.

A given array, in place or as ``out=``, takes any result that is not of a higher category, where the operation casts
to it at all. An operation for which a device has no kernel fails there too; that is no rule of promotion, and these
families say what TensorIterator makes of the operands.

Source: aten/src/ATen/TensorIterator.cpp (compute_types), aten/src/ATen/TensorIterator.h (the config macros of
BINARY_OP_CONFIG and others); https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc.
"""

from __future__ import annotations

from typing import Any

from ...core.dtypes import KIND_ORDER, Dtype, bool_, complex64, complex128, int64
from ..rules import Default, Operand, Result, Rules, is_strong, kind_of
from . import Families, Family, derived, group

_INTEGERS = "bool,uint8,int8,int16,int32,int64,uint16,uint32,uint64"
_FLOATS = "float16 bfloat16 float32 float64 float8_e4m3fn float8_e5m2 float8_e8m0fnu"
_FFT = "float32 float64 complex64 complex128"

ARITHMETIC = Family("arithmetic")
FLOAT = Family("true divide", promote_integer_inputs_to_float=True)
COMPARISON = Family("comparison", out="bool")
REDUCTION = Family("sum", enforce_safe_casting_to_output=False, results=f"{_INTEGERS} -> int64")
ALIKE = Family("same dtype", promote_inputs_to_common_dtype=False, check_all_same_dtype=True,
               cast_common_dtype_to_outputs=False)  # fmt: skip
LINALG = Family("linear algebra", cast_common_dtype_to_outputs=False, check_all_same_dtype=True, takes="fc",
                reason="expected a floating point or complex tensor")  # fmt: skip
FOURIER = Family("Fourier transform", promote_integer_inputs_to_float=True, cast_common_dtype_to_outputs=False,
                 takes="fc", only=_FFT, out="complex")  # fmt: skip


def can_cast(result: Dtype, target: Dtype) -> bool:
    """Return `torch.can_cast`: casts go to no lower category."""
    return KIND_ORDER.get(result.kind, 4) <= KIND_ORDER.get(target.kind, 4)


def isin(rules: Rules, operands: list[Any], default: Default) -> Result:
    """Operands of bool, complex64 and complex128 are refused."""
    found = rules.result(operands, default)
    for x in operands:
        dtype = x if type(x) is Dtype else x.dtype if isinstance(x, Operand) else rules.result([x], default).dtype
        if dtype in (bool_, complex64, complex128):
            raise rules.refused(operands, f"unsupported input type {dtype}")
    return found


def float_power(rules: Rules, operands: list[Any], default: Default) -> Result:
    """Always float64, or complex128 for complex operands."""
    return Result(Dtype("complex128" if any(kind_of(x) == "c" for x in operands) else "float64"))


def ldexp(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The dtype of x * base**y, where the base is a 0-d tensor of x's dtype, or a number where x has integers.

    latticework's function takes only integers as exponents, which do not join: a missing y is an int64 array.
    """
    x, y = operands if len(operands) > 1 else (*operands, int64)
    own = rules.result([x], default).dtype
    base: Any = Operand(own, zero_dim=True) if own.kind in "fc" else 2.0
    power = rules.result([base, y], default).dtype
    flat = (isinstance(y, Operand) and y.zero_dim) or not is_strong(y)
    return rules.result([x, Operand(power, zero_dim=flat)], default)


def addcdiv(rules: Rules, operands: list[Any], default: Default) -> Result:
    """An integer divisor is refused."""
    if kind_of(operands[-1]) in "biu":
        raise rules.refused(operands, "integer division with addcdiv is no longer supported")
    return rules.result(operands, default)


def first(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The dtype of the first operand, which is written into."""
    return rules.result(operands[:1], default)


def first_value(rules: Rules, operands: list[Any], default: Default) -> Result:
    """The dtype of the first operand, if the value can be converted to it."""
    found = first(rules, operands, default)
    if not is_strong(operands[1]) and kind_of(operands[1]) == "c" and found.dtype.kind not in "bc":
        raise rules.refused(operands, f"the value cannot be converted to {found.dtype}")
    return found


families = Families(
    "torch",
    group(
        (
            ARITHMETIC,
            (
                "add multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor bitwise_left_shift"
                " bitwise_right_shift hypot logaddexp logaddexp2 nextafter bitwise_invert fmod gcd lcm addcmul"
            ),
        ),
        (Family("power", no_negative=True), "pow"),
        (Family("subtract", operands="iufc", reason="use logical_xor or bitwise_xor instead"), "subtract rsub"),
        (Family("maximum", takes="biuf"), "maximum minimum fmax fmin"),
        (Family("clamp", takes="biuf", exact_with_scalars=True), "clip"),
        (
            FLOAT,
            (
                "divide atan2 copysign xlogy reciprocal exp expm1 log log1p log2 log10 sqrt sin cos tan asin acos atan"
                " sinh cosh tanh asinh acosh atanh exp2 special.expit"
            ),
        ),
        (
            COMPARISON,
            "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not",
        ),
        (Family("isin", out="bool", cast_common_dtype_to_outputs=False, special="isin"), "isin"),
        (ALIKE._replace(name="isclose", out="bool"), "isclose"),
        (Family("square", computes="bool -> int64"), "square"),
        (Family("negative", takes="iufc", reason="use logical_not or bitwise_invert instead"), "negative positive"),
        (
            Family(
                "absolute value",
                cast_common_dtype_to_outputs=False,
                out="real",
                out_dtypes="; ".join(f"{c} -> {c} {_FLOATS}" for c in ("complex32", "complex64", "complex128")),
            ),
            "abs",
        ),
        (Family("components", out="real"), "real imag"),
        (Family("rounding", takes="biuf"), "ceil floor trunc sign"),
        (Family("predicate", out="bool", cast_common_dtype_to_outputs=False), "isfinite isinf isnan isreal"),
        (Family("sign bit", takes="biuf", out="bool"), "signbit isposinf isneginf"),
        (Family("any dtype", cast_common_dtype_to_outputs=False), "conj diff"),
        (Family("where"), "where"),
        (Family("cat"), "concat stack"),
        (Family("hstack", zero_dim=False), "hstack"),
        (Family("exponents", takes="f", reason="only floating point dtypes have exponents"), "frexp"),
        (REDUCTION._replace(takes="biuf"), "nansum"),
        (Family("mean without NaN", takes="f", out_dtypes=f"* -> {_FLOATS}"), "nanmean"),
        (
            FLOAT._replace(name="floating, but of no bools", takes="fc", computes="bool -> refused"),
            "cov corrcoef trapezoid cumulative_trapezoid",
        ),
        (REDUCTION, "sum prod cumulative_sum cumulative_prod linalg.trace"),
        (
            Family(
                "mean",
                takes="fc",
                out_dtypes=f"* -> {_FLOATS} complex32 complex64 complex128",
                reason="it must be floating point or complex",
            ),
            "mean",
        ),
        (
            Family(
                "variance",
                takes="fc",
                out="real",
                only="float16 bfloat16 float32 float64 complex32 complex64 complex128",
                cast_common_dtype_to_outputs=False,
            ),
            "std var",
        ),
        (
            Family(
                "all and any",
                cast_common_dtype_to_outputs=False,
                out="bool",
                results="uint8 -> uint8",
                out_dtypes="* -> bool uint8",
            ),
            "all any",
        ),
        (Family("position", cast_common_dtype_to_outputs=False, takes="iuf", out="index"), "argmax argmin"),
        (Family("sort", cast_common_dtype_to_outputs=False, takes="biuf"), "sort"),
        (Family("argsort", cast_common_dtype_to_outputs=False, takes="biuf", out="index"), "argsort"),
        (Family("amax", cast_common_dtype_to_outputs=False), "max min"),
        (ALIKE, "matmul tensordot linalg.cross"),
        (Family("outer product", cast_common_dtype_to_outputs=False), "linalg.outer"),
        (LINALG, "linalg.solve linalg.cholesky linalg.det linalg.qr linalg.svd linalg.solve_triangular vecdot"),
        (LINALG._replace(name="matrix power", takes="biufc"), "linalg.matrix_power"),
        (LINALG._replace(only=_FFT), "linalg.slogdet linalg.pinv linalg.inv linalg.tensorinv"),
        (LINALG._replace(name="rank", only=_FFT, out="index"), "linalg.matrix_rank"),
        (
            LINALG._replace(name="norm", out="real"),
            "linalg.svdvals linalg.eigh linalg.eigvalsh linalg.vector_norm linalg.matrix_norm",
        ),
        (
            LINALG._replace(
                name="eigenvalues",
                out="complex",
                only=f"bfloat16 float16 complex32 {_FFT}",
                results="float16 -> complex32",
            ),
            "linalg.eig linalg.eigvals",
        ),
        (FOURIER, "fft.fft fft.ifft fft.fftn fft.ifftn"),
        (FOURIER._replace(name="real Fourier transform", takes="f"), "fft.rfft fft.ihfft fft.rfftn"),
        (FOURIER._replace(name="inverse real Fourier transform", out="real"), "fft.irfft fft.hfft fft.irfftn"),
        # Functions of PyTorch alone:
        (Family("float power", special="float_power"), "float_power"),
        (Family("ldexp", special="ldexp"), "ldexp"),
        (ALIKE._replace(name="heaviside", takes="biuf"), "heaviside"),
        (ALIKE._replace(name="lerp"), "lerp"),
        (ALIKE._replace(name="index put"), "index_put_"),
        (ARITHMETIC._replace(name="floats and complex numbers alone", takes="fc"), "add_alpha_float"),
        (ARITHMETIC._replace(name="addcdiv", special="addcdiv"), "addcdiv"),
        (Family("copy", special="first"), "copy_"),
        (Family("masked fill", special="first_value"), "masked_fill"),
    ),
    derived,
    can_cast,
    special={
        "float_power": float_power,
        "ldexp": ldexp,
        "first": first,
        "first_value": first_value,
        "isin": isin,
        "addcdiv": addcdiv,
    },
)
