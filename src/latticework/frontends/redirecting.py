"""Programs that import a framework, with its dialect in its place: functions, and scripts that are run."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any

from . import dialect_names
from .naming import PREFIX, filled, named_in

__all__ = ["frameworks_of", "importing", "named_itself", "redirected", "run_script", "speaks_ours"]

#: Modules of other packages that have a part for a framework, which its dialect has too.
_BESIDE = {"safetensors": "torch", "safetensors.torch": "torch"}


def frameworks_of(f: Callable[..., Any]) -> tuple[str, ...]:
    """Return the frameworks, or their dialects, that a function is written for: the frameworks that it names.

    NumPy counts only if it is the only framework: beside another framework, programs compute constants with NumPy.
    """
    found: dict[str, None] = {}
    ours = False
    for value in named_in(f):
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
        ours = ours or (isinstance(value, ModuleType) and name == "latticework")
        root = _root(str(name).removeprefix(PREFIX))
        if root in dialect_names() and (str(name).startswith(PREFIX) or root in sys.modules):
            found[root] = None
    if len(found) > 1 or ours:
        found.pop("numpy", None)
    return tuple(found)


def speaks_ours(f: Callable[..., Any]) -> bool:
    """Return whether a function names something of latticework outside the dialects."""
    for value in (f, *named_in(f)):
        name = str(value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "")
        if name.partition(".")[0] == "latticework" and not f"{name}.".startswith(PREFIX):
            return True
    return False


def named_itself(f: Callable[..., Any], framework: str) -> bool:
    """Return whether a function names something of the framework itself, not of its dialect."""
    for value in named_in(f):
        name = str(value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "")
        if not name.startswith(PREFIX) and _root(name) == framework:
            return True
    return False


def _root(name: str) -> str:
    """Return the framework of a module."""
    root = name.partition(".")[0]
    return {"jaxlib": "jax", "_jax": "jax"}.get(root, root)


def redirected(f: Any, frameworks: Sequence[str]) -> Any:
    """Return a function with the dialects in the place of some frameworks; itself where it is no function in Python.

    Functions that it calls in its own module are redirected too, and so are functions around it. The module stays as it
    is.
    """
    if not isinstance(f, FunctionType) or not frameworks:
        return f
    return _Redirected(f, frameworks).function(f)


class _Redirected:
    """A copy of one function's module, with the dialects in the place of frameworks."""

    def __init__(self, f: FunctionType, frameworks: Sequence[str]) -> None:
        self.module, self.frameworks, self.made = f.__globals__, frameworks, dict[int, Any]()
        self.globals: dict[str, Any] = {}
        self.globals.update({name: self.value(x) for name, x in self.module.items()})

    def function(self, f: FunctionType) -> Any:
        """Return the function with the redirected module and closure."""
        known = self.made.get(id(f))
        if known is not None:
            return known
        cells = tuple([CellType(self.value(c.cell_contents)) if filled(c) else c for c in f.__closure__ or ()])
        made = FunctionType(f.__code__, self.globals, f.__name__, f.__defaults__, cells or None)
        self.made[id(f)] = made
        made.__kwdefaults__ = f.__kwdefaults__
        made.__dict__.update(f.__dict__)
        made.__qualname__, made.__module__, made.__doc__ = f.__qualname__, f.__module__, f.__doc__
        return made

    def value(self, x: Any) -> Any:
        """Return the redirected form of a value."""
        if isinstance(x, ModuleType):
            inside = x.__name__.partition(".")[0] in self.frameworks
            return _loaded(f"{PREFIX}{x.__name__}", x.__name__) if inside else x
        if isinstance(x, FunctionType) and x.__globals__ is self.module:
            return self.function(x)
        if isinstance(x, (FunctionType, BuiltinFunctionType, type)) or type(x).__name__ in ("ufunc", "PjitFunction"):
            return _same_name(x, self.frameworks)
        return x


