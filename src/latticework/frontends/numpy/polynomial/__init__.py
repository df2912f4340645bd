"""`numpy.polynomial`: NumPy's own modules, which are written in Python over its arrays, with the dialect's arrays.

They are loaded from NumPy's files with their imports redirected, so that functions and classes have NumPy's names,
arguments and errors, and compute on the backend in force.
"""

from __future__ import annotations

import builtins
import sys
from functools import wraps as _wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as _numpy

from ... import numpy as _dialect
from ..base import as_array as _as_array
from ..base import of_numpy as _of_numpy
from ..base import to_numpy as _to_numpy

__all__ = ["Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial", "set_default_printstyle"]

_array: Any = vars(_dialect)["array"]  # a name from a table


def _imported(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """Import as Python does, with the dialect for NumPy. NumPy's private helpers of functions are its own."""
    return _dialect if name == "numpy" and not level else __import__(name, globals, locals, fromlist, level)


def _load(name: str) -> ModuleType:
    """Load a module of NumPy's package as one of this package."""
    file = Path(_numpy.polynomial.__file__).with_name(f"{name}.py")
    module = ModuleType(f"{__name__}.{name}", _numpy.polynomial.__doc__)
    module.__file__, module.__package__ = str(file), __name__
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _imported}
    sys.modules[module.__name__] = module
    exec(compile(file.read_bytes(), str(file), "exec"), module.__dict__)
    globals()[name] = module
    return module


class _Constant:
    """An attribute of a class that is an array: on the backend that is in force where it is read."""

    def __init__(self, x: Any) -> None:
        self.values = _to_numpy(x)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return _array(self.values)


def _of_all_backends(module: ModuleType) -> None:
    """Let the constants of a module be arrays of the backend in force, and its functions take arrays of each."""
    values = {name: _to_numpy(x) for name, x in vars(module).items() if isinstance(x, _dialect.ndarray)}
    for name in values:
        delattr(module, name)

    def constant(name: str) -> Any:
        if name in values:
            return _array(values[name])
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name)

    module.__dict__["__getattr__"] = constant
    for x in [*vars(module).values()]:
        if isinstance(x, type) and x.__module__ == module.__name__:
            for name in ("domain", "window"):
                if isinstance(vars(x).get(name), _dialect.ndarray):
                    setattr(x, name, _Constant(vars(x)[name]))
    for name, f in [*vars(module).items()]:
        if name.endswith("companion"):
            module.__dict__[name] = _without_views(
                f, getattr(getattr(_numpy.polynomial, module.__name__.rpartition(".")[2]), name)
            )


def _without_views(f: Any, real: Any) -> Any:
    """A function that writes through views. For backends without views NumPy computes it, on this machine."""

    @_wraps(f)
    def call(c: Any) -> Any:
        x = _as_array(c)
        return _of_numpy(real(_to_numpy(x))) if x._array._sig.immutable else f(x)

    return call


def _composing(mapdomain: Any, mapparms: Any) -> Any:
    """`mapdomain`, which takes polynomials too. NumPy makes them arrays of objects in it."""

    @_wraps(mapdomain)
    def call(x: Any, old: Any, new: Any) -> Any:
        if not hasattr(x, "coef"):
            return mapdomain(x, old, new)
        offset, scale = mapparms(old, new)
        return offset + scale * x

    return call


for _name in ("polyutils", "_polybase", "polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre"):
    _module: Any = _load(_name)
    if not _module.__doc__:
        _module.__doc__ = f"`numpy.polynomial.{_name}`."
    _of_all_backends(_module)
    if _name == "polyutils":
        _module.mapdomain = _composing(_module.mapdomain, _module.mapparms)

_modules: dict[str, Any] = globals()
Polynomial, Chebyshev = _modules["polynomial"].Polynomial, _modules["chebyshev"].Chebyshev
Legendre, Laguerre = _modules["legendre"].Legendre, _modules["laguerre"].Laguerre
Hermite, HermiteE = _modules["hermite"].Hermite, _modules["hermite_e"].HermiteE


def set_default_printstyle(style: str) -> None:
    """Set how polynomials are written as text: ``"ascii"`` or ``"unicode"``.

    Raises
    ------
    ValueError: it is neither.
    """
    if style not in ("unicode", "ascii"):
        raise ValueError(f"Unsupported format string '{style}'. Valid options are 'ascii' and 'unicode'")
    _modules["_polybase"].ABCPolyBase._use_unicode = style == "unicode"
