"""Trace and compile random programs that read and write what they hold, and compare with what they do eagerly.

    python tools/stateful.py                                        500 programs on each installed backend
    python tools/stateful.py --backends torch --seed 0 --calls 20000 --record record.json

A program is a function of two arrays around arrays that lie in every kind of place: a variable of a closure, a global,
a list, a dict, a deque, an attribute, a dataclass, a named tuple. It reads and writes them by index, slice, view and
method, binds them anew, and changes numbers, lists and dicts. It is called five times, with other values, shapes and
policies, and between two calls somebody else writes into the arrays or binds them anew. After each call the result and
everything that the program holds have to be what they are eagerly. A `TraceError` is a refusal, and is right only in
programs with a statement that the documentation says is refused.

Programs are drawn by number: a run that was stopped goes on from its record. Each difference is printed as a program
without the statements that it does not need. Exit status 1 where there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import latticework as lw
from latticework.errors import TraceError
from latticework.policy import current

__all__ = ["Program", "check", "program"]

#: What stands before each program: the places where its arrays lie.
SETUP = """
import weakref
from collections import defaultdict, deque, namedtuple
from contextvars import ContextVar
from dataclasses import dataclass
from types import SimpleNamespace
import latticework as lw

@dataclass
class Data:
    w: object
    n: int = 0

class Slotted:
    __slots__ = ("w",)

class Listed(list):
    pass

class Owner:
    pass

class Variable:
    def __init__(self, w):
        self.variable = ContextVar("w")
        self.w = w

    @property
    def w(self):
        return self.variable.get()

    @w.setter
    def w(self, value):
        self.variable.set(value)

