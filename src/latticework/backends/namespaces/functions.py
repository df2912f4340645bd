"""The functions of a backend that is made of a namespace, by latticework's names.

A function is the plug-in's own, else the namespace's, else one made of functions of the standard. What is none of these
is a composition of `api/`, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...backend.arguments import check_axis, check_order, check_search, take_axis
from ...core.registry import OPS, load
from ...engine.shapes.extents import broadcast_shapes
from ...errors import BackendError

if TYPE_CHECKING:
    from .contract import NamespaceBackend

__all__ = ["MADE", "Functions", "made"]

Function = Callable[..., Any]

#: Functions made of functions of the standard: name -> a function of `Functions` and of the arguments.
MADE: dict[str, Function] = {}

#: Functions whose results, or some of them, are positions or counts: the places of these among the results.
_POSITIONS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("argmax argmin argsort count_nonzero searchsorted".split(), ()),
    "nonzero": (),  # all of them
    "unique_all": (1, 2, 3), "unique_counts": (1,), "unique_inverse": (1,),
}  # fmt: skip
#: Functions along an axis, which some namespaces take for a 0-d array as well.
_ALONG = frozenset(
    "all any argmax argmin argsort count_nonzero cumulative_prod cumulative_sum max mean min prod repeat squeeze std "
    "sum var".split()
)
#: Those of them that have no axis by default and need one.
_AXIS_GIVEN = frozenset("argsort squeeze".split())
#: Functions that sum or multiply in a dtype, which the standard has for numbers alone.
_ACCUMULATING = frozenset("cumulative_prod cumulative_sum prod sum".split())
#: Fourier transforms of complex numbers, which latticework has of real ones too.
_OF_COMPLEX = frozenset("fft.fft fft.fftn fft.ifft fft.ifftn".split())
#: Functions that make an array of a dtype on a device.
CREATION = frozenset("empty eye ones zeros _full _count".split())
#: The functions of the standard, for which a function of the namespace is taken by its name.
STANDARD = frozenset(
    """
    abs acos acosh add all any argmax argmin argsort asin asinh atan atan2 atanh bitwise_and bitwise_invert
    bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor broadcast_to ceil concat conj copysign cos cosh
    count_nonzero cumulative_prod cumulative_sum diff divide empty equal exp expand_dims expm1 eye flip floor
    floor_divide greater greater_equal hypot imag isfinite isin isinf isnan less less_equal log log10 log1p log2
    logaddexp logical_and logical_not logical_or logical_xor matmul matrix_transpose max maximum mean min minimum
    moveaxis multiply negative nextafter nonzero not_equal ones permute_dims positive pow prod real reciprocal remainder
    repeat reshape roll round searchsorted sign signbit sin sinh sort sqrt square squeeze stack std subtract sum take
    take_along_axis tan tanh tensordot tile tril triu trunc unique_all unique_counts unique_inverse unique_values
    unstack var vecdot where zeros
    fft.fft fft.fftn fft.hfft fft.ifft fft.ifftn fft.ihfft fft.irfft fft.irfftn fft.rfft fft.rfftn
    linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.inv linalg.matrix_norm linalg.matrix_power linalg.outer linalg.pinv linalg.qr
    linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.trace linalg.vector_norm
    """.split()
)


def made(*needs: str, name: str = "") -> Callable[[Function], Function]:
    """Keep a function for the namespaces that lack one of its name.

    Parameters
    ----------
    needs: what the backend has to have for it: names of functions, or "reinterpret".
    name: latticework's name, by default that of the function.
    """

    def keep(f: Function) -> Function:
        f.needs = needs  # type: ignore[attr-defined]
        MADE[name or f.__name__] = f
        return f

    return keep


class LackingError(BackendError, AttributeError):
    """A function is made of one that a namespace lacks: an `AttributeError` for `getattr`, and a refusal for users."""


class Functions(ModuleType):
    """The functions of a backend of a namespace, or of one of its chapters: each is looked up when it is asked for.

    Parameters
    ----------
    backend: the backend.
    own: the plug-in's module, or its attribute of the chapter's name; None for none.
    xp: the namespace, or its extension; None for none.
    chapter: "" or the name of an extension, as ``linalg``.
    """

    def __init__(self, backend: NamespaceBackend, own: Any, xp: Any, chapter: str = "") -> None:
        super().__init__(f"{getattr(own, '__name__', backend.title)}.functions{chapter and f'.{chapter}'}")
        self.__dict__.update(_backend=backend, _own=own, _xp=xp, _chapter=chapter, _root=self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._found(name)
        if found is None:
            whole = f"{self._chapter}.{name}" if self._chapter else name
            raise LackingError(
                f"the {self._backend.name} backend has no function {whole}, and it is not made of others there. "
                f"Convert first: lw.asarray(x, backend='numpy')"
            )
        setattr(self, name, found)
        return found

    def of_xp(self, name: str) -> Any:
        """Return a function that a namespace needs to have, since nothing is made in its place.

        Raises
        ------
        BackendError: it has none.
        """
        found = getattr(self._xp, name, None)
        if found is None:
            raise BackendError(
                f"the namespace of the {self._backend.name} backend has no function {name!r}, and none is made in its "
                f"place. An author adds it to the namespace"
            )
        return found

    def lacking(self, name: str) -> list[str]:
        """List the functions for want of which one is not made of others."""
        return [n for n in getattr(MADE[name], "needs", ()) if not self._has((n,))]

    def _found(self, name: str) -> Any:
        backend, chapter = self._backend, self._chapter
        whole = f"{chapter}.{name}" if chapter else name
        if not chapter and name in _chapters():
            part = Functions(backend, getattr(self._own, name, None), getattr(self._xp, name, None), name)
            part.__dict__["_root"] = self
            return part
        if whole not in OPS and whole not in MADE:
            load()
            if whole not in OPS:
                return None
        own = getattr(self._own, name, None)
        if callable(own):
            return own
        spelled = backend.spelled.get(whole, name)
        native = None if spelled is None else getattr(self._xp, spelled, None)
        if native is not None and (whole in STANDARD or whole in backend.spelled):
            return self._adapted(whole, native)
        general = MADE.get(whole)
        return None if general is None or not self._has(general.needs) else _of_standard(self._root, whole, general)  # type: ignore[attr-defined]

    def _has(self, needs: tuple[str, ...]) -> bool:
        return all(self._backend.views_bits if n == "reinterpret" else self._root.has(n) for n in needs)

    def has(self, name: str) -> bool:
        """Tell whether the backend has a function, by latticework's name."""
        chapter, _, last = name.rpartition(".")
        return getattr(getattr(self, chapter) if chapter else self, last, None) is not None

    def _adapted(self, name: str, native: Function) -> Function:
        """Return a function of the namespace as a backend's: on a device by its name, with positions of one dtype."""
        backend = self._backend
        if name in CREATION:
            return _creating(native, backend.places)
        if name == "take":
            return _taking(native, self._root)
        if name == "take_along_axis":
            return _taking_along(native, self._root)
        if name == "reshape":
            return _reshaping(native, self._root)
        if name == "moveaxis":
            return _moving(native)
        if name == "permute_dims":
            return _permuting(native)
        if name == "expand_dims":
            return _expanding(native, self._root)
        if name == "searchsorted":
            native = _searching(native, self._root)
        if name == "repeat":
            native = _repeating(native)
        if name == "concat":
            native = _joining(native)
        if name in _OF_COMPLEX:
            return _of_complex(native, backend, several=name[-1] == "n")
        if name in _ACCUMULATING:
            native = _accumulating(native, backend, cumulative=name.startswith("cumulative"))
        if name in _POSITIONS:
            native = _with_positions(native, _POSITIONS[name], self._root)
        return _along(native, 0 if name in _AXIS_GIVEN else None) if name in _ALONG else native


