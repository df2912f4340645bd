"""`autograd.Function`: a function whose derivative its author writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any

from ....derivatives.rules import Rule
from ....derivatives.tape import Call, Node, Taped
from ....engine.arrays.array import Array, wrapped
from ....policy import call_under, current, under_this_policy
from ..core import dialect, ops
from .modes import enable_grad, no_grad
from .recording import is_enabled, is_native, is_transformed, node_of, unrecorded
from .tensors import Recorded

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What `forward` of a `Function` keeps for its `backward`. Attributes of any name may be set on it.

    Attributes
    ----------
    needs_input_grad: for each argument, whether a derivative by it is asked for.
    """

    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True

    def __init__(self) -> None:
        self._saved: list[Any] = []
        self._outputs: Callable[[int], Any] | None = None
        self.non_differentiable: tuple[Any, ...] = ()
        self.dirty_tensors: tuple[Any, ...] = ()
        self.saved_for_forward: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors, arguments or results, for `backward`; None is kept too."""
        for x in tensors:
            if x is not None and not isinstance(x, Recorded):
                raise TypeError(f"save_for_backward can only save variables, but an argument is of {type(x).__name__}")
        self._saved = [*tensors]

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for a method ``jvp``, as `saved_for_forward`."""
        self.saved_for_forward = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that were kept."""
        made = self._outputs
        return tuple([made(x) if type(x) is int and made is not None else x for x in self._saved])

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that results have no derivative."""
        self.non_differentiable = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say that arguments were written to."""
        self.dirty_tensors = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether `backward` gets zeros, and not None, for results that nothing depends on."""
        self.materialize_grads = value

    def _keep(self, results: list[Any], made: Callable[[int], Any]) -> None:
        """Put the number of a result in its place, which would keep its own call alive."""
        places = {id(x): i for i, x in enumerate(results)}
        self._saved = [x if x is None else places.get(id(x), x) for x in self._saved]
        self._outputs = made


class _OfFunction(Rule):
    """The rule of a call of a `Function`: its `backward`."""

    def __init__(self, function: type[Function], ctx: FunctionCtx, count: int) -> None:
        super().__init__(function.__name__)
        self.function, self.ctx, self.count, self.policy = function, ctx, count, current()

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[Any, Array]]:
        with enable_grad() if call.again else no_grad():
            gs = [dialect.wrapped(x) for x in g]
            found = call_under(self.policy, _cotangents, (self.function, self.ctx, gs, self.count), {})
        for place in call.differentiated:
            given = found[place]
            if given is not None:
                given = self._fitted(given, call.args[place].shape, place)
                yield place, given._array if call.again else unrecorded(given._array)

    def _fitted(self, given: Any, shape: tuple[int, ...], place: int) -> Any:
        """A gradient in the shape of its argument: the sum over the axes along which the argument was broadcast."""
        found = given._array.shape
        if found == shape:
            return given
        if not _broadcasts(shape, found):
            raise RuntimeError(
                f"Function {self.function.__name__}Backward returned an invalid gradient at index {place} - got "
                f"{[*found]} but expected shape compatible with {[*shape]}"
            )
        return given.sum_to_size(shape)


def _broadcasts(shape: tuple[int, ...], wider: tuple[int, ...]) -> bool:
    """Return whether an array of a shape broadcasts to another shape."""
    ends = zip(shape[::-1], wider[::-1], strict=False)
    return len(shape) <= len(wider) and all(n in (1, m) for n, m in ends)


def _cotangents(function: type[Function], ctx: FunctionCtx, gs: list[Any], count: int) -> list[Any]:
    found = function.backward(ctx, *gs)
    listed = [*found] if isinstance(found, (tuple, list)) else [found]
    while len(listed) > count and listed[-1] is None:
        listed.pop()
    if len(listed) != count:
        raise RuntimeError(
            f"function {function.__name__}Backward returned an incorrect number of gradients "
            f"(expected {count}, got {len(listed)})"
        )
    return listed


class Function:
    """A function of tensors with a derivative of its own: a class with `forward` and `backward`, called by `apply`.

    ``forward(ctx, *args)`` computes the result, a tensor or a tuple of them. ``backward(ctx, *gradients)`` returns a
    gradient for each argument, None for one that has none. A class may have ``forward(*args)`` and
    ``setup_context(ctx, inputs, output)`` instead.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> class Step(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return (x > 0).float()
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g
    >>> x = torch.tensor([-1.0, 2.0], requires_grad=True)
    >>> Step.apply(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """

    @staticmethod
    def forward(*args: Any, **kw: Any) -> Any:
        """Compute the result."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep what `backward` needs, where `forward` takes no context."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients by the arguments from those by the results."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call the function."""
        if is_transformed.get():
            return _transformed(cls, args)
        ctx = FunctionCtx()
        needs = [isinstance(x, Recorded) and x.requires_grad for x in args]
        ctx.needs_input_grad = tuple(needs)
        if any(needs) and is_enabled():
            first = args[needs.index(True)]._array
            return (_natively if is_native(first) else _recorded)(cls, ctx, args)
        return cls._run(ctx, args)

    @classmethod
    def _run(cls, ctx: FunctionCtx, args: tuple[Any, ...]) -> Any:
        with no_grad():
            return cls._called(ctx, args)

    @classmethod
    def _called(cls, ctx: FunctionCtx, args: tuple[Any, ...]) -> Any:
        if cls.setup_context is Function.setup_context:
            return cls.forward(ctx, *args)
        result = cls.forward(*args)
        cls.setup_context(ctx, args, result)
        return result


