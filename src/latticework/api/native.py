"""Native in, native out: functions over the frameworks' own arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from ..backend import Backend, get, unknown_backend
from ..backend.facts import all_facts
from ..engine.exchange.binding import binding_of
from ..engine.exchange.native import backends_in, scalars
from ..errors import BackendError, nearest
from ..policy import current
from .namespaces import exchange_of, one_of, within

if TYPE_CHECKING:
    from typing import Unpack

    from ..engine.exchange.binding import Parts

__all__ = ["native"]

P = ParamSpec("P")
R = TypeVar("R")


@overload
def native(f: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def native(
    *, backend: str | None = None, static: str | int | Sequence[str | int] = (), **policy: Unpack[Parts]
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def native(
    f: Callable[..., Any] | None = None,
    /,
    *,
    backend: str | None = None,
    static: str | int | Sequence[str | int] = (),
    **policy: Unpack[Parts],
) -> Any:
    """Make of a function written in latticework one of frameworks' own arrays: native in, native out.

    The function is called with arrays of latticework in the place of the framework's. They share their memory, and what
    it makes anew is made on their backend and device. Arrays are found in lists, tuples, named tuples and dicts, by
    position and by name. The result has the framework's arrays in the same places. Where the arguments have arrays of
    latticework alone, the function is called as it is, and so are its results.

    Parameters
    ----------
    f: the function.
    backend: the only backend whose arrays it takes; by default any, one in each call.
    static: names or positions of arguments that are handed on as they are, also where they hold arrays or functions.
    policy: parts of a policy that are in force inside of the function, whatever is where it is called: `rules`,
        `default_float` and so on, as `lw.using` takes them.

    Returns
    -------
    A function with the signature of `f`.

    Raises
    ------
    BackendError: when it is called: with arrays of two backends, or of another than `backend`; or where `f` writes to
        an argument whose framework's arrays never change.
    TypeError: when it is made: `static` names no parameter of `f`; for what is no part of a policy, and for a dtype of
        another kind.

    Notes
    -----
    A call without arrays runs on the backend in force. A NumPy scalar is an array where there are no others, and is
    handed on as it is beside those. A function among the arguments is called with the framework's arrays, as its writer
    expects, and under the policy of the caller. It works inside `jax.jit`, `jax.vmap`, `jax.grad`, `torch.func`,
    `torch.compile` and `tf.function`.

    Examples
    --------
    >>> import numpy as np
    >>> import latticework as lw
    >>> @lw.native
    ... def standardise(x, *, axis=0):
    ...     return (x - lw.mean(x, axis=axis, keepdims=True)) / lw.std(x, axis=axis, keepdims=True)
    >>> standardise(np.asarray([1.0, 3.0], dtype=np.float32))
    array([-1.,  1.], dtype=float32)
    >>> standardise(lw.asarray([1.0, 3.0]))
    Array([-1.,  1.], dtype=float32)
    >>> @lw.native(default_float="float64")
    ... def half(x):
    ...     return x / 2
    >>> half(np.asarray([1, 3], dtype=np.int32))
    array([0.5, 1.5])
    """
    binding = binding_of("native", policy) if policy else None
    if backend is not None and not (backend in all_facts() and all_facts()[backend].framework):
        raise unknown_backend(backend)
    if f is None:
        return lambda f: native(f, backend=backend, static=static, **policy)  # type: ignore[call-overload]
    if not callable(f):
        raise TypeError(f"native: takes a function; got {type(f).__name__}")
    name = getattr(f, "__name__", "native")
    kept = _Static(f, (static,) if isinstance(static, (str, int)) else static)

    def call(*args: Any, **kw: Any) -> Any:
        looked_at, options = kept.without(args, kw)
        found = backends_in(looked_at, {})
        if options:
            backends_in(options.values(), found)
        if found and not any(found.values()):
            return f(*args, **kw) if binding is None else within(binding).call(f, args, kw)
        only = None if backend is None else get(backend)
        lifting = len(found) > 1 and _lifting(found, [looked_at, options])
        owner = lifting or one_of(name, found) or only or _without_arrays([looked_at, options])
        if only is not None and owner is not only:
            raise BackendError(
                f"{name}: takes arrays of {only.title}; got one of {owner.title}. "
                f"Convert it: lw.asarray(x, backend={only.name!r}).data"
            )
        exchange, made = exchange_of(owner, binding), list[Any]()
        taken = tuple([exchange.unwrap(x, made) for x in looked_at])
        named = {name: exchange.unwrap(x, made) for name, x in options.items()}
        if lifting:
            taken, named = exchange.lifted((taken, named), made)
        taken, named = kept.put_back(taken, named, args, kw)
        return exchange.wrap(exchange.under(exchange.policy(made), f, taken, named, made))

    return update_wrapper(call, f)


def _lifting(found: Collection[Backend], tree: Any) -> Backend | None:
    """Return the one of two backends whose framework traces and takes the other's arrays (see `Exchange.lifted`)."""
    lifting = [b for b in found if b.lifts is not None]
    if len(found) != 2 or len(lifting) != 1:
        return None
    exchange, made = exchange_of(lifting[0]), list[Any]()
    taken = exchange.unwrap(tree, made)
    others = backends_in([exchange.lifted(taken, made)], {})
    return lifting[0] if [*others] == lifting else None


def _without_arrays(tree: Any) -> Backend:
    """The backend of a call without arrays: NumPy's where there is one of its scalars, else the one in force."""
    scalar = next(scalars(tree), None)
    return get(current().backend) if scalar is None else scalar


class _Static:
    """The arguments of a function that are handed on as they are."""

    def __init__(self, f: Callable[..., Any], static: Sequence[str | int]) -> None:
        self.names: set[str] = set()
        self.positions: set[int] = set()
        if not static:
            return
        from inspect import signature

        parameters = [*signature(f).parameters]
        for which in static:
            if isinstance(which, str) and which not in parameters:
                raise TypeError(f"native: static names {which!r}, which is no parameter{nearest(which, parameters)}")
            self.positions.add(parameters.index(which) if isinstance(which, str) else which)
        self.names = {parameters[i] for i in self.positions if i < len(parameters)}

    def without(self, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with None in the places of those that are handed on as they are."""
        if not self.positions:
            return args, kw
        return (
            tuple([None if i in self.positions else x for i, x in enumerate(args)]),
            {name: None if name in self.names else x for name, x in kw.items()},
        )

    def put_back(
        self, taken: tuple[Any, ...], named: dict[str, Any], args: tuple[Any, ...], kw: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Put the arguments that are handed on as they are back into their places."""
        if not self.positions:
            return taken, named
        return (
            tuple([args[i] if i in self.positions else x for i, x in enumerate(taken)]),
            {name: kw[name] if name in self.names else x for name, x in named.items()},
        )
