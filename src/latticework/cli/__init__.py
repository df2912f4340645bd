"""The `latticework` command. It needs rich and typer, which the extra `cli` installs."""

from __future__ import annotations

import os
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
        from ..errors import install

        sys.exit(f"The latticework command needs {missing}: {install('cli')}")
    # Silence TensorFlow's messages about the machine, and those of TensorFlow and JAX about GPUs that they look for.
    # Only the command sets these: without oneDNN, TensorFlow rounds some sums of bfloat16 differently.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    app(prog_name="latticework")
