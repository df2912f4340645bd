"""Arrays without data beside arrays with data, and the state that a run without data must leave as it was.

If an array with data meets one without, it is taken without its data too. `restored` undoes what such a run changes in
the program.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from ...backend import get
from ...core.dtypes import SCALARS, Dtype
from ...policy import current
from ..arrays.array import Array, wrapped

if TYPE_CHECKING:
    from ...backend import Backend
    from ...core.signature import Sig

__all__ = [
    "adopted", "begin_forgetting", "bring_back", "closure_of", "forget_data", "forgotten", "recorded", "restored",
    "stand_in", "without_data",
]  # fmt: skip


def stand_in(x: Any, target: Backend, device: str) -> Array:
    """Make an array without data that stands for an array or a `Spec`: of the same shape, dtype and weakness.

    Parameters
    ----------
    target: a backend of arrays without data.
    """
    adopt: Any = target.adopt
    sig = target.sig(x.dtype)
    made = wrapped(adopt(x, device), sig.weakly if x.weak else sig)
    keep = target.keep
    if keep is not None and sig.immutable:  # a view of it is a view of x, which lives on
        keep(made)
    return made


def adopted(x: Array, target: Backend) -> Array:
    """Move an array to a backend of arrays without data. An array of that backend, or for any other, stays itself."""
    return x if x._sig.backend is target or target.adopt is None else stand_in(x, target, str(x.device))


def without_data(operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the operands without data, if one of them has none; None if no operand has to change."""
    adopting = {x._sig.backend for x in operands if isinstance(x, Array) and x._sig.backend.adopt}
    target = max(adopting, key=_depth, default=None)
    if target is None:
        target = _recording(operands)
    if target is None or all(x._sig.backend is target for x in operands if isinstance(x, Array)):
        return None
    return tuple(adopted(x, target) if isinstance(x, Array) else x for x in operands)


def _depth(backend: Backend) -> int:
    """Return how many backends stand between a backend and its framework: arrays go to the outermost."""
    return backend.name.count(":")


def recorded(x: Array) -> Array:
    """Take an array that a traced program holds into the trace; any other array stays itself.

    A function calls this if it hands on the framework's own array of an argument, which no plan sees.
    """
    target = _recording((x,))
    return x if target is None else adopted(x, target)


def _recording(operands: tuple[Any, ...]) -> Backend | None:
    """Return the backend that records a trace, if the traced program holds some of the operands; else None.

    What follows from these operands is computed by each call, because they may be written to between two calls.
    """
    in_force: Any = get(current().backend)
    owners = [x._sig.backend for x in operands if isinstance(x, Array)]
    backend = in_force
    while (recorded := getattr(backend, "target", None)) is not None:
        if any(owner is recorded for owner in owners) and (backend is in_force or not backend.takes_target):
            found: Backend = backend  # in a derivative inside of a trace, the backend that records the trace
            return found
        backend = recorded
    return None


#: The arrays whose data was forgotten, with what they held.
_forgotten: ContextVar[list[tuple[Array, Any, Sig]] | None] = ContextVar("latticework forgotten data", default=None)


def forget_data(x: Array) -> None:
    """Take the data from an array before it is written to, where a program runs without data.

    So a program that writes into arrays that it holds, such as running statistics, leaves them as they were: `restored`
    brings the data back.
    """
    forgotten = _forgotten.get()
    target = get(current().backend) if forgotten is not None else None
    if forgotten is None or target is None or _records(x._sig.backend, target):
        return
    forgotten.append((x, x._data, x._sig))
    blank = adopted(x, target)
    x._data, x._sig = blank._data, blank._sig


def _records(backend: Any, target: Backend) -> bool:
    """Return whether a backend is this one, or that of a tape which records its calls."""
    while backend is not None:
        if backend is target:
            return True
        backend = getattr(backend, "target", None)
    return False


def forgotten() -> list[Array]:
    """List the arrays whose data was forgotten in this context: the program holds them, and writes into them."""
    return [x for x, _, _ in _forgotten.get() or ()]


def begin_forgetting() -> Token[Any]:
    """Let `forget_data` take data in this context, until `bring_back` is called with the result."""
    return _forgotten.set([])


def bring_back(token: Token[Any]) -> None:
    """Restore the data that was forgotten since `begin_forgetting`."""
    forgotten = _forgotten.get() or ()
    _forgotten.reset(token)
    for array, data, sig in reversed(forgotten):
        array._data, array._sig = data, sig


@contextmanager
def restored(program: Any) -> Iterator[dict[int, tuple[Any, Any]]]:
    """Restore, at the end of a block, what a run without data changed.

    That is the data of arrays that were written to, and what the program holds: attributes, lists, dicts, sets and
    closures, also those of the objects in them. Globals are not restored.

    Parameters
    ----------
    program: the function or object that runs in the block, or a tuple of such.

    Yields
    ------
    The state that is restored: each list, dict, set and cell with a copy of what was in it before, by its id.
    """
    state: dict[int, tuple[Any, Any]] = {}
    _copy_state(program, state, 0)
    token = begin_forgetting()
    try:
        yield state
    finally:
        bring_back(token)
        for x, before in state.values():
            if isinstance(x, CellType):
                x.cell_contents = before
            elif isinstance(x, list):
                x[:] = before
            else:
                x.clear()
                x.update(before)


#: Types of objects that hold nothing that a run changes.
_PLAIN = (*SCALARS, str, bytes, type(None), Array, Dtype, type, ModuleType, BuiltinFunctionType)
#: The depth, and the number of elements of each object, to which a program is searched for what can change.
_DEPTH, _ELEMENTS = 16, 1_000


def _copy_state(x: Any, state: dict[int, tuple[Any, Any]], depth: int) -> None:
    """Add to the state, by id, the parts of an object that can change, and those of what it holds, each with a copy."""
    if isinstance(x, _PLAIN) or id(x) in state or depth > _DEPTH:
        return
    if type(x) in (list, dict, set):
        state[id(x)] = x, x.copy()
    elif isinstance(x, CellType):
        state[id(x)] = x, x.cell_contents
    for y in _held(x)[:_ELEMENTS]:
        _copy_state(y, state, depth + 1)


def _held(x: Any) -> list[Any]:
    """List the objects that an object holds, as far as a run may change them."""
    if isinstance(x, functools.partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, MethodType):
        return [x.__self__, x.__func__]
    if isinstance(x, FunctionType):
        if str(x.__module__).startswith("latticework."):
            return []
        return [*closure_of(x).values(), *(x.__defaults__ or ())]
    if isinstance(x, CellType):
        return [x.cell_contents]
    if isinstance(x, dict):
        return [*x.values()]
    if isinstance(x, (list, tuple, set)):
        return [*x]
    attributes = getattr(x, "__dict__", None)
    return [attributes] if type(attributes) is dict else []


def closure_of(f: FunctionType) -> dict[str, CellType]:
    """Return the cells of a closure by name, except those without a value, as in a function that calls itself."""
    cells = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
    return {name: cell for name, cell in cells if cell != CellType()}
