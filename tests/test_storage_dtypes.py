"""Storage dtypes: arrays of every backend hold float8 alike. It is moved, cast and exchanged, and not computed with."""

from __future__ import annotations

import copy
import math
import os
import pickle
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cases import EXHAUSTIVE

import latticework as lw
from latticework.backend import measured
from latticework.core.dtypes import CATEGORIES, Dtype, category, float_limits, holding, rounded, takes
from latticework.core.registry import OPS
from latticework.errors import PromotionError, ValueLossError

ROOT = Path(__file__).parents[1]
DTYPES = [pytest.param(d, id=str(d)) for d in lw.extended_dtypes]
#: Formats that ml_dtypes has.
FORMATS = [n for n in vars(ml_dtypes) if n.startswith(("float4", "float6", "float8", "bfloat"))]


def native(dtype: Dtype) -> Any:
    return np.dtype(getattr(ml_dtypes, str(dtype)))


def bits(x: Any) -> np.ndarray:
    return np.asarray(x).view(np.uint8)


def codes(dtype: Dtype) -> np.ndarray:
    """Every number of a dtype, and whatever else its codes stand for."""
    return np.arange(256, dtype=np.uint8).reshape(16, 16).view(native(dtype))


def numbers(dtype: Dtype) -> np.ndarray:
    """Its finite numbers as float64, in order."""
    values = codes(dtype).astype(np.float64).ravel()
    return np.unique(values[np.isfinite(values)])


def same(x: Any, expected: np.ndarray) -> None:
    """Whether an array has the same values, of which any nan is as good as another."""
    found = np.asarray(x)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert np.array_equal(found.astype(np.float64), expected.astype(np.float64), equal_nan=True)


# --- rows ----------------------------------------------------------------------------------------------------------


def test_there_are_two_beside_the_fifteen() -> None:
    assert lw.extended_dtypes == (lw.float8_e4m3fn, lw.float8_e5m2)
    assert len(lw.all_dtypes) == 15 and not {*lw.all_dtypes} & {*lw.extended_dtypes}
    for d in lw.extended_dtypes:
        assert (
            getattr(lw, d.name) is d is Dtype(str(d)) and d.storage and d.kind == "f" and (d.bits, d.itemsize) == (8, 1)
        )
        assert repr(d) == f"lw.{d}" and d in lw.__all__ and d in dir(lw)
        assert pickle.loads(pickle.dumps(d)) is d is copy.deepcopy(d)
        assert lw.isdtype(d, "storage") and lw.isdtype(d, "real floating") and not lw.isdtype(d, "integral")
        assert d == getattr(ml_dtypes, str(d)) and d == native(d)
    assert not lw.isdtype(lw.float16, "storage")


def test_categories_say_who_takes_them() -> None:
    assert category("storage") == lw.extended_dtypes
    assert category("all or storage") == (*lw.all_dtypes, *lw.extended_dtypes)
    for name in CATEGORIES:
        taken = takes(name, lw.float8_e5m2)
        assert taken is ("storage" in name) is (lw.float8_e5m2 in category(name))


@pytest.mark.parametrize("name", FORMATS)
def test_limits_are_those_of_ml_dtypes(name: str) -> None:
    expected, found = ml_dtypes.finfo(getattr(ml_dtypes, str(name))), float_limits(Dtype(name))
    names = ("bits", "eps", "max", "min", "smallest_normal")
    assert [float(getattr(expected, n)) for n in names] == [float(getattr(found, n)) for n in names]


def test_limits_as_they_are_known() -> None:
    e4m3fn, e5m2 = lw.finfo(lw.float8_e4m3fn), lw.finfo(lw.float8_e5m2)
    assert (e4m3fn.max, e4m3fn.smallest_normal, e4m3fn.eps) == (448, 2**-6, 0.125)
    assert (e5m2.max, e5m2.smallest_normal, e5m2.eps) == (57344, 2**-14, 0.25)
    for name in ("longdouble", "clongdouble", "float4_e2m1fn_x2"):
        with pytest.raises(TypeError, match="no floating point format"):
            lw.finfo(name)


