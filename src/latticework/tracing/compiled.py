"""Functions that run their source: traced when arguments of new dtypes or shapes are met, and kept."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import update_wrapper
from inspect import signature
from itertools import count
from operator import itemgetter
from typing import Any, NamedTuple

from ..core.trees import Structure, flatten
from ..engine.array import Array, wrapped
from ..policy import TABLES, active, current, kernels_of, table
from .graph import Graph, StaleError, same_constant
from .passes import PASSES
from .recorder import recorder
from .tracer import as_ours, parameter_names, trace_with_numbers
from .tuning import Tuning, magnitude, tuned

__all__ = ["Compiled", "Retrace"]

_numbers = count(1)
#: How many positional arguments have a quick way of their own.
_QUICK = 8
#: How many calls of different shapes are found at once. Beyond that, the graph is looked for.
_SHAPES = 256
#: The types of the numbers that may be inputs.
_NUMBERS = frozenset((int, float, complex))
#: In place of the result of a call whose graph is not remembered.
_MISSED: Any = object()


class Retrace:
    """Why a function was traced: the first time, or again.

    Attributes
    ----------
    graph: the graph that was made.
    why: what no graph before was valid for, in words.
    inputs: the names of the Python numbers that are inputs of the graph.
    constants: of the Python numbers that changed and are constants all the same, the names, and why it has to be so.
    """

    def __init__(
        self, graph: Graph, why: str, inputs: tuple[str, ...] = (), constants: dict[str, str] | None = None
    ) -> None:
        self.graph, self.inputs, self.constants = graph, inputs, constants or {}
        stay = [f". {name} stays a constant: {reason}" for name, reason in self.constants.items()]
        self.why = "".join([why, f". From now on an input: {', '.join(inputs)}" if inputs else "", *stay])

    def __repr__(self) -> str:
        return f"Retrace({self.why})"


class Compiled:
    """The graphs of a function that `lw.compile` made, which `explain_retraces` and `graphs` show.

    Attributes
    ----------
    f: the function.
    limit: how many graphs are kept.
    native: whether the framework's own compiler gets the source.
    fast: whether the source may change last bits.
    tune: whether the ways of running a graph are measured, and the fastest is kept.
    retraces: why each graph was made.
    tunings: what was measured.
    call: what the user calls.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        limit: int = 64,
        passes: Iterable[str] | None = None,
        *,
        native: bool = False,
        fast: bool = False,
        tune: bool = False,
    ) -> None:
        self.f, self.limit, self.native, self.fast, self.tune = f, limit, native, fast, tune
        self.tunings: list[Tuning] = []
        #: The framework's compiler takes less time for a number than for a tensor that a program holds.
        usual = [p for p in PASSES if p != "scalars"] if native else None
        self.passes = usual if passes is None else tuple(passes)
        self._graphs: OrderedDict[Any, list[Graph]] = OrderedDict()
        #: The numbers among the arguments, by structure and place: those that changed and became inputs of graphs, and
        #: those that have to be constants, because the function looks at them.
        self._inputs: set[tuple[Structure, int]] = set()
        self._constants: set[tuple[Structure, int]] = set()
        self.retraces: list[Retrace] = []
        self.table = f"compiled {next(_numbers)}"
        self.quick = table(self.table)
        self.call = update_wrapper(_entry(self), f)
        self.call.compiled = self  # type: ignore[attr-defined]
        self.call.tuning = lambda: [*self.tunings]  # type: ignore[attr-defined]
        weakref.finalize(self.call, TABLES.pop, self.table, None)

    def __repr__(self) -> str:
        name = getattr(self.f, "__name__", type(self.f).__name__)
        return f"<compiled {name}: {len(self.graphs)} graphs of at most {self.limit}>"

    @property
    def graphs(self) -> list[Graph]:
        return [g for kept in self._graphs.values() for g in kept]

    def graph_of(self, leaves: list[Any], structure: Structure) -> Graph:
        """The graph for a call with these leaves: one that is kept, or a new one."""
        kinds = [_kind(x) for x in leaves]
        key = self._key(current(), structure, kinds)
        try:
            kept = self._graphs.get(key)
        except TypeError:  # a leaf that has no hash
            kinds = [_kind(x) if isinstance(x, Array) else (id(x),) for x in leaves]
            key = self._key(current(), structure, kinds)
            kept = self._graphs.get(key)
        if kept is not None:
            self._graphs.move_to_end(key)
            for graph in reversed(kept):
                if not graph.unfit(leaves, structure):
                    return graph
        constant = self.native or self.fast or self.tune
        numbers = [] if constant else self._changing(kept or [], leaves, structure)
        args, kw = structure.build(iter(leaves))
        graph, static = trace_with_numbers(self.f, args, kw, self.passes, numbers)
        if self.fast:
            faster = graph.faster()  # an error where numba is missing
            graph = graph if self.tune else faster  # the tuning measures both
        if self.native and not self.tune:
            graph.compile_natively()
        self._note(graph, static, self._why(leaves, structure))
        graph.kinds = kinds
        self._graphs.setdefault(self._key(graph.policy, structure, kinds), []).append(graph)
        while len(self.graphs) > self.limit:
            oldest = next(iter(self._graphs))
            self._graphs[oldest].pop(0)
            if not self._graphs[oldest]:
                del self._graphs[oldest]
            self.quick.clear()
        return graph

    def function_of(self, graph: Graph, leaves: list[Any]) -> Callable[..., Any]:
        """What runs a graph: its source, or the fastest way for arguments of this magnitude."""
        if not self.tune:
            return graph.function
        data = [leaves[a.leaf]._data for a in graph.arguments]
        key = magnitude(data)
        found = graph.tuned.get(key)
        if found is None:
            measured = tuned(graph, data, native=self.native)
            found = graph.function
            if measured is not None:
                found, what = measured
                self.tunings.append(what)
            graph.tuned[key] = found
        return found

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _key(self, policy: Any, structure: Structure, kinds: list[Any]) -> Any:
        """What graphs are kept under. The values of numbers are in it where they have to be constants."""
        return policy, structure, tuple([
            k[:1] if type(k) is tuple and k[0] in _NUMBERS and (structure, i) not in self._constants else k
            for i, k in enumerate(kinds)
        ])  # fmt: skip

    def _changing(self, kept: list[Graph], leaves: list[Any], structure: Structure) -> list[int]:
        """The places of the numbers that are to be inputs: for them alone a graph was not valid for this call."""
        numbers = [i for i, x in enumerate(leaves) if type(x) in _NUMBERS and (structure, i) not in self._constants]
        found = {i for i in numbers if (structure, i) in self._inputs}
        for graph in kept if numbers else ():
            other = [*leaves]
            for i in numbers:
                other[i] = graph.static.get(i, other[i])
            if not graph.unfit(other, structure):
                found |= {i for i in numbers if not same_constant(other[i], leaves[i])}
        return sorted(found)

    def _note(self, graph: Graph, static: dict[int, str], why: str) -> None:
        """Remember which numbers are inputs and which have to be constants, and say so."""
        structure, inputs = graph.structure, [n.leaf for n in graph.numbers]
        fresh = [i for i in inputs if (structure, i) not in self._inputs]
        names = dict(zip([*fresh, *static], parameter_names(self.f, structure, [*fresh, *static]), strict=True))
        self._inputs |= {(structure, i) for i in inputs}
        self.retraces.append(
            Retrace(graph, why, tuple([names[i] for i in fresh]), {names[i]: static[i] for i in static})
        )
        if static:
            self._constants |= {(structure, i) for i in static}
            graphs = self.graphs
            self._graphs.clear()
            for g in graphs:
                self._graphs.setdefault(self._key(g.policy, g.structure, g.kinds), []).append(g)

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
    names = tuple(sorted(kw)) if kw else ()
    given = [*args, *[kw[name] for name in names]]
    result = _with_numbers(self, given, names)
    if result is not _MISSED:
        return result
    leaves, structure = flatten((args, kw))
    leaves = [as_ours(x) for x in leaves]
    if not any(isinstance(x, Array) for x in leaves):
        return self.f(*args, **kw)
    if self.staged(leaves):
        return self.f(*args, **kw)  # constants that are made now are of that compilation, and no graph may keep them
    graph = self.graph_of(leaves, structure)
    function = self.function_of(graph, leaves)
    arrays = sum([type(x) is Array for x in given])
    if not graph.distinguishes or arrays == 1:  # what is kept does not compare the arrays with each other
        if arrays == len(args) and not kw:
            _keep(self, args, graph, function)
        elif function is graph.function and all(type(x) is Array or type(x) in _NUMBERS for x in given):
            _keep_with_numbers(self, given, names, graph)
    return graph.run(leaves, function)


