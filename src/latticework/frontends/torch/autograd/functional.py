"""`torch.autograd.functional`: derivatives of functions of tensors, by the recorded calls."""

from __future__ import annotations

from typing import Any

from ..core import ops
from . import grad
from .modes import enable_grad
from .tensors import Recorded

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _inputs(inputs: Any, create_graph: bool) -> tuple[Any, ...]:
    """The inputs to differentiate by: themselves where the derivative is recorded, else leaves of their own."""
    listed = inputs if isinstance(inputs, tuple) else (inputs,)
    for x in listed:
        if not isinstance(x, Recorded):
            raise TypeError(f"the inputs must be tensors; got {type(x).__name__}")
    if create_graph:
        return tuple([x.view_as(x) if x.requires_grad else x.detach().requires_grad_() for x in listed])
    return tuple([x.detach().clone().requires_grad_() for x in listed])


def _run(func: Any, by: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool]:
    with enable_grad():
        found = func(*by)
    single = not isinstance(found, tuple)
    outs = (found,) if single else found
    for x in outs:
        if not isinstance(x, Recorded):
            raise TypeError(f"the outputs of the user-provided function must be tensors; got {type(x).__name__}")
    return outs, single


def _finish(found: Any, inputs: Any, create_graph: bool) -> Any:
    kept = tuple([x if create_graph else x.detach() for x in found])
    return kept if isinstance(inputs, tuple) else kept[0]


def _pulled(outs: Any, by: Any, weights: Any, create: bool, strict: bool) -> list[Any]:
    """The gradients of weighted outputs, zeros where an input is not used."""
    reached = [(x, w) for x, w in zip(outs, weights, strict=True) if x.requires_grad]
    found: Any = [None] * len(by)
    if reached:
        found = grad(
            [x for x, _ in reached], by, [w for _, w in reached], retain_graph=True, create_graph=create,
            allow_unused=True,
        )  # fmt: skip
    if strict and (len(reached) < len(outs) or any(g is None for g in found)):
        raise RuntimeError("an output of the function does not depend on an input, which strict mode refuses")
    return [ops.zeros_like(x.detach()) if g is None else g for g, x in zip(found, by, strict=True)]


def _of(v: Any, like: Any, what: str) -> list[Any]:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"the vector can only be None if the {what} is a single tensor with one element")
        return [ops.ones_like(like[0].detach())]
    listed = [*v] if isinstance(v, tuple) else [v]
    for x, y in zip(listed, like, strict=True):
        if tuple(x.shape) != tuple(y.shape):
            raise RuntimeError(f"the vector has the shape {tuple(x.shape)}, and the {what} has {tuple(y.shape)}")
    return listed


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute a function, and the gradient of its result weighted by `v`."""
    by = _inputs(inputs, create_graph)
    outs, single = _run(func, by)
    found = _pulled(outs, by, _of(v, outs, "output"), create_graph, strict)
    return _finish(outs, () if not single else None, create_graph), _finish(found, inputs, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute a function, and its derivative in the direction `v`: the transpose of the gradient's transpose."""
    by = _inputs(inputs, create_graph)
    direction = _of(v, by, "input")
    outs, single = _run(func, by)
    weights = [ops.zeros_like(x.detach()).requires_grad_() for x in outs]
    back = _pulled(outs, by, weights, True, strict)
    found = _pulled(back, weights, direction, create_graph, False)
    return _finish(outs, () if not single else None, create_graph), _finish(
        found, () if not single else None, create_graph
    )


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """Compute the derivative of each element of the result by each element of the inputs.

    Returns
    -------
    A tensor of the axes of the result, then those of the input. For several inputs a tuple of these, and for several
    results a tuple of tuples.
    """
    by = _inputs(inputs, create_graph)
    outs, single = _run(func, by)
    rows = []
    for k, out in enumerate(outs):
        units = ops.reshape(ops.eye(out.numel(), dtype=out.dtype), (out.numel(), *out.shape))
        each = []
        for i in range(out.numel()):
            weights = [units[i] if j == k else ops.zeros_like(x.detach()) for j, x in enumerate(outs)]
            each.append(_pulled(outs, by, weights, create_graph, strict))
        rows.append([
            ops.reshape(ops.stack([*column]), (*out.shape, *x.shape)) if each else ops.zeros((*out.shape, *x.shape))
            for column, x in zip(zip(*each, strict=True) if each else by, by, strict=True)
        ])  # fmt: skip
    made = tuple([_finish(row, inputs, create_graph) for row in rows])
    return made[0] if single else made


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """Compute the second derivatives of a function with one element, by each pair of elements of the inputs."""
    several = isinstance(inputs, tuple)

    def slopes(*by: Any) -> Any:
        found = func(*by)
        if not isinstance(found, Recorded) or found.numel() != 1:
            raise RuntimeError("the function given to hessian should return a single tensor with one element")
        made = tuple(_pulled((found,), by, [ops.ones_like(found.detach())], True, strict))
        return made if several else made[0]

    return jacobian(slopes, inputs, create_graph, strict)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute a function with one element, and the product of a vector with its second derivatives."""
    by = _inputs(inputs, create_graph)
    vector = _of(v, by, "input")
    outs, _ = _run(func, by)
    if len(outs) != 1 or outs[0].numel() != 1:
        raise RuntimeError("the function given to vhp should return a single tensor with one element")
    slopes = _pulled(outs, by, [ops.ones_like(outs[0].detach())], True, strict)
    found = _pulled(slopes, by, vector, create_graph, False)
    return _finish(outs, None, create_graph), _finish(found, inputs, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute a function with one element, and the product of its second derivatives with a vector."""
    return vhp(func, inputs, v, create_graph, strict)
