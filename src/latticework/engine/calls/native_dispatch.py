"""The dispatchers of functions of a framework's own arrays.

The kernels are those of `lw.Array`: they take native operands and give a native result. The framework's own dtype
objects are the keys. Nothing is decided here: a call that finds no kernel, or whose kernel raises, is made with
`lw.Array` (`Exchange.call`). If that call leaves a kernel in the tables of `dispatch`, the kernel is kept under the
native dtypes as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ...core.dtypes import SCALARS
from ...core.registry import MISSING
from ...policy import TABLES, current, kernels_of
from ..arrays.array import Array
from ..exchange.native import Exchange
from . import dispatchers as texts
from .cache import KernelCache
from .dispatch import present, with_names

if TYPE_CHECKING:
    from ..op import Op

__all__ = ["over_native"]

_ONE = (texts.native_options_of_1, texts.native_options_of_2, texts.native_options_of_3)


def over_native(o: Op | None, f: Callable[..., Any], exchange: Exchange) -> Callable[..., Any]:
    """Turn a function of lw into a function of a framework's own arrays.

    Parameters
    ----------
    o: its declaration, None for a function that has none.
    f: the function.
    """
    if o is None or not o.dispatched:
        return exchange.function(f)
    kept = _Kernels(o, f, exchange)
    text, fallback = _text_of(kept)
    call, names = with_names(
        text, kernels=kept.kernels, array=kept.array, given=exchange.wrap, fallback=fallback, present=present,
        MISSING=MISSING, count=len(o.operands), spread=o.spread,
    )  # fmt: skip
    if o.dispatched in ("unary", "unary_view", "rounding", "binary"):
        kept.names.append(names)
    if o.optional or o.array_options:
        call = _with_arrays(kept, call)
    return update_wrapper(call, f)


def _text_of(kept: _Kernels) -> tuple[Any, Callable[..., Any]]:
    """Return the text of a function's dispatcher, and the method that calls the function the long way."""
    o = kept.op
    match o.dispatched:
        case "unary" | "unary_view":
            return texts.native_unary, kept.call_of_operands
        case "rounding":
            return texts.native_rounding, kept.call_of_operands
        case "binary":
            return texts.native_binary, kept.call_of_operands
        case "with_dtype":
            return texts.native_with_dtype, kept.call
        case "sequence":
            return texts.native_sequence, kept.call
        case "of_shape":
            return texts.native_of_shape, kept.make
        case _:
            count = len(o.operands)
            return _ONE[count - 1] if count <= len(_ONE) else texts.native_options_of_many, kept.call


class _Kernels(KernelCache):
    """The kernels of a function for native arrays.

    Attributes
    ----------
    array: the class of arrays that kernels are kept for.
    """

    def __init__(self, o: Op, f: Callable[..., Any], exchange: Exchange) -> None:
        super().__init__(o, f, f"{o.name} of {exchange.backend.name}", exchange.binding)
        self.exchange = exchange
        self.array: Any = exchange.array

    def call_of_operands(self, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a function that has no options but `out` and `decimals`: its kernel is kept where none is given."""
        options = {name: x for name, x in options.items() if x is not None}
        return self.exchange.call(self.function, operands, options) if options else self.call(operands, {}, None)

    def call(self, args: tuple[Any, ...], kw: dict[str, Any], last: Any) -> Any:
        """Call the function with `lw.Array`, and keep the kernel that this leaves.

        Parameters
        ----------
        last: the form of the options, which the kernel is kept under after the operands.
        """
        exchange, o = self.exchange, self.op
        count = len(args) if o.spread else 1 if o.sequence else len(o.operands)
        made: list[tuple[Array, Any]] = []
        others: list[tuple[Array, Any]] = []
        operands = exchange.unwrap(args[:count], made)
        rest, options = exchange.unwrap(args[count:], others), exchange.unwrap(kw, others)
        operands = exchange.lifted(operands, made)
        inside = exchange.policy()
        result = exchange.under(inside, self.function, (*operands, *rest), options, [*made, *others])
        native = exchange.wrap(result)
        told_apart = not (inside.weak_arrays and exchange.backend.weakened)  # a weak array has the dtype of others
        if told_apart and not others and (type(result) is not Array or native is result._data):
            keys = [self.key(x) for x in self.operands(args[:count])]
            if not any(key is None for key in keys):  # NumPy's float64 is equal to None
                self.keep(current(), inside, keys, [*map(_signature, self.operands(operands))], last)
        return native

    def make(self, shape: tuple[Any, ...], options: dict[str, Any], key: Any) -> Any:
        """Call a function that makes an array of a shape, and keep its kernel."""
        made = self.exchange.call(self.function, shape, options)
        found = TABLES.get(self.op.name, {}).get(self.exchange.policy(), {}).get(key)
        if found is not None:
            kernels_of(self.name, current())[key] = found
        return made

    def operands(self, args: tuple[Any, ...]) -> Any:
        """Return the operands among the leading arguments."""
        return args[0] if self.op.sequence and not self.op.spread else args

    def key(self, x: Any) -> Any:
        """Return the key of an operand for the dispatcher; None for an operand that no kernel is kept for."""
        kind = type(x)
        if kind is self.array:
            return x.dtype
        return kind if kind in SCALARS or (self.exchange.scalars and issubclass(kind, self.exchange.scalars)) else None


def _signature(x: Any) -> Any:
    """Return the key of an operand in the tables of `dispatch`."""
    return x._sig if type(x) is Array else type(x)


def _with_arrays(kept: _Kernels, without: Callable[..., Any]) -> Callable[..., Any]:
    """Make the dispatcher of a function that may get arrays besides its operands: such calls go through `lw.Array`."""
    o, f, exchange = kept.op, kept.function, kept.exchange
    count, names = len(o.operands), frozenset((*o.optional, *o.array_options))

    def call(*args: Any, **kw: Any) -> Any:
        if len(args) > count or not names.isdisjoint(kw):
            return exchange.call(f, args, kw)
        return without(*args, **kw)

    return call
