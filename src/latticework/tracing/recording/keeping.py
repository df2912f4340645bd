"""Changes of a traced run to what the function holds. A graph makes some of them in each call; others are refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...engine.arrays.array import HOLDERS, Array
from ...engine.arrays.number import NUMBERS
from ...engine.functions.without_data import begin_forgetting, bring_back, forgotten
from ...engine.keys.held import begin, end
from ...errors import TraceError
from ...policy import current, end_force, put_in_force
from ..nodes import Block, Constant, Location, Value, values_in
from .recorder import Recorder, Traced, held
from .state import ABSENT, Change, State, Store, is_users

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = [
    "Containers",
    "KeepsError",
    "Line",
    "Surroundings",
    "check_places",
    "has_traced",
    "leaves_its_block",
    "refusal",
    "stores_of",
]


class KeepsError(Exception):
    """The error for a change that no graph makes in each call."""

    def __init__(self, change: Change) -> None:
        self.change = change


class Surroundings:
    """What is around a function that is recorded: its policy, and the watch over the arrays that the function holds.
    Everything that the function holds is restored at the end.

    Parameters
    ----------
    backend: the framework's backend.
    target: the backend that records.
    closed: whether the function holds no array, so that there is nothing to watch.
    """

    __slots__ = ("_backend", "_closed", "_forgetting", "_policy", "_state", "_target", "_watch")

    def __init__(self, backend: Backend, target: Backend, state: State, *, closed: bool) -> None:
        self._backend, self._target, self._state, self._closed = backend, target, state, closed

    def __enter__(self) -> None:
        policy = current()
        self._forgetting = begin_forgetting()
        self._policy = put_in_force(policy.on(self._target.name, policy.device))
        self._watch = None if self._closed else begin(self._backend, self._target.name, held)

    def __exit__(self, *_: object) -> None:
        try:
            self._state.restore()
        finally:
            bring_back(self._forgetting)
            if self._watch is not None:
                end(self._backend, self._watch)
            end_force(self._policy)


class Containers:
    """The lists and dicts among the arguments of a run. They are copies: changes to them would be lost."""

    def __init__(self, args: tuple[Any, ...], kw: dict[str, Any]) -> None:
        self._before: list[tuple[Any, Any]] = []
        for x in (*args, *kw.values()) if kw else args:
            if type(x) is not Array:
                self._add(x)

    def _add(self, x: Any) -> None:
        if isinstance(x, (list, dict)):
            self._before.append((x, x.copy()))
        if isinstance(x, (list, tuple)):
            for y in x:
                self._add(y)
        elif isinstance(x, dict):
            for y in x.values():
                self._add(y)

    def changes(self) -> list[Change]:
        """Return a change for each of them that the run changed."""
        found = []
        for x, before in self._before:
            same = len(x) == len(before) and (
                all(a is b for a, b in zip(x, before, strict=True)) if isinstance(x, list)
                else all(x.get(key, ABSENT) is y for key, y in before.items())
            )  # fmt: skip
            if not same:
                found.append(Change(f"a {type(x).__name__} that it is given", None, before, x))
        return found


def stores_of(changes: Sequence[Change], by: Recorder, given: Sequence[Array]) -> tuple[list[Store], list[Array]]:
    """Return the stores of each call, and the stored arrays that the graph computes.

    Raises
    ------
    KeepsError: a graph cannot make one of the changes.
    """
    if not changes:
        return [], []
    stores: dict[tuple[int, str], Store] = {}
    computed = []
    written = {id(x) for x in forgotten()}
    for change in changes:
        slot, x = change.slot, change.after
        if slot is None or x is ABSENT or type(x) in NUMBERS or type(x) in HOLDERS or id(x) in written:
            raise KeepsError(change)
        if slot.place in stores:
            continue
        if type(x) is not Array or not isinstance(x._data, Traced):
            if type(x) is not Array and has_traced(x, change.name):
                raise KeepsError(change)
            stores[slot.place] = Store(slot, static=x)
            continue
        argument = next((i for i, y in enumerate(given) if y is x), None)
        if argument is not None:
            stores[slot.place] = Store(slot, argument=argument)
            continue
        if x._data.recorder is not by or not _is_outermost(x._data.value, by):
            raise KeepsError(change)
        sig = by.backend.sig(x.dtype)
        stores[slot.place] = Store(slot, sig.weakly if x.weak else sig)
        computed.append(x)
    return [*stores.values()], computed


def has_traced(x: Any, name: str) -> bool:
    """Return whether an object leads to an array or a number of the trace."""
    held = State([((x,), name)])
    return any(isinstance(a._data, Traced) for a, _ in held.arrays.values()) or any(
        type(n) in NUMBERS for _, n in held.scalars
    )


def _is_outermost(value: Value, by: Recorder) -> bool:
    """Return whether a value belongs to the function itself, not to a branch or a step of a loop."""
    if isinstance(value, Constant) or any(v is value for v in by.inputs):
        return True
    return any(v is value for node in by.blocks[0].nodes for v in node.results)


def check_places(by: Recorder) -> None:
    """Refuse a program that uses a value of a branch, or of a step of a loop, outside of it.

    Where arrays are immutable, a write into an array makes another array, which the branch or step computes.

    Raises
    ------
    TraceError: for such a program; it names the line that computes the value.
    """
    block = by.blocks[0]
    for node in block.nodes:
        if node.blocks:
            value = _misplaced(block, set())
            if value is not None:
                raise leaves_its_block(by.location_of(value))
            return


def _misplaced(block: Block, visible: set[int]) -> Value | None:
    """Find the first value that a block uses, but that neither the block nor a block around it has computed."""
    own: list[int] = []

    def see(values: Sequence[Value]) -> None:
        fresh = [id(v) for v in values if id(v) not in visible]
        own.extend(fresh)
        visible.update(fresh)

    def unseen(values: Sequence[Value]) -> Value | None:
        return next((v for v in values if id(v) not in visible and not isinstance(v, Constant)), None)

    see(block.inputs)
    for node in block.nodes:
        found = unseen(node.operands)
        for inner in node.blocks:
            found = found or _misplaced(inner, visible)
        if found is not None:
            return found
        see(node.results)
    found = unseen(values_in(block.outputs))
    visible.difference_update(own)
    return found


def leaves_its_block(at: Location | None) -> TraceError:
    """Make the error for a program that uses a value of a branch, or of a step of a loop, outside of it."""
    line = f" ({at}: {at.text})" if at is not None else ""
    return TraceError(
        "the function is being traced, and what is computed inside of a branch, a loop or a transformed function"
        f"{line} is used outside of it. Where arrays never change, to write into one is to compute another one. Give "
        "the array to the branch, loop or function, and return it from there; or write outside of it"
    )


class Line:
    """The search for the line that changes something that a program holds, as the program runs again.

    Parameters
    ----------
    name: the name of what is changed; "" for the first change.

    Attributes
    ----------
    at: the line, None where it is not found.
    change: the change that was found.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.at: Location | None = None
        self.change: Change | None = None

    @contextmanager
    def following(self, changes: Callable[[], list[Change]]) -> Iterator[None]:
        """Look for the change after each of the program's own lines in a block."""
        last: Location | None = None
        left = _MOST_LINES

        def look(frame: Any, event: str, arg: Any) -> Any:
            nonlocal last, left
            left -= 1
            if left and self.at is None:
                self.change = next((c for c in changes() if self.name in ("", c.name)), None)
                self.at = last if self.change is not None else None
            if self.at is not None or not left:
                sys.settrace(None)
                return None
            outer = frame.f_back if event == "return" else frame
            while outer is not None and _is_own(outer):
                outer = outer.f_back
            here = outer or frame
            last = Location(here.f_code.co_filename, here.f_lineno)
            return look

        before = sys.gettrace()
        sys.settrace(lambda frame, event, arg: None if _is_own(frame) else look)
        try:
            yield
        finally:
            sys.settrace(before)


