"""What tracing makes of functions: eager calls, the source of their graphs and `lw.compile`, beside code by hand.

    python benchmarks/trace.py                  every function and size on NumPy and PyTorch, as plain text
    python benchmarks/trace.py --markdown       as tables
    python benchmarks/trace.py --backend jax --functions mish attention --sizes 4 1000
    python benchmarks/trace.py --cost           what it costs to trace
    python benchmarks/trace.py --operations     what TensorFlow compiles of the source, and of code by hand

One thread, all in turns in one process. A ratio says how many times faster than the same by hand: the median over the
rounds, with its quartiles. Processor time is measured, of all threads together: calls of milliseconds are interrupted
too often on a machine that does other work. JAX and TensorFlow are measured under their compilers, `jax.jit` and
`tf.function`, which get the hand-written function, the source, and `lw.jit` of ours.

On PyTorch, and on NumPy where numba is installed, "fast" is the source of `Graph.faster`, and "tuned" the fastest way
that `lw.compile(tune=True)` has measured. They may differ by last bits.

Before a function is timed, the results are compared. Those of latticework agree by their bits where nothing is
compiled, and on NumPy also with the code by hand, where it is the same text; otherwise there is a tolerance. Memory is
the peak of a call of the source relative to that of the code by hand: on NumPy alone, which tells `tracemalloc` what it
takes.

The C library keeps the memory that it frees, unless ``--pages`` leaves it as it is in a process that has just begun:
then large temporary arrays are given back and taken from the system again, which costs more than to compute them.
"""

from __future__ import annotations

from timing import Turns, duration, in_turns  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import gc
import importlib
import importlib.util
import statistics
import sys
import time
import timeit
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from trace_functions import FUNCTIONS, bound, module

import latticework as lw
from latticework.tracing.tuning import tuned
from latticework.tracing.writing.numba_text import INEXACT

SIZES = (4, 1_000, 100_000, 1_000_000)
#: How much of the speed of code by hand is required of every function: times up to 1.05 as long.
LEAST = 1 / 1.05
#: The least geometric means, by backend and size: over all functions, and over the elementwise ones.
GOALS: dict[str, dict[int, tuple[float, float]]] = {
    "numpy": {4: (1.15, 1.15), 1_000: (1.15, 1.15), 1_000_000: (1.4, 1.55)},
    "torch": dict.fromkeys(SIZES, (1.1, 1.1)),
    "jax": dict.fromkeys(SIZES, (LEAST, LEAST)),
    "tensorflow": dict.fromkeys(SIZES, (LEAST, LEAST)),
}
#: The least geometric means of `fast` and of `tune` on NumPy, by size: over all functions, and over the elementwise
#: ones without transcendental functions.
FAST_GOALS: dict[int, tuple[float, float]] = {
    4: (4.0, 4.0),
    1_000: (1.0, 5.0),
    100_000: (1.0, 5.0),
    1_000_000: (2.0, 5.0),
}
#: What compiles in a framework.
COMPILERS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "jax": lambda f: importlib.import_module("jax").jit(f),
    "tensorflow": lambda f: importlib.import_module("tensorflow").function(f),
}
#: Why a function is slower than by hand, by function and backend.
NOTES: dict[tuple[str, str], str] = {}
#: Why functions without transcendental functions are below the goal of `fast`, by size.
FAST_NOTES = {
    4: "the call of a loop and the arrays of its results take the time",
    1_000: "the call of a loop and the arrays of its results take the time",
    100_000: "a loop takes no longer than to copy its arguments and results",
    1_000_000: "a loop takes no longer than to copy its arguments and results",
}
CLOCK = time.process_time


class Found(NamedTuple):
    """What was measured of a function at a size: the turns of each way, and the peak of memory relative to by hand."""

    turns: Turns
    memory: float | None

    def ratio(self, way: str) -> float:
        """How many times faster than by hand, to two places."""
        return round(self.turns.speed(way, "by hand")[1], 2)


# --- one function -----------------------------------------------------------------------------------------------------


