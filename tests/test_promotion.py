"""What mixes with what under the rule sets of our own, cell by cell; and the machinery that they are made with."""

from __future__ import annotations

import inspect
import itertools
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tables
from cases import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import latticework as lw
from latticework.errors import PromotionError
from latticework.promotion import RULES, rules_named

UNIFIED = """
     b1  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 b*  i*  f*  c*
b1   b1  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 b1  i4  f4  c8
i1   i1  i1  i2  i4  i8  i2  i4  i8  f8  bf  f2  f4  f8  c8  c16 i1  i1  f4  c8
i2   i2  i2  i2  i4  i8  i2  i4  i8  f8  bf  f2  f4  f8  c8  c16 i2  i2  f4  c8
i4   i4  i4  i4  i4  i8  i4  i4  i8  f8  bf  f2  f4  f8  c8  c16 i4  i4  f4  c8
i8   i8  i8  i8  i8  i8  i8  i8  i8  f8  bf  f2  f4  f8  c8  c16 i8  i8  f4  c8
u1   u1  i2  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 u1  u1  f4  c8
u2   u2  i4  i4  i4  i8  u2  u2  u4  u8  bf  f2  f4  f8  c8  c16 u2  u2  f4  c8
u4   u4  i8  i8  i8  i8  u4  u4  u4  u8  bf  f2  f4  f8  c8  c16 u4  u4  f4  c8
u8   u8  f8  f8  f8  f8  u8  u8  u8  u8  bf  f2  f4  f8  c8  c16 u8  u8  f4  c8
bf   bf  bf  bf  bf  bf  bf  bf  bf  bf  bf  f4  f4  f8  c8  c16 bf  bf  bf  c8
f2   f2  f2  f2  f2  f2  f2  f2  f2  f2  f4  f2  f4  f8  c8  c16 f2  f2  f2  c8
f4   f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f8  c8  c16 f4  f4  f4  c8
f8   f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  c16 c16 f8  f8  f8  c16
c8   c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c16 c8  c16 c8  c8  c8  c8
c16  c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
b*   b1  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 b1  i4  f4  c8
i*   i4  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 i4  i4  f4  c8
f*   f4  f4  f4  f4  f4  f4  f4  f4  f4  bf  f2  f4  f8  c8  c16 f4  f4  f4  c8
c*   c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c16 c8  c16 c8  c8  c8  c8
"""

PRECISE = """
     b1  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 b*  i*  f*  c*
b1   b1  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 b1  i4  f4  c8
i1   i1  i1  i2  i4  i8  i2  i4  i8  f8  bf  f2  f4  f8  c8  c16 i1  i1  f4  c8
i2   i2  i2  i2  i4  i8  i2  i4  i8  f8  f4  f4  f4  f8  c8  c16 i2  i2  f4  c8
i4   i4  i4  i4  i4  i8  i4  i4  i8  f8  f8  f8  f8  f8  c16 c16 i4  i4  f8  c16
i8   i8  i8  i8  i8  i8  i8  i8  i8  f8  f8  f8  f8  f8  c16 c16 i8  i8  f8  c16
u1   u1  i2  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 u1  u1  f4  c8
u2   u2  i4  i4  i4  i8  u2  u2  u4  u8  f4  f4  f4  f8  c8  c16 u2  u2  f4  c8
u4   u4  i8  i8  i8  i8  u4  u4  u4  u8  f8  f8  f8  f8  c16 c16 u4  u4  f8  c16
u8   u8  f8  f8  f8  f8  u8  u8  u8  u8  f8  f8  f8  f8  c16 c16 u8  u8  f8  c16
bf   bf  bf  f4  f8  f8  bf  f4  f8  f8  bf  f4  f4  f8  c8  c16 bf  bf  bf  c8
f2   f2  f2  f4  f8  f8  f2  f4  f8  f8  f4  f2  f4  f8  c8  c16 f2  f2  f2  c8
f4   f4  f4  f4  f8  f8  f4  f4  f8  f8  f4  f4  f4  f8  c8  c16 f4  f4  f4  c8
f8   f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  c16 c16 f8  f8  f8  c16
c8   c8  c8  c8  c16 c16 c8  c8  c16 c16 c8  c8  c8  c16 c8  c16 c8  c8  c8  c8
c16  c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
b*   b1  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 b1  i4  f4  c8
i*   i4  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 i4  i4  f4  c8
f*   f4  f4  f4  f8  f8  f4  f4  f8  f8  bf  f2  f4  f8  c8  c16 f4  f4  f4  c8
c*   c8  c8  c8  c16 c16 c8  c8  c16 c16 c8  c8  c8  c16 c8  c16 c8  c8  c8  c8
"""

