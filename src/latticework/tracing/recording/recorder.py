"""Record native calls while a program runs on tracers: native arrays with their values in the graph."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.arrays.number import NUMBERS, TAKES_NUMBERS, Number, number, python_type, value_of
from ...engine.plans.casting import asked_at, own
from ...errors import TraceError
from ..nodes import LEAVES, Block, Constant, Lines, Location, Node, NumberValue, Operation, Place, Scope, Value, mapped
from .definitions import as_one_call, kept_as_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...backend import Backend
    from ...engine.arrays.array import Array
    from ...engine.plans.plan import Plan

__all__ = ["Guard", "Recorder", "Traced", "held", "moving", "recorder", "untraceable"]

#: The recorder of this context, None outside of a trace.
recorder: ContextVar[Recorder | None] = ContextVar("latticework recorder", default=None)


#: True if held arrays of other backends become constants of the trace, as where a program is transpiled.
moving: ContextVar[bool] = ContextVar("latticework moves held arrays", default=False)


class Traced:
    """The tracer, which is the native array of the traced backend: a framework's array, and its value in the graph.

    Attributes
    ----------
    imagined: whether its elements may differ from the program's: of a loop, the trace makes the first step alone.
    """

    __slots__ = ("imagined", "native", "recorder", "value")

    def __init__(self, native: Any, value: Value, by: Recorder, *, imagined: bool = False) -> None:
        self.native, self.value, self.recorder, self.imagined = native, value, by, imagined

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents. A program that reads them may compute with them, so the trace is valid for these alone."""
        self.recorder.looked |= self.value.inputs
        return self.value.shape

    @property
    def ndim(self) -> int:
        return len(self.value.shape)

    @property
    def dtype(self) -> Any:
        return self.recorder.backend.dtype_of(self.native)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise untraceable("asks for its elements, as np.asarray(x) and float(x) do")

    def __bool__(self) -> bool:
        raise untraceable("asks for its value, as if and while do")

    def __repr__(self) -> str:
        return f"Traced({self.value})"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the function is being traced: x.data is no array of {self.recorder.backend.title} and has no {name}. "
            "Call functions of latticework on x itself, or leave this part out of the trace"
        )

    def _refuse(self, *_: Any) -> Any:
        raise untraceable("computes with x.data", "Compute with x itself")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __neg__ = __getitem__ = __setitem__ = __len__ = __iter__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = __index__ = _refuse


def untraceable(asks: str, instead: str = "Write lw.where(condition, x, y), lw.cond or lw.while_loop") -> TraceError:
    """Make the error for a program that needs the values of an array while it is traced."""
    at = asked_at()
    line = f" ({Location(*at)}: {Location(*at).text})" if at else ""
    return TraceError(f"the function is being traced, and {asks}{line}. {instead}, or leave this part out of the trace")


def held(asks: str) -> TraceError:
    """Make the error for a program that needs the values of an array that it holds."""
    at = asked_at()
    line = f" ({Location(*at)}: {Location(*at).text})" if at else ""
    return TraceError(
        f"the function is being traced, and of an array that it holds {asks}{line}. Each call of a graph reads "
        "the array, and nobody asks again. Take the value before, outside of the function, and let the function hold "
        "that number (n = int(x)); or write lw.where, lw.cond, lw.fori_loop; or leave this part out of the trace"
    )