def test_every_dtype_takes_whole_bytes() -> None:
    for d in Dtype._all.values():
        assert d.itemsize >= 1 and 8 * d.itemsize >= d.bits, d
        if hasattr(ml_dtypes, d.name):
            assert d.itemsize == np.dtype(getattr(ml_dtypes, str(d))).itemsize, d


@pytest.mark.parametrize("name", [n for n in FORMATS if n != "float8_e8m0fnu"])
def test_python_floats_are_rounded_to_the_nearest(name: str) -> None:
    """To the nearest of all numbers of the format by exact arithmetic, and to the even one of two."""
    dtype, kind = Dtype(name), getattr(ml_dtypes, str(name))
    width = np.dtype(f"u{np.dtype(kind).itemsize}")
    with np.errstate(invalid="ignore"):  # signalling nan
        every = np.arange(2**dtype.bits).astype(width).view(kind).astype(np.float64)
    finite = np.unique(every[np.isfinite(every)])
    middle = np.random.default_rng(0).choice(len(finite) - 1, min(200, len(finite) - 1), replace=False)
    for low, high in zip(finite[middle], finite[middle + 1], strict=True):
        half = float((Fraction(low) + Fraction(high)) / 2)
        for x in (low, half, math.nextafter(half, -math.inf), math.nextafter(half, math.inf)):
            found = rounded(float(x), dtype)
            distances = [abs(Fraction(end) - Fraction(float(x))) for end in (low, high)]
            assert abs(Fraction(found) - Fraction(float(x))) == min(distances)
            if x == half:
                assert found == float(np.float32(half).astype(kind))  # which float32 holds, and is a tie
    limits = float_limits(dtype)
    step = limits.max - finite[-2]
    beyond = rounded(limits.max + step, dtype)
    assert beyond == (limits.max if dtype.encoding == "finite" else math.inf) or dtype.encoding in ("fn", "fnuz")
    assert math.isnan(beyond) is (dtype.encoding in ("fn", "fnuz"))
    assert math.isnan(rounded(math.nan, dtype))


def test_a_dtype_that_holds_it() -> None:
    assert holding(lw.float8_e4m3fn) is holding(lw.float8_e5m2) is lw.float16
    for d in lw.extended_dtypes:
        wide = codes(d).astype(np.dtype(str(holding(d))))
        assert np.array_equal(wide.astype(np.float64), codes(d).astype(np.float64), equal_nan=True)


# --- creation, and to and from others --------------------------------------------------------------------------------


@pytest.mark.parametrize("d", DTYPES)
def test_creation(backend: str, d: Dtype) -> None:
    assert lw.valid_dtype(d) and not lw.invalid_dtype(str(d)) and lw.closest_valid_dtype(d) is d
    assert d not in lw.valid_dtypes and d not in lw.invalid_dtypes  # which are about those that are computed with
    assert getattr(lw, f"native_{d}") == lw.as_native_dtype(d) == d
    x = lw.asarray([[1, 2.1, 1e9], [0.3, -0.01, math.nan]], dtype=d)
    expected = [[1, 2, 1e9], [0.3125, -0.01, math.nan]]
    same(x, np.array(expected).astype(native(d)))
    assert x.dtype is d and x.itemsize == 1 and x.nbytes == 6 and lw.asarray(x) is x
    assert np.asarray(x).dtype == native(d) and x[0, 1].item() == 2 == float(x[0, 1]) and type(x[0, 1].item()) is float
    assert x[0].tolist()[:2] == [1, 2] and bool(x[0, 0]) and lw.asarray(0, dtype=d).item() == 0
    assert f"dtype={d}" in repr(x) and "2" in repr(x.compute())
    for made, value in (
        (lw.zeros((2, 3), dtype=d), 0), (lw.ones((2, 3), dtype=d), 1), (lw.full((2, 3), 1.1, dtype=d), 1.1),
        (lw.zeros_like(x), 0), (lw.ones_like(x), 1), (lw.full_like(x, -300.0), -300), (lw.full((2, 3), x[0, 1]), 2),
        (lw.full((2, 3), 1e9, dtype=d), 1e9), (lw.asarray(np.full((2, 3), 3.0), dtype=d), 3),
        (lw.asarray([[lw.asarray(5, dtype=d)] * 3] * 2), 5),
    ):  # fmt: skip
        assert made.dtype is d
        same(made, np.full((2, 3), value).astype(native(d)))
    same(lw.eye(2, 3, k=1, dtype=d), np.eye(2, 3, k=1).astype(native(d)))
    assert lw.empty((2, 3), dtype=d).dtype is lw.empty_like(x).dtype is d and lw.empty((2, 3), dtype=d).shape == (2, 3)
    assert lw.asarray([], dtype=d).shape == (0,)


