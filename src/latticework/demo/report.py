"""Run the demo's programs on every installed framework, time them in turns, and show how they compare."""

from __future__ import annotations

import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import latticework as lw

from ..backend import BackendInfo, get
from ..cli.output import working
from ..core.dtypes import int64, uint8
from . import program, training_report

#: The largest difference of float32 from NumPy's numbers: rounding differs, and the steps of descent carry it along.
TOLERANCE = 1e-2

#: The share of the steps, and the most runs, on lazy frameworks: all steps make one graph, and building it takes
#: longer than computing it.
LAZY_STEPS, LAZY_REPEATS = 1 / 15, 2


@dataclass
class Result:
    """The results of one framework.

    `steps` is the number of steps of descent, fewer where arrays are computed later. `difference` is the largest
    difference of any intermediate from the NumPy program's, relative to the largest element of that intermediate, and
    `where` its name. `seconds`, `traced` and `by_hand` have one entry for each timed run. `audited` is the number of
    operations of the program that the framework's own rules would give another dtype, or refuse; None if it has no
    rules of its own.
    """

    backend: str
    version: str
    steps: int = 0
    accuracy: float = 0.0
    dtypes: dict[str, str] = field(default_factory=dict)
    difference: float = 0.0
    where: str = ""
    seconds: list[float] = field(default_factory=list)
    traced: list[float] = field(default_factory=list)
    by_hand: list[float] = field(default_factory=list)
    audited: int | None = None

    def ratio(self, times: list[float]) -> str:
        """Return latticework's times over those of the program written in the framework, if there is one."""
        return f"{statistics.median(times) / statistics.median(self.by_hand):.2f}" if self.by_hand and times else "-"


def digits() -> tuple[Any, Any]:
    """Load 1,797 handwritten digits of 8 by 8 pixels from 0 to 16, and their labels, as NumPy arrays."""
    from sklearn.datasets import load_digits

    data = load_digits()
    return data.data.astype(np.uint8), data.target.astype(np.int64)


def measure(backend: BackendInfo, *, steps: int, repeats: int, tick: Callable[[str], None] = lambda _: None) -> Result:
    """Run both programs on one framework: once for the results, then in turns against the clock.

    `tick` is called before each run with a few words about it. All of it is done in one thread: the matrices are
    small, and the number of threads would decide the times.
    """
    with one_thread(backend.name):
        return _measure(backend, steps, repeats, tick)


@contextmanager
def one_thread(name: str) -> Iterator[None]:
    """Have a framework and the libraries that it uses compute in one thread."""
    from threadpoolctl import threadpool_limits

    with single_threaded(name), threadpool_limits(1):  # it limits libraries that are loaded
        yield


@contextmanager
def single_threaded(name: str) -> Iterator[None]:
    """Import a framework, and have it compute in one thread as far as that depends on its own settings."""
    if "jax" not in sys.modules:
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    framework: Any = importlib.import_module(name)
    if name == "tensorflow":
        for setting in ("set_intra_op_parallelism_threads", "set_inter_op_parallelism_threads"):
            with suppress(RuntimeError):  # it has computed something already
                getattr(framework.config.threading, setting)(1)
    if name == "dask":
        with framework.config.set(scheduler="synchronous"):
            yield
    else:
        yield


def finish(name: str, values: list[Any]) -> list[Any]:
    """Return native arrays when they are computed."""
    framework: Any = importlib.import_module(name)
    if name == "dask":
        return list(framework.compute(*values))  # what they have in common is computed once
    if name == "jax":
        framework.block_until_ready(values)
    return values


def _measure(backend: BackendInfo, steps: int, repeats: int, tick: Callable[[str], None]) -> Result:
    name = backend.name
    lazy = get(name).lazy
    if lazy:
        steps, repeats = max(1, round(steps * LAZY_STEPS)), min(repeats, LAZY_REPEATS)
    result = Result(name, (backend.version or "").partition("+")[0], steps)
    pixels, labels = digits()
    reference = importlib.import_module(f"{__package__}.by_hand_numpy").learn(pixels, labels, steps=steps)
    native_program = f"{__package__}.by_hand_{name}"
    by_hand = importlib.import_module(native_program).learn if find_spec(native_program) else None

    def timed(learn: Callable[..., dict[str, Any]], arrays: tuple[Any, Any]) -> tuple[float, dict[str, Any], list[Any]]:
        start = time.perf_counter()
        made = learn(*arrays, steps=steps)
        computed = finish(name, [x.data if isinstance(x, lw.Array) else x for x in made.values()])
        return time.perf_counter() - start, made, computed

    with lw.using(backend=name):
        ours = lw.asarray(pixels), lw.asarray(labels)
        native = ours[0].data, ours[1].data
        tick(f"{name}: getting ready")
        _, made, computed = timed(program.learn, ours)
        if by_hand is not None:
            timed(by_hand, native)
        traced = None if lazy else lw.compile(program.learn)
        if traced is not None:
            timed(traced, ours)
        for i in range(1, repeats + 1):
            for learn, arrays, times, whose in (
                (by_hand, native, result.by_hand, "written by hand"),
                (program.learn, ours, result.seconds, "through latticework"),
                (traced, ours, result.traced, "traced"),
            ):
                tick(f"{name} {whose}, run {i} of {repeats}")
                if learn is not None:
                    times.append(timed(learn, arrays)[0])
    result.audited = audited(name)
    result.dtypes = {key: str(x.dtype) for key, x in made.items()}
    for (key, x), values in zip(made.items(), computed, strict=True):
        expected = np.asarray(reference[key], dtype=np.float64)
        got = np.asarray(values if lazy else x).astype(np.float64)
        distance = np.abs(got - expected).max() / np.abs(expected).max()
        if not distance <= result.difference:  # nan is no agreement
            result.difference, result.where = float(distance), key
        if key == "accuracy":
            result.accuracy = float(got)
    return result


