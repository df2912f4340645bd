"""NumPy's methods of an array, with NumPy's signatures. Each calls the function of the same meaning."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, Never, ParamSpec, TypeVar

from ...core.dtypes import DtypeLike
from ...core.registry import functions as lw
from ...words import METHODS, unknown_method
from ..calls.dispatch import shape_method

if TYPE_CHECKING:
    from .array import Array

__all__ = ["Methods"]

P = ParamSpec("P")
R = TypeVar("R")


class _Elsewhere:
    """A method that other libraries' arrays have: a look-up of it is an error, which says what to write here.

    It is a descriptor. A `__getattr__` of the class would take time at each look-up of any attribute.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, owner: type) -> Any:
        hint = unknown_method(self.name, lambda method: hasattr(owner, method))
        raise AttributeError(f"'Array' object has no attribute {self.name!r}{hint}", name=self.name)


def _given(out: Any) -> dict[str, Any]:
    """Return the option `out`, if it is given."""
    return {} if out is None else {"out": out}


def _reduction(f: Callable[P, R]) -> Callable[P, R]:
    """Make the method of a reduction from its declaration. Without arguments it calls the function with the array."""
    name = f.__name__
    function: Any = None

    def plain(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, **unknown: Any) -> Any:
        nonlocal function
        if unknown:
            raise unexpected(name, unknown)
        if function is None:
            function = getattr(lw, name)
        if axis is None and out is None and not keepdims:
            return function(self)
        return function(self, axis=axis, keepdims=keepdims, **_given(out))

    def with_dtype(
        self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **unknown: Any
    ) -> Any:
        nonlocal function
        if unknown:
            raise unexpected(name, unknown)
        if function is None:
            function = getattr(lw, name)
        if axis is None and dtype is None and out is None and not keepdims:
            return function(self)
        return function(self, axis=axis, dtype=dtype, keepdims=keepdims, **_given(out))

    return functools.update_wrapper(with_dtype if "dtype" in f.__annotations__ else plain, f)