STRICT = """
     b1  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 b*  i*  f*  c*
b1   b1  --  --  --  --  --  --  --  --  --  --  --  --  --  --  b1  --  --  --
i1   --  i1  i2  i4  i8  i2  i4  i8  --  --  --  --  --  --  --  --  i1  --  --
i2   --  i2  i2  i4  i8  i2  i4  i8  --  --  --  --  --  --  --  --  i2  --  --
i4   --  i4  i4  i4  i8  i4  i4  i8  --  --  --  --  --  --  --  --  i4  --  --
i8   --  i8  i8  i8  i8  i8  i8  i8  --  --  --  --  --  --  --  --  i8  --  --
u1   --  i2  i2  i4  i8  u1  u2  u4  u8  --  --  --  --  --  --  --  u1  --  --
u2   --  i4  i4  i4  i8  u2  u2  u4  u8  --  --  --  --  --  --  --  u2  --  --
u4   --  i8  i8  i8  i8  u4  u4  u4  u8  --  --  --  --  --  --  --  u4  --  --
u8   --  --  --  --  --  u8  u8  u8  u8  --  --  --  --  --  --  --  u8  --  --
bf   --  --  --  --  --  --  --  --  --  bf  f4  f4  f8  c8  c16 --  bf  bf  c8
f2   --  --  --  --  --  --  --  --  --  f4  f2  f4  f8  c8  c16 --  f2  f2  c8
f4   --  --  --  --  --  --  --  --  --  f4  f4  f4  f8  c8  c16 --  f4  f4  c8
f8   --  --  --  --  --  --  --  --  --  f8  f8  f8  f8  c16 c16 --  f8  f8  c16
c8   --  --  --  --  --  --  --  --  --  c8  c8  c8  c16 c8  c16 --  c8  c8  c8
c16  --  --  --  --  --  --  --  --  --  c16 c16 c16 c16 c16 c16 --  c16 c16 c16
b*   b1  --  --  --  --  --  --  --  --  --  --  --  --  --  --  b1  --  --  --
i*   --  i1  i2  i4  i8  u1  u2  u4  u8  bf  f2  f4  f8  c8  c16 --  i4  f4  c8
f*   --  --  --  --  --  --  --  --  --  bf  f2  f4  f8  c8  c16 --  f4  f4  c8
c*   --  --  --  --  --  --  --  --  --  c8  c8  c8  c16 c8  c16 --  c8  c8  c8
"""

#: Array dtype (the standard's thirteen) with array dtype, and with Python scalars.
ARRAY_API = """
     b1  i1  i2  i4  i8  u1  u2  u4  u8  f4  f8  c8  c16 b*  i*  f*  c*
b1   b1  --  --  --  --  --  --  --  --  --  --  --  --  b1  --  --  --
i1   --  i1  i2  i4  i8  i2  i4  i8  --  --  --  --  --  --  i1  --  --
i2   --  i2  i2  i4  i8  i2  i4  i8  --  --  --  --  --  --  i2  --  --
i4   --  i4  i4  i4  i8  i4  i4  i8  --  --  --  --  --  --  i4  --  --
i8   --  i8  i8  i8  i8  i8  i8  i8  --  --  --  --  --  --  i8  --  --
u1   --  i2  i2  i4  i8  u1  u2  u4  u8  --  --  --  --  --  u1  --  --
u2   --  i4  i4  i4  i8  u2  u2  u4  u8  --  --  --  --  --  u2  --  --
u4   --  i8  i8  i8  i8  u4  u4  u4  u8  --  --  --  --  --  u4  --  --
u8   --  --  --  --  --  u8  u8  u8  u8  --  --  --  --  --  u8  --  --
f4   --  --  --  --  --  --  --  --  --  f4  f8  c8  c16 --  f4  f4  c8
f8   --  --  --  --  --  --  --  --  --  f8  f8  c16 c16 --  f8  f8  c16
c8   --  --  --  --  --  --  --  --  --  c8  c16 c8  c16 --  c8  c8  c8
c16  --  --  --  --  --  --  --  --  --  c16 c16 c16 c16 --  c16 c16 c16
"""

