"""Functions of a dialect that remember which kernels their body ran, and run them at once the next time.

The body of a dialect's function is Python: it reads the framework's arguments, and calls latticework functions. When a
call is made for the second time, these inner calls are noted (`study`). If their arguments are only the arguments of
the body, constants and earlier results, their kernels are kept as one function of native arrays. The cache key is
everything that the body can have looked at: the policy, the signature of each array, the type of each number that is
only an operand, and the type and value of any other argument. If the body looks at ranks, extents or such a number, the
entry depends on them as well.

A run on arrays without data finds what a body looks at. They have no values to look at, and no extents at first. If the
body makes the same calls, it has looked at nothing else. So nothing is stated by hand, and a kernel cannot be another
one than the body's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from inspect import unwrap
from threading import Lock, RLock
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...backend import get
from ...core.registry import MISSING
from ...engine.arrays.array import Array
from ...engine.arrays.views import link
from ...errors import is_signal
from ...policy import NOWHERE, TABLES, active, current, keep_first, kernels_of, table
from .cache import HELD, SELF, new, notes, wrapped
from .study import Look, Study
from .text import NUMBERS, Form, Met, OneCall, Signature, code_of, is_list, kind_of, looked_up, met, part_of, same

if TYPE_CHECKING:
    from ..dialect import Dialect

__all__ = ["Remembered", "remembered"]

#: The most calls kept for one function. Without a limit, values that never come again would fill the tables.
_MOST = 1024
#: The most forms of calls that the code of one function compares with.
_FORMS = 4
#: Held while the forms of a function change.
_keeping = Lock()
#: Held while a function gets its memory.
_starting = RLock()
#: The number of looks that kept nothing, after which a function is not looked at any more.
_LOOKS = 8
#: The number of calls that nothing was kept for, after which a function of which a look kept nothing is not looked at.
_CALLS = 64


def remembered(dialect: Dialect, body: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of a dialect one that remembers the kernels of each call.

    Parameters
    ----------
    body: the function in Python, whose signature and docstring the result has.
    """
    names: dict[str, Any] = {"__builtins__": __builtins__, "__package__": __package__}
    call: Any = update_wrapper(FunctionType(_first.__code__, names), body)

    def start(args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        with _starting:  # no thread calls it before its code is another
            if "MISSED" not in names:
                Remembered(dialect, body, call, names)
        return call(*args, **kw)

    names["START"] = start
    return call  # type: ignore[no-any-return]


START: Any = None
BODY: Any = None


def _first(*args: Any, **kw: Any) -> Any:
    return START(args, kw)


def _forwarding(*args: Any, **kw: Any) -> Any:
    return BODY(*args, **kw)


class Remembered:
    """The memory of one function, made at its first call.

    Attributes
    ----------
    function: the dispatcher. Its code reads the parameters that were arrays in some call.
    met: the kinds of the arguments in calls that are kept.
    forms: the forms of the first of these calls, each with the objects that it compares.
    looks: how many looks have kept nothing; -1 once something is kept.
    calls: how many calls were made since one of these, with nothing kept.
    fewest: the least number of calls that a kept call of it makes; 0 before one is kept.
    """

    def __init__(self, dialect: Dialect, body: Callable[..., Any], function: Any, names: dict[str, Any]) -> None:
        self.dialect, self.body, self.function, self.names = dialect, body, function, names
        self.name = f"{body.__module__}.{body.__qualname__} of {dialect.name}'s dialect"
        if self.name in TABLES:  # of a function and a method of one body, whose keys have the kinds that each has met
            self.name += f", {len(dialect.kept)}"
        self.bare = f"{self.name}, without options"
        own = unwrap(body)
        self.signature = Signature.of(own.__code__)
        if getattr(body, "_takes_more", False):  # it reads what its own parameters do not name
            self.signature = self.signature._replace(rest="more")
        self.met = Met()
        self.defaults = by_position, by_name = self.signature.defaults(own)
        known = {**dict(zip(self.signature.names, by_position, strict=True)), **by_name}
        self.own_defaults = {n: x for n, x in known.items() if x is not MISSING}
        plain = {n: repr(x) if x is None or type(x) is bool else f"default_{n}" for n, x in self.own_defaults.items()}
        self.texts = tuple(plain.items())
        self.seen: dict[Any, int] = {}
        self.looks = self.fewest = self.calls = 0
        self.forms: list[tuple[Form, list[Any]]] = []
        self.numbered = 0
        names |= {
            "KERNELS": table(self.name), "BARE": table(self.bare), "GET": active.get, "ARRAY": None, "HELD": HELD,
            "NEW": new, "LINK": link, "GIVEN": dialect.wrap, "WRAPPED": wrapped, "OURS": Array, "SELF": SELF,
            "is_signal": is_signal, "NUMBERS": NUMBERS, "DIALECT": dialect, "KIND": kind_of,
            "FUNCTION": function, "policy": NOWHERE, "run": None,
            **{f"default_{n}": x for n, x in self.own_defaults.items()},
        }  # fmt: skip
        names["MISSED"] = self.missed
        function.__defaults__, function.__kwdefaults__ = self.defaults
        function.__code__ = code_of(self.signature, self.met, self.texts)
        dialect.kept.append(self)

    def forget(self) -> None:
        """Drop what is kept: the dialect's own defaults have changed."""
        table(self.name).clear()
        table(self.bare).clear()
        self.seen.clear()
        self.compare_with_none()

    def compare_with_none(self) -> None:
        """Let calls be compared with no form."""
        with _keeping:
            self.names.update(policy=NOWHERE, run=None)
            self.forms.clear()
            if self.looks < _LOOKS:
                self.function.__code__ = code_of(self.signature, self.met, self.texts)

    def missed(self, args: tuple[Any, ...], kw: dict[str, Any], others: dict[str, Any]) -> Any:
        """Run the body. If a call of this kind is made for the second time, keep the kernels that it runs.

        Parameters
        ----------
        args, kw: the arguments from the text, with `MISSING` for an argument that was not given.
        others: arguments by other names.
        """
        if others or any(x is MISSING for x in (*args, *kw.values())):
            args, kw = self.signature.given(args, kw, self.defaults)
            kw |= others
        elif notes.get() is None and sys.getprofile() is None:
            if self.looks > 0:
                self.calls += 1
                if self.calls == _CALLS:
                    self.forward()
            bound = self.signature.bound(args, kw)
            if self.comes_again(bound):
                return Study(self, args, kw, bound).run()
        return self.body(*args, **kw)

    def comes_again(self, bound: dict[str, Any]) -> bool:
        """Return whether a call of this kind, or one with other numbers, was made exactly once before."""
        array, here = self.dialect.array, current()
        arrays = [x for value in bound.values() for x in (value if type(value) in (list, tuple) else [value])]
        held = [x._array for x in arrays if type(x) is array]
        if get(here.backend).watched or any(x._sig.backend.watched for x in held):
            return False  # who watches the calls of a backend would not see them
        try:
            keys = [(here, *[(n, *_seen(x, array, False)) for n, x in bound.items()])]
            if any(map(_has_by_type, bound.values())):
                keys.append((here, *[(n, *_seen(x, array, True)) for n, x in bound.items()]))
        except TypeError:  # an argument has no hash
            return False
        if len(self.seen) >= _MOST:
            self.seen.clear()
        before = [self.seen.get(key, 0) for key in keys]
        self.seen.update({key: times + 1 for key, times in zip(keys, before, strict=True)})
        return 1 in before

    def keep(self, bound: dict[str, Any], entry: Any, look: Look, one: OneCall | None, several: int) -> None:
        """Keep the cache entry of a call, for what the body looked at.

        Parameters
        ----------
        one: the call that the entry makes; None where it makes others.
        several: the number of arrays in the list or tuple that the entry gives; 0 where it gives another result.
        """
        if self.looks >= _LOOKS:  # since the look began, calls go to the body at once
            return
        array = self.dialect.array
        kinds = self.met.joined(met(bound, array, look.by_type, data=look.data))
        if kinds != self.met:
            self.met = kinds
            self.names["ARRAY"] = array
            self.compare_with_none()
            table(self.name).clear()  # keys have another form from now on
            table(self.bare).clear()
            self.seen.clear()  # what was kept is looked at again
        if any(not is_list(bound[n], array) and (type(bound[n]) not in (list, tuple) or bound[n]) for n in kinds.lists):
            return
        bare, key = self.signature.key(bound, kinds, array, self.own_defaults)
        numbers = any(
            type(bound[n]) in (*NUMBERS, list, tuple) and n not in look.by_type for n in kinds.arrays - kinds.lists
        )
        kept = None if numbers else entry
        place = kernels_of(self.bare if bare else self.name, current())
        if len(place) >= _MOST:
            place.clear()
        names = [n for n in self.signature.all if n in kinds.arrays or n in kinds.lists]
        before = place.get(key)
        if names and (before is not None or look.ranks or look.shapes or numbers):
            data = [_data(bound[n], array) for n in names]
            by_look = getattr(before[0], "look", None) if before is not None else None
            if by_look is not None and before is not None and before[1:] != entry[1:]:
                return  # one result has another dtype than the other, or is none of a kernel
            if by_look is None or (look.shapes and not by_look.shapes):
                by_look = _ByLook(data, look.shapes)
            by_look.found[by_look.key(*data)] = entry[0]
            entry = (by_look.run, *entry[1:])
        place[key] = entry
        self.looks = -1
        if kept is not None:
            self.keep_form(bound, kept, look, one, several)

    def keep_form(self, bound: dict[str, Any], entry: Any, look: Look, one: OneCall | None, several: int) -> None:
        """Let calls compare with the form of this one, if it is one of the first that are kept.

        The names that a form reads are set before its code is, and are of this form alone.
        """
        run, sig, view, full = entry
        array, objects = self.dialect.array, list[Any]()
        if view and view is not SELF and (sig is None or sig.immutable):
            return
        given: list[tuple[str, Any]] = []
        for n in self.signature.all:
            if n in self.met.arrays or n in self.met.lists or bound[n] is not self.own_defaults.get(n, MISSING):
                part = part_of(bound[n], array, n in look.by_type, objects)
                if part is None:
                    return
                given.append((n, part))
        looks = "shapes" if look.shapes else "ranks" if look.ranks else ""
        if looks == "ranks" and all(hasattr(x, "ndim") for n in bound for x in _natives(bound[n], array)):
            looks = "ranks by name"
        result: str | int = "first" if view is SELF else several if sig is None else "array"
        objects.append(sig)
        call = "" if one is None else one.of_form(dict(given), bound, objects)
        asks = one is not None and one.asks
        form = Form(0, tuple(given), looks, full and not call, result, call, asks)
        with _keeping:
            self.add_form(form, objects, looked_up(form, bound), run, sig)

    def add_form(self, form: Form, objects: list[Any], key: Any, run: Callable[..., Any], sig: Any) -> None:
        """Add a call to the forms that the code compares with.

        Parameters
        ----------
        form: its form, without a number.
        objects: what the form compares by identity, and what its call names.
        key: what it is looked up by; None if the form has one call.
        run, sig: the function that is kept for the call, and the signature of its result.
        """
        names, here = self.names, active.get()
        for other, own in self.forms:
            if other[1:] == form[1:] and all(map(same, objects, own)) and names["policy"] is here:
                found = names[f"F{other.number}"]
                if key is not None and len(found) < _MOST:
                    found[key] = run
                return
        if len(self.forms) == _FORMS:
            return
        form = form._replace(number=self.numbered)
        compared = {f"O{form.number}_{i}": x for i, x in enumerate(objects)}
        compared |= {f"S{form.number}": sig, f"F{form.number}": run if key is None else {key: run}}
        if not self.forms:
            keep_first(names, current(), {**compared, "run": run})
        elif names["policy"] is here:
            names.update(compared)
        if names["policy"] is not here:
            return
        self.numbered += 1
        self.forms.append((form, objects))
        forms = sorted([form for form, _ in self.forms], key=lambda form: len(form.given))
        self.function.__code__ = code_of(self.signature, self.met, self.texts, tuple(forms))

    def kept_nothing(self) -> None:
        """Note that a look has kept nothing. After some, with nothing kept yet, calls go to the body at once."""
        if self.looks >= 0:
            self.looks += 1
        if self.looks == _LOOKS:
            self.forward()

    def forward(self) -> None:
        """Let calls go to the body at once from now on."""
        self.looks = _LOOKS
        self.names["BODY"] = self.body
        self.function.__code__ = _forwarding.__code__
        self.function.__defaults__ = self.function.__kwdefaults__ = None


def _has_by_type(x: Any) -> bool:
    """Tell whether an argument is a float, or a list or tuple of numbers, whose type alone may count."""
    if type(x) in (list, tuple):
        return bool(x) and all(type(child) in NUMBERS for child in x)
    return type(x) in (float, complex)


def _seen(x: Any, array: Any, by_type: bool) -> tuple[Any, ...]:
    """Return the key of an argument: signature and rank of an array, parts of a list, type and value of others.

    Parameters
    ----------
    by_type: whether floats, and numbers in lists, have a key by type alone.
    """
    if type(x) is array:
        return x._array._sig, x._array.ndim
    if type(x) in (list, tuple):
        if by_type and _has_by_type(x):
            return type(x), *map(type, x)
        return type(x), *[part for child in x for part in _seen(child, array, by_type)]
    if isinstance(x, (array, Array)):
        raise TypeError("an array of another class, as one that a tape watches")
    if by_type and type(x) in (float, complex):
        return (type(x),)
    try:
        hash(x)
    except Exception as error:
        raise TypeError("an argument has no hash, or not yet") from error
    return type(x), x


def _natives(x: Any, array: Any) -> list[Any]:
    """Return the native arrays in an argument."""
    return [child._array._data for child in (x if type(x) in (list, tuple) else [x]) if type(child) is array]


def _data(x: Any, array: Any) -> Any:
    """Return the native arrays of an argument that is an array or a list of arrays."""
    if type(x) in (list, tuple):
        return [_data(child, array) for child in x]
    return x._array._data if type(x) is array else x


@cache
def _text_of_look(kinds: tuple[str, ...], shapes: bool) -> Any:
    """Compile what reads the key of a look, and what runs the function that is kept under it in the same frame.

    Parameters
    ----------
    kinds: of each argument, "array", "list" (of arrays and numbers) or "number".
    shapes: whether extents are looked at, not ranks alone.
    """
    look = "tuple({}.shape)" if shapes else "len({}.shape)"
    texts = {"array": look, "number": "(type({0}), {0})"}
    either = f"{look.format('d')} if hasattr(d, 'shape') else (type(d), d)"
    texts["list"] = f"tuple([{either} for d in {{}}])"
    names = [f"x{i}" for i in range(len(kinds))]
    parameters = ", ".join(names)
    key = "".join([f"{texts[kind].format(name)}, " for name, kind in zip(names, kinds, strict=True)])
    text = f"""
def make(found):
    def key({parameters}): return ({key})
    def run({parameters}, *others): return found[{key}]({parameters}, *others)
    return key, run
"""
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["make"]


class _ByLook:
    """The functions kept for a body that looks at ranks or extents of arrays, or at numbers, by these.

    Attributes
    ----------
    shapes: whether extents are looked at, not ranks alone.
    key: a function of the native arrays that returns what is looked at.
    run: a function of the native arrays that runs the one that is kept for them. Its attribute ``look`` is this object.
    """

    def __init__(self, data: list[Any], shapes: bool) -> None:
        self.shapes = shapes
        self.found: dict[Any, Callable[..., Any]] = {}
        kinds = ["list" if type(x) is list else "array" if hasattr(x, "shape") else "number" for x in data]
        self.key, self.run = _text_of_look(tuple(kinds), shapes)(self.found)
        self.run.look = self
