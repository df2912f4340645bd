"""Record native calls while a program runs on arrays that carry what they are the result of."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..engine.casting import asked_at
from ..errors import TraceError
from .nodes import Block, Constant, Location, Node, Operation, Value, mapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..backends import Backend
    from ..engine.array import Array
    from ..engine.plan import Plan

__all__ = ["Recorder", "Traced", "recorder", "untraceable"]

#: What records in this context, None outside of a trace.
recorder: ContextVar[Recorder | None] = ContextVar("latticework recorder", default=None)


class Traced:
    """The native array of the traced backend: an array of the framework's, and the value that it is in the graph."""

    __slots__ = ("native", "recorder", "value")

    def __init__(self, native: Any, value: Value, by: Recorder) -> None:
        self.native, self.value, self.recorder = native, value, by

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents. Who reads them may compute with them, so they become part of what the trace is valid for."""
        self.recorder.looked |= self.value.inputs
        return self.value.shape

    @property
    def ndim(self) -> int:
        return len(self.value.shape)

    @property
    def dtype(self) -> Any:
        return self.recorder.backend.module.dtype_of(self.native)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise untraceable("asks for its elements, as np.asarray(x) and float(x) do")

    def __bool__(self) -> bool:
        raise untraceable("asks for its value, as if and while do")

    def __repr__(self) -> str:
        return f"Traced({self.value})"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the function is being traced: x.data is no array of {self.recorder.backend.shown} and has no {name}. "
            "Call functions of latticework on x itself, or leave this part out of the trace"
        )

    def _refuse(self, *_: Any) -> Any:
        raise untraceable("computes with x.data", "Compute with x itself")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __neg__ = __getitem__ = __setitem__ = __len__ = __iter__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = __index__ = _refuse


def untraceable(asks: str, instead: str = "Write lw.where(condition, x, y), lw.cond or lw.while_loop") -> TraceError:
    """Make the error of a program that needs the values of an array while it is traced."""
    at = asked_at()
    line = f" ({Location(*at)}: {Location(*at).text})" if at else ""
    return TraceError(f"the function is being traced, and {asks}{line}. {instead}, or leave this part out of the trace")


class Recorder:
    """The nodes of a program that is being traced, and which of its inputs' extents it has looked at.

    Parameters
    ----------
    backend: the framework's backend.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.inputs: list[Value] = []
        self.blocks: list[Block] = [Block(self.inputs)]
        self.constants: dict[int, Traced] = {}
        #: The arrays that the program holds, with the constants that stand for them.
        self.held: list[tuple[Array, Constant]] = []
        self.looked = 0
        self.operation: Operation | None = None

    # --- values -------------------------------------------------------------------------------------------------------

    def value_of(self, native: Any, inputs: int = 0) -> Value:
        """Describe a native array."""
        module = self.backend.module
        element = module.native(native) is not native if self.backend.name == "numpy" else False
        dtype = self.backend.dtypes[module.dtype_of(native)]
        return Value(dtype, tuple(self.backend.shape_of(native)), inputs, element)

    def take_input(self, native: Any) -> Traced:
        """Make an input of a native array."""
        value = self.value_of(native, 1 << len(self.inputs))
        self.inputs.append(value)
        return Traced(native, value, self)

    def take_constant(self, native: Any, holder: Array | None = None) -> Traced:
        """Make a constant of a native array: the same one each time.

        Parameters
        ----------
        holder: the array of the program's own whose data it is. The trace computes with a copy, which it may write
            into; what the program writes is written when the graph runs.
        """
        found = self.constants.get(id(native))
        if found is None:
            module = self.backend.module
            dtype = self.backend.dtypes[module.dtype_of(native)]
            constant = Constant(native, dtype, tuple(self.backend.shape_of(native)), held=holder is not None)
            if holder is not None:
                self.held.append((holder, constant))
                native = native if self.backend.facts.immutable else module.duplicate(native)
            found = self.constants[id(constant.native)] = Traced(native, constant, self)
        return found

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(
        self,
        name: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kw: dict[str, Any],
        writes: int | None = None,
    ) -> Any:
        """Make a native call, record it, and return its results as traced arrays.

        Parameters
        ----------
        writes: the position of the argument that the call writes into.
        """
        operands: list[Traced] = []

        def native(x: Traced) -> Any:
            operands.append(x)
            return x.native

        native_args, native_kw = mapped(args, Traced, native), mapped(kw, Traced, native)
        plainer = getattr(function, "comes_to", None)
        plain = plainer(*native_args, **native_kw) if plainer is not None else None
        if plain is not None:
            function, native_args, native_kw = plain
            name = _name_of(function, name)
            boxes = {id(x.native): x for x in operands}
            args = _with_boxes(native_args, boxes)
            kw = _with_boxes(native_kw, boxes)
        result = function(*native_args, **native_kw)
        depends = 0
        for x in operands:
            depends |= x.value.inputs
        arrays, by_native = self.backend.module.ARRAY, {id(x.native): x for x in operands}
        fresh = False

        def boxed(x: Any) -> Traced:
            nonlocal fresh
            same = by_native.get(id(x))
            if same is not None:
                return same
            fresh = True
            return Traced(x, self.value_of(x, depends), self)

        found = mapped(result, arrays, boxed)
        if fresh or writes is not None:
            into = args[writes].value if writes is not None else None
            self.add(Node(
                function, name, mapped(args, Traced, _value), mapped(kw, Traced, _value),
                mapped(found, Traced, _value), self.operation, into,
            ))  # fmt: skip
        return found

    def may_rebind(self, value: Value) -> bool:
        """Whether the program writes into a value that is a NumPy scalar in some calls: it then becomes another."""
        if value.shape or self.backend.facts.immutable:
            return False
        return any(node.writes is value for block in self.blocks for node in block.all_nodes())

    def add(self, node: Node) -> None:
        self.blocks[-1].nodes.append(node)

    def observe(self, plan: Plan, kernel: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Run a kernel: what it calls belongs to its operation."""
        outer = self.operation
        if outer is None:
            at = asked_at()
            location = Location(*at) if at else None
        else:
            location = outer.location
        self.operation = Operation(plan, location, outer)
        try:
            return kernel(*args, **kw)
        finally:
            self.operation = outer

    # --- blocks -------------------------------------------------------------------------------------------------------

    @contextmanager
    def block(self, inputs: list[Value]) -> Iterator[Block]:
        """Record into a block of its own: a branch, or the body of a loop."""
        block = Block(inputs)
        self.blocks.append(block)
        try:
            yield block
        finally:
            self.blocks.pop()


def _with_boxes(tree: Any, boxes: dict[int, Traced]) -> Any:
    """A tree of native arguments with traced arrays in the places of theirs."""
    if id(tree) in boxes:
        return boxes[id(tree)]
    if isinstance(tree, tuple):
        return tuple([_with_boxes(x, boxes) for x in tree])
    if isinstance(tree, dict):
        return {key: _with_boxes(x, boxes) for key, x in tree.items()}
    return tree


def _name_of(function: Callable[..., Any], name: str) -> str:
    """What a function computes that a call has come to: the square that a power is, or the same as before."""
    found = getattr(function, "__name__", name)
    return found if found in ("square", "sqrt", "reciprocal") else name


def _value(x: Traced) -> Value:
    return x.value
