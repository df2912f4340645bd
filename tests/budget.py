"""Count what tests cost that no clock can say: kernels that JAX compiles, and graphs that Dask computes.

The counts are the same on every machine. A process of tests prints them with the tests that cost most, and fails above
the limits here. A test that goes beyond them can take fewer shapes and dtypes by the rule in `cases`.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import pytest
from cases import EXHAUSTIVE

#: What all the tests of one process may compile and compute.
LIMITS = {"kernels": 16_500, "graphs": 20_000}
#: So many of the most expensive tests, and of their files, are named at the end.
NAMED = 10


class Budget:
    """A plugin of pytest that counts kernels, graphs and processor time of each test.

    Parameters
    ----------
    worst_by: what the tests named at the end have most of: "seconds", "kernels" or "graphs".
    """

    def __init__(self, worst_by: str) -> None:
        self.worst_by = ("seconds", *LIMITS).index(worst_by)
        self.counts = dict.fromkeys(LIMITS, 0)
        #: test -> (processor seconds, kernels, graphs)
        self.spent: dict[str, tuple[float, int, int]] = {}

    def count_kernels(self) -> None:
        """Count what JAX compiles from now on."""
        import jax.monitoring

        def note(event: str, duration: float, **_: Any) -> None:
            self.counts["kernels"] += event.endswith("/backend_compile_duration")

        jax.monitoring.register_event_duration_secs_listener(note)

    def count_graphs(self) -> None:
        """Count what Dask computes from now on in this process."""
        from dask.callbacks import Callback

        def note(graph: Any) -> None:
            self.counts["graphs"] += 1

        Callback(start=note).register()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        kernels, graphs = self.counts.values()
        start = time.process_time()
        done = yield
        now = self.counts
        self.spent[item.nodeid] = (time.process_time() - start, now["kernels"] - kernels, now["graphs"] - graphs)
        return done

    @property
    def exceeded(self) -> list[str]:
        return [] if EXHAUSTIVE else [what for what, limit in LIMITS.items() if self.counts[what] > limit]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.exceeded and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def files(self) -> list[tuple[str, tuple[float, int, int]]]:
        """The files whose tests cost most together, and what they cost."""
        spent: dict[str, tuple[float, int, int]] = {}
        for test, (seconds, kernels, graphs) in self.spent.items():
            file = test.partition("::")[0]
            before = spent.get(file, (0.0, 0, 0))
            spent[file] = (before[0] + seconds, before[1] + kernels, before[2] + graphs)
        return sorted(spent.items(), key=lambda file: file[1][self.worst_by], reverse=True)[:NAMED]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the counts, and the tests that cost most."""
        worst = sorted(self.spent.items(), key=lambda test: test[1][self.worst_by], reverse=True)[:NAMED]
        terminalreporter.section("what the tests cost")
        for what, count in self.counts.items():
            said = "  MORE THAN THE BUDGET in tests/budget.py" * (what in self.exceeded)
            terminalreporter.line(f"{what:8} {count:9,} of {LIMITS[what]:,}{said}")
        for name, spent in [*worst, *self.files()]:
            terminalreporter.line("{:6.1f} s {:5} kernels {:6} graphs  {}".format(*spent, name))
