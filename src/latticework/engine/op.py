"""The declaration of a function: its operands, the dtypes that it takes, and its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..contents import namespace_of
from ..core.registry import OPS, declared, load
from ..errors import nearest

if TYPE_CHECKING:
    import inspect

__all__ = ["Op", "functions", "named"]


class Op:
    """A declared function: all that a plan needs to know of it.

    It is read from the function's code and annotations, because `inspect` takes longer to import than the rest of the
    package together; `signature` imports it where an error needs a signature.

    Attributes
    ----------
    accepts: the dtype category (`dtypes.CATEGORIES`) that its operands have to promote to.
    out: the family of each result's dtype (`promotion.operations`).
    shape: the family of the results' shapes (`shapes.FAMILIES`), by name, or a function like these.
    operands: names of the leading parameters that take arrays. Those after the positional-only ones may be given by
        name too. If `sequence` is set, the name of the parameter that takes one sequence of arrays.
    by_position: names of the parameters after the operands that may be given by position.
    by_name: how many of `by_position`, from the end, backends get by name all the same: they have defaults.
    has_dtype, has_out: whether it has a parameter `dtype`, and `out` for the array to write the result into.
    casts_first: whether it has a parameter `dtype` that its operand is cast to before anything else.
    optional: names of the other operands, which are given by name or position, or are None.
    array_options: names of the options that take an array or a number. Only a composition reads these as arrays.
    spread: whether the sequence is given as many arguments.
    role_of: operand -> role, for operands that do not join: ``"index"``, ``"bool"`` or ``"own"``.
    body: the composition, None where there is none.
    wrap: the wrapper of native results: `Array`, `tuple`, or the class of a NamedTuple.
    dispatcher: the function that runs a call, as `op` returned it; None where the declared function itself does.
    sized: what runs where `size` is given, a function of the array, `size` and `fill_value`; None where there is none.
    planner: gives the plan of a call that dispatches on more than the dtypes of its operands (`astype`).
    relevant, floating: for a function that makes arrays, see `declare.creation`.
    kind: ``"primitive"`` (no body), ``"composition"``, ``"mixed"`` is a composition that backends may replace,
        ``"creation"`` (no array operands), ``"conversion"`` (casts, moves, indexing: `planner` has the plan).
    dispatched: the dispatcher that its calls go through (`dispatch`), "" for a function that has none.
    """

    __slots__ = (
        "accepts", "array_options", "body", "by_name", "by_position", "casts_first", "dispatched", "dispatcher",
        "floating", "function", "has_dtype", "has_out", "kind", "name", "namespace", "operands", "optional", "out",
        "planner", "relevant", "role_of", "sequence", "shape", "sized", "spread", "wrap",
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
        shape: str | Callable[..., Any] = "",
        roles: dict[str, str] | None = None,
        body: Callable[..., Any] | None = None,
        wrap: Any = None,
        relevant: tuple[str, ...] = (),
        floating: bool = False,
    ) -> None:
        self.name, self.function, self.namespace, self.kind = name, function, namespace, kind
        self.accepts, self.out, self.shape, self.role_of = accepts, out, shape, roles or {}
        self.body, self.wrap, self.relevant, self.floating = body, wrap, relevant, floating
        self.planner: Callable[..., Any] | None = None
        self.dispatcher: Callable[..., Any] | None = None
        self.sized: Callable[..., Any] | None = None
        self.dispatched = ""
        self.operands, self.sequence, self.spread = operands_of(function)
        names = parameters(function)
        self.casts_first = "dtype" in names and accepts in ("floating", "real floating")
        self.has_dtype, self.has_out = "dtype" in names and not self.casts_first, "out" in names
        self.by_position = function.__code__.co_varnames[len(self.operands) : function.__code__.co_argcount]
        self.by_name = len(function.__defaults__ or ())
        others = {n: str(function.__annotations__.get(n)) for n in names if n not in (*self.operands, "out")}
        self.optional: tuple[str, ...] = ()
        if kind in ("primitive", "mixed") and not self.sequence:
            self.optional = tuple(n for n, annotation in others.items() if annotation in _OPERAND)
        self.array_options = frozenset(n for n, a in others.items() if "Array" in a and n not in self.optional)

    def in_order(self, operands: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Return the operands, with those given by name in their places, and the other arguments by name.

        Return None if no operand is given by name, or not all are given.
        """
        missing = self.operands[len(operands) :]
        if self.sequence or not missing or not kw.keys() >= {*missing}:
            return None
        rest = {n: x for n, x in kw.items() if n not in missing}
        return (*operands, *[kw[n] for n in missing]), rest

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the function as it is declared."""
        import inspect

        return inspect.signature(self.function)

    def by_names(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Split the arguments after the operands: those that stay by position, and those with defaults by name."""
        plain = len(self.by_position) - self.by_name
        return args[:plain], dict(zip(self.by_position[plain:], args[plain:], strict=False))

    def roles(self, count: int) -> tuple[str, ...]:
        """Return the role of each of so many operands."""
        if self.sequence:
            return ("join",) * count
        names = self.operands if count <= len(self.operands) else (*self.operands, *self.optional)
        return tuple(self.role_of.get(n, "join") for n in names)

    def __repr__(self) -> str:
        return f"<op {self.name}{self.signature}>"


