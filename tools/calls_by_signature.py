"""Call every public function of a framework in the forms that its signature allows, there and in its dialect.

    python tools/calls_by_signature.py tensorflow                        # as many calls of each function as --most says
    python tools/calls_by_signature.py jax --functions 'jnp.lin*' --show 20
    python tools/calls_by_signature.py tensorflow --share 0.1 --seed 3 --backend torch

A parameter's name says what can be given for it: an array, a matrix, an axis, a shape, a dtype, a number
(`Side.kinds`). Each function is called with arrays, stacks of matrices, lists and Python numbers, with each of its
options by position and by keyword, and on each dtype and pair of dtypes. Both answers are compared in dtype, weak flag,
shape, values, and error.

What differs is listed with its reason in ``tests/expected/calls/<framework>.txt``. It is an error if what differs is
not listed, and if what is listed agrees. ``--record`` adds the calls that differ to the list, without a reason.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import itertools
import json
import os
import re
import select
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

LISTS = ROOT / "tests" / "expected" / "calls"
SIDES = ("tensorflow", "jax")
_REALS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 bfloat16 float16 float32 float64"
DTYPES = ("bool", *_REALS.split(), "complex64", "complex128")
#: How many seconds one call may take, with the import of the framework.
PATIENCE = 90
NOT_LISTED = "No reason yet"

#: Kind -> what is given for a parameter of it. The first is what it has while another parameter changes. Names are
#: operands of `dialect_answers`.
KINDS: dict[str, tuple[str, ...]] = {
    "array": ("x", "r", "u", "s", "e", "m", "[1.5, 2.0]", "[[1, 2], [3, 4]]", "2", "1.5", "True", "x[0, 0]"),
    "other": ("y", "z", "u", "s", "r", "[1, 2, 3]", "[1.5, 2.0, 3.0]", "2", "1.5", "-1", "True", "1j", "300", "n"),
    "positive": ("p", "u", "s", "[1.0, 2.0]", "2", "0.5"),
    "matrix": ("m", "h", "x", "n", "r", "[m, h]", "[[2.0, 1.0], [1.0, 3.0]]", "u", "e"),
    "matrix too": ("h", "m", "n", "x", "u", "[[1.0], [2.0], [3.0]]"),
    "vector": ("u", "v", "x", "s", "[1.0, 2.0, 3.0]", "e"),
    "condition": ("b", "c", "x", "True", "[True, False, True]"),
    "arrays": ("[x, y]", "(x, z)", "[u, v]", "[x]", "[s, t]", "[1, 2]", "[[1.5, 2.0], [3, 4]]", "x", "[]", "[x, u]"),
    "indices": ("k", "i", "0", "[0, 1]", "[[0], [1]]", "k[:2]", "5", "-1", "1.5", "u"),
    "axis": ("0", "1", "-1", "None", "-2", "5"),
    "axes": ("0", "(0, 1)", "[0, 1]", "[1]", "-1", "1", "2", "(1, 0)", "5", "None"),
    "shape": ("(3, 2)", "[6]", "-1", "(2, -1)", "()", "(2, 3)", "6", "[2, 3]", "(2, 2, 3)", "4", "(-2, 3)", "1.5", "k"),
    "counts": ("2", "1", "0", "3", "-1", "5", "None"),
    "number": ("2", "0.5", "0", "1", "-1.5", "s", "x[0]", "None", "1j"),
    "flag": ("True", "False"),
    "padding": ("[[1, 1], [0, 2]]", "((1, 2), (3, 4))", "[[0, 0]]", "1", "[[1, 1]]"),
    "function": ("None",),
}
ARRAYS = {KINDS[kind] for kind in ("array", "other", "positive", "matrix", "matrix too", "vector")}


class Side(NamedTuple):
    """What the calls of a framework are made of.

    Attributes
    ----------
    name: the name of the framework in `dialect_answers`.
    modules: the public modules, as expressions name them. The first that has a function gives it its name.
    out: name of functions, with stars -> why no dialect of arrays has them.
    kinds: name of a parameter -> kind, or what is given for it. After the name of a function, with stars, and a colon,
        for it alone; the first that fits is taken.
    dtypes: how the framework's own dtypes are written, with a star for the name.
    calls: name of a function -> whole calls of it beside those of its signature.
    most: how many calls of each function are made where the command does not say.
    undefined: whether the framework's answer to a call says nothing.
    accident: whether the framework refuses because its own Python fails, so that the class of the error says nothing.
    """

    name: str
    modules: tuple[str, ...]
    out: dict[str, str]
    kinds: dict[str, str | tuple[str, ...]]
    dtypes: str
    calls: dict[str, tuple[str, ...]]
    most: int = 12
    undefined: Callable[[str, Any], bool] = lambda call, answer: False
    accident: Callable[[Any], bool] = lambda refusal: False


@cache
def side(name: str) -> Side:
    """The side of a framework."""
    found = importlib.import_module(f"calls_{name}").SIDE
    assert isinstance(found, Side)
    return found


class Call(NamedTuple):
    """One call: its text, and the dtypes of x and of y."""

    text: str
    dtype: str
    other: str

    def __str__(self) -> str:
        return f"{self.text}  {self.dtype}" + f":{self.other}" * (self.other != self.dtype)


# --- what there is to call -------------------------------------------------------------------------------------------


def _module(of: Side, written: str, prefix: str = "") -> Any:
    from dialect_answers import framework

    first, *rest = written.split(".")
    found = importlib.import_module(prefix + framework(of.name).modules[first])
    for name in rest:
        found = getattr(found, name)
    return found


def functions(of: Side) -> tuple[dict[str, Callable[..., Any]], list[str]]:
    """The framework's public functions by name, and those of them that the dialect does not have."""
    found: dict[str, Callable[..., Any]] = {}
    absent, seen = [], set[int]()
    for written in of.modules:
        theirs, ours = _module(of, written), _module(of, written, "latticework.frontends.")
        for n in sorted(dir(theirs)):
            value, name = getattr(theirs, n), f"{written}.{n}"
            if n.startswith("_") or not callable(value) or inspect.isclass(value) or id(value) in seen:
                continue
            seen.add(id(value))
            if any(fnmatch(name, pattern) for pattern in of.out):
                continue
            if hasattr(ours, n):
                found[name] = value
            else:
                absent.append(name)
    return found, absent


