"""`torch.overrides`: classes of a program's own in the place of tensors, by `__torch_function__`.

Functions of the dialect do not ask for it: a program that calls `handle_torch_function` itself gets the answer of its
classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .tensor import Tensor

__all__ = ["handle_torch_function", "has_torch_function", "is_tensor_like"]


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return whether one of some arguments is of a class with `__torch_function__`."""
    return any(type(x) is not Tensor and hasattr(type(x), "__torch_function__") for x in relevant_args)


def has_torch_function_unary(x: Any) -> bool:
    return has_torch_function((x,))


def has_torch_function_variadic(*args: Any) -> bool:
    return has_torch_function(args)


def is_tensor_like(inp: Any) -> bool:
    """Return whether an argument is a tensor, or of a class with `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Call `__torch_function__` of the arguments that have it: those of subclasses first, then from the left.

    Parameters
    ----------
    public_api: the function that the program asked for.
    relevant_args: the arguments that are asked.
    args, kwargs: the arguments of the call.

    Returns
    -------
    The first answer that is not `NotImplemented`.

    Raises
    ------
    TypeError: no argument gives an answer.

    Examples
    --------
    >>> from latticework.frontends.torch.overrides import handle_torch_function
    >>> class Unit:
    ...     @classmethod
    ...     def __torch_function__(cls, function, types, args=(), kwargs=None):
    ...         return function.__name__
    >>> import latticework.frontends.torch as torch
    >>> handle_torch_function(torch.sin, (Unit(),), Unit())
    'sin'
    """
    asked: list[Any] = []
    for x in relevant_args:
        if has_torch_function((x,)) and type(x) not in [type(a) for a in asked]:
            at = next((i for i, a in enumerate(asked) if issubclass(type(x), type(a))), len(asked))
            asked.insert(at, x)
    types = tuple(type(x) for x in asked)
    for x in asked:
        found = x.__torch_function__(public_api, types, args, kwargs)
        if found is not NotImplemented:
            return found
    names = ", ".join(t.__name__ for t in types) or "no argument has __torch_function__"
    raise TypeError(
        f"no implementation found for {public_api.__name__} on types that implement __torch_function__: {names}"
    )
