"""The code of entry functions for arguments that are built alike: what it takes out of them, and what it looks up."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from ...backend import of
from ...core.dtypes import SCALARS
from ...core.reading import Names, Reading
from ..arrays.array import Array

__all__ = ["MISSED", "Direct", "Form", "code_of"]

#: The result of a form's function for arguments of another form, or for which nothing is kept.
MISSED: Any = object()

#: The code of the user's function. It takes arguments by position as such, which takes less time than as a tuple; what
#: is left out is `MISSED`.
_CALL = """
def call({parameters}*args, **kw):
    while True:
        try:
            {lines}
            {look}
        except (KeyError, AttributeError, TypeError, ValueError, NameError):
            break{choice}{run}
    return other({given}, kw)
"""
_KEY = """
def key(*args, **kw):
    while True:
        {lines}
        return ({key}), {held}
"""
_LOOK = "{found} = kernels[get()][{key}]"
#: What one call was kept as is compared with, before it is looked up.
_FIRST = """if {tests}:
                run, sig, finish = {kept}
            else:
                {look}"""
_DIRECT = """if {tests}:
                try:
                    {lines}
                except Exception:  # what is looked up raises it again, or computes it otherwise
                    pass
                {missed}()
            {look}"""
_RUN = """
        try:
            results = run({data})
        except unfit:
            break
        if sig is None:
            return finish(results, {arrays})
        r = Array()
        r._data = results
        r._sig = sig
        return r"""
_HAND = """
        return run({data}, args, kw)"""
_CHOICE = """
        for fits, run, sig, finish in found:
            if fits({arrays}, {numbers}):
                break
        else:
            break"""


@lru_cache(512)
def code_of(text: str) -> CodeType:
    """Compile a text once: many functions have arguments that are built alike."""
    return compile(text, "<latticework entry>", "exec")


class Direct(NamedTuple):
    """What the code of an entry function computes itself for one call, in the place of a function that is kept.

    Attributes
    ----------
    write: writes the statements. It is given the names of the native arrays and of the given arrays, and puts the
        objects that they name into the names. They return the result, or go on where the call is to be looked up. What
        they do may be done again.
    looks: the places of the native arrays whose shapes they look at themselves.
    check: tells whether the function holds what it held, None where it holds nothing.
    """

    write: Callable[[list[str], list[str], Names], list[str]]
    looks: frozenset[int]
    check: Callable[[], bool] | None = None


class Form:
    """The code for arguments that are built alike and have the same kinds of leaves.

    Attributes
    ----------
    told: the facts that tell it from other forms.
    number: a number that no other form of the entry has.
    code: the code for the user's function, whose globals are those of the entry.
    call: a function of code that only looks up, which gives `MISSED` where the user's function goes on.
    key: gives the key of a call, and the objects whose ids are in the key.
    objects: what the code names, by name.
    hits: how often `call` has found something.
    misses: how often what the code computes itself was of no use, since it computes it.
    given_up: how often it was given up.
    own: the names of the objects for the one call that the code does not look up.
    """

    def __init__(
        self, args: tuple[Any, ...], kw: dict[str, Any], inputs: tuple[int, ...], whole: frozenset[int],
        how: tuple[bool, bool, bool, bool], names: Names,
    ) -> None:  # fmt: skip
        """Take the arguments apart; `write` writes the code.

        Parameters
        ----------
        inputs: the places among the leaves of the numbers that the kept function takes.
        whole: the positions of arguments that are not looked into.
        how: whether `Entry.keep` is given `fits`, and its parameters `listed`, `compares` and `handed`.
        names: gets the objects that the code names, after those of the entry.
        """
        self._how, (_, listed, compares, handed) = how, how
        reading = Reading(args, kw, names, "break", whole, handed=handed)
        self._leaves = leaves = _Leaves(
            reading.leaves, inputs, names, shapes=not (compares or handed), made=listed or handed
        )
        self.told = (reading.built, leaves.told, inputs, whole, how)
        self._plain = leaves.plain and reading.built == (len(args), *[None] * len(args)) and not any(how)
        self._lines = [*reading.lines, *leaves.lines]
        self._given = [] if handed else reading.given
        self._unpacking = reading.unpacking if self._given else None
        self.number = names.made
        self.objects = names.objects
        self.hits = self.misses = self.given_up = 0
        self.own: list[str] = []

    def write(self) -> None:
        """Write the code and the functions."""
        key = self._leaves.key
        text = _KEY.format(
            lines=f"\n{' ' * 8}".join(self._lines), held=_tuple(self._leaves.held),
            key="".join([f"{k}, " for k in key] if self._plain else [f"{k}, " for k in (self.number, *key)]),
        )  # fmt: skip
        own = {**self.objects, "missed": MISSED, "other": lambda args, kw: MISSED}
        exec(code_of(text), own)
        exec(code_of(self._call()), own)
        self.key: Callable[..., Any] = own["key"]
        self.call: Callable[..., Any] = own["call"]
        self.code: CodeType = self.call.__code__

    @property
    def looks_up(self) -> bool:
        """True if the key of a call says which function runs, and that takes the native arrays alone."""
        chosen, _, _, handed = self._how
        return not (chosen or handed)

    def first(
        self, key: tuple[Any, ...], place: dict[Any, Any], kept: tuple[Any, Any, Any], direct: Direct | None,
        missed: Callable[[], None], names: Names,
    ) -> CodeType:  # fmt: skip
        """Return code that compares a call with one that is kept, and looks up all others.

        Parameters
        ----------
        key: the key of the one.
        place: the kernels of the policy that it is kept under.
        kept: what is kept.
        direct: what the code computes itself, if anything.
        missed: is called where that was of no use.
        names: gets the objects that it names.
        """
        leaves = self._leaves
        values = key if self._plain else key[1:]
        lines = [] if direct is None else direct.write(leaves.data, leaves.arrays, names)
        found = []
        for text, value, (by, array) in zip(leaves.key, values, leaves.compared, strict=True):
            if by == "is":
                found.append(f"{text} is {names.of(value, 'as')}")
            elif direct is None or array not in direct.looks:
                found.append(f"({text}) == {names.of(value, 'as')}")
        found += [f"kernels[get()] is {names.of(place, 'place')}"]
        if direct is not None and direct.check is not None:
            found.append(f"{names.of(direct.check, 'check')}()")
        look = self._look()
        if direct is None:
            return self._code(_FIRST.format(tests=" and ".join(found), kept=names.of(kept, "kept"), look=look))
        return self._code(
            _DIRECT.format(
                tests=" and ".join(found), lines=f"\n{' ' * 20}".join(lines), missed=names.of(missed, "missed"),
                look=look,
            )
        )  # fmt: skip

    def _code(self, look: str) -> CodeType:
        own: dict[str, Any] = {"missed": MISSED}
        exec(code_of(self._call(look)), own)
        code: CodeType = own["call"].__code__
        return code

    def _look(self) -> str:
        key = self._leaves.key
        return _LOOK.format(
            found="found" if self._how[0] else "run, sig, finish",
            key="".join([f"{k}, " for k in key] if self._plain else [f"{k}, " for k in (self.number, *key)]),
        )

    def _call(self, look: str | None = None) -> str:
        """Write the user's function, which may look at something before it looks a call up."""
        leaves, (chosen, listed, _, handed) = self._leaves, self._how
        data = ", ".join([*leaves.data, *leaves.numbers])
        data = f"[{data}]" if listed or handed else data
        arrays = _tuple(leaves.arrays)
        lines = ["if args: break" if line == self._unpacking else line for line in self._lines]
        return _CALL.format(
            parameters=f"{''.join([f'{name}=missed, ' for name in self._given])}/, " if self._given else "",
            given=f"({''.join([f'{name}, ' for name in self._given])}*args)" if self._given else "args",
            lines=f"\n{' ' * 12}".join(lines), look=look or self._look(),
            choice=_CHOICE.format(arrays=arrays, numbers=_tuple(leaves.numbers)) if chosen else "",
            run=(_HAND if handed else _RUN).format(data=data, arrays=arrays),
        )  # fmt: skip


