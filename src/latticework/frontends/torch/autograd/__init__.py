"""`torch.autograd`: derivatives of recorded calls, on every backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import dialect
from . import engine
from .function import Function
from .modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from .recording import is_native
from .variable import Variable

__all__ = [
    "Function", "Variable", "backward", "enable_grad", "function", "functional", "grad", "gradcheck", "gradgradcheck",
    "inference_mode", "no_grad", "set_grad_enabled",
]  # fmt: skip


def _listed(x: Any) -> list[Any]:
    return [*x] if isinstance(x, Sequence) else [x]


def _weights(tensors: list[Any], given: Any) -> list[Any]:
    weights = [None] * len(tensors) if given is None else _listed(given)
    if len(weights) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(weights)} gradients")
    return weights


def _native(x: Any) -> Any:
    return None if x is None else x._array._data


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add the derivatives of tensors by each leaf to the gradients of the leaves.

    Parameters
    ----------
    tensors: a tensor, or several, whose derivatives are added.
    grad_tensors: what to weight the elements of each by; None for tensors of one element.
    retain_graph: whether to keep what a second derivative needs; as `create_graph` by default.
    create_graph: whether the derivatives are recorded themselves.
    inputs: the tensors by which alone derivatives are taken; all leaves by default.

    Raises
    ------
    RuntimeError: no tensor requires a gradient; a tensor has several elements and no weights; or what the derivative
        needs was freed by another one.
    """
    outs = _listed(tensors)
    weights = _weights(outs, grad_tensors if grad_tensors is not None else grad_variables)
    by = None if inputs is None else _listed(inputs)
    if by is not None and not by:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    retain = create_graph if retain_graph is None else retain_graph
    if outs and is_native(outs[0]._array):
        import torch

        natives = None if by is None else [_native(x) for x in by]
        torch.autograd.backward(
            [_native(x) for x in outs], [_native(x) for x in weights], retain, create_graph, inputs=natives
        )
        return
    engine.run(outs, weights, retain=bool(retain), create=create_graph, inputs=by)


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
    is_grads_batched=False, materialize_grads=False,
):  # fmt: skip
    """Compute the derivatives of the sum of tensors by each input.

    Parameters
    ----------
    outputs, inputs: a tensor each, or several.
    grad_outputs: what to weight the elements of each output by; None for tensors of one element.
    retain_graph: whether to keep what a second derivative needs; as `create_graph` by default.
    create_graph: whether the derivatives are recorded themselves.
    allow_unused: whether None is returned for an input that no output depends on. It is an error by default.
    is_grads_batched: whether the weights have a first axis more, with a derivative for each of its elements.
    materialize_grads: whether zeros are returned in the place of None.

    Raises
    ------
    RuntimeError: an input requires no gradient, or no output depends on it; and as `backward`.
    """
    from ....engine.functions.flat import wrap

    outs, by = _listed(outputs), _listed(inputs)
    weights = _weights(outs, grad_outputs)
    retain = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        count = next(w for w in weights if w is not None)._array.shape[0]
        rows = [
            grad(outs, by, [None if w is None else w[i] for w in weights], retain or i + 1 < count, create_graph,
                 allow_unused=allow_unused, materialize_grads=materialize_grads)
            for i in range(count)
        ]  # fmt: skip
        return tuple([None if c[0] is None else dialect.ops.stack([*c]) for c in zip(*rows, strict=True)])
    if outs and is_native(outs[0]._array):
        import torch

        found = torch.autograd.grad(
            [_native(x) for x in outs], [_native(x) for x in by], [_native(x) for x in weights], retain, create_graph,
            allow_unused=allow_unused, materialize_grads=materialize_grads,
        )  # fmt: skip
        backend = outs[0]._array._sig.backend
        return tuple([None if g is None else dialect.wrapped(wrap(backend, g)) for g in found])
    for x in by:
        if not x.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    arrays = engine.gradients(outs, weights, by, retain=bool(retain), create=create_graph)
    made: list[Any] = []
    for x, g in zip(by, arrays, strict=True):
        if g is None and materialize_grads:
            made.append(dialect.ops.zeros_like(x.detach()))
        elif g is None and not allow_unused:
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        else:
            made.append(None if g is None else dialect.wrapped(g))
    return tuple(made)


from . import function, functional  # noqa: E402
from .checking import gradcheck, gradgradcheck  # noqa: E402


def __getattr__(name: str) -> Any:
    from ..coverage import absence

    raise AttributeError(absence(f"autograd.{name}"), name=name)
