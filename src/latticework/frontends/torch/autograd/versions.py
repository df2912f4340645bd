"""Writes to tensors that a derivative still needs: PyTorch's error for them.

A recorded call keeps what it was given. Where a tensor is written to after that, a value of a tape stays as it was, and
memory of NumPy changes. In both cases the derivative is refused, as PyTorch refuses it, if the rule of the call reads
that operand or that result.
"""

from __future__ import annotations

import dis
from functools import cache
from inspect import signature
from typing import Any
from weakref import WeakSet, ref

from numpy import ndarray

from ....derivatives.rules import Rule, _Elementwise, _Linear
from ....derivatives.tape import Node, Taped, next_number, value_of

__all__ = ["check", "note_memory", "note_write"]

#: The values of tapes that tensors had before they were written to.
_written: WeakSet[Taped] = WeakSet()
#: The memory of NumPy's that was written to: by its id, itself and the number of the call that comes next.
_memory: dict[int, tuple[Any, int]] = {}
_last = [0]

#: Functions whose rules are given as a whole and read the result.
_READ_RESULT = frozenset("softmax log_softmax cumprod logsumexp linalg.inv linalg.cholesky linalg.qr".split())
#: Functions whose rules read the result, where PyTorch's read the operands: it lets programs write to the result.
_BY_OPERANDS = frozenset(["divide"])


def note_write(x: Taped) -> None:
    """Note that a tensor whose value is that of a tape is written to."""
    _last[0] = next_number()
    _written.add(x)
    x.node.written = {*(x.node.written or ()), x.place}


def note_memory(x: Any) -> None:
    """Note that a tensor, or its array, is written to where it has memory of NumPy's."""
    data = x._data
    if type(data) is not ndarray:
        return
    base = _base(data)
    key, number = id(base), next_number()
    _last[0] = number
    _memory[key] = ref(base, lambda _: _memory.pop(key, None)), number


def _base(x: Any) -> Any:
    while type(found := getattr(x, "base", None)) is type(x):
        x = found
    return x


def check(node: Node) -> None:
    """Refuse a call that was given, or gave, what was written to later, if its rule reads that.

    Raises
    ------
    RuntimeError: there is such an operand or result.
    """
    if node.number > _last[0] or not node.args:
        return
    differentiated = [i for i, x in enumerate(node.args) if type(x) is Taped]
    for i, x in enumerate(node.args):
        for y in x if type(x) in (list, tuple) else (x,):
            if _is_stale(node, y) and _reads(node.rule, i, differentiated):
                raise _error(node, f"argument {i + 1}")
    several = isinstance(node.out, (list, tuple))
    for place, value in enumerate(node.out if several else (node.out,)):
        stale = place in (node.written or ()) and node.rule.name not in _BY_OPERANDS
        if (stale or _changed(node, value)) and _reads_result(node.rule, differentiated):
            raise _error(node, "the result")


def _is_stale(node: Node, x: Any) -> bool:
    return (type(x) is Taped and x in _written) or _changed(node, x)


def _changed(node: Node, x: Any) -> bool:
    if not _memory or x is None:
        return False
    found = _memory.get(id(_base(value_of(x))))
    return found is not None and found[1] > node.number


def _reads(rule: Rule, place: int, differentiated: list[int]) -> bool:
    """Return whether a rule reads an operand, to differentiate by some of them."""
    if isinstance(rule, _Linear):
        return not rule.jointly and any(i != place for i in differentiated)
    if isinstance(rule, _Elementwise):
        return any(place + 1 in _read_by(rule.slopes[i]) for i in differentiated if i < len(rule.slopes))
    return rule.name not in ("astype", "copy", "getitem", "setitem")


def _reads_result(rule: Rule, differentiated: list[int]) -> bool:
    """Return whether a rule reads the result, to differentiate by some of the operands."""
    if isinstance(rule, _Elementwise):
        return any(0 in _read_by(rule.slopes[i]) for i in differentiated if i < len(rule.slopes))
    return rule.name in _READ_RESULT


@cache
def _read_by(slope: Any) -> frozenset[int]:
    """Return the positions of the parameters that a slope reads: 0 for the result, and its operands after that."""
    if not callable(slope):
        return frozenset()
    names = [*signature(slope).parameters]
    loads = [i for i in dis.get_instructions(slope) if any(word in i.opname for word in _LOADS)]
    loaded = {name for i in loads for name in (i.argval if isinstance(i.argval, tuple) else (i.argval,))}
    return frozenset(i for i, name in enumerate(names) if name in loaded)


#: In the names of the instructions that load variables: since CPython 3.13 one may load two.
_LOADS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE")


def _error(node: Node, what: str) -> RuntimeError:
    name = node.rule.name.rpartition(".")[2]
    return RuntimeError(
        f"one of the variables needed for gradient computation has been modified by an inplace operation: {what} of "
        f"{name}, which was written to after {name} was called. Compute a new tensor in the place of the write, or "
        f"write to a clone()"
    )
