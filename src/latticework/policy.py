"""The policy that governs a call besides its arguments: promotion rules, default dtypes, backend, device, and whose
derivatives are taken.

A `Policy` is an immutable value, interned, so that the kernels made under it are found by identity and
switching back and forth throws nothing away. The active policy is context-local: no other thread and no
other task sees the changes of `using`. The `set_*` functions change the process default.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from _weakref import ref  # `weakref` itself is a module more to load
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any

from .core.dtypes import (
    KIND_ORDER,
    SCALAR_KINDS,
    Dtype,
    bool_,
    complex_of,
    float32,
    int32,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .core.dtypes import as_dtype as plain_dtype
from .promotion import RULES, Rules
from .promotion.rules import register_defaults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


__all__ = ["GRADIENTS", "Policy", "as_dtype", "current", "unified_rules"]

#: Whose derivatives are taken: the framework's with latticework's slopes where a function has no one slope, the
#: framework's alone, or latticework's rules alone.
GRADIENTS = ("unified", "native", "rules")

_FIELDS = (
    "rules", "backend", "chosen", "device", "default_float", "default_int", "set_uint", "set_complex", "set_dtype",
    "casting", "gradients",
)  # fmt: skip

_UINT_OF_WIDTH = {8: uint8, 16: uint16, 32: uint32, 64: uint64}


class Policy:
    """Rules, defaults, backend and device. Made by `using` and the `set_*` functions, never directly.

    `default_dtype`, `default_uint` and `default_complex` follow the default float or int where they are
    not set by themselves: float64 brings complex128 with it, int64 brings uint64.
    """

    __slots__ = (*_FIELDS, "__weakref__", "_elsewhere", "_of_scalars")

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
    gradients: str  # whose derivatives are taken: one of `GRADIENTS`
    _elsewhere: dict[Any, Policy]  # the same policy on other backends or devices; or see `unified`, and `Binding`
    _of_scalars: dict[tuple[Dtype | type, ...], Dtype]  # the cache of `promote` for types of Python scalars

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "_elsewhere", {})
        object.__setattr__(self, "_of_scalars", {})
        for name in _FIELDS:
            object.__setattr__(self, name, values[name])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a policy does not change; make one that differs: lw.using({name}=...)")

    def __reduce__(self) -> tuple[Callable[..., Policy], tuple[Any, ...]]:
        return _policy_of, tuple(getattr(self, name) for name in _FIELDS)

    def _with(self, **changes: Any) -> Policy:
        """Return the policy that differs in these fields: one object for the same values."""
        values = {name: getattr(self, name) for name in _FIELDS} | changes
        key = tuple(values.values())
        with _lock:
            found = _living[key]() if key in _living else None
            if found is None:
                found = Policy(**values)
                _living[key] = ref(found)
        if found.rules is not self.rules and not found.rules.keeps_dtypes:
            changing.add(found.rules.name)
        _remember(found)
        return found

    def twin(self) -> Policy:
        """Make another policy with the same values, which nothing else has: no kernel is kept under it."""
        return Policy(**{name: getattr(self, name) for name in _FIELDS})

    def on(self, backend: str, device: str | None = None) -> Policy:
        """Return the same policy on a backend, and on a device of it or its default one. Itself where it is there."""
        if self.backend == backend and device in (None, self.device):
            return self
        found = self._elsewhere.get((backend, device))
        if found is None:
            found = self._elsewhere[backend, device] = self._with(backend=backend, device=device)
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
        """Return the default dtype of a kind (see `Dtype.kind`)."""
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
        """Return the rules' own default dtype of a kind, as a framework's rules have, else the policy's."""
        return self.rules.defaults.get(kind) or self.default(kind)

    @property
    def weak_arrays(self) -> str:
        """The arrays of Python scalars without a dtype that are weak: those of a ``"scalar"``, those of a
        ``"sequence"`` too, or none where the rules have no weak arrays."""
        return self.rules.weak_arrays

    def promote(self, *operands: Dtype | type) -> Dtype:
        """Return the common dtype of dtypes and Python scalar types under these rules and defaults.

        Types alone are those of the scalars that an array is made of. They give the highest kind among them in any
        framework, also in one whose rules have scalars only beside arrays.
        """
        found = self._of_scalars.get(operands)
        if found is not None:
            return found
        if not all(isinstance(x, type) for x in operands):
            return self.rules.promote(operands, self.default)
        if self.rules.version:
            kind = max((SCALAR_KINDS[x] for x in operands if isinstance(x, type)), key=KIND_ORDER.__getitem__)
            found = self.own(kind)
        else:
            found = self.rules.promote(operands, self.default)
        if len(operands) < 4:
            self._of_scalars[operands] = found
        return found


