"""Read the facts about each backend, before its framework is imported, from ``backend.json`` in its folder.

A folder of `latticework.backends` with such a file is a backend. Nothing else names it. A program can bring backends of
its own: it adds the folder that contains them to ``latticework.backends.__path__``, before it uses any backend.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

__all__ = ["PLUGINS", "Facts", "all_facts"]

#: The package that has a folder for each backend.
PLUGINS = "latticework.backends"


class Facts(NamedTuple):
    """Facts about a backend that are known before its framework is imported.

    Attributes
    ----------
    framework: the module of the framework: the framework is installed if it can be found. Its arrays are instances of
        classes in this module or below. "" for a backend without a framework, as that of arrays without data.
    distributions: the distributions that bring it. The first that is installed tells the version.
    install: the command that installs it.
    aliases: what else it is called, for the error that names it.
    order: its place in lists of all backends.
    immutable: whether its arrays never change. Writing to an `Array` binds the `Array` to a new native array.
    read_only: whether it has arrays that cannot be written to, which may show the memory of arrays that never change.
    lazy: whether its arrays are computed later.
    compiles: whether it compiles a kernel for each dtype and shape, which takes milliseconds.
    gradients: whether functions of its arrays are differentiated: by the framework, whose ``transformations`` have
        `vjp` and `jvp`, or by latticework's own rules.
    stepwise: functions that the framework has no kernel for, which the backend computes in several steps.
    """

    framework: str = ""
    distributions: tuple[str, ...] = ()
    install: str = ""
    aliases: tuple[str, ...] = ()
    order: int = 99
    immutable: bool = False
    read_only: bool = False
    lazy: bool = False
    compiles: bool = False
    gradients: bool = False
    stepwise: tuple[str, ...] = ()


@cache
def all_facts() -> dict[str, Facts]:
    """Return every backend by name, installed or not, in order. Import none."""
    import json
    from pathlib import Path

    found = {}
    folders = import_module(PLUGINS).__path__
    for path in [p for folder in folders for p in Path(folder).glob("*/backend.json")]:
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for name in ("aliases", "distributions", "stepwise"):
            read[name] = tuple(read.get(name, ()))
        found[path.parent.name] = Facts(**read)
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))
