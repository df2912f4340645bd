"""The study of one call of a dialect's function: which kernels its body runs, and what it looks at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from inspect import signature, unwrap
from math import inf, nan
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

import latticework

from ...api import creation
from ...api.inference import Spec
from ...backend import get
from ...core.registry import declaration_of
from ...engine.arrays.array import Array
from ...engine.arrays.array import wrapped as as_array
from ...engine.functions.without_data import forget_data, stand_in
from ...policy import TABLES, active, call_under, current, forget
from .cache import SELF, DialectKernels, Note, Notes, notes
from .text import NUMBERS, OneCall, is_list, is_one, met
from .within import Inner, Ran

if TYPE_CHECKING:
    from .remembered import Remembered

__all__ = ["Look", "Study"]

#: Methods that read the values of an array. A body that calls one may depend on the values.
_CONVERSIONS = frozenset(f.__code__ for f in (Array.__bool__, Array.__int__, Array.item, Array.tolist, Array.__array__))
#: Methods and properties that read the rank of an array, all but the first its extents too.
_RANKS: tuple[CodeType, ...] = tuple(
    getattr(f, "fget", f).__code__
    for f in map(Array.__dict__.__getitem__, ("ndim", "shape", "size", "__len__", "__iter__"))
)
#: What is called where an `Array` is written to.
_WRITES = frozenset((Array.__setitem__.__code__, forget_data.__code__))
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial)
#: The beginning of a place that holds None.
_NONE = ("constant", type(None))
#: The folders of the dialects' code, and of the code that only carries calls.
_FRONTENDS, _CALLS = str(Path(__file__).parents[1]), str(Path(__file__).parent)
#: The types of the numbers that an array may be made of.
_DATA = (bool, int, float, complex)
#: The code that runs latticework's functions: what these read of arrays is theirs.
_RUN = call_under.__code__
#: The most numbers in a list whose values are not looked at.
_FEW = 64
#: Numbers that a body may treat differently from others.
_SAMPLES: dict[type, tuple[Any, ...]] = {
    bool: (True, False),
    int: (0, 1, 2, 3, -1, -2),
    float: (0.5, 0.0, 1.0, 2.0, -1.5, inf, -inf, nan),
    complex: (0j, 1j, 1 + 0j, -2j),
}


class _RefusedError(Exception):
    """A body makes a call that is not kept."""


class Look(NamedTuple):
    """What a body looked at besides the signatures of arrays and the arguments that are no arrays.

    Attributes
    ----------
    ranks, shapes: whether it looked at the ranks, and at the extents, of arrays.
    by_type: the parameters whose argument is a number, or a list of numbers, that is only an operand: its value was not
        looked at.
    data: whether it makes an array of numbers in lists or tuples, so that the type of each number counts.
    """

    ranks: bool
    shapes: bool
    by_type: frozenset[str]
    data: bool


def _with_first_names(program: Any, bound: dict[str, Any], array: type) -> Any:
    """Return the program with one name for an array that is the argument of several parameters."""
    first: dict[int, str] = {}
    names = {n: first.setdefault(id(x), n) if type(x) is array else n for n, x in bound.items()}

    def renamed(x: Any) -> Any:
        if type(x) is tuple and x[:1] == ("argument",):
            return ("argument", names[x[1]], *x[2:])
        return type(x)([renamed(child) for child in x]) if type(x) in (list, tuple) else x

    steps, given, several = program
    return [(step.what, step.listed, *map(renamed, step[2:])) for step in steps], given, several


def _of_dialects(code: CodeType) -> bool:
    """Tell whether code is of a dialect, and not of what carries its calls."""
    return code.co_filename.startswith(_FRONTENDS) and not code.co_filename.startswith(_CALLS)


def _creates(note: Note) -> bool:
    """Tell whether a call is of a function that makes an array of what is no array."""
    if note.calls is not None:
        return note.calls.op.kind == "creation"
    of = note.function
    return note.policy is None or of is latticework.asarray or getattr(of, "__module__", "") == creation.__name__


@cache
def _defaults(f: Callable[..., Any]) -> dict[str, Any]:
    """Return the defaults of a function's options."""
    return {n: p.default for n, p in signature(f).parameters.items() if p.default is not p.empty}


