"""The objects that the names in a function's code refer to, and the dialects among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

__all__ = ["PREFIX", "filled", "named_in", "written_in"]

#: The prefix of the names of the dialects' modules.
PREFIX = "latticework.frontends."


def written_in(f: Callable[..., Any], dialect: str) -> bool:
    """Return whether a function belongs to a dialect, or names something of it."""
    for value in (f, *named_in(f)):
        name = str(value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "")
        if f"{name}.".startswith(f"{PREFIX}{dialect}."):
            return True
    return False


def named_in(f: Any) -> Iterable[Any]:
    """Yield the objects that the names in a function's code refer to: in its module, and in the functions around it."""
    waiting, seen = [f], set[int]()
    while waiting:
        f = waiting.pop()
        f = getattr(f, "__wrapped__", f)
        f = getattr(f, "__func__", f)
        if not isinstance(f, FunctionType) or id(f) in seen:
            continue
        seen.add(id(f))
        inside = [x.cell_contents for x in f.__closure__ or () if filled(x)]
        named = [f.__globals__[n] for n in _names_in(f.__code__) if n in f.__globals__]
        for value in (*inside, *named):
            yield value
            if isinstance(value, FunctionType) and value.__module__ == f.__module__:
                waiting.append(value)


def _names_in(code: Any) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            yield from _names_in(constant)


def filled(cell: CellType) -> bool:
    """Return whether a closure cell has a value."""
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True
