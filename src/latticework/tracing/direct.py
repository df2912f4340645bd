"""Programs that come to one function that numba compiles, a loop or one that calls all loops: the code of a compiled
function calls it, with no function in between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from ..core.dtypes import float64
from ..core.reading import Names, building
from ..engine.functions.entry import Direct
from .graph import Graph
from .nodes import Constant
from .results import leaves_of
from .writing.loops import SMALL
from .writing.source import Body

__all__ = ["direct_of"]


def direct_of(graph: Graph, function: Callable[..., Any], shapes: Sequence[tuple[int, ...]]) -> Direct | None:
    """Return what the code of a compiled function does in the place of a call of a graph's function.

    The loop looks at the shapes of its operands itself. Arrays of another layout in memory are left to the function:
    they may need another loop, which it compiles.

    Parameters
    ----------
    function: the function, which may be that of the graph with other options.
    shapes: the shapes of the arrays that it was called with. The code is for these.

    Returns
    -------
    None where the function does more than that, or writes or binds anything that the program holds.
    """
    body: Body | None = getattr(function, "body", None)
    if body is None or body.loop is None or graph.numbers or graph.written or graph.changes:
        return None
    import numpy as np

    loop, places = body.loop, {id(v): i for i, v in enumerate(body.inputs)}
    constants = {id(v): v for v in loop.operands if isinstance(v, Constant)}
    holds = {id(v): h for h, v in graph._held}  # a call reads what they have then
    kept = graph._kept
    given = [constants[id(v)].native.shape if id(v) in constants else shapes[places[id(v)]] for v in loop.operands]
    stand = {name: SimpleNamespace(shape=shape) for name, shape in zip(loop.names, given, strict=True)}
    extents: list[tuple[int, ...]] = [eval(text, {}, stand) for text in loop.extents]
    read = [places[id(v)] for v in loop.operands if id(v) in places]
    namespace: dict[str, Any] = getattr(function, "namespace", {})
    kernel = namespace.get(loop.few if math.prod(extents[0]) <= SMALL else loop.many)
    known = {*places, *[id(v) for v in loop.results]}
    unknown = any(v.held and key not in holds for key, v in constants.items())
    if kernel is None or unknown or any(id(v) not in known for v in graph.block.outputs):
        return None
    kernel = _compiled_so_far(kernel)

    def write(natives: list[str], arrays: list[str], names: Names) -> list[str]:
        texts = {id(v): f"t{i}" for i, v in enumerate(loop.results)}
        empty, dtypes = names.of(np.empty, "empty"), graph._backend.native_dtypes
        own = {v.dtype: "" if v.dtype is float64 else f", {names.of(dtypes[v.dtype], 'dtype')}" for v in loop.results}
        sizes = zip(loop.results, extents, strict=True)
        lines = [f"{texts[id(v)]} = {empty}({n[0] if len(n) == 1 else n}{own[v.dtype]})" for v, n in sizes]
        texts |= {id(v): natives[places[id(v)]] for v in body.inputs}
        texts |= {
            key: f"{names.of(holds[key], 'held')}.array._data" if key in holds else names.of(v.native, "constant")
            for key, v in constants.items()
        }
        operands = [texts[id(v)] + "[()]" * (not v.shape) for v in loop.operands]
        call = f"{names.of(kernel, 'loop')}({', '.join([*operands, *[texts[id(v)] for v in loop.results]])})"
        made = [f"{texts[id(v)]} = {texts[id(v)]}[()]" for v in loop.results if not v.shape]
        results = iter([texts[id(v)] for v in graph.block.outputs])
        leaves = leaves_of(graph.outputs, lambda: next(results), lambda i: arrays[i], names, made)
        tree = building(graph.built, iter(leaves), names, made)
        inside = [f"    {line}" for line in (*made, f"return {tree}")]
        return [*lines, f"if {call}:", *inside]

    return Direct(write, frozenset(read), None if kept is None else kept.check)


def _compiled_so_far(kernel: Any) -> Any:
    """Return a function that runs what numba has compiled of a loop, and compiles nothing: other arrays are an error.

    The loop itself, where it is no function of numba, or where numba has no such functions.
    """
    try:
        made = type(kernel)(kernel.py_func, kernel.locals, kernel.targetoptions)
        for compiled in kernel.overloads.values():
            made.add_overload(compiled)
        made.disable_compile()
    except Exception:
        return kernel
    return made