def _without_defaults(note: Note) -> Note:
    """Return a call without the options that are the function's defaults, which its kernel then needs not read.

    The options that kernels take by name alone are given by name.
    """
    if note.calls is None:
        if not note.kw or getattr(latticework, getattr(note.function, "__name__", ""), None) is not note.function:
            return note
        own = _defaults(note.function)
        return note._replace(kw={n: x for n, x in note.kw.items() if x is not own.get(n, note)})
    o = note.calls.op
    if o.spread or o.dispatched not in ("with_options", "with_dtype", "view_with_options", "sequence"):
        return note
    defaults, args, last = _defaults(o.function), list(note.args), note.last
    while len(args) > note.operands and args[-1] is defaults.get(o.by_position[len(args) - note.operands - 1], note):
        args.pop()
    plain, by_name = o.by_names(tuple(args[note.operands :]))
    args[note.operands :] = plain
    kw = {n: x for n, x in (by_name | note.kw).items() if n == "dtype" or x is not defaults.get(n, note)}
    names = [n for n in kw if n != "dtype" or o.dispatched != "with_dtype"]
    count = len(args) - note.operands
    if o.dispatched == "with_dtype":
        dtype = note.kw.get("dtype")
        last = (dtype, count, *names) if count or names or dtype is not None else 0
    else:
        last = (count, *names) if names else count
    return note._replace(args=tuple(args), kw=kw, last=last)


def _is_data(x: Any) -> bool:
    """Tell whether an argument is a number, or a list or tuple of numbers."""
    return type(x) in _DATA or (type(x) in (list, tuple) and all(type(child) in _DATA for child in x))


def _numbers(constants: Any) -> Iterator[Any]:
    for x in constants:
        if type(x) is tuple:
            yield from _numbers(x)
        elif type(x) in NUMBERS and abs(x) < 2**31:
            yield x


def _arguments(place: Any) -> Iterator[Any]:
    """Return the arguments of the body in a tree of places."""
    if type(place) is tuple and place[:1] == ("argument",):
        yield place
    elif type(place) in (tuple, list):
        for child in place:
            yield from _arguments(child)


def _joined(without_data: Any, own: Any) -> Any:
    """Join two programs: places from the run without data, where each argument is another object, and constants from
    the run on the arguments, since devices belong to its backend."""
    if type(own) is tuple and own[:1] == ("constant",):
        return own
    if type(own) is tuple and own[:1] in (("argument",), ("result",)):
        return without_data
    if isinstance(own, (tuple, list)):
        parts = [_joined(a, b) for a, b in zip(without_data, own, strict=True)]
        return type(own)(*parts) if hasattr(own, "_fields") else type(own)(parts)
    return own


def _has_zero(x: Any) -> bool:
    """Return whether an argument contains the float 0.0 or -0.0."""
    return any(map(_has_zero, x)) if type(x) in (list, tuple) else isinstance(x, float) and not x


class Step(NamedTuple):
    """A call of a latticework function by a body: the function and its arguments.

    Attributes
    ----------
    what: the kernels, or the function where it has no kernels.
    listed: whether the operands are passed as one list.
    operands, rest, options: each argument is a tuple: ``("argument", name)`` and ``("argument", name, i)`` of a list,
        ``("result", step)`` and ``("result", step, i)`` of several, ``("constant", type, value)``.
    last: the form of the options, see `DialectKernels.call`.
    """

    what: Any
    listed: bool
    operands: tuple[Any, ...]
    rest: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...]
    last: Any


def _converts(step: Step) -> bool:
    """Tell whether a call makes an array of what may be numbers."""
    return step.what is latticework.asarray or (isinstance(step.what, Inner) and step.what.name == "asarray")