Pair = namedtuple("Pair", "w v")
"""

#: The places, each with how it is made of an array, and whether it can be bound to another one.
PLACES = {
    "closed": ("closed = {}", True), "G": ("G = {}", True), "items[0]": ("items = [{}, 1]", True),
    "named['w']": ("named = {{'w': {}}}", True), "queue[0]": ("queue = deque([{}])", True),
    "self.w": ("self = SimpleNamespace(w={}, n=0, seen=None, rate=0.5)", True), "data.w": ("data = Data({})", True),
    "pair.w": ("pair = Pair({}, 0)", False), "slotted.w": ("slotted = Slotted(); slotted.w = {}", True),
    "deep[0]['k'].w": ("deep = [{{'k': SimpleNamespace(w={})}}]", True),
    "default['w']": ("default = defaultdict(lambda: lw.zeros(3)); default['w'] = {}", True),
    "listed.w": ("listed = Listed(); listed.w = {}", True), "inside.w": ("inside = Variable({})", True),
    "weak().w": ("owner = Owner(); owner.w = {}; weak = weakref.ref(owner)", True),
}  # fmt: skip
_GLOBAL = "G"


class Program(NamedTuple):
    """A program.

    Attributes
    ----------
    setup: the lines that make what it holds.
    body: the statements of the function.
    between: for each call, the statements after it, outside of the function.
    calls: the arguments of each call, as text, with the rules under which it is made.
    refused: the statements for which a refusal is right.
    """

    setup: tuple[str, ...]
    body: tuple[str, ...]
    between: tuple[tuple[str, ...], ...]
    calls: tuple[tuple[str, str], ...]
    refused: frozenset[str]

    def text(self) -> str:
        """The program as Python: `make` gives the function, what it holds, and what is done between two calls."""
        local = [line for line in self.setup if not line.startswith(f"{_GLOBAL} = ")]
        outside = [line for line in self.setup if line.startswith(f"{_GLOBAL} = ")]
        names = [line.partition(" = ")[0] for line in local if " = " in line and line[0] != " "]
        lines = ["def make():", f"    global {_GLOBAL}", *[f"    {line}" for line in (*outside, *local)]]
        bound = [n for n in ("closed", "count") if n in names]
        lines += ["    def f(x, y):", f"        global {_GLOBAL}"]
        lines += [f"        nonlocal {', '.join(bound)}"] if bound else []
        lines += ["        a = x"]
        lines += [f"        {line}" for statement in self.body for line in statement.split("\n")]
        lines += ["        return a"]
        held = ", ".join([*names, *([_GLOBAL] if outside else [])])
        lines += [f"    def held():\n        return [{held}]"]
        for i, statements in enumerate(self.between):
            lines += [f"    def after_{i}():", f"        global {_GLOBAL}"]
            lines += [f"        nonlocal {', '.join(bound)}"] if bound else []
            lines += [f"        {s}" for s in statements] or []
            lines += ["        pass"]
        lines += [f"    return f, held, [{', '.join(f'after_{i}' for i in range(len(self.between)))}]"]
        return SETUP + "\n".join(lines) + "\n"

    def binds_what_is_viewed(self) -> bool:
        """Whether the function binds a place anew whose array another variable would be a view of."""
        viewed = [m[1] for line in self.setup if (m := re.match(r"other = (.+)\[.*\]$", line))]
        return any(line.strip().startswith(f"{v} = ") for v in viewed for s in self.body for line in s.split("\n"))

    def shown(self) -> str:
        calls = "\n".join(f"#   f({args}) under rules {rules}" for args, rules in self.calls)
        return f"{self.text()[len(SETUP) :]}# calls\n{calls}\n"


# --- drawing -----------------------------------------------------------------------------------------------------


class _Drawn:
    """A program as it is drawn."""

    def __init__(self, dice: random.Random) -> None:
        self.d = dice
        self.dtype = dice.choice(("float32", "float32", "float32", "float64", "int32", "int64", "float16", "complex64"))
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.setup: list[str] = []
        self.refused: set[str] = set()
        for place in dice.sample(sorted(PLACES), dice.randint(1, 4)):
            shape = dice.choice(((3,), (3,), (3,), (2, 3), (3, 3), (), (0, 3), (1,)))
            self.shapes[place] = shape
            self.setup.append(PLACES[place][0].format(self.array(shape)))
        if dice.random() < 0.25 and "closed" in self.shapes:
            self.setup.append("other = closed" if dice.random() < 0.5 else "other = closed[...]")
            self.shapes["other"] = self.shapes["closed"]
        self.setup += ["count = 0", "rate = 0.5", "log = []", "index = lw.asarray([0, 2, 1])"]
        self.setup.append("keys = [lw.random.key(7)]")
        self.names = 0

    def one(self, *options: str) -> str:
        return self.d.choice(options)

    def array(self, shape: tuple[int, ...]) -> str:
        n = int(np.prod(shape))
        values = np.asarray([self.d.randint(1, 9) / (1 if "int" in self.dtype else 2) for _ in range(n)])
        made = f"lw.asarray({values.reshape(shape).tolist()}, dtype='{self.dtype}')"
        return f"lw.zeros({shape}, dtype='{self.dtype}')" if 0 in shape else made

    def place(self, *, axes: bool = False) -> str:
        found = [p for p, shape in self.shapes.items() if shape or not axes]
        return self.d.choice(found or [*self.shapes])

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def small(self) -> str:
        """An expression without dimensions."""
        place = self.place()
        return self.one(
            "lw.sum(x)", "lw.max(y)", "y[0]", "2", "rate", f"lw.sum({place})", "lw.sum(a)", f"lw.sum({place}[...])",
            "index[1]", f"lw.sum({self.element(place)})",
        )  # fmt: skip

    def element(self, place: str) -> str:
        shape = self.shapes[place]
        i = self.one("0", "-1", "0") if shape and shape[0] else "()" if not shape else ":1"
        return f"{place}[{i}]"

    def key(self, place: str) -> str:
        shape = self.shapes[place]
        if not shape:
            return self.one("...", "()")
        keys = ["0", "-1", "1:", ":2", "::-1", "::2", "...", ":", "index", "[0, 0]", "None", "-1:"]
        if len(shape) > 1:
            keys += ["0, 1:", ":, 0", "..., -1", ":, ::-1", "0, 0", "index[:1], 0"]
        key = self.d.choice(keys)
        return key if "index" not in key or shape[0] >= 3 else "..."

    def view(self, place: str) -> str:
        ways = ["{}.reshape(-1)", "lw.reshape({}, (-1,))", "{}[None]", "lw.expand_dims({}, axis=0)", "{}[...]", "{}"]
        if self.shapes[place]:
            ways += [f"{{}}[{self.key(place)}]", "{}.T" if len(self.shapes[place]) == 2 else "{}[::-1]", "lw.flip({})",
                     "{}.ravel()", "{}.copy()", "{}[1:]"]  # fmt: skip
        return self.d.choice(ways).format(place)


def read(s: _Drawn) -> str:
    """Read an array."""
    place = s.place()
    v = s.fresh()
    way = s.one("whole", "key", "view", "element", "method", "computed")
    if way == "whole":
        return f"a = a + lw.sum({place} * 2)"
    if way == "key":
        return f"{v} = {place}[{s.key(place)}]\na = a + lw.sum({v})"
    if way == "view":
        return f"{v} = {s.view(place)}\na = a * 2 - lw.sum({v})"
    if way == "element":
        element = s.element(place)
        step = f"{v} {s.one('+=', '*=')} {s.one(element, '2', s.small())}"
        return f"{v} = {element}\nfor i in (0, 1):\n    {step}\na = a + {v}"
    if way == "method":
        return f"a = a + {place}.{s.one('sum()', 'max()', 'copy().sum()', 'astype(lw.float64).sum()', 'mean()')}"
    return f"{v} = {place} * {s.one('1', '2', 'x[0]')}\na = a + lw.sum({v})"


def write(s: _Drawn) -> str:
    """Write into an array."""
    place = s.place()
    way = s.one("key", "key", "key", "whole", "view", "view", "out", "twice")
    value = s.small()
    op = s.one("=", "=", "+=", "*=", "-=")
    if way == "key":
        return f"{place}[{s.key(place)}] {op} {value}"
    if way == "whole":
        return (
            f"{place} {s.one('+=', '-=', '*=')} {value}"
            if PLACES.get(place, ("", False))[1]
            else f"{place}[...] = {value}"
        )
    if way == "view":
        v = s.fresh()
        return f"{v} = {s.view(place)}\n{v} {s.one('+=', '*=')} {value}\na = a + lw.sum({v})"
    if way == "out":
        return f"lw.{s.one('add', 'multiply')}({place}, {value}, out={place})"
    return f"{place}[{s.key(place)}] {op} {value}\na = a + lw.sum({place})"


def bind(s: _Drawn) -> str:
    """Bind a place to an array that is computed, or to another place's."""
    place = s.d.choice([p for p in s.shapes if PLACES.get(p, ("", False))[1]] or ["named['w']"])
    if place not in s.shapes:
        return "pass"
    return s.one(
        f"{place} = {place} * {s.one('1', '2')} + {s.small()}", f"{place} = {place} + {s.small()}",
        f"{place} = {place}.copy()", f"if {place}.ndim:\n    {place} = {place}[::-1] * 1",
    )  # fmt: skip


