"""Check that the nodes of control flow and of transformations have the arguments, blocks and results of their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..nodes import Block, Node, Value

__all__ = ["CHECKS"]


def _values(*trees: Any) -> bool:
    """Return whether each tree is a list or tuple of values."""
    return all(type(tree) in (list, tuple) and all(isinstance(v, Value) for v in tree) for tree in trees)


def _lists(tree: Any, n: int) -> bool:
    """Return whether a tree is a list or tuple of n parts, each a list or tuple of values."""
    return type(tree) in (list, tuple) and len(tree) == n and _values(*tree)


def _takes(block: Block, natives: list[Value]) -> bool:
    return len(block.inputs) == len(natives)


def _one_block(node: Node) -> bool:
    return len(node.blocks) == 1


def _switch(node: Node) -> bool:
    return (
        len(node.args) == 1 and len(node.blocks) > 0 and _values(node.args, node.result)
        and (node.args[0].dtype.kind in "iu" or (node.args[0].dtype.kind == "b" and len(node.blocks) == 2))
        and all(not b.inputs and _values(b.outputs) and len(b.outputs) == len(node.result) for b in node.blocks)
    )  # fmt: skip


def _while_loop(node: Node) -> bool:
    n = len(node.args)
    return (
        n > 0 and len(node.blocks) == 2 and _values(node.args, node.result) and len(node.result) == n
        and all(len(b.inputs) == n and _values(b.outputs) for b in node.blocks)
        and len(node.blocks[0].outputs) == 1 and len(node.blocks[1].outputs) == n
    )  # fmt: skip


def _scan(node: Node) -> bool:
    if not (_one_block(node) and all(_lists(x, 2) for x in (node.args, node.result, node.blocks[0].outputs))):
        return False
    (init, xs), (after, ys), (carry, rows) = node.args, node.result, node.blocks[0].outputs
    length = node.kwargs.get("length")
    return (
        len(init) == len(after) == len(carry) and len(ys) == len(rows)
        and len(node.blocks[0].inputs) == len(init) + len(xs) and {*node.kwargs} == {"length", "reverse"}
        and type(length) is int and 0 <= length < 1 << 62 and type(node.kwargs["reverse"]) is bool
    )  # fmt: skip


def _vjp(node: Node) -> bool:
    if not (_one_block(node) and _lists(node.args, 1) and _lists(node.blocks[0].outputs, 2)):
        return False
    results = node.result
    if type(results) not in (list, tuple) or len(results) != 3 or not _values(results[0], results[2]):
        return False
    return _takes(node.blocks[0], node.args[0]) and isinstance(results[1], Value | None)


def _gradient(node: Node) -> bool:
    return (
        _one_block(node) and _lists(node.args, 2) and _lists(node.blocks[0].outputs, 2) and _lists(node.result, 3)
        and _takes(node.blocks[0], node.args[0]) and len(node.args[0]) == len(node.result[1])
    )  # fmt: skip


def _jvp(node: Node) -> bool:
    return (
        _one_block(node) and _lists(node.args, 2) and _lists(node.blocks[0].outputs, 2) and _lists(node.result, 3)
        and _takes(node.blocks[0], node.args[0]) and len(node.args[0]) == len(node.args[1])
    )  # fmt: skip


def _vmap(node: Node) -> bool:
    if not (_one_block(node) and len(node.args) == 3 and _values(node.args[0]) and _lists(node.result, 2)):
        return False
    natives, axes, size = node.args
    return (
        type(axes) is list and len(axes) == len(natives) and all(type(a) in (int, type(None)) for a in axes)
        and type(size) is int and _takes(node.blocks[0], natives) and _lists(node.blocks[0].outputs, 2)
    )  # fmt: skip


def _custom_gradient(node: Node) -> bool:
    return _lists(node.args, 1) and _with_backward(node)


def _custom_rules(node: Node) -> bool:
    return len(node.args) == 2 and isinstance(node.args[1], Value) and _with_backward(node)


def _with_backward(node: Node) -> bool:
    """Return whether a node has a block that gives its results and its rule in reverse."""
    if not (_one_block(node) and _values(node.args[0], node.result)):
        return False
    block = node.blocks[0]
    return (
        _takes(block, node.args[0]) and len(block.outputs) == 2 and _values(block.outputs[0])
        and isinstance(block.outputs[1], Value)
    )  # fmt: skip


def _checkpoint(node: Node) -> bool:
    return (
        _one_block(node) and _lists(node.args, 1) and _values(node.result, node.blocks[0].outputs)
        and _takes(node.blocks[0], node.args[0])
    )  # fmt: skip


def _pullback(node: Node) -> bool:
    return (
        not node.blocks and len(node.args) == 2 and isinstance(node.args[0], Value)
        and _values(node.args[1], node.result)
    )  # fmt: skip


def _function(node: Node) -> bool:
    if not (_one_block(node) and not node.args and isinstance(node.result, Value)):
        return False
    block, lists = node.blocks[0], node.kwargs.get("lists")
    if lists is not None and not (
        {*node.kwargs} == {"lists"} and type(lists) is list and all(type(n) is int and n >= 0 for n in lists)
        and sum(lists) == len(block.inputs)
    ):  # fmt: skip
        return False
    return _values(block.outputs)


#: The name of a node -> the check of nodes of this name.
CHECKS: dict[str, Callable[[Node], bool]] = {
    "switch": _switch, "while_loop": _while_loop, "scan": _scan, "vjp": _vjp, "gradient": _gradient,
    "jvp": _jvp, "vmap": _vmap, "custom_gradient": _custom_gradient, "custom_rules": _custom_rules,
    "checkpoint": _checkpoint, "pullback": _pullback, "function": _function,
}  # fmt: skip