OWN = ("unified", "precise", "strict", "array_api")
TABLES = {"unified": UNIFIED, "precise": PRECISE, "strict": STRICT, "array_api": ARRAY_API}
STANDARD = [d for d in lw.all_dtypes if d not in (lw.bfloat16, lw.float16)]
SCALARS = (bool, int, float, complex)


def joined(rules: str, *operands: Any) -> lw.Dtype | None:
    try:
        return rules_named(rules).promote(operands)
    except PromotionError:
        return None


# --- the tables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", OWN)
def test_table(rules: str) -> None:
    expected = tables.read(TABLES[rules])
    found = tables.compute(lambda a, b: rules_named(rules).promote((a, b)), expected)
    assert not tables.differ(found, expected), tables.differ(found, expected)


@pytest.mark.parametrize("rules", OWN)
def test_table_is_symmetric_and_is_what_the_public_functions_answer(rules: str) -> None:
    expected = tables.read(TABLES[rules])
    values = {bool: True, int: 7, float: 1.5, complex: 1j}

    def by_result_type(a: Any, b: Any) -> lw.Dtype:
        return lw.result_type(values.get(a, a), values.get(b, b), rules=rules)

    found = tables.compute(by_result_type, expected)
    assert not tables.differ(found, expected), tables.differ(found, expected)
    strong = [k for k in expected if "*" not in "".join(k)]
    found = tables.compute(lambda a, b: lw.promote_types(b, str(a), rules=rules), strong)
    expected = {k: expected[k] for k in strong}
    assert not tables.differ(found, expected), tables.differ(found, expected)
    with lw.using(rules=rules):
        assert tables.compute(lw.promote_types, strong) == expected
        assert tables.compute(lw.promote_types, strong) == expected  # remembered


def test_unified_is_the_standard_where_the_standard_speaks() -> None:
    standard, unified = tables.read(ARRAY_API), tables.read(UNIFIED)
    defined = {k: v for k, v in standard.items() if v != tables.REFUSED}
    assert len(defined) == 169 - 96 + 13 + 8  # all strong cells but those refused, and those with Python scalars
    wrong = tables.differ({k: unified[k] for k in defined}, defined)
    assert not wrong, wrong


def test_the_standard_leaves_48_pairs_undefined() -> None:
    refused = {frozenset(k) for k, v in tables.read(ARRAY_API).items() if v == tables.REFUSED and "*" not in "".join(k)}
    assert len(refused) == 12 + 8 * 4 + 4  # bool with any other, integers with floats, signed integers with uint64


def test_array_api_does_not_know_the_narrow_floats() -> None:
    assert RULES["array_api"].dtypes == tuple(STANDARD)
    with pytest.raises(PromotionError, match="bfloat16 is not among their dtypes"):
        lw.promote_types(lw.bfloat16, lw.float32, rules="array_api")


def test_array_api_strict_agrees_live() -> None:
    xp = pytest.importorskip("array_api_strict")
    expected: dict[Any, Any] = {}
    for a, b in itertools.product(STANDARD, repeat=2):
        try:
            result = xp.result_type(getattr(xp, a.name), getattr(xp, b.name))
            expected[a, b] = next(d for d in STANDARD if getattr(xp, d.name) == result)
        except TypeError:
            expected[a, b] = None
    found = {(a, b): joined("array_api", a, b) for a, b in expected}
    assert not tables.differ(found, expected), tables.differ(found, expected)


# --- precise is NumPy ------------------------------------------------------------------------------------------------

NUMPY = [d for d in lw.all_dtypes if d is not lw.bfloat16]


def test_precise_is_numpy_live() -> None:
    expected = {(a, b): str(np.promote_types(a, b)) for a, b in itertools.product(NUMPY, repeat=2)}
    found = {(a, b): str(joined("precise", a, b)) for a, b in expected}
    assert not tables.differ(found, expected), tables.differ(found, expected)


