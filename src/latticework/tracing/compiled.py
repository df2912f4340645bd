"""Functions that run their source. They are traced for new dtypes or shapes of the arguments, and the graphs kept."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial, update_wrapper
from itertools import count
from threading import RLock
from typing import Any

from ..core.trees import Structure, flatten_call
from ..engine.arrays.array import Array
from ..engine.functions.entry import Entry, Kept, OtherShapes
from ..policy import TABLES, current
from .direct import direct_of
from .graph import Graph, same_constant
from .passes.general import PASSES
from .recording.recorder import recorder
from .recording.tracer import as_ours, parameter_names, trace_with_numbers
from .running import StaleError
from .tuning import Tuning, magnitude, tuned

__all__ = ["Compiled", "Retrace"]

_numbers = count(1)
#: The types of the numbers that may be inputs.
_NUMBERS = frozenset((int, float, complex))


class Retrace:
    """The reason why a function was traced: the first time, or again.

    Attributes
    ----------
    graph: the graph that was made.
    why: why no graph before was valid, in words.
    inputs: the names of the Python numbers that are inputs of the graph.
    constants: the names of the Python numbers that changed but have to stay constants, with the reasons.
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
        self._lock = RLock()  # held while the table is read through or changed; threads trace side by side
        #: The numbers among the arguments, by structure and place: those that changed and became inputs of graphs, and
        #: those that have to be constants, because the function looks at them.
        self._inputs: set[tuple[Structure, int]] = set()
        self._constants: set[tuple[Structure, int]] = set()
        self.retraces: list[Retrace] = []
        self.table = f"compiled {next(_numbers)}"
        self.entry = Entry(self.table, partial(_slow, self), (OtherShapes, StaleError))
        self.call = update_wrapper(self.entry.call, f)
        self.call.compiled = self  # type: ignore[attr-defined]
        self.call.tuning = lambda: [*self.tunings]  # type: ignore[attr-defined]
        weakref.finalize(self.call, TABLES.pop, self.table, None)

    def __repr__(self) -> str:
        name = getattr(self.f, "__name__", type(self.f).__name__)
        return f"<compiled {name}: {len(self.graphs)} graphs of at most {self.limit}>"

    @property
    def graphs(self) -> list[Graph]:
        with self._lock:
            return [g for kept in self._graphs.values() for g in kept]

    def graph_of(self, leaves: list[Any], structure: Structure) -> tuple[Graph, tuple[Any] | None]:
        """Return the graph for a call with these leaves: a kept graph, or a new one. If what the function returned when
        the new one was traced is the result of this call, return that as well."""
        kinds = [_kind(x) for x in leaves]
        try:
            kept = self._kept(structure, kinds)
        except TypeError:  # a leaf that has no hash
            kinds = [_kind(x) if isinstance(x, Array) else (id(x),) for x in leaves]
            kept = self._kept(structure, kinds)
        for graph in reversed(kept):
            if not graph.unfit(leaves, structure):
                return graph, None
        constant = self.native or self.fast or self.tune
        numbers = [] if constant or not (kept or self._inputs) else self._changing(kept, leaves, structure)
        graph, static, returned = trace_with_numbers(self.f, leaves, structure, self.passes, numbers)
        if self.fast:
            faster = graph.faster()  # an error where numba is missing
            graph = graph if self.tune else faster  # the tuning measures both
        if self.native and not self.tune:
            graph.compile_natively()
        graph.kinds = kinds
        with self._lock:
            self._note(graph, static, self._why(leaves, structure))
            others = self._graphs.setdefault(self._key(graph.policy, structure, kinds), [])
            if graph.compares_shapes and others:
                self.entry.clear()  # an entry found without a look at shapes would be tried, and refused, at each call
            others.append(graph)
            while sum(map(len, self._graphs.values())) > self.limit:
                oldest = next(iter(self._graphs))
                self._graphs[oldest].pop(0)
                if not self._graphs[oldest]:
                    del self._graphs[oldest]
                self.entry.clear()
        return graph, None if constant else returned

    def _kept(self, structure: Structure, kinds: list[Any]) -> list[Graph]:
        """Return the graphs for arguments of these kinds, and mark them as the last used."""
        with self._lock:
            key = self._key(current(), structure, kinds)
            kept = self._graphs.get(key)
            if kept is None:
                return []
            self._graphs.move_to_end(key)
            return [*kept]

    def function_of(self, graph: Graph, leaves: list[Any]) -> Callable[..., Any]:
        """Return the function that runs a graph, with latticework's slopes where derivatives may be taken."""
        return graph.with_own_slopes(self._fastest(graph, leaves))

    def _fastest(self, graph: Graph, leaves: list[Any]) -> Callable[..., Any]:
        """Return the source as a function, or the fastest way for arguments of this magnitude."""
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
        """Return the key of graphs. It has the values of numbers only where they have to be constants."""
        return policy, structure, tuple([
            k[:1] if type(k) is tuple and k[0] in _NUMBERS and (structure, i) not in self._constants else k
            for i, k in enumerate(kinds)
        ])  # fmt: skip

    def _changing(self, kept: list[Graph], leaves: list[Any], structure: Structure) -> list[int]:
        """Return the places of numbers to be inputs: known inputs, and numbers that alone made a kept graph unfit."""
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
        """Note which numbers are inputs and which have to be constants, and why the function was traced."""
        structure, inputs = graph.structure, [n.leaf for n in graph.numbers]
        if not inputs and not static:
            self.retraces.append(Retrace(graph, why))
            return
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

    def is_alone(self, graph: Graph) -> bool:
        """Return whether there is no other graph for arguments of this structure and these kinds."""
        return len(self._graphs.get(self._key(graph.policy, graph.structure, graph.kinds), ())) == 1

    def becomes_part(self, leaves: list[Any]) -> bool:
        """Return whether the function itself runs: the framework compiles the program that makes this call, so that
        constants made now belong to that; or a derivative is taken on NumPy or Dask, which a source does not have."""
        backends = [x._sig.backend for x in leaves if isinstance(x, Array)]
        flow = backends[0].control_flow
        return (flow is not None and bool(flow.staged())) or any(b.takes_target for b in backends)

    def _why(self, leaves: list[Any], structure: Structure) -> str:
        graphs = self.graphs
        if not graphs:
            return "the first call"
        if all(g.policy is not current() for g in graphs):
            return "the rules, defaults or casting modes in force are others"
        return min((g.unfit(leaves, structure) for g in graphs if g.policy is current()), key=len)


