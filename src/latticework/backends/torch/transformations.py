"""PyTorch's transformations, `torch.func`'s, of functions of lists of native arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.utils.checkpoint
from torch._C._functorch import TransformType
from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters

from ...backend.transposed import forward_of
from ...errors import BackendError
from ...policy import under_this_policy
from .core import DIFFERENTIATING

Natives = list[Any]


def _with_memory(x: torch.Tensor) -> torch.Tensor:
    """Return a derivative with memory: one that PyTorch knows to be zero has none, and nothing reads it. What
    torch.compile and torch.export record has memory, and they record no such question."""
    if torch.compiler.is_compiling():
        return x
    return torch.zeros(x.shape, dtype=x.dtype, device=x.device) if x._is_zerotensor() else x


def vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    """Differentiate in reverse by autograd: `torch.func` has a level of its own, which costs a small function as much
    as its gradient. Inside other transformations, and in torch.compile, it is `torch.func`."""
    if _transformed():
        outs, pull, aux = torch.func.vjp(lambda *natives: run([*natives]), *primals, has_aux=True)
        return outs, lambda cotangents: [_with_memory(x) for x in pull([*cotangents])], aux
    inner, outs, aux, nested = _recorded(run, primals)
    reached = [x for x in outs if x.requires_grad]

    def back(cotangents: Natives) -> Natives:
        given = [g for g, x in zip(cotangents, outs, strict=True) if x.requires_grad]
        graph = nested or _transformed() or any(g.requires_grad for g in given)
        if not reached:
            return [torch.zeros_like(x) for x in primals]
        if _with_latticework():
            grads = _with_hooks(_pulled, reached, inner, given, True, graph)
        else:
            grads = _pulled(reached, inner, given, True, graph)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(grads, primals, strict=True)]

    if nested:
        return outs, back, aux
    return [x.detach() for x in outs], back, [x.detach() for x in aux]


def gradient(
    run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, beside: Natives | None = None
) -> tuple[Natives, Natives, Natives]:
    """Differentiate a function of one number, once: PyTorch lets go of what it saved on the way back.

    Parameters
    ----------
    beside: all that the function uses of what it is not given, where a source tells it.
    """
    if _transformed():
        outs, pull, aux = vjp(run, primals)
        return outs, pull([torch.ones_like(x) for x in outs]), aux
    inner, outs, aux, nested = _recorded(run, primals, beside)
    if outs[0].requires_grad:
        grads = _pulled(outs, inner, [torch.ones_like(x) for x in outs], nested, nested)
        found = [torch.zeros_like(x) if g is None else g for g, x in zip(grads, primals, strict=True)]
    else:
        found = [torch.zeros_like(x) for x in primals]
    if nested:
        return outs, found, aux
    return [x.detach() for x in outs], found, [x.detach() for x in aux]


def _recorded(
    run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, beside: Natives | None = None
) -> tuple[Natives, Natives, Natives, bool]:
    """Run a function while autograd records it. Return what it was given, its results, and whether these depend on
    other tensors that require a gradient: those of a derivative around this one, or parameters."""
    with torch.enable_grad():
        inner = [
            x.view_as(x) if x.requires_grad
            else (x.clone() if x.is_inference() else x.detach()).requires_grad_()  # one of the inference mode has none
            for x in primals
        ]  # fmt: skip
        if _with_latticework():
            outs, aux = _noted(run, inner)
        else:
            outs, aux = run(inner)
    if beside is not None and True not in [x.requires_grad for x in (*primals, *beside)]:
        return inner, outs, aux, False
    return inner, outs, aux, _reaches_others([x for x in (*outs, *aux) if x.requires_grad], inner)


def _with_latticework() -> bool:
    """Return whether latticework is there: False in source that runs without it."""
    return True


_with_latticework.in_source = False  # type: ignore[attr-defined]  # see tracing/writing/standalone.py


def _noted(run: Callable[[Natives], tuple[Natives, Natives]], natives: Natives) -> tuple[Natives, Natives]:
    """Run a function, while nothing that is differentiated may go to NumPy as a constant."""
    token = DIFFERENTIATING.set(True)
    try:
        return run(natives)
    finally:
        DIFFERENTIATING.reset(token)


def _pulled(outs: Natives, inner: Natives, given: Natives, again: bool, graph: bool) -> tuple[Any, ...]:
    """Bring cotangents back as `torch.autograd.grad` does, None where nothing connects. Its look at its arguments costs
    a sixth of the gradient of a small network; only classes that derive from `Tensor` need it.

    Parameters
    ----------
    again: whether cotangents are brought back more than once.
    graph: whether the derivatives are part of a graph themselves.
    """
    if {type(x) for x in (*outs, *inner, *given)} == {torch.Tensor}:
        run: Callable[..., tuple[Any, ...]] = torch.autograd.graph._engine_run_backward
        return run((*outs,), (*given,), again, graph, (*inner,), True, accumulate_grad=False)
    return torch.autograd.grad(outs, inner, given, retain_graph=again, create_graph=graph, allow_unused=True)


def _with_hooks(call: Callable[..., Any], *args: Any) -> Any:
    """Call a function with hooks for saved tensors. `torch.func` turns them off, and a checkpoint of a graph that was
    made outside runs again by them."""
    refused = torch._C._autograd._saved_tensors_hooks_get_disabled_error_message()
    if refused is None:
        return call(*args)
    torch._C._autograd._saved_tensors_hooks_enable()
    try:
        return call(*args)
    finally:
        torch._C._autograd._saved_tensors_hooks_disable(refused)


def _transformed() -> bool:
    """Return whether a transformation of `torch.func`, forward derivatives or torch.compile are about, or the inference
    mode, in which `torch.func` records and autograd does not.

    torch.export that runs Python itself is none of them: it takes what goes into `torch.func` for constants. The
    compiler is asked for first, for it reads none of the other questions.
    """
    if torch.compiler.is_compiling() and (torch.compiler.is_dynamo_compiling() or not torch.compiler.is_exporting()):
        return True
    levels = torch._C._functorch.maybe_current_level() is not None or torch.autograd.forward_ad._current_level >= 0
    return levels or torch.is_inference_mode_enabled()


def _reaches_others(outs: Natives, inner: Natives) -> bool:
    """Return whether results depend on tensors that require a gradient besides `inner`. Derivatives are then part of a
    graph themselves."""
    own, nodes = {*map(id, inner)}, []
    for x in outs:
        if x.grad_fn is not None:
            nodes.append(x.grad_fn)
        elif id(x) not in own:
            return True
    seen = {None, *nodes}
    for node in nodes:  # which grows
        before = node.next_functions
        if before:
            for n, _ in before:
                if n not in seen:
                    seen.add(n)
                    nodes.append(n)
        elif hasattr(node, "variable") and id(node.variable) not in own:
            return True
    return False


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


def _anywhere(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that PyTorch calls for a derivative, with the settings of now. What torch.compile reads has
    settings that are known, and sources that run without latticework have none."""
    if _with_latticework() and not torch.compiler.is_compiling():
        return under_this_policy(function)
    return function


