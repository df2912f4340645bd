"""Decorators that declare functions of latticework: `@op`, `@composed`, `@composed_with_plan` and `@creation`.

A decorator returns the function that the user calls, with the name, the signature and the docstring of the declared
function. `@op` returns a dispatcher (`dispatch.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ..contents import namespace_of
from ..core.dtypes import SCALAR_KINDS, Dtype
from ..core.registry import ALIASES, OPS
from ..policy import active, as_dtype, current, table
from .arrays.array import Array
from .arrays.ufuncs import give_methods
from .calls import dispatch
from .calls.specialise import specialise_creation
from .calls.translate import translate
from .op import Op, parameters
from .plans.advice import misfit, unexpected, with_key
from .plans.request import is_ours

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["alias", "composed", "composed_with_plan", "conversion", "creation", "op"]


def _stub() -> None:
    """Stand for an empty body, to compare others with."""
    ...


def _is_stub(f: Callable[..., Any]) -> bool:
    return f.__code__.co_code == _stub.__code__.co_code and f.__code__.co_consts[1:] == _stub.__code__.co_consts[1:]


def _declare(f: Callable[..., Any], **facts: Any) -> Op:
    namespace = namespace_of(f.__module__)
    name = f"{namespace}.{f.__name__}" if namespace else f.__name__
    if name in OPS:
        raise ValueError(f"{name} is declared twice")
    o = OPS[name] = Op(name, f, namespace=namespace, **facts)
    return o


def op(
    accepts: str = "all",
    *,
    out: str | tuple[str, ...] = "same",
    shape: str | Callable[..., Any] = "broadcast",
    view: bool = False,
    **roles: str,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function of arrays.

    The leading positional-only parameters annotated with `Array` are its operands, and so are parameters after them
    annotated with `Array`, which may be given by name, and may be None where the annotation says so. They are cast
    to a common dtype, except the operands that `roles` names: ``indices="index"`` (positions), ``condition="bool"``,
    ``="own"`` (left as they are). Everything else is an option. `dtype` decides the result's dtype, and the array given
    as `out` takes the result: neither goes to a backend as it is. Options with a default may be declared by position,
    and backends get them by name.

    Parameters
    ----------
    accepts: the category of dtypes that it computes in (`dtypes.CATEGORIES`).
    out: the family of the result's dtype (`promotion.operations`); several for several results.
    shape: the family of the results' shapes (`shapes.FAMILIES`) by name, or a function like these.
    view: whether NumPy's function gives a view of the one array that it takes.
    """

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        body = None if _is_stub(f) else f
        o = _declare(
            f,
            accepts=accepts,
            out=(out,) if isinstance(out, str) else out,
            shape=shape,
            roles=roles,
            body=body,
            kind="mixed" if body else "primitive",
            wrap=_wrapper(f),
        )
        count = len(o.operands)
        o.dispatched = _dispatched(o, view)
        call: Callable[..., Any]
        if o.dispatched == "sequence":
            call = dispatch.sequence(o.name, Array, o.spread)
        elif o.dispatched == "with_options":
            call = dispatch.with_options(o.name, Array, count)
        else:
            call = getattr(dispatch, o.dispatched)(o.name, Array)
        if o.optional:
            call = dispatch.with_named(o.name, Array, _positional(f), count, o.optional, call)
        o.dispatcher = call
        result = functools.update_wrapper(call, _documented(f, o))
        if o.dispatched == "binary" and shape == "broadcast":
            give_methods(result, o.name)
        return result

    return declare


def _dispatched(o: Op, view: bool) -> str:
    """Return the name of a function's dispatcher: the one with the fewest arguments to look at."""
    count = len(o.operands)
    plain = len(parameters(o.function)) - o.has_out
    if o.sequence:
        return "sequence"
    if (o.has_dtype or o.casts_first) and count == 1:
        return "with_dtype"
    if "decimals" in parameters(o.function):
        return "rounding"
    if view:
        return "unary_view" if plain == 1 and o.wrap is Array else "view_with_options"
    if count > min(2, o.function.__code__.co_posonlyargcount) or count < plain or o.wrap is not Array:
        return "with_options"
    return "unary" if count == 1 else "binary"