@pytest.mark.parametrize("d", DTYPES)
def test_all_of_its_codes_go_to_the_backend_and_back(backend: str, d: Dtype) -> None:
    every = codes(d)
    x = lw.asarray(every)
    assert x.dtype is d and np.array_equal(bits(x), bits(every))
    for made in (lw.asarray(x.data), pickle.loads(pickle.dumps(x)), copy.deepcopy(x), lw.asarray(x, copy=True), x[...]):
        assert made.dtype is d and made.backend == backend and np.array_equal(bits(made), bits(every))
    assert lw.dtype(x.data) is d and x.data.dtype == lw.as_native_dtype(d)
    for other in ("numpy", *(b for b in ("torch",) if any(f.name == b and f.installed for f in lw.backends()))):
        moved = lw.asarray(x, backend=other)
        assert moved.backend == other and moved.dtype is d and np.array_equal(bits(moved), bits(every))
        back = lw.asarray(moved, backend=backend)
        assert back.backend == backend and np.array_equal(bits(back), bits(every))
        assert np.array_equal(bits(lw.from_dlpack(x)), bits(every))


# --- casts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", DTYPES)
def test_floats_are_rounded_once_on_every_backend(backend: str, d: Dtype) -> None:
    """By `rounded`, which is exact: the numbers, the points between two of them and what is next to these."""
    finite = numbers(d)
    points = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2])
    points = np.concatenate([points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)])
    far = [
        449,
        463,
        464,
        464.5,
        465,
        480,
        57344,
        61439,
        61440,
        61441,
        65536,
        3e38,
        1e300,
        math.inf,
        math.nan,
        1e-9,
        1e-300,
    ]
    points = np.concatenate([points, far, np.negative(far), [0.0, -0.0]])
    for source in (lw.float64, lw.float32, lw.float16, lw.bfloat16):
        given = lw.astype(lw.asarray(points, dtype=lw.float64), source)
        exact = np.asarray(lw.astype(given, lw.float64)).tolist()
        found = lw.astype(given, d)
        assert found.dtype is d
        expected, found64 = np.array([rounded(x, d) for x in exact]), np.asarray(found).astype(np.float64)
        different = (expected != found64) & ~(np.isnan(expected) & np.isnan(found64))
        assert np.array(exact)[different].tolist() == [], source
        zeros = expected == 0
        assert np.array_equal(np.signbit(found64[zeros]), np.signbit(np.array(exact)[zeros]))


@pytest.mark.parametrize("d", DTYPES)
def test_integers_and_bools_become_numbers(backend: str, d: Dtype) -> None:
    for source in (lw.bool, *lw.all_int_dtypes):
        if source.kind == "b":
            values = [False, True]
        else:
            limits = lw.iinfo(source)
            near = [0, 1, 3, 17, 100, 448, 463, 464, 465, 61439, 61440, limits.max, limits.min, -5, -448, -61440]
            values = [v for v in near if limits.min <= v <= limits.max]
        found = np.asarray(lw.astype(lw.asarray(values, dtype=source), d)).astype(np.float64)
        assert np.array_equal(found, [rounded(float(v), d) for v in values], equal_nan=True), source


