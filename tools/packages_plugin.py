"""A plugin of pytest for `packages.py`: some of the tests, each within a limit of time.

``PACKAGES_TESTS`` is a file with the names of the tests to run, one a line; all run where it is not set.
``PACKAGES_SECONDS`` is the most that one test may take.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def name_of(item: Any) -> str:
    """Return the name of a test as the report has it: its class, or else its file, and the function with its case."""
    return f"{item.cls.__name__ if item.cls else Path(item.path).stem}::{item.name}"


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep the tests that are named."""
    listed = os.environ.get("PACKAGES_TESTS")
    if listed:
        names = set(Path(listed).read_text(encoding="utf-8").split("\n"))
        left = [item for item in items if name_of(item) not in names]
        items[:] = [item for item in items if name_of(item) in names]
        config.hook.pytest_deselected(items=left)


class TooLong(BaseException):
    """A test took more time than it may."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """Stop a test that takes too long, and have it fail."""
    seconds = int(os.environ.get("PACKAGES_SECONDS", "0"))

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        result = yield
    except TooLong:
        pytest.fail(f"took more than {seconds} s", pytrace=False)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return result