def _policy_of(*values: Any) -> Policy:
    """Return the policy with these values of `_FIELDS`: one object, also for a pickled policy."""
    return current()._with(**dict(zip(_FIELDS, values, strict=True)))


#: The key in `_elsewhere` of the policy with the unified rules: no backend has this name.
_UNIFIED = ("", "unified rules")

_lock = allocate_lock()

#: Held while the process default changes, and the kernels under None.
_setting = allocate_lock()

#: Every living policy, by its values: one object for the same values.
_living: dict[tuple[Any, ...], ref[Policy]] = {}

#: The policies whose kernels are kept, the oldest first. Their number is bounded, because a program can go on making
#: `Rules` and so policies for ever; if a policy is in use when its turn comes, its kernels are made anew.
_remembered: dict[Policy, None] = {}
REMEMBERED = 256

#: The names of rules of some policy that change or refuse the dtype of a single operand.
changing: set[str] = set()

#: name of a function -> policy (None: the process default) -> the kernels that the dispatcher keeps under it.
TABLES: dict[str, dict[Policy | None, dict[Any, Any]]] = {}

_promotions_of: dict[Policy, dict[Any, dict[Any, Dtype]]] = {}


def _remember(policy: Policy) -> None:
    """Keep the kernels and lookups of a policy, and forget those of the oldest where there are too many."""
    if policy in _remembered:
        return
    with _lock:
        _remembered[policy] = None
        surplus = len(_remembered) - REMEMBERED
        for old in [p for p in _remembered if p not in (policy, _process)][:surplus] if surplus > 0 else ():
            del _remembered[old]
            _promotions_of.pop(old, None)
            _drop(old)
            for kernels in [*TABLES.values()]:
                kernels.pop(old, None)
        if len(_living) > 2 * REMEMBERED:
            for key in [k for k, alive in _living.items() if alive() is None]:
                del _living[key]


def forget(policy: Policy) -> None:
    """Forget the kernels of a policy that is put in force no more."""
    with _lock:
        _remembered.pop(policy, None)
        _promotions_of.pop(policy, None)
        for kernels in [*TABLES.values()]:
            kernels.pop(policy, None)


def kernels_of(name: str, policy: Policy) -> dict[Any, Any]:
    """Return the kernels of a function under a policy, to put a kernel in."""
    _remember(policy)
    kernels = table(name)
    found = kernels.setdefault(policy, {})
    if None not in kernels and active.get() is None:
        with _setting:
            if policy is _process and None not in kernels:
                kernels[None] = found
                _pointed.append(kernels)
    return found


#: A placeholder for a policy, which no context has in force.
NOWHERE = object()


def keep_first(names: dict[str, Any], policy: Policy, values: dict[str, Any]) -> None:
    """Put a dispatcher's first kernel and its signature into its names, and the policy under which they hold.

    The policy is the value of `active`. It comes last, because a call looks at it last. They hold until the policy's
    kernels are forgotten, or, where it is None, until the process default changes.
    """
    with _setting:
        here = active.get()
        if names["run"] is None and (here is policy or (here is None and policy is _process)):
            names.update(values)
            names["policy"] = here
            _named.setdefault(here, []).append(names)


_process = Policy(
    rules=RULES["unified"], backend="numpy", chosen=False, device=None, default_float=float32, default_int=int32,
    set_uint=None, set_complex=None, set_dtype=None, casting=(), gradients="unified",
)  # fmt: skip
_living[tuple(getattr(_process, name) for name in _FIELDS)] = ref(_process)
_remembered[_process] = None

#: The policy of this context, or None where the process default is in force.
active: ContextVar[Policy | None] = ContextVar("latticework policy", default=None)

_PROCESS_PROMOTIONS: dict[Any, dict[Any, Dtype]] = {}

#: The cache of `promote_types`, dtype by dtype, for this context's policy or the process default. It is a variable of
#: its own, because a lookup takes less time than finding the policy and then its table.
promotions: ContextVar[dict[Any, dict[Any, Dtype]]] = ContextVar("latticework promotions", default=_PROCESS_PROMOTIONS)


def table(name: str) -> dict[Policy | None, dict[Any, Any]]:
    """Return the kernels of one function, by policy. The table is made once; dispatchers hold on to it."""
    return TABLES.setdefault(name, {})


#: The tables that have kernels under None, for calls outside of any `using` block: emptied when the default changes.
_pointed: list[dict[Policy | None, dict[Any, Any]]] = []

#: The names of dispatchers that hold a kernel, by its policy; under None those outside of any `using` block.
_named: dict[Policy | None, list[dict[str, Any]]] = {}


def _drop(policy: Policy | None) -> None:
    """Let no dispatcher hold a kernel of this policy: they look kernels up from here on."""
    for names in _named.pop(policy, ()):
        names["policy"] = NOWHERE