def _given(of: Side, function: str, parameter: inspect.Parameter, arrays: int) -> tuple[str, ...]:
    """What is given for a parameter: by its name, else by its default."""
    short = function.rpartition(".")[2]
    for key, kind in of.kinds.items():
        if key == parameter.name or (":" in key and fnmatch(f"{short}:{parameter.name}", key)):
            if isinstance(kind, tuple):
                return kind
            if kind == "dtype":
                return tuple(of.dtypes.replace("*", d) for d in DTYPES)
            return KINDS["other" if kind == "array" and arrays else kind]
    default = parameter.default
    if isinstance(default, bool):
        return KINDS["flag"]
    if isinstance(default, int):
        return KINDS["counts"]
    if isinstance(default, float):
        return KINDS["number"]
    if default is parameter.empty:
        return KINDS["other" if arrays else "array"]
    return ()


def texts(of: Side, name: str, function: Callable[..., Any]) -> list[str]:
    """The calls of a function that its parameters allow."""
    short = name.rpartition(".")[2]
    found = list(of.calls.get(short, ()))
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return found
    required, optional, only = list[tuple[str, ...]](), dict[str, tuple[str, ...]](), set[int]()
    names = []
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            continue
        given = _given(of, name, p, len(required))
        given = given if p.default is None else tuple(v for v in given if v != "None")
        if p.kind is p.VAR_POSITIONAL:
            required += [KINDS["array"], KINDS["other"]]
            names += ["", ""]
        elif p.default is p.empty:
            if p.kind is p.POSITIONAL_ONLY:
                only.add(len(required))
            required.append(given)
            names.append(p.name)
        elif given:
            optional[p.name] = given
    base = [g[0] if g else "None" for g in required]
    bases = [base]
    for at, given in enumerate(required):
        bases += [[*base[:at], other, *base[at + 1 :]] for other in given[1:]]
    for a, b in itertools.combinations(range(len(required)), 2):
        if {required[a], required[b]} <= ARRAYS:  # two that fit together
            pairs = (("u", "v"), ("s", "t"), ("r", "r"), ("m", "h"), ("2", "3"), ("2.5", "s"), ("[1, 2]", "[1.5, 2.0]"))
            bases += [[*base[:a], p, *base[a + 1 : b], q, *base[b + 1 :]] for p, q in pairs]
        bases += [[*base[:a], p, *base[a + 1 : b], q, *base[b + 1 :]] for p in required[a][1:] for q in required[b][1:]]
    keyword = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}

    def written(values: list[str], *more: str) -> str:
        return f"{name}({', '.join([*values, *more])})"

    found += [written(values) for values in bases]
    if base and not only and all(names):
        found.append(written([], *(f"{n}={v}" for n, v in zip(names, base, strict=True))))
    for values in bases[: 1 + sum(len(g) for g in required)]:
        options = {n: given for n, given in optional.items() if len(given) > 1 or values == base}
        found += [written(values, f"{n}={v}") for n, given in options.items() for v in given]
    first = next(iter(optional), None)
    if first and first not in keyword and parameters[len(required)].name == first:
        found += [written(base, v) for v in optional[first]]
    for (a, of_a), (b, of_b) in itertools.combinations(optional.items(), 2):
        found += [written(base, f"{a}={v}", f"{b}={w}") for v in of_a[:4] for w in of_b[:4]]
    return [*dict.fromkeys(found)]