def audited(name: str) -> int | None:
    """Count the operations of the program that a framework's own rules would give another dtype, or refuse."""
    if name not in lw.rule_names():
        return None
    images, labels = lw.spec((1797, 64), uint8), lw.spec((1797,), int64)
    one = partial(program.learn, steps=1)
    report = lw.audit(one, images, labels, rules=("unified", name))
    return len(report.divergences)


def show(console: Console, *, steps: int, repeats: int, epochs: int) -> bool:
    """Run everything, show the progress and the results; return whether all frameworks agreed."""
    installed = [b for b in lw.backends() if b.installed]
    console.print(Text("One program, every framework", style="bold"))
    console.print(
        "Handwritten digits: standardise, PCA by SVD, train a small network by gradients\n"
        "written by hand. 1,348 images to learn from, 449 held out.",
        highlight=False,
    )
    total = sum(3 * (min(repeats, LAZY_REPEATS) if get(b.name).lazy else repeats) + 2 for b in installed)
    with working("Running the demo", total, between=True) as tick:
        results = [measure(b, steps=steps, repeats=repeats, tick=tick) for b in installed]
        trained = training_report.measure(installed, *digits(), epochs=epochs, thread=one_thread, tick=tick)
    console.print(table(results))
    for r in results:
        if r.steps != steps:
            console.print(f"{r.backend}: {r.steps} steps of descent instead of {steps}, in one graph", highlight=False)
    agreed = conclude(console, results)
    agreed = training_report.show(console, trained) and agreed
    for b in lw.backends():
        if not b.installed:
            console.print(Text.assemble((f"{b.name} is not installed: ", "dim"), (b.install, "yellow")))
    return agreed


def same(results: list[Result]) -> dict[str, bool]:
    """Return for each intermediate whether it has one dtype on all frameworks."""
    return {key: len({r.dtypes[key] for r in results}) == 1 for key in results[0].dtypes}


def table(results: list[Result]) -> Table:
    """Make a table with a column for each framework."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", collapse_padding=True)
    grid.add_column("", no_wrap=True)
    for r in results:
        grid.add_column(f"{r.backend}\n{r.version}", justify="right", no_wrap=True)
    grid.add_column("", no_wrap=True)
    heading = "bold cyan"

    grid.add_row(Text("result", style=heading))
    accuracies = [f"{r.accuracy:.2%}" for r in results]
    grid.add_row("  accuracy, held out", *accuracies)
    grid.add_row("  farthest from NumPy's", *[f"{r.difference:.0e}" if r.where else "none" for r in results])
    grid.add_row()
    grid.add_row(Text("dtype of intermediates", style=heading))
    reference = results[0].dtypes
    for key, agrees in same(results).items():
        cells = [Text(r.dtypes[key], style="" if r.dtypes[key] == reference[key] else "bold red") for r in results]
        grid.add_row(f"  {key}", *cells, Text("✓", style="green") if agrees else Text("≠", style="bold red"))
    grid.add_row()
    grid.add_row(Text("time in ms, one thread", style=heading))
    grid.add_row("  written by hand", *[_milliseconds(r.by_hand) for r in results])
    grid.add_row("  in latticework", *[_milliseconds(r.seconds) for r in results])
    grid.add_row("  traced", *[_milliseconds(r.traced) for r in results])
    grid.add_row("  ratio", *[Text(r.ratio(r.seconds), style="bold") for r in results])
    grid.add_row("  ratio, traced", *[Text(r.ratio(r.traced), style="bold") for r in results])
    grid.add_row()
    grid.add_row(Text("audit, under its own rules", style=heading))
    counted = ["-" if r.audited is None else str(r.audited) for r in results]
    grid.add_row("  operations that part ways", *counted)
    grid.add_row()
    return grid


def _milliseconds(times: list[float]) -> str:
    return f"{1000 * statistics.median(times):,.0f}" if times else "-"


def conclude(console: Console, results: list[Result]) -> bool:
    """Print a line on dtypes and a line on numbers; return whether both are as promised."""
    agreement = same(results)
    number = len(results)
    frameworks = f"{number} frameworks" if number > 1 else "one framework; install another to compare"
    dtypes = all(agreement.values())
    far = [r for r in results if not r.difference <= TOLERANCE]
    if dtypes:
        console.print(Text(f"✓ {len(agreement)} of {len(agreement)} dtypes are equal on {frameworks}", style="green"))
    else:
        differing = ", ".join(key for key, agrees in agreement.items() if not agrees)
        console.print(Text(f"≠ these dtypes differ: {differing}", style="bold red"))
    if far:
        named = ", ".join(f"{r.backend} by {r.difference:.0e} in {r.where}" for r in far)
        console.print(Text(f"≠ these numbers are far from NumPy's: {named}", style="bold red"))
    else:
        worst = max(results, key=lambda r: r.difference)
        console.print(
            Text(
                f"✓ all numbers are NumPy's, within {worst.difference:.0e} of the largest of their array", style="green"
            )
        )
    return dtypes and not far
