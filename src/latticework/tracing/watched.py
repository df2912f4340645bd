"""Branches and steps of loops that a framework records: what they change outside of them is refused, with the line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import BackendError
from .nodes import Location
from .recording.keeping import Line, leaves_its_block, refusal
from .recording.state import Change, State

if TYPE_CHECKING:
    from ..backend import Backend

__all__ = ["watched"]

R = TypeVar("R")
#: The change for a write into an array from outside.
_WRITTEN = Change("an array from outside", None, None, None)


def watched(what: tuple[str, str], roots: list[tuple[Any, str]], run: Callable[[], R], backend: Backend) -> R:
    """Run a branch or a step that the framework records.

    Parameters
    ----------
    what: the function of latticework, and which of its arguments runs.
    roots: the function that runs, and what it is given, each with its name.
    run: what calls it.
    backend: the backend of the arrays. Where its arrays can be written into, all branches run, one after the other.

    Raises
    ------
    TraceError: it writes to an array from outside, or puts an array that has no values yet into something that it
        holds: what is outside would have an array of the branch.
    BackendError: the same, where all branches run.
    """
    state = State(roots)
    arrays = [x for x, _ in state.arrays.values()]
    before = [(x._data, backend.version_of(x._data)) for x in arrays]

    def changes() -> list[Change]:
        pairs = zip(arrays, before, strict=True)
        written = any(x._data is not data or backend.version_of(data) != version for x, (data, version) in pairs)
        found = [c for c in state.changes() if _counts(c, backend)]
        return [*found, *([_WRITTEN] if written else [])]

    def undo() -> None:
        state.restore()
        for i, (x, (data, _)) in enumerate(zip(arrays, before, strict=True)):
            x._data = data
            before[i] = data, backend.version_of(data)  # what is written in place stays written

    result = run()
    found = changes()
    if not found:
        return result
    change = found[0]
    undo()
    line = Line("" if change is _WRITTEN else change.name)
    with suppress(Exception), line.following(changes):
        run()
    undo()
    if not backend.facts.immutable:
        raise _refused(*what, change, line.at)
    raise leaves_its_block(line.at) if change is _WRITTEN else refusal(change, line.at)


def _counts(change: Change, backend: Backend) -> bool:
    """Return whether a change is of arrays. Numbers and strings may change: the function runs to be recorded alone."""
    if not backend.facts.immutable and _arrays(change.before):  # a branch has lists of its own
        return True
    return any(map(_is_recorded, _arrays(change.after)))


def _is_recorded(x: Any) -> bool:
    """Return whether an array has no values yet."""
    backend = x._sig.backend
    return not backend.has_values(x._data) or backend.describe(x._data) is not None


def _arrays(x: Any) -> list[Any]:
    return [array for array, _ in State([((x,), "")]).arrays.values()]


def _refused(name: str, called: str, change: Change, at: Location | None) -> BackendError:
    line = f" ({at}: {at.text})" if at is not None else ""
    done = f"writes to {change.name}" if change is _WRITTEN else f"changes {change.name}, which is outside of it"
    return BackendError(
        f"{name}: {called} {done}{line}. Where it is not taken, nothing may be written: return the new elements, and "
        f"write them after {name}"
    )
