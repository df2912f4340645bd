"""Functions that a framework compiles. The arrays that they hold are inputs and outputs of the compiled function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..engine.arrays.array import HOLDERS, Array, wrapped
from .recording.keeping import Line, leaves_its_block, refusal
from .recording.state import ABSENT, Change, Held, Kept, State, Store
from .running import StaleError

if TYPE_CHECKING:
    from ..backend import Backend

__all__ = ["Staged", "of_its_own"]

#: The errors of JAX and TensorFlow for an array of a branch or a step that is used outside of it; TensorFlow's tf.cond
#: raises a ValueError with these words.
_ESCAPED = ("UnexpectedTracerError", "InaccessibleTensorError")
_WORDS = "must be from the same graph", "is out of scope", "accessed from"
#: Lists what the function holds that is compiled now.
_now: ContextVar[Callable[[], list[Any]]] = ContextVar("what a compiled function holds", default=list)
#: The change for a write into an array that the function holds.
_WRITTEN = Change("an array that is written into", None, None, None)


class EscapedError(Exception):
    """The error for an array of a mapped function that the function around it keeps."""


@contextmanager
def of_its_own() -> Iterator[None]:
    """Run a part of a compiled function. Raise an error if something that the function holds keeps an array of the
    part: with `tf.vectorized_map`, TensorFlow would keep the array of one example."""
    held = _now.get()
    before = held()
    yield
    after = held()
    if len(after) != len(before) or any(x is not y for x, y in zip(after, before, strict=True)):
        raise EscapedError


class Staged:
    """A function compiled by its framework, which reads and writes what it holds in each call.

    The framework's compiler runs the function once, with arrays of its own in the place of the arrays that the function
    holds. Other threads must not use the held arrays until it has run.

    Parameters
    ----------
    f: the user's function, which holds arrays.
    run: the function of native arrays that calls it, and returns native arrays.
    compiler: the framework's compiler for such functions.
    backend: the framework's backend.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        run: Callable[[list[Any]], list[Any]],
        compiler: Callable[[Callable[[list[Any]], list[Any]]], Callable[[list[Any]], list[Any]]],
        backend: Backend,
    ) -> None:
        self._f, self._run, self._backend = f, run, backend
        self._held = [Held(x) for x in self._state().read(backend)]
        self._changed: list[Held] = []
        self._bound: list[Change] = []
        self._kept: Kept | None = None
        self._compiler = compiler
        self._compiled = compiler(self._recorded)

    def _state(self) -> State:
        return State([(self._f, getattr(self._f, "__name__", ""))])

    def unfit(self) -> str:
        """Say why the compiled function is not valid for what the function holds now; "" where it is valid."""
        kept = self._kept
        return "" if kept is None or kept.check() else kept.differs()

    def __call__(self, natives: list[Any]) -> list[Any]:
        """Run the compiled function, then write and bind what the function writes and binds.

        Raises
        ------
        StaleError: the function holds something else than when it was compiled.
        """
        kept = self._kept
        if kept is not None and not kept.check() and (why := kept.differs()):
            raise StaleError(why)
        given = natives
        if self._held:
            native = self._backend.native
            given = [*natives, *[native(h.array._data) for h in self._held]]
        try:
            results = self._compiled(given)
        except Exception as error:
            if not _escaped(error):
                raise
            line = Line(self._bound[0].name if self._bound else "")
            with suppress(Exception):
                self._compiler(lambda natives: self._recorded(natives, line))(given)
            change = self._bound[0] if self._bound else line.change
            if change is None or change is _WRITTEN:
                raise leaves_its_block(line.at) from error
            raise refusal(change, line.at) from error
        kept = self._kept
        stores = kept.stores if kept is not None else []
        if not stores and not self._changed:
            return results
        end = len(results) - sum(s.sig is not None for s in stores)
        begin = end - len(self._changed)
        for h, data in zip(self._changed, results[begin:end], strict=True):
            h.array._data = data
        if stores and kept is not None:
            computed = iter(results[end:])
            kept.store([None if s.sig is None else wrapped(next(computed), s.sig) for s in stores], [])
        return results[:begin]

    def _recorded(self, natives: list[Any], follow: Line | None = None) -> list[Any]:
        """Run the function while the framework records, with the framework's arrays in the held arrays."""
        state, n = self._state(), len(natives) - len(self._held)
        arrays = [h.array for h in self._held]
        before = [x._data for x in arrays]
        change: Change | None = None
        now = _now.set(lambda: [*[x._data for x in arrays], *[c.after for c in state.changes()]])
        try:
            for x, data in zip(arrays, natives[n:], strict=True):
                x._data = data
            if follow is not None:

                def changes() -> list[Change]:
                    pairs = zip(arrays, natives[n:], strict=True)
                    return [*state.changes(), *([_WRITTEN] if any(x._data is not data for x, data in pairs) else [])]

                with follow.following(changes):
                    return self._run(natives[:n])
            results = self._run(natives[:n])
            self._changed = [h for h, data in zip(self._held, natives[n:], strict=True) if h.array._data is not data]
            results = [*results, *[h.array._data for h in self._changed]]
            stores: list[Store] = []
            self._bound = [c for c in state.changes() if type(c.after) is Array]
            for change in state.changes():
                store = _store_of(change, state)
                if store is None:
                    break
                stores.append(store)
                if store.sig is not None:
                    results.append(change.after._data)
            else:
                change = None
        finally:
            _now.reset(now)
            state.restore()
            for x, data in zip(arrays, before, strict=True):
                x._data = data
        if change is not None:
            line = Line(change.name)
            with suppress(Exception):
                self._recorded(natives, line)
            raise refusal(change, line.at)
        self._kept = Kept(state, self._held, stores, [], False) or None
        return results


def _escaped(error: Exception) -> bool:
    if isinstance(error, EscapedError) or type(error).__name__ in _ESCAPED:
        return True
    return isinstance(error, ValueError) and any(w in str(error) for w in _WORDS)


def _store_of(change: Change, state: State) -> Store | None:
    """Return the store that each call makes for a change; None for a change that no call can make."""
    slot, before, after = change.slot, change.before, change.after
    if slot is None or after is ABSENT or type(after) in HOLDERS:
        return None
    if type(after) is Array:
        return None if id(after) in state.arrays else Store(slot, after._sig)
    held = State([((after,), change.name)])
    settles = before is ABSENT or before is None or isinstance(after, bool)
    return Store(slot, static=after) if settles and not held.arrays else None
