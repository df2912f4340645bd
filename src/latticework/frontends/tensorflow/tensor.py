"""`tf.Tensor`, and what becomes one: `tf.convert_to_tensor`, and how operands of a function do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.dtypes import SCALARS, Dtype
from ...core.trees import register_node
from ...engine.arrays.array import wrapped
from ..array import OPERATORS, DialectArray, give_operators
from ..calls import twin
from . import behaviour, dtypes
from .errors import ConversionError, invalid
from .shapes import TensorShape
from .taping import TensorFlow, above, recording
from .values import KINDS, check_kinds, of_array, of_scalar, of_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Tensor", "as_tensor", "dialect", "ops", "pair", "separate"]

_NUMBERS = (bool, int, float, complex)
_PLAIN = (*_NUMBERS, list, tuple)


def _operand(x: Any, beside: Any) -> Any:
    """Convert an operand of an operator to a tensor, of the other operand's dtype where x can have it."""
    if x is None or isinstance(x, (str, bytes, dict)):
        raise TypeError(f"Cannot convert {x!r} to a tensor of dtype {beside.dtype.name}")
    return as_tensor(x, like=beside)


dialect = TensorFlow(operand=_operand)
ops = dialect.ops


class Tensor(DialectArray):
    """An array as TensorFlow has it. Its values never change."""

    __slots__ = ()

    def __init__(self, *args: Any, **kw: Any) -> None:
        raise TypeError("tf.Tensor(...): use tf.constant or tf.convert_to_tensor to make a tensor")

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    @property
    def dtype(self) -> dtypes.DType:
        """Its dtype."""
        return dtypes.DTYPES[self._array.dtype]

    @property
    def shape(self) -> TensorShape:
        """Its extents."""
        return TensorShape(self._array.shape)

    @property
    def device(self) -> str:
        """The device, as TensorFlow writes it."""
        kind, _, index = str(self._array.device).partition(":")
        kind = "GPU" if kind == "cuda" else kind.upper()
        return f"/job:localhost/replica:0/task:0/device:{kind}:{index or 0}"

    @property
    def name(self) -> str:
        """No eager tensor has a name."""
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def op(self) -> Any:
        """No eager tensor has an operation."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    def get_shape(self) -> TensorShape:
        """Its extents."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Raise `ValueError` where it cannot have that shape."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")

    def ref(self) -> Reference:
        """Return a reference that stands for this tensor in a set or as a key."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """Return the same as `ref`, by its old name."""
        return Reference(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Refuse: there are no sessions."""
        raise NotImplementedError("eval is not supported when eager execution is enabled, use .numpy()")

    def numpy(self) -> Any:
        """Its values as a NumPy array, a NumPy scalar where it has no dimensions."""
        return self._array.compute().to_numpy()[()]

    def __int__(self) -> int:
        return int(self.numpy().real) if self._array.dtype.kind == "c" else super().__int__()

    def __float__(self) -> float:
        return float(self.numpy().real) if self._array.dtype.kind == "c" else super().__float__()

    def cpu(self) -> Tensor:
        """A copy of it on the CPU."""
        return dialect.function(_on_cpu)(self)

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return separate(self)

    def __iter__(self) -> Iterator[Any]:
        if not self._array.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return self._array.shape[0]

    def _our_key(self, key: Any) -> Any:
        return dialect.unwrap(_key(self, key), {})

    def __setitem__(self, key: Any, value: Any, /) -> None:
        raise TypeError("'tf.Tensor' object does not support item assignment: its values never change")

    def __eq__(self, other: object) -> Any:
        return _compared(_operating.ops.equal, self, other, False)

    def __ne__(self, other: object) -> Any:
        return _compared(_operating.ops.not_equal, self, other, True)

    def __and__(self, other: Any) -> Any:
        return _bits(self, other, "and")

    def __or__(self, other: Any) -> Any:
        return _bits(self, other, "or")

    def __xor__(self, other: Any) -> Any:
        return _bits(self, other, "xor")

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        return (ops.logical_not if self.dtype == "bool" else ops.bitwise_invert)(self)

    @property
    def assign(self) -> Any:
        """The method that writes to the variable from which a key read this tensor; others have no such method."""
        found = behaviour.ASSIGN["of"](self)
        if found is None:
            raise AttributeError("Tensor object has no attribute 'assign'")
        return found

    def __repr__(self) -> str:
        values = _values(self)
        if values is None:
            return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}>"
        text = repr(values) if self.ndim else str(values.item() if hasattr(values, "item") else values)
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={_lines(text)}>"

    def __str__(self) -> str:
        return f"tf.Tensor({self._text()}, shape={self.shape}, dtype={self.dtype.name})"

    def __format__(self, spec: str) -> str:
        return format(self.numpy() if self.ndim == 0 and spec else str(self), spec)

    def _text(self) -> str:
        text = str(_values(self))
        return f"\n{text}" if "\n" in text else text


