"""Run a function on arrays without data, once for each path that values may choose, and tell how each run ended.

What a run changes in the objects that the function holds is restored after it.
"""

from __future__ import annotations

import inspect
import linecache
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dis import opmap
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from ..backends.abstract.data import Blank, answers
from ..core.dtypes import Dtype
from ..engine.arrays.array import Array
from ..engine.functions.without_data import restored
from ..engine.plans import plan
from ..errors import BackendError, NoDataError, PromotionError
from ..policy import Policy, block

__all__ = ["SAMPLES", "Answers", "Endless", "Ends", "Failure", "Sample", "ends_of", "refusals"]

#: Runs for one dtype and rank at most, one for each path through the function.
RUNS = 64
#: The number of times in a run that both answers are tried for one expression. Later answers alternate, to end loops.
_BOTH_ANSWERS = 2
#: Answers in a run at most: more are a loop that no answer ends.
_QUESTIONS = 2_000
#: Elements taken from a generator at most.
_ELEMENTS = 1_000

_SCALAR = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_PACKAGE = str(Path(__file__).parents[1])
_HERE = str(Path(__file__).parent)
_RAISES = (opmap["RAISE_VARARGS"], opmap["RERAISE"])


class Sample(NamedTuple):
    """The shapes of the arrays in a call: the ranks of the first and of the others, and the extent of each axis."""

    first: int
    others: int
    extent: int | None


#: In the order in which they are tried: the second and the third list only where no dtype completes with those before.
SAMPLES = (
    [Sample(n, n, 3) for n in (2, 1, 0, 3)],
    [Sample(n, n, None) for n in (2, 1, 3)],
    [Sample(n, m, 3) for n in (2, 1, 3, 0) for m in (1, 2, 0, 3) if n != m],
)


class Endless(BaseException):
    """A run asks for more values than any path through the function needs. No handler of the user's catches it."""


class Failure(NamedTuple):
    """The error with which a run ended.

    Attributes
    ----------
    text: the error, and the user's line and expression that raised it.
    error: its class.
    kind: "dtype" where the plan of a call or a declaration refuses, whatever the shapes; "type" for another TypeError
        of latticework; "shape" for a TypeError about the number of axes, as `len` raises it; "raised" for any other
        error of latticework, or of a `raise` in the function; "python" for an error of Python or of another library;
        "unknown" where the run needs a value that there is none for.
    """

    text: str
    error: type[BaseException]
    kind: str


class Answers:
    """Answers to questions for values, so that runs one after the other take every path, depth first.

    Attributes
    ----------
    operands: the arrays that the function was called with, to notice whose value it asks for.
    read: the positions of those whose value was asked for.
    """

    def __init__(self) -> None:
        self.chosen: list[bool] = []
        self.operands: list[Blank] = []
        self.read: set[int] = set()
        self.start()

    def start(self) -> None:
        """Begin a run."""
        self.next = self.count = 0
        self.times: Counter[object] = Counter()

    def again(self) -> bool:
        """Tell whether there is a path that no run has taken. The next run takes it."""
        while self.chosen and not self.chosen[-1]:
            self.chosen.pop()
        if self.chosen:
            self.chosen[-1] = False
        return bool(self.chosen)

    def choose(self, place: object) -> bool:
        """Answer one question: True first, then False."""
        self.count += 1
        if self.count > _QUESTIONS:
            raise Endless
        times = self.times[place]
        self.times[place] += 1
        if times >= _BOTH_ANSWERS:
            return bool((times - _BOTH_ANSWERS) % 2)
        if self.next == len(self.chosen):
            self.chosen.append(True)
        self.next += 1
        return self.chosen[self.next - 1]

    def __call__(self, data: Blank) -> Any:
        """Return the value of an array without data: 1 or 0 of its dtype."""
        self.read.update(i for i, x in enumerate(self.operands) if x is data)
        return _SCALAR[data.dtype.kind](self.choose(_place()))