@pytest.mark.parametrize("d", DTYPES)
def test_it_becomes_what_its_numbers_become(backend: str, d: Dtype) -> None:
    """As float32, which holds them all, becomes that dtype."""
    x = lw.asarray(codes(d))
    wide = lw.astype(x, lw.float32)
    assert np.array_equal(np.asarray(wide), codes(d).astype(np.float32), equal_nan=True)
    for target in (*lw.all_dtypes, *lw.extended_dtypes):
        found, expected = lw.astype(x, target), lw.astype(wide, target)
        assert found.dtype is target
        found, expected = np.asarray(found), np.asarray(expected)
        if target.kind in "biu":
            assert np.array_equal(found, expected), target
        else:
            to = np.complex128 if target.kind == "c" else np.float64
            assert np.array_equal(found.astype(to), expected.astype(to), equal_nan=True), target
    with pytest.raises(TypeError, match="imaginary part"):
        lw.astype(lw.asarray([1j]), d)


def test_casts_that_lose_a_value_are_refused_where_it_is_asked_for(backend: str) -> None:
    x = lw.asarray([1.0, 0.3, 448.0, math.nan])
    same(lw.astype(x, lw.float8_e4m3fn, check=True), np.asarray(lw.astype(x, lw.float8_e4m3fn)))
    for value in (500.0, math.inf):
        with pytest.raises(ValueLossError, match="unchecked it becomes nan"):
            lw.astype(lw.asarray([1.0, value]), lw.float8_e4m3fn, check=True)
    assert math.isinf(lw.astype(lw.asarray(math.inf), lw.float8_e5m2, check=True).item())
    with pytest.raises(ValueLossError):
        lw.astype(lw.asarray([17]), lw.float8_e5m2, check=True)
    with pytest.raises(ValueLossError):
        lw.astype(lw.asarray([0.5], dtype=lw.float8_e5m2), lw.int8, check=True)
    assert lw.astype(lw.asarray([16.0], dtype=lw.float8_e5m2), lw.int8, check=True).tolist() == [16]


# --- what moves elements ---------------------------------------------------------------------------------------------

I = np.array([2, 0])  # noqa: E741
#: What is done to an array of 4 by 3, by latticework and by NumPy. `xp` has the functions, `i` makes an index array.
MOVES: dict[str, Any] = {
    "broadcast_to": lambda xp, x, i: xp.broadcast_to(x, (2, 4, 3)),
    "broadcast_arrays": lambda xp, x, i: xp.broadcast_arrays(x, x[:1])[1],
    "concat": lambda xp, x, i: xp.concat([x, x[::-1, :]], axis=1),
    "expand_dims": lambda xp, x, i: xp.expand_dims(x, axis=(0, -1)),
    "flip": lambda xp, x, i: xp.flip(x, axis=0),
    "flip all": lambda xp, x, i: xp.flip(x),
    "fliplr": lambda xp, x, i: xp.fliplr(x),
    "hstack": lambda xp, x, i: xp.hstack([x, x]),
    "matrix_transpose": lambda xp, x, i: xp.matrix_transpose(x),
    "mT": lambda xp, x, i: x.mT,
    "T": lambda xp, x, i: x.T,
    "meshgrid": lambda xp, x, i: xp.meshgrid(x[0], x[1])[1],
    "moveaxis": lambda xp, x, i: xp.moveaxis(x, 0, 1),
    "pad": lambda xp, x, i: xp.pad(x, 1),
    "permute_dims": lambda xp, x, i: xp.permute_dims(x, (1, 0)),
    "repeat": lambda xp, x, i: xp.repeat(x, 2, axis=1),
    "repeat each": lambda xp, x, i: xp.repeat(x, i(np.array([1, 0, 2])), axis=1),
    "reshape": lambda xp, x, i: xp.reshape(x, (2, -1)),
    "roll": lambda xp, x, i: xp.roll(x, 1, axis=0),
    "split": lambda xp, x, i: xp.split(x, 2)[1],
    "squeeze": lambda xp, x, i: xp.squeeze(x[:, :1], axis=1),
    "stack": lambda xp, x, i: xp.stack([x, x], axis=1),
    "take": lambda xp, x, i: xp.take(x, i(I), axis=0),
    "take_along_axis": lambda xp, x, i: xp.take_along_axis(x, i(I[:, None] + np.zeros(3, int)), axis=0),
    "tile": lambda xp, x, i: xp.tile(x, (2, 2)),
    "tril": lambda xp, x, i: xp.tril(x, k=-1),
    "triu": lambda xp, x, i: xp.triu(x),
    "unstack": lambda xp, x, i: xp.unstack(x, axis=1)[2],
    "where": lambda xp, x, i: xp.where(i(np.array([True, False, True])), x, x[::-1, :]),
    "diagonal": lambda xp, x, i: xp.linalg.diagonal(x),
    "an int": lambda xp, x, i: x[1],
    "slices": lambda xp, x, i: x[::-2, 1:],
    "an array": lambda xp, x, i: x[i(I)],
    "arrays": lambda xp, x, i: x[i(I), i(I)],
    "a mask": lambda xp, x, i: x[i(np.array([True, False, True, True]))],
    "a mask and a step": lambda xp, x, i: x[::-1, i(np.array([True, False, True]))],
    "None": lambda xp, x, i: x[None, ..., 0],
}


