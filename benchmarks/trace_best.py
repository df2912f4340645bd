"""Tuned programs on NumPy beside the best that a programmer writes by hand: NumPy, a numba loop, `jax.jit`.

    python benchmarks/trace_best.py                        every row at every size, float64, as plain text
    python benchmarks/trace_best.py --markdown             the rows that lose, and the means, as a table
    python benchmarks/trace_best.py --rows huber hue --sizes 1000 --dtype float32

One thread, all in turns in one process. "tuned" is ``lw.compile(f, tune=True)``, called with arrays of ours; the others
are called with arrays of their own. "numba" is a plain loop over the elements (`numba.njit`, no options) of the same
text, with results of `numpy.empty`, and a hand-written body where a programmer of loops would write ``if``. `jax.jit`
waits for its result, with float64 enabled.

A ratio says how many times faster than NumPy by hand; "of best" how many times faster than the fastest of the others:
the median over the rounds, with its quartiles. Processor time is measured, of all threads together. A row that is not
clearly above what is required is measured five times, in other memory, and the middle one counts.

Before a row is timed, the results are compared, within a tolerance.
"""

from __future__ import annotations

from timing import Turns, duration, in_turns  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numba
import numpy as np
from trace_best_rows import ROWS, Row

import latticework as lw

SIZES = (1_000, 100_000, 1_000_000)
#: How much of the speed of the best by hand is required of every row, and the geometric mean beside NumPy by hand.
LEAST, GOAL = 0.95, 4.0
#: Below this share of the speed of the best, a row is measured so many times.
CLEAR, TIMES = 1.1, 5
CLOCK = time.process_time


class Found(NamedTuple):
    """What was measured of a row at a size."""

    turns: Turns

    @property
    def others(self) -> list[str]:
        """The ways by hand."""
        return [way for way in self.turns.times if way not in ("tuned", "fast")]

    @property
    def best(self) -> str:
        """The fastest way by hand."""
        return min(self.others, key=self.turns.median)

    @property
    def of_best(self) -> float:
        """How many times faster than the fastest way by hand."""
        return self.ratio("tuned", self.best)

    def ratio(self, way: str, beside: str = "numpy") -> float:
        """How many times faster than another way."""
        return self.turns.speed(way, beside)[1]


def loop(body: Callable[..., Any], inputs: int, results: list[np.dtype[Any]]) -> Callable[..., Any]:
    """Write a function of scalars as a plain loop over arrays, and compile it."""
    given = [f"a{i}" for i in range(inputs)]
    made = [f"r{i}" for i in range(len(results))]
    lines = [f"def loop({', '.join(given)}):"]
    lines += [f"    {r} = np.empty(a0.shape, np.{d})" for r, d in zip(made, results, strict=True)]
    lines += ["    for i in range(len(a0)):"]
    lines += [f"        {', '.join(f'{r}[i]' for r in made)} = body({', '.join(f'{a}[i]' for a in given)})"]
    lines += [f"    return {', '.join(made)}"]
    names: dict[str, Any] = {"np": np, "body": numba.njit(body)}
    exec("\n".join(lines), names)
    return numba.njit(names["loop"])  # type: ignore[no-any-return]


def results_of(result: Any) -> list[np.ndarray]:
    """The arrays of a result, on NumPy."""
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return [np.asarray(x.data if isinstance(x, lw.Array) else x) for x in parts]


def ways(row: Row, arrays: list[np.ndarray], fast: bool) -> dict[str, tuple[Callable[..., Any], list[Any]]]:
    """The functions that are timed, with their arguments."""
    ours = [lw.asarray(x) for x in arrays]
    found = {"tuned": (lw.compile(row.ours, tune=True), ours)}
    if fast:
        found["fast"] = lw.compile(row.ours, fast=True), ours
    found["numpy"] = row.numpy, arrays
    if row.scalar is not None:
        dtypes = [x.dtype for x in results_of(row.numpy(*arrays))]
        found["numba"] = loop(row.scalar, len(arrays), dtypes), arrays
    elif row.numba is not None:
        found["numba"] = row.numba, arrays
    if row.jax is not None:
        found["jax"] = jax.jit(row.jax), [jax.numpy.asarray(x) for x in arrays]
    return found


def check(row: Row, found: dict[str, list[np.ndarray]]) -> None:
    """Compare what the ways give with NumPy by hand.

    Raises
    ------
    AssertionError: two results differ.
    """
    for way, result in found.items():
        for a, b in zip(result, found["numpy"], strict=True):
            tolerance = 1e-4 if b.dtype == np.float32 else 1e-9
            difference = np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)), initial=0)
            if a.shape != b.shape or not difference <= tolerance * np.max(np.abs(b), initial=1e-30):
                raise AssertionError(f"{row.name}: {way} gives {a.ravel()[:4]}, and NumPy {b.ravel()[:4]}")