def _chapters() -> frozenset[str]:
    return frozenset(name.partition(".")[0] for name in OPS if "." in name) | {"linalg", "fft", "random"}


def _of_standard(f: Functions, name: str, general: Function) -> Function:
    """Return a function made of the standard's as a backend's function."""
    last = name.rpartition(".")[2]

    def call(*args: Any, **options: Any) -> Any:
        return general(f, *args, **options)

    call.__name__, call.__qualname__, call.__doc__ = last, last, general.__doc__
    call.composes = True  # type: ignore[attr-defined]
    return call


def _creating(native: Function, places: Mapping[str, Any] | None) -> Function:
    def create(*args: Any, dtype: Any, device: Any = None, **options: Any) -> Any:
        where = {} if places is None or device is None else {"device": device}
        return native(*args, dtype=dtype, **where, **options)

    create.__name__ = create.__qualname__ = getattr(native, "__name__", "create")
    return create


def _taking(native: Function, f: Functions) -> Function:
    """The standard has positions along one axis alone, and leaves open what negative ones and others are."""

    def take(x: Any, indices: Any, *, axis: int | None = None) -> Any:
        axis = take_axis(x.ndim) if axis is None else axis
        if not x.ndim:
            raise IndexError("the array has no axes")
        check_axis(x.ndim, axis)
        places = _in_one_dtype(f, f._positions(indices, n=x.shape[axis], axis=axis))
        if places.ndim == 1:
            return native(x, places, axis=axis)
        found = native(x, f.reshape(places, (-1,)), axis=axis)
        return f.reshape(found, (*x.shape[: axis % x.ndim], *indices.shape, *x.shape[axis % x.ndim + 1 :]))

    return take