def remember(s: _Drawn) -> str:
    """Remember something: a memo, a flag, the array of a call."""
    way = s.one("memo", "flag", "last", "scratch")
    if way == "memo":
        made = s.one("lw.sum(x)", "lw.arange(3)", "3")
        return f"if 'memo' not in named:\n    named['memo'] = {made}\na = a + lw.sum(lw.asarray(named['memo']))"
    if way == "flag":
        return f"self.seen = {s.one('True', '1', repr('seen'))}"
    if way == "last":
        return f"named['last'] = {s.one('x', 'a', 'lw.sum(x)', s.element(s.place()))}"
    return "self.scratch = a * 2\na = self.scratch - 1"


def flow(s: _Drawn) -> str:
    """Branch or loop around an array."""
    place, v = s.place(), s.fresh()
    return s.one(
        "a = lw.cond(lw.sum(x) > 4, lambda: a * 2, lambda: a * 3)",
        f"{v} = lw.fori_loop(0, 3, lambda i, u: u * 2 + lw.sum({place}), lw.sum(x))\n{v} -= 1\na = a + {v}",
        f"{v}, _ = lw.scan(lambda c, r: (c + r, c), lw.sum(x), y)\n{v}[...] = {v} + 1\na = a + {v}",
        f"{v} = lw.fori_loop(0, 2, lambda i, u: u + 1, {place})\n{v} = {v} - 1\n"
        f"a = a + lw.cond(lw.sum({v}) > 3, lambda: lw.sum({v}) * 2, lambda: lw.sum({v}) * 3)",
        f"{v}, _ = lw.scan(lambda c, r: (c + r, c), lw.sum(x), y)\n"
        f"w{v} = lw.reshape({v}, (-1,))\nw{v}[0] = 5\na = a + {v}",
    )


