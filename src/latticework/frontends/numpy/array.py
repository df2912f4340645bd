"""`ndarray`: NumPy's array on any backend. 0-d arrays behave as NumPy's scalars do."""

from __future__ import annotations

from typing import Any

import numpy

from ...engine.arrays.array import Array
from ...engine.arrays.views import link_indexed
from ..array import PLAIN_KEYS, DialectArray, give_operators
from ..calls import HELD, alias, new
from .base import NO_VALUE, as_array, cast, dialect, fitting, native, ops, staying, to_numpy

__all__ = ["flatiter", "ndarray"]

#: The dialect's functions, set by the package when all of them are loaded: many methods call the one of their name.
f: Any = None


_TYPE, _WHOLE = type, slice(None)
_NO_SUBCLASS = (
    "{}: a subclass of ndarray has no instances here: functions return arrays of the dialect, and know of no other "
    "class. Keep an array in an attribute of a class instead"
)


class _Arrays(type(DialectArray)):  # type: ignore[misc]
    """Counts arrays that stay NumPy's own as instances. Arrays of numbers that are NumPy's own are none."""

    def __instancecheck__(cls, x: Any) -> bool:
        if type.__instancecheck__(cls, x):
            return True
        return cls is ndarray and isinstance(x, numpy.ndarray) and staying.has(x)


