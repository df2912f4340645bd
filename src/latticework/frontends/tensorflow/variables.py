"""`tf.Variable`: a place that holds a tensor. To assign puts another there, which works on every backend."""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import Any
from weakref import ref

from ...core.registry import functions
from . import behaviour
from .conversion import cast
from .module import name_scope, within_scope
from .shapes import TensorShape
from .slices import SliceWrites
from .taping import recording
from .tensor import Reference, Tensor, as_tensor, dialect, ops, separate

__all__ = ["Variable", "VariableAggregation", "VariableSynchronization"]


class VariableSynchronization(Enum):
    """When the copies of a variable on several machines become equal. There is one copy here."""

    AUTO, NONE, ON_WRITE, ON_READ = 0, 1, 2, 3


class VariableAggregation(Enum):
    """How the copies of a variable on several machines are combined. There is one copy here."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = 0, 1, 2, 3


class Variable(SliceWrites):
    """A tensor that can be exchanged for another of its shape and dtype.

    Parameters
    ----------
    initial_value: what it holds at first: a tensor, what becomes one, or a function that gives it.
    trainable: whether a `GradientTape` watches it; True by default.
    name: its name.
    dtype: its dtype, by default that of the value.
    shape: a shape that its values have to fit, by default that of the value.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy().tolist()
    [2.0, 3.0]
    """

    def __init__(
        self, initial_value: Any = None, trainable: Any = None, validate_shape: Any = True,
        caching_device: Any = None, name: Any = None, variable_def: Any = None, dtype: Any = None,
        import_scope: Any = None, constraint: Any = None, synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE, shape: Any = None,
        experimental_enable_variable_lifting: Any = True,
    ) -> None:  # fmt: skip
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be specified.")
        value = initial_value() if callable(initial_value) else initial_value
        value = as_tensor(value) if isinstance(value, Tensor) or dtype is None else as_tensor(value, dtype)
        self._tensor = separate(value if dtype is None else cast(value, dtype))
        self._watched: Any = None
        self._shape = self._tensor.shape if shape is None else TensorShape(shape)
        self._label = within_scope(name or "Variable")
        self._trainable, self._constraint = trainable is not False, constraint
        self._synchronization, self._aggregation = synchronization, aggregation

    def _read(self) -> Any:
        """The tensor that it holds; where tapes watch it, another one with its value, which these tapes know.

        So what was read while no tape recorded, or another one, is a constant to the tapes that record now.
        """
        tapes = [tape for tape in recording() if tape.watches(self)]
        if not tapes:
            return self._tensor
        if self._watched is None or any(id(self._watched) not in tape.known for tape in tapes):
            self._watched = separate(self._tensor)._array
        for tape in tapes:
            tape.read(self, self._watched)
        return dialect.wrap(self._watched)

    # fmt: off
    dtype = property(lambda self: self._tensor.dtype, doc="Its dtype.")
    shape = property(lambda self: self._shape, doc="The shape of its values.")
    device = property(lambda self: self._tensor.device, doc="Where its value lies.")
    ndim = property(lambda self: self._tensor.ndim, doc="How many axes it has.")
    name = property(lambda self: f"{self._label}:0", doc="Its name.")
    trainable = property(lambda self: self._trainable, doc="Whether tapes watch it.")
    def value(self) -> Any: return self._read()
    def read_value(self) -> Any: return self._read()
    def numpy(self) -> Any: return self._tensor.numpy()
    def get_shape(self) -> Any: return self._shape
    constraint = property(lambda self: self._constraint, doc="The function that an optimizer applies to its value.")
    synchronization = property(lambda self: self._synchronization, doc="As it was given.")
    aggregation = property(lambda self: self._aggregation, doc="As it was given.")
    initializer = property(lambda self: None, doc="None: a variable has its value from the start.")
    def load(self, value: Any, session: Any = None) -> None: self.assign(value)
    def is_initialized(self, name: Any = None) -> Any: return as_tensor(True)
    def ref(self) -> Reference: return Reference(self)
    def experimental_ref(self) -> Reference: return Reference(self)
    def assign(self, value: Any, use_locking: Any = False, name: Any = None, read_value: Any = True) -> Any:
        return self._put(self._fitted(value), read_value)
    def assign_add(self, delta: Any, use_locking: Any = False, name: Any = None, read_value: Any = True) -> Any:
        return self._put(ops.add(self._tensor, self._fitted(delta, exact=False)), read_value)
    def assign_sub(self, delta: Any, use_locking: Any = False, name: Any = None, read_value: Any = True) -> Any:
        return self._put(ops.subtract(self._tensor, self._fitted(delta, exact=False)), read_value)
    def __iter__(self) -> Any: return iter(self._read())
    def __len__(self) -> int: return len(self._tensor)
    def __bool__(self) -> bool: return bool(self._tensor)
    def __int__(self) -> int: return int(self._tensor)
    def __float__(self) -> float: return float(self._tensor)
    def __complex__(self) -> complex: return complex(self._tensor)
    def __index__(self) -> int: return self._tensor.__index__()
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any: return self._tensor.__array__(dtype, copy)
    def __hash__(self) -> int: raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")
    # fmt: on

    __array_priority__ = 1_000_001

    def set_shape(self, shape: Any) -> None:
        """Raise `ValueError` where its values cannot have that shape."""
        self._shape = self._shape.merge_with(shape)

    @property
    def initial_value(self) -> Any:
        """Refuse: what it held at first is not kept."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def op(self) -> Any:
        """Refuse: there is no graph."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> Any:
        """Refuse: there is no graph."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def eval(self, session: Any = None) -> Any:
        """Refuse: there are no sessions."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def to_proto(self, export_scope: Any = None) -> Any:
        """Refuse: there is no graph to write."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def __deepcopy__(self, memo: Any) -> Variable:
        copied = Variable(self._tensor, self._trainable, name=self._label, shape=self._shape,
                          constraint=self._constraint, synchronization=self._synchronization,
                          aggregation=self._aggregation)  # fmt: skip
        memo[id(self)] = copied
        return copied

    def __copy__(self) -> Variable:
        return self

    def __reduce__(self) -> Any:
        return _rebuilt, (self._tensor, self._trainable, self._label, self._shape.dims)

    def __iadd__(self, value: Any) -> Any:
        raise _in_place("+=", "assign_add", "+")

    def __isub__(self, value: Any) -> Any:
        raise _in_place("-=", "assign_sub", "-")

    def __imul__(self, value: Any) -> Any:
        raise _in_place("*=", "assign", "*")

    def __itruediv__(self, value: Any) -> Any:
        raise _in_place("/=", "assign", "/")

    def __ipow__(self, value: Any) -> Any:
        raise _in_place("**=", "assign", "**")

    def __getitem__(self, key: Any) -> Any:
        """Elements by a key. The result's method `assign` puts others there."""
        part = self._read()[key]
        place = id(part)
        _PARTS[place] = ref(part, lambda _: _PARTS.pop(place, None)), self, key
        return part

    def _assign_part(self, key: Any, value: Any, name: Any = None) -> Variable:
        value = self._fitted(value, exact=False)
        return self._put(dialect.call(_with_part, (self._tensor, self._tensor._our_key(key), value), {}))

    def _fitted(self, value: Any, *, exact: bool = True) -> Any:
        found = as_tensor(value, self.dtype)
        if exact and not self._shape.is_compatible_with(found.shape):
            raise ValueError(f"Cannot assign value to variable ' {self.name}': Shape mismatch. The variable shape "
                             f"{self._shape} and that of the value, {found.shape}, are incompatible.")  # fmt: skip
        return found

    def _put(self, value: Any, read_value: Any = True) -> Any:
        if value.shape != self._tensor.shape and not self._shape.is_compatible_with(value.shape):
            from .errors import invalid

            raise invalid(f"a value of shape {value.shape} does not go into a variable of {self._shape}")
        self._tensor, self._watched = separate(value), None
        return self if read_value else None

    def __eq__(self, other: object) -> Any:
        return self._read() == other

    def __ne__(self, other: object) -> Any:
        return self._read() != other

    def __repr__(self) -> str:
        values = self._tensor.numpy()
        text = repr(values) if self._tensor.ndim else str(values.item() if hasattr(values, "item") else values)
        text = f"\n{text}" if "\n" in text else text
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}, numpy={text}>"