def _loaded(name: str, framework: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not str(error.name).startswith(PREFIX):
            raise
        why = _reason(framework)
        raise ModuleNotFoundError(
            f"{framework}: latticework's dialect has no such module{why}", name=framework
        ) from None


def _reason(name: str) -> str:
    """Return why a dialect lacks a name, from its coverage; empty if the coverage does not say."""
    root, _, rest = name.partition(".")
    try:
        absent = import_module(f"{PREFIX}{root}.coverage").ABSENT
    except (ModuleNotFoundError, AttributeError):
        return ""
    names = {name, f"{root}.{rest.partition('.')[0]}", f"tf.{rest.partition('.')[0]}"}
    return "".join(f". {why}" for group, why in absent.items() if names & {n.strip() for n in group.split(",")})


def _same_name(x: Any, frameworks: Sequence[str]) -> Any:
    """A framework's function or class, imported by name, as the dialect has it."""
    module, name = getattr(x, "__module__", None), getattr(x, "__name__", None)
    root = _root(str(module or ""))
    if root not in frameworks or not name:
        return x
    package = import_module(f"{PREFIX}{root}")
    for inner in ("", *getattr(package, "SUBMODULES", ())):
        real = sys.modules.get(f"{root}.{inner}".rstrip("."))
        if real is not None and getattr(real, name, None) is x:
            return getattr(import_module(f"{PREFIX}{root}.{inner}".rstrip(".")), name)
    return x


class _Beside(MetaPathFinder):
    """Finds the modules in a script's folder, and redirects their imports as the script's own.

    Parameters
    ----------
    folder: the folder. What is installed below it, as in a virtual environment, is left alone.
    names: the builtins of these modules.
    """

    def __init__(self, folder: Path, names: dict[str, Any]) -> None:
        self.folder, self.names, self.found = folder, names, list[str]()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module as Python does; None of one that is not in the folder."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        file = Path(spec.loader.path).resolve()
        if self.folder not in file.parents or "site-packages" in file.parts or "dist-packages" in file.parts:
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path, self.names)
        self.found.append(name)
        return spec


class _Loader(SourceFileLoader):
    """Runs a module with builtins that redirect its imports."""

    def __init__(self, name: str, path: str, names: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._names = names

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self._names
        super().exec_module(module)


# --- scripts --------------------------------------------------------------------------------------------------------


def importing(names: Sequence[str]) -> Callable[..., Any]:
    """An `__import__` that gives the dialects of these frameworks in their place."""
    real = builtins.__import__
    beside = {module: root for module, root in _BESIDE.items() if root in names}

    def redirecting(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002
        root = name.partition(".")[0]
        in_c = type(fromlist) is list and not fromlist  # code in C imports so, as NumPy's does to print a dtype
        ours = PREFIX if root in names else f"{PREFIX}{beside[name]}." if name in beside else ""
        if level or not ours or in_c:
            return real(name, globals, locals, fromlist, level)
        module = _loaded(f"{ours}{name}", name)
        if not fromlist:
            return _loaded(f"{ours}{root}", root)
        for part in fromlist:
            if part != "*" and not hasattr(module, part):
                try:
                    import_module(f"{module.__name__}.{part}")
                except ModuleNotFoundError:
                    full = f"{name}.{part}"
                    raise ImportError(
                        f"{full}: latticework's dialect of {root} has no such name{_reason(full)}"
                    ) from None
        return module

    return redirecting


def run_script(path: str, arguments: Sequence[str], names: Sequence[str]) -> None:
    """Run a script as Python does, with the dialects of some frameworks in their place.

    The imports of the script and of the modules in its folder are redirected, not the imports of installed packages.

    Parameters
    ----------
    path: the script.
    arguments: its arguments in ``sys.argv``, after its own name.
    names: the frameworks.
    """
    text = Path(path).read_bytes()
    code = compile(text, path, "exec")
    main = ModuleType("__main__")
    main.__file__ = path
    main.__dict__["__builtins__"] = redirecting = {**vars(builtins), "__import__": importing(names)}
    folder = Path(path).resolve().parent
    beside = _Beside(folder, redirecting)
    before = sys.argv, sys.path[:], sys.modules.get("__main__")
    sys.argv = [path, *arguments]
    sys.path.insert(0, str(folder))
    sys.modules["__main__"] = main
    sys.meta_path.insert(0, beside)
    try:
        exec(code, main.__dict__)
    finally:
        sys.meta_path.remove(beside)
        for name in beside.found:
            sys.modules.pop(name, None)
        sys.argv, sys.path[:] = before[0], before[1]
        if before[2] is not None:
            sys.modules["__main__"] = before[2]
