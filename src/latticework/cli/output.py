"""The output of the commands: the console, progress bars and errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)  # fmt: skip
from rich.text import Text

console = Console()


@contextmanager
def bar(
    what: str, total: float, *, counted: bool = True, between: bool = False
) -> Iterator[Callable[[float, str], None]]:
    """Show how far long work is, and how long it may take; nothing where standard error is no terminal.

    Parameters
    ----------
    what: what is being done.
    total: how much there is to do, in any unit.
    counted: whether the unit can be counted, as ``3/12`` shows it; a percentage is shown otherwise.
    between: whether the bar is drawn only when it is called, so that drawing takes no time from what is timed.

    Yields
    ------
    A function to call with how much is done, and with what is being done now.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn() if counted else TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[now]}", style="dim", markup=False),
    )
    errors = Console(stderr=True)
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal, auto_refresh=not between,
        speed_estimate_period=3600,  # steps may take minutes
        redirect_stdout=sys.stdout.isatty(),  # what is printed to a file goes there, and not to the terminal
    ) as progress:  # fmt: skip
        task = progress.add_task(what, total=total, now="")

        def show(done: float, now: str) -> None:
            progress.update(task, completed=done, now=now, refresh=between)

        yield show


@contextmanager
def working(what: str, total: int, *, between: bool = False) -> Iterator[Callable[[str], None]]:
    """Show the progress of long work that is done in steps, as `bar` does.

    Parameters
    ----------
    what: what is being done.
    total: the number of steps.
    between: whether the bar is drawn only as a step begins.

    Yields
    ------
    A function to call with the name of each step as it begins.
    """
    with bar(what, total, between=between) as show:
        begun = count()
        yield lambda name: show(next(begun), name)


def note(text: str) -> None:
    """Say something besides, in one line on standard error."""
    Console(stderr=True).print(Text(text, style="yellow"), soft_wrap=True)


def fail(error: Exception | str) -> typer.Exit:
    """Say what is wrong in one line; the exit code is 2, as for every mistake on the command line."""
    Console(stderr=True).print(Text(str(error), style="red"), soft_wrap=True)
    return typer.Exit(2)
