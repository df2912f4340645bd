"""What operations do beyond the join of dtypes: against what frameworks answered, against themselves, and by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import families_live
import pytest
import tables

import latticework as lw
from latticework.core.registry import OPS
from latticework.errors import PromotionError
from latticework.policy import current
from latticework.promotion import RULES, families
from latticework.promotion.families import decide, family_of

NAMES = lw.rule_names()
SECTIONS = [*tables.family_sections()]
O = lw.Operand  # noqa: E741 - an operand of which more is known than its dtype
FLAGS = families.Family._fields[1:6]


def result(rules: str, operation: str, *operands: Any, **how: Any) -> str:
    """The dtype, with a star where it is weak; ``--`` where it is refused."""
    try:
        found = decide(RULES[rules], operation, operands, current().default, **how)
    except PromotionError:
        return "--"
    return f"{found.result}{'*' * found.weak}"


def count(cell_counts: dict[str, int], name: str, cells: Any) -> None:
    """Add to what the summary at the end of the tests prints."""
    cell_counts[name] = cell_counts.get(name, 0) + len(cells)


# --- against what they answered --------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", SECTIONS, ids=[s.title for s in SECTIONS])
def test_cells(section: tables.FamilySection, cell_counts: dict[str, int]) -> None:
    count(cell_counts, f"{section.rules}, operations", section.cells)
    wrong = tables.differ(section.found(), section.cells)
    assert not wrong, wrong


def test_every_framework_has_cells() -> None:
    measured = {"torch", "jax", "numpy", "tensorflow", "tensorflow-all", "tensorflow-safe", "tensorflow-numpy"}
    measured |= {"max", "mlx", "paddle", "keras", "keras-tensorflow"}  # which are not asked live
    assert {s.rules for s in SECTIONS} == measured
    assert {RULES[n].families for n in measured} == {RULES[n].families for n in NAMES} - {"unified"}
    assert sum(len(s.cells) for s in SECTIONS) > 50_000


@pytest.mark.in_turn
@pytest.mark.parametrize("framework", families_live.ALL)
def test_live(framework: str, cell_counts: dict[str, int]) -> None:
    pytest.importorskip(framework)
    for c in families_live.ALL[framework](everything=False):
        wrong = tables.differ(c.found, c.expected)
        assert not wrong, f"{c.rules} {c.operation}: {wrong}"
        count(cell_counts, f"{c.rules}, operations live", c.expected)


def test_what_is_not_asked_live_is_a_function_and_was_compared_nowhere() -> None:
    for framework in families_live.LEFT_OUT:
        names = families_live.left_out(framework)
        assert len(names) == len({*names}) and {*names} <= {*OPS}, framework
        assert not {*names} & {cell[0] for s in SECTIONS if s.rules == framework for cell in s.cells}, framework


# --- every operation, every rule set -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_function_of_arrays_is_in_a_family(name: str) -> None:
    rules = RULES[name]
    for operation, op in OPS.items():
        if not op.operands or operation.startswith("_"):
            continue
        family = family_of(rules, operation)
        assert family.name and {*family.takes} <= {*"biufc"}
        some = [lw.bool, lw.int32, lw.float32, lw.complex64]
        count = len(op.operands) if not op.sequence else 2
        answers = [result(name, operation, *[d] * count) for d in some]
        assert {*answers} != {"--"}, operation


def test_a_float_power_has_the_dtype_that_is_decided_for_it(backend: str) -> None:
    for rules in ("unified", "numpy", "torch", "jax", "tensorflow"):
        for dtype in (lw.bool, lw.int8, lw.float32):
            x = lw.ones(2, dtype=dtype)
            with lw.using(rules=rules):
                assert str(lw.float_power(x, x).dtype) == result(rules, "float_power", dtype, dtype) == "float64"


def test_an_operation_that_there_is_not() -> None:
    with pytest.raises(TypeError, match="'divid' is no function of latticework; did you mean 'divide'"):
        lw.operation_result("divid", lw.int8, lw.int8)


@pytest.mark.parametrize("name", [n for n in NAMES if RULES[n].families == "unified"])
def test_rules_without_families_of_their_own_have_the_unified_ones(name: str) -> None:
    rules = RULES[name]
    for pair in ((lw.int32, lw.int32), (lw.float32, lw.float32)):
        assert result(name, "add", *pair) == str(rules.promote(pair))
        assert result(name, "less", *pair) == "bool"


def test_the_families_are_those_that_plans_follow(backend: str) -> None:
    cases = [
        ("add", (lw.int32, lw.float16)), ("divide", (lw.int8, lw.int8)), ("sin", (lw.int64,)),
        ("equal", (lw.int8, lw.int16)),
        ("abs", (lw.complex64,)), ("sum", (lw.int8,)), ("prod", (lw.bool,)), ("argmax", (lw.float32,)),
        ("mean", (lw.int32,)), ("where", (lw.bool, lw.int8, lw.float32)), ("logical_and", (lw.int8, lw.float32)),
        ("bitwise_and", (lw.uint8, lw.int8)), ("fft.rfft", (lw.float32,)),
    ]  # fmt: skip
    for operation, dtypes in cases:
        arrays = [lw.ones((2, 2), dtype=d) for d in dtypes]
        p = lw.plan(operation, *arrays)
        found = decide(RULES["unified"], operation, dtypes, current().default)
        assert (found.computed, found.result) == (p.computed, p.out[0]), operation


# --- PyTorch -----------------------------------------------------------------------------------------------------

#: The eleven expressions of an article on PyTorch's promotion, in its order, and what they give.
ELEVEN = """
    add       int32    5          -> int32
    add       int32    5.5        -> float32
    divide    int32    5          -> float32
    add       int32    0d:int64   -> int32
    add       int64    int32      -> int64
    add       bool     int64      -> int64
    add       bool     uint8      -> uint8
    add       float32  float64    -> float64
    add       complex64 complex128 -> complex128
    add       bool     int32      -> int32
    add       int64    float32    -> float32
