"""The registry: which backends there are, and which one owns an array.

Each backend is a plug-in: a folder of the package `latticework.backends`, found by its name, or a package outside that
registers itself (see `facts`). A framework is imported when one of its arrays is met, or when its backend is asked for
by name; never before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from ..core.dtypes import OTHER_NAMES, Dtype, category
from ..errors import BackendError, BackendNotInstalledError, nearest, with_clone
from . import facts as _facts
from .contract import Backend, missing_parts
from .facts import PLUGINS, Facts, all_facts, facts_of, inside_facts, outside, plugin_of, problems

__all__ = [
    "BackendInfo", "backends", "first_version", "get", "of", "refresh", "supported", "unknown_backend", "version_of",
]  # fmt: skip


def unknown_backend(name: object) -> ValueError:
    """Make the error for a name that is no backend: it names the backend with this alias, or the nearest one."""
    names = [n for n, f in all_facts().items() if f.framework]
    alias = next((n for n in names if name in all_facts()[n].aliases), None)
    hint = f"; did you mean {alias!r}?" if alias else nearest(name, names) or "."
    return ValueError(f"there is no backend {name!r}{hint} There are {', '.join(names)}")


@cache
def get(name: object) -> Backend:
    """Return the backend of that name, and import its framework.

    Raises
    ------
    ValueError: for a name that is no backend, with the nearest that is.
    BackendNotInstalledError: (an ImportError) with the command that installs its framework.
    BackendError: a package that registers itself by that name, and cannot be used.
    """
    if isinstance(name, Backend):
        return name
    plugin, _, target = name.partition(":") if isinstance(name, str) else ("", "", "")
    facts = facts_of(plugin)
    if facts is None or (facts.framework and target):
        if plugin in problems():
            raise BackendError(problems()[plugin])
        raise unknown_backend(name)
    try:
        import_module(facts.framework or __name__)
    except ImportError as error:
        raise _unavailable(str(name), facts, error) from error
    module = _module_of(plugin)
    if not facts.framework:
        stand_in: Backend = module.of_target(target)
        return stand_in
    kind = _class_of(module)
    found = plugin_of(plugin)
    if found is None or not found.distribution:
        return kind(plugin, module)
    try:
        return kind(plugin, module)
    except Exception as error:
        raise BackendError(
            f"{kind.__module__}.{kind.__qualname__}, the class of the backend {plugin!r}, cannot be made: "
            f"{type(error).__name__}: {error}"
        ) from error


def _module_of(name: str) -> ModuleType:
    """Import the package of a backend.

    Raises
    ------
    BackendError: a package outside that cannot be imported.
    """
    plugin = plugin_of(name)
    if plugin is None or not plugin.distribution:
        return import_module(f"{PLUGINS}.{name}")
    try:
        return import_module(plugin.module)
    except Exception as error:
        raise BackendError(
            f"the package {plugin.module} of {plugin.distribution}, which is the backend {name!r}, cannot be imported: "
            f"{type(error).__name__}: {error}"
        ) from error


def _class_of(module: ModuleType) -> type[Backend]:
    """Return the class that a plug-in names as its ``BACKEND``, checked.

    Raises
    ------
    BackendError: it names none of its own, or one that lacks parts of the contract.
    """
    found: Any = vars(module).get("BACKEND")
    own = (
        isinstance(found, type)
        and issubclass(found, Backend)
        and f"{found.__module__}.".startswith(f"{module.__name__}.")
    )
    if not own:  # one that it has by a star import is of other arrays
        raise BackendError(
            f"{module.__name__} names no class of its own as BACKEND. "
            f"Derive one from latticework.backend.Backend, or from the class of a backend whose arrays are alike"
        )
    kind: type[Backend] = found
    if missing := missing_parts(kind):
        raise BackendError(
            f"{kind.__module__}.{kind.__qualname__} lacks parts of the contract of a backend: {', '.join(missing)}. "
            f"latticework.backend.Backend describes them"
        )
    return kind


def _unavailable(name: str, facts: Facts, error: ImportError) -> BackendNotInstalledError:
    """Make the error for a framework that is not installed, or is installed and cannot be imported."""
    installed = find_spec(facts.framework.partition(".")[0]) is not None
    absent = not installed or isinstance(error, ModuleNotFoundError)
    what = "which is not installed" if absent else f"which is installed and cannot be imported ({error})"
    return BackendNotInstalledError(f"the {name} backend needs {facts.framework}, {what}: {with_clone(facts.install)}")


@cache
def _owners() -> dict[str, list[tuple[str, str]]]:
    """Map the first part of a framework's module to its backends, each with that module: of those inside."""
    return _by_root(inside_facts())


