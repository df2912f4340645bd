"""The gradients of a step on PyTorch, as the source of a model calls them.

The function is written into the source, with the import.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["value_and_grad", "value_and_grad_with_aux"]


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
