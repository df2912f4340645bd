"""`jax.Array`: an array that never changes, with JAX's methods. Most of them are functions of `jax.numpy`."""

from __future__ import annotations

from typing import Any

import numpy as np

import latticework as lw

from ..array import DialectArray, give_operators
from ..calls import asked
from . import indexing
from .core import ALSO_ARRAYS, as_array, dialect, our_dtype
from .device import as_device

__all__ = ["Array", "give_methods"]

#: Methods that are functions of `jax.numpy` of the same names and arguments.
_METHODS = (
    "all any argmax argmin argpartition argsort choose clip conj conjugate copy cumprod cumsum diagonal dot max mean"
    " min nonzero prod ptp ravel repeat round searchsorted sort squeeze std sum swapaxes take trace var"
)


class _ArrayMeta(type):
    """Lets ``jnp.ndarray(...)`` say what to call instead, as JAX's class does."""

    def __call__(cls, *args: Any, **kw: Any) -> Any:
        raise TypeError("jax.Array is not made by its class. Use jax.numpy.asarray")

    def __instancecheck__(cls, x: Any) -> bool:
        return type.__instancecheck__(cls, x) or type(x) in ALSO_ARRAYS


class Array(DialectArray, metaclass=_ArrayMeta):
    """An array of JAX's dialect, on any backend. It never changes; ``x.at[...]`` gives arrays that differ."""

    __slots__ = ()
    __module__ = "jax"
    __hash__: Any = None

    # --- what it is ------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return self._array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its dtype, as NumPy's."""
        return dialect.dtypes[self._array.dtype]

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._array.size

    @property
    def weak_type(self) -> bool:
        """True if its dtype gives way to that of another array."""
        return self._array.weak

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def aval(self) -> Any:
        """Its shape and dtype without its values."""
        from .shaped import ShapeDtypeStruct

        return ShapeDtypeStruct(self.shape, self.dtype, weak_type=self.weak_type)

    @property
    def device(self) -> Any:
        """The device that it is on."""
        return as_device(self._array.device)

    @property
    def sharding(self) -> Any:
        """Where it is: all of it on one device."""
        from .sharding import SingleDeviceSharding

        return SingleDeviceSharding(as_device(self._array.device))

    def devices(self) -> set[Any]:
        """The devices that it is on: one."""
        return {as_device(self._array.device)}

    is_fully_addressable = is_fully_replicated = committed = True

    def is_deleted(self) -> bool:
        """Always False: memory is freed when nothing uses it."""
        return False

    def block_until_ready(self) -> Any:
        """The array itself, computed."""
        return dialect.wrapped(self._array.compute())

    def copy_to_host_async(self) -> None:
        """Nothing: values are copied when they are asked for."""

    # --- to Python and NumPy ---------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        try:
            values = np.asarray(self)
        except Exception:
            return repr(self._array)
        return _shown(values, weak=self.weak_type)

    def __str__(self) -> str:
        return str(np.asarray(self))

    def __format__(self, spec: str) -> str:
        return format(np.asarray(self)[()] if self.ndim == 0 else str(self), spec)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __round__(self, ndigits: int | None = None) -> Any:
        return self.round(ndigits or 0)  # type: ignore[attr-defined]

    def __int__(self) -> int:
        return int(self._scalar())

    def __float__(self) -> float:
        return float(self._scalar())

    def __complex__(self) -> complex:
        return complex(self._scalar())

    def _scalar(self) -> Any:
        if self.ndim:
            raise TypeError(f"Only scalar arrays can be converted to Python scalars; got arr.ndim={self.ndim}")
        return self._run(lambda x: x.item(), self._array)

    @asked
    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(np.asarray(self).reshape(()))

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
        return int(self._scalar())

    def item(self, *args: int) -> Any:
        """The only element, or that at a position, as a Python scalar."""
        return np.asarray(self).item(*args)

    def tolist(self) -> Any:
        """Nested lists of Python scalars; a scalar where there are no dimensions."""
        return np.asarray(self).tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        """The bytes of its elements."""
        return np.asarray(self).tobytes(order)

    # --- keys ------------------------------------------------------------------------------------------------------

    def _at(self, key: Any) -> Any:
        kind = type(key)
        if kind is slice or kind is int:
            try:
                return DialectArray._at(self, key)
            except IndexError:
                if not self.ndim:
                    raise
        if kind is slice:
            raise TypeError(f"the bounds of a slice must be integers; got {key}")
        return dialect.call(indexing.read, (self._array, _plain(key)), {})

    def __setitem__(self, key: Any, value: Any, /) -> None:
        raise TypeError(
            "JAX arrays are immutable and do not support in-place item assignment. "
            "Instead of x[idx] = y, use x = x.at[idx].set(y)"
        )

    @property
    def at(self) -> IndexUpdateHelper:
        """Makes arrays that differ at a key: ``x.at[key].set(y)``."""
        return IndexUpdateHelper(self)

    # --- methods that are no functions of jax.numpy ----------------------------------------------------------------

    @property
    def T(self) -> Any:
        """Its axes in the reverse order."""
        return dialect.ops.permute_dims(self, tuple(range(self.ndim))[::-1])

    @property
    def mT(self) -> Any:
        """Its matrices transposed."""
        return dialect.ops.matrix_transpose(self)

    @property
    def real(self) -> Any:
        """The real parts."""
        return dialect.ops.real(self)

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        from .numpy.elementwise import imag

        return imag(self)

    @property
    def flat(self) -> Any:
        """Not there, as in JAX."""
        raise NotImplementedError("JAX Arrays do not implement the arr.flat property: consider arr.flatten() instead.")

    def astype(self, dtype: Any, copy: bool = False, device: Any = None) -> Any:
        """The array with its elements cast."""
        if device is None and self._array.dtype.kind != "c" and dtype is not None:
            return dialect.ops.astype(self, our_dtype(dtype, warn="astype"))
        from .numpy.creation import astype

        return astype(self, dtype, copy=copy, device=device)

    def reshape(self, *args: Any, order: str = "C", out_sharding: Any = None) -> Any:
        """The array with its elements in another shape."""
        if order == "C":
            try:
                return dialect.ops.reshape(self, args[0] if len(args) == 1 and type(args[0]) is tuple else args)
            except TypeError:
                pass  # an extent may be an array, and several may be in a list
        from .numpy.shaping import reshape

        return reshape(self, args[0] if len(args) == 1 and not hasattr(args[0], "__index__") else args, order)

    def transpose(self, *args: Any) -> Any:
        """The array with its axes in another order."""
        from .numpy.shaping import transpose

        return transpose(self, args[0] if len(args) == 1 and not hasattr(args[0], "__index__") else (args or None))

    def flatten(self, order: str = "C", *, out_sharding: Any = None) -> Any:
        """Its elements in one axis."""
        from .numpy.shaping import ravel

        return ravel(self, order)

    def compress(
        self, condition: Any, axis: int | None = None, *, out: None = None, size: int | None = None, fill_value: Any = 0
    ) -> Any:
        """The slices where a condition holds."""
        from .numpy.picking import compress

        return compress(condition, self, axis, size=size, fill_value=fill_value)

    def view(self, dtype: Any = None, type: None = None) -> Any:
        """Its bits read as another dtype."""
        if type is not None:
            raise NotImplementedError("`type` argument of array.view() is not supported.")
        return self if dtype is None else _viewed(self, our_dtype(dtype, warn="view"))

    def __contains__(self, value: Any) -> bool:
        if self.ndim != 1:
            raise ValueError("in: an array has to have one dimension; got shape " + str(self.shape))
        if isinstance(value, str) or value is None:
            raise TypeError(f"in: an array holds numbers; got {value!r}")
        if getattr(value, "ndim", 0):
            raise ValueError(f"in: takes one value; got shape {value.shape}")
        return bool(dialect.ops.any(self == value))

    def byteswap(self, inplace: bool = False) -> Any:
        """The array with the bytes of each element in the other order."""
        if inplace:
            raise ValueError("byteswap: arrays of JAX never change; inplace=True is not there")
        return _swapped(self)

    def to_device(self, device: Any, *, stream: Any = None) -> Any:
        """The array on another device."""
        device = next(iter(device.device_set)) if hasattr(device, "device_set") else device
        return dialect.wrapped(self._array.to_device(device))