def _in_place(operator: str, method: str, plain: str) -> RuntimeError:
    given = "value" if method != "assign" else f"variable {plain} value"
    return RuntimeError(
        f"`variable {operator} value` with `tf.Variable`s is not supported. Use `variable.{method}({given})` to modify "
        f"the variable, or `out = variable {plain} value` if you need to get a new output Tensor."
    )


def _rebuilt(value: Any, trainable: bool, label: str, shape: Any) -> Variable:
    with name_scope(""):
        return Variable(value, trainable, name=label, shape=shape)


#: The tensors that were read from variables by a key, by identity: a weak reference, the variable and the key.
_PARTS: dict[int, tuple[Any, Variable, Any]] = {}


def _with_part(x: Any, key: Any, value: Any) -> Any:
    return functions.at(x)[key].set(value)


def _assigning(part: Any) -> Any:
    """The method `assign` of a tensor that was read from a variable, None of any other tensor."""
    known = _PARTS.get(id(part))
    return partial(known[1]._assign_part, known[2]) if known is not None and known[0]() is part else None


behaviour.ASSIGN["of"] = _assigning

_OPERATORS = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and rand or ror "
    "xor rxor lt le gt ge neg abs invert"
).split()


def _operators() -> None:
    """Give variables the operators of the tensors that they hold."""
    for word in _OPERATORS:
        method = f"__{word}__"
        setattr(Variable, method, lambda self, *other, m=method: getattr(self._read(), m)(*other))


_operators()
dialect.converts(Variable, lambda v: v._read()._array)
