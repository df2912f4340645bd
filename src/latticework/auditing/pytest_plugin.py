"""The pytest plugin that fails a test in which a narrow float became wider: ``-p latticework.auditing.pytest_plugin``.

It is no entry point of pytest, which would load it in the tests of everybody who has latticework installed. Nothing is
watched, and nothing more is imported, until ``--no-widening`` is given.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

__all__ = [
    "pytest_addoption", "pytest_configure", "pytest_runtest_call", "pytest_sessionfinish", "pytest_sessionstart",
]  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("latticework")
    group.addoption(
        "--no-widening",
        metavar="DTYPE",
        help="fail a test in which this float dtype, or a narrower one, became wider; with commas: these alone",
    )
    group.addoption(
        "--widening-inside",
        metavar="PACKAGES",
        default="",
        help="installed packages to look into, with commas between them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, and declare the marker."""
    config.addinivalue_line("markers", "widens: what it computes may become wider, for all --no-widening says")
    asked = config.getoption("--no-widening")
    if not asked:
        return
    from .widening.watching import chosen

    dtypes = [name.strip() for name in asked.split(",") if name.strip()]
    try:
        config.stash[_DTYPES] = chosen(dtypes if "," in asked else asked)
    except ValueError as error:
        raise pytest.UsageError(str(error).replace("audit: widening=", "--no-widening ")) from None


_DTYPES = pytest.StashKey[frozenset[str]]()
_PROBE = pytest.StashKey[Any]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start to watch: the functions of the program keep their rewritten code until the end."""
    config = session.config
    if _DTYPES not in config.stash:
        return
    from .widening.instrumenting import Instrumented
    from .widening.watching import Watch

    inside = [name.strip() for name in config.getoption("--widening-inside").split(",") if name.strip()]
    probe = Instrumented(Watch(config.stash[_DTYPES]), inside, _asserts(config))
    running = probe.running()
    running.__enter__()
    config.stash[_PROBE] = probe, running


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Give the functions their own code back."""
    if _PROBE in session.config.stash:
        session.config.stash[_PROBE][1].__exit__(None, None, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run a test, and fail it where a narrow float became wider in it."""
    if _PROBE not in item.config.stash or item.get_closest_marker("widens"):
        return (yield)
    from .widening.run import watched
    from .widening.text import lines_of_one, plain
    from .widening.watching import Watch

    probe = item.config.stash[_PROBE][0]
    probe.watch = Watch(item.config.stash[_DTYPES])
    probe.meet_named(getattr(item, "obj", None))
    for value in getattr(item, "funcargs", {}).values():
        probe.meet(value)
    with watched(probe):
        result = yield
    first = [f for f in probe.watch.found if not f.follows]
    if first:
        text = "\n\n".join(plain(lines_of_one(f)) for f in first)
        pytest.fail(f"--no-widening {item.config.getoption('--no-widening')}:\n{text}", pytrace=False)
    return result


def _asserts(config: pytest.Config) -> Any:
    """Return what gives a rewritten test module pytest's own assertions; None where this pytest has it not."""
    try:
        from _pytest.assertion.rewrite import rewrite_asserts
    except ImportError:
        return None
    return lambda tree, source, file: rewrite_asserts(tree, source.encode(), file, config)