def _tuple(names: list[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"


class _Leaves:
    """The code for the leaves of a form.

    Attributes
    ----------
    lines: the code that checks their classes, and takes the native arrays out.
    data, arrays: the names of the native arrays, and of the given arrays.
    numbers: the names of the numbers that are inputs.
    key: the expressions of the key.
    compared: how each of them is compared with that of another call, by ``is`` or ``==``; and the place of the native
        array whose shape it is, None for anything else.
    held: the names of the constants whose ids are in the key.
    plain: whether all leaves are `Array`s.
    told: the facts that tell this code from that of other leaves.
    """

    def __init__(
        self, leaves: list[tuple[str, Any]], inputs: tuple[int, ...], names: Names, *, shapes: bool, made: bool
    ) -> None:
        self.lines: list[str] = []
        self.data: list[str] = []
        self.arrays: list[str] = []
        self.numbers: list[str] = []
        self.key: list[str] = []
        self.compared: list[tuple[str, int | None]] = []
        self.held: list[str] = []
        self.plain = True
        self._names, self._shapes, self._made = names, shapes, made
        told = [self._array(*leaf) or self._other(*leaf, i in inputs) for i, leaf in enumerate(leaves)]
        self.told = tuple(told)

    def _add(self, kind: str, *shape: str) -> None:
        """Add what tells the last array to the key: by identity its signature or dtype, and its shape."""
        self.key += [kind, *shape]
        self.compared += [("is", None), *[("==", len(self.data) - 1) for _ in shape]]

    def _constant(self, texts: list[str], by: str) -> None:
        self.key += texts
        self.compared += [(by, None)] * len(texts)

    def _of_class(self, name: str, kind: type) -> None:
        self.lines.append(f"if type({name}) is not {self._names.of(kind, 'kind')}: break")

    def _array(self, name: str, x: Any) -> Any:
        """Write the code that takes an `Array`; None for anything else."""
        if type(x) is not Array:
            return None
        shape = x._sig.backend.shape_text
        data = f"d{name}"
        self.lines.append(f"if type({name}) is not Array: break")
        self.lines.append(f"{data} = {name}._data")
        text = x._sig.backend.native_text
        if self._made and text is None:
            native = self._names.of(x._sig.backend.native, "native")
            self.lines.append(f"if {native}({data}) is not {data}: break")
        elif self._made and text:
            self.lines.append(f"if not ({text.format(data)}): break")
        self.data.append(data)
        self.arrays.append(name)
        self._add(f"{name}._sig", *[shape.format(data)] * self._shapes)
        return Array, shape, self._made and x._sig.backend.name

    def _other(self, name: str, x: Any, given: bool) -> Any:
        """Write the code that takes a native array, a number or a constant."""
        self.plain = False
        kind = type(x)
        self._of_class(name, kind)
        owner = None if isinstance(x, SCALARS) else of(x)
        if owner is not None:
            return self._native(name, x, owner)
        if given:
            self.numbers.append(name)
            return kind
        try:
            hash(x)
        except TypeError:
            self._constant([f"id({name})"], "==")
            self.held.append(name)
            return kind, id
        if issubclass(kind, complex):
            self._constant([f"str({name})"], "==")  # each of its zeros has a sign
        else:
            text = f"{name} or str({name})" if issubclass(kind, float) else name
            self._constant([text], "==" if issubclass(kind, (int, float, str)) else "is")
        return kind

    def _native(self, name: str, x: Any, owner: Any) -> Any:
        """Write the code that takes a framework's own array."""
        itself, weak, shape = owner.native(x) is x, hasattr(x, "weak_type"), owner.shape_text
        data = name if itself else f"{self._names.of(owner.native, 'native')}({name})"
        self.data.append(data)
        self.arrays.append(name)
        self._add(f"{name}.dtype", *[shape.format(name)] * self._shapes)
        self._constant([f"{name}.weak_type"] * weak, "is")
        return type(x), itself, shape