"""


def read(token: str) -> Any:
    if token[0].isdigit() and ":" not in token:
        return float(token) if "." in token else int(token)
    kind, colon, name = token.partition(":")
    return O(lw.Dtype(name), zero_dim=kind == "0d") if colon else lw.Dtype(token)


def test_the_eleven_expressions() -> None:
    lines = ELEVEN.strip().splitlines()
    assert len(lines) == 11
    for line in lines:
        operation, *operands, _, expected = line.split()
        assert result("torch", operation, *map(read, operands)) == expected, line


def test_the_eleven_expressions_live() -> None:
    torch = pytest.importorskip("torch")
    native = {"add": torch.add, "divide": torch.div}
    for line in ELEVEN.strip().splitlines():
        operation, *operands, _, expected = line.split()
        given = [
            torch.ones((1,) * (not getattr(x, "zero_dim", False)), dtype=getattr(torch, str(getattr(x, "dtype", x))))
            if isinstance(x, (lw.Dtype, O))
            else x
            for x in map(read, operands)
        ]
        assert native[operation](*given).dtype == getattr(torch, expected), line


#: TensorIterator's flags, in the order of its configuration, for one operation of each kind.
CONFIGURATIONS = {
    "add": (True, False, True, True, False),  # BINARY_OP_CONFIG
    "divide": (True, True, True, True, False),  # BINARY_FLOAT_OP_CONFIG
    "sin": (True, True, True, True, False),  # UNARY_FLOAT_OP_CONFIG
    "equal": (True, False, True, True, False),  # COMPARISON_OP_CONFIG
    "sum": (True, False, True, False, False),
    "matmul": (False, False, False, True, True),
    "isnan": (True, False, False, True, False),
}


@pytest.mark.parametrize("operation", CONFIGURATIONS)
def test_the_flags_of_tensor_iterator(operation: str) -> None:
    family = family_of(RULES["torch"], operation)
    assert tuple(getattr(family, flag) for flag in FLAGS) == CONFIGURATIONS[operation]
    assert FLAGS == (
        "promote_inputs_to_common_dtype", "promote_integer_inputs_to_float", "cast_common_dtype_to_outputs",
        "enforce_safe_casting_to_output", "check_all_same_dtype",
    )  # fmt: skip


def test_torch_in_place_and_out() -> None:
    assert result("torch", "add", lw.float32, lw.float64, in_place=True) == "float32"
    assert result("torch", "add", lw.int32, lw.float32, in_place=True) == "--"
    assert result("torch", "divide", lw.int32, lw.int32, in_place=True) == "--"
    assert result("torch", "equal", lw.int32, lw.int32, in_place=True) == "int32"
    assert result("torch", "add", lw.int32, lw.int32, out=lw.int8) == "int8"
    assert result("torch", "add", lw.float32, lw.float32, out=lw.int64) == "--"
    assert result("torch", "sum", lw.float32, out=lw.int8) == "int8"
    assert result("torch", "matmul", lw.float32, lw.float32, out=lw.float64) == "--"
    assert result("torch", "abs", lw.complex64, out=lw.float16) == "float16"
    assert result("torch", "clip", lw.int8, 1, 3, out=lw.int16) == "--"
    assert result("torch", "sum", lw.int8, dtype=lw.float16) == "float16"
    with pytest.raises(PromotionError, match="a result of float32 does not go into an array of int32"):
        lw.operation_result("divide", lw.int32, lw.int32, rules="torch", in_place=True)


@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_torch_in_place_and_out_live() -> None:
    torch = pytest.importorskip("torch")
    dtypes = "bool uint8 int32 int64 float16 float32 float64 complex64".split()
    native = {"add": torch.add, "multiply": torch.mul, "divide": torch.div, "equal": torch.eq, "pow": torch.pow}
    for operation, function in native.items():
        for a in dtypes:
            for b in dtypes:
                for in_place in (True, False):
                    x = torch.ones(2).to(getattr(torch, a))
                    if in_place:
                        given, target = (x, torch.ones(2).to(getattr(torch, b))), x
                    else:
                        given, target = (x, x), torch.ones(2).to(getattr(torch, b))
                    try:
                        function(*given, out=target)
                        theirs = str(target.dtype).removeprefix("torch.")
                    except RuntimeError as error:
                        if "not implemented for" in str(error):
                            continue  # no kernel
                        theirs = "--"
                    how: dict[str, Any] = {"in_place": True} if in_place else {"out": lw.Dtype(b)}
                    ours = result("torch", operation, lw.Dtype(a), lw.Dtype(b) if in_place else lw.Dtype(a), **how)
                    assert ours == theirs, (operation, a, b, in_place)


def test_torch() -> None:
    assert result("torch", "subtract", lw.bool, lw.int32) == "--"
    assert result("torch", "square", lw.bool) == "int64"
    assert result("torch", "all", lw.uint8) == "uint8"
    assert result("torch", "mean", lw.int32) == "--"
    assert result("torch", "abs", lw.Dtype("complex32")) == "float16"
    assert result("torch", "hstack", lw.int8, O(lw.int16, zero_dim=True)) == "int16"
    assert result("torch", "where", lw.bool, lw.int8, O(lw.int16, zero_dim=True)) == "int8"
    assert result("torch", "float_power", lw.uint16, lw.int8) == "float64"
    assert result("torch", "ldexp", lw.float16, lw.uint8) == "float16"
    assert result("torch", "pow", lw.int32, -1) == "--"
    assert result("torch", "pow", lw.float32, -1) == "float32"
    with lw.using(default_float="float64"):
        assert result("torch", "divide", lw.int8, lw.int8) == "float64"


# --- the others --------------------------------------------------------------------------------------------------


def test_numpy() -> None:
    assert result("numpy", "divide", lw.int8, lw.int8) == "float64"
    assert result("numpy", "atan2", lw.int8, lw.uint8) == "float16"
    assert result("numpy", "sin", lw.int16) == "float32"
    assert result("numpy", "add", lw.int16, lw.bfloat16) == "float32"  # where result_type refuses
    assert result("numpy", "where", lw.bool, lw.int16, lw.bfloat16) == "--"
    assert result("numpy", "add", lw.bfloat16, float) == "float32"
    assert result("numpy", "matmul", lw.bfloat16, lw.bfloat16) == "float32"
    assert result("numpy", "sum", lw.uint8) == "uint64"
    assert result("numpy", "floor_divide", lw.bool, lw.bool) == "int8"
    assert result("numpy", "add", lw.int8, 300) == "--"
    assert result("numpy", "less", lw.int8, 300) == "bool"
    assert result("numpy", "less", lw.bool, 2**70) == "--"
    assert result("numpy", "pow", lw.int8, -1) == "--"
    assert result("numpy", "add", lw.int8, lw.int16, in_place=True) == "int8"
    assert result("numpy", "add", lw.int8, lw.float32, in_place=True) == "--"
    assert result("numpy1", "divide", lw.int8, lw.int8) == "float64"


def test_paddle_in_place_and_the_quotient_of_no_dimensions() -> None:
    """x += y makes a new x there; and a quotient with a Python complex is complex64 where no array has dimensions."""
    assert result("paddle", "add", lw.float32, lw.complex64, in_place=True) == "complex64"
    assert result("paddle", "add", lw.float32, lw.int32, in_place=True) == "--"
    for pair, expected in {
        (O(lw.float64, zero_dim=True), 1j): "complex64", (1j, O(lw.complex128, zero_dim=True)): "complex64",
        (lw.float64, 1j): "complex128", (O(lw.float64, zero_dim=True), lw.complex128): "complex128",
    }.items():  # fmt: skip
        assert result("paddle", "divide", *pair) == expected, pair
    assert result("paddle", "multiply", O(lw.float64, zero_dim=True), 1j) == "complex128"
    x = lw.ones(1, dtype=lw.float32)
    with lw.using(rules="paddle"), pytest.raises(TypeError, match="would have to change the array's dtype"):
        x += lw.ones(1, dtype=lw.float64)


def test_numpy_in_place_live() -> None:
    import numpy as np

    for a in "bool int8 uint8 int64 uint64 float16 float64 complex64".split():
        for b in "bool int8 uint8 int64 uint64 float16 float64 complex64".split():
            x = np.ones(2, a)
            try:
                np.multiply(x, np.ones(2, b), out=x)
                theirs = a
            except TypeError:
                theirs = "--"
            assert result("numpy", "multiply", lw.Dtype(a), lw.Dtype(b), in_place=True) == theirs, (a, b)


def test_jax() -> None:
    weak = O(lw.int32, weak=True)
    assert result("jax", "divide", lw.int32, lw.int32) == "float32"
    assert result("jax", "divide", lw.int64, lw.int64) == "float64"
    assert result("jax-x32", "divide", lw.int64, lw.int64) == "float32"
    assert result("jax", "pow", lw.bool, int) == "int32"
    assert result("jax", "pow", float, lw.int8) == "float64"
    assert result("jax", "matmul", weak, weak) == "int64*"
    assert result("jax", "matmul", lw.int8, weak) == "--"
    assert result("jax", "equal", weak, weak) == "bool*"
    assert result("jax", "log2", weak) == "float32" and result("jax", "log", weak) == "float32*"
    assert result("jax", "cumulative_sum", lw.int8) == "int64" and result("jax", "cumulative_prod", lw.int8) == "int8"
    assert result("jax", "add", lw.int8, lw.float32, in_place=True) == "float32"  # x += y makes a new x


def test_tensorflow() -> None:
    assert result("tensorflow", "add", lw.int32, lw.int64) == "--"
    assert result("tensorflow", "divide", lw.int8, lw.int8) == "float32"
    assert result("tensorflow", "divide", lw.int32, lw.int32) == "float64"
    assert result("tensorflow", "add", lw.bool, lw.bool) == "--"
    assert result("tensorflow", "sin", lw.int32) == "--"
    assert result("tensorflow", "mean", lw.int32) == "int32"
    assert result("tensorflow", "matmul", lw.bfloat16, lw.float32) == "float32"
    assert result("tensorflow-all", "add", lw.int32, lw.float32) == "float32"
    assert result("tensorflow-all", "less", lw.int32, lw.float32) == "--"
    assert result("tensorflow-numpy", "add", lw.int32, lw.float32) == "float64"


# --- asking ------------------------------------------------------------------------------------------------------


def test_explain_an_operation() -> None:
    found = lw.explain(lw.int16, lw.int32, rules="numpy", operation="sin")
    assert found.dtype is None or found.operation == "sin"
    found = lw.explain(lw.int16, lw.int32, rules="torch", operation="divide")
    assert found.dtype is lw.float32 and found.as_dict()["operation"] == "divide"
    assert str(found).startswith("divide(int16, int32) -> float32 under torch: true divide: int32 is computed in")
    for rules, wide in (("numpy", "uint64"), ("torch", "int64"), ("jax", "uint64"), ("unified", "uint32")):
        found = lw.explain(lw.uint8, rules=rules, operation="sum")  # no sum that wraps around at 255
        assert f"computed in uint8, accumulated in {wide}" in str(found)
    assert "accumulated" not in str(lw.explain(lw.uint8, rules="tensorflow", operation="sum"))
    found = lw.explain(lw.bool, lw.int32, rules="torch", operation="subtract")
    assert found.dtype is None and "takes no bool" in str(found) and "way out: cast x1 to int32" in str(found)
    assert "gives way" in str(lw.explain(lw.int8, 1, rules="torch", operation="add"))


def test_diff_of_an_operation() -> None:
    found = lw.diff_rules("torch", "numpy", [lw.int8, lw.int32], operation="divide")
    assert found.rows[0] == (lw.int8, lw.int8, lw.float32, lw.float64) and found.compared == 4
    one = lw.diff_rules("torch", "jax", [lw.int64], operation="sin")
    assert one.rows == ((lw.int64, None, lw.float32, lw.float64),) and "int64" in str(one)
    assert one.as_dict()["rows"][0]["b"] == ""


def test_operation_result_under_the_active_rules() -> None:
    assert lw.operation_result("sum", lw.int8) is lw.int32
    with lw.using(rules="torch"):
        assert lw.operation_result("sum", lw.int8) is lw.int64
        assert lw.operation_result("add", lw.ones(2), 1.5) is lw.float32
    assert lw.operation_result("sum", "int8", dtype="float64", rules="torch") is lw.float64


def test_families_are_loaded_when_they_are_asked_for() -> None:
    code = "import sys, latticework as lw; lw.ones(2) + 1; print('latticework.promotion.families.torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert {p.stem for p in Path(families.__file__).parent.glob("*.py")} >= {RULES[n].families for n in NAMES}


# --- the command -------------------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    testing = pytest.importorskip("typer.testing")
    from latticework.cli.app import app

    done = testing.CliRunner().invoke(app, [*arguments], env={"COLUMNS": "100", "NO_COLOR": "1"})
    return done.exit_code, done.output


def test_promote_an_operation() -> None:
    lines = run("promote", "int32", "int32", "--operation", "divide", "--rules", "torch,jax,numpy")[1].splitlines()
    assert lines[0] == "divide(int32, int32)"
    assert [line.split()[:2] for line in lines[1:]] == [["torch", "float32"], ["jax", "float32"], ["numpy", "float64"]]
    told = json.loads(run("promote", "int8", "--operation", "sum", "--rules", "torch,unified", "--json")[1])
    assert told["operation"] == "sum" and [a["dtype"] for a in told["answers"]] == ["int64", "int32"]
    assert told["answers"][0]["computed"] == "int8" and told["answers"][0]["family"] == "sum"
    assert "takes no bool" in run("promote", "bool", "bool", "--operation", "subtract", "--rules", "torch")[1]
    code, output = run("promote", "int8", "--operation", "summ")
    assert code == 2 and "did you mean 'sum'?" in output


def test_table_diff_and_explain_of_an_operation() -> None:
    table = json.loads(run("table", "torch", "--operation", "divide", "--json")[1])
    assert table["table"][1][1] == "float32" and table["operation"] == "divide"
    lines = run("table", "torch", "--operation", "sum")[1].splitlines()
    assert [line.split() for line in lines if line.startswith("i8 ")] == [["i8", "i64"]]
    assert "104 pairs differ" in run("diff", "torch", "numpy", "--operation", "divide")[1]
    lines = run("diff", "torch", "numpy", "--operation", "sin")[1].splitlines()
    assert any(line.split() == ["i32", "f32"] for line in lines)
    listed = run("diff", "torch", "numpy", "--operation", "sin", "--list")[1].splitlines()
    assert ["int32", "float32", "float64"] in [line.split() for line in listed]
    assert "true divide" in run("explain", "int16", "1", "--operation", "divide", "--rules", "torch")[1]
    assert run("table", "torch", "--operation", "nothing")[0] == 2
    assert run("diff", "torch", "jax", "--operation", "nothing")[0] == 2
