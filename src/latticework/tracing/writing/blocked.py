"""Stretches of elementwise calls on NumPy, run block by block where the arrays are large.

A large array does not stay in the cache between two calls. In blocks of 512 KB, or 256 KB for a few arrays that are
each used often, each call reads from the cache what the one before it wrote. The elements are computed by the same
functions, and have the same bits. Smaller blocks cost more calls than the cache gives back. So do blocks of arrays of
less than 700,000 elements, whose memory is used again: measured with 1 MB of cache for a core and 32 MB for all.
`numpy.where` pays from 65,000 elements of up to 4 bytes, because `select` takes no branch for each element.

Buffers begin at a cache line, which saves up to a quarter of the time of an addition. `numpy.empty` aligns an array to
16 bytes. So where many calls write into an output, the calls before the last one write into a buffer instead.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..nodes import Block, Node, Value, values_in
from .calls import as_out

__all__ = ["BLOCK", "CHOICES", "LARGE", "Stretch", "buffer_bytes", "joins", "least", "stretches", "write_blocks"]

#: The number of elements (of up to 4 bytes) in a block, and the least size of an array that is computed in blocks.
BLOCK, LARGE = 131_072, 700_000
#: The least size of an array that is computed in blocks where a `numpy.where` of up to 4 bytes is among the calls.
CHOICES = 65_000
#: The number of arrays of half a block that fit into the cache of a core.
_FEW = 4
#: The least number of writes into an output for which a buffer pays.
_MANY = 6
#: The least number of calls for which blocks pay. A call of `numpy.where` counts as two.
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
    """Find the stretches of a block that are long enough, by the position of their first node."""
    found: dict[int, Stretch] = {}
    start, shape = 0, None
    for i, node in enumerate([*block.nodes, None]):
        if node is not None and shape is not None and joins(node, shape):
            continue
        if shape is not None and sum([1 + (n.name == "where") for n in block.nodes[start:i]]) >= _FEWEST:
            stretch = _stretch(block, start, i)
            if stretch is not None:
                found[start] = stretch
        start = i
        shape = node.result.shape if node is not None and joins(node, None) else None
    return found


def joins(node: Node, shape: tuple[int, ...] | None) -> bool:
    """Return whether a node computes one array element by element, and can write into an array.

    Parameters
    ----------
    shape: the shape of the results of the stretch that the node is to join, None for a node that begins a stretch.
    """
    result = node.result
    if not isinstance(result, Value) or not result.shape or result.element or node.kwargs or node.writes is not None:
        return False
    if shape is not None and result.shape != shape:
        return False
    for x in node.operands:
        if x.shape and x.shape != result.shape:
            return False
    return _line_of(node) is not None


# --- how a call is written in a block ---------------------------------------------------------------------------------

#: A function that writes a call. It gets the writer of the source, the node, and its operands and `out` as text.
_Line = Callable[[Any, Node, list[str], str], str]


def _line_of(node: Node) -> _Line | None:
    """Return the writer of a node in a block, None for a node that cannot write into an array."""
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
    """Return whether the first operand has the shape of the result, and all operands but None have its dtype."""
    first, *others = node.args
    same = all(x is None or (isinstance(x, Value) and x.dtype is node.result.dtype) for x in others)
    return same and isinstance(first, Value) and first.shape == node.result.shape and first.dtype is node.result.dtype


def _selects(node: Node) -> bool:
    """Return whether a call is `numpy.where` of a condition of the result's shape and two operands of its dtype."""
    function, result = node.function, node.result
    if getattr(function, "__module__", "") != "numpy" or len(node.args) != 3:
        return False
    condition, *others = node.args
    same = all(isinstance(x, Value) and x.dtype is result.dtype for x in others)
    return same and isinstance(condition, Value) and condition.dtype.kind == "b" and condition.shape == result.shape