#: Annotations of the operands that come after the leading ones.
_OPERAND = ("Array", "Array | None", "Array | complex | None", "Array | float | None")

_VAR_POSITIONAL = 0x04  # the flag of a code object that takes *args


def parameters(f: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters: positional ones first, then keyword-only ones, then *args."""
    code = f.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _VAR_POSITIONAL)]


def by_keyword(f: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters that may be given by keyword."""
    code = f.__code__
    return code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]


def how_to_call(name: str, f: Callable[..., Any], skipped: int = 0) -> str:
    """Write the call of a function with its parameters and defaults, as errors show it; without the first `skipped`."""
    import inspect

    signature = inspect.signature(f)
    shown = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
    return f"{name}{signature.replace(parameters=shown[skipped:], return_annotation=signature.empty)}"


def operands_of(f: Callable[..., Any]) -> tuple[tuple[str, ...], bool, bool]:
    """Return the names of the array operands, whether they are a sequence, and whether it is spread over arguments."""
    code, kinds = f.__code__, f.__annotations__
    names: list[str] = []
    for name in code.co_varnames[: code.co_posonlyargcount]:
        if "Sequence[Array" in str(kinds.get(name)):
            return (name,), True, False
        if "Array" not in str(kinds.get(name)):
            return tuple(names), False, False
        names.append(name)
    if names:
        names += _by_position_or_name(f)
    last = parameters(f)[-1:]
    if not names and code.co_flags & _VAR_POSITIONAL and "Array" in str(kinds.get(last[0])):
        return last, True, True
    return tuple(names), False, False


def _by_position_or_name(f: Callable[..., Any]) -> Iterator[str]:
    """Yield the names of operands after the positional-only ones: those without defaults, up to the first option."""
    code = f.__code__
    for name in code.co_varnames[code.co_posonlyargcount : code.co_argcount - len(f.__defaults__ or ())]:
        if "Array" not in str(f.__annotations__.get(name)) or name == "fill_value":  # which is cast to any dtype
            return
        yield name


def named(f: Callable[..., Any] | str) -> Op:
    """Return the declaration of a latticework function, from the function or its name."""
    name = f if isinstance(f, str) else getattr(f, "__name__", str(f))
    namespace = namespace_of(str(getattr(f, "__module__", "")))
    if namespace:
        name = f"{namespace}.{name}"
    o = declared(name)
    if o is None:
        raise TypeError(f"{name!r} is no function of latticework{nearest(name, OPS, lines=True)}")
    if not isinstance(f, str) and getattr(f, "__wrapped__", f) is not o.function:
        raise TypeError(f"{f!r} is no function of latticework. Give lw.{name}")
    return o


def functions() -> Iterator[Op]:
    """Yield every public declared function that computes something: conversions, and indexing by a key, do not."""
    load()
    public = (o for o in OPS.values() if not o.name.rpartition(".")[2].startswith("_"))
    return (o for o in public if o.kind != "conversion")
