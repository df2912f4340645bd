"""Refuse to write to an array that would be a view in NumPy, on frameworks that have no views.

On NumPy and PyTorch, ``v = a[1:]; v += 1`` writes to `a`. On frameworks whose arrays never change it cannot, and the
program would go on with other values. There an array that would be a view is linked to the array that it was made of,
and writing to it is an error while that array is alive. ``a[1:] += 1`` is allowed: Python puts the result back into
`a`.

The link says also how the array was made of the other, and arrays that are linked have a `Family` in common. A dialect
whose programs write to views writes by these to all arrays of the family (`frontends/torch/views.py`).
"""

from __future__ import annotations

import sys
from functools import cache
from itertools import pairwise
from opcode import opname
from types import CodeType, EllipsisType, NoneType
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...policy import changing

if TYPE_CHECKING:
    from dis import Instruction

    from .array import Array

__all__ = ["Step", "check_in_place", "check_writable", "family_of", "link", "link_indexed"]


#: The link to the array that another would be a view of, () for none: a weak reference to that array; the link of that
#: array, which may outlive it; whether the view was made by ints alone, which give a copy if they leave no axis; how it
#: was made of the first array of its family; and the family. It is a plain tuple, because every slice makes one.
Link = tuple[Any, ...]

#: How a view was made of an array: the function, or its name in latticework, or None for a key; its other arguments by
#: position and by name; and which of several results it is, None where there is one.
Step = tuple[Any, tuple[Any, ...], dict[str, Any], int | None]

_NO_OPTIONS: dict[str, Any] = {}


class Family(tuple[Any, ...]):  # noqa: SLOT001  # an empty tuple with attributes
    """The arrays that would have their memory in common: one array, and the views that were made of it.

    It keeps none of them alive. It is an empty tuple, and the link of the first array, which has none.

    Attributes
    ----------
    shape: the shape of the first array.
    """

    shape: Any
    _members: list[ref[Array]]
    _most = 8

    @classmethod
    def of(cls, first: Array) -> Family:
        """Make the family of an array."""
        made = cls()
        made.shape, made._members = first._data.shape, [ref(first)]
        return made

    def add(self, x: Array) -> None:
        """Add an array."""
        members = self._members
        members.append(ref(x))
        if len(members) > self._most:
            self._members = members = [r for r in members if r() is not None]
            self._most = 2 * len(members) + 8

    def alive(self) -> list[Array]:
        """Return the arrays that are alive."""
        return [x for r in self._members if (x := r()) is not None]


def link(
    result: Any,
    source: Array,
    function: Any = None,
    args: tuple[Any, ...] = (),
    kw: dict[str, Any] = _NO_OPTIONS,
    place: int | None = None,
) -> None:
    """Link a result, or each of several, to `source`, because it would be a view of it.

    Parameters
    ----------
    function, args, kw: what made it of `source`: a function or its name in latticework, and the other arguments.
    place: which of the results it is, where there are several.
    """
    if type(result) is tuple:
        for i, r in enumerate(result):
            link(r, source, function, args, kw, i)
    elif result is not source:
        if changing:  # rules that narrow make a copy of what would be a view
            dtype, before = result._sig.dtype, source._sig.dtype
            if dtype is not before and dtype.kind == before.kind:
                return
        _join(result, source, (function, args, kw, place), False)


def _join(result: Array, source: Array, step: Step, element: bool) -> None:
    """Link a result to `source`, which it was made of by a step."""
    try:  # not by `_linked`: every slice and every reshape comes here
        beyond = source._link
    except AttributeError:
        beyond = ()
    if beyond:
        family = beyond[4]
        result._link = (ref(source), _alive(beyond), element, (*beyond[3], step), family)
    else:
        family = beyond
        if type(family) is not Family:
            family = source._link = Family.of(source)
        result._link = (ref(source), (), element, (step,), family)
    family.add(result)


def family_of(x: Array) -> Family | None:
    """Return the family of an array; None where it is no view and has none."""
    found = getattr(x, "_link", ())
    family = found[4] if found else found
    return family if type(family) is Family else None


def _alive(found: Link) -> Link:
    """Return the first link in a chain whose array is still alive."""
    while found and found[0]() is None:
        found = found[1]
    return found


#: The types in keys that NumPy gives a view for. Ints alone give a copy if they leave no axis.
_BASIC = frozenset((int, slice, NoneType, EllipsisType))


def link_indexed(result: Array, source: Array, key: Any) -> None:
    """Like `link`, for the elements of `source` at a key: no link if the key has an array or a bool in it."""
    if type(key) is tuple:
        element = True
        for k in key:
            kind = type(k)
            if kind is not int:
                if kind not in _BASIC:
                    return
                element = False
        _join(result, source, (None, (key,), _NO_OPTIONS, None), element)
    elif type(key) in _BASIC:
        _join(result, source, (None, (key,), _NO_OPTIONS, None), type(key) is int)


