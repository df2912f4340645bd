"""Derivatives of recorded tensors: what `Tensor.backward` and `autograd.grad` run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core.registry import functions as lw
from ....derivatives.rules import Rule
from ....derivatives.tape import Node, Taped, operands, propagate, under_rules
from ....engine.arrays.array import Array, wrapped
from ..core import dialect
from .programs import gradients_by_leaves
from .recording import Leaf, Recorder, node_of, recorder, restore_enabled, set_enabled, unrecorded
from .versions import check

__all__ = ["accumulate", "gradients", "run"]


class _Freed(Rule):
    """The rule of a call that a derivative has gone through before: what it computed with is let go."""

    def reverse(self, call: Any, g: Any) -> Any:
        raise RuntimeError(
            "Trying to backward through the graph a second time: what the first backward computed with is freed. "
            "Write backward(retain_graph=True) there, if you need both"
        )


_freed: dict[str, _Freed] = {}


def _free(node: Node) -> None:
    name = node.rule.name
    freed = _freed.get(name)
    if freed is None:
        freed = _freed.setdefault(name, _Freed(name))
    node.rule, node.args, node.kw, node.hooks = freed, (), {}, None


def gradients(
    outputs: Sequence[Any], cotangents: Sequence[Any], inputs: Sequence[Any] | None, *, retain: bool, create: bool
) -> dict[int, tuple[Any, Array]] | list[Array | None]:
    """Compute the derivatives of the sum of tensors, each weighted by a cotangent.

    Parameters
    ----------
    outputs: tensors, one of which at least is recorded.
    cotangents: a tensor for each, or None for one.
    inputs: the tensors to differentiate by; None for all leaves.
    retain: whether what the calls computed with is kept.
    create: whether the derivatives are recorded themselves.

    Returns
    -------
    A derivative for each input, None where no output depends on it. Without `inputs` the leaves and their derivatives,
    by the numbers of the leaves.
    """
    seeds = [_seed(x, g, create) for x, g in zip(outputs, cotangents, strict=True)]
    tape = _tape(outputs)
    roots = [x._array._data for x in outputs]
    before = set_enabled(create)
    try:
        return under_rules(tape, _gradients, tape, roots, seeds, inputs, retain, create)
    finally:
        restore_enabled(before)


def _gradients(tape: Recorder, roots: list[Any], seeds: list[Array], inputs: Any, retain: bool, create: bool) -> Any:
    after = None if retain else _free
    if inputs is None:
        of_program = None if create else gradients_by_leaves(tape, roots, seeds, check, after)
        if of_program is not None:
            return of_program
        found = propagate(tape, roots, seeds, frozenset(), again=create, before=check, after=after)
        return {n: (node, _fitted(tape, node.out, gs[0])) for n, (node, gs) in found.items() if type(node) is Leaf}
    nodes = [node_of(x._array) for x in inputs]
    ends = frozenset(n.number for n in nodes if n is not None)
    found = propagate(tape, roots, seeds, ends, through=_before(roots, ends), again=create, before=check, after=after)
    result: list[Array | None] = []
    for node, x in zip(nodes, inputs, strict=True):
        data = x._array._data
        gs = found[node.number][1] if node is not None and node.number in found else {}
        result.append(
            _fitted(tape, data.value, gs[data.place]) if gs.get(getattr(data, "place", 0)) is not None else None
        )
    return result


def _before(roots: list[Any], ends: frozenset[int]) -> set[int]:
    """Return the numbers of the calls between inputs and results: those that an input leads to."""
    order: list[Node] = []
    seen: set[int] = set()
    waiting = [x.node for x in roots if type(x) is Taped]
    while waiting:
        node = waiting.pop()
        if node.number not in seen:
            seen.add(node.number)
            order.append(node)
            waiting += [x.node for x in operands(node)]
    leads: set[int] = set()
    for node in sorted(order, key=lambda n: n.number):
        if any(x.node.number in leads or x.node.number in ends for x in operands(node)):
            leads.add(node.number)
    return leads


def _fitted(tape: Recorder, value: Any, g: Array) -> Array:
    """Return a derivative in the shape of what it belongs to, where that was left to do."""
    like = tape.array(value)
    return g if g.shape == like.shape else lw.broadcast_to(g, like.shape)


def _tape(outputs: Sequence[Any]) -> Recorder:
    for x in outputs:
        if node_of(x._array) is not None:
            return x._array._data.tape
    raise RuntimeError(
        "element 0 of tensors does not require grad and does not have a grad_fn: nothing that it was computed from "
        "requires a gradient. Write x.requires_grad_() before computing with x"
    )


def _seed(output: Any, g: Any, create: bool) -> Array:
    """Return the cotangent to begin with: one for a tensor of one element."""
    x = unrecorded(output._array)
    if g is None:
        if x.size != 1:
            raise RuntimeError(
                f"grad can be implicitly created only for scalar outputs, and this one has the shape "
                f"{list(x.shape)}. Reduce it first, y.sum().backward(), or give what to weight it by"
            )
        return lw.ones_like(x)
    if not isinstance(g, dialect.array):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if tuple(g._array.shape) != tuple(x.shape):
        raise RuntimeError(
            f"Mismatch in shape: the gradient has a shape of {list(g._array.shape)}, and the output has a shape of "
            f"{list(x.shape)}"
        )
    return g._array if create else unrecorded(g._array)


def run(
    outputs: Sequence[Any], cotangents: Sequence[Any], *, retain: bool, create: bool, inputs: Sequence[Any] | None
) -> None:
    """Add the derivatives to the gradients of leaves: of all, or of the given inputs.

    Nothing is added where one of them ends with an error.
    """
    if inputs is None:
        reached = gradients(outputs, cotangents, None, retain=retain, create=create)
        found = [(node.tensor(), g) for node, g in reached.values()]  # type: ignore[union-attr]
    else:
        for x in inputs:
            x.retain_grad()  # of one that was computed: a hook adds its gradient up
        computed = gradients(outputs, cotangents, inputs, retain=retain, create=create)
        found = [(x if x.is_leaf else None, g) for x, g in zip(inputs, computed, strict=True)]
    own = _of_their_own([g for _, g in found], [x for x in cotangents if x is not None])
    for (tensor, _), g in zip(found, own, strict=True):
        if tensor is not None and g is not None:
            accumulate(tensor, dialect.wrapped(g), create=create)


def _of_their_own(found: list[Any], given: list[Any]) -> list[Any]:
    """Copy derivatives that share memory with each other or with what was given: each is written to later."""
    arrays = [g for g in found if g is not None]
    if not arrays:
        return found
    if arrays[0]._sig.immutable:  # where a write binds an array to new data
        return [None if g is None else wrapped(g._data, g._sig) for g in found]
    natives = recorder(arrays[0]._sig.backend).inside.transformations.of_their_own(
        [g._data for g in arrays], [x._array._data for x in given]
    )
    own = iter([wrapped(data, g._sig) for data, g in zip(natives, arrays, strict=True)])
    return [None if g is None else next(own) for g in found]


def accumulate(tensor: Any, g: Any, *, create: bool) -> None:
    """Add a derivative to the gradient of a tensor: into it, or a new sum where derivatives are recorded."""
    before = tensor.grad
    if before is None:
        tensor._own.grad = g
    elif create:
        tensor.grad = before + g
    else:
        enabled = set_enabled(False)
        try:
            before.add_(g)
        finally:
            restore_enabled(enabled)
    for hook in [*tensor._own.after]:
        hook(tensor)