def _of_this_level(natives: tuple[torch.Tensor, ...]) -> Natives:
    """Return the tensors without ended levels of `torch.func`, whose numbers a new level would take again."""
    return [x.view_as(x) for x in natives]


def unrecorded(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    """Run a function with a rule of its own where no gradient is asked for by its arguments: all else is constant."""
    with torch.no_grad():
        return [x.detach() if x.requires_grad else x for x in run(natives)[0]]


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
    """Give a function a gradient. Forward derivatives are its transpose."""
    if not torch.compiler.is_compiling() and _pushes_forward():
        return custom_rules(run, natives, forward_of(run, vjp, torch.zeros_like))

    def forward(primals: Natives) -> Natives:
        return run(primals)[0]

    def backward(primals: Natives, cotangents: Natives) -> Natives:
        grads: Natives = run(primals)[1](cotangents)
        return grads

    return [*_Custom.apply(forward, _anywhere(backward), *natives)]


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


def has_data_dependent_shapes() -> bool:
    """Tell whether no `torch.func.vmap` runs."""
    levels = retrieve_all_functorch_interpreters() if torch._C._functorch.peek_interpreter_stack() is not None else []
    return all(level.key() != TransformType.Vmap for level in levels)


def forward_twice() -> bool:
    """Return whether forward derivatives nest: PyTorch would give zeros for those of rules."""
    levels = retrieve_all_functorch_interpreters() if torch._C._functorch.peek_interpreter_stack() is not None else []
    return sum(level.key() == TransformType.Jvp for level in levels) > 1


def custom_rules(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function derivatives of its own in both directions.

    Raises
    ------
    BackendError: forward derivatives nest.
    """
    if torch.compiler.is_compiling():  # which takes no rule of forward derivatives
        return custom_gradient(run, natives)
    if forward_twice():
        raise BackendError(
            "custom_gradient: PyTorch has no forward derivative of a forward derivative of it. Take one of the two in "
            "reverse, as lw.jacrev(lw.jacfwd(f))"
        )

    def compute(primals: Natives) -> Natives:
        return run(primals)[0]

    def backward(primals: Natives, cotangents: Natives) -> Natives:
        grads: Natives = run(primals)[1](cotangents)
        return grads

    return [*_CustomBoth.apply(compute, _anywhere(backward), push, *natives)]


class _Again(torch.autograd.Function):  # type: ignore[misc]
    """Results that are there, with a function that gives the cotangents of arguments. That is called with both anew,
    as `_Custom` has it."""

    generate_vmap_rule = True

    @staticmethod
    def forward(back: Any, count: int, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(x.view_as(x) for x in tensors[:count])

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.back, ctx.count, *tensors = inputs
        ctx.save_for_backward(*tensors[ctx.count :])

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        found = ctx.back(_of_this_level(ctx.saved_tensors), _of_this_level(cotangents))
        return (None, None, *[None] * ctx.count, *found)


def checkpoint(run: Callable[[Natives], Natives], natives: Natives) -> Natives:
    """Checkpoint by PyTorch's own, which finds all that the function uses. It keeps tensors by hooks, which derivatives
    by `torch.func` refuse: there it is a gradient of its own, by the arguments. What that does not save memory for is
    run plainly: forward derivatives, a function that uses more than its arguments, and what torch.compile reads, which
    decides itself what it keeps."""
    if torch.compiler.is_compiling() or _pushes_forward():
        return run(natives)
    if not _transformed():
        try:
            found: Natives = torch.utils.checkpoint.checkpoint(_anywhere(run), natives, use_reentrant=False)
        except RuntimeError as error:
            if "saved tensor hooks" not in str(error):  # of torch.func inside of the function
                raise
            return run(natives)
        return found
    outs = run([x.detach() for x in natives])
    if any(_is_recorded(x) for x in outs):
        return run(natives)

    def backward(primals: Natives, cotangents: Natives) -> Natives:
        grads: Natives = vjp(lambda natives: (run(natives), []), primals)[1](cotangents)
        return grads

    return [*_Again.apply(_anywhere(backward), len(outs), *outs, *natives)]


def _pushes_forward() -> bool:
    """Return whether forward derivatives are about."""
    if torch.autograd.forward_ad._current_level >= 0:
        return True
    stacked = torch._C._functorch.peek_interpreter_stack() is not None
    return stacked and any(level.key() == TransformType.Jvp for level in retrieve_all_functorch_interpreters())


def _is_recorded(x: torch.Tensor) -> bool:
    """Return whether autograd records derivatives of a tensor, on any level of `torch.func`."""
    functorch = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(x):
        if x.requires_grad:
            return True
        x = functorch.get_unwrapped(x)
    return x.requires_grad


class _HostCall(torch.autograd.Function):  # type: ignore[misc]  # PyTorch tells no type
    """A call of Python: `forward` has the values below all transformations, `vmap` those of all examples."""

    @staticmethod
    def forward(f: Any, *natives: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = f([x.detach().cpu().numpy() if x.dtype is not torch.bfloat16 else x.float().numpy() for x in natives])
        return tuple(torch.as_tensor(x) for x in found or ()) or (torch.zeros(()),)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        return (None,) * (1 + len(cotangents))

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Any, ...]:
        return (None,)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], f: Any, *natives: torch.Tensor) -> Any:
        rows = [
            _HostCall.apply(f, *[x if d is None else x.select(d, i) for x, d in zip(natives, in_dims[1:], strict=True)])
            for i in range(info.batch_size)
        ]
        return tuple(torch.stack(x) for x in zip(*rows, strict=True)), (0,) * len(rows[0])


def host_call(f: Callable[[Natives], Any], natives: Natives, results: Any) -> Any:
    """Call a function of Python with the values of traced tensors; its results have the shapes and dtypes told."""
    return [*_HostCall.apply(f, *[x.detach() for x in natives])]
