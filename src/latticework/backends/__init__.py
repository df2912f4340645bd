"""Whose array is this? A `Backend` is a framework's module of functions and what dispatch asks of it.

A framework is imported when one of its arrays is met, or when its backend is asked for by name; never before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from ..device import Device
from ..dispatch import Sig
from ..dtypes import Dtype, category
from ..errors import BackendError, BackendNotInstalledError, nearest

__all__ = ["BackendInfo", "backends", "get", "of"]

#: backend -> the framework's module, its distribution, and how to install it
_FRAMEWORKS: dict[str, tuple[str, str, str]] = {
    "numpy": ("numpy", "numpy", "pip install numpy"),
    "torch": ("torch", "torch", "pip install 'latticework[torch]'"),
}


class Backend:
    """A framework's functions and facts, read off its module `latticework.backends.<name>`.

    The module has one name per function, the framework's own where it agrees, and these besides:

    ``ARRAY``                 the framework's array type or types
    ``DTYPES``                its own dtype -> ours, for every dtype that it has
    ``cast(dtype)``           a callable that casts a native array to a native dtype
    ``scalar(dtype)``         a callable that makes a 0-d native array of a Python scalar
    ``SCALARS``               functions whose second operand may be a Python scalar (both, with ``SCALAR_FIRST``)
    ``DETOURS``               (function, dtype) -> another callable, exact, where the framework's own lacks the dtype
    ``dtype_of``, ``device_of``, ``shape_of``, ``index``, ``assign``, …   what `Array` is made from
    """

    def __init__(self, name: str, module: Any) -> None:
        self.name, self.module = name, module
        self.dtypes: dict[Any, Dtype] = module.DTYPES
        self.native: dict[Dtype, Any] = {ours: native for native, ours in module.DTYPES.items()}
        self.sigs: dict[Dtype, Sig] = {d: Sig(self, d) for d in self.native}
        self.detours: dict[tuple[str, Dtype], Callable[..., Any]] = module.DETOURS

    def __repr__(self) -> str:
        return f"<backend {self.name}>"

    def sig(self, dtype: Dtype) -> Sig:
        try:
            return self.sigs[dtype]
        except KeyError:
            raise BackendError(f"the {self.name} backend has no {dtype}{nearest(dtype, self.native)}") from None

    def sig_of(self, data: Any) -> Sig:
        """The signature of a native array."""
        dtype = self.module.dtype_of(data)
        try:
            return self.sigs[self.dtypes[dtype]]
        except KeyError:
            raise TypeError(f"an array of {dtype} cannot be used: latticework has no such dtype") from None

    def function(self, name: str, dtype: Dtype | None = None) -> Callable[..., Any] | None:
        """What computes a function in a dtype: the detour if there is one, else the module's own, or None."""
        if dtype is not None and (detour := self.detours.get((name, dtype))) is not None:
            return detour
        chapter, _, last = name.rpartition(".")  # "linalg.inv" lies in the module's own linalg
        found: Callable[..., Any] | None = getattr(getattr(self.module, chapter) if chapter else self.module, last, None)
        return found

    def device(self, device: object) -> Device:
        """A device of this backend, checked."""
        owner = getattr(device, "backend", None)
        if isinstance(device, Device) and owner not in (None, self.name):
            raise BackendError(f"device {device!r} is of another backend than {self.name}")
        return Device(self.module.device(device), self.name)


@cache
def get(name: object) -> Backend:
    """The backend of that name; imports its framework.

    Raises
    ------
    ValueError: for a name that is no backend, with the nearest that is.
    BackendNotInstalledError: (an ImportError) with the command that installs its framework.
    """
    if isinstance(name, Backend):
        return name
    if name not in _FRAMEWORKS:
        known = ", ".join(_FRAMEWORKS)
        raise ValueError(f"there is no backend {name!r}{nearest(name, _FRAMEWORKS)}; there are {known}")
    framework, _, command = _FRAMEWORKS[str(name)]
    try:
        import_module(framework)
    except ImportError as error:
        raise BackendNotInstalledError(
            f"the {name} backend needs {framework}, which is not installed: {command}"
        ) from error
    return Backend(str(name), import_module(f"{__name__}.{name}"))


def of(x: object) -> Backend | None:
    """The backend whose array `x` is, or None. Only frameworks that are loaded already can own one."""
    for base in type(x).__mro__:
        root = base.__module__.partition(".")[0]
        for name, (framework, _, _) in _FRAMEWORKS.items():
            if root == framework and framework in sys.modules:
                backend = get(name)
                if isinstance(x, backend.module.ARRAY):
                    return backend
    return None


class BackendInfo(NamedTuple):
    """One row of `backends()`: is the framework installed, and in which version?"""

    name: str
    installed: bool
    version: str | None
    install: str


def backends() -> tuple[BackendInfo, ...]:
    """Every backend, whether its framework is installed, and in which version. Imports no framework.

    Examples
    --------
    >>> import latticework as lw
    >>> [b.name for b in lw.backends() if b.installed][0]
    'numpy'
    """
    from importlib.metadata import version

    rows = []
    for name, (framework, distribution, command) in _FRAMEWORKS.items():
        installed = find_spec(framework) is not None
        rows.append(BackendInfo(name, installed, version(distribution) if installed else None, command))
    return tuple(rows)


def supported(backend: Backend, kind: str) -> tuple[Dtype, ...]:
    """The dtypes of a category that a backend has."""
    return tuple(d for d in category(kind) if d in backend.native)
