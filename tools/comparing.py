"""Run short programs on NumPy and on another backend, and say where the two part: what the fuzzing tools share.

A program is text, statement by statement, and what is executed is what is printed when a difference is found. After
each statement every array of the program is looked at: its dtype, shape, weak flag and values, whether its native
array has the dtype that it says, and whether it changed though the statement did not name it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import queue
import random
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import latticework as lw
from latticework.backend import get
from latticework.backend.deviations import deviations
from latticework.backend.facts import all_facts
from latticework.cli.output import bar
from latticework.core.dtypes import category

__all__ = ["Different", "Finding", "Maker", "Program", "Statement", "Tally", "compare", "main"]

REFERENCE = "numpy"
#: Seconds that one program may take: more is as bad as a crash.
LIMIT = 60
#: Errors that may be worded in two ways, by what both have in common: they hand on the framework's own reason.
OWN_WORDS = ("LinAlgError linalg.", "IndexError nn.nll_loss", "BackendError linalg.schur", "read-only")


class Passed(NamedTuple):
    """A difference that is passed over: of a function, or of all whose names begin like this, on a backend or on all.

    Attributes
    ----------
    what: in what they differ, as in `Different`.
    where: "infinities or nan" among the values, or "" for any.
    """

    function: str
    backend: str
    what: str
    where: str
    reason: str


_BLOCKS = "which elements infinities and nan reach follows from the order that a kernel goes by"
#: What is no deviation from the standard, which leaves these to the frameworks.
PASSED = (
    Passed("linalg.", "", "value", "infinities or nan", _BLOCKS),
    Passed("linalg.", "", "error", "infinities or nan", _BLOCKS),
    Passed("fft.", "", "value", "infinities or nan", _BLOCKS),
    *(
        Passed(f"nn.{name}", "", "value", "infinities or nan", _BLOCKS)
        for name in ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "ctc_loss")
    ),
    Passed("sign", "", "value", "infinities or nan", "the formula z / abs(z) is nan for infinite z; NumPy checks"),
    Passed("atan", "", "value", "infinities or nan", "the sign of the real part at infinities of the imaginary axis"),
    Passed("divide_no_nan", "", "value", "infinities or nan", "complex infinities, by the formula of divide"),
    Passed("rsqrt", "", "value", "infinities or nan", "complex infinities, by the formula of sqrt and divide"),
    Passed("nn.bilinear", "", "value", "infinities or nan", _BLOCKS),
    *(
        Passed(name, "", "value", "infinities or nan", "edges that are nan have no bins between them")
        for name in ("histogram", "histogram2d", "histogramdd")
    ),
    *(
        Passed("linalg.logm", "", what, "", "an eigenvalue on the negative real axis, as its docstring says")
        for what in ("value", "error")
    ),
    Passed(
        "nn.ctc_loss", "torch", "error", "", "lengths beyond the arrays: PyTorch's kernel refuses them in its words"
    ),
    Passed("float_power", "", "value", "infinities or nan", "complex infinities, by the formula of pow"),
)
#: How far results may be from NumPy's, in units of the last place of the largest number in them.
ULPS = 64
#: The dtypes that floats are compared in, by kind.
WIDE = {"f": np.float64, "c": np.complex128}


class Statement(NamedTuple):
    """One line of a program.

    Attributes
    ----------
    text: the line.
    targets: names that it may bind or change.
    compared: what of its targets has to be the same on both: "values"; "shapes" where only dtype and shape are
        determined, as of eigenvectors; or "nothing", where it may be an error on one of them.
    functions: names of the functions that it calls, to look for listed deviations.
    through_a_view: whether it writes to an array that shares its memory with another one of the program on NumPy.
        Where arrays never change, that has to be an error.
    """

    text: str
    targets: tuple[str, ...] = ()
    compared: str = "values"
    functions: tuple[str, ...] = ()
    through_a_view: bool = False


class Program(NamedTuple):
    """Statements, and the policy that they run under: arguments of `lw.using` besides the backend."""

    statements: tuple[Statement, ...]
    policy: dict[str, str]

    def text(self, backend: str) -> str:
        """Return the program as a script that runs it on NumPy and on this backend, and prints what each gives."""
        policy = "".join(f", {name}={value!r}" for name, value in self.policy.items())
        imports = "import numpy as np\n" if any("np." in s.text for s in self.statements) else ""
        lines = [f"        {s.text}" for s in self.statements]
        last = self.statements[-1].targets
        return (
            f"import latticework as lw\n{imports}from math import inf, nan\n\n"
            f"for backend in ({REFERENCE!r}, {backend!r}):\n    with lw.using(backend=backend{policy}):\n"
            + "\n".join(lines)
            + f"\n        print(backend, {', '.join(last)})\n"
        )


class Seen(NamedTuple):
    """What a name of a program is bound to: of an array its dtype, shape, weak flag and values."""

    kind: str
    shape: tuple[int | None, ...] = ()
    weak: bool = False
    values: Any = None
    wrong: str = ""


class Outcome(NamedTuple):
    """What a statement came to: the error and its first line, what every name is bound to afterwards, and whether the
    error came when an array was computed, so that nothing of ours could word it."""

    error: type[BaseException] | None
    wording: str
    names: dict[str, list[Seen]]
    late: bool = False


class Different(NamedTuple):
    """Where two backends part: in what, at which statement, and how."""

    what: str
    index: int
    how: str


class Finding(NamedTuple):
    """A difference, the program that shows it, and which program of the series it is."""

    backend: str
    number: int
    different: Different
    program: Program


#: Makes a program of dice: the number of the program in its series is part of the seed.
Maker = Callable[[random.Random], Program]


# --- run ---------------------------------------------------------------------------------------------------------


def execute(program: Program, backend: str) -> list[Outcome]:
    """Run a program on a backend; return what each statement came to."""
    outcomes = []
    names: dict[str, Any] = {"lw": lw, "np": np, "inf": float("inf"), "nan": float("nan")}
    hidden = {*names, "__builtins__"}
    with quiet(backend), lw.using(backend=backend, **program.policy):
        for statement in program.statements:
            error: BaseException | None = None
            late = False
            try:
                exec(_compiled(statement.text), names)
            except Exception as e:
                error = e
            seen = {}
            for name in [n for n in names if n not in hidden]:
                try:
                    seen[name] = [look(x) for x in flat(names[name])]
                except Exception as e:  # of what is computed later, here
                    late = late or error is None
                    error = error or e
                    del names[name]
            wording = str(error).strip().partition("\n")[0] if error else ""
            outcomes.append(Outcome(type(error) if error else None, wording, seen, late))
            _let_go(error)
            del error
    return outcomes


def _let_go(error: BaseException | None) -> None:
    """Empty the frames that an error and those before it hold, which have arrays in them."""
    while error is not None:
        if error.__traceback__ is not None:
            traceback.clear_frames(error.__traceback__)
        error.__traceback__, error = None, error.__cause__ or error.__context__


@cache
def _compiled(text: str) -> Any:
    return compile(text, "<program>", "exec")


@contextmanager
def quiet(backend: str) -> Iterator[None]:
    """Run without the frameworks' warnings of overflow and nan, in this thread."""
    alone = get(backend).in_this_thread
    with warnings.catch_warnings(), np.errstate(all="ignore"), alone():
        warnings.simplefilter("ignore")
        yield