def _ufunc(w: Any, node: Node, operands: list[str], out: str) -> str:
    return f"{w.spelling.function(node.function)}({', '.join(operands)}, {as_out(node.function, out)})"


def _where(w: Any, node: Node, operands: list[str], out: str) -> str:
    import numpy as np

    from .numpy_parts import select

    if node.result.dtype.itemsize > 8:
        chosen = f"{w.spelling.function(node.function)}({', '.join(operands)})"
        return f"{w.spelling.module('numpy')}.copyto({out}, {chosen})"
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


def write_blocks(w: Any, nodes: Sequence[Node], stretch: Stretch) -> list[str]:
    """Write the loop over the blocks of a stretch. Its outputs get the variables that `w` has for them.

    Returns
    -------
    The variables that hold memory and that nothing uses after the loop.
    """
    from .numpy_parts import aligned

    np = w.spelling.module("numpy")
    first, memory = stretch.outer[0], _Memory(nodes, stretch)
    length = _length(nodes, stretch, memory) if w.blocks is True else w.blocks
    names = {id(v): w.name(v) for v in stretch.outer}
    size = f"{names[id(first)]}.size"
    whole: dict[int, str] = {}
    for v in stretch.outer:
        whole[id(v)] = w.spelling.fresh(f"{_bare(names[id(v)])}_flat")
        w.line(f"{whole[id(v)]} = {names[id(v)]}.reshape(-1)")
    for v in memory.outputs:
        name = w.name(v)
        native = w.spelling.expression(w.backend.native_dtypes[v.dtype])
        w.line(f"{name} = {np}.empty({names[id(first)]}.shape, {native})")
        whole[id(memory.root(v))] = w.spelling.fresh(f"{_bare(name)}_flat")
        w.line(f"{whole[id(memory.root(v))]} = {name}.reshape(-1)")
    buffers = [w.spelling.fresh("buffer") for _ in memory.buffers]
    count = str(length)
    if length > least(nodes) // 2:  # at least two blocks, because buffers of the whole size would take more memory
        count = w.spelling.fresh("length")
        w.line(f"{count} = min({length}, {size} // 128 * 64 + 64)")
    for name, dtype in zip(buffers, memory.buffers, strict=True):
        make = w.spelling.function(aligned)
        w.line(f"{name} = {make}({count}, {w.spelling.expression(w.backend.native_dtypes[dtype])})")
    start, stop = w.spelling.fresh("start"), w.spelling.fresh("stop")
    w.line(f"for {start} in range(0, {size}, {count}):")
    w.depth += 1
    w.line(f"{stop} = min({start} + {count}, {size})")
    parts: dict[int, str] = {}
    for key, name in whole.items():
        parts[key] = w.spelling.fresh(name.replace("_flat", "_part"))
        w.line(f"{parts[key]} = {name}[{start}:{stop}]")
    of_buffers = [w.spelling.fresh(f"{name}_part") for name in buffers]
    for part, name in zip(of_buffers, buffers, strict=True):
        w.line(f"{part} = {name}[: {stop} - {start}]")

    def at(v: Any) -> str:
        if not isinstance(v, Value) or not v.shape:
            return str(w.expression(v))
        root = id(memory.root(v))
        return parts[root] if root in parts else of_buffers[memory.buffer_of[root]]

    for node in nodes:
        line = _line_of(node)
        if line is not None:
            w.line(line(w, node, [*map(at, node.args)], at(node.result)))
    w.depth -= 1
    ended = []
    for v in stretch.outputs:
        found = names.get(id(memory.root(v)))
        if found not in (None, w.name(v)):  # it has the memory of an array from outside
            w.line(f"{w.name(v)} = {found}")
            ended.append(found)
    return [*ended, *whole.values(), *parts.values(), *buffers, *of_buffers]


def least(nodes: Sequence[Node]) -> int:
    """Return the least size of an array that is computed in blocks."""
    chooses = any(node.name == "where" and node.result.dtype.itemsize <= 4 for node in nodes)
    return min(CHOICES, LARGE) if chooses else LARGE