@pytest.mark.parametrize("d", DTYPES)
def test_elements_are_moved_with_all_their_bits(backend: str, d: Dtype) -> None:
    given = codes(d).ravel()[np.r_[0:3, 123:132, 252:256, 5:13]][:12].reshape(4, 3)  # zeros, infinities and nan too
    x = lw.asarray(given)
    wrong = []
    for name, move in MOVES.items():
        found, expected = move(lw, x, lw.asarray), move(np, given, lambda values: values)
        if found.dtype is not d or found.shape != expected.shape or not np.array_equal(bits(found), bits(expected)):
            wrong.append(name)
    assert wrong == []


#: Functions of backends that public ones call.
CALLED_BY_OTHERS = {
    "_add_slices", "_diag", "_dynamic_slice", "_dynamic_update_slice", "_scatter", "_scatter_along_axis", "_windows",
}  # fmt: skip


def test_every_function_that_takes_them_is_moved() -> None:
    """Those that say so, and no others: what is not here is computed, and has to be asked for with a cast."""
    taking = {name.rpartition(".")[2] for name, o in OPS.items() if o.accepts == "all or storage"}
    taking -= CALLED_BY_OTHERS
    assert taking and taking <= {*MOVES}
    for name in ("sort", "sum", "equal", "isnan", "nonzero", "clip"):
        assert name not in taking


WRITES: dict[str, Any] = {
    "a number": lambda x, v, i: x.__setitem__(0, 1.5),
    "an int": lambda x, v, i: x.__setitem__((1, 2), 3),
    "slices": lambda x, v, i: x.__setitem__((slice(None, None, 2), 1), v[:2, 0]),
    "backwards": lambda x, v, i: x.__setitem__((slice(None, None, -1), slice(None)), v),
    "an array": lambda x, v, i: x.__setitem__(i(I), v[:2]),
    "arrays": lambda x, v, i: x.__setitem__((i(I), i(I)), v[0, 0]),
    "a mask": lambda x, v, i: x.__setitem__(i(np.array([True, False, True, False])), v[:2]),
    "a mask, one number": lambda x, v, i: x.__setitem__(i(np.array([[True, False, True]] * 4)), 0.5),
    "all": lambda x, v, i: x.__setitem__(Ellipsis, v),
}