def flat(value: Any) -> Iterator[Any]:
    """Yield the arrays and other values in nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        for x in value:
            yield from flat(x)
    else:
        yield value


def look(x: Any) -> Seen:
    """Return what can be seen of a value. Of an array, what its native array contradicts is in `wrong`."""
    if not isinstance(x, lw.Array):
        return Seen(f"Python {type(x).__name__}", values=x)
    backend = x._sig.backend
    native = backend.dtype_of(x._data)
    values = np.array(x)  # a copy, which later writing leaves alone
    wrong = ""
    if backend.dtypes.get(native) is not x.dtype:
        wrong = f"the array says {x.dtype} and its native array is {native}"
    elif None not in x.shape and tuple(x.shape) != values.shape:
        wrong = f"the array says shape {x.shape} and its native array has {values.shape}"
    return Seen(str(x.dtype), values.shape, bool(x.weak), values, wrong or ("" if None not in x.shape else "unknown"))


# --- compare -----------------------------------------------------------------------------------------------------


class Tally(NamedTuple):
    """What comparing one program came to: "equal", why it was passed over, or "different" and where."""

    verdict: str
    different: Different | None = None


def compare(program: Program, backend: str) -> Tally:
    """Run a program on NumPy and on a backend, statement by statement, until they part."""
    before: tuple[dict[str, list[Seen]], ...] = ({}, {})
    failed = False
    pairs = zip(program.statements, execute(program, REFERENCE), execute(program, backend), strict=True)
    for index, (statement, expected, got) in enumerate(pairs):
        tally = _compare(statement, expected, got, backend, before)
        if tally.different is not None:
            if _is_passed(statement, tally.different, backend, {**before[0], **expected.names}):
                return Tally("listed differences")
            return Tally("different", tally.different._replace(index=index))
        if tally.verdict != "equal":
            return tally
        if got.late:  # nothing is left of the array
            return Tally("the same error")
        failed = failed or expected.error is not None
        before = (expected.names, got.names)
    return Tally("the same error" if failed else "equal")


def _compare(
    statement: Statement,
    expected: Outcome,
    got: Outcome,
    backend: str,
    before: tuple[dict[str, list[Seen]], ...],
) -> Tally:
    def different(what: str, how: str) -> Tally:
        return Tally("different", Different(what, 0, how))

    for name, outcome, earlier in ((REFERENCE, expected, before[0]), (backend, got, before[1])):
        if changed := _changed(statement, outcome, earlier):
            return different("operand", f"{name}: {changed}")
    if statement.compared == "nothing":
        return Tally("equal")
    if expected.error or got.error:
        if statement.through_a_view and _VIEW in got.wording and all_facts()[backend].immutable:
            return Tally("writing to what would be a view")
        return _compare_errors(expected, got, backend)
    eps = max((e for o in (expected, got) for seen in o.names.values() for s in seen if (e := _eps(s))), default=0.0)
    for name in statement.targets:
        if (name in expected.names) != (name in got.names):
            return different("names", f"{name} is bound on one of them alone")
        mine, theirs = expected.names.get(name, []), got.names.get(name, [])
        if any(s.wrong == "unknown" for s in theirs) and len(mine) == len(theirs):
            return Tally("extents that are known later")
        for x in (*mine, *theirs):
            if x.wrong:
                return different("label", x.wrong)
        if [s[:3] for s in mine] != [s[:3] for s in theirs]:
            return different("dtype or shape", f"{_short(mine)} on {REFERENCE}, {_short(theirs)} on {backend}")
        for x, y in zip(mine, theirs, strict=True) if statement.compared == "values" else ():
            apart = _apart(x, y, eps)
            if apart is None or not apart.any():
                continue
            if _is_listed(statement, backend, x, y, apart):
                return Tally("listed deviations")
            where = tuple(int(i) for i in np.argwhere(apart)[0])
            shown = (f"{x.values[where]!s}", f"{y.values[where]!s}") if x.kind in _NAMES else (x.values, y.values)
            return different("value", f"{name}{[*where] or ''}: {shown[0]} on {REFERENCE}, {shown[1]} on {backend}")
    return Tally("equal")


def _is_passed(statement: Statement, different: Different, backend: str, names: dict[str, list[Seen]]) -> bool:
    """Whether a difference is in `PASSED`."""
    arrays = [s.values for seen in names.values() for s in seen if s.kind in _NAMES]
    there = {
        "": True,
        "infinities or nan": any(x.dtype.kind in "fcV" and not np.isfinite(x).all() for x in arrays),
    }
    return any(
        p.what == different.what and p.backend in ("", backend) and there[p.where]
        for p in PASSED
        for f in statement.functions
        if f == p.function or (p.function.endswith(".") and f.startswith(p.function))
    )


def _compare_errors(expected: Outcome, got: Outcome, backend: str) -> Tally:
    errors = [o.error.__name__ if o.error else "" for o in (expected, got)]  # LinAlgError is the framework's too
    if "BackendError" in errors and errors[0] != errors[1]:
        return Tally("dtypes that one of them does not take")
    if errors[0] == errors[1]:
        wording = [f"{errors[0]} {_neutral(o.wording)}" for o in (expected, got)]
        if (
            wording[0] != wording[1]
            and not got.late
            and not (all_facts()[backend].lazy and "(None" in got.wording)  # an extent that is known later
            and not any(all(words in w for w in wording) for words in OWN_WORDS)
        ):
            return Tally(
                "different", Different("wording", 0, f"{expected.wording!r}, and on {backend} {got.wording!r}")
            )
        return Tally("equal")
    said = [f"{o.error.__name__} {o.wording!r}" if o.error else "no error" for o in (expected, got)]
    return Tally("different", Different("error", 0, f"{said[0]} on {REFERENCE}, {said[1]} on {backend}"))


def _changed(statement: Statement, outcome: Outcome, before: dict[str, list[Seen]]) -> str:
    """Return which array changed that the statement did not name, or which one a failed statement changed."""
    allowed = () if outcome.error else statement.targets
    for name, earlier in before.items():
        if name in allowed or name not in outcome.names:
            continue
        for x, y in zip(earlier, outcome.names[name], strict=True):
            if x[:3] != y[:3] or (x.kind in _NAMES and x.values.tobytes() != y.values.tobytes()):
                return f"{statement.text!r} changed {name}"
    return ""


_VIEW = "this array was made of another one"
_NAMES = {str(d) for d in (*lw.all_dtypes, *lw.extended_dtypes)}
_BACKENDS = re.compile(r"(?i)\b(" + "|".join(all_facts()) + r"|np|cpu:0|cpu)\b( [0-9][\w.+]*)?")


def _neutral(wording: str) -> str:
    return _BACKENDS.sub("…", wording)


def _short(seen: Sequence[Seen]) -> str:
    return ", ".join(f"{s.kind}{list(s.shape)}{' weak' * s.weak}" for s in seen) or "nothing"


def _eps(seen: Seen) -> float:
    if seen.kind not in _NAMES or seen.kind[0] not in "bfc" or seen.kind == "bool":
        return 0.0
    return float(ml_dtypes.finfo(seen.values.dtype).eps)


def _apart(x: Seen, y: Seen, eps: float) -> Any:
    """Return which elements are apart; None for none."""
    if x.kind not in _NAMES:
        same = x.values == y.values or (x.values != x.values and y.values != y.values)
        close = isinstance(x.values, float) and abs(x.values - y.values) <= ULPS * eps * max(1.0, abs(x.values))
        return None if bool(same) or close else np.array(True)
    if x.values.dtype.kind in "biu":
        return x.values != y.values
    kind = "c" if x.values.dtype.kind == "c" else "f"
    a, b = x.values.astype(WIDE[kind]), y.values.astype(WIDE[kind])
    if kind == "c":
        both = ~np.isfinite(a) & ~np.isfinite(b)  # whose components are nan or not, by the formula
        return ~both & (_apart_floats(a.real, b.real, eps, abs(a)) | _apart_floats(a.imag, b.imag, eps, abs(a)))
    return _apart_floats(a, b, eps, abs(a))


@np.errstate(all="ignore")
def _apart_floats(a: Any, b: Any, eps: float, sizes: Any) -> Any:
    finite = sizes[np.isfinite(sizes)]
    near = ULPS * eps * max(1.0, float(finite.max()) if finite.size else 1.0)
    same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.isfinite(a) & np.isfinite(b) & (abs(a - b) <= near))
    return ~same


def _is_listed(statement: Statement, backend: str, x: Seen, y: Seen, apart: Any) -> bool:
    """Whether a deviation is listed for a function of the statement, and what differs is a special value."""
    if x.kind not in _NAMES:
        return False
    special = ~np.isfinite(x.values) | ~np.isfinite(y.values) | (x.values == 0) | (y.values == 0)
    return bool(special[apart].all()) and any(
        d.backend in (backend, REFERENCE) and d.function in statement.functions and _is_of(x.kind, d.dtypes)
        for d in deviations()
    )


@cache
def _is_of(dtype: str, dtypes: str) -> bool:
    """Whether a dtype is among names of dtypes, or of a category."""
    with suppress(KeyError):
        return dtype in [str(d) for d in category(dtypes)]
    return dtype in dtypes.split()


def shortened(program: Program, backend: str, different: Different) -> Program:
    """Return a program without the statements that its difference does not need."""
    kept = list(program.statements[: different.index + 1])
    if different.what in ("operand", "crash"):  # the targets of a statement follow from all before it
        return program._replace(statements=tuple(kept))
    for i in reversed(range(len(kept) - 1)):
        fewer = program._replace(statements=(*kept[:i], *kept[i + 1 :]))
        found = compare(fewer, backend).different
        if found is not None and found.what == different.what and found.index == len(fewer.statements) - 1:
            del kept[i]
    return program._replace(statements=tuple(kept))


# --- a series of programs ----------------------------------------------------------------------------------------


def program_of(make: Maker, seed: int, number: int) -> Program:
    """Return one program of a series."""
    return make(random.Random(f"{seed}/{number}"))


def series(
    make: Maker, backend: str, seed: int, numbers: range, step: Callable[[int], None] = lambda number: None
) -> tuple[Counter[str], list[Finding]]:
    """Compare programs of a series; return how many came to what, and the differences."""
    verdicts: Counter[str] = Counter()
    findings = []
    for number in numbers:
        step(number)
        program = program_of(make, seed, number)
        tally = compare(program, backend)
        verdicts[tally.verdict] += 1
        if tally.different is not None:
            program = shortened(program, backend, tally.different)
            findings.append(Finding(backend, number, tally.different, program))
        if len(verdicts) and number % 500 == 499 and "jax" in sys.modules:
            sys.modules["jax"].clear_caches()  # what was compiled for one program is of no use to another
    return verdicts, findings


def _in_a_process(make: Maker, backend: str, seed: int, numbers: range, at: Any, answers: Any) -> None:
    try:
        answers.put(series(make, backend, seed, numbers, lambda number: setattr(at, "value", number)))
    except BaseException:
        answers.put(traceback.format_exc())  # an error of the tool's own
        raise


def watched(
    make: Maker, backend: str, seed: int, count: int, tick: Callable[[int], None]
) -> tuple[Counter[str], list[Finding]]:
    """As `series`, in a process of its own: where a framework ends the process, that program is a finding too."""
    verdicts: Counter[str] = Counter()
    findings: list[Finding] = []
    parts = [range(start, min(start + 2000, count)) for start in range(0, count, 2000)]
    while parts:
        part = parts.pop(0)
        answer, at, why = _watched_part(make, backend, seed, part, tick)
        if isinstance(answer, str):
            raise RuntimeError(f"number {at} of seed {seed}: {answer}")
        if answer is None:
            findings.append(Finding(backend, at, Different("crash", -1, why), program_of(make, seed, at)))
            verdicts["different"] += 1
            parts = [p for p in (range(part.start, at), range(at + 1, part.stop)) if p] + parts
        else:
            verdicts += answer[0]
            findings += answer[1]
    return verdicts, findings


def _watched_part(
    make: Maker, backend: str, seed: int, part: range, tick: Callable[[int], None]
) -> tuple[Any, int, str]:
    """Run a part of a series in a process; return its answer, None without one, the last number, and why it ended."""
    context = multiprocessing.get_context("spawn")
    at, answers = context.Value("q", part.start), context.Queue()
    process = context.Process(target=_in_a_process, args=(make, backend, seed, part, at, answers))
    process.start()
    answer, moved, why = None, (part.start, time.monotonic()), ""
    while answer is None and (process.is_alive() or not answers.empty()):
        with suppress(queue.Empty):
            answer = answers.get(timeout=0.2)
        tick(at.value)
        if at.value != moved[0]:
            moved = (at.value, time.monotonic())
        elif answer is None and time.monotonic() - moved[1] > LIMIT:
            why = f"it ran for more than {LIMIT} s"
            process.kill()
    process.join()
    return answer, at.value, why or f"the process ended with {process.exitcode}"


def options(description: str | None, calls: int) -> argparse.ArgumentParser:
    """Return the parser of the arguments that both tools take."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    others = [b.name for b in lw.backends() if b.installed and b.name != REFERENCE]
    parser.add_argument("--calls", type=int, default=calls, help="how many programs to compare on each backend")
    parser.add_argument("--seed", type=int, help="which series of programs; another one each time by default")
    parser.add_argument("--backends", default=",".join(others), help=f"with commas between them: {','.join(others)}")
    parser.add_argument("--show", type=int, default=20, help="how many differences to print of each backend")
    return parser


