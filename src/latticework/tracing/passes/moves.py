"""Calls of a model that move elements, where arrays never change: no copies, no transposes of transposes, and one call
that splits an array for several that take its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes import Block, Node, Value, mapped
from .liveness import all_blocks
from .whole import leave_out_unused

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["without_moves"]

#: What may be left out where nobody uses it: in a loop or a loss, other calls may be there for what they do.
_MOVES = ("copy", "permute_dims", "matrix_transpose")
#: The axes of queries, keys and values, from PyTorch's order (heads before positions) to JAX's, and back.
_HEADS = (0, 2, 1, 3)


def without_moves(block: Block, backend: Backend) -> None:
    """Leave out copies, join transposes and split arrays at once, on a backend whose arrays never change."""
    if not backend.facts.immutable:
        return
    for one in all_blocks(block):
        if backend.name == "jax":
            one.nodes[:] = [part for node in one.nodes for part in _attention(node, backend)]
        _split(one, backend)
    same: dict[int, Any] = {}  # value -> the value with the same elements
    moved: dict[int, tuple[tuple[int, ...], Value]] = {}  # value -> what it is a transpose of, with the axes

    def final(x: Value) -> Any:
        return same.get(id(x), x)

    for one in all_blocks(block):
        nodes = []
        for node in one.nodes:
            node = node.with_arguments(mapped(node.args, Value, final), mapped(node.kwargs, Value, final))
            nodes.append(node)
            x = node.args[0] if node.args else None
            if node.writes is not None or not isinstance(node.result, Value) or not isinstance(x, Value):
                continue
            if node.name == "copy" and len(node.args) == 1 and not node.kwargs and x.element is node.result.element:
                same[id(node.result)] = x
                continue
            axes = _axes(node)
            if axes is None:
                continue
            before, source = moved.get(id(x), (None, x))
            axes = axes if before is None else tuple([before[n] for n in axes])
            if axes == tuple(range(len(axes))):
                same[id(node.result)] = source
                continue
            moved[id(node.result)] = axes, source
            if before is not None:
                function = backend.function("permute_dims", source.dtype)
                nodes[-1] = node.replaced(function=function, name="permute_dims", args=(source, axes), kwargs={})
        one.nodes[:] = nodes
        one.outputs[:] = mapped(one.outputs, Value, final)
    for one in all_blocks(block):
        leave_out_unused(one, _MOVES)


def _axes(node: Node) -> tuple[int, ...] | None:
    """Return the axes of the operand in the order of the result's, None for a call that does not transpose."""
    if node.kwargs or node.result.element:
        return None
    count = len(node.args[0].shape)
    if node.name == "permute_dims" and len(node.args) == 2:
        return tuple([n % count for n in node.args[1]])
    if node.name == "matrix_transpose" and len(node.args) == 1:
        return *range(count - 2), count - 1, count - 2
    return None


def _split(block: Block, backend: Backend) -> None:
    """Write parts of the same size, which together are an array, as one call."""
    parts: dict[tuple[int, int, int], list[tuple[int, Node]]] = {}  # array, axis and size -> where each part begins
    for node in block.nodes:
        if node.name != "index" or len(node.args) != 2 or node.kwargs or not isinstance(node.args[1], tuple):
            continue
        x, keys = node.args
        taken = [i for i, key in enumerate(keys) if key != slice(None)]
        if len(taken) == 1 and all(type(key) is slice for key in keys) and not x.element:
            key = keys[taken[0]]
            if type(key.start) is type(key.stop) is int and key.step in (None, 1) and key.start >= 0:
                parts.setdefault((id(x), taken[0], node.result.shape[taken[0]]), []).append((key.start, node))
    for (_, axis, size), found in parts.items():
        nodes = [node for _, node in sorted(found, key=lambda part: part[0])]
        x = nodes[0].args[0]
        if len(nodes) < 2 or sorted(start for start, _ in found) != [*range(0, x.shape[axis], size or 1)]:
            continue
        first, results = found[0][1], [node.result for node in nodes]
        function = _splitting(backend.name)
        call = first.replaced(
            function=function, name="split", args=(x, len(nodes)), kwargs={"axis": axis}, result=results
        )  # fmt: skip
        gone = {id(node) for node in nodes}
        block.nodes[:] = [call if n is first else n for n in block.nodes if n is first or id(n) not in gone]


def _splitting(name: str) -> Any:
    if name == "jax":
        from jax.numpy import split
    else:
        from tensorflow import split
    return split


def _attention(node: Node, backend: Backend) -> list[Node]:
    """Write attention as JAX's own, whose heads stand behind the positions: transposes before and after it are joined
    with the model's."""
    if node.name != "nn.scaled_dot_product_attention":
        return [node]
    kw = {key: x for key, x in node.kwargs.items() if x is not None and x is not False and key != "dropout"}
    q, k, v = node.args
    usual = len(q.shape) == 4 and q.shape[:2] == k.shape[:2] and k.shape == v.shape and q.dtype.itemsize < 8
    if not usual or {*kw} - {"is_causal", "scale"} or 0 in (*q.shape, *k.shape):
        return [node]
    import jax

    transpose = backend.function("permute_dims", q.dtype)

    def turned(x: Value) -> Value:
        return Value(x.dtype, tuple([x.shape[n] for n in _HEADS]), x.inputs, x.element)

    def before(x: Value) -> Node:
        return node.replaced(function=transpose, name="permute_dims", args=(x, _HEADS), kwargs={}, result=turned(x))

    given = [before(x) for x in (q, k, v)]
    found = turned(node.result)
    call = node.replaced(
        function=jax.nn.dot_product_attention, name="dot_product_attention", args=tuple([n.result for n in given]),
        kwargs=kw, result=found,
    )  # fmt: skip
    after = node.replaced(
        function=transpose, name="permute_dims", args=(found, _HEADS), kwargs={}, result=node.result
    )  # fmt: skip
    return [*given, call, after]
