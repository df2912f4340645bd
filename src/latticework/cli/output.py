"""Where the commands write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

console = Console()


@contextmanager
def working(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Show the progress of long work, with how long it may take; nothing where there is no terminal.

    Parameters
    ----------
    what: what is being done.
    total: how many steps there are.

    Yields
    ------
    What is called as each step begins, with its name.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[step]}", style="dim"),
    )
    errors = Console(stderr=True)
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task(what, total=total, step="")
        begun = 0

        def step(name: str) -> None:
            nonlocal begun
            progress.update(task, completed=begun, step=name)
            begun += 1

        yield step


def fail(error: Exception | str) -> typer.Exit:
    """Say what is wrong in one line; the exit code is 2, as for every mistake on the command line."""
    Console(stderr=True).print(Text(str(error), style="red"), soft_wrap=True)
    return typer.Exit(2)