def measured(row: Row, size: int, options: argparse.Namespace) -> Found:
    """Compare the ways of a row, and time them."""
    arrays = [np.asarray(x).astype(options.dtype) for x in row.operands(np.random.default_rng(size), size)]
    found = ways(row, arrays, options.fast)
    check(row, {way: results_of(f(*args)) for way, (f, args) in found.items()})
    names: dict[str, Any] = {"wait": jax.block_until_ready}
    statements = {}
    for i, (way, (f, args)) in enumerate(found.items()):
        names |= {f"f{i}": f} | {f"x{i}_{k}": x for k, x in enumerate(args)}
        call = f"f{i}({', '.join(f'x{i}_{k}' for k in range(len(args)))})"
        statements[way] = f"wait({call})" if way == "jax" else call
    warm = (
        statements  # each is called before its batch: else it would find the memory of the way before it in the cache
    )
    return Found(in_turns(statements, names, options.rounds, options.seconds, CLOCK, warm))


def settled(row: Row, size: int, options: argparse.Namespace) -> Found:
    """Time the ways of a row, again where it is near what is required, and return the middle of the measurements."""
    found = [measured(row, size, options)]
    if found[0].of_best < CLEAR:
        found += [measured(row, size, options) for _ in range(TIMES - 1)]
    return sorted(found, key=lambda f: f.of_best)[len(found) // 2]


def cells(found: Found) -> Iterator[str]:
    """The time of NumPy by hand, the ratios with their quartiles, and the ratio to the best by hand."""
    yield f"{duration(found.turns.median('numpy')):>8}"
    for way in [w for w in found.turns.times if w != "numpy"]:
        low, middle, high = found.turns.speed(way, "numpy")
        yield f"{way} {middle:5.2f} [{low:.2f}, {high:.2f}]"
    yield f"of best {found.of_best:.2f} ({found.best}){' BELOW' if found.of_best < LEAST else ''}"


def summary(found: dict[tuple[str, int], Found]) -> Iterator[str]:
    """Geometric means by size, and the rows below the goal."""
    for size in dict.fromkeys(n for _, n in found):
        of = {name: f for (name, n), f in found.items() if n == size}
        ways = dict.fromkeys(way for f in of.values() for way in f.turns.times if way != "numpy")
        means = []
        for way in ways:
            those = [f.ratio(way) for f in of.values() if way in f.turns.times]
            means.append(f"{way} {statistics.geometric_mean(those):.2f} (of {len(those)})")
        best = statistics.geometric_mean(f.of_best for f in of.values())
        yield f"{size:,} elements, times faster than NumPy by hand: {', '.join(means)}; tuned of the best {best:.2f}"
        below = {name: f for name, f in of.items() if f.of_best < LEAST}
        for name, f in sorted(below.items(), key=lambda item: item[1].of_best):
            yield f"  below {LEAST} of the best: {name} {f.of_best:.2f} of {f.best}"


def table(found: dict[tuple[str, int], Found]) -> Iterator[str]:
    """The speeds by row and size, as Markdown: tuned, and the best by hand."""
    sizes = [*dict.fromkeys(n for _, n in found)]
    yield f"| tuned, the best by hand | {' | '.join(f'{n:,}' for n in sizes)} |"
    yield "|---" + "|--:" * len(sizes) + "|"
    for name in dict.fromkeys(name for name, _ in found):
        rows = [found[name, n] for n in sizes]
        texts = [f"{f.ratio('tuned'):.1f}, {f.best} {f.ratio(f.best):.1f}" for f in rows]
        yield f"| {name} | {' | '.join(texts)} |"
    yield ""


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", default=[""], help="only those whose name contains one of these")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float64")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--seconds", type=float, default=1.5, help="for one row at one size")
    parser.add_argument("--fast", action="store_true", help="also the way of `lw.compile(fast=True)`")
    parser.add_argument("--markdown", action="store_true", help="a table instead of lines")
    options = parser.parse_args(arguments)
    jax.config.update("jax_enable_x64", True)
    lw.set_backend("numpy")
    np.empty(31 << 20, np.uint8).fill(0)  # the C library keeps what it frees, and calls differ by no page faults
    found: dict[tuple[str, int], Found] = {}
    for size in options.sizes:
        for row in [row for row in ROWS if any(wanted in row.name for wanted in options.rows)]:
            f = found[row.name, size] = settled(row, size, options)
            if not options.markdown:
                print(f"{row.name:<20} {size:>9,}  {'  '.join(cells(f))}", flush=True)
    if options.markdown:
        print(*table(found), sep="\n")
    print(*summary(found), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
