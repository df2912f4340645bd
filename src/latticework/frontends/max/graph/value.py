"""MAX's graphs and their symbols. Operations are recorded, with dtypes and shapes, and computed when a graph is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from ....backend import get
from ....core.dtypes import Dtype, all_dtypes
from ....core.registry import functions as lw
from ....engine.arrays.array import Array
from ....engine.functions.without_data import stand_in
from ....errors import BackendError, PromotionError
from ....policy import Policy, as_dtype, call_under, current, in_force, unified_rules
from ....promotion import Operand, rules_named
from ..dtype import DType

__all__ = ["DeviceRef", "Dim", "Graph", "Shape", "TensorType", "TensorValue"]

#: The graph that operations are added to.
_current: ContextVar[Graph | None] = ContextVar("latticework MAX graph", default=None)


class DeviceRef(NamedTuple):
    """A device by its kind and number: ``DeviceRef.CPU()``."""

    device_type: str = "cpu"
    id: int = 0

    @classmethod
    def CPU(cls, id: int = 0) -> DeviceRef:
        """A CPU."""
        return cls("cpu", id)

    @classmethod
    def GPU(cls, id: int = 0) -> DeviceRef:
        """A GPU."""
        return cls("gpu", id)

    def __repr__(self) -> str:
        return f"{self.device_type}:{self.id}"


class Dim:
    """An extent: a number, or a name for one that is known when the graph is run."""

    __slots__ = ("extent",)

    def __init__(self, extent: int | str | Dim) -> None:
        self.extent: int | str = extent.extent if isinstance(extent, Dim) else extent

    def __eq__(self, other: object) -> bool:
        return self.extent == (other.extent if isinstance(other, Dim) else other)

    def __hash__(self) -> int:
        return hash(self.extent)

    def __int__(self) -> int:
        if not isinstance(self.extent, int):
            raise TypeError(f"the extent {self.extent!r} is not known before the graph is run")
        return self.extent

    __index__ = __int__

    def __repr__(self) -> str:
        return f"Dim({self.extent!r})"


class Shape(list[Dim]):
    """The extents of a tensor."""

    def __init__(self, dims: Iterable[Any] = ()) -> None:
        super().__init__([Dim(d) for d in dims])

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self)

    @property
    def static_dims(self) -> list[int]:
        """The extents that are known."""
        return [d.extent for d in self if isinstance(d.extent, int)]


class TensorType:
    """The dtype and shape of a tensor.

    Parameters
    ----------
    shape: extents; a text stands for one that is known when the graph is run.
    """

    def __init__(self, dtype: DType, shape: Iterable[Any] = (), device: Any = None) -> None:
        self.dtype, self.shape, self.device = dtype, Shape(shape), device or DeviceRef.CPU()

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and (self.dtype, self.shape) == (other.dtype, other.shape)

    def __hash__(self) -> int:
        return hash((self.dtype, tuple(self.shape)))

    def __repr__(self) -> str:
        return f"TensorType(dtype={self.dtype!r}, shape={[*self.shape]}, device={self.device!r})"


class _Node(NamedTuple):
    """An operation: a latticework function, its arguments and its results."""

    function: Callable[..., Any]
    args: Any
    kw: dict[str, Any]
    results: list[TensorValue]
    several: bool


class TensorValue:
    """A symbol: the result of an operation, which has a dtype and a shape, and a value when the graph is run."""

    __slots__ = ("_stand_in", "dtype", "graph", "shape")

    _stand_in: Array | None
    dtype: DType
    graph: Graph
    shape: Shape
    __array_ufunc__ = None

    def __init__(self, value: Any, *, graph: Graph | None = None, dtype: DType | None = None, shape: Any = ()) -> None:
        if isinstance(value, TensorValue):
            self.graph, self.dtype, self.shape = value.graph, value.dtype, value.shape
            self._stand_in = value._stand_in
            return
        if graph is None:
            raise TypeError(f"TensorValue: takes a value of a graph; got {type(value).__name__}. Write ops.constant")
        self._stand_in, self.graph = value, graph
        self.dtype = DType(value.dtype.name) if dtype is None else dtype
        extents = [("?" if n is None else n) for n in value.shape] if value is not None else shape
        self.shape = Shape(extents)

    @property
    def type(self) -> TensorType:
        """Its dtype and shape."""
        return TensorType(self.dtype, self.shape)

    @property
    def tensor(self) -> TensorValue:
        """Itself."""
        return self

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def device(self) -> DeviceRef:
        """The device: always the CPU."""
        return DeviceRef.CPU()

    def __repr__(self) -> str:
        return f"TensorValue(dtype={self.dtype!r}, shape={[*self.shape]}, device=cpu:0)"

    __hash__ = object.__hash__


#: Latticework's dtypes that arrays can have.
_COMPUTED = frozenset(all_dtypes)


class Graph:
    """A program of MAX, recorded: ``with Graph("g", input_types=[…]) as g``.

    Parameters
    ----------
    name: its name.
    forward: a function of the inputs that gives the outputs, in place of a ``with`` block.
    input_types: the dtypes and shapes of its inputs.
    rules: the promotion rules: ``"max"``, those of today's release, or ``"max-2024"``, those of MAX 24.

    Examples
    --------
    >>> import numpy as np
    >>> from latticework.frontends.max import DType, Graph
    >>> g = Graph()
    >>> x = g.scalar[DType.int16](1)
    >>> y = g.scalar[DType.float32](1.5)
    >>> g.output(x + y)
    >>> g.output_types[0].dtype, g().tolist()
    (float32, 2.5)
    """

    def __init__(
        self,
        name: str = "graph",
        forward: Callable[..., Any] | None = None,
        input_types: Iterable[TensorType] = (),
        *,
        rules: str = "max",
    ) -> None:
        self.name = self.__name__ = name
        self.rules = rules_named(rules)
        self.nodes: list[_Node] = []
        self.outputs: list[TensorValue] | None = None
        self._tokens: list[Any] = []
        self.inputs = [self._input(t) for t in input_types]
        self.scalar = _Scalars(self)
        if forward is not None:
            with self:
                result = forward(*self.inputs)
                self.output(*(result if isinstance(result, (list, tuple)) else (result,)))

    def _input(self, of: TensorType) -> TensorValue:
        if of.dtype.ours not in _COMPUTED:
            return TensorValue(None, graph=self, dtype=of.dtype, shape=of.shape)
        spec = lw.spec(tuple([d.extent if isinstance(d.extent, int) else None for d in of.shape]), of.dtype.ours)
        target = get("abstract")
        value = TensorValue(stand_in(spec, target, target.device_name(None)), graph=self)
        value.shape = Shape(of.shape)
        return value

    # --- making -----------------------------------------------------------------------------------------------------

    def __enter__(self) -> Graph:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._tokens.pop())

    def constant(self, value: Any, dtype: DType | None = None) -> TensorValue:
        """A tensor of given elements, see `ops.constant`."""
        with self:
            return constant(value, dtype)

    def output(self, *values: Any) -> None:
        """Set the outputs of the graph."""
        for x in values:
            if not isinstance(x, TensorValue) or x.graph is not self:
                raise TypeError(f"output: takes values of this graph; got {type(x).__name__}")
        self.outputs = [*values]

    @property
    def output_types(self) -> list[TensorType]:
        """The dtypes and shapes of the outputs."""
        return [x.type for x in self.outputs or ()]

    def policy(self, backend: str) -> Policy:
        """Return the policy under which its operations are recorded or run."""
        return current()._with(
            rules=self.rules, backend=backend, device=None, set_uint=None, set_complex=None, set_dtype=None, casting=()
        )

    # --- running ----------------------------------------------------------------------------------------------------

    def __call__(self, *arrays: Any) -> Any:
        """Run the graph.

        Parameters
        ----------
        arrays: one for each input: an `lw.Array`, or an array of NumPy or any framework.

        Returns
        -------
        An `lw.Array` for each output; the array alone where there is one output.
        """
        if self.outputs is None:
            raise ValueError(f"{self.name}: the graph has no output. Call output(…) first")
        if len(arrays) != len(self.inputs):
            raise ValueError(f"{self.name}: takes {len(self.inputs)} arrays; got {len(arrays)}")
        policy = self.policy(current().backend)
        with in_force(policy):
            values: dict[int, Array] = {}
            for symbol, x in zip(self.inputs, arrays, strict=True):
                array = x if isinstance(x, Array) else lw.asarray(x)
                _check_input(self.name, symbol, array)
                values[id(symbol)] = array
            for node in self._needed():
                args, kw = _filled(node.args, values), _filled(node.kw, values)
                result = node.function(*args, **kw)
                for symbol, value in zip(node.results, result if node.several else (result,), strict=True):
                    values[id(symbol)] = value
            found = [values[id(x)] for x in self.outputs]
        return found[0] if len(found) == 1 else tuple(found)

    def _needed(self) -> list[_Node]:
        """Return the operations that compute the outputs, in order."""
        wanted, needed = {id(x) for x in self.outputs or ()}, list[_Node]()
        for node in reversed(self.nodes):
            if not wanted.isdisjoint(map(id, node.results)):
                needed.append(node)
                wanted |= {id(x) for x in _symbols([*node.args, *node.kw.values()])}
        return needed[::-1]


def _check_input(name: str, symbol: TensorValue, x: Array) -> None:
    if x.dtype is not symbol.dtype.ours:
        raise ValueError(f"{name}: an input is of {symbol.dtype!r}; got {x.dtype}")
    extents = [d.extent for d in symbol.shape]
    if len(extents) != x.ndim or any(isinstance(n, int) and n != m for n, m in zip(extents, x.shape, strict=True)):
        raise ValueError(f"{name}: an input is of shape {extents}; got {x.shape}")


def _filled(tree: Any, values: dict[int, Any]) -> Any:
    """Replace the symbols in the arguments of an operation by their values."""
    if isinstance(tree, TensorValue):
        return values.get(id(tree), tree)  # a scalar of a dtype that rules alone know has no value
    if type(tree) in (list, tuple):
        return type(tree)([_filled(x, values) for x in tree])
    if type(tree) is dict:
        return {k: _filled(x, values) for k, x in tree.items()}
    return tree


def _symbols(tree: Any) -> list[TensorValue]:
    if isinstance(tree, TensorValue):
        return [tree]
    if type(tree) in (list, tuple):
        return [s for x in tree for s in _symbols(x)]
    if type(tree) is dict:
        return [s for x in tree.values() for s in _symbols(x)]
    return []


def record(name: str, f: Callable[..., Any], args: Sequence[Any], kw: dict[str, Any] | None = None) -> Any:
    """Add an operation to the graph of its operands, and give its results.

    Raises
    ------
    ValueError: the promotion rules, or the operation, refuse the operands.
    TypeError: no operand is a value of a graph.
    """
    kw = kw or {}
    symbols = _symbols([*args, *kw.values()])
    graph = symbols[0].graph if symbols else _current.get()
    if graph is None:
        raise TypeError(f"{name}: at least one operand must be a value of a graph, or a graph be open: with Graph(…)")
    if any(s.graph is not graph for s in symbols):
        raise ValueError(f"{name}: the operands are values of two graphs")
    if any(s._stand_in is None for s in symbols):
        return _of_rules_alone(name, f, args, graph)
    stand_ins = {id(s): s._stand_in for s in symbols}
    try:
        policy = graph.policy("abstract")
        result = call_under(policy, f, tuple(_filled(args, stand_ins)), _filled(kw, stand_ins))
    except (PromotionError, OverflowError, IndexError) as error:
        raise ValueError(f"{name}: {error}") from None
    except BackendError as error:
        raise ValueError(f"{name}: {error}") from None
    several = not isinstance(result, Array)
    results = [TensorValue(x, graph=graph) for x in (result if several else (result,))]
    if len(results) == 1:
        _name_extents(results[0], symbols)
    graph.nodes.append(_Node(f, tuple(args), kw, results, several))
    return results if several else results[0]


def _name_extents(result: TensorValue, operands: list[TensorValue]) -> None:
    """Give an extent that is not known the name that it has in an operand of this rank."""
    for i, dim in enumerate(result.shape):
        if dim == "?":
            at = i - len(result.shape)
            names = [x.shape[at] for x in operands if len(x.shape) >= -at and isinstance(x.shape[at].extent, str)]
            result.shape[i] = names[0] if names else dim


def _of_rules_alone(name: str, f: Callable[..., Any], args: Sequence[Any], graph: Graph) -> TensorValue:
    """A result where a dtype is one that promotion rules alone know: it has a dtype and a shape, and no value."""
    import numpy as np

    operands = [x.dtype.ours if isinstance(x, TensorValue) else x for x in args]
    shapes = [[d.extent for d in x.shape] for x in args if isinstance(x, TensorValue)]
    try:
        dtype = lw.operation_result(getattr(f, "__name__", name), *operands, rules=graph.rules)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    shape = np.broadcast_shapes(*[tuple(s) for s in shapes if all(isinstance(n, int) for n in s)])
    result = TensorValue(None, graph=graph, dtype=DType(dtype.name), shape=shape)

    def refuse(*_: Any) -> Any:
        shown = ", ".join(map(str, operands))
        raise ValueError(f"{name}: nothing is computed with {shown}, which promotion rules alone know")

    graph.nodes.append(_Node(refuse, tuple(args), {}, [result], False))
    return result


class _Scalars:
    """``g.scalar[DType.int16](1)``, MAX 24's way, and ``g.scalar(1, DType.int16)``."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __getitem__(self, dtype: DType) -> Callable[[Any], TensorValue]:
        return lambda value: self(value, dtype)

    def __call__(self, value: Any, dtype: DType) -> TensorValue:
        if dtype.ours not in _COMPUTED:
            return TensorValue(None, graph=self.graph, dtype=dtype)
        return self.graph.constant(value, dtype)