def _keep(self: Compiled, args: tuple[Array, ...], graph: Graph, function: Callable[..., Any]) -> None:
    """Remember which graph runs for arrays of these signatures and shapes, and what runs it."""
    kept = kernels_of(self.table, current())
    if len(kept) >= _SHAPES:
        kept.clear()
    key = tuple([part for x in args for part in (x._sig, x._data.shape)])
    out = graph.outputs
    kept[key] = function, out[0].sig if graph.alone else None, graph.finish


class _Kept(NamedTuple):
    """What runs a call of arrays and numbers, none of them in a container.

    Attributes
    ----------
    run: the function of the graph's source.
    sig: the signature of its result, None where `finish` makes the results.
    order: what puts the leaves into the order of the graph's inputs, None where they have it.
    arrays: the places of the arrays among the leaves.
    checks: the comparisons that have to hold of the numbers at some places.
    constants: the numbers that have to be the same.
    """

    run: Callable[..., Any]
    sig: Any
    finish: Callable[..., Any]
    order: Callable[[Any], Any] | None
    arrays: list[int]
    checks: list[tuple[int, Callable[[Any], bool]]]
    constants: list[tuple[int, Any]]


def _keep_with_numbers(self: Compiled, leaves: list[Any], names: tuple[str, ...], graph: Graph) -> None:
    """Remember which graph runs for arrays of these signatures and shapes beside numbers of these types."""
    kept = kernels_of(self.table, current())
    if len(kept) >= _SHAPES:
        kept.clear()
    order = [a.leaf for a in graph.arguments] + [n.leaf for n in graph.numbers]
    kept[_key_of(leaves, names)] = _Kept(
        graph.function, graph.outputs[0].sig if graph.alone else None, graph.finish,
        None if order == [*range(len(leaves))] else itemgetter(*order) if len(order) > 1 else lambda x: (x[order[0]],),
        [a.leaf for a in graph.arguments], [(n.leaf, g.holds) for n in graph.numbers for g in n.guards],
        [*graph.static.items()],
    )  # fmt: skip