def _numpy_method(name: str) -> Any:
    """The property for a method of NumPy's, which tensors have after `experimental_enable_numpy_behavior`.

    A class with `__getattr__` would look all attributes up in twice the time.
    """

    def method(self: Tensor) -> Any:
        if behaviour.numpy_methods():
            return self._array.tolist if name == "tolist" else behaviour.METHOD["of"](self, name)
        raise AttributeError(
            f"Tensor object has no attribute {name!r}; call "
            "tf.experimental.numpy.experimental_enable_numpy_behavior() first"
        )

    method.__doc__ = f"`{name}` of NumPy's arrays, after `experimental_enable_numpy_behavior`."
    return property(method)


for _method in behaviour.METHODS:
    setattr(Tensor, _method, _numpy_method(_method))


def separate(x: Tensor) -> Tensor:
    """Another tensor with the same values, which no tape knows."""
    return dialect.wrapped(wrapped(x._array._data, x._array._sig))


class Reference:
    """A tensor or variable by identity, which a set can hold."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._held

    def __hash__(self) -> int:
        return id(self._held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._held is other._held

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._held!r}>"


def _on_cpu(x: Any) -> Any:
    return x.to_device("cpu")


def _values(x: Tensor) -> Any:
    try:
        return x.numpy()
    except Exception:  # traced, or without data
        return None


def _lines(text: str) -> str:
    return f"\n{text}" if "\n" in text else text


def _key(x: Tensor, key: Any) -> Any:
    """Convert a key to one for an `lw.Array`. TensorFlow takes ints, slices, None and an ellipsis, or a single mask."""
    if (isinstance(key, Tensor) and key.dtype == "bool") or behaviour.numpy_methods():
        return key
    if type(key) is slice:
        return _slice(key)
    if isinstance(key, Tensor) and key.ndim > 1 and key.dtype in ("int32", "int64"):
        raise invalid(f"a tensor of shape {key.shape} is no index: take tf.gather")
    if isinstance(key, list) or (isinstance(key, DialectArray) and key.ndim):
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {key!r}"
        )
    if isinstance(key, tuple):
        return tuple([_part(k) for k in key])
    return _part(key)


def _part(k: Any) -> Any:
    if k is None or k is Ellipsis:
        return k
    if type(k) is slice:
        return _slice(k)
    if type(k) is not bool and not isinstance(k, (float, complex, str)) and hasattr(k, "__index__"):
        try:
            return k.__index__()
        except TypeError:
            pass
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        f"valid indices, got {k!r}"
    )


def _slice(k: slice) -> slice:
    return slice(*[None if end is None else _part(end) for end in (k.start, k.stop, k.step)])


def _compared(f: Callable[[Any, Any], Any], x: Tensor, other: Any, unlike: bool) -> Any:
    """``==`` and ``!=``: of shapes that do not fit together, one value for all; of None, a Python bool."""
    if other is None:
        return unlike
    if type(other) is Tensor and other._array._sig is x._array._sig and other._array.shape == x._array.shape:
        return f(x, other)
    if type(other) not in _NUMBERS:
        other = _operand(other, x)
        a, b = x._array.shape, other._array.shape
        if any(m != n and 1 not in (m, n) for m, n in zip(a[::-1], b[::-1], strict=False)):
            pair_dtypes(x, other)
            return as_tensor(unlike)
    return f(x, other if behaviour.numpy_operators() else _fitting(other, x))


def _bits(x: Tensor, other: Any, word: str) -> Any:
    return getattr(_operating.ops, ("logical_" if x.dtype == "bool" else "bitwise_") + word)(x, _operand(other, x))


def pair_dtypes(x: Tensor, y: Tensor) -> None:
    """Refuse two dtypes under rules that promote nothing."""
    if dialect.promotes_nothing and not behaviour.numpy_operators() and x.dtype != y.dtype:
        raise invalid(f"the two tensors are of {x.dtype.name} and {y.dtype.name}, and TensorFlow promotes nothing")


# --- conversion -----------------------------------------------------------------------------------------------------


def as_tensor(value: Any, dtype: Any = None, like: Tensor | None = None) -> Any:
    """Convert a tensor, a variable, a Python or NumPy value, or a nested sequence of these, to a tensor.

    Parameters
    ----------
    dtype: the dtype that it has to have; a tensor of another dtype is refused.
    like: a tensor whose dtype it gets where possible.
    """
    if isinstance(value, Tensor):
        if dtype is not None and dtype != value.dtype:
            raise ValueError(f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for a tensor with dtype "
                             f"{value.dtype.name}. Cast it: tf.cast(x, {dtypes.as_dtype(dtype)!r})")  # fmt: skip
        return value
    held = getattr(value, "_read", None)
    if held is not None:
        return as_tensor(held(), dtype)
    ours = None if dtype is None else dialect.dtype_of(dtypes.as_dtype(dtype))
    if like is not None and ours is None:
        try:
            return _made(value, like._array.dtype)
        except (TypeError, ValueError):
            pass
    return _made(value, ours)


#: TensorFlow's dtypes of Python's numbers.
_DTYPES = {float: Dtype("float32"), int: Dtype("int32")}
dialect.numbers = lambda: _DTYPES


def of_dtype(value: Any, dtype: Any) -> Any:
    """Convert a value that is no tensor yet to a tensor, of this dtype where possible."""
    return value if isinstance(value, Tensor) else as_tensor(value, like=ops.zeros((), dtype=dtype))


def of_plain(value: Any) -> Any:
    """Convert a float or a list, mostly of numbers, to a tensor, without a given dtype."""
    if not behaviour.weak():
        if type(value) is list:
            found = dialect.of_numbers(value)
            if found is not None:
                return found
        else:
            try:
                return dialect.of_number(value, _DTYPES[float])
            except Exception:
                pass  # which is told below
    return as_tensor(value)


def _made(value: Any, dtype: Dtype | None) -> Any:
    if type(value) is list and dtype is None and not behaviour.weak():
        found = dialect.of_numbers(value)
        if found is not None:
            return found
    if isinstance(value, (TensorShape, range)):
        value = list(value)
    if isinstance(value, dtypes.DType) or value is None or isinstance(value, (str, bytes, dict, set)):
        raise ConversionError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."
        )
    if dialect.is_audited and dtype is None and (type(value) in _NUMBERS or _of_numbers(value)):
        return ops.asarray(value)  # the rules say of which dtype
    if isinstance(value, (list, tuple)):
        if _has_tensor(value):
            found = [_made(v, dtype) if not isinstance(v, Tensor) else as_tensor(v, _name(dtype)) for v in _held(value)]
            if dtype is None:
                first = next((v for v in value if isinstance(v, Tensor)), found[0])
                found = [as_tensor(v, like=first) for v in _held(value)]
            return ops.stack(found)
        return dialect.call(of_sequence, (value, dtype), {})
    if isinstance(value, SCALARS) and type(value) in _NUMBERS:
        return dialect.call(of_scalar, (value, dtype), {})
    return dialect.call(of_array, (value, dtype), {})


def _of_numbers(value: Any) -> bool:
    """Return whether nested sequences have Python's numbers alone."""
    return isinstance(value, (list, tuple)) and all(type(v) in _NUMBERS or _of_numbers(v) for v in value)


