"""PyTorch calls that replace two or three calls and round otherwise, for `fast=True`."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from ..nodes import Block, Constant, Node, Value, values_in
from ..writing.spelling import public_name

__all__ = ["contracted", "remark"]

#: The functions that `contracted` calls. `alpha` is an argument of add and sub.
_CALLS = frozenset("addcmul addcdiv addmm baddbmm rsqrt logaddexp".split())
_SHORT = {"multiply": "mul", "divide": "div", "subtract": "sub"}


def contracted(block: Block) -> Block:
    """Return a block with fewer calls, or the same block where a call writes into an array: the order then matters."""
    if any(node.writes is not None or node.out is not None for node in block.all_nodes()):
        return block
    uses = Counter([id(v) for node in block.nodes for v in node.uses()] + [id(v) for v in values_in(block.outputs)])
    made: dict[int, Node] = {}
    gone: set[int] = set()
    nodes: list[Node] = []
    for node in block.nodes:
        found = _shorter(node, _Single(made, uses))
        if found is not None:
            gone.update([id(v) for v in found.without])
        nodes.append(node if found is None else found.node)
        for v in node.results:
            made[id(v)] = nodes[-1]
    return Block(block.inputs, [n for n in nodes if not any(id(v) in gone for v in n.results)], block.outputs)


def remark(block: Block) -> str:
    """Say, as a comment, which calls may change last bits; "" where there are none."""
    names = set()
    for one in [block, *[b for node in block.all_nodes() for b in node.blocks]]:
        for node in contracted(one).nodes:
            names |= {node.name} & _CALLS | {name for name in node.kwargs if name == "alpha"}
    listed = ", ".join(sorted(names))
    return f"# fast: {listed} stand for two calls or three: last bits may differ" if names else ""


class _Found(NamedTuple):
    """A node that stands for others.

    Attributes
    ----------
    node: the new node.
    without: the results that nobody needs any more.
    """

    node: Node
    without: list[Value]


class _Single:
    """The calls whose results are used once."""

    def __init__(self, made: dict[int, Node], uses: Counter[int]) -> None:
        self.made, self.uses = made, uses

    def call(self, x: Any, *names: str) -> Node | None:
        """Return the call that gave an operand, where it has one of these names and nobody else uses its result."""
        if not isinstance(x, Value) or self.uses[id(x)] != 1 or id(x) not in self.made:
            return None
        node = self.made[id(x)]
        same = all(v.dtype is x.dtype for v in node.operands)
        return node if _name(node) in names and not node.kwargs and same and str(x.dtype) in _FLOATS else None


_FLOATS = ("float32", "float64")


def _name(node: Node) -> str:
    """Return the name of a torch function, "" for any other function."""
    name = (public_name("torch", node.function) or "").removeprefix("torch.")
    return _SHORT.get(name, name)


def _number(x: Any) -> float | None:
    """Return a number of the program, None for a tensor."""
    if isinstance(x, Constant) and not x.shape and not x.held:
        return _shortest(float(x.native.item()), x.dtype)
    return x if type(x) in (int, float) else None


def _shortest(number: float, dtype: Any) -> float:
    """Return the number with the fewest digits that has the same value in a dtype."""
    if str(dtype) != "float32":
        return number
    shorter = (float(f"{number:.{digits}g}") for digits in range(6, 9))
    return next((x for x in shorter if struct.unpack("f", struct.pack("f", x))[0] == number), number)


def _shorter(node: Node, single: _Single) -> _Found | None:
    name = _name(node)
    rule = _RULES.get(name)
    result = node.result
    if rule is None or node.kwargs or not isinstance(result, Value) or str(result.dtype) not in _FLOATS:
        return None
    if any(v.dtype is not result.dtype for v in node.operands):
        return None
    return rule(node, single)


def _sum(node: Node, single: _Single) -> _Found | None:
    """Contract ``c + a * b``, ``c + a * 2.0``, ``c + a / b`` and ``x @ w + c``, with the sum in either order."""
    for c, x in (node.args, node.args[::-1]):
        if _number(c) is not None or not isinstance(c, Value):
            continue
        inner = single.call(x, "mul", "div", "matmul")
        if inner is not None and c is not x:
            found = _product(node, inner, c, x) if _name(inner) == "matmul" else _multiple(node, inner, c, x, 1)
            if found is not None:
                return found
    return None


def _difference(node: Node, single: _Single) -> _Found | None:
    """Contract ``c - a * b``, ``c - a * 2.0`` and ``c - a / b``."""
    c, x = node.args
    inner = single.call(x, "mul", "div")
    if inner is None or _number(c) is not None or not isinstance(c, Value):
        return None
    return _multiple(node, inner, c, x, -1)


def _multiple(node: Node, inner: Node, c: Value, x: Value, sign: int) -> _Found | None:
    import torch

    a, b = inner.args
    if _name(inner) == "mul":
        a, b = (b, a) if _number(a) is not None else (a, b)
        number = _number(b)
        if number is not None:
            function: Callable[..., Any] = torch.add if sign > 0 else torch.sub
            changed = node.replaced(function=function, args=(c, a), kwargs={"alpha": number})
            return _Found(changed, [x])
    if _number(a) is not None or _number(b) is not None:
        return None
    name = "addcmul" if _name(inner) == "mul" else "addcdiv"
    kw = {} if sign > 0 else {"value": -1}
    return _Found(node.replaced(function=getattr(torch, name), name=name, args=(c, a, b), kwargs=kw), [x])


def _product(node: Node, inner: Node, c: Value, x: Value) -> _Found | None:
    """Contract ``x @ w + c`` of matrices, or of stacks of matrices."""
    import torch

    a, b = inner.args
    ranks = len(a.shape), len(b.shape)
    if node.result.shape != x.shape or ranks not in ((2, 2), (3, 3)) or a.shape[:-2] != b.shape[:-2]:
        return None
    name = "addmm" if ranks == (2, 2) else "baddbmm"
    return _Found(node.replaced(function=getattr(torch, name), name=name, args=(c, a, b), kwargs={}), [x])


def _quotient(node: Node, single: _Single) -> _Found | None:
    """Contract ``1 / sqrt(x)``."""
    one, x = node.args if len(node.args) == 2 else (1, node.args[0])
    return _root(node, x, single) if _number(one) == 1 else None


def _root(node: Node, x: Any, single: _Single) -> _Found | None:
    import torch

    inner = single.call(x, "sqrt")
    return None if inner is None else _Found(node.replaced(function=torch.rsqrt, name="rsqrt", args=inner.args), [x])


def _logarithm(node: Node, single: _Single) -> _Found | None:
    """Contract ``log(exp(a) + exp(b))``."""
    import torch

    inner = single.call(node.args[0], "add")
    if inner is None or len(inner.args) != 2:
        return None
    parts = [single.call(x, "exp") for x in inner.args]
    if parts[0] is None or parts[1] is None:
        return None
    args = parts[0].args[0], parts[1].args[0]
    return _Found(node.replaced(function=torch.logaddexp, name="logaddexp", args=args), [node.args[0], *inner.args])


_RULES: dict[str, Callable[[Node, _Single], _Found | None]] = {
    "add": _sum, "sub": _difference, "div": _quotient, "reciprocal": _quotient, "log": _logarithm,
}  # fmt: skip
