"""The text of a dispatcher that remembers: for a signature, and the parameters that are arrays or lists of them."""

from __future__ import annotations

from functools import cache
from inspect import CO_VARARGS
from types import CodeType
from typing import Any, NamedTuple

from ...core.registry import MISSING

__all__ = ["NUMBERS", "First", "Met", "Signature", "code_of", "is_list", "is_one", "kind_of", "met"]

#: The types of numbers that have a key by type where they are operands.
NUMBERS = (int, float, complex)


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
                    key.append((kind, tuple(x), tuple(map(type, x))))
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


class First(NamedTuple):
    """The first call that is kept, which the code compares others with before it looks one up.

    Attributes
    ----------
    kinds: for each of `Met.arrays` None of an array, else the type of a number.
    values: the parameters whose argument is no default, and is compared by value.
    objects: those whose argument is compared by identity.
    look: "", or what is compared of arrays besides: "ranks" or "shapes".
    tuples: those of `values` that are tuples, each with its length. Their elements are of type int.
    """

    kinds: tuple[type | None, ...] = ()
    values: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    look: str = ""
    tuples: tuple[tuple[str, int], ...] = ()


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
def code_of(s: Signature, met: Met, optional: frozenset[str], first: First | None = None) -> CodeType:
    """Return the code of a dispatcher for this signature, which looks up calls of the kinds in `met`.

    Parameters
    ----------
    optional: the names of the parameters that have defaults. The code reads each default as `default_name`.
    first: the first call that is kept; None before there is one.
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
        look = [*_compared(s, met, optional, first), *_look_up(s, met, optional)]
        lines += ["    try:", *[f"        {line}" for line in look], "    except Exception:"]
        lines += ["        pass"]
    lines += [f"    return MISSED(({args}), {{{kw}}}, OTHERS)"]
    made: dict[str, Any] = {}
    exec(compile("\n".join(lines), f"<a dialect's function of {', '.join(s.all)}>", "exec"), made)
    code: CodeType = made["call"].__code__
    return code


def _compared(s: Signature, met: Met, optional: frozenset[str], first: First | None) -> list[str]:
    """Return the lines that compare a call with the first one that was kept."""
    if first is None:
        return []
    names = [n for n in s.all if n in met.arrays]
    kinds = [*zip(names, first.kinds, strict=True)]
    arrays = [n for n, kind in kinds if kind is None]
    checks = [f"type({n}) is {'ARRAY' if kind is None else kind.__name__}" for n, kind in kinds]
    checks += [f"{n}._sig is first_{n}" for n in arrays]
    checks += [f"type({n}) is type_{n} and {n} == first_{n}" for n in s.all if n in first.values]
    checks += [f"type({n}[{i}]) is int" for n, count in first.tuples for i in range(count)]
    checks += [f"{n} is first_{n}" for n in s.all if n in first.objects]
    compared = (*names, *first.values, *first.objects)
    checks += [f"{n} is default_{n}" for n in s.all if n not in compared]
    if first.look:
        of = "len({}._data.shape)" if first.look == "ranks" else "{}._data.shape"
        checks += [f"{of.format(n)} == look_{n}" for n in arrays]
    data = ", ".join([f"{n}._data" if kind is None else n for n, kind in kinds])
    return [
        f"if {' and '.join([*checks, 'GET() is policy'])} and not OTHERS:",
        "    T = NEW(ARRAY)",
        f"    T._data = run({data})",
        "    T._sig = result",
        "    T._held = None",
        "    return T",
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


def _look_up(s: Signature, met: Met, optional: frozenset[str]) -> list[str]:
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
                f"        K{i} = K{i}, tuple({n}), tuple(map(type, {n}))",
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
                options += [n] if n in optional else []
                continue
            flat = f"tuple(map(tuple, {n}))" if n in met.rows else f"tuple({n})" if n in met.numbers else ""
            statics.append((n, [f"({flat} if type({n}) is list else {n})" if flat else n, _kind(n, rest=n == s.rest)]))
            if n in optional:
                options.append(n)
    whole = ", ".join([*key, *(part for _, parts in statics for part in parts)]) or "()"
    if options and len(options) < len(s.all):  # most calls have no option: half of the time
        bare = ", ".join([*key, *(part for n, parts in statics for part in parts if n not in options)])
        lines += [
            f"if {' and '.join(f'{n} is default_{n}' for n in options)}:",
            f"    RUN, SIG, VIEW, FULL = BARE[GET()][{bare}]",
            "else:",
            f"    RUN, SIG, VIEW, FULL = KERNELS[GET()][{whole}]",
        ]
    else:
        lines += [f"RUN, SIG, VIEW, FULL = KERNELS[GET()][{whole}]"]
    first = next((n for n in s.all if n in met.arrays), "")
    itself = next((n if n in met.arrays else f"{n}[0]" for n in s.all if n in met.arrays or n in met.lists), "")
    source = f"{first}._array"
    names = [n for n, _ in statics]
    return [
        *lines,
        f"D = RUN({', '.join([*data, *names])}) if FULL else RUN({', '.join(data)})",
        "if SIG is None:",
        *(["    if VIEW is SELF:", f"        return {itself}"] if itself else []),
        *([f"    if VIEW and {first}._array._sig.immutable:", f"        LINK(D, {source})"] if first else []),
        "    if type(D) is OURS:",
        "        return WRAPPED(ARRAY, D)",
        "    if type(D) is tuple or type(D) is list:",
        "        return type(D)([WRAPPED(ARRAY, X) if type(X) is OURS else GIVEN(X) for X in D])",
        "    return GIVEN(D)",
        "T = NEW(ARRAY)",
        "T._data = D",
        "T._sig = SIG",
        "T._held = None",
        *(["if VIEW and SIG.immutable:", f"    LINK(T._array, {source})"] if first else []),
        "return T",
    ]
