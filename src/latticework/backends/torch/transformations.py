"""PyTorch's transformations, `torch.func`'s, of functions of lists of native arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._C._functorch import TransformType
from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters

from ...errors import BackendError

Natives = list[Any]


def _with_memory(x: torch.Tensor) -> torch.Tensor:
    """Return a derivative with memory: one that PyTorch knows to be zero has none, and nothing reads it."""
    return torch.zeros(x.shape, dtype=x.dtype, device=x.device) if x._is_zerotensor() else x


def vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    outs, pull, aux = torch.func.vjp(lambda *natives: run([*natives]), *primals, has_aux=True)
    return outs, lambda cotangents: [_with_memory(x) for x in pull([*cotangents])], aux


def jvp(
    run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, tangents: Natives
) -> tuple[Natives, Natives, Natives]:
    outs, derivatives, aux = torch.func.jvp(
        lambda *natives: run([*natives]), tuple(primals), tuple(tangents), has_aux=True
    )
    # For a 0-d tensor and a Python number torch computes the derivative in float64.
    return outs, [_with_memory(x).to(y.dtype) for x, y in zip(derivatives, outs, strict=True)], aux


def vmap(
    run: Callable[[Natives], tuple[Natives, Natives]], natives: Natives, axes: list[int], size: int
) -> tuple[Natives, Natives]:
    mapped = torch.func.vmap(lambda *natives: run([*natives]), in_dims=tuple(axes), out_dims=(0, None))
    found: tuple[Natives, Natives] = mapped(*natives)
    return found


def stop_gradient(x: torch.Tensor) -> torch.Tensor:
    return x.detach()


def _of_this_level(natives: tuple[torch.Tensor, ...]) -> Natives:
    """Return the tensors without ended levels of `torch.func`, whose numbers a new level would take again."""
    return [x.view_as(x) for x in natives]


class _Custom(torch.autograd.Function):  # type: ignore[misc]  # PyTorch tells no type
    """A function with a gradient of its own: `forward` of the arguments, `backward` of these and cotangents.

    The backward function is made anew from the arguments when it is needed: a closure of the forward pass holds tensors
    of the level below, and higher derivatives would be lost.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(forward: Any, backward: Any, *primals: torch.Tensor) -> tuple[torch.Tensor, ...]:
        taken = {id(x) for x in primals}  # an argument that is returned as it is cannot be saved for backward
        return tuple(x.view_as(x) if id(x) in taken else x for x in forward([*primals]))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _, ctx.back, *primals = inputs
        ctx.save_for_backward(*primals)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        return (None, None, *ctx.back(_of_this_level(ctx.saved_tensors), _of_this_level(cotangents)))


def custom_gradient(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    def forward(primals: Natives) -> Natives:
        return run(primals)[0]

    def backward(primals: Natives, cotangents: Natives) -> Natives:
        grads: Natives = run(primals)[1](cotangents)
        return grads

    return [*_Custom.apply(forward, backward, *natives)]


class _CustomBoth(_Custom):
    """A function with a rule for forward derivatives too: `push` of the arguments and their tangents."""

    generate_vmap_rule = True

    @staticmethod
    def forward(forward: Any, backward: Any, push: Any, *primals: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return _Custom.forward(forward, backward, *primals)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _, ctx.back, ctx.push, *primals = inputs
        ctx.save_for_backward(*primals)
        ctx.save_for_forward(*primals)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        return (None, *_Custom.backward(ctx, *cotangents))

    @staticmethod
    def jvp(ctx: Any, _: None, __: None, ___: None, *tangents: torch.Tensor | None) -> tuple[torch.Tensor, ...]:
        primals = ctx.saved_tensors
        whole = [torch.zeros_like(x) if t is None else t for x, t in zip(primals, tangents, strict=True)]
        return tuple(ctx.push([*primals], whole))


def custom_rules(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function derivatives of its own in both directions.

    Raises
    ------
    BackendError: forward derivatives nest. PyTorch would give zeros for those of the rules.
    """
    levels = retrieve_all_functorch_interpreters() if torch._C._functorch.peek_interpreter_stack() is not None else []
    if sum(level.key() == TransformType.Jvp for level in levels) > 1:
        raise BackendError(
            "custom_gradient: PyTorch has no forward derivative of a forward derivative of it. Take one of the two in "
            "reverse, as lw.jacrev(lw.jacfwd(f))"
        )

    def compute(primals: Natives) -> Natives:
        return run(primals)[0]

    def backward(primals: Natives, cotangents: Natives) -> Natives:
        grads: Natives = run(primals)[1](cotangents)
        return grads

    return [*_CustomBoth.apply(compute, backward, push, *natives)]


def checkpoint(run: Callable[[Natives], Natives], natives: Natives) -> Natives:
    """Checkpoint by a custom gradient: PyTorch's checkpoints keep tensors by hooks, which `torch.func` refuses."""

    def backward(primals: Natives, cotangents: Natives) -> Natives:
        grads: Natives = vjp(lambda natives: (run(natives), []), primals)[1](cotangents)
        return grads

    return [*_Custom.apply(run, backward, *natives)]
