"""What a user's function is called with: arrays for its parameters, unless their annotations say otherwise."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from itertools import count
from types import FunctionType
from typing import Any, NamedTuple

import latticework as lw

from ..core.dtypes import Dtype
from ..engine.array import Array

__all__ = ["Parameter", "UnresolvedError", "arguments", "as_numbers", "parameters"]

_ARRAYS = ("Array", "ndarray", "Tensor", "ArrayLike")
_SEQUENCES = ("Sequence", "list", "tuple", "Iterable", "List", "Tuple", "Iterator", "Collection")
_SCALARS = {"bool": True, "int": 1, "float": 1.0, "complex": 1.0, "str": ""}
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class UnresolvedError(Exception):
    """A parameter is neither an array nor annotated with what it is."""


class Parameter(NamedTuple):
    """A parameter without a default.

    Attributes
    ----------
    name: its name where it is passed by name, None where it is passed by position.
    kind: "array", "arrays" for a sequence of two, "spread" for two of ``*args``, "bool", "number", "dtype" or "value".
    value: of the last kind.
    annotated: whether it is what it is by its annotation.
    """

    name: str | None
    kind: str
    value: Any = None
    annotated: bool = True


def parameters(f: Callable[..., Any]) -> list[Parameter]:
    """The parameters that a call of a function has to pass.

    Raises
    ------
    UnresolvedError: for one that nobody can find a value for, and for a function that does not tell its parameters.
    """
    try:
        listed = [*inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):
        raise UnresolvedError("its parameters are not known") from None
    owner = _class_of(f)
    found = []
    for i, p in enumerate(listed):
        if i == 0 and owner is not None:
            found.append(Parameter(None, "array") if issubclass(Array, owner) else Parameter(None, "value", owner))
        elif p.kind is p.VAR_POSITIONAL:
            found += [x for x in [_spread(p)] if x.kind == "spread"]
        elif p.default is p.empty and p.kind not in _VARIADIC:
            found.append(_parameter(p))
    return found


def _spread(p: inspect.Parameter) -> Parameter:
    """Two arrays for ``*args``; nothing where its annotation says that they are none."""
    found = _parameter(p)
    return found._replace(kind="spread" if found.kind in ("array", "arrays") else "none")


def _parameter(p: inspect.Parameter) -> Parameter:
    by_name = p.name if p.kind is p.KEYWORD_ONLY else None
    if p.name == "xp":
        return Parameter(by_name, "value", lw)
    text = p.annotation if isinstance(p.annotation, str) else inspect.formatannotation(p.annotation)
    text = "" if p.annotation is p.empty else text.strip("'\"")
    if not text or "Any" in text.split("[")[0]:
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
        raise UnresolvedError(f"nobody can tell what is passed for {name}: {text}")
    if "axis" in name or "axes" in name:
        value = 0
    return Parameter(by_name, "value", (value,) if sequence else value)


def _class_of(f: Any) -> type | None:
    """The class of a method that was not taken from an object, None of any other function."""
    f = inspect.unwrap(f)
    if not isinstance(f, FunctionType):
        return None
    names = f.__qualname__.split(".")[:-1]
    if names and "<locals>" in names:
        names = names[len(names) - names[::-1].index("<locals>") :]
    if not names:
        return None
    owner: Any = f.__globals__.get(names[0])
    for name in names[1:]:
        owner = getattr(owner, name, None)
    if owner is None:  # of a class inside a function, where it uses `super` or `__class__`
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        owner = cells["__class__"].cell_contents if "__class__" in cells else None
    static = isinstance(owner, type) and isinstance(inspect.getattr_static(owner, f.__name__, None), staticmethod)
    return owner if isinstance(owner, type) and not static else None


def as_numbers(kinds: list[Parameter], read: set[int]) -> list[Parameter]:
    """The parameters, with numbers for those without an annotation whose value the function asks for, but the first.

    Parameters
    ----------
    read: the positions, among the arrays, of those that were asked for a value.
    """
    found, position = [], 0
    for p in kinds:
        taken = {"array": 1, "arrays": 2, "spread": 2}.get(p.kind, 0)
        plain = p.kind == "array" and not p.annotated and position > 0 and position in read
        found.append(p._replace(kind="number") if plain else p)
        position += taken
    return found


def arguments(
    kinds: list[Parameter], array: Callable[[int], Array], dtype: Dtype, choose: Callable[[object], bool]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of one call, by position and by name.

    Parameters
    ----------
    array: makes the array of a position among the arrays.
    choose: decides for a bool, and whether a number is 1 or 0.
    """
    positions = count()
    args: list[Any] = []
    named: dict[str, Any] = {}
    for i, p in enumerate(kinds):
        value: Any
        match p.kind:
            case "array":
                value = array(next(positions))
            case "arrays" | "spread":
                value = [array(next(positions)), array(next(positions))]
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
            named[p.name] = value
    return args, named


def _an_object(cls: type) -> Any:
    """An object of a class, as its `__init__` makes it where it needs no arguments."""
    try:
        return cls()
    except TypeError:
        return object.__new__(cls)
