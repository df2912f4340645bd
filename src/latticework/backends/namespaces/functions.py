"""The functions of a backend that is made of a namespace, by latticework's names.

A function is the plug-in's own, else the namespace's, else one made of functions of the standard. What is none of these
is a composition of `api/`, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...backend.arguments import take_axis
from ...core.registry import OPS, load

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
#: Functions whose result is an int of the default width.
_OF_INTS = frozenset(["linalg.matrix_rank"])
#: Functions that make an array of a dtype on a device.
CREATION = frozenset("empty eye ones zeros _full _count".split())
#: Names of the standard that are names of latticework's, and do not mean the same.
_OTHERS = frozenset("asarray astype full arange linspace getitem setitem to_device from_dlpack".split())


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
            raise AttributeError(f"{self.__name__} has no {name}")
        setattr(self, name, found)
        return found

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
        if callable(own) and not isinstance(own, type):
            return own
        spelled = backend.spelled.get(whole, name)
        native = None if spelled is None else getattr(self._xp, spelled, None)
        if native is not None and name[0] != "_" and whole not in _OTHERS:
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
            return _taking(native, self._root.reshape)
        if name in _OF_INTS:
            return _with_positions(native, (), backend, ints=True)
        if name in _POSITIONS:
            return _with_positions(native, _POSITIONS[name], backend)
        return native


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


def _taking(native: Function, reshape: Function) -> Function:
    """The standard has positions along one axis alone."""

    def take(x: Any, indices: Any, *, axis: int | None = None) -> Any:
        axis = take_axis(x.ndim) if axis is None else axis
        if not x.ndim:
            raise IndexError("the array has no axes")
        if indices.ndim == 1:
            return native(x, indices, axis=axis)
        found = native(x, reshape(indices, (-1,)), axis=axis)
        return reshape(found, (*x.shape[: axis % x.ndim], *indices.shape, *x.shape[axis % x.ndim + 1 :]))

    return take


def _with_positions(
    native: Function, places: tuple[int, ...], backend: NamespaceBackend, ints: bool = False
) -> Function:
    """Cast results that are positions to the dtype that the backend has for them."""

    def cast(x: Any) -> Any:
        wanted = backend.native_dtypes[backend.index_dtype]
        return x if backend.dtype_of(x) == wanted else backend.cast(wanted)(x)

    def call(*args: Any, **options: Any) -> Any:
        found = native(*args, **options)
        if not isinstance(found, (tuple, list)):
            return cast(found)
        return tuple([cast(x) if i in places or not places else x for i, x in enumerate(found)])

    call.__name__ = call.__qualname__ = getattr(native, "__name__", "call")
    if ints:
        call.ints = backend.index_dtype  # type: ignore[attr-defined]
    return call
