"""Elementwise functions: every function on every dtype, against references that are exact or wider."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from cases import LINE, PAIRS, SHAPES, Shapes, crossed, drawn, due, examples, for_case
from hypothesis import given, settings
from hypothesis import strategies as st
from support import IMMUTABLE, NUMPY, check, check_equal, computed, dtypes, extremes, filled, pairs_of, values, wide

import latticework as lw
from latticework.backend.deviations import Deviation, deviations
from latticework.contents import CHAPTERS
from latticework.core.dtypes import CATEGORIES
from latticework.core.registry import OPS
from latticework.promotion import RULES

Reference = Callable[..., Any]

INTEGERS, FLOATS, REALS, COMPLEX = map(dtypes, ("integral", "real floating", "real numeric", "complex floating"))
FLOATING, NUMERIC = FLOATS + COMPLEX, REALS + COMPLEX

# --- references --------------------------------------------------------------------------------------------------

#: Functions of floats, and where their arguments lie.
NAMES = CHAPTERS["api.elementwise"].split()
UNARY: dict[str, tuple[Reference, float, float]] = {
    "sin": (np.sin, -9, 9), "cos": (np.cos, -9, 9), "tan": (np.tan, -1.4, 1.4), "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1), "atan": (np.arctan, -9, 9), "sinh": (np.sinh, -4, 4), "cosh": (np.cosh, -4, 4),
    "tanh": (np.tanh, -4, 4), "asinh": (np.arcsinh, -9, 9), "acosh": (np.arccosh, 1, 9),
    "atanh": (np.arctanh, -0.9, 0.9), "exp": (np.exp, -9, 9), "expm1": (np.expm1, -4, 4), "log": (np.log, 0.1, 9),
    "log1p": (np.log1p, -0.9, 9), "log2": (np.log2, 0.1, 9), "log10": (np.log10, 0.1, 9), "sqrt": (np.sqrt, 0, 9),
    "reciprocal": (np.reciprocal, 0.5, 4),
}  # fmt: skip
#: Functions of two floats.
BINARY: dict[str, Reference] = {
    "divide": np.divide, "atan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp, "copysign": np.copysign,
}  # fmt: skip
#: Functions of two numbers of any kind, as Python computes them.
ARITHMETIC: dict[str, Reference] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "floor_divide": operator.floordiv,
    "remainder": operator.mod, "maximum": max, "minimum": min,
}  # fmt: skip
COMPARISONS: dict[str, Reference] = {
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
    "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip
LOGIC: dict[str, Reference] = {
    "logical_and": lambda a, b: bool(a) and bool(b), "logical_or": lambda a, b: bool(a) or bool(b),
    "logical_xor": lambda a, b: bool(a) != bool(b),
}  # fmt: skip
BITS: dict[str, Reference] = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}
ROUNDING: dict[str, Reference] = {"ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "round": np.rint}
PREDICATES: dict[str, Reference] = {"isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan}
OF_INTEGERS: dict[str, Reference] = {
    "abs": abs, "negative": operator.neg, "positive": operator.pos, "square": lambda a: a * a, "ceil": int,
    "floor": int, "trunc": int, "round": int, "conj": int, "real": int, "imag": lambda a: 0,
    "sign": lambda a: (a > 0) - (a < 0), "bitwise_invert": operator.invert,
}  # fmt: skip
#: Tested one by one.
OTHERS = {"around", "clip", "bitwise_left_shift", "bitwise_right_shift", "logical_not", "nextafter", "pow", "signbit"}

OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%", "pow": "**",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<", "bitwise_right_shift": ">>",
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=",
}  # fmt: skip


def test_every_function_is_tested() -> None:
    tables = (UNARY, BINARY, ARITHMETIC, COMPARISONS, LOGIC, BITS, ROUNDING, PREDICATES, OF_INTEGERS)
    assert set().union(*tables, OTHERS) == set(NAMES)


def wrapped(numbers: Any, dtype: lw.Dtype) -> np.ndarray:
    """Python ints of any size as an integer dtype that wraps around."""
    bits, low = dtype.bits, lw.iinfo(dtype).min
    array = np.asarray(numbers, dtype=object)
    return np.array([(int(n) - low) % 2**bits + low for n in array.ravel()], NUMPY[dtype]).reshape(array.shape)


def python(x: np.ndarray) -> np.ndarray:
    """As an array of Python scalars, for exact arithmetic."""
    return wide(x).astype(object)


def each(reference: Reference, *xs: np.ndarray) -> np.ndarray:
    """A function of Python scalars on each element of arrays."""
    broadcast = np.broadcast_arrays(*map(python, xs))
    results = [reference(*scalars) for scalars in zip(*(b.ravel() for b in broadcast), strict=True)]
    return np.array(results, dtype=object).reshape(broadcast[0].shape)


def precise(x: np.ndarray) -> np.ndarray:
    """In more precision than the widest dtype has, where the platform has it."""
    return wide(x).astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)


def views(x: np.ndarray) -> Iterator[lw.Array]:
    """The same values in several memory layouts."""
    yield lw.asarray(x)
    if lw.current_backend() == "jax":
        return  # which has one
    if x.ndim >= 2:
        yield lw.asarray(np.ascontiguousarray(x.T).T)
    if x.ndim >= 1:
        yield lw.asarray(np.repeat(x, 2, axis=-1)[..., ::2])


def samples(dtype: lw.Dtype, low: float, high: float, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng([dtype.bits, dtype.exponent, *shape])
    x = rng.uniform(low, high, shape)
    if dtype.kind == "c":
        imaginary = np.asarray(rng.uniform(-2, 2, shape))
        imaginary[np.abs(np.abs(imaginary) - np.pi / 2) < 0.05] = 1  # near a pole of tanh, rounding x counts most
        return np.asarray(x + 1j * imaginary).astype(NUMPY[dtype])
    return np.asarray(x).astype(NUMPY[dtype])


def of_one(kinds: list[lw.Dtype], name: str) -> Iterator[tuple[np.ndarray, lw.Dtype]]:
    """The extreme values and others in one operand, and others in every shape, for a test of one function."""
    for shape, dtype in crossed([LINE, *SHAPES], kinds, name):
        yield filled(values(dtype, shape), extremes(dtype)), dtype


def of_two(
    kinds: list[lw.Dtype], name: str, ends: list[lw.Dtype] | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray, lw.Dtype]]:
    """Every extreme value of a dtype, or of those in `ends`, with every other, and other values in the same operands
    and in shapes that broadcast, for a test of one function."""
    for (s1, s2), dtype in crossed([(LINE, LINE), *PAIRS], kinds, name):
        x1, x2 = values(dtype, s1), values(dtype, s2, seed=1)
        if s1 == s2 == LINE and (ends is None or dtype in ends):
            x1, x2 = (filled(x, e) for x, e in zip((x1, x2), pairs_of(dtype), strict=True))
        yield x1, x2, dtype


def same_zeros(result: lw.Array, expected: np.ndarray) -> None:
    """Assert that zeros have the same sign."""
    want = wide(expected)

    def compare(values: np.ndarray) -> None:
        got = wide(values)
        for a, b in ((got.real, want.real), (got.imag, want.imag)) if got.dtype.kind == "c" else ((got, want),):
            zeros = (a == 0) & (b == 0)
            np.testing.assert_array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]))

    computed(result, compare)


# --- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", UNARY)
def test_floating(backend: str, name: str) -> None:
    reference, low, high = UNARY[name]
    for shape, dtype in crossed([LINE, *SHAPES], dtypes(OPS[name].accepts), name):
        x = samples(dtype, low, high, shape)
        for array in views(x):
            ulps = 8 if dtype.kind == "c" or backend == "jax" else 4
            check(getattr(lw, name)(array), reference(precise(x)), dtype, ulps=ulps)
    for dtype in due(INTEGERS, name):  # taken as the default float
        x = np.ones(LINE, NUMPY[dtype])
        if name != "atanh":
            check(getattr(lw, name)(lw.asarray(x)), reference(np.ones(LINE)), lw.float32)


@pytest.mark.parametrize("name", UNARY)
def test_floating_extremes(backend: str, name: str) -> None:
    for dtype in due(FLOATS, name):
        x = extremes(dtype)
        if name in ("sin", "cos", "tan"):
            x = x[np.abs(wide(x)) < 1e30]  # the largest take more digits of pi than the reference may have
        x = filled(samples(dtype, *UNARY[name][1:], LINE), x)
        expected = UNARY[name][0](precise(x))
        result = getattr(lw, name)(lw.asarray(x))
        check(result, expected, dtype)
        same_zeros(result, expected.astype(NUMPY[dtype]))


@pytest.mark.parametrize("name", BINARY)
def test_binary_floating(backend: str, name: str) -> None:
    for (s1, s2), dtype in crossed([(LINE, LINE), *PAIRS], FLOATING if name == "divide" else FLOATS, name):
        x1, x2 = samples(dtype, 0.5, 4, s1), samples(dtype, 1, 3, s2)
        expected = BINARY[name](precise(x1), precise(x2))
        for a1, a2 in zip(views(x1), views(x2), strict=False):
            check(getattr(lw, name)(a1, a2), expected, dtype)
    for dtype in due(FLOATS, name):
        x1, x2 = (filled(samples(dtype, 1, 3, LINE), x) for x in pairs_of(dtype))
        expected = BINARY[name](precise(x1), precise(x2))
        result = getattr(lw, name)(lw.asarray(x1), lw.asarray(x2))
        check(result, expected, dtype, scale=1 if name == "logaddexp" else None)  # of which the sum may cancel
        same_zeros(result, expected.astype(NUMPY[dtype]))
    for dtype in due(INTEGERS, name):
        x = np.resize(np.arange(1, 4), LINE).astype(NUMPY[dtype])
        check(getattr(lw, name)(lw.asarray(x), lw.asarray(x)), BINARY[name](wide(x) * 1.0, wide(x) * 1.0), lw.float32)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_of_integers(backend: str, name: str) -> None:
    for x1, x2, dtype in of_two(INTEGERS, name):
        if name in ("floor_divide", "remainder"):
            x2 = np.where(x2 == 0, 1, x2).astype(x2.dtype)
        expected = wrapped(each(ARITHMETIC[name], x1, x2), dtype)
        for a1, a2 in zip(views(x1), views(x2), strict=False):
            check(getattr(lw, name)(a1, a2), expected, dtype)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_arithmetic_of_floats(backend: str, name: str) -> None:
    reference: Reference = getattr(np, name)
    for x1, x2, dtype in of_two(FLOATING if name in ("add", "subtract", "multiply") else FLOATS, name, ends=FLOATS):
        expected = reference(precise(x1), precise(x2))
        for a1, a2 in zip(views(x1), views(x2), strict=False):
            result = getattr(lw, name)(a1, a2)
            check(result, expected, dtype)
            if name not in ("maximum", "minimum"):
                same_zeros(result, expected.astype(NUMPY[dtype]))


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_division_of_floats(backend: str, name: str) -> None:
    for (s1, s2), dtype in crossed([(LINE, LINE), *PAIRS], FLOATS, name):
        x1, x2 = samples(dtype, -9, 9, s1), samples(dtype, 0.25, 4, s2)
        x2 = x2 * np.sign(samples(dtype, -1, 2, s2))
        expected = each(ARITHMETIC[name], x1, x2).astype(float)
        check(getattr(lw, name)(lw.asarray(x1), lw.asarray(x2)), expected, dtype, scale=4)
    for dtype in due(FLOATS, name):
        x1, x2 = pairs_of(dtype)
        with np.errstate(all="ignore"):
            huge = np.isfinite(wide(x1)) & (wide(x2) != 0) & (np.abs(wide(x1) / wide(x2)) > 1e38)
        held = ~huge if backend == "torch" else np.ones(x1.shape, bool)  # see the deviations
        x1, x2 = (filled(np.ones(LINE, x.dtype), x[held]) for x in (x1, x2))
        expected = getattr(np, name)(wide(x1), wide(x2))
        check(getattr(lw, name)(lw.asarray(x1), lw.asarray(x2)), expected, dtype)


def test_floor_divide_is_of_the_exact_quotient(backend: str) -> None:
    for dtype in (lw.float32, lw.float64):
        x1, x2 = lw.asarray([1.0, -1.0], dtype=dtype), lw.asarray([0.1, 0.1], dtype=dtype)
        tenth = float(x2[0])
        check(x1 // x2, [1.0 // tenth, -1.0 // tenth], dtype)


def test_integers_divided_by_zero_are_zero(backend: str) -> None:
    for dtype in due(INTEGERS, "floor_divide", "remainder"):
        x1, x2 = (filled(np.ones(LINE, x.dtype), x) for x in pairs_of(dtype))
        zero = x2 == 0
        for name in ("floor_divide", "remainder"):
            quotient = each(ARITHMETIC[name], x1, np.where(zero, 1, x2).astype(x2.dtype))
            expected = np.where(zero, 0, wrapped(quotient, dtype))
            check(getattr(lw, name)(lw.asarray(x1), lw.asarray(x2)), expected, dtype)
            check(getattr(lw, name)(lw.asarray(x1), 0), np.zeros(x1.shape), dtype)


def test_powers(backend: str) -> None:
    for dtype in due(NUMERIC, "pow"):
        exponents = {"i": [0, 1, 2, 3, 5, 63], "u": [0, 1, 2, 3, 5, 63], "f": [0.0, 1.0, 2.0, -1.0, 0.5, 1.5],
                     "c": [0.0, 1.0, 2.0, -1.0, 0.5, 1 + 0.5j]}[dtype.kind]  # fmt: skip
        x = extremes(dtype) if dtype.kind in "iu" else samples(dtype, 0.5, 2.5, (7,))
        x1, x2 = np.repeat(x, len(exponents)), np.tile(exponents, x.size).astype(NUMPY[dtype])
        x1, x2 = (filled(np.ones(LINE, x.dtype), x) for x in (x1, x2))
        if dtype.kind in "iu":
            expected = wrapped(each(operator.pow, x1, x2), dtype)
        else:
            expected = np.power(precise(x1), precise(x2))
        check(lw.pow(lw.asarray(x1), lw.asarray(x2)), expected, dtype, ulps=16)
        check(lw.pow(lw.asarray(x1), lw.asarray(x2[3])), lw.asarray(x1) ** lw.asarray(np.full_like(x1, x2[3])), dtype)
    big = np.array([0, 2, 63, 64, 2**62, 2**63 - 1, 2**63, 2**63 + 3, 2**64 - 1], dtype=np.uint64)
    bases = np.array([0, 1, 2, 3, 10, 2**63, 2**63 + 5, 2**64 - 1], dtype=np.uint64)
    x1, x2 = np.repeat(bases, big.size), np.tile(big, bases.size)
    expected = np.array([pow(int(a), int(b), 2**64) for a, b in zip(x1, x2, strict=True)], dtype=np.uint64)
    check(lw.pow(lw.asarray(x1), lw.asarray(x2)), expected, lw.uint64)


def test_squares_roots_and_reciprocals_of_numpy_are_those_of_its_own_operator() -> None:
    """``x**2`` is np.square there and so on, bit by bit; np.power is the same up to rounding, and takes longer."""
    functions = {2: np.square, -1: np.reciprocal, 0.5: np.sqrt}
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        for dtype in NUMERIC:
            x = np.concatenate([samples(dtype, -2, 2, (50,)), extremes(dtype)])
            for exponent in (2,) if dtype.kind in "iu" else (2, 2.0, -1, 0.5):
                half = exponent == 0.5 and dtype.itemsize == 2  # whose power keeps what the standard says of -0.0
                expected = np.power(x, NUMPY[dtype].type(0.5)) if half else functions[exponent](x)
                y = lw.asarray(x, copy=True)
                result = y**exponent
                y **= exponent
                for found in (result, lw.pow(lw.asarray(x), exponent), y):
                    assert found.dtype is dtype and found.data.tobytes() == expected.tobytes(), (dtype, exponent)


def test_integers_have_no_negative_powers(backend: str) -> None:
    for dtype in dtypes("signed integer"):
        x = lw.asarray([2, 3], dtype=dtype)
        for exponent in (-1, lw.asarray([0, -2], dtype=dtype), lw.asarray(-1, dtype=dtype)):
            with pytest.raises(ValueError, match=r"pow: .*negative.* powers"):
                lw.pow(x, exponent)
        with pytest.raises(ValueError, match="pow"):
            x **= -1
        check(x, [2, 3], dtype)
    check(lw.asarray([2, 4]) ** -1.0, [0.5, 0.25], lw.float32)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(backend: str, name: str) -> None:
    for x1, x2, _ in of_two(dtypes("all" if name in ("equal", "not_equal") else "real numeric or bool"), name):
        expected = each(COMPARISONS[name], x1, x2).astype(bool)
        for a1, a2 in zip(views(x1), views(x2), strict=False):
            check(getattr(lw, name)(a1, a2), expected, lw.bool)


@pytest.mark.parametrize("name", LOGIC)
def test_logic(backend: str, name: str) -> None:
    for d1, d2 in itertools.product(lw.all_dtypes, repeat=2):  # nothing has to promote; in each, every kind of value
        x1, x2 = filled(values(d1, LINE), extremes(d1)), filled(values(d2, LINE, seed=1), extremes(d2)[::-1])
        expected = each(LOGIC[name], x1, x2).astype(bool)
        check(getattr(lw, name)(lw.asarray(x1), lw.asarray(x2)), expected, lw.bool)
    x = lw.asarray([True, False])
    for scalar in (True, False, 2, 0.5, 0.0, 1j):
        expected = each(LOGIC[name], np.array([True, False]), np.full(2, bool(scalar)))
        check(getattr(lw, name)(x, scalar), expected.astype(bool), lw.bool)
        check(getattr(lw, name)(scalar, x), expected.astype(bool), lw.bool)


def test_logical_not(backend: str) -> None:
    for x, _ in of_one([*lw.all_dtypes], "logical_not"):
        for array in views(x):
            check(lw.logical_not(array), wide(x) == 0, lw.bool)


@pytest.mark.parametrize("name", BITS)
def test_bits(backend: str, name: str) -> None:
    for x1, x2, dtype in of_two(dtypes("integral or bool"), name):
        expected = each(BITS[name], x1, x2).astype(NUMPY[dtype])
        for a1, a2 in zip(views(x1), views(x2), strict=False):
            check(getattr(lw, name)(a1, a2), expected, dtype)


def test_shifts(backend: str) -> None:
    for dtype in due(INTEGERS, "bitwise_left_shift", "bitwise_right_shift"):
        x = extremes(dtype)
        amounts = np.array([0, 1, 3, dtype.bits - 1, dtype.bits, dtype.bits + 1, 100, lw.iinfo(dtype).max])
        x1, x2 = np.repeat(x, amounts.size), np.tile(amounts, x.size).astype(NUMPY[dtype])
        left = wrapped(each(lambda a, n: a << min(n, 64), x1, x2), dtype)
        right = wrapped(each(lambda a, n: a >> min(n, 64), x1, x2), dtype)
        for a1, a2 in zip(views(x1), views(x2), strict=True):
            check(lw.bitwise_left_shift(a1, a2), left, dtype)
            check(lw.bitwise_right_shift(a1, a2), right, dtype)
        if dtype.kind == "i":  # a negative shift moves everything out
            check(lw.asarray(x) << -1, np.zeros(x.shape), dtype)
            check(lw.asarray(x) >> -1, np.where(x < 0, -1, 0), dtype)
        check(lw.asarray(3, dtype=dtype) << lw.asarray([1, 2], dtype=dtype), [6, 12], dtype)
        check(lw.asarray([[9], [4]], dtype=dtype) >> lw.asarray([1, 0, 2], dtype=dtype), [[4, 9, 2], [2, 4, 1]], dtype)


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_functions_of_integers(backend: str, name: str) -> None:
    for x, dtype in of_one(INTEGERS, name):
        expected = wrapped(each(OF_INTEGERS[name], x), dtype)
        for array in views(x):
            check(getattr(lw, name)(array), expected, dtype)
    if name == "bitwise_invert":
        check(~lw.asarray([True, False]), [False, True], lw.bool)


@pytest.mark.parametrize("name", [*ROUNDING, "abs", "negative", "positive", "square", "sign"])
def test_functions_of_floats(backend: str, name: str) -> None:
    reference = ROUNDING.get(name) or getattr(np, name)
    halves = [(np.resize(np.arange(-4, 4.5, 0.5), LINE).astype(NUMPY[d]), d) for d in due(FLOATS, name)]
    for x, dtype in (*of_one(FLOATS, name), *halves):
        expected = reference(precise(x))
        for array in views(x):
            result = getattr(lw, name)(array)
            check(result, expected, dtype, ulps=0.5)
            if name != "sign":
                same_zeros(result, expected)


def test_functions_of_complex_numbers(backend: str) -> None:
    for dtype in COMPLEX:
        component = lw.float32 if dtype is lw.complex64 else lw.float64
        for x in (extremes(dtype), *(values(dtype, shape) for shape in SHAPES)):
            for array in views(x):
                check(lw.real(array), x.real, component, ulps=0)
                check(lw.imag(array), x.imag, component, ulps=0)
                check(lw.abs(array), np.hypot(precise(x).real, precise(x).imag), component)
                for name, expected in (("conj", x.conj()), ("positive", x), ("negative", -x)):
                    check(getattr(lw, name)(array), expected, dtype, ulps=0)
                    same_zeros(getattr(lw, name)(array), expected)
                rounded = lw.round(array)
                assert rounded.dtype is dtype
                np.testing.assert_array_equal(np.asarray(rounded).real, np.rint(x.real))
                np.testing.assert_array_equal(np.asarray(rounded).imag, np.rint(x.imag))
        for shape in SHAPES:
            x = values(dtype, shape)
            size = np.where(x == 0, 1, np.abs(precise(x)))
            check(lw.sign(lw.asarray(x)), precise(x) / size, dtype)
            check(lw.square(lw.asarray(x)), precise(x) * precise(x), dtype)
        check(lw.sign(lw.asarray(np.array([complex(np.nan, 1), 0, -0.0], NUMPY[dtype]))), [np.nan, 0, 0], dtype)


def test_real_and_imag_of_real_arrays(backend: str) -> None:
    for shape, dtype in crossed([LINE, *SHAPES], REALS, "real", "conj", "imag"):
        x = values(dtype, shape)
        check(lw.real(lw.asarray(x)), x, dtype)
        check(lw.conj(lw.asarray(x)), x, dtype)
        zeros = lw.imag(lw.asarray(x))
        check(zeros, np.zeros(shape), dtype)
        if x.size:
            zeros[...] = 1  # memory of its own


@pytest.mark.parametrize("name", PREDICATES)
def test_predicates(backend: str, name: str) -> None:
    for x, _ in of_one([*lw.all_dtypes], name):
        for array in views(x):
            check(getattr(lw, name)(array), PREDICATES[name](wide(x)), lw.bool)


def test_signbit(backend: str) -> None:
    for x, dtype in of_one(REALS, "signbit"):
        for array in views(x):
            check(lw.signbit(array), np.signbit(wide(x)) if dtype.kind == "f" else wide(x) < 0, lw.bool)
    minus_nan = lw.copysign(lw.asarray([lw.nan, lw.nan]), lw.asarray([-1.0, 1.0]))
    check(lw.signbit(minus_nan), [True, False], lw.bool)


def test_nextafter(backend: str) -> None:
    for dtype in FLOATS:
        eps, tiny = lw.finfo(dtype).eps, lw.finfo(dtype).smallest_normal
        x1 = lw.asarray([1.0, 1.0, 1.0, 0.0, 0.0, lw.inf, lw.nan, 1.0], dtype=dtype)
        x2 = lw.asarray([2.0, 0.0, 1.0, 1.0, -1.0, 0.0, 1.0, lw.nan], dtype=dtype)
        least = tiny * eps
        expected = [1 + eps, 1 - eps / 2, 1, least, -least, lw.finfo(dtype).max, np.nan, np.nan]
        result = lw.nextafter(x1, x2)
        check(result, expected, dtype, ulps=0)
        np.testing.assert_array_equal(wide(result)[3:5], [least, -least])
        check(lw.nextafter(x1[:2], lw.inf), [1 + eps, 1 + eps], dtype, ulps=0)
        check(lw.nextafter(1.0, x2[:2]), [1 + eps, 1 - eps / 2], dtype, ulps=0)


def test_sums_of_logarithms_do_not_overflow(backend: str) -> None:
    for dtype in FLOATS:
        large = lw.finfo(dtype).max / 4
        x = lw.asarray([large, -large, -lw.inf], dtype=dtype)
        check(lw.logaddexp(x, x), [large, -large, -lw.inf], dtype)
        check(lw.hypot(x, x), [large * 2**0.5, large * 2**0.5, lw.inf], dtype)


def test_small_numbers_are_kept(backend: str) -> None:
    for dtype in FLOATING:
        x = np.array([1e-3, -1e-3, 1e-7, 3e-5], NUMPY[dtype]) / 8
        if dtype.kind == "c":
            x = x + x[::-1] * 1j
        z = precise(x)
        check(lw.expm1(lw.asarray(x)), z + z**2 / 2 + z**3 / 6 + z**4 / 24 + z**5 / 120, dtype)
        check(lw.log1p(lw.asarray(x)), z - z**2 / 2 + z**3 / 3 - z**4 / 4 + z**5 / 5, dtype)
    for dtype in COMPLEX:  # far out, and close to the pole
        x = np.array([1e30 + 1e30j, -1e30, -1 + 1e-5j, -1 - 1e-5, -2 + 1e-9j, 3 - 4j, -0.5 - 0.5j], NUMPY[dtype])
        check(lw.log1p(lw.asarray(x)), np.log(precise(x) + 1), dtype)
        mirrored = lw.log1p(lw.conj(lw.asarray(x)))
        np.testing.assert_array_equal(np.asarray(mirrored), np.asarray(lw.conj(lw.log1p(lw.asarray(x)))))


# --- Python scalars ----------------------------------------------------------------------------------------------

SCALARS: dict[str, list[Any]] = {
    "b": [True, False], "i": [True, 0, 1, 3, 7], "u": [True, 0, 1, 3, 7],
    "f": [True, 2, 0.5, -0.5, 0.1, -0.0, 1.5, lw.inf, lw.nan], "c": [True, 2, -1.5, 0.1, 1 + 2j],
}  # fmt: skip
TWO = [name for name in NAMES if len(OPS[name].operands) == 2]


def accepted(name: str) -> list[lw.Dtype]:
    accepts = OPS[name].accepts
    return [*lw.all_dtypes] if name in LOGIC else dtypes(accepts)


@pytest.mark.parametrize("name", TWO)
def test_scalars_are_taken_as_arrays_of_the_dtype(backend: str, name: str) -> None:
    function = getattr(lw, name)
    for dtype in for_case(name, TWO, accepted(name)):  # it is taken where the call is planned, for all functions alike
        x = values(dtype, LINE, low=1)
        array = lw.asarray(x)
        for scalar in SCALARS[dtype.kind]:
            full = lw.asarray(np.full(LINE, scalar).astype(x.dtype))
            expected = function(array, full), function(full, array)
            for result, want in zip((function(array, scalar), function(scalar, array)), expected, strict=True):
                check_equal(result, want, ulps=4)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_the_functions(backend: str, name: str) -> None:
    function = getattr(lw, name)
    for dtype in for_case(name, OPERATORS, dtypes(OPS[name].accepts)):  # which calls the function
        x1, x2 = (lw.asarray(values(dtype, LINE, low=1, seed=seed)) for seed in (0, 1))
        scalar = {"b": True, "f": 1.5, "c": 1.5}.get(dtype.kind, 2)
        for a, b in ((x1, x2), (x1, scalar), (scalar, x1)):
            want = function(a, b)
            check_equal(eval(f"a {OPERATORS[name]} b", {"a": a, "b": b}), want)


@pytest.mark.parametrize("name", [*OPERATORS][:12])
def test_in_place(backend: str, name: str) -> None:
    for shape, dtype in crossed((LINE, (2, 3), ()), dtypes(OPS[name].accepts), name, first=name == "add"):
        x1, x2 = (values(dtype, shape, low=1, seed=seed) for seed in (0, 1))
        want = getattr(lw, name)(lw.asarray(x1), lw.asarray(x2))
        for other in (lw.asarray(x2), *([x2.item()] if shape == () and dtype is not lw.bfloat16 else [])):
            scope = {"a": lw.asarray(x1, copy=True), "b": other}
            alias = scope["a"]
            exec(f"a {OPERATORS[name]}= b", scope)
            assert scope["a"] is alias
            check_equal(alias, want, ulps=4)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "equal", "less", "bitwise_and", "floor_divide", "pow"])
def test_ints_that_do_not_fit(backend: str, name: str) -> None:
    for dtype in INTEGERS:
        x = lw.asarray([1, 2], dtype=dtype)
        for scalar in (lw.iinfo(dtype).max + 1, lw.iinfo(dtype).min - 1):
            for operands in ((x, scalar), (scalar, x)):
                with pytest.raises(OverflowError, match=f"{name}: Python int {scalar} does not fit {dtype}"):
                    getattr(lw, name)(*operands)


def test_scalars_beyond_a_float(backend: str) -> None:
    for dtype in (lw.bfloat16, lw.float16, lw.float32):
        x = lw.asarray([1, 2], dtype=dtype)
        for name in ("add", "multiply", "maximum", "copysign", "hypot"):
            check(getattr(lw, name)(x, 1e300), [lw.inf, lw.inf] if name != "copysign" else [1, 2], dtype)
            check(getattr(lw, name)(1e300, x), [lw.inf, lw.inf], dtype)
        check(x < 1e300, [True, True], lw.bool)


def test_scalars_of_a_higher_kind(backend: str) -> None:
    for dtype in due(INTEGERS):
        x = lw.asarray([1, 2], dtype=dtype)
        check(x + 0.5, [1.5, 2.5], lw.float32)
        check(0.5 - x, [-0.5, -1.5], lw.float32)
        check(lw.maximum(x, 1.5), [1.5, 2], lw.float32)
        check(lw.atan2(1, x), np.arctan2(1.0, [1.0, 2.0]), lw.float32)
        check(x * 1j, [1j, 2j], lw.complex64)
    for dtype in FLOATS:
        check(lw.asarray([1, 2], dtype=dtype) * 1j, [1j, 2j], lw.complex128 if dtype is lw.float64 else lw.complex64)


def test_mixed_dtypes_are_cast_first(backend: str) -> None:
    names = ("add", "divide", "maximum", "pow", "remainder", "floor_divide", "atan2", "less", "equal")
    for name, (d1, d2) in crossed(names, itertools.product(REALS, repeat=2)):
        x1, x2 = values(d1, (4,), low=1), values(d2, (4,), low=1, seed=1)
        common = lw.promote_types(d1, d2)
        a1, a2 = (lw.astype(lw.asarray(x), common) for x in (x1, x2))
        want = getattr(lw, name)(a1, a2)
        for y1, y2 in drawn(((x1, x2), (x1[0], x2), (x1, x2[0])), name, d1, d2):
            part = getattr(lw, name)(lw.asarray(y1), lw.asarray(y2))
            assert part.dtype is want.dtype
        check(getattr(lw, name)(lw.asarray(x1), lw.asarray(x2)), wide(want), want.dtype)


# --- clip and around ---------------------------------------------------------------------------------------------


CLIPPED = [((4,), (), ()), ((3, 4), (4,), (3, 1)), ((4,), (3, 1), ()), ((0,), (), (1,)), ((), (2,), (2, 1))]


def test_clip(backend: str) -> None:
    for (shape, low_shape, high_shape), dtype in crossed(CLIPPED, REALS, "clip"):
        x = values(dtype, shape, high=9)
        low, high = values(dtype, low_shape, high=3), values(dtype, high_shape, low=3, high=6)
        arrays = [lw.asarray(a) for a in (x, low, high)]
        exact = [wide(a) for a in (x, low, high)]
        check(lw.clip(*arrays), np.minimum(np.maximum(exact[0], exact[1]), exact[2]), dtype, ulps=0)
        check(lw.clip(arrays[0], arrays[1]), np.maximum(exact[0], exact[1]), dtype, ulps=0)
        check(lw.clip(arrays[0], max=arrays[2]), np.minimum(exact[0], exact[2]), dtype, ulps=0)
    for dtype in due(REALS, "clip"):
        scalars = (1, 5) if dtype.kind in "iu" else (1, 4.5)
        for shape in Shapes([(6,)], [(2, 3)]):
            x = values(dtype, shape, high=9)
            check(lw.clip(lw.asarray(x), *scalars), np.clip(wide(x), *scalars), dtype, ulps=0)
            check(lw.clip(lw.asarray(x), min=2), np.maximum(wide(x), 2), dtype, ulps=0)
            check(lw.clip(lw.asarray(x), max=2), np.minimum(wide(x), 2), dtype, ulps=0)
            one, three = (lw.asarray(n, dtype=dtype) for n in (1, 3))
            for bounds in ((one, 3), (1, three), (one, three)):
                check(lw.clip(lw.asarray(x), *bounds), np.clip(wide(x), 1, 3), dtype, ulps=0)
            untouched = lw.clip(lw.asarray(x))
            check(untouched, x, dtype, ulps=0)


def test_clip_nan_and_order(backend: str) -> None:
    for dtype in due(FLOATS, "clip"):
        x = lw.asarray([lw.nan, 0.0, 5.0], dtype=dtype)
        check(lw.clip(x, 1, 2), [lw.nan, 1, 2], dtype)
        nan = lw.asarray(lw.nan, dtype=dtype)
        for low, high in ((lw.nan, 2.0), (1.0, lw.nan), (nan, 2.0), (1.0, nan), (None, lw.nan), (lw.nan, None)):
            check(lw.clip(x, low, high), [lw.nan] * 3, dtype)
        check(lw.clip(x[1:], 3, 2), [2, 2], dtype)
        check(lw.clip(x, -1e300, 1e300), [lw.nan, 0, 5], dtype)
        check(lw.clip(x, -(2**70), lw.asarray(2, dtype=dtype)), [lw.nan, 0, 2], dtype)
    check(lw.clip(lw.asarray([True, False]), True, True), [True, True], lw.bool)


def test_clip_dtypes_and_bounds(backend: str) -> None:
    x = lw.asarray([1, 5, 9])
    check(lw.clip(x, 1.5, 6), [1.5, 5, 6], lw.float32)
    check(lw.clip(x, max=lw.asarray(6, dtype=lw.int64)), [1, 5, 6], lw.int64)
    check(lw.clip(x, lw.asarray(2, dtype=lw.int8), 6), [2, 5, 6], lw.int32)
    for dtype in due(INTEGERS, "clip"):
        limits = lw.iinfo(dtype)
        x = lw.asarray([limits.min, 3, limits.max], dtype=dtype)
        check(lw.clip(x, limits.min - 1, limits.max + 1), [limits.min, 3, limits.max], dtype)
        check(lw.clip(x, limits.min - 1, 5), [limits.min, 3, 5], dtype)
        with pytest.raises(OverflowError, match="clip: Python int"):
            lw.clip(x, max=limits.min - 1)
        with pytest.raises(OverflowError, match="clip: Python int"):
            lw.clip(x, limits.max + 1, None)
    x = lw.asarray([1.0, 2.0])
    y = lw.clip(x)
    y[0] = 7
    assert float(x[0]) == 1
    with pytest.raises(ValueError, match=r"clip: shapes \(2,\) and \(3,\) do not fit"):
        lw.clip(x, lw.asarray([1.0, 2.0, 3.0]))
    with pytest.raises(TypeError, match="clip: takes real numeric or bool"):
        lw.clip(lw.asarray([1j]), 0, 1)
    with pytest.raises(TypeError, match="clip: takes real numeric or bool"):
        lw.clip(lw.asarray([1j]))
    with pytest.raises(TypeError, match=r"clip: takes arrays; got list. Write lw.clip\(lw.asarray\(\[1, 2\]\), 0, 1\)"):
        lw.clip([1, 2], 0, 1)


def test_around(backend: str) -> None:
    for dtype in due(FLOATING, "around"):
        x = lw.asarray([1.25, -2.5, 3.5, 1234.0], dtype=dtype)
        check(lw.around(x), [1, -2, 4, 1234], dtype)
        check(x.round(1), [1.2, -2.5, 3.5, 1234], dtype)
        check(round(x, -1), [0, 0, 0, 1230], dtype)
        check(lw.round(x, 1), [1.2, -2.5, 3.5, 1234], dtype)
        check(lw.round(x, decimals=-1), [0, 0, 0, 1230], dtype)
    for dtype in due(FLOATS, "around"):
        largest = lw.finfo(dtype).max
        x = lw.asarray([largest, lw.inf, -lw.inf, lw.nan, 0.0], dtype=dtype)
        check(lw.around(x, decimals=3), [largest, lw.inf, -lw.inf, lw.nan, 0], dtype)
    for dtype in due(INTEGERS, "around"):
        x = lw.asarray([0, 4, 5, 6, 14, 15, 25, 35, 104, 115, lw.iinfo(dtype).max - 9], dtype=dtype)
        check(lw.around(x, decimals=2), wide(x), dtype)
        check(lw.around(x, decimals=-1), wrapped(each(lambda a: round(a, -1), wide(x)), dtype), dtype)
        check(lw.around(x, decimals=-30), np.zeros(11), dtype)
        if dtype.kind == "i":
            check(lw.around(-x, decimals=-1), wrapped(each(lambda a: round(-a, -1), wide(x)), dtype), dtype)


def test_round_to_decimals() -> None:
    """By position and by name, into an array, of native arrays, and in plans."""
    x = lw.asarray([1.26, -2.5])
    out = lw.zeros(2)
    assert lw.round(x, 1, out) is out
    check(out, [1.3, -2.5], lw.float32)
    assert lw.round(x, out=out) is out
    check(out, [1, -2], lw.float32)
    np.testing.assert_array_equal(lw.array_namespace("numpy").round(np.asarray([12.0]), decimals=-1), [10])
    assert lw.plan(lw.round, x, 1).op == "around"
    assert lw.plan(lw.round, x).op == "round"


# --- memory ------------------------------------------------------------------------------------------------------


def test_results_have_memory_of_their_own(backend: str) -> None:
    own = "abs positive negative conj floor ceil trunc round sign square bitwise_invert".split()
    for name in own:
        for dtype in due(dtypes(OPS[name].accepts), name):
            x = lw.asarray([1, 1], dtype=dtype)
            y = getattr(lw, name)(x)
            y[0] = False
            check(x, [1, 1], dtype)


def test_components_are_views(backend: str) -> None:
    x = lw.asarray([1 + 2j, 3j])
    with pytest.raises(ValueError, match="has none") if backend in IMMUTABLE else nullcontext():
        lw.real(x)[0] = 5
    with pytest.raises(ValueError, match="has none") if backend in IMMUTABLE else nullcontext():
        lw.imag(x)[1] = 7
    check(x, [1 + 2j, 3j] if backend in IMMUTABLE else [5 + 2j, 7j], lw.complex64)


def test_torch_gradients_pass() -> None:
    torch = pytest.importorskip("torch")
    t = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    x = lw.asarray(t)
    result = lw.sign(x) * 2 + lw.clip(x, -1, 5) * 3 + lw.positive(x)
    result.data.sum().backward()
    assert t.grad.tolist() == [1.0, 4.0, 4.0]


def test_torch_lazy_conjugates_are_taken() -> None:
    torch = pytest.importorskip("torch")
    x = lw.asarray(torch.tensor([1.5 + 2.5j]).conj())
    check(lw.round(x), [2 - 2j], lw.complex64)
    check(lw.conj(x), [1.5 + 2.5j], lw.complex64)
    check(lw.imag(x) + 0, [-2.5], lw.float32)


# --- errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_wrong_dtypes(backend: str, name: str) -> None:
    o = OPS[name]
    if not o.operands or name in LOGIC or name == "logical_not":
        return
    taken = dtypes(o.accepts)
    for dtype in lw.all_dtypes:
        x = lw.asarray([1, 1]) if dtype in taken else lw.astype(lw.asarray([1, 1]), dtype)
        lifted = dtype.kind in "biu" and "f" in {d.kind for d in taken} and "i" not in {d.kind for d in taken}
        if dtype in taken or lifted:
            continue
        with pytest.raises(TypeError, match=f"{name}: takes {o.accepts} dtypes"):
            getattr(lw, name)(*[x] * len(o.operands))


def test_shapes_that_do_not_fit(backend: str) -> None:
    for name in TWO:
        dtype = lw.bool if name in LOGIC else accepted(name)[-1]
        if dtype is lw.complex128:
            dtype = lw.float32
        x1, x2 = (lw.asarray(values(dtype, shape, low=1)) for shape in ((2,), (3,)))
        with pytest.raises(ValueError, match=rf"{name}: shapes \(2,\) and \(3,\) do not fit together"):
            getattr(lw, name)(x1, x2)
    for dtype in (lw.uint16, lw.uint64, lw.int32):
        with pytest.raises(ValueError, match=r"remainder: shapes \(2,\) and \(3,\)"):
            lw.asarray([1, 2], dtype=dtype) % lw.asarray([1, 2, 3], dtype=dtype)


#: Calls of Python scalars alone, with the call that they stand for.
OF_SCALARS = {
    "sqrt": (lambda: lw.sqrt(2.0), lambda: lw.sqrt(lw.asarray(2.0))),
    "abs": (lambda: lw.abs(-3), lambda: lw.abs(lw.asarray(-3))),
    "isfinite": (lambda: lw.isfinite(True), lambda: lw.isfinite(lw.asarray(True))),
    "add": (lambda: lw.add(1, 2.5), lambda: lw.add(lw.asarray(1), 2.5)),
    "where": (lambda: lw.where(True, 1, 2.5), lambda: lw.where(lw.asarray(True), lw.asarray(1), 2.5)),
    "sum": (lambda: lw.sum(3), lambda: lw.sum(lw.asarray(3))),
    "stack": (lambda: lw.stack([1, 2.5]), lambda: lw.stack([lw.asarray(1), 2.5])),
    "clip": (lambda: lw.clip(5, 0, 1), lambda: lw.clip(lw.asarray(5), 0, 1)),
    "atleast_1d": (lambda: lw.atleast_1d(2.5), lambda: lw.asarray([2.5])),
}


@pytest.mark.parametrize("call", OF_SCALARS)
def test_python_scalars_alone_are_arrays_of_the_default_dtype(backend: str, call: str) -> None:
    f, expected = (g() for g in OF_SCALARS[call])
    assert f.backend == backend
    assert (f.dtype, f.shape, f.tolist()) == (expected.dtype, expected.shape, expected.tolist())
    with lw.using(rules="strict"), pytest.raises(TypeError, match=rf"{call}: .*(array|strict rules)"):
        OF_SCALARS[call][0]()


def test_rules_of_a_users_own_say_whether_scalars_are_arrays() -> None:
    """It is a fact of the rules, not of the name: the standard's table with it, and our own without it."""
    edges = "\n".join(f"{a} -> {b}" for a, b in RULES["strict"].edges)
    with lw.using(rules=lw.Rules("strict", edges)):
        assert lw.sqrt(2.0).dtype is lw.float32 and lw.atleast_1d(2.5).shape == (1,)
    mine = lw.Rules("mine", edges, takes_scalars=False)
    x = lw.ones(2)
    with lw.using(rules=mine):
        for name, f in {"sqrt": lambda: lw.sqrt(2.0), "atleast_1d": lambda: lw.atleast_1d(2.5),
                        "hstack": lambda: lw.hstack([x, 2.0])}.items():  # fmt: skip
            with pytest.raises(
                TypeError, match=rf"{name}: takes arrays; got .* which the mine rules take for no array"
            ):
                f()
        assert (x + 2.0).dtype is lw.float32