def _turn(seed: int, call: Call) -> int:
    return zlib.crc32(f"{seed} {call}".encode())


def calls(of: Side, name: str, function: Callable[..., Any], most: int, seed: int) -> list[Call]:
    """The calls of a function: the first dtype of two thirds of them is float32 or any, and all pairs meet y.

    The seed gives them their order, of which each run takes the first: a smaller share is a part of a larger one.
    """
    from dialect_answers import framework

    dtypes = [d for d in DTYPES if d not in framework(of.name).lacks]
    found: list[Call] = []
    for text in texts(of, name, function):
        used = {*re.findall(r"\b[a-z]+\b", text.partition("(")[2])}
        if not used & {*"xyzpquvwnmhster", "img", "ker", "sig"}:
            found.append(Call(text, "float32", "float32"))
            continue
        found += [Call(text, d, d) for d in dtypes]
        if "y" in used:
            found += [Call(text, d, o) for d in dtypes for o in dtypes if d != o]
    # Each text has the same chance: its dtypes come by turns.
    by_text: dict[str, list[Call]] = {}
    for call in sorted(found, key=lambda c: _turn(seed, c)):
        by_text.setdefault(call.text, []).append(call)
    order = sorted(by_text, key=lambda t: zlib.crc32(f"{seed} {t}".encode()))
    rounds = itertools.zip_longest(*(by_text[t] for t in order))
    return [call for row in rounds for call in row if call is not None][: most or None]


# --- both answers ----------------------------------------------------------------------------------------------------

AGREES, REFUSED, DIFFERS, UNDEFINED = "agrees", "both refuse", "differs", "undefined"


def outcome(of: Side, call: Call) -> tuple[str, str]:
    """How a call comes out in both, and what differs."""
    from dialect_answers import Refusal, Sample, difference, framework, ours, theirs

    sample = Sample(call.text, (), False, None, False)
    expected = theirs(of.name, sample, call.dtype, call.other)
    no_kernel = isinstance(expected, Refusal) and expected.classes[0] in framework(of.name).no_kernel
    if no_kernel or of.undefined(call.text, expected):
        return UNDEFINED, ""
    found = ours(of.name, sample, call.dtype, call.other)
    if isinstance(expected, Refusal) and isinstance(found, Refusal) and of.accident(expected):
        return REFUSED, ""
    told = difference(found, expected, sample)
    if told:
        return DIFFERS, told.replace("\n", " ")[:300]
    return (REFUSED if isinstance(expected, Refusal) else AGREES), ""