#: The most lines that are looked at.
_MOST_LINES = 20_000


def _is_own(frame: Any) -> bool:
    """Return whether a frame is of latticework, a framework or Python's own modules, or of code that these made."""
    return not is_users(frame.f_globals.get("__name__")) or frame.f_code.co_filename.startswith(
        ("<string>", "<lattice")
    )


def refusal(change: Change, at: Location | None) -> TraceError:
    """Make the error for a change that no graph makes in each call."""
    name, slot, before, after = change
    line = f" ({at}: {at.text})" if at is not None else ""
    if slot is None:
        return TraceError(
            f"the function is being traced, and changes what is in {name}{line}, which its graph does not do. "
            "Return what is to be kept, and put it there outside of the function; or hold arrays, and write into them: "
            "x[...] = value"
        )
    if after is ABSENT:
        return TraceError(
            f"the function is being traced, and takes away {name}{line}, which its graph does not do. Do it outside of "
            "the function"
        )
    if (type(after) is Array and not _is_array(after._data)) or type(after) in HOLDERS:
        return TraceError(
            f"the function is being traced, and keeps an array that it computes as {name!r}{line}, which its graph "
            "does not do. Return the array, or write into the one that is there: x[...] = value"
        )
    if isinstance(before, (int, float, complex)) and not isinstance(before, bool):
        return TraceError(
            f"the function is being traced, and changes the number {name} from {before!r} to {after!r}{line}, in each "
            f"call to another one. Its graph has numbers as constants. Hold an array, which each call reads and writes "
            f"(n = lw.asarray({before!r}); n += 1), or give and return the number"
        )
    return TraceError(
        f"the function is being traced, and binds {name} in each call to another {type(after).__name__}{line}, "
        "which its graph does not do. Return it, and keep it outside of the function"
    )


def _is_array(data: Any) -> bool:
    """Return whether the data of an array has values, and is no tracer or symbolic tensor."""
    return (
        not isinstance(data, Traced) and "Tracer" not in type(data).__name__ and "Symbolic" not in type(data).__name__
    )
