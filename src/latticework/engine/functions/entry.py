"""Entry functions, which keep something for each kind of arguments: the user's call is a look-up without a loop.

A `Form` is how arguments are built, and what lies at their leaves. The first call of a form goes the slow way, which
is the reference. Then Python code is written for the form (see `core.reading`): it takes such arguments apart, looks up
what is kept for their signatures and shapes, and runs it. The user's function has the code of one form. It leaves other
arguments to the functions of the other forms, and arguments that no form knows to the slow way.

The key of a look-up is the signature and the extents of each array, and everything that is no array: the same values,
or the same objects, and the same types. The key has no arrays in it, and keeps none alive.

A call that is made often is compared with before anything is looked up: that takes less time than to make a key of it.
The code of its form may then compute the result itself (`Direct`), without a function in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from threading import Lock
from types import CodeType
from typing import Any, NamedTuple
from weakref import ref

from ...core.reading import Names
from ...policy import active, current, kernels_of, table
from ..arrays.array import Array
from .forms import MISSED, Direct, Form, code_of

__all__ = ["Direct", "Entry", "Kept", "OtherShapes"]

#: The most calls of different shapes and constants that are kept at once under a policy.
_MOST = 256
#: The most forms of arguments that are kept at once.
_FORMS = 32
#: After so many calls of another form, the user's function gets the code of that form.
_OFTEN = 32
#: After so many calls that are looked up, a call is compared with first.
_WARM = 6
#: How often what the code of a form computes itself may be of no use, until all calls are looked up; and after how many
#: look-ups it is tried again. That number doubles each time.
_MISSES, _AGAIN = 3, 64


class OtherShapes(Exception):  # noqa: N818 - no user sees it
    """Arrays of other shapes than the kept function was made for."""


class Kept(NamedTuple):
    """The function that is kept for a call.

    Attributes
    ----------
    run: a function of native arrays, and of the numbers that are inputs.
    sig: the signature of its result, None where `finish` makes the results.
    finish: makes the results from the results of `run` and the given arrays.
    direct: what the entry's code computes itself in the place of all these, if anything.
    """

    run: Callable[..., Any]
    sig: Any
    finish: Callable[[Any, tuple[Any, ...]], Any] | None
    direct: Callable[[], Direct | None] | None = None


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
        exec(code_of("def call(*args, **kw): return other(args, kw)"), self._names)
        self.call: Any = self._names["call"]
        self._without_form: CodeType = self.call.__code__
        self._always = frozenset(self._names)
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._use(self._without_form)
        self._first: Form | None = None
        #: The forms by what tells them apart; and by the number of arguments and the names of the keyword arguments.
        self._forms: dict[Any, Form] = {}
        self._by_count: dict[Any, tuple[Form, ...]] = {}
        self.kernels.clear()
        for name in [name for name in self._names if name not in self._always]:
            del self._names[name]  # code that another thread still runs goes on the slow way

    def clear(self) -> None:
        """Forget what is kept."""
        self.kernels.clear()

    def _other(self, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        while args and args[-1] is MISSED:
            args = args[:-1]
        for form in self._by_count.get((len(args), *kw), ()):
            if form is not self._first:
                result = form.call(*args, **kw)
                if result is not MISSED:
                    form.hits += 1
                    if form.hits >= _OFTEN:
                        form.hits = 0
                        with self._lock:
                            self._begin_with(form)
                    return result
        return self._slow(args, kw)

    def _begin_with(self, form: Form) -> None:
        self._first = form
        self._use(form.code)

    def _use(self, code: CodeType) -> None:
        """Give the user's function a code. It never has fewer defaults than parameters."""
        defaults = (MISSED,) * code.co_argcount
        if code.co_argcount > self.call.__code__.co_argcount:
            self.call.__defaults__, self.call.__code__ = defaults, code
        else:
            self.call.__code__, self.call.__defaults__ = code, defaults

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
            if fits is not None:  # the newest first
                found[key] = ((fits, *kept[:3]), *found.get(key, ())[: _FORMS - 1])
            elif form.looks_up:
                found[key] = self._counted(form, key, found, kept), kept.sig, kept.finish
            else:
                found[key] = kept[:3]

    def _counted(
        self, form: Form, key: tuple[Any, ...], place: dict[Any, Any], kept: Kept, left: int = _WARM
    ) -> Callable[..., Any]:
        """Return a function that runs what is kept. After some calls the form's code compares with this one first."""
        entry, told = ref(self), form.told  # a table is kept, and must not keep the entry or a form

        def run(*data: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0 and (owner := entry()) is not None:
                owner._put_first(told, key, place, kept)
            return kept.run(*data)

        return run

    def _put_first(self, told: Any, key: tuple[Any, ...], place: dict[Any, Any], kept: Kept) -> None:
        with self._lock:
            form, values = self._forms.get(told), kept[:3]
            if key not in place or form is None:
                return  # it is forgotten
            place[key] = values
            direct = kept.direct() if kept.direct is not None else None
            names = Names({}, self._made)
            missed = partial(self._missed, form, key, place, kept)
            form.code, form.misses = form.first(key, place, values, direct, missed, names), 0
            self._made = names.made
            self._names.update(names.objects)
            if self._first is form:
                self._use(form.code)
            for name in form.own:
                del self._names[name]
            form.own = [*names.objects]

    def _missed(self, form: Form, key: tuple[Any, ...], place: dict[Any, Any], kept: Kept) -> None:
        """Note that what the code of a form computes was of no use. Where that goes on, all calls are looked up for a
        while."""
        with self._lock:
            form.misses += 1
            if form.misses != _MISSES:
                return
            form.code = form.call.__code__
            if self._first is form:
                self._use(form.code)
            if key in place:
                after = _AGAIN << min(form.given_up, 20)
                place[key] = self._counted(form, key, place, kept, after), kept.sig, kept.finish
            form.given_up += 1

    def _form(
        self,
        args: tuple[Any, ...],
        kw: dict[str, Any],
        inputs: tuple[int, ...],
        whole: frozenset[int],
        how: tuple[bool, bool, bool, bool],
    ) -> Form:
        """Return the form of a call, made when it is met for the first time.

        Parameters
        ----------
        how: whether `keep` is given `fits`, and its parameters `listed`, `compares` and `handed`.
        """
        form = Form(args, kw, inputs, whole, how, Names({**self._names}, self._made))
        count = (len(args), *kw)
        known = self._forms.get(form.told)
        if known is not None:
            if known not in self._by_count.get(count, ()):  # it looks at no argument by keyword
                self._by_count[count] = (*self._by_count.get(count, ()), known)
            return known
        if len(self._forms) >= _FORMS:
            self._forget()
        form.write()
        self._names.update({key: x for key, x in form.objects.items() if key not in self._names})
        self._made = form.number + 1
        self._forms[form.told] = form
        self._by_count[count] = (*self._by_count.get(count, ()), form)
        if self._first is None:
            self._begin_with(form)
        return form