def current() -> Policy:
    """Return the policy in force here: of the innermost `using` block, else the process default."""
    return active.get() or _process


def named_here(backend: str) -> str:
    """Return the name of the backend that a name means: in a trace of that backend, or in a function of its arrays that
    is differentiated, the one that records it."""
    recording = current().backend
    kind, _, recorded = recording.rpartition(":")
    return recording if recorded == backend and kind in ("traced", "taped", "taped:traced") else backend


def as_dtype(dtype: object) -> Dtype:
    """Return the `Dtype` for a `Dtype`, a name, a Python scalar type, or any framework's own dtype object.

    Parameters
    ----------
    dtype: the object. A Python scalar type is the default dtype of its kind under the active rules.

    Raises
    ------
    TypeError: for an object that is no dtype, with the nearest name.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.as_dtype("float32"), lw.as_dtype(int)
    (lw.float32, lw.int32)
    """
    if isinstance(dtype, type) and dtype in SCALAR_KINDS:
        policy = current()
        own = policy.rules.scalar_type(dtype, policy.default)
        return own if isinstance(own, Dtype) else policy.promote(dtype)
    return plain_dtype(dtype)


register_defaults(lambda kind: current().default(kind))


#: An object that identifies the innermost `using` block, None outside of all blocks.
_block: ContextVar[object] = ContextVar("latticework block", default=None)

#: The fields and values before a change: of the process default, and of the policy in force at the change; and the
#: `using` block of the change, or None.
Before = tuple[dict[str, Any], dict[str, Any], object]


def change(of: Callable[[Policy], dict[str, Any]]) -> Before:
    """Change the process default, and what this context sees where it is inside a `using` block.

    `of` gives the fields to change and their values, for the policy that they are changed in.

    Returns the argument with which `restore` undoes it.
    """
    with _setting:
        changes = [of(policy) for policy in (_process, current())]
        before = [
            {name: getattr(policy, name) for name in changed}
            for policy, changed in zip((_process, current()), changes, strict=True)
        ]
        _put(changes[0], changes[1])
    return before[0], before[1], _block.get()


def restore(before: Before) -> None:
    """Set fields back in the process default, and in the policy in force if the `using` block is still the same.

    Another block has values of its own, which were never changed."""
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
    for kernels in _pointed:
        kernels.pop(None, None)
    _pointed.clear()
    _drop(None)


def put_in_force(policy: Policy) -> tuple[Any, Any]:
    """Put a policy in force, for this thread or task only. Returns the argument with which `end_force` ends that."""
    return active.set(policy), promotions.set(_promotions_of.setdefault(policy, {}))


def end_force(tokens: tuple[Any, Any]) -> None:
    """Put the policy in force that was before."""
    active.reset(tokens[0])
    promotions.reset(tokens[1])


@contextmanager
def in_force(policy: Policy) -> Iterator[Policy]:
    """Put a policy in force inside a ``with`` block, for this thread or task only."""
    tokens = put_in_force(policy)
    try:
        yield policy
    finally:
        end_force(tokens)


def call_under(policy: Policy, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Call a function with a policy in force."""
    if current() is policy:
        return f(*args, **kw)
    tokens = active.set(policy), promotions.set(_promotions_of.setdefault(policy, {}))
    try:
        return f(*args, **kw)
    finally:
        active.reset(tokens[0])
        promotions.reset(tokens[1])


def under_this_policy(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is called under the policy of now, whenever that is; in another thread, in all of the
    context of now. PyTorch runs the derivative of what is on a GPU in a thread of its own, which begins with the
    settings of the process."""
    policy, context, thread = current(), copy_context(), get_ident()

    def call(*args: Any) -> Any:
        return call_under(policy, f, args, {}) if get_ident() == thread else context.copy().run(f, *args)

    return call


@contextmanager
def block(policy: Policy) -> Iterator[Policy]:
    """Like `in_force`, for a user's block: a setting made in it is undone in it alone."""
    token = _block.set(object())
    try:
        with in_force(policy):
            yield policy
    finally:
        _block.reset(token)


def unified(policy: Policy) -> Policy:
    """Return the policy that differs only in its rules, the unified ones."""
    found = policy._elsewhere.get(_UNIFIED)
    if found is None:
        found = policy._elsewhere[_UNIFIED] = policy._with(rules=RULES["unified"])
    return found


def unified_rules(backend: str | None = None) -> AbstractContextManager[Policy]:
    """Run with the unified rules and everything else as it is, or with new arrays on a backend by its name.

    A backend that computes by latticework's functions names itself: while a program is traced, new arrays are tracers.
    """
    policy = current()
    return in_force(unified(policy if backend is None else policy.on(backend, policy.device)))
