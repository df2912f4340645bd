"""Models for several extents: a graph is traced for a few, and what differs becomes a formula in the extents.

A model holds the extents of a program as ints, in the shapes that arrays are given. Those that differ between the
traces are sums and products of the dynamic extents, which the model computes from the shapes of its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.arrays.array import wrapped
from ...errors import GraphFileError
from ...policy import in_force
from .onnx_writer import PASSES, Operator, Program, Subgraph

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["Extents", "merged"]

#: The most dynamic extents: a model of n of them takes ``2**n + 1`` traces.
_MOST = 4


class Extents:
    """The dynamic extents of a graph's arguments.

    Parameters
    ----------
    dynamic: for each name of an argument, the names of extents by axes, or the axes alone; None for those of the
        specs that the graph was traced with.
    skipped: the number of inputs that the model holds.

    Attributes
    ----------
    symbols: the names, in order.
    axes: for each name, an argument and the axis from which a model reads it.
    tried: the extents that the graph is traced for, for each name.
    """

    def __init__(self, graph: Graph, dynamic: Mapping[str, Any] | None, skipped: int) -> None:
        self.graph = graph
        given = dict(graph.dynamic if dynamic is None else dynamic)
        names = graph.parameters[skipped:]
        arguments = dict(zip(names, graph.arguments[skipped:], strict=False))
        self.places: dict[int, dict[int, str]] = {}  # by the leaf of the argument
        self.axes: dict[str, tuple[str, int]] = {}
        first: dict[str, int] = {}
        for name, axes in given.items():
            if name not in arguments:
                raise ValueError(f"to_onnx: dynamic names {name!r}, which is no input; they are {', '.join(names)}")
            argument = arguments[name]
            named = dict(axes) if isinstance(axes, Mapping) else {a: f"{name}_{a}" for a in axes}
            for axis, symbol in named.items():
                n = len(argument.shape)
                if isinstance(axis, bool) or not isinstance(axis, int) or not -n <= axis < n:
                    raise ValueError(f"to_onnx: {name} has {n} axes; dynamic names the axis {axis!r}")
                if not isinstance(symbol, str) or not symbol:
                    raise TypeError(f"to_onnx: the name of a dynamic extent is a string; got {symbol!r}")
                self.places.setdefault(argument.leaf, {})[axis % n] = symbol
                self.axes.setdefault(symbol, (name, axis % n))
                extent = argument.shape[axis]
                if first.setdefault(symbol, extent) != extent:
                    raise ValueError(f"to_onnx: the extents named {symbol} differ: {first[symbol]} and {extent}")
        self.symbols = [*self.axes]
        if len(self.symbols) > _MOST:
            raise ValueError(f"to_onnx: a model has at most {_MOST} dynamic extents; got {', '.join(self.symbols)}")
        base = {s: max(2, n) for s, n in first.items()}
        self.tried = [
            {s: base[s] + more for s, more in zip(self.symbols, steps, strict=True)}
            for steps in [*product((0, 1), repeat=len(base)), *([(3,) * len(base), (7,) * len(base)] if base else [])]
        ]

    def graphs(self) -> Iterator[Graph]:
        """Trace the function for each of the extents that are tried.

        Raises
        ------
        GraphFileError: the function is not there, as for a graph from a file, or raises an error for other extents.
        """
        import numpy as np

        from ...backend import get
        from ..recording.definitions import kept_as_calls
        from ..recording.tracer import trace
        from .onnx_layers import LAYERS

        graph = self.graph
        if graph.traced is None:
            raise GraphFileError(
                "to_onnx: a graph from a file has no dynamic extents, because the function is not traced again"
            )
        for extents in self.tried:
            leaves: list[Any] = [graph.static.get(i) for i in range(graph.structure.size)]
            for argument in graph.arguments:
                places = self.places.get(argument.leaf, {})
                shape = tuple([extents[places[a]] if a in places else n for a, n in enumerate(argument.shape)])
                backend = argument.sig.backend
                data = np.zeros(shape, get("numpy").native_dtypes[argument.sig.dtype])
                with _dtypes_of(graph):
                    native = backend.from_numpy(data, None, True)
                leaves[argument.leaf] = wrapped(native, argument.sig)
            args, kw = graph.structure.build(iter(leaves))
            token = kept_as_calls.set(LAYERS)
            try:
                with _dtypes_of(graph), in_force(graph.policy), np.errstate(all="ignore"):
                    found = trace(graph.traced, args, kw, PASSES)
            except Exception as error:
                now = ", ".join(f"{s} = {n}" for s, n in extents.items())
                raised = f"{type(error).__name__}: {error}"
                raise GraphFileError(f"to_onnx: with {now} the program raises {raised}") from error
            finally:
                kept_as_calls.reset(token)
            found.parameters = graph.parameters
            yield found


def _dtypes_of(graph: Graph) -> AbstractContextManager[Any]:
    """Return a context in which the framework has the dtypes that it had when the graph was traced."""
    return graph._backend.with_all_dtypes() if graph.all_dtypes else nullcontext()


class Formula(NamedTuple):
    """A sum of products of extents: from the names in each product to its factor."""

    terms: dict[tuple[str, ...], Any]

    def at(self, extents: Mapping[str, int]) -> Any:
        total: Any = 0
        for names, factor in self.terms.items():
            for s in names:
                factor = factor * extents[s]
            total = total + factor
        return total


def fitted(values: list[Any], extents: Extents) -> Formula | None:
    """Find the formula that gives these values for the extents that were tried; None where there is none."""
    import numpy as np

    symbols, base = extents.symbols, extents.tried[0]
    whole = np.asarray(values[0]).dtype.kind in "iu"
    arrays = [np.asarray(v, dtype=np.int64 if whole else np.float64) for v in values]
    at = dict(zip(product((0, 1), repeat=len(symbols)), arrays, strict=False))
    terms: dict[tuple[str, ...], Any] = {}
    for size in range(len(symbols) + 1):
        for chosen in combinations(range(len(symbols)), size):
            change: Any = 0
            for k in range(size + 1):
                for part in combinations(chosen, k):
                    corner = at[tuple([int(i in part) for i in range(len(symbols))])]
                    change = change + (-1) ** (size - k) * corner
            for k in range(size + 1):  # the product of (n - base) over the chosen, multiplied out
                for part in combinations(chosen, k):
                    factor = change
                    for i in chosen:
                        factor = factor if i in part else factor * -base[symbols[i]]
                    key = tuple([symbols[i] for i in part])
                    terms[key] = terms.get(key, 0) + factor
    found = Formula({key: x for key, x in terms.items() if np.any(x)})
    for x, tried in zip(arrays, extents.tried, strict=True):
        y = np.broadcast_to(np.asarray(found.at(tried)), x.shape)
        if not (np.array_equal(x, y) if whole else np.allclose(x, y, rtol=1e-6, atol=0)):
            return None
    return found


def merged(programs: list[Program], extents: Extents) -> tuple[Program, dict[str, Any]]:
    """Make one program of those for several extents, and describe the extents of its inputs and outputs.

    Raises
    ------
    GraphFileError: the programs differ in more than extents.
    """
    import numpy as np

    first = programs[0]
    names = [_names(first, other, extents) for other in programs[1:]]
    m = _Merging(extents)
    for name, x in first.initializers.items():
        if not all(name in found for found in names):  # nothing uses it
            continue
        all_of_it = [x, *[p.initializers[found[name]] for p, found in zip(programs[1:], names, strict=True)]]
        if all(y is x or (y.dtype == x.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"))
               for y in all_of_it):  # fmt: skip
            m.initializers[name] = x
        else:
            m.compute(name, all_of_it, _user(first.operators, name))
    shapes = {}
    for i, (name, _, shape) in enumerate((*first.inputs, *first.outputs)):
        every = [(*p.inputs, *p.outputs)[i][2] for p in programs]
        shapes[name] = tuple([m.extent([s[k] for s in every]) for k in range(len(shape))])
    return Program([*m.operators, *first.operators], m.initializers, first.inputs, first.outputs), shapes


def _user(operators: list[Operator], name: str) -> Operator | None:
    """Find the first operator that uses an array."""
    for operator in operators:
        if name in operator.inputs:
            return operator
        for x in operator.attributes.values():
            found = _user(x.operators, name) if isinstance(x, Subgraph) else None
            if found is not None:
                return found
    return None


def _names(first: Program, other: Program, extents: Extents) -> dict[str, str]:
    """Find the names in another program of the arrays of the first one.

    Raises
    ------
    GraphFileError: the programs have other operators.
    """
    import numpy as np

    found: dict[str, str] = {}
    of = ", ".join(extents.symbols)

    def same(x: str, y: str) -> bool:
        known = found.get(x)
        if known is None and (x in first.initializers) == (y in other.initializers):
            found[x] = y
            return x in first.initializers or x == y
        constants = other.initializers
        return known == y or (
            known in constants and y in constants and np.array_equal(constants[known], constants[y])
        )  # fmt: skip

    def compare(ours: list[Operator], theirs: list[Operator]) -> None:
        for a, b in zip(ours, theirs, strict=False):
            parts = [
                (a.attributes[k], b.attributes.get(k)) for k in a.attributes if isinstance(a.attributes[k], Subgraph)
            ]
            plain = [{k: x for k, x in o.attributes.items() if not isinstance(x, Subgraph)} for o in (a, b)]
            if (
                a.op_type != b.op_type or plain[0] != plain[1] or len(a.inputs) != len(b.inputs)
                or not all(map(same, a.inputs, b.inputs))
            ):  # fmt: skip
                at = a.at.rpartition(" ")[0]
                raise GraphFileError(
                    f"to_onnx: {at}: depends on {of} in a way that a model cannot: for other values it is another "
                    "operator, or has other attributes or other operands"
                )
            for x, y in parts:
                assert isinstance(x, Subgraph)
                assert isinstance(y, Subgraph)
                found.update(zip([n for n, _ in x.inputs], [n for n, _ in y.inputs], strict=True))
                compare(x.operators, y.operators)
            found.update(zip(a.outputs, b.outputs, strict=True))
        if len(ours) != len(theirs):
            at = (ours if len(ours) > len(theirs) else theirs)[min(len(ours), len(theirs))].at.rpartition(" ")[0]
            raise GraphFileError(f"to_onnx: {at}: the program makes other calls for other values of {of}")

    compare(first.operators, other.operators)
    return found


class _Merging:
    """The operators that compute what depends on extents."""

    def __init__(self, extents: Extents) -> None:
        self.extents = extents
        self.operators: list[Operator] = []
        self.initializers: dict[str, Any] = {}
        self.count = 0
        self.read: dict[str, str] = {}
        self.shapes: dict[str, str] = {}

    def op(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        self.count += 1
        name = name or f"extent_{self.count}"
        self.operators.append(Operator(kind, inputs, (name,), f"extents {self.count}", attributes))
        return name

    def initializer(self, data: Any) -> str:
        self.count += 1
        name = f"factor_{self.count}"
        self.initializers[name] = data
        return name

    def symbol(self, symbol: str) -> str:
        """Return the extent of a name, as an array of one int64."""
        import numpy as np

        if symbol not in self.read:
            argument, axis = self.extents.axes[symbol]
            shape = self.shapes.get(argument) or self.shapes.setdefault(argument, self.op("Shape", argument))
            self.read[symbol] = self.op("Gather", shape, self.initializer(np.asarray([axis], dtype=np.int64)), axis=0)
        return self.read[symbol]

    def extent(self, values: list[int]) -> int | str | None:
        """Describe an extent: an int, the name of a dynamic one, or None."""
        if len({*values}) == 1:
            return values[0]
        for s in self.extents.symbols:
            if values == [tried[s] for tried in self.extents.tried]:
                return s
        return None

    def compute(self, name: str, values: list[Any], user: Operator | None) -> None:
        """Write what gives an array of a program for all extents."""
        import numpy as np

        x = values[0]
        if all(v.shape == x.shape for v in values):
            found = fitted(values, self.extents)
            if found is not None:
                self.formula(found, x, name)
                return
            if user is not None and user.op_type == "Reshape" and user.inputs[1] == name:
                whole = [fitted([v[i] for v in values], self.extents) for i in range(x.size)]
                if sum(f is None for f in whole) == 1 and all(v.all() for v in values):  # one extent may be left open
                    i = whole.index(None)
                    closed = [np.where(np.arange(x.size) == i, -1, v) for v in values]
                    self.compute(name, closed, None)
                    return
            if x.dtype.kind == "f":
                found = fitted([1 / v.astype(np.float64) for v in values], self.extents)
                if found is not None:
                    below = self.formula(found, x.astype(np.float64), "")
                    inverse = self.op("Reciprocal", below)
                    self.op("Cast", inverse, name=name, to=_code(x.dtype))
                    return
        elif all(v.ndim == x.ndim for v in values):
            if x.ndim == 2 and self.diagonal(name, values):
                return
            shape = fitted([np.asarray(v.shape, dtype=np.int64) for v in values], self.extents)
            elements = [np.unique(v) for v in values]
            if shape is not None and all(e.size == 1 and e[0] == elements[0][0] for e in elements):
                extents = self.formula(shape, np.zeros(x.ndim, dtype=np.int64), "")
                self.op("Expand", self.initializer(elements[0].reshape(())), extents, name=name)
                return
            if shape is not None and x.ndim == 1 and x.dtype.kind in "iuf":
                start, step = x[0], x[1] - x[0]
                if all(np.array_equal(v, (start + step * np.arange(v.size)).astype(x.dtype)) for v in values):
                    count = self.op(
                        "Squeeze", self.formula(shape, np.zeros(1, dtype=np.int64), ""),
                    )  # fmt: skip
                    zero, one = (self.initializer(np.asarray(n, dtype=np.int64)) for n in (0, 1))
                    places = self.op("Cast", self.op("Range", zero, count, one), to=_code(x.dtype))
                    scaled = self.op("Mul", places, self.initializer(np.asarray(step, dtype=x.dtype)))
                    self.op("Add", scaled, self.initializer(np.asarray(start, dtype=x.dtype)), name=name)
                    return
        at = user.at.rpartition(" ")[0] if user is not None else "the program"
        raise GraphFileError(
            f"to_onnx: {at}: depends on {', '.join(self.extents.symbols)} in a way that a model cannot: an array or "
            "extent is no sum of products of these"
        )

    def diagonal(self, name: str, values: list[Any]) -> bool:
        """Write an array of zeros with ones on a diagonal; return False if it is another."""
        import numpy as np

        x, shape = values[0], fitted([np.asarray(v.shape, dtype=np.int64) for v in values], self.extents)
        ones = np.argwhere(x)
        offset = int(ones[0][1] - ones[0][0]) if ones.size else 0
        if shape is None or not all(np.array_equal(v, np.eye(*v.shape, offset)) for v in values):
            return False
        extents = self.formula(shape, np.zeros(2, dtype=np.int64), "")
        zero, one = (self.initializer(np.asarray(n, dtype=np.int64)) for n in (0, 1))
        rows, columns = (
            self.op("Range", zero, self.op("Gather", extents, n, axis=0), one) for n in (zero, one)
        )  # fmt: skip
        rows = self.op("Add", rows, self.initializer(np.asarray(offset, dtype=np.int64)))
        found = self.op("Equal", self.op("Unsqueeze", rows, self.initializer(np.asarray([1], dtype=np.int64))), columns)
        self.op("Cast", found, name=name, to=_code(x.dtype))
        return True

    def formula(self, found: Formula, like: Any, name: str) -> str:
        """Write a formula, whose value has the shape and dtype of an array."""
        import numpy as np

        whole = like.dtype.kind in "iu"
        wide = np.dtype(np.int64 if whole else np.float64)
        total = ""
        for names, factor in sorted(found.terms.items()):
            term = self.initializer(np.broadcast_to(np.asarray(factor, dtype=wide), like.shape or (1,)).copy())
            for s in names:
                n = self.symbol(s)
                term = self.op("Mul", term, n if whole else self.op("Cast", n, to=_code(wide)))
            total = self.op("Add", total, term) if total else term
        if not like.shape:
            total = self.op("Reshape", total, self.initializer(np.zeros(0, dtype=np.int64)))
        if name or like.dtype != wide:
            total = self.op("Cast", total, name=name, to=_code(like.dtype))
        return total


def _code(dtype: Any) -> int:
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(dtype))
