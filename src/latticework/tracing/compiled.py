"""Functions that run their source: traced when arguments of new dtypes or shapes are met, and kept."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import update_wrapper
from inspect import signature
from itertools import count
from typing import Any

from ..core.trees import Structure, flatten
from ..engine.array import Array
from ..policy import TABLES, active, current, kernels_of, table
from .graph import Graph
from .recorder import recorder
from .tracer import as_ours, trace

__all__ = ["Compiled", "Retrace"]

_numbers = count(1)
#: How many positional arguments have a quick way of their own.
_QUICK = 8
#: How many calls of different shapes are found at once. Beyond that, the graph is looked for.
_SHAPES = 256


class Retrace:
    """Why a function was traced: the first time, or again.

    Attributes
    ----------
    graph: the graph that was made.
    why: what no graph before was valid for, in words.
    """

    def __init__(self, graph: Graph, why: str) -> None:
        self.graph, self.why = graph, why

    def __repr__(self) -> str:
        return f"Retrace({self.why})"


class Compiled:
    """The graphs of a function that `lw.compile` made, which `explain_retraces` and `graphs` show.

    Attributes
    ----------
    f: the function.
    limit: how many graphs are kept.
    native: whether the framework's own compiler gets the source.
    retraces: why each graph was made.
    call: what the user calls.
    """

    def __init__(
        self, f: Callable[..., Any], limit: int = 64, passes: Iterable[str] | None = None, *, native: bool = False
    ) -> None:
        self.f, self.limit, self.native = f, limit, native
        self.passes = None if passes is None else tuple(passes)
        self._graphs: OrderedDict[Any, list[Graph]] = OrderedDict()
        self.retraces: list[Retrace] = []
        self.table = f"compiled {next(_numbers)}"
        self.quick = table(self.table)
        self.call = update_wrapper(_entry(self), f)
        self.call.compiled = self  # type: ignore[attr-defined]
        weakref.finalize(self.call, TABLES.pop, self.table, None)

    def __repr__(self) -> str:
        name = getattr(self.f, "__name__", type(self.f).__name__)
        return f"<compiled {name}: {len(self.graphs)} graphs of at most {self.limit}>"

    @property
    def graphs(self) -> list[Graph]:
        return [g for kept in self._graphs.values() for g in kept]

    def graph_of(self, leaves: list[Any], structure: Structure) -> Graph:
        """The graph for a call with these leaves: one that is kept, or a new one."""
        policy = current()
        key = policy, structure, tuple([_kind(x) for x in leaves])
        try:
            kept = self._graphs.get(key)
        except TypeError:  # a leaf that has no hash
            key = policy, structure, tuple([_kind(x) if isinstance(x, Array) else id(x) for x in leaves])
            kept = self._graphs.get(key)
        if kept is not None:
            self._graphs.move_to_end(key)
            for graph in reversed(kept):
                if not graph.unfit(leaves, structure):
                    return graph
        args, kw = structure.build(iter(leaves))
        graph = trace(self.f, args, kw, self.passes)
        if self.native:
            graph.compile_natively()
        self.retraces.append(Retrace(graph, self._why(leaves, structure)))
        self._graphs.setdefault(key, []).append(graph)
        while len(self.graphs) > self.limit:
            oldest = next(iter(self._graphs))
            self._graphs[oldest].pop(0)
            if not self._graphs[oldest]:
                del self._graphs[oldest]
            self.quick.clear()
        return graph

    def staged(self, leaves: list[Any]) -> bool:
        """Whether the framework compiles the program that makes this call."""
        backend = next(x._sig.backend for x in leaves if isinstance(x, Array))
        flow = getattr(backend.module, "control_flow", None)
        return flow is not None and bool(flow.staged())

    def _why(self, leaves: list[Any], structure: Structure) -> str:
        graphs = self.graphs
        if not graphs:
            return "the first call"
        if all(g.policy is not current() for g in graphs):
            return "the rules, defaults or casting modes in force are others"
        return min((g.unfit(leaves, structure) for g in graphs if g.policy is current()), key=len)


def _kind(x: Any) -> Any:
    """What of a leaf decides which graphs may be valid for it."""
    return x._sig if isinstance(x, Array) else (type(x), x)


def _slow(self: Compiled, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """A call that is met for the first time, or that is of other arguments than arrays by position."""
    if recorder.get() is not None:
        return self.f(*args, **kw)  # inside a trace it becomes part of that
    leaves, structure = flatten((args, kw))
    leaves = [as_ours(x) for x in leaves]
    if not any(isinstance(x, Array) for x in leaves):
        return self.f(*args, **kw)
    if self.staged(leaves):
        return self.f(*args, **kw)  # constants that are made now are of that compilation, and no graph may keep them
    graph = self.graph_of(leaves, structure)
    apart = not graph.distinguishes or len(args) == 1  # what is kept does not compare the arrays with each other
    if not kw and apart and all(type(x) is Array for x in args):
        _keep(self, args, graph)
    return graph.run(leaves)


def _keep(self: Compiled, args: tuple[Array, ...], graph: Graph) -> None:
    """Remember which graph runs for arrays of these signatures and shapes."""
    kept = kernels_of(self.table, current())
    if len(kept) >= _SHAPES:
        kept.clear()
    key = tuple([part for x in args for part in (x._sig, x._data.shape)])
    out = graph.outputs
    kept[key] = graph.function, out[0].sig if graph.alone else None, graph.finish


#: What finds the graph of a call by the signatures and shapes of arrays given by position, and runs it. It is written
#: for a number of arguments, because a loop over them takes longer than the rest.
_ENTRY = """
def entry(self, kernels, get, slow, Array):
    def call(*args, **kw):
        if kw or len(args) != {n}:
            return slow(self, args, kw)
        {names} = args
        try:
            {data}
            run, sig, finish = kernels[get()][{key}]
        except (KeyError, AttributeError, TypeError):
            return slow(self, args, kw)
        results = run({arguments})
        if sig is None:
            return finish(results, args)
        r = Array()
        r._data = results
        r._sig = sig
        return r

    return call
"""


def _entry(self: Compiled) -> Callable[..., Any]:
    """What the user calls."""
    try:
        parameters = [*signature(self.f).parameters.values()]
    except (TypeError, ValueError):
        parameters = []
    n = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if not n or n > _QUICK:
        return lambda *args, **kw: _slow(self, args, kw)
    text = _ENTRY.format(
        n=n,
        names="".join(f"x{i}, " for i in range(n)),
        data="; ".join(f"d{i} = x{i}._data" for i in range(n)),
        key="".join(f"x{i}._sig, d{i}.shape, " for i in range(n)),
        arguments=", ".join(f"d{i}" for i in range(n)),
    )
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    entry: Callable[..., Any] = namespace["entry"](self, self.quick, active.get, _slow, Array)
    return entry
