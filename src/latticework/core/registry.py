"""The functions of latticework by name, for the modules that stand below the chapters which declare them.

The chapters fill `OPS` as they are loaded. The package registers itself with `functions` and `load`, so that a module
below can call a function of a chapter, or go through all of them, without importing what stands above it. It registers
what answers a call without a kernel too (`answer_calls`): a process may get a pickled array before it has a chapter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..contents import MODULE_OF, NAMESPACES

if TYPE_CHECKING:
    from ..engine.op import Op

__all__ = [
    "ALIASES",
    "MISSING",
    "OPS",
    "Functions",
    "answer_calls",
    "declaration_of",
    "declared",
    "functions",
    "load",
    "register",
]


#: The default of an array that has to be given. No kernel is kept for it: the call misses, and the error names it.
MISSING: Any = type("missing", (), {})()


class _Declared(dict[str, "Op"]):
    """Declarations by name. Looking one up before its chapter was loaded loads that chapter, or all chapters."""

    def __missing__(self, name: str) -> Op:
        namespace, _, rest = name.rpartition(".")
        if _package is not None and (name in MODULE_OF or namespace in NAMESPACES):  # a tenth of the time
            getattr(getattr(_package, namespace) if namespace else _package, rest, None)
        if name not in self:
            load()
            name = ALIASES.get(name, name)
        if name not in self:
            raise KeyError(name)
        return self[name]


#: Other names of declared functions -> the name that each is declared under (`declare.alias`).
ALIASES: dict[str, str] = {}

#: Every declared function by name; those of extensions as "linalg.inv", "fft.fft". Filled as chapters are loaded;
#: call `load` to load all of them before a loop over it.
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
_answer_calls: Callable[[], None] | None = None


def register(package: Any, load_chapters: Callable[[], list[str]], answers: Callable[[], None]) -> None:
    """Tell where the public functions are found, what loads all chapters and names them, and what `answer_calls` does.

    The package calls this.
    """
    global _package, _load_chapters, _answer_calls
    _package, _load_chapters, _answer_calls = package, load_chapters, answers


def answer_calls() -> None:
    """Load what makes kernels for calls that have none. Chapters load it too, as soon as there is one."""
    if _answer_calls is not None:
        _answer_calls()


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
    try:
        return OPS[ALIASES.get(name, name)]
    except KeyError:
        return None


def declaration_of(f: Any) -> Op | None:
    """The declaration of a public function, under whichever name; None where it has none."""
    own = getattr(f, "__wrapped__", None)
    return next((o for o in OPS.values() if o.function is own), None)
