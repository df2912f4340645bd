"""The `latticework` command. It needs rich and typer, which the extra `cli` installs."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command; where rich or typer is missing, one line that says how to install them."""
    try:
        from .app import app
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("rich", "typer"):
            raise
        sys.exit(f"The latticework command needs {missing}: pip install 'latticework[cli]'")
    app(prog_name="latticework")