@pytest.mark.parametrize("d", DTYPES)
def test_assignment(backend: str, d: Dtype) -> None:
    given, values = (np.arange(n, n + 12).reshape(4, 3).astype(native(d)) for n in (0, 20))
    for name, write in WRITES.items():
        expected, x = given.copy(), lw.asarray(given, copy=True)
        write(expected, values, lambda v: v)
        write(x, lw.asarray(values), lw.asarray)
        assert x.dtype is d and np.array_equal(bits(x), bits(expected)), name
    x = lw.zeros(3, dtype=d)
    x[0], x[1] = 1e9, 1.1  # beyond, and between two numbers: as a cast of the same
    same(x, np.array([1e9, 1.1, 0]).astype(native(d)))
    x[...] = [1, 2.5, 3]
    assert x.tolist() == [1, 2.5, 3]
    with pytest.raises(TypeError, match="does not go into an array of"):
        x[0] = lw.asarray(1.0)
    with pytest.raises(TypeError, match="complex does not go into"):
        x[0] = 1j


# --- what is refused -------------------------------------------------------------------------------------------------

COMPUTED: dict[str, Any] = {
    "add": lambda x: x + x,
    "a scalar": lambda x: x + 1.0,
    "negative": lambda x: -x,
    "equal": lambda x: x == x,
    "exp": lw.exp,
    "isnan": lw.isnan,
    "logical_and": lambda x: lw.logical_and(x, x),
    "matmul": lambda x: x @ x,
    "sum": lw.sum,
    "sum to it": lambda x: lw.sum(lw.ones(3), dtype=x.dtype),
    "max": lw.max,
    "sort": lw.sort,
    "unique_values": lw.unique_values,
    "any": lw.any,
    "nonzero": lw.nonzero,
    "inv": lw.linalg.inv,
    "ifft": lw.fft.ifft,
    "arange": lambda x: lw.arange(3, dtype=x.dtype),
    "linspace": lambda x: lw.linspace(0, 1, 3, dtype=x.dtype),
    "add in place": lambda x: x.__iadd__(x),
}


#: What the rules of a framework cast to another dtype and compute in that.
CASTING = {"numpy": ("a scalar", "matmul", "inv", "ifft"), "jax": ("ifft",)}


@pytest.mark.parametrize("d", DTYPES)
@pytest.mark.parametrize("rules", ["unified", "numpy", "torch", "jax"])
def test_nothing_is_computed_in_them_under_any_rules(backend: str, d: Dtype, rules: str) -> None:
    x = lw.eye(2, dtype=d)
    with lw.using(rules=rules):
        for name, compute in COMPUTED.items():
            try:
                result = compute(x)
            except TypeError as error:
                said = str(error)
                assert str(d) in said and ("lw.astype(" in said or "lw.using(" in said), (name, said)
            else:  # NumPy's rules cast to float32 for a product of matrices, as NumPy does
                assert rules in CASTING and name in CASTING[rules] and not result.dtype.storage, name
        same(lw.concat([x, lw.flip(x)]), np.concatenate([np.eye(2), np.eye(2)[::-1, ::-1]]).astype(native(d)))


def test_the_way_out_is_said_and_computes(backend: str) -> None:
    x = lw.asarray([1.5, 2.0], dtype=lw.float8_e4m3fn)
    with pytest.raises(TypeError) as caught:
        x + x
    assert "storage dtype, in which nothing is computed. Cast first: lw.astype(x, lw.float16)" in str(caught.value)
    assert (lw.astype(x, lw.float16) + lw.astype(x, lw.float16)).tolist() == [3, 4]
    with lw.using(casting="up"):
        assert (x + x).dtype is lw.float16 and (x * 2).tolist() == [3, 4]
    with pytest.raises(PromotionError, match=r"Cast one: lw.astype\(x1, lw.float32\)"):
        lw.concat([x, lw.ones(2)])
    with pytest.raises(PromotionError, match=r"Cast each: lw.astype\(x1, lw.float16\), lw.astype\(x2, lw.float16\)"):
        lw.concat([x, lw.astype(x, lw.float8_e5m2)])


