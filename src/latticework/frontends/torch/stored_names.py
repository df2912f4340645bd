"""Names of classes and functions in files of `torch.save`: PyTorch's own for what the dialect has, and back."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ..imports import kept_modules
from ..naming import PREFIX

__all__ = ["found", "kept", "public"]

_ROOT = f"{PREFIX}torch"
#: PyTorch's class of the functions that are written in C: a file asks it for ``relu``.
_FUNCTIONS = "torch._C", "_VariableFunctionsClass"


def _areas(module: str) -> Iterator[str]:
    """The public modules of the dialect in which a name of a module may be: the nearest first."""
    areas: tuple[str, ...] = import_module(_ROOT).SUBMODULES

    parts = module.split(".")[1:]
    above = [".".join(parts[:count]) for count in range(len(parts), -1, -1)]
    yield from (area for area in above if area in areas or not area)
    if module.startswith("torch.nn.modules."):  # its modules have the names of PyTorch's
        yield module.removeprefix("torch.")
    beside = [area for area in areas if parts and area.partition(".")[0] == parts[0]]
    yield from (area for area in (*beside, *areas) if area not in above)


def _in_area(area: str, name: str) -> Any:
    try:
        return _inside(import_module(f"{_ROOT}.{area}" if area else _ROOT), name)
    except ModuleNotFoundError:
        return None


def _inside(found: Any, name: str) -> Any:
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def public(obj: Any, name: str | None = None) -> tuple[str, str] | None:
    """Return PyTorch's module and name of a class or function of the dialect; None of any other object."""
    module, name = getattr(obj, "__module__", None), name or getattr(obj, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(name, str) and f"{module}.".startswith(f"{_ROOT}.")):
        return None
    ours = module.removeprefix(PREFIX)
    for area in _areas(ours):
        there = _in_area(area, name)
        if there is obj or getattr(there, "__module__", None) == module:  # a public function is one around another
            return (f"torch.{area}" if area else "torch"), name
    return None


def found(module: str, name: str) -> Any:
    """Return what a name of PyTorch's stands for in the dialect.

    Raises
    ------
    AttributeError: the dialect has no such name.
    """
    from .coverage import absence

    if (module, name) == _FUNCTIONS:
        return import_module(_ROOT)
    for area in _areas(module):
        obj = _in_area(area, name)
        if obj is not None:
            return obj
    raise AttributeError(f"load: the file names {module}.{name}. {absence(name)}", name=name)


def kept(obj: Any, name: str | None = None) -> tuple[str, str] | None:
    """Return the names of a class or function of a package that was redirected in a block before; None of any other."""
    module, name = getattr(obj, "__module__", None), name or getattr(obj, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(name, str)):
        return None
    return (module, name) if any(_inside(m, name) is obj for m in kept_modules(module)) else None
