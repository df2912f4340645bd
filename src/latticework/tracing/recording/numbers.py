"""Check that a program computes the same with numbers as inputs as with plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..nodes import Block, Constant, Node, NumberValue, Value, mapped, values_in
from .recorder import Guard

__all__ = ["alike", "another"]

#: The names of nodes whose function is a new object each time, and is determined by their blocks.
_LOCAL = frozenset(("pullback", "function"))


def alike(block: Block, plain: Block, numbers: Sequence[Any], given: Sequence[Any]) -> bool:
    """Return whether a program that was recorded with numbers as inputs makes the same calls with plain numbers.

    Parameters
    ----------
    plain: the same program, recorded with the same arrays and these numbers, plain.
    numbers: the plain numbers. They may differ from the inputs with which the program was recorded.
    given: the numbers that the plain program returned in the places of numbers computed from inputs.
    """
    found: dict[int, Any] = {}
    inputs = [v for v in block.inputs if isinstance(v, NumberValue)]
    found.update({id(v): x for v, x in zip(inputs, numbers, strict=True)})
    if not _alike(block, plain, found):
        return False
    return _same([found[id(v)] for v in block.outputs if isinstance(v, NumberValue)], [*given])


def another(x: Any, guards: Sequence[Guard]) -> Any:
    """Find a number of the same type for which the same comparisons hold, and which is hardly special to a program.
    Return the number itself where none is found."""
    others = (x + 5, x - 3, x + 1) if type(x) is int else (x * 1.37 + 0.618, x * 0.73 - 0.11, x * 1.01)
    return next((other for other in others if all(guard.holds(other) for guard in guards)), x)


def _alike(block: Block, plain: Block, found: dict[int, Any]) -> bool:
    """Like `alike`, for blocks inside of others.

    Parameters
    ----------
    found: the id of a value -> the other value, or the number, that is in its place with plain numbers.
    """
    arrays = [v for v in block.inputs if not isinstance(v, NumberValue)]
    if len(arrays) != len(plain.inputs):
        return False
    found.update({id(v): other for v, other in zip(arrays, plain.inputs, strict=True)})
    rest = iter([*plain.nodes, None])
    following = next(rest)
    for node in block.nodes:
        args, kw = mapped((node.args, node.kwargs), Value, lambda v: found.get(id(v), v))
        alone = node.name == "number" or (node.name == "scalar" and not values_in((args, kw)))
        if alone and not _same_call(node, following, args, kw):
            found[id(node.result)] = node.function(*args, **kw)  # a number, or a scalar that is no array
        elif (
            following is not None
            and _same_call(node, following, args, kw)
            and _same_blocks(node, following, found)
            and _name_results(node, following, found)
        ):
            following = next(rest)
        else:
            return False
    arrays = [v for v in values_in(block.outputs) if not isinstance(v, NumberValue)]
    return following is None and _same([found.get(id(v), v) for v in arrays], values_in(plain.outputs))


def _same_call(node: Node, other: Node | None, args: Any, kw: Any) -> bool:
    """Return whether two nodes call the same function with the same arguments."""
    if other is None or node.name != other.name:
        return False
    if node.function != other.function and node.name not in _LOCAL:
        return False
    return _same((args, kw), (other.args, other.kwargs))


def _same_blocks(node: Node, other: Node, found: dict[int, Any]) -> bool:
    pairs = zip(node.blocks, other.blocks, strict=False)
    return len(node.blocks) == len(other.blocks) and all(_alike(a, b, found) for a, b in pairs)


def _name_results(node: Node, other: Node, found: dict[int, Any]) -> bool:
    """Note which values are in the places of the results. Return whether there are as many, and the writes match."""
    results, others = node.results, other.results
    written = (node.writes is None) == (other.writes is None)
    if node.writes is not None and other.writes is not None:
        written = _same(found.get(id(node.writes), node.writes), other.writes)
    found.update({id(v): x for v, x in zip(results, others, strict=False)})
    return written and len(results) == len(others)


def _same(x: Any, y: Any) -> bool:
    """Return whether arguments are the same: numbers by their bits, arrays that the program made by their elements."""
    import numpy as np  # here, because importing latticework imports no framework

    if x is y:
        return True
    if isinstance(x, Constant) and isinstance(y, Constant):
        return x.native is y.native or (not (x.held or y.held) and _same(np.asarray(x.native), np.asarray(y.native)))
    if type(x) is not type(y) or isinstance(x, Value):
        return False
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(_same, x, y))
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(_same(value, y[key]) for key, value in x.items())
    if isinstance(x, slice):
        return _same((x.start, x.stop, x.step), (y.start, y.stop, y.step))
    if isinstance(x, (np.ndarray, np.generic)):
        return bool(x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes())
    if isinstance(x, (float, complex)):
        return repr(x) == repr(y)
    return bool(x == y)