class Study:
    """A study of one call of a function: the calls that its body makes, and their dependencies."""

    def __init__(self, of: Remembered, args: tuple[Any, ...], kw: dict[str, Any], bound: dict[str, Any]) -> None:
        self.of, self.args, self.kw, self.bound = of, args, kw, bound
        self.dialect, self.array = of.dialect, of.dialect.array
        self.reads = self.ranks = self.extents = self.writes = False
        self.notes, self.inside = Notes(), 0
        self.found: list[tuple[int, Note]] = []
        self.told: list[tuple[int, Any, bool]] = []
        self.codes: set[CodeType] = set()
        self.has_arrays = any(True for _ in self.arrays())
        self.descends = self.extents_within = False
        self.several = 0

    def run(self) -> Any:
        """Run the body on its arguments, keep the kernels that it runs if possible, and return the result."""
        self.notes = Notes()
        result, found = self.noted(self.args, self.kw, self.notes)
        if found.of_state:  # to run the body again would change the state
            self.of.kept_nothing()
            return result
        ways = (
            [True, False] if any(note.within is not None and len(note.within.ran) == 1 for note in found) else [False]
        )
        for self.descends in ways:
            try:
                self.keep(result, found)
            except (_RefusedError, TypeError):
                continue
            return result
        self.of.kept_nothing()
        return result

    def keep(self, result: Any, found: Notes) -> None:
        """Keep the kernels that a run of the body has noted.

        Raises
        ------
        _RefusedError: the calls do not follow from what the key has.
        """
        self.extents_within = False
        own = self.read(found, result, self.bound)
        notes, told = self.found, self.told
        made = _with_first_names(own, self.bound, self.array)
        copies = any(step.what is latticework.asarray for step in own[0])
        # of an argument that is returned, or copied, no function checks the extents again
        shapes = self.extents and (copies or any(place[0] == "argument" for place in own[1]))
        shapes = shapes or self.extents_within
        program = self.without_data(self.bound, known=shapes)
        if program is None or _with_first_names(program, self.bound, self.array) != made:
            shapes = True
            program = self.without_data(self.bound, known=True)
            if program is None or _with_first_names(program, self.bound, self.array) != made:
                raise _RefusedError
        data = any(_converts(step) and not self.of_array(step) for step in own[0])
        if data and not all(_is_data(x) for x in self.bound.values() if type(x) in (list, tuple)):
            raise _RefusedError
        ranks = self.ranks or (self.has_arrays and any(isinstance(step.what, Inner) for step in own[0]))
        look = Look(ranks, shapes, self.by_type(made, shapes), data)
        entry, one = self.entry(_joined(program, own), notes, told, result, look)
        self.of.keep(self.bound, entry, look, one, self.several)
        self.of.fewest = min(self.of.fewest or len(found), len(found))

    def arrays(self) -> Iterator[Any]:
        for x in self.bound.values():
            if type(x) is self.array:
                yield x
            elif is_list(x, self.array):
                yield from (child for child in x if type(child) is self.array)

    def noted(self, args: tuple[Any, ...], kw: dict[str, Any], found: Notes) -> tuple[Any, Notes]:
        """Run the body, and note the calls that it makes.

        It runs under a policy of its own, equal to the one in force, and the dialect's calls under one equal to the
        dialect's. These policies have no kernels, so that each call takes the slow path, where it is noted.
        """
        policies, apart, own = self.dialect.policies, current().twin(), self.dialect.policy()
        inside = own.twin()
        of_class: Any = self.array
        binds, reads = of_class._bind.__code__, of_class._array.fget.__code__

        def sees(frame: Any, event: str, of: Any) -> None:
            code = frame.f_code
            if event != "call":
                if event == "c_call" and of is warn and found.within is not None:
                    found.within.more = True
                if event == "return" and code is _RUN:
                    self.inside -= 1
                return
            if found.within is not None:
                found.within.enters(code)
            if code in _CONVERSIONS:
                self.reads = self.reads or not (found.asking or self.inside)
            elif code is _RUN:
                self.inside += 1
            elif code in _WRITES or (code is binds and frame.f_back.f_code is not reads):
                self.writes = True
            elif code in _RANKS:
                if _of_dialects(frame.f_back.f_code):
                    self.ranks, self.extents = True, self.extents or code is not _RANKS[0]
            elif _of_dialects(code):
                self.codes.add(code)

        tokens = active.set(apart), notes.set(found)
        policies[apart] = inside
        sys.setprofile(sees)
        try:
            result = self.of.body(*args, **kw)
            found[:] = [note._replace(policy=own) if note.policy is inside else note for note in found]
            return result, found
        finally:
            sys.setprofile(None)
            active.reset(tokens[0])
            notes.reset(tokens[1])
            policies.pop(apart, None)
            forget(apart)
            forget(inside)

    def without_data(self, bound: dict[str, Any], *, known: bool) -> Any:
        """Return the calls that the body makes for arrays without data, whose extents are `known` or are not."""
        try:
            bound = {n: self.blank(x, known) for n, x in bound.items()}
            s = self.of.signature
            args = (*[bound[n] for n in s.names], *bound.get(s.rest, ()))
            answers = [value for *_, value in self.notes.told]
            result, found = self.noted(args, {n: bound[n] for n in self.kw}, Notes(answers))
            if len(found.told) != len(answers):
                return None
            return self.read(found, result, bound)
        except Exception:  # of an array that has no data, or because this is no framework's own
            return None

    def blank(self, x: Any, known: bool) -> Any:
        """Return an argument with arrays without data in the places of arrays."""
        if is_list(x, self.array):
            return type(x)([self.blank(child, known) for child in x])
        if type(x) is not self.array:
            return x
        a = x._array
        target = get(f"abstract:{a._sig.backend.name}")
        shape = a.shape if known else (None,) * a.ndim
        return self.dialect.wrapped(stand_in(Spec(shape, a.dtype, a.weak), target, str(a.device)))

    def by_type(self, program: Any, shapes: bool) -> frozenset[str]:
        """Return the parameters whose argument is a number, or a list of such, that the body only hands to kernels.

        The body runs without data on other numbers of the type: on some that are special, and on those that stand in
        its source. If it makes the same calls, it has not looked at the number.
        """
        steps = program[0]
        operands = {
            x[1]
            for step in steps
            for x in step[2]
            if x[0] == "argument" and (isinstance(step[0], DialectKernels | Inner) or step[0] is latticework.asarray)
        }
        elsewhere = {x[1] for step in steps for part in step[3:5] for x in _arguments(part)}
        candidates = [n for n in operands - elsewhere if type(self.bound[n]) in NUMBERS or self.is_list_of_data(n)]
        if not candidates:
            return frozenset()
        constants = [c for f in [unwrap(self.of.body).__code__, *self.codes] for c in _numbers(f.co_consts)]

        def same(n: str, value: Any) -> bool:
            bound = {**self.bound, n: value}
            found = self.without_data(bound, known=shapes)
            return found is not None and _with_first_names(found, bound, self.array) == program

        def samples(kind: type) -> Iterator[Any]:
            yield from _SAMPLES[kind]
            for c in constants if kind is not bool else ():
                if kind is complex or (type(c) is not complex and (kind is float or c == int(c))):
                    yield kind(c)

        def others(x: Any) -> Iterator[Any]:
            """Return the other numbers, or lists of numbers of the same types."""
            if type(x) in NUMBERS:
                yield from dict.fromkeys(samples(type(x)))
                return
            several = [[*dict.fromkeys(samples(type(child)))] for child in x]
            for i in range(max(map(len, several))):
                yield type(x)([own[(i + k) % len(own)] for k, own in enumerate(several)])

        return frozenset(n for n in candidates if all(same(n, x) for x in others(self.bound[n])))

    def is_list_of_data(self, n: str) -> bool:
        """Tell whether an argument is a list or tuple of some numbers."""
        x = self.bound[n]
        return type(x) in (list, tuple) and 0 < len(x) <= _FEW and _is_data(x)

    def read(self, found: Notes, result: Any, bound: dict[str, Any]) -> Any:
        """Describe the calls that a body made, and which of their results it returned.

        Raises
        ------
        _RefusedError: a call takes arrays that are neither arguments nor results, or it writes.
        """
        if self.reads:
            raise _RefusedError
        known: dict[int, tuple[Any, ...]] = {}
        for n, x in bound.items():
            if is_list(x, self.array):
                known |= {id(child): ("argument", n, i) for i, child in enumerate(x) if type(child) is self.array}
            elif type(x) is self.array or type(x) in _DATA or (type(x) in (list, tuple) and x and _is_data(x)):
                known.setdefault(id(x), ("argument", n))  # of one number twice, the first
        self.found = []
        arrays = {place for place in known.values() if len(place) > 2 or type(bound[place[1]]) is self.array}
        steps: list[Step] = []
        for i, whole in enumerate(found):
            k, note = len(steps), _without_defaults(whole)
            if note.calls is not None and note.calls.suffix:
                raise _RefusedError
            if not self.has_arrays and not self.creates(note):
                raise _RefusedError  # what a function without arrays gives may be its module's state
            same = known.get(id(note.result)) in arrays
            if same and (note.calls is not None or note.kw):
                raise _RefusedError
            converts = note.function is latticework.asarray and (note.policy is None or not self.has_arrays)
            if converts and known.get(id(note.args[0]), _NONE)[0] != "argument":
                raise _RefusedError  # numbers that are no argument may be its module's state
            what: Any = note.calls or note.function
            if self.descends:
                what, note = self.inner(what, note)
            self.found.append((i, note))
            operands, rest = note.args[: note.operands], note.args[note.operands :]
            o = None if note.calls is None else note.calls.op
            listed = o is not None and o.sequence and not o.spread
            steps.append(
                Step(
                    what,
                    o is not None and o.sequence,
                    tuple([self.place(x, known) for x in (operands[0] if listed else operands)]),
                    tuple([self.place(x, known) for x in rest]),
                    tuple([(n, self.place(x, known)) for n, x in note.kw.items()]),
                    note.last,
                )
            )
            if type(note.result) in (tuple, list):
                known |= {id(x): ("result", k, i) for i, x in enumerate(note.result)}
            if not same:  # it gives its argument as it is
                known[id(note.result)] = ("result", k)
        self.told = [(i, known.get(id(x)), value) for i, x, value in found.told]
        if any(place is None for _, place, _ in self.told):
            raise _RefusedError
        if type(result) is bool and self.told and result is self.told[-1][2]:
            return steps, [("constant", bool, result)], None
        if known.get(id(result)) in arrays and not self.writes:
            return steps, [known[id(result)]], None
        plain = type(result) in (tuple, list) or (isinstance(result, tuple) and hasattr(type(result), "_fields"))
        several = plain and id(result) not in known
        given = [known.get(id(x)) for x in result] if several else [known.get(id(result))]
        if None in given or any(place[0] != "result" for place in given):  # type: ignore[index]
            raise _RefusedError
        return steps, given, type(result) if several else None

    def inner(self, what: Any, note: Note) -> tuple[Any, Note]:
        """Return what a step calls, and its note: the one kernel that a function runs in the place of the function."""
        if note.within is None:
            return what, note
        one = note.within.one(note.result, self.array, [*note.args, *note.kw.values()])
        if one is None:
            return what, note
        ran, inner, args, kw = one
        self.extents_within = self.extents_within or note.within.extents
        operands = 0 if ran.op.sequence or ran.op.kind == "creation" else len(ran.op.operands)
        if ran.op.name == "asarray":
            operands = 1
        return inner, note._replace(operands=operands, args=args, kw=kw, last=None)

    def of_array(self, step: Step) -> bool:
        """Tell whether the first operand of a call is an array."""
        place = step.operands[0]
        return place[0] == "result" or (
            place[0] == "argument" and type(self.bound[place[1]]) not in (*_DATA, list, tuple)
        )

    def creates(self, note: Note) -> bool:
        """Return whether a call makes an array of numbers and options alone, on the device in force."""
        if note.kw.get("device") is not None or not _creates(note):
            return False
        return note.function is not latticework.asarray or all(map(_is_data, note.args))

    def is_view(self, result: Any) -> bool:
        """Return whether the result is linked as a view of the first array, on backends with immutable arrays.

        Raises
        ------
        _RefusedError: it is a view of something else.
        """
        results = result if isinstance(result, tuple) else (result,)
        links = [getattr(x._array, "_link", ()) for x in results if type(x) is self.array]
        if not any(links):
            return False
        first = next(iter(self.bound.values()))
        if type(first) is not self.array or not all(made and made[0]() is first._array for made in links):
            raise _RefusedError
        return True

    def place(self, x: Any, known: dict[int, tuple[Any, ...]]) -> tuple[Any, ...]:
        """Return where a value comes from: an argument, an earlier result, a constant, or a list of these."""
        if id(x) in known:
            return known[id(x)]
        if isinstance(x, (self.array, Array, *_FUNCTIONS)):
            raise _RefusedError
        if type(x) in (tuple, list):
            return ("list", type(x), *[self.place(child, known) for child in x])
        if _has_zero(x) and any(map(_has_zero, self.bound.values())):
            raise _RefusedError  # 0.0 and -0.0 are the same key: this one may be made of either
        hash(x)
        return ("constant", type(x), x)

    def entry(self, program: Any, notes: list[Any], told: list[Any], result: Any, look: Look) -> Any:
        """Return a cache entry, and its call where it makes one.

        The entry is the function, the signature of its result, whether that is a view, whether it takes all arguments.
        In the place of the third is `SELF` where the result is the first array.
        """
        steps, given, several = program
        kinds = self.of.met.joined(met(self.bound, self.array, look.by_type, data=look.data))
        parameters = [n for n in self.of.signature.all if n in kinds.arrays or n in kinds.lists]
        itself = several is None and given[0][0] == "argument"
        if itself:
            first = [("argument", n, *([0] if n in kinds.lists else [])) for n in parameters][:1]
            if given != first:
                raise _RefusedError
        self.several = 0
        view = SELF if itself else self.is_view(result)
        written = _Program(self, parameters)
        sigs: list[Any] = []
        for step, (i, note) in zip(steps, notes, strict=True):
            while told and told[0][0] <= i:
                written.check(*told.pop(0)[1:])
            sigs.append(written.add(step, note))
        for _, place, value in told:
            written.check(place, value)
        if itself:
            return (written.function("None"), None, SELF, written.full), None
        if several is None and given[0][0] == "constant":
            return (written.function(written.value(given[0])), None, False, written.full), None
        if several is None and len(given[0]) == 2 and sigs[given[0][1]] is not None:
            sig = sigs[given[0][1]]
            return (written.function(f"r{given[0][1]}"), sig, view, written.full), written.one
        values = [written.as_array(place, sigs) for place in given]
        if several is None:
            text = values[0]
        elif several is list or several is tuple:
            self.several = len(values)
            each = "".join([f"{value}, " for value in values])
            text = f"[{each}]" if several is list else f"({each})"
        else:
            written.names["several"] = several if hasattr(several, "_fields") else (lambda *xs: several(xs))
            text = f"several({', '.join(values)})"
        return (written.function(text), None, view, written.full), None


