"""Elementwise functions beyond the standard, against NumPy's and PyTorch's in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import LINE, crossed, due
from support import NUMPY, check, dtypes, extremes, filled, imported, pairs_of, values, wide

import latticework as lw
from latticework.core.registry import OPS

torch = imported("torch")

Reference = Callable[..., Any]

#: Functions of floats: a reference, and where their arguments lie.
UNARY: dict[str, tuple[Reference, float, float]] = {
    "exp2": (np.exp2, -9, 9), "cbrt": (np.cbrt, -30, 30), "rsqrt": (lambda x: 1 / np.sqrt(x), 0.1, 9),
    "fabs": (np.fabs, -9, 9), "rint": (np.rint, -9, 9), "deg2rad": (np.deg2rad, -360, 360),
    "rad2deg": (np.rad2deg, -9, 9), "sinc": (np.sinc, -4, 4), "fix": (np.trunc, -9, 9),
}  # fmt: skip
#: Functions of two real numbers.
BINARY: dict[str, Reference] = {
    "logaddexp2": np.logaddexp2, "fmax": np.fmax, "fmin": np.fmin, "fmod": np.fmod, "heaviside": np.heaviside,
    "divide_no_nan": lambda x1, x2: np.divide(x1, x2, out=np.zeros(np.broadcast(x1, x2).shape), where=x2 != 0),
}  # fmt: skip
PREDICATES: dict[str, Reference] = {
    "isposinf": np.isposinf, "isneginf": np.isneginf, "isreal": np.isreal, "iscomplex": np.iscomplex,
}  # fmt: skip


def precise(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@pytest.mark.parametrize("name", UNARY)
def test_of_one_float(backend: str, name: str) -> None:
    reference, low, high = UNARY[name]
    f: Any = getattr(lw, name)
    with np.errstate(all="ignore"):
        for shape, dtype in crossed([LINE, (3, 4), (0,), ()], dtypes(OPS[f.__name__].accepts), name):
            if dtype.kind == "c" and name in ("sinc", "rint"):
                continue
            x = values(dtype, shape, low=low, high=high)
            check(f(lw.asarray(x)), reference(precise(x)), dtype, ulps=8, scale=4 if name == "sinc" else None)
        for dtype in due(dtypes("real floating"), name):
            x = filled(values(dtype, LINE, low=low, high=high), extremes(dtype))
            x = np.where(np.abs(wide(x)) < 4, x, 0).astype(x.dtype) if name == "sinc" else x
            # XLA's cube root in float64 goes through logarithms, which lose digits at the ends of the range.
            ulps = 128 if (name, backend) == ("cbrt", "jax") else 8
            check(f(lw.asarray(x)), reference(precise(x)), dtype, ulps=ulps, scale=4 if name == "sinc" else None)
        if name != "fix":
            check(f(lw.asarray([1, 2], dtype=lw.int16)), reference(np.array([1.0, 2.0])), lw.float32, scale=4)


@pytest.mark.parametrize("name", BINARY)
def test_of_two_numbers(backend: str, name: str) -> None:
    reference, f = BINARY[name], getattr(lw, name)
    kinds = "real floating" if name == "divide_no_nan" else OPS[name].accepts
    with np.errstate(all="ignore"):
        for (s1, s2), dtype in crossed([(LINE, LINE), ((3, 1), (1, 4)), ((0,), (1,)), ((), (2,))], dtypes(kinds), name):
            x1, x2 = values(dtype, s1), values(dtype, s2, seed=1)
            expected = reference(precise(x1), precise(x2))
            if dtype.kind in "iu" and name == "fmod":
                expected = np.where(x2 == 0, 0, expected)
            check(f(lw.asarray(x1), lw.asarray(x2)), expected, dtype, scale=4)
            check(f(lw.asarray(x1), 2), f(lw.asarray(x1), lw.asarray(2, dtype=dtype)), dtype)
        for dtype in due(dtypes("real floating"), name):
            x1, x2 = (filled(values(dtype, LINE, low=1, high=3), x) for x in pairs_of(dtype))
            if name == "fmod":  # of a quotient beyond the range, PyTorch's remainder is no remainder
                apart = np.abs(wide(x1)) < 1e6 * np.abs(wide(x2))
                x1, x2 = np.where(apart, x1, 1).astype(x1.dtype), np.where(apart, x2, 1).astype(x2.dtype)
            # A logarithm near 0 is the sum of an operand and of log(1 + exp(...)), which cancel: XLA computes the sum
            # with one rounding, so that log2(2**-1 + 2**-1) is half a unit in the last place of the operands.
            scale = 1 if name.startswith("logaddexp") else None
            check(f(lw.asarray(x1), lw.asarray(x2)), reference(precise(x1), precise(x2)), dtype, ulps=8, scale=scale)


@pytest.mark.parametrize("name", PREDICATES)
def test_predicates(backend: str, name: str) -> None:
    for dtype in due(dtypes(OPS[name].accepts), name):
        x = filled(values(dtype, LINE), extremes(dtype))
        check(getattr(lw, name)(lw.asarray(x)), PREDICATES[name](wide(x)), lw.bool)


def test_parts_of_numbers(backend: str) -> None:
    for dtype in due(dtypes("real floating"), "frexp", "modf"):
        x = filled(values(dtype, LINE), extremes(dtype))
        fraction, exponent = lw.frexp(lw.asarray(x))
        expected = np.frexp(precise(x))
        check(fraction, expected[0], dtype)
        check(exponent, np.where(np.isfinite(precise(x)), expected[1], 0), lw.int32)
        held = np.isfinite(wide(x)) & (np.abs(wide(x)) >= float(lw.finfo(dtype).smallest_normal))
        back = lw.ldexp(fraction, exponent)
        check(lw.where(lw.asarray(held), back, 0), np.where(held, precise(x), 0), dtype)
        rest, whole = lw.modf(lw.asarray(x))
        check(rest, np.modf(precise(x))[0], dtype)
        check(whole, np.modf(precise(x))[1], dtype)


def test_powers_of_two_leave_the_range_only_with_the_result(backend: str) -> None:
    for dtype in due(dtypes("real floating"), "ldexp"):
        limits = lw.finfo(dtype)
        span = round(math.log2(limits.max) - math.log2(limits.smallest_normal)) - 1
        x = lw.asarray([limits.smallest_normal, 1.5, 1.5, 0.0, lw.inf], dtype=dtype)
        expected = [np.ldexp(float(limits.smallest_normal), span), lw.inf, 0, 0, lw.inf]
        check(lw.ldexp(x, lw.asarray([span, 4000, -4000, 7, -7])), expected, dtype)
    for dtype, exponents in (("int64", [2**40, -(2**40), 2**63 - 1, 3]), ("uint32", [2**31, 3])):
        expected = [lw.inf, 0, lw.inf, 8] if dtype == "int64" else [lw.inf, 8]
        check(lw.ldexp(lw.asarray([1.0]), lw.asarray(exponents, dtype=dtype)), expected, lw.float32)
    check(lw.ldexp(lw.asarray([1.0, -1.0]), 2**40), [lw.inf, -lw.inf], lw.float32)
    with pytest.raises(TypeError, match=r"ldexp: .*integ.*float32"):
        lw.ldexp(lw.asarray([1.0]), lw.asarray([1.0]))


def test_divisors(backend: str) -> None:
    for dtype in due(dtypes("integral"), "gcd", "lcm"):
        low = 0 if dtype.kind == "u" else -12
        x1, x2 = (values(dtype, LINE, low=low, high=12, seed=seed) for seed in (0, 1))
        big = np.array([lw.iinfo(dtype).max, lw.iinfo(dtype).max - 1, 0], NUMPY[dtype])
        x1, x2 = np.concatenate([x1, big]), np.concatenate([x2, big[::-1]])
        check(lw.gcd(lw.asarray(x1), lw.asarray(x2)), np.gcd(x1, x2), dtype)
        check(lw.lcm(lw.asarray(x1[:-3]), lw.asarray(x2[:-3])), np.lcm(x1[:-3], x2[:-3]), dtype)
    check(lw.gcd(lw.asarray([12, -18, 0]), 8), [4, 2, 8], lw.int32)
    with pytest.raises(TypeError, match="gcd: takes integral dtypes"):
        lw.gcd(lw.asarray([1.5]), 2)


def test_bits_are_counted(backend: str) -> None:
    for dtype in due(dtypes("integral"), "bitwise_count"):
        x = np.concatenate([values(dtype, LINE), extremes(dtype)])
        check(lw.bitwise_count(lw.asarray(x)), np.bitwise_count(x), lw.uint8)


def test_complex_numbers(backend: str) -> None:
    for dtype in due(dtypes("floating"), "angle"):
        x = values(dtype, LINE)
        real = {"complex64": lw.float32, "complex128": lw.float64}.get(str(dtype), dtype)
        for deg in (False, True):
            check(lw.angle(lw.asarray(x), deg=deg), np.angle(precise(x), deg=deg), real, ulps=8)
    for dtype in due(dtypes("real floating"), "polar"):
        size, turn = values(dtype, (3, 1), low=0), values(dtype, (1, 4), seed=1)
        complex_dtype = lw.complex128 if dtype is lw.float64 else lw.complex64
        check(lw.polar(lw.asarray(size), lw.asarray(turn)), precise(size) * np.exp(1j * precise(turn)), complex_dtype)
    check(lw.polar(lw.asarray([lw.inf]), lw.asarray([1.0])), [complex(math.inf, math.inf)], lw.complex64)


def test_interpolation(backend: str) -> None:
    for dtype in due(dtypes("floating"), "lerp", "addcmul"):
        start, end = values(dtype, (3, 1)), values(dtype, (1, 4), seed=1)
        weight = values(dtype, (4,), seed=2)
        a, b, w = map(precise, (start, end, weight))
        arrays = [*map(lw.asarray, (start, end, weight))]
        check(lw.lerp(*arrays), a + w * (b - a), dtype, ulps=8, scale=32)
        check(lw.lerp(arrays[0], arrays[1], 1.0), np.broadcast_to(b, (3, 4)), dtype)
        check(lw.addcmul(*arrays, value=2), a + 2 * b * w, dtype, ulps=8, scale=32)
        torch_result = torch.lerp(*(torch.asarray(x) for x in (a, b, w)))
        check(lw.lerp(*arrays), torch_result.numpy(), dtype, ulps=8, scale=32)
    check(lw.addcmul(lw.asarray([1, 2]), lw.asarray([3, 4]), 5), [16, 22], lw.int32)


def test_division_with_rest(backend: str) -> None:
    for dtype in due(dtypes("real numeric"), "divmod"):
        x1, x2 = values(dtype, LINE), np.where(values(dtype, LINE, seed=1) == 0, 1, values(dtype, LINE, seed=1))
        x2 = x2.astype(x1.dtype)
        quotient, rest = lw.divmod(lw.asarray(x1), lw.asarray(x2))
        expected = np.divmod(precise(x1), precise(x2))
        check(quotient, expected[0], dtype, scale=4)
        check(rest, expected[1], dtype, scale=16)


def test_in_double_precision(backend: str) -> None:
    for dtype in due(dtypes("numeric"), "float_power"):
        x = values(dtype, (7,), low=1, high=4)
        result = lw.float_power(lw.asarray(x), -2)
        check(result, precise(x) ** -2, lw.complex128 if dtype.kind == "c" else lw.float64)
    check(lw.float_power(2, lw.asarray([3])), [8], lw.float64)


def test_an_array_of_numpy(backend: str) -> None:
    for dtype in lw.all_dtypes:
        x = lw.asarray(values(dtype, (2, 3)))
        assert type(lw.to_numpy(x)) is np.ndarray and lw.to_numpy(x).dtype == NUMPY[dtype]
        np.testing.assert_array_equal(lw.to_numpy(x), values(dtype, (2, 3)))


def test_addcmul_of_integers_and_a_fraction(backend: str) -> None:
    x = lw.asarray([1, 3], dtype="uint8")
    check(lw.addcmul(x, x, x, value=0.5), [1.5, 7.5], lw.float32)


def test_divisors_of_the_least_number_of_a_dtype(backend: str) -> None:
    """It has no absolute value: divisors were negative on PyTorch and TensorFlow, and JAX's loop did not end."""
    for dtype in due(dtypes("signed integer"), "gcd"):
        least = np.iinfo(dtype.name).min
        x1, x2 = np.meshgrid(*[np.array([least, 0, 1, 4, -3, least + 1], dtype.name)] * 2)
        check(lw.gcd(lw.asarray(x1), lw.asarray(x2)), np.gcd(x1, x2), dtype)
        check(lw.lcm(lw.asarray(x1), lw.asarray(x2)), np.lcm(x1, x2), dtype)


def test_addcmul_of_a_number_by_rules_that_keep_integers(backend: str) -> None:
    y, z = lw.asarray([-2, 0, 1], dtype="int64"), lw.asarray([1, 2, 1], dtype="int64")
    with lw.using(rules="paddle"):
        check(lw.addcmul(2, y, z, value=0.5), [1, 2, 2], lw.int64)
