"""Ask which dtypes and devices a function takes: ours by what was measured, any other by reading it."""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import latticework as lw

from ..backends import get, supported
from ..core.dtypes import SCALAR_KINDS, Dtype, bool_, float32
from ..core.registry import OPS, load
from ..engine.array import Array
from ..engine.call import Call
from ..engine.op import Op
from ..engine.plan import resolve
from ..errors import nearest
from ..policy import current
from . import calls, data, operations, samples, versions
from .decorators import undecorated
from .expressions import Frame
from .operations import RefusedError
from .syntax import CannotSeeError, definition, name_of
from .values import UNKNOWN, Arr, Items, Known, Many, Obj, Scalar, Value, wrap
from .walk import Walk

load()  # the declarations of all chapters

__all__ = [
    "function_supported_devices",
    "function_supported_dtypes",
    "function_unsupported_devices",
    "function_unsupported_dtypes",
    "why_unsupported",
]

Asked = Callable[..., Any] | str


def function_supported_dtypes(
    function: Asked, /, *, backend: str | None = None, device: Any = None, version: str | None = None
) -> tuple[Dtype, ...]:
    """The dtypes that a function takes on a backend, by default the current one.

    A dtype is taken if a call with all arrays of it works. Of a function of latticework, that was measured, for the
    installed version of the framework (`latticework probe`). Any other function is read: it takes what all functions
    take that it meets, down to those that were measured, each with the dtype that it would be given there.

    Parameters
    ----------
    function: a function of latticework or its name; a method of `Array`; or a function of your own: a method, a
        lambda, a `functools.partial`, an object with `__call__`.
    backend: a backend's name.
    device: one of its devices, where they differ; its default one otherwise.
    version: a version of its framework, the installed one by default. One that was not measured behaves as the last
        one before it that was, or as the first.

    Returns
    -------
    Dtypes in the order of `lw.all_dtypes`, of those that the backend has.

    Raises
    ------
    TypeError: for what is no function, or a function that cannot be read: it is written in C, was made by `exec`,
        or hands its arrays to such a one.

    Notes
    -----
    What reading sees: calls by whatever name they have (aliases, `xp`, `self.f`, partials, closures, decorators,
    recursion), operators, methods and attributes of arrays; casts and `dtype=`, as far as the dtype is written there
    or follows from an array's; conditions on dtypes, on types and on what the parameters have by default. It takes
    both ways at any other condition. Parameters without a default are arrays, unless their annotation says
    otherwise. It sees no values, no shapes, and nothing that is decided by data.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.float16 in lw.function_supported_dtypes(lw.cos)
    True
    >>> def distance(x, y):
    ...     return lw.sqrt(lw.sum((x - y) ** 2))
    >>> lw.function_unsupported_dtypes(distance)
    (lw.bool,)
    >>> def residual(a, x, b):
    ...     return lw.linalg.solve(a, b) - x
    >>> lw.bfloat16 in lw.function_supported_dtypes(residual)
    False
    """
    refused = why_unsupported(function, backend=backend, device=device, version=version)
    return tuple(d for d in supported(get(backend or current().backend), "all") if d not in refused)


def function_unsupported_dtypes(
    function: Asked, /, *, backend: str | None = None, device: Any = None, version: str | None = None
) -> tuple[Dtype, ...]:
    """The dtypes of a backend that a function does not take there: see `function_supported_dtypes`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.function_unsupported_dtypes(lw.add)
    (lw.bool,)
    """
    return tuple(why_unsupported(function, backend=backend, device=device, version=version))


def function_supported_devices(function: Asked, /, *, backend: str | None = None) -> tuple[Any, ...]:
    """The devices of a backend on which a function takes any dtype at all.

    A device that was not measured counts as the one of its kind that was (``cuda:1`` as ``cuda:0``), or as the first.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.function_supported_devices(lw.cos, backend="numpy")
    (Device('cpu', backend='numpy'),)
    """
    return _devices(function, backend, taken=True)


def function_unsupported_devices(function: Asked, /, *, backend: str | None = None) -> tuple[Any, ...]:
    """The devices of a backend on which a function takes no dtype: see `function_supported_devices`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.function_unsupported_devices(lw.cos, backend="numpy")
    ()
    """
    return _devices(function, backend, taken=False)


def _devices(function: Asked, backend: str | None, *, taken: bool) -> tuple[Any, ...]:
    owner = get(backend or current().backend)  # asked for its devices, and not selected: no switch is turned
    devices = [owner.device(d) for d in owner.module.devices()]
    count = len(supported(owner, "all"))
    return tuple(d for d in devices if (len(why_unsupported(function, backend=owner.name, device=d)) < count) is taken)


