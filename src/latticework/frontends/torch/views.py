"""Writes to views, where the native arrays of a backend never change, or where a tape has recorded them.

There a view is an array of its own. It remembers how it was made (`engine.arrays.views`). A write to it becomes a write
to the tensor that it was made of, and all views of that tensor are made anew. Where calls are recorded, so is this: the
derivatives are those that PyTorch computes.

A function that gives a view on some backend, and a copy in PyTorch, gives a copy here too: `reshape` where the order of
the elements changes, and `flip`. NumPy says which it is: its strides follow the same rules.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from operator import attrgetter
from typing import Any

import numpy as np

from ...backend import get
from ...core.dtypes import int8
from ...derivatives.tape import Taped
from ...engine.arrays.array import Array, wrapped
from ...engine.arrays.views import Step, check_writable, family_of
from ...policy import block, current
from .autograd.modes import set_grad_enabled
from .autograd.recording import Leaf, is_enabled, replace_value, unrecorded
from .autograd.versions import note_write
from .core import dialect, ops

__all__ = ["constant", "is_contiguous", "shares", "write"]

Steps = tuple[Step, ...]

#: Functions whose views have other elements than the array: no write goes through them.
_OF_PARTS = frozenset("real imag view_as_real view_as_complex".split())


def constant(x: Any) -> Any:
    """Return a tensor without the tape: the step from a tensor to ``x.detach()``."""
    return dialect.wrapped(unrecorded(x._array))


def shares(x: Array) -> bool:
    """Return whether an array has views, or is one."""
    family = family_of(x)
    return family is not None and len(family.alive()) > 1


def is_contiguous(x: Array) -> bool:
    """Return whether the elements of an array follow each other in memory, in its order, as they would in PyTorch."""
    data = x._data
    while type(data) is Taped:
        data = data.value
    if isinstance(data, np.ndarray):
        return data.flags.c_contiguous
    asked = getattr(data, "is_contiguous", None)
    if asked is not None:
        return bool(asked())
    family, steps = family_of(x), _steps(x)
    if family is None or not steps or any(map(_is_unknown, steps)):
        return True
    return _in_memory(family.shape, steps)[-1].flags.c_contiguous


def write(x: Any, key: Any, value: Any) -> None:
    """Write to a tensor that has views, or is one, and to all that would have the same memory in PyTorch.

    Parameters
    ----------
    key, value: as of ``x[key] = value``.

    Raises
    ------
    RuntimeError: it is not known how the view was made, or several of its elements are one.
    """
    own: Array = x._array
    family = family_of(own)
    assert family is not None, "a tensor that shares memory"
    steps, shape, members = _steps(own), family.shape, family.alive()
    start = _copied_at(shape, steps)
    before = [m for m in members if start <= len(_steps(m)) <= len(steps) and _from(_steps(m), steps)]
    base = min(before, key=lambda m: len(_steps(m)), default=own)
    first = len(_steps(base))
    through = steps[first:]
    if base._sig.dtype is not own._sig.dtype or any(map(_is_unknown, through)):
        dialect.call(check_writable, (own, "setitem"), {})
    records = is_enabled() and all(f is not constant for f, *_ in through)
    with set_grad_enabled(records):
        _put(base, through, own, key, value)
        for m in members:
            rest = _steps(m)[first:]
            below = rest and _from(_steps(base), _steps(m)) and not any(map(_is_unknown, rest))
            if below and _copied_at(shape, _steps(m)) <= first:
                _renew(m, base, rest, records)


def _steps(x: Array) -> Steps:
    link = getattr(x, "_link", ())
    return link[3] if link else ()


def _from(steps: Steps, others: Steps) -> bool:
    """Return whether others begin with these steps."""
    return len(steps) <= len(others) and all(a is b for a, b in zip(steps, others, strict=False))


def _is_key(step: Step) -> bool:
    return step[0] is None and bool(step[1])


def _is_unknown(step: Step) -> bool:
    """Return whether it is not known how a view was made, or of which elements."""
    function, args, _, _ = step
    name = function if type(function) is str else getattr(function, "__name__", "")
    return (function is None and not args) or name in _OF_PARTS


def _unlinked(x: Array) -> Any:
    """Return a tensor with the same native array, that nothing else has."""
    return dialect.wrapped(wrapped(x._data, x._sig))


def _taken(x: Any, steps: Steps) -> Any:
    """Return what the steps make of a tensor."""
    for function, args, kw, place in steps:
        if function is None:
            x = x[args[0]]
            continue
        f = attrgetter(function)(ops) if type(function) is str else function
        x = f(x, *args, **kw)
        x = x if place is None else x[place]
    return x


def _in_memory(shape: Any, steps: Steps) -> list[np.ndarray[Any, Any]]:
    """Return an array of NumPy's of a shape, and what each step makes of it. The elements say nothing. No trace has the
    steps, which are looked at in one."""
    found, sig = [np.empty(tuple(shape), np.int8)], get("numpy").sig(int8)
    with block(current().on("numpy")):
        for step in steps:
            x = dialect.wrapped(wrapped(found[-1], sig))
            made = np.asarray(_taken(x, (step,))._array._data)
            found.append(made.copy() if min(made.strides, default=0) < 0 else made)  # PyTorch has no such strides
    return found


def _copied_at(shape: Any, steps: Steps) -> int:
    """Return the number of the last step, from 1, that gives a copy in PyTorch; 0 if all give views."""
    if all(_is_key(s) or s[0] is constant or _is_unknown(s) for s in steps):
        return 0
    known = next((i for i, s in enumerate(steps) if _is_unknown(s)), len(steps))
    found = _in_memory(shape, steps[:known])
    copies = [i for i, (a, b) in enumerate(pairwise(found), 1) if b.size and not np.may_share_memory(a, b)]
    return copies[-1] if copies else 0


def _put(base: Array, steps: Steps, own: Array, key: Any, value: Any) -> None:
    """Write to the tensor that a view was made of by some steps."""
    if steps and not (key is Ellipsis and _is_key(steps[-1])):
        changed = _unlinked(own)
        changed[key] = value
        key, value = Ellipsis, changed
    to = _unlinked(base)
    if steps and _is_key(steps[0]):
        to[steps[0][1][0]] = _spread(_taken(to, steps[:1]), steps[1:], value)
    elif steps:
        to[...] = _spread(to, steps, value)
    else:
        to[key] = value
    base._data, base._sig = to._array._data, to._array._sig


def _spread(x: Any, steps: Steps, value: Any) -> Any:
    """Return a tensor with another value where some steps lead to."""
    if not steps:
        return value
    if _is_key(steps[0]):
        made = _unlinked(x._array)
        made[steps[0][1][0]] = _spread(_taken(x, steps[:1]), steps[1:], value)
        return made
    count = next((i for i, s in enumerate(steps) if _is_key(s)), len(steps))
    part, rest = steps[:count], steps[count:]
    if all(f is constant for f, *_ in part):
        return _spread(x, rest, value)
    shape = x._array.shape
    view = _in_memory(shape, part)[-1]
    if rest:
        value = _spread(_taken(x, part), rest, value)
    order = sorted(range(view.ndim), key=lambda i: -view.strides[i])
    if view.size == prod(shape) and view.transpose(order).flags.c_contiguous:
        return ops.reshape(value if order == sorted(order) else ops.permute_dims(value, tuple(order)), shape)
    places = _taken(ops.asarray(np.arange(prod(shape)).reshape(shape), backend="numpy"), part)._array._data
    if len(np.unique(places)) < places.size:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    flat = _unlinked(ops.reshape(x, (-1,))._array)
    flat[ops.asarray(places.reshape(-1))] = ops.reshape(value, (-1,))
    return ops.reshape(flat, shape)


def _renew(x: Array, base: Array, steps: Steps, records: bool) -> None:
    """Make a view anew, of the tensor that was written to."""
    data = x._data
    recorded = type(data) is Taped
    kept = recorded and (not records or type(data.node) is Leaf)
    with set_grad_enabled(records and recorded and not kept):
        made = _taken(dialect.wrapped(base), steps)._array
    if kept:
        replace_value(x, unrecorded(made)._data)
        return
    if recorded:
        note_write(data)
    x._data, x._sig = made._data, made._sig
