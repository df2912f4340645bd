"""The spelling of objects in the source of a traced program: frameworks' functions by their public names, constants as
literals, and functions of latticework's backends by their own text."""

from __future__ import annotations

import ast
import builtins
import functools
import json
import keyword
import math
import operator
import sys
import types
from collections.abc import Callable, Container
from typing import Any

from ...core.dtypes import Dtype

__all__ = ["Spelling", "as_name", "number_text", "public_name", "quoted"]

#: The modules where public names are looked up, by framework, in this order.
_MODULES = {
    "numpy": ("numpy", "numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks", "scipy.special",
              "numpy.linalg._umath_linalg"),
    "torch": (
        "torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special",
    ),
    "jax": ("jax.numpy", "jax.lax", "jax.nn", "jax", "jax.numpy.linalg", "jax.numpy.fft", "jax.scipy.special", "numpy"),
    "tensorflow": (
        "tensorflow", "tensorflow.math", "tensorflow.linalg", "tensorflow.nn", "tensorflow.raw_ops",
        "tensorflow.signal", "tensorflow.bitwise", "numpy",
    ),
    "dask": ("dask.array", "dask.array.linalg", "dask.array.fft", "numpy"),
}  # fmt: skip
#: The name of a module in source, where that is not the last part of its full name.
_ALIASES = {
    "numpy": "np", "jax.numpy": "jnp", "tensorflow": "tf", "dask.array": "da", "torch.nn.functional": "functional",
    "jax.lax": "lax",
}  # fmt: skip


@functools.cache
def _public(name: str, loaded: bool) -> dict[int, str]:
    """The id of each function of a module -> its name, such as ``numpy.linalg.inv``."""
    module = (sys.modules.get(name) or _attribute(name)) if loaded else None
    found: dict[int, str] = {}
    for key, value in vars(module).items() if module is not None else ():  # what it has by now, without lazy imports
        if not key.startswith("_") and callable(value):
            found.setdefault(id(value), f"{name}.{key}")
    return found


def _attribute(name: str) -> Any:
    """Return a module that is reached as an attribute, as ``tensorflow.math`` is."""
    first, *rest = name.split(".")
    found = sys.modules.get(first)
    for part in rest:
        found = getattr(found, part, None)
    return found


def public_name(framework: str, function: Callable[..., Any]) -> str | None:
    """Return the public name of a framework's function, None for a function without one."""
    for name in _MODULES.get(framework, ()):
        loaded = name in sys.modules or _attribute(name) is not None
        found = _public(name, loaded).get(id(function))
        if found is not None:
            return found
    return _raw_kernels().get(id(function)) if framework == "tensorflow" and "tensorflow" in sys.modules else None


@functools.cache
def _raw_kernels() -> dict[int, str]:
    """Map ids of the functions that TensorFlow's raw operations wrap to names. They take arguments by position."""
    ops = _attribute("tensorflow.raw_ops")
    wrapped = {name: getattr(getattr(ops, name), "__wrapped__", None) for name in dir(ops) if not name.startswith("_")}
    return {id(f): f"tensorflow.raw_ops.{name}.__wrapped__" for name, f in wrapped.items() if f is not None}


def number_text(x: complex) -> str:
    """Write a number as an expression that gives its bits: the literal of a complex number adds its parts, which loses
    the signs of zeros.

    Examples
    --------
    >>> number_text(0.5), number_text(float("-inf")), number_text(2 - 1j)
    ('0.5', 'float("-inf")', '(2-1j)')
    >>> number_text(complex(-0.0, 1)), number_text(complex(1, -0.0))
    ('complex(-0.0, 1.0)', 'complex(1.0, -0.0)')
    """
    if isinstance(x, float):
        return repr(x) if math.isfinite(x) else f'float("{x}")'
    if math.isfinite(x.real) and math.isfinite(x.imag) and repr(ast.literal_eval(repr(x))) == repr(x):
        return repr(x)
    return f"complex({number_text(x.real)}, {number_text(x.imag)})"


def quoted(text: str) -> str:
    """Write a text between double quotes.

    Examples
    --------
    >>> print(quoted("it's"))
    "it's"
    """
    return json.dumps(text, ensure_ascii=False)


@functools.lru_cache(4096)
def as_name(wanted: str) -> str:
    """Return a word as a name of Python's."""
    wanted = "".join(c if c.isalnum() else "_" for c in wanted).strip("_") or "value"
    return f"_{wanted}" if wanted[0].isdigit() else wanted