def _kind(x: Any) -> Any:
    """Return the part of a leaf that decides which graphs may be valid for it."""
    return x._sig if isinstance(x, Array) else (type(x), x)


def _slow(self: Compiled, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Run a call that is new, or whose arguments are not all arrays by position."""
    if recorder.get() is not None:
        return self.f(*args, **kw)  # inside a trace it becomes part of that trace
    given, structure = flatten_call(args, kw)
    leaves = [x if type(x) is Array else as_ours(x) for x in given]
    if not any(isinstance(x, Array) for x in leaves):
        return self.f(*args, **kw)
    if self.becomes_part(leaves):
        return self.f(*args, **kw)
    graph, returned = self.graph_of(leaves, structure)
    if returned is not None:  # the source is written when such a call is made again
        return returned[0]
    function = self.function_of(graph, leaves)
    native = any(x is not y for x, y in zip(leaves, given, strict=True))
    _keep(self, args, kw, graph, function, leaves, native=native)
    return graph.run(leaves, function)


def _keep(
    self: Compiled,
    args: tuple[Any, ...],
    kw: dict[str, Any],
    graph: Graph,
    function: Callable[..., Any],
    leaves: list[Any],
    *,
    native: bool,
) -> None:
    """Remember which graph runs for arguments like these, and the function that runs it.

    Parameters
    ----------
    leaves: the leaves of the arguments, as arrays of ours.
    native: whether the framework's own arrays are among the arguments.
    """
    fits = None
    if (graph.distinguishes and len(graph.arguments) > 1) or any(n.guards for n in graph.numbers):
        if native and graph.distinguishes:
            return  # each becomes a new lw.Array
        fits = graph.fits
    finish = graph.finish
    if native and not graph.alone:
        finish = lambda results, arrays: graph.finish(results, [as_ours(x) for x in arrays])  # noqa: E731
    compares = graph.compares_shapes and fits is None and self.is_alone(graph)
    direct = None
    if (self.fast or self.tune) and graph.backend == "numpy" and not native:
        direct = partial(direct_of, graph, function, [leaves[a.leaf]._data.shape for a in graph.arguments])
    kept = Kept(function, graph.outputs[0].sig if graph.alone else None, finish, direct)
    self.entry.keep(args, kw, kept, inputs=[n.leaf for n in graph.numbers], fits=fits, compares=compares)
