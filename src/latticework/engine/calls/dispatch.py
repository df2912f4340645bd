"""Make dispatchers: copies of the texts in `dispatchers`, each with the names that it reads as its globals.

A dispatcher looks up what to run by the signatures of the operands, `Sig` objects that stand for a backend and a dtype,
or by the type of a Python scalar: ``table[policy][signature]…``. `specialise` puts the entry there the first time these
signatures are met: a native callable, and the signature of its result, None if the callable makes the result itself. A
call enters one Python frame in all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from operator import attrgetter
from sys import getrefcount
from types import FunctionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ...core.registry import ALIASES, MISSING, answer_calls, functions
from ...core.signature import Sig
from ...errors import is_signal
from ...policy import NOWHERE, active, changing, current, keep_first, kernels_of, table
from ..arrays.views import check_in_place, link
from . import dispatchers as texts

if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    from ..arrays.array import Array

    class _HasArray(Protocol):
        def __array__(self, *args: Any, **kw: Any) -> Any: ...

    #: What stands beside an array in an operator: a Python number, an array of ours, a framework's, a NumPy scalar.
    Operand: TypeAlias = complex | _HasArray

P = ParamSpec("P")
R = TypeVar("R")

#: The callable that runs a call, and the signature of its result; None if the callable makes the result itself.
Kernel = tuple[Callable[..., Any], Sig | None]


class _Waiting:
    """The stand-in for `misses` until that is loaded: the first call that needs it loads it.

    A chapter of functions loads it too, but there may be none yet: an array is unpickled without one.
    """

    def __getattr__(self, name: str) -> Any:
        answer_calls()
        return getattr(misses, name)


if TYPE_CHECKING:
    from . import misses as misses  # noqa: PLC0414
else:
    #: The module that answers calls without a kernel, or whose kernel raises. It sets this name itself, when imported.
    misses = _Waiting()


def translated(
    name: str,
    error: Exception,
    operands: tuple[Any, ...],
    args: tuple[Any, ...] = (),
    kw: dict[str, Any] | None = None,
) -> Exception:
    """Make the error to raise from a framework's own, with the function and what it got."""
    return misses.translate(name, error, operands, args, kw or {})


# --- copies of the texts ----------------------------------------------------------------------------------------------

#: name of a function -> the globals of its dispatchers that have no first kernel.
_without_first: dict[str, list[dict[str, Any]]] = {}

#: The class of arrays, and the globals of the operators' dispatchers, which are made before the class.
_array: Any = None
_of_operators: list[dict[str, Any]] = []


def with_names(text: Any, **own: Any) -> tuple[Any, dict[str, Any]]:
    """Copy a dispatcher, with code and globals of its own, and return these globals too.

    The interpreter reads globals faster than variables of an enclosing function, which it copies for each call, and
    caches in the code what it met there. The globals have no `__name__`: `torch.compile` would look the others up in
    the module of that name.
    """
    names = {
        "__builtins__": __builtins__, "__package__": __package__, "get": active.get, "policy": NOWHERE, "run": None,
        "is_signal": is_signal, "first": None, "second": None, "result": None, **own,
    }  # fmt: skip
    copy = FunctionType(text.__code__.replace(), names, text.__name__, text.__defaults__)
    copy.__kwdefaults__ = text.__kwdefaults__
    copy.__module__ = text.__module__
    names["call"] = copy
    return copy, names


def _copy(text: Any, name: str, missed: Callable[..., Any], **own: Any) -> tuple[Any, dict[str, Any]]:
    """Make a dispatcher of calls with arrays of class `Array`; return it and its globals."""
    kernels = table(ALIASES.get(name, name))
    return with_names(text, **{"name": name, "kernels": kernels, "missed": missed, "translated": translated, **own})


def _with_first(made: tuple[Any, dict[str, Any]]) -> Any:
    """Return the dispatcher, to compare with the first kernel that its function keeps for arrays."""
    copy, names = made
    _without_first.setdefault(ALIASES.get(names["name"], names["name"]), []).append(names)
    return copy


def _keep_first(name: str, *operands: Any) -> None:
    """Let the dispatchers of a function compare with the kernel that was kept for arrays, if it is their first."""
    name = ALIASES.get(name, name)
    waiting = _without_first.get(name)
    if not waiting:
        return
    here = current()
    found: Any = table(name).get(here, {})
    sigs = [getattr(x, "_sig", None) for x in operands]
    if len({*map(type, operands)}) > 1 or not all(isinstance(sig, Sig) for sig in sigs):
        return
    for sig in sigs:
        found = found.get(sig)
        if found is None:
            return
    for names in waiting:
        keep_first(names, here, {"first": sigs[0], "second": sigs[-1], "run": found[0], "result": found[1]})
    waiting[:] = [names for names in waiting if names["run"] is None]


def _missed(name: str, *operands: Any) -> Kernel:
    found = misses.kernel(name, operands)
    _keep_first(name, *operands)
    return found


def _missed_operator(name: str, *operands: Any) -> Kernel:
    found = misses.kernel_of_operator(name, operands)
    _keep_first(name, *operands)
    return found