class ndarray(DialectArray, metaclass=_Arrays):
    """NumPy's array: its methods, properties, dtypes and errors, on the backend of the array that it holds."""

    __slots__ = ()
    __module__ = "numpy"

    def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        if cls is not ndarray:
            raise TypeError(_NO_SUBCLASS.format(cls.__name__))
        if buffer is None and strides is None and not offset:
            return f.empty(shape, dtype)
        return f.array(numpy.ndarray(shape, native(dialect.dtype_of(dtype)), to_numpy(buffer), offset, strides, order))

    # --- what it is -------------------------------------------------------------------------------------------------

    @property
    def dtype(self):
        """NumPy's dtype object."""
        return native(self._array._sig.dtype)

    @dtype.setter
    def dtype(self, dtype):
        self._become(self.view(dtype))

    @property
    def shape(self):
        """Its extent along each axis."""
        return self._array.shape

    @shape.setter
    def shape(self, shape):
        self._become(self.reshape(shape))

    # fmt: off
    @property
    def size(self): return self._array.size
    @property
    def itemsize(self): return self._array.itemsize
    @property
    def nbytes(self): return self._array.nbytes
    @property
    def T(self): return f.transpose(self)
    @property
    def mT(self): return f.matrix_transpose(self)
    @property
    def device(self): return str(self._array.device).partition(":")[0]
    @property
    def base(self): return None
    @property
    def data(self): return to_numpy(self).data
    @property
    def flags(self): return to_numpy(self).flags
    @property
    def strides(self): return to_numpy(self).strides
    # fmt: on

    @property
    def real(self):
        """The real parts; itself if there are no others."""
        return ops.real(self) if self._array.dtype.kind == "c" else self

    @real.setter
    def real(self, value):
        if self._array.dtype.kind == "c":
            value = as_array(value) + 1j * self.imag
        self[...] = value

    @property
    def imag(self):
        """The imaginary parts, zeros for a real array."""
        return ops.imag(self) if self._array.dtype.kind == "c" else ops.zeros_like(self)

    @imag.setter
    def imag(self, value):
        if self._array.dtype.kind != "c":
            raise TypeError("imag: a real array has no imaginary part to write to. Cast it to a complex dtype first")
        self[...] = self.real + 1j * as_array(value)

    @property
    def flat(self):
        """Its elements in order, to read, to write and to go along."""
        return flatiter(self)

    @flat.setter
    def flat(self, value):
        flatiter(self)[:] = value

    # --- as scalars and text ----------------------------------------------------------------------------------------

    def __hash__(self):
        if self.ndim:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self.item())

    def __repr__(self):
        if self._array.backend == "dask" or str(self._array.device) == "meta":
            return repr(self._array)
        values = to_numpy(self)
        return repr(values if self.ndim else values[()])

    def __str__(self):
        if self._array.backend == "dask" or str(self._array.device) == "meta":
            return str(self._array)
        return str(to_numpy(self))

    def __format__(self, spec):
        return format(to_numpy(self) if self.ndim else to_numpy(self)[()], spec)

    def __round__(self, ndigits=None):
        if self.ndim:
            raise TypeError("type numpy.ndarray doesn't define __round__ method")
        return round(self.item()) if ndigits is None else f.round(self, ndigits)

    def __contains__(self, value):
        return bool(f.any(self == value))

    def __array_namespace__(self, *, api_version=None):
        from latticework.frontends import numpy as module

        return module

    # --- elements ---------------------------------------------------------------------------------------------------

    def __getitem__(self, key, /):
        kind = type(key)
        plain = kind is int or kind is slice
        if kind is tuple:
            for k in key:
                if type(k) not in PLAIN_KEYS:
                    break
            else:
                plain = True
        if plain:  # as `DialectArray.__getitem__`
            try:
                a = self._held if self._sig is HELD else self
                sig = a._sig
                index = sig.index  # a variable: an attribute that is no method is called slowly
                t = new(ndarray)
                data = t._data = index(a._data, key)
                t._held = None
                if type(data) is sig.scalar:
                    t._sig = sig.element
                else:
                    t._sig = sig
                    if sig.immutable:
                        if kind is slice and key == _WHOLE:
                            return alias(self)  # a write to it is one to this array
                        link_indexed(t._array, self._array, key)
                    elif kind is not slice and len(data.shape) == 0 and _takes_an_element(key):
                        t._array = t._array.copy()  # an element is a scalar: a value, where some backends have a view
                return t
            except Exception:
                pass
        if kind is not int and kind is not slice:
            key = dialect.unwrap(key, {})
        a = self._array
        if key is Ellipsis and a._sig.immutable:
            return alias(self)
        try:
            r = a[key]
            if not r.ndim and r._sig is a._sig and not r._sig.immutable and _takes_an_element(key):
                r = r.copy()
        except Exception as error:
            raise dialect.error(error, "getitem") from None
        return dialect.wrapped(r)

    def __setitem__(self, key, value, /):
        a = self._array
        try:
            value = fitting(value, a._sig.dtype)
            a[dialect.unwrap(key, {})] = value
        except Exception as error:
            raise dialect.error(error, "setitem") from None
        self._bind()

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def item(self, *args):
        """Return an element as a Python scalar: the only one, or that at an index (flat, or one int per axis)."""
        if not args:
            return self._run(Array.item, self._array)
        index = args[0] if len(args) == 1 else args
        if isinstance(index, tuple):
            return self._run(Array.item, self[index]._array)
        return self._run(Array.item, self.reshape(-1)[index]._array)

    # --- shape and dtype --------------------------------------------------------------------------------------------

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """Cast it; with `casting`, only where NumPy's rule of this name allows it."""
        if staying.has(dtype):
            return to_numpy(self).astype(dtype, order, casting, subok, copy)
        to = dialect.dtype_of(dtype)
        if casting != "unsafe" and not numpy.can_cast(self.dtype, native(to), casting):
            raise TypeError(
                f"astype: {self.dtype} to {native(to)} is refused by the rule {casting!r}. Take casting='unsafe'"
            )
        return cast(self, to, copy)

    def reshape(self, *shape, order="C", copy=None):
        """Give its elements another shape: one tuple, or the extents one by one."""
        return f.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)

    def transpose(self, *axes):
        """Reorder its axes: one tuple, the axes one by one, or all of them reversed."""
        if len(axes) == 1:
            (axes,) = axes
        return f.transpose(self, axes or None)

    def view(self, dtype=None, type=None):
        """Look at the same memory, or at its bits as another dtype."""
        found = type if type is not None else dtype
        arrays = ndarray, numpy.ndarray
        if isinstance(found, _TYPE) and issubclass(found, arrays) and found not in arrays:
            raise TypeError(_NO_SUBCLASS.format(found.__name__))
        if dtype is None or dtype is ndarray or isinstance(dtype, DialectArray) or dtype is numpy.ndarray:
            return alias(self)
        return f._view(self, dialect.dtype_of(dtype))

    def resize(self, *new_shape, refcheck=True):
        """Change its shape and size; new elements are 0."""
        shape = new_shape[0] if len(new_shape) == 1 else new_shape
        self._become(f._resized(self, shape))

    def byteswap(self, inplace=False):
        """Reverse the bytes of each element."""
        swapped = f._by_numpy(lambda x: x.byteswap())(self)
        if inplace:
            self[...] = swapped
            return self
        return swapped

    # fmt: off
    def copy(self, order="C"): return ops.asarray(self, copy=True)
    def fill(self, value): self[...] = value
    def tobytes(self, order="C"): return to_numpy(self).tobytes(order)
    def tofile(self, fid, sep="", format="%s"): to_numpy(self).tofile(fid, sep, format)
    def dump(self, file): to_numpy(self).dump(file)
    def dumps(self): return to_numpy(self).dumps()
    def to_device(self, device, /, *, stream=None): return f._to_device(self, device)
    def ravel(self, order="C"): return f.ravel(self, order)
    def flatten(self, order="C"): return f.ravel(self, order).copy()
    def squeeze(self, axis=None): return f.squeeze(self, axis)
    def swapaxes(self, axis1, axis2): return f.swapaxes(self, axis1, axis2)
    def repeat(self, repeats, axis=None): return f.repeat(self, repeats, axis)
    def diagonal(self, offset=0, axis1=0, axis2=1): return f.diagonal(self, offset, axis1, axis2)
    def take(self, indices, axis=None, out=None, mode="raise"): return f.take(self, indices, axis, out, mode)
    def put(self, indices, values, mode="raise"): f.put(self, indices, values, mode)
    def choose(self, choices, out=None, mode="raise"): return f.choose(self, choices, out, mode)
    def compress(self, condition, axis=None, out=None): return f.compress(condition, self, axis, out)
    def nonzero(self): return f.nonzero(self)
    def searchsorted(self, v, side="left", sorter=None): return f.searchsorted(self, v, side, sorter)
    def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
        return f.argsort(self, axis, kind, order, stable=stable)
    def argpartition(self, kth, axis=-1, kind="introselect", order=None):
        return f.argpartition(self, kth, axis, kind, order)
    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        self[...] = f.sort(self, axis, kind, order, stable=stable)
    def partition(self, kth, axis=-1, kind="introselect", order=None):
        self[...] = f.partition(self, kth, axis, kind, order)
    def conj(self): return f.conjugate(self)
    def conjugate(self): return f.conjugate(self)
    def dot(self, b, out=None): return f.dot(self, b, out)
    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        return f.trace(self, offset, axis1, axis2, dtype, out)
    def round(self, decimals=0, out=None): return f.round(self, decimals, out)
    def clip(self, min=None, max=None, out=None, **kwargs): return f.clip(self, min, max, out, **kwargs)
    def cumsum(self, axis=None, dtype=None, out=None): return f.cumsum(self, axis, dtype, out)
    def cumprod(self, axis=None, dtype=None, out=None): return f.cumprod(self, axis, dtype, out)
    def argmax(self, axis=None, out=None, *, keepdims=False): return f.argmax(self, axis, out, keepdims=keepdims)
    def argmin(self, axis=None, out=None, *, keepdims=False): return f.argmin(self, axis, out, keepdims=keepdims)
    # fmt: on

    def setflags(self, write=None, align=None, uic=None):
        """Say whether it may be written to: an array that lets itself be written to stays so."""
        if write is False:
            raise ValueError("setflags: arrays here stay writable. Pass a copy on where it must not change")

    # --- reductions -------------------------------------------------------------------------------------------------

    # fmt: off
    def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=NO_VALUE, where=NO_VALUE):
        return f.sum(self, axis, dtype, out, keepdims, initial, where)
    def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=NO_VALUE):
        return f.mean(self, axis, dtype, out, keepdims, where=where)
    def max(self, axis=None, out=None, keepdims=False, initial=NO_VALUE, where=NO_VALUE):
        return f.max(self, axis, out, keepdims, initial, where)
    def min(self, axis=None, out=None, keepdims=False, initial=NO_VALUE, where=NO_VALUE):
        return f.min(self, axis, out, keepdims, initial, where)
    def prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=NO_VALUE, where=NO_VALUE):
        return f.prod(self, axis, dtype, out, keepdims, initial, where)
    def all(self, axis=None, out=None, keepdims=False, *, where=NO_VALUE):
        return f.all(self, axis, out, keepdims, where=where)
    def any(self, axis=None, out=None, keepdims=False, *, where=NO_VALUE):
        return f.any(self, axis, out, keepdims, where=where)
    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, **kw):
        return f.std(self, axis, dtype, out, ddof, keepdims, **kw)
    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, **kw):
        return f.var(self, axis, dtype, out, ddof, keepdims, **kw)
    def __divmod__(self, other): return f.divmod(self, other)
    def __rdivmod__(self, other): return f.divmod(other, self)
    # fmt: on


def _takes_an_element(key: Any) -> bool:
    """Return whether a key for one element reads a value; a key with an ellipsis reads a 0-d view."""
    return not any(k is Ellipsis for k in (key if type(key) is tuple else (key,)))


class flatiter:
    """The elements of an array in order."""

    __module__ = "numpy"

    def __init__(self, array):
        self._of, self.index = array, 0

    @property
    def base(self):
        """The array that it goes along."""
        return self._of

    def __len__(self):
        return int(self._of.size)

    def __iter__(self):
        return flatiter(self._of)

    def __next__(self):
        if self.index >= len(self):
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    def __getitem__(self, key):
        found = self._of.reshape(-1)[key]
        return found.copy() if found.ndim else found

    def __setitem__(self, key, value):
        flat = self._of.flatten()
        selected = flat[key]
        flat[key] = f.resize(value, selected.shape)
        self._of[...] = flat.reshape(self._of.shape)

    def copy(self):
        """All elements along one axis, in memory of their own."""
        return self._of.flatten()

    def __array__(self, dtype=None, copy=None):
        return to_numpy(self._of).ravel().astype(dtype or self._of.dtype)


dialect.with_array(ndarray)
give_operators(dialect, without="divmod", scalars_change=False)
dialect.finish_methods()