class Spelling:
    """The names and the definitions that the source of one program needs.

    Attributes
    ----------
    namespace: name -> the object itself, to run the source in this process.
    imports, definitions: the lines that make the same names in another process, filled by `standalone`.
    """

    def __init__(self, framework: str, taken: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        self.framework = framework
        self.taken = {*taken, *keyword.kwlist}
        #: The names of variables inside of functions, which no global has.
        self.inside: set[str] = set()
        self.namespace: dict[str, Any] = {}
        #: The names that the function itself needs, once its text is written.
        self.needed: list[str] = []
        self._counts: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []  # whose ids are keys
        self.imports: dict[str, str] = {}

    # --- names --------------------------------------------------------------------------------------------------------

    def fresh(self, wanted: str) -> str:
        """Take a name that is free."""
        wanted = as_name(wanted)
        name, n = wanted, self._counts.get(wanted, 1)
        while name in self.taken or name in self.inside or name in _BUILTINS:
            n += 1
            name = f"{wanted}_{n}"
        self._counts[wanted] = n
        self.taken.add(name)
        return name

    def local(self, wanted: str, taken: Container[str]) -> str:
        """Return a name for a variable of a function, that none of its variables and no global has."""
        name, n = wanted, 1
        while name in taken or name in self.taken or name in _BUILTINS:
            n += 1
            name = f"{wanted}_{n}"
        self.inside.add(name)
        return name

    def name_of(self, x: Any, wanted: str) -> str:
        """Return the global name of an object."""
        found = self._names.get(id(x))
        if found is None:
            found = self._names[id(x)] = self.fresh(wanted)
            self._kept.append(x)
            self.namespace[found] = x
        return found

    def module(self, name: str) -> str:
        """Return the name of a module in source."""
        name = name.replace("tensorflow._api.v2.", "tensorflow.")
        root, _, rest = name.partition(".")
        if name not in _ALIASES and rest and (root == "tensorflow" or _ALIASES.get(root)):
            return f"{self.module(root)}.{rest}"
        if name not in _ALIASES and rest and root == "jax" and name.startswith("jax.numpy"):
            return f"{self.module('jax.numpy')}.{name.removeprefix('jax.numpy.')}"
        if name not in _ALIASES and rest and root in ("torch", "dask"):
            return f"{self.module(root)}.{rest}"
        if name in self.imports:
            return self.imports[name]
        alias = self.fresh(_ALIASES.get(name, name.rpartition(".")[2]))
        self.imports[name] = alias
        self.namespace[alias] = sys.modules.get(name) or _attribute(name)
        return alias

    # --- objects ------------------------------------------------------------------------------------------------------

    def function(self, f: Callable[..., Any]) -> str:
        """Write a function as an expression."""
        owner: Any = getattr(f, "__self__", None)
        if isinstance(f, types.BuiltinMethodType) and hasattr(owner, "reduceat"):  # a ufunc's
            return f"{self.function(owner)}.{f.__name__}"
        name = public_name(self.framework, f)
        if name is not None and not name.endswith("__wrapped__"):
            module, _, last = name.rpartition(".")
            return f"{self.module(module)}.{last}"
        for module_of in (operator, math):
            if getattr(module_of, getattr(f, "__name__", ""), None) is f:
                return f"{self.module(module_of.__name__)}.{f.__name__}"
        return self.name_of(f, getattr(f, "__name__", None) or type(f).__name__)

    def expression(self, x: Any) -> str:
        """Write an object as an expression: a literal where it has one, else a name."""
        if x is None or isinstance(x, (bool, int, str, bytes)) or x is Ellipsis or x is NotImplemented:
            return "..." if x is Ellipsis else repr(x) if type(x) in _LITERALS else self._object(x)
        if type(x) in (float, complex):
            return number_text(x)
        if type(x) is slice:
            return f"slice({', '.join(self.expression(y) for y in (x.start, x.stop, x.step))})"
        if type(x) is tuple:
            return f"({', '.join(map(self.expression, x))}{',' * (len(x) == 1)})"
        if type(x) is list:
            return f"[{', '.join(map(self.expression, x))}]"
        if type(x) is dict:
            return "{" + ", ".join(f"{self.expression(k)}: {self.expression(v)}" for k, v in x.items()) + "}"
        return self._object(x)

    def _object(self, x: Any) -> str:
        short = self.short(x)
        if short is not None:
            return self.name_of(x, x.name) if short.endswith('")') else short  # a dtype of NumPy's, made once
        if callable(x):
            return self.function(x)
        return self.name_of(x, _wanted(x))

    def short(self, x: Any) -> str | None:
        """Write a framework's own dtype or scalar by its public name; None for anything else."""
        kind = type(x)
        root = kind.__module__.partition(".")[0]
        if (
            kind.__name__ == "dtype"
            or kind.__name__.startswith("dtype[")
            or (root == "numpy" and kind.__name__.endswith("DType"))
        ):
            if root == "torch":
                return f"{self.module('torch')}.{str(x).rpartition('.')[2]}"
            np = self.module("numpy")
            return f'{np}.dtype("{x.name}")' if x.isbuiltin == 1 else f"{np}.dtype({self.module('ml_dtypes')}.{x.name})"
        if root == "numpy" and hasattr(x, "item") and getattr(x, "shape", None) == () and hasattr(x, "tobytes"):
            if x.dtype.kind in "biufc" and x.dtype.isbuiltin == 1 and kind.__name__ != "ndarray":
                return f"{self.module('numpy')}.{x.dtype.name}({self.expression(x.item())})"
            return None
        if root == "torch" and kind.__name__ in ("dtype", "memory_format", "layout"):
            return f"{self.module('torch')}.{str(x).rpartition('.')[2]}"
        if kind.__name__ == "DType" and root == "tensorflow":
            tf = self.module("tensorflow")
            return f'{tf}.dtypes.as_dtype("{x.name}")' if x.name.startswith("float8") else f"{tf}.{x.name}"
        return None


_BUILTINS = frozenset(dir(builtins))
_LITERALS = frozenset((type(None), bool, int, str, bytes, type(Ellipsis), type(NotImplemented)))


def _wanted(x: Any) -> str:
    """Propose a name for an object."""
    if isinstance(x, Dtype):
        return str(x)
    return str(getattr(x, "name", None) or getattr(x, "__name__", None) or type(x).__name__).lower()
