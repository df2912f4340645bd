"""Where the commands write."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.text import Text

console = Console()


def fail(error: Exception | str) -> typer.Exit:
    """Say what is wrong in one line; the exit code is 2, as for every mistake on the command line."""
    Console(stderr=True).print(Text(str(error), style="red"), soft_wrap=True)
    return typer.Exit(2)
