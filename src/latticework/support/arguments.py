"""Make the arguments of a user's function: arrays for its parameters, unless their annotations say otherwise."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from itertools import count
from types import FunctionType
from typing import Any, NamedTuple

import latticework as lw

from ..core.dtypes import Dtype
from ..engine.arrays.array import Array
from ..engine.functions.without_data import closure_of

__all__ = ["Parameter", "UnresolvedError", "arguments", "as_numbers", "parameters"]

_ARRAYS = ("Array", "ndarray", "Tensor", "ArrayLike")
_SEQUENCES = ("Sequence", "list", "tuple", "Iterable", "List", "Tuple", "Iterator", "Collection")
_SCALARS = {"bool": True, "int": 1, "float": 1.0, "complex": 1.0, "str": ""}


class UnresolvedError(Exception):
    """There is no value to pass for a parameter: its annotation is neither an array nor a number, text or None."""


class Parameter(NamedTuple):
    """A parameter that a call has to pass.

    Attributes
    ----------
    name: its name where it is passed by name, None where it is passed by position.
    kind: "array", "arrays" for a sequence of two, "spread" for two of ``*args``, "bool", "number", "dtype" or "value".
    value: the value, for the kind "value". A class stands for an object of it.
    annotated: whether the kind follows from an annotation.
    """

    name: str | None
    kind: str
    value: Any = None
    annotated: bool = True

    @property
    def arrays(self) -> int:
        """The number of arrays that it takes."""
        return {"array": 1, "arrays": 2, "spread": 2}.get(self.kind, 0)


def parameters(f: Callable[..., Any]) -> list[Parameter]:
    """List the parameters that a call of a function has to pass: those without a default, and ``*args``.

    Raises
    ------
    UnresolvedError: for one that there is no value for, and for a function that does not tell its parameters.
    """
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        raise UnresolvedError("its parameters are not known") from None
    owner = _class_of(f)
    found = []
    for i, p in enumerate(signature.parameters.values()):
        if i == 0 and owner is not None:
            found.append(Parameter(None, "array") if issubclass(Array, owner) else Parameter(None, "value", owner))
        elif p.kind is p.VAR_POSITIONAL:
            several = _parameter(p)
            found += [several._replace(kind="spread")] if several.arrays else []
        elif p.default is p.empty and p.kind is not p.VAR_KEYWORD:
            found.append(_parameter(p))
    return found


def _parameter(p: inspect.Parameter) -> Parameter:
    by_name = p.name if p.kind is p.KEYWORD_ONLY else None
    if p.name == "xp":
        return Parameter(by_name, "value", lw)
    text = p.annotation if isinstance(p.annotation, str) else inspect.formatannotation(p.annotation)
    text = "" if p.annotation is p.empty else text.strip("'\"")
    if not text or "Any" in text.split("[")[0] or "DtypeLike" in text or "AnyDtype" in text:
        return Parameter(by_name, "dtype" if p.name == "dtype" else "array", annotated=False)
    return _annotated(by_name, p.name, text)


def _annotated(by_name: str | None, name: str, text: str) -> Parameter:
    outer, _, inside = text.partition("[")
    sequence = outer.rpartition(".")[2] in _SEQUENCES and bool(inside)
    if any(word in text for word in _ARRAYS) and not re.search("Callable|[dD]ict|Mapping", text):
        return Parameter(by_name, "arrays" if sequence else "array")
    if outer.rpartition(".")[2] == "Dtype":
        return Parameter(by_name, "dtype")
    if outer == "bool":
        return Parameter(by_name, "bool")
    words = inside.replace("]", "").replace(",", "|") if sequence else text
    kinds = [w.strip() for w in words.split("|")]
    value = next((v for k, v in _SCALARS.items() if k in kinds), None)
    if value is None and "None" not in kinds:
        raise UnresolvedError(f"there is no value to pass for {name}: {text}")
    if "axis" in name or "axes" in name:
        value = 0
    return Parameter(by_name, "value", (value,) if sequence else value)


def _class_of(f: Any) -> type | None:
    """Return the class of a method that was taken from its class, None for any other function."""
    f = inspect.unwrap(f)
    path = f.__qualname__.rpartition("<locals>.")[2].split(".")[:-1] if isinstance(f, FunctionType) else []
    if not path:
        return None
    owner: Any = f.__globals__.get(path[0])
    for name in path[1:]:
        owner = getattr(owner, name, None)
    if owner is None:  # a class inside a function: its method holds it where it uses `super` or `__class__`
        cell = closure_of(f).get("__class__")
        owner = cell and cell.cell_contents
    static = isinstance(owner, type) and isinstance(inspect.getattr_static(owner, f.__name__, None), staticmethod)
    return owner if isinstance(owner, type) and not static else None


def as_numbers(kinds: list[Parameter], read: set[int]) -> list[Parameter]:
    """Make numbers of the arrays without an annotation whose value the function asks for, except the first.

    Parameters
    ----------
    read: the positions, among the arrays, of those that were asked for a value.
    """
    found, position = [], 0
    for p in kinds:
        number = p.kind == "array" and not p.annotated and position > 0 and position in read
        found.append(p._replace(kind="number") if number else p)
        position += p.arrays
    return found


def arguments(
    kinds: list[Parameter], array: Callable[[int], Array], dtype: Dtype, choose: Callable[[object], bool]
) -> tuple[list[Any], dict[str, Any]]:
    """Make the arguments of one call, by position and by name.

    Parameters
    ----------
    array: makes the array at a position among the arrays.
    choose: decides whether a bool is True, and whether a number is 1 or 0.
    """
    positions = count()
    args: list[Any] = []
    by_name: dict[str, Any] = {}
    for i, p in enumerate(kinds):
        arrays = [array(next(positions)) for _ in range(p.arrays)]
        value: Any
        match p.kind:
            case "array":
                (value,) = arrays
            case "arrays" | "spread":
                value = arrays
            case "bool":
                value = choose(i)
            case "number":
                value = int(choose(i))
            case "dtype":
                value = dtype
            case _:
                value = _an_object(p.value) if isinstance(p.value, type) else p.value
        if p.kind == "spread":
            args += value
        elif p.name is None:
            args.append(value)
        else:
            by_name[p.name] = value
    return args, by_name


def _an_object(cls: type) -> Any:
    """Make an object of a class, by its `__init__` where that needs no arguments."""
    try:
        return cls()
    except TypeError:
        return object.__new__(cls)