def why_unsupported(
    function: Asked, /, *, backend: str | None = None, device: Any = None, version: str | None = None
) -> dict[Dtype, str]:
    """Each dtype of a backend that a function does not take, and why: see `function_supported_dtypes`.

    Examples
    --------
    >>> import latticework as lw
    >>> from latticework.support.query import why_unsupported
    >>> print(why_unsupported(lambda x: lw.bitwise_and(x, 1), backend="numpy")[lw.complex64].partition(";")[0])
    bitwise_and: takes integral or bool dtypes (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64)
    """
    owner = get(backend or current().backend)
    target = _function(function)
    if version is not None:
        versions.order(version)  # refused at once if it is none, whatever the function meets
    on = str(owner.device(device))
    refused = {}
    with lw.using(casting=None):  # what a casting mode makes of a dtype is another
        for dtype in supported(owner, "all"):
            try:
                _ask(target, Walk(owner, dtype, on, version))
            except RefusedError as error:
                refused[dtype] = str(error)
            except CannotSeeError as error:
                raise CannotSeeError(f"function_supported_dtypes: {error}") from None
    return refused


def _function(function: Asked) -> Any:
    if isinstance(function, str):
        if function not in OPS:
            raise TypeError(f"{function!r} is no function of latticework{nearest(function, OPS)}")
        o = OPS[function]
        return getattr(getattr(lw, o.namespace) if o.namespace else lw, o.function.__name__, o.function)
    if isinstance(function, type) or not callable(function):
        hint = ". Give one of its methods, or an object of it" if isinstance(function, type) else ""
        raise TypeError(f"function_supported_dtypes: takes a function or its name; got {function!r}{hint}")
    return function


def _ask(f: Any, walk: Walk) -> None:
    """Find out about one dtype; nothing is raised where it is taken."""
    o, dtype = operations.declared(f) if isinstance(f, FunctionType) else None, walk.given
    if o is not None and o.name in data.table(walk.backend.name, walk.version, walk.device):
        _ask_measured(walk, o, dtype)
    elif f in (lw.asarray, lw.astype, lw.from_dlpack) or (o is not None and o.kind == "creation"):
        operations.make(walk, [dtype])
    else:
        read(walk, f, dtype)


def _ask_measured(walk: Walk, o: Op, dtype: Dtype) -> None:
    """A function of ours: what was measured under the default policy, and what the one in force says to it."""
    how = data.how(walk.backend.name, o.name, dtype, version=walk.version, device=walk.device)
    if how not in ("native", "detour", "composed", "lifted"):
        why = data.why(walk.backend.name, o.name, dtype, version=walk.version, device=walk.device)
        raise RefusedError(why or f"{o.name}: was never measured with {dtype} on the {walk.backend.name} backend")
    if o.kind not in ("primitive", "mixed"):
        return
    try:
        resolve(Call(o, current(), tuple(map(walk.backend.sig, _fitting(walk, o)))))
    except TypeError as error:
        raise RefusedError(str(error)) from None


def _fitting(walk: Walk, o: Op) -> list[Dtype]:
    """The dtype of each operand of a function of ours: the one asked about, or that of indices or conditions."""
    fitting = {"join": walk.given, "own": walk.given, "index": walk.backend.index, "bool": bool_}
    return [fitting[role] for role in o.roles(len(o.operands) or 1)]


# --- the function that is asked about ------------------------------------------------------------------------------


def read(walk: Walk, f: Any, dtype: Dtype) -> Value:
    """Walk through a function whose arrays are all of `dtype`."""
    frame = Frame({}, None, {}, {"__name__": ""}, "")
    given: list[Value] = []
    keywords: dict[str, Value] = {}
    while (inside := calls.wrapped(f)) is not None:
        f, first, more = inside
        given, keywords = [*first, *given], more | keywords
    o = operations.declared(f)
    if o is not None and o.kind != "composition":
        return calls.call(walk, Known(f), [*given, *_arrays_for(walk, o, len(given))], keywords, frame, None)
    if not isinstance(f, FunctionType):
        raise CannotSeeError(
            f"{name_of(f)} is written in C and has no source in Python to read. Use the function of latticework, or "
            f"wrap it in a function that declares what it takes: @lw.with_supported_dtypes"
        )
    declares = calls.declares(f)
    if declares:
        calls._check_declared(walk, f, [Arr(frozenset([dtype]))], {})
        f = undecorated(f)
        if not isinstance(f, FunctionType):
            return UNKNOWN
    try:
        if o is not None and not given and not keywords:  # what it is measured with
            sampled, options = samples.arguments(o, lambda values, d: _Sample(d), dtype)
            args, keywords = [_sampled(x) for x in sampled], {k: _sampled(v) for k, v in options.items()}
        else:
            args, keywords = _arguments(walk, f, given, keywords, dtype)
        return walk.function(f, args, keywords)
    except CannotSeeError:
        if declares:
            return UNKNOWN
        raise


