"""The names of initializers: those of the variables that hold the arrays, where these can be known."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.trees import flatten, paths
from ..nodes import Constant

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["initializer_names"]

#: The names that a model has for other arrays.
_NUMBERED = re.compile(r"(t|constant|result|extent|factor)_\d+")


def initializer_names(graph: Graph, taken: Collection[str]) -> dict[int, str]:
    """Return names for the constants of a graph, by their ids.

    Parameters
    ----------
    taken: the names that the model has for other arrays.
    """
    places = dict(_places(graph))
    used, names = {*taken}, dict[int, str]()
    held: dict[int, Any] = {id(constant): held.array for held, constant in graph._held}
    held |= {id(constant): x for x, constant in graph.held_results}
    for value in _constants(graph):
        place = places.get(id(held.get(id(value)))) or places.get(id(value.native))
        if not place:
            continue
        name, n = place, 2
        while name in used or _NUMBERED.fullmatch(name):
            name, n = f"{place}_{n}", n + 1
        used.add(name)
        names[id(value)] = name
    return names


def _constants(graph: Graph) -> Iterator[Constant]:
    """Yield the constants of a graph, each once, in the order of their use."""
    seen = set()
    for value in (*(v for node in graph.block.all_nodes() for v in node.operands), *graph.with_held_results().outputs):
        if isinstance(value, Constant) and id(value) not in seen:
            seen.add(id(value))
            yield value


def _places(graph: Graph) -> Iterator[tuple[int, str]]:
    """Yield the ids of arrays that a program holds, each with the name of its place; the best name last."""
    f: Any = graph.traced
    if isinstance(f, partial):
        given = inspect.signature(f.func).bind_partial(*f.args, **f.keywords).arguments
        yield from _of_variables(given)
        f = f.func
    f = inspect.unwrap(f) if f is not None else None
    yield from ((id(x), name) for name, x in _own_arrays(f))
    if not (inspect.isfunction(f) or inspect.ismethod(f)):
        f = vars(type(f)).get("__call__")
    if inspect.isfunction(f) or inspect.ismethod(f):
        found = inspect.getclosurevars(f)
        defaults = {p.name: p.default for p in inspect.signature(f).parameters.values() if p.default is not p.empty}
        yield from _of_variables({**found.globals, **found.nonlocals, **defaults})
    if graph._kept is not None:
        for slot, held in graph._kept.held_slots():
            yield id(held.array), _dotted(slot.name)


def _of_variables(variables: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for name, x in variables.items():
        leaves, structure = flatten(x)
        for path, leaf in zip(paths(structure), leaves, strict=True):
            yield id(leaf), _dotted(f"{name}{path}")
            for own, x in _own_arrays(leaf):
                yield id(x), _dotted(f"{name}{path}.{own}")


def _own_arrays(f: Any) -> Iterable[tuple[str, Any]]:
    """Return the arrays that a function of a file has, by the names that they have there."""
    named = getattr(type(f), "_named_arrays", None)
    return named(f).items() if named is not None else ()


def _dotted(place: str) -> str:
    """Spell a place with points, as parameters of models are: ``layers[0]['w']`` as ``layers.0.w``."""
    return re.sub(r"""\[(['"]?)(.*?)\1\]""", r".\2", place).strip(".")
