"""Run a function on arrays without data, every way that a value may send it, and tell how each run ended.

Whatever such a run changes in the objects that the function holds is brought back after it.
"""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from dis import opmap
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from ..backends.abstract.data import Blank, answers
from ..core.dtypes import Dtype
from ..engine import plan
from ..engine.array import Array
from ..engine.without_data import restored
from ..errors import BackendError, NoDataError, PromotionError
from ..policy import Policy, block

__all__ = ["SAMPLES", "Answers", "Endless", "Ends", "Failure", "Sample", "ends_of", "refusals"]

#: Runs for one dtype and rank, one for each way that values may send the function.
RUNS = 64
#: Questions that one line may ask in a run with both answers tried. Later ones are answered in turns, so loops end.
_BOTH_ANSWERS = 2
#: Questions of one run. It is given up after so many, as one in a loop that no answer ends.
_QUESTIONS = 2_000
#: Elements taken from a generator.
_ELEMENTS = 1_000

_SCALAR = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_PACKAGE = str(Path(__file__).parents[1])
_HERE = str(Path(__file__).parent)
_RAISES = (opmap["RAISE_VARARGS"], opmap["RERAISE"])


class Sample(NamedTuple):
    """What arrays a function is called with: the ranks of the first and of the others, and the extent of each axis."""

    first: int
    others: int
    extent: int | None


#: In the order in which they are tried: the second and the third only where no dtype completes with those before.
SAMPLES = (
    [Sample(n, n, 3) for n in (2, 1, 0, 3)],
    [Sample(n, n, None) for n in (2, 1, 3)],
    [Sample(n, m, 3) for n in (2, 1, 3, 0) for m in (1, 2, 0, 3) if n != m],
)


class Endless(BaseException):
    """A run asks for more values than any way through the function needs. No handler of the user's catches it."""


class Failure(NamedTuple):
    """How a run ended that raised an error.

    Attributes
    ----------
    text: the error, and the user's line and expression that raised it.
    error: its class.
    kind: "dtype" for what the plan or a declaration refuses, before any shape is looked at; "type" for another
        TypeError of latticework; "shape" for one of Python's built-in functions, of an array with axes or without;
        "raised" for any other error that latticework raises, or that the function has a
        `raise` for; "python" for what Python or another library raises; and "unknown" where the run needs a value that
        nobody can give.
    """

    text: str
    error: type[BaseException]
    kind: str


class Answers:
    """Answers to the questions for values, so that one run after the other goes every way: depth first.

    Attributes
    ----------
    operands: the arrays that the function was called with, to notice those that it takes the value of.
    read: the positions of these.
    """

    def __init__(self) -> None:
        self.chosen: list[bool] = []
        self.operands: list[Blank] = []
        self.read: set[int] = set()
        self.start()

    def start(self) -> None:
        """Begin a run."""
        self.next = self.count = 0
        self.asked: dict[object, int] = {}

    def again(self) -> bool:
        """Whether there is a way that no run has gone. It is the next one's."""
        while self.chosen and not self.chosen[-1]:
            self.chosen.pop()
        if self.chosen:
            self.chosen[-1] = False
        return bool(self.chosen)

    def choose(self, place: object) -> bool:
        """Decide one question: True first, then False."""
        self.count += 1
        if self.count > _QUESTIONS:
            raise Endless
        times = self.asked.get(place, 0)
        self.asked[place] = times + 1
        if times >= _BOTH_ANSWERS:
            return bool((times - _BOTH_ANSWERS) % 2)
        if self.next == len(self.chosen):
            self.chosen.append(True)
        self.next += 1
        return self.chosen[self.next - 1]

    def __call__(self, data: Blank) -> Any:
        """The value of an array without data: 1 or 0 of its dtype."""
        self.read.update(i for i, x in enumerate(self.operands) if x is data)
        return _SCALAR[data.dtype.kind](self.choose(_asking()))