def _missed_options(
    name: str, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any = None
) -> Kernel:
    return misses.kernel_with_options(name, present(*operands), args, kw, dtype)


def _missed_named(name: str, operands: tuple[Any, ...], kw: dict[str, Any], dtype: Any) -> Kernel:
    return misses.kernel_with_named(name, operands, kw, dtype)


def present(*args: Any) -> tuple[Any, ...]:
    """Return the arguments that are given."""
    return tuple([x for x in args if x is not MISSING])


# --- functions --------------------------------------------------------------------------------------------------------


def unary(name: str, Array: Any) -> Callable[..., Any]:
    """Make the dispatcher of a function of one array."""
    return _with_first(_copy(texts.lw_unary, name, _missed, array=Array, as_array=_as_array, written=_written))  # type: ignore[no-any-return]


def unary_view(name: str, Array: Any) -> Callable[..., Any]:
    """Like `unary`, for functions whose result is a view where the backend has views."""
    own = {"array": Array, "as_array": _as_array, "written": _written, "link": link}
    return _copy(texts.lw_unary_view, name, _missed, **own)[0]  # type: ignore[no-any-return]


def rounding(name: str, Array: Any) -> Callable[..., Any]:
    """Like `unary`, for `round`: with decimals, which NumPy and PyTorch have under this name, it is `around`."""
    own = {"array": Array, "as_array": _as_array, "written": _written, "functions": functions}
    return _with_first(_copy(texts.lw_rounding, name, _missed, **own))  # type: ignore[no-any-return]


def binary(name: str, Array: Any) -> Callable[..., Any]:
    """Make the dispatcher of a function of two operands, arrays or Python scalars."""
    return _with_first(_copy(texts.lw_binary, name, _missed, array=Array, written=_written))  # type: ignore[no-any-return]


_OPTIONS = {1: texts.lw_options_of_1, 2: texts.lw_options_of_2, 3: texts.lw_options_of_3}


def with_options(name: str, Array: Any, operands: int) -> Callable[..., Any]:
    """Make the dispatcher of a function that takes arrays first and options after them."""
    text = _OPTIONS.get(operands, texts.lw_options_of_many)
    return _of_options(text, name, Array, count=operands)


def view_with_options(name: str, Array: Any) -> Callable[..., Any]:
    """Like `with_options` of one array, for functions that give one or several views where the backend has views."""
    return _of_options(texts.lw_view_with_options, name, Array, link=link)


def with_dtype(name: str, Array: Any) -> Callable[..., Any]:
    """Like `with_options`, for functions of one array with the option `dtype`, which decides the result's dtype."""
    return _of_options(texts.lw_with_dtype, name, Array)


def sequence(name: str, Array: Any, spread: bool) -> Callable[..., Any]:
    """Make the dispatcher of a function of a sequence of arrays, given as one argument or spread over many."""
    own = {"sig_of": attrgetter("_sig"), "data_of": attrgetter("_data"), "sequence_of": _sequence_of, "spread": spread}
    return _of_options(texts.lw_sequence, name, Array, **own)


def _of_options(text: Any, name: str, Array: Any, **own: Any) -> Callable[..., Any]:
    return _copy(text, name, _missed_options, array=Array, as_array=_as_array, again=_again, **own)[0]  # type: ignore[no-any-return]


def with_named(
    name: str, Array: Any, positional: tuple[str, ...], leading: int, optional: tuple[str, ...], without: Any
) -> Callable[..., Any]:
    """Make the dispatcher of a function with operands besides the leading ones: by name or position, or None.

    A call that gives none of them goes to `without`, and costs what it costs there.

    Parameters
    ----------
    positional: the parameters that may be given by position.
    leading: how many leading operands there are.
    optional: the names of the other operands.
    without: the dispatcher of the function without the other operands.
    """
    own = {"positional": positional, "leading": leading, "named": optional, "optional": frozenset(optional)}
    return _copy(texts.lw_with_named, name, _missed_named, array=Array, without=without, **own)[0]  # type: ignore[no-any-return]


def of_shape(name: str, Array: Any, missed: Callable[..., Any]) -> Callable[..., Any]:
    """Make the dispatcher of a function that makes an array of a shape, dtype and device. `missed` makes its kernel."""
    return _copy(texts.lw_of_shape, name, missed, array=Array, present=present)[0]  # type: ignore[no-any-return]


# --- operators and methods of `Array` ---------------------------------------------------------------------------------


def unary_operator(name: str) -> Callable[[Array], Array]:
    """Make ``-x`` for an `Array` x."""
    return _named(_with_first(_of_operator(texts.lw_unary_operator, name, _missed)), name)  # type: ignore[no-any-return]


def operator(name: str) -> Callable[[Array, Operand], Array]:
    """Make ``x1 + x2`` for an `Array` x1: with the kernels of the function, and a turn for x2 if it is foreign."""
    return _named(_with_first(_of_operator(texts.lw_operator, name, _missed_operator, foreign=_foreign)), name)  # type: ignore[no-any-return]


