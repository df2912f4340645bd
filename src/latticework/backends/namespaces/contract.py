"""The contract of a backend for a namespace of the array API standard.

Everything is written in functions of the standard: a cast of floats to integers by comparisons, a key of index arrays
by positions in the flattened array, a write by `where` or by scattering. A plug-in overrides what its framework does
better.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ...backend import Backend
from ...backend.fitting import refuse_unfit
from ...backend.saturation import ends
from ...backend.unsupported import refused as refused_in
from ...core.dtypes import Dtype, all_dtypes, bool_, category, int64
from ...engine.keys.reading import IndexArray
from ...errors import BackendError
from . import compositions, indexing, random, scattering, searching, statistics
from .functions import Functions

__all__ = ["NamespaceBackend", "of_namespace"]

#: The modules whose functions `Functions` finds.
_MODULES = (compositions, random, scattering, searching, statistics)

#: Functions whose results have an extent that depends on values.
_DEPENDING = "nonzero unique_all unique_counts unique_inverse unique_values _bincount _weighted_bincount".split()
#: Functions that the standard has for numbers alone, and latticework for bools as well: computed in uint8.
_OF_BOOLS = """
_clip argmax argmin argsort greater greater_equal less less_equal max maximum min minimum searchsorted sort
""".split()


class NamespaceBackend(Backend):
    """A backend of a namespace: `of_namespace` makes classes of it.

    Attributes
    ----------
    xp: the namespace.
    spelled: latticework's name of a function -> the namespace's, None for one that is not to be used.
    places: the names of devices -> what creation functions take as ``device``; None where they take none.
    views_bits: whether `reinterpret` works.
    backwards: whether its arrays take slices with negative steps.
    """

    xp: ClassVar[Any]
    spelled: ClassVar[Mapping[str, str | None]] = {}
    places: ClassVar[Mapping[str, Any] | None] = None
    views_bits: ClassVar[bool] = False
    backwards: ClassVar[bool] = True

    def __init__(self, name: str, module: ModuleType) -> None:
        super().__init__(name, module)
        self.module = self.f = Functions(self, module, self.xp)
        self.refused = self._refusals()
        self.emulated = {**self.emulated, **_bools(self)}

    @property
    def index_dtype(self) -> Dtype:
        return int64

    def _refusals(self) -> dict[tuple[str, Dtype], str]:
        found = dict(self.refused)
        for chapter in ("linalg", "fft"):
            found = refused_in(chapter) | found
        if not self.facts.data_dependent_shapes:
            why = f"an extent would depend on values, and the {self.name} backend has no such arrays. "
            ways = {"_bincount": "Give length=...", "_weighted_bincount": "Give length=..."}
            for f in _DEPENDING:
                if f not in ways:
                    way = "Give size=..., or convert it first: lw.asarray(x, backend='numpy')"
                    found |= {(f, d): why + way for d in self.native_dtypes if (f, d) not in found}
        return found

    def emulates(self, name: str, dtype: Dtype) -> bool:
        return super().emulates(name, dtype) or getattr(self.function(name, dtype), "composes", False)

    # --- arrays and dtypes --------------------------------------------------------------------------------------------

    def array_class(self) -> type:
        kinds = self.arrays
        return kinds[0] if isinstance(kinds, tuple) else kinds

    def dtype_of(self, data: Any) -> Any:
        return data.dtype

    def native(self, data: Any) -> Any:
        return data

    def duplicate(self, data: Any) -> Any:
        return self.xp.asarray(data, copy=True)

    def reinterpret(self, data: Any, dtype: Any) -> Any:
        raise BackendError(f"the {self.title} backend does not view the bits of an array as another dtype")

    def astype(self, data: Any, dtype: Any, /) -> Any:
        """Cast by the namespace's own function: `cast` sees to what the standard leaves open."""
        return self.f.of_xp("astype")(data, dtype)

    def cast(self, dtype: Any) -> Callable[[Any], Any]:
        target = self.dtypes[dtype]

        def convert(data: Any) -> Any:
            source = self.dtypes[self.dtype_of(data)]
            if source is target:
                return data
            if target is bool_:
                return self.f.not_equal(data, self.number(0, data))
            if target.kind in "iu" and source.kind == "f":
                return self._whole(data, source, target)
            return self.astype(data, dtype)

        return convert

    def _whole(self, data: Any, source: Dtype, target: Dtype) -> Any:
        """Cast floats to integers: truncated, clamped to the range, 0 for nan."""
        f, native = self.f, self.native_dtypes[target]
        bottom, top = ends(source, target)
        above, below = data > top, data < bottom
        inside = f.where((data != data) | above | below, self.number(0, data), data)
        found = self.astype(inside, native)
        limits = np.iinfo(str(target))
        found = f.where(above, self.scalar(native)(int(limits.max)), found)
        return f.where(below, self.scalar(native)(int(limits.min)), found)

    def narrow(self, dtype: Any) -> Callable[[Any], Any]:
        limits, name = np.iinfo(str(self.dtypes[dtype])), str(self.dtypes[dtype])

        def narrowed(data: Any) -> Any:
            if not self.facts.lazy:
                refuse_unfit(self.to_numpy(data, None, None), int(limits.min), int(limits.max), name)
            return self.astype(data, dtype)

        return narrowed

    # --- scalars ------------------------------------------------------------------------------------------------------

    def scalar(self, dtype: Any) -> Callable[[Any], Any]:
        asarray, kind = self.xp.asarray, {"b": bool, "f": float, "c": complex}.get(self.dtypes[dtype].kind, int)
        return lambda value: asarray(kind(value), dtype=dtype)

    def number(self, value: complex, data: Any) -> Any:
        """Return a Python scalar as a 0-d array of the dtype of an array."""
        return self.scalar(self.dtype_of(data))(value)

    def item(self, data: Any) -> Any:
        kind: Any = {"b": bool, "f": float, "c": complex}.get(self.dtypes[self.dtype_of(data)].kind, int)
        try:
            return kind(data if not data.ndim else self.f.reshape(data, ()))
        except TypeError:  # the class has no conversion to a number of Python's
            return self.to_numpy(data, None, None).item()

    # --- devices ------------------------------------------------------------------------------------------------------

    def devices(self) -> Sequence[str]:
        return [*(self.places or ("cpu",))]

    def device_name(self, device: object) -> str:
        names = self.devices()
        if device is None or str(device) in names:
            return names[0] if device is None else str(device)
        native = next((n for n, d in (self.places or {}).items() if d is device), None)
        if native is None:
            raise ValueError(f"the {self.name} backend has no device {str(device)!r}; it has {', '.join(names)}")
        return native

    def native_device(self, name: str) -> Any:
        return name if self.places is None else self.places[name]

    def device_of(self, data: Any) -> str:
        if self.places is None:
            return "cpu"
        return next((n for n, d in self.places.items() if d == data.device), self.devices()[0])

    def to_device(self, data: Any, device: Any, stream: Any) -> Any:
        if stream is not None:
            raise ValueError(f"to_device: the {self.name} backend has no streams")
        return data if self.places is None else data.to_device(device)

    # --- reading and writing ------------------------------------------------------------------------------------------

    def index(self, data: Any, key: Any) -> Any:
        return indexing.read(self, data, key)

    def part(self, data: Any, key: tuple[Any, ...]) -> Any:
        """Read by a key of ints, slices and None for new axes: for every axis, with bounds inside of the array."""
        return data[key]

    def assign(self, data: Any, key: Any, value: Any) -> Any:
        return indexing.write(self, data, key, value)

    def overwrite(self, data: Any, value: Any) -> Any:
        if self.facts.immutable:
            return super().overwrite(data, value)
        native: Any = data
        if tuple(value.shape) != tuple(native.shape):
            raise ValueError(f"operands could not be broadcast together: {value.shape} into {data.shape}")
        data[...] = value
        return data

    def describe_index(self, k: Any) -> IndexArray | None:
        kinds: Any = self.arrays
        if not isinstance(k, kinds):
            return None
        kind = self.dtypes[self.dtype_of(k)].kind
        if kind not in "biu":
            return None
        shape = tuple(k.shape)
        if kind == "b":
            return IndexArray(shape, "b", k, selects=lambda: indexing.count(self, k) if self.asks(k) else None)
        return IndexArray(shape, "i", k, bounds=lambda: indexing.bounds(self, k) if self.asks(k) else None)

    def asks(self, data: Any) -> bool:
        """Tell whether the elements of positions and masks may be asked for, to check them before they are used."""
        return not self.facts.lazy

    def index_array(self, data: Any) -> Any:
        return data

    # --- conversion ---------------------------------------------------------------------------------------------------

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        try:
            found = np.from_dlpack(data)
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
            found = np.asarray(data)
        if found.dtype == object:
            raise BackendError(
                f"the elements of {type(data).__name__} cannot be read: it has no __dlpack__ and no __array__. "
                f"An author overrides to_numpy in the class of the backend"
            )
        return np.array(found, dtype=dtype, copy=copy)

    def from_numpy(self, data: np.ndarray, device: Any, copy: bool | None) -> Any:
        if copy is False:
            raise ValueError(f"a numpy.ndarray cannot become an array of the {self.name} backend without a copy")
        where = {} if self.places is None or device is None else {"device": device}
        return self.xp.asarray(data, copy=True, **where)

    def take_numpy(self, data: np.ndarray, device: Any) -> Any:
        return self.from_numpy(data, device, None)

    def dlpack(self, data: Any, **options: Any) -> Any:
        return data.__dlpack__(**options)

    def from_dlpack(self, x: Any, device: str | None, copy: bool | None) -> Any:
        made = self.xp.from_dlpack(x)
        return self.duplicate(made) if copy else made

    def to_pickle(self, data: Any) -> Any:
        return self.to_numpy(data, None, None)

    def from_pickle(self, pickled: Any, dtype: Any) -> Any:
        return self.from_numpy(pickled, None, None)


