"""Long work has a bar in a terminal, with what is being done and how long it may take, and is quiet elsewhere."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pty = pytest.importorskip("pty", reason="needs pseudo-terminals, which this system has not")

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import comparing
import conformance
import run_tests

from latticework.cli import output

#: Long work on little: a command or tool of each kind, and what its bar says.
LONG = {
    "probe": (["-m", "latticework", "probe", "numpy", "--function", "add", "--function", "exp"], "Measuring numpy"),
    "differential": (["tools/differential.py", "--show", "0"], "what is recorded of operations"),
}
#: What ends a step of the bar: a count, or a percentage, and the time that is left.
BAR = re.compile(r"(\d+/\d+|\d+%)\s+(-:--:--|\d+:\d\d:\d\d)")


def environment() -> dict[str, str]:
    kept = {n: v for n, v in os.environ.items() if n not in ("NO_COLOR", "FORCE_COLOR", "CI", "COLUMNS")}
    return kept | {"TERM": "xterm-256color", "COLUMNS": "160", "TF_CPP_MIN_LOG_LEVEL": "3"}


def in_a_terminal(arguments: list[str]) -> tuple[str, str]:
    """What a program writes to a file as standard output, and to a terminal as standard error."""
    terminal, end = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=end, text=True
        ) as process:
            os.close(end)
            seen = b""
            while part := _read(terminal):
                seen += part
            assert process.stdout is not None
            return process.stdout.read(), seen.decode()
    finally:
        os.close(terminal)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # what Linux raises where nobody writes any more
        return b""


@pytest.mark.parametrize("work", LONG)
def test_a_bar_in_a_terminal_and_none_elsewhere(work: str) -> None:
    arguments, says = LONG[work]
    written, errors = in_a_terminal(arguments)
    assert says in errors and BAR.search(re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", errors))
    assert "\x1b" not in written and len(written) > 20
    if work == "probe":  # the tools use the same bar
        command = [sys.executable, *arguments]
        quiet = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
        assert (quiet.stdout, quiet.stderr) == (written, "")


def test_steps_are_counted_and_what_is_printed_stays_where_it_was_sent() -> None:
    program = """
from latticework.cli.output import working
with working("Trying", 3) as step:
    for name in ("one", "two [x]", "three"):
        step(name)
        print("result of", name)
"""
    written, errors = in_a_terminal(["-c", program])
    assert written == "result of one\nresult of two [x]\nresult of three\n"
    assert "Trying" in errors and "2/3" in errors and "three" in errors


class Steps:
    """What stands for `working` and `bar`: it keeps what they are told."""

    def __init__(self) -> None:
        self.what, self.total, self.seen = "", 0.0, list[Any]()

    @contextmanager
    def __call__(self, what: str, total: float, **options: Any) -> Iterator[Any]:
        self.what, self.total = what, total
        yield lambda *told: self.seen.append(told)


def test_random_calls_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    steps = Steps()
    monkeypatch.setattr(comparing, "bar", steps)
    monkeypatch.setattr(comparing, "watched", lambda *args: (args[-1](40), (Counter(equal=40), []))[1])
    arguments = comparing.options("", calls=40).parse_args(["--backends", "torch", "--seed", "7"])
    assert comparing.main(lambda dice: None, arguments, "calls") == 0
    assert (steps.what, steps.total, steps.seen) == ("Comparing calls on torch", 40, [(40, "seed 7")])
    assert "40 calls compared with numpy" in capsys.readouterr().out


def test_the_suite_has_a_step_for_each_backend_and_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps, failing = Steps(), (Counter(passed=3, failed=1, skipped=0), {"test_a::test_b": "why"})
    monkeypatch.setattr(output, "working", steps)
    monkeypatch.setattr(conformance, "run", lambda suite, backend, seed, options: failing)
    options = argparse.Namespace(backend=["numpy", "torch"], seed=[0, 1], suite=None)
    monkeypatch.setattr(conformance, "parse", lambda arguments: options)
    assert conformance.main([]) == 1
    assert steps.total == len(steps.seen) == 4 and steps.seen[-1] == ("torch, seed 1",)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "numpy, seed 0: 3 passed, 1 failed, 0 skipped in 0 s"
    assert lines[2:4] == ["  test_a::test_b  (seed 0, 1)", "      why"]


def test_the_tests_are_weighed_by_how_long_they_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tests, "LASTED", tmp_path / "cache" / "run_tests.json")
    assert run_tests.lasted(["jax", "numpy"], "test") == {"jax": 60, "numpy": 60}
    run_tests.keep([run_tests.Run("jax", 0, "", 300.0, 290.0), run_tests.Run("core", 0, "", 100.0, 99.0)], "test")
    run_tests.keep([run_tests.Run("jax", 0, "", 900.0, 1.0)], "--sweep")
    weights = run_tests.lasted(["jax", "core", "torch"], "test")
    assert weights == {"jax": 300, "core": 100, "torch": 200}
    assert run_tests.lasted(["jax"], "--sweep") == {"jax": 900}
    shown: list[Any] = []
    board = run_tests.Board(weights, lambda done, now: shown.append((done, now)))
    for name, share in (("jax", 0.0), ("core", 0.0), ("jax", 0.5), ("core", 1.0), ("torch", 0.25)):
        board.at(name, share)
    assert shown[2:] == [(150, "jax 50%, core 0%"), (250, "jax 50%"), (300, "jax 50%, torch 25%")]


def test_a_process_of_tests_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    lines = "tests/test_a.py ....     [ 40%]\ntests/test_b.py .F    [100%]\n1 failed, 5 passed in 0.1s"
    seen: list[float] = []
    program = f"print({lines!r}); raise SystemExit(1)"
    found = run_tests.run(run_tests.Job("core", ["-c", program]), {}, lambda name, share: seen.append(share))
    assert seen == [0.0, 0.4, 0.99, 1.0]
    assert (found.code, found.closing) == (1, "1 failed, 5 passed in 0.1s")
    assert capsys.readouterr().out.startswith("core      | tests/test_a.py ....")


def test_a_process_that_fails_without_a_failed_test_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    lines = f"tests/test_a.py .   [100%]\nkernels    20 of 10  {run_tests.REASON} in tests/budget.py\n1 passed in 0.1s"
    found = run_tests.run(run_tests.Job("jax", ["-c", f"print({lines!r}); raise SystemExit(1)"]), {})
    assert found.reason == "kernels 20 of 10 MORE THAN THE BUDGET in tests/budget.py"
    assert f"FAILED, exit code 1: {found.reason}; 1 passed" in str(found)
    silent = run_tests.run(run_tests.Job("jax", ["-c", "print('1 passed in 0.1s'); raise SystemExit(3)"]), {})
    assert "FAILED, exit code 3: its own output says why; 1 passed" in str(silent)
    assert "FAILED" not in str(found._replace(code=0)) + str(found._replace(closing="1 failed in 0.1s", reason=""))
    assert capsys.readouterr().out.count("jax       |") == 2


def test_tests_of_the_suite_that_took_too_long_are_counted_apart() -> None:
    case = '<testcase classname="a.b" name="c"><failure message="{}"/></testcase>'
    messages = ("limited.Stopped: 20 seconds of the processor", "AssertionError: limited.Stopped")
    report = ElementTree.fromstring(f"<testsuite>{''.join(map(case.format, messages))}</testsuite>")
    counts, failures = conformance.read(report)
    assert counts == {"passed": 0, "failed": 1, "skipped": 0, "stopped": 1}
    assert list(failures) == ["b::c"]