def reflected(name: str) -> Callable[[Array, Operand], Array]:
    """Make ``x2 + x1`` for an `Array` x1, where x2 could not do it: a Python or NumPy scalar, or an ndarray."""
    return _named(_of_operator(texts.lw_reflected, name, _missed, foreign=_foreign)[0], name)  # type: ignore[no-any-return]


def in_place(name: str) -> Callable[[Array, Operand], Array]:
    """Make ``x1 += x2``: the array keeps its dtype and shape, or nothing is changed and an error says why."""
    own: dict[str, Any] = {
        "check_in_place": check_in_place, "foreign": _foreign, "getrefcount": getrefcount,
        "translated": _translated_in_place,
    }  # fmt: skip
    return _of_operator(texts.lw_in_place, name, _missed_in_place, kernels=table(f"{name}="), **own)[0]  # type: ignore[no-any-return]


def _missed_in_place(name: str, x1: Any, x2: Any) -> Any:
    return misses.kernel_in_place(name, x1, x2)


def _translated_in_place(name: str, error: Exception, x1: Any, x2: Any) -> Exception:
    return misses.translate_in_place(name, error, x1, x2)


def _of_operator(text: Any, name: str, missed: Callable[..., Any], **own: Any) -> tuple[Any, dict[str, Any]]:
    made = _copy(text, name, missed, array=_array, **own)
    if _array is None:
        _of_operators.append(made[1])
    return made


def _named(call: Any, name: str) -> Any:
    call.__name__ = call.__qualname__ = name
    return call


def give_class(Array: type) -> None:
    """Tell the operators the class of arrays, which is made after them."""
    global _array
    _array = Array
    for names in _of_operators:
        names["array"] = Array
    _of_operators.clear()


def shape_method(f: Callable[P, R]) -> Callable[P, R]:
    """Make ``x.reshape(2, -1)`` for an `Array` x, with the shape as ints or as one tuple.

    The backend's own method runs it, if there is one (`Sig.reshape`) and the rules keep each dtype: JAX's rules without
    64 bits do not. Otherwise the function runs it. `f` is the declaration of the method.
    """
    name = f.__name__
    attribute = attrgetter(name)
    kept, get = table(f"x.{name}"), active.get

    def keeps(x: Any, shape: Any) -> bool:
        """Return whether the rules in force keep the dtype of x."""
        try:
            found: bool = kept[get()][x._sig]
        except KeyError:
            _, sig = misses.kernel_with_options(name, (x,), (shape,), {}, None)
            found = kernels_of(f"x.{name}", current())[x._sig] = sig is x._sig
        return found

    def call(x: Any, /, *shape: Any, **options: Any) -> Any:
        if len(shape) == 1 and type(shape[0]) is not int:
            shape = tuple(shape[0]) if isinstance(shape[0], (tuple, list)) else shape
        sig = x._sig
        run = sig.reshape
        if run is None or options or (changing and not keeps(x, shape)):
            return attribute(functions)(x, shape, **options)
        try:
            for n in shape:
                if n < -1:  # frameworks take some of these for -1
                    raise ValueError(f"negative extents in shape {shape}")
            d = run(x._data, shape)
        except Exception as error:
            if isinstance(error, TypeError) and not hasattr(x._data, "__setitem__"):  # one of NumPy's scalars
                return attribute(functions)(x, shape)
            raise translated(name, error, (x,), (shape,)) from error
        r = type(x)()
        r._data = d
        r._sig = sig
        return r

    method: Any = update_wrapper(call, f)
    return method  # type: ignore[no-any-return]


# --- what the texts call ----------------------------------------------------------------------------------------------


def _written(name: str, result: Any, out: Any) -> Any:
    return misses.write(name, result, out)


def _again(
    name: str,
    error: Exception,
    kernel: Callable[..., Any],
    operands: tuple[Any, ...],
    args: tuple[Any, ...],
    kw: dict[str, Any],
) -> Any:
    """Call a kernel again with axes of Python's own types, where the framework did not take the axes that it got.

    Axes may also be a list, and an axis a NumPy integer: some frameworks take them, and others do not.
    """
    changed = misses.plain_axes(name, args, kw) if len(operands) == 1 else None
    if changed is None:
        raise translated(name, error, operands, args, kw) from error
    try:
        return kernel(operands[0]._data, *changed[0], **changed[1])
    except Exception as second:
        raise translated(name, second, operands, args, kw) from second


def _sequence_of(name: str, args: tuple[Any, ...], spread: bool) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    if spread:
        return args, ()
    if not args or not isinstance(args[0], (list, tuple)):
        got = f"; got {type(args[0]).__name__}" if args else ""
        error = TypeError(f"{name}: takes a list or tuple of arrays{got}")
        raise misses.by_whom(name, error)
    return tuple(args[0]), args[1:]


def _as_array(name: str, x: Any) -> Any:
    return misses.as_operand(name, x)


def _foreign(x: Any, left: Any = None, name: str = "", right: Any = None) -> bool:
    return misses.foreign(x, left, name, right)
