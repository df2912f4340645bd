"""NumPy: a ufunc has loops for dtypes, and takes the first one that all its operands cast to safely.

That is why int8 and int8 are float64 in a division, which begins at float64, and float16 in a sine, which has a loop of
float16. bfloat16 and float8 have loops of their own, from ml_dtypes, but beside a dtype with which they share no
loop the search finds float32. A function that is no ufunc brings its operands to their common dtype. The operator
``x ** 2`` is ``square``: of bools it is int8, where ``pow(x, 2)`` is int64.

In place and as ``out=``, a result goes into any array of the same kind or a higher one.

Source: https://numpy.org/doc/stable/reference/ufuncs.html#casting-rules;
numpy/_core/code_generators/generate_umath.py; numpy/linalg/_linalg.py (_commonType).
"""

from __future__ import annotations

from ...core.dtypes import Dtype
from . import Families, Family, derived, group

_INTS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64"
_REALS = "float16 float32 float64 longdouble"
_COMPLEX = "complex64 complex128 clongdouble"
_EXT = "bfloat16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"
_WIDE = f"bool,{_INTS.replace(' ', ',')} -> float64"
_SUMS = "bool,int8,int16,int32 -> int64; uint8,uint16,uint32 -> uint64"
_EXTS = _EXT.replace(" ", ",")
_SMALL = "bool,int8,int16,int32,uint8,uint16,uint32"

ARITHMETIC = Family("arithmetic", loops=f"bool {_INTS} {_REALS} {_COMPLEX} {_EXT}", extensions=_EXT)
NUMBERS = Family("numbers", loops=f"{_INTS} {_REALS} {_COMPLEX} {_EXT}", extensions=_EXT)
SIGNED = NUMBERS._replace(name="signed arithmetic", computes="bool -> refused", reason="use logical_xor or logical_not")
FLOAT = Family("floating", takes="fc", loops=f"{_REALS} {_COMPLEX} {_EXT}", extensions=_EXT)
REAL = Family("real floating", takes="f", loops=f"{_REALS} {_EXT}", extensions=_EXT)
ALONE = Family("common dtype")
LINALG = Family("linear algebra", takes="fc", only="float32 float64 complex64 complex128", each=True,
                computes=f"{_WIDE}; {_EXTS} -> float64; float16,longdouble,clongdouble -> refused")  # fmt: skip
FOURIER = Family("Fourier transform", takes="fc", computes=f"{_WIDE}; float16,{_EXTS} -> float32", out="complex")
INVERSE = f"{_WIDE}; bfloat16,float8_e4m3fn -> float64; float8_e5m2 -> float32"


def can_cast(result: Dtype, target: Dtype) -> bool:
    """numpy.can_cast with casting="same_kind"."""
    order = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4}
    return order[result.kind] <= order[target.kind]