def draw(s: _Drawn) -> str:
    """Draw random numbers from a key that is held."""
    v = s.fresh()
    return s.one(
        f"keys[0], {v} = lw.random.split(keys[0])\na = a + lw.sum(lw.random.uniform({v}, (2,)))",
        "a = a + lw.sum(lw.random.normal(keys[0], (3,)))", "keys[0] = lw.random.fold_in(keys[0], 3)",
    )  # fmt: skip


def by_text(s: _Drawn) -> str:
    """Read what is named nowhere in the program."""
    ways = {
        "self.w": "a = a + lw.sum(getattr(self, 'W'.lower()))", "named['w']": "a = a + lw.sum(named['W'.lower()])",
        "default['w']": "for k in [*default]:\n    a = a + lw.sum(default[k])",
        "items[0]": "a = a + lw.sum(items[len(items) - 2])",
    }  # fmt: skip
    found = [text for place, text in ways.items() if place in s.shapes]
    return s.d.choice(found) if found else "a = a + lw.sum(default['fresh'])" if "default['w']" in s.shapes else "pass"


def inside(s: _Drawn) -> str:
    """Write into an array inside of a loop or a branch, which is refused where arrays never change."""
    place, v = s.place(), s.fresh()
    text = s.one(
        f"def step{v}(i, u):\n    {place}[...] = {place} + 1\n    return u + lw.sum({place})\n"
        f"a = a + lw.fori_loop(0, 2, step{v}, lw.sum(x))",
        f"def taken{v}():\n    {place}[...] = {place} * 2\n    return lw.sum({place})\n"
        f"a = a + lw.cond(lw.sum(x) > 4, taken{v}, lambda: lw.sum({place}))",
    )
    s.refused.add(text)
    return text


def refused(s: _Drawn) -> str:
    """What the documentation says is refused, or makes the program be traced anew."""
    place = s.place()
    text = s.one(
        "count += 1", "log.append(1)", "log.append(a)", f"a = a * float(lw.sum({place}))",
        f"if lw.sum({place}) > 3:\n    a = a + 1", f"a = a + {place}.tolist()[0]", f"queue.append({place})",
        "log[:] = [1, 2, count]", "self.n += 1",
    )  # fmt: skip
    s.refused.add(text)
    return text


def number(s: _Drawn) -> str:
    """Read a number that the program holds."""
    return s.one("a = a * rate", "a = a + count", "if count > 1:\n    a = a + 1", "a = a + len(log)")


STATEMENTS: tuple[Callable[[_Drawn], str], ...] = (
    *(read, write) * 6, bind, bind, bind, remember, flow, number, draw, by_text,
)  # fmt: skip


def outside(s: _Drawn) -> tuple[str, ...]:
    """What is done between two calls."""
    place = s.place()
    drawn = s.d.random()
    if drawn < 0.35:
        return ()
    if drawn < 0.7:
        return (f"{place}[...] = {s.d.randint(1, 5)}",)
    if drawn < 0.8 and PLACES.get(place, ("", False))[1]:
        return (f"{place} = {s.array(s.shapes[place])}",)
    if drawn < 0.87 and PLACES.get(place, ("", False))[1]:
        return (f"{place} = lw.zeros((2,), dtype={s.one(repr('float32'), repr('float64'))})",)
    return (s.one("rate = 2.0" if False else "pass", f"{place} += 1" if PLACES.get(place, ("", False))[1] else "pass"),)


def program(dice: random.Random) -> Program:
    """Draw a program."""
    s = _Drawn(dice)
    body = [dice.choice(STATEMENTS)(s) for _ in range(dice.randint(2, 9))]
    if dice.random() < 0.12:
        body.insert(dice.randrange(len(body)), dice.choice((refused, refused, inside))(s))
    known = " ".join(s.setup)
    for name, made in (("named", "named = {}"), ("self", "self = SimpleNamespace(w=0, n=0, seen=None, rate=0.5)"),
                       ("queue", "queue = deque()")):  # fmt: skip
        if f"{name} = " not in known:
            s.setup.append(made)
    calls = []
    for _ in range(5):
        shape = dice.choice(((3,), (3,), (3,), (1,), (2, 3)))
        rules = dice.choice(("unified",) * 8 + ("jax", "numpy", "torch"))
        calls.append((f"{s.array(shape)}, {s.array((3,))}", rules))
    between = tuple([outside(s) for _ in calls])
    return Program(tuple(s.setup), tuple(body), between, tuple(calls), frozenset(s.refused))