def _taking_along(native: Function, f: Functions) -> Function:
    """Some namespaces take as many rows of positions as there are rows of elements, and broadcast neither."""

    def take_along_axis(x: Any, indices: Any, *, axis: int = -1) -> Any:
        check_axis(x.ndim, axis)
        places = _in_one_dtype(f, f._positions(indices, n=x.shape[axis], axis=axis))
        n, k = ([*a.shape] for a in (x, places))
        if len(n) == len(k):
            (along, n[axis]), (count, k[axis]) = (n[axis], 1), (k[axis], 1)
            if n != k:
                shape = [*broadcast_shapes(tuple(n), tuple(k))]
                shape[axis] = along
                x = f.broadcast_to(x, tuple(shape))
                shape[axis] = count
                places = f.broadcast_to(places, tuple(shape))
        return native(x, places, axis=axis)

    return take_along_axis


def _searching(native: Function, f: Functions) -> Function:
    """The standard has one sorted row. Several are searched by latticework's own composition."""

    def searchsorted(x1: Any, x2: Any, *, side: Any = "left") -> Any:
        if x1.ndim != 1:
            return MADE["searchsorted"](f, x1, x2, side=side)
        check_search(1, side)
        return f.reshape(native(x1, f.reshape(x2, (-1,)), side=side), tuple(x2.shape))

    return searchsorted


def _in_one_dtype(f: Functions, places: Any) -> Any:
    """Cast positions to the dtype that the backend has for them: some namespaces take no other."""
    backend = f._backend
    wanted = backend.native_dtypes[backend.index_dtype]
    return places if backend.dtype_of(places) == wanted else backend.cast(wanted)(places)


def _reshaping(native: Function, f: Functions) -> Function:
    def reshape(x: Any, shape: Any, copy: bool | None = None, order: str = "C") -> Any:
        check_order(order)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if any(n < -1 for n in shape):
            raise ValueError(f"negative extents in shape {shape}")
        if shape.count(-1) <= 1 and all(isinstance(n, int) for n in x.shape):
            shape = _whole(shape, prod(x.shape))
        if order == "F" and (x.ndim > 1 or len(shape) > 1):
            if copy is False:
                raise ValueError("an array is reshaped by columns in new memory alone")
            turned = native(f.permute_dims(x, tuple(reversed(range(x.ndim)))), tuple(reversed(shape)))
            return f.permute_dims(turned, tuple(reversed(range(len(shape)))))
        found = native(x, shape)
        return f._backend.duplicate(found) if copy else found

    return reshape