def _asking() -> object:
    """The place in the user's code that is running."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def ends_of(call: Callable[[], Any], ways: Answers, policy: Policy, holds: Any) -> Iterator[Failure | None]:
    """Call a function of no arguments once for each way through it, and give how each call ended: None, or a failure.

    Parameters
    ----------
    ways: what answers for values.
    policy: what is in force, with a backend of arrays without data.
    holds: the function behind the call. What it holds is brought back after each call.

    Raises
    ------
    Endless: where a run asks for values in a loop that none of the answers ends.
    """
    for _ in range(RUNS):
        ways.start()
        with block(policy), restored(holds):
            token = answers.set(ways)
            try:
                _exhaust(call())
                end = None
            except Exception as error:
                end = _failure(error)
            finally:
                answers.reset(token)
        yield end
        if not ways.again():
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
    of_user |= code.co_filename.startswith(_HERE)  # which has called what is written in C
    text = str(error).partition("\n")[0]
    if raised or not isinstance(error, TypeError):
        text = f"it raises {type(error).__name__}{': ' * bool(text)}{text}"
    kind = _kind(error, code, raised, of_user)
    if kind == "type" and _about_shape(code, variables):
        kind = "shape"
    return Failure(f"{text} ({_expression(*users[-1])})" if users else text, type(error), kind)


def _kind(error: Exception, code: CodeType, raised: bool, of_user: bool) -> str:
    if isinstance(error, NoDataError):
        return "unknown"
    if isinstance(error, (PromotionError, BackendError)) or code.co_filename == plan.__file__:
        return "dtype"
    if of_user and not raised:
        return "python"
    return "type" if isinstance(error, TypeError) and not raised else "raised"


def _about_shape(code: CodeType, variables: dict[str, Any]) -> bool:
    """Whether a TypeError is of an array with no axes, or with some, as the built-in functions of Python have it."""
    if code is Array._scalar.__code__:
        return bool(variables["self"].ndim)
    return code in (Array.__len__.__code__, Array.__iter__.__code__)


def _frames(traceback: TracebackType | None) -> Iterator[tuple[CodeType, int, dict[str, Any]]]:
    while traceback is not None:
        yield traceback.tb_frame.f_code, traceback.tb_lasti, traceback.tb_frame.f_locals
        traceback = traceback.tb_next


def _expression(code: CodeType, at: int) -> str:
    """What is written at an instruction, and its file and line."""
    line, end, column, stop = [*code.co_positions()][at // 2]
    place = f"{code.co_filename}:{line or code.co_firstlineno}"
    if line is None or line != end or column is None or stop is None:
        return place
    written = linecache.getline(code.co_filename, line).encode()[column:stop].decode(errors="replace").strip()
    return f"{written} at {place}" if written else place


# --- what follows from them -------------------------------------------------------------------------------------------

Ends = dict[tuple[Dtype, Sample], list[Failure | None]]


def refusals(ends: Ends) -> dict[Dtype, str]:
    """The dtypes that are refused, and why, from how the runs ended.

    A dtype is refused by the plan of a call, whatever the shapes are. Any other error says something of the dtype where
    it is another dtype that does not meet it, with arrays of the same shapes; or where it reads the same whatever the
    shapes are.
    """
    refused: dict[Dtype, str] = {}
    completed = {d for (d, _), found in ends.items() if None in found}
    for (dtype, _), found in ends.items():
        for end in found:
            if end is not None and end.kind == "dtype":
                refused.setdefault(dtype, end.text)
    for sample in dict.fromkeys(s for _, s in ends):
        of_sample = {d: found for (d, s), found in ends.items() if s == sample}
        if any(None in found for found in of_sample.values()):
            _add(refused, {d: _beside_others(found, of_sample, d in completed) for d, found in of_sample.items()})
    for dtype in dict.fromkeys(d for d, _ in ends):
        kinds = ("type",) if dtype in completed else ("type", "raised")
        _add(refused, {dtype: _whatever_shapes({s: found for (d, s), found in ends.items() if d is dtype}, kinds)})
    return refused


def _add(refused: dict[Dtype, str], found: dict[Dtype, str | None]) -> None:
    for dtype, why in found.items():
        if why is not None:
            refused.setdefault(dtype, why)


def _beside_others(
    found: list[Failure | None], of_sample: dict[Dtype, list[Failure | None]], completed: bool
) -> str | None:
    """Why a dtype is refused where another one completes with arrays of the same shapes; None where it is taken.

    Parameters
    ----------
    completed: whether the dtype completes with other shapes, so that only a TypeError says something of it.
    """
    failures = [end for end in found if end is not None]
    types = [end for end in failures if end.kind == "type"]
    if types and any(all(end is None or end.kind != "type" for end in ends) for ends in of_sample.values()):
        return types[0].text
    if None in found or any(end.kind == "unknown" for end in failures):
        return None
    return next(
        (e.text for e in failures if not completed or (e.kind != "shape" and issubclass(e.error, TypeError))), None
    )


def _whatever_shapes(found: dict[Sample, list[Failure | None]], kinds: tuple[str, ...]) -> str | None:
    """The error that a dtype meets with arrays of several ranks, in the same words; None where there is none."""
    ranks: dict[str, set[int]] = {}
    for sample, ends in found.items():
        for end in ends:
            if end is not None and end.kind in kinds:
                ranks.setdefault(end.text, set()).add(sample.first)
    return next((text for text, of in ranks.items() if len(of) > 1), None)
