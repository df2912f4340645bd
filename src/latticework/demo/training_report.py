"""Train the demo's network on every installed framework, and show the losses side by side."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import latticework as lw

from ..backend import BackendInfo
from ..backend.facts import all_facts
from . import training

#: The largest difference between the losses of frameworks, relative to the loss: each step carries rounding along.
TOLERANCE = 1e-3
#: How many epochs a framework that computes later is trained for: it takes ten times as long.
LAZY_EPOCHS = 1


@dataclass
class Trained:
    """The results of one framework.

    `losses` has the mean loss of each epoch. `accuracy` is that of the images held out after all epochs; None where
    the framework was not trained for all.
    """

    backend: str
    losses: list[float] = field(default_factory=list)
    accuracy: float | None = None
    seconds: float = 0.0


def measure(
    backends: list[BackendInfo], pixels: Any, labels: Any, *, epochs: int,
    thread: Callable[[str], Any], tick: Callable[[str], None] = lambda _: None,
) -> list[Trained]:  # fmt: skip
    """Train on each framework; on one that computes later for `LAZY_EPOCHS`.

    Parameters
    ----------
    pixels, labels: the images and their digits, NumPy arrays.
    thread: gives a context in which the framework of a name computes in one thread.
    tick: is called before each framework with a few words about it.

    Returns
    -------
    A `Trained` for each backend, in their order.
    """
    results = [Trained(b.name) for b in backends]
    for result in results:
        lazy = all_facts()[result.backend].lazy
        some = min(epochs, LAZY_EPOCHS) if lazy else epochs
        tick(f"{result.backend}: training")
        with thread(result.backend), lw.using(backend=result.backend):
            arrays = lw.asarray(pixels), lw.asarray(labels)
            start = time.perf_counter()
            params, losses = training.learn(*arrays, epochs=some, lazy=lazy)
            result.losses = [float(x) for x in lw.to_numpy(losses)]
            if some == epochs:
                result.accuracy = float(training.accuracy(params, *arrays))
            result.seconds = time.perf_counter() - start
    return results


def spread(results: list[Trained]) -> float:
    """Return the largest difference between the losses of an epoch, relative to the loss; nan where a loss is nan."""
    epochs = [[x for x in losses if x is not None] for losses in zip_longest(*[r.losses for r in results])]
    return float(np.max([np.ptp(losses) / max(losses) for losses in epochs]))


def show(console: Console, results: list[Trained]) -> bool:
    """Show the losses side by side; return whether they are equal."""
    console.print()
    console.print(Text("A convolutional network, trained by value_and_grad and Adam", style="bold"))
    trained = [r.backend for r in results]
    console.print("The same images, in batches of 64, shuffled by lw.random.", highlight=False)
    console.print()
    console.print(table(results))
    most = max(len(r.losses) for r in results)
    for r in results:
        if len(r.losses) != most:
            console.print(
                f"{r.backend}: {len(r.losses)} epoch instead of {most}, each step as a graph", highlight=False
            )
    console.print()
    far = spread(results)
    names = f"{', '.join(trained[:-1])} and {trained[-1]}" if len(trained) > 1 else trained[0]
    if not far <= TOLERANCE:  # nan is no agreement
        console.print(Text(f"≠ the losses differ by {far:.0e} on {names}", style="bold red"))
        return False
    console.print(Text(f"✓ the losses are equal on {names}, within {far:.0e}", style="green"))
    return True


def table(results: list[Trained]) -> Table:
    """Make a table with a column for each framework."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", collapse_padding=True)
    grid.add_column("", no_wrap=True, min_width=22)
    for r in results:
        grid.add_column(r.backend, justify="right", no_wrap=True, min_width=7)
    for epoch in range(max(len(r.losses) for r in results)):
        losses = [f"{r.losses[epoch]:.5f}" if epoch < len(r.losses) else "" for r in results]
        grid.add_row(f"  loss of epoch {epoch + 1}", *losses)
    grid.add_row("  accuracy, held out", *["" if r.accuracy is None else f"{r.accuracy:.2%}" for r in results])
    grid.add_row("  seconds, with compiling", *[f"{r.seconds:.1f}" for r in results])
    return grid