def _whole(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return a shape with the extent that stands as -1, after a look at the number of elements."""
    rest = prod(n for n in shape if n != -1)
    if count != rest if -1 not in shape else not rest or count % rest:
        raise ValueError(f"{count} elements do not have shape {shape}")
    return tuple([count // rest if n == -1 else n for n in shape])


def _permuting(native: Function) -> Function:
    def permute_dims(x: Any, axes: Any) -> Any:
        axes = tuple(axes)
        for axis in axes:
            check_axis(x.ndim, axis)
        if len(axes) != x.ndim:
            raise ValueError(f"{len(axes)} axes for an array of {x.ndim}")
        return native(x, axes)

    return permute_dims


def _moving(native: Function) -> Function:
    def moveaxis(x: Any, source: Any, destination: Any) -> Any:
        for axes in (source, destination):
            for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
                check_axis(x.ndim, axis)
        return native(x, source, destination)

    return moveaxis


def _repeating(native: Function) -> Function:
    """A framework whose arrays are computed later may find that the numbers do not fit when it is too late."""

    def repeat(x: Any, repeats: Any, *, axis: int | None = None) -> Any:
        count = repeats.shape[0] if getattr(repeats, "ndim", 0) else 1
        n = prod(x.shape) if axis is None else x.shape[axis] if x.ndim else 1
        if count not in (1, n):
            raise ValueError(f"{count} numbers for {n} elements")
        return native(x, repeats, axis=axis)

    return repeat


def _joining(native: Function) -> Function:
    """Some namespaces count axes from the start alone here."""

    def concat(arrays: Any, *, axis: int | None = 0) -> Any:
        ndim = arrays[0].ndim if len(arrays) else 0
        return native(arrays, axis=axis + ndim if axis is not None and -ndim <= axis < 0 else axis)

    return concat


def _expanding(native: Function, f: Functions) -> Function:
    """Some namespaces take the axis by its name alone, and one alone."""

    def expand_dims(x: Any, axis: Any = 0) -> Any:
        if not isinstance(axis, (tuple, list)):
            return native(x, axis=axis)
        n = x.ndim + len(axis)
        for a in axis:
            check_axis(n, a)
        new = {a % n for a in axis}
        if len(new) < len(axis):
            raise ValueError(f"an axis is given twice in {tuple(axis)}")
        rest = iter(x.shape)
        return f.reshape(x, tuple([1 if i in new else next(rest) for i in range(n)]))

    return expand_dims


def _of_complex(native: Function, backend: NamespaceBackend, several: bool) -> Function:
    def transform(x: Any, **options: Any) -> Any:
        own = backend.dtypes[backend.dtype_of(x)]
        if own.kind != "c":
            wide = "complex128" if own.bits == 64 else "complex64"
            x = backend.astype(x, next(n for n, d in backend.dtypes.items() if str(d) == wide))
        if several and not x.ndim and not options.get("axes"):
            return x
        return native(x, **options)

    transform.__name__ = transform.__qualname__ = getattr(native, "__name__", "transform")
    return transform


def _accumulating(native: Function, backend: NamespaceBackend, cumulative: bool) -> Function:
    def accumulate(x: Any, *, dtype: Any, **options: Any) -> Any:
        x = x if backend.dtype_of(x) == dtype else backend.cast(dtype)(x)
        if cumulative and options.get("axis", 0) is None and x.ndim == 1:
            options["axis"] = 0
        return native(x, dtype=dtype, **options)

    accumulate.__name__ = accumulate.__qualname__ = getattr(native, "__name__", "accumulate")
    return accumulate


def _along(native: Function, default: int | None) -> Function:
    def call(x: Any, *args: Any, **options: Any) -> Any:
        axis = args[0] if args else options.get("axis", default)
        if not x.ndim and axis is not None and axis != ():
            raise IndexError("the array has no axes")
        return native(x, *args, **options)

    call.__name__ = call.__qualname__ = getattr(native, "__name__", "call")
    return call


def _with_positions(native: Function, places: tuple[int, ...], f: Functions) -> Function:
    """Cast results that are positions to the dtype that the backend has for them."""

    def call(*args: Any, **options: Any) -> Any:
        found = native(*args, **options)
        if not isinstance(found, (tuple, list)):
            return _in_one_dtype(f, found)
        return tuple([_in_one_dtype(f, x) if i in places or not places else x for i, x in enumerate(found)])

    call.__name__ = call.__qualname__ = getattr(native, "__name__", "call")
    return call
