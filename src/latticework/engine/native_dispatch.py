"""The way from a call on native arrays to its kernel: the twins of the dispatchers in `dispatch`.

The kernels are those of our own arrays: they take native operands and give a native result as it is. What a call on
native arrays has to find out is the signature, and here the framework's own dtype objects stand for it. A function of
one or two arrays compares with the signature and the policy of its first kernel before it looks others up. Nothing is
decided here: a call that finds no kernel, or whose kernel raises, is made with arrays of ours (`Exchange.call`), and if
that has left a kernel in the tables of `dispatch`, it is kept under the native dtypes as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ..core.dtypes import SCALARS
from ..policy import NOWHERE, TABLES, Policy, active, current, keep_first, kernels_of, table
from .array import Array
from .dispatch import MISSING, with_names
from .native import Exchange

if TYPE_CHECKING:
    from .op import Op

__all__ = ["over_native"]


def over_native(o: Op | None, f: Callable[..., Any], exchange: Exchange) -> Callable[..., Any]:
    """A function of ours as one of a framework's own arrays.

    Parameters
    ----------
    o: its declaration, None for a function that has none.
    f: the function.
    """
    make = None if o is None else _TWINS.get(o.dispatched)
    if o is None or make is None:
        return exchange.function(f)
    calls = Calls(o, f, exchange)
    call = make(calls)
    if o.optional or o.array_options:
        call = _with_arrays(calls, call)
    return update_wrapper(call, f)


class Calls:
    """What a dispatcher of native arrays has besides its text.

    Attributes
    ----------
    op: the declaration of the function.
    kernels: what is kept of it for the native dtypes, by policy.
    array: the class of arrays that kernels are kept for.
    names: the globals of a dispatcher that has some of its own, see `with_names`.
    """

    names: dict[str, Any] | None = None

    def __init__(self, o: Op, f: Callable[..., Any], exchange: Exchange) -> None:
        self.op, self.function, self.exchange = o, f, exchange
        self.array: Any = exchange.array
        self.name = f"{o.name} of {exchange.backend.name}"
        self.kernels = table(self.name)

    def call(self, count: int, args: tuple[Any, ...], kw: dict[str, Any], last: Any = None) -> Any:
        """Call the function on arrays of ours, and keep the kernel that this leaves.

        Parameters
        ----------
        count: how many of the arguments are operands; those of a sequence are in the first.
        last: what the kernel is kept under after these; None for a function of operands alone.
        """
        exchange, policy = self.exchange, current()
        made: list[tuple[Array, Any]] = []
        others: list[tuple[Array, Any]] = []
        operands = exchange.taken(args[:count], made)
        rest, options = exchange.taken(args[count:], others), exchange.taken(kw, others)
        operands = exchange.lifted(operands, made)
        inside = exchange.policy()
        result = exchange.under(inside, self.function, (*operands, *rest), options, [*made, *others])
        native = exchange.given(result)
        told_apart = not (policy.weak_arrays and exchange.backend.weakened)  # a weak array has the dtype of others
        if told_apart and not others and (type(result) is not Array or native is result._data):
            keys = [self.key(x) for x in self.operands(args[:count])]
            if not any(key is None for key in keys):  # NumPy's float64 is equal to None
                self.keep(policy, inside, keys, [*map(signature, self.operands(operands))], last)
        return native

    def operands(self, args: tuple[Any, ...]) -> Any:
        """The operands among the leading arguments."""
        return args[0] if self.op.sequence and not self.op.spread else args

    def key(self, x: Any) -> Any:
        """What stands for an operand where a dispatcher looks; None for an operand that no kernel is kept for."""
        kind = type(x)
        if kind is self.array:
            return x.dtype
        return kind if kind in SCALARS or (self.exchange.scalars and issubclass(kind, self.exchange.scalars)) else None

    def keep(self, policy: Policy, inside: Policy, keys: list[Any], signatures: list[Any], last: Any) -> None:
        """Keep the kernel of arrays of these signatures, if there is one, for native arrays with these keys."""
        if self.op.sequence or len(self.op.operands) > 3:
            keys, signatures = [tuple(keys)], [tuple(signatures)]
        ends = [] if last is None else [last]
        found: Any = TABLES.get(self.op.name, {}).get(inside, {})
        for step in (*signatures, *ends):
            found = found.get(step)
            if found is None:
                return
        run, sig = found
        *path, end = *keys, *ends
        kept = kernels_of(self.name, policy)
        for step in path:
            kept = kept.setdefault(step, {})
        kept[end] = run if last is None else (run, sig is not None)
        if self.names is not None and not any(isinstance(key, type) for key in keys):
            keep_first(self.names, policy, {"first": keys[0], "second": keys[-1], "run": run})


def signature(x: Any) -> Any:
    """What stands for an operand in the tables of `dispatch`."""
    return x._sig if type(x) is Array else type(x)


def _with_arrays(calls: Calls, without: Callable[..., Any]) -> Callable[..., Any]:
    """The dispatcher of a function that may be given arrays besides its operands: such calls have arrays of ours."""
    o, f, exchange = calls.op, calls.function, calls.exchange
    count, names = len(o.operands), frozenset((*o.optional, *o.array_options))

    def call(*args: Any, **kw: Any) -> Any:
        if len(args) > count or not names.isdisjoint(kw):
            return exchange.call(f, args, kw)
        return without(*args, **kw)

    return call


# --- the twins ----------------------------------------------------------------------------------------------------
# A call for which there is no kernel, and one that the framework refuses, go on below the try.


#: The names that `_unary` and `_binary` read, which each copy of them has as globals of its own.
get = active.get
calls: Any = None
kernels: Any = None
array: Any = None
#: The dtypes, the policy and the kernel of the first call that kept one. They are set once, the policy last, so that a
#: call in another thread never finds one of them without the others.
first: Any = None
second: Any = None
policy: Any = NOWHERE
run: Any = None


def _of_calls(calls: Calls, f: Any) -> Callable[..., Any]:
    """A copy of `_unary` or `_binary` for a function."""
    copy, calls.names = with_names(f, calls=calls, kernels=calls.kernels, array=calls.array, first=None, second=None)
    return copy  # type: ignore[no-any-return]


def unary(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function of one array."""
    return _of_calls(calls, _unary)


