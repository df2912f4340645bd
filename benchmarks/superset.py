"""What functions beyond the standard take, beside the frameworks' own for the same work.

    python benchmarks/superset.py                  every row on every backend, as plain text
    python benchmarks/superset.py --markdown       as a table
    python benchmarks/superset.py --backend numpy --rows conv pool

One thread, arrays of about a million elements, in turns as in overhead.py. Processor time is measured, of all threads
together: calls of milliseconds are interrupted too often on a machine that does other work. There are two kinds of
rows:

native     The backend's framework has the function, and ours calls it. The ratio is of our time to that of the
           framework's own call, and is to be at most 1.05.
composed   Ours is made of other functions on this backend. The ratio is of our time to that of the best framework's own
           function on the same machine, and is to be at most 2.

Before a row is timed, the results are compared. Where a goal is missed, the time of the passes that the backend cannot
do without is given too, if the row knows them. JAX is waited for. Dask is left out: it computes with NumPy's functions.
"""

from __future__ import annotations

from timing import Timing, duration, measure  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import importlib
import re
import statistics
import sys
import time
import timeit
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from rows import NOTES, OPERANDS, ROWS, Row, numbers

import latticework as lw
from latticework.backend import get
from latticework.core.registry import OPS

NATIVE_GOAL, COMPOSED_GOAL = 1.05, 2.0
CLOCK = time.process_time
#: The names that the frameworks' statements use, and the module behind each.
MODULES = {
    "numpy": {"np": "numpy", "scipy": "scipy"},
    "torch": {"torch": "torch", "F": "torch.nn.functional"},
    "jax": {"jax": "jax", "jnp": "jax.numpy"},
    "tensorflow": {"tf": "tensorflow"},
}
_IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z]\w*")


class Found(NamedTuple):
    """What a row took on a backend: its kind, the framework that it is compared with, and the time of the least
    passes, where the goal was missed and they are known."""

    kind: str
    framework: str
    timing: Timing
    floor: float | None

    @property
    def goal(self) -> float:
        """The ratio that it is to have at most."""
        return NATIVE_GOAL if self.kind == "native" else COMPOSED_GOAL

    @property
    def missed(self) -> bool:
        """Whether the ratio, to two places, is greater than the goal."""
        return round(self.timing.ratio, 2) > self.goal


# --- statements -----------------------------------------------------------------------------------------------------


@cache
def modules(framework: str) -> dict[str, Any]:
    """The modules of a framework by the names that statements use, limited to one thread."""
    found = {name: importlib.import_module(module) for name, module in MODULES[framework].items()}
    if framework == "torch":
        found["torch"].set_num_threads(1)
    if framework == "jax":
        found["jax"].config.update("jax_enable_x64", True)
    if framework == "numpy":
        for module in ("scipy.special", "scipy.linalg"):
            importlib.import_module(module)
    return found


@cache
def native_operand(framework: str, name: str) -> Any:
    """An operand as the framework's own array."""
    if name == "random_key":
        return modules("jax")["jax"].random.key(0)
    if name == "rng":
        return np.random.default_rng(0)
    return lw.asarray(numbers(name), backend=framework).data


@cache
def our_operand(backend: str, name: str) -> Any:
    """An operand of ours on a backend."""
    if name == "RANDOM_KEY":
        return lw.random.key(0, backend=backend)
    if name == "RNG":
        with lw.using(backend=backend):
            return lw.random.default_rng(0)
    return lw.asarray(numbers(name.lower()), backend=backend)


def native_names(framework: str, statement: str) -> dict[str, Any]:
    """The names in a framework's statement."""
    wanted = {n for n in _IDENTIFIER.findall(statement) if n in OPERANDS or n in ("random_key", "rng")}
    return {**modules(framework), "np": np, **{n: native_operand(framework, n) for n in wanted}}


def our_names(backend: str, statement: str) -> dict[str, Any]:
    """The names in a statement of ours."""
    wanted = {n for n in _IDENTIFIER.findall(statement) if n.lower() in OPERANDS or n in ("RANDOM_KEY", "RNG")}
    return {"lw": lw, **{n: our_operand(backend, n) for n in wanted if n.isupper()}}


def waited_for(statement: str, framework: str) -> str:
    """A statement that ends when its result is there."""
    return f"jax.block_until_ready({statement})" if framework == "jax" else statement


def kind_of(name: str, row: Row, backend: str) -> str:
    """Whether a row compares a native function of the backend, or a composition of ours."""
    called = re.match(r"lw\.([\w.]+)", row.ours)
    if backend not in row.native or called is None:
        return "native" if backend in row.native else "composed"
    function = called[1]
    parent, _, last = function.rpartition(".")
    inner = f"{parent}._{last}".lstrip(".")  # a composition may only prepare the call of a function that backends have
    found = next((o for o in (inner, function) if o in OPS), function)
    return "composed" if get(backend).function(found) is None else "native"


