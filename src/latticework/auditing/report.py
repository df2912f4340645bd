"""The report of an audit: plain data, with its text, its JSON and its patch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..core.showing import shown
from .patching import Edit, patch_of
from .places import Place
from .text import Line, lines_of, plain, summary_of

__all__ = ["Audit", "Finding", "Fix", "InsertedCast", "Loss", "Outcome", "Stop", "data_of"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of one operation under one rule set, or on one backend.

    Attributes
    ----------
    run: the name of the rules; ``on torch`` for a backend under the rules in force.
    operands: the dtypes of arrays, and the types of Python scalars, in words.
    results: the dtypes of the results; empty where the operation is refused.
    weak: whether the results are weak.
    error: why it is refused; empty where it is not.
    why: the rule that decided, in words.
    """

    run: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    weak: bool
    error: str
    why: str


@dataclass(frozen=True)
class Fix:
    """An explicit cast with which the runs agree, tried under each of them.

    Attributes
    ----------
    text: the text to write in place of the expression.
    dtype: the dtype of the result under all of them.
    edits: the text to insert, and where; empty where the source does not show the operands.
    without: the runs that refuse the operation with any cast, which do not count.
    """

    text: str
    dtype: str
    edits: tuple[Edit, ...]
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """An operation that not all runs agree on.

    Attributes
    ----------
    place: the expression.
    operation: the latticework function that it calls.
    outcomes: its outcome in each run that reached it.
    follows: whether the difference follows from an earlier operation: the operands differ, and on equal operands all
        runs agree.
    fix: the cast that settles it; None where none was found, and where it follows.
    times: how many times the program went through this operation with this outcome.
    """

    place: Place
    operation: str
    outcomes: tuple[Outcome, ...]
    follows: bool
    fix: Fix | None
    times: int = 1

    @property
    def refused(self) -> tuple[Outcome, ...]:
        """The outcomes that are refusals."""
        return tuple(o for o in self.outcomes if o.error)

    @property
    def diverges(self) -> bool:
        """True if the runs give different result dtypes."""
        return len({o.results for o in self.outcomes if not o.error}) > 1


@dataclass(frozen=True)
class InsertedCast:
    """A cast of an array that latticework inserts before an operation.

    Attributes
    ----------
    place, operation, operand: the expression, the function, and the text of the operand, empty where it is not shown.
    source, target: the dtypes.
    runs: the runs that have it.
    loses: what the cast may lose; empty where it loses nothing.
    """

    place: Place
    operation: str
    operand: str
    source: str
    target: str
    runs: tuple[str, ...]
    loses: str


@dataclass(frozen=True)
class Loss:
    """A sum or product of integers that may be more than its dtype holds.

    Attributes
    ----------
    place, operation: the expression and the function.
    runs: the runs in which that may happen.
    loses: the loss, in words.
    """

    place: Place
    operation: str
    runs: tuple[str, ...]
    loses: str


@dataclass(frozen=True)
class Stop:
    """Runs that ended with an error, or at an expression that was not followed.

    Attributes
    ----------
    place: the expression, None where no line of the program raised the error.
    runs: the runs.
    error: the error.
    """

    place: Place | None
    runs: tuple[str, ...]
    error: str


@dataclass(frozen=True, repr=False)
class Audit:
    """The result of `audit`. ``str`` of it is for people, `to_json` for programs, `patch` for ``git apply``.

    Attributes
    ----------
    program: the name of the function.
    runs: the rule sets, and the backends as ``on torch``, that it ran under. The others are compared with the first.
    operations: the number of operations of the first run.
    findings: the operations on which not all runs agree, in the order of the program.
    casts: the casts that latticework inserted.
    own_casts: the number of casts that the program itself made, in the first run.
    sums: the sums of integers that may wrap around.
    stops: the runs that ended with an error.
    not_followed: the runs that ended at a function without a counterpart in latticework.
    results: the result of the program in each run, in words; empty for a run that stopped.
    """

    program: str
    runs: tuple[str, ...]
    operations: int
    findings: tuple[Finding, ...]
    casts: tuple[InsertedCast, ...]
    own_casts: int
    sums: tuple[Loss, ...]
    stops: tuple[Stop, ...]
    not_followed: tuple[Stop, ...]
    results: tuple[tuple[str, str], ...]

    @property
    def divergences(self) -> tuple[Finding, ...]:
        """The operations where result dtypes part ways and that do not follow from an earlier one."""
        return tuple(f for f in self.findings if f.diverges and not f.follows)

    @property
    def refusals(self) -> tuple[Finding, ...]:
        """The operations that some run refuses and that do not follow from an earlier one."""
        return tuple(f for f in self.findings if f.refused and not f.follows)

    @property
    def agrees(self) -> bool:
        """True if all runs went to the end with the same dtypes at every operation that was followed."""
        return not (self.findings or self.stops or self.not_followed)

    @property
    def patch(self) -> str:
        """A unified diff that inserts the casts; empty where there are none to insert."""
        return patch_of(edit for f in self.findings if f.fix for edit in f.fix.edits)

    def lines(self) -> Iterator[Line]:
        """Yield the lines of the text as parts, each with the name of its style."""
        return lines_of(self)

    def __str__(self) -> str:
        return plain(self.lines())

    def __repr__(self) -> str:
        return f"<Audit {plain(summary_of(self))}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the text that ``print`` shows, with colours."""
        html: str = shown("audit_html", self)
        return html

    def to_json(self) -> str:
        """Return the audit as JSON, for programs."""
        return json.dumps(data_of(self) | {"agrees": self.agrees, "patch": self.patch}, indent=2)


def data_of(x: Any) -> Any:
    """Return a report as plain data."""
    if isinstance(x, Place):
        names = ("file", "line", "column", "end_line", "end_column", "function", "expression")
        return {n: getattr(x, n) for n in names}
    if hasattr(x, "__dataclass_fields__"):
        return {n: data_of(getattr(x, n)) for n in x.__dataclass_fields__}
    if isinstance(x, tuple):
        return [data_of(y) for y in x]
    return x
