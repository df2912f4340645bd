"""Features of JAX's ufuncs besides a call: the arguments that JAX refuses, and methods such as `reduce`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import as_array, ops

__all__ = ["give_ufunc_methods", "not_supported", "ufunc"]


def not_supported(name: str, **arguments: Any) -> None:
    """Refuse arguments that JAX takes for NumPy's sake, and has no use for.

    Raises
    ------
    NotImplementedError: one of them is not None.
    """
    for word, value in arguments.items():
        if value is not None:
            raise NotImplementedError(f"The '{word}' argument to jnp.{name} is not supported.")


def ufunc(name: str, args: tuple[Any, ...], out: Any, where: Any) -> Any:
    """Call a latticework function as a ufunc of JAX."""
    if out is not None or where is not None:
        for x in args:
            as_array(x, name)
        not_supported(name, out=out, where=where)
    count = 1 if name == "negative" else 2
    if len(args) != count:
        raise TypeError(f"{name}() takes {count} positional arguments but {len(args)} were given")
    return getattr(ops, name)(*args)


def give_ufunc_methods(name: str, f: Any, reduction: Callable[..., Any] | None, identity: Any = None) -> None:
    """Give a function of two arguments the methods `reduce`, `accumulate`, `outer`, `at` and `reduceat`' s kin.

    Parameters
    ----------
    reduction: the function that reduces by it; None where elements are taken one by one.
    identity: the identity of the function.
    """

    def outer(A: Any, B: Any, /) -> Any:
        A, B = as_array(A, name), as_array(B, name)
        return f(A.reshape(A.shape + (1,) * B.ndim), B)

    def reduce(
        a: Any, axis: int | None = 0, dtype: Any = None, out: None = None, keepdims: bool = False, initial: Any = None,
        where: Any = None,
    ) -> Any:  # fmt: skip
        not_supported(f"{name}.reduce", out=out)
        a = as_array(a, name)
        if reduction is not None:
            more = {} if dtype is None else {"dtype": dtype}
            more |= {} if initial is None else {"initial": initial}
            return reduction(a, axis=axis, keepdims=keepdims, where=where, **more)
        return _one_by_one(f, a, axis, keepdims)[0]

    def accumulate(a: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Any:
        not_supported(f"{name}.accumulate", out=out)
        a = as_array(a, name)
        return ops.stack(_one_by_one(f, a, axis, False)[1], axis)

    def at(a: Any, indices: Any, b: Any = None, *, inplace: bool = True) -> Any:
        if inplace:
            raise NotImplementedError(f"jnp.{name}.at: JAX arrays are immutable; pass inplace=False")
        return as_array(a, name).at[indices].apply(lambda x: f(x, b))

    f.outer, f.reduce, f.accumulate, f.at = outer, reduce, accumulate, at
    f.identity, f.nin, f.nout, f.nargs = identity, 2, 1, 3


def _one_by_one(f: Callable[..., Any], a: Any, axis: int | None, keepdims: bool) -> tuple[Any, list[Any]]:
    a = a.ravel() if axis is None else a
    parts = ops.unstack(a, 0 if axis is None else axis)
    values = [parts[0]]
    for x in parts[1:]:
        values.append(f(values[-1], x))
    last = values[-1]
    return (ops.expand_dims(last, 0 if axis is None else axis) if keepdims else last), values
