"""`torch.utils.checkpoint`: functions that keep nothing for their derivative, and run again when it is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ....policy import under_this_policy
from ..autograd import Function, grad
from ..autograd.modes import enable_grad, is_grad_enabled
from ..autograd.recording import is_native
from ..core import dialect, ops
from ..random import fork_rng
from ..sampling import get_rng_state, set_rng_state

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "noop_context_fn"]


class CheckpointError(RuntimeError):
    """A function computed something else when it ran again."""


def noop_context_fn():
    """Return two blocks that do nothing."""
    return nullcontext(), nullcontext()


def checkpoint(
    function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default", debug=False,
    early_stop=True, **kwargs,
):  # fmt: skip
    """Call a function of which nothing is kept but its arguments: it runs again when its derivative is asked for.

    It saves memory where the function makes many tensors, and costs the time to run it once more. Derivatives by
    tensors that it uses and that are no arguments, such as the parameters of a module, are computed too.

    Parameters
    ----------
    function: the function.
    args, kwargs: its arguments, and `preserve_rng_state`: whether random numbers are the same when it runs again, True
        by default.
    use_reentrant: PyTorch has two ways to do it, and warns where none is chosen. Here both are one, which has the
        derivatives of the newer, False.
    context_fn: a function that returns two blocks, in which the first and the second run are.
    determinism_check: "default" to compare the shapes and dtypes of the results of both runs, "none" not to.
    debug, early_stop: taken and not looked at.

    Raises
    ------
    CheckpointError: the results of the second run have other shapes or dtypes.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch.utils.checkpoint import checkpoint
    >>> x = torch.ones(2, requires_grad=True)
    >>> checkpoint(lambda x: (2 * x).exp(), x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([14.7781, 14.7781])
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. use_reentrant=False is "
            "recommended",
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant and kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    if use_reentrant and context_fn is not noop_context_fn:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    places: list[Any] = []
    tree = _taken(places, (args, kwargs))
    first, second = context_fn()

    def run(tensors: list[Any]) -> Any:
        given, named = _put(iter(tensors), tree)
        return function(*given, **named)

    if not is_grad_enabled():
        with first:
            return run(places)
    state = get_rng_state()

    def again(tensors: list[Any]) -> Any:
        with fork_rng():
            if preserve:
                set_rng_state(state)
            with second:
                return run(tensors)

    runs = [first]  # the first run is as it is

    def checked(tensors: list[Any]) -> Any:
        if runs:
            with runs.pop():
                return run(tensors)
        return again(tensors)

    if is_native((places[0] if places else ops.zeros(()))._array):
        from torch.utils.checkpoint import checkpoint as native

        return native(under_this_policy(checked), places, use_reentrant=False, determinism_check=determinism_check)
    return _checkpoint(checked, places, determinism_check != "none")


def _checkpoint(run: Callable[[list[Any]], Any], tensors: list[Any], compares: bool) -> Any:
    """Run a function, and record one call that runs it again for its derivative."""
    given = _leaves(tensors)
    results: list[Any] = []
    made = run(given)
    tree = _taken(results, made)
    needed = [*tensors, *_inner(results, given)]
    if not any(x.requires_grad for x in needed):
        return made
    values = [x.detach() for x in results]
    kinds = [(x.shape, x.dtype) for x in results]
    recorded = [i for i, x in enumerate(results) if x.requires_grad]
    count = len(tensors)
    del made, given, results

    class Again(Function):
        """What was computed, without a record of how."""

        @staticmethod
        def forward(ctx: Any, *_: Any) -> Any:
            return tuple([values[i] for i in recorded])

        @staticmethod
        def backward(ctx: Any, *gs: Any) -> Any:
            create = is_grad_enabled()
            with enable_grad():
                own = needed[:count] if create else _leaves(needed[:count])
                found: list[Any] = []
                _taken(found, run(own))
                if compares and [(x.shape, x.dtype) for x in found] != kinds:
                    raise CheckpointError(
                        "torch.utils.checkpoint: Recomputed values have different metadata than those of the first "
                        "run: the function depends on something that has changed"
                    )
                by = [*own, *needed[count:]]
                which = [i for i, x in enumerate(by) if x.requires_grad]
                derivatives = grad(
                    [found[i] for i in recorded], [by[i] for i in which], gs, retain_graph=True, create_graph=create,
                    allow_unused=True,
                )  # fmt: skip
            by_place = dict(zip(which, derivatives, strict=True))
            return tuple([by_place.get(i) for i in range(len(by))])

    outs = dict(zip(recorded, Again.apply(*needed), strict=True))
    return _put(iter([outs.get(i, x) for i, x in enumerate(values)]), tree)


def _leaves(tensors: list[Any]) -> list[Any]:
    """The tensors as leaves of a graph of their own."""
    return [x.detach().requires_grad_() if x.requires_grad else x for x in tensors]


def _inner(results: list[Any], given: list[Any]) -> list[Any]:
    """The leaves that results depend on, beside those that were given."""
    found: list[Any] = []
    seen = [x.grad_fn for x in results if x.grad_fn is not None]
    known, waiting = {*seen}, [*seen]
    while waiting:
        for f, _ in waiting.pop().next_functions:
            if f in known:
                continue
            known.add(f)
            if f.name().endswith("AccumulateGrad"):
                found.append(f.variable)
            else:
                waiting.append(f)
    return [x for x in found if x is not None and not any(x is y for y in given)]


def _taken(places: list[Any], tree: Any) -> Any:
    """Take the tensors out of lists, tuples and dicts, and return the tree with `_Place` instead."""
    if type(tree) is dialect.array:
        places.append(tree)
        return _Place
    if isinstance(tree, dict):
        return {name: _taken(places, x) for name, x in tree.items()}
    if type(tree) in (list, tuple):
        return type(tree)([_taken(places, x) for x in tree])
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_taken(places, x) for x in tree])
    return tree


class _Place:
    """Where a tensor was."""


def _put(tensors: Any, tree: Any) -> Any:
    """Put tensors into the places of a tree."""
    if tree is _Place:
        return next(tensors)
    if isinstance(tree, dict):
        return {name: _put(tensors, x) for name, x in tree.items()}
    if type(tree) in (list, tuple):
        return type(tree)([_put(tensors, x) for x in tree])
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_put(tensors, x) for x in tree])
    return tree


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Call functions one after the other, in so many parts of which nothing is kept but what goes in.

    Parameters
    ----------
    functions: a sequence of functions, or an `nn.Sequential`.
    segments: the number of parts. The last one is computed as it is.
    input: what the first function gets.
    use_reentrant: as in `checkpoint`.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is recommended",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    steps = [*functions.children()] if hasattr(functions, "children") else [*functions]
    size = len(steps) // segments

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def call(x: Any) -> Any:
            for step in steps[start:end]:
                x = step(x)
            return x

        return call

    last = size * (segments - 1)
    for start in range(0, last, size or 1):
        input = checkpoint(part(start, start + size), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return part(last, len(steps))(input)
