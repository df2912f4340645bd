"""The functions of latticework by name, for the modules that stand below the chapters which declare them.

The chapters fill `OPS` as they are loaded. The package registers itself with `functions` and `load`, so that a module
below can call a function of a chapter, or go through all of them, without importing what stands above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..engine.op import Op

__all__ = ["ALIASES", "OPS", "Functions", "declared", "functions", "load", "register"]


class _Declared(dict[str, "Op"]):
    """Declarations by name. One that is looked up before its chapter was loaded has the chapters loaded."""

    def __missing__(self, name: str) -> Op:
        load()
        name = ALIASES.get(name, name)
        if name not in self:
            raise KeyError(name)
        return self[name]


#: Other names of declared functions -> the name that each is declared under (`declare.alias`).
ALIASES: dict[str, str] = {}

#: Every declared function by name; those of extensions as "linalg.inv", "fft.fft". Filled as chapters are loaded:
#: `load` sees to all of them, for who goes through it.
OPS: dict[str, Op] = _Declared()


class Functions:
    """The public namespace as an object: ``functions.reshape`` is `lw.reshape`, found when it is first used."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(_package, name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import latticework as functions  # what its attributes are
else:
    functions = Functions()

_package: Any = None
_load_chapters: Callable[[], list[str]] | None = None


def register(package: Any, load_chapters: Callable[[], list[str]]) -> None:
    """Tell where the public functions are found, and what loads all chapters and names them. The package calls this."""
    global _package, _load_chapters
    _package, _load_chapters = package, load_chapters


def load() -> None:
    """Load every chapter, so that `OPS` has every function: in the order of the chapters, and of the code in each."""
    if _load_chapters is None:
        return
    count = len(OPS)
    chapters = _load_chapters()
    if len(OPS) > count:
        place = {module: i for i, module in enumerate(chapters)}

        def position(item: tuple[str, Op]) -> tuple[int, str, int]:
            module = item[1].function.__module__
            chapter = module if module in place else module.rpartition(".")[0]  # a namespace may be a package
            return place.get(chapter, 0), module, item[1].function.__code__.co_firstlineno

        ordered = sorted(OPS.items(), key=position)
        OPS.clear()
        OPS.update(ordered)


def declared(name: str) -> Op | None:
    """The declaration of a function, None where there is no function of that name. Loads chapters where it has to."""
    if name not in OPS:
        load()
    return OPS.get(ALIASES.get(name, name))
