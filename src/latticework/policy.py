"""What governs a call besides its arguments: promotion rules, default dtypes, backend and device.

A `Policy` is an immutable value, interned, so that the kernels made under it are found by identity and
switching back and forth throws nothing away. The active policy is context-local: what `using` changes,
no other thread and no other task sees. The process default is what the `set_*` functions change.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from .dtypes import (
    SCALAR_KINDS,
    Dtype,
    as_dtype,
    bool_,
    complex_of,
    float32,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .errors import nearest
from .promotion import RULES, Rules, rules_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .backends import Backend

__all__ = ["Policy", "current", "using"]

_FIELDS = (
    "rules", "backend", "device", "default_float", "default_int", "set_uint", "set_complex", "set_dtype",
)  # fmt: skip

_UINT_OF_WIDTH = {8: uint8, 16: uint16, 32: uint32, 64: uint64}


class Policy:
    """Rules, defaults, backend and device. Made by `using` and the `set_*` functions, never directly.

    `default_dtype`, `default_uint` and `default_complex` follow the default float or int where they are
    not set by themselves: float64 brings complex128 with it, int64 brings uint64.
    """

    __slots__ = (*_FIELDS, "__weakref__")

    rules: Rules
    backend: str
    device: str | None
    default_float: Dtype
    default_int: Dtype
    set_uint: Dtype | None
    set_complex: Dtype | None
    set_dtype: Dtype | None

    def __init__(self, **values: Any) -> None:
        for name in _FIELDS:
            object.__setattr__(self, name, values[name])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a policy does not change; make one that differs: lw.using({name}=...)")

    def _with(self, **changes: Any) -> Policy:
        """The policy that differs in these fields: one object for the same values."""
        values = {name: getattr(self, name) for name in _FIELDS} | changes
        key = tuple(values.values())
        return _interned.get(key) or _interned.setdefault(key, Policy(**values))

    @property
    def default_uint(self) -> Dtype:
        return self.set_uint or _UINT_OF_WIDTH[self.default_int.bits]

    @property
    def default_complex(self) -> Dtype:
        return self.set_complex or complex_of(self.default_float)

    @property
    def default_dtype(self) -> Dtype:
        return self.set_dtype or self.default_float

    #: Indices and counts are int64 on every backend.
    @property
    def index(self) -> Dtype:
        return int64

    def default(self, kind: str) -> Dtype:
        """The default dtype of a kind (see `Dtype.kind`)."""
        match kind:
            case "b":
                return bool_
            case "i":
                return self.default_int
            case "u":
                return self.default_uint
            case "f":
                return self.default_float
            case _:
                return self.default_complex

    def promote(self, *operands: Dtype | type) -> Dtype:
        """The common dtype of dtypes and Python scalar types under these rules and defaults."""
        return self.rules.promote(operands, self.default)


_interned: dict[tuple[Any, ...], Policy] = {}
_promotions_of: dict[Policy, dict[Any, dict[Any, Dtype]]] = {}


_process = Policy(
    rules=RULES["unified"], backend="numpy", device=None, default_float=float32, default_int=int32, set_uint=None,
    set_complex=None, set_dtype=None,
)._with()  # fmt: skip

#: The policy of this context, or None where the process default rules.
active: ContextVar[Policy | None] = ContextVar("latticework policy", default=None)

_PROCESS_PROMOTIONS: dict[Any, dict[Any, Dtype]] = {}

#: What `promote_types` has looked up before, dtype by dtype: of this context's policy, and of the process default.
#: A variable of its own, because a lookup takes less time than finding the policy and then its table.
promotions: ContextVar[dict[Any, dict[Any, Dtype]]] = ContextVar("latticework promotions", default=_PROCESS_PROMOTIONS)

#: name of a function -> policy (None: the process default) -> what the dispatcher keeps under it.
TABLES: dict[str, dict[Policy | None, dict[Any, Any]]] = {}


def table(name: str) -> dict[Policy | None, dict[Any, Any]]:
    """The kernels of one function, by policy. Made once; its dispatchers hold on to it."""
    if name not in TABLES:
        TABLES[name] = {None: {}}
        _point_default(TABLES[name])
    return TABLES[name]


def _point_default(kernels: dict[Policy | None, dict[Any, Any]]) -> None:
    kernels[None] = kernels.setdefault(_process, {})


def current() -> Policy:
    """The policy in force here: of the innermost `using` block, else the process default."""
    return active.get() or _process


#: Fields of a policy and their values: of the process default, and of the policy in force where it was changed.
Before = tuple[dict[str, Any], dict[str, Any]]


def set_process(**changes: Any) -> Before:
    """Change the process default, and what this context sees where it is inside a `using` block.

    Returns what `restore` takes to undo it.
    """
    changed = _checked(changes)
    before = tuple({name: getattr(policy, name) for name in changed} for policy in (_process, current()))
    restore((changed, changed))
    return before  # type: ignore[return-value]


def restore(before: Before) -> None:
    """Set the fields of the process default, and of the policy of the `using` block that this is in, if any."""
    global _process
    of_process, here = before
    _process = _process._with(**of_process)
    _PROCESS_PROMOTIONS.clear()
    policy = active.get()
    if policy is not None:
        inner = policy._with(**here)
        active.set(inner)
        promotions.set(_promotions_of.setdefault(inner, {}))
    for kernels in TABLES.values():
        _point_default(kernels)


_WIDE_NAMES = {
    "default_uint": "set_uint",
    "default_complex": "set_complex",
    "default_dtype": "set_dtype",
}
_KIND_OF_DEFAULT = {"default_float": "f", "default_int": "i", "set_uint": "u", "set_complex": "c"}


def _checked(changes: dict[str, Any]) -> dict[str, Any]:
    """Names and values of policy fields as given by a user, resolved; nothing is changed on an error."""
    known = ["rules", "backend", "device", "x64", "default_float", "default_int", *_WIDE_NAMES]
    result: dict[str, Any] = {}
    selected: Backend | None = None
    for name, value in changes.items():
        if name not in known:
            raise TypeError(f"using: {name!r} is no part of a policy{nearest(name, known)}")
        field = _WIDE_NAMES.get(name, name)
        if name == "rules":
            value = rules_named(value)
        elif name == "backend":
            from .backends import get

            selected = get(value)
            value = selected.name
        elif name == "x64":
            continue
        elif name in ("default_float", "default_int") and value is None:
            raise TypeError(f"{name} must be a dtype; got None")
        elif name.startswith("default_") and value is not None:
            value = as_dtype(value)
            kind = _KIND_OF_DEFAULT.get(field, value.kind)
            if value.kind != kind:
                words = {"f": "a real floating", "i": "a signed integer", "u": "an unsigned integer", "c": "a complex"}
                raise TypeError(f"{name} must be {words[kind]} dtype; got {value}")
        result[field] = value
    if selected is not None:
        selected.selected(changes.get("x64", True))
    return result


@contextmanager
def using(**changes: Any) -> Iterator[Policy]:
    """Change the policy inside a ``with`` block, for this thread or task only.

    Parameters
    ----------
    rules: a rule set's name, of ours or a framework's (`lw.rule_names()` lists them), or `Rules`.
    backend: the backend of creation functions, by name. Arrays bring their own.
    x64: with ``backend="jax"``, whether to turn on JAX's 64-bit switch: see `set_backend`. It stays on.
    device: the device of creation functions.
    default_float, default_int, default_uint, default_complex: default dtypes.
    default_dtype: the dtype of creation functions that have nothing else to decide by.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 2])
    >>> (x + 0.5).dtype
    lw.float32
    >>> with lw.using(rules="precise"):
    ...     (x + 0.5).dtype
    lw.float64
    """
    policy = current()._with(**_checked(changes))
    tokens = active.set(policy), promotions.set(_promotions_of.setdefault(policy, {}))
    try:
        yield policy
    finally:
        active.reset(tokens[0])
        promotions.reset(tokens[1])


def scalar_kind(value_type: type) -> str | None:
    """The kind of a Python scalar type, or None."""
    return SCALAR_KINDS.get(value_type)
