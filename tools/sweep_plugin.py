"""A plugin of pytest for `sweep.py`: it takes a share of the tests, and writes what each one came to, line by line.

LATTICEWORK_SWEEP_LOG is the file of the lines, and LATTICEWORK_SWEEP_SHARE is "2/5" for the second of five shares. The
lines of a process that is ended before its time say which files of tests it has done.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest


def write(**values: Any) -> None:
    with Path(os.environ["LATTICEWORK_SWEEP_LOG"]).open("a", encoding="utf-8") as log:
        print(json.dumps(values), file=log, flush=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    share, _, of = os.environ.get("LATTICEWORK_SWEEP_SHARE", "1/1").partition("/")
    chosen = items[int(share) - 1 :: int(of)]
    config.hook.pytest_deselected(items=[item for item in items if item not in {*chosen}])
    items[:] = chosen


def pytest_runtest_logstart(nodeid: str) -> None:
    write(file=nodeid.partition("::")[0].rpartition("/")[2], begins=nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        outcome = report.outcome
    else:
        outcome = ""
    file = report.nodeid.partition("::")[0].rpartition("/")[2]
    write(file=file, test=report.nodeid, outcome=outcome, seconds=report.duration)


def pytest_sessionfinish(exitstatus: int) -> None:
    write(ended=int(exitstatus))
