"""Entry functions, which keep something for each kind of arguments: the user's call is a look-up without a loop.

A `_Form` is how arguments are built, and what lies at their leaves. The first call of a form goes the slow way, which
is the reference. Then Python code is written for the form (see `core.reading`): it takes such arguments apart, looks up
what is kept for their signatures and shapes, and runs it. The user's function has the code of one form. It leaves other
arguments to the functions of the other forms, and arguments that no form knows to the slow way.

The key of a look-up is the signature and the extents of each array, and everything that is no array: the same values,
or the same objects, and the same types. The key has no arrays in it, and keeps none alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from threading import Lock
from types import CodeType
from typing import Any, NamedTuple

from ...backend import of
from ...core.dtypes import SCALARS
from ...core.reading import Names, Reading
from ...policy import active, current, kernels_of, table
from ..arrays.array import Array

__all__ = ["Entry", "Kept", "OtherShapes"]

#: The most calls of different shapes and constants that are kept at once under a policy.
_MOST = 256
#: The most forms of arguments that are kept at once.
_FORMS = 32
#: After so many calls of another form, the user's function gets the code of that form.
_OFTEN = 32
#: The result of a form's function for arguments of another form, or for which nothing is kept.
_MISSED: Any = object()

_TEXT = """
def call(*args, **kw):
    while True:
        try:
            {lines}
            {found} = kernels[get()][{key}]
        except (KeyError, AttributeError, TypeError, ValueError, NameError):
            break{choice}{run}
    return other(args, kw)


def key(*args, **kw):
    while True:
        {own_lines}
        return ({key}), {held}