def test_promotion() -> None:
    a, b = lw.extended_dtypes
    assert lw.promote_types(a, a) is a is lw.result_type(a, 1.5)
    assert lw.can_cast(a, a) and not lw.can_cast(a, lw.float16)
    for other in (b, *lw.all_dtypes):
        with pytest.raises(PromotionError, match="have no common dtype under the unified rules"):
            lw.promote_types(a, other)
    with pytest.raises(PromotionError):
        lw.result_type(a, 1j)
    assert lw.promote_types(b, lw.int64, rules="jax") is b  # the frameworks' rules keep their answers
    assert lw.promote_types(a, b, rules="max") is lw.float16
    with pytest.raises(PromotionError):
        lw.promote_types("float8_e4m3", "float8_e4m3")
    with pytest.raises(TypeError, match="must be a dtype that arrays are computed in; got float8_e5m2, one of storage"):
        lw.set_default_dtype(b)


def test_support_says_how_each_is_moved(backend: str) -> None:
    for d in lw.extended_dtypes:
        moved = {measured.how(backend, name, d) for name in ("reshape", "concat", "where", "take")}
        assert moved <= {"native", "emulated"}
        assert measured.how(backend, "add", d) == "refused" and "Cast first" in measured.why(backend, "add", d)
        assert measured.how(backend, "asarray", d) == measured.how(backend, "getitem", d) == "native"


def test_a_file_that_does_not_know_a_dtype(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that was written before it was there: it was not measured, and the others are what they were."""
    shown = ", ".join(f'"{d}"' for d in lw.all_dtypes[::-1])
    row = '"sin": {"how": "nnnnnnllllllll-", "why": {"sin: no {dtype}": "bool"}}'
    text = f'{{"backend": "numpy", "dtypes": [{shown}], "versions": {{"1.0": {{"devices": {{"cpu": {{{row}}}}}}}}}}}'
    (tmp_path / "numpy.json").write_text(text)
    monkeypatch.setattr(measured, "_FOLDER", tmp_path)
    measured.table.cache_clear()
    try:
        for _ in "as it is", "written anew":
            assert measured.how("numpy", "sin", lw.complex64) == "native"
            assert (
                measured.how("numpy", "sin", lw.int8) == "lifted" and measured.how("numpy", "sin", lw.bool) == "refused"
            )
            assert measured.how("numpy", "sin", lw.float8_e5m2) == "unknown"
            assert measured.why("numpy", "sin", lw.bool) == "sin: no bool"
            measured.save("numpy", "1.0", "gpu", {})
    finally:
        measured.table.cache_clear()


# --- on one framework each -------------------------------------------------------------------------------------------


def test_inside_a_compiled_function(backend: str) -> None:
    if backend not in ("jax", "tensorflow"):
        pytest.skip("of frameworks that trace")
    given = codes(lw.float8_e4m3fn)[:4, :3]

    def f(x: lw.Array) -> Any:
        y = lw.flip(lw.concat([x, x]), axis=0)
        y[0] = 1.5
        return lw.astype(y, lw.float32).data

    if backend == "jax":
        import jax

        found = jax.jit(f)(lw.asarray(given))
    else:
        import tensorflow as tf

        found = tf.function(lambda t: f(lw.asarray(t)))(lw.asarray(given).data)
    expected = np.concatenate([given, given])[::-1].copy()
    expected[0] = 1.5
    assert np.array_equal(np.asarray(found), expected.astype(np.float32), equal_nan=True)


def test_views_share_memory_where_arrays_do() -> None:
    if not any(b.name == "torch" and b.installed for b in lw.backends()):
        pytest.skip("needs torch")
    for name in ("numpy", "torch"):
        with lw.using(backend=name):
            x = lw.zeros((2, 3), dtype=lw.float8_e5m2)
            lw.reshape(x, (6,))[0] = 1
            x.T[1, 1] = 2
            x[1:][0, 0] = 3
            assert x.tolist() == [[1, 0, 0], [3, 2, 0]]


# --- the promise: a dtype is a row -----------------------------------------------------------------------------------

#: The row of one that only rules know becomes that of a storage dtype, and each backend that has it lists it.
ROWS = {
    "core/dtypes.py": [("float8_e4m3fnuz     f     rules  ", "float8_e4m3fnuz     f     storage")],
    "backends/numpy/core.py": [("ml_dtypes.float8_e5m2,", "ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz,")],
    "backends/torch/core.py": [("torch.float8_e5m2,", "torch.float8_e5m2, torch.float8_e4m3fnuz,")],
    "backends/jax/core.py": [("jnp.float8_e5m2,", "jnp.float8_e5m2, jnp.float8_e4m3fnuz,")],
}
PROGRAM = """
import sys
import numpy as np, ml_dtypes
import latticework as lw
from latticework.backend import measured as data

name = sys.argv[1]
assert lw.extended_dtypes[-1] == "float8_e5m2" and lw.Dtype("float8_e4m3fnuz") in lw.extended_dtypes
dtype = lw.float8_e4m3fnuz
with lw.using(backend=name):
    has = lw.valid_dtype(dtype)
    assert has is (name != "tensorflow"), name
    if has:
        every = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fnuz)
        x = lw.asarray([[1.1, 1000.0, -0.25]], dtype=dtype)
        assert np.array_equal(np.asarray(x).astype(float), [[1.125, np.nan, -0.25]], equal_nan=True)
        assert lw.astype(lw.asarray(every), lw.float32).dtype is lw.float32
        turned = np.asarray(lw.flip(lw.asarray(every)))
        assert np.array_equal(turned.view(np.uint8), every.view(np.uint8)[::-1])
        assert lw.finfo(dtype).max == 240 and x.nbytes == 3
        assert "dtype=float8_e4m3fnuz" in repr(x) and lw.zeros(2, dtype=dtype).tolist() == [0, 0]
        x[0, 0] = 3
        assert lw.astype(x[0, 0], lw.int8).item() == 3 and lw.reshape(x, (3,)).shape == (3,)
        try:
            x + x
        except TypeError as error:
            assert "lw.astype(x, lw.float16)" in str(error)
        else:
            raise AssertionError("computed")
    else:
        try:
            lw.zeros(2, dtype=dtype)
        except TypeError as error:
            assert "the tensorflow backend has no float8_e4m3fnuz" in str(error)
        try:
            lw.float8_e4m3fnuz
        except AttributeError as error:
            assert "has no float8_e4m3fnuz" in str(error)
        else:
            raise AssertionError("reached")
    assert data.how(name, "add", dtype) == "unknown" and data.how(name, "add", lw.int8) == "native"
    assert lw.sum(lw.asarray([1.5, 2.5])).item() == 4
