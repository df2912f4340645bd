"""Stretches of elementwise calls on NumPy, run block by block where the arrays are large.

A large array does not stay in the cache between two calls. In blocks of 65,536 elements, each call reads what the one
before it has just written. The elements are computed by the same functions, and have the same bits. Smaller blocks cost
more calls than the cache gives back, and so do blocks of arrays of less than 700,000 elements, whose memory is used
again: measured with 1 MB of cache for a core.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .nodes import Block, Node, Value, values_in
from .writing import as_out

__all__ = ["BLOCK", "LARGE", "Stretch", "stretches", "write_blocks"]

#: The elements of a block, and of the least array that is computed in blocks.
BLOCK, LARGE = 65_536, 700_000
#: The least number of calls that blocks are worth. A call of `numpy.where` counts as two.
_FEWEST = 3


class Stretch(NamedTuple):
    """Consecutive elementwise nodes with results of one shape.

    Attributes
    ----------
    start, stop: the positions of its nodes in the block.
    outer: the arrays of that shape that it reads from outside.
    outputs: the results that are used outside.
    """

    start: int
    stop: int
    outer: list[Value]
    outputs: list[Value]


def stretches(block: Block) -> dict[int, Stretch]:
    """The stretches of a block that are long enough, by the position of their first node."""
    found: dict[int, Stretch] = {}
    start, shape = 0, None
    for i, node in enumerate([*block.nodes, None]):
        fits = node is not None and _elementwise(node)
        if fits and node is not None and shape is not None and node.result.shape == shape and _joins(node, shape):
            continue
        if shape is not None and sum([1 + (n.name == "where") for n in block.nodes[start:i]]) >= _FEWEST:
            stretch = _stretch(block, start, i)
            if stretch is not None:
                found[start] = stretch
        start = i
        shape = node.result.shape if fits and node is not None and _joins(node, node.result.shape) else None
    return found


def _elementwise(node: Node) -> bool:
    """Whether a node computes one array element by element, and can write into an array."""
    result = node.result
    if not isinstance(result, Value) or not result.shape or result.element or node.kwargs:
        return False
    return _line_of(node) is not None


def _joins(node: Node, shape: tuple[int, ...]) -> bool:
    """Whether all operands are of a shape, or without dimensions."""
    return all(not isinstance(x, Value) or x.shape in (shape, ()) for x in node.args)


# --- how a call is written in a block ---------------------------------------------------------------------------------

#: Writes a call: from the writer of the source, the node, its operands and what it writes into, all as text.
_Line = Callable[[Any, Node, list[str], str], str]


def _line_of(node: Node) -> _Line | None:
    """What writes a node in a block, None for a node that cannot write into an array."""
    function = node.function
    if hasattr(function, "reduceat"):
        return None if getattr(function, "signature", None) is not None else _ufunc
    if node.name == "where":
        return _where if _selects(node) else None
    if type(function) is operator.methodcaller:
        return _cast if node.name == "cast" and function.__reduce__()[1][0] == "astype" else None
    return _clip if _is_method(function, "clip") and _keeps_dtype(node) else None


def _is_method(function: Any, name: str) -> bool:
    owner = getattr(function, "__objclass__", None)
    return owner is not None and owner.__module__ == "numpy" and function.__name__ == name


def _keeps_dtype(node: Node) -> bool:
    """Whether the first operand has the shape of the result, and all have its dtype."""
    first, *others = node.args
    same = all(x is None or (isinstance(x, Value) and x.dtype is node.result.dtype) for x in others)
    return same and isinstance(first, Value) and first.shape == node.result.shape and first.dtype is node.result.dtype


def _selects(node: Node) -> bool:
    """Whether a call is `numpy.where` of a condition of the result's shape and of two operands of its dtype."""
    function, result = node.function, node.result
    if getattr(function, "__module__", "") != "numpy" or len(node.args) != 3 or result.dtype.itemsize not in _BITS:
        return False
    condition, *others = node.args
    same = all(isinstance(x, Value) and x.dtype is result.dtype for x in others)
    return same and isinstance(condition, Value) and condition.dtype.kind == "b" and condition.shape == result.shape


#: The sizes of elements for which NumPy has an integer dtype.
_BITS = (1, 2, 4, 8)


def _ufunc(w: Any, node: Node, operands: list[str], out: str) -> str:
    return f"{w.spelling.function(node.function)}({', '.join(operands)}, {as_out(node.function, out)})"


def _where(w: Any, node: Node, operands: list[str], out: str) -> str:
    import numpy as np

    from ..backends.numpy.bits import select

    bits = w.spelling.expression(np.dtype(f"i{node.result.dtype.itemsize}"))
    return f"{w.spelling.function(select)}({', '.join(operands)}, {out}, {bits})"


def _cast(w: Any, node: Node, operands: list[str], out: str) -> str:
    return f'{w.spelling.module("numpy")}.copyto({out}, {operands[0]}, "unsafe")'


def _clip(w: Any, node: Node, operands: list[str], out: str) -> str:
    return f"{operands[0]}.clip({', '.join([*operands[1:], out])})"


# --- stretches --------------------------------------------------------------------------------------------------------