def summary(backend: str, verdicts: Counter[str], unit: str) -> str:
    """Return one line of what was compared, what differs, and what was passed over for which reason."""
    counted = ("equal", "the same error", "different")
    passed = ", ".join(f"{n:,} {v}" for v, n in verdicts.most_common() if v not in counted)
    return (
        f"{backend}: {verdicts.total():,} {unit} compared with {REFERENCE}: {verdicts['equal']:,} equal, "
        f"{verdicts['the same error']:,} the same error, {verdicts['different']:,} different"
        + (f"; passed over: {passed}" if passed else "")
    )


def _tick(show: Callable[[float, str], None], now: str, done: int) -> None:
    show(done, now)


def main(make: Maker, arguments: argparse.Namespace, unit: str) -> int:
    """Compare a series on each backend, and print what was found; 1 where there are differences."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    print(f"seed {seed}")
    total = 0
    for backend in [b for b in arguments.backends.split(",") if b != REFERENCE]:
        with bar(f"Comparing {unit} on {backend}", arguments.calls) as show:
            tick = partial(_tick, show, f"seed {seed}")
            verdicts, findings = watched(make, backend, seed, arguments.calls, tick)
        print(summary(backend, verdicts, unit))
        for finding in findings[: arguments.show]:
            print(f"\n# {finding.different.what}: {finding.different.how}\n# number {finding.number} of seed {seed}")
            print(finding.program.text(backend))
        if len(findings) > arguments.show:
            print(f"and {len(findings) - arguments.show:,} more")
        total += verdicts["different"]
    return 1 if total else 0