print("done")
"""


def test_a_further_dtype_is_its_row_and_a_line_in_each_backend_that_has_it(backend: str, tmp_path: Path) -> None:
    """In a copy of the package. TensorFlow's line is left out, as for a framework that lacks the dtype."""
    if not EXHAUSTIVE and backend not in ("numpy", "jax"):
        pytest.skip("Python compiles the copy for most of a minute: of the other backends in the sweep")
    package = tmp_path / "latticework"
    shutil.copytree(ROOT / "src" / "latticework", package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, changes in ROWS.items():
        text = (package / file).read_text(encoding="utf-8")
        for before, after in changes:
            assert text.count(before) == 1, (file, before)
            text = text.replace(before, after)
        (package / file).write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", PROGRAM, backend]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=environment, cwd=tmp_path
    )
    assert done.stdout.strip() == "done", done.stderr[-3000:]


def test_a_number_beyond_float8_is_what_a_cast_gives(backend: str) -> None:
    """ml_dtypes gives nan where there are no infinities, and PyTorch the largest number."""
    yes = lw.asarray([True])
    for dtype in ("float8_e4m3fn", "float8_e5m2"):
        x = lw.ones(1, dtype=dtype)
        for number in (1000, 2**31, 1e30, -1000.0, 464, 465, 100):
            expected = np.asarray([number], np.float64).astype(getattr(ml_dtypes, dtype)).astype(np.float32)
            np.testing.assert_array_equal(lw.to_numpy(lw.where(yes, number, x)).astype(np.float32), expected)
            np.testing.assert_array_equal(lw.to_numpy(lw.full_like(x, number)).astype(np.float32), expected)
