"""What the pytest plugins of `tools/upstream.py` share: loading tests by statements, what is out, and outcomes.

A plugin imports the functions that pytest calls (`pytest_...`), and says with `judged_by` which
rules tell that a test needs what the dialect leaves out.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import signal
from collections.abc import Generator
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import pytest

import latticework as lw

#: A test that takes longer is ended, and has failed.
SECONDS = 120


class Missing:
    """Stands for a name that the dialect does not have, where a module of tests asks for it while it is loaded."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._error

    def __call__(self, *args: Any, **kw: Any) -> Any:
        raise self._error

    def _stays(self, *args: Any) -> Any:
        if told.collected:
            raise self._error
        return self

    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _stays

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._error

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return ()


def run_statement(statement: ast.stmt, module: ModuleType) -> None:
    """Run one statement of a module of tests. One that fails is noted, and the module's other tests are run."""
    code = compile(ast.Module([statement], []), str(module.__file__), "exec", dont_inherit=True)
    try:
        exec(code, module.__dict__)
    except Exception as error:
        name = getattr(statement, "name", None)
        if name is not None:
            note(f"{told.part}::{name}", message_of(error), ast.unparse(statement))


# --- what is out ----------------------------------------------------------------------------------------------------


def sources(item: pytest.Item) -> str:
    """The source of a test and of what it uses in its module, and its parameters."""
    function, module = item.function, item.module  # type: ignore[attr-defined]
    seen: dict[int, str] = {}

    def add(f: Any) -> None:
        f = inspect.unwrap(getattr(f, "__func__", f))
        if not isinstance(f, (FunctionType, type)) or id(f) in seen:
            return
        if getattr(f, "__module__", "") != module.__name__:
            return
        try:
            text = inspect.getsource(f)
        except (OSError, TypeError):
            return
        seen[id(f)] = text
        for name in set(re.findall(r"\b(?:self\.)?(\w+)\b", text)):
            add(getattr(module, name, None))
            add(getattr(getattr(item, "cls", None), name, None))

    add(function)
    for name in ("setup_method", "setup_class", "setUp"):
        add(getattr(getattr(item, "cls", None), name, None))
    params = getattr(getattr(item, "callspec", None), "params", {})
    return "\n".join([*seen.values(), *(repr(v) for v in params.values())])


def out(text: str, message: str) -> str | None:
    """Why a test that failed is out; None where it has to pass."""
    for pattern, reason in told.by_error.items():
        if found := re.search(pattern, message):
            return found[1] if found.groups() else reason
    return next((reason for reason, pattern in told.by_source.items() if pattern.search(text)), None)


def judged_by(by_source: dict[str, str], by_error: dict[str, str]) -> None:
    """Set the rules by which a test that failed is out.

    Parameters
    ----------
    by_source: why -> what is in the source of a test that needs what is out: patterns, one a word.
    by_error: what an error says where what is out was asked for -> why; a group of the pattern is the reason itself.
    """
    told.by_source = {reason: re.compile("|".join(words.split())) for reason, words in by_source.items()}
    told.by_error = by_error


# --- the run --------------------------------------------------------------------------------------------------------


class Outcomes:
    """What pytest's options said, and what came of the tests."""

    def __init__(self) -> None:
        self.part = self.backend = self.report = ""
        self.collected = False
        self.passed: list[str] = []
        self.failed: dict[str, str] = {}
        self.out: dict[str, str] = {}
        self.skipped: list[str] = []
        self.by_source: dict[str, re.Pattern[str]] = {}
        self.by_error: dict[str, str] = {}

    @property
    def itself(self) -> bool:
        """Whether the framework is run itself."""
        return self.backend.endswith(" itself")


told = Outcomes()


def message_of(error: BaseException) -> str:
    """An error in a line."""
    return re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")


def note(name: str, message: str, text: str) -> None:
    """Note a test that failed, with what it said, and with the source that it is judged by."""
    why = out(text, message)
    (told.failed if why is None else told.out)[name] = message[:400] if why is None else why


def pytest_addoption(parser: pytest.Parser) -> None:
    for name in ("part", "backend", "report"):
        parser.addoption(f"--upstream-{name}", default="")


def pytest_configure(config: pytest.Config) -> None:
    for name in ("part", "backend", "report"):
        setattr(told, name, config.getoption(f"upstream_{name}"))
    if not told.itself:
        lw.set_backend(told.backend)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    told.collected = True
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("leaks_references"):
            item.add_marker(pytest.mark.skip(reason="slow"))


def _ended(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"took more than {SECONDS} seconds")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    signal.signal(signal.SIGALRM, _ended)
    signal.alarm(SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report = yield
    name = f"{told.part}::{item.nodeid.partition('::')[2]}"
    if report.failed and name not in told.out and name not in told.failed:
        error = call.excinfo
        message = message_of(error.value) if error else str(report.longrepr)
        note(name, message, sources(item))
    elif report.skipped:
        told.skipped.append(name)
    elif report.when == "call" and report.passed:
        told.passed.append(name)
    return report


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        told.failed[f"{told.part}::"] = re.sub(r"\s+", " ", str(report.longrepr))[-400:]


def pytest_sessionfinish() -> None:
    passed = [n for n in told.passed if n not in told.failed and n not in told.out]
    found = {"passed": passed, "failed": told.failed, "out": told.out, "skipped": told.skipped}
    Path(told.report).write_text(json.dumps(found), encoding="utf-8")
