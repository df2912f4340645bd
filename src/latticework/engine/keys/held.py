"""Reads of an array that a traced program holds, made without a look at the policy: by a key, of a shape, of a value.

The functions of latticework see from the policy that a trace records, and take such an array into it. An `Array` reads
a key, and gives its values to Python, by functions in its signature, because that takes less time. While a program is
traced, the signatures of its backend have other functions in these places. In the context of the trace such a function
says that the array has to be taken into the trace first, or refuses; in every other context it does what the original
function does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar, Token
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...core.signature import Reads, Sig
from ...errors import NoDataError, TraceError
from ...policy import current

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["HeldError", "begin", "end"]


class HeldError(NoDataError):
    """A key of an array that a traced program holds, which each call has to read: take the array into the trace."""


#: The name of the backend that is in force where a trace records, and the function that makes the error for a read of a
#: value; None outside of a trace.
_trace: ContextVar[tuple[str, Callable[[str], TraceError]] | None] = ContextVar("latticework trace", default=None)

_lock = Lock()
#: Name of a backend -> the number of its traces now, and the signatures that are watched.
_watching: dict[str, tuple[int, list[Sig]]] = {}
#: Name of a backend and the number of its dtypes -> its signatures.
_signatures: dict[tuple[str, int], list[Sig]] = {}
#: The id of a signature -> its functions while something is traced: ``index``, ``reads`` and ``item``.
_functions: dict[int, tuple[Any, Reads, Any]] = {}


class _Watched(Sig):
    """The class of a signature while something is traced, in which other functions are in the places of its own."""

    __slots__ = ()

    index = property(lambda sig: _functions[id(sig)][0])
    reads = property(lambda sig: _functions[id(sig)][1])
    item = property(lambda sig: _functions[id(sig)][2])
    # The ways through `lw.reshape` and `item` take the place of the quicker ones.
    reshape = None
    plain = 3


def begin(backend: Backend, traced: str, refusal: Callable[[str], TraceError]) -> Token[Any]:
    """Watch reads of a backend's arrays until `end`: in this context a traced program holds these arrays.

    Parameters
    ----------
    traced: the name of the backend that records.
    refusal: makes the error for a read of a value, from words that say how it is read.
    """
    token = _trace.set((traced, refusal))
    with _lock:
        count, signatures = _watching.get(backend.name) or (0, _signatures_of(backend))
        _watching[backend.name] = count + 1, signatures
        if not count:
            for sig in signatures:
                sig.__class__ = _Watched
    return token


def end(backend: Backend, token: Token[Any]) -> None:
    """Watch reads no more."""
    with _lock:
        count, signatures = _watching.pop(backend.name)
        if count > 1:
            _watching[backend.name] = count - 1, signatures
        else:
            for sig in signatures:
                sig.__class__ = Sig
    _trace.reset(token)


def _signatures_of(backend: Backend) -> list[Sig]:
    """List the signatures of a backend, and make the functions that look for a trace in the places of their own."""
    strongs = [*backend.sigs.values()]
    found = _signatures.get((backend.name, len(strongs)))
    if found is None:
        found = _signatures[backend.name, len(strongs)] = []
        reads = _watched_reads(backend)
        for strong in strongs:
            for sig in {id(s): s for s in (strong, strong.weakly, strong.element) if s is not None}.values():
                _functions[id(sig)] = _recorded(sig.index), reads, _refused("if, while and float(x) do", sig.item)
                found.append(sig)
    return found


def _watched_reads(backend: Backend) -> Reads:
    """Make the functions that look for a trace in the place of those that an `Array` calls."""
    reads = Reads(backend)
    reads.native = _native(reads.native)
    reads.item = _refused("x.item() does", reads.item)
    reads.to_numpy = _refused("np.asarray(x) does", reads.to_numpy)
    reads.values = _refused("x.tolist() does", reads.values)
    reads.index_array = _recorded(reads.index_array)
    return reads


def _asks() -> Callable[[str], TraceError] | None:
    """Return the function that makes the error for a read of a value here; None where nothing records."""
    found = _trace.get()
    return found[1] if found is not None and current().backend.endswith(found[0]) else None


def _recorded(read: Callable[[Any, Any], Any] | Callable[[Any], Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        if _asks() is not None:
            raise HeldError("the array is to be taken into the trace")
        return read(*args)

    return call


def _native(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make the function that gives ``x.data``: to latticework itself, and to programs outside of a trace."""

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
