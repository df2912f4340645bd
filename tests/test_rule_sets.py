"""The frameworks' own promotion rules: against what they answered, against themselves where installed, and by hand."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import live
import numpy as np
import pytest
import tables

import latticework as lw
from latticework.errors import PromotionError
from latticework.promotion import RULES, Rules, max_2024, rules_named

NAMES = lw.rule_names()
SECTIONS = [*tables.sections()]
O = lw.Operand  # noqa: E741 - an operand of which more is known than its dtype


def result(rules: str, *operands: Any) -> str:
    """The dtype, with a star where it is weak."""
    found = rules_named(rules).result(operands)
    return f"{found.dtype}{'*' * found.weak}"


# --- against what they answered --------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", SECTIONS, ids=[s.title for s in SECTIONS])
def test_cells(section: tables.Section, cell_counts: dict[str, int]) -> None:
    count(cell_counts, section.rules, [c for c in section.cells.values() if c != tables.NOT_ASKED])
    wrong = tables.differ(section.found(), section.cells)
    assert not wrong, wrong


def test_every_framework_has_cells() -> None:
    ours = {"unified", "precise", "strict", "array_api"}
    assert {s.rules for s in SECTIONS} == {*NAMES} - ours
    assert sum(len(s.cells) for s in SECTIONS) > 20_000


def test_the_differ_prints_the_wrong_cells_alone() -> None:
    section = next(s for s in SECTIONS if s.title == "mlx promote_types")
    cells = section.cells | {("i1", "u8"): "f8", ("b1", "b1"): "--"}
    assert tables.differ(section.found(), cells).splitlines() == [
        "2 of 196 cells are wrong:",
        "  b1 b1                    is b1, expected --",
        "  i1 u8                    is f4, expected f8",
    ]


def count(cell_counts: dict[str, int], name: str, cells: Any) -> None:
    """Add to what the summary at the end of the tests prints."""
    cell_counts[name] = cell_counts.get(name, 0) + len(cells)


def assert_equal(comparisons: Any, cell_counts: dict[str, int]) -> None:
    for c in comparisons:
        count(cell_counts, f"{c.rules}, live", c.expected)
        wrong = tables.differ(c.found, c.expected)
        assert not wrong, f"{c.rules} {c.question}: {wrong}"


def test_numpy_live(cell_counts: dict[str, int]) -> None:
    assert_equal(live.numpy(everything=False), cell_counts)


def test_torch_live(cell_counts: dict[str, int]) -> None:
    pytest.importorskip("torch")
    assert_equal(live.torch(), cell_counts)


@pytest.mark.filterwarnings("ignore")
def test_jax_live(cell_counts: dict[str, int]) -> None:
    pytest.importorskip("jax")
    assert_equal(live.jax(everything=False), cell_counts)


@pytest.mark.in_turn
@pytest.mark.parametrize("framework", ["tensorflow", "keras"])
def test_tensorflow_and_keras_live(framework: str, cell_counts: dict[str, int]) -> None:
    for needed in {framework, "tensorflow"}:
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    assert_equal(live.ALL[framework](everything=False), cell_counts)


# --- what each rule set says of itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_set_cites_its_source_and_version(name: str) -> None:
    rules = RULES[name]
    assert rules.name == name and rules.source.startswith("https://") and rules.dtypes
    assert bool(rules.version) is (name not in ("unified", "precise", "strict", "array_api"))
    assert rules.needs <= {"zero_dim", "weak", "value"}
    module = sys.modules[f"latticework.promotion.{name.partition('-')[0]}"] if name != "max-2024" else max_2024
    assert "Source:" in (module.__doc__ or "")


def test_what_rules_need_to_know_of_operands() -> None:
    assert {n: {*RULES[n].needs} for n in NAMES if RULES[n].needs} == {
        "numpy1": {"zero_dim", "value"},
        "jax": {"weak"}, "jax-x32": {"weak"}, "jax-strict": {"weak"}, "jax-x32-strict": {"weak"},
        "torch": {"zero_dim"}, "paddle": {"zero_dim"},
        "tensorflow-all": {"weak"}, "tensorflow-safe": {"weak"},
        "max": {"weak", "value"},
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_what_rules_do_not_need_makes_no_difference(name: str) -> None:
    rules = RULES[name]
    dtypes = [d for d in rules.dtypes if d in lw.all_dtypes]
    plain = rules.table([O(d) for d in dtypes])
    assert plain == {(O(a), O(b)): r for (a, b), r in rules.table(dtypes).items()}
    if "zero_dim" not in rules.needs:
        flat = rules.table([O(d, zero_dim=True) for d in dtypes])
        assert [*flat.values()] == [*plain.values()]
    if "value" not in rules.needs:
        for d, v in itertools.product(dtypes, [True, 3, -200, 1.5, 1e300, 2j]):
            by_type, by_value = (rules.table([d, x])[d, x] for x in (type(v), v))
            assert by_type == by_value or (by_value is None and not rules.takes(v, d))


@pytest.mark.parametrize("name", NAMES)
def test_more_operands_are_linear(name: str) -> None:
    rules = RULES[name]
    for dtype in (lw.int8, lw.float32):
        assert rules.promote([dtype] * 5000) is dtype
    with pytest.raises(ValueError, match="at least one operand"):
        rules.promote([])
    for unknown in set(lw.Dtype._all.values()) - {*rules.dtypes}:
        with pytest.raises(PromotionError, match=f"{unknown} is not among their dtypes"):
            rules.promote([lw.float32, unknown])


#: Counterexamples: to commutativity, associativity and idempotence; ordered pairs refused; pairs without a unique join.
LAWS = {
    "numpy": (0, 5564, 0, 296, 9),
    "numpy1": (0, 28, 0, 0, 3),
    "jax": (0, 0, 0, 572, 0),
    "jax-x32": (0, 0, 4, 572, 0),
    "jax-strict": (0, 0, 0, 992, 0),
    "jax-x32-strict": (0, 0, 4, 984, 0),
    "torch": (0, 2340, 0, 1814, 0),
    "tensorflow": (0, 0, 0, 272, 0),
    "tensorflow-all": (0, 0, 0, 64, 0),
    "tensorflow-safe": (0, 260, 0, 136, 6),
    "tensorflow-numpy": (0, 5564, 0, 296, 9),
    "max": (0, 548, 0, 154, 50),
    "max-2024": (8, 68, 0, 0, 0),
    "keras": (0, 104, 4, 64, 0),
    "keras-tensorflow": (0, 104, 2, 64, 0),
    "mlx": (0, 32, 0, 0, 0),
    "paddle": (0, 312, 0, 128, 0),
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_broken_where_they_were_found_to_be(name: str) -> None:
    assert tuple(map(len, lw.check_laws(name))) == LAWS[name]


def test_laws_in_particular() -> None:
    numpy = {t for t in lw.check_laws("numpy").associative if {*t} <= {*lw.all_dtypes} - {lw.bfloat16}}
    assert numpy == {*lw.check_laws("numpy1").associative} and len(numpy) == 28
    assert (lw.int8, lw.uint16, lw.float32) in numpy
    published = {*lw.all_dtypes} - {lw.uint16, lw.uint32, lw.uint64}
    torch = lw.check_laws("torch")
    assert not any({*t} <= published for t in (*torch.associative, *torch.refused))  # the 13 that its page lists
    word = {("bool", "index"), ("bool", "address"), ("int8", "index"), ("int8", "address")}
    assert {*lw.check_laws("max-2024").commutative} == word | {(b, a) for a, b in word}
    eight_bits = {d for d in RULES["jax"].dtypes if d.bits >= 8 and (d in lw.all_dtypes)}
    assert not any({*p} <= eight_bits for p in lw.check_laws("jax").refused)
    assert {*lw.check_laws("jax-x32").idempotent} == {"int64", "uint64", "float64", "complex128"}  # truncated
    assert {*lw.check_laws("keras").idempotent} == {"int64", "uint64", "float64", "complex128"}  # squashed


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_numpy() -> None:
    assert result("numpy", lw.int8, lw.uint16, lw.float32) == "float32"  # no fold: two by two it is float64
    assert result("numpy", lw.int8, lw.uint16) == "int32"
    assert result("numpy", lw.int8, 1.5) == "float64" and result("numpy", lw.int8, 10**400) == "int8"
    assert result("numpy", lw.bfloat16, 1.5) == "float64" and result("numpy", lw.bfloat16, 1) == "bfloat16"
    assert result("numpy", 2**63) == "uint64" and result("numpy", 2**63, True) == "int64"
    with pytest.raises(PromotionError, match="NumPy makes an object of it"):
        rules_named("numpy").promote([2**64])
    with pytest.raises(PromotionError, match="bfloat16 and float16"):
        rules_named("numpy").promote([lw.bfloat16, lw.float16])
    assert lw.result_type(lw.float16, float, rules="numpy") is lw.float64  # the type is float64, the value weak
    assert lw.result_type(lw.float16, 1.5, rules="numpy") is lw.float16


def test_numpy1() -> None:
    assert [result("numpy1", lw.int8, v) for v in (127, 128, -129, 2**40)] == ["int8", "int16", "int16", "int64"]
    assert [result("numpy1", lw.uint8, v) for v in (255, 256, -1)] == ["uint8", "uint16", "int16"]
    assert [result("numpy1", lw.float16, v) for v in (1.5, 65520.0, 1e300, 2**20)] == [
        "float16", "float32", "float64", "float64"
    ]  # fmt: skip
    assert result("numpy1", lw.float32, O(lw.float64, zero_dim=True, value=1.5)) == "float32"
    assert (
        result("numpy1", O(lw.float32, zero_dim=True, value=1.5), O(lw.float64, zero_dim=True, value=1.5)) == "float64"
    )
    assert result("numpy1", lw.int8, 1.5) == "float64" and result("numpy1", 1, 2) == "int64"
    assert result("numpy1", lw.int8, int) == "int8"  # of an unknown value, the least
    assert lw.result_type(lw.int8, np.int64(1), rules="numpy1") is lw.int8
    assert lw.result_type(lw.int8, np.array(300), rules="numpy1") is lw.int16
    assert lw.result_type(lw.int8, np.array([300]), rules="numpy1") is lw.int64


def test_jax() -> None:
    assert result("jax", lw.int8, 1.5) == "float64*" and result("jax-x32", lw.int8, 1.5) == "float32*"
    assert result("jax", lw.int8, lw.uint64) == "float64*"
    assert result("jax", lw.int16, O(lw.int64, weak=True)) == "int16"
    assert result("jax", O(lw.int16, weak=True), O(lw.int8, weak=True)) == "int16*"
    assert result("jax", O(lw.int16, weak=True), lw.bool) == "int64*"
    assert result("jax", O(lw.int16, weak=True), O(lw.int16)) == "int16"  # an explicit dtype makes a value strong
    assert result("jax", True, lw.bool) == "bool" and result("jax", 1, True) == "int64*"
    assert result("jax-x32", lw.uint32, lw.int8) == "int32" and result("jax-x32", lw.int64, lw.float64) == "float32"
    assert RULES["jax-x32"].promote_types(lw.int64, lw.int8) is lw.int64  # dtypes as such are not truncated
    assert result("jax", "float8_e5m2" and lw.Dtype("float8_e5m2"), lw.int64) == "float8_e5m2"
    with pytest.raises(PromotionError, match="fewer than 8 bits"):
        rules_named("jax").promote([lw.Dtype("int4"), lw.int8])
    with pytest.raises(PromotionError, match="in strict mode only weak operands promote"):
        rules_named("jax-strict").promote([lw.int8, lw.int16])
    assert result("jax-strict", lw.int8, 1) == "int8"
    assert lw.result_type(lw.int8, float, rules="jax") is lw.promote_types(float, "int8", "jax") is lw.float64
    assert lw.result_type(lw.float16, float, rules="jax") is lw.float16
    # np.int16(1) + 1 is NumPy's int16; with a JAX int16 it is that. What NumPy makes int64 stays so.
    assert result("jax", rules_named("numpy").promote([lw.int16, 1]), lw.int16) == "int16"
    assert result("jax", lw.int64, lw.int16) == "int64"


def test_jax_arrays_carry_their_weak_flag() -> None:
    jnp = pytest.importorskip("jax.numpy")
    weak, strong = jnp.asarray(1), jnp.asarray(1, dtype="int32")
    assert lw.result_type(weak, lw.int8, rules="jax-x32") is lw.int8
    assert lw.result_type(strong, lw.int8, rules="jax-x32") is lw.int32


def test_torch() -> None:
    zero = O(lw.float64, zero_dim=True)
    assert result("torch", lw.float32, zero) == "float32" and result("torch", lw.int32, zero) == "float64"
    assert result("torch", lw.float16, O(lw.complex128, zero_dim=True)) == "complex32"
    assert result("torch", lw.bfloat16, 1j) == "complex64" and result("torch", lw.int8, 300) == "int8"
    assert result("torch", O(lw.int64, zero_dim=True), 1.5) == "float32"
    assert result("torch", lw.uint8, O(lw.int8, zero_dim=True)) == "uint8"
    with lw.using(default_float="float64"):
        assert result("torch", lw.int8, 1.5) == "float64" and result("torch", lw.bool, 1j) == "complex128"
    with lw.using(default_float="float16"):
        assert result("torch", lw.int8, 1j) == "complex32"
    for pair in ((lw.uint16, lw.int8), (lw.uint16, lw.bool), (lw.uint16, lw.complex64), (lw.uint16, lw.uint32)):
        with pytest.raises(PromotionError, match="PyTorch does not support it"):
            rules_named("torch").promote(pair)
    assert result("torch", lw.uint16, lw.float16) == "float16"
    # the tiers are joined before they are combined, so that a fold from the left would be wrong
    assert result("torch", O(lw.int8, zero_dim=True), lw.uint8, O(lw.float64, zero_dim=True)) == "float64"
    assert result("torch", lw.bool, 2**62) == "int64"
    with pytest.raises(PromotionError):
        rules_named("torch").promote([lw.bool, 2**63])  # a wrapped uint64
    with pytest.raises(PromotionError, match="does not fit 64 bits"):
        rules_named("torch").promote([lw.int8, 2**64])
    with pytest.raises(PromotionError, match="float8_e5m2 has no complex partner"):
        rules_named("torch").promote([lw.Dtype("float8_e5m2"), 1j])


def test_zero_dim_arrays_are_told_apart(backend: str) -> None:
    x, zero = lw.asarray([1.0]), lw.asarray(1.0, dtype=lw.float64)
    assert lw.result_type(x, zero, rules="torch") is lw.float32
    assert lw.result_type(x, zero) is lw.result_type(x, zero, rules="jax") is lw.float64
    assert lw.result_type(x.data, zero.data, rules="torch") is lw.float32
    assert lw.explain(x, zero, rules="torch").rule == "zero-dim"


def test_tensorflow() -> None:
    assert result("tensorflow", lw.int8, 300) == "int8" and result("tensorflow", 1, True) == "int32"
    assert result("tensorflow", 1.5, 1) == "float32"
    for pair in ((lw.int8, lw.int16), (lw.int8, 1.5), (1, 1.5), (lw.int8, True), (lw.bool, 1), (lw.int8, 2**63)):
        with pytest.raises(PromotionError):
            rules_named("tensorflow").promote(pair)
    assert result("tensorflow-all", lw.int8, 1.5) == "float64*" and result("tensorflow-all", lw.bool, 1.5) == "float32*"
    assert result("tensorflow-all", 1, 2) == "int32*"
    assert result("tensorflow-all", O(lw.int64, weak=True), lw.int8) == "int8"
    assert result("tensorflow-safe", lw.int8, lw.float16) == "float16"
    for pair in ((lw.int8, lw.uint8), (lw.int16, lw.float16), (lw.int8, 1.5), (lw.float64, lw.complex64)):
        with pytest.raises(PromotionError, match="it is not safe"):
            rules_named("tensorflow-safe").promote(pair)
    assert result("tensorflow-numpy", lw.int32, lw.float32) == "float64"


def test_max() -> None:
    assert result("max", lw.int8, lw.float16) == "float16" and result("max", lw.uint8, lw.int16) == "int16"
    assert result("max", lw.Dtype("float8_e5m2"), lw.Dtype("float8_e4m3fn")) == "float16"
    for pair in ((lw.int8, lw.uint8), (lw.float16, lw.bfloat16), (lw.int16, lw.float16), (lw.uint64, lw.float64)):
        with pytest.raises(PromotionError, match="one does not cast to the other exactly"):
            rules_named("max").promote(pair)
    assert result("max", lw.float32, 2**24) == "float32" and result("max", lw.float16, 1e300) == "float16"
    with pytest.raises(PromotionError, match="16777217 is not exact as float32"):
        rules_named("max").promote([lw.float32, 2**24 + 1])
    with pytest.raises(PromotionError, match="a Python float does not become int8"):
        rules_named("max").promote([lw.int8, 1.0])
    with pytest.raises(PromotionError, match="at least one operand must be a tensor of MAX"):
        rules_named("max").promote([1, 2])
    array = O(lw.int64, weak=True, value=(1, 300))
    assert result("max", lw.int16, array) == "int16"
    with pytest.raises(PromotionError, match="300 is not exact as int8"):
        rules_named("max").promote([lw.int8, array])


def test_max_2024() -> None:
    assert max_2024.implicit_cast_type("float16", "bfloat16") is lw.bfloat16
    assert max_2024.implicit_cast_type("float32", "tensor_float32") == "tensor_float32"
    assert max_2024.implicit_cast_type("uint64", "int8") is lw.float16
    assert (max_2024.implicit_cast_type("bool", "index"), max_2024.implicit_cast_type("index", "bool")) == (
        "int64", "uint64"
    )  # fmt: skip
    with pytest.raises(PromotionError, match="complex64 is not among their dtypes"):
        max_2024.implicit_cast_type("complex64", "float32")
    with pytest.raises(PromotionError):
        rules_named("max-2024").promote([lw.int8, 1])


def test_keras_mlx_and_paddle() -> None:
    assert result("keras", lw.int64, lw.float64) == "float32" and result("keras-tensorflow", lw.int64) == "int64"
    assert result("keras", lw.bool, lw.uint64, lw.int8) == "float32"  # the squash comes after the join of all
    with lw.using(default_float="float16"):
        assert result("keras", lw.int8, 1.5) == "float16" and result("keras", 1, 2) == "int16"
    assert result("mlx", lw.uint64, lw.int8) == "float32" and result("mlx", lw.uint64, lw.int8, lw.float16) == "float16"
    assert result("mlx", lw.float64, 1j) == "complex64"
    with pytest.raises(PromotionError, match="Paddle promotes floats with floats"):
        rules_named("paddle").promote([lw.int8, lw.int16])
    zero = O(lw.int16, zero_dim=True)
    assert result("paddle", lw.int8, zero) == "int8" and result("paddle", zero, O(lw.int8, zero_dim=True)) == "int16"
    assert result("paddle", lw.complex64, O(lw.complex128, zero_dim=True)) == "complex64"
    assert result("paddle", lw.complex64, O(lw.float64, zero_dim=True)) == "complex128"


def test_ints_that_do_not_fit() -> None:
    """Promotion takes any int; operations do not. What they do is part of the rules."""
    cases = {
        "unified": (300, False), "numpy": (300, False), "jax": (300, True), "jax-x32": (2**31, False),
        "torch": (300, True), "tensorflow-all": (2**31, False), "tensorflow-numpy": (2**70, True), "mlx": (300, False),
        "paddle": (2**70, True), "tensorflow": (300, True), "numpy1": (300, True),
    }  # fmt: skip
    assert {name: (v, RULES[name].takes(v, lw.int8)) for name, (v, _) in cases.items()} == cases
    assert RULES["numpy"].takes(2**63 - 1, lw.bool) and not RULES["numpy"].takes(2**63, lw.bool)
    assert not RULES["unified"].takes(2**2000, lw.float32)


# --- active ----------------------------------------------------------------------------------------------------------


def test_functions_follow_a_frameworks_rules(backend: str) -> None:
    x = lw.asarray([1, 2], dtype=lw.int32)
    for rules, expected in {"jax-x32": "float32", "numpy": "float64", "torch": "float32", "jax": "float64"}.items():
        with lw.using(rules=rules):
            assert (x + 1.5).dtype == lw.result_type(x, 1.5) == expected
            assert lw.promote_types(lw.int32, lw.float32) == ("float64" if rules == "numpy" else "float32")
    with lw.using(rules="tensorflow"), pytest.raises(PromotionError, match="add: int32 and a Python float"):
        x + 1.5


# --- explain ---------------------------------------------------------------------------------------------------------


def test_explain_a_join() -> None:
    found = lw.explain(lw.int16, lw.uint16, lw.float16, rules="jax")
    assert (found.rules, found.version, found.dtype, found.weak, found.rule) == (
        "jax", "jax 0.10.2", lw.float16, False, "lattice"
    )  # fmt: skip
    assert found.paths == (
        ("int16", "int32", "int64", "float*", "float16"),
        ("uint16", "int32", "int64", "float*", "float16"),
        ("float16",),
    )
    assert found.way_out == "" and found.operands == ("int16", "uint16", "float16")
    assert str(found).splitlines()[2] == "  uint16   uint16 -> int32 -> int64 -> float* -> float16"


@pytest.mark.parametrize(
    ("rules", "operands", "rule", "dtype"),
    [
        ("unified", (lw.int8, lw.int8), "same", "int8"),
        ("unified", (lw.int8, 1), "weak", "int8"),
        ("unified", (lw.int8, 1.5), "default", "float32"),
        ("unified", (lw.int8, lw.uint64), "lattice", "float64"),
        ("precise", (lw.int8, lw.uint8), "exception", "int16"),
        ("precise", (lw.int8, 1), "weak", "int8"),
        ("numpy", (lw.int8, lw.uint8), "exception", "int16"),
        ("numpy", (lw.int8, 1), "weak", "int8"),
        ("numpy", (lw.int8, 1.5), "default", "float64"),
        ("numpy1", (lw.int8, 128), "value", "int16"),
        ("jax", (lw.int8, 1), "weak", "int8"),
        ("jax", (lw.int8, 1.5), "default", "float64"),
        ("torch", (lw.float32, O(lw.float64, zero_dim=True)), "zero-dim", "float32"),
        ("torch", (lw.int8, O(lw.float64, zero_dim=True)), "category", "float64"),
        ("torch", (lw.int8, 1), "weak", "int8"),
        ("torch", (lw.int8, 1.5), "default", "float32"),
        ("torch", (lw.uint16, lw.float16), "exception", "float16"),
        ("tensorflow", (lw.int8, 1), "weak", "int8"),
        ("tensorflow-all", (lw.int8, 1.5), "default", "float64"),
        ("max", (lw.int8, 1), "value", "int8"),
        ("max-2024", (lw.bool, lw.Dtype("index")), "exception", "int64"),
        ("keras", (lw.int8, 1), "weak", "int8"),
        ("paddle", (lw.int8, O(lw.int16, zero_dim=True)), "zero-dim", "int8"),
        ("paddle", (lw.int8, 1.5), "category", "float32"),
        # Operands that become equal on the way did not have this dtype from the beginning.
        ("precise", (lw.int8, lw.float16), "lattice", "float16"),
        ("numpy1", (lw.int64, lw.float16, lw.float16), "lattice", "float64"),
        *((rules, (lw.int8, lw.int16, lw.int16), "lattice", "int16") for rules in ("torch", "mlx", "tensorflow-all")),
        ("paddle", (lw.bfloat16, lw.float32, lw.float32), "lattice", "float32"),
    ],
)
def test_explain_names_the_rule_that_decided(rules: str, operands: Any, rule: str, dtype: str) -> None:
    found = lw.explain(*operands, rules=rules)
    assert (found.rule, found.dtype) == (rule, dtype)
    assert str(found).startswith(", ".join(found.operands) + " -> ")
    assert json.loads(json.dumps(found.as_dict()))["dtype"] == dtype


@pytest.mark.parametrize(
    ("rules", "operands", "why", "way_out"),
    [
        ("strict", (lw.int32, lw.float16), "the standard leaves it undefined", "cast x1 to float16"),
        ("array_api", (lw.bfloat16,), "bfloat16 is not among their dtypes", "cast x to float32"),
        ("torch", (lw.int8, lw.uint16), "PyTorch does not support it", "cast x2 to int32"),
        ("tensorflow", (lw.int8, 1.5), "a Python float does not become int8", "cast x1 to float32"),
        ("max", (lw.int8, 300), "300 is not exact as int8", "cast x1 to int16"),
        ("max", (1, 2), "at least one operand must be a tensor of MAX", ""),
        ("tensorflow-safe", (lw.int64, 1j), "it is not safe", "cast x1 to complex64"),
    ],
)
def test_explain_a_refusal(rules: str, operands: Any, why: str, way_out: str) -> None:
    found = lw.explain(*operands, rules=rules)
    assert (found.dtype, found.rule, found.paths, found.why, found.way_out) == (None, "refused", (), why, way_out)
    assert f"refused under {rules}: {why}" in str(found) and (f"way out: {way_out}" in str(found)) is bool(way_out)
    assert json.loads(json.dumps(found.as_dict()))["dtype"] is None


@pytest.mark.parametrize("name", NAMES)
def test_the_way_out_of_every_refusal_works(name: str) -> None:
    rules = RULES[name]
    refused = [
        p for p, result in rules.table([d for d in rules.dtypes if d in lw.all_dtypes]).items() if result is None
    ]
    for pair in refused[::7]:
        found = lw.explain(*pair, rules=name)
        position, target = found.way_out.partition(",")[0].removeprefix("cast x").split(" to ")
        cast = [*pair]
        cast[int(position) - 1] = lw.Dtype(target)
        assert rules.promote(cast)


@pytest.mark.parametrize("name", NAMES)
def test_paths_go_up_the_diagram(name: str) -> None:
    rules = RULES[name]
    edges = {*rules.edges}
    for pair, result in rules.table(rules.dtypes[:20]).items():
        if result is None:
            continue
        found = lw.explain(*pair, rules=name)
        assert found.dtype is result
        for path in found.paths:
            assert {*itertools.pairwise(path)} <= edges
        if found.rule == "lattice" and not name.startswith("keras"):
            assert all(found.paths)


def test_explain_takes_the_active_rules() -> None:
    with lw.using(rules="torch"):
        assert lw.explain(lw.int8, 1.5).rules == "torch"
    assert lw.explain("int8", 1.5).dtype is lw.float32


# --- diff ------------------------------------------------------------------------------------------------------------


def test_diff() -> None:
    assert len(lw.diff_rules("jax", "jax")) == 0
    found = lw.diff_rules("unified", "jax")
    narrow = {(a, b): (x, y) for a, b, x, y in found}
    # jax and unified differ in the default widths of 64-bit jax alone
    assert all(isinstance(a, type) or isinstance(b, type) for a, b in narrow)
    assert narrow[lw.bool, int] == (lw.int32, lw.int64)
    assert not found.only_first and "float8_e5m2" in found.only_second
    assert len(lw.diff_rules("unified", "jax", lw.all_dtypes)) == 0
    assert str(found).splitlines()[0].split() == ["unified", "jax"]
    data = json.loads(json.dumps(found.as_dict()))
    assert len(data["rows"]) == len(found) and data["compared"] == 19**2


def test_diff_counts_unordered_pairs_and_lists_asymmetric_ones_twice() -> None:
    core = [d for d in lw.all_dtypes if d is not lw.bfloat16]
    assert len(lw.diff_rules("numpy", "jax", core)) == 14
    assert len(lw.diff_rules("numpy", "torch", core)) == 39
    mine = Rules("mine", "bool -> uint64 \n index -> uint64")
    rows = [*lw.diff_rules(mine, "max-2024", [lw.bool, lw.Dtype("index")])]
    assert rows == [(lw.bool, "index", lw.uint64, lw.int64)]


# --- rules of one's own, with what frameworks' rules are made of -----------------------------------------------------


def test_exceptions_in_one_order_in_groups_and_refused() -> None:
    mine = Rules(
        "mine",
        "int8 -> int16 \n int16 -> int32 \n uint8 -> int32 \n float16 -> float32",
        exceptions="""
        int8 int16 => int32
        int8,int16 uint8 -> refused
        int32 int32 -> refused
        """,
        dtypes="float8_e5m2",
        reason="mine to say",
    )
    assert mine.promote([lw.int8, lw.int16]) is lw.int32 and mine.promote([lw.int16, lw.int8]) is lw.int16
    for pair in itertools.permutations((lw.int16, lw.uint8)):
        with pytest.raises(PromotionError, match="mine to say"):
            mine.promote(pair)
    with pytest.raises(PromotionError):
        mine.promote([lw.int32, lw.int32])
    assert mine.promote([lw.Dtype("float8_e5m2")] * 2) == "float8_e5m2"
    assert lw.check_laws(mine).commutative == ((lw.int8, lw.int16), (lw.int16, lw.int8))


def test_defaults_of_the_rules_own() -> None:
    mine = Rules("mine", "bool -> int* \n int* -> int8 float*", defaults={"i": "int64"})
    with lw.using(default_int="int16", default_float="float64"):
        assert mine.promote([lw.bool, 1]) is lw.int64 and mine.promote([lw.bool, 1.5]) is lw.float64
    with pytest.raises(ValueError, match="'int63' is no dtype"):
        Rules("mine", "bool -> int*", defaults={"i": "int63"})
    with pytest.raises(ValueError, match="'flaot8_e5m2' is no dtype"):
        Rules("mine", "bool -> int8", dtypes="flaot8_e5m2")


# --- loading ---------------------------------------------------------------------------------------------------------


def test_all_rule_sets_load_in_20_ms(tmp_path: Path) -> None:
    program = (
        "import time, latticework as lw; from latticework.promotion import RULES, rule_names\n"
        "start = time.process_time(); [RULES[n] for n in rule_names()]; print(time.process_time() - start)"
    )
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    times = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, text=True, env=environment
        )
        times.append(float(done.stdout))
    assert min(times[1:]) < 0.020


def test_explanations_say_what_the_rules_do_besides_the_diagram() -> None:
    def why(*operands: Any, rules: Any) -> str:
        return str(lw.explain(*operands, rules=rules))

    assert "the operands have float64, which these rules cut to float32" in why(lw.float64, lw.float64, rules="keras")
    assert "all of them is float64, which these rules cut to float32" in why(lw.int64, lw.float64, rules="keras")
    assert "at wide*, a node that stands for float32" in why(lw.uint64, lw.int64, rules="mlx")
    assert "at float*, the weak dtype of floats, which is float64 by default" in why(lw.uint64, lw.int64, rules="jax")
    assert "Python int 2  fits by its value" in why(lw.float32, 2, rules="max")
    table = lw.Rules.from_table("mine", {("int8", "float16"): "float32"})
    assert (
        why(lw.int8, lw.float16, rules=table) == "int8, float16 -> float32 under mine: the table of the rules (table)"
    )
    # The way out is a cast that loses nothing, where there is one, and else says what it loses.
    assert "way out: cast x1 to int32" in why(lw.uint16, lw.int16, rules="torch")
    only = lw.Rules("only", "uint8 -> uint16", dtypes="int8")
    assert "way out: cast x2 to uint8, which loses negative numbers" in why(lw.uint8, lw.int8, rules=only)
    with pytest.raises(
        PromotionError, match=r'no node int\* for a Python scalar. Add one, or make the rules with weak="kind"'
    ):
        only.promote([lw.uint8, 1])
    with pytest.raises(TypeError, match="did you mean 'int32'"):
        lw.Dtype("int33")
