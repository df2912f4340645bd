"""What a dialect's call costs beside the same call of latticework.

    python benchmarks/dialects.py                        all dialects, on NumPy
    python benchmarks/dialects.py --dialect torch --backend jax --size 1000
    python benchmarks/dialects.py --markdown

One thread, both in turns in one process. The ratio is the median over the rounds, with its quartiles; the goal is 1.2.

A call that costs more has its floor beside it: the same ratio of what is left if the dialect's own way to the kernel is
the shortest that there is. That is latticework's call under the dialect's rules, which may cast more, and with the
checks that the framework's meaning asks for (`dialect_rows.MORE`); and the difference between two functions that run no
kernel: one that compares the options of a framework's function and makes an array of the dialect, and one of
latticework's form. A call within 1.05 of its floor counts as at the floor.
"""

from __future__ import annotations

from timing import LIMIT, Timing, in_turns, measure  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import importlib
import math
import re
import statistics
import time
from typing import Any

from dialect_rows import CALLS, MODULES, MORE

import latticework as lw
from latticework.frontends import dialect_named
from latticework.frontends.calls import new
from latticework.policy import active

GOAL, AT_FLOOR = 1.2, 1.05
#: Two functions without a kernel, in the forms of latticework's dispatchers and of a dialect's.
BARE = """
def bare_lw(x, /, out=None):
    if out is not None:
        raise TypeError
    if type(x) is not Array:
        raise TypeError
    if x._sig is first and GET() is policy:
        r = Array()
        r._data = x._data
        r._sig = first
        return r

def bare(x=0, axis=None, out=None, *, keepdim=False, dtype=None, **others):
    try:
        if type(x) is ARRAY and x._sig is first and axis is None and out is None and keepdim is False and (
            dtype is None and GET() is policy and not others
        ):
            t = NEW(ARRAY)
            t._data = x._data
            t._sig = first
            t._held = None
            return t
    except Exception:
        pass
"""


def names(dialect: str, size: int) -> dict[str, Any]:
    """What the expressions name, the dialect's arrays with a prefix."""
    side = max(2, math.isqrt(size))
    vector, matrix = lw.ones(size), lw.ones((side, side))
    positions = lw.astype(lw.arange(size) % side, lw.int64)
    ours = {
        "x": vector, "y": lw.ones(size), "m": matrix, "n": lw.ones((side, side)), "b": vector > 0, "k": matrix > 0,
        "i": positions, "j": lw.zeros((side, side), dtype=lw.int64), "c": lw.ones((1, side, side)),
        "e": lw.eye(side), "s": lw.ones((1, size)),
    }  # fmt: skip
    wrap = dialect_named(dialect).wrapped
    modules = {n: importlib.import_module(f"latticework.frontends.{module}") for n, module in MODULES[dialect].items()}
    bare = {
        "Array": lw.Array, "ARRAY": dialect_named(dialect).array, "NEW": new, "GET": active.get, "first": vector._sig,
        "policy": active.get(),
    }  # fmt: skip
    exec(BARE, bare)
    rules = {"rules": dialect_named(dialect).policy(), "here": active.get(), "enter": active.set, "math": math}
    named = {f"d_{n}": wrap(x) for n, x in ours.items()}
    return {"lw": lw, **modules, **ours, **named, **rules, "bare": bare["bare"], "bare_lw": bare["bare_lw"]}


def in_dialect(expression: str) -> str:
    """The expression with the dialect's arrays."""
    return re.sub(r"(?<![\w.\"])([xymnbkijces])(?![\w,\"]*\"|\w|\()", r"d_\1", expression)


def expressions(dialect: str, only: str) -> dict[str, str]:
    """The calls of a dialect whose text has `only` in it, with the same in latticework."""
    return {theirs: ours for theirs, ours in CALLS[dialect].items() if only in theirs}


def floor(theirs: str, ours: str, known: dict[str, Any], rounds: int) -> float:
    """The ratio to latticework's call of what no way to the kernel can save."""
    statements = {"lw": ours, "more": MORE.get(theirs, ours), "bare": "bare(d_x)", "bare_lw": "bare_lw(x)"}
    setups = {**dict.fromkeys(statements, "enter(here)"), "more": "enter(rules)"}
    turns = in_turns(statements, known, rounds, LIMIT, time.process_time, setups)
    active.set(known["here"])
    return (turns.median("more") + turns.median("bare") - turns.median("bare_lw")) / turns.median("lw")


def row(dialect: str, theirs: str, found: Timing, markdown: bool, least: float = 0.0) -> str:
    """A line of the table."""
    times, spread = f"{found.native * 1e6:.2f}", f"{found.low:.2f}–{found.high:.2f}"
    own = f"{found.ours * 1e6:.2f}"
    if markdown:
        return f"| `{theirs}` | {times} | {own} | {found.ratio:.2f} | {spread} |"
    over = f"  floor {least:.2f}" if found.ratio > GOAL else ""
    over += "  over" if found.ratio > max(GOAL, AT_FLOOR * least) else ""
    return f"{dialect:11} {theirs:42} {times:>8} {own:>8} {found.ratio:6.2f}  {spread}{over}"


def measured(dialect: str, options: argparse.Namespace) -> None:
    """Time the calls of a dialect, and say how many are within the goal and which are not."""
    known, ratios, floors = names(dialect, options.size), {}, {}
    if options.markdown:
        print(f"\n| {dialect} | latticework, µs | dialect, µs | ratio | quartiles |\n|---|--:|--:|--:|--:|")
    for theirs, ours in expressions(dialect, options.only).items():
        found = measure(ours, in_dialect(theirs), known, options.rounds, clock=time.process_time)
        ratios[theirs] = found.ratio
        if found.ratio > GOAL:
            floors[theirs] = floor(theirs, ours, known, options.rounds)
        if found.ratio > GOAL or not options.over:
            print(row(dialect, theirs, found, options.markdown, floors.get(theirs, 0.0)), flush=True)
    if not ratios:
        return
    at = [name for name in floors if ratios[name] <= max(GOAL, AT_FLOOR * floors[name])]
    over = sorted((name for name in floors if name not in at), key=ratios.__getitem__, reverse=True)
    print(
        f"{dialect} on {options.backend}: median ratio {statistics.median(ratios.values()):.2f}, "
        f"{len(ratios) - len(floors)} of {len(ratios)} within {GOAL}, and {len(at)} at their floor"
    )
    print("over:", "; ".join(f"{name} {ratios[name]:.2f}" for name in over) or "none")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", choices=[*CALLS], action="append")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--only", default="", help="a part of the calls to time")
    parser.add_argument("--over", action="store_true", help="show the calls that cost more than the goal")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with lw.using(backend=options.backend):
        for dialect in options.dialect or CALLS:
            measured(dialect, options)


if __name__ == "__main__":
    main()