# --- comparing ---------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What a program gave.

    Attributes
    ----------
    steps: after each call, the result and what the program holds.
    error: the error of the call that raised one, None for none.
    """

    steps: list[Any]
    error: Exception | None


def _plain(x: Any) -> Any:
    """A tree with arrays as NumPy's, by dtype, shape and weakness."""
    if isinstance(x, lw.Array):
        return ("array", str(x.dtype), x.shape, x.weak, lw.to_numpy(x).copy())
    if isinstance(x, ContextVar):
        return _plain(x.get())
    if isinstance(x, (list, tuple, deque)):
        return [type(x).__name__, *[_plain(y) for y in x], *[_plain(y) for y in getattr(x, "__dict__", {}).values()]]
    if isinstance(x, dict):
        return [(k, _plain(y)) for k, y in x.items()]
    if hasattr(x, "__dict__"):
        return _plain(vars(x))
    if hasattr(x, "__slots__"):
        return [_plain(getattr(x, n)) for n in x.__slots__]
    return x


def _same(x: Any, y: Any, exact: bool) -> bool:
    if isinstance(x, np.ndarray):
        if exact:
            return bool(np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"))
        with np.errstate(all="ignore"):
            first, second = np.asarray(x, "complex128"), np.asarray(y, "complex128")
            return first.shape == second.shape and bool(np.allclose(first, second, 1e-3, 1e-5, equal_nan=True))
    if isinstance(x, (list, tuple)):
        return type(x) is type(y) and len(x) == len(y) and all(_same(a, b, exact) for a, b in zip(x, y, strict=True))
    if isinstance(x, dict):
        return type(x) is type(y) and x.keys() == y.keys() and all(_same(v, y[k], exact) for k, v in x.items())
    return type(x) is type(y) and (x == y or x != x)


def _traced(f: Any) -> Any:
    """Call the graph of a function, traced anew where it is not valid for a call."""
    graphs: dict[Any, Any] = {}

    def call(*args: Any) -> Any:
        rules = current().rules.name
        if rules in graphs:
            try:
                return graphs[rules](*args)
            except TraceError:
                pass
        graphs[rules] = lw.trace(f, *args)
        return graphs[rules](*args)

    return call


WAYS: dict[str, Callable[[Any], Any]] = {
    "compile": lw.compile, "trace": _traced, "jit": lw.jit, "fast": lambda f: lw.compile(f, fast=True),
    "tune": lambda f: lw.compile(f, tune=True),
}  # fmt: skip


def outcome(p: Program, way: Callable[[Any], Any] | None, backend: str) -> Outcome:
    """Run a program: eagerly, or as a way makes it."""
    names: dict[str, Any] = {"__name__": "program"}
    steps = []
    with warnings.catch_warnings(), np.errstate(all="ignore"), lw.using(backend=backend):
        warnings.simplefilter("ignore")
        exec(compile(p.text(), "<program>", "exec", dont_inherit=True), names)
        f, held, after = names["make"]()
        run = f if way is None else way(f)
        for (args, rules), between in zip(p.calls, after, strict=True):
            try:
                with lw.using(rules=rules):
                    result = run(*eval(args, {"lw": lw}))
            except Exception as error:
                return Outcome(steps, error)
            steps.append((_plain(result), _plain(held())))
            try:
                between()
            except Exception as error:
                return Outcome(steps, error)
    return Outcome(steps, None)


def check(p: Program, way: str, backend: str, expected: Outcome | None = None) -> str:
    """What differs between a program as it is and as a way makes it; "" for nothing, "refused" for a right refusal."""
    expected = expected or outcome(p, None, backend)
    found = outcome(p, WAYS[way], backend)
    exact = way in ("compile", "trace") and backend in ("numpy", "torch", "dask")
    for k, (a, b) in enumerate(zip(expected.steps, found.steps, strict=False)):
        if not _same(a, b, exact):
            return f"call {k}: {b}\nfor {a}"
    if isinstance(found.error, TraceError) and not isinstance(expected.error, TraceError):
        if p.refused:
            return "refused"
        if expected.error is not None and len(found.steps) >= len(expected.steps):
            return ""
        return f"call {len(found.steps)}: refused: {found.error}"
    if way == "jit" and type(expected.error) is IndexError and found.error is None:
        return ""  # a framework's compiler has no values of positions to look at
    if expected.error is None and "made of another one" in str(found.error) and p.binds_what_is_viewed():
        return "refused"
    if (found.error is None) != (expected.error is None) or len(found.steps) != len(expected.steps):
        return f"call {len(found.steps)}: {found.error!r}\nfor {expected.error!r}"
    return ""


def reduced(p: Program, way: str, backend: str) -> Program:
    """The program without what it does not need to differ."""

    def fails(q: Program) -> bool:
        try:
            return check(q, way, backend) not in ("", "refused")
        except Exception:
            return False

    smaller = True
    while smaller:
        smaller = False
        for i in range(len(p.body)):
            q = p._replace(body=p.body[:i] + p.body[i + 1 :])
            if fails(q):
                p, smaller = q, True
                break
    for i in range(len(p.between)):
        q = p._replace(between=(*p.between[:i], (), *p.between[i + 1 :]))
        p = q if fails(q) else p
    while len(p.calls) > 1 and fails(q := p._replace(calls=p.calls[:-1], between=p.between[:-1])):
        p = q
    for i in range(len(p.calls)):
        q = p._replace(calls=(*p.calls[:i], (p.calls[i][0], "unified"), *p.calls[i + 1 :]))
        p = q if fails(q) else p
    for line in p.setup:
        q = p._replace(setup=tuple([x for x in p.setup if x != line]))
        p = q if fails(q) else p
    return p


def ways_of(seed: int, backend: str) -> list[str]:
    """How a program is run besides eagerly: compiled and traced, and some in other ways."""
    found = ["compile", "trace"] if seed % 3 == 0 else ["compile"]
    if backend in ("jax", "tensorflow") and seed % 5 == 0:
        found.append("jit")
    if backend == "torch" and seed % 10 == 0:
        found += ["fast"]
    if backend in ("numpy", "torch") and seed % 100 == 50:
        found += ["tune"]
    return found


def findings(backend: str, seeds: range, tally: Counter[str]) -> Iterator[tuple[int, str, str]]:
    """The programs of some numbers that differ: the number, the way, and what differs. The others are counted."""
    for seed in seeds:
        p = program(random.Random(seed))
        expected = outcome(p, None, backend)
        tally["programs"] += 1
        tally["end in an error of their own"] += expected.error is not None
        for way in ways_of(seed, backend):
            tally[way] += 1
            found = check(p, way, backend, expected)
            if found == "refused":
                tally["refused"] += 1
            elif found:
                tally["differ"] += 1
                yield seed, way, found


def main() -> int:
    """Run programs, and print what differs; 1 where something does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installed = ",".join(b.name for b in lw.backends() if b.installed)
    parser.add_argument("--backends", default=installed, help=f"with commas between them: {installed}")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first program")
    parser.add_argument("--calls", type=int, default=500, help="how many programs on each backend")
    parser.add_argument("--record", type=Path, help="where to keep how far it came, and go on from")
    parser.add_argument("--show", type=int, default=20, help="end after so many differences")
    options = parser.parse_args()
    backends = options.backends.split(",")
    status = 0
    for backend in backends:
        kept: dict[str, Any] = {}
        if options.record and options.record.exists():
            kept = json.loads(options.record.read_text())
        mine = kept.get(backend, {"next": options.seed, "tally": {}, "seconds": 0, "differ": []})
        tally, begun, stop = Counter(mine["tally"]), time.perf_counter(), options.seed + options.calls
        found = 0
        for start in range(mine["next"], stop, 100):
            for seed, way, _ in findings(backend, range(start, min(start + 100, stop)), tally):
                found, status = found + 1, 1
                mine["differ"].append([seed, way])
                small = reduced(program(random.Random(seed)), way, backend)
                text = f"{small.shown()}{check(small, way, backend)}\n"
                print(f"=== {backend}, {way}, program {seed}\n{text}", flush=True)
                if found >= options.show:
                    return 1
            mine |= {"next": min(start + 100, stop), "tally": dict(tally)}
            mine["seconds"] = round(mine["seconds"] + time.perf_counter() - begun)
            begun = time.perf_counter()
            if options.record:
                options.record.write_text(json.dumps(kept | {backend: mine}, indent=1))
        print(f"{backend}: {', '.join(f'{n} {what}' for what, n in tally.items())}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
