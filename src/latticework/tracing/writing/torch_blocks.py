"""Stretches of elementwise calls on PyTorch, run block by block where the tensors are large and one thread computes.

A large tensor does not stay in the cache between two calls, and the memory of a new one has to be mapped. In blocks of
131,072 elements, each call reads what the one before it has just written, into memory that is used again. Calls write
with ``out=``, for which PyTorch takes no derivative. So the source asks the backend's `_in_blocks` about derivatives.

The elements have the same bits. Some functions of PyTorch, such as `atan2` and `maximum`, give an element other bits in
their vectorised loop than in the loop over the remaining elements. Blocks that begin at multiples of 64 elements keep
the remaining elements the same. Several threads would not: they share a block in other parts than the whole tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..nodes import Block, Constant, Node, Value
from .blocked import Stretch, _stretch
from .spelling import public_name

__all__ = ["BLOCK", "FUNCTIONS", "LARGE", "condition", "stretches", "write_blocks"]

#: The elements of a block, and of the smallest tensor that is computed in blocks.
BLOCK, LARGE = 131_072, 524_288
#: The least number of calls for which blocks pay. Only calls whose time is that of reading and writing count.
_FEWEST = 3

#: Functions that can write into a tensor, and compute each element from one element of each operand.
FUNCTIONS = frozenset(
    """
    abs acos acosh add asin asinh atan atan2 atanh ceil clamp copysign cos cosh div divide eq erf erfc exp exp2 expm1
    floor fmax fmin fmod ge gt hypot le log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or lt
    maximum minimum mul multiply ne neg negative pow reciprocal remainder round rsqrt sigmoid sign signbit sin sinh sqrt
    square sub subtract tan tanh trunc where
    """.split()
)
#: Functions whose time is that of reading and writing.
_LIGHT = frozenset(
    """
    abs add ceil clamp copysign div divide eq floor fmax fmin ge gt le logical_and logical_not logical_or lt maximum
    minimum mul multiply ne neg negative reciprocal round sign signbit square sub subtract trunc
    """.split()
)
_COMPARISONS = frozenset("eq ge gt le lt ne".split())


def stretches(block: Block) -> dict[int, Stretch]:
    """Find the stretches of a block that are long enough, by the position of their first node."""
    found: dict[int, Stretch] = {}
    start, shape = 0, None
    for i, node in enumerate([*block.nodes, None]):
        fits = node.result.shape if node is not None and _fits(node) else None
        if fits is not None and fits == shape:
            continue
        if shape is not None and sum([_name(n) in _LIGHT for n in block.nodes[start:i]]) >= _FEWEST:
            stretch = _stretch(block, start, i)
            if stretch is not None and stretch.outputs:
                found[start] = stretch
        start, shape = i, fits
    return found


def _name(node: Node) -> str:
    module, _, name = (public_name("torch", node.function) or "").rpartition(".")
    return name if module == "torch" else ""


def _fits(node: Node) -> bool:
    """Return whether a node computes a tensor element by element from others of its shape or 0-d, and casts nothing."""
    name, result = _name(node), node.result
    if name not in FUNCTIONS or node.kwargs or node.writes is not None:
        return False
    if not isinstance(result, Value) or not result.shape:
        return False
    args = [x for x in node.args if isinstance(x, Value)]
    if any(x.shape not in (result.shape, ()) for x in args) or not any(x.shape for x in args):
        return False
    if any(not isinstance(x, Value) and type(x) not in (int, float) for x in node.args):
        return False
    dtypes = [x.dtype for x in args]
    if name == "where":
        first, *dtypes = dtypes
        if first.kind != "b" or len(node.args) != 3 or args[0] is not node.args[0]:
            return False
    one = len({*dtypes}) == 1 and _is_plain(dtypes[0])
    return one and (result.dtype is dtypes[0] or (name in _COMPARISONS and result.dtype.kind == "b"))


def _is_plain(dtype: Any) -> bool:
    return dtype.kind == "b" or (dtype.kind == "f" and dtype.bits in (32, 64) and not dtype.storage)


def condition(w: Any, nodes: Sequence[Node], stretch: Stretch) -> str:
    """Write the condition under which a stretch is not computed in blocks.

    The first two parts take a tenth of a microsecond for short tensors. Tracers without extents stop at the first part.
    """
    first = w.name(stretch.outer[0])
    outside = {id(v): v for v in stretch.outer}
    for node in nodes:
        for v in node.operands:
            if not v.shape and not (isinstance(v, Constant) and v.number):
                outside[id(v)] = v
    check = w.spelling.function(w.backend.module._in_blocks)
    names = ", ".join([w.name(v) for v in outside.values()])
    torch = w.spelling.module("torch")
    return f"type({first}) is not {torch}.Tensor or {first}.numel() < {LARGE} or not {check}({names})"


def write_blocks(w: Any, nodes: Sequence[Node], stretch: Stretch) -> list[str]:
    """Write the loop over the blocks of a stretch. Its outputs get the variables that `w` has for them.

    Returns
    -------
    The variables that hold memory and that nothing uses after the loop.
    """
    torch = w.spelling.module("torch")
    first = w.name(stretch.outer[0])
    taken, buffers = _memory(nodes, stretch)
    parts: dict[int, str] = {}
    whole = []
    for v in (*stretch.outer, *stretch.outputs):
        name = w.name(v)
        if id(v) in taken:
            w.line(f"{name} = {torch}.empty_like({first}{_dtype(w, v, stretch)})")
        parts[id(v)] = w.spelling.fresh(f"{name if name.isidentifier() else 't'}_part")
        whole.append(name)
    of_buffers = [w.spelling.fresh("buffer") for _ in buffers]
    for name, v in zip(of_buffers, buffers, strict=True):
        w.line(f"{name} = {first}.new_empty({BLOCK}{_dtype(w, v, stretch)})")
    each = w.spelling.fresh("v")
    pieces = f"[{each}.view(-1).split({BLOCK}) for {each} in ({', '.join(whole)},)]"
    w.line(f"for {', '.join(parts.values())} in zip(*{pieces}, strict=True):")
    w.depth += 1
    memories = [parts[id(v)] for v in stretch.outputs]
    for name in of_buffers:
        memories.append(w.spelling.fresh(f"{name}_part"))
        w.line(f"{memories[-1]} = {name}[: {parts[id(stretch.outer[0])]}.numel()]")

    def at(x: Any) -> str:
        if not isinstance(x, Value) or not x.shape:
            return str(w.expression(x))
        return memories[taken[id(x)]] if id(x) in taken else parts[id(x)]

    for node in nodes:
        operands = ", ".join(map(at, node.args))
        w.line(f"{w.spelling.function(node.function)}({operands}, out={at(node.result)})")
    w.depth -= 1
    return [*parts.values(), *of_buffers, *memories[len(stretch.outputs) :]]


def _dtype(w: Any, v: Value, stretch: Stretch) -> str:
    """Write the argument for the dtype of a new tensor, where it is not the dtype of the first tensor."""
    return (
        ""
        if v.dtype is stretch.outer[0].dtype
        else f", dtype={w.spelling.expression(w.backend.native_dtypes[v.dtype])}"
    )


def _memory(nodes: Sequence[Node], stretch: Stretch) -> tuple[dict[int, int], list[Value]]:
    """Choose the memory of each result: an output that is not computed yet, or a buffer.

    To write early into the memory of an output takes less time than to write into a buffer, and then into the output.

    Returns
    -------
    The id of each result -> the number of its memory, outputs first; and a value of the dtype of each buffer.
    """
    outputs = stretch.outputs
    taken = {id(v): number for number, v in enumerate(outputs)}
    last = {id(v): i for i, node in enumerate(nodes) for v in (node.result, *node.operands)}
    made = {id(node.result): i for i, node in enumerate(nodes)}
    dtypes = [v.dtype for v in outputs]
    until = [made[id(v)] for v in outputs]  # where the memory is needed for the output itself
    free = [*range(len(outputs))]
    buffers: list[Value] = []
    for i, node in enumerate(nodes):
        result = node.result
        ended = [taken[id(v)] for v in node.operands if id(v) in taken and last[id(v)] == i]
        free += [number for number in dict.fromkeys(ended) if until[number] >= i and number not in free]
        if id(result) in taken:
            if taken[id(result)] in free:
                free.remove(taken[id(result)])
            continue
        fitting = [n for n in free if dtypes[n] is result.dtype and until[n] >= last[id(result)]]
        if not fitting:
            fitting = [len(dtypes)]
            dtypes.append(result.dtype)
            until.append(len(nodes))
            buffers.append(result)
            free += fitting
        chosen = next((n for n in fitting if n in ended), fitting[0])
        free.remove(chosen)
        taken[id(result)] = chosen
        if last[id(result)] == i:
            free.append(chosen)
    return taken, buffers
