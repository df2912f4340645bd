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


def measure(
    native: str,
    ours: str,
    names: dict[str, Any],
    rounds: int,
    limit: float = LIMIT,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time a statement of a framework and one of ours in turns, each first in every other round."""
    timers = [timeit.Timer(statement, timer=clock, globals=names) for statement in (native, ours)]
    count, once = _batch(timers)
    rounds = max(11, min(rounds, int(limit / (2 * count * once))))
    times: tuple[list[float], list[float]] = [], []
    gc.collect()
    gc.disable()
    try:
        for i in range(rounds):
            for which in (0, 1) if i % 2 else (1, 0):
                times[which].append(timers[which].timeit(count) / count)
    finally:
        gc.enable()
    ratios = [o / n for n, o in zip(*times, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return Timing(statistics.median(times[0]), statistics.median(times[1]), middle, low, high)


def _batch(timers: list[timeit.Timer]) -> tuple[int, float]:
    """How many calls a batch has, and the seconds that the slower one of one call takes."""
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