# --- measuring ------------------------------------------------------------------------------------------------------


@cache
def quickest(name: str) -> str:
    """The framework whose own function takes the least time for a row."""
    row = ROWS[name]
    times = {}
    for framework, statement in row.native.items():
        timer = timeit.Timer(waited_for(statement, framework), timer=CLOCK, globals=native_names(framework, statement))
        timer.timeit(2)
        times[framework] = statistics.median(timer.repeat(7, 1))
    return min(times, key=times.__getitem__)


def check(name: str, backend: str, framework: str) -> None:
    """Compare what the two statements give, but for the order of axes."""
    row = ROWS[name]
    if row.close is None:
        return
    with lw.using(backend=backend):
        ours = eval(row.ours, our_names(backend, row.ours))
    native = eval(row.native[framework], native_names(framework, row.native[framework]))
    a, b = (np.asarray(lw.asarray(x, backend="numpy").data).astype(np.complex128) for x in (ours, native))
    if a.shape != b.shape:
        a, b = np.sort(a, axis=None), np.sort(b, axis=None)
    if a.shape != b.shape or np.max(np.abs(a - b)) > row.close * np.max(np.abs(b)):
        raise AssertionError(
            f"{name}: ours on {backend} and {framework}'s own differ: {a.ravel()[:4]}, {b.ravel()[:4]}"
        )


def measured(name: str, backend: str, rounds: int, limit: float) -> Found:
    """Time a row on a backend."""
    row = ROWS[name]
    kind = kind_of(name, row, backend)
    framework = backend if kind == "native" else quickest(name)
    statement = row.native[framework]
    names = our_names(backend, row.ours) | native_names(framework, statement)
    if "jax" in (backend, framework):
        names |= modules("jax")
    check(name, backend, framework)
    with lw.using(backend=backend):
        timing = measure(waited_for(statement, framework), waited_for(row.ours, backend), names, rounds, limit, CLOCK)
    found = Found(kind, framework, timing, None)
    if found.missed and (passes := (row.floor or {}).get(backend)) is not None:
        least = timeit.Timer(passes, timer=CLOCK, globals=native_names(backend, passes))
        found = found._replace(floor=statistics.median(least.repeat(11, 1)))
    return found


# --- printing -------------------------------------------------------------------------------------------------------


def cell(found: Found) -> str:
    """A ratio, what it is a ratio to, and what is to be said of a miss."""
    t = found.timing
    compared = "its own" if found.kind == "native" else found.framework
    text = f"{t.ratio:.2f} [{t.low:.2f}, {t.high:.2f}] of {compared} {duration(t.native)}"
    if found.missed:
        text += f", misses {found.goal:g}"
    if found.floor is not None:
        text += f"; least passes {found.floor / t.native:.2f}"
    return text


def summary(found: dict[tuple[str, str], Found]) -> Iterator[str]:
    """How many reach their goals, and which do not, the worst first."""
    for kind in ("native", "composed"):
        of = {at: f for at, f in found.items() if f.kind == kind}
        missed = sorted((at for at, f in of.items() if f.missed), key=lambda at: -of[at].timing.ratio)
        yield f"- {kind}: {len(of) - len(missed)} of {len(of)} reach their goal"
        for at in missed:
            why = f" ({NOTES[at]})" if at in NOTES else ""
            yield f"  - {' on '.join(at)}: {cell(of[at])}{why}"


def keep_memory() -> None:
    """Let the C library keep the memory of arrays that are freed, as it does in a program that has had a large one.

    Otherwise calls differ by which of them is given memory by the system anew, which can take longer than to fill it.
    """
    np.empty(31 << 20, np.uint8).fill(0)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", nargs="+", default=[], help="those that are installed, if left out")
    parser.add_argument("--rows", nargs="+", default=[""], help="only rows whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--seconds", type=float, default=1.0, help="for one row on one backend")
    parser.add_argument("--markdown", action="store_true", help="a table instead of lines")
    options = parser.parse_args(arguments)
    installed = {b.name: b.version for b in lw.backends() if b.installed}
    backends = [b for b in options.backend or installed if b in MODULES]
    for framework in MODULES:
        modules(framework)
    keep_memory()
    names = [name for name in ROWS if any(wanted in name for wanted in options.rows)]
    found: dict[tuple[str, str], Found] = {}
    for name in names:
        for backend in backends:
            f = found[name, backend] = measured(name, backend, options.rounds, options.seconds)
            if not options.markdown:
                print(f"{name:<34} {backend:<10} {f.kind:<8} {cell(f)}", flush=True)
    if options.markdown:
        print(f"| function | {' | '.join(f'{b} {installed[b]}' for b in backends)} |")
        print("|---" * (len(backends) + 1) + "|")
        for name in names:
            print(f"| {name} | {' | '.join(cell(found[name, b]) for b in backends)} |")
        print()
    print(*summary(found), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
