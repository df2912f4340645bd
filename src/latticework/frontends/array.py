"""`DialectArray`: the base class of the arrays of all dialects. Each wraps an `lw.Array` in its framework's methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.registry import declared, functions
from ..engine.arrays.array import Array
from ..engine.arrays.views import link_indexed
from . import calls
from .calls import HELD, new

if TYPE_CHECKING:
    from .dialect import Dialect

__all__ = ["OPERATORS", "DialectArray", "give_operators"]

_making = Lock()

#: The types of the parts of a key that reads the same everywhere.
PLAIN_KEYS = frozenset((int, slice, type(None), type(Ellipsis)))


class DialectArray:
    """An `lw.Array` with a framework's methods. Its class has the name of the framework's class.

    Everything that the frameworks agree on is here: indexing, conversion to Python and NumPy, the protocols.

    It has the native array and the signature itself, as an `Array` has them, so that a call of a kernel makes one
    object. `_array` is an `Array` of these, made where a latticework function is called with it, and kept. Where a
    write may give the `Array` another native array, only the `Array` keeps both from then on, and `_sig` is `HELD`.
    That is so where writes do not go into native arrays (see `Sig.in_place`), where a function of NumPy has returned a
    scalar for an array, and where others have the `Array` too (see `calls.shared`).
    """

    __slots__ = ("__weakref__", "_data", "_held", "_sig")

    _data: Any
    _held: Any  # an `Array`, or None before there is one
    _sig: Any
    dialect: ClassVar[Dialect]
    #: An ndarray on the left of an operator defers to this class. `__array_ufunc__ = None` would do that too,
    #: and would make `np.sin(x)` an error, which the frameworks' arrays take by `__array__`.
    __array_priority__ = 1_000_000

    __hash__: Any = object.__hash__

    @property
    def _array(self) -> Array:
        """The `lw.Array`."""
        held: Array | None = self._held
        if held is None:
            with _making:  # threads that read one array get the same one
                held = self._held
                if held is None:
                    held = Array()
                    held._data, held._sig = self._data, self._sig
                    self._held = held
                    self._bind()
        return held

    @_array.setter
    def _array(self, x: Array) -> None:
        self._held, self._sig = x, x._sig
        self._bind()

    def _become(self, other: DialectArray) -> None:
        """Take the `lw.Array` of another array."""
        self._array = other._array
        self._sig = other._sig

    def _bind(self) -> None:
        """Take the native array of the `lw.Array`, which was written to or replaced."""
        held: Any = self._held
        if self._sig is HELD:
            self._data = None
        elif held._sig.in_place and type(held._data) is not held._sig.scalar:
            self._data, self._sig = held._data, held._sig
        else:
            self._sig = HELD  # the data stays: a thread may have read the signature, and read the data next

    def __len__(self) -> int:
        return self._run(len, self._array)  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    @calls.asked
    def __bool__(self) -> bool:
        return self._run(bool, self._array)  # type: ignore[no-any-return]

    def __int__(self) -> int:
        return self._run(int, self._array)  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._run(float, self._array)  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return self._run(complex, self._array)  # type: ignore[no-any-return]

    def __index__(self) -> int:
        return self._run(Array.__index__, self._array)  # type: ignore[no-any-return]

    def _run(self, f: Callable[[Array], Any], x: Array) -> Any:
        """Call a function on an `lw.Array`, with the dialect's errors."""
        try:
            return f(x)
        except Exception as error:
            raise self.dialect.error(error, getattr(f, "__name__", "")) from None

    def __getitem__(self, key: Any, /) -> Any:
        kind = type(key)
        plain = kind is int or kind is slice
        if kind is tuple:
            for k in key:
                if type(k) not in PLAIN_KEYS:
                    break
            else:
                plain = True
        if plain:
            try:
                a = self._held if self._sig is HELD else self
                sig = a._sig
                index = sig.index  # a variable: an attribute that is no method is called slowly
                t = new(type(self))
                data = t._data = index(a._data, key)
                t._held = None
                if type(data) is sig.scalar:
                    t._sig = sig.element
                else:
                    t._sig = sig
                    if sig.immutable:
                        link_indexed(t._array, self._array, key)
                return t
            except Exception:
                pass
        return self._at(key)

    def _at(self, key: Any) -> Any:
        """Read a key on the slow path of `__getitem__`. A dialect that reads keys otherwise overrides this."""
        try:
            return calls.wrapped(type(self), self._array[self._our_key(key)])
        except Exception as error:
            raise self.dialect.error(error, "getitem") from None

    def _our_key(self, key: Any) -> Any:
        """Convert a key to one for an `lw.Array`. A dialect that takes other keys overrides this."""
        return self.dialect.unwrap(key, {})

    def __setitem__(self, key: Any, value: Any, /) -> None:
        dialect = self.dialect
        dialect.call(_assign, (self._array, key, value), {})
        self._bind()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._array.__array__(dtype, copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[Any, int]:
        return self._array.__dlpack_device__()

    def __copy__(self) -> Any:
        return self.dialect.wrapped(self._array.copy())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.dialect.wrapped(self._array.copy())

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, Array]]:
        return _rebuild, (self.dialect.name, self._array)

    def tolist(self) -> Any:
        """Nested lists of Python scalars; a scalar where there are no dimensions."""
        return self._array.tolist()

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._array.ndim


def _assign(x: Array, key: Any, value: Any) -> None:
    x[key] = value


def _rebuild(name: str, array: Array) -> Any:
    from . import dialect_named

    return dialect_named(name).wrapped(array)


_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
_COMPARISONS = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}  # fmt: skip
#: The function of each operator of two operands, by the middle of its method's name.
OPERATORS = {**_OPERATORS, **_COMPARISONS}
_UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}


def give_operators(
    dialect: Dialect, *, in_place: bool = True, without: str = "", scalars_change: bool = True,
    note: Callable[[Any], None] | None = None,
) -> None:  # fmt: skip
    """Give the class of a dialect's arrays the operators, under the dialect's rules.

    Parameters
    ----------
    in_place: whether ``x += y`` writes into x. If not, Python makes ``x = x + y`` of it.
    without: the operators that the framework's arrays lack, or that the class has itself.
    scalars_change: whether ``x += y`` writes into a 0-d array too. If not, it makes a new array, as for NumPy's
        scalars.
    note: is called with the array of x before ``x += y`` writes into it.
    """
    array: Any = dialect.array
    left_out = without.split()
    for word, name in OPERATORS.items():
        if word in left_out:
            continue
        o = declared(name)
        assert o is not None
        ours = getattr(Array, f"__{word}__")
        setattr(array, f"__{word}__", calls.operator(calls.DialectKernels(o, ours, dialect)))
        if word in _OPERATORS:
            function = getattr(functions, name)
            setattr(array, f"__r{word}__", calls.reflected(calls.DialectKernels(o, function, dialect)))
            if in_place and f"i{word}" not in left_out:
                writes = calls.DialectKernels(o, getattr(Array, f"__i{word}__"), dialect, suffix="=")
                setattr(array, f"__i{word}__", calls.in_place(writes, scalars_change, note))
    for word, name in _UNARY.items():
        if word not in left_out:
            o = declared(name)
            assert o is not None
            setattr(
                array, f"__{word}__", calls.unary_operator(calls.DialectKernels(o, getattr(functions, name), dialect))
            )
