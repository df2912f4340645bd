"""What a program asks the process about imports, `sys` and `importlib`, with the dialects where the frameworks are.

A package that is redirected may ask whether a framework is there by ``"torch" in sys.modules``, or load it by
``importlib.import_module("torch.nn")``. The process has the framework itself, or none: the package gets modules that
answer for the dialect, and for everything else as the modules of the process do.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterator, MutableMapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .naming import PREFIX

if TYPE_CHECKING:
    from .imports import Redirection

__all__ = ["views"]


def views(redirection: Redirection) -> dict[str, ModuleType]:
    """Return the modules that redirected packages get in the place of those of the process, by name."""
    asks = _Asks(redirection)
    util = _View(importlib.util, find_spec=asks.find_spec)
    metadata = _View(importlib.metadata, version=asks.version)
    return {
        "sys": _View(sys, modules=_Modules(redirection.frameworks)),
        "importlib": _View(importlib, import_module=asks.import_module, util=util, metadata=metadata),
        "importlib.util": util,
        "importlib.metadata": metadata,
    }


class _View(ModuleType):
    """A module with other values for some names."""

    def __init__(self, module: ModuleType, **other: Any) -> None:
        super().__init__(module.__name__)
        names = ("__doc__", "__loader__", "__package__", "__spec__", "__path__", "__file__")
        vars(self).update({name: vars(module)[name] for name in names if name in vars(module)}, _module=module, **other)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._module, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._module, name)

    def __dir__(self) -> list[str]:
        return dir(self._module)


class _Modules(MutableMapping[str, ModuleType]):
    """`sys.modules` with the modules of dialects under the names of the frameworks'."""

    def __init__(self, frameworks: tuple[str, ...]) -> None:
        self._frameworks = frameworks

    def _dialect(self, name: str) -> bool:
        return isinstance(name, str) and name.partition(".")[0] in self._frameworks

    def __getitem__(self, name: str) -> ModuleType:
        if not self._dialect(name):
            return sys.modules[name]
        try:
            return sys.modules[f"{PREFIX}{name}"]
        except KeyError:
            raise KeyError(name) from None

    def __setitem__(self, name: str, module: ModuleType) -> None:
        sys.modules[f"{PREFIX}{name}" if self._dialect(name) else name] = module

    def __delitem__(self, name: str) -> None:
        del sys.modules[f"{PREFIX}{name}" if self._dialect(name) else name]

    def __iter__(self) -> Iterator[str]:
        for name in [*sys.modules]:
            inside = name.removeprefix(PREFIX)
            if name.startswith(PREFIX) and self._dialect(inside):
                yield inside
            if not self._dialect(name):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def copy(self) -> dict[str, ModuleType]:
        """Return a dict of the modules, as that of a dict does."""
        return dict(self)


class _Asks:
    """`importlib`'s functions for redirected packages."""

    def __init__(self, redirection: Redirection) -> None:
        self._redirection = redirection

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Import a module as `importlib.import_module` does."""
        full = importlib.util.resolve_name(name, package) if name.startswith(".") else name
        found = self._redirection.dialect(full, ("*",))
        if found is not None:
            return found
        importer = sys._getframe(1).f_globals.get("__name__", "")
        return self._redirection.take(full, {"__name__": importer}, None, ("*",), 0)  # type: ignore[no-any-return]

    def find_spec(self, name: str, package: str | None = None) -> ModuleSpec | None:
        """Find a module as `importlib.util.find_spec` does."""
        full = importlib.util.resolve_name(name, package) if name.startswith(".") else name
        ours = full.partition(".")[0] in self._redirection.frameworks
        return importlib.util.find_spec(f"{PREFIX}{full}" if ours else full)

    def version(self, distribution_name: str) -> str:
        """Return a version as `importlib.metadata.version` does; of a framework that of its dialect."""
        found = self._redirection.dialect(distribution_name) if "." not in distribution_name else None
        return importlib.metadata.version(distribution_name) if found is None else str(found.__version__)
