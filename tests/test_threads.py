"""Threads that make the same first calls at the same moment: what is kept for a call is made by several at once."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from threads_program import ROUNDS, THREADS

import latticework as lw
from latticework.frontends.calls.remembered import remembered
from latticework.frontends.numpy.base import dialect

HERE = Path(__file__).parent


def test_first_calls_of_eight_threads() -> None:
    """In a process of its own, where no call was made before."""
    done = subprocess.run(
        [sys.executable, "threads_program.py"],
        capture_output=True, text=True, cwd=HERE, check=False, timeout=300,
        env=os.environ | {"PYTHONPATH": str(HERE.parent / "src")},
    )  # fmt: skip
    assert done.stdout.endswith(" calls\n") and done.stdout.count("\n") == 1, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) >= 80 * ROUNDS * THREADS


def test_no_call_is_made_before_a_function_has_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that comes while another makes the memory waits: it would call the first code again, which calls it."""

    def body(x: Any, scale: Any = 2) -> Any:
        return dialect.wrap(lw.multiply(x._array, scale))

    f: Any = remembered(dialect, body)
    x, others, code_of = dialect.wrap(lw.asarray([1.0, 2.0])), list[Any](), remembered.__globals__["code_of"]

    def slowly(*args: Any, **options: Any) -> Any:
        if not others:
            others.append(pool.submit(f, x))
            with pytest.raises(TimeoutError):  # it waits, and has not failed
                others[0].result(0.2)
        return code_of(*args, **options)

    monkeypatch.setitem(remembered.__globals__, "code_of", slowly)
    with ThreadPoolExecutor(1) as pool:
        assert f(x).tolist() == [2.0, 4.0]
        assert others[0].result(60).tolist() == [2.0, 4.0]
