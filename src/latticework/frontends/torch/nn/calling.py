"""Calls of a module with other parameters than its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core import ops

__all__ = ["call", "functional_call", "stack_module_state", "swapped"]


def _untied(module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors with those for the other names of parameters that have several."""
    names_of: dict[int, list[str]] = {}
    for found in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for name, x in found:
            names_of.setdefault(id(x), []).append(name)
    made = dict(given)
    for tied in names_of.values():
        told = [name for name in tied if name in given]
        if len({id(given[name]) for name in told}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. "
                "Consider using tie_weights=False"
            )
        if told:
            made.update(dict.fromkeys(tied, given[told[0]]))
    return made


_absent = object()


def _put(module: Any, path: str, x: Any) -> Any:
    """Put a tensor at a path, and return what was there."""
    place, _, name = path.rpartition(".")
    owner = module.get_submodule(place)
    for table in (owner._parameters, owner._buffers, owner.__dict__):
        if name in table:
            before = table[name]
            if x is _absent:
                del table[name]
            else:
                table[name] = x
            return before
    owner.__dict__[name] = x
    return _absent


@contextmanager
def swapped(
    module: Any, parameters_and_buffers: dict[str, Any], tie_weights: bool = False, strict: bool = False
) -> Iterator[None]:
    """Have a module hold other tensors in a block. What it holds at the end of it is put into the dict."""
    given = parameters_and_buffers
    tensors = _untied(module, given) if tie_weights else given
    if strict:
        own = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers())}
        lists = {"Unexpected": tensors.keys() - own.keys(), "Missing": own.keys() - tensors.keys()}
        lines = [f"{word} key(s): {', '.join(map(repr, sorted(names)))}." for word, names in lists.items() if names]
        if lines:
            text = "\n\t".join(lines)
            raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{text}")
    before: list[tuple[str, Any]] = []
    try:
        for path, x in tensors.items():
            before.append((path, _put(module, path, x)))
        yield
    finally:
        after = {path: _put(module, path, x) for path, x in reversed(before)}
        given.update({path: x for path, x in after.items() if path in given})


def call(module: Any, given: dict[str, Any], args: Any, kwargs: Any, tie_weights: bool, strict: bool) -> Any:
    """Call a module with other tensors by their paths. Those that it has at the end are put into the dict."""
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with swapped(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call a module with other parameters and buffers than its own, which stay as they are.

    Parameters
    ----------
    module: the module.
    parameter_and_buffer_dicts: the tensors by their paths in a dict; or several dicts.
    args, kwargs: the arguments: one, or a tuple of several; and those by name.
    tie_weights: whether a parameter that has several paths is given by one of them.
    strict: whether it is an error if a path is missing, or is not the module's.

    Raises
    ------
    ValueError: a path is in several dicts, or several tensors are given for one parameter.
    RuntimeError: a path is missing, or is not the module's, and `strict`.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weight = nn.Parameter(torch.ones(2))
    ...
    ...     def forward(self, x):
    ...         return (x * self.weight).sum()
    >>> def loss(parameters):
    ...     return torch.func.functional_call(Scale(), parameters, torch.tensor([1.0, 2.0]))
    >>> torch.func.grad(loss)({"weight": torch.tensor([3.0, 4.0])})
    {'weight': tensor([1., 2.])}
    """
    dicts = parameter_and_buffer_dicts
    if isinstance(dicts, dict):
        return call(module, dicts, args, kwargs, tie_weights, strict)
    if not isinstance(dicts, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got " + str(type(dicts))
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    keys = [key for d in dicts for key in d]
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return call(module, {key: x for d in dicts for key, x in d.items()}, args, kwargs, tie_weights, strict)


def stack_module_state(models):
    """Return the parameters and the buffers of several modules of one class, stacked, in two dicts.

    Raises
    ------
    RuntimeError: there is no module, or they differ in their classes or in whether they are trained.
    """
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(dicts: list[dict[str, Any]]) -> dict[str, Any]:
        made = {}
        for name in dicts[0]:
            tensors = [d[name] for d in dicts]
            needs = {x.requires_grad for x in tensors}
            if len(needs) > 1:
                raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
            made[name] = ops.stack([x.detach() for x in tensors]).requires_grad_(needs.pop())
        return made

    return stacked([dict(m.named_parameters()) for m in models]), stacked([dict(m.named_buffers()) for m in models])