def _stretch(block: Block, start: int, stop: int) -> Stretch | None:
    nodes = block.nodes[start:stop]
    made = {id(node.result) for node in nodes}
    outer: dict[int, Value] = {}
    for node in nodes:
        for v in node.operands:
            if v.shape and id(v) not in made:
                outer[id(v)] = v
    after = {id(v) for v in values_in(block.outputs)}
    for node in block.nodes[stop:]:
        after |= {id(v) for v in node.uses()}
    outputs = [node.result for node in nodes if id(node.result) in after]
    return Stretch(start, stop, [*outer.values()], outputs) if outer else None


def write_blocks(w: Any, nodes: Sequence[Node], stretch: Stretch) -> None:
    """Write the loop over the blocks of a stretch. The variables of its outputs are those that `w` has for them."""
    np = w.spelling.module("numpy")
    first = stretch.outer[0]
    elements = BLOCK if w.blocks is True else w.blocks
    memory = _Memory(w, nodes, stretch)
    names = {id(v): w.name(v) for v in stretch.outer}
    size = f"{names[id(first)]}.size"
    whole: dict[int, str] = {}
    for v in stretch.outer:
        whole[id(v)] = w.spelling.fresh(f"{_bare(names[id(v)])}_flat")
        w.line(f"{whole[id(v)]} = {names[id(v)]}.reshape(-1)")
    for v in memory.outputs:
        name = w.name(v)
        if name not in names.values() or id(memory.root(v)) not in whole:
            native = w.spelling.expression(w.backend.native[v.dtype])
            w.line(f"{name} = {np}.empty({names[id(first)]}.shape, {native})")
            whole[id(memory.root(v))] = w.spelling.fresh(f"{_bare(name)}_flat")
            w.line(f"{whole[id(memory.root(v))]} = {name}.reshape(-1)")
    for name, dtype in memory.buffers.items():
        w.line(f"{name} = {np}.empty({elements}, {w.spelling.expression(w.backend.native[dtype])})")
    start, stop = w.spelling.fresh("start"), w.spelling.fresh("stop")
    w.line(f"for {start} in range(0, {size}, {elements}):")
    w.depth += 1
    w.line(f"{stop} = min({start} + {elements}, {size})")
    parts: dict[int, str] = {}
    for key, name in whole.items():
        parts[key] = w.spelling.fresh(name.replace("_flat", "_part"))
        w.line(f"{parts[key]} = {name}[{start}:{stop}]")
    for name in memory.buffers:
        part = w.spelling.fresh(f"{name}_part")
        w.line(f"{part} = {name}[: {stop} - {start}]")
        memory.parts[name] = part

    def at(v: Any) -> str:
        if not isinstance(v, Value) or not v.shape:
            return str(w.expression(v))
        root = id(memory.root(v))
        return parts[root] if root in parts else memory.parts[memory.buffer_of[root]]

    for node in nodes:
        line = _line_of(node)
        if line is not None:
            w.line(line(w, node, [*map(at, node.args)], at(node.result)))
    w.depth -= 1


def _bare(name: str) -> str:
    return name if name.isidentifier() else "t"


class _Memory:
    """Which memory each result of a stretch takes: that of an array from outside, of an output, or of a buffer.

    Attributes
    ----------
    outputs: the results that need an array of their own.
    buffers: name -> dtype, of buffers of one block.
    buffer_of: the root of results -> the name of their buffer.
    parts: name of a buffer -> the variable of its part in the loop.
    """

    def __init__(self, w: Any, nodes: Sequence[Node], stretch: Stretch) -> None:
        self._root: dict[int, Value] = {id(v): v for v in stretch.outer}
        for node in nodes:
            self._root[id(node.result)] = node.result if node.out is None else self._root[id(node.out)]
        outer = {id(v) for v in stretch.outer}
        self.outputs = [v for v in stretch.outputs if id(self.root(v)) not in outer]
        lasting = {id(self.root(v)) for v in self.outputs} | outer
        self.buffers: dict[str, Any] = {}
        self.buffer_of: dict[int, str] = {}
        self.parts: dict[str, str] = {}
        last: dict[int, int] = {}
        for i, node in enumerate(nodes):
            for v in (*node.operands, node.result):
                if id(v) in self._root:
                    last[id(self.root(v))] = i
        free: dict[Any, list[str]] = {}
        for i, node in enumerate(nodes):
            root = self.root(node.result)
            if id(root) not in lasting and id(root) not in self.buffer_of:
                kept = free.setdefault(root.dtype, [])
                name = kept.pop() if kept else w.spelling.fresh("buffer")
                self.buffers[name] = root.dtype
                self.buffer_of[id(root)] = name
            for v in (*node.operands, node.result):
                key = id(self._root[id(v)]) if id(v) in self._root else None
                if key in self.buffer_of and last[key] == i:
                    name = self.buffer_of[key]
                    kept = free.setdefault(self.buffers[name], [])
                    if name not in kept:
                        kept.append(name)

    def root(self, v: Value) -> Value:
        """The result whose memory a result has taken over, or itself."""
        return self._root[id(v)]