class Outcome(NamedTuple):
    """How one call came out."""

    call: Call
    kind: str
    told: str = ""


def chosen(of: Side, patterns: list[str], most: int, share: float, seed: int) -> dict[str, list[Call]]:
    """The calls of a run, by function."""
    found, _ = functions(of)
    wanted = {n: f for n, f in found.items() if not patterns or any(fnmatch(n, p) for p in patterns)}
    limit = max(1, round(most * share)) if most else 0
    return {n: calls(of, n, f, limit, seed) for n, f in wanted.items()}


def work(of: Side, backend: str) -> None:
    """Answer the calls that come by standard input, a line each: what a worker does."""
    import latticework as lw

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a call prints is no answer
    with lw.using(backend=backend):
        for line in sys.stdin:
            call = Call(*json.loads(line))
            out.write(json.dumps(outcome(of, call)) + "\n")
            out.flush()


class Worker:
    """A process that makes the calls, which is replaced when one of them ends it or does not come back."""

    def __init__(self, name: str, backend: str) -> None:
        self.command = [sys.executable, __file__, name, "--backend", backend, "--worker"]
        self.process: subprocess.Popen[str] | None = None

    def answer(self, call: Call) -> Outcome:
        """How the call comes out."""
        if self.process is None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()
        line = ""
        if select.select([self.process.stdout], [], [], PATIENCE)[0]:
            line = self.process.stdout.readline()
        if not line:
            self.stop()
            return Outcome(call, UNDEFINED, "the process ends or does not come back")
        return Outcome(call, *json.loads(line))

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def answers(of: Side, wanted: dict[str, list[Call]], backend: str, seconds: float) -> Iterator[tuple[str, Outcome]]:
    """How the calls of each function come out, as many of them as there is time for."""
    worker = Worker(of.name, backend)
    try:
        for name, made in wanted.items():
            until = time.monotonic() + seconds
            for call in made:
                yield name, worker.answer(call)
                if time.monotonic() > until:
                    print(f"{name}: stopped after {seconds:.0f} seconds", file=sys.stderr)
                    break
    finally:
        worker.stop()


# --- the list --------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """What is known to differ: calls by their text, with stars, their dtypes, and the reason."""

    text: str
    dtypes: tuple[str, ...]
    reason: str

    def holds(self, call: Call) -> bool:
        """Whether a call is meant."""
        if not _starred(self.text).fullmatch(call.text):
            return False
        pair = call.dtype if call.other == call.dtype else f"{call.dtype}:{call.other}"
        return not self.dtypes or any(_starred(d).fullmatch(pair) for d in self.dtypes)

    @property
    def exact(self) -> bool:
        """Whether it names its calls one by one."""
        return "*" not in self.text and bool(self.dtypes) and not any("*" in d for d in self.dtypes)


@cache
def _starred(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))


def listed(name: str, folder: Path = LISTS) -> list[Row]:
    """The list of a framework: a reason and a colon, and below it lines of calls and, after two spaces, dtypes."""
    file = folder / f"{name}.txt"
    rows, reason = list[Row](), ""
    for line in file.read_text().splitlines() if file.exists() else ():
        if line.startswith("    "):
            text, _, dtypes = line.strip().partition("  ")
            rows.append(Row(text, tuple(dtypes.split()), reason))
        elif line.strip() and not line.startswith("#"):
            reason = line.strip().removesuffix(":")
    return rows


class Verdict(NamedTuple):
    """What is wrong with outcomes beside the list: what differs unlisted, and what is listed and agrees."""

    new: list[Outcome]
    agreeing: list[str]


def judge(rows: list[Row], found: list[Outcome], whole: bool) -> Verdict:
    """Compare outcomes with the list.

    A line without a star is wrong as soon as one of its calls agrees. One with stars is wrong when all of the calls
    agree that it meets in a whole run.
    """
    new, agreeing = list[Outcome](), list[str]()
    met: dict[Row, list[Outcome]] = {}
    for one in found:
        holding = [row for row in rows if row.holds(one.call)]
        for row in holding:
            met.setdefault(row, []).append(one)
        if one.kind == DIFFERS and not holding:
            new.append(one)
    for row, ones in met.items():
        agree = [str(one.call) for one in ones if one.kind in (AGREES, REFUSED)]
        if row.exact:
            agreeing += agree
        elif whole and len(agree) == len(ones):
            agreeing.append(row.text)
    return Verdict(new, agreeing)


