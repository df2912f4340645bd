"""The text of a dispatcher that remembers: for a signature, and the parameters that are arrays or lists of them."""

from __future__ import annotations

import re
from functools import cache
from inspect import CO_VARARGS
from types import CodeType
from typing import Any, NamedTuple

from ...core.registry import MISSING

__all__ = [
    "NUMBERS", "Form", "Met", "OneCall", "Signature", "code_of", "is_list", "is_one", "kind_of", "looked_up", "met",
    "part_of", "same",
]  # fmt: skip

#: The types of numbers that have a key by type where they are operands.
NUMBERS = (int, float, complex)
#: The most elements of a list that a form compares one by one.
MOST_PARTS = 4


#: The texts of what is looked up of a native array.
_LOOKS = {"ranks": "len({}.shape)", "ranks by name": "{}.ndim", "shapes": "tuple({}.shape)"}
#: What the text of a call names: a native argument, or an element of one; another argument; another object.
_WORD = re.compile(r"\bd_(?P<data>\w+)(?:\[(?P<index>\d+)\])?|\bs_(?P<other>\w+)|\b[a-z]\d+\b(?!=)")


class Signature(NamedTuple):
    """The parameters of a function.

    Attributes
    ----------
    positional: the number of names that are positional-only.
    names: the parameters that may be given by position.
    by_name: the keyword-only parameters.
    rest: the name of ``*args``; empty where there is none.
    """

    positional: int
    names: tuple[str, ...]
    by_name: tuple[str, ...]
    rest: str

    @classmethod
    def of(cls, code: CodeType) -> Signature:
        names = code.co_varnames
        count = code.co_argcount + code.co_kwonlyargcount
        rest = names[count] if code.co_flags & CO_VARARGS else ""
        return cls(code.co_posonlyargcount, names[: code.co_argcount], names[code.co_argcount : count], rest)

    def defaults(self, f: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the defaults of a function of this signature, `MISSING` for a parameter that has none."""
        own = f.__defaults__ or ()
        first = (MISSING,) * (len(self.names) - len(own))
        return (*first, *own), dict.fromkeys(self.by_name, MISSING) | (f.__kwdefaults__ or {})

    def given(self, args: tuple[Any, ...], kw: dict[str, Any], defaults: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments that are not the defaults; the arguments after a default one are by name."""
        by_position, by_name = defaults
        left_out = [i for i, (x, own) in enumerate(zip(args, by_position, strict=False)) if x is own]
        first = left_out[0] if left_out and len(args) <= len(self.names) else len(args)
        later = [
            (n, x) for i, (n, x) in enumerate(zip(self.names, args, strict=False)) if i > first and i not in left_out
        ]
        return args[:first], dict(later) | {n: x for n, x in kw.items() if x is not by_name[n]}

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all parameters, in the order in which the text passes them."""
        return (*self.names, *self.by_name, *([self.rest] if self.rest else []))

    def bound(self, args: tuple[Any, ...], kw: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments by name, as the text passes them to ``MISSED``."""
        bound = dict(zip(self.names, args, strict=False)) | kw
        return bound | ({self.rest: args[len(self.names) :]} if self.rest else {})

    def key(self, bound: dict[str, Any], met: Met, array: Any, defaults: dict[str, Any]) -> tuple[bool, Any]:
        """Return whether a call belongs in the table of calls without options, and its key in the table."""
        key: list[Any] = []
        statics: list[Any] = []
        given = [n for n in self.all if n not in met.lists and n not in met.arrays]
        options = [n for n in given if n in defaults]
        bare = bool(options) and all(bound[n] is defaults[n] for n in options) and len(options) < len(self.all)
        for n in self.all:
            x = bound[n]
            if n in met.lists:
                listed = [c._array._sig if type(c) is array else (type(c), c) for c in x]
                key.append((type(x), *listed))
            elif n in met.arrays:
                kind = type(x)
                if n in met.data and kind in (list, tuple):
                    key.append((kind, *map(type, x)))
                else:
                    key.append(x._array._sig if kind is array else kind if kind in NUMBERS else (kind_of(x), x))
            elif bare and n in options:
                pass
            elif n in met.data and type(x) in (list, tuple):
                statics += [(tuple(x), tuple(map(type, x))), type(x)]
            elif n in met.rows and type(x) is list:
                statics += [tuple(map(tuple, x)), kind_of(x)]
            elif n in met.numbers and type(x) is list:
                statics += [tuple(x), kind_of(x)]
            else:
                statics += [x, kind_of(x)]
        key += statics
        return bare, key[0] if len(key) == 1 else tuple(key)


class Met(NamedTuple):
    """The kinds of a function's arguments in the calls so far, by parameter name.

    Attributes
    ----------
    any: whether there was a call.
    arrays: the parameters that were arrays, or numbers that were only operands.
    lists: the parameters that were lists of arrays.
    numbers, rows: the parameters that were lists of numbers, and lists of such lists.
    data: the parameters that were lists or tuples of numbers that arrays are made of.
    """

    any: bool = False
    arrays: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    rows: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()

    def joined(self, other: Met) -> Met:
        return Met(True, *[a | b for a, b in zip(self[1:], other[1:], strict=True)])


class Form(NamedTuple):
    """A form of calls, which the code compares others with before it looks one up.

    Attributes
    ----------
    number: the number of the form, a part of the names that its text reads.
    given: the parameters whose argument is not the default, and what their argument has to be: ``("array", i)`` with
        this signature, ``("is", i)`` this object, ``("number", kind)`` an operand, ``("value", kind)`` whose value is
        looked up, ``("each", kind, ...)`` a list or tuple of such.
    look: "", or what is looked up of arrays besides: "ranks", "ranks by name" where native arrays have `ndim`, or
        "shapes".
    full: whether the function that is kept takes all arguments.
    result: "array" where it gives the native array of one; "first" where the result is the first array; the number
        of arrays where it gives a list or tuple of them; 0 elsewhere.
    call: the text of the one call that it makes, in the place of the function; "" where it makes others.
    asks: whether the framework may have another device in force, for which the call is another one.
    """

    number: int
    given: tuple[tuple[str, tuple[Any, ...]], ...]
    look: str
    full: bool
    result: str | int
    call: str = ""
    asks: bool = False


class OneCall(NamedTuple):
    """The one call that a body makes.

    Attributes
    ----------
    text: the call. It names the native arrays ``d_name`` and the other arguments ``s_name``.
    names: the objects by their other names.
    asks: whether the framework may have another device in force, for which the call is another one.
    """

    text: str
    names: dict[str, Any]
    asks: bool

    def of_form(self, given: dict[str, tuple[Any, ...]], bound: dict[str, Any], objects: list[Any]) -> str:
        """Return the text with the parameters in the place of what is equal to an argument that is looked up by value.

        Parameters
        ----------
        given: the parts of the form by parameter.
        objects: gets the other objects that the text names.
        """
        values: list[tuple[str, Any]] = []

        def gather(part: tuple[Any, ...], text: str, x: Any) -> None:
            if part[0] == "value":
                values.append((text, x))
            elif part[0] == "each":
                if _is_flat(part):
                    values.append((text if part[1] is tuple else f"tuple({text})", tuple(x)))
                for i, (inner, child) in enumerate(zip(part[2:], x, strict=True)):
                    gather(inner, f"{text}[{i}]", child)

        for n, part in given.items():
            gather(part, n, bound[n])

        def written(name: re.Match[str]) -> str:
            if name["data"]:
                return _data_text(given.get(name["data"]), name["data"], name["index"])
            if name["other"]:
                return name["other"]
            x = self.names[name[0]]
            for text, value in values:
                if same(x, value):
                    return text
            objects.append(x)
            return f"{{}}_{len(objects) - 1}"

        return _WORD.sub(written, self.text)


def same(x: Any, other: Any) -> bool:
    """Tell whether two objects are the same to every function."""
    return x is other or (is_one(x) and kind_of(x) == kind_of(other) and x == other)


def _data_text(part: tuple[Any, ...] | None, n: str, index: str | None = None) -> str:
    """Return the text of a native argument: of an array, a list of such, or what is none.

    Parameters
    ----------
    part: the argument as a form describes it; None where it is the default.
    index: the position of the element that is meant; None for the whole argument.
    """
    if index is not None:
        assert part is not None
        return _data_text(part[2:][int(index)], f"{n}[{index}]")
    if part is not None and _holds_arrays(part):
        return f"[{', '.join(_data_text(inner, f'{n}[{i}]') for i, inner in enumerate(part[2:]))}]"
    return f"{n}._data" if part is not None and part[0] == "array" else n


def is_list(x: Any, array: type) -> bool:
    """Tell whether an argument is a list or tuple with arrays in it."""
    return type(x) in (list, tuple) and any(type(child) is array for child in x)


def kind_of(x: Any) -> Any:
    """Return the type of an argument, of a list or tuple the type of each element too: ``(2.0, 2)`` equals ``(2, 2)``,
    and is refused where that is taken."""
    kind = type(x)
    if kind is not tuple and kind is not list:
        return kind
    return kind, *map(kind_of, x)


def is_one(x: Any) -> bool:
    """Tell whether an argument that equals this one, and is of the same type, is the same to every function."""
    if type(x) is tuple:
        return all(type(child) is int for child in x)
    return type(x) in (int, bool, str, type(None)) or (type(x) is float and x != 0 and x == x)


def part_of(x: Any, array: type, operand: bool, objects: list[Any]) -> tuple[Any, ...] | None:
    """Describe an argument as `Form` does; None where a form cannot compare it.

    Parameters
    ----------
    operand: whether a number is only an operand, so that its type alone counts.
    objects: gets the signatures and objects that are compared by identity.
    """
    kind = type(x)
    if kind is list or kind is tuple:
        parts = [part_of(child, array, operand, objects) for child in x]
        return None if None in parts or len(parts) > MOST_PARTS else ("each", kind, *parts)
    if operand and (kind in NUMBERS or kind is bool):
        return "number", kind
    if kind is int or kind is str or kind is float:
        return ("value", kind) if is_one(x) else None
    if kind is complex:
        return None
    objects.append(x._array._sig if kind is array else x)
    return "array" if kind is array else "is", len(objects) - 1


def looked_up(form: Form, bound: dict[str, Any]) -> Any:
    """Return what a call of a form is looked up by; None where there is one call of the form."""
    found: list[Any] = []

    def read(part: tuple[Any, ...], x: Any) -> None:
        if part[0] == "array" and form.look:
            shape = tuple(x._array._data.shape)
            found.append(shape if form.look == "shapes" else len(shape))
        elif part[0] == "value":
            found.append(x)
        elif _is_flat(part):
            found.append(tuple(x))
        elif part[0] == "each":
            for inner, child in zip(part[2:], x, strict=True):
                read(inner, child)

    for n, part in form.given:
        read(part, bound[n])
    return None if not found else found[0] if len(found) == 1 else tuple(found)


def _holds_arrays(part: tuple[Any, ...]) -> bool:
    """Tell whether a part of a form is a list or tuple with arrays in it."""
    return part[0] == "each" and any(inner[0] == "array" for inner in part[2:])


def _is_flat(part: tuple[Any, ...]) -> bool:
    """Tell whether a part of a form is a list or tuple of values alone."""
    return part[0] == "each" and len(part) > 2 and all(inner[0] == "value" for inner in part[2:])


def met(bound: dict[str, Any], array: type, by_type: frozenset[str], *, data: bool = False) -> Met:
    """Describe the arguments of a call by name.

    Parameters
    ----------
    by_type: the parameters whose argument is a number that is only an operand.
    data: whether an array is made of the numbers in lists and tuples.
    """
    lists = {n: x for n, x in bound.items() if type(x) is list and not is_list(x, array)}
    rows = {n for n, x in lists.items() if any(isinstance(row, (list, tuple)) for row in x)}
    return Met(
        True,
        frozenset(n for n, x in bound.items() if type(x) is array) | by_type,
        frozenset(n for n, x in bound.items() if is_list(x, array)),
        frozenset(lists.keys() - rows),
        frozenset(rows),
        frozenset(n for n, x in bound.items() if data and type(x) in (list, tuple) and not is_list(x, array)),
    )


@cache
def code_of(s: Signature, met: Met, defaults: tuple[tuple[str, str], ...], forms: tuple[Form, ...] = ()) -> CodeType:
    """Return the code of a dispatcher for this signature, which looks up calls of the kinds in `met`.

    Parameters
    ----------
    defaults: the parameters that have defaults, each with the text of the default.
    forms: the forms of the first calls that are kept.
    """
    parameters = [f"{n}=0" for n in s.names]  # the function has its own defaults
    if s.positional:
        parameters.insert(s.positional, "/")
    parameters += [f"*{s.rest}"] if s.rest else ["*"] if s.by_name else []
    parameters += [*(f"{n}=0" for n in s.by_name), "**OTHERS"]
    args = "".join(f"{n}, " for n in s.names) + (f"*{s.rest}," if s.rest else "")
    kw = ", ".join(f"'{n}': {n}" for n in s.by_name)
    lines = [f"def call({', '.join(parameters)}):"]
    if met.any:
        look = [*_compared(s, met, dict(defaults), forms), *_look_up(s, met, dict(defaults))]
        lines += ["    try:", *[f"        {line}" for line in look], "    except Exception as error:"]
        lines += ["        if is_signal(error):", "            raise"]
    lines += [f"    return MISSED(({args}), {{{kw}}}, OTHERS)"]
    made: dict[str, Any] = {}
    exec(compile("\n".join(lines), f"<a dialect's function of {', '.join(s.all)}>", "exec"), made)
    code: CodeType = made["call"].__code__
    return code


def _compared(s: Signature, met: Met, defaults: dict[str, str], forms: tuple[Form, ...]) -> list[str]:
    """Return the lines that compare a call with the forms of the first calls that were kept."""
    if not forms:
        return []
    lines = [line for form in forms for line in _of_form(s, met, defaults, form)]
    return ["if GET() is policy and not OTHERS:", *(f"    {line}" for line in lines)]


def _of_form(s: Signature, met: Met, defaults: dict[str, str], form: Form) -> list[str]:
    """Return the lines that compare a call with one form, and run what is kept for it."""
    i, given = form.number, dict(form.given)
    checks: list[str] = []
    key: list[str] = []

    def compare(part: tuple[Any, ...], text: str) -> None:
        """Add the checks of an argument, and what it is looked up by."""
        what = part[0]
        if what == "is":
            checks.append(f"{text} is O{i}_{part[1]}")
            return
        if what == "array":
            checks.extend([f"type({text}) is ARRAY", f"{text}._sig is O{i}_{part[1]}"])
            if form.look:
                key.append(_LOOKS[form.look].format(f"{text}._data"))
            return
        if text != s.rest:
            checks.append(f"type({text}) is {part[1].__name__}")
        if what == "value":
            key.append(text)
        if what == "each":
            checks.append(f"len({text}) == {len(part) - 2}")
            before = len(key)
            for k, inner in enumerate(part[2:]):
                compare(inner, f"{text}[{k}]")
            if _is_flat(part):
                key[before:] = [text if part[1] is tuple else f"tuple({text})"]

    for n, part in form.given:
        compare(part, n)
    checks += [f"{n} is {defaults[n]}" for n in s.all if n not in given]
    if form.asks:
        checks.append("not DIALECT.elsewhere")
    of_arrays = [n for n in s.all if n in met.arrays or n in met.lists]
    by = key[0] if len(key) == 1 else f"({', '.join(key)})"
    if form.call:
        run = form.call.replace("{}", f"O{i}")
        checks += [f"{by} in F{i}"] if key else []
    else:
        arguments = [_data_text(given.get(n), n) for n in of_arrays]
        if form.full:
            arguments += [n for n in s.all if n not in of_arrays]
        run = f"{'RUN' if key else f'F{i}'}({', '.join(arguments)})"
        checks += [f"(RUN := F{i}.get({by})) is not None"] if key else []
    lines = [f"D = {run}"]
    if form.result == "array":
        lines = ["T = NEW(ARRAY)", f"T._data = {run}", f"T._sig = S{i}", "T._held = None", "return T"]
    elif form.result == "first":
        lines += [f"return {next(n if n in met.arrays else f'{n}[0]' for n in of_arrays)}"]
    elif form.result:
        each = [f"WRAPPED(ARRAY, D[{k}])" for k in range(int(form.result))]
        whole = f"[{', '.join(each)}]"
        lines += ["if type(D) is list:", f"    return {whole}", f"return ({', '.join(each)},)"]
    else:
        lines += _wrapped()
    return [f"if {' and '.join(checks)}:", *(f"    {line}" for line in lines)]


def _wrapped() -> list[str]:
    """Return the lines that return what is no native array of one result."""
    return [
        "if type(D) is OURS:",
        "    return WRAPPED(ARRAY, D)",
        "if type(D) is tuple or type(D) is list:",
        "    return type(D)([WRAPPED(ARRAY, X) if type(X) is OURS else GIVEN(X) for X in D])",
        "return GIVEN(D)",
    ]


def _kind(n: str, *, rest: bool = False) -> str:
    """Return the text of `kind_of`: a call of it only where a list or tuple holds another one.

    Parameters
    ----------
    rest: whether it is ``*shape``, which may hold one tuple: ``x.reshape((2, 3))``.
    """
    others = "tuple not in (X := (*map(type, {}),)) and list not in X"
    flat = f"(type({n}), *X) if {others.format(n)} else KIND({n})"
    if not rest:
        return f"(({flat}) if type({n}) is tuple or type({n}) is list else type({n}))"
    one = f"len({n}) == 1 and type({n}[0]) is tuple and {others.format(f'{n}[0]')}"
    return f"((tuple, (tuple, *X)) if {one} else {flat})"


def _look_up(s: Signature, met: Met, defaults: dict[str, str]) -> list[str]:
    lines = ["if OTHERS:", "    raise LookupError"]
    key, data, statics, options = [], [], [], []
    for i, n in enumerate(s.all):
        if n in met.lists:
            lines += [
                f"if type({n}) is not list and type({n}) is not tuple:",
                "    raise LookupError",
                f"K{i} = [type({n})]",
                f"D{i} = []",
                f"for X in {n}:",
                "    if type(X) is ARRAY:",
                "        H = X._held if X._sig is HELD else X",
                f"        K{i}.append(H._sig)",
                f"        D{i}.append(H._data)",
                "    else:",
                f"        K{i}.append((type(X), X))",
                f"        D{i}.append(X)",
            ]
            key.append(f"tuple(K{i})")
            data.append(f"D{i}")
        elif n in met.arrays:
            lines += [
                f"if type({n}) is ARRAY:",
                f"    H = {n}._held if {n}._sig is HELD else {n}",
                f"    D{i} = H._data",
                f"    K{i} = H._sig",
                "else:",
                f"    D{i} = {n}",
                f"    K{i} = type({n})",
                f"    if {n in met.data} and (K{i} is list or K{i} is tuple):",
                f"        K{i} = K{i}, *map(type, {n})",
                f"    elif K{i} not in NUMBERS:",
                f"        K{i} = {_kind(n)}, {n}",
            ]
            key.append(f"K{i}")
            data.append(f"D{i}")
        else:
            if n in met.data:
                of_types = f"(tuple({n}), tuple(map(type, {n})))"
                either = f"type({n}) is list or type({n}) is tuple"
                statics.append((n, [f"({of_types} if {either} else {n})", f"type({n})"]))
                options += [n] if n in defaults else []
                continue
            flat = f"tuple(map(tuple, {n}))" if n in met.rows else f"tuple({n})" if n in met.numbers else ""
            statics.append((n, [f"({flat} if type({n}) is list else {n})" if flat else n, _kind(n, rest=n == s.rest)]))
            if n in defaults:
                options.append(n)
    whole = ", ".join([*key, *(part for _, parts in statics for part in parts)]) or "()"
    if options and len(options) < len(s.all):  # most calls have no option: half of the time
        bare = ", ".join([*key, *(part for n, parts in statics for part in parts if n not in options)])
        lines += [
            f"if {' and '.join(f'{n} is {defaults[n]}' for n in options)}:",
            f"    RUN, SIG, VIEW, FULL = BARE[GET()][{bare}]",
            "else:",
            f"    RUN, SIG, VIEW, FULL = KERNELS[GET()][{whole}]",
        ]
    else:
        lines += [f"RUN, SIG, VIEW, FULL = KERNELS[GET()][{whole}]"]
    first = next((n for n in s.all if n in met.arrays), "")
    itself = next((n if n in met.arrays else f"{n}[0]" for n in s.all if n in met.arrays or n in met.lists), "")
    linked = f"{first}._array, {_how(s, met)}"
    names = [n for n, _ in statics]
    return [
        *lines,
        f"D = RUN({', '.join([*data, *names])}) if FULL else RUN({', '.join(data)})",
        "if SIG is None:",
        *(["    if VIEW is SELF:", f"        return {itself}"] if itself else []),
        *([f"    if VIEW and {first}._array._sig.immutable:", f"        LINK(D, {linked})"] if first else []),
        *(f"    {line}" for line in _wrapped()),
        "T = NEW(ARRAY)",
        "T._data = D",
        "T._sig = SIG",
        "T._held = None",
        *(["if VIEW and SIG.immutable:", f"    LINK(T._array, {linked})"] if first else []),
        "return T",
    ]


def _how(s: Signature, met: Met) -> str:
    """Return the text of how a view is made of the first argument: the function, and its other arguments.

    It is None where these may be arrays, which a view is not to keep alive.
    """
    first = next(iter(s.all))
    if met.arrays != {first} or met.lists:
        return "None"
    args = "".join([f"{n}, " for n in s.names[1:]] + ([f"*{s.rest}, "] if s.rest and s.rest != first else []))
    by_name = ", ".join([f"{n!r}: {n}" for n in s.by_name])
    return f"FUNCTION, ({args}), {{{by_name}}}"