def operands(name: str, size: int) -> list[np.ndarray]:
    """The numbers of a function's arguments."""
    rng = np.random.default_rng(size)
    return [make(rng, size) for make in FUNCTIONS[name].operands]


def ways(name: str, backend: str, arrays: list[lw.Array]) -> dict[str, tuple[Callable[..., Any], list[Any]]]:
    """The functions that are timed, with their arguments."""
    native = [x.data for x in arrays]
    f, hand = FUNCTIONS[name].ours, bound(name, backend)
    graph = lw.trace(f, *arrays)
    if backend in COMPILERS:
        compiled = COMPILERS[backend]
        return {
            "by hand": (compiled(hand), native),
            "ours": (lw.jit(f), arrays),
            "source": (compiled(graph.function), native),
        }
    found = {
        "by hand": (hand, native),
        "ours": (f, arrays),
        "source": (graph.function, native),
        "compile": (lw.compile(f), arrays),
    }
    if backend == "torch" or importlib.util.find_spec("numba"):
        measured = tuned(graph, native)
        found["fast"] = graph.faster().function, native
        found["tuned"] = graph.function if measured is None else measured[0], native
    return found


@cache
def exact(name: str) -> bool:
    """Whether a function has no transcendental functions."""
    with lw.using(backend="numpy"):
        graph = lw.trace(FUNCTIONS[name].ours, *[lw.asarray(x) for x in operands(name, 4)])
    return not any(getattr(node.function, "__name__", "") in INEXACT for node in graph.nodes)


def numbers(result: Any) -> list[np.ndarray]:
    """The arrays of a result, on NumPy."""
    parts = result if isinstance(result, tuple) else (result,)
    return [np.asarray(lw.asarray(x, backend="numpy").data) for x in parts]


def check(name: str, backend: str, found: dict[str, list[np.ndarray]]) -> None:
    """Compare what the ways give.

    Raises
    ------
    AssertionError: two results differ.
    """
    same_text = backend == "numpy" and backend not in FUNCTIONS[name].instead
    for way, result in found.items():
        bits = backend not in COMPILERS and way not in ("fast", "tuned") and (way != "by hand" or same_text)
        for a, b in zip(result, found["ours"], strict=True):
            alike = a.dtype == b.dtype and a.shape == b.shape
            if not alike or not (a.tobytes() == b.tobytes() if bits else close(a, b)):
                raise AssertionError(
                    f"{name} on {backend}: {way} gives {a.dtype}{a.shape} {a.ravel()[:4]}, and ours {b.dtype}{b.shape} "
                    f"{b.ravel()[:4]}; the greatest difference is {np.max(np.abs(a.astype(float) - b.astype(float)))}"
                )


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the differences are small beside the greatest element."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    return bool(np.max(np.abs(a - b), initial=0) <= 1e-4 * np.max(np.abs(b), initial=1e-30))


def peak(call: Callable[[], Any]) -> int:
    """The bytes that a call takes at most beyond what was there."""
    call()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def measured(name: str, backend: str, size: int, rounds: int, limit: float) -> Found:
    """Compare the ways of a function, and time them."""
    with lw.using(backend=backend):
        found = ways(name, backend, [lw.asarray(x) for x in operands(name, size)])
        check(name, backend, {way: numbers(f(*args)) for way, (f, args) in found.items()})
        names: dict[str, Any] = {"wait": importlib.import_module("jax").block_until_ready} if backend == "jax" else {}
        statements = {}
        for i, (way, (f, args)) in enumerate(found.items()):
            names |= {f"f{i}": f} | {f"x{i}_{k}": x for k, x in enumerate(args)}
            call = f"f{i}({', '.join(f'x{i}_{k}' for k in range(len(args)))})"
            statements[way] = f"wait({call})" if backend == "jax" else call
        turns = in_turns(statements, names, rounds, limit, CLOCK)
        memory = None
        if backend == "numpy" and size >= 100_000:
            by_hand, source = (peak(lambda w=w: found[w][0](*found[w][1])) for w in ("by hand", "source"))
            memory = source / by_hand
    return Found(turns, memory)


# --- printing ---------------------------------------------------------------------------------------------------------


