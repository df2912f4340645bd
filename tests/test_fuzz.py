"""The fuzzing tools: a small part of what they run, the bugs that they have to find, and what they print."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import comparing
import fuzz
import programs
from comparing import Program, Statement, compare

import latticework as lw
from latticework.contents import CHAPTERS
from latticework.core.registry import OPS

#: Without conversions between backends, which would import them all.
NAMES = tuple(name for name in fuzz._weighted() if name != "conversion")
PROGRAM = Program((Statement("x = lw.asarray([1.0, 2.0])", ("x",)), Statement("r = lw.negative(x)", ("r",))), {})


def calls(dice: random.Random) -> Program:
    return fuzz.program(dice, NAMES)


@pytest.mark.needs("torch")
@pytest.mark.parametrize(("make", "count"), [(calls, 300), (programs.program, 40)])
def test_numpy_and_torch_agree(make: Any, count: int) -> None:
    verdicts, findings = comparing.series(make, "torch", 1, range(count))
    assert not findings, "\n".join(f"# {f.different.how}\n{f.program.text('torch')}" for f in findings)
    assert verdicts["equal"] > count / 3, "most calls are of what functions take"


def test_every_parameter_has_something_to_draw() -> None:
    assert not fuzz.without_arguments()
    assert not {*fuzz.functions()} & {*fuzz.left_out()}
    assert {*fuzz.functions()} >= {"add", "arccos", "linalg.inv", "fft.fft", "einsum"}


def test_each_function_is_drawn_or_left_out_with_a_reason() -> None:
    chapters = ("api.transformations", "api.control_flow")
    names = {name for name in OPS if not name.rpartition(".")[2].startswith("_")}
    names |= {name for chapter in chapters for name in CHAPTERS[chapter].split()}
    assert names <= {*fuzz.functions(), *fuzz.left_out()}
    exists = {name for chapter in CHAPTERS.values() for name in chapter.split()} | names
    assert {*fuzz.left_out()} <= exists, "names that are no functions any more"
    assert sum(len(text.split()) for text in fuzz.LEFT_OUT.values()) == len(fuzz.left_out()), "a name has one reason"


def test_a_series_is_the_same_each_time() -> None:
    for make in (calls, programs.program):
        first, again, other = (comparing.program_of(make, seed, 3) for seed in (1, 1, 2))
        assert first == again != other


def another(r: lw.Array) -> lw.Array:
    """An array that says float32, of native float64."""
    wrong = lw.asarray(r, copy=True)
    wrong._data = lw.astype(r, lw.float64)._data
    return wrong


@pytest.mark.needs("torch")
@pytest.mark.parametrize(
    ("plant", "what"),
    [
        (lambda x, r: r + 1, "value"),
        (lambda x, r: r * float("nan"), "value"),
        (lambda x, r: lw.astype(r, lw.float64), "dtype or shape"),
        (lambda x, r: r[None], "dtype or shape"),
        (lambda x, r: (r, r), "dtype or shape"),
        (lambda x, r: another(r), "label"),
        (lambda x, r: x.__setitem__(0, 5.0) or r, "operand"),
        (lambda x, r: 1 / 0, "error"),
        (lambda x, r: r, ""),
    ],
)
def test_planted_bugs_are_found(monkeypatch: pytest.MonkeyPatch, plant: Any, what: str) -> None:
    negative = lw.negative

    def broken(x: lw.Array) -> Any:
        return plant(x, negative(x)) if x.backend == "torch" else negative(x)

    monkeypatch.setattr(lw, "negative", broken)
    found = compare(PROGRAM, "torch").different
    assert (found.what if found else "") == what
    if found:
        assert "negative" in PROGRAM.statements[found.index].text


@pytest.mark.needs("torch")
def test_errors_are_compared_by_class_and_wording(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(x: lw.Array) -> None:
        raise ValueError(f"negative: no number on {x.backend}{extra[x.backend]}")

    monkeypatch.setattr(lw, "negative", refuse)
    extra = {"numpy": "", "torch": ""}
    assert compare(PROGRAM, "torch").verdict == "the same error"
    extra["torch"] = ", or so"
    found = compare(PROGRAM, "torch").different
    assert found is not None
    assert found.what == "wording"


@pytest.mark.needs("torch")
def test_writing_through_a_view_has_to_be_an_error() -> None:
    make, view = Statement("a = lw.zeros(3)", ("a",)), Statement("b = a[1:]", ("b",))
    write = Statement("b += 1", ("b", "a"), through_a_view=True)
    assert compare(Program((make, view, write), {}), "torch").verdict == "equal"
    assert compare(Program((make, view, write), {}), "dask").verdict == "writing to what would be a view"
    copied = Statement("b = a[1:].copy()", ("b",))
    found = compare(Program((make, copied, Statement("b = a[1:]", ("b",)), Statement("b += 1", ("b",))), {}), "dask")
    assert found.different is not None, "an error that the program does not expect"


@pytest.mark.needs("torch")
def test_a_difference_is_printed_as_a_short_program_that_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    negative = lw.negative
    monkeypatch.setattr(lw, "negative", lambda x: negative(x) + (x.backend == "torch"))
    needless = Statement("y = lw.zeros(7)", ("y",))
    program = PROGRAM._replace(statements=(needless, *PROGRAM.statements, needless))
    found = compare(program, "torch").different
    assert found is not None
    text = comparing.shortened(program, "torch", found).text("torch")
    assert "lw.zeros" not in text
    printed: list[Any] = []
    exec(text, {"print": lambda *x: printed.append(x)})
    assert [str(r) for _, r in printed] == ["Array([-1., -2.], dtype=float32)", "Array([ 0., -1.], dtype=float32)"]


def crashing(dice: random.Random) -> Program:
    text = "__import__('os')._exit(3)" if dice.random() < 0.2 else "r = lw.ones(2)"
    return Program((Statement(text, ("r",)),), {})


def test_a_crash_is_a_finding_and_the_series_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    crash = next(n for n in range(99) if "_exit" in comparing.program_of(crashing, 1, n).statements[0].text)
    verdicts, findings = comparing.watched(crashing, "numpy", 1, crash + 1, lambda done: None)
    assert [(f.number, f.different.what) for f in findings] == [(crash, "crash")]
    assert verdicts == {"equal": crash, "different": 1}
