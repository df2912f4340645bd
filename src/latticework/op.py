"""`@op` declares a function: its body is a composition, or `...` where every backend supplies it.

The decorator returns a plain function, so that it pickles by name and costs one call. What it returns looks up
a kernel by the signatures of its array arguments (`dispatch.py`); `kernels.py` makes the kernel from the plan
(`plan.py`) the first time a signature is met.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from . import dispatch
from .array import Array
from .dtypes import SCALAR_KINDS, Dtype, as_dtype
from .errors import nearest
from .kernels import BY_VALUE, adapt, as_operand, planned, specialise_creation
from .plan import Plan, is_ours
from .policy import TABLES, Policy, active, current, table

if TYPE_CHECKING:
    import inspect

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["OPS", "Op", "as_operand", "composed", "creation", "kernel_count", "op", "plan", "ruled"]


class Op:
    """One declared function: what a plan needs to know of it.

    Read off the function's code and annotations, because `inspect` takes longer to import than the rest of the
    package together; `signature` brings it in where an error needs one.

    Attributes
    ----------
    accepts: the dtype category (`dtypes.CATEGORIES`) that its operands have to promote to.
    out: the family of each result's dtype (`promotion.operations`).
    array_options: names of the options that take an array. Backends' functions have none of these.
    operands: names of the leading parameters that take arrays; of one sequence, where `sequence` is set.
    spread: whether that sequence is given as many arguments.
    special: operand -> role, for operands that do not join: ``"index"``, ``"bool"`` or ``"own"``.
    kind: ``"primitive"`` (no body), ``"composition"``, ``"mixed"`` is a composition that backends may replace,
        ``"creation"`` (no array operands).
    """

    __slots__ = (
        "accepts", "array_options", "body", "floating", "function", "has_dtype", "kind", "name", "namespace",
        "operands", "out", "relevant", "sequence", "special", "spread", "wrap",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        *,
        namespace: str = "",
        kind: str = "primitive",
        accepts: str = "all",
        out: tuple[str, ...] = ("same",),
        special: dict[str, str] | None = None,
        body: Callable[..., Any] | None = None,
        wrap: Any = None,
        relevant: tuple[str, ...] = (),
        floating: bool = False,
    ) -> None:
        self.name, self.function, self.namespace, self.kind = name, function, namespace, kind
        self.accepts, self.out, self.special = accepts, out, special or {}
        self.body, self.wrap, self.relevant, self.floating = body, wrap, relevant, floating
        self.operands, self.sequence, self.spread = _operands(function)
        self.has_dtype = "dtype" in _parameters(function)
        kinds = function.__annotations__
        self.array_options = frozenset(
            name for name in _parameters(function) if name not in self.operands and "Array" in str(kinds.get(name))
        )

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the function as it is declared."""
        import inspect

        return inspect.signature(self.function)

    def roles(self, count: int) -> tuple[str, ...]:
        """The role of each operand, for that many of them."""
        if self.sequence:
            return ("join",) * count
        return tuple(self.special.get(n, "join") for n in self.operands)

    def __repr__(self) -> str:
        return f"<op {self.name}{self.signature}>"


#: Every declared function by name; those of the linalg and fft extensions as "linalg.inv", "fft.fft".
OPS: dict[str, Op] = {}


def _stub() -> None:
    """A body that is none."""
    ...


def _is_stub(f: Callable[..., Any]) -> bool:
    return f.__code__.co_code == _stub.__code__.co_code and f.__code__.co_consts[1:] == _stub.__code__.co_consts[1:]


def _declare(f: Callable[..., Any], **facts: Any) -> Op:
    chapter = f.__module__.rpartition(".")[2]
    namespace = chapter if chapter in ("linalg", "fft") else ""
    name = f"{namespace}.{f.__name__}" if namespace else f.__name__
    if name in OPS:
        raise ValueError(f"{name} is declared twice")
    o = OPS[name] = Op(name, f, namespace=namespace, **facts)
    return o


_VAR_POSITIONAL = 0x04  # the flag of a code object that takes *args