def test_precise_is_numpy_live_for_all_triples() -> None:
    expected = {t: str(np.result_type(*t)) for t in itertools.product(NUMPY, repeat=3)}
    found = {t: str(joined("precise", *t)) for t in expected}
    assert not tables.differ(found, expected), tables.differ(found, expected)


def test_precise_is_numpy_live_with_python_scalars() -> None:
    values = {bool: True, int: 7, float: 1.5, complex: 1j}
    operands = [*NUMPY, *SCALARS]
    with lw.using(default_int="int64", default_float="float64"):
        for count in (1, 2, 3):
            expected = {t: str(np.result_type(*(values.get(x, x) for x in t)))  # type: ignore[call-overload]
                        for t in itertools.product(operands, repeat=count)}  # fmt: skip
            found = {t: str(joined("precise", *t)) for t in expected}
            assert not tables.differ(found, expected), tables.differ(found, expected)


def test_precise_keeps_all_bits() -> None:
    """Every operand can be cast to the result without loss, but for the 64-bit integers that no float holds."""
    info = {d: ml_dtypes.finfo(str(d)) for d in ("bfloat16", "float16", "float32", "float64")}
    for a, b in itertools.product(lw.all_dtypes, repeat=2):
        result = joined("precise", a, b)
        assert result is not None
        if result.kind not in "fc":
            continue
        real = {"complex64": "float32", "complex128": "float64"}.get(result, result)
        for d in (a, b):
            if d.kind in "iu":
                digits = d.bits - (d.kind == "i")
                assert digits <= info[real].nmant + 1 or (d.bits == 64 and real == "float64"), (a, b, result)
            if d.kind == "f":
                assert info[d].nmant <= info[real].nmant and info[d].maxexp <= info[real].maxexp, (a, b, result)


def test_bfloat16_under_precise_is_the_least_that_holds_both() -> None:
    floats = (lw.bfloat16, lw.float32, lw.float64)
    for d in (d for d in lw.all_dtypes if d.kind in "iu"):
        digits = d.bits - (d.kind == "i")
        holds = [f for f, significant in zip(floats, (8, 24, 53), strict=True) if digits <= significant]
        assert lw.promote_types(lw.bfloat16, d, rules="precise") is (holds or [lw.float64])[0]


# --- weak scalars ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", OWN)
def test_scalars_count_by_kind_never_by_value(rules: str) -> None:
    values: dict[type, list[Any]] = {
        bool: [True, False],
        int: [0, 1, -1, 127, 128, 255, 256, 2**31, 2**63, 2**64, -(2**70)],
        float: [0.0, 1.5, 1e39, 1e300, float("inf"), float("nan"), 65504.0],
        complex: [0j, 1j, 1e300 + 1j],
    }
    for d in lw.all_dtypes:
        for kind, some in values.items():
            expected = joined(rules, d, kind)
            for v in some:
                if expected is None:
                    with pytest.raises(PromotionError):
                        lw.result_type(d, v, rules=rules)
                else:
                    assert lw.result_type(d, v, rules=rules) is lw.result_type(v, d, rules=rules) is expected


def test_scalars_of_a_higher_kind_take_the_default_dtypes() -> None:
    with lw.using(default_float=lw.bfloat16, default_int=lw.int16):
        assert lw.result_type(lw.int64, 1.5) is lw.bfloat16
        assert lw.result_type(lw.bool, 1) is lw.int16
        assert lw.result_type(1, 1.5) is lw.bfloat16
        assert lw.result_type(lw.int64, 1.5, rules="precise") is lw.float64
        assert lw.result_type(lw.int8, 1.5, rules="precise") is lw.bfloat16
    with lw.using(default_float=lw.float64):
        assert lw.result_type(lw.int8, 1j) is lw.complex128
    with lw.using(default_complex=lw.complex128):
        assert lw.result_type(lw.int8, 1j) is lw.complex128
        assert lw.result_type(lw.float16, 1j) is lw.complex64  # a join of its own: no default is asked for


