"""What lies in the files of a package that is imported: source, compiled code, and where a framework is named."""

from __future__ import annotations

import builtins
import mmap
import re
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from .naming import PREFIX

__all__ = ["Finder", "compiled_for", "installed", "is_compiled_for", "itself_in"]

#: What compiled code for a framework has in its file: the names of the framework's libraries or of its interface in C.
_MARKS = {
    "torch": (b"libtorch", b"libc10"),
    "tensorflow": (b"libtensorflow",),
    "jax": (b"XLA_FFI_", b"xla::ffi"),
    "numpy": (b"_ARRAY_API",),
}
_INSTALLED = {"site-packages", "dist-packages"}


class Finder(MetaPathFinder):
    """Finds modules as Python does, and gives those that are redirected builtins of their own.

    Attributes
    ----------
    found: the names of the modules that were found.
    """

    def __init__(
        self,
        follows: Callable[[str], bool],
        take: Callable[..., Any],
        refuse: Callable[[str, str], None],
    ) -> None:
        """Make a finder.

        Parameters
        ----------
        follows: tells whether a module is redirected, by its name.
        take: the `__import__` of those modules.
        refuse: raises for compiled code that cannot be redirected, by name and file.
        """
        self._follows, self._refuse, self.found = follows, refuse, set[str]()
        self._builtins = {**vars(builtins), "__import__": take}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module by the other finders; None of one that is not redirected."""
        if not self._follows(name):
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            search = getattr(finder, "find_spec", None)
            spec = None if search is None else search(name, path, target)
            if spec is None:
                continue
            if type(spec.loader) is SourceFileLoader:
                spec.loader = _Loader(spec.loader.name, spec.loader.path, self._builtins)
            elif isinstance(spec.loader, ExtensionFileLoader):
                self._refuse(name, spec.loader.path)
            self.found.add(name)
            return spec  # type: ignore[no-any-return]
        return None


class _Loader(SourceFileLoader):
    """Runs a module with builtins that redirect its imports."""

    def __init__(self, name: str, path: str, names: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._names = names

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self._names
        super().exec_module(module)


# --- files ------------------------------------------------------------------------------------------------------------


def installed(package: str) -> bool:
    """Return whether a package is installed, and no file or folder of the program."""
    return any(_INSTALLED & {*Path(p).parts} or _has_records(str(Path(p).parent)) for p in _places(package))


@cache
def _has_records(folder: str) -> bool:
    """Return whether packages were installed into a folder, by the records that the installer leaves."""
    return any(Path(folder).glob("*.dist-info"))


def _places(package: str) -> list[str]:
    """Return the files and folders of a package."""
    module = sys.modules.get(package)
    spec = getattr(module, "__spec__", None) if module is not None else PathFinder.find_spec(package)
    if spec is None:
        return [file] if (file := getattr(module, "__file__", None)) else []
    return [*(spec.submodule_search_locations or ([spec.origin] if spec.origin else []))]


@cache
def compiled_for(framework: str, package: str) -> tuple[str, ...]:
    """Return the files of an installed package that were compiled for a framework."""
    found = []
    for place in _places(package) if installed(package) else []:
        files = Path(place).rglob("*") if Path(place).is_dir() else [Path(place)]
        found += [str(f) for f in sorted(files) if f.suffix in (".so", ".pyd") and is_compiled_for(framework, str(f))]
    return tuple(found)


def is_compiled_for(framework: str, path: str) -> bool:
    """Return whether a file of compiled code names the libraries of a framework."""
    if not Path(path).stat().st_size:
        return False
    with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return any(data.find(mark) >= 0 for mark in _MARKS.get(framework, ()))


def itself_in(package: str, frameworks: Sequence[str], known: Container[str]) -> tuple[str, str] | None:
    """Return where an imported package has a framework itself.

    Parameters
    ----------
    known: packages that are not gone through: frameworks and the standard library.

    Returns
    -------
    The module, or the file that would import the framework later, and the framework; None if there is none.
    """
    waiting, seen = [package], {package}
    while waiting:
        here = waiting.pop()
        for module in [m for n, m in [*sys.modules.items()] if n == here or n.startswith(f"{here}.")]:
            for name in _origins(module):
                root = name.partition(".")[0]
                if root in frameworks and not name.startswith(PREFIX):
                    return module.__name__, root
                if root and root not in seen and root not in known:
                    seen.add(root)
                    waiting.append(root)
    return _mentions(package, frameworks)


def _origins(module: Any) -> Iterator[str]:
    """Yield the names of the modules that the values of a module are, or come from."""
    for value in [*vars(module).values()] if isinstance(module, ModuleType) else ():
        if isinstance(value, ModuleType):
            yield value.__name__
        elif callable(value):
            yield str(getattr(value, "__module__", None) or "")


def _mentions(package: str, frameworks: Sequence[str]) -> tuple[str, str] | None:
    """Return the first file of a package that imports a framework when it is called. NumPy is not searched for: most
    packages that mention it do without."""
    wanted = [f for f in frameworks if f != "numpy"]
    if not wanted:
        return None
    pattern = re.compile(rf"^\s*(?:import|from)\s+({'|'.join(wanted)})\b", re.MULTILINE)
    for place in _places(package):
        files = Path(place).rglob("*.py") if Path(place).is_dir() else [Path(place)]
        for file in sorted(files):
            found = pattern.search(file.read_text(encoding="utf-8", errors="replace")) if file.suffix == ".py" else None
            if found is not None:
                return str(file), found[1]
    return None