def _transformed(function: type[Function], args: tuple[Any, ...]) -> Any:
    """Call a function in one that `torch.func` transforms, with both of its rules."""
    places = [i for i, x in enumerate(args) if isinstance(x, Recorded)]

    def filled(tensors: Any, others: Any) -> tuple[Any, ...]:
        known = dict(zip(places, tensors, strict=True))
        return tuple([known.get(i, x) for i, x in enumerate(others)])

    def run(tensors: Any) -> tuple[FunctionCtx, Any]:
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple([i in places for i in range(len(args))])
        result = function._called(ctx, filled(tensors, args))
        fixed = {id(x) for x in ctx.non_differentiable}
        ctx._saved = [ops.stop_gradient(x) if id(x) in fixed else x for x in ctx._saved]
        return ctx, result

    def call(*tensors: Any) -> Any:
        ctx, result = run(tensors)

        def back(gs: Any) -> Any:
            found = _cotangents(function, ctx, [*gs] if isinstance(gs, tuple) else [gs], len(args))
            given = tuple([found[i] for i in places])
            return given if len(given) > 1 else given[0]

        return result, back

    def forward(tensors: Any, tangents: Any) -> Any:
        ctx, result = run(tensors)
        found = function.jvp(ctx, *filled(tangents, [None] * len(args)))  # type: ignore[attr-defined]
        if not isinstance(found, tuple):
            return found
        return tuple([ops.zeros_like(y) if t is None else t for y, t in zip(result, found, strict=True)])

    rule = forward if hasattr(function, "jvp") else None
    return ops.custom_gradient(call, forward=rule)(*[args[i] for i in places])


def _recorded(function: type[Function], ctx: FunctionCtx, args: tuple[Any, ...]) -> Any:
    """Call a function, and record the call on the tape of the first recorded argument."""
    found = function._run(ctx, args)
    results = [*found] if isinstance(found, tuple) else [found]
    tape = next(x._array._data.tape for x in args if isinstance(x, Recorded) and node_of(x._array) is not None)
    arrays = [unrecorded(x._array) if isinstance(x, Recorded) else None for x in results]
    natives = tuple([None if a is None else a._data for a in arrays])
    node = Node(_OfFunction(function, ctx, len(args)), tuple([_native(x) for x in args]), {}, natives)
    fixed = {id(x) for x in ctx.non_differentiable}

    def made(i: int) -> Any:
        taped = Taped(natives[i], tape, node, i)
        return dialect.wrapped(wrapped(taped, tape.inside.sig_of(taped)))

    ctx._keep(results, made)
    outs: list[Any] = []
    for i, (x, a) in enumerate(zip(results, arrays, strict=True)):
        if a is None or id(x) in fixed or a.dtype.kind not in "fc":
            outs.append(x)
        elif any(x is y for y in ctx.dirty_tensors):
            x._array = made(i)._array
            outs.append(x)
        else:
            outs.append(made(i))
    return tuple(outs) if isinstance(found, tuple) else outs[0]


def _native(x: Any) -> Any:
    return x._array._data if isinstance(x, Recorded) else None


def _natively(function: type[Function], ctx: FunctionCtx, args: tuple[Any, ...]) -> Any:
    """Call a function, and have PyTorch record the call."""
    backend = next(x for x in args if isinstance(x, Recorded))._array._sig.backend

    def wrap(x: Any) -> Any:
        return dialect.wrapped(wrapped(x, backend.sig_of(x)))

    shape: list[Any] = []

    def forward(native: Any) -> Any:
        found = function._run(ctx, args)
        shape.append(found)
        results = [*found] if isinstance(found, tuple) else [found]
        ctx._keep(results, lambda i: wrap(native.saved_tensors[kept.index(i)]))
        kept = [i for i in ctx._saved if type(i) is int]
        native.save_for_backward(*[results[i]._array._data for i in kept])
        native.mark_dirty(*map(_native, ctx.dirty_tensors))
        native.mark_non_differentiable(*map(_native, ctx.non_differentiable))
        return tuple([_native(x) if isinstance(x, Recorded) else x for x in results])

    def backward(gs: tuple[Any, ...]) -> tuple[Any, ...]:
        found = _cotangents(function, ctx, [None if g is None else wrap(g) for g in gs], len(args))
        return tuple([None if x is None else _native(x) for x in found])

    outs = _bridge().apply(forward, under_this_policy(backward), ctx, *map(_native, args))
    found = [
        x if not isinstance(x, Recorded) else (y if any(x is y for y in ctx.dirty_tensors) else wrap(o))
        for x, o, y in zip(shape[0] if isinstance(shape[0], tuple) else shape, outs, _dirty(ctx, outs), strict=True)
    ]
    return tuple(found) if isinstance(shape[0], tuple) else found[0]


def _dirty(ctx: FunctionCtx, outs: Any) -> list[Any]:
    return [*ctx.dirty_tensors, *[None] * len(outs)][: len(outs)]


@cache
def _bridge() -> Any:
    import torch

    class Bridge(torch.autograd.Function):  # type: ignore[misc]  # PyTorch is Any to the checker
        """A call of a `Function` of the dialect, as PyTorch records it."""

        @staticmethod
        def forward(native: Any, forward: Any, backward: Any, ctx: FunctionCtx, *_: Any) -> Any:
            native.back = backward
            native.set_materialize_grads(ctx.materialize_grads)
            return forward(native)

        @staticmethod
        def backward(native: Any, *gs: Any) -> Any:
            return (None, None, None, *native.back(gs))

    return Bridge


def once_differentiable(fn: Any) -> Any:
    """Have a `backward` compute without being recorded: there are no derivatives of its derivative."""

    @wraps(fn)
    def call(ctx: Any, *args: Any) -> Any:
        with no_grad():
            return fn(ctx, *args)

    return call