def test_result_type_takes_arrays_dtypes_names_scalars_and_scalar_types() -> None:
    i8 = lw.asarray([1], dtype=lw.int8)
    assert lw.result_type(i8, "int16") is lw.int16
    assert lw.result_type(i8, np.dtype("int16"), np.int32) is lw.int32
    assert lw.result_type(i8, 1.5) is lw.float32
    assert lw.result_type(lw.asarray(1, dtype=lw.int64), i8) is lw.int64  # 0-d is n-d
    assert lw.result_type(np.zeros(2, "int16"), i8) is lw.int16
    assert lw.result_type(float) is lw.float32  # a type asks for a dtype; a value is weak
    assert lw.result_type(lw.float16, float) is lw.float32
    assert lw.result_type(lw.float16, 1.0) is lw.float16
    with pytest.raises(ValueError, match="at least one"):
        lw.result_type()


# --- laws ------------------------------------------------------------------------------------------------------------


def test_laws_of_unified() -> None:
    """A join of nodes; what it is no join of is dtypes. uint64 with a signed integer stops at float64, which is not
    the node `wide*` that the three together meet at."""
    laws = lw.check_laws("unified")
    assert laws.commutative == laws.idempotent == laws.refused == laws.no_unique_join == ()
    narrow = {lw.bfloat16, lw.float16, lw.float32, lw.complex64}
    signed = {d for d in lw.all_dtypes if d.kind == "i"}
    expected = {t for i, n in itertools.product(signed, narrow) for t in itertools.permutations((i, lw.uint64, n))
                if n != t[1]}  # fmt: skip
    assert set(laws.associative) == expected
    assert not laws.semilattice


def test_laws_of_precise() -> None:
    laws = lw.check_laws("precise")
    assert laws.commutative == laws.idempotent == laws.refused == ()
    assert {frozenset(p) for p in laws.no_unique_join} == {
        frozenset({lw.int8, lw.uint8}), frozenset({lw.int8, lw.uint16}), frozenset({lw.int16, lw.uint16})
    }  # fmt: skip
    met = {
        (lw.int8, lw.uint8): (lw.bfloat16, lw.float16),
        (lw.int8, lw.uint16): (lw.bfloat16, lw.float16, lw.float32, lw.complex64),
        (lw.int16, lw.uint16): (lw.bfloat16, lw.float16, lw.float32, lw.complex64),
    }
    expected = {t for (a, b), floats in met.items() for f in floats for t in itertools.permutations((a, b, f))
                if t[1] is not f}  # fmt: skip
    assert set(laws.associative) == expected


@pytest.mark.parametrize(("rules", "dtypes"), [("strict", lw.all_dtypes), ("array_api", tuple(STANDARD))])
def test_laws_of_the_standard(rules: str, dtypes: tuple[lw.Dtype, ...]) -> None:
    """A partial semilattice: no counterexample but that pairs of kinds are refused."""
    laws = lw.check_laws(rules)
    assert laws.commutative == laws.associative == laws.idempotent == laws.no_unique_join == ()

    def defined(a: lw.Dtype, b: lw.Dtype) -> bool:
        integers = a.kind in "iu" and b.kind in "iu" and {a.kind, b.kind, *({"64"} if lw.uint64 in (a, b) else ())}
        if integers:
            return integers != {"i", "u", "64"}
        return a is b or (a.kind in "fc" and b.kind in "fc")

    assert set(laws.refused) == {(a, b) for a, b in itertools.product(dtypes, repeat=2) if not defined(a, b)}


def test_laws_name_each_counterexample_of_a_bad_table() -> None:
    a, b, c = lw.int8, lw.int16, lw.int32
    bad = lw.Rules.from_table("bad", {(a, b): "int32", (b, a): "int16", (b, c): "int16"})
    laws = lw.check_laws(bad)
    assert laws.commutative == ((a, b), (b, a))
    assert laws.refused == ((a, c), (c, a))
    assert laws.idempotent == laws.no_unique_join == ()
    assert (a, a, b) in laws.associative
    assert not laws.semilattice