def _swapped(x: Any) -> Any:
    """The bytes of each element in the other order; of a complex number, those of each part."""
    dtype = x._array.dtype
    if dtype.kind == "c":
        from .lax.elementwise import complex as of_parts

        return of_parts(_swapped(dialect.ops.real(x)), _swapped(dialect.ops.imag(x)))
    if dtype.bits == 8:
        return x
    as_bytes = dialect.ops.bitcast(x, lw.uint8)
    return dialect.ops.bitcast(dialect.ops.flip(as_bytes, axis=-1), dtype)


def _viewed(x: Any, dtype: Any) -> Any:
    """The bits as another dtype, along the last axis where the width differs."""
    ours, width = x._array.dtype, dtype.bits
    if ours.kind == "b" or dtype.kind == "b":
        as_bytes = dialect.ops.astype(x, lw.uint8) if ours.kind == "b" else _viewed(x, lw.uint8)
        return dialect.ops.astype(as_bytes, lw.bool) if dtype.kind == "b" else _viewed(as_bytes, dtype)
    if ours.bits == width:
        return dialect.ops.bitcast(x, dtype)
    if not x.ndim:
        raise ValueError("view() of arrays of no dimensions needs a dtype of the same width")
    if ours.bits > width:
        found = dialect.ops.bitcast(x, dtype)
        return found.reshape(*x.shape[:-1], x.shape[-1] * (ours.bits // width))
    ratio = width // ours.bits
    if x.shape[-1] % ratio:
        raise ValueError(f"view(): the last axis has {x.shape[-1]} elements, no multiple of {ratio}")
    return dialect.ops.bitcast(x.reshape(*x.shape[:-1], x.shape[-1] // ratio, ratio), dtype)


def _plain(key: Any) -> Any:
    """Return a key with NumPy's scalar integers and bools as Python's."""
    if isinstance(key, tuple):
        return tuple([_plain(k) for k in key])
    return int(key) if isinstance(key, np.integer) else bool(key) if isinstance(key, np.bool_) else key


def _shown(values: np.ndarray, *, weak: bool) -> str:
    """The text of an array, as JAX writes it."""
    width = int(np.get_printoptions()["linewidth"])
    ends = f"dtype={values.dtype.name}{', weak_type=True' if weak else ''})"
    if not values.size:
        body = f"[], shape={values.shape}" if values.shape != (0,) else "[]"
    else:
        body = np.array2string(values, prefix="Array(", suffix=",", separator=", ", max_line_width=width)
    text = f"Array({body},"
    last = len(text) - (text.rfind("\n") + 1)
    return f"{text}{' ' if last + len(ends) + 1 <= width else ' ' * 6}{ends}"


class IndexUpdateHelper:
    """``x.at``: square brackets after it take a key."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> IndexUpdateRef:
        return IndexUpdateRef(self.array, index)

    def __repr__(self) -> str:
        return f"_IndexUpdateHelper({self.array!r})"


class IndexUpdateRef:
    """``x.at[key]``: each method gives an array that differs from x there."""

    __slots__ = ("array", "index")

    def __init__(self, array: Any, index: Any) -> None:
        self.array, self.index = array, index

    def __repr__(self) -> str:
        return f"_IndexUpdateRef({self.array!r}, {self.index!r})"

    def get(
        self, *, indices_are_sorted: bool = False, unique_indices: bool = False, mode: Any = None,
        fill_value: Any = None, out_sharding: Any = None, wrap_negative_indices: bool = True,
    ) -> Any:  # fmt: skip
        """The elements at the key."""
        args = (self.array, _plain(self.index), mode, fill_value, wrap_negative_indices)
        return dialect.call(indexing.read, args, {})

    def apply(
        self, func: Any, *, indices_are_sorted: bool = False, unique_indices: bool = False, mode: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Any:  # fmt: skip
        """Return the array with a function applied to the elements at the key."""
        return self._updated("apply", func, mode, wrap_negative_indices)

    def _updated(self, method: str, values: Any, mode: Any, wrap_negative: bool) -> Any:
        if method != "apply":
            values = as_array(values, "scatter")
            _check_method(method, self.array.dtype)
        return dialect.call(indexing.updated, (self.array, _plain(self.index), method, values, mode, wrap_negative), {})


def _check_method(method: str, dtype: np.dtype[Any]) -> None:
    if method in ("divide", "power") and dtype.kind == "b":
        raise ValueError(f"{method} is not there for bools")


def _update(method: str, doc: str) -> Any:
    def update(
        self: IndexUpdateRef, values: Any, *, indices_are_sorted: bool = False, unique_indices: bool = False,
        mode: Any = None, out_sharding: Any = None, wrap_negative_indices: bool = True,
    ) -> Any:  # fmt: skip
        return self._updated(method, values, mode, wrap_negative_indices)

    update.__doc__ = f"The array with {doc}."
    update.__name__ = method
    return update


_UPDATES = {
    "set": "other elements at the key", "add": "values added at the key", "subtract": "values subtracted at the key",
    "multiply": "values multiplied in at the key", "divide": "the elements at the key divided by values",
    "power": "the elements at the key raised to values", "min": "the smaller of the elements at the key and values",
    "max": "the greater of the elements at the key and values",
}  # fmt: skip
for _name, _doc in _UPDATES.items():
    setattr(IndexUpdateRef, _name, _update(_name, _doc))
IndexUpdateRef.mul = IndexUpdateRef.multiply  # type: ignore[attr-defined]

dialect.with_array(Array)
give_operators(dialect, in_place=False)


def _divmod(self: Any, other: Any) -> Any:
    return self // other, self % other


def _rdivmod(self: Any, other: Any) -> Any:
    return other // self, other % self


setattr(Array, "__divmod__", _divmod)  # noqa: B010
setattr(Array, "__rdivmod__", _rdivmod)  # noqa: B010


def give_methods(functions: Any) -> None:
    """Give the class the methods that are functions of `jax.numpy`."""
    for name in _METHODS.split():
        setattr(Array, name, getattr(functions, name))
    dialect.finish_methods()


__all__ += ["IndexUpdateHelper", "IndexUpdateRef"]
