"""Scripts and modules that are run with the dialects of frameworks in the place of these."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from .imports import Redirection, redirecting

__all__ = ["run_script"]


def run_script(
    path: str,
    arguments: Sequence[str],
    names: Sequence[str],
    *,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    module: bool = False,
) -> None:
    """Run a script, or a module, as Python does, with the dialects of some frameworks in their place.

    The imports of the script, of what lies beside it and of installed packages are redirected, in all threads.

    Parameters
    ----------
    path: the file of the script, or the name of the module.
    arguments: its arguments in ``sys.argv``, after its own name.
    names: the frameworks.
    only: the installed packages that are redirected; None for all.
    without: packages that are not.
    module: run a module by its name, as ``python -m`` does.
    """
    code = None if module else compile(Path(path).read_bytes(), path, "exec")
    before = sys.argv, sys.path[:], sys.modules.get("__main__")
    sys.argv = [path, *arguments]
    sys.path.insert(0, str(Path.cwd() if module else Path(path).resolve().parent))
    try:
        with redirecting(Redirection(names, only, without), process=True):
            if code is None:
                runpy.run_module(path, run_name="__main__", alter_sys=True)
                return
            main = sys.modules["__main__"] = ModuleType("__main__")
            main.__file__ = path
            exec(code, main.__dict__)
    finally:
        sys.argv, sys.path[:] = before[0], before[1]
        if before[2] is not None:
            sys.modules["__main__"] = before[2]