# --- any number of operands ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", lw.rule_names())
def test_result_type_takes_time_in_proportion_to_its_operands(rules: str) -> None:
    """In calls of Python functions, which no other process makes slower."""

    def calls(count: int, kinds: list[Any]) -> int:
        operands, made = (kinds * count)[:count], 0

        def count_call(frame: object, event: str, argument: object) -> None:
            nonlocal made
            made += event == "call"

        lw.result_type(*operands, rules=rules)  # joins are remembered
        before = sys.getprofile()
        sys.setprofile(count_call)
        try:
            lw.result_type(*operands, rules=rules)
        finally:
            sys.setprofile(before)
        return made

    mixed: list[Any] = [lw.int8, lw.float32, lw.int16, lw.float32, lw.Operand(lw.int32, zero_dim=True, value=1), 1.5]
    try:
        lw.result_type(*mixed, rules=rules)
    except PromotionError:  # of rules that mix nothing
        mixed = [lw.float32]
    few, some, many = (calls(n, mixed) for n in (10, 100, 1000))
    assert some < 12 * few and many < 12 * some, (few, some, many)


OPERANDS = st.sampled_from([*lw.all_dtypes, *SCALARS])


@settings(max_examples=examples(200))
@given(rules=st.sampled_from(OWN), operands=st.lists(OPERANDS, min_size=1, max_size=6), data=st.data())
def test_the_order_of_operands_does_not_matter(rules: str, operands: list[Any], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(operands))
    assert joined(rules, *operands) is joined(rules, *shuffled)
    assert joined(rules, *operands, operands[0]) is joined(rules, *operands)  # nor does repeating one


@settings(max_examples=examples(200))
@given(rules=st.sampled_from(("unified", "strict", "array_api")), operands=st.lists(OPERANDS, min_size=2, max_size=5))
def test_adding_an_operand_goes_up(rules: str, operands: list[Any]) -> None:
    """The join of more is above the join of fewer; but for the step to float64 that uint64 takes with int64."""
    more, fewer = joined(rules, *operands), joined(rules, *operands[1:])
    if more is None or fewer is None:
        assert more is None or rules != "unified"
        return
    signed = any(getattr(d, "kind", "") == "i" for d in operands)
    if lw.uint64 in operands and signed:
        return
    kinds = [x if isinstance(x, lw.Dtype) else None for x in operands]
    if None in kinds:
        return  # a scalar's default dtype may be wider than what an array narrows it to
    assert joined(rules, more, fewer) is more


@given(operands=st.lists(st.sampled_from(lw.all_dtypes), min_size=1, max_size=6))
def test_precise_result_types_as_numpy_for_any_number(operands: list[lw.Dtype]) -> None:
    strong = [d for d in operands if d is not lw.bfloat16]
    if strong:
        assert joined("precise", *strong) == str(np.result_type(*strong))


def test_cost_is_linear_in_the_operands() -> None:
    assert lw.result_type(*lw.all_dtypes * 400) is lw.complex128


# --- rules of one's own ----------------------------------------------------------------------------------------------

MINE = """
    bool    -> int32
    int32   -> float32 float64
    float32 -> complex64
    float64 -> complex64
"""


def test_rules_from_a_diagram() -> None:
    mine = lw.Rules("mine", MINE, exceptions="float32 float64 -> float64", weak="kind", source="a test")
    assert repr(mine) == "<Rules 'mine'>"
    assert mine.dtypes == (lw.bool, lw.int32, lw.float32, lw.float64, lw.complex64)
    assert mine.promote((lw.bool, lw.int32)) is lw.int32
    assert mine.promote((lw.float64, lw.float32)) is lw.float64  # the exception, either way round
    assert mine.promote((lw.float32, lw.float64)) is lw.float64
    assert mine.promote((lw.int32, (1.5).__class__)) is lw.float32
    assert lw.promote_types(lw.bool, lw.complex64, rules=mine) is lw.complex64
    assert lw.result_type(lw.bool, lw.int32, 1j, rules=mine) is lw.complex64
    with lw.using(rules=mine):
        assert (lw.asarray([True]) + lw.asarray([1])).dtype is lw.int32
        with pytest.raises(PromotionError, match=r"add: int8 and int32 have no common dtype under the mine rules"):
            lw.asarray([1], dtype=lw.int8) + lw.asarray([1])


def test_rules_with_weak_nodes() -> None:
    mine = lw.Rules("mine", "bool -> int* \n int* -> int8 int16 \n int8 -> half* \n int16 -> half* \n half* -> float16",
                    becomes={"half*": "float16"})  # fmt: skip
    assert mine.promote((lw.int8, int)) is lw.int8
    assert mine.promote((lw.bool, int)) is lw.int32
    assert mine.promote((lw.bool, bool)) is lw.bool
    assert mine.promote((lw.int8, lw.int16)) is lw.float16
    with pytest.raises(
        PromotionError,
        match=r"int8 and a Python float .*mine rules \(the diagram has no node float\* for a Python scalar",
    ):
        mine.promote((lw.int8, float))