def check_writable(x: Array, verb: str) -> None:
    """Refuse to write to an array that is linked to another.

    Raises
    ------
    ValueError: an array that it is linked to is alive.
    """
    found = _linked(x)
    if not found or (found[2] and x.ndim == 0):
        return
    if _alive(found):
        backend = x._sig.backend
        who = f"{backend.title} in a function that is differentiated" if backend.takes_target else x.backend
        raise ValueError(
            f"{verb}: this array was made of another one, by a key or by a function such as reshape. On frameworks "
            f"with views, writing to it would write to the other array too; {who} has none, so it cannot. Write "
            f"to the other array itself (a[1:-1] += 1), make a new one (v = v + 1), or take a copy first (v = v.copy())"
        )


def check_in_place(count: int, x: Any, verb: str, array: Array | None = None, depth: int = 0) -> None:
    """Like `check_writable`, for ``x += y``; `x` may be the temporary between reading and writing of ``a[1:] += y``.

    Parameters
    ----------
    count: the number of references to `x` in the function of the operator. It is counted there, before `x` is an
        argument: what a call of a function of Python's holds depends on how often it ran, and on `torch.compile`.
    array: the array that `x` holds, if `x` is no array itself.
    depth: the number of frames from that function to here.
    """
    if array is not None:
        found = _linked(array)
    else:  # here, as a call takes longer than this
        try:
            found = x._link
        except AttributeError:
            found = x._link = ()
    if found and not (count - (array is x) <= _of_a_temporary() and _stored_by_key(2 + depth)):
        check_writable(x if array is None else array, verb)


def _linked(x: Array) -> Link:
    try:
        found: Link = x._link
    except AttributeError:
        found = x._link = ()
    return found


def _stored_by_key(depth: int) -> bool:
    """Return whether the code `depth` frames above puts the result of its operator into something by a key.

    That is ``a[k] += y``; or ``a[k] = operator.iadd(a[k], y)``, with the same a and k, where a call is the operator.
    """
    frame = sys._getframe(depth + 1)
    code, at = frame.f_code.co_code, frame.f_lasti
    if opname[code[at]].startswith(("CALL", "PRECALL")):  # CPython 3.11 calls at either
        return frame.f_lasti in _calls_stored_back(frame.f_code)
    if not opname[code[at]].startswith("BINARY_OP"):
        return False
    at += 2
    while at < len(code) and opname[code[at]] in ("CACHE", "SWAP"):
        at += 2
    return at < len(code) and opname[code[at]] in ("STORE_SUBSCR", "STORE_SLICE")


@cache
def _calls_stored_back(code: CodeType) -> frozenset[int]:
    """Find the offsets of calls whose first argument is ``a[k]`` and whose result goes to the same a[k] at once."""
    from dis import get_instructions

    every = [*get_instructions(code)]
    before_calls = {after.offset: i.offset for i, after in pairwise(every) if i.opname == "PRECALL"}
    steps = [i for i in every if i.opname not in ("CACHE", "PRECALL", "PUSH_NULL", "EXTENDED_ARG")]
    found = []
    for n, step in enumerate(steps):
        if step.opname.startswith("CALL"):
            stored, end = _loads(steps, n + 1)
            read = next((i for i in range(n - 1, -1, -1) if steps[i].opname in ("BINARY_SUBSCR", "BINARY_OP")), None)
            if read is None or len(stored) != 2 or end >= len(steps) or steps[end].opname != "STORE_SUBSCR":
                continue
            before: list[Any] = []
            while read and steps[read - 1].opname.startswith("LOAD_"):
                read -= 1
                before[:0] = _values(steps[read])
            if before[-2:] == stored:
                found += [step.offset, before_calls.get(step.offset, step.offset)]
    return frozenset(found)


def _loads(steps: list[Instruction], n: int) -> tuple[list[Any], int]:
    """Return the values that are loaded from step n on, and the step after these loads."""
    found: list[Any] = []
    while n < len(steps) and steps[n].opname.startswith("LOAD_"):
        found += _values(steps[n])
        n += 1
    return found, n


def _values(step: Instruction) -> list[Any]:
    """Return the names that an instruction loads, or a constant. Some of CPython's instructions load two."""
    constant = step.opname == "LOAD_CONST"
    return [*step.argval] if isinstance(step.argval, tuple) and not constant else [(constant, step.argval)]


class _Counted:
    """The stand-in for an `Array` in ``a[0] += 1``, which counts the references to the object without a name there."""

    count = 0

    def __getitem__(self, key: int) -> _Counted:
        return _Counted()

    def __iadd__(self, other: int) -> _Counted:
        self.count = sys.getrefcount(self)
        return self

    def __setitem__(self, key: int, value: _Counted) -> None:
        self.count = value.count


@cache
def _of_a_temporary() -> int:
    """Return the number of references that the function of an operator sees to an array that has no name."""
    counted = _Counted()
    counted[0] += 1
    return counted.count