def _key_of(leaves: list[Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    return (names, *[(x._sig, x._data.shape) if type(x) is Array else type(x) for x in leaves])


def _with_numbers(self: Compiled, leaves: list[Any], names: tuple[str, ...]) -> Any:
    """The result of a call whose graph is remembered, `_MISSED` for any other.

    Parameters
    ----------
    leaves: the arguments by position, and then those by name in the order of the names.
    """
    try:
        found = self.quick[active.get()][_key_of(leaves, names)]
    except (KeyError, AttributeError, TypeError):
        return _MISSED
    run, sig, finish, order, arrays, checks, constants = found
    for i, holds in checks:
        if not holds(leaves[i]):
            return _MISSED
    for i, constant in constants:
        if not same_constant(leaves[i], constant):
            return _MISSED
    data = [x._data if type(x) is Array else x for x in leaves]
    try:
        results = run(*data) if order is None else run(*order(data))
    except StaleError:
        return _MISSED
    return wrapped(results, sig) if sig is not None else finish(results, [leaves[i] for i in arrays])


#: What finds the graph of a call by the signatures and shapes of arrays given by position, and runs it. It is written
#: for a number of arguments, because a loop over them takes longer than the rest.
_ENTRY = """
def entry(self, kernels, get, slow, Array, StaleError):
    def call(*args, **kw):
        if kw or len(args) != {n}:
            return slow(self, args, kw)
        {names} = args
        try:
            {data}
            run, sig, finish = kernels[get()][{key}]
        except (KeyError, AttributeError, TypeError):
            return slow(self, args, kw)
        try:
            results = run({arguments})
        except StaleError:
            return slow(self, args, kw)
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
    entry: Callable[..., Any] = namespace["entry"](self, self.quick, active.get, _slow, Array, StaleError)
    return entry
