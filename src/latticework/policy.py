"""What governs a call besides its arguments: promotion rules, default dtypes, backend and device.

A `Policy` is an immutable value, interned, so that the kernels made under it are found by identity and
switching back and forth throws nothing away. The active policy is context-local: what `using` changes,
no other thread and no other task sees. The process default is what the `set_*` functions change.
"""

from __future__ import annotations

from _thread import allocate_lock
from _weakref import ref  # `weakref` itself is a module more to load
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from .dtypes import (
    KIND_ORDER,
    SCALAR_KINDS,
    Dtype,
    all_dtypes,
    as_dtype,
    bool_,
    complex_of,
    float32,
    int32,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .errors import nearest
from .promotion import RULES, Rules, rules_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .backends import Backend

__all__ = ["Policy", "current", "using"]

_FIELDS = (
    "rules", "backend", "chosen", "device", "default_float", "default_int", "set_uint", "set_complex", "set_dtype",
    "casting",
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
    chosen: bool  # whether that backend was set, by `set_backend` or `using`: before, all dtypes are valid
    device: str | None
    default_float: Dtype
    default_int: Dtype
    set_uint: Dtype | None
    set_complex: Dtype | None
    set_dtype: Dtype | None
    casting: tuple[str, ...]

    def __init__(self, **values: Any) -> None:
        for name in _FIELDS:
            object.__setattr__(self, name, values[name])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a policy does not change; make one that differs: lw.using({name}=...)")

    def _with(self, **changes: Any) -> Policy:
        """The policy that differs in these fields: one object for the same values."""
        values = {name: getattr(self, name) for name in _FIELDS} | changes
        key = tuple(values.values())
        with _lock:
            found = _living[key]() if key in _living else None
            if found is None:
                found = Policy(**values)
                _living[key] = ref(found)
        _remember(found)
        return found

    @property
    def default_uint(self) -> Dtype:
        return self.set_uint or _UINT_OF_WIDTH[self.default_int.bits]

    @property
    def default_complex(self) -> Dtype:
        return self.set_complex or complex_of(self.default_float)

    @property
    def default_dtype(self) -> Dtype:
        return self.set_dtype or self.own("f")

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

    def own(self, kind: str) -> Dtype:
        """The default dtype of a kind where the rules in force have one of their own, as a framework's do."""
        return self.rules.defaults.get(kind) or self.default(kind)

    @property
    def weak_arrays(self) -> str:
        """Which arrays are weak that are made of Python scalars without a dtype: of a ``"scalar"``, of a
        ``"sequence"`` of them too, or none where the rules have no weak arrays."""
        return _WEAK_ARRAYS.get(self.rules.families, "") if "weak" in self.rules.needs else ""

    def promote(self, *operands: Dtype | type) -> Dtype:
        """The common dtype of dtypes and Python scalar types under these rules and defaults.

        Types alone, of the scalars that an array is made of, are of the highest kind among them in any framework, also
        in one whose rules have scalars only beside arrays.
        """
        if self.rules.version and all(isinstance(x, type) for x in operands):
            kind = max((SCALAR_KINDS[x] for x in operands if isinstance(x, type)), key=KIND_ORDER.__getitem__)
            return self.own(kind)
        return self.rules.promote(operands, self.default)


_WEAK_ARRAYS = {"jax": "scalar", "tensorflow": "sequence"}

_lock = allocate_lock()

#: Held while the process default changes, and what points to it.
_setting = allocate_lock()

#: Every policy that there is, by its values: one object for the same values.
_living: dict[tuple[Any, ...], ref[Policy]] = {}

#: The policies whose kernels are kept, the oldest first. Their number is bounded, because a program can go on making
#: `Rules` and so policies for ever; one that is in use when its turn comes has its kernels made anew.
_remembered: dict[Policy, None] = {}
REMEMBERED = 256

#: name of a function -> policy (None: the process default) -> what the dispatcher keeps under it.
TABLES: dict[str, dict[Policy | None, dict[Any, Any]]] = {}

_promotions_of: dict[Policy, dict[Any, dict[Any, Dtype]]] = {}


def _remember(policy: Policy) -> None:
    """Keep what is looked up under a policy, and forget that of the oldest where there are too many."""
    if policy in _remembered:
        return
    with _lock:
        _remembered[policy] = None
        surplus = len(_remembered) - REMEMBERED
        for old in [p for p in _remembered if p not in (policy, _process)][:surplus] if surplus > 0 else ():
            del _remembered[old]
            _promotions_of.pop(old, None)
            for kernels in [*TABLES.values()]:
                kernels.pop(old, None)
        if len(_living) > 2 * REMEMBERED:
            for key in [k for k, alive in _living.items() if alive() is None]:
                del _living[key]


def kernels_of(name: str, policy: Policy) -> dict[Any, Any]:
    """The kernels of a function under a policy, to put one in."""
    _remember(policy)
    return table(name).setdefault(policy, {})


_process = Policy(
    rules=RULES["unified"], backend="numpy", chosen=False, device=None, default_float=float32, default_int=int32,
    set_uint=None, set_complex=None, set_dtype=None, casting=(),
)  # fmt: skip
_living[tuple(getattr(_process, name) for name in _FIELDS)] = ref(_process)
_remembered[_process] = None

#: The policy of this context, or None where the process default rules.
active: ContextVar[Policy | None] = ContextVar("latticework policy", default=None)

_PROCESS_PROMOTIONS: dict[Any, dict[Any, Dtype]] = {}

#: What `promote_types` has looked up before, dtype by dtype: of this context's policy, and of the process default.
#: A variable of its own, because a lookup takes less time than finding the policy and then its table.
promotions: ContextVar[dict[Any, dict[Any, Dtype]]] = ContextVar("latticework promotions", default=_PROCESS_PROMOTIONS)


def table(name: str) -> dict[Policy | None, dict[Any, Any]]:
    """The kernels of one function, by policy. Made once; its dispatchers hold on to it."""
    if name not in TABLES:
        with _setting:
            _point_default(TABLES.setdefault(name, {}))
    return TABLES[name]


def _point_default(kernels: dict[Policy | None, dict[Any, Any]]) -> None:
    kernels[None] = kernels.setdefault(_process, {})


def current() -> Policy:
    """The policy in force here: of the innermost `using` block, else the process default."""
    return active.get() or _process


#: What stands for the innermost `using` block, None outside of all.
_block: ContextVar[object] = ContextVar("latticework block", default=None)

#: Fields of a policy and their values: of the process default, and of the policy in force where it was changed; and the
#: `using` block that this was in, or None.
Before = tuple[dict[str, Any], dict[str, Any], object]


def set_process(**changes: Any) -> Before:
    """Change the process default, and what this context sees where it is inside a `using` block.

    Returns what `restore` takes to undo it.
    """
    changed = _checked(changes)
    return change(lambda policy: changed)


def change(of: Callable[[Policy], dict[str, Any]]) -> Before:
    """As `set_process`, by fields that depend on the policy that they are changed in."""
    with _setting:
        changes = [of(policy) for policy in (_process, current())]
        before = [
            {name: getattr(policy, name) for name in changed}
            for policy, changed in zip((_process, current()), changes, strict=True)
        ]
        _put(changes[0], changes[1])
    return before[0], before[1], _block.get()


def restore(before: Before) -> None:
    """Set the fields of the process default, and of the policy of the `using` block that they were changed in, if this
    is still in it: another block has values of its own, which were never changed."""
    of_process, here, block = before
    with _setting:
        _put(of_process, here if block is _block.get() else {})


def _put(of_process: dict[str, Any], here: dict[str, Any]) -> None:
    """Set fields of the process default, and of this context's policy where it is inside a `using` block."""
    global _process
    _process = _process._with(**of_process)
    _PROCESS_PROMOTIONS.clear()
    policy = active.get()
    if policy is not None:
        inner = policy._with(**here)
        active.set(inner)
        promotions.set(_promotions_of.setdefault(inner, {}))
    for kernels in [*TABLES.values()]:
        _point_default(kernels)


_WIDE_NAMES = {
    "default_uint": "set_uint",
    "default_complex": "set_complex",
    "default_dtype": "set_dtype",
}
_KIND_OF_DEFAULT = {"default_float": "f", "default_int": "i", "set_uint": "u", "set_complex": "c"}


def _checked(changes: dict[str, Any]) -> dict[str, Any]:
    """Names and values of policy fields as given by a user, resolved; nothing is changed on an error."""
    known = ["rules", "backend", "device", "x64", "casting", "default_float", "default_int", *_WIDE_NAMES]
    result: dict[str, Any] = {}
    selected: Backend | None = None
    for name, value in changes.items():
        if name not in known:
            raise TypeError(f"using: {name!r} is no part of a policy{nearest(name, known)}")
        field = _WIDE_NAMES.get(name, name)
        if name == "rules":
            value = rules_named(value)
        elif name == "casting":
            from .casting import modes

            value = modes(value)
        elif name == "backend":
            from .backends import get

            selected = get(value)
            value = selected.name
            result["chosen"] = True
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
            if value not in all_dtypes:
                raise TypeError(f"{name} must be a dtype that arrays have; got {value}, one of promotion rules only")
        result[field] = value
    if selected is not None:
        selected.selected(changes.get("x64", True))
        if selected.name != current().backend:
            result.setdefault("device", None)  # that of the other backend is none of this one's
        if selected.wavering:
            from .namespace import withdraw

            withdraw(selected.wavering)
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
    casting: what may be done about a dtype that a function does not take: ``"cross"``, ``"up"``, ``"down"``, several of
        them, ``"all"``, or None for nothing. See `upcast_data_types` and `casts`.
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
    tokens = active.set(policy), promotions.set(_promotions_of.setdefault(policy, {})), _block.set(object())
    try:
        yield policy
    finally:
        active.reset(tokens[0])
        promotions.reset(tokens[1])
        _block.reset(tokens[2])


@contextmanager
def plainly() -> Iterator[None]:
    """Run with the unified rules and everything else as it is."""
    policy = current()._with(rules=RULES["unified"])
    tokens = active.set(policy), promotions.set(_promotions_of.setdefault(policy, {}))
    try:
        yield
    finally:
        active.reset(tokens[0])
        promotions.reset(tokens[1])
