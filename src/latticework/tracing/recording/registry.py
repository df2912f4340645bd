"""The functions that a traced backend records, with the key of each in a file."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import update_wrapper
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn

from ..nodes import mapped
from .recorder import Recorder, Traced, recorder, untraceable

__all__ = ["Entry", "Registry", "current_recorder", "recording"]


def current_recorder() -> Recorder:
    """Return the recorder of this context."""
    found = recorder.get()
    if found is None:
        raise untraceable("goes on after the trace has ended", "Return the array from the traced function")
    return found


def recording(name: str, function: Callable[..., Any], writes: int | None = None) -> Callable[..., Any]:
    """Wrap a function of native arrays for tracers. Its calls are recorded.

    Parameters
    ----------
    name: its name in the graph.
    writes: the position of the argument that it writes into.
    """
    plain = plainly(function)
    get = recorder.get
    native = getattr(plain, "native_slopes", None)  # which the source calls where nothing is differentiated
    usual = plain if native is None else plainly(native)
    plainer = getattr(usual, "comes_to", None)

    def call(*args: Any, **kw: Any) -> Any:
        by = get() or current_recorder()
        if usual is not plain and by.differentiated:
            return by.call(name, plain, args, kw, writes)
        return by.call(name, usual, args, kw, writes, plainer)

    try:
        update_wrapper(call, function)
    except (AttributeError, TypeError):  # a callable that keeps no attributes
        call.__name__ = name
    call.native = function  # type: ignore[attr-defined]
    if native is not None:
        call.native_slopes = recording(name, native, writes)  # type: ignore[attr-defined]
    when = getattr(function, "when", None)
    if when is not None:
        call.when = lambda *args, **kw: when(*_natives(args), **_natives(kw))  # type: ignore[attr-defined]
    return call


def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function without the wrapper that compiles it where that pays."""
    plain: Callable[..., Any] = getattr(function, "as_it_is", function)
    return plain


def _natives(tree: Any) -> Any:
    """Replace tracers in a tree by native arrays. The extents of the tracers then count as looked at."""

    def native(x: Traced) -> Any:
        x.recorder.looked |= x.value.inputs
        return x.native

    return mapped(tree, Traced, native)


class Entry(NamedTuple):
    """A recorded function.

    Attributes
    ----------
    function: the function of native arrays.
    name: the name of its nodes.
    key: its key: ``("function", "add", "float32")``, ``("cast", "float32")``, ``("index",)``. () for a function without
        a key.
    writes: the position of the argument that it writes into, None for a function without such an effect.
    """

    function: Callable[..., Any]
    name: str
    key: tuple[str, ...]
    writes: int | None = None


def _pullback(*_: Any) -> NoReturn:
    """Stand for the result of a derivative's transformation: a function of cotangents, which the source calls."""
    raise TypeError("a pullback has no function outside of its source")


def _function(*_: Any) -> NoReturn:
    """Stand for a function that the source defines from a block."""
    raise TypeError("a function of a block has none outside of its source")


#: The functions that stand for functions which a graph's source makes itself, by the names of their nodes.
LOCAL: dict[str, Callable[..., Any]] = {"pullback": _pullback, "function": _function}


class Registry:
    """The recorded functions of a backend, with their keys: a saved graph names its functions by the keys."""

    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}  # by the id of the function, which the entry keeps alive
        self._plain: dict[Callable[..., Any], Entry] = {}
        for name, function in LOCAL.items():
            self.keep(name, function, (name,))

    def keep(self, name: str, function: Callable[..., Any], key: tuple[str, ...], writes: int | None = None) -> None:
        """Keep the key of a function. Its first key stays."""
        function = plainly(function)
        native = getattr(function, "native_slopes", None)
        if native is not None:
            native = plainly(native)
            self._entries.setdefault(id(native), Entry(native, name, key, writes))
            key = ("own slopes", *key)
        self._entries.setdefault(id(function), Entry(function, name, key, writes))
        instead = getattr(function, "instead", None)  # see `backend.plain`
        if instead is not None:
            self._entries.setdefault(id(instead), Entry(instead, name, ("instead", *key), writes))

    def keep_plain(self, names: Iterable[str], module: Any) -> None:
        """Keep a framework's own functions that calls come to (see `Backend.plain_functions`)."""
        for name in names:
            function = attrgetter(name)(module)
            self._plain[function] = Entry(function, name, ("plain", name))
        self._plain[operator.getitem] = Entry(operator.getitem, "index", ("plain", "getitem"))

    def plain(self, name: str) -> Entry | None:
        """Return the entry of a framework's own function that calls come to, by its name."""
        return next((entry for entry in self._plain.values() if entry.key[1] == name), None)

    def recording(
        self, name: str, function: Callable[..., Any], key: tuple[str, ...], writes: int | None = None
    ) -> Callable[..., Any]:
        """Keep the key of a function, and wrap the function for tracers. See the function `recording`."""
        self.keep(name, function, key, writes)
        return recording(name, function, writes)

    def entry(self, function: Callable[..., Any]) -> Entry | None:
        """Return the entry of a function, None for a function that no backend has."""
        found = self._entries.get(id(function))
        if found is None and type(function).__hash__ is not None:  # ufuncs make their methods anew each time
            found = self._plain.get(function)
        return found

    def key_of(self, function: Callable[..., Any]) -> tuple[str, ...]:
        """Return the key of a function, () where it has none."""
        found = self.entry(function)
        return found.key if found else ()