class Recorder:
    """The nodes of a program that is being traced, and the inputs whose extents it has looked at.

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
        #: Stand-ins for held arrays where the framework's arrays are immutable: views of the held are views of these.
        self.stand_ins: list[Array] = []
        self.looked = 0
        #: The number of branches and loops around the current block that the program would not run.
        self.unreached = 0
        #: The number of functions around the current block of which derivatives are taken.
        self.differentiated = 0
        #: The numbers among the inputs; the results of comparisons of each; why some have to be constants.
        self.numbers: list[NumberValue] = []
        self.guards: list[list[Guard]] = []
        self.asked: dict[int, str] = {}
        self.operation: Operation | None = None
        self.kept_as_calls = kept_as_calls.get()
        #: The call of a module that is being recorded.
        self.scope: Scope | None = None
        #: The id of a value of a branch or loop that belongs to no operation -> its line.
        self._inside: dict[int, Location] = {}
        self._places: dict[tuple[int, int], Place] = {}
        self._lines: dict[int, Lines] = {}  # by the ids of code objects, which they hold
        self._arrays = backend.arrays
        self._shapes: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._dtype_of: Callable[[Any], Any] = backend.dtype_of
        self._shape_of: Callable[[Any], tuple[Any, ...]] = backend.shape_of
        #: The class of native arrays that are no scalars of the framework, where it has such scalars: NumPy's.
        self.array: Any = backend.array_class() if backend.name == "numpy" else None

    # --- values -------------------------------------------------------------------------------------------------------

    def _is_element(self, native: Any) -> bool:
        """Return whether a native array is a scalar of the framework, such as NumPy's."""
        array = self.array
        return array is not None and type(native) is not array and self.backend.native(native) is not native

    def value_of(self, native: Any, inputs: int = 0) -> Value:
        """Describe a native array."""
        element = self._is_element(native)
        shape = tuple(self._shape_of(native))
        shape = self._shapes.setdefault(shape, shape)  # one tuple for all values of a shape
        return Value(self.backend.dtypes[self._dtype_of(native)], shape, inputs, element)

    def take_input(self, native: Any) -> Traced:
        """Make a native array an input."""
        if type(native) is self.array:
            shape = native.shape
            dtype = self.backend.dtypes[native.dtype]
            value = Value(dtype, self._shapes.setdefault(shape, shape), 1 << len(self.inputs))
        else:
            value = self.value_of(native, 1 << len(self.inputs))
        self.inputs.append(value)
        return Traced(native, value, self)

    def take_constant(self, native: Any, holder: Array | None = None) -> Traced:
        """Make a native array a constant: the same constant each time.

        Parameters
        ----------
        holder: the program's array that has it as its data. The trace computes with a copy, which it may write into;
            the writes of the program take place when the graph runs. Where the framework's arrays are immutable, two
            arrays may share one object as their data. They are two constants: one may be bound to other data.
        """
        immutable = self.backend.facts.immutable
        key = id(holder) if holder is not None and immutable else id(native)
        found = self.constants.get(key)
        if found is None:
            backend = self.backend
            if holder is not None and any(c.native is native for _, c in self.held):
                native = backend.duplicate(native)
            dtype = backend.dtypes[backend.dtype_of(native)]
            constant = Constant(native, dtype, tuple(backend.shape_of(native)), held=holder is not None)
            constant.element = self._is_element(native)
            if holder is not None:
                self.held.append((holder, constant))
                native = native if immutable or constant.element else backend.duplicate(native)
            found = self.constants[key] = Traced(native, constant, self)
            self.constants.setdefault(id(constant.native), found)
        return found

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(
        self,
        name: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kw: dict[str, Any],
        writes: int | None = None,
        plainer: Callable[..., Any] | None = None,
    ) -> Any:
        """Make a native call, record it, and return its results as traced arrays.

        Parameters
        ----------
        writes: the position of the argument that the call writes into.
        plainer: a function that returns the plainer function that a call comes to, with its arguments; or None.
        """
        if self.numbers and (plainer is not None or name.removeprefix("reflected ") not in _TAKE_NUMBERS):
            args, kw = self._looked_at(name, (args, kw))
        operands: list[Any] = []
        natives, values = [], []
        depends, imagined, alone = 0, bool(self.unreached), not kw
        for x in args:
            if type(x) is Traced:
                value = x.value
                operands.append(x)
                natives.append(x.native)
                values.append(value)
                depends |= value.inputs
                imagined = imagined or x.imagined
                continue
            alone = False
            if type(x) in LEAVES:
                natives.append(x)
                values.append(x)
            else:
                natives.append(self._native(x, operands))
                values.append(_value_of(x))
        native_kw = {key: self._native(x, operands) for key, x in kw.items()} if kw else kw
        plain = plainer(*natives, **native_kw) if plainer is not None else None
        if plain is not None:
            function, natives, native_kw = plain
            name = _name_of(function, name)
            boxes = {id(x.native): x for x in operands}
            args = _with_boxes(tuple(natives), boxes)
            values = [_value_of(x) for x in args]
            kw = _with_boxes(native_kw, boxes)
        if not alone:
            for x in operands:
                depends |= x.value.inputs
                imagined = imagined or (type(x) is Traced and x.imagined)
        try:
            result = function(*natives, **native_kw)
        except Exception as error:
            if not imagined:
                raise
            result = self._of_others(function, natives, native_kw, error)
            result = natives[writes] if writes is not None and not self.backend.facts.immutable else result
        if name in _COUNTED:
            self.looked |= depends
        known = len(operands)
        found: Any = None
        if type(result) is self.array:
            for x in operands:
                if x.native is result:
                    break
            else:
                shape = result.shape
                value = Value(self.backend.dtypes[result.dtype], self._shapes.setdefault(shape, shape), depends)
                found = Traced(result, value, self, imagined=imagined)
                operands.append(found)
        if found is None:
            found = self._boxes(result, name, operands, known, depends, imagined)
        if len(self.blocks) > 1 and self.operation is None and type(found) is Traced and (at := asked_at()):
            self._inside[id(found.value)] = Location(*at)
        if len(operands) > known or writes is not None:
            given = tuple(values)
            if plain is not None:
                taken = None
            else:
                taken = given if alone else [x.value for x in operands[:known]]
            self.blocks[-1].nodes.append(Node(
                function, name, given, mapped(kw, _INPUTS, _value) if kw else kw,
                found.value if type(found) is Traced else _value_of(found),
                self.operation, args[writes].value if writes is not None else None, operands=taken,
            ))  # fmt: skip
            if self.scope is not None:
                self._place(self.blocks[-1].nodes[-1])
        return found

    @staticmethod
    def _looked_at(name: str, tree: Any) -> Any:
        """Make constants of the numbers that are inputs, in the arguments of a call that takes none."""
        return mapped(tree, Number, lambda x: x.looked_at(f"gives it to {name}"))

    def _boxes(self, result: Any, name: str, operands: list[Any], known: int, depends: int, imagined: bool) -> Any:
        """Return the results of a call with the tracers of its arrays in their places."""
        if isinstance(result, self._arrays) or (name == "scalar" and operands):
            return self._boxed(result, operands, known, depends, imagined)
        return mapped(result, self._arrays, lambda x: self._boxed(x, operands, known, depends, imagined))

    def _place(self, node: Node) -> None:
        at = asked_at() if node.operation is None else None
        assert self.scope is not None
        node.put_in(self.scope, Location(*at) if at else None)

    @staticmethod
    def _native(tree: Any, operands: list[Any]) -> Any:
        """Replace tracers and traced numbers in a tree by native ones, and add the tracers to a list."""
        if type(tree) is Traced:
            operands.append(tree)
            return tree.native

        def native(x: Any) -> Any:
            operands.append(x)
            return x.native

        return mapped(tree, _INPUTS, native)

    def _of_others(
        self, function: Callable[..., Any], args: Sequence[Any], kw: dict[str, Any], error: Exception
    ) -> Any:
        """Make a call that failed on elements which the program does not compute with other elements of the same shape.

        Raises
        ------
        Exception: ``error``, where it fails on all of them.
        """
        backend = self.backend
        for make in _OTHERS:

            def other(x: Any, make: Any = make) -> Any:
                data = backend.to_numpy(backend.native(x), None, True)
                return backend.from_numpy(make(data), backend.native_device(backend.device_of(backend.native(x))), True)

            with suppress(Exception):
                return function(*mapped([*args], self._arrays, other), **mapped(kw, self._arrays, other))
        raise error

    def _boxed(self, native: Any, boxes: list[Any], known: int, depends: int, imagined: bool) -> Traced:
        """Return the tracer of a result: the operand's, if it is an operand, or a new one, which is added to the list.

        NumPy has one scalar object for each bool, so a result may be an operand's scalar by chance.
        """
        for i in range(known - 1, -1, -1):
            if boxes[i].native is native and not self._is_element(native):
                if self.backend.lazy:  # it may be so for these extents alone, and the graph serves others
                    native = self.backend.duplicate(native)
                    break
                box: Traced = boxes[i]
                return box
        fresh = Traced(native, self.value_of(native, depends), self, imagined=imagined)
        boxes.append(fresh)
        return fresh

    # --- numbers ------------------------------------------------------------------------------------------------------

    def take_number(self, native: Any) -> Number:
        """Make a Python number an input, after the inputs of arrays."""
        value = NumberValue(native)
        self.inputs.append(value)
        self.numbers.append(value)
        self.guards.append([])
        return number(native, value, self, 1 << (len(self.numbers) - 1))

    @property
    def recording(self) -> bool:
        """True if it is the recorder of this context."""
        return recorder.get() is self

    def compute(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Compute with numbers as Python does. Record it where the type of the result depends on no value."""
        natives = [x.native if type(x) in NUMBERS else x for x in args]
        result = function(*natives)
        if not self.recording or type(result) is not _type_of(function, args):
            for x in args:
                value_of(x, f"computes {function.__name__} of it, whose type depends on the value")
            return result
        value = NumberValue(result)
        values = tuple([x.value if type(x) in NUMBERS else x for x in args])
        self.add(Node(function, "number", values, {}, value))
        places = 0
        for x in args:
            places |= x.places if type(x) in NUMBERS else 0
        return number(result, value, self, places)

    def compare(self, function: Callable[..., Any], x: Number, other: Any) -> Any:
        """Compare a number. The graph is then valid for inputs with the same result."""
        known = next((i for i, value in enumerate(self.numbers) if value is x.value), None)
        if known is None or not self.recording or type(other) not in (bool, int, float):
            how = "compares it"
            return function(x.looked_at(how), value_of(other, how))
        result = function(x.native, other)
        if any(g[:2] == (function, other) for g in self.guards[known]):
            return result
        self.guards[known].append(Guard(function, other, result))
        if len(self.guards[known]) > _MOST_GUARDS:
            x.looked_at("compares it with many numbers")
        return result

    def look(self, x: Number, how: str) -> None:
        """Note that the program asks for the value of a number."""
        for i in range(len(self.numbers)):
            if x.places >> i & 1 and i not in self.asked:
                at = asked_at()
                self.asked[i] = f"the function {how}{f' ({Location(*at)}: {Location(*at).text})' if at else ''}"

    def may_rebind(self, value: Value) -> bool:
        """Return whether the program writes into a value that is a NumPy scalar in some calls: a write replaces it."""
        if value.shape or self.backend.facts.immutable:
            return False
        return any(node.writes is value for block in self.blocks for node in block.all_nodes())

    def is_known(self, value: Value) -> bool:
        """Return whether a value is the same in each call of the program: it is computed from constants alone.

        An array that the program holds is no such constant, because it may be written to between two calls.
        """
        if value.inputs or len(self.blocks) > 1 or self.numbers:
            return False
        nodes = self.blocks[0].nodes
        makers: dict[int, list[Node]] = {}  # a node that writes into a value gives it again
        for node in nodes:
            for v in node.results:
                makers.setdefault(id(v), []).append(node)
        written = [node for node in nodes if node.writes is not None and not node.writes.inputs]
        waiting, seen = [value, *[v for node in written for v in node.operands]], set[int]()
        while waiting:
            v = waiting.pop()
            if isinstance(v, Constant) and v.held:
                return False
            if id(v) in seen or isinstance(v, Constant):
                continue
            seen.add(id(v))
            for maker in makers.get(id(v), [None]):
                if maker is None or maker.blocks:
                    return False
                waiting.extend(maker.operands)
        return True

    def location_of(self, value: Value) -> Location | None:
        """Return the line of the program that computes a value, None where it is not known."""
        made = (node for node in self.blocks[0].all_nodes() if any(v is value for v in node.results))
        operation = next((node.operation for node in made if node.operation is not None), None)
        return self._inside.get(id(value)) if operation is None else operation.location

    def add(self, node: Node) -> None:
        self.blocks[-1].nodes.append(node)
        if self.scope is not None:
            self._place(node)

    def observe(self, plan: Plan, kernel: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Run a kernel. Its calls belong to its operation."""
        outer = self.operation
        self.operation = Operation(plan, self.place() if outer is None else outer.at, outer)
        try:
            if plan.op in self.kept_as_calls:
                return as_one_call(self, plan, kernel, args, kw, Traced)
            return kernel(*args, **kw)
        finally:
            self.operation = outer

    def place(self) -> Place | Location | None:
        """Return the place in the program from which latticework is called."""
        frame: Any = sys._getframe(3)  # beyond this method, `observe` and what calls that
        while frame is not None and own(frame.f_globals.get("__package__")):
            frame = frame.f_back
        if frame is None:
            return None
        code, instruction = frame.f_code, frame.f_lasti
        found = self._places.get((id(code), instruction))
        if found is None:
            if "__autograph_generated_file" in code.co_filename:  # the frame knows the original line
                at = asked_at()
                return None if at is None else Location(*at)
            lines = self._lines.get(id(code))
            if lines is None:
                lines = self._lines[id(code)] = Lines(code)
            found = self._places[id(code), instruction] = Place(lines, instruction)
        return found

    # --- blocks -------------------------------------------------------------------------------------------------------

    def enter(self, path: str, kind: str, arguments: dict[str, Any]) -> Scope:
        """Begin a part of the program, to which all calls belong until `leave`.

        Parameters
        ----------
        path, kind: see `Scope`.
        arguments: the names of what the part was given: tracers, and anything else, which is not noted.
        """
        at = asked_at()
        given = {name: x.value for name, x in arguments.items() if type(x) is Traced}
        self.scope = Scope(path, kind, self.scope, Location(*at) if at else None, given)
        return self.scope

    def leave(self, scope: Scope, results: Sequence[Any]) -> None:
        """End a part of the program, which has given these."""
        scope.results = [x.value for x in results if type(x) is Traced]
        self.scope = scope.outer

    @contextmanager
    def block(self, inputs: list[Value], *, reached: bool = True, differentiated: bool = False) -> Iterator[Block]:
        """Record into a block of its own: a branch, or the body of a loop.

        Parameters
        ----------
        reached: whether the program reaches it on the arguments of the trace.
        differentiated: whether derivatives of it are taken.
        """
        block = Block(inputs)
        self.blocks.append(block)
        self.unreached += not reached
        self.differentiated += differentiated
        try:
            yield block
        finally:
            self.differentiated -= differentiated
            self.unreached -= not reached
            self.blocks.pop()


class Guard(NamedTuple):
    """The result of a comparison of a number with another number.

    Attributes
    ----------
    function: the comparison, a function of `operator`.
    other: what the number was compared with.
    result: whether it held.
    """

    function: Callable[[Any, Any], Any]
    other: Any
    result: Any

    def holds(self, x: Any) -> bool:
        """Return whether the comparison gives the same for a number."""
        return self.function(x, self.other) is self.result


def _identity(data: Any) -> Any:
    data[...] = 0
    for i in range(min(data.shape[-2:]) if data.ndim > 1 else 0):
        data[..., i, i] = 1
    return data


def _all(value: int) -> Callable[[Any], Any]:
    def fill(data: Any) -> Any:
        data[...] = value
        return data

    return fill


#: Functions that write other elements, on which calls do not fail, into a NumPy copy of an array.
_OTHERS: tuple[Callable[[Any], Any], ...] = (_all(1), _all(0), _identity)
#: The names of functions with as many results as an array has elements along an axis.
_COUNTED = frozenset(("unstack",))
#: The types of traced arrays and numbers in the arguments of native calls.
_INPUTS = (Traced, Number)
#: The names of the nodes that may have a number as an operand.
_TAKE_NUMBERS = TAKES_NUMBERS | {"scalar"}
#: The most comparisons of a number that are noted.
_MOST_GUARDS = 32
#: The functions whose results are of the widest type among the operands.
_WIDEST = frozenset((operator.add, operator.sub, operator.mul))
_REAL = frozenset((operator.floordiv, operator.mod))
_OF_ONE = frozenset((operator.neg, operator.pos, operator.abs))


def _type_of(function: Callable[..., Any], args: tuple[Any, ...]) -> type | None:
    """Return the type of Python's result for numbers, None where it depends on their values."""
    types = [int if (kind := python_type(x)) is bool else kind for x in args]
    widest: type = max(types, key=(int, float, complex).index)
    if function is float:
        return float
    if function is operator.pow:
        base, exponent = args
        if (
            exponent is not None
            and types[1] is int
            and (types[0] is float or (types[0] is int and _is_natural(exponent)))
        ):
            return types[0]
        return float if types[0] is float and widest is float and type(base) is float and base > 0 else None
    if widest is complex:
        return complex if function in _WIDEST or function in (operator.truediv, operator.neg, operator.pos) else None
    if function is operator.truediv:
        return float
    return widest if function in _WIDEST or function in _REAL or function in _OF_ONE else None


def _is_natural(x: Any) -> bool:
    return type(x) is int and x >= 0


def _with_boxes(tree: Any, boxes: dict[int, Traced]) -> Any:
    """Replace native arrays in a tree of arguments by their tracers."""
    if id(tree) in boxes:
        return boxes[id(tree)]
    if isinstance(tree, tuple):
        return tuple([_with_boxes(x, boxes) for x in tree])
    if isinstance(tree, dict):
        return {key: _with_boxes(x, boxes) for key, x in tree.items()}
    return tree


def _name_of(function: Callable[..., Any], name: str) -> str:
    """Return the name of the function that a call has come to: `square` for a power of 2, or the same as before."""
    found = getattr(function, "__name__", name)
    return found if found in ("square", "sqrt", "reciprocal") else name


def _value_of(tree: Any) -> Any:
    """Replace tracers in a tree by their values."""
    kind = type(tree)
    return tree.value if kind is Traced else tree if kind in LEAVES else mapped(tree, _INPUTS, _value)


def _value(x: Traced | Number) -> Value:
    value: Value = x.value
    return value