def cells(found: Found) -> Iterator[str]:
    """The time by hand, the ratios with their quartiles, and memory."""
    yield duration(found.turns.median("by hand"))
    for way in [w for w in found.turns.times if w != "by hand"]:
        low, middle, high = found.turns.speed(way, "by hand")
        yield f"{middle:.2f} [{low:.2f}, {high:.2f}]"
    if found.memory is not None:
        yield f"memory {found.memory:.2f}"


def mean(found: list[Found], way: str) -> float:
    """The geometric mean of the ratios of a way."""
    return statistics.geometric_mean(f.turns.speed(way, "by hand")[1] for f in found)


def summary(found: dict[tuple[str, str, int], Found]) -> Iterator[str]:
    """Geometric means by backend and size, and the functions that are slower than by hand or take more memory."""
    for backend, size in dict.fromkeys((b, n) for _, b, n in found):
        of = {name: f for (name, b, n), f in found.items() if (b, n) == (backend, size)}
        kinds = {"all": [*of.values()], "elementwise": [f for name, f in of.items() if FUNCTIONS[name].elementwise]}
        goals = GOALS[backend].get(size)
        yield f"{backend}, {size:,} elements"
        for k, (kind, those) in enumerate(kinds.items()):
            if those:
                means = ", ".join(f"{way} {mean(those, way):.2f}" for way in those[0].turns.times if way != "by hand")
                goal = "" if goals is None else f"; the source is to reach {goals[k]:.2f}"
                yield f"  {kind} {len(those)}: {means}{goal}"
        if "fast" in next(iter(of.values())).turns.times:
            yield from faster(of, backend, size)
        yield from slower(of, "source", backend)
        for name, f in of.items():
            if f.memory is not None and f.memory > 1.01:
                yield f"  more memory than by hand: {name} {f.memory:.2f}"


def faster(of: dict[str, Found], backend: str, size: int) -> Iterator[str]:
    """What the ways that may change last bits reach, and the functions that are below the goal."""
    everything, goal = FAST_GOALS.get(size, (1.0, 1.0)) if backend == "numpy" else (1.0, 1.0)
    without = {name: f for name, f in of.items() if FUNCTIONS[name].elementwise and exact(name)}
    yield f"  fast and tuned of all are to reach {everything:.2f}"
    if without:
        means = ", ".join(f"{way} {mean([*without.values()], way):.2f}" for way in ("fast", "tuned"))
        yield f"  elementwise without transcendental functions {len(without)}: {means}; to reach {goal:.2f}"
    below = {name: f.ratio("tuned") for name, f in without.items() if f.ratio("tuned") < goal}
    if below:
        yield f"  below that: {', '.join(f'{name} {r:.2f}' for name, r in below.items())} ({FAST_NOTES.get(size)})"
    yield from slower(of, "tuned", backend)


def slower(of: dict[str, Found], way: str, backend: str) -> Iterator[str]:
    """The functions of which a way is slower than by hand."""
    slow = {name: f for name, f in of.items() if f.ratio(way) < round(LEAST, 2)}
    for name in sorted(slow, key=lambda name: slow[name].ratio(way)):
        why = f" ({NOTES[name, backend]})" if (name, backend) in NOTES else ""
        yield f"  {way} is slower than by hand: {name} {slow[name].ratio(way):.2f}{why}"


def table(found: dict[tuple[str, str, int], Found], backend: str, sizes: list[int]) -> Iterator[str]:
    """The speeds of the source on a backend, by function and size, as Markdown."""
    yield f"| {backend}: speed of the source | {' | '.join(f'{n:,}' for n in sizes)} |"
    yield "|---" + "|--:" * len(sizes) + "|"
    for name in dict.fromkeys(name for name, _, _ in found):
        ratios = [found[name, backend, n].ratio("source") for n in sizes]
        yield f"| {name} | {' | '.join(f'{r:.2f}' for r in ratios)} |"
    yield ""
    if "fast" not in next(f for (_, b, _), f in found.items() if b == backend).turns.times:
        return
    yield f"| {backend}: fast, tuned | {' | '.join(f'{n:,}' for n in sizes)} |"
    yield "|---" + "|--:" * len(sizes) + "|"
    for name in dict.fromkeys(name for name, _, _ in found):
        pairs = [[found[name, backend, n].ratio(way) for way in ("fast", "tuned")] for n in sizes]
        yield f"| {name} | {' | '.join(f'{f:.2f}, {t:.2f}' for f, t in pairs)} |"
    yield ""


