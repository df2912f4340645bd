"""Calls that signatures allow, in frameworks and in their dialects: some of them, and the tool that makes all."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import calls_by_signature as tool
from calls_by_signature import AGREES, DIFFERS, Call, Outcome
from dialect_answers import Refusal

import latticework as lw


def test_texts_have_each_form() -> None:
    def function(x: Any, y: Any, axis: Any = None, *, keepdims: bool = False) -> None: ...

    side = tool.Side("tensorflow", (), {}, {"axis": "axis"}, "tf.*", {})
    found = tool.texts(side, "tf.function", function)
    wanted = "x, y|r, r|u, v|x, 2|[1.5, 2.0], y|x, y, axis=-1|x, y, 0|x=x, y=y|x, y, axis=0, keepdims=False"
    assert {f"tf.function({arguments})" for arguments in wanted.split("|")} <= {*found}
    assert len(found) == len({*found})
    assert "tf.function(x, y, -1)" in found
    assert "tf.function(x, y, None, True)" not in found


def test_smaller_share_is_part_of_larger() -> None:
    def function(x: Any, y: Any) -> None: ...

    pytest.importorskip("tensorflow")
    side = tool.side("tensorflow")
    few, many = (tool.calls(side, "tf.function", function, most, seed=0) for most in (20, 200))
    assert many[:20] == few
    assert len({*many}) == 200
    assert {c.dtype for c in many} == {*tool.DTYPES}
    assert any(c.dtype != c.other for c in many)


def test_list_is_held_to(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text(
        "# a remark\na reason:\n    f(x, 2)  int8 int16:bool\n    g(x, *)  uint*\n    h(x)\n"
    )
    rows = tool.listed("some", tmp_path)
    assert [row.reason for row in rows] == ["a reason"] * 3
    assert [row.exact for row in rows] == [True, False, False]
    listed = Outcome(Call("f(x, 2)", "int16", "bool"), DIFFERS)
    unlisted = Outcome(Call("f(x, 2)", "int16", "int16"), DIFFERS)
    agreeing = Outcome(Call("f(x, 2)", "int8", "int8"), AGREES)
    starred = Outcome(Call("g(x, [1])", "uint8", "uint8"), AGREES)
    assert tool.judge(rows, [listed, unlisted], whole=True) == ([unlisted], [])
    assert tool.judge(rows, [agreeing, starred], whole=False) == ([], ["f(x, 2)  int8"])
    assert tool.judge(rows, [starred], whole=True) == ([], ["g(x, *)"])
    differing = starred._replace(call=Call("g(x, 1)", "uint16", "uint16"), kind=DIFFERS)
    assert tool.judge(rows, [starred, differing], whole=True) == ([], [])


def test_what_is_recorded_is_read(tmp_path: Path) -> None:
    new = [Outcome(Call("f(x, y)", "int8", other), DIFFERS) for other in ("int8", "bool")]
    tool.record("some", new, tmp_path)
    (row,) = tool.listed("some", tmp_path)
    assert (row.text, row.dtypes, row.reason) == ("f(x, y)", ("int8", "int8:bool"), tool.NOT_LISTED)
    assert all(row.holds(one.call) for one in new)


#: How many calls each of some functions meet here, of those that `make calls` makes.
PART, CALLS = 16, 1


@pytest.mark.in_turn
@pytest.mark.parametrize("name", tool.SIDES)
def test_calls_agree_but_for_what_is_listed(name: str) -> None:
    pytest.importorskip(name)
    side = tool.side(name)
    functions = [*tool.functions(side)[0].items()][::PART]
    wanted = [tool.calls(side, function, body, CALLS, seed=0) for function, body in functions]
    with lw.using(backend="numpy"):
        found = [Outcome(call, *tool.outcome(side, call)) for made in wanted for call in made]
    verdict = tool.judge(tool.listed(name), found, whole=False)
    assert sum(one.kind == AGREES for one in found) > 10
    assert ([*map(str, verdict.new)], verdict.agreeing) == ([], [])


def test_each_line_of_a_list_has_a_reason() -> None:
    for file in tool.LISTS.glob("*.txt"):
        rows = tool.listed(file.stem)
        assert rows
        assert not [row for row in rows if row.reason in ("", tool.NOT_LISTED)]


def test_accident_is_no_error_to_agree_with() -> None:
    pytest.importorskip("jax")
    side = tool.side("jax")
    refused = Call("lax.slice_in_dim(None, 0, 1)", "float32", "float32")
    assert tool.outcome(side, refused) == (tool.REFUSED, "")
    assert not side.accident(Refusal(("TypeError",), "add requires ndarray or scalar arguments, got a list"))
    assert side.accident(Refusal(("AttributeError",), "no attribute"))