families = Families(
    "numpy",
    group(
        (ARITHMETIC, "add multiply maximum minimum fmax fmin clip linalg.outer"),
        (
            ARITHMETIC._replace(name="comparison", out="bool", any_int=True),
            "equal not_equal less less_equal greater greater_equal",
        ),
        (
            ARITHMETIC._replace(name="predicate", out="bool"),
            (
                "logical_and logical_or logical_xor logical_not isfinite isinf isnan isin isclose array_equal allclose"
                " all any isreal iscomplex"
            ),
        ),
        (ARITHMETIC._replace(name="absolute value", out="real"), "abs"),
        (ARITHMETIC._replace(name="search", out="int64"), "searchsorted"),
        (NUMBERS, "square reciprocal conj"),
        (NUMBERS._replace(name="power", no_negative=True, squares="b"), "pow"),
        (SIGNED, "subtract negative positive sign"),
        (Family("floor divide", loops=f"{_INTS} {_REALS} {_EXT}", extensions=_EXT), "floor_divide remainder fmod"),
        (Family("rounding", loops=f"bool {_INTS} {_REALS} {_EXT}", extensions=_EXT), "ceil floor trunc"),
        (
            Family("sign bit", loops=f"bool {_INTS} {_REALS} {_EXT}", extensions=_EXT, out="bool"),
            "signbit isposinf isneginf",
        ),
        (FLOAT._replace(name="true divide", promote_integer_inputs_to_float=True, computes=_WIDE), "divide"),
        (
            FLOAT,
            (
                "exp exp2 expm1 log log1p log2 log10 sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
                " rint"
            ),
        ),
        (
            REAL,
            ("atan2 copysign hypot logaddexp logaddexp2 nextafter heaviside cbrt fabs deg2rad rad2deg modf frexp"),
        ),
        (FLOAT._replace(name="angle", computes="bool -> float64", out="real"), "angle"),
        (Family("scaling by powers", takes="f", loops=_REALS), "ldexp"),
        (Family("float power", loops="float64 longdouble complex128 clongdouble"), "float_power"),
        (Family("bitwise", loops=f"bool {_INTS}"), "bitwise_and bitwise_or bitwise_xor bitwise_invert"),
        (Family("shift", loops=_INTS), "bitwise_left_shift bitwise_right_shift"),
        (Family("divisor", loops=_INTS, computes="bool -> refused"), "gcd lcm"),
        (Family("bit count", loops=f"bool {_INTS}", out="uint8"), "bitwise_count"),
        (Family("round", computes="bool -> float16"), "round"),
        (ALONE._replace(name="components", out="real"), "real imag"),
        (ALONE, "where concat stack hstack max min nanmax nanmin sort nan_to_num diff"),
        (ALONE._replace(name="cross product", computes="bool -> refused"), "linalg.cross"),
        (ALONE._replace(name="range", computes="bool -> refused"), "ptp"),
        (Family("position", out="index"), "argmax argmin nanargmax nanargmin argsort count_nonzero nonzero"),
        (Family("sum", results=_SUMS), "sum prod cumulative_sum cumulative_prod linalg.trace"),
        (Family("mean", takes="fc", promote_integer_inputs_to_float=True, computes=_WIDE), "mean median nanmedian"),
        # They compute with Python floats that NumPy has made arrays of float64, or with a pi of its own.
        (Family("floating function", takes="fc", computes=f"{_WIDE}; {_EXTS} -> float32"), "sinc trapezoid"),
        (
            Family(
                "derivative",
                computes=f"{_SMALL} -> int64; uint64,float16,float32,{_EXTS} -> float64; complex64 -> complex128",
            ),
            "polyder",
        ),
        (Family("unwrapping", takes="f", computes=f"{_WIDE}; {_EXTS} -> float64; float8_e5m2 -> float32"), "unwrap"),
        (
            Family(
                "covariance",
                takes="fc",
                computes=f"{_WIDE}; float16,float32,{_EXTS} -> float64; complex64 -> complex128",
            ),
            "cov corrcoef",
        ),
        (Family("variance", takes="fc", promote_integer_inputs_to_float=True, computes=_WIDE, out="real"), "std var"),
        (Family("matrix product", loops=f"bool {_INTS} {_REALS} {_COMPLEX}"), "matmul vecdot linalg.matrix_power"),
        (ALONE._replace(name="tensor product"), "tensordot dot linalg.multi_dot"),
        (
            LINALG,
            "linalg.solve linalg.qr linalg.svd linalg.det linalg.slogdet linalg.inv linalg.pinv linalg.cholesky",
        ),
        # NumPy gives real eigenvalues where all imaginary parts are 0; here the dtype does not depend on values.
        (LINALG._replace(name="eigenvalues", out="complex"), "linalg.eig linalg.eigvals"),
        (
            LINALG._replace(name="eigenvalues of a symmetric matrix", out="real"),
            "linalg.eigh linalg.eigvalsh linalg.svdvals",
        ),
        (LINALG._replace(name="rank", out="int64"), "linalg.matrix_rank"),
        (
            Family("norm", takes="fc", computes=f"{_WIDE}; {_EXTS} -> float64", out="real"),
            "linalg.vector_norm linalg.matrix_norm",
        ),
        (FOURIER, "fft.fft fft.ifft fft.fftn fft.ifftn"),
        (FOURIER._replace(name="real Fourier transform", takes="f"), "fft.rfft fft.ihfft fft.rfftn"),
        (FOURIER._replace(name="inverse real Fourier transform", out="real", computes=INVERSE), "fft.irfft fft.hfft"),
        (FOURIER._replace(name="inverse real Fourier transform of n dimensions", out="real"), "fft.irfftn"),
    ),
    derived,
    can_cast,
    free_bounds=True,
)
