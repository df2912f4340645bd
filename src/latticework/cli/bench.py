"""The command that measures what a call of latticework costs beside the framework's own."""

from __future__ import annotations

import gc
import json
import statistics
import timeit
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.table import Table

import latticework as lw

from . import completing
from .output import console, fail, working

#: The timed calls by name: latticework's, and the framework's own on native arrays.
CALLS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "x + x": (lambda x: x + x, lambda x: x + x),
    "x * 2.0": (lambda x: x * 2.0, lambda x: x * 2.0),
    "-x": (lambda x: -x, lambda x: -x),
    "x > 0.5": (lambda x: x > 0.5, lambda x: x > 0.5),
    "x[1:]": (lambda x: x[1:], lambda x: x[1:]),
}
_BATCH = 2e-3  # seconds, about, of a batch of calls


def bench(
    backend: Annotated[
        str,
        typer.Option(help="Backends, with commas between them; all by default.", autocompletion=completing.backends),
    ] = "",
    size: Annotated[int, typer.Option(min=1, help="Elements of the array, of float32.")] = 4,
    rounds: Annotated[int, typer.Option(min=3, help="Rounds: latticework's call and the framework's in turns.")] = 31,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show how long calls take beside the framework's own: the ratio, the median of the rounds, with its quartiles.

    For example: latticework bench --backend torch --size 1000.
    """
    known = [b.name for b in lw.backends() if b.installed]
    names = [n.strip() for n in backend.split(",") if n.strip()] or known
    unknown = [n for n in names if n not in known]
    if unknown:
        raise fail(f"{unknown[0]} is not installed, or no backend. There are {', '.join(known)}")
    rows: list[dict[str, Any]] = []
    with working("Timing", len(names) * len(CALLS), between=True) as step:
        for name in names:
            with lw.using(backend=name):
                x = lw.ones(size)
                for call, (ours, native) in CALLS.items():
                    step(f"{call} on {name}")
                    rows.append({"backend": name, "call": call, **_timed(ours, native, x, rounds)})
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for column in ("call", "backend", "framework, µs", "latticework, µs", "ratio", "quartiles"):
        table.add_column(column, justify="left" if column in ("call", "backend") else "right")
    for row in rows:
        spread = f"{row['low']:.2f}–{row['high']:.2f}"
        table.add_row(
            row["call"], row["backend"], f"{row['native']:.2f}", f"{row['ours']:.2f}", f"{row['ratio']:.2f}", spread
        )
    console.print(table)


def _timed(ours: Callable[[Any], Any], native: Callable[[Any], Any], x: Any, rounds: int) -> dict[str, float]:
    """Return the microseconds of one call of each, and their ratio with its quartiles."""
    data = x.data
    timers = [timeit.Timer(lambda: ours(x)), timeit.Timer(lambda: native(data))]
    for timer in timers:
        timer.timeit(20)
    count = max(1, int(_BATCH / (max(t.timeit(5) for t in timers) / 5)))
    times: list[list[float]] = [[], []]
    gc.collect()
    gc.disable()
    try:
        for i in range(rounds):
            for k in (0, 1) if i % 2 else (1, 0):
                times[k].append(timers[k].timeit(count) / count * 1e6)
    finally:
        gc.enable()
    low, middle, high = statistics.quantiles([a / b for a, b in zip(*times, strict=True)], n=4)
    return {
        "ours": statistics.median(times[0]), "native": statistics.median(times[1]), "ratio": middle, "low": low,
        "high": high,
    }  # fmt: skip
