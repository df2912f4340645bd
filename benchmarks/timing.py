"""Time two statements in turns: what the benchmarks share.

Importing it limits every framework to one thread, so it has to be imported before a framework is.
"""

from __future__ import annotations

import os

THREADS = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS",
    "NPROC",
)  # fmt: skip
os.environ.update(dict.fromkeys(THREADS, "1"))  # before a framework is loaded
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import gc
import math
import statistics
import time
import timeit
from collections.abc import Callable
from itertools import cycle, islice, permutations
from random import Random
from typing import Any, NamedTuple

BATCH = 2e-4  # seconds that a batch of calls takes at least: short, so that most are not interrupted
LIMIT = 3.0  # seconds for one case, which has fewer rounds if its calls are long


class Timing(NamedTuple):
    """Seconds of one call, native and ours, and the ratio with its quartiles."""

    native: float
    ours: float
    ratio: float
    low: float
    high: float


class Turns(NamedTuple):
    """Seconds of one call of each of some statements, by the name of the statement: one in each round."""

    times: dict[str, list[float]]

    def median(self, name: str) -> float:
        """The median of the times of a statement."""
        return statistics.median(self.times[name])

    def speed(self, name: str, beside: str) -> tuple[float, float, float]:
        """How many times faster a statement is than another one, by round: the median between its quartiles."""
        low, middle, high = statistics.quantiles(
            [b / a for a, b in zip(self.times[name], self.times[beside], strict=True)], n=4
        )
        return low, middle, high


def measure(
    native: str,
    ours: str,
    names: dict[str, Any],
    rounds: int,
    limit: float = LIMIT,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time a statement of a framework and one of ours in turns, each first in every other round."""
    turns = in_turns({"native": native, "ours": ours}, names, rounds, limit, clock)
    low, middle, high = turns.speed("native", "ours")
    return Timing(turns.median("native"), turns.median("ours"), middle, low, high)


def in_turns(
    statements: dict[str, str],
    names: dict[str, Any],
    rounds: int,
    limit: float,
    clock: Callable[[], float],
    setups: dict[str, str] | None = None,
) -> Turns:
    """Time a batch of each statement in each round, in all orders in turn.

    What runs before a statement decides what is in the cache. `setups` has what is run before a batch of a statement,
    by the name of the statement.
    """
    setup = setups or {}
    timers = [
        timeit.Timer(statement, setup.get(name, "pass"), timer=clock, globals=names)
        for name, statement in statements.items()
    ]
    count, once = _batch(timers)
    rounds = max(11, min(rounds, int(limit / (len(timers) * count * once))))
    times: dict[str, list[float]] = {name: [] for name in statements}
    orders = [*permutations(zip(times.values(), timers, strict=True))]
    Random(0).shuffle(orders)
    gc.collect()
    gc.disable()
    try:
        for order in islice(cycle(orders), rounds):
            for seconds, timer in order:
                seconds.append(timer.timeit(count) / count)
    finally:
        gc.enable()
    return Turns(times)


def _batch(timers: list[timeit.Timer]) -> tuple[int, float]:
    """How many calls a batch has, and the seconds that the slowest one of one call takes."""
    for timer in timers:
        timer.timeit(1)  # compiles, and fills caches
    once = max(timer.timeit(1) for timer in timers)
    if once < BATCH:
        once = max(timer.timeit(10) / 10 for timer in timers)
        once = max(timer.timeit(count := max(1, int(BATCH / once / 4))) / count for timer in timers)
    return max(1, math.ceil(BATCH / once)), once


def duration(seconds: float) -> str:
    """In the unit that suits it."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