def _length(nodes: Sequence[Node], stretch: Stretch, memory: _Memory) -> int:
    """Return the elements of a block: half as many where all arrays then stay in the cache, and each is used often."""
    widest: int = max([4, *[v.dtype.itemsize for node in nodes for v in (*node.operands, node.result)]])
    count = len(stretch.outer) + len(memory.outputs) + len(memory.buffers)
    few = count <= _FEW and len(nodes) > 2 * count
    return max(1, 4 * BLOCK // widest // (2 if few else 1))


def buffer_bytes(nodes: Sequence[Node], stretch: Stretch) -> int:
    """Return the bytes of the buffers of a stretch."""
    memory = _Memory(nodes, stretch)
    wide: int = sum([dtype.itemsize for dtype in memory.buffers])
    count: int = min(_length(nodes, stretch, memory), math.prod(stretch.outer[0].shape) // 128 * 64 + 64)
    return count * wide


def _bare(name: str) -> str:
    return name if name.isidentifier() else "t"


def _taken_over(nodes: Sequence[Node], stretch: Stretch) -> list[Value | None]:
    """Return for each node the value whose memory its result takes. In blocks, `where` may take an operand's memory."""
    last = {id(v): i for i, node in enumerate(nodes) for v in node.operands}
    lasting = {id(v) for v in (*stretch.outer, *stretch.outputs)}
    found = []
    for i, node in enumerate(nodes):
        ended = [] if node.name != "where" else [
            v for v in node.args[1:]
            if v.shape and v.dtype is node.result.dtype and id(v) not in lasting and last[id(v)] == i
            and sum([v is x for x in node.operands]) == 1
        ]  # fmt: skip
        found.append(ended[0] if ended else node.out)
    return found


class _Memory:
    """The memory of each result of a stretch: an array from outside, an output or a buffer.

    Attributes
    ----------
    outputs: the results that need an array of their own.
    buffers: the dtypes of buffers of one block.
    buffer_of: the id of a root -> the number of its buffer.
    """

    def __init__(self, nodes: Sequence[Node], stretch: Stretch) -> None:
        outer = {id(v) for v in stretch.outer}
        self._root: dict[int, Value] = {id(v): v for v in stretch.outer}
        for node, out in zip(nodes, _taken_over(nodes, stretch), strict=True):
            self._root[id(node.result)] = node.result if out is None else self._root[id(out)]
        writes = Counter([id(self.root(node.result)) for node in nodes])
        for v in stretch.outputs:
            if id(self.root(v)) not in outer and writes[id(self.root(v))] >= _MANY:
                self._root[id(v)] = v
        self.outputs = [v for v in stretch.outputs if id(self.root(v)) not in outer]
        lasting = {id(self.root(v)) for v in self.outputs} | outer
        self.buffers: list[Any] = []
        self.buffer_of: dict[int, int] = {}
        last: dict[int, int] = {}
        for i, node in enumerate(nodes):
            for v in (*node.operands, node.result):
                if id(v) in self._root:
                    last[id(self.root(v))] = i
        free: dict[Any, list[int]] = {}
        for i, node in enumerate(nodes):
            root = self.root(node.result)
            if id(root) not in lasting and id(root) not in self.buffer_of:
                kept = free.setdefault(root.dtype, [])
                if not kept:
                    kept.append(len(self.buffers))
                    self.buffers.append(root.dtype)
                self.buffer_of[id(root)] = kept.pop()
            for v in (*node.operands, node.result):
                key = id(self._root[id(v)]) if id(v) in self._root else None
                if key in self.buffer_of and last[key] == i:
                    number = self.buffer_of[key]
                    kept = free.setdefault(self.buffers[number], [])
                    if number not in kept:
                        kept.append(number)

    def root(self, v: Value) -> Value:
        """Return the value whose memory a value has taken over, or the value itself."""
        return self._root[id(v)]