def constant(value: Any, dtype: DType | None = None, device: Any = None) -> Any:
    """A tensor of given elements. Elements that the dtype does not hold are refused.

    Raises
    ------
    RuntimeError: elements are floats and the dtype is of integers.
    """
    import numpy as np

    elements = value if hasattr(value, "dtype") else np.asarray(value)
    if dtype is None and not hasattr(value, "dtype"):
        dtype = DType.float32 if elements.dtype.kind == "f" else DType.int64
    ours = dtype_named(dtype) if dtype is not None else None
    if ours is not None and ours.kind in "iu" and elements.dtype.kind == "f":
        raise RuntimeError(f"constant: a float does not become {dtype!r}. Cast it, or take a floating dtype")
    return record("constant", _constant, (elements, ours))


def _constant(elements: Any, dtype: Dtype | None) -> Array:
    with unified_rules():
        return lw.asarray(elements, dtype=dtype)


def fitted(name: str, x: Any, other: Any) -> Any:
    """An operand: an array that is no value of a graph becomes one, of the dtype of the other operand.

    Raises
    ------
    ValueError: the rules refuse its elements in that dtype.
    """
    if isinstance(x, (TensorValue, int, float)) or not isinstance(other, TensorValue):
        return x
    import numpy as np

    graph, elements, dtype = other.graph, np.asarray(x), other.dtype
    if "value" not in graph.rules.needs or not elements.shape:
        return x
    kind = as_dtype(elements.dtype)
    values = elements.ravel().tolist() if kind.kind in "biu" else None
    try:
        graph.rules.result((dtype.ours, Operand(kind, weak=True, value=values)))
    except PromotionError as error:
        raise ValueError(f"{name}: {error}") from None
    with graph:
        return record(name, _cast_constant, (elements, dtype.ours))


def _cast_constant(elements: Any, dtype: Dtype) -> Array:
    with unified_rules():
        return lw.astype(lw.asarray(elements), dtype)


def dtype_named(dtype: Any) -> Dtype:
    """Return latticework's dtype of a dtype of MAX."""
    if not isinstance(dtype, DType):
        raise TypeError(f"a dtype is a DType; got {type(dtype).__name__}")
    return dtype.ours
