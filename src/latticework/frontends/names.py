"""Modules whose public names stand in several files, the chapters."""

from __future__ import annotations

from types import ModuleType
from typing import Any

__all__ = ["export", "public"]


def public(module: ModuleType) -> dict[str, Any]:
    """Return the public names of a module with their values."""
    return {name: getattr(module, name) for name in vars(module)["__all__"]}


def export(names: dict[str, Any], *chapters: ModuleType, only: str = "", but: str = "") -> None:
    """Give a module the public names of its chapters, and add them to its ``__all__``.

    Parameters
    ----------
    names: the module's globals.
    only: the names to take, where it is not all.
    but: names not to take.
    """
    found = {name: x for chapter in chapters for name, x in public(chapter).items()}
    chosen = {*(only.split() or found)}.difference(but.split())
    names |= {name: found[name] for name in chosen}
    names["__all__"] = sorted({*names.get("__all__", ()), *chosen})