def test_rules_from_a_table() -> None:
    mine = lw.Rules.from_table("mine", {("int8", "float16"): "float32", ("float16", "int8"): "float64"})
    assert mine.promote((lw.int8, lw.float16)) is lw.float32
    assert mine.promote((lw.float16, lw.int8)) is lw.float64
    assert mine.promote((lw.int8, lw.int8)) is lw.int8
    assert mine.promote((lw.int8, int)) is lw.int8
    assert lw.check_laws(mine).commutative == ((lw.int8, lw.float16), (lw.float16, lw.int8))
    with pytest.raises(PromotionError, match="int16 is not among their dtypes"):
        mine.promote((lw.int8, lw.int16))
    partial = lw.Rules.from_table("partial", {("int8", "int16"): "int16", ("int32", "int32"): "int32"})
    with pytest.raises(PromotionError, match="their table has no such pair"):
        partial.promote((lw.int8, lw.int32))


def test_a_join_that_is_not_unique_is_refused_by_name() -> None:
    two = lw.Rules("two", "int8 -> float32 float64 \n int16 -> float32 float64")
    with pytest.raises(PromotionError, match=r"int8 and int16 .* the two rules \(float32, float64 would all do\)"):
        two.promote((lw.int8, lw.int16))
    assert lw.check_laws(two).no_unique_join == ((lw.int8, lw.int16),)


@pytest.mark.parametrize(
    ("diagram", "options", "message"),
    [
        ("int8 -> int9", {}, "rules 'x': 'int9' is no dtype; did you mean 'int8'?"),
        ("flaot32 -> float64", {}, "rules 'x': 'flaot32' is no dtype; did you mean 'float32'?"),
        ("int8", {}, "rules 'x': an edge reads `a -> b c`; got 'int8'"),
        ("int8 int16 -> int32", {}, "rules 'x': an edge reads"),
        ("int8 ->", {}, "rules 'x': an edge reads"),
        ("int8 -> int16 \n int16 -> int32 \n int32 -> int8", {}, "has a cycle: int8 -> int16 -> int32 -> int8"),
        ("int8 -> int8", {}, "has a cycle: int8 -> int8"),
        ("int8 -> half*", {}, "'half*' is no dtype"),
        ("int8 -> int16", {"exceptions": "int8 int16 int32"}, "an exception reads `a b -> c`; got 'int8 int16 int32'"),
        ("int8 -> int16", {"exceptions": "int8 -> int16"}, "an exception reads `a b -> c`"),
        ("int8 -> int16", {"exceptions": "int8 uint9 -> int16"}, "'uint9' is no dtype; did you mean 'uint8'?"),
        ("int8 -> int16", {"exceptions": "int8 uint8 -> int15"}, "'int15' is no dtype; did you mean 'int"),
        ("int8 -> half*", {"becomes": {"half*": "float17"}}, "'float17' is no dtype; did you mean 'float16'?"),
        ("int8 -> int16", {"weak": "often"}, "weak is one of 'lattice', 'kind'; got 'often'"),
        ("int8 -> int16", {"fold": "right"}, "fold is one of 'join', 'left', 'kind'; got 'right'"),
    ],
)
def test_a_bad_diagram_is_refused(diagram: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        lw.Rules("x", diagram, **options)
    assert message in str(caught.value)


def test_a_bad_table_is_refused() -> None:
    with pytest.raises(ValueError, match="rules 'x': 'int9' is no dtype; did you mean 'int8'?"):
        lw.Rules.from_table("x", {("int9", "int8"): "int8"})


# --- errors ----------------------------------------------------------------------------------------------------------


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="no rules 'unfied'; did you mean 'unified'?"):
        lw.promote_types(lw.int8, lw.int8, rules="unfied")
    with pytest.raises(ValueError, match="did you mean 'precise'?"), lw.using(rules="precize"):
        pass
    with pytest.raises(TypeError, match="'flaot32' is no dtype; did you mean 'float32'?"):
        lw.promote_types("flaot32", lw.int8)
    with pytest.raises(ValueError, match="at least one operand"):
        RULES["unified"].promote(())
    with pytest.raises(ValueError, match="at least one operand"):
        RULES["precise"].promote(())