@cache
def _owners_outside() -> dict[str, list[tuple[str, str]]]:
    return _by_root({name: plugin.facts for name, plugin in outside().items()})


def _by_root(found: dict[str, Facts]) -> dict[str, list[tuple[str, str]]]:
    owners: dict[str, list[tuple[str, str]]] = {}
    for name, facts in found.items():
        if facts.framework:
            owners.setdefault(facts.framework.partition(".")[0], []).append((name, facts.framework))
    return owners


def of(x: object) -> Backend | None:
    """Return the backend whose array `x` is, or None. Only frameworks that are loaded already can own an array."""
    for base in type(x).__mro__:
        for name, framework in _owners().get(base.__module__.partition(".")[0], ()):
            if framework in sys.modules:
                backend = get(name)
                if isinstance(x, backend.arrays):
                    return backend
    return None if type(x) in _STRANGERS else _of_outside(x)


#: Classes that are of no framework of a package outside. For those of Python's own, and of latticework's, installed
#: distributions are not looked through.
_STRANGERS: set[type] = set()
_HERE = frozenset((__name__.partition(".")[0], "abc", "builtins", "collections", "numbers", "typing"))


def _of_outside(x: object) -> Backend | None:
    """Return the backend of a package outside whose array `x` is, or None."""
    roots = {base.__module__.partition(".")[0] for base in type(x).__mro__}
    if roots <= _HERE or not roots & _owners_outside().keys():
        _STRANGERS.add(type(x))
        return None
    for root in roots:
        for name, framework in _owners_outside().get(root, ()):
            if framework in sys.modules:
                backend = get(name)
                if isinstance(x, backend.arrays):
                    return backend
    return None


def _dtype_of_outside(native: object) -> Dtype | None:
    """Return the dtype for one of a framework of a package outside, which may have names of its own for them."""
    for name, framework in _owners_outside().get(type(native).__module__.partition(".")[0], ()):
        if framework in sys.modules:
            backend = get(name)
            if isinstance(native, backend.dtype_class):
                found: Dtype | None = backend.dtypes.get(native)
                return found
    return None


OTHER_NAMES.append(_dtype_of_outside)


def refresh() -> None:
    """Look for backends again: for packages that were installed while this process runs, and for changed files."""
    _facts.refresh()
    _owners.cache_clear()
    _owners_outside.cache_clear()
    _STRANGERS.clear()


class BackendInfo(NamedTuple):
    """A row of `backends()`: is the framework installed, and in which version?"""

    name: str
    installed: bool
    version: str | None
    install: str


def backends() -> tuple[BackendInfo, ...]:
    """List the backends: whether the framework is installed, and in which version. Imports no framework.

    Examples
    --------
    >>> import latticework as lw
    >>> [b.name for b in lw.backends() if b.installed][0]
    'numpy'
    """
    rows = []
    for name, facts in all_facts().items():
        if facts.framework:
            installed = find_spec(facts.framework.partition(".")[0]) is not None
            rows.append(BackendInfo(name, installed, version_of(name) if installed else None, facts.install))
    return tuple(rows)


def version_of(name: str) -> str | None:
    """Return the version of a backend's framework, without importing it: that of its distribution, else the module's
    own where it is loaded already. None where neither is known."""
    facts = all_facts()[name]
    return first_version(facts.distributions) or getattr(sys.modules.get(facts.framework), "__version__", None)


def first_version(distributions: Iterable[str]) -> str | None:
    """Return the version of the first of these distributions that is installed."""
    from importlib.metadata import PackageNotFoundError, version

    for name in distributions:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return None


def supported(backend: Backend, kind: str) -> tuple[Dtype, ...]:
    """Return the dtypes of a category that a backend has."""
    return tuple(d for d in category(kind) if d in backend.native_dtypes)
