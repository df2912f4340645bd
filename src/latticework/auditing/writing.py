"""Casts in the program's own words: with latticework, NumPy, PyTorch or JAX, as the program imports them."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from ..core.dtypes import Dtype
from ..frontends.naming import PREFIX
from .patching import Edit
from .places import Place

__all__ = ["around", "computes", "option"]

#: Module -> the text before and after an expression that casts it. The name of the module is {m}, the dtype's {d}.
_STYLES = {
    "latticework": ("{m}.astype(", ", {m}.{d})"),
    "numpy": ("", ".astype({m}.{d})"),
    "jax.numpy": ("", ".astype({m}.{d})"),
    "torch": ("", ".to({m}.{d})"),
}


#: Module -> the dtypes that it does not compute in.
_LACKING = {"numpy": ("bfloat16",), "torch": ("uint16", "uint32", "uint64")}


class Names(NamedTuple):
    """The names that a function may use.

    Attributes
    ----------
    names: the global names of its module, with their values.
    used: the names that the function uses.
    """

    names: dict[str, Any]
    used: tuple[str, ...]


#: Expressions that take a method without parentheses.
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def _style(known: Names, dtype: Dtype) -> tuple[str, str, str] | None:
    """Return the program's text before and after a cast, and the dtype. None where it imports no such module.

    A module that the function itself names comes before one that is only there.
    """
    for module, name in _imported(known):
        if dtype.name not in _LACKING.get(module, ()):
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
    module = next((module for module, _ in _imported(known)), "")
    return dtype.name not in _LACKING.get(module, ())


def around(place: Place, node: Any, dtype: Dtype, known: Names) -> Edit | None:
    """Make the edit that casts an expression; None for other nodes, and where the program imports no such module."""
    style = _style(known, dtype)
    if style is None or not isinstance(node, ast.expr):
        return None
    before, after, _ = style
    if not before and not isinstance(node, _ATOMS):
        before, after = "(", f"){after}"
    return Edit(place, before, after)


def option(place: Place, node: Any, dtype: Dtype, known: Names) -> Edit | None:
    """Make the edit that adds ``dtype=`` to a call; a cast of the result for a call that has one."""
    style = _style(known, dtype)
    if style is None or not isinstance(node, ast.expr):
        return None
    if not isinstance(node, ast.Call) or any(k.arg == "dtype" for k in node.keywords):
        return around(place, node, dtype, known)
    line = linecache.getline(place.file, place.end_line)[: place.end_column - 1].rstrip()
    comma = "" if line.endswith((",", "(")) else ", "
    if line.endswith(","):
        comma = " "
    return Edit(place, "", f"{comma}dtype={style[2]}", inside=True)