def test_python_scalars_alone_are_weak_where_arrays_are() -> None:
    with lw.using(rules="jax"):
        assert lw.sqrt(2.0).weak
        assert (lw.sqrt(2.0) * lw.ones(1, dtype=lw.float16)).dtype is lw.float16
    with lw.using(rules="numpy"):
        assert lw.add(1, 2).dtype is lw.int64


def test_a_python_scalar_beside_arrays_of_another_backend_joins_them() -> None:
    pytest.importorskip("torch")
    x = lw.asarray([1.0, 2.0], dtype=lw.float16, backend="torch")
    for y in (lw.hstack([x, 2.0]), lw.dot(2.0, x), lw.column_stack([1.5, x[:1]])):
        assert (y.backend, y.dtype) == ("torch", lw.float16)
    assert [y.backend for y in (*lw.broadcast_arrays(x, 0.1), *lw.meshgrid(2.0, x))] == ["torch"] * 4


def test_the_error_of_a_list_shows_the_line_to_write() -> None:
    x = lw.asarray([1.0, 2.0])
    for call, line in {
        lambda: lw.min([3, 4]): "lw.min(lw.asarray([3, 4]))",
        lambda: lw.prod((2, 3)): "lw.prod(lw.asarray((2, 3)))",
        lambda: lw.max([x[0], x[1]]): "lw.max(lw.asarray(x))",
        lambda: lw.reshape([1, 2], (2, 1)): "lw.reshape(lw.asarray([1, 2]), (2, 1))",
        lambda: lw.linalg.inv([[1.0]]): "lw.linalg.inv(lw.asarray([[1.0]]))",
        lambda: lw.add(x, [1]): "lw.asarray([1])",
        lambda: lw.allclose([1.0], x): "lw.asarray([1.0])",
    }.items():
        with pytest.raises(TypeError) as error:
            call()
        assert str(error.value).endswith(line), error.value