def _unary(x: Any, /, out: Any = None) -> Any:
    if out is None:
        try:
            if type(x) is array:
                if x.dtype is first and get() is policy:
                    return run(x)
                return kernels[get()][x.dtype](x)
            return kernels[get()][type(x)](x)
        except Exception:
            pass
        return calls.call(1, (x,), {})
    return calls.call(1, (x,), {"out": out})


def rounding(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of `round`, which may be given decimals."""
    nearest, exchange = unary(calls), calls.exchange

    def call(x: Any, /, decimals: Any = None, out: Any = None) -> Any:
        if decimals is None and out is None:
            return nearest(x)
        return exchange.call(calls.function, (x,), {"decimals": decimals, "out": out})

    return call


def binary(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function of two operands, arrays or Python scalars."""
    return _of_calls(calls, _binary)


def _binary(x1: Any, x2: Any, /, out: Any = None) -> Any:
    if out is None:
        try:
            if type(x1) is array and type(x2) is array:
                if x1.dtype is first and x2.dtype is second and get() is policy:
                    return run(x1, x2)
                return kernels[get()][x1.dtype][x2.dtype](x1, x2)
            s1 = x1.dtype if type(x1) is array else type(x1)
            return kernels[get()][s1][x2.dtype if type(x2) is array else type(x2)](x1, x2)
        except Exception:
            pass
        return calls.call(2, (x1, x2), {})
    return calls.call(2, (x1, x2), {"out": out})


def with_options(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function whose first arguments are arrays and which takes options after them."""
    kernels, get, kind, given = calls.kernels, active.get, calls.array, calls.exchange.given
    count = len(calls.op.operands)
    call: Callable[..., Any]

    if count == 1:

        def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
            last = (len(args), *kw) if kw else len(args)
            try:
                run, native = kernels[get()][x.dtype if type(x) is kind else type(x)][last]
                d = run(x, *args, **kw)
                return d if native else given(d)
            except Exception:
                pass
            return calls.call(1, _present(x, *args), kw, last)
    elif count == 2:

        def call(x1: Any = MISSING, x2: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
            last = (len(args), *kw) if kw else len(args)
            try:
                s1 = x1.dtype if type(x1) is kind else type(x1)
                run, native = kernels[get()][s1][x2.dtype if type(x2) is kind else type(x2)][last]
                d = run(x1, x2, *args, **kw)
                return d if native else given(d)
            except Exception:
                pass
            return calls.call(2, _present(x1, x2, *args), kw, last)

    else:

        def call(*args: Any, **kw: Any) -> Any:
            last = (len(args) - count, *kw) if kw else len(args) - count
            try:
                found = kernels[get()]
                keys = [x.dtype if type(x) is kind else type(x) for x in args[:count]]
                for key in keys if count == 3 else (tuple(keys),):
                    found = found[key]
                run, native = found[last]
                d = run(*args, **kw)
                return d if native else given(d)
            except Exception:
                pass
            return calls.call(count, args, kw, last)

    return call


def with_dtype(calls: Calls) -> Callable[..., Any]:
    """As `with_options`, for a function of one array that has the option `dtype`: it decides the result's."""
    kernels, get, kind, given = calls.kernels, active.get, calls.array, calls.exchange.given

    def call(x: Any = MISSING, /, *args: Any, dtype: Any = None, **kw: Any) -> Any:
        last = (dtype, len(args), *kw) if args or kw or dtype is not None else 0
        try:
            run, native = kernels[get()][x.dtype if type(x) is kind else type(x)][last]
            d = run(x, *args, **kw)
            return d if native else given(d)
        except Exception:
            pass
        options = kw if dtype is None else {**kw, "dtype": dtype}
        return calls.call(1, _present(x, *args), options, last)

    return call


def sequence(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function of a sequence of arrays, given as one argument or spread over many."""
    kernels, get, kind, given = calls.kernels, active.get, calls.array, calls.exchange.given
    spread = calls.op.spread

    def call(*args: Any, **kw: Any) -> Any:
        last: Any = None
        try:
            arrays, rest = (args, ()) if spread else (args[0], args[1:])
            last = (len(rest), *kw) if kw else len(rest)
            key = tuple([x.dtype if type(x) is kind else type(x) for x in arrays])
            run, native = kernels[get()][key][last]
            d = run(arrays, *rest, **kw)
            return d if native else given(d)
        except Exception:
            pass
        return calls.call(len(args) if spread else 1, args, kw, last)

    return call


def of_shape(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function that makes an array of a shape, dtype and device."""
    kernels, get, exchange = calls.kernels, active.get, calls.exchange

    def call(*shape: Any, dtype: Any = None, device: Any = None, **unknown: Any) -> Any:
        key = dtype if device is None else (dtype, (device, getattr(device, "backend", None)))
        try:
            make, native, location, _ = kernels[get()][unknown or shape[1:] or key]
            return make(shape[0], dtype=native, device=location)
        except Exception:
            pass
        made = exchange.call(calls.function, shape, {"dtype": dtype, "device": device, **unknown})
        found = TABLES.get(calls.op.name, {}).get(exchange.policy(), {}).get(key)
        if found is not None:
            kernels_of(calls.name, current())[key] = found
        return made

    return call


def _present(*args: Any) -> tuple[Any, ...]:
    """The arguments that are given."""
    return tuple([x for x in args if x is not MISSING])


_TWINS: dict[str, Callable[[Calls], Callable[..., Any]]] = {
    "unary": unary,
    "unary_view": unary,
    "rounding": rounding,
    "binary": binary,
    "with_options": with_options,
    "view_with_options": with_options,
    "with_dtype": with_dtype,
    "sequence": sequence,
    "of_shape": of_shape,
}