def _bools(backend: NamespaceBackend) -> dict[tuple[str, Dtype], Callable[..., Any]]:
    """Return functions of bools that the standard has for numbers alone."""
    f, uint8 = backend.f, next((n for n, d in backend.dtypes.items() if str(d) == "uint8"), None)
    if uint8 is None:
        return {}

    def through(name: str, back: bool) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            function = getattr(f, name)
            found = function(*[backend.astype(x, uint8) if hasattr(x, "dtype") else x for x in args], **options)
            return found != backend.number(0, found) if back else found

        call.__name__ = call.__qualname__ = name
        return call

    own = backend.emulated
    found = {
        (name, bool_): through(name, name in ("_clip", "max", "maximum", "min", "minimum", "sort"))
        for name in _OF_BOOLS
        if f.has(name)
    }

    def constant(value: bool) -> Callable[..., Any]:
        return lambda x: f.not_equal(x, x) if not value else f.equal(x, x)

    for d in (d for d in (*category("integral"), bool_) if d in backend.native_dtypes):
        found |= {("isnan", d): constant(False), ("isinf", d): constant(False), ("isfinite", d): constant(True)}
        found |= {(name, d): f.positive for name in ("ceil", "floor", "round", "trunc") if d is not bool_}
    for d in (d for d in category("integral") if d in backend.native_dtypes):
        found["signbit", d] = lambda x: f.less(x, backend.number(0, x))
    for d in (d for d in category("complex floating") if d in backend.native_dtypes):
        found |= {("var", d): _of_components(f, "var"), ("std", d): _of_components(f, "std")}
    for d in (d for d in category("real numeric") if d in backend.native_dtypes):
        found |= {
            ("imag", d): lambda x: f.broadcast_to(backend.number(0, x), tuple(x.shape)),
            ("real", d): lambda x: x,
            ("conj", d): lambda x: x,
        }
    return {key: function for key, function in found.items() if key not in own}


