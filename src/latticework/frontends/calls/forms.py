"""Which options of a framework's function are options of ours under another name, and in which order they are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["NO_FORMS", "Forms"]

#: What the dialects' functions call our options, and the type of the values that mean the same in both.
_WORDS: Mapping[str, tuple[str, type]] = {
    "axis": ("axis", int), "dim": ("axis", int), "keepdims": ("keepdims", bool), "keepdim": ("keepdims", bool),
}  # fmt: skip


class Forms:
    """The forms of the calls of one function: how its options are given, and what each of them is in ours.

    A form is the number of options that are given by position, and the names of the others. It is known from the first
    call of that form on.

    Attributes
    ----------
    bare: what a kernel without options is kept under; None where a call without options is another one in ours.
    words: of an option that is given alone, what the kernel is kept under, our name, and the type of the value.
    first: the name of the option that comes first by position.
    """

    def __init__(self, positional: tuple[str, ...] = (), *, typed: bool = False, bare: bool = True) -> None:
        """Know the options of a function.

        Parameters
        ----------
        positional: the names of the parameters after the arrays that may be given by position.
        typed: whether our kernels are kept by the option `dtype` too.
        bare: whether a call without options is one of ours without options.
        """
        self._positional, self._typed = positional, typed
        self.bare = 0 if bare else None
        self._of: dict[Any, Any] = {}
        self.first = positional[:1]
        self.words = {word: (self._last((name,)), name, kind) for word, (name, kind) in _WORDS.items()}

    def _last(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        """What the kernel of a call with these options is kept under."""
        return (None, 0, *names) if self._typed else (0, *names)

    def options(self, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """What our kernel of a call of this form is kept under, and the options by our names.

        Raises
        ------
        LookupError: an option is not one of ours, or has a value that may mean something else.
        """
        form = (len(args), *kw) if kw else len(args)
        found = self._of.get(form)
        if found is None:
            found = self._of[form] = self._found(args, kw)
        last, names, types, same = found
        if same:  # all by name, and these are ours
            for name, value in kw.items():
                if type(value) is not types[name]:
                    raise LookupError
            return last, kw
        options = {}
        for name, value in zip(names, (*args, *kw.values()), strict=True):
            if type(value) is not types[name]:
                raise LookupError
            options[name] = value
        return last, options

    def _found(self, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        words = (*self._positional[: len(args)], *kw)
        if len(words) != len(args) + len(kw):
            raise LookupError
        ours = [_WORDS[word] for word in words]
        names = tuple([name for name, _ in ours])
        return self._last(names), names, dict(ours), names == tuple(kw)


class _NoForms(Forms):
    """The forms of a function whose options are none of ours."""

    def options(self, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        raise LookupError


NO_FORMS: Forms = _NoForms()
