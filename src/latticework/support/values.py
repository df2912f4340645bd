"""What an expression can stand for while a function is read and nothing is computed.

An array is the set of dtypes that it may have, a Python object that is there already stands for itself, and what
nobody can know is `UNKNOWN`. Where branches meet, `join` is what may come of either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..core.dtypes import SCALARS, Dtype
from ..engine.array import Array

__all__ = [
    "NOTHING", "UNKNOWN", "Arr", "Either", "Func", "Items", "Known", "Many", "Method", "Named", "Obj", "Partial",
    "Scalar", "Value", "element", "items", "join", "join_all", "lasting", "truth", "wrap",
]  # fmt: skip


class Value:
    """Any of these."""

    __slots__ = ()


@dataclass(frozen=True)
class Arr(Value):
    """An array of one of these dtypes; where `maybe` is set, it may be something else, such as None."""

    dtypes: frozenset[Dtype]
    maybe: bool = False

    @property
    def dtype(self) -> Dtype | None:
        """The dtype, if there is only one."""
        return next(iter(self.dtypes)) if len(self.dtypes) == 1 else None


@dataclass(frozen=True, eq=False)
class Known(Value):
    """A Python object, itself: a function, a module, a dtype, a number."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Known):
            return NotImplemented
        if self.value is other.value:
            return True
        plain = (*SCALARS, str)
        return type(self.value) is type(other.value) and isinstance(self.value, plain) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value) if isinstance(self.value, (*SCALARS, str)) else id(self.value)


@dataclass(frozen=True)
class Scalar(Value):
    """A Python number or string of which the type is known and no more."""

    type: type


@dataclass(frozen=True)
class Items(Value):
    """A tuple or list of which each element is known; a named tuple has names."""

    items: tuple[Value, ...]
    type: type = tuple
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Many(Value):
    """Any number of these."""

    of: Value


@dataclass(frozen=True, eq=False)
class Named(Value):
    """A dict with strings for keys."""

    items: dict[str, Value]


@dataclass(frozen=True, eq=False)
class Func(Value):
    """A function defined in what is being read."""

    node: Any
    frame: Any
    defaults: tuple[Value, ...]
    keywords: dict[str, Value]


@dataclass(frozen=True, eq=False)
class Obj(Value):
    """An object that is not there yet: of this class, with these attributes."""

    cls: type
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Method(Value):
    """A function and the first argument that it has already."""

    function: Value
    owner: Value


@dataclass(frozen=True, eq=False)
class Partial(Value):
    """A function and the arguments that it has already."""

    function: Value
    args: tuple[Value, ...]
    keywords: dict[str, Value]


@dataclass(frozen=True)
class Either(Value):
    """One of these: functions to choose from, or dtypes."""

    options: tuple[Value, ...]


@dataclass(frozen=True)
class _Word(Value):
    word: str


#: Nobody can know.
UNKNOWN = _Word("unknown")
#: What a function gives that never comes back.
NOTHING = _Word("nothing")

_SMALL = 64


def wrap(x: Any) -> Value:
    """A Python object as a value: an array, ours or a framework's, is its dtype."""
    if isinstance(x, Array):
        return Arr(frozenset([x.dtype]))
    if isinstance(x, (str, *SCALARS)) or callable(x):
        return Known(x)
    from ..backends import of

    owner = of(x)
    return Known(x) if owner is None else Arr(frozenset([owner.sig_of(x).dtype]))


def items(x: Value) -> tuple[Value, ...] | None:
    """The elements of something to go through, if all are known."""
    if isinstance(x, Items):
        return x.items
    if isinstance(x, Named):
        return tuple(Known(k) for k in x.items)
    if isinstance(x, Known) and isinstance(x.value, (tuple, list, range, dict, set, frozenset, str)):
        return tuple(wrap(v) for v in x.value) if len(x.value) <= _SMALL else None
    return None


def element(x: Value) -> Value:
    """What any element of it may be."""
    if isinstance(x, Many):
        return x.of
    if isinstance(x, Arr):
        return x
    found = items(x)
    if found is not None:
        return join_all(found)
    return Scalar(int) if isinstance(x, Known) and isinstance(x.value, range) else UNKNOWN


def lasting(x: Value) -> bool:
    """Whether it stands for the same the next time: nothing in it is an object, a dict or a closure, which change."""
    if isinstance(x, (Items, Either)):
        return all(map(lasting, x.items if isinstance(x, Items) else x.options))
    if isinstance(x, Many):
        return lasting(x.of)
    if isinstance(x, Method):
        return lasting(x.function) and lasting(x.owner)
    if isinstance(x, Partial):
        return all(map(lasting, (x.function, *x.args, *x.keywords.values())))
    return not isinstance(x, (Obj, Named, Func))


def join_all(values: Iterable[Value]) -> Value:
    """What may be any of these."""
    made: Value = NOTHING
    for v in values:
        made = join(made, v)
    return made


def join(a: Value, b: Value) -> Value:
    """What may be either. An array that may be something else is an array still."""
    if a == b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    if isinstance(a, Arr) and isinstance(b, Arr):
        return Arr(a.dtypes | b.dtypes, a.maybe or b.maybe)
    for array, other in ((a, b), (b, a)):
        if isinstance(array, Arr) and not isinstance(other, (Items, Many, Obj)):
            return Arr(array.dtypes, maybe=True)
    number = _number(a, b)
    if number is not None:
        return Scalar(number)
    if isinstance(a, Items) and isinstance(b, Items) and len(a.items) == len(b.items):
        return Items(tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True)), a.type, a.names)
    if isinstance(a, (Items, Many)) and isinstance(b, (Items, Many)):
        return Many(join(element(a), element(b)))
    if isinstance(a, Named) and isinstance(b, Named):
        keys = {**a.items, **b.items}
        return Named({k: join(a.items.get(k, UNKNOWN), b.items.get(k, UNKNOWN)) for k in keys})
    options = (*_options(a), *_options(b))
    if len(options) <= _SMALL and all(map(_choosable, options)):
        return Either(tuple(dict.fromkeys(options)))
    return UNKNOWN


def _options(x: Value) -> tuple[Value, ...]:
    return x.options if isinstance(x, Either) else (x,)


def _choosable(x: Value) -> bool:
    if isinstance(x, Known):
        return callable(x.value) or isinstance(x.value, Dtype) or x.value is None
    return isinstance(x, (Func, Method, Partial))


def _number(a: Value, b: Value) -> type | None:
    """The type of a number that may be either, if both are numbers."""
    types = [x.type if isinstance(x, Scalar) else type(x.value) if isinstance(x, Known) else None for x in (a, b)]
    if any(t not in SCALARS for t in types):
        return types[0] if types[0] is types[1] and types[0] is str else None
    return max(types, key=SCALARS.index)


def truth(x: Value) -> bool | None:
    """Whether it is true, if that is known."""
    if isinstance(x, Known):
        plain = isinstance(x.value, (str, tuple, list, dict, set, frozenset, range, *SCALARS)) or x.value is None
        return bool(x.value) if plain else True if callable(x.value) else None
    if isinstance(x, Items):
        return bool(x.items)
    return True if isinstance(x, (Func, Method, Partial)) else None