"""
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


@lru_cache(256)
def _code(text: str) -> CodeType:
    """Compile a text once: many functions have arguments that are built alike."""
    return compile(text, "<latticework entry>", "exec")


class OtherShapes(Exception):  # noqa: N818 - no user sees it
    """Arrays of other shapes than the kept function was made for."""


class Kept(NamedTuple):
    """The function that is kept for a call.

    Attributes
    ----------
    run: a function of native arrays, and of the numbers that are inputs.
    sig: the signature of its result, None where `finish` makes the results.
    finish: makes the results from the results of `run` and the given arrays.
    """

    run: Callable[..., Any]
    sig: Any
    finish: Callable[[Any, tuple[Any, ...]], Any] | None


class _Form:
    """The code for arguments that are built alike and have the same kinds of leaves.

    Attributes
    ----------
    code: the code for the user's function, whose globals are those of the entry.
    call: a function of that code, which gives `_MISSED` where the user's function goes on.
    key: gives the key of a call, and the objects whose ids are in the key.
    hits: how often `call` has found something.
    """

    def __init__(self, text: str, names: dict[str, Any]) -> None:
        own = {**names, "other": lambda args, kw: _MISSED}
        exec(_code(text), own)
        self.code: CodeType = own["call"].__code__
        self.call: Callable[..., Any] = own["call"]
        self.key: Callable[..., Any] = own["key"]
        self.hits = 0


class Entry:
    """A function that runs what is kept for arguments like its own.

    Attributes
    ----------
    call: the function.
    kernels: what is kept, by policy.
    """

    def __init__(
        self,
        name: str,
        slow: Callable[[tuple[Any, ...], dict[str, Any]], Any],
        unfit: tuple[type[Exception], ...] = (OtherShapes,),
    ) -> None:
        """Make it.

        Parameters
        ----------
        name: the name of the table of what is kept.
        slow: is called with the arguments where nothing is kept. It may call `keep`.
        unfit: the exceptions of a kept function, before it computes, for a call that it was not made for.
        """
        self.name, self._slow = name, slow
        self.kernels = table(name)
        self._names: dict[str, Any] = {
            "__name__": __name__,  # by which a trace knows that it holds nothing of the program
            "kernels": self.kernels,
            "get": active.get,
            "Array": Array,
            "unfit": unfit,
            "other": self._other,
        }
        self._made = 0
        exec(_code("def call(*args, **kw): return other(args, kw)"), self._names)
        self.call: Any = self._names["call"]
        self._without_form: CodeType = self.call.__code__
        self._always = frozenset(self._names)
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self.call.__code__ = self._without_form
        self._first: _Form | None = None
        #: The forms by what tells them apart; and by the number of arguments and the names of the keyword arguments.
        self._forms: dict[Any, _Form] = {}
        self._by_count: dict[Any, tuple[_Form, ...]] = {}
        self.kernels.clear()
        for name in [name for name in self._names if name not in self._always]:
            del self._names[name]  # code that another thread still runs goes on the slow way

    def clear(self) -> None:
        """Forget what is kept."""
        self.kernels.clear()

    def _other(self, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        for form in self._by_count.get((len(args), *kw), ()):
            if form is not self._first:
                result = form.call(*args, **kw)
                if result is not _MISSED:
                    form.hits += 1
                    if form.hits >= _OFTEN:
                        form.hits = 0
                        self._begin_with(form)
                    return result
        return self._slow(args, kw)

    def _begin_with(self, form: _Form) -> None:
        self._first, self.call.__code__ = form, form.code

    def keep(
        self,
        args: tuple[Any, ...],
        kw: dict[str, Any],
        kept: Kept,
        *,
        inputs: Iterable[int] = (),
        fits: Callable[[tuple[Any, ...], tuple[Any, ...]], bool] | None = None,
        whole: Iterable[int] = (),
        listed: bool = False,
        compares: bool = False,
        handed: bool = False,
    ) -> None:
        """Keep the function that runs a call, under this policy: for arguments of this form, with arrays of these
        signatures and shapes, and with the same of everything that is no array.

        Parameters
        ----------
        inputs: the places among the leaves of the numbers that the function takes. Other numbers are constants.
        fits: checks the arrays, and these numbers, where the key does not say enough.
        whole: the positions of arguments that are not looked into. They are constants.
        listed: whether the function takes one list of native arrays. Arrays that the backend's `native` changes go the
            slow way.
        compares: whether the function raises `OtherShapes` for arrays of other shapes, so that the key needs none.
        handed: whether the function takes a list of native arrays, whose shapes may be others, and all arguments as a
            tuple and a dict. It gives what is returned. What lies in `whole` or is given by keyword may be anything.
        """
        with self._lock:
            try:
                how = (fits is not None, listed, compares, handed)
                form = self._form(args, kw, tuple(inputs), frozenset(whole), how)
                key, held = form.key(*args, **kw)
                hash(key)
            except (TypeError, SyntaxError, RecursionError, MemoryError):
                return  # a tree that is too deep for Python code
            found = kernels_of(self.name, current())
            if len(found) >= _MOST:
                found.clear()
            found.update({id(x): x for x in held})  # no other object gets its id
            if fits is None:
                found[key] = kept
            else:  # the newest first
                found[key] = ((fits, *kept), *found.get(key, ())[: _FORMS - 1])

    def _form(
        self,
        args: tuple[Any, ...],
        kw: dict[str, Any],
        inputs: tuple[int, ...],
        whole: frozenset[int],
        how: tuple[bool, bool, bool, bool],
    ) -> _Form:
        """Return the form of a call, made when it is met for the first time.

        Parameters
        ----------
        how: whether `keep` is given `fits`, and its parameters `listed`, `compares` and `handed`.
        """
        chosen, listed, compares, handed = how
        names = Names({**self._names}, self._made)
        reading = Reading(args, kw, names, "break", whole, handed=handed)
        leaves = _Leaves(reading.leaves, inputs, names, shapes=not (compares or handed), made=listed or handed)
        told = (reading.built, leaves.told, inputs, whole, how)
        count = (len(args), *kw)
        form = self._forms.get(told)
        if form is not None:
            if form not in self._by_count.get(count, ()):  # it looks at no argument by keyword
                self._by_count[count] = (*self._by_count.get(count, ()), form)
            return form
        if len(self._forms) >= _FORMS:
            self._forget()
        plain = leaves.plain and reading.built == (len(args), *[None] * len(args)) and not any(how)
        lines = [*reading.lines, *leaves.lines]
        data = ", ".join([*leaves.data, *leaves.numbers])
        data = f"[{data}]" if listed or handed else data
        arrays = _tuple(leaves.arrays)
        form = _Form(_TEXT.format(
            lines=f"\n{' ' * 12}".join(lines), own_lines=f"\n{' ' * 8}".join(lines),
            found="found" if chosen else "run, sig, finish",
            key="".join([f"{k}, " for k in leaves.key] if plain else [f"{k}, " for k in (names.made, *leaves.key)]),
            held=_tuple(leaves.held),
            choice=_CHOICE.format(arrays=arrays, numbers=_tuple(leaves.numbers)) if chosen else "",
            run=(_HAND if handed else _RUN).format(data=data, arrays=arrays),
        ), names.objects)  # fmt: skip
        self._names.update({key: x for key, x in names.objects.items() if key not in self._names})
        self._made = names.made + 1
        self._forms[told] = form
        self._by_count[count] = (*self._by_count.get(count, ()), form)
        if self._first is None:
            self._begin_with(form)
        return form


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
        self.held: list[str] = []
        self.plain = True
        self._names, self._shapes, self._made = names, shapes, made
        told = [self._array(*leaf) or self._other(*leaf, i in inputs) for i, leaf in enumerate(leaves)]
        self.told = tuple(told)

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
        self.key += [f"{name}._sig", *[shape.format(data)] * self._shapes]
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
            self.key.append(f"id({name})")
            self.held.append(name)
            return kind, id
        if issubclass(kind, complex):
            self.key.append(f"str({name})")  # each of its zeros has a sign
        else:
            self.key.append(f"{name} or str({name})" if issubclass(kind, float) else name)
        return kind

    def _native(self, name: str, x: Any, owner: Any) -> Any:
        """Write the code that takes a framework's own array."""
        itself, weak, shape = owner.native(x) is x, hasattr(x, "weak_type"), owner.shape_text
        data = name if itself else f"{self._names.of(owner.native, 'native')}({name})"
        self.data.append(data)
        self.arrays.append(name)
        self.key += [f"{name}.dtype", *[shape.format(name)] * self._shapes, *[f"{name}.weak_type"] * weak]
        return type(x), itself, shape