def record(name: str, new: list[Outcome], folder: Path = LISTS) -> None:
    """Add calls that differ to the list, without a reason, to be moved below one."""
    by_text: dict[str, list[str]] = {}
    for one in new:
        by_text.setdefault(one.call.text, []).append(str(one.call).rpartition("  ")[2])
    lines = [f"    {text}  {' '.join(sorted(dtypes))}" for text, dtypes in sorted(by_text.items())]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.txt").open("a") as file:
        file.write("\n".join(["", f"{NOT_LISTED}:", *lines, ""]))


# --- the command -----------------------------------------------------------------------------------------------------


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    p.add_argument("framework", choices=SIDES, nargs="?", default=SIDES[0])
    p.add_argument("--backend", default="numpy", help="the backend that the dialect runs on")
    p.add_argument("--functions", nargs="+", default=[], help="names of functions, with stars")
    p.add_argument("--most", type=int, help="how many calls of each function, 0 for all")
    p.add_argument("--share", type=float, default=1.0, help="the share of those that is made")
    p.add_argument("--seed", type=int, default=0, help="which calls they are")
    p.add_argument("--seconds", type=float, default=60.0, help="how long the calls of one function may take")
    p.add_argument("--show", type=int, default=10, help="how many of the calls that differ are printed")
    p.add_argument("--record", action="store_true", help="add what differs to the list")
    p.add_argument("--write", type=Path, help="a file to write all calls that differ to")
    p.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return p.parse_args()


def main() -> int:
    """Make the calls, print the counts and what is wrong."""
    asked = _arguments()
    of = side(asked.framework)
    if asked.worker:
        work(of, asked.backend)
        return 0
    most = of.most if asked.most is None else asked.most
    wanted = chosen(of, asked.functions, most, asked.share, asked.seed)
    found, by_function = list[Outcome](), Counter[str]()
    for name, one in answers(of, wanted, asked.backend, asked.seconds):
        found.append(one)
        by_function[name] += one.kind == DIFFERS
    counts = Counter(one.kind for one in found)
    rows = listed(of.name) if asked.backend == "numpy" else []
    verdict = judge(rows, found, whole=asked.share == 1 and asked.seed == 0 and most >= of.most and not asked.functions)
    differing = [one for one in found if one.kind == DIFFERS]
    if asked.write:
        asked.write.write_text("".join(f"{one.call}: {one.told}\n" for one in differing))
    if asked.record:
        record(of.name, verdict.new)
    _, absent = functions(of)
    classes = sum(one.told.startswith("raised ") for one in differing)
    agree, compared = counts[AGREES] + counts[REFUSED], len(found) - counts[UNDEFINED]
    print(f"{of.name} on {asked.backend}: {len(wanted)} functions, {compared} calls, seed {asked.seed}")
    print(
        f"{agree} agree ({100 * agree / max(compared, 1):.1f} of a hundred), {counts[REFUSED]} of them refused by both"
    )
    print(f"{len(differing)} differ, {classes} of them in the class of the error; {len(verdict.new)} are not listed")
    print(f"{counts[UNDEFINED]} more have no answer in the framework")
    print(f"absent: {len(absent)}: {' '.join(absent)}")
    print("most differ:", ", ".join(f"{n} {c}" for n, c in by_function.most_common(asked.show) if c))
    for one in verdict.new[: asked.show]:
        print(f"differs: {one.call}: {one.told}")
    for text in verdict.agreeing[: asked.show]:
        print(f"listed, and agrees: {text}")
    return int(bool(verdict.new or verdict.agreeing))


if __name__ == "__main__":
    import calls_by_signature  # by its name, which is the module that the frameworks' sides import

    raise SystemExit(calls_by_signature.main())