def _name(dtype: Dtype | None) -> Any:
    return None if dtype is None else dtypes.DTYPES[dtype]


def _held(values: Any) -> list[Any]:
    return [v._read() if hasattr(v, "_read") else v for v in values]


def _has_tensor(value: Any) -> bool:
    return any(
        isinstance(v, Tensor) or hasattr(v, "_read") or (isinstance(v, (list, tuple)) and _has_tensor(v)) for v in value
    )


def _fitting(value: Any, beside: Tensor) -> Any:
    """A Python number beside a tensor, which has to become its dtype under rules that promote nothing."""
    if type(value) in _NUMBERS and dialect.promotes_nothing:
        check_kinds({KINDS[type(value)]}, value, beside._array.dtype)
    return value


def beside(value: Any, x: Tensor) -> Any:
    """A tensor of a value beside a tensor: a Python number or sequence has to become its dtype, as kernels ask for.

    Raises
    ------
    TypeError: it does not become that dtype.
    """
    if type(value) in _PLAIN and dialect.promotes_nothing:
        return as_tensor(value, x.dtype)
    return as_tensor(value, like=x)


def of_kind(value: Any, dtype: Any) -> Any:
    """A tensor of a value: a Python number or sequence becomes one of this dtype, which a kernel asks for.

    Raises
    ------
    TypeError: it does not become that dtype.
    """
    return as_tensor(value, dtype) if type(value) in _PLAIN else as_tensor(value)


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Pair two operands of a kernel: a non-tensor becomes a tensor of the other's dtype; Python numbers stay."""
    if isinstance(x, Tensor):
        if not isinstance(y, Tensor):
            y = _fitting(y, x) if type(y) in _NUMBERS else beside(y, x)
    elif isinstance(y, Tensor):
        x = _fitting(x, y) if type(x) in _NUMBERS else beside(x, y)
    else:
        x = as_tensor(x)
        y = beside(y, x)
    return x, y


