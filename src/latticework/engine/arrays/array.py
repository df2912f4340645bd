"""`Array`: a backend's array and its signature. Operators share the kernels of the functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar, final

from ...backend import get
from ...core.device import Device
from ...core.dtypes import Dtype
from ...core.registry import functions as lw
from ...core.signature import Sig
from ...core.versions import check_api_version
from ...errors import NoDataError
from ...policy import active, table
from ..calls import dispatch
from ..keys.held import HeldError
from ..keys.native_keys import index_error, native_key, native_value
from ..numpy_calls import array_function, array_ufunc
from .methods import Methods
from .show import array_repr
from .views import check_writable, link_indexed

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Array"]


_Scalar = TypeVar("_Scalar", int, float, complex)


def _conversion(to: type[_Scalar], most: int) -> Callable[[Array], _Scalar]:
    """Make ``int(x)`` and so on: the element of a 0-d array, of a dtype with this `Sig.rank` at most."""

    def convert(x: Array) -> _Scalar:
        sig = x._sig
        if sig.plain <= most:
            return to(x._data)
        if x._data.shape != () or sig.rank > most:
            raise _no_scalar(x, to.__name__)
        read = sig.item  # once: where another thread ends a trace, it becomes another
        return to(x._data if read is None else read(x._data))

    convert.__name__ = convert.__qualname__ = to.__name__
    return convert


def _no_scalar(x: Array, to: str) -> TypeError:
    """Make the error for an array that is no Python scalar of a type."""
    if x._data.shape != ():
        return TypeError(
            f"{to}: needs a 0-d array; got one of shape {x.shape}. "
            f"Take an element: x[{', '.join('0' * x.ndim)}], or x.item() where there is only one"
        )
    way_out = "Take x.real or x.imag, or cast it" if x.dtype.kind == "c" else "Cast it: lw.astype(x, dtype)"
    return TypeError(f"{to}: cannot be made from {x.dtype}. {way_out}")


class Holder(NamedTuple):
    """The functions for a class of objects that hold an `Array`, as a dialect's arrays do.

    Attributes
    ----------
    array: gives the array that an object holds.
    wrapped: makes an object that holds an array.
    writes: tells whether a function is written in such objects.
    """

    array: Callable[[Any], Array]
    wrapped: Callable[[Array], Any]
    writes: Callable[[Callable[..., Any]], bool]


#: The classes of objects that hold an `Array`.
HOLDERS: dict[type, Holder] = {}

#: Kernels of ``x[key] = value``, by policy and signature.
_ASSIGNMENT = table("setitem")
_policy = active.get


@final
class Array(Methods):
    """An array of any backend: one dtype, one shape, one device. Made by `lw.asarray` and its kin.

    It holds the framework's own array in `data`, never a copy, and derives from no framework's class. All
    functions of latticework take it and give it; operators do what the functions of the same meaning do.

    Writing to it (``x[i] = v``, ``x += y``) writes into the framework's array where that can be written to. The
    dtype never changes: a float is rounded to that of an array of floats, integers go into an array of integers where
    their values fit, and what does not go into it is an error.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2], [3, 4]])
    >>> x + 0.5
    Array([[1.5, 2.5],
           [3.5, 4.5]], dtype=float32)
    >>> x.dtype, x.shape, x.device
    (lw.int32, (2, 2), Device('cpu', backend='numpy'))
    """

    __slots__ = ("__weakref__", "_data", "_link", "_sig")

    _data: Any
    _link: Any  # see `views`; most arrays have none
    _sig: Sig

    # Hooks for NumPy's functions, and for its arrays and scalars on the left of an operator: `np.float64(2) * x`.
    __array_ufunc__ = array_ufunc
    __array_function__ = array_function
    __array_priority__ = 1_000_000

    # --- what it is ---------------------------------------------------------------------------------------------

    @property
    def data(self) -> Any:
        """The framework's own array: a weak one for a weak array, where the framework has weak arrays."""
        sig = self._sig
        read = sig.reads.native  # a variable: an attribute that is no method is called slowly
        native = read(self._data)
        return sig.backend.weakened(native) if sig.weak and sig.backend.weakened else native

    @property
    def backend(self) -> str:
        """The name of the backend that runs it."""
        name: str = self._sig.backend.name
        return name.removeprefix("traced:")  # in a trace, an array is described as it is outside

    @property
    def dtype(self) -> Dtype:
        """The dtype of its elements."""
        dtype: Dtype = self._sig.dtype
        return dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        raise AttributeError("dtype: an array keeps its dtype. Bind the cast one: x = lw.astype(x, dtype)")

    @property
    def weak(self) -> bool:
        """True if the dtype is weak: it gives way to the dtype of another array.

        Always False, except under the rules of JAX and TensorFlow that have weak arrays. There an array is weak if its
        dtype comes from Python scalars and weak arrays alone. `astype`, or a given dtype, makes an array that is not
        weak. Other rules treat the dtype of a weak array like any other.

        Examples
        --------
        >>> import latticework as lw
        >>> with lw.using(rules="jax"):
        ...     x = lw.asarray([1, 2], dtype=lw.int32) + 1.5
        ...     x.dtype, x.weak, (x + lw.ones(2, dtype=lw.bfloat16)).dtype
        (lw.float64, True, lw.bfloat16)
        """
        return self._sig.weak

    @property
    def device(self) -> Device:
        """The device that the array is on."""
        sig = self._sig
        place = sig.reads.device_of
        return Device(place(self._data), sig.backend.name)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent along each axis; None for an extent that is not known before a lazy array is computed."""
        return self._sig.backend.shape_of(self._data)  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, shape: Any) -> None:
        raise AttributeError(f"shape: an array keeps its shape. Bind the reshaped one: x = lw.reshape(x, {shape!r})")

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._data.shape)

    @property
    def size(self) -> int:
        """The number of elements; None if it is not known before the array is computed."""
        n = 1
        for extent in self.shape:
            if extent is None:
                return None  # type: ignore[unreachable]
            n *= extent
        return n

    @property
    def itemsize(self) -> int:
        """The bytes of one element."""
        return self._sig.dtype.itemsize  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        """The bytes of all elements; None if they are not known before the array is computed."""
        n = self.size
        return n if n is None else n * self.itemsize

    @property
    def T(self) -> Array:
        """The transpose of a matrix; the array itself with fewer than two axes, as in NumPy; `mT` for stacks."""
        ndim = len(self._data.shape)
        if ndim == 2:
            return lw.matrix_transpose(self)
        if ndim > 2:
            raise ValueError(
                f"T: needs 2 axes or fewer, got {ndim}. Use x.mT for stacks of matrices, or lw.permute_dims"
            )
        return self

    @property
    def mT(self) -> Array:
        """The array with the last two axes exchanged."""
        return lw.matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The real components; for a bool array, the array itself, as in NumPy."""
        return self if self.dtype.kind == "b" else lw.real(self)

    @property
    def imag(self) -> Array:
        """The imaginary components, zeros for a real array."""
        return lw.zeros_like(self) if self.dtype.kind == "b" else lw.imag(self)

    def __repr__(self) -> str:
        return array_repr(self)

    def _repr_html_(self) -> str | None:
        """Return the framework's own picture of the chunks of a lazy array, for notebooks; None for other arrays."""
        return self._data._repr_html_() if self._sig.backend.lazy else None

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        if self._data.shape != ():
            raise TypeError(f"format: {spec!r} is for a 0-d array; got one of shape {self.shape}. Format its elements")
        return format(self.item(), spec)

    __hash__ = None  # type: ignore[assignment]  # == compares element by element

    def __len__(self) -> int:
        shape = self._sig.backend.shape_of(self._data)
        if not shape:
            raise TypeError("len: a 0-d array has no length")
        if shape[0] is None:
            raise TypeError("len: it is not known before the array is computed. Take x.compute()")
        return int(shape[0])

    def __iter__(self) -> Iterator[Array]:
        if not len(self._data.shape):
            raise TypeError("iter: a 0-d array has no axis to go along")
        if self._sig.backend.takes_target:
            return self._recorded_parts()
        return (self[i] for i in range(len(self)))

    def _recorded_parts(self) -> Iterator[Array]:
        """Go along the first axis where derivatives are recorded: that of one part by itself is as large as all."""
        data, parts = self._data, lw.unstack(self)
        for i, part in enumerate(parts):
            yield part if self._data is data else self[i]  # the array was written to

    def __contains__(self, value: Any) -> bool:
        found = self == value  # False where the value is nothing to compare with
        return bool(lw.any(found)) if isinstance(found, Array) else found

    # --- to Python ------------------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        sig = self._sig
        if sig.element is sig or self._data.shape == ():
            read = sig.item  # once: where another thread ends a trace, it becomes another
            return bool(self._data if read is None else read(self._data))
        if self.size not in (1, None):
            raise ValueError(f"bool: an array of shape {self.shape} has no one truth value. Use lw.any(x) or lw.all(x)")
        return bool(self.item())

    __int__ = _conversion(int, 1)
    __float__ = _conversion(float, 1)
    __complex__ = _conversion(complex, 2)
    __index__ = _conversion(int, 0)

    def __bytes__(self) -> NoReturn:
        """Refuse, and name `tobytes`: Python would take the elements as bytes, or one as the number of bytes."""
        raise TypeError("bytes: an array is no sequence of bytes. Those of its elements are x.tobytes()")

    def item(self, *index: int) -> bool | int | float | complex:
        """Return the only element as a Python scalar, or the element at an index."""
        x = self[index] if index else self
        if x._data.shape != ():
            if x.size is None:
                x = x.compute()  # type: ignore[unreachable]
            if x.size != 1:
                raise ValueError(f"item: needs an array of one element; got shape {self.shape}")
        read = x._sig.reads.item
        value: bool | int | float | complex = read(x._data)
        return value

    def compute(self) -> Array:
        """Return the array with its values: itself, or for a lazy array the result, on NumPy."""
        compute = self._sig.backend.compute
        if compute is None:
            return self
        (data,) = compute(self._data)
        sig = get("numpy").sig(self.dtype)
        return wrapped(data, sig.weakly if self.weak else sig)

    def tolist(self) -> Any:
        """Return nested lists of Python scalars; a scalar for a 0-d array."""
        read = self._sig.reads.values
        return read(self._data).tolist()

    # --- to and from others -----------------------------------------------------------------------------------------

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """Return the module `latticework`, for every version of the standard that it is a superset of."""
        check_api_version(api_version)
        return sys.modules["latticework"]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return a `numpy.ndarray`: without a copy where the data lies in CPU memory and `copy` is not True.

        If the framework's arrays never change, it is a copy as well, which may be written to: compiled code often
        takes nothing else. With `copy` False it shares memory, and is read-only.
        """
        sig = self._sig
        read = sig.reads.to_numpy
        data = read(self._data, dtype, copy)
        return data.copy() if copy is None and sig.backend.facts.immutable and not data.flags.writeable else data

    def to_numpy(self) -> Any:
        """Return a `numpy.ndarray`, see `__array__`. matplotlib takes an object without it for a list of rows."""
        return self.__array__()

    @property
    def __numpy_dtype__(self) -> NoReturn:
        """Tell NumPy that an array is no dtype, with a TypeError, as NumPy does for its own arrays.

        `jax.numpy.asarray` asks for it, and after this error takes the object for another library's array. Without
        the error, NumPy looks at `dtype` and raises a ValueError, because that is no dtype of NumPy.
        """
        raise TypeError("an array is no dtype. Give its dtype: x.dtype")

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule of the native array, which handles `stream`, `dl_device` and `copy`."""
        return self._sig.backend.dlpack(
            self.data, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[Any, int]:
        """Return the DLPack device type and number."""
        of = self._sig.backend.dlpack_device
        device: tuple[Any, int] = self.data.__dlpack_device__() if of is None else of(self._data)
        return device

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """Return the array on another device of its backend; itself if it is there already."""
        backend = self._sig.backend
        target = backend.device(device)
        data = backend.to_device(self.data, backend.native_device(target), stream)
        return self if data is self._data else wrapped(data, self._sig)

    def __reduce__(self) -> tuple[Callable[..., Array], tuple[str, str, Any, bool]]:
        return _rebuild, (self.backend, str(self.dtype), self._sig.backend.to_pickle(self.data), self.weak)

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def copy(self) -> Array:
        """Return an array with the same elements, in memory of its own."""
        return lw.asarray(self, copy=True)

    # --- indexing ---------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any, /) -> Array:
        kind = type(key)
        if kind is not int and kind is not slice:
            try:
                key = native_key(self, key)
            except NoDataError:
                return dispatch.misses.without_data(self, key)[key]
        sig = self._sig
        index = sig.index  # a variable: an attribute that is no method is called slowly
        r = Array()
        try:
            data = r._data = index(self._data, key)
        except Exception as error:
            if type(error) is HeldError:
                return dispatch.misses.without_data(self, key)[key]
            raise index_error(self, key, error) from error
        if type(data) is sig.scalar:
            r._sig = sig.element  # type: ignore[assignment]
            return r
        r._sig = sig
        if sig.immutable:
            link_indexed(r, self, key)
        return r

    def __setitem__(self, key: Any, value: Any, /) -> None:
        try:
            assign = _ASSIGNMENT[_policy()][self._sig]
        except KeyError:
            assign = dispatch.misses.assignment(self)
        if self._sig.immutable:
            check_writable(self, "setitem")
        native = native_key(self, key, "setitem")
        data = native_value(self, value)
        try:
            self._data = assign(self._data, native, data)
        except Exception as error:
            raise index_error(self, native, error, value, data) from error

    def __delitem__(self, key: Any, /) -> None:
        raise TypeError(
            f"delitem: an array of shape {self.shape} keeps its shape. Take what remains: "
            f"x[keep] of a bool array, or lw.concat([x[:i], x[i + 1:]])"
        )

    # --- operators --------------------------------------------------------------------------------------------------

    __add__ = dispatch.operator("add")
    __sub__ = dispatch.operator("subtract")
    __mul__ = dispatch.operator("multiply")
    __truediv__ = dispatch.operator("divide")
    __floordiv__ = dispatch.operator("floor_divide")
    __mod__ = dispatch.operator("remainder")
    __pow__ = dispatch.operator("pow")
    __matmul__ = dispatch.operator("matmul")
    __and__ = dispatch.operator("bitwise_and")
    __or__ = dispatch.operator("bitwise_or")
    __xor__ = dispatch.operator("bitwise_xor")
    __lshift__ = dispatch.operator("bitwise_left_shift")
    __rshift__ = dispatch.operator("bitwise_right_shift")
    __lt__ = dispatch.operator("less")
    __le__ = dispatch.operator("less_equal")
    __gt__ = dispatch.operator("greater")
    __ge__ = dispatch.operator("greater_equal")
    if TYPE_CHECKING:  # pyright would take the types of `object`, whose comparisons give a bool

        def __eq__(self, other: Any, /) -> Array: ...  # type: ignore[override]
        def __ne__(self, other: Any, /) -> Array: ...  # type: ignore[override]

    else:
        __eq__ = dispatch.operator("equal")
        __ne__ = dispatch.operator("not_equal")

    __radd__ = dispatch.reflected("add")
    __rsub__ = dispatch.reflected("subtract")
    __rmul__ = dispatch.reflected("multiply")
    __rtruediv__ = dispatch.reflected("divide")
    __rfloordiv__ = dispatch.reflected("floor_divide")
    __rmod__ = dispatch.reflected("remainder")
    __rpow__ = dispatch.reflected("pow")
    __rmatmul__ = dispatch.reflected("matmul")
    __rand__ = dispatch.reflected("bitwise_and")
    __ror__ = dispatch.reflected("bitwise_or")
    __rxor__ = dispatch.reflected("bitwise_xor")
    __rlshift__ = dispatch.reflected("bitwise_left_shift")
    __rrshift__ = dispatch.reflected("bitwise_right_shift")

    __iadd__ = dispatch.in_place("add")
    __isub__ = dispatch.in_place("subtract")
    __imul__ = dispatch.in_place("multiply")
    __itruediv__ = dispatch.in_place("divide")
    __ifloordiv__ = dispatch.in_place("floor_divide")
    __imod__ = dispatch.in_place("remainder")
    __ipow__ = dispatch.in_place("pow")
    __imatmul__ = dispatch.in_place("matmul")
    __iand__ = dispatch.in_place("bitwise_and")
    __ior__ = dispatch.in_place("bitwise_or")
    __ixor__ = dispatch.in_place("bitwise_xor")
    __ilshift__ = dispatch.in_place("bitwise_left_shift")
    __irshift__ = dispatch.in_place("bitwise_right_shift")

    __neg__ = dispatch.unary_operator("negative")
    __pos__ = dispatch.unary_operator("positive")
    __abs__ = dispatch.unary_operator("abs")
    __invert__ = dispatch.unary_operator("bitwise_invert")

    def __divmod__(self, other: Any, /) -> tuple[Array, Array]:
        quotient = type(self).__floordiv__(self, other)
        return NotImplemented if quotient is NotImplemented else (quotient, self % other)

    def __rdivmod__(self, other: Any, /) -> tuple[Array, Array]:
        quotient = type(self).__rfloordiv__(self, other)
        return NotImplemented if quotient is NotImplemented else (quotient, other % self)

    def __round__(self, ndigits: int = 0) -> Array:
        return lw.around(self, decimals=ndigits)

    def __init_subclass__(cls, **kw: Any) -> None:
        raise TypeError("Array cannot be subclassed: calls dispatch on its exact type")


dispatch.give_class(Array)


def wrapped(data: Any, sig: Sig) -> Array:
    """Wrap a native array in an `Array`."""
    r = Array()
    r._data = data
    r._sig = sig
    return r


def _rebuild(backend: str, dtype: str, pickled: Any, weak: bool = False) -> Array:
    owner = get(backend)
    sig = owner.sig(Dtype(dtype))
    return wrapped(owner.from_pickle(pickled, owner.native_dtypes[sig.dtype]), sig.weakly if weak else sig)


def is_array(option: Any) -> bool:
    """Return whether an `Array` is given for an option that is declared as a Python number."""
    return isinstance(option, Array)
