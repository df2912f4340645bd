"""Python numbers that are inputs of a graph: they compute like Python's own, and note each read of their value.

While a function is traced with such a number, its place is taken by a `Number`. As an operand of a function of
latticework it is an input of the graph. Python's arithmetic on it is recorded, and gives another `Number`. A comparison
of an input with a Python number is noted: the graph is valid while the answer is the same. Everything else reads
the value, and is noted too: the number is then a constant of the graph.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...core.dtypes import SCALARS

__all__ = ["NUMBERS", "Number", "number", "python_type", "value_of"]

#: The latticework functions that take a `Number` as an operand: their plan and their shape do not depend on its value.
TAKES_NUMBERS = frozenset(
    """
    add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp maximum minimum
    multiply not_equal remainder subtract where
    """.split()
)


class Number:
    """A Python number that is an input of a graph, or is computed from inputs.

    Attributes
    ----------
    native: the number.
    value: its value in the graph.
    recorder: records the graph; it has `compute`, `compare`, `look` and `recording`.
    places: the inputs that it depends on, as the bits of an int.
    """

    __slots__ = ("native", "places", "recorder", "value")
    kind: type = object

    def __init__(self, native: Any, value: Any, recorder: Any, places: int) -> None:
        self.native, self.value, self.recorder, self.places = native, value, recorder, places

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the number: `isinstance` asks for it."""
        return self.kind

    def looked_at(self, how: str) -> Any:
        """Return the number itself, and note that the program reads it, and how."""
        self.recorder.look(self, how)
        return self.native

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.native, name)  # an error where the number has no such attribute
        self.recorder.look(self, f"asks for its {name}")
        return found

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kw: Any) -> Any:
        how = f"gives it to {ufunc.__name__} of NumPy"
        named = {name: value_of(x, how) for name, x in kw.items()}
        return getattr(ufunc, method)(*[value_of(x, how) for x in args], **named)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        return np.asarray(self.looked_at("makes an array of it"), dtype)

    def __copy__(self) -> Number:
        return self

    def __deepcopy__(self, memo: Any) -> Number:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.looked_at("pickles it").__reduce_ex__(protocol)

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if modulo is not None:
            how = "takes its power by a modulus"
            return pow(*[value_of(x, how) for x in (self, other, modulo)])
        return _computed(operator.pow, self, other)

    def __rpow__(self, other: Any, modulo: Any = None) -> Any:
        return _computed(operator.pow, other, self)


def _computed(function: Callable[..., Any], first: Any, second: Any) -> Any:
    """Compute Python's arithmetic on two operands, one or both a `Number`."""
    own, other = (first, second) if type(first) in NUMBERS else (second, first)
    if hasattr(type(other), "_sig"):  # an `Array`, whose turn it is
        return NotImplemented
    if type(other) in NUMBERS or type(other) in SCALARS:
        return own.recorder.compute(function, (first, second))
    value = own.looked_at(f"computes with it and {type(other).__name__}")
    return function(value, other) if own is first else function(other, value)


def _binary(name: str, function: Callable[..., Any]) -> None:
    def call(self: Number, other: Any) -> Any:
        return _computed(function, self, other)

    def reflected(self: Number, other: Any) -> Any:
        return _computed(function, other, self)

    setattr(Number, f"__{name}__", call)
    setattr(Number, f"__r{name}__", reflected)


def _unary(name: str, function: Callable[..., Any]) -> None:
    def call(self: Number) -> Any:
        return self.recorder.compute(function, (self,))

    setattr(Number, f"__{name}__", call)


def _comparison(name: str, function: Callable[..., Any]) -> None:
    def call(self: Number, other: Any) -> Any:
        if hasattr(type(other), "_sig"):
            return NotImplemented
        return self.recorder.compare(function, self, other)

    setattr(Number, f"__{name}__", call)


def _asking(name: str, how: str) -> Callable[..., Any]:
    def call(self: Number, *args: Any) -> Any:
        return getattr(self.kind, name)(self.looked_at(how), *args)

    return call


for _name, _function in {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod,
}.items():  # fmt: skip
    _binary(_name, _function)
for _name in ("neg", "pos", "abs"):
    _unary(_name, getattr(operator, _name))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _comparison(_name, getattr(operator, _name))

#: The methods that read the value -> words for what the program does.
_ASKING = {
    "__bool__": "asks for its truth, as if and while do", "__hash__": "uses it as a key", "__repr__": "prints it",
    "__str__": "prints it", "__format__": "prints it", "__round__": "rounds it", "__divmod__": "takes divmod of it",
    "__rdivmod__": "takes divmod of it", "__trunc__": "rounds it", "__floor__": "rounds it", "__ceil__": "rounds it",
    "__index__": "uses it as an index, an axis or an extent", "__lshift__": "shifts it", "__rlshift__": "shifts by it",
    "__rshift__": "shifts it", "__rrshift__": "shifts by it", "__and__": "takes its bits", "__rand__": "takes its bits",
    "__or__": "takes its bits", "__ror__": "takes its bits", "__xor__": "takes its bits",
    "__rxor__": "takes its bits", "__invert__": "takes its bits",
}  # fmt: skip


def _of_kind(kind: type) -> type[Number]:
    """Make the class of the inputs that are of a Python type: it has the methods that the type has."""
    methods = {name: _asking(name, how) for name, how in _ASKING.items() if hasattr(kind, name)}
    if kind is not complex:
        methods["__float__"] = lambda self: float(self.looked_at("asks for a float, as float(x) and math.sqrt(x) do"))
        methods["__int__"] = lambda self: int(self.looked_at("asks for an int, as int(x) does"))
    methods["__complex__"] = lambda self: complex(self.looked_at("asks for a complex number"))
    return type(f"{kind.__name__} input", (Number,), {"__slots__": (), "kind": kind, **methods})


#: The class of a `Number` -> the Python type that it stands for.
NUMBERS: dict[type, type] = {_of_kind(kind): kind for kind in (int, float, complex)}
_CLASSES = {kind: of for of, kind in NUMBERS.items()}


def number(native: Any, value: Any, recorder: Any, places: int) -> Number:
    """Make the `Number` of a Python int, float or complex."""
    made: Number = _CLASSES[type(native)](native, value, recorder, places)
    return made


def value_of(x: Any, how: str) -> Any:
    """Return the value of x; for a `Number`, note that it is read."""
    return x.looked_at(how) if type(x) in NUMBERS else x


def python_type(x: Any) -> type:
    """Return the type of an operand, Python's own for a `Number`."""
    kind = type(x)
    return NUMBERS.get(kind, kind)
