"""`lw.audit`: where rule sets and backends part ways, by line and expression, and the cast that settles it."""

from __future__ import annotations

import importlib.util
import json
import linecache
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401 - NumPy has bfloat16 from it
import numpy as np
import pytest
from test_abstract import CASES

import latticework as lw
from latticework.auditing.losses import loss_of_cast, loss_of_sum
from latticework.auditing.run import FRAMEWORKS
from latticework.auditing.run import words_of as described
from latticework.auditing.specs import parse
from latticework.errors import PromotionError

THREE = ("unified", "numpy", "torch")
RULES = ("unified", "strict", "numpy", "torch", "jax")


def loaded(path: Path) -> Callable[..., Any]:
    """The function `program` of a file."""
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = module.program
    return function


def written(folder: Path, body: str, name: str = "program.py", imports: str = "import latticework as lw") -> Path:
    path = folder / name
    path.write_text(f"{imports}\n\n\ndef program(x, y):\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    return path


def audited(folder: Path, body: str, x: str = "int32[3]", y: str = "float16[3]", **options: Any) -> lw.Audit:
    args, _ = parse(f"{x} {y}")
    return lw.audit(loaded(written(folder, body)), *args, **options)


def told(found: lw.Audit) -> list[tuple[int, str, str, bool]]:
    return [(f.place.line, f.operation, f.place.expression, f.follows) for f in found.findings]


def results(finding: Any) -> dict[str, str]:
    return {o.run: "refused" if o.error else " ".join(o.results) for o in finding.outcomes}


# --- what is found ----------------------------------------------------------------------------------------------------


def test_the_first_divergence_is_named_and_what_follows_from_it_is_told_apart(tmp_path: Path) -> None:
    found = audited(tmp_path, "a = x / 2\nb = a + 1.5\nc = y * y\nreturn lw.mean(b), lw.sum(x), c", rules=THREE)
    assert told(found) == [
        (5, "divide", "x / 2", False),
        (6, "add", "a + 1.5", True),
        (8, "mean", "lw.mean(b)", True),
        (8, "sum", "lw.sum(x)", False),
    ]
    assert results(found.findings[0]) == {"unified": "float32", "numpy": "float64", "torch": "float32"}
    assert results(found.findings[3]) == {"unified": "int32", "numpy": "int64", "torch": "int64"}
    assert found.operations == 5
    assert not found.agrees


def test_an_operation_of_its_own_is_found_behind_another(tmp_path: Path) -> None:
    """The operands of the second division differ, and on equal ones it parts ways as well."""
    found = audited(tmp_path, "n = lw.asarray([1, 2])\nreturn n / 2", rules=THREE)
    assert told(found) == [(5, "asarray", "lw.asarray([1, 2])", False), (6, "divide", "n / 2", False)]


def test_programs_that_agree(tmp_path: Path) -> None:
    found = audited(tmp_path, "z = lw.astype(x, lw.float16) * y\nz[0] = 1\nreturn z[[0, 1]] + 2.0, lw.abs(z) > 1")
    assert found.agrees, str(found)
    assert found.runs == FRAMEWORKS
    assert "all agree" in str(found)
    assert (found.own_casts, found.casts, found.patch) == (1, (), "")
    assert {result for _, result in found.results} == {"(float16[2], bool[3])"}


def test_a_run_goes_on_after_a_refusal(tmp_path: Path) -> None:
    found = audited(
        tmp_path, "a = x + y\nb = lw.sum(lw.astype(a, lw.int8))\nreturn b, x / 2", rules=("torch", "strict")
    )
    assert told(found)[0] == (5, "add", "x + y", False)
    assert results(found.findings[0]) == {"torch": "float16", "strict": "refused"}
    assert "no common dtype under the strict rules" in found.findings[0].outcomes[1].error
    assert [f.operation for f in found.findings] == ["add", "sum", "divide"]
    assert not found.stops
    x, y = lw.spec(3, "int32"), lw.spec(3, "float16")
    with lw.using(rules="strict"), pytest.raises(PromotionError):  # no kernel of the refused call is kept
        lw.infer(lambda x, y: x + y, x, y)


def test_a_python_int_that_does_not_fit_and_an_assignment_are_refusals(tmp_path: Path) -> None:
    found = audited(tmp_path, "a = x + 300\nx[0] = y[0]\nreturn a", "uint8[3]", rules=("numpy", "torch"))
    add, assignment = found.findings
    assert results(add) == {"numpy": "refused", "torch": "uint8"}
    assert "300" in add.outcomes[0].error
    assert (assignment.operation, assignment.place.expression) == ("setitem", "x[0]")
    assert {o.run for o in assignment.refused} == {"numpy"} or len(assignment.refused) == 2


def test_what_needs_values_stops_the_run_at_its_line(tmp_path: Path) -> None:
    found = audited(tmp_path, "a = x / 2\nif a[0] > 0:\n    return a\nreturn x", rules=THREE)
    assert told(found) == [(5, "divide", "x / 2", False), (6, "getitem", "a[0]", True)]
    (stop,) = found.stops
    assert (stop.runs, stop.place and stop.place.line) == (THREE, 6)
    assert "asks for its value" in stop.error
    assert ":6:8: error: stopped under unified, numpy, torch: NoDataError" in str(found)


def test_a_loop_is_one_finding(tmp_path: Path) -> None:
    found = audited(tmp_path, "for _ in range(4):\n    a = x / 2\nreturn a", rules=THREE)
    assert [(f.operation, f.times) for f in found.findings] == [("divide", 4)]


def test_compositions_are_named_as_they_were_called(tmp_path: Path) -> None:
    found = audited(tmp_path, "return lw.linalg.norm(y), lw.average(x)", rules=THREE)
    assert [(f.operation, f.place.expression) for f in found.findings] == [("average", "lw.average(x)")]


def test_a_backend_refuses_what_it_has_no_routine_for() -> None:
    def program(x: Any) -> Any:
        return lw.linalg.inv(x) + 1.0

    found = lw.audit(program, lw.spec((2, 2), "float16"), rules="unified", backends="numpy")
    assert found.runs == ("unified", "on numpy")
    (inverse,) = found.refusals
    assert results(inverse) == {"unified": "float16", "on numpy": "refused"}
    assert "there is no routine for float16" in inverse.outcomes[1].error
    assert not found.stops


def test_what_a_program_holds_is_left_as_it_was() -> None:
    seen: list[Any] = []

    def program(x: Any) -> Any:
        seen.append(x)
        return x + 1

    lw.audit(program, lw.asarray([1, 2]), rules=THREE)
    assert seen == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "nunpy"}, "did you mean 'numpy'"),
        ({"backends": "touch"}, "'torch'"),
        ({"rules": ()}, "nothing to run"),
    ],
)
def test_bad_names(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lw.audit(lambda x: x, lw.spec(3), **options)


def test_the_default_rules_are_each_framework_s_own() -> None:
    assert set(FRAMEWORKS) <= set(lw.rule_names())


def test_the_observer_is_told_of_what_has_no_kernel() -> None:
    """Of conversions, keys and assignments too, on arrays without data."""
    from latticework.engine.calls.observing import observer

    seen: list[str] = []

    def watch(p: Any, kernel: Any, args: Any, kw: Any) -> Any:
        seen.append(str(p).partition("  [")[0])
        return kernel(*args, **kw)

    def program(x: Any) -> Any:
        x[0] = lw.asarray(2)
        return x[lw.asarray([1, 0])]

    token = observer.set(watch)
    try:
        lw.infer(program, lw.spec(3, "int32"))
    finally:
        observer.reset(token)
    assert [text for text in seen if "astype" not in text] == [
        "asarray(Python int as int32) -> int32",
        "setitem(int32) -> int32",
        "asarray(Python int as int32) -> int32",
        "getitem(int32) -> int32",
    ]


def test_weak_arrays_are_told_as_such(tmp_path: Path) -> None:
    found = audited(tmp_path, "return lw.asarray(2) * y", rules=("jax", "torch", "numpy"))
    (multiply,) = found.findings
    assert results(multiply) == {"jax": "float16", "torch": "float16", "numpy": "float64"}
    assert [o.operands[0] for o in multiply.outcomes] == ["weak int64", "int64", "int64"]


DIFFERENTIAL = [call for name, calls in CASES.items() if name != "asarray" for call in calls][::3]


def test_each_run_gives_and_refuses_what_infer_does() -> None:
    """The recording changes nothing, and no function that there is stops it."""
    differ = []
    for call in DIFFERENTIAL:
        found = lw.audit(lambda *args, f=call.function, **kw: f(*args, **kw), *call.args, rules=RULES, **call.kw)
        assert str(found)
        assert json.loads(found.to_json())["runs"] == [*RULES]
        for rules, result in found.results:
            refused = {rules for f in found.findings for o in f.refused if o.run == rules}
            stopped = {rules for stop in found.stops if rules in stop.runs}
            with lw.using(rules=rules):
                try:
                    expected = described(lw.infer(call.function, *call.args, **call.kw))
                except Exception:  # whatever the function raises
                    expected = None
            if (expected is None) is not bool(refused | stopped) or expected not in (None, result):
                differ.append((call.function.__name__, call.args, rules, result, expected))
    assert not differ


# --- casts and losses -------------------------------------------------------------------------------------------------


def test_inserted_casts_and_what_they_lose(tmp_path: Path) -> None:
    found = audited(tmp_path, "z = lw.astype(y, lw.float32)\nreturn z + x, x * y", rules=("unified", "numpy"))
    told = {(c.operand, c.source, c.target, c.runs): c.loses for c in found.casts}
    assert told == {
        ("x", "int32", "float32", ("unified",)): "integers beyond 2**24 are rounded to 24 of 31 binary digits",
        ("x", "int32", "float16", ("unified",)): "numbers beyond 65504 become infinite, "
        "integers beyond 2**11 are rounded to 11 of 31 binary digits",
        ("z", "float32", "float64", ("numpy",)): "",
        ("x", "int32", "float64", ("numpy",)): "",
        ("y", "float16", "float64", ("numpy",)): "",
    }
    assert found.own_casts == 1


SMALL = "bool int8 uint8 int16 uint16 float16 bfloat16".split()
WIDE = "int32 uint32 float32 float64 complex64".split()


@pytest.mark.parametrize(("source", "target"), [*product(SMALL, SMALL + WIDE)])
def test_a_cast_loses_something_if_some_value_does_not_come_back(source: str, target: str) -> None:
    """All values of the dtypes of at most 16 bits, there and back."""
    bits = np.arange(2**8 if lw.Dtype(source).bits == 8 else 2**16)
    native = np.dtype(lw.Dtype(source))
    values = bits.astype(f"uint{native.itemsize * 8}").view(native) if source != "bool" else np.array([False, True])
    with np.errstate(all="ignore"):
        values = values[np.isfinite(values.astype("float64"))]
        there = values.astype(np.dtype(lw.Dtype(target)))
        back = there.astype("complex128") if target == "complex64" else there.astype("float64")
    assert (loss_of_cast(lw.Dtype(source), lw.Dtype(target)) == "") == bool(np.all(back == values.astype("float64")))


def test_wide_casts() -> None:
    assert loss_of_cast(lw.int64, lw.float32) == "integers beyond 2**24 are rounded to 24 of 63 binary digits"
    assert "beyond 2**8" in loss_of_cast(lw.int32, lw.bfloat16)
    assert loss_of_cast(lw.float64, lw.int64) != ""
    assert loss_of_cast(lw.complex64, lw.float32) == "imaginary parts are dropped"
    assert loss_of_cast(lw.int32, lw.float64) == loss_of_cast(lw.float32, lw.complex64) == ""


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32"])
@pytest.mark.parametrize("terms", [1, 2, 127, 2**16, 2**16 + 2, 2**24, 2**25])
def test_a_sum_wraps_around_if_the_largest_elements_do(dtype: str, terms: int) -> None:
    most = 1 if dtype == "bool" else int(lw.iinfo(dtype).max)
    assert (loss_of_sum("sum", lw.Dtype(dtype), lw.int32, terms) != "") == (most * terms > 2**31 - 1)
    assert loss_of_sum("sum", lw.Dtype(dtype), lw.int64, terms) == ""
    assert loss_of_sum("mean", lw.Dtype(dtype), lw.float32, terms) == ""


def test_sums_of_a_program(tmp_path: Path) -> None:
    found = audited(tmp_path, "return lw.sum(x), lw.sum(y > 0), x @ x", "int32[3]", rules=("unified", "torch"))
    assert [(s.operation, s.runs) for s in found.sums] == [("sum", ("unified",)), ("matmul", ("unified", "torch"))]
    assert "3 elements of int32 may be more than int32 holds" in found.sums[0].loses


# --- the cast that settles it -----------------------------------------------------------------------------------------

PROGRAMS = {
    "operators": "a = x / 2\na += x\nreturn a * y, y ** 2 + x",
    "creation": "n = lw.asarray([1, 2, 3])\nw = lw.zeros((2, 3), )\nreturn n * w + lw.arange(3), lw.ones(3) - y",
    "sums": "return lw.sum(x > 0), lw.mean(x), lw.cumulative_sum(x), lw.prod(lw.abs(x)), x.sum() + lw.var(y)",
    "nested": "return lw.sqrt(lw.sum((x - 1) / lw.mean(x / 3)) + lw.asarray(2)) - lw.concat([x, y])",
    "lines": "z = (\n        x\n        / 2\n    )\nreturn lw.where(z > 1, z, y), 2 - lw.exp(x), lw.stack((x, x / 7))",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_patch_makes_all_agree(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, PROGRAMS[name])
    args, _ = parse("int32[3] float16[3]")
    before = lw.audit(loaded(path), *args)
    assert before.findings
    assert all(f.fix is not None for f in before.findings if not f.follows), str(before)
    subprocess.run(["git", "apply"], input=before.patch, text=True, check=True)
    after = lw.audit(loaded(path), *args)
    assert not after.findings, str(after)
    assert not after.stops
    assert dict(after.results)["unified"] == dict(before.results)["unified"]


def test_a_run_that_refuses_every_cast_is_left_out(tmp_path: Path) -> None:
    """MAX has no complex numbers."""
    found = audited(tmp_path, "return x * y", "complex64[3]", "complex128[3]", rules=("numpy", "jax-x32", "max"))
    (multiply,) = found.findings
    assert results(multiply) == {"numpy": "complex128", "jax-x32": "complex64", "max": "refused"}
    assert multiply.fix is not None
    assert multiply.fix.without == ("max",)
    assert "in all of them but max, which refuse it with any cast" in str(found)


def test_an_operand_that_the_source_does_not_show_is_told_in_words(tmp_path: Path) -> None:
    found = audited(tmp_path, "both = [x, y]\nreturn lw.add(*both)", rules=THREE)
    assert found.findings[0].fix is not None
    assert found.findings[0].fix.text == "add with lw.astype(x1, lw.float16)"
    assert found.patch == ""


# --- text and JSON ----------------------------------------------------------------------------------------------------


def test_the_text(tmp_path: Path) -> None:
    found = audited(tmp_path, "return lw.exp(x / 2)", rules=THREE)
    path = tmp_path / "program.py"
    counts = "1 part ways, 0 refused, 1 that follow; 1 settled by a cast. 1 casts inserted, 0 of its own"
    assert str(found).splitlines() == [
        f"{path}:5:19: error: divide: result dtypes part ways: float32 under unified, torch; float64 under numpy",
        " 5 |     return lw.exp(x / 2)",
        "   |                   ^^^^^",
        "   = unified  int32, Python int -> float32  floating: int32 is computed in float32",
        "   = numpy    int32, Python int -> float64  true divide: int32 is computed in float64",
        "   = torch    int32, Python int -> float32  true divide: int32 is computed in float32",
        "   = help: lw.astype(x, lw.float32) / 2 is float32 in all of them",
        "",
        f"{path}:5:19: warning: divide: a cast that may lose values",
        " 5 |     return lw.exp(x / 2)",
        "   |                   ^^^^^",
        "   = unified, torch  x: int32 -> float32  integers beyond 2**24 are rounded to 24 of 31 binary digits",
        "",
        f"program: 2 operations under unified, numpy, torch. {counts}",
    ]


def test_letters_of_several_bytes_before_the_expression(tmp_path: Path) -> None:
    found = audited(tmp_path, 'print("żółw") if 0 else 0; a = x / 2\nreturn a', rules=THREE)
    assert found.findings[0].place.expression == "x / 2"
    assert "a = lw.astype(x, lw.float32) / 2" in found.patch


def test_the_representation_is_one_line(tmp_path: Path) -> None:
    found = audited(tmp_path, "return x / 2", rules=THREE)
    assert repr(found).startswith("<Audit program: 1 operations under unified, numpy, torch. 1 part ways")


def test_json(tmp_path: Path) -> None:
    found = audited(tmp_path, "return x / 2", rules=THREE)
    data = json.loads(found.to_json())
    assert data["agrees"] is False
    assert data["patch"] == found.patch
    (finding,) = data["findings"]
    assert (finding["place"]["line"], finding["place"]["expression"]) == (5, "x / 2")
    assert [o["results"] for o in finding["outcomes"]] == [["float32"], ["float64"], ["float32"]]
    assert finding["fix"]["dtype"] == "float32"


# --- arguments as text ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "args", "kw"),
    [
        ("int32[3,4] float16[4]", (lw.spec((3, 4), "int32"), lw.spec(4, "float16")), {}),
        (" int8[] bfloat16 ", (lw.spec((), "int8"), lw.spec((), "bfloat16")), {}),
        ("uint8[?, 3] 2 1.5 2j True", (lw.spec((None, 3), "uint8"), 2, 1.5, 2j, True), {}),
        (
            "weak:float32[2] axis=(0, 1) mode='a b'",
            (lw.spec(2, "float32", weak=True),),
            {"axis": (0, 1), "mode": "a b"},
        ),
        ("-1 None x=int32[1]", (-1, None), {"x": lw.spec(1, "int32")}),
        ("", (), {}),
    ],
)
def test_arguments(text: str, args: tuple[Any, ...], kw: dict[str, Any]) -> None:
    assert parse(text) == (args, kw)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int33[3]", "did you mean 'int3"),
        ("flaot32[3]", "did you mean 'float32'"),
        ("int32[a]", "a in int32\\[a\\] is no extent"),
        ("int32[3,,4]", "an empty extent"),
        ("int32[3", "no other half"),
        ("axis=0 int32[3]", "stands after one that has"),
        ("x + y", "x is no dtype and no Python value"),
    ],
)
def test_arguments_that_do_not_read(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)