def _parameters(f: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the parameters: positional ones first, then keyword-only ones, then *args."""
    code = f.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _VAR_POSITIONAL)]


def _operands(f: Callable[..., Any]) -> tuple[tuple[str, ...], bool, bool]:
    """Names of the array operands, whether they are a sequence, and whether it is spread over arguments."""
    code, kinds = f.__code__, f.__annotations__
    names: list[str] = []
    for name in code.co_varnames[: code.co_posonlyargcount]:
        if "Sequence[Array" in str(kinds.get(name)):
            return (name,), True, False
        if "Array" not in str(kinds.get(name)):
            return tuple(names), False, False
        names.append(name)
    last = _parameters(f)[-1:]
    if not names and code.co_flags & _VAR_POSITIONAL and "Array" in str(kinds.get(last[0])):
        return last, True, True
    return tuple(names), False, False


def op(
    accepts: str = "all", *, out: str | tuple[str, ...] = "same", **special: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function of arrays.

    The positional-only parameters annotated with `Array` are its operands; they are brought to a common dtype,
    but for those named in `special` with another role. Everything after them is an option.
    """

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        body = None if _is_stub(f) else f
        o = _declare(
            f,
            accepts=accepts,
            out=(out,) if isinstance(out, str) else out,
            special=special,
            body=body,
            kind="mixed" if body else "primitive",
            wrap=_wrapper(f),
        )
        count = len(o.operands)
        make: Callable[..., Any]
        if o.sequence:
            call = dispatch.sequence(o.name, Array, o.spread)
        elif o.has_dtype:
            call = dispatch.with_dtype(o.name, Array)
        elif count > 2 or count < len(_parameters(f)) or o.wrap is not Array:
            call = dispatch.with_options(o.name, Array, count)
        else:
            make = dispatch.unary if count == 1 else dispatch.binary
            call = make(o.name, Array)
        return functools.update_wrapper(call, f)

    return declare


def composed(f: Callable[P, R]) -> Callable[P, R]:
    """Declare a function that is a composition on every backend: registered, and left as it is."""
    wrap = Array if f.__annotations__.get("return") == "Array" else None
    _declare(f, body=f, kind="composition", wrap=wrap)
    return f


def ruled(f: Callable[P, R]) -> Callable[P, R]:
    """Declare a composition whose result frameworks' rules have a family for, as they have for other functions.

    Under our own rules it runs as it is. Of a framework's, what it is made of would ask step by step, and they may
    refuse a step or give it another dtype: there it gets a plan, and its body runs by our rules between the casts that
    theirs ask for. Operands that are Python scalars alone have no plan.
    """
    o = OPS[composed(f).__name__]
    count = len(o.operands)
    by_plan = dispatch.sequence(o.name, Array, o.spread) if o.sequence else dispatch.with_options(o.name, Array, count)

    def call(*args: P.args, **kw: P.kwargs) -> R:
        if is_ours(current().rules) or all(type(x) in SCALAR_KINDS for x in args[:count]):
            return f(*args, **kw)
        made: R = by_plan(*args, **kw)
        return made

    return functools.update_wrapper(call, f)


def creation(*relevant: str, floating: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function that makes an array. Backends get the dtype and device resolved.

    `relevant` names the scalar arguments that the dtype is decided from where none is given; without any it is
    the global default. `floating`: integers among them mean the default float.
    """

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        o = _declare(f, kind="creation", relevant=relevant, floating=floating)
        by_position = f.__code__.co_varnames[: f.__code__.co_argcount]
        positions = [(name, i) for i, name in enumerate(by_position) if name in relevant]
        kernels, get = table(o.name), active.get

        def call(*args: Any, **kw: Any) -> Any:
            if kw or positions:
                dtype, device = kw.pop("dtype", None), kw.pop("device", None)
                if dtype is None and positions:
                    dtype = _from_scalars(o, [args[i] if i < len(args) else kw.get(name) for name, i in positions])
                where = None if device is None else (device, getattr(device, "backend", None))
                key: Any = (dtype, where, len(args), *kw)
            else:
                dtype = device = None
                key = len(args)
            try:
                make, native, location, out = kernels[get()][key]
            except (KeyError, TypeError):  # or a dtype or device that is none and has no hash
                make, native, location, out = specialise_creation(o, args, kw, dtype, device, key)
            r = Array()
            try:
                r._data = make(*args, dtype=native, device=location, **kw)
            except Exception as error:
                from .failure import explain

                raise explain(o, error, (), args, kw) from error
            r._sig = out
            return r

        return functools.update_wrapper(call, f)

    return declare


def _wrapper(f: Callable[..., Any]) -> Any:
    """How the native result becomes ours, from the return annotation: `Array`, `tuple`, or a NamedTuple."""
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


def named(f: Callable[..., Any] | str) -> Op:
    """The declaration of a function of ours, from itself or its name."""
    name = f if isinstance(f, str) else getattr(f, "__name__", str(f))
    module = str(getattr(f, "__module__", ""))
    if module.rpartition(".")[2] in ("linalg", "fft"):
        name = f"{module.rpartition('.')[2]}.{name}"
    if name in OPS and not isinstance(f, str) and getattr(f, "__wrapped__", f) is not OPS[name].function:
        raise TypeError(f"{f!r} is no function of latticework. Give lw.{name}")
    if name not in OPS:
        raise TypeError(f"{name!r} is no function of latticework{nearest(name, OPS)}")
    return OPS[name]


def plan(function: Callable[..., Any] | str, *operands: Any, dtype: Any = None) -> Plan:
    """What a call would do: the casts, the function called and the dtypes that result. Runs nothing.

    Parameters
    ----------
    function: a function of latticework, or its name.
    operands: arrays and Python scalars, as for the call.

    Raises
    ------
    TypeError: for a function that is not ours, or has no plan of its own; and whatever the call would raise.

    Examples
    --------
    >>> import latticework as lw
    >>> print(lw.plan(lw.add, lw.asarray([1, 2]), 1.5))
    add(int32 as float32, Python float as float32) -> float32  [native: add on numpy, computed in float32]
    """
    o = named(function)
    if o.sequence and not o.spread and len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not o.operands:
        raise TypeError(f"plan: {o.name} has no plan of its own: it makes arrays, or is composed of other functions")
    if not o.sequence and len(operands) != len(o.operands):
        names = ", ".join(o.operands)
        raise TypeError(f"plan: {o.name} takes {len(o.operands)} operands ({names}); got {len(operands)}")
    given = adapt(o, operands) or operands
    return planned(o, given, None if dtype is None else as_dtype(dtype))


def kernel_count(function: Callable[..., Any] | str | None = None, /, *, policy: Policy | None = None) -> int:
    """How many kernels are kept: ways to run a call that are found again when its like is made.

    There is one for each combination of function, operand dtypes and backend, names of options given and policy
    that has been met, and, for functions of a sequence, number of arrays. More calls of the same kind add none,
    nor do other shapes or values. Of policies, which `using` makes, the last few hundred are remembered; with a
    policy that is forgotten go its kernels, and they are made anew if it comes back.

    Parameters
    ----------
    function: a function of latticework or its name; all of them by default.
    policy: one policy, as `using` gives it; all of them by default.

    Raises
    ------
    TypeError: for a function that is not ours.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(default_float="float16") as policy:
    ...     for _ in range(3):
    ...         x = lw.cos(lw.asarray([1, 2])) + 1.5
    ...     lw.kernel_count(lw.cos, policy=policy), lw.kernel_count(lw.add, policy=policy)
    (1, 1)
    """
    if function is None:
        tables = [*TABLES.values()]
    else:
        name = named(function).name
        tables = [TABLES[n] for n in (name, f"{name}=") if n in TABLES]
    found = 0
    for kernels in tables:  # under None lie those of the process default once more
        found += sum(_leaves(made) for p, made in [*kernels.items()] if p is not None and policy in (None, p))
    return found


def _leaves(kernels: Any) -> int:
    if not isinstance(kernels, dict):
        return 1
    return sum(_leaves(made) for key, made in [*kernels.items()] if key is not BY_VALUE)


def functions() -> Iterator[Op]:
    """Every public declared function."""
    return (o for o in OPS.values() if not o.name.rpartition(".")[2].startswith("_"))