def alias(name: str, f: Callable[P, R], module: str) -> Callable[P, R]:
    """Declare another name of a function of one or two arrays: it runs the same kernels, and its errors say this name.

    Parameters
    ----------
    name: the other name.
    f: the function, as `op` returned it.
    module: the module that has the alias.
    """
    o = OPS[f.__name__]
    ALIASES[name] = o.name
    make = dispatch.unary if len(o.operands) == 1 else dispatch.binary
    call = functools.update_wrapper(make(name, Array), o.function)
    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    if len(o.operands) == 2:
        give_methods(call, o.name)
    return call


#: The text about `out` in the docstring of a function that takes it.
_OUT = """
    out: an array to write the result into, which is returned then. It has the result's shape, and a dtype that
        the result's goes into, as in an assignment. On frameworks whose arrays never change it is bound to the result.
"""


def _documented(f: Callable[P, R], o: Op) -> Callable[P, R]:
    """Describe `out` in the docstring of the function, after its other parameters."""
    if o.has_out and f.__doc__ and "\n\n    Returns\n" in f.__doc__:
        before, heading, after = f.__doc__.partition("\n\n    Returns\n")
        f.__doc__ = before + _OUT.rstrip() + heading + after
    return f


def _positional(f: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters that may be given by position."""
    return f.__code__.co_varnames[: f.__code__.co_argcount]


def composed(f: Callable[P, R]) -> Callable[P, R]:
    """Declare a function that is a composition on every backend.

    Its body writes into `out` itself, if it has that parameter (`output.written`). A call whose arguments do not fit
    the signature raises latticework's own error. A function that takes ``**unknown`` raises it itself, and is left as
    it is: that saves a frame per call.
    """
    wrap = Array if f.__annotations__.get("return") == "Array" else None
    o = _declare(f, body=f, kind="composition", wrap=wrap)
    if "unknown" in f.__annotations__:
        _hide_surplus(f)
        return _documented(f, o)

    def call(*args: P.args, **kw: P.kwargs) -> R:
        try:
            return f(*args, **kw)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # the arguments fit, and the body has run
            unknown = {n: x for n, x in kw.items() if n not in parameters(f)}
            made = unexpected(o.name, unknown) if unknown else misfit(o.name, f, error)
            raise (with_key(o.name, f, made, args, kw) if o.name.startswith("random.") else made) from None

    return functools.update_wrapper(call, _documented(f, o))


def _hide_surplus(f: Callable[..., Any]) -> None:
    """Leave ``**unknown`` and ``*surplus`` out of a signature: they are there for the error of `unexpected` alone."""
    from inspect import signature

    shown = signature(f)
    kept = [p for p in shown.parameters.values() if p.kind is not p.VAR_KEYWORD and p.name != "surplus"]
    f.__signature__ = shown.replace(parameters=kept)  # type: ignore[attr-defined]


def composed_with_plan(shape: str | Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a composition for which frameworks' rules have a family, as they have for other functions.

    Under latticework's rules it runs as it is. A framework's rules would decide each step of it, and may refuse a step
    or give it another dtype. Under them it gets a plan: its body runs by the unified rules, between the casts that the
    framework's rules ask for. Operands that are all Python scalars have no plan. `shape` is as for `op`.
    """

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        o = OPS[composed(f).__name__]
        o.shape, count = shape, len(o.operands)
        by_plan: Callable[..., R]
        if o.sequence:
            by_plan = dispatch.sequence(o.name, Array, o.spread)
        elif o.has_dtype and count == 1:
            by_plan = dispatch.with_dtype(o.name, Array)
        else:
            by_plan = dispatch.with_options(o.name, Array, count)

        names = parameters(f)

        def call(*args: P.args, **kw: P.kwargs) -> R:
            try:
                if is_ours(current().rules) or all(type(x) in SCALAR_KINDS for x in args[:count]):
                    return f(*args, **kw)
                return by_plan(*args, **kw)
            except TypeError as error:
                unknown = {n: x for n, x in kw.items() if n not in names}
                raise (unexpected(o.name, unknown) if unknown else error) from None

        return functools.update_wrapper(call, f)

    return declare


def conversion(planner: Callable[..., Any], name: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function that computes nothing: a cast, a move, an index. `planner` gives the plan of a call."""

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        o = OPS[name or f.__name__] = Op(name or f.__name__, f, kind="conversion", wrap=Array)
        o.planner = planner
        if "surplus" in f.__annotations__:
            _hide_surplus(f)
        return f

    return declare


def creation(
    *relevant: str, floating: bool = False, shape: str | Callable[..., Any] = "creation"
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function that makes an array. Backends get the resolved dtype and device. A body runs on backends that
    do not have the function.

    `relevant` names the scalar arguments that decide the dtype if none is given; without such arguments it is the
    global default. `floating`: integers among them mean the default float. `shape` is as for `op`.
    """

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        body = None if _is_stub(f) else f
        o = _declare(f, kind="creation", relevant=relevant, floating=floating, shape=shape, body=body)
        if parameters(f) == ("shape", "dtype", "device"):
            o.dispatched = "of_shape"

            def missed(name: str, args: tuple[Any, ...], kw: dict[str, Any], *how: Any) -> Any:
                return specialise_creation(o, args, kw, *how)

            return functools.update_wrapper(dispatch.of_shape(o.name, Array, missed), f)
        by_position = f.__code__.co_varnames[: f.__code__.co_argcount]
        positions = [(name, i) for i, name in enumerate(by_position) if name in relevant]
        kernels, get = table(o.name), active.get

        def call(*args: Any, dtype: Any = None, device: Any = None, **kw: Any) -> Any:
            key: Any
            if positions and dtype is None:
                dtype = _from_scalars(o, [args[i] if i < len(args) else kw.get(name) for name, i in positions])
            if kw or device is not None:
                where = None if device is None else (device, getattr(device, "backend", None))
                key = (dtype, where, len(args), *kw)
            else:
                key = len(args) if dtype is None else (dtype, len(args))
            try:
                make, native, location, out = kernels[get()][key]
            except (KeyError, TypeError):  # or a dtype or device that is none and has no hash
                make, native, location, out = specialise_creation(o, args, kw, dtype, device, key)
            r = Array()
            try:
                if kw or len(args) != 1:
                    r._data = make(*args, dtype=native, device=location, **kw)
                else:  # in half the time
                    r._data = make(args[0], dtype=native, device=location)
            except Exception as error:
                raise translate(o, error, (), args, kw) from error
            r._sig = out
            return r

        return functools.update_wrapper(call, f)

    return declare


def _wrapper(f: Callable[..., Any]) -> Any:
    """Return the wrapper of the native result, from the return annotation: `Array`, `tuple`, or a NamedTuple."""
    returns = str(f.__annotations__["return"])
    if returns == "Array":
        return Array
    if returns.startswith("tuple"):
        return tuple
    return f.__globals__[returns]


def _from_scalars(o: Op, scalars: list[Any]) -> Dtype:
    policy = current()
    operands: list[Dtype | type] = []
    for value in scalars:
        if value is None:
            continue
        if type(value) in SCALAR_KINDS:
            operands.append(type(value))
        elif hasattr(value, "dtype"):
            operands.append(as_dtype(value.dtype))
        else:
            kind = next((k for k in (bool, int, float, complex) if isinstance(value, k)), None)
            if kind is None:
                raise TypeError(f"{o.name}: takes Python scalars or 0-d arrays; got {value!r}")
            operands.append(kind)
    if o.floating:
        operands.append(float)
    return policy.promote(*operands)
