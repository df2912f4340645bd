"""Calls of functions that a backend computes by others, recorded as one call each.

A program is traced so where a model is written of it, whose format has operators for them. Everywhere else the calls
of a definition are recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from ...core.registry import OPS
from ...core.trees import flatten
from ...engine.arrays.array import Array, wrapped
from ..nodes import LEAVES, Node, values_in

if TYPE_CHECKING:
    from ...engine.plans.plan import Plan
    from .recorder import Recorder

__all__ = ["as_one_call", "kept_as_calls"]

#: The names of the functions whose calls are recorded as one, in this context.
kept_as_calls: ContextVar[frozenset[str]] = ContextVar(
    "latticework functions recorded as one call", default=frozenset()
)


def as_one_call(
    by: Recorder, plan: Plan, kernel: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any], traced: Any
) -> Any:
    """Run a kernel, and replace the calls that it recorded by one call of its function.

    They are left where the function was called with more than arrays of the trace and plain options, or gives an array
    that was there before.

    Parameters
    ----------
    traced: the type of the native arrays of a trace.
    """
    nodes, outer = by.blocks[-1].nodes, by.blocks[-1]
    start = len(nodes)
    result = kernel(*args, **kw)
    made = nodes[start:]
    if len(made) < 2 or by.blocks[-1] is not outer:
        return result
    found, given, options = (_values(tree, traced) for tree in (result, args, kw))
    new = {id(v) for node in made for v in node.results if node.writes is None}
    written = [node.writes for node in made if node.writes is not None]
    if (
        found is None or given is None or options is None or not all(id(v) in new for v in values_in(found))
        or not all(id(v) in new for v in written)
    ):  # fmt: skip
        return result
    del nodes[start:]
    by.add(Node(_calling(plan.op, plan.backend.name.rpartition(":")[2]), plan.op, given, options, found, by.operation))
    return result


def _values(tree: Any, traced: Any) -> Any:
    """Replace traced arrays in a tree by their values; None where an array is of another kind."""
    leaves, structure = flatten(tree)
    found = []
    for x in leaves:
        native: Any = x._data if isinstance(x, Array) else x
        if type(native) is not traced and type(native) not in LEAVES:
            return None
        found.append(native.value if type(native) is traced else native)
    return structure.build(iter(found))


@cache
def _calling(name: str, backend: str) -> Callable[..., Any]:
    """Return the function that calls a function of latticework with native arrays."""
    from ...backend import get
    from ...engine.exchange.foreign import signature_by

    owner, function = get(backend), OPS[name].body

    def call(*args: Any, **kw: Any) -> Any:
        leaves, structure = flatten((args, kw))
        arrays = owner.arrays
        new = [wrapped(owner.native(x), signature_by(owner, x)) if isinstance(x, arrays) else x for x in leaves]
        given, options = structure.build(iter(new))
        leaves, structure = flatten(function(*given, **options))  # type: ignore[misc]
        return structure.build(iter([x._data if isinstance(x, Array) else x for x in leaves]))

    return call
