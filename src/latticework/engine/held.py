"""What reads an array that a traced program holds, without a look at the policy: a key, a shape, a value.

The functions of latticework find by the policy that a trace records, and take such an array into it. An `Array` reads a
key, and gives its values to Python, by what its signature has, because that takes less time. While a program is traced,
the signatures of its backend have something else in these places: in the context of the trace it says that the array
has to be taken into it first, or refuses; in every other context it does what the signature had before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..errors import NoDataError, TraceError
from ..policy import current

if TYPE_CHECKING:
    from ..backends import Backend
    from ..core.signature import Sig

__all__ = ["HeldError", "watched"]


class HeldError(NoDataError):
    """A key of an array that a traced program holds is to be read by each call: take the array into the trace."""


#: The name of the backend that is in force where a trace records, and what makes the error of a value that is asked
#: for; None outside of a trace.
_trace: ContextVar[tuple[str, Callable[[str], TraceError]] | None] = ContextVar("latticework trace", default=None)

_lock = Lock()
#: Signatures with what they have, and with what they have while something is traced.
_Ways = list[tuple["Sig", tuple[Any, ...], tuple[Any, ...]]]
#: How many traces there are of a backend now, and the signatures that are watched.
_watching: dict[str, tuple[int, _Ways]] = {}
#: Those of a backend, by how many dtypes it has now.
_ways: dict[tuple[str, int], _Ways] = {}


@contextmanager
def watched(backend: Backend, traced: str, refusal: Callable[[str], TraceError]) -> Iterator[None]:
    """Watch, in a block, what reads arrays of a backend: in this context they are those that a traced program holds.

    Parameters
    ----------
    traced: the name of the backend that records.
    refusal: makes the error of what asks for a value, given words that say so.
    """
    token = _trace.set((traced, refusal))
    with _lock:
        count, ways = _watching.get(backend.name, (0, []))
        ways = ways or _ways_of(backend)
        _watching[backend.name] = count + 1, ways
        if not count:
            _put(ways, 1)
    try:
        yield
    finally:
        with _lock:
            count, ways = _watching.pop(backend.name)
            if count > 1:
                _watching[backend.name] = count - 1, ways
            else:
                _put(ways, 0)
        _trace.reset(token)


def _put(ways: _Ways, which: int) -> None:
    for sig, *sets in ways:
        sig.index, sig.reads, sig.item, sig.reshape, sig.plain = sets[which]


def _ways_of(backend: Backend) -> _Ways:
    """What the signatures of a backend have, and what looks for a trace in its place."""
    strongs = [*backend.sigs.values()]
    found = _ways.get((backend.name, len(strongs)))
    if found is None:
        found = _ways[backend.name, len(strongs)] = []
        reads = _Reads(backend.module)
        for strong in strongs:
            for sig in {id(s): s for s in (strong, strong.weakly, strong.element) if s is not None}.values():
                before = sig.index, sig.reads, sig.item, sig.reshape, sig.plain
                item = _refused("if, while and float(x) do", sig.item)
                # The ways through `lw.reshape` and `item` stand for the quicker ones.
                found.append((sig, before, (_recorded(sig.index), reads, item, None, 3)))
    return found


class _Reads:
    """In place of a backend's module, for what an `Array` asks of it."""

    def __init__(self, module: Any) -> None:
        self.native = _native(module.native)
        self.item = _refused("x.item() does", module.item)
        self.to_numpy = _refused("np.asarray(x) and x.tolist() do", module.to_numpy)
        self.index_array = _recorded(module.index_array)


def _asks() -> Callable[[str], TraceError] | None:
    """What makes the error of a value that is asked for here; None where nothing records."""
    found = _trace.get()
    return found[1] if found is not None and current().backend == found[0] else None


def _recorded(read: Callable[[Any, Any], Any] | Callable[[Any], Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        if _asks() is not None:
            raise HeldError("the array is to be taken into the trace")
        return read(*args)

    return call


def _native(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What gives ``x.data``: to latticework itself, and to programs outside of a trace."""

    def call(data: Any) -> Any:
        refusal = _asks()
        if refusal is not None:
            package = sys._getframe(2).f_globals.get("__package__") or ""
            if package.partition(".")[0] != "latticework":
                raise refusal("takes the framework's own array of it, as x.data does")
        return read(data)

    return call


def _refused(how: str, read: Callable[..., Any] | None) -> Callable[..., Any]:
    def call(data: Any, *options: Any) -> Any:
        refusal = _asks()
        if refusal is not None:
            raise refusal(f"asks for its value, as {how}")
        return data if read is None else read(data, *options)

    return call