def test_a_refusal_names_the_operands_the_rules_and_why() -> None:
    with pytest.raises(PromotionError) as caught:
        lw.promote_types(lw.int32, lw.float16, rules="strict")
    assert str(caught.value) == (
        "promote_types: int32 and float16 have no common dtype under the strict rules (the standard leaves it"
        " undefined). They would have one with x1 as float16"
    )
    with pytest.raises(PromotionError, match="int8, uint64, a Python int 1 have no common dtype under the array_api"):
        lw.result_type(lw.int8, lw.uint64, 1, rules="array_api")
    assert issubclass(PromotionError, TypeError)


def test_a_refused_call_says_the_way_out_and_the_line(backend: str) -> None:
    i, f = lw.asarray([1, 2]), lw.asarray([0.5], dtype=lw.float16)
    with lw.using(rules="strict"):
        with pytest.raises(PromotionError) as caught:
            line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
            i + f
        message = str(caught.value)
        assert message.startswith("add: int32 and float16 have no common dtype under the strict rules")
        assert "Cast one: lw.astype(x1, lw.float16)" in message
        assert message.endswith(f"({__file__}:{line})")
        with pytest.raises(PromotionError, match=r"Cast the array first: lw\.astype\(x1, lw\.float32\)"):
            i * 1.5
        with pytest.raises(PromotionError, match=r"Cast the array first: lw\.astype\(x1, lw\.float32\)"):
            lw.astype(i, lw.uint8) / 255
        with pytest.raises(PromotionError, match=r"Cast one: lw\.astype\(x2, lw\.float16\)"):
            lw.multiply(f, i)
        way_out = lw.astype(i, lw.float16) + f
        assert way_out.dtype is lw.float16
        with pytest.raises(PromotionError, match=r"cos: int32 and a Python float .* lw\.astype\(x, lw\.float32\)"):
            lw.cos(i)
        with pytest.raises(PromotionError, match=r"divide: int32 and a Python float .* lw\.astype\(x1, lw\.float32\)"):
            i / i
    narrow = lw.asarray([1.0], dtype=lw.bfloat16)
    with lw.using(rules="array_api"), pytest.raises(PromotionError, match="bfloat16 is not among .* Cast each"):
        narrow + narrow


@pytest.mark.parametrize("rules", OWN)
def test_functions_follow_the_rules_on_arrays(backend: str, rules: str) -> None:
    """What a call would do is decided by the table alone: arrays 0-d or not, on either side, scalars on either."""
    scalars = {bool: True, int: 1, float: 1.0, complex: 1j}
    have = [d for d in lw.all_dtypes if lw.valid_dtype(d)]
    wrong = {}
    with lw.using(rules=rules):
        arrays = {d: (lw.asarray([1], dtype=d), lw.asarray(1, dtype=d)) for d in have}
        for a, b in itertools.product(have, [*have, *SCALARS]):
            expected = joined(rules, a, b)
            for x, y in itertools.product(arrays[a], arrays[b] if b in arrays else (scalars[b],)):
                for left, right in ((x, y), (y, x)):
                    try:
                        plan = lw.plan(lw.equal, left, right)
                    except PromotionError:
                        found = None
                    else:
                        found = plan.computed
                        assert all(c in (None, found) for c in plan.casts)
                    if found is not expected:
                        wrong[a, b] = found, expected
    assert not wrong
    x = lw.asarray([1, 2], dtype=lw.int8) + lw.asarray([3, 4], dtype=lw.int32)
    assert x.dtype is lw.int32 and [int(v) for v in x] == [4, 6]


def test_can_cast_follows_the_rules() -> None:
    found = {(a, b): lw.can_cast(a, b) for a, b in itertools.product(lw.all_dtypes, repeat=2)}
    assert found == {(a, b): joined("unified", a, b) is b for a, b in found}
    with lw.using(rules="strict"):
        assert not lw.can_cast(lw.int8, lw.float32)
    with lw.using(rules="precise"):
        assert lw.can_cast(lw.int16, lw.float32) and not lw.can_cast(lw.int32, lw.float32)