class _Program:
    """The text of a function of native arrays that runs the kernels of a body.

    Attributes
    ----------
    names: the globals of the text.
    full: whether it takes all arguments, not the arrays alone.
    only: the kernel, where the function only calls it with its own arguments.
    one: the call, where the function makes one; None elsewhere.
    """

    def __init__(self, study: Study, parameters: list[str]) -> None:
        self.study, self.parameters = study, parameters
        self.names: dict[str, Any] = {"as_array": as_array}
        self.lines: list[str] = []
        self.sigs: list[Any] = []
        self.full = False
        self.only: Callable[..., Any] | None = None
        self.one: OneCall | None = None

    def add(self, step: Step, note: Note) -> Any:
        """Add a call, and return the signature of its result; None for an `Array` or several results."""
        k = len(self.sigs)
        if isinstance(step.what, Inner):
            return self.add_inner(step, note)
        if not isinstance(step.what, DialectKernels):
            return self.add_whole(step, note)
        if step.what.op.dispatched == "of_shape":
            return self.add_making(step, note)
        try:
            if step.what.op.dispatched == "rounding" and (step.rest or step.options):
                raise _RefusedError  # with decimals it is another function, `around`
            kernel, sig = self.kernel(step.what, note)
        except _RefusedError:
            if step.listed or any(x[0] == "list" for x in step.operands):
                raise
            whole = note._replace(function=step.what.function, policy=self.study.dialect.policy())
            return self.add_whole(step, whole)
        operands = [self.value(x) for x in step.operands]
        dtyped = step.what.op.dispatched == "with_dtype"
        args = [f"[{', '.join(operands)}]"] if step.listed else operands
        args += [self.value(x) for x in step.rest]
        args += [f"{n}={self.value(x)}" for n, x in step.options if not (dtyped and n == "dtype")]
        if not self.sigs and args == [f"d_{n}" for n in self.parameters]:
            self.only = kernel
        self.names[f"k{k}"] = kernel
        self.lines.append(f"r{k} = k{k}({', '.join(args)})")
        self.sigs.append(sig)
        return sig

    def add_inner(self, step: Step, note: Note) -> Any:
        """Add a call of the one kernel that a function runs, and return the signature of its result."""
        assert note.within is not None
        ran: Ran = note.within.ran[0]
        if note.calls is None and _creates(note):
            self.check_device()
        k, sig = len(self.sigs), note.result._array._sig
        args = [self.value(x) for x in (*step.operands, *step.rest)] + [f"{n}={self.value(x)}" for n, x in step.options]
        if not self.sigs and args == [f"d_{n}" for n in self.parameters]:
            self.only = ran.kernel
        self.names[f"k{k}"] = ran.kernel
        if ran.op.kind == "creation":
            self.names |= {f"t{k}": ran.kw["dtype"], f"l{k}": ran.kw["device"]}
            args += [f"dtype=t{k}", f"device=l{k}"]
        self.lines.append(f"r{k} = k{k}({', '.join(args)})")
        if type(ran.result) is Array:
            self.names[f"s{k}"] = ran.result._sig
            self.lines += [f"if r{k}._sig is not s{k}:", "    raise LookupError", f"r{k} = r{k}._data"]
        self.sigs.append(sig)
        return sig

    def kernel(self, calls: DialectKernels, note: Note) -> tuple[Callable[..., Any], Any]:
        """Return the kernel of a call under the policy in force. Make the call first if there is none."""
        for _ in range(2):
            found: Any = calls.kernels.get(active.get(), {})
            for part in calls.path(calls.keys(note.args[: note.operands]), note.last):
                found = found.get(part)
                if found is None:
                    break
            else:
                if type(found) is tuple and len(found) == 2:
                    return found
                raise _RefusedError
            args, kw = self.unrecorded(note)
            calls.call(note.operands, args, kw, note.last)
        raise _RefusedError

    def unrecorded(self, note: Note) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a call that is made again for its kernel: no derivatives of it are recorded.

        A checkpoint of PyTorch counts what is recorded.
        """
        array = self.study.array

        def apart(x: Any) -> Any:
            if type(x) in (list, tuple):
                return type(x)([apart(child) for child in x])
            if type(x) is not array or not x._array._sig.backend.may_record(x._array._data):
                return x
            return self.study.dialect.call(latticework.stop_gradient, (x,), {})

        return tuple(map(apart, note.args)), {name: apart(x) for name, x in note.kw.items()}

    def add_making(self, step: Step, note: Note) -> Any:
        """Add a call of a function that makes an array of a shape, and return the signature of its result."""
        calls, dialect = step.what, self.study.dialect
        if note.kw.get("device") is not None or dialect.elsewhere:
            raise _RefusedError
        calls.call(note.operands, note.args, dict(note.kw), note.last)
        kept = TABLES.get(calls.op.name, {}).get(dialect.policy(), {}).get(note.kw.get("dtype"))
        if kept is None:
            raise _RefusedError
        k = len(self.sigs)
        self.names |= {f"k{k}": kept[0], f"t{k}": kept[1], f"l{k}": kept[2]}
        self.check_device()
        shape = self.value(dict(step.options).get("shape") or (*step.operands, *step.rest)[0])
        self.lines.append(f"r{k} = k{k}({shape}, dtype=t{k}, device=l{k})")
        self.sigs.append(kept[3])
        return kept[3]

    def check_device(self) -> None:
        """Add the check that the framework has no other device in force."""
        if "elsewhere" in vars(self.study.dialect):
            self.names["dialect"] = self.study.dialect

    def check(self, place: tuple[Any, ...], value: bool) -> None:
        """Add the check that an array is as true as it was."""
        self.lines += [f"if bool({self.held(place)}) is not {value}:", "    raise LookupError"]

    def add_whole(self, step: Step, note: Note) -> Any:
        """Add a call of a latticework function that the dialect keeps no kernels of, and return the signature of its
        result. If the engine has kept its kernel, that is called. Otherwise the function is, with `Array`, under the
        dialect's policy."""
        made = self.cast(note) if note.function is latticework.astype else self.copy(note)
        if made is not None:
            return self.add_kernel(made[0], made[1], step.operands[0])
        found = self.named(note)
        k = len(self.sigs)
        if found is not None:
            kernel, sig, leading, options = found
            self.names[f"k{k}"] = kernel
            args = [self.value(x) for x in step.operands[:leading]]
            given = dict(zip(options[leading:], step.operands[leading:], strict=False)) | dict(step.options)
            args += [f"{n}={self.value(x)}" for n, x in given.items() if n != "dtype" and x[:2] != _NONE]
            self.lines.append(f"r{k} = k{k}({', '.join(args)})")
            self.sigs.append(sig)
            return sig
        if note.calls is None and _creates(note):
            self.check_device()
        made = self.conversion(note)
        if made is not None:
            return self.add_kernel(made[0], made[1], step.operands[0])
        self.names |= {f"k{k}": note.function, "enter": active.set, "leave": active.reset, f"p{k}": note.policy}
        args = [self.held(x) for x in (*step.operands, *step.rest)] + [f"{n}={self.held(x)}" for n, x in step.options]
        call = f"r{k} = k{k}({', '.join(args)})"
        if note.policy is None:
            self.lines.append(call)
        else:
            self.lines += [f"token = enter(p{k})", "try:", f"    {call}", "finally:", "    leave(token)"]
        self.lines += [
            line
            for x, name in zip(note.args, args, strict=False)
            if x is note.result
            for line in (f"if r{k} is not {name}:", "    raise LookupError")
        ]
        of = note.result
        sig = of._array._sig if type(of) is self.study.array and not any(x is of for x in note.args) else None
        if sig is not None and not sig.immutable:
            self.names[f"s{k}"] = sig
            self.lines += [f"if r{k}._sig is not s{k}:", "    raise LookupError", f"r{k} = r{k}._data"]
            self.sigs.append(sig)
            return sig
        self.sigs.append(None)
        return None

    def conversion(self, note: Note) -> Any:
        """Return what converts numbers to an array, and the signature of its result; None if it is no such call."""
        if note.function is not latticework.asarray or note.policy is not None or not _is_data(note.args[0]):
            return None
        note.function(*note.args, **note.kw)
        return TABLES["asarray"].get(current(), {}).get(type(note.args[0]), {}).get(note.kw["dtype"])

    def cast(self, note: Note) -> Any:
        """Return the kernel of a cast, and the signature of its result; None if it has other options than a copy."""
        dialect = self.study.dialect
        if len(note.args) != 2 or not note.kw.keys() <= {"copy"} or type(note.args[0]) is not dialect.array:
            return None
        sig, dtype = note.args[0]._array._sig, dialect.dtype_of(note.args[1])
        dialect.call(note.function, self.unrecorded(note)[0], {})
        found = TABLES["astype"].get(dialect.policy(), {}).get(sig, {}).get(dtype)
        if found is None:  # the call has kept nothing, as of an array that is recorded
            raise _RefusedError
        run, out = found
        if run is None and note.kw.get("copy", True):
            run = sig.backend.duplicate
        return None if run is None else (run, out)

    def copy(self, note: Note) -> Any:
        """Return the kernel of a copy of an array, and its signature; None if a call is none."""
        x = note.args[0] if note.args else None
        if note.function is not latticework.asarray or note.kw != {"copy": True} or type(x) is not self.study.array:
            return None
        sig = x._array._sig
        return (sig.backend.duplicate, sig) if note.result._array._sig is sig else None

    def add_kernel(self, kernel: Callable[..., Any], sig: Any, operand: tuple[Any, ...]) -> Any:
        """Add a call of a kernel of one operand, and return the signature of its result."""
        k = len(self.sigs)
        value = self.value(operand)
        if not self.sigs and [value] == [f"d_{n}" for n in self.parameters]:
            self.only = kernel
        self.names[f"k{k}"] = kernel
        self.lines.append(f"r{k} = k{k}({value})")
        self.sigs.append(sig)
        return sig

    def named(self, note: Note) -> Any:
        """Return the kernel of a function with operands besides the leading ones; None if it is not such a function.

        Returns
        -------
        The kernel, the signature of its result, the number of leading operands, and the parameters by position.
        """
        o = declaration_of(note.function)
        if o is None or not o.optional:
            return None
        dialect, leading = self.study.dialect, len(o.operands)
        args, given = self.unrecorded(note)
        dialect.call(note.function, args, given)
        kw = dict(zip(o.by_position[leading:], note.args[leading:], strict=False)) | note.kw
        dtype = kw.pop("dtype", None)
        operands = (*note.args[:leading], *[kw.pop(n, None) for n in o.optional])
        keys = tuple([x._array._sig if type(x) is dialect.array else type(x) for x in operands])
        try:
            kernel, sig = TABLES[o.name][dialect.policy()][keys][dialect.unwrap(dtype, {}), *kw]
        except (KeyError, TypeError):
            return None
        return kernel, sig, leading, o.by_position

    def held(self, place: tuple[Any, ...]) -> str:
        """Like `value`, but native arrays are wrapped as `Array`."""
        if place[0] == "list":
            parts = "".join(f"{self.held(x)}, " for x in place[2:])
            return f"[{parts}]" if place[1] is list else f"({parts})"
        if place[0] == "result":
            text = self.value(place)
            sig = self.sigs[place[1]]
            if sig is None:
                return text.removesuffix("._data")
        elif place[0] == "argument" and (len(place) > 2 or type(self.study.bound[place[1]]) is self.study.array):
            text, x = self.value(place), self.study.bound[place[1]]
            sig = (x[place[2]] if len(place) > 2 else x)._array._sig
        else:
            text = self.value(place)
            kind = place[2] if place[0] == "constant" else None
            ours = self.study.dialect.unwrap(kind, {}) if kind is not None else None
            if ours is not kind:
                self.names[text] = ours
            return text
        n = len(self.names)
        self.names |= {f"g{n}": sig, "Array": Array}
        self.lines += [f"a{n} = Array()", f"a{n}._data = {text}", f"a{n}._sig = g{n}"]
        return f"a{n}"

    def value(self, place: tuple[Any, ...]) -> str:
        """Return the text of an argument of a call."""
        kind = place[0]
        if kind == "argument":
            if place[1] not in self.parameters:
                x = self.study.bound[place[1]]
                if is_one(x):
                    return self.value(("constant", type(x), x))
                self.full = True
                return f"s_{place[1]}"
            return f"d_{place[1]}" + (f"[{place[2]}]" if len(place) > 2 else "")
        if kind == "result":
            text = f"r{place[1]}" + (f"[{place[2]}]" if len(place) > 2 else "")
            return text if self.sigs[place[1]] is not None else f"{text}._data"
        if kind == "list":
            if place[1] is tuple and place[2:] and all(x[0] == "constant" for x in place[2:]):
                return self.value(("constant", tuple, tuple([x[2] for x in place[2:]])))
            parts = "".join(f"{self.value(x)}, " for x in place[2:])
            return f"[{parts}]" if place[1] is list else f"({parts})"
        name = f"c{len(self.names)}"
        self.names[name] = place[2]
        return name

    def as_array(self, place: tuple[Any, ...], sigs: list[Any]) -> str:
        """Return the text of a result as an `Array`."""
        text = f"r{place[1]}" + (f"[{place[2]}]" if len(place) > 2 else "")
        if sigs[place[1]] is None:
            return text
        self.names[f"s{place[1]}"] = sigs[place[1]]
        return f"as_array({text}, s{place[1]})"

    def function(self, result: str) -> Callable[..., Any]:
        """Compile the function, which returns this result."""
        checks = ["if dialect.elsewhere:", "    raise LookupError"] if "dialect" in self.names else []
        if len(self.lines) == 1 and result == "r0":
            self.one = OneCall(self.lines[0].removeprefix("r0 = "), self.names, bool(checks))
            if self.only is not None and not self.full and not checks:
                return self.only
        statics = [n for n in self.study.of.signature.all if n not in self.parameters] if self.full else []
        parameters = ", ".join([*(f"d_{n}" for n in self.parameters), *(f"s_{n}" for n in statics)])
        body = "".join(f"    {line}\n" for line in (*checks, *self.lines))
        exec(f"def run({parameters}):\n{body}    return {result}\n", self.names)
        made: Callable[..., Any] = self.names["run"]
        return made