class Methods:
    """The base class of `Array` that has NumPy's methods. `self` is always an `Array`.

    Methods that have other keywords in other libraries (`dim`) say what these are called here.
    """

    __slots__ = ()

    def astype(self: Any, dtype: DtypeLike, *, copy: bool = True) -> Array:
        """See `lw.astype`."""
        return lw.astype(self, dtype, copy=copy)

    @shape_method
    def reshape(self: Any, *shape: Any, order: Literal["C", "F"] = "C", copy: bool | None = None) -> Array:
        """See `lw.reshape`; the shape may be given as one tuple or as several ints."""
        ...

    def ravel(self: Any, order: Literal["C", "F"] = "C") -> Array:
        """Return all elements along one axis, see `lw.reshape`."""
        return lw.reshape(self, (-1,)) if order == "C" else lw.reshape(self, (-1,), order=order)

    def flatten(self: Any, order: Literal["C", "F"] = "C", **unknown: Never) -> Array:
        """Return all elements along one axis, in memory of their own."""
        if unknown:
            raise unexpected("flatten", unknown)
        return lw.reshape(self, (-1,), order=order, copy=True)

    def transpose(self: Any, *axes: Any) -> Array:
        """See `lw.transpose`; the axes may be given as one tuple or as several ints."""
        return lw.transpose(self, _one_tuple(axes) or None)

    def squeeze(self: Any, axis: int | tuple[int, ...] | None = None, **unknown: Never) -> Array:
        """See `lw.squeeze`; without `axis`, every axis of extent 1."""
        if unknown:
            raise unexpected("squeeze", unknown)
        if axis is None:
            axis = tuple([i for i, n in enumerate(self.shape) if n == 1]) if 1 in self.shape else ()
        return lw.squeeze(self, axis)

    def swapaxes(self: Any, axis1: int, axis2: int) -> Array:
        """See `lw.swapaxes`."""
        return lw.swapaxes(self, axis1, axis2)

    def take(self: Any, indices: Array, axis: int | None = None) -> Array:
        """See `lw.take`; without `axis`, from the flattened array."""
        flat = axis is None and len(self._data.shape) != 1
        return lw.take(self.ravel() if flat else self, indices, axis=axis or 0)

    def repeat(self: Any, repeats: int | Array, axis: int | None = None, **unknown: Never) -> Array:
        """See `lw.repeat`."""
        if unknown:
            raise unexpected("repeat", unknown)
        return lw.repeat(self, repeats, axis=axis)

    @_reduction
    def sum(
        self: Any,
        axis: Any = None,
        dtype: DtypeLike | None = None,
        out: Array | None = None,
        keepdims: bool = False,
        **unknown: Never,
    ) -> Array:
        """See `lw.sum`."""
        ...

    @_reduction
    def prod(
        self: Any,
        axis: Any = None,
        dtype: DtypeLike | None = None,
        out: Array | None = None,
        keepdims: bool = False,
        **unknown: Never,
    ) -> Array:
        """See `lw.prod`."""
        ...

    def cumsum(
        self: Any,
        axis: int | None = None,
        dtype: DtypeLike | None = None,
        out: Array | None = None,
        **unknown: Never,
    ) -> Array:
        """See `lw.cumsum`."""
        if unknown:
            raise unexpected("cumsum", unknown)
        return lw.cumsum(self, axis, dtype=dtype, out=out)

    def cumprod(
        self: Any,
        axis: int | None = None,
        dtype: DtypeLike | None = None,
        out: Array | None = None,
        **unknown: Never,
    ) -> Array:
        """See `lw.cumprod`."""
        if unknown:
            raise unexpected("cumprod", unknown)
        return lw.cumprod(self, axis, dtype=dtype, out=out)

    @_reduction
    def mean(
        self: Any,
        axis: Any = None,
        dtype: DtypeLike | None = None,
        out: Array | None = None,
        keepdims: bool = False,
        **unknown: Never,
    ) -> Array:
        """See `lw.mean`. With a dtype, the array is cast to it first."""
        ...

    def std(
        self: Any,
        axis: Any = None,
        dtype: DtypeLike | None = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        **unknown: Never,
    ) -> Array:
        """See `lw.std`; `ddof` is its `correction`. With a dtype, the array is cast to it first."""
        if unknown:
            raise unexpected("std", unknown)
        return lw.std(self, axis=axis, dtype=dtype, correction=ddof, keepdims=keepdims, **_given(out))

    def var(
        self: Any,
        axis: Any = None,
        dtype: DtypeLike | None = None,
        out: Array | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        **unknown: Never,
    ) -> Array:
        """See `lw.var`; `ddof` is its `correction`. With a dtype, the array is cast to it first."""
        if unknown:
            raise unexpected("var", unknown)
        return lw.var(self, axis=axis, dtype=dtype, correction=ddof, keepdims=keepdims, **_given(out))

    @_reduction
    def max(self: Any, axis: Any = None, out: Array | None = None, keepdims: bool = False, **unknown: Never) -> Array:
        """See `lw.max`."""
        ...

    @_reduction
    def min(self: Any, axis: Any = None, out: Array | None = None, keepdims: bool = False, **unknown: Never) -> Array:
        """See `lw.min`."""
        ...

    @_reduction
    def any(self: Any, axis: Any = None, out: Array | None = None, keepdims: bool = False, **unknown: Never) -> Array:
        """See `lw.any`."""
        ...

    @_reduction
    def all(self: Any, axis: Any = None, out: Array | None = None, keepdims: bool = False, **unknown: Never) -> Array:
        """See `lw.all`."""
        ...

    @_reduction
    def argmax(
        self: Any,
        axis: int | None = None,
        out: Array | None = None,
        *,
        keepdims: bool = False,
        **unknown: Never,
    ) -> Array:
        """See `lw.argmax`."""
        ...

    @_reduction
    def argmin(
        self: Any,
        axis: int | None = None,
        out: Array | None = None,
        *,
        keepdims: bool = False,
        **unknown: Never,
    ) -> Array:
        """See `lw.argmin`."""
        ...

    def argsort(self: Any, axis: int = -1, *, descending: bool = False, stable: bool = True, **unknown: Never) -> Array:
        """See `lw.argsort`."""
        if unknown:
            raise unexpected("argsort", unknown)
        return lw.argsort(self, axis=axis, descending=descending, stable=stable)

    def nonzero(self: Any) -> tuple[Array, ...]:
        """See `lw.nonzero`."""
        return lw.nonzero(self)

    def clip(self: Any, min: Any = None, max: Any = None, out: Array | None = None, **unknown: Never) -> Array:
        """See `lw.clip`."""
        if unknown:
            raise unexpected("clip", unknown)
        if out is not None:
            return lw.clip(self, min, max, out=out)
        return lw.clip(self, min, max)

    def conj(self: Any) -> Array:
        """See `lw.conj`."""
        return lw.conj(self)

    def round(self: Any, decimals: int = 0, out: Array | None = None, **unknown: Never) -> Array:
        """See `lw.around`."""
        if unknown:
            raise unexpected("round", unknown)
        if out is not None:
            return lw.around(self, decimals=decimals, out=out)
        return lw.around(self, decimals=decimals)

    def diagonal(self: Any, offset: int = 0, **unknown: Never) -> Array:
        """See `lw.linalg.diagonal`."""
        if unknown:
            raise unexpected("diagonal", unknown)
        return lw.linalg.diagonal(self, offset=offset)

    def trace(self: Any, offset: int = 0, dtype: DtypeLike | None = None, **unknown: Never) -> Array:
        """See `lw.linalg.trace`."""
        if unknown:
            raise unexpected("trace", unknown)
        return lw.linalg.trace(self, offset=offset, dtype=dtype)

    def dot(self: Any, other: Array) -> Array:
        """See `lw.dot`."""
        return lw.dot(self, other)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in METHODS]

    def tobytes(self: Any, order: Literal["C", "F", "A"] = "C") -> bytes:
        """Return the bytes of the elements, as `numpy.ndarray.tobytes` does."""
        return lw.to_numpy(self).tobytes(order)  # type: ignore[no-any-return]

    def fill(self: Any, value: Any) -> None:
        """Set every element."""
        self[...] = value


for _method in [*vars(Methods).values()]:
    if isinstance(_method, FunctionType):
        _method.__qualname__ = f"Array.{_method.__name__}"  # Python's own errors say this name

for _name in METHODS:
    setattr(Methods, _name, _Elsewhere(_name))


def unexpected(name: str, unknown: dict[str, Any]) -> TypeError:
    """Make the error for keyword arguments that a method does not have."""
    from ..plans.advice import unexpected_by  # at the top it would be a circular import

    return unexpected_by(f"x.{name}", vars(Methods)[name], unknown, skipped=1)


def _one_tuple(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(arguments[0]) if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)) else arguments