def _of_components(f: Functions, name: str) -> Callable[..., Any]:
    """Return the variance of complex numbers: the sum of those of their components."""

    def call(x: Any, **options: Any) -> Any:
        total = f.var(f.real(x), **options) + f.var(f.imag(x), **options)
        return f.sqrt(total) if name == "std" else total

    call.__name__ = call.__qualname__ = name
    return call


def _dtypes_of(xp: Any) -> dict[Any, Dtype]:
    """Map a namespace's dtypes to latticework's, by their names in the standard.

    NumPy's scalar classes, which some namespaces have as dtypes, stand for the dtypes that their arrays have.
    """
    named = {d: getattr(xp, str(d), None) for d in all_dtypes}
    named[bool_] = next((x for name in ("bool", "bool_") if (x := getattr(xp, name, None)) is not None), None)
    return {_instance(native): d for d, native in named.items() if native is not None}


def _instance(native: Any) -> Any:
    return np.dtype(native) if isinstance(native, type) and issubclass(native, np.generic) else native


def of_namespace(
    xp: Any,
    *,
    arrays: Any = None,
    dtypes: Mapping[Any, Dtype] | None = None,
    lacks: Sequence[str] = (),
    spelled: Mapping[str, str | None] | None = None,
    devices: Mapping[str, Any] | None = None,
    views_bits: bool = False,
) -> type[NamespaceBackend]:
    """Make the class of a backend of a namespace of the array API standard.

    A plug-in names the class as ``BACKEND``, or derives its own from it and overrides parts of the contract. A function
    of the plug-in's module with a name of latticework's goes before the namespace's; one that neither has is made of
    functions of the standard, where that can be.

    Parameters
    ----------
    xp: the namespace.
    arrays: the class of its arrays, or several; by default that of ``xp.asarray(False)``.
    dtypes: its dtypes and latticework's; by default those of the standard's names, and bfloat16 and float16.
    lacks: names of dtypes that it has by name and not in use.
    spelled: latticework's name of a function -> the namespace's, as ``{"atan2": "arctan2"}``; None for a function of
        the same name that does something else.
    devices: names of devices, the default first -> what its creation functions take as ``device``. By default one
        device, ``cpu``, and creation functions are called without a device.
    views_bits: whether the class that the plug-in derives has a `reinterpret`.

    Returns
    -------
    A class with all parts of the contract.

    Examples
    --------
    >>> import array_api_strict
    >>> from latticework.backend import of_namespace
    >>> Strict = of_namespace(array_api_strict)
    >>> Strict.arrays.__name__, Strict.dtypes[array_api_strict.int8]
    ('Array', lw.int8)
    """
    found = {n: d for n, d in (_dtypes_of(xp) if dtypes is None else dtypes).items() if str(d) not in lacks}
    body = {
        "__module__": sys._getframe(1).f_globals.get("__name__", __name__),
        "__doc__": f"The backend of {getattr(xp, '__name__', 'a namespace')}.",
        "xp": xp,
        "arrays": arrays if arrays is not None else type(xp.asarray(False)),
        "dtypes": found,
        "dtype_class": type(next(iter(found))),
        "spelled": dict(spelled or {}),
        "places": devices,
        "views_bits": views_bits,
    }
    return type("Backend", (NamespaceBackend,), body)
