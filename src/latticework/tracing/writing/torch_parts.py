"""Branches, loops and gradients on PyTorch, as the source of a program calls them.

Python's own statements are the quickest way where nothing is compiled. Where `torch.compile` or `torch.export` reads
the source, PyTorch's functions keep it one graph. The functions are written into the source, with the import.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

__all__ = ["switch", "value_and_grad", "value_and_grad_with_aux", "while_loop"]


def switch(index: Any, branches: list[Callable[[], list[Any]]]) -> list[Any]:
    """Return what a branch gives: that of a number, or the second one of two where a condition holds."""
    if not torch.compiler.is_compiling():
        return branches[int(index)]()
    if len(branches) == 1:
        return branches[0]()
    first = with_memory(branches[0])
    others = with_memory(branches[1]) if len(branches) == 2 else lambda: switch(index - 1, branches[1:])
    return list(torch.cond(torch.as_tensor(index) == 0, first, others, ()))


def with_memory(branch: Callable[[], list[Any]]) -> Callable[[], list[Any]]:
    """Return a branch whose results are copies: PyTorch takes no array that exists around it."""
    return lambda: [torch.clone(x) for x in branch()]


def while_loop(
    goes_on: Callable[[Sequence[Any]], Any], step: Callable[[Sequence[Any]], list[Any]], values: list[Any]
) -> list[Any]:
    """Return the values after the last step."""
    if not torch.compiler.is_compiling():
        while goes_on(values):
            values = step(values)
        return values

    def condition(*now: Any) -> Any:
        return goes_on(now)

    def body(*now: Any) -> tuple[Any, ...]:
        return tuple([torch.clone(x) for x in step(now)])

    return list(torch._higher_order_ops.while_loop(condition, body, tuple([torch.clone(x) for x in values])))


def value_and_grad(loss_of: Callable[..., Any], weights: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a loss and its gradients."""
    if torch.compiler.is_compiling():  # a call of autograd.grad would end the graph that is compiled
        grads, loss = torch.func.grad_and_value(loss_of)(weights)
        return loss, grads
    weights = {name: x.detach().requires_grad_() for name, x in weights.items()}
    with torch.enable_grad():
        loss = loss_of(weights)
    return loss.detach(), dict(zip(weights, torch.autograd.grad(loss, [*weights.values()]), strict=True))


def value_and_grad_with_aux(loss_of: Callable[..., Any], weights: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    """Return a loss, what stands beside it, and its gradients."""
    if torch.compiler.is_compiling():  # a call of autograd.grad would end the graph that is compiled
        grads, (loss, aux) = torch.func.grad_and_value(loss_of, has_aux=True)(weights)
        return loss, aux, grads
    weights = {name: x.detach().requires_grad_() for name, x in weights.items()}
    with torch.enable_grad():
        loss, aux = loss_of(weights)
    grads = torch.autograd.grad(loss, [*weights.values()])
    return loss.detach(), tuple([x.detach() for x in aux]), dict(zip(weights, grads, strict=True))