# --- properties --------------------------------------------------------------------------------------------------


@given(
    st.sampled_from(INTEGERS).flatmap(
        lambda d: st.tuples(
            st.just(d),
            st.lists(st.tuples(*[st.integers(lw.iinfo(d).min, lw.iinfo(d).max)] * 2), min_size=1, max_size=20),
        )
    )
)
@settings(max_examples=examples(60), deadline=None)
def test_integers_are_exact(backends: tuple[str, ...], case: tuple[lw.Dtype, list[tuple[int, int]]]) -> None:
    dtype, pairs = case
    x1, x2 = (np.array(column, NUMPY[dtype]) for column in zip(*pairs, strict=True))
    divisor = np.where(x2 == 0, 1, x2).astype(x2.dtype)
    for backend in backends:
        a1, a2, d = (lw.asarray(x, backend=backend) for x in (x1, x2, divisor))
        for name in ("add", "subtract", "multiply", "maximum", "minimum"):
            check(getattr(lw, name)(a1, a2), wrapped(each(ARITHMETIC[name], x1, x2), dtype), dtype)
        check(a1 // d, wrapped(each(operator.floordiv, x1, divisor), dtype), dtype)
        check(a1 % d, wrapped(each(operator.mod, x1, divisor), dtype), dtype)
        check((a1 // d) * d + a1 % d, x1, dtype)
        check(a1 < a2, each(operator.lt, x1, x2).astype(bool), lw.bool)
        check(lw.square(a1), wrapped(each(lambda a: a * a, x1), dtype), dtype)


@pytest.fixture(scope="module")
def backends() -> tuple[str, ...]:
    from conftest import BACKENDS

    return tuple(BACKENDS)


# --- deviations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deviation", [d for d in deviations() if d.function in NAMES], ids=str)
def test_deviations_are_still_there(deviation: Deviation) -> None:
    pytest.importorskip(deviation.backend)
    for dtype in (
        dtypes(deviation.dtypes) if deviation.dtypes in CATEGORIES else map(lw.Dtype, deviation.dtypes.split())
    ):
        limits = lw.finfo(dtype)
        scope = {"inf": lw.inf, "nan": lw.nan, "pi": lw.pi, "max": limits.max, "tiny": limits.smallest_normal}
        standard, gives = (
            np.asarray(eval(v, scope)).astype(NUMPY[dtype]) for v in (deviation.standard, deviation.gives)
        )
        case = eval(f"[{deviation.case}]", scope)
        got = []
        for size in (1, 64):  # frameworks compute many at a time by other means than one
            operands = [np.full(size, x[0]).astype(NUMPY[dtype]) if isinstance(x, list) else x for x in case]
            arrays = [lw.asarray(x, backend=deviation.backend) if isinstance(x, np.ndarray) else x for x in operands]
            with np.errstate(all="ignore"):
                got.append(wide(getattr(lw, deviation.function)(*arrays))[0])
        assert any(identical(g, wide(gives)) for g in got), f"{dtype}: {got}"
        assert not all(identical(g, wide(standard)) for g in got)


def identical(a: Any, b: Any) -> bool:
    """Equal, with nan and the signs of zeros."""
    return all(
        np.array_equal(x, y, equal_nan=True) and (x != 0 or np.signbit(x) == np.signbit(y))
        for x, y in ((np.real(a), np.real(b)), (np.imag(a), np.imag(b)))
    )


def test_the_sign_of_a_zero_tells_the_side_of_a_branch_cut(backend: str) -> None:
    """As in C99, annex G. XLA's sqrt, asin, acos, asinh and acosh do not look at the sign."""
    parts = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.125, -1.125, 3.0, -3.0)
    z = np.array([complex(a, b) for a in parts for b in parts if (a, b) != (0, 0)])
    z = z[(np.abs(z) != 1) | (z.imag != 0) & (z.real != 0)]  # less the ends of cuts, where some are infinite
    for dtype in ("complex64", "complex128"):
        x = lw.asarray(z, dtype=dtype)
        for name in ("sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh"):
            with np.errstate(all="ignore"):
                want = getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
                                    "acosh": "arccosh", "atanh": "arctanh"}.get(name, name))(z)  # fmt: skip
            found = lw.to_numpy(getattr(lw, name)(x))
            np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6, err_msg=name)
