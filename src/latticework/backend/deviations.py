"""The special cases where a backend's values differ from the standard, and why they are left so.

Tests read this data: a deviation that no longer shows up fails them. Each costs more to mend than it is worth: an
extra pass over the data in the ordinary case.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEVIATIONS", "Deviation"]


class Deviation(NamedTuple):
    """A difference: on this backend, for these dtypes, the function gives `gives` where `standard` is asked.

    `dtypes` are names of dtypes, or of a category. `case` has the arguments, arrays in brackets and scalars without.
    `case` and the two values are Python expressions with `inf`, `nan`, `pi`, and `max` and `tiny` for the largest and
    smallest normal numbers of the dtype. Where extents depend on values, the two values are shapes, of the result or
    the first of several.
    """

    backend: str
    function: str
    dtypes: str
    case: str
    standard: str
    gives: str
    reason: str


_PYTHON = "the quotient rounded down as Python, NumPy, PyTorch and JAX do it, which goes with the remainder"
_COMPONENTS = "the framework computes the components without regard to infinities; a check is one more pass"
_SUBNORMAL = (
    "XLA takes subnormal numbers for zeros on the CPU, in comparisons and sorting too: "
    "https://github.com/jax-ml/jax/issues/26658"
)
_FLUSHED = (
    "TensorFlow's threads take subnormal numbers for zeros, in comparisons too: "
    "https://github.com/tensorflow/tensorflow/issues/127905"
)
_ROOT = "powers of one half are square roots, many times faster than powers"
_ZERO = "the remainder is made from that of C; its sign is one more pass"
_QUOTIENT = "the remainder of C is made with the quotient, which overflows"
_LATER = (
    "how many there are is known when they are computed, and nothing is computed before it is asked for: "
    "https://github.com/dask/dask/issues/11356"
)
_WINDOWS = "the kernel begins with the least number that is finite; to look for windows of -inf is one more pass"
_POWER = "complex powers are made of logarithms, and zero has none; a check is one more pass"
_SUM = "complex sums are made with a complex factor of 1; by components they take several calls more"

_PRODUCT = "zero times anything is zero to the framework's function; SciPy keeps nan"
_BOUND = "the framework's function does not look at the bounds of its domain; a check is several passes more"
_LARGE = "the framework multiplies by the exponential, which leaves the range before the product"
_POLES = "made of gamma functions, which have poles there; the limits of their quotients take several passes more"
_LIMIT = "the framework's function is that of C, whose limit is inf; SciPy's is -inf"
_CANCELS = "the framework takes the exponential of a difference of large numbers; in float64 it has the digits"
_SQUARES = "the kernel subtracts from the mean of the squares, which leave the range; the framework's `var` does not"

DEVIATIONS: tuple[Deviation, ...] = (
    Deviation("numpy", "floor_divide", "real floating", "[inf], [2.0]", "inf", "nan", _PYTHON),
    Deviation("numpy", "floor_divide", "real floating", "[-1.0], [inf]", "-0.0", "-1.0", _PYTHON),
    Deviation("numpy", "expm1", "complex floating", "[complex(inf, 0)]", "inf", "complex(inf, nan)", _COMPONENTS),
    Deviation("numpy", "expm1", "complex floating", "[complex(-inf, inf)]", "-1", "complex(nan, nan)", _COMPONENTS),
    Deviation("numpy", "expm1", "complex floating", "[complex(-0.0, 0)]", "0", "complex(-0.0, 0)", _COMPONENTS),
    Deviation("numpy", "tanh", "complex floating", "[complex(inf, 2)]", "1", "complex(1, -0.0)", _COMPONENTS),
    Deviation("numpy", "pow", "float32 float64", "[-inf], 0.5", "inf", "nan", _ROOT),
    Deviation("numpy", "nextafter", "float16", "[0.0], [-0.0]", "-0.0", "0.0", "equal numbers are left as they are"),
    Deviation("jax", "floor_divide", "real floating", "[inf], [2.0]", "inf", "nan", _PYTHON),
    Deviation("jax", "floor_divide", "real floating", "[-1.0], [inf]", "-0.0", "-1.0", _PYTHON),
    Deviation("jax", "sqrt", "bfloat16 float32 float64", "[tiny / 4]", "(tiny / 4) ** 0.5", "0.0", _SUBNORMAL),
    Deviation("jax", "add", "bfloat16 float32 float64", "[tiny / 4], [tiny / 4]", "tiny / 2", "0.0", _SUBNORMAL),
    Deviation("tensorflow", "floor_divide", "real floating", "[inf], [2.0]", "inf", "nan", _PYTHON),
    Deviation("tensorflow", "floor_divide", "real floating", "[-1.0], [inf]", "-0.0", "-1.0", _PYTHON),
    Deviation("tensorflow", "expm1", "complex floating", "[complex(-0.0, 0)]", "0", "complex(-0.0, 0)", _COMPONENTS),
    Deviation("tensorflow", "tanh", "complex floating", "[complex(inf, 2)]", "1", "complex(1, -0.0)", _COMPONENTS),
    Deviation("tensorflow", "sign", "bfloat16 float32 float64", "[tiny / 4]", "1.0", "0.0", _FLUSHED),
    Deviation("tensorflow", "sqrt", "bfloat16 float32 float64", "[tiny / 4]", "(tiny / 4) ** 0.5", "0.0", _FLUSHED),
    Deviation("tensorflow", "add", "bfloat16 float32 float64", "[tiny / 4], [tiny / 4]", "tiny / 2", "0.0", _FLUSHED),
    Deviation("tensorflow", "greater", "bfloat16 float32 float64", "[tiny / 4], [0.0]", "True", "False", _FLUSHED),
    Deviation("tensorflow", "nn.max_pool1d", "float32 float64", "[[-inf]], 1", "[[-inf]]", "[[-max]]", _WINDOWS),
    Deviation("tensorflow", "nn.max_pool2d", "float32 float64", "[[[-inf]]], 1", "[[[-inf]]]", "[[[-max]]]", _WINDOWS),
    Deviation("torch", "floor_divide", "real floating", "[inf], [2.0]", "inf", "nan", _PYTHON),
    Deviation("torch", "floor_divide", "real floating", "[-1.0], [inf]", "-0.0", "-1.0", _PYTHON),
    Deviation("torch", "remainder", "real floating", "[-0.0], [1.0]", "0.0", "-0.0", _ZERO),
    Deviation("torch", "remainder", "real floating", "[1.0], [-1.0]", "-0.0", "0.0", _ZERO),
    Deviation("torch", "remainder", "bfloat16 float32 float64", "[max], [tiny]", "0.0", "nan", _QUOTIENT),
    Deviation("torch", "expm1", "complex floating", "[complex(inf, 0)]", "inf", "complex(inf, nan)", _COMPONENTS),
    Deviation("torch", "expm1", "complex floating", "[complex(-inf, inf)]", "-1", "complex(nan, nan)", _COMPONENTS),
    Deviation("torch", "expm1", "complex floating", "[complex(-0.0, 0)]", "0", "complex(-0.0, 0)", _COMPONENTS),
    Deviation("torch", "log1p", "complex floating", "[complex(nan, inf)]", "complex(inf, nan)", "complex(nan, nan)",
              _COMPONENTS),
    Deviation("torch", "acos", "complex128", "[0j]", "complex(pi / 2, -0.0)", "pi / 2", _COMPONENTS),
    Deviation("torch", "tanh", "complex floating", "[complex(inf, 2)]", "1", "complex(1, -0.0)", _COMPONENTS),
    Deviation("torch", "pow", "bfloat16 float32 float64", "[-inf], 0.5", "inf", "nan", _ROOT),
    Deviation("torch", "pow", "bfloat16 float32 float64", "[-0.0], -0.5", "inf", "-inf", _ROOT),
    Deviation("torch", "pow", "complex floating", "[0j], [0j]", "1", "complex(nan, nan)", _POWER),
    Deviation("torch", "pow", "complex floating", "0.0, [0j]", "1", "complex(nan, nan)", _POWER),
    Deviation("torch", "pow", "complex floating", "0.0, [-1 + 0j]", "complex(nan, nan)", "complex(inf, nan)", _POWER),
    Deviation("jax", "pow", "complex floating", "[0j], [1 + 1j]", "0", "complex(nan, nan)", _POWER),
    Deviation("tensorflow", "reciprocal", "complex floating", "[complex(0.5, inf)]", "complex(0, -0.0)",
              "complex(nan, nan)", _COMPONENTS),
    Deviation("tensorflow", "divide", "complex floating", "[1 + 0j], [complex(0.5, inf)]", "complex(0, -0.0)",
              "complex(nan, nan)", _COMPONENTS),
    Deviation("tensorflow", "pow", "complex floating", "[0j], [0j]", "1", "complex(nan, nan)", _POWER),
    Deviation("tensorflow", "pow", "complex floating", "0.0, [0j]", "1", "complex(nan, nan)", _POWER),
    Deviation("tensorflow", "pow", "complex floating", "0.0, [-1 + 0j]", "complex(nan, nan)", "complex(inf, nan)",
              _POWER),
    Deviation("torch", "add", "complex floating", "[0j], [complex(inf, 1)]", "complex(inf, 1)", "complex(inf, nan)",
              _SUM),
    Deviation("torch", "subtract", "complex floating", "[0j], [complex(inf, 1)]", "complex(-inf, -1)",
              "complex(-inf, nan)", _SUM),
    Deviation("jax", "special.digamma", "real floating", "[0.0]", "-inf", "nan", _BOUND),
    Deviation("jax", "special.gammainc", "real floating", "[0.0], [0.5]", "1.0", "nan", _BOUND),
    Deviation("jax", "special.gammainc", "float32", "[1e5], [1e5]", "0.5004", "0.4585", _CANCELS),
    Deviation("jax", "special.gammaincc", "float32", "[1e5], [1e5]", "0.4996", "0.4577", _CANCELS),
    Deviation("jax", "special.betainc", "float32", "[2e4], [2e4], [0.501]", "0.6554", "0.6590", _CANCELS),
    Deviation("jax", "special.zeta", "real floating", "[3.0], [-2.0]", "inf", "nan", _BOUND),
    Deviation("tensorflow", "special.xlogy", "real floating", "[0.0], [nan]", "nan", "0.0", _PRODUCT),
    Deviation("tensorflow", "special.xlog1py", "real floating", "[0.0], [nan]", "nan", "0.0", _PRODUCT),
    Deviation("tensorflow", "special.digamma", "real floating", "[0.0]", "-inf", "nan", _BOUND),
    Deviation("tensorflow", "special.gammainc", "real floating", "[-1.0], [0.0]", "nan", "0.0", _BOUND),
    Deviation("tensorflow", "special.gammainc", "real floating", "[0.0], [0.0]", "nan", "0.0", _BOUND),
    Deviation("tensorflow", "special.gammainc", "real floating", "[0.0], [1.0]", "1.0", "nan", _BOUND),
    Deviation("tensorflow", "special.gammainc", "float32", "[1e5], [1e5]", "0.5004", "0.5195", _CANCELS),
    Deviation("tensorflow", "special.gammaincc", "float32", "[1e5], [1e5]", "0.4996", "0.5187", _CANCELS),
    Deviation("tensorflow", "special.betainc", "float32", "[2e4], [2e4], [0.501]", "0.6554", "0.6540", _CANCELS),
    Deviation("tensorflow", "special.betainc", "real floating", "[0.0], [1.0], [0.5]", "1.0", "nan", _BOUND),
    Deviation("tensorflow", "special.zeta", "real floating", "[3.0], [-2.0]", "inf", "nan", _BOUND),
    Deviation("tensorflow", "special.zeta", "real floating", "[inf], [2.0]", "nan", "0.0", _BOUND),
    Deviation("tensorflow", "special.gammaincc", "real floating", "[0.0], [1.0]", "0.0", "nan", _BOUND),
    Deviation("torch", "nn.layer_norm", "float32", "[[1e20, 1e20]], 2", "[[0.0, 0.0]]", "[[nan, nan]]", _SQUARES),
    Deviation("torch", "special.gammainc", "real floating", "[nan], [0.0]", "nan", "0.0", _BOUND),
    Deviation("torch", "special.gammaincc", "real floating", "[nan], [0.0]", "nan", "1.0", _BOUND),
    Deviation("torch", "special.zeta", "real floating", "[2.0], [inf]", "0.0", "nan", _BOUND),
    Deviation("torch", "special.i0", "float32", "[90.0]", "5.136e37", "inf", _LARGE),
    Deviation("jax", "special.i0", "float32", "[90.0]", "5.136e37", "inf", _LARGE),
    Deviation("tensorflow", "special.i0", "float32", "[90.0]", "5.136e37", "inf", _LARGE),
    Deviation("dask", "getitem", "all", "[1], [True]", "(1,)", "(None,)", _LATER),
    Deviation("dask", "nonzero", "all", "[1]", "(1,)", "(None,)", _LATER),
    Deviation("dask", "repeat", "all", "[1], [2]", "(2,)", "(None,)", _LATER),
    Deviation("dask", "unique_all", "all", "[1]", "(1,)", "(None,)", _LATER),
    Deviation("dask", "unique_counts", "all", "[1]", "(1,)", "(None,)", _LATER),
    Deviation("dask", "unique_inverse", "all", "[1]", "(1,)", "(None,)", _LATER),
    Deviation("dask", "unique_values", "all", "[1]", "(1,)", "(None,)", _LATER),
)  # fmt: skip

#: Functions that are composed of the same functions on each of these backends.
DEVIATIONS += tuple(
    [
        Deviation(backend, *listed)
        for backend in ("jax", "tensorflow", "torch")
        for listed in (
            ("special.gammaln", "real floating", "[-inf]", "-inf", "inf", _LIMIT),
            ("special.betaln", "real floating", "[-1.0], [-1.0]", "inf", "nan", _POLES),
        )
    ]
)

#: A number with an infinite component is infinite to C, Annex G, and a finite number divided by it is zero. JAX agrees.
DEVIATIONS += tuple(
    [
        Deviation(backend, function, "complex floating", case, "complex(0, -0.0)", "complex(nan, nan)", _COMPONENTS)
        for backend in ("numpy", "torch", "tensorflow")
        for function, case in (
            ("reciprocal", "[complex(nan, inf)]"),
            ("divide", "[1 + 0j], [complex(nan, inf)]"),
        )
    ]
)

#: Dask's blocks are computed by the functions of the NumPy backend.
DEVIATIONS += tuple([d._replace(backend="dask") for d in DEVIATIONS if d.backend == "numpy"])