dialect.with_array(Tensor)
dialect.with_dtypes(dtypes.DTYPES)
_OWN = ("eq", "ne", "and", "or", "xor")


def operate_by(rules: TensorFlow) -> None:
    """Give tensors the operators of a dialect: TensorFlow's, or its NumPy's."""
    global _operating
    _operating = rules
    give_operators(rules, in_place=False, without="eq ne and or xor lshift rshift pos invert")
    array: Any = Tensor
    for word, name in (("__eq__", "equal"), ("__ne__", "not_equal")):
        setattr(array, word, rules.operator(name, _COMPARISONS[word]))


#: The slow path of comparisons, for calls without a kernel.
_COMPARISONS = {"__eq__": Tensor.__eq__, "__ne__": Tensor.__ne__}


_operating = dialect
operate_by(dialect)


# --- watched tensors ------------------------------------------------------------------------------------------------


class Watched(Tensor):
    """A tensor whose calls tapes record: its operators take the slow path, where they are seen."""

    __slots__ = ()

    def __getitem__(self, key: Any, /) -> Any:
        return dialect.call(_got, (self, _key(self, key)), {})


def _got(x: Any, key: Any) -> Any:
    return x[key]


def _watched_operators() -> None:
    """Give watched tensors operators that are functions, which tell a watched tensor from a plain one."""
    for word, name in OPERATORS.items():
        if word in _OWN or word in ("lshift", "rshift"):
            continue
        f = getattr(ops, name)
        setattr(Watched, f"__{word}__", lambda x, y, f=f: _applied(f, x, y, False))
        if word not in ("lt", "le", "gt", "ge"):
            setattr(Watched, f"__r{word}__", lambda x, y, f=f: _applied(f, x, y, True))
    for word, f in (("neg", ops.negative), ("abs", ops.abs)):
        setattr(Watched, f"__{word}__", lambda x, f=f: f(x))


def _applied(f: Any, x: Any, y: Any, swapped: bool) -> Any:
    y = dialect.operand(y, x)
    return y if y is NotImplemented else f(y, x) if swapped else f(x, y)


#: The functions of a sequence, whose dispatchers do not tell watched tensors from plain ones.
OF_SEQUENCES = "concat stack einsum meshgrid hstack vstack dstack broadcast_arrays"


def watchful(made_for: TensorFlow, name: str) -> Callable[..., Any]:
    """Return a function of a sequence that takes the slow path while a tape records."""
    import latticework as lw

    fast, slow = getattr(made_for.ops, name), made_for.function(getattr(lw, name))

    def call(*args: Any, **kw: Any) -> Any:
        return (slow if recording() else fast)(*args, **kw)

    return call


Watched.__name__ = Watched.__qualname__ = "Tensor"
TensorFlow.watched = Watched
register_node(Watched, lambda x: (x._array,), lambda children: dialect.wrap(*children))
_watched_operators()


def plainly(name: str) -> Callable[..., Any]:
    """Return a latticework function of a sequence of plain tensors, which no tape watches."""
    from ...core.registry import declared, functions

    found: Callable[..., Any] = twin(declared(name), getattr(functions, name), dialect)
    return found


for _function in OF_SEQUENCES.split():
    setattr(ops, _function, watchful(dialect, _function))

above.Tensor, above.as_tensor, above.dialect, above.ops = Tensor, as_tensor, dialect, ops