def _place() -> object:
    """Return the place in the user's code that is running."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def ends_of(call: Callable[[], Any], choices: Answers, policy: Policy, function: Any) -> Iterator[Failure | None]:
    """Run a call once for each path through it, and give how each run ended: None, or a failure.

    Parameters
    ----------
    choices: what answers for values.
    policy: the policy in force, with a backend of arrays without data.
    function: the function behind the call. What it holds is restored after each run.

    Raises
    ------
    Endless: where a run asks for values in a loop that none of the answers ends.
    """
    for _ in range(RUNS):
        choices.start()
        with block(policy), restored(function):
            token = answers.set(choices)
            try:
                _exhaust(call())
                end = None
            except Exception as error:
                end = _failure(error)
            finally:
                answers.reset(token)
        yield end
        if not choices.again():
            return


def _exhaust(result: Any) -> None:
    """Run what a generator or a coroutine does."""
    if inspect.iscoroutine(result):
        try:
            result.send(None)
        except StopIteration:
            return
        result.close()
        raise NoDataError("it waits for another task")
    if hasattr(result, "__next__"):
        for _, _element in zip(range(_ELEMENTS), result, strict=False):
            pass


# --- how a run failed -------------------------------------------------------------------------------------------------


def _failure(error: Exception) -> Failure:
    frames = [*_frames(error.__traceback__)]
    users = [(code, at) for code, at, _ in frames if not code.co_filename.startswith(_PACKAGE)]
    code, at, variables = frames[-1]
    of_user = bool(users) and users[-1] == (code, at)
    raised = of_user and code.co_code[at] in _RAISES
    text = str(error).partition("\n")[0]
    if raised or not isinstance(error, TypeError):
        text = f"it raises {type(error).__name__}{': ' * bool(text)}{text}"
    if isinstance(error, NoDataError):
        kind = "unknown"
    elif isinstance(error, (PromotionError, BackendError)) or code.co_filename == plan.__file__:
        kind = "dtype"
    elif raised:
        kind = "raised"
    elif of_user or code.co_filename.startswith(_HERE):  # this folder has called what is written in C
        kind = "python"
    elif not isinstance(error, TypeError):
        kind = "raised"
    else:
        kind = "shape" if _about_axes(code, variables) else "type"
    return Failure(f"{text} ({_expression(*users[-1])})" if users else text, type(error), kind)


def _about_axes(code: CodeType, variables: dict[str, Any]) -> bool:
    """Tell whether a TypeError is one of a built-in function of Python that takes only arrays with axes, or without."""
    if code is getattr(Array.__float__, "__code__", None):  # `__int__` and the others have the same code
        return bool(variables["x"].ndim)
    return code in (Array.__len__.__code__, Array.__iter__.__code__)


def _frames(traceback: TracebackType | None) -> Iterator[tuple[CodeType, int, dict[str, Any]]]:
    while traceback is not None:
        yield traceback.tb_frame.f_code, traceback.tb_lasti, traceback.tb_frame.f_locals
        traceback = traceback.tb_next


def _expression(code: CodeType, at: int) -> str:
    """Return the expression of an instruction, with its file and line."""
    line, end, column, stop = [*code.co_positions()][at // 2]
    place = f"{code.co_filename}:{line or code.co_firstlineno}"
    if line is None or line != end or column is None or stop is None:
        return place
    written = linecache.getline(code.co_filename, line).encode()[column:stop].decode(errors="replace").strip()
    return f"{written} at {place}" if written else place


# --- which dtypes are refused -----------------------------------------------------------------------------------------

Ends = dict[tuple[Dtype, Sample], list[Failure | None]]


def refusals(ends: Ends) -> dict[Dtype, str]:
    """Return the dtypes that are refused, and why, from how the runs ended."""
    refused: dict[Dtype, str] = {}
    for dtype, why in _reasons(ends):
        refused.setdefault(dtype, why)
    return refused


def _reasons(ends: Ends) -> Iterator[tuple[Dtype, str]]:
    """Give dtypes with reasons to refuse them, the more certain reasons first.

    An error of the plan of a call refuses a dtype whatever the shapes. Any other error is of the dtype where another
    dtype does not raise it on arrays of the same shapes, or where it is the same for arrays of several ranks.
    """
    for (dtype, _), runs in ends.items():
        yield from ((dtype, end.text) for end in runs if end is not None and end.kind == "dtype")
    completed = {dtype for (dtype, _), runs in ends.items() if None in runs}
    for sample in dict.fromkeys(s for _, s in ends):
        of_sample = {d: runs for (d, s), runs in ends.items() if s == sample}
        if any(None in runs for runs in of_sample.values()):
            for dtype, runs in of_sample.items():
                yield from ((dtype, why) for why in _unlike_others(runs, [*of_sample.values()], dtype in completed))
    for dtype in dict.fromkeys(d for d, _ in ends):
        kinds = ("type",) if dtype in completed else ("type", "raised")
        ranks: dict[str, set[int]] = {}
        for sample, end in ((s, end) for (d, s), runs in ends.items() if d is dtype for end in runs):
            if end is not None and end.kind in kinds:
                ranks.setdefault(end.text, set()).add(sample.first)
        yield from ((dtype, text) for text, several in ranks.items() if len(several) > 1)


def _unlike_others(runs: list[Failure | None], of_sample: list[list[Failure | None]], completed: bool) -> Iterator[str]:
    """Give reasons to refuse a dtype where another one completes with arrays of the same shapes.

    Parameters
    ----------
    runs, of_sample: how the runs with the dtype ended, and those with each dtype.
    completed: whether the dtype completes with other shapes: then no error but a TypeError is of the dtype.
    """
    failures = [end for end in runs if end is not None]
    if any(all(end is None or end.kind != "type" for end in others) for others in of_sample):
        yield from (end.text for end in failures if end.kind == "type")
    if None not in runs and all(end.kind != "unknown" for end in failures):
        for end in failures:
            if not completed or (end.kind != "shape" and issubclass(end.error, TypeError)):
                yield end.text