class _Sample:
    """An array of a sample, of which only the dtype counts."""

    def __init__(self, dtype: Dtype) -> None:
        self.dtype = dtype


def _sampled(x: Any) -> Value:
    if isinstance(x, _Sample):
        return Arr(frozenset([x.dtype]))
    return Items(tuple(map(_sampled, x)), type(x)) if isinstance(x, (list, tuple)) else wrap(x)


def _arrays_for(walk: Walk, o: Op, given: int) -> list[Value]:
    arrays: list[Value] = [Arr(frozenset([d])) for d in _fitting(walk, o)]
    if o.sequence and not o.spread:
        return [Items(tuple(arrays), list)]
    return arrays[given:]


def _arguments(
    walk: Walk, f: FunctionType, given: list[Value], keywords: dict[str, Value], dtype: Dtype
) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of the function asked about: arrays for the parameters that have no default."""
    node = definition(f)
    array = Arr(frozenset([dtype]))
    positional = [*node.args.posonlyargs, *node.args.args]
    required = len(positional) - len(f.__defaults__ or ())
    args = [*given]
    for i, a in enumerate(positional[len(given) :], len(given)):
        if i >= required or a.arg in keywords:
            break
        args.append(_first(f) if i == 0 and _is_method(f, node) else _argument(a, array))
    if node.args.vararg is not None and len(args) >= len(positional):
        args.append(Many(_argument(node.args.vararg, array)))
    more = {
        a.arg: _argument(a, array)
        for a in node.args.kwonlyargs
        if a.arg not in (f.__kwdefaults__ or {}) and a.arg not in keywords
    }
    return args, more | keywords


def _argument(a: ast.arg, array: Arr) -> Value:
    """What stands for a parameter: an array, unless its annotation or its name says otherwise."""
    if a.arg == "xp":
        return Known(lw)
    text = ast.unparse(a.annotation) if a.annotation is not None else ""
    text = text.strip("'\"")
    if not text or "Any" in text.split("[")[0]:
        return array
    outer, _, inside = text.partition("[")
    if any(word in text for word in ("Array", "ndarray", "Tensor", "ArrayLike")):
        sequence = outer.rpartition(".")[2] in ("Sequence", "list", "tuple", "Iterable", "List", "Tuple", "Iterator")
        return Many(array) if sequence and inside else array
    for kind in SCALAR_KINDS:
        if kind.__name__ in (part.strip() for part in text.split("|")):
            return Scalar(float if kind is complex else kind)  # which is how any number is written
    if text == "str":
        return Scalar(str)
    return UNKNOWN


def _is_method(f: FunctionType, node: Any) -> bool:
    name = f.__qualname__.rpartition(".")[0]
    return bool(name) and not name.endswith("<locals>") and bool(node.args.posonlyargs or node.args.args)


def _first(f: FunctionType) -> Value:
    """`self` of a method that was not taken from an object: one of its class, as its `__init__` would make it."""
    names = f.__qualname__.split(".")[:-1]
    names = names[len(names) - names[::-1].index("<locals>") :] if "<locals>" in names else names
    owner: Any = f.__globals__.get(names[0]) if names else None
    for name in names[1:]:
        owner = getattr(owner, name, None)
    if owner is None and f.__closure__:
        found = [
            c.cell_contents for n, c in zip(f.__code__.co_freevars, f.__closure__, strict=True) if n == "__class__"
        ]
        owner = found[0] if found else None
    if owner is Array:
        return UNKNOWN
    if not isinstance(owner, type):
        return Obj(object)
    made = Obj(owner)
    init = inspect.getattr_static(owner, "__init__", None)
    if isinstance(init, FunctionType):
        with_nothing = Walk(get("numpy"), float32)
        with contextlib.suppress(RefusedError, CannotSeeError):  # what it would set by then is known
            with_nothing.function(init, [made], {})
    return made
