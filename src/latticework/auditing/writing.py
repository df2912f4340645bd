"""Casts in the program's own words: with latticework, NumPy, PyTorch or JAX, as the program imports them."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from ..backend import get
from ..core.dtypes import Dtype
from ..engine.arrays.array import Array
from ..frontends import dialect_named, dialect_names
from ..frontends.naming import PREFIX
from .patching import Edit
from .places import Place

__all__ = ["around", "computes", "makes_object", "option", "takes_dtype"]

#: Module -> the text before and after an expression that casts it. The name of the module is {m}, the dtype's {d}. The
#: first that a program names is its own: beside another framework, programs compute constants with NumPy.
_STYLES = {
    "latticework": ("{m}.astype(", ", {m}.{d})"),
    "torch": ("", ".to({m}.{d})"),
    "jax.numpy": ("", ".astype({m}.{d})"),
    "tensorflow": ("{m}.cast(", ", {m}.{d})"),
    "numpy": ("", ".astype({m}.{d})"),
}


class Names(NamedTuple):
    """The names that a function may use.

    Attributes
    ----------
    names: the global names of its module, with their values.
    used: the names that the function uses.
    rules: the names of the rule sets that it runs under.
    """

    names: dict[str, Any]
    used: tuple[str, ...]
    rules: tuple[str, ...] = ()


#: Expressions that take a method without parentheses.
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def _style(known: Names, dtype: Dtype) -> tuple[str, str, str] | None:
    """Return the program's text before and after a cast, and the dtype. None where it imports no such module.

    A module that the function itself names comes before one that is only there.
    """
    for module, name in _imported(known):
        if _has(known, name, dtype):
            before, after = _STYLES[module]
            return before.format(m=name, d=dtype), after.format(m=name, d=dtype), f"{name}.{dtype}"
    return None


def _imported(known: Names) -> Iterator[tuple[str, str]]:
    """Yield the modules that a program imports, each with its name there."""
    modules = {n: x.__name__.removeprefix(PREFIX) for n, x in known.names.items() if isinstance(x, ModuleType)}
    for names in ([n for n in known.used if n in modules], modules):
        for module in _STYLES:
            name = next((n for n in names if modules[n] == module and not n.startswith("_")), None)
            if name is not None:
                yield module, name


def computes(known: Names, dtype: Dtype) -> bool:
    """Return whether the framework of a program computes in a dtype, so that a cast to it is of use."""
    name = next((name for _, name in _imported(known)), "")
    return not name or _has(known, name, dtype)


def _has(known: Names, name: str, dtype: Dtype) -> bool:
    """Return whether a module has a dtype, and its framework an addition of its own in it.

    JAX has those of 64 bits where its switch is on, and under rules for which it is.
    """
    module = known.names[name]
    root = module.__name__.removeprefix(PREFIX).partition(".")[0]
    if root == "latticework":
        return True
    backend = get(root)
    there = dtype in backend.native_dtypes or root in known.rules
    return there and hasattr(module, dtype.name) and ("add", dtype) not in backend.emulated


def around(place: Place, node: Any, dtype: Dtype, known: Names) -> Edit | None:
    """Make the edit that casts an expression; None for other nodes, and where the program imports no such module."""
    style = _style(known, dtype)
    if style is None or not isinstance(node, ast.expr):
        return None
    before, after, _ = style
    if not before and not isinstance(node, _ATOMS):
        before, after = "(", f"){after}"
    return Edit(place, before, after)


def _function_of(node: ast.Call, known: Names) -> Any:
    """Return the function that a call is of, or the method of the program's arrays; None where it is neither."""
    first, *names = ast.unparse(node.func).split(".")
    function = functools.reduce(lambda x, name: getattr(x, name, None), names, known.names.get(first))
    if function is None and isinstance(node.func, ast.Attribute):
        root = next((module.partition(".")[0] for module, _ in _imported(known)), "")
        function = getattr(dialect_named(root).array if root in dialect_names() else Array, node.func.attr, None)
    return function


def makes_object(node: Any, known: Names) -> bool:
    """Return whether an expression is a call of a class, as of a module of PyTorch."""
    return isinstance(node, ast.Call) and isinstance(_function_of(node, known), type)


def takes_dtype(node: Any, known: Names) -> bool:
    """Return whether an expression is a call of a function, or of an array's method, that takes ``dtype=``."""
    if not isinstance(node, ast.Call) or any(k.arg == "dtype" for k in node.keywords):
        return False
    function = _function_of(node, known)
    try:
        return function is not None and "dtype" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # it is written in C: the dialect has the same function
        first, *names = ast.unparse(node.func).split(".")
        module = getattr(known.names.get(first), "__name__", "").removeprefix(PREFIX)
        found = functools.reduce(lambda x, name: getattr(x, name, None), names, _dialect_module(module))
        return not callable(found) or "dtype" in inspect.signature(found).parameters


def _dialect_module(name: str) -> Any:
    """Return the module of a dialect that stands for a framework's; None where there is none."""
    if name.partition(".")[0] not in dialect_names():
        return None
    with suppress(ImportError):
        return import_module(PREFIX + name)
    return None


def option(place: Place, node: Any, dtype: Dtype, known: Names) -> Edit | None:
    """Make the edit that adds ``dtype=`` to a call; a cast of the result for any other expression."""
    style = _style(known, dtype)
    if style is None or not isinstance(node, ast.expr):
        return None
    if not takes_dtype(node, known):
        return around(place, node, dtype, known)
    line = linecache.getline(place.file, place.end_line)[: place.end_column - 1].rstrip()
    comma = "" if line.endswith((",", "(")) else ", "
    if line.endswith(","):
        comma = " "
    return Edit(place, "", f"{comma}dtype={style[2]}", inside=True)