# --- the cost of tracing ----------------------------------------------------------------------------------------------


class Cost(NamedTuple):
    """What it costs to trace a function, in eager calls of it: medians.

    Attributes
    ----------
    eager: the seconds of an eager call.
    trace: `lw.trace`: the function is run, its calls are recorded, and the graph is simplified.
    first: what the first call of the graph adds: its source is written and compiled by Python.
    """

    eager: float
    trace: float
    first: float


def cost_of(f: Callable[..., Any], *args: Any, rounds: int = 5) -> Cost:
    """Measure what it costs to trace a function."""
    f(*args)
    lw.trace(f, *args)
    calls = max(1, int(5e-3 / min(timeit.repeat(lambda: f(*args), number=1, repeat=3, timer=CLOCK))))
    repeats = max(1, calls // 40)
    found: list[Cost] = []
    for _ in range(rounds):
        eager = timeit.timeit(lambda: f(*args), gc.enable, number=calls, timer=CLOCK) / calls
        traced = timeit.timeit(lambda: lw.trace(f, *args), gc.enable, number=repeats, timer=CLOCK) / repeats
        graphs = [lw.trace(f, *args) for _ in range(repeats)]
        start = CLOCK()
        for graph in graphs:
            graph.function  # noqa: B018 - it is made when it is first asked for
        found.append(Cost(eager, traced / eager, (CLOCK() - start) / repeats / eager))
    return Cost(*map(statistics.median, zip(*found, strict=True)))


def three(x: lw.Array, y: lw.Array) -> lw.Array:
    """Three operations."""
    return (x + y) * x - y


def fifteen(x: lw.Array, y: lw.Array) -> lw.Array:
    """Fifteen operations."""
    for _ in range(5):
        x = lw.sin(x) * y + x
    return x


def sixty(x: lw.Array, y: lw.Array) -> lw.Array:
    """Sixty operations."""
    for _ in range(20):
        x = lw.sin(x) * y + x
    return x


def small_cost(f: Callable[..., Any], size: int, rounds: int = 21) -> Iterator[str]:
    """What it costs to trace and compile a function of two arrays of so many elements, in eager calls of it."""
    x, y = (lw.asarray(np.linspace(first, first + 1, size)) for first in (0.1, 1.0))
    found: list[list[float]] = []
    for _ in range(rounds):
        eager = timeit.timeit(lambda: f(x, y), gc.enable, number=500, timer=CLOCK) / 500
        traced = timeit.timeit(lambda: lw.trace(f, x, y), gc.enable, number=40, timer=CLOCK) / 40
        compiled = [lw.compile(f) for _ in range(20)]
        calls = []
        for _ in range(2):
            start = CLOCK()
            for g in compiled:
                g(x, y)
            calls.append((CLOCK() - start) / 20)
        found.append([traced / eager, *[seconds / eager for seconds in calls], eager])
    quarters = [statistics.quantiles(column, n=4) for column in zip(*found, strict=True)]
    texts = [f"{middle:.1f} [{low:.1f}, {high:.1f}]" for low, middle, high in quarters[:3]]
    yield (
        f"{f.__name__} operations on {size:,} elements, eager {duration(quarters[3][1])}: in eager calls, "
        f"lw.trace {texts[0]}, the first call of lw.compile {texts[1]}, the second {texts[2]}"
    )


def cost(backends: list[str], counts: tuple[int, ...] = (100, 1_000, 10_000)) -> Iterator[str]:
    """What it costs to trace programs of so many operations, and the functions of this benchmark."""

    def program(x: lw.Array, n: int) -> lw.Array:
        for _ in range(n // 4):
            x = lw.sin(x) * 0.5 + x
            x = x - 0.25
        return x

    for backend in backends:
        with lw.using(backend=backend):
            for size in (4, 1_000):
                for f in (three, fifteen, sixty):
                    yield from (f"{backend:<10} {line}" for line in small_cost(f, size))
            x = lw.asarray(np.ones(4, np.float32))
            for n in counts:
                found = cost_of(program, x, n)
                yield (
                    f"{backend:<10} {n:>6,} operations, eager {duration(found.eager / n)} each: lw.trace is "
                    f"{found.trace:.1f} eager calls, the first call adds {found.first:.1f}"
                )
            each = {name: cost_of(f.ours, *map(lw.asarray, operands(name, 4))) for name, f in FUNCTIONS.items()}
            trace, first = (
                [statistics.geometric_mean(values), *statistics.quantiles(values, n=10)[::8], max(values)]
                for values in ([c.trace for c in each.values()], [c.first for c in each.values()])
            )
            worst = max(each, key=lambda name: each[name].trace)
            yield (
                f"{backend:<10} {len(each)} functions on 4 elements: lw.trace is {trace[0]:.1f} eager calls (a tenth "
                f"below {trace[1]:.1f}, a tenth above {trace[2]:.1f}, most {trace[3]:.1f}: {worst}), the first call "
                f"adds {first[0]:.1f} (a tenth below {first[1]:.1f}, a tenth above {first[2]:.1f})"
            )


def operations() -> Iterator[str]:
    """What TensorFlow's compiler gets of each function, from the source and by hand: its operations, counted."""
    tf = importlib.import_module("tensorflow")
    for name in FUNCTIONS:
        with lw.using(backend="tensorflow"):
            arrays = [lw.asarray(x) for x in operands(name, 4)]
            source = lw.trace(FUNCTIONS[name].ours, *arrays).function
            counts = []
            for f in (source, bound(name, "tensorflow")):
                made = tf.function(f, autograph=False).get_concrete_function(*[x.data for x in arrays])
                counts.append(Counter(op.type for op in made.graph.get_operations()))
        ours, theirs = counts
        differ = [f"{op} {ours[op]} for {theirs[op]}" for op in sorted({*ours, *theirs}) if ours[op] != theirs[op]]
        yield f"{name:<22} {ours.total():>4} {theirs.total():>4}  {', '.join(differ) or 'the same'}"


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", nargs="+", default=["numpy", "torch"], choices=list(GOALS))
    parser.add_argument("--functions", nargs="+", default=[""], help="only those whose name contains one of these")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--seconds", type=float, default=1.0, help="for one function at one size")
    parser.add_argument("--pages", action="store_true", help="let the C library give memory back, as it does by itself")
    parser.add_argument("--markdown", action="store_true", help="tables instead of lines")
    parser.add_argument("--cost", action="store_true", help="time tracing itself, and nothing else")
    parser.add_argument("--operations", action="store_true", help="count what TensorFlow compiles, and time nothing")
    options = parser.parse_args(arguments)
    if options.operations:
        for line in operations():
            print(line, flush=True)
        return
    installed = {b.name for b in lw.backends() if b.installed}
    backends = [b for b in options.backend if b in installed]
    for backend in backends:
        module(backend)
    if "torch" in backends:
        importlib.import_module("torch").set_num_threads(1)
    if options.cost:
        for line in cost(backends):
            print(line, flush=True)
        return
    if not options.pages:
        np.empty(31 << 20, np.uint8).fill(0)  # the C library keeps what it frees, and calls differ by no page faults
    names = [name for name in FUNCTIONS if any(wanted in name for wanted in options.functions)]
    found: dict[tuple[str, str, int], Found] = {}
    for backend in backends:
        for size in options.sizes:
            for name in names:
                f = found[name, backend, size] = measured(name, backend, size, options.rounds, options.seconds)
                if not options.markdown:
                    print(f"{name:<22} {backend:<10} {size:>9,}  {'  '.join(cells(f))}", flush=True)
        if options.markdown:
            print(*table(found, backend, options.sizes), sep="\n")
    print(*summary(found), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
