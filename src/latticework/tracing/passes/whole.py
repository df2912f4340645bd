"""Writes into whole arrays that the program made itself, as new arrays: what a model does to copies of its buffers."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from ..nodes import Block, Node, Value, mapped, values_in
from .liveness import has_own_memory

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["leave_out_unused", "without_writes"]

#: Names of nodes that give a view of no operand, beside those of `has_own_memory`.
_OWN = frozenset(("assign", "nn._in_training", "nn._by_batch", "nn._by_statistics", "nn.batch_norm"))


def without_writes(block: Block, backend: Backend) -> None:
    """Replace writes into copies by what is written, and the copies that nothing writes into by what they are of."""
    copies = {id(n.result): n for n in block.nodes if n.name == "copy" and isinstance(n.result, Value)}
    apart = {
        i for i in copies
        if all(n.name in _OWN or has_own_memory(n) for n in block.nodes if any(id(v) == i for v in n.uses()))
        and not any(n.blocks and any(id(v) == i for v in n.uses()) for n in block.nodes)
    }  # fmt: skip
    now: dict[int, Any] = {}
    nodes: list[Node] = []
    for node in block.nodes:
        target = node.args[0] if node.args else None
        changed = _replaced(node, now)
        if node.name == "assign" and id(target) in apart and _is_whole(node):
            now[id(target)] = now[id(node.result)] = changed.args[2]
            continue
        written: Any = node.writes
        if written is not None and written is target and id(target) in apart and node.name == "add":
            assert isinstance(written, Value)
            made = Value(written.dtype, written.shape, written.inputs)
            function = backend.function("add", made.dtype)
            changed = changed.replaced(function=function, result=made, writes=None)
            now[id(target)] = made
        nodes.append(changed)
    block.outputs[:] = mapped(block.outputs, Value, lambda v: now.get(id(v), v))
    kept = {id(n.writes) for n in nodes if n.writes is not None}
    returned = {id(v) for v in block.outputs if isinstance(v, Value)}
    plain = {i: n.args[0] for i, n in copies.items() if i not in kept and i not in returned and i in apart}
    block.nodes[:] = [_replaced(n, plain) for n in nodes if id(n.result) not in plain]
    leave_out_unused(block)


def leave_out_unused(block: Block, names: Container[str] | None = None) -> None:
    """Leave out calls whose results nobody uses. The extents are those of the trace, which raised no error.

    Parameters
    ----------
    names: the names of the calls that may be left out; None for all.
    """
    used = {id(v) for v in values_in(block.outputs)}
    kept = []
    for node in reversed(block.nodes):
        stays = names is not None and node.name not in names
        if stays or node.writes is not None or any(id(v) in used for v in node.results):
            kept.append(node)
            used.update(map(id, node.uses()))
    block.nodes[:] = reversed(kept)


def _replaced(node: Node, values: dict[int, Any]) -> Node:
    if not any(id(v) in values for v in node.operands):
        return node
    change = lambda v: values.get(id(v), v)  # noqa: E731
    return node.with_arguments(mapped(node.args, Value, change), mapped(node.kwargs, Value, change))


def _is_whole(node: Node) -> bool:
    if len(node.args) != 3:
        return False
    x, key, value = node.args
    return isinstance(value, Value) and key is Ellipsis and x.shape == value.shape and x.dtype is value.dtype
